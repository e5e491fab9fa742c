//! Runs of a shard, several at a time, each in a process of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::child::{self, this_program};
use super::designs::{Designs, word};
use super::leave::leave;
use super::order::Order;
use super::progress::Progress;
use super::rtl_coverage::Shard as RtlCoverage;
use crate::cli::{Failure, output, report_files};
use crate::interrupt;
use crate::lockstep::Verdict;
use crate::lockstep::waivers::Day;
use crate::plan;
use crate::regress::outcome::{Ended, Place, not_started, record};
use crate::regress::record::{Header, Record};
use crate::regress::results::Writer;
use crate::regress::taken::Taken;
use crate::report::counted;

/// The folder of what runs leave.
const RUNS: &str = "runs";
/// The file of what a run took, in its folder.
const COVERAGE: &str = "coverage.json";
/// How often interrupts are looked for.
const TICK: Duration = Duration::from_millis(100);

/// How it ended.
pub(super) enum Harvest {
    /// All runs have ended.
    All,
    /// Enough have failed: the reason in words.
    Enough(String),
    /// The user did not want to wait.
    Interrupted,
}

/// What runs the runs.
pub(super) struct Farm<'a> {
    order: &'a Order<'a>,
    designs: &'a Designs,
    /// What the results say of the suite.
    header: &'a Header,
    /// What runs have covered of their RTL.
    covered: &'a RtlCoverage,
    /// Set when no run is to go on.
    stop: AtomicBool,
    interrupted: Arc<AtomicBool>,
    next: AtomicUsize,
    /// Runs that have failed.
    failed: AtomicUsize,
    /// How many are enough.
    most: Option<usize>,
}

impl<'a> Farm<'a> {
    pub fn new(
        order: &'a Order<'a>,
        designs: &'a Designs,
        header: &'a Header,
        covered: &'a RtlCoverage,
    ) -> Self {
        Self {
            order,
            designs,
            header,
            covered,
            stop: AtomicBool::new(false),
            interrupted: Arc::default(),
            next: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
            most: match order.args.fail_fast {
                true => Some(1),
                false => order.args.max_failures.map(usize::from),
            },
        }
    }

    /// Runs the runs of these numbers, and writes each as it ends. `failed` have failed before.
    ///
    /// # Errors
    /// Results cannot be written, or a process cannot be started.
    pub fn run(
        &self,
        numbers: &[usize],
        failed: usize,
        writer: &mut Writer,
    ) -> Result<Harvest, Failure> {
        interrupt::ask(self.interrupted.clone());
        self.count(failed);
        let program = this_program()?;
        let mut progress = Progress::new(numbers.len(), failed);
        let (ended, records) = mpsc::channel();
        thread::scope(|scope| {
            for _ in 0..self.order.jobs().min(numbers.len()) {
                let (ended, program) = (ended.clone(), &program);
                scope.spawn(move || self.work(program, numbers, &ended));
            }
            drop(ended);
            let mut result = Ok(Harvest::All);
            loop {
                if self.interrupted.load(Ordering::Relaxed) {
                    interrupt::heard();
                }
                let record = match records.recv_timeout(TICK) {
                    Ok(record) => record,
                    Err(RecvTimeoutError::Timeout) => {
                        progress.tick();
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if let Err(error) = writer.add(&record).map_err(Failure::infrastructure) {
                    self.stop.store(true, Ordering::Relaxed);
                    result = Err(error);
                    continue;
                }
                progress.ended(&record);
            }
            // Only here is it known: the last of the runs may end because of an interrupt that was not there a moment ago.
            if self.interrupted.load(Ordering::Relaxed) && result.is_ok() {
                interrupt::heard();
                result = Ok(Harvest::Interrupted);
            }
            let failed = self.failed.load(Ordering::Relaxed);
            if matches!(result, Ok(Harvest::All)) && self.is_enough(failed) {
                let failures = counted(failed as u64, "failure");
                let why = format!("stopped after {failures}, as was asked for");
                result = Ok(Harvest::Enough(why));
            }
            result
        })
    }

    /// Adds failures, and starts no more runs where there are enough.
    fn count(&self, failures: usize) {
        let before = self.failed.fetch_add(failures, Ordering::Relaxed);
        if self.is_enough(before + failures) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn is_enough(&self, failed: usize) -> bool {
        self.most.is_some_and(|most| failed >= most)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.interrupted.load(Ordering::Relaxed)
    }

    /// Runs one run after the other.
    fn work(&self, program: &Path, numbers: &[usize], ended: &Sender<Record>) {
        while !self.is_stopped() {
            let Some(&number) = numbers.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let Some(record) = self.one(program, number) else {
                return;
            };
            self.count(record.has_failed().into());
            if ended.send(record).is_err() {
                return;
            }
        }
    }

    /// One run, started again where the environment ended it.
    ///
    /// # Returns
    /// Its record; none if it was ended because all were.
    fn one(&self, program: &Path, number: usize) -> Option<Record> {
        let order = self.order;
        let run = &order.plan.runs[number];
        let command = order.command(number, None);
        let folder = format!("{RUNS}/{}", run.folder());
        let mut place = Place {
            command: &command,
            shortened: &|cycles| order.command(number, Some(cycles)),
            folder: None,
            attempts: 1,
            day: None,
        };
        let design = match self.designs.get(&run.design) {
            Ok(design) => design,
            Err(unbuilt) => {
                return Some(not_started(run, unbuilt.verdict, &unbuilt.message, &place));
            }
        };
        let out = order.out.join(&folder);
        let mut words = vec![
            "run".to_owned(),
            "--json".into(),
            "--out".into(),
            word(&out),
        ];
        words.extend(run.options(&order.suite.limits, None));
        let files = order
            .suite
            .design(&run.design)
            .filter(|files| run.init.is_some() || run.rtl_coverage && files.is_built_here());
        if let Some(files) = files {
            // The folder that was built has no other initial states, and counts no coverage.
            words.extend(files.options(PathBuf::clone));
        } else if let Some(path) = design {
            words.extend(["--dut".into(), word(&path)]);
        }
        if run.coverage {
            words.extend(["--coverage".into(), word(&out.join(COVERAGE))]);
        }
        if run.rtl_coverage {
            words.push("--rtl-coverage".into());
        }
        if 2 * order.jobs() > thread::available_parallelism().map_or(1, usize::from) {
            words.extend(["--threads".into(), "1".into()]);
        }
        loop {
            let day = Day::today();
            place.day = Some(day);
            let ended = child::run(program, &order.folder, &words, &order.suite.limits, || {
                self.is_stopped()
            });
            let ended = ended.unwrap_or_else(|error| Ended {
                stderr: format!("it cannot be started: {error}"),
                ..Ended::default()
            });
            place.folder = out.join("report.json").exists().then(|| folder.clone());
            let mut record = record(run, &ended, &place);
            if run.coverage && record.is_complete() {
                take(&mut record, &out.join(COVERAGE));
            }
            if run.rtl_coverage {
                self.cover(&mut record, &out.join(report_files::RTL_COVERAGE));
            }
            if self.is_stopped() && !record.is_decided() {
                return None;
            }
            let again = record.verdict == Verdict::Infrastructure
                && record.limit.is_none()
                && place.attempts <= order.args.retries;
            if !again {
                if record.verdict.is_finding()
                    && let Err(error) =
                        leave(order, self.header, self.designs, number, &record, &out, day)
                {
                    output::note(&format!("{}: there will be no capsule: {error}", run.id));
                }
                return Some(record);
            }
            place.attempts += 1;
        }
    }
}

impl Farm<'_> {
    /// Adds what a run has covered of its RTL to that of the shard, if it came to its end. Its file goes: those of a night
    /// would fill a disk.
    fn cover(&self, record: &mut Record, path: &Path) {
        if record.is_complete()
            && let Some(compared) = &mut record.compared
        {
            let added = self
                .covered
                .add(&record.implementation, &record.design, path);
            match added {
                Ok(()) => compared.rtl_coverage = true,
                Err(failure) => output::note(&failure.message),
            }
        }
        // There is none of a run that did not begin; the folder stays if something else is in it.
        let _ = fs::remove_file(path);
        let _ = path.parent().map(fs::remove_dir);
    }
}

/// Adds what a run took to its record.
fn take(record: &mut Record, path: &Path) {
    let taken = plan::read(path).map(|all| all.first().map(Taken::of));
    match (taken, &mut record.compared) {
        (Ok(taken), Some(compared)) => compared.taken = taken,
        (Err(error), _) => output::note(&error.to_string()),
        _ => {}
    }
}
