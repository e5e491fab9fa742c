//! Which RTL a command runs, and how it is built.

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use pmu_model::Implementation;

use super::running::{open_failure, quoted};
use crate::cli::places::Places;
use crate::cli::{Failure, output};
use crate::dut::{DutFolder, RtlFiles, RtlSource, TOP, is_identifier, wrapper_parameters};

/// Other RTL than the bundled one.
#[derive(Args)]
pub struct RtlArgs {
    /// A design that `lockstep build` made, instead of the bundled RTL
    #[arg(long, alias = "from-dut", value_name = "DIR", conflicts_with_all = ["sources", "build_options"])]
    dut: Option<PathBuf>,
    #[command(flatten)]
    files: FileArgs,
}

/// RTL as files, and how to build it.
#[derive(Args)]
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
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_value)]
    param: Vec<(String, String)>,
    /// A macro of that RTL
    #[arg(long, value_name = "NAME[=VALUE]", value_parser = macro_value)]
    define: Vec<String>,
    /// An argument of Verilator, such as -Wno-WIDTH, or a file (.vlt), whose path starts from where the command runs;
    /// paths inside of a file with options must be absolute
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    verilator_arg: Vec<String>,
}

fn name_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    if !is_identifier(name) {
        return Err(format!(
            "expected the name of a parameter before =, found {name:?}: {NAMES}"
        ));
    }
    Ok((name.to_owned(), value.to_owned()))
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

/// What names are made of.
const NAMES: &str = "letters, digits, _ and $, no digit first";

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
        let path = |path: &PathBuf| path.display().to_string();
        let param = |(name, value): &(String, String)| format!("{name}={value}");
        let words: [(&str, Vec<String>); 6] = [
            ("--rtl ", self.rtl.iter().map(path).collect()),
            ("--filelist ", self.filelist.iter().map(path).collect()),
            ("--top ", self.top.iter().cloned().collect()),
            ("--param ", self.param.iter().map(param).collect()),
            ("--define ", self.define.clone()),
            ("--verilator-arg=", self.verilator_arg.clone()),
        ];
        words
            .iter()
            .flat_map(|(option, values)| values.iter().map(move |value| (option, value)))
            .map(|(option, value)| format!(" {option}{}", quoted(value)))
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
