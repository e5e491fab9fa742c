//! Which bits of a design are which bits of the contract.
//!
//! A bit that is the same in some thousand cycles may be so by chance. What has a counterpart has it by a rule: bit *i* of a
//! signal is bit *i* of a register, what instance *n* has is of counter *n*. So the bits of a signal, in all instances of
//! its module, choose one rule together, and each of them has the counterpart that the rule gives, whatever it did.

use std::collections::{HashMap, HashSet};

use super::OUTPUTS;
use super::columns::{Column, get, set};
use super::contract::{Known, Quantity};
use super::stretch::Stretch;

/// Changes from which a bit has a say.
const LEAST_CHANGES: u32 = 2;
/// Changes from which a single bit is believed.
const ALONE: u32 = 12;
/// Counterparts of a bit that are looked at, at most.
const MOST: usize = 200;
/// Lanes of vectors, in bits.
const LANES: [u32; 4] = [1, 8, 16, 64];

/// A bit of a design.
pub struct Bit<'a> {
    /// The signal of the dump.
    pub wave: u32,
    pub bit: u32,
    /// Its name, with `*` for every number in brackets, and these numbers.
    pub name: &'a str,
    pub indices: &'a [u32],
    pub column: &'a Column,
}

/// What a bit of a design is.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    /// The bit of the contract that it should be.
    pub with: u32,
    /// Whether it is the opposite.
    pub inverted: bool,
}

/// Things of the contract with numbers.
type Family = u32;

/// How bits of a signal come to their counterparts: which thing of a family, and which bit of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Rule {
    /// Always the same one; bits in order.
    One { at: i32, bits: i32 },
    /// That of an index of the instance; bits in order.
    OfIndex { index: u8, at: i32, bits: i32 },
    /// That of a lane.
    OfLane { lane: u32, at: i32, bits: i32 },
    /// A bit by an index of the instance.
    BitOfIndex { index: u8, at: i32, bits: i32 },
}

impl Rule {
    /// All by which a bit comes to a counterpart.
    fn all(bit: &Bit<'_>, at: u32, to: u32) -> Vec<Self> {
        let (at, to, position) = (at as i32, to as i32, bit.bit as i32);
        let mut all = vec![Self::One {
            at,
            bits: to - position,
        }];
        for (index, &number) in bit.indices.iter().enumerate() {
            let (index, number) = (index as u8, number as i32);
            all.push(Self::OfIndex {
                index,
                at: at - number,
                bits: to - position,
            });
            if position == 0 {
                all.push(Self::BitOfIndex {
                    index,
                    at,
                    bits: to - number,
                });
            }
        }
        for lane in LANES {
            let (of, within) = (bit.bit / lane, bit.bit % lane);
            all.push(Self::OfLane {
                lane,
                at: at - of as i32,
                bits: to - within as i32,
            });
        }
        all
    }

    /// The counterpart of a bit.
    fn of(self, bit: &Bit<'_>) -> Option<(u32, u32)> {
        let index = |index: u8| bit.indices.get(usize::from(index)).map(|&n| n as i32);
        let position = bit.bit as i32;
        let (at, to) = match self {
            Self::One { at, bits } => (at, position + bits),
            Self::OfIndex { index: i, at, bits } => (at + index(i)?, position + bits),
            Self::OfLane { lane, at, bits } => {
                (at + (bit.bit / lane) as i32, (bit.bit % lane) as i32 + bits)
            }
            Self::BitOfIndex { index: i, at, bits } => (at, index(i)? + bits),
        };
        Some((u32::try_from(at).ok()?, u32::try_from(to).ok()?))
    }
}

/// A number for the family, and the place in it.
fn place(quantity: Quantity) -> (Family, u32) {
    match quantity {
        Quantity::State(word) => (0, word.into()),
        Quantity::Output => (1, 0),
        Quantity::Input => (2, 0),
        Quantity::Site(site, at) => (3 + site as u32, at.into()),
    }
}

/// Bits of the contract that are known in the same cycles.
struct Group {
    /// Those cycles, where the design is right.
    mask: Vec<u64>,
    /// The word in which most bits change, and what they are in it.
    telling: usize,
    seen: HashSet<u64>,
    /// The bits by what they are there.
    by_value: HashMap<u64, Vec<Candidate>>,
}

/// A bit of the contract in the cycles of a group.
struct Candidate {
    with: u32,
    /// Whether its value is that of its opposite.
    flipped: bool,
    /// How often it changes.
    changes: u32,
}

/// Finds what bits of the contract the bits of a design are.
pub struct Miner<'a> {
    known: &'a [Known],
    /// By family, thing and bit.
    places: HashMap<(Family, u32, u32), u32>,
    groups: Vec<Group>,
    /// Cycles of stretches in which nothing is wrong.
    clean: Vec<u64>,
}

impl<'a> Miner<'a> {
    pub fn new(known: &'a [Known], stretches: &[Stretch], words: usize) -> Self {
        let mut right = vec![0u64; words];
        let mut clean = vec![0u64; words];
        for stretch in stretches {
            let end = match stretch.divergent {
                Some(divergent) => divergent / 2,
                None => stretch.cycles,
            };
            // Out of reset, what was before is still to be seen.
            for cycle in stretch.first + 2..stretch.first + end {
                set(&mut right, cycle);
                if stretch.divergent.is_none() {
                    set(&mut clean, cycle);
                }
            }
        }
        let mut miner = Self {
            known,
            places: HashMap::new(),
            groups: Vec::new(),
            clean,
        };
        let mut numbers: HashMap<Vec<u64>, usize> = HashMap::new();
        for (with, known) in known.iter().enumerate() {
            let (family, at) = place(known.quantity);
            miner.places.insert((family, at, known.bit), with as u32);
            let mask: Vec<u64> = (0..words)
                .map(|word| right[word] & known.column.mask(word))
                .collect();
            let changes = changes(&known.column, &mask);
            if changes < LEAST_CHANGES {
                continue;
            }
            let next = miner.groups.len();
            let group = *numbers.entry(mask.clone()).or_insert(next);
            if group == next {
                let telling = (0..words).max_by_key(|&word| mask[word].count_ones());
                miner.groups.push(Group {
                    mask,
                    telling: telling.unwrap_or(0),
                    seen: HashSet::new(),
                    by_value: HashMap::new(),
                });
            }
            let group = &mut miner.groups[group];
            let (hash, flipped) = Self::hash(&known.column, &group.mask);
            let (bits, mask) = (known.column.bits[group.telling], group.mask[group.telling]);
            group.seen.extend([bits & mask, !bits & mask]);
            group.by_value.entry(hash).or_default().push(Candidate {
                with: with as u32,
                flipped,
                changes,
            });
        }
        miner
    }

    /// What a bit is in the cycles of a mask, and whether it is the opposite of that.
    fn hash(column: &Column, mask: &[u64]) -> (u64, bool) {
        let first = mask.iter().position(|&mask| mask != 0).unwrap_or(0);
        let lowest = mask[first] & mask[first].wrapping_neg();
        let flip = if column.bits[first] & lowest == 0 {
            0
        } else {
            u64::MAX
        };
        let words = column.bits.iter().zip(mask);
        let seen = words.map(|(bits, mask)| (bits ^ flip) & mask);
        // Of FNV, a word at a time.
        let hash = seen.fold(0xcbf2_9ce4_8422_2325_u64, |hash, word| {
            (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        (hash, flip != 0)
    }

    /// What the bits of a design are, all of which have the same name.
    pub fn find(&self, bits: &[Bit<'_>]) -> Vec<Option<Match>> {
        if bits.first().is_some_and(|bit| bit.name.ends_with(OUTPUTS)) {
            let of = |bit: &Bit<'_>| {
                let with = *self.places.get(&(1, 0, bit.bit))?;
                let inverted = false;
                Some(Match { with, inverted })
            };
            return bits.iter().map(of).collect();
        }
        let active = bits.iter().filter(|bit| bit.column.changes > 0);
        let mut votes: HashMap<(Family, Rule, bool), (usize, u32)> = HashMap::new();
        let number = active.clone().count();
        for bit in active {
            let mut own: HashMap<(Family, Rule, bool), u32> = HashMap::new();
            for group in &self.groups {
                let here = bit.column.bits[group.telling] & group.mask[group.telling];
                if !group.seen.contains(&here) {
                    continue;
                }
                let (hash, flipped) = Self::hash(bit.column, &group.mask);
                let found = group.by_value.get(&hash).into_iter().flatten();
                for candidate in found.take(MOST) {
                    let known = &self.known[candidate.with as usize];
                    let (family, at) = place(known.quantity);
                    for rule in Rule::all(bit, at, known.bit) {
                        let key = (family, rule, flipped != candidate.flipped);
                        let most = own.entry(key).or_default();
                        *most = candidate.changes.max(*most);
                    }
                }
            }
            for (key, changes) in own {
                let vote = votes.entry(key).or_default();
                vote.0 += 1;
                vote.1 += changes;
            }
        }
        let mut votes: Vec<_> = votes.into_iter().collect();
        votes.sort_by_key(|&((family, rule, inverted), (count, changes))| {
            (std::cmp::Reverse((count, changes)), inverted, rule, family)
        });
        for ((family, rule, inverted), (count, changes)) in votes.into_iter().take(8) {
            if 2 * count < number || changes < ALONE {
                continue;
            }
            let of = |bit: &Bit<'_>| {
                let (at, to) = rule.of(bit)?;
                let with = *self.places.get(&(family, at, to))?;
                Some(Match { with, inverted })
            };
            let found: Vec<_> = bits.iter().map(of).collect();
            // What went wrong inside need not show.
            let pairs = found.iter().zip(bits);
            let pairs = pairs.filter_map(|(found, bit)| Some((bit, (*found)?)));
            let (mut all, mut clean) = (0, 0);
            for (bit, found) in pairs {
                all += 1;
                clean += usize::from(self.is_clean(bit.column, found));
            }
            let fits = 4 * clean >= 3 * all;
            if fits {
                return found;
            }
        }
        vec![None; bits.len()]
    }

    /// Whether a bit is what it should be wherever nothing is wrong.
    fn is_clean(&self, column: &Column, found: Match) -> bool {
        let known = &self.known[found.with as usize].column;
        let flip = if found.inverted { u64::MAX } else { 0 };
        self.clean.iter().enumerate().all(|(word, &clean)| {
            (column.bits[word] ^ known.bits[word] ^ flip) & known.mask(word) & clean == 0
        })
    }
}

/// How often a bit changes from one cycle of a mask to the next.
fn changes(column: &Column, mask: &[u64]) -> u32 {
    let mut changes = 0;
    let mut last = None;
    for (word, &mask) in mask.iter().enumerate() {
        let mut left = mask;
        while left != 0 {
            let cycle = 64 * word + left.trailing_zeros() as usize;
            left &= left - 1;
            let value = get(&column.bits, cycle);
            changes += u32::from(last.is_some_and(|last| last != value));
            last = Some(value);
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    const CYCLES: usize = 256;

    /// A bit that changes now and then, as `seed` has it.
    fn column(seed: u64) -> Column {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut bits = vec![0; CYCLES / 64];
        let mut changes = 0;
        let mut now = false;
        for cycle in 0..CYCLES {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            if state.is_multiple_of(5) {
                now = !now;
                changes += 1;
            }
            if now {
                set(&mut bits, cycle);
            }
        }
        let known = None;
        Column {
            bits,
            known,
            changes,
        }
    }

    /// Word 17 + n of the state, with 4 bits each.
    fn contract() -> Vec<Known> {
        let all = (0..8_u32).flat_map(|n| (0..4).map(move |bit| (n, bit)));
        let known = |(n, bit)| Known {
            quantity: Quantity::State(17 + n as u16),
            bit,
            column: column(u64::from(4 * n + bit + 1)),
        };
        all.map(known).collect()
    }

    /// Eight instances of a register of 4 bits.
    fn design(columns: &[Column]) -> Vec<Bit<'_>> {
        const INDICES: [[u32; 1]; 8] = [[0], [1], [2], [3], [4], [5], [6], [7]];
        let bits = columns.iter().enumerate().map(|(n, column)| Bit {
            wave: n as u32 / 4,
            bit: n as u32 % 4,
            name: "top.gen[*].register_q",
            indices: &INDICES[n / 4],
            column,
        });
        bits.collect()
    }

    fn stretch(divergent: Option<usize>) -> Stretch {
        Stretch {
            first: 0,
            cycles: CYCLES,
            divergent,
            is_last: false,
        }
    }

    #[test]
    fn instances_choose_one_rule() {
        let known = contract();
        let miner = Miner::new(&known, &[stretch(None)], CYCLES / 64);
        let columns: Vec<_> = known.iter().map(|known| known.column.clone()).collect();
        let found = miner.find(&design(&columns));
        for (n, found) in found.iter().enumerate() {
            let found = found.expect("a counterpart");
            assert_eq!((found.with as usize, found.inverted), (n, false));
        }
        // In no order, they have no rule, though each is somewhere.
        let mixed = (0..columns.len()).map(|n| columns[(n * 13 + 7) % columns.len()].clone());
        let mixed: Vec<_> = mixed.collect();
        assert!(miner.find(&design(&mixed)).iter().all(Option::is_none));
    }

    #[test]
    fn what_went_wrong_is_known_by_its_neighbours() {
        let known = contract();
        let failing = [stretch(Some(CYCLES - 8))];
        let miner = Miner::new(&known, &failing, CYCLES / 64);
        let mut columns: Vec<_> = known.iter().map(|known| known.column.clone()).collect();
        // Bit 2 is stuck.
        columns[2].bits.fill(0);
        columns[2].changes = 0;
        let found = miner.find(&design(&columns));
        assert_eq!(found[2].expect("a counterpart").with, 2);
    }
}
