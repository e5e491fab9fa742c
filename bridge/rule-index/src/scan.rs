//! Finds ids of rules in sources: `TH-20`, ranges such as `TH-30..33`, `SPE-01 to SPE-03`, `SPE-22/23`, and names
//! of tests such as `spmu_01_to_03_problems`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// What a place in a source belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Code of the model.
    Model,
    /// Code of the RTL.
    Rtl,
    /// Code of everything around them: stimulus, comparison, reports.
    Harness,
    /// A test, wherever it is.
    Test,
}

/// How a file names a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mention {
    /// What names it.
    pub place: Place,
    /// By its id, not only inside of a range.
    pub explicit: bool,
}

/// A file and the rules that it names.
pub struct File {
    /// Path from the root, with `/`.
    pub path: String,
    /// Ids, each with the places that name it.
    pub mentions: Vec<(String, Mention)>,
}

/// Folders that are searched, and what code in them belongs to.
const FOLDERS: &[(&str, Place)] = &[
    ("model/src", Place::Model),
    ("rtl", Place::Rtl),
    ("bridge", Place::Harness),
    ("vcd/src", Place::Harness),
    ("vcd/tests", Place::Test),
    ("tests", Place::Test),
];

/// What names every rule, to count or to list it, without doing anything about it.
const PASSED_OVER: &[&str] = &[
    "model/src/rules.rs",
    "model/src/coverage",
    "bridge/report/src/plan",
    "bridge/rule-index",
];

/// Areas of the requirements, and the statements of the contract.
const AREAS: &[&str] = &["TH", "SPE", "ETY", "CYC", "SPMU", "DUT"];

/// Every source of the workspace at `root`, by path.
///
/// # Errors
/// A folder or file cannot be read.
pub fn workspace(root: &Path) -> io::Result<Vec<File>> {
    let mut files = Vec::new();
    for &(folder, place) in FOLDERS {
        collect(root, &root.join(folder), place, &mut files)?;
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn collect(root: &Path, folder: &Path, place: Place, files: &mut Vec<File>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = relative(root, &path);
        if PASSED_OVER.iter().any(|over| name == *over) {
            continue;
        }
        if path.is_dir() {
            // Tests of a crate lie beside its sources.
            let is_tests = path.file_name().is_some_and(|name| name == "tests");
            let place = if is_tests { Place::Test } else { place };
            collect(root, &path, place, files)?;
        } else if is_source(&path) {
            let mentions = mentions(&fs::read_to_string(&path)?, &name, place);
            files.push(File {
                path: name,
                mentions,
            });
        }
    }
    Ok(())
}

fn relative(root: &Path, path: &Path) -> String {
    let path: PathBuf = path.strip_prefix(root).unwrap_or(path).into();
    let parts = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

/// Sources and tables of tests; golden files and patches quote others.
fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(
        extension,
        Some("rs" | "sv" | "svh" | "cpp" | "h" | "toml" | "jsonl")
    )
}

/// The rules that a file names; in a Rust file, tests follow code.
fn mentions(text: &str, path: &str, place: Place) -> Vec<(String, Mention)> {
    let mut found: BTreeMap<(String, Place), bool> = BTreeMap::new();
    let mut place = if path.ends_with("/tests.rs") {
        Place::Test
    } else {
        place
    };
    let mut test_attribute = false;
    for line in text.lines() {
        if test_attribute && line.trim_start().starts_with("mod ") && line.trim_end().ends_with('{')
        {
            place = Place::Test;
        }
        test_attribute = line.trim() == "#[cfg(test)]";
        for (id, explicit) in ids(line) {
            *found.entry((id, place)).or_default() |= explicit;
        }
    }
    let mention = |((id, place), explicit)| (id, Mention { place, explicit });
    found.into_iter().map(mention).collect()
}

/// The ids in a line; `false` for those that are only inside of a range.
pub fn ids(line: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < line.len() {
        match id_at(line, at) {
            Some((area, number, end)) => at = take(line, area, number, end, &mut found),
            None => at += line[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}

/// Takes the id that ends at `end`, and what it is the beginning of. Returns where that ends.
fn take(line: &str, area: &str, number: u8, end: usize, found: &mut Vec<(String, bool)>) -> usize {
    let id = |number: u8| format!("{area}-{number:02}");
    found.push((id(number), true));
    if let Some((last, end)) = range_end(line, area, end) {
        found.extend((number + 1..last).map(|number| (id(number), false)));
        found.push((id(last), true));
        return end;
    }
    let mut end = end;
    while let Some(number) = line[end..].strip_prefix('/').and_then(two_digits) {
        found.push((id(number), true));
        end += 3;
    }
    end
}

/// The last number of a range whose first id ends at `end`, and where it ends.
fn range_end(line: &str, area: &str, end: usize) -> Option<(u8, usize)> {
    ["..=", "..", " to ", "_to_"].iter().find_map(|separator| {
        let rest = line[end..].strip_prefix(separator)?;
        let after = |prefix: &str| {
            let is_there = rest.get(..prefix.len())?.eq_ignore_ascii_case(prefix);
            let number = two_digits(is_there.then(|| &rest[prefix.len()..])?)?;
            Some((number, end + separator.len() + prefix.len() + 2))
        };
        after(&format!("{area}-"))
            .or_else(|| after(&format!("{area}_")))
            // A number after "to" may be anything, unless the name is one word.
            .or_else(|| (*separator != " to ").then(|| after(""))?)
    })
}

/// The id that begins at `at`: area, number, end.
fn id_at(line: &str, at: usize) -> Option<(&'static str, u8, usize)> {
    let before = &line.as_bytes()[..at];
    let stands_alone = match before {
        // A-TH-12 is a place of the ambiguity list, and a_th_12 a test of it.
        [.., c, b'A' | b'a', b'-' | b'_'] if !c.is_ascii_alphanumeric() => false,
        [b'A' | b'a', b'-' | b'_'] => false,
        [.., last] => !last.is_ascii_alphanumeric(),
        [] => true,
    };
    if !stands_alone {
        return None;
    }
    AREAS.iter().find_map(|area| {
        let end = at + area.len();
        let name = line.get(at..end)?;
        let rest = line.get(end..)?;
        let number = if name == *area {
            rest.strip_prefix('-')
        } else if name == area.to_ascii_lowercase() {
            rest.strip_prefix('_')
        } else {
            None
        };
        Some((*area, two_digits(number?)?, end + 3))
    })
}

/// A number of exactly two digits at the beginning of `text`.
fn two_digits(text: &str) -> Option<u8> {
    let number = text.get(..2)?;
    let next = text[2..].chars().next();
    let ends = !next.is_some_and(|next| next.is_ascii_alphanumeric());
    let all = number.bytes().all(|digit| digit.is_ascii_digit());
    number.parse().ok().filter(|_| ends && all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explicit(line: &str) -> Vec<String> {
        let ids = ids(line).into_iter().filter(|&(_, explicit)| explicit);
        ids.map(|(id, _)| id).collect()
    }

    fn all(line: &str) -> Vec<String> {
        ids(line).into_iter().map(|(id, _)| id).collect()
    }

    #[test]
    fn ids_and_names_of_tests() {
        assert_eq!(
            explicit("/// TH-20: the condition (TH-21, DUT-34)."),
            ["TH-20", "TH-21", "DUT-34"]
        );
        assert_eq!(explicit("fn spmu_19_example_d15_1() {"), ["SPMU-19"]);
        assert_eq!(
            explicit("fn spmu_05_spmu_17_counts_fill() {"),
            ["SPMU-05", "SPMU-17"]
        );
        assert_eq!(
            explicit("rules = [\"TH-08\", \"TH-20\"]"),
            ["TH-08", "TH-20"]
        );
    }

    #[test]
    fn ranges_and_lists() {
        assert_eq!(
            all("reserved (TH-30..33)"),
            ["TH-30", "TH-31", "TH-32", "TH-33"]
        );
        assert_eq!(explicit("reserved (TH-30..33)"), ["TH-30", "TH-33"]);
        assert_eq!(all("(SPE-01 to SPE-03)"), ["SPE-01", "SPE-02", "SPE-03"]);
        assert_eq!(
            all("fn spmu_01_to_03_problems() {"),
            ["SPMU-01", "SPMU-02", "SPMU-03"]
        );
        assert_eq!(
            all("exactly SPE-22/23 and SPE-12"),
            ["SPE-22", "SPE-23", "SPE-12"]
        );
        assert_eq!(all("DUT-20..=DUT-22"), ["DUT-20", "DUT-21", "DUT-22"]);
    }

    #[test]
    fn other_texts() {
        for line in [
            "A-TH-12 is open",
            "fn a_ety_08_by_default() {",
            "let width_20 = 1;",
            "TH-2, TH-200, TH-20a",
            "Example D13-5",
            "MTH-20",
            "SPMU-1",
        ] {
            assert_eq!(all(line), [""; 0], "{line}");
        }
        assert_eq!(all("TH-01 to 31 counters"), ["TH-01"]);
        assert_eq!(all("é TH-20 ✓"), ["TH-20"]);
    }

    #[test]
    fn tests_follow_code() {
        let text = "/// TH-01.\nfn f() {}\n#[cfg(test)]\nmod tests {\n    fn th_02_x() {}\n}\n";
        let found = mentions(text, "model/src/x.rs", Place::Model);
        let place = |id: &str| {
            found
                .iter()
                .find(|(found, _)| found == id)
                .map(|(_, m)| m.place)
        };
        assert_eq!(place("TH-01"), Some(Place::Model));
        assert_eq!(place("TH-02"), Some(Place::Test));
        let found = mentions("fn th_02_x() {}", "model/src/spe/tests.rs", Place::Model);
        assert_eq!(found[0].1.place, Place::Test);
    }
}
