//! The tests of hypotheses on cycles, and what is said of those that are left.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use pmu_model::plain::{Broken, Mutant, Plain, Right};
use pmu_model::{CycleInput, CycleOutput, Implementation, Model, Unknown};

use super::bench::{Bench, run_model};
use super::findings::{Findings, Hypothesis, Nearest, Origin};
use super::inputs::{Group, Inputs};
use super::occasions::Occasion;
use super::recording::Stretch;
use super::varied::{Cycle, Varied};
use super::{Candidate, Mistake, knobs};
use crate::cores;
use lockstep_engine::lockstep::batch::BATCH;
use lockstep_engine::lockstep::compare::first_difference;
use lockstep_engine::lockstep::delay::Latency;

/// What tests come to.
#[derive(Clone, Default)]
pub(super) struct Tested {
    /// Those that explain every cycle, in their order.
    pub(super) explaining: Vec<Candidate>,
    /// Those that explain every cycle up to the divergent one, with the first that they do not.
    pub(super) near: Vec<(usize, Candidate)>,
}

/// Most hypotheses among which the nearest is looked for: those that explain the most cycles before their first miss.
const NEAREST: usize = 6;
/// Cycles that tell a hypothesis from the model, at least, if it explains nearly all of them.
const FEW: usize = 5;
/// The same before its first miss, if it does not.
const MANY: usize = 20;

/// Part of the work on candidates, which have numbers.
enum Job {
    /// One of them, over all cycles.
    Whole(usize),
    /// One whose state differs from that of the contract in that cycle.
    From(usize, usize, Box<Varied>),
    /// Mistakes that differ from the contract on few occasions, side by side.
    Together(Vec<usize>),
}

impl Bench<'_> {
    /// Tests `candidates`. Every core takes its share.
    pub(super) fn tested(&self, candidates: Vec<Candidate>) -> Tested {
        let (mutants, others): (Vec<_>, Vec<_>) = (0..candidates.len())
            .partition(|&number| matches!(candidates[number], Candidate::Mutant(_)));
        let (together, alone): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|&number| has_occasions(&candidates[number]));
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
        // What is found of each, with its first miss if it has one.
        let work = || {
            let mut found = Vec::new();
            while let Some(job) = next() {
                match job {
                    Job::Whole(number) => {
                        found.push((number, self.miss_of(&candidates[number])));
                    }
                    Job::From(number, cycle, mut varied) => {
                        let Candidate::Mistake(mistake) = candidates[number] else {
                            continue;
                        };
                        found.push((number, self.goes_on(&mut varied, mistake, cycle)));
                    }
                    Job::Together(numbers) => {
                        let (screened, rest) = self.screen(&candidates, numbers);
                        found.extend(screened);
                        queue
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .extend(rest);
                    }
                }
            }
            found
        };
        let mut found: Vec<(usize, Option<usize>)> = cores::on_all(work);
        found.extend(self.misses_of_mutants(&candidates, mutants));
        found.sort_unstable();
        let mut tested = Tested::default();
        for (number, miss) in found {
            let candidate = candidates[number].clone();
            match miss {
                None => tested.explaining.push(candidate),
                Some(miss) if miss > self.stretch.divergent => tested.near.push((miss, candidate)),
                Some(_) => {}
            }
        }
        tested
    }

    /// The first cycles that mutants do not explain.
    fn misses_of_mutants(
        &self,
        candidates: &[Candidate],
        numbers: Vec<usize>,
    ) -> Vec<(usize, Option<usize>)> {
        if numbers.is_empty() {
            return Vec::new();
        }
        let mutant = |&number: &usize| match candidates[number] {
            Candidate::Mutant(mutant) => Some(mutant),
            _ => None,
        };
        let mutants: Vec<Mutant> = numbers.iter().filter_map(mutant).collect();
        let misses = self.misses(&mutants);
        numbers.into_iter().zip(misses).collect()
    }

    /// Tests mistakes beside the contract, which alone makes a step in every cycle: a mistake makes one on its occasions.
    /// What is found of each, and what is left to do of those that came to a state of their own.
    fn screen(
        &self,
        candidates: &[Candidate],
        numbers: Vec<usize>,
    ) -> (Vec<(usize, Option<usize>)>, Vec<Job>) {
        let (mut found, mut rest) = (Vec::new(), Vec::new());
        let new = |number: usize| match &candidates[number] {
            Candidate::Mistake(mistake) if self.is_testable(*mistake) => {
                let mut varied = Varied::new(self.implementation, *mistake).ok()?;
                self.warm_up(&mut varied, *mistake);
                Some((number, *mistake, Box::new(varied)))
            }
            _ => None,
        };
        let mut left: Vec<_> = numbers.into_iter().filter_map(new).collect();
        let Ok(mut contract) = Varied::new(self.implementation, Mistake::None) else {
            return (found, rest);
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
            while let Some((_, mistake, varied)) = left.get_mut(place) {
                let is_occasion = match *mistake {
                    Mistake::Inputs(shift) => match self.other(shift, k) {
                        Some(other) if self.range(*mistake).contains(&k) => {
                            !shift.changes_nothing(input, other)
                        }
                        // Nothing is said of a cycle whose inputs are not recorded.
                        _ => {
                            place += 1;
                            continue;
                        }
                    },
                    mistake => cycle.is_occasion(mistake.occasion(), varied),
                };
                let mut stays = agrees;
                let mut leaves = false;
                if is_occasion {
                    // What was before the first cycle is known of a reset that comes early.
                    if k > 0 {
                        varied.resume(&before);
                    }
                    let output = self.step(varied, *mistake, k);
                    stays = output.is_some_and(|output| self.is_what_the_rtl_did(k, output));
                    leaves = stays && !varied.is_at(contract.state());
                }
                if stays && !leaves {
                    place += 1;
                    continue;
                }
                let (number, _, varied) = left.swap_remove(place);
                match leaves {
                    true => rest.push(Job::From(number, k + 1, varied)),
                    false => found.push((number, Some(k))),
                }
            }
        }
        found.extend(left.into_iter().map(|(number, ..)| (number, None)));
        (found, rest)
    }

    /// The first cycle that a candidate does not explain.
    pub(super) fn miss_of(&self, candidate: &Candidate) -> Option<usize> {
        const FIRST: Option<usize> = Some(0);
        match candidate {
            Candidate::Knob(knob) => self.miss_of_knob(knob),
            Candidate::Latency(latency) => match latency.explains(self) {
                true => None,
                false => FIRST,
            },
            Candidate::Wiring(wiring) => wiring.first_miss(self),
            Candidate::Stalled(stalled) => stalled.first_miss(self),
            Candidate::Mistake(mistake) if self.is_testable(*mistake) => {
                let Ok(mut varied) = Varied::new(self.implementation, *mistake) else {
                    return FIRST;
                };
                self.warm_up(&mut varied, *mistake);
                self.goes_on(&mut varied, *mistake, 0)
            }
            Candidate::Mistake(_) => FIRST,
            Candidate::Mutant(mutant) => self.misses(&[*mutant]).pop().flatten(),
        }
    }

    /// Whether the divergent cycle is one that the mistake can be tested in.
    fn is_testable(&self, mistake: Mistake) -> bool {
        self.range(mistake).contains(&self.stretch.divergent)
    }

    /// The cycles that a mistake can be tested in: of inputs that come early the last ones are not recorded, and of a reset
    /// that comes late nothing is known before it comes.
    fn range(&self, mistake: Mistake) -> Range<usize> {
        let cycles = self.stretch.inputs.len();
        let Mistake::Inputs(shift) = mistake else {
            return 0..cycles;
        };
        let by = shift.by();
        let start = match shift.group {
            // Before the first cycle of a run a design is taken to be as a reset leaves it.
            Group::Reset if !self.stretch.before.is_empty() => by.max(0).unsigned_abs().min(cycles),
            _ => 0,
        };
        start..cycles.saturating_sub(by.min(0).unsigned_abs()).max(start)
    }

    /// The cycle whose inputs of a group come in cycle `k`; one at rest if it is before the first, and `None` if it is after
    /// the last.
    fn other(&self, shift: Inputs, k: usize) -> Option<&CycleInput> {
        let Stretch { inputs, before, .. } = self.stretch;
        match k.checked_add_signed(-shift.by()) {
            Some(other) => inputs.get(other),
            None => {
                let back = shift.by().unsigned_abs() - k;
                let other = before.len().checked_sub(back);
                Some(other.map_or(&self.rest, |other| &before[other]))
            }
        }
    }

    /// One cycle of the contract with a mistake; `None` where its inputs are not recorded.
    fn step(&self, varied: &mut Varied, mistake: Mistake, k: usize) -> Option<CycleOutput> {
        let (own, byte) = (&self.stretch.inputs[k], self.random[k]);
        let Mistake::Inputs(shift) = mistake else {
            return Some(varied.step(own, byte));
        };
        let (accessed, counted) = shift.seen(own, self.other(shift, k)?);
        Some(varied.step_of(&accessed, &counted, byte))
    }

    /// The cycles from a reset that comes early to the first that is recorded.
    fn warm_up(&self, varied: &mut Varied, mistake: Mistake) {
        let Mistake::Inputs(shift) = mistake else {
            return;
        };
        let Stretch {
            inputs,
            before,
            rtl_before,
            ..
        } = self.stretch;
        if shift.group != Group::Reset || shift.by() > 0 {
            return;
        }
        let early = shift.by().unsigned_abs();
        for k in before.len().saturating_sub(early)..before.len() {
            let other = k + early;
            let other = before
                .get(other)
                .or_else(|| inputs.get(other - before.len()));
            if let Some(other) = other {
                let (accessed, counted) = shift.seen(&before[k], other);
                varied.step_of(&accessed, &counted, rtl_before[k].random_byte);
            }
        }
    }

    /// The first cycle from `from` on in which the RTL does not do what `varied` does.
    fn goes_on(&self, varied: &mut Varied, mistake: Mistake, from: usize) -> Option<usize> {
        let range = self.range(mistake);
        (range.start.max(from)..range.end).find(|&k| {
            let output = self.step(varied, mistake, k);
            !output.is_some_and(|output| self.is_right(mistake, k, output))
        })
    }

    /// The first cycle in which the RTL does not do what the model with another value of a knob does.
    fn miss_of_knob(&self, knob: &knobs::Knob) -> Option<usize> {
        let mut model = knob.model.clone();
        let mut outputs = [CycleOutput::default(); BATCH];
        let mut unknown = [Unknown::default(); BATCH];
        let inputs = self.stretch.inputs.chunks(BATCH);
        let rtl = self.stretch.rtl.chunks(BATCH);
        let of_model = self.random.chunks(BATCH).zip(self.unknown.chunks(BATCH));
        let batches = inputs.zip(rtl).zip(of_model).enumerate();
        batches
            .map(|(number, ((inputs, rtl), (random, not_compared)))| {
                let outputs = &mut outputs[..inputs.len()];
                model.run(inputs, random, outputs, &mut unknown[..inputs.len()]);
                let miss = first_difference(outputs, not_compared, rtl);
                miss.map(|k| number * BATCH + k)
            })
            .find_map(|miss| miss)
    }

    /// Cycles that `candidate` is tested in: of outputs that come late the first ones are not there, of those that come
    /// early the last ones.
    fn checked(&self, candidate: &Candidate) -> Range<usize> {
        let cycles = self.expected.len();
        match candidate {
            Candidate::Latency(latency) => latency.checked(cycles),
            Candidate::Wiring(wiring) => wiring.checked(cycles),
            Candidate::Mistake(mistake) => self.range(*mistake),
            Candidate::Knob(_) | Candidate::Mutant(_) | Candidate::Stalled(_) => 0..cycles,
        }
    }

    /// Whether the RTL shows what the contract with a mistake does in cycle `k`. Accesses that come late were made in an
    /// earlier cycle, beside which their answers stand.
    fn is_right(&self, mistake: Mistake, k: usize, mut output: CycleOutput) -> bool {
        let Mistake::Inputs(Inputs {
            group: Group::Accesses,
            by,
        }) = mistake
        else {
            return self.is_what_the_rtl_did(k, output);
        };
        let mut rtl = self.stretch.rtl[k];
        let mut unknown = self.unknown[k];
        let made = k.checked_add_signed(-isize::from(by));
        let Some(made) = made else {
            // They were made before the first cycle.
            output.access_data = rtl.access_data;
            output.access_outcome = rtl.access_outcome;
            output.trap_iss = rtl.trap_iss;
            return first_difference(&[output], &[unknown], &[rtl]).is_none();
        };
        let answer = &self.stretch.rtl[made];
        rtl.access_data = answer.access_data;
        rtl.access_outcome = answer.access_outcome;
        rtl.trap_iss = answer.trap_iss;
        unknown.access_data = self.unknown[made].access_data;
        first_difference(&[output], &[unknown], &[rtl]).is_none()
    }

    /// The first cycle in which a mistake changes an output, or what the registers are after it.
    fn first_effect(&self, candidate: &Candidate) -> Option<usize> {
        let mistake = match candidate {
            Candidate::Mistake(mistake) => mistake,
            Candidate::Mutant(mutant) => return self.first_effect_of_mutant(*mutant),
            Candidate::Wiring(wiring) => {
                let mut cycles = wiring.checked(self.stretch.divergent);
                return cycles.find(|&k| wiring.output(self, k) != self.expected[k]);
            }
            Candidate::Knob(_) | Candidate::Latency(_) | Candidate::Stalled(_) => return None,
        };
        // Another state from the first cycle on.
        if let Mistake::Inputs(_) = mistake {
            return None;
        }
        let mut contract = Varied::new(self.implementation, Mistake::None).ok()?;
        let mut varied = Varied::new(self.implementation, *mistake).ok()?;
        let cycles = self.stretch.inputs.iter().zip(&self.random);
        cycles
            .take(self.stretch.divergent)
            .position(|(input, &byte)| {
                let expected = contract.step(input, byte);
                let differs = varied.step(input, byte) != expected;
                differs || !varied.state().has_registers_of(contract.state())
            })
    }

    fn first_effect_of_mutant(&self, mutant: Mutant) -> Option<usize> {
        let mut contract = Plain::new(self.implementation).ok()?;
        let mut broken = Plain::new(self.implementation).ok()?;
        let (mut right, mut wrong) = (Right::default(), Broken::new(mutant));
        (0..self.stretch.divergent).find(|&k| {
            let (input, byte) = self.cycle(k);
            self.enter(&mut broken, k);
            let expected = contract.step(&mut right, input, byte);
            let differs = broken.step(&mut wrong, input, byte) != expected;
            differs || !broken.state().is_that_of(contract.state())
        })
    }

    /// What is said of `found`, of so many that were tested.
    pub(super) fn findings(&self, tested: usize, found: &Tested) -> Findings {
        let compared = self.stretch.inputs.len();
        let hypothesis = |candidate: &Candidate| {
            let first = self.first_effect(candidate);
            Hypothesis {
                text: candidate.text(),
                of_any_event: match candidate {
                    Candidate::Mutant(mutant) => {
                        mutant.of_any_event().map(|mutant| mutant.to_string())
                    }
                    _ => None,
                },
                knob: match candidate {
                    Candidate::Knob(knob) => Some(knob.text.clone()),
                    _ => None,
                },
                explained: self.checked(candidate).len(),
                compared,
                differing: self.differing,
                first: first.map(|first| self.stretch.first + first as u64),
                origin: Origin(candidate.clone()),
            }
        };
        Findings {
            tested,
            first: self.stretch.first,
            compared,
            nearest: match found.explaining.is_empty() {
                true => self.nearest(&found.near),
                false => None,
            },
            explaining: found.explaining.iter().map(hypothesis).collect(),
            refuted: None,
            elsewhere: 0,
            untested: None,
        }
    }

    /// The one of `near` that misses the fewest cycles, if it is clearly better than the model: it explains nearly all of the
    /// cycles that tell the two apart, or a long row of them.
    fn nearest(&self, near: &[(usize, Candidate)]) -> Option<Nearest> {
        let mut near: Vec<_> = near.iter().collect();
        near.sort_by_key(|(miss, _)| std::cmp::Reverse(*miss));
        let judged = near.into_iter().take(NEAREST);
        let judged = judged.filter_map(|(miss, candidate)| {
            let outputs = self.outputs_of(candidate)?;
            let (mut explained, mut telling, mut told) = (0, 0, 0);
            let mut told_before = 0;
            for (k, output) in outputs.iter().enumerate() {
                let explains = self.is_what_the_rtl_did(k, *output);
                let unknown = &self.unknown[k..=k];
                let differs = |one: &CycleOutput, other: &CycleOutput| {
                    first_difference(&[*one], unknown, &[*other]).is_some()
                };
                let (expected, rtl) = (&self.expected[k], &self.stretch.rtl[k]);
                let tells = differs(expected, rtl) || differs(expected, output);
                explained += usize::from(explains);
                telling += usize::from(tells);
                told += usize::from(tells && explains);
                told_before += usize::from(tells && explains && k < *miss);
            }
            let nearly_all = told >= FEW && (telling - told) * 20 <= telling;
            let long_row = told_before >= MANY && told * 2 >= telling;
            (nearly_all || long_row).then(|| Nearest {
                text: candidate.text(),
                explained,
                compared: self.expected.len(),
                telling,
                told,
                miss: self.stretch.first + *miss as u64,
            })
        });
        judged.max_by_key(|nearest| nearest.explained)
    }

    /// What a candidate shows in every cycle that it can be tested in from the first on.
    fn outputs_of(&self, candidate: &Candidate) -> Option<Vec<CycleOutput>> {
        match candidate {
            Candidate::Knob(knob) => {
                let inputs = self.stretch.inputs;
                Some(run_model(knob.model.clone(), inputs, &self.random).0)
            }
            Candidate::Mistake(mistake) => {
                // Outputs beside other cycles, or from another one on.
                if let Mistake::Inputs(Inputs {
                    group: Group::Accesses | Group::Reset,
                    ..
                }) = mistake
                {
                    return None;
                }
                let mut varied = Varied::new(self.implementation, *mistake).ok()?;
                let cycles = self.range(*mistake);
                cycles
                    .map(|k| self.step(&mut varied, *mistake, k))
                    .collect()
            }
            Candidate::Mutant(mutant) => {
                let mut broken = Plain::new(self.implementation).ok()?;
                let mut wrong = Broken::new(*mutant);
                let cycles = 0..self.stretch.inputs.len();
                let step = |k| {
                    let (input, byte) = self.cycle(k);
                    self.enter(&mut broken, k);
                    broken.step(&mut wrong, input, byte)
                };
                Some(cycles.map(step).collect())
            }
            Candidate::Stalled(stalled) => {
                let model = Model::new(self.implementation).ok()?;
                let inputs = stalled.inputs(self.stretch.inputs);
                Some(run_model(model, &inputs, &self.random).0)
            }
            Candidate::Latency(_) | Candidate::Wiring(_) => None,
        }
    }
}

/// Whether a candidate is tested beside the contract: one that changes something on its occasions alone.
fn has_occasions(candidate: &Candidate) -> bool {
    match candidate {
        // Answers of late accesses stand beside other cycles.
        Candidate::Mistake(Mistake::Inputs(shift)) => shift.group != Group::Accesses,
        Candidate::Mistake(mistake) => mistake.occasion() != Occasion::Always,
        Candidate::Latency(_)
        | Candidate::Wiring(_)
        | Candidate::Stalled(_)
        | Candidate::Knob(_)
        | Candidate::Mutant(_) => false,
    }
}

impl Hypothesis {
    /// Tests it on other cycles of a design without latencies: `inputs`, of which the first is one of reset, and the design's
    /// outputs.
    ///
    /// # Returns
    /// The first cycle that it does not explain.
    pub fn first_miss(
        &self,
        implementation: &Implementation,
        inputs: &[CycleInput],
        rtl: &[CycleOutput],
    ) -> Option<usize> {
        let stretch = Stretch {
            first: 0,
            inputs,
            rtl,
            before: &[],
            rtl_before: &[],
            // None is: one that every candidate can be tested in.
            divergent: inputs.len() / 2,
            stated: Latency::default(),
            from_map: false,
        };
        match Bench::of(stretch, implementation) {
            Ok(bench) => bench.miss_of(&self.origin.0),
            Err(_) => Some(0),
        }
    }
}
