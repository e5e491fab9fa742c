//! The operators of the contract: each is a site at which a mutant can differ.

use super::mutant::{Mutant, Mutation, Relation};
use super::site::Site;
use super::when::Moment;

/// What the contract does at its sites.
///
/// The contract hands every value that it decides with to one of these, under the name of its site and with the number
/// of its instance: a counter, a row of a table. What comes back is what the contract goes on with.
pub trait Operators {
    /// The value at a site: `right`, or what `of` makes of it for a mutation.
    fn see(&mut self, site: Site, at: usize, right: u64, of: &dyn Fn(Mutation) -> u64) -> u64;

    /// What the cycle is, as far as it is known.
    fn moment(&mut self) -> &mut Moment;

    /// Whether what a counter shows is known to be wrong: the rest of the cycle is of no matter then, and is left out.
    #[inline(always)]
    fn is_refuted(&mut self, _counter: usize, _increment: u16) -> bool {
        false
    }

    /// A bit.
    #[inline(always)]
    fn bit(&mut self, site: Site, at: usize, value: bool) -> bool {
        self.see(site, at, value.into(), &|mutation| {
            mutation.of_bit(value).into()
        }) != 0
    }

    /// A number of as many bits as its site has.
    #[inline(always)]
    fn word(&mut self, site: Site, at: usize, value: u64) -> u64 {
        self.see(site, at, value, &|mutation| {
            mutation.of_word(value, site.width())
        })
    }

    /// Whether `left` and `right` are in a relation.
    #[inline(always)]
    fn compare(
        &mut self,
        site: Site,
        at: usize,
        relation: Relation,
        (left, right): (u64, u64),
    ) -> bool {
        self.see(
            site,
            at,
            relation.holds(left, right).into(),
            &|mutation| match mutation {
                Mutation::Relation(other) => other.holds(left, right).into(),
                Mutation::Signed => {
                    let signed = |value: u64| (value as u16 as i16 as u64) ^ 1 << 63;
                    relation.holds(signed(left), signed(right)).into()
                }
                other => other.of_bit(relation.holds(left, right)).into(),
            },
        ) != 0
    }

    /// One of several: the number of a thing among `count`.
    #[inline(always)]
    fn index(&mut self, site: Site, at: usize, index: usize, count: usize) -> usize {
        self.see(site, at, index as u64, &|mutation| {
            mutation.of_index(index, count) as u64
        }) as usize
    }

    /// A bit of a word, by its number.
    #[inline(always)]
    fn pick(&mut self, site: Site, at: usize, word: u64, bit: usize) -> bool {
        self.see(site, at, word >> bit & 1, &|mutation| match mutation {
            Mutation::Other(other) => word >> other & 1,
            other => other.of_bit(word >> bit & 1 == 1).into(),
        }) != 0
    }
}

/// The contract as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Right(Moment);

impl Operators for Right {
    #[inline(always)]
    fn see(&mut self, _: Site, _: usize, right: u64, _: &dyn Fn(Mutation) -> u64) -> u64 {
        right
    }

    #[inline(always)]
    fn moment(&mut self) -> &mut Moment {
        &mut self.0
    }
}

/// The contract with a mutant.
#[derive(Clone, Copy, Debug)]
pub struct Broken {
    mutant: Mutant,
    moment: Moment,
}

impl Broken {
    /// With this mutant.
    pub fn new(mutant: Mutant) -> Self {
        Self {
            mutant,
            moment: Moment::default(),
        }
    }
}

impl Operators for Broken {
    #[inline(always)]
    fn see(&mut self, site: Site, at: usize, right: u64, of: &dyn Fn(Mutation) -> u64) -> u64 {
        match self.mutant.site == site && self.mutant.acts(at, &self.moment) {
            true => of(self.mutant.mutation),
            false => right,
        }
    }

    #[inline(always)]
    fn moment(&mut self) -> &mut Moment {
        &mut self.moment
    }
}
