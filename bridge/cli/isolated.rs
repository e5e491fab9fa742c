//! Commands whose design may crash: they run in a process of their own (DUT-42).

use super::end::End;
use super::{Command, Failure, output};
use crate::isolation::{self, Ended};
use crate::lockstep::Verdict;

/// How a command is run.
pub(super) enum Place {
    /// In this process.
    Here,
    /// In another one, which has ended with this exit code.
    Elsewhere(u8),
}

/// Runs `command` in a process of its own, if its design is not the one that is linked in, and if this is not such a
/// process already.
///
/// # Errors
/// The process that started this one to watch it is not there, or standard output cannot be written.
pub(super) fn place(command: &Command) -> Result<Place, Failure> {
    isolation::enter().map_err(Failure::usage)?;
    if isolation::is_worker() || !command.runs_other_rtl() {
        return Ok(Place::Here);
    }
    match isolation::watch() {
        Err(error) => {
            output::note(&format!(
                "the design runs in this process, and a crash of it ends lockstep without a report: another process cannot \
                 be started: {error}"
            ));
            Ok(Place::Here)
        }
        Ok(Ended::Code(code)) => Ok(Place::Elsewhere(code)),
        Ok(Ended::Died(death)) => {
            let verdict: Verdict = End::death(&death).tell(&death.facts, command.wants_json())?;
            Ok(Place::Elsewhere(verdict.exit_code()))
        }
    }
}
