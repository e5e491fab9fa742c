//! The structs that cross the boundary between stimulus, design and model: one in and one out per
//! Processor cycle. Their layout is that of `docs/dut-contract.md`, sections 2 to 4.

use std::mem::offset_of;

use bytemuck::{bytes_of, bytes_of_mut};

use crate::cycles;
use crate::sysreg::SysReg;

mod field;
mod fields;

pub use field::{Field, FieldType, Form, Group, Limit};
pub use fields::{CycleInput, CycleOutput, DutParameters, Output, Thread};

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
pub const INPUT_BYTES_OF_LAYOUT_1: usize = offset_of!(CycleInput, driven);
/// Threads of a [`CycleInput`].
pub const THREADS: usize = 4;
/// System PMUs that a design can have.
pub const SYSTEM_PMUS: usize = 4;
/// Most operations, and most samples completed, in a cycle.
pub const MAX_OPERATIONS: u8 = 15;

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
    /// The bits from bit 0, each with its name.
    macro_rules! controls {
        ($($constant:ident $name:literal)+) => {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "numbers the bits")]
            enum Bit { $($constant),+ }
            $(
                #[doc = concat!($name, ".")]
                pub const $constant: u32 = 1 << Bit::$constant as u32;
            )+
            /// The names, from bit 0.
            pub const NAMES: [&str; [$($name),+].len()] = [$($name),+];
        };
    }

    controls! {
        EL2_ENABLED "EL2 enabled"
        E2H "HCR_EL2.E2H"
        TGE "HCR_EL2.TGE"
        USERENR_EN "PMUSERENR_EL0.EN"
        USERENR_UEN "PMUSERENR_EL0.UEN"
        USERENR_ER "PMUSERENR_EL0.ER"
        FGTEN "SCR_EL3.FGTEn"
        HDFGRTR "HDFGRTR_EL2.PMEVTYPERn_EL0"
        HDFGWTR "HDFGWTR_EL2.PMEVTYPERn_EL0"
        MDCR_EL2_TPM "MDCR_EL2.TPM"
        MDCR_EL3_TPM "MDCR_EL3.TPM"
        HALTED "Halted"
        EDSCR_SDD "EDSCR.SDD"
        MDCR_EL3_MTPME "MDCR_EL3.MTPME"
        MDCR_EL2_MTPME "MDCR_EL2.MTPME"
        FGTEN2 "SCR_EL3.FGTEn2"
        NOT_TRAPPED_SPMID "HDFGRTR2_EL2.nSPMID"
        NOT_TRAPPED_SPMDEVAFF "HDFGRTR2_EL2.nSPMDEVAFF_EL1"
        MDCR_EL2_ENSPM "MDCR_EL2.EnSPM"
        MDCR_EL3_ENPM2 "MDCR_EL3.EnPM2"
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
    /// Nothing is known.
    pub const ALL: Self = Self {
        access_data: u64::MAX,
        increments: u32::MAX,
        spe: true,
    };

    /// The bits of an output that are UNKNOWN.
    pub fn mask(&self) -> [u8; size_of::<CycleOutput>()] {
        let mut mask = match self.spe {
            true => CycleOutput::SAMPLING,
            false => [0; size_of::<CycleOutput>()],
        };
        let data = offset_of!(CycleOutput, access_data);
        mask[data..data + size_of::<u64>()].copy_from_slice(&self.access_data.to_le_bytes());
        for n in (0..COUNTER_LANES).filter(|n| self.increments >> n & 1 == 1) {
            let lane = offset_of!(CycleOutput, increment) + n * size_of::<u16>();
            mask[lane..lane + size_of::<u16>()].fill(0xFF);
        }
        mask
    }

    /// Whether everything is known.
    pub fn is_none(&self) -> bool {
        self.access_data == 0 && self.increments == 0 && !self.spe
    }
}

impl CycleOutput {
    /// All bits of group `increment`.
    pub const INCREMENTS: [u8; size_of::<Self>()] = field::mask(Self::FIELDS, Group::Increment);
    /// All bits of group access.
    pub const ACCESS: [u8; size_of::<Self>()] = field::mask(Self::FIELDS, Group::Access);
    /// All bits of group SPE.
    pub const SAMPLING: [u8; size_of::<Self>()] = field::mask(Self::FIELDS, Group::Sampling);

    /// The output with the bits of `mask` taken from another one.
    #[must_use]
    pub fn with(&self, mask: &[u8; size_of::<Self>()], other: &Self) -> Self {
        let mut all = *self;
        let bytes = bytes_of_mut(&mut all).iter_mut().zip(bytes_of(other));
        for ((byte, other), mask) in bytes.zip(mask) {
            *byte = *byte & !mask | other & mask;
        }
        all
    }
}

impl DutParameters {
    /// `LPMU` in little endian.
    pub const MAGIC: u32 = 0x554D_504C;
}
