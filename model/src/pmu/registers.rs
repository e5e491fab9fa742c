//! The registers: storage, and the register port (`docs/dut-contract.md`, section 6).

use crate::contract::{AccessKind, AccessOutcome, COUNTER_LANES, CYCLE_COUNTER, CycleInput};
use crate::implementation::{Implementation, Layout as LayoutKnob, Res0};
use crate::sysreg::SysReg;

use super::event_type::{TC, TE, TLC, cycle_filter_mask, present_mask};

/// PMCR_EL0.E.
pub const PMCR_E: u64 = 1 << 0;
/// PMCR_EL0.P.
pub const PMCR_P: u64 = 1 << 1;
/// PMCR_EL0.C.
pub const PMCR_C: u64 = 1 << 2;
/// PMCR_EL0.LC, RES1.
pub const PMCR_LC: u64 = 1 << 6;
/// PMCR_EL0.LP.
pub const PMCR_LP: u64 = 1 << 7;
/// Lowest bit of PMCR_EL0.N.
pub const PMCR_N_SHIFT: u32 = 11;
/// {TC, TE, TLC} of `PMEVTYPER<n>_EL0`, which may read as UNKNOWN when reserved (TH-34).
const THRESHOLD_CONTROL: u64 = TC.mask() | TE.mask() | TLC.mask();

/// The registers but for the counters' values.
#[derive(Clone, Debug)]
pub struct Registers {
    /// PMCR_EL0.E.
    pub enable: bool,
    /// PMCR_EL0.LP.
    pub long: bool,
    /// PMCNTENSET_EL0.
    pub enabled: u32,
    /// PMOVSSET_EL0.
    pub overflow: u32,
    /// PMSELR_EL0.SEL.
    pub select: u8,
    /// `PMEVTYPER<n>_EL0`, and PMCCFILTR_EL0 as number 31.
    pub types: [u64; COUNTER_LANES],
    layout: Layout,
}

/// What the implementation fixes of the registers.
#[derive(Clone, Debug)]
struct Layout {
    counters: u8,
    has_long: bool,
    /// Implemented bits of PMCNTENSET_EL0 and PMOVSSET_EL0.
    counter_mask: u32,
    type_masks: [u64; COUNTER_LANES],
    res0: Res0,
    pmmir: u64,
}

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
    /// `PMEVTYPER<n>_EL0`, 31 for PMCCFILTR_EL0.
    Type(usize, u64),
}

/// A register access, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// None in this cycle.
    None,
    /// DUT-30, DUT-31: UNDEFINED, and without effect (DUT-32).
    Undefined,
    /// A read, and the register whose contents it returns.
    Read(SysReg),
    /// A write, the register whose contents it sets, and its effect.
    Write(SysReg, Write),
}

impl Access {
    /// The outcome that the design reports.
    pub fn outcome(&self) -> AccessOutcome {
        match self {
            Self::None => AccessOutcome::None,
            Self::Undefined => AccessOutcome::Undefined,
            Self::Read(_) | Self::Write(..) => AccessOutcome::Ok,
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

impl Registers {
    /// The registers of `implementation` out of reset (DUT-11).
    pub fn new(implementation: &Implementation) -> Self {
        let counters = implementation.pmu.counters;
        let mut type_masks: [u64; COUNTER_LANES] =
            std::array::from_fn(|n| present_mask(n as u8, implementation));
        type_masks[CYCLE_COUNTER] = cycle_filter_mask(implementation);
        // TH-07: PMMIR_EL1.EDGE is 1 for FEAT_PMUv3_EDGE, 2 with FEAT_PMUv3_TH2 as well.
        let current = implementation.knobs.layout == LayoutKnob::Current;
        let levels = u64::from(implementation.pmu.edge) + u64::from(implementation.pmu.th2);
        let edge = if current { levels } else { 0 };
        let thwidth = u64::from(implementation.thwidth());
        let layout = Layout {
            counters,
            has_long: implementation.pmu.counter_bits == 64,
            counter_mask: (1 << CYCLE_COUNTER) | ((1u32 << counters) - 1),
            type_masks,
            res0: implementation.knobs.res0,
            pmmir: edge << 24 | thwidth << 20 | u64::from(implementation.pmu.pmmir),
        };
        Self {
            enable: false,
            long: false,
            enabled: 0,
            overflow: 0,
            select: 0,
            types: [0; COUNTER_LANES],
            layout,
        }
    }

    /// DUT-11: the reset state.
    pub fn reset(&mut self) {
        self.enable = false;
        self.long = false;
        self.enabled = 0;
        self.overflow = 0;
        self.select = 0;
        self.types = [0; COUNTER_LANES];
    }

    /// Event counters that are implemented, as a mask.
    pub fn event_counters(&self) -> u32 {
        self.layout.counter_mask & !(1 << CYCLE_COUNTER)
    }

    /// DUT-14: the counters that count, given those that nothing else stops.
    #[inline(always)]
    pub fn counting(&self, allowed: u32) -> u32 {
        if self.enable {
            self.enabled & allowed
        } else {
            0
        }
    }

    /// Decodes the register access of a cycle, with the state at its start (DUT-33).
    #[inline(always)]
    pub fn decode(&self, input: &CycleInput) -> Access {
        let kind = AccessKind::from_code(input.access_kind);
        if kind == AccessKind::None {
            return Access::None;
        }
        let register = SysReg::from_address(input.access_address);
        let Some(target) = register.and_then(|register| self.resolve(register)) else {
            return Access::Undefined;
        };
        if kind == AccessKind::Read {
            return Access::Read(target);
        }
        match self.effect(target, input.access_data) {
            Some(write) => Access::Write(target, write),
            None => Access::Undefined,
        }
    }

    /// The register that an access reaches: aliases replaced (DUT-33), counters that are not implemented left
    /// out (DUT-31).
    #[inline(always)]
    fn resolve(&self, register: SysReg) -> Option<SysReg> {
        let implemented = |n: u8| n < self.layout.counters;
        match register {
            SysReg::Pmxevtyper if usize::from(self.select) == CYCLE_COUNTER => {
                Some(SysReg::Pmccfiltr)
            }
            SysReg::Pmxevtyper => {
                implemented(self.select).then_some(SysReg::Pmevtyper(self.select))
            }
            SysReg::Pmxevcntr => implemented(self.select).then_some(SysReg::Pmevcntr(self.select)),
            SysReg::Pmevtyper(n) | SysReg::Pmevcntr(n) => implemented(n).then_some(register),
            _ => Some(register),
        }
    }

    /// What writing `data` does; `None` for a read-only register (DUT-30).
    #[inline(always)]
    fn effect(&self, target: SysReg, data: u64) -> Option<Write> {
        let counters = data as u32 & self.layout.counter_mask;
        Some(match target {
            SysReg::Pmcr => Write::Control(data),
            SysReg::Pmcntenset => Write::Enable(counters),
            SysReg::Pmcntenclr => Write::Disable(counters),
            SysReg::Pmovsset => Write::SetFlags(counters),
            SysReg::Pmovsclr => Write::ClearFlags(counters),
            SysReg::Pmselr => Write::Select(data),
            SysReg::Pmccntr => Write::Counter(CYCLE_COUNTER, data),
            SysReg::Pmevcntr(n) => Write::Counter(usize::from(n), data),
            SysReg::Pmccfiltr => Write::Type(CYCLE_COUNTER, data),
            SysReg::Pmevtyper(n) => Write::Type(usize::from(n), data),
            SysReg::Pmmir | SysReg::Pmxevtyper | SysReg::Pmxevcntr => return None,
        })
    }

    /// DUT-13: the contents of a register that is not a counter's value.
    pub fn read(&self, register: SysReg) -> u64 {
        match register {
            SysReg::Pmcr => {
                let n = u64::from(self.layout.counters) << PMCR_N_SHIFT;
                let e = if self.enable { PMCR_E } else { 0 };
                let lp = if self.long { PMCR_LP } else { 0 };
                n | PMCR_LC | lp | e
            }
            SysReg::Pmcntenset | SysReg::Pmcntenclr => u64::from(self.enabled),
            SysReg::Pmovsset | SysReg::Pmovsclr => u64::from(self.overflow),
            SysReg::Pmselr => u64::from(self.select),
            SysReg::Pmmir => self.layout.pmmir,
            SysReg::Pmccfiltr => self.types[CYCLE_COUNTER],
            SysReg::Pmevtyper(n) => self.types[usize::from(n)],
            SysReg::Pmccntr | SysReg::Pmevcntr(_) | SysReg::Pmxevtyper | SysReg::Pmxevcntr => 0,
        }
    }

    /// PMCR_EL0.{E, LP}; P and C are [`Access::counters_written`].
    pub fn write_control(&mut self, data: u64) {
        self.enable = data & PMCR_E != 0;
        self.long = self.layout.has_long && data & PMCR_LP != 0;
    }

    /// ETY-05: stores `PMEVTYPER<n>_EL0`, or PMCCFILTR_EL0 as number 31.
    pub fn write_type(&mut self, n: usize, data: u64) {
        self.types[n] = match self.layout.res0 {
            Res0::RazWi => data & self.layout.type_masks[n],
            Res0::RwNoEffect => data,
        };
    }

    /// The stored type without bits that have no effect.
    pub fn effective_type(&self, n: usize) -> u64 {
        self.types[n] & self.layout.type_masks[n]
    }

    /// Bits of a read of `register` that are UNKNOWN while the counters in `reserved` are in a reserved
    /// configuration (TH-34), and counters and flags are as given.
    pub fn unknown_bits(
        &self,
        register: SysReg,
        reserved: u32,
        count: u32,
        overflow: u32,
        counter_mask: u64,
    ) -> u64 {
        match register {
            SysReg::Pmevcntr(n) if count >> n & 1 == 1 => counter_mask,
            SysReg::Pmevtyper(n) if reserved >> n & 1 == 1 => {
                THRESHOLD_CONTROL & self.layout.type_masks[usize::from(n)]
            }
            SysReg::Pmovsset | SysReg::Pmovsclr => u64::from(overflow),
            _ => 0,
        }
    }
}
