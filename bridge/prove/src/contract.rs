//! The contract's structs as bits of a circuit, and what stimulus may drive of them.

use std::mem::offset_of;

use bytemuck::bytes_of;
use lockstep_stimulus::ContractCheck;
use pmu_model::contract::{Field, Limit, THREADS, Thread, control};
use pmu_model::implementation::Pmu;
use pmu_model::{CycleInput, Implementation};

use crate::circuit::{Circuit, Lit};
use crate::symbol::WIDTH;
use crate::table::Table;

/// Bits of CycleInput.
pub const INPUT_BITS: usize = 8 * size_of::<CycleInput>();

/// Bits of the state of a thread.
pub const STATE_BITS: usize = 5;

/// The first bit of a field of CycleInput.
pub fn bit_of(field: &str) -> usize {
    let found = CycleInput::FIELDS.iter().find(|found| found.name == field);
    8 * found.map_or_else(
        || panic!("CycleInput has no field {field}"),
        |field| field.byte,
    )
}

/// So many bits of a field of CycleInput.
pub fn field<'a>(input: &'a [Lit], name: &str, bits: usize) -> &'a [Lit] {
    &input[bit_of(name)..bit_of(name) + bits]
}

/// DUT-80: no field has what it may not have.
pub fn is_in_limits(circuit: &mut Circuit, input: &[Lit]) -> Lit {
    let mut all = Vec::new();
    let mut limited = |circuit: &mut Circuit, field: &Field, first: usize| {
        let bits = &input[first..first + 8 * field.element_bytes];
        all.push(match field.limit {
            Limit::None => Lit::TRUE,
            Limit::Most(most) => {
                let most = (0..bits.len()).map(|bit| Lit::known(most >> bit & 1 == 1));
                let most: Vec<_> = most.collect();
                !circuit.less(&most, bits)
            }
            Limit::Bits(allowed) => {
                let other = (0..bits.len()).filter(|bit| allowed >> bit & 1 == 0);
                let other: Vec<_> = other.map(|bit| bits[bit]).collect();
                !circuit.any(other)
            }
        });
    };
    for field in CycleInput::FIELDS {
        limited(circuit, field, 8 * field.byte);
    }
    for t in 0..THREADS {
        for field in Thread::FIELDS {
            limited(circuit, field, state_of(t) + 8 * field.byte);
        }
    }
    circuit.all(all)
}

/// The first bit of the state of thread `t`.
pub fn state_of(t: usize) -> usize {
    bit_of("threads") + t * (INPUT_BITS_OF_THREADS / THREADS)
}

/// The first bit of the conditions of thread `t`.
pub fn conditions_of(t: usize) -> usize {
    state_of(t) + 8 * offset_of!(Thread, conditions)
}

/// The bit of a condition of thread `t`.
pub fn condition_of(t: usize, condition: u8) -> usize {
    conditions_of(t) + condition.trailing_zeros() as usize
}

/// The first bit of what thread `t` has retired.
pub fn count_of(t: usize) -> usize {
    state_of(t) + 8 * offset_of!(Thread, count)
}

const INPUT_BITS_OF_THREADS: usize = 8 * size_of::<[Thread; THREADS]>();

/// A cycle of stimulus, some bits of which are free.
#[derive(Clone, Debug)]
pub struct Shape {
    bits: Vec<Option<bool>>,
}

impl Shape {
    /// A cycle that is known.
    pub fn of(input: &CycleInput) -> Self {
        let bytes = bytes_of(input);
        let bits = (0..INPUT_BITS).map(|bit| Some(bytes[bit / 8] >> (bit % 8) & 1 == 1));
        Self {
            bits: bits.collect(),
        }
    }

    /// A cycle of which nothing is known.
    pub fn any() -> Self {
        Self {
            bits: vec![None; INPUT_BITS],
        }
    }

    /// The same, with some bits free.
    #[must_use]
    pub fn free(mut self, first: usize, count: usize) -> Self {
        self.bits[first..first + count].fill(None);
        self
    }

    /// The same, with a field free.
    #[must_use]
    pub fn field(self, name: &str) -> Self {
        let found = CycleInput::FIELDS.iter().find(|field| field.name == name);
        let found = found.unwrap_or_else(|| panic!("CycleInput has no field {name}"));
        self.free(8 * found.byte, 8 * found.element_bytes * found.count)
    }

    /// The same, with what each event counts free.
    #[must_use]
    pub fn events(self, pmu: &Pmu) -> Self {
        let width = pmu.event_width.into();
        (0..usize::from(pmu.event_count)).fold(self, |shape, event| {
            shape.free(bit_of("event") + WIDTH * event, width)
        })
    }

    /// The bits in a circuit.
    pub fn on(&self, circuit: &mut Circuit) -> Vec<Lit> {
        let bits = self.bits.iter();
        bits.map(|bit| bit.map_or_else(|| circuit.free(), Lit::known))
            .collect()
    }
}

/// The cycle with these bits.
pub fn input_of(bits: impl Iterator<Item = bool>) -> CycleInput {
    let mut bytes = [0u8; size_of::<CycleInput>()];
    for (place, bit) in bits.enumerate() {
        bytes[place / 8] |= u8::from(bit) << (place % 8);
    }
    bytemuck::pod_read_unaligned(&bytes)
}

/// DUT-81, DUT-82: whether a thread can be in a state, and EL2 be enabled there.
pub fn is_legal(implementation: &Implementation, state: u8, el2_enabled: bool) -> bool {
    let mut input = CycleInput {
        driven: CycleInput::DRIVEN_PE,
        controls: u32::from(el2_enabled) * control::EL2_ENABLED,
        ..CycleInput::default()
    };
    input.threads[0].state = state;
    let cycles = [CycleInput::reset(), input];
    ContractCheck::new(implementation).check(&cycles).is_ok()
}

/// The same as a table; bit 5 is whether EL2 is enabled.
pub fn legal_states(implementation: &Implementation) -> Table {
    Table::of(STATE_BITS + 1, |value| {
        is_legal(implementation, value as u8 & 31, value >> STATE_BITS == 1)
    })
}
