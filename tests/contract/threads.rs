//! Section 5: filtering, threads, their events, and a clock that is stopped.

use crate::statement;
use crate::subject::*;

const PLAIN: u64 = 1;

const P_BIT: u64 = 1 << 31;
const U: u64 = 1 << 30;
const NSK: u64 = 1 << 29;
const NSU: u64 = 1 << 28;
const NSH: u64 = 1 << 27;
const M: u64 = 1 << 26;
const MT: u64 = 1 << 25;
const SH: u64 = 1 << 24;
const RLK: u64 = 1 << 22;
const RLU: u64 = 1 << 21;
const RLH: u64 = 1 << 20;

/// Whether counter 0 counts in a cycle.
fn counts(it: &mut Subject, event_type: u64, input: Input) -> bool {
    it.count(0, PLAIN | event_type);
    match it.cycle(input.event(1, 5)).v(0) {
        5 => true,
        0 => false,
        other => panic!("V[0] = {other}"),
    }
}

statement!(dut_50_filtering_by_level_and_security_state, |it| {
    let table = [
        ((0, NON_SECURE), U, false),
        ((0, NON_SECURE), U | NSU, true),
        ((0, NON_SECURE), NSU, false),
        ((0, NON_SECURE), P_BIT | M | RLU, true),
        ((0, SECURE), U, false),
        ((0, SECURE), NSU, true),
        ((0, REALM), U, false),
        ((0, REALM), U | RLU, true),
        ((0, REALM), NSU, true),
        ((1, NON_SECURE), P_BIT, false),
        ((1, NON_SECURE), P_BIT | NSK, true),
        ((1, NON_SECURE), NSK, false),
        ((1, SECURE), P_BIT | NSK, false),
        ((1, SECURE), NSK | RLK, true),
        ((1, REALM), P_BIT, false),
        ((1, REALM), P_BIT | RLK, true),
        ((2, NON_SECURE), 0, false),
        ((2, NON_SECURE), NSH, true),
        ((2, SECURE), 0, false),
        ((2, SECURE), NSH, true),
        ((2, SECURE), NSH | SH, false),
        ((2, SECURE), SH, true),
        ((2, REALM), 0, false),
        ((2, REALM), NSH, true),
        ((2, REALM), NSH | RLH, false),
        ((2, REALM), RLH, true),
        ((3, ROOT), 0, true),
        ((3, ROOT), M, false),
        ((3, ROOT), M | P_BIT, true),
        ((3, ROOT), P_BIT, false),
    ];
    for ((level, security), fields, expected) in table {
        let found = counts(it, fields, Input::idle().at(level, security));
        assert_eq!(
            found, expected,
            "EL{level}, state {security}, {fields:#010x}"
        );
    }
});

statement!(dut_50_filtering_in_streaming_mode, |it| {
    let streaming = Input::idle().at(0, NON_SECURE).streaming(0);
    let other = Input::idle().at(0, NON_SECURE);
    let vs = |value: u64| value << 56;
    assert!(!counts(it, vs(0b01), streaming) && counts(it, vs(0b01), other));
    assert!(counts(it, vs(0b10), streaming) && !counts(it, vs(0b10), other));
    assert!(counts(it, 0, streaming) && counts(it, 0, other));
});

statement!(dut_50_without_pe_state_nothing_is_filtered, |it| {
    assert!(counts(it, P_BIT, Input::idle().thread_at(0, 1, NON_SECURE)));
    assert!(counts(
        it,
        P_BIT,
        Input::idle()
            .thread_at(0, 1, NON_SECURE)
            .conditions(&[ACTIVE])
    ));
});

statement!(dut_50_the_cycle_counter_has_filters_of_its_own, |it| {
    it.write(PMCNTENSET, CYCLES);
    it.write(PMCR, E);
    it.write(PMCCFILTR, P_BIT);
    let cycles = |it: &mut Subject, level| it.cycle(Input::idle().at(level, NON_SECURE)).cycles();
    assert_eq!((cycles(it, 1), cycles(it, 0)), (0, 1));
});

statement!(dut_50_a_filtered_cycle_clears_c_p, |it| {
    // The rising edge of V_B >= 4, at EL0 alone.
    it.count(0, event_type(1, 0b101, 1, 0, 4) | P_BIT);
    let at = |it: &mut Subject, level| {
        let input = Input::idle().at(level, NON_SECURE).event(1, 9);
        it.cycle(input).v(0)
    };
    assert_eq!([at(it, 0), at(it, 0)], [1, 0]);
    assert_eq!([at(it, 1), at(it, 0)], [0, 1]);
});

/// A cycle at EL1 of thread 0, which is filtered by [`P_BIT`], and at EL0 of thread 1.
fn mixed() -> Input {
    Input::idle()
        .at(1, NON_SECURE)
        .thread_at(1, 0, NON_SECURE)
        .thread_at(2, 1, NON_SECURE)
        .thread_at(3, 1, NON_SECURE)
        .controls(MTPME_EL3)
        .counts(&[1, 2, 4, 8])
}

/// Event INST_RETIRED, EL1 filtered.
const RETIRED: u64 = 0x08 | P_BIT;

statement!(dut_50_with_mt_one_thread_is_enough_to_count, |it| {
    it.count(0, RETIRED | MT);
    it.count(1, RETIRED);
    let output = it.cycle(mixed());
    assert_eq!((output.v(0), output.v(1)), (2, 0));
    let all_filtered = mixed().thread_at(1, 1, NON_SECURE);
    assert_eq!(it.cycle(all_filtered).v(0), 0);
});

statement!(dut_50_mt_is_0_where_it_is_disabled, |it| {
    it.count(0, RETIRED | MT);
    assert_eq!(it.cycle(mixed().controls(0)).v(0), 0);
    let own = mixed().controls(0).thread_at(0, 0, NON_SECURE);
    assert_eq!(it.cycle(own).v(0), 1);
});

statement!(
    dut_50_the_group_has_the_threads_of_the_design,
    "six_counters",
    |it| {
        it.count(0, 0x08 | MT);
        assert_eq!(it.cycle(Input::idle().counts(&[1, 2, 4, 8])).v(0), 3);
    }
);

statement!(dut_51_an_event_without_a_thread_is_of_thread_0, |it| {
    it.count(0, PLAIN | P_BIT | MT);
    // Counter 0 counts, for thread 1, but event 1 is of thread 0.
    assert_eq!(it.cycle(mixed().event(1, 9)).v(0), 0);
    let own = mixed().thread_at(0, 0, NON_SECURE);
    assert_eq!(it.cycle(own.event(1, 9)).v(0), 9);
});

/// V of an event with MT 0 on counter 0 and with MT 1 on counter 1.
fn both(it: &mut Subject, event: u64, input: Input) -> (u16, u16) {
    it.count(0, event);
    it.count(1, event | MT);
    let output = it.cycle(input);
    (output.v(0), output.v(1))
}

fn conditions(it: &mut Subject, event: u64, conditions: [u8; 4]) -> (u16, u16) {
    both(it, event, Input::idle().conditions(&conditions))
}

statement!(dut_51_inst_retired, |it| {
    let sum = |it: &mut Subject, counts| both(it, 0x08, Input::idle().counts(counts));
    assert_eq!(sum(it, &[1, 2, 4, 8]), (1, 15));
    assert_eq!(sum(it, &[0xFFFF, 3, 0, 0]), (0xFFFF, 2));
});

statement!(dut_51_cpu_cycles, |it| {
    let cycles = |it: &mut Subject, of| conditions(it, 0x11, of);
    assert_eq!(cycles(it, [ACTIVE, 0, 0, 0]), (1, 1));
    assert_eq!(cycles(it, [0, 0, 0, 0]), (0, 1));
    assert_eq!(cycles(it, [ACTIVE | WFX, WFX, WFX, 0]), (0, 1));
    assert_eq!(cycles(it, [ACTIVE | WFX, WFX, WFX, WFX]), (0, 0));
});

statement!(dut_51_stalls, |it| {
    for (event, stall) in [(0x3C, STALL), (0x23, STALL_FRONTEND), (0x24, STALL_BACKEND)] {
        let all = [ACTIVE | stall, stall, stall, stall];
        assert_eq!(conditions(it, event, all), (1, 1), "{event:#x}");
        let three = [ACTIVE | stall, stall, 0, stall];
        assert_eq!(conditions(it, event, three), (1, 0), "{event:#x}");
        // What CPU_CYCLES does not count is no stall.
        let inactive = [stall, stall, stall, stall];
        assert_eq!(conditions(it, event, inactive), (0, 1), "{event:#x}");
        let waiting = [ACTIVE | WFX | stall, WFX | stall, WFX | stall, WFX | stall];
        assert_eq!(conditions(it, event, waiting), (0, 0), "{event:#x}");
    }
});

statement!(dut_51_stalls_with_a_second_condition, |it| {
    for (event, stall) in [
        (0x8159, STALL_FRONTEND),
        (0x8165, STALL_BACKEND),
        (0xC0, STALL),
    ] {
        let own = [ACTIVE | stall | SECOND, stall, stall, stall];
        assert_eq!(conditions(it, event, own), (1, 1), "{event:#x}");
        let other = [ACTIVE | stall, stall, stall | SECOND, stall];
        assert_eq!(conditions(it, event, other), (0, 1), "{event:#x}");
        let none = [ACTIVE | stall, stall, stall, stall];
        assert_eq!(conditions(it, event, none), (0, 0), "{event:#x}");
    }
});

statement!(dut_51_another_condition_of_a_cycle, |it| {
    let other = |it: &mut Subject, of| conditions(it, 0xC1, of);
    assert_eq!(other(it, [ACTIVE | CONDITION, 0, 0, 0]), (1, 1));
    assert_eq!(other(it, [CONDITION, 0, 0, 0]), (0, 1));
    assert_eq!(other(it, [ACTIVE, CONDITION, 0, 0]), (0, 1));
    assert_eq!(other(it, [ACTIVE, 0, 0, 0]), (0, 0));
});

statement!(dut_51_without_threads_they_are_lanes, |it| {
    for event in [0x08, 0x11, 0x23, 0x24, 0x3C] {
        it.count(0, event);
        let lane = Input::idle().event(event as usize, 77);
        assert_eq!(it.cycle(lane).v(0), 77, "{event:#x}");
        let driven = lane.conditions(&[0; 4]);
        assert_eq!(it.cycle(driven).v(0), 0, "{event:#x}");
    }
    for event in [0x8159, 0x8165, 0xC0, 0xC1] {
        it.count(0, event);
        let all = (0..64).fold(Input::idle(), |input, e| input.event(e, 0xFFFF));
        assert_eq!(it.cycle(all).v(0), 0, "{event:#x}");
    }
});

statement!(dut_52_nothing_happens_while_the_clock_is_stopped, |it| {
    it.count(0, PLAIN);
    it.write(PMCNTENSET, CYCLES);
    let before = it.read(PMCCNTR);
    let stopped = Input::idle().event(1, 9).write(PMSELR, 7).sample(9);
    let output = it.cycle(stopped.stopped());
    assert_eq!(
        (output.v(0), output.cycles(), output.outcome()),
        (0, 0, NO_ACCESS)
    );
    assert_eq!((it.read(PMSELR), it.read(pmevcntr(0))), (0, 0));
    assert_eq!(it.read(PMCCNTR), before);
});

statement!(dut_52_c_p_stays, |it| {
    it.count(0, event_type(1, 0b101, 1, 0, 4));
    assert_eq!(it.v_of(0, 9), 1);
    it.cycle(Input::idle().stopped());
    assert_eq!([it.v_of(0, 9), it.v_of(0, 0), it.v_of(0, 9)], [0, 0, 1]);
});

statement!(dut_52_the_state_of_sampling_shows, |it| {
    it.write(PMSIRR, 3 << 8);
    it.write(PMSICR, 1);
    let shown = it.cycle(Input::idle().sample(2));
    assert_eq!((shown.pmsicr(), shown.in_flight()), ((768, 0), 1));
    let stopped = it.cycle(Input::idle().sample(9).complete(1, 0).stopped());
    assert_eq!((stopped.pmsicr(), stopped.in_flight()), ((768, 0), 1));
    assert_eq!((stopped.selected(), stopped.drawn()), ((0, 0), (0, 0)));
});

statement!(dut_52_a_reset_needs_no_clock, |it| {
    it.write(PMSELR, 7);
    assert_eq!(it.cycle(Input::idle().stopped().reset()).0, [0; 104]);
    assert_eq!(it.read(PMSELR), 0);
});
