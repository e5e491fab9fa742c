//! Whether the audit knows the constants that the bundled RTL compares with: every comparison with a constant, and every
//! label of a `case`, in `rtl/` is of a signal that a cross of the audit is about, and constants of the packages are
//! among those of the audit by their values.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pmu_model::Implementation;
use pmu_model::audit;
use pmu_model::contract::{AccessKind, CYCLE_COUNTER};
use pmu_model::coverage::Coverage;

/// What is compared, or the module of a `case`, and the cross that is about it.
const AUDITED: &[(&str, &str)] = &[
    ("access_kind", "addresses"),
    ("kind_i", "addresses"),
    ("address_i", "addresses"),
    ("encoding", "addresses"),
    ("op2", "addresses"),
    ("column_i", "addresses"),
    ("case spmu_registers", "addresses"),
    ("case spmu_system_pmu", "addresses"),
    ("index_o", "selections"),
    ("level_i", "states"),
    ("case pmu_filter", "filters"),
    ("tc_i", "controls"),
    ("tlc_i", "controls"),
    ("case pmu_count_value", "controls"),
    ("th_i", "TH"),
    ("pmccntr_q", "counters"),
    ("typer", "event numbers"),
    ("evt_count_i", "event numbers"),
    ("case pmu_thread_events", "event numbers"),
    ("pmsee_i", "sampling"),
    ("ee_i", "sampling"),
    ("count_q", "sampling"),
    ("ecount_q", "sampling"),
    ("ecount", "sampling"),
    ("spmaccessr_el2_i", "limits"),
    ("spmaccessr_el3_i", "limits"),
];

/// What stimulus does not choose: parameters, places in loops, results of the design, and the bytes of its generator.
const NOT_DRIVEN: &[&str] = &[
    "Pmmir",
    "EventWidth",
    "Groups",
    "t",
    "access_outcome",
    "rules_outcome",
    "outcome_o",
    "retired",
    "selected",
    "collided_o",
    "random_byte_i",
];

/// The files of `rtl/`, by name without `.sv`, without comments.
fn sources() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rtl");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let sources = files.filter(|path| path.extension().is_some_and(|extension| extension == "sv"));
    let read = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let lines = text
            .lines()
            .map(|line| line.split("//").next().unwrap_or(""));
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, lines.collect::<Vec<_>>().join("\n"))
    };
    sources.map(read).collect()
}

/// Names with `::`, numbers and literals, and single characters; operators of two characters are one word.
fn words(text: &str) -> Vec<&str> {
    const OPERATORS: [&str; 6] = ["==", "!=", "<=", ">=", "<<", ">>"];
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let in_word = |(at, c): (usize, char)| {
            c.is_alphanumeric()
                || c == '_'
                || c == '\''
                || (c == ':' && rest[at..].starts_with("::"))
                || (c == ':' && at > 0 && rest[at - 1..].starts_with("::"))
        };
        let end = rest
            .char_indices()
            .find(|&it| !in_word(it))
            .map_or(rest.len(), |(at, _)| at);
        let operator = OPERATORS.iter().any(|operator| rest.starts_with(operator));
        let (word, after) = rest.split_at(end.max(1 + usize::from(operator)));
        words.push(word);
        rest = after.trim_start();
    }
    words
}

/// A literal, or a constant of a package.
fn is_constant(word: &str) -> bool {
    let of_package = word
        .split_once("_pkg::")
        .is_some_and(|(_, name)| name.starts_with(|c: char| c.is_ascii_uppercase()));
    let literal = word.split_once('\'').is_some_and(|(size, digits)| {
        size.chars().all(|c| c.is_ascii_digit()) && !digits.is_empty()
    });
    of_package || literal
}

/// What stands left of an operator: a name without its bits, or the first one in parentheses.
fn operand<'a>(words: &[&'a str]) -> Option<&'a str> {
    let at = words.len().checked_sub(1)?;
    match words[at] {
        "]" => {
            let before = words
                .iter()
                .rposition(|&word| word == "[")?
                .checked_sub(1)?;
            Some(words[before])
        }
        ")" => {
            let mut open = 0;
            let begin = words.iter().rposition(|&word| {
                open += i32::from(word == ")") - i32::from(word == "(");
                open == 0
            });
            words.get(begin? + 1).copied()
        }
        word => Some(word),
    }
}

/// Everything that is compared with a constant: what, with which, where.
fn comparisons() -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for (module, text) in sources() {
        for (line, text) in text.lines().enumerate() {
            let words = words(text);
            let place = format!("{module}.sv:{}", line + 1);
            let is_parameter = words
                .iter()
                .any(|&word| word == "localparam" || word == "parameter");
            if is_parameter {
                continue;
            }
            for at in 1..words.len().saturating_sub(1) {
                let compares = matches!(words[at], "==" | "!=" | "<" | ">" | ">=");
                if compares && is_constant(words[at + 1]) {
                    let what = operand(&words[..at]).unwrap_or("?");
                    found.push((what.to_owned(), words[at + 1].to_owned(), place.clone()));
                }
            }
            let label = words.iter().position(|&word| word == ":");
            if let Some(end) = label
                && words[..end]
                    .iter()
                    .all(|word| is_constant(word) || "{},".contains(word))
            {
                for word in words[..end].iter().filter(|word| is_constant(word)) {
                    let what = format!("case {module}");
                    found.push((what, (*word).to_owned(), place.clone()));
                }
            }
        }
    }
    found
}

/// The constants of the packages: name, width and value of those that are literals, or put together of some.
fn constants() -> Vec<(String, u32, u64)> {
    let mut found = Vec::new();
    for (_, text) in sources()
        .iter()
        .filter(|(module, _)| module.ends_with("_pkg"))
    {
        for statement in text.split(';') {
            let Some((_, declared)) = statement.split_once("localparam logic") else {
                continue;
            };
            let (name, value) = declared.split_once('=').expect("a value");
            let name = name.rsplit(' ').find(|word| !word.is_empty()).unwrap();
            let (mut width, mut number) = (0, 0u64);
            // The size of a cast is no literal; what is cast is, and is shifted.
            let shift = value.split_once(">>").map_or(0, |(_, by)| {
                by.trim().trim_end_matches(')').parse::<u32>().unwrap()
            });
            for word in words(value) {
                let Some((size, digits)) = word.split_once('\'') else {
                    continue;
                };
                let (Ok(size), false) = (size.parse::<u32>(), digits.is_empty()) else {
                    continue;
                };
                let (base, digits) = digits.split_at(1);
                let radix = match base {
                    "h" => 16,
                    "d" => 10,
                    _ => 2,
                };
                let digits = digits.replace('_', "");
                let part = u64::from_str_radix(&digits, radix).unwrap();
                (width, number) = (width + size, number.checked_shl(size).unwrap_or(0) | part);
            }
            found.push((name.to_owned(), width - shift, number >> shift));
        }
    }
    found
}

#[test]
fn whatever_the_rtl_compares_with_a_constant_is_audited() {
    let coverage = Coverage::new(&Implementation::default());
    let crosses: BTreeSet<_> = coverage
        .audit()
        .filter(|(_, points)| !points.is_empty())
        .filter_map(|(name, _)| name.strip_prefix(audit::CROSSES))
        .collect();
    let found = comparisons();
    assert!(found.len() > 100, "{found:?}");
    for (what, constant, place) in &found {
        let cross = AUDITED.iter().find(|(name, _)| name == what);
        match cross {
            Some((_, cross)) => assert!(crosses.contains(cross), "{cross}"),
            None => assert!(
                NOT_DRIVEN.contains(&what.as_str()),
                "{place}: {what} is compared with {constant}, and no cross of the audit is about it"
            ),
        }
    }
    // Nothing is left here of what was.
    let names = AUDITED.iter().map(|(name, _)| name).chain(NOT_DRIVEN);
    for name in names {
        assert!(found.iter().any(|(what, ..)| what == name), "{name}");
    }
}

#[test]
fn constants_of_the_packages_are_those_of_the_audit() {
    let implementation = Implementation::default();
    let reads = audit::addresses(AccessKind::Read, &implementation);
    let external = audit::addresses(AccessKind::ExternalRead, &implementation);
    let events = audit::event_numbers(&implementation);
    let compared = comparisons();
    let mut checked = 0;
    for (name, width, value) in constants() {
        let is_compared = |(_, constant, _): &(String, String, String)| {
            constant.split_once("::").is_some_and(|(_, of)| of == name)
        };
        if !compared.iter().any(is_compared) {
            continue;
        }
        checked += 1;
        // All that differ in a bit of it.
        let around = |all: &[u16]| {
            let has = |wanted: u64| {
                all.iter()
                    .any(|&of| u64::from(of) >> (16 - width) == wanted)
            };
            has(value) && (0..width).all(|bit| has(value ^ 1 << bit))
        };
        let audited = match name.as_str() {
            name if name.starts_with("Event") => {
                let pairs = events
                    .iter()
                    .filter(|pair| u64::from(pair.constant) == value);
                pairs.count() >= 17
            }
            name if name.starts_with("Addr") || name.starts_with("Base") => around(&reads),
            // DUT-37: the frame has 4 KiB.
            name if name.starts_with("External") => {
                external.iter().any(|&of| u64::from(of) >> 7 == value)
                    && (0..5).all(|bit| {
                        external
                            .iter()
                            .any(|&of| u64::from(of) >> 7 == value ^ 1 << bit)
                    })
            }
            // Small fields: all their values are driven.
            name => ["Kind", "State", "Op2", "Outcome", "Spm", "Max", "Type"]
                .iter()
                .any(|prefix| name.starts_with(prefix)),
        };
        assert!(audited, "{name} = {value:#x}");
    }
    assert!(checked > 40, "{checked}");
    // PMCCNTR_EL0 is compared with all ones.
    assert!(audit::counter_values(CYCLE_COUNTER, &implementation).contains(&u64::MAX));
}
