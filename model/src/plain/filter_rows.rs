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

/// A function of the two fields of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filtering {
    /// Bit *2a + b*: whether the first field *a* and the second one *b* filter.
    pub(super) table: u8,
    pub(super) name: &'static str,
}

const fn function(table: u8, name: &'static str) -> Filtering {
    Filtering { table, name }
}

/// What of two fields can filter. The first one is that of a row whose fields must differ, the second that of one whose fields
/// must be equal.
pub(super) const FILTERING: [Filtering; 14] = [
    function(0b0110, "that they differ"),
    function(0b1001, "that they are equal"),
    function(0b1000, "that both are 1"),
    function(0b1110, "that one of them is 1"),
    function(0b0001, "that both are 0"),
    function(0b0111, "that not both are 1"),
    function(0b0100, "that the first alone is 1"),
    function(0b0010, "that the second alone is 1"),
    function(0b1100, "that the first is 1"),
    function(0b0011, "that the first is 0"),
    function(0b1010, "that the second is 1"),
    function(0b0101, "that the second is 0"),
    function(0b1101, "that the second alone is not 1"),
    function(0b1011, "that the first alone is not 1"),
];
