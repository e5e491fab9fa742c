//! How designs are built at run time.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use verilator_sys::Optimization;

use crate::isolation::Sandbox;

/// How designs are built at run time.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Folder of finished libraries.
    pub cache: PathBuf,
    /// How hard the C++ compiler works.
    pub optimization: Optimization,
    /// Time that a design may take for its initial blocks.
    pub patience: Duration,
    /// What its process may do.
    pub sandbox: Sandbox,
}

impl BuildOptions {
    /// The cache of the user: `LOCKSTEP_CACHE`, else the cache folder of the platform.
    pub fn from_env() -> Self {
        Self {
            cache: cache_folder(|name| env::var_os(name)),
            optimization: Optimization::Full,
            patience: Duration::from_secs(20),
            sandbox: Sandbox::default(),
        }
    }

    /// The same, with so much time for a design's initial blocks.
    #[must_use]
    pub fn waiting(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The same, with files that the design's process may write besides.
    #[must_use]
    pub fn writing(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.sandbox.writable.extend(paths);
        self
    }

    /// The same, with this for the design's process.
    #[must_use]
    pub fn confined(self, sandbox: Sandbox) -> Self {
        Self { sandbox, ..self }
    }
}

/// The folder of the cache, by environment variables. One that is empty is one that is not set.
fn cache_folder(variable: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let below = |name, inside| set(name).map(|base| PathBuf::from(base).join(inside));
    set("LOCKSTEP_CACHE")
        .map(PathBuf::from)
        .or_else(|| below("XDG_CACHE_HOME", "pmu-lockstep"))
        .or_else(|| below("HOME", ".cache/pmu-lockstep"))
        .unwrap_or_else(|| env::temp_dir().join("pmu-lockstep"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn an_empty_variable_is_one_that_is_not_set() {
        let folder = |cache: &str, xdg: &str, home: &str| {
            let of = |value: &str| Some(OsString::from(value));
            cache_folder(|name| match name {
                "LOCKSTEP_CACHE" => of(cache),
                "XDG_CACHE_HOME" => of(xdg),
                "HOME" => of(home),
                _ => None,
            })
        };
        assert_eq!(folder("/a", "/b", "/c"), Path::new("/a"));
        assert_eq!(folder("", "/b", "/c"), Path::new("/b/pmu-lockstep"));
        assert_eq!(folder("", "", "/c"), Path::new("/c/.cache/pmu-lockstep"));
        assert_eq!(folder("", "", ""), env::temp_dir().join("pmu-lockstep"));
    }
}
