//! From a claim that does not hold to stimulus that shows it: the design from its reset on, with the writes that set up a
//! counter, and then some cycles in which everything is free.

mod shown;
mod system;

use std::collections::HashSet;

use pmu_model::contract::{CYCLE_COUNTER, Thread};
use pmu_model::pmu::event_type::EVTCOUNT;
use pmu_model::pmu::registers::PMCR_LP;
use pmu_model::pmu::sample_events::SAMPLE_EVENTS;
use pmu_model::{CycleInput, SysReg};

use crate::circuit::Lit;
use crate::contract::{Shape, bit_of, input_of, state_of};
use crate::correspondence::Correspondence;
use crate::cycle::Cycle;
use crate::netlist::{Frame, NetlistError};
use crate::proof::{Area, Claim, Difference, INPUT, Prover, SAMPLES as NAMES};
use crate::registers::{type_of, value_of};
use crate::symbol::{circuit, forget};

/// Cycles that draw a byte: what acts on one byte alone is likely to be met, as there are 256 of them.
const DRAWS: usize = 1024;

/// Bits of the number of a lane.
const LANES: usize = 6;

/// What part of its time a question has at first.
const HASTE: u32 = 12;

/// Cycles in which something may have to come again and again.
const LONG: usize = 8;

/// Some cycles at the end, and what is free in them besides events.
#[derive(Clone, Copy)]
struct Form {
    /// How many.
    cycles: usize,
    /// The states of threads, and what filters look at.
    states: bool,
    /// Accesses.
    accesses: Accesses,
    /// Resets and a stopped clock.
    stops: bool,
    /// Operations, and whether they are profiled.
    operations: bool,
    /// Values of the counter and its neighbour before them.
    values: bool,
    /// Types of all counters before them, not of the counter and its neighbour alone.
    types: bool,
}

/// The access of the last cycle.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    None,
    Write(SysReg),
    Any,
}

/// The accesses that there may be.
#[derive(Clone, Copy, PartialEq)]
enum Accesses {
    None,
    /// Writes of the counter's type.
    OfType,
    Any,
}

/// The least first: what needs less is read more easily.
const FORMS: [Form; 11] = {
    let none = Form {
        cycles: 3,
        states: false,
        accesses: Accesses::None,
        stops: false,
        operations: false,
        values: false,
        types: false,
    };
    [
        none,
        Form {
            states: true,
            ..none
        },
        Form {
            accesses: Accesses::OfType,
            ..none
        },
        Form {
            stops: true,
            ..none
        },
        Form {
            operations: true,
            ..none
        },
        Form {
            values: true,
            ..none
        },
        Form {
            states: true,
            accesses: Accesses::OfType,
            stops: true,
            ..none
        },
        Form {
            states: true,
            accesses: Accesses::Any,
            stops: true,
            operations: true,
            values: true,
            ..none
        },
        Form {
            states: true,
            types: true,
            ..none
        },
        Form {
            cycles: LONG,
            accesses: Accesses::OfType,
            ..none
        },
        Form {
            cycles: LONG,
            states: true,
            accesses: Accesses::Any,
            stops: true,
            operations: true,
            values: true,
            types: false,
        },
    ]
};

/// Some accesses, one a cycle, and what else is free in the last of these cycles.
#[derive(Clone, Copy)]
struct Accessed {
    /// How many.
    accesses: usize,
    /// The state of the PE, what filters and access rules look at.
    states: bool,
    /// Events and operations.
    counts: bool,
}

impl Accessed {
    /// Nothing else is free.
    const fn alone(accesses: usize) -> Self {
        Self {
            accesses,
            states: false,
            counts: false,
        }
    }

    /// The state of the PE is free.
    const fn in_any_state(self) -> Self {
        Self {
            states: true,
            ..self
        }
    }

    /// Events and operations are free.
    const fn while_counting(self) -> Self {
        Self {
            counts: true,
            ..self
        }
    }
}

/// What is met soon.
const FEW: [Accessed; 5] = [
    Accessed::alone(1),
    Accessed::alone(1).in_any_state(),
    Accessed::alone(2),
    Accessed::alone(2).in_any_state(),
    Accessed::alone(3),
];

/// What takes more time, for what is not met so.
const MORE: [Accessed; 3] = [
    Accessed::alone(3).while_counting(),
    Accessed::alone(3).in_any_state().while_counting(),
    Accessed::alone(LONG).in_any_state(),
];

/// What is asked about a claim: the same for several claims, as what is looked for is any difference there.
#[derive(PartialEq, Eq, Hash)]
enum Question {
    Type(usize),
    Increment(usize),
    Value(usize),
    Operations,
    Samples,
    System(String),
    Access,
    Port(String),
}

impl Question {
    fn of(area: Area, place: usize, claim: &str) -> Self {
        match area {
            Area::Decode => Self::Type(place),
            Area::Filter | Area::Event | Area::Threshold => Self::Increment(place),
            Area::Counter => Self::Value(place),
            Area::Sampling if NAMES.contains(&claim) => Self::Samples,
            Area::Sampling => Self::Operations,
            Area::System => Self::System(claim.into()),
            Area::Access => Self::Access,
            Area::Port => Self::Port(claim.into()),
        }
    }
}

/// Stimulus that shows that a claim does not hold.
#[derive(Debug)]
pub struct CounterExample<'c> {
    /// What the claim is of.
    pub area: Area,
    /// The claim.
    pub claim: &'c Claim,
    /// The stimulus.
    pub cycles: Vec<CycleInput>,
}

/// What was looked at in some cycles of Statistical Profiling.
struct Looked {
    /// What is assumed of them.
    assumed: Vec<Lit>,
    /// What is wrong in any.
    wrong: Vec<Lit>,
    /// Nothing has come yet after which intervals are not known.
    is_known: Lit,
}

impl Default for Looked {
    fn default() -> Self {
        Self {
            assumed: Vec::new(),
            wrong: Vec::new(),
            is_known: Lit::TRUE,
        }
    }
}

impl Looked {
    /// What is assumed, and that anything is wrong.
    fn all(self) -> Vec<Lit> {
        let any = circuit(|circuit| circuit.any(self.wrong));
        self.assumed.into_iter().chain([any]).collect()
    }
}

impl Prover<'_> {
    /// Stimulus in which the design does otherwise than it should, in an area, and for the counter at `place` if that is of
    /// counters; a claim of them does not hold. `None` if there is none of the forms that are tried.
    ///
    /// # Errors
    /// The design has no such port.
    pub fn stimulus(
        &self,
        names: &Correspondence,
        (area, place): (Area, usize),
        claim: &str,
    ) -> Result<Option<Vec<CycleInput>>, NetlistError> {
        self.in_rounds(|searching| searching.found(names, (area, place), claim))
    }

    /// The same for the first of some claims that do not hold for which there is some, in the time for one of them.
    ///
    /// # Errors
    /// The design has no such port.
    pub fn stimulus_of_any<'c>(
        &self,
        names: &Correspondence,
        claims: &[(Area, &'c Claim)],
    ) -> Result<Option<CounterExample<'c>>, NetlistError> {
        let mut asked = HashSet::new();
        let differ = |&&(area, claim): &&(Area, &'c Claim)| {
            asked.insert(Question::of(area, claim.place, &claim.claim))
        };
        let claims: Vec<_> = claims.iter().filter(differ).collect();
        self.in_rounds(|searching| {
            for &&(area, claim) in &claims {
                let found = searching.found(names, (area, claim.place), &claim.claim)?;
                if let Some(cycles) = found {
                    return Ok(Some(CounterExample {
                        area,
                        claim,
                        cycles,
                    }));
                }
            }
            Ok(None)
        })
    }

    /// What is found with little time for each question, else with more; each round has its half of the time.
    fn in_rounds<T>(
        &self,
        look: impl Fn(&Self) -> Result<Option<T>, NetlistError>,
    ) -> Result<Option<T>, NetlistError> {
        for limit in [self.limit / HASTE, self.limit] {
            let mut searching = self.searching(self.search / 2);
            searching.limit = limit;
            let found = look(&searching)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn found(
        &self,
        names: &Correspondence,
        (area, place): (Area, usize),
        claim: &str,
    ) -> Result<Option<Vec<CycleInput>>, NetlistError> {
        match area {
            Area::Counter => {
                let found = self.of_values(names, place)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            Area::Sampling if NAMES.contains(&claim) => return self.of_samples(names),
            Area::Sampling => return self.of_operations(names),
            Area::Decode | Area::System | Area::Access => {
                let mut found = self.of_accesses(names, (area, place), claim, &FEW)?;
                if found.is_none() && area != Area::Decode {
                    found = self.of_filled(names, area, claim)?;
                }
                if found.is_none() {
                    found = self.of_accesses(names, (area, place), claim, &MORE)?;
                }
                if found.is_some() || area != Area::Decode {
                    return Ok(found);
                }
            }
            Area::Port if claim == INPUT => return self.of_input(names),
            Area::Port => return self.of_accesses(names, (area, place), claim, &FEW),
            Area::Filter | Area::Event | Area::Threshold => {}
        }
        self.of_forms(names, place)
    }

    fn of_forms(
        &self,
        names: &Correspondence,
        place: usize,
    ) -> Result<Option<Vec<CycleInput>>, NetlistError> {
        for form in FORMS {
            if self.is_late() {
                break;
            }
            if let Some(found) = self.of_form(names, place, form)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Stimulus in which anything differs, where a design takes another input than it is given: all of the last cycles is
    /// free.
    fn of_input(&self, names: &Correspondence) -> Result<Option<Vec<CycleInput>>, NetlistError> {
        let of_all = self.signals.cycle_counter;
        let write = |register| Shape::of(&CycleInput::write(register, 0)).field("access_data");
        let writes = [SysReg::Pmsirr, SysReg::Pmsicr].map(write);
        let samples = self.implementation.spe.implemented;
        for before in [&[][..], &writes] {
            if !before.is_empty() && !samples {
                break;
            }
            forget();
            let mut shapes = vec![Shape::of(&CycleInput::reset()); 2];
            shapes.extend_from_slice(before);
            let first = shapes.len();
            shapes.extend([Shape::any(), Shape::any()]);
            let mut looked = Looked::default();
            let inputs = self.unrolled(names, &shapes, |number, cycle| {
                if number >= first {
                    self.look_at_operations(cycle, &mut looked);
                    let of_access = self.differences(Area::Access, cycle, of_all);
                    looked.assumed.extend(self.are_known(cycle));
                    looked
                        .wrong
                        .extend(of_access.iter().map(Difference::is_wrong));
                }
            })?;
            if let Some(mut cycles) = self.cycles(&inputs, &looked.all()) {
                cycles.extend(self.reads(Area::Sampling, 0));
                return Ok(Some(cycles));
            }
        }
        for place in (0..=of_all).rev() {
            if self.is_late() {
                break;
            }
            let found = self.of_forms(names, place)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn of_form(
        &self,
        names: &Correspondence,
        place: usize,
        form: Form,
    ) -> Result<Option<Vec<CycleInput>>, NetlistError> {
        forget();
        let n = self.signals.counters[place].n;
        let shapes = self.shapes(n, form);
        let first_free = shapes.len() - form.cycles;
        let (mut assumed, mut wrong) = (Vec::new(), Vec::new());
        let counters: Vec<_> = match place == self.signals.cycle_counter {
            true => Vec::new(),
            false => (n - n % 2..=n).collect(),
        };
        let mut c_p = vec![Lit::FALSE; counters.len()];
        let inputs = self.unrolled(names, &shapes, |number, cycle| {
            if number >= first_free {
                assumed.push(self.legal(cycle));
                assumed.extend(self.are_known(cycle));
                if counters.is_empty() {
                    let expected =
                        cycle.expected_counting(self.implementation, &self.contract.tables, place);
                    let found = cycle.increment(CYCLE_COUNTER)[0];
                    wrong.push(circuit(|circuit| circuit.xor(expected, found)));
                    return;
                }
                let (mut counting, mut bases) = (Vec::new(), Vec::new());
                for &place in &counters {
                    counting.push(cycle.expected_counting(
                        self.implementation,
                        &self.contract.tables,
                        place,
                    ));
                    bases.push(self.base(cycle, place).0);
                }
                // What CHAIN counts is of the area of counters.
                if n % 2 == 1 {
                    let (_, is_chain) = self.base(cycle, n);
                    assumed.push(!is_chain);
                }
                let (values, after) = cycle.expected_values(
                    self.implementation,
                    &self.contract.tables,
                    &counters,
                    (&c_p, &counting, &bases),
                );
                c_p = after;
                let expected = values.v[n].bits();
                let found = cycle.increment(n);
                wrong.push(circuit(|circuit| circuit.differ(&expected, &found)));
            }
        })?;
        let any = circuit(|circuit| circuit.any(wrong));
        assumed.push(any);
        Ok(self.cycles(&inputs, &assumed))
    }

    /// Accesses from a reset on, the last of which comes to something else than it should; then what there is to be seen of
    /// it is read.
    fn of_accesses(
        &self,
        names: &Correspondence,
        (area, place): (Area, usize),
        claim: &str,
        forms: &[Accessed],
    ) -> Result<Option<Vec<CycleInput>>, NetlistError> {
        for form in forms {
            if self.is_late() {
                break;
            }
            forget();
            let mut shapes = vec![Shape::of(&CycleInput::reset()); 2];
            let access = any_access(Shape::of(&CycleInput::default()));
            shapes.extend(vec![access.clone(); form.accesses - 1]);
            let last = match form.counts {
                false => access,
                true => operations(self.counting(access)),
            };
            shapes.push(match form.states {
                false => last,
                true => self
                    .state_of_pe(last)
                    .field("access_rt")
                    .field("hpmn")
                    .field("pmuacr")
                    .field("controls")
                    .field("spmaccessr_el2")
                    .field("spmaccessr_el3"),
            });
            let found = self.of_last(names, &shapes, (area, place), claim)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Cycles of these shapes from a reset on, the last of which comes to something else than it should; then what there is
    /// to be seen of it is read.
    fn of_last(
        &self,
        names: &Correspondence,
        shapes: &[Shape],
        (area, place): (Area, usize),
        claim: &str,
    ) -> Result<Option<Vec<CycleInput>>, NetlistError> {
        let last = shapes.len() - 1;
        let (mut assumed, mut wrong) = (Vec::new(), Vec::new());
        let inputs = self.unrolled(names, shapes, |number, cycle| {
            if number > 1 {
                assumed.push(self.legal(cycle));
            }
            if number == last {
                let mut differences = self.differences(area, cycle, place);
                assumed.extend(self.are_known(cycle));
                match area {
                    Area::Decode => differences.truncate(1),
                    // What is wrong in one register alone is found sooner.
                    Area::System | Area::Port => differences.retain(|of| of.words() == claim),
                    _ => {}
                }
                wrong.extend(differences.iter().map(Difference::is_wrong));
            }
        })?;
        assumed.push(circuit(|circuit| circuit.any(wrong)));
        let found = self.cycles(&inputs, &assumed);
        Ok(found.map(|cycles| [cycles, self.reads(area, place)].concat()))
    }

    /// TH-34, ETY-31: what the counters do and what their types read as is not UNKNOWN, at the start of the cycle and at its
    /// end.
    fn are_known(&self, cycle: &mut Cycle) -> Vec<Lit> {
        let all_defined = self.implementation.pe.pmuv3p8;
        let mut known = Vec::new();
        for of in self
            .signals
            .counters
            .iter()
            .filter(|of| of.n < CYCLE_COUNTER)
        {
            for register in [cycle.value(&of.register), cycle.after(&of.register)] {
                let first = usize::from(EVTCOUNT.low);
                circuit(|circuit| {
                    let tables = &self.contract.tables;
                    known.push(tables.is_known(circuit, of.n, &register));
                    // All of these lanes are of events that are defined.
                    let others = &register[first + LANES..first + 16];
                    let lane = !circuit.any(others.iter().copied());
                    known.push(circuit.or(lane, Lit::known(all_defined)));
                });
            }
        }
        known
    }

    /// Sampling from a reset on: the registers are written, and then there are operations.
    fn of_operations(
        &self,
        names: &Correspondence,
    ) -> Result<Option<Vec<CycleInput>>, NetlistError> {
        let write = |register| Shape::of(&CycleInput::write(register, 0)).field("access_data");
        let idle = || Shape::of(&CycleInput::default());
        let stops = |shape: Shape| {
            shape
                .free(bit_of("reset"), 1)
                .free(bit_of("clock_stopped"), 1)
        };
        let (one, last) = (operations(idle()), any_access(operations(idle())));
        let mut tries_draws = true;
        for cycles in [
            vec![one.clone()],
            vec![one.clone(), one.clone()],
            vec![last.clone()],
            vec![one.clone(), last.clone()],
            vec![one.clone(), one.clone(), last.clone()],
            vec![one.clone(), one.clone(), stops(last.clone()), one.clone()],
            vec![last.clone(); 3],
        ] {
            forget();
            let mut shapes = vec![Shape::of(&CycleInput::reset()); 2];
            if self.implementation.spe.implemented {
                shapes.extend([write(SysReg::Pmsirr), write(SysReg::Pmsicr)]);
            }
            let first = shapes.len();
            shapes.extend(cycles);
            let mut looked = Looked::default();
            let inputs = self.unrolled(names, &shapes, |number, cycle| {
                if number >= first {
                    self.look_at_operations(cycle, &mut looked);
                }
            })?;
            if let Some(mut cycles) = self.cycles(&inputs, &looked.all()) {
                cycles.extend(self.reads(Area::Sampling, 0));
                return Ok(Some(cycles));
            }
            // Most of what one cycle does not show needs a byte.
            if std::mem::take(&mut tries_draws)
                && let Some(cycles) = self.of_draws(names)?
            {
                return Ok(Some(cycles));
            }
        }
        Ok(None)
    }

    /// Where a cycle of operations is wrong, and where that is looked at.
    fn look_at_operations(&self, cycle: &mut Cycle, looked: &mut Looked) {
        // What events count is seen by counters alone.
        self.look_at_sampling(cycle, looked, |words| !NAMES.contains(&words));
    }

    /// What is wrong of Statistical Profiling in a cycle, of differences with these words.
    fn look_at_sampling(
        &self,
        cycle: &mut Cycle,
        looked: &mut Looked,
        is_meant: impl Fn(&str) -> bool,
    ) {
        looked.assumed.push(self.legal(cycle));
        let differences = self.differences(Area::Sampling, cycle, 0);
        let meant = differences.iter().filter(|of| is_meant(of.words()));
        for wrong in meant.map(Difference::is_wrong) {
            // DUT-62: what comes after a load of zero is not known.
            let wrong = circuit(|circuit| circuit.and(looked.is_known, wrong));
            looked.wrong.push(wrong);
        }
        if let Some(first) = differences.first() {
            let known = first.is_looked_at();
            looked.is_known = circuit(|circuit| circuit.and(looked.is_known, known));
        }
    }

    /// Sampling after bytes have been drawn, as many as it takes for the next to be one that is needed: then the registers are
    /// written, and there are operations.
    fn of_draws(&self, names: &Correspondence) -> Result<Option<Vec<CycleInput>>, NetlistError> {
        if !self.implementation.spe.implemented {
            return Ok(None);
        }
        let write = |register| Shape::of(&CycleInput::write(register, 0)).field("access_data");
        let last = [
            write(SysReg::Pmsirr),
            // Enabled before, it expires where COUNT is zero.
            write(SysReg::Pmsicr).field("profiling"),
            operations(Shape::of(&CycleInput::default())),
        ];
        // What the last cycles come to after a cycle, with the byte that they draw.
        let after = |frame: Frame<'_>| {
            let mut looked = Looked::default();
            let mut byte = Vec::new();
            let (inputs, _) = self.unrolled_from(frame, names, &last, |number, cycle| {
                looked.assumed.extend(self.assumed(Area::Sampling, cycle));
                if number + 1 == last.len() {
                    self.look_at_operations(cycle, &mut looked);
                    byte = cycle.shown("random_byte");
                    let drawn = cycle.shown("random_drawn");
                    let any = circuit(|circuit| circuit.any(drawn));
                    looked.assumed.push(any);
                }
            })?;
            Ok((inputs, looked.all(), byte))
        };
        forget();
        // From any state on the generator gives what is needed.
        let (_, assumed, byte) = after(self.frame())?;
        let Some(values) = self.values(&assumed) else {
            return Ok(None);
        };
        let needed = circuit(|circuit| values.of(circuit, &byte));
        // An interval that draws, and a draw that begins anew.
        let interval = CycleInput::write(SysReg::Pmsirr, 0x101);
        let draw = CycleInput {
            operations: 1,
            profiling: CycleInput::PROFILING_ENABLED,
            ..CycleInput::write(SysReg::Pmsicr, 0)
        };
        let mut before = vec![CycleInput::reset(), CycleInput::reset(), interval];
        let known: Vec<_> = before.iter().map(Shape::of).collect();
        let (_, mut frame) = self.unrolled_from(self.first(), names, &known, |_, _| ())?;
        for _ in 0..DRAWS {
            if self.is_late() {
                break;
            }
            forget();
            frame = circuit(|circuit| frame.anew(circuit));
            self.choose(&mut frame);
            let mut next = Vec::new();
            let (_, drawn) =
                self.unrolled_from(frame.clone(), names, &[Shape::of(&draw)], |_, cycle| {
                    next = cycle.shown("random_byte");
                })?;
            let is_needed = |(&bit, &needed): (&Lit, &bool)| bit == Lit::known(needed);
            if next.iter().zip(&needed).all(is_needed) {
                let (inputs, assumed, _) = after(frame)?;
                if let Some(last) = self.cycles(&inputs, &assumed) {
                    let reads = self.reads(Area::Sampling, 0);
                    return Ok(Some([before, last, reads].concat()));
                }
            }
            frame = drawn;
            before.push(draw);
        }
        Ok(None)
    }

    /// Sampling, with a counter that counts one of its events, if there are counters.
    fn of_samples(&self, names: &Correspondence) -> Result<Option<Vec<CycleInput>>, NetlistError> {
        let write = |register| Shape::of(&CycleInput::write(register, 0)).field("access_data");
        let known = |register, data| Shape::of(&CycleInput::write(register, data));
        let events = SAMPLE_EVENTS.into_iter().zip(NAMES);
        let events = events.filter(|_| self.signals.cycle_counter > 0);
        for ((event, name), cycles) in events.flat_map(|of| [1, 2, 3].map(|cycles| (of, cycles))) {
            forget();
            let mut shapes = vec![Shape::of(&CycleInput::reset()); 2];
            shapes.extend([
                write(SysReg::Pmsirr),
                known(type_of(0), event.into()),
                known(SysReg::Pmcntenset, 1),
                known(SysReg::Pmcr, 1),
                write(SysReg::Pmsicr),
            ]);
            let first = shapes.len();
            // Each of them may begin an interval anew.
            shapes.extend(vec![operations(write(SysReg::Pmsicr)); cycles]);
            let mut looked = Looked::default();
            let inputs = self.unrolled(names, &shapes, |number, cycle| {
                if number >= first {
                    self.look_at_sampling(cycle, &mut looked, |words| words == name);
                }
            })?;
            if let Some(cycles) = self.cycles(&inputs, &looked.all()) {
                return Ok(Some(cycles));
            }
        }
        Ok(None)
    }

    /// The same cycle with the PE driven, and the states of the threads.
    fn state_of_pe(&self, mut shape: Shape) -> Shape {
        shape = shape.free(bit_of("driven"), 1);
        for t in 0..usize::from(self.implementation.threads.count) {
            shape = shape.free(state_of(t), crate::contract::STATE_BITS);
        }
        shape
    }

    /// The design in cycles of these shapes, from any state on: `look` sees each of them. Gives their inputs.
    fn unrolled(
        &self,
        names: &Correspondence,
        shapes: &[Shape],
        look: impl FnMut(usize, &mut Cycle),
    ) -> Result<Vec<Vec<Lit>>, NetlistError> {
        let (inputs, _) = self.unrolled_from(self.first(), names, shapes, look)?;
        Ok(inputs)
    }

    /// The same from the cycle before, with the last of the cycles.
    fn unrolled_from<'a>(
        &'a self,
        mut frame: Frame<'a>,
        names: &Correspondence,
        shapes: &[Shape],
        mut look: impl FnMut(usize, &mut Cycle),
    ) -> Result<(Vec<Vec<Lit>>, Frame<'a>), NetlistError> {
        let mut inputs = Vec::new();
        for (number, shape) in shapes.iter().enumerate() {
            let bits = circuit(|circuit| shape.on(circuit));
            // The input is registered: the next frame is its cycle.
            frame.drive(&names.input_port, &bits)?;
            let mut next = circuit(|circuit| frame.following(circuit));
            self.choose(&mut next);
            let mut cycle = Cycle::of(next, self.signals);
            // Bits that the design does not read are free in it, and driven all the same.
            cycle.input.clone_from(&bits);
            inputs.push(bits);
            look(number, &mut cycle);
            frame = cycle.frame;
        }
        Ok((inputs, frame))
    }

    /// Cycles with these inputs that make all `bits` 1, if there are some.
    fn cycles(&self, inputs: &[Vec<Lit>], bits: &[Lit]) -> Option<Vec<CycleInput>> {
        let values = self.values(bits)?;
        let cycle =
            |bits: &Vec<Lit>| circuit(|circuit| input_of(values.of(circuit, bits).into_iter()));
        Some(inputs.iter().map(cycle).collect())
    }

    /// Stimulus in which the counter at `place` goes on otherwise than it should: values, types and LP are written, and
    /// in the second cycle that counts there may be an access as well.
    fn of_values(
        &self,
        names: &Correspondence,
        place: usize,
    ) -> Result<Option<Vec<CycleInput>>, NetlistError> {
        let n = self.signals.counters[place].n;
        let known = [
            value_of(n),
            SysReg::Pmcr,
            SysReg::Pmovsclr,
            SysReg::Pmovsset,
            SysReg::Pmcntenset,
            SysReg::Pmcntenclr,
            SysReg::Pmselr,
            value_of(n.saturating_sub(1)),
        ];
        let known = known.map(Last::Write);
        let accesses = [&[Last::None][..], &known, &[Last::Any]].concat();
        for stops in [false, true] {
            for &access in &accesses {
                forget();
                let shapes = self.shapes_of_values(n, access, stops);
                let last = shapes.len() - 1;
                let (mut legal, mut wrong) = (Lit::TRUE, Vec::new());
                let inputs = self.unrolled(names, &shapes, |number, cycle| {
                    if number == last {
                        legal = self.legal(cycle);
                        let differences = self.differences(Area::Counter, cycle, place);
                        wrong.extend(differences.iter().map(Difference::is_wrong));
                    }
                })?;
                let any = circuit(|circuit| circuit.any(wrong));
                if let Some(mut cycles) = self.cycles(&inputs, &[any, legal]) {
                    cycles.extend(self.reads(Area::Counter, place));
                    return Ok(Some(cycles));
                }
            }
        }
        Ok(None)
    }

    /// Reset, events, values, enables, LP, and two cycles that count, the second of them with the access.
    fn shapes_of_values(&self, n: usize, access: Last, stops: bool) -> Vec<Shape> {
        let data = bit_of("access_data");
        let write = |register: SysReg| Shape::of(&CycleInput::write(register, 0));
        let own: Vec<_> = match n {
            CYCLE_COUNTER => vec![n],
            n => (n - n % 2..=n).collect(),
        };
        let mut shapes = vec![Shape::of(&CycleInput::reset()); 2];
        for &n in own.iter().filter(|&&n| n < CYCLE_COUNTER) {
            shapes.push(write(type_of(n)).free(data + usize::from(EVTCOUNT.low), 16));
        }
        shapes.extend(own.iter().map(|&n| write(value_of(n)).free(data, 64)));
        shapes.push(write(SysReg::Pmcntenset).free(data, 64));
        let long = PMCR_LP.trailing_zeros() as usize;
        shapes.push(Shape::of(&CycleInput::write(SysReg::Pmcr, 1)).free(data + long, 1));
        let counting = |input: &CycleInput| self.counting(Shape::of(input));
        shapes.push(counting(&CycleInput::default()));
        if access == Last::Any {
            shapes.push(write(SysReg::Pmselr).field("access_data"));
        }
        let mut last = match access {
            Last::None => counting(&CycleInput::default()),
            Last::Write(register) => counting(&CycleInput::write(register, 0)).free(data, 64),
            Last::Any => any_access(counting(&CycleInput::default())),
        };
        if stops {
            last = last
                .free(bit_of("reset"), 1)
                .free(bit_of("clock_stopped"), 1);
        }
        shapes.push(last);
        shapes
    }

    /// The same cycle with any events, and any counters allowed to count.
    fn counting(&self, shape: Shape) -> Shape {
        let pmu = &self.implementation.pmu;
        let allowed = bit_of("counting_allowed");
        shape
            .events(pmu)
            .free(allowed, pmu.counters.into())
            .free(allowed + CYCLE_COUNTER, 1)
    }

    /// Reset, types of the counter and its neighbour, enables, and free cycles.
    fn shapes(&self, n: usize, form: Form) -> Vec<Shape> {
        let data = (bit_of("access_data"), 64);
        let write =
            |register: SysReg| Shape::of(&CycleInput::write(register, 0)).free(data.0, data.1);
        let known = |register: SysReg, data: u64| Shape::of(&CycleInput::write(register, data));
        let mut shapes = vec![Shape::of(&CycleInput::reset()); 2];
        let pair = if n < CYCLE_COUNTER {
            n - n % 2..=n
        } else {
            n..=n
        };
        let others = (0..usize::from(self.implementation.pmu.counters))
            .filter(|other| form.types && !pair.contains(other));
        shapes.extend(others.chain(pair.clone()).map(type_of).map(write));
        if form.values {
            shapes.extend(pair.map(value_of).map(write));
        }
        shapes.push(known(SysReg::Pmcntenset, u64::MAX));
        shapes.push(known(SysReg::Pmcr, 1));
        let driven = match form.states {
            true => CycleInput::DRIVEN_PE | CycleInput::DRIVEN_THREADS,
            false => 0,
        };
        let mut free = Shape::of(&CycleInput {
            driven,
            ..match form.accesses {
                Accesses::OfType => CycleInput::write(type_of(n), 0),
                _ => CycleInput::default(),
            }
        });
        free = match form.accesses {
            Accesses::None => free,
            Accesses::OfType => free.field("access_data"),
            Accesses::Any => any_access(free),
        };
        if form.operations {
            free = operations(free);
        }
        if form.stops {
            free = free
                .free(bit_of("reset"), 1)
                .free(bit_of("clock_stopped"), 1);
        }
        free = self.counting(free);
        if form.states {
            for t in 0..usize::from(self.implementation.threads.count) {
                free = free.free(state_of(t), 8 * size_of::<Thread>());
            }
            free = free.field("controls");
        }
        shapes.extend(vec![free; form.cycles]);
        shapes
    }
}

/// The same cycle with any access.
fn any_access(shape: Shape) -> Shape {
    ["access_kind", "access_address", "access_data"]
        .into_iter()
        .fold(shape, Shape::field)
}

/// The same cycle with any operations.
fn operations(shape: Shape) -> Shape {
    ["operations", "complete", "filtered_out", "profiling"]
        .into_iter()
        .fold(shape, Shape::field)
}
