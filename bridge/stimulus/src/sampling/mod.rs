//! Area spe: operations, completing samples, and whether profiling is enabled.

mod expected;
pub(super) mod scripts;

use pmu_model::CycleInput;
use pmu_model::contract::MAX_OPERATIONS;

use super::context::{Context, pause};
use super::facts::Facts;
use super::profile::{CompletionKind, RateKind, SpeArea};
use super::queue::Op;
use super::random::{Bits, Menu};
use super::registers::PMSICR;
use expected::Expected;

/// The profile's part, as tables.
#[derive(Debug)]
pub(super) struct Tables {
    area: SpeArea,
    rates: Menu,
    completions: Menu,
    pub(super) scripts: Menu,
    /// Out of 1024 cycles, how many change `profiling`.
    pub(super) change: u32,
}

impl Tables {
    pub(super) fn new(area: &SpeArea) -> Self {
        Self {
            area: area.clone(),
            rates: Menu::new(&area.rates.weights()),
            completions: Menu::new(&area.completions.weights()),
            scripts: Menu::new(&area.accesses.weights()),
            change: area.change.into(),
        }
    }
}

/// The area's own state.
#[derive(Clone, Debug)]
pub(super) struct Sampling {
    /// The cycle that the next phase begins in.
    pub(super) phase_end: u64,
    /// What the cycles of the phase choose from.
    palette: [Inputs; 16],
    /// [`CycleInput::profiling`] while nothing is timed.
    profiling: u8,
    enabled: bool,
    routing: u8,
    /// Cycles of discarding that are left, cycles before profiling is enabled again, and the more of both.
    discard: u32,
    pause: u32,
    timed: u32,
    /// Profiling is disabled as soon as COUNT is zero (A-SPE-12).
    disable_at_zero: bool,
    /// An access that waits for a selection, or for a collision.
    coincidence: Option<(Op, bool)>,
    /// What the registers hold, as far as can be told without the random bytes.
    expected: Expected,
}

/// What a cycle brings for Statistical Profiling.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inputs {
    pub(super) operations: u8,
    pub(super) complete: u8,
    pub(super) filtered_out: u8,
    pub(super) profiling: u8,
}

impl Sampling {
    pub(super) fn new() -> Self {
        Self {
            phase_end: 0,
            palette: [Inputs::default(); 16],
            profiling: 0,
            enabled: false,
            routing: 0,
            discard: 0,
            pause: 0,
            timed: 0,
            disable_at_zero: false,
            coincidence: None,
            expected: Expected::default(),
        }
    }

    /// After a reset: with INTERVAL = 0 profiling is not enabled, because all that follows would be UNKNOWN.
    pub(super) fn reset(&mut self) {
        self.expected = Expected::default();
        self.coincidence = None;
        self.enabled = true;
        self.pause = 0;
        self.settle();
    }

    /// Remembers a write of `address`.
    pub(super) fn write(&mut self, address: u16, data: u64, reset_is_near: bool) {
        self.expected.write(address, data, reset_is_near);
        self.settle();
    }

    /// The inputs of a cycle from 4 random bits. A PE that is halted profiles nothing.
    #[inline(always)]
    pub(super) fn draw(&mut self, choice: u64, halted: bool) -> Inputs {
        let mut inputs = self.palette[(choice & 15) as usize];
        inputs.profiling = self.profiling;
        if self.timed > 0 {
            inputs.profiling = self.pass_time();
        }
        if halted {
            inputs.operations = 0;
            inputs.profiling &= !CycleInput::PROFILING_ENABLED;
        }
        inputs
    }

    /// `profiling` of a cycle while something is timed.
    #[inline(never)]
    fn pass_time(&mut self) -> u8 {
        let mut profiling = self.profiling;
        if self.pause > 0 {
            profiling &= !CycleInput::PROFILING_ENABLED;
        }
        if self.discard > 0 {
            profiling |= CycleInput::DISCARD;
        }
        self.pause = self.pause.saturating_sub(1);
        self.discard = self.discard.saturating_sub(1);
        self.timed -= 1;
        profiling
    }

    /// What follows from what has changed.
    fn settle(&mut self) {
        let enabled = self.enabled && self.expected.is_known;
        self.profiling = self.routing | (u8::from(enabled) * CycleInput::PROFILING_ENABLED);
        self.timed = self.pause.max(self.discard);
    }

    /// What a cycle does to the counters, and the access that is to be made in it, if it brings the coincidence that one
    /// waits for.
    #[inline(always)]
    pub(super) fn count(&mut self, inputs: &Inputs, facts: &Facts) -> Option<Op> {
        let (selects, collides) = self.expected.count(inputs, facts);
        if !selects && !self.disable_at_zero {
            return None;
        }
        self.coincide_now(selects, collides)
    }

    #[inline(never)]
    fn coincide_now(&mut self, selects: bool, collides: bool) -> Option<Op> {
        if self.disable_at_zero && self.expected.is_zero() {
            (self.disable_at_zero, self.pause) = (false, 3);
            self.settle();
        }
        match self.coincidence {
            Some((op, needs_collision)) if selects && (collides || !needs_collision) => {
                self.coincidence = None;
                Some(op)
            }
            _ => None,
        }
    }

    /// Begins a phase in cycle `now`.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_phase(&mut self, now: u64, tables: &Tables, context: &mut Context) {
        let area = &tables.area;
        let mut bits = context.words.bits();
        let range = u32::from(area.longest - area.shortest) + 1;
        self.phase_end = now + u64::from(u32::from(area.shortest) + bits.below(range));
        let rate = RateKind::ALL[tables.rates.choose(bits.take(8) as u8)];
        let completion = CompletionKind::ALL[tables.completions.choose(bits.take(8) as u8)];
        let filters = bits.take(2);
        if bits.take(1) == 0 {
            self.route(bits);
            self.settle();
        }
        let mut values = [
            context.words.bits(),
            context.words.bits(),
            context.words.bits(),
        ];
        for i in 0..16 {
            let [operations, complete, filtered_out] =
                values.each_mut().map(|bits| bits.take(4) as u8);
            let operations = match rate {
                RateKind::None => u8::from(operations == 0 && i == 0),
                RateKind::One => operations & 1,
                RateKind::Few => operations & 3,
                RateKind::Many => operations,
                RateKind::Full if i > 0 => MAX_OPERATIONS,
                RateKind::Full => operations,
                RateKind::Burst => MAX_OPERATIONS * u8::from(i == 0),
            };
            let complete = match completion {
                CompletionKind::None => 0,
                CompletionKind::Rare => u8::from(i == 0),
                CompletionKind::Even => u8::from(complete & 3 == 0),
                CompletionKind::Many => complete,
            };
            let filtered_out = match filters {
                0 => 0,
                1 => filtered_out & 1,
                2 => filtered_out & 3,
                _ => filtered_out,
            };
            self.palette[i] = Inputs {
                operations,
                complete,
                filtered_out,
                profiling: 0,
            };
        }
    }

    /// A change of `profiling`.
    #[inline(never)]
    pub(super) fn change(&mut self, context: &mut Context) {
        let mut bits = context.words.bits();
        match bits.take(4) {
            0..=5 => self.restart(bits, context),
            6 | 7 => self.disable_at_zero = true,
            8 => self.enabled = false,
            9 | 10 => self.enabled = true,
            11 => self.discard = 1,
            12 => {
                // What has been collected is discarded when profiling is stopped.
                self.discard = 1 + bits.take(3);
                self.pause = self.pause.max(self.discard);
            }
            13 => self.routing = 0,
            _ => self.route(bits),
        }
        self.settle();
    }

    /// Effective MDCR_EL3.PMSEE and PMSCR_EL2.EE; EE is 3 in most cases, because only then COLL of EL2 can be set.
    fn route(&mut self, mut bits: Bits) {
        let pmsee = bits.take(2) as u8;
        let ee = if bits.take(1) == 0 {
            3
        } else {
            bits.take(2) as u8
        };
        self.routing = pmsee << 2 | ee << 4;
    }

    /// Profiling is disabled for some cycles; in half of the cases PMSICR_EL1 is written meanwhile.
    fn restart(&mut self, mut bits: Bits, context: &mut Context) {
        self.enabled = true;
        self.pause = 1 + pause(&mut bits);
        if bits.take(1) == 0 {
            let data = context.interval_counters();
            context.queue.push(Op::write_at(PMSICR, data));
            self.pause += 1;
        }
        self.settle();
    }
}
