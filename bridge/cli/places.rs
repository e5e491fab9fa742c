//! Files that a command reads and writes, told apart before anything is written: of two outputs that are one file, the
//! second would replace the first without a word.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Failure;
use crate::scratch::{ScratchFile, folder_of};

/// The files of a command.
#[derive(Default)]
pub struct Places {
    written: Vec<Place>,
    read: Vec<Place>,
}

/// A file, and what the user calls it.
struct Place {
    name: String,
    file: Identity,
}

/// What makes a file one file: links and spellings do not.
#[derive(PartialEq, Eq)]
enum Identity {
    /// It is there: device and inode.
    There(u64, u64),
    /// It is not there yet: the folder that is there, and the path from it.
    New(PathBuf, PathBuf),
}

impl Identity {
    /// `None` for devices and pipes, which any number may be written to, and for what cannot be.
    fn of(path: &Path) -> Option<Self> {
        match fs::metadata(path) {
            Ok(found) => Self::there(&found),
            Err(_) => {
                // A link that leads nowhere is a name for what it leads to.
                let path = std::path::absolute(target(path)).ok()?;
                let mut parts = path.ancestors();
                let (part, folder) =
                    parts.find_map(|part| Some((part, fs::canonicalize(part).ok()?)))?;
                let rest = path.strip_prefix(part).ok()?.to_owned();
                Some(Self::New(folder, rest))
            }
        }
    }

    fn there(found: &Metadata) -> Option<Self> {
        let file = found.is_file() || found.is_dir();
        file.then(|| Self::There(found.dev(), found.ino()))
    }

    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::New(a, x), Self::New(b, y)) => {
                let same_but_for_case = || x.as_os_str().eq_ignore_ascii_case(y.as_os_str());
                a == b && (x == y || same_but_for_case() && folds_case(a))
            }
            _ => self == other,
        }
    }
}

/// What a link leads to, through others.
fn target(path: &Path) -> PathBuf {
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        let Ok(next) = fs::read_link(&path) else {
            break;
        };
        path = folder_of(&path).join(next);
    }
    path
}

/// Whether names in a folder that differ in their case alone are one.
fn folds_case(folder: &Path) -> bool {
    let Ok(probe) = ScratchFile::new_in(folder) else {
        return false;
    };
    let name = probe.path().file_name().unwrap_or_default();
    folder.join(name.to_ascii_uppercase()).exists()
}

/// Whether two paths lead to one file, which is there or not.
pub fn is_one_file(a: &Path, b: &Path) -> bool {
    // What one path leads to can become another between two looks: a folder on the way is made by somebody else.
    if a == b {
        return true;
    }
    let [a, b] = [a, b].map(Identity::of);
    a.zip(b).is_some_and(|(a, b)| a.is(&b))
}

/// A file that is open, if it is one.
fn open_place(name: &str, open: &impl AsFd) -> Option<Place> {
    let file = File::from(open.as_fd().try_clone_to_owned().ok()?);
    let file = Identity::there(&file.metadata().ok()?)?;
    let name = name.into();
    Some(Place { name, file })
}

impl Places {
    /// Of a command that writes its result to standard output, which may be a file.
    pub fn new() -> Self {
        let place = open_place("standard output", &io::stdout());
        Self {
            written: place.into_iter().collect(),
            read: Vec::new(),
        }
    }

    /// Adds an output: option and value.
    #[must_use]
    pub fn writes(mut self, option: &str, path: Option<&Path>) -> Self {
        self.written.extend(place(option, path));
        self
    }

    /// Adds files of an output folder.
    #[must_use]
    pub fn writes_in<'a>(
        mut self,
        option: &str,
        folder: &Path,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let paths = names.into_iter().map(|name| folder.join(name));
        self.written
            .extend(paths.filter_map(|path| place(&format!("{option}:"), Some(&path))));
        self
    }

    /// Adds an input.
    #[must_use]
    pub fn reads(mut self, option: &str, path: Option<&Path>) -> Self {
        self.read.extend(place(option, path));
        self
    }

    /// Adds the dump, which may be on standard input, and that a file.
    #[must_use]
    pub fn reads_dump(mut self, path: &Path) -> Self {
        if path != Path::new("-") {
            return self.reads("the dump", Some(path));
        }
        let place = open_place("the dump on standard input", &io::stdin());
        self.read.extend(place);
        self
    }

    /// Checks that all outputs are different files, and none is an input.
    ///
    /// # Errors
    /// Two of them are one file.
    pub fn check(&self) -> Result<(), Failure> {
        for (k, output) in self.written.iter().enumerate() {
            if let Some(other) = self.written[..k]
                .iter()
                .find(|other| other.file.is(&output.file))
            {
                return Err(Failure::usage(format!(
                    "{} and {} are one file: expected two, of which neither replaces the other; name another file",
                    other.name, output.name
                )));
            }
            if let Some(input) = self.read.iter().find(|input| input.file.is(&output.file)) {
                return Err(Failure::usage(format!(
                    "{} and {} are one file: expected an output that does not replace what is read; name another file",
                    input.name, output.name
                )));
            }
        }
        Ok(())
    }
}

fn place(option: &str, path: Option<&Path>) -> Option<Place> {
    let path = path?;
    let name = match option {
        "" => path.display().to_string(),
        _ => format!("{option} {}", path.display()),
    };
    Some(Place {
        name,
        file: Identity::of(path)?,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_and_spellings_are_one_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "").expect("written");
        fs::create_dir(at("d")).expect("made");
        fs::hard_link(at("a"), at("hard")).expect("linked");
        symlink("a", at("soft")).expect("linked");
        symlink("new", at("dangling")).expect("linked");
        symlink(".", at("here")).expect("linked");
        symlink("loop", at("loop")).expect("linked");
        for (a, b) in [
            ("a", "./a"),
            ("a", "d/../a"),
            ("a", "hard"),
            ("a", "soft"),
            ("new", "./new"),
            ("new", "here/new"),
            ("new", "dangling"),
            ("none/x", "d/../none/./x"),
            ("d", "here/d"),
        ] {
            assert!(is_one_file(&at(a), &at(b)), "{a} {b}");
        }
        for (a, b) in [("a", "b"), ("new", "old"), ("a", "d"), ("d/new", "new")] {
            assert!(!is_one_file(&at(a), &at(b)), "{a} {b}");
        }
        // Only where the file system says so.
        let one = fs::write(at("Case"), "").is_ok() && at("cASE").exists();
        assert_eq!(is_one_file(&at("upper"), &at("UPPER")), one);
    }

    #[test]
    fn devices_may_stand_twice() {
        let null = Some(Path::new("/dev/null"));
        let places = Places::default()
            .writes("--record", null)
            .writes("--html", null);
        assert!(places.check().is_ok());
    }

    #[test]
    fn two_places_that_are_one_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let checked = |record: &str, html: &str| {
            let checked = Places::default()
                .writes("--record", Some(&at(record)))
                .writes("--html", Some(&at(html)))
                .writes("--coverage", None)
                .writes_in("--out", &at("out"), ["report.html"])
                .reads("--waivers", Some(&at("w.toml")))
                .check();
            checked.map_err(|failure| failure.message.replace(&at("").display().to_string(), ""))
        };
        fs::create_dir(at("out")).expect("made");
        assert_eq!(checked("a", "b"), Ok(()));
        let two =
            "are one file: expected two, of which neither replaces the other; name another file";
        assert_eq!(
            checked("a", "a"),
            Err(format!("--record a and --html a {two}"))
        );
        let report = "out/report.html";
        assert_eq!(
            checked("a", report),
            Err(format!("--html {report} and --out: {report} {two}"))
        );
        let read = "are one file: expected an output that does not replace what is read; name another file";
        assert_eq!(
            checked("w.toml", "b"),
            Err(format!("--waivers w.toml and --record w.toml {read}"))
        );
    }
}
