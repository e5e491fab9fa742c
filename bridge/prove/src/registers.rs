//! What registers hold, as reads return it (DUT-13), and what a write of a type stores (ETY-01, ETY-02, ETY-05, DUT-36,
//! DUT-37): the slow contract of them, which a test compares with the model.

use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::implementation::Res0;
use pmu_model::pmu::event_type::{cycle_filter_mask, present_mask};
use pmu_model::pmu::registers::{PMCR_E, PMCR_LP};
use pmu_model::spmu::Registers as Describing;
use pmu_model::{Implementation, ImplementationError, Model, SysReg};

use crate::accesses::{Effect, Reached};
use crate::circuit::{Circuit, Lit};
use crate::counter::{Control, Counter};
use crate::sampling::Sampling;
use crate::system::System;

/// The register of the value of counter `n`, or of the cycle counter.
pub fn value_of(n: usize) -> SysReg {
    SysReg::pmevcntr(n as u8).unwrap_or(SysReg::Pmccntr)
}

/// The register of the type of counter `n`, or of the cycle counter.
pub fn type_of(n: usize) -> SysReg {
    SysReg::pmevtyper(n as u8).unwrap_or(SysReg::Pmccfiltr)
}

/// What an implementation fixes of the registers.
#[derive(Debug)]
pub struct Fixed {
    /// PMCR_EL0 out of reset.
    pmcr: u64,
    pmmir: u64,
    pmsidr: u64,
    /// By counter, 31 the cycle counter: the bits of its type that are stored, and what a reset leaves.
    types: Vec<[u64; 2]>,
    describing: Vec<Describing>,
}

impl Fixed {
    /// Of `implementation`.
    ///
    /// # Errors
    /// It is impossible.
    pub fn of(implementation: &Implementation) -> Result<Self, ImplementationError> {
        let model = Model::new(implementation)?;
        let holds = implementation.knobs.res0 == Res0::RwNoEffect;
        let types = (0..=CYCLE_COUNTER).map(|n| {
            let present = match n {
                CYCLE_COUNTER => cycle_filter_mask(implementation),
                n => present_mask(n as u8, implementation),
            };
            let stored = if holds { u64::MAX } else { present };
            [stored, model.register(type_of(n))]
        });
        let units = implementation.system_pmu.iter();
        Ok(Self {
            pmcr: model.register(SysReg::Pmcr),
            pmmir: model.register(SysReg::Pmmir),
            pmsidr: model.register(SysReg::Pmsidr),
            types: types.collect(),
            describing: units.map(pmu_model::spmu::SystemPmu::registers).collect(),
        })
    }

    /// ETY-02: the bits that the type of counter `n`, 31 the cycle counter, can never have.
    pub fn never(&self, n: usize) -> u64 {
        let [stored, out_of_reset] = self.types[n];
        !(stored | out_of_reset)
    }

    /// ETY-04: what a reset leaves of the type of counter `n`.
    pub fn reset_type(&self, n: usize) -> u64 {
        self.types[n][1]
    }

    /// What the type of counter `n` is at the end of a cycle.
    pub fn type_after(
        &self,
        circuit: &mut Circuit,
        n: usize,
        before: &[Lit],
        (reached, reset): (&Reached<'_>, Lit),
    ) -> Vec<Lit> {
        let [stored, out_of_reset] = self.types[n];
        let written = reached.written(circuit, Effect::Type(n));
        let bits = before.iter().enumerate().map(|(bit, &old)| {
            // The half that is kept is stored once more: what of it cannot be stored goes.
            let kept = circuit.choose(written.reached[bit], written.data[bit], old);
            let new = match stored >> bit & 1 {
                1 => kept,
                _ => Lit::FALSE,
            };
            let after = circuit.choose(written.any, new, old);
            circuit.choose(reset, Lit::known(out_of_reset >> bit & 1 == 1), after)
        });
        bits.collect()
    }
}

/// The registers of a design.
#[derive(Debug)]
pub struct Held<'a> {
    /// What never changes.
    pub fixed: &'a Fixed,
    /// PMCR_EL0, PMCNTENSET_EL0, PMSELR_EL0.
    pub control: &'a Control,
    /// By number, 31 the cycle counter: each counter with its flag and its type.
    pub counters: &'a [Option<(Counter, Vec<Lit>)>],
    /// Statistical Profiling.
    pub sampling: Option<&'a Sampling>,
    /// System PMUs.
    pub system: Option<&'a System>,
}

impl Held<'_> {
    /// What a register holds.
    pub fn value(&self, circuit: &mut Circuit, register: SysReg) -> Vec<Lit> {
        let known = |value: u64| -> Vec<_> {
            (0..64)
                .map(|bit| Lit::known(value >> bit & 1 == 1))
                .collect()
        };
        let padded = |bits: &[Lit]| {
            let mut bits = bits.to_vec();
            bits.resize(64, Lit::FALSE);
            bits
        };
        let counter = |n: usize| self.counters.get(n).and_then(Option::as_ref);
        let of_counter = |n| counter(n).map_or_else(|| known(0), |(of, _)| of.value.clone());
        let of_type = |n| counter(n).map_or_else(|| known(0), |(_, of)| of.clone());
        match register {
            SysReg::Pmcr => {
                let mut value = known(self.fixed.pmcr);
                value[PMCR_E.trailing_zeros() as usize] = self.control.enable;
                value[PMCR_LP.trailing_zeros() as usize] = self.control.long;
                value
            }
            SysReg::Pmcntenset | SysReg::Pmcntenclr => {
                let there = self.control.enabled.iter().enumerate();
                let there = there.map(|(n, &bit)| match counter(n) {
                    Some(_) => bit,
                    None => Lit::FALSE,
                });
                padded(&there.collect::<Vec<_>>())
            }
            SysReg::Pmovsset | SysReg::Pmovsclr => {
                let flags =
                    (0..=CYCLE_COUNTER).map(|n| counter(n).map_or(Lit::FALSE, |c| c.0.flag));
                padded(&flags.collect::<Vec<_>>())
            }
            SysReg::Pmselr => padded(&self.control.select),
            SysReg::Pmmir => known(self.fixed.pmmir),
            SysReg::Pmccntr => of_counter(CYCLE_COUNTER),
            SysReg::Pmevcntr(n) => of_counter(n.get().into()),
            SysReg::Pmccfiltr => of_type(CYCLE_COUNTER),
            SysReg::Pmevtyper(n) => of_type(n.get().into()),
            SysReg::Pmsidr => known(self.fixed.pmsidr),
            SysReg::Pmsicr => self.sampling.map_or_else(|| known(0), Sampling::pmsicr),
            SysReg::Pmsirr => self.sampling.map_or_else(|| known(0), Sampling::pmsirr),
            SysReg::Pmbsr(x) => {
                let buffer = self
                    .sampling
                    .and_then(|of| of.buffers.get(usize::from(x.get()) - 1));
                buffer.cloned().unwrap_or_else(|| known(0))
            }
            register => match self.system {
                Some(system) => system.read(circuit, &self.fixed.describing, register),
                None => known(0),
            },
        }
    }
}
