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
}

macro_rules! rules {
    ($($id:literal, $clause:literal, $statement:literal;)+) => {
        /// All rules, in order of id.
        pub const RULES: &[Rule] = &[$(Rule { id: $id, clause: $clause, statement: $statement }),+];
    };
}

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
    "TH-10", "D13.8 RXFGYS note", "the link uses V[n-1] of the same cycle";
    "TH-11", "D13.8 RFLGYG note", "the link input is V[n-1], after its own threshold and edge, never V_B[n-1]";
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
    "TH-35", "K1.2.19", "V of a counter in a reserved configuration is not compared";
    "TH-36", "D13.8 RMRPVL", "reserved combinations are told by Effective values";
    "TH-50", "D13.3", "PMEVCNTR<n>_EL0 += V[n]; the overflow flag is set by the carry out of bit 31 or 63";
    "TH-51", "D13.8 RHXHZC", "an even counter without an odd partner is not linked";
    "ETY-01", "D24.5.12", "encodings of PMEVTYPER<n>_EL0 and PMXEVTYPER_EL0";
    "ETY-02", "D24.5.12", "fields of PMEVTYPER<n>_EL0 by feature";
    "ETY-03", "D24.5.12", "TH[11:THWIDTH] are RES0";
    "ETY-04", "D24.5.12", "reset value";
    "ETY-05", "D24.5.12", "RES0 bits ignore writes and read as zero; present fields read as written";
    "ETY-10", "D24.5.12", "TC = 000 and TH = 0: threshold function disabled";
    "ETY-30", "D24.5.12", "an unsupported event counts nothing; evtCount reads as written";
    "ETY-32", "D24.5.12", "without FEAT_PMUv3p1 evtCount has 10 bits";
    "ETY-44", "D24.5.12", "an UNDEFINED access has no side effect";
    "DUT-10", "dut-contract 5", "in a cycle of reset all outputs are 0";
    "DUT-11", "dut-contract 5", "reset state: all zero but read-only and RES1 fields";
    "DUT-12", "dut-contract 5", "a write takes effect from the next cycle";
    "DUT-13", "dut-contract 5", "a read returns the state at the start of its cycle";
    "DUT-14", "dut-contract 5", "counting[n] = PMCR_EL0.E AND PMCNTENSET_EL0.P<n> AND counting allowed";
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
    "DUT-33", "dut-contract 6", "PMXEVTYPER_EL0 and PMXEVCNTR_EL0 use SEL at the start of the cycle";
}

/// The rule with `id`.
///
/// # Panics
/// If there is no such rule; ids are literals of this crate and of the reports.
pub fn rule(id: &str) -> &'static Rule {
    RULES
        .iter()
        .find(|rule| rule.id == id)
        .expect("a rule id of the table")
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
