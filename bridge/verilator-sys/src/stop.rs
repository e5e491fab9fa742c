//! Why a design stopped.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::ffi::bridge::StopRecord;

/// What ended a run of a design early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopKind {
    /// The design called `$finish`.
    Finish,
    /// The design called `$stop`.
    Stop,
    /// The design called `$fatal`.
    Fatal,
    /// An assertion failed, or the design called `$error`.
    Assertion,
    /// Logic did not settle: a combinational loop.
    NotConverged,
    /// Another error that Verilator's run time found.
    RunTime,
}

impl fmt::Display for StopKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            StopKind::Finish => "$finish",
            StopKind::Stop => "$stop",
            StopKind::Fatal => "$fatal",
            StopKind::Assertion => "failed assertion or $error",
            StopKind::NotConverged => "logic that does not settle",
            StopKind::RunTime => "Verilator run-time error",
        })
    }
}

/// A design that stopped: the first cause, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "[DUT] stopped by {kind} in cycle {cycle} at {time_ns} ns{}{}{}",
    place(file, *line),
    after(" in ", scope),
    after(": ", message)
)]
pub struct DutStop {
    /// What happened.
    pub kind: StopKind,
    /// The design's or the run time's own message, without place and time; may be empty.
    pub message: String,
    /// Hierarchical name of the module or assertion, such as `lockstep_dut.core.a_onehot`; empty if
    /// Verilator does not tell.
    pub scope: String,
    /// Source file as it was named when the design was built; empty if unknown.
    pub file: PathBuf,
    /// Line in `file`, from 1; 0 if unknown.
    pub line: u32,
    /// The cycle in which it happened, counted from 0 since the design was created.
    pub cycle: u64,
    /// Simulation time in nanoseconds: 10 * `cycle` at the rising edge, 5 more at the falling one.
    pub time_ns: u64,
    /// Cycles of the batch that were completed; the outputs of these are valid. It is also the
    /// index in the batch of the cycle in which it happened.
    pub completed: usize,
}

impl DutStop {
    pub(crate) fn new(record: StopRecord, completed: usize) -> DutStop {
        let StopRecord {
            kind,
            line,
            file,
            text,
            cycle,
            time_ns,
        } = record;
        let (scope, message) = split_text(&text, &file, line);
        let kind = match kind {
            1 => StopKind::Finish,
            2 if text.is_empty() => StopKind::Stop,
            2 => StopKind::Assertion,
            3 => StopKind::Fatal,
            _ if text.contains("did not converge") => StopKind::NotConverged,
            _ => StopKind::RunTime,
        };
        DutStop {
            kind,
            message,
            scope,
            file: file.into(),
            line,
            cycle,
            time_ns,
            completed,
        }
    }
}

/// Scope and message of a text such as
/// `[50] %Error: a.sv:12: Assertion failed in TOP.lockstep_dut.a_x: 'assert' failed.`
fn split_text(text: &str, file: &str, line: u32) -> (String, String) {
    let text = text.trim_end();
    let message = ["] %Error: ", "] %Fatal: "]
        .iter()
        .find_map(|mark| text.split_once(mark))
        .map_or(text, |(_, message)| message);
    // The text names the file without its folder.
    let name = Path::new(file)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let message = message
        .strip_prefix(&format!("{name}:{line}: "))
        .unwrap_or(message);
    let Some(rest) = message.strip_prefix("Assertion failed in ") else {
        return (String::new(), message.to_owned());
    };
    let (scope, message) = rest.split_once(": ").unwrap_or((rest, ""));
    let scope = scope.trim_end_matches(':');
    (
        scope.strip_prefix("TOP.").unwrap_or(scope).to_owned(),
        message.to_owned(),
    )
}

fn place(file: &Path, line: u32) -> String {
    match (file.as_os_str().is_empty(), line) {
        (true, _) => String::new(),
        (false, 0) => format!(" at {}", file.display()),
        (false, line) => format!(" at {}:{line}", file.display()),
    }
}

fn after(separator: &str, text: &str) -> String {
    if text.is_empty() {
        String::new()
    } else {
        format!("{separator}{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u32, text: &str) -> StopRecord {
        let (file, text) = ("rtl/a.sv".to_owned(), text.to_owned());
        StopRecord {
            kind,
            line: 12,
            file,
            text,
            cycle: 5,
            time_ns: 50,
        }
    }

    #[test]
    fn takes_scope_and_message_out_of_the_text() {
        let text =
            "[50] %Error: a.sv:12: Assertion failed in TOP.lockstep_dut.a_x: 'assert' failed.\n";
        let stop = DutStop::new(record(2, text), 3);
        assert_eq!(stop.kind, StopKind::Assertion);
        assert_eq!(stop.scope, "lockstep_dut.a_x");
        assert_eq!(stop.message, "'assert' failed.");
        assert_eq!(
            stop.to_string(),
            "[DUT] stopped by failed assertion or $error in cycle 5 at 50 ns at rtl/a.sv:12 \
             in lockstep_dut.a_x: 'assert' failed."
        );
    }

    #[test]
    fn tells_a_bare_stop_from_an_error() {
        let stop = DutStop::new(record(2, ""), 0);
        assert_eq!(stop.kind, StopKind::Stop);
        assert_eq!(
            stop.to_string(),
            "[DUT] stopped by $stop in cycle 5 at 50 ns at rtl/a.sv:12"
        );
    }

    #[test]
    fn keeps_a_message_that_has_no_scope() {
        let stop = DutStop::new(record(4, "DIDNOTCONVERGE: NBA region did not converge"), 0);
        assert_eq!(stop.kind, StopKind::NotConverged);
        assert_eq!(stop.message, "DIDNOTCONVERGE: NBA region did not converge");
    }
}
