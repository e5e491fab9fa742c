//! Runs a mutant against the model, and has a divergence explained as `lockstep run` does.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pmu_lockstep::diagnosis;
use pmu_lockstep::location::{LocationError, Mended, Netlist, Suspect, Trial, Tried, locate};
use pmu_lockstep::lockstep::engine::Control;
use pmu_lockstep::lockstep::{Lockstep, Outcome as Ended};
use pmu_lockstep::report::{self, RunFacts};
use pmu_lockstep::stimulus::{Generator, Profile, StimulusError};
use pmu_model::Implementation;

use crate::Error;
use crate::build::{Design, netlist};
use crate::draw::stimulus_seed;
use crate::record::{CAUSES, Cause, Killed, Location, Outcome};
use crate::truth::first_miss;

/// A mutant that takes longer to be found is alive.
pub const CYCLES: u64 = 1_000_000;

/// Places that are kept of a mutant.
const SHOWN: usize = 10;

/// Runs mutant `number` of `seed`, the source of which is asked for where it diverges; with `places_alone`, hypotheses are not.
///
/// # Errors
/// It cannot be run, or its divergence not be explained.
pub fn hunt(
    design: &Design,
    implementation: &Implementation,
    seed: u64,
    number: usize,
    places_alone: bool,
    source: &dyn Fn() -> Result<PathBuf, Error>,
) -> Result<Outcome, Error> {
    let stimulus = stimulus_seed(seed, number, 0);
    let generator = Generator::new(stimulus, implementation, &Profile::default())?;
    let mut run = Lockstep::new(implementation, design.instance()?, generator.into(), 1)?;
    let ended = run.run(CYCLES, &Control::default(), |_| Ok::<_, StimulusError>(()))?;
    let divergence = match ended {
        Ended::Agree => return Ok(Outcome::Alive),
        Ended::Diverged(divergence) => divergence,
        Ended::Stopped { cycle, stop } => {
            let why = stop.to_string();
            return Ok(Outcome::Stopped { cycle, why });
        }
        Ended::Interrupted => return Err("interrupted".into()),
    };
    let mut again = || design.instance().map_err(|error| error.to_string());
    // Nothing is traced: cycle, field and causes need no waveform.
    let replay = diagnosis::replay(&run, &divergence, &mut again, Path::new("none.vcd"))?;
    if places_alone {
        let (locations, seconds) = locations(design, &replay, implementation, source, None)?;
        return Ok(Outcome::Killed(Killed {
            cycle: divergence.cycle,
            field: divergence.root().field.signal(),
            causes: Vec::new(),
            brief: String::new(),
            locations,
            seconds,
        }));
    }
    let facts = RunFacts {
        seed: Some(stimulus),
        stimulus: String::new(),
        implementation: implementation.name.clone(),
        rtl: format!("mutant {number} of seed {seed}"),
        replay: String::new(),
    };
    let report = report::report(
        &divergence,
        &replay,
        implementation,
        run.ledger(),
        facts,
        Vec::new(),
    );
    let mut causes = Vec::new();
    let few = report.hypotheses.explaining.len() <= CAUSES;
    let mut is_found = false;
    for hypothesis in &report.hypotheses.explaining {
        let mut cause = Cause {
            text: hypothesis.text.clone(),
            miss: None,
            checked: few || !is_found,
        };
        if cause.checked {
            let other = stimulus_seed(seed, number, 1);
            cause.miss = first_miss(hypothesis, design, implementation, other)?;
            is_found |= cause.is_true();
        }
        causes.push(cause);
    }
    let checks = causes.is_empty().then(|| stimulus_seed(seed, number, 2));
    let (locations, seconds) = locations(design, &replay, implementation, source, checks)?;
    Ok(Outcome::Killed(Killed {
        cycle: report.cycle,
        causes,
        brief: report.hypotheses.brief(),
        locations,
        seconds,
        field: report.headline.field,
    }))
}

/// The places that would be named, the most suspicious first, and the seconds that it took to find them; none if Verilator does
/// not describe the design. Changes that are said to be the cause are checked on stimulus from seed `other` on: where hypotheses
/// explain it, or are not looked for, none is.
fn locations(
    design: &Design,
    replay: &diagnosis::Replay,
    implementation: &Implementation,
    source: &dyn Fn() -> Result<PathBuf, Error>,
    other: Option<u64>,
) -> Result<(Option<Vec<Location>>, f64), Error> {
    let source = source()?;
    let start = Instant::now();
    let netlist = netlist(&source);
    fs::remove_dir_all(&source)?;
    let Some(netlist) = netlist? else {
        return Ok((None, 0.0));
    };
    let folder = tempfile::tempdir()?;
    let mut dut = design.traced()?;
    let recording = &replay.recording;
    let located = locate(
        recording,
        implementation,
        &mut *dut,
        &netlist,
        Trial::of_report(other.is_none()),
        folder.path(),
    );
    let suspects = match located {
        // It diverged before; other stimulus ends it.
        Err(LocationError::Stop(_)) => Vec::new(),
        located => located?,
    };
    let seconds = start.elapsed().as_secs_f64();
    let suspects: Vec<_> = suspects.into_iter().take(SHOWN).collect();
    let said = |suspect: &&Suspect| suspect.repair.as_ref().is_some_and(Mended::is_cause);
    let said = suspects.iter().filter(said);
    let said: Vec<_> = said.filter_map(|suspect| suspect.repair.as_ref()).collect();
    let mut causes = match other {
        Some(other) => checked(&said, design, implementation, &netlist, other)?,
        None => Vec::new(),
    }
    .into_iter();
    let locations = suspects.iter().map(|suspect| {
        let name = suspect.place.file.rsplit('/').next().unwrap_or_default();
        let mended = suspect.repair.as_ref();
        Location {
            file: name.to_owned(),
            line: suspect.place.first as usize,
            last_line: suspect.place.last as usize,
            cause: mended
                .filter(|mended| mended.is_cause())
                .and_then(|_| causes.next()),
            signal: suspect.signal.clone(),
            repair: mended.map(|mended| mended.text.clone()),
        }
    });
    Ok((Some(locations.collect()), seconds))
}

/// Runs of other stimulus, of 4,096 cycles each, that a change of the RTL is tried on: 10^6 cycles.
const RUNS: usize = 245;

/// Changes that are said to be the cause, on stimulus that they were not tried on.
fn checked(
    said: &[&Mended],
    design: &Design,
    implementation: &Implementation,
    netlist: &Netlist,
    seed: u64,
) -> Result<Vec<Cause>, Error> {
    if said.is_empty() {
        return Ok(Vec::new());
    }
    let folder = tempfile::tempdir()?;
    let trial = Trial {
        seed,
        runs: RUNS,
        each: u64::MAX,
        all: u64::MAX,
    };
    let mut dut = design.traced()?;
    let tried = Mended::tried_on(
        said,
        trial,
        implementation,
        &mut *dut,
        netlist,
        folder.path(),
    );
    let tried = match tried {
        Err(LocationError::Stop(_)) => vec![Tried::Open; said.len()],
        tried => tried?,
    };
    let causes = said.iter().zip(tried).map(|(mended, tried)| Cause {
        text: mended.text.clone(),
        miss: match tried {
            Tried::Wrong { cycle, .. } => Some(cycle as u64),
            _ => None,
        },
        checked: tried != Tried::Open,
    });
    Ok(causes.collect())
}
