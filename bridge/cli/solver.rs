//! `lockstep prove`, `lockstep score` and `lockstep reach`: the program beside this one that has a solver, which takes
//! longer to compile than everything else.

use std::env;
use std::ffi::OsString;
use std::io;
use std::process::Command;

use clap::Args;

use super::Failure;
use crate::verdict::Verdict;

/// The program.
const PROGRAM: &str = "lockstep-prove";

/// Arguments of such a command, which that program reads.
#[derive(Args)]
#[command(disable_help_flag = true)]
pub struct SolverArgs {
    /// Of which design, and how: `--help` lists them
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "OPTIONS"
    )]
    options: Vec<OsString>,
}

/// Runs `command` of it.
pub(super) fn by_solver(command: &str, args: &SolverArgs) -> Result<Verdict, Failure> {
    let program = env::current_exe().map_err(Failure::infrastructure)?;
    let program = program.with_file_name(PROGRAM);
    let status = Command::new(&program)
        .arg(command)
        .args(&args.options)
        .status();
    let status = status.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::usage(format!(
            "{} is not there; build it, in minutes: cargo build --release --package {PROGRAM}",
            program.display()
        )),
        _ => Failure::infrastructure(format!("{}: {error}", program.display())),
    })?;
    match status.code() {
        Some(0) => Ok(Verdict::Agree),
        Some(1) => Ok(Verdict::Divergence),
        Some(2) => Ok(Verdict::Usage),
        Some(9) => Ok(Verdict::NotFound),
        Some(5) => Ok(Verdict::Infrastructure),
        _ => Err(Failure::infrastructure(format!(
            "{PROGRAM} ended with {status}"
        ))),
    }
}
