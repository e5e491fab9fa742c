//! Why a value was expected: the configuration in words, the steps from inputs to output with the rule of each,
//! and what set the registers.

use pmu_model::contract::{CYCLE_COUNTER, Output};
use pmu_model::pmu::access::{Access, Half};
use pmu_model::pmu::event_type::CHAIN;
use pmu_model::pmu::provenance::Origin;
use pmu_model::pmu::registers::PMCR_LP;
use pmu_model::rules::{Rule, rule};
use pmu_model::{AccessKind, EventType, Model, SysReg};
use serde::Serialize;

use crate::registers;
use lockstep_engine::lockstep::compare::{Difference, Field};

mod access;
mod counting;
mod sampling;
mod values;

use super::causes::links;
use super::replay::{Replay, Window, WindowCycle};
use super::words;

/// A register that takes part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Its name.
    pub register: String,
    /// Its value, hexadecimal.
    pub value: String,
    /// What it means here.
    pub meaning: String,
    /// What set it, and when.
    pub origin: String,
    /// Its fields, from the highest bit down.
    #[serde(skip)]
    pub fields: Vec<words::FieldValue>,
}

/// A step from the inputs to the expected value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What happens.
    pub text: String,
    /// The rules that say so.
    pub rules: Vec<Rule>,
}

/// Why a value was expected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The registers that decide.
    pub configuration: Vec<Setting>,
    /// From the inputs to the value.
    pub derivation: Vec<Step>,
}

/// Explains what the model expects of the field of `difference` in cycle `about` of the window of `replay`.
pub fn explain(difference: &Difference, replay: &Replay, about: u64) -> Explanation {
    let window = &replay.window;
    let Some(cycle) = window.at(about) else {
        let text = "not told: what came before is not known without a re-run".into();
        let step = Step {
            text,
            rules: Vec::new(),
        };
        return Explanation {
            derivation: vec![step],
            ..Explanation::default()
        };
    };
    let mut explainer = Explainer {
        replay,
        window,
        cycle,
        model: &window.model,
        about,
        to: Explanation::default(),
        difference: *difference,
    };
    if cycle.record.reset {
        explainer.step(
            "the design is reset in this cycle: every output is 0".into(),
            &["DUT-10"],
        );
        return explainer.to;
    }
    if cycle.record.clock_stopped {
        explainer.step(
            "the clock is stopped in this cycle: nothing counts, is accessed, selected or drawn, and the state \
             stays as it is"
                .into(),
            &["DUT-52"],
        );
        return explainer.to;
    }
    match difference.field {
        Field::Increment(n) => explainer.increment(n),
        Field::CycleIncrement => explainer.cycle_increment(),
        Field::Whole(Output::AccessData) => explainer.access_data(),
        Field::Whole(Output::AccessOutcome) => explainer.access_outcome(),
        Field::Whole(Output::TrapIss) => explainer.trap_iss(),
        Field::Whole(field) => explainer.sampling(field),
        Field::Reserved(_) => {
            explainer.step("this byte is zero in every cycle".into(), &[]);
        }
    }
    explainer.to
}

struct Explainer<'a> {
    replay: &'a Replay,
    window: &'a Window,
    cycle: &'a WindowCycle,
    model: &'a Model,
    about: u64,
    difference: Difference,
    to: Explanation,
}

fn truth(mask: u16) -> &'static str {
    if mask != 0 { "TRUE" } else { "FALSE" }
}

impl Explainer<'_> {
    fn step(&mut self, text: String, rules: &[&str]) {
        self.to.derivation.push(Step {
            text,
            rules: rules.iter().filter_map(|id| rule(id).copied()).collect(),
        });
    }

    fn setting(&mut self, register: SysReg, meaning: String) {
        let value = self.model.register(register);
        self.to.configuration.push(Setting {
            register: register.to_string(),
            value: format!("{value:#x}"),
            meaning,
            origin: words::origin(self.model, register, self.about),
            fields: words::decoded_of(register, value, self.model.implementation()),
        });
    }

    fn cycle_increment(&mut self) {
        let counting = self.counting(CYCLE_COUNTER as u8);
        self.step(
            format!("PMCCNTR_EL0 counts {}", u8::from(counting)),
            &["DUT-14"],
        );
    }

    /// What `PMEVTYPER<n>_EL0` sets, and its value.
    fn event_type(&mut self, n: u8) -> Option<EventType> {
        let event_type = self.model.event_type(n)?;
        let counts = registers::counts(n, &event_type);
        let meaning = format!("event {:#06x}; {counts}", event_type.event);
        self.setting(SysReg::pmevtyper(n)?, meaning);
        Some(event_type)
    }

    fn increment(&mut self, n: u8) {
        let Some(event_type) = self.event_type(n) else {
            return;
        };
        if event_type.tlc != 0 && n > 0 {
            self.event_type(n - 1);
        }
        if !self.counting(n) {
            self.step(format!("V_B[{n}] = C_T[{n}] = V[{n}] = 0"), &["TH-09"]);
            return;
        }
        self.base_value(n, &event_type);
        if event_type.reserved {
            self.step(
                format!("V[{n}] = {}, by the knob reserved_policy", self.v(n)),
                &["TH-35", "TH-36"],
            );
        } else if event_type.bypassed {
            self.step(
                if event_type.tlc == 0 {
                    format!("TC = 000, TH = 0, TE = 0, TLC = 00: V[{n}] = V_B[{n}] = {}", self.v(n))
                } else {
                    format!(
                        "TC = 000, TH = 0, TE = 0, and the knob rhbwbb is LITERAL: TLC = {:02b} is not \
                         looked at, V[{n}] = V_B[{n}] = {} (A-TH-1)",
                        event_type.tlc,
                        self.v(n)
                    )
                },
                &["TH-27"],
            );
        } else {
            self.conditions(n, &event_type);
            self.value(n, &event_type);
        }
    }

    fn v(&self, n: u8) -> u16 {
        self.cycle.record.values.v[usize::from(n)]
    }

    fn base_value(&mut self, n: u8, event_type: &EventType) {
        let v_b = self.cycle.record.values.v_b[usize::from(n)];
        if event_type.event == CHAIN && self.cycle.record.chained >> n & 1 == 1 {
            let below = n - 1;
            self.step(
                format!("counter {below} overflows out of bit 31: V_B[{n}] = 1 (CHAIN)"),
                &["DUT-17"],
            );
            return;
        }
        if self.model.is_chain(event_type.event) {
            let why = if n.is_multiple_of(2) {
                "which counts on odd counters only".to_owned()
            } else if self.model.register(SysReg::Pmcr) & PMCR_LP != 0 {
                "which counts no overflow out of bit 63, and PMCR_EL0.LP is 1".to_owned()
            } else {
                format!("and counter {} does not overflow out of bit 31", n - 1)
            };
            self.step(
                format!("V_B[{n}] = {v_b}: event 0x001e is CHAIN, {why}"),
                &["DUT-17"],
            );
            return;
        }
        if self.special_event(n, event_type) {
            return;
        }
        let event = event_type.event;
        match self.model.event_value(event, &self.cycle.input) {
            Some(value) => {
                self.step(
                    format!("V_B[{n}] = {v_b}: event {event:#06x} is {value:#x}"),
                    &["DUT-16"],
                );
            }
            None => self.step(
                format!("V_B[{n}] = {v_b}: the design has no event {event:#06x}"),
                &["DUT-16", "ETY-30"],
            ),
        }
    }

    fn conditions(&mut self, n: u8, event_type: &EventType) {
        let lane = usize::from(n);
        let values = &self.cycle.record.values;
        let (c_t, c_p, c_e) = (values.c_t[lane], values.c_p[lane], values.c_e[lane]);
        let relation = registers::relation(event_type.condition());
        self.step(
            format!(
                "C_T[{n}] = (V_B {relation} TH) = ({} {relation} {}) = {}",
                values.v_b[lane],
                event_type.th,
                truth(c_t)
            ),
            &["TH-20", "TH-21"],
        );
        if !event_type.te {
            return;
        }
        // DUT-52: a cycle without a clock is none.
        let before = (0..self.about)
            .rev()
            .map_while(|before| self.window.at(before))
            .find(|before| !before.record.clock_stopped);
        let why = match before {
            Some(before) if before.record.reset => "the cycle before was a reset".to_owned(),
            Some(before) if before.record.counting >> n & 1 == 0 && c_p != 0 => {
                "held while it was not counting, by the knob cp_when_not_counting (A-TH-3)"
                    .to_owned()
            }
            Some(before) if before.record.counting >> n & 1 == 0 => {
                "it was not counting in the cycle before".to_owned()
            }
            Some(before) if before.record.values.c_t[lane] != c_p => {
                "held while the datapath was bypassed, by the knob ct_when_bypassed (A-TH-4)"
                    .to_owned()
            }
            Some(_) => "C_T of the cycle before".to_owned(),
            None => "from before the window".to_owned(),
        };
        self.step(format!("C_P[{n}] = {}: {why}", truth(c_p)), &["TH-28"]);
        let edges = if event_type.tc & 1 == 0 {
            "both edges count"
        } else {
            "only a rising edge counts"
        };
        self.step(format!("C_E[{n}] = {}: {edges}", truth(c_e)), &["TH-22"]);
    }

    fn value(&mut self, n: u8, event_type: &EventType) {
        let v = self.v(n);
        let row = event_type.table_row().unwrap_or('-');
        let linked = links(usize::from(n), self.cycle, event_type);
        let source = if linked {
            let below = n - 1;
            if self.cycle.record.counting >> below & 1 == 0 && v != 0 {
                format!(
                    "{v}, what an earlier counter left, by the knob link_from_idle: counter {below} is not \
                     counting (A-TH-5)"
                )
            } else {
                format!("V[{below}] of the same cycle, {}", self.v(below))
            }
        } else {
            match (event_type.te, v) {
                (_, 0) => "0".into(),
                (false, _) if event_type.tc & 1 == 0 => format!("V_B, {v}"),
                _ => "1".into(),
            }
        };
        if linked {
            self.below(n - 1);
        }
        let result = if event_type.te { "V_E" } else { "V_T" };
        let rules: &[&str] = match (event_type.te, event_type.tlc != 0) {
            (false, false) => &["TH-23", "TH-27"],
            (false, true) => &["TH-24", "TH-10", "TH-27"],
            (true, false) => &["TH-25", "TH-27"],
            (true, true) => &["TH-26", "TH-10", "TH-27"],
        };
        self.step(
            format!("row ({row}): V[{n}] = {result}[{n}] = {source}"),
            rules,
        );
    }

    /// V of the counter that is linked to, in short.
    fn below(&mut self, n: u8) {
        let lane = usize::from(n);
        let values = &self.cycle.record.values;
        let Some(event_type) = self.model.event_type(n) else {
            return;
        };
        let counting = self.cycle.record.counting >> n & 1 == 1;
        let text = if !counting {
            format!("V[{n}] = 0: counter {n} is not counting")
        } else if event_type.bypassed {
            format!("V[{n}] = V_B[{n}] = {}", values.v[lane])
        } else {
            let (name, condition) = if event_type.te {
                ("C_E", values.c_e[lane])
            } else {
                ("C_T", values.c_t[lane])
            };
            format!(
                "V[{n}] = {}: V_B[{n}] = {}, {name}[{n}] = {}",
                values.v[lane],
                values.v_b[lane],
                truth(condition)
            )
        };
        self.step(text, &["TH-11", "TH-27"]);
    }

    fn access_data(&mut self) {
        let (target, half) = match self.cycle.record.access {
            Access::Read(target) => (target, None),
            Access::ReadHalf(target, half) => (target, Some(half)),
            Access::ReadsZero => {
                self.access_outcome();
                self.step("the read returns zero".into(), &["DUT-32"]);
                return;
            }
            _ => {
                self.step(
                    "without a read that succeeds, the data are 0".into(),
                    &["DUT-32"],
                );
                return;
            }
        };
        self.named(target, half);
        let (expected, rtl) = (self.whole(half, true), self.whole(half, false));
        let differing = words::differing_fields(target, expected, rtl);
        let meaning = differing
            .iter()
            .take(4)
            .map(|(name, expected, rtl)| format!("{name} = {expected:#x}, RTL {rtl:#x}"))
            .collect::<Vec<_>>()
            .join("; ");
        let more = differing.len().saturating_sub(4);
        let more = if more > 0 {
            format!("; {more} more fields")
        } else {
            String::new()
        };
        self.setting(target, meaning + &more);
        match target {
            SysReg::Pmevcntr(n) => self.counter(target, usize::from(n)),
            SysReg::Pmccntr => self.counter(target, CYCLE_COUNTER),
            SysReg::Pmovsset | SysReg::Pmovsclr => {
                self.flags();
            }
            SysReg::Pmevtyper(_) | SysReg::Pmccfiltr => {
                self.step(
                    "present fields read as they were written, all other bits are RES0".into(),
                    &["ETY-02", "ETY-05"],
                );
            }
            SysReg::Pmmir => self.step("a constant of the implementation".into(), &["TH-07"]),
            SysReg::Pmcr => {
                self.step(
                    "N and LC are fixed, P and C read as zero".into(),
                    &["DUT-21", "DUT-11"],
                );
            }
            SysReg::Pmsicr => {
                self.last_set(target);
                self.interval();
            }
            SysReg::Pmsidr => {
                self.step("a constant of the implementation".into(), &["SPE-03"]);
            }
            SysReg::Pmbsr(x) => {
                self.last_set(target);
                self.last_collision(x.get());
            }
            register if register.is_of_system_pmus() => self.system_pmu(register),
            _ => self.last_set(target),
        }
        self.step(
            "a read returns the state at the start of its cycle".into(),
            &["DUT-13"],
        );
    }

    /// How the access names the register that it reaches.
    fn named(&mut self, target: SysReg, half: Option<Half>) {
        let input = self.cycle.input;
        let named = match AccessKind::from_code(input.access_kind) {
            AccessKind::Read32 => SysReg::from_address_32(input.access_address),
            AccessKind::ExternalRead => SysReg::from_offset(input.access_address).map(|(r, _)| r),
            _ => SysReg::from_address(input.access_address),
        };
        let named = named.unwrap_or(target);
        if named != target {
            let sel = self.model.register(SysReg::Pmselr);
            self.setting(SysReg::Pmselr, format!("SEL = {sel}: {named} is {target}"));
        }
        let bits = match half {
            None => return,
            Some(Half::Low) => "[31:0]",
            Some(Half::High) => "[63:32]",
        };
        let (view, rule) = match AccessKind::from_code(input.access_kind) {
            AccessKind::Read32 => ("an MRC", "DUT-36"),
            _ => ("an external read", "DUT-37"),
        };
        self.step(format!("{view} returns {target}{bits}"), &[rule]);
    }

    /// The register as the model has it, or as the design shows it, with the bits that a half does not show as the
    /// model has them.
    fn whole(&self, half: Option<Half>, expected: bool) -> u64 {
        let shown = if expected {
            self.difference.expected
        } else {
            self.rtl_data()
        };
        match half {
            None | Some(Half::Low) => shown,
            Some(Half::High) => shown << 32,
        }
    }

    /// A register of the System PMU that is selected.
    fn system_pmu(&mut self, register: SysReg) {
        let pmus = self.model.system_pmus();
        let (pmu, bank) = (pmus.selected(), pmus.bank());
        let of_counter = match register {
            SysReg::Spmevcntr(n)
            | SysReg::Spmevtyper(n)
            | SysReg::Spmevfiltr(n)
            | SysReg::Spmevfilt2r(n) => Some(usize::from(bank) * 16 + usize::from(n)),
            _ => None,
        };
        if register != SysReg::Spmselr {
            let bank = of_counter.map_or(String::new(), |_| format!(", BANK = {bank}"));
            self.setting(SysReg::Spmselr, format!("SYSPMUSEL = {pmu}{bank}"));
        }
        let configured = self.model.implementation().system_pmu.get(usize::from(pmu));
        let implemented = configured.map(|pmu| pmu.implemented_counters());
        match (register, implemented) {
            (SysReg::Spmselr, _) => self.last_set(register),
            (_, None) => self.step(
                format!("System PMU {pmu} is not implemented: RAZ/WI"),
                &["SPMU-18"],
            ),
            (SysReg::Spmiidr, _) => self.step("a constant".into(), &["SPMU-01", "DUT-38"]),
            (SysReg::Spmdevarch, _) => self.step("a constant".into(), &["SPMU-02", "DUT-38"]),
            (SysReg::Spmdevaff, _) => self.step("a constant".into(), &["SPMU-03", "DUT-38"]),
            (SysReg::Spmcfgr, _) => self.step(
                "NCG is the number of Counter Groups minus one, N that of counters minus one"
                    .into(),
                &["SPMU-04", "SPMU-10", "SPMU-14"],
            ),
            (SysReg::Spmcgcr(_), _) => self.step(
                "N<m> is the number of counters of the group, 0 for one that does not exist".into(),
                &["SPMU-05", "SPMU-17"],
            ),
            (_, Some(counters)) => {
                if let Some(i) = of_counter
                    && counters >> i & 1 == 0
                {
                    self.step(
                        format!("counter {i} of System PMU {pmu} is not implemented: RAZ/WI"),
                        &["SPMU-15", "SPMU-16"],
                    );
                    return;
                }
                if let Some(i) = of_counter {
                    self.step(format!("it is of counter {i}, 16 * BANK + n"), &["SPMU-16"]);
                }
                self.last_set(register);
            }
        }
    }

    /// What the design shows, but for bits that are UNKNOWN.
    fn rtl_data(&self) -> u64 {
        let Difference {
            expected,
            rtl,
            compared,
            ..
        } = self.difference;
        (rtl & compared) | (expected & !compared)
    }

    /// What set a register that keeps its contents, as the step that decides its value.
    fn last_set(&mut self, register: SysReg) {
        let (was, rules): (_, &[&str]) = match self.model.origin(register) {
            Origin::PowerUp => return,
            Origin::Reset { .. } => ("was last set", &["DUT-11"]),
            Origin::Write {
                register: SysReg::Pmcr,
                ..
            } if register != SysReg::Pmcr => ("was last", &["DUT-21"]),
            Origin::Write { .. } => ("was last", &["DUT-12"]),
        };
        let origin = words::origin(self.model, register, self.about);
        self.step(format!("{register} {was} {origin}"), rules);
    }
}
