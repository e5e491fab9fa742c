//! The states that a PE can be in: Exception level and Security state.

use pmu_model::Implementation;
use pmu_model::contract::Thread;

const NON_SECURE: u8 = 0;
const SECURE: u8 = 1;
const REALM: u8 = 2;
const ROOT: u8 = 3;

/// The states of an implementation, and the ways between them.
#[derive(Clone, Debug)]
pub(super) struct States {
    /// All states, in the coding of [`Thread::state`], without Streaming mode.
    pub(super) all: Vec<u8>,
    /// By state: where an exception goes, and where an exception return goes. Levels above EL0 have two entries.
    entries: [Vec<u8>; 16],
    returns: [Vec<u8>; 16],
    /// The state after a reset: the highest level.
    pub(super) highest: u8,
    pub(super) has_el2: bool,
    pub(super) has_secure_el2: bool,
    pub(super) has_streaming: bool,
}

impl States {
    pub(super) fn of(implementation: &Implementation) -> Self {
        let pe = &implementation.pe;
        let state = |level, security| Thread::state_of(level, security, false);
        let mut all = Vec::new();
        for (security, exists, el2) in [
            (NON_SECURE, true, pe.el2),
            (SECURE, pe.el3, pe.sel2),
            (REALM, pe.rme, pe.el2),
        ] {
            let levels = (0..=2).filter(|&level| exists && (level < 2 || el2));
            all.extend(levels.map(|level| state(level, security)));
        }
        if pe.el3 {
            all.push(state(3, if pe.rme { ROOT } else { SECURE }));
        }
        let level = |state: u8| state & 3;
        let ways = |from: u8, up: bool| {
            let mut to = Vec::new();
            for &state in &all {
                // Only EL3 changes the Security state.
                let reaches = level(state) == 3 || level(from) == 3 || state >> 2 == from >> 2;
                if reaches && (level(state) > level(from)) == up && level(state) != level(from) {
                    // EL0 has access to least.
                    let twice = level(state) > 0;
                    to.extend(std::iter::repeat_n(state, 1 + usize::from(twice)));
                }
            }
            if to.is_empty() { vec![from] } else { to }
        };
        Self {
            entries: std::array::from_fn(|from| ways(from as u8, true)),
            returns: std::array::from_fn(|from| ways(from as u8, false)),
            highest: *all
                .iter()
                .max_by_key(|&&state| (level(state), 3 - (state >> 2)))
                .expect("EL0 and EL1 are always there"),
            all,
            has_el2: pe.el2,
            has_secure_el2: pe.sel2,
            has_streaming: pe.sme,
        }
    }

    /// Where an exception (`up`) or an exception return leads.
    pub(super) fn ways(&self, from: u8, up: bool) -> &[u8] {
        let ways = if up { &self.entries } else { &self.returns };
        &ways[usize::from(from & 15)]
    }

    /// Whether EL2 is enabled in `state`, if it is for Secure state as `secure_el2` says. `any` is for states in which it
    /// does not matter.
    pub(super) fn el2_enabled(&self, state: u8, secure_el2: bool, any: bool) -> bool {
        match (state & 3, state >> 2 & 3) {
            _ if !self.has_el2 => any,
            (2, _) => true,
            (3, _) => any,
            (_, SECURE) => self.has_secure_el2 && secure_el2,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(change: impl FnOnce(&mut pmu_model::implementation::Pe)) -> Vec<u8> {
        let mut implementation = Implementation::default();
        change(&mut implementation.pe);
        implementation.validate().unwrap();
        States::of(&implementation).all
    }

    #[test]
    fn levels_and_security_states_by_feature() {
        // EL0 to EL2 of each Security state, and EL3 in Root.
        assert_eq!(states(|_| ()), [0, 1, 2, 4, 5, 6, 8, 9, 10, 15]);
        assert_eq!(states(|pe| pe.rme = false), [0, 1, 2, 4, 5, 6, 7]);
        assert_eq!(
            states(|pe| (pe.rme, pe.sel2) = (false, false)),
            [0, 1, 2, 4, 5, 7]
        );
        assert_eq!(
            states(|pe| (pe.rme, pe.sel2, pe.el2) = (false, false, false)),
            [0, 1, 4, 5, 7]
        );
        assert_eq!(
            states(|pe| (pe.rme, pe.sel2, pe.el3) = (false, false, false)),
            [0, 1, 2]
        );
    }

    #[test]
    fn only_el3_changes_the_security_state() {
        let states = States::of(&Implementation::default());
        assert_eq!(states.highest, 15);
        // From Secure EL1: to Secure EL2 and EL3, and back to Secure EL0.
        assert_eq!(states.ways(5, true), [6, 6, 15, 15]);
        assert_eq!(states.ways(5, false), [4]);
        assert_eq!(states.ways(15, true), [15]);
        assert_eq!(states.ways(15, false).len(), 15);
        for &from in &states.all {
            for up in [false, true] {
                assert!(
                    states
                        .ways(from, up)
                        .iter()
                        .all(|to| states.all.contains(to))
                );
            }
        }
    }
}
