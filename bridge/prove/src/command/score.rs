//! `lockstep score`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant, SystemTime};

use lockstep_base::verdict::Verdict;
use lockstep_designs::{BuildOptions, Rtl, RtlSource};
use lockstep_engine::dut::chosen::MOST;
use lockstep_prove::cycle::Signals;
use lockstep_prove::judge::Judge;
use lockstep_prove::proof::{Area, Prover, lacking};
use lockstep_prove::score::mutants::{self, PORT};
use lockstep_prove::score::{
    Bench, Counts, Fate, Kill, Regression, ScoreError, Scored, on_all_cores,
};
use lockstep_stimulus::{Profile, Reader};
use pmu_model::Implementation;

use super::design::{DesignArgs, refused};
use super::scored::{self, Result, Told};
use super::{Failure, scratch};

/// Arguments of `score`.
#[derive(clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Args {
    /// How many mutants are made
    #[arg(long, value_name = "COUNT", default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..=MOST as i64))]
    mutants: u16,
    /// Which mutants are made, and the seed of random stimulus [default: of the time]
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    design: DesignArgs,
    /// Recorded stimulus of the regression, each with --stimulus
    #[arg(long, value_name = "FILE.stim")]
    stimulus: Vec<PathBuf>,
    /// Cycles of random stimulus after it; 0 for none
    #[arg(long, default_value_t = 1_000_000)]
    cycles: u64,
    /// What random stimulus is like: a built-in profile, or a file (TOML)
    #[arg(long, value_name = "NAME|FILE.toml")]
    profile: Option<String>,
    /// List the mutants that the regression does not notice, and ask no solver about them
    #[arg(long)]
    no_solver: bool,
    /// Seconds for each claim about a mutant; one that takes longer is not decided
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86400))]
    limit: u64,
    /// Fail if the regression notices less of the mutants that are not the design
    #[arg(long, value_name = "PERCENT")]
    at_least: Option<f64>,
    /// Folder for the stimulus that a solver finds, and for score.json
    #[arg(long, value_name = "DIR", default_value = "lockstep-out")]
    out: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

const EXIT_CODES: &str = "Exit codes: 0 there is a score, 1 it is below --at-least, or the design without a mutant differs \
    from the model, 2 usage or configuration, 5 infrastructure.";

/// What of the design itself may take so many times as long as what of a mutant.
const DESIGN: u32 = 10;

/// Cycles of random stimulus before a solver is asked.
const FIRST: u64 = 50_000;

/// How it ends if the design without a mutant is not right.
fn differs(kill: &Kill) -> Failure {
    let message = format!(
        "the design without a mutant differs from the model in cycle {} of {}: {}; a score is of a design that agrees",
        kill.cycle, kill.by, kill.field
    );
    Failure(Verdict::Divergence, message)
}

/// What a solver is asked about.
enum Asked {
    /// A part of the proof of the design without a mutant, of which all has to hold.
    Design((Area, usize)),
    /// A mutant.
    Mutant(usize),
}

/// Makes mutants, and tells what becomes of them.
pub fn run(args: &Args) -> std::result::Result<Verdict, Failure> {
    let start = Instant::now();
    let implementation = args.design.implementation()?;
    let names = args.design.correspondence()?;
    let seed = args.seed.unwrap_or_else(|| {
        let since = SystemTime::UNIX_EPOCH.elapsed();
        since.map_or(1, |since| since.as_secs())
    });
    let asks = !args.no_solver && args.design.has_correspondence();
    // What nothing is proved of would be taken for the design.
    if let Some(why) = lacking(&names, &implementation).filter(|_| asks) {
        let words = "a mutant there cannot be told from the design; --no-solver goes without";
        return Err(Failure::usage(format!("{why}: {words}")));
    }
    for path in &args.stimulus {
        check_recorded(path, &implementation)?;
    }
    let profile = args.profile.as_deref().map(Profile::load);
    let profile = profile.transpose().map_err(Failure::usage)?;
    let work = scratch()?;
    let work = work.path();
    let source = args.design.source();
    let design = source.design(&implementation, work);
    let design = design.map_err(Failure::usage)?;
    let design = design.ok_or_else(|| Failure::usage("a finished build has no RTL to change"))?;
    let told = Told::new(args.json);
    told.line(&format!("seed {seed}: {} mutants", args.mutants));
    let made = mutants::make(&design, args.mutants.into(), seed, work, &mut |yosys| {
        let what = format!("{yosys} makes mutants of {}", source.describe());
        told.begin(&what, 0);
    });
    let made = made.map_err(refused)?;
    told.begin("building them", 0);
    let (rtl, netlist) = thread::scope(|scope| {
        let netlist = asks.then(|| scope.spawn(|| made.netlist(work)));
        let rtl = built(work, &implementation);
        (rtl, netlist.map(ScopedJoinHandle::join))
    });
    let rtl = rtl?;
    let netlist = netlist.map(|joined| {
        let netlist =
            joined.map_err(|_| Failure::infrastructure("Yosys could not be waited for"))?;
        netlist.map_err(refused)
    });
    let netlist = netlist.transpose()?;
    let built = start.elapsed();
    let regression = Regression {
        recorded: args.stimulus.clone(),
        profile: profile.unwrap_or_default(),
        seed,
        cycles: args.cycles,
    };
    let mut job = Job {
        bench: Bench {
            rtl: &rtl,
            implementation: &implementation,
        },
        regression: &regression,
        told: &told,
        scored: made.mutants.iter().cloned().map(Scored::alive).collect(),
    };
    job.run_first(if asks { FIRST } else { u64::MAX })?;
    let run = start.elapsed();
    fs::create_dir_all(&args.out).map_err(Failure::at(&args.out))?;
    if let Some(netlist) = netlist {
        let signals = Signals::find(&netlist, &names, &implementation).map_err(Failure::usage)?;
        let limit = Duration::from_secs(args.limit);
        let prover = Prover::new(&implementation, &netlist, &signals, DESIGN * limit);
        let prover = prover.map_err(Failure::usage)?;
        let judge = Judge::new(&prover, &names, PORT, limit).map_err(Failure::infrastructure)?;
        job.compare(&judge)?;
        job.run_rest()?;
        job.judge(&judge, &args.out)?;
    }
    told.end();
    let scored = job.scored;
    let counts = Counts::of(scored.iter().map(|of| &of.fate));
    let result = Result {
        seed,
        yosys: made.version(),
        implementation: &implementation,
        cycles: args.cycles,
        seconds: [built, run - built, start.elapsed() - run].map(|time| time.as_secs_f64()),
        counts,
        score: counts.score(),
        at_least: args.at_least,
        mutants: &scored,
    };
    let json = scored::json(&result).map_err(Failure::infrastructure)?;
    let path = args.out.join("score.json");
    fs::write(&path, &json).map_err(Failure::at(&path))?;
    let text = match args.json {
        true => json,
        false => scored::text(&result, asks),
    };
    let written = io::stdout().write_all(text.as_bytes());
    written.map_err(Failure::infrastructure)?;
    Ok(match (args.at_least, counts.score()) {
        (Some(least), Some(score)) if score < least => Verdict::Divergence,
        _ => Verdict::Agree,
    })
}

/// Recorded stimulus is for this implementation. What that demands of random bytes is no property of a stimulus.
fn check_recorded(
    path: &Path,
    implementation: &Implementation,
) -> std::result::Result<(), Failure> {
    let reader = Reader::open(path).map_err(Failure::usage)?;
    let mut recorded = reader.header().implementation.clone();
    recorded.spe.random = implementation.spe.random;
    if recorded == *implementation {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} was recorded for implementation {}, expected {}: name it with --implementation, or record the stimulus again",
        path.display(),
        recorded.name,
        implementation.name
    )))
}

/// The design with all mutants.
fn built(work: &Path, implementation: &Implementation) -> std::result::Result<Rtl, Failure> {
    let options = BuildOptions {
        cache: work.join("cache"),
        ..BuildOptions::from_env()
    };
    let files = RtlSource::files([work.join("rtl")], Vec::new());
    let rtl = Rtl::load(&files, implementation, false, &options, &mut |_| ());
    rtl.map_err(Failure::infrastructure)
}

/// Mutants, and what is done with them.
struct Job<'a> {
    bench: Bench<'a>,
    regression: &'a Regression,
    told: &'a Told,
    scored: Vec<Scored>,
}

impl Job<'_> {
    /// Runs the regression on the design without a mutant, and up to so many random cycles of it on each mutant.
    fn run_first(&mut self, cycles: u64) -> std::result::Result<(), Failure> {
        let first = Regression {
            cycles: self.regression.cycles.min(cycles),
            ..self.regression.clone()
        };
        // Number 0 is the design without a mutant.
        let numbers: Vec<_> = (0..=self.scored.len()).collect();
        self.told.begin("running the regression", numbers.len());
        on_all_cores(
            &numbers,
            |&number| match number {
                0 => self.bench.hunt(self.regression, 0),
                _ => self.bench.hunt(&first, number),
            },
            |&number, killed| {
                match (killed.map_err(failed)?, number) {
                    (Some(kill), 0) => return Err(differs(&kill)),
                    (Some(kill), _) => self.scored[number - 1].fate = Fate::Killed(kill),
                    (None, _) => {}
                }
                self.told.one();
                Ok(())
            },
        )
    }

    /// Those of which nothing is known yet.
    fn alive(&self) -> Vec<usize> {
        let alive = self.scored.iter();
        let alive = alive.filter(|of| matches!(of.fate, Fate::Alive));
        alive.map(|of| of.mutant.number).collect()
    }

    /// Has a solver look at the design without a mutant, and at which mutants that are alive are the same.
    fn compare(&mut self, judge: &Judge<'_>) -> std::result::Result<(), Failure> {
        let alive = self.alive().into_iter().map(Asked::Mutant);
        let design = judge.parts().into_iter().map(Asked::Design);
        let asked: Vec<_> = design.chain(alive).collect();
        let words = "asking a solver about the design, and what is the same";
        self.told.begin(words, asked.len());
        on_all_cores(
            &asked,
            |asked| match *asked {
                Asked::Design(part) => judge.open_without(part).map(Err),
                Asked::Mutant(number) => judge.is_same(number as u64).map(Ok),
            },
            |asked, answer| {
                match (answer.map_err(Failure::infrastructure)?, asked) {
                    (Ok(true), &Asked::Mutant(number)) => {
                        self.scored[number - 1].fate = Fate::Equivalent { claims: 0 };
                    }
                    (Err(open), _) if !open.is_empty() => {
                        return Err(Failure::usage(format!(
                            "the design without a mutant is not proved, so that nothing can be said to be equal to it: {} \
                             (lockstep prove); --no-solver goes without",
                            open.join("; ")
                        )));
                    }
                    _ => {}
                }
                self.told.one();
                Ok(())
            },
        )
    }

    /// Runs all of the regression on the mutants that are alive.
    fn run_rest(&mut self) -> std::result::Result<(), Failure> {
        if self.regression.cycles <= FIRST {
            return Ok(());
        }
        let alive = self.alive();
        self.told
            .begin("running the rest of the regression", alive.len());
        on_all_cores(
            &alive,
            |&number| self.bench.hunt(self.regression, number),
            |&number, killed| {
                if let Some(kill) = killed.map_err(failed)? {
                    self.scored[number - 1].fate = Fate::Killed(kill);
                }
                self.told.one();
                Ok(())
            },
        )
    }

    /// Has a solver judge the mutants that are alive then.
    fn judge(&mut self, judge: &Judge<'_>, out: &Path) -> std::result::Result<(), Failure> {
        let alive = self.alive();
        self.told
            .begin("asking a solver about what is left", alive.len());
        on_all_cores(
            &alive,
            |&number| self.bench.judge(judge, number, out),
            |&number, fate| {
                self.scored[number - 1].fate = fate.map_err(failed)?;
                self.told.one();
                Ok(())
            },
        )
    }
}

/// What an error of a mutant ends as.
fn failed(error: ScoreError) -> Failure {
    match error {
        ScoreError::Run(_) => Failure::usage(error),
        _ => Failure::infrastructure(error),
    }
}
