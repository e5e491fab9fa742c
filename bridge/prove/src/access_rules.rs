//! The rules of accesses: the model's own functions, run for every state of the PE that they look at.

use pmu_model::contract::{AccessOutcome, control};
use pmu_model::evtyper::access::{self, Direction, Outcome};
use pmu_model::evtyper::filter::ExceptionLevel;
use pmu_model::spmu::access::{self as system, Features};
use pmu_model::{CycleInput, Implementation};

use crate::circuit::{Circuit, Lit};
use crate::contract::{bit_of, field, state_of};
use crate::table::Table;

/// The rules of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruled {
    /// ETY-40, for this counter.
    Type(u8),
    /// SPMU-30; the register is SPMDEVAFF_EL1.
    System(bool),
}

/// The bit of [`word`] that says that the access happens.
pub const TAKES: usize = 3;

/// An outcome, and whether the access happens.
pub fn word(outcome: AccessOutcome, takes: bool) -> u8 {
    outcome as u8 | u8::from(takes) << TAKES
}

/// A word, known.
pub fn bits(word: u8) -> [Lit; 4] {
    std::array::from_fn(|bit| Lit::known(word >> bit & 1 == 1))
}

/// What the model says of an access.
fn word_of(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Access => word(AccessOutcome::Ok, true),
        Outcome::Undefined => word(AccessOutcome::Undefined, false),
        Outcome::Trap(ExceptionLevel::El0 | ExceptionLevel::El1) => {
            word(AccessOutcome::TrapEl1, false)
        }
        Outcome::Trap(ExceptionLevel::El2) => word(AccessOutcome::TrapEl2, false),
        Outcome::Trap(ExceptionLevel::El3) => word(AccessOutcome::TrapEl3, false),
        Outcome::ReadsZero | Outcome::WriteIgnored => word(AccessOutcome::Ok, false),
        Outcome::NoOperation | Outcome::Alias => word(AccessOutcome::Nop, false),
    }
}

/// Bits of `controls` that ETY-40 looks at.
const OF_TYPES: [u32; 13] = [
    control::HDFGRTR,
    control::HDFGWTR,
    control::USERENR_ER,
    control::USERENR_UEN,
    control::USERENR_EN,
    control::EDSCR_SDD,
    control::HALTED,
    control::FGTEN,
    control::MDCR_EL3_TPM,
    control::MDCR_EL2_TPM,
    control::E2H,
    control::TGE,
    control::EL2_ENABLED,
];
/// Bits of HPMN.
const HPMN: usize = 5;
/// HPMN, a bit of PMUACR_EL1, the controls, the level.
const BITS_OF_TYPES: usize = HPMN + 1 + OF_TYPES.len() + 2;

/// Bits of `controls` that SPMU-30 looks at, besides the one of its fine-grained trap.
const OF_SYSTEM: [u32; 6] = [
    control::EDSCR_SDD,
    control::HALTED,
    control::FGTEN2,
    control::MDCR_EL2_ENSPM,
    control::MDCR_EL3_ENPM2,
    control::EL2_ENABLED,
];
/// Fields of SPMACCESSR_EL2 and SPMACCESSR_EL3, the fine-grained trap, the controls, the level.
const BITS_OF_SYSTEM: usize = 2 + 2 + 1 + OF_SYSTEM.len() + 2;

/// Bits of SYSPMUSEL that have fields.
const SELECTS: usize = 5;

/// The rules of an implementation.
#[derive(Debug)]
pub struct AccessRules {
    /// By counter, reads and writes.
    types: Vec<[Table; 2]>,
    /// Reads, of another register than SPMDEVAFF_EL1 and of that one.
    system: [Table; 2],
}

/// The controls of the bits of a word that are 1.
fn controls(of: &[u32], word: u64) -> u32 {
    let of = of.iter().enumerate();
    of.fold(0, |all, (bit, control)| {
        all | (control * (word >> bit & 1) as u32)
    })
}

impl AccessRules {
    /// Those of `implementation`.
    pub fn of(implementation: &Implementation) -> Self {
        let of_type = |n: u8, direction| {
            Table::of_words(BITS_OF_TYPES, |word| {
                let mut input = CycleInput {
                    driven: CycleInput::DRIVEN_PE,
                    hpmn: word as u8 & 31,
                    pmuacr: (word >> HPMN & 1) as u32 * (1 << n),
                    controls: controls(&OF_TYPES, word >> (HPMN + 1)),
                    ..CycleInput::default()
                };
                input.threads[0].state = (word >> (HPMN + 1 + OF_TYPES.len())) as u8;
                let context = access::Context::of_cycle(n, &input);
                word_of(access::access(n, direction, &context, implementation).0)
            })
        };
        let features = Features::of(implementation);
        let of_system = |affinity: bool| {
            Table::of_words(BITS_OF_SYSTEM, |word| {
                let trap = match affinity {
                    true => control::NOT_TRAPPED_SPMDEVAFF,
                    false => control::NOT_TRAPPED_SPMID,
                };
                let mut input = CycleInput {
                    driven: CycleInput::DRIVEN_PE,
                    spmaccessr_el2: word & 3,
                    spmaccessr_el3: word >> 2 & 3,
                    controls: (trap * (word >> 4 & 1) as u32) | controls(&OF_SYSTEM, word >> 5),
                    ..CycleInput::default()
                };
                input.threads[0].state = (word >> (5 + OF_SYSTEM.len())) as u8;
                let context = system::Context::of_cycle(0, affinity, &input);
                word_of(system::access(Direction::Read, &context, &features))
            })
        };
        // 31 is no counter's.
        let types = (0..31).map(|n| [Direction::Read, Direction::Write].map(|of| of_type(n, of)));
        Self {
            types: types.collect(),
            system: [false, true].map(of_system),
        }
    }

    /// What the rules say of an access in a cycle in which the state of the PE is driven.
    pub fn decide(
        &self,
        circuit: &mut Circuit,
        (rules, is_write): (Ruled, bool),
        input: &[Lit],
        select: &[Lit],
    ) -> [Lit; 4] {
        let control = |mask: u32| input[bit_of("controls") + mask.trailing_zeros() as usize];
        let level = &input[state_of(0)..state_of(0) + 2];
        match rules {
            Ruled::Type(n) => {
                let mut bits = field(input, "hpmn", HPMN).to_vec();
                bits.push(input[bit_of("pmuacr") + usize::from(n)]);
                bits.extend(OF_TYPES.map(control));
                bits.extend(level);
                self.types[usize::from(n)][usize::from(is_write)].words_on(circuit, &bits)
            }
            Ruled::System(affinity) => {
                // DUT-38: a SYSPMUSEL that is reserved has no field, and is taken as 11.
                let mut bits = Vec::new();
                for register in ["spmaccessr_el2", "spmaccessr_el3"] {
                    let all = field(input, register, 64);
                    for bit in 0..2 {
                        let fields = (0..1 << SELECTS).map(|s| all[2 * s + bit]).collect();
                        let own = circuit.select(fields, &select[..SELECTS]);
                        bits.push(circuit.or(own, select[SELECTS]));
                    }
                }
                bits.push(control(match affinity {
                    true => control::NOT_TRAPPED_SPMDEVAFF,
                    false => control::NOT_TRAPPED_SPMID,
                }));
                bits.extend(OF_SYSTEM.map(control));
                bits.extend(level);
                self.system[usize::from(affinity)].words_on(circuit, &bits)
            }
        }
    }
}
