//! How designs are built at run time.

use std::env;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::num::NonZeroU32;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::geteuid;
use verilator_sys::Optimization;

use super::open_error::OpenError;
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
    /// The initial state of instances, one of random values; zeros without one. It is another build.
    pub start: Option<NonZeroU32>,
    /// Whether instances count coverage of the RTL. It is another build; those with tracing never do.
    pub rtl_coverage: bool,
}

impl BuildOptions {
    /// The cache of the user: `LOCKSTEP_CACHE`, else the cache folder of the platform.
    pub fn from_env() -> Self {
        Self {
            cache: cache_folder(|name| env::var_os(name)),
            optimization: Optimization::Full,
            patience: Duration::from_secs(20),
            sandbox: Sandbox::default(),
            start: None,
            rtl_coverage: false,
        }
    }

    /// Makes the cache, where it is one in a place of all users.
    ///
    /// # Errors
    /// Somebody else can write to it, or it cannot be made.
    pub fn make_cache(&self) -> Result<(), OpenError> {
        if self.cache != in_place_of_all() {
            return Ok(());
        }
        make_own(&self.cache).map_err(|source| OpenError::Cache {
            path: self.cache.clone(),
            source,
        })
    }

    /// The same, with so much time for a design's initial blocks.
    #[must_use]
    pub fn waiting(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The same, for instances that begin with this state.
    #[must_use]
    pub fn starting_from(self, start: Option<NonZeroU32>) -> Self {
        Self { start, ..self }
    }

    /// The same, for instances that count coverage of the RTL, or do not.
    #[must_use]
    pub fn covering(self, rtl_coverage: bool) -> Self {
        Self {
            rtl_coverage,
            ..self
        }
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
        .unwrap_or_else(in_place_of_all)
}

/// The cache of a user without a home, in a place that belongs to all users.
fn in_place_of_all() -> PathBuf {
    env::temp_dir().join(format!("pmu-lockstep-{}", geteuid().as_raw()))
}

/// Makes the folder `path`, unless it is there, for this user alone: what is in it is run.
///
/// # Errors
/// There can be no such folder, or somebody else can write to it.
fn make_own(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(path)?;
    let others_write = found.mode() & 0o022 != 0;
    match found.is_dir() && found.uid() == geteuid().as_raw() && !others_write {
        true => Ok(()),
        false => Err(io::Error::other("a folder that somebody else can write to")),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

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
        assert_eq!(folder("", "", ""), in_place_of_all());
    }

    #[test]
    fn a_cache_in_a_place_of_all_is_the_users_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cache");
        make_own(&path).expect("made");
        make_own(&path).expect("there");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).expect("changed");
        assert!(make_own(&path).is_err());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path(), &link).expect("a link");
        assert!(make_own(&link).is_err());
    }
}
