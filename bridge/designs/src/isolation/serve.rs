//! A host: the process that loads a design and runs it, and does nothing else.

use std::fs::File;
use std::io;
use std::num::NonZeroU32;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use design_sandbox::{Policy, confine};
use rustix::process::{Signal, set_parent_process_death_signal};
use serde::{Deserialize, Serialize};
use verilator_sys::{CreateError, Dut, DutLibrary, LoadError, SharedMemory, Tail};

use super::channel::{self, Activity, Channel, Kind};
use super::handshake::{self, LibraryFacts, Loaded, Started, Task};
use crate::stops::{in_final_block, plain};
use lockstep_engine::dut::Stop;

/// The exit code of a host that cannot begin: nothing of a design has run.
pub const NOT_BEGUN: u8 = 126;

/// What is rare enough to be said in words.
#[derive(Debug, Serialize, Deserialize)]
pub enum Order {
    /// Make an instance, in place of the one before.
    Make {
        /// Whether it can write traces.
        traced: bool,
        /// What its state begins with, if not with zeros.
        start: Option<NonZeroU32>,
    },
    /// Write the following cycles to this file; the next one is number `cycle`.
    Trace {
        /// Bytes of the path.
        path: Vec<u8>,
        /// The number.
        cycle: u64,
    },
    /// Complete that file.
    EndTrace,
    /// Write what its coverage has counted to this file.
    Coverage {
        /// Bytes of the path.
        path: Vec<u8>,
    },
    /// Take the instance down.
    Finish,
}

/// What an order came to.
#[derive(Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// It is done.
    Done,
    /// An instance is made, with these bytes of `parameters_o`.
    Made(Vec<u8>),
    /// The design stopped.
    Stopped(Stop),
    /// The library lacks the variant.
    NoVariant,
    /// There is no memory for it.
    NoMemory,
    /// It cannot be done: why.
    Refused(String),
}

/// Runs the design that the process which started this one names.
pub fn main() -> ExitCode {
    // Without this, its keeper would end it, a little later.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let _ = rustix::thread::set_name(c"lockstep-design");
    // Without a terminal there is none to type into.
    let _ = rustix::process::setsid();
    design_sandbox::die_of_faults();
    // A limit of file sizes makes a write fail, and ends no design.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    match begin() {
        Ok((channel, library)) => {
            serve(channel, &library);
            ExitCode::SUCCESS
        }
        Err(_) => ExitCode::from(NOT_BEGUN),
    }
}

/// The memory, which stays to the end of the process, and the design.
fn begin() -> io::Result<(&'static Channel, DutLibrary)> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let (task, descriptors) = handshake::receive::<Task>(&socket)?;
    let [to, from] = <[_; 2]>::try_from(descriptors)
        .map_err(|_| io::Error::other("expected two memories"))?
        .map(File::from);
    let (to, from) = (SharedMemory::readable(&to)?, SharedMemory::writable(&from)?);
    if !channel::fits(&to, &from) {
        handshake::send(&socket, &Loaded::Sizes, &[])?;
        return Err(io::Error::other("memories of another size"));
    }
    let channel: &'static Channel = Box::leak(Box::new(Channel { to, from }));
    let confined = task.writable.map(|paths| {
        let writable = paths.into_iter().map(PathBuf::from).collect();
        confine(&Policy { writable })
    });
    let enforced = confined.as_ref().map(|confined| confined.enforced);
    let enforced = enforced.unwrap_or_default();
    let started = Started {
        files: enforced.files,
        signals: enforced.signals,
        calls: enforced.calls,
    };
    let listener = confined.and_then(|confined| confined.listener);
    let beside: Vec<BorrowedFd<'_>> = listener.iter().map(AsFd::as_fd).collect();
    handshake::send(&socket, &started, &beside)?;
    drop(listener);
    let nothing = File::open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;

    channel.now(Activity::Load);
    // SAFETY: running the design is what this process is for; the command has checked that it is the file that was built.
    let loaded = unsafe { DutLibrary::load(task.library.as_ref()) };
    let told = match &loaded {
        Ok(library) => Loaded::Library(LibraryFacts {
            input: library.sizes().input,
            output: library.sizes().output,
            parameters: library.sizes().parameters,
            top: library.top().to_owned(),
            verilator: library.verilator_version().to_owned(),
        }),
        Err(LoadError::Loader { message, .. }) => Loaded::Refused(message.clone()),
        Err(LoadError::Abi { found, .. }) => Loaded::Interface(*found),
    };
    channel.now(Activity::Idle);
    handshake::send(&socket, &told, &[])?;
    Ok((channel, loaded.map_err(io::Error::other)?))
}

/// Takes requests, one by one, for as long as this process is let.
fn serve(channel: &'static Channel, library: &DutLibrary) {
    let mut dut = None;
    for number in 0_u32.. {
        channel.next(number);
        // SAFETY: this is the one place that takes requests, and each is replied to before the next.
        let request = unsafe { channel.take(number) };
        match request.kind {
            Kind::Run => {
                channel.now(Activity::Run);
                let (completed, words, text) = run(dut.as_mut(), request.inputs, request.outputs);
                channel.now(Activity::Idle);
                channel.answer(number, completed, &words, text.as_bytes());
            }
            Kind::Words => {
                let order = serde_json::from_slice(request.words);
                let (outcome, text) = match order {
                    Ok(order) => obey(order, &mut dut, library, channel),
                    Err(error) => (Outcome::Refused(error.to_string()), String::new()),
                };
                channel.now(Activity::Idle);
                let words = serde_json::to_vec(&outcome).unwrap_or_default();
                channel.answer(number, 0, &words, text.as_bytes());
            }
        }
    }
}

/// Cycles completed, the stop in words if there is one, and what the design printed.
fn run(dut: Option<&mut Dut>, inputs: &[u8], outputs: &mut [u8]) -> (usize, Vec<u8>, String) {
    let Some(dut) = dut else {
        return (0, Vec::new(), String::new());
    };
    let cycles = inputs.len() / dut.sizes().input;
    match dut.run(inputs, outputs) {
        Ok(()) => (cycles, Vec::new(), dut.take_log()),
        Err(stop) => {
            let completed = stop.completed;
            let words = serde_json::to_vec(&plain(stop)).unwrap_or_default();
            (completed, words, dut.take_log())
        }
    }
}

/// Does what is rare.
///
/// # Returns
/// What came of it, and what the design printed.
fn obey(
    order: Order,
    dut: &mut Option<Dut>,
    library: &DutLibrary,
    channel: &'static Channel,
) -> (Outcome, String) {
    let outcome = match order {
        Order::Make { traced, start } => {
            *dut = None;
            channel.now(Activity::Create);
            let (ring, printed) = channel.ring();
            match library.create_from(start, traced, Some(Tail { ring, printed })) {
                Ok(mut made) => {
                    made.set_progress(channel.completed());
                    let parameters = made.parameters();
                    *dut = Some(made);
                    Outcome::Made(parameters)
                }
                Err(CreateError::Stopped { stop, printed }) => {
                    return (Outcome::Stopped(plain(*stop)), printed);
                }
                Err(CreateError::NoVariant { .. }) => Outcome::NoVariant,
                Err(CreateError::Memory { .. }) => Outcome::NoMemory,
            }
        }
        Order::Trace { path, cycle } => {
            let path = PathBuf::from(std::ffi::OsString::from_vec(path));
            of_dut(dut, |dut| {
                dut.set_cycle(cycle);
                dut.trace_open(&path)
            })
        }
        Order::Coverage { path } => {
            let path = PathBuf::from(std::ffi::OsString::from_vec(path));
            of_dut(dut, |dut| dut.write_coverage(&path))
        }
        Order::EndTrace => of_dut(dut, Dut::trace_close),
        Order::Finish => {
            channel.now(Activity::Finish);
            let Some(mut last) = dut.take() else {
                return (Outcome::Done, String::new());
            };
            let outcome = match last.finish() {
                Ok(()) => Outcome::Done,
                Err(stop) => Outcome::Stopped(in_final_block(stop)),
            };
            return (outcome, last.take_log());
        }
    };
    let text = dut.as_mut().map_or(String::new(), Dut::take_log);
    (outcome, text)
}

fn of_dut<E: std::fmt::Display>(
    dut: &mut Option<Dut>,
    action: impl FnOnce(&mut Dut) -> Result<(), E>,
) -> Outcome {
    match dut.as_mut().map(action) {
        Some(Ok(())) => Outcome::Done,
        Some(Err(error)) => Outcome::Refused(error.to_string()),
        None => Outcome::Refused("no instance of the design".into()),
    }
}
