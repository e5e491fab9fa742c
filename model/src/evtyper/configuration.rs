//! What decides about `PMEVTYPER<n>_EL0`: the implementation, features that only this register's rules ask for,
//! and the choices that the text leaves open, under the knob names of the ambiguity list.

use serde::{Deserialize, Serialize};

/// The order of the checks of an access (A-ETY-4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AccessModel {
    /// The current pseudocode: counters that are not implemented first.
    #[default]
    #[serde(rename = "CURRENT")]
    Current,
    /// The pseudocode of 2021: the number of counters decides only about permitted accesses.
    #[serde(rename = "2021")]
    Year2021,
}

/// What the architecture permits for a counter that is out of range, without FEAT_FGT (ETY-42).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OutOfRange {
    /// UNDEFINED.
    Undef,
    /// Reads as zero, ignores writes.
    RazWi,
    /// Does nothing: a read leaves its destination unchanged.
    Nop,
    /// Accesses the register of an UNKNOWN accessible counter.
    Alias,
    /// Traps to EL2.
    TrapEl2,
}

/// MDCR_EL2.HPMN beyond the number of counters, or 0 without FEAT_HPMN0 (A-ETY-6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum BadHpmn {
    /// The lesser of HPMN and the number of counters.
    #[default]
    Cap,
    /// All counters.
    All,
}

/// The reserved VS = 11 (A-ETY-7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Vs11 {
    /// Filters nothing.
    #[default]
    NoFilter,
    /// Filters in and out of Streaming mode.
    #[serde(alias = "FILTERED")]
    Filter,
}

/// Unsupported events that the architecture does not define, without FEAT_PMUv3p8 (A-ETY-8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum UnsupportedOther {
    /// Count nothing and read as written, as Arm recommends.
    #[default]
    NoCount,
    /// What is counted is UNPREDICTABLE and the value read is UNKNOWN.
    Unpredictable,
}
