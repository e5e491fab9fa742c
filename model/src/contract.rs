//! The structs that cross the boundary between stimulus, design and model: one in and one out per
//! Processor cycle. Their layout is that of `docs/dut-contract.md`, sections 2 to 4.

use bytemuck::{Pod, Zeroable};
use std::mem::{offset_of, size_of};

use crate::implementation::Implementation;
use crate::sysreg::SysReg;

/// Event lanes of a [`CycleInput`].
pub const EVENT_LANES: usize = 64;
/// Counter lanes of a [`CycleOutput`]: event counters 0 to 30, and 31 for the cycle counter.
pub const COUNTER_LANES: usize = 32;
/// Index of the cycle counter among the counter lanes, and its bit in the register masks.
pub const CYCLE_COUNTER: usize = 31;
/// Version of the cycle semantics of `docs/dut-contract.md`.
pub const CONTRACT_VERSION: u16 = 1;
/// Version of the layout of the structs of this module.
pub const LAYOUT_VERSION: u16 = 1;

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
}

impl AccessKind {
    /// The access kind of `code`; a code that is never driven counts as no access.
    pub fn from_code(code: u8) -> Self {
        match code {
            1 => Self::Read,
            2 => Self::Write,
            _ => Self::None,
        }
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

impl AccessOutcome {
    /// The outcome's name in reports; a code outside the contract is told as such.
    pub fn name_of(code: u8) -> String {
        match code {
            0 => "no access".into(),
            1 => "OK".into(),
            2 => "UNDEFINED".into(),
            3 => "trap to EL1".into(),
            4 => "trap to EL2".into(),
            5 => "trap to EL3".into(),
            6 => "NOP".into(),
            other => format!("invalid code {other}"),
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
    pub reserved: [u8; 7],
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
}

impl Unknown {
    /// Whether everything is known.
    pub fn is_none(&self) -> bool {
        self.access_data == 0 && self.increments == 0
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
    /// Zero.
    pub zero: u8,
    /// Features, see [`DutParameters::FEATURES`].
    pub features: u32,
    /// PMMIR_EL1 bits \[19:0\].
    pub pmmir: u32,
    /// Zero.
    pub zeros: [u8; 8],
}

impl DutParameters {
    /// `LPMU` in little endian.
    pub const MAGIC: u32 = 0x554D_504C;
    /// Names of the bits of [`DutParameters::features`], which are those of the implementation file.
    pub const FEATURES: [&str; 13] = [
        "th", "edge", "th2", "chain", "pmuv3p1", "el2", "el3", "sel2", "rme", "sebep", "sme", "mt",
        "tme",
    ];

    /// The parameters that a design for `implementation` states, with latency 0.
    pub fn of(implementation: &Implementation) -> Self {
        let pmu = &implementation.pmu;
        let features = implementation.features();
        Self {
            magic: Self::MAGIC,
            contract_version: CONTRACT_VERSION,
            layout_version: LAYOUT_VERSION,
            counters: pmu.counters,
            counter_bits: pmu.counter_bits,
            event_count: pmu.event_count,
            event_width: pmu.event_width,
            thwidth: implementation.thwidth(),
            features: features
                .iter()
                .enumerate()
                .fold(0, |bits, (i, &on)| bits | u32::from(on) << i),
            pmmir: pmu.pmmir,
            ..Self::zeroed()
        }
    }
}

const _: () = {
    assert!(size_of::<CycleInput>() == 144);
    assert!(offset_of!(CycleInput, access_data) == 128);
    assert!(offset_of!(CycleInput, counting_allowed) == 136);
    assert!(offset_of!(CycleInput, access_address) == 140);
    assert!(offset_of!(CycleInput, access_kind) == 142);
    assert!(offset_of!(CycleInput, reset) == 143);
    assert!(size_of::<CycleOutput>() == 80);
    assert!(offset_of!(CycleOutput, access_data) == 64);
    assert!(offset_of!(CycleOutput, access_outcome) == 72);
    assert!(size_of::<DutParameters>() == 32);
    assert!(offset_of!(DutParameters, features) == 16);
    assert!(offset_of!(DutParameters, pmmir) == 20);
};
