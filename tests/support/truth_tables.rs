//! TH-20, TH-22 to TH-26 and TH-30 to TH-33 as tables. They are written from the text, and share nothing with the model.

use std::cmp::Ordering;

/// `PMEVTYPER<n>_EL0` without an event.
pub fn event_type(tc: u8, te: u8, tlc: u8, th: u16) -> u64 {
    u64::from(tc) << 61 | u64::from(te) << 60 | u64::from(tlc) << 54 | u64::from(th) << 32
}

/// Of V_B against TH.
type Condition = fn(Ordering) -> bool;

/// TH-20: TC\[2:1\], and when C_T is TRUE.
pub const CONDITIONS: [(u8, Condition); 4] = [
    (0b00, Ordering::is_ne),
    (0b01, Ordering::is_eq),
    (0b10, Ordering::is_ge),
    (0b11, Ordering::is_lt),
];

/// TH-22: TC, C_P, C_T of every reachable combination that counts an edge.
pub const EDGES: [(u8, u8, u8); 8] = [
    (0b001, 0, 1),
    (0b011, 0, 1),
    (0b101, 0, 1),
    (0b111, 0, 1),
    (0b010, 0, 1),
    (0b010, 1, 0),
    (0b110, 0, 1),
    (0b110, 1, 0),
];

/// What a counter counts.
#[derive(Clone, Copy, PartialEq)]
pub enum Counted {
    /// 0.
    Nothing,
    /// 1.
    One,
    /// V_B.
    Own,
    /// V\[n-1\].
    Below,
}
use Counted::{Below, Nothing, One, Own};

/// TH-23 to TH-26, Tables D13-5 to D13-8: TE, TLC, TC\[0\] (2: either), what is counted if the condition is TRUE, and
/// if it is FALSE, and the row.
pub const ROWS: [(u8, u8, u8, Counted, Counted, char); 7] = [
    (0, 0b00, 0, Own, Nothing, 'A'),
    (0, 0b00, 1, One, Nothing, 'B'),
    (0, 0b01, 0, Own, Below, 'C'),
    (0, 0b01, 1, One, Below, 'D'),
    (0, 0b10, 0, Below, Nothing, 'E'),
    (1, 0b00, 2, One, Nothing, 'F'),
    (1, 0b10, 2, Below, Nothing, 'G'),
];

/// TH-30 to TH-33: whether {TC, TE, TLC} are reserved on an odd counter.
pub fn reserved(tc: u8, te: u8, tlc: u8) -> bool {
    tlc == 0b11
        || (tc & 1, te, tlc) == (1, 0, 0b10)
        || (te, tlc) == (1, 0b01)
        || (tc & 0b11, te) == (0, 1)
}
