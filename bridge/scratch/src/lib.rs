//! Temporary files and folders, which do not outlive their process for long.
//!
//! Whoever makes one holds a lock of it as long as it is in use; the system ends the lock with the process, however that
//! ends. All have names of one shape, and the next process that makes one in the same place removes those that nobody
//! holds: what a process that was killed left there. Age says nothing: a run may take days.
//!
//! Where the file system knows no such locks (some network file systems), nothing is ever taken for left behind.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::mem;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::geteuid;
use tempfile::{Builder, NamedTempFile};

/// What all names begin with. Nobody names a file of his own like this.
const PREFIX: &str = ".lockstep-scratch-";
/// Letters and digits that follow.
const RANDOM: usize = 12;

/// Whether a file or folder of this name is a temporary one of this program.
pub fn is_scratch(name: &OsStr) -> bool {
    let rest = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    rest.is_some_and(|rest| {
        rest.len() == RANDOM && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// What this process has under temporary names, by whole paths.
static LIVE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn live() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While this lives, other threads can neither make what is temporary nor let go of it: they wait.
#[derive(Debug)]
pub struct Abandoned {
    _live: MutexGuard<'static, BTreeSet<PathBuf>>,
}

/// Removes all that this process has under temporary names: for one that ends without dropping them, before what is
/// returned is dropped.
#[must_use = "what is made after it is dropped stays"]
pub fn abandon() -> Abandoned {
    let mut live = live();
    for path in mem::take(&mut *live) {
        // It may have its name by now, and what cannot be removed is removed by the next command.
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
    }
    Abandoned { _live: live }
}

/// Holds a place among what the process has.
#[derive(Debug)]
struct Entry(PathBuf);

impl Entry {
    /// Makes what is there and holds its place, both or neither for a thread that [abandons](abandon) it.
    fn make(path: &Path, make: impl FnOnce(&Path) -> io::Result<File>) -> io::Result<(File, Self)> {
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let mut live = live();
        let made = make(path)?;
        live.insert(whole.clone());
        Ok((made, Self(whole)))
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        live().remove(&self.0);
    }
}

/// A folder for what a command needs while it runs. It is removed when this is dropped.
#[derive(Debug)]
pub struct ScratchFolder {
    path: PathBuf,
    kept: bool,
    // Both end after the folder is removed.
    _entry: Entry,
    _lock: File,
}

impl ScratchFolder {
    /// Makes one where the system wants temporary files (`TMPDIR`), for this user alone.
    ///
    /// # Errors
    /// It cannot be made there.
    pub fn new() -> io::Result<Self> {
        let parent = env::temp_dir();
        Self::new_in(&parent).map_err(|error| {
            let words = format!(
                "a folder for what is needed meanwhile cannot be made in {}: {error}; name one that can be written with TMPDIR",
                parent.display()
            );
            io::Error::new(error.kind(), words)
        })
    }

    /// Makes one in `parent`, for this user alone.
    ///
    /// # Errors
    /// It cannot be made there.
    pub fn new_in(parent: &Path) -> io::Result<Self> {
        let (made, entry) = make_in(parent, |path| {
            DirBuilder::new().mode(0o700).create(path)?;
            // What is gone already was taken for left behind.
            File::open(path).map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => taken(),
                _ => error,
            })
        })?;
        let (lock, path) = made.into_parts();
        let path = path.keep().map_err(|error| error.error)?;
        Ok(Self {
            _entry: entry,
            path,
            kept: false,
            _lock: lock,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the folder another name, under which it stays, with the rights of any new folder.
    ///
    /// # Errors
    /// It cannot be renamed, and is removed.
    pub fn keep(mut self, path: &Path) -> io::Result<()> {
        open_to_others(&self.path)?;
        fs::rename(&self.path, path)?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if !self.kept {
            // What cannot be removed now is removed by the next command.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Gives a private folder the rights of any new one, which only a new one tells.
///
/// # Errors
/// It cannot be written.
pub fn open_to_others(folder: &Path) -> io::Result<()> {
    let new = folder.join("new");
    fs::create_dir(&new)?;
    let rights = fs::metadata(&new)?.permissions();
    fs::remove_dir(&new)?;
    fs::set_permissions(folder, rights)
}

/// A file that has a temporary name until it is whole. It is removed when this is dropped.
#[derive(Debug)]
pub struct ScratchFile {
    // Its handle holds the lock.
    file: NamedTempFile,
    _entry: Entry,
}

impl ScratchFile {
    /// Makes one in `folder`, with the rights of any new file.
    ///
    /// # Errors
    /// It cannot be made there.
    pub fn new_in(folder: &Path) -> io::Result<Self> {
        let (file, entry) = make_in(folder, |path| {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true).open(path)
        })?;
        Ok(Self {
            file,
            _entry: entry,
        })
    }

    /// Makes one beside `path`, to be [kept](Self::keep) there.
    ///
    /// # Errors
    /// It cannot be made there.
    pub fn beside(path: &Path) -> io::Result<Self> {
        Self::new_in(folder_of(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The file, opened for reading and writing.
    pub fn as_file(&self) -> &File {
        self.file.as_file()
    }

    /// Gives the file its name, in the place of another that had it.
    ///
    /// # Errors
    /// It cannot be renamed, and is removed.
    pub fn keep(self, path: &Path) -> io::Result<()> {
        let kept = self.file.persist(path);
        kept.map(drop).map_err(|error| error.error)
    }
}

impl Write for ScratchFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.as_file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.as_file().flush()
    }
}

impl Seek for ScratchFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.as_file().seek(to)
    }
}

/// The folder that `path` is in.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether an output fails because there can be no file at its path; else the place is one for files, and the machine
/// refuses.
pub fn is_no_place(error: &io::Error) -> bool {
    let kind = error.kind();
    let is_path = matches!(
        kind,
        io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::InvalidFilename
    );
    let code = error.raw_os_error();
    // An error that is not the system's is what was found at the path: a device, or a pipe.
    is_path
        || code == Some(Errno::LOOP.raw_os_error())
        || kind == io::ErrorKind::Other && code.is_none()
}

/// What asks for another name.
fn taken() -> io::Error {
    io::ErrorKind::AlreadyExists.into()
}

/// Makes what `make` makes under a name that nobody has, and locks it.
fn make_in(
    parent: &Path,
    make: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<(NamedTempFile, Entry)> {
    sweep_once(parent);
    let mut names = Builder::new();
    names.prefix(PREFIX).rand_bytes(RANDOM);
    let mut entry = None;
    // What says that a name is taken is called again with another.
    let made = names.make_in(parent, |path| {
        let (made, listed) = Entry::make(path, &make)?;
        // Where there are no such locks, nothing is taken for left behind either.
        let _ = made.lock();
        // Between its making and its lock another process may have taken it for left behind.
        match is_at(&made, path)? {
            true => {
                entry = Some(listed);
                Ok(made)
            }
            false => Err(taken()),
        }
    })?;
    Ok((made, entry.expect("what is made is listed")))
}

/// Whether `path` leads to `file`, and not to another of the same name or to nothing.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let id = |found: fs::Metadata| (found.dev(), found.ino());
    let this = id(file.metadata()?);
    Ok(fs::symlink_metadata(path).is_ok_and(|found| id(found) == this))
}

/// Sweeps a folder that this process has not swept before.
fn sweep_once(folder: &Path) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if swept.insert(folder.to_owned()) {
        sweep(folder);
    }
}

/// Removes from `folder` what dead processes of this user left there. What cannot be removed stays.
pub fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_scratch(&entry.file_name())) {
        // It is the next one's to remove then.
        let _ = remove_if_dead(&entry.path());
    }
}

/// Removes what nobody holds.
fn remove_if_dead(path: &Path) -> io::Result<()> {
    // Others can write to a folder of temporary files too: no link is followed, no pipe waited for.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.cast_signed())
        .open(path)?;
    let found = file.metadata()?;
    if found.uid() != geteuid().as_raw() {
        return Ok(());
    }
    file.try_lock()?;
    // Its owner may have removed or renamed it before the lock was had.
    match is_at(&file, path)? {
        true if found.is_dir() => fs::remove_dir_all(path),
        true if found.is_file() => fs::remove_file(path),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// The name of something that a dead process left in `folder`.
    fn left(folder: &Path) -> PathBuf {
        folder.join(format!("{PREFIX}AbCdEfGh0123"))
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("read");
        let names = entries.map(|entry| entry.expect("read").file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn what_nobody_holds_is_removed_and_what_is_held_stays() {
        let parent = tempfile::tempdir().expect("a folder");
        let live_folder = ScratchFolder::new_in(parent.path()).expect("made");
        let live_file = ScratchFile::new_in(parent.path()).expect("made");
        fs::create_dir_all(left(parent.path()).join("a/b")).expect("made");
        sweep(parent.path());
        assert!(live_folder.path().is_dir() && live_file.path().is_file());
        assert_eq!(names_in(parent.path()).len(), 2);

        drop((live_folder, live_file));
        fs::write(left(parent.path()), "half").expect("written");
        sweep(parent.path());
        assert_eq!(names_in(parent.path()), [""; 0]);
    }

    #[test]
    fn the_next_one_in_the_same_place_sweeps_it() {
        let parent = tempfile::tempdir().expect("a folder");
        fs::create_dir(left(parent.path())).expect("made");
        let next = ScratchFile::new_in(parent.path()).expect("made");
        assert_eq!(names_in(parent.path()).len(), 1);
        next.keep(&parent.path().join("whole")).expect("renamed");
        assert_eq!(names_in(parent.path()), ["whole"]);
    }

    #[test]
    fn names_of_others_and_links_stay() {
        let parent = tempfile::tempdir().expect("a folder");
        let others = [
            ".lockstep-scratch-mine",
            "lockstep-out",
            ".tmpAbCdEf",
            ".lockstep-scratch-AbCdEfGh012.",
        ];
        for name in others {
            fs::write(parent.path().join(name), "").expect("written");
        }
        let target = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(target.path(), left(parent.path())).expect("linked");
        sweep(parent.path());
        assert_eq!(names_in(parent.path()).len(), others.len() + 1);
        assert!(target.path().is_dir());
    }

    #[test]
    fn what_was_taken_before_its_lock_was_had_is_made_again() {
        let parent = tempfile::tempdir().expect("a folder");
        let attempts = Cell::new(0);
        let made = make_in(parent.path(), |path| {
            let file = File::create(path)?;
            attempts.set(attempts.get() + 1);
            match attempts.get() {
                1 => fs::remove_file(path)?,
                2 => {
                    fs::remove_file(path)?;
                    fs::write(path, "another of the same name")?;
                }
                _ => {}
            }
            Ok(file)
        });
        assert!(made.expect("made").0.path().is_file());
        assert_eq!(attempts.get(), 3);
    }

    #[test]
    fn threads_that_make_and_sweep_at_once_take_nothing_from_each_other() {
        let parent = tempfile::tempdir().expect("a folder");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let made = ScratchFolder::new_in(parent.path()).expect("made");
                        sweep(parent.path());
                        fs::write(made.path().join("file"), "text").expect("it is there");
                    }
                });
            }
        });
        assert_eq!(names_in(parent.path()), [""; 0]);
    }

    #[test]
    fn what_is_kept_has_the_rights_of_any_new_file_and_folder() {
        let parent = tempfile::tempdir().expect("a folder");
        let at = |name: &str| parent.path().join(name);
        fs::write(at("usual"), "").expect("written");
        fs::create_dir(at("usual.d")).expect("made");
        let file = ScratchFile::new_in(parent.path()).expect("made");
        file.keep(&at("kept")).expect("kept");
        let folder = ScratchFolder::new_in(parent.path()).expect("made");
        folder.keep(&at("kept.d")).expect("kept");
        let mode = |name: &str| fs::metadata(at(name)).expect("there").mode();
        assert_eq!(mode("kept"), mode("usual"));
        assert_eq!(mode("kept.d"), mode("usual.d"));
    }

    #[test]
    fn an_error_names_no_temporary_file() {
        let error = ScratchFile::new_in(Path::new("/none")).expect_err("refused");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(!error.to_string().contains(PREFIX), "{error}");
        // It is there, and nothing can be made in it.
        let error = ScratchFolder::new_in(Path::new("/proc")).expect_err("refused");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let error = ScratchFolder::new_in(Path::new("/dev/null")).expect_err("refused");
        assert_eq!(error.raw_os_error(), Some(20), "ENOTDIR: {error}");
    }
}
