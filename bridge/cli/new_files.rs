//! Files that a command writes for the user to go on with.

use std::fs;
use std::path::Path;

use super::Failure;
use super::output::write_whole;
use crate::scratch::is_no_place;

/// A file: its name and what is in it.
pub type NewFile = (&'static str, String);

/// Writes files into `folder`, which is made if it is not there. Those of `own` may have the user's changes: where one is
/// there, they are only written with `force`.
///
/// # Returns
/// The paths, a line each.
///
/// # Errors
/// A file is there, or cannot be written.
pub fn write(
    folder: &Path,
    always: &[NewFile],
    own: &[NewFile],
    force: bool,
) -> Result<String, Failure> {
    fs::create_dir_all(folder).map_err(|error| {
        let text = format!(
            "{}: cannot be created: {error}; name a folder that can be written",
            folder.display()
        );
        match is_no_place(&error) {
            true => Failure::usage(text),
            false => Failure::infrastructure(text),
        }
    })?;
    if !force && let Some((name, _)) = own.iter().find(|(name, _)| folder.join(name).exists()) {
        return Err(Failure::usage(format!(
            "{}: is there already, and may have your changes; name another folder, or overwrite with --force",
            folder.join(name).display()
        )));
    }
    let mut lines = String::new();
    for (name, text) in always.iter().chain(own) {
        let path = folder.join(name);
        write_whole(&path, |out| out.write_all(text.as_bytes()))?;
        lines.push_str(&format!("{}\n", path.display()));
    }
    Ok(lines)
}
