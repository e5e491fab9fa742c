//! What became of a counter and of its overflow flag until a cycle, however far before the window: the recorded cycles
//! once more.

use std::collections::VecDeque;

use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::pmu::access::{Access, Write};
use pmu_model::{CycleOutput, CycleRecord, Model, SysReg, Tracer, Unknown};

use crate::hypotheses::Recording;

use super::replay::{Replay, Window};

/// Cycles with an increment that are kept, the last ones.
pub const INCREMENTS: usize = 4;

/// An addition that carries out of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carry {
    /// Its cycle.
    pub cycle: u64,
    /// The counter before it: bits 31:0 where it overflows out of bit 31.
    pub value: u64,
    /// What is added.
    pub v: u16,
    /// The bit out of which it carries.
    pub bit: u8,
    /// The counter is written in that cycle: the addition does not happen (DUT-20, DUT-21).
    pub lost: bool,
    /// The overflow flag is written in that cycle.
    pub flag_written: bool,
}

/// How the value of a counter is known at the start of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// From a reset, or a write, in the cycle before.
    Set,
    /// From a read in that cycle, in which the RTL agreed.
    Read,
    /// From the model: it is the first cycle that is looked at.
    Start,
}

/// What became of a counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// The last cycle at whose start the value is known.
    pub cycle: u64,
    /// How.
    pub known: Known,
    /// The value then.
    pub value: u64,
    /// The sum of the increments since, modulo 2^64.
    pub added: u64,
    /// Cycles with an increment since.
    pub incremented: u64,
    /// The last of them, with their increments, oldest first.
    pub increments: VecDeque<(u64, u16)>,
    /// The last addition that carries out of the counter, lost ones among them.
    pub carry: Option<Carry>,
    /// The last write of the overflow flag: its cycle, and whether it sets the flag.
    pub flag_write: Option<(u64, bool)>,
    /// The last cycle in which the overflow flag was read and the RTL agreed.
    pub flag_read: Option<u64>,
    /// The cycle from which on carries and reads of the flag are looked at: of a reset, if `from_reset`.
    pub from: u64,
    /// Whether that is a reset.
    pub from_reset: bool,
}

/// Takes the record of a cycle.
#[derive(Debug, Default)]
struct Last(Option<CycleRecord>);

impl Tracer for Last {
    const ACTIVE: bool = true;

    fn record(&mut self, record: CycleRecord) {
        self.0 = Some(record);
    }
}

/// What became of counters `of`, number 31 the cycle counter, before cycle `about`: from the reset with which the
/// recording of `replay` begins, else from the start of its window.
pub fn histories(replay: &Replay, about: u64, of: &[usize]) -> Vec<History> {
    let recording = &replay.recording;
    let fresh = Model::new(replay.window.model.implementation());
    match fresh {
        Ok(model) if recording.divergent < recording.inputs.len() => {
            along(model, recording, about, of)
        }
        _ => {
            let window = of_window(&replay.window);
            along(replay.window.start.clone(), &window, about, of)
        }
    }
}

/// The cycles of a window, with their outputs beside them.
fn of_window(window: &Window) -> Recording {
    let cycles = window.cycles.iter();
    let (inputs, rtl) = cycles.map(|cycle| (cycle.input, cycle.rtl)).unzip();
    let mut recording = Recording {
        first: window.first,
        inputs,
        rtl,
        ..Recording::default()
    };
    recording.align(window.latency);
    recording
}

/// The histories until cycle `about` of `recording`, at whose first cycle the model is `model`.
fn along(mut model: Model, recording: &Recording, about: u64, of: &[usize]) -> Vec<History> {
    let first = recording.first;
    let start = |&n| History {
        cycle: first,
        known: Known::Start,
        value: model.register(register(n)),
        added: 0,
        incremented: 0,
        increments: VecDeque::with_capacity(INCREMENTS),
        carry: None,
        flag_write: None,
        flag_read: None,
        from: first,
        from_reset: false,
    };
    let mut histories: Vec<History> = of.iter().map(start).collect();
    let cycles = recording.inputs.iter().zip(&recording.rtl);
    for ((input, rtl), cycle) in cycles.zip(first..about) {
        let before: Vec<u64> = of.iter().map(|&n| model.register(register(n))).collect();
        let mut expected = CycleOutput::default();
        let mut unknown = Unknown::default();
        let mut last = Last::default();
        model.step(
            input,
            rtl.random_byte,
            &mut expected,
            &mut unknown,
            &mut last,
        );
        let Some(record) = last.0 else { continue };
        let differing = (expected.access_data ^ rtl.access_data) & !unknown.access_data;
        for ((history, &n), before) in histories.iter_mut().zip(of).zip(before) {
            history.step(&Cycle {
                cycle,
                n,
                before,
                after: model.register(register(n)),
                record: &record,
                differing,
            });
        }
    }
    histories
}

/// A cycle of a counter.
struct Cycle<'a> {
    cycle: u64,
    n: usize,
    /// The counter at its start, and at its end.
    before: u64,
    after: u64,
    record: &'a CycleRecord,
    /// Bits of the data of a read that differ.
    differing: u64,
}

impl History {
    fn step(&mut self, cycle: &Cycle) {
        let &Cycle {
            cycle: number,
            n,
            before,
            after,
            record,
            differing,
        } = cycle;
        if record.reset {
            self.knows(Known::Set, number + 1, after);
            self.carry = None;
            self.flag_write = None;
            self.flag_read = None;
            self.from = number;
            self.from_reset = true;
            return;
        }
        match record.access {
            Access::Read(target) if target == register(n) && differing == 0 => {
                self.knows(Known::Read, number, before);
            }
            Access::Read(SysReg::Pmovsset | SysReg::Pmovsclr) if differing >> n & 1 == 0 => {
                self.flag_read = Some(number);
            }
            _ => {}
        }
        if let Some(sets) = writes_flag(record, n) {
            self.flag_write = Some((number, sets));
        }
        let v = record.values.v[n];
        let lost = record.written >> n & 1 == 1;
        if let Some(carry) = carry(cycle, v, lost) {
            self.carry = Some(carry);
        }
        if lost {
            self.knows(Known::Set, number + 1, after);
        } else if v > 0 {
            self.added = self.added.wrapping_add(v.into());
            self.incremented += 1;
            if self.increments.len() == INCREMENTS {
                self.increments.pop_front();
            }
            self.increments.push_back((number, v));
        }
    }

    /// Begins anew with a value that is known.
    fn knows(&mut self, known: Known, cycle: u64, value: u64) {
        self.known = known;
        self.cycle = cycle;
        self.value = value;
        self.added = 0;
        self.incremented = 0;
        self.increments.clear();
    }
}

/// DUT-22: the addition of a cycle, if it carries out of the counter, or would do so but for a write.
fn carry(cycle: &Cycle, v: u16, lost: bool) -> Option<Carry> {
    let &Cycle {
        n, before, record, ..
    } = cycle;
    let (value, bit) = if n == CYCLE_COUNTER || record.long {
        (before, 63)
    } else {
        (before & 0xFFFF_FFFF, 31)
    };
    let carries = match lost {
        true => (u128::from(value) + u128::from(v)) >> (bit + 1) != 0,
        false => record.overflow >> n & 1 == 1,
    };
    carries.then(|| Carry {
        cycle: cycle.cycle,
        value,
        v,
        bit,
        lost,
        flag_written: writes_flag(record, n).is_some(),
    })
}

/// Whether a cycle writes the overflow flag of counter `n`, and then whether it sets it.
fn writes_flag(record: &CycleRecord, n: usize) -> Option<bool> {
    let (flags, sets) = match record.access {
        Access::Write(_, Write::SetFlags(flags)) => (flags, true),
        Access::Write(_, Write::ClearFlags(flags)) => (flags, false),
        _ => return None,
    };
    (flags >> n & 1 == 1).then_some(sets)
}

/// The register that is counter `n`.
fn register(n: usize) -> SysReg {
    SysReg::pmevcntr(n as u8).unwrap_or(SysReg::Pmccntr)
}
