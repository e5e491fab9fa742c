//! The table of registers (`docs/dut-contract.md`, section 6): one row each, with its name, its encoding and its fields.
//! Decoding, names, the list of an implementation's registers and what explains values derive from it.

use std::fmt;

use super::encode;
use super::fields::{self, Fields};
use crate::number::Number;

/// What a register belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// The PE's counters.
    Counters,
    /// Statistical Profiling.
    Sampling,
    /// System PMUs.
    SystemPmus,
}

macro_rules! registers {
    ($($area:ident {
        $($variant:ident $(($n:ident: $first:literal to $last:literal, $make:ident, $suffix:literal))? $name:literal
            = $encoding:expr, $fields:expr;)+
    })+) => {
        /// A register of the design, AArch64 view.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum SysReg {
            $($(
                #[doc = concat!("`", $name $(, "<", stringify!($n), ">", $suffix)?, "`")]
                $(#[doc = concat!(", ", $first, " to ", $last)])?
                $variant $((Number<$first, $last>))?,
            )+)+
        }

        impl SysReg {
            /// All registers that there can be, in the order of the table.
            pub const ALL: &[Self] = &{
                let mut all = [Self::Pmcr; 0 $($(+ registers!(@count $($first $last)?))+)+];
                let mut at = 0;
                $($(registers!(@push all, at, $variant $(, $first, $last)?);)+)+
                assert!(at == all.len());
                all
            };

            /// The encoding op0\[15:14\] op1\[13:11\] CRn\[10:7\] CRm\[6:3\] op2\[2:0\].
            pub const fn address(self) -> u16 {
                match self {
                    $($(Self::$variant $(($n))? => {
                        $(let $n = $n.get() as u16;)?
                        $encoding
                    })+)+
                }
            }

            /// What it belongs to.
            pub const fn area(self) -> Area {
                match self {
                    $($(Self::$variant $((registers!(@ignore $n)))? => Area::$area,)+)+
                }
            }

            /// How its bits are called.
            pub(super) const fn layout(self) -> Fields {
                match self {
                    $($(Self::$variant $(($n))? => {
                        $(let _ = $n.get();)?
                        $fields
                    })+)+
                }
            }

            $($($(
                #[doc = concat!("[`SysReg::", stringify!($variant), "`] of number `n`, if there is one.")]
                pub const fn $make(n: u8) -> Option<Self> {
                    match Number::new(n) {
                        Some(n) => Some(Self::$variant(n)),
                        None => None,
                    }
                }
            )?)+)+
        }

        impl fmt::Display for SysReg {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $($(Self::$variant $(($n))? => write!(f, concat!($name $(, "{}", $suffix)?) $(, $n)?),)+)+
                }
            }
        }
    };
    (@count) => { 1 };
    (@count $first:literal $last:literal) => { $last - $first + 1 };
    (@push $all:ident, $at:ident, $variant:ident) => {
        $all[$at] = Self::$variant;
        $at += 1;
    };
    (@push $all:ident, $at:ident, $variant:ident, $first:literal, $last:literal) => {
        let mut n = $first;
        while n <= $last {
            $all[$at] = match Number::new(n) {
                Some(n) => Self::$variant(n),
                None => panic!("a number of the register"),
            };
            $at += 1;
            n += 1;
        }
    };
    (@ignore $n:ident) => { _ };
}

/// op1 of PMBSR_EL1, PMBSR_EL2, PMBSR_EL3.
const OP1_OF_LEVELS: [u16; 4] = [0, 0, 4, 6];

registers! {
    Counters {
        Pmcr "PMCR_EL0" = encode(3, 3, 9, 12, 0), Fields::Of(fields::PMCR);
        Pmcntenset "PMCNTENSET_EL0" = encode(3, 3, 9, 12, 1), Fields::Counters;
        Pmcntenclr "PMCNTENCLR_EL0" = encode(3, 3, 9, 12, 2), Fields::Counters;
        Pmovsclr "PMOVSCLR_EL0" = encode(3, 3, 9, 12, 3), Fields::Counters;
        Pmovsset "PMOVSSET_EL0" = encode(3, 3, 9, 14, 3), Fields::Counters;
        Pmselr "PMSELR_EL0" = encode(3, 3, 9, 12, 5), Fields::Of(fields::PMSELR);
        Pmccntr "PMCCNTR_EL0" = encode(3, 3, 9, 13, 0), Fields::Number;
        Pmxevtyper "PMXEVTYPER_EL0" = encode(3, 3, 9, 13, 1), Fields::EventType;
        Pmxevcntr "PMXEVCNTR_EL0" = encode(3, 3, 9, 13, 2), Fields::Number;
        Pmmir "PMMIR_EL1" = encode(3, 0, 9, 14, 6), Fields::Of(fields::PMMIR);
        // ETY-01: the encoding of number 31 of PMEVTYPER
        Pmccfiltr "PMCCFILTR_EL0" = encode(3, 3, 14, 15, 7), Fields::EventType;
        // ETY-01: CRm = 0b10:n[4:3] and 0b11:n[4:3], op2 = n[2:0]
        Pmevcntr(n: 0 to 30, pmevcntr, "_EL0") "PMEVCNTR" = encode(3, 3, 14, 8, 0) + n, Fields::Number;
        Pmevtyper(n: 0 to 30, pmevtyper, "_EL0") "PMEVTYPER" = encode(3, 3, 14, 12, 0) + n, Fields::EventType;
    }
    Sampling {
        Pmsicr "PMSICR_EL1" = encode(3, 0, 9, 9, 2), Fields::Of(fields::PMSICR);
        Pmsirr "PMSIRR_EL1" = encode(3, 0, 9, 9, 3), Fields::Of(fields::PMSIRR);
        Pmsidr "PMSIDR_EL1" = encode(3, 0, 9, 9, 7), Fields::Of(fields::PMSIDR);
        Pmbsr(x: 1 to 3, pmbsr, "") "PMBSR_EL" = encode(3, OP1_OF_LEVELS[x as usize], 9, 10, 3), Fields::Of(fields::PMBSR);
    }
    SystemPmus {
        Spmselr "SPMSELR_EL0" = encode(2, 3, 9, 12, 5), Fields::Of(fields::SPMSELR);
        Spmiidr "SPMIIDR_EL1" = encode(2, 0, 9, 13, 4), Fields::Of(fields::SPMIIDR);
        Spmdevarch "SPMDEVARCH_EL1" = encode(2, 0, 9, 13, 5), Fields::Of(fields::SPMDEVARCH);
        Spmdevaff "SPMDEVAFF_EL1" = encode(2, 0, 9, 13, 6), Fields::Of(fields::SPMDEVAFF);
        Spmcfgr "SPMCFGR_EL1" = encode(2, 0, 9, 13, 7), Fields::Of(fields::SPMCFGR);
        Spmcgcr(n: 0 to 1, spmcgcr, "_EL1") "SPMCGCR" = encode(2, 0, 9, 13, 0) + n, Fields::Groups(n.get());
        Spmcntenset "SPMCNTENSET_EL0" = encode(2, 3, 9, 12, 1), Fields::SystemCounters;
        Spmcntenclr "SPMCNTENCLR_EL0" = encode(2, 3, 9, 12, 2), Fields::SystemCounters;
        Spmovsclr "SPMOVSCLR_EL0" = encode(2, 3, 9, 12, 3), Fields::SystemCounters;
        Spmovsset "SPMOVSSET_EL0" = encode(2, 3, 9, 14, 3), Fields::SystemCounters;
        Spmintenset "SPMINTENSET_EL1" = encode(2, 0, 9, 14, 1), Fields::SystemCounters;
        Spmintenclr "SPMINTENCLR_EL1" = encode(2, 0, 9, 14, 2), Fields::SystemCounters;
        // SPMU-16: CRm = 0b000:n[3], 0b001:n[3], 0b010:n[3], 0b011:n[3], op2 = n[2:0]
        Spmevcntr(n: 0 to 15, spmevcntr, "_EL0") "SPMEVCNTR" = encode(2, 3, 14, 0, 0) + n, Fields::Number;
        Spmevtyper(n: 0 to 15, spmevtyper, "_EL0") "SPMEVTYPER" = encode(2, 3, 14, 2, 0) + n, Fields::Number;
        Spmevfiltr(n: 0 to 15, spmevfiltr, "_EL0") "SPMEVFILTR" = encode(2, 3, 14, 4, 0) + n, Fields::Number;
        Spmevfilt2r(n: 0 to 15, spmevfilt2r, "_EL0") "SPMEVFILT2R" = encode(2, 3, 14, 6, 0) + n, Fields::Number;
    }
}
