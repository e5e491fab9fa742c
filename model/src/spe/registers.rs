//! PMSICR_EL1, PMSIRR_EL1 and PMSIDR_EL1: fields (SPE-01 to SPE-03), and the numbers of the PMU events
//! (SPE-05).

/// PMSICR_EL1.COUNT, bits \[31:0\].
const COUNT: u64 = 0xFFFF_FFFF;
/// Lowest bit of PMSICR_EL1.ECOUNT, bits \[63:56\].
const ECOUNT_SHIFT: u32 = 56;
/// Lowest bit of PMSIRR_EL1.INTERVAL, bits \[31:8\].
const INTERVAL_SHIFT: u32 = 8;
/// PMSIRR_EL1.INTERVAL.
const INTERVAL: u64 = 0xFFFF_FF00;
/// PMSIRR_EL1.RND.
const RND: u64 = 1;
/// PMSIDR_EL1.ERnd.
const ERND: u64 = 1 << 5;

/// PMU event SAMPLE_POP: an operation of the sample population (SPE-05).
pub const SAMPLE_POP: u16 = 0x4000;
/// PMU event SAMPLE_FEED: a sample is taken (SPE-05).
pub const SAMPLE_FEED: u16 = 0x4001;
/// PMU event SAMPLE_FILTRATE: a sample passes the filters (SPE-05). Filters are not modelled.
pub const SAMPLE_FILTRATE: u16 = 0x4002;
/// PMU event SAMPLE_COLLISION: a sample collides with an earlier one (SPE-05).
pub const SAMPLE_COLLISION: u16 = 0x4003;

/// PMSICR_EL1: the sample interval counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pmsicr {
    /// COUNT, the primary counter.
    pub count: u32,
    /// ECOUNT, the secondary counter; 0 without FEAT_SPE_ERnd.
    pub ecount: u8,
}

impl Pmsicr {
    /// SPE-01: what a write of `value` leaves. Bits \[55:32\] are RES0, and ECOUNT without FEAT_SPE_ERnd.
    pub const fn written(value: u64, ernd: bool) -> Self {
        Self {
            count: (value & COUNT) as u32,
            ecount: if ernd {
                (value >> ECOUNT_SHIFT) as u8
            } else {
                0
            },
        }
    }

    /// SPE-01: the register.
    pub const fn value(self) -> u64 {
        (self.ecount as u64) << ECOUNT_SHIFT | self.count as u64
    }

    /// The whole register is zero (SPE-10).
    pub const fn is_zero(self) -> bool {
        self.count == 0 && self.ecount == 0
    }
}

/// PMSIRR_EL1: the interval that the counters are reloaded with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pmsirr {
    /// INTERVAL, in units of 256 operations; 24 bits.
    pub interval: u32,
    /// RND: random perturbation.
    pub rnd: bool,
}

impl Pmsirr {
    /// SPE-02: what a write of `value` leaves. Bits \[63:32\] and \[7:1\] are RES0.
    pub const fn written(value: u64) -> Self {
        Self {
            interval: ((value & INTERVAL) >> INTERVAL_SHIFT) as u32,
            rnd: value & RND != 0,
        }
    }

    /// SPE-02: the register.
    pub const fn value(self) -> u64 {
        (self.interval as u64) << INTERVAL_SHIFT | self.rnd as u64
    }
}

/// SPE-03: PMSIDR_EL1.ERnd of the register's value.
pub const fn pmsidr_ernd(pmsidr: u64) -> bool {
    pmsidr & ERND != 0
}

/// SPE-03: PMSIDR_EL1.Interval as operations, `None` for a reserved value. It is guidance to software:
/// hardware counts any interval.
pub const fn recommended_minimum(pmsidr: u64) -> Option<u32> {
    Some(match pmsidr >> 8 & 0xF {
        0b0000 => 256,
        0b0010 => 512,
        0b0011 => 768,
        0b0100 => 1024,
        0b0101 => 1536,
        0b0110 => 2048,
        0b0111 => 3072,
        0b1000 => 4096,
        _ => return None,
    })
}

/// SPE-03: what was expected in each field of PMSIDR_EL1 whose value is reserved.
pub(crate) fn reserved_fields(pmsidr: u64) -> impl Iterator<Item = &'static str> {
    [
        (
            recommended_minimum(pmsidr).is_some(),
            "0, or 2 to 8, in Interval, bits [11:8] (SPE-03)",
        ),
        (
            (4..=11).contains(&(pmsidr >> 12 & 0xF)),
            "4 (records of 16 bytes) to 11 (of 2 KiB) in MaxSize, bits [15:12] (SPE-03)",
        ),
        (
            matches!(pmsidr >> 16 & 0xF, 2 | 3),
            "2 (counters of 12 bits) or 3 (of 16) in CountSize, bits [19:16] (SPE-03)",
        ),
    ]
    .into_iter()
    .filter(|&(legal, _)| !legal)
    .map(|(_, expected)| expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spe_01_res0_bits_of_pmsicr_ignore_writes() {
        let pmsicr = Pmsicr::written(u64::MAX, true);
        assert_eq!(pmsicr.value(), 0xFF00_0000_FFFF_FFFF);
        assert_eq!(Pmsicr::written(u64::MAX, false).value(), 0xFFFF_FFFF);
        let pmsicr = Pmsicr::written(0x1234_5678_9ABC_DEF0, true);
        assert_eq!((pmsicr.ecount, pmsicr.count), (0x12, 0x9ABC_DEF0));
    }

    #[test]
    fn spe_02_res0_bits_of_pmsirr_ignore_writes() {
        assert_eq!(Pmsirr::written(u64::MAX).value(), 0xFFFF_FF01);
        let pmsirr = Pmsirr::written(0x8765_4321_0012_34FE);
        assert_eq!((pmsirr.interval, pmsirr.rnd), (0x1234, false));
    }

    #[test]
    fn spe_03_pmsidr_tells_ernd_and_the_recommended_minimum() {
        assert!(pmsidr_ernd(0x20));
        assert!(!pmsidr_ernd(!0x20));
        let minima: Vec<_> = (0..16)
            .filter_map(|code| recommended_minimum(code << 8))
            .collect();
        assert_eq!(minima, [256, 512, 768, 1024, 1536, 2048, 3072, 4096]);
        assert_eq!(recommended_minimum(0b0001 << 8), None);
    }

    #[test]
    fn spe_03_reserved_fields_of_pmsidr() {
        for legal in [0x2_6200, 0x3_B800, 0x2_4027] {
            assert_eq!(reserved_fields(legal).count(), 0, "{legal:#x}");
        }
        for (pmsidr, field) in [
            (0x2_6100, "Interval"),
            (0x2_3200, "MaxSize"),
            (0x2_C200, "MaxSize"),
            (0x1_6200, "CountSize"),
            (0x4_6200, "CountSize"),
        ] {
            let found: Vec<_> = reserved_fields(pmsidr).collect();
            assert!(
                found.len() == 1 && found[0].contains(field),
                "{pmsidr:#x}: {found:?}"
            );
        }
        assert_eq!(reserved_fields(0x5_0120).count(), 3);
    }

    #[test]
    fn spe_05_numbers_of_the_events() {
        let events = [SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_COLLISION];
        assert_eq!(events, [0x4000, 0x4001, 0x4002, 0x4003]);
    }
}
