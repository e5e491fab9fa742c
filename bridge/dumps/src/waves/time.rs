//! Times: from words of a command line to ticks of a dump, and back.

use std::str::FromStr;

use lockstep_vcd::Timescale;

/// Units of time and their exponents, the largest first.
const UNITS: [(&str, i8); 6] = [
    ("s", 0),
    ("ms", -3),
    ("us", -6),
    ("ns", -9),
    ("ps", -12),
    ("fs", -15),
];

/// A time as it was asked for: `12345` ticks, or `1.2us`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time {
    text: String,
    /// All digits as one number.
    digits: u64,
    /// How many of them stand behind the point.
    decimals: u32,
    /// None: ticks.
    unit: Option<i8>,
}

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = |what: &str| format!("expected {what}, as in `12345` (ticks) or `1.2us`");
        let text = text.trim();
        let end = text
            .find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')
            .unwrap_or(text.len());
        let (number, unit) = (text[..end].replace('_', ""), text[end..].trim());
        let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{whole}{fraction}");
        if number.chars().all(|c| c == '.') {
            return Err(expected("a time"));
        }
        if fraction.contains('.') {
            return Err(expected("a time with one point"));
        }
        let digits = digits
            .parse()
            .map_err(|_| expected("a number below 2^64"))?;
        let unit = match unit {
            "" => None,
            unit => Some(
                UNITS
                    .iter()
                    .find(|(name, _)| *name == unit)
                    .ok_or_else(|| expected("a unit of s, ms, us, ns, ps, fs"))?
                    .1,
            ),
        };
        if unit.is_none() && !fraction.is_empty() {
            return Err(expected("a unit after a fraction"));
        }
        Ok(Self {
            text: text.to_owned(),
            digits,
            decimals: u32::try_from(fraction.len()).unwrap_or(u32::MAX),
            unit,
        })
    }
}

impl Time {
    /// The words.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is a number of ticks.
    pub const fn is_ticks(&self) -> bool {
        self.unit.is_none()
    }

    /// The tick in which this time lies.
    ///
    /// # Errors
    /// The dump does not say what a tick is, or the time is beyond all ticks.
    pub fn ticks(&self, timescale: Option<Timescale>) -> Result<u64, String> {
        self.rounded(timescale, |time, tick| time / tick)
    }

    /// The first tick that is not before this time.
    ///
    /// # Errors
    /// Those of [`ticks`](Self::ticks).
    pub fn ticks_from(&self, timescale: Option<Timescale>) -> Result<u64, String> {
        self.rounded(timescale, u128::div_ceil)
    }

    fn rounded(
        &self,
        timescale: Option<Timescale>,
        divided: fn(u128, u128) -> u128,
    ) -> Result<u64, String> {
        let Some(unit) = self.unit else {
            return Ok(self.digits);
        };
        let text = &self.text;
        let timescale = timescale.filter(|timescale| timescale.number > 0).ok_or_else(|| {
            format!("expected ticks, found `{text}`: the dump has no timescale; give a number without a unit")
        })?;
        let beyond = || format!("expected a time below 2^64 ticks of {timescale}, found `{text}`");
        // digits * 10^(unit - decimals) s over number * 10^exponent s.
        let power = i64::from(unit) - i64::from(self.decimals) - i64::from(timescale.exponent);
        let ten = |power: i64| {
            u32::try_from(power)
                .ok()
                .and_then(|power| 10_u128.checked_pow(power))
        };
        let (digits, number) = (u128::from(self.digits), u128::from(timescale.number));
        let ticks = match power >= 0 {
            true => {
                let scaled = ten(power).and_then(|factor| digits.checked_mul(factor));
                divided(scaled.ok_or_else(beyond)?, number)
            }
            // What no number can hold is more than all digits.
            false => {
                let divisor = ten(-power).and_then(|divisor| divisor.checked_mul(number));
                divided(digits, divisor.unwrap_or(u128::MAX))
            }
        };
        u64::try_from(ticks).map_err(|_| beyond())
    }
}

/// How times of a table are written: all in one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    unit: &'static str,
    factor: u128,
    divisor: u128,
}

impl Scale {
    /// The largest unit in which all `ticks` are whole numbers; ticks, if the dump has no timescale.
    pub fn of(timescale: Option<Timescale>, ticks: impl IntoIterator<Item = u64>) -> Self {
        let plain = Self {
            unit: "ticks",
            factor: 1,
            divisor: 1,
        };
        let Some(timescale) = timescale else {
            return plain;
        };
        let mut ticks: Vec<_> = ticks.into_iter().collect();
        if ticks.iter().all(|tick| *tick == 0) {
            // Any unit would do.
            ticks.push(1);
        }
        let factor = u128::from(timescale.number);
        let mut divisors: Vec<_> = UNITS
            .iter()
            .filter_map(|(unit, exponent)| {
                let power = u32::try_from(exponent - timescale.exponent).ok()?;
                Some((*unit, 10_u128.pow(power)))
            })
            .collect();
        for tick in ticks {
            let time = u128::from(tick) * factor;
            divisors.retain(|(_, divisor)| time.is_multiple_of(*divisor));
        }
        match divisors.first() {
            Some(&(unit, divisor)) => Self {
                unit,
                factor,
                divisor,
            },
            None => plain,
        }
    }

    /// The unit.
    pub const fn unit(&self) -> &'static str {
        self.unit
    }

    /// A time without its unit.
    pub fn number(&self, ticks: u64) -> String {
        (u128::from(ticks) * self.factor / self.divisor).to_string()
    }
}

/// One time with its unit: `15 ns`.
pub fn written(timescale: Option<Timescale>, ticks: u64) -> String {
    let scale = Scale::of(timescale, [ticks]);
    match scale.unit() {
        "ticks" => format!("tick {ticks}"),
        unit => format!("{} {unit}", scale.number(ticks)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PS: Timescale = Timescale {
        number: 1,
        exponent: -12,
    };
    const TEN_NS: Timescale = Timescale {
        number: 10,
        exponent: -9,
    };

    fn ticks(text: &str, timescale: Option<Timescale>) -> Result<u64, String> {
        text.parse::<Time>()?.ticks(timescale)
    }

    #[test]
    fn times_are_ticks_or_have_a_unit() {
        assert_eq!(ticks("12345", None), Ok(12345));
        assert_eq!(ticks("1.2us", Some(PS)), Ok(1_200_000));
        assert_eq!(ticks("1.2 us", Some(TEN_NS)), Ok(120));
        assert_eq!(ticks("0.30ns", Some(PS)), Ok(300));
        assert_eq!(ticks("25ns", Some(TEN_NS)), Ok(2));
        assert_eq!(ticks("1fs", Some(PS)), Ok(0));
        assert_eq!(ticks("10_000", Some(PS)), Ok(10_000));
        assert_eq!(ticks("1s", Some(PS)), Ok(1_000_000_000_000));
    }

    #[test]
    fn a_beginning_within_a_tick_is_the_next_one() {
        let from = |text: &str, timescale| text.parse::<Time>()?.ticks_from(Some(timescale));
        assert_eq!(from("25ns", TEN_NS), Ok(3));
        assert_eq!(from("30ns", TEN_NS), Ok(3));
        assert_eq!(from("0.0011ns", PS), Ok(2));
        assert_eq!(from("1fs", PS), Ok(1));
        assert_eq!(from("0fs", PS), Ok(0));
        assert_eq!(from("12", PS), Ok(12));
    }

    #[test]
    fn other_words_are_no_times() {
        for text in [
            "",
            "us",
            ".",
            "1.2",
            "1 min",
            "1..2ns",
            "1.2.3us",
            "99999999999999999999",
            "-1",
        ] {
            let error = text.parse::<Time>().unwrap_err();
            assert!(error.starts_with("expected"), "{text:?}: {error}");
        }
        assert!(ticks("1us", None).unwrap_err().contains("no timescale"));
        assert!(
            ticks("99999999s", Some(PS))
                .unwrap_err()
                .contains("below 2^64")
        );
    }

    #[test]
    fn a_table_has_the_largest_unit_without_fractions() {
        let scale = Scale::of(Some(PS), [0, 10_000, 15_000]);
        assert_eq!((scale.unit(), scale.number(15_000).as_str()), ("ns", "15"));
        let scale = Scale::of(Some(TEN_NS), [1, 2]);
        assert_eq!((scale.unit(), scale.number(2).as_str()), ("ns", "20"));
        assert_eq!(Scale::of(Some(TEN_NS), [0]).unit(), "ns");
        let scale = Scale::of(None, [1]);
        assert_eq!((scale.unit(), scale.number(7).as_str()), ("ticks", "7"));
        let tiny = Timescale {
            number: 1,
            exponent: -18,
        };
        assert_eq!(Scale::of(Some(tiny), [1]).unit(), "ticks");
        assert_eq!(Scale::of(Some(tiny), [1000]).unit(), "fs");
    }

    #[test]
    fn one_time_has_its_unit() {
        assert_eq!(written(Some(PS), 1500), "1500 ps");
        assert_eq!(written(Some(PS), 0), "0 ps");
        assert_eq!(written(None, 7), "tick 7");
    }
}
