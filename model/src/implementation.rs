//! What the architecture leaves to the implementation: features, sizes, and every place where the text
//! allows more than one behaviour, under the knob names of the ambiguity list.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::contract::{SYSTEM_PMUS, THREADS};
use crate::cycles;
use crate::evtyper::configuration::{AccessModel, BadHpmn, OutOfRange, UnsupportedOther, Vs11};
pub use crate::impossible::{ImplementationError, Impossible};
use crate::spe;
use crate::spmu::SystemPmu;
use crate::threshold_control::{ThresholdControl, is_reserved};
use crate::wrapper::Wrapper;

/// An implementation of the architecture, as a TOML file describes it. Every key has a default; the
/// default is a PE with all features and 31 event counters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Implementation {
    /// Name in reports.
    pub name: String,
    /// Event counters and their features.
    pub pmu: Pmu,
    /// Features of the PE that decide about register fields, filtering and accesses.
    pub pe: Pe,
    /// Statistical Profiling.
    pub spe: Spe,
    /// Threads of the processor.
    pub threads: Threads,
    /// System PMUs, at most 4: the first is selected by SYSPMUSEL 0.
    pub system_pmu: Vec<SystemPmu>,
    /// Choices that the text leaves open.
    pub knobs: Knobs,
    /// What the wrapper of the design takes and shows.
    #[serde(skip_serializing_if = "Wrapper::is_whole")]
    pub wrapper: Wrapper,
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
    /// FEAT_MTPMU: MT can be disabled (ETY-21). Without it, a field MT that is present is that of the
    /// IMPLEMENTATION DEFINED multithreaded PMU extension.
    pub mtpmu: bool,
    /// FEAT_FGT.
    pub fgt: bool,
    /// FEAT_FGT2.
    pub fgt2: bool,
    /// FEAT_PMUv3p8.
    pub pmuv3p8: bool,
    /// FEAT_PMUv3p9.
    pub pmuv3p9: bool,
    /// FEAT_HPMN0: MDCR_EL2.HPMN may be 0.
    pub hpmn0: bool,
    /// FEAT_VHE: without it HCR_EL2.E2H is 0.
    pub vhe: bool,
    /// FEAT_AA32EL1: TC, TE and TH reset to 0 (ETY-04).
    pub aa32el1: bool,
}

/// Statistical Profiling. Its choices are in [`Knobs::spe`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Spe {
    /// FEAT_SPE.
    pub implemented: bool,
    /// FEAT_SPE_ERnd (PMSIDR_EL1.ERnd).
    pub ernd: bool,
    /// FEAT_SPE_EXC: PMBSR_EL2 and PMBSR_EL3 exist.
    pub exc: bool,
    /// Samples that can be in flight at once, 1 to 255 (SPE-40).
    pub max_inflight: u8,
    /// PMSIDR_EL1 (SPE-03), without reserved values; bit 5 is that of `ernd` whatever it is here.
    pub pmsidr: u32,
    /// What a run demands of the random bytes (D17.3.2).
    #[serde(skip_serializing_if = "RandomBytes::is_any")]
    pub random: RandomBytes,
}

/// What is demanded of the random number generator of Statistical Profiling. The architecture leaves its kind open, and many
/// designs have a stub for it. The model takes the bytes as they come (DUT-61).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RandomBytes {
    /// Nothing.
    #[default]
    Any,
    /// That they are uniform and independent, as far as statistics leave no doubt.
    Uniform,
}

impl RandomBytes {
    fn is_any(&self) -> bool {
        *self == Self::Any
    }
}

/// Threads of the processor that share the group of a PE (CYC-16). Choices are in [`Knobs::cycles`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Threads {
    /// 1 to 4.
    pub count: u8,
    /// When threads are active (CYC-05). It decides what the stimulus drives; the model takes any.
    pub form: ThreadForm,
}

/// The choices of the ambiguity list, under its names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// A-ETY-9: the fields of PMEVTYPER out of reset, where they are architecturally UNKNOWN.
    #[serde(with = "crate::wide_number")]
    pub reset_value: u64,
    /// A-ETY-12: the IMPLEMENTATION DEFINED "EL3 trap priority when SDD == '1'".
    pub el3_trap_priority_sdd: bool,
    /// A-SPE-1..8.
    pub spe: spe::Knobs,
    /// A-CYC-1..7.
    pub cycles: cycles::Config,
}

impl Default for Knobs {
    fn default() -> Self {
        Self {
            rhbwbb: Rhbwbb::default(),
            cp_when_not_counting: CpWhenNotCounting::default(),
            ct_when_bypassed: CtWhenBypassed::default(),
            link_from_idle: LinkFromIdle::default(),
            reserved_policy: ReservedPolicy::default(),
            reserved_map: BTreeMap::new(),
            compare_reserved: false,
            res0: Res0::default(),
            layout: Layout::default(),
            access_model: AccessModel::default(),
            oor_unimplemented: OutOfRange::Undef,
            oor_reserved: OutOfRange::TrapEl2,
            bad_hpmn: BadHpmn::default(),
            vs11: Vs11::default(),
            unsupported_other: UnsupportedOther::default(),
            reset_value: 0,
            el3_trap_priority_sdd: false,
            spe: spe::Knobs::default(),
            cycles: cycles::Config::default(),
        }
    }
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
    /// When the threads of a processor are active (CYC-05).
    ThreadForm {
        /// Every thread in every Processor cycle.
        #[default]
        Smt = "SMT",
        /// Exactly one, in turns.
        Fgmt = "FGMT",
        /// One at most; long-latency events switch.
        SoEmt = "SoEMT",
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
            spe: Spe::default(),
            threads: Threads::default(),
            system_pmu: default_system_pmus(),
            knobs: Knobs::default(),
            wrapper: Wrapper::default(),
        }
    }
}

/// TH-07: the most that PMMIR_EL1.THWIDTH can be.
const MAX_THWIDTH: u8 = 12;

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
            mtpmu: true,
            fgt: true,
            fgt2: true,
            pmuv3p8: true,
            pmuv3p9: true,
            hpmn0: true,
            vhe: true,
            aa32el1: true,
        }
    }
}

impl Default for Spe {
    fn default() -> Self {
        Self {
            implemented: true,
            ernd: true,
            exc: true,
            max_inflight: 2,
            pmsidr: 0x0002_6227,
            random: RandomBytes::default(),
        }
    }
}

impl Default for Threads {
    fn default() -> Self {
        Self {
            count: THREADS as u8,
            form: ThreadForm::default(),
        }
    }
}

/// Example D15-1, with all registers, and one with the most Counter Groups.
fn default_system_pmus() -> Vec<SystemPmu> {
    vec![
        SystemPmu {
            groups: vec![4, 6],
            features: 0x0120_0000,
            iidr: Some(0x4A51_243B),
            devarch: Some(0x4770_0A66),
            devaff: Some(0x8100_0100),
            ..SystemPmu::default()
        },
        SystemPmu {
            groups: vec![4, 3, 2, 1, 0, 4, 1, 2, 3, 4, 0, 1, 2, 3, 4],
            size_bits: 32,
            ..SystemPmu::default()
        },
    ]
}

impl Implementation {
    /// Checks that the configuration is one that the architecture and the contract allow.
    ///
    /// # Errors
    /// All keys whose values are impossible.
    pub fn validate(&self) -> Result<(), ImplementationError> {
        let mut problems = Vec::new();
        self.check_pmu(&mut problems);
        self.check_features(&mut problems);
        self.check_sampling(&mut problems);
        self.check_system_pmus(&mut problems);
        if self.wrapper.access_interval == 0 {
            problems.push(Impossible::new(
                "wrapper.access_interval",
                0,
                "1 to 255 cycles from one register access to the next (DUT-70)",
            ));
        }
        if let Err(error) = self.reserved_map() {
            problems.extend(error.problems);
        }
        ImplementationError::of(problems)
    }

    fn check_pmu(&self, problems: &mut Vec<Impossible>) {
        let pmu = &self.pmu;
        let mut check = |legal: bool, key, found: String, expected| {
            if !legal {
                problems.push(Impossible::new(key, found, expected));
            }
        };
        check(
            pmu.counters <= 31,
            "pmu.counters",
            pmu.counters.to_string(),
            "0 to 31 event counters (PMCR_EL0.N)",
        );
        check(
            matches!(pmu.counter_bits, 32 | 64),
            "pmu.counter_bits",
            pmu.counter_bits.to_string(),
            "32, or 64 for FEAT_PMUv3p5",
        );
        check(
            (1..=64).contains(&pmu.event_count),
            "pmu.event_count",
            pmu.event_count.to_string(),
            "1 to 64 events",
        );
        check(
            (1..=16).contains(&pmu.event_width),
            "pmu.event_width",
            pmu.event_width.to_string(),
            "1 to 16 bits",
        );
        check(
            !pmu.edge || pmu.th,
            "pmu.edge",
            "true".into(),
            "false without pmu.th: FEAT_PMUv3_EDGE requires FEAT_PMUv3_TH (TH-07)",
        );
        check(
            !pmu.th2 || pmu.edge,
            "pmu.th2",
            "true".into(),
            "false without pmu.edge: FEAT_PMUv3_TH2 requires FEAT_PMUv3_EDGE (TH-07)",
        );
        check(
            pmu.thwidth <= MAX_THWIDTH && (pmu.thwidth != 0 || !pmu.th),
            "pmu.thwidth",
            pmu.thwidth.to_string(),
            "1 to 12 with FEAT_PMUv3_TH (PMMIR_EL1.THWIDTH, TH-07)",
        );
        check(
            pmu.pmmir >> 20 == 0,
            "pmu.pmmir",
            format!("{:#x}", pmu.pmmir),
            "a value of 20 bits (PMMIR_EL1[19:0])",
        );
    }

    fn check_features(&self, problems: &mut Vec<Impossible>) {
        let pe = &self.pe;
        for (impossible, key, expected) in [
            (
                pe.sel2 && !(pe.el2 && pe.el3),
                "pe.sel2",
                "false without pe.el2 and pe.el3: FEAT_SEL2 is Secure EL2",
            ),
            (
                pe.rme && !pe.el3,
                "pe.rme",
                "false without pe.el3: FEAT_RME requires EL3",
            ),
            (
                pe.mtpmu && !pe.mt,
                "pe.mtpmu",
                "false without pe.mt: FEAT_MTPMU has the field MT (ETY-02)",
            ),
        ] {
            if impossible {
                problems.push(Impossible::new(key, true, expected));
            }
        }
        if !(1..=THREADS as u8).contains(&self.threads.count) {
            problems.push(Impossible::new(
                "threads.count",
                self.threads.count,
                "1 to 4 threads",
            ));
        }
    }

    fn check_sampling(&self, problems: &mut Vec<Impossible>) {
        let spe = &self.spe;
        if !spe.implemented {
            if spe.ernd || spe.exc {
                problems.push(Impossible::new(
                    if spe.ernd { "spe.ernd" } else { "spe.exc" },
                    true,
                    "false without spe.implemented: with `implemented = false` go `ernd = false` and `exc = false`",
                ));
            }
            return;
        }
        if spe.max_inflight == 0 {
            problems.push(spe::no_sample_in_flight());
        }
        problems.extend(
            spe::registers::reserved_fields(spe.pmsidr.into()).map(|expected| {
                Impossible::new("spe.pmsidr", format_args!("{:#x}", spe.pmsidr), expected)
            }),
        );
    }

    fn check_system_pmus(&self, problems: &mut Vec<Impossible>) {
        let count = self.system_pmu.len();
        if count > SYSTEM_PMUS {
            problems.push(Impossible::new(
                "system_pmu",
                format_args!("{count} tables"),
                "at most 4 System PMUs",
            ));
        }
        for (s, pmu) in self.system_pmu.iter().enumerate() {
            if !pmu.implemented {
                let problem = Impossible::new(
                    "system_pmu",
                    format_args!("number {s} with implemented = false"),
                    "System PMUs that are implemented; leave the others out",
                );
                problems.push(problem.in_table(s));
            }
            problems.extend(pmu.problems().iter().map(|problem| {
                Impossible::new(
                    "system_pmu",
                    format_args!("number {s}: {problem}"),
                    "a legal configuration (A-SPMU-5)",
                )
                .in_table(s)
            }));
        }
    }

    /// PMSIDR_EL1: 0 without FEAT_SPE (SPE-03).
    pub fn pmsidr(&self) -> u32 {
        const ERND: u32 = 1 << 5;
        match &self.spe {
            spe if !spe.implemented => 0,
            spe if spe.ernd => spe.pmsidr | ERND,
            spe => spe.pmsidr & !ERND,
        }
    }

    /// Statistical Profiling for [`spe::Profiler`]. Without FEAT_SPE it is one that nothing happens to.
    pub fn spe_config(&self) -> spe::Config {
        spe::Config {
            ernd: self.spe.ernd,
            max_inflight: self.spe.max_inflight.max(1).into(),
            spe_exc: self.spe.exc,
            knobs: self.knobs.spe.clone(),
        }
    }

    /// Samples that can be in flight: 0 without FEAT_SPE (SPE-40).
    pub fn max_inflight(&self) -> u8 {
        if self.spe.implemented {
            self.spe.max_inflight
        } else {
            0
        }
    }

    /// SPMCFGR_EL1 of each System PMU: 0 if it is not implemented (SPMU-04, SPMU-18).
    pub fn spmcfgr(&self) -> [u32; SYSTEM_PMUS] {
        let mut values = [0; SYSTEM_PMUS];
        for (value, pmu) in values.iter_mut().zip(&self.system_pmu) {
            *value = pmu.registers().spmcfgr as u32;
        }
        values
    }

    /// PMMIR_EL1.THWIDTH: 0 without FEAT_PMUv3_TH, 12 at most (TH-07).
    pub fn thwidth(&self) -> u8 {
        if self.pmu.th {
            self.pmu.thwidth.min(MAX_THWIDTH)
        } else {
            0
        }
    }

    /// `knobs.reserved_map`, decoded: from {TC, TE, TLC} to {TC, TE, TLC}.
    ///
    /// # Errors
    /// Entries that are not written as `"TC,TE,TLC"`, or whose value is reserved.
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
        fn triple(text: &str) -> Result<ThresholdControl, Impossible> {
            let parts: Vec<_> = text.split(',').map(str::trim).collect();
            let decoded = match parts[..] {
                [tc, te, tlc] => digits(tc, 3).zip(digits(te, 1)).zip(digits(tlc, 2)),
                _ => None,
            };
            let ((tc, te), tlc) = decoded.ok_or_else(|| {
                Impossible::new(
                    "knobs.reserved_map",
                    format_args!("{text:?}"),
                    "TC,TE,TLC, such as \"001,1,00\"",
                )
            })?;
            Ok((tc, te == 1, tlc))
        }
        let mut map = BTreeMap::new();
        let mut problems = Vec::new();
        for (from_text, to_text) in &self.knobs.reserved_map {
            match (triple(from_text), triple(to_text)) {
                (Ok(_), Ok((tc, te, tlc))) if is_reserved(tc, te, tlc) => {
                    problems.push(Impossible::new(
                        "knobs.reserved_map",
                        format_args!("{from_text:?} = {to_text:?}"),
                        "an allocated {TC, TE, TLC} for the reserved one (TH-30..34)",
                    ));
                }
                (Ok(from), Ok(to)) => drop(map.insert(from, to)),
                (from, to) => problems.extend(from.err().into_iter().chain(to.err())),
            }
        }
        ImplementationError::of(problems).map(|()| map)
    }
}
