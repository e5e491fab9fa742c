//! How far apart selections are (SPE-24).
//!
//! Software, resets and the end of the run cut intervals short, long ones more often than short ones: the mean of those
//! that are left would be too small. Hence an interval counts only if nothing cuts it for as long as one of the same
//! INTERVAL with any random byte could last. When that is known does not depend on its own byte, so that the mean of
//! those that count is that of all. Intervals of bytes that a reset repeats do not count either.

use pmu_model::{CycleInput, CycleOutput};
use serde::Serialize;

use super::{PMSICR, PMSIRR};

/// PMSIRR_EL1.RND.
const RND: u64 = 1;

/// The most that a byte adds.
const BYTE: u64 = 255;

/// Variance of a uniform byte, (256^2 - 1) / 12.
const VARIANCE: f64 = 65535.0 / 12.0;

/// Intervals of random length below which their mean is not judged.
const FEW: u64 = 30;

/// Standard errors that a mean may be off.
const OFF: f64 = 3.0;

/// Intervals between two selections, in members of the sample population, while PMSIRR_EL1 and PMSICR_EL1 are not
/// written. Those that repeated bytes make are left out, and those that could have been cut short.
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
    /// Standard error of the mean, if the bytes are uniform and independent; 0 for RND = 0.
    pub standard_error: f64,
    /// Whether SPE-24 holds: for RND = 0 in every interval, else if the mean is within three standard errors of the one
    /// expected. None if there are too few intervals to tell.
    pub holds: Option<bool>,
}

impl IntervalSummary {
    pub(super) fn text(&self) -> String {
        let Self {
            mode,
            intervals,
            mean,
            expected,
            standard_error,
            ..
        } = self;
        let is_exact = *standard_error == 0.0;
        let judged = match self.holds {
            Some(true) if is_exact => "every one as expected",
            Some(false) if is_exact => "NOT every one as expected",
            Some(true) => "within 3 standard errors",
            Some(false) => "NOT within 3 standard errors",
            None => "too few to judge",
        };
        let error = if is_exact {
            String::new()
        } else {
            format!(", standard error {standard_error:.2}")
        };
        format!(
            "{mode}: mean of {intervals} intervals {mean:.2} operations, expected {expected:.2}{error}: {judged}"
        )
    }
}

/// What decides how long an interval is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// RND = 0: nothing but INTERVAL.
    Exact,
    /// RND without FEAT_SPE_ERnd: the byte loaded at its start.
    Before,
    /// RND with FEAT_SPE_ERnd: the byte drawn before its start, and the one before its end.
    After,
}

/// Intervals between selections, in operations.
#[derive(Clone, Debug)]
pub(super) struct IntervalTally {
    ernd: bool,
    /// PMSIRR_EL1 at the start of the cycle.
    pmsirr: u64,
    /// Members of the sample population while profiling was enabled: number of the first of the cycle.
    pub(super) operations: u64,
    draws: u64,
    /// The draw before the last one and the last one, since something else than counting happened.
    drawn: [Option<Draw>; 2],
    /// The last selection since then.
    last: Option<Selection>,
    /// Intervals that have ended, but with other bytes might not have.
    pending: Vec<Interval>,
    sums: [Sum; 3],
}

/// A draw.
#[derive(Clone, Copy, Debug)]
struct Draw {
    /// Number of the draw.
    number: u64,
    /// Number of the operation that COUNT is zero for.
    at: u64,
    is_new: bool,
}

/// A selection.
#[derive(Clone, Copy, Debug)]
struct Selection {
    /// Number of the operation.
    at: u64,
    /// The draw that made it, with FEAT_SPE_ERnd; or that it made, without.
    draw: Option<Draw>,
}

/// An interval that has ended.
#[derive(Clone, Copy, Debug)]
struct Interval {
    mode: Mode,
    /// INTERVAL * 256.
    base: u64,
    measured: u64,
    /// The last operation that an interval with other bytes could have ended at.
    latest: u64,
    /// Number of the draw at its start.
    draw: u64,
}

/// The intervals of a mode.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    count: u64,
    measured: u64,
    base: u64,
    /// Intervals other than INTERVAL * 256 + 1.
    other: u64,
    /// Variance of the sum of all, in those of a byte.
    bytes: u64,
    /// Number of the draw at the end of the last one.
    draw: Option<u64>,
}

impl Sum {
    fn enter(&mut self, interval: &Interval) {
        self.count += 1;
        self.measured += interval.measured;
        self.base += interval.base;
        self.other += u64::from(interval.measured != interval.base + 1);
        match interval.mode {
            Mode::Exact => {}
            Mode::Before => self.bytes += 1,
            Mode::After => {
                // What a byte adds to an interval it takes from the next one: of successive intervals only the first
                // and the last byte are left.
                if self.draw != Some(interval.draw) {
                    self.bytes += 2;
                }
                self.draw = Some(interval.draw + 1);
            }
        }
    }

    fn summary(&self, mode: Mode) -> IntervalSummary {
        let count = self.count as f64;
        // SPE-24, A-SPE-13.
        let (mode_in_words, over) = match mode {
            Mode::Exact => ("RND = 0", 1.0),
            Mode::Before => ("RND = 1", 128.5),
            Mode::After => ("RND = 1, with FEAT_SPE_ERnd", 1.0),
        };
        let mean = self.measured as f64 / count;
        let expected = self.base as f64 / count + over;
        let standard_error = (VARIANCE * self.bytes as f64).sqrt() / count;
        let holds = match mode {
            Mode::Exact => Some(self.other == 0),
            _ => (self.count >= FEW).then(|| {
                let off = self.measured as f64 - self.base as f64 - over * count;
                off.abs() <= OFF * standard_error * count
            }),
        };
        IntervalSummary {
            mode: mode_in_words,
            intervals: self.count,
            mean,
            expected,
            standard_error,
            holds,
        }
    }
}

impl IntervalTally {
    pub(super) fn new(ernd: bool) -> Self {
        Self {
            ernd,
            pmsirr: 0,
            operations: 0,
            draws: 0,
            drawn: [None; 2],
            last: None,
            pending: Vec::new(),
            sums: [Sum::default(); 3],
        }
    }

    fn mode(&self) -> Mode {
        match (self.pmsirr & RND != 0, self.ernd) {
            (false, _) => Mode::Exact,
            (true, false) => Mode::Before,
            (true, true) => Mode::After,
        }
    }

    /// INTERVAL * 256.
    fn base(&self) -> u64 {
        256 * (self.pmsirr >> 8 & 0xFF_FFFF)
    }

    /// The next selection begins anew.
    pub(super) fn forget(&mut self) {
        self.settle();
        self.pending.clear();
        self.drawn = [None; 2];
        self.last = None;
    }

    /// A reset.
    pub(super) fn reset(&mut self) {
        self.forget();
        self.pmsirr = 0;
    }

    /// Counts the intervals that nothing can cut any more.
    fn settle(&mut self) {
        let (operations, sums) = (self.operations, &mut self.sums);
        self.pending.retain(|interval| {
            let is_settled = interval.latest < operations;
            if is_settled {
                sums[interval.mode as usize].enter(interval);
            }
            !is_settled
        });
    }

    /// Profiling becomes enabled, with PMSICR_EL1 zero or not.
    pub(super) fn enable(&mut self, is_zero: bool) {
        self.settle();
        // SPE-10: zero is loaded, so that the interval begins anew. Without FEAT_SPE_ERnd the byte decides whether it is
        // zero now: had it been another one, it might have been.
        let could_be_zero = self.mode() == Mode::Before
            && (!self.pending.is_empty()
                || self
                    .last
                    .is_some_and(|last| self.operations > last.at + self.base()));
        if is_zero || could_be_zero {
            self.forget();
        }
    }

    /// A byte is drawn in a cycle that COUNT is `count` at the start of.
    pub(super) fn draw(&mut self, count: u32, is_new: bool) {
        self.draws += 1;
        let draw = Draw {
            number: self.draws,
            at: self.operations + u64::from(count),
            is_new,
        };
        self.drawn = [self.drawn[1], Some(draw)];
    }

    /// The selections of a cycle, after its draw, before its operations are added.
    pub(super) fn select(&mut self, expected: &CycleOutput) {
        if expected.selected == 0 {
            return;
        }
        self.settle();
        let (mode, base) = (self.mode(), self.base());
        // Of several only the place of the first is told; INTERVAL = 0 has no interval (SPE-29).
        if expected.selected > 1 || base == 0 {
            self.forget();
            return;
        }
        let at = self.operations + u64::from(expected.first_selected);
        // COUNT may be zero again in the cycle that ECOUNT is in, after the selection.
        let drawn = self.drawn.into_iter().flatten();
        let now = Selection {
            at,
            draw: drawn.rev().find(|draw| draw.at <= at),
        };
        if let Some(interval) = self.last.and_then(|last| since(last, now, mode, base)) {
            self.pending.push(interval);
        }
        self.last = Some(now);
    }

    /// A write of a register.
    pub(super) fn write(&mut self, input: &CycleInput) {
        if input.access_address == PMSIRR {
            self.forget();
            self.pmsirr = input.access_data;
        } else if input.access_address == PMSICR {
            self.forget();
        }
    }

    /// Every mode that there are intervals of.
    pub(super) fn summary(&self) -> Vec<IntervalSummary> {
        let mut settled = self.clone();
        settled.settle();
        [Mode::Exact, Mode::Before, Mode::After]
            .into_iter()
            .map(|mode| (mode, settled.sums[mode as usize]))
            .filter(|(_, sum)| sum.count > 0)
            .map(|(mode, sum)| sum.summary(mode))
            .collect()
    }
}

/// The interval from `last` to `now`, if it counts.
fn since(last: Selection, now: Selection, mode: Mode, base: u64) -> Option<Interval> {
    let measured = now.at.checked_sub(last.at)?;
    let (latest, draw) = match mode {
        Mode::Exact => (now.at, 0),
        Mode::Before => {
            let draw = last.draw.filter(|draw| draw.is_new)?;
            (last.at + base + 1 + BYTE, draw.number)
        }
        Mode::After => {
            let (first, second) = (last.draw?, now.draw?);
            let follows = second.number == first.number + 1 && first.is_new && second.is_new;
            (follows).then_some((first.at + base + 1 + BYTE, first.number))?
        }
    };
    Some(Interval {
        mode,
        base,
        measured,
        latest,
        draw,
    })
}
