//! What the instances of sites are, and their names.

use crate::contract::{CYCLE_COUNTER, control};

use super::filter_rows::{FILTER_ROWS, FILTERING};
use super::kinds::{GROUPS, KINDS};
use super::state::PARTS;

/// What the instances of a site are.
#[derive(Clone, Copy, Debug)]
pub enum Instances {
    /// There is one.
    One,
    /// Counters: a mutant acts for all of them, or for one.
    Counters,
    /// Things of which each is a site by itself.
    Named(&'static Names),
    /// Things of the second list, each in every one of the first.
    Pairs(&'static Names, &'static Names),
}

/// The instances of a site at which a mutant acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// All.
    All,
    /// One.
    One(u16),
    /// A group of registers, by its number.
    Group(u8),
    /// Event counters.
    Events,
}

impl At {
    /// Whether an instance is among them.
    #[inline(always)]
    pub fn has(self, at: usize) -> bool {
        match self {
            Self::All => true,
            Self::One(only) => usize::from(only) == at,
            Self::Group(group) => GROUPS[usize::from(group)].1 >> at & 1 == 1,
            Self::Events => at < CYCLE_COUNTER,
        }
    }
}

/// Names of things.
#[derive(Debug)]
pub struct Names {
    /// That of all of them.
    any: &'static str,
    each: &'static [&'static str],
}

impl Names {
    /// The names of all.
    pub(super) const fn each(&self) -> &'static [&'static str] {
        self.each
    }
}

impl Instances {
    /// How many things with a name there are.
    pub fn named(self) -> usize {
        match self {
            Self::One | Self::Counters => 0,
            Self::Named(names) => names.each.len(),
            Self::Pairs(of, names) => of.each.len() * names.each.len(),
        }
    }

    /// The name of those at which a mutant acts, if they have one.
    pub(super) fn name(self, at: At) -> Option<String> {
        match (self, at) {
            (Self::One | Self::Counters, _) => None,
            (Self::Named(_), At::Group(group)) => Some(GROUPS[usize::from(group)].0.into()),
            (Self::Named(names), At::One(n)) => Some(names.each[usize::from(n)].into()),
            (Self::Pairs(of, names), At::One(n)) => {
                let (row, n) = (
                    usize::from(n) / names.each.len(),
                    usize::from(n) % names.each.len(),
                );
                Some(format!("{} in the rule of {}", names.each[n], of.each[row]))
            }
            (Self::Named(names) | Self::Pairs(_, names), _) => Some(names.any.into()),
        }
    }
}

/// The names in a table.
macro_rules! names {
    ($table:ident, |$row:ident| $name:expr) => {
        &{
            let mut names = [""; $table.len()];
            let mut n = 0;
            while n < $table.len() {
                let $row = &$table[n];
                names[n] = $name;
                n += 1;
            }
            names
        }
    };
}

/// Kinds of registers.
pub(super) const REGISTERS: Names = Names {
    any: "any register",
    each: names!(KINDS, |kind| kind.0),
};
/// What a reset puts back.
pub(super) const RESET: Names = Names {
    any: "anything",
    each: names!(PARTS, |part| part.0),
};
/// Exception levels and Security states that are filtered.
pub(super) const FILTERED: Names = Names {
    any: "any Exception level and Security state",
    each: names!(FILTER_ROWS, |row| row.name),
};
/// What of two fields can filter.
pub(super) const FILTER_FUNCTIONS: &[&str] = names!(FILTERING, |function| function.name);
/// Bits of `controls`.
pub(super) const CONTROLS: Names = Names {
    any: "any control",
    each: &control::NAMES,
};
/// Threshold conditions.
pub(super) const CONDITIONS: Names = Names {
    any: "any condition",
    each: &["V_B != TH", "V_B == TH", "V_B >= TH", "V_B < TH"],
};
/// Rows of the tables of threshold, edge and link.
pub(super) const TABLE_ROWS: Names = Names {
    any: "any row",
    each: &[
        "row (A) with C_T 1",
        "row (A) with C_T 0",
        "row (B) with C_T 1",
        "row (B) with C_T 0",
        "row (C) with C_T 1",
        "row (C) with C_T 0",
        "row (D) with C_T 1",
        "row (D) with C_T 0",
        "row (E) with C_T 1",
        "row (E) with C_T 0",
        "row (F) with an edge",
        "row (F) without an edge",
        "row (G) with an edge",
        "row (G) without an edge",
        "a counter without threshold, edge and link",
    ],
};
/// Kinds of edge counting.
pub(super) const EDGES: Names = Names {
    any: "any edge",
    each: &["a single edge", "both edges"],
};
/// Values of VS.
pub(super) const MODES: Names = Names {
    any: "VS",
    each: &["VS 00", "VS 01", "VS 10", "VS 11"],
};
/// Threads.
pub(super) const THREADS: Names = Names {
    any: "any thread",
    each: &["thread 0", "thread 1", "thread 2", "thread 3"],
};
/// Events of the threads.
pub(super) const THREAD_EVENTS: Names = Names {
    any: "any event of the threads",
    each: &[
        "INST_RETIRED",
        "CPU_CYCLES",
        "STALL_FRONTEND",
        "STALL_BACKEND",
        "STALL",
        "STALL_FRONTEND_L1I",
        "STALL_BACKEND_L1D",
        "event 0x00C0",
        "event 0x00C1",
    ],
};
/// Events of sampling.
pub(super) const SAMPLE_EVENTS: Names = Names {
    any: "any event of sampling",
    each: &[
        "SAMPLE_POP",
        "SAMPLE_FEED",
        "SAMPLE_FILTRATE",
        "SAMPLE_COLLISION",
    ],
};
/// Rows of ETY-40, and then those of SPMU-30.
pub(super) const RULES: Names = Names {
    any: "any rule",
    each: &[
        "a counter that is not implemented",
        "MDCR_EL3.TPM with EDSCR.SDD before all other traps",
        "PMUSERENR_EL0 at EL0",
        "the fine-grained trap",
        "MDCR_EL2.TPM",
        "MDCR_EL2.HPMN",
        "MDCR_EL3.TPM",
        "PMUACR_EL1 at EL0",
        "access to the description of a System PMU at EL0",
        "MDCR_EL3 with EDSCR.SDD before all other traps of a System PMU",
        "the fine-grained trap of a System PMU",
        "MDCR_EL2.EnSPM",
        "SPMACCESSR_EL2",
        "MDCR_EL3.EnPM2",
        "SPMACCESSR_EL3",
    ],
};
/// Kinds of access.
pub(super) const ACCESSES: Names = Names {
    any: "any access",
    each: &[
        "no access",
        "MRS",
        "MSR",
        "MRC",
        "MCR",
        "an external read",
        "an external write",
    ],
};
/// Outcomes of an access.
pub(super) const OUTCOMES: Names = Names {
    any: "any outcome",
    each: &[
        "no access",
        "OK",
        "UNDEFINED",
        "a trap to EL1",
        "a trap to EL2",
        "a trap to EL3",
        "NOP",
        "RAZ/WI",
    ],
};
/// Directions of an access.
pub(super) const DIRECTIONS: Names = Names {
    any: "any access",
    each: &["reads", "writes"],
};
/// Fields of a syndrome.
pub(super) const SYNDROME: Names = Names {
    any: "any field",
    each: &["Op0", "Op2", "Op1", "CRn", "Rt", "CRm", "Direction"],
};
/// Ways to a register.
pub(super) const WAYS_IN: Names = Names {
    any: "any access",
    each: &["System registers", "external accesses"],
};
/// Registers that PMSELR_EL0 selects for.
pub(super) const SELECTED: Names = Names {
    any: "PMXEVTYPER_EL0 and PMXEVCNTR_EL0",
    each: &["PMXEVTYPER_EL0", "PMXEVCNTR_EL0"],
};
/// Counters that overflow.
pub(super) const COUNTERS: Names = Names {
    any: "any counter",
    each: &["an event counter with LP 0", "PMCCNTR_EL0"],
};
/// Counters that lose an overflow.
pub(super) const WRITES: Names = Names {
    any: "that is written or zeroed",
    each: &[
        "that is written",
        "that PMCR_EL0.P zeroes",
        "that is written (PMCCNTR_EL0)",
        "that PMCR_EL0.C zeroes",
    ],
};
/// Types that have a mask.
pub(super) const TYPES: Names = Names {
    any: "any type",
    each: &[
        "PMEVTYPER<n>_EL0 with even n",
        "PMEVTYPER<n>_EL0 with odd n",
        "PMCCFILTR_EL0",
    ],
};
/// Traps that a host masks.
pub(super) const MASKED: Names = Names {
    any: "a trap",
    each: &["the fine-grained trap", "MDCR_EL2.TPM"],
};
/// Registers with rules of access.
pub(super) const RULED: Names = Names {
    any: "any register",
    each: &["PMEVTYPER<n>_EL0", "the description of a System PMU"],
};
/// SPMACCESSR_ELx.
pub(super) const ACCESSRS: Names = Names {
    any: "SPMACCESSR_ELx",
    each: &["SPMACCESSR_EL2", "SPMACCESSR_EL3"],
};
/// MDCR_ELx.MTPME.
pub(super) const MTPMES: Names = Names {
    any: "MDCR_ELx.MTPME",
    each: &["MDCR_EL3.MTPME", "MDCR_EL2.MTPME"],
};
/// PMBSR_ELx.COLL.
pub(super) const COLLS: Names = Names {
    any: "PMBSR_ELx.COLL",
    each: &["PMBSR_EL1.COLL", "PMBSR_EL2.COLL", "PMBSR_EL3.COLL"],
};
/// PMSEE and EE.
pub(super) const TARGETS: Names = Names {
    any: "any PMSEE and EE",
    each: &[
        "Effective PMSEE 00 with EE 00",
        "Effective PMSEE 00 with EE 01",
        "Effective PMSEE 00 with EE 10",
        "Effective PMSEE 00 with EE 11",
        "Effective PMSEE 01 with EE 00",
        "Effective PMSEE 01 with EE 01",
        "Effective PMSEE 01 with EE 10",
        "Effective PMSEE 01 with EE 11",
        "Effective PMSEE 10 with EE 00",
        "Effective PMSEE 10 with EE 01",
        "Effective PMSEE 10 with EE 10",
        "Effective PMSEE 10 with EE 11",
        "Effective PMSEE 11 with EE 00",
        "Effective PMSEE 11 with EE 01",
        "Effective PMSEE 11 with EE 10",
        "Effective PMSEE 11 with EE 11",
    ],
};
/// What an operation counts down.
pub(super) const COUNTED_DOWN: Names = Names {
    any: "COUNT, whether or not ECOUNT runs,",
    each: &["COUNT", "COUNT while ECOUNT runs"],
};
/// Interval counters.
pub(super) const INTERVALS: Names = Names {
    any: "COUNT and ECOUNT",
    each: &["COUNT", "ECOUNT"],
};
/// Fields of the filter.
pub(super) const FILTERS: Names = Names {
    any: "any field",
    each: &[
        "P", "U", "NSK", "NSU", "NSH", "M", "SH", "RLK", "RLU", "RLH", "MT",
    ],
};
/// Registers of a counter.
pub(super) const NUMBERED: Names = Names {
    any: "any register of a counter",
    each: &["PMEVCNTR<n>_EL0", "PMEVTYPER<n>_EL0"],
};
/// What a write of PMCR_EL0 does.
pub(super) const PARTS_OF_PMCR: Names = Names {
    any: "all of PMCR_EL0",
    each: &["PMCR_EL0.E", "PMCR_EL0.LP", "PMCR_EL0.P", "PMCR_EL0.C"],
};
/// Fields that are written.
pub(super) const WRITTEN_FIELDS: Names = Names {
    any: "any field",
    each: &[
        "PMCR_EL0.E",
        "PMCR_EL0.LP",
        "PMSELR_EL0.SEL",
        "PMSIRR_EL1.RND",
        "PMSIRR_EL1.INTERVAL",
        "PMSICR_EL1.COUNT",
        "PMSICR_EL1.ECOUNT",
        "SPMSELR_EL0.BANK",
        "SPMSELR_EL0.SYSPMUSEL",
    ],
};
/// Fields of a type that stand together.
pub(super) const FIELDS_OF_TYPE: Names = Names {
    any: "any field",
    each: &["TC", "TE", "TLC", "TH", "VS", "MT", "evtCount"],
};
/// Parts that are reset together.
pub(super) const TOGETHER: Names = Names {
    any: "any of several registers",
    each: &["PMCR_EL0", "PMSICR_EL1", "PMBSR_ELx", "the counters"],
};
/// Copies of a type.
pub(super) const COPIES: Names = Names {
    any: "what is decoded of PMEVTYPER<n>_EL0",
    each: &[
        "what the filter has of PMEVTYPER<n>_EL0",
        "what selects the event of PMEVTYPER<n>_EL0",
        "what threshold, edge and link have of PMEVTYPER<n>_EL0",
    ],
};
/// What decodes an event number.
pub(super) const DECODERS: Names = Names {
    any: "any event",
    each: &[
        "CHAIN",
        "the event lanes",
        "the events of the threads",
        "the events of sampling",
        "the event multiplexer",
    ],
};
/// Reasons for which C_P is cleared.
pub(super) const HELD: Names = Names {
    any: "it should be cleared",
    each: &[
        "the counter is not enabled",
        "the counter is filtered",
        "edge counting is off",
        "threshold, edge and link are off",
    ],
};
