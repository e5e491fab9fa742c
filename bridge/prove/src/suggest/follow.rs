//! Registers that follow the types of counters: what a design has decoded of them.

use std::collections::{BTreeSet, HashSet};

use super::contract::Seen;
use super::{COUNTERS, Name};
use crate::netlist::Netlist;

/// Runs in which something has to change before it is said to follow a type.
const CHANGES: u32 = 4;

/// Which registers change only where the type of one counter is written.
pub struct Follows {
    /// By register, the counters of which that is so.
    of: Vec<u32>,
    /// By register, the runs in which it has changed so far, without resets.
    changes: Vec<u32>,
}

impl Follows {
    /// Of so many registers.
    pub fn new(registers: usize) -> Self {
        Self {
            of: vec![u32::MAX; registers],
            changes: vec![0; registers],
        }
    }

    /// Looks at a cycle, and at which registers change at its end.
    pub fn look(&mut self, seen: &Seen, changed: &[u64]) {
        for ((of, changes), changed) in self.of.iter_mut().zip(&mut self.changes).zip(changed) {
            let changed = changed & !seen.reset;
            if changed == 0 || *of == 0 {
                continue;
            }
            *changes += changed.count_ones();
            for (n, types) in seen.types.iter().enumerate() {
                if changed & !types != 0 {
                    *of &= !(1 << n);
                }
            }
        }
    }

    /// Their names by counter, but for types themselves.
    pub fn names(
        &self,
        netlist: &Netlist,
        names: &[Name<'_>],
        types: &HashSet<String>,
    ) -> Vec<BTreeSet<String>> {
        let first = 1 + netlist.inputs();
        let registers = |of: &Name<'_>| {
            let bits = of.bits.iter().enumerate();
            let bits = bits.filter_map(|(bit, literal)| {
                let register = (((*literal)? >> 1) as usize).checked_sub(first)?;
                (register < self.of.len()).then_some((bit, register))
            });
            bits.collect::<Vec<_>>()
        };
        let of_types = names.iter().filter(|of| types.contains(of.name));
        let of_types = of_types.flat_map(registers);
        let mut taken: HashSet<usize> = of_types.map(|(_, register)| register).collect();
        let mut found = vec![BTreeSet::new(); COUNTERS];
        let mut scopes = HashSet::new();
        // What has never changed comes last: it is known by what is beside it.
        for of in names.iter().chain(names) {
            let mut registers = registers(of);
            registers.retain(|(_, register)| !taken.contains(register));
            let follows = registers.iter().filter_map(|&(bit, register)| {
                let counters = self.of[register];
                let is_one = counters.count_ones() == 1 && self.changes[register] >= CHANGES;
                is_one.then_some((bit, register, counters.trailing_zeros() as usize))
            });
            let mut follows: Vec<_> = follows.collect();
            let is_of_each = of.bits.len() == COUNTERS && follows.iter().all(|of| of.0 == of.2);
            if is_of_each && (!follows.is_empty() || scopes.contains(scope(of.name))) {
                scopes.insert(scope(of.name));
                // Bits that have never changed are those of the other counters.
                let still = registers.iter().filter(|(_, at)| self.changes[*at] == 0);
                follows.extend(still.map(|&(bit, register)| (bit, register, bit)));
            }
            let is_whole =
                follows.len() == of.bits.len() && follows.iter().all(|of| of.2 == follows[0].2);
            for &(bit, register, n) in &follows {
                taken.insert(register);
                found[n].insert(match is_whole {
                    true => of.name.to_owned(),
                    false => format!("{}[{bit}]", of.name),
                });
            }
        }
        found
    }
}

/// The module that a name is in.
fn scope(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(scope, _)| scope)
}
