//! Every threshold, edge and link configuration at 4-bit widths, through design and model: the datapath has
//! so few bits then that all of it can be shown.

use std::fmt;

use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::implementation::Spe;
use pmu_model::pmu::event_type::{TC, TE, TH, TLC};
use pmu_model::pmu::registers::PMCR_E;
use pmu_model::wrapper::Increments;
use pmu_model::{
    CycleInput, CycleOutput, Implementation, ImplementationError, Model, SysReg, Unknown,
};
use serde::Serialize;

use crate::dut::{Dut, Stop};
use crate::lockstep::compare::differences;
use crate::lockstep::delay::Latency;

/// Widths of TH and of events.
const WIDTH: u8 = 4;
const VALUES: u16 = 1 << WIDTH;
/// The pairs (n, n-1) that are run: an odd and an even counter.
const COUNTERS: [u8; 2] = [1, 2];

/// The implementation that is run, where the design may be built as it is wanted.
pub fn implementation() -> Implementation {
    let mut implementation = Implementation {
        name: "exhaust".into(),
        ..Implementation::default()
    };
    let pmu = &mut implementation.pmu;
    pmu.counters = 3;
    pmu.event_count = 4;
    pmu.event_width = WIDTH;
    pmu.thwidth = WIDTH;
    pmu.chain = false;
    implementation.spe = Spe {
        implemented: false,
        ernd: false,
        exc: false,
        ..Spe::default()
    };
    implementation.system_pmu = Vec::new();
    implementation
}

/// Something that the space needs and a design does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    /// Its name, as in implementation files.
    pub name: &'static str,
    /// What it must be.
    pub expected: String,
    /// What the design states.
    pub found: String,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            expected,
            found,
        } = self;
        write!(f, "{name} {expected} (the design states {found})")
    }
}

/// All that a design of `implementation` with these latencies lacks for the space. What has no part in thresholds, edges and
/// links may be as it is.
pub fn needs(implementation: &Implementation, latency: Latency) -> Vec<Need> {
    let (pmu, wrapper) = (&implementation.pmu, &implementation.wrapper);
    let need = |name, met: bool, expected: &dyn ToString, found: &dyn ToString| {
        (!met).then(|| Need {
            name,
            expected: expected.to_string(),
            found: found.to_string(),
        })
    };
    let exactly =
        |name, expected: usize, found: usize| need(name, found == expected, &expected, &found);
    let at_least = |name, expected: u8, found: u8| {
        let words = format!("of at least {expected}");
        need(name, found >= expected, &words, &found)
    };
    let on = |name, found: bool| need(name, found, &"on", &"off");
    let shown = wrapper.increments == Increments::Shown;
    [
        at_least("pmu.counters", COUNTERS[1] + 1, pmu.counters),
        at_least("pmu.event_count", 2, pmu.event_count),
        exactly("pmu.event_width", WIDTH.into(), pmu.event_width.into()),
        exactly("pmu.thwidth", WIDTH.into(), pmu.thwidth.into()),
        on("feature th", pmu.th),
        on("feature edge", pmu.edge),
        on("feature th2", pmu.th2),
        need(
            "wrapper.increments",
            shown,
            &"SHOWN",
            &wrapper.increments.word(),
        ),
        exactly("wrapper.access_interval", 1, wrapper.access_interval.into()),
        // Every point is measured in one cycle.
        exactly("latency_increment", 0, latency.increment),
        exactly("latency_access", 0, latency.access),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A point of the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Point {
    /// TC.
    pub tc: u8,
    /// TE.
    pub te: bool,
    /// TLC as written.
    pub tlc: u8,
    /// TH.
    pub th: u16,
    /// V_B\[n\].
    pub v_b: u16,
    /// V_B\[n-1\].
    pub v_b_below: u16,
    /// C_P\[n\].
    pub c_p: bool,
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            tc,
            te,
            tlc,
            th,
            v_b,
            v_b_below,
            c_p,
        } = *self;
        let (te, c_p) = (u8::from(te), u8::from(c_p));
        write!(
            f,
            "TC {tc:03b}, TE {te}, TLC {tlc:02b}, TH {th}, V_B[n] {v_b}, V_B[n-1] {v_b_below}, C_P {c_p}"
        )
    }
}

/// A point at which design and model differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    /// Where.
    pub point: Point,
    /// The model's V\[n\].
    pub expected: u16,
    /// The design's.
    pub rtl: u16,
}

/// The result for one counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Counter n.
    pub counter: u8,
    /// Points of the space.
    pub points: u64,
    /// Points at which V\[n\] agrees.
    pub agreed: u64,
    /// Points at which it does not.
    pub differ: u64,
    /// Points whose configuration is reserved (TH-30..33): V is not defined.
    pub reserved: u64,
    /// Points whose C_P no cycle with the same configuration can leave.
    pub unreachable: u64,
    /// Of these, points that agree when C_P is left by another configuration, rewritten in that cycle (A-TH-12).
    pub unreachable_agreed: u64,
    /// The first point that does not agree.
    pub first: Option<Disagreement>,
    /// Cycles that were run.
    pub cycles: u64,
}

/// An end before the result.
#[derive(Debug, thiserror::Error)]
pub enum ExhaustError {
    /// The design stopped.
    #[error(transparent)]
    Stop(#[from] Stop),
    /// There is no such design.
    #[error(transparent)]
    Impossible(#[from] ImplementationError),
    /// The design and the model differ in a cycle that only leads to a point.
    #[error(
        "RTL and model differ on the way to point {point:?}: {field}: expected {expected:#x}, RTL {rtl:#x}"
    )]
    Approach {
        /// The point.
        point: Point,
        /// Field.
        field: String,
        /// The model's value.
        expected: u64,
        /// The design's.
        rtl: u64,
    },
}

/// Runs the whole space on a design of `implementation`, which has all that [`needs`] asks for. `progress` is told the points
/// done.
///
/// # Errors
/// The design stops, or differs before a point is reached, or the implementation is impossible.
pub fn exhaust(
    dut: &mut dyn Dut,
    implementation: &Implementation,
    progress: &mut dyn FnMut(u64),
) -> Result<Vec<Tally>, ExhaustError> {
    let model = Model::new(implementation)?;
    let mut run = Run {
        dut,
        model,
        cycles: 0,
    };
    let mut done = 0;
    COUNTERS
        .iter()
        .map(|&counter| {
            run.counter(counter, &mut || {
                done += u64::from(VALUES) * u64::from(VALUES) * 2;
                progress(done);
            })
        })
        .collect()
}

/// Points of the space, over both counters.
pub fn points() -> u64 {
    COUNTERS.len() as u64 * 8 * 2 * 4 * u64::from(VALUES).pow(3) * 2
}

struct Run<'a> {
    dut: &'a mut dyn Dut,
    model: Model,
    cycles: u64,
}

/// A cycle of a script: what is driven, and the point that it measures, if it does.
type Scripted = (CycleInput, Option<Point>);

impl Run<'_> {
    fn counter(&mut self, n: u8, done: &mut dyn FnMut()) -> Result<Tally, ExhaustError> {
        let mut tally = Tally {
            counter: n,
            points: 0,
            agreed: 0,
            differ: 0,
            reserved: 0,
            unreachable: 0,
            unreachable_agreed: 0,
            first: None,
            cycles: 0,
        };
        let start = self.cycles;
        self.set_up(n)?;
        for index in 0..(8 * 2 * 4 * VALUES) {
            let (th, index) = (index % VALUES, index / VALUES);
            let (tlc, te, tc) = (index % 4, index / 4 % 2, index / 8);
            self.configuration(n, tc as u8, te == 1, tlc as u8, th, &mut tally)?;
            done();
        }
        tally.cycles = self.cycles - start;
        Ok(tally)
    }

    /// Counter n counts event 1, n-1 counts event 0 as it is.
    fn set_up(&mut self, n: u8) -> Result<(), ExhaustError> {
        let script = [
            CycleInput::reset(),
            CycleInput::write(event_type_register(n - 1), 0),
            CycleInput::write(SysReg::Pmcntenset, 1 << n | 1 << (n - 1)),
            CycleInput::write(SysReg::Pmcr, PMCR_E),
        ];
        let point = Point {
            tc: 0,
            te: false,
            tlc: 0,
            th: 0,
            v_b: 0,
            v_b_below: 0,
            c_p: false,
        };
        self.play(
            n,
            script.map(|input| (input, None)).to_vec(),
            point,
            &mut |_, _| {},
        )
    }

    /// All points of one configuration.
    fn configuration(
        &mut self,
        n: u8,
        tc: u8,
        te: bool,
        tlc: u8,
        th: u16,
        tally: &mut Tally,
    ) -> Result<(), ExhaustError> {
        let value = event_type(tc, te, tlc, th);
        let mut point = Point {
            tc,
            te,
            tlc,
            th,
            v_b: 0,
            v_b_below: 0,
            c_p: false,
        };
        let write = CycleInput::write(event_type_register(n), value);
        self.play(n, vec![(write, None)], point, &mut |_, _| {})?;
        let decoded = self.model.event_type(n);
        // TH-20, evaluated on the configuration in force: which base values leave C_P as wanted.
        let leaves = |c_p: bool| (0..VALUES).find(|&v_b| condition(tc, v_b, th) == c_p);
        let mut script: Vec<Scripted> = Vec::new();
        let mut reachable = [true; 2];
        for c_p in [false, true] {
            point.c_p = c_p;
            // C_P = 0 is left by a cycle without counting as well (TH-28).
            let before = match leaves(c_p) {
                Some(v_b) => vec![events(v_b, 0)],
                None if !c_p => vec![CycleInput {
                    counting_allowed: !(1 << n),
                    ..events(0, 0)
                }],
                None => {
                    reachable[usize::from(c_p)] = false;
                    // GE 0 is always TRUE; the write takes effect after C_P was left (DUT-24).
                    let always = event_type(0b101, false, 0, 0);
                    vec![
                        CycleInput::write(event_type_register(n), always),
                        CycleInput {
                            event: events(0, 0).event,
                            ..write
                        },
                    ]
                }
            };
            for v_b in 0..VALUES {
                for v_b_below in 0..VALUES {
                    script.extend(before.iter().map(|&input| (input, None)));
                    let measured = Point {
                        v_b,
                        v_b_below,
                        ..point
                    };
                    script.push((events(v_b, v_b_below), Some(measured)));
                }
            }
        }
        tally.points += 2 * u64::from(VALUES) * u64::from(VALUES);
        self.play(n, script, point, &mut |point, (expected, rtl)| {
            let agrees = expected == rtl;
            if decoded.is_some_and(|event_type| event_type.reserved) {
                tally.reserved += 1;
                return;
            }
            if !reachable[usize::from(point.c_p)] {
                tally.unreachable += 1;
                tally.unreachable_agreed += u64::from(agrees);
            } else {
                tally.agreed += u64::from(agrees);
            }
            if !agrees {
                tally.differ += 1;
                tally.first.get_or_insert(Disagreement {
                    point,
                    expected,
                    rtl,
                });
            }
        })
    }

    /// Runs a script, compares every cycle, and hands V\[n\] of model and design to `measure`.
    fn play(
        &mut self,
        n: u8,
        script: Vec<Scripted>,
        near: Point,
        measure: &mut dyn FnMut(Point, (u16, u16)),
    ) -> Result<(), ExhaustError> {
        let inputs: Vec<_> = script.iter().map(|(input, _)| *input).collect();
        let mut rtl = vec![CycleOutput::default(); inputs.len()];
        self.dut.run(&inputs, &mut rtl)?;
        self.cycles += inputs.len() as u64;
        let lane = usize::from(n);
        for ((input, point), rtl) in script.iter().zip(&rtl) {
            if let Some(point) = point {
                assert_eq!(
                    self.model.c_p(lane),
                    Some(point.c_p),
                    "the script leaves C_P as wanted"
                );
            }
            let (mut expected, mut unknown) = (CycleOutput::default(), Unknown::default());
            self.model.step(
                input,
                rtl.random_byte,
                &mut expected,
                &mut unknown,
                &mut pmu_model::NoTracer,
            );
            if let Some(point) = point {
                measure(*point, (expected.increment[lane], rtl.increment[lane]));
                // V[n] is the measure's business.
                unknown.increments |= 1 << n;
            }
            if let Some(difference) = differences(&expected, &unknown, rtl).first() {
                return Err(ExhaustError::Approach {
                    point: point.unwrap_or(near),
                    field: difference.field.name(input),
                    expected: difference.expected,
                    rtl: difference.rtl,
                });
            }
        }
        Ok(())
    }
}

/// TH-20.
fn condition(tc: u8, v_b: u16, th: u16) -> bool {
    match tc >> 1 {
        0b00 => v_b != th,
        0b01 => v_b == th,
        0b10 => v_b >= th,
        _ => v_b < th,
    }
}

/// `PMEVTYPER<n>_EL0`.
fn event_type_register(n: u8) -> SysReg {
    SysReg::pmevtyper(n).expect("the counters of the space are the first ones")
}

/// `PMEVTYPER<n>_EL0` that counts event 1.
fn event_type(tc: u8, te: bool, tlc: u8, th: u16) -> u64 {
    u64::from(tc) << TC.low
        | u64::from(te) << TE.low
        | u64::from(tlc) << TLC.low
        | u64::from(th) << TH.low
        | 1
}

/// A cycle with these base values, counting allowed.
fn events(v_b: u16, v_b_below: u16) -> CycleInput {
    let mut input = CycleInput {
        counting_allowed: u32::MAX,
        ..CycleInput::default()
    };
    input.event[1] = v_b;
    input.event[0] = v_b_below;
    input
}

const _: () = assert!(COUNTERS[1] < CYCLE_COUNTER as u8);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dut::ModelledDut;

    #[test]
    fn the_space_is_covered_and_told_apart() {
        let mut dut = ModelledDut::new(&implementation()).unwrap();
        let tallies = exhaust(&mut dut, &implementation(), &mut |_| {}).unwrap();
        for (tally, reserved) in tallies.iter().zip([262_144, 65_536]) {
            assert_eq!(tally.points, 524_288);
            assert_eq!(tally.reserved, reserved);
            assert_eq!(tally.differ, 0);
            assert_eq!(tally.unreachable, tally.unreachable_agreed);
            assert_eq!(
                tally.agreed + tally.reserved + tally.unreachable,
                tally.points
            );
        }
        // C_T of "less than 0" is never TRUE, so C_P = 1 is not left: 256 points in each of the 9 configurations
        // of TC = 11x, TH = 0 that are not reserved on an odd counter, and 16 with TLC without effect.
        assert_eq!(
            (tallies[0].unreachable, tallies[1].unreachable),
            (9 * 256, 16 * 256)
        );
        assert_eq!(points(), 2 * 524_288);
    }

    /// What has no part in the datapath may be as it is.
    fn large() -> Implementation {
        let mut large = Implementation::default();
        (large.pmu.event_width, large.pmu.thwidth) = (WIDTH, WIDTH);
        large
    }

    #[test]
    fn all_that_is_missing_is_named_and_nothing_else() {
        let named = |implementation: &Implementation, latency| {
            let needs = needs(implementation, latency);
            needs.iter().map(Need::to_string).collect::<Vec<_>>()
        };
        assert_eq!(named(&implementation(), Latency::default()), [""; 0]);
        assert_eq!(named(&large(), Latency::default()), [""; 0]);
        let mut other = Implementation::default();
        other.pmu.counters = 2;
        (other.pmu.edge, other.pmu.th2) = (false, false);
        let latency = Latency {
            increment: 3,
            access: 0,
            spe: 2,
        };
        assert_eq!(
            named(&other, latency),
            [
                "pmu.counters of at least 3 (the design states 2)",
                "pmu.event_width 4 (the design states 16)",
                "pmu.thwidth 4 (the design states 12)",
                "feature edge on (the design states off)",
                "feature th2 on (the design states off)",
                "latency_increment 0 (the design states 3)",
            ]
        );
    }

    #[test]
    fn one_wrong_point_is_found() {
        let mut dut = ModelledDut::with_fault(
            &large(),
            Box::new(|_, input, output| {
                // V_B[n] = TH = 9 and greater-or-equal: 0 for 9.
                if input.event[1] == 9 && input.event[0] == 3 && output.increment[1] == 9 {
                    output.increment[1] = 0;
                }
                Ok(())
            }),
        )
        .unwrap();
        let tallies = exhaust(&mut dut, &large(), &mut |_| {}).unwrap();
        assert!(tallies[0].differ > 0 && tallies[1].differ == 0);
        assert_eq!(tallies[0].first.unwrap().rtl, 0);
    }
}
