//! Mutants of the contract that are tried, and those that are said.

use pmu_model::SysReg;
use pmu_model::contract::COUNTER_LANES;
use pmu_model::plain::{
    At, Instances, Moment, Mutant, Mutation, Operators, Plain, Right, Site, When,
};

use super::Candidate;
use super::bench::Bench;
use super::screen::Screen;

/// Cycles before the divergent one in which a mutant of one counter can begin to act.
const BEFORE: usize = 12;

/// The mutants of every site, and those of writes under a condition.
pub(super) fn general() -> Vec<Mutant> {
    let of_writes = Mutant::of(Site::WriteTaken).into_iter();
    let of_writes = of_writes.flat_map(|mutant| {
        let under = move |when| Mutant { when, ..mutant };
        When::OF_WRITES.map(under)
    });
    let always = Site::ALL.iter().copied().flat_map(Mutant::of);
    always.chain(of_writes).collect()
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
    match counter || mutant.when != When::Always {
        true => 8,
        false => 2,
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
        (u8::from(mutant.when != When::Always), at)
    };
    // What is said of a bit is said better without its value before.
    let plainness = |mutant: &Mutant| match mutant.mutation {
        Mutation::Inverted | Mutation::Flipped(_) => 1,
        Mutation::Neighbour(_) | Mutation::Paired | Mutation::Saturates(_) => 2,
        _ => 0,
    };
    mutants.sort_by_key(|mutant| (narrowness(mutant), plainness(mutant)));
    let mut distinct: Vec<Mutant> = Vec::new();
    for mutant in mutants {
        if !distinct.iter().any(|other| other.site == mutant.site) {
            distinct.push(mutant);
        }
    }
    distinct
}

impl Bench<'_> {
    /// Mutants that act for one counter alone, or under a condition that holds in the divergent cycle, and explain the cycles
    /// up to that one, from a little before.
    pub(super) fn narrower(&self) -> Vec<Mutant> {
        let divergent = self.stretch.divergent;
        let from = divergent.saturating_sub(BEFORE);
        let Ok(mut plain) = Plain::new(self.implementation) else {
            return Vec::new();
        };
        let mut right = Right::default();
        for k in 0..from {
            let (input, byte) = self.cycle(k);
            plain.step(&mut right, input, byte);
        }
        let mut wide = general();
        wide.extend(of_counters(0..COUNTER_LANES));
        let misses = Screen::new(&wide).run(&mut plain, self, from..divergent + 1);
        let suspects = wide.iter().zip(misses).filter(|(_, miss)| miss.is_none());
        let suspects: Vec<Mutant> = suspects.map(|(&mutant, _)| mutant).collect();
        let moment = self.moment();
        let mut whens = When::all(&moment);
        let counters = self.counters(&moment);
        for &n in &counters {
            let from = [8, 16].into_iter().filter(|&from| n >= from);
            whens.extend(from.map(|from| When::CountersFrom(from as u8)));
            whens.push(When::CounterIsOdd(n % 2 == 1));
            whens.push(When::Counter(n as u8));
        }
        whens.dedup();
        let under = |&mutant: &Mutant| whens.iter().map(move |&when| Mutant { when, ..mutant });
        let conditional: Vec<_> = suspects.iter().flat_map(under).collect();
        let of_counters = of_counters(counters);
        let all = suspects.into_iter().chain(conditional);
        all.chain(of_counters).collect()
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

    /// The divergent cycle.
    fn moment(&self) -> Moment {
        let Ok(mut plain) = Plain::new(self.implementation) else {
            return Moment::default();
        };
        let mut right = Right::default();
        for k in 0..=self.stretch.divergent {
            let (input, byte) = self.cycle(k);
            plain.step(&mut right, input, byte);
        }
        *right.moment()
    }
}
