//! Registers that are in every cycle of every run what they begin with: bits of memories that no write reaches, and fields
//! that nothing sets. No reset says so, and so no proof takes it for granted; where all that is asked is whether a run can
//! notice something, it is true.

use std::collections::HashSet;
use std::sync::Arc;

use lockstep_stimulus::StimulusError;

use crate::circuit::{Circuit, Lit};
use crate::netlist::{Constants, NetlistError};
use crate::proof::Prover;
use crate::propagation::Propagation;
use crate::simulation::{Simulation, bits_of, stimulus};
use crate::symbol::{circuit, forget};

/// Cycles of random stimulus, the first of which are resets.
const CYCLES: usize = 2048;
const RESETS: usize = 2;

impl Prover<'_> {
    /// Registers that are always what they begin with; `port` is that of CycleInput.
    ///
    /// # Errors
    /// There is no such port, or no stimulus for the implementation.
    pub fn constants(&self, port: &str) -> Result<Constants, ConstantError> {
        let candidates = self.never_changed(port)?;
        forget();
        Ok(self.staying(candidates, HashSet::new()))
    }

    /// Those that are the same in all cycles of random stimulus, but for CycleInput, which may be anything.
    fn never_changed(&self, port: &str) -> Result<Constants, ConstantError> {
        let inputs = stimulus(self.implementation, (CYCLES, RESETS))?;
        let port = self.netlist.port(port)?;
        let mut simulation = Simulation::new(self.netlist, 1);
        simulation.put(self.netlist.begins());
        let mut is_same = vec![true; self.netlist.registers()];
        for cycle in 0..CYCLES {
            simulation.drive(port, &bits_of(&inputs, cycle));
            simulation.settle();
            let changes = simulation.changes();
            for (is_same, &change) in is_same.iter_mut().zip(&changes) {
                *is_same &= change == 0;
            }
            simulation.clock(&changes);
        }
        let frame = self.any_state();
        let of_input: HashSet<_> = frame.made_of(&self.signals.input).into_iter().collect();
        let same = self.netlist.begins().zip(is_same);
        let same = same.filter(|((variable, _), is_same)| *is_same && !of_input.contains(variable));
        Ok(same.map(|(register, _)| register).collect())
    }

    /// Those of some registers that take what they are, whatever is driven, while all of these are that: as far as that
    /// follows at once. What is known to be `never` 1 need not be looked at.
    fn staying(&self, mut constants: Constants, mut never: HashSet<Lit>) -> Constants {
        let mut propagation = Propagation::default();
        loop {
            let before = constants.len();
            let held = self.holding(Arc::new(constants.clone()));
            let changes = held.changes(&constants);
            circuit(|circuit| {
                let is_never = changes.iter().filter(|&&change| {
                    !never.contains(&change) && propagation.is_never(circuit, change)
                });
                let found: Vec<_> = is_never.copied().collect();
                never.extend(found);
            });
            let stays = constants.into_iter().zip(changes);
            let stays = stays.filter(|(_, change)| never.contains(change));
            constants = stays.map(|(constant, _)| constant).collect();
            if constants.len() == before {
                return constants;
            }
        }
    }

    /// Of each of some registers, whether it takes another value than this, in a circuit whose free bits are the same for
    /// all.
    fn changes(&self, registers: &Constants) -> Vec<Lit> {
        circuit(Circuit::again);
        let mut frame = self.any_state();
        circuit(|circuit| {
            let changes = registers
                .iter()
                .map(|&(variable, value)| frame.taken(circuit, variable).inverted_if(value));
            changes.collect()
        })
    }

    /// Those of the constants of `self` that are constants of a mutant of it as well.
    pub fn constants_of(&self, mutant: &Self) -> Arc<Constants> {
        let constants = self.held();
        forget();
        let never = self.changes(constants).into_iter().collect();
        let staying = mutant.staying(constants.to_vec(), never);
        match staying.len() == constants.len() {
            true => Arc::clone(constants),
            false => Arc::new(staying),
        }
    }
}

/// Constants cannot be found.
#[derive(Debug, thiserror::Error)]
pub enum ConstantError {
    /// The netlist has no such port.
    #[error(transparent)]
    Netlist(#[from] NetlistError),
    /// There is no stimulus for the implementation.
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
}
