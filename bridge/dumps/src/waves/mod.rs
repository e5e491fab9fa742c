//! Waveform dumps, looked at: what is in one, its values by clock cycle, the first difference of two.
//!
//! Knows dumps and the names of registers; nothing of designs, models or runs.

pub mod clock;
pub mod compare;
pub mod cut;
pub mod cut_vcd;
pub mod decode;
pub mod dump;
pub mod expression;
pub mod find;
pub mod foreign;
pub mod mapping;
pub mod names;
pub mod outline;
pub mod rename;
pub mod rows;
pub mod select;
pub mod stats;
pub mod table;
pub mod time;
pub mod values;
mod walker;
