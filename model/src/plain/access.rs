//! Accesses: the register that is reached, and what comes of it (DUT-30 to DUT-38).

use crate::contract::{AccessKind, AccessOutcome, CycleInput, CycleOutput};
use crate::sysreg::SysReg;

use super::kinds::kind;
use super::operators::Operators;
use super::registers::as_other;
use super::site::Site;
use super::view::View;
use super::{Effect, Plain, state};

/// What comes of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It happens.
    Access,
    /// It is RAZ/WI.
    Nothing,
    /// Another outcome.
    Other(AccessOutcome),
}

impl Outcome {
    pub(super) const UNDEFINED: Self = Self::Other(AccessOutcome::Undefined);

    fn code(self) -> u8 {
        match self {
            Self::Access | Self::Nothing => AccessOutcome::Ok as u8,
            Self::Other(other) => other as u8,
        }
    }

    /// The numbers of [`Site::Outcome`] are the codes, and then RAZ/WI.
    pub(super) fn number(self) -> usize {
        match self {
            Self::Nothing => AccessOutcome::ALL.len(),
            other => other.code().into(),
        }
    }

    pub(super) fn from_number(number: usize) -> Self {
        match AccessOutcome::ALL.get(number) {
            Some(AccessOutcome::Ok) => Self::Access,
            Some(&other) => Self::Other(other),
            None => Self::Nothing,
        }
    }

    fn is_trap(self) -> bool {
        use AccessOutcome::{TrapEl1, TrapEl2, TrapEl3};
        matches!(self, Self::Other(TrapEl1 | TrapEl2 | TrapEl3))
    }
}

impl Plain {
    /// What an access does at the end of the cycle.
    pub(super) fn access<O: Operators>(
        &mut self,
        operators: &mut O,
        input: &CycleInput,
        output: &mut CycleOutput,
    ) -> Effect {
        let (first, _) = self.target(
            AccessKind::from_code(input.access_kind),
            input.access_address,
        );
        operators.moment().register = first;
        let access = usize::from(input.access_kind);
        let access = operators.index(Site::AccessKind, access.min(6), access, 7);
        let access = AccessKind::from_code(access as u8);
        if access == AccessKind::None {
            return None;
        }
        let is_write = access.is_write();
        let external = matches!(access, AccessKind::ExternalRead | AccessKind::ExternalWrite);
        let address =
            operators.word(Site::Address, external.into(), input.access_address.into()) as u16;
        let (target, view) = self.target(access, address);
        let (outcome, target) = match (external, target) {
            (true, Some(target)) => (Outcome::Access, Some(target)),
            (true, None) => (Outcome::Nothing, None),
            _ => self.outcome(operators, target, is_write, input),
        };
        operators.moment().register = target;
        let outcome = Outcome::from_number(operators.index(
            Site::Outcome,
            outcome.code().into(),
            outcome.number(),
            AccessOutcome::ALL.len() + 1,
        ));
        let shown = operators.index(
            Site::ShownOutcome,
            target.map_or(0, kind),
            outcome.number(),
            8,
        );
        output.access_outcome = Outcome::from_number(shown).code();
        if outcome.is_trap() && matches!(access, AccessKind::Read | AccessKind::Write) {
            output.trap_iss = self.syndrome(operators, input, !is_write);
        }
        let target = as_other(operators, Site::TakenAs, target?);
        let takes = outcome == Outcome::Access
            || (is_write && operators.bit(Site::TakenAnyway, outcome.code().into(), false));
        if !takes {
            return None;
        }
        let view =
            View::from_number(operators.index(Site::View, access as usize, view as usize, 3));
        if !is_write {
            let value = self.read(operators, target);
            if outcome == Outcome::Access {
                output.access_data = operators.word(Site::Data, access as usize, view.of(value));
                self.last_read = Some((target, view));
            }
            if operators.bit(Site::ReadWrites, kind(target), false) {
                return Some((target, input.access_data));
            }
            return None;
        }
        let data = operators.word(Site::Data, access as usize, input.access_data);
        let old = match view {
            View::Whole => 0,
            // DUT-36, DUT-37: the other half is kept.
            _ => {
                let old = self.stored(operators, target);
                operators.word(Site::KeptHalf, usize::from(external), old)
            }
        };
        Some((target, view.with(old, data)))
    }

    /// The register of an address, and the part of it that an access reaches.
    pub(super) fn target(&self, access: AccessKind, address: u16) -> (Option<SysReg>, View) {
        match access {
            AccessKind::None => (None, View::Whole),
            AccessKind::ExternalRead | AccessKind::ExternalWrite => self.at_offset(address),
            AccessKind::Read32 | AccessKind::Write32 => {
                (SysReg::from_address_32(address), View::Low)
            }
            _ => (SysReg::from_address(address), View::Whole),
        }
    }

    /// DUT-37.
    fn at_offset(&self, offset: u16) -> (Option<SysReg>, View) {
        let counters = self.fixed.implementation.pmu.counters;
        match SysReg::from_offset(offset) {
            Some((SysReg::Pmevtyper(n), _)) if n >= counters => (None, View::Low),
            Some((register, upper)) => (Some(register), if upper { View::High } else { View::Low }),
            None => (None, View::Low),
        }
    }

    /// What comes of an access of the PE, and the register that it reaches.
    fn outcome<O: Operators>(
        &mut self,
        operators: &mut O,
        register: Option<SysReg>,
        is_write: bool,
        input: &CycleInput,
    ) -> (Outcome, Option<SysReg>) {
        use SysReg::*;
        let undefined = (Outcome::UNDEFINED, None);
        let Some(register) = register else {
            return undefined;
        };
        let register = match register {
            Pmxevtyper => {
                let select = self.state.get(state::SELECT);
                let select = operators.word(Site::Select, 0, select) as u8;
                match SysReg::pmevtyper(select) {
                    Some(register) => register,
                    None if operators.bit(Site::SelectedFilter, 0, true) => Pmccfiltr,
                    None => return undefined,
                }
            }
            Pmxevcntr => {
                let select = self.state.get(state::SELECT);
                let select = operators.word(Site::Select, 1, select) as u8;
                match SysReg::pmevcntr(select) {
                    Some(register) => register,
                    None if operators.bit(Site::CycleCounterSelected, 0, false) => Pmccntr,
                    None => return undefined,
                }
            }
            register => register,
        };
        let register = match register {
            Pmevcntr(n) => {
                let n = operators.word(Site::Number, 0, n.get().into()) as u8;
                SysReg::pmevcntr(n).unwrap_or(register)
            }
            Pmevtyper(n) => {
                let n = operators.word(Site::Number, 1, n.get().into()) as u8;
                SysReg::pmevtyper(n).unwrap_or(register)
            }
            register => register,
        };
        let at = kind(register);
        let implementation = &self.fixed.implementation;
        let counters = u64::from(implementation.pmu.counters);
        let (sampling, exc) = (implementation.spe.implemented, implementation.spe.exc);
        let exists = match register {
            Pmevcntr(n) => {
                let n = u64::from(n.get());
                let relation = super::Relation::Lt;
                let exists = operators.compare(Site::CounterExists, 0, relation, (n, counters));
                operators.see(Site::ComparedNumber, 0, exists.into(), &|mutation| {
                    relation.holds(mutation.of_word(n, 5), counters).into()
                }) == 1
            }
            Pmsicr | Pmsirr | Pmsidr => sampling,
            Pmbsr(x) => sampling && (x == 1 || exc),
            register => !register.is_of_system_pmus() || !implementation.system_pmu.is_empty(),
        };
        let describes = matches!(
            register,
            Spmiidr | Spmdevarch | Spmdevaff | Spmcfgr | Spmcgcr(_)
        );
        let describes = match register.is_of_system_pmus() {
            true => operators.bit(Site::Describes, at, describes),
            false => false,
        };
        let read_only = describes || matches!(register, Pmmir | Pmsidr);
        let exists = operators.bit(Site::Exists, at, exists);
        let read_only = operators.bit(Site::ReadOnly, at, read_only);
        if !exists || (read_only && is_write) {
            return undefined;
        }
        let driven = input.driven & CycleInput::DRIVEN_PE != 0;
        let outcome = match register {
            Pmevtyper(n) => self.type_access(operators, n.get(), is_write, driven, input),
            _ if describes && driven => {
                self.system_access(operators, register == Spmdevaff, is_write, input)
            }
            _ => Outcome::Access,
        };
        let number = operators.index(Site::OutcomeOf, at, outcome.number(), 8);
        (Outcome::from_number(number), Some(register))
    }

    /// ETY-45.
    fn syndrome<O: Operators>(&mut self, operators: &mut O, input: &CycleInput, read: bool) -> u32 {
        let address = u64::from(input.access_address);
        let fields = [
            (address >> 14, 20, 3),
            (address & 7, 17, 7),
            (address >> 11 & 7, 14, 7),
            (address >> 7 & 15, 10, 15),
            (u64::from(input.access_rt & 31), 5, 31),
            (address >> 3 & 15, 1, 15),
            (u64::from(read), 0, 1),
        ];
        let iss = fields
            .into_iter()
            .enumerate()
            .fold(0, |iss, (at, (value, low, mask))| {
                let value = operators.word(Site::SyndromeField, at, value) & mask;
                iss | value << low
            });
        operators.word(Site::Syndrome, 0, iss) as u32
    }
}
