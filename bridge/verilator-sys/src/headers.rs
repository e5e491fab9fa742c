//! Verilator's headers, compiled once for all designs of a cache: to read them takes longer than to compile most units.

use std::fs;
use std::path::{Path, PathBuf};

use lockstep_scratch::ScratchFolder;

use crate::compile::{Compiler, HOOKS, Hash, object_hash};
use crate::held::hold;

/// What the name of what was compiled has beside that of its header, for GCC to find it.
const COMPILED: &str = ".gch";

/// The header that units include first, which GCC finds a compiled form beside. None where the compiler is another one,
/// or where it did not work: units include the headers themselves then, and any error is theirs.
///
/// `folder` is that of the run time's objects, which this is one of: `headers-KEY.HASH.h.gch`, with its own hash.
pub(crate) fn precompiled(
    compiler: &Compiler,
    include_dirs: &[PathBuf],
    run_time_hash: &str,
    folder: &Path,
) -> Option<PathBuf> {
    if !compiler.is_gcc {
        return None;
    }
    let text: String = [HOOKS, "verilated.h", "verilated_vcd_c.h"]
        .iter()
        .map(|name| format!("#include \"{name}\"\n"))
        .collect();
    let mut key = Hash::new();
    key.text(compiler.identity()).text(run_time_hash);
    let start = format!("headers-{}.", &key.text(&text).finish()[..32]);
    fs::create_dir_all(folder).ok()?;
    let header = known(folder, &start).or_else(|| {
        let draft = ScratchFolder::new_in(folder).ok()?;
        let draft = draft.path().join("headers.h");
        fs::write(&draft, &text).ok()?;
        let made = compiled(&draft);
        compiler.compile_header(&draft, include_dirs, &made).ok()?;
        // Of builds side by side the first one's stays: it is tens of megabytes.
        known(folder, &start).or_else(|| {
            let header = folder.join(format!("{start}{}.h", object_hash(&made).ok()?));
            let compiled = compiled(&header);
            fs::rename(&made, &compiled).ok()?;
            hold(&compiled).then_some(header)
        })
    })?;
    // What is compiled stands for it, but GCC must be able to go on without.
    let is_there = fs::read_to_string(&header).is_ok_and(|found| found == text);
    (is_there || fs::write(&header, text).is_ok()).then_some(header)
}

/// The header whose compiled form is there, and as it was made.
fn known(folder: &Path, start: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let mut headers = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let header = name.strip_prefix(start)?.strip_suffix(COMPILED)?;
        Some((entry.path(), header.strip_suffix(".h")?.to_owned()))
    });
    headers.find_map(|(path, hash)| {
        let is_whole = hold(&path) && object_hash(&path).is_ok_and(|found| found == hash);
        if !is_whole {
            // Another build may have been faster.
            let _ = fs::remove_file(&path);
        }
        is_whole.then(|| folder.join(format!("{start}{hash}.h")))
    })
}

fn compiled(header: &Path) -> PathBuf {
    let mut name = header.as_os_str().to_owned();
    name.push(COMPILED);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Unit, objects};

    #[test]
    fn headers_are_compiled_once_and_again_when_they_are_damaged() {
        let scratch = ScratchFolder::new().expect("a folder");
        let folder = scratch.path();
        fs::write(folder.join(HOOKS), "#define HOOKS 1\n").expect("written");
        fs::write(
            folder.join("verilated.h"),
            "static int twice(int a) { return a + a; }\n",
        )
        .expect("written");
        fs::write(folder.join("verilated_vcd_c.h"), "").expect("written");
        let compiler = Compiler::find().expect("a compiler");
        let include_dirs = [folder.to_owned()];
        let cache = folder.join("run_time");
        let again = || precompiled(&compiler, &include_dirs, "", &cache);
        let Some(header) = again() else {
            assert!(!compiler.is_gcc);
            return;
        };
        // GCC takes what was compiled, whatever became of the header.
        let unit = |name: &str, text: &str| {
            let source = folder.join(format!("{name}.cpp"));
            fs::write(&source, text).expect("written");
            Unit {
                name: name.to_owned(),
                source,
                include_dirs: include_dirs.to_vec(),
                headers: Some(header.clone()),
                optimization: "-O1",
                content: text.to_owned(),
                object_dir: folder.join("objects"),
            }
        };
        let text = "int four() { return twice(2 * HOOKS); }\n";
        fs::write(&header, "#error taken as text\n").expect("written");
        objects(&compiler, &[unit("compiled", text)]).expect("the compiled form is taken");
        assert_eq!(again(), Some(header.clone()));
        // Without it, and with a header that is wrong, a unit has the hooks that it always had.
        fs::write(&header, "#error taken as text\n").expect("written");
        fs::write(compiled(&header), "damaged").expect("written");
        objects(&compiler, &[unit("hooks", "int one() { return HOOKS; }\n")]).expect("the hooks");
        fs::remove_file(&header).expect("removed");
        let made = again().expect("compiled again");
        assert!(made.is_file() && compiled(&made).is_file());
        assert_ne!(fs::read(compiled(&made)).expect("read"), b"damaged");
    }
}
