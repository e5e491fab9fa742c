//! How compilers, Verilator and pip are started, and what they say is shown.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// How long a tool may take to say what it is.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long its output may come after its end: something that it started may hold the other end of a pipe.
const REST: Duration = Duration::from_millis(200);
/// Bytes that are shown of what a tool says.
const SHOWN: usize = 64 << 10;

static LAUNCHER: OnceLock<Vec<OsString>> = OnceLock::new();

/// Starts every tool that takes a while by `words`, a program and its first arguments, from here on; it is given the
/// tool's name and arguments behind them, and has to end as the tool does. A program that looks after what it starts uses
/// this, so that compilers end with it. The first call counts.
pub fn launch_by(words: Vec<OsString>) {
    let _ = LAUNCHER.set(words);
}

/// A command that runs `program`.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let Some((launcher, first)) = LAUNCHER.get().and_then(|words| words.split_first()) else {
        return Command::new(program);
    };
    let mut command = Command::new(launcher);
    command.args(first).arg(program);
    command
}

/// Runs a command that says what a tool is, which takes a moment.
///
/// # Errors
/// It does not run, or does not end.
pub(crate) fn ask(command: &mut Command) -> io::Result<Output> {
    command.stdin(Stdio::null());
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (stdout, stderr) = (all(child.stdout.take()), all(child.stderr.take()));
    let limit = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > limit {
            let _ = child.kill();
            let _ = child.wait();
            let message = format!("no answer within {} s", PATIENCE.as_secs());
            return Err(io::Error::new(io::ErrorKind::TimedOut, message));
        }
        thread::sleep(Duration::from_millis(2));
    };
    let read = |from: mpsc::Receiver<Vec<u8>>| from.recv_timeout(REST).unwrap_or_default();
    Ok(Output {
        status,
        stdout: read(stdout),
        stderr: read(stderr),
    })
}

/// All that comes out of a pipe, at its end.
fn all(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut found = Vec::new();
        if let Some(pipe) = pipe {
            // What was read before a fault is enough.
            let _ = pipe.take(SHOWN as u64).read_to_end(&mut found);
        }
        let _ = send.send(found);
    });
    receive
}

/// The beginning of what a tool says, fit to be shown.
pub(crate) fn beginning(said: &[u8]) -> String {
    match said.len().checked_sub(SHOWN + 1) {
        None => text(said),
        Some(more) => text(&said[..SHOWN]) + &format!("\n[{} more bytes]", more + 1),
    }
}

/// What a tool says, without characters that a terminal would act on.
pub(crate) fn text(said: &[u8]) -> String {
    let mut shown = String::new();
    for character in String::from_utf8_lossy(said).chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            '\r' => {}
            control if control.is_control() => shown.extend(control.escape_default()),
            other => shown.push(other),
        }
    }
    shown
}

/// The signal that ended a tool, if one did.
pub(crate) fn signal(status: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    return None;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_a_tool_starts_is_not_waited_for() {
        let start = Instant::now();
        let told = ask(Command::new("sh").args(["-c", "sleep 30 & echo told"]));
        assert!(told.expect("an answer").status.success());
        assert!(start.elapsed() < PATIENCE / 2);
    }

    #[test]
    fn much_text_is_cut() {
        assert_eq!(text(b"a\x1b[2J\tb\r\nc"), "a\\u{1b}[2J\tb\nc");
        let long = beginning(&b"x".repeat(SHOWN + 7));
        assert_eq!(beginning(&b"x".repeat(SHOWN)).len(), SHOWN);
        assert_eq!(long.len(), SHOWN + "\n[7 more bytes]".len());
    }
}
