//! Intervals, transitions, collisions and orders within a cycle, as D17.3 tells them.

use super::registers::Pmsicr;
use super::*;

fn config(ernd: bool) -> Config {
    Config {
        ernd,
        ..Config::default()
    }
}

fn to_zero(ernd: bool) -> Config {
    Config {
        knobs: Knobs {
            select: Select::ToZero,
            ..Knobs::default()
        },
        ..config(ernd)
    }
}

const fn pmsirr(interval: u64, rnd: bool) -> u64 {
    interval << 8 | rnd as u64
}

/// A disabled profiler with these register values.
fn profiler(config: &Config, pmsicr: u64, pmsirr: u64) -> Profiler {
    let mut profiler = Profiler::new(config).expect("a possible configuration");
    let input = Input {
        write_pmsicr: Some(pmsicr),
        write_pmsirr: Some(pmsirr),
        ..Input::default()
    };
    step(&mut profiler, &input);
    profiler
}

fn step(profiler: &mut Profiler, input: &Input<'_>) -> Output {
    profiler
        .step(input, |_, _| ())
        .expect("enough random bytes")
}

/// One cycle with `operations`, profiling enabled.
fn enabled(operations: u32) -> Input<'static> {
    Input {
        enabled: true,
        operations,
        ..Input::default()
    }
}

/// The places of the selected operations, counted from 1 over all `operations`, `width` of them in a cycle.
/// Exactly `random` must be drawn.
fn selections(profiler: &mut Profiler, operations: u32, width: u32, random: &[u8]) -> Vec<u32> {
    let (mut done, mut drawn, mut places) = (0, 0, Vec::new());
    while done < operations {
        let input = Input {
            random: &random[drawn..],
            ..enabled(width.min(operations - done))
        };
        let output = profiler
            .step(&input, |index, _| places.push(done + index + 1))
            .expect("enough random bytes");
        drawn += output.random_drawn;
        done += input.operations;
    }
    assert_eq!(drawn, random.len(), "bytes drawn");
    places
}

fn differences(places: &[u32]) -> Vec<u32> {
    places.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn spe_24_without_rnd_the_interval_is_exact() {
    for config in [config(false), config(true), to_zero(false), to_zero(true)] {
        for interval in [1, 2, 7] {
            let mut profiler = profiler(&config, 0, pmsirr(interval, false));
            let expected = interval as u32 * 256 + 1;
            let places = selections(&mut profiler, 5 * expected, 1, &[]);
            // SPE-25: the first one too.
            assert_eq!(places, [1, 2, 3, 4, 5].map(|k| k * expected), "{config:?}");
        }
    }
}

#[test]
fn spe_24_without_ernd_the_byte_lengthens_the_interval_it_starts() {
    for config in [config(false), to_zero(false)] {
        let mut profiler = profiler(&config, 0, pmsirr(1, true));
        let ends = [257, 257 + 512, 257 + 512 + 260];
        // AT_ZERO draws when it selects, TO_ZERO when the next operation reloads.
        let (last, random): (u32, &[u8]) = match config.knobs.select {
            Select::AtZero => (ends[2], &[0, 255, 3, 9]),
            Select::ToZero => (ends[2], &[0, 255, 3]),
        };
        assert_eq!(
            selections(&mut profiler, last, 1, random),
            ends,
            "{config:?}"
        );
    }
}

#[test]
fn spe_24_with_ernd_the_byte_shifts_the_selection_only() {
    let bytes = [0, 255, 1, 1, 200, 0];
    for config in [config(true), to_zero(true)] {
        let mut profiler = profiler(&config, 0, pmsirr(1, true));
        let places = selections(&mut profiler, 6 * 257, 1, &bytes);
        let expected: Vec<_> = (1..)
            .zip(bytes)
            .map(|(k, e)| k * 257 + u32::from(e))
            .collect();
        assert_eq!(places, expected, "{config:?}");
        let intervals: Vec<_> = bytes
            .windows(2)
            .map(|pair| 257 + u32::from(pair[1]) - u32::from(pair[0]))
            .collect();
        assert_eq!(differences(&places), intervals);
    }
}

#[test]
fn spe_26_sampling_restarts_from_a_nonzero_pmsicr() {
    for (config, first) in [(config(false), 4), (to_zero(false), 3)] {
        let mut profiler = profiler(&config, 3, pmsirr(1, false));
        let places = selections(&mut profiler, first + 257, 1, &[]);
        assert_eq!(places, [first, first + 257], "{config:?}");
    }
}

#[test]
fn spe_27_count_is_seen_to_reach_zero() {
    let counts = |config: &Config| {
        let mut profiler = profiler(config, 2, pmsirr(1, false));
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = step(&mut profiler, &enabled(1)).pmsicr;
        }
        counts
    };
    assert_eq!(counts(&config(false)), [1, 0, 256, 255]);
    assert_eq!(counts(&to_zero(false)), [1, 0, 256, 255]);
    // The same COUNT, but another operation is selected.
    let selected = |config: &Config| {
        let mut profiler = profiler(config, 2, pmsirr(1, false));
        selections(&mut profiler, 4, 1, &[])
    };
    assert_eq!(selected(&config(false)), [3]);
    assert_eq!(selected(&to_zero(false)), [2]);
}

#[test]
fn spe_28_operations_of_a_cycle_are_counted_one_after_another() {
    let random = [3, 0, 250, 7, 7, 99, 1, 2];
    for config in [config(true), to_zero(true)] {
        let run = |width| {
            let mut profiler = profiler(&config, 0, pmsirr(1, true));
            let places = selections(&mut profiler, 8 * 257, width, &random);
            (places, profiler.pmsicr())
        };
        let one_by_one = run(1);
        assert_eq!(run(5), one_by_one);
        assert_eq!(run(64), one_by_one);
        // More than INTERVAL * 256 in a cycle: several selections.
        assert_eq!(run(2000), one_by_one);
    }
}

#[test]
fn spe_10_a_zero_pmsicr_is_loaded_when_profiling_becomes_enabled() {
    let mut profiler = profiler(&config(false), 0, pmsirr(2, true));
    let input = Input {
        random: &[0x5A],
        ..enabled(0)
    };
    let output = step(&mut profiler, &input);
    assert_eq!((output.pmsicr, output.random_drawn), (0x25A, 1));
    // Only at the transition.
    assert_eq!(step(&mut profiler, &enabled(0)).random_drawn, 0);
}

#[test]
fn spe_12_with_ernd_the_initial_load_draws_nothing_and_leaves_ecount() {
    let mut profiler = profiler(&config(true), 0, pmsirr(2, true));
    let output = step(&mut profiler, &enabled(0));
    assert_eq!((output.pmsicr, output.random_drawn), (0x200, 0));
}

#[test]
fn spe_10_the_whole_register_decides_about_the_load() {
    let ecount = 5 << 56;
    let mut with_ernd = profiler(&config(true), ecount, pmsirr(1, true));
    let output = step(&mut with_ernd, &enabled(0));
    assert_eq!(output.pmsicr, ecount);
    assert!(output.not_architected.count_zero_ecount_nonzero);
    // A-SPE-3: AT_ZERO draws a new ECOUNT at the first operation.
    let input = Input {
        random: &[9],
        ..enabled(1)
    };
    assert_eq!(step(&mut with_ernd, &input).pmsicr, 9 << 56 | 0x100);
    // TO_ZERO goes on counting the old one.
    let mut pseudocode = profiler(&to_zero(true), ecount, pmsirr(1, true));
    assert_eq!(step(&mut pseudocode, &enabled(1)).pmsicr, 4 << 56 | 0x100);
    // Without FEAT_SPE_ERnd there is no ECOUNT.
    let mut without = profiler(&config(false), ecount, pmsirr(1, false));
    assert_eq!(step(&mut without, &enabled(0)).pmsicr, 0x100);
}

#[test]
fn spe_11_while_disabled_nothing_counts() {
    let mut profiler = profiler(&config(true), 7 << 56 | 5, pmsirr(1, true));
    let input = Input {
        operations: 64,
        ..Input::default()
    };
    let output = step(&mut profiler, &input);
    assert_eq!(output.sample_pop, 0);
    assert_eq!(output.pmsicr, 7 << 56 | 5);
    step(&mut profiler, &enabled(2));
    let output = step(&mut profiler, &input);
    assert_eq!(output.pmsicr, 5 << 56 | 3);
    // Enabled again: from the current values.
    assert_eq!(step(&mut profiler, &enabled(1)).pmsicr, 4 << 56 | 2);
}

#[test]
fn a_spe_12_a_due_selection_is_skipped_if_profiling_is_disabled_at_zero() {
    let mut profiler = profiler(&config(false), 1, pmsirr(1, false));
    assert_eq!(step(&mut profiler, &enabled(1)).pmsicr, 0);
    step(&mut profiler, &Input::default());
    assert_eq!(selections(&mut profiler, 257, 1, &[]), [257]);
}

#[test]
fn a_spe_2_first_op_loads_before_the_first_operation_is_counted() {
    let first_op = Config {
        knobs: Knobs {
            init_load: Some(InitLoad::FirstOp),
            ..Knobs::default()
        },
        ..config(false)
    };
    let mut profiler_a = profiler(&first_op, 0, pmsirr(1, false));
    assert_eq!(step(&mut profiler_a, &enabled(0)).pmsicr, 0);
    assert_eq!(selections(&mut profiler_a, 2 * 257, 1, &[]), [257, 2 * 257]);
    let at_enable = Config {
        knobs: Knobs {
            init_load: Some(InitLoad::AtEnable),
            ..to_zero(false).knobs
        },
        ..to_zero(false)
    };
    let mut profiler_b = profiler(&at_enable, 0, pmsirr(1, false));
    assert_eq!(step(&mut profiler_b, &enabled(0)).pmsicr, 256);
    assert_eq!(
        selections(&mut profiler_b, 256 + 257, 1, &[]),
        [256, 256 + 257]
    );
}

#[test]
fn a_spe_2_a_write_of_pmsicr_takes_the_place_of_the_load() {
    for init_load in [InitLoad::FirstOp, InitLoad::AtEnable] {
        let config = Config {
            knobs: Knobs {
                init_load: Some(init_load),
                ..Knobs::default()
            },
            ..config(false)
        };
        let mut profiler = profiler(&config, 0, pmsirr(1, false));
        let write = Input {
            write_pmsicr: Some(0),
            ..enabled(0)
        };
        step(&mut profiler, &write);
        assert_eq!(selections(&mut profiler, 1, 1, &[]), [1], "{init_load:?}");
    }
}

#[test]
fn a_spe_10_ecount_stands_still_with_rnd_cleared() {
    let mut profiler = profiler(&config(true), 2 << 56 | 100, pmsirr(1, false));
    let output = step(&mut profiler, &enabled(10));
    assert_eq!((output.pmsicr, output.sample_feed), (2 << 56 | 90, 0));
}

#[test]
fn a_spe_4_a_new_draw_overwrites_a_running_ecount() {
    for (config, count) in [(config(true), 0), (to_zero(true), 1)] {
        let mut profiler = profiler(&config, 1 << 56 | count, pmsirr(1, true));
        let input = Input {
            random: &[20],
            ..enabled(1)
        };
        let output = step(&mut profiler, &input);
        assert_eq!(output.sample_feed, 0);
        assert_eq!(output.pmsicr >> 56, 20);
    }
}

#[test]
fn spe_29_an_interval_of_zero_is_not_architected() {
    let select_all = |zero_interval| {
        let config = Config {
            knobs: Knobs {
                zero_interval,
                ..Knobs::default()
            },
            max_inflight: 8,
            ..config(false)
        };
        let mut profiler = profiler(&config, 0, 0);
        let output = step(&mut profiler, &enabled(3));
        assert!(output.not_architected.interval_zero);
        (output.sample_feed, output.pmsicr)
    };
    assert_eq!(select_all(ZeroInterval::Literal), (3, 0));
    assert_eq!(select_all(ZeroInterval::Min256), (0, 253));
    let mut literal = profiler(&to_zero(false), 0, 0);
    assert_eq!(step(&mut literal, &enabled(100)).sample_feed, 0);
    let mut ordinary = profiler(&config(false), 0, pmsirr(1, false));
    assert!(
        !step(&mut ordinary, &enabled(300))
            .not_architected
            .interval_zero
    );
}

#[test]
fn spe_29_the_interval_is_known_again_once_it_is_loaded_or_written() {
    let mut loaded = profiler(&config(false), 0, 0);
    let unknown = |profiler: &mut Profiler, input: &Input<'_>| {
        step(profiler, input).not_architected.interval_zero
    };
    let write = Input {
        write_pmsirr: Some(pmsirr(1, false)),
        ..enabled(1)
    };
    assert!(unknown(&mut loaded, &write));
    let mut written = loaded.clone();
    // The interval that this operation ends was unknown, the one that it loads is not.
    assert!(unknown(&mut loaded, &enabled(1)));
    assert!(!unknown(&mut loaded, &enabled(1)));
    let write = Input {
        write_pmsicr: Some(100),
        ..enabled(0)
    };
    assert!(unknown(&mut written, &write));
    assert!(!unknown(&mut written, &enabled(1)));
}

#[test]
fn a_spe_3_only_a_zero_count_beside_a_nonzero_ecount_is_told() {
    let told = |pmsicr| {
        let mut profiler = profiler(&config(true), pmsicr, pmsirr(1, false));
        let output = step(&mut profiler, &enabled(0));
        output.not_architected.count_zero_ecount_nonzero
    };
    let told_of = [0, 7, 5 << 56 | 7, 5 << 56].map(told);
    assert_eq!(told_of, [false, false, false, true]);
}

#[test]
fn a_spe_6_only_a_write_while_enabled_is_told() {
    let told = |enabled| {
        let input = Input {
            enabled,
            write_pmsicr: Some(1),
            ..Input::default()
        };
        let output = step(&mut profiler(&config(false), 1, 0), &input);
        output.not_architected.pmsicr_written_while_enabled
    };
    assert_eq!([false, true].map(told), [false, true]);
}

#[test]
fn spe_30_a_missing_byte_is_an_error_and_changes_nothing() {
    let mut profiler = profiler(&config(false), 1, pmsirr(1, true));
    let error = profiler.step(&enabled(2), |_, _| ());
    assert_eq!(error, Err(MissingRandom { supplied: 0 }));
    assert_eq!(
        profiler.pmsicr(),
        Pmsicr {
            count: 1,
            ecount: 0
        }
    );
    let input = Input {
        random: &[0xAB, 0xCD],
        ..enabled(2)
    };
    let output = step(&mut profiler, &input);
    assert_eq!((output.pmsicr, output.random_drawn), (0x1AB, 1));
}

#[test]
fn a_spe_6_writes_while_enabled() {
    let write = Input {
        write_pmsicr: Some(0),
        write_pmsirr: Some(pmsirr(3, false)),
        ..enabled(4)
    };
    let mut end = profiler(&config(false), 10, pmsirr(1, false));
    let output = step(&mut end, &write);
    assert_eq!((output.pmsicr, output.sample_feed), (0, 0));
    assert!(output.not_architected.pmsicr_written_while_enabled);
    // No transition, no load: the next operation is selected, and loads the new interval.
    let output = step(&mut end, &enabled(1));
    assert_eq!((output.pmsicr, output.sample_feed), (0x300, 1));

    let start = Config {
        knobs: Knobs {
            write_order: WriteOrder::Start,
            ..Knobs::default()
        },
        ..config(false)
    };
    let mut start = profiler(&start, 10, pmsirr(1, false));
    step(&mut start, &enabled(0));
    let output = step(&mut start, &write);
    assert_eq!((output.pmsicr, output.sample_feed), (0x300 - 3, 1));
}

/// A profiler whose every operation is selected, with `max` samples in flight.
fn selecting(config: &Config, max: u32) -> Profiler {
    let mut profiler = profiler(config, 0, 0);
    assert_eq!(step(&mut profiler, &enabled(max)).in_flight, max);
    profiler
}

#[test]
fn spe_41_a_selection_collides_when_all_places_are_taken() {
    let config = Config {
        max_inflight: 2,
        ..config(false)
    };
    let mut profiler = profiler(&config, 0, 0);
    let mut seen = Vec::new();
    let output = profiler
        .step(&enabled(3), |index, selected| seen.push((index, selected)))
        .expect("nothing is drawn");
    let sampled = Selected::Sampled;
    assert_eq!(seen, [(0, sampled), (1, sampled), (2, Selected::Collided)]);
    assert_eq!(output.coll, [true, false, false]);
    assert_eq!(output.in_flight, 2);
    // SPE-45: every operation is in SAMPLE_POP, and SAMPLE_FEED is without the collision.
    assert_eq!(output.sample_pop, 3);
    assert_eq!((output.sample_feed, output.sample_collision), (2, 1));
}

#[test]
fn spe_43_coll_is_sticky_until_written() {
    let exc = Config {
        spe_exc: true,
        ..config(false)
    };
    let mut profiler = selecting(&exc, 1);
    for (pmsee, ee) in [(0b01, 0b11), (0b11, 0b00)] {
        let input = Input {
            pmsee,
            ee,
            ..enabled(1)
        };
        step(&mut profiler, &input);
    }
    // SPE-46: visible from the end of the cycle; the other registers are unchanged.
    assert_eq!(
        step(&mut profiler, &Input::default()).coll,
        [false, true, true]
    );
    let input = Input {
        write_coll: [None, Some(false), None],
        ..Input::default()
    };
    assert_eq!(step(&mut profiler, &input).coll, [false, false, true]);
}

#[test]
fn spe_44_the_counters_are_reloaded_for_a_collision_too() {
    let mut colliding = profiler(&config(false), 0, pmsirr(1, false));
    assert_eq!(
        selections(&mut colliding, 4 * 257, 8, &[]),
        [257, 514, 771, 1028]
    );
    let output = step(&mut colliding, &enabled(0));
    assert_eq!((output.in_flight, output.coll[0]), (1, true));
}

#[test]
fn spe_47_a_sample_is_in_flight_until_it_completes() {
    let both = Input {
        complete: 1,
        ..enabled(1)
    };
    let before = config(false);
    let output = step(&mut selecting(&before, 1), &both);
    assert_eq!(
        (
            output.sample_feed,
            output.sample_collision,
            output.in_flight
        ),
        (1, 0, 1)
    );
    let after = Config {
        knobs: Knobs {
            complete_order: CompleteOrder::After,
            ..Knobs::default()
        },
        ..before.clone()
    };
    let output = step(&mut selecting(&after, 1), &both);
    assert_eq!(
        (
            output.sample_feed,
            output.sample_collision,
            output.in_flight
        ),
        (0, 1, 0)
    );
    // A-SPE-14: also while profiling is disabled.
    let mut disabled = selecting(&before, 1);
    assert_eq!(step(&mut disabled, &Input::default()).in_flight, 1);
    // No more complete than are in flight.
    let complete = Input {
        complete: 2,
        ..Input::default()
    };
    assert_eq!(step(&mut disabled, &complete).in_flight, 0);
}

#[test]
fn a_spe_14_discard_frees_the_places_before_the_operations_of_its_cycle() {
    let input = Input {
        discard: true,
        ..enabled(1)
    };
    let output = step(&mut selecting(&config(false), 1), &input);
    assert_eq!((output.sample_feed, output.in_flight), (1, 1));
    let input = Input {
        discard: true,
        ..Input::default()
    };
    assert_eq!(step(&mut selecting(&config(false), 1), &input).in_flight, 0);
}
