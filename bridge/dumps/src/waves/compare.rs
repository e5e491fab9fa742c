//! The first difference of two dumps, in constant memory.

use std::collections::VecDeque;
use std::sync::Arc;

use lockstep_vcd::{BitsRef, Error, Header, Probe, State, Ticks, Timescale, Value};

use super::clock::Edges;
use super::dump::Dump;
use super::mapping::Mapping;
use super::rows::Sample;
use crate::fst::Alike;
use crate::written::real;

/// Differing signals whose values are kept; see `Difference::rows`.
const KEPT: usize = 8;

/// When values are compared.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// At every tick in which one changes.
    Always,
    /// At the rising edges of these clocks, the first with the first and so on.
    Clocks([Probe; 2], Sample),
}

/// Values of both dumps.
pub type Both = [Option<Value>; 2];

/// A row around the difference.
#[derive(Clone, Debug)]
pub struct Row {
    /// Tick of the first dump, or of the common time.
    pub time: u64,
    /// Number of the clock edge, from 0.
    pub cycle: Option<u64>,
    /// For each differing signal that is shown, its values.
    pub values: Vec<Both>,
}

/// The first difference.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Places in [`Mapping::pairs`] of the signals that differ in this row.
    pub differing: Vec<usize>,
    /// The values of each of them there.
    pub values: Vec<Both>,
    /// Rows around it; values of the first eight of `differing`.
    pub rows: Vec<Row>,
    /// The row of the difference.
    pub target: usize,
}

/// What came out.
#[derive(Debug)]
pub enum Outcome {
    /// No difference.
    Same,
    /// Values differ.
    Different(Difference),
    /// Values agree as long as both clocks rise; one of them rises on.
    Length {
        /// Edges of each clock, up to the first that the other has not.
        cycles: [u64; 2],
    },
}

/// The result of a comparison.
#[derive(Debug)]
pub struct Comparison {
    /// What came out.
    pub outcome: Outcome,
    /// Rows compared: ticks, or clock cycles.
    pub rows: u64,
    /// What a tick of the times in it is.
    pub timescale: Option<Timescale>,
    /// First and last time compared.
    pub times: Option<(u64, u64)>,
    /// The last time of each, if all of both was compared.
    pub ends: Option<[u64; 2]>,
    /// Of clocks: behind the last edge some signals differ, where they are not compared.
    pub differs_behind: bool,
    /// Why the rows behind the difference end early: the dump, and what is wrong with it.
    pub fault: Option<(usize, Error)>,
}

/// Why two dumps cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// One of them cannot be read: 0 is the first.
    #[error("{1}")]
    Dump(usize, Error),
    /// Their ticks have no common measure.
    #[error(
        "expected times that can be compared in the finer of both timescales, found {0} and {1}"
    )]
    Timescales(Timescale, Timescale),
}

/// Compares two dumps that were just opened, and collects `window` rows before and after the first difference.
///
/// # Errors
/// [`CompareError`], for faults before the difference.
pub fn compare(
    dumps: &mut [Dump; 2],
    mapping: &Mapping,
    when: When,
    window: usize,
) -> Result<Comparison, CompareError> {
    let headers = [dumps[0].header(), dumps[1].header()];
    let (factors, timescale) = common([headers[0].timescale(), headers[1].timescale()])?;
    let mut sides =
        [0, 1].map(|side| Side::new(side, &headers[side], mapping, when, factors[side]));
    watch(dumps, mapping, when)?;
    if let ([Dump::Fst(one), Dump::Fst(two)], When::Always, [1, 1]) = (&mut *dumps, when, factors)
        && has_one_numbering(&headers, mapping)
    {
        if let Some(Alike { ticks, times, ends }) = one.alike(two) {
            return Ok(Comparison {
                outcome: Outcome::Same,
                rows: ticks,
                timescale,
                times,
                ends: Some(ends),
                differs_behind: false,
                fault: None,
            });
        }
        watch(dumps, mapping, when)?;
    }
    let mut values = Values::new(mapping.pairs.len());
    let mut history = VecDeque::new();
    let (mut rows, mut times, mut step) = (0, None, Step::default());
    loop {
        for side in 0..2 {
            sides[side]
                .load(&mut dumps[side])
                .map_err(|error| CompareError::Dump(side, error))?;
            if sides[side].is_too_late
                && let [Some(one), Some(two)] = headers.each_ref().map(|header| header.timescale())
            {
                return Err(CompareError::Timescales(one, two));
            }
        }
        let result = |outcome| Comparison {
            outcome,
            rows,
            timescale,
            times,
            ends: None,
            differs_behind: false,
            fault: None,
        };
        match step.take(&mut sides, when) {
            Taken::Row => {}
            Taken::End => {
                let ends = [0, 1].map(|side: usize| sides[side].end());
                step.changes = sides.each_mut().map(|side| side.pending.take());
                return Ok(Comparison {
                    ends: Some(ends),
                    differs_behind: !values.enter(&mut step).is_empty(),
                    ..result(Outcome::Same)
                });
            }
            Taken::Longer(longer) => {
                let mut cycles = [rows; 2];
                cycles[longer] += 1;
                return Ok(result(Outcome::Length { cycles }));
            }
        }
        let differing = values.enter(&mut step);
        let cycle = matches!(when, When::Clocks(..)).then_some(rows);
        rows += 1;
        times = Some((times.map_or(step.time, |(first, _)| first), step.time));
        if history.len() > window {
            history.pop_front();
        }
        history.push_back(Past {
            time: step.time,
            cycle,
            undo: std::mem::take(&mut step.undo),
        });
        if !differing.is_empty() {
            let there = differing.iter().map(|&pair| values.now[pair].clone());
            let there = there.collect();
            let shown = &differing[..differing.len().min(KEPT)];
            let mut around = values.back(&history, shown);
            let target = around.len() - 1;
            let (mut cycle, mut fault) = (cycle, None);
            for _ in 0..window {
                // What follows the difference is a help to the reader: a fault in it ends the rows, no more.
                fault = (0..2).find_map(|side| {
                    let loaded = sides[side].load(&mut dumps[side]);
                    Some((side, loaded.err()?))
                });
                if fault.is_some() || !matches!(step.take(&mut sides, when), Taken::Row) {
                    break;
                }
                values.enter(&mut step);
                cycle = cycle.map(|cycle| cycle + 1);
                around.push(values.row(step.time, cycle, shown));
            }
            let difference = Difference {
                differing,
                values: there,
                rows: around,
                target,
            };
            return Ok(Comparison {
                outcome: Outcome::Different(difference),
                rows,
                timescale,
                times,
                ends: None,
                differs_behind: false,
                fault,
            });
        }
    }
}

/// Prepares for what is compared, from the start of both dumps.
fn watch(dumps: &mut [Dump; 2], mapping: &Mapping, when: When) -> Result<(), CompareError> {
    for (side, dump) in dumps.iter_mut().enumerate() {
        let clock = match when {
            When::Always => None,
            When::Clocks(clocks, _) => Some(clocks[side]),
        };
        let probes = mapping.pairs.iter().map(|pair| pair.probes[side]);
        dump.watch(probes.chain(clock).map(|probe| probe.signal()))
            .map_err(|error| CompareError::Dump(side, error))?;
    }
    Ok(())
}

/// Whether all that is compared has the same numbers in both dumps, as those of one bench have, and is declared as it is
/// named.
fn has_one_numbering(headers: &[Arc<Header>; 2], mapping: &Mapping) -> bool {
    let is_plain =
        |header: &Header, probe: Probe| header.file_signals(probe.signal()).eq([probe.signal()]);
    mapping.pairs.iter().all(|pair| {
        let [one, two] = pair.probes;
        pair.reversed.is_none()
            && one.signal().index() == two.signal().index()
            && one.bits() == two.bits()
            && is_plain(&headers[0], one)
            && is_plain(&headers[1], two)
    })
}

/// Factors from the ticks of each dump to common ones, and what these are.
fn common(
    timescales: [Option<Timescale>; 2],
) -> Result<([u64; 2], Option<Timescale>), CompareError> {
    let [Some(one), Some(two)] = timescales else {
        return Ok(([1, 1], timescales[0].or(timescales[1])));
    };
    if one == two {
        return Ok(([1, 1], Some(one)));
    }
    let exponent = one.exponent.min(two.exponent);
    let factor = |timescale: Timescale| {
        let power = u32::try_from(timescale.exponent - exponent).ok()?;
        let factor = 10_u64
            .checked_pow(power)?
            .checked_mul(timescale.number.into())?;
        (factor > 0).then_some(factor)
    };
    match (factor(one), factor(two)) {
        (Some(one), Some(two)) => Ok((
            [one, two],
            Some(Timescale {
                number: 1,
                exponent,
            }),
        )),
        _ => Err(CompareError::Timescales(one, two)),
    }
}

/// One dump, read row by row.
struct Side {
    ticks: Ticks,
    pairs: usize,
    /// For each pair, what becomes of its values.
    reading: Vec<Reading>,
    sample: Option<Sample>,
    edges: Edges,
    factor: u64,
    /// A time came that has no number in common ticks.
    is_too_late: bool,
    /// Latest values of this row that are not yet looked at.
    pending: Changes,
    /// The next row, if it is loaded.
    ready: Option<(u64, Vec<(usize, Value)>)>,
}

/// What becomes of the values of a signal before they are compared.
#[derive(Clone, Debug)]
enum Reading {
    Plain,
    /// The leftmost bit is the rightmost one.
    Reversed,
    /// Of an event, how many triggers there were.
    Triggers(u64),
}

impl Reading {
    fn value(&mut self, value: Value) -> Option<Value> {
        match self {
            Self::Plain => Some(value),
            Self::Reversed => Some(reversed(value)),
            Self::Triggers(count) => {
                *count += u64::from(value.is_trigger());
                value
                    .is_trigger()
                    .then(|| Value::Text(count.to_string().into()))
            }
        }
    }
}

/// The last value of each signal since the row before.
struct Changes {
    values: Vec<Option<Value>>,
    touched: Vec<usize>,
}

impl Changes {
    fn set(&mut self, pair: usize, value: Value) {
        if self.values[pair].replace(value).is_none() {
            self.touched.push(pair);
        }
    }

    fn take(&mut self) -> Vec<(usize, Value)> {
        let values = &mut self.values;
        let taken = self.touched.drain(..);
        taken
            .filter_map(|pair| Some((pair, values[pair].take()?)))
            .collect()
    }
}

impl Side {
    fn new(side: usize, header: &Header, mapping: &Mapping, when: When, factor: u64) -> Self {
        let pairs = mapping.pairs.len();
        let mut probes: Vec<_> = mapping.pairs.iter().map(|pair| pair.probes[side]).collect();
        let sample = match when {
            When::Always => None,
            When::Clocks(clocks, sample) => {
                probes.push(clocks[side]);
                Some(sample)
            }
        };
        Self {
            ticks: Ticks::new(header, &probes),
            pairs,
            reading: mapping
                .pairs
                .iter()
                .map(|pair| match pair.reversed {
                    _ if pair.event => Reading::Triggers(0),
                    Some(reversed) if reversed == side => Reading::Reversed,
                    _ => Reading::Plain,
                })
                .collect(),
            sample,
            edges: Edges::default(),
            factor,
            is_too_late: false,
            pending: Changes {
                values: vec![None; pairs],
                touched: Vec::new(),
            },
            ready: None,
        }
    }

    /// Makes the next row ready, if there is one.
    fn load(&mut self, dump: &mut Dump) -> Result<(), Error> {
        if self.ready.is_some() {
            return Ok(());
        }
        while let Some(time) = self.ticks.next(dump)? {
            let mut early = None;
            if self.sample.is_some() {
                let clock = self.pairs;
                let changes = self.ticks.changes().iter();
                let clocks = changes.filter(|(place, _)| *place == clock);
                clocks.for_each(|(_, value)| self.edges.change(value));
            }
            let row = match self.sample {
                None => true,
                Some(Sample::After) => self.edges.tick(),
                Some(Sample::Before) => {
                    if self.edges.tick() {
                        early = Some(self.pending.take());
                    }
                    early.is_some()
                }
            };
            for (place, value) in self.ticks.drain() {
                if let Some(reading) = self.reading.get_mut(place)
                    && let Some(value) = reading.value(value)
                {
                    self.pending.set(place, value);
                }
            }
            if row {
                let changes = early.unwrap_or_else(|| self.pending.take());
                let common = time.checked_mul(self.factor);
                self.is_too_late |= common.is_none();
                self.ready = Some((common.unwrap_or(u64::MAX), changes));
                return Ok(());
            }
        }
        Ok(())
    }

    /// The last time that was read.
    fn end(&self) -> u64 {
        self.ticks.time().saturating_mul(self.factor)
    }

    fn time(&self) -> Option<u64> {
        self.ready.as_ref().map(|(time, _)| *time)
    }

    fn take(&mut self) -> Vec<(usize, Value)> {
        self.ready
            .take()
            .map_or_else(Vec::new, |(_, changes)| changes)
    }
}

/// A row of both dumps.
#[derive(Default)]
struct Step {
    time: u64,
    changes: [Vec<(usize, Value)>; 2],
    /// What the row replaced.
    undo: Vec<Undo>,
}

/// Signal, dump, and the value before.
type Undo = (usize, usize, Option<Value>);

/// A row that was compared, and what it replaced.
struct Past {
    time: u64,
    cycle: Option<u64>,
    undo: Vec<Undo>,
}

enum Taken {
    Row,
    End,
    /// Of two clocks, this one goes on.
    Longer(usize),
}

impl Step {
    /// Takes the next row of the two that are ready.
    fn take(&mut self, sides: &mut [Side; 2], when: When) -> Taken {
        let times = [sides[0].time(), sides[1].time()];
        let (time, from) = match (times, when) {
            ([None, None], _) => return Taken::End,
            ([Some(_), None], When::Clocks(..)) => return Taken::Longer(0),
            ([None, Some(_)], When::Clocks(..)) => return Taken::Longer(1),
            ([Some(one), Some(_)], When::Clocks(..)) => (one, [true, true]),
            ([one, two], When::Always) => {
                let time = one.unwrap_or(u64::MAX).min(two.unwrap_or(u64::MAX));
                (time, [one == Some(time), two == Some(time)])
            }
        };
        self.time = time;
        for side in 0..2 {
            self.changes[side] = match from[side] {
                true => sides[side].take(),
                false => Vec::new(),
            };
        }
        Taken::Row
    }
}

/// The values now.
struct Values {
    now: Vec<Both>,
}

impl Values {
    fn new(pairs: usize) -> Self {
        Self {
            now: vec![[None, None]; pairs],
        }
    }

    /// Takes the changes of a row; the signals that differ after it, of those that it touched.
    fn enter(&mut self, step: &mut Step) -> Vec<usize> {
        step.undo.clear();
        let mut touched = Vec::new();
        for side in 0..2 {
            for (pair, value) in step.changes[side].drain(..) {
                let old = self.now[pair][side].replace(value);
                step.undo.push((pair, side, old));
                touched.push(pair);
            }
        }
        touched.retain(|pair| !same(&self.now[*pair]));
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    fn row(&self, time: u64, cycle: Option<u64>, shown: &[usize]) -> Row {
        Row {
            time,
            cycle,
            values: shown.iter().map(|pair| self.now[*pair].clone()).collect(),
        }
    }

    /// The rows of `history`, the last of which is now.
    fn back(&self, history: &VecDeque<Past>, shown: &[usize]) -> Vec<Row> {
        let at = |place: usize, pair: usize, side: usize| {
            // What the next change replaced; without one, the value is that of now.
            let mut later = history.iter().skip(place + 1).flat_map(|past| &past.undo);
            let replaced = later.find(|(p, s, _)| (*p, *s) == (pair, side));
            replaced.map_or_else(|| self.now[pair][side].clone(), |(_, _, old)| old.clone())
        };
        let row = |(place, past): (usize, &Past)| Row {
            time: past.time,
            cycle: past.cycle,
            values: shown
                .iter()
                .map(|&pair| [0, 1].map(|side| at(place, pair, side)))
                .collect(),
        };
        history.iter().enumerate().map(row).collect()
    }
}

/// A vector read from the other end.
fn reversed(value: Value) -> Value {
    let digits: String = match &value {
        Value::Bits(bits) => format!("{bits:b}").chars().rev().collect(),
        _ => return value,
    };
    let bits = BitsRef::new(digits.as_bytes(), digits.len() as u32);
    bits.map_or(value, |bits| Value::Bits(bits.to_bits()))
}

/// Whether two values are the same. No value yet is the same as x in every bit, and as a real that is not a number, with
/// which FST files begin; reals have 16 digits.
pub fn same(values: &Both) -> bool {
    match values {
        [None, None] => true,
        [None, Some(value)] | [Some(value), None] => is_unknown(value),
        [Some(Value::Real(one)), Some(Value::Real(two))] => {
            one == two || (one.is_nan() && two.is_nan()) || real(*one) == real(*two)
        }
        [Some(one), Some(two)] => one == two,
    }
}

fn is_unknown(value: &Value) -> bool {
    let is_no_number = matches!(value, Value::Real(real) if real.is_nan());
    is_no_number
        || value.bits().is_some_and(|bits| {
            bits.has_x() && (0..bits.width()).all(|bit| bits.bit(bit) == Some(State::X))
        })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use lockstep_base::glob::Glob;
    use lockstep_vcd::Stream;

    use super::*;

    const HEADER: &str = "$timescale 1ns $end $scope module top $end $var wire 1 ! clk $end \
        $var reg 8 a n [7:0] $end $var reg 8 b m [7:0] $end $upscope $end $enddefinitions $end\n";

    fn dump(text: String) -> Dump {
        Dump::Pipe(Stream::from_reader(Cursor::new(text)).unwrap())
    }

    /// Six cycles of 10 ticks that rise at 5; n counts them, `delay` ticks later, and from `change` on it is one
    /// more.
    fn counting(header: &str, change: Option<u64>, delay: u64) -> Dump {
        dump(counting_text(header, change, delay))
    }

    fn counting_text(header: &str, change: Option<u64>, delay: u64) -> String {
        let mut text = format!("{header}#0\n0!\nb0 a\nb0 b\n");
        for cycle in 0..6 {
            let n = cycle + u64::from(change.is_some_and(|change| cycle >= change));
            let time = 10 * cycle + 5;
            text += &format!("#{time}\n1!\n");
            if delay > 0 {
                text += &format!("#{}\n", time + delay);
            }
            text += &format!("b{n:b} a\n#{}\n0!\n", time + 5);
        }
        text
    }

    fn compared(mut dumps: [Dump; 2], clock: Option<Sample>) -> Comparison {
        let headers = [dumps[0].header(), dumps[1].header()];
        let mapping = Mapping::new([&headers[0], &headers[1]], &[], &[]);
        let when = match clock {
            None => When::Always,
            Some(sample) => When::Clocks(
                [0, 1].map(|side| headers[side].find("clk").unwrap()),
                sample,
            ),
        };
        compare(&mut dumps, &mapping, when, 2).unwrap()
    }

    fn difference(comparison: &Comparison) -> &Difference {
        match &comparison.outcome {
            Outcome::Different(difference) => difference,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn equal_dumps_are_the_same() {
        let comparison = compared([counting(HEADER, None, 0), counting(HEADER, None, 0)], None);
        assert!(matches!(comparison.outcome, Outcome::Same));
        assert_eq!((comparison.rows, comparison.times), (13, Some((0, 60))));
    }

    #[test]
    fn the_first_difference_has_rows_around_it() {
        let comparison = compared(
            [counting(HEADER, None, 0), counting(HEADER, Some(3), 0)],
            None,
        );
        let difference = difference(&comparison);
        let rows: Vec<_> = difference
            .rows
            .iter()
            .map(|row| {
                (
                    row.time,
                    row.values[0]
                        .clone()
                        .map(|value| value.unwrap().to_u64().unwrap()),
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                (25, [2, 2]),
                (30, [2, 2]),
                (35, [3, 4]),
                (40, [3, 4]),
                (45, [4, 5])
            ]
        );
        assert_eq!((difference.target, difference.differing.len()), (2, 1));
    }

    #[test]
    fn a_fault_behind_the_difference_is_told() {
        let damaged = |text: String| dump(text.replace("#45\n", "#45\n?\n"));
        let text = |change| counting_text(HEADER, change, 0);
        let comparison = compared([dump(text(None)), damaged(text(Some(3)))], None);
        assert_eq!(difference(&comparison).rows.len(), 4);
        assert!(matches!(comparison.fault, Some((1, Error::Syntax { .. }))));
        let comparison = compared([dump(text(None)), damaged(text(Some(2)))], None);
        assert!(comparison.fault.is_none(), "behind the rows");
    }

    #[test]
    fn clock_edges_hide_delays() {
        let dumps = || [counting(HEADER, None, 0), counting(HEADER, None, 2)];
        assert_eq!(compared(dumps(), None).times, Some((0, 15)));
        difference(&compared(dumps(), None));
        let comparison = compared(dumps(), Some(Sample::Before));
        assert!(matches!(comparison.outcome, Outcome::Same));
        assert_eq!(comparison.rows, 6);
        // After the edge, the delayed dump is a cycle behind.
        difference(&compared(dumps(), Some(Sample::After)));
    }

    #[test]
    fn cycles_are_compared_one_by_one() {
        let late = |text: &str| text.replace("#0\n", "#0\n#3\n").replace("5\n1!", "7\n1!");
        let text = |change| counting_text(HEADER, change, 0);
        let dumps = [dump(text(None)), dump(late(&text(Some(4))))];
        let comparison = compared(dumps, Some(Sample::After));
        assert_eq!(difference(&comparison).rows[2].cycle, Some(4));
    }

    #[test]
    fn ticks_of_different_length_are_made_equal() {
        let second = HEADER.replace("1ns", "500ps");
        let mut text = format!("{second}#0\n0!\nb0 a\nb0 b\n");
        for cycle in 0..6 {
            let time = 20 * cycle + 10;
            text += &format!("#{time}\n1!\nb{cycle:b} a\n#{}\n0!\n", time + 10);
        }
        let comparison = compared([counting(HEADER, None, 0), dump(text)], None);
        assert!(
            matches!(comparison.outcome, Outcome::Same),
            "{comparison:?}"
        );
        assert_eq!(comparison.times, Some((0, 60_000)));
    }

    #[test]
    fn a_longer_clock_is_a_difference() {
        let longer = || {
            let mut text = format!("{HEADER}#0\n0!\nb0 a\nb0 b\n");
            for cycle in 0..8 {
                text += &format!(
                    "#{}\n1!\nb{cycle:b} a\n#{}\n0!\n",
                    10 * cycle + 5,
                    10 * cycle + 10
                );
            }
            dump(text)
        };
        let comparison = compared([counting(HEADER, None, 0), longer()], Some(Sample::After));
        assert!(matches!(
            comparison.outcome,
            Outcome::Length { cycles: [6, 7] }
        ));
    }

    #[test]
    fn no_value_yet_is_x() {
        let [one, two] = ["#0\n0!\nbx a\n", "#0\n0!\n"].map(|body| dump(format!("{HEADER}{body}")));
        assert!(matches!(compared([one, two], None).outcome, Outcome::Same));
    }

    #[test]
    fn signals_are_mapped_by_path() {
        let second = HEADER
            .replace("module top", "module tb")
            .replace("8 b m", "4 b m")
            .replace("n [", "k [");
        let dumps = [dump(HEADER.into()), dump(second)];
        let headers = [dumps[0].header(), dumps[1].header()];
        let map = |rules: &[&str], ignore: &[&str]| {
            let rules: Vec<_> = rules.iter().map(|rule| rule.parse().unwrap()).collect();
            let ignore: Vec<_> = ignore.iter().map(|glob| Glob::new(glob)).collect();
            Mapping::new([&headers[0], &headers[1]], &rules, &ignore)
        };
        let none = map(&[], &[]);
        assert_eq!(
            (
                none.pairs.len(),
                none.only_first.len(),
                none.only_second.len()
            ),
            (0, 3, 3)
        );
        let some = map(&["top=tb"], &[]);
        assert_eq!(some.pairs.len(), 1);
        assert_eq!(some.only_first, ["top.n"]);
        assert_eq!(some.only_second, ["tb.k"]);
        assert_eq!(some.widths, [("top.m".to_owned(), [8, 4])]);
        let all = map(&["top.n=tb.k", "top=tb"], &["m"]);
        assert_eq!((all.pairs.len(), all.ignored, all.widths.len()), (2, 2, 0));
    }
}
