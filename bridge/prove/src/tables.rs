//! Functions of the model that have branches, run for each value of what they depend on.

use pmu_model::contract::{THREADS, control};
use pmu_model::pmu::count_value::{CONTROLS, CountValue};
use pmu_model::pmu::event_type::{EventTypeDecoder, TC, TE, TH, TLC, present_mask};
use pmu_model::pmu::group::Filters;
use pmu_model::{CycleInput, Implementation, ImplementationError};

use crate::circuit::{Circuit, Lit};
use crate::contract::STATE_BITS;
use crate::symbol::{Symbol, WIDTH, Word};
use crate::table::Table;

/// The bits of `PMEVTYPER<n>_EL0` that threshold, edge and link depend on: TH, TLC, TE, TC.
const THRESHOLD: [(u8, u8); 4] = [(TH.low, 12), (TLC.low, 2), (TE.low, 1), (TC.low, 3)];

/// Those that filters by level and Security state depend on: RLH, bit 20, to P, bit 31.
const LEVELS: (u8, u8) = (20, 12);
/// VS.
const MODES: (u8, u8) = (56, 2);
const MT: u8 = 25;

/// How many bits some fields have together.
fn width(fields: &[(u8, u8)]) -> usize {
    fields.iter().map(|&(_, bits)| usize::from(bits)).sum()
}

/// The register whose fields have these values together, the first in the low bits.
fn register(fields: &[(u8, u8)], mut value: u64) -> u64 {
    let mut register = 0;
    for &(low, bits) in fields {
        register |= (value & ((1 << bits) - 1)) << low;
        value >>= bits;
    }
    register
}

/// The bits of these fields.
fn bits(fields: &[(u8, u8)], register: &[Lit]) -> Vec<Lit> {
    let bits = fields.iter().flat_map(|&(low, bits)| {
        let low = usize::from(low);
        &register[low..low + usize::from(bits)]
    });
    bits.copied().collect()
}

/// What a control is made of.
enum Control {
    /// These bits where the table says so, else zero.
    All(u16, Table),
    /// Each bit by itself.
    Each(Vec<Table>),
}

/// The model's functions for one implementation.
pub struct Tables {
    /// By whether the counter is odd.
    controls: [Vec<Control>; 2],
    bypassed: [Table; 2],
    /// By state without Streaming mode.
    in_state: Vec<Table>,
    in_mode: [Table; 2],
    /// A thread in a state counts: 14 bits of the type, 5 of the state.
    in_both: Table,
    /// The counter is filtered: DRIVEN_PE, DRIVEN_THREADS, MT, MTPME of EL2 and EL3, and of each thread whether it
    /// counts in its state.
    filtered: Table,
    present: [u64; 2],
}

impl Tables {
    /// Those of `implementation`.
    ///
    /// # Errors
    /// It is impossible.
    pub fn of(implementation: &Implementation) -> Result<Self, ImplementationError> {
        let decoder = EventTypeDecoder::new(implementation)?;
        let decoded = |n: u8, value: u64| decoder.decode(n, register(&THRESHOLD, value));
        let threshold_bits = width(&THRESHOLD);
        let controls = [0u8, 1].map(|n| {
            let mut datapath = CountValue::<u16>::new(implementation);
            let rows = (0..1u64 << threshold_bits).map(|value| {
                datapath.set_type(n.into(), &decoded(n, value));
                datapath.controls(n.into())
            });
            let rows: Vec<[u16; CONTROLS]> = rows.collect();
            let of_control = |control: usize| {
                let mut values = rows
                    .iter()
                    .map(|row| row[control])
                    .filter(|&value| value != 0);
                let first = values.next().unwrap_or(0);
                let bit = |bit: usize| {
                    Table::of(threshold_bits, |value| {
                        rows[value as usize][control] >> bit & 1 == 1
                    })
                };
                match values.all(|value| value == first) {
                    true => Control::All(first, bit(first.trailing_zeros().min(15) as usize)),
                    false => Control::Each((0..WIDTH).map(bit).collect()),
                }
            };
            (0..CONTROLS).map(of_control).collect()
        });
        let mut filters = Filters::new(implementation);
        let mut counts = |effective: u64, state: u8| {
            let mut input = CycleInput {
                driven: CycleInput::DRIVEN_PE,
                ..CycleInput::default()
            };
            input.threads[0].state = state;
            filters.set_type(0, effective);
            filters.take(&input);
            filters.group().unfiltered[0] & 1 == 1
        };
        let levels = width(&[LEVELS]);
        let in_state = (0..16u8)
            .map(|state| Table::of(levels, |value| counts(register(&[LEVELS], value), state)));
        let in_state = in_state.collect();
        // EL0 is not filtered by fields that are zero.
        let in_mode = [0u8, 1].map(|mode| {
            Table::of(width(&[MODES]), |value| {
                counts(register(&[MODES], value), mode << 4)
            })
        });
        let both = [LEVELS, MODES];
        let in_both = Table::of(width(&both) + STATE_BITS, |value| {
            let state = (value >> width(&both)) as u8;
            counts(register(&both, value), state)
        });
        let mut filters = Filters::new(implementation);
        let filtered = Table::of(5 + THREADS, |value| {
            let is = |bit: usize| value >> bit & 1 == 1;
            let mut input = CycleInput {
                driven: value as u8 & 3,
                ..CycleInput::default()
            };
            if is(3) {
                input.controls |= control::MDCR_EL2_MTPME;
            }
            if is(4) {
                input.controls |= control::MDCR_EL3_MTPME;
            }
            // With P alone EL1 is filtered, and EL0 is not.
            for (t, thread) in input.threads.iter_mut().enumerate() {
                thread.state = u8::from(!is(5 + t));
            }
            filters.set_type(0, 1 << 31 | u64::from(is(2)) << MT);
            filters.take(&input);
            filters.group().filtered & 1 == 1
        });
        Ok(Self {
            controls,
            bypassed: [0u8, 1]
                .map(|n| Table::of(threshold_bits, |value| decoded(n, value).bypassed)),
            in_state,
            in_mode,
            in_both,
            filtered,
            present: [0, 1].map(|n| present_mask(n, implementation)),
        })
    }

    /// The datapath's controls of counter `n` with this type.
    pub fn controls(&self, circuit: &mut Circuit, n: usize, register: &[Lit]) -> [Word; CONTROLS] {
        let bits = bits(&THRESHOLD, register);
        let control = |control: usize| match &self.controls[n % 2][control] {
            Control::All(value, table) => {
                let holds = table.on(circuit, &bits);
                std::array::from_fn(|bit| match value >> bit & 1 {
                    1 => holds,
                    _ => Lit::FALSE,
                })
            }
            Control::Each(tables) => std::array::from_fn(|bit| tables[bit].on(circuit, &bits)),
        };
        std::array::from_fn(control)
    }

    /// TH-27, TH-35: V of counter `n` is V_B.
    pub fn bypassed(&self, circuit: &mut Circuit, n: usize, register: &[Lit]) -> Lit {
        self.bypassed[n % 2].on(circuit, &bits(&THRESHOLD, register))
    }

    /// ETY-20: a type counts in a state, 0 to 15, as far as level and Security state are concerned.
    pub fn in_state(&self, circuit: &mut Circuit, state: usize, register: &[Lit]) -> Lit {
        self.in_state[state].on(circuit, &bits(&[LEVELS], register))
    }

    /// ETY-22: a type counts in Streaming mode, 1, or outside of it, 0.
    pub fn in_mode(&self, circuit: &mut Circuit, mode: usize, register: &[Lit]) -> Lit {
        self.in_mode[mode].on(circuit, &bits(&[MODES], register))
    }

    /// MT of a type.
    pub fn mt(register: &[Lit]) -> Lit {
        register[usize::from(MT)]
    }

    /// ETY-20 to ETY-24, DUT-50: the counter with this type is filtered.
    pub fn filtered(&self, circuit: &mut Circuit, register: &[Lit], of: &Situation) -> Lit {
        let fields = bits(&[LEVELS, MODES], register);
        let mut known = of.bits.to_vec();
        known.insert(2, Self::mt(register));
        for state in &of.states {
            let bits: Vec<_> = fields.iter().chain(state).copied().collect();
            known.push(self.in_both.on(circuit, &bits));
        }
        self.filtered.on(circuit, &known)
    }

    /// ETY-02: the bits of the type of counter `n` that exist.
    pub fn present(&self, n: usize) -> u64 {
        self.present[n % 2]
    }
}

/// What filters look at in a cycle.
#[derive(Clone, Debug)]
pub struct Situation {
    /// DRIVEN_PE, DRIVEN_THREADS, MDCR_EL2.MTPME, MDCR_EL3.MTPME.
    pub bits: [Lit; 4],
    /// The state of each thread.
    pub states: [Vec<Lit>; THREADS],
}

/// The controls as symbols.
pub fn symbols(controls: [Word; CONTROLS]) -> [Symbol; CONTROLS] {
    controls.map(|word| Symbol::of(&word))
}
