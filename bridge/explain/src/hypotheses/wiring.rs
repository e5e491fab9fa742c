//! An output that is connected wrong: it is another output, an input, or itself in another cycle or with other bits (DUT-02,
//! DUT-60). What the design goes on with is right.

use std::fmt;
use std::ops::Range;

use bytemuck::bytes_of;
use pmu_model::contract::{self, Group, Output};
use pmu_model::plain::Mutation;
use pmu_model::{CycleInput, CycleOutput};

use super::bench::Bench;
use lockstep_base::counted::plural;
use lockstep_engine::lockstep::compare::{Field, differences};

/// Cycles that tell a wrong connection from a right one, at least.
const TELLING: usize = 3;
/// Most cycles by which an output alone comes late.
const LATEST: u8 = 2;

/// What an output shows.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// What it should have shown so many cycles before.
    Late(u8),
    /// What it should show in the next cycle.
    Early,
    /// What it should have shown in the last cycle with a clock, where there is none.
    HeldWithoutClock,
    /// What another output should show.
    Output(Field),
    /// An input of the cycle.
    Input(&'static contract::Field),
    /// What this makes of its number.
    Otherwise(Mutation),
    /// Its bits, or those of another output.
    Or(Field),
    /// 0 where another output is not.
    ZeroedBy(Field),
}

/// A part of an output that has a name of its own.
#[derive(Clone, Copy, Debug)]
struct Part {
    field: Output,
    name: &'static str,
    high: u32,
    low: u32,
}

/// The parts.
const PARTS: [Part; 5] = {
    use Output::{Coll, Pmsicr};
    const fn part(field: Output, name: &'static str, high: u32, low: u32) -> Part {
        Part {
            field,
            name,
            high,
            low,
        }
    }
    [
        part(Pmsicr, "PMSICR_EL1.COUNT after the cycle", 31, 0),
        part(Pmsicr, "PMSICR_EL1.ECOUNT after the cycle", 63, 56),
        part(Coll, "PMBSR_EL1.COLL after the cycle", 0, 0),
        part(Coll, "PMBSR_EL2.COLL after the cycle", 1, 1),
        part(Coll, "PMBSR_EL3.COLL after the cycle", 2, 2),
    ]
};

impl Part {
    fn mask(&self) -> u64 {
        u64::MAX >> (63 - self.high) & u64::MAX << self.low
    }
}

/// An output or a part of it, and what it shows.
#[derive(Clone, Copy, Debug)]
pub struct Wiring {
    field: Field,
    part: Option<Part>,
    source: Source,
}

impl Wiring {
    /// Those that are tried of an output, the most likely first.
    fn all(field: Field) -> impl Iterator<Item = Self> {
        let whole = sources(field).map(move |source| Self {
            field,
            part: None,
            source,
        });
        let parts = PARTS.iter();
        let parts = parts.filter(move |part| field == Field::Whole(part.field));
        whole.chain(parts.flat_map(move |&part| {
            times().map(move |source| Self {
                field,
                part: Some(part),
                source,
            })
        }))
    }

    /// How many are tried of an output.
    pub(super) fn tried(field: Field) -> usize {
        Self::all(field).count()
    }

    /// The output that alone differs in all cycles of a bench, if there is one.
    pub(super) fn of_one(bench: &Bench<'_>) -> Option<Field> {
        let divergent = &bench.stretch.rtl[bench.stretch.divergent];
        let (expected, unknown) = (
            &bench.expected[bench.stretch.divergent],
            &bench.unknown[bench.stretch.divergent],
        );
        let differing = differences(expected, unknown, divergent);
        let [one] = &differing[..] else {
            return None;
        };
        let field = one.field;
        // What the design draws goes into the model.
        let is_one = !matches!(field, Field::Reserved(_) | Field::Whole(Output::RandomByte));
        let alone = |k: usize| {
            let mut expected = bench.expected[k];
            field.copy(&bench.stretch.rtl[k], &mut expected);
            bench.is_what_the_rtl_did(k, expected)
        };
        (is_one && (0..bench.expected.len()).all(alone)).then_some(field)
    }

    /// What explains every cycle of a bench in which `field` alone differs.
    pub(super) fn find(bench: &Bench<'_>, field: Field) -> Vec<Self> {
        Self::all(field)
            .filter(|wiring| wiring.first_miss(bench).is_none())
            .collect()
    }

    /// Whether enough cycles of a bench tell it from a right connection.
    pub(super) fn is_told(&self, bench: &Bench<'_>) -> bool {
        let cycles = self.checked(bench.expected.len());
        let tells = |&k: &usize| self.output(bench, k) != bench.expected[k];
        cycles.filter(tells).nth(TELLING - 1).is_some()
    }

    /// The first cycle of a bench that it does not explain.
    pub(super) fn first_miss(&self, bench: &Bench<'_>) -> Option<usize> {
        let mut cycles = self.checked(bench.expected.len());
        cycles.find(|&k| !bench.is_what_the_rtl_did(k, self.output(bench, k)))
    }

    /// The cycles of so many that it can be tested in.
    pub(super) fn checked(&self, cycles: usize) -> Range<usize> {
        match self.source {
            Source::Late(by) => usize::from(by).min(cycles)..cycles,
            Source::Early => 0..cycles.saturating_sub(1),
            _ => 0..cycles,
        }
    }

    /// What a design with this connection shows in a cycle: nothing in one of reset (DUT-10).
    pub(super) fn output(&self, bench: &Bench<'_>, k: usize) -> CycleOutput {
        if bench.stretch.inputs[k].is_reset() {
            return bench.expected[k];
        }
        let Self {
            field,
            part,
            source,
        } = *self;
        let own = |k: usize| field.of(&bench.expected[k]);
        let right = own(k);
        let mask = match part {
            Some(part) => part.mask(),
            None => u64::MAX >> (64 - width(field)),
        };
        let value = match source {
            Source::Late(by) => own(k.saturating_sub(by.into())),
            Source::Early => own((k + 1).min(bench.expected.len() - 1)),
            Source::HeldWithoutClock => own(last_with_clock(bench.stretch.inputs, k)),
            Source::Output(other) => other.of(&bench.expected[k]),
            Source::Input(input) => input.value(bytes_of(&bench.stretch.inputs[k]), 0),
            Source::Otherwise(mutation) => mutation.of_word(right, width(field)),
            Source::Or(other) => right | other.of(&bench.expected[k]),
            Source::ZeroedBy(other) => match other.of(&bench.expected[k]) {
                0 => right,
                _ => 0,
            },
        };
        let mut output = bench.expected[k];
        field.put(value & mask | right & !mask, &mut output);
        output
    }
}

/// The last cycle up to `k` in which the clock is not stopped, or one of reset.
fn last_with_clock(inputs: &[CycleInput], k: usize) -> usize {
    let runs = |input: &CycleInput| input.is_reset() || input.clock_stopped & 1 == 0;
    inputs[..=k].iter().rposition(runs).unwrap_or(k)
}

/// Bits of an output.
fn width(field: Field) -> u8 {
    let bits = match field {
        Field::Whole(output) => output.field().bits,
        _ => None,
    };
    bits.unwrap_or(field.bits().len() as u32) as u8
}

/// What an output or a part of one may show for its own value.
fn times() -> impl Iterator<Item = Source> {
    let late = (1..=LATEST).map(Source::Late);
    let zero = Source::Otherwise(Mutation::Zero);
    late.chain([Source::Early, Source::HeldWithoutClock, zero])
}

/// What an output may show, the most likely first.
fn sources(field: Field) -> impl Iterator<Item = Source> {
    let is_alike = move |other: &Field| {
        *other != field && other.group() == field.group() && other.group() != Group::Zero
    };
    let others = move || match field.group() {
        // Of 31 counters any is beside another one.
        Group::Increment => Vec::new(),
        _ => Field::all().filter(is_alike).collect::<Vec<_>>(),
    };
    // Of increments and accesses the contract has places for wrong bits.
    let bits = match field.group() {
        Group::Sampling => width(field),
        _ => 0,
    };
    let stuck = |bit| [false, true].map(|value| Mutation::Stuck(bit, value));
    let arithmetic = [Mutation::Inverted, Mutation::Plus(1), Mutation::Plus(-1)];
    let otherwise = (1..bits)
        .map(Mutation::Cut)
        .chain((0..bits).flat_map(stuck))
        .chain((1..bits).map(|bit| Mutation::Swapped(bit - 1)))
        .chain(arithmetic.into_iter().filter(move |_| bits > 0));
    let inputs = CycleInput::FIELDS.iter();
    let inputs = inputs.filter(move |input| input.group == field.group() && input.count == 1);
    let others_alone = others().into_iter().map(Source::Output);
    times()
        .chain(others_alone)
        .chain(inputs.map(Source::Input))
        .chain(otherwise.map(Source::Otherwise))
        .chain(others().into_iter().map(Source::Or))
        .chain(others().into_iter().map(Source::ZeroedBy))
}

/// The name of an output.
fn name(field: Field) -> String {
    match field {
        Field::Whole(output) => output.name().into(),
        other => other.name(&CycleInput::default()),
    }
}

impl fmt::Display for Wiring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = match self.part {
            Some(part) => part.name.into(),
            None => name(self.field),
        };
        match self.source {
            Source::Late(by) => write!(f, "{own} is shown {} late", plural(by.into(), "cycle")),
            Source::Early => write!(f, "{own} is shown one cycle early"),
            Source::HeldWithoutClock => {
                write!(
                    f,
                    "{own} is held, as it is shown, in a cycle without a clock"
                )
            }
            Source::Output(other) => write!(f, "what is shown as {own} is {}", name(other)),
            Source::Input(input) => write!(f, "what is shown as {own} is the input {}", input.name),
            Source::Otherwise(mutation) => match mutation {
                Mutation::Cut(bits) => {
                    let bits = plural(bits.into(), "bit");
                    write!(f, "{own} is cut to {bits} as it is shown")
                }
                Mutation::Stuck(bit, value) => {
                    let value = u8::from(value);
                    write!(f, "bit {bit} of {own} is stuck at {value} as it is shown")
                }
                Mutation::Swapped(bit) => {
                    let above = bit + 1;
                    write!(
                        f,
                        "bits {bit} and {above} of {own} are exchanged as it is shown"
                    )
                }
                Mutation::Inverted => write!(f, "{own} is shown inverted"),
                Mutation::Plus(1) => write!(f, "{own} is shown as one more than it is"),
                Mutation::Plus(_) => write!(f, "{own} is shown as one less than it is"),
                _ => write!(f, "{own} is shown as 0"),
            },
            Source::Or(other) => write!(f, "what is shown as {own} is that or {}", name(other)),
            Source::ZeroedBy(other) => {
                write!(f, "{own} is shown as 0 where {} is not 0", name(other))
            }
        }
    }
}
