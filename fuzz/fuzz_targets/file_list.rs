//! File lists that name each other: the parts of the input, separated by NUL, are `a.f`, `sub/b.f` and `sub/c.f`.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use pmu_lockstep::dut::FileList;
use pmu_lockstep_fuzz::file;

/// A folder with what lists may name, and variables that they may use.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let source = file("a.sv", b"");
        let folder = source.parent().expect("a folder").to_owned();
        fs::create_dir_all(folder.join("sub")).expect("a folder that can be written");
        file("sub/b.sv", b"");
        // SAFETY: nothing else runs yet.
        unsafe { std::env::set_var("SUB", "sub") };
        std::env::set_current_dir(folder.join("sub")).expect("a folder");
        folder
    })
}

fuzz_target!(|text: &[u8]| {
    let folder = folder();
    let mut parts = text.split(|&byte| byte == 0);
    for name in ["a.f", "sub/b.f", "sub/c.f"] {
        let _ = file(name, parts.next().unwrap_or_default());
    }
    match FileList::read(&folder.join("a.f")) {
        Ok(list) => assert!(!list.sources.is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
