//! The table of filtering by Exception level and Security state (ETY-20).

use crate::pmu::event_type::{Field, M, NSH, NSK, NSU, P, RLH, RLK, RLU, SH, U};

/// A row of the table of ETY-20.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterRow {
    /// Exception level and Security state.
    pub name: &'static str,
    /// The field that filters.
    pub one: Field,
    /// The field that it is compared with; 0 without one.
    pub other: Option<Field>,
    /// Filtered when the fields are equal, or the one is 0.
    pub equal: bool,
}

const fn row(name: &'static str, one: Field, other: Option<Field>, equal: bool) -> FilterRow {
    FilterRow {
        name,
        one,
        other,
        equal,
    }
}

/// The table, by Exception level and Security state; EL3 is the last row.
pub const FILTER_ROWS: [FilterRow; 10] = [
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
