//! Verilator's own description of a design: its tree, as JSON.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::find::Verilator;
use crate::launcher;
use crate::places::Places;
use crate::rejection::tidy;
use crate::verilate::Design;
use crate::verilate_error::VerilateError;
use crate::version::Version;

/// The first version that writes it as JSON.
pub const SINCE: Version = Version {
    major: 5,
    minor: 24,
};

/// Has it write the tree before constants are folded, too: a condition that is always met is in no other.
const EARLY: [&str; 4] = ["--dumpi-tree-json", "1", "--dumpi-V3Assert", "3"];

/// A tree.
#[derive(Clone, Debug)]
pub struct Description {
    /// The tree.
    pub tree: Vec<u8>,
    /// The files that it names.
    pub meta: Vec<u8>,
}

/// Has Verilator describe `design`. What it writes goes to `out_dir`, which is created on demand.
///
/// # Errors
/// [`VerilateError`]: also of a version before [`SINCE`].
pub fn describe(
    design: &Design,
    verilator: &Verilator,
    out_dir: &Path,
) -> Result<Description, VerilateError> {
    let here = Path::new(".");
    fs::create_dir_all(out_dir).map_err(io_error(out_dir))?;
    let places = Places::of(design).map_err(io_error(here))?;
    let out_dir = places.absolute(out_dir);
    let mut command = verilator.command();
    command.current_dir(&out_dir);
    places.link_root(&out_dir).map_err(io_error(&out_dir))?;
    command.args(["--json-only", "--prefix", "Vdescribed", "--Mdir", "."]);
    command.args(EARLY);
    command.args(["--relative-includes", "--no-timing", "--assert"]);
    command.args(["-Wno-lint", "-Wno-style", "-Wno-fatal"]);
    let inside = places.apply(design);
    inside.check_paths(&places)?;
    command.args(inside.arguments());
    let output = command.output().map_err(io_error(&verilator.bin))?;
    if !output.status.success() {
        let message = tidy(launcher::beginning(&output.stderr).trim_end(), &out_dir);
        return Err(VerilateError::Rejected {
            first: message.lines().next().unwrap_or_default().to_owned(),
            version: verilator.version,
            message: places.named(&message),
        });
    }
    let read = |path: PathBuf| fs::read(&path).map_err(io_error(&path));
    let meta = read(out_dir.join("Vdescribed.tree.meta.json"))?;
    let meta = String::from_utf8_lossy(&meta).into_owned();
    let last = out_dir.join("Vdescribed.tree.json");
    let early = early(&out_dir).map_err(io_error(&out_dir))?;
    Ok(Description {
        tree: read(early.unwrap_or(last))?,
        meta: places.named(&meta).into_bytes(),
    })
}

/// The tree as it is written before constants are folded, if this version writes it.
fn early(folder: &Path) -> io::Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with("_assert.tree.json") {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> VerilateError + use<> {
    let path: PathBuf = path.to_owned();
    move |source| VerilateError::Io { path, source }
}
