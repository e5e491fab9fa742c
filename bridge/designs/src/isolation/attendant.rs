//! The command's side of a host: a thread that starts it, answers what it asks to be allowed, takes what it writes to its
//! standard output and error, and notices its end.

use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use design_sandbox::{Enforced, Listener};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Signal as Sent, kill_process, pidfd_open,
    set_dumpable_behavior,
};

use super::channel::{self, Channel};
use super::death::Death;
use super::handshake::{self, LibraryFacts, Loaded, Started, Task};
use super::host::Host;
use super::sandbox::{Judge, Sandbox, SandboxMode, tell_enforced};
use super::serve::NOT_BEGUN;
use super::{Role, keeper, kept};
use crate::printed;

/// A design that cannot be had in a process of its own.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The machine does not let it.
    #[error(
        "[design process] expected a process for the design, found: {0}; raise the limits of processes, memory, open files and file sizes"
    )]
    Machine(#[from] io::Error),
    /// This program cannot be started again.
    #[error(
        "[design process] expected /proc, by which this program starts a process for the design, found none: mount it"
    )]
    NoProc,
    /// The kernel cannot confine it as wanted.
    #[error(
        "[sandbox] expected a kernel that confines the design, as --sandbox=require asks, found one that does not decide {0}; \
         --sandbox=auto goes on without that"
    )]
    NotConfined(String),
    /// This program is not the one that was started.
    #[error(
        "[design process] expected the program that was started, found another one in its place: start the command again"
    )]
    Replaced,
}

/// What a host says before it is given work.
pub(super) enum Said {
    /// What the library states.
    Library(LibraryFacts),
    /// It cannot be loaded: why.
    Refused(String),
    /// It has another interface.
    Interface(u32),
    /// Loading it ended the process.
    Ended,
    /// Loading it does not end.
    Hangs,
}

/// Starts a host and has it load `library`, for which it has `patience`.
pub(super) fn start(
    library: PathBuf,
    sandbox: &Sandbox,
    patience: Duration,
) -> Result<(Arc<Host>, Said), StartError> {
    if !Path::new(super::PROGRAM).exists() {
        return Err(StartError::NoProc);
    }
    // No process of the same user may look into this one.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let (to, from) = (channel::make_to()?, channel::make_from()?);
    let memories = [to.other, from.other];
    let host = Host::new(Channel {
        to: to.memory,
        from: from.memory,
    });
    let bytes = |paths: Vec<PathBuf>| paths.into_iter().map(PathBuf::into_os_string).collect();
    let task = Task {
        library: library.into_os_string(),
        writable: sandbox.policy().map(bytes),
    };
    let (begun, begins) = mpsc::channel();
    let (attended, mode) = (Arc::clone(&host), sandbox.mode);
    // The thread that starts a process must live as long as it: the process is told when its parent's thread ends.
    thread::Builder::new()
        .name("attendant".into())
        .spawn(move || Attendant::run(attended, task, mode, memories, begun))?;
    let socket = begins
        .recv()
        .map_err(|_| io::Error::other("its attendant ended"))??;
    host.register();
    let said = loaded(&host, &socket, patience)?;
    Ok((host, said))
}

/// How loading went.
fn loaded(host: &Host, socket: &UnixStream, patience: Duration) -> Result<Said, StartError> {
    let limit = Instant::now() + patience;
    Ok(match handshake::receive_by::<Loaded>(socket, Some(limit)) {
        Ok((Loaded::Library(facts), _)) => Said::Library(facts),
        Ok((Loaded::Refused(message), _)) => Said::Refused(message),
        Ok((Loaded::Interface(found), _)) => Said::Interface(found),
        Ok((Loaded::Sizes, _)) => return Err(StartError::Replaced),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
            ) =>
        {
            host.dismiss();
            Said::Hangs
        }
        Err(_) => {
            // A design that closes the socket and goes on hangs, as far as anybody can tell.
            host.wait_for_end(patience);
            match host.end().map(|status| status.code()) {
                Some(Some(code)) if code == i32::from(NOT_BEGUN) && !host.has_begun() => {
                    return Err(StartError::Replaced);
                }
                Some(_) => Said::Ended,
                None => Said::Hangs,
            }
        }
    })
}

/// The thread beside a host.
struct Attendant {
    host: Arc<Host>,
    keeper: Child,
    end: OwnedFd,
    output: std::io::PipeReader,
    is_open: bool,
    listener: Option<Listener>,
    judge: Judge,
}

impl Attendant {
    /// Starts the process, tells by `begun` where it says how loading went, and stays to its end.
    fn run(
        host: Arc<Host>,
        task: Task,
        mode: SandboxMode,
        memories: [OwnedFd; 2],
        begun: mpsc::Sender<Result<UnixStream, StartError>>,
    ) {
        match Self::begin(host, task, mode, memories) {
            Ok((attendant, socket)) => {
                let _ = begun.send(Ok(socket));
                attendant.attend();
            }
            Err(error) => {
                let _ = begun.send(Err(error));
            }
        }
    }

    fn begin(
        host: Arc<Host>,
        task: Task,
        mode: SandboxMode,
        memories: [OwnedFd; 2],
    ) -> Result<(Self, UnixStream), StartError> {
        let (here, there) = UnixStream::pair()?;
        let (output, write) = io::pipe()?;
        let mut command = kept(super::PROGRAM);
        command.arg(Role::Host.word());
        // A terminal's signals are for the command, which decides.
        command.process_group(0);
        command.stdin(Stdio::from(OwnedFd::from(there)));
        command.stdout(write.try_clone()?).stderr(write);
        let keeper = command.spawn()?;
        drop(command);
        let pid = Pid::from_child(&keeper);
        host.keep_by(Some(pid));
        let attendant = Self {
            end: pidfd_open(pid, PidfdFlags::empty()).map_err(io::Error::from)?,
            output,
            is_open: true,
            listener: None,
            judge: Judge::new(task.writable.as_deref().unwrap_or_default()),
            keeper,
            host,
        };
        attendant.handshake(task, mode, &here, memories)
    }

    fn handshake(
        mut self,
        task: Task,
        mode: SandboxMode,
        socket: &UnixStream,
        memories: [OwnedFd; 2],
    ) -> Result<(Self, UnixStream), StartError> {
        let memories = memories.each_ref().map(AsFd::as_fd);
        let started = handshake::send(socket, &task, &memories)
            .and_then(|()| handshake::receive::<Started>(socket));
        let (started, mut descriptors) = match started {
            Ok(started) => started,
            Err(error) => {
                // It may wait for what does not come.
                let _ = kill_process(Pid::from_child(&self.keeper), Sent::TERM);
                let _ = self.keeper.wait();
                return Err(error.into());
            }
        };
        self.listener = descriptors.pop().map(Listener::from);
        let enforced = Enforced {
            files: started.files,
            signals: started.signals,
            calls: started.calls,
        };
        if mode == SandboxMode::Require && !enforced.is_complete() {
            let _ = kill_process(Pid::from_child(&self.keeper), Sent::TERM);
            let _ = self.keeper.wait();
            return Err(StartError::NotConfined(enforced.missing().join("; ")));
        }
        tell_enforced(mode, enforced);
        Ok((self, socket.try_clone()?))
    }

    fn attend(mut self) {
        while !self.turn() {}
        // From here on its number may be another's.
        self.host.keep_by(None);
        let status = self.keeper.wait();
        // What is in the pipe, and no more: somebody may still hold the other end.
        while self.is_open && self.is_readable() {
            self.take_output();
        }
        let status = status.unwrap_or_default();
        if !self.host.is_dismissed() || keeper::had_ended(status, self.host.is_forced()) {
            // If it was running, who waits for it tells it first.
            Death::of(&self.host, status).keep(true);
        }
        self.host.end_with(status);
    }

    /// Waits for something, and deals with it.
    ///
    /// # Returns
    /// Whether the process has ended.
    fn turn(&mut self) -> bool {
        let mut wanted = vec![PollFd::new(&self.end, PollFlags::IN)];
        if self.is_open {
            wanted.push(PollFd::new(&self.output, PollFlags::IN));
        }
        if let Some(listener) = &self.listener {
            wanted.push(PollFd::new(listener, PollFlags::IN));
        }
        if poll(&mut wanted, None).is_err() {
            return false;
        }
        let found: Vec<_> = wanted.iter().map(PollFd::revents).collect();
        let has_ended = !found[0].is_empty();
        let output = self.is_open && !found[1].is_empty();
        let asked = self.listener.is_some().then(|| found[found.len() - 1]);
        if output {
            self.take_output();
        }
        match asked {
            Some(asked) if asked.contains(PollFlags::IN) => self.decide(),
            // Nobody is left who could ask.
            Some(asked) if !asked.is_empty() => self.listener = None,
            _ => {}
        }
        has_ended
    }

    fn decide(&mut self) {
        if let Some(listener) = &self.listener
            && let Some(call) = listener.receive()
        {
            let answer = self.judge.answer(&call.attempt);
            self.host.note_attempt(&call.attempt);
            listener.answer(&call, answer);
        }
    }

    fn is_readable(&self) -> bool {
        let mut wanted = [PollFd::new(&self.output, PollFlags::IN)];
        let found = poll(&mut wanted, Some(&Timespec::default()));
        found.is_ok_and(|found| found > 0) && wanted[0].revents().contains(PollFlags::IN)
    }

    fn take_output(&mut self) {
        let mut buffer = [0; 16 << 10];
        let read = self.output.read(&mut buffer).unwrap_or_default();
        if read == 0 {
            self.is_open = false;
            return;
        }
        printed::print(&buffer[..read], true);
        self.host.add_raw(&buffer[..read]);
    }
}
