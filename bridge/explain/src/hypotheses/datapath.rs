//! Mistakes of the datapath: threshold, edge, link.

use std::fmt;

use pmu_model::plain::Relation;
use pmu_model::pmu::event_type::Condition;

/// What a condition means (TH-20).
pub fn relation_of(condition: Condition) -> Relation {
    match condition {
        Condition::NotEqual => Relation::Ne,
        Condition::Equal => Relation::Eq,
        Condition::GreaterOrEqual => Relation::Ge,
        Condition::Less => Relation::Lt,
    }
}

/// A mistake of the datapath.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Datapath {
    /// Another comparison for a condition.
    Condition(Condition, Relation),
    /// V_B and TH are signed.
    Signed,
    /// TH has so many bits.
    ThBits(u8),
    /// V_B has so many bits where it is compared.
    BaseBits(u8),
    /// The same for one threshold condition.
    BaseBitsOf(Condition, u8),
    /// V has so many bits.
    ResultBits(u8),
    /// V saturates at so many bits.
    Saturates(u8),
    /// TC == 0 turns everything off.
    OffWhenTcZero,
    /// TC, TE and TLC zero turn everything off, whatever TH is.
    ThIgnoredWhenTcZero,
    /// Edge counting counts C_T.
    Level,
    /// A single edge is the falling one.
    Falling,
    /// Both edges count the rising ones.
    BothAsRising,
    /// Both edges count the falling ones.
    BothAsFalling,
    /// A single edge counts both.
    RisingAsBoth,
    /// C_P is recorded while edge counting is on.
    HeldWhenEdgeOff,
    /// C_P is cleared while the clock is stopped.
    ClearedWithoutClock,
    /// C_P is cleared by a write of the type.
    ClearedByType,
    /// A linked edge counts 1.
    LinkedEdgeCountsOne,
    /// The link carries V_B.
    LinkBase,
    /// The link carries V of the cycle before.
    LinkLate,
    /// The same, and 0 after a cycle without a clock: the register runs on.
    LinkLateWithoutClock,
    /// The link carries the event of a counter that does not count.
    LinkFromStopped,
    /// No counter links.
    NoLink,
    /// Even counters have TLC as well, and link to nothing.
    LinkOnEven,
    /// TLC 01 and 10 are swapped.
    LinksSwapped,
}

impl Datapath {
    /// All of them.
    pub fn all() -> Vec<Self> {
        let conditions = [
            Condition::NotEqual,
            Condition::Equal,
            Condition::GreaterOrEqual,
            Condition::Less,
        ];
        let mut all = Vec::new();
        for condition in conditions {
            let others = Relation::ALL.into_iter();
            let others = others.filter(|&other| other != relation_of(condition));
            all.extend(others.map(|other| Self::Condition(condition, other)));
        }
        all.extend((1..12).map(Self::ThBits));
        all.extend((1..16).map(Self::BaseBits));
        for condition in conditions {
            all.extend((1..16).map(|bits| Self::BaseBitsOf(condition, bits)));
        }
        all.extend((1..16).map(Self::ResultBits));
        all.extend((1..16).map(Self::Saturates));
        all.extend([
            Self::Signed,
            Self::OffWhenTcZero,
            Self::ThIgnoredWhenTcZero,
            Self::Level,
            Self::Falling,
            Self::BothAsRising,
            Self::BothAsFalling,
            Self::RisingAsBoth,
            Self::HeldWhenEdgeOff,
            Self::ClearedWithoutClock,
            Self::ClearedByType,
            Self::LinkedEdgeCountsOne,
            Self::LinkBase,
            Self::LinkLate,
            Self::LinkLateWithoutClock,
            Self::LinkFromStopped,
            Self::NoLink,
            Self::LinkOnEven,
            Self::LinksSwapped,
        ]);
        all
    }
}

impl fmt::Display for Datapath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Condition(condition, other) => {
                let sign = relation_of(*condition).sign();
                return write!(
                    f,
                    "the threshold condition V_B {sign} TH is V_B {} TH",
                    other.sign()
                );
            }
            Self::ThBits(bits) => return write!(f, "TH is cut to {bits} bits"),
            Self::BaseBitsOf(condition, bits) => {
                let sign = relation_of(*condition).sign();
                return write!(
                    f,
                    "V_B is cut to {bits} bits for the threshold condition V_B {sign} TH alone"
                );
            }
            Self::BaseBits(bits) => {
                return write!(f, "V_B is cut to {bits} bits before it is compared with TH");
            }
            Self::ResultBits(bits) => return write!(f, "V is cut to {bits} bits"),
            Self::Saturates(bits) => return write!(f, "V saturates at {bits} bits"),
            Self::Signed => "V_B and TH are compared as signed numbers",
            Self::OffWhenTcZero => "threshold, edge and link are off whenever TC is 000",
            Self::ThIgnoredWhenTcZero => {
                "threshold counting is off when TC, TE and TLC are zero, whatever TH is"
            }
            Self::Level => "edge counting counts the level C_T instead of its edges",
            Self::Falling => "a single edge is the falling one",
            Self::BothAsRising => "counting both edges counts the rising ones only",
            Self::BothAsFalling => "counting both edges counts the falling ones only",
            Self::RisingAsBoth => "counting one edge counts both",
            Self::HeldWhenEdgeOff => "C_P is held while edge counting is off",
            Self::ClearedWithoutClock => "C_P is cleared while the clock is stopped",
            Self::ClearedByType => "C_P is cleared by a write of PMEVTYPER<n>_EL0",
            Self::LinkedEdgeCountsOne => "a linked edge counts 1 instead of V[n-1]",
            Self::LinkBase => "an odd counter links to V_B[n-1] instead of V[n-1]",
            Self::LinkLate => "an odd counter links to V[n-1] of the cycle before",
            Self::LinkLateWithoutClock => {
                "an odd counter links to V[n-1] of the cycle before, which is 0 in one of a stopped clock"
            }
            Self::LinkFromStopped => {
                "an odd counter links to the event of counter n-1 also while that is not counting"
            }
            Self::NoLink => "odd counters do not link: TLC has no effect",
            Self::LinkOnEven => "even counters have TLC as well, and link to 0",
            Self::LinksSwapped => "TLC 01 and 10 are swapped",
        };
        f.write_str(text)
    }
}
