//! Events that count Processor cycles and threads (CYC-01 to CYC-21), with the default knobs.

use crate::contract::{CycleInput, Thread, control};
use crate::cycles::Event;
use crate::pmu::event_type::MT;

use super::Plain;
use super::mutant::Mutation;
use super::operators::Operators;
use super::site::Site;

/// What an event counts.
struct Counts {
    /// Number among the instances of the sites.
    number: usize,
    /// The condition of a stall, as the number of a bit.
    stall: Option<usize>,
    /// With the second condition.
    second: bool,
}

/// Bits of the conditions of a thread.
const SECOND: usize = 5;
const CONDITION: usize = 6;

/// The number of what an event needs beside its condition: nothing. Those before are bits of the conditions of a thread.
const NOTHING: usize = 7;

/// Event numbers, by the numbers of the instances of sites.
pub(super) const EVENTS: [u16; 9] = [
    0x0008, 0x0011, 0x0023, 0x0024, 0x003C, 0x8159, 0x8165, 0x00C0, 0x00C1,
];

/// The number of an event of the threads among them.
pub(super) fn number(event: u16) -> Option<usize> {
    EVENTS.iter().position(|&number| number == event)
}

/// Whether a thread has what an event needs beside its condition.
fn has_more<O: Operators>(operators: &mut O, at: usize, conditions: u64) -> bool {
    let more = operators.index(Site::AlsoNeeds, at, NOTHING, NOTHING + 1);
    more == NOTHING || conditions >> more & 1 == 1
}

/// What an event of the threads counts.
fn counts(event: Event) -> Counts {
    let (number, stall, second) = match event {
        Event::Sum => (0, None, false),
        Event::CpuCycles => (1, None, false),
        Event::StallFrontend => (2, Some(3), false),
        Event::StallBackend => (3, Some(4), false),
        Event::Stall => (4, Some(2), false),
        Event::StallFrontend2nd => (5, Some(3), true),
        Event::StallBackend2nd => (6, Some(4), true),
        Event::Stall2nd => (7, Some(2), true),
        Event::Cond => (8, None, false),
    };
    Counts {
        number,
        stall,
        second,
    }
}

impl Plain {
    /// Effective MT of counter `n` (ETY-21).
    pub(super) fn mt<O: Operators>(
        &mut self,
        operators: &mut O,
        n: usize,
        effective: u64,
        input: &CycleInput,
    ) -> bool {
        let field = operators.bit(Site::Mt, n, MT.of(effective) == 1);
        if !field || input.driven & CycleInput::DRIVEN_PE == 0 {
            return field;
        }
        let pe = &self.fixed.implementation.pe;
        let enable = |mask: u32| mask.trailing_zeros() as usize;
        let controls = input.controls.into();
        let enabled = match (pe.el3, pe.el2) {
            (true, _) => operators.pick(Site::Mtpme, 0, controls, enable(control::MDCR_EL3_MTPME)),
            (false, true) => {
                operators.pick(Site::Mtpme, 1, controls, enable(control::MDCR_EL2_MTPME))
            }
            (false, false) => true,
        };
        operators.bit(Site::MtEnabled, n, enabled || !pe.mtpmu)
    }

    /// The threads of a counter with Effective MT 1 (DUT-50).
    pub(super) fn group(&self, input: &CycleInput) -> usize {
        match input.driven & CycleInput::DRIVEN_THREADS != 0 {
            true => self.fixed.implementation.threads.count.into(),
            false => 1,
        }
    }

    /// What an event of the threads counts, for a counter with Effective MT `mt`; `counted` has a bit for each thread that is
    /// counted.
    pub(super) fn thread_event<O: Operators>(
        &mut self,
        operators: &mut O,
        event: Event,
        (mt, counted): (bool, u8),
        input: &CycleInput,
    ) -> u64 {
        let counts = counts(event);
        let members = (0..4usize).filter(|t| counted >> t & 1 == 1);
        let at = counts.number;
        if event == Event::Sum {
            let of = |t: usize| u64::from(input.threads[t].count);
            return match mt {
                true => {
                    let mut terms = [0; 4];
                    for t in members {
                        terms[t] = operators.word(Site::SumTerm, t, of(t));
                    }
                    let sum = terms.iter().sum();
                    let sum = operators.see(Site::SumOf, 0, sum, &|mutation| match mutation {
                        Mutation::Other(1) => terms.iter().fold(0, |all, term| all | term),
                        Mutation::Other(2) => terms.iter().fold(0, |all, term| all ^ term),
                        Mutation::Other(3) => terms.iter().copied().fold(0, u64::max),
                        Mutation::Other(4) => {
                            let last = (u8::BITS - 1).saturating_sub(counted.leading_zeros());
                            terms.get(last as usize).copied().unwrap_or(0)
                        }
                        _ => sum,
                    });
                    operators.word(Site::Sum, 0, sum)
                }
                false => {
                    let t = operators.index(Site::OwnThread, at, 0, 4) & 3;
                    of(t)
                }
            };
        }
        if !mt {
            let t = operators.index(Site::OwnThread, at, 0, 4) & 3;
            let thread = &input.threads[t];
            let conditions = thread.conditions.into();
            let active = operators.bit(Site::OwnActive, at, thread.is(Thread::ACTIVE));
            let awake = operators.bit(Site::OwnAwake, at, !thread.is(Thread::WFX));
            let holds = self.condition(operators, &counts, event, conditions);
            let more = has_more(operators, at, conditions);
            return (active && awake && holds && more).into();
        }
        let mut awake = false;
        let (mut all, mut any, mut own) = (true, false, true);
        let (mut any_second, mut members_any) = (!counts.second, false);
        for t in members {
            members_any = true;
            let t = operators.index(Site::ThreadConditions, t, t, 4) & 3;
            let thread = &input.threads[t];
            let conditions = operators.word(Site::ThreadBits, t, thread.conditions.into());
            let waits = conditions & u64::from(Thread::WFX) != 0;
            let more = has_more(operators, at, conditions);
            awake |=
                operators.bit(Site::GroupAwake, at, !waits) && (more || counts.stall.is_some());
            if let Some(stall) = counts.stall {
                let stall = more && operators.pick(Site::StallCondition, at, conditions, stall);
                all &= stall;
                own &= stall || t != 0;
                any |= stall;
            } else if event == Event::Cond {
                any |= operators.pick(Site::OtherCondition, 0, conditions, CONDITION);
            }
            if counts.second {
                any_second |= operators.pick(Site::SecondCondition, at, conditions, SECOND);
            }
        }
        let awake = operators.bit(Site::AnyAwake, at, awake) && members_any;
        let holds = match event {
            Event::CpuCycles => true,
            Event::Cond => any,
            // CYC-12: all of the threads.
            _ => match operators.index(Site::StallOfAll, at, 0, 3) {
                0 => all && members_any,
                1 => any,
                _ => own && members_any,
            },
        };
        (awake && holds && operators.bit(Site::AnySecond, at, any_second)).into()
    }

    /// The condition of an event of a thread by itself.
    fn condition<O: Operators>(
        &mut self,
        operators: &mut O,
        counts: &Counts,
        event: Event,
        conditions: u64,
    ) -> bool {
        let at = counts.number;
        let first = match counts.stall {
            Some(stall) => operators.pick(Site::StallCondition, at, conditions, stall),
            None if event == Event::Cond => {
                operators.pick(Site::OtherCondition, 0, conditions, CONDITION)
            }
            None => true,
        };
        let second =
            !counts.second || operators.pick(Site::SecondCondition, at, conditions, SECOND);
        first && second
    }
}
