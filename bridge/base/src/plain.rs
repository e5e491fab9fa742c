//! What is wrong with a file of keys and values (TOML, JSON), in plain words. The readers of both formats tell it with
//! names of Rust's types.

use std::fmt::Display;

use toml::de::{DeTable, DeValue};

/// The formats, which have different words for a group of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// TOML.
    Toml,
    /// JSON.
    Json,
}

/// A mistake in a TOML text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Its first byte in the text, if it has a place.
    pub at: Option<usize>,
    /// Line of that, from 1; 1 without a place.
    pub line: usize,
    /// Column of that in characters, from 1.
    pub column: usize,
    /// What was expected and what was found.
    pub message: String,
}

/// What is wrong with the TOML text `text`.
pub fn of_toml(text: &str, error: &toml::de::Error) -> Mistake {
    // What was read by way of a table has lost its place, but not its key.
    let at = error.span().map(|span| span.start.min(text.len()));
    let at = at.or_else(|| place_of_key(text, key_named_by(error.message())?, 0));
    let before = &text[..at.unwrap_or(0)];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Mistake {
        at,
        line: before.matches('\n').count() + 1,
        column: before[start..].chars().count() + 1,
        message: words(error.message(), Format::Toml),
    }
}

/// The key that ends a message of the TOML reader.
fn key_named_by(message: &str) -> Option<&str> {
    let (_, key) = message.trim_end().rsplit_once("in `")?;
    key.strip_suffix('`')
}

/// Where the key `path`, such as `pmu.counters`, is in a TOML text, counted in bytes; of tables with the same name, in
/// number `table`.
pub fn place_of_key(text: &str, path: &str, table: usize) -> Option<usize> {
    let whole = DeTable::parse(text).ok()?;
    let mut inside = Some(whole.get_ref());
    let mut place = None;
    for name in path.split('.') {
        let (key, value) = inside?.iter().find(|(key, _)| key.get_ref() == name)?;
        place = Some(key.span().start);
        inside = match value.get_ref() {
            DeValue::Table(table) => Some(table),
            DeValue::Array(tables) => {
                let found = tables.get(table)?;
                place = Some(found.span().start);
                match found.get_ref() {
                    DeValue::Table(table) => Some(table),
                    _ => None,
                }
            }
            _ => None,
        };
    }
    place
}

/// A line of a file in a message: what is longer than a message should be is cut.
pub fn quoted_line(line: &str) -> String {
    const LONGEST: usize = 120;
    let line = line.trim();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

/// What is wrong with a JSON text or value.
pub fn of_json(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = match (error.line(), error.column()) {
        (0, _) => return words(&message, Format::Json),
        (line, column) => format!(" at line {line} column {column}"),
    };
    let bare = message.strip_suffix(&place).unwrap_or(&message);
    let place = match error.line() {
        1 => format!(", at column {}", error.column()),
        line => format!(", at line {line}, column {}", error.column()),
    };
    words(bare, Format::Json) + &place
}

/// Names among `all` that `name` may be a misspelling of, the nearest first, three at most.
pub fn near<T: AsRef<str>>(name: &str, all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut near: Vec<(usize, f64, T)> = all
        .into_iter()
        .map(|other| {
            let (lower, word) = (other.as_ref().to_lowercase(), name.to_lowercase());
            let distance = strsim::damerau_levenshtein(&lower, &word);
            (distance, strsim::jaro_winkler(&lower, &word), other)
        })
        .filter(|&(distance, ..)| distance <= (name.len() / 3).min(2))
        .collect();
    near.sort_by(|(near, a, _), (far, b, _)| near.cmp(far).then(b.total_cmp(a)));
    let best = near.first().map_or(0, |&(distance, ..)| distance);
    let near = near.into_iter().filter(|&(distance, ..)| distance == best);
    near.map(|(_, _, other)| other).take(3).collect()
}

/// Names in a question, such as "did you mean `a` or `b`?"; `None` without any.
pub fn did_you_mean<T: Display>(names: &[T]) -> Option<String> {
    let words: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match &words[..] {
        [] => None,
        [one] => Some(format!("did you mean {one}?")),
        [first @ .., last] => Some(format!("did you mean {} or {last}?", first.join(", "))),
    }
}

/// A message of `serde` in plain words; what it does not know stays as it is.
fn words(message: &str, format: Format) -> String {
    let message = message.trim_end();
    let (first, rest) = message.split_once('\n').unwrap_or((message, ""));
    let plain = sentence(first, format).unwrap_or_else(|| first.to_owned());
    let rest = rest.replace('\n', " ");
    match plain.rsplit_once(": ") {
        _ if rest.is_empty() => plain,
        Some((plain, question)) if question.ends_with('?') => format!("{plain} {rest}: {question}"),
        _ => format!("{plain} {rest}"),
    }
}

fn sentence(message: &str, format: Format) -> Option<String> {
    if let Some(rest) = message.strip_prefix("missing field ") {
        return Some(format!("expected a key {rest}, found none"));
    }
    // Of a bare word, such as `yes`, and of no value at all.
    if message.starts_with("string values must be quoted") {
        let expected = "expected a value: true or false, a number, a list, or a text in quotes";
        return Some(expected.into());
    }
    if let Some(rest) = message.strip_prefix("duplicate field ") {
        return Some(format!("expected the key {rest} once, found it twice"));
    }
    if let Some(rest) = message.strip_prefix("unknown field ") {
        let (found, expected) = rest.split_once(", ")?;
        let names: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        let question = did_you_mean(&near(found.trim_matches('`'), names));
        return Some(match question {
            Some(question) => format!("unknown key {found}: {question}"),
            None => format!("unknown key {found}, {expected}"),
        });
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        let (found, expected) = rest.split_once(", ")?;
        return Some(format!("{expected}, found {found}"));
    }
    let (found, expected) = message.split_once(", expected ")?;
    let expected = wanted(expected, format);
    let found = match found.split_once(' ')? {
        ("invalid", rest) => match rest.split_once(' ')? {
            ("type:" | "value:", found) => thing(found, format),
            ("length", count) => format!("{count} elements"),
            _ => return None,
        },
        _ => return None,
    };
    Some(format!("expected {expected}, found {found}"))
}

/// What is expected.
fn wanted(text: &str, format: Format) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let group = match format {
        Format::Toml => "a table",
        Format::Json => "an object",
    };
    let elements = || text.split(' ').find_map(|word| word.parse::<usize>().ok());
    match (text, first) {
        ("u8", _) => format!("a number from 0 to {}", u8::MAX),
        ("u16", _) => format!("a number from 0 to {}", u16::MAX),
        ("u32", _) => format!("a number from 0 to {}", u32::MAX),
        ("u64" | "u128" | "usize", _) => "a whole number, 0 or more".into(),
        ("i8" | "i16" | "i32" | "i64" | "i128" | "isize", _) => "a whole number".into(),
        ("f32" | "f64", _) => "a number".into(),
        ("a boolean", _) => "true or false".into(),
        ("a string" | "string" | "a borrowed string", _) => "a text".into(),
        ("a sequence", _) => "a list".into(),
        ("a map" | "map", _) | (_, "struct") => group.into(),
        ("unit" | "null", _) => "null".into(),
        ("string or table", _) => "a word".into(),
        _ if text.starts_with("a tuple of size") || text.starts_with("an array of length") => {
            elements().map_or_else(|| "a list".into(), |count| format!("a list of {count}"))
        }
        (_, "tuple") => {
            elements().map_or_else(|| "a list".into(), |count| format!("a list of {count}"))
        }
        _ => text.to_owned(),
    }
}

/// What is found.
fn thing(text: &str, format: Format) -> String {
    let quoted = |rest: &str| rest.trim_matches('`').to_owned();
    if let Some(rest) = text.strip_prefix("string ") {
        return format!("the text {rest}");
    }
    for kind in ["integer ", "floating point "] {
        if let Some(rest) = text.strip_prefix(kind) {
            return format!("the number {}", quoted(rest));
        }
    }
    if let Some(rest) = text.strip_prefix("boolean ") {
        return quoted(rest);
    }
    match (text, format) {
        ("map", Format::Toml) => "a table".into(),
        ("map", Format::Json) => "an object".into(),
        ("sequence", _) => "a list".into(),
        ("unit value", _) => "null".into(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Part {
        size: u8,
        ratio: Option<f64>,
        on: Option<bool>,
        name: Option<String>,
        list: Option<Vec<u16>>,
        pair: Option<(u8, u8)>,
        word: Option<Word>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "UPPERCASE")]
    enum Word {
        Raz,
        Nop,
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Whole {
        part: Part,
    }

    fn toml(text: &str) -> Mistake {
        of_toml(text, &toml::from_str::<Whole>(text).expect_err(text))
    }

    fn json(text: &str) -> String {
        of_json(&serde_json::from_str::<Whole>(text).expect_err(text))
    }

    #[test]
    fn keys_have_places() {
        let text = "[a.b]\nc = 1\n[[d]]\ne = 2\n[[d]]\ne = 3\n";
        let line = |path, table| {
            place_of_key(text, path, table).map(|at| text[..at].matches('\n').count() + 1)
        };
        assert_eq!(line("a.b.c", 0), Some(2));
        assert_eq!((line("d", 0), line("d", 1)), (Some(3), Some(5)));
        assert_eq!((line("d.e", 0), line("d.e", 1)), (Some(4), Some(6)));
        assert_eq!((line("a.c", 0), line("d", 2)), (None, None));
    }

    #[test]
    fn long_lines_are_cut() {
        assert_eq!(quoted_line(" a = 1 "), "a = 1");
        assert_eq!(quoted_line(&"x".repeat(1 << 20)), "x".repeat(120) + "...");
    }

    #[test]
    fn types_are_told_in_plain_words() {
        for (line, message) in [
            (
                "size = 'six'",
                "expected a number from 0 to 255, found the text \"six\"",
            ),
            (
                "size = 256",
                "expected a number from 0 to 255, found the number 256",
            ),
            (
                "size = 1.5",
                "expected a number from 0 to 255, found the number 1.5",
            ),
            ("size = true", "expected a number from 0 to 255, found true"),
            (
                "size = [1]",
                "expected a number from 0 to 255, found a list",
            ),
            (
                "size = { a = 1 }",
                "expected a number from 0 to 255, found a table",
            ),
            (
                "size = 1\nratio = 'x'",
                "expected a number, found the text \"x\"",
            ),
            (
                "size = 1\non = 1",
                "expected true or false, found the number 1",
            ),
            ("size = 1\nname = 1", "expected a text, found the number 1"),
            ("size = 1\nlist = 1", "expected a list, found the number 1"),
            (
                "size = 1\npair = 1",
                "expected a list of 2, found the number 1",
            ),
            (
                "size = 1\npair = [1]",
                "expected a list of 2, found 1 elements",
            ),
            (
                "size = 1\nword = 'NO'",
                "expected `RAZ` or `NOP`, found `NO`",
            ),
        ] {
            assert_eq!(toml(&format!("[part]\n{line}")).message, message, "{line}");
        }
        assert_eq!(
            toml("part = 3").message,
            "expected a table, found the number 3"
        );
        assert_eq!(
            json("{\"part\": 3}"),
            "expected an object, found the number 3, at column 10"
        );
        assert_eq!(
            json("{\"part\":\n{\"size\": {}}}"),
            "expected a number from 0 to 255, found an object, at line 2, column 9"
        );
    }

    #[test]
    fn keys_are_told_with_the_nearest() {
        let found = |line: &str| toml(&format!("[part]\n{line}"));
        let mistake = found("size = 1\n  lsit = [2]");
        assert_eq!(mistake.message, "unknown key `lsit`: did you mean `list`?");
        assert_eq!((mistake.line, mistake.column), (3, 3));
        let far = found("size = 1\nzzz = 2").message;
        assert_eq!(
            far,
            "unknown key `zzz`, expected one of `size`, `ratio`, `on`, `name`, `list`, `pair`, `word`"
        );
        assert_eq!(
            found("on = true").message,
            "expected a key `size`, found none"
        );
    }

    #[test]
    fn a_bare_word_is_no_value() {
        let message = "expected a value: true or false, a number, a list, or a text in quotes";
        assert_eq!(toml("[part]\nsize = 1\non = yes").message, message);
        assert_eq!(toml("[part]\nsize = 1\nname = six").message, message);
    }

    #[test]
    fn what_is_no_message_of_types_stays() {
        let text = "part == 1\n";
        let error = toml::from_str::<Whole>(text).expect_err(text);
        assert_eq!(of_toml(text, &error).message, error.message().trim_end());
        assert_eq!(
            words("a sentence of its own", Format::Json),
            "a sentence of its own"
        );
        let message =
            "unknown field `wieght`, expected one of `weight`, `gate`\nin `phases.busy`\n";
        assert_eq!(
            words(message, Format::Toml),
            "unknown key `wieght` in `phases.busy`: did you mean `weight`?"
        );
    }

    #[test]
    fn near_names_come_first() {
        let all = ["first_cycle", "last_cycle", "bits", "register"];
        assert_eq!(near("regster", all), ["register"]);
        assert_eq!(near("last-cycle", all), ["last_cycle"]);
        assert!(near("owner", all).is_empty());
        assert_eq!(
            did_you_mean(&["a", "b", "c"]).as_deref(),
            Some("did you mean `a`, `b` or `c`?")
        );
        assert_eq!(did_you_mean::<&str>(&[]), None);
    }
}
