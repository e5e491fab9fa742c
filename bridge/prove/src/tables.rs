//! Functions of the model that have branches, run for each value of what they depend on.

use pmu_model::contract::{THREADS, control};
use pmu_model::pmu::count_value::{CONTROLS, CountValue};
use pmu_model::pmu::event_type::{EventTypeDecoder, TC, TE, TH, TLC};
use pmu_model::pmu::group::Filters;
use pmu_model::{CycleInput, Implementation, ImplementationError};

use crate::circuit::{Circuit, Lit};
use crate::contract::{STATE_BITS, bit_of, state_of};
use crate::symbol::{Symbol, WIDTH, Word};
use crate::table::Table;

/// The bits of `PMEVTYPER<n>_EL0` that threshold, edge and link depend on: TH, TLC, TE, TC.
pub(crate) const THRESHOLD: [(u8, u8); 4] = [(TH.low, 12), LINK, (TE.low, 1), (TC.low, 3)];
/// TLC.
const LINK: (u8, u8) = (TLC.low, 2);

/// Those that filters by level and Security state depend on: RLH, bit 20, to P, bit 31.
const LEVELS: (u8, u8) = (20, 12);
/// VS.
const MODES: (u8, u8) = (56, 2);
const MT: u8 = 25;

/// How many bits some fields have together.
pub(crate) fn width(fields: &[(u8, u8)]) -> usize {
    fields.iter().map(|&(_, bits)| usize::from(bits)).sum()
}

/// The register whose fields have these values together, the first in the low bits.
pub(crate) fn register(fields: &[(u8, u8)], mut value: u64) -> u64 {
    let mut register = 0;
    for &(low, bits) in fields {
        register |= (value & ((1 << bits) - 1)) << low;
        value >>= bits;
    }
    register
}

/// The bits of these fields.
pub(crate) fn bits(fields: &[(u8, u8)], register: &[Lit]) -> Vec<Lit> {
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
    /// TH-34, TH-35: the configuration is reserved, and what comes of it is not compared.
    unknown: [Table; 2],
    /// A thread in a state counts: 14 bits of the type, 5 of the state.
    in_both: Table,
    /// The counter is filtered: DRIVEN_PE, DRIVEN_THREADS, MT, MTPME of EL2 and EL3, and of each thread whether it
    /// counts in its state.
    filtered: Table,
    /// The counter counts a thread: DRIVEN_PE, DRIVEN_THREADS, and whether it counts in its state.
    counted: [Table; THREADS],
    /// Effective MT: DRIVEN_PE, MT, MTPME of EL2 and EL3.
    mt: Table,
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
        let mut filters = Filters::new(implementation);
        let counted = std::array::from_fn(|t| {
            Table::of(3, |value| {
                let mut input = CycleInput {
                    driven: value as u8 & 3,
                    ..CycleInput::default()
                };
                input.threads[t].state = u8::from(value >> 2 == 0);
                filters.set_type(0, 1 << 31);
                filters.take(&input);
                filters.group().unfiltered[t] & 1 == 1
            })
        });
        let mt = Table::of(4, |value| {
            let is = |bit: usize| value >> bit & 1 == 1;
            let on = |is: bool, control: u32| if is { control } else { 0 };
            let input = CycleInput {
                driven: value as u8 & 1,
                controls: on(is(2), control::MDCR_EL2_MTPME) | on(is(3), control::MDCR_EL3_MTPME),
                ..CycleInput::default()
            };
            filters.set_type(0, u64::from(is(1)) << MT);
            filters.take(&input);
            filters.group().mt & 1 == 1
        });
        let compared = implementation.knobs.compare_reserved;
        let unknown = [0u8, 1].map(|n| {
            Table::of(threshold_bits, |value| {
                decoded(n, value).reserved && !compared
            })
        });
        Ok(Self {
            controls,
            unknown,
            in_both,
            filtered,
            counted,
            mt,
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

    /// TH-34, TH-35: nothing of what counter `n` does with this type is UNKNOWN for its threshold.
    pub fn is_known(&self, circuit: &mut Circuit, n: usize, register: &[Lit]) -> Lit {
        !self.unknown[n % 2].on(circuit, &bits(&THRESHOLD, register))
    }

    /// TH-34, TH-35: V of counter `n` with this type is not UNKNOWN, nor is that of the counter below it, if it is linked.
    pub fn shows_known(
        &self,
        circuit: &mut Circuit,
        n: usize,
        register: &[Lit],
        below: Option<&[Lit]>,
    ) -> Lit {
        let own = self.is_known(circuit, n, register);
        let Some(below) = below else { return own };
        let links = bits(&[LINK], register);
        let linked = circuit.any(links);
        let below = self.is_known(circuit, n - 1, below);
        let known = circuit.or(!linked, below);
        circuit.and(own, known)
    }

    /// MT of a type.
    fn mt_of(register: &[Lit]) -> Lit {
        register[usize::from(MT)]
    }

    /// ETY-20 to ETY-24, DUT-50: the counter with this type is filtered.
    pub fn filtered(&self, circuit: &mut Circuit, register: &[Lit], of: &Situation) -> Lit {
        let fields = bits(&[LEVELS, MODES], register);
        let mut known = of.bits.to_vec();
        known.insert(2, Self::mt_of(register));
        for state in &of.states {
            let bits: Vec<_> = fields.iter().chain(state).copied().collect();
            known.push(self.in_both.on(circuit, &bits));
        }
        self.filtered.on(circuit, &known)
    }

    /// DUT-50, ETY-21: the Effective MT of the counter with this type, and the threads that it counts.
    pub fn group(
        &self,
        circuit: &mut Circuit,
        register: &[Lit],
        of: &Situation,
    ) -> (Lit, [Lit; THREADS]) {
        let [by_pe, by_threads, of_el2, of_el3] = of.bits;
        let mt = [by_pe, Self::mt_of(register), of_el2, of_el3];
        let mt = self.mt.on(circuit, &mt);
        let fields = bits(&[LEVELS, MODES], register);
        let counted = std::array::from_fn(|t| {
            let bits: Vec<_> = fields.iter().chain(&of.states[t]).copied().collect();
            let in_state = self.in_both.on(circuit, &bits);
            self.counted[t].on(circuit, &[by_pe, by_threads, in_state])
        });
        (mt, counted)
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

impl Situation {
    /// That of a cycle with this CycleInput.
    pub fn of(input: &[Lit]) -> Self {
        let driven = bit_of("driven");
        let bit = |mask: u32| input[bit_of("controls") + mask.trailing_zeros() as usize];
        let of_driven = |mask: u8| input[driven + mask.trailing_zeros() as usize];
        Self {
            bits: [
                of_driven(CycleInput::DRIVEN_PE),
                of_driven(CycleInput::DRIVEN_THREADS),
                bit(control::MDCR_EL2_MTPME),
                bit(control::MDCR_EL3_MTPME),
            ],
            states: std::array::from_fn(|t| input[state_of(t)..state_of(t) + STATE_BITS].to_vec()),
        }
    }

    /// DRIVEN_THREADS.
    pub fn by_threads(&self) -> Lit {
        self.bits[1]
    }
}

/// The controls as symbols.
pub fn symbols(controls: [Word; CONTROLS]) -> [Symbol; CONTROLS] {
    controls.map(|word| Symbol::of(&word))
}
