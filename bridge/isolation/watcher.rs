//! The side of the process that watches.

use std::env;
use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal as Sent, kill_process};

use crate::scratch::ScratchFolder;

use super::{BLACK_BOX, Death, FACTS, FOLDER, Facts, PRINTED, Signal, black_box};

/// Kept of what the worker writes to standard error.
const KEPT: usize = 64 * 1024;

/// How the worker ended.
#[derive(Debug)]
pub enum Ended {
    /// By itself, with this exit code.
    Code(u8),
    /// By a signal.
    Died(Box<Death>),
}

/// Runs the command of this process again as a worker, to its end. What asks this process to end is passed on.
///
/// # Errors
/// The worker cannot be started.
pub fn watch() -> io::Result<Ended> {
    let folder = ScratchFolder::new()?;
    let black_box = folder.path().join(BLACK_BOX);
    // Written, not only made so long: memory that turns out to have no room on the disk would be a crash. Without it a crash
    // is told without its cycle.
    if fs::write(&black_box, vec![0; black_box::BYTES]).is_err() {
        let _ = fs::remove_file(&black_box);
    }
    let mut worker = start(folder.path())?;
    let stderr = worker
        .stderr
        .take()
        .map(|from| thread::spawn(|| copy(from)));
    // A signal before this ends this process, and the worker with it.
    let target = Arc::new(Mutex::new(Pid::from_raw(worker.id().cast_signed())));
    pass_signals_on(Arc::clone(&target));
    let status = worker.wait()?;
    *target.lock().unwrap_or_else(PoisonError::into_inner) = None;
    // A thread that panicked has only failed to copy.
    let stderr = stderr
        .and_then(|copied| copied.join().ok())
        .unwrap_or_default();
    if let Some(code) = status.code() {
        return Ok(Ended::Code(u8::try_from(code).unwrap_or(u8::MAX)));
    }
    let facts = read_facts(folder.path());
    for path in &facts.unfinished {
        // It may never have been there.
        let _ = fs::remove_file(path);
    }
    Ok(Ended::Died(Box::new(Death {
        signal: Signal(status.signal().unwrap_or_default()),
        designs: black_box::read(&fs::read(&black_box).unwrap_or_default()),
        facts,
        // Most commands leave none.
        kept: fs::read(folder.path().join(PRINTED)).unwrap_or_default(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    })))
}

fn start(folder: &Path) -> io::Result<Child> {
    let mut command = Command::new(env::current_exe()?);
    command.args(env::args_os().skip(1)).env(FOLDER, folder);
    // A terminal shows progress, which a pipe would hide.
    if !io::stderr().is_terminal() {
        command.stderr(Stdio::piped());
    }
    command.spawn()
}

/// A signal may reach the worker twice, from here and from the terminal; it takes that for one.
fn pass_signals_on(worker: Arc<Mutex<Option<Pid>>>) {
    let handler = move || {
        let worker = worker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(worker) = *worker {
            // It may have ended meanwhile.
            let _ = kill_process(worker, Sent::INT);
        }
    };
    // Without a handler a signal ends this process at once, and the worker with it.
    let _ = ctrlc::set_handler(handler);
}

/// Copies to standard error, and keeps the end.
fn copy(mut from: impl Read) -> Vec<u8> {
    let (mut kept, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        // Nobody may be listening.
        let _ = io::stderr().write_all(&buffer[..read]);
        kept.extend_from_slice(&buffer[..read]);
        if kept.len() > 2 * KEPT {
            kept.drain(..kept.len() - KEPT);
        }
    }
    kept
}

fn read_facts(folder: &Path) -> Facts {
    // A worker that died before it told any leaves none.
    let json = fs::read(folder.join(FACTS)).ok();
    json.and_then(|json| serde_json::from_slice(&json).ok())
        .unwrap_or_default()
}
