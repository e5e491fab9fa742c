//! What explains the cycles of a divergence, tried on other stimulus: a mistake that happens to do the same there is told from
//! one that does the same everywhere.

use std::cell::LazyCell;

use pmu_model::Implementation;

use super::Candidate;
use super::bench::Bench;
use super::findings::{Findings, Refuted};
use super::recording::Elsewhere;
use super::trial::Tested;

/// Cycles that mutants are tried on: they go through the slow contract, a hundredth of a millisecond each.
const OF_MUTANTS: usize = 32_768;

/// A bench that is made when it is wanted.
type Later<'a> = LazyCell<Option<Bench<'a>>, Box<dyn FnOnce() -> Option<Bench<'a>> + 'a>>;

/// What the design did on other stimulus, if it could be asked.
pub(super) struct Others<'a> {
    seed: u64,
    all: Later<'a>,
    of_mutants: Later<'a>,
}

impl<'a> Others<'a> {
    pub(super) fn new(
        elsewhere: Option<&'a Elsewhere>,
        implementation: &'a Implementation,
    ) -> Self {
        let bench = |most: usize| -> Later<'a> {
            LazyCell::new(Box::new(move || {
                let stretch = elsewhere?.recording.first_cycles(most);
                Bench::of(stretch, implementation).ok()
            }))
        };
        Self {
            seed: elsewhere.map_or(0, |elsewhere| elsewhere.seed),
            all: bench(usize::MAX),
            of_mutants: bench(OF_MUTANTS),
        }
    }

    /// What candidates of one kind are tried on.
    fn bench(&self, of: &[Candidate]) -> Option<&Bench<'a>> {
        match of.first()? {
            Candidate::Mutant(_) => self.of_mutants.as_ref(),
            _ => self.all.as_ref(),
        }
    }

    /// Keeps those of `explaining`, all of them mutants or none, that explain other stimulus as well. If none does, `refuted` is
    /// told of the first, unless it knows of one.
    pub(super) fn keep(&self, explaining: &mut Vec<Candidate>, refuted: &mut Option<Refuted>) {
        let Some(bench) = self.bench(explaining) else {
            return;
        };
        let left = bench.tested(explaining.clone()).explaining;
        if left.is_empty() && refuted.is_none() {
            let first = &explaining[0];
            *refuted = bench.miss_of(first).map(|miss| Refuted {
                text: first.text(),
                seed: self.seed,
                cycle: miss as u64,
            });
        }
        *explaining = left;
    }

    /// Cycles of other stimulus that tell those that are left from the model: none if none is.
    pub(super) fn differing(&self, left: &[Candidate]) -> usize {
        self.bench(left).map_or(0, |bench| bench.differing)
    }

    /// What is said of candidates that were kept.
    pub(super) fn findings(
        &self,
        bench: &Bench<'_>,
        tested: usize,
        kept: &Tested,
        refuted: Option<Refuted>,
    ) -> Findings {
        let mut findings = bench.findings(tested, kept);
        match kept.explaining.is_empty() {
            // What explains every cycle of the divergence comes nearer than what does not.
            true if refuted.is_some() => findings.nearest = None,
            true => {}
            false => {
                let others = self.bench(&kept.explaining);
                findings.elsewhere = others.map_or(0, |others| others.stretch.inputs.len());
            }
        }
        Findings {
            refuted,
            ..findings
        }
    }
}
