//! Section 6: who may access PMEVTYPER<n>_EL0 and the registers of a System PMU, and from where.

use crate::statement;
use crate::subject::*;

/// EL2 is enabled, and nothing traps.
const OPEN: u32 = EL2_ENABLED | USER_EN | FGTEN;

/// An access at a level, with all counters accessible.
fn at(level: u8, controls: u32) -> Input {
    Input::idle()
        .at(level, NON_SECURE)
        .controls(controls)
        .hpmn(31)
        .pmuacr(u32::MAX)
}

/// Outcomes of a read of PMEVTYPER3_EL0 from EL0 to EL3.
fn by_level(it: &mut Subject, controls: u32) -> [u8; 4] {
    [0, 1, 2, 3].map(|level| it.cycle(at(level, controls).read(pmevtyper(3))).outcome())
}

statement!(dut_35_open, |it| {
    assert_eq!(by_level(it, OPEN), [OK; 4]);
});

statement!(
    dut_35_row_a_a_counter_that_is_not_there,
    "six_counters",
    |it| {
        for level in 0..4 {
            for controls in [OPEN, 0, OPEN | MDCR_EL3_TPM] {
                let read = at(level, controls).read(pmevtyper(6));
                assert_eq!(it.cycle(read).outcome(), UNDEFINED);
            }
        }
    }
);

statement!(dut_35_row_c_from_el0_it_must_be_enabled, |it| {
    assert_eq!(by_level(it, OPEN & !USER_EN), [TRAP_EL1, OK, OK, OK]);
    assert_eq!(
        by_level(it, (OPEN & !USER_EN) | TGE),
        [TRAP_EL2, OK, OK, OK]
    );
    assert_eq!(by_level(it, TGE), [TRAP_EL1, OK, OK, OK]);
    assert_eq!(by_level(it, (OPEN & !USER_EN) | USER_UEN), [OK; 4]);
});

statement!(dut_35_row_d_fine_grained_traps, |it| {
    assert_eq!(by_level(it, OPEN | HDFGRTR), [TRAP_EL2, TRAP_EL2, OK, OK]);
    assert_eq!(by_level(it, OPEN | HDFGWTR), [OK; 4]);
    assert_eq!(by_level(it, (OPEN | HDFGRTR) & !FGTEN), [OK; 4]);
    assert_eq!(by_level(it, (OPEN | HDFGRTR) & !EL2_ENABLED), [OK; 4]);
    let host = OPEN | HDFGRTR | E2H | TGE;
    assert_eq!(by_level(it, host), [OK, TRAP_EL2, OK, OK]);
    let write = at(1, OPEN | HDFGWTR).write(pmevtyper(3), 5);
    assert_eq!(it.cycle(write).outcome(), TRAP_EL2);
    assert_eq!(it.read(pmevtyper(3)), 0);
});

statement!(dut_35_row_e_mdcr_el2_tpm, |it| {
    assert_eq!(
        by_level(it, OPEN | MDCR_EL2_TPM),
        [TRAP_EL2, TRAP_EL2, OK, OK]
    );
    // ETY-41: a host does not mask it.
    let host = OPEN | MDCR_EL2_TPM | E2H | TGE;
    assert_eq!(by_level(it, host), [TRAP_EL2, TRAP_EL2, OK, OK]);
    assert_eq!(by_level(it, (OPEN | MDCR_EL2_TPM) & !EL2_ENABLED), [OK; 4]);
});

statement!(dut_35_row_f_mdcr_el2_hpmn, |it| {
    let outcomes = |it: &mut Subject, controls, n| {
        [0, 1, 2, 3].map(|level| {
            let read = at(level, controls).hpmn(4).read(pmevtyper(n));
            it.cycle(read).outcome()
        })
    };
    assert_eq!(outcomes(it, OPEN, 3), [OK; 4]);
    assert_eq!(outcomes(it, OPEN, 4), [TRAP_EL2, TRAP_EL2, OK, OK]);
    assert_eq!(outcomes(it, OPEN & !EL2_ENABLED, 4), [OK; 4]);
});

statement!(dut_35_row_g_mdcr_el3_tpm, |it| {
    assert_eq!(
        by_level(it, OPEN | MDCR_EL3_TPM),
        [TRAP_EL3, TRAP_EL3, TRAP_EL3, OK]
    );
    let debug = OPEN | MDCR_EL3_TPM | HALTED;
    assert_eq!(by_level(it, debug), [TRAP_EL3, TRAP_EL3, TRAP_EL3, OK]);
    assert_eq!(
        by_level(it, debug | SDD),
        [UNDEFINED, UNDEFINED, UNDEFINED, OK]
    );
});

statement!(dut_35_rows_are_looked_at_in_order, |it| {
    // c before d, d before g, e before g, f before g.
    let c = (OPEN & !USER_EN) | HDFGRTR | MDCR_EL3_TPM;
    assert_eq!(by_level(it, c), [TRAP_EL1, TRAP_EL2, TRAP_EL3, OK]);
    let e = OPEN | MDCR_EL2_TPM | MDCR_EL3_TPM;
    assert_eq!(by_level(it, e), [TRAP_EL2, TRAP_EL2, TRAP_EL3, OK]);
    let f = at(1, OPEN | MDCR_EL3_TPM).hpmn(2).read(pmevtyper(3));
    assert_eq!(it.cycle(f).outcome(), TRAP_EL2);
});

statement!(dut_35_row_i_raz_and_wi_for_users, |it| {
    it.write(pmevtyper(3), 0x11);
    let user = |controls| at(0, OPEN | USER_UEN | controls);
    let masked = user(0).pmuacr(!(1 << 3));
    let read = it.cycle(masked.read(pmevtyper(3)));
    assert_eq!((read.outcome(), read.data()), (OK, 0));
    assert_eq!(it.cycle(masked.write(pmevtyper(3), 0x22)).outcome(), OK);
    assert_eq!(it.read(pmevtyper(3)), 0x11);
    let read = it.cycle(user(USER_ER).read(pmevtyper(3)));
    assert_eq!((read.outcome(), read.data()), (OK, 0x11));
    assert_eq!(
        it.cycle(user(USER_ER).write(pmevtyper(3), 0x22)).outcome(),
        OK
    );
    assert_eq!(it.read(pmevtyper(3)), 0x11);
    assert_eq!(it.cycle(user(0).write(pmevtyper(3), 0x22)).outcome(), OK);
    assert_eq!(it.read(pmevtyper(3)), 0x22);
    // At EL1 it means nothing.
    let kernel = at(1, OPEN | USER_UEN).pmuacr(0).read(pmevtyper(3));
    assert_eq!(it.cycle(kernel).data(), 0x22);
});

statement!(dut_35_pmxevtyper_follows_the_same_rules, |it| {
    it.write(PMSELR, 4);
    let read = |controls| at(1, controls).hpmn(4).read(PMXEVTYPER);
    assert_eq!(it.cycle(read(OPEN)).outcome(), TRAP_EL2);
    assert_eq!(it.cycle(read(OPEN & !EL2_ENABLED)).outcome(), OK);
    it.write(PMSELR, 31);
    let closed = at(0, MDCR_EL2_TPM | MDCR_EL3_TPM | EL2_ENABLED);
    assert_eq!(it.cycle(closed.read(PMXEVTYPER)).outcome(), OK);
});

statement!(dut_35_without_pe_state_there_is_no_trap, |it| {
    let closed = Input::idle().controls(MDCR_EL2_TPM | MDCR_EL3_TPM | EL2_ENABLED);
    assert_eq!(it.cycle(closed.read(pmevtyper(3))).outcome(), OK);
});

statement!(dut_35_other_registers_have_full_privilege, |it| {
    let closed = at(0, MDCR_EL2_TPM | MDCR_EL3_TPM | EL2_ENABLED).hpmn(0);
    for register in [PMCR, PMCCFILTR, pmevcntr(3), PMSIRR, SPMSELR] {
        assert_eq!(
            it.cycle(closed.read(register)).outcome(),
            OK,
            "{register:?}"
        );
    }
});

/// ETY-45.
fn iss((op0, op1, crn, crm, op2): Register, rt: u32, is_read: u32) -> u32 {
    let [op0, op1, crn, crm, op2] = [op0, op1, crn, crm, op2].map(u32::from);
    op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | rt << 5 | crm << 1 | is_read
}

statement!(ety_45_syndrome_of_a_trap, |it| {
    let closed = at(1, OPEN | MDCR_EL2_TPM);
    for n in [0, 7, 30] {
        let read = it.cycle(closed.rt(21).read(pmevtyper(n)));
        assert_eq!(read.iss(), iss(pmevtyper(n), 21, 1));
        let write = it.cycle(closed.rt(30).write(pmevtyper(n), 0));
        assert_eq!(write.iss(), iss(pmevtyper(n), 30, 0));
    }
    let alias = it.cycle(closed.rt(1).read(PMXEVTYPER));
    assert_eq!(alias.iss(), iss(PMXEVTYPER, 1, 1));
    assert_eq!(it.cycle(at(1, OPEN).rt(1).read(pmevtyper(0))).iss(), 0);
});

statement!(dut_36_aarch32_reaches_the_low_half, |it| {
    it.write(pmevtyper(3), 0x6100_0004_C000_0011);
    let read = it.cycle(Input::idle().read32(pmevtyper(3)));
    assert_eq!((read.outcome(), read.data()), (OK, 0xC000_0011));
    let write = Input::idle().write32(pmevtyper(3), 0xFFFF_FFFF_8000_0022);
    assert_eq!(it.cycle(write).outcome(), OK);
    assert_eq!(it.read(pmevtyper(3)), 0x6100_0004_8000_0022);
});

statement!(dut_36_registers_of_aarch32, |it| {
    it.cycle(Input::idle().write32(PMSELR, 5));
    it.cycle(Input::idle().write32(PMXEVTYPER, 0x33));
    assert_eq!((it.read(PMSELR), it.read(pmevtyper(5))), (5, 0x33));
    it.cycle(Input::idle().write32(PMCCFILTR, 1 << 30));
    assert_eq!(it.cycle(Input::idle().read32(PMCCFILTR)).data(), 1 << 30);
    for register in [PMCR, PMCCNTR, pmevcntr(0), PMOVSSET, PMSIRR, PMMIR] {
        let read = it.cycle(Input::idle().read32(register));
        assert_eq!(
            (read.outcome(), read.data()),
            (UNDEFINED, 0),
            "{register:?}"
        );
    }
    // op1 of the AArch64 register.
    let read = it.cycle(Input::idle().access(PMSELR, 3));
    assert_eq!(read.outcome(), UNDEFINED);
});

statement!(dut_36_traps_of_aarch32_have_no_syndrome_here, |it| {
    let closed = at(1, OPEN | MDCR_EL2_TPM).rt(9);
    let read = it.cycle(closed.read32(pmevtyper(3)));
    assert_eq!((read.outcome(), read.iss()), (TRAP_EL2, 0));
});

statement!(dut_37_external_accesses_reach_the_halves, |it| {
    for n in [0, 7, 30] {
        it.write(pmevtyper(n), 0x6100_0004_C000_0011);
        let read = |it: &mut Subject, offset| it.cycle(Input::idle().external_read(offset)).data();
        assert_eq!(read(it, 0x400 + 4 * n), 0xC000_0011);
        assert_eq!(read(it, 0xA00 + 4 * n), 0x6100_0004);
        it.cycle(Input::idle().external_write(0x400 + 4 * n, 0x8000_0022));
        assert_eq!(it.read(pmevtyper(n)), 0x6100_0004_8000_0022);
        it.cycle(Input::idle().external_write(0xA00 + 4 * n, 0x0000_0007));
        assert_eq!(it.read(pmevtyper(n)), 0x0000_0007_8000_0022);
    }
    it.cycle(Input::idle().external_write(0x47C, 1 << 31));
    it.cycle(Input::idle().external_write(0xA7C, 1 << 24));
    assert_eq!(it.read(PMCCFILTR), 1 << 56 | 1 << 31);
    assert_eq!(it.cycle(Input::idle().external_read(0x47C)).data(), 1 << 31);
    assert_eq!(it.cycle(Input::idle().external_read(0xA7C)).data(), 1 << 24);
});

statement!(dut_37_other_offsets_are_raz_wi, "six_counters", |it| {
    for offset in [0, 0x3FC, 0x418, 0x480, 0x401, 0x9FC, 0xA18, 0xA80, 0xE04] {
        let write = it.cycle(Input::idle().external_write(offset, 0xFFFF_FFFF));
        let read = it.cycle(Input::idle().external_read(offset));
        assert_eq!(
            (write.outcome(), read.outcome(), read.data()),
            (OK, OK, 0),
            "{offset:#x}"
        );
    }
});

statement!(dut_37_no_trap_applies_from_outside, |it| {
    it.write(pmevtyper(3), 0x11);
    let closed = at(0, EL2_ENABLED | MDCR_EL2_TPM | MDCR_EL3_TPM).hpmn(0);
    let read = it.cycle(closed.external_read(0x40C));
    assert_eq!((read.outcome(), read.data(), read.iss()), (OK, 0x11, 0));
});

/// System PMUs are open.
const SPM_OPEN: u32 = EL2_ENABLED | FGTEN2 | NSPMID | NSPMDEVAFF | ENSPM | ENPM2;

/// Outcomes of a read from EL0 to EL3.
fn system_by_level(it: &mut Subject, register: Register, controls: u32, p: (u64, u64)) -> [u8; 4] {
    [0, 1, 2, 3].map(|level| {
        let open = Input::idle().at(level, NON_SECURE).controls(controls);
        it.cycle(open.spmaccessr(p.0, p.1).read(register)).outcome()
    })
}

const ALL: (u64, u64) = (u64::MAX, u64::MAX);

statement!(dut_38_steps_of_spmu_30, |it| {
    let outcomes =
        |it: &mut Subject, controls: u32| system_by_level(it, SPMCFGR, SPM_OPEN & !controls, ALL);
    assert_eq!(outcomes(it, 0), [UNDEFINED, OK, OK, OK]);
    let to_el2 = [UNDEFINED, TRAP_EL2, OK, OK];
    for step_3_or_4 in [FGTEN2, NSPMID, ENSPM] {
        assert_eq!(outcomes(it, step_3_or_4), to_el2);
        let without_el2 = outcomes(it, step_3_or_4 | EL2_ENABLED);
        assert_eq!(without_el2, [UNDEFINED, OK, OK, OK]);
    }
    let to_el3 = [UNDEFINED, TRAP_EL3, TRAP_EL3, OK];
    assert_eq!(outcomes(it, ENPM2), to_el3);
    assert_eq!(
        outcomes(it, ENPM2 | ENSPM),
        [UNDEFINED, TRAP_EL2, TRAP_EL3, OK]
    );
    let debug = (SPM_OPEN & !ENPM2) | HALTED | SDD;
    let undefined = [UNDEFINED, UNDEFINED, UNDEFINED, OK];
    assert_eq!(system_by_level(it, SPMCFGR, debug, ALL), undefined);
    assert_eq!(
        system_by_level(it, SPMCFGR, SPM_OPEN, (0, u64::MAX)),
        to_el2
    );
    assert_eq!(
        system_by_level(it, SPMCFGR, SPM_OPEN, (u64::MAX, 0)),
        to_el3
    );
});

statement!(dut_38_the_same_for_all_but_spmdevaff, |it| {
    let to_el2 = [UNDEFINED, TRAP_EL2, OK, OK];
    let open = [UNDEFINED, OK, OK, OK];
    for register in [SPMIIDR, SPMDEVARCH, SPMCFGR, SPMCGCR0, SPMCGCR1] {
        assert_eq!(
            system_by_level(it, register, SPM_OPEN & !NSPMID, ALL),
            to_el2
        );
        assert_eq!(
            system_by_level(it, register, SPM_OPEN & !NSPMDEVAFF, ALL),
            open
        );
    }
    assert_eq!(
        system_by_level(it, SPMDEVAFF, SPM_OPEN & !NSPMID, ALL),
        open
    );
    assert_eq!(
        system_by_level(it, SPMDEVAFF, SPM_OPEN & !NSPMDEVAFF, ALL),
        to_el2
    );
});

statement!(dut_38_p_is_that_of_the_system_pmu_selected, |it| {
    let closed_for = |it: &mut Subject, p: (u64, u64)| system_by_level(it, SPMCFGR, SPM_OPEN, p)[1];
    it.write(SPMSELR, 1 << 4);
    assert_eq!(closed_for(it, (0b1100, 0b0100)), OK);
    assert_eq!(closed_for(it, (!0b1100, u64::MAX)), TRAP_EL2);
    assert_eq!(closed_for(it, (u64::MAX, !0b1100)), TRAP_EL3);
    // SYSPMUSEL > 31 is reserved.
    it.write(SPMSELR, 33 << 4);
    assert_eq!(closed_for(it, (0, 0)), OK);
});

statement!(dut_38_without_pe_state_there_is_no_trap, |it| {
    let closed = Input::idle().controls(EL2_ENABLED);
    assert_eq!(it.cycle(closed.read(SPMCFGR)).outcome(), OK);
});

statement!(dut_38_a_trap_has_a_syndrome, |it| {
    let closed = Input::idle().at(1, NON_SECURE).controls(EL2_ENABLED).rt(17);
    let read = it.cycle(closed.read(SPMDEVARCH));
    assert_eq!(
        (read.outcome(), read.iss()),
        (TRAP_EL2, iss(SPMDEVARCH, 17, 1))
    );
});

statement!(dut_38_writes_are_undefined, |it| {
    for register in [SPMIIDR, SPMDEVARCH, SPMDEVAFF, SPMCFGR, SPMCGCR0, SPMCGCR1] {
        for level in 0..4 {
            let write = Input::idle().at(level, NON_SECURE).write(register, 0);
            assert_eq!(it.cycle(write).outcome(), UNDEFINED, "{register:?}");
        }
    }
});

statement!(section_6_registers_that_describe_a_system_pmu, |it| {
    let values = |it: &mut Subject| {
        [SPMIIDR, SPMDEVARCH, SPMDEVAFF, SPMCFGR, SPMCGCR0, SPMCGCR1].map(|r| it.read(r))
    };
    // Example D15-1: 4 counters, and 6.
    let first = [
        0x4A51_243B,
        0x4770_0A66,
        0x8100_0100,
        0x1128_3F09,
        0x0604,
        0,
    ];
    assert_eq!(values(it), first);
    it.write(SPMSELR, 1 << 4);
    let groups = [0x0201_0400_0102_0304, 0x0004_0302_0100_0403];
    assert_eq!(values(it), [0, 0, 0, 0xE008_1F21, groups[0], groups[1]]);
    it.write(SPMSELR, 2 << 4);
    assert_eq!(values(it), [0; 6]);
});

statement!(section_6_registers_of_the_counters_of_a_system_pmu, |it| {
    it.write(SPMSELR, u64::MAX);
    assert_eq!(it.read(SPMSELR), 0x3F3);
    // Counters 0 to 3, and 32 to 37, which are in bank 2.
    it.write(SPMSELR, 0);
    for (set, clear) in [
        (SPMCNTENSET, SPMCNTENCLR),
        (SPMOVSSET, SPMOVSCLR),
        (SPMINTENSET, SPMINTENCLR),
    ] {
        it.write(set, u64::MAX);
        assert_eq!(
            (it.read(set), it.read(clear)),
            (0x3F_0000_000F, 0x3F_0000_000F)
        );
        it.write(clear, 0x21_0000_0003);
        assert_eq!(it.read(set), 0x1E_0000_000C);
    }
    for kind in 0..4 {
        for (bank, n, implemented) in [(0, 3, true), (0, 4, false), (2, 5, true), (2, 6, false)] {
            it.write(SPMSELR, bank);
            it.write(spmev(kind, n), u64::MAX);
            let expected = if implemented { u64::MAX } else { 0 };
            assert_eq!(it.read(spmev(kind, n)), expected, "{kind}, {bank}, {n}");
        }
    }
    // Counters of 32 bits.
    it.write(SPMSELR, 1 << 4);
    it.write(spmev(0, 0), u64::MAX);
    it.write(spmev(1, 0), u64::MAX);
    assert_eq!(
        (it.read(spmev(0, 0)), it.read(spmev(1, 0))),
        (0xFFFF_FFFF, u64::MAX)
    );
    it.write(SPMSELR, 3);
    assert_eq!(it.read(spmev(0, 0)), 0);
});

statement!(
    dut_30_without_system_pmus_there_are_no_registers,
    "no_threshold",
    |it| {
        for register in [
            SPMSELR,
            SPMCFGR,
            SPMCGCR0,
            SPMCNTENSET,
            SPMINTENCLR,
            spmev(0, 0),
            spmev(3, 15),
        ] {
            assert_eq!(
                it.cycle(Input::idle().read(register)).outcome(),
                UNDEFINED,
                "{register:?}"
            );
        }
    }
);
