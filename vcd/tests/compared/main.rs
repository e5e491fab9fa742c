//! What this crate, wellen and the `vcd` crate read: each row of a table of README.md is a dump that all three are
//! given. `UPDATE_GOLDEN=1 cargo test -p lockstep-vcd-tests --test compared` writes the table.
#![cfg(target_os = "linux")]

mod readers;
mod rows;
mod windows;

use std::fmt::Write as _;
use std::fs;
use std::io::{PipeReader, Read, Write as _};
use std::os::fd::AsRawFd;
use std::panic;
use std::path::{Path, PathBuf};

use lockstep_vcd_tests::dumps;
use readers::{Reader, Seen, Values};
use rows::{CUT, FILES, Form, LOOSE, Right, Row, STANDARD};

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md");
/// The versions of other readers are of the whole workspace.
const MANIFEST: &str = include_str!("../../../Cargo.toml");

const START: &str = "<!-- What is read: written by tests/compared. -->\n";
const END: &str = "<!-- End of what is read. -->\n";

/// The dump of a row as a file.
struct Dump {
    path: PathBuf,
    /// The file is its reading end, and is there as long as this is.
    _pipe: Option<PipeReader>,
}

impl Dump {
    fn new(form: &Form) -> Self {
        let (name, bytes) = match form {
            Form::Text(text) => ("dump.vcd", text.as_bytes().to_vec()),
            Form::Gzip(text) => ("dump.vcd.gz", gzip(text.as_bytes())),
            Form::Zstandard(text) => (
                "dump.vcd.zst",
                zstd::encode_all(text.as_bytes(), 1).unwrap(),
            ),
            Form::Pipe(text) => return Self::pipe(text),
            Form::File(name) => {
                return Self {
                    path: dumps().join(name),
                    _pipe: None,
                };
            }
        };
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&path, bytes).unwrap();
        Self { path, _pipe: None }
    }

    fn pipe(text: &str) -> Self {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(text.as_bytes()).unwrap();
        Self {
            path: format!("/proc/self/fd/{}", reader.as_raw_fd()).into(),
            _pipe: Some(reader),
        }
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::read::GzEncoder::new(text, flate2::Compression::fast());
    let mut bytes = Vec::new();
    encoder.read_to_end(&mut bytes).unwrap();
    bytes
}

/// What a reader sees; None if it panics.
fn run(reader: Reader, path: &Path) -> Option<Seen> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let seen = panic::catch_unwind(|| reader(path));
    panic::set_hook(hook);
    seen.ok()
}

const YES: &str = "yes";

/// A variable of `Right::As` that is left out: its range ascends, which bits alone do not tell.
const ASCENDING: &str = "tb.up";

fn owned(values: rows::Values) -> Values {
    let owned = values.iter().map(|(name, values)| {
        let values = values
            .iter()
            .map(|(time, value)| (*time, value.to_string()));
        (name.to_string(), values.collect())
    });
    owned.collect()
}

/// What a reader makes of a row, in a word.
fn verdict(right: &Right, seen: Option<Seen>) -> &'static str {
    let Some(mut seen) = seen else {
        return "panics";
    };
    match right {
        Right::Told if seen.error.is_some() => return YES,
        Right::Before(_) => {}
        _ if seen.error.is_some() => return "error",
        _ => {}
    }
    let values: Values = match right {
        Right::Something if seen.values.values().any(|values| !values.is_empty()) => return YES,
        Right::Something => return "no values",
        Right::As(name) => {
            seen.values.remove(ASCENDING);
            let mut values = readers::vcd_crate(&dumps().join(name)).values;
            values.remove(ASCENDING);
            values
        }
        Right::Told => return "no",
        Right::Read(values) | Right::Before(values) => owned(values),
    };
    if seen.values == values {
        return YES;
    }
    if seen.values.keys().ne(values.keys()) {
        return "other variables";
    }
    match seen.values.values().all(Vec::is_empty) {
        true => "no values",
        false => "other values",
    }
}

/// The cells of a row: what this crate, wellen and the `vcd` crate make of it; of wellen, both of its interfaces.
fn cells(row: &Row) -> [String; 3] {
    let cell = |reader| verdict(&row.right, run(reader, &Dump::new(&row.form).path));
    let wellen = match [readers::wellen_in_memory, readers::wellen_stream].map(&cell) {
        [memory, stream] if memory == stream => memory.to_owned(),
        [memory, stream] => format!("in memory {memory}, as a stream {stream}"),
    };
    [
        cell(readers::this_crate).to_owned(),
        wellen,
        cell(readers::vcd_crate).to_owned(),
    ]
}

/// Of the malformed dumps, how many a reader tells to be so.
fn told() -> (usize, [String; 3]) {
    let mut dumps: Vec<PathBuf> = fs::read_dir(dumps().join("malformed"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "vcd"))
        .collect();
    dumps.sort();
    let count = |readers: &[Reader]| {
        let (mut told, mut panics) = (0, 0);
        for path in &dumps {
            let seen: Vec<_> = readers.iter().map(|reader| run(*reader, path)).collect();
            let is_told = |seen: &Option<Seen>| seen.as_ref().is_some_and(|s| s.error.is_some());
            match seen.iter().any(is_told) {
                true => told += 1,
                false => panics += usize::from(seen.iter().any(Option::is_none)),
            }
        }
        match panics {
            0 => told.to_string(),
            _ => format!("{told}, and {panics} panics"),
        }
    };
    let cells = [
        count(&[readers::this_crate]),
        count(&[readers::wellen_in_memory, readers::wellen_stream]),
        count(&[readers::vcd_crate]),
    ];
    (dumps.len(), cells)
}

/// The version of a library that Cargo.toml asks for.
fn version(library: &str) -> &'static str {
    let line = MANIFEST.lines().find_map(|line| {
        let version = line.strip_prefix(library)?.strip_prefix(" = \"")?;
        version.strip_suffix('"')
    });
    line.expect("a version")
}

fn table() -> String {
    let mut table = String::new();
    let mut line = |what: &str, cells: [String; 3]| {
        writeln!(table, "| {what} | {} |", cells.join(" | ")).unwrap();
    };
    let heads = ["wellen", "vcd"].map(|library| format!("{library} {}", version(library)));
    let [wellen, vcd] = heads;
    line("", ["this crate".to_owned(), wellen, vcd]);
    line("---", ["---"; 3].map(str::to_owned));
    for (group, rows) in [
        ("**the standard**", STANDARD),
        ("**beyond the standard**", LOOSE),
        ("**cut and malformed dumps**", CUT),
        ("**files**", FILES),
    ] {
        line(group, [""; 3].map(str::to_owned));
        for row in rows {
            line(row.what, cells(row));
        }
    }
    line(
        "share that is read of 8 MB for a window at 95 %",
        windows::shares(),
    );
    let (number, cells) = told();
    line(&format!("faults told, of {number} malformed dumps"), cells);
    table
}

/// README.md before the table, the table, and the rest.
fn parts(readme: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = readme.split_once(START)?;
    let (table, after) = rest.split_once(END)?;
    Some((before, table, after))
}

#[test]
fn the_table_of_the_readme_is_what_the_readers_do() {
    let found = format!("\n{}\n", table());
    let readme = fs::read_to_string(README).unwrap();
    let (before, golden, after) = parts(&readme).expect("README.md has the marks of the table");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(README, format!("{before}{START}{found}{END}{after}")).unwrap();
        return;
    }
    let missing = |lines: &str, of: &str| -> Vec<String> {
        let lines = lines.lines().filter(|line| !of.lines().any(|l| l == *line));
        lines.map(str::to_owned).collect()
    };
    assert!(
        found == golden,
        "UPDATE_GOLDEN=1 writes the table of README.md anew: it has\n{}\nand the readers do\n{}",
        missing(golden, &found).join("\n"),
        missing(&found, golden).join("\n")
    );
}
