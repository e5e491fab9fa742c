//! The table of features: one row each, by their bits in the parameters that a design states.

use crate::evtyper::configuration::AccessModel;
use crate::implementation::{Implementation, Layout};

/// A row has the name in reports, what the feature is in the words of `docs/dut-contract.md`, and the key of the
/// implementation that has it; where that is a knob of several values, the value too.
macro_rules! features {
    ($($feature:ident $name:literal $about:literal = $table:ident . $key:ident $(: $value:expr)?;)+) => {
        /// A feature that a design has or has not.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Feature {
            $(#[doc = $about] $feature,)+
        }

        /// The features, in the order of the bits of [`DutParameters::features`](crate::DutParameters::features).
        pub const FEATURES: [Feature; [$($name),+].len()] = [$(Feature::$feature),+];

        impl Feature {
            /// Its name in reports: the key of the implementation file, but for values of knobs.
            pub const fn name(self) -> &'static str {
                [$($name),+][self as usize]
            }

            /// What it is, in the words of `docs/dut-contract.md`, section 4.
            pub const fn about(self) -> &'static str {
                [$($about),+][self as usize]
            }

            /// Whether an implementation has it.
            pub fn is_of(self, implementation: &Implementation) -> bool {
                match self {
                    $(Self::$feature => implementation.$table.$key $(== $value)?,)+
                }
            }

            /// Gives it to an implementation, or takes it: a knob then has its default.
            pub fn set(self, implementation: &mut Implementation, has: bool) {
                match self {
                    $(Self::$feature => features!(@set implementation.$table.$key, has $(, $value)?),)+
                }
            }
        }
    };
    (@set $place:expr, $has:ident) => { $place = $has };
    (@set $place:expr, $has:ident, $value:expr) => {
        $place = if $has { $value } else { Default::default() }
    };
}

features! {
    Th "th" "TH" = pmu.th;
    Edge "edge" "EDGE" = pmu.edge;
    Th2 "th2" "TH2" = pmu.th2;
    Chain "chain" "CHAIN (event 0x001E)" = pmu.chain;
    Pmuv3p1 "pmuv3p1" "PMUv3p1 (16-bit evtCount)" = pmu.pmuv3p1;
    El2 "el2" "EL2" = pe.el2;
    El3 "el3" "EL3" = pe.el3;
    Sel2 "sel2" "SEL2" = pe.sel2;
    Rme "rme" "RME" = pe.rme;
    Sebep "sebep" "SEBEP" = pe.sebep;
    Sme "sme" "SME" = pe.sme;
    Mt "mt" "MT (FEAT_MTPMU or the IMPLEMENTATION DEFINED extension)" = pe.mt;
    Tme "tme" "TME" = pe.tme;
    Mtpmu "mtpmu" "MTPMU" = pe.mtpmu;
    Fgt "fgt" "FGT" = pe.fgt;
    Fgt2 "fgt2" "FGT2" = pe.fgt2;
    Pmuv3p9 "pmuv3p9" "PMUv3p9" = pe.pmuv3p9;
    Hpmn0 "hpmn0" "HPMN0" = pe.hpmn0;
    Vhe "vhe" "VHE" = pe.vhe;
    Layout2021 "layout2021" "layout of 2021 (A-ETY-2)" = knobs.layout: Layout::Year2021;
    Access2021 "access2021" "access model of 2021 (A-ETY-4)" = knobs.access_model: AccessModel::Year2021;
    Spe "spe" "SPE" = spe.implemented;
    Ernd "ernd" "SPE_ERnd" = spe.ernd;
    SpeExc "spe_exc" "SPE_EXC" = spe.exc;
}

impl Implementation {
    /// The features that it has, as the bits of [`DutParameters::features`](crate::DutParameters::features).
    pub fn features(&self) -> u32 {
        FEATURES.iter().enumerate().fold(0, |bits, (bit, feature)| {
            bits | u32::from(feature.is_of(self)) << bit
        })
    }
}
