use std::io::Write;

use lockstep_base::verdict::Verdict;
use tar::Header;

use super::super::{Design, End, Origin, Packer, STIMULUS};
use super::*;
use crate::record::Program;
use crate::signature::Signature;

fn capsule() -> Capsule {
    Capsule {
        format: FORMAT,
        program: Program {
            version: "0.1.0".into(),
            build: "b".into(),
        },
        suite: "s".into(),
        suite_hash: "h".into(),
        run: "default/bundled/mixed/10/1".into(),
        command: "lockstep run --seed 1".into(),
        day: "2026-11-24".into(),
        signature: Signature::of_end("bundled", Verdict::Hang, "hang"),
        end: End {
            verdict: Verdict::Hang,
            cycle: Some(7),
            field: None,
            expected: None,
            rtl: None,
        },
        stimulus: Origin {
            first: 3,
            seed: Some(1),
            cycles: Some(10),
            profile: Some("mixed".into()),
            generator: 4,
        },
        hang_after: None,
        init: None,
        design: Design {
            name: "bundled".into(),
            bundled: true,
            options: Vec::new(),
            folder: None,
            hash: None,
            verilator: None,
            top: None,
            parameters: Vec::new(),
            defines: Vec::new(),
            verilator_args: Vec::new(),
            sources: Vec::new(),
            copy: Vec::new(),
        },
        lacks: Vec::new(),
        files: Vec::new(),
    }
}

/// The bytes of a capsule of two files.
fn packed(folder: &Path) -> Vec<u8> {
    let [one, other] = ["one", "other"].map(|name| folder.join(name));
    fs::write(&one, vec![7; 100_000]).expect("written");
    fs::write(&other, "b").expect("written");
    let mut packer = Packer::default();
    for (name, path) in [(STIMULUS, &one), ("sources/rtl/a.sv", &other)] {
        assert!(packer.add(name, path).expect("read"));
    }
    assert!(!packer.add("none", &folder.join("none")).expect("no error"));
    let mut bytes = Vec::new();
    packer.write(capsule(), &mut bytes).expect("written");
    bytes
}

/// What becomes of a file with these bytes, and whether anything was written outside of the folder.
fn unpacked(bytes: &[u8]) -> Result<Capsule, CapsuleError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("capsule");
    fs::write(&path, bytes).expect("written");
    let inside = folder.path().join("in/side");
    fs::create_dir_all(&inside).expect("made");
    let result = unpack(&path, &inside);
    for (place, names) in [(folder.path(), 2), (&folder.path().join("in"), 1)] {
        assert_eq!(fs::read_dir(place).expect("a folder").count(), names);
    }
    result
}

/// An archive with these files, whatever their names.
fn archive(files: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(zstd::Encoder::new(Vec::new(), 1).expect("an encoder"));
    for (name, kind, bytes) in files {
        let mut header = Header::new_old();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(bytes.len() as u64);
        header.set_cksum();
        tar.append(&header, *bytes).expect("written");
    }
    let encoder = tar.into_inner().expect("ended");
    encoder.finish().expect("ended")
}

fn listing(name: &str, size: u64) -> Vec<u8> {
    let mut capsule = capsule();
    let hash = crate::plan::hash(b"x");
    capsule.files = vec![Entry {
        name: name.into(),
        size,
        hash,
    }];
    serde_json::to_vec(&capsule).expect("JSON")
}

#[test]
fn what_is_packed_is_unpacked_and_the_same_every_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = packed(folder.path());
    assert_eq!(packed(folder.path()), bytes);
    let path = folder.path().join("capsule");
    fs::write(&path, &bytes).expect("written");
    let inside = folder.path().join("inside");
    let found = unpack(&path, &inside).expect("a capsule");
    assert_eq!(fs::read(inside.join(STIMULUS)).expect("read"), [7; 100_000]);
    assert_eq!(
        fs::read(inside.join("sources/rtl/a.sv")).expect("read"),
        b"b"
    );
    let names: Vec<_> = found.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(
        (names, found.cycle()),
        (vec!["sources/rtl/a.sv", STIMULUS], Some(4))
    );
    assert_eq!(manifest(&path).expect("a manifest"), found);
}

#[test]
fn a_capsule_that_is_cut_or_changed_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = packed(folder.path());
    for cut in 4..bytes.len() {
        let found = unpacked(&bytes[..cut]);
        assert!(
            matches!(
                found,
                Err(CapsuleError::Damaged { .. } | CapsuleError::Foreign { .. })
            ),
            "{cut}: {found:?}"
        );
    }
    let whole = unpacked(&bytes).expect("a capsule");
    // Behind the header of the frame, whose window may be larger than needed. Of equal bytes, others may be copied.
    for place in (6..bytes.len()).step_by(7) {
        let mut changed = bytes.clone();
        changed[place] ^= 0x10;
        let is_same = |found: Capsule| found == whole;
        assert!(unpacked(&changed).map_or(true, is_same), "{place}");
    }
    let more = [&bytes[..], b"more"].concat();
    assert!(
        unpacked(&more).is_ok(),
        "what is behind the archive is none of it"
    );
}

#[test]
fn no_file_leads_out_of_the_folder() {
    let regular = EntryType::Regular;
    for name in ["../out", "/tmp/out", "a/../../out"] {
        let manifest = listing(name, 1);
        let bytes = archive(&[(MANIFEST, regular, &manifest), (name, regular, b"x")]);
        let error = unpacked(&bytes).expect_err(name).to_string();
        assert!(
            error.contains("is no name of a file of a capsule"),
            "{error}"
        );
    }
    // A name that the manifest does not list, a link, and a file that is larger than it says.
    let manifest = listing("a", 1);
    for (name, kind, contents, message) in [
        (
            "../a",
            regular,
            &b"x"[..],
            "expected the file \"a\", found \"../a\"",
        ),
        (
            "a",
            EntryType::Symlink,
            b"x",
            "expected the file \"a\", found \"a\"",
        ),
        ("a", regular, b"xx", "\"a\" is not what its manifest says"),
        ("a", regular, b"y", "\"a\" is not what its manifest says"),
    ] {
        let bytes = archive(&[(MANIFEST, regular, &manifest), (name, kind, contents)]);
        let error = unpacked(&bytes).expect_err(name).to_string();
        assert!(error.contains(message), "{error}");
    }
    let huge = archive(&[(MANIFEST, regular, &listing("a", MOST + 1))]);
    let error = unpacked(&huge).expect_err("too large").to_string();
    assert!(error.contains("more than 4294967296"), "{error}");
    let missing = archive(&[(MANIFEST, regular, &manifest)]);
    let error = unpacked(&missing).expect_err("missing").to_string();
    assert!(error.contains("\"a\" is missing"), "{error}");
}

#[test]
fn what_is_no_capsule_is_told() {
    let regular = EntryType::Regular;
    let mut compressed = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
    compressed.write_all(&[b'x'; 2000]).expect("written");
    let other = serde_json::json!({ "format": FORMAT + 1 }).to_string();
    for (bytes, message) in [
        (b"PMUSTIM\n".to_vec(), "found a file that is not compressed"),
        (
            compressed.finish().expect("ended"),
            "found something compressed",
        ),
        (
            archive(&[("a", regular, b"x")]),
            "does not begin with capsule.json",
        ),
        (
            archive(&[(MANIFEST, regular, other.as_bytes())]),
            "found format 2",
        ),
        (
            archive(&[(MANIFEST, regular, b"{}")]),
            "does not begin with capsule.json",
        ),
    ] {
        let error = unpacked(&bytes).expect_err(message).to_string();
        assert!(error.contains(message), "{error}");
    }
}
