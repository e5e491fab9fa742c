//! Section 6: bits of registers, and accesses that are UNDEFINED.

use crate::statement;
use crate::subject::*;

/// What a register reads after all ones, and then zero, have been written.
fn written(it: &mut Subject, register: Register) -> (u64, u64) {
    it.write(register, u64::MAX);
    let ones = it.read(register);
    it.write(register, 0);
    (ones, it.read(register))
}

fn outcome_of_read(it: &mut Subject, register: Register) -> u8 {
    let output = it.cycle(Input::idle().read(register));
    assert!(output.outcome() == OK || output.data() == 0);
    output.outcome()
}

fn outcome_of_write(it: &mut Subject, register: Register) -> u8 {
    it.cycle(Input::idle().write(register, u64::MAX)).outcome()
}

statement!(section_6_bits_of_pmcr, |it| {
    assert_eq!(written(it, PMCR), (31 << 11 | LP | LC | E, 31 << 11 | LC));
});

statement!(
    section_6_pmcr_lp_is_res0_with_32_bits,
    "no_threshold",
    |it| {
        assert_eq!(written(it, PMCR), (8 << 11 | LC | E, 8 << 11 | LC));
    }
);

statement!(
    section_6_bits_of_pmcntenset_and_pmcntenclr,
    "six_counters",
    |it| {
        it.write(PMCNTENSET, u64::MAX);
        assert_eq!(
            (it.read(PMCNTENSET), it.read(PMCNTENCLR)),
            (CYCLES | 0x3F, CYCLES | 0x3F)
        );
        it.write(PMCNTENSET, 0);
        it.write(PMCNTENCLR, CYCLES | 0x21);
        assert_eq!((it.read(PMCNTENSET), it.read(PMCNTENCLR)), (0x1E, 0x1E));
    }
);

statement!(
    section_6_bits_of_pmovsset_and_pmovsclr,
    "six_counters",
    |it| {
        it.write(PMOVSSET, u64::MAX);
        assert_eq!(
            (it.read(PMOVSSET), it.read(PMOVSCLR)),
            (CYCLES | 0x3F, CYCLES | 0x3F)
        );
        it.write(PMOVSSET, 0);
        it.write(PMOVSCLR, CYCLES | 0x21);
        assert_eq!((it.read(PMOVSSET), it.read(PMOVSCLR)), (0x1E, 0x1E));
    }
);

statement!(section_6_bits_of_pmselr, |it| {
    assert_eq!(written(it, PMSELR), (31, 0));
});

statement!(section_6_bits_of_counters, |it| {
    assert_eq!(written(it, PMCCNTR), (u64::MAX, 0));
    assert_eq!(written(it, pmevcntr(30)), (u64::MAX, 0));
});

statement!(section_6_bits_of_pmccfiltr, |it| {
    assert_eq!(written(it, PMCCFILTR), (0x0300_0000_FD70_0000, 0));
});

statement!(ety_02_bits_of_pmevtyper_with_everything, |it| {
    assert_eq!(written(it, pmevtyper(30)), (0xF700_0FFF_FF70_FFFF, 0));
    assert_eq!(written(it, pmevtyper(29)), (0xF7C0_0FFF_FF70_FFFF, 0));
});

statement!(
    ety_02_bits_of_pmevtyper_with_the_minimum,
    "no_threshold",
    |it| {
        assert_eq!(written(it, pmevtyper(7)), (0xC000_03FF, 0));
    }
);

statement!(ety_03_bits_of_th_follow_thwidth, "six_counters", |it| {
    assert_eq!(written(it, pmevtyper(5)).0 >> 32 & 0xFFFF, 0x000F);
});

statement!(th_07_pmmir_tells_edge_and_thwidth, "six_counters", |it| {
    assert_eq!(it.read(PMMIR), 1 << 24 | 4 << 20 | 0x12306);
});

statement!(th_07_pmmir_without_threshold, "no_threshold", |it| {
    assert_eq!(it.read(PMMIR), 0);
});

statement!(dut_30_an_unknown_encoding_is_undefined, |it| {
    // PMSWINC_EL0, PMCEID0_EL0, PMUSERENR_EL0, and one that differs from PMCR_EL0 in op0.
    for register in [
        (3, 3, 9, 12, 4),
        (3, 3, 9, 12, 6),
        (3, 3, 9, 14, 0),
        (2, 3, 9, 12, 0),
    ] {
        assert_eq!(outcome_of_read(it, register), UNDEFINED, "{register:?}");
        assert_eq!(outcome_of_write(it, register), UNDEFINED, "{register:?}");
    }
    // CRm = 11, op2 = 7 would be PMEVCNTR31_EL0.
    assert_eq!(outcome_of_read(it, (3, 3, 14, 11, 7)), UNDEFINED);
});

statement!(dut_30_a_write_of_a_read_only_register_is_undefined, |it| {
    assert_eq!(outcome_of_read(it, PMMIR), OK);
    assert_eq!(outcome_of_write(it, PMMIR), UNDEFINED);
});

statement!(
    dut_31_registers_of_counters_that_are_not_there,
    "no_threshold",
    |it| {
        for n in 0..31 {
            let expected = if n < 8 { OK } else { UNDEFINED };
            for register in [pmevcntr(n), pmevtyper(n)] {
                assert_eq!(outcome_of_read(it, register), expected, "{register:?}");
                assert_eq!(outcome_of_write(it, register), expected, "{register:?}");
            }
        }
    }
);

statement!(
    dut_31_aliases_of_counters_that_are_not_there,
    "no_threshold",
    |it| {
        for sel in 0..32 {
            it.write(PMSELR, sel);
            let there = sel < 8;
            let expected = |there| if there { OK } else { UNDEFINED };
            assert_eq!(
                outcome_of_read(it, PMXEVCNTR),
                expected(there),
                "SEL = {sel}"
            );
            assert_eq!(
                outcome_of_write(it, PMXEVCNTR),
                expected(there),
                "SEL = {sel}"
            );
            // SEL = 31 is PMCCFILTR_EL0.
            assert_eq!(
                outcome_of_read(it, PMXEVTYPER),
                expected(there || sel == 31),
                "SEL = {sel}"
            );
            assert_eq!(
                outcome_of_write(it, PMXEVTYPER),
                expected(there || sel == 31),
                "SEL = {sel}"
            );
        }
    }
);

statement!(dut_31_pmxevcntr_with_31_is_undefined, |it| {
    it.write(PMCCNTR, 5);
    it.write(PMSELR, 31);
    assert_eq!(outcome_of_read(it, PMXEVCNTR), UNDEFINED);
    assert_eq!(outcome_of_write(it, PMXEVCNTR), UNDEFINED);
    assert_eq!(it.read(PMCCNTR), 5);
});

statement!(
    dut_32_an_undefined_access_changes_nothing,
    "no_threshold",
    |it| {
        it.count(0, 1);
        it.write(PMSELR, 9);
        let wild = Input::idle().event(1, 3).write(PMXEVCNTR, u64::MAX);
        let output = it.cycle(wild);
        assert_eq!(
            (output.outcome(), output.data(), output.v(0)),
            (UNDEFINED, 0, 3)
        );
        assert_eq!((it.read(pmevcntr(0)), it.read(PMSELR)), (3, 9));
    }
);

statement!(dut_32_a_permitted_write_returns_zero, |it| {
    it.write(PMCCNTR, u64::MAX);
    let output = it.cycle(Input::idle().write(PMCCNTR, 5));
    assert_eq!((output.outcome(), output.data()), (OK, 0));
});

statement!(dut_33_aliases_use_sel, |it| {
    it.write(PMSELR, 3);
    it.write(PMXEVTYPER, 0x11);
    it.write(PMXEVCNTR, 0x33);
    it.write(PMSELR, 5);
    it.write(PMXEVTYPER, 0x22);
    assert_eq!((it.read(pmevtyper(3)), it.read(pmevcntr(3))), (0x11, 0x33));
    assert_eq!((it.read(pmevtyper(5)), it.read(PMXEVTYPER)), (0x22, 0x22));
});

statement!(dut_33_pmxevtyper_with_31_is_pmccfiltr, |it| {
    it.write(PMSELR, 31);
    it.write(PMXEVTYPER, 1 << 30);
    assert_eq!(it.read(PMCCFILTR), 1 << 30);
});

statement!(dut_34_a_reserved_type_counts_v_b, |it| {
    // {TC, TE, TLC} of TH-30, TH-31, TH-32, TH-33 on an odd counter.
    for (tc, te, tlc) in [
        (0b000, 0, 0b11),
        (0b101, 0, 0b10),
        (0b011, 1, 0b01),
        (0b100, 1, 0b00),
    ] {
        let reserved = event_type(1, tc, te, tlc, 7);
        it.count(1, reserved);
        assert_eq!([it.v_of(1, 3), it.v_of(1, 7), it.v_of(1, 500)], [3, 7, 500]);
        assert_eq!(it.read(pmevtyper(1)), reserved);
    }
});

statement!(dut_34_c_p_goes_on_in_a_reserved_type, |it| {
    // Reserved, with V_B >= 4 as its condition; then the rising edge of the same condition.
    it.count(0, event_type(1, 0b100, 1, 0, 4));
    let rising = event_type(1, 0b101, 1, 0, 4);
    assert_eq!(
        it.cycle(Input::idle().event(1, 9).write(pmevtyper(0), rising))
            .v(0),
        9
    );
    assert_eq!([it.v_of(0, 9), it.v_of(0, 0), it.v_of(0, 9)], [0, 0, 1]);
});

statement!(
    dut_31_without_event_counters_there_is_none,
    "no_event_counters",
    |it| {
        assert_eq!(it.read(PMCR) >> 11, 0);
        for register in [pmevcntr(0), pmevtyper(0), PMXEVCNTR, PMXEVTYPER] {
            assert_eq!(outcome_of_read(it, register), UNDEFINED, "{register:?}");
        }
        it.write(PMCNTENSET, u64::MAX);
        assert_eq!(it.read(PMCNTENSET), CYCLES);
    }
);
