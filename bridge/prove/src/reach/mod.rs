//! Points of coverage that random stimulus did not take: stimulus that takes them, or a proof that none does.
//!
//! A point is a formula (`asked`) over a cycle of the contract (`machine`), a few cycles after a reset. Whether stimulus
//! takes it is then what the model's own coverage says.

mod asked;
mod machine;

use std::time::Duration;

use pmu_model::contract::{CYCLE_COUNTER, Unknown};
use pmu_model::coverage::Coverage;
use pmu_model::coverage::points::{Boundary, Happening, Overflow, Point, Sampled, Threshold};
use pmu_model::pmu::registers::{PMCR_E, PMCR_LP};
use pmu_model::{CycleInput, CycleOutput, Implementation, ImplementationError, Model, SysReg};

use crate::circuit::Lit;
use crate::contract::{Shape, bit_of, conditions_of, count_of, input_of};
use crate::counting;
use crate::lrat::LratError;
use crate::proof::Contract;
use crate::registers::{type_of, value_of};
use crate::solver::{Answer, Certificate, Likely, Values, solve};
use crate::symbol::{WIDTH, circuit, forget};

use asked::{Asked, OfThreshold, Types, counter_of};
use machine::Machine;

/// What came of a point.
#[derive(Debug)]
pub enum Found {
    /// Stimulus that takes it, from a reset on.
    Taken(Vec<CycleInput>),
    /// None does.
    Never(Certificate),
    /// Why neither is known.
    NotDecided(&'static str),
}

/// This program or a library of it is at fault.
#[derive(Debug, thiserror::Error)]
pub enum Defect {
    /// A certificate does not hold.
    #[error("{0}: the solver's derivation does not hold: {1}")]
    Certificate(String, LratError),
    /// Stimulus does not take what it was made for.
    #[error("{0}: the stimulus that was found does not take it")]
    NotTaken(String),
}

/// Why a point is not decided.
const NO_FORMULA: &str = "it has no formula: longer random stimulus or another profile may take it";
const NO_TIME: &str = "it took too long (--limit)";
const OTHER_KNOBS: &str =
    "formulas are of the bundled RTL's knobs, which this implementation has not";
const NO_FORM: &str = "there may be stimulus, but none of the form that was tried";

/// What points of an implementation are looked for with.
pub struct Reach<'a> {
    implementation: &'a Implementation,
    contract: Contract,
    types: Types,
    limit: Duration,
    /// The slow contract has the implementation's knobs.
    knows_knobs: bool,
}

/// Events and a type that are free in them: the one before the cycle that is asked about, and that one.
const FREE: usize = 2;

impl<'a> Reach<'a> {
    /// For `implementation`, with so much time for each question. Where it has knobs that the bundled RTL does not have,
    /// `knows_knobs` is false: formulas do not know them.
    ///
    /// # Errors
    /// The implementation is impossible.
    pub fn new(
        implementation: &'a Implementation,
        limit: Duration,
        knows_knobs: bool,
    ) -> Result<Self, ImplementationError> {
        Ok(Self {
            implementation,
            contract: Contract::of(implementation)?,
            types: Types::of(implementation)?,
            limit,
            knows_knobs,
        })
    }

    /// Looks for stimulus that takes a point, or proves that there is none.
    ///
    /// # Errors
    /// A defect of this program or a library of it.
    pub fn find(&self, name: &str, point: Point) -> Result<Found, Defect> {
        if let Point::Threshold(of) = point
            && let Some(never) = self.never(name, &[of])?
        {
            return Ok(Found::Never(never));
        }
        let mut why = NO_FORMULA;
        for in_flight in self.in_flight(point) {
            forget();
            let n = counter_of(point);
            let mut machine = Machine::new(self.implementation, &self.contract, n);
            let mut inputs = Vec::new();
            for shape in self.set_up(point, in_flight) {
                let bits = circuit(|circuit| shape.on(circuit));
                machine.step(&bits);
                inputs.push(bits);
            }
            let asked = self.asked();
            let (mut all, mut taken) = (Vec::new(), Vec::new());
            for number in 0..FREE {
                let bits = circuit(|circuit| self.free(point, number).on(circuit));
                let seen = machine.step(&bits);
                all.push(seen.is_plain);
                let takes = circuit(|circuit| asked.takes(circuit, &seen, point));
                let Some(takes) = takes else {
                    return Ok(Found::NotDecided(NO_FORMULA));
                };
                taken.push(takes);
                inputs.push(bits);
            }
            all.push(circuit(|circuit| circuit.any(taken)));
            match self.solved(name, &all)? {
                Answer::Values(values) => {
                    let cycles: Vec<_> =
                        inputs.iter().map(|bits| cycle_of(&values, bits)).collect();
                    return match self.is_taken(name, &cycles) {
                        true => Ok(Found::Taken(cycles)),
                        false if !self.knows_knobs => Ok(Found::NotDecided(OTHER_KNOBS)),
                        false => Err(Defect::NotTaken(name.into())),
                    };
                }
                Answer::Never(_) => why = NO_FORM,
                Answer::NotDecided => why = NO_TIME,
            }
        }
        Ok(Found::NotDecided(why))
    }

    /// TH-01 to TH-28: that no cycle of any run has one of these combinations, whatever a counter's type, V_B and C_P;
    /// `None` if some has, or it is not known.
    ///
    /// # Errors
    /// A defect of this program or a library of it.
    pub fn never(&self, name: &str, points: &[Threshold]) -> Result<Option<Certificate>, Defect> {
        forget();
        let asked = self.asked();
        let pmu = &self.implementation.pmu;
        let mut any = Vec::new();
        for n in 0..usize::from(pmu.counters).min(2) {
            let (register, input, c_p, mut v_b) = circuit(|circuit| {
                let input = Shape::of(&CycleInput::default()).on(circuit);
                let v_b = circuit.free_word(pmu.event_width.into());
                (circuit.free_word(64), input, circuit.free(), v_b)
            });
            v_b.resize(WIDTH, Lit::FALSE);
            let facts = counting::Facts {
                implementation: self.implementation,
                tables: &self.contract.tables,
                input: &input,
            };
            let base = [v_b];
            let counts = (&[c_p][..], &[Lit::TRUE][..], &base[..]);
            let (values, _) = facts.values(&[n], |_| &register[..], counts);
            let of = OfThreshold {
                register: &register,
                v_b: &base[0],
                c_t: values.c_t[n].bits()[0],
                c_p,
            };
            let own = points
                .iter()
                .filter(|point| usize::from(point.odd) == n % 2);
            any.extend(own.map(|point| circuit(|circuit| asked.has(circuit, &of, point))));
        }
        let any = circuit(|circuit| circuit.any(any));
        Ok(match self.solved(name, &[any])? {
            Answer::Never(certificate) => Some(certificate),
            Answer::Values(_) | Answer::NotDecided => None,
        })
    }

    fn asked(&self) -> Asked<'_> {
        Asked {
            implementation: self.implementation,
            types: &self.types,
        }
    }

    fn solved(&self, name: &str, bits: &[Lit]) -> Result<Answer, Defect> {
        circuit(|circuit| solve(circuit, bits, self.limit, Likely::Either))
            .map_err(|error| Defect::Certificate(name.into(), error))
    }

    /// Whether the model takes the point of this name in these cycles.
    fn is_taken(&self, name: &str, cycles: &[CycleInput]) -> bool {
        let taken = taken_by(self.implementation, cycles);
        taken.is_some_and(|taken| {
            taken
                .missing()
                .all(|(cross, point, _)| full_name(cross, point) != name)
        })
    }

    /// How many samples are in flight before the cycles that are asked about, the fewest first.
    fn in_flight(&self, point: Point) -> Vec<u32> {
        let most = self.implementation.spe.max_inflight.into();
        match point {
            Point::Sampling(Sampled::InFlight(count)) => vec![count as u32],
            Point::Sampling(Sampled::Collision(..)) | Point::Boundary(_, Boundary::Collision) => {
                vec![most]
            }
            Point::Sampling(Sampled::CompleteOf(_)) => vec![0, 2],
            Point::EventNumber(_, Happening::Sample(_)) => vec![0, 1, most],
            _ => vec![0],
        }
    }

    /// From a reset on, the writes that make the counter count, or operations be sampled.
    fn set_up(&self, point: Point, in_flight: u32) -> Vec<Shape> {
        let n = counter_of(point);
        let data = bit_of("access_data");
        let write = |register, value| Shape::of(&CycleInput::write(register, value));
        let mut shapes = vec![Shape::of(&CycleInput::reset()); 2];
        if !matches!(point, Point::Sampling(_) | Point::Boundary(..)) {
            if n != CYCLE_COUNTER {
                shapes.push(write(type_of(n), 0).free(data, 64));
            }
            if matches!(point, Point::Value(..) | Point::Overflow(_)) {
                shapes.push(write(value_of(n), 0).free(data, 64));
            }
            let long = matches!(point, Point::Overflow(Overflow { long: true, .. }));
            let control = PMCR_E | if long { PMCR_LP } else { 0 };
            shapes.push(write(SysReg::Pmcr, control));
            shapes.push(write(SysReg::Pmcntenset, 1 << n));
        }
        if is_sampled(point) {
            let interval = write(SysReg::Pmsirr, 1 << 8);
            shapes.push(match point {
                Point::Sampling(Sampled::Interval(_)) => interval.free(data + 8, 24),
                Point::Sampling(Sampled::Secondary(_)) => interval.free(data, 1),
                _ => interval,
            });
            let at_zero = write(SysReg::Pmsicr, 0);
            shapes.push(match point {
                Point::Sampling(Sampled::Count(_) | Sampled::Secondary(_)) => {
                    at_zero.free(data, 64)
                }
                _ => at_zero,
            });
        }
        // SPE-10: the first operation at COUNT = 0 loads it; every one that follows a write of zero is selected.
        let selects = CycleInput {
            operations: 1,
            profiling: CycleInput::PROFILING_ENABLED,
            ..CycleInput::write(SysReg::Pmsicr, 0)
        };
        let cycles = if in_flight > 0 {
            in_flight as usize + 1
        } else {
            0
        };
        shapes.extend(vec![Shape::of(&selects); cycles]);
        if let Point::Boundary(..) = point {
            shapes.push(write(SysReg::Pmsirr, 1 << 8).free(data, 1));
            shapes.push(write(SysReg::Pmsicr, 0).free(data, 64));
        }
        shapes
    }

    /// The cycles that are asked about.
    fn free(&self, point: Point, number: usize) -> Shape {
        let n = counter_of(point);
        let allowed = CycleInput {
            counting_allowed: 1 << n,
            ..match point {
                Point::Sampling(_) => CycleInput::write(SysReg::Pmsicr, 0),
                Point::Boundary(..) => CycleInput::default(),
                // The first of them may leave another C_P than the type has that the second one counts with.
                Point::Threshold(_) if number == 0 => CycleInput::write(type_of(n), 0),
                _ => CycleInput::default(),
            }
        };
        let mut shape = Shape::of(&allowed);
        if allowed.access_kind != 0 && !matches!(point, Point::Sampling(_)) {
            shape = shape.field("access_data");
        }
        if n != CYCLE_COUNTER {
            shape = shape.events(&self.implementation.pmu);
        }
        if let Point::EventNumber(_, Happening::Thread(_)) = point {
            let threads = CycleInput::DRIVEN_THREADS.trailing_zeros() as usize;
            shape = shape
                .free(bit_of("driven") + threads, 1)
                .free(conditions_of(0), 8)
                .free(count_of(0), WIDTH);
        }
        if is_sampled(point) {
            for field in ["operations", "complete", "filtered_out", "profiling"] {
                shape = shape.field(field);
            }
        }
        shape
    }
}

/// The name of a point with that of its cross.
pub fn full_name(cross: &str, point: &str) -> String {
    format!("{cross}: {point}")
}

/// What the model takes in these cycles, in which no byte is drawn that matters; `None` if it is impossible.
pub fn taken_by(implementation: &Implementation, cycles: &[CycleInput]) -> Option<Coverage> {
    let mut model = Model::new(implementation).ok()?;
    let mut coverage = Coverage::new(implementation);
    let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
    for input in cycles {
        model.step(input, 0, &mut output, &mut unknown, &mut coverage);
    }
    Some(coverage)
}

fn cycle_of(values: &Values, bits: &[Lit]) -> CycleInput {
    circuit(|circuit| input_of(values.of(circuit, bits).into_iter()))
}

/// Whether a point is of Statistical Profiling.
fn is_sampled(point: Point) -> bool {
    matches!(
        point,
        Point::Sampling(_) | Point::Boundary(..) | Point::EventNumber(_, Happening::Sample(_))
    )
}
