//! Which design a command is about.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use lockstep_designs::{RtlFiles, RtlSource, TOP};
use lockstep_engine::dut::check_knobs;
use lockstep_prove::correspondence::{BUNDLED, Correspondence};
use lockstep_prove::yosys::YosysError;
use lockstep_stimulus::implementation_file;
use pmu_model::Implementation;

use super::Failure;

/// Arguments that say it.
#[derive(Args)]
pub struct DesignArgs {
    /// Features, sizes and knobs (TOML) [default: everything, 31 counters]
    #[arg(long, value_name = "FILE.toml")]
    implementation: Option<PathBuf>,
    /// Other RTL than the bundled one: a folder, or SystemVerilog files, packages first, each with --rtl
    #[arg(long, value_name = "PATH")]
    rtl: Vec<PathBuf>,
    /// Other RTL than the bundled one: a file list as simulators take it with -f
    #[arg(long, value_name = "FILE")]
    filelist: Vec<PathBuf>,
    /// The wrapper module of that RTL
    #[arg(long, value_name = "MODULE", default_value = TOP)]
    top: String,
    /// A parameter of the wrapper of that RTL
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    param: Vec<(String, String)>,
    /// A macro of that RTL
    #[arg(long, value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    /// Which signals stand for what of the contract (TOML) [default: those of the bundled RTL]
    #[arg(long, value_name = "FILE.toml")]
    correspondence: Option<PathBuf>,
}

fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.into(), value.into()))
}

impl DesignArgs {
    /// What the design is to be.
    pub fn implementation(&self) -> Result<Implementation, Failure> {
        let implementation = implementation_file::load(self.implementation.as_deref());
        let implementation = implementation.map_err(Failure::usage)?;
        if self.is_bundled() {
            check_knobs(&implementation).map_err(Failure::usage)?;
        }
        Ok(implementation)
    }

    /// Whether it is the bundled one.
    pub fn is_bundled(&self) -> bool {
        self.rtl.is_empty() && self.filelist.is_empty()
    }

    /// Where it is.
    pub fn source(&self) -> RtlSource {
        if self.is_bundled() {
            return RtlSource::Bundled;
        }
        RtlSource::Files(RtlFiles {
            paths: self.rtl.clone(),
            file_lists: self.filelist.clone(),
            top: self.top.clone(),
            parameters: self.param.clone(),
            defines: self.define.clone(),
            verilator_args: Vec::new(),
        })
    }

    /// Whether it is told which of its signals stand for what.
    pub fn has_correspondence(&self) -> bool {
        self.is_bundled() || self.correspondence.is_some()
    }

    /// Which of its signals stand for what.
    pub fn correspondence(&self) -> Result<Correspondence, Failure> {
        let (name, text) = match &self.correspondence {
            None => ("the bundled correspondence".to_owned(), BUNDLED.to_owned()),
            Some(path) => {
                let name = path.display().to_string();
                let text = fs::read_to_string(path);
                let text = text.map_err(|error| Failure::usage(format!("{name}: {error}")))?;
                (name, text)
            }
        };
        toml::from_str(&text).map_err(|error| Failure::usage(format!("{name}: {error}")))
    }
}

/// What a design that Yosys does not take ends as.
pub fn refused(error: YosysError) -> Failure {
    match error {
        YosysError::Refused { .. } | YosysError::Netlist(_) => Failure::usage(error),
        _ => Failure::infrastructure(error),
    }
}
