//! Which RTL a command runs, and how it is built.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use pmu_model::Implementation;

use super::running::{open_failure, quoted};
use crate::cli::identifiers::{NAMES, parameter};
use crate::cli::places::Places;
use crate::cli::{Failure, output};
use crate::dut::{DutFolder, RtlFiles, RtlSource, TOP, is_identifier, wrapper_parameters};
use crate::regress::capsule::Design;
use crate::regress::suite::VERILATOR_ARG;

/// Other RTL than the bundled one.
#[derive(Args, Clone, Default)]
pub struct RtlArgs {
    /// A design that `lockstep build` made, instead of the bundled RTL
    #[arg(long, alias = "from-dut", value_name = "DIR", conflicts_with_all = ["sources", "build_options"])]
    dut: Option<PathBuf>,
    #[command(flatten)]
    files: FileArgs,
}

/// RTL as files, and how to build it.
#[derive(Args, Clone, Default)]
#[command(group = ArgGroup::new("sources").args(["rtl", "filelist"]))]
#[command(group = ArgGroup::new("build_options").args(["top", "param", "define", "verilator_arg"]).multiple(true).requires("sources"))]
pub struct FileArgs {
    /// Other RTL than the bundled one: a folder, or SystemVerilog files, packages first, each with --rtl
    #[arg(long, value_name = "PATH")]
    rtl: Vec<PathBuf>,
    /// Other RTL than the bundled one: a file list as simulators take it with -f; paths in it are relative to it
    #[arg(long, value_name = "FILE")]
    filelist: Vec<PathBuf>,
    /// The wrapper module of that RTL [default: lockstep_dut]
    #[arg(long, value_name = "MODULE")]
    top: Option<String>,
    /// A parameter of the wrapper of that RTL
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    param: Vec<(String, String)>,
    /// A macro of that RTL
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = macro_value)]
    define: Vec<String>,
    /// An argument of Verilator, such as -Wno-WIDTH, or a file (.vlt), whose path starts from where the command runs;
    /// paths inside of a file with options must be absolute
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    verilator_arg: Vec<String>,
}

fn macro_value(text: &str) -> Result<String, String> {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    match is_identifier(name) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "expected the name of a macro, found {name:?}: {NAMES}"
        )),
    }
}

/// An argument of Verilator whose path, if it has one, started from `folder`.
fn from_folder(folder: &Path, argument: &str) -> String {
    let paths = ["-I", "+incdir+", "-y ", ""].into_iter();
    let place = |start: &'static str| {
        let place = folder.join(argument.strip_prefix(start)?);
        (place != folder && place.exists()).then(|| format!("{start}{}", place.display()))
    };
    paths
        .filter_map(place)
        .next()
        .unwrap_or_else(|| argument.to_owned())
}

impl FileArgs {
    /// The files that are meant, if any.
    pub fn files(&self) -> Option<RtlFiles> {
        let any = !self.rtl.is_empty() || !self.filelist.is_empty();
        any.then(|| RtlFiles {
            paths: self.rtl.clone(),
            file_lists: self.filelist.clone(),
            top: self.top.clone().unwrap_or_else(|| TOP.into()),
            parameters: self.param.clone(),
            defines: self.define.clone(),
            verilator_args: self.verilator_arg.clone(),
        })
    }

    /// The arguments again.
    pub(super) fn command(&self) -> String {
        let words = self.pairs().into_iter();
        words
            .map(|(option, value)| match option {
                "--verilator-arg" => format!(" {option}={}", quoted(&value)),
                _ => format!(" {option} {}", quoted(&value)),
            })
            .collect()
    }

    /// Options with their values.
    fn pairs(&self) -> Vec<(&'static str, String)> {
        let path = |path: &PathBuf| path.display().to_string();
        let param = |(name, value): &(String, String)| format!("{name}={value}");
        let words: [(&str, Vec<String>); 6] = [
            ("--rtl", self.rtl.iter().map(path).collect()),
            ("--filelist", self.filelist.iter().map(path).collect()),
            ("--top", self.top.iter().cloned().collect()),
            ("--param", self.param.iter().map(param).collect()),
            ("--define", self.define.clone()),
            ("--verilator-arg", self.verilator_arg.clone()),
        ];
        let words = words.into_iter();
        words
            .flat_map(|(option, values)| values.into_iter().map(move |value| (option, value)))
            .collect()
    }
}

impl RtlArgs {
    /// The RTL that is meant. Of a built design whose files have changed since, a note goes to standard error.
    ///
    /// # Errors
    /// The folder of a built design cannot be used.
    pub fn source(&self) -> Result<RtlSource, Failure> {
        if let Some(path) = &self.dut {
            let folder = DutFolder::open(path).map_err(|error| open_failure(error.into()))?;
            note_changes(&folder);
            return Ok(RtlSource::Built(Box::new(folder)));
        }
        Ok(self
            .files
            .files()
            .map_or(RtlSource::Bundled, RtlSource::Files))
    }

    /// Whether it is one that was built before.
    pub fn is_built(&self) -> bool {
        self.dut.is_some()
    }

    /// Whether it is the bundled one, since no other is named.
    pub fn is_bundled(&self) -> bool {
        self.dut.is_none() && self.files.files().is_none()
    }

    /// The RTL that the design of a capsule was made of, if it is still where it was.
    pub fn where_it_was(&self, design: &Design) -> Option<Self> {
        let folder = Path::new(design.folder.as_ref()?);
        let mut rtl = self.clone();
        let mut words = design.options.iter();
        while let Some(word) = words.next() {
            let files = &mut rtl.files;
            if let Some(argument) = word.strip_prefix(VERILATOR_ARG) {
                files.verilator_arg.push(from_folder(folder, argument));
                continue;
            }
            let value = words.next()?;
            let place = Some(folder.join(value)).filter(|place| place.exists());
            match word.as_str() {
                "--dut" => rtl.dut = Some(place?),
                "--rtl" => files.rtl.push(place?),
                "--filelist" => files.filelist.push(place?),
                // The capsule has these.
                _ => {}
            }
        }
        (!rtl.is_bundled()).then_some(rtl)
    }

    /// The RTL of a capsule: where files are named here, with the options of the capsule's design but for those given;
    /// where nothing is, `copy`, which is of the capsule.
    pub fn for_design(mut self, design: &Design, copy: &[PathBuf]) -> Self {
        if self.dut.is_some() {
            return self;
        }
        let files = &mut self.files;
        if files.files().is_none() {
            if copy.is_empty() {
                return self;
            }
            files.rtl = copy.to_vec();
            let folders: BTreeSet<_> = copy.iter().filter_map(|path| path.parent()).collect();
            let folders = folders.iter().map(|path| format!("-I{}", path.display()));
            files.verilator_arg = folders.collect();
            files
                .verilator_arg
                .extend(design.verilator_args.iter().cloned());
        } else if files.verilator_arg.is_empty() {
            files.verilator_arg.clone_from(&design.verilator_args);
        }
        if files.top.is_none() {
            files.top.clone_from(&design.top);
        }
        if files.param.is_empty() {
            let pairs = design.parameters.iter();
            let pairs = pairs.filter_map(|pair| pair.split_once('='));
            files.param = pairs
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
        }
        if files.define.is_empty() {
            files.define.clone_from(&design.defines);
        }
        self
    }

    /// Adds what is read to the places of a command.
    pub fn reads(&self, places: Places) -> Places {
        let named = [
            ("--rtl", &self.files.rtl),
            ("--filelist", &self.files.filelist),
        ];
        let named = named
            .into_iter()
            .flat_map(|(option, paths)| paths.iter().map(move |path| (option, path)));
        named.fold(places, |places, (option, path)| {
            places.reads(option, Some(path))
        })
    }

    /// The arguments again, as words of a command line.
    pub fn words(&self) -> Vec<String> {
        let dut = self.dut.iter();
        let dut = dut.map(|path| format!("--dut={}", path.display()));
        let files = self.files.pairs().into_iter();
        let files = files.map(|(option, value)| format!("{option}={value}"));
        dut.chain(files).collect()
    }

    /// The arguments again.
    pub fn command(&self) -> String {
        let dut = self.dut.iter();
        let dut = dut.map(|path| format!(" --dut {}", quoted(&path.display().to_string())));
        dut.collect::<String>() + &self.files.command()
    }
}

/// The same RTL with the bundled wrapper's parameters for `implementation`, unless others are given.
pub fn with_parameters(source: RtlSource, implementation: &Implementation) -> RtlSource {
    match source {
        RtlSource::Files(files) if files.parameters.is_empty() => RtlSource::Files(RtlFiles {
            parameters: wrapper_parameters(implementation),
            ..files
        }),
        source => source,
    }
}

/// Tells that the libraries of a folder are older than their sources, or not all there.
fn note_changes(folder: &DutFolder) {
    if let Some(missing) = folder.missing_traced() {
        output::note(&format!(
            "{} is not there: a divergence would be told without its waveform; build the design again",
            missing.display()
        ));
    }
    let changed = folder.changed_sources();
    let Some(first) = changed.first() else {
        return;
    };
    let others = match changed.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    output::note(&format!(
        "{} was built before {}{others} changed: build it again to run what the files say now",
        folder.path().display(),
        first.display()
    ));
}
