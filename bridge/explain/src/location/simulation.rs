//! The design run again with one node of its source changed. Only what is another value than in the dump is computed.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::mem::offset_of;
use std::ops::RangeInclusive;

use pmu_model::CycleOutput;
use rustc_hash::FxHashMap;

use super::OUTPUTS;
use super::change::{Change, Edit, Force};
use super::expression::{Expression, Operator, Values, mask};
use super::netlist::{Driver, Netlist};
use super::pending::Pending;
use super::rows::{Rows, bits_of, set_bits, words};
use super::search::Search;
use super::span::Span;
use super::stretch::{SETTLED, Stretch, cycles};

/// Assignments that are made in a cycle, at most.
const MADE: u32 = 20_000;
/// What it takes to make an assignment, beside its parts, and to make a cycle.
const MAKING: u64 = 100;
const CYCLE: u64 = 500;
/// Cycles by which an assignment is tried before it is relied on.
const TRIED: usize = 6;
/// Bits of a word that are looked at one by one, at most.
const FEW: u32 = 4;
/// Assignments of a signal from which on those of a bit are looked up.
const MANY: usize = 16;
/// Assignments that are not in the dump, one within the other, at most.
const DEPTH: u32 = 8;

/// What differs from the dump.
pub struct Differences {
    /// By signal, the cycle in which its value is here: a new number each.
    stamps: Vec<u32>,
    stamp: u32,
    values: Vec<Vec<u64>>,
    touched: Vec<u32>,
    /// Assignments that were made in this cycle.
    made: u32,
    /// How large the assignments were that were looked at.
    effort: Cell<u64>,
    /// How often anything changed.
    changes: u64,
    memory: RefCell<Memory>,
    /// By assignment, what the node of [`Change::During`] is in its cycles.
    pub forced: Vec<(u32, Force)>,
}

/// What steps of blocks are, as long as nothing changes.
#[derive(Default)]
struct Memory {
    /// The change of the design, the cycle, and how often anything changed before.
    of: (Option<Edit>, usize, u64),
    /// None where that is not known, or just found out.
    values: FxHashMap<Span, Option<u64>>,
}

/// What the outputs should be in the cycle of the last of some random bytes, those from the reset on.
pub type Judge<'a> = dyn FnMut(&[u8]) -> Option<Expected> + 'a;

/// A part of the outputs: how many bits, what they should be, and what they are.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub width: u32,
    pub should: u64,
    pub is: u64,
}

/// A run ended early: too much differs.
pub struct Lost;

/// The design, and what should come of it.
pub struct Simulation<'a> {
    pub design: &'a Netlist,
    rows: Rows,
    /// By signal, the assignments that read it: those at a clock, and the ranks of the others.
    clocked_readers: Vec<Vec<u32>>,
    followers: Vec<Vec<u32>>,
    /// By node, the assignments that it is in.
    uses: HashMap<u32, Vec<u32>>,
    /// By signal, of those with many assignments: by bit those of the bit.
    by_bit: Vec<Option<Vec<Vec<u32>>>>,
    registers: Vec<bool>,
    /// By signal, whether it is a step of a block.
    steps: Vec<bool>,
    /// By assignment, its rank: what is read comes first, as far as there is such an order; and by rank the assignment.
    ranks: Vec<u32>,
    ranked: Vec<u32>,
    /// By assignment, of how many parts it is.
    sizes: Vec<u64>,
    /// By assignment, whether its values are those of the dump.
    trusted: Vec<bool>,
    output: u32,
    /// By cycle.
    expected: Vec<Expected>,
}

/// What the outputs should be, lowest word first.
pub struct Expected {
    pub value: Vec<u64>,
    /// The bits that are known.
    pub known: Vec<u64>,
}

impl Expected {
    /// The bits that are not what they should be.
    fn missed(&self, is: &[u64]) -> Vec<u64> {
        let words = is.iter().zip(&self.value).zip(&self.known);
        let missed = words.map(|((is, expected), known)| (is ^ expected) & known);
        missed.collect()
    }

    fn is_met(&self, is: &[u64]) -> bool {
        let mut words = is.iter().zip(&self.value).zip(&self.known);
        words.all(|((is, expected), known)| (is ^ expected) & known == 0)
    }
}

impl<'a> Simulation<'a> {
    /// With what the matches of `search` say of the outputs; none if they are not in the dump.
    pub fn new(search: &Search<'a>) -> Option<Self> {
        let output = output(search.design)?;
        let wave = search.wave(output)?;
        let bits = search.waves.widths[wave as usize];
        let expected = (0..cycles(search.stretches)).map(|cycle| {
            let (mut value, mut known) = (vec![0; words(bits)], vec![0; words(bits)]);
            for bit in 0..bits {
                if let Some(is) = search.expected(output, bit, cycle) {
                    set_bits(&mut value, bit, 1, is.into());
                    set_bits(&mut known, bit, 1, 1);
                }
            }
            Expected { value, known }
        });
        let expected = expected.collect();
        let rows = Rows::of_waves(search.design, search.waves, cycles(search.stretches));
        Self::of(search.design, rows, search.stretches, expected)
    }

    /// With what the outputs should be in every cycle; none if they are not in the dump.
    pub fn of(
        design: &'a Netlist,
        rows: Rows,
        stretches: &[Stretch],
        expected: Vec<Expected>,
    ) -> Option<Self> {
        let mut within: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut readers = vec![Vec::new(); design.signals.len()];
        let mut reads = Vec::new();
        for (number, driver) in (0..).zip(&design.drivers) {
            let (nodes, of) = contents(driver);
            for node in nodes {
                within.entry(node).or_default().push(number);
            }
            // What sets the same elsewhere reads what decides which of them it is.
            for &signal in of.iter().filter(|_| !driver.is_lost) {
                readers[signal as usize].push(number);
            }
            reads.push(of);
        }
        // What is not in the dump is made again where it is read.
        let shown = |number: u32| {
            let signal = design.drivers[number as usize].target.signal;
            rows.places[signal as usize].is_some()
        };
        let direct = readers.clone();
        let resolved = |numbers: &[u32]| {
            let mut found: BTreeSet<u32> = BTreeSet::new();
            let mut seen: HashSet<u32> = HashSet::new();
            let mut left = numbers.to_vec();
            while let Some(number) = left.pop() {
                if shown(number) {
                    found.insert(number);
                } else if seen.insert(number) {
                    let signal = design.drivers[number as usize].target.signal;
                    left.extend(&direct[signal as usize]);
                }
            }
            found.into_iter().collect()
        };
        for numbers in readers.iter_mut().chain(within.values_mut()) {
            if numbers.iter().any(|&number| !shown(number)) {
                *numbers = resolved(numbers);
            }
        }
        let registers = design.driven_by.iter().map(|drivers| {
            let mut drivers = drivers.iter();
            drivers.any(|&driver| design.drivers[driver as usize].clocked)
        });
        let registers: Vec<bool> = registers.collect();
        let output = output(design)?;
        rows.places[output as usize]?;
        let order = order(design, &registers, &reads);
        let mut ranked: Vec<u32> = (0..design.drivers.len() as u32).collect();
        ranked.sort_by_key(|&number| (order[number as usize], number));
        let mut ranks = vec![0; ranked.len()];
        for (rank, &number) in (0..).zip(&ranked) {
            ranks[number as usize] = rank;
        }
        let (mut clocked_readers, mut followers) = (Vec::new(), Vec::new());
        for numbers in readers {
            let is_clocked = |number: &u32| design.drivers[*number as usize].clocked;
            let (clocked, others): (Vec<u32>, Vec<u32>) = numbers.into_iter().partition(is_clocked);
            clocked_readers.push(clocked);
            followers.push(
                others
                    .iter()
                    .map(|&number| ranks[number as usize])
                    .collect(),
            );
        }
        let mut simulation = Self {
            design,
            ranks,
            ranked,
            sizes: design.drivers.iter().map(size).collect(),
            clocked_readers,
            followers,
            uses: within,
            by_bit: by_bit(design),
            registers,
            steps: (0..design.signals.len() as u32)
                .map(|signal| design.is_step(signal))
                .collect(),
            trusted: vec![true; design.drivers.len()],
            output,
            expected,
            rows,
        };
        simulation.try_all(stretches);
        Some(simulation)
    }

    /// The same design in other cycles; returns the rows of those before.
    pub fn go_on(&mut self, rows: Rows, stretches: &[Stretch], expected: Vec<Expected>) -> Rows {
        let before = std::mem::replace(&mut self.rows, rows);
        self.expected = expected;
        self.try_all(stretches);
        before
    }

    pub fn differences(&self) -> Differences {
        Differences {
            stamps: vec![0; self.design.signals.len()],
            stamp: 1,
            values: vec![Vec::new(); self.design.signals.len()],
            touched: Vec::new(),
            made: 0,
            effort: Cell::new(0),
            changes: 0,
            memory: RefCell::default(),
            forced: Vec::new(),
        }
    }

    /// Finds the assignments whose values are not what they should be by the expressions that are known of them.
    fn try_all(&mut self, stretches: &[Stretch]) {
        let none = self.differences();
        let cycles: Vec<usize> = stretches
            .iter()
            .rev()
            .flat_map(|stretch| {
                let step = (stretch.cycles / TRIED).max(1);
                (3..stretch.cycles)
                    .step_by(step)
                    .map(|now| stretch.first + now)
            })
            .take(4 * TRIED)
            .collect();
        let trusted = (0..self.design.drivers.len()).map(|number| {
            let driver = &self.design.drivers[number];
            cycles.iter().all(|&cycle| {
                let read = cycle - usize::from(driver.clocked);
                self.chunks(driver.target).all(|chunk| {
                    let made = self.made(chunk, read, driver.clocked, None, &none);
                    made.is_some() && made == self.dumped(&chunk, cycle)
                })
            })
        });
        self.trusted = trusted.collect();
    }

    /// The bits of a span, 64 at a time.
    fn chunks(&self, span: Span) -> impl Iterator<Item = Span> + use<> {
        let bits = self.rows.places[span.signal as usize].map_or(0, |(_, bits)| bits);
        let end = span.low.saturating_add(span.width).min(bits);
        (span.low..end).step_by(64).map(move |low| Span {
            signal: span.signal,
            low,
            width: (end - low).min(64),
        })
    }

    fn dumped(&self, span: &Span, cycle: usize) -> Option<u64> {
        let words = self.rows.of(span.signal, cycle)?;
        Some(bits_of(words, span.low, span.width))
    }

    fn current(&self, span: &Span, cycle: usize, of: &Differences) -> Option<u64> {
        let signal = span.signal as usize;
        match of.stamps[signal] == of.stamp {
            true => Some(bits_of(&of.values[signal], span.low, span.width)),
            false => self.dumped(span, cycle),
        }
    }

    /// The assignments of a signal, or of a bit of it alone.
    fn drivers(&self, span: Span) -> &[u32] {
        let of_bits = match span.width {
            1 => self.by_bit[span.signal as usize].as_ref(),
            _ => None,
        };
        let of_bit = of_bits.and_then(|bits| bits.get(span.low as usize));
        of_bit.unwrap_or(&self.design.driven_by[span.signal as usize])
    }

    /// What comes of the assignments of some bits, 64 at most.
    fn made(
        &self,
        span: Span,
        now: usize,
        clocked: bool,
        edit: Option<Edit>,
        of: &Differences,
    ) -> Option<u64> {
        self.within(span, now, clocked, edit, of, DEPTH)
    }

    fn within(
        &self,
        span: Span,
        now: usize,
        clocked: bool,
        edit: Option<Edit>,
        of: &Differences,
        depth: u32,
    ) -> Option<u64> {
        for &number in self.drivers(span).iter().rev() {
            let driver = &self.design.drivers[number as usize];
            of.effort.set(of.effort.get() + 1);
            if driver.clocked != clocked || !driver.target.overlaps(&span) {
                continue;
            }
            if driver.is_lost && edit.is_none_or(|edit| edit.node != driver.node) {
                continue;
            }
            if !driver.target.covers(&span) {
                let mut value = 0;
                for bit in 0..span.width {
                    let one = Span {
                        low: span.low + bit,
                        width: 1,
                        ..span
                    };
                    value |= self.within(one, now, clocked, edit, of, depth)? << bit;
                }
                return Some(value);
            }
            of.effort.set(of.effort.get() + self.sizes[number as usize]);
            let moment = self.moment(number, now, edit, of, depth);
            let mut holds = match edit {
                Some(edit) if edit.node == driver.node => moment.is_enabled(edit)?,
                _ => true,
            };
            for condition in &driver.conditions {
                if !condition.holds(&moment)? {
                    holds = false;
                    break;
                }
            }
            if holds {
                let low = span.low - driver.target.low;
                return driver.value.part_value(low, span.width, &moment);
            }
        }
        match clocked {
            true => self.current(&span, now, of),
            false => None,
        }
    }

    fn moment<'m>(
        &'m self,
        driver: u32,
        now: usize,
        edit: Option<Edit>,
        differences: &'m Differences,
        depth: u32,
    ) -> Moment<'m> {
        let of = &self.design.drivers[driver as usize];
        Moment {
            simulation: self,
            differences,
            edit,
            now,
            driver,
            scope: of.scope,
            steps: &of.steps,
            is_edge: of.clocked,
            is_dumped: false,
            depth,
        }
    }

    /// What an expression of an assignment is in a cycle of the dump, if that is known; `none` has no differences.
    pub fn value_of(
        &self,
        of: &Expression,
        driver: u32,
        now: usize,
        none: &Differences,
    ) -> Option<u64> {
        of.value(&self.moment(driver, now, None, none, DEPTH))
    }

    /// The same of a signal that is seen from an assignment, of 64 bits at most.
    pub fn signal_of(&self, name: u32, driver: u32, now: usize, none: &Differences) -> Option<u64> {
        self.moment(driver, now, None, none, DEPTH).signal(name)
    }

    /// Whether a change makes a difference to what a span is in a cycle.
    pub fn is_active(&self, edit: Edit, span: Span, cycle: usize, none: &Differences) -> bool {
        if self.rows.places[span.signal as usize].is_none() {
            return true;
        }
        let clocked = self.registers[span.signal as usize];
        self.chunks(span).any(|chunk| {
            let now = cycle - usize::from(clocked);
            let made = self.made(chunk, now, clocked, Some(edit), none);
            made.is_some_and(|made| Some(made) != self.dumped(&chunk, cycle))
        })
    }

    /// The first wrong output with a change, in the cycles `from..to` of a stretch. Where the change moves the random bytes,
    /// `judge` says what the outputs should be; without, they are what they should be before.
    pub fn first_wrong(
        &self,
        edit: Edit,
        stretch: &Stretch,
        (from, to): (usize, usize),
        of: &mut Differences,
        mut judge: Option<&mut Judge<'_>>,
    ) -> Result<Option<usize>, Lost> {
        let (mut bytes, mut moved) = (Vec::new(), false);
        let nothing = Vec::new();
        let own = self.uses.get(&edit.node).unwrap_or(&nothing);
        let mut next: HashMap<u32, Vec<u64>> = HashMap::new();
        let [mut left, mut clocked] = [(); 2].map(|()| Pending::new(self.design.drivers.len()));
        for now in from..to {
            let is_over =
                matches!(edit.change, Change::During { last, .. } if stretch.first + now > last);
            if now > from && next.is_empty() && is_over {
                // From here on it is what was dumped.
                return Ok((now..to).find(|now| !self.is_right(stretch.first + now)));
            }
            let cycle = stretch.first + now;
            of.forget();
            of.made = 0;
            of.effort.set(of.effort.get() + CYCLE);
            left.clear();
            for (signal, value) in next.drain() {
                if self.rows.of(signal, cycle) != Some(&value) {
                    of.set(signal, value);
                    self.follow(signal, &mut left);
                }
            }
            for &number in own.iter().filter(|&&n| !self.clocked(n)) {
                left.insert(self.ranks[number as usize]);
            }
            while let Some(rank) = left.take() {
                of.made += 1;
                if of.made > MADE {
                    return Err(Lost);
                }
                self.make(self.ranked[rank as usize], cycle, edit, of, &mut left);
            }
            let mut moved_to = None;
            if let Some(judge) = &mut judge {
                let byte = random_byte(self.outputs(cycle, of));
                bytes.push(byte);
                moved |= byte != random_byte(self.dumped_outputs(cycle));
                if moved {
                    moved_to = Some(judge(&bytes).ok_or(Lost)?);
                }
            }
            let expected = moved_to.as_ref().unwrap_or(&self.expected[cycle]);
            if now >= SETTLED && !expected.is_met(self.outputs(cycle, of)) {
                return Ok(Some(now));
            }
            if now + 1 == to {
                break;
            }
            // The edge.
            for &number in own.iter().filter(|&&n| self.clocked(n)) {
                clocked.insert(number);
            }
            let mut kept = Vec::new();
            for &signal in &of.touched {
                for &number in &self.clocked_readers[signal as usize] {
                    clocked.insert(number);
                }
                kept.extend(self.kept(signal, cycle, of));
            }
            let set = std::iter::from_fn(|| clocked.take())
                .filter(|&number| self.trusted[number as usize])
                .flat_map(|number| self.chunks(self.design.drivers[number as usize].target));
            for span in set.chain(kept) {
                let Some(value) = self.made(span, cycle, true, Some(edit), of) else {
                    continue;
                };
                if Some(value) != self.dumped(&span, cycle + 1) {
                    let row = || self.rows.of(span.signal, cycle + 1);
                    let words = next
                        .entry(span.signal)
                        .or_insert_with(|| row().unwrap_or_default().to_vec());
                    set_bits(words, span.low, span.width, value);
                }
            }
        }
        Ok(None)
    }

    /// The bits of a register that are others than in the dump: they stay so where nothing sets them.
    fn kept(&self, signal: u32, cycle: usize, of: &Differences) -> Vec<Span> {
        let drivers = self.design.driven_by[signal as usize].iter();
        let mut clocked = drivers.filter(|&&n| self.clocked(n));
        if !clocked.any(|&n| self.trusted[n as usize]) {
            return Vec::new();
        }
        let (is, was) = (&of.values[signal as usize], self.rows.of(signal, cycle));
        let mut kept = Vec::new();
        for (word, (is, was)) in is.iter().zip(was.unwrap_or_default()).enumerate() {
            let differ = is ^ was;
            let span = |bit, width| Span {
                signal,
                low: 64 * word as u32 + bit,
                width,
            };
            match differ.count_ones() {
                0..=FEW => {
                    let ones = (0..64).filter(|bit| differ >> bit & 1 == 1);
                    kept.extend(ones.map(|bit| span(bit, 1)));
                }
                _ => kept.extend(self.chunks(span(0, 64))),
            }
        }
        kept
    }

    fn clocked(&self, driver: u32) -> bool {
        self.design.drivers[driver as usize].clocked
    }

    /// What reads a signal is to be made again.
    fn follow(&self, signal: u32, left: &mut Pending) {
        for &rank in &self.followers[signal as usize] {
            left.insert(rank);
        }
    }

    fn make(
        &self,
        number: u32,
        cycle: usize,
        edit: Edit,
        of: &mut Differences,
        left: &mut Pending,
    ) {
        of.effort.set(of.effort.get() + MAKING);
        if !self.trusted[number as usize] {
            return;
        }
        let driver = &self.design.drivers[number as usize];
        let mut changed = false;
        for chunk in self.chunks(driver.target) {
            let Some(value) = self.made(chunk, cycle, false, Some(edit), of) else {
                continue;
            };
            if Some(value) != self.current(&chunk, cycle, of) {
                changed = true;
                let signal = chunk.signal;
                if of.stamps[signal as usize] != of.stamp {
                    let row = self.rows.of(signal, cycle).unwrap_or_default();
                    of.set(signal, row.to_vec());
                }
                let words = &mut of.values[signal as usize];
                set_bits(words, chunk.low, chunk.width, value);
                of.changes += 1;
            }
        }
        if changed {
            self.follow(driver.target.signal, left);
        }
    }

    fn outputs<'o>(&'o self, cycle: usize, of: &'o Differences) -> &'o [u64] {
        let output = self.output as usize;
        match of.stamps[output] == of.stamp {
            true => &of.values[output],
            false => self.dumped_outputs(cycle),
        }
    }

    fn is_right(&self, cycle: usize) -> bool {
        self.expected[cycle].is_met(self.dumped_outputs(cycle))
    }

    fn dumped_outputs(&self, cycle: usize) -> &[u64] {
        self.rows.of(self.output, cycle).unwrap_or_default()
    }

    /// The bits of the outputs that are wrong in a cycle, by what differs from the dump in it.
    pub fn still_wrong(&self, cycle: usize, of: &Differences) -> Vec<u64> {
        self.expected[cycle].missed(self.outputs(cycle, of))
    }

    /// Parts of the outputs that are wrong in a cycle of the dump, of all widths that numbers have.
    pub fn wrong_parts(&self, cycle: usize) -> Vec<Part> {
        let (is, expected) = (self.dumped_outputs(cycle), &self.expected[cycle]);
        let missed = expected.missed(is);
        let mut parts = Vec::new();
        for width in [8, 16, 32, 64] {
            for low in (0..64 * missed.len() as u32).step_by(width as usize) {
                let wrong = bits_of(&missed, low, width);
                if wrong != 0 {
                    let is = bits_of(is, low, width);
                    let should = is ^ wrong;
                    parts.push(Part { width, should, is });
                }
            }
        }
        parts
    }

    /// The assignments that a node is in and that set some of the bits which one of them does, as the branches of an `if` do.
    pub fn siblings(&self, node: u32, driver: u32) -> impl Iterator<Item = u32> {
        let target = self.design.drivers[driver as usize].target;
        let all = self.uses.get(&node).into_iter().flatten().copied();
        all.filter(move |&one| self.design.drivers[one as usize].target.overlaps(&target))
    }

    /// The bits of the outputs that are wrong in a cycle of the dump.
    pub fn wrong(&self, cycle: usize) -> Vec<Span> {
        let missed = self.expected[cycle].missed(self.dumped_outputs(cycle));
        let bits = 0..64 * missed.len() as u32;
        let wrong = bits.filter(|bit| missed[*bit as usize / 64] >> (bit % 64) & 1 == 1);
        wrong
            .map(|low| Span {
                signal: self.output,
                low,
                width: 1,
            })
            .collect()
    }
}

impl Differences {
    /// How large the assignments were that were looked at: that is in proportion to time.
    pub fn effort(&self) -> u64 {
        self.effort.get()
    }

    /// From now on the dump's values hold.
    pub fn forget(&mut self) {
        self.stamp += 1;
        self.changes += 1;
        self.touched.clear();
    }

    fn set(&mut self, signal: u32, value: Vec<u64>) {
        self.changes += 1;
        self.stamps[signal as usize] = self.stamp;
        self.values[signal as usize] = value;
        self.touched.push(signal);
    }
}

/// By signal, of those with many assignments: by bit those that set the bit.
fn by_bit(design: &Netlist) -> Vec<Option<Vec<Vec<u32>>>> {
    let signals = (0..).zip(&design.driven_by);
    let of_signal = |(signal, drivers): (u32, &Vec<u32>)| {
        let width = design.widths[signal as usize];
        let has_many = drivers.len() > MANY && width != u32::MAX;
        let of_bit = |low| {
            let bit = Span {
                signal,
                low,
                width: 1,
            };
            let sets = |&&driver: &&u32| design.drivers[driver as usize].target.overlaps(&bit);
            drivers.iter().filter(sets).copied().collect()
        };
        has_many.then(|| (0..width).map(of_bit).collect())
    };
    signals.map(of_signal).collect()
}

/// The random byte of a cycle's outputs.
fn random_byte(outputs: &[u64]) -> u8 {
    let low = 8 * offset_of!(CycleOutput, random_byte) as u32;
    bits_of(outputs, low, 8) as u8
}

/// The port with the outputs.
fn output(design: &Netlist) -> Option<u32> {
    let mut signals = design.signals.iter();
    Some(signals.position(|name| name.ends_with(OUTPUTS))? as u32)
}

/// The nodes of an assignment, and the signals that it reads.
fn contents(driver: &Driver) -> (HashSet<u32>, HashSet<u32>) {
    let mut nodes = HashSet::from([driver.node]);
    let mut reads = HashSet::new();
    for expression in expressions(driver) {
        visit(expression, &mut |one| match one {
            Expression::Node { node, .. } => drop(nodes.insert(*node)),
            Expression::Bits { span, .. } => drop(reads.insert(span.signal)),
            Expression::Element { elements, .. } => {
                reads.extend(elements.iter().map(|span| span.signal));
            }
            _ => {}
        });
    }
    (nodes, reads)
}

/// The expressions of an assignment.
pub fn expressions(driver: &Driver) -> impl Iterator<Item = &Expression> {
    let conditions = driver.conditions.iter().flat_map(|condition| {
        let value = [&condition.value].into_iter();
        value.chain(&condition.is).chain(&condition.not)
    });
    [&driver.value].into_iter().chain(conditions)
}

/// Of how many parts the expressions of an assignment are.
fn size(driver: &Driver) -> u64 {
    let mut parts = 0;
    for expression in expressions(driver) {
        visit(expression, &mut |_| parts += 1);
    }
    parts
}

/// Goes through an expression and all its parts.
pub fn visit<'e>(expression: &'e Expression, each: &mut impl FnMut(&'e Expression)) {
    each(expression);
    for part in expression.parts() {
        visit(part, each);
    }
}

/// The assignments in an order in which what is read comes first, as far as there is one.
fn order(design: &Netlist, registers: &[bool], reads: &[HashSet<u32>]) -> Vec<u32> {
    let mut order = vec![u32::MAX; design.signals.len()];
    let mut next = 0;
    let mut open = vec![false; design.signals.len()];
    for start in 0..design.signals.len() as u32 {
        let mut left = vec![(start, false)];
        while let Some((signal, is_done)) = left.pop() {
            let at = signal as usize;
            if is_done {
                order[at] = next;
                next += 1;
                continue;
            }
            if open[at] {
                continue;
            }
            open[at] = true;
            left.push((signal, true));
            if !registers[at] {
                let drivers = design.driven_by[at].iter();
                let before = drivers.flat_map(|&driver| &reads[driver as usize]);
                left.extend(before.map(|&signal| (signal, false)));
            }
        }
    }
    let drivers = design.drivers.iter();
    drivers
        .map(|driver| order[driver.target.signal as usize])
        .collect()
}

/// A cycle of a run, seen from an assignment.
#[derive(Clone, Copy)]
struct Moment<'a> {
    simulation: &'a Simulation<'a>,
    differences: &'a Differences,
    edit: Option<Edit>,
    now: usize,
    driver: u32,
    scope: u32,
    steps: &'a [(u32, u32)],
    /// Whether it is a register that is set.
    is_edge: bool,
    /// Whether the dump alone is asked.
    is_dumped: bool,
    /// Assignments that are not in the dump, one within the other, at most.
    depth: u32,
}

impl Values for Moment<'_> {
    fn bits(&self, span: &Span) -> Option<u64> {
        let is_driven = !self.simulation.design.driven_by[span.signal as usize].is_empty();
        if self.is_edge && !is_driven {
            // An input of the design changes before the edge that takes it.
            return self.simulation.dumped(span, self.now + 1);
        }
        if self.simulation.rows.places[span.signal as usize].is_none() {
            let depth = self.depth.checked_sub(1)?;
            let width = self.simulation.design.widths[span.signal as usize];
            let span = Span {
                width: span.width.min(width.saturating_sub(span.low)).min(64),
                ..*span
            };
            return match self.simulation.steps[span.signal as usize] {
                true if self.is_dumped => None,
                true => self.step(span),
                false => self.made_again(span, depth),
            };
        }
        match self.is_dumped {
            true => self.simulation.dumped(span, self.now),
            false => self.simulation.current(span, self.now, self.differences),
        }
    }

    fn is_changed(&self, node: u32) -> bool {
        self.edit.is_some_and(|edit| edit.node == node)
    }

    fn changed(&self, node: u32, of: &Expression) -> Option<Option<u64>> {
        let edit = self.edit.filter(|edit| edit.node == node)?;
        Some(self.apply(edit, of))
    }
}

impl Moment<'_> {
    /// What is not in the dump.
    fn made_again(&self, span: Span, depth: u32) -> Option<u64> {
        let of = self.differences;
        let simulation = self.simulation;
        simulation.within(span, self.now, false, self.edit, of, depth)
    }

    /// What a step of a block is, which is found out once.
    fn step(&self, span: Span) -> Option<u64> {
        let of = self.differences;
        let key = (self.edit, self.now, of.changes);
        let mut memory = of.memory.borrow_mut();
        if memory.of != key {
            memory.of = key;
            memory.values.clear();
        }
        if let Some(&known) = memory.values.get(&span) {
            return known;
        }
        memory.values.insert(span, None);
        drop(memory);
        let value = self.made_again(span, self.depth);
        of.memory.borrow_mut().values.insert(span, value);
        value
    }

    /// What a signal is that is seen from here.
    fn signal(&self, name: u32) -> Option<u64> {
        let design = self.simulation.design;
        let signal = design.named(name, self.scope)?;
        let step = self.steps.iter().find(|(of, _)| *of == signal);
        let signal = step.map_or(signal, |(_, now)| *now);
        let span = Span {
            signal,
            low: 0,
            width: design.widths[signal as usize].min(64),
        };
        self.bits(&span)
    }

    /// Whether a statement is made that has another condition.
    fn is_enabled(&self, edit: Edit) -> Option<bool> {
        match edit.change {
            Change::Only { name, inverted } => Some((self.signal(name)? == 1) != inverted),
            Change::During { first, last } => {
                let is_lost = self.simulation.design.drivers[self.driver as usize].is_lost;
                Some(self.forces(first..=last).next().is_some() == is_lost)
            }
            _ => Some(true),
        }
    }

    /// What the node is forced to in some cycles, by this assignment.
    fn forces(&self, cycles: RangeInclusive<usize>) -> impl Iterator<Item = Force> {
        let forced = self.differences.forced.iter();
        let own =
            forced.filter(move |(driver, _)| cycles.contains(&self.now) && *driver == self.driver);
        own.map(|(_, force)| *force)
    }

    /// A concatenation, two neighbours of which are exchanged: the last part of what is high and what is low, or what is high and
    /// the first part of what is low.
    fn exchanged(&self, of: &Expression, width: u32) -> Option<u64> {
        let parts = |of: &Expression, width: u32| match of.plain() {
            Expression::Concat {
                high,
                low,
                low_width,
            } => {
                let high_width = width.checked_sub(*low_width)?;
                let part = |of: &Expression, width| Some((of.part_value(0, width, self)?, width));
                Some([part(high, high_width)?, part(low, *low_width)?])
            }
            _ => None,
        };
        let Expression::Concat {
            high,
            low,
            low_width,
        } = of
        else {
            return None;
        };
        let high_width = width.checked_sub(*low_width)?;
        let [first, second, third] = match parts(high, high_width) {
            Some([first, second]) => {
                let third = low.part_value(0, *low_width, self)?;
                [first, (third, *low_width), second]
            }
            None => {
                let [second, third] = parts(low, *low_width)?;
                let first = high.part_value(0, high_width, self)?;
                [second, (first, high_width), third]
            }
        };
        let joined = |high: u64, (low, width): (u64, u32)| Some(high.checked_shl(width)? | low);
        joined(joined(first.0, second)?, third)
    }

    fn apply(&self, edit: Edit, of: &Expression) -> Option<u64> {
        let mask = mask(edit.width);
        let now = || of.value(self);
        let shifted = |now: usize| {
            let moment = Moment {
                now,
                is_dumped: true,
                ..*self
            };
            of.value(&moment)
        };
        let value = match edit.change {
            Change::Operator(operator) => match of {
                Expression::Operator { of, width, .. } => {
                    Expression::operate(operator, of, *width, self)?
                }
                _ => return None,
            },
            Change::Operand(number) => match of.plain() {
                Expression::Select { from, .. } => from.part_value(0, edit.width, self)?,
                Expression::Operator {
                    operator: Operator::Not | Operator::LogicalNot,
                    of,
                    ..
                } => of.first()?.value(self)?,
                other => other.parts().get(usize::from(number))?.value(self)?,
            },
            Change::Not => !now()?,
            Change::Always(value) | Change::Constant(value) => value,
            Change::Offset(by) => now()?.wrapping_add_signed(by),
            Change::Bit(bit) => now()? ^ 1 << bit,
            Change::Signal(name) => self.signal(name)?,
            Change::And { name, inverted } => now()? & (self.signal(name)? ^ u64::from(inverted)),
            Change::Or { name, inverted } => now()? | (self.signal(name)? ^ u64::from(inverted)),
            Change::Exchanged => match of {
                Expression::Chosen {
                    condition,
                    then,
                    other,
                } => match other.plain() {
                    Expression::Chosen {
                        condition: inner,
                        then: first,
                        other: last,
                    } => match (inner.value(self)?, condition.value(self)?) {
                        (1.., _) => first.value(self)?,
                        (0, 1..) => then.value(self)?,
                        (0, 0) => last.value(self)?,
                    },
                    _ => return None,
                },
                Expression::Concat { .. } => self.exchanged(of, edit.width)?,
                _ => return None,
            },
            Change::Turned => match of {
                Expression::Concat {
                    high,
                    low,
                    low_width,
                } => {
                    let high_width = edit.width.saturating_sub(*low_width);
                    let [high, low] = [
                        high.part_value(0, high_width, self)?,
                        low.part_value(0, *low_width, self)?,
                    ];
                    high | low.checked_shl(high_width).unwrap_or(0)
                }
                Expression::Operator {
                    operator,
                    of,
                    width,
                    ..
                } => {
                    let turned: Vec<_> = of.iter().rev().cloned().collect();
                    Expression::operate(*operator, &turned, *width, self)?
                }
                _ => return None,
            },
            Change::Only { .. } | Change::Made => now()?,
            Change::Before => shifted(self.now.checked_sub(1)?)?,
            Change::After => shifted(self.now + 1)?,
            Change::During { first, last } => {
                let forced = |value, force| match force {
                    Force::Flipped(bits) => value ^ bits,
                    Force::Moved(by) => u64::wrapping_add_signed(value, by),
                    Force::Is(value) => value,
                };
                self.forces(first..=last).fold(now()?, forced)
            }
        };
        Some(value & mask)
    }
}
