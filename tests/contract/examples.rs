//! The architecture's examples: TH-40 to TH-44, D13-4 to D13-7.

use crate::statement;
use crate::subject::*;

/// V\[0\] for each of the values of V_B\[0\], cycle by cycle.
fn series<const N: usize>(it: &mut Subject, values: [u16; N]) -> [u16; N] {
    values.map(|v_b| it.v_of(0, v_b))
}

statement!(th_40_example_d13_4_counts_four_if_it_is_four, |it| {
    it.count(0, event_type(1, 0b010, 0, 0, 4));
    assert_eq!(series(it, [0, 3, 4, 5, 4, 0xFFFF]), [0, 0, 4, 0, 4, 0]);
});

statement!(th_41_example_d13_5_counts_cycles_with_two_or_more, |it| {
    it.count(0, event_type(1, 0b101, 0, 0, 2));
    assert_eq!(series(it, [0, 1, 2, 3, 0xFFFF, 1]), [0, 0, 1, 1, 1, 0]);
});

statement!(th_42_example_d13_6_counts_starts, |it| {
    it.count(0, event_type(1, 0b001, 1, 0, 0));
    assert_eq!(series(it, [0, 1, 5, 0, 0, 2]), [0, 1, 0, 0, 0, 1]);
});

statement!(th_42_example_d13_6_counts_ends, |it| {
    it.count(0, event_type(1, 0b011, 1, 0, 0));
    // TH-29: the first counted cycle has C_P = 0, and counts an event that is idle. It is that of the write of
    // PMCR_EL0.E's next cycle, here the first 0.
    assert_eq!(series(it, [0, 1, 5, 0, 0, 2, 0]), [1, 0, 0, 1, 0, 0, 1]);
});

statement!(th_42_example_d13_6_counts_both, |it| {
    it.count(0, event_type(1, 0b010, 1, 0, 0));
    it.v_of(0, 0);
    assert_eq!(series(it, [0, 1, 5, 0, 0, 2]), [0, 1, 0, 1, 0, 1]);
});

/// Counter 0 counts event 2 as it is, counter 1 event 1 with {TC, TLC} and TH = 0. V\[1\] for the pairs
/// (V_B\[1\], V\[0\]) = (0, 0), (0, 6), (3, 0), (3, 6).
fn linked(it: &mut Subject, tc: u64, tlc: u64) -> [u16; 4] {
    it.count(0, 2);
    it.count(1, event_type(1, tc, 0, tlc, 0));
    [(0, 0), (0, 6), (3, 0), (3, 6)].map(|(own, below)| {
        let output = it.cycle(Input::idle().event(1, own).event(2, below));
        assert_eq!(output.v(0), below);
        output.v(1)
    })
}

statement!(th_43_example_d13_7_function_1a_and, |it| {
    assert_eq!(linked(it, 0b000, 0b10), [0, 0, 0, 6]);
});

statement!(th_43_example_d13_7_function_1b_and, |it| {
    assert_eq!(linked(it, 0b010, 0b01), [0, 0, 0, 6]);
});

statement!(th_43_example_d13_7_function_2_or, |it| {
    assert_eq!(linked(it, 0b001, 0b01), [0, 6, 1, 1]);
});

statement!(th_43_example_d13_7_function_3_or, |it| {
    assert_eq!(linked(it, 0b000, 0b01), [0, 6, 3, 3]);
});

statement!(th_43_example_d13_7_function_4_and_not, |it| {
    assert_eq!(linked(it, 0b010, 0b10), [0, 6, 0, 0]);
});

statement!(th_43_example_d13_7_function_5_or_not, |it| {
    assert_eq!(linked(it, 0b011, 0b01), [1, 1, 0, 6]);
});

statement!(
    th_44_counts_the_counter_below_while_the_own_event_reaches_a_threshold,
    |it| {
        it.count(0, 2);
        it.count(1, event_type(1, 0b100, 0, 0b10, 10));
        let v = |it: &mut Subject, own| it.cycle(Input::idle().event(1, own).event(2, 77)).v(1);
        assert_eq!([v(it, 9), v(it, 10), v(it, 11)], [0, 77, 77]);
    }
);
