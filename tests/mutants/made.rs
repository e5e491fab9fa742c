//! Which mutants there are.

use std::path::Path;

use pmu_lockstep::dut::chosen::MOST;

use crate::Error;
use crate::build::Checker;
use crate::mutant::Mutant;
use crate::source::Unit;
use crate::{draw, operators};

/// The mutants of a seed: those of what is part of the design as it is built, and that Verilator takes, all of them together.
///
/// # Errors
/// Verilator is not there, or refuses the design itself.
pub fn made(units: &[Unit], seed: u64, number: usize, folder: &Path) -> Result<Vec<Mutant>, Error> {
    let checker = Checker::new(units, folder)?;
    let left_out = checker.left_out()?;
    let mut all = operators::all_mutants(units);
    all.retain(|mutant| {
        let is_in = |(unit, range): &(usize, std::ops::Range<usize>)| {
            let place = mutant.replaced().next().map(|edit| edit.range.start);
            *unit == mutant.unit && place.is_some_and(|place| range.contains(&place))
        };
        !left_out.iter().any(is_in)
    });
    let number = number.min(MOST);
    let mut rest = draw::shuffled(all, seed).into_iter();
    let mut mutants: Vec<Mutant> = rest.by_ref().take(number).collect();
    loop {
        let together: Vec<_> = (1..)
            .zip(&mutants)
            .filter(|(_, mutant)| !mutant.is_alone())
            .collect();
        let refused = checker.refused(&together)?;
        let refused: Vec<_> = refused.iter().map(|place| together[*place].0).collect();
        if refused.is_empty() {
            return Ok(mutants);
        }
        let mut number = 0;
        mutants.retain(|_| {
            number += 1;
            !refused.contains(&number)
        });
        mutants.extend(rest.by_ref().take(refused.len()));
    }
}
