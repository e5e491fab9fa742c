//! What is proved: claims, area by area, each for all states and inputs.

mod access;
mod counters;
mod counting;
mod ports;
mod sampling;
mod system;
mod types;
mod values;

pub(crate) use ports::INPUT;
pub(crate) use sampling::SAMPLES;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pmu_model::contract::control;
use pmu_model::{Implementation, ImplementationError};
use serde::Serialize;

use crate::accesses::{Accesses, Effect};
use crate::circuit::{Circuit, Lit};
use crate::contract::{bit_of, field, is_in_limits, legal_states};
use crate::correspondence::Correspondence;
use crate::cycle::{Cycle, Signals};
use crate::lrat::LratError;
use crate::netlist::{Constants, Folded, Frame, Netlist, NetlistError};
use crate::registers::Fixed;
use crate::solver::{Answer, Certificate, Likely, Values, solve};
use crate::symbol::{circuit, forget};
use crate::table::Table;
use crate::tables::Tables;

/// What proofs are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    /// The input that a design takes, and outputs that are always zero
    Port,
    /// What types store, and what a design decodes of them only when they are written
    Decode,
    /// Which counters count: enables, filters, MT
    Filter,
    /// What the event of each counter counts: lanes, threads, Statistical Profiling
    Event,
    /// Threshold, edge and link: V and C_P
    Threshold,
    /// Values of counters, overflow, CHAIN and the control registers
    Counter,
    /// Statistical Profiling: intervals, draws, selections, collisions and its registers
    Sampling,
    /// Registers of System PMUs
    System,
    /// What comes of accesses: outcomes, traps and their syndromes, and what reads return
    Access,
}

impl Area {
    /// All of them, in the order in which one assumes what another proves.
    pub const ALL: [Self; 9] = [
        Self::Port,
        Self::Decode,
        Self::Filter,
        Self::Event,
        Self::Threshold,
        Self::Counter,
        Self::Sampling,
        Self::System,
        Self::Access,
    ];

    /// In the words of reports.
    pub fn words(self) -> &'static str {
        match self {
            Self::Port => "ports",
            Self::Decode => "types",
            Self::Filter => "which counters count",
            Self::Event => "values of events",
            Self::Threshold => "threshold, edge and link",
            Self::Counter => "counters and overflow",
            Self::Sampling => "Statistical Profiling",
            Self::System => "System PMUs",
            Self::Access => "accesses",
        }
    }

    /// Whether it is proved for each counter by itself.
    pub(crate) fn is_by_counter(self) -> bool {
        !matches!(
            self,
            Self::Port | Self::Sampling | Self::System | Self::Access
        )
    }

    /// What a proof of it takes for granted.
    pub fn assumptions(self) -> &'static [&'static str] {
        const STIMULUS: &str =
            "the cycle is one that may be driven (DUT-36, DUT-37, DUT-80 to DUT-83)";
        const INPUT: &str = "CycleInput is what the input port had: proved as an area of its own (ports); after a cycle comes another one or a reset, before which it is of no matter what registers hold";
        const TYPES: &str = "a type, and what is decoded of it, are what a reset or the last write left: proved as an area of its own (types)";
        const RESERVED: &str = "what is reserved is not looked at, unless the implementation has it compared (TH-34, TH-35)";
        match self {
            Self::Port => &[STIMULUS],
            Self::Decode => &[
                STIMULUS,
                INPUT,
                "a type, and what is decoded of it, are what a reset or the last write left before: proved to stay so",
                "bits that a type never has are zero before: proved to stay so",
                RESERVED,
            ],
            Self::Filter => &[
                STIMULUS,
                INPUT,
                TYPES,
                "a thread is filtered by its state alone: so the model's filters are tabulated",
            ],
            Self::Event => &[
                STIMULUS,
                INPUT,
                TYPES,
                "which counters count, and what Statistical Profiling counts, are what the design has: areas of their own",
                "the slow contract of events: compared with the model by a test, not proved",
            ],
            Self::Threshold => &[
                STIMULUS,
                INPUT,
                TYPES,
                "base values and which counters count are what the design has: any of them, but that nothing counts in a reset and without a clock, which is proved as an area of its own",
                RESERVED,
            ],
            Self::Counter => &[
                STIMULUS,
                INPUT,
                "V is what the design shows: proved as an area of its own",
                "enables and flags of counters that are not implemented, and PMCR_EL0.LP with counters of 32 bits, are zero before: proved to stay so",
                "the slow contract of counters: compared with the model by a test, not proved",
            ],
            Self::Sampling => &[
                STIMULUS,
                INPUT,
                "what an interval decides is not looked at in a cycle that loads INTERVAL while it is 0: it is UNKNOWN (DUT-62)",
                "no more samples are in flight than there can be, and ECOUNT is zero without FEAT_SPE_ERnd, before: proved to stay so",
                "the slow contract of Statistical Profiling: compared with the model by a test, not proved",
            ],
            Self::System => &[
                STIMULUS,
                INPUT,
                "flags of counters that are not implemented are zero before: proved to stay so",
                "the slow contract of System PMUs: compared with the model by a test, not proved",
            ],
            Self::Access => &[
                STIMULUS,
                INPUT,
                "registers hold what the design has in them: any of it, but for bits that are proved to be zero, and bounds that are proved to be kept",
                "ETY-40 and SPMU-30 look at what they name alone: so the model's rules are tabulated",
            ],
        }
    }
}

/// A claim, and what came of it.
#[derive(Debug, Serialize)]
pub struct Claim {
    /// What is claimed.
    pub claim: String,
    /// The rules.
    pub rules: &'static [&'static str],
    /// What came of it.
    pub result: Found,
    /// Seconds that it took.
    pub seconds: f64,
    /// Steps of its certificate; none where the circuits of both are the same.
    pub steps: usize,
    /// The counter that it is about, by its place.
    #[serde(skip)]
    pub place: usize,
    /// Formula and derivation.
    #[serde(skip)]
    pub certificate: Certificate,
}

/// What came of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// It holds, whatever the state and the inputs.
    Proved,
    /// It did not end in its time.
    NotDecided,
    /// It does not hold.
    Refuted,
}

/// A proof is none: this program or a library of it is at fault.
#[derive(Debug, thiserror::Error)]
pub enum Defect {
    /// The certificate of this claim does not hold.
    #[error("{0}: the solver's derivation does not hold: {1}")]
    Certificate(String, LratError),
    /// What is assumed is never so: it would prove everything.
    #[error("{0}: what is assumed cannot be, so that nothing is proved")]
    Vacuous(String),
}

/// A design and the model of it, to be proved equal.
#[derive(Clone)]
pub struct Prover<'a> {
    /// What the design is to be.
    pub implementation: &'a Implementation,
    /// The design.
    pub netlist: &'a Netlist,
    /// What of it stands for what.
    pub signals: &'a Signals,
    /// What the design should do.
    pub contract: Arc<Contract>,
    /// Time of a claim.
    pub limit: Duration,
    /// Time for stimulus that shows what is wrong; none is begun after it.
    pub search: Duration,
    /// When that ends.
    deadline: Option<Instant>,
    /// A port, and what it always is.
    chosen: Option<(&'a str, u64, Arc<Folded>)>,
    /// Gates that are the same as with another number there: that one, and which.
    merged: Option<(Arc<Self>, Arc<HashSet<u32>>)>,
    /// Registers that are in every cycle what they begin with.
    constants: Arc<Constants>,
    /// What C_P is after a reset is not looked at.
    spares_resets: bool,
}

/// The functions of the model that were run for every input, of an implementation.
pub struct Contract {
    /// Of types.
    pub tables: Tables,
    /// What accesses do.
    pub accesses: Accesses,
    /// What registers are like.
    pub fixed: Fixed,
    /// The states that threads can be in.
    legal_states: Table,
    /// DUT-72: no kind of access is excluded.
    has_all_accesses: bool,
}

impl Contract {
    /// Those of `implementation`.
    ///
    /// # Errors
    /// It is impossible.
    pub fn of(implementation: &Implementation) -> Result<Self, ImplementationError> {
        let wrapper = &implementation.wrapper;
        Ok(Self {
            has_all_accesses: wrapper.aarch32 && wrapper.external && wrapper.indirect,
            tables: Tables::of(implementation)?,
            accesses: Accesses::of(implementation)?,
            fixed: Fixed::of(implementation)?,
            legal_states: legal_states(implementation),
        })
    }

    /// DUT-36, DUT-37, DUT-80: what there is of a cycle by itself may be driven. In a reset and without a clock any address
    /// may.
    pub fn is_legal_alone(&self, circuit: &mut Circuit, input: &[Lit]) -> Lit {
        let limits = is_in_limits(circuit, input);
        let ignored = circuit.or(input[bit_of("reset")], input[bit_of("clock_stopped")]);
        let ignored = circuit.and(ignored, Lit::known(self.has_all_accesses));
        let access = self.accesses.legal(circuit, input);
        let access = circuit.or(access, ignored);
        circuit.and(limits, access)
    }
}

/// Stimulus may take so many times as long as a claim.
const SEARCHES: u32 = 5;

const SAMPLING: &str = "the correspondence has no [sampling]";
const SYSTEM: &str = "the correspondence has no [system]";

/// Why not everything can be proved of a design with these names.
pub fn lacking(names: &Correspondence, implementation: &Implementation) -> Option<&'static str> {
    if implementation.spe.implemented && names.sampling.is_none() {
        return Some(SAMPLING);
    }
    (!implementation.system_pmu.is_empty() && names.system.is_none()).then_some(SYSTEM)
}

impl<'a> Prover<'a> {
    /// For `implementation`, within so much time for each claim.
    ///
    /// # Errors
    /// The implementation is impossible.
    pub fn new(
        implementation: &'a Implementation,
        netlist: &'a Netlist,
        signals: &'a Signals,
        limit: Duration,
    ) -> Result<Self, ImplementationError> {
        Ok(Self {
            contract: Arc::new(Contract::of(implementation)?),
            implementation,
            netlist,
            signals,
            limit,
            search: SEARCHES * limit,
            deadline: None,
            chosen: None,
            merged: None,
            constants: Arc::default(),
            spares_resets: false,
        })
    }

    /// The same of the design whose port is always this number.
    ///
    /// # Errors
    /// It has no such port.
    pub fn choosing(&self, port: &'a str, number: u64) -> Result<Self, NetlistError> {
        let folded = Arc::new(self.netlist.folded(port, number)?);
        Ok(Self {
            chosen: Some((port, number, folded)),
            merged: None,
            ..self.clone()
        })
    }

    /// The same, of which these gates are the same as those of `design`, the design with another number.
    pub fn merged(&self, design: &Arc<Self>, same: HashSet<u32>) -> Self {
        Self {
            merged: Some((Arc::clone(design), Arc::new(same))),
            ..self.clone()
        }
    }

    /// The same as it looks for stimulus, from now on for that long.
    pub(crate) fn searching(&self, time: Duration) -> Self {
        Self {
            deadline: Instant::now().checked_add(time),
            ..self.clone()
        }
    }

    /// The same with other signals.
    pub fn of_signals<'b>(&self, signals: &'b Signals) -> Prover<'b>
    where
        'a: 'b,
    {
        Prover {
            signals,
            merged: None,
            ..self.clone()
        }
    }

    /// The same with registers that are in every cycle of a run what they begin with.
    pub fn holding(&self, constants: Arc<Constants>) -> Self {
        Self {
            constants,
            ..self.clone()
        }
    }

    /// The same, of which it is not looked at what C_P is after a reset.
    pub(crate) fn sparing_resets(&self) -> Self {
        Self {
            spares_resets: true,
            ..self.clone()
        }
    }

    /// Those registers.
    pub(crate) fn held(&self) -> &Arc<Constants> {
        &self.constants
    }

    /// A cycle in any state, with any inputs but what is chosen.
    pub(crate) fn frame(&self) -> Frame<'a> {
        let mut frame = self.any_state();
        self.merge(&mut frame);
        frame
    }

    /// The same, in which nothing is taken from another number.
    pub(crate) fn any_state(&self) -> Frame<'a> {
        let mut frame = circuit(|circuit| self.any(circuit));
        frame.hold(&self.constants);
        self.choose_alone(&mut frame);
        frame
    }

    /// The same in the state that a run begins with.
    pub(crate) fn first(&self) -> Frame<'a> {
        let mut frame = circuit(|circuit| self.any(circuit));
        frame.begin();
        self.choose(&mut frame);
        frame
    }

    /// A cycle in any state, with any inputs.
    pub(crate) fn any(&self, circuit: &mut Circuit) -> Frame<'a> {
        Frame::any(self.netlist, circuit)
    }

    /// Drives what is chosen.
    pub(crate) fn choose(&self, frame: &mut Frame<'a>) {
        self.choose_alone(frame);
        self.merge(frame);
    }

    fn merge(&self, frame: &mut Frame<'a>) {
        if let Some((design, same)) = &self.merged {
            let mut plain = frame.clone();
            design.choose(&mut plain);
            frame.merge(plain, Arc::clone(same));
        }
    }

    /// The same, in which nothing is taken from another number.
    fn choose_alone(&self, frame: &mut Frame<'a>) {
        if let Some((port, number, folded)) = &self.chosen {
            frame.fold(Arc::clone(folded));
            // That there is such a port was found out before.
            let _ = frame.fix(port, *number);
        }
    }

    /// Whether an area can be proved: else why not.
    pub fn lacks(&self, area: Area) -> Option<&'static str> {
        let (signals, implementation) = (self.signals, self.implementation);
        let sampling = implementation.spe.implemented && signals.sampling.is_none();
        let system = !implementation.system_pmu.is_empty() && signals.system.is_none();
        match area {
            Area::Sampling | Area::Event | Area::Access if sampling => Some(SAMPLING),
            Area::System | Area::Access if system => Some(SYSTEM),
            _ => None,
        }
    }

    /// Proves an area; `told` gets each claim with its certificate, which is long, and is not kept.
    ///
    /// # Errors
    /// A proof is none.
    pub fn prove(&self, area: Area, told: &mut dyn FnMut(&Claim)) -> Result<Vec<Claim>, Defect> {
        let mut claims = Vec::new();
        for place in self.places(area) {
            self.prove_counter(area, place, &mut |mut claim| {
                told(&claim);
                claim.certificate = Certificate::default();
                claims.push(claim);
            })?;
        }
        Ok(claims)
    }

    /// Proves an area for the counter at one place; the areas that are of no counter for that of the cycle counter.
    ///
    /// # Errors
    /// A proof is none.
    pub fn prove_counter(
        &self,
        area: Area,
        place: usize,
        told: &mut dyn FnMut(Claim),
    ) -> Result<(), Defect> {
        forget();
        let Asked { assumed, found, .. } = self.looked_at(area, place);
        found
            .into_iter()
            .try_for_each(|found| self.prove_claim(area, place, &assumed, found, told))
    }

    /// The same of what is another circuit than in `design`, of which all is proved; nothing comes of the rest.
    ///
    /// # Errors
    /// A proof is none.
    pub fn prove_others(
        &self,
        design: &Self,
        (area, place): (Area, usize),
        told: &mut dyn FnMut(Claim),
    ) -> Result<(), Defect> {
        forget();
        let proved = design.looked_at(area, place);
        circuit(Circuit::again);
        let Asked { assumed, found, .. } = self.looked_at(area, place);
        let is_known = |found: &Difference| {
            let mut proved = proved.found.iter();
            proved.any(|of| of.differs == found.differs && of.where_ == found.where_)
        };
        let mut others = found
            .into_iter()
            .filter(|found| assumed != proved.assumed || !is_known(found));
        others.try_for_each(|found| self.prove_claim(area, place, &assumed, found, told))
    }

    fn prove_claim(
        &self,
        area: Area,
        place: usize,
        assumed: &[Lit],
        found: Difference,
        told: &mut dyn FnMut(Claim),
    ) -> Result<(), Defect> {
        let name = match area.is_by_counter() {
            true => self.name(place),
            false => area.words().into(),
        };
        let assumed: Vec<_> = assumed.iter().chain(&found.where_).copied().collect();
        let mut is_possible = true;
        for possible in found.possible {
            let with: Vec<_> = assumed.iter().copied().chain([possible]).collect();
            is_possible &= self.possible(&format!("{name}: {}", found.words), &with)?;
        }
        let words = match found.is_of_all {
            true => found.words,
            false => format!("{} of {name}", found.words),
        };
        let mut claim = self.claim((words, found.rules, place), &assumed, found.differs)?;
        if claim.result == Found::Proved && !is_possible {
            claim.result = Found::NotDecided;
        }
        told(claim);
        Ok(())
    }

    /// What is to be proved of an area and a place.
    fn looked_at(&self, area: Area, place: usize) -> Asked {
        let (mut assumed, mut literals) = (Vec::new(), Vec::new());
        let mut frame = self.frame();
        for place in self.settled(area, place) {
            assumed.extend(self.settle(&mut frame, place, &mut literals));
        }
        let mut cycle = Cycle::of(frame, self.signals);
        assumed.extend(self.assumed(area, &mut cycle));
        // What a register is at the end is of no matter before a reset.
        if area != Area::Port {
            assumed.push(!cycle.is_reset_next());
        }
        let found = self.differences(area, &mut cycle, place);
        literals.extend(cycle.frame.asked());
        Asked {
            assumed,
            found,
            literals,
        }
    }

    /// All there is to prove, each with the literals of the netlist that it is about.
    pub fn parts(&self) -> Vec<(Area, usize, Vec<u32>)> {
        let areas = Area::ALL.into_iter();
        let parts = areas.flat_map(|area| self.places(area).map(move |place| (area, place)));
        let literals = |area, place| {
            forget();
            self.looked_at(area, place).literals
        };
        parts
            .map(|(area, place)| (area, place, literals(area, place)))
            .collect()
    }

    /// The places of the counters of an area; that of the cycle counter for one that is of no counter.
    fn places(&self, area: Area) -> Range<usize> {
        let counters = self.signals.counters.len();
        match area.is_by_counter() {
            true => 0..counters,
            false => self.signals.cycle_counter..counters,
        }
    }

    /// Where the design does otherwise than it should in a cycle.
    pub(crate) fn differences(
        &self,
        area: Area,
        cycle: &mut Cycle,
        place: usize,
    ) -> Vec<Difference> {
        match area {
            Area::Port => self.of_ports(cycle),
            Area::Decode => self.of_types(cycle, place),
            Area::Filter => self.of_filter(cycle, place),
            Area::Event | Area::Threshold if place == self.signals.cycle_counter => Vec::new(),
            Area::Event => self.of_event(cycle, place),
            Area::Threshold => self.of_threshold(cycle, place),
            Area::Counter => self.of_counter(cycle, place),
            Area::Sampling => self.of_sampling(cycle),
            Area::System => self.of_system(cycle),
            Area::Access => self.of_access(cycle),
        }
    }

    /// The counters whose types are what a reset or the last write left, in an area for a counter.
    fn settled(&self, area: Area, place: usize) -> Vec<usize> {
        match area {
            Area::Decode | Area::Filter | Area::Event => vec![place],
            Area::Threshold if place < self.signals.cycle_counter => {
                (place - place % 2..=place).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The type of a counter, and what follows it, are what a cycle left that wrote or reset it: that they stay so
    /// otherwise is of the area of types, where it is so before as well.
    fn settle(&self, frame: &mut Frame<'a>, place: usize, asked: &mut Vec<u32>) -> [Lit; 2] {
        let of = &self.signals.counters[place];
        // Gates are the same in states that may be, which is not assumed of this cycle.
        let mut before = Cycle::of(self.any_state(), self.signals);
        let reached = before.reached(&self.contract.accesses);
        let written = circuit(|circuit| {
            let written = reached.written(circuit, Effect::Type(of.n));
            circuit.or(written.any, before.reset())
        });
        let legal = self.legal(&mut before);
        for signal in of.follow.iter().chain([&of.register]) {
            circuit(|circuit| frame.follow(circuit, &mut before.frame, signal));
        }
        asked.extend(before.frame.asked());
        [legal, written]
    }

    /// What is assumed of a cycle: it may be driven, and registers are as they are proved to be.
    pub(crate) fn assumed(&self, area: Area, cycle: &mut Cycle) -> Vec<Lit> {
        let mut all = vec![self.legal(cycle)];
        if area == Area::Decode {
            all.push(self.zeros_of_types(cycle));
        }
        if matches!(area, Area::Counter | Area::Access) {
            all.extend(self.zeros_of_control(cycle));
        }
        if matches!(area, Area::Sampling | Area::Access) {
            all.extend(self.bounds_of_sampling(cycle));
        }
        if matches!(area, Area::System | Area::Access) {
            all.extend(self.zeros_of_system(cycle));
        }
        all
    }

    /// What is assumed of a cycle in any area.
    pub(crate) fn may_be(&self, cycle: &mut Cycle) -> Vec<Lit> {
        let areas = [Area::Decode, Area::Counter, Area::Sampling, Area::System].into_iter();
        areas.flat_map(|area| self.assumed(area, cycle)).collect()
    }

    /// DUT-36, DUT-37, DUT-80 to DUT-83: the cycle is one that may be driven. The state of the PE in a reset and without a
    /// clock may be any.
    pub fn legal(&self, cycle: &mut Cycle) -> Lit {
        let control = |mask: u32| cycle.input[bit_of("controls") + mask.trailing_zeros() as usize];
        let driven = field(&cycle.input, "driven", 2);
        let (by_pe, by_threads) = (driven[0], driven[1]);
        let el2 = control(control::EL2_ENABLED);
        let halted = control(control::HALTED);
        let allowed = field(&cycle.input, "counting_allowed", 32);
        let counters = self.signals.counters.iter().map(|of| allowed[of.n]);
        let profiling = field(&cycle.input, "profiling", 8)[0];
        let profiling = self.implementation.spe.implemented.then_some(profiling);
        let threads = usize::from(self.implementation.threads.count);
        circuit(|circuit| {
            let mut all = Vec::new();
            for t in 0..threads {
                let mut legal = |el2: Lit| {
                    let bits: Vec<_> = cycle.state(t).iter().copied().chain([el2]).collect();
                    self.contract.legal_states.on(circuit, &bits)
                };
                all.push(match t {
                    0 => {
                        let legal = legal(el2);
                        circuit.or(!by_pe, legal)
                    }
                    _ => {
                        let either = [legal(Lit::FALSE), legal(Lit::TRUE)];
                        circuit.any([either[0], either[1], !by_pe, !by_threads])
                    }
                });
            }
            let goes_on = circuit.any(counters.chain(profiling).collect::<Vec<_>>());
            all.push(!circuit.all([by_pe, halted, goes_on]));
            let state = circuit.all(all);
            let ignored = circuit.or(
                cycle.input[bit_of("reset")],
                cycle.input[bit_of("clock_stopped")],
            );
            let state = circuit.or(state, ignored);
            let alone = self.contract.is_legal_alone(circuit, &cycle.input);
            circuit.and(state, alone)
        })
    }

    /// The name of a counter, in words.
    fn name(&self, place: usize) -> String {
        match place == self.signals.cycle_counter {
            true => "the cycle counter".into(),
            false => format!("counter {place}"),
        }
    }

    /// Claims that `differs` is never 1 where all that is assumed is.
    fn claim(
        &self,
        (claim, rules, place): (String, &'static [&'static str], usize),
        assumed: &[Lit],
        differs: Lit,
    ) -> Result<Claim, Defect> {
        let start = Instant::now();
        let bits: Vec<_> = assumed.iter().copied().chain([differs]).collect();
        let (result, certificate) = match self.solved(&claim, &bits, Likely::Never)? {
            Answer::Never(certificate) => (Found::Proved, certificate),
            Answer::Values(_) => (Found::Refuted, Certificate::default()),
            Answer::NotDecided => (Found::NotDecided, Certificate::default()),
        };
        Ok(Claim {
            claim,
            rules,
            result,
            seconds: start.elapsed().as_secs_f64(),
            steps: certificate.steps.len(),
            place,
            certificate,
        })
    }

    fn solved(&self, name: &str, bits: &[Lit], likely: Likely) -> Result<Answer, Defect> {
        circuit(|circuit| solve(circuit, bits, self.limit, likely))
            .map_err(|error| Defect::Certificate(name.into(), error))
    }

    /// What is assumed can be so: whether that is found in time.
    fn possible(&self, name: &str, assumed: &[Lit]) -> Result<bool, Defect> {
        match self.solved(name, assumed, Likely::Either)? {
            Answer::Values(_) => Ok(true),
            Answer::NotDecided => Ok(false),
            Answer::Never(_) => Err(Defect::Vacuous(name.into())),
        }
    }

    /// The time for a search is over.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// Values that make all `bits` 1, if there are some.
    pub(crate) fn values(&self, bits: &[Lit]) -> Option<Values> {
        let left = self.deadline.map(|end| end.duration_since(Instant::now()));
        let limit = left.map_or(self.limit, |left| left.min(self.limit));
        if limit.is_zero() {
            return None;
        }
        match circuit(|circuit| solve(circuit, bits, limit, Likely::Either)) {
            Ok(Answer::Values(values)) => Some(values),
            _ => None,
        }
    }
}

/// What is to be proved in one circuit.
struct Asked {
    /// What is assumed.
    assumed: Vec<Lit>,
    /// Where the design does otherwise than it should.
    found: Vec<Difference>,
    /// Which literals of the netlist both are about.
    literals: Vec<u32>,
}

/// Where a design does otherwise than it should.
pub(crate) struct Difference {
    words: String,
    /// It is of no counter.
    is_of_all: bool,
    rules: &'static [&'static str],
    /// 1 where it does.
    differs: Lit,
    /// Where it is looked at, besides what is assumed of every cycle.
    where_: Vec<Lit>,
    /// What must be possible: that something happens at all.
    possible: Vec<Lit>,
}

impl Difference {
    /// Of a counter.
    fn of_counter(words: &str, rules: &'static [&'static str], differs: Lit) -> Self {
        Self {
            words: words.into(),
            is_of_all: false,
            rules,
            differs,
            where_: Vec::new(),
            possible: vec![Lit::TRUE],
        }
    }

    /// Of no counter.
    fn of_all(words: &str, rules: &'static [&'static str], differs: Lit) -> Self {
        Self {
            is_of_all: true,
            ..Self::of_counter(words, rules, differs)
        }
    }

    /// What differs.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// 1 where it is looked at.
    pub fn is_looked_at(&self) -> Lit {
        circuit(|circuit| circuit.all(self.where_.iter().copied()))
    }

    /// 1 where it does, where it is looked at.
    pub fn is_wrong(&self) -> Lit {
        let looked_at = self.is_looked_at();
        circuit(|circuit| circuit.and(looked_at, self.differs))
    }

    /// Where these are 1.
    fn looked_at(mut self, condition: impl IntoIterator<Item = Lit>) -> Self {
        self.where_.extend(condition);
        self
    }

    /// And these must be possible.
    fn may_be(mut self, condition: impl IntoIterator<Item = Lit>) -> Self {
        let mut condition = condition.into_iter().peekable();
        // That anything is possible follows from it.
        if condition.peek().is_some() {
            self.possible.retain(|&possible| possible != Lit::TRUE);
        }
        self.possible.extend(condition);
        self
    }
}
