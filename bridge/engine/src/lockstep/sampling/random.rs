//! Whether the random bytes that the design draws are uniform and independent of each other (D17.3.2).

use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// New bytes below which nothing but a repetition is judged.
const FEW: u64 = 40;

/// New bytes from which every value is counted, five of each: below, only the bits are.
const MANY: u64 = 5 * 256;

/// Bytes of a probability below this are not uniform.
const SUSPECT: f64 = 1e-6;

/// Bytes of a probability below this are beyond doubt: one of so many fair runs shows such.
const BEYOND_DOUBT: f64 = 1e-9;

/// Tests of which the smallest probability is taken.
const TESTS: f64 = 3.0;

/// The random bytes that the design drew.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RandomSummary {
    /// Draws.
    pub draws: u64,
    /// Draws that repeat what was drawn after an earlier reset, and draws whose byte no output shows: they are not
    /// tested.
    pub repeated: u64,
    /// Probability of bytes as uneven as the others, or as regular, if all values are equally likely and independent:
    /// the smallest of the tests', times their number. None if there are too few to judge.
    pub p_value: Option<f64>,
    /// Whether they are uniform as far as that probability tells: it is at least 1e-6.
    pub uniform: Option<bool>,
    /// The period that the last bytes repeat with, if they do so beyond chance.
    pub period: Option<u64>,
    /// What is wrong with the generator, if there is no doubt: that probability is below 1e-9.
    pub defect: Option<RandomDefect>,
}

/// What is wrong with a random number generator beyond doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RandomDefect {
    /// All its bytes are the same.
    Dead {
        /// The byte.
        byte: u8,
    },
    /// After a while, all its bytes are the same.
    Stuck {
        /// The byte.
        byte: u8,
    },
    /// Its bytes repeat.
    Periodic {
        /// The period, in bytes.
        period: u64,
    },
    /// Its bytes are unevenly spread, too evenly, or depend on each other.
    Biased,
}

impl RandomSummary {
    /// What is wrong beyond doubt, in a line.
    pub(super) fn finding(&self) -> Option<String> {
        let what = match self.defect? {
            RandomDefect::Dead { byte } => format!("DEAD: every byte is {byte:#04x}"),
            RandomDefect::Stuck { byte } => format!("DEAD in the end: every byte is {byte:#04x}"),
            RandomDefect::Periodic { period } => {
                format!("NOT RANDOM: its bytes repeat with period {period}")
            }
            RandomDefect::Biased => {
                "NOT RANDOM: its bytes are biased, or depend on each other".into()
            }
        };
        let p = match self.p_value {
            Some(p) if p >= 1e-300 => format!("p = {p:.1e}"),
            _ => "p < 1e-300".into(),
        };
        let bytes = self.draws - self.repeated;
        Some(format!(
            "the random number generator is {what} ({bytes} bytes, {p})"
        ))
    }

    pub(super) fn text(&self) -> String {
        let Self {
            draws, repeated, ..
        } = self;
        let of_what = if *repeated > 0 {
            let new = draws - repeated;
            format!(
                "{draws} random bytes, {repeated} of them repetitions after a reset, the other {new}"
            )
        } else {
            format!("{draws} random bytes")
        };
        let judged = match (self.p_value, self.uniform) {
            (Some(p), Some(true)) => format!("uniform (p = {p:.4})"),
            (Some(p), _) => {
                let period = self.period.map_or(String::new(), |period| {
                    format!(", the last ones repeat with period {period}")
                });
                format!("NOT uniform (p = {p:.1e}{period})")
            }
            (None, _) => "too few to judge".into(),
        };
        format!("{of_what}: {judged}")
    }
}

/// The bytes drawn.
///
/// A generator that each reset restarts repeats its bytes: such repetitions are no new evidence, and are left out as
/// long as what each stretch from reset to reset tells is what the others told. The new ones are tested for their
/// values, for the differences between successive ones, and for a period.
#[derive(Clone, Debug)]
pub(super) struct RandomTally {
    draws: u64,
    /// How often each value is new.
    values: [u64; 256],
    /// How often a new byte is that much more than the new one before, modulo 256.
    differences: [u64; 256],
    /// The last new bytes, the byte number *k* at *k* modulo [`Self::REMEMBERED`].
    last: Vec<u8>,
    new: u64,
    /// The bytes after a reset, as far as they have been told: of several in a cycle only the first is.
    told: Vec<Option<u8>>,
    /// Bytes of the longest stretch.
    longest: usize,
    /// Bytes drawn since the reset.
    at: usize,
    restarts: bool,
}

impl Default for RandomTally {
    fn default() -> Self {
        Self {
            draws: 0,
            values: [0; 256],
            differences: [0; 256],
            last: Vec::new(),
            new: 0,
            told: Vec::new(),
            longest: 0,
            at: 0,
            restarts: true,
        }
    }
}

impl RandomTally {
    /// Bytes that are remembered of a stretch. A generator that was restarted for so many is taken to be for the rest.
    const REMEMBERED: usize = 1 << 16;

    pub(super) fn restart(&mut self) {
        self.at = 0;
    }

    /// A cycle with draws, and the first byte.
    ///
    /// # Returns
    /// Whether the byte is no repetition.
    pub(super) fn draw(&mut self, byte: u8, drawn: u8) -> bool {
        let at = self.at;
        self.at += usize::from(drawn);
        self.draws += u64::from(drawn);
        if self.restarts {
            match self.told.get(at) {
                Some(Some(before)) if *before == byte => return false,
                // The generator goes on over resets: what looked like repetitions was chance.
                Some(Some(_)) => (self.restarts, self.told) = (false, Vec::new()),
                None if at >= Self::REMEMBERED && at < self.longest => return false,
                Some(None) | None => self.remember(at, byte),
            }
            self.longest = self.longest.max(self.at);
        }
        self.enter(byte);
        true
    }

    fn remember(&mut self, at: usize, byte: u8) {
        if at < Self::REMEMBERED {
            self.told.resize(self.told.len().max(at + 1), None);
            self.told[at] = Some(byte);
        }
    }

    fn enter(&mut self, byte: u8) {
        let place = self.new as usize % Self::REMEMBERED;
        self.values[usize::from(byte)] += 1;
        if self.new > 0 {
            let before = (self.new - 1) as usize % Self::REMEMBERED;
            let difference = byte.wrapping_sub(self.last[before]);
            self.differences[usize::from(difference)] += 1;
        }
        match self.last.get_mut(place) {
            Some(oldest) => *oldest = byte,
            None => self.last.push(byte),
        }
        self.new += 1;
    }

    pub(super) fn summary(&self) -> RandomSummary {
        let (period, repetition) = self.repetition();
        let repetition = (TESTS * repetition).min(1.0);
        let p_value = if self.new >= FEW {
            let uneven = unevenness(&self.values).min(unevenness(&self.differences));
            Some((TESTS * uneven).min(repetition))
        } else {
            (repetition < SUSPECT).then_some(repetition)
        };
        let period = (repetition < SUSPECT).then_some(period);
        RandomSummary {
            draws: self.draws,
            repeated: self.draws - self.new,
            p_value,
            uniform: p_value.map(|p| p >= SUSPECT),
            period,
            defect: p_value
                .filter(|&p| p < BEYOND_DOUBT)
                .map(|_| self.defect(period.filter(|_| repetition < BEYOND_DOUBT))),
        }
    }

    /// What is wrong with bytes that are no fair generator's; `period` is the one that they repeat with beyond doubt.
    fn defect(&self, period: Option<u64>) -> RandomDefect {
        let last = (self.new as usize).wrapping_sub(1) % Self::REMEMBERED;
        let byte = self.last.get(last).copied().unwrap_or_default();
        match period {
            Some(1) if self.values[usize::from(byte)] == self.new => RandomDefect::Dead { byte },
            Some(1) => RandomDefect::Stuck { byte },
            Some(period) => RandomDefect::Periodic { period },
            None => RandomDefect::Biased,
        }
    }

    /// The distance that the last bytes are repeated at for longest, and the probability that there is one of so many
    /// bytes: *m* bytes are those before them at one distance with a probability of 256^-*m*.
    fn repetition(&self) -> (u64, f64) {
        let oldest = self.new as usize % Self::REMEMBERED;
        let (newer, older) = self.last.split_at(oldest.min(self.last.len()));
        let mut bytes: Vec<u8> = older.iter().chain(newer).copied().collect();
        bytes.reverse();
        let (period, same) = longest_repetition(&bytes);
        if same == 0 {
            return (0, 1.0);
        }
        let exponent = i32::try_from(same).unwrap_or(i32::MAX);
        let p = bytes.len() as f64 * 256f64.powi(-exponent);
        (period as u64, p.min(1.0))
    }
}

/// The distance from the start at which most bytes are those at the start, and how many are; the shortest such one. The
/// lengths are those of the Z-algorithm.
fn longest_repetition(bytes: &[u8]) -> (usize, usize) {
    let mut lengths = vec![0; bytes.len()];
    // The stretch that is known to be the same as the start, and goes on farthest.
    let (mut from, mut to) = (0, 0);
    let mut best = (0, 0);
    for at in 1..bytes.len() {
        let mut length = if at < to {
            lengths[at - from].min(to - at)
        } else {
            0
        };
        while at + length < bytes.len() && bytes[length] == bytes[at + length] {
            length += 1;
        }
        if at + length > to {
            (from, to) = (at, at + length);
        }
        lengths[at] = length;
        if length > best.1 {
            best = (at, length);
        }
    }
    best
}

/// Probability of bytes as uneven as `counts`, if all values are equally likely. With [`MANY`] it is that of chi-square
/// over the values, too even ones being as improbable as too uneven ones; with fewer that of the eight bits, which are
/// ones in half of the bytes.
fn unevenness(counts: &[u64; 256]) -> f64 {
    let bytes: u64 = counts.iter().sum();
    if bytes >= MANY {
        let expected = bytes as f64 / 256.0;
        let deviations = counts.iter().map(|&count| count as f64 - expected);
        let chi_square: f64 = deviations.map(|d| d.powi(2) / expected).sum();
        let (below, above) = tails(255.0, chi_square);
        (2.0 * below.min(above)).min(1.0)
    } else {
        let ones = |bit: usize| -> u64 {
            let with = counts.iter().enumerate();
            with.filter(|(value, _)| value >> bit & 1 == 1)
                .map(|(_, count)| count)
                .sum()
        };
        let deviations = (0..8).map(|bit| 2.0 * ones(bit) as f64 - bytes as f64);
        let chi_square: f64 = deviations.map(|d| d.powi(2) / bytes as f64).sum();
        tails(8.0, chi_square).1
    }
}

/// Probabilities of at most, and of more than, `value`.
fn tails(freedom: f64, value: f64) -> (f64, f64) {
    ChiSquared::new(freedom).map_or((f64::NAN, f64::NAN), |chi| (chi.cdf(value), chi.sf(value)))
}

/// A fair generator for tests: xorshift64*, its high bits.
#[cfg(test)]
pub(super) fn fair(seed: u64) -> impl FnMut() -> u8 {
    let mut state = seed;
    move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 56) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The summary of so many bytes.
    fn of(count: u64, mut byte: impl FnMut() -> u8) -> RandomSummary {
        let mut random = RandomTally::default();
        for _ in 0..count {
            random.draw(byte(), 1);
        }
        random.summary()
    }

    #[test]
    fn fair_bytes_are_uniform_and_their_probabilities_are_spread() {
        for count in [40, 146, 1279, 1280, 5000, 100_000] {
            let values: Vec<_> = (1..=40)
                .map(|seed| {
                    let summary = of(count, fair(seed));
                    assert_eq!(summary.uniform, Some(true), "{count}: {summary:?}");
                    assert_eq!((summary.repeated, summary.period), (0, None));
                    assert_eq!((summary.defect, summary.finding()), (None, None));
                    summary.p_value.unwrap()
                })
                .collect();
            // Twice the smaller of two is below 0.05 in a twentieth of all cases.
            let small = values.iter().filter(|&&p| p < 0.05).count();
            assert!(small <= 8, "{count}: {values:?}");
            assert!(values.iter().any(|&p| p > 0.5), "{count}: {values:?}");
        }
    }

    #[test]
    fn too_few_bytes_are_not_judged() {
        let summary = of(39, fair(1));
        assert_eq!((summary.p_value, summary.uniform), (None, None));
        assert_eq!(of(0, || 0).p_value, None);
    }

    #[test]
    fn a_stuck_generator_is_found() {
        for count in [8, 39, 200, 5000] {
            let summary = of(count, || 0xA5);
            assert_eq!(summary.uniform, Some(false), "{summary:?}");
            assert_eq!(summary.period, Some(1));
            assert_eq!(summary.defect, Some(RandomDefect::Dead { byte: 0xA5 }));
            let finding = summary.finding().unwrap();
            let expected = "the random number generator is DEAD: every byte is 0xa5";
            assert!(finding.starts_with(expected), "{finding}");
        }
        // Stuck after a while.
        let (mut byte, mut left) = (fair(1), 20_000);
        let summary = of(20_030, || {
            left -= 1;
            if left >= 0 { byte() } else { 7 }
        });
        assert_eq!((summary.uniform, summary.period), (Some(false), Some(1)));
        assert_eq!(summary.defect, Some(RandomDefect::Stuck { byte: 7 }));
    }

    #[test]
    fn spe_30_a_few_bytes_that_repeat_leave_a_doubt() {
        // Four zeros are a suspicion, six are none any more.
        let defect = |count| of(count, || 0).defect;
        assert_eq!(defect(4), None);
        assert_eq!(defect(6), Some(RandomDefect::Dead { byte: 0 }));
    }

    #[test]
    fn a_short_period_is_found_even_if_all_values_are_as_frequent() {
        for period in [2, 7, 255, 1000, 30_000] {
            let mut byte = fair(1);
            let bytes: Vec<_> = (0..period).map(|_| byte()).collect();
            let mut bytes = bytes.iter().cycle();
            let summary = of(period + 20, || *bytes.next().unwrap());
            assert_eq!(summary.uniform, Some(false), "{period}: {summary:?}");
            assert_eq!(summary.period, Some(period));
            assert_eq!(summary.defect, Some(RandomDefect::Periodic { period }));
        }
        // Of a period beyond what is remembered.
        let mut byte = fair(1);
        let bytes: Vec<_> = (0..70_000).map(|_| byte()).collect();
        let mut bytes = bytes.iter().cycle();
        let summary = of(8_000_000, || *bytes.next().unwrap());
        assert_eq!((summary.uniform, summary.period), (Some(false), None));
        assert_eq!(summary.defect, Some(RandomDefect::Biased));
    }

    #[test]
    fn a_counter_is_found() {
        for count in [45, 200, 5000] {
            let mut byte = 0u8;
            let summary = of(count, || {
                byte = byte.wrapping_add(77);
                byte
            });
            assert_eq!(summary.uniform, Some(false), "{summary:?}");
        }
    }

    /// Each value once, in any order, then each once again.
    #[test]
    fn bytes_that_are_too_even_are_found() {
        let mut random = fair(1);
        let mut deck: Vec<u8> = Vec::new();
        let summary = of(5120, || {
            if deck.is_empty() {
                deck = (0..=255).collect();
            }
            let place = usize::from(random()) % deck.len();
            deck.swap_remove(place)
        });
        assert_eq!(summary.uniform, Some(false), "{summary:?}");
        assert_eq!(summary.period, None);
    }

    #[test]
    fn a_bias_is_found() {
        // The top bit is a one in three of four.
        let mut byte = fair(1);
        let summary = of(300, || byte() | byte() & 0x80);
        assert_eq!(summary.uniform, Some(false), "{summary:?}");
        // Zero is never drawn.
        let mut byte = fair(1);
        let summary = of(50_000, || byte().max(1));
        assert_eq!(summary.uniform, Some(false), "{summary:?}");
        // The sum of two dice.
        let mut byte = fair(1);
        let summary = of(1280, || byte() / 2 + byte() / 2);
        assert_eq!(summary.uniform, Some(false), "{summary:?}");
        // Half of the bytes are the one before.
        let (mut byte, mut last) = (fair(1), 0);
        let summary = of(2000, || {
            last = if byte() < 128 { last } else { byte() };
            last
        });
        assert_eq!(summary.uniform, Some(false), "{summary:?}");
    }

    #[test]
    fn bytes_that_a_reset_repeats_are_no_evidence() {
        let mut random = RandomTally::default();
        let stretch = |random: &mut RandomTally, bytes: &[(u8, u8)]| {
            random.restart();
            for &(byte, drawn) in bytes {
                random.draw(byte, drawn);
            }
            let summary = random.summary();
            (summary.draws, summary.repeated)
        };
        // 10, 20, 30, 40, 50, of which only the first of a cycle is told.
        assert_eq!(stretch(&mut random, &[(10, 1), (20, 1), (30, 1)]), (3, 0));
        assert_eq!(stretch(&mut random, &[(10, 3), (40, 1), (50, 1)]), (8, 3));
        assert_eq!(stretch(&mut random, &[(10, 1), (20, 2), (40, 1)]), (12, 7));
        assert_eq!(stretch(&mut random, &[(10, 4), (50, 1), (60, 1)]), (18, 12));
        assert_eq!(random.values.iter().sum::<u64>(), 6);
        // A generator that goes on over resets has repeated by chance only.
        assert_eq!(stretch(&mut random, &[(10, 1), (99, 1)]), (20, 13));
        assert_eq!(stretch(&mut random, &[(10, 1)]), (21, 13));
    }

    #[test]
    fn repetitions_do_not_make_bytes_uneven() {
        for length in [100, 2000, RandomTally::REMEMBERED as u64 + 3000] {
            let mut random = RandomTally::default();
            for _ in 0..20 {
                let mut byte = fair(1);
                random.restart();
                for _ in 0..length {
                    random.draw(byte(), 1);
                }
            }
            let summary = random.summary();
            assert_eq!(summary.draws - summary.repeated, length);
            assert_eq!(summary.p_value, of(length, fair(1)).p_value);
            assert_eq!(summary.uniform, Some(true));
        }
    }

    #[test]
    fn a_generator_that_resets_do_not_touch_is_tested_whole() {
        let mut random = RandomTally::default();
        let mut byte = fair(1);
        for _ in 0..100 {
            random.restart();
            for _ in 0..50 {
                random.draw(byte(), 1);
            }
        }
        let summary = random.summary();
        assert!(summary.repeated <= 1, "{summary:?}");
        assert_eq!(summary.uniform, Some(true));
    }

    #[test]
    fn a_generator_that_every_reset_leaves_stuck_is_found() {
        let mut random = RandomTally::default();
        for length in 0..20 {
            random.restart();
            for _ in 0..length {
                random.draw(3, 1);
            }
        }
        let summary = random.summary();
        assert_eq!((summary.uniform, summary.period), (Some(false), Some(1)));
    }
}
