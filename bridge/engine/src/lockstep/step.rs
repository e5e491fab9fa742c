//! One step of a comparison: waive, compare, account. Live runs, dumps and two designs side by side take it.

use pmu_model::{CycleInput, CycleOutput, Unknown};

use super::compare::{Divergence, differences, first_difference_from};
use super::delay::Delay;
use super::ledger::Ledger;

/// Cycles of both sides, one for each element of the slices, which are of one length.
pub struct Cycles<'c> {
    /// Number of the first.
    pub start: u64,
    /// How many of them are not compared: what a design shows before the outputs of the first cycle come out is its own
    /// business (DUT-03).
    pub early: usize,
    /// Inputs that the access group belongs to.
    pub inputs: &'c [CycleInput],
    /// Inputs that group SPE belongs to.
    pub sampled: &'c [CycleInput],
    /// What the model has, as late as the design.
    pub expected: &'c [CycleOutput],
    /// What is not compared of it.
    pub unknown: &'c [Unknown],
    /// What the design shows. Where a difference is waived, the model's value takes its place.
    pub rtl: &'c mut [CycleOutput],
}

impl Cycles<'_> {
    /// Compares them by the waivers of `ledger`, and enters into it what was compared.
    ///
    /// # Returns
    /// How many were compared, and the divergence that ended it, of the last of these.
    ///
    /// # Panics
    /// If the slices differ in length, or are shorter than `early`.
    pub fn compare(self, delay: &Delay, ledger: &mut Ledger) -> (usize, Option<Box<Divergence>>) {
        let Self {
            start,
            early,
            inputs,
            sampled,
            expected,
            unknown,
            rtl,
        } = self;
        let waivers = ledger.waivers_mut();
        waivers.apply(start, inputs, expected, unknown, rtl);
        let rtl = &*rtl;
        let diverged = first_difference_from(early, expected, unknown, rtl);
        let compared = diverged.map_or(expected.len(), |k| k + 1);
        ledger.enter(
            start + early as u64,
            &inputs[early..compared],
            &sampled[early..compared],
            &expected[early..compared],
            &unknown[early..compared],
            &rtl[early..compared],
        );
        let divergence = diverged.map(|k| {
            let differences = differences(&expected[k], &unknown[k], &rtl[k]);
            let cycle = start + k as u64;
            Box::new(Divergence {
                cycle,
                about: cycle.saturating_sub(delay.of(differences.first())),
                input: inputs[k],
                expected: expected[k],
                rtl: rtl[k],
                unknown: unknown[k],
                differences,
            })
        });
        (compared, divergence)
    }
}
