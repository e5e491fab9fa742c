//! Which accesses do what to the counters and their control registers: the model's own decoding, run for every access that
//! may be driven.

use pmu_model::audit::{KINDS, is_driven, named};
use pmu_model::contract::{AccessKind, Unknown};
use pmu_model::pmu::registers::{Access, Write};
use pmu_model::trace::{CycleRecord, Tracer};
use pmu_model::{CycleInput, CycleOutput, Implementation, ImplementationError, Model, SysReg};

use crate::circuit::{Circuit, Lit};
use crate::table::Table;

/// Bits of an address.
const ADDRESS: usize = 16;
/// Bits of PMSELR_EL0.SEL.
const SELECT: usize = 5;

/// What a write does. Types, sampling and System PMUs are not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// PMCR_EL0.
    Control,
    /// PMCNTENSET_EL0.
    Enable,
    /// PMCNTENCLR_EL0.
    Disable,
    /// PMOVSSET_EL0.
    SetFlags,
    /// PMOVSCLR_EL0.
    ClearFlags,
    /// PMSELR_EL0.
    Select,
    /// The value of a counter, 31 for PMCCNTR_EL0.
    Counter(usize),
}

impl Effect {
    /// That of a write, and the bits of its data that count, as it was made with all of them 1.
    fn of(write: &Write) -> Option<(Self, u64)> {
        match *write {
            Write::Control(data) => Some((Self::Control, data)),
            Write::Enable(counters) => Some((Self::Enable, counters.into())),
            Write::Disable(counters) => Some((Self::Disable, counters.into())),
            Write::SetFlags(flags) => Some((Self::SetFlags, flags.into())),
            Write::ClearFlags(flags) => Some((Self::ClearFlags, flags.into())),
            Write::Select(data) => Some((Self::Select, data)),
            Write::Counter(n, data) => Some((Self::Counter(n), data)),
            Write::Type(..)
            | Write::Pmsicr(_)
            | Write::Pmsirr(_)
            | Write::Pmbsr(..)
            | Write::SystemPmu(_) => None,
        }
    }
}

/// A write with an effect.
#[derive(Clone, Debug)]
struct Found {
    kind: AccessKind,
    address: u16,
    /// SEL, where it is of matter.
    select: Option<u8>,
    effect: Effect,
    data: u64,
}

/// The accesses of an implementation.
#[derive(Debug)]
pub struct Accesses {
    found: Vec<Found>,
    /// By kind, the addresses that may be driven; of `None` all may.
    legal: [(AccessKind, Table); KINDS.len()],
}

/// Keeps what the last access came to.
struct Last(Access);

impl Tracer for Last {
    const ACTIVE: bool = true;

    fn record(&mut self, record: CycleRecord) {
        self.0 = record.access;
    }
}

/// A write of all ones.
fn of_ones(kind: AccessKind, address: u16) -> CycleInput {
    CycleInput {
        access_kind: kind as u8,
        access_address: address,
        access_data: u64::MAX,
        ..CycleInput::default()
    }
}

impl Accesses {
    /// Those of `implementation`.
    ///
    /// # Errors
    /// It is impossible.
    pub fn of(implementation: &Implementation) -> Result<Self, ImplementationError> {
        let reset = Model::new(implementation)?;
        let selected = (0..1u8 << SELECT).map(|select| {
            let mut model = reset.clone();
            model.step_simple(&CycleInput::write(SysReg::Pmselr, select.into()));
            model
        });
        let selected: Vec<_> = selected.collect();
        let effect = |model: &Model, input: &CycleInput| {
            let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
            let mut last = Last(Access::None);
            model
                .clone()
                .step(input, 0, &mut output, &mut unknown, &mut last);
            last.0.write().and_then(Effect::of)
        };
        let legal = KINDS.map(|kind| {
            let driven = |address| is_driven(kind, address as u16, implementation);
            (kind, Table::of(ADDRESS, driven))
        });
        let mut found = Vec::new();
        for kind in KINDS.into_iter().filter(|kind| kind.is_write()) {
            let addresses = (0..=u16::MAX).filter(|&address| named(kind, address).is_some());
            for address in addresses {
                let input = of_ones(kind, address);
                let effects: Vec<_> = selected.iter().map(|model| effect(model, &input)).collect();
                let depends = effects.iter().any(|effect| *effect != effects[0]);
                for (select, effect) in effects.iter().enumerate() {
                    let Some((effect, data)) = *effect else {
                        continue;
                    };
                    if depends || select == 0 {
                        found.push(Found {
                            kind,
                            address,
                            select: depends.then_some(select as u8),
                            effect,
                            data,
                        });
                    }
                }
            }
        }
        Ok(Self { found, legal })
    }
}

/// The access of a cycle.
pub struct Port<'a> {
    /// CycleInput.access_kind.
    pub kind: &'a [Lit],
    /// CycleInput.access_address.
    pub address: &'a [Lit],
    /// CycleInput.access_data.
    pub data: &'a [Lit],
    /// PMSELR_EL0.SEL.
    pub select: &'a [Lit],
}

impl Accesses {
    /// DUT-36, DUT-37: the access is one that may be driven.
    pub fn legal(&self, circuit: &mut Circuit, port: &Port<'_>) -> Lit {
        let kinds = self.legal.iter();
        let mut all: Vec<_> = kinds
            .map(|(kind, addresses)| {
                let legal = addresses.on(circuit, port.address);
                let is = equals(circuit, port.kind, *kind as u64);
                circuit.and(is, legal)
            })
            .collect();
        all.push(equals(circuit, port.kind, AccessKind::None as u64));
        circuit.any(all)
    }

    /// What is written by the effect in this cycle: for each bit that counts whether it is written as 1; and whether
    /// anything is.
    pub fn written(
        &self,
        circuit: &mut Circuit,
        port: &Port<'_>,
        effect: Effect,
    ) -> (Lit, Vec<Lit>) {
        let found = self.found.iter().filter(|found| found.effect == effect);
        let (mut any, mut data) = (Lit::FALSE, vec![Lit::FALSE; 64]);
        for found in found {
            let mut is = equals(circuit, port.kind, found.kind as u64);
            let named = equals(circuit, port.address, found.address.into());
            is = circuit.and(is, named);
            if let Some(select) = found.select {
                let selected = equals(circuit, port.select, select.into());
                is = circuit.and(is, selected);
            }
            any = circuit.or(any, is);
            for (bit, data) in data.iter_mut().enumerate() {
                if found.data >> bit & 1 == 1 {
                    let one = circuit.and(is, port.data[bit]);
                    *data = circuit.or(*data, one);
                }
            }
        }
        (any, data)
    }
}

fn equals(circuit: &mut Circuit, bits: &[Lit], value: u64) -> Lit {
    let bits = bits.iter().enumerate();
    circuit.all(bits.map(|(bit, lit)| lit.inverted_if(value >> bit & 1 == 0)))
}
