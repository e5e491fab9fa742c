//! Mutants of the contract that are tried, and those that are said.

use pmu_model::SysReg;
use pmu_model::contract::COUNTER_LANES;
use pmu_model::plain::{
    At, Instances, Kind, Moment, Mutant, Mutation, Operators, Plain, Right, Site, When,
};

use super::Candidate;
use super::bench::Bench;
use super::scene::Scene;

/// The mutants of every site, and those of writes under a condition.
pub(super) fn general() -> Vec<Mutant> {
    let of_writes = Mutant::of(Site::WriteTaken).into_iter();
    let of_writes = of_writes.flat_map(|mutant| {
        let under = move |when| Mutant { when, ..mutant };
        When::OF_WRITES.map(under)
    });
    let enables = [Site::WriteEnabled, Site::AllEnabled, Site::ControlEnabled];
    let with_clock = enables
        .into_iter()
        .flat_map(Mutant::of)
        .map(|mutant| Mutant {
            when: When::Clocked,
            ..mutant
        });
    let always = Site::ALL.iter().copied().flat_map(Mutant::of);
    always
        .chain(of_writes)
        .chain(with_clock)
        .chain(of_some_counters())
        .collect()
}

/// Those of bits that act for some counters alone, as where a mask is too narrow.
fn of_some_counters() -> impl Iterator<Item = Mutant> {
    let is_bit = |site: &Site| {
        let bit = matches!(site.kind(), Kind::Bit | Kind::Never | Kind::Always);
        bit && matches!(site.instances(), Instances::Counters)
    };
    let of = |site| Mutant::of_instances(site, [At::Events]);
    let mutants = Site::ALL.iter().copied().filter(is_bit).flat_map(of);
    let whens = [
        When::CountersFrom(8),
        When::CountersFrom(16),
        When::CounterIsOdd(true),
        When::CounterIsOdd(false),
    ];
    mutants.flat_map(move |mutant| whens.map(|when| Mutant { when, ..mutant }))
}

/// Those of what a reset does.
pub(super) fn of_resets() -> Vec<Mutant> {
    let mut resets = general();
    resets.retain(|mutant| mutant.site.rule() == "DUT-11");
    resets
}

/// The mutants of counters by themselves.
fn of_counters(counters: impl IntoIterator<Item = usize>) -> Vec<Mutant> {
    let is_of_counters = |site: &Site| matches!(site.instances(), Instances::Counters);
    let sites = Site::ALL.iter().copied().filter(is_of_counters);
    let instances: Vec<_> = counters.into_iter().map(|n| At::One(n as u16)).collect();
    sites
        .flat_map(|site| Mutant::of_instances(site, instances.iter().copied()))
        .collect()
}

/// Those of mutants which all explain the same cycles that are worth saying, where so many cycles tell them from the model.
pub(super) fn said(explaining: Vec<Candidate>, telling: usize) -> Vec<Candidate> {
    let mutants = explaining.iter().filter_map(|candidate| match candidate {
        Candidate::Mutant(mutant) => Some(*mutant),
        _ => None,
    });
    let told = mutants.filter(|mutant| telling >= least_evidence(mutant));
    let distinct = distinct(told.collect()).into_iter();
    distinct.map(Candidate::Mutant).collect()
}

/// Cycles that must tell a mutant from the model before it is said: one of so many explains a single cycle by chance, the more
/// so if it acts under a condition or for one counter alone.
fn least_evidence(mutant: &Mutant) -> usize {
    let counter = matches!(mutant.site.instances(), Instances::Counters)
        && matches!(mutant.at, At::One(n) if usize::from(n) + 1 < COUNTER_LANES);
    match (mutant.when, mutant.and) {
        (When::Always, When::Always) if !counter => 2,
        (_, When::Always) => 8,
        _ => 12,
    }
}

/// Those of mutants that all explain the same cycles that are worth saying: of those that differ in when or for what they
/// act the most general one, and of a site one.
fn distinct(mut mutants: Vec<Mutant>) -> Vec<Mutant> {
    let narrowness = |mutant: &Mutant| {
        let at = match mutant.at {
            At::All => 0,
            At::Group(_) | At::Events => 1,
            At::One(_) => 2,
        };
        let conditions = [mutant.when, mutant.and].into_iter();
        (conditions.filter(|&when| when != When::Always).count(), at)
    };
    // What is said of a bit is said better without its value before.
    let plainness = |mutant: &Mutant| match mutant.mutation {
        Mutation::Inverted | Mutation::Flipped(_) => 1,
        Mutation::Neighbour(_) | Mutation::Paired | Mutation::Saturates(_) => 2,
        _ => 0,
    };
    mutants.sort_by_key(|mutant| (narrowness(mutant), plainness(mutant)));
    let sites: Vec<Site> = mutants.iter().map(|mutant| mutant.site).collect();
    mutants.retain(|mutant| {
        mutant
            .site
            .whole()
            .is_none_or(|whole| !sites.contains(&whole))
    });
    let mut distinct: Vec<Mutant> = Vec::new();
    for mutant in mutants {
        if !distinct.iter().any(|other| other.site == mutant.site) {
            distinct.push(mutant);
        }
    }
    distinct
}

/// Those of mutants that are marked.
fn kept(mutants: Vec<Mutant>, marked: &[bool]) -> Vec<Mutant> {
    let marked = mutants.into_iter().zip(marked);
    marked
        .filter_map(|(mutant, &is)| is.then_some(mutant))
        .collect()
}

/// Mutants under each of some pairs of conditions.
fn under(mutants: &[Mutant], whens: impl Iterator<Item = (When, When)> + Clone) -> Vec<Mutant> {
    let under = |&mutant: &Mutant| {
        let whens = whens.clone();
        whens.map(move |(when, and)| Mutant {
            when,
            and,
            ..mutant
        })
    };
    mutants.iter().flat_map(under).collect()
}

/// Every one of the first with every one of the second.
fn pairs<'a>(first: &'a [When], second: &'a [When]) -> impl Iterator<Item = (When, When)> + Clone {
    first
        .iter()
        .flat_map(move |&when| second.iter().map(move |&and| (when, and)))
}

impl Bench<'_> {
    /// Mutants that act for one counter alone, or under a condition that holds in the divergent cycle, and explain the cycles
    /// up to that one, from a little before.
    pub(super) fn narrower(&self) -> Vec<Mutant> {
        let Some(scene) = self.scene() else {
            return Vec::new();
        };
        let alone = |when: &When| (*when, When::Always);
        let whens = [&scene.access, &scene.state, &scene.numbers, &scene.occurs];
        let whens = whens.into_iter().flatten().map(alone);
        let mut all = scene.suspects.clone();
        all.extend(under(&scene.suspects, whens));
        all.extend(under(&scene.of_event, scene.events.iter().map(alone)));
        all.extend(of_counters(scene.counters.iter().copied()));
        all
    }

    /// Mutants that act under two conditions that hold in the divergent cycle.
    pub(super) fn narrowest(&self) -> Vec<Mutant> {
        let Some(scene) = self.scene() else {
            return Vec::new();
        };
        let mut all = under(&scene.suspects, pairs(&scene.access, &scene.state));
        for others in [&scene.state, &scene.numbers, &scene.occurs] {
            all.extend(under(&scene.of_event, pairs(&scene.events, others)));
        }
        all
    }

    /// What the divergent cycle is, found once.
    fn scene(&self) -> Option<&Scene> {
        self.scene.get_or_init(|| self.find_scene()).as_ref()
    }

    fn find_scene(&self) -> Option<Scene> {
        let divergent = self.stretch.divergent;
        let mut wide = general();
        wide.extend(of_counters(0..COUNTER_LANES));
        let suspects = self.suspects(&wide);
        let suspects = kept(wide, &suspects);
        let (moment, plain) = self.moment(divergent)?;
        let (access, state) = When::all(&moment)
            .into_iter()
            .partition(|when| when.is_of_access());
        let counters = self.counters(&moment);
        let mut numbers = Vec::new();
        let mut events = Vec::new();
        let mut of_event = Vec::new();
        for &n in &counters {
            let from = [8, 16].into_iter().filter(|&from| n >= from);
            numbers.extend(from.map(|from| When::CountersFrom(from as u8)));
            numbers.push(When::CounterIsOdd(n % 2 == 1));
            numbers.push(When::Counter(n as u8));
            if n + 1 < COUNTER_LANES {
                events.extend(When::of_event(plain.shown_event(n)));
            }
        }
        if let Some(&when) = events.first() {
            let wide = under(&general(), [(when, When::Always)].into_iter());
            let suspects = self.suspects_from(divergent, &wide);
            of_event = kept(wide, &suspects);
        }
        numbers.dedup();
        events.dedup();
        let lanes = 0..u64::BITS as u8;
        let occurring = lanes.filter(|lane| moment.around.occurs >> lane & 1 == 1);
        Some(Scene {
            suspects,
            of_event,
            counters,
            access,
            state,
            numbers,
            events,
            occurs: occurring.map(When::Occurs).collect(),
        })
    }

    /// The counters that the divergent cycle is about.
    fn counters(&self, moment: &Moment) -> Vec<usize> {
        let k = self.stretch.divergent;
        let (expected, rtl) = (&self.expected[k], &self.stretch.rtl[k]);
        let mut counters: Vec<usize> = (0..COUNTER_LANES)
            .filter(|&n| expected.increment[n] != rtl.increment[n])
            .collect();
        if expected.access_data == rtl.access_data {
            return counters;
        }
        match moment.register {
            Some(SysReg::Pmevcntr(n)) => counters.push(n.into()),
            Some(SysReg::Pmevtyper(n)) => counters.push(n.into()),
            Some(SysReg::Pmccntr | SysReg::Pmccfiltr) => counters.push(COUNTER_LANES - 1),
            Some(SysReg::Pmovsset | SysReg::Pmovsclr) => {
                let differs = expected.access_data ^ rtl.access_data;
                counters.extend((0..COUNTER_LANES).filter(|n| differs >> n & 1 == 1));
            }
            _ => {}
        }
        counters.truncate(4);
        counters
    }

    /// The events that some counters count in the divergent cycle.
    pub(super) fn events_of(&self, counters: impl Iterator<Item = usize>) -> Vec<u16> {
        let plain = self.moment(self.stretch.divergent).map(|(_, plain)| plain);
        let event = |n| plain.as_ref().map(|plain| plain.shown_event(n));
        counters.filter_map(event).collect()
    }

    /// A cycle, and the contract after it.
    fn moment(&self, last: usize) -> Option<(Moment, Plain)> {
        let mut plain = Plain::new(self.implementation).ok()?;
        let mut right = Right::default();
        for k in 0..=last {
            self.enter(&mut plain, k);
            let (input, byte) = self.cycle(k);
            plain.step(&mut right, input, byte);
        }
        Some((*right.moment(), plain))
    }
}
