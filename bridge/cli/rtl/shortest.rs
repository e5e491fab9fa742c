//! The shortest stimulus that fails, of a run that diverged: its stimulus is reduced at once, for a little while.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pmu_model::Implementation;

use super::shrink;
use crate::cli::Failure;
use crate::cli::output_folder::OutputFolder;
use crate::dut::{BuildOptions, Rtl, RtlSource};
use crate::hypotheses::Findings;
use crate::lockstep::supervise::{Supervised, supervise};
use crate::lockstep::waivers::Waivers;
use crate::report::Shortest;
use crate::shrink::{Bench, ShrinkError, Watch, failing_stretch, shrunk, writes};
use crate::stimulus::Reader;

/// How long a report waits for it, which takes half a second as a rule.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it waits for a first cycle to go: a design that no reset brings back keeps them all.
const FIRST: Duration = Duration::from_secs(1);

/// A stimulus that fails, and what is needed to run parts of it.
pub(super) struct Case<'a> {
    pub stimulus: &'a Path,
    pub rtl: &'a RtlSource,
    pub implementation: &'a Implementation,
    pub options: &'a BuildOptions,
    pub waivers: Waivers,
    /// How long a design may take for a cycle.
    pub limit: Duration,
    /// What would explain the RTL, by the whole run.
    pub hypotheses: &'a Findings,
}

impl Case<'_> {
    /// Looks for the shortest one, and leaves it in `out`, as JSON and as a test too; `command` is the command line that runs a
    /// stimulus. Returns its path as well.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub fn shortest(
        &self,
        out: &OutputFolder,
        command: impl FnOnce(&Path) -> String,
    ) -> Result<(Shortest, PathBuf), String> {
        let reader = Reader::open(self.stimulus).map_err(|error| error.to_string())?;
        let rtl = Rtl::load(
            self.rtl,
            self.implementation,
            false,
            self.options,
            &mut |_| (),
        );
        let rtl = rtl.map_err(|error| error.to_string())?;
        let make = move || rtl.instance().map_err(|error| error.to_string());
        let mut bench =
            Bench::new(self.implementation, Box::new(make)).map_err(|error| error.to_string())?;
        bench.accept(self.waivers.clone());
        let watch = Watch::default();
        let pulse = bench.pulse();
        let (own, implementation) = (watch.clone(), self.implementation.clone());
        let reduce = move || -> Result<_, ShrinkError> {
            let stretch = failing_stretch(&mut bench, &reader, &own)?;
            let before = (stretch.cycles.len(), writes(&stretch.cycles));
            let field = &stretch.failing.field;
            let reduced =
                crate::shrink::shrink(&mut bench, &implementation, stretch.cycles, field, &own)?;
            Ok((before, reduced))
        };
        // Nobody but the clock ends it: it is over sooner than anyone could.
        let never = AtomicBool::new(false);
        let ended = within([FIRST, PATIENCE], &watch, || {
            supervise(&pulse, self.limit, &never, reduce)
        });
        let done = match ended {
            Supervised::Done(done) => done,
            Supervised::Panicked(message) => return Err(message),
            Supervised::Hang { .. } | Supervised::Interrupted { .. } => {
                return Err("the design hangs in a part of it".to_owned());
            }
        };
        let ((cycles_before, writes_before), reduced) = done.map_err(|error| match error {
            ShrinkError::Interrupted => "its run takes too long".to_owned(),
            error => error.to_string(),
        })?;
        if !reduced.minimal && reduced.cycles.len() == cycles_before {
            let why =
                "not a cycle could be taken away in the time for it; `lockstep shrink` goes on";
            return Err(why.to_owned());
        }
        let case = shrunk(&reduced, self.hypotheses, self.implementation);
        let written = shrink::leave(&reduced, &case, self.implementation, out);
        written.map_err(|Failure { message, .. }| message)?;
        let path = out.file(shrink::STIMULUS);
        let found = Shortest {
            cycles: case.cycles.len(),
            cycles_before,
            writes: case.writes,
            writes_before,
            minimal: case.minimal,
            recipe: Shortest::recipe(&case.cycles),
            replay: command(&path),
        };
        Ok((found, path))
    }
}

/// Does something, and ends it when nothing has been taken away by the first limit, or it has taken the second one.
fn within<T>([first, limit]: [Duration; 2], watch: &Watch, job: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        let (done, ended) = channel::<()>();
        scope.spawn(move || {
            let takes = |time| ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            let is_fruitless = || watch.removed.load(Ordering::Relaxed) == 0;
            if takes(first) && (is_fruitless() || takes(limit.saturating_sub(first))) {
                watch.interrupted.store(true, Ordering::Relaxed);
            }
        });
        let result = job();
        drop(done);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_told_so() {
        const LONG: Duration = Duration::from_secs(3600);
        let watch = Watch::default();
        let is_over = || watch.interrupted.load(Ordering::Relaxed);
        let wait = || {
            while !is_over() {
                thread::yield_now();
            }
        };
        assert_eq!(within([LONG, LONG], &watch, || 7), 7);
        assert!(!is_over());
        // Nothing has been taken away.
        within([Duration::ZERO, LONG], &watch, wait);
        watch.interrupted.store(false, Ordering::Relaxed);
        watch.removed.store(1, Ordering::Relaxed);
        within([Duration::ZERO; 2], &watch, wait);
    }
}
