//! Files of waivers.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use pmu_model::AccessKind;
use serde::{Deserialize, Deserializer, de};
use toml::Spanned;
use toml::value::Datetime;

use super::{Condition, Waiver, Waivers};
use crate::lockstep::compare::{access_names, registers, usual_names};
use lockstep_base::day::Day;
use lockstep_base::glob::Glob;
use lockstep_base::plain::{Mistake, did_you_mean, near, of_toml};
use lockstep_base::text_file;

/// Waivers that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WaiverError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}; name a file of waivers (TOML) with --waivers", path.display())]
    Io {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// It is not what a file of waivers should be.
    #[error("{}:{line}: {message}", path.display())]
    Syntax {
        /// File.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What was expected and found.
        message: String,
    },
    /// A waiver has expired.
    #[error(transparent)]
    Expired(#[from] Box<Expired>),
}

/// A waiver whose last day is over.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}:{line}: the waiver of {field} expired on {expires}: mend the design, or have {owner} decide again ({reason})",
    path.display()
)]
pub struct Expired {
    /// File.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: usize,
    /// The field.
    pub field: String,
    /// Its last day.
    pub expires: String,
    /// Who answers for it.
    pub owner: String,
    /// Why it was there.
    pub reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    waiver: Vec<Spanned<Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    field: String,
    condition: Spanned<toml::Value>,
    reason: String,
    owner: String,
    expires: Datetime,
}

/// When a waiver holds.
enum When {
    Always,
    Table(Table),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    register: Option<String>,
    access: Option<AccessWord>,
    bits: Option<Word>,
    expected: Option<Word>,
    rtl: Option<Word>,
    first_cycle: Option<u64>,
    last_cycle: Option<u64>,
    exception_level: Option<u8>,
}

/// 64 bits: a number, or, as those of TOML end at bit 62, the same as text.
struct Word(u64);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Of;
        impl de::Visitor<'_> for Of {
            type Value = Word;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number from 0, with bit 63 as text such as \"0xFFFFFFFFFFFFFFFF\"")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Word, E> {
                let word = u64::try_from(number).map(Word);
                word.map_err(|_| E::invalid_value(de::Unexpected::Signed(number), &self))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Word, E> {
                Ok(Word(number))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Word, E> {
                let word = match text.strip_prefix("0x") {
                    Some(digits) => u64::from_str_radix(&digits.replace('_', ""), 16),
                    None => text.parse(),
                };
                word.map(Word)
                    .map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        from.deserialize_any(Of)
    }
}

#[derive(Clone, Copy, Deserialize)]
enum AccessWord {
    #[serde(rename = "MRS")]
    Mrs,
    #[serde(rename = "MSR")]
    Msr,
    #[serde(rename = "MRC")]
    Mrc,
    #[serde(rename = "MCR")]
    Mcr,
    #[serde(rename = "external read")]
    ExternalRead,
    #[serde(rename = "external write")]
    ExternalWrite,
}

impl From<AccessWord> for AccessKind {
    fn from(word: AccessWord) -> Self {
        match word {
            AccessWord::Mrs => Self::Read,
            AccessWord::Msr => Self::Write,
            AccessWord::Mrc => Self::Read32,
            AccessWord::Mcr => Self::Write32,
            AccessWord::ExternalRead => Self::ExternalRead,
            AccessWord::ExternalWrite => Self::ExternalWrite,
        }
    }
}

impl When {
    /// The condition of the file's text.
    ///
    /// # Errors
    /// What was expected and found.
    fn read(value: toml::Value) -> Result<Self, String> {
        let expected = "\"always\", or a table such as { access = \"MRS\", bits = 0xFF }";
        match value {
            toml::Value::String(word) if word == "always" => Ok(Self::Always),
            toml::Value::Table(table) => match table.try_into() {
                Ok(table) => Ok(Self::Table(table)),
                // The text is not needed without a place in it.
                Err(error) => Err(of_toml("", &error).message),
            },
            other => Err(format!("expected {expected}, found {other}")),
        }
    }
}

/// A pattern that fits none of `usual` and `others`: what it may stand for.
fn fits_nothing(
    pattern: &Glob,
    usual: impl Iterator<Item = String>,
    others: impl Iterator<Item = String>,
) -> Option<String> {
    let usual: Vec<_> = usual.collect();
    let mut all = usual.iter().cloned().chain(others);
    if all.any(|name| pattern.fits(&name)) {
        return None;
    }
    let question = did_you_mean(&near(pattern.text(), usual));
    Some(question.unwrap_or_else(|| {
        "names are those of reports, such as V[3], \"PMCCNTR increment\", PMEVTYPER3_EL0 or \"access outcome\"".into()
    }))
}

impl From<When> for Condition {
    fn from(when: When) -> Self {
        let table = match when {
            When::Always => return Self::default(),
            When::Table(table) => table,
        };
        Self {
            register: table.register.as_deref().map(Glob::new),
            access: table.access.map(AccessKind::from),
            bits: table.bits.map(|Word(bits)| bits),
            expected: table.expected.map(|Word(value)| value),
            rtl: table.rtl.map(|Word(value)| value),
            first_cycle: table.first_cycle,
            last_cycle: table.last_cycle,
            exception_level: table.exception_level,
        }
    }
}

impl Waivers {
    /// Reads a file of waivers.
    ///
    /// # Errors
    /// It cannot be read, is malformed, or one of the waivers has expired.
    pub fn load(path: &Path) -> Result<Self, WaiverError> {
        Self::load_on(path, Day::today())
    }

    /// Reads a file of waivers as on another day.
    ///
    /// # Errors
    /// As [`Waivers::load`].
    pub fn load_on(path: &Path, day: Day) -> Result<Self, WaiverError> {
        let text = text_file::read(path).map_err(|source| WaiverError::Io {
            path: path.into(),
            source,
        })?;
        Self::parse_on(path, &text, day)
    }

    /// The waivers of a file; none without one.
    ///
    /// # Errors
    /// As [`Waivers::load`].
    pub fn of(path: Option<&Path>) -> Result<Self, WaiverError> {
        path.map_or_else(|| Ok(Self::default()), Self::load)
    }

    #[cfg(test)]
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, WaiverError> {
        Self::parse_on(path, text, Day::today())
    }

    fn parse_on(path: &Path, text: &str, today: Day) -> Result<Self, WaiverError> {
        let line_of = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
        let syntax = |line, message: String| WaiverError::Syntax {
            path: path.into(),
            line,
            message,
        };
        let document: Document = toml::from_str(text).map_err(|error| {
            let Mistake { line, message, .. } = of_toml(text, &error);
            let hint = match message.contains("too large") {
                true => ": write one with bit 63 as text, such as \"0xFFFFFFFFFFFFFFFF\"",
                false => "",
            };
            syntax(line, message + hint)
        })?;
        let mut waivers = Self::default();
        for entry in document.waiver {
            let line = line_of(entry.span().start);
            let entry = entry.into_inner();
            for (name, text) in [
                ("field", &entry.field),
                ("reason", &entry.reason),
                ("owner", &entry.owner),
            ] {
                if text.trim().is_empty() {
                    return Err(syntax(
                        line,
                        format!("{name} of this waiver: expected words, found none"),
                    ));
                }
            }
            let field = Glob::new(&entry.field);
            if let Some(hint) = fits_nothing(&field, usual_names(), access_names()) {
                return Err(syntax(
                    line,
                    format!(
                        "field = \"{}\": nothing that is compared has such a name: {hint}",
                        entry.field
                    ),
                ));
            }
            let at = line_of(entry.condition.span().start);
            let when = When::read(entry.condition.into_inner())
                .map_err(|message| syntax(at, format!("condition: {message}")))?;
            let condition = Condition::from(when);
            if let Some(register) = &condition.register
                && let Some(hint) = fits_nothing(register, registers(), access_names())
            {
                let text = register.text();
                return Err(syntax(
                    at,
                    format!(
                        "register = \"{text}\" of the condition: no register has such a name: {hint}"
                    ),
                ));
            }
            let last = Day::of(&entry.expires).ok_or_else(|| {
                let message = format!(
                    "expires = {}: expected a day, such as 2027-03-31",
                    entry.expires
                );
                syntax(line, message)
            })?;
            let expires = entry.expires.to_string();
            if today > last {
                return Err(WaiverError::from(Box::new(Expired {
                    path: path.into(),
                    line,
                    field: entry.field,
                    expires,
                    owner: entry.owner,
                    reason: entry.reason,
                })));
            }
            waivers.waivers.push(Waiver {
                field,
                condition,
                reason: entry.reason,
                owner: entry.owner,
                expires,
                line,
            });
            waivers.waived.push(0);
        }
        Ok(waivers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(entry: &str) -> Result<Waivers, WaiverError> {
        let today = "2030-05-20".parse().expect("a day");
        let text = format!("# waivers\n\n[[waiver]]\n{entry}\n");
        Waivers::parse_on("w.toml".as_ref(), &text, today)
    }

    const REST: &str = "condition = 'always'\nreason = 'known'\nowner = 'team'\n";

    fn error(entry: &str) -> String {
        parse(entry).expect_err(entry).to_string()
    }

    #[test]
    fn a_waiver_ends_after_its_last_day() {
        let of = |day: &str| parse(&format!("field = 'V[1]'\n{REST}expires = {day}"));
        assert!(of("2030-05-20").is_ok());
        let expired = of("2030-05-19").expect_err("expired").to_string();
        assert!(
            expired.starts_with("w.toml:3: the waiver of V[1] expired on 2030-05-19"),
            "{expired}"
        );
        assert!(expired.contains("team") && expired.contains("known"));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let rest = format!("{REST}expires = 2031-01-01");
        assert!(error(&rest).contains("expected a key `field`, found none"));
        assert!(error(&format!("field = ' '\n{rest}")).contains("w.toml:3: field of this waiver"));
        assert!(
            error(&format!("field = 'V[1]'\n{REST}"))
                .contains("expected a key `expires`, found none")
        );
        let time = format!("field = 'V[1]'\n{REST}expires = 2031-01-01T00:00:00Z");
        assert!(error(&time).contains("expected a day"));
        assert_eq!(
            error(&format!("fields = 'V[1]'\n{rest}")),
            "w.toml:4: unknown key `fields`: did you mean `field`?"
        );
    }

    fn of_condition(condition: &str) -> String {
        error(&format!(
            "field = 'V[1]'\ncondition = {condition}\nreason = 'r'\nowner = 'o'\nexpires = 2031-01-01"
        ))
    }

    #[test]
    fn a_misspelt_condition_is_told_with_the_nearest_key() {
        for (condition, message) in [
            (
                "'sometimes'",
                "expected \"always\", or a table such as { access = \"MRS\", bits = 0xFF }, found \"sometimes\"",
            ),
            (
                "{ regster = 'PMCR_EL0' }",
                "unknown key `regster`: did you mean `register`?",
            ),
            (
                "{ bits = -1 }",
                "expected a number from 0, with bit 63 as text such as \"0xFFFFFFFFFFFFFFFF\", found the number -1",
            ),
            (
                "{ access = 'MSRR' }",
                "expected one of `MRS`, `MSR`, `MRC`, `MCR`, `external read`, `external write`, found `MSRR`",
            ),
        ] {
            assert_eq!(
                of_condition(condition),
                format!("w.toml:5: condition: {message}")
            );
        }
        assert_eq!(
            of_condition("{ register = 'PMMIRR_EL1' }"),
            "w.toml:5: register = \"PMMIRR_EL1\" of the condition: no register has such a name: did you mean `PMMIR_EL1` or \
             `PMSIRR_EL1`?"
        );
    }

    #[test]
    fn a_misspelt_field_is_told_with_the_nearest() {
        let rest = format!("{REST}expires = 2031-01-01");
        let of = |field: &str| error(&format!("field = '{field}'\n{rest}"));
        let start = |field: &str| {
            format!("w.toml:3: field = \"{field}\": nothing that is compared has such a name: ")
        };
        assert_eq!(
            of("PMEVTYPR3_EL0"),
            start("PMEVTYPR3_EL0") + "did you mean `PMEVTYPER3_EL0`?"
        );
        assert_eq!(
            of("acces outcome"),
            start("acces outcome") + "did you mean `access outcome`?"
        );
        assert!(
            of("increment of counter 3")
                .starts_with(&(start("increment of counter 3") + "names are those of reports"))
        );
        assert!(of("W[*]").starts_with(&start("W[*]")));
    }

    #[test]
    fn names_of_every_kind_are_taken() {
        for field in [
            "V[30]",
            "V[*]",
            "*",
            "PMCCNTR increment",
            "PMEVTYPER?_EL0",
            "S0_0_C0_C0_0",
            "PMEVTYPER3 (AArch32)",
            "PMEVTYPER3_EL0[63:32] (external)",
            "offset 0x480 (external)",
            "reserved byte 96 of cycle_output_o",
            "ISS of the trap",
        ] {
            let entry = format!("field = '{field}'\n{REST}expires = 2031-01-01");
            assert!(parse(&entry).is_ok(), "{field}");
        }
    }

    #[test]
    fn no_waivers_are_none() {
        let none = Waivers::parse("w.toml".as_ref(), "").expect("an empty file");
        assert!(none.is_empty());
    }
}
