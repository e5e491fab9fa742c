//! From the outputs that differ back to the assignments that may be why.

use std::collections::{HashMap, HashSet, VecDeque};

use super::OUTPUTS;
use super::columns::get;
use super::contract::Known;
use super::live::{ALL, Live};
use super::mine::Match;
use super::netlist::Netlist;
use super::span::Span;
use super::stretch::Stretch;
use super::suspicion::{Suspicions, Tally};
use super::waves::Waves;

/// How many assignments without a counterpart a mistake may be away.
const DEEP: u32 = 12;
/// Bits that are looked at in a stretch, at most.
const MOST: usize = 20_000;
/// The weight of an expression that selects bits, and no more.
const WIRING: f64 = 0.25;
/// The least weight of an assignment under a condition or at a clock.
const DECISION: f64 = 0.7;
/// The weight of a constant or a line of a function.
const USED: f64 = 0.3;
/// The weight of a statement that is not there.
const LOST: f64 = 0.5;
/// Of how many cycles without a difference one is looked at.
const STEP: usize = 8;

/// What is known of a run.
pub struct Search<'a> {
    pub(super) design: &'a Netlist,
    pub(super) waves: &'a Waves,
    /// By signal of the design, that of the dump.
    of_design: Vec<Option<u32>>,
    /// By signal of the design, whether it is nothing but inputs.
    inputs: Vec<bool>,
    /// By signal of the dump and its bit.
    matches: &'a HashMap<(u32, u32), Option<Match>>,
    known: &'a [Known],
    pub(super) stretches: &'a [Stretch],
}

/// What is known of some bits in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// All are what the contract has.
    Agrees,
    /// One is not.
    Differs,
    /// There is nothing to compare with.
    Unknown,
    /// They never change.
    Still,
}

impl<'a> Search<'a> {
    pub fn new(
        design: &'a Netlist,
        waves: &'a Waves,
        matches: &'a HashMap<(u32, u32), Option<Match>>,
        known: &'a [Known],
        stretches: &'a [Stretch],
    ) -> Self {
        let of_design = design.signals.iter();
        let of_design = of_design.map(|name| waves.signals.get(name).copied());
        Self {
            design,
            waves,
            of_design: of_design.collect(),
            inputs: inputs(design),
            matches,
            known,
            stretches,
        }
    }

    /// The signal of the dump.
    pub(super) fn wave(&self, signal: u32) -> Option<u32> {
        self.of_design[signal as usize]
    }

    /// The bits of a span that change, and the standing of all together.
    pub(super) fn standing(
        &self,
        span: &Span,
        at: usize,
        stretch: &Stretch,
    ) -> (Standing, Vec<u32>) {
        // Out of reset, what was before is still to be seen.
        if at < 2 {
            return (Standing::Agrees, Vec::new());
        }
        let cycle = stretch.first + at;
        if self.inputs[span.signal as usize] {
            return (Standing::Agrees, Vec::new());
        }
        let Some(wave) = self.wave(span.signal) else {
            return (Standing::Unknown, Vec::new());
        };
        let last = span.low.saturating_add(span.width);
        let columns = &self.waves.columns[wave as usize];
        let from = columns.partition_point(|(bit, _)| *bit < span.low);
        let within = columns[from..].iter().take_while(|(bit, _)| *bit < last);
        let mut standing = Standing::Still;
        let mut differing = Vec::new();
        for (bit, column) in within {
            let found = self.matches.get(&(wave, *bit)).and_then(Option::as_ref);
            let known = found.map(|found| (found, &self.known[found.with as usize].column));
            match known {
                Some((found, known)) if known.mask(cycle / 64) >> (cycle % 64) & 1 == 1 => {
                    if get(&column.bits, cycle) ^ get(&known.bits, cycle) != found.inverted {
                        differing.push(*bit);
                    } else if standing == Standing::Still {
                        standing = Standing::Agrees;
                    }
                }
                _ if column.changes == 0 => {}
                _ => standing = Standing::Unknown,
            }
        }
        match differing.is_empty() {
            true => (standing, differing),
            false => (Standing::Differs, differing),
        }
    }

    /// The value of some bits, if they are in the dump.
    pub(super) fn value(&self, span: &Span, cycle: usize) -> Option<u64> {
        let columns = &self.waves.columns[self.wave(span.signal)? as usize];
        let last = span.low.saturating_add(span.width.min(64));
        let mut value = 0;
        let from = columns.partition_point(|(bit, _)| *bit < span.low);
        for (bit, column) in columns[from..].iter().take_while(|(bit, _)| *bit < last) {
            value |= u64::from(get(&column.bits, cycle)) << (bit - span.low);
        }
        (!columns.is_empty()).then_some(value)
    }

    /// What a bit should be, if the contract has it.
    pub(super) fn expected(&self, signal: u32, bit: u32, cycle: usize) -> Option<bool> {
        let found = self.matches.get(&(self.wave(signal)?, bit))?.as_ref()?;
        let known = &self.known[found.with as usize].column;
        let is_known = known.mask(cycle / 64) >> (cycle % 64) & 1 == 1;
        is_known.then(|| get(&known.bits, cycle) != found.inverted)
    }

    /// Whether another bit of a register takes a new value that is right: it is written when it should be.
    fn is_written_rightly(&self, span: Span, now: usize, stretch: &Stretch) -> bool {
        let Some(wave) = self.wave(span.signal).filter(|_| now > 0) else {
            return false;
        };
        let cycle = stretch.first + now;
        let columns = &self.waves.columns[wave as usize];
        columns.iter().any(|(bit, column)| {
            let changes = get(&column.bits, cycle) != get(&column.bits, cycle - 1);
            let one = Span {
                signal: span.signal,
                low: *bit,
                width: 1,
            };
            changes && self.standing(&one, now, stretch).0 == Standing::Agrees
        })
    }

    /// What some bits come of in a cycle: places, and bits with the cycle in which they are read; without `conditions`, not
    /// what decides whether registers are set.
    fn sources(&self, span: Span, now: usize, stretch: &Stretch, conditions: bool) -> Vec<Source> {
        let numbers = &self.design.driven_by[span.signal as usize];
        let mut sources = Vec::new();
        let mut is_kept = true;
        for &number in numbers.iter().rev() {
            let driver = &self.design.drivers[number as usize];
            if !driver.target.overlaps(&span) {
                continue;
            }
            let before = now.saturating_sub(usize::from(driver.clocked));
            let of = |span: &Span| self.value(span, stretch.first + before);
            if driver.is_lost {
                let mut conditions = driver.conditions.iter();
                if conditions.all(|condition| condition.holds(&of) != Some(false)) {
                    sources.push(Source {
                        before,
                        live: Live::default(),
                        places: vec![(driver.place, LOST)],
                        driver: Some(number),
                    });
                }
                continue;
            }
            let mut live = Live::default();
            let mut places = Vec::new();
            // Whether it is made; a condition that does not hold hides those within.
            let mut made = Some(true);
            for condition in &driver.conditions {
                if made == Some(false) {
                    break;
                }
                let holds = condition.holds(&of);
                made = made.and(holds);
                if driver.clocked && !conditions {
                    continue;
                }
                live.condition(condition, &of);
                places.push((condition.place, condition.value.weight().max(0.5)));
            }
            places.reverse();
            if made != Some(false) {
                // Only what is meant.
                let part = match driver.target.covers(&span) && span.width < u32::MAX {
                    true => (span.low - driver.target.low, span.width),
                    false => (0, ALL),
                };
                live.part(&driver.value, part, &of);
                // What is chosen or kept is a decision, even if it only hands bits on.
                let least = match driver.clocked || !driver.conditions.is_empty() {
                    true => DECISION,
                    false => 0.0,
                };
                places.insert(0, (driver.place, driver.value.weight().max(least)));
                let nodes = live.nodes.iter();
                let of_nodes = nodes.map(|&node| self.design.nodes[node as usize].place);
                places.extend(of_nodes.map(|place| (place, USED)));
            }
            sources.push(Source {
                before,
                live,
                places,
                driver: Some(number),
            });
            if made == Some(true) && driver.target.covers(&span) {
                is_kept = false;
                break;
            }
        }
        let clocked = |number: &u32| self.design.drivers[*number as usize].clocked;
        if is_kept && numbers.iter().any(clocked) && now > 0 {
            sources.push(Source {
                before: now - 1,
                live: Live {
                    spans: vec![span],
                    nodes: Vec::new(),
                },
                places: Vec::new(),
                driver: None,
            });
        }
        sources
    }

    /// The places that failing cycles come of, and how often those without a difference do.
    pub fn suspicions(&self) -> Suspicions {
        let mut places: HashMap<u32, Tally> = HashMap::new();
        let mut signals: Vec<Span> = Vec::new();
        let (mut failing, mut passing) = (0.0, 0.0);
        for stretch in self.stretches {
            let Some(divergent) = stretch.divergent else {
                continue;
            };
            let roots = self.roots(stretch, divergent);
            if roots.is_empty() {
                continue;
            }
            let weight = if stretch.is_last { 2.0 } else { 1.0 };
            failing += weight;
            for (place, found) in self.upstream_of_all(&roots, stretch) {
                let tally = places.entry(place).or_default();
                tally.failing += weight;
                tally.depth = tally.depth.min(found.depth);
                tally.weight = tally.weight.max(found.weight);
                tally.signal = found.signal;
            }
            signals.extend(roots.iter().map(|(root, _)| *root).take(8));
        }
        signals.sort_unstable_by_key(|span| (span.signal, span.low));
        signals.dedup();
        signals.truncate(24);
        for stretch in self.stretches {
            let end = stretch.divergent.unwrap_or(stretch.cycles);
            for cycle in (4..end).step_by(STEP) {
                passing += 1.0;
                let roots: Vec<_> = signals.iter().map(|signal| (*signal, cycle)).collect();
                for (place, _) in self.upstream_of_all(&roots, stretch) {
                    if let Some(tally) = places.get_mut(&place) {
                        tally.passing += 1.0;
                    }
                }
            }
        }
        Suspicions {
            places,
            failing,
            passing,
        }
    }

    /// The places above some bits.
    fn upstream_of_all(&self, roots: &[(Span, usize)], stretch: &Stretch) -> HashMap<u32, Found> {
        let mut found: HashMap<u32, Found> = HashMap::new();
        for &(root, cycle) in roots.iter().take(32) {
            for (place, one) in self.upstream(root, cycle, stretch) {
                let entry = found.entry(place).or_insert(one);
                if one.depth < entry.depth {
                    *entry = one;
                }
            }
        }
        found
    }

    /// The bits that differ first in a stretch, of those that the outputs come of.
    pub(super) fn roots(&self, stretch: &Stretch, divergent: usize) -> Vec<(Span, usize)> {
        let mut signals = self.design.signals.iter();
        // The first one is that of the top module.
        let output = signals.position(|name| name.ends_with(OUTPUTS));
        let Some(output) = output else {
            return Vec::new();
        };
        let mut left: VecDeque<(Span, usize)> = VecDeque::new();
        for cycle in divergent..(divergent + 3).min(stretch.cycles) {
            let all = Span {
                signal: output as u32,
                low: 0,
                width: u32::MAX,
            };
            let (_, bits) = self.standing(&all, cycle, stretch);
            left.extend(bits.into_iter().map(|low| {
                (
                    Span {
                        low,
                        width: 1,
                        ..all
                    },
                    cycle,
                )
            }));
            if !left.is_empty() {
                break;
            }
        }
        let mut seen: HashSet<(Span, usize)> = left.iter().copied().collect();
        let mut roots = Vec::new();
        while let Some((span, cycle)) = left.pop_front() {
            if seen.len() > MOST {
                break;
            }
            let before = self.differing(span, cycle, stretch);
            if before.is_empty() {
                roots.push((span, cycle));
            }
            left.extend(before.into_iter().filter(|node| seen.insert(*node)));
        }
        // The earliest are why the others are.
        let first = roots.iter().map(|(_, cycle)| *cycle).min().unwrap_or(0);
        roots.retain(|(_, cycle)| *cycle == first);
        roots
    }

    /// The bits that differ and that a bit comes of, by assignments without a counterpart between them.
    fn differing(&self, start: Span, cycle: usize, stretch: &Stretch) -> Vec<(Span, usize)> {
        let mut seen = HashSet::from([(start, cycle)]);
        let mut left = VecDeque::from([(start, cycle, 0, None)]);
        let mut found = Vec::new();
        while let Some((span, now, depth, from)) = left.pop_front() {
            for source in self.sources(span, now, stretch, true) {
                let place = self.place(&source);
                // The copies of a generated block count as one, and so do the steps of a block.
                let is_step = self.design.is_step(span.signal);
                let depth = depth + u32::from(place != from && !is_step);
                for read in source.live.spans {
                    let (standing, bits) = self.standing(&read, source.before, stretch);
                    match standing {
                        Standing::Differs => {
                            let bits = bits.into_iter().map(|low| Span {
                                low,
                                width: 1,
                                ..read
                            });
                            let bits = bits.map(|bit| (bit, source.before));
                            found.extend(bits.filter(|bit| seen.insert(*bit)));
                        }
                        Standing::Unknown if depth < DEEP && seen.insert((read, source.before)) => {
                            left.push_back((read, source.before, depth, place));
                        }
                        _ => {}
                    }
                }
            }
        }
        found
    }

    /// Where the assignment of a source stands.
    fn place(&self, source: &Source) -> Option<u32> {
        let driver = source.driver?;
        Some(self.design.drivers[driver as usize].place)
    }

    /// All that some bits come of in a cycle, the nearest first.
    pub(super) fn slice(&self, roots: &[Span], cycle: usize, stretch: &Stretch) -> Vec<Slice> {
        let mut left: VecDeque<(Span, usize)> = roots.iter().map(|&root| (root, cycle)).collect();
        let mut seen: HashSet<(Span, usize)> = left.iter().copied().collect();
        let mut slice = Vec::new();
        while let Some((span, now)) = left.pop_front() {
            for source in self.sources(span, now, stretch, true) {
                for read in source.live.spans {
                    let is_input = self.design.driven_by[read.signal as usize].is_empty();
                    if seen.len() < MOST && !is_input && seen.insert((read, source.before)) {
                        left.push_back((read, source.before));
                    }
                }
                let nodes = source.live.nodes.into_iter();
                slice.extend(source.driver.map(|driver| {
                    Slice {
                        set: (span, now, driver),
                        nodes: [self.design.drivers[driver as usize].node]
                            .into_iter()
                            .chain(nodes)
                            .collect(),
                    }
                }));
            }
        }
        slice
    }

    /// Places above some bits.
    fn upstream(&self, root: Span, cycle: usize, stretch: &Stretch) -> Vec<(u32, Found)> {
        let mut seen = HashSet::from([(root, cycle)]);
        let mut left = VecDeque::from([(root, cycle, 0)]);
        let mut places = Vec::new();
        while let Some((span, now, depth)) = left.pop_front() {
            let conditions = depth > 0 || !self.is_written_rightly(span, now, stretch);
            for source in self.sources(span, now, stretch, conditions) {
                for (place, weight) in source.places {
                    let signal = span.signal;
                    places.push((
                        place,
                        Found {
                            depth,
                            weight,
                            signal,
                        },
                    ));
                }
                for read in source.live.spans {
                    let (standing, _) = self.standing(&read, source.before, stretch);
                    let farther = match standing {
                        Standing::Agrees => continue,
                        Standing::Unknown if self.design.is_step(read.signal) => depth,
                        Standing::Differs | Standing::Unknown => depth + 1,
                        Standing::Still => depth + 2,
                    };
                    if farther <= DEEP && seen.insert((read, source.before)) {
                        left.push_back((read, source.before, farther));
                    }
                }
            }
        }
        places
    }
}

/// By signal, whether it is nothing but inputs: what nothing drives, and what it is handed on to. They are what the contract
/// has, whatever the design does.
fn inputs(design: &Netlist) -> Vec<bool> {
    let mut inputs: Vec<bool> = design.driven_by.iter().map(Vec::is_empty).collect();
    loop {
        let mut more = false;
        for (signal, drivers) in design.driven_by.iter().enumerate() {
            if inputs[signal] || drivers.is_empty() {
                continue;
            }
            let hands_on = drivers.iter().all(|&driver| {
                let driver = &design.drivers[driver as usize];
                if driver.is_lost {
                    return true;
                }
                let mut live = Live::default();
                live.part(&driver.value, (0, ALL), &|_: &Span| None);
                driver.conditions.is_empty()
                    && driver.value.weight() <= WIRING
                    && live.spans.iter().all(|read| inputs[read.signal as usize])
            });
            inputs[signal] = hands_on;
            more |= hands_on;
        }
        if !more {
            return inputs;
        }
    }
}

/// A place above some bits.
#[derive(Clone, Copy, Debug)]
struct Found {
    depth: u32,
    weight: f64,
    signal: u32,
}

/// Bits that others come of.
pub struct Slice {
    /// They, the cycle in which they are set, and the assignment.
    pub set: (Span, usize, u32),
    /// The nodes of the source that they come of, first that of the assignment.
    pub nodes: Vec<u32>,
}

/// What bits come of.
struct Source {
    /// The cycle in which it is read.
    before: usize,
    live: Live,
    /// Each with how much there is to get wrong.
    places: Vec<(u32, f64)>,
    /// The assignment.
    driver: Option<u32>,
}
