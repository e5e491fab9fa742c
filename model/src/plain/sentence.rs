//! What the mutations of a site are, and how a mutant is said.

use std::fmt;

use crate::contract::CYCLE_COUNTER;
use crate::pmu::event_type::FIELDS;

use super::filter_rows::FILTER_ROWS;
use super::instances::{At, Instances};
use super::kinds::{GROUPS, KINDS};
use super::mutant::{Mutant, Mutation};
use super::site::{Kind, Site};
use super::when::When;

impl Site {
    /// The mutations that are tried here.
    pub fn mutations(self) -> Vec<Mutation> {
        use Mutation::*;
        let each = |bits: u8, of: fn(u8) -> Mutation| (0..bits).map(of).collect::<Vec<_>>();
        match self.kind() {
            Kind::Bit => vec![Inverted, Zero, One],
            Kind::And => vec![One, Inverted],
            Kind::Never => vec![One],
            Kind::Always => vec![Zero],
            Kind::Word(bits) => {
                let mut all = vec![Zero, Ones, Plus(1), Plus(-1), Shifted(true), Shifted(false)];
                all.extend((1..bits).map(Cut));
                all.extend((1..bits).map(Saturates));
                all.extend((0..bits.min(8)).map(|bit| AtMost(1 << bit)));
                all.extend(each(bits, |bit| Stuck(bit, false)));
                all.extend(each(bits, |bit| Stuck(bit, true)));
                all.extend(each(bits, Flipped));
                all.extend(each(bits - 1, Swapped));
                all.push(Negated);
                all.extend((bits == 16).then_some(BytesSwapped));
                // Cut(bits - 1) is the same.
                all.retain(|&mutation| mutation != Stuck(bits - 1, false));
                all
            }
            Kind::Register(bits) => {
                let mut all = vec![Zero, Ones, Plus(1), Plus(-1), Shifted(true), Shifted(false)];
                all.extend(
                    [8, 16, 31, 32]
                        .into_iter()
                        .filter(|&cut| cut < bits)
                        .map(Cut),
                );
                all.extend(each(bits, |bit| Stuck(bit, false)));
                all.extend(each(bits, |bit| Stuck(bit, true)));
                all.extend(each(bits, Flipped));
                all
            }
            Kind::Constant(bits) => {
                let mut all = vec![Zero, Ones, Plus(1), Plus(-1)];
                all.extend(each(bits, Flipped));
                all
            }
            Kind::Index(count) => {
                let mut all = vec![Neighbour(1), Neighbour(-1), Neighbour(2), Paired];
                match count {
                    0..=10 => all = each(count, Other),
                    _ => all.extend([Other(0), Other(count - 1)]),
                }
                all
            }
            Kind::Choice(names) => each(names.len() as u8, Other),
            Kind::Pick(names) => {
                let mut all = vec![Inverted, Zero, One];
                all.extend(each(names.len() as u8, Other));
                all
            }
            Kind::Compare => {
                let mut all = vec![Zero, One, Signed];
                all.extend(super::Relation::ALL.map(Relation));
                all
            }
        }
    }
}

impl Mutant {
    /// Every mutant of a site that acts always: of counters those of all, of the event counters, and of the cycle counter.
    pub fn of(site: Site) -> Vec<Self> {
        match site.instances() {
            Instances::One => Self::of_instances(site, [At::All]),
            Instances::Counters => {
                let cycles = At::One(CYCLE_COUNTER as u16);
                Self::of_instances(site, [At::All, At::Events, cycles])
            }
            named => {
                let count = named.named();
                let all = matches!(named, Instances::Named(_)) && count > 1;
                let groups = match count == KINDS.len() {
                    true => 0..GROUPS.len() as u8,
                    false => 0..0,
                };
                let all = all.then_some(At::All).into_iter();
                let single = (0..count as u16).map(At::One);
                let instances = all.chain(groups.map(At::Group)).chain(single);
                Self::of_instances(site, instances)
            }
        }
    }

    /// Every mutant of some instances of a site.
    pub fn of_instances(site: Site, instances: impl IntoIterator<Item = At>) -> Vec<Self> {
        let mutations = site.mutations();
        let of = |at: At| {
            mutations.iter().map(move |&mutation| Self {
                site,
                at,
                mutation,
                when: When::Always,
                and: When::Always,
            })
        };
        instances.into_iter().flat_map(of).collect()
    }

    /// The name of what it is about.
    fn noun(&self) -> String {
        let text = self.site.text();
        match self.site.instances().name(self.at) {
            Some(name) => text.replacen("{}", &name, 1),
            None => text.to_owned(),
        }
    }

    /// The name of a bit of what it is about.
    fn bit(&self, bit: u8) -> String {
        let is_type = self.site == Site::Stored
            || (self.site == Site::WrittenValue || self.site == Site::ReadValue)
                && matches!(self.at, At::One(9 | 10));
        let field = FIELDS
            .iter()
            .find(|field| is_type && field.low <= bit && bit <= field.high);
        match field {
            Some(field) if field.low == field.high => format!("{} in {}", field.name, self.noun()),
            Some(field) => format!("{}[{}] in {}", field.name, bit - field.low, self.noun()),
            None => format!("bit {bit} of {}", self.noun()),
        }
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = self.noun();
        match (self.site.kind(), self.mutation) {
            (Kind::Never | Kind::Always, _) => f.write_str(&noun)?,
            (Kind::And, Mutation::One) => write!(f, "{noun} is not looked at")?,
            (Kind::Bit, Mutation::Zero) if self.site == Site::Rule => {
                write!(f, "{noun} never applies")?;
            }
            (Kind::Bit, Mutation::One) if self.site == Site::Rule => {
                write!(f, "{noun} always applies")?;
            }
            (Kind::Bit, Mutation::Zero) if self.site == Site::MayCount => {
                f.write_str("the counter does not count")?;
            }
            (Kind::Compare, Mutation::Relation(relation)) => {
                write!(
                    f,
                    "the comparison of {noun} is made with {}",
                    relation.sign()
                )?;
            }
            (Kind::Compare, Mutation::Signed) => {
                write!(f, "the comparison of {noun} is one of signed numbers")?;
            }
            (Kind::Compare, Mutation::Zero) => write!(f, "the comparison of {noun} never holds")?,
            (Kind::Compare, _) => write!(f, "the comparison of {noun} always holds")?,
            (Kind::Choice(names), Mutation::Other(other)) => {
                let name = names.get(usize::from(other)).copied().unwrap_or("nothing");
                match self.site {
                    Site::AccessKind => write!(f, "{noun} is taken as {name}")?,
                    Site::SetOrClear | Site::WriteLate => write!(f, "{noun} {name}")?,
                    _ => write!(f, "{noun} is {name}")?,
                }
            }
            (Kind::Pick(names), Mutation::Other(other)) => {
                let name = names.get(usize::from(other)).copied().unwrap_or("nothing");
                write!(f, "{noun} is taken from {name}")?;
            }
            (Kind::Index(_), Mutation::Other(other)) => match self.site {
                Site::Order => {
                    write!(
                        f,
                        "in {noun} number {other} and number {} are exchanged",
                        other + 1
                    )?;
                }
                Site::FilterRow => {
                    write!(
                        f,
                        "{noun} is that for {}",
                        FILTER_ROWS[usize::from(other)].name
                    )?;
                }
                _ => write!(f, "{noun} is number {other}")?,
            },
            (_, mutation) => match mutation {
                Mutation::Inverted => write!(f, "{noun} is inverted")?,
                Mutation::Zero => write!(f, "{noun} is taken as 0")?,
                Mutation::Ones => write!(f, "{noun} is taken as all ones")?,
                Mutation::One => write!(f, "{noun} is taken as 1")?,
                Mutation::Cut(bits) => write!(f, "{noun} is cut to {bits} bits")?,
                Mutation::Saturates(bits) => write!(f, "{noun} saturates at {bits} bits")?,
                Mutation::AtMost(most) => write!(f, "{noun} is at most {most}")?,
                Mutation::Stuck(bit, value) => {
                    write!(f, "{} is stuck at {}", self.bit(bit), u8::from(value))?;
                }
                Mutation::Flipped(bit) => write!(f, "{} is inverted", self.bit(bit))?,
                Mutation::Swapped(bit) => {
                    write!(f, "bits {bit} and {} of {noun} are swapped", bit + 1)?;
                }
                Mutation::Plus(by) => write!(f, "{noun} is off by {by:+}")?,
                Mutation::Negated => {
                    write!(f, "{noun} is subtracted in place of added, or the reverse")?
                }
                Mutation::Shifted(true) => write!(f, "{noun} is shifted left by one")?,
                Mutation::Shifted(false) => write!(f, "{noun} is shifted right by one")?,
                Mutation::BytesSwapped => write!(f, "the bytes of {noun} are swapped")?,
                Mutation::Neighbour(by) => write!(f, "{noun} is off by {by:+}")?,
                Mutation::Paired => write!(f, "{noun} is that of the other of its pair: n ^ 1")?,
                Mutation::Relation(_) | Mutation::Signed | Mutation::Other(_) => {
                    write!(f, "{noun} is another")?;
                }
            },
        }
        if let (At::Events, Some(when)) = (self.at, self.when.of_event_counters()) {
            return write!(f, "{when}{}", self.and);
        }
        if let Instances::Counters = self.site.instances() {
            match self.at {
                At::All | At::Group(_) => {}
                At::One(31) => f.write_str(" for PMCCNTR_EL0 alone")?,
                At::One(n) => write!(f, " for counter {n} alone")?,
                At::Events => f.write_str(" for event counters")?,
            }
        }
        write!(f, "{}{}", self.when, self.and)
    }
}
