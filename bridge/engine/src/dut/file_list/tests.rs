use std::fs;

use super::*;

/// Reads `a.f` in a folder that has `files`, with the folder's name taken out of every path and message.
fn read(files: &[(&str, &str)]) -> Result<FileList, String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("in the folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }
    let start = format!("{}/", folder.path().display());
    let variable = |name: &str| (name == "RTL").then(|| "sub".to_owned());
    let plain = |path: &mut PathBuf| *path = path.display().to_string().replace(&start, "").into();
    FileList::read_with(&folder.path().join("a.f"), &variable)
        .map(|mut list| {
            list.sources.iter_mut().for_each(plain);
            list.include_dirs.iter_mut().for_each(plain);
            list.library_dirs.iter_mut().for_each(plain);
            list.library_files.iter_mut().for_each(plain);
            list
        })
        .map_err(|error| error.to_string().replace(&start, ""))
}

fn refused(text: &str) -> String {
    read(&[("a.f", text), ("a.sv", "")]).unwrap_err()
}

fn paths(words: &str) -> Vec<PathBuf> {
    words.split_whitespace().map(PathBuf::from).collect()
}

#[test]
fn every_word_is_taken() {
    let list = read(&[
        (
            "a.f",
            "// comment ends: */\n# another \"\n  # and more\n/* over\n lines */ a.sv /**/ $RTL/b.sv\n\
             +incdir+sub+other -Isub -y sub -v other/cells.v +libext+.v+.sv\n\
             +define+A=1+B -DC=1+1 -GWidth=8'h10 \"with blank.sv\" other\\ one.sv ${RTL}/b.sv $(RTL)/b.sv \\\n a.sv",
        ),
        ("a.sv", ""),
        ("sub/b.sv", ""),
        ("other/cells.v", ""),
        ("with blank.sv", ""),
        ("other one.sv", ""),
    ])
    .expect("a list");
    let mut sources = paths("a.sv sub/b.sv");
    sources.extend(["with blank.sv".into(), "other one.sv".into()]);
    sources.extend(paths("sub/b.sv sub/b.sv a.sv"));
    assert_eq!(list.sources, sources);
    assert_eq!(list.include_dirs, paths("sub other sub"));
    assert_eq!(list.library_dirs, paths("sub"));
    assert_eq!(list.library_files, paths("other/cells.v"));
    assert_eq!(list.library_extensions, [".v", ".sv"]);
    assert_eq!(list.defines, ["A=1", "B", "C=1+1"]);
    assert_eq!(list.parameters, [("Width".into(), "8'h10".into())]);
}

#[test]
fn a_nested_list_starts_from_the_same_folder_or_from_its_own() {
    let files = |outer| {
        [
            ("a.f", outer),
            ("sub/b.f", "b.sv"),
            ("b.sv", ""),
            ("sub/b.sv", ""),
        ]
    };
    let sources = |outer| read(&files(outer)).expect("a list").sources;
    assert_eq!(sources("-f sub/b.f"), paths("b.sv"));
    assert_eq!(sources("-F sub/b.f"), paths("sub/b.sv"));
    assert_eq!(
        sources("-F sub/b.f -F sub/b.f"),
        paths("sub/b.sv sub/b.sv"),
        "twice is not within itself"
    );
}

#[test]
fn a_list_that_names_itself_is_refused() {
    assert_eq!(
        refused("a.sv\n-f a.f"),
        "a.f:2: expected a list that is not being read already, found one that names itself: take the line out"
    );
    let files = [("a.f", "-F sub/b.f"), ("sub/b.f", "\n\n-F ../a.f")];
    let error = read(&files).unwrap_err();
    assert!(
        error.starts_with("sub/b.f:3: expected a list that is not"),
        "{error}"
    );
}

#[test]
fn lists_that_multiply_are_bounded() {
    let names: Vec<String> = (0..30).map(|n| format!("{n}.f")).collect();
    let texts: Vec<String> = (1..31).map(|n| format!("-f {n}.f -f {n}.f")).collect();
    let mut files = vec![("a.f", "-f 0.f"), ("30.f", "a.sv"), ("a.sv", "")];
    files.extend(
        names
            .iter()
            .zip(&texts)
            .map(|(n, t)| (n.as_str(), t.as_str())),
    );
    let error = read(&files).unwrap_err();
    assert!(
        error.contains(": expected at most 1048576 words"),
        "{error}"
    );
}

#[test]
fn what_is_missing_is_named_with_its_line() {
    assert_eq!(
        refused("a.sv\nnone.sv"),
        "a.f:2: expected a file at none.sv, found none: paths are relative to the folder of the list"
    );
    for (text, start) in [
        ("\n+incdir+none", "a.f:2: expected a folder at none,"),
        ("-y none", "a.f:1: expected a folder at none,"),
        ("-v none", "a.f:1: expected a file at none,"),
        ("-f none", "a.f:1: expected a list at none,"),
        ("-f .", "a.f:1: expected a list at .,"),
    ] {
        let error = refused(text);
        assert!(error.starts_with(start), "{error}");
    }
    // The tests run in the project's folder.
    let error = refused("Cargo.toml");
    assert!(
        error.ends_with("; there is one relative to the working directory"),
        "{error}"
    );
    assert!(
        read(&[])
            .unwrap_err()
            .starts_with("a.f: expected a file list, found: ")
    );
}

#[test]
fn what_is_not_understood_is_named_with_its_line() {
    for (text, message) in [
        ("", "a.f: expected at least one source, found none"),
        ("a.sv\n\n-y", "a.f:3: expected a value of -y, found none"),
        (
            "+incdir+",
            "a.f:1: expected a value of +incdir+, found none",
        ),
        ("-GWidth", "a.f:1: expected -GNAME=VALUE, found -GWidth"),
        (
            "\n$NONE/a.sv",
            "a.f:2: expected the environment variable NONE to be set, found none",
        ),
        (
            "${}",
            "a.f:1: expected the environment variable  to be set, found none",
        ),
        (
            "${NONE",
            "a.f:1: expected } after the name of an environment variable, found none",
        ),
        (
            "\n\"a.sv\n",
            "a.f:2: expected a second double quote, found the end of the list",
        ),
        (
            "a.sv /* end",
            "a.f:1: expected */, found the end of the list",
        ),
        ("/*/", "a.f:1: expected */, found the end of the list"),
    ] {
        assert_eq!(refused(text), message, "{text}");
    }
    let error = refused("a.sv\n--Mdir");
    assert!(
        error.starts_with("a.f:2: expected a file or one of -f, "),
        "{error}"
    );
    assert!(error.contains("found --Mdir:"), "{error}");
    let error = refused("dpi.cpp");
    assert!(
        error.starts_with("a.f:1: expected a SystemVerilog file, found dpi.cpp:"),
        "{error}"
    );
}

#[test]
fn bytes_that_are_no_text_are_refused_in_words_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.f");
    fs::write(folder.path().join("a.sv"), "").expect("written");
    fs::write(&path, b"a.sv // \xe9\n").expect("written");
    assert!(FileList::read(&path).is_ok());
    fs::write(&path, b"a.sv\n\xe9.sv\n").expect("written");
    let error = FileList::read(&path).unwrap_err().to_string();
    assert!(
        error.ends_with(":2: expected UTF-8, found \u{fffd}.sv"),
        "{error}"
    );
}

#[test]
fn no_bytes_panic() {
    let mut state = 1_u64;
    let alphabet = b"/*\"\\$({})+#-fGI \n\xc3a";
    for _ in 0..20_000 {
        let text: Vec<u8> = (0..12)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                alphabet[(state >> 33) as usize % alphabet.len()]
            })
            .collect();
        let _ = words(&text, &|_| Some("v".into()));
    }
}
