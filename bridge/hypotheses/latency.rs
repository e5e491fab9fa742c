//! A latency that is stated wrong (DUT-02): the model's outputs, some cycles later or earlier.

use std::fmt;

use pmu_model::{CycleOutput, Model, Unknown};

use super::{Bench, run_model};
use crate::lockstep::compare::first_difference;
use crate::lockstep::delay::Latency;
use crate::registers::plural;

/// Shifts in cycles that are tried, the nearest first.
const SHIFTS: [i8; 7] = [0, 1, -1, 2, -2, 3, -3];
/// How many there are of the three groups.
pub const TRIED: usize = 3 * (SHIFTS.len() - 1);
/// Cycles that tell a shifted group from one that is not, at least.
const TELLING: usize = 3;

/// An output group of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Increment,
    Access,
    Sampling,
}

/// By how many cycles each group is later than the design states; earlier if negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongLatency {
    increment: i8,
    access: i8,
    spe: i8,
    stated: Latency,
    from_map: bool,
}

/// What a model shows in every cycle.
struct Shown {
    outputs: Vec<CycleOutput>,
    unknown: Vec<Unknown>,
}

impl Shown {
    /// The output of cycle `k` if it comes `by` cycles later, and what is UNKNOWN of it.
    fn at(&self, k: usize, by: i8) -> Option<(&CycleOutput, &Unknown)> {
        let other = k.checked_add_signed(-isize::from(by))?;
        Some((self.outputs.get(other)?, &self.unknown[other]))
    }
}

impl WrongLatency {
    /// The latencies with which the design does what the model does in every recorded cycle, if there are some.
    pub(super) fn find(bench: &Bench<'_>) -> Option<Self> {
        // Group SPE that comes when it should does not come at another time as well.
        let punctual = fits(bench, &shown(bench, 0)?, Group::Sampling, 0);
        let spe = match punctual {
            true => &SHIFTS[..1],
            false => &SHIFTS[1..],
        };
        spe.iter().find_map(|&spe| {
            let shown = shown(bench, spe)?;
            let fits = |group: Group, by: i8| fits(bench, &shown, group, by);
            if !fits(Group::Sampling, spe) {
                return None;
            }
            let nearest = |group| SHIFTS.into_iter().find(|&by| fits(group, by));
            let found = Self {
                increment: nearest(Group::Increment)?,
                access: nearest(Group::Access)?,
                spe,
                stated: bench.stretch.stated,
                from_map: bench.stretch.from_map,
            };
            let any = [found.increment, found.access, found.spe] != [0; 3];
            (any && found.explains_with(bench, &shown)).then_some(found)
        })
    }

    /// Whether it explains every recorded cycle in which all groups can be looked at.
    pub(super) fn explains(&self, bench: &Bench<'_>) -> bool {
        shown(bench, self.spe).is_some_and(|shown| self.explains_with(bench, &shown))
    }

    fn explains_with(&self, bench: &Bench<'_>, shown: &Shown) -> bool {
        let range = self.checked(bench.expected.len());
        // Outputs of the divergent cycle that are not there yet differ for the same reason.
        bench.stretch.divergent < range.end
            && range.into_iter().all(|k| {
                let (Some((counted, counts)), Some((accessed, access)), Some((sampled, spe))) = (
                    shown.at(k, self.increment),
                    shown.at(k, self.access),
                    shown.at(k, self.spe),
                ) else {
                    return false;
                };
                let mut output = shown.outputs[k];
                Group::Sampling.copy(sampled, &mut output);
                Group::Access.copy(accessed, &mut output);
                Group::Increment.copy(counted, &mut output);
                let unknown = Unknown {
                    increments: counts.increments,
                    access_data: access.access_data,
                    spe: spe.spe,
                };
                first_difference(&[output], &[unknown], &bench.stretch.rtl[k..=k]).is_none()
            })
    }

    /// The cycles of `cycles` in which all groups can be looked at.
    pub fn checked(&self, cycles: usize) -> std::ops::Range<usize> {
        let all = [self.increment, self.access, self.spe];
        let late = all.into_iter().max().unwrap_or(0).max(0);
        let early = all.into_iter().min().unwrap_or(0).min(0);
        let end = cycles.saturating_sub(early.unsigned_abs().into());
        usize::from(late.unsigned_abs()).min(end)..end
    }
}

/// What the model shows if the bytes that the design drew are shown `by` cycles late.
fn shown(bench: &Bench<'_>, by: i8) -> Option<Shown> {
    if by == 0 {
        return Some(Shown {
            outputs: bench.expected.clone(),
            unknown: bench.unknown.clone(),
        });
    }
    if !bench.implementation.spe.implemented {
        return None;
    }
    let rtl = &bench.stretch.rtl;
    let drawn = (0..rtl.len()).map(|k| {
        let shown = k.checked_add_signed(by.into());
        let shown = shown.and_then(|shown| rtl.get(shown));
        shown.map_or(0, |output| output.random_byte)
    });
    let model = Model::new(bench.implementation).ok()?;
    let (outputs, mut unknown) = run_model(model, bench.stretch.inputs, &drawn.collect::<Vec<_>>());
    // Increments that nobody has seen stay so.
    for (unknown, before) in unknown.iter_mut().zip(&bench.unknown) {
        if before.increments == u32::MAX {
            unknown.increments = u32::MAX;
        }
    }
    Some(Shown { outputs, unknown })
}

/// Whether the design's `group` is the model's, `by` cycles later, in every cycle that can be looked at; a shift must
/// show in some of them.
fn fits(bench: &Bench<'_>, shown: &Shown, group: Group, by: i8) -> bool {
    let mut telling = 0;
    for (k, rtl) in bench.stretch.rtl.iter().enumerate() {
        let Some((output, unknown)) = shown.at(k, by) else {
            continue;
        };
        let differs = |output: &CycleOutput, unknown: &Unknown| {
            let mut alone = *rtl;
            group.copy(output, &mut alone);
            first_difference(&[alone], &[*unknown], &[*rtl]).is_some()
        };
        if differs(output, unknown) {
            return false;
        }
        telling += usize::from(differs(&shown.outputs[k], &shown.unknown[k]));
    }
    by == 0 || telling >= TELLING
}

impl Group {
    fn copy(self, from: &CycleOutput, to: &mut CycleOutput) {
        match self {
            Self::Increment => to.increment = from.increment,
            Self::Access => {
                to.access_data = from.access_data;
                to.access_outcome = from.access_outcome;
                to.trap_iss = from.trap_iss;
            }
            Self::Sampling => {
                *to = CycleOutput {
                    increment: to.increment,
                    access_data: to.access_data,
                    access_outcome: to.access_outcome,
                    trap_iss: to.trap_iss,
                    reserved: to.reserved,
                    zeros: to.zeros,
                    ..*from
                };
            }
        }
    }

    /// What comes late, and the word for it in parameters and maps.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Increment => ("increments come", "increment"),
            Self::Access => ("data and outcome of accesses come", "access"),
            Self::Sampling => ("the outputs of sampling come", "spe"),
        }
    }
}

impl fmt::Display for WrongLatency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let groups = [
            (Group::Increment, self.increment, self.stated.increment),
            (Group::Access, self.access, self.stated.access),
            (Group::Sampling, self.spe, self.stated.spe),
        ];
        let late = groups.into_iter().filter(|&(_, by, _)| by != 0);
        for (number, (group, by, stated)) in late.enumerate() {
            let (what, word) = group.words();
            let cycles = plural(by.unsigned_abs().into(), "cycle");
            let when = if by > 0 { "late" } else { "early" };
            let separator = if number == 0 { "" } else { "; " };
            write!(f, "{separator}{what} {cycles} {when}: ")?;
            if let Some(fitting) = stated.checked_add_signed(by.into()) {
                write!(f, "they fit a latency of {fitting}, ")?;
            }
            match self.from_map {
                true => write!(f, "the map states {stated} ({word} of [latency])")?,
                false => write!(
                    f,
                    "the design states {stated} (latency_{word} of parameters_o)"
                )?,
            }
        }
        Ok(())
    }
}
