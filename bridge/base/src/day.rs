//! Days: those on which runs ran and waivers are judged, and those to which waivers last.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use time::{Date, Month, OffsetDateTime};
use toml::value::Datetime;

/// A day, as `2027-03-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Day(Date);

impl Day {
    /// This day, where it is in Greenwich.
    pub fn today() -> Self {
        Self(OffsetDateTime::now_utc().date())
    }

    /// The day that a TOML file names, without a time.
    pub fn of(datetime: &Datetime) -> Option<Self> {
        let day = datetime.date.filter(|_| datetime.time.is_none())?;
        let month = Month::try_from(day.month).ok()?;
        let date = Date::from_calendar_date(day.year.into(), month, day.day);
        date.ok().map(Self)
    }

    /// Days from this one to `other`; negative if that is before.
    pub fn days_to(self, other: Self) -> i64 {
        (other.0 - self.0).whole_days()
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
        let day = found.as_ref().and_then(Self::of);
        day.ok_or_else(|| format!("expected a day, such as 2027-03-31, found {text:?}"))
    }
}

impl TryFrom<String> for Day {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Day> for String {
    fn from(day: Day) -> Self {
        day.to_string()
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
            let json = serde_json::to_string(&day).expect("JSON");
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<Day>(&json).expect(text), day);
        }
        for text in ["2027-02-29", "2027-03-31T10:00:00Z", "today", ""] {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
    }

    #[test]
    fn days_between_are_counted_over_months() {
        let day = |text: &str| text.parse::<Day>().expect(text);
        let (one, other) = (day("2028-02-20"), day("2028-03-05"));
        assert_eq!((one.days_to(other), other.days_to(one)), (14, -14));
        assert!(one < other);
    }
}
