//! Mistakes of filtering by Exception level and Security state (ETY-20, ETY-22).

use std::fmt;

use pmu_model::Implementation;
use pmu_model::contract::Thread;
use pmu_model::plain::FILTER_ROWS;
use pmu_model::pmu::event_type::{Field, NSH, NSK, NSU, P, RLK, RLU, SH, U, VS};

/// A mistake of the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filters {
    /// A row is inverted.
    Inverted(u8),
    /// A row never filters.
    Never(u8),
    /// A row is that of another one.
    As(u8, u8),
    /// EL3 is filtered by M alone.
    El3ByM,
    /// Two fields are swapped.
    Swapped(Field, Field),
    /// VS 01 and 10 are swapped.
    VsSwapped,
    /// VS has no effect.
    VsIgnored,
    /// Nothing is filtered.
    Off,
}

impl Filters {
    /// All of them.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for number in 0..FILTER_ROWS.len() as u8 {
            all.extend([Self::Inverted(number), Self::Never(number)]);
            let near = |other: &u8| {
                let same_level = number < 9 && *other < 9 && number / 3 == other / 3;
                let same_state = number < 9 && *other < 9 && number % 3 == other % 3;
                *other != number && (same_level || same_state)
            };
            all.extend((0..9).filter(near).map(|other| Self::As(number, other)));
        }
        all.extend([
            Self::As(9, 4),
            Self::El3ByM,
            Self::Swapped(RLK, RLU),
            Self::Swapped(NSK, NSU),
            Self::Swapped(P, U),
            Self::Swapped(NSH, SH),
            Self::VsSwapped,
            Self::VsIgnored,
            Self::Off,
        ]);
        all
    }

    /// Whether a thread in `state` is filtered by a type with these Effective fields, with the mistake.
    pub fn filtered(self, effective: u64, state: u8, implementation: &Implementation) -> bool {
        if self == Self::Off {
            return false;
        }
        let effective = match self {
            Self::Swapped(one, other) => {
                let (a, b) = (one.of(effective), other.of(effective));
                effective & !(one.mask() | other.mask()) | b << one.low | a << other.low
            }
            _ => effective,
        };
        let thread = Thread {
            state,
            ..Thread::default()
        };
        let security = match implementation.pe.el3 {
            true => thread.security().min(2),
            false => 0,
        };
        let number = match thread.level() {
            3 => 9,
            level => 3 * level + security,
        };
        let row = match self {
            Self::As(of, as_) if of == number => FILTER_ROWS[usize::from(as_)],
            _ => FILTER_ROWS[usize::from(number)],
        };
        let other = row.other.map_or(0, |field| field.of(effective));
        let other = if self == Self::El3ByM && number == 9 {
            0
        } else {
            other
        };
        let filtered = (row.one.of(effective) ^ other ^ u64::from(row.equal)) & 1 == 1;
        let filtered = match self {
            Self::Inverted(of) if of == number => !filtered,
            Self::Never(of) if of == number => false,
            _ => filtered,
        };
        let streaming = state & Thread::STREAMING != 0;
        let vs = match (self, VS.of(effective)) {
            (Self::VsIgnored, _) => 0,
            (Self::VsSwapped, 1) => 2,
            (Self::VsSwapped, 2) => 1,
            (_, vs) => vs,
        };
        filtered || (vs == 1 && streaming) || (vs == 2 && !streaming)
    }
}

impl fmt::Display for Filters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |number: u8| FILTER_ROWS[usize::from(number)].name;
        match *self {
            Self::Inverted(row) => write!(f, "the filter of {} is inverted", name(row)),
            Self::Never(row) => write!(f, "{} is never filtered", name(row)),
            Self::As(9, 4) => f.write_str("EL3 is filtered by P alone"),
            Self::As(row, other) => {
                write!(f, "{} is filtered as {} is", name(row), name(other))
            }
            Self::El3ByM => f.write_str("EL3 is filtered by M alone"),
            Self::Swapped(one, other) => {
                write!(
                    f,
                    "{} and {} are swapped in the filter",
                    one.name, other.name
                )
            }
            Self::VsSwapped => f.write_str("VS 01 and 10 are swapped"),
            Self::VsIgnored => f.write_str("VS has no effect"),
            Self::Off => f.write_str("nothing is filtered"),
        }
    }
}
