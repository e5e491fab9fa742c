//! Each test confines a thread of its own: both mechanisms are of threads.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread;

use crate::{Answer, Attempt, Enforced, Listener, Policy, confine};

/// Runs `job` confined to writing below `writable`.
///
/// # Returns
/// What it returned, what is enforced, and what was tried.
fn confined<T: Send + 'static>(
    writable: &Path,
    job: impl FnOnce() -> T + Send + 'static,
) -> (T, Enforced, Vec<Attempt>) {
    let policy = Policy {
        writable: vec![writable.to_owned(), "/dev/null".into()],
    };
    let (send, receive) = mpsc::channel();
    let worker = thread::spawn(move || {
        let confined = confine(&policy);
        send.send((confined.enforced, confined.listener))
            .expect("the test listens");
        job()
    });
    let (enforced, listener) = receive.recv().expect("confined");
    let listener = Listener::from(listener.expect("a kernel with seccomp's listener"));
    let mut attempts = Vec::new();
    while !worker.is_finished() {
        if is_asked(&listener)
            && let Some(call) = listener.receive()
        {
            let answer = match &call.attempt {
                Attempt::Write(_) | Attempt::Process | Attempt::Signal(_) | Attempt::TimeLimit => {
                    Answer::GoOn
                }
                Attempt::Program(_) => Answer::Fail(libc::EPERM),
                Attempt::Socket(_) => Answer::Fail(libc::EACCES),
            };
            listener.answer(&call, answer);
            attempts.push(call.attempt);
        }
    }
    (worker.join().expect("the job"), enforced, attempts)
}

/// Whether a call waits to be decided, for some milliseconds.
fn is_asked(listener: &Listener) -> bool {
    use std::os::fd::AsRawFd;
    let mut asked = libc::pollfd {
        fd: listener.as_fd().as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one struct, whose descriptor is open.
    let ready = unsafe { libc::poll(&raw mut asked, 1, 10) };
    ready > 0 && asked.revents & libc::POLLIN != 0
}

#[test]
fn files_are_written_where_it_is_allowed_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
    fs::create_dir(&inside).expect("a folder");
    fs::write(&outside, "as it was").expect("written");
    let (allowed, refused) = (inside.join("file"), outside.clone());
    let ((wrote, failed, read), enforced, attempts) = confined(&inside, move || {
        let failed = [
            File::create(&refused).map(drop),
            fs::remove_file(&refused),
            fs::create_dir(refused.with_extension("d")),
            File::options().append(true).open(&refused).map(drop),
        ];
        (
            fs::write(allowed, "text"),
            failed,
            fs::read_to_string(&refused),
        )
    });
    assert!(enforced.is_complete(), "{:?}", enforced.missing());
    wrote.expect("below the folder that is named");
    for failed in failed {
        let kind = failed.expect_err("outside of it").kind();
        assert_eq!(kind, io::ErrorKind::PermissionDenied);
    }
    assert_eq!(read.expect("everything is read"), "as it was");
    let tried = |path: PathBuf| attempts.contains(&Attempt::Write(path));
    assert!(tried(inside.join("file")) && tried(outside), "{attempts:?}");
}

#[test]
fn programs_and_sockets_are_told_and_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let touched = folder.path().join("touched");
    let words = touched.clone();
    let ((program, socket), _, attempts) = confined(folder.path(), move || {
        let program = Command::new("/bin/sh")
            .arg("-c")
            .arg(format!("touch {}", words.display()))
            .status();
        (program, UnixListener::bind(words.with_extension("s")))
    });
    assert!(program.is_err() && socket.is_err());
    assert!(!touched.exists());
    let words = |attempt: &Attempt| match attempt {
        Attempt::Program(words) => words.join(" "),
        _ => String::new(),
    };
    let command = format!("/bin/sh -c touch {}", touched.display());
    assert!(
        attempts.iter().any(|attempt| words(attempt) == command),
        "{attempts:?}"
    );
    assert!(attempts.contains(&Attempt::Socket(libc::AF_UNIX)));
}

/// A lock on a file that the design may only read would hold up who writes it.
#[test]
fn files_are_not_locked() {
    let folder = tempfile::tempdir().expect("a folder");
    let (locked, _, _) = confined(folder.path(), || {
        let file = File::open("/etc/passwd").expect("a file");
        [libc::F_SETLK, libc::F_OFD_SETLK].map(|command| {
            // SAFETY: zeros are a lock of the whole file, and a number that is no process.
            let mut lock: libc::flock = unsafe { std::mem::zeroed() };
            lock.l_type = i16::try_from(libc::F_RDLCK).expect("a kind of lock");
            // SAFETY: the lock outlives the call.
            let failed = unsafe { libc::fcntl(file.as_raw_fd(), command, &raw const lock) };
            (failed, io::Error::last_os_error().raw_os_error())
        })
    });
    assert_eq!(locked, [(-1, Some(libc::EPERM)); 2]);
}

#[test]
fn signals_to_itself_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (sent, _, attempts) = confined(folder.path(), || {
        let mut time = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: it ignores one signal, and has numbers and a struct on the stack otherwise.
        unsafe {
            libc::signal(libc::SIGHUP, libc::SIG_IGN);
            let sent = [libc::raise(libc::SIGHUP), libc::raise(libc::SIGURG)];
            let read = libc::getrlimit(libc::RLIMIT_CPU, &raw mut time);
            (
                sent,
                read,
                libc::setrlimit(libc::RLIMIT_CPU, &raw const time),
            )
        }
    });
    assert_eq!(sent, ([0; 2], 0, 0));
    assert_eq!(
        attempts,
        [Attempt::Signal(libc::SIGHUP), Attempt::TimeLimit]
    );
}

#[test]
fn nobody_else_is_signalled_or_traced() {
    let folder = tempfile::tempdir().expect("a folder");
    let parent = std::os::unix::process::parent_id();
    let (failed, _, _) = confined(folder.path(), move || {
        // SAFETY: numbers alone.
        let signalled = unsafe { libc::kill(parent.cast_signed(), 0) };
        let signalled = (signalled, io::Error::last_os_error().raw_os_error());
        // SAFETY: numbers alone.
        let outlived = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, 0) };
        let memory = File::options()
            .write(true)
            .open(format!("/proc/{parent}/mem"));
        // SAFETY: numbers alone.
        let own = unsafe { libc::kill(std::process::id().cast_signed(), 0) };
        (signalled, outlived, memory.is_err(), own)
    });
    assert_eq!(failed, ((-1, Some(libc::EPERM)), -1, true, 0));
}
