//! Why an access had its outcome: encodings, the rows of ETY-40, the steps of SPMU-30, and the syndrome.

use pmu_model::contract::control;
use pmu_model::evtyper::access::Row;
use pmu_model::evtyper::configuration::AccessModel;
use pmu_model::pmu::access::{Access, Decision};
use pmu_model::spmu::access::Clause;
use pmu_model::{AccessKind, AccessOutcome, SysReg};

use super::super::words;
use super::Explainer;
use lockstep_engine::lockstep::compare::access_name;

impl Explainer<'_> {
    pub(super) fn access_outcome(&mut self) {
        let input = self.cycle.input;
        let record = &self.cycle.record;
        let access = record.access;
        let expected = AccessOutcome::name_of(access.outcome() as u8);
        let kind = AccessKind::from_code(input.access_kind);
        let verb = match kind {
            AccessKind::None => {
                self.step("no register access in this cycle".into(), &["DUT-32"]);
                return;
            }
            AccessKind::Read | AccessKind::Read32 | AccessKind::ExternalRead => "read",
            AccessKind::Write | AccessKind::Write32 | AccessKind::ExternalWrite => "write",
        };
        let name = access_name(&input);
        let register = match kind {
            AccessKind::ExternalRead | AccessKind::ExternalWrite => {
                self.step(
                    format!("external {verb} of {name}: {expected}: no trap applies to it"),
                    &["DUT-37"],
                );
                return;
            }
            AccessKind::Read32 | AccessKind::Write32 => {
                SysReg::from_address_32(input.access_address)
            }
            _ => SysReg::from_address(input.access_address),
        };
        let Some(register) = register else {
            let rule = if matches!(kind, AccessKind::Read | AccessKind::Write) {
                "DUT-30"
            } else {
                "DUT-36"
            };
            self.step(
                format!("{verb} of {name}: no such register: {expected}"),
                &[rule],
            );
            return;
        };
        let is_alias = matches!(register, SysReg::Pmxevtyper | SysReg::Pmxevcntr);
        let sel = self.model.register(SysReg::Pmselr);
        if is_alias {
            self.setting(SysReg::Pmselr, format!("SEL = {sel}"));
        }
        match record.decision {
            Decision::Row(row, n) => self.row(row, n, verb),
            Decision::System(clause, pmu) => self.clause(clause, pmu, register),
            Decision::Unrestricted => {}
        }
        let counters = self.model.register(SysReg::Pmcr) >> 11 & 31;
        let (why, rules): (_, &[&str]) = match (record.decision, access) {
            (Decision::Row(row, _), _) if row != Row::A && self.cycle.input.driven & 1 == 0 => (
                "the PE state does not hold (driven bit 0 is 0): full privilege, and no row but (a) applies".into(),
                &["DUT-35"],
            ),
            (Decision::Row(..), _) => ("that row decides".into(), &["DUT-35", "ETY-44"]),
            (Decision::System(..), _) => ("that step decides".into(), &["DUT-38"]),
            (_, Access::Read(_) | Access::ReadHalf(..) | Access::Write(..)) => {
                ("the access is permitted".into(), &["DUT-32"])
            }
            (_, Access::Undefined) if !self.has(register) => {
                ("the implementation does not have it".into(), &["DUT-30"])
            }
            (_, Access::Undefined) if is_alias => (
                format!("SEL = {sel}, with {counters} event counters"),
                &["DUT-31", "DUT-33"],
            ),
            (_, Access::Undefined) if matches!(register, SysReg::Pmevcntr(_)) => {
                (format!("there are {counters} event counters"), &["DUT-31"])
            }
            _ => ("it is read-only".into(), &["DUT-30"]),
        };
        self.step(format!("{verb} of {name}: {expected}: {why}"), rules);
    }

    /// Whether the implementation has what the register is of.
    fn has(&self, register: SysReg) -> bool {
        match register {
            SysReg::Pmsicr | SysReg::Pmsirr | SysReg::Pmsidr | SysReg::Pmbsr(_) => {
                self.model.sampling().has(register)
            }
            _ if register.is_of_system_pmus() => self.model.system_pmus().any(),
            _ => true,
        }
    }

    /// A control of the PE as `name = value`.
    fn control(&self, bit: u32) -> String {
        let name = control::NAMES[bit.trailing_zeros() as usize];
        let value = u8::from(self.cycle.input.controls & bit != 0);
        format!("{name} = {value}")
    }

    fn controls(&self, bits: &[u32]) -> String {
        let texts: Vec<_> = bits.iter().map(|&bit| self.control(bit)).collect();
        texts.join(", ")
    }

    /// The row of ETY-40 that decides, with the controls that it looks at.
    fn row(&mut self, row: Row, n: u8, verb: &str) {
        let input = self.cycle.input;
        let implementation = self.model.implementation();
        let counters = implementation.pmu.counters;
        let state = words::state(input.threads[0]);
        let year = match implementation.knobs.access_model {
            AccessModel::Current => "",
            AccessModel::Year2021 => " of 2021",
        };
        if input.driven & 1 == 0 && row != Row::A {
            return;
        }
        let fine_grained = if verb == "read" {
            control::HDFGRTR
        } else {
            control::HDFGWTR
        };
        let el3_in_debug_state = [control::MDCR_EL3_TPM, control::HALTED, control::EDSCR_SDD];
        let (why, rules): (_, &[&str]) = match row {
            Row::A => (
                format!("counter {n} is not implemented, there are {counters}"),
                &["ETY-40", "ETY-42"],
            ),
            Row::B => (self.controls(&el3_in_debug_state), &["ETY-40"]),
            Row::C => (
                self.controls(&[
                    control::USERENR_EN,
                    control::USERENR_UEN,
                    control::EL2_ENABLED,
                    control::TGE,
                ]),
                &["ETY-40"],
            ),
            Row::D => (
                self.controls(&[
                    control::EL2_ENABLED,
                    control::FGTEN,
                    fine_grained,
                    control::E2H,
                    control::TGE,
                ]),
                &["ETY-40"],
            ),
            Row::E => (
                self.controls(&[control::EL2_ENABLED, control::MDCR_EL2_TPM]),
                &["ETY-40", "ETY-41"],
            ),
            Row::F => (
                format!(
                    "{}, MDCR_EL2.HPMN = {}, of {counters} counters",
                    self.control(control::EL2_ENABLED),
                    input.hpmn & 31
                ),
                &["ETY-40", "ETY-42", "ETY-43"],
            ),
            Row::G => (self.controls(&el3_in_debug_state), &["ETY-40"]),
            Row::H => (
                format!(
                    "{}, MDCR_EL2.HPMN = {}, of {counters} counters",
                    self.control(control::EL2_ENABLED),
                    input.hpmn & 31
                ),
                &["ETY-40", "ETY-42", "ETY-43"],
            ),
            Row::I => (
                format!(
                    "{}, PMUACR_EL1.P{n} = {}, {}",
                    self.control(control::USERENR_UEN),
                    input.pmuacr >> n & 1,
                    self.control(control::USERENR_ER)
                ),
                &["ETY-40"],
            ),
            Row::J => ("no row before it applies".into(), &["ETY-40"]),
        };
        let row = format!("{row:?}").to_lowercase();
        self.step(
            format!("counter {n}, from {state}: row ({row}){year}: {why}"),
            rules,
        );
    }

    /// The step of SPMU-30 that decides, with the controls that it looks at.
    fn clause(&mut self, clause: Clause, pmu: u8, register: SysReg) {
        let input = self.cycle.input;
        let spmselr = format!("SYSPMUSEL = {pmu}");
        self.setting(SysReg::Spmselr, spmselr);
        if input.driven & 1 == 0 && clause != Clause::ReadOnly {
            return;
        }
        let state = words::state(input.threads[0]);
        let p = |register: u64| match pmu {
            0..=31 => register >> (2 * pmu) & 3,
            _ => 3,
        };
        let not_trapped = if register == SysReg::Spmdevaff {
            control::NOT_TRAPPED_SPMDEVAFF
        } else {
            control::NOT_TRAPPED_SPMID
        };
        let in_debug_state = self.controls(&[control::HALTED, control::EDSCR_SDD]);
        let access_el3 = format!("SPMACCESSR_EL3.P{pmu} = {:02b}", p(input.spmaccessr_el3));
        let (step, why) = match clause {
            Clause::ReadOnly => ("a write", "the register is read-only".into()),
            Clause::El0 => ("EL0", "UNDEFINED at EL0".into()),
            Clause::Priority => (
                "step (1) or (2)",
                format!(
                    "{}, {access_el3}, {in_debug_state}",
                    self.control(control::MDCR_EL3_ENPM2)
                ),
            ),
            Clause::FineGrained => (
                "step (3)",
                self.controls(&[control::EL2_ENABLED, control::FGTEN2, not_trapped]),
            ),
            Clause::EnSpm => (
                "step (4)",
                self.controls(&[control::EL2_ENABLED, control::MDCR_EL2_ENSPM]),
            ),
            Clause::AccessEl2 => (
                "step (5)",
                format!(
                    "{}, SPMACCESSR_EL2.P{pmu} = {:02b}",
                    self.control(control::EL2_ENABLED),
                    p(input.spmaccessr_el2)
                ),
            ),
            Clause::EnPm2 => (
                "step (6)",
                format!(
                    "{}, {in_debug_state}",
                    self.control(control::MDCR_EL3_ENPM2)
                ),
            ),
            Clause::AccessEl3 => ("step (7)", format!("{access_el3}, {in_debug_state}")),
            Clause::Read => ("step (8)", "no step before it applies".into()),
        };
        let rules: &[&str] = if clause == Clause::ReadOnly {
            &["SPMU-06"]
        } else {
            &["SPMU-30"]
        };
        self.step(
            format!("{register} of System PMU {pmu}, from {state}: {step}: {why}"),
            rules,
        );
    }

    /// ISS of the exception, field by field.
    pub(super) fn trap_iss(&mut self) {
        let input = self.cycle.input;
        let kind = AccessKind::from_code(input.access_kind);
        if !matches!(self.cycle.record.access, Access::Trap(_)) {
            self.step("without a trap it is 0".into(), &["ETY-45"]);
            return;
        }
        if !matches!(kind, AccessKind::Read | AccessKind::Write) {
            self.step(
                "the syndrome of an MRC or MCR is not compared: 0".into(),
                &["DUT-36"],
            );
            return;
        }
        self.access_outcome();
        let (expected, rtl) = (self.difference.expected, self.difference.rtl);
        let fields = [
            ("op0", 21, 20),
            ("op2", 19, 17),
            ("op1", 16, 14),
            ("CRn", 13, 10),
            ("Rt", 9, 5),
            ("CRm", 4, 1),
            ("Direction", 0, 0),
        ];
        let texts = fields.map(|(name, high, low)| {
            let of = |iss: u64| iss >> low & (u64::MAX >> (63 - (high - low)));
            if of(expected) == of(rtl) {
                format!("{name} = {}", of(expected))
            } else {
                format!("{name} = {}, RTL {}", of(expected), of(rtl))
            }
        });
        self.step(format!("ISS: {}", texts.join("; ")), &["ETY-45"]);
    }
}
