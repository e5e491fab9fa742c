//! The fields of the registers, from the highest bit down.

use super::SysReg;
use crate::constant::is_same;

/// A field of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Highest bit.
    pub high: u8,
    /// Lowest bit.
    pub low: u8,
}

impl Field {
    /// The field's bits in the register.
    pub const fn mask(self) -> u64 {
        ones_to(self.high) & !(ones_to(self.low) >> 1)
    }

    /// The field's value in `register`.
    pub const fn of(self, register: u64) -> u64 {
        match (register & self.mask()).checked_shr(self.low as u32) {
            Some(value) => value,
            None => 0,
        }
    }
}

/// Bits 0 to `high`, of those that a register has.
const fn ones_to(high: u8) -> u64 {
    u64::MAX >> 63_u32.saturating_sub(high as u32)
}

/// How the bits of a register are called.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fields {
    /// They are a number.
    Number,
    /// These.
    Of(&'static [Field]),
    /// Those of an event type.
    EventType,
    /// C of the cycle counter, and `P<n>` of each event counter.
    Counters,
    /// `P<n>` of each counter of a System PMU.
    SystemCounters,
    /// The counters of each Counter Group: SPMCGCR of this number.
    Groups(u8),
}

macro_rules! layouts {
    ($($register:ident { $($name:literal $high:literal $low:literal)+ })+) => {
        $(
            #[doc = concat!("Fields of ", stringify!($register), ".")]
            pub const $register: &[Field] =
                &[$(Field { name: $name, high: $high, low: $low }),+];
        )+
    };
}

layouts! {
    PMCR { "N" 15 11 "LP" 7 7 "LC" 6 6 "C" 2 2 "P" 1 1 "E" 0 0 }
    PMSELR { "SEL" 4 0 }
    PMMIR { "EDGE" 27 24 "THWIDTH" 23 20 "BUS_WIDTH" 19 16 "BUS_SLOTS" 15 8 "SLOTS" 7 0 }
    PMSICR { "ECOUNT" 63 56 "COUNT" 31 0 }
    PMSIRR { "INTERVAL" 31 8 "RND" 0 0 }
    PMSIDR {
        "CRR" 25 25 "PBT" 24 24 "Format" 23 20 "CountSize" 19 16 "MaxSize" 15 12 "Interval" 11 8
        "FDS" 7 7 "FnE" 6 6 "ERnd" 5 5 "LDS" 4 4 "ArchInst" 3 3 "FL" 2 2 "FT" 1 1 "FE" 0 0
    }
    PMBSR { "MSS2" 55 32 "EC" 31 26 "DL" 19 19 "EA" 18 18 "S" 17 17 "COLL" 16 16 "MSS" 15 0 }
    PMEVTYPER {
        "TC" 63 61 "TE" 60 60 "SYNC" 58 58 "VS" 57 56 "TLC" 55 54 "TH" 43 32 "P" 31 31 "U" 30 30
        "NSK" 29 29 "NSU" 28 28 "NSH" 27 27 "M" 26 26 "MT" 25 25 "SH" 24 24 "T" 23 23 "RLK" 22 22
        "RLU" 21 21 "RLH" 20 20 "EVTCOUNT" 15 0
    }
    SPMSELR { "SYSPMUSEL" 9 4 "BANK" 1 0 }
    SPMIIDR { "ProductID" 31 20 "Variant" 19 16 "Revision" 15 12 "Implementer" 11 0 }
    SPMDEVARCH { "ARCHITECT" 31 21 "PRESENT" 20 20 "REVISION" 19 16 "ARCHVER" 15 12 "ARCHPART" 11 0 }
    SPMDEVAFF { "Aff3" 39 32 "F0V" 31 31 "U" 30 30 "MT" 24 24 "Aff2" 23 16 "Aff1" 15 8 "Aff0" 7 0 }
    SPMCFGR {
        "NCG" 31 28 "HDBG" 24 24 "TRO" 23 23 "SS" 22 22 "FZO" 21 21 "MSI" 20 20 "RAO" 19 19 "NA" 17 17
        "EX" 16 16 "SIZE" 13 8 "N" 7 0
    }
}

/// The field of this name.
///
/// # Panics
/// There is none: an error of compilation where it is a constant.
pub const fn named(fields: &'static [Field], name: &str) -> Field {
    let mut n = 0;
    while n < fields.len() {
        if is_same(fields[n].name, name) {
            return fields[n];
        }
        n += 1;
    }
    panic!("no field of this name");
}

/// A field of a register: name, highest and lowest bit.
pub type FieldBits = (String, u32, u32);

impl SysReg {
    /// The fields, from the highest bit down; none for a number, as in a counter.
    pub fn fields(self) -> Vec<FieldBits> {
        let bits = |field: &Field| (field.name.to_owned(), field.high.into(), field.low.into());
        match self.layout() {
            Fields::Number => Vec::new(),
            Fields::Of(fields) => fields.iter().map(bits).collect(),
            Fields::EventType => PMEVTYPER
                .iter()
                .map(|field| match field.name {
                    "EVTCOUNT" => ("evtCount".to_owned(), field.high.into(), field.low.into()),
                    _ => bits(field),
                })
                .collect(),
            Fields::Counters => [("C".into(), 31, 31)]
                .into_iter()
                .chain((0..31).rev().map(|n| (format!("P{n}"), n, n)))
                .collect(),
            Fields::SystemCounters => (0..64).rev().map(|i| (format!("P{i}"), i, i)).collect(),
            Fields::Groups(n) => (0..8)
                .rev()
                .map(|m| {
                    let group = 8 * u32::from(n) + m;
                    (format!("N{m} (group {group})"), 8 * m + 7, 8 * m)
                })
                .collect(),
        }
    }
}
