//! The table of features: one row each, by their bits in the parameters that a design states.

use crate::evtyper::configuration::AccessModel;
use crate::implementation::{Implementation, Layout};

/// A feature that a design has or has not.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// Its name in reports: the key of the implementation file, but for choices of several.
    pub name: &'static str,
    /// What it is, in the words of `docs/dut-contract.md`, section 4.
    pub about: &'static str,
    /// Whether an implementation has it.
    pub has: fn(&Implementation) -> bool,
    /// Gives it to an implementation, or takes it.
    pub set: fn(&mut Implementation, bool),
}

/// A feature that is a key of the implementation.
macro_rules! key {
    ($name:literal, $about:literal, $table:ident . $key:ident) => {
        Feature {
            name: $name,
            about: $about,
            has: |implementation| implementation.$table.$key,
            set: |implementation, has| implementation.$table.$key = has,
        }
    };
}

/// A feature that is a value of a knob, which has another one by default.
macro_rules! value {
    ($name:literal, $about:literal, $knob:ident: $value:expr) => {
        Feature {
            name: $name,
            about: $about,
            has: |implementation| implementation.knobs.$knob == $value,
            set: |implementation, has| {
                implementation.knobs.$knob = if has { $value } else { Default::default() };
            },
        }
    };
}

/// The features, in the order of the bits of [`DutParameters::features`](crate::DutParameters::features).
pub const FEATURES: [Feature; 24] = [
    key!("th", "TH", pmu.th),
    key!("edge", "EDGE", pmu.edge),
    key!("th2", "TH2", pmu.th2),
    key!("chain", "CHAIN (event 0x001E)", pmu.chain),
    key!("pmuv3p1", "PMUv3p1 (16-bit evtCount)", pmu.pmuv3p1),
    key!("el2", "EL2", pe.el2),
    key!("el3", "EL3", pe.el3),
    key!("sel2", "SEL2", pe.sel2),
    key!("rme", "RME", pe.rme),
    key!("sebep", "SEBEP", pe.sebep),
    key!("sme", "SME", pe.sme),
    key!(
        "mt",
        "MT (FEAT_MTPMU or the IMPLEMENTATION DEFINED extension)",
        pe.mt
    ),
    key!("tme", "TME", pe.tme),
    key!("mtpmu", "MTPMU", pe.mtpmu),
    key!("fgt", "FGT", pe.fgt),
    key!("fgt2", "FGT2", pe.fgt2),
    key!("pmuv3p9", "PMUv3p9", pe.pmuv3p9),
    key!("hpmn0", "HPMN0", pe.hpmn0),
    key!("vhe", "VHE", pe.vhe),
    value!("layout2021", "layout of 2021 (A-ETY-2)", layout: Layout::Year2021),
    value!("access2021", "access model of 2021 (A-ETY-4)", access_model: AccessModel::Year2021),
    key!("spe", "SPE", spe.implemented),
    key!("ernd", "SPE_ERnd", spe.ernd),
    key!("spe_exc", "SPE_EXC", spe.exc),
];

impl Implementation {
    /// The features that it has, as the bits of [`DutParameters::features`](crate::DutParameters::features).
    pub fn features(&self) -> u32 {
        FEATURES.iter().enumerate().fold(0, |bits, (bit, feature)| {
            bits | u32::from((feature.has)(self)) << bit
        })
    }
}
