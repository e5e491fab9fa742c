//! Mutants of the contract, thousands side by side: the contract alone makes a step in every cycle, and a mutant one where
//! its site comes to something else, or where the cycle looks at what it left otherwise.

use std::ops::Range;
use std::panic::resume_unwind;
use std::thread;

use pmu_model::contract::COUNTER_LANES;
use pmu_model::plain::{
    At, Broken, Instances, Moment, Mutant, Mutation, Operators, Plain, Right, Site,
};

use super::bench::Bench;

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

/// The contract, watched: which mutants come to something else in a cycle.
struct Probe<'a> {
    mutants: &'a [Mutant],
    /// By place, those that have not come to their end.
    live: Vec<Vec<u32>>,
    /// The first place of each site.
    places: Vec<u32>,
    /// The cycle in which a mutant came to something else last.
    acted: Vec<u32>,
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
            if of(mutant.mutation) != right
                && mutant.acts(at, &self.moment)
                && self.acted[number as usize] != self.now
            {
                self.acted[number as usize] = self.now;
                self.acting.push(number);
            }
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

/// A mutant whose state is not that of the contract.
struct Fork {
    number: u32,
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
                let state = plain.state();
                self.probe.has_acted(fork.number)
                    || words.any(|word| state.was_read(word) || Plain::shows(word))
            })
            .collect();
        plain.state().undo();
        let acting = std::mem::take(&mut self.probe.acting);
        let alone = acting
            .iter()
            .filter(|&&number| !self.is_fork[number as usize]);
        let alone: Vec<Fork> = alone
            .map(|&number| Fork {
                number,
                differs: Vec::new(),
            })
            .collect();
        let mut ended = 0;
        if !right {
            ended += self.end_those_like_the_contract(k);
        }
        for (fork, looked_at) in forks.into_iter().zip(looked_at) {
            ended += usize::from(match looked_at {
                true => self.step(plain, bench, fork, k),
                false => self.follow(fork, right, k),
            });
        }
        for fork in alone {
            ended += usize::from(self.step(plain, bench, fork, k));
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

    /// A fork that does what the contract does in this cycle. Whether it came to its end.
    fn follow(&mut self, mut fork: Fork, right: bool, k: usize) -> bool {
        if !right {
            self.end(fork.number, k);
            return true;
        }
        let after = &self.after;
        fork.differs.retain(|&(word, _)| after.of(word).is_none());
        self.keep(fork);
        false
    }

    /// A mutant goes on: by itself where its state is another one.
    fn keep(&mut self, fork: Fork) {
        self.is_fork[fork.number as usize] = !fork.differs.is_empty();
        if !fork.differs.is_empty() {
            self.forks.push(fork);
        }
    }

    /// A step of a mutant by itself. Whether it came to its end.
    fn step(&mut self, plain: &mut Plain, bench: &Bench<'_>, fork: Fork, k: usize) -> bool {
        let (input, byte) = bench.cycle(k);
        let number = fork.number as usize;
        self.steps[number] += 1;
        let mutant = self.probe.mutants[number];
        let before: Vec<(u16, u64)> = fork
            .differs
            .iter()
            .map(|&(word, _)| (word, plain.state().word(word)))
            .collect();
        for &(word, value) in &fork.differs {
            plain.state().put(word, value);
        }
        let output = plain.step(&mut Broken::new(mutant), input, byte);
        let explains = bench.is_what_the_rtl_did(k, output);
        let goes_on = explains && self.steps[number] < self.most[number];
        let mut words: Vec<(u16, u64)> = match goes_on {
            true => {
                let written = plain.state().written().map(|(word, _)| word);
                let contract = self.after.words.iter().copied();
                let differs = fork.differs.iter().map(|&(word, _)| word);
                let mut words: Vec<u16> = written.chain(contract).chain(differs).collect();
                words.sort_unstable();
                words.dedup();
                let state = plain.state();
                words
                    .into_iter()
                    .map(|word| (word, state.word(word)))
                    .collect()
            }
            false => Vec::new(),
        };
        plain.state().undo();
        for &(word, value) in &before {
            plain.state().put(word, value);
        }
        if !goes_on {
            self.end(fork.number, k);
            return true;
        }
        let (state, after) = (plain.state(), &self.after);
        words.retain(|&(word, value)| after.of(word).unwrap_or_else(|| state.word(word)) != value);
        self.keep(Fork {
            number: fork.number,
            differs: words,
        });
        false
    }
}

impl Bench<'_> {
    /// Which mutants explain the cycles up to the divergent one, from the contract's state a little before.
    pub(super) fn suspects(&self, mutants: &[Mutant]) -> Vec<bool> {
        self.suspects_from(self.stretch.divergent.saturating_sub(BEFORE), mutants)
    }

    /// The same from cycle `from` on.
    pub(super) fn suspects_from(&self, from: usize, mutants: &[Mutant]) -> Vec<bool> {
        let Ok(mut plain) = Plain::new(self.implementation) else {
            return vec![false; mutants.len()];
        };
        let mut right = Right::default();
        for k in 0..from {
            self.enter(&mut plain, k);
            let (input, byte) = self.cycle(k);
            plain.step(&mut right, input, byte);
        }
        let misses = Screen::new(mutants).run(&mut plain, self, from..self.stretch.divergent + 1);
        misses.iter().map(Option::is_none).collect()
    }

    /// The first cycle that each mutant does not explain, or in which it was given up. Every core takes its share.
    pub(super) fn misses(&self, mutants: &[Mutant]) -> Vec<Option<usize>> {
        let jobs = thread::available_parallelism().map_or(1, usize::from);
        let work = |job: usize| {
            let own: Vec<Mutant> = mutants.iter().copied().skip(job).step_by(jobs).collect();
            match Plain::new(self.implementation) {
                Ok(mut plain) => {
                    let cycles = 0..self.stretch.inputs.len();
                    let screen = match mutants.len() > MANY {
                        false => Screen::new(&own),
                        true => Screen::within(&own, self.most_steps(&own)),
                    };
                    screen.run(&mut plain, self, cycles)
                }
                Err(_) => vec![Some(0); own.len()],
            }
        };
        let of_jobs: Vec<_> = thread::scope(|scope| {
            let workers: Vec<_> = (1..jobs)
                .map(|job| scope.spawn(move || work(job)))
                .collect();
            let mut of_jobs = vec![work(0)];
            for worker in workers {
                of_jobs.push(worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            of_jobs
        });
        (0..mutants.len())
            .map(|number| of_jobs[number % jobs][number / jobs])
            .collect()
    }

    /// The most steps that each of many mutants makes.
    fn most_steps(&self, mutants: &[Mutant]) -> Vec<u32> {
        let suspects = self.suspects(mutants).into_iter();
        let most = suspects.map(|suspect| if suspect { STEPS } else { STEPS_OF_UNLIKELY });
        most.collect()
    }
}
