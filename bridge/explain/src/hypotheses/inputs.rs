//! Inputs that reach the design at another time than they should: a group of them some cycles late or early, as a wrapper
//! delays what it should not, or forgets to delay what it should.

use std::fmt;

use pmu_model::CycleInput;
use pmu_model::contract::{CYCLE_COUNTER, Thread};

use lockstep_base::counted::plural;

/// Most cycles by which a latency that is looked for is away from the stated one: what a design may state.
pub const FARTHEST: i8 = 16;

/// A group of inputs that comes at another time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Event lanes.
    Events,
    /// `counting_allowed`.
    Allowed,
    /// The same of event counters alone.
    AllowedOfEvents,
    /// The same of the cycle counter alone.
    AllowedOfCycles,
    /// State of the PE and its controls (`driven` bit 0).
    State,
    /// The same, as filtering has them.
    StateOfFilters,
    /// The same, as the rules of accesses have them.
    StateOfAccesses,
    /// Conditions and counts of threads (`driven` bit 1).
    Threads,
    /// All that is counted, or decides about it: the groups before, but for what accesses have.
    Counting,
    /// `reset`.
    Reset,
    /// `clock_stopped`.
    Clock,
    /// The same for counting alone.
    ClockOfCounting,
    /// Operations, samples that complete, and profiling.
    Sampling,
    /// Accesses, with the state that their rules have; their answers are expected as the design states them.
    Accesses,
}

impl Group {
    const ALL: [Self; 14] = [
        Self::Events,
        Self::Allowed,
        Self::AllowedOfEvents,
        Self::AllowedOfCycles,
        Self::State,
        Self::StateOfFilters,
        Self::StateOfAccesses,
        Self::Threads,
        Self::Counting,
        Self::Reset,
        Self::Clock,
        Self::ClockOfCounting,
        Self::Sampling,
        Self::Accesses,
    ];

    fn words(self) -> &'static str {
        match self {
            Self::Events => "the event lanes reach",
            Self::Allowed => "counting_allowed reaches",
            Self::AllowedOfEvents => "counting_allowed[30:0] reaches",
            Self::AllowedOfCycles => "counting_allowed[31] reaches",
            Self::State => "PE state and controls reach",
            Self::StateOfFilters => "the PE state that filters reaches",
            Self::StateOfAccesses => "PE state and controls of accesses reach",
            Self::Threads => "conditions and counts of threads reach",
            Self::Counting => {
                "all inputs of counting (event lanes, counting_allowed, PE state that filters, threads) reach"
            }
            Self::Reset => "reset reaches",
            Self::Clock => "clock_stopped reaches",
            Self::ClockOfCounting => "clock_stopped of counting reaches",
            Self::Sampling => "the inputs of sampling (operations, complete, profiling) reach",
            Self::Accesses => "accesses reach",
        }
    }
}

/// A group of inputs that is late by so many cycles, early if negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    pub(super) group: Group,
    pub(super) by: i8,
}

impl Inputs {
    /// All of them, the nearest first.
    pub fn all() -> Vec<Self> {
        let shifts = (1..=FARTHEST).flat_map(|by| [by, -by]);
        shifts
            .flat_map(|by| Group::ALL.map(|group| Self { group, by }))
            // Early accesses: all other inputs late, which wrappers do not do.
            .filter(|inputs| inputs.group != Group::Accesses || inputs.by > 0)
            .collect()
    }

    /// Cycles by which the inputs of the group are later.
    pub fn by(self) -> isize {
        self.by.into()
    }

    /// Whether the shift changes nothing in a cycle whose inputs are `own` and that gets the group's of `other`.
    pub fn changes_nothing(self, own: &CycleInput, other: &CycleInput) -> bool {
        match self.group {
            Group::Events => own.event == other.event,
            Group::Allowed => own.counting_allowed == other.counting_allowed,
            Group::AllowedOfEvents => same(own, other, copy_allowed_of_events),
            Group::AllowedOfCycles => same(own, other, copy_allowed_of_cycles),
            Group::State | Group::StateOfFilters | Group::StateOfAccesses => {
                same(own, other, copy_state)
            }
            Group::Threads => same(own, other, copy_threads),
            Group::Counting => {
                own.event == other.event
                    && own.counting_allowed == other.counting_allowed
                    && same(own, other, copy_state)
                    && same(own, other, copy_threads)
            }
            Group::Reset => own.reset == other.reset,
            Group::Clock | Group::ClockOfCounting => own.clock_stopped == other.clock_stopped,
            Group::Sampling => same(own, other, copy_sampling),
            Group::Accesses => false,
        }
    }

    /// What accesses, and what counting and sampling get in a cycle whose inputs are `own`, if the group's are of `other`.
    pub fn seen(self, own: &CycleInput, other: &CycleInput) -> (CycleInput, CycleInput) {
        let (mut access, mut counting) = (*own, *own);
        let mut both = |copy: fn(&CycleInput, &mut CycleInput)| {
            copy(other, &mut access);
            copy(other, &mut counting);
        };
        match self.group {
            Group::Events => both(|from, to| to.event = from.event),
            Group::Allowed => both(|from, to| to.counting_allowed = from.counting_allowed),
            Group::AllowedOfEvents => both(copy_allowed_of_events),
            Group::AllowedOfCycles => both(copy_allowed_of_cycles),
            Group::State => both(copy_state),
            Group::StateOfFilters => copy_state(other, &mut counting),
            Group::StateOfAccesses => copy_state(other, &mut access),
            Group::Threads => both(copy_threads),
            Group::Counting => {
                both(|from, to| {
                    to.event = from.event;
                    to.counting_allowed = from.counting_allowed;
                    copy_threads(from, to);
                });
                copy_state(other, &mut counting);
            }
            Group::Reset => both(|from, to| to.reset = from.reset),
            Group::Clock => both(|from, to| to.clock_stopped = from.clock_stopped),
            Group::ClockOfCounting => counting.clock_stopped = other.clock_stopped,
            Group::Sampling => both(copy_sampling),
            Group::Accesses => {
                copy_state(other, &mut access);
                access.access_kind = other.access_kind;
                access.access_address = other.access_address;
                access.access_data = other.access_data;
                access.access_rt = other.access_rt;
            }
        }
        (access, counting)
    }
}

fn same(own: &CycleInput, other: &CycleInput, copy: fn(&CycleInput, &mut CycleInput)) -> bool {
    let mut changed = *own;
    copy(other, &mut changed);
    changed == *own
}

const CYCLES: u32 = 1 << CYCLE_COUNTER;

fn copy_allowed_of_events(from: &CycleInput, to: &mut CycleInput) {
    to.counting_allowed = to.counting_allowed & CYCLES | from.counting_allowed & !CYCLES;
}

fn copy_allowed_of_cycles(from: &CycleInput, to: &mut CycleInput) {
    to.counting_allowed = to.counting_allowed & !CYCLES | from.counting_allowed & CYCLES;
}

fn copy_state(from: &CycleInput, to: &mut CycleInput) {
    let pe = CycleInput::DRIVEN_PE;
    to.driven = to.driven & !pe | from.driven & pe;
    to.controls = from.controls;
    to.hpmn = from.hpmn;
    to.pmuacr = from.pmuacr;
    to.spmaccessr_el2 = from.spmaccessr_el2;
    to.spmaccessr_el3 = from.spmaccessr_el3;
    for (to, from) in to.threads.iter_mut().zip(&from.threads) {
        to.state = from.state;
    }
}

fn copy_threads(from: &CycleInput, to: &mut CycleInput) {
    let threads = CycleInput::DRIVEN_THREADS;
    to.driven = to.driven & !threads | from.driven & threads;
    for (to, from) in to.threads.iter_mut().zip(&from.threads) {
        *to = Thread {
            state: to.state,
            ..*from
        };
    }
}

fn copy_sampling(from: &CycleInput, to: &mut CycleInput) {
    to.operations = from.operations;
    to.complete = from.complete;
    to.filtered_out = from.filtered_out;
    to.profiling = from.profiling;
}

impl fmt::Display for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when = if self.by > 0 { "late" } else { "early" };
        let cycles = plural(self.by.unsigned_abs().into(), "cycle");
        write!(f, "{} the design {cycles} {when}", self.group.words())?;
        match self.group {
            Group::Accesses => f.write_str(": no other input is delayed with them"),
            _ => Ok(()),
        }
    }
}
