//! Mutants of the contract, thousands side by side: the contract alone makes a step in every cycle, and a mutant one where
//! its site comes to something else, or where the cycle looks at what it left otherwise. Mutants of one site make their
//! steps together for as long as they come to the same.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use pmu_model::contract::COUNTER_LANES;
use pmu_model::plain::{At, Instances, Moment, Mutant, Mutation, Operators, Plain, Right, Site};

use super::bench::Bench;
use crate::cores;

/// Most steps of its own that each of many mutants makes. One that does not end before acts in every cycle, and shows
/// nothing.
const STEPS: u32 = 6000;
/// The same of one that does not explain the divergent cycle from a little before: what it shows there it must have done
/// long before, and not often.
const STEPS_OF_UNLIKELY: u32 = 500;
/// Cycles before the divergent one that are a little before.
const BEFORE: usize = 12;
/// Mutants that are many.
const MANY: usize = 1000;
/// Parts that many mutants are shared out in, for each core.
const PARTS: usize = 8;

/// The contract, watched: which mutants come to something else in a cycle.
struct Probe<'a> {
    mutants: &'a [Mutant],
    /// By place, those that have not come to their end.
    live: Vec<Vec<u32>>,
    /// The first place of each site.
    places: Vec<u32>,
    /// The cycle in which a mutant came to something else last, and the first thing in it that it came to.
    acted: Vec<u32>,
    made: Vec<u64>,
    /// And the counters for which it did.
    counters: Vec<u32>,
    now: u32,
    acting: Vec<u32>,
    moment: Moment,
}

impl<'a> Probe<'a> {
    fn new(mutants: &'a [Mutant]) -> Self {
        let mut places = Vec::with_capacity(Site::ALL.len());
        let mut next = 0u32;
        for site in Site::ALL {
            places.push(next);
            next += match site.instances() {
                Instances::One => 1,
                Instances::Counters => 1 + COUNTER_LANES as u32,
                named => 1 + named.named() as u32,
            };
        }
        let mut probe = Self {
            mutants,
            live: vec![Vec::new(); next as usize],
            places,
            acted: vec![0; mutants.len()],
            made: vec![0; mutants.len()],
            counters: vec![0; mutants.len()],
            now: 0,
            acting: Vec::new(),
            moment: Moment::default(),
        };
        for (number, mutant) in mutants.iter().enumerate() {
            let place = probe.place(mutant);
            probe.live[place].push(number as u32);
        }
        probe
    }

    fn place(&self, mutant: &Mutant) -> usize {
        let first = self.places[mutant.site as usize] as usize;
        match mutant.at {
            At::One(at) => first + 1 + usize::from(at),
            _ => first,
        }
    }

    /// A mutant has come to its end.
    fn leave(&mut self, number: u32) {
        let place = self.place(&self.mutants[number as usize]);
        if let Some(found) = self.live[place].iter().position(|&other| other == number) {
            self.live[place].swap_remove(found);
        }
    }

    fn begin(&mut self) {
        self.now += 1;
        self.acting.clear();
    }

    fn has_acted(&self, number: u32) -> bool {
        self.acted[number as usize] == self.now
    }

    fn look(&mut self, place: usize, at: usize, right: u64, of: &dyn Fn(Mutation) -> u64) {
        for &number in &self.live[place] {
            let mutant = &self.mutants[number as usize];
            let made = of(mutant.mutation);
            let number = number as usize;
            if made == right || !mutant.acts(at, &self.moment) {
                continue;
            }
            if self.acted[number] != self.now {
                self.acted[number] = self.now;
                self.made[number] = made;
                self.counters[number] = 0;
                self.acting.push(number as u32);
            }
            if self.moment.event.is_some() {
                self.counters[number] |= 1 << self.moment.counter;
            }
        }
    }

    /// The counters that a mutant may do something else to in the cycle, if nothing of the state differs.
    fn counters(&self, number: u32) -> u32 {
        let mutant = &self.mutants[number as usize];
        match self.has_acted(number) {
            true if mutant.when.looks_at_counters() || mutant.and.looks_at_counters() => u32::MAX,
            true => self.counters[number as usize],
            false => 0,
        }
    }
}

impl Operators for Probe<'_> {
    #[inline(always)]
    fn see(&mut self, site: Site, at: usize, right: u64, of: &dyn Fn(Mutation) -> u64) -> u64 {
        let first = self.places[site as usize] as usize;
        if !self.live[first].is_empty() {
            self.look(first, at, right, of);
        }
        if !matches!(site.instances(), Instances::One) && !self.live[first + 1 + at].is_empty() {
            self.look(first + 1 + at, at, right, of);
        }
        right
    }

    #[inline(always)]
    fn moment(&mut self) -> &mut Moment {
        &mut self.moment
    }
}

/// Mutants of one site that make a step together: those that come to something else than the first stand apart.
struct Together<'a> {
    mutants: &'a [Mutant],
    first: Mutant,
    others: Vec<u32>,
    apart: Vec<u32>,
    moment: Moment,
    /// What the design shows of counters, and what is not compared of it.
    rtl: &'a [u16; COUNTER_LANES],
    unknown: u32,
}

impl Operators for Together<'_> {
    #[inline(always)]
    fn is_refuted(&mut self, counter: usize, increment: u16) -> bool {
        self.rtl[counter] != increment && self.unknown >> counter & 1 == 0
    }

    #[inline(always)]
    fn see(&mut self, site: Site, at: usize, right: u64, of: &dyn Fn(Mutation) -> u64) -> u64 {
        if self.first.site != site {
            return right;
        }
        let Self {
            mutants,
            first,
            others,
            apart,
            moment,
            ..
        } = self;
        let value = |mutant: &Mutant| match mutant.acts(at, moment) {
            true => of(mutant.mutation),
            false => right,
        };
        let made = value(first);
        others.retain(|&number| {
            let stays = value(&mutants[number as usize]) == made;
            if !stays {
                apart.push(number);
            }
            stays
        });
        made
    }

    #[inline(always)]
    fn moment(&mut self) -> &mut Moment {
        &mut self.moment
    }
}

/// Mutants of one site whose state is the same, and not that of the contract.
struct Fork {
    members: Vec<u32>,
    /// The words that differ, with what they are.
    differs: Vec<(u16, u64)>,
}

/// What the contract left of a cycle: the words that it wrote.
struct After {
    value: Vec<u64>,
    written: Vec<u32>,
    words: Vec<u16>,
    now: u32,
}

impl After {
    fn take(&mut self, plain: &mut Plain) {
        self.now += 1;
        self.words.clear();
        for (word, value) in plain.state().written() {
            let place = usize::from(word);
            if place >= self.value.len() {
                self.value.resize(place + 1, 0);
                self.written.resize(place + 1, 0);
            }
            if self.written[place] != self.now {
                self.words.push(word);
            }
            self.written[place] = self.now;
            self.value[place] = value;
        }
    }

    fn of(&self, word: u16) -> Option<u64> {
        let place = usize::from(word);
        let written = self.written.get(place) == Some(&self.now);
        written.then(|| self.value[place])
    }
}

/// Mutants, side by side.
pub(super) struct Screen<'a> {
    probe: Probe<'a>,
    forks: Vec<Fork>,
    is_fork: Vec<bool>,
    /// The first cycle that each does not explain, or in which it was given up.
    misses: Vec<Option<usize>>,
    /// Steps that each made, and most that it makes.
    steps: Vec<u32>,
    most: Vec<u32>,
    after: After,
}

impl<'a> Screen<'a> {
    /// Mutants that make as many steps as they need.
    fn new(mutants: &'a [Mutant]) -> Self {
        Self::within(mutants, vec![u32::MAX; mutants.len()])
    }

    /// Mutants that make so many steps at most.
    fn within(mutants: &'a [Mutant], most: Vec<u32>) -> Self {
        Self {
            probe: Probe::new(mutants),
            forks: Vec::new(),
            is_fork: vec![false; mutants.len()],
            misses: vec![None; mutants.len()],
            steps: vec![0; mutants.len()],
            most,
            after: After {
                value: Vec::new(),
                written: Vec::new(),
                words: Vec::new(),
                now: 0,
            },
        }
    }

    /// Tests the mutants in these cycles of a bench, until none is left. `plain` is where they begin, and has come to their
    /// end if one is left.
    fn run(
        mut self,
        plain: &mut Plain,
        bench: &Bench<'_>,
        cycles: Range<usize>,
    ) -> Vec<Option<usize>> {
        let mut left = self.misses.len();
        for k in cycles {
            if left == 0 {
                break;
            }
            left -= self.cycle(plain, bench, k);
        }
        self.misses
    }

    /// One cycle. How many mutants came to their end.
    fn cycle(&mut self, plain: &mut Plain, bench: &Bench<'_>, k: usize) -> usize {
        self.probe.begin();
        bench.enter(plain, k);
        let (input, byte) = bench.cycle(k);
        let output = plain.step(&mut self.probe, input, byte);
        let right = bench.is_what_the_rtl_did(k, output);
        self.after.take(plain);
        // A fork does what the contract does where the cycle looks at nothing that differs.
        let forks = std::mem::take(&mut self.forks);
        let looked_at: Vec<bool> = forks
            .iter()
            .map(|fork| {
                let mut words = fork.differs.iter().map(|&(word, _)| word);
                let mut members = fork.members.iter();
                let state = plain.state();
                members.any(|&number| self.probe.has_acted(number))
                    || words.any(|word| state.was_read(word) || Plain::shows(word))
            })
            .collect();
        plain.state().undo();
        let acting = std::mem::take(&mut self.probe.acting);
        let mut alone: Vec<u32> = acting
            .iter()
            .copied()
            .filter(|&number| !self.is_fork[number as usize])
            .collect();
        let made = |&number: &u32| {
            let site = self.probe.mutants[number as usize].site as usize;
            (site, self.probe.made[number as usize])
        };
        alone.sort_unstable_by_key(made);
        let alone: Vec<Fork> = alone
            .chunk_by(|a, b| made(a) == made(b))
            .map(|members| Fork {
                members: members.to_vec(),
                differs: Vec::new(),
            })
            .collect();
        let mut ended = 0;
        if !right {
            ended += self.end_those_like_the_contract(k);
        }
        for (fork, looked_at) in forks.into_iter().zip(looked_at) {
            ended += match looked_at {
                true => self.step(plain, bench, fork, k),
                false => self.follow(fork, right, k),
            };
        }
        for fork in alone {
            ended += self.step(plain, bench, fork, k);
        }
        for &word in &self.after.words {
            plain.state().put(word, self.after.value[usize::from(word)]);
        }
        self.probe.acting = acting;
        ended
    }

    /// The contract does not do what the design does: nor do those that did what the contract did. How many they are.
    fn end_those_like_the_contract(&mut self, k: usize) -> usize {
        let mut ended = 0;
        let Self {
            probe,
            is_fork,
            misses,
            ..
        } = self;
        for place in 0..probe.live.len() {
            let mut live = std::mem::take(&mut probe.live[place]);
            live.retain(|&number| {
                let stays = is_fork[number as usize] || probe.has_acted(number);
                if !stays {
                    misses[number as usize] = Some(k);
                    ended += 1;
                }
                stays
            });
            probe.live[place] = live;
        }
        ended
    }

    /// A mutant has come to its end.
    fn end(&mut self, number: u32, k: usize) {
        self.misses[number as usize] = Some(k);
        self.is_fork[number as usize] = false;
        self.probe.leave(number);
    }

    /// Mutants have come to their end. How many they are.
    fn end_all(&mut self, members: &[u32], k: usize) -> usize {
        for &number in members {
            self.end(number, k);
        }
        members.len()
    }

    /// A fork that does what the contract does in this cycle. How many of it came to their end.
    fn follow(&mut self, mut fork: Fork, right: bool, k: usize) -> usize {
        if !right {
            return self.end_all(&fork.members, k);
        }
        let after = &self.after;
        fork.differs.retain(|&(word, _)| after.of(word).is_none());
        self.keep(fork);
        0
    }

    /// Mutants go on: by themselves where their state is another one.
    fn keep(&mut self, fork: Fork) {
        for &number in &fork.members {
            self.is_fork[number as usize] = !fork.differs.is_empty();
        }
        if !fork.differs.is_empty() && !fork.members.is_empty() {
            self.forks.push(fork);
        }
    }

    /// A step of mutants by themselves. How many of them came to their end.
    fn step(&mut self, plain: &mut Plain, bench: &Bench<'_>, fork: Fork, k: usize) -> usize {
        let Fork { members, differs } = fork;
        let before: Vec<(u16, u64)> = differs
            .iter()
            .map(|&(word, _)| (word, plain.state().word(word)))
            .collect();
        let of_words = differs
            .iter()
            .zip(&before)
            .map(|(&(word, value), &(_, before))| Plain::counters_of(word, value ^ before));
        let of_words = of_words.fold(0, |all, counters| all | counters);
        let mut ended = 0;
        let mut left = members;
        while !left.is_empty() {
            for &(word, value) in &differs {
                plain.state().put(word, value);
            }
            let (together, goes_on) = self.step_together(plain, bench, (&mut left, of_words), k);
            let going_on = match goes_on {
                true => self.within_their_steps(together, k, &mut ended),
                false => {
                    ended += self.end_all(&together, k);
                    Vec::new()
                }
            };
            let words = match going_on.is_empty() {
                true => Vec::new(),
                false => self.words_after(plain, &differs),
            };
            plain.state().undo();
            for &(word, value) in &before {
                plain.state().put(word, value);
            }
            let (state, after) = (plain.state(), &self.after);
            let is_other = |&(word, value): &(u16, u64)| {
                after.of(word).unwrap_or_else(|| state.word(word)) != value
            };
            let fork = Fork {
                members: going_on,
                differs: words.into_iter().filter(is_other).collect(),
            };
            self.keep(fork);
        }
        ended
    }

    /// A step of the first of those that are `left`, and of all that come to the same: which they are, and whether they
    /// explain the cycle. The others stay.
    fn step_together(
        &mut self,
        plain: &mut Plain,
        bench: &Bench<'_>,
        (left, of_words): (&mut Vec<u32>, u32),
        k: usize,
    ) -> (Vec<u32>, bool) {
        let (input, byte) = bench.cycle(k);
        let mutants = self.probe.mutants;
        let first = left[0];
        let counters = left
            .iter()
            .fold(of_words, |all, &number| all | self.probe.counters(number));
        let mut operators = Together {
            mutants,
            first: mutants[first as usize],
            others: left.split_off(1),
            apart: Vec::new(),
            moment: Moment::default(),
            rtl: &bench.stretch.rtl[k].increment,
            unknown: bench.unknown[k].increments,
        };
        let output = plain.step_within(&mut operators, input, byte, counters);
        let mut together = operators.others;
        together.push(first);
        *left = operators.apart;
        (together, bench.is_what_the_rtl_did(k, output))
    }

    /// Those of mutants which made a step that may make another one.
    fn within_their_steps(&mut self, members: Vec<u32>, k: usize, ended: &mut usize) -> Vec<u32> {
        let mut going_on = members;
        going_on.retain(|&number| {
            let steps = &mut self.steps[number as usize];
            *steps += 1;
            let goes_on = *steps < self.most[number as usize];
            if !goes_on {
                self.end(number, k);
                *ended += 1;
            }
            goes_on
        });
        going_on
    }

    /// The words that may differ from those of the contract after a step, with what they are.
    fn words_after(&self, plain: &mut Plain, differs: &[(u16, u64)]) -> Vec<(u16, u64)> {
        let written = plain.state().written().map(|(word, _)| word);
        let contract = self.after.words.iter().copied();
        let differs = differs.iter().map(|&(word, _)| word);
        let mut words: Vec<u16> = written.chain(contract).chain(differs).collect();
        words.sort_unstable();
        words.dedup();
        let state = plain.state();
        let value = |word| (word, state.word(word));
        words.into_iter().map(value).collect()
    }
}

impl Bench<'_> {
    /// Which mutants explain the cycles up to the divergent one, from the contract's state a little before.
    pub(super) fn suspects(&self, mutants: &[Mutant]) -> Vec<bool> {
        self.suspects_from(self.a_little_before(), mutants)
    }

    /// The same from cycle `from` on.
    pub(super) fn suspects_from(&self, from: usize, mutants: &[Mutant]) -> Vec<bool> {
        in_parts(mutants, false, |own| self.suspects_of_part(from, own))
    }

    /// The first cycle that each mutant does not explain, or in which it was given up.
    pub(super) fn misses(&self, mutants: &[Mutant]) -> Vec<Option<usize>> {
        let is_many = mutants.len() > MANY;
        in_parts(mutants, None, |own| self.misses_of_part(own, is_many))
    }

    fn a_little_before(&self) -> usize {
        self.stretch.divergent.saturating_sub(BEFORE)
    }

    fn suspects_of_part(&self, from: usize, own: &[Mutant]) -> Vec<bool> {
        let Ok(mut plain) = Plain::new(self.implementation) else {
            return vec![false; own.len()];
        };
        let mut right = Right::default();
        for k in 0..from {
            self.enter(&mut plain, k);
            let (input, byte) = self.cycle(k);
            plain.step(&mut right, input, byte);
        }
        let misses = Screen::new(own).run(&mut plain, self, from..self.stretch.divergent + 1);
        misses.iter().map(Option::is_none).collect()
    }

    fn misses_of_part(&self, own: &[Mutant], is_many: bool) -> Vec<Option<usize>> {
        let Ok(mut plain) = Plain::new(self.implementation) else {
            return vec![Some(0); own.len()];
        };
        let screen = match is_many {
            false => Screen::new(own),
            true => {
                let suspects = self.suspects_of_part(self.a_little_before(), own);
                let suspects = suspects.into_iter();
                let most = suspects.map(|suspect| if suspect { STEPS } else { STEPS_OF_UNLIKELY });
                Screen::within(own, most.collect())
            }
        };
        screen.run(&mut plain, self, 0..self.stretch.inputs.len())
    }
}

/// What is found of each mutant, by as many cores as there are: those of a site come together to one.
fn in_parts<T: Copy + Send>(
    mutants: &[Mutant],
    none: T,
    find: impl Fn(&[Mutant]) -> Vec<T> + Sync,
) -> Vec<T> {
    let parts = match mutants.len() > MANY {
        true => cores::count() * PARTS,
        false => cores::count(),
    };
    let of_part = |part: usize| {
        let is_own = move |&number: &usize| mutants[number].site as usize % parts == part;
        (0..mutants.len()).filter(is_own)
    };
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                return found;
            }
            let own: Vec<Mutant> = of_part(part).map(|number| mutants[number]).collect();
            if !own.is_empty() {
                found.push((part, find(&own)));
            }
        }
    };
    let mut of_all = vec![none; mutants.len()];
    for (part, of_own) in cores::on_all(work) {
        for (number, of_one) in of_part(part).zip(of_own) {
            of_all[number] = of_one;
        }
    }
    of_all
}
