//! Area cycles: conditions and counts of the threads, and the clock.

pub(super) mod scripts;

use pmu_model::contract::{THREADS, Thread};
use pmu_model::implementation::ThreadForm;

use super::context::Context;
use super::facts::Facts;
use super::profile::{CyclesArea, CyclesMode};
use super::random::Menu;

/// Conditions that a choice decides: not ACTIVE and WFX, which are those of the thread.
const CHOSEN: u8 = Thread::STALL
    | Thread::STALL_FRONTEND
    | Thread::STALL_BACKEND
    | Thread::SECOND
    | Thread::CONDITION;

/// The profile's part, as tables.
#[derive(Debug)]
pub(super) struct Tables {
    area: CyclesArea,
    kinds: Menu,
    pub(super) scripts: Menu,
}

impl Tables {
    pub(super) fn new(area: &CyclesArea) -> Self {
        Self {
            area: area.clone(),
            kinds: Menu::new(&area.kinds.weights()),
            scripts: Menu::new(&area.accesses.weights()),
        }
    }
}

/// Two threads that follow each other, from bit 0; each as in [`Thread`]: state, conditions, count.
pub(super) type Pair = u64;

/// The area's own state.
#[derive(Clone, Debug)]
pub(super) struct Cycles {
    mode: CyclesMode,
    /// The cycle that the next phase begins in.
    pub(super) phase_end: u64,
    /// What two threads in a cycle of the phase choose from, 4 bits each: conditions and counts, in place.
    palette: [Pair; 256],
    /// ACTIVE and WFX of each thread, in place; beyond the threads of the implementation anything.
    own: [Pair; THREADS / 2],
    /// Threads in WFI or WFE state, and those of them that are not active then.
    waiting: u32,
    inactive: u32,
    /// FGMT, SoEMT: the thread that is active; one that does not exist is none.
    turn: usize,
    /// Cycles that the clock is stopped.
    stopped: u32,
}

impl Cycles {
    pub(super) fn new() -> Self {
        Self {
            mode: CyclesMode::Undriven,
            phase_end: 0,
            palette: [0; 256],
            own: [0; THREADS / 2],
            waiting: 0,
            inactive: 0,
            turn: 0,
            stopped: 0,
        }
    }

    /// Bit 1 of `driven`.
    #[inline(always)]
    pub(super) fn driven(&self) -> u8 {
        u8::from(self.mode != CyclesMode::Undriven) * pmu_model::CycleInput::DRIVEN_THREADS
    }

    /// Goes on by a cycle, with 10 random bits of which `spent` are another area's.
    ///
    /// # Returns
    /// Whether the clock is stopped.
    #[inline(always)]
    pub(super) fn advance(
        &mut self,
        random: u32,
        spent: u32,
        tables: &Tables,
        context: &mut Context,
    ) -> bool {
        let area = &tables.area;
        let changes = spent + u32::from(area.change);
        if random < changes + u32::from(area.stop) && random >= spent {
            if random < changes {
                self.change(context);
            } else {
                self.stop(context);
            }
        }
        let stopped = self.stopped > 0;
        self.stopped -= u32::from(stopped);
        stopped
    }

    /// The threads of a cycle from 20 random bits, without their states: a choice of 4 bits for each.
    #[inline(always)]
    pub(super) fn draw(&mut self, choices: u32, facts: &Facts) -> [Pair; THREADS / 2] {
        let choice = |pair: usize| usize::from((choices >> (8 * pair)) as u8);
        let mut threads = [0, 1].map(|pair| self.own[pair] | self.palette[choice(pair)]);
        if facts.form != ThreadForm::Smt {
            self.take_turns(choices, facts);
            if self.turn < facts.threads {
                let active = in_place(self.turn % THREADS, Thread::ACTIVE);
                threads[self.turn / 2 % 2] |= active;
            }
        }
        threads
    }

    /// The thread that is active in the next cycle.
    #[inline(never)]
    fn take_turns(&mut self, choices: u32, facts: &Facts) {
        let count = facts.threads;
        match facts.form {
            ThreadForm::Smt => {}
            ThreadForm::Fgmt if self.turn + 1 >= count => self.turn = 0,
            ThreadForm::Fgmt => self.turn += 1,
            // A long-latency event, or its end.
            ThreadForm::SoEmt if choices & 15 == 15 => {
                self.turn = match (self.turn >= count, choices >> 16 & 3) {
                    (false, 0) => count,
                    (_, other) => other as usize % count,
                };
            }
            ThreadForm::SoEmt => {}
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
        self.mode = CyclesMode::ALL[tables.kinds.choose(bits.take(8) as u8)];
        let counts = bits.take(3);
        let mut palette = [0; 16];
        for choice in &mut palette {
            let mut bits = context.words.bits();
            let stalls = bits.take(4);
            let others = (bits.take(2) as u8) << 5;
            let either = [
                Thread::STALL_FRONTEND,
                Thread::STALL_BACKEND,
                Thread::STALL_FRONTEND | Thread::STALL_BACKEND,
                0,
            ][bits.take(2) as usize];
            let any = (bits.take(8) as u8) & CHOSEN;
            // STALL is that no operation is sent: it goes with a stall of either end.
            let conditions = match (self.mode, stalls) {
                (CyclesMode::Calm, 4..) => others,
                (CyclesMode::Frontend, 4..) => Thread::STALL | Thread::STALL_FRONTEND | others,
                (CyclesMode::Backend, 4..) => Thread::STALL | Thread::STALL_BACKEND | others,
                (CyclesMode::Stalled, 1..) => {
                    Thread::STALL | Thread::STALL_FRONTEND | Thread::STALL_BACKEND | others
                }
                (CyclesMode::Wild | CyclesMode::Undriven, _) => any,
                (_, 0) => any,
                _ if either == 0 => others,
                _ => Thread::STALL | either | others,
            };
            let count = bits.take(16);
            let count = match counts {
                0 => 0,
                1 => count & 1,
                2 | 3 => count & 7,
                4 => count & 0xFF,
                5 => 0xFFFF - (count & 3),
                _ => count,
            };
            *choice = Pair::from(conditions) << 8 | Pair::from(count) << 16;
        }
        for (row, second) in self.palette.chunks_exact_mut(16).zip(palette) {
            for (pair, first) in row.iter_mut().zip(palette) {
                *pair = second << 32 | first;
            }
        }
        self.settle(context);
    }

    /// Threads go into WFI or WFE state, or come out of it.
    #[inline(never)]
    fn change(&mut self, context: &mut Context) {
        let mut bits = context.words.bits();
        let all = (1 << context.facts.threads) - 1;
        self.waiting = match bits.take(3) {
            0..=2 => self.waiting ^ 1 << bits.below(context.facts.threads as u32),
            3 => all,
            4 | 5 => 0,
            6 => 1,
            _ => all & !1,
        };
        // In a quarter of the cases: CYC-06 leaves it to the implementation.
        self.inactive = bits.take(4) & bits.take(4);
        self.settle(context);
    }

    /// The clock stops.
    #[inline(never)]
    fn stop(&mut self, context: &mut Context) {
        let mut bits = context.words.bits();
        self.stopped = 1 + match bits.take(3) {
            0..=2 => 0,
            3..=5 => bits.take(2),
            6 => bits.take(4),
            _ => bits.take(6),
        };
    }

    /// ACTIVE and WFX of each thread.
    fn settle(&mut self, context: &mut Context) {
        let facts = &context.facts;
        let mut beyond = context.words.bits();
        self.own = [0; THREADS / 2];
        for t in 0..THREADS {
            let waits = self.waiting >> t & 1 == 1;
            let is_active =
                facts.form == ThreadForm::Smt && !(waits && self.inactive >> t & 1 == 1);
            let own = (u8::from(is_active) * Thread::ACTIVE) | (u8::from(waits) * Thread::WFX);
            let any = beyond.take(2) as u8;
            self.own[t / 2] |= in_place(t, if t < facts.threads { own } else { any });
        }
    }
}

/// The conditions of thread `t` in its pair.
fn in_place(t: usize, conditions: u8) -> Pair {
    Pair::from(conditions) << (8 + 32 * (t % 2))
}

const _: () = assert!(THREADS == 4);
