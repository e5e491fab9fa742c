//! What is proved: claims, area by area, each for all states and inputs.

use std::time::{Duration, Instant};

use pmu_model::pmu::event_type::{CHAIN, EVTCOUNT, cycle_filter_mask};
use pmu_model::{Implementation, ImplementationError};
use serde::Serialize;

use crate::accesses::Accesses;
use crate::circuit::{Circuit, Lit};
use crate::contract::{bit_of, is_legal, legal_states};
use crate::counter::Control;
use crate::cycle::{Cycle, Signals};
use crate::lrat::LratError;
use crate::netlist::{Frame, Netlist, Signal};
use crate::solver::{Answer, Certificate, Values, solve};
use crate::symbol::{circuit, forget};
use crate::table::Table;
use crate::tables::Tables;

/// What proofs are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    /// What registers hold once more, decoded, and bits that do not exist
    Decode,
    /// Which counters count: enables, filters, MT
    Filter,
    /// Threshold, edge and link: V and C_P
    Threshold,
    /// Values of counters, overflow, CHAIN and the control registers
    Counter,
}

impl Area {
    /// All of them, in the order in which one assumes what another proves.
    pub const ALL: [Self; 4] = [Self::Decode, Self::Filter, Self::Threshold, Self::Counter];

    /// In the words of reports.
    pub fn words(self) -> &'static str {
        match self {
            Self::Decode => "types, decoded",
            Self::Filter => "which counters count",
            Self::Threshold => "threshold, edge and link",
            Self::Counter => "counters and overflow",
        }
    }

    /// What a proof of it takes for granted.
    pub fn assumptions(self) -> &'static [&'static str] {
        match self {
            Self::Decode => &["which write reaches which register, and what a write stores"],
            Self::Filter => &[
                "the types, decoded, are those of their registers: proved as an area of its own",
                "threads are in states that the implementation has (DUT-81, DUT-82)",
                "a thread is filtered by its state alone: so the model's filters are tabulated",
            ],
            Self::Threshold => &[
                "the types, decoded, are those of their registers: proved as an area of its own",
                "base values and which counters count are what the design has: any of them",
            ],
            Self::Counter => &[
                "accesses are such as may be driven (DUT-36, DUT-37)",
                "V is what the design shows: proved as an area of its own",
                "the slow contract of counters: compared with the model by a test, not proved",
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

/// RES0 with counters of 32 bits.
const LONG: &str = "PMCR_EL0.LP";

/// A proof is none: this program or a library of it is at fault.
#[derive(Debug, thiserror::Error)]
pub enum Defect {
    /// A certificate does not hold.
    #[error("{claim}: the solver's derivation does not hold: {error}")]
    Certificate {
        /// The claim.
        claim: String,
        /// Why.
        error: LratError,
    },
    /// What is assumed is never so: it would prove everything.
    #[error("{0}: what is assumed cannot be, so that nothing is proved")]
    Vacuous(String),
}

/// A design and the model of it, to be proved equal.
pub struct Prover<'a> {
    /// What the design is to be.
    pub implementation: &'a Implementation,
    /// The design.
    pub netlist: &'a Netlist,
    /// What of it stands for what.
    pub signals: &'a Signals,
    /// The model's functions.
    pub tables: Tables,
    /// What accesses do.
    pub accesses: Accesses,
    /// The states that threads can be in.
    legal_states: Table,
    /// Time of a claim.
    pub limit: Duration,
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
            tables: Tables::of(implementation)?,
            accesses: Accesses::of(implementation)?,
            legal_states: legal_states(implementation),
            implementation,
            netlist,
            signals,
            limit,
        })
    }

    /// Proves an area; `told` hears of each claim.
    ///
    /// # Errors
    /// A proof is none.
    pub fn prove(&self, area: Area, told: &mut dyn FnMut(&Claim)) -> Result<Vec<Claim>, Defect> {
        let mut claims = Vec::new();
        for place in 0..self.signals.counters.len() {
            let found = self.prove_counter(area, place)?;
            found.iter().for_each(&mut *told);
            claims.extend(found);
        }
        Ok(claims)
    }

    /// Proves an area for the counter at one place.
    ///
    /// # Errors
    /// A proof is none.
    pub fn prove_counter(&self, area: Area, place: usize) -> Result<Vec<Claim>, Defect> {
        forget();
        let frame = circuit(|circuit| Frame::any(self.netlist, circuit));
        let mut cycle = Cycle::of(frame, self.signals);
        match area {
            Area::Decode => self.decode(&mut cycle, place),
            Area::Filter => self.filter(&mut cycle, place),
            Area::Threshold if place == self.signals.cycle_counter => Ok(Vec::new()),
            Area::Threshold => self.threshold(&mut cycle, place),
            Area::Counter => self.counter(&mut cycle, place),
        }
    }

    /// What is known of the registers of a counter, at the start or the end of a cycle: bits that do not exist are zero,
    /// and copies are copies. What is no register of a design is no copy either: it is what it is in any state.
    fn invariant(
        &self,
        cycle: &mut Cycle,
        place: usize,
        value: impl Fn(&mut Cycle, &Signal) -> Vec<Lit>,
    ) -> Vec<(String, Lit)> {
        let register = value(cycle, &self.signals.counters[place].register);
        let copies = self.copies(place).into_iter();
        let copies = copies.map(|(copy, signal)| (copy, value(cycle, signal)[0]));
        let copies = copies.collect();
        circuit(|circuit| self.holds(circuit, place, &register, copies))
    }

    /// The copies that the design has of the type of a counter.
    fn copies(&self, place: usize) -> Vec<(Copy, &Signal)> {
        let of = &self.signals.counters[place];
        let bypassed = of.bypassed.iter().map(|signal| (Copy::Bypassed, signal));
        let in_state = of.in_state.iter().enumerate();
        // What states that no thread can be in are decoded to is of no matter.
        let in_state = in_state.filter(|&(s, _)| {
            let legal = |el2| is_legal(self.implementation, s as u8, el2);
            legal(false) || legal(true)
        });
        let in_state = in_state.map(|(s, signal)| (Copy::InState(s), signal));
        let in_mode = of.in_mode.iter().enumerate();
        let in_mode = in_mode.map(|(s, signal)| (Copy::InMode(s), signal));
        let mt = of.mt.iter().map(|signal| (Copy::Mt, signal));
        bypassed.chain(in_state).chain(in_mode).chain(mt).collect()
    }

    fn holds(
        &self,
        circuit: &mut Circuit,
        place: usize,
        register: &[Lit],
        copies: Vec<(Copy, Lit)>,
    ) -> Vec<(String, Lit)> {
        let n = self.signals.counters[place].n;
        let present = self.present(place);
        let absent = (0..64).filter(|bit| present >> bit & 1 == 0);
        let any = circuit.any(absent.map(|bit| register[bit]).collect::<Vec<_>>());
        let mut all = vec![("bits that do not exist are zero".to_owned(), !any)];
        for (copy, held) in copies {
            let expected = match copy {
                Copy::Bypassed => self.tables.bypassed(circuit, n, register),
                Copy::InState(state) => self.tables.in_state(circuit, state, register),
                Copy::InMode(mode) => self.tables.in_mode(circuit, mode, register),
                Copy::Mt => Tables::mt(register),
            };
            let differs = circuit.xor(held, expected);
            all.push((copy.words(), !differs));
        }
        all
    }

    /// ETY-02: the bits of a counter's type that exist.
    pub(crate) fn present(&self, place: usize) -> u64 {
        match place == self.signals.cycle_counter {
            true => cycle_filter_mask(self.implementation),
            false => self.tables.present(place),
        }
    }

    /// The name of a counter, in words.
    fn name(&self, place: usize) -> String {
        match place == self.signals.cycle_counter {
            true => "the cycle counter".into(),
            false => format!("counter {place}"),
        }
    }

    fn decode(&self, cycle: &mut Cycle, place: usize) -> Result<Vec<Claim>, Defect> {
        let before = self.invariant(cycle, place, |cycle, signal| cycle.value(signal));
        let after = self.invariant(cycle, place, |cycle, signal| cycle.after(signal));
        let reset = cycle.reset();
        let assumed: Vec<_> = before.iter().map(|&(_, holds)| holds).collect();
        let name = self.name(place);
        let mut claims = Vec::new();
        self.possible(&name, &assumed)?;
        for (words, holds) in after {
            let claim = format!("{name}: {words}");
            // From any state by a reset; and by any other cycle from a state in which it holds.
            let by_reset = self.claim(
                (format!("{claim}, after a reset"), &["DUT-11"], place),
                &[reset],
                !holds,
            )?;
            let by_cycle = self.claim(
                (
                    claim,
                    &["ETY-02", "ETY-05", "ETY-20", "ETY-22", "TH-27"],
                    place,
                ),
                &assumed,
                !holds,
            )?;
            claims.extend([by_reset, by_cycle]);
        }
        Ok(claims)
    }

    fn filter(&self, cycle: &mut Cycle, place: usize) -> Result<Vec<Claim>, Defect> {
        let mut assumed: Vec<_> = self
            .invariant(cycle, place, |cycle, signal| cycle.value(signal))
            .into_iter()
            .map(|(_, holds)| holds)
            .collect();
        assumed.extend(self.legal(cycle));
        let name = self.name(place);
        self.possible(&name, &assumed)?;
        let expected = cycle.expected_counting(&self.tables, place);
        let found = cycle.bit(&self.signals.counters[place].counting);
        // It must be possible that it counts, and that it does not.
        for count in [expected, !expected] {
            let with: Vec<_> = assumed.iter().copied().chain([count]).collect();
            self.possible(&name, &with)?;
        }
        let differs = circuit(|circuit| circuit.xor(expected, found));
        let rules = &["DUT-14", "DUT-50", "ETY-20", "ETY-21", "ETY-22", "ETY-24"];
        let claim = (format!("{name} counts where it should"), &rules[..], place);
        Ok(vec![self.claim(claim, &assumed, differs)?])
    }

    /// DUT-81, DUT-82: the states that threads can be in.
    pub fn legal(&self, cycle: &Cycle) -> Vec<Lit> {
        let el2 = cycle.input[bit_of("controls")
            + pmu_model::contract::control::EL2_ENABLED.trailing_zeros() as usize];
        let driven = cycle.input[bit_of("driven")];
        let threads = usize::from(self.implementation.threads.count);
        circuit(|circuit| {
            let states = (0..threads).map(|t| {
                let bits: Vec<_> = cycle.state(t).iter().copied().chain([el2]).collect();
                let legal = self.legal_states.on(circuit, &bits);
                circuit.or(!driven, legal)
            });
            states.collect()
        })
    }

    fn threshold(&self, cycle: &mut Cycle, n: usize) -> Result<Vec<Claim>, Defect> {
        let counters: Vec<_> = (n - n % 2..=n).collect();
        let mut assumed = Vec::new();
        let (mut c_p, mut counting) = (Vec::new(), Vec::new());
        for &place in &counters {
            let of = &self.signals.counters[place];
            assumed.extend(
                self.invariant(cycle, place, |cycle, signal| cycle.value(signal))
                    .into_iter()
                    .map(|(_, holds)| holds),
            );
            counting.push(cycle.bit(&of.counting));
            c_p.push(
                of.c_p
                    .as_ref()
                    .map_or(Lit::FALSE, |signal| cycle.bit(signal)),
            );
        }
        // A counter does not count where there is no cycle: of the area that says which counters count.
        let idle = circuit(|circuit| {
            let held = cycle.held(circuit);
            let none = circuit.or(cycle.reset(), held);
            let any = circuit.any(counting.iter().copied());
            !circuit.and(none, any)
        });
        assumed.push(idle);
        let (values, after) = cycle.expected_values(
            self.implementation,
            &self.tables,
            &counters,
            (&c_p, &counting),
        );
        let expected = values.v[n].bits();
        let name = self.name(n);
        // It must be possible that V is more than 1, that there is an edge, and that there is none.
        let many = circuit(|circuit| circuit.any(expected[1..].iter().copied()));
        let mut possible = vec![Lit::TRUE];
        if self.implementation.pmu.event_width > 1 {
            possible.push(many);
        }
        for condition in possible {
            let with: Vec<_> = assumed.iter().copied().chain([condition]).collect();
            self.possible(&name, &with)?;
        }
        let shown = cycle.increment(n);
        let differs = circuit(|circuit| circuit.differ(&expected, &shown));
        let rules = &[
            "TH-09", "TH-10", "TH-20", "TH-21", "TH-22", "TH-23", "TH-24", "TH-25", "TH-26",
            "TH-27",
        ];
        let claim = (format!("V of {name}"), &rules[..], n);
        let mut claims = vec![self.claim(claim, &assumed, differs)?];
        if let Some(signal) = &self.signals.counters[n].c_p {
            let own = after[counters.len() - 1];
            let next = circuit(|circuit| cycle.frame.next(circuit, signal));
            let next = next.map_or_else(|| circuit(Circuit::free), |bits| bits[0]);
            let differs = circuit(|circuit| circuit.xor(own, next));
            let rules = &["TH-28", "DUT-11", "DUT-24", "DUT-52"];
            let claim = (format!("C_P of {name}"), &rules[..], n);
            claims.push(self.claim(claim, &assumed, differs)?);
        }
        Ok(claims)
    }

    fn counter(&self, cycle: &mut Cycle, place: usize) -> Result<Vec<Claim>, Defect> {
        let name = self.name(place);
        let mut assumed = vec![self.legal_access(cycle)];
        if self.implementation.pmu.counter_bits < 64 {
            // RES0: proved below, by a reset from any state, and as it goes on.
            let (long, reset) = (cycle.control().long, cycle.reset());
            assumed.push(circuit(|circuit| circuit.or(!long, reset)));
        }
        let mut claims = Vec::new();
        for found in self.differences(cycle, place) {
            let with: Vec<_> = assumed.iter().copied().chain([found.is_possible]).collect();
            self.possible(&name, &with)?;
            let words = match found.is_of_all {
                true => found.words.to_owned(),
                false => format!("{} of {name}", found.words),
            };
            claims.push(self.claim((words, found.rules, place), &assumed, found.differs)?);
        }
        Ok(claims)
    }

    /// DUT-36, DUT-37: the access of the cycle is one that may be driven.
    pub(crate) fn legal_access(&self, cycle: &mut Cycle) -> Lit {
        let control = cycle.control();
        let facts = cycle.facts(self.implementation, &self.accesses, &control);
        circuit(|circuit| facts.port_is_legal(circuit))
    }

    /// Where the counter at `place` goes on otherwise than it should; with that of the cycle counter, also where the
    /// registers of all counters do.
    pub(crate) fn differences(&self, cycle: &mut Cycle, place: usize) -> Vec<Difference> {
        let signals = self.signals;
        let of = &signals.counters[place];
        let control = cycle.control();
        let (before, v) = (cycle.counter(place), cycle.increment(of.n));
        let facts = cycle.facts(self.implementation, &self.accesses, &control);
        let counted = circuit(|circuit| facts.count(circuit, of.n, &before, &v));
        let after = circuit(|circuit| facts.control(circuit));
        let (value, flag) = (&counted.after.value, counted.after.flag);
        let found = cycle.after(&of.value);
        let found_flag = cycle.after(&signals.flags)[of.n];
        let mut all = circuit(|circuit| {
            let differs = circuit.differ(&value[..found.len()], &found);
            let flags = circuit.xor(flag, found_flag);
            vec![
                Difference::new(
                    ("the value", false),
                    &["TH-50", "DUT-11", "DUT-20", "DUT-21", "DUT-22", "DUT-52"],
                    differs,
                    value[0],
                ),
                Difference::new(
                    ("the overflow flag", false),
                    &["DUT-20", "DUT-21", "DUT-22", "DUT-23"],
                    flags,
                    flag,
                ),
            ]
        });
        if place == signals.cycle_counter {
            all.extend(self.of_control(cycle, &after));
        } else if of.n % 2 == 1 && self.implementation.pmu.chain {
            all.extend(self.of_chain(cycle, of.n, &control));
        }
        all
    }

    /// Where PMCR_EL0, PMCNTENSET_EL0 and PMSELR_EL0 go on otherwise.
    fn of_control(&self, cycle: &mut Cycle, expected: &Control) -> Vec<Difference> {
        let signals = self.signals;
        let implemented: Vec<_> = signals.counters.iter().map(|of| of.n).collect();
        let of_counters = |bits: &[Lit]| implemented.iter().map(|&n| bits[n]).collect::<Vec<_>>();
        let mut words = vec![
            (
                "PMCR_EL0.E",
                vec![expected.enable],
                cycle.after(&signals.enable),
            ),
            (
                "PMCNTENSET_EL0",
                of_counters(&expected.enabled),
                of_counters(&cycle.after(&signals.enabled)),
            ),
            (
                "PMSELR_EL0",
                expected.select.clone(),
                cycle.after(&signals.select),
            ),
        ];
        if let Some(signal) = &signals.long {
            words.push((LONG, vec![expected.long], cycle.after(signal)));
        }
        let differences = words.into_iter().map(|(words, expected, found)| {
            let differs = circuit(|circuit| circuit.differ(&expected, &found));
            let rules = &["DUT-11", "DUT-12", "DUT-30", "DUT-52"];
            let is_absent = words == LONG && self.implementation.pmu.counter_bits < 64;
            let is_possible = match is_absent {
                true => Lit::TRUE,
                false => expected[0],
            };
            Difference::new((words, true), rules, differs, is_possible)
        });
        differences.collect()
    }

    /// DUT-17: where the base value of CHAIN of the odd counter `n` is otherwise.
    fn of_chain(&self, cycle: &mut Cycle, n: usize, control: &Control) -> Option<Difference> {
        let signals = self.signals;
        let base = signals.counters[n].base.as_ref()?;
        let (below, v) = (cycle.counter(n - 1), cycle.increment(n - 1));
        let facts = cycle.facts(self.implementation, &self.accesses, control);
        let chained = circuit(|circuit| facts.count(circuit, n - 1, &below, &v).chained);
        let found = cycle.value(base);
        let counting = cycle.bit(&signals.counters[n].counting);
        let event = EVTCOUNT.low.into()..usize::from(EVTCOUNT.low) + 16;
        let event = cycle.registers[n][event].to_vec();
        circuit(|circuit| {
            let is_chain = event.iter().enumerate();
            let is_chain = is_chain.map(|(bit, lit)| lit.inverted_if(CHAIN >> bit & 1 == 0));
            let is_chain = circuit.all(is_chain.collect::<Vec<_>>());
            let more = circuit.any(found[1..].to_vec());
            let other = circuit.xor(found[0], chained);
            let wrong = circuit.or(more, other);
            let differs = circuit.all([is_chain, counting, wrong]);
            let happens = circuit.all([is_chain, counting, chained]);
            let of = ("CHAIN", false);
            Some(Difference::new(of, &["DUT-17"], differs, happens))
        })
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
        let answer = circuit(|circuit| solve(circuit, &bits, self.limit));
        let (result, certificate) = match answer {
            Answer::Never(certificate) => (Found::Proved, certificate),
            Answer::Values(_) => (Found::Refuted, Certificate::default()),
            Answer::NotDecided => (Found::NotDecided, Certificate::default()),
            Answer::Wrong(error) => return Err(Defect::Certificate { claim, error }),
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

    /// What is assumed can be so.
    fn possible(&self, name: &str, assumed: &[Lit]) -> Result<(), Defect> {
        match circuit(|circuit| solve(circuit, assumed, self.limit)) {
            Answer::Values(_) | Answer::NotDecided => Ok(()),
            Answer::Never(_) => Err(Defect::Vacuous(name.into())),
            Answer::Wrong(error) => Err(Defect::Certificate {
                claim: name.into(),
                error,
            }),
        }
    }

    /// Values that make all `bits` 1, if there are some.
    pub(crate) fn values(&self, bits: &[Lit]) -> Option<Values> {
        match circuit(|circuit| solve(circuit, bits, self.limit)) {
            Answer::Values(values) => Some(values),
            _ => None,
        }
    }
}

/// Where a design goes on otherwise than it should.
pub(crate) struct Difference {
    words: &'static str,
    /// It is of no counter.
    is_of_all: bool,
    rules: &'static [&'static str],
    /// 1 where it does.
    pub differs: Lit,
    /// What must be possible: that something happens at all.
    is_possible: Lit,
}

impl Difference {
    fn new(
        (words, is_of_all): (&'static str, bool),
        rules: &'static [&'static str],
        differs: Lit,
        is_possible: Lit,
    ) -> Self {
        Self {
            words,
            is_of_all,
            rules,
            differs,
            is_possible,
        }
    }
}

/// A register that holds once more what a type says.
enum Copy {
    Bypassed,
    InState(usize),
    InMode(usize),
    Mt,
}

impl Copy {
    fn words(&self) -> String {
        match self {
            Self::Bypassed => "whether V is V_B".into(),
            Self::InState(state) => {
                let security = ["Non-secure", "Secure", "Realm", "Root"][state >> 2];
                format!("whether it counts in EL{}, {security}", state & 3)
            }
            Self::InMode(0) => "whether it counts outside of Streaming mode".into(),
            Self::InMode(_) => "whether it counts in Streaming mode".into(),
            Self::Mt => "MT".into(),
        }
    }
}
