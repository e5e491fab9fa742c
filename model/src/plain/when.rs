//! When a mutant acts.

use std::fmt;

use crate::contract::AccessKind;
use crate::sysreg::SysReg;

/// What a cycle is, as far as it has been decided.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moment {
    /// The access.
    pub kind: Option<AccessKind>,
    /// The register that it reaches.
    pub register: Option<SysReg>,
    /// Exception level of thread 0, if the state of the PE is driven.
    pub level: Option<u8>,
    /// Security state of thread 0, if the state of the PE is driven.
    pub security: Option<u8>,
    /// The counter that is looked at.
    pub counter: u8,
    /// Bit *n*: counter *n* has an increment in this cycle.
    pub counted: u32,
    /// Profiling is enabled.
    pub profiling: bool,
    /// An operation collided.
    pub collided: bool,
}

/// A condition under which a mutant acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// For one counter.
    Counter(u8),
    /// For counters from that number on.
    CountersFrom(u8),
    /// For counters with odd numbers, or with even ones.
    CounterIsOdd(bool),
    /// In an access of this kind.
    Kind(AccessKind),
    /// In an access to this register.
    Register(SysReg),
    /// At this Exception level.
    Level(u8),
    /// In this Security state.
    Security(u8),
    /// In a cycle with an access.
    Access,
    /// In a cycle without one.
    NoAccess,
    /// In a cycle in which the counter that is accessed has an increment.
    Counted,
    /// In a cycle in which it has none.
    NotCounted,
    /// In a cycle in which an operation collides.
    Collided,
    /// While profiling is enabled.
    Profiling,
    /// While it is disabled.
    NotProfiling,
}

impl When {
    /// Whether it holds.
    #[inline]
    pub fn holds(self, moment: &Moment) -> bool {
        match self {
            Self::Always => true,
            Self::Counter(n) => moment.counter == n,
            Self::CountersFrom(n) => moment.counter >= n,
            Self::CounterIsOdd(odd) => (moment.counter % 2 == 1) == odd,
            Self::Kind(kind) => moment.kind == Some(kind),
            Self::Register(register) => moment.register == Some(register),
            Self::Level(level) => moment.level == Some(level),
            Self::Security(security) => moment.security == Some(security),
            Self::Access => moment.kind.is_some(),
            Self::NoAccess => moment.kind.is_none(),
            Self::Counted => moment.counts_what_is_accessed(),
            Self::NotCounted => !moment.counts_what_is_accessed(),
            Self::Collided => moment.collided,
            Self::Profiling => moment.profiling,
            Self::NotProfiling => !moment.profiling,
        }
    }

    /// The conditions under which a write may be taken otherwise.
    pub const OF_WRITES: [Self; 7] = [
        Self::Counted,
        Self::NotCounted,
        Self::Collided,
        Self::Profiling,
        Self::Kind(AccessKind::Write),
        Self::Kind(AccessKind::Write32),
        Self::Kind(AccessKind::ExternalWrite),
    ];

    /// The conditions that hold at a moment, but for the one that always does.
    pub fn all(moment: &Moment) -> Vec<Self> {
        let mut all = Vec::new();
        match moment.kind {
            Some(kind) => {
                all.push(Self::Kind(kind));
                all.extend(moment.register.map(Self::Register));
                all.push(match moment.counts_what_is_accessed() {
                    true => Self::Counted,
                    false => Self::NotCounted,
                });
                all.push(Self::Access);
            }
            None => all.push(Self::NoAccess),
        }
        all.extend(moment.level.map(Self::Level));
        all.extend(moment.security.map(Self::Security));
        all.push(match moment.profiling {
            true => Self::Profiling,
            false => Self::NotProfiling,
        });
        all
    }
}

impl Moment {
    /// Whether a counter that the access reaches has an increment, or any has if it reaches a register of many.
    fn counts_what_is_accessed(&self) -> bool {
        let counters = match self.register {
            Some(SysReg::Pmevcntr(n) | SysReg::Pmevtyper(n)) => 1 << n.get(),
            Some(SysReg::Pmccntr | SysReg::Pmccfiltr) => 1 << 31,
            _ => u32::MAX,
        };
        self.counted & counters != 0
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => Ok(()),
            Self::Counter(31) => f.write_str(" for PMCCNTR_EL0 alone"),
            Self::Counter(n) => write!(f, " for counter {n} alone"),
            Self::CountersFrom(n) => write!(f, " for counters from {n} on"),
            Self::CounterIsOdd(true) => f.write_str(" for counters with odd numbers"),
            Self::CounterIsOdd(false) => f.write_str(" for counters with even numbers"),
            Self::Kind(kind) => f.write_str(match kind {
                AccessKind::None => " without an access",
                AccessKind::Read => " in reads (MRS)",
                AccessKind::Write => " in writes (MSR)",
                AccessKind::Read32 => " in reads from AArch32",
                AccessKind::Write32 => " in writes from AArch32",
                AccessKind::ExternalRead => " in external reads",
                AccessKind::ExternalWrite => " in external writes",
            }),
            Self::Register(register) => write!(f, " in accesses to {register}"),
            Self::Level(level) => write!(f, " at EL{level}"),
            Self::Security(security) => {
                let names = crate::contract::SECURITY_STATES;
                write!(f, " in {} state", names[usize::from(*security & 3)])
            }
            Self::Access => f.write_str(" in a cycle with an access"),
            Self::NoAccess => f.write_str(" in a cycle without an access"),
            Self::Counted => f.write_str(" in a cycle in which the counter counts"),
            Self::NotCounted => f.write_str(" in a cycle in which the counter does not count"),
            Self::Collided => f.write_str(" in a cycle in which an operation collides"),
            Self::Profiling => f.write_str(" while profiling is enabled"),
            Self::NotProfiling => f.write_str(" while profiling is disabled"),
        }
    }
}
