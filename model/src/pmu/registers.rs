//! The registers of the event counters: storage (`docs/dut-contract.md`, section 6).

use crate::contract::{COUNTER_LANES, CYCLE_COUNTER};
use crate::evtyper::reset_value;
use crate::implementation::{Implementation, Res0};
use crate::sysreg::SysReg;
use crate::sysreg::fields::{PMCR, named};

use super::event_type::{EVTCOUNT, TC, TE, TLC, cycle_filter_mask, present_mask};

pub use super::access::{Access, Write};

/// PMCR_EL0.E.
pub const PMCR_E: u64 = named(PMCR, "E").mask();
/// PMCR_EL0.P.
pub const PMCR_P: u64 = named(PMCR, "P").mask();
/// PMCR_EL0.C.
pub const PMCR_C: u64 = named(PMCR, "C").mask();
/// PMCR_EL0.LC, RES1.
pub const PMCR_LC: u64 = named(PMCR, "LC").mask();
/// PMCR_EL0.LP.
pub const PMCR_LP: u64 = named(PMCR, "LP").mask();
/// Lowest bit of PMCR_EL0.N.
pub const PMCR_N_SHIFT: u32 = named(PMCR, "N").low as u32;
/// {TC, TE, TLC} of `PMEVTYPER<n>_EL0`, which may read as UNKNOWN when reserved (TH-34).
pub const THRESHOLD_CONTROL: u64 = TC.mask() | TE.mask() | TLC.mask();

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
    /// ETY-04: the types out of reset.
    reset_types: [u64; COUNTER_LANES],
    res0: Res0,
    pmmir: u64,
}

impl Registers {
    /// The registers of `implementation` out of reset (DUT-11).
    pub fn new(implementation: &Implementation) -> Self {
        let counters = implementation.pmu.counters;
        let mut type_masks: [u64; COUNTER_LANES] =
            std::array::from_fn(|n| present_mask(n as u8, implementation));
        type_masks[CYCLE_COUNTER] = cycle_filter_mask(implementation);
        // TH-07: PMMIR_EL1.EDGE is 1 for FEAT_PMUv3_EDGE, 2 with FEAT_PMUv3_TH2 as well.
        // It tells features, whatever the layout of PMEVTYPER<n>_EL0 is.
        let edge = u64::from(implementation.pmu.edge) + u64::from(implementation.pmu.th2);
        let thwidth = u64::from(implementation.thwidth());
        let reset_types = std::array::from_fn(|n| {
            let implemented = n < usize::from(counters);
            if implemented {
                reset_value(implementation) & type_masks[n]
            } else {
                0
            }
        });
        let layout = Layout {
            counters,
            has_long: implementation.pmu.counter_bits == 64,
            counter_mask: (1 << CYCLE_COUNTER) | ((1u32 << counters) - 1),
            type_masks,
            reset_types,
            res0: implementation.knobs.res0,
            pmmir: edge << 24 | thwidth << 20 | u64::from(implementation.pmu.pmmir),
        };
        Self {
            enable: false,
            long: false,
            enabled: 0,
            overflow: 0,
            select: 0,
            types: reset_types,
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
        self.types = self.layout.reset_types;
    }

    /// Event counters that are implemented, as a mask.
    pub fn event_counters(&self) -> u32 {
        self.layout.counter_mask & !(1 << CYCLE_COUNTER)
    }

    /// DUT-14, CYC-18: the counters that count, given those that nothing else stops.
    #[inline(always)]
    pub fn counting(&self, allowed: u32) -> u32 {
        if self.enable {
            self.enabled & allowed
        } else {
            0
        }
    }

    /// DUT-31: whether event counter `n` is implemented.
    pub fn has(&self, n: u8) -> bool {
        n < self.layout.counters
    }

    /// Implemented bits of PMCNTENSET_EL0 and PMOVSSET_EL0.
    pub fn counter_mask(&self) -> u32 {
        self.layout.counter_mask
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
            _ => 0,
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
    /// configuration (TH-34) and those in `unpredictable` count an event that is (ETY-31), and counters and flags
    /// are as given.
    pub fn unknown_bits(
        &self,
        register: SysReg,
        reserved: u32,
        unpredictable: u32,
        count: u32,
        overflow: u32,
        counter_mask: u64,
    ) -> u64 {
        match register {
            SysReg::Pmevcntr(n) if count >> n.get() & 1 == 1 => counter_mask,
            SysReg::Pmevtyper(n) => {
                let if_in = |counters: u32, bits: u64| {
                    if counters >> n.get() & 1 == 1 {
                        bits
                    } else {
                        0
                    }
                };
                let unknown =
                    if_in(reserved, THRESHOLD_CONTROL) | if_in(unpredictable, EVTCOUNT.mask());
                unknown & self.layout.type_masks[usize::from(n)]
            }
            SysReg::Pmovsset | SysReg::Pmovsclr => u64::from(overflow),
            _ => 0,
        }
    }
}
