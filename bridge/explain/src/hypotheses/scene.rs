//! What the divergent cycle is: what mutants that act under conditions are made of.

use pmu_model::plain::{Mutant, When};

/// What mutants that act under conditions are made of.
pub(super) struct Scene {
    /// Those that explain the cycles up to the divergent one, from a little before.
    pub(super) suspects: Vec<Mutant>,
    /// Those that explain the divergent one for the event of its counter.
    pub(super) of_event: Vec<Mutant>,
    /// The counters that the divergent cycle is about.
    pub(super) counters: Vec<usize>,
    /// Conditions that hold in the divergent cycle: of its access, of the PE, of counters, of their events, of other events.
    pub(super) access: Vec<When>,
    pub(super) state: Vec<When>,
    pub(super) numbers: Vec<When>,
    pub(super) events: Vec<When>,
    pub(super) occurs: Vec<When>,
}
