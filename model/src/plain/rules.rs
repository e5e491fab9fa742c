//! Who may access what: ETY-40 for `PMEVTYPER<n>_EL0`, SPMU-30 for what describes a System PMU.

use crate::contract::{AccessOutcome, CycleInput, control};
use crate::evtyper::configuration::{BadHpmn, OutOfRange};

use super::access::Outcome;
use super::mutant::Relation;
use super::operators::Operators;
use super::site::Site;
use super::{Plain, state};

/// The rows of ETY-40, as numbers of the instances of [`Site::Rule`].
const A: usize = 0;
const B: usize = 1;
const C: usize = 2;
const D: usize = 3;
const E: usize = 4;
const F: usize = 5;
const G: usize = 6;
const I: usize = 7;
/// The first row of SPMU-30.
const S: usize = 8;

/// A control, as a row has it.
fn control<O: Operators>(operators: &mut O, row: usize, input: &CycleInput, mask: u32) -> bool {
    let bit = mask.trailing_zeros() as usize;
    let value = operators.pick(Site::Control, bit, input.controls.into(), bit);
    // The same control in one row alone.
    operators.bit(Site::ControlOfRow, 20 * row + bit, value)
}

impl Plain {
    /// ETY-40: the rows in their order.
    pub(super) fn type_access<O: Operators>(
        &mut self,
        operators: &mut O,
        n: u8,
        is_write: bool,
        driven: bool,
        input: &CycleInput,
    ) -> Outcome {
        let absent = n >= self.fixed.implementation.pmu.counters;
        let driven = operators.bit(Site::RulesApply, 0, driven);
        if !driven {
            let absent = operators.bit(Site::Rule, A, absent);
            return match absent {
                true => self.out_of_range(false),
                false => Outcome::Access,
            };
        }
        let level = operators.word(Site::AccessLevel, 0, input.threads[0].level().into());
        let mut order = [A, B, C, D, E, F, G, I];
        let first = operators.index(Site::Order, 0, 0, 8);
        if first > 0 {
            order.swap(first - 1, first.min(7));
        }
        for row in order {
            if let Some(outcome) =
                self.type_row(operators, row, (n, absent, level, is_write), input)
            {
                let number = operators.index(Site::RuleOutcome, row, outcome.number(), 8);
                return Outcome::from_number(number);
            }
        }
        Outcome::Access
    }

    /// What a row of ETY-40 comes to, if it applies.
    fn type_row<O: Operators>(
        &self,
        operators: &mut O,
        row: usize,
        (n, absent, level, is_write): (u8, bool, u64, bool),
        input: &CycleInput,
    ) -> Option<Outcome> {
        let implementation = &self.fixed.implementation;
        let pe = &implementation.pe;
        let priority = implementation.knobs.el3_trap_priority_sdd;
        let el2 = pe.el2;
        let is = |operators: &mut O, mask: u32| control(operators, row, input, mask);
        let at = |operators: &mut O, relation: Relation, of: u64| {
            operators.compare(Site::RuleLevel, row, relation, (level, of))
        };
        let (applies, outcome) = match row {
            A => (absent, self.out_of_range(false)),
            B if !priority => return None,
            B => {
                let sdd = is(operators, control::HALTED) && is(operators, control::EDSCR_SDD);
                let tpm3 = pe.el3 && is(operators, control::MDCR_EL3_TPM);
                (
                    at(operators, Relation::Ne, 3) && sdd && tpm3,
                    Outcome::UNDEFINED,
                )
            }
            C => {
                let uen = pe.pmuv3p9 && is(operators, control::USERENR_UEN);
                let enabled = is(operators, control::USERENR_EN) || uen;
                let tge = is(operators, control::TGE);
                let to_el2 = el2 && is(operators, control::EL2_ENABLED) && tge;
                let target = match to_el2 {
                    true => AccessOutcome::TrapEl2,
                    false => AccessOutcome::TrapEl1,
                };
                (
                    at(operators, Relation::Eq, 0) && !enabled,
                    Outcome::Other(target),
                )
            }
            D => {
                let e2h = pe.vhe && is(operators, control::E2H);
                let tge = is(operators, control::TGE);
                let masked = level == 0 && operators.bit(Site::MaskedInHost, 0, e2h && tge);
                let trap = match is_write {
                    false => is(operators, control::HDFGRTR),
                    true => is(operators, control::HDFGWTR),
                };
                let enabled = el2 && is(operators, control::EL2_ENABLED);
                let fgten = !pe.el3 || is(operators, control::FGTEN);
                let below = at(operators, Relation::Lt, 2);
                let applies = below && enabled && pe.fgt && fgten && trap && !masked;
                (applies, Outcome::Other(AccessOutcome::TrapEl2))
            }
            E => {
                let enabled = el2 && is(operators, control::EL2_ENABLED);
                let tpm = is(operators, control::MDCR_EL2_TPM);
                let host = pe.vhe
                    && level == 0
                    && input.controls & control::E2H != 0
                    && input.controls & control::TGE != 0;
                let masked = operators.bit(Site::MaskedInHost, 1, false) && host;
                let applies = at(operators, Relation::Lt, 2) && enabled && tpm && !masked;
                (applies, Outcome::Other(AccessOutcome::TrapEl2))
            }
            F => {
                let enabled = el2 && is(operators, control::EL2_ENABLED);
                let hpmn = operators.word(Site::Hpmn, 0, (input.hpmn & 31).into()) as u8;
                let hpmn = self.effective_hpmn(hpmn);
                let n = operators.word(Site::HpmnCounter, 0, n.into());
                let reserved = operators.compare(Site::Reserves, 0, Relation::Ge, (n, hpmn.into()));
                let applies = at(operators, Relation::Lt, 2) && enabled && reserved;
                (applies, self.out_of_range(true))
            }
            G => {
                let tpm3 = pe.el3 && is(operators, control::MDCR_EL3_TPM);
                let halted = is(operators, control::HALTED);
                let sdd = is(operators, control::EDSCR_SDD) && halted;
                let outcome = match sdd {
                    true => AccessOutcome::Undefined,
                    false => AccessOutcome::TrapEl3,
                };
                (
                    at(operators, Relation::Ne, 3) && tpm3,
                    Outcome::Other(outcome),
                )
            }
            _ => {
                let uen = pe.pmuv3p9 && is(operators, control::USERENR_UEN);
                let n = operators.index(Site::PmuacrBit, 0, n.into(), 31) as u32 & 31;
                let p = operators.bit(Site::Pmuacr, is_write.into(), input.pmuacr >> n & 1 == 1);
                let er = is_write && is(operators, control::USERENR_ER);
                let masked = !p || operators.bit(Site::ReadOnlyByEr, 0, er);
                let applies = at(operators, Relation::Eq, 0) && uen && masked;
                (applies, Outcome::Nothing)
            }
        };
        operators.bit(Site::Rule, row, applies).then_some(outcome)
    }

    /// ETY-43.
    fn effective_hpmn(&self, hpmn: u8) -> u8 {
        let counters = self.fixed.implementation.pmu.counters;
        let legal = hpmn <= counters && (hpmn != 0 || self.fixed.implementation.pe.hpmn0);
        match self.fixed.implementation.knobs.bad_hpmn {
            _ if legal => hpmn,
            BadHpmn::Cap => hpmn.min(counters),
            BadHpmn::All => counters,
        }
    }

    /// Rows A and F.
    fn out_of_range(&self, reserved: bool) -> Outcome {
        let implementation = &self.fixed.implementation;
        let knobs = &implementation.knobs;
        let behaviour = match (implementation.pe.fgt, reserved) {
            (true, false) => OutOfRange::Undef,
            (true, true) => OutOfRange::TrapEl2,
            (false, false) => knobs.oor_unimplemented,
            (false, true) => knobs.oor_reserved,
        };
        match behaviour {
            OutOfRange::RazWi => Outcome::Nothing,
            OutOfRange::Nop | OutOfRange::Alias => Outcome::Other(AccessOutcome::Nop),
            OutOfRange::TrapEl2 if reserved => Outcome::Other(AccessOutcome::TrapEl2),
            OutOfRange::TrapEl2 | OutOfRange::Undef => Outcome::UNDEFINED,
        }
    }

    /// SPMU-30, for the System PMU that is selected.
    pub(super) fn system_access<O: Operators>(
        &mut self,
        operators: &mut O,
        affinity: bool,
        is_write: bool,
        input: &CycleInput,
    ) -> Outcome {
        if is_write {
            return Outcome::UNDEFINED;
        }
        let unit = self.state.get(state::SYSTEM_SELECT) >> 4;
        let pe = &self.fixed.implementation.pe;
        let priority = self.fixed.implementation.knobs.el3_trap_priority_sdd;
        let level = operators.word(Site::AccessLevel, 1, input.threads[0].level().into());
        let unit = operators.word(Site::AccessrUnit, 0, unit);
        // DUT-38: SYSPMUSEL > 31 is reserved.
        let p = |register: u64| match unit {
            0..=31 => register >> (2 * unit) & 3,
            _ => 0b11,
        };
        let of_el2 = operators.word(Site::Accessr, 0, p(input.spmaccessr_el2));
        let of_el3 = operators.word(Site::Accessr, 1, p(input.spmaccessr_el3));
        let halted = control(operators, S, input, control::HALTED);
        let sdd = control(operators, S, input, control::EDSCR_SDD) && halted;
        let el2 = pe.el2 && control(operators, S, input, control::EL2_ENABLED);
        let el2 = operators.compare(Site::RuleLevel, S + 2, Relation::Eq, (level, 1)) && el2;
        let el3 = operators.compare(Site::RuleLevel, S + 6, Relation::Lt, (level, 3)) && pe.el3;
        let enpm2 = control(operators, S + 5, input, control::MDCR_EL3_ENPM2);
        let enspm = control(operators, S + 3, input, control::MDCR_EL2_ENSPM);
        let not_trapped = match affinity {
            true => control(operators, S + 2, input, control::NOT_TRAPPED_SPMDEVAFF),
            false => control(operators, S + 2, input, control::NOT_TRAPPED_SPMID),
        };
        let fgten = !pe.el3 || control(operators, S + 2, input, control::FGTEN2);
        let trap_el3 = match sdd {
            true => Outcome::UNDEFINED,
            false => Outcome::Other(AccessOutcome::TrapEl3),
        };
        let trap_el2 = Outcome::Other(AccessOutcome::TrapEl2);
        let at_el0 = operators.compare(Site::RuleLevel, S, Relation::Eq, (level, 0));
        let rows = [
            (at_el0, Outcome::UNDEFINED),
            (
                priority && sdd && el3 && (!enpm2 || of_el3 == 0),
                Outcome::UNDEFINED,
            ),
            (el2 && pe.fgt2 && (!fgten || !not_trapped), trap_el2),
            (el2 && !enspm, trap_el2),
            (el2 && of_el2 == 0, trap_el2),
            (el3 && !enpm2, trap_el3),
            (el3 && of_el3 == 0, trap_el3),
        ];
        let mut order: [usize; 7] = std::array::from_fn(|row| row);
        let first = operators.index(Site::Order, 1, 0, 7);
        if first > 0 {
            order.swap(first - 1, first.min(6));
        }
        for row in order {
            let (applies, outcome) = rows[row];
            if operators.bit(Site::Rule, S + row, applies) {
                let number = operators.index(Site::RuleOutcome, S + row, outcome.number(), 8);
                return Outcome::from_number(number);
            }
        }
        Outcome::Access
    }
}
