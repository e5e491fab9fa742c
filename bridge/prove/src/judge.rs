//! Mutants of a netlist that no run has killed: equal to the design for all inputs, or killed by stimulus that a solver finds.
//!
//! The netlist has all mutants in it, and a port for the number of the one that is meant.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lockstep_stimulus::StimulusError;
use pmu_model::CycleInput;

use crate::circuit::{Circuit, Lit};
use crate::constant::ConstantError;
use crate::correspondence::Correspondence;
use crate::cycle::Cycle;
use crate::netlist::{NetlistError, Signal};
use crate::proof::{Area, Defect, Found, Prover};
use crate::simulation::{Simulation, bits_of, stimulus};
use crate::solver::{Answer, Likely, solve};
use crate::symbol::{circuit, forget};

/// What became of a mutant.
#[derive(Clone, Debug)]
pub enum Judged {
    /// Nothing that a claim is about is another one, in any state that may be and for any input that may be driven.
    Same,
    /// There is one in some state, which may be one that the design never comes to: so many claims are about what is another one,
    /// and all of them hold in every run.
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
    /// What registers always are cannot be found.
    #[error(transparent)]
    Constant(#[from] ConstantError),
    /// There is no stimulus for the implementation.
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
}

/// Judges the mutants of a netlist.
pub struct Judge<'a> {
    design: Arc<Prover<'a>>,
    names: &'a Correspondence,
    port: &'a str,
    limit: Duration,
    /// All there is to prove, and what of the netlist it is about.
    parts: Vec<(Area, usize, Vec<u32>)>,
    /// What else outputs show.
    unclaimed: Vec<u32>,
    /// The inputs of cycles.
    stimulus: Vec<Vec<u64>>,
}

impl<'a> Judge<'a> {
    /// Of the netlist of `prover`, in which `port` has the number of the mutant that is meant, 0 for none; within `limit` for
    /// each claim about a mutant.
    ///
    /// # Errors
    /// There is no such port.
    pub fn new(
        prover: &Prover<'a>,
        names: &'a Correspondence,
        port: &'a str,
        limit: Duration,
    ) -> Result<Self, JudgeError> {
        let inputs = stimulus(prover.implementation, (CYCLES, RESETS))?;
        let design = prover.choosing(port, 0)?;
        let constants = design.constants(&names.input_port)?;
        let design = Arc::new(design.holding(Arc::new(constants)));
        let parts = design.parts();
        let claimed: HashSet<_> = parts.iter().flat_map(|(.., of)| of).copied().collect();
        Ok(Self {
            stimulus: (0..CYCLES).map(|cycle| bits_of(&inputs, cycle)).collect(),
            unclaimed: design.netlist.outputs_besides(&claimed),
            parts,
            design,
            names,
            port,
            limit,
        })
    }

    /// All there is to prove; what takes longest is first.
    pub fn parts(&self) -> Vec<(Area, usize)> {
        let parts = self.parts.iter().rev();
        parts.map(|&(area, place, _)| (area, place)).collect()
    }

    /// The claims of a part that are not proved of the design without a mutant.
    ///
    /// # Errors
    /// A proof is none.
    pub fn open_without(&self, (area, place): (Area, usize)) -> Result<Vec<String>, JudgeError> {
        let mut open = Vec::new();
        self.design.prove_counter(area, place, &mut |claim| {
            if claim.result != Found::Proved {
                open.push(claim.claim);
            }
        })?;
        Ok(open)
    }

    /// The design as one of its mutants.
    fn mutant(&self, number: u64) -> Result<Prover<'a>, JudgeError> {
        let mut mutant = self.design.choosing(self.port, number)?;
        mutant.limit = self.limit;
        mutant.search = self.limit;
        let constants = self.design.constants_of(&mutant);
        Ok(mutant.holding(constants))
    }

    /// Whether nothing that a claim is about is another one in a mutant, as far as that is told at once.
    ///
    /// # Errors
    /// A proof is none.
    pub fn is_same(&self, number: u64) -> Result<bool, JudgeError> {
        let mutant = self.mutant(number)?;
        let touched = self.touched((&mutant, number), &[])?;
        Ok(touched.parts.is_empty() && !touched.shows_other)
    }

    /// What there is to say of a mutant.
    ///
    /// # Errors
    /// A proof is none.
    pub fn judge(&self, number: u64) -> Result<Judged, JudgeError> {
        let mutant = self.mutant(number)?;
        let touched = self.touched((&mutant, number), &[])?;
        if touched.shows_other {
            return Ok(Judged::NotDecided(
                "an output that no claim is about".into(),
            ));
        }
        let Touched {
            parts, same, moved, ..
        } = touched;
        if parts.is_empty() {
            return Ok(Judged::Same);
        }
        let design = Arc::new(self.design.holding(Arc::clone(mutant.held())));
        let merged = mutant.merged(&design, same);
        let (mut claims, mut open) = (0, None);
        for &(area, place) in &parts {
            let mut refuted = None;
            merged.prove_others(&design, (area, place), &mut |claim| {
                claims += 1;
                match claim.result {
                    Found::Proved => {}
                    Found::NotDecided => open = Some(format!("{}: not finished", claim.claim)),
                    Found::Refuted => {
                        refuted.get_or_insert(claim.claim);
                    }
                }
            })?;
            if let Some(claim) = refuted {
                // What no type needs is of no matter, and no stimulus shows it.
                if area == Area::Decode
                    && !moved.is_empty()
                    && let Some(claims) = self.holds_without((&mutant, number), &moved)?
                {
                    return Ok(Judged::Equivalent(claims));
                }
                if area == Area::Threshold && holds_but_for_resets(&merged, (area, place))? {
                    continue;
                }
                match mutant.stimulus(self.names, (area, place), &claim)? {
                    Some(cycles) => return Ok(Judged::Killed(claim, cycles)),
                    None => {
                        open = Some(format!("{claim}: does not hold, but no stimulus was found"))
                    }
                }
            }
        }
        Ok(match open {
            Some(claim) => Judged::NotDecided(claim),
            None => Judged::Equivalent(claims),
        })
    }

    /// Stimulus in which an access to a mutant has another outcome, or returns something else: for one in which a register is
    /// wrong, and right when it is read.
    ///
    /// # Errors
    /// A proof is none.
    pub fn by_access(&self, number: u64) -> Result<Option<Vec<CycleInput>>, JudgeError> {
        let mutant = self.mutant(number)?;
        let place = self.design.signals.cycle_counter;
        Ok(mutant.stimulus(self.names, (Area::Access, place), "")?)
    }

    /// Whether everything holds of a mutant in which some of what is decoded of types may be anything, and how many claims are
    /// about it.
    ///
    /// # Errors
    /// A proof is none.
    fn holds_without(
        &self,
        (mutant, number): (&Prover<'a>, u64),
        moved: &[Signal],
    ) -> Result<Option<usize>, JudgeError> {
        let signals = self.design.signals.without(moved);
        let Touched { parts, .. } = self.touched((mutant, number), moved)?;
        let mutant = mutant.of_signals(&signals);
        let (mut claims, mut holds) = (0, true);
        for (area, place) in parts {
            mutant.prove_counter(area, place, &mut |claim| {
                claims += 1;
                holds &= claim.result == Found::Proved;
            })?;
            if !holds {
                return Ok(None);
            }
        }
        Ok(Some(claims))
    }

    /// The design and a mutant, and which gates are the same in random stimulus.
    fn pair(&self, (mutant, number): (&Prover<'a>, u64)) -> Result<Pair<'a>, NetlistError> {
        let netlist = self.design.netlist;
        let input = netlist.port(&self.names.input_port)?;
        let mut pair = Pair {
            both: [0, 1].map(|_| {
                let mut simulation = Simulation::new(netlist, 1);
                simulation.put(mutant.held().iter().copied());
                simulation
            }),
            chosen: [0, number],
            port: netlist.port(self.port)?,
            likely: vec![true; netlist.gates()],
        };
        for (cycle, bits) in self.stimulus.iter().enumerate() {
            for simulation in &mut pair.both {
                simulation.drive(input, bits);
            }
            pair.settle();
            // Registers hold anything until a reset has been taken.
            if cycle > RESETS {
                pair.compare();
            }
            for simulation in &mut pair.both {
                let changes = simulation.changes();
                simulation.clock(&changes);
            }
        }
        Ok(pair)
    }

    /// What there is to prove that is about anything that is another one in the mutant, and gates that are not, in any state
    /// that may be and for any input that may be driven, though they look so.
    ///
    /// What is proved of the design holds of the mutant as well where both are the same.
    ///
    /// # Errors
    /// A proof is none.
    fn touched(
        &self,
        (mutant, number): (&Prover<'a>, u64),
        free: &[Signal],
    ) -> Result<Touched, JudgeError> {
        forget();
        let mut any = circuit(|circuit| self.design.any(circuit));
        any.hold(mutant.held());
        let (mut right, mut other) = (any.clone(), any);
        self.design.choose(&mut right);
        mutant.choose(&mut other);
        for signal in free {
            let anything = circuit(|circuit| circuit.free_word(signal.width()));
            other.put(signal, &anything);
        }
        let mut cycle = Cycle::of(right, self.design.signals);
        let may_be = self.design.may_be(&mut cycle);
        let right = &mut cycle.frame;
        let sources = right.sources();
        let mut pair = self.pair((mutant, number))?;
        let (start, mut wrong) = (Instant::now(), None);
        let is_same = |circuit: &mut Circuit, gate: usize, (own, of): (Lit, Lit)| {
            if !pair.likely[gate] || wrong.is_some() || start.elapsed() > SWEEP {
                return false;
            }
            let differs = circuit.xor(own, of);
            let bits: Vec<_> = may_be.iter().copied().chain([differs]).collect();
            match solve(circuit, &bits, SOON, Likely::Either) {
                Ok(Answer::Never(_)) => true,
                // What else is another one in that state need not be asked about.
                Ok(Answer::Values(values)) => {
                    let (variables, lits): (Vec<_>, Vec<_>) = sources.iter().copied().unzip();
                    let values = values.of(circuit, &lits);
                    for simulation in &mut pair.both {
                        simulation.put(variables.iter().copied().zip(values.iter().copied()));
                    }
                    pair.settle();
                    pair.compare();
                    false
                }
                Ok(Answer::NotDecided) => false,
                Err(error) => {
                    wrong = Some(error);
                    false
                }
            }
        };
        let same = circuit(|circuit| right.sweep(circuit, &mut other, is_same));
        if let Some(error) = wrong {
            let claim = "a gate of a mutant is that of the design".into();
            return Err(Defect::Certificate(claim, error).into());
        }
        Ok(circuit(|circuit| {
            let mut parts = Vec::new();
            if right.any_differs(circuit, &mut other) {
                let all = self.parts.iter();
                let touched = all.filter(|(.., of)| right.differs(circuit, &mut other, of));
                parts.extend(touched.map(|&(area, place, _)| (area, place)));
            }
            let follow = self.design.signals.counters.iter();
            let follow = follow.flat_map(|of| &of.follow);
            let moved = follow.filter(|signal| right.signal_differs(circuit, &mut other, signal));
            Touched {
                moved: moved.cloned().collect(),
                shows_other: right.differs(circuit, &mut other, &self.unclaimed),
                parts,
                same,
            }
        }))
    }
}

/// Whether all of an area holds of a counter but for C_P after a reset, which is of no matter.
///
/// # Errors
/// A proof is none.
fn holds_but_for_resets(
    mutant: &Prover<'_>,
    (area, place): (Area, usize),
) -> Result<bool, JudgeError> {
    let mut holds = mutant.spares_c_p(place)?;
    if holds {
        let mutant = mutant.sparing_resets();
        mutant.prove_counter(area, place, &mut |claim| {
            holds &= claim.result == Found::Proved;
        })?;
    }
    Ok(holds)
}

/// The design and a mutant of it, in the same cycles.
struct Pair<'a> {
    both: [Simulation<'a>; 2],
    /// The number of each, and the port that has it.
    chosen: [u64; 2],
    port: &'a [Option<usize>],
    /// By gate, whether it has been the same so far.
    likely: Vec<bool>,
}

impl Pair<'_> {
    /// Works out all gates of both.
    fn settle(&mut self) {
        for (simulation, number) in self.both.iter_mut().zip(self.chosen) {
            let bits = (0..u64::BITS).map(|bit| 0u64.wrapping_sub(number >> bit & 1));
            simulation.drive(self.port, &bits.collect::<Vec<_>>());
            simulation.settle();
        }
    }

    /// Looks at which gates are the same.
    fn compare(&mut self) {
        let [own, of] = &self.both;
        let gates = own.gates().iter().zip(of.gates());
        for (likely, (own, of)) in self.likely.iter_mut().zip(gates) {
            *likely &= own == of;
        }
    }
}

/// What of the design is another one in a mutant.
struct Touched {
    /// What there is to prove that is about it.
    parts: Vec<(Area, usize)>,
    /// Gates that are not, though they look so.
    same: HashSet<u32>,
    /// What is decoded of types.
    moved: Vec<Signal>,
    /// An output that no claim is about is another one.
    shows_other: bool,
}

/// Cycles of random stimulus, the first of which are resets.
const CYCLES: usize = 256;
const RESETS: usize = 2;
/// Time for a gate.
const SOON: Duration = Duration::from_secs(2);
/// Time for all gates.
const SWEEP: Duration = Duration::from_secs(30);
