//! Why a Verilated design stopped.

use lockstep_engine::dut::{Stop, StopKind};
use verilator_sys::DutStop;

use crate::printed::fit;

/// A stop; `loops` are those that Verilator warned of, which matter if logic does not settle.
pub fn stop_of(stop: DutStop, loops: &[String]) -> Stop {
    with_loops(plain(stop), loops)
}

/// The same of a stop that was told.
pub fn with_loops(mut stop: Stop, loops: &[String]) -> Stop {
    if stop.kind == StopKind::Unsettled && !loops.is_empty() {
        let separator = if stop.message.is_empty() { "" } else { "; " };
        let loops = named(loops);
        stop.message += &format!("{separator}when it was built, Verilator warned of {loops}");
    }
    stop
}

/// One in a final block.
pub fn in_final_block(stop: DutStop) -> Stop {
    let stop = plain(stop);
    let message = format!("in a final block: {}", stop.message);
    Stop { message, ..stop }
}

/// Some loops in a sentence.
fn named(loops: &[String]) -> String {
    const SHOWN: usize = 4;
    let more = match loops.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more (UNOPTFLAT)"),
    };
    let shown: Vec<_> = loops.iter().take(SHOWN).map(String::as_str).collect();
    shown.join("; ") + &more
}

/// A stop in terms of the contract (DUT-40).
pub fn plain(stop: DutStop) -> Stop {
    use verilator_sys::StopKind as Verilator;
    let kind = match stop.kind {
        Verilator::Finish => StopKind::Finish,
        Verilator::Stop => StopKind::Stop,
        Verilator::Fatal => StopKind::Fatal,
        Verilator::Assertion => StopKind::Assertion,
        Verilator::NotConverged => StopKind::Unsettled,
        Verilator::RunTime => StopKind::Simulator,
    };
    let message = fit(stop.message.as_bytes());
    let message = match (stop.scope.is_empty(), message.is_empty()) {
        (true, _) => message,
        (false, true) => format!("in {}", stop.scope),
        (false, false) => format!("{message} (in {})", stop.scope),
    };
    Stop {
        kind,
        completed: stop.completed,
        message,
        file: stop.file.display().to_string(),
        line: stop.line,
    }
}
