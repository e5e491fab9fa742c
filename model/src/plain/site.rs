//! The sites: every place of the contract at which a value is decided, with its rule and its name.

use super::instances::*;

/// What is decided at a site, from which its mutations follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A bit.
    Bit,
    /// A term of a conjunction: where it is forced to 0, all of it is.
    And,
    /// Something that never happens. The name of the site is what a mutant does.
    Never,
    /// Something that always happens. The name of the site is what a mutant does.
    Always,
    /// A number of so many bits.
    Word(u8),
    /// The value of a register, of so many bits.
    Register(u8),
    /// A number that never changes, of so many bits.
    Constant(u8),
    /// The number of a thing among so many.
    Index(u8),
    /// One of several things, with their names.
    Choice(&'static [&'static str]),
    /// A bit of a word whose bits have these names.
    Pick(&'static [&'static str]),
    /// A comparison of numbers.
    Compare,
}

/// What V can be.
const RESULTS: &[&str] = &["0", "1", "V_B", "V[n-1]", "V_B[n-1]", "2"];
/// What an edge can be.
const COUNTED_EDGES: &[&str] = &[
    "the rising edge",
    "the falling edge",
    "both edges",
    "the level C_T",
    "the inverted level C_T",
    "the level C_P",
];
/// Ways of access.
const TAKEN_AS: &[&str] = &[
    "no access",
    "one by MRS",
    "one by MSR",
    "one by MRC",
    "one by MCR",
    "an external read",
    "an external write",
];
/// Bits around COLL.
const BITS: &[&str] = &[
    "bit 0", "bit 1", "bit 2", "bit 3", "bit 4", "bit 5", "bit 6", "bit 7", "bit 8", "bit 9",
    "bit 10", "bit 11", "bit 12", "bit 13", "bit 14", "bit 15", "bit 16", "bit 17", "bit 18",
];
/// How bits are written.
const WAYS: &[&str] = &[
    "sets bits",
    "clears bits",
    "takes the data as they are",
    "toggles bits",
];
/// When a write takes effect.
const TIMES: &[&str] = &[
    "takes effect in its cycle",
    "takes effect a cycle late",
    "takes effect a cycle late, with the data of that cycle",
];
/// What stands for PMCR_EL0.E, the bit of PMCNTENSET_EL0 and that of counting_allowed together.
const ENABLED_BY: &[&str] = &[
    "PMCR_EL0.E with PMCNTENSET_EL0 and counting_allowed",
    "PMCR_EL0.E with PMCNTENSET_EL0 or counting_allowed",
    "PMCR_EL0.E, or PMCNTENSET_EL0 with counting_allowed",
    "PMCR_EL0.E with one of PMCNTENSET_EL0 and counting_allowed, and not both",
    "PMCR_EL0.E or PMCNTENSET_EL0, with counting_allowed",
];
/// What stands for a sum.
const SUMS: &[&str] = &[
    "their sum",
    "their bitwise or",
    "their exclusive or",
    "the greatest of them",
    "that of the last thread",
];
/// What stands for a sum or a difference of two numbers.
const COMBINED: &[&str] = &[
    "their sum",
    "their difference",
    "their bitwise or",
    "their exclusive or",
    "the first alone",
    "the second alone",
];
/// Where the bits of a field are taken from.
const PLACES: &[&str] = &[
    "its own bits",
    "what stands one bit above",
    "what stands one bit below",
];
/// Halves of a register.
const VIEWS: &[&str] = &["the whole register", "bits 31:0", "bits 63:32"];
/// Conditions of a thread.
const CONDITIONS_OF_THREADS: &[&str] = &[
    "active",
    "in WFI or WFE state",
    "the condition of STALL",
    "the condition of STALL_FRONTEND",
    "the condition of STALL_BACKEND",
    "the second condition of stalls",
    "the other condition",
];
/// Bits of PMCR_EL0 that are written.
const CONTROLS_OF_PMCR: &[&str] = &["E", "P", "C", "D", "X", "DP", "LC", "LP"];
/// What an event of the threads may need beside its condition.
const NEEDS: &[&str] = &[
    "an active thread",
    "a thread in WFI or WFE state",
    "the condition of STALL",
    "the condition of STALL_FRONTEND",
    "the condition of STALL_BACKEND",
    "the second condition of stalls",
    "the other condition",
    "nothing",
];

macro_rules! sites {
    ($($name:ident $kind:expr, $instances:expr, $text:literal, $rule:literal;)+) => {
        /// A place of the contract at which a value is decided.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Site {
            $(
                #[doc = concat!("`", $text, "` (", $rule, ").")]
                $name,
            )+
        }

        impl Site {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),+];
            const FACTS: &[(Kind, Instances, &str, &str)] = {
                use Instances::*;
                use Kind::*;
                &[$(($kind, $instances, $text, $rule)),+]
            };
        }
    };
}

sites! {
    // A cycle.
    ClockStopsAccesses Always, One, "an access is taken in a cycle without a clock", "DUT-52";
    ClockStopsSampling Always, One, "sampling goes on in a cycle without a clock", "DUT-52";
    ClockStopsCounting Always, One, "counting goes on in a cycle without a clock", "DUT-52";
    PreviousStays Always, One, "C_P is cleared in a cycle without a clock", "DUT-52";
    Reset Always, Named(&RESET), "a reset does not clear {}", "DUT-11";
    ResetValue Register(64), Named(&RESET), "{} out of reset", "DUT-11";
    ResetTogether Always, Named(&TOGETHER), "a reset does not clear {}", "DUT-11";
    ResetOfSystem Always, One, "a reset does not clear the registers of System PMUs", "DUT-11";
    // Accesses.
    Address Word(16), Named(&WAYS_IN), "the address of {}", "DUT-30";
    Outcome Choice(OUTCOMES.each()), Named(&OUTCOMES), "the outcome {}", "DUT-32";
    OutcomeOf Choice(OUTCOMES.each()), Named(&REGISTERS), "the outcome of a permitted access to {}", "DUT-32";
    AccessKind Choice(TAKEN_AS), Named(&ACCESSES), "an access by {}", "DUT-36";
    Number Word(5), Named(&NUMBERED), "the number n of {}", "DUT-30";
    SelectedFilter Always, One, "PMXEVTYPER_EL0 with SEL 31 is UNDEFINED", "DUT-35";
    ShownOutcome Choice(OUTCOMES.each()), Named(&REGISTERS), "the outcome that is shown of a permitted access to {}", "DUT-32";
    ReadWrites Never, Named(&REGISTERS), "a read of {} writes it", "DUT-12";
    TakenAs Choice(REGISTERS.each()), Named(&REGISTERS), "what an access to {} reaches", "DUT-30";
    ComparedNumber Word(5), One, "the number of PMEVCNTR<n>_EL0 that is compared with the number of counters", "DUT-31";
    TakenAnyway Never, Named(&OUTCOMES), "a write whose outcome is {} takes effect", "DUT-32";
    View Choice(VIEWS), Named(&ACCESSES), "the part of a register that {} reaches", "DUT-36";
    Data Register(64), Named(&ACCESSES), "the data of {}", "DUT-12";
    KeptHalf Register(64), Named(&WAYS_IN), "the half of a register that a 32-bit write by {} keeps", "DUT-36";
    Select Word(5), Named(&SELECTED), "PMSELR_EL0.SEL as {} uses it", "DUT-33";
    CycleCounterSelected Never, One, "PMXEVCNTR_EL0 with SEL 31 reaches PMCCNTR_EL0", "DUT-31";
    CounterExists Compare, One, "the number of PMEVCNTR<n>_EL0 and the number of counters", "DUT-31";
    Exists Bit, Named(&REGISTERS), "the presence of {}", "DUT-30";
    ReadOnly Bit, Named(&REGISTERS), "whether {} is read-only", "DUT-30";
    Describes Bit, Named(&REGISTERS), "whether {} describes a System PMU, and is read-only and may be trapped", "SPMU-30";
    Syndrome Word(25), One, "the ISS of a trap", "ETY-45";
    SyndromeField Word(5), Named(&SYNDROME), "{} in the ISS of a trap", "ETY-45";
    // Rules of accesses.
    RulesApply Bit, One, "whether the state of the PE decides about PMEVTYPER<n>_EL0", "DUT-35";
    AccessLevel Word(2), Named(&RULED), "the Exception level of an access to {}", "ETY-40";
    Order Index(8), Named(&RULED), "the order of the rules of {}", "ETY-40";
    Rule Bit, Named(&RULES), "the rule of {}", "ETY-40";
    RuleOutcome Choice(OUTCOMES.each()), Named(&RULES), "the outcome of the rule of {}", "ETY-40";
    RuleLevel Compare, Named(&RULES), "the Exception level in the rule of {}", "ETY-40";
    Control Pick(CONTROLS.each()), Named(&CONTROLS), "{}", "ETY-40";
    ControlOfRow Bit, Pairs(&RULES, &CONTROLS), "{}", "ETY-40";
    MaskedInHost Bit, Named(&MASKED), "the mask of {} by HCR_EL2.{E2H, TGE} at EL0", "ETY-41";
    Hpmn Word(5), One, "MDCR_EL2.HPMN", "ETY-43";
    HpmnCounter Word(5), One, "the number of the counter that is compared with MDCR_EL2.HPMN", "ETY-43";
    Reserves Compare, One, "the number of the counter and MDCR_EL2.HPMN", "ETY-40";
    PmuacrBit Index(31), One, "the bit of PMUACR_EL1", "ETY-40";
    Pmuacr Bit, Named(&DIRECTIONS), "PMUACR_EL1.P<n> for {}", "ETY-40";
    ReadOnlyByEr And, One, "PMUSERENR_EL0.ER, where it has writes ignored,", "ETY-40";
    AccessrUnit Word(6), One, "the number of the field of SPMACCESSR_ELx", "SPMU-30";
    Accessr Word(2), Named(&ACCESSRS), "P<s> of {}", "SPMU-30";
    // Registers.
    ReadValue Register(64), Named(&REGISTERS), "{} as it is read", "DUT-13";
    ReadsAfter Never, Named(&REGISTERS), "a read of {} returns the value after the cycle", "DUT-13";
    ReadNumber Index(31), Named(&REGISTERS), "a read of {}: the number n", "DUT-33";
    WriteNumber Index(31), Named(&REGISTERS), "a write of {}: the number n", "DUT-33";
    WriteTaken Always, Named(&REGISTERS), "a write of {} is lost", "DUT-12";
    WriteEnabled Never, Named(&REGISTERS), "every cycle writes {}, whatever is accessed", "DUT-12";
    ReadAs Choice(REGISTERS.each()), Named(&REGISTERS), "what is read of {}", "DUT-13";
    WrittenAs Choice(REGISTERS.each()), Named(&REGISTERS), "what a write of {} writes", "DUT-12";
    CollisionWins Never, One, "a write of PMBSR_ELx.COLL is lost to a collision of the cycle", "DUT-60";
    CopyReset Always, Named(&COPIES), "a reset does not clear {}", "DUT-11";
    CopyTaken Always, Named(&COPIES), "a write of PMEVTYPER<n>_EL0 does not change {}", "DUT-12";
    CopyEnabled Never, Named(&COPIES), "every cycle changes {}", "DUT-12";
    CopyEnabledInWrites Never, Named(&COPIES), "every write of any register changes {}", "DUT-12";
    CopyData Register(64), Named(&COPIES), "{}", "ETY-02";
    CopyWhole Never, Named(&COPIES), "an external write of bits 63:32 changes {} as if it were one of bits 31:0", "DUT-37";
    CycleCopyTaken Always, One, "a write of PMCCFILTR_EL0 does not change the filter of PMCCNTR_EL0", "DUT-12";
    CycleCopyReset Always, One, "a reset does not clear the filter of PMCCNTR_EL0", "DUT-11";
    CycleCopyWhole Never, One, "an external write of bits 63:32 of PMCCFILTR_EL0 changes the filter as if it were one of bits 31:0", "DUT-37";
    WriteLate Choice(TIMES), Named(&REGISTERS), "a write of {}", "DUT-12";
    EnableInverted Never, Named(&REGISTERS), "{} is written in every cycle but in those that write it", "DUT-12";
    AllWritten Never, Named(&NUMBERED), "a write of {} writes those of all counters", "DUT-33";
    AllEnabled Never, Named(&NUMBERED), "every cycle writes {} of all counters, whatever is accessed", "DUT-33";
    ControlEnabled Never, Named(&PARTS_OF_PMCR), "every cycle takes {} from the data, whatever is accessed", "DUT-21";
    CopyLate Never, Named(&COPIES), "a write of PMEVTYPER<n>_EL0 changes {} a cycle late", "DUT-12";
    WrittenPlace Choice(PLACES), Named(&WRITTEN_FIELDS), "what is written to {}", "DUT-12";
    WrittenValue Register(64), Named(&REGISTERS), "what is written to {}", "DUT-12";
    Stored Register(64), Named(&TYPES), "the mask of the bits that {} has", "ETY-02";
    TypeClearsPrevious Never, One, "a write of PMEVTYPER<n>_EL0 clears C_P", "DUT-24";
    SetOrClear Choice(WAYS), Named(&REGISTERS), "a write of {}", "DUT-23";
    SparesCounting Never, Named(&REGISTERS), "a write of {} does not reach the bits of counters that have an increment in the cycle", "DUT-12";
    Implemented Register(64), Named(&REGISTERS), "the mask of the counters that there are, in a write of {}", "DUT-12";
    CollWritten Pick(BITS), Named(&COLLS), "what is written to {}", "SPE-43";
    SystemUnit Word(6), Named(&REGISTERS), "SPMSELR_EL0.SYSPMUSEL as {} uses it", "SPMU-16";
    Bank Word(2), Named(&REGISTERS), "SPMSELR_EL0.BANK as {} uses it", "SPMU-16";
    SystemBits Constant(7), Named(&REGISTERS), "the number of bits of {}", "SPMU-04";
    // Which counters count.
    Enable Bit, One, "PMCR_EL0.E", "DUT-14";
    Enabled Register(32), One, "PMCNTENSET_EL0", "DUT-14";
    Allowed Register(32), One, "counting_allowed", "DUT-14";
    EnabledBy Choice(ENABLED_BY), One, "what enables an event counter or PMCCNTR_EL0", "DUT-14";
    MayCount Bit, Counters, "whether the counter is enabled", "DUT-14";
    SomeThread Bit, Counters, "whether any thread of the counter is not filtered", "DUT-50";
    // Fields of a type.
    FieldPlace Choice(PLACES), Named(&FIELDS_OF_TYPE), "what is taken for {} of PMEVTYPER<n>_EL0", "ETY-02";
    // Filters.
    FilterBit Bit, Named(&FILTERS), "{} as the filter has it", "ETY-20";
    FilteredThread Index(4), Named(&THREADS), "the state that {} is filtered by", "DUT-50";
    FilteredLevel Word(2), One, "the Exception level that is filtered by", "ETY-20";
    FilteredSecurity Word(2), One, "the Security state that is filtered by", "ETY-20";
    FilterRow Index(10), Named(&FILTERED), "the row of the filter for {}", "ETY-20";
    FilterField Pick(FILTERS.each()), Named(&FILTERED), "the first field that filters {}", "ETY-20";
    FilterOther Pick(FILTERS.each()), Named(&FILTERED), "the second field that filters {}", "ETY-20";
    FilterFunction Choice(FILTER_FUNCTIONS), Named(&FILTERED), "what of the two fields filters {}", "ETY-20";
    FilteredByRow Bit, Named(&FILTERED), "the filter of {}", "ETY-20";
    FilteredByMode Bit, Named(&MODES), "the filter of {}", "ETY-22";
    Filtered Bit, Counters, "the filter", "ETY-20";
    // Threads.
    Mt Bit, Counters, "MT", "ETY-21";
    Mtpme Pick(CONTROLS.each()), Named(&MTPMES), "{}, as MT has an effect with it,", "ETY-21";
    MtEnabled Bit, Counters, "whether MT has an effect", "ETY-21";
    ThreadEvent Bit, Named(&THREAD_EVENTS), "whether {} is of the threads", "DUT-51";
    NotOfThread Bit, Counters, "the filter of an event of thread 0 for a counter with MT 1", "DUT-51";
    OwnThread Index(4), Named(&THREAD_EVENTS), "{} with MT 0: the thread", "CYC-03";
    OwnActive And, Named(&THREAD_EVENTS), "{} with MT 0: whether the thread is active", "CYC-04";
    OwnAwake And, Named(&THREAD_EVENTS), "{} with MT 0: whether the thread is out of WFI and WFE state", "CYC-07";
    StallCondition Pick(CONDITIONS_OF_THREADS), Named(&THREAD_EVENTS), "the condition of {}", "CYC-11";
    AlsoNeeds Choice(NEEDS), Named(&THREAD_EVENTS), "what {} needs beside its condition", "CYC-11";
    SecondCondition Pick(CONDITIONS_OF_THREADS), Named(&THREAD_EVENTS), "the second condition of {}", "CYC-11";
    OtherCondition Pick(CONDITIONS_OF_THREADS), One, "the condition of a thread that event 0x00C1 counts", "CYC-13";
    GroupAwake And, Named(&THREAD_EVENTS), "{} with MT 1: whether a thread is out of WFI and WFE state", "CYC-10";
    AnyAwake And, Named(&THREAD_EVENTS), "{} with MT 1: whether any thread is out of WFI and WFE state", "CYC-10";
    AnySecond And, Named(&THREAD_EVENTS), "{} with MT 1: the second condition", "CYC-11";
    StallOfAll Choice(&["all threads", "any thread", "thread 0"]), Named(&THREAD_EVENTS), "{} with MT 1: the threads that must stall", "CYC-12";
    Sum Word(16), One, "the sum of INST_RETIRED over the threads", "CYC-14";
    SumOf Choice(SUMS), One, "what INST_RETIRED comes to of several threads", "CYC-14";
    SumTerm Word(16), Named(&THREADS), "INST_RETIRED of {} as it is added", "CYC-14";
    ThreadCounted Bit, Named(&THREADS), "whether {} is counted", "DUT-50";
    ThreadBits Word(7), Named(&THREADS), "the conditions of {} (bit 0 active, 1 in WFx, 2 to 4 stalls, 5 second, 6 other)", "CYC-04";
    ThreadConditions Index(4), Named(&THREADS), "the conditions of {}", "CYC-04";
    // Values.
    Event Word(16), Counters, "evtCount", "DUT-16";
    EventSeen Word(16), Named(&DECODERS), "evtCount as {} has it", "DUT-51";
    Lane Index(64), Counters, "the event lane", "DUT-51";
    NextToo Never, Counters, "the event of the next number is counted too", "DUT-16";
    LastToo Never, Counters, "the event of the number before is counted too", "DUT-16";
    NoEvent Constant(2), Counters, "the value of an event that is not supported", "DUT-16";
    SampleEvent Index(4), Named(&SAMPLE_EVENTS), "the event {}", "SPE-45";
    Base Word(16), Counters, "V_B", "DUT-16";
    ChainIsOdd Bit, Counters, "whether CHAIN counts by the number of the counter", "DUT-17";
    ChainFrom Index(31), Counters, "the counter whose overflow CHAIN counts", "DUT-17";
    Chain Bit, Counters, "CHAIN", "DUT-17";
    // Threshold, edge, link.
    Tc Word(3), Counters, "TC", "TH-20";
    Te Bit, Counters, "TE", "TH-23";
    Tlc Word(2), Counters, "TLC", "TH-25";
    Th Word(12), Counters, "TH", "TH-08";
    ComparedBase Word(16), Named(&CONDITIONS), "V_B in the condition {}", "TH-20";
    ComparedTh Word(12), Named(&CONDITIONS), "TH in the condition {}", "TH-20";
    Condition Compare, Named(&CONDITIONS), "the condition {}", "TH-20";
    CountsOne Bit, Counters, "TC[0]", "TH-22";
    Linked Word(16), Counters, "V[n-1] as an odd counter links to it", "TH-25";
    LinkedFromStopped Never, Counters, "an odd counter links to V_B[n-1] of a counter that is filtered", "TH-26";
    LinkedFromDisabled Never, Counters, "the odd counter above links to V_B[n] where the counter is not enabled", "TH-26";
    Result Choice(RESULTS), Named(&TABLE_ROWS), "V of {}", "TH-22";
    OneOfThreshold Constant(2), One, "the 1 that V and V_T can be", "TH-22";
    Edge Choice(COUNTED_EDGES), Named(&EDGES), "what counts as {}", "TH-23";
    Previous Bit, Counters, "C_P", "TH-24";
    PreviousNext Bit, Counters, "C_T as it becomes C_P", "TH-28";
    PreviousHeld Never, Named(&HELD), "C_P is held while {}", "TH-28";
    Reserved Bit, Counters, "whether {TC, TE, TLC} is reserved", "TH-30";
    BypassTc And, Counters, "TC, where threshold counting is turned off,", "TH-27";
    BypassTh And, Counters, "TH, where threshold counting is turned off,", "TH-27";
    BypassTe And, Counters, "TE, where threshold counting is turned off,", "TH-27";
    BypassTlc And, Counters, "TLC, where threshold counting is turned off,", "TH-27";
    Bypassed Bit, Counters, "whether threshold, edge and link are turned off", "TH-27";
    V Word(16), Counters, "V", "TH-22";
    Shown Word(16), Counters, "V as it is shown", "DUT-15";
    // Counters.
    Added Word(16), Counters, "V as it is added to the counter", "DUT-22";
    Long Bit, Counters, "PMCR_EL0.LP", "DUT-22";
    OverflowBit Constant(7), Named(&COUNTERS), "the number of bits of {} out of which it overflows", "DUT-22";
    CarryOfLong Bit, Counters, "the overflow of a counter with LP 1", "DUT-22";
    Carry Bit, Counters, "the overflow", "DUT-22";
    LostBeyondZero Never, Counters, "an overflow that leads beyond zero is lost", "DUT-22";
    OverflowOfWritten And, Named(&WRITES), "an overflow of a counter {} sets its flag: that it is lost", "DUT-20";
    FlagOf Index(31), Counters, "the overflow flag that is set", "DUT-22";
    ChainIsShort And, One, "PMCR_EL0.LP, where CHAIN counts an overflow,", "DUT-17";
    ChainOfWritten And, Named(&WRITES), "CHAIN counts an overflow of a counter {}: that it is lost", "DUT-20";
    CarryReaches Always, Counters, "no carry reaches bits 63:32 of the counter", "DUT-22";
    Stops Never, One, "a counter stays at its greatest value", "DUT-22";
    Sum64 Register(64), Counters, "the sum that the counter takes", "DUT-22";
    CyclesWait Never, One, "PMCCNTR_EL0 stands still in WFI and WFE state", "DUT-14";
    CyclesIdle Never, One, "PMCCNTR_EL0 counts only while the thread is active", "DUT-14";
    Overflowed Register(32), One, "the overflow flags that are set", "DUT-23";
    Cleared Register(32), One, "the overflow flags that PMOVSCLR_EL0 clears", "DUT-23";
    FlagsByP Never, One, "PMCR_EL0.P clears the overflow flags", "DUT-21";
    FlagsByC Never, One, "PMCR_EL0.C clears the overflow flag of PMCCNTR_EL0", "DUT-21";
    OverflowWins Always, One, "an overflow is lost to a write of PMOVSCLR_EL0", "DUT-23";
    WriteWins Always, Counters, "a write of a counter is lost to its increment", "DUT-20";
    AddsToWrite Never, Counters, "the increment of the cycle is added to what is written to a counter", "DUT-20";
    ResetByP Pick(CONTROLS_OF_PMCR), One, "what zeroes the event counters", "DUT-21";
    ResetByC Pick(CONTROLS_OF_PMCR), One, "what zeroes PMCCNTR_EL0", "DUT-21";
    ZeroedByP Register(32), One, "the counters that PMCR_EL0.P zeroes", "DUT-21";
    // Sampling.
    Profiling Bit, One, "whether profiling is enabled", "SPE-10";
    Operations Word(4), One, "the operations of a cycle", "SPE-28";
    CountedOperations Word(4), One, "the number of operations that COUNT is counted down for", "SPE-20";
    Starts Bit, One, "whether profiling becomes enabled", "SPE-10";
    CountsDisabled Bit, One, "whether operations count down COUNT", "SPE-10";
    Rnd Bit, One, "PMSIRR_EL1.RND", "SPE-12";
    Ernd Bit, One, "PMSIDR_EL1.ERnd", "SPE-12";
    StartsFromZero And, Named(&INTERVALS), "{}, where enabling profiling loads the interval,", "SPE-10";
    StartLoads Bit, One, "whether enabling profiling loads the interval", "SPE-10";
    LoadedByte Word(8), One, "the random number that COUNT is loaded with", "SPE-12";
    LoadedInterval Word(24), One, "INTERVAL as COUNT is loaded with it", "SPE-12";
    Loaded Register(32), One, "what COUNT is loaded with", "SPE-12";
    Secondary Bit, One, "whether ECOUNT is used", "SPE-22";
    CountReached Compare, One, "COUNT and 0", "SPE-20";
    CountedDown Constant(8), Named(&COUNTED_DOWN), "what an operation takes from {}", "SPE-20";
    EcountedDown Constant(8), One, "what an operation takes from ECOUNT", "SPE-22";
    EcountReached Compare, One, "ECOUNT and 0", "SPE-22";
    LoadedEcount Word(8), One, "the random number that ECOUNT is loaded with", "SPE-22";
    ZeroSelects And, One, "that the random number is zero, where an operation is selected at once,", "SPE-22";
    Discard Bit, One, "whether samples in flight are discarded", "SPE-11";
    Complete Word(4), One, "the samples that complete", "SPE-47";
    Completed Word(8), One, "the number of samples that completion takes from those in flight", "SPE-47";
    Left Choice(COMBINED), One, "what samples in flight and those that complete leave in flight", "SPE-47";
    Fed Choice(COMBINED), One, "what samples in flight and those that are fed come to", "SPE-47";
    Filtrate Choice(COMBINED), One, "what SAMPLE_FILTRATE makes of the samples that complete and those that filtering removes", "DUT-63";
    LastPlace Always, Named(&INTERVALS), "{} that expires with the last operation of a cycle selects none", "SPE-20";
    EcountRuns And, One, "that ECOUNT is not zero, where it is counted down,", "SPE-22";
    BufferTaken Always, Named(&COLLS), "a write of the register of {} changes that bit alone", "SPE-43";
    FreesLate Never, One, "samples that complete make room from the next cycle on", "SPE-47";
    First Word(8), One, "the place of the first operation that is selected", "DUT-60";
    Room Compare, One, "the samples in flight and the most that there can be", "SPE-41";
    CollCleared Never, One, "a sample that does not collide clears COLL", "SPE-43";
    Pmsee Word(2), One, "PMSEE", "SPE-42";
    Ee Word(2), One, "EE", "SPE-42";
    CollTarget Choice(&["PMBSR_EL1.COLL", "PMBSR_EL2.COLL", "PMBSR_EL3.COLL"]), Named(&TARGETS), "what a collision sets with {}", "SPE-42";
    CollSet Always, Named(&COLLS), "a collision does not set {}", "SPE-41";
    CollWithout Never, Named(&COLLS), "{} is set in every cycle, without a collision", "SPE-41";
    FilteredOut Word(4), One, "the samples that filtering removes", "DUT-63";
    PopulationEnabled And, One, "that profiling is enabled, where SAMPLE_POP counts,", "SPE-45";
    SampleValue Word(8), Named(&SAMPLE_EVENTS), "the value of {}", "SPE-45";
    CollisionReloads Always, One, "an operation that collides leaves COUNT at 0", "SPE-41";
    Selected Word(5), One, "the number of operations selected", "SPE-32";
    Collided Word(5), One, "the number of operations that collide", "SPE-41";
}

impl Site {
    fn facts(self) -> &'static (Kind, Instances, &'static str, &'static str) {
        &Self::FACTS[self as usize]
    }

    /// What is decided.
    pub fn kind(self) -> Kind {
        self.facts().0
    }

    /// What its instances are.
    pub fn instances(self) -> Instances {
        self.facts().1
    }

    /// Its name, with `{}` for that of an instance.
    pub(super) fn text(self) -> &'static str {
        self.facts().2
    }

    /// The rule that decides.
    pub fn rule(self) -> &'static str {
        self.facts().3
    }

    /// The site that decides as a whole what this one is a part of: a mutant there says the same more plainly.
    pub fn whole(self) -> Option<Self> {
        use Site::*;
        match self {
            AccessLevel | RuleLevel | Control | ControlOfRow | MaskedInHost | Hpmn
            | HpmnCounter | Reserves | PmuacrBit | Pmuacr | ReadOnlyByEr => Some(Rule),
            Enable | Enabled | Allowed | SomeThread => Some(MayCount),
            Event | EventSeen | Lane | NoEvent => Some(Base),
            FilterBit | FilteredLevel | FilteredSecurity | FilterRow | FilterField
            | FilterOther | FilterFunction | FilteredByRow | FilteredByMode => Some(Filtered),
            _ => None,
        }
    }

    /// Bits of the number that is decided.
    #[inline]
    pub(super) fn width(self) -> u8 {
        match self.kind() {
            Kind::Word(bits) | Kind::Register(bits) | Kind::Constant(bits) => bits,
            _ => 64,
        }
    }
}
