//! The bundled RTL with a bug of `tests/planted`.

use std::error::Error;
use std::fs;
use std::path::Path;

/// Copies the RTL to `folder`, with `patch` of `tests/planted` applied, if there is one.
///
/// # Errors
/// A file that cannot be read or written, or a patch that does not fit the RTL.
pub fn plant(patch: Option<&str>, folder: &Path) -> Result<(), Box<dyn Error + Send + Sync>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(root.join("rtl"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "sv") {
            fs::copy(&path, folder.join(path.file_name().ok_or("a file")?))?;
        }
    }
    let Some(patch) = patch else {
        return Ok(());
    };
    let text = fs::read_to_string(root.join("tests/planted").join(patch))?;
    for part in parts(&text) {
        let patch = diffy::Patch::from_str(part)?;
        let name = Path::new(patch.modified().ok_or("a patch names its file")?);
        let path = folder.join(name.file_name().ok_or("a patch names its file")?);
        let before = fs::read_to_string(&path)?;
        fs::write(&path, diffy::apply(&before, &patch)?)?;
    }
    Ok(())
}

/// The parts of a patch, one for each file.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut starts: Vec<_> = text.match_indices("--- a/").map(|(at, _)| at).collect();
    starts.push(text.len());
    let cuts: Vec<_> = starts.windows(2).map(|pair| (pair[0], pair[1])).collect();
    cuts.into_iter().map(move |(from, to)| &text[from..to])
}
