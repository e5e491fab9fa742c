//! The bundled RTL with a bug of `tests/planted`.

use std::fs;
use std::path::Path;

/// Copies the RTL to `folder`, with `patch` of `tests/planted` applied.
pub fn plant(patch: &str, folder: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::create_dir_all(folder).expect("the target folder can be written");
    for entry in fs::read_dir(root.join("rtl")).expect("rtl/ is part of the source") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_some_and(|extension| extension == "sv") {
            fs::copy(&path, folder.join(path.file_name().expect("a file"))).expect("copied");
        }
    }
    let patch = root.join("tests/planted").join(patch);
    let text = fs::read_to_string(&patch).expect("a patch of tests/planted");
    for part in text.split_inclusive("--- a/").skip(1).map(|part| {
        let part = part.strip_suffix("--- a/").unwrap_or(part);
        format!("--- a/{part}")
    }) {
        let patch = diffy::Patch::from_str(&part).expect("a patch");
        let name = Path::new(patch.modified().expect("a patch names its file"));
        let file = folder.join(name.file_name().expect("a patch names its file"));
        let before = fs::read_to_string(&file).expect("a file of the RTL");
        let after = diffy::apply(&before, &patch).expect("the patch fits the RTL");
        fs::write(&file, after).expect("written");
    }
}
