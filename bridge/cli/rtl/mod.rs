//! Commands that run a design, and what the process of a command does for designs.

mod again;
mod against;
mod args;
mod bisect;
mod build;
mod cache;
pub mod conform;
mod coverage;
mod end;
mod exhaust;
mod from_dut;
mod initial_states;
mod kept;
mod locate;
pub(super) mod progress;
mod recorded;
mod rtl_coverage;
mod run;
mod running;
mod shortest;
mod shrink;
mod summary;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Subcommand;

use super::{Failure, output_folder};
use crate::isolation;
use crate::lockstep::Verdict;
use crate::regress::capsule::is_capsule;

pub use end::End;

/// Commands that run a design. In the help some stand beside what they belong to.
#[derive(Subcommand)]
pub enum Command {
    /// Build a design once, to be run with --dut wherever its folder is
    Build(build::BuildArgs),
    /// Run RTL and model side by side, and explain the first divergence
    Run(run::RunArgs),
    /// Run a recorded stimulus again
    Replay(run::ReplayArgs),
    /// Reduce a recorded stimulus that fails to what its divergence needs
    Shrink(shrink::ShrinkArgs),
    /// Run every threshold, edge and link configuration at 4-bit widths through RTL and model
    #[command(display_order = 9)]
    Exhaust(exhaust::ExhaustArgs),
    /// Write the implementation file of a design (--dut, --rtl, --filelist), or the default, with every key explained
    #[command(display_order = 15)]
    Implementation(from_dut::ImplementationArgs),
    /// List what is kept of designs that were built, or prune it
    #[command(display_order = 16)]
    Cache(cache::CacheArgs),
    /// Tell whether a design has the failure of a capsule, with the exit codes of `git bisect run`
    #[command(display_order = 3)]
    Bisect(bisect::BisectArgs),
}

impl Command {
    /// Whether a program is to read what it prints.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Build(args) => args.json,
            Self::Run(args) => args.json(),
            Self::Replay(args) => args.json(),
            Self::Bisect(_) => false,
            Self::Shrink(args) => args.json,
            Self::Exhaust(args) => args.json,
            Self::Cache(args) => args.json,
            Self::Implementation(_) => false,
        }
    }

    /// Does it.
    ///
    /// # Errors
    /// It ended before its result.
    pub fn run(&self) -> Result<Verdict, Failure> {
        match self {
            Self::Build(args) => build::build(args),
            Self::Run(args) => run::run(args),
            Self::Replay(args) if is_capsule(&args.stimulus) => {
                again::shown_again(&args.stimulus, &args.common)
            }
            Self::Replay(args) => run::replay(args),
            Self::Bisect(args) => Ok(bisect::bisect(args)),
            Self::Shrink(args) => shrink::shrink(args),
            Self::Exhaust(args) => exhaust::exhaust(args),
            Self::Cache(args) => cache::cache(args),
            Self::Implementation(args) => from_dut::write(args),
        }
    }
}

/// Does what this process was started for, if that is no command.
pub fn role() -> Option<ExitCode> {
    isolation::role()
}

/// Has designs run in processes of their own, and listens to signals.
///
/// # Errors
/// The system does not allow it.
pub fn start(json: bool) -> Result<(), Failure> {
    // The handler does nothing: the write that is beyond a limit of file sizes fails, and is told.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    isolation::enable();
    let end = move |signal: &str| {
        let code = Failure::from(End::interrupted(signal)).tell(json);
        isolation::end_all();
        output_folder::take_back();
        std::process::exit(i32::from(code));
    };
    crate::interrupt::listen(end).map_err(|error| {
        Failure::infrastructure(format!(
            "expected to listen to signals in a thread, found: {error}; raise the limits of the shell (ulimit -a)"
        ))
    })
}

/// What a command that came to `verdict` ends with, unless a design had the last word.
///
/// # Errors
/// A design ended its process after its last reply, or stopped in a final block.
pub fn end(verdict: Verdict) -> Result<Verdict, Failure> {
    if verdict != Verdict::Agree {
        return Ok(verdict);
    }
    if let Some(death) = isolation::settled() {
        return Err(End::late(&death).into());
    }
    match isolation::stopped_late() {
        None => Ok(verdict),
        Some((stop, cycle)) => Err(End::stop(&stop, cycle).into()),
    }
}

/// Ends all processes of designs.
pub fn end_all() {
    isolation::end_all();
}
