//! What would explain the RTL: mistakes, one at a time, replayed over the recorded cycles of a divergence.
//!
//! A hypothesis is the contract with one mistake, the model with another value of a knob, or the model with other
//! latencies than the design states. It explains the RTL if its
//! outputs are those of the RTL in every cycle that is compared, the divergent one among them. What the architecture leaves
//! UNKNOWN is not compared.

mod access;
mod counters;
mod datapath;
mod filters;
mod indices;
mod knobs;
mod latency;
mod recording;
mod sampling;
mod system;
mod threads;
mod timing;
mod varied;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fmt, thread};

use pmu_model::wrapper::Increments;
use pmu_model::{CycleOutput, Implementation, Model, Unknown};
use serde::Serialize;

use crate::lockstep::compare::first_difference;

pub use recording::{FAR, MOST, NEAR, Recording};
pub use varied::Varied;

/// One mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// None: the model.
    None,
    /// Of the datapath.
    Datapath(datapath::Datapath),
    /// Of counters and flags.
    Counters(counters::Counters),
    /// Of indices and bits.
    Indices(indices::Indices),
    /// Of filters.
    Filters(filters::Filters),
    /// Of events that count threads.
    Threads(threads::Threads),
    /// Of accesses.
    Access(access::Access),
    /// Of sampling.
    Sampling(sampling::Sampling),
    /// Of System PMUs.
    System(system::System),
    /// Of timing.
    Timing(timing::Timing),
}

macro_rules! mistakes {
    ($($family:ident $module:ident),+ $(,)?) => {
        $(impl From<$module::$family> for Mistake {
            fn from(mistake: $module::$family) -> Self {
                Self::$family(mistake)
            }
        })+

        impl fmt::Display for Mistake {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Self::None => f.write_str("no mistake"),
                    $(Self::$family(mistake) => mistake.fmt(f)),+
                }
            }
        }
    };
}

mistakes!(
    Datapath datapath,
    Counters counters,
    Indices indices,
    Filters filters,
    Threads threads,
    Access access,
    Sampling sampling,
    System system,
    Timing timing,
);

impl Mistake {
    /// Every mistake that is looked for.
    pub fn all() -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        all.extend(timing::Timing::ALL.map(Self::Timing));
        all.extend(datapath::Datapath::all().into_iter().map(Self::Datapath));
        all.extend(counters::Counters::all().into_iter().map(Self::Counters));
        all.extend(indices::Indices::all().into_iter().map(Self::Indices));
        all.extend(filters::Filters::all().into_iter().map(Self::Filters));
        all.extend(threads::Threads::ALL.map(Self::Threads));
        all.extend(access::Access::all().into_iter().map(Self::Access));
        all.extend(sampling::Sampling::ALL.map(Self::Sampling));
        all.extend(system::System::ALL.map(Self::System));
        all
    }
}

/// A hypothesis that explains the RTL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hypothesis {
    /// What the RTL does, in words.
    pub text: String,
    /// The knob and its value, if the hypothesis is one: `cp_when_not_counting=HOLD`.
    pub knob: Option<String>,
    /// Cycles in which its outputs are those of the RTL.
    pub explained: usize,
    /// Cycles compared.
    pub compared: usize,
    /// Cycles in which the model differs from the RTL.
    pub differing: usize,
}

/// What the hypotheses came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// Hypotheses tested.
    pub tested: usize,
    /// First cycle of the run that was compared.
    pub first: u64,
    /// Cycles compared.
    pub compared: usize,
    /// Those that explain every cycle.
    pub explaining: Vec<Hypothesis>,
    /// Why none was tested, if so.
    pub untested: Option<String>,
}

impl Findings {
    /// Nothing was tested.
    pub fn untested(why: impl Into<String>) -> Self {
        Self {
            untested: Some(why.into()),
            ..Self::default()
        }
    }

    /// The findings as lines: those that explain every cycle, or that there is none.
    pub fn lines(&self) -> Vec<String> {
        if let Some(why) = &self.untested {
            return vec![format!("no hypothesis was tested: {why}")];
        }
        let (tested, compared) = (self.tested, self.compared);
        if self.explaining.is_empty() {
            return vec![format!(
                "none of {tested} hypotheses explains all {compared} cycles from cycle {} on",
                self.first
            )];
        }
        let apart = match self.explaining.len() {
            1 => String::new(),
            count => format!(", one of {count} that these cycles do not tell apart"),
        };
        let explaining = self.explaining.iter();
        explaining
            .map(|found| {
                let Hypothesis {
                    text, explained, ..
                } = found;
                format!("{text}: explains {explained} of {compared}{apart}")
            })
            .collect()
    }
}

/// One of the three kinds of hypotheses.
enum Candidate {
    Latency(latency::WrongLatency),
    Knob(knobs::Knob),
    Mistake(Mistake),
}

/// Tests every hypothesis on a recording: on the cycles up to a little after the divergence, and, if several explain
/// these, on all that were recorded.
pub fn test(recording: &Recording, implementation: &Implementation) -> Findings {
    let near = recording.near();
    let bench = match Bench::new(&near, implementation) {
        Ok(bench) => bench,
        Err(why) => return Findings::untested(why),
    };
    let knobs = knobs::all(implementation).into_iter().map(Candidate::Knob);
    let mistakes = match Varied::stands_for(implementation) {
        true => Mistake::all(),
        false => Vec::new(),
    };
    let mistakes = mistakes.into_iter().map(Candidate::Mistake);
    let others: Vec<_> = knobs.chain(mistakes).collect();
    let tested = latency::TRIED + others.len();
    let latency = latency::WrongLatency::find(&bench).map(Candidate::Latency);
    let mut explaining: Vec<_> = latency
        .into_iter()
        .chain(bench.explaining(others))
        .collect();
    let mut findings = bench.findings(tested, &explaining);
    if explaining.len() > 1
        && recording.inputs.len() > near.inputs.len()
        && let Ok(bench) = Bench::new(recording, implementation)
    {
        explaining = bench.explaining(explaining);
        findings = bench.findings(tested, &explaining);
    }
    findings
}

/// A recording, and what the model makes of it.
struct Bench<'a> {
    recording: &'a Recording,
    implementation: &'a Implementation,
    random: Vec<u8>,
    expected: Vec<CycleOutput>,
    unknown: Vec<Unknown>,
    /// Cycles in which the model differs.
    differing: usize,
}

impl<'a> Bench<'a> {
    fn new(
        recording: &'a Recording,
        implementation: &'a Implementation,
    ) -> Result<Self, &'static str> {
        let random = recording
            .random()
            .ok_or("no cycles from a reset on were recorded")?;
        let model = Model::new(implementation).map_err(|_| "the implementation is impossible")?;
        let (expected, mut unknown) = run_model(model, recording, &random);
        if implementation.wrapper.increments == Increments::Hidden {
            // Nobody has seen them.
            for unknown in &mut unknown {
                unknown.increments = u32::MAX;
            }
        }
        let differs = |k: &usize| {
            let (expected, unknown) = (&expected[*k..=*k], &unknown[*k..=*k]);
            first_difference(expected, unknown, &recording.rtl[*k..=*k]).is_some()
        };
        let cycles = recording.inputs.len();
        if recording.divergent >= cycles || !differs(&recording.divergent) {
            return Err("the recorded cycles do not show the divergence");
        }
        let differing = (0..cycles).filter(differs).count();
        Ok(Self {
            recording,
            implementation,
            random,
            expected,
            unknown,
            differing,
        })
    }

    /// Those of `candidates` that explain every cycle, in their order. Every core takes its share.
    fn explaining(&self, candidates: Vec<Candidate>) -> Vec<Candidate> {
        let jobs = thread::available_parallelism().map_or(1, usize::from);
        let next = AtomicUsize::new(0);
        let mut right: Vec<usize> = thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs)
                .map(|_| {
                    scope.spawn(|| {
                        let mut right = Vec::new();
                        loop {
                            let number = next.fetch_add(1, Ordering::Relaxed);
                            match candidates.get(number) {
                                None => return right,
                                Some(candidate) if self.explains(candidate) => right.push(number),
                                Some(_) => {}
                            }
                        }
                    })
                })
                .collect();
            let found = workers.into_iter().map(|worker| worker.join());
            found.flat_map(Result::unwrap_or_default).collect()
        });
        right.sort_unstable();
        let mut number = 0..;
        let mut candidates = candidates;
        candidates.retain(|_| number.next().is_some_and(|n: usize| right.contains(&n)));
        candidates
    }

    fn explains(&self, candidate: &Candidate) -> bool {
        match candidate {
            Candidate::Knob(knob) => Model::new(&knob.implementation).is_ok_and(|model| {
                let (outputs, _) = run_model(model, self.recording, &self.random);
                first_difference(&outputs, &self.unknown, &self.recording.rtl).is_none()
            }),
            Candidate::Latency(latency) => latency.explains(self),
            Candidate::Mistake(mistake) => {
                let Ok(mut varied) = Varied::new(self.implementation, *mistake) else {
                    return false;
                };
                let mut cycles = self.recording.inputs.iter().enumerate();
                cycles.all(|(k, input)| {
                    let output = varied.step(input, self.random[k]);
                    self.is_what_the_rtl_did(k, output)
                })
            }
        }
    }

    /// Cycles that `candidate` can be tested in: of outputs that come late the first ones are not there, of those that
    /// come early the last ones.
    fn checked(&self, candidate: &Candidate) -> usize {
        let cycles = self.expected.len();
        match candidate {
            Candidate::Latency(latency) => latency.checked(cycles).len(),
            _ => cycles,
        }
    }

    fn is_what_the_rtl_did(&self, k: usize, output: CycleOutput) -> bool {
        let rtl = &self.recording.rtl[k..=k];
        first_difference(&[output], &self.unknown[k..=k], rtl).is_none()
    }

    fn findings(&self, tested: usize, explaining: &[Candidate]) -> Findings {
        let compared = self.recording.inputs.len();
        let hypothesis = |candidate: &Candidate| {
            let (text, knob) = match candidate {
                Candidate::Knob(knob) => (
                    format!("RTL behaves as {}", knob.text),
                    Some(knob.text.clone()),
                ),
                Candidate::Latency(latency) => (latency.to_string(), None),
                Candidate::Mistake(mistake) => (mistake.to_string(), None),
            };
            Hypothesis {
                text,
                knob,
                explained: self.checked(candidate),
                compared,
                differing: self.differing,
            }
        };
        Findings {
            tested,
            first: self.recording.first,
            compared,
            explaining: explaining.iter().map(hypothesis).collect(),
            untested: None,
        }
    }
}

fn run_model(
    mut model: Model,
    recording: &Recording,
    random: &[u8],
) -> (Vec<CycleOutput>, Vec<Unknown>) {
    let mut outputs = vec![CycleOutput::default(); recording.inputs.len()];
    let mut unknown = vec![Unknown::default(); recording.inputs.len()];
    model.run(&recording.inputs, random, &mut outputs, &mut unknown);
    (outputs, unknown)
}
