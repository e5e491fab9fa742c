//! What stands in place of `rtl` in a program that was built without designs.

use std::process::ExitCode;

use clap::Subcommand;

use super::Failure;
use crate::lockstep::Verdict;

/// There is no command that runs a design.
#[derive(Subcommand)]
pub enum Command {}

impl Command {
    pub fn wants_json(&self) -> bool {
        match *self {}
    }

    pub fn run(&self) -> Result<Verdict, Failure> {
        match *self {}
    }
}

/// No design ends a command.
#[derive(Debug)]
pub enum End {}

impl End {
    pub fn tell_here(self, _: bool) -> Result<Verdict, Failure> {
        match self {}
    }
}

impl From<End> for Failure {
    fn from(end: End) -> Self {
        match end {}
    }
}

pub fn role() -> Option<ExitCode> {
    None
}

pub fn start(_: bool) -> Result<(), Failure> {
    Ok(())
}

pub fn end(verdict: Verdict) -> Result<Verdict, Failure> {
    Ok(verdict)
}

pub fn end_all() {}

/// `lockstep conform` has the model alone.
pub mod conform {
    use std::path::PathBuf;

    use clap::Args;

    use crate::cli::Failure;
    use crate::conform::{Summary, run_files};

    #[derive(Args)]
    pub struct OnRtl {}

    impl OnRtl {
        pub fn run(&self, files: &[PathBuf]) -> Result<Summary, Failure> {
            run_files(files).map_err(Failure::input)
        }
    }
}
