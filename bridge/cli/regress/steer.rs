//! Profiles that move to what was not taken before, and their files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::cli::output_folder::OutputFolder;
use crate::cli::rtl::progress::Busy;
use crate::cli::{Failure, output};
use crate::interrupt;
use crate::regress::plan::Plan;
use crate::regress::steering::{Steering, Taken};
use crate::stimulus::Profile;

/// The folder of profiles, in that of the results.
const PROFILES: &str = "steered";

/// Profiles that runs of a plan have now.
pub(super) struct Steered {
    folder: PathBuf,
    profiles: BTreeMap<String, Profile>,
}

/// Gives the runs of `plan` profiles that take more of what `taken` lacks. Paths of the suite start in `folder`, results are
/// in `out`.
///
/// # Returns
/// None if the user did not want to wait.
///
/// # Errors
/// A profile of the suite cannot be used.
pub(super) fn steer(
    plan: &mut Plan,
    taken: &Taken,
    folder: &Path,
    out: &Path,
    jobs: usize,
) -> Result<Option<Steered>, Failure> {
    let _busy = Busy::start("choosing profiles by what was not taken yet");
    let interrupted: Arc<AtomicBool> = Arc::default();
    interrupt::ask(interrupted.clone());
    // Command lines of runs are for the folder of the suite: they are the same where all of it is moved.
    let profiles = out.strip_prefix(folder).unwrap_or(out).join(PROFILES);
    let steering = Steering {
        folder,
        profiles: &profiles,
        jobs,
        tick: &|| !interrupted.load(Ordering::Relaxed),
    };
    let steered = steering.steer(plan, taken).map_err(Failure::input)?;
    let Some(profiles) = steered else {
        interrupt::heard();
        return Ok(None);
    };
    Ok(Some(Steered {
        folder: out.join(PROFILES),
        profiles,
    }))
}

impl Steered {
    /// Writes the profiles, each to a file. Shards that share a folder write the same.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn write(&self) -> Result<(), Failure> {
        if self.profiles.is_empty() {
            return Ok(());
        }
        let folder = OutputFolder::shared(&self.folder)?;
        for (name, profile) in &self.profiles {
            output::write_whole(&folder.file(name), |to| {
                to.write_all(profile.to_toml().as_bytes())
            })?;
        }
        Ok(())
    }
}
