//! Paths as the design names them, and as Verilator gets them.
//!
//! Verilator looks for modules and included files in its working directory too, so it runs in a folder where none of
//! the design's are: what is built does not depend on where the command runs. It gets absolute paths then; what it
//! says, lists and generates names the files as the design does.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::design::Design;

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
}

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
        let canonical = fs::canonicalize(&absolute).ok();
        for absolute in [Some(absolute), canonical].into_iter().flatten() {
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

    /// A path of the design as Verilator gets it.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        absolute(&self.base, path)
    }

    /// The design as Verilator gets it.
    pub(crate) fn apply(&self, design: &Design) -> Design {
        let all = |paths: &[PathBuf]| paths.iter().map(|path| self.absolute(path)).collect();
        Design {
            sources: all(&design.sources),
            include_dirs: all(&design.include_dirs),
            library_dirs: all(&design.library_dirs),
            library_files: all(&design.library_files),
            arguments: design.absolute_arguments(&self.base),
            ..design.clone()
        }
    }

    /// `text` with the paths as the design names them.
    pub(crate) fn named(&self, text: &str) -> String {
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

/// `path`, which starts from `base` if it is relative, without `.` parts.
pub(crate) fn absolute(base: &Path, path: &Path) -> PathBuf {
    let joined = base.join(path);
    // The empty path is the only one that cannot be, and it is joined to `base`.
    std::path::absolute(&joined).unwrap_or(joined)
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
        assert_eq!(places.apply(&design), design);
    }

    #[test]
    fn verilator_gets_absolute_paths() {
        let design = places();
        assert_eq!(
            design.absolute(Path::new("./a/b.sv")),
            Path::new("/base/a/b.sv")
        );
        assert_eq!(design.absolute(Path::new("/a.sv")), Path::new("/a.sv"));
    }
}
