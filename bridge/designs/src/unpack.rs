//! The bundled RTL as files, wherever the program is.

use std::fs;
use std::path::{Path, PathBuf};

use verilator_sys::held::hold;

use super::open_error::OpenError;
use lockstep_scratch::ScratchFolder;

/// The bundled RTL: file name and text, packages first.
const BUNDLED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/bundled_rtl.rs"));

/// Writes the bundled RTL below the cache, once for each version of it, and names its files, packages first.
///
/// # Errors
/// The cache cannot be written.
pub(super) fn unpack(cache: &Path) -> Result<Vec<PathBuf>, OpenError> {
    let mut hash = twox_hash::XxHash3_128::new();
    for (name, text) in BUNDLED {
        hash.write(name.as_bytes());
        hash.write(text.as_bytes());
    }
    let folder = cache.join(format!("rtl-{:032x}", hash.finish_128()));
    let io = |path: &Path, source| OpenError::Cache {
        path: path.into(),
        source,
    };
    // One that is damaged is made again; nobody prunes it while it is compiled.
    let is_whole = || {
        let mut files = BUNDLED.iter();
        files.all(|(name, text)| {
            fs::read(folder.join(name)).is_ok_and(|found| found == text.as_bytes())
        })
    };
    if !(hold(&folder) && is_whole()) {
        // There may be none.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(cache).map_err(|error| io(cache, error))?;
        let draft = ScratchFolder::new_in(cache).map_err(|error| io(cache, error))?;
        for (name, text) in BUNDLED {
            let path = draft.path().join(name);
            fs::write(&path, text).map_err(|error| io(&path, error))?;
        }
        // Another process may have been faster: its folder is as good.
        if let Err(error) = draft.keep(&folder)
            && !folder.is_dir()
        {
            return Err(io(&folder, error));
        }
        hold(&folder);
    }
    Ok(BUNDLED.iter().map(|(name, _)| folder.join(name)).collect())
}
