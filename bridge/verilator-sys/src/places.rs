//! Paths as the design names them, and as Verilator gets them.
//!
//! Verilator looks for modules and included files in its working directory too, so it runs in a folder where none of
//! the design's are: what is built does not depend on where the command runs. There, a link leads to the *root*, the
//! folder that all files of the design have in common, and Verilator gets paths through this link: what it generates
//! is the same wherever the design lies and however its paths are written, and characters that Verilator cannot take
//! are none of a path's above the root. What it generates names files from the root on; what it says and lists names
//! them as the design does.

#[cfg(feature = "shared")]
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[cfg(feature = "shared")]
use crate::compile::{CompileError, Hash};
#[cfg(feature = "shared")]
use crate::design::file_names;
use crate::design::{Design, absolute};
#[cfg(feature = "shared")]
use crate::source_file::SourceFile;
use crate::verilate_error::VerilateError;

/// An absolute path, and what the design calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    absolute: String,
    written: String,
}

/// The paths of a design.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    base: PathBuf,
    /// The longest first, so that a file goes before its folder.
    places: Vec<Place>,
    /// What all absolute paths of those that are relative begin with; empty if none is.
    common: String,
    /// The folder that all files and folders of the design have in common, if that is not the root of all.
    root: Option<PathBuf>,
}

/// What files are called that have other names inside of a library, which is the same wherever they lie.
#[cfg(feature = "shared")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names(BTreeMap<String, String>);

#[cfg(feature = "shared")]
impl Names {
    /// What a file is called, by its name inside.
    pub fn of<'a>(&'a self, inside: &'a str) -> &'a str {
        self.0.get(inside).map_or(inside, String::as_str)
    }

    /// `text` with these names where it tells of a place in a file.
    pub fn in_text(&self, text: &str) -> String {
        let word = |word: &str| match word.split_once(':') {
            Some((name, place)) => format!("{}:{place}", self.of(name)),
            None => word.to_owned(),
        };
        text.split_inclusive(char::is_whitespace)
            .map(word)
            .collect()
    }
}

/// Name of the link to the root in the folder where Verilator runs.
pub(crate) const LINK: &str = "lockstep-design-root";

impl Places {
    /// The places of `design`, whose relative paths start from the working directory.
    ///
    /// # Errors
    /// There is no working directory.
    pub(crate) fn of(design: &Design) -> io::Result<Places> {
        Ok(Places::from_base(design, &env::current_dir()?))
    }

    fn from_base(design: &Design, base: &Path) -> Places {
        let files = || design.sources.iter().chain(&design.library_files);
        let folders = design.include_dirs.iter().chain(&design.library_dirs);
        let mut found = Places {
            base: base.to_owned(),
            places: Vec::new(),
            common: String::new(),
            root: root(design, base),
        };
        for path in files().chain(folders) {
            found.add(path);
        }
        for argument in design.path_arguments(base) {
            found.add(&argument);
        }
        // What a file includes may lie beside it.
        for path in files() {
            found.add(path.parent().unwrap_or(Path::new("")));
        }
        let places = &mut found.places;
        places.sort_by_key(|place| usize::MAX - place.absolute.len());
        let mut relative = places
            .iter()
            .filter(|place| place.absolute != place.written)
            .map(|place| place.absolute.as_str());
        found.common = relative.next().map_or(String::new(), |first| {
            let common = relative.fold(first, |common, path| {
                let same = common.bytes().zip(path.bytes()).take_while(|(a, b)| a == b);
                let mut length = same.count();
                while !common.is_char_boundary(length) {
                    length -= 1;
                }
                &common[..length]
            });
            common.to_owned()
        });
        found
    }

    /// Adds a path, and the one that its links lead to. The first to give a path its name keeps it.
    fn add(&mut self, written: &Path) {
        let absolute = self.absolute(written);
        let resolved = fs::canonicalize(&absolute).ok();
        let canonical = canonical(&self.base, written);
        for absolute in [Some(absolute), Some(canonical), resolved]
            .into_iter()
            .flatten()
        {
            let (Some(absolute), Some(written)) = (absolute.to_str(), written.to_str()) else {
                continue;
            };
            let known = self.places.iter().any(|place| place.absolute == absolute);
            // The root is a part of every path.
            if !known && absolute.len() > 1 {
                self.places.push(Place {
                    absolute: absolute.to_owned(),
                    written: written.to_owned(),
                });
            }
        }
    }

    /// A path as an absolute one.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        absolute(&self.base, path)
    }

    /// Makes the link to the root in `folder`, in which Verilator is to run.
    ///
    /// # Errors
    /// It cannot be made.
    pub(crate) fn link_root(&self, folder: &Path) -> io::Result<()> {
        let link = folder.join(LINK);
        match fs::remove_file(&link) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let make = |root| std::os::unix::fs::symlink(root, link);
        self.root.as_ref().map_or(Ok(()), make)
    }

    /// The name that what is generated has for a file of the design: from the root on. It is the same wherever the
    /// design lies.
    pub(crate) fn inside(&self, path: &Path) -> PathBuf {
        let path = canonical(&self.base, path);
        let inside = self.root.as_ref().map(|root| path.strip_prefix(root));
        match inside {
            Some(Ok(inside)) => inside.to_owned(),
            _ => path,
        }
    }

    /// The file that [`inside`](Places::inside) has a name for.
    #[cfg(feature = "shared")]
    pub(crate) fn outside(&self, name: &Path) -> PathBuf {
        self.root.as_deref().unwrap_or(Path::new("")).join(name)
    }

    /// A path of the design as Verilator gets it, from the folder where it runs.
    fn given(&self, path: &Path) -> PathBuf {
        let inside = self.inside(path);
        match inside.is_relative() {
            true if inside.as_os_str().is_empty() => LINK.into(),
            true => Path::new(LINK).join(inside),
            false => inside,
        }
    }

    /// The design as Verilator gets it.
    pub(crate) fn apply(&self, design: &Design) -> Design {
        let all = |paths: &[PathBuf]| paths.iter().map(|path| self.given(path)).collect();
        let given = |path: &str| self.given(Path::new(path)).to_string_lossy().into_owned();
        Design {
            sources: all(&design.sources),
            include_dirs: all(&design.include_dirs),
            library_dirs: all(&design.library_dirs),
            library_files: all(&design.library_files),
            arguments: design.arguments_at(&self.base, &given),
            ..design.clone()
        }
    }

    /// `text`, which was generated, with the names that [`inside`](Places::inside) gives.
    pub(crate) fn named_inside(&self, text: &str) -> String {
        text.replace(&format!("{LINK}/"), "")
    }

    /// What the design calls files that have other names inside.
    #[cfg(feature = "shared")]
    pub(crate) fn names(&self, files: &[SourceFile]) -> Names {
        let names = files.iter().map(|file| {
            let inside = self.inside(&file.path).to_string_lossy().into_owned();
            (inside, self.named(&file.path.to_string_lossy()))
        });
        Names(names.collect())
    }

    /// `text` with the paths as the design names them.
    pub(crate) fn named(&self, text: &str) -> String {
        let root = self.root.as_ref().map(|root| root.to_string_lossy());
        let text = text.replace(LINK, &root.unwrap_or_default());
        let text = text.as_str();
        if self.common.is_empty() {
            return text.to_owned();
        }
        let mut named = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(&self.common) {
            let (before, from) = rest.split_at(at);
            named.push_str(before);
            let inside = before.chars().next_back().is_some_and(is_of_a_name);
            let (length, name) = match inside {
                true => (self.common.len(), None),
                false => self.name_at(from).unwrap_or((self.common.len(), None)),
            };
            named.push_str(name.unwrap_or(&from[..length]));
            rest = &from[length..];
        }
        named + rest
    }

    /// The bytes of the place that `text` begins with, and what it is called, if that is something else.
    fn name_at(&self, text: &str) -> Option<(usize, Option<&str>)> {
        self.places.iter().find_map(|Place { absolute, written }| {
            let after = text.strip_prefix(absolute.as_str())?;
            if after.starts_with(is_of_a_name) {
                return None;
            }
            // A file of the folder where the command runs has no folder.
            if matches!(written.as_str(), "" | ".") {
                return Some(match after.starts_with('/') {
                    true => (absolute.len() + 1, Some("")),
                    false => (absolute.len(), Some(".")),
                });
            }
            Some((absolute.len(), (absolute != written).then_some(written)))
        })
    }
}

impl Design {
    /// Checks that Verilator can take the paths of this, which is what it gets of a design.
    ///
    /// # Errors
    /// A path that it would read as something else.
    pub(crate) fn check_paths(&self, places: &Places) -> Result<(), VerilateError> {
        let files = self.sources.iter().chain(&self.library_files);
        let folders = self.include_dirs.iter().chain(&self.library_dirs);
        let taken = |path: &Path| {
            let text = path.to_str();
            text.is_some_and(|text| !text.contains(|c: char| "$\"".contains(c) || c.is_control()))
        };
        match files.chain(folders).find(|path| !taken(path)) {
            None => Ok(()),
            Some(path) => Err(VerilateError::Path {
                path: places.named(&path.to_string_lossy()).into(),
            }),
        }
    }

    /// Adds to `hash` all that is known of the design before Verilator runs: what it is told, the
    /// contents of the named files, and the names of the files in the folders that it searches, since
    /// a new one may take the place of another. Where the design lies, and how its paths are written, is none of it.
    ///
    /// # Errors
    /// A file that cannot be read.
    #[cfg(feature = "shared")]
    pub(crate) fn hash(&self, places: &Places, hash: &mut Hash) -> Result<(), CompileError> {
        // A stop names the file as Verilator gets it, so the name belongs to the key.
        for argument in places.apply(self).arguments() {
            hash.bytes(argument.as_encoded_bytes());
        }
        for path in self.sources.iter().chain(&self.library_files) {
            if path.is_file() {
                hash.file(path)?;
            }
        }
        for folder in self.include_dirs.iter().chain(&self.library_dirs) {
            hash.text("folder");
            for name in file_names(folder) {
                hash.bytes(name.as_encoded_bytes());
            }
        }
        Ok(())
    }
}

/// `path`, which starts from `base` if it is relative, without links and `..` in its folders. A link to a file stays:
/// what the file includes lies beside the link.
fn canonical(base: &Path, path: &Path) -> PathBuf {
    let path = absolute(base, path);
    let whole = || fs::canonicalize(&path).ok();
    let in_folder = || {
        let folder = fs::canonicalize(path.parent()?).ok()?;
        Some(folder.join(path.file_name()?))
    };
    let found = match path.is_dir() {
        true => whole(),
        false => in_folder().or_else(whole),
    };
    found.unwrap_or(path)
}

/// The folder that all files and folders of a design have in common, if that is not the root of all.
fn root(design: &Design, base: &Path) -> Option<PathBuf> {
    let files = design.sources.iter().chain(&design.library_files);
    let files = files.filter_map(|path| canonical(base, path).parent().map(Path::to_owned));
    let folders = design.include_dirs.iter().chain(&design.library_dirs);
    let folders = folders.map(|path| canonical(base, path));
    let common = |a: PathBuf, b: PathBuf| {
        let same = a.components().zip(b.components());
        let same = same.take_while(|(a, b)| a == b);
        same.map(|(part, _)| part).collect::<PathBuf>()
    };
    let root = files.chain(folders).reduce(common)?;
    root.parent().is_some().then_some(root)
}

/// Whether a path goes on with this: `/a/b` is not in `/a/bc`.
fn is_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '+' | '~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        let design = Design {
            sources: vec!["w.sv".into(), "/base/given.sv".into(), "sub/a.sv".into()],
            include_dirs: vec![".".into(), "../in".into()],
            library_dirs: vec!["lib".into()],
            ..Design::default()
        };
        Places::from_base(&design, Path::new("/base"))
    }

    #[test]
    fn paths_are_named_as_the_design_names_them() {
        for (text, named) in [
            ("%Error: /base/w.sv:3:4: no", "%Error: w.sv:3:4: no"),
            ("/base/given.sv:1", "/base/given.sv:1"),
            ("\"/base/sub/b.svh\"", "\"sub/b.svh\""),
            ("/base/../in/x.svh and /base/x.svh", "../in/x.svh and x.svh"),
            ("/base/lib/c.v /base/library/c.v", "lib/c.v library/c.v"),
            ("in '/base'", "in '.'"),
            (
                "/other/base/w.sv /baseline/w.sv",
                "/other/base/w.sv /baseline/w.sv",
            ),
        ] {
            assert_eq!(places().named(text), named);
        }
    }

    #[test]
    fn absolute_paths_stay() {
        let design = Design {
            sources: vec!["/base/w.sv".into()],
            ..Design::default()
        };
        let places = Places::from_base(&design, Path::new("/base"));
        assert_eq!(places.named("/base/w.sv:1"), "/base/w.sv:1");
    }

    #[test]
    fn verilator_gets_the_same_however_paths_are_written() {
        let folder = tempfile::tempdir().expect("created");
        let base = folder.path();
        for (place, file) in [("here/rtl", "rtl/a.sv"), ("there/ip", "a.sv")] {
            fs::create_dir_all(base.join(place).join("in")).expect("created");
            fs::write(base.join(place).join("a.sv"), file).expect("written");
        }
        std::os::unix::fs::symlink(base.join("there"), base.join("link")).expect("linked");
        let given = |from: &str, path: &str| {
            let rtl = Path::new(path);
            let design = Design {
                sources: vec![rtl.join("a.sv")],
                // Spelled in another way than the sources.
                include_dirs: vec![
                    fs::canonicalize(base.join(from).join(rtl))
                        .expect("there")
                        .join("in"),
                ],
                arguments: vec![format!("{path}/a.sv")],
                top: "t".into(),
                ..Design::default()
            };
            let places = Places::from_base(&design, &base.join(from));
            let name = rtl.join("a.sv").display().to_string();
            assert_eq!(
                places.named(&format!("at {LINK}/a.sv:3")),
                format!("at {name}:3")
            );
            assert_eq!(places.inside(&rtl.join("a.sv")), Path::new("a.sv"));
            let given = places.apply(&design).arguments();
            given
                .iter()
                .map(|word| word.to_string_lossy().into_owned())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let expected = format!("--top-module t -I{LINK}/in {LINK}/a.sv {LINK}/a.sv");
        let absolute = base.join("here/rtl");
        for (from, path) in [
            ("here", "rtl"),
            ("there", "../here/rtl"),
            ("there", absolute.to_str().expect("UTF-8")),
            (".", "there/ip"),
            (".", "link/ip"),
        ] {
            assert_eq!(given(from, path), expected, "{path} from {from}");
        }
    }
}
