//! The PEs that an event counter with an Effective MT of 1 counts (CYC-16).

/// MPIDR_EL1.{Aff3, Aff2, Aff1}: the affinity at level 1 and above.
const LEVEL_1_AND_ABOVE: u64 = 0xFF_00FF_FF00;

/// CYC-16: the PEs with these values of MPIDR_EL1 are threads of one multithreaded processor, as far as the
/// Performance Monitors are concerned: their affinity at level 1 and above is equal. Every PE is in its own
/// group.
pub const fn same_group(mpidr: u64, other: u64) -> bool {
    mpidr & LEVEL_1_AND_ABOVE == other & LEVEL_1_AND_ABOVE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cyc_16_only_affinity_level_0_differs_within_a_group() {
        let mpidr = 0x12_8134_5678;
        assert!(same_group(mpidr, mpidr));
        for bit in 0..40 {
            let aff0 = bit < 8;
            let not_affinity = (24..32).contains(&bit);
            assert_eq!(
                same_group(mpidr, mpidr ^ 1 << bit),
                aff0 || not_affinity,
                "bit {bit}"
            );
        }
    }
}
