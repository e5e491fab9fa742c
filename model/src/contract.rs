//! The structs that cross the boundary between stimulus, design and model: one in and one out per
//! Processor cycle. Their layout is that of `docs/dut-contract.md`, sections 2 to 4.

use bytemuck::{Pod, Zeroable};
use std::mem::{offset_of, size_of};

use crate::cycles;
use crate::sysreg::SysReg;

/// Event lanes of a [`CycleInput`].
pub const EVENT_LANES: usize = 64;
/// Counter lanes of a [`CycleOutput`]: event counters 0 to 30, and 31 for the cycle counter.
pub const COUNTER_LANES: usize = 32;
/// Index of the cycle counter among the counter lanes, and its bit in the register masks.
pub const CYCLE_COUNTER: usize = 31;
/// Version of the cycle semantics of `docs/dut-contract.md`.
pub const CONTRACT_VERSION: u16 = 2;
/// Version of the layout of the structs of this module.
pub const LAYOUT_VERSION: u16 = 2;
/// Bytes of a [`CycleInput`] of layout 1, which is a prefix of the present one: the bytes after it are zero.
pub const INPUT_BYTES_OF_LAYOUT_1: usize = 144;
/// Threads of a [`CycleInput`].
pub const THREADS: usize = 4;
/// System PMUs that a design can have.
pub const SYSTEM_PMUS: usize = 4;
/// Most operations, and most samples completed, in a cycle.
pub const MAX_OPERATIONS: u8 = 15;

/// Everything that happens to the design in one Processor cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CycleInput {
    /// Base value of event number *e*. Only the low `event_width` bits count.
    pub event: [u16; EVENT_LANES],
    /// Data of a register write.
    pub access_data: u64,
    /// Bit *n*: nothing outside the registers stops event counter *n* in this cycle. Bit 31: the cycle counter.
    pub counting_allowed: u32,
    /// System register encoding, see [`SysReg::address`].
    pub access_address: u16,
    /// See [`AccessKind`].
    pub access_kind: u8,
    /// Bit 0: reset in this cycle.
    pub reset: u8,
    /// Which groups of inputs hold: [`CycleInput::DRIVEN_PE`], [`CycleInput::DRIVEN_THREADS`].
    pub driven: u8,
    /// Bit 0: there is no Processor cycle (DUT-52).
    pub clock_stopped: u8,
    /// Members of the sample population, 0 to 15.
    pub operations: u8,
    /// Samples that complete, 0 to 15.
    pub complete: u8,
    /// Of those, how many filtering removes.
    pub filtered_out: u8,
    /// Bit 0: profiling is enabled; 1: discard; \[3:2\]: Effective MDCR_EL3.PMSEE; \[5:4\]: Effective PMSCR_EL2.EE.
    pub profiling: u8,
    /// MDCR_EL2.HPMN.
    pub hpmn: u8,
    /// Number of the general-purpose register of the access.
    pub access_rt: u8,
    /// See [`control`].
    pub controls: u32,
    /// PMUACR_EL1.`P<n>` in bit *n*.
    pub pmuacr: u32,
    /// SPMACCESSR_EL2.
    pub spmaccessr_el2: u64,
    /// SPMACCESSR_EL3.
    pub spmaccessr_el3: u64,
    /// Thread 0 is the PE that has these counters.
    pub threads: [Thread; THREADS],
}

/// State, conditions and counts of a thread in one Processor cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Thread {
    /// \[1:0\]: Exception level; \[3:2\]: Security state, see [`SECURITY_STATES`]; \[4\]: Streaming mode.
    pub state: u8,
    /// Bits [`Thread::ACTIVE`] to [`Thread::CONDITION`].
    pub conditions: u8,
    /// What INST_RETIRED counts.
    pub count: u16,
}

impl Thread {
    /// The PE might execute instructions (CYC-04).
    pub const ACTIVE: u8 = 1 << 0;
    /// In WFI or WFE state.
    pub const WFX: u8 = 1 << 1;
    /// The condition of STALL.
    pub const STALL: u8 = 1 << 2;
    /// The condition of STALL_FRONTEND.
    pub const STALL_FRONTEND: u8 = 1 << 3;
    /// The condition of STALL_BACKEND.
    pub const STALL_BACKEND: u8 = 1 << 4;
    /// The second condition of a stall event that has one.
    pub const SECOND: u8 = 1 << 5;
    /// The condition of another event that counts cycles.
    pub const CONDITION: u8 = 1 << 6;
    /// Streaming mode, in `state`.
    pub const STREAMING: u8 = 1 << 4;

    /// `state` of a thread at Exception level `level` in Security state `security`.
    pub const fn state_of(level: u8, security: u8, streaming: bool) -> u8 {
        level | security << 2 | (streaming as u8) << 4
    }

    /// Exception level, 0 to 3.
    pub const fn level(self) -> u8 {
        self.state & 3
    }

    /// Security state, 0 to 3: see [`SECURITY_STATES`].
    pub const fn security(self) -> u8 {
        self.state >> 2 & 3
    }

    /// Whether a bit of `conditions` is set.
    pub const fn is(self, condition: u8) -> bool {
        self.conditions & condition != 0
    }
}

impl From<&Thread> for cycles::Thread {
    fn from(thread: &Thread) -> Self {
        Self {
            active: thread.is(Thread::ACTIVE),
            wfx: thread.is(Thread::WFX),
            stall: thread.is(Thread::STALL),
            stall_frontend: thread.is(Thread::STALL_FRONTEND),
            stall_backend: thread.is(Thread::STALL_BACKEND),
            second: thread.is(Thread::SECOND),
            condition: thread.is(Thread::CONDITION),
            count: thread.count.into(),
        }
    }
}

/// Names of the Security states by code.
pub const SECURITY_STATES: [&str; 4] = ["Non-secure", "Secure", "Realm", "Root"];

/// Bits of [`CycleInput::controls`].
pub mod control {
    /// EL2 is enabled in the current Security state.
    pub const EL2_ENABLED: u32 = 1 << 0;
    /// HCR_EL2.E2H.
    pub const E2H: u32 = 1 << 1;
    /// HCR_EL2.TGE.
    pub const TGE: u32 = 1 << 2;
    /// PMUSERENR_EL0.EN.
    pub const USERENR_EN: u32 = 1 << 3;
    /// PMUSERENR_EL0.UEN.
    pub const USERENR_UEN: u32 = 1 << 4;
    /// PMUSERENR_EL0.ER.
    pub const USERENR_ER: u32 = 1 << 5;
    /// SCR_EL3.FGTEn.
    pub const FGTEN: u32 = 1 << 6;
    /// HDFGRTR_EL2.PMEVTYPERn_EL0.
    pub const HDFGRTR: u32 = 1 << 7;
    /// HDFGWTR_EL2.PMEVTYPERn_EL0.
    pub const HDFGWTR: u32 = 1 << 8;
    /// MDCR_EL2.TPM.
    pub const MDCR_EL2_TPM: u32 = 1 << 9;
    /// MDCR_EL3.TPM.
    pub const MDCR_EL3_TPM: u32 = 1 << 10;
    /// The PE is in Debug state.
    pub const HALTED: u32 = 1 << 11;
    /// EDSCR.SDD.
    pub const EDSCR_SDD: u32 = 1 << 12;
    /// MDCR_EL3.MTPME.
    pub const MDCR_EL3_MTPME: u32 = 1 << 13;
    /// MDCR_EL2.MTPME.
    pub const MDCR_EL2_MTPME: u32 = 1 << 14;
    /// SCR_EL3.FGTEn2.
    pub const FGTEN2: u32 = 1 << 15;
    /// HDFGRTR2_EL2.nSPMID.
    pub const NOT_TRAPPED_SPMID: u32 = 1 << 16;
    /// HDFGRTR2_EL2.nSPMDEVAFF_EL1.
    pub const NOT_TRAPPED_SPMDEVAFF: u32 = 1 << 17;
    /// MDCR_EL2.EnSPM.
    pub const MDCR_EL2_ENSPM: u32 = 1 << 18;
    /// MDCR_EL3.EnPM2.
    pub const MDCR_EL3_ENPM2: u32 = 1 << 19;

    /// The names, from bit 0.
    pub const NAMES: [&str; 20] = [
        "EL2 enabled",
        "HCR_EL2.E2H",
        "HCR_EL2.TGE",
        "PMUSERENR_EL0.EN",
        "PMUSERENR_EL0.UEN",
        "PMUSERENR_EL0.ER",
        "SCR_EL3.FGTEn",
        "HDFGRTR_EL2.PMEVTYPERn_EL0",
        "HDFGWTR_EL2.PMEVTYPERn_EL0",
        "MDCR_EL2.TPM",
        "MDCR_EL3.TPM",
        "Halted",
        "EDSCR.SDD",
        "MDCR_EL3.MTPME",
        "MDCR_EL2.MTPME",
        "SCR_EL3.FGTEn2",
        "HDFGRTR2_EL2.nSPMID",
        "HDFGRTR2_EL2.nSPMDEVAFF_EL1",
        "MDCR_EL2.EnSPM",
        "MDCR_EL3.EnPM2",
    ];
}

impl Default for CycleInput {
    fn default() -> Self {
        Self::zeroed()
    }
}

impl CycleInput {
    /// A cycle in which nothing happens but a write of `register`, counting allowed everywhere.
    pub fn write(register: SysReg, data: u64) -> Self {
        Self {
            access_address: register.address(),
            access_data: data,
            access_kind: AccessKind::Write as u8,
            counting_allowed: u32::MAX,
            ..Self::default()
        }
    }

    /// A cycle in which nothing happens but a read of `register`, counting allowed everywhere.
    pub fn read(register: SysReg) -> Self {
        Self {
            access_address: register.address(),
            access_kind: AccessKind::Read as u8,
            counting_allowed: u32::MAX,
            ..Self::default()
        }
    }

    /// A cycle of reset (DUT-10).
    pub fn reset() -> Self {
        Self {
            reset: 1,
            ..Self::default()
        }
    }

    /// Bit of `driven`: PE state and controls hold.
    pub const DRIVEN_PE: u8 = 1 << 0;
    /// Bit of `driven`: conditions and counts of the threads hold.
    pub const DRIVEN_THREADS: u8 = 1 << 1;
    /// Bit of `profiling`: profiling is enabled.
    pub const PROFILING_ENABLED: u8 = 1 << 0;
    /// Bit of `profiling`: samples in flight are discarded.
    pub const DISCARD: u8 = 1 << 1;

    /// Effective MDCR_EL3.PMSEE.
    pub fn pmsee(&self) -> u8 {
        self.profiling >> 2 & 3
    }

    /// Effective PMSCR_EL2.EE.
    pub fn ee(&self) -> u8 {
        self.profiling >> 4 & 3
    }

    /// Whether this is a cycle of reset.
    pub fn is_reset(&self) -> bool {
        self.reset & 1 == 1
    }
}

/// Register access of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AccessKind {
    /// No access.
    None = 0,
    /// MRS.
    Read = 1,
    /// MSR.
    Write = 2,
    /// MRC, from AArch32.
    Read32 = 3,
    /// MCR, from AArch32.
    Write32 = 4,
    /// A read from outside the PE.
    ExternalRead = 5,
    /// A write from outside the PE.
    ExternalWrite = 6,
}

impl AccessKind {
    /// The access kind of `code`; a code that is never driven counts as no access.
    pub fn from_code(code: u8) -> Self {
        match code {
            1 => Self::Read,
            2 => Self::Write,
            3 => Self::Read32,
            4 => Self::Write32,
            5 => Self::ExternalRead,
            6 => Self::ExternalWrite,
            _ => Self::None,
        }
    }

    /// Whether the access is a write.
    pub const fn is_write(self) -> bool {
        matches!(self, Self::Write | Self::Write32 | Self::ExternalWrite)
    }
}

/// What became of a register access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AccessOutcome {
    /// No access in this cycle.
    None = 0,
    /// Performed.
    Ok = 1,
    /// UNDEFINED.
    Undefined = 2,
    /// Trapped to EL1.
    TrapEl1 = 3,
    /// Trapped to EL2.
    TrapEl2 = 4,
    /// Trapped to EL3.
    TrapEl3 = 5,
    /// Executed as NOP.
    Nop = 6,
}

/// A code that is no [`AccessOutcome`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid code {0}")]
pub struct NoAccessOutcome(pub u8);

impl TryFrom<u8> for AccessOutcome {
    type Error = NoAccessOutcome;

    fn try_from(code: u8) -> Result<Self, NoAccessOutcome> {
        let outcome = Self::ALL.get(usize::from(code)).copied();
        outcome.ok_or(NoAccessOutcome(code))
    }
}

impl AccessOutcome {
    /// All, in the order of their codes.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::Ok,
        Self::Undefined,
        Self::TrapEl1,
        Self::TrapEl2,
        Self::TrapEl3,
        Self::Nop,
    ];

    /// The outcome's name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "no access",
            Self::Ok => "OK",
            Self::Undefined => "UNDEFINED",
            Self::TrapEl1 => "trap to EL1",
            Self::TrapEl2 => "trap to EL2",
            Self::TrapEl3 => "trap to EL3",
            Self::Nop => "NOP",
        }
    }

    /// The name in reports of the outcome of a code; a code outside the contract is told as such.
    pub fn name_of(code: u8) -> String {
        match Self::try_from(code) {
            Ok(outcome) => outcome.name().into(),
            Err(error) => error.to_string(),
        }
    }
}

/// Everything the design shows of one Processor cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CycleOutput {
    /// \[n\], n < 31: V\[n\]. \[31\]: increment of PMCCNTR_EL0.
    pub increment: [u16; COUNTER_LANES],
    /// Data of a register read with outcome OK, otherwise 0.
    pub access_data: u64,
    /// See [`AccessOutcome`].
    pub access_outcome: u8,
    /// Zero.
    pub reserved: [u8; 3],
    /// ISS of the exception of a trapped MRS or MSR (ETY-45), otherwise 0.
    pub trap_iss: u32,
    /// PMSICR_EL1 after the cycle.
    pub pmsicr: u64,
    /// Samples in flight after the cycle.
    pub in_flight: u8,
    /// Operations selected for sampling.
    pub selected: u8,
    /// Place of the first of them among the operations of the cycle, from 0; 0 if there is none.
    pub first_selected: u8,
    /// How many of the selected collided.
    pub collided: u8,
    /// PMBSR_EL1.COLL, PMBSR_EL2.COLL, PMBSR_EL3.COLL after the cycle, from bit 0.
    pub coll: u8,
    /// Bytes drawn from the random number generator.
    pub random_drawn: u8,
    /// The first of them, 0 if there is none.
    pub random_byte: u8,
    /// Zero.
    pub zeros: [u8; 9],
}

impl Default for CycleOutput {
    fn default() -> Self {
        Self::zeroed()
    }
}

/// What the architecture leaves UNKNOWN of a [`CycleOutput`]: it is not compared, and counted as such.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// Bits of `access_data`.
    pub access_data: u64,
    /// Bit *n*: `increment[n]`.
    pub increments: u32,
    /// The fields of group SPE (DUT-62).
    pub spe: bool,
}

impl Unknown {
    /// Whether everything is known.
    pub fn is_none(&self) -> bool {
        self.access_data == 0 && self.increments == 0 && !self.spe
    }
}

/// The parameters that a design states of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct DutParameters {
    /// [`DutParameters::MAGIC`].
    pub magic: u32,
    /// See [`CONTRACT_VERSION`].
    pub contract_version: u16,
    /// See [`LAYOUT_VERSION`].
    pub layout_version: u16,
    /// Event counters, 0 to 31.
    pub counters: u8,
    /// 32, or 64 with FEAT_PMUv3p5.
    pub counter_bits: u8,
    /// Event lanes in use, 1 to 64.
    pub event_count: u8,
    /// Bits of an event lane in use, 1 to 16.
    pub event_width: u8,
    /// PMMIR_EL1.THWIDTH.
    pub thwidth: u8,
    /// Latency of `increment`, in cycles.
    pub latency_increment: u8,
    /// Latency of `access_data` and `access_outcome`, in cycles.
    pub latency_access: u8,
    /// Latency of the fields of group SPE, in cycles.
    pub latency_spe: u8,
    /// Features, see [`DutParameters::FEATURES`].
    pub features: u32,
    /// PMMIR_EL1 bits \[19:0\].
    pub pmmir: u32,
    /// Threads of the processor, 1 to 4.
    pub threads: u8,
    /// Samples that can be in flight, 1 to 255; 0 without SPE.
    pub max_inflight: u8,
    /// System PMUs that are implemented, 0 to 4.
    pub system_pmus: u8,
    /// Zero.
    pub zero: u8,
    /// PMSIDR_EL1, 0 without SPE.
    pub pmsidr: u32,
    /// SPMCFGR_EL1 of each System PMU, 0 if it is not implemented.
    pub spmcfgr: [u32; SYSTEM_PMUS],
    /// Cycles from one register access to the next, at least (DUT-70); 0 is 1.
    pub access_interval: u8,
    /// What `increment` shows (DUT-71), see [`Increments`](crate::wrapper::Increments).
    pub increment_form: u8,
    /// What the design does not have (DUT-72): bit *i* is number *i* of [`PARTS`](crate::wrapper::PARTS).
    pub lacks: u16,
    /// Zero.
    pub zeros: [u8; 12],
}

impl DutParameters {
    /// `LPMU` in little endian.
    pub const MAGIC: u32 = 0x554D_504C;
    /// Names of the bits of [`DutParameters::features`], which are those of the implementation file.
    pub const FEATURES: [&str; 24] = [
        "th",
        "edge",
        "th2",
        "chain",
        "pmuv3p1",
        "el2",
        "el3",
        "sel2",
        "rme",
        "sebep",
        "sme",
        "mt",
        "tme",
        "mtpmu",
        "fgt",
        "fgt2",
        "pmuv3p9",
        "hpmn0",
        "vhe",
        "layout2021",
        "access2021",
        "spe",
        "ernd",
        "spe_exc",
    ];
}

const _: () = {
    assert!(size_of::<CycleInput>() == 192);
    assert!(offset_of!(CycleInput, access_data) == 128);
    assert!(offset_of!(CycleInput, counting_allowed) == 136);
    assert!(offset_of!(CycleInput, access_address) == 140);
    assert!(offset_of!(CycleInput, access_kind) == 142);
    assert!(offset_of!(CycleInput, reset) == 143);
    assert!(offset_of!(CycleInput, driven) == INPUT_BYTES_OF_LAYOUT_1);
    assert!(offset_of!(CycleInput, profiling) == 149);
    assert!(offset_of!(CycleInput, controls) == 152);
    assert!(offset_of!(CycleInput, spmaccessr_el2) == 160);
    assert!(offset_of!(CycleInput, threads) == 176);
    assert!(size_of::<Thread>() == 4);
    assert!(size_of::<CycleOutput>() == 104);
    assert!(offset_of!(CycleOutput, access_data) == 64);
    assert!(offset_of!(CycleOutput, access_outcome) == 72);
    assert!(offset_of!(CycleOutput, trap_iss) == 76);
    assert!(offset_of!(CycleOutput, pmsicr) == 80);
    assert!(offset_of!(CycleOutput, in_flight) == 88);
    assert!(offset_of!(CycleOutput, random_byte) == 94);
    assert!(size_of::<DutParameters>() == 64);
    assert!(offset_of!(DutParameters, features) == 16);
    assert!(offset_of!(DutParameters, pmmir) == 20);
    assert!(offset_of!(DutParameters, threads) == 24);
    assert!(offset_of!(DutParameters, pmsidr) == 28);
    assert!(offset_of!(DutParameters, spmcfgr) == 32);
};
