//! What a run finds after its first divergence, if it goes on: at the next reset both are in their reset state, and from
//! there on they are compared again.

use lockstep_base::unnumbered::unnumbered;
use pmu_model::CycleInput;
use serde::Serialize;

use super::batch::Batch;
use super::compare::{Difference, Divergence};
use super::delay::Delay;
use super::ledger::Ledger;
use crate::dut::CYCLE_NS;

/// Kinds of further divergences that are listed.
pub const LISTED: usize = 20;

/// Divergences after the first one. A stretch is what is compared from a reset to the next divergence or to the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Further {
    /// Stretches that were compared after the first divergence.
    pub stretches: u64,
    /// Of these, those that ended with a divergence.
    pub diverged: u64,
    /// Of these, those that ended with one in the field of the first one, numbers of counters left out.
    pub like_the_first: u64,
    /// The others, one of each kind, in the order in which they were found; [`LISTED`] at most.
    pub listed: Vec<FurtherDivergence>,
    /// Stretches that ended with a divergence of a kind that there was no more place for.
    pub not_listed: u64,
    /// Cycles from a divergence to the reset after it, which were not compared.
    pub cycles_not_compared: u64,
    /// Why the run did not come to its end, if it did not.
    pub ended: Option<String>,
}

/// The first divergence of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FurtherDivergence {
    /// The field that differs; of several in the cycle one that the others do not follow from.
    pub field: String,
    /// The same without numbers of counters: what the stretches of one kind share.
    pub kind: String,
    /// The cycle in which the difference shows.
    pub cycle: u64,
    /// The cycle that it belongs to.
    pub about: u64,
    /// Time of the rising edge of `cycle`.
    pub time_ns: u64,
    /// The model's value.
    pub expected: String,
    /// The design's value.
    pub rtl: String,
    /// Stretches that ended with one of this kind.
    pub stretches: u64,
}

/// Whether the cycle at hand is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not until a reset has come.
    Diverged,
    /// From this one on: what the design shows before it is of cycles before the reset.
    From(u64),
    Compared,
}

/// A run after its first divergence.
pub(super) struct Beyond {
    /// The first divergence.
    pub first: Box<Divergence>,
    /// What had been compared then.
    pub ledger: Ledger,
    pub further: Further,
    state: State,
}

impl Beyond {
    pub fn new(first: Box<Divergence>, ledger: Ledger) -> Self {
        Self {
            first,
            ledger,
            further: Further::default(),
            state: State::Diverged,
        }
    }

    /// Compares a batch from `cycle` on, and enters into `ledger` what is compared.
    pub fn compare(
        &mut self,
        batch: &mut Batch,
        mut cycle: u64,
        delay: &Delay,
        ledger: &mut Ledger,
    ) {
        let end = batch.start + batch.completed() as u64;
        while cycle < end {
            if self.state == State::Diverged {
                let rest = &batch.inputs()[(cycle - batch.start) as usize..];
                let reset = rest.iter().position(CycleInput::is_reset);
                let Some(reset) = reset.map(|index| cycle + index as u64) else {
                    self.further.cycles_not_compared += end - cycle;
                    return;
                };
                self.state = State::From(reset + delay.depth() as u64);
            }
            if let State::From(from) = self.state {
                let upto = from.min(end);
                self.further.cycles_not_compared += upto.saturating_sub(cycle);
                cycle = cycle.max(upto);
                if cycle == end {
                    return;
                }
                self.state = State::Compared;
                self.further.stretches += 1;
            }
            match batch.compare_from(cycle, delay, ledger).1 {
                None => return,
                Some(divergence) => {
                    self.enter(&divergence);
                    cycle = divergence.cycle + 1;
                    self.state = State::Diverged;
                }
            }
        }
    }

    fn enter(&mut self, divergence: &Divergence) {
        let further = &mut self.further;
        let (root, kind) = root_and_kind(divergence);
        further.diverged += 1;
        if kind == root_and_kind(&self.first).1 {
            further.like_the_first += 1;
            return;
        }
        if let Some(known) = further.listed.iter_mut().find(|known| known.kind == kind) {
            known.stretches += 1;
            return;
        }
        if further.listed.len() == LISTED {
            further.not_listed += 1;
            return;
        }
        further.listed.push(FurtherDivergence {
            field: root.field.name(&divergence.input),
            kind,
            cycle: divergence.cycle,
            about: divergence.about,
            time_ns: CYCLE_NS * divergence.cycle,
            expected: root.field.text(root.expected),
            rtl: root.field.text(root.rtl),
            stretches: 1,
        });
    }
}

/// The root of a divergence, and the name of its field without numbers.
fn root_and_kind(divergence: &Divergence) -> (&Difference, String) {
    let root = divergence.root();
    (root, unnumbered(&root.field.name(&divergence.input)))
}
