//! Mistakes of register accesses: outcomes, syndromes, and what a write changes.

use std::fmt;

use pmu_model::contract::{THREADS, Thread, control};
use pmu_model::evtyper::access::{Context, Direction, Outcome, access};
use pmu_model::evtyper::filter::ExceptionLevel;
use pmu_model::{CycleInput, Implementation};

/// A mistake of accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A bit of `controls` is taken as that value.
    Control(u8, bool),
    /// A bit of `controls` is that of another one.
    ControlAs(u8, u8),
    /// MDCR_EL2.HPMN is off by so many.
    HpmnOff(i8),
    /// PMUACR_EL1 is taken as all ones: by writes, or by reads.
    PmuacrIgnored(bool),
    /// MDCR_EL2.TPM does not trap from EL0 of a host.
    TpmMaskedInHost,
    /// PMUSERENR_EL0.UEN does not enable accesses from EL0.
    UenDoesNotEnable,
    /// MDCR_EL3.TPM comes before MDCR_EL2.HPMN.
    El3BeforeHpmn,
    /// A trapped write is performed.
    TrappedStored,
    /// An indirect access is checked as the counter of its own encoding.
    CheckedByEncoding,
    /// Another exception: EL1 and EL2 swapped.
    TrapsSwapped,
    /// A bit of the syndrome is inverted.
    IssBit(u8),
    /// MCR clears bits 63:32.
    Write32ClearsUpper,
    /// An external write of bits 63:32 goes into bits 31:0.
    ExternalUpperWritesLower,
    /// The filter takes the data of a write of a half as they are.
    FilterTakesData,
    /// Exception level is taken as that of the last thread.
    LevelOfLastThread,
}

impl Access {
    /// All of them.
    pub fn all() -> Vec<Self> {
        let bits = || (0..20).filter(|bit| !matches!(bit, 13 | 14));
        // EDSCR.SDD has an effect with Halted alone: without one or the other is the same.
        let mut all: Vec<_> = bits()
            .flat_map(|bit| [Self::Control(bit, false), Self::Control(bit, true)])
            .filter(|&mistake| {
                mistake != Self::Control(control::HALTED.trailing_zeros() as u8, false)
            })
            .collect();
        // Those that are beside each other, by register or by name.
        for (one, other) in [(1, 2), (3, 4), (4, 5), (7, 8), (9, 10), (6, 15), (16, 17)] {
            all.extend([Self::ControlAs(one, other), Self::ControlAs(other, one)]);
        }
        all.extend([1, -1].map(Self::HpmnOff));
        all.extend([false, true].map(Self::PmuacrIgnored));
        all.extend([
            Self::TpmMaskedInHost,
            Self::UenDoesNotEnable,
            Self::El3BeforeHpmn,
            Self::TrappedStored,
            Self::CheckedByEncoding,
            Self::TrapsSwapped,
            Self::Write32ClearsUpper,
            Self::ExternalUpperWritesLower,
            Self::FilterTakesData,
            Self::LevelOfLastThread,
        ]);
        all.extend((0..25).map(Self::IssBit));
        all
    }

    /// The inputs that decide about an access, with the mistake.
    pub fn inputs(self, input: &CycleInput, direction: Direction) -> CycleInput {
        let mut seen = *input;
        match self {
            Self::Control(bit, true) => seen.controls |= 1 << bit,
            Self::Control(bit, false) => seen.controls &= !(1 << bit),
            Self::ControlAs(bit, other) => {
                seen.controls &= !(1 << bit);
                seen.controls |= (input.controls >> other & 1) << bit;
            }
            Self::HpmnOff(by) => seen.hpmn = (input.hpmn as i8 + by).clamp(0, 31) as u8,
            Self::PmuacrIgnored(writes) if writes == (direction == Direction::Write) => {
                seen.pmuacr = u32::MAX;
            }
            Self::TpmMaskedInHost => {
                let host = control::E2H | control::TGE;
                if input.threads[0].level() == 0 && input.controls & host == host {
                    seen.controls &= !control::MDCR_EL2_TPM;
                }
            }
            Self::UenDoesNotEnable if input.controls & control::USERENR_EN == 0 => {
                seen.controls &= !control::USERENR_UEN;
            }
            Self::LevelOfLastThread => {
                let level = input.threads[THREADS - 1].level();
                seen.threads[0] = Thread {
                    state: input.threads[0].state & !3 | level,
                    ..input.threads[0]
                };
            }
            _ => {}
        }
        seen
    }

    /// The outcome of an access to the type of counter `n`. `encoded` is the counter that the low bits of the encoding
    /// tell.
    pub fn outcome(
        self,
        (n, encoded): (u8, u8),
        direction: Direction,
        input: &CycleInput,
        implementation: &Implementation,
    ) -> Outcome {
        let n = if self == Self::CheckedByEncoding {
            encoded
        } else {
            n
        };
        let context = Context::of_cycle(n, input);
        let outcome = access(n, direction, &context, implementation).0;
        match (self, outcome) {
            (Self::El3BeforeHpmn, Outcome::Trap(ExceptionLevel::El2)) => {
                let all = CycleInput {
                    hpmn: implementation.pmu.counters,
                    ..*input
                };
                let context = Context::of_cycle(n, &all);
                let without = access(n, direction, &context, implementation).0;
                match without {
                    Outcome::Trap(ExceptionLevel::El3) | Outcome::Undefined => without,
                    _ => outcome,
                }
            }
            (Self::TrapsSwapped, Outcome::Trap(ExceptionLevel::El1)) => {
                Outcome::Trap(ExceptionLevel::El2)
            }
            (Self::TrapsSwapped, Outcome::Trap(ExceptionLevel::El2)) => {
                Outcome::Trap(ExceptionLevel::El1)
            }
            (_, outcome) => outcome,
        }
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |bit: u8| control::NAMES[usize::from(bit)];
        match *self {
            Self::Control(bit, value) => {
                write!(
                    f,
                    "{} is taken as {} by accesses",
                    name(bit),
                    u8::from(value)
                )
            }
            Self::ControlAs(bit, other) => {
                write!(f, "{} decides in place of {}", name(other), name(bit))
            }
            Self::HpmnOff(by) => write!(f, "MDCR_EL2.HPMN is off by {by:+}"),
            Self::PmuacrIgnored(true) => f.write_str("PMUACR_EL1 is ignored by writes"),
            Self::PmuacrIgnored(false) => f.write_str("PMUACR_EL1 is ignored by reads"),
            Self::TpmMaskedInHost => f.write_str("MDCR_EL2.TPM does not trap from EL0 of a host"),
            Self::UenDoesNotEnable => {
                f.write_str("PMUSERENR_EL0.UEN does not enable accesses from EL0")
            }
            Self::El3BeforeHpmn => f.write_str("MDCR_EL3.TPM is checked before MDCR_EL2.HPMN"),
            Self::TrappedStored => {
                f.write_str("a write of PMEVTYPER<n>_EL0 that is trapped is performed")
            }
            Self::CheckedByEncoding => f.write_str(
                "an access through PMXEVTYPER_EL0 is checked as the counter of its own encoding",
            ),
            Self::TrapsSwapped => f.write_str("traps to EL1 and EL2 are swapped"),
            Self::IssBit(bit) => write!(f, "bit {bit} of the ISS is inverted"),
            Self::Write32ClearsUpper => f.write_str("a write from AArch32 clears bits 63:32"),
            Self::ExternalUpperWritesLower => {
                f.write_str("an external write of bits 63:32 goes into bits 31:0")
            }
            Self::FilterTakesData => f.write_str(
                "an external write of bits 63:32 changes the filter as if it were one of bits 31:0",
            ),
            Self::LevelOfLastThread => {
                f.write_str("the Exception level of an access is that of the last thread")
            }
        }
    }
}
