//! Mutants of a netlist that no run has killed: equal to the design for all inputs, or killed by stimulus that a solver finds.
//!
//! The netlist has all mutants in it, and a port for the number of the one that is meant.

use pmu_model::CycleInput;

use crate::correspondence::Correspondence;
use crate::cycle::Cycle;
use crate::netlist::NetlistError;
use crate::proof::{Area, Defect, Found, Prover};
use crate::symbol::{circuit, forget};

/// What became of a mutant.
#[derive(Clone, Debug)]
pub enum Judged {
    /// No register and no output is another one, in any state and for any input that may be driven.
    Same,
    /// There is one in some state, which may be one that the design never comes to: so many claims are about what is another one, and all of them hold.
    Equivalent(usize),
    /// A claim does not hold, and stimulus shows it.
    Killed(String, Vec<CycleInput>),
    /// This claim was not finished in its time, or does not hold in a state to which no stimulus was found.
    NotDecided(String),
}

/// A mutant could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// A proof is none.
    #[error(transparent)]
    Defect(#[from] Defect),
    /// The netlist has no such port.
    #[error(transparent)]
    Netlist(#[from] NetlistError),
}

/// Judges the mutants of a netlist.
pub struct Judge<'a> {
    prover: Prover<'a>,
    names: &'a Correspondence,
    port: &'a str,
    /// All there is to prove, and what of the netlist it is about.
    parts: Vec<(Area, usize, Vec<u32>)>,
}

impl<'a> Judge<'a> {
    /// Of the netlist of `prover`, in which `port` has the number of the mutant that is meant, 0 for none.
    ///
    /// # Errors
    /// There is no such port.
    pub fn new(
        prover: &Prover<'a>,
        names: &'a Correspondence,
        port: &'a str,
    ) -> Result<Self, NetlistError> {
        let prover = prover.choosing(port, 0)?;
        Ok(Self {
            parts: prover.parts(),
            prover,
            names,
            port,
        })
    }

    /// The claims that do not hold of the design without a mutant.
    ///
    /// # Errors
    /// A proof is none.
    pub fn wrong_without(&self) -> Result<Vec<String>, JudgeError> {
        let mut wrong = Vec::new();
        for &(area, place, _) in &self.parts {
            self.prover.prove_counter(area, place, &mut |claim| {
                if claim.result != Found::Proved {
                    wrong.push(claim.claim);
                }
            })?;
        }
        Ok(wrong)
    }

    /// What there is to say of a mutant.
    ///
    /// # Errors
    /// A proof is none.
    pub fn judge(&self, number: u64) -> Result<Judged, JudgeError> {
        let mutant = self.prover.choosing(self.port, number)?;
        let Some(touched) = self.touched(&mutant)? else {
            return Ok(Judged::Same);
        };
        let mut claims = 0;
        let mut open = None;
        for (area, place) in touched {
            let mut refuted = None;
            mutant.prove_counter(area, place, &mut |claim| {
                claims += 1;
                match claim.result {
                    Found::Proved => {}
                    Found::NotDecided => open = Some(claim.claim),
                    Found::Refuted => {
                        refuted.get_or_insert(claim.claim);
                    }
                }
            })?;
            if let Some(claim) = refuted {
                match mutant.stimulus(self.names, (area, place), &claim)? {
                    Some(cycles) => return Ok(Judged::Killed(claim, cycles)),
                    None => open = Some(claim),
                }
            }
        }
        Ok(match open {
            Some(claim) => Judged::NotDecided(claim),
            None => Judged::Equivalent(claims),
        })
    }

    /// What there is to prove that is about anything that is another one in the mutant; `None` if nothing is.
    ///
    /// # Errors
    /// A proof is none.
    fn touched(&self, mutant: &Prover<'_>) -> Result<Option<Vec<(Area, usize)>>, JudgeError> {
        forget();
        let any = circuit(|circuit| self.prover.any(circuit));
        let (mut right, mut other) = (any.clone(), any);
        self.prover.choose(&mut right);
        mutant.choose(&mut other);
        let mut cycle = Cycle::of(right, self.prover.signals);
        let legal = self.prover.legal(&mut cycle);
        let right = &mut cycle.frame;
        let differs = circuit(|circuit| right.any_differs(circuit, &mut other));
        if self.prover.is_never(&[legal, differs])? {
            return Ok(None);
        }
        let parts = self.parts.iter();
        let touched = circuit(|circuit| {
            let touched =
                parts.filter(|(.., literals)| right.differ(circuit, &mut other, literals));
            touched.map(|&(area, place, _)| (area, place)).collect()
        });
        Ok(Some(touched))
    }
}
