//! When a mutant acts.

use std::fmt;

use crate::contract::{AccessKind, AccessOutcome, CycleInput, CycleOutput};
use crate::sysreg::SysReg;

/// What a mutant may look at beside the state and what the contract looks at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Around {
    /// The number of cycles since the last one of reset is odd.
    pub odd: bool,
    /// Bit *e*: event lane *e* is not zero.
    pub occurs: u64,
    /// The write that was permitted in the cycle before.
    pub before: Option<Before>,
}

/// A write of the cycle before.
#[derive(Clone, Copy, Debug)]
pub struct Before {
    /// Way of access.
    pub kind: AccessKind,
    /// Where.
    pub address: u16,
    /// What is written.
    pub data: u64,
}

impl Before {
    /// The write of a cycle, if it is one, the contract permits it, and there is a clock.
    pub fn of(input: &CycleInput, output: &CycleOutput) -> Option<Self> {
        let kind = AccessKind::from_code(input.access_kind);
        let is_taken = kind.is_write()
            && !input.is_reset()
            && input.clock_stopped & 1 == 0
            && output.access_outcome == AccessOutcome::Ok as u8;
        is_taken.then_some(Self {
            kind,
            address: input.access_address,
            data: input.access_data,
        })
    }
}

impl Around {
    /// Of a cycle, so many cycles after the last one of reset.
    pub fn of(input: &CycleInput, since_reset: usize) -> Self {
        let lanes = input.event.iter().enumerate();
        Self {
            odd: since_reset % 2 == 1,
            occurs: lanes.fold(0, |all, (lane, &value)| all | u64::from(value != 0) << lane),
            before: None,
        }
    }
}

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
    /// Its event.
    pub event: Option<u16>,
    /// What is around the cycle.
    pub around: Around,
    /// Bit *n*: counter *n* has an increment in this cycle.
    pub counted: u32,
    /// Profiling is enabled.
    pub profiling: bool,
    /// An operation collided.
    pub collided: bool,
    /// The clock is stopped.
    pub stopped: bool,
}

/// Registers that a design often keeps together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Of the PMU.
    Pmu,
    /// Of Statistical Profiling.
    Sampling,
    /// Of System PMUs.
    System,
}

impl Unit {
    /// That of a register.
    pub fn of(register: SysReg) -> Self {
        use SysReg::{Pmbsr, Pmsicr, Pmsidr, Pmsirr};
        match register {
            Pmsicr | Pmsirr | Pmsidr | Pmbsr(_) => Self::Sampling,
            other if other.is_of_system_pmus() => Self::System,
            _ => Self::Pmu,
        }
    }
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
    /// For counters that count one of the events from the first number to the second.
    Events(u16, u16),
    /// In a cycle in which an event occurs, by the number of its lane.
    Occurs(u8),
    /// In every second cycle after a reset: in the first one, or not.
    CycleIsOdd(bool),
    /// In reads.
    Reads,
    /// In writes.
    Writes,
    /// In an access of this kind.
    Kind(AccessKind),
    /// In an access to this register.
    Register(SysReg),
    /// In an access to registers of one area.
    Unit(Unit),
    /// At this Exception level.
    Level(u8),
    /// In this Security state.
    Security(u8),
    /// In a cycle with an access.
    Access,
    /// In a cycle without one.
    NoAccess,
    /// In a cycle in which the clock is not stopped.
    Clocked,
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
            Self::Events(first, last) => {
                let event = moment.event;
                event.is_some_and(|event| first <= event && event <= last)
            }
            Self::Occurs(lane) => moment.around.occurs >> lane & 1 == 1,
            Self::CycleIsOdd(odd) => moment.around.odd == odd,
            Self::Reads => moment.kind.is_some_and(|kind| !kind.is_write()),
            Self::Writes => moment.kind.is_some_and(AccessKind::is_write),
            Self::Kind(kind) => moment.kind == Some(kind),
            Self::Register(register) => moment.register == Some(register),
            Self::Unit(unit) => moment.register.map(Unit::of) == Some(unit),
            Self::Level(level) => moment.level == Some(level),
            Self::Security(security) => moment.security == Some(security),
            Self::Access => moment.kind.is_some(),
            Self::NoAccess => moment.kind.is_none(),
            Self::Clocked => !moment.stopped,
            Self::Counted => moment.counts_what_is_accessed(),
            Self::NotCounted => !moment.counts_what_is_accessed(),
            Self::Collided => moment.collided,
            Self::Profiling => moment.profiling,
            Self::NotProfiling => !moment.profiling,
        }
    }

    /// How it is said of event counters alone, if it is about counters.
    pub(super) fn of_event_counters(self) -> Option<String> {
        let is_of_counters = matches!(self, Self::CountersFrom(_) | Self::CounterIsOdd(_));
        is_of_counters.then(|| self.to_string().replacen("counters", "event counters", 1))
    }

    /// Whether it looks at what counters did before in the cycle.
    pub fn looks_at_counters(self) -> bool {
        matches!(self, Self::Counted | Self::NotCounted)
    }

    /// Whether it is one of an access.
    pub fn is_of_access(self) -> bool {
        use When::{Access, Counted, Kind, NoAccess, NotCounted, Reads, Register, Unit, Writes};
        matches!(
            self,
            Reads
                | Writes
                | Kind(_)
                | Register(_)
                | Unit(_)
                | Counted
                | NotCounted
                | Access
                | NoAccess
        )
    }

    /// For an event alone, for it and a neighbour, and for those that share all but the two lowest bits of its number.
    pub fn of_event(event: u16) -> [Self; 4] {
        [
            Self::Events(event, event),
            Self::Events(event.saturating_sub(1), event),
            Self::Events(event, event.saturating_add(1)),
            Self::Events(event & !3, event | 3),
        ]
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
                all.push(match kind.is_write() {
                    true => Self::Writes,
                    false => Self::Reads,
                });
                all.push(Self::Kind(kind));
                all.extend(
                    moment
                        .register
                        .map(|register| Self::Unit(Unit::of(register))),
                );
                all.extend(moment.register.map(Self::Register));
                all.push(match moment.counts_what_is_accessed() {
                    true => Self::Counted,
                    false => Self::NotCounted,
                });
                all.push(Self::Access);
            }
            None => all.push(Self::NoAccess),
        }
        all.extend((!moment.stopped).then_some(Self::Clocked));
        all.push(Self::CycleIsOdd(moment.around.odd));
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
            Self::Events(first, last) if first == last => write!(f, " for event {first:#06x}"),
            Self::Events(first, last) => write!(f, " for events {first:#06x} to {last:#06x}"),
            Self::Occurs(lane) => write!(f, " while event {lane:#06x} occurs"),
            Self::CycleIsOdd(true) => {
                f.write_str(" in every second cycle, from the first after a reset on")
            }
            Self::CycleIsOdd(false) => {
                f.write_str(" in every second cycle, from the second after a reset on")
            }
            Self::Reads => f.write_str(" in reads"),
            Self::Writes => f.write_str(" in writes"),
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
            Self::Unit(unit) => f.write_str(match unit {
                Unit::Pmu => " in accesses to registers of the PMU",
                Unit::Sampling => " in accesses to registers of Statistical Profiling",
                Unit::System => " in accesses to registers of System PMUs",
            }),
            Self::Level(level) => write!(f, " at EL{level}"),
            Self::Security(security) => {
                let names = crate::contract::SECURITY_STATES;
                write!(f, " in {} state", names[usize::from(*security & 3)])
            }
            Self::Access => f.write_str(" in a cycle with an access"),
            Self::NoAccess => f.write_str(" in a cycle without an access"),
            Self::Clocked => f.write_str(" in a cycle with a clock"),
            Self::Counted => f.write_str(" in a cycle in which the counter counts"),
            Self::NotCounted => f.write_str(" in a cycle in which the counter does not count"),
            Self::Collided => f.write_str(" in a cycle in which an operation collides"),
            Self::Profiling => f.write_str(" while profiling is enabled"),
            Self::NotProfiling => f.write_str(" while profiling is disabled"),
        }
    }
}
