//! The day on which waivers are judged.

use std::fmt;
use std::str::FromStr;

use time::{Date, OffsetDateTime};
use toml::value::Datetime;

use super::file::date;

/// A day, as `2027-03-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day(pub(super) Date);

impl Day {
    /// This day, where it is in Greenwich.
    pub fn today() -> Self {
        Self(OffsetDateTime::now_utc().date())
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.0.to_calendar_date();
        write!(f, "{year:04}-{:02}-{day:02}", u8::from(month))
    }
}

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found: Option<Datetime> = text.parse().ok();
        let day = found.as_ref().and_then(date);
        day.map(Self)
            .ok_or_else(|| format!("expected a day, such as 2027-03-31, found {text:?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_read_as_it_is_written() {
        for text in ["2026-11-24", "2028-02-29", "0999-01-01"] {
            let day: Day = text.parse().expect(text);
            assert_eq!(day.to_string(), text);
        }
        for text in ["2027-02-29", "2027-03-31T10:00:00Z", "today", ""] {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
    }
}
