//! `lockstep stimulus`: commands that look at stimulus, without a design.

mod check;

use clap::{Args, Subcommand};

use super::Failure;
use crate::lockstep::Verdict;

/// Arguments of `stimulus`.
#[derive(Args)]
pub struct StimulusArgs {
    #[command(subcommand)]
    command: StimulusCommand,
}

#[derive(Subcommand)]
enum StimulusCommand {
    /// Tell which cycles of recorded stimulus the contract excludes: what no design need get right
    #[command(after_help = check::EXIT_CODES)]
    Check(check::CheckArgs),
}

impl StimulusArgs {
    pub(super) fn json(&self) -> bool {
        match &self.command {
            StimulusCommand::Check(args) => args.json,
        }
    }
}

/// Runs a command about stimulus.
pub(super) fn stimulus(args: &StimulusArgs) -> Result<Verdict, Failure> {
    match &args.command {
        StimulusCommand::Check(args) => check::check(args),
    }
}
