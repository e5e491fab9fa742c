//! The history as small drawings, one for each number.

use lockstep_report::{counted, grouped};

use crate::history::Entry;

/// Width and height of the area that values are drawn in.
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 60.0;
/// The widest that a value is drawn.
const WIDEST: f64 = 24.0;

/// A number over the history.
pub(super) struct Plot {
    /// What it is.
    pub title: &'static str,
    /// Class of its values in the style.
    pub class: &'static str,
    /// The last value, in words.
    pub now: String,
    /// The value at the top edge.
    pub top: String,
    /// The value at the bottom edge.
    pub bottom: String,
    /// Values that there are, from the oldest on.
    pub bars: Vec<Bar>,
}

/// A value: a rectangle that stands on the bottom edge.
pub(super) struct Bar {
    pub x: String,
    pub y: String,
    pub width: String,
    pub height: String,
    /// The value with its day.
    pub words: String,
}

/// A number of an entry, if it has it, and the same in words.
type Value = (f64, String);

/// The drawings of a history; none of one entry alone.
pub(super) fn plots(history: &[Entry]) -> Vec<Plot> {
    if history.len() < 2 {
        return Vec::new();
    }
    let failed = |entry: &Entry| {
        let words = format!(
            "{} of {}, in {}",
            grouped(entry.failed as u64),
            counted(entry.runs as u64, "run"),
            counted(entry.kinds as u64, "way")
        );
        Some((entry.failed as f64, words))
    };
    let cycles = |entry: &Entry| {
        let words = format!(
            "{} in {}",
            counted(entry.cycles, "cycle"),
            counted(entry.runs as u64, "run")
        );
        Some((entry.cycles as f64, words))
    };
    let rules = |entry: &Entry| {
        let rules = entry.rules?;
        let words = format!("{} of {} rules", rules.hit, rules.of);
        Some((rules.hit as f64 / rules.of.max(1) as f64, words))
    };
    let number = |value: f64| grouped(value as u64);
    let percent = |value: f64| format!("{} %", (100.0 * value).floor());
    let all = [
        plot("failed runs", "failed", history, None, failed, number),
        plot("cycles compared", "cycles", history, None, cycles, number),
        plot("rules taken", "rules", history, Some(1.0), rules, percent),
    ];
    all.into_iter().flatten().collect()
}

/// One drawing, from 0 to `whole`, or to the largest value; none without a value.
fn plot(
    title: &'static str,
    class: &'static str,
    history: &[Entry],
    whole: Option<f64>,
    value: impl Fn(&Entry) -> Option<Value>,
    edge: impl Fn(f64) -> String,
) -> Option<Plot> {
    let values: Vec<_> = history.iter().map(value).collect();
    let largest = values.iter().flatten().map(|(value, _)| *value);
    let top = whole.unwrap_or(largest.fold(0.0, f64::max));
    // The last of all may have none: what counts it has failed.
    values.iter().flatten().next()?;
    let now = values.last()?.as_ref();
    let now = now.map_or_else(|| "none".to_owned(), |(_, words)| words.clone());
    let slot = WIDTH / values.len() as f64;
    let width = (slot * 0.8).min(WIDEST);
    let bar = |(place, entry): (usize, &Entry)| {
        let (value, words) = values[place].as_ref()?;
        let height = match top > 0.0 {
            true => HEIGHT * value / top,
            false => 0.0,
        };
        let day = entry.day.map_or(String::new(), |day| format!("{day}: "));
        Some(Bar {
            x: short(slot * place as f64 + (slot - width) / 2.0),
            y: short(HEIGHT - height),
            width: short(width),
            height: short(height),
            words: format!("{day}{words}"),
        })
    };
    Some(Plot {
        title,
        class,
        now,
        top: edge(top),
        bottom: edge(0.0),
        bars: history.iter().enumerate().filter_map(bar).collect(),
    })
}

fn short(length: f64) -> String {
    format!("{length:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::Share;

    fn entry(failed: usize, rules: Option<usize>) -> Entry {
        Entry {
            id: failed.to_string(),
            day: None,
            runs: 10,
            failed,
            kinds: failed.min(1),
            cycles: 1000,
            rules: rules.map(|hit| Share { hit, of: 4 }),
        }
    }

    #[test]
    fn the_largest_value_is_as_high_as_the_drawing() {
        let all = plots(&[entry(1, None), entry(4, None), entry(0, None)]);
        let titles: Vec<_> = all.iter().map(|plot| plot.title).collect();
        assert_eq!(titles, ["failed runs", "cycles compared"]);
        let heights: Vec<_> = all[0].bars.iter().map(|bar| &*bar.height).collect();
        assert_eq!(heights, ["15.0", "60.0", "0.0"]);
        assert_eq!(
            (&*all[0].top, &*all[0].now),
            ("4", "0 of 10 runs, in 0 ways")
        );
    }

    #[test]
    fn shares_are_of_the_whole_and_may_be_missing() {
        let all = plots(&[entry(0, Some(2)), entry(0, None), entry(0, Some(3))]);
        let rules = &all[2];
        let bars: Vec<_> = rules.bars.iter().map(|bar| (&*bar.x, &*bar.y)).collect();
        assert_eq!(bars, [("38.0", "30.0"), ("238.0", "15.0")]);
        assert_eq!((&*rules.top, &*rules.bottom), ("100 %", "0 %"));
    }

    #[test]
    fn nothing_is_drawn_of_one() {
        assert!(plots(&[entry(1, None)]).is_empty());
    }
}
