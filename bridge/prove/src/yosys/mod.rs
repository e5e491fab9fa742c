//! Yosys, which makes a netlist of SystemVerilog. What its own front end refuses is read by slang, which reads as much as
//! simulators do.

mod find;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use thiserror::Error;
use verilator_sys::WheelError;
use verilator_sys::verilate::Design;

use crate::netlist::{Netlist, NetlistError};

pub use find::Yosys;
use find::start;

/// A design could not be made a netlist.
#[derive(Debug, Error)]
pub enum YosysError {
    /// There is none, and none can be fetched.
    #[error(transparent)]
    NotFetched(#[from] WheelError),
    /// It cannot be started.
    #[error(
        "expected Yosys at {program}, found: {source}: correct YOSYS, or unset it to have Yosys searched on PATH or fetched"
    )]
    Start {
        /// What was started.
        program: PathBuf,
        /// What came of it.
        source: io::Error,
    },
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What came of it.
        source: io::Error,
    },
    /// It refuses the design.
    #[error(
        "yosys cannot read the design: {message}; a design that simulators read may have what no hardware can be made of"
    )]
    Refused {
        /// What it says, with file and line if it says so.
        message: String,
    },
    /// It has registers that the proof's cycles are none of.
    #[error(
        "the design has {what}: {names}; expected registers that take a value at each rising edge of clk_i, as a proof has \
         no other time: {advice}"
    )]
    Clocked {
        /// What there is instead.
        what: &'static str,
        /// Some of them.
        names: String,
        /// What to do.
        advice: &'static str,
    },
    /// What it wrote cannot be read.
    #[error(transparent)]
    Netlist(#[from] NetlistError),
}

/// The netlist of a design, in which the instances of some modules are left out: what they drive is free. Files are written to
/// `folder`; `told` hears which Yosys reads it.
///
/// # Errors
/// There is no Yosys, or it refuses the design.
pub fn netlist(
    design: &Design,
    left_out: &[String],
    folder: &Path,
    told: &mut dyn FnMut(&str),
) -> Result<Netlist, YosysError> {
    read(design, left_out, TO_AIGER, folder, told)?;
    written(folder)
}

/// The netlist of the files that [`TO_AIGER`] writes to a folder.
///
/// # Errors
/// They cannot be read, or are malformed, or the design has another clock.
pub fn written(folder: &Path) -> Result<Netlist, YosysError> {
    for Other { file, what, advice } in OTHERS {
        let path = folder.join(file);
        let found = fs::read_to_string(&path).map_err(io_at(&path))?;
        let names: Vec<_> = found
            .lines()
            .filter_map(|line| Some(line.split_once('/')?.1))
            .collect();
        let Some((some, rest)) = names.split_at_checked(SOME.min(names.len())) else {
            continue;
        };
        if !some.is_empty() {
            let more = match rest.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let names = some.join(", ") + &more;
            return Err(YosysError::Clocked {
                what,
                names,
                advice,
            });
        }
    }
    let [aiger, map] = ["design.aig", "design.map"].map(|name| folder.join(name));
    let aiger = fs::read(&aiger).map_err(io_at(&aiger))?;
    let map = fs::read_to_string(&map).map_err(io_at(&map))?;
    Ok(Netlist::read(&aiger, &map)?)
}

/// Reads a design, makes it one flat module of cells, in which the instances of some modules are left out, and goes on with
/// `rest` of the script, all in `folder`; `told` hears which Yosys reads it, which is given.
///
/// # Errors
/// There is no Yosys, or it refuses the design.
pub fn read(
    design: &Design,
    left_out: &[String],
    rest: &str,
    folder: &Path,
    told: &mut dyn FnMut(&str),
) -> Result<Yosys, YosysError> {
    let yosys = Yosys::find()?;
    told(&yosys.version);
    let script = by_yosys(&yosys, design)? + &flat(left_out) + rest;
    let refused = match yosys.run(&script, folder) {
        Ok(()) => return Ok(yosys),
        Err(YosysError::Refused { message }) => message,
        Err(other) => return Err(other),
    };
    let (mut yosys, plugin) = match yosys.with_slang() {
        Ok(found) => found,
        Err(why) => {
            let message = format!("{refused} (and slang could not be asked: {why})");
            return Err(YosysError::Refused { message });
        }
    };
    yosys.version += ", slang";
    told(&yosys.version);
    let list = folder.join(LIST);
    fs::write(&list, by_slang(&yosys, design, left_out)?).map_err(io_at(&list))?;
    let top = &design.top;
    let read = format!("{plugin}read_slang -f {LIST}\nhierarchy -check -top {top}\n");
    let script = read + &flat(left_out) + rest;
    yosys.run(&script, folder)?;
    Ok(yosys)
}

impl Yosys {
    /// Runs a script in `folder`.
    ///
    /// # Errors
    /// It cannot be started, or refuses the design.
    pub fn run(&self, script: &str, folder: &Path) -> Result<(), YosysError> {
        let path = folder.join("script.ys");
        fs::write(&path, script).map_err(io_at(&path))?;
        let mut command = self.command(folder);
        command.args(["-q", "-s", "script.ys"]).stdin(Stdio::null());
        let output = command.output().map_err(start(&self.program))?;
        if output.status.success() {
            return Ok(());
        }
        let all = [output.stderr, output.stdout].concat();
        let text = self.here(&String::from_utf8_lossy(&all));
        // Slang says where, and then Yosys that there was an error.
        let mut lines = text.lines();
        let error = lines.find(|line| line.contains("error:") || line.contains("ERROR"));
        let message = error
            .or(text.lines().last())
            .unwrap_or("it ended without a word");
        Err(YosysError::Refused {
            message: message
                .trim_start_matches("ERROR: ")
                .trim_end_matches('.')
                .into(),
        })
    }
}

pub(crate) fn io_at(path: &Path) -> impl Fn(io::Error) -> YosysError {
    let path = path.to_path_buf();
    move |source| YosysError::Io {
        path: path.clone(),
        source,
    }
}

/// What has Yosys' own front end read a design.
fn by_yosys(yosys: &Yosys, design: &Design) -> Result<String, YosysError> {
    // Modules are made with the parameters that they get, and not with their defaults as well.
    let files = files(yosys, design, " -I")?;
    let defines = design.defines.iter().map(|name| format!(" -D{name}"));
    let parameters = design.parameters.iter();
    let parameters = parameters.map(|(name, value)| format!(" -chparam {name} {value}"));
    let (defines, parameters): (String, String) = (defines.collect(), parameters.collect());
    let top = &design.top;
    Ok(format!(
        "read_verilog -defer -sv{defines}{files}\nhierarchy -check -top {top}{parameters}\n"
    ))
}

/// The options of slang, a file list of its own.
const LIST: &str = "slang.f";

/// What has slang read it; instances of some modules are boxes of which nothing is known.
fn by_slang(yosys: &Yosys, design: &Design, left_out: &[String]) -> Result<String, YosysError> {
    let files = files(yosys, design, "\n-I ")?;
    let defines = design.defines.iter();
    let defines = defines.map(|name| format!("\n-D {}", quoted(name)));
    let parameters = design.parameters.iter();
    let parameters =
        parameters.map(|(name, value)| format!("\n-G {}", quoted(&format!("{name}={value}"))));
    let boxes = left_out.iter();
    let boxes = boxes.map(|module| format!("\n--blackboxed-module {module}"));
    let options: String = defines.chain(parameters).chain(boxes).collect();
    let (top, threads) = (&design.top, yosys.threads());
    Ok(format!(
        "--single-unit{threads} --top {top}{options}{files}\n"
    ))
}

/// The folders and files of a design.
fn files(yosys: &Yosys, design: &Design, include: &str) -> Result<String, YosysError> {
    let absolute = |path: &PathBuf| {
        let path = std::path::absolute(path).map_err(|source| YosysError::Io {
            path: path.clone(),
            source,
        })?;
        Ok::<_, YosysError>(quoted(&yosys.path(&path)))
    };
    let mut all = String::new();
    for folder in &design.include_dirs {
        all += &format!("{include}{}", absolute(folder)?);
    }
    for source in &design.sources {
        all += &format!(" {}", absolute(source)?);
    }
    Ok(all)
}

/// What makes a design that was read one flat module of cells.
fn flat(left_out: &[String]) -> String {
    // Modules with parameters have long names that end in their own.
    let cuts = left_out
        .iter()
        .map(|module| format!("cutpoint */t:{module}\ncutpoint */t:$paramod*\\{module}\n"));
    cuts.collect::<String>() + "proc\nflatten\nopt_expr\nopt_clean\nmemory -nordff\nopt_clean\n"
}

/// What is not clocked as it should be, which is found by names in a file.
struct Other {
    file: &'static str,
    what: &'static str,
    advice: &'static str,
}

/// All that there is of it.
const OTHERS: [Other; 3] = [
    Other {
        file: "latches.txt",
        what: "latches",
        advice: "assign what a block of always_comb gives in each of its branches, or leave the module out (left_out)",
    },
    Other {
        file: "falling.txt",
        what: "registers at a falling edge",
        advice: "give them the rising one, or leave the module out (left_out)",
    },
    Other {
        file: "clocks.txt",
        what: "clocks besides clk_i",
        advice: "write a gate of the clock as an enable of its registers, or leave the module out (left_out)",
    },
];

/// How many names are told.
const SOME: usize = 5;

/// From a flat netlist of cells to the files `design.aig` and `design.map`, and those that name what is clocked otherwise.
/// Registers stay what they are, also those that are always the same: a correspondence names them. One with an
/// asynchronous reset has its value as soon as that is there.
pub const TO_AIGER: &str =
    "select -write latches.txt t:$dlatch t:$adlatch t:$dlatchsr t:$sr %u %u %u %co1:+[Q] w:* %i
async2sync
techmap
opt_expr
opt_clean
setundef -undriven -anyseq
setundef -anyseq
dffunmap
simplemap
select -write falling.txt t:$_DFF_N_ %co1:+[Q] w:* %i
select -write clocks.txt t:$_DFF_P_ %ci1:+[C] w:* %i w:clk_i %d
aigmap
opt_clean
write_aiger -symbols -vmap design.map design.aig
";

/// A word of a script.
fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\\\""))
}
