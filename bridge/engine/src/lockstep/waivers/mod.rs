//! Waivers: differences between RTL and model that a team knows of and accepts for some time.
//!
//! A waiver names the field, a condition, the reason, who answers for it, and the day on which that ends. It is counted; one
//! that has expired, or that no difference of a whole run needed, is a failure.

mod accepted;
mod file;

use pmu_model::{AccessKind, CycleInput, CycleOutput, Unknown};
use serde::Serialize;

use super::compare::{Difference, Field, access_name, differences};
use lockstep_base::glob::Glob;

pub(super) use accepted::Accepted;
pub use file::{Expired, WaiverError};
pub use lockstep_base::day::Day;

/// A waiver.
#[derive(Clone, Debug)]
pub struct Waiver {
    /// What fields it is about, by their names in reports.
    field: Glob,
    condition: Condition,
    reason: String,
    owner: String,
    /// The last day of it.
    expires: String,
    /// Its line in the file.
    line: usize,
}

/// When a waiver holds: everything that is given must be so.
#[derive(Clone, Debug, Default)]
struct Condition {
    /// The register of the access.
    register: Option<Glob>,
    access: Option<AccessKind>,
    /// Only these bits may differ.
    bits: Option<u64>,
    expected: Option<u64>,
    rtl: Option<u64>,
    first_cycle: Option<u64>,
    last_cycle: Option<u64>,
    /// Of thread 0.
    exception_level: Option<u8>,
}

impl Condition {
    /// Whether it holds for a difference that shows in `cycle`.
    fn holds(&self, difference: &Difference, cycle: u64, input: &CycleInput) -> bool {
        let fits = |glob: &Glob| {
            input.access_kind != AccessKind::None as u8 && glob.fits(&access_name(input))
        };
        self.register.as_ref().is_none_or(fits)
            && self
                .expected
                .is_none_or(|value| value == difference.expected)
            && self.rtl.is_none_or(|value| value == difference.rtl)
            && self.holds_in(cycle, input)
    }

    /// Whether it holds in a cycle, whatever the register and the values.
    fn holds_in(&self, cycle: u64, input: &CycleInput) -> bool {
        self.access
            .is_none_or(|kind| kind as u8 == input.access_kind)
            && self.first_cycle.is_none_or(|first| cycle >= first)
            && self.last_cycle.is_none_or(|last| cycle <= last)
            && self
                .exception_level
                .is_none_or(|level| level == input.threads[0].level())
    }
}

/// A waiver and how often it was needed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WaiverTally {
    /// The field, as the file has it.
    pub field: String,
    /// Why.
    pub reason: String,
    /// Who answers for it.
    pub owner: String,
    /// The last day of it.
    pub expires: String,
    /// Its line in the file.
    pub line: usize,
    /// Differences that it waived.
    pub waived: u64,
}

impl WaiverTally {
    /// The waiver in a line.
    pub fn text(&self) -> String {
        format!(
            "{}: {} ({}, until {})",
            self.field, self.reason, self.owner, self.expires
        )
    }
}

/// The waivers of a run, with what they waived.
#[derive(Clone, Debug, Default)]
pub struct Waivers {
    waivers: Vec<Waiver>,
    waived: Vec<u64>,
    /// Differences waived, by field.
    by_field: Vec<(Field, u64)>,
}

impl Waivers {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.waivers.is_empty()
    }

    /// The same, nothing waived yet.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self {
            waivers: self.waivers.clone(),
            waived: vec![0; self.waivers.len()],
            by_field: Vec::new(),
        }
    }

    /// The same for a stimulus whose first cycle is cycle `first` of the one that the conditions are about.
    #[must_use]
    pub fn from_cycle(mut self, first: u64) -> Self {
        for waiver in &mut self.waivers {
            let condition = &mut waiver.condition;
            let begin = condition
                .first_cycle
                .map(|cycle| cycle.saturating_sub(first));
            condition.first_cycle = match condition.last_cycle {
                // All of its cycles are before.
                Some(last) if last < first => Some(u64::MAX),
                _ => begin,
            };
            condition.last_cycle = condition
                .last_cycle
                .map(|cycle| cycle.saturating_sub(first));
        }
        self
    }

    /// The waivers, in the order of the file.
    pub fn tallies(&self) -> Vec<WaiverTally> {
        let waivers = self.waivers.iter().zip(&self.waived);
        waivers
            .map(|(waiver, &waived)| WaiverTally {
                field: waiver.field.text().to_owned(),
                reason: waiver.reason.clone(),
                owner: waiver.owner.clone(),
                expires: waiver.expires.clone(),
                line: waiver.line,
                waived,
            })
            .collect()
    }

    /// Differences waived in all.
    pub fn total(&self) -> u64 {
        self.by_field.iter().map(|(_, waived)| waived).sum()
    }

    /// Puts the model's value in place of the design's where a difference is waived. `start` is the number of the
    /// first cycle, `inputs` are those that the access group belongs to.
    pub fn apply(
        &mut self,
        start: u64,
        inputs: &[CycleInput],
        expected: &[CycleOutput],
        unknown: &[Unknown],
        rtl: &mut [CycleOutput],
    ) {
        if self.waivers.is_empty() {
            return;
        }
        let cycles = inputs.iter().zip(expected).zip(unknown).zip(rtl);
        for (cycle, (((input, expected), unknown), rtl)) in (start..).zip(cycles) {
            if expected == rtl {
                continue;
            }
            for difference in differences(expected, unknown, rtl) {
                if self.waives(&difference, cycle, input) {
                    difference.field.copy(expected, rtl);
                }
            }
        }
    }

    /// Adds how often those of another run with the same ones were needed.
    pub(super) fn credit(&mut self, other: &Self) {
        for (waived, more) in self.waived.iter_mut().zip(&other.waived) {
            *waived += more;
        }
    }

    /// Whether all bits that differ are waived; if so, counts it.
    fn waives(&mut self, difference: &Difference, cycle: u64, input: &CycleInput) -> bool {
        let name = difference.field.name(input);
        let mut left = (difference.expected ^ difference.rtl) & difference.compared;
        let mut needed = Vec::new();
        for (index, waiver) in self.waivers.iter().enumerate() {
            let bits = waiver.condition.bits.unwrap_or(u64::MAX);
            if left & bits != 0
                && waiver.field.fits(&name)
                && waiver.condition.holds(difference, cycle, input)
            {
                left &= !bits;
                needed.push(index);
            }
        }
        if left != 0 {
            return false;
        }
        for index in needed {
            self.waived[index] += 1;
        }
        let field = difference.field;
        match self.by_field.iter_mut().find(|(other, _)| *other == field) {
            Some((_, waived)) => *waived += 1,
            None => self.by_field.push((field, 1)),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pmu_model::SysReg;

    const HEAD: &str = "reason = 'r'\nowner = 'o'\nexpires = 2999-12-31\n";

    fn waivers(entries: &[&str]) -> Waivers {
        let text: String = entries
            .iter()
            .map(|entry| format!("[[waiver]]\n{HEAD}{entry}\n"))
            .collect();
        Waivers::parse("w.toml".as_ref(), &text).expect("waivers")
    }

    /// A cycle in which V[5] is 7 instead of 4, and one in which a read returns 0xF0 instead of 0xFF.
    fn apply(waivers: &mut Waivers) -> [bool; 2] {
        let read = CycleInput::read(SysReg::Pmmir);
        let inputs = [CycleInput::default(), read];
        let mut expected = [CycleOutput::default(); 2];
        let mut rtl = expected;
        (expected[0].increment[5], rtl[0].increment[5]) = (4, 7);
        (expected[1].access_data, rtl[1].access_data) = (0xFF, 0xF0);
        waivers.apply(100, &inputs, &expected, &[Unknown::default(); 2], &mut rtl);
        [rtl[0] == expected[0], rtl[1] == expected[1]]
    }

    #[test]
    fn cycles_of_conditions_count_from_the_first_of_the_stimulus() {
        // The cycles of `apply` are 100 and 101.
        for (first, condition, waived) in [
            (0, "{ last_cycle = 100 }", [true, false]),
            (7, "{ first_cycle = 108 }", [false, true]),
            (7, "{ first_cycle = 107, last_cycle = 107 }", [true, false]),
            (7, "{ last_cycle = 6 }", [false, false]),
            (200, "{ first_cycle = 107 }", [true, true]),
        ] {
            let entry = format!("field = '*'\ncondition = {condition}");
            let mut waivers = waivers(&[&entry]).from_cycle(first);
            assert_eq!(apply(&mut waivers), waived, "{first}: {condition}");
        }
    }

    #[test]
    fn a_difference_is_waived_by_field_and_condition() {
        for (entry, waived) in [
            ("field = 'V[5]'\ncondition = 'always'", [true, false]),
            ("field = 'V[*]'\ncondition = 'always'", [true, false]),
            ("field = 'V[6]'\ncondition = 'always'", [false, false]),
            ("field = '*'\ncondition = 'always'", [true, true]),
            (
                "field = 'V[5]'\ncondition = { expected = 4, rtl = 7 }",
                [true, false],
            ),
            ("field = 'V[5]'\ncondition = { rtl = 8 }", [false, false]),
            (
                "field = '*'\ncondition = { last_cycle = 100 }",
                [true, false],
            ),
            (
                "field = '*'\ncondition = { first_cycle = 101 }",
                [false, true],
            ),
            ("field = '*'\ncondition = { bits = 0x0F }", [true, true]),
            ("field = '*'\ncondition = { bits = 0x07 }", [true, false]),
            (
                "field = '*'\ncondition = { register = 'PMMIR*' }",
                [false, true],
            ),
            ("field = '*'\ncondition = { access = 'MRS' }", [false, true]),
            (
                "field = '*'\ncondition = { access = 'MSR' }",
                [false, false],
            ),
            (
                "field = '*'\ncondition = { exception_level = 1 }",
                [false, false],
            ),
            (
                "field = 'PMMIR_EL1'\ncondition = { exception_level = 0 }",
                [false, true],
            ),
        ] {
            let mut waivers = waivers(&[entry]);
            assert_eq!(apply(&mut waivers), waived, "{entry}");
            let count = waived.iter().filter(|&&waived| waived).count() as u64;
            assert_eq!(
                (waivers.total(), waivers.tallies()[0].waived),
                (count, count)
            );
        }
    }

    #[test]
    fn bits_may_be_waived_by_several() {
        let low = "field = 'PMMIR_EL1'\ncondition = { bits = 0x3 }";
        let high = "field = 'PMMIR_EL1'\ncondition = { bits = 0xC }";
        let mut both = waivers(&[low, high]);
        assert_eq!(apply(&mut both), [false, true]);
        assert!(both.tallies().iter().all(|tally| tally.waived == 1));
        // What does not suffice is not counted.
        let mut one = waivers(&[low]);
        assert_eq!(apply(&mut one), [false, false]);
        assert_eq!(one.tallies()[0].waived, 0);
    }
}
