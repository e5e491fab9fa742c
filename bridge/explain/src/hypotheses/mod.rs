//! What would explain the RTL: mistakes, one at a time, replayed over the recorded cycles of a divergence.
//!
//! A hypothesis is the contract with one mistake, or the model with another value of a knob. It explains the RTL if its
//! outputs are those of the RTL in every cycle that is compared, the divergent one among them. What the architecture leaves
//! UNKNOWN is not compared.

mod access;
mod bench;
mod counters;
mod datapath;
mod elsewhere;
mod filters;
mod findings;
mod indices;
mod inputs;
mod knobs;
mod latency;
mod mutants;
mod occasions;
mod recording;
mod sampling;
mod scene;
mod screen;
mod stalled;
mod system;
mod threads;
mod timing;
mod trial;
mod varied;
mod wiring;

#[cfg(test)]
mod tests;

use std::cell::LazyCell;
use std::fmt;
use std::sync::Arc;

use pmu_model::Implementation;
use pmu_model::plain::{Mutant, Plain};

use bench::Bench;
use elsewhere::Others;
use recording::Stretch;

pub use findings::{Findings, Hypothesis, Nearest, Refuted};
pub use recording::{BEYOND, Elsewhere, FAR, MOST, NEAR, Recording};
pub use varied::Varied;

/// One mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// None: the model.
    None,
    /// Of the datapath.
    Datapath(datapath::Datapath),
    /// Of counters and flags.
    Counters(counters::Counters),
    /// Of indices and bits.
    Indices(indices::Indices),
    /// Of filters.
    Filters(filters::Filters),
    /// Of events that count threads.
    Threads(threads::Threads),
    /// Of accesses.
    Access(access::Access),
    /// Of sampling.
    Sampling(sampling::Sampling),
    /// Of System PMUs.
    System(system::System),
    /// Of timing.
    Timing(timing::Timing),
    /// Of when inputs come.
    Inputs(inputs::Inputs),
}

macro_rules! mistakes {
    ($($family:ident $module:ident),+ $(,)?) => {
        $(impl From<$module::$family> for Mistake {
            fn from(mistake: $module::$family) -> Self {
                Self::$family(mistake)
            }
        })+

        impl fmt::Display for Mistake {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Self::None => f.write_str("no mistake"),
                    $(Self::$family(mistake) => mistake.fmt(f)),+
                }
            }
        }
    };
}

mistakes!(
    Datapath datapath,
    Counters counters,
    Indices indices,
    Filters filters,
    Threads threads,
    Access access,
    Sampling sampling,
    System system,
    Timing timing,
    Inputs inputs,
);

/// `+ 1`, `- 1`: what is added, behind what it is added to.
fn added(by: i8) -> String {
    let sign = if by < 0 { '-' } else { '+' };
    format!("{sign} {}", by.unsigned_abs())
}

impl Mistake {
    /// Every mistake that is looked for.
    pub fn all() -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        all.extend(timing::Timing::ALL.map(Self::Timing));
        all.extend(datapath::Datapath::all().into_iter().map(Self::Datapath));
        all.extend(counters::Counters::all().into_iter().map(Self::Counters));
        all.extend(indices::Indices::all().into_iter().map(Self::Indices));
        all.extend(filters::Filters::all().into_iter().map(Self::Filters));
        all.extend(threads::Threads::ALL.map(Self::Threads));
        all.extend(access::Access::all().into_iter().map(Self::Access));
        all.extend(sampling::Sampling::ALL.map(Self::Sampling));
        all.extend(system::System::all().into_iter().map(Self::System));
        all.extend(inputs::Inputs::all().into_iter().map(Self::Inputs));
        all
    }
}

/// One of the six kinds of hypotheses.
#[derive(Clone)]
enum Candidate {
    Mutant(Mutant),
    Latency(latency::WrongLatency),
    Wiring(wiring::Wiring),
    Stalled(stalled::Stalled),
    Knob(Arc<knobs::Knob>),
    Mistake(Mistake),
}

impl Candidate {
    /// What the RTL does, in words.
    fn text(&self) -> String {
        match self {
            Self::Knob(knob) => format!("RTL behaves as {}", knob.text),
            Self::Latency(latency) => latency.to_string(),
            Self::Wiring(wiring) => wiring.to_string(),
            Self::Stalled(stalled) => stalled.to_string(),
            Self::Mistake(mistake) => mistake.to_string(),
            Self::Mutant(mutant) => mutant.to_string(),
        }
    }
}

/// Tests every hypothesis on a recording: from the last reset that leaves room before the divergence to a little after it. If
/// several explain these cycles, they are tried further on, and if more was recorded before, there as well: from an
/// earlier reset everything is tested again where none is left. What is said explains what the design did on other
/// stimulus, too.
pub fn test(recording: &Recording, implementation: &Implementation) -> Findings {
    let knobs = knobs::all(implementation)
        .into_iter()
        .map(|knob| Candidate::Knob(Arc::new(knob)));
    let mistakes = match Varied::stands_for(implementation) {
        true => Mistake::all(),
        false => Vec::new(),
    };
    let mistakes = mistakes.into_iter().map(Candidate::Mistake);
    let candidates: Vec<_> = knobs.chain(mistakes).collect();
    let others = Others::new(recording.elsewhere.as_deref(), implementation);
    let late = recording.late_start();
    let everywhere: &[Stage] = &[
        |_| mutants::general(),
        |bench| bench.narrower(),
        |bench| bench.narrowest(),
    ];
    let tested = |stretch, stages| tested(stretch, &others, implementation, &candidates, stages);
    let from_late = match tested(recording.stretch(late), everywhere) {
        Err(why) if late == 0 => return Findings::untested(why),
        Ok(found) if late == 0 => return found.1,
        from_late => from_late.ok(),
    };
    let all = recording.stretch(0);
    let are_refuted = matches!(&from_late, Some((explaining, _)) if explaining.is_empty());
    let tried = from_late.as_ref().map_or(0, |(_, found)| found.tested);
    // What explains the cycles from a late reset on, explains those before it too, or something else does.
    if let Some((explaining, found)) = from_late
        && !explaining.is_empty()
        && let Ok(bench) = Bench::new(all, implementation)
    {
        let count = explaining.len();
        let confirmed = bench.tested(explaining);
        if confirmed.explaining.len() == count {
            return Findings {
                elsewhere: found.elsewhere,
                ..bench.findings(found.tested, &confirmed)
            };
        }
    }
    // A mutant that is refuted behind a reset stays so, unless what it does to a reset lets something stay from before.
    let of_resets: &[Stage] = &[|_| mutants::of_resets()];
    let left = match are_refuted {
        true => of_resets,
        false => everywhere,
    };
    let found = tested(all, left).map_or_else(Findings::untested, |found| found.1);
    Findings {
        tested: found.tested.max(tried),
        ..found
    }
}

/// Mutants that are tried where those before explain nothing.
type Stage = fn(&Bench<'_>) -> Vec<Mutant>;

/// Those of `candidates` that explain a stretch and other stimulus, and what is said of them; where none does, those of
/// mutants, stage by stage.
fn tested(
    stretch: Stretch<'_>,
    others: &Others<'_>,
    implementation: &Implementation,
    candidates: &[Candidate],
    stages: &[Stage],
) -> Result<(Vec<Candidate>, Findings), &'static str> {
    let near = Bench::new(stretch.near(), implementation)?;
    let is_longer = stretch.inputs.len() > near.stretch.inputs.len();
    let far = LazyCell::new(|| match is_longer {
        true => Bench::new(stretch, implementation).ok(),
        false => None,
    });
    let latency = latency::WrongLatency::find(&near).map(Candidate::Latency);
    let mut number = number_of(candidates);
    let mut tested = near.tested(candidates.to_vec());
    tested.explaining.splice(0..0, latency);
    if tested.explaining.is_empty()
        && let Some(field) = wiring::Wiring::of_one(&near)
    {
        let found = wiring::Wiring::find(&near, field);
        number += wiring::Wiring::tried(field);
        tested
            .explaining
            .extend(found.into_iter().map(Candidate::Wiring));
    }
    let mut bench = &near;
    if !tested.explaining.is_empty()
        && let Some(far) = &*far
    {
        bench = far;
        tested = far.tested(tested.explaining);
    }
    tested.explaining.retain(|candidate| match candidate {
        Candidate::Wiring(wiring) => wiring.is_told(bench),
        _ => true,
    });
    let mut refuted = None;
    others.keep(&mut tested.explaining, &mut refuted);
    if !tested.explaining.is_empty() || !Plain::stands_for(implementation) {
        let findings = others.findings(bench, number, &tested, refuted);
        return Ok((tested.explaining, findings));
    }
    // What the mistakes that somebody thought of do not explain, one made anywhere may.
    for stage in stages {
        let mutants = stage(&near);
        number += mutants.len();
        let mut found = near.tested(mutants.into_iter().map(Candidate::Mutant).collect());
        tested.near.append(&mut found.near);
        if found.explaining.is_empty() {
            continue;
        }
        let mut last = &near;
        if let Some(far) = &*far {
            last = far;
            found = far.tested(found.explaining);
        }
        others.keep(&mut found.explaining, &mut refuted);
        let telling = last.differing + others.differing(&found.explaining);
        found.explaining = mutants::said(found.explaining, telling);
        if !found.explaining.is_empty() {
            let findings = others.findings(last, number, &found, None);
            return Ok((found.explaining, findings));
        }
        tested.near.extend(found.near);
    }
    let stalled = stalled::Stalled::all(&near).into_iter();
    let stalled: Vec<_> = stalled.map(Candidate::Stalled).collect();
    number += stalled.len();
    let mut found = near.tested(stalled);
    if !found.explaining.is_empty() {
        let last = far.as_ref().unwrap_or(&near);
        found = last.tested(found.explaining);
        others.keep(&mut found.explaining, &mut refuted);
        if !found.explaining.is_empty() {
            let findings = others.findings(last, number, &found, None);
            return Ok((found.explaining, findings));
        }
    }
    let findings = others.findings(bench, number, &tested, refuted);
    Ok((Vec::new(), findings))
}

/// How many hypotheses are tested with `candidates`: latencies that fit are found, and not given.
fn number_of(candidates: &[Candidate]) -> usize {
    latency::TRIED + candidates.len()
}
