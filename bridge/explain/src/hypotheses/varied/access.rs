//! Accesses: the register that is reached, and the outcome.

use pmu_model::evtyper::access::{Direction, Outcome, trap_iss_of};
use pmu_model::evtyper::filter::ExceptionLevel;
use pmu_model::spmu::access as spmu_access;
use pmu_model::{AccessKind, CycleInput, CycleOutput, SysReg};

use crate::hypotheses::Mistake;
use crate::hypotheses::access::Access;
use crate::hypotheses::indices::Indices;

use super::{Effect, Varied, View};

impl Varied {
    pub(super) fn access(&mut self, input: &CycleInput, output: &mut CycleOutput) -> Effect {
        let kind = AccessKind::from_code(input.access_kind);
        if kind == AccessKind::None {
            return Effect::Nothing;
        }
        let direction = match kind.is_write() {
            true => Direction::Write,
            false => Direction::Read,
        };
        let (outcome, target, view) = match kind {
            AccessKind::ExternalRead | AccessKind::ExternalWrite => self.external(input, direction),
            _ => {
                let (outcome, target) = self.outcome_of_pe(input);
                self.decided.access = Some((outcome, target));
                let view = match kind {
                    AccessKind::Read32 | AccessKind::Write32 => View::Low,
                    _ => View::Whole,
                };
                (outcome, target, view)
            }
        };
        self.decided.trapped = matches!(outcome, Outcome::Trap(_));
        output.access_outcome = match outcome {
            Outcome::Access | Outcome::ReadsZero | Outcome::WriteIgnored => 1,
            Outcome::Undefined => 2,
            Outcome::NoOperation | Outcome::Alias => 6,
            Outcome::Trap(ExceptionLevel::El1 | ExceptionLevel::El0) => 3,
            Outcome::Trap(ExceptionLevel::El2) => 4,
            Outcome::Trap(ExceptionLevel::El3) => 5,
        };
        if let (Outcome::Trap(_), AccessKind::Read | AccessKind::Write) = (outcome, kind) {
            output.trap_iss = trap_iss_of(input.access_address, direction, input.access_rt);
            if let Mistake::Access(Access::IssBit(bit)) = self.fixed.mistake {
                output.trap_iss ^= 1 << bit;
            }
        }
        let stored = matches!(outcome, Outcome::Trap(_) | Outcome::Undefined)
            && self.is(Access::TrappedStored)
            && matches!(target, Some(SysReg::Pmevtyper(n)) if n < self.fixed.implementation.pmu.counters)
            && direction == Direction::Write;
        let (true, Some(target)) = (outcome == Outcome::Access || stored, target) else {
            return Effect::Nothing;
        };
        let old = self.read(target);
        if direction == Direction::Read {
            let old = match target {
                SysReg::Pmevtyper(_) if self.is(Indices::TypeUpperReadsZero) => old & 0xFFFF_FFFF,
                _ => old,
            };
            output.access_data = match view {
                View::Low => old & 0xFFFF_FFFF,
                View::High => old >> 32,
                View::Whole => old,
            };
            self.state.read = Some(target);
            return Effect::Nothing;
        }
        self.effect(target, view, old, input)
    }

    fn effect(&self, target: SysReg, view: View, old: u64, input: &CycleInput) -> Effect {
        let data = input.access_data;
        let external = input.access_kind == AccessKind::ExternalWrite as u8;
        let low = old >> 32 << 32 | data & 0xFFFF_FFFF;
        let data = match view {
            View::Low if !external && self.is(Access::Write32ClearsUpper) => data & 0xFFFF_FFFF,
            View::Low => low,
            View::High if self.is(Access::ExternalUpperWritesLower) => low,
            View::High => old & 0xFFFF_FFFF | data << 32,
            View::Whole => data,
        };
        Effect::Write(target, data)
    }

    fn external(
        &self,
        input: &CycleInput,
        direction: Direction,
    ) -> (Outcome, Option<SysReg>, View) {
        let counters = self.fixed.implementation.pmu.counters;
        let found = SysReg::from_offset(input.access_address);
        match found {
            Some((SysReg::Pmevtyper(n), _)) if n >= counters => {}
            Some((register, upper)) => {
                let view = if upper { View::High } else { View::Low };
                return (Outcome::Access, Some(register), view);
            }
            None => {}
        }
        let outcome = match direction {
            Direction::Read => Outcome::ReadsZero,
            Direction::Write => Outcome::WriteIgnored,
        };
        (outcome, None, View::Low)
    }

    /// What comes of an access of the PE, and the register that it reaches.
    pub(super) fn outcome_of_pe(&self, input: &CycleInput) -> (Outcome, Option<SysReg>) {
        let kind = AccessKind::from_code(input.access_kind);
        let direction = match kind.is_write() {
            true => Direction::Write,
            false => Direction::Read,
        };
        let register = match kind {
            AccessKind::Read32 | AccessKind::Write32 => {
                SysReg::from_address_32(input.access_address)
            }
            _ => SysReg::from_address(input.access_address),
        };
        self.outcome(register, direction, input)
    }

    fn outcome(
        &self,
        register: Option<SysReg>,
        direction: Direction,
        input: &CycleInput,
    ) -> (Outcome, Option<SysReg>) {
        use SysReg::*;
        let undefined = (Outcome::Undefined, None);
        let Some(register) = register else {
            return undefined;
        };
        let stale = self.state.select_before;
        let of_type = match self.is(Indices::StaleSel) || self.is(Indices::StaleSelOfType) {
            true => stale,
            false => self.state.select,
        };
        let of_counter = match self.is(Indices::StaleSel) {
            true => stale,
            false => self.state.select,
        };
        let register = match register {
            Pmxevtyper if of_type == 31 && self.is(Indices::NoFilterBySel) => return undefined,
            Pmxevtyper => SysReg::pmevtyper(of_type).unwrap_or(Pmccfiltr),
            Pmxevcntr if of_counter == 31 && self.is(Indices::CycleCounterBySel) => Pmccntr,
            Pmxevcntr => match SysReg::pmevcntr(of_counter) {
                Some(register) => register,
                None => return undefined,
            },
            register => register,
        };
        let indirect = SysReg::from_address(input.access_address) == Some(Pmxevtyper)
            || SysReg::from_address_32(input.access_address) == Some(Pmxevtyper);
        let read_only = matches!(
            register,
            Pmmir | Pmsidr | Spmiidr | Spmdevarch | Spmdevaff | Spmcfgr | Spmcgcr(_)
        );
        let implementation = &self.fixed.implementation;
        let spe = &implementation.spe;
        let exists = match register {
            Pmevcntr(n) => n < implementation.pmu.counters,
            Pmsicr | Pmsirr | Pmsidr => spe.implemented,
            Pmbsr(x) => {
                if x == 1 {
                    spe.implemented
                } else {
                    spe.exc
                }
            }
            register => !register.is_of_system_pmus() || !implementation.system_pmu.is_empty(),
        };
        if !exists {
            return undefined;
        }
        if read_only && direction == Direction::Write {
            let outcome = match self.is(Indices::ReadOnlyOk) && register == Pmmir {
                true => Outcome::WriteIgnored,
                false => Outcome::Undefined,
            };
            return (outcome, None);
        }
        let mistake = match self.fixed.mistake {
            Mistake::Access(mistake) => mistake,
            // One that changes nothing of an outcome.
            _ => Access::FilterTakesData,
        };
        let seen = mistake.inputs(input, direction);
        let driven = input.driven & CycleInput::DRIVEN_PE != 0;
        let outcome = match register {
            Pmevtyper(n) if driven => {
                let encoded = (input.access_address & 31) as u8;
                let encoded = if indirect { encoded } else { n.get() };
                mistake.outcome((n.get(), encoded), direction, &seen, implementation)
            }
            Pmevtyper(n) => match n < implementation.pmu.counters {
                true => Outcome::Access,
                false => self.not_implemented(n.get(), direction),
            },
            Spmiidr | Spmdevarch | Spmdevaff | Spmcfgr | Spmcgcr(_) if driven => {
                let pmu = (self.state.spmselr >> 4) as u8;
                let context = spmu_access::Context::of_cycle(pmu, register == Spmdevaff, &seen);
                let features = spmu_access::Features::of(implementation);
                spmu_access::access(direction, &context, &features)
            }
            _ => Outcome::Access,
        };
        (outcome, Some(register))
    }

    /// Full privilege, and a counter that is not there.
    fn not_implemented(&self, n: u8, direction: Direction) -> Outcome {
        use pmu_model::evtyper::access::{Context, access};
        let context = Context::permissive(ExceptionLevel::El3);
        access(n, direction, &context, &self.fixed.implementation).0
    }
}
