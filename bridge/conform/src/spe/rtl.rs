//! Area `spe` on the RTL.
//!
//! A cycle of a vector is one cycle of the design where the ports have room for it. Where they have not, it is
//! several: k operations in one cycle are k applications in order (SPE-28), and a cycle without operations
//! changes nothing, so that operations may be spread and writes made one after another, after them (A-SPE-6).
//!
//! The design has a random number generator of its own. Operations of a cycle that draws come one at a time, and
//! the byte that was drawn is replaced with the vector's, where SPE-12 and SPE-22 put it, by a write of
//! PMSICR_EL1.

use pmu_model::SysReg;
use pmu_model::contract::MAX_OPERATIONS;
use pmu_model::features::Feature;
use pmu_model::{CycleInput, CycleOutput};

use super::{Cycle, Vector};
use crate::bench::{Bench, Interruption, differs};
use crate::rtl::{Expression, Requirements, Values, knob_without_rtl};
use crate::value::Number;

/// Events of the counters 0, 1 and 2: SAMPLE_POP, SAMPLE_FEED, SAMPLE_COLLISION.
const EVENTS: [u64; 3] = [0x4000, 0x4001, 0x4003];
/// Draws until the generator returns a byte that selects as the vector's does: 1 in 256 does at worst.
const MOST_DRAWS: usize = 1 << 14;
const COLL: u64 = 1 << 16;
/// Places of a random byte in PMSICR_EL1.
const ECOUNT: u32 = 56;
const COUNT_LOW: u32 = 0;

fn number(number: Option<Number>) -> u64 {
    number.map_or(0, |number| number.0)
}

/// A vector in terms of the ports.
pub fn express(vector: Vector) -> Expression {
    if let Some(knob) = knob_without_rtl(&vector.implementation) {
        return Expression::none(format!("the RTL has no knob {knob}"));
    }
    if interval_is_unknown(&vector) {
        return Expression::none("profiling is enabled with INTERVAL = 0 (SPE-29)");
    }
    let mut expression = Expression::default();
    expression.add(requirements(&vector), move |bench| {
        Run::new(&vector, bench).run()
    });
    expression
}

/// Profiling is enabled with operations while INTERVAL is 0, so that it may be loaded.
fn interval_is_unknown(vector: &Vector) -> bool {
    const INTERVAL: u64 = 0xFFFF_FF00;
    let mut interval = 0;
    vector.cycles.iter().any(|cycle| {
        let unknown = cycle.inp.enabled.0 != 0 && interval == 0;
        if let Some(value) = cycle.inp.wr_pmsirr {
            interval = value.0 & INTERVAL;
        }
        unknown
    })
}

/// Nothing collides in the cycle: nothing can, or the vector says so.
fn calm(cycle: &Cycle) -> bool {
    let none = |list: &Option<Vec<Number>>| list.as_ref().is_some_and(Vec::is_empty);
    let expect = &cycle.expect;
    let taken = expect.selected.is_some() && expect.selected == expect.sampled;
    let idle = cycle.inp.enabled.0 == 0 || number(cycle.inp.ops) == 0;
    idle || none(&expect.selected) || none(&expect.collided) || taken
}

fn requirements(vector: &Vector) -> Requirements {
    let (wanted, cycles) = (&vector.implementation, &vector.cycles);
    let max_inflight = usize::from(wanted.spe.max_inflight);
    let mut requirements = Requirements {
        counters: Values::from(EVENTS.len()),
        ..Requirements::default()
    };
    requirements.fix(Feature::Spe, true);
    requirements.fix(Feature::Pmuv3p1, true);
    // SPE-21: without RND there is no difference; SPE-01: but for the field ECOUNT.
    let random = |cycle: &Cycle| number(cycle.inp.wr_pmsirr) & 1 == 1;
    let ecount = |cycle: &Cycle| number(cycle.inp.wr_pmsicr) >> 32 != 0;
    let matters = cycles.iter().any(|cycle| random(cycle) || ecount(cycle));
    requirements.alike(matters, Feature::Ernd, wanted);
    // SPE-42: which register a collision is reported in. PMSEE = 00 is that of EL1 with or without FEAT_SPE_EXC.
    let writes_higher = |cycle: &Cycle| {
        let mut written = cycle.inp.wr_coll.iter().flatten();
        written.any(|(el, _)| el != "1")
    };
    let matters = cycles
        .iter()
        .any(|cycle| writes_higher(cycle) || !(calm(cycle) || number(cycle.inp.pmsee) == 0));
    requirements.alike(matters, Feature::SpeExc, wanted);
    // SPE-41: as long as nothing collides, more room for samples makes no difference.
    requirements.max_inflight = if cycles.iter().all(calm) {
        let most = cycles.iter().map(|cycle| cycle.expect.inflight);
        let most = most.max_by_key(|count| count.map_or(u64::MAX, |count| count.0));
        match most.flatten() {
            Some(most) => Values::from(most.0.max(1) as usize),
            None => Values::from(max_inflight),
        }
    } else {
        Values::such_that(|room| room == max_inflight)
    };
    requirements
}

/// What a cycle of the vector came to.
#[derive(Default)]
struct Sum {
    operations: u64,
    selected: Vec<u64>,
    sampled: Vec<u64>,
    collided: Vec<u64>,
    events: [u64; 3],
    drawn: usize,
}

struct Run<'a> {
    vector: &'a Vector,
    bench: &'a mut Bench,
    /// The outputs of the last cycle.
    last: CycleOutput,
}

impl<'a> Run<'a> {
    fn new(vector: &'a Vector, bench: &'a mut Bench) -> Self {
        Self {
            vector,
            bench,
            last: CycleOutput::default(),
        }
    }

    fn run(mut self) -> Result<(), Interruption> {
        self.bench.reset()?;
        for (n, event) in EVENTS.into_iter().enumerate() {
            self.bench
                .write(SysReg::pmevtyper(n as u8).expect("few events"), event)?;
        }
        self.bench.enable(0b111)?;
        let vector = self.vector;
        for (index, cycle) in vector.cycles.iter().enumerate() {
            self.cycle(index, cycle)?;
        }
        Ok(())
    }

    fn cycle(&mut self, index: usize, cycle: &Cycle) -> Result<(), Interruption> {
        let inp = &cycle.inp;
        let draws = !inp.rnd.is_empty();
        // Which of several selected operations collided shows only one by one.
        let several = cycle
            .expect
            .selected
            .as_ref()
            .is_none_or(|selected| selected.len() > 1);
        let most = if draws || several { 1 } else { MAX_OPERATIONS };
        let mut writes = writes(cycle).into_iter();
        let mut sum = Sum::default();
        let mut operations = number(inp.ops);
        let mut complete = number(inp.complete);
        let mut first = true;
        while first || operations > 0 || complete > 0 {
            let mut input = self.input(cycle);
            if first && number(inp.discard) != 0 {
                input.profiling |= CycleInput::DISCARD;
            }
            input.complete = complete.min(MAX_OPERATIONS.into()) as u8;
            complete -= u64::from(input.complete);
            // Samples complete before operations come (A-SPE-8), and the transition may draw (SPE-10).
            if complete == 0 && !(draws && (first || input.complete > 0)) {
                input.operations = operations.min(most.into()) as u8;
                operations -= u64::from(input.operations);
            }
            let last = operations == 0 && complete == 0;
            if last
                && !draws
                && let Some((register, data)) = writes.next()
            {
                access(&mut input, register, data);
            }
            self.step(index, cycle, &input, &mut sum)?;
            first = false;
        }
        for (register, data) in writes {
            let mut input = self.input(cycle);
            access(&mut input, register, data);
            self.step(index, cycle, &input, &mut sum)?;
        }
        self.compare(index, cycle, &sum)
    }

    /// A cycle without operations.
    fn input(&self, cycle: &Cycle) -> CycleInput {
        let inp = &cycle.inp;
        let enabled = if inp.enabled.0 != 0 {
            CycleInput::PROFILING_ENABLED
        } else {
            0
        };
        let level = (number(inp.pmsee) & 3) << 2 | (number(inp.ee) & 3) << 4;
        CycleInput {
            counting_allowed: u32::MAX,
            profiling: enabled | level as u8,
            ..CycleInput::default()
        }
    }

    /// One cycle of the design, with the vector's byte in the place of the one that the design draws.
    fn step(
        &mut self,
        index: usize,
        cycle: &Cycle,
        input: &CycleInput,
        sum: &mut Sum,
    ) -> Result<(), Interruption> {
        let before = self.last.pmsicr;
        for _ in 0..MOST_DRAWS {
            let output = self.bench.cycle(input)?;
            self.last = output;
            if output.random_drawn == 0 {
                return sum.add(index, input, &output);
            }
            let given = &cycle.inp.rnd;
            let drawn = sum.drawn + usize::from(output.random_drawn);
            if output.random_drawn > 1 || drawn > given.len() {
                let at = format!("cycle {index}, rnd, bytes drawn");
                return Err(differs(at, given.len(), drawn));
            }
            let byte = given[sum.drawn].0;
            let ernd = self.bench.implementation.spe.ernd;
            let place = if ernd { ECOUNT } else { COUNT_LOW };
            let found = output.pmsicr >> place & 0xFF;
            if found != u64::from(output.random_byte) {
                let at = format!("cycle {index}, PMSICR, the byte that was drawn");
                return Err(differs(at, output.random_byte, found));
            }
            // SPE-22: with FEAT_SPE_ERnd, 0 selects the operation, any other byte does not.
            let same_selection = !ernd || (byte == 0) == (output.random_byte == 0);
            if same_selection {
                sum.drawn = drawn;
                sum.add(index, input, &output)?;
                if found != byte {
                    let pmsicr = output.pmsicr & !(0xFF << place) | byte << place;
                    let written = self.write_pmsicr(cycle, pmsicr)?;
                    sum.add(index, &CycleInput::default(), &written)?;
                }
                return Ok(());
            }
            if output.selected > 0 {
                return Err(Interruption::NotExpressible(
                    "the design drew 0, which selects an operation, where the vector has another byte",
                ));
            }
            // Nothing happened but to PMSICR_EL1: the operation comes again.
            self.write_pmsicr(cycle, before)?;
        }
        Err(Interruption::NotExpressible(
            "the design's random number generator does not return 0",
        ))
    }

    /// A cycle without operations that writes PMSICR_EL1.
    fn write_pmsicr(&mut self, cycle: &Cycle, data: u64) -> Result<CycleOutput, Interruption> {
        let mut input = self.input(cycle);
        access(&mut input, SysReg::Pmsicr, data);
        self.last = self.bench.cycle(&input)?;
        Ok(self.last)
    }

    fn compare(&mut self, index: usize, cycle: &Cycle, sum: &Sum) -> Result<(), Interruption> {
        let (expect, last) = (&cycle.expect, self.last);
        let bench = &mut *self.bench;
        let at = |name: &str| format!("cycle {index}, {name}");
        let list = |list: &Option<Vec<Number>>| -> Option<Vec<u64>> {
            Some(list.as_ref()?.iter().map(|number| number.0).collect())
        };
        let value = |number: Option<Number>| number.map(|number| number.0);
        let given = cycle.inp.rnd.len() as u64;
        bench.expect(at("rnd, bytes drawn"), Some(given), sum.drawn as u64)?;
        for (name, expected, rtl) in [
            ("selected", &expect.selected, &sum.selected),
            ("sampled", &expect.sampled, &sum.sampled),
            ("collided", &expect.collided, &sum.collided),
        ] {
            bench.compare(at(name), list(expected), rtl.clone(), |list| {
                format!("{list:?}")
            })?;
        }
        for (name, expected, rtl) in [
            ("SAMPLE_POP", expect.sample_pop, sum.events[0]),
            ("SAMPLE_FEED", expect.sample_feed, sum.events[1]),
            ("SAMPLE_COLLISION", expect.sample_collision, sum.events[2]),
            ("PMSICR", expect.pmsicr, last.pmsicr),
        ] {
            bench.expect(at(name), value(expected), rtl)?;
        }
        for (el, &coll) in expect.coll.iter().flatten().enumerate() {
            let name = format!("PMBSR_EL{}.COLL", el + 1);
            bench.expect(at(&name), value(coll), (last.coll >> el & 1).into())?;
        }
        let in_flight = last.in_flight.into();
        bench.expect(at("inflight"), value(expect.inflight), in_flight)
    }
}

impl Sum {
    fn add(
        &mut self,
        index: usize,
        input: &CycleInput,
        output: &CycleOutput,
    ) -> Result<(), Interruption> {
        for (sum, &increment) in self.events.iter_mut().zip(&output.increment) {
            *sum += u64::from(increment);
        }
        let selected = self.operations + u64::from(output.first_selected);
        self.operations += u64::from(input.operations);
        if output.selected > 1 {
            let at = format!("cycle {index}, selected from operation {selected}");
            return Err(differs(at, "one operation at most", output.selected));
        }
        if output.selected == 1 {
            self.selected.push(selected);
            match output.collided {
                0 => &mut self.sampled,
                _ => &mut self.collided,
            }
            .push(selected);
        }
        Ok(())
    }
}

/// The register writes of a cycle, in an order that makes no difference.
fn writes(cycle: &Cycle) -> Vec<(SysReg, u64)> {
    let inp = &cycle.inp;
    let interval = [
        (SysReg::Pmsicr, inp.wr_pmsicr),
        (SysReg::Pmsirr, inp.wr_pmsirr),
    ];
    let interval = interval.map(|(register, value)| Some((register, value?.0)));
    let coll = inp.wr_coll.iter().flatten().filter_map(|(el, value)| {
        let register = SysReg::pmbsr(el.parse().unwrap_or(1))?;
        Some((register, if value.0 != 0 { COLL } else { 0 }))
    });
    interval.into_iter().flatten().chain(coll).collect()
}

fn access(input: &mut CycleInput, register: SysReg, data: u64) {
    let CycleInput {
        access_address,
        access_kind,
        access_data,
        ..
    } = CycleInput::write(register, data);
    input.access_address = access_address;
    input.access_kind = access_kind;
    input.access_data = access_data;
}
