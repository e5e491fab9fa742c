//! Conformance vectors on the RTL, without the model: each vector becomes cycles of the design's ports,
//! and the design's outputs are compared with what the vector expects.
//!
//! A vector has parts that ask different things of a design ([`Requirements`]); parts that agree about them
//! share one. What the ports cannot express is left out and told.

mod requirements;

use std::collections::{BTreeMap, BTreeSet};

use pmu_model::Implementation;
use serde::Serialize;

use lockstep_engine::dut::{Dut, Pulse, Stop, check_knobs};

pub(super) use requirements::{Requirements, Values};

use requirements::plan;

use super::bench::{Bench, Interruption};
use super::{ConformError, Side};

/// Opens the design of an implementation.
pub type Open<'a, E> = dyn FnMut(&Implementation) -> Result<Box<dyn Dut>, E> + 'a;

/// Where designs come from.
pub struct Designs<'a, E> {
    /// Designs that may be opened besides the one with the default parameters.
    pub builds: usize,
    /// Opens them.
    pub open: &'a mut Open<'a, E>,
    /// Signs of life of the designs.
    pub pulse: Pulse,
}

/// Why vectors cannot be run on designs.
#[derive(Debug)]
pub enum OnRtlError<E> {
    /// A file cannot be run at all.
    File(ConformError),
    /// A design cannot be had.
    Open(E),
    /// A design ended its process.
    Ended(Stop),
}

/// Lines of one area on the RTL.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RtlTally {
    /// Lines of which all that can show on the ports agrees.
    pub passed: usize,
    /// Lines of which some agrees, and the rest could not be run.
    pub passed_in_part: usize,
    /// Lines of which something differs.
    pub failed: usize,
    /// Lines of which nothing can be run on the ports.
    pub not_expressible: usize,
    /// Lines that can be run, but on no design that was built.
    pub not_built: usize,
    /// Values compared.
    pub values: usize,
    /// Why lines, or parts of lines, are not expressible.
    pub reasons: Vec<Reason>,
    /// Lines with a part that no design was built for.
    pub lines_with_parts_not_built: usize,
}

/// Why something cannot be run on the ports.
#[derive(Clone, Debug, Serialize)]
pub struct Reason {
    /// The reason.
    pub reason: String,
    /// Lines of which something is left out for it.
    pub lines: usize,
}

/// What a part of a vector does with a design.
type Run = Box<dyn Fn(&mut Bench) -> Result<(), Interruption>>;

/// A part of a vector that the ports can express.
pub(super) struct Part {
    requirements: Requirements,
    run: Run,
}

/// A vector in terms of the ports.
#[derive(Default)]
pub(super) struct Expression {
    parts: Vec<Part>,
    left_out: BTreeSet<String>,
}

impl Expression {
    /// A vector that the ports cannot express.
    pub fn none(reason: impl Into<String>) -> Self {
        let mut expression = Self::default();
        expression.leave_out(reason);
        expression
    }

    /// A part of the vector is not expressible.
    pub fn leave_out(&mut self, reason: impl Into<String>) {
        self.left_out.insert(reason.into());
    }

    /// A part of the vector is.
    pub fn add(
        &mut self,
        requirements: Requirements,
        run: impl Fn(&mut Bench) -> Result<(), Interruption> + 'static,
    ) {
        if requirements.implementation().is_none() {
            self.leave_out("a combination of parameters that the wrapper does not have");
            return;
        }
        self.parts.push(Part {
            requirements,
            run: Box::new(run),
        });
    }
}

/// The reason that `implementation` has a knob which the RTL has not, if it has.
pub(super) fn knob_without_rtl(implementation: &Implementation) -> Option<String> {
    let error = check_knobs(implementation).err()?;
    Some(format!("{} = {}", error.knob, error.found))
}

/// What came of a line.
#[derive(Default)]
struct LineResult {
    run: usize,
    not_built: usize,
    values: usize,
    difference: Option<String>,
    left_out: BTreeSet<String>,
}

const NOTHING_EXPECTED: &str = "nothing is expected that shows on the ports";

/// Lines by area.
pub(super) type Tallies = BTreeMap<String, RtlTally>;

/// A line that does not agree, by its index, and the message.
pub(super) type Difference = (usize, String);

/// Runs `vectors`.
///
/// # Returns
/// Tallies by area, and the differences.
///
/// # Errors
/// A design cannot be had.
pub(super) fn run<E>(
    vectors: &[(String, Expression)],
    designs: &mut Designs<'_, E>,
) -> Result<(Tallies, Vec<Difference>), OnRtlError<E>> {
    let parts: Vec<(usize, &Part)> = vectors
        .iter()
        .enumerate()
        .flat_map(|(line, (_, expression))| expression.parts.iter().map(move |part| (line, part)))
        .collect();
    let requirements: Vec<_> = parts.iter().map(|(_, part)| &part.requirements).collect();
    let mut results: Vec<_> = vectors
        .iter()
        .map(|(_, expression)| LineResult {
            not_built: expression.parts.len(),
            left_out: expression.left_out.clone(),
            ..LineResult::default()
        })
        .collect();
    for target in plan(&requirements, designs.builds) {
        if target.parts.is_empty() {
            continue;
        }
        let mut open = || -> Result<Bench, OnRtlError<E>> {
            let dut = (designs.open)(&target.implementation).map_err(OnRtlError::Open)?;
            Ok(Bench::new(dut, &target.implementation, &designs.pulse))
        };
        let mut bench = open()?;
        for (line, part) in target.parts.iter().map(|&index| parts[index]) {
            let result = &mut results[line];
            result.not_built -= 1;
            bench.compared = 0;
            let ended = (part.run)(&mut bench);
            result.values += bench.compared;
            result.run += usize::from(bench.compared > 0);
            let left_out = std::mem::take(&mut bench.left_out);
            result
                .left_out
                .extend(left_out.into_iter().map(str::to_owned));
            let difference = match ended {
                Ok(()) => None,
                Err(reason @ (Interruption::NotExpressible(_) | Interruption::Excluded(_))) => {
                    result.left_out.insert(reason.to_string());
                    None
                }
                Err(Interruption::Differs(mismatch)) => Some(mismatch.on(Side::Rtl)),
                Err(Interruption::Stopped(stop)) if stop.ended_its_process() => {
                    return Err(OnRtlError::Ended(stop));
                }
                Err(Interruption::Stopped(stop)) => {
                    bench = open()?;
                    Some(stop.to_string())
                }
            };
            result.difference = result.difference.take().or(difference);
        }
    }
    let mut tallies = Tallies::new();
    let mut differences = Vec::new();
    for (line, ((area, _), mut result)) in vectors.iter().zip(results).enumerate() {
        if result.run == 0 && result.not_built == 0 && result.left_out.is_empty() {
            result.left_out.insert(NOTHING_EXPECTED.into());
        }
        let tally = tallies.entry(area.clone()).or_default();
        tally.add(&result);
        differences.extend(result.difference.map(|message| (line, message)));
    }
    Ok((tallies, differences))
}

impl RtlTally {
    fn add(&mut self, result: &LineResult) {
        self.values += result.values;
        self.lines_with_parts_not_built += usize::from(result.not_built > 0);
        for reason in &result.left_out {
            match self
                .reasons
                .iter_mut()
                .find(|found| found.reason == *reason)
            {
                Some(found) => found.lines += 1,
                None => self.reasons.push(Reason {
                    reason: reason.clone(),
                    lines: 1,
                }),
            }
        }
        let whole = result.not_built == 0 && result.left_out.is_empty();
        *match result {
            LineResult {
                difference: Some(_),
                ..
            } => &mut self.failed,
            LineResult { run: 0, .. } if result.not_built > 0 => &mut self.not_built,
            LineResult { run: 0, .. } => &mut self.not_expressible,
            _ if whole => &mut self.passed,
            _ => &mut self.passed_in_part,
        } += 1;
    }
}
