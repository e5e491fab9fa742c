//! What a command and a host tell each other before the design is loaded, and how loading went: lines of JSON through a
//! socket, with descriptors beside the first of either side. The host closes it before a cycle runs.

use std::ffi::OsString;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Longest line: that of a design is not trusted.
const LONGEST: usize = 1 << 20;
/// Descriptors of a message.
const DESCRIPTORS: usize = 2;

/// What a host is to do. Beside it: the memory of requests, and that of replies.
#[derive(Debug, Serialize, Deserialize)]
pub struct Task {
    /// The library of the design. As for all paths, whatever bytes they have.
    pub library: OsString,
    /// Where it may write; nothing is confined without it.
    pub writable: Option<Vec<OsString>>,
}

/// A host is about to load the design. Beside it: where its system calls are told, if it is confined.
#[derive(Debug, Serialize, Deserialize)]
pub struct Started {
    /// Whether writing files is restricted.
    pub files: bool,
    /// Whether signals are.
    pub signals: bool,
    /// Whether programs and sockets are.
    pub calls: bool,
}

/// How loading went: what the library states, or why it cannot be used.
#[derive(Debug, Serialize, Deserialize)]
pub enum Loaded {
    /// It is loaded.
    Library(LibraryFacts),
    /// The system's loader refused it: why.
    Refused(String),
    /// It is of another version of the interface, or states none (0).
    Interface(u32),
    /// The memories are not those of this program: another one was put into its place.
    Sizes,
}

/// What a library states.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LibraryFacts {
    /// Bytes of `cycle_input_i`.
    pub input: usize,
    /// Bytes of `cycle_output_o`.
    pub output: usize,
    /// Bytes of `parameters_o`.
    pub parameters: usize,
    /// The top module.
    pub top: String,
    /// Version of the Verilator that made it.
    pub verilator: String,
}

/// Sends a message with descriptors.
///
/// # Errors
/// Nobody listens any more.
pub fn send(
    socket: &UnixStream,
    message: &impl Serialize,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let line = serde_json::to_string(message)? + "\n";
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !beside.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("no room for so many descriptors"));
    }
    let bytes = line.as_bytes();
    let sent = sendmsg(
        socket.as_fd(),
        &[IoSlice::new(bytes)],
        &mut beside,
        SendFlags::NOSIGNAL,
    )?;
    (&*socket).write_all(&bytes[sent..])
}

/// Receives a message, and the descriptors beside it.
///
/// # Errors
/// The other side is gone, or says something else.
pub fn receive<T: DeserializeOwned>(socket: &UnixStream) -> io::Result<(T, Vec<OwnedFd>)> {
    receive_by(socket, None)
}

/// The same, up to `limit`.
///
/// # Errors
/// As above, or it takes longer.
pub fn receive_by<T: DeserializeOwned>(
    socket: &UnixStream,
    limit: Option<Instant>,
) -> io::Result<(T, Vec<OwnedFd>)> {
    let mut line = Vec::new();
    let mut found = Vec::new();
    let mut byte = [0];
    // Byte by byte, so that nothing of the next message is taken: the messages are short.
    while !line.ends_with(b"\n") {
        if let Some(limit) = limit {
            let left = limit.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            socket.set_read_timeout(Some(left))?;
        }
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let read = match line.is_empty() {
            true => {
                let mut buffers = [IoSliceMut::new(&mut byte)];
                let flags = RecvFlags::CMSG_CLOEXEC;
                recvmsg(socket.as_fd(), &mut buffers, &mut beside, flags)?.bytes
            }
            false => (&*socket).read(&mut byte)?,
        };
        for message in beside.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                found.extend(descriptors);
            }
        }
        if read == 0 || line.len() == LONGEST {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.push(byte[0]);
    }
    Ok((serde_json::from_slice(&line)?, found))
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn messages_arrive_one_by_one_with_their_descriptors() {
        let (here, there) = UnixStream::pair().expect("a socket");
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(b"text").expect("written");
        let task = Task {
            library: "dut.so".into(),
            writable: None,
        };
        send(&here, &task, &[file.as_fd()]).expect("sent");
        send(&here, &Loaded::Interface(7), &[]).expect("sent");
        let (found, descriptors): (Task, _) = receive(&there).expect("a message");
        assert_eq!(found.library, task.library);
        let [descriptor] = <[OwnedFd; 1]>::try_from(descriptors).expect("one");
        assert_eq!(File::from(descriptor).metadata().expect("a file").len(), 4);
        let (next, descriptors): (Loaded, _) = receive(&there).expect("a message");
        assert!(matches!(next, Loaded::Interface(7)) && descriptors.is_empty());
        drop(here);
        assert!(receive::<Loaded>(&there).is_err());
    }
}
