//! Paths in results for programs, which are text: what of a path is none is shown as a replacement character, and the
//! result is there all the same.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

/// One path, or several, or perhaps one.
pub trait ShownPath {
    /// Serializes as text.
    ///
    /// # Errors
    /// Those of `to`.
    fn show<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error>;
}

impl ShownPath for Path {
    fn show<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.display())
    }
}

impl ShownPath for PathBuf {
    fn show<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.as_path().show(to)
    }
}

impl<P: ShownPath + ?Sized> ShownPath for &P {
    fn show<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (**self).show(to)
    }
}

impl<P: ShownPath> ShownPath for Option<P> {
    fn show<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(path) => to.serialize_some(&Shown(path)),
            None => to.serialize_none(),
        }
    }
}

impl<P: ShownPath> ShownPath for Vec<P> {
    fn show<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(Shown))
    }
}

struct Shown<'p, P>(&'p P);

impl<P: ShownPath> Serialize for Shown<'_, P> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.show(to)
    }
}

/// For `#[serde(serialize_with)]`.
///
/// # Errors
/// Those of `to`.
pub fn serialize<P: ShownPath, S: Serializer>(path: &P, to: S) -> Result<S::Ok, S::Error> {
    path.show(to)
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[derive(Serialize)]
    struct Paths<'p> {
        #[serde(serialize_with = "serialize")]
        one: &'p Path,
        #[serde(serialize_with = "serialize")]
        perhaps: Option<PathBuf>,
        #[serde(serialize_with = "serialize")]
        several: Vec<PathBuf>,
    }

    #[test]
    fn other_bytes_are_shown() {
        let odd = Path::new(OsStr::from_bytes(b"a\xff"));
        let paths = Paths {
            one: odd,
            perhaps: Some(odd.into()),
            several: vec!["b".into(), odd.into()],
        };
        let json = serde_json::to_string(&paths).expect("JSON");
        assert_eq!(
            json,
            "{\"one\":\"a\u{fffd}\",\"perhaps\":\"a\u{fffd}\",\"several\":[\"b\",\"a\u{fffd}\"]}"
        );
    }
}
