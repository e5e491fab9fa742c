//! Dumps that are none: for each file a golden `.error` with the number of events before the
//! fault and the message. `UPDATE_GOLDEN=1` writes them anew.

use std::fs;
use std::path::PathBuf;

use lockstep_vcd::{Error, Slice, Source, Stream};

fn dumps() -> Vec<PathBuf> {
    let folder = lockstep_vcd_tests::dumps().join("malformed");
    let mut dumps: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "vcd"))
        .collect();
    dumps.sort();
    dumps
}

/// What a reader does with a malformed dump, in two lines.
fn report<S: Source>(source: Result<S, Error>) -> String {
    let mut events = 0;
    let error = match source {
        Ok(mut source) => source
            .for_each(|_| events += 1)
            .expect_err("a malformed dump"),
        Err(error) => error,
    };
    format!("{events} events\n{error}\n")
}

#[test]
fn messages_are_the_golden_ones() {
    let dumps = dumps();
    assert!(dumps.len() > 20);
    for path in dumps {
        let text = fs::read(&path).unwrap();
        let found = report(Slice::new(&text));
        let golden = path.with_extension("error");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &found).unwrap();
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(found, expected, "{path:?}");
        assert!(
            found.lines().nth(1).unwrap().starts_with("[vcd] expected "),
            "{found}"
        );
        assert_eq!(
            report(Stream::open(&path)),
            expected,
            "{path:?} as a stream"
        );
    }
}
