//! The cycles that hypotheses are tested on.

use std::sync::OnceLock;

use pmu_model::plain::{Around, Before, Plain};
use pmu_model::wrapper::Increments;
use pmu_model::{CycleInput, CycleOutput, Implementation, Model, Unknown};

use super::recording::Stretch;
use super::scene::Scene;
use lockstep_engine::lockstep::compare::first_difference;

/// Cycles, and what the model makes of them.
pub(super) struct Bench<'a> {
    /// The recorded cycles.
    pub(super) stretch: Stretch<'a>,
    pub(super) implementation: &'a Implementation,
    /// Cycles since the last one of reset.
    since_reset: Vec<u32>,
    /// The bytes that the design drew.
    pub(super) random: Vec<u8>,
    /// What the model shows.
    pub(super) expected: Vec<CycleOutput>,
    /// What is not compared of it.
    pub(super) unknown: Vec<Unknown>,
    /// Cycles without inputs, before the first that is recorded.
    pub(super) rest: CycleInput,
    /// Cycles in which the model differs.
    pub(super) differing: usize,
    /// What mutants under conditions are made of, once it is wanted; none without a contract.
    pub(super) scene: OnceLock<Option<Scene>>,
}

impl<'a> Bench<'a> {
    /// Cycles of which the divergent one differs from the model.
    pub(super) fn new(
        stretch: Stretch<'a>,
        implementation: &'a Implementation,
    ) -> Result<Self, &'static str> {
        let bench = Self::of(stretch, implementation)?;
        match bench.differs(stretch.divergent) {
            true => Ok(bench),
            false => Err("the recorded cycles do not show the divergence"),
        }
    }

    /// Cycles of which nothing is known.
    pub(super) fn of(
        stretch: Stretch<'a>,
        implementation: &'a Implementation,
    ) -> Result<Self, &'static str> {
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
        let mut bench = Self {
            stretch,
            implementation,
            since_reset: since_reset(stretch.inputs),
            random,
            expected,
            unknown,
            rest: CycleInput::default(),
            differing: 0,
            scene: OnceLock::new(),
        };
        let cycles = 0..stretch.inputs.len();
        bench.differing = cycles.filter(|&k| bench.differs(k)).count();
        Ok(bench)
    }

    /// Whether the model differs in a cycle; not in one that was not recorded.
    fn differs(&self, k: usize) -> bool {
        let Some(rtl) = self.stretch.rtl.get(k..=k) else {
            return false;
        };
        first_difference(&self.expected[k..=k], &self.unknown[k..=k], rtl).is_some()
    }

    /// The inputs of a cycle, and the byte that the design drew in it.
    pub(super) fn cycle(&self, k: usize) -> (&CycleInput, u8) {
        (&self.stretch.inputs[k], self.random[k])
    }

    /// Tells `plain` what is around a cycle.
    pub(super) fn enter(&self, plain: &mut Plain, k: usize) {
        let since = self.since_reset[k] as usize;
        let before = k.checked_sub(1).and_then(|before| {
            let input = &self.stretch.inputs[before];
            Before::of(input, &self.expected[before])
        });
        plain.meet(Around {
            before,
            ..Around::of(&self.stretch.inputs[k], since)
        });
    }

    /// Whether outputs are those of the design.
    pub(super) fn is_what_the_rtl_did(&self, k: usize, output: CycleOutput) -> bool {
        let rtl = &self.stretch.rtl[k..=k];
        first_difference(&[output], &self.unknown[k..=k], rtl).is_none()
    }
}

/// How many cycles each is after the last one of reset.
fn since_reset(inputs: &[CycleInput]) -> Vec<u32> {
    let mut since = 0u32;
    let next = inputs.iter().map(|input| {
        since = if input.is_reset() {
            0
        } else {
            since.wrapping_add(1)
        };
        since
    });
    next.collect()
}

pub(super) fn run_model(
    mut model: Model,
    inputs: &[CycleInput],
    random: &[u8],
) -> (Vec<CycleOutput>, Vec<Unknown>) {
    let mut outputs = vec![CycleOutput::default(); inputs.len()];
    let mut unknown = vec![Unknown::default(); inputs.len()];
    model.run(inputs, random, &mut outputs, &mut unknown);
    (outputs, unknown)
}
