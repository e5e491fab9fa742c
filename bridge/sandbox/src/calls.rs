//! What a confined process tries.

use std::path::PathBuf;

/// A system call that another process decides about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its number among those of the listener.
    pub(crate) id: u64,
    /// The thread that makes it.
    pub thread: u32,
    /// What it is for.
    pub attempt: Attempt,
}

/// What is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// Writing, making, removing or changing a file.
    Write(PathBuf),
    /// Becoming another program: the words of its command line, as far as they can be read.
    Program(Vec<String>),
    /// A new process that runs the same program.
    Process,
    /// A socket, of this address family.
    Socket(i32),
    /// A signal to itself, now or by a timer, of those that otherwise come from outside.
    Signal(i32),
    /// A limit of its processor time, whose end is a signal.
    TimeLimit,
}
