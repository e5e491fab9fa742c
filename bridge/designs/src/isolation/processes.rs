//! Processes below this one.

use std::fs;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, wait, waitid, waitpid,
};

/// How long ending what is below may take: a design that starts processes faster than they can be ended keeps some.
const PATIENCE: Duration = Duration::from_secs(2);

/// The children of a process, by what the system says of all.
pub fn children(of: Pid) -> Vec<Pid> {
    let wanted = of.as_raw_nonzero().get().to_string();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    numbers
        .filter(|number| {
            let stat = fs::read(format!("/proc/{number}/stat")).unwrap_or_default();
            parent(&stat).is_some_and(|parent| parent == wanted)
        })
        .filter_map(Pid::from_raw)
        .collect()
}

/// The parent in a line of `/proc/N/stat`. The name before it may hold anything, and ends with the last parenthesis.
fn parent(stat: &[u8]) -> Option<String> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = String::from_utf8_lossy(&stat[end + 1..]).into_owned();
    rest.split_whitespace().nth(1).map(str::to_owned)
}

/// Children that this process had when it was started: of a program that became this one.
static BEFORE: OnceLock<Vec<Pid>> = OnceLock::new();

/// Notes the children that are there: they are none of this program's, and stay.
pub fn spare_children() {
    BEFORE.get_or_init(own_children);
}

/// The children of this process. Mostly there is none, which one question tells; else all processes are looked at.
fn own_children() -> Vec<Pid> {
    let looking = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::All, looking) {
        Err(Errno::CHILD) => Vec::new(),
        _ => children(getpid()),
    }
}

/// The children of this process that are to be ended.
fn strangers() -> Vec<Pid> {
    let mut found = own_children();
    found.retain(|child| !BEFORE.get().is_some_and(|before| before.contains(child)));
    found
}

/// Has every child of this process end what is below it: keepers do, when they are asked. What does not is ended.
pub fn end_children() {
    const GRACE: Duration = Duration::from_millis(400);
    let start = Instant::now();
    let mut asked = Vec::new();
    loop {
        let found = strangers();
        if found.is_empty() {
            return;
        }
        if start.elapsed() > GRACE {
            return end_strangers();
        }
        for child in found {
            if !asked.contains(&child) {
                asked.push(child);
                // It may have ended meanwhile.
                let _ = kill_process(child, Signal::TERM);
            }
            let _ = waitpid(Some(child), WaitOptions::NOHANG);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// Ends every child of this process, and every process that becomes one when its parent ends, up to none: to be called
/// by a process that takes in orphans, and knows of no child that is to live.
pub fn end_strangers() {
    let start = Instant::now();
    loop {
        let found = strangers();
        if found.is_empty() || start.elapsed() > PATIENCE {
            return;
        }
        for child in found {
            // It may have ended meanwhile. A child that is known is ended and waited for by who knows it.
            let _ = kill_process(child, Signal::KILL);
            let _ = waitpid(Some(child), WaitOptions::NOHANG);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// The status of a child that has ended, if there is one. Of children that are still there, nothing.
pub fn reap() -> Option<(Pid, rustix::process::WaitStatus)> {
    wait(WaitOptions::NOHANG).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_found_behind_any_name() {
        let parent = |text: &str| parent(text.as_bytes());
        assert_eq!(parent("12 (a) S 7 12 12 0"), Some("7".into()));
        assert_eq!(parent("12 (a) S 9 (b)) R 8 12"), Some("8".into()));
        assert_eq!(parent("12"), None);
    }

    #[test]
    fn a_child_is_found() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .expect("sleep");
        let pid = Pid::from_child(&child);
        assert!(children(rustix::process::getpid()).contains(&pid));
        child.kill().expect("ended");
        child.wait().expect("waited for");
    }
}
