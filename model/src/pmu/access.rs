//! The register port: what a register access of a cycle comes to (DUT-30 to DUT-38).

use std::sync::Arc;

use crate::contract::{AccessKind, AccessOutcome, CYCLE_COUNTER, CycleInput};
use crate::evtyper::access::{self, Context, Direction, Outcome, Row, trap_iss_of};
use crate::evtyper::filter::ExceptionLevel;
use crate::implementation::Implementation;
use crate::number::Number;
use crate::spe::SamplingUnit;
use crate::spmu::SystemPmus;
use crate::spmu::access::{self as spmu_access, Clause, Features};
use crate::sysreg::SysReg;

use super::registers::{PMCR_C, PMCR_P, Registers};

/// A register write that is permitted, as what it does to the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// PMCR_EL0.
    Control(u64),
    /// Enables these counters.
    Enable(u32),
    /// Disables these counters.
    Disable(u32),
    /// Sets these overflow flags.
    SetFlags(u32),
    /// Clears these overflow flags.
    ClearFlags(u32),
    /// PMSELR_EL0.
    Select(u64),
    /// The value of a counter, 31 for PMCCNTR_EL0.
    Counter(usize, u64),
    /// `PMEVTYPER<n>_EL0`, 31 for PMCCFILTR_EL0: all 64 bits, also where one half is written.
    Type(usize, u64),
    /// PMSICR_EL1.
    Pmsicr(u64),
    /// PMSIRR_EL1.
    Pmsirr(u64),
    /// `PMBSR_EL<x>`.
    Pmbsr(u8, u64),
    /// A register of the System PMU that is selected, or SPMSELR_EL0.
    SystemPmu(u64),
}

/// Half of a register: what AArch32 and external accesses reach (DUT-36, DUT-37).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Bits \[31:0\].
    Low,
    /// Bits \[63:32\].
    High,
}

impl Half {
    /// What a read of the half of `value` returns.
    pub const fn of(self, value: u64) -> u64 {
        match self {
            Self::Low => value & 0xFFFF_FFFF,
            Self::High => value >> 32,
        }
    }

    /// `old` with the half replaced by `data`\[31:0\].
    const fn replaced(self, old: u64, data: u64) -> u64 {
        match self {
            Self::Low => old & !0xFFFF_FFFF | data & 0xFFFF_FFFF,
            Self::High => old & 0xFFFF_FFFF | data << 32,
        }
    }
}

/// What a register access comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// None in this cycle.
    None,
    /// UNDEFINED, and without effect (DUT-32).
    Undefined,
    /// Trapped to this Exception level, and without effect (DUT-32).
    Trap(ExceptionLevel),
    /// Executed as NOP (ETY-42).
    Nop,
    /// A read that returns zero, whatever the register (DUT-35, DUT-37).
    ReadsZero,
    /// A write without effect (DUT-35, DUT-37).
    WriteIgnored,
    /// A read, and the register whose contents it returns.
    Read(SysReg),
    /// A read of half a register.
    ReadHalf(SysReg, Half),
    /// A write, the register whose contents it sets, and its effect.
    Write(SysReg, Write),
}

impl Access {
    /// The outcome that the design reports.
    pub fn outcome(&self) -> AccessOutcome {
        match self {
            Self::None => AccessOutcome::None,
            Self::Undefined => AccessOutcome::Undefined,
            Self::Trap(ExceptionLevel::El0 | ExceptionLevel::El1) => AccessOutcome::TrapEl1,
            Self::Trap(ExceptionLevel::El2) => AccessOutcome::TrapEl2,
            Self::Trap(ExceptionLevel::El3) => AccessOutcome::TrapEl3,
            Self::Nop => AccessOutcome::Nop,
            Self::ReadsZero
            | Self::WriteIgnored
            | Self::Read(_)
            | Self::ReadHalf(..)
            | Self::Write(..) => AccessOutcome::Ok,
        }
    }

    /// The effect of a write.
    pub fn write(&self) -> Option<&Write> {
        match self {
            Self::Write(_, write) => Some(write),
            _ => None,
        }
    }

    /// The counters whose values the access sets, which loses their increments (DUT-20, DUT-21).
    #[inline(always)]
    pub fn counters_written(&self, event_counters: u32) -> u32 {
        match *self {
            Self::Write(_, Write::Counter(n, _)) => 1 << n,
            Self::Write(_, Write::Control(data)) => {
                let p = if data & PMCR_P != 0 {
                    event_counters
                } else {
                    0
                };
                let c = if data & PMCR_C != 0 {
                    1 << CYCLE_COUNTER
                } else {
                    0
                };
                p | c
            }
            _ => 0,
        }
    }
}

/// What decided about an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Neither of the following: full privilege.
    Unrestricted,
    /// A row of ETY-40, and the counter.
    Row(Row, u8),
    /// A step of SPMU-30, and the System PMU.
    System(Clause, u8),
}

/// A register access, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// What it comes to.
    pub access: Access,
    /// What decided about it.
    pub decision: Decision,
    /// ISS of the exception, if it is trapped and an MRS or MSR (ETY-45).
    pub trap_iss: u32,
}

/// The state that accesses are decoded with: that at the start of the cycle (DUT-33).
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    /// The registers of the event counters.
    pub registers: &'a Registers,
    /// Statistical Profiling.
    pub sampling: &'a SamplingUnit,
    /// System PMUs.
    pub system_pmus: &'a SystemPmus,
}

/// Decodes register accesses for one implementation.
#[derive(Clone, Debug)]
pub struct Port {
    implementation: Arc<Implementation>,
    features: Features,
}

/// An access that is looked at: its direction, its data, and the half of a register that it is of.
#[derive(Clone, Copy)]
struct Attempt {
    direction: Direction,
    half: Option<Half>,
    data: u64,
}

impl Decoded {
    /// Nothing is accessed, or nothing has been found yet.
    pub const NONE: Self = Self {
        access: Access::None,
        decision: Decision::Unrestricted,
        trap_iss: 0,
    };
}

/// What is found is written where it is looked at: returned from function to function, it would be copied in other
/// pieces than it was written in, for which a processor waits.
impl Port {
    /// The register port of `implementation`.
    pub fn new(implementation: Arc<Implementation>) -> Self {
        Self {
            features: Features::of(&implementation),
            implementation,
        }
    }

    /// Decodes the register access of a cycle into `decoded`, which is [`Decoded::NONE`].
    #[inline(always)]
    pub fn decode(&self, input: &CycleInput, state: State<'_>, decoded: &mut Decoded) {
        match AccessKind::from_code(input.access_kind) {
            AccessKind::None => {}
            kind => self.attempt(kind, input, state, decoded),
        }
    }

    fn attempt(
        &self,
        kind: AccessKind,
        input: &CycleInput,
        state: State<'_>,
        decoded: &mut Decoded,
    ) {
        let direction = if kind.is_write() {
            Direction::Write
        } else {
            Direction::Read
        };
        let attempt = |half| Attempt {
            direction,
            half,
            data: input.access_data,
        };
        match kind {
            AccessKind::None => {}
            AccessKind::Read | AccessKind::Write => {
                let register = SysReg::from_address(input.access_address);
                self.instruction(register, attempt(None), input, state, decoded);
                if let Access::Trap(_) = decoded.access {
                    decoded.trap_iss =
                        trap_iss_of(input.access_address, direction, input.access_rt);
                }
            }
            // DUT-36: with the rules of the same registers.
            AccessKind::Read32 | AccessKind::Write32 => {
                let register = SysReg::from_address_32(input.access_address);
                self.instruction(register, attempt(Some(Half::Low)), input, state, decoded);
            }
            AccessKind::ExternalRead | AccessKind::ExternalWrite => {
                external(
                    input.access_address,
                    attempt(None),
                    state,
                    &mut decoded.access,
                );
            }
        }
    }

    /// DUT-30: an MRS, MSR, MRC or MCR of `register`.
    #[inline(always)]
    fn instruction(
        &self,
        register: Option<SysReg>,
        attempt: Attempt,
        input: &CycleInput,
        state: State<'_>,
        decoded: &mut Decoded,
    ) {
        use SysReg::*;
        let Some(register) = register else {
            decoded.access = Access::Undefined;
            return;
        };
        let select = state.registers.select;
        let register = match register {
            Pmevtyper(n) => return self.event_type(n, attempt, input, state, decoded),
            Pmxevtyper => match Number::new(select) {
                Some(n) => return self.event_type(n, attempt, input, state, decoded),
                None => Some(Pmccfiltr),
            },
            // DUT-31.
            Pmevcntr(n) if !state.registers.has(n.get()) => None,
            Pmxevcntr if !state.registers.has(select) => None,
            Pmxevcntr => SysReg::pmevcntr(select),
            Pmsicr | Pmsirr | Pmsidr | Pmbsr(_) if !state.sampling.has(register) => None,
            Spmiidr | Spmdevarch | Spmdevaff | Spmcfgr | Spmcgcr(_) => {
                return self.system_pmu(register, attempt, input, state, decoded);
            }
            _ if register.is_of_system_pmus() && !state.system_pmus.any() => None,
            _ => Some(register),
        };
        match register {
            Some(register) => perform(register, attempt, state, &mut decoded.access),
            None => decoded.access = Access::Undefined,
        }
    }

    /// DUT-35: an access to `PMEVTYPER<n>_EL0`, by the table of ETY-40; with full privilege where the PE is not
    /// driven.
    fn event_type(
        &self,
        n: Number<0, 30>,
        attempt: Attempt,
        input: &CycleInput,
        state: State<'_>,
        decoded: &mut Decoded,
    ) {
        let context = if input.driven & CycleInput::DRIVEN_PE != 0 {
            Context::of_cycle(n.get(), input)
        } else {
            Context::permissive(ExceptionLevel::El3)
        };
        let (outcome, row) =
            access::access(n.get(), attempt.direction, &context, &self.implementation);
        decoded.decision = Decision::Row(row, n.get());
        let register = SysReg::Pmevtyper(n);
        carry_out(outcome, register, attempt, state, &mut decoded.access);
    }

    /// DUT-38: an access to a register that describes a System PMU.
    fn system_pmu(
        &self,
        register: SysReg,
        attempt: Attempt,
        input: &CycleInput,
        state: State<'_>,
        decoded: &mut Decoded,
    ) {
        if !state.system_pmus.any() {
            decoded.access = Access::Undefined;
            return;
        }
        let pmu = state.system_pmus.selected();
        let mut context = spmu_access::Context::of_cycle(pmu, register == SysReg::Spmdevaff, input);
        if input.driven & CycleInput::DRIVEN_PE == 0 {
            context.level = ExceptionLevel::El3;
        }
        let clause = spmu_access::clause(attempt.direction, &context, &self.features);
        let outcome = spmu_access::outcome(clause, &context);
        decoded.decision = Decision::System(clause, pmu);
        carry_out(outcome, register, attempt, state, &mut decoded.access);
    }
}

/// What `outcome` makes of an access to `register`.
fn carry_out(
    outcome: Outcome,
    register: SysReg,
    attempt: Attempt,
    state: State<'_>,
    access: &mut Access,
) {
    match outcome {
        Outcome::Access => perform(register, attempt, state, access),
        Outcome::Undefined => *access = Access::Undefined,
        Outcome::Trap(level) => *access = Access::Trap(level),
        Outcome::ReadsZero => *access = Access::ReadsZero,
        Outcome::WriteIgnored => *access = Access::WriteIgnored,
        // `Model::new` refuses implementations that have an alias.
        Outcome::NoOperation | Outcome::Alias => *access = Access::Nop,
    }
}

/// An access to `register` that is permitted.
#[inline(always)]
fn perform(register: SysReg, attempt: Attempt, state: State<'_>, access: &mut Access) {
    match (attempt.direction, attempt.half) {
        (Direction::Read, None) => *access = Access::Read(register),
        (Direction::Read, Some(half)) => *access = Access::ReadHalf(register, half),
        (Direction::Write, half) => {
            let data = match half {
                None => attempt.data,
                // ETY-01: the other half stays.
                Some(half) => half.replaced(state.registers.read(register), attempt.data),
            };
            write(register, data, state.registers.counter_mask(), access);
        }
    }
}

/// DUT-37: an access from outside the PE. No trap applies to it.
fn external(offset: u16, attempt: Attempt, state: State<'_>, access: &mut Access) {
    let found = SysReg::from_offset(offset).filter(|&(register, _)| match register {
        SysReg::Pmevtyper(n) => state.registers.has(n.get()),
        _ => true,
    });
    match found {
        Some((register, upper)) => {
            let half = Some(if upper { Half::High } else { Half::Low });
            perform(register, Attempt { half, ..attempt }, state, access);
        }
        None if attempt.direction == Direction::Write => *access = Access::WriteIgnored,
        None => *access = Access::ReadsZero,
    }
}

/// Whether a write of `register` is not UNDEFINED for its being read-only (DUT-30).
pub(crate) fn is_writable(register: SysReg) -> bool {
    let mut access = Access::Undefined;
    write(register, 0, 0, &mut access);
    access != Access::Undefined
}

/// Writing `data`, which is UNDEFINED for a read-only register (DUT-30).
fn write(register: SysReg, data: u64, counter_mask: u32, access: &mut Access) {
    let counters = data as u32 & counter_mask;
    let mut is = |write: Write| *access = Access::Write(register, write);
    match register {
        SysReg::Pmcr => is(Write::Control(data)),
        SysReg::Pmcntenset => is(Write::Enable(counters)),
        SysReg::Pmcntenclr => is(Write::Disable(counters)),
        SysReg::Pmovsset => is(Write::SetFlags(counters)),
        SysReg::Pmovsclr => is(Write::ClearFlags(counters)),
        SysReg::Pmselr => is(Write::Select(data)),
        SysReg::Pmccntr => is(Write::Counter(CYCLE_COUNTER, data)),
        SysReg::Pmevcntr(n) => is(Write::Counter(usize::from(n), data)),
        SysReg::Pmccfiltr => is(Write::Type(CYCLE_COUNTER, data)),
        SysReg::Pmevtyper(n) => is(Write::Type(usize::from(n), data)),
        SysReg::Pmsicr => is(Write::Pmsicr(data)),
        SysReg::Pmsirr => is(Write::Pmsirr(data)),
        SysReg::Pmbsr(x) => is(Write::Pmbsr(x.get(), data)),
        _ if SystemPmus::is_writable(register) => is(Write::SystemPmu(data)),
        _ => *access = Access::Undefined,
    }
}
