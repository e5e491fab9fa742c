//! `lockstep stimulus`: commands that look at stimulus, without a design.

mod audit;
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
    /// Tell what generated stimulus does not drive of what rules compare with
    #[command(after_help = audit::EXIT_CODES)]
    Audit(audit::AuditArgs),
}

impl StimulusArgs {
    pub(super) fn json(&self) -> bool {
        match &self.command {
            StimulusCommand::Check(args) => args.json,
            StimulusCommand::Audit(args) => args.json,
        }
    }
}

/// Runs a command about stimulus.
pub(super) fn stimulus(args: &StimulusArgs) -> Result<Verdict, Failure> {
    match &args.command {
        StimulusCommand::Check(args) => check::check(args),
        StimulusCommand::Audit(args) => audit::audit(args),
    }
}
