//! A process of this program, within limits.

use std::env;
use std::fs;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::cli::Failure;
use crate::regress::outcome::Ended;
use crate::regress::record::Limit;
use crate::regress::suite::Limits;

/// How often limits are looked at.
const TICK: Duration = Duration::from_millis(100);
/// How long a process has to end in order.
const GRACE: Duration = Duration::from_secs(2);
/// Bytes of standard error that are kept.
const TAIL: usize = 1 << 16;
/// Bytes of standard output that a run can have.
const MOST: u64 = 256 << 20;

/// The file of this program.
///
/// # Errors
/// The system does not tell.
pub(super) fn this_program() -> Result<PathBuf, Failure> {
    env::current_exe().map_err(Failure::infrastructure)
}

/// Runs this program with `words` in `folder` to its end, or until `stop` says so.
///
/// # Errors
/// The process cannot be started.
pub(super) fn run(
    program: &Path,
    folder: &Path,
    words: &[String],
    limits: &Limits,
    stop: impl Fn() -> bool,
) -> io::Result<Ended> {
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // What ends this process from a terminal leaves the runs to it.
        .process_group(0)
        .spawn()?;
    let (told, ends) = mpsc::channel();
    let stdout = child.stdout.take();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is what there is.
        let _ = stdout.map(|out| out.take(MOST).read_to_end(&mut bytes));
        // Nobody listens when the process was given up.
        let _ = told.send(bytes);
    });
    let stderr = child.stderr.take();
    let stderr = thread::spawn(move || stderr.map_or_else(Vec::new, last));
    let mut watch = Watch {
        pid: Pid::from_child(&child),
        limits,
        start,
        asked: None,
        limit: None,
    };
    let stdout = loop {
        match ends.recv_timeout(TICK) {
            Ok(bytes) => break bytes,
            Err(RecvTimeoutError::Timeout) if watch.look(&stop) => {}
            Err(_) => break Vec::new(),
        }
    };
    let status = watch.wait(&mut child)?;
    let stderr = match stdout.is_empty() && watch.asked.is_some() {
        // Something that it started may hold the pipe.
        true => Vec::new(),
        false => stderr.join().unwrap_or_default(),
    };
    Ok(Ended {
        code: status.code(),
        signal: status.signal(),
        stdout,
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        limit: watch.limit,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// The last bytes of what is read.
fn last(mut from: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(read @ 1..) = from.read(&mut piece) {
        kept.extend_from_slice(&piece[..read]);
        if kept.len() > 2 * TAIL {
            kept.drain(..kept.len() - TAIL);
        }
    }
    kept
}

/// Looks after a process.
struct Watch<'a> {
    pid: Pid,
    limits: &'a Limits,
    start: Instant,
    /// When it was asked to end.
    asked: Option<Instant>,
    limit: Option<(Limit, String)>,
}

impl Watch<'_> {
    /// Asks the process to end where it must, and makes it end where it does not.
    ///
    /// # Returns
    /// Whether it is worth waiting for.
    fn look(&mut self, stop: &impl Fn() -> bool) -> bool {
        if let Some(asked) = self.asked {
            let waited = asked.elapsed();
            if waited > GRACE {
                self.kill();
            }
            return waited < 2 * GRACE;
        }
        self.limit = self.exceeded();
        if self.limit.is_some() || stop() {
            self.asked = Some(Instant::now());
            // It may have ended by itself.
            let _ = kill_process(self.pid, Signal::TERM);
        }
        true
    }

    fn exceeded(&self) -> Option<(Limit, String)> {
        if let Some(seconds) = self.limits.wall_seconds
            && self.start.elapsed() >= Duration::from_secs(seconds)
        {
            let words = format!("the run took longer than {seconds} s (limits.wall_seconds)");
            return Some((Limit::Wall, words));
        }
        let most = self.limits.memory_mib?;
        let found = memory(self.pid.as_raw_nonzero().get()) >> 20;
        (found > most).then(|| {
            let words =
                format!("the run took {found} MiB of memory, more than {most} (limits.memory_mib)");
            (Limit::Memory, words)
        })
    }

    fn kill(&self) {
        // Both may have ended.
        let _ = kill_process_group(self.pid, Signal::KILL);
        let _ = kill_process(self.pid, Signal::KILL);
    }

    /// The status of the process, which has closed its output, or was given up.
    fn wait(&self, child: &mut Child) -> io::Result<std::process::ExitStatus> {
        let since = Instant::now();
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            if since.elapsed() > GRACE {
                self.kill();
                return child.wait();
            }
            thread::sleep(Duration::from_micros(200));
        }
    }
}

/// Bytes that a process and all below it have in memory, as far as the system tells.
fn memory(process: i32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = resident.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse().ok());
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    let children = threads.into_iter().flatten().flatten().flat_map(|thread| {
        let list = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        let list: Vec<i32> = list
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        list
    });
    kib.unwrap_or(0u64) * 1024 + children.map(memory).sum::<u64>()
}
