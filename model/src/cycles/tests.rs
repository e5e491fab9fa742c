//! The rules and examples of D14.4.

use super::*;

const IDLE: Thread = Thread {
    active: false,
    wfx: false,
    stall: false,
    stall_frontend: false,
    stall_backend: false,
    second: false,
    condition: false,
    count: 0,
};
const ACTIVE: Thread = Thread {
    active: true,
    ..IDLE
};
const WAITING: Thread = Thread {
    active: true,
    wfx: true,
    ..IDLE
};
/// Every condition is true.
const EVERYTHING: Thread = Thread {
    active: true,
    wfx: false,
    stall: true,
    stall_frontend: true,
    stall_backend: true,
    second: true,
    condition: true,
    count: 3,
};

fn cycles(change: impl FnOnce(&mut Config)) -> CycleEvents {
    let mut config = Config::default();
    change(&mut config);
    CycleEvents::new(&config)
}

fn default() -> CycleEvents {
    cycles(|_| ())
}

fn own(cycles: &CycleEvents, event: Event, thread: Thread) -> u64 {
    cycles.own(event, true, &thread)
}

fn group(cycles: &CycleEvents, event: Event, threads: &[Thread]) -> u64 {
    cycles.group(event, true, threads.iter())
}

/// CPU_CYCLES over some cycles: of every thread with MT = 0, and of the group.
fn cpu_cycles<const N: usize>(schedule: &[[Thread; N]]) -> ([u64; N], u64) {
    let cycles = default();
    let (mut own, mut group) = ([0; N], 0);
    for threads in schedule {
        for (count, thread) in own.iter_mut().zip(threads) {
            *count += cycles.own(Event::CpuCycles, true, thread);
        }
        group += cycles.group(Event::CpuCycles, true, threads.iter());
    }
    (own, group)
}

#[test]
fn cyc_07_smt_counts_every_cycle() {
    assert_eq!(cpu_cycles(&[[ACTIVE; 2]; 10]), ([10, 10], 10));
}

#[test]
fn cyc_07_fgmt_counts_every_other_cycle() {
    let schedule = [[ACTIVE, IDLE], [IDLE, ACTIVE]].repeat(5);
    assert_eq!(cpu_cycles(&schedule), ([5, 5], 10));
}

#[test]
fn cyc_07_soemt_does_not_count_while_the_thread_is_switched_out() {
    let mut schedule = [[ACTIVE, IDLE]; 10];
    schedule[3..].fill([IDLE, ACTIVE]);
    assert_eq!(cpu_cycles(&schedule), ([3, 7], 10));
    // A-CYC-13: no thread is active, and the group counts.
    schedule[8..].fill([IDLE, IDLE]);
    assert_eq!(cpu_cycles(&schedule), ([3, 5], 10));
}

#[test]
fn cyc_04_a_stalled_thread_is_active() {
    let stalled = Thread {
        stall: true,
        ..ACTIVE
    };
    assert_eq!(own(&default(), Event::CpuCycles, stalled), 1);
}

#[test]
fn cyc_01_without_a_clock_nothing_counts() {
    let cycles = cycles(|config| {
        config.cond_gated = false;
        config.cpu_cycles_in_wfx = true;
        config.cpu_cycles_mt1_all_wfx = true;
    });
    for event in Event::ALL {
        assert_eq!(cycles.own(event, false, &EVERYTHING), 0, "{event:?}");
        assert_eq!(
            cycles.group(event, false, [EVERYTHING].iter()),
            0,
            "{event:?}"
        );
    }
}

#[test]
fn cyc_08_cpu_cycles_in_wfx_is_a_choice_for_an_active_thread() {
    assert_eq!(own(&default(), Event::CpuCycles, WAITING), 0);
    let counts = cycles(|config| config.cpu_cycles_in_wfx = true);
    assert_eq!(own(&counts, Event::CpuCycles, WAITING), 1);
    // A-CYC-9: neither active, be it by CYC-06, nor counting.
    let inactive = Thread {
        active: false,
        ..WAITING
    };
    assert_eq!(own(&counts, Event::CpuCycles, inactive), 0);
}

#[test]
fn cyc_06_whether_a_thread_in_wfx_is_active_is_a_choice() {
    let inactive = cycles(|config| {
        config.active_in_wfx = false;
        config.cpu_cycles_in_wfx = true;
    });
    assert_eq!(own(&inactive, Event::CpuCycles, WAITING), 0);
    assert_eq!(own(&inactive, Event::CpuCycles, ACTIVE), 1);
}

#[test]
fn cyc_03_stall_events_count_no_cycle_that_cpu_cycles_does_not() {
    let waiting = Thread {
        wfx: true,
        ..EVERYTHING
    };
    let inactive = Thread {
        active: false,
        ..EVERYTHING
    };
    let stalls = &Event::ALL[1..7];
    for &event in stalls {
        assert_eq!(own(&default(), event, EVERYTHING), 1, "{event:?}");
        assert_eq!(own(&default(), event, waiting), 0, "{event:?}");
        assert_eq!(own(&default(), event, inactive), 0, "{event:?}");
    }
}

#[test]
fn cyc_12_each_stall_event_has_its_stall_condition_and_its_second() {
    use Event::*;
    let counting = |thread: Thread| -> Vec<_> {
        let counts = |event: &&Event| own(&default(), **event, thread) == 1;
        let kinds = Event::ALL[..8].iter();
        kinds.filter(counts).copied().collect()
    };
    let stall = Thread {
        stall: true,
        ..ACTIVE
    };
    let frontend = Thread {
        stall_frontend: true,
        ..ACTIVE
    };
    let backend = Thread {
        stall_backend: true,
        ..ACTIVE
    };
    let with_second = |thread| Thread {
        second: true,
        ..thread
    };
    assert_eq!(counting(ACTIVE), [CpuCycles]);
    assert_eq!(counting(with_second(ACTIVE)), [CpuCycles]);
    assert_eq!(counting(stall), [CpuCycles, Stall]);
    assert_eq!(counting(with_second(stall)), [CpuCycles, Stall, Stall2nd]);
    assert_eq!(counting(frontend), [CpuCycles, StallFrontend]);
    assert_eq!(
        counting(with_second(frontend)),
        [CpuCycles, StallFrontend, StallFrontend2nd]
    );
    assert_eq!(counting(backend), [CpuCycles, StallBackend]);
    assert_eq!(
        counting(with_second(backend)),
        [CpuCycles, StallBackend, StallBackend2nd]
    );
    let condition = Thread {
        condition: true,
        ..ACTIVE
    };
    assert_eq!(counting(condition), [CpuCycles, Cond]);
}

#[test]
fn a_cyc_7_a_condition_may_be_free_of_cpu_cycles() {
    let inactive = Thread {
        active: false,
        ..EVERYTHING
    };
    assert_eq!(own(&default(), Event::Cond, inactive), 0);
    let free = cycles(|config| config.cond_gated = false);
    assert_eq!(own(&free, Event::Cond, inactive), 1);
    assert_eq!(own(&free, Event::Cond, ACTIVE), 0);
}

#[test]
fn cyc_09_the_group_counts_each_cycle_once() {
    let wakes = |threads: &[Thread]| group(&default(), Event::CpuCycles, threads);
    assert_eq!(wakes(&[ACTIVE, ACTIVE, ACTIVE]), 1);
    assert_eq!(wakes(&[WAITING, WAITING, IDLE]), 1);
}

#[test]
fn cyc_10_with_all_threads_in_wfx_no_condition_counts() {
    let waiting = Thread {
        wfx: true,
        ..EVERYTHING
    };
    let even_so = cycles(|config| {
        config.cpu_cycles_mt1_all_wfx = true;
        config.cond_gated = false;
    });
    for event in &Event::ALL[1..8] {
        assert_eq!(group(&default(), *event, &[waiting; 2]), 0, "{event:?}");
        assert_eq!(group(&even_so, *event, &[waiting; 2]), 0, "{event:?}");
        assert_eq!(
            group(&default(), *event, &[waiting, EVERYTHING]),
            1,
            "{event:?}"
        );
    }
    // A-CYC-4.
    assert_eq!(group(&default(), Event::CpuCycles, &[waiting; 2]), 0);
    assert_eq!(group(&even_so, Event::CpuCycles, &[waiting; 2]), 1);
    // Not an event that counts cycles.
    assert_eq!(group(&default(), Event::Sum, &[waiting; 2]), 6);
}

#[test]
fn cyc_11_stalled_for_all_and_second_for_any() {
    let stalled = Thread {
        stall_frontend: true,
        ..ACTIVE
    };
    let missing = Thread {
        second: true,
        ..stalled
    };
    let event = Event::StallFrontend2nd;
    assert_eq!(group(&default(), event, &[stalled, missing]), 1);
    assert_eq!(group(&default(), event, &[stalled, stalled]), 0);
    let running_and_missing = Thread {
        second: true,
        ..ACTIVE
    };
    assert_eq!(group(&default(), event, &[stalled, running_and_missing]), 0);
    assert_eq!(
        group(&default(), Event::StallFrontend, &[stalled, stalled]),
        1
    );
    assert_eq!(
        group(&default(), Event::StallFrontend, &[stalled, ACTIVE]),
        0
    );
}

#[test]
fn cyc_13_a_condition_for_any() {
    let condition = Thread {
        condition: true,
        ..ACTIVE
    };
    assert_eq!(group(&default(), Event::Cond, &[ACTIVE, condition]), 1);
    assert_eq!(group(&default(), Event::Cond, &[condition, condition]), 1);
    assert_eq!(group(&default(), Event::Cond, &[ACTIVE, ACTIVE]), 0);
}

#[test]
fn cyc_14_other_events_sum() {
    let count = |count| Thread { count, ..IDLE };
    assert_eq!(
        group(&default(), Event::Sum, &[count(2), count(0), count(5)]),
        7
    );
}

#[test]
fn cyc_15_without_mt_only_the_own_thread_counts() {
    let threads = [EVERYTHING, ACTIVE];
    let cycles = default();
    let count = |event, mt| cycles.count(event, mt, true, 1, &threads);
    assert_eq!([count(Event::Sum, false), count(Event::Sum, true)], [0, 3]);
    assert_eq!(
        [count(Event::Cond, false), count(Event::Cond, true)],
        [0, 1]
    );
    let stalled = Event::ALL[1..7]
        .iter()
        .map(|&event| cycles.count(event, false, true, 0, &threads));
    assert_eq!(stalled.sum::<u64>(), 6);
}

#[test]
fn cyc_21_only_other_events_count_more_than_one() {
    for event in Event::ALL {
        let expected = if event == Event::Sum { 12 } else { 1 };
        assert_eq!(
            group(&default(), event, &[EVERYTHING; 4]),
            expected,
            "{event:?}"
        );
    }
}

#[test]
fn a_cyc_5_an_idle_thread_may_not_veto_a_stall() {
    let stalled = Thread {
        stall: true,
        ..ACTIVE
    };
    let counts_true = cycles(|config| config.idle_thread_stall = IdleThreadStall::True);
    for idle in [IDLE, WAITING] {
        assert_eq!(group(&default(), Event::Stall, &[stalled, idle]), 0);
        assert_eq!(group(&counts_true, Event::Stall, &[stalled, idle]), 1);
    }
    assert_eq!(group(&counts_true, Event::Stall, &[stalled, ACTIVE]), 0);
}

#[test]
fn a_cyc_6_an_idle_thread_may_not_contribute_a_condition() {
    let counts_false = cycles(|config| config.idle_thread_any = IdleThreadAny::False);
    let stalled = Thread {
        stall: true,
        ..ACTIVE
    };
    for (active, wfx) in [(false, false), (true, true)] {
        let idle = Thread {
            active,
            wfx,
            ..EVERYTHING
        };
        for event in [Event::Cond, Event::Stall2nd] {
            assert_eq!(group(&default(), event, &[stalled, idle]), 1);
            assert_eq!(group(&counts_false, event, &[stalled, idle]), 0);
        }
    }
    // CYC-12: the null TRUE condition is true whoever is idle.
    let switched_out = Thread {
        active: false,
        ..stalled
    };
    assert_eq!(group(&counts_false, Event::Stall, &[switched_out; 2]), 1);
}

#[test]
fn a_cyc_12_a_group_of_one_counts_as_its_thread_does() {
    for bits in 0..64 {
        let thread = Thread {
            active: true,
            wfx: bits & 1 != 0,
            stall: bits & 2 != 0,
            stall_frontend: bits & 4 != 0,
            stall_backend: bits & 8 != 0,
            second: bits & 16 != 0,
            condition: bits & 32 != 0,
            count: bits,
        };
        for event in Event::ALL {
            let alone = group(&default(), event, &[thread]);
            assert_eq!(
                alone,
                own(&default(), event, thread),
                "{event:?} {thread:?}"
            );
        }
    }
}

#[test]
fn a_cyc_8_a_group_without_threads_counts_nothing() {
    let cycles = cycles(|config| config.cpu_cycles_mt1_all_wfx = true);
    for event in Event::ALL {
        assert_eq!(group(&cycles, event, &[]), 0, "{event:?}");
    }
}
