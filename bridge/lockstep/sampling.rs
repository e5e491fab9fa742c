//! Statistics of sampling over a run: whether the random bytes that the design draws are uniform, and how far apart
//! selections are. They are reported and decide nothing: every draw and every selection is compared anyway.

use pmu_model::{AccessKind, CycleInput, CycleOutput, SysReg};
use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// Draws below which the chi-square test says nothing: five a bin.
const ENOUGH: u64 = 5 * 256;

/// PMSIRR_EL1.RND.
const RND: u64 = 1;

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

/// The random bytes that the design drew.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RandomSummary {
    /// Draws.
    pub draws: u64,
    /// Draws that repeat what was drawn after an earlier reset: they are not tested.
    pub repeated: u64,
    /// Probability of bytes as uneven as the others, or more so, if all values are equally likely (chi-square, 255
    /// degrees of freedom); none if there are too few to judge.
    pub p_value: Option<f64>,
}

/// Intervals between two selections, in members of the sample population, while PMSIRR_EL1 and PMSICR_EL1 are not
/// written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IntervalSummary {
    /// The mode in words.
    pub mode: &'static str,
    /// Intervals.
    pub intervals: u64,
    /// Their mean.
    pub mean: f64,
    /// The mean that SPE-24 makes of their INTERVALs.
    pub expected: f64,
    /// Standard error of the mean, as far as the bytes do not repeat; none for fewer than two independent
    /// intervals.
    pub standard_error: Option<f64>,
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
        lines.extend(self.intervals.iter().map(|mode| {
            let error = mode.standard_error.map_or(String::new(), |error| {
                format!(", standard error {error:.2}")
            });
            format!(
                "  {}: mean of {} intervals {:.2} operations, expected {:.2}{error}",
                mode.mode, mode.intervals, mode.mean, mode.expected
            )
        }));
        lines
    }
}

impl RandomSummary {
    fn text(&self) -> String {
        let Self {
            draws, repeated, ..
        } = self;
        let repeated = if *repeated > 0 {
            format!(", {repeated} of them repetitions after a reset")
        } else {
            String::new()
        };
        let judged = self.p_value.map_or("too few to judge".into(), |p| {
            format!("chi-square p = {p:.4}")
        });
        format!("{draws} random bytes{repeated}: {judged}")
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
        let is_write = input.access_kind == AccessKind::Write as u8
            && input.access_address & !1 == PMSICR & !1;
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
            self.intervals.pmsirr = 0;
            self.intervals.forget();
            self.was_enabled = false;
            return;
        }
        if input.clock_stopped & 1 != 0 {
            return;
        }
        // SPE-10: a PMSICR_EL1 of zero is loaded, so that the interval begins anew.
        if unknown || (enabled && !self.was_enabled && self.pmsicr == 0) {
            self.intervals.forget();
        }
        if rtl.random_drawn != 0 {
            self.random.draw(rtl.random_byte);
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
        let random = self.random.summary();
        SamplingSummary {
            selections: self.selections,
            collisions: self.collisions,
            intervals: self.intervals.summary(&random),
            random,
        }
    }
}

/// The bytes drawn. A generator that each reset restarts repeats its bytes: such repetitions are no new evidence, and
/// are counted apart as long as every stretch from reset to reset begins like the longest one.
#[derive(Clone, Debug)]
struct RandomTally {
    tested: [u64; 256],
    repeated: [u64; 256],
    /// The bytes of the longest stretch.
    longest: Vec<u8>,
    /// Bytes of this stretch.
    at: usize,
    restarts: bool,
}

impl Default for RandomTally {
    fn default() -> Self {
        Self {
            tested: [0; 256],
            repeated: [0; 256],
            longest: Vec::new(),
            at: 0,
            restarts: true,
        }
    }
}

impl RandomTally {
    /// Bytes that are remembered of a stretch: those of a longer one count as new.
    const REMEMBERED: usize = 1 << 16;

    fn restart(&mut self) {
        self.at = 0;
    }

    fn draw(&mut self, byte: u8) {
        let index = usize::from(byte);
        match self.longest.get(self.at) {
            Some(&before) if self.restarts && before == byte => self.repeated[index] += 1,
            Some(_) if self.restarts => {
                // The generator goes on over resets: what looked like repetitions was chance.
                self.restarts = false;
                let repeated = std::mem::replace(&mut self.repeated, [0; 256]);
                for (tested, repeated) in self.tested.iter_mut().zip(repeated) {
                    *tested += repeated;
                }
                self.longest = Vec::new();
                self.tested[index] += 1;
            }
            _ => {
                if self.restarts && self.longest.len() < Self::REMEMBERED {
                    self.longest.push(byte);
                }
                self.tested[index] += 1;
            }
        }
        self.at += 1;
    }

    fn summary(&self) -> RandomSummary {
        let tested: u64 = self.tested.iter().sum();
        let repeated: u64 = self.repeated.iter().sum();
        let expected = tested as f64 / 256.0;
        let chi_square: f64 = self
            .tested
            .iter()
            .map(|&count| (count as f64 - expected).powi(2) / expected)
            .sum();
        RandomSummary {
            draws: tested + repeated,
            repeated,
            p_value: (tested >= ENOUGH)
                .then(|| ChiSquared::new(255.0).map_or(f64::NAN, |chi| chi.sf(chi_square))),
        }
    }
}

/// Intervals between selections, in operations.
#[derive(Clone, Debug)]
struct IntervalTally {
    ernd: bool,
    /// PMSIRR_EL1 at the start of the cycle.
    pmsirr: u64,
    /// Members of the sample population while profiling was enabled.
    operations: u64,
    /// The operation that was selected last, and how many have been since something else than counting happened.
    last: Option<(u64, u32)>,
    modes: [Mode; 3],
}

/// The intervals of a mode: RND = 0; RND without FEAT_SPE_ERnd; RND with it.
#[derive(Clone, Copy, Debug, Default)]
struct Mode {
    count: u64,
    sum: u64,
    /// Of INTERVAL * 256 of each.
    base: u64,
    /// Sums of what is over INTERVAL * 256, and of its square.
    over: f64,
    square: f64,
}

impl IntervalTally {
    fn new(ernd: bool) -> Self {
        Self {
            ernd,
            pmsirr: 0,
            operations: 0,
            last: None,
            modes: [Mode::default(); 3],
        }
    }

    fn mode(&self) -> usize {
        match (self.pmsirr & RND != 0, self.ernd) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 2,
        }
    }

    /// The next selection begins anew.
    fn forget(&mut self) {
        self.last = None;
    }

    /// The selections of a cycle, before its operations are added.
    fn select(&mut self, expected: &CycleOutput) {
        if expected.selected == 0 {
            return;
        }
        let now = self.operations + u64::from(expected.first_selected);
        let interval = self.pmsirr >> 8 & 0xFF_FFFF;
        // Of several only the place of the first is told; INTERVAL = 0 has no interval (SPE-29).
        if expected.selected > 1 || interval == 0 {
            self.forget();
            return;
        }
        let mode = self.mode();
        // With FEAT_SPE_ERnd the interval that ends here was loaded up to 255 operations before the last
        // selection: perhaps before PMSIRR_EL1 was written.
        let since = u32::from(mode == 2);
        if let Some((last, selections)) = self.last
            && selections > since
        {
            let measured = now - last;
            let over = measured as f64 - 256.0 * interval as f64;
            let mode = &mut self.modes[mode];
            mode.count += 1;
            mode.sum += measured;
            mode.base += 256 * interval;
            mode.over += over;
            mode.square += over * over;
        }
        let selections = self.last.map_or(0, |(_, selections)| selections);
        self.last = Some((now, selections.saturating_add(1)));
    }

    /// A write of a register.
    fn write(&mut self, input: &CycleInput) {
        if input.access_address == PMSIRR {
            self.pmsirr = input.access_data;
            self.forget();
        } else if input.access_address == PMSICR {
            self.forget();
        }
    }

    fn summary(&self, random: &RandomSummary) -> Vec<IntervalSummary> {
        // SPE-24, A-SPE-13.
        let modes = [
            ("RND = 0", 1.0),
            ("RND = 1", 128.5),
            ("RND = 1, with FEAT_SPE_ERnd", 1.0),
        ];
        modes
            .into_iter()
            .zip(&self.modes)
            .filter(|(_, tally)| tally.count > 0)
            .map(|((mode, over), tally)| {
                let count = tally.count as f64;
                let mean_over = tally.over / count;
                let variance = (tally.square / count - mean_over.powi(2)).max(0.0);
                // Intervals made of repeated bytes are repeated too.
                let independent = match (random.draws, random.repeated) {
                    (0, _) => count,
                    (draws, repeated) => count * (draws - repeated) as f64 / draws as f64,
                };
                IntervalSummary {
                    mode,
                    intervals: tally.count,
                    mean: tally.sum as f64 / count,
                    expected: tally.base as f64 / count + over,
                    standard_error: (independent >= 2.0)
                        .then(|| (variance / (independent - 1.0).max(1.0)).sqrt()),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use pmu_model::spe::{Config, Input, Profiler, Selected};

    use super::*;

    /// A profiler whose cycles are tallied.
    struct Run {
        profiler: Profiler,
        tally: SamplingTally,
        state: u64,
    }

    impl Run {
        fn new(ernd: bool) -> Self {
            let config = Config {
                ernd,
                ..Config::default()
            };
            Self {
                profiler: Profiler::new(&config).unwrap(),
                tally: SamplingTally::new(ernd),
                state: 1,
            }
        }

        /// xorshift64*, its high bits.
        fn random(&mut self) -> u8 {
            self.state ^= self.state >> 12;
            self.state ^= self.state << 25;
            self.state ^= self.state >> 27;
            (self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 56) as u8
        }

        fn cycle(&mut self, input: &CycleInput) {
            let random = [self.random()];
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
            for cycle in 0..cycles {
                self.cycle(&CycleInput {
                    operations: (cycle % 16) as u8,
                    profiling: u8::from(cycle % 1000 >= 10),
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
            assert_eq!(mode.standard_error, Some(0.0));
        }
    }

    #[test]
    fn spe_24_means_with_rnd() {
        for (ernd, over) in [(false, 128.5), (true, 1.0)] {
            let mut run = Run::new(ernd);
            for interval in [1, 2, 3, 4] {
                run.write(PMSICR, 0);
                run.write(PMSIRR, interval << 8 | RND);
                run.sample(500_000);
            }
            let mode = run.mode();
            let error = mode.standard_error.unwrap();
            assert!(mode.intervals > 20_000 && error < 1.0, "{mode:?}");
            assert!((mode.mean - mode.expected).abs() < 4.0 * error, "{mode:?}");
            let base = mode.expected - over;
            assert!((256.0..=1024.0).contains(&base), "{mode:?}");
            let random = run.tally.summary().random;
            assert_eq!(random.repeated, 0);
            assert!(random.p_value.unwrap() > 0.001, "{random:?}");
        }
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
    fn too_few_bytes_are_not_judged_and_uneven_ones_are() {
        let mut random = RandomTally::default();
        for byte in (0..=255).cycle().take(1279) {
            random.draw(byte);
        }
        assert_eq!(random.summary().p_value, None);
        random.draw(255);
        // Five in every bin: nothing is more even.
        assert_eq!(random.summary().p_value, Some(1.0));
        for _ in 0..200 {
            random.draw(7);
        }
        assert!(random.summary().p_value.unwrap() < 1e-6);
    }

    #[test]
    fn bytes_that_a_reset_repeats_are_no_evidence() {
        let mut random = RandomTally::default();
        for stretch in [3, 5, 4] {
            random.restart();
            [10, 20, 30, 40, 50][..stretch]
                .iter()
                .for_each(|&byte| random.draw(byte));
        }
        let summary = random.summary();
        assert_eq!((summary.draws, summary.repeated), (12, 7));
        // A generator that goes on over resets has repeated by chance only.
        random.restart();
        random.draw(10);
        random.draw(99);
        let summary = random.summary();
        assert_eq!((summary.draws, summary.repeated), (14, 0));
        random.restart();
        random.draw(10);
        assert_eq!(random.summary().repeated, 0);
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
            },
            intervals: vec![IntervalSummary {
                mode: "RND = 1",
                intervals: 9,
                mean: 380.25,
                expected: 384.5,
                standard_error: Some(24.6),
            }],
        };
        assert_eq!(
            summary.lines(),
            [
                "sampling: 12 selections, 3 collisions; 1500 random bytes, 20 of them repetitions after a reset: \
                 chi-square p = 0.2500",
                "  RND = 1: mean of 9 intervals 380.25 operations, expected 384.50, standard error 24.60",
            ]
        );
    }
}
