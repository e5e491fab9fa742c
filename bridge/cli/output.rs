//! Files that the command writes: whole, or not at all under their names.

use std::error::Error;
use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::iter::successors;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::{Failure, width};
use crate::report::{Report, terminal};
use crate::scratch::{ScratchFile, is_no_place};
use crate::verdict::Verdict;

/// What is written where `path` is named: a link stays, what it leads to is written, /dev/stdout for instance.
///
/// # Errors
/// It is a folder.
pub fn target(path: &Path) -> Result<PathBuf, Failure> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match target.is_dir() {
        true => Err(failed(&target, &Errno::ISDIR.into())),
        false => Ok(target),
    }
}

/// Whether a path that is no folder is that of a device or a pipe.
pub fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file())
}

/// Writes a file under a temporary name and renames it when it is whole. A device or a pipe is written as it is.
///
/// # Errors
/// It cannot be written; nothing is left under its name.
pub fn write_whole(
    path: &Path,
    contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let path = &target(path)?;
    if is_device(path) {
        let write = || -> io::Result<()> {
            check_reader(path)?;
            let mut out = BufWriter::new(fs::OpenOptions::new().write(true).open(path)?);
            contents(&mut out)?;
            out.flush()
        };
        return write().map_err(|error| failed(path, &error));
    }
    let write = || -> io::Result<()> {
        let mut out = BufWriter::new(ScratchFile::beside(path)?);
        contents(&mut out)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.keep(path)
    };
    write().map_err(|error| failed(path, &error))
}

/// Refuses a named pipe that nobody reads: to open it for writing would wait for a reader, perhaps for ever.
///
/// # Errors
/// Nobody reads it.
pub fn check_reader(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;

        use rustix::fs::{Mode, OFlags, open};
        use rustix::io::Errno;

        let is_pipe = fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo());
        if is_pipe
            && open(path, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty()).err()
                == Some(Errno::NXIO)
        {
            return Err(io::Error::other(
                "it is a pipe that nobody reads; start its reader first, or name a file",
            ));
        }
    }
    Ok(())
}

/// Refuses a file that cannot be written, before a run that would be lost.
///
/// # Errors
/// It cannot be written.
pub fn check(path: &Path) -> Result<(), Failure> {
    if fs::metadata(path).is_ok_and(|found| !found.is_dir()) {
        return check_reader(path).map_err(|error| failed(path, &error));
    }
    let writable = ScratchFile::beside(path).map(drop);
    let is_folder = path.is_dir().then_some(std::io::ErrorKind::IsADirectory);
    writable
        .and_then(|()| is_folder.map_or(Ok(()), |kind| Err(kind.into())))
        .map_err(|error| failed(path, &error))
}

/// Whether an error is for want of room.
fn is_disk_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// What prevents an output, and what to do.
pub(super) fn refusal(error: &io::Error) -> String {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "no such folder".into(),
        _ => error.to_string(),
    };
    match error.kind() {
        _ if is_disk_full(error) => format!("{reason}; make room on that disk"),
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            format!("{reason}; name a file in a folder that can be written")
        }
        io::ErrorKind::Other => reason,
        _ if is_no_place(error) => format!("{reason}; name a file in a folder that exists"),
        _ => reason,
    }
}

/// Prints a result, with ANSI colours on a terminal only.
///
/// # Errors
/// It cannot be written. A reader that has seen enough is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    printed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// What became of text for standard output.
///
/// # Errors
/// Those of [`print`].
/// What becomes of an output that belongs to a result: if it cannot be written, a pass is none, and a finding stands.
///
/// # Errors
/// It cannot be written, and there is no finding.
pub fn beside<T>(verdict: Verdict, written: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match written {
        Ok(written) => Ok(Some(written)),
        Err(failure) if verdict.is_finding() => {
            note(&failure.message);
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// Prints a report as wide as the terminal; what reads it instead of one gets lines as long as they are. `time` tells how
/// long it took.
///
/// # Errors
/// Standard output cannot be written.
pub fn print_report(report: &Report, time: Option<String>) -> Result<(), Failure> {
    let width = match io::stdout().is_terminal() {
        true => width::width(),
        false => terminal::UNLIMITED,
    };
    let text = terminal::text(report, width);
    let verdict = terminal::verdict(report, width);
    print(&format!("{text}{}{verdict}", time.unwrap_or_default()))
}

pub(super) fn printed(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(failed(Path::new("standard output"), &error))
        }
        _ => Ok(()),
    }
}

/// Prints a result for programs.
///
/// # Errors
/// Those of [`print`].
pub fn print_json(result: &impl serde::Serialize) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let written = serde_json::to_writer_pretty(&mut out, result).map_err(io::Error::from);
    let written = written.and_then(|()| out.write_all(b"\n"));
    printed(written.and_then(|()| out.flush()))
}

/// Writes to standard error. Where it cannot be written, the result is what it is all the same.
pub fn tell(text: &str) {
    let _ = anstream::stderr().write_all(text.as_bytes());
}

/// Tells something that does not change what the command does.
pub fn note(text: &str) {
    tell(&format!("lockstep: note: {text}\n"));
}

pub(super) fn failed(path: &Path, error: &io::Error) -> Failure {
    let text = format!("{}: cannot be written: {}", path.display(), refusal(error));
    match is_no_place(error) {
        true => Failure::usage(text),
        false => Failure::infrastructure(text),
    }
}

/// Whether an error of reading is the machine's, whatever the path: no file can be opened, no memory, a disk that fails.
pub fn is_limit(error: &(dyn Error + 'static)) -> bool {
    const LIMITS: [Errno; 6] = [
        Errno::MFILE,
        Errno::NFILE,
        Errno::NOMEM,
        Errno::IO,
        Errno::STALE,
        // Of what is unpacked to be read.
        Errno::NOSPC,
    ];
    let causes = successors(Some(error), |error| (*error).source());
    let mut codes = causes.filter_map(|error| error.downcast_ref::<io::Error>()?.raw_os_error());
    codes.any(|code| LIMITS.iter().any(|limit| limit.raw_os_error() == code))
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_is_refused_before_the_run() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(check(&folder.path().join("a.json")).is_ok());
        assert!(check(folder.path()).is_err());
        assert!(check(&folder.path().join("none/a.json")).is_err());
    }

    #[test]
    fn a_path_is_to_blame_or_the_machine() {
        let verdict = |number: i32| {
            let error = io::Error::from_raw_os_error(number);
            failed(Path::new("a"), &error).verdict.exit_code()
        };
        for number in [
            Errno::NOENT,
            Errno::NOTDIR,
            Errno::ISDIR,
            Errno::NAMETOOLONG,
            Errno::LOOP,
        ] {
            assert_eq!(verdict(number.raw_os_error()), 2, "{number}");
        }
        for number in [
            Errno::NOSPC,
            Errno::DQUOT,
            Errno::FBIG,
            Errno::IO,
            Errno::ROFS,
            Errno::ACCESS,
            Errno::PERM,
            Errno::MFILE,
        ] {
            assert_eq!(verdict(number.raw_os_error()), 5, "{number}");
        }
    }
}
