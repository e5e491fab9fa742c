//! A design in a process of its own, as the commands see it.

use std::collections::VecDeque;
use std::mem;
use std::num::NonZeroU32;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use bytemuck::pod_read_unaligned;
use pmu_model::{CycleInput, CycleOutput, DutParameters};
use verilator_sys::CreateError;

use super::attendant::{Said, StartError, start};
use super::channel::{Activity, CYCLES, Channel, Kind, Reply, SLOTS, is_alone, looks};
use super::death::{Death, late_stop};
use super::handshake::LibraryFacts;
use super::host::Host;
use super::sandbox::Sandbox;
use super::serve::{Order, Outcome};
use crate::printed;
use crate::stops::with_loops;
use lockstep_engine::dut::{
    Completed, Counter, CoverageUnavailable, Dut, Pulse, Stop, StopKind, TraceUnavailable,
};

/// How long who waits for a batch sleeps when others are on their way.
const NAP: Duration = Duration::from_micros(100);
/// The same when there is none, unless the host wakes it: it looks whether the process is still there.
const LOOK_NS: i64 = 20_000_000;

/// A built design that is loaded by processes of their own, one for each instance at a time.
#[derive(Debug)]
pub struct Design {
    library: PathBuf,
    facts: LibraryFacts,
    sandbox: Sandbox,
    patience: Duration,
    /// Hosts whose instance was taken down.
    idle: Mutex<Vec<Arc<Host>>>,
}

/// A library that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadFailure {
    /// There is no process for it.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The library is at fault.
    #[error(transparent)]
    Load(#[from] verilator_sys::LoadError),
    /// Loading it did not come to an end, or ended the process.
    #[error("{0}")]
    Stopped(Stop),
}

/// An instance that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum MakeFailure {
    /// There is no process for it.
    #[error(transparent)]
    Load(#[from] LoadFailure),
    /// It cannot be made.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// It stopped in its initial blocks, or ended the process.
    #[error("{0}")]
    Stopped(Stop),
    /// It does not come back from its initial blocks.
    #[error("no progress")]
    Hangs,
}

impl Design {
    /// Has a process load `library`, which is known to be what was built. It has `patience` for that, and for the initial
    /// blocks of every instance.
    ///
    /// # Errors
    /// There is no such process, or the library cannot be used.
    pub fn load(
        library: PathBuf,
        sandbox: &Sandbox,
        patience: Duration,
    ) -> Result<Arc<Self>, LoadFailure> {
        let (host, facts) = loaded(&library, sandbox, patience)?;
        Ok(Arc::new(Self {
            library,
            facts,
            sandbox: sandbox.clone(),
            patience,
            idle: Mutex::new(vec![host]),
        }))
    }

    /// What the library states.
    pub fn facts(&self) -> &LibraryFacts {
        &self.facts
    }

    /// Makes an instance, whatever parameters it has. A stop because logic does not settle names `loops`.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn instance(
        self: &Arc<Self>,
        traced: bool,
        start: Option<NonZeroU32>,
        loops: &[String],
    ) -> Result<RemoteDut, MakeFailure> {
        let idle = self.lock().pop();
        let host = match idle.filter(|host| host.end().is_none()) {
            Some(host) => host,
            None => loaded(&self.library, &self.sandbox, self.patience)?.0,
        };
        host.instance.store(number_instance(), Ordering::Relaxed);
        host.begin_at(0);
        let mut dut = RemoteDut {
            host,
            design: Arc::clone(self),
            parameters: bytemuck::Zeroable::zeroed(),
            loops: loops.to_vec(),
            said: Vec::new(),
            running: Arc::default(),
            posted: VecDeque::new(),
            run: 0,
            has_ended: false,
        };
        let limit = Some(Instant::now() + self.patience);
        match dut.order(&Order::Make { traced, start }, limit) {
            Ok((Outcome::Made(bytes), text)) if bytes.len() == size_of::<DutParameters>() => {
                dut.parameters = pod_read_unaligned(&bytes);
                dut.said = text;
                Ok(dut)
            }
            Ok((Outcome::Stopped(stop), text)) => {
                // A stop has its message.
                printed::print(&text, false);
                Err(MakeFailure::Stopped(with_loops(stop, loops)))
            }
            Ok((Outcome::NoVariant, _)) => Err(CreateError::NoVariant {
                top: self.facts.top.clone(),
                variant: match (traced, start) {
                    (_, Some(_)) => "with random initial states",
                    (true, None) => "with tracing",
                    (false, None) => "without tracing",
                },
            })?,
            Ok(_) => Err(CreateError::Memory {
                top: self.facts.top.clone(),
            })?,
            Err(stop) if stop.kind == StopKind::Hang => Err(MakeFailure::Hangs),
            Err(stop) => Err(MakeFailure::Stopped(stop)),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Host>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Design {
    fn drop(&mut self) {
        for host in self.lock().drain(..) {
            host.dismiss();
        }
    }
}

/// A host that has loaded `library`.
fn loaded(
    library: &Path,
    sandbox: &Sandbox,
    patience: Duration,
) -> Result<(Arc<Host>, LibraryFacts), LoadFailure> {
    use verilator_sys::LoadError;
    let (host, said) = start(library.to_owned(), sandbox, patience)?;
    let path = || library.to_owned();
    match said {
        Said::Library(facts) => Ok((host, facts)),
        Said::Refused(message) => Err(LoadError::Loader {
            path: path(),
            message,
        })?,
        Said::Interface(found) => Err(LoadError::Abi {
            place: path().display().to_string(),
            found,
        })?,
        Said::Hangs => {
            let message = "it does not come back from being loaded, before its initial blocks";
            Err(LoadFailure::Stopped(Stop::of(StopKind::Hang, message)))
        }
        Said::Ended => Err(LoadFailure::Stopped(ended(&host, false))),
    }
}

/// Counts an instance, wherever it runs: two designs are made in turns.
pub fn number_instance() -> usize {
    static INSTANCES: AtomicUsize = AtomicUsize::new(0);
    INSTANCES.fetch_add(1, Ordering::Relaxed)
}

/// How a run ended whose process is not there any more.
fn ended(host: &Host, is_late: bool) -> Stop {
    let Some(status) = host.end() else {
        return Stop::of(StopKind::Hang, "");
    };
    printed::print(&host.channel.tail(), false);
    let death = Death::of(host, status);
    let stop = death.stop();
    death.keep(is_late);
    stop
}

/// An instance of a design in a process of its own.
pub struct RemoteDut {
    host: Arc<Host>,
    design: Arc<Design>,
    parameters: DutParameters,
    loops: Vec<String>,
    /// What its initial blocks printed: told with its first cycles, of an instance that runs some.
    said: Vec<u8>,
    running: Arc<AtomicBool>,
    /// Batches on their way: number of the request, and its cycles.
    posted: VecDeque<(u32, usize)>,
    /// The number of the next cycle, as far as batches have come back.
    run: u64,
    /// The process is not there any more, or does not come back.
    has_ended: bool,
}

impl RemoteDut {
    fn channel(&self) -> &Channel {
        &self.host.channel
    }

    fn request(&self, kind: Kind, words: &[u8], inputs: &[CycleInput]) -> u32 {
        // The instance is this one's alone, and its host serves one at a time.
        let number = self.host.requests.fetch_add(1, Ordering::Relaxed);
        self.host.give(inputs.len());
        self.channel().request(number, kind, words, inputs);
        number
    }

    /// Waits for reply `number`.
    ///
    /// # Errors
    /// The process ended, or nothing came before `limit`.
    fn wait(&self, number: u32, limit: Option<Instant>, is_late: bool) -> Result<(), Stop> {
        let is_there = |replied: u32| replied.wrapping_sub(number.wrapping_add(1)) < u32::MAX / 2;
        for _ in 0..looks(200) {
            let replied = self.channel().replied();
            if is_there(replied) {
                return self.believed(replied);
            }
            std::hint::spin_loop();
        }
        let patience = 2 * self.design.patience + Duration::from_secs(2);
        let mut seen = (self.progress(), Instant::now());
        loop {
            let has_ended = self.host.end().is_some();
            let replied = self.channel().replied();
            if is_there(replied) {
                return self.believed(replied);
            }
            if has_ended {
                return Err(ended(&self.host, is_late));
            }
            // Others look at the cycles, and know better what the command wants; this is for what nobody looks at.
            let progress = self.progress();
            if progress != seen.0 {
                seen = (progress, Instant::now());
            }
            let is_over = limit.is_some_and(|limit| Instant::now() > limit);
            if is_over || seen.1.elapsed() > patience {
                let tail = self.channel().tail();
                printed::print(&tail, true);
                self.host.dismiss();
                return Err(Stop::of(StopKind::Hang, "no progress"));
            }
            let last = number.wrapping_add(self.posted.len() as u32 + 1);
            match is_alone() || self.posted.is_empty() {
                true => self.channel().wait_for_reply(replied, last, LOOK_NS),
                // To wake a sleeper costs the host microseconds in every batch.
                false => thread::sleep(NAP),
            }
        }
    }

    /// Whether so many replies can be there.
    ///
    /// # Errors
    /// There are more than requests were made: the design has written where it may not.
    fn believed(&self, replied: u32) -> Result<(), Stop> {
        let made = self.host.requests.load(Ordering::Relaxed);
        if made.wrapping_sub(replied) < u32::MAX / 2 {
            return Ok(());
        }
        self.host.dismiss();
        let message = "it replied to what it was not asked: its code writes over memory of others";
        Err(Stop::of(StopKind::Simulator, message))
    }

    fn progress(&self) -> u64 {
        self.host.completed()
    }

    /// Has something rare done.
    ///
    /// # Returns
    /// What came of it, and what was printed.
    fn order(&mut self, order: &Order, limit: Option<Instant>) -> Result<(Outcome, Vec<u8>), Stop> {
        let refused = |message: String| Ok((Outcome::Refused(message), Vec::new()));
        if self.has_ended {
            return refused("the design has ended".into());
        }
        let words = serde_json::to_vec(order).unwrap_or_default();
        if !Channel::has_room(&words) {
            return refused("a path that is too long".into());
        }
        let number = self.request(Kind::Words, &words, &[]);
        if let Err(stop) = self.wait(number, limit, false) {
            self.has_ended = true;
            return Err(stop);
        }
        Ok(self.outcome(number))
    }

    /// What came of an order, and what was printed, by its reply.
    fn outcome(&self, number: u32) -> (Outcome, Vec<u8>) {
        let reply = self.channel().reply(number, &mut []);
        let outcome = serde_json::from_slice(&reply.words);
        let outcome = outcome.unwrap_or_else(|error| Outcome::Refused(error.to_string()));
        (outcome, reply.text)
    }

    /// The stop of a reply, if it has one; the design may say anything.
    fn stop_of(&self, reply: &Reply, cycles: usize) -> Option<Stop> {
        if reply.words.is_empty() && reply.completed == cycles {
            return None;
        }
        let told = serde_json::from_slice::<Stop>(&reply.words).ok();
        let unknown = || Stop::of(StopKind::Simulator, "it ran fewer cycles than it was given");
        let stop = told.unwrap_or_else(unknown);
        let completed = reply.completed;
        Some(with_loops(Stop { completed, ..stop }, &self.loops))
    }

    fn take_one(&mut self, number: u32, outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        if let Err(stop) = self.wait(number, None, false) {
            self.has_ended = true;
            // Those that it completed are there, and are compared.
            let completed = self.progress().saturating_sub(self.run);
            let completed = usize::try_from(completed).unwrap_or_default();
            let completed = match self.channel().activity() {
                Activity::Run => completed.min(outputs.len().saturating_sub(1)),
                _ => 0,
            };
            self.channel().outputs(number, &mut outputs[..completed]);
            return Err(Stop { completed, ..stop });
        }
        let cycles = outputs.len();
        let reply = self.channel().reply(number, outputs);
        self.run += reply.completed as u64;
        let stop = self.stop_of(&reply, cycles);
        let said = mem::take(&mut self.said);
        if !said.is_empty() {
            printed::print(&said, true);
        }
        if !reply.text.is_empty() {
            // A stop has its message.
            printed::print(&reply.text, stop.is_none());
        }
        stop.map_or(Ok(()), Err)
    }

    /// The stop in a final block, if the reply has one (DUT-40).
    fn stop_at_the_end(&self, number: u32) -> Option<Stop> {
        let (outcome, text) = self.outcome(number);
        let stop = match outcome {
            Outcome::Stopped(stop) => Some(with_loops(stop, &self.loops)),
            _ => None,
        };
        if !text.is_empty() {
            // A stop has its message.
            printed::print(&text, stop.is_none());
        }
        stop
    }

    /// A stop of a design that has ended before.
    fn gone() -> Stop {
        Stop::of(StopKind::Ended, "it has ended before")
    }
}

impl Dut for RemoteDut {
    fn parameters(&self) -> DutParameters {
        self.parameters
    }

    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        let mut done = 0;
        for (inputs, outputs) in inputs.chunks(CYCLES).zip(outputs.chunks_mut(CYCLES)) {
            if self.has_ended {
                return Err(Stop {
                    completed: done,
                    ..Self::gone()
                });
            }
            self.running.store(true, Ordering::Relaxed);
            let number = self.request(Kind::Run, &[], inputs);
            let result = self.take_one(number, outputs);
            self.running.store(false, Ordering::Relaxed);
            result.map_err(|stop| Stop {
                completed: done + stop.completed,
                ..stop
            })?;
            done += inputs.len();
        }
        Ok(())
    }

    fn ahead(&self) -> usize {
        SLOTS
    }

    fn post(&mut self, inputs: &[CycleInput]) {
        let number = match self.has_ended {
            // It is told when the batch is taken.
            true => 0,
            false => self.request(Kind::Run, &[], inputs),
        };
        self.posted.push_back((number, inputs.len()));
        self.running.store(true, Ordering::Relaxed);
    }

    fn take(&mut self, outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        let Some((number, _)) = self.posted.pop_front() else {
            return Ok(());
        };
        let result = match self.has_ended {
            true => Err(Self::gone()),
            false => self.take_one(number, outputs),
        };
        let is_running = !self.posted.is_empty();
        self.running.store(is_running, Ordering::Relaxed);
        result
    }

    fn trace_to(&mut self, path: &Path, cycle: u64) -> Result<(), TraceUnavailable> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let path = path.as_os_str().as_bytes().to_vec();
        self.run = cycle;
        self.host.begin_at(cycle);
        self.done(&Order::Trace { path, cycle })
            .map_err(TraceUnavailable)
    }

    fn end_trace(&mut self) -> Result<(), TraceUnavailable> {
        self.done(&Order::EndTrace).map_err(TraceUnavailable)
    }

    fn write_coverage(&mut self, path: &Path) -> Result<(), CoverageUnavailable> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let path = path.as_os_str().as_bytes().to_vec();
        self.forget_posted(false)
            .map_err(|stop| CoverageUnavailable(stop.to_string()))?;
        self.done(&Order::Coverage { path })
            .map_err(CoverageUnavailable)
    }

    fn pulse(&self) -> Pulse {
        Pulse {
            cycles: Counter::Remote(Arc::clone(&self.host) as Arc<dyn Completed>),
            running: Arc::clone(&self.running),
        }
    }

    fn finish(&mut self) -> Result<(), Stop> {
        if self.has_ended || self.host.is_dismissed() {
            return Ok(());
        }
        self.forget_posted(true)
            .map_err(|stop| self.kept_late(stop))?;
        let words = serde_json::to_vec(&Order::Finish).unwrap_or_default();
        let limit = Some(Instant::now() + self.design.patience);
        // Twice: a reply that final blocks make before they end the process is not one to the second.
        let waited = (0..2).try_fold(None, |stop, _| {
            let number = self.request(Kind::Words, &words, &[]);
            self.wait(number, limit, true)?;
            Ok(stop.or_else(|| self.stop_at_the_end(number)))
        });
        self.has_ended = true;
        let stop = waited.map_err(|stop| self.kept_late(stop))?;
        self.design.lock().push(Arc::clone(&self.host));
        stop.map_or(Ok(()), |stop| Err(self.kept_late(stop)))
    }
}

impl RemoteDut {
    /// Keeps a stop of a design that is taken down: not everybody who does so listens. The end of a process is kept as such.
    fn kept_late(&self, stop: Stop) -> Stop {
        if !stop.ended_its_process() || stop.kind == StopKind::Hang {
            late_stop(stop.clone(), self.run);
        }
        stop
    }

    /// Has batches run that nobody wants any more.
    ///
    /// # Errors
    /// The process ended.
    fn forget_posted(&mut self, is_late: bool) -> Result<(), Stop> {
        while let Some((number, _)) = self.posted.pop_front() {
            if let Err(stop) = self.wait(number, None, is_late) {
                self.has_ended = true;
                return Err(stop);
            }
        }
        Ok(())
    }

    /// Has something rare done; why it cannot be.
    fn done(&mut self, order: &Order) -> Result<(), String> {
        match self.order(order, None) {
            Ok((Outcome::Done, _)) => Ok(()),
            Ok((Outcome::Refused(message), _)) => Err(message),
            Ok(_) => Err("an answer that is none".into()),
            Err(stop) => Err(stop.to_string()),
        }
    }
}

impl Drop for RemoteDut {
    fn drop(&mut self) {
        if thread::panicking() {
            return self.host.dismiss();
        }
        if self.finish().is_err_and(|stop| stop.ended_its_process()) {
            self.host.dismiss();
        }
    }
}
