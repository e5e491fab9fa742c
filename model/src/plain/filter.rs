//! Filtering by Exception level, Security state and Streaming mode (ETY-20, ETY-22).

use crate::contract::CycleInput;
use crate::evtyper::configuration::Vs11;
use crate::pmu::event_type::{Field, M, NSH, NSK, NSU, P, RLH, RLK, RLU, SH, U, VS};

use super::Plain;
use super::operators::Operators;
use super::site::Site;

/// A row of the table of ETY-20.
struct Row {
    name: &'static str,
    one: Field,
    other: Option<Field>,
    /// Filtered when the fields are equal, or the one is 0.
    equal: bool,
}

const fn row(name: &'static str, one: Field, other: Option<Field>, equal: bool) -> Row {
    Row {
        name,
        one,
        other,
        equal,
    }
}

/// The table, by Exception level and Security state; EL3 is the last row.
const ROWS: [Row; 10] = [
    row("Non-secure EL0", U, Some(NSU), false),
    row("Secure EL0", U, None, false),
    row("Realm EL0", U, Some(RLU), false),
    row("Non-secure EL1", P, Some(NSK), false),
    row("Secure EL1", P, None, false),
    row("Realm EL1", P, Some(RLK), false),
    row("Non-secure EL2", NSH, None, true),
    row("Secure EL2", NSH, Some(SH), true),
    row("Realm EL2", NSH, Some(RLH), true),
    row("EL3", M, Some(P), false),
];

/// Fields of the filter, which can be taken for each other.
pub(super) const FIELDS: [Field; 11] = [
    P,
    U,
    NSK,
    NSU,
    NSH,
    M,
    SH,
    RLK,
    RLU,
    RLH,
    crate::pmu::event_type::MT,
];

/// Names of the rows.
pub(super) fn row_name(row: usize) -> &'static str {
    ROWS[row].name
}

impl Plain {
    /// Whether thread `t` is filtered by the fields of `effective`, for counter `n`.
    pub(super) fn is_filtered<O: Operators>(
        &mut self,
        operators: &mut O,
        n: usize,
        (effective, t): (u64, usize),
        input: &CycleInput,
    ) -> bool {
        if input.driven & CycleInput::DRIVEN_PE == 0 {
            return false;
        }
        let t = operators.index(Site::FilteredThread, t, t, 4) & 3;
        let thread = input.threads[t];
        let level = operators.word(Site::FilteredLevel, 0, thread.level().into()) as usize;
        let security = operators.word(Site::FilteredSecurity, 0, thread.security().into());
        let number = match (level, security) {
            (3, _) => 9,
            (level, 1) => 3 * level + 1,
            (level, 2) => 3 * level + 2,
            (level, _) => 3 * level,
        };
        let number = operators.index(Site::FilterRow, number, number, 10);
        let row = &ROWS[number];
        let fields = FIELDS
            .iter()
            .enumerate()
            .fold(0, |all, (k, field)| all | field.of(effective) << k);
        let place = |field: Field| {
            let found = FIELDS.iter().position(|other| other.low == field.low);
            found.unwrap_or(0)
        };
        let bit = |operators: &mut O, site: Site, field: Field| {
            let place = place(field);
            let value = operators.pick(site, number, fields, place);
            operators.bit(Site::FilterBit, place, value)
        };
        let one = bit(operators, Site::FilterField, row.one);
        let other = match row.other {
            Some(field) => bit(operators, Site::FilterOther, field),
            None => false,
        };
        let by_level = operators.bit(Site::FilteredByRow, number, (one != other) != row.equal);
        let by_mode = self.filtered_by_mode(operators, effective, thread.state >> 4 & 1 == 1);
        operators.bit(Site::Filtered, n, by_level || by_mode)
    }

    /// ETY-22.
    fn filtered_by_mode<O: Operators>(
        &mut self,
        operators: &mut O,
        effective: u64,
        streaming: bool,
    ) -> bool {
        let vs = VS.of(effective) as usize;
        let filtered = match vs {
            0 => false,
            1 => streaming,
            2 => !streaming,
            _ => self.fixed.implementation.knobs.vs11 == Vs11::Filter,
        };
        operators.bit(Site::FilteredByMode, vs, filtered)
    }
}
