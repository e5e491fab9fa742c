//! The latency of a design's output groups: the comparison delays the model by it (DUT-02).

use pmu_model::{CycleInput, CycleOutput, DutParameters, Unknown};

use super::compare::{Difference, Field};

/// How many of `count` cycles, the first of which is number `start`, come before cycle `from`: they are not compared.
pub fn cycles_before(from: u64, start: u64, count: usize) -> usize {
    let before = from.saturating_sub(start);
    usize::try_from(before).map_or(count, |before| before.min(count))
}

/// Delays the model's outputs by the latency that a design states.
#[derive(Clone, Debug)]
pub struct Delay {
    increment: usize,
    access: usize,
    spe: usize,
    /// The last cycles, oldest first; as many as the longest latency.
    past: Vec<(CycleInput, CycleOutput, Unknown)>,
}

/// A cycle before the first: nothing of it is known.
fn before_start() -> (CycleInput, CycleOutput, Unknown) {
    let unknown = Unknown {
        access_data: u64::MAX,
        increments: u32::MAX,
        spe: true,
    };
    (CycleInput::default(), CycleOutput::default(), unknown)
}

/// Cycles by which each output group is late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latency {
    /// Of `increment`.
    pub increment: usize,
    /// Of group access.
    pub access: usize,
    /// Of group SPE.
    pub spe: usize,
}

impl Latency {
    /// What a design with `parameters` states.
    pub fn of(parameters: &DutParameters) -> Self {
        Self {
            increment: parameters.latency_increment.into(),
            access: parameters.latency_access.into(),
            spe: parameters.latency_spe.into(),
        }
    }

    /// The greater one of each group.
    #[must_use]
    pub fn most(&self, other: &Self) -> Self {
        Self {
            increment: self.increment.max(other.increment),
            access: self.access.max(other.access),
            spe: self.spe.max(other.spe),
        }
    }

    /// What is left of each group after `other`.
    #[must_use]
    pub fn less(&self, other: &Self) -> Self {
        Self {
            increment: self.increment.saturating_sub(other.increment),
            access: self.access.saturating_sub(other.access),
            spe: self.spe.saturating_sub(other.spe),
        }
    }
}

impl Delay {
    /// The delay for a design with `parameters`.
    pub fn new(parameters: &DutParameters) -> Self {
        Self::by(Latency::of(parameters))
    }

    /// The delay of so many cycles.
    pub fn by(latency: Latency) -> Self {
        let Latency {
            increment,
            access,
            spe,
        } = latency;
        Self {
            increment,
            access,
            spe,
            past: vec![before_start(); increment.max(access).max(spe)],
        }
    }

    /// What it delays by.
    pub fn latency(&self) -> Latency {
        Latency {
            increment: self.increment,
            access: self.access,
            spe: self.spe,
        }
    }

    /// Cycles at the start of a run whose outputs belong to no cycle of it.
    pub fn depth(&self) -> usize {
        self.past.len()
    }

    /// Whether nothing is delayed.
    pub fn is_none(&self) -> bool {
        self.past.is_empty()
    }

    /// The latency of the group that a difference is in.
    pub fn of(&self, difference: Option<&Difference>) -> u64 {
        let latency = match difference.map(|difference| difference.field) {
            Some(Field::Increment(_) | Field::CycleIncrement) => self.increment,
            Some(Field::AccessData | Field::AccessOutcome | Field::TrapIss) => self.access,
            Some(Field::Sampling(_)) => self.spe,
            // They are zero in every cycle.
            Some(Field::Reserved(_)) | None => 0,
        };
        latency as u64
    }

    /// Replaces the outputs of a batch by those that the design shows in its cycles, and the inputs by those
    /// that its access group belongs to.
    pub fn apply(
        &mut self,
        inputs: &mut [CycleInput],
        outputs: &mut [CycleOutput],
        unknowns: &mut [Unknown],
    ) {
        let depth = self.past.len();
        if depth == 0 {
            return;
        }
        let mut line = std::mem::take(&mut self.past);
        line.extend(
            inputs
                .iter()
                .zip(outputs.iter())
                .zip(unknowns.iter())
                .map(|((i, o), u)| (*i, *o, *u)),
        );
        for k in 0..outputs.len() {
            let (_, counted, counted_unknown) = &line[k + depth - self.increment];
            let (input, accessed, accessed_unknown) = &line[k + depth - self.access];
            let (_, sampled, sampled_unknown) = &line[k + depth - self.spe];
            outputs[k] = CycleOutput {
                increment: counted.increment,
                access_data: accessed.access_data,
                access_outcome: accessed.access_outcome,
                trap_iss: accessed.trap_iss,
                ..*sampled
            };
            inputs[k] = *input;
            unknowns[k] = Unknown {
                access_data: accessed_unknown.access_data,
                increments: counted_unknown.increments,
                spe: sampled_unknown.spe,
            };
        }
        self.past = line.split_off(line.len() - depth);
    }
}
