//! Area access: the states of the threads, and the controls that decide about accesses.

pub(super) mod scripts;
mod states;

use pmu_model::contract::{THREADS, Thread, control};
use pmu_model::{CycleInput, Implementation};

use super::context::Context;
use super::cycles::Pair;
use super::profile::{AccessArea, AccessMode};
use super::random::{Bits, Menu};
use states::States;

/// Controls that refuse nothing.
const OPEN: u32 = control::USERENR_EN
    | control::FGTEN
    | control::FGTEN2
    | control::NOT_TRAPPED_SPMID
    | control::NOT_TRAPPED_SPMDEVAFF
    | control::MDCR_EL2_ENSPM
    | control::MDCR_EL3_ENPM2
    | control::MDCR_EL3_MTPME
    | control::MDCR_EL2_MTPME;
/// All controls.
const ALL: u32 = (1 << control::NAMES.len()) - 1;

/// The profile's and the implementation's part, as tables.
#[derive(Debug)]
pub(super) struct Tables {
    area: AccessArea,
    states: States,
    kinds: Menu,
    pub(super) scripts: Menu,
}

impl Tables {
    pub(super) fn new(area: &AccessArea, implementation: &Implementation) -> Self {
        Self {
            area: area.clone(),
            states: States::of(implementation),
            kinds: Menu::new(&area.kinds.weights()),
            scripts: Menu::new(&area.accesses.weights()),
        }
    }
}

/// The area's own state: what is driven, and how it changes.
#[derive(Clone, Debug)]
pub(super) struct Access {
    mode: AccessMode,
    /// The cycle that the next phase begins in.
    pub(super) phase_end: u64,
    /// Out of 1024 cycles, how many change something.
    change: u32,
    /// SCR_EL3.EEL2, and EL2 enabled where it does not matter.
    secure_el2: bool,
    any_el2: bool,
    states: [u8; THREADS],
    /// The same where they are in the threads of a cycle.
    pub(super) states_in_place: [Pair; THREADS / 2],
    pub(super) hpmn: u8,
    controls: u32,
    pmuacr: u32,
    /// SPMACCESSR_EL2 and SPMACCESSR_EL3.
    spmaccessr: [u64; 2],
}

impl Access {
    pub(super) fn new() -> Self {
        Self {
            mode: AccessMode::Open,
            phase_end: 0,
            change: 0,
            secure_el2: false,
            any_el2: false,
            states: [0; THREADS],
            states_in_place: [0; THREADS / 2],
            controls: 0,
            hpmn: 0,
            pmuacr: 0,
            spmaccessr: [0; 2],
        }
    }

    /// Bit 0 of `driven`.
    #[inline(always)]
    pub(super) fn driven(&self) -> u8 {
        u8::from(self.mode != AccessMode::Undriven) * CycleInput::DRIVEN_PE
    }

    /// The PE is in Debug state.
    #[inline(always)]
    pub(super) fn is_halted(&self) -> bool {
        self.controls & control::HALTED != 0 && self.mode != AccessMode::Undriven
    }

    /// Writes what is driven, but for the threads' states.
    #[inline(always)]
    pub(super) fn drive(&self, input: &mut CycleInput) {
        input.hpmn = self.hpmn;
        input.controls = self.controls;
        input.pmuacr = self.pmuacr;
        input.spmaccessr_el2 = self.spmaccessr[0];
        input.spmaccessr_el3 = self.spmaccessr[1];
    }

    /// Goes on by a cycle, with 10 random bits.
    #[inline(always)]
    pub(super) fn advance(&mut self, random: u32, tables: &Tables, context: &mut Context) {
        if random < self.change {
            self.change(tables, context);
        }
    }

    /// After a reset in the cycle before `now`: the highest level, and a phase in which it can do its work.
    #[cold]
    pub(super) fn reset(&mut self, now: u64, tables: &Tables, context: &mut Context) {
        self.states = [tables.states.highest; THREADS];
        self.begin(Some(AccessMode::Open), now, tables, context);
    }

    /// Begins a phase in cycle `now`.
    #[cold]
    pub(super) fn begin_phase(&mut self, now: u64, tables: &Tables, context: &mut Context) {
        self.begin(None, now, tables, context);
    }

    #[inline(never)]
    fn begin(
        &mut self,
        mode: Option<AccessMode>,
        now: u64,
        tables: &Tables,
        context: &mut Context,
    ) {
        let area = &tables.area;
        let mut bits = context.words.bits();
        let range = u32::from(area.longest - area.shortest) + 1;
        self.phase_end = now + u64::from(u32::from(area.shortest) + bits.below(range));
        let drawn = AccessMode::ALL[tables.kinds.choose(bits.take(8) as u8)];
        self.mode = mode.unwrap_or(drawn);
        self.change = u32::from(match self.mode {
            AccessMode::Wild => area.wild,
            _ => area.change,
        });
        let random = context.words.next();
        self.open(random, context);
        match self.mode {
            AccessMode::Open => {}
            AccessMode::Defect => self.defects(context),
            AccessMode::Mixed => {
                let flips = context.words.next();
                // Each control refuses in a quarter of the cases.
                self.controls ^= (flips & flips >> 32) as u32 & ALL & !control::HALTED;
                self.limits(context);
            }
            AccessMode::Wild | AccessMode::Undriven => self.wild(tables, context),
            AccessMode::Debug => {
                if bits.take(2) > 0 {
                    self.defects(context);
                }
                self.controls |= control::HALTED;
                if bits.take(2) > 0 {
                    self.controls |= control::EDSCR_SDD;
                }
                if bits.take(1) > 0 {
                    // What is UNDEFINED with SDD instead of trapped to EL3.
                    self.controls |= control::MDCR_EL3_TPM;
                    self.controls &= !control::MDCR_EL3_ENPM2;
                }
            }
        }
        self.settle(tables, context);
    }

    /// A change in mid-phase: mostly a thread takes an exception, or returns from one.
    #[inline(never)]
    fn change(&mut self, tables: &Tables, context: &mut Context) {
        if self.mode == AccessMode::Wild {
            self.wild(tables, context);
            return self.settle(tables, context);
        }
        let mut bits = context.words.bits();
        match (self.mode, bits.take(4)) {
            (_, 0..=10) => self.move_thread(bits, tables),
            (_, 11) => {
                let any = bits.take(2);
                (self.any_el2, self.secure_el2) = (any & 1 == 1, any & 2 == 2);
            }
            (AccessMode::Defect | AccessMode::Debug, _) => {
                let halted = self.controls & (control::HALTED | control::EDSCR_SDD);
                let random = context.words.next();
                self.open(random, context);
                self.defects(context);
                self.controls |= halted;
            }
            (AccessMode::Mixed, 12 | 13) => {
                let flip = 1 << bits.below(control::NAMES.len() as u32);
                self.controls ^= flip & !control::HALTED;
            }
            (AccessMode::Mixed, _) => self.limits(context),
            _ => {
                let random = context.words.next();
                self.open(random, context);
            }
        }
        self.settle(tables, context);
    }

    /// An exception, an exception return, or a change of Streaming mode. It is that of thread 0 in half of the cases.
    fn move_thread(&mut self, mut bits: Bits, tables: &Tables) {
        let thread = match bits.take(1) {
            0 => 0,
            _ => bits.take(2) as usize,
        };
        let state = &mut self.states[thread];
        let streaming = *state & Thread::STREAMING;
        match bits.take(3) {
            0 if tables.states.has_streaming => *state ^= Thread::STREAMING,
            kind => {
                // There is nothing above EL3.
                let up = kind & 1 == 1 && *state & 3 != 3;
                let ways = tables.states.ways(*state, up);
                *state = ways[bits.below(ways.len() as u32) as usize] | streaming;
            }
        }
    }

    /// Controls that refuse nothing. HCR_EL2.{E2H, TGE} and what has no effect then are random.
    fn open(&mut self, random: u64, context: &Context) {
        let without_effect = control::E2H
            | control::TGE
            | control::USERENR_UEN
            | control::MDCR_EL3_MTPME
            | control::MDCR_EL2_MTPME
            | control::EDSCR_SDD;
        self.controls = OPEN ^ ((random & random >> 32) as u32 & without_effect);
        self.hpmn = context.facts.counters as u8;
        self.pmuacr = u32::MAX;
        self.spmaccessr = [u64::MAX, u64::MAX];
    }

    /// Something is refused: one thing, or in a quarter of the cases two.
    fn defects(&mut self, context: &mut Context) {
        let mut bits = context.words.bits();
        let both = bits.take(2) == 0;
        self.defect(&mut bits, context);
        if both {
            self.defect(&mut bits, context);
        }
    }

    fn defect(&mut self, bits: &mut Bits, context: &mut Context) {
        use control::*;
        let random = bits.take(8);
        match bits.take(4) {
            0 => self.controls &= !USERENR_EN & !USERENR_UEN,
            1 => {
                self.controls &= !USERENR_EN;
                self.controls |= USERENR_UEN;
                self.pmuacr = context.words.next() as u32;
            }
            2 => {
                self.controls |= USERENR_UEN | (USERENR_ER * (random & 1));
                self.pmuacr = (context.words.next() | context.words.next()) as u32;
            }
            3 => {
                self.controls |= HDFGRTR;
                self.controls ^= FGTEN * u32::from(random & 7 == 0);
            }
            4 => {
                self.controls |= HDFGWTR;
                self.controls ^= FGTEN * u32::from(random & 7 == 0);
            }
            5 => self.controls |= MDCR_EL2_TPM,
            6 | 7 => self.controls |= MDCR_EL3_TPM,
            8 | 9 => self.limits(context),
            10 => self.controls &= !MDCR_EL2_ENSPM,
            11 => self.controls &= !MDCR_EL3_ENPM2,
            12 | 13 => {
                // The System PMU that is selected, or any.
                let own = 0b11u64 << (2 * (context.shadow.system_pmu & 31));
                let which = (random & 1) as usize;
                self.spmaccessr[which] = match random >> 1 & 3 {
                    0 => 0,
                    1 => context.words.next(),
                    _ => !own,
                };
            }
            14 => {
                self.controls &= !match random & 3 {
                    0 => FGTEN2,
                    1 => NOT_TRAPPED_SPMID,
                    2 => NOT_TRAPPED_SPMDEVAFF,
                    _ => NOT_TRAPPED_SPMID | NOT_TRAPPED_SPMDEVAFF,
                };
            }
            _ => {
                // An access from EL0 that HCR_EL2.TGE sends to EL2.
                self.controls &= !USERENR_EN & !USERENR_UEN;
                self.controls |= TGE | (E2H * (random & 1));
            }
        }
    }

    /// MDCR_EL2.HPMN around the number of counters, and PMUACR_EL1.
    fn limits(&mut self, context: &mut Context) {
        let counters = context.facts.counters;
        let mut bits = context.words.bits();
        self.hpmn = match bits.take(3) {
            0 => counters,
            1 => counters.saturating_sub(1),
            2 => (counters + 1).min(31),
            3 => 0,
            4 | 5 => bits.take(5),
            _ => bits.below(counters + 1),
        } as u8;
        self.pmuacr = match bits.take(2) {
            0 => u32::MAX,
            1 => !(1 << bits.take(5)),
            2 => 0,
            _ => context.words.next() as u32,
        };
    }

    /// Any legal states and any controls. Debug state, in which nothing counts, is rarer.
    fn wild(&mut self, tables: &Tables, context: &mut Context) {
        let mut bits = context.words.bits();
        let all = &tables.states.all;
        for state in &mut self.states {
            let choice = (bits.take(8) * all.len() as u32) >> 8;
            *state = all[choice as usize];
            if tables.states.has_streaming {
                *state |= bits.take(1) as u8 * Thread::STREAMING;
            }
        }
        (self.any_el2, self.secure_el2) = (bits.take(1) == 1, bits.take(1) == 1);
        let halted = bits.take(3) == 0;
        let random = context.words.next();
        self.controls = random as u32 & ALL;
        if !halted {
            self.controls &= !control::HALTED;
        }
        self.hpmn = (random >> 32) as u8 & 31;
        // Words that are rotated are other words enough.
        self.pmuacr = (random >> 27) as u32;
        self.spmaccessr = [random.rotate_left(17), random.rotate_left(41)];
    }

    /// What follows from states and controls.
    fn settle(&mut self, tables: &Tables, context: &mut Context) {
        use control::*;
        let [first, second, third, fourth] = self.states.map(Pair::from);
        self.states_in_place = [first | second << 32, third | fourth << 32];
        let state = self.states[0];
        let enabled = tables
            .states
            .el2_enabled(state, self.secure_el2, self.any_el2);
        self.controls = self.controls & !EL2_ENABLED | (u32::from(enabled) * EL2_ENABLED);
        let has = |bit: u32| self.controls & bit != 0;
        let below_el2 =
            has(MDCR_EL2_TPM | HDFGRTR | HDFGWTR) || u32::from(self.hpmn) < context.facts.counters;
        let refuses = match state & 3 {
            3 => false,
            2 => has(MDCR_EL3_TPM),
            1 => has(MDCR_EL3_TPM) || below_el2,
            _ => {
                let el0 = !has(USERENR_EN) || has(USERENR_ER) || self.pmuacr != u32::MAX;
                has(MDCR_EL3_TPM) || below_el2 || el0
            }
        };
        context.hpmn = self.hpmn;
        context.is_open = !refuses || self.mode == AccessMode::Undriven;
    }
}
