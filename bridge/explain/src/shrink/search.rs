//! The best candidate so far, and attempts to better it.

use std::sync::atomic::Ordering;

use pmu_model::{CycleInput, Unknown};

use super::bench::{Bench, Failing, Ran};
use super::{Reduced, ShrinkError, Watch};

/// Makes a candidate of the best one and of some edits; `None` if these change nothing.
pub type Apply<'a, E> = dyn Fn(&[CycleInput], &[E]) -> Option<Vec<CycleInput>> + 'a;

/// The best candidate, and how to find a better one.
pub struct Search<'b, 'a> {
    bench: &'b mut Bench<'a>,
    watch: &'b Watch,
    best: Vec<CycleInput>,
    failing: Failing,
    accepted: u64,
    cycles_at_start: usize,
}

impl<'b, 'a> Search<'b, 'a> {
    /// Starts from `cycles`, which must fail in `field`.
    ///
    /// # Errors
    /// They do not.
    pub fn new(
        bench: &'b mut Bench<'a>,
        mut cycles: Vec<CycleInput>,
        field: &str,
        watch: &'b Watch,
    ) -> Result<Self, ShrinkError> {
        let failing = bench.fresh(&cycles)??;
        let failing = failing.filter(|failing| failing.field == field);
        let failing = failing.ok_or_else(|| ShrinkError::NotReproduced {
            field: field.to_owned(),
            cycle: cycles.len() as u64 - 1,
        })?;
        let cycles_at_start = cycles.len();
        cycles.truncate(failing.cycle + 1);
        Ok(Self {
            bench,
            watch,
            best: cycles,
            failing,
            accepted: 0,
            cycles_at_start,
        })
    }

    /// The best candidate.
    pub fn best(&self) -> &[CycleInput] {
        &self.best
    }

    /// How many attempts have bettered it.
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Whether the user has had enough.
    pub fn is_over(&self) -> bool {
        self.watch.interrupted.load(Ordering::Relaxed)
    }

    /// Takes `candidate` if it fails in the same field and leaves nothing UNKNOWN that was known.
    ///
    /// # Errors
    /// The design cannot be had.
    pub fn attempt(&mut self, candidate: Vec<CycleInput>) -> Result<bool, ShrinkError> {
        if self.is_over() || self.bench.look_at(&candidate).is_err() {
            return Ok(false);
        }
        let ran = self.bench.run(&candidate);
        let Some(mut failing) = self.judge(ran)? else {
            return Ok(false);
        };
        if !self.bench.renews() {
            // What an instance kept from an earlier run, in spite of the reset, must not decide.
            let again = self.bench.fresh(&candidate);
            match self.judge(again)? {
                Some(again) => failing = again,
                None => {
                    self.bench.renew();
                    return Ok(false);
                }
            }
        }
        self.best = candidate;
        self.best.truncate(failing.cycle + 1);
        self.failing = failing;
        self.accepted += 1;
        let removed = self.cycles_at_start - self.best.len();
        self.watch.removed.store(removed as u64, Ordering::Relaxed);
        Ok(true)
    }

    /// A run that fails as it should. A design that stops fails in another way, and what there is no time for does not.
    fn judge(&self, ran: Result<Ran, ShrinkError>) -> Result<Option<Failing>, ShrinkError> {
        let failing = match ran {
            Err(ShrinkError::Interrupted) => None,
            ran => ran?.ok().flatten(),
        };
        Ok(failing.filter(|failing| {
            let same = failing.field == self.failing.field;
            same && within(&failing.unknown, &self.failing.unknown)
        }))
    }

    /// Applies as many of `edits` as possible: all of them, else the halves, one after the other.
    ///
    /// # Errors
    /// The design cannot be had.
    pub fn apply<E>(&mut self, edits: &[E], apply: &Apply<'_, E>) -> Result<(), ShrinkError> {
        if edits.is_empty() || self.is_over() {
            return Ok(());
        }
        let Some(candidate) = apply(&self.best, edits) else {
            return Ok(());
        };
        if self.attempt(candidate)? || edits.len() == 1 {
            return Ok(());
        }
        let (one, other) = edits.split_at(edits.len() / 2);
        self.apply(one, apply)?;
        self.apply(other, apply)
    }

    /// The end.
    pub fn finish(self, minimal: bool) -> Reduced {
        Reduced {
            cycles: self.best,
            failing: self.failing,
            trials: self.bench.trials(),
            minimal,
        }
    }
}

/// Whether everything UNKNOWN of `new` was so in `old`.
fn within(new: &Unknown, old: &Unknown) -> bool {
    new.access_data & !old.access_data == 0
        && new.increments & !old.increments == 0
        && (old.spe || !new.spe)
}
