//! The state of the model, for reports and for reads.

use crate::contract::{CYCLE_COUNTER, CycleInput};
use crate::implementation::Implementation;
use crate::spe::SamplingUnit;
use crate::spmu::SystemPmus;
use crate::sysreg::SysReg;

use super::Model;
use super::event_type::EventType;
use super::provenance::Origin;

impl Model {
    /// Number of the next cycle: how many have been made.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// The contents of `register` now; aliases and registers that are not implemented give 0.
    pub fn register(&self, register: SysReg) -> u64 {
        match register {
            SysReg::Pmevcntr(n) => self.counters.get(usize::from(n)),
            SysReg::Pmccntr => self.counters.get(CYCLE_COUNTER),
            SysReg::Pmsicr | SysReg::Pmsirr | SysReg::Pmsidr | SysReg::Pmbsr(_) => {
                self.sampling.read(register)
            }
            _ if register.is_of_system_pmus() => self.system_pmus.read(register),
            _ => self.registers.read(register),
        }
    }

    /// The implementation that this is the model of.
    pub fn implementation(&self) -> &Implementation {
        &self.implementation
    }

    /// Statistical Profiling now.
    pub fn sampling(&self) -> &SamplingUnit {
        &self.sampling
    }

    /// The System PMUs now.
    pub fn system_pmus(&self) -> &SystemPmus {
        &self.system_pmus
    }

    /// `PMEVTYPER<n>_EL0` as it is in force now; there is none beyond the last event counter that can be.
    pub fn event_type(&self, n: u8) -> Option<EventType> {
        self.types[..CYCLE_COUNTER].get(usize::from(n)).copied()
    }

    /// Bits of an event counter.
    pub fn counter_mask(&self) -> u64 {
        self.counters.mask()
    }

    /// Event counters whose values are UNKNOWN now, bit *n* for counter *n* (TH-34, TH-35).
    pub fn unknown_counters(&self) -> u32 {
        self.unknown.count()
    }

    /// Whether event number `event` is CHAIN (DUT-17).
    pub fn is_chain(&self, event: u16) -> bool {
        self.mux.is_chain(event)
    }

    /// Base value of event number `event`, `None` if the design does not have it (DUT-16).
    pub fn event_value(&self, event: u16, input: &CycleInput) -> Option<u16> {
        self.mux.event_value(event, &input.event)
    }

    /// What last set `register`.
    pub fn origin(&self, register: SysReg) -> Origin {
        self.provenance.of(register, &self.system_pmus)
    }

    /// C_P of counter `n` now; there is none beyond the last event counter that can be.
    pub fn c_p(&self, n: usize) -> Option<bool> {
        let event_counters = &self.datapath.c_p()[..CYCLE_COUNTER];
        event_counters.get(n).map(|&c_p| c_p != 0)
    }
}
