//! Area spe: operations, completing samples, and whether profiling is enabled.

mod expected;
pub(super) mod scripts;

use pmu_model::CycleInput;
use pmu_model::contract::MAX_OPERATIONS;

use super::context::{Context, pause};
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
}

impl Tables {
    pub(super) fn new(area: &SpeArea) -> Self {
        Self {
            area: area.clone(),
            rates: Menu::new(&area.rates.weights()),
            completions: Menu::new(&area.completions.weights()),
            scripts: Menu::new(&area.accesses.weights()),
        }
    }
}

/// The area's own state.
#[derive(Clone, Debug)]
pub(super) struct Sampling {
    /// Cycles before the next phase.
    phase_left: u32,
    /// What the cycles of the phase choose from.
    operations: [u8; 16],
    complete: [u8; 16],
    filtered_out: [u8; 16],
    /// What is wanted of [`CycleInput::profiling`].
    enabled: bool,
    routing: u8,
    /// Cycles of discarding that are left.
    discard: u32,
    /// Cycles before profiling is enabled again.
    pause: u32,
    /// Profiling is disabled as soon as COUNT is zero (A-SPE-12).
    disable_at_zero: bool,
    /// An access that waits for a selection, or for a collision.
    coincidence: Option<(Op, bool)>,
    /// What the registers hold, as far as can be told without the random bytes.
    pub(super) expected: Expected,
}

/// What a cycle brings for Statistical Profiling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inputs {
    pub(super) operations: u8,
    pub(super) complete: u8,
    pub(super) filtered_out: u8,
    pub(super) profiling: u8,
}

impl Inputs {
    pub(super) const NONE: Self = Self {
        operations: 0,
        complete: 0,
        filtered_out: 0,
        profiling: 0,
    };
}

impl Sampling {
    pub(super) fn new() -> Self {
        Self {
            phase_left: 0,
            operations: [0; 16],
            complete: [0; 16],
            filtered_out: [0; 16],
            enabled: false,
            routing: 0,
            discard: 0,
            pause: 0,
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
    }

    /// The inputs of a cycle from 22 random bits: three choices of 4 bits, and whether `profiling` changes. A PE that is
    /// halted profiles nothing.
    #[inline(always)]
    pub(super) fn draw(
        &mut self,
        choices: u64,
        changes: bool,
        halted: bool,
        tables: &Tables,
        context: &mut Context,
    ) -> Inputs {
        if self.phase_left == 0 {
            self.begin_phase(tables, context);
        }
        self.phase_left -= 1;
        if changes {
            self.change(context);
        }
        self.pause = self.pause.saturating_sub(1);
        let enabled = self.enabled && self.pause == 0 && self.expected.is_known && !halted;
        let discards = self.discard > 0;
        self.discard = self.discard.saturating_sub(1);
        let choice = |table: &[u8; 16], at: u32| table[(choices >> at & 15) as usize];
        Inputs {
            operations: if halted {
                0
            } else {
                choice(&self.operations, 0)
            },
            complete: choice(&self.complete, 4),
            filtered_out: choice(&self.filtered_out, 8),
            profiling: self.routing
                | u8::from(enabled) * CycleInput::PROFILING_ENABLED
                | u8::from(discards) * CycleInput::DISCARD,
        }
    }

    /// What a cycle does to the counters, and the access that is to be made in it, if it brings the coincidence that one
    /// waits for.
    #[inline(always)]
    pub(super) fn count(&mut self, inputs: &Inputs, context: &Context) -> Option<Op> {
        let (selects, collides) = self.expected.count(inputs, &context.facts);
        if self.disable_at_zero && self.expected.is_zero() {
            (self.disable_at_zero, self.pause) = (false, 3);
        }
        match self.coincidence {
            Some((op, needs_collision)) if selects && (collides || !needs_collision) => {
                self.coincidence = None;
                Some(op)
            }
            _ => None,
        }
    }

    #[cold]
    #[inline(never)]
    fn begin_phase(&mut self, tables: &Tables, context: &mut Context) {
        let area = &tables.area;
        let mut bits = context.words.bits();
        let range = u32::from(area.longest - area.shortest) + 1;
        self.phase_left = u32::from(area.shortest) + bits.below(range);
        let rate = RateKind::ALL[tables.rates.choose(bits.take(8) as u8)];
        let completion = CompletionKind::ALL[tables.completions.choose(bits.take(8) as u8)];
        let filters = bits.take(2);
        let mut values = [
            context.words.bits(),
            context.words.bits(),
            context.words.bits(),
        ];
        for i in 0..16 {
            let [operations, complete, filtered_out] =
                values.each_mut().map(|bits| bits.take(4) as u8);
            self.operations[i] = match rate {
                RateKind::None => u8::from(operations == 0 && i == 0),
                RateKind::One => operations & 1,
                RateKind::Few => operations & 3,
                RateKind::Many => operations,
                RateKind::Full if i > 0 => MAX_OPERATIONS,
                RateKind::Full => operations,
                RateKind::Burst => MAX_OPERATIONS * u8::from(i == 0),
            };
            self.complete[i] = match completion {
                CompletionKind::None => 0,
                CompletionKind::Rare => u8::from(i == 0),
                CompletionKind::Even => complete & 3,
                CompletionKind::Many => complete,
            };
            self.filtered_out[i] = match filters {
                0 => 0,
                1 => filtered_out & 1,
                2 => filtered_out & 3,
                _ => filtered_out,
            };
        }
    }

    /// A change of `profiling`.
    #[inline(never)]
    fn change(&mut self, context: &mut Context) {
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
            _ => self.routing = (bits.take(4) << 2) as u8,
        }
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
    }
}
