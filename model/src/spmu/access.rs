//! Accesses to the registers that describe a System PMU, from AArch64 (SPMU-06, SPMU-30).

use crate::contract::{CycleInput, control};
use crate::evtyper::access::{Direction, Outcome};
use crate::evtyper::filter::ExceptionLevel;
use crate::implementation::Implementation;
use ExceptionLevel::{El0, El1, El2, El3};

/// Features and choices that decide about an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// EL2 is implemented.
    pub el2: bool,
    /// EL3 is implemented.
    pub el3: bool,
    /// FEAT_FGT2.
    pub fgt2: bool,
    /// The IMPLEMENTATION DEFINED "EL3 trap priority when SDD == '1'" (A-ETY-12).
    pub el3_trap_priority_sdd: bool,
}

impl Features {
    /// The features of `implementation`.
    pub fn of(implementation: &Implementation) -> Self {
        Self {
            el2: implementation.pe.el2,
            el3: implementation.pe.el3,
            fgt2: implementation.pe.fgt2,
            el3_trap_priority_sdd: implementation.knobs.el3_trap_priority_sdd,
        }
    }
}

/// State of the PE at an access; the fields of registers are those for the System PMU that is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// PSTATE.EL.
    pub level: ExceptionLevel,
    /// EL2 is enabled in the current Security state; without EL2 it has no effect.
    pub el2_enabled: bool,
    /// SCR_EL3.FGTEn2.
    pub fgten2: bool,
    /// HDFGRTR2_EL2.nSPMID, or .nSPMDEVAFF_EL1 for SPMDEVAFF_EL1.
    pub not_trapped: bool,
    /// MDCR_EL2.EnSPM.
    pub mdcr_el2_enspm: bool,
    /// SPMACCESSR_EL2.`P<s>`, 2 bits.
    pub spmaccessr_el2: u8,
    /// MDCR_EL3.EnPM2.
    pub mdcr_el3_enpm2: bool,
    /// SPMACCESSR_EL3.`P<s>`, 2 bits.
    pub spmaccessr_el3: u8,
    /// The PE is in Debug state.
    pub halted: bool,
    /// EDSCR.SDD.
    pub edscr_sdd: bool,
}

impl Context {
    /// The state of the PE in a cycle of the contract, for an access to System PMU `pmu`, and, if
    /// `device_affinity`, to its SPMDEVAFF_EL1.
    pub fn of_cycle(pmu: u8, device_affinity: bool, input: &CycleInput) -> Self {
        let is = |bit: u32| input.controls & bit != 0;
        // DUT-38: SYSPMUSEL > 31 is reserved.
        let p = |register: u64| match pmu {
            0..=31 => (register >> (2 * pmu) & 3) as u8,
            _ => 0b11,
        };
        Self {
            level: ExceptionLevel::from_code(input.threads[0].state),
            el2_enabled: is(control::EL2_ENABLED),
            fgten2: is(control::FGTEN2),
            not_trapped: is(if device_affinity {
                control::NOT_TRAPPED_SPMDEVAFF
            } else {
                control::NOT_TRAPPED_SPMID
            }),
            mdcr_el2_enspm: is(control::MDCR_EL2_ENSPM),
            spmaccessr_el2: p(input.spmaccessr_el2),
            mdcr_el3_enpm2: is(control::MDCR_EL3_ENPM2),
            spmaccessr_el3: p(input.spmaccessr_el3),
            halted: is(control::HALTED),
            edscr_sdd: is(control::EDSCR_SDD),
        }
    }
}

/// A step of SPMU-30.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Clause {
    /// SPMU-06: a write.
    ReadOnly,
    /// An access from EL0.
    El0,
    /// (1), (2): EL3 has priority over other traps in Debug state.
    Priority,
    /// (3): fine-grained trap.
    FineGrained,
    /// (4): MDCR_EL2.EnSPM.
    EnSpm,
    /// (5): SPMACCESSR_EL2.
    AccessEl2,
    /// (6): MDCR_EL3.EnPM2.
    EnPm2,
    /// (7): SPMACCESSR_EL3.
    AccessEl3,
    /// (8): the read happens.
    Read,
}

/// The step of SPMU-30 that decides about an access.
pub fn clause(direction: Direction, context: &Context, features: &Features) -> Clause {
    let sdd = context.halted && context.edscr_sdd;
    let el2 = context.level == El1 && features.el2 && context.el2_enabled;
    let el3 = context.level < El3 && features.el3;
    let disabled_at_el3 = el3 && (!context.mdcr_el3_enpm2 || context.spmaccessr_el3 == 0);
    let fine_grained = features.fgt2 && ((features.el3 && !context.fgten2) || !context.not_trapped);
    match () {
        () if direction == Direction::Write => Clause::ReadOnly,
        () if context.level == El0 => Clause::El0,
        () if features.el3_trap_priority_sdd && sdd && disabled_at_el3 => Clause::Priority,
        () if el2 && fine_grained => Clause::FineGrained,
        () if el2 && !context.mdcr_el2_enspm => Clause::EnSpm,
        () if el2 && context.spmaccessr_el2 == 0 => Clause::AccessEl2,
        () if el3 && !context.mdcr_el3_enpm2 => Clause::EnPm2,
        () if disabled_at_el3 => Clause::AccessEl3,
        () => Clause::Read,
    }
}

/// SPMU-30: what comes of an access; SPMU-06: a write is UNDEFINED.
pub fn access(direction: Direction, context: &Context, features: &Features) -> Outcome {
    outcome(clause(direction, context, features), context)
}

/// What comes of an access that `clause` decides.
pub fn outcome(clause: Clause, context: &Context) -> Outcome {
    let sdd = context.halted && context.edscr_sdd;
    match clause {
        Clause::ReadOnly | Clause::El0 | Clause::Priority => Outcome::Undefined,
        Clause::FineGrained | Clause::EnSpm | Clause::AccessEl2 => Outcome::Trap(El2),
        Clause::EnPm2 | Clause::AccessEl3 if sdd => Outcome::Undefined,
        Clause::EnPm2 | Clause::AccessEl3 => Outcome::Trap(El3),
        Clause::Read => Outcome::Access,
    }
}

#[cfg(test)]
mod tests {
    use super::Direction::{Read, Write};
    use super::*;

    const ALL: Features = Features {
        el2: true,
        el3: true,
        fgt2: true,
        el3_trap_priority_sdd: false,
    };

    fn permissive(level: ExceptionLevel) -> Context {
        Context {
            level,
            el2_enabled: true,
            fgten2: true,
            not_trapped: true,
            mdcr_el2_enspm: true,
            spmaccessr_el2: 1,
            mdcr_el3_enpm2: true,
            spmaccessr_el3: 1,
            halted: false,
            edscr_sdd: false,
        }
    }

    /// Outcomes of a read from EL1, EL2, EL3, in words.
    fn reads(features: &Features, change: impl Fn(&mut Context)) -> [&'static str; 3] {
        [El1, El2, El3].map(|level| {
            let mut context = permissive(level);
            change(&mut context);
            match access(Read, &context, features) {
                Outcome::Access => "ok",
                Outcome::Undefined => "undef",
                Outcome::Trap(El2) => "EL2",
                Outcome::Trap(El3) => "EL3",
                _ => "?",
            }
        })
    }

    #[test]
    fn spmu_06_a_write_is_undefined() {
        for level in [El0, El1, El2, El3] {
            assert_eq!(access(Write, &permissive(level), &ALL), Outcome::Undefined);
        }
    }

    #[test]
    fn spmu_30_el0_has_no_access() {
        assert_eq!(access(Read, &permissive(El0), &ALL), Outcome::Undefined);
        assert_eq!(reads(&ALL, |_| ()), ["ok"; 3]);
    }

    #[test]
    fn spmu_30_traps_to_el2() {
        let trapped = ["EL2", "ok", "ok"];
        assert_eq!(reads(&ALL, |c| c.fgten2 = false), trapped);
        assert_eq!(reads(&ALL, |c| c.not_trapped = false), trapped);
        assert_eq!(reads(&ALL, |c| c.mdcr_el2_enspm = false), trapped);
        assert_eq!(reads(&ALL, |c| c.spmaccessr_el2 = 0), trapped);
        let disabled = |c: &mut Context| (c.el2_enabled, c.mdcr_el2_enspm) = (false, false);
        assert_eq!(reads(&ALL, disabled), ["ok"; 3]);
        let no_fgt2 = Features { fgt2: false, ..ALL };
        let fine = |c: &mut Context| (c.fgten2, c.not_trapped) = (false, false);
        assert_eq!(reads(&no_fgt2, fine), ["ok"; 3]);
        let no_el3 = Features { el3: false, ..ALL };
        assert_eq!(reads(&no_el3, |c| c.fgten2 = false), ["ok"; 3]);
    }

    #[test]
    fn spmu_30_traps_to_el3() {
        let trapped = ["EL3", "EL3", "ok"];
        assert_eq!(reads(&ALL, |c| c.mdcr_el3_enpm2 = false), trapped);
        assert_eq!(reads(&ALL, |c| c.spmaccessr_el3 = 0), trapped);
        let no_el3 = Features { el3: false, ..ALL };
        assert_eq!(reads(&no_el3, |c| c.mdcr_el3_enpm2 = false), ["ok"; 3]);
    }

    #[test]
    fn spmu_30_debug_state_with_sdd_is_undefined_instead_of_a_trap_to_el3() {
        let halted = |c: &mut Context| {
            (c.mdcr_el3_enpm2, c.mdcr_el2_enspm, c.halted, c.edscr_sdd) =
                (false, false, true, true);
        };
        assert_eq!(reads(&ALL, halted), ["EL2", "undef", "ok"]);
        let priority = Features {
            el3_trap_priority_sdd: true,
            ..ALL
        };
        assert_eq!(reads(&priority, halted), ["undef", "undef", "ok"]);
    }
}
