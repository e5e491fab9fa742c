//! The rules that the model implements: id, clause of the architecture, and the statement in one line.
//!
//! Ids are those of the requirements list; `DUT-nn` are the statements of `docs/dut-contract.md`.

use serde::Serialize;

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// Id, such as `TH-20`.
    pub id: &'static str,
    /// Clause of the architecture, or of the contract.
    pub clause: &'static str,
    /// The statement in one line.
    pub statement: &'static str,
    /// Whether it can be taken in a cycle.
    #[serde(skip)]
    pub takes: Takes,
}

/// Where a rule is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// In some cycle of a run: [`crate::coverage`] counts it.
    Cycle,
    /// Fixed by the implementation, and checked without a run, for this reason.
    Static(&'static str),
    /// Not by the design at all, for this reason.
    Outside(&'static str),
}

macro_rules! takes {
    () => {
        Takes::Cycle
    };
    ($takes:expr) => {
        $takes
    };
}

macro_rules! rules {
    ($($id:literal, $clause:literal, $statement:literal $(=> $takes:expr)?;)+) => {
        /// All rules, in order of id.
        pub const RULES: &[Rule] = &[
            $(Rule { id: $id, clause: $clause, statement: $statement, takes: takes!($($takes)?) }),+
        ];
    };
}

use Takes::{Outside, Static};

rules! {
    "TH-01", "D13.8 RHVGCV", "threshold counting is enabled iff TC != 000 or TH != 0";
    "TH-02", "D13.8 RQVYDV", "without FEAT_PMUv3_TH the Effective {TC, TH} are {000, 0}";
    "TH-03", "D13.8 RGWTCZ", "edge counting is enabled iff TE == 1";
    "TH-04", "D13.8 RSGLNM", "without FEAT_PMUv3_EDGE the Effective TE is 0";
    "TH-05", "D13.8 RHXHZC", "TLC links an odd counter n to n-1";
    "TH-06", "D13.8 RMRPVL", "without FEAT_PMUv3_TH2, or for even n, the Effective TLC is 00";
    "TH-07", "D24.5 PMMIR_EL1", "PMMIR_EL1 tells THWIDTH and EDGE";
    "TH-08", "D24.5 PMMIR_EL1.THWIDTH", "TH[11:THWIDTH] are RES0: the comparison uses TH[THWIDTH-1:0]";
    "TH-09", "D13.8 RJJRJQ", "a counter that is not counting has V_B = C_T = V_T = V = 0";
    "TH-10", "D13.8 IGNYJH", "the link uses V[n-1] of the same cycle";
    "TH-11", "D13.8 RFLGYG note", "the link input is V[n-1], after its own threshold and edge, never V_B[n-1]";
    "TH-12", "D13.8, A2", "thresholds apply in AArch32 too, where TC, TE, TLC and TH cannot be accessed" => Outside("the contract has no Execution state: it makes no difference");
    "TH-20", "D13.8 RWXVGN", "C_T: TC[2:1] = 00 V_B != TH, 01 V_B == TH, 10 V_B >= TH, 11 V_B < TH";
    "TH-21", "PMEVTYPER<n>_EL0.TC", "V_B and TH are compared unsigned and at full width";
    "TH-22", "D13.8 RNXPYM", "C_E: TC[0] = 0 C_P != C_T, TC[0] = 1 C_T rises";
    "TH-23", "D13.8 RYKFCB", "V_T: C_T ? (TC[0] ? 1 : V_B) : 0";
    "TH-24", "D13.8 RXFGYS", "V_T of an odd counter: rows (A) to (E) of Table D13-5, by TLC and TC[0]";
    "TH-25", "D13.8 RBGDTJ", "V_E = C_E";
    "TH-26", "D13.8 RFLGYG", "V_E of an odd counter: rows (F) and (G) of Table D13-6, by TLC";
    "TH-27", "D13.8 RHBWBB", "V = V_E if TE, V_T if any of TC, TH, TLC is nonzero, else V_B";
    "TH-28", "D13.8 RJJRJQ", "C_P is C_T of the previous cycle if counting was allowed then, else 0";
    "TH-29", "D13.8 RJJRJQ", "C_P is 0 in the first counted cycle";
    "TH-30", "D13.8 RJJRJQ ff.", "TLC = 11 on an odd counter is reserved";
    "TH-31", "D13.8 RJJRJQ ff.", "{TC[0], TE, TLC} = {1, 0, 10} on an odd counter is reserved";
    "TH-32", "D13.8 RJJRJQ ff.", "{TE, TLC} = {1, 01} on an odd counter is reserved";
    "TH-33", "D13.8 RJJRJQ ff.", "{TC[1:0], TE} = {00, 1} is reserved";
    "TH-34", "K1.2.19", "a reserved combination behaves as some allocated one, or has no effect; it may read as UNKNOWN";
    "TH-35", "K1.2.19", "V of a counter in a reserved configuration is not compared";
    "TH-36", "D13.8 RMRPVL", "reserved combinations are told by Effective values";
    "TH-40", "Example D13-4", "TC = 010, TH = 4: counts 4 when V_B is 4";
    "TH-41", "Example D13-5", "TC = 101, TH = 2: counts 1 when V_B is 2 or more";
    "TH-42", "Example D13-6", "TH = 0, TE = 1: leading, falling and both edges of V_B != 0";
    "TH-43", "Example D13-7", "logical functions of two counters by linking";
    "TH-44", "D13.8 IYTVPB", "TC = 100, TLC = 10: counts V[n-1] only if V_B >= TH";
    "TH-45", "D13.8 RMRLWN", "which events are coincident is IMPLEMENTATION DEFINED" => Outside("V_B of a cycle is what the stimulus drives");
    "TH-50", "D13.3", "PMEVCNTR<n>_EL0 += V[n]; the overflow flag is set by the carry out of bit 31 or 63";
    "TH-51", "D13.8 RHXHZC", "an even counter without an odd partner is not linked";
    "ETY-01", "D24.5.12", "encodings of PMEVTYPER<n>_EL0 and PMXEVTYPER_EL0";
    "ETY-02", "D24.5.12", "fields of PMEVTYPER<n>_EL0 by feature";
    "ETY-03", "D24.5.12", "TH[11:THWIDTH] are RES0";
    "ETY-04", "D24.5.12", "reset value";
    "ETY-05", "D24.5.12", "RES0 bits ignore writes and read as zero; present fields read as written";
    "ETY-10", "D24.5.12", "TC = 000 and TH = 0: threshold function disabled";
    "ETY-20", "PMEVTYPER<n>_EL0.{P, U, NSK, NSU, NSH, M, SH, RLK, RLU, RLH}", "filtering by Exception level and Security state";
    "ETY-21", "PMEVTYPER<n>_EL0.MT", "the Effective MT is 0 where FEAT_MTPMU is implemented and Disabled";
    "ETY-22", "PMEVTYPER<n>_EL0.VS", "filtering in or out of Streaming mode";
    "ETY-23", "D13.8 RJJRJQ", "a filtered counter is not counting: its V is 0";
    "ETY-24", "D13.7.1", "with Effective MT = 1 the state is that of the thread that an event is attributed to";
    "ETY-30", "D24.5.12", "an unsupported event counts nothing; evtCount reads as written";
    "ETY-31", "PMEVTYPER<n>_EL0.evtCount", "without FEAT_PMUv3p8 only 0x0000-0x003F and 0x4000-0x403F are defined to count nothing";
    "ETY-32", "D24.5.12", "without FEAT_PMUv3p1 evtCount has 10 bits";
    "ETY-40", "PMEVTYPER<n>_EL0 accesses", "rows a to j decide about an access, the first that applies";
    "ETY-41", "PMEVTYPER<n>_EL0 accesses", "MDCR_EL2.TPM at EL0 is not masked by HCR_EL2.{E2H, TGE}";
    "ETY-42", "PMEVTYPER<n>_EL0 accesses", "without FEAT_FGT an access out of range is CONSTRAINED UNPREDICTABLE";
    "ETY-43", "MDCR_EL2.HPMN", "counters that are accessible where EL2 is enabled";
    "ETY-44", "D24.5.12", "an UNDEFINED access has no side effect";
    "ETY-45", "ISS encoding, EC 0x18", "ISS of a trapped MRS or MSR";
    "SPE-01", "D24.7 PMSICR_EL1", "fields of PMSICR_EL1: ECOUNT[63:56] with FEAT_SPE_ERnd, COUNT[31:0]";
    "SPE-02", "D24.7 PMSIRR_EL1", "fields of PMSIRR_EL1: INTERVAL[31:8], RND[0]";
    "SPE-03", "D24.7 PMSIDR_EL1", "PMSIDR_EL1 tells ERnd, and a minimum interval that is guidance only";
    "SPE-04", "D24.7 PMBSR_ELx", "fields of PMBSR_ELx; COLL is bit 16";
    "SPE-05", "D14.3", "SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_COLLISION are 0x4000 to 0x4003";
    "SPE-10", "D17.3.3", "PMSICR_EL1 is loaded when profiling becomes enabled, iff all of it is zero";
    "SPE-11", "D17.3.5", "while profiling is disabled nothing is selected and the counters hold";
    "SPE-12", "D17.3.3", "a load: COUNT[31:8] = INTERVAL, COUNT[7:0] = RND and no ERnd ? random byte : 0";
    "SPE-20", "D17.3.4", "while nonzero, COUNT decrements by 1 for each member of the sample population";
    "SPE-21", "D17.3.4.1, D17.3.4.2", "COUNT reaches zero: a member is selected and COUNT is loaded";
    "SPE-22", "D17.3.4.3", "RND with ERnd: COUNT is loaded, ECOUNT = random byte; zero selects a member";
    "SPE-23", "D17.3.4.3", "RND with ERnd: ECOUNT decrements beside COUNT; reaching zero selects a member";
    "SPE-24", "D17.3.4", "the interval is INTERVAL * 256 + 1 without RND, and so on average with ERnd";
    "SPE-25", "D17.3.3", "the first selection from PMSICR_EL1 = 0 is operation INTERVAL * 256 + 1, plus the byte";
    "SPE-26", "D17.3.3", "sampling restarts from the current values of a nonzero PMSICR_EL1";
    "SPE-27", "D17.3.4", "COUNT is seen to reach zero";
    "SPE-28", "D17.3.4", "several operations in a cycle count one after another, in program order";
    "SPE-29", "D24.7 PMSIRR_EL1", "with INTERVAL = 0 the interval is UNKNOWN";
    "SPE-30", "D17.3.2", "one byte is drawn per load (RND, no ERnd) or per expiry of COUNT (RND, ERnd), else none";
    "SPE-31", "D17.3.1", "ERnd tells whether the random number comes before or after the reload";
    "SPE-32", "D17.3.6", "the selected operation is the one that the counters say";
    "SPE-33", "D17.2.1", "only members of the sample population count" => Outside("only members of the sample population are driven");
    "SPE-34", "D17.1.2", "only operations of the profiled thread count" => Outside("only operations of the profiled thread are driven");
    "SPE-40", "D17.3.7 RQWTQB", "the maximum number of simultaneous samples is IMPLEMENTATION DEFINED";
    "SPE-41", "D17.3.7 IQYCRM", "a selection with that many samples in flight collides";
    "SPE-42", "D17.3.7", "a collision: SAMPLE_COLLISION, PMBSR_ELx.COLL = 1 of one ELx, and no sample";
    "SPE-43", "D17.3.7", "only a direct write clears COLL";
    "SPE-44", "D17.3.4", "the counters are reloaded for a selection that collides too";
    "SPE-45", "D14.3", "SAMPLE_POP counts operations while enabled, SAMPLE_FEED selections that do not collide";
    "SPE-46", "D17.3.7 RLTMKQ", "COLL is visible from the end of the cycle of the collision";
    "SPE-47", "D17.3.1", "a sample is in flight until it completes";
    "CYC-01", "D14.4", "CPU_CYCLES and PMCCNTR count cycles of the processor clock";
    "CYC-02", "D14.4", "whether they count in WFI or WFE state is IMPLEMENTATION SPECIFIC";
    "CYC-03", "D14.4", "stall events count no cycle that CPU_CYCLES does not count";
    "CYC-04", "D14.4.1", "a thread that might execute instructions is active, also while it is stalled";
    "CYC-05", "D14.4.1", "SMT: all threads are active; FGMT: one, in turns; SoEMT: one at most" => Outside("the stimulus drives a form; the model takes any, and the cross `activity` has what it drove");
    "CYC-06", "D14.4.1", "whether a thread in WFI or WFE state is active is IMPLEMENTATION SPECIFIC";
    "CYC-07", "D14.4.1", "MT = 0, not in WFI or WFE: CPU_CYCLES counts Processor cycles with the thread active";
    "CYC-08", "D14.4.1", "MT = 0, active in WFI or WFE: whether CPU_CYCLES counts is IMPLEMENTATION SPECIFIC";
    "CYC-09", "D14.4.1", "MT = 1, any thread not in WFI or WFE: CPU_CYCLES counts each Processor cycle once";
    "CYC-10", "D14.4.1", "MT = 1, all threads in WFI or WFE: events that count cycles under a condition do not";
    "CYC-11", "D14.4.1", "MT = 1: the stall condition for all threads, and the second condition for any";
    "CYC-12", "D14.4.1", "the second condition of STALL, STALL_FRONTEND and STALL_BACKEND is TRUE";
    "CYC-13", "D14.4.1", "MT = 1: any other condition of a cycle for any thread";
    "CYC-14", "D14.4.1", "MT = 1: all other events sum over the threads";
    "CYC-15", "D14.4.1", "MT = 0: the conditions and counts of the thread itself";
    "CYC-16", "PMEVTYPER<n>_EL0.MT", "the group is the PEs with equal affinity at level 1 and above";
    "CYC-17", "D14.4.2", "PMCCNTR counts every Processor cycle, active or not, whatever MT";
    "CYC-18", "D13.5", "PMCCNTR counts only while enabled";
    "CYC-19", "D14.4.2", "increments of PMCCNTR are visible to direct reads in finite time" => Outside("DUT-13 says what a read returns");
    "CYC-20", "PMEVTYPER<n>_EL0.MT", "the Effective MT decides, not the field";
    "CYC-21", "D14.4.1", "events that count cycles count at most 1 in a Processor cycle";
    "SPMU-01", "D24.5 SPMIIDR_EL1", "fields of SPMIIDR_EL1; RAZ if not implemented";
    "SPMU-02", "D24.5 SPMDEVARCH_EL1", "fields of SPMDEVARCH_EL1; PRESENT = 1 if implemented, else RAZ";
    "SPMU-03", "D24.5 SPMDEVAFF_EL1", "fields of SPMDEVAFF_EL1; RAZ if not implemented";
    "SPMU-04", "D24.5 SPMCFGR_EL1", "fields of SPMCFGR_EL1, and the widths that SIZE allows";
    "SPMU-05", "D24.5 SPMCGCR<n>_EL1", "N<m> is the number of counters in Counter Group 8n + m; RAZ if NCG is 0";
    "SPMU-06", "D24.5", "the registers that describe a System PMU are read-only";
    "SPMU-10", "D15.2", "there are NCG + 1 Counter Groups, at most 15";
    "SPMU-11", "D15.2", "a Counter Group has 0 to max counters";
    "SPMU-12", "D15.2 Table D15-1", "max by number of Counter Groups";
    "SPMU-13", "D15.2", "the first counter of Counter Group g is SPMEVCNTR<g * max>_EL0";
    "SPMU-14", "D15.2 Example D15-1", "the Counter Groups have SPMCFGR_EL1.N + 1 counters in all, 1 to 64" => Static("Implementation::validate");
    "SPMU-15", "D15.2", "a counter is implemented if a Counter Group holds its index";
    "SPMU-16", "D15.3.2", "counter i is SPMEVCNTR<i MOD 16>_EL0 of bank i DIV 16";
    "SPMU-17", "D15.2", "N<m> of a Counter Group that does not exist is 0";
    "SPMU-18", "D24.5 SPMCFGR_EL1", "the registers of a System PMU that is not implemented are RAZ/WI";
    "SPMU-19", "D15.2 Example D15-1", "NCG = 1, SPMCGCR0_EL1 = 0x0604: counters 0 to 3 and 32 to 37, N = 0x09" => Static("an example: a test of spmu::configuration");
    "SPMU-20", "D15.2 IYKJXW", "software recognises SPMIIDR_EL1, else SPMDEVARCH_EL1, else uses SPMCFGR_EL1" => Outside("software");
    "SPMU-21", "D15.2", "the configuration decides about events, filters, interrupts and fixed-function counters" => Outside("IMPLEMENTATION DEFINED: registers of a System PMU change only by writes");
    "SPMU-30", "D24.5.33", "traps of reads of the registers that describe a System PMU";
    "DUT-01", "dut-contract 1", "inputs are sampled at the rising edge of the clock" => Static("the wrapper, on which every comparison rests");
    "DUT-02", "dut-contract 1", "outputs are stable when the clock has fallen, later by the latency that is declared" => Static("the wrapper, on which every comparison rests");
    "DUT-03", "dut-contract 1", "there is no asynchronous reset; every run starts with a cycle of reset" => Static("the wrapper, on which every comparison rests");
    "DUT-10", "dut-contract 5", "in a cycle of reset all outputs are 0";
    "DUT-11", "dut-contract 5", "reset state: all zero but read-only and RES1 fields";
    "DUT-12", "dut-contract 5", "a write takes effect from the next cycle";
    "DUT-13", "dut-contract 5", "a read returns the state at the start of its cycle";
    "DUT-14", "dut-contract 5", "counting[n] = PMCR_EL0.E AND PMCNTENSET_EL0.P<n> AND counting allowed AND NOT filtered";
    "DUT-15", "dut-contract 5", "V[n] is reported also when its increment is lost to a write";
    "DUT-16", "dut-contract 5", "V_B is the base value of event evtCount";
    "DUT-17", "dut-contract 5", "CHAIN on an odd counter counts overflows of counter n-1 out of bit 31";
    "DUT-20", "dut-contract 5", "a counter write wins over the increment of its cycle";
    "DUT-21", "dut-contract 5", "PMCR_EL0.P and .C zero the counters, not the flags";
    "DUT-22", "dut-contract 5", "overflow out of bit 63 with 64-bit counters and LP = 1, else out of bit 31";
    "DUT-23", "dut-contract 5", "an overflow is not lost to a write of PMOVSCLR_EL0";
    "DUT-24", "dut-contract 5", "a write of PMEVTYPER<n>_EL0 does not touch C_P";
    "DUT-30", "dut-contract 6", "an unknown encoding, or a write of a read-only register, is UNDEFINED";
    "DUT-31", "dut-contract 6", "registers of counters that are not implemented are UNDEFINED";
    "DUT-32", "dut-contract 6", "an UNDEFINED access changes nothing";
    "DUT-33", "dut-contract 6", "PMXEVTYPER_EL0, PMXEVCNTR_EL0 and System PMUs use SEL, SYSPMUSEL, BANK at the start of the cycle";
    "DUT-34", "dut-contract 6", "a reserved combination counts V_B in the bundled RTL";
    "DUT-35", "dut-contract 6", "accesses to PMEVTYPER<n>_EL0 follow ETY-40 where the PE is driven, else have full privilege";
    "DUT-36", "dut-contract 6", "MRC and MCR, with op0 = 3, reach bits [31:0] of PMSELR, PMXEVTYPER, PMEVTYPER<n> and PMCCFILTR";
    "DUT-37", "dut-contract 6", "external accesses reach halves of PMEVTYPER<n>_EL0 and PMCCFILTR_EL0; others of the frame are RAZ/WI";
    "DUT-38", "dut-contract 6", "accesses to registers that describe a System PMU follow SPMU-30 where the PE is driven";
    "DUT-40", "dut-contract 7", "$fatal, $stop, failed assertions and an early $finish end the run with a typed stop" => Outside("ends a run; no output of the design");
    "DUT-41", "dut-contract 7", "a design that does not come back from an evaluation is a hang" => Outside("ends a run; no output of the design");
    "DUT-42", "dut-contract 7", "a signal that ends the process of a design is a crash" => Outside("ends a run; no output of the design");
    "DUT-43", "dut-contract 7", "logic that does not settle ends the run with a verdict of its own" => Outside("ends a run; no output of the design");
    "DUT-44", "dut-contract 7", "what a design prints is kept: the last megabyte" => Outside("no output of the design");
    "DUT-50", "dut-contract 5", "the group of a counter, and filtered: of thread 0, or with MT = 1 every thread of the group";
    "DUT-51", "dut-contract 5", "values of events: lanes, CHAIN, events of the threads and of Statistical Profiling";
    "DUT-52", "dut-contract 5", "with the clock stopped nothing happens and the state stays as it is";
    "DUT-60", "dut-contract 5", "order: discard, becoming enabled, completion, operations, register writes";
    "DUT-61", "dut-contract 5", "each draw of the random number generator is reported in its cycle, and used";
    "DUT-62", "dut-contract 5", "from a load with INTERVAL = 0 to the next reset the interval is UNKNOWN";
    "DUT-63", "dut-contract 5", "SAMPLE_FILTRATE counts samples that complete and that filtering does not remove";
    "DUT-70", "dut-contract 8", "register accesses keep the interval that the design states" => Outside("decides what stimulus has; no output of the design");
    "DUT-71", "dut-contract 8", "increments may be hidden, or be the counters" => Outside("another form of the same outputs");
    "DUT-72", "dut-contract 8", "what the design lacks is never driven" => Outside("decides what stimulus has; no output of the design");
    "DUT-80", "dut-contract 2", "values that a field does not have, and bits that have no name, are never driven" => Outside("decides what stimulus has; no output of the design");
    "DUT-81", "dut-contract 2", "only states that the implementation can be in are driven" => Outside("decides what stimulus has; no output of the design");
    "DUT-82", "dut-contract 2", "EL2 is enabled where the state of the PE says so" => Outside("decides what stimulus has; no output of the design");
    "DUT-83", "dut-contract 2", "in Debug state nothing counts and nothing is profiled" => Outside("decides what stimulus has; no output of the design");
    "DUT-84", "dut-contract 2", "what no rule looks at may have any value" => Outside("what has no effect is in no output; stimulus drives it at random");
    "DUT-85", "dut-contract 4", "parameters that differ from the implementation file are an error" => Outside("ends a run; no output of the design");
    "DUT-86", "dut-contract 1", "the wrapper has no other input" => Outside("looked at when the design is built");
}

/// The rule with `id`, if there is one.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique() {
        for (i, rule) in RULES.iter().enumerate() {
            assert!(
                RULES[..i].iter().all(|other| other.id != rule.id),
                "{} twice",
                rule.id
            );
        }
    }
}
