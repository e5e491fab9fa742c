//! What decides about `PMEVTYPER<n>_EL0`: the implementation, features that only this register's rules ask for,
//! and the choices that the text leaves open, under the knob names of the ambiguity list.

use serde::{Deserialize, Serialize};

use crate::implementation::Implementation;

/// An implementation, as far as `PMEVTYPER<n>_EL0` can tell. The default is the default [`Implementation`] with
/// all [`Features`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Configuration {
    /// Counters, features that decide which fields are present, and the knobs `res0` and `layout`.
    pub implementation: Implementation,
    /// Other features.
    pub features: Features,
    /// Choices that the text leaves open.
    pub knobs: Knobs,
}

/// Features that decide about accesses, events and multithreading, but not about fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Features {
    /// FEAT_PMUv3p8.
    pub pmuv3p8: bool,
    /// FEAT_PMUv3p9.
    pub pmuv3p9: bool,
    /// FEAT_MTPMU: MT can be disabled (ETY-21). Without it, a field MT that is present is that of the
    /// IMPLEMENTATION DEFINED multithreaded PMU extension.
    pub mtpmu: bool,
    /// FEAT_FGT.
    pub fgt: bool,
    /// FEAT_VHE: without it HCR_EL2.E2H is 0.
    pub vhe: bool,
    /// FEAT_HPMN0: MDCR_EL2.HPMN may be 0.
    pub hpmn0: bool,
    /// FEAT_AA32EL1: TC, TE and TH reset to 0 (ETY-04).
    pub aa32el1: bool,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            pmuv3p8: true,
            pmuv3p9: true,
            mtpmu: true,
            fgt: true,
            vhe: true,
            hpmn0: true,
            aa32el1: true,
        }
    }
}

/// The choices of the ambiguity list, under its names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Knobs {
    /// A-ETY-4.
    pub access_model: AccessModel,
    /// A-ETY-5: accesses to counters that are not implemented, without FEAT_FGT. `TRAP_EL2` is not permitted
    /// for these (ETY-42) and is UNDEFINED.
    pub oor_unimplemented: OutOfRange,
    /// A-ETY-5: accesses to counters that MDCR_EL2.HPMN reserves, without FEAT_FGT.
    pub oor_reserved: OutOfRange,
    /// A-ETY-6.
    pub bad_hpmn: BadHpmn,
    /// A-ETY-7.
    pub vs11: Vs11,
    /// A-ETY-8.
    pub unsupported_other: UnsupportedOther,
    /// A-ETY-9: the fields out of reset, where they are architecturally UNKNOWN.
    pub reset_value: u64,
    /// A-ETY-12: the IMPLEMENTATION DEFINED "EL3 trap priority when SDD == '1'".
    pub el3_trap_priority_sdd: bool,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            access_model: AccessModel::default(),
            oor_unimplemented: OutOfRange::Undef,
            oor_reserved: OutOfRange::TrapEl2,
            bad_hpmn: BadHpmn::default(),
            vs11: Vs11::default(),
            unsupported_other: UnsupportedOther::default(),
            reset_value: 0,
            el3_trap_priority_sdd: false,
        }
    }
}

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
