//! Section 5: reset, counting, base values, CHAIN.

use crate::statement;
use crate::subject::*;

/// Event 1, as it is.
const PLAIN: u64 = 1;
const CHAIN: u64 = 0x1E;

statement!(dut_10_reset_outputs_zero, |it| {
    it.count(0, PLAIN);
    it.write(PMCNTENSET, CYCLES);
    let output = it.cycle(Input::idle().event(1, 9).read(PMCR).reset());
    assert_eq!(output.0, [0; 104]);
});

statement!(dut_10_reset_ignores_a_write, |it| {
    it.cycle(Input::idle().write(PMSELR, 7).reset());
    assert_eq!(it.read(PMSELR), 0);
});

statement!(dut_11_reset_state_is_zero, |it| {
    let fixed = [
        (PMCR, 31 << 11 | LC),
        (PMMIR, 2 << 24 | 12 << 20),
        (PMSIDR, 0x0002_6227),
    ];
    let zero = [
        PMCNTENSET,
        PMCNTENCLR,
        PMOVSCLR,
        PMOVSSET,
        PMSELR,
        PMCCNTR,
        PMXEVTYPER,
        PMXEVCNTR,
        PMCCFILTR,
        PMSICR,
        PMSIRR,
        PMBSR_EL1,
        PMBSR_EL2,
        PMBSR_EL3,
        SPMSELR,
        SPMCNTENSET,
        SPMOVSSET,
        SPMINTENSET,
    ];
    for (register, value) in fixed.into_iter().chain(zero.map(|register| (register, 0))) {
        // Not for PMMIR_EL1 and PMSIDR_EL1, which are read-only.
        it.cycle(Input::idle().write(register, u64::MAX));
        it.cycle(Input::idle().reset());
        assert_eq!(it.read(register), value, "{register:?}");
    }
});

statement!(dut_11_c_p_is_zero_out_of_reset, |it| {
    // C_T is TRUE before the reset and after it: only a C_P of 0 makes an edge.
    let rising = event_type(1, 0b011, 1, 0, 0);
    it.count(0, rising);
    it.v_of(0, 0);
    it.cycle(Input::idle().reset());
    it.write(PMCNTENSET, 1);
    it.write(pmevtyper(0), rising);
    it.write(PMCR, E);
    assert_eq!(it.v_of(0, 0), 1);
});

statement!(dut_12_a_write_takes_effect_in_the_next_cycle, |it| {
    it.write(PMCNTENSET, 1);
    it.write(pmevtyper(0), PLAIN);
    let enabled = it.cycle(Input::idle().event(1, 5).write(PMCR, E));
    assert_eq!(enabled.v(0), 0);
    let retyped = it.cycle(Input::idle().event(1, 5).event(2, 6).write(pmevtyper(0), 2));
    assert_eq!(retyped.v(0), 5);
    let disabled = it.cycle(Input::idle().event(2, 6).write(PMCNTENCLR, 1));
    assert_eq!(disabled.v(0), 6);
    assert_eq!(it.cycle(Input::idle().event(2, 6)).v(0), 0);
});

statement!(dut_13_a_read_sees_nothing_of_its_cycle, |it| {
    it.count(0, PLAIN);
    it.write(pmevcntr(0), 100);
    let read = |it: &mut Subject| it.cycle(Input::idle().event(1, 5).read(pmevcntr(0))).data();
    assert_eq!([read(it), read(it), read(it)], [100, 105, 110]);
});

statement!(dut_14_counting_takes_three_conditions, |it| {
    let v = |it: &mut Subject, allowed| it.cycle(Input::idle().event(1, 3).allowed(allowed)).v(4);
    it.count(4, PLAIN);
    assert_eq!((v(it, 1 << 4), v(it, !(1 << 4))), (3, 0));
    it.write(PMCR, 0);
    assert_eq!(v(it, u32::MAX), 0);
    it.write(PMCR, E);
    it.write(PMCNTENCLR, 1 << 4);
    assert_eq!(v(it, u32::MAX), 0);
});

statement!(dut_14_the_cycle_counter_counts_by_one, |it| {
    let cycles = |it: &mut Subject, allowed| it.cycle(Input::idle().allowed(allowed)).cycles();
    assert_eq!(cycles(it, u32::MAX), 0);
    it.write(PMCNTENSET, CYCLES);
    assert_eq!(cycles(it, u32::MAX), 0);
    it.write(PMCR, E);
    assert_eq!((cycles(it, 1 << 31), cycles(it, !(1 << 31))), (1, 0));
    it.write(PMCNTENCLR, CYCLES);
    assert_eq!(cycles(it, u32::MAX), 0);
});

statement!(dut_15_v_is_reported_when_its_increment_is_lost, |it| {
    it.count(0, PLAIN);
    it.write(PMCNTENSET, CYCLES);
    assert_eq!(
        it.cycle(Input::idle().event(1, 9).write(pmevcntr(0), 0))
            .v(0),
        9
    );
    assert_eq!(
        it.cycle(Input::idle().event(1, 9).write(PMCR, E | P)).v(0),
        9
    );
    assert_eq!(it.cycle(Input::idle().write(PMCCNTR, 0)).cycles(), 1);
});

statement!(dut_16_an_event_beyond_event_count_counts_nothing, |it| {
    let all = (0..64).fold(Input::idle(), |input, e| input.event(e, 0xFFFF));
    for event in [64, 0x41, 0x400, 0x8001, 0xFFFF] {
        it.count(0, event);
        assert_eq!(it.cycle(all).v(0), 0, "event {event:#x}");
        assert_eq!(it.read(pmevtyper(0)), event);
    }
});

statement!(
    dut_16_only_the_low_event_width_bits_are_used,
    "no_threshold",
    |it| {
        it.count(0, PLAIN);
        assert_eq!(it.v_of(0, 0xFFFD), 5);
    }
);

/// Counters 0 and 1, the even one 1 below an overflow out of bit 31.
fn chain(it: &mut Subject, odd_type: u64) {
    it.count(0, PLAIN);
    it.count(1, odd_type);
    it.write(pmevcntr(0), 0xFFFF_FFFF);
}

statement!(dut_17_chain_counts_an_overflow_of_the_counter_below, |it| {
    chain(it, CHAIN);
    assert_eq!([it.v_of_both(1), it.v_of_both(1)], [(1, 1), (1, 0)]);
    assert_eq!(it.read(pmevcntr(1)), 1);
});

statement!(dut_17_chain_selects_no_lane, |it| {
    it.count(0, CHAIN);
    it.count(1, CHAIN);
    let output = it.cycle(Input::idle().event(0x1E, 9));
    assert_eq!((output.v(0), output.v(1)), (0, 0));
});

statement!(dut_17_chain_is_silent_with_long_overflow, |it| {
    chain(it, CHAIN);
    it.write(PMCR, E | LP);
    assert_eq!(it.v_of_both(1), (1, 0));
});

statement!(dut_17_chain_passes_through_threshold_and_edge, |it| {
    // Counts the cycles in which the counter below does not overflow.
    chain(it, event_type(CHAIN, 0b011, 0, 0, 0));
    assert_eq!([it.v_of_both(1), it.v_of_both(1)], [(1, 0), (1, 1)]);
    // The end of an overflow, as an edge.
    it.write(pmevtyper(1), event_type(CHAIN, 0b011, 1, 0, 0));
    it.write(pmevcntr(0), 0xFFFF_FFFF);
    assert_eq!(
        [it.v_of_both(1), it.v_of_both(1), it.v_of_both(1)],
        [(1, 0), (1, 1), (1, 0)]
    );
});

statement!(
    dut_17_without_chain_it_is_an_ordinary_event,
    "six_counters",
    |it| {
        it.count(0, CHAIN);
        it.count(1, CHAIN);
        let output = it.cycle(Input::idle().event(0x1E, 9));
        assert_eq!((output.v(0), output.v(1)), (9, 9));
    }
);
