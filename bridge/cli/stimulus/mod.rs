//! `lockstep stimulus`: commands about stimulus, without a design.

mod audit;
mod check;
mod export;

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
    /// Write stimulus for other simulators and programs
    Export(export::ExportArgs),
}

impl StimulusArgs {
    pub(super) fn json(&self) -> bool {
        match &self.command {
            StimulusCommand::Check(args) => args.json,
            StimulusCommand::Audit(args) => args.json,
            StimulusCommand::Export(_) => false,
        }
    }
}

/// Runs a command about stimulus.
pub(super) fn stimulus(args: &StimulusArgs) -> Result<Verdict, Failure> {
    match &args.command {
        StimulusCommand::Check(args) => check::check(args),
        StimulusCommand::Audit(args) => audit::audit(args),
        StimulusCommand::Export(args) => export::export(args),
    }
}
