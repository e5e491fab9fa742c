//! What the architecture leaves to the implementation: features, sizes, and every place where the text
//! allows more than one behaviour, under the knob names of the ambiguity list.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::threshold_control::{ThresholdControl, is_reserved};

/// An implementation of the architecture, as a TOML file describes it. Every key has a default; the
/// default is a PE with all features and 31 event counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Implementation {
    /// Name in reports.
    pub name: String,
    /// Event counters and their features.
    pub pmu: Pmu,
    /// Features of the PE that decide which register fields are present.
    pub pe: Pe,
    /// Choices that the text leaves open.
    pub knobs: Knobs,
}

/// Event counters of the PE.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pmu {
    /// Event counters, 0 to 31 (PMCR_EL0.N).
    pub counters: u8,
    /// 64 with FEAT_PMUv3p5, else 32.
    pub counter_bits: u8,
    /// Numbered events that the design is given, 1 to 64.
    pub event_count: u8,
    /// Bits of an event's base value, 1 to 16.
    pub event_width: u8,
    /// FEAT_PMUv3_TH.
    pub th: bool,
    /// FEAT_PMUv3_EDGE.
    pub edge: bool,
    /// FEAT_PMUv3_TH2.
    pub th2: bool,
    /// PMMIR_EL1.THWIDTH, 1 to 12; without `th` it has no effect and may be 0.
    pub thwidth: u8,
    /// Event 0x001E is CHAIN.
    pub chain: bool,
    /// FEAT_PMUv3p1: evtCount has 16 bits.
    pub pmuv3p1: bool,
    /// PMMIR_EL1 bits \[19:0\]: SLOTS, BUS_SLOTS, BUS_WIDTH.
    pub pmmir: u32,
}

/// Features of the PE.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pe {
    /// EL2 is implemented.
    pub el2: bool,
    /// EL3 is implemented.
    pub el3: bool,
    /// FEAT_SEL2.
    pub sel2: bool,
    /// FEAT_RME.
    pub rme: bool,
    /// FEAT_SEBEP.
    pub sebep: bool,
    /// FEAT_PMUv3_SME.
    pub sme: bool,
    /// FEAT_MTPMU, or the IMPLEMENTATION DEFINED multithreaded PMU extension.
    pub mt: bool,
    /// FEAT_TME (A-ETY-10).
    pub tme: bool,
}

/// The choices of the ambiguity list, under its names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Knobs {
    /// A-TH-1.
    pub rhbwbb: Rhbwbb,
    /// A-TH-3.
    pub cp_when_not_counting: CpWhenNotCounting,
    /// A-TH-4.
    pub ct_when_bypassed: CtWhenBypassed,
    /// A-TH-5.
    pub link_from_idle: LinkFromIdle,
    /// A-TH-6.
    pub reserved_policy: ReservedPolicy,
    /// A-TH-6, for `reserved_policy = "MAP"`: from reserved to allocated {TC, TE, TLC}, each written
    /// `"TC,TE,TLC"`, in binary (`"000,1,00" = "001,1,00"`) or in one decimal digit each (`"0,1,0" = "1,1,0"`).
    pub reserved_map: BTreeMap<String, String>,
    /// Compare counters in a reserved configuration (TH-35): only when `reserved_policy` is the
    /// documented behaviour of the design.
    pub compare_reserved: bool,
    /// A-ETY-1.
    pub res0: Res0,
    /// A-ETY-2.
    pub layout: Layout,
}

macro_rules! knob {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant),+ }

        impl $name {
            /// The word of the ambiguity list.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}

knob! {
    /// TC, TH, TE all zero with TLC nonzero on an odd counter (A-TH-1).
    Rhbwbb {
        /// Linking is active: V = V_T.
        #[default]
        LinkAware = "LINK_AWARE",
        /// The literal RHBWBB: V = V_B.
        Literal = "LITERAL",
    }
}
knob! {
    /// C_P after a cycle in which counting was not allowed (A-TH-3).
    CpWhenNotCounting {
        /// Zero, as RJJRJQ says.
        #[default]
        Zero = "ZERO",
        /// The last value, as the pseudocode does.
        Hold = "HOLD",
    }
}
knob! {
    /// Whether C_T is recorded for C_P while threshold, edge and link are all off (A-TH-4).
    CtWhenBypassed {
        /// Recorded, as the text says.
        #[default]
        Update = "UPDATE",
        /// Not recorded, as the pseudocode does.
        Hold = "HOLD",
    }
}
knob! {
    /// V\[n-1\] when counter n-1 is not counting (A-TH-5).
    LinkFromIdle {
        /// Zero.
        #[default]
        Zero = "ZERO",
        /// What an earlier counter left, as the pseudocode does.
        Stale = "STALE",
    }
}
knob! {
    /// Reserved {TC, TE, TLC} (A-TH-6).
    ReservedPolicy {
        /// V = V_B.
        #[default]
        Disabled = "DISABLED",
        /// TLC, then TE, treated as zero.
        DropField = "DROP_FIELD",
        /// An allocated value, from `reserved_map`.
        Map = "MAP",
    }
}
knob! {
    /// Storage of RES0 bits (A-ETY-1).
    Res0 {
        /// Read as zero, writes ignored.
        #[default]
        RazWi = "RAZ_WI",
        /// Hold what was written, without effect.
        RwNoEffect = "RW_NOEFFECT",
    }
}
knob! {
    /// Layout of `PMEVTYPER<n>_EL0` (A-ETY-2).
    Layout {
        /// The current one.
        #[default]
        Current = "CURRENT",
        /// That of 2021, without TE, SYNC, VS, TLC, RLK, RLU, RLH.
        Year2021 = "2021",
    }
}

impl Default for Implementation {
    fn default() -> Self {
        Self {
            name: "default".into(),
            pmu: Pmu::default(),
            pe: Pe::default(),
            knobs: Knobs::default(),
        }
    }
}

impl Default for Pmu {
    fn default() -> Self {
        Self {
            counters: 31,
            counter_bits: 64,
            event_count: 64,
            event_width: 16,
            th: true,
            edge: true,
            th2: true,
            thwidth: 12,
            chain: true,
            pmuv3p1: true,
            pmmir: 0,
        }
    }
}

impl Default for Pe {
    fn default() -> Self {
        Self {
            el2: true,
            el3: true,
            sel2: true,
            rme: true,
            sebep: true,
            sme: true,
            mt: true,
            tme: false,
        }
    }
}

/// A configuration that no implementation can have. The message names the key, the value found and what
/// is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {found}: expected {expected}")]
pub struct ImplementationError {
    /// Key in the implementation file, with its table.
    pub key: &'static str,
    /// Value found.
    pub found: String,
    /// What is allowed, and why.
    pub expected: String,
}

impl Implementation {
    /// Checks that the configuration is one that the architecture and the contract allow.
    ///
    /// # Errors
    /// The first key whose value is impossible.
    pub fn validate(&self) -> Result<(), ImplementationError> {
        let pmu = &self.pmu;
        let error = |key, found: String, expected: &str| {
            Err(ImplementationError {
                key,
                found,
                expected: expected.into(),
            })
        };
        if pmu.counters > 31 {
            return error(
                "pmu.counters",
                pmu.counters.to_string(),
                "0 to 31 event counters (PMCR_EL0.N)",
            );
        }
        if !matches!(pmu.counter_bits, 32 | 64) {
            return error(
                "pmu.counter_bits",
                pmu.counter_bits.to_string(),
                "32, or 64 for FEAT_PMUv3p5",
            );
        }
        if !(1..=64).contains(&pmu.event_count) {
            return error(
                "pmu.event_count",
                pmu.event_count.to_string(),
                "1 to 64 events",
            );
        }
        if !(1..=16).contains(&pmu.event_width) {
            return error(
                "pmu.event_width",
                pmu.event_width.to_string(),
                "1 to 16 bits",
            );
        }
        if pmu.edge && !pmu.th {
            return error(
                "pmu.edge",
                "true".into(),
                "false without pmu.th: FEAT_PMUv3_EDGE requires FEAT_PMUv3_TH (TH-07)",
            );
        }
        if pmu.th2 && !pmu.edge {
            return error(
                "pmu.th2",
                "true".into(),
                "false without pmu.edge: FEAT_PMUv3_TH2 requires FEAT_PMUv3_EDGE (TH-07)",
            );
        }
        if pmu.thwidth > 12 || (pmu.th && pmu.thwidth == 0) {
            return error(
                "pmu.thwidth",
                pmu.thwidth.to_string(),
                "1 to 12 with FEAT_PMUv3_TH (PMMIR_EL1.THWIDTH, TH-07)",
            );
        }
        if pmu.pmmir >> 20 != 0 {
            return error(
                "pmu.pmmir",
                format!("{:#x}", pmu.pmmir),
                "a value of 20 bits (PMMIR_EL1[19:0])",
            );
        }
        if self.pe.sel2 && !(self.pe.el2 && self.pe.el3) {
            return error(
                "pe.sel2",
                "true".into(),
                "false without pe.el2 and pe.el3: FEAT_SEL2 is Secure EL2",
            );
        }
        if self.pe.rme && !self.pe.el3 {
            return error(
                "pe.rme",
                "true".into(),
                "false without pe.el3: FEAT_RME requires EL3",
            );
        }
        self.reserved_map().map(|_| ())
    }

    /// PMMIR_EL1.THWIDTH: 0 without FEAT_PMUv3_TH (TH-07).
    pub fn thwidth(&self) -> u8 {
        if self.pmu.th { self.pmu.thwidth } else { 0 }
    }

    /// The features in the order of [`crate::DutParameters::FEATURES`].
    pub fn features(&self) -> [bool; 13] {
        let (pmu, pe) = (&self.pmu, &self.pe);
        [
            pmu.th,
            pmu.edge,
            pmu.th2,
            pmu.chain,
            pmu.pmuv3p1,
            pe.el2,
            pe.el3,
            pe.sel2,
            pe.rme,
            pe.sebep,
            pe.sme,
            pe.mt,
            pe.tme,
        ]
    }

    /// `knobs.reserved_map`, decoded: from {TC, TE, TLC} to {TC, TE, TLC}.
    ///
    /// # Errors
    /// An entry that is not written as `"TC,TE,TLC"` in binary digits.
    pub fn reserved_map(
        &self,
    ) -> Result<BTreeMap<ThresholdControl, ThresholdControl>, ImplementationError> {
        fn digits(text: &str, width: usize) -> Option<u8> {
            let radix = if text.len() == width && width > 1 {
                2
            } else {
                10
            };
            u8::from_str_radix(text, radix)
                .ok()
                .filter(|value| value >> width == 0)
        }
        fn triple(text: &str) -> Result<ThresholdControl, ImplementationError> {
            let parts: Vec<_> = text.split(',').map(str::trim).collect();
            let decoded = match parts[..] {
                [tc, te, tlc] => digits(tc, 3).zip(digits(te, 1)).zip(digits(tlc, 2)),
                _ => None,
            };
            let ((tc, te), tlc) = decoded.ok_or_else(|| ImplementationError {
                key: "knobs.reserved_map",
                found: format!("{text:?}"),
                expected: "TC,TE,TLC, such as \"001,1,00\"".into(),
            })?;
            Ok((tc, te == 1, tlc))
        }
        let reserved = |&(tc, te, tlc): &ThresholdControl| is_reserved(tc, te, tlc);
        let mut map = BTreeMap::new();
        for (from_text, to_text) in &self.knobs.reserved_map {
            let (from, to) = (triple(from_text)?, triple(to_text)?);
            if reserved(&to) {
                return Err(ImplementationError {
                    key: "knobs.reserved_map",
                    found: format!("{from_text:?} = {to_text:?}"),
                    expected: "an allocated {TC, TE, TLC} for the reserved one (TH-30..34)".into(),
                });
            }
            map.insert(from, to);
        }
        Ok(map)
    }
}
