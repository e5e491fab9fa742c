//! Commands whose design may crash: they run in a process of their own (DUT-42).

use super::end::End;
use super::{Command, Failure};
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
/// The other process cannot be started.
pub(super) fn place(command: &Command) -> Result<Place, Failure> {
    isolation::enter().map_err(Failure::usage)?;
    if isolation::is_worker() || !command.runs_other_rtl() {
        return Ok(Place::Here);
    }
    let ended = isolation::watch().map_err(|error| {
        Failure::infrastructure(format!(
            "the design runs in a process of its own, which cannot be started: {error}"
        ))
    })?;
    match ended {
        Ended::Code(code) => Ok(Place::Elsewhere(code)),
        Ended::Died(death) => {
            let verdict: Verdict = End::death(&death).tell(&death.facts, command.wants_json())?;
            Ok(Place::Elsewhere(verdict.exit_code()))
        }
    }
}
