//! The latency of a design's output groups: the comparison delays the model by it (DUT-02).

use pmu_model::contract::Group;
use pmu_model::{CycleInput, CycleOutput, DutParameters, Unknown};

use super::compare::Difference;

/// How many of `count` cycles, the first of which is number `start`, come before cycle `from`: they are not compared.
pub fn cycles_before(from: u64, start: u64, count: usize) -> usize {
    let before = from.saturating_sub(start);
    usize::try_from(before).map_or(count, |before| before.min(count))
}

/// Delays the model's outputs by the latency that a design states.
///
/// Where group SPE is late, the design tells late which byte it drew. The model then runs as many cycles behind the design,
/// so that it has each byte in the cycle that it was drawn in (DUT-61), and its outputs are delayed by what is left.
#[derive(Clone, Debug)]
pub struct Delay {
    latency: Latency,
    /// Cycles by which the model is behind the design.
    lag: usize,
    /// Inputs that the model has not had, oldest first; fewer than `lag` at the start of a run.
    waiting: Vec<CycleInput>,
    /// Cycles of the batch before the first cycle of the run.
    before: usize,
    /// The last cycles of the model, oldest first; as many as the longest latency that is left.
    past: Vec<(CycleInput, CycleOutput, Unknown)>,
}

/// A cycle before the first: nothing of it is known.
fn before_start() -> (CycleInput, CycleOutput, Unknown) {
    (CycleInput::default(), CycleOutput::default(), Unknown::ALL)
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
    /// The delay of the model for a design with `parameters`.
    pub fn new(parameters: &DutParameters) -> Self {
        let latency = Latency::of(parameters);
        let lag = latency.increment.min(latency.access).min(latency.spe);
        Self::behind(latency, lag)
    }

    /// The delay of outputs by so many cycles, with nothing behind.
    pub fn by(latency: Latency) -> Self {
        Self::behind(latency, 0)
    }

    fn behind(latency: Latency, lag: usize) -> Self {
        let Latency {
            increment,
            access,
            spe,
        } = latency;
        Self {
            latency,
            lag,
            waiting: Vec::with_capacity(lag),
            before: 0,
            past: vec![before_start(); increment.max(access).max(spe) - lag],
        }
    }

    /// What it delays by.
    pub fn latency(&self) -> Latency {
        self.latency
    }

    /// Cycles by which the model is behind the design.
    pub fn lag(&self) -> usize {
        self.lag
    }

    /// Cycles at the start of a run whose outputs belong to no cycle of it.
    pub fn depth(&self) -> usize {
        self.lag + self.past.len()
    }

    /// Whether nothing is delayed.
    pub fn is_none(&self) -> bool {
        self.depth() == 0
    }

    /// The latency of the group that a difference is in.
    pub fn of(&self, difference: Option<&Difference>) -> u64 {
        let latency = match difference.map(|difference| difference.field.group()) {
            Some(Group::Increment) => self.latency.increment,
            Some(Group::Access) => self.latency.access,
            Some(Group::Sampling) => self.latency.spe,
            // What is zero is so in every cycle.
            _ => 0,
        };
        latency as u64
    }

    /// Puts the cycles that the model runs in a batch with these inputs into `taken`, one for each. Those of the first
    /// cycles, whose number is returned, are not there: the run has none before its first.
    pub fn take(&mut self, inputs: &[CycleInput], taken: &mut Vec<CycleInput>) -> usize {
        taken.clear();
        if self.lag == 0 {
            taken.extend_from_slice(inputs);
            return 0;
        }
        let before = (self.lag - self.waiting.len()).min(inputs.len());
        taken.resize(before, CycleInput::default());
        self.waiting.extend_from_slice(inputs);
        taken.extend(self.waiting.drain(..inputs.len() - before));
        self.before = before;
        before
    }

    /// Replaces the outputs of a batch by those that the design shows in its cycles, and the inputs by those that its access
    /// group belongs to. Outputs and inputs are those of the cycles that [`Delay::take`] gave, if it did.
    pub fn apply(
        &mut self,
        inputs: &mut [CycleInput],
        outputs: &mut [CycleOutput],
        unknowns: &mut [Unknown],
    ) {
        for k in 0..std::mem::take(&mut self.before) {
            (inputs[k], outputs[k], unknowns[k]) = before_start();
        }
        let depth = self.past.len();
        if depth == 0 {
            return;
        }
        let [increment, access, spe] = [
            self.latency.increment,
            self.latency.access,
            self.latency.spe,
        ]
        .map(|all| all - self.lag);
        let mut line = std::mem::take(&mut self.past);
        line.extend(
            inputs
                .iter()
                .zip(outputs.iter())
                .zip(unknowns.iter())
                .map(|((i, o), u)| (*i, *o, *u)),
        );
        for k in 0..outputs.len() {
            let (_, counted, counted_unknown) = &line[k + depth - increment];
            let (input, accessed, accessed_unknown) = &line[k + depth - access];
            let (_, sampled, sampled_unknown) = &line[k + depth - spe];
            outputs[k] = sampled
                .with(&CycleOutput::INCREMENTS, counted)
                .with(&CycleOutput::ACCESS, accessed);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(latency: Latency) -> Delay {
        Delay::new(&DutParameters {
            latency_increment: latency.increment as u8,
            latency_access: latency.access as u8,
            latency_spe: latency.spe as u8,
            ..DutParameters::of(&pmu_model::Implementation::default())
        })
    }

    /// The model as the number of the cycle: what is compared in each cycle of batches of 3, by group, and whether it is
    /// known.
    fn shown(latency: Latency) -> Vec<[Option<u64>; 4]> {
        let mut delay = of(latency);
        let (mut model, mut shown) = (0, Vec::new());
        let inputs: Vec<_> = (0..12u64)
            .map(|cycle| CycleInput {
                access_data: cycle,
                ..CycleInput::default()
            })
            .collect();
        for batch in inputs.chunks(3) {
            let mut taken = Vec::new();
            let before = delay.take(batch, &mut taken);
            let mut outputs = vec![CycleOutput::default(); batch.len()];
            let mut unknowns = vec![Unknown::default(); batch.len()];
            for (input, output) in taken.iter().zip(&mut outputs).skip(before) {
                assert_eq!(input.access_data, model);
                output.increment[0] = model as u16;
                output.access_data = model;
                output.pmsicr = model;
                model += 1;
            }
            delay.apply(&mut taken, &mut outputs, &mut unknowns);
            for ((input, output), unknown) in taken.iter().zip(&outputs).zip(&unknowns) {
                let is_known = |known: bool, value: u64| known.then_some(value);
                let known = unknown.access_data == 0;
                shown.push([
                    is_known(unknown.increments == 0, output.increment[0].into()),
                    is_known(known, output.access_data),
                    is_known(known, input.access_data),
                    is_known(!unknown.spe, output.pmsicr),
                ]);
            }
        }
        assert_eq!(model as usize, 12 - delay.lag());
        shown
    }

    #[test]
    fn dut_02_outputs_are_those_of_the_cycles_before_by_the_latency() {
        for (increment, access, spe, lag) in [
            (0, 0, 0, 0),
            (2, 1, 0, 0),
            (3, 5, 3, 3),
            (3, 5, 2, 2),
            (4, 4, 4, 4),
            (2, 0, 7, 0),
        ] {
            let latency = Latency {
                increment,
                access,
                spe,
            };
            assert_eq!(of(latency).lag(), lag);
            assert_eq!(of(latency).depth(), increment.max(access).max(spe));
            for (cycle, shown) in shown(latency).into_iter().enumerate() {
                let of = |late: usize| cycle.checked_sub(late).map(|cycle| cycle as u64);
                let expected = [of(increment), of(access), of(access), of(spe)];
                assert_eq!(shown, expected, "{latency:?}, cycle {cycle}");
            }
        }
    }
}
