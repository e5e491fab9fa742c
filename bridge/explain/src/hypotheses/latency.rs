//! A latency that is stated wrong (DUT-02): the model's outputs, some cycles later or earlier.

use std::fmt;

use pmu_model::contract::Group;
use pmu_model::{CycleOutput, Model, Unknown};

use super::bench::Bench;
use super::inputs::FARTHEST;
use lockstep_base::counted::plural;
use lockstep_engine::lockstep::batch::BATCH;
use lockstep_engine::lockstep::compare::first_difference;
use lockstep_engine::lockstep::delay::Latency;

/// How many latencies are tried, of the three groups.
pub const TRIED: usize = 3 * 2 * FARTHEST as usize;
/// Cycles that tell a shifted group from one that is not, at least.
const TELLING: usize = 3;

/// Shifts in cycles that are tried, the nearest first, without none.
fn shifts() -> impl Iterator<Item = i8> {
    (1..=FARTHEST).flat_map(|by| [by, -by])
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
        let punctual = shown(bench, 0)?;
        match fits(bench, &punctual, Group::Sampling, 0) {
            true => Self::of_others(bench, 0, &punctual),
            false => shifts().find_map(|spe| {
                let shown = shown(bench, spe)?;
                match fits(bench, &shown, Group::Sampling, spe) {
                    true => Self::of_others(bench, spe, &shown),
                    false => None,
                }
            }),
        }
    }

    /// The latencies of the other groups, each by itself, with group SPE `spe` cycles late.
    fn of_others(bench: &Bench<'_>, spe: i8, shown: &Shown) -> Option<Self> {
        let nearest = |group| {
            let shifts = [0].into_iter().chain(shifts());
            shifts.into_iter().find(|&by| fits(bench, shown, group, by))
        };
        let found = Self {
            increment: nearest(Group::Increment)?,
            access: nearest(Group::Access)?,
            spe,
            stated: bench.stretch.stated,
            from_map: bench.stretch.from_map,
        };
        let any = [found.increment, found.access, found.spe] != [0; 3];
        (any && found.explains_with(bench, shown)).then_some(found)
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
                let output = sampled
                    .with(&CycleOutput::ACCESS, accessed)
                    .with(&CycleOutput::INCREMENTS, counted);
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

/// What the model shows if the bytes that the design drew are shown `by` cycles late; `None` from the first batch on in
/// which group SPE is not the design's.
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
    let drawn: Vec<_> = drawn.collect();
    let mut model = Model::new(bench.implementation).ok()?;
    let mut outputs = vec![CycleOutput::default(); rtl.len()];
    let mut unknown = vec![Unknown::default(); rtl.len()];
    for (number, inputs) in bench.stretch.inputs.chunks(BATCH).enumerate() {
        let batch = number * BATCH..number * BATCH + inputs.len();
        let (shown, not_compared) = (&mut outputs[batch.clone()], &mut unknown[batch.clone()]);
        model.run(inputs, &drawn[batch.clone()], shown, not_compared);
        let differs = |k: usize| {
            let shown = k.checked_add_signed(by.into());
            let shown = shown.and_then(|shown| rtl.get(shown));
            shown.is_some_and(|rtl| {
                let alone = rtl.with(mask(Group::Sampling), &outputs[k]);
                first_difference(&[alone], &unknown[k..=k], &[*rtl]).is_some()
            })
        };
        if batch.into_iter().any(differs) {
            return None;
        }
    }
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
            let alone = rtl.with(mask(group), output);
            first_difference(&[alone], &[*unknown], &[*rtl]).is_some()
        };
        if differs(output, unknown) {
            return false;
        }
        telling += usize::from(differs(&shown.outputs[k], &shown.unknown[k]));
    }
    by == 0 || telling >= TELLING
}

/// The bits of an output group.
fn mask(group: Group) -> &'static [u8; size_of::<CycleOutput>()] {
    match group {
        Group::Increment => &CycleOutput::INCREMENTS,
        Group::Access => &CycleOutput::ACCESS,
        _ => &CycleOutput::SAMPLING,
    }
}

/// What comes late, and the word for it in parameters and maps.
fn words(group: Group) -> (&'static str, &'static str) {
    match group {
        Group::Increment => ("increments come", "increment"),
        Group::Access => ("data and outcome of accesses come", "access"),
        _ => ("the outputs of sampling come", "spe"),
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
            let (what, word) = words(group);
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
