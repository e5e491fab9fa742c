//! Section 5: register writes against increments, in one and the same cycle.

use crate::statement;
use crate::subject::*;

const PLAIN: u64 = 1;

/// Counter 0 counts event 1 and holds `value`.
fn holding(it: &mut Subject, value: u64) {
    it.count(0, PLAIN);
    it.write(pmevcntr(0), value);
}

statement!(dut_20_a_write_of_a_counter_wins, |it| {
    holding(it, 5);
    it.cycle(Input::idle().event(1, 9).write(pmevcntr(0), 100));
    assert_eq!(it.read(pmevcntr(0)), 100);
});

statement!(dut_20_a_write_through_pmxevcntr_wins, |it| {
    holding(it, 5);
    it.cycle(Input::idle().event(1, 9).write(PMXEVCNTR, 100));
    assert_eq!(it.read(pmevcntr(0)), 100);
});

statement!(dut_20_a_write_of_pmccntr_wins, |it| {
    it.write(PMCNTENSET, CYCLES);
    it.write(PMCR, E);
    it.cycle(Input::idle().write(PMCCNTR, u64::MAX));
    assert_eq!(it.read(PMCCNTR), u64::MAX);
    assert_eq!(it.read(PMOVSSET), 0);
});

statement!(dut_20_a_lost_increment_sets_no_flag, |it| {
    holding(it, 0xFFFF_FFFF);
    it.cycle(Input::idle().event(1, 1).write(pmevcntr(0), 0));
    assert_eq!(it.read(PMOVSSET), 0);
});

statement!(dut_20_a_lost_increment_drives_no_chain, |it| {
    it.count(1, 0x1E);
    holding(it, 0xFFFF_FFFF);
    let output = it.cycle(Input::idle().event(1, 1).write(pmevcntr(0), 0));
    assert_eq!((output.v(0), output.v(1)), (1, 0));
});

statement!(dut_21_p_zeroes_the_event_counters, |it| {
    it.write(PMCCNTR, 77);
    for n in 0..31 {
        it.write(pmevcntr(n), 1000);
    }
    it.count(0, PLAIN);
    it.cycle(Input::idle().event(1, 9).write(PMCR, E | P));
    for n in 0..31 {
        assert_eq!(it.read(pmevcntr(n)), 0, "counter {n}");
    }
    assert_eq!(it.read(PMCCNTR), 77);
});

statement!(dut_21_c_zeroes_the_cycle_counter, |it| {
    it.write(pmevcntr(3), 1000);
    it.write(PMCNTENSET, CYCLES);
    it.write(PMCCNTR, 77);
    it.write(PMCR, E);
    it.cycle(Input::idle().write(PMCR, E | C));
    assert_eq!((it.read(PMCCNTR), it.read(pmevcntr(3))), (0, 1000));
});

statement!(dut_21_p_and_c_leave_the_flags, |it| {
    it.write(PMOVSSET, u64::MAX);
    it.write(PMCR, P | C);
    assert_eq!(it.read(PMOVSSET), 0xFFFF_FFFF);
});

statement!(dut_21_p_and_c_read_as_zero, |it| {
    it.write(PMCR, E | P | C);
    assert_eq!(it.read(PMCR), 31 << 11 | LC | E);
});

statement!(dut_22_short_overflow_is_out_of_bit_31, |it| {
    holding(it, 0xFFFF_FFF0);
    it.v_of(0, 0xF);
    assert_eq!(it.read(PMOVSSET), 0);
    it.v_of(0, 0x12);
    assert_eq!(
        (it.read(PMOVSSET), it.read(pmevcntr(0))),
        (1, 0x1_0000_0011)
    );
});

statement!(dut_22_short_overflow_is_not_out_of_bit_63_alone, |it| {
    // Every carry out of bit 63 is one out of bit 31: the flag is set once.
    holding(it, u64::MAX);
    it.v_of(0, 1);
    assert_eq!((it.read(PMOVSSET), it.read(pmevcntr(0))), (1, 0));
});

statement!(dut_22_long_overflow_is_out_of_bit_63, |it| {
    holding(it, 0xFFFF_FFFF);
    it.write(PMCR, E | LP);
    it.v_of(0, 1);
    assert_eq!(
        (it.read(PMOVSSET), it.read(pmevcntr(0))),
        (0, 0x1_0000_0000)
    );
    it.write(pmevcntr(0), u64::MAX - 1);
    it.v_of(0, 3);
    assert_eq!((it.read(PMOVSSET), it.read(pmevcntr(0))), (1, 1));
});

statement!(dut_22_counters_of_32_bits_wrap, "no_threshold", |it| {
    holding(it, 0xAAAA_AAAA_FFFF_FFFF);
    assert_eq!(it.read(pmevcntr(0)), 0xFFFF_FFFF);
    it.v_of(0, 2);
    assert_eq!((it.read(PMOVSSET), it.read(pmevcntr(0))), (1, 1));
});

statement!(dut_22_the_cycle_counter_overflows_out_of_bit_63, |it| {
    it.write(PMCNTENSET, CYCLES);
    it.write(PMCCNTR, 0xFFFF_FFFF);
    it.write(PMCR, E);
    it.cycle(Input::idle());
    assert_eq!((it.read(PMOVSSET), it.read(PMCCNTR)), (0, 0x1_0000_0000));
    it.write(PMCCNTR, u64::MAX);
    it.cycle(Input::idle());
    assert_eq!((it.read(PMOVSSET), it.read(PMCCNTR)), (CYCLES, 0));
});

statement!(dut_23_an_overflow_survives_a_clear_of_its_cycle, |it| {
    holding(it, 0xFFFF_FFFF);
    it.write(PMOVSSET, 0b111);
    it.cycle(Input::idle().event(1, 1).write(PMOVSCLR, 0b011));
    assert_eq!(it.read(PMOVSSET), 0b101);
});

statement!(dut_23_an_overflow_and_a_set_of_its_cycle_both_count, |it| {
    holding(it, 0xFFFF_FFFF);
    it.cycle(Input::idle().event(1, 1).write(PMOVSSET, 0b100));
    assert_eq!(it.read(PMOVSCLR), 0b101);
});

statement!(dut_24_c_p_takes_c_t_of_the_old_type, |it| {
    // TH = 4: 9 makes C_T TRUE. The new type, TH = 20, makes it FALSE for 9, and TRUE for 30.
    let rising = |th| event_type(1, 0b101, 1, 0, th);
    it.count(0, rising(4));
    assert_eq!(it.v_of(0, 0), 0);
    assert_eq!(
        it.cycle(Input::idle().event(1, 9).write(pmevtyper(0), rising(20)))
            .v(0),
        1
    );
    // C_P is 1, so that there is no edge.
    assert_eq!(it.v_of(0, 30), 0);
});

statement!(dut_24_c_p_is_zero_after_a_cycle_without_counting, |it| {
    it.count(0, event_type(1, 0b101, 1, 0, 4));
    assert_eq!([it.v_of(0, 9), it.v_of(0, 9)], [1, 0]);
    it.cycle(Input::idle().event(1, 9).allowed(!1));
    assert_eq!(it.v_of(0, 9), 1);
});
