//! What would explain the RTL: mistakes, one at a time, replayed over the recorded cycles of a divergence.
//!
//! A hypothesis is the contract with one mistake, or the model with another value of a knob. It explains the RTL if its
//! outputs are those of the RTL in every cycle that is compared, the divergent one among them. What the architecture leaves
//! UNKNOWN is not compared.

mod access;
mod counters;
mod datapath;
mod filters;
mod indices;
mod knobs;
mod latency;
mod occasions;
mod recording;
mod sampling;
mod system;
mod threads;
mod timing;
mod varied;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, thread};

use pmu_model::wrapper::Increments;
use pmu_model::{CycleInput, CycleOutput, Implementation, Model, Unknown};
use serde::Serialize;

use occasions::Occasion;
use recording::Stretch;

use crate::lockstep::batch::BATCH;
use crate::lockstep::compare::first_difference;

pub use recording::{BEYOND, FAR, MOST, NEAR, Recording};
use varied::Cycle;
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
    /// Those that explain every cycle; a latency, every cycle whose outputs are all there.
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

    /// The findings in a line: the hypothesis that explains every cycle, those among which it is if these cycles do not tell
    /// them apart, or that there is none.
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
        let explained = self.explaining.iter().map(|found| found.explained);
        let explained = explained.min().unwrap_or(0);
        let texts: Vec<_> = self.explaining.iter().map(|found| &*found.text).collect();
        let line = match texts[..] {
            [text] => format!("{text}: explains {explained} of {compared}"),
            // None of them is said to be the one.
            _ => format!(
                "one of these {}, which do the same in all of these cycles: {}: explains {explained} of {compared}",
                texts.len(),
                texts.join("; or ")
            ),
        };
        vec![line]
    }
}

/// One of the three kinds of hypotheses.
#[derive(Clone)]
enum Candidate {
    Latency(latency::WrongLatency),
    Knob(Arc<knobs::Knob>),
    Mistake(Mistake),
}

/// Tests every hypothesis on a recording: from the last reset that leaves room before the divergence to a little after it. If
/// several explain these cycles, they are tried further on, and if more was recorded before, there as well: from an
/// earlier reset everything is tested again where none is left.
pub fn test(recording: &Recording, implementation: &Implementation) -> Findings {
    let knobs = knobs::all(implementation)
        .into_iter()
        .map(|knob| Candidate::Knob(Arc::new(knob)));
    let mistakes = match Varied::stands_for(implementation) {
        true => Mistake::all(),
        false => Vec::new(),
    };
    let mistakes = mistakes.into_iter().map(Candidate::Mistake);
    let candidates: Vec<_> = knobs.chain(mistakes).collect();
    let late = recording.late_start();
    let from_late = match tested(recording.stretch(late), implementation, &candidates) {
        Err(why) if late == 0 => return Findings::untested(why),
        Ok(found) if late == 0 => return found.1,
        from_late => from_late.ok(),
    };
    let all = recording.stretch(0);
    // What explains the cycles from a late reset on, explains those before it too, or something else does.
    if let Some((explaining, _)) = from_late
        && !explaining.is_empty()
        && let Ok(bench) = Bench::new(all, implementation)
    {
        let count = explaining.len();
        let confirmed = bench.explaining(explaining);
        if confirmed.len() == count {
            return bench.findings(number_of(&candidates), &confirmed);
        }
    }
    tested(all, implementation, &candidates).map_or_else(Findings::untested, |found| found.1)
}

/// Those of `candidates` that explain a stretch, and what is said of them.
fn tested(
    stretch: Stretch<'_>,
    implementation: &Implementation,
    candidates: &[Candidate],
) -> Result<(Vec<Candidate>, Findings), &'static str> {
    let near = stretch.near();
    let mut bench = Bench::new(near, implementation)?;
    let latency = latency::WrongLatency::find(&bench).map(Candidate::Latency);
    let others = bench.explaining(candidates.to_vec());
    let mut explaining: Vec<_> = latency.into_iter().chain(others).collect();
    if explaining.len() > 1
        && stretch.inputs.len() > near.inputs.len()
        && let Ok(far) = Bench::new(stretch, implementation)
    {
        bench = far;
        explaining = bench.explaining(explaining);
    }
    let findings = bench.findings(number_of(candidates), &explaining);
    Ok((explaining, findings))
}

/// How many hypotheses are tested with `candidates`: latencies that fit are found, and not given.
fn number_of(candidates: &[Candidate]) -> usize {
    latency::TRIED + candidates.len()
}

/// Cycles, and what the model makes of them.
struct Bench<'a> {
    stretch: Stretch<'a>,
    implementation: &'a Implementation,
    random: Vec<u8>,
    expected: Vec<CycleOutput>,
    unknown: Vec<Unknown>,
    /// Cycles in which the model differs.
    differing: usize,
}

/// Part of the work on candidates, which have numbers.
enum Job {
    /// One of them, over all cycles.
    Whole(usize),
    /// One whose state differs from that of the contract in that cycle.
    From(usize, usize, Box<Varied>),
    /// Mistakes that differ from the contract on few occasions, side by side.
    Together(Vec<usize>),
}

impl<'a> Bench<'a> {
    fn new(stretch: Stretch<'a>, implementation: &'a Implementation) -> Result<Self, &'static str> {
        let random = stretch
            .random()
            .ok_or("no cycles from a reset on were recorded")?;
        let model = Model::new(implementation).map_err(|_| "the implementation is impossible")?;
        let (expected, mut unknown) = run_model(model, stretch.inputs, &random);
        if implementation.wrapper.increments == Increments::Hidden {
            // Nobody has seen them.
            for unknown in &mut unknown {
                unknown.increments = u32::MAX;
            }
        }
        let differs = |k: &usize| {
            let (expected, unknown) = (&expected[*k..=*k], &unknown[*k..=*k]);
            first_difference(expected, unknown, &stretch.rtl[*k..=*k]).is_some()
        };
        let cycles = stretch.inputs.len();
        if stretch.divergent >= cycles || !differs(&stretch.divergent) {
            return Err("the recorded cycles do not show the divergence");
        }
        let differing = (0..cycles).filter(differs).count();
        Ok(Self {
            stretch,
            implementation,
            random,
            expected,
            unknown,
            differing,
        })
    }

    /// Those of `candidates` that explain every cycle, in their order. Every core takes its share.
    fn explaining(&self, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
        let has_occasions = |candidate: &Candidate| match candidate {
            Candidate::Mistake(mistake) => mistake.occasion() != Occasion::Always,
            Candidate::Latency(_) | Candidate::Knob(_) => false,
        };
        let (together, alone): (Vec<_>, Vec<_>) =
            (0..candidates.len()).partition(|&number| has_occasions(&candidates[number]));
        // The long one first.
        let queue: Mutex<VecDeque<Job>> = Mutex::new(
            [Job::Together(together)]
                .into_iter()
                .chain(alone.into_iter().map(Job::Whole))
                .collect(),
        );
        let next = || {
            queue
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front()
        };
        let work = || {
            let mut right = Vec::new();
            while let Some(job) = next() {
                match job {
                    Job::Whole(number) => {
                        right.extend(self.explains(&candidates[number]).then_some(number));
                    }
                    Job::From(number, cycle, mut varied) => {
                        right.extend(self.goes_on(&mut varied, cycle).then_some(number));
                    }
                    Job::Together(numbers) => {
                        let (explaining, rest) = self.screen(&candidates, numbers);
                        right.extend(explaining);
                        queue
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .extend(rest);
                    }
                }
            }
            right
        };
        let jobs = thread::available_parallelism().map_or(1, usize::from);
        let right: Vec<usize> = thread::scope(|scope| {
            let workers: Vec<_> = (1..jobs).map(|_| scope.spawn(work)).collect();
            let mut right = work();
            for worker in workers {
                match worker.join() {
                    Ok(others) => right.extend(others),
                    Err(panic) => resume_unwind(panic),
                }
            }
            right
        });
        let mut number = 0..;
        candidates.retain(|_| number.next().is_some_and(|n: usize| right.contains(&n)));
        candidates
    }

    /// Tests mistakes beside the contract, which alone makes a step in every cycle: a mistake makes one on its occasions.
    /// Those that explain every cycle, and what is left to do of those that came to a state of their own.
    fn screen(&self, candidates: &[Candidate], numbers: Vec<usize>) -> (Vec<usize>, Vec<Job>) {
        let mut rest = Vec::new();
        let new = |number: usize| match &candidates[number] {
            Candidate::Mistake(mistake) => {
                let varied = Varied::new(self.implementation, *mistake).ok()?;
                Some((number, mistake.occasion(), Box::new(varied)))
            }
            Candidate::Latency(_) | Candidate::Knob(_) => None,
        };
        let mut left: Vec<_> = numbers.into_iter().filter_map(new).collect();
        let Ok(mut contract) = Varied::new(self.implementation, Mistake::None) else {
            return (Vec::new(), rest);
        };
        for (k, input) in self.stretch.inputs.iter().enumerate() {
            if left.is_empty() {
                break;
            }
            let before = contract.state().clone();
            let output = contract.step(input, self.random[k]);
            let agrees = self.is_what_the_rtl_did(k, output);
            let cycle = Cycle {
                input,
                byte: self.random[k],
                before: &before,
                after: &contract,
            };
            let mut place = 0;
            while let Some((_, occasion, varied)) = left.get_mut(place) {
                let mut stays = agrees;
                let mut leaves = false;
                if cycle.is_occasion(*occasion, varied) {
                    varied.resume(&before);
                    let output = varied.step(input, self.random[k]);
                    stays = self.is_what_the_rtl_did(k, output);
                    leaves = stays && !varied.is_at(contract.state());
                }
                if stays && !leaves {
                    place += 1;
                    continue;
                }
                let (number, _, varied) = left.swap_remove(place);
                if leaves {
                    rest.push(Job::From(number, k + 1, varied));
                }
            }
        }
        (left.into_iter().map(|(number, ..)| number).collect(), rest)
    }

    fn explains(&self, candidate: &Candidate) -> bool {
        match candidate {
            Candidate::Knob(knob) => self.knob_explains(knob),
            Candidate::Latency(latency) => latency.explains(self),
            Candidate::Mistake(mistake) => Varied::new(self.implementation, *mistake)
                .is_ok_and(|mut varied| self.goes_on(&mut varied, 0)),
        }
    }

    /// Whether the RTL does what `varied` does from cycle `from` on.
    fn goes_on(&self, varied: &mut Varied, from: usize) -> bool {
        (from..self.stretch.inputs.len()).all(|k| {
            let output = varied.step(&self.stretch.inputs[k], self.random[k]);
            self.is_what_the_rtl_did(k, output)
        })
    }

    /// The model with another value of a knob, up to the first batch that the RTL does not do.
    fn knob_explains(&self, knob: &knobs::Knob) -> bool {
        let mut model = knob.model.clone();
        let mut outputs = [CycleOutput::default(); BATCH];
        let mut unknown = [Unknown::default(); BATCH];
        let inputs = self.stretch.inputs.chunks(BATCH);
        let rtl = self.stretch.rtl.chunks(BATCH);
        let of_model = self.random.chunks(BATCH).zip(self.unknown.chunks(BATCH));
        inputs
            .zip(rtl)
            .zip(of_model)
            .all(|((inputs, rtl), (random, not_compared))| {
                let outputs = &mut outputs[..inputs.len()];
                model.run(inputs, random, outputs, &mut unknown[..inputs.len()]);
                first_difference(outputs, not_compared, rtl).is_none()
            })
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
        let rtl = &self.stretch.rtl[k..=k];
        first_difference(&[output], &self.unknown[k..=k], rtl).is_none()
    }

    fn findings(&self, tested: usize, explaining: &[Candidate]) -> Findings {
        let compared = self.stretch.inputs.len();
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
            first: self.stretch.first,
            compared,
            explaining: explaining.iter().map(hypothesis).collect(),
            untested: None,
        }
    }
}

fn run_model(
    mut model: Model,
    inputs: &[CycleInput],
    random: &[u8],
) -> (Vec<CycleOutput>, Vec<Unknown>) {
    let mut outputs = vec![CycleOutput::default(); inputs.len()];
    let mut unknown = vec![Unknown::default(); inputs.len()];
    model.run(inputs, random, &mut outputs, &mut unknown);
    (outputs, unknown)
}
