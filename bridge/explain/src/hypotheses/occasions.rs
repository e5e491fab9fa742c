//! When a mistake can make a difference: in most cycles most of them cannot, and need no step of their own.

use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::{AccessKind, SysReg};

use super::Mistake;
use super::access::Access;
use super::counters::Counters;
use super::indices::Indices;
use super::varied::{Cycle, Varied};

/// The cycles in which a mistake can change what is shown or kept, from a state that it has not changed before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// Any.
    Always,
    /// Those of reset.
    Reset,
    /// Those of an access.
    Access,
    /// Those of a write.
    Write,
    /// Those of an access of this kind.
    Of(AccessKind),
    /// Those of an access to a register of System PMUs.
    SystemPmu,
    /// Those of an access that comes to another outcome with the mistake.
    Outcome,
    /// Those of an access that is trapped.
    Trap,
    /// Those in which the sampling unit does something else with the mistake.
    Sampling,
    /// Those of a carry into the upper bits of an event counter, of a write, and after a CHAIN.
    Carry,
    /// Those of a carry into bits 63:32 of the cycle counter, and of a write.
    CycleCarry,
}

impl Mistake {
    /// When this mistake can make a difference.
    pub fn occasion(self) -> Occasion {
        match self {
            Self::Counters(mistake) => of_counters(mistake),
            Self::Indices(mistake) => of_indices(mistake),
            Self::Access(mistake) => of_access(mistake),
            Self::Sampling(_) => Occasion::Sampling,
            Self::System(_) => Occasion::SystemPmu,
            Self::None
            | Self::Datapath(_)
            | Self::Filters(_)
            | Self::Threads(_)
            | Self::Timing(_)
            | Self::Inputs(_) => Occasion::Always,
        }
    }
}

fn of_counters(mistake: Counters) -> Occasion {
    use Counters::*;
    match mistake {
        CountsInReset | FlagsNotReset | ValuesNotReset | NotReset(_) => Occasion::Reset,
        WriteLost
        | CycleWriteLost
        | IncrementOnWrite
        | CycleIncrementOnWrite
        | LostOverflows
        | HiddenByWrite
        | OverflowLostToClear
        | ResetClearsFlags
        | ResetMissesLast
        | ResetMissesFirst
        | EventResetOfCycles
        | CycleResetOfEvents
        | ClearMisses(_)
        | SetMisses(_)
        | FlagClearSets
        | EventResetByC
        | CycleResetByP
        | ResetsSwapped
        | FlagSetClears => Occasion::Write,
        ReadsNext | CycleReadsNext | UpperReadsNext | NumberOff(_) => Occasion::Access,
        CarryLost | OverflowBit(_) | LongIgnored | AlwaysLong | Saturates | ChainWithLong
        | ChainLate | NoChain | ChainOfCleared | ChainOfWritten => Occasion::Carry,
        CycleOverflowBit(_) => Occasion::CycleCarry,
        CycleNotHeld | EventsNotHeld | EnableIgnored | ChainLaneOnEven => Occasion::Always,
    }
}

fn of_indices(mistake: Indices) -> Occasion {
    use Indices::*;
    match mistake {
        StaleSel | StaleSelOfType | CycleCounterBySel | NoFilterBySel | MmirEdge(_)
        | ReadOnlyOk | TypeUpperReadsZero => Occasion::Access,
        Res0Stored(_) | LinkStoredOnEven | TypeUpperLost => Occasion::Write,
        Lane(_) | LaneBits(_) | EventBits(_) | Stuck(..) | Swapped(_) | BytesSwapped
        | Enable(_) | Shown(_) => Occasion::Always,
    }
}

fn of_access(mistake: Access) -> Occasion {
    use Access::*;
    match mistake {
        TrappedStored => Occasion::Write,
        Write32ClearsUpper => Occasion::Of(AccessKind::Write32),
        ExternalUpperWritesLower | FilterTakesData => Occasion::Of(AccessKind::ExternalWrite),
        IssBit(_) => Occasion::Trap,
        Control(..) | ControlAs(..) | HpmnOff(_) | PmuacrIgnored(_) | TpmMaskedInHost
        | UenDoesNotEnable | El3BeforeHpmn | CheckedByEncoding | TrapsSwapped
        | LevelOfLastThread => Occasion::Outcome,
    }
}

impl Cycle<'_> {
    /// Whether this is an occasion for the mistake of `candidate`, whose state is of no importance.
    pub fn is_occasion(&self, occasion: Occasion, candidate: &mut Varied) -> bool {
        let kind = AccessKind::from_code(self.input.access_kind);
        match occasion {
            Occasion::Always => true,
            Occasion::Reset => self.input.is_reset(),
            Occasion::Access => kind != AccessKind::None,
            Occasion::Write => kind.is_write(),
            Occasion::Of(wanted) => kind == wanted,
            Occasion::SystemPmu => match kind {
                AccessKind::None => false,
                AccessKind::Read | AccessKind::Write => {
                    SysReg::from_address(self.input.access_address)
                        .is_some_and(SysReg::is_of_system_pmus)
                }
                _ => true,
            },
            Occasion::Outcome => candidate.decides_otherwise(self),
            Occasion::Trap => self.after.trapped(),
            Occasion::Sampling => candidate.samples_otherwise(self),
            Occasion::Carry => kind.is_write() || self.before.chains(self.after) || self.carry(),
            Occasion::CycleCarry => kind.is_write() || self.changed(CYCLE_COUNTER) >> 31 != 0,
        }
    }

    /// A carry out of bit 15 or above: no overflow is out of a lower one.
    fn carry(&self) -> bool {
        (0..CYCLE_COUNTER).any(|n| self.changed(n) >> 16 != 0)
    }

    /// The bits of a counter that the cycle changed.
    fn changed(&self, n: usize) -> u64 {
        self.before.counter(n) ^ self.after.state().counter(n)
    }
}

#[cfg(test)]
mod tests {
    use pmu_model::{CycleInput, Implementation};

    use super::*;
    use lockstep_stimulus::{Generator, Profile};

    /// A mistake changes nothing, neither output nor state, in a cycle that is no occasion for it.
    #[test]
    fn no_mistake_makes_a_difference_without_an_occasion() {
        let implementation = Implementation::default();
        for (seed, cycles) in [(1, 3000), (7, 3000)] {
            let mut inputs = vec![CycleInput::default(); cycles];
            Generator::new(seed, &implementation, &Profile::default())
                .expect("stimulus")
                .fill(&mut inputs);
            let new = |mistake| Varied::new(&implementation, mistake).expect("legal");
            let mut reference = new(Mistake::None);
            let mut all: Vec<_> = Mistake::all()
                .into_iter()
                .filter(|mistake| mistake.occasion() != Occasion::Always)
                .map(|mistake| (mistake, new(mistake), 0usize))
                .collect();
            for (k, input) in inputs.iter().enumerate() {
                let byte = (k * 37) as u8;
                let before = reference.state().clone();
                let expected = reference.step(input, byte);
                let cycle = Cycle {
                    input,
                    byte,
                    before: &before,
                    after: &reference,
                };
                for (mistake, varied, occasions) in &mut all {
                    if cycle.is_occasion(mistake.occasion(), varied) {
                        *occasions += 1;
                        continue;
                    }
                    varied.resume(&before);
                    let output = varied.step(input, byte);
                    assert_eq!(output, expected, "{mistake:?} in cycle {k} of seed {seed}");
                    assert!(varied.is_at(reference.state()), "{mistake:?} in cycle {k}");
                }
            }
            // An occasion is the exception.
            for (mistake, _, occasions) in all {
                let most = match mistake.occasion() {
                    // Sampling units are seldom at rest.
                    Occasion::Access | Occasion::Write | Occasion::Sampling => cycles,
                    _ => cycles / 2,
                };
                assert!(occasions < most, "{mistake:?}: {occasions} of {cycles}");
            }
        }
    }
}
