//! `lockstep run` and `lockstep replay`.

use std::cell::RefCell;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::Args;
use pmu_model::Implementation;
use pmu_model::implementation::RandomBytes;

use super::against::{self, Pair};
use super::args::RtlArgs;
use super::coverage;
use super::end::End;
use super::initial_states::{InitialStates, MOST_STATES};
use super::kept::{keep_printed, printed_by_design};
use super::locate::Scene;
use super::progress::{Building, Progress};
use super::recorded;
use super::rtl_coverage::Counting;
use super::running::{
    DesignArgs, load_waivers, nothing_compared, open_failure, open_recorded, quoted,
    stimulus_failure, waivers_on,
};
use super::shortest::Case;
use super::summary::{ReportTime, StopSummary, Summary};
use crate::cli::ledger_summary::LedgerSummary;
use crate::cli::output;
use crate::cli::output_folder::{Draft, OutputFolder};
use crate::cli::places::{Places, is_one_file};
use crate::cli::report_files::{self, WindowArgs};
use crate::cli::{DEFAULT_CYCLES, Failure};
use crate::diagnosis::{self, replay::ReplayError};
use crate::dut::{
    BuildOptions, CYCLE_NS, Covered, Dut, OpenError, Rtl, RtlSource, StopKind, WithoutTrace,
    check_knobs, open,
};
use crate::implementation_file;
use crate::interrupt;
use crate::isolation::{Facts, Replay, sandbox_report, settled, tell};
use crate::location::Trial;
use crate::lockstep::engine::Control;
use crate::lockstep::supervise::{Supervised, supervise};
use crate::lockstep::waivers::{Day, Waivers};
use crate::lockstep::{Divergence, Lockstep, Outcome, Verdict};
use crate::report::{self, File, Location, Report, RunFacts, html};
use crate::scratch::folder_of;
use crate::stimulus::{Generator, Profile, Stimulus, StimulusHash, StimulusHasher, Writer};

/// Arguments of `run`.
#[derive(Args)]
pub struct RunArgs {
    /// Seed of the stimulus
    #[arg(long, default_value_t = 1, conflicts_with = "stimulus", value_parser = crate::cli::number::<u64>(0, u64::MAX))]
    seed: u64,
    /// Run this recorded stimulus instead of generating one
    #[arg(long, value_name = "FILE")]
    stimulus: Option<PathBuf>,
    /// Cycles to run [default: 1000000; a recorded stimulus to its end]
    #[arg(long, value_parser = crate::cli::number::<u64>(1, u64::MAX))]
    cycles: Option<u64>,
    /// Mix of the generated stimulus: threshold, spe, access, cycles, spmu, mixed, or a TOML file [default: mixed]
    #[arg(long, value_name = "NAME|FILE.toml", conflicts_with = "stimulus")]
    profile: Option<String>,
    /// Write the stimulus to a file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    common: CommonArgs,
}

impl RunArgs {
    /// Whether the result is wanted as JSON.
    pub fn json(&self) -> bool {
        self.common.json
    }
}

impl ReplayArgs {
    /// Whether the result is wanted as JSON.
    pub fn json(&self) -> bool {
        self.common.json
    }
}

/// Arguments of `replay`.
#[derive(Args)]
pub struct ReplayArgs {
    /// A recorded stimulus, or a capsule of a failure, as `lockstep regress` and `merge` write them
    #[arg(value_name = "FILE")]
    pub(super) stimulus: PathBuf,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

#[derive(Args, Clone)]
pub(super) struct CommonArgs {
    /// Features, sizes and knobs (TOML) [default: everything, 31 counters; that of a recorded stimulus]
    #[arg(long, value_name = "FILE.toml")]
    pub(super) implementation: Option<PathBuf>,
    #[command(flatten)]
    pub(super) rtl: RtlArgs,
    /// Folder for the report of a divergence
    #[arg(long, value_name = "DIR", default_value = crate::cli::DEFAULT_OUT)]
    pub(super) out: PathBuf,
    #[command(flatten)]
    window: WindowArgs,
    #[command(flatten)]
    pub(super) hang: DesignArgs,
    /// Differences that are accepted for some time (TOML); one that has expired, or is not needed, is a failure
    #[arg(long, value_name = "FILE.toml")]
    pub(super) waivers: Option<PathBuf>,
    /// Compare with this design instead of the model: a folder of `lockstep build`, RTL as for --rtl, a file list
    /// (.f), or bundled
    #[arg(long, value_name = "DUT", conflicts_with_all = ["coverage", "rtl_coverage", "threads", "keep_going", "init"])]
    pub(super) against: Option<PathBuf>,
    /// Run the same from N other initial states of the design as well, whose registers begin with random values instead of
    /// zeros: a difference is a divergence. The RTL as files, or bundled; another build
    #[arg(long, value_name = "N", value_parser = states)]
    pub(super) init: Option<NonZeroU32>,
    /// Go on after a divergence, from the next reset on, and list what diverges there in other fields
    #[arg(long)]
    keep_going: bool,
    /// Look for the places of the RTL that a divergence may come from: some seconds more, and the RTL as files, or bundled
    #[arg(long, conflicts_with = "against")]
    locate: bool,
    /// Do not look for the shortest stimulus that fails: five seconds at most
    #[arg(long)]
    no_shrink: bool,
    /// Count which rules and crosses the run takes, and write them (JSON, for `lockstep plan`); slower
    #[arg(long, value_name = "FILE")]
    coverage: Option<PathBuf>,
    /// Count which lines of the RTL run, which branches are taken and which bits change (Verilator's coverage), and write
    /// that to coverage.dat in the folder of --out; another build, and slower
    #[arg(long)]
    rtl_coverage: bool,
    /// Write the result as an HTML page: how the run ended, what it was, what was compared; of a divergence the report. Not with --against
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Threads of the run: with 2 the design has one of its own [default: 2 if there are so many cores]
    #[arg(long, value_name = "N", value_parser = crate::cli::number::<u8>(1, 2))]
    threads: Option<u8>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// A number of initial states.
fn states(text: &str) -> Result<NonZeroU32, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (1..=MOST_STATES).contains(number));
    number
        .and_then(NonZeroU32::new)
        .ok_or_else(|| format!("expected a number from 1 to {MOST_STATES}"))
}

impl CommonArgs {
    pub(super) fn options(&self) -> Result<BuildOptions, Failure> {
        self.hang.options(Some(&self.out))
    }

    fn threads(&self) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or(cores.min(2), usize::from)
    }
}

/// Runs RTL and model side by side.
pub(super) fn run(args: &RunArgs) -> Result<Verdict, Failure> {
    if let Some(path) = &args.stimulus {
        let mut job = Job::recorded(path, &args.common)?;
        job.limit = args.cycles.unwrap_or(job.limit);
        job.record = args.record.as_deref();
        return job.run();
    }
    let implementation =
        implementation_file::load(args.common.implementation.as_deref()).map_err(Failure::input)?;
    let profile = match &args.profile {
        Some(word) => Profile::load(word).map_err(Failure::input)?,
        None => Profile::default(),
    };
    let generator = Generator::new(args.seed, &implementation, &profile).map_err(Failure::input)?;
    let mut replay = format!("lockstep run --seed {}", args.seed);
    if let Some(word) = &args.profile {
        replay.push_str(&format!(" --profile {}", quoted(word)));
    }
    Job {
        stimulus: generator.into(),
        rtl: args.common.rtl.source()?,
        implementation,
        limit: args.cycles.unwrap_or(DEFAULT_CYCLES),
        replay,
        read: None,
        profile: args.profile.as_ref().map(Path::new),
        record: args.record.as_deref(),
        options: args.common.options()?,
        again: None,
        common: &args.common,
    }
    .run()
}

/// Runs a recorded stimulus again.
pub(super) fn replay(args: &ReplayArgs) -> Result<Verdict, Failure> {
    Job::recorded(&args.stimulus, &args.common)?.run()
}

/// How long the comparison of what a design completed before it hung may take.
const LAST_BATCH: Duration = Duration::from_secs(2);

/// A design, or why it cannot be had.
type Opened = Result<Box<dyn Dut>, OpenError>;

/// What came of a run from one initial state.
struct Ran {
    lockstep: Lockstep,
    hash: StimulusHash,
    outcome: Outcome,
    seconds: f64,
    /// What is counted of the RTL.
    counting: Option<Counting>,
}

/// An initial state, if it was not interrupted there, and what came of the run from it.
type FromState = (Option<NonZeroU32>, Ran);

/// What a run of a capsule is told of it.
pub(super) struct Again {
    /// The path of the capsule.
    pub path: PathBuf,
    /// The day on which waivers are judged.
    pub day: Day,
    /// The cycle that is cycle 0 of the stimulus, for conditions of waivers.
    pub first: u64,
    /// Whether its design is the copy in the capsule.
    pub copied: bool,
    /// Divergence and stops leave here what they are.
    pub found: RefCell<Found>,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The cycle.
    pub cycle: Option<u64>,
    /// The root field, and the two values of it.
    pub field: Option<[String; 3]>,
}

/// Runs the stimulus of a capsule that is unpacked.
pub(super) fn again(
    stimulus: &Path,
    common: &CommonArgs,
    again: &Again,
) -> Result<Verdict, Failure> {
    let mut job = Job::recorded(stimulus, common)?;
    job.replay = format!(
        "lockstep replay {}",
        quoted(&again.path.display().to_string())
    );
    job.again = Some(again);
    job.run()
}

/// One run.
struct Job<'a> {
    implementation: Implementation,
    rtl: RtlSource,
    stimulus: Stimulus,
    limit: u64,
    /// The start of the command that does the same.
    replay: String,
    /// The file of the stimulus, if there is one.
    read: Option<&'a Path>,
    /// The file of the profile, if it is one.
    profile: Option<&'a Path>,
    /// Where the stimulus is recorded.
    record: Option<&'a Path>,
    /// How the design is built and loaded.
    options: BuildOptions,
    /// The capsule that it is of.
    again: Option<&'a Again>,
    common: &'a CommonArgs,
}

impl<'a> Job<'a> {
    fn recorded(path: &'a Path, common: &'a CommonArgs) -> Result<Self, Failure> {
        let (reader, implementation) = open_recorded(path, common.implementation.as_deref())?;
        Ok(Self {
            implementation,
            rtl: common.rtl.source()?,
            stimulus: reader.into(),
            limit: u64::MAX,
            replay: format!("lockstep replay {}", quoted(&path.display().to_string())),
            read: Some(path),
            profile: None,
            record: None,
            options: common.options()?,
            again: None,
            common,
        })
    }

    /// What is read and written.
    fn places(&self) -> Places {
        let common = self.common;
        // It is left as it is if it is what runs, and read again until then.
        let is_run = |name: &str| {
            let path = common.out.join(name);
            self.read.is_some_and(|read| is_one_file(read, &path))
        };
        let names = report_files::NAMES.into_iter();
        let names = names.filter(|name| !is_run(name));
        let names = names.chain(
            against::NAMES
                .into_iter()
                .filter(|_| common.against.is_some()),
        );
        let places = Places::new()
            .writes("--record", self.record)
            .writes("--html", common.html.as_deref())
            .writes("--coverage", common.coverage.as_deref())
            .writes_in("--out", &common.out, names)
            .reads("the stimulus", self.read)
            .reads("--profile", self.profile)
            .reads("--implementation", common.implementation.as_deref())
            .reads("--waivers", common.waivers.as_deref());
        common.rtl.reads(places)
    }

    /// The design, which can write a trace to a file if one is named, and the time that it took to build, if it was built.
    fn open_timed(&self, traced: Option<&Path>) -> (Opened, Option<Duration>) {
        self.open_with(self.options.clone(), traced)
    }

    /// The same with other options.
    fn open_with(
        &self,
        options: BuildOptions,
        traced: Option<&Path>,
    ) -> (Opened, Option<Duration>) {
        let mut building = Building::default();
        let options = options.writing(traced.map(Path::to_owned));
        let opened = open(
            &self.rtl,
            &self.implementation,
            traced.is_some(),
            &options,
            &mut |event| building.tell(event),
        );
        (opened, building.seconds())
    }

    fn run(mut self) -> Result<Verdict, Failure> {
        if self.rtl == RtlSource::Bundled {
            check_knobs(&self.implementation).map_err(Failure::input)?;
        }
        if let (Some(_), RtlSource::Built(folder)) = (self.common.init, &self.rtl) {
            return Err(Failure::usage(format!(
                "--init and --dut {}: expected RTL as files, with --filelist or --rtl: other initial states are another build, \
                 which the folder does not have",
                folder.path().display()
            )));
        }
        self.places().check()?;
        let common = self.common;
        let outputs = [
            self.record,
            common.html.as_deref(),
            common.coverage.as_deref(),
        ];
        if outputs
            .into_iter()
            .flatten()
            .any(|path| is_one_file(folder_of(path), &common.out))
        {
            // It is made at once, since one of the files asked for is in it.
            OutputFolder::shared(&common.out)?;
        }
        if let Some(path) = &self.common.coverage {
            output::check(path)?;
        }
        if self.common.html.is_some() && self.common.against.is_some() {
            return Err(Failure::usage(
                "--html and --against: expected one of them; a run of two designs has no page, it leaves against.json and the \
                 waveforms of both in the folder of --out",
            ));
        }
        if let Some(path) = &self.common.html {
            output::check(path)?;
            // What an earlier run left would be taken for this one's.
            if path.is_file() {
                std::fs::remove_file(path).map_err(|error| output::failed(path, &error))?;
            }
        }
        let waivers = self.common.waivers.as_deref();
        let waivers = match self.again {
            Some(again) => waivers_on(waivers, again.day)?.from_cycle(again.first),
            None => load_waivers(waivers)?,
        };
        self.tell_facts();
        if let Some(second) = &self.common.against {
            if self.record.is_some() {
                return Err(Failure::usage(
                    "--record and --against: expected one of them; record the stimulus in a run without --against",
                ));
            }
            let second = against::second(second, &self.rtl)?;
            return Pair {
                implementation: &self.implementation,
                sources: [self.rtl.clone(), second],
                stimulus: self.stimulus.clone(),
                limit: self.limit,
                waivers,
                out: &self.common.out,
                hang: &self.common.hang,
                command: &|cycles| self.command(cycles),
                json: self.common.json,
                read: self.read,
            }
            .run();
        }
        let out = OutputFolder::new(&self.common.out)?;
        report_files::remove(&out, self.read)?;
        keep_printed(Some(&out));
        let _offered = (self.rtl != RtlSource::Bundled).then(|| out.offer());
        let interrupted = Control::default().interrupted;
        interrupt::ask(interrupted.clone());
        let counted = match common.rtl_coverage {
            true => Some(out.draft(report_files::RTL_COVERAGE)?),
            false => None,
        };
        let counted = counted.as_ref().map(Draft::path);
        let mut ran = self.run_from(None, counted, &waivers, &interrupted)?;
        // What the others count is of no run that was asked for.
        let counting = ran.counting.take();
        let mut states = None;
        if let Some(count) = self.common.init
            && matches!(ran.outcome, Outcome::Agree | Outcome::Diverged(_))
        {
            let (found, other) = self.try_states(count, &mut ran, &waivers, &interrupted)?;
            states = Some(found);
            if let Some((start, other)) = other {
                ran = other;
                // What follows is about this state.
                self.options = self.options.starting_from(start);
                self.tell_state(start);
            }
        }
        if let (Outcome::Interrupted, Some(path)) = (&ran.outcome, self.record) {
            output::note(&format!(
                "{} was not written: a recording is that of a whole run",
                path.display()
            ));
        }
        self.conclude(ran, states, counting, &out)
    }

    /// Runs from the other initial states as far as it takes to tell whether what is found is that of `zeros`.
    ///
    /// # Returns
    /// What was found; where `zeros` agrees, the first run that does not, and its state, or one that was interrupted.
    fn try_states(
        &self,
        count: NonZeroU32,
        zeros: &mut Ran,
        waivers: &Waivers,
        interrupted: &Arc<AtomicBool>,
    ) -> Result<(InitialStates, Option<FromState>), Failure> {
        let mut states = InitialStates::new(count, &zeros.outcome);
        let agrees = matches!(zeros.outcome, Outcome::Agree);
        let mut first = None;
        for state in 1..=count.get() {
            let start = NonZeroU32::new(state);
            self.tell_state(start);
            let ran = self.run_from(start, None, waivers, interrupted)?;
            let is_interrupted = matches!(ran.outcome, Outcome::Interrupted);
            if is_interrupted && agrees && first.is_none() {
                first = Some((None, ran));
                break;
            } else if is_interrupted {
                break;
            }
            zeros.lockstep.credit(&ran.lockstep);
            let differs = states.enter(state, &ran.outcome);
            if differs && agrees && first.is_none() {
                first = Some((start, ran));
            }
        }
        self.tell_state(None);
        Ok((states, first))
    }

    /// What a report says of a run from an initial state, however it ends.
    fn tell_state(&self, start: Option<NonZeroU32>) {
        tell(|facts| {
            facts.during = start.map(|state| format!("the run from initial state {state}"));
            facts.replay = Some(self.replay_from(start));
        });
    }

    /// A design that counts coverage of its RTL, which goes to the file `draft`.
    fn open_counting(
        &self,
        options: BuildOptions,
        draft: &Path,
    ) -> Result<(Box<dyn Dut>, Counting), OpenError> {
        let mut building = Building::default();
        let options = options.covering(true).writing([draft.to_owned()]);
        let (source, implementation) = (&self.rtl, &self.implementation);
        let rtl = Rtl::load(source, implementation, false, &options, &mut |event| {
            building.tell(event);
        })?;
        let dut = Covered::new(rtl.instance()?, draft.to_owned());
        let counting = Counting {
            draft: draft.to_owned(),
            written: dut.written(),
            names: rtl.file_names(),
        };
        Ok((Box::new(dut), counting))
    }

    /// Runs from an initial state of the design, zeros without one: the whole of the run. What it counts of its RTL goes to
    /// the file `counted`, if there is one.
    fn run_from(
        &self,
        start: Option<NonZeroU32>,
        counted: Option<&Path>,
        waivers: &Waivers,
        interrupted: &Arc<AtomicBool>,
    ) -> Result<Ran, Failure> {
        let options = self.options.clone().starting_from(start);
        let (dut, counting) = match counted {
            Some(draft) => self
                .open_counting(options, draft)
                .map(|(dut, counting)| (dut, Some(counting))),
            None => self.open_with(options, None).0.map(|dut| (dut, None)),
        }
        .map_err(open_failure)?;
        let is_counting = counting.is_some();
        let pulse = dut.pulse();
        let control = Control {
            interrupted: interrupted.clone(),
            ..Control::default()
        };
        // The other runs are of the same stimulus.
        let mut recorder = match self.record.filter(|_| start.is_none()) {
            Some(path) => Some(
                Writer::create(path, &self.implementation, self.stimulus.origin())
                    .map_err(stimulus_failure)?,
            ),
            None => None,
        };
        let total = self
            .stimulus
            .cycles()
            .map_or(self.limit, |cycles| cycles.min(self.limit));
        let mut lockstep = Lockstep::new(
            &self.implementation,
            dut,
            self.stimulus.clone(),
            self.common.threads(),
        )
        .map_err(Failure::input)?;
        if self.common.coverage.is_some() {
            lockstep.cover();
        }
        if self.common.keep_going {
            lockstep.keep_going();
        }
        lockstep.accept(waivers.clone());
        let progress = Progress::new(total, "cycles", control.progress.clone());
        let limit = self.limit;
        let start = Instant::now();
        let patience = self.common.hang.limit();
        let ended = supervise(&pulse, patience, interrupted, move || {
            let mut hasher = StimulusHasher::default();
            let mut seen = 0;
            let mut outcome = lockstep.run(limit, &control, |inputs| {
                hasher.update(inputs);
                seen += inputs.len() as u64;
                recorder
                    .as_mut()
                    .map_or(Ok(()), |recorder| recorder.append(inputs))
            });
            if let Ok(Outcome::Agree) = outcome
                && let Err(stop) = lockstep.finish()
            {
                // All cycles agree, and the run is none all the same.
                let cycle = lockstep.cycles();
                outcome = Ok(Outcome::Stopped { cycle, stop });
            }
            let recorded = match (&outcome, recorder) {
                // A file under the name that was asked for is a whole run.
                (Ok(Outcome::Interrupted) | Err(_), _) | (_, None) => Ok(()),
                (Ok(Outcome::Stopped { stop, .. }), _) if stop.died() => Ok(()),
                (Ok(Outcome::Diverged(found)), Some(mut recorder)) => {
                    recorded::go_on(&mut recorder, &lockstep, seen, found.cycle)
                        .and_then(|()| recorder.finish().map(|_| ()))
                }
                (Ok(_), Some(recorder)) => recorder.finish().map(|_| ()),
            };
            let outcome = match (outcome, recorded) {
                // A divergence is worth more than its recording.
                (Ok(Outcome::Diverged(found)), Err(error)) => {
                    output::note(&error.to_string());
                    Ok(Outcome::Diverged(found))
                }
                (outcome, recorded) => outcome.and_then(|outcome| recorded.map(|()| outcome)),
            };
            if is_counting {
                // It writes what it has counted, however the run has ended; a stop on the way is none of the run's.
                let _ = lockstep.finish();
            }
            (lockstep, hasher.hash(), outcome)
        });
        let seconds = start.elapsed().as_secs_f64();
        drop(progress);
        match ended {
            Supervised::Panicked(message) => Err(Failure::defect(&message)),
            Supervised::Hang { cycles, rest } => {
                let end = End::hang(cycles, patience);
                // With its process, the wait for it ends: what it completed is compared.
                settled();
                match rest.recv_timeout(LAST_BATCH) {
                    Ok((lockstep, hash, Ok(outcome @ Outcome::Diverged(_)))) => {
                        output::note(&format!("after that, {}", end.into_message()));
                        Ok(Ran {
                            lockstep,
                            hash,
                            outcome,
                            seconds,
                            counting,
                        })
                    }
                    _ => Err(end.into()),
                }
            }
            Supervised::Interrupted { cycles } => Err(End::interrupted_hang(cycles).into()),
            Supervised::Done((lockstep, hash, outcome)) => Ok(Ran {
                lockstep,
                hash,
                outcome: outcome.map_err(stimulus_failure)?,
                seconds,
                counting,
            }),
        }
    }

    fn conclude(
        &self,
        ran: Ran,
        initial_states: Option<InitialStates>,
        counting: Option<Counting>,
        out: &OutputFolder,
    ) -> Result<Verdict, Failure> {
        let Ran {
            lockstep,
            hash: stimulus_hash,
            outcome,
            seconds,
            ..
        } = ran;
        let lockstep = &lockstep;
        let so_far = match &outcome {
            Outcome::Diverged(_) => Verdict::Divergence,
            Outcome::Stopped { stop, .. } => stop.verdict(),
            Outcome::Agree | Outcome::Interrupted => Verdict::Agree,
        };
        let coverage = match (&self.common.coverage, lockstep.coverage()) {
            (Some(path), Some(found)) => output::beside(so_far, coverage::write(path, found))?,
            _ => None,
        };
        let rtl_coverage = match counting {
            Some(counting) => output::beside(so_far, counting.keep(out))?,
            None => None,
        };
        let sampling = lockstep.ledger_at_divergence().sampling();
        let demanded = self.demands_random_bytes();
        // What the design's C code has printed is there when its process has ended.
        let late = settled();
        let mut summary = Summary {
            verdict: Verdict::Agree,
            exit_code: 0,
            random_generator: sampling.as_ref().and_then(|it| it.finding(demanded)),
            cycles: lockstep.cycles(),
            seconds,
            cycles_per_second: lockstep.cycles() as f64 / seconds,
            seed: self.stimulus.seed(),
            stimulus: self.stimulus.description(),
            stimulus_hash,
            implementation: self.implementation.name.clone(),
            counters: self.implementation.pmu.counters,
            rtl: self.rtl.describe(),
            ledger: LedgerSummary::of(lockstep.ledger()),
            sampling,
            initial_states,
            coverage,
            rtl_coverage,
            printed: printed_by_design(),
            stop: None,
            divergence: None,
            report: None,
            sandbox: sandbox_report(),
            signal: match outcome {
                Outcome::Interrupted => interrupt::signal(),
                _ => None,
            },
        };
        match outcome {
            Outcome::Agree if summary.ledger.total.compared == 0 => {
                return Err(nothing_compared(
                    lockstep.cycles(),
                    lockstep.latency(),
                    &summary.ledger,
                ));
            }
            Outcome::Agree => {
                if let Some(death) = late {
                    return Err(End::late(&death)
                        .with_printed(summary.printed.clone())
                        .into());
                }
                summary.verdict = summary.agreed(demanded);
            }
            Outcome::Interrupted => summary.verdict = Verdict::Interrupted,
            Outcome::Stopped { cycle, stop } if stop.died() => {
                let end = End::stop(&stop, cycle).with_printed(summary.printed.clone());
                return Err(end.into());
            }
            Outcome::Stopped { cycle, stop } => {
                summary.verdict = stop.verdict();
                self.tell_found(Some(cycle), None);
                let mut end = End::stop(&stop, cycle).with_printed(summary.printed.clone());
                end.write(out);
                summary.stop = Some(StopSummary {
                    cycle,
                    time_ns: CYCLE_NS * cycle,
                    replay: self.command(cycle + 1),
                    report: end.report().cloned(),
                    stop,
                });
            }
            Outcome::Diverged(divergence) => {
                summary.verdict = Verdict::Divergence;
                let mut files = Vec::new();
                if let Some(printed) = &summary.printed {
                    files.push(File {
                        what: report_files::PRINTED.0.into(),
                        path: printed.file.clone(),
                    });
                }
                if let Some(covered) = &summary.rtl_coverage {
                    files.push(File {
                        what: "coverage of the RTL".into(),
                        path: covered.file.clone(),
                    });
                }
                let start = Instant::now();
                let finding = summary.initial_states.as_ref();
                let finding = finding.and_then(InitialStates::finding);
                let (report, build) = self.report(lockstep, &divergence, out, files, finding)?;
                let build = build.unwrap_or_default();
                let headline = &report.headline;
                let field = [&headline.field, &headline.expected, &headline.rtl].map(String::clone);
                self.tell_found(Some(report.cycle), Some(field));
                summary.divergence = Some(report);
                summary.report = Some(ReportTime {
                    seconds: start.elapsed().saturating_sub(build).as_secs_f64(),
                    build_seconds: build.as_secs_f64(),
                });
            }
        }
        summary.exit_code = summary.verdict.exit_code();
        if let Some(path) = &self.common.html {
            output::beside(summary.verdict, self.page(&summary, path))?;
        }
        let printed = match &summary.divergence {
            _ if self.common.json => output::print_json(&summary),
            Some(report) => {
                let time = summary.report.as_ref().map(ReportTime::line);
                output::print_report(report, time)
            }
            None => output::print(&summary.text()),
        };
        output::beside(summary.verdict, printed)?;
        if let Some(report) = &summary.divergence {
            report_files::view(report, &self.common.window);
        }
        Ok(summary.verdict)
    }

    fn report(
        &self,
        lockstep: &Lockstep,
        divergence: &Divergence,
        out: &OutputFolder,
        mut files: Vec<File>,
        initial_states: Option<String>,
    ) -> Result<(Report, Option<Duration>), Failure> {
        // A divergence is told, whether or not its files can be written.
        let draft = out.draft(report_files::WINDOW);
        let window = match &draft {
            Ok(draft) => Ok(draft.path().to_owned()),
            Err(failure) => Err(failure.message.clone()),
        };
        tell(|facts| {
            facts.divergence = Some(divergence.cycle);
            facts.during = Some(format!(
                "the re-run of the divergence in cycle {}, in {}",
                divergence.cycle,
                divergence.differences[0].field.name(&divergence.input)
            ));
        });
        let mut build = None;
        let replay = self.run_again(lockstep, divergence, window, &mut build)?;
        let kept = match (draft, replay.window.vcd.is_ok()) {
            (Ok(draft), true) => draft.keep().map(Some),
            // Why there is none is told already.
            _ => Ok(None),
        };
        let (path, not_kept) = match kept {
            Ok(path) => (path, None),
            Err(failure) => (None, Some(failure.message)),
        };
        files.extend(path.map(|path| File {
            what: report::WINDOW.into(),
            path,
        }));
        let facts = RunFacts {
            seed: self.stimulus.seed(),
            stimulus: self.stimulus.description(),
            implementation: self.implementation.name.clone(),
            rtl: self.rtl.describe(),
            replay: self.command(divergence.cycle + 1),
        };
        let mut report = report::report(
            divergence,
            &replay,
            &self.implementation,
            lockstep.ledger_at_divergence(),
            facts,
            files,
        );
        report.notes.extend(not_kept);
        report.further = lockstep.further().cloned();
        if self.common.locate {
            let is_explained = !report.hypotheses.explaining.is_empty();
            match self.locations(&replay, Trial::of_report(is_explained)) {
                Ok(locations) => report.locations = Some(locations),
                Err(why) => report
                    .notes
                    .push(format!("no place in the RTL is named: {why}")),
            }
        }
        let files = [self.read, self.record].into_iter().flatten();
        let taken: Vec<_> = files.map(Path::to_owned).collect();
        let options = recorded::Options {
            // The stimulus has it; that of a capsule is gone when this ends.
            implementation: match self.again {
                Some(_) => None,
                None => self.common.implementation.as_deref(),
            },
            rtl: &self.common.rtl,
            waivers: self.common.waivers.as_deref(),
            out: &self.common.out,
        };
        recorded::leave(
            &mut report,
            &replay,
            &self.implementation,
            out,
            &taken,
            &options,
        );
        if self.again.is_some_and(|again| again.copied) || self.is_waived_by_capsule() {
            // They are in a place that is gone when this ends.
            report.shrink = None;
        }
        let sampling = lockstep.ledger_at_divergence().sampling();
        let finding = sampling.and_then(|it| it.finding(self.demands_random_bytes()));
        report
            .notes
            .splice(0..0, finding.into_iter().chain(initial_states));
        if self.options.start.is_some() {
            // Reducing runs from zeros, where there is no such divergence.
            report.shrink = None;
        }
        self.shorten(&mut report, out);
        report_files::write(&mut report, out, &self.common.window);
        Ok((report, build))
    }

    /// Looks for the shortest stimulus that fails, where one can be had: not if that is what ran.
    fn shorten(&self, report: &mut Report, out: &OutputFolder) {
        let left = report.files.iter();
        let mut left = left.filter(|file| file.what == report_files::STIMULUS.0);
        let shortest = out.file(report_files::SHRUNK[0]);
        let is_run = self.read.is_some_and(|read| is_one_file(read, &shortest));
        let (Some(stimulus), Some(_), false) = (left.next(), &report.shrink, is_run) else {
            return;
        };
        if self.common.no_shrink {
            return;
        }
        tell(|facts| facts.during = Some("the search for the shortest stimulus that fails".into()));
        let found = load_waivers(self.common.waivers.as_deref())
            .map_err(|failure| failure.message)
            .and_then(|waivers| {
                let case = Case {
                    stimulus: &stimulus.path,
                    rtl: &self.rtl,
                    implementation: &self.implementation,
                    options: &self.options,
                    waivers,
                    limit: self.common.hang.limit(),
                    hypotheses: &report.hypotheses,
                };
                case.shortest(out, |path| {
                    let path = quoted(&path.display().to_string());
                    format!("lockstep replay {path}{}", self.common.rtl.command())
                })
            });
        match found {
            Ok((found, path)) => {
                report.files.push(File {
                    what: "shrunk".to_owned(),
                    path,
                });
                report.shortest = Some(found);
            }
            Err(why) => report.notes.push(format!("no shorter stimulus: {why}")),
        }
    }

    /// The cycles around `divergence` once more, with the waveform `window`, if there can be one; where that ends before,
    /// without one. However that ends, the divergence stands. `build` is told how long a build with tracing takes.
    fn run_again(
        &self,
        lockstep: &Lockstep,
        divergence: &Divergence,
        window: Result<PathBuf, String>,
        build: &mut Option<Duration>,
    ) -> Result<diagnosis::Replay, Failure> {
        let without = |why: String| -> Result<Box<dyn Dut>, String> {
            let untraced = self.open_timed(None).0.map_err(|error| error.to_string())?;
            Ok(Box::new(WithoutTrace::new(untraced, why)))
        };
        let mut traced = || {
            let window = match &window {
                Ok(window) => window,
                Err(why) => return without(why.clone()),
            };
            let (opened, built) = self.open_timed(Some(window));
            *build = build.or(built);
            opened.or_else(|why| without(why.to_string()))
        };
        let path = window.as_deref().unwrap_or(Path::new(""));
        let error = match diagnosis::replay(lockstep, divergence, &mut traced, path) {
            Ok(replay) => return Ok(replay),
            Err(ReplayError::Stimulus(error)) => return Err(stimulus_failure(error)),
            Err(error) => error,
        };
        let (how, hangs) = match &error {
            ReplayError::Stop(stop) if stop.ended_its_process() => {
                let end = End::stop(stop, divergence.cycle);
                (end.into_message(), false)
            }
            ReplayError::Stop(stop) => (error.to_string(), stop.kind == StopKind::Hang),
            _ => (error.to_string(), false),
        };
        if !hangs {
            let mut untraced = || without(how.clone());
            if let Ok(replay) = diagnosis::replay(lockstep, divergence, &mut untraced, path) {
                return Ok(replay);
            }
        }
        Ok(diagnosis::Replay::ended(lockstep, divergence, how))
    }

    /// The places of the RTL that the divergence may come from; why there are none.
    fn locations(&self, replay: &diagnosis::Replay, trial: Trial) -> Result<Vec<Location>, String> {
        let scene = Scene {
            rtl: &self.rtl,
            implementation: &self.implementation,
            options: &self.options,
            recording: &replay.recording,
            trial,
        };
        tell(|facts| facts.during = Some("the runs that look for its place".to_owned()));
        scene.locations(|folder| self.open_timed(Some(folder)).0)
    }

    /// Writes the result as a page, a divergence as its report.
    fn page(&self, summary: &Summary, path: &Path) -> Result<(), Failure> {
        let page = match &summary.divergence {
            Some(report) => {
                let folder = path
                    .parent()
                    .filter(|folder| !folder.as_os_str().is_empty());
                html::page_in(report, Some(folder.unwrap_or(Path::new("."))))
            }
            None => {
                let again = self.replay_from(self.common.init);
                html::run_page(&summary.page(again.command(summary.cycles)))
            }
        };
        let page = page.map_err(Failure::infrastructure)?;
        output::write_whole(path, |out| out.write_all(page.as_bytes()))
    }

    /// Whether its waivers are those of a capsule.
    fn is_waived_by_capsule(&self) -> bool {
        self.again.is_some() && self.common.waivers.is_some()
    }

    /// Whether the implementation file demands random bytes that are uniform.
    fn demands_random_bytes(&self) -> bool {
        self.implementation.spe.random == RandomBytes::Uniform
    }

    /// Tells how the run of a capsule ended.
    fn tell_found(&self, cycle: Option<u64>, field: Option<[String; 3]>) {
        if let Some(again) = self.again {
            *again.found.borrow_mut() = Found { cycle, field };
        }
    }

    /// What a report of this run says, however it ends.
    fn tell_facts(&self) {
        tell(|facts| {
            *facts = Facts {
                seed: self.stimulus.seed(),
                stimulus: self.stimulus.description(),
                implementation: self.implementation.name.clone(),
                rtl: self.rtl.describe(),
                replay: Some(self.replay()),
                out: Some(self.common.out.clone()),
                page: self.common.html.clone(),
                ..Facts::default()
            }
        });
    }

    /// The command that runs the first `cycles` cycles again.
    fn command(&self, cycles: u64) -> String {
        self.replay().command(cycles)
    }

    fn replay(&self) -> Replay {
        self.replay_from(self.options.start)
    }

    fn replay_from(&self, start: Option<NonZeroU32>) -> Replay {
        // A capsule has these.
        let given = |path: &'a Option<PathBuf>| path.as_ref().filter(|_| self.again.is_none());
        let mut command = String::new();
        if let Some(path) = given(&self.common.implementation) {
            command.push_str(&format!(
                " --implementation {}",
                quoted(&path.display().to_string())
            ));
        }
        if !self.again.is_some_and(|again| again.copied) {
            command.push_str(&self.common.rtl.command());
        }
        command.push_str(&self.common.hang.command());
        if let Some(start) = start {
            command.push_str(&format!(" --init {start}"));
        }
        if let Some(path) = given(&self.common.waivers) {
            let path = path.display().to_string();
            command.push_str(&format!(" --waivers {}", quoted(&path)));
        }
        if let Some(path) = &self.common.against {
            let path = path.display().to_string();
            command.push_str(&format!(" --against {}", quoted(&path)));
        }
        Replay {
            before: self.replay.clone(),
            takes_cycles: self.stimulus.seed().is_some() && self.replay.contains("--seed"),
            after: command,
        }
    }
}
