//! Accesses to `PMEVTYPER<n>_EL0` from AArch64 (ETY-40..45).
//!
//! The table of ETY-40 is a list of [`Row`]s in order; the first row that applies decides.

use crate::contract::{CycleInput, control};
use crate::sysreg::SysReg;

use super::EventTypeRegister;
use super::configuration::{AccessModel, BadHpmn, OutOfRange};
use super::filter::ExceptionLevel;
use crate::implementation::Implementation;
use crate::number::Number;
use ExceptionLevel::{El0, El1, El2, El3};

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// MRS.
    Read,
    /// MSR.
    Write,
}

/// State of the PE at an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// PSTATE.EL.
    pub level: ExceptionLevel,
    /// EL2 is enabled in the current Security state; without EL2 it has no effect.
    pub el2_enabled: bool,
    /// HCR_EL2.E2H; without FEAT_VHE it has no effect.
    pub e2h: bool,
    /// HCR_EL2.TGE.
    pub tge: bool,
    /// PMUSERENR_EL0.EN.
    pub userenr_en: bool,
    /// PMUSERENR_EL0.UEN.
    pub userenr_uen: bool,
    /// PMUSERENR_EL0.ER.
    pub userenr_er: bool,
    /// PMUACR_EL1.`P<n>`.
    pub pmuacr_p: bool,
    /// SCR_EL3.FGTEn.
    pub fgten: bool,
    /// HDFGRTR_EL2.PMEVTYPERn_EL0.
    pub hdfgrtr: bool,
    /// HDFGWTR_EL2.PMEVTYPERn_EL0.
    pub hdfgwtr: bool,
    /// MDCR_EL2.TPM.
    pub mdcr_el2_tpm: bool,
    /// MDCR_EL3.TPM.
    pub mdcr_el3_tpm: bool,
    /// MDCR_EL2.HPMN.
    pub hpmn: u8,
    /// The PE is in Debug state.
    pub halted: bool,
    /// EDSCR.SDD.
    pub edscr_sdd: bool,
}

impl Context {
    /// The state of the PE in a cycle of the contract, for an access to counter `n`.
    pub fn of_cycle(n: u8, input: &CycleInput) -> Self {
        let is = |bit: u32| input.controls & bit != 0;
        Self {
            level: ExceptionLevel::from_code(input.threads[0].state),
            el2_enabled: is(control::EL2_ENABLED),
            e2h: is(control::E2H),
            tge: is(control::TGE),
            userenr_en: is(control::USERENR_EN),
            userenr_uen: is(control::USERENR_UEN),
            userenr_er: is(control::USERENR_ER),
            pmuacr_p: input.pmuacr.checked_shr(n.into()).unwrap_or(0) & 1 == 1,
            fgten: is(control::FGTEN),
            hdfgrtr: is(control::HDFGRTR),
            hdfgwtr: is(control::HDFGWTR),
            mdcr_el2_tpm: is(control::MDCR_EL2_TPM),
            mdcr_el3_tpm: is(control::MDCR_EL3_TPM),
            hpmn: input.hpmn & 31,
            halted: is(control::HALTED),
            edscr_sdd: is(control::EDSCR_SDD),
        }
    }

    /// `level` with EL2 enabled, accesses from EL0 enabled, all counters accessible and no trap.
    pub fn permissive(level: ExceptionLevel) -> Self {
        Self {
            level,
            el2_enabled: true,
            e2h: false,
            tge: false,
            userenr_en: true,
            userenr_uen: false,
            userenr_er: false,
            pmuacr_p: true,
            fgten: true,
            hdfgrtr: false,
            hdfgwtr: false,
            mdcr_el2_tpm: false,
            mdcr_el3_tpm: false,
            hpmn: 31,
            halted: false,
            edscr_sdd: false,
        }
    }
}

/// What comes of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The access happens.
    Access,
    /// UNDEFINED.
    Undefined,
    /// System access trap to this Exception level, EC 0x18.
    Trap(ExceptionLevel),
    /// A read returns zero.
    ReadsZero,
    /// A write is ignored.
    WriteIgnored,
    /// Nothing happens: a read leaves its destination unchanged.
    NoOperation,
    /// The access reaches the register of an UNKNOWN accessible counter.
    Alias,
}

/// A row of the table of ETY-40.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Row {
    /// The counter is not implemented.
    A,
    /// EL3 has priority over other traps in Debug state.
    B,
    /// Accesses from EL0 are not enabled.
    C,
    /// Fine-grained trap.
    D,
    /// MDCR_EL2.TPM.
    E,
    /// MDCR_EL2.HPMN reserves the counter.
    F,
    /// MDCR_EL3.TPM.
    G,
    /// Rows A and F, for accesses that are otherwise permitted.
    H,
    /// PMUACR_EL1 and PMUSERENR_EL0.ER, with PMUSERENR_EL0.UEN.
    I,
    /// The access happens.
    J,
}

/// ETY-40: what comes of an access to `PMEVTYPER<n>_EL0`, and the row that decides.
pub fn access(
    n: u8,
    direction: Direction,
    context: &Context,
    configuration: &Implementation,
) -> (Outcome, Row) {
    let attempt = Attempt {
        n,
        direction,
        context,
        configuration,
    };
    let decided = match configuration.knobs.access_model {
        AccessModel::Current => attempt
            .decided_by(Row::A)
            .or_else(|| attempt.decided_by(Row::B))
            .or_else(|| attempt.decided_by(Row::C))
            .or_else(|| attempt.decided_by(Row::D))
            .or_else(|| attempt.decided_by(Row::E))
            .or_else(|| attempt.decided_by(Row::F))
            .or_else(|| attempt.decided_by(Row::G))
            .or_else(|| attempt.decided_by(Row::I)),
        // A-ETY-4.
        AccessModel::Year2021 => attempt
            .decided_by(Row::B)
            .or_else(|| attempt.decided_by(Row::C))
            .or_else(|| attempt.decided_by(Row::D))
            .or_else(|| attempt.decided_by(Row::E))
            .or_else(|| attempt.decided_by(Row::G))
            .or_else(|| attempt.decided_by(Row::H)),
    };
    decided.unwrap_or((Outcome::Access, Row::J))
}

/// An access, with all that decides about it.
struct Attempt<'a> {
    n: u8,
    direction: Direction,
    context: &'a Context,
    configuration: &'a Implementation,
}

impl Attempt<'_> {
    /// The outcome and `row`, if it applies.
    #[inline(always)]
    fn decided_by(&self, row: Row) -> Option<(Outcome, Row)> {
        Some((self.outcome(row)?, row))
    }

    /// The outcome if `row` applies. It is compiled for each row by itself.
    #[inline(always)]
    fn outcome(&self, row: Row) -> Option<Outcome> {
        let level = self.context.level;
        match row {
            Row::A => self.unimplemented().then(|| self.out_of_range(false)),
            Row::B => {
                let priority = self.configuration.knobs.el3_trap_priority_sdd;
                (level != El3 && priority && self.sdd() && self.tpm3())
                    .then_some(Outcome::Undefined)
            }
            Row::C => (level == El0 && !self.enabled_at_el0()).then(|| {
                let to_el2 = self.el2_enabled() && self.context.tge;
                Outcome::Trap(if to_el2 { El2 } else { El1 })
            }),
            Row::D => {
                let masked = level == El0 && self.e2h() && self.context.tge;
                (level < El2 && self.fine_grained_trap() && !masked).then_some(Outcome::Trap(El2))
            }
            Row::E => {
                // ETY-41: unlike row D, not masked by {E2H, TGE}.
                let tpm2 = self.el2_enabled() && self.context.mdcr_el2_tpm;
                (level < El2 && tpm2).then_some(Outcome::Trap(El2))
            }
            Row::F => self.reserved_by_hpmn(),
            Row::G => (level != El3 && self.tpm3()).then(|| {
                if self.sdd() {
                    Outcome::Undefined
                } else {
                    Outcome::Trap(El3)
                }
            }),
            Row::H => (self.unimplemented().then(|| self.out_of_range(false)))
                .or_else(|| self.reserved_by_hpmn()),
            Row::I => (level == El0 && self.user_enable())
                .then(|| self.masked_for_user())
                .flatten(),
            Row::J => Some(Outcome::Access),
        }
    }

    /// Row F.
    fn reserved_by_hpmn(&self) -> Option<Outcome> {
        let reserved =
            self.context.level < El2 && self.el2_enabled() && self.n >= self.effective_hpmn();
        reserved.then(|| self.out_of_range(true))
    }

    /// n >= the number of implemented counters.
    fn unimplemented(&self) -> bool {
        self.n >= self.configuration.pmu.counters
    }

    fn el2_enabled(&self) -> bool {
        self.configuration.pe.el2 && self.context.el2_enabled
    }

    fn e2h(&self) -> bool {
        self.configuration.pe.vhe && self.context.e2h
    }

    /// SDD of ETY-40.
    fn sdd(&self) -> bool {
        self.context.halted && self.context.edscr_sdd
    }

    /// TPM3 of ETY-40.
    fn tpm3(&self) -> bool {
        self.configuration.pe.el3 && self.context.mdcr_el3_tpm
    }

    /// FGT of ETY-40; without FEAT_FGT the trap bits are 0 (A-ETY-14).
    fn fine_grained_trap(&self) -> bool {
        let trap = match self.direction {
            Direction::Read => self.context.hdfgrtr,
            Direction::Write => self.context.hdfgwtr,
        };
        self.el2_enabled()
            && self.configuration.pe.fgt
            && (!self.configuration.pe.el3 || self.context.fgten)
            && trap
    }

    /// Row C: the current pseudocode knows PMUSERENR_EL0.UEN as well.
    fn enabled_at_el0(&self) -> bool {
        let current = self.configuration.knobs.access_model == AccessModel::Current;
        self.context.userenr_en || (current && self.user_enable())
    }

    /// FEAT_PMUv3p9 and PMUSERENR_EL0.UEN.
    fn user_enable(&self) -> bool {
        self.configuration.pe.pmuv3p9 && self.context.userenr_uen
    }

    /// Row I.
    fn masked_for_user(&self) -> Option<Outcome> {
        let Context {
            pmuacr_p,
            userenr_er,
            ..
        } = *self.context;
        match self.direction {
            Direction::Read if !pmuacr_p => Some(Outcome::ReadsZero),
            Direction::Write if !pmuacr_p || userenr_er => Some(Outcome::WriteIgnored),
            _ => None,
        }
    }

    /// ETY-43: Effective HPMN, where EL2 is enabled.
    fn effective_hpmn(&self) -> u8 {
        let counters = self.configuration.pmu.counters;
        let hpmn = self.context.hpmn;
        let legal = hpmn <= counters && (hpmn != 0 || self.configuration.pe.hpmn0);
        match self.configuration.knobs.bad_hpmn {
            _ if legal => hpmn,
            BadHpmn::Cap => hpmn.min(counters),
            BadHpmn::All => counters,
        }
    }

    /// Rows A and F: the counter is not implemented, or, if `reserved`, reserved by MDCR_EL2.HPMN.
    fn out_of_range(&self, reserved: bool) -> Outcome {
        let knobs = &self.configuration.knobs;
        let behaviour = match (self.configuration.pe.fgt, reserved) {
            (true, false) => OutOfRange::Undef,
            (true, true) => OutOfRange::TrapEl2,
            (false, false) => knobs.oor_unimplemented,
            (false, true) => knobs.oor_reserved,
        };
        match (behaviour, self.direction) {
            (OutOfRange::RazWi, Direction::Read) => Outcome::ReadsZero,
            (OutOfRange::RazWi, Direction::Write) => Outcome::WriteIgnored,
            (OutOfRange::Nop, _) => Outcome::NoOperation,
            (OutOfRange::Alias, _) => Outcome::Alias,
            // ETY-42: only counters that are implemented may trap.
            (OutOfRange::TrapEl2, _) if reserved => Outcome::Trap(El2),
            (OutOfRange::TrapEl2 | OutOfRange::Undef, _) => Outcome::Undefined,
        }
    }
}

/// ETY-44: carries `outcome` out on the register and on Xt. Only [`Outcome::Access`] reaches the register,
/// and only that and [`Outcome::ReadsZero`] change Xt; [`Outcome::Alias`] is another register's.
pub fn perform(
    outcome: Outcome,
    direction: Direction,
    register: &mut EventTypeRegister,
    xt: &mut u64,
) {
    match (outcome, direction) {
        (Outcome::Access, Direction::Read) => *xt = register.read(),
        (Outcome::Access, Direction::Write) => register.write(*xt),
        (Outcome::ReadsZero, _) => *xt = 0,
        _ => {}
    }
}

/// ETY-45: ISS of the trapped MRS or MSR of `PMEVTYPER<n>_EL0` and `X<rt>`.
pub fn trap_iss(n: Number<0, 30>, direction: Direction, rt: u8) -> u32 {
    trap_iss_of(SysReg::Pmevtyper(n).address(), direction, rt)
}

/// ETY-45: ISS of the trapped MRS or MSR of the System register at `address` and `X<rt>`.
pub fn trap_iss_of(address: u16, direction: Direction, rt: u8) -> u32 {
    let address = u32::from(address);
    let (op0, op1, op2) = (address >> 14, address >> 11 & 7, address & 7);
    let (crn, crm) = (address >> 7 & 15, address >> 3 & 15);
    let read = u32::from(direction == Direction::Read);
    op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | u32::from(rt & 31) << 5 | crm << 1 | read
}

#[cfg(test)]
mod tests {
    use super::Direction::{Read, Write};
    use super::*;

    const LEVELS: [ExceptionLevel; 4] = [El0, El1, El2, El3];

    fn configuration(counters: u8) -> Implementation {
        let mut configuration = Implementation::default();
        configuration.pmu.counters = counters;
        configuration
    }

    /// The default implementation with 8 counters and the order of 2021.
    fn of_2021() -> Implementation {
        let mut configuration = configuration(8);
        configuration.knobs.access_model = AccessModel::Year2021;
        configuration
    }

    /// Outcomes of an access to counter `n` from EL0 to EL3, in words.
    fn by_level(
        n: u8,
        direction: Direction,
        configuration: &Implementation,
        change: impl Fn(&mut Context),
    ) -> [&'static str; 4] {
        LEVELS.map(|level| {
            let mut context = Context::permissive(level);
            change(&mut context);
            word(access(n, direction, &context, configuration).0)
        })
    }

    fn word(outcome: Outcome) -> &'static str {
        match outcome {
            Outcome::Access => "ok",
            Outcome::Undefined => "undef",
            Outcome::Trap(El1) => "EL1",
            Outcome::Trap(El2) => "EL2",
            Outcome::Trap(_) => "EL3",
            Outcome::ReadsZero => "raz",
            Outcome::WriteIgnored => "wi",
            Outcome::NoOperation => "nop",
            Outcome::Alias => "alias",
        }
    }

    #[test]
    fn ety_40_j_without_traps_every_level_has_access() {
        for configuration in [configuration(8), of_2021()] {
            for direction in [Read, Write] {
                assert_eq!(by_level(7, direction, &configuration, |_| ()), ["ok"; 4]);
            }
        }
    }

    #[test]
    fn ety_40_a_unimplemented_counters_are_undefined() {
        for configuration in [configuration(8), of_2021()] {
            assert_eq!(by_level(8, Read, &configuration, |_| ()), ["undef"; 4]);
        }
    }

    #[test]
    fn ety_40_a_comes_first_but_in_2021_last() {
        let traps = |c: &mut Context| (c.userenr_en, c.mdcr_el3_tpm) = (false, true);
        assert_eq!(by_level(8, Read, &configuration(8), traps), ["undef"; 4]);
        assert_eq!(
            by_level(8, Read, &of_2021(), traps),
            ["EL1", "EL3", "EL3", "undef"]
        );
    }

    #[test]
    fn ety_40_b_el3_priority_in_debug_state_precedes_the_traps_to_el2() {
        let halted = |c: &mut Context| {
            (c.halted, c.edscr_sdd, c.mdcr_el3_tpm, c.mdcr_el2_tpm) = (true, true, true, true);
        };
        for mut configuration in [configuration(8), of_2021()] {
            assert_eq!(
                by_level(0, Read, &configuration, halted),
                ["EL2", "EL2", "undef", "ok"]
            );
            configuration.knobs.el3_trap_priority_sdd = true;
            assert_eq!(
                by_level(0, Read, &configuration, halted),
                ["undef", "undef", "undef", "ok"]
            );
            for bit in [
                |c: &mut Context| c.halted = false,
                |c: &mut Context| c.edscr_sdd = false,
            ] {
                let running = |c: &mut Context| {
                    halted(c);
                    bit(c);
                };
                let expected = ["EL2", "EL2", "EL3", "ok"];
                assert_eq!(by_level(0, Read, &configuration, running), expected);
            }
        }
    }

    #[test]
    fn ety_40_b_precedes_the_enable_of_el0() {
        let halted = |c: &mut Context| {
            (c.halted, c.edscr_sdd, c.mdcr_el3_tpm, c.userenr_en) = (true, true, true, false);
        };
        for mut configuration in [configuration(8), of_2021()] {
            configuration.knobs.el3_trap_priority_sdd = true;
            assert_eq!(by_level(0, Read, &configuration, halted)[0], "undef");
        }
    }

    #[test]
    fn ety_40_a_precedes_b_but_not_in_2021() {
        let halted = |c: &mut Context| {
            (c.halted, c.edscr_sdd, c.mdcr_el3_tpm) = (true, true, true);
        };
        for (mut configuration, expected) in [(configuration(8), "raz"), (of_2021(), "undef")] {
            configuration.pe.fgt = false;
            configuration.knobs.oor_unimplemented = OutOfRange::RazWi;
            configuration.knobs.el3_trap_priority_sdd = true;
            assert_eq!(by_level(8, Read, &configuration, halted)[1], expected);
        }
    }

    #[test]
    fn ety_40_c_el0_needs_pmuserenr_en() {
        for configuration in [configuration(8), of_2021()] {
            let disabled = |c: &mut Context| c.userenr_en = false;
            assert_eq!(
                by_level(0, Write, &configuration, disabled),
                ["EL1", "ok", "ok", "ok"]
            );
            let tge = |c: &mut Context| (c.userenr_en, c.tge) = (false, true);
            assert_eq!(
                by_level(0, Write, &configuration, tge),
                ["EL2", "ok", "ok", "ok"]
            );
            let no_el2 = |c: &mut Context| {
                (c.userenr_en, c.tge, c.el2_enabled) = (false, true, false);
            };
            assert_eq!(
                by_level(0, Write, &configuration, no_el2),
                ["EL1", "ok", "ok", "ok"]
            );
        }
    }

    #[test]
    fn ety_40_c_uen_enables_el0_with_pmuv3p9_but_not_in_2021() {
        let uen = |c: &mut Context| (c.userenr_en, c.userenr_uen) = (false, true);
        let mut current = configuration(8);
        assert_eq!(by_level(0, Read, &current, uen)[0], "ok");
        current.pe.pmuv3p9 = false;
        assert_eq!(by_level(0, Read, &current, uen)[0], "EL1");
        assert_eq!(by_level(0, Read, &of_2021(), uen)[0], "EL1");
    }

    #[test]
    fn ety_40_d_fine_grained_traps_are_by_direction() {
        let read = |c: &mut Context| c.hdfgrtr = true;
        let write = |c: &mut Context| c.hdfgwtr = true;
        let (none, trapped) = (["ok"; 4], ["EL2", "EL2", "ok", "ok"]);
        for configuration in [configuration(8), of_2021()] {
            assert_eq!(by_level(0, Read, &configuration, read), trapped);
            assert_eq!(by_level(0, Write, &configuration, read), none);
            assert_eq!(by_level(0, Read, &configuration, write), none);
            assert_eq!(by_level(0, Write, &configuration, write), trapped);
        }
    }

    #[test]
    fn ety_40_d_needs_fgt_and_fgten_where_there_is_el3() {
        let off = |c: &mut Context| (c.hdfgrtr, c.fgten) = (true, false);
        let mut configuration = configuration(8);
        assert_eq!(by_level(0, Read, &configuration, off), ["ok"; 4]);
        configuration.pe.el3 = false;
        assert_eq!(by_level(0, Read, &configuration, off)[1], "EL2");
        configuration.pe.fgt = false; // A-ETY-14
        assert_eq!(by_level(0, Read, &configuration, off)[1], "ok");
    }

    #[test]
    fn ety_40_d_is_masked_by_e2h_and_tge_at_el0_only() {
        let host = |c: &mut Context| (c.hdfgrtr, c.e2h, c.tge) = (true, true, true);
        let mut configuration = configuration(8);
        assert_eq!(
            by_level(0, Read, &configuration, host),
            ["ok", "EL2", "ok", "ok"]
        );
        let tge = |c: &mut Context| (c.hdfgrtr, c.tge) = (true, true);
        assert_eq!(by_level(0, Read, &configuration, tge)[0], "EL2");
        configuration.pe.vhe = false;
        assert_eq!(by_level(0, Read, &configuration, host)[0], "EL2", "no VHE");
    }

    #[test]
    fn ety_40_e_ety_41_mdcr_el2_tpm_is_not_masked_by_e2h_and_tge() {
        let trapped = ["EL2", "EL2", "ok", "ok"];
        for configuration in [configuration(8), of_2021()] {
            let tpm = |c: &mut Context| (c.mdcr_el2_tpm, c.e2h, c.tge) = (true, true, true);
            assert_eq!(by_level(0, Read, &configuration, tpm), trapped);
            let no_el2 = |c: &mut Context| (c.mdcr_el2_tpm, c.el2_enabled) = (true, false);
            assert_eq!(by_level(0, Read, &configuration, no_el2), ["ok"; 4]);
        }
    }

    #[test]
    fn ety_40_f_hpmn_reserves_counters_for_el2() {
        let hpmn = |c: &mut Context| c.hpmn = 4;
        for configuration in [configuration(8), of_2021()] {
            assert_eq!(by_level(3, Read, &configuration, hpmn), ["ok"; 4]);
            assert_eq!(
                by_level(4, Read, &configuration, hpmn),
                ["EL2", "EL2", "ok", "ok"]
            );
            let no_el2 = |c: &mut Context| (c.hpmn, c.el2_enabled) = (4, false);
            assert_eq!(by_level(4, Read, &configuration, no_el2), ["ok"; 4]);
        }
    }

    #[test]
    fn ety_40_f_precedes_el3_but_in_2021_follows_it() {
        let both = |c: &mut Context| (c.hpmn, c.mdcr_el3_tpm) = (4, true);
        assert_eq!(
            by_level(4, Read, &configuration(8), both),
            ["EL2", "EL2", "EL3", "ok"]
        );
        assert_eq!(
            by_level(4, Read, &of_2021(), both),
            ["EL3", "EL3", "EL3", "ok"]
        );
    }

    #[test]
    fn ety_40_g_mdcr_el3_tpm_is_undefined_in_debug_state_with_sdd() {
        for mut configuration in [configuration(8), of_2021()] {
            let tpm = |c: &mut Context| c.mdcr_el3_tpm = true;
            assert_eq!(
                by_level(0, Write, &configuration, tpm),
                ["EL3", "EL3", "EL3", "ok"]
            );
            let sdd = |c: &mut Context| {
                (c.mdcr_el3_tpm, c.halted, c.edscr_sdd) = (true, true, true);
            };
            assert_eq!(
                by_level(0, Write, &configuration, sdd),
                ["undef", "undef", "undef", "ok"]
            );
            configuration.pe.el3 = false;
            assert_eq!(by_level(0, Write, &configuration, tpm), ["ok"; 4]);
        }
    }

    #[test]
    fn ety_40_h_names_itself_as_the_row() {
        let context = Context::permissive(El1);
        assert_eq!(access(8, Read, &context, &of_2021()).1, Row::H);
        assert_eq!(access(8, Read, &context, &configuration(8)).1, Row::A);
        assert_eq!(access(7, Read, &context, &of_2021()).1, Row::J);
    }

    #[test]
    fn ety_40_i_pmuacr_and_er_hide_the_register_from_el0() {
        let user = |p, er| {
            move |c: &mut Context| (c.userenr_uen, c.pmuacr_p, c.userenr_er) = (true, p, er)
        };
        let configuration = configuration(8);
        let at_el0 = |direction, p, er| by_level(0, direction, &configuration, user(p, er));
        assert_eq!(at_el0(Read, false, false), ["raz", "ok", "ok", "ok"]);
        assert_eq!(at_el0(Write, false, false), ["wi", "ok", "ok", "ok"]);
        assert_eq!(at_el0(Read, true, true), ["ok"; 4]);
        assert_eq!(at_el0(Write, true, true), ["wi", "ok", "ok", "ok"]);
        assert_eq!(at_el0(Write, true, false), ["ok"; 4]);
    }

    #[test]
    fn ety_40_i_needs_pmuv3p9_uen_and_the_current_model() {
        let hidden = |c: &mut Context| (c.userenr_uen, c.pmuacr_p) = (true, false);
        assert_eq!(by_level(0, Read, &of_2021(), hidden), ["ok"; 4]);
        let mut configuration = configuration(8);
        let no_uen = |c: &mut Context| c.pmuacr_p = false;
        assert_eq!(by_level(0, Read, &configuration, no_uen), ["ok"; 4]);
        configuration.pe.pmuv3p9 = false;
        assert_eq!(by_level(0, Read, &configuration, hidden), ["ok"; 4]);
    }

    #[test]
    fn ety_42_without_fgt_an_unimplemented_counter_behaves_as_chosen() {
        for mut configuration in [configuration(8), of_2021()] {
            configuration.pe.fgt = false;
            for (behaviour, read, write) in [
                (OutOfRange::Undef, "undef", "undef"),
                (OutOfRange::RazWi, "raz", "wi"),
                (OutOfRange::Nop, "nop", "nop"),
                (OutOfRange::Alias, "alias", "alias"),
                (OutOfRange::TrapEl2, "undef", "undef"),
            ] {
                configuration.knobs.oor_unimplemented = behaviour;
                assert_eq!(by_level(8, Read, &configuration, |_| ()), [read; 4]);
                assert_eq!(by_level(8, Write, &configuration, |_| ()), [write; 4]);
            }
        }
    }

    #[test]
    fn ety_42_without_fgt_a_reserved_counter_behaves_as_chosen() {
        let hpmn = |c: &mut Context| c.hpmn = 4;
        for mut configuration in [configuration(8), of_2021()] {
            configuration.pe.fgt = false;
            for (behaviour, read, write) in [
                (OutOfRange::Undef, "undef", "undef"),
                (OutOfRange::RazWi, "raz", "wi"),
                (OutOfRange::Nop, "nop", "nop"),
                (OutOfRange::Alias, "alias", "alias"),
                (OutOfRange::TrapEl2, "EL2", "EL2"),
            ] {
                configuration.knobs.oor_reserved = behaviour;
                let expected = |word| [word, word, "ok", "ok"];
                assert_eq!(by_level(4, Read, &configuration, hpmn), expected(read));
                assert_eq!(by_level(4, Write, &configuration, hpmn), expected(write));
            }
        }
    }

    #[test]
    fn ety_42_with_fgt_nothing_is_left_to_choose() {
        let mut configuration = configuration(8);
        configuration.knobs.oor_unimplemented = OutOfRange::RazWi;
        configuration.knobs.oor_reserved = OutOfRange::RazWi;
        let hpmn = |c: &mut Context| c.hpmn = 4;
        assert_eq!(by_level(8, Read, &configuration, hpmn)[1], "undef");
        assert_eq!(by_level(4, Read, &configuration, hpmn)[1], "EL2");
    }

    #[test]
    fn ety_43_an_illegal_hpmn_behaves_as_chosen() {
        let accessible = |configuration: &Implementation, hpmn| {
            let reach = |n: &u8| by_level(*n, Read, configuration, |c| c.hpmn = hpmn)[1] == "ok";
            (0..31).filter(reach).count()
        };
        let mut configuration = configuration(8);
        for (hpmn, counters) in [(31, 8), (8, 8), (1, 1), (0, 0)] {
            assert_eq!(accessible(&configuration, hpmn), counters, "HPMN {hpmn}");
        }
        configuration.pe.hpmn0 = false;
        assert_eq!(accessible(&configuration, 0), 0, "A-ETY-6: CAP");
        configuration.knobs.bad_hpmn = BadHpmn::All;
        assert_eq!(accessible(&configuration, 0), 8, "A-ETY-6: ALL");
        assert_eq!(accessible(&configuration, 31), 8);
        assert_eq!(accessible(&configuration, 1), 1, "1 is legal");
        configuration.pe.hpmn0 = true;
        assert_eq!(accessible(&configuration, 0), 0, "0 is legal");
    }

    #[test]
    fn ety_43_without_el2_all_counters_are_accessible() {
        let mut configuration = configuration(8);
        configuration.pe.el2 = false;
        assert_eq!(by_level(7, Read, &configuration, |c| c.hpmn = 1)[1], "ok");
    }

    #[test]
    fn ety_44_only_an_access_reaches_the_register() {
        let configuration = configuration(8);
        for outcome in [
            Outcome::Undefined,
            Outcome::Trap(El2),
            Outcome::WriteIgnored,
            Outcome::NoOperation,
        ] {
            let mut register = EventTypeRegister::new(0, &configuration);
            register.write(0x11);
            for direction in [Read, Write] {
                let mut xt = 0x22;
                perform(outcome, direction, &mut register, &mut xt);
                assert_eq!((register.read(), xt), (0x11, 0x22), "{outcome:?}");
            }
        }
    }

    #[test]
    fn ety_44_an_access_and_raz_set_xt() {
        let configuration = configuration(8);
        let mut register = EventTypeRegister::new(0, &configuration);
        let mut xt = 0x22;
        perform(Outcome::Access, Write, &mut register, &mut xt);
        assert_eq!(register.read(), 0x22);
        xt = 0;
        perform(Outcome::Access, Read, &mut register, &mut xt);
        assert_eq!(xt, 0x22);
        perform(Outcome::ReadsZero, Read, &mut register, &mut xt);
        assert_eq!((register.read(), xt), (0x22, 0));
    }

    #[test]
    fn ety_45_iss_of_a_trapped_access() {
        // PMEVTYPER13_EL0 is S3_3_C14_C13_5.
        let iss = 3 << 20 | 5 << 17 | 3 << 14 | 14 << 10 | 7 << 5 | 13 << 1;
        assert_eq!(trap_iss(Number::at::<13>(), Write, 7), iss);
        assert_eq!(trap_iss(Number::at::<13>(), Read, 7), iss | 1);
    }
}
