//! What `lockstep vcd stats` prints.

use std::path::Path;

use indicatif::HumanCount;
use lockstep_vcd::{Header, Value};
use serde::Serialize;

use super::form::{self, Signal, exact};
use super::{Failure, count};
use crate::printable::printable;
use crate::waves::select::{Selected, common_scope};
use crate::waves::stats::{Activity, Stats};
use crate::waves::table::left;
use crate::waves::time::Scale;
use crate::waves::values::{Radix, brief};

/// What signals do, for programs.
#[derive(Serialize)]
pub struct Record {
    /// The dump, or `-`.
    file: String,
    /// What a tick is: `1 ps`.
    timescale: Option<String>,
    /// First and last tick that count.
    times: Option<(u64, u64)>,
    signals: Vec<SignalRecord>,
    /// Why the dump ends early.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

/// What a signal does; times are in ticks.
#[derive(Serialize)]
struct SignalRecord {
    #[serde(flatten)]
    signal: Signal,
    /// Changes; of an event, triggers.
    changes: u64,
    /// When the first one is.
    first: Option<u64>,
    /// When the last one is.
    last: Option<u64>,
    /// How long a bit is x or z.
    unknown: u64,
    /// How long it has which value. None if it has more than 16, and of events.
    values: Option<Vec<ValueRecord>>,
}

/// How long a signal has a value.
#[derive(Serialize)]
struct ValueRecord {
    value: Option<String>,
    /// Ticks.
    time: u64,
}

impl Record {
    /// What was counted.
    pub fn new(
        file: &Path,
        header: &Header,
        signals: &[(Selected, Activity)],
        stats: &Stats,
        radix: Radix,
    ) -> Self {
        let value = |(value, time): &(Value, u64)| ValueRecord {
            value: exact(Some(value), radix),
            time: *time,
        };
        let signals = signals.iter().map(|(one, activity)| SignalRecord {
            signal: Signal::of(one, header),
            changes: activity.changes,
            first: activity.first,
            last: activity.last,
            unknown: activity.unknown,
            values: activity
                .values
                .as_ref()
                .map(|values| values.iter().map(value).collect()),
        });
        Self {
            file: file.display().to_string(),
            timescale: form::tick(header.timescale()),
            times: stats.times,
            signals: signals.collect(),
            fault: stats.fault.as_ref().map(ToString::to_string),
        }
    }

    /// Prints it as CSV: a line a signal.
    pub fn print_csv(&self) -> Result<(), Failure> {
        form::print_csv(|out| {
            out.end([
                "signal",
                "width",
                "kind",
                "timescale",
                "changes",
                "first",
                "last",
                "unknown",
                "values",
            ])?;
            for one in &self.signals {
                let values = one.values.iter().flatten().map(|value| {
                    let text = value.value.as_deref().unwrap_or_default();
                    format!("{text}={}", value.time)
                });
                out.cell(Some(&one.signal.path));
                out.number(u64::from(one.signal.width));
                out.cell(Some(one.signal.kind));
                out.cell(self.timescale.as_ref());
                out.number(one.changes);
                out.number(one.first);
                out.number(one.last);
                out.number(one.unknown);
                let values = values.collect::<Vec<_>>().join(" ");
                out.cell(Some(values).filter(|values| !values.is_empty()));
                out.end([""; 0])?;
            }
            Ok(())
        })
    }
}

/// The page that a person reads.
pub fn text(
    file: &Path,
    header: &Header,
    signals: &[(Selected, Activity)],
    stats: &Stats,
    radix: Radix,
) -> String {
    let all = signals.iter().flat_map(|(_, activity)| {
        let unknown = Some(activity.unknown);
        [activity.first, activity.last, unknown]
            .into_iter()
            .flatten()
    });
    let ends = stats.times.map(|(first, last)| [first, last]);
    let scale = Scale::of(header.timescale(), all.chain(ends.into_iter().flatten()));
    let scope = common_scope(signals.iter().map(|(one, _)| one.path.as_str()));
    let aliases: usize = signals.iter().map(|(one, _)| one.aliases).sum();
    let mut place = count(signals.len() as u64, "signal");
    if aliases > 0 {
        place += &format!(" with {}", count((signals.len() + aliases) as u64, "name"));
    }
    if let Some(scope) = scope.strip_suffix('.') {
        place += &format!(" in {}", printable(scope));
    }
    let Some((first, last)) = stats.times else {
        return format!("{}\n{place}, without a value\n", file.display());
    };
    let time = |time: Option<u64>| time.map_or_else(|| "-".to_owned(), |time| scale.number(time));
    let mut lines = vec![[
        "signal".to_owned(),
        "width".to_owned(),
        "changes".to_owned(),
        "first".to_owned(),
        "last".to_owned(),
        "x or z".to_owned(),
    ]];
    lines.extend(signals.iter().map(|(one, activity)| {
        [
            printable(&one.path[scope.len()..]),
            one.probe.width(header).to_string(),
            HumanCount(activity.changes).to_string(),
            time(activity.first),
            time(activity.last),
            time((activity.unknown > 0).then_some(activity.unknown)),
        ]
    }));
    let shares = signals.iter().map(|(_, activity)| shares(activity, radix));
    let shares = std::iter::once(vec!["values".to_owned()]).chain(shares);
    let never = signals.iter().filter(|(_, activity)| activity.changes == 0);
    let title = format!(
        "{}\n{place}, {} to {} {}\n\n",
        file.display(),
        scale.number(first),
        scale.number(last),
        scale.unit()
    );
    let never = match never.count() {
        0 => String::new(),
        never => format!(
            "\n{} of {} never change\n",
            HumanCount(never as u64),
            HumanCount(signals.len() as u64)
        ),
    };
    title + &columns(&lines, shares) + &never
}

/// Lines with their columns below each other, and as many shares behind them as fit.
fn columns(lines: &[[String; 6]], shares: impl Iterator<Item = Vec<String>>) -> String {
    let widths: [usize; 6] = std::array::from_fn(|column| {
        let lengths = lines.iter().map(|line| line[column].chars().count());
        lengths.max().unwrap_or(0)
    });
    let most = super::width();
    let mut text = String::new();
    for (line, shares) in lines.iter().zip(shares) {
        let mut whole = format!("  {}", left(&line[0], widths[0]));
        for column in 1..line.len() {
            whole += &format!("  {:>width$}", line[column], width = widths[column]);
        }
        let count = shares.len();
        for (place, share) in shares.into_iter().enumerate() {
            let room = most.saturating_sub(whole.chars().count() + 2);
            let needed = share.chars().count() + if place + 1 < count { 4 } else { 0 };
            if place > 0 && needed > room {
                whole += "  ..";
                break;
            }
            whole += &format!("  {share}");
        }
        text += whole.trim_end();
        text.push('\n');
    }
    text
}

/// Values and the shares of the time in which they are there, the longest first.
fn shares(activity: &Activity, radix: Radix) -> Vec<String> {
    let Some(values) = &activity.values else {
        return Vec::new();
    };
    let mut values: Vec<_> = values.iter().filter(|(_, ticks)| *ticks > 0).collect();
    values.sort_by_key(|(_, ticks)| std::cmp::Reverse(*ticks));
    let sum: u128 = values.iter().map(|(_, ticks)| u128::from(*ticks)).sum();
    let share = |ticks: u64| 1000 * u128::from(ticks) / sum.max(1);
    let text = |(value, ticks): &&(Value, u64)| {
        let share = share(*ticks);
        format!("{} {}.{} %", brief(value, radix), share / 10, share % 10)
    };
    values.iter().map(text).collect()
}
