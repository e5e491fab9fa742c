//! Stimulus for a design that does not take all of the contract: DUT-70 to DUT-72.

use std::collections::VecDeque;

use pmu_model::contract::{AccessKind, THREADS, Thread};
use pmu_model::wrapper::{Increments, Wrapper};
use pmu_model::{CycleInput, Implementation, SysReg};

/// Accesses that can wait for their turn; more are dropped.
const WAITING: usize = 8;

/// A register access.
#[derive(Clone, Copy, Debug)]
struct Access {
    kind: u8,
    address: u16,
    data: u64,
}

impl Access {
    /// Whether it writes PMSIRR_EL1 with an INTERVAL other than 0.
    fn sets_interval(&self) -> bool {
        self.kind == AccessKind::Write as u8
            && self.address == SysReg::Pmsirr.address()
            && self.data as u32 >> 8 != 0
    }
}

/// Takes from cycles what a design does not have, and keeps register accesses apart.
#[derive(Clone, Debug)]
pub(super) struct Restriction {
    wrapper: Wrapper,
    /// Accesses that came too soon, in order.
    waiting: VecDeque<Access>,
    /// Cycles before the next access.
    pause: u8,
    /// Registers that are read where nothing else is accessed, because nothing else shows what was counted.
    watched: Vec<u16>,
    /// Of these, the next one.
    next: usize,
    /// PMSIRR_EL1.INTERVAL was written since the last reset, with another value than 0: profiling may be enabled. Before,
    /// all that follows would be UNKNOWN (SPE-29), and the write that was to come first may wait.
    has_interval: bool,
}

impl Restriction {
    /// The restriction for designs of `implementation`; none if they take all.
    pub(super) fn of(implementation: &Implementation) -> Option<Self> {
        let wrapper = &implementation.wrapper;
        let counters = 0..implementation.pmu.counters;
        let watched = match wrapper.increments {
            Increments::Hidden => counters
                .filter_map(SysReg::pmevcntr)
                .chain([SysReg::Pmccntr, SysReg::Pmovsset])
                .map(SysReg::address)
                .collect(),
            Increments::Shown | Increments::Counters => Vec::new(),
        };
        (!wrapper.is_whole()).then(|| Self {
            wrapper: wrapper.clone(),
            waiting: VecDeque::with_capacity(WAITING),
            pause: 0,
            watched,
            next: 0,
            has_interval: false,
        })
    }

    /// Restricts the next cycle.
    pub(super) fn apply(&mut self, input: &mut CycleInput) {
        let mut ignored = input.is_reset();
        if input.clock_stopped == 1 && !self.wrapper.clock_stopped {
            // The access was to be ignored.
            input.clock_stopped = 0;
            ignored = true;
        }
        self.restrict_state(input);
        let access = Access {
            kind: input.access_kind,
            address: input.access_address,
            data: input.access_data,
        };
        input.access_kind = AccessKind::None as u8;
        if input.is_reset() {
            self.waiting.clear();
            self.has_interval = false;
        }
        if !self.has_interval {
            input.profiling &= !CycleInput::PROFILING_ENABLED;
        }
        let ready = self.pause == 0;
        self.pause = self.pause.saturating_sub(1);
        if input.clock_stopped == 1 {
            // Nothing happens in it, but what is to be ignored may be there.
            if ready && self.takes(&access) {
                self.give(input, access);
            }
            return;
        }
        if !ignored && access.kind != 0 && self.takes(&access) && self.waiting.len() < WAITING {
            self.waiting.push_back(access);
        }
        if ignored || !ready {
            return;
        }
        if let Some(access) = self.waiting.pop_front().or_else(|| self.watch()) {
            self.give(input, access);
            self.has_interval |= access.sets_interval();
        }
    }

    fn give(&mut self, input: &mut CycleInput, access: Access) {
        input.access_kind = access.kind;
        input.access_address = access.address;
        input.access_data = access.data;
        if access.kind != 0 {
            self.pause = self.wrapper.access_interval - 1;
        }
    }

    /// A read of the next register that is watched.
    fn watch(&mut self) -> Option<Access> {
        let address = *self.watched.get(self.next)?;
        self.next = (self.next + 1) % self.watched.len();
        Some(Access {
            kind: AccessKind::Read as u8,
            address,
            data: 0,
        })
    }

    /// DUT-72: whether the design takes an access.
    fn takes(&self, access: &Access) -> bool {
        let indirect = |register: Option<SysReg>| register.is_some_and(SysReg::is_indirect);
        match AccessKind::from_code(access.kind) {
            AccessKind::None => true,
            AccessKind::Read | AccessKind::Write => {
                self.wrapper.indirect || !indirect(SysReg::from_address(access.address))
            }
            AccessKind::Read32 | AccessKind::Write32 => {
                let reaches = SysReg::from_address_32(access.address);
                self.wrapper.aarch32 && (self.wrapper.indirect || !indirect(reaches))
            }
            AccessKind::ExternalRead | AccessKind::ExternalWrite => self.wrapper.external,
        }
    }

    /// DUT-72: takes away what is not driven.
    fn restrict_state(&self, input: &mut CycleInput) {
        if !self.wrapper.pe_state {
            input.driven &= !CycleInput::DRIVEN_PE;
            input.controls = 0;
            input.hpmn = 0;
            input.pmuacr = 0;
            input.spmaccessr_el2 = 0;
            input.spmaccessr_el3 = 0;
            for thread in &mut input.threads {
                thread.state = 0;
            }
        }
        if !self.wrapper.thread_conditions {
            input.driven &= !CycleInput::DRIVEN_THREADS;
            let state = input.threads.map(|thread| thread.state);
            input.threads = std::array::from_fn::<_, THREADS, _>(|t| Thread {
                state: state[t],
                ..Thread::default()
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use pmu_model::{CycleOutput, Model, Number, Unknown};

    use super::super::{Generator, Profile};
    use super::*;

    fn cycles(wrapper: Wrapper, count: usize) -> Vec<CycleInput> {
        let implementation = Implementation {
            wrapper,
            ..Implementation::default()
        };
        let mut generator = Generator::new(3, &implementation, &Profile::default()).expect("legal");
        let mut cycles = vec![CycleInput::default(); count];
        let (first, second) = cycles.split_at_mut(count / 3);
        generator.fill(first);
        generator.fill(second);
        cycles
    }

    #[test]
    fn dut_72_what_a_design_lacks_is_never_driven() {
        let all = cycles(Wrapper::default(), 200_000);
        type Seen = fn(&CycleInput) -> bool;
        let parts: [Seen; 6] = [
            |input| input.driven & CycleInput::DRIVEN_PE != 0 || input.controls != 0,
            |input| input.driven & CycleInput::DRIVEN_THREADS != 0,
            |input| matches!(input.access_kind, 3 | 4),
            |input| matches!(input.access_kind, 5 | 6),
            |input| {
                let register = SysReg::from_address(input.access_address);
                matches!(input.access_kind, 1 | 2) && register.is_some_and(SysReg::is_indirect)
            },
            |input| input.clock_stopped != 0,
        ];
        for (part, seen) in parts.into_iter().enumerate() {
            assert!(
                all.iter().any(seen),
                "part {part} is driven where it is there"
            );
            let without = cycles(Wrapper::default().with_parts(1 << part), 200_000);
            assert!(!without.iter().any(seen), "part {part}");
            let others = (0..parts.len()).filter(|&other| other != part);
            for other in others {
                assert!(without.iter().any(parts[other]), "without {part}: {other}");
            }
        }
    }

    #[test]
    fn dut_70_accesses_keep_their_interval() {
        for interval in [2, 5, 255] {
            let wrapper = Wrapper {
                access_interval: interval,
                ..Wrapper::default()
            };
            let cycles = cycles(wrapper, 100_000);
            let accesses: Vec<_> = (0..cycles.len())
                .filter(|&k| cycles[k].access_kind != 0)
                .collect();
            let distances = accesses.windows(2).map(|pair| pair[1] - pair[0]);
            assert_eq!(distances.min(), Some(interval.into()));
            assert!(accesses.len() > cycles.len() / usize::from(interval) / 2);
        }
    }

    /// Cycles of a model in which group SPE is UNKNOWN, and those with profiling enabled.
    fn unknown(interval: u8) -> (usize, usize) {
        let wrapper = Wrapper {
            access_interval: interval,
            ..Wrapper::default()
        };
        let cycles = cycles(wrapper, 200_000);
        let implementation = Implementation::default();
        let mut model = Model::new(&implementation).expect("legal");
        let mut outputs = vec![CycleOutput::default(); cycles.len()];
        let mut unknown = vec![Unknown::default(); cycles.len()];
        model.run(&cycles, &vec![1; cycles.len()], &mut outputs, &mut unknown);
        let enabled = cycles.iter().filter(|input| input.profiling & 1 == 1);
        let unknown = unknown.iter().filter(|unknown| unknown.spe);
        (unknown.count(), enabled.count())
    }

    #[test]
    fn spe_29_an_interval_comes_before_profiling_however_far_accesses_are_apart() {
        for interval in [1, 2, 3, 5, 20] {
            let (unknown, enabled) = unknown(interval);
            assert!(unknown < 200_000 / 20, "{interval}: {unknown}");
            assert!(enabled > 200_000 / 4, "{interval}: {enabled}");
        }
    }

    #[test]
    fn dut_71_counters_that_show_nothing_are_read() {
        let wrapper = Wrapper {
            increments: Increments::Hidden,
            access_interval: 3,
            ..Wrapper::default()
        };
        let cycles = cycles(wrapper, 30_000);
        for n in Number::all() {
            let address = SysReg::Pmevcntr(n).address();
            let is_read = |input: &&CycleInput| {
                input.access_kind == AccessKind::Read as u8 && input.access_address == address
            };
            assert!(cycles.iter().filter(is_read).count() > 30, "counter {n}");
        }
    }

    #[test]
    fn dut_72_a_stopped_clock_that_is_not_driven_leaves_no_access_behind() {
        // What comes with a stopped clock is to be ignored, and would be an access without it.
        let whole = cycles(Wrapper::default(), 100_000);
        let without = cycles(Wrapper::default().with_parts(1 << 5), 100_000);
        for (whole, without) in whole.iter().zip(&without) {
            if whole.clock_stopped == 1 {
                assert_eq!(without.access_kind, 0);
            }
        }
    }
}
