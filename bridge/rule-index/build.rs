//! Scans the sources of the workspace for ids of rules, and embeds what it finds.

#[path = "src/scan.rs"]
mod scan;

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let crate_root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = crate_root.join("../..");
    let found = scan::workspace(&root).expect("the sources can be read");
    // Folders would bring every golden file with them; a new file comes with a change of another, but in rtl/.
    println!("cargo::rerun-if-changed={}", root.join("rtl").display());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/scan.rs");
    let mut code = String::from("&[\n");
    for file in &found {
        println!(
            "cargo::rerun-if-changed={}",
            root.join(&file.path).display()
        );
        for (id, mention) in &file.mentions {
            let scan::Mention { place, explicit } = mention;
            let path = &file.path;
            code += &format!(
                "    Named {{ id: {id:?}, place: Place::{place:?}, explicit: {explicit}, file: {path:?} }},\n"
            );
        }
    }
    code.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("index.rs"), code).expect("OUT_DIR is writable");
}
