//! Files of waivers.

use std::io;
use std::path::{Path, PathBuf};

use pmu_model::AccessKind;
use serde::Deserialize;
use time::{Date, Month, OffsetDateTime};
use toml::Spanned;
use toml::value::Datetime;

use super::{Condition, Waiver, Waivers};
use crate::glob::Glob;
use crate::text_file;

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
    condition: When,
    reason: String,
    owner: String,
    expires: Datetime,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected condition = \"always\", or a table of register, access, bits, expected, rtl, \
                               first_cycle, last_cycle, exception_level"
)]
enum When {
    Word(Always),
    Table(Table),
}

#[derive(Deserialize)]
enum Always {
    #[serde(rename = "always")]
    Always,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    register: Option<String>,
    access: Option<AccessWord>,
    bits: Option<u64>,
    expected: Option<u64>,
    rtl: Option<u64>,
    first_cycle: Option<u64>,
    last_cycle: Option<u64>,
    exception_level: Option<u8>,
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

impl From<When> for Condition {
    fn from(when: When) -> Self {
        let table = match when {
            When::Word(Always::Always) => return Self::default(),
            When::Table(table) => table,
        };
        Self {
            register: table.register.as_deref().map(Glob::new),
            access: table.access.map(AccessKind::from),
            bits: table.bits,
            expected: table.expected,
            rtl: table.rtl,
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
        let text = text_file::read(path).map_err(|source| WaiverError::Io {
            path: path.into(),
            source,
        })?;
        Self::parse(path, &text)
    }

    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, WaiverError> {
        Self::parse_on(path, text, OffsetDateTime::now_utc().date())
    }

    fn parse_on(path: &Path, text: &str, today: Date) -> Result<Self, WaiverError> {
        let line_of = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
        let syntax = |line, message: String| WaiverError::Syntax {
            path: path.into(),
            line,
            message,
        };
        let document: Document = toml::from_str(text).map_err(|error| {
            let line = line_of(error.span().map_or(0, |span| span.start));
            syntax(line, error.message().trim_end().to_owned())
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
            let last = date(&entry.expires).ok_or_else(|| {
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
                field: Glob::new(&entry.field),
                condition: entry.condition.into(),
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

/// A day without a time.
fn date(datetime: &Datetime) -> Option<Date> {
    let day = datetime.date.filter(|_| datetime.time.is_none())?;
    let month = Month::try_from(day.month).ok()?;
    Date::from_calendar_date(day.year.into(), month, day.day).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(entry: &str) -> Result<Waivers, WaiverError> {
        let today = Date::from_calendar_date(2030, Month::May, 20).expect("a day");
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
        assert!(error(&format!("{REST}expires = 2031-01-01")).contains("missing field `field`"));
        assert!(error(&format!("field = ' '\n{rest}")).contains("w.toml:3: field of this waiver"));
        assert!(error(&format!("field = 'V[1]'\n{REST}")).contains("missing field `expires`"));
        let time = format!("field = 'V[1]'\n{REST}expires = 2031-01-01T00:00:00Z");
        assert!(error(&time).contains("expected a day"));
        let word = "field = 'V[1]'\ncondition = 'sometimes'\nreason = 'r'\nowner = 'o'\nexpires = 2031-01-01";
        assert!(
            error(word).contains("expected condition = \"always\""),
            "{}",
            error(word)
        );
        let key = word.replace("'sometimes'", "{ regster = 'PMCR' }");
        assert!(error(&key).contains("w.toml:5"), "{}", error(&key));
        assert!(error(&format!("fields = 'V[1]'\n{rest}")).contains("unknown field `fields`"));
    }

    #[test]
    fn no_waivers_are_none() {
        let none = Waivers::parse("w.toml".as_ref(), "").expect("an empty file");
        assert!(none.is_empty());
    }
}
