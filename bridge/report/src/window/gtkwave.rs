//! A save file of GTKWave: the signals of the groups, the marker on the divergent cycle.

use std::fmt::Write;

use super::{CYCLE_TICKS, Form, Format, Side, Signal, Waves};

/// Cycles shown before the divergent one, in a window as GTKWave opens it.
const BEFORE: u64 = 9;
/// GTKWave's zoom, a power of two: some 13 cycles of [`CYCLE_TICKS`] fill the window.
const ZOOM: f64 = -4.7;

// Flags of GTKWave's traces.
const HEXADECIMAL: u32 = 0x22;
const DECIMAL: u32 = 0x24;
const BINARY: u32 = 0x28;
const ASCII: u32 = 0x820;
const GROUP_BEGIN: u32 = 0x80_0200;
const GROUP_END: u32 = 0x100_0200;

/// The save file for the dump, which lies beside it. `clock` is the path of the design's clock.
pub fn save_file(waves: &Waves, dump: Format, clock: Option<&str>) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut out, waves, dump, clock);
    out
}

fn write(out: &mut String, waves: &Waves, format: Format, clock: Option<&str>) -> std::fmt::Result {
    let dump = format.name();
    let marker = waves.time(waves.divergent);
    let start = waves.time(waves.divergent.saturating_sub(BEFORE).max(waves.first));
    writeln!(out, "[*] pmu-lockstep: gtkwave {dump} with this file")?;
    writeln!(out, "[dumpfile] \"{dump}\"")?;
    writeln!(
        out,
        "[timestart] {}",
        start.saturating_sub(waves.cycle_ticks() / 2)
    )?;
    writeln!(out, "[size] 1500 900\n[pos] -1 -1")?;
    let zoom = ZOOM - (waves.cycle_ticks() as f64 / CYCLE_TICKS as f64).log2();
    write!(out, "*{zoom:.6} {marker}")?;
    // The other 26 markers are not set.
    writeln!(out, "{}", " -1".repeat(26))?;
    writeln!(out, "[signals_width] 260\n[sst_expanded] 0")?;
    if let Some(clock) = clock {
        writeln!(out, "@{BINARY:x}\n{clock}")?;
    }
    for group in &waves.groups {
        writeln!(out, "@{GROUP_BEGIN:x}\n-{}", group.title)?;
        for signal in waves.of(group) {
            trace(out, signal, format)?;
        }
        writeln!(out, "@{GROUP_END:x}\n-{}", group.title)?;
    }
    writeln!(out, "[pattern_trace] 1\n[pattern_trace] 0")
}

fn trace(out: &mut String, signal: &Signal, format: Format) -> std::fmt::Result {
    let (flags, range) = match signal.form {
        Form::Bit => (BINARY, String::new()),
        Form::Decimal(width) => (DECIMAL, format!("[{}:0]", width - 1)),
        Form::Hexadecimal(width) => (HEXADECIMAL, format!("[{}:0]", width - 1)),
        Form::Words if format == Format::Fst => {
            (ASCII, format!("[{}:0]", 8 * signal.longest_word() - 1))
        }
        Form::Words => (HEXADECIMAL, String::new()),
    };
    writeln!(out, "@{flags:x}")?;
    if signal.side == Side::Rtl {
        // Orange, to tell it from the model's.
        writeln!(out, "[color] 2")?;
    }
    let side = match signal.side {
        Side::Common => "",
        Side::Expected => " expected",
        Side::Rtl => " RTL",
    };
    // The name to show, then the signal.
    writeln!(out, "+{{{}{side}}} {}{range}", signal.label, signal.path())
}
