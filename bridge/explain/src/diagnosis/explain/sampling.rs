//! Why sampling came to where it is: the operations of a cycle one after another, and what they find (DUT-60).

use pmu_model::contract::Output;
use pmu_model::pmu::access::{Access, Write};
use pmu_model::pmu::provenance::Origin;
use pmu_model::spe::{BufferStatus, Happened, other_event_target};
use pmu_model::trace::SamplingRecord;
use pmu_model::{CycleInput, Number, SysReg};

use super::Explainer;

impl Explainer<'_> {
    pub(super) fn sampling(&mut self, field: Output) {
        if !self.model.sampling().is_implemented() {
            self.step("without SPE these outputs are 0".into(), &["DUT-60"]);
            return;
        }
        let record = self.cycle.record.sampling;
        let pmsirr = record.pmsirr;
        let rnd = u8::from(pmsirr.rnd);
        self.setting(
            SysReg::Pmsirr,
            format!("INTERVAL = {:#x}, RND = {rnd}", pmsirr.interval),
        );
        let before = counters(record.pmsicr.count, record.pmsicr.ecount, self.has_ernd());
        self.setting(SysReg::Pmsicr, before);
        self.transition(&record);
        if matches!(field, Output::InFlight | Output::Collided | Output::Coll) {
            self.completion(&record);
        }
        self.operations(&record);
        match field {
            Output::RandomDrawn | Output::RandomByte => self.draws(&record),
            Output::Selected | Output::FirstSelected => self.draws_if_any(&record),
            Output::Pmsicr => {
                self.draws_if_any(&record);
                self.result(SysReg::Pmsicr);
            }
            Output::Collided | Output::InFlight => self.collisions(&record),
            Output::Coll => {
                self.collisions(&record);
                self.result(SysReg::Pmbsr(Number::at::<1>()));
            }
            Output::AccessOutcome | Output::AccessData | Output::TrapIss => {}
        }
    }

    fn has_ernd(&self) -> bool {
        self.model.implementation().spe.ernd
    }

    /// SPE-10, SPE-11, SPE-26.
    fn transition(&mut self, record: &SamplingRecord) {
        let enabled = self.cycle.input.profiling & CycleInput::PROFILING_ENABLED != 0;
        let happened = record.happened;
        let (text, rules): (_, &[&str]) = match (record.was_enabled, enabled) {
            (_, false) => (
                "profiling is disabled: nothing is selected, and the counters hold",
                &["SPE-11"],
            ),
            (true, true) => ("profiling is enabled, as in the cycle before", &["SPE-20"]),
            (false, true) if happened.loaded_at_enable => (
                "profiling becomes enabled with PMSICR_EL1 zero: COUNT is loaded",
                &["SPE-10", "SPE-12"],
            ),
            (false, true) if happened.restarted => (
                "profiling becomes enabled with PMSICR_EL1 not zero: nothing is loaded",
                &["SPE-10", "SPE-26"],
            ),
            (false, true) => ("profiling becomes enabled", &["SPE-10"]),
        };
        self.step(text.into(), rules);
    }

    /// Discarding and completing, which come before the operations.
    fn completion(&mut self, record: &SamplingRecord) {
        let input = self.cycle.input;
        let before = record.in_flight;
        if input.profiling & CycleInput::DISCARD != 0 {
            self.step(
                format!("the {before} samples in flight are discarded"),
                &["SPE-11", "DUT-60"],
            );
        } else if input.complete > 0 {
            let done = u32::from(input.complete).min(before);
            self.step(
                format!("of {before} samples in flight, {done} complete"),
                &["SPE-47", "DUT-60"],
            );
        } else {
            self.step(format!("{before} samples are in flight"), &["SPE-47"]);
        }
    }

    /// SPE-20 to SPE-23.
    fn operations(&mut self, record: &SamplingRecord) {
        let input = self.cycle.input;
        if input.profiling & CycleInput::PROFILING_ENABLED == 0 {
            return;
        }
        let happened = record.happened;
        let first = record.sampled.first_selected;
        let operations = input.operations;
        if operations == 0 {
            self.step("no operations in this cycle".into(), &["SPE-33"]);
            return;
        }
        self.step(
            format!(
                "{operations} operations, {} of them decrement COUNT",
                happened.counted
            ),
            &["SPE-20", "SPE-28"],
        );
        let place = format!("operation {first} of the cycle (from 0)");
        if happened.expired > 0 {
            self.step(
                format!("COUNT is zero for {place}: it is selected, and COUNT is loaded"),
                &["SPE-21", "SPE-12"],
            );
        }
        if happened.drew_zero > 0 {
            self.step(
                format!(
                    "COUNT is zero for {place}: COUNT is loaded, and the byte for ECOUNT is 0: it is \
                     selected"
                ),
                &["SPE-22"],
            );
        }
        if happened.drew_nonzero > 0 {
            self.step(
                "COUNT is zero for an operation: COUNT is loaded, and ECOUNT takes the byte, which is not \
                 0: it is not selected"
                    .into(),
                &["SPE-22"],
            );
        }
        if happened.overwrote_ecount > 0 {
            self.step(
                "the ECOUNT that was running is overwritten (A-SPE-4)".into(),
                &["SPE-22"],
            );
        }
        if happened.secondary_expired > 0 {
            self.step(
                format!("{place} makes ECOUNT zero: it is selected"),
                &["SPE-23"],
            );
        }
        if record.sampled.selected() == 0 {
            self.step("none is selected".into(), &["SPE-32"]);
        }
    }

    fn draws_if_any(&mut self, record: &SamplingRecord) {
        if record.sampled.drawn > 0 {
            self.draws(record);
        }
    }

    /// SPE-30.
    fn draws(&mut self, record: &SamplingRecord) {
        let due = record.sampled.drawn;
        let when = match (record.pmsirr.rnd, self.has_ernd()) {
            (false, _) => "RND = 0",
            (true, false) => "RND = 1 without ERnd, one a load",
            (true, true) => "RND = 1 with ERnd, one each time that COUNT expires",
        };
        let late = self.window.latency.spe as u64;
        let Some(shown) = self.window.at(self.about + late).map(|cycle| cycle.rtl) else {
            return;
        };
        let byte = shown.random_byte;
        let drew = match shown.random_drawn {
            0 => "the RTL drew none".into(),
            drawn => format!("the RTL drew {drawn}, the first {byte:#04x}"),
        };
        self.step(
            format!("random bytes due: {due} ({when}); {drew}"),
            &["SPE-30", "DUT-61"],
        );
    }

    /// SPE-40 to SPE-42.
    fn collisions(&mut self, record: &SamplingRecord) {
        let input = self.cycle.input;
        let sampled = record.sampled;
        let max = self.model.implementation().max_inflight();
        if sampled.selected() > 0 {
            let text = if sampled.collided > 0 {
                format!(
                    "{} of {} selected operations find {max} samples in flight, the most that there can be: \
                     they collide",
                    sampled.collided,
                    sampled.selected()
                )
            } else {
                format!("fewer than {max} samples are in flight: there is no collision")
            };
            self.step(text, &["SPE-40", "SPE-41"]);
        }
        if sampled.collided > 0 {
            let exc = self.model.implementation().spe.exc;
            let (pmsee, ee) = (input.pmsee(), input.ee());
            let target = match other_event_target(exc, pmsee, ee) {
                BufferStatus::El1 => 1,
                BufferStatus::El2 => 2,
                BufferStatus::El3 => 3,
            };
            self.step(
                format!(
                    "COLL of PMBSR_EL{target} is set: PMSEE = {pmsee:02b}, EE = {ee:02b}{}",
                    if exc { "" } else { ", without FEAT_SPE_EXC" }
                ),
                &["SPE-42", "SPE-46"],
            );
        }
    }

    /// PMSICR_EL1 at the start of the cycle: what happened to it in the window since it was set.
    pub(super) fn interval(&mut self) {
        let set = match self.model.origin(SysReg::Pmsicr) {
            Origin::PowerUp => None,
            Origin::Reset { cycle } | Origin::Write { cycle, .. } => Some(cycle + 1),
        };
        let first = set.unwrap_or(0).max(self.window.first);
        let since: Vec<_> = (first..self.about)
            .filter_map(|cycle| self.window.at(cycle))
            .map(|cycle| cycle.record.sampling)
            .collect();
        let Some(start) = since.first() else {
            return;
        };
        let sum = |of: fn(&Happened) -> u8| -> u32 {
            let all = since.iter().map(|record| &record.happened);
            all.map(|happened| u32::from(of(happened))).sum()
        };
        let (decrements, loads) = (sum(|h| h.counted), sum(|h| h.loads));
        let before = counters(start.pmsicr.count, start.pmsicr.ecount, self.has_ernd());
        self.step(
            format!(
                "{before} at the start of cycle {first}; in the {} cycles since, {decrements} operations \
                 decremented COUNT; loads: {loads}",
                since.len()
            ),
            &["SPE-20", "SPE-12"],
        );
    }

    /// PMBSR_ELx.COLL at the start of the cycle: the last collision in the window that set it.
    pub(super) fn last_collision(&mut self, x: u8) {
        let bit = 1 << (x - 1);
        let last = (self.window.first..self.about)
            .rev()
            .filter_map(|cycle| self.window.at(cycle))
            .find(|cycle| {
                let record = &cycle.record.sampling;
                record.sampled.collided > 0 && record.coll_after & bit != 0
            });
        let text = match last {
            Some(cycle) => format!(
                "the last collision that set COLL was in cycle {}",
                cycle.record.cycle
            ),
            None => "no collision in the window set COLL".into(),
        };
        self.step(text, &["SPE-42", "SPE-43"]);
    }

    /// A write of the register in this cycle, which comes last, and the value that is left.
    fn result(&mut self, about: SysReg) {
        let written = match (self.cycle.record.access, about) {
            (Access::Write(register @ SysReg::Pmsicr, write), SysReg::Pmsicr)
            | (Access::Write(register @ SysReg::Pmbsr(_), write), SysReg::Pmbsr(_)) => {
                match write {
                    Write::Pmsicr(data) | Write::Pmbsr(_, data) => Some((register, data)),
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some((register, data)) = written {
            self.step(
                format!("the write of {data:#x} to {register} comes after the operations"),
                &["DUT-60"],
            );
        }
        if about == SysReg::Pmsicr {
            let of = |value: u64| counters(value as u32, (value >> 56) as u8, self.has_ernd());
            let (expected, rtl) = (of(self.difference.expected), of(self.difference.rtl));
            self.step(
                format!("after the cycle {expected}; RTL {rtl}"),
                &["SPE-01"],
            );
        }
    }
}

/// The fields of PMSICR_EL1 in words.
fn counters(count: u32, ecount: u8, ernd: bool) -> String {
    if ernd {
        format!("COUNT = {count}, ECOUNT = {ecount}")
    } else {
        format!("COUNT = {count}")
    }
}
