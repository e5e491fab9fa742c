//! The side that decides about system calls of a confined process.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use libc::{c_long, seccomp_notif, seccomp_notif_resp};

use crate::calls::{Attempt, Call};
use crate::filter::{CHANGES_BY_PATH, CHANGES_IN_FOLDER};

/// Words of a command line that are read, and bytes of each.
const WORDS: usize = 16;
const WORD_BYTES: usize = 4096;

/// What a call is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The kernel goes on with it, and refuses what it refuses anyway.
    GoOn,
    /// It fails with this number of `errno`.
    Fail(i32),
}

/// Where calls of a confined process are told.
#[derive(Debug)]
pub struct Listener(OwnedFd);

impl From<OwnedFd> for Listener {
    fn from(descriptor: OwnedFd) -> Self {
        Self(descriptor)
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Listener {
    /// The next call; to be asked when the descriptor is readable, for it waits otherwise. None where the thread that
    /// made the call is gone.
    pub fn receive(&self) -> Option<Call> {
        // SAFETY: plain numbers, of which the kernel wants zeros.
        let mut told: seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: the request takes a pointer to this struct, and writes no more than it.
        let found = unsafe {
            libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_RECV,
                &raw mut told,
            )
        };
        if found != 0 {
            return None;
        }
        let attempt = attempt(told.pid, told.data.nr.into(), &told.data.args);
        Some(Call {
            id: told.id,
            thread: told.pid,
            attempt,
        })
    }

    /// Answers a call. One whose thread is gone needs none.
    pub fn answer(&self, call: &Call, answer: Answer) {
        let (error, flags) = match answer {
            Answer::GoOn => (0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32),
            Answer::Fail(errno) => (-errno, 0),
        };
        let told = seccomp_notif_resp {
            id: call.id,
            val: 0,
            error,
            flags,
        };
        // SAFETY: the request takes a pointer to this struct, and reads no more than it.
        unsafe {
            libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_SEND,
                &raw const told,
            );
        }
    }
}

/// What a call is for. Its memory is read while the thread waits; another thread may change it meanwhile, so that this is
/// good for words only.
fn attempt(thread: u32, number: c_long, arguments: &[u64; 6]) -> Attempt {
    let memory = Memory::of(thread);
    let path = |at: usize| PathBuf::from(OsString::from_vec(memory.string(arguments[at])));
    match number {
        libc::SYS_socket => Attempt::Socket(arguments[0] as i32),
        libc::SYS_kill | libc::SYS_rt_sigqueueinfo => Attempt::Signal(arguments[1] as i32),
        libc::SYS_tgkill | libc::SYS_rt_tgsigqueueinfo => Attempt::Signal(arguments[2] as i32),
        libc::SYS_timer_create => Attempt::Signal(memory.signal_of_event(arguments[1])),
        libc::SYS_setrlimit | libc::SYS_prlimit64 => Attempt::TimeLimit,
        libc::SYS_execve => Attempt::Program(memory.command(arguments[0], arguments[1])),
        libc::SYS_execveat => Attempt::Program(memory.command(arguments[1], arguments[2])),
        _ if is_process(number) => Attempt::Process,
        _ if number == libc::SYS_openat || CHANGES_IN_FOLDER.contains(&number) => {
            Attempt::Write(placed(thread, arguments[0], &path(1)))
        }
        _ if CHANGES_BY_PATH.contains(&number) || is_open(number) => {
            Attempt::Write(placed(thread, HERE, &path(0)))
        }
        _ => Attempt::Process,
    }
}

#[cfg(target_arch = "x86_64")]
fn is_process(number: c_long) -> bool {
    [libc::SYS_clone, libc::SYS_fork, libc::SYS_vfork].contains(&number)
}

#[cfg(not(target_arch = "x86_64"))]
fn is_process(number: c_long) -> bool {
    number == libc::SYS_clone
}

#[cfg(target_arch = "x86_64")]
fn is_open(number: c_long) -> bool {
    number == libc::SYS_open
}

#[cfg(not(target_arch = "x86_64"))]
fn is_open(_: c_long) -> bool {
    false
}

/// The working directory, in place of a descriptor.
const HERE: u64 = libc::AT_FDCWD as u64;

/// A path as this process would name it: relative ones start from a folder of the other process.
fn placed(thread: u32, folder: u64, path: &Path) -> PathBuf {
    if path.is_absolute() {
        return path.to_owned();
    }
    let link = match folder as i32 {
        libc::AT_FDCWD => format!("/proc/{thread}/cwd"),
        descriptor => format!("/proc/{thread}/fd/{descriptor}"),
    };
    match fs::read_link(link) {
        Ok(folder) => folder.join(path),
        Err(_) => path.to_owned(),
    }
}

/// Memory of another process.
struct Memory(io::Result<File>);

impl Memory {
    fn of(thread: u32) -> Self {
        Self(File::open(format!("/proc/{thread}/mem")))
    }

    fn read(&self, at: u64, bytes: &mut [u8]) -> usize {
        match &self.0 {
            Ok(file) => file.read_at(bytes, at).unwrap_or_default(),
            Err(_) => 0,
        }
    }

    /// The bytes of a C string.
    fn string(&self, at: u64) -> Vec<u8> {
        let mut found = Vec::new();
        let mut part = [0; 256];
        while found.len() < WORD_BYTES {
            // Up to the end of a page: the next one may not be there.
            let from = at.wrapping_add(found.len() as u64);
            let size = part.len().min(4096 - (from % 4096) as usize);
            let read = self.read(from, &mut part[..size]);
            let end = part[..read].iter().position(|byte| *byte == 0);
            found.extend_from_slice(&part[..end.unwrap_or(read)]);
            if end.is_some() || read == 0 {
                break;
            }
        }
        found
    }

    /// The signal of a `sigevent`, the default one if there is none.
    fn signal_of_event(&self, at: u64) -> i32 {
        let mut number = [0; 4];
        // It stands behind the value of 8 bytes that goes with it.
        match at != 0 && self.read(at.wrapping_add(8), &mut number) == number.len() {
            true => i32::from_ne_bytes(number),
            false => libc::SIGALRM,
        }
    }

    /// The words of a command: the program, and its arguments after the name that it is given.
    fn command(&self, program: u64, arguments: u64) -> Vec<String> {
        let text = |at: u64| String::from_utf8_lossy(&self.string(at)).into_owned();
        let mut words = vec![text(program)];
        for index in 1..WORDS as u64 {
            let mut pointer = [0; 8];
            let at = arguments.wrapping_add(8 * index);
            if self.read(at, &mut pointer) < pointer.len() || pointer == [0; 8] {
                break;
            }
            words.push(text(u64::from_ne_bytes(pointer)));
        }
        words
    }
}
