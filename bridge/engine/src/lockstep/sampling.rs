//! Statistics of sampling over a run: whether the random bytes that the design draws are uniform, and how far apart
//! selections are. They are reported, and decide nothing but where the implementation file demands a random number generator
//! whose bytes are uniform: every draw and every selection is compared anyway.

mod intervals;
mod random;

use pmu_model::{AccessKind, CycleInput, CycleOutput, SysReg};
use serde::Serialize;

pub use intervals::IntervalSummary;
use intervals::IntervalTally;
use random::RandomTally;
pub use random::{RandomDefect, RandomSummary};

const PMSICR: u16 = SysReg::Pmsicr.address();
const PMSIRR: u16 = SysReg::Pmsirr.address();
const _: () = assert!(PMSICR ^ PMSIRR == 1);

/// Statistics of sampling, for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SamplingSummary {
    /// Operations selected.
    pub selections: u64,
    /// How many of them collided.
    pub collisions: u64,
    /// The random bytes.
    pub random: RandomSummary,
    /// The intervals, of every mode that there are any of.
    pub intervals: Vec<IntervalSummary>,
}

impl SamplingSummary {
    /// The statistics in lines of text.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "sampling: {} selections, {} collisions; {}",
            self.selections,
            self.collisions,
            self.random.text()
        )];
        let modes = self.intervals.iter().map(IntervalSummary::text);
        lines.extend(modes.map(|mode| format!("  {mode}")));
        lines
    }
}

impl SamplingSummary {
    /// What is wrong with the random number generator beyond doubt, in a line. `demanded`: the implementation file asks for
    /// uniform bytes.
    pub fn finding(&self, demanded: bool) -> Option<String> {
        let finding = self.random.finding()?;
        Some(match demanded {
            true => format!("{finding}; the implementation file demands spe.random = \"uniform\""),
            false => format!(
                "{finding}; it fails no run: the implementation file does not demand spe.random = \"uniform\""
            ),
        })
    }

    /// What the statistics say of random bytes and of intervals, a line each.
    pub fn tests(&self) -> Vec<String> {
        let modes = self.intervals.iter().map(IntervalSummary::text);
        std::iter::once(self.random.text()).chain(modes).collect()
    }
}

/// What is counted while a run goes on.
#[derive(Clone, Debug)]
pub struct SamplingTally {
    random: RandomTally,
    intervals: IntervalTally,
    selections: u64,
    collisions: u64,
    /// Of the fields of the cycle before.
    was_enabled: bool,
    pmsicr: u64,
}

impl SamplingTally {
    /// Nothing counted yet, of a design with or without FEAT_SPE_ERnd.
    pub fn new(ernd: bool) -> Self {
        Self {
            random: RandomTally::default(),
            intervals: IntervalTally::new(ernd),
            selections: 0,
            collisions: 0,
            was_enabled: false,
            pmsicr: 0,
        }
    }

    /// Enters a cycle that was compared, with the input of the same cycle, whatever the latency of other outputs.
    /// `unknown` says that the interval is (DUT-62).
    #[inline(always)]
    pub fn enter(
        &mut self,
        input: &CycleInput,
        expected: &CycleOutput,
        unknown: bool,
        rtl: &CycleOutput,
    ) {
        let enabled = input.profiling & CycleInput::PROFILING_ENABLED;
        // The two registers have encodings that differ in the lowest bit.
        let is_write = (input.access_kind == AccessKind::Write as u8)
            & (input.access_address & !1 == PMSICR & !1);
        let special = input.reset
            | input.clock_stopped
            | rtl.random_drawn
            | expected.selected
            | u8::from(is_write)
            | u8::from(unknown)
            | (enabled ^ u8::from(self.was_enabled));
        if special != 0 {
            self.enter_special(input, expected, unknown, rtl, enabled != 0);
        } else {
            self.intervals.operations += u64::from(input.operations & enabled.wrapping_neg());
        }
        self.pmsicr = expected.pmsicr;
    }

    #[inline(never)]
    fn enter_special(
        &mut self,
        input: &CycleInput,
        expected: &CycleOutput,
        unknown: bool,
        rtl: &CycleOutput,
        enabled: bool,
    ) {
        if input.is_reset() {
            self.random.restart();
            self.intervals.reset();
            self.was_enabled = false;
            return;
        }
        if input.clock_stopped & 1 != 0 {
            return;
        }
        if unknown {
            self.intervals.forget();
        }
        if enabled && !self.was_enabled {
            self.intervals.enable(self.pmsicr == 0);
        }
        if rtl.random_drawn != 0 {
            let is_new = self.random.draw(rtl.random_byte, rtl.random_drawn);
            self.intervals.draw(self.pmsicr as u32, is_new);
        }
        self.selections += u64::from(expected.selected);
        self.collisions += u64::from(expected.collided);
        if !unknown {
            self.intervals.select(expected);
        }
        if enabled {
            self.intervals.operations += u64::from(input.operations);
        }
        if input.access_kind == AccessKind::Write as u8 {
            // Nothing traps it (DUT-35).
            self.intervals.write(input);
        }
        self.was_enabled = enabled;
    }

    /// The statistics so far.
    pub fn summary(&self) -> SamplingSummary {
        SamplingSummary {
            selections: self.selections,
            collisions: self.collisions,
            random: self.random.summary(),
            intervals: self.intervals.summary(),
        }
    }
}

#[cfg(test)]
mod tests {
    use pmu_model::spe::{Config, Input, Profiler, Selected};

    use super::random::fair;
    use super::*;

    /// A profiler whose cycles are tallied.
    struct Run {
        profiler: Profiler,
        tally: SamplingTally,
        /// The generator's next byte.
        byte: u8,
        generator: Box<dyn FnMut() -> u8>,
    }

    impl Run {
        fn new(ernd: bool) -> Self {
            Self::with(ernd, fair(1))
        }

        fn with(ernd: bool, mut generator: impl FnMut() -> u8 + 'static) -> Self {
            let config = Config {
                ernd,
                ..Config::default()
            };
            Self {
                profiler: Profiler::new(&config).unwrap(),
                tally: SamplingTally::new(ernd),
                byte: generator(),
                generator: Box::new(generator),
            }
        }

        fn cycle(&mut self, input: &CycleInput) {
            if input.is_reset() {
                self.profiler.reset();
                let output = CycleOutput::default();
                self.tally.enter(input, &output, false, &output);
                return;
            }
            let random = [self.byte];
            let data = |address| {
                (input.access_kind == AccessKind::Write as u8 && input.access_address == address)
                    .then_some(input.access_data)
            };
            let profiler = Input {
                enabled: input.profiling & 1 != 0,
                operations: input.operations.into(),
                random: &random,
                complete: 1,
                write_pmsicr: data(PMSICR),
                write_pmsirr: data(PMSIRR),
                ..Input::default()
            };
            let mut output = CycleOutput::default();
            let result = self.profiler.step(&profiler, |place, selected| {
                if output.selected == 0 {
                    output.first_selected = place as u8;
                }
                output.selected += 1;
                output.collided += u8::from(selected == Selected::Collided);
            });
            let result = result.unwrap();
            output.pmsicr = result.pmsicr;
            output.random_drawn = result.random_drawn as u8;
            output.random_byte = random[0] * output.random_drawn;
            if output.random_drawn != 0 {
                self.byte = (self.generator)();
            }
            let unknown = result.not_architected.interval_zero;
            self.tally.enter(input, &output, unknown, &output);
        }

        fn write(&mut self, address: u16, data: u64) {
            self.cycle(&CycleInput {
                access_kind: AccessKind::Write as u8,
                access_address: address,
                access_data: data,
                ..CycleInput::default()
            });
        }

        /// Cycles with operations, in which profiling is disabled now and then.
        fn sample(&mut self, cycles: u32) {
            self.sample_with(cycles, |cycle| u8::from(cycle % 1000 >= 10));
        }

        fn sample_with(&mut self, cycles: u32, profiling: impl Fn(u32) -> u8) {
            for cycle in 0..cycles {
                self.cycle(&CycleInput {
                    operations: (cycle % 16) as u8,
                    profiling: profiling(cycle),
                    ..CycleInput::default()
                });
            }
        }

        fn mode(&self) -> IntervalSummary {
            let summary = self.tally.summary();
            assert_eq!(summary.intervals.len(), 1);
            summary.intervals[0].clone()
        }
    }

    #[test]
    fn spe_24_without_rnd_every_interval_is_exact() {
        for ernd in [false, true] {
            let mut run = Run::new(ernd);
            run.write(PMSIRR, 3 << 8);
            run.sample(200_000);
            let mode = run.mode();
            assert_eq!(mode.mode, "RND = 0");
            assert!(mode.intervals > 1500);
            assert_eq!((mode.mean, mode.expected), (769.0, 769.0));
            assert_eq!((mode.standard_error, mode.holds), (0.0, Some(true)));
        }
    }

    #[test]
    fn spe_24_means_with_rnd() {
        for (ernd, over) in [(false, 128.5), (true, 1.0)] {
            let mut run = Run::new(ernd);
            for interval in [1, 2, 3, 4] {
                run.write(PMSICR, 0);
                run.write(PMSIRR, interval << 8 | 1);
                run.sample(500_000);
            }
            let mode = run.mode();
            // Of successive intervals with FEAT_SPE_ERnd only two bytes are left.
            let deviation = if ernd { 0.1 } else { 0.6 };
            assert!(mode.intervals > 20_000, "{mode:?}");
            assert!(mode.standard_error < deviation, "{mode:?}");
            assert_eq!(mode.holds, Some(true), "{mode:?}");
            let base = mode.expected - over;
            assert!((256.0..=1024.0).contains(&base), "{mode:?}");
            let random = run.tally.summary().random;
            assert_eq!(random.repeated, 0);
            assert_eq!(random.uniform, Some(true), "{random:?}");
        }
    }

    /// Software cuts long intervals more often than short ones, at times that do not depend on the bytes.
    #[test]
    fn spe_24_the_mean_of_intervals_that_are_not_cut_is_that_of_all() {
        for ernd in [false, true] {
            for restarts in [false, true] {
                let mut run = Run::new(ernd);
                for stretch in 0..10_000 {
                    run.write(PMSICR, if stretch % 3 == 0 { 0 } else { 20 });
                    run.write(PMSIRR, 1 << 8 | 1);
                    // Three to ten intervals, the last of them cut at any place.
                    run.sample_with(100 + stretch % 297, |cycle| {
                        u8::from(!restarts || cycle % 83 != 82)
                    });
                }
                let mode = run.mode();
                assert!(mode.intervals > 5000, "{restarts}: {mode:?}");
                assert!(mode.standard_error < 1.0, "{restarts}: {mode:?}");
                assert_eq!(mode.holds, Some(true), "{mode:?}");
            }
        }
    }

    /// One interval, cut after any number of operations.
    #[test]
    fn spe_24_whether_an_interval_counts_does_not_depend_on_its_byte() {
        for ernd in [false, true] {
            for operations in 250..600 {
                let count = |byte: u8| {
                    let mut run = Run::with(ernd, move || byte);
                    run.write(PMSIRR, 1 << 8 | 1);
                    run.write(PMSICR, 1);
                    for _ in 0..operations {
                        run.cycle(&CycleInput {
                            operations: 1,
                            profiling: 1,
                            ..CycleInput::default()
                        });
                    }
                    run.write(PMSICR, 9);
                    let modes = run.tally.summary().intervals;
                    modes.iter().map(|mode| mode.intervals).sum::<u64>()
                };
                // COUNT is zero for operation 1; the last that it can end at is INTERVAL * 256 + 1 + 255 later.
                let expected = u64::from(operations > 1 + 256 + 1 + 255);
                for byte in [0, 1, 128, 254, 255] {
                    assert_eq!(count(byte), expected, "{ernd} {operations} {byte}");
                }
            }
        }
    }

    /// Profiling is disabled for a cycle, after any number of operations: when COUNT is zero, it is loaded (SPE-10).
    #[test]
    fn spe_24_whether_a_pause_ends_an_interval_does_not_depend_on_its_byte() {
        for pause in 250..600 {
            for byte in [0, 1, 100, 254, 255] {
                let mut run = Run::with(false, move || byte);
                run.write(PMSIRR, 1 << 8 | 1);
                run.write(PMSICR, 1);
                for operation in 0..700 {
                    for profiling in u8::from(operation != pause)..=1 {
                        run.cycle(&CycleInput {
                            operations: 1,
                            profiling,
                            ..CycleInput::default()
                        });
                    }
                }
                let modes = run.tally.summary().intervals;
                let count = modes.iter().map(|mode| mode.intervals).sum::<u64>();
                // COUNT may be zero from 256 operations after operation 1 on, for 256 operations.
                let expected = u64::from(!(258..514).contains(&pause));
                assert_eq!(count, expected, "{pause} {byte}");
            }
        }
    }

    /// ECOUNT runs out in the same cycle as COUNT, before it.
    #[test]
    fn spe_23_a_selection_belongs_to_the_draw_before_it() {
        for byte in (0..=255).step_by(5) {
            let mut run = Run::with(true, move || byte);
            run.write(PMSIRR, 1 << 8 | 1);
            run.write(PMSICR, 1);
            for _ in 0..257 {
                run.cycle(&CycleInput {
                    operations: 15,
                    profiling: 1,
                    ..CycleInput::default()
                });
            }
            // 3855 operations: COUNT is zero for those of number 1 + 257 k.
            let mode = run.mode();
            assert_eq!((mode.intervals, mode.mean), (14, 257.0), "{byte}");
        }
    }

    /// The estimate is not right for want of power: a mean that is off is found.
    #[test]
    fn spe_24_a_biased_generator_moves_the_mean() {
        let mut fair = fair(1);
        let mut run = Run::with(false, move || fair() & 0xF7);
        run.write(PMSIRR, 1 << 8 | 1);
        run.sample(500_000);
        let mode = run.mode();
        assert_eq!(mode.holds, Some(false), "{mode:?}");
        assert_eq!(run.tally.summary().random.uniform, Some(false));
    }

    /// The run's standard errors are those that means scatter with.
    #[test]
    fn standard_errors_are_true() {
        for ernd in [false, true] {
            let mut square = 0.0;
            for seed in 1..=200 {
                let mut run = Run::with(ernd, fair(seed * 0x9E37_79B9));
                for stretch in 0..60 {
                    run.write(PMSICR, 0);
                    run.write(PMSIRR, 1 << 8 | 1);
                    run.sample(150 + stretch % 97);
                }
                let mode = run.mode();
                assert!(mode.intervals > 60, "{mode:?}");
                square += ((mode.mean - mode.expected) / mode.standard_error).powi(2);
            }
            // Chi-square of 200 degrees of freedom has a standard deviation of 20.
            assert!((square - 200.0).abs() < 70.0, "{ernd}: {square}");
        }
    }

    /// Intervals of bytes that each reset repeats are no evidence, and do not make the mean look surer than it is.
    #[test]
    fn intervals_of_repeated_bytes_do_not_count() {
        for ernd in [false, true] {
            let mut run = Run::new(ernd);
            for stretch in 0..20 {
                run.cycle(&CycleInput::reset());
                run.generator = Box::new(fair(1));
                run.byte = (run.generator)();
                run.write(PMSICR, 0);
                run.write(PMSIRR, 1 << 8 | 1);
                run.sample(2000 + stretch % 7 * 300);
            }
            let once = {
                let mut run = Run::new(ernd);
                run.write(PMSIRR, 1 << 8 | 1);
                run.sample(2000 + 6 * 300);
                run.mode().intervals
            };
            assert!(run.mode().intervals <= once, "{once}: {:?}", run.mode());
            let random = run.tally.summary().random;
            assert!(random.draws > 10 * (random.draws - random.repeated));
            assert_eq!(random.uniform, Some(true), "{random:?}");
        }
    }

    #[test]
    fn a_stuck_generator_is_found_whatever_the_resets() {
        let mut run = Run::with(true, || 0x10);
        for _ in 0..20 {
            run.cycle(&CycleInput::reset());
            run.write(PMSIRR, 1 << 8 | 1);
            run.sample(400);
        }
        let random = run.tally.summary().random;
        assert_eq!((random.uniform, random.period), (Some(false), Some(1)));
    }

    #[test]
    fn an_interval_that_software_cuts_is_not_measured() {
        let mut run = Run::new(false);
        run.write(PMSIRR, 1 << 8);
        for count in [5, 100, 17] {
            run.sample(40);
            run.write(PMSICR, count);
        }
        run.sample(20);
        assert_eq!(run.tally.summary().intervals, []);
        assert!(run.tally.summary().selections >= 3);
        run.sample(1000);
        assert_eq!(run.mode().mean, 257.0);
    }

    #[test]
    fn spe_29_an_interval_of_zero_is_not_measured() {
        let mut run = Run::new(false);
        run.sample(1000);
        let summary = run.tally.summary();
        assert!(summary.selections > 1000);
        assert_eq!(summary.intervals, []);
    }

    #[test]
    fn summary_in_words() {
        let summary = SamplingSummary {
            selections: 12,
            collisions: 3,
            random: RandomSummary {
                draws: 1500,
                repeated: 20,
                p_value: Some(0.25),
                uniform: Some(true),
                period: None,
                defect: None,
            },
            intervals: vec![
                IntervalSummary {
                    mode: "RND = 0",
                    intervals: 2,
                    mean: 257.0,
                    expected: 257.0,
                    standard_error: 0.0,
                    holds: Some(true),
                },
                IntervalSummary {
                    mode: "RND = 1",
                    intervals: 9,
                    mean: 380.25,
                    expected: 384.5,
                    standard_error: 24.63,
                    holds: None,
                },
            ],
        };
        assert_eq!(
            summary.lines(),
            [
                "sampling: 12 selections, 3 collisions; 1500 random bytes, 20 of them repetitions after a reset, the \
                 other 1480: uniform (p = 0.2500)",
                "  RND = 0: mean of 2 intervals 257.00 operations, expected 257.00: every one as expected",
                "  RND = 1: mean of 9 intervals 380.25 operations, expected 384.50, standard error 24.63: too few to \
                 judge",
            ]
        );
        let stuck = RandomSummary {
            draws: 1500,
            repeated: 0,
            p_value: Some(0.0),
            uniform: Some(false),
            period: Some(1),
            defect: Some(RandomDefect::Dead { byte: 0 }),
        };
        assert_eq!(summary.finding(true), None);
        let dead = SamplingSummary {
            random: stuck.clone(),
            ..summary
        };
        assert_eq!(
            dead.finding(true).unwrap(),
            "the random number generator is DEAD: every byte is 0x00 (1500 bytes, p < 1e-300); the implementation file \
             demands spe.random = \"uniform\""
        );
        assert!(dead.finding(false).unwrap().contains("it fails no run"));
        assert_eq!(
            stuck.text(),
            "1500 random bytes: NOT uniform (p = 0.0e0, the last ones repeat with period 1)"
        );
    }
}
