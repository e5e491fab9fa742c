//! Why a counter counts, and what: filtering, the group of threads, and events that are no lanes (DUT-50, DUT-51).

use pmu_model::contract::{CYCLE_COUNTER, Thread};
use pmu_model::cycles::Event;
use pmu_model::pmu::event_type::{
    M, MT, NSH, NSK, NSU, P, RLH, RLK, RLU, SH, U, VS, cycle_filter_mask, present_mask,
};
use pmu_model::pmu::sample_events::SAMPLE_EVENTS;
use pmu_model::pmu::thread_events::thread_event;
use pmu_model::{CycleInput, EventType, SysReg};

use super::super::words;
use super::Explainer;

/// Names of the bits of `Thread::conditions`.
const CONDITIONS: [(u8, &str); 7] = [
    (Thread::ACTIVE, "active"),
    (Thread::WFX, "in WFI or WFE"),
    (Thread::STALL, "STALL"),
    (Thread::STALL_FRONTEND, "STALL_FRONTEND"),
    (Thread::STALL_BACKEND, "STALL_BACKEND"),
    (Thread::SECOND, "second condition"),
    (Thread::CONDITION, "other condition"),
];

/// Names of the events that are counted for threads, and of those of Statistical Profiling.
fn event_name(event: u16) -> &'static str {
    match event {
        0x0008 => "INST_RETIRED",
        0x0011 => "CPU_CYCLES",
        0x0023 => "STALL_FRONTEND",
        0x0024 => "STALL_BACKEND",
        0x003C => "STALL",
        0x8159 => "STALL_FRONTEND_L1I",
        0x8165 => "STALL_BACKEND_L1D",
        0x00C0 => "STALL with the second condition",
        0x00C1 => "another condition of a cycle",
        0x4000 => "SAMPLE_POP",
        0x4001 => "SAMPLE_FEED",
        0x4002 => "SAMPLE_FILTRATE",
        0x4003 => "SAMPLE_COLLISION",
        _ => "",
    }
}

impl Explainer<'_> {
    /// Whether a counter counts in this cycle, and why.
    pub(super) fn counting(&mut self, n: u8) -> bool {
        let record = &self.cycle.record;
        let counting = record.counting >> n & 1 == 1;
        let filtered = record.group.filtered >> n & 1;
        let enable = self.model.register(SysReg::Pmcr) & 1;
        let enabled = self.model.register(SysReg::Pmcntenset) >> n & 1;
        let allowed = self.cycle.input.counting_allowed >> n & 1;
        let (name, bit) = if usize::from(n) == CYCLE_COUNTER {
            ("the cycle counter".to_owned(), "C".to_owned())
        } else {
            (format!("counter {n}"), format!("P{n}"))
        };
        self.setting(SysReg::Pmcr, format!("E = {enable}"));
        self.setting(SysReg::Pmcntenset, format!("{bit} = {enabled}"));
        let driven = self.cycle.input.driven != 0;
        if driven {
            self.filtering(n);
        }
        let not = if counting { "" } else { "not " };
        let filtered = if driven {
            format!(", filtered = {filtered}")
        } else {
            String::new()
        };
        self.step(
            format!(
                "{name} is {not}counting: PMCR_EL0.E = {enable}, PMCNTENSET_EL0.{bit} = {enabled}, \
                 counting allowed = {allowed}{filtered}"
            ),
            &["DUT-14"],
        );
        counting
    }

    /// DUT-50: the threads that counter `n` counts, and those that are filtered.
    fn filtering(&mut self, n: u8) {
        let record = &self.cycle.record;
        let input = &self.cycle.input;
        let (group, pe) = (record.group, input.driven & CycleInput::DRIVEN_PE != 0);
        let effective = self.effective_type(n);
        let mt = group.mt >> n & 1 == 1;
        if !mt && MT.of(effective) == 1 {
            self.step(
                "Effective MT = 0: FEAT_MTPMU is Disabled by MTPME".into(),
                &["ETY-21"],
            );
        }
        if !pe {
            return;
        }
        let of_streaming = VS.of(effective) != 0;
        let rules: &[&str] = match (mt, of_streaming) {
            (false, false) => &["ETY-20", "DUT-50"],
            (false, true) => &["ETY-20", "ETY-22", "DUT-50"],
            (true, false) => &["ETY-20", "ETY-24", "DUT-50"],
            (true, true) => &["ETY-20", "ETY-22", "ETY-24", "DUT-50"],
        };
        let reason = |thread: usize| {
            let state = input.threads[thread];
            format!(
                "{}, {}",
                words::state(state),
                deciding_fields(effective, state)
            )
        };
        let is_filtered = |thread: usize| group.unfiltered[thread] >> n & 1 == 0;
        if mt {
            let threads = self.threads_of_group().map(|thread| {
                let verb = if is_filtered(thread) {
                    "is filtered"
                } else {
                    "counts"
                };
                format!("thread {thread} {verb} ({})", reason(thread))
            });
            let threads: Vec<_> = threads.collect();
            self.step(format!("Effective MT = 1: {}", threads.join("; ")), rules);
        } else {
            let not = if is_filtered(0) { "" } else { "not " };
            self.step(format!("thread 0 is {not}filtered: {}", reason(0)), rules);
        }
    }

    /// The threads of the group of this cycle.
    fn threads_of_group(&self) -> std::ops::Range<usize> {
        let threads = self.model.implementation().threads.count;
        if self.cycle.input.driven & CycleInput::DRIVEN_THREADS != 0 {
            0..threads.into()
        } else {
            0..1
        }
    }

    /// `PMEVTYPER<n>_EL0`, or PMCCFILTR_EL0 as number 31, without bits that have no effect.
    fn effective_type(&self, n: u8) -> u64 {
        let implementation = self.model.implementation();
        match SysReg::pmevtyper(n) {
            Some(register) => self.model.register(register) & present_mask(n, implementation),
            None => self.model.register(SysReg::Pmccfiltr) & cycle_filter_mask(implementation),
        }
    }

    /// V_B of an event that is not a lane; false if it is one.
    pub(super) fn special_event(&mut self, n: u8, event_type: &EventType) -> bool {
        let record = &self.cycle.record;
        let event = event_type.event;
        let v_b = record.values.v_b[usize::from(n)];
        let name = event_name(event);
        if record.not_attributed >> n & 1 == 1 {
            self.step(
                format!(
                    "V_B[{n}] = {v_b}: event {event:#06x} is attributed to thread 0, which is filtered for \
                     counter {n}"
                ),
                &["DUT-51"],
            );
            return true;
        }
        if record.sample_events >> n & 1 == 1 {
            self.sample_event(n, event);
            return true;
        }
        if SAMPLE_EVENTS.contains(&event) && self.model.sampling().is_implemented() {
            self.step(
                format!("V_B[{n}] = {v_b}: nothing happened that {name} counts"),
                &["DUT-51"],
            );
            return true;
        }
        let Some(of_threads) = thread_event(event) else {
            return false;
        };
        if record.thread_events >> n & 1 == 0 {
            // Without conditions of the threads those that the design has a lane for are lanes.
            if self.model.event_value(event, &self.cycle.input).is_some() {
                return false;
            }
            let last = self
                .model
                .implementation()
                .pmu
                .event_count
                .saturating_sub(1);
            self.step(
                format!(
                    "V_B[{n}] = {v_b}: conditions and counts of threads are not driven, and event {event:#06x} ({name}) \
                     is no lane: the design has lanes 0 to {last}"
                ),
                &["DUT-51"],
            );
            return true;
        }
        let mt = record.group.mt >> n & 1 == 1;
        let threads = if mt {
            let unfiltered = record.group.unfiltered;
            self.threads_of_group()
                .filter(|&thread| unfiltered[thread] >> n & 1 == 1)
                .collect()
        } else {
            vec![0]
        };
        let is_sum = of_threads == Event::Sum;
        let described: Vec<_> = threads
            .iter()
            .map(|&thread| describe(thread, &self.cycle.input.threads[thread], is_sum))
            .collect();
        let described = if described.is_empty() {
            "no thread is left".into()
        } else {
            described.join("; ")
        };
        let how = if mt { "MT = 1" } else { "MT = 0" };
        let rules: &[&str] = match (of_threads, mt) {
            (Event::Sum, true) => &["CYC-14", "DUT-51"],
            (Event::Sum, false) => &["CYC-15", "DUT-51"],
            (Event::CpuCycles, true) => &["CYC-09", "DUT-51"],
            (Event::CpuCycles, false) => &["CYC-07", "CYC-08", "DUT-51"],
            (Event::Cond, true) => &["CYC-10", "CYC-13", "DUT-51"],
            (Event::Cond, false) => &["CYC-03", "CYC-15", "DUT-51"],
            (Event::Stall | Event::StallFrontend | Event::StallBackend, true) => {
                &["CYC-10", "CYC-11", "CYC-12", "DUT-51"]
            }
            (_, true) => &["CYC-10", "CYC-11", "DUT-51"],
            (_, false) => &["CYC-03", "CYC-15", "DUT-51"],
        };
        self.step(
            format!("V_B[{n}] = {v_b}: event {event:#06x}, {name}, with {how}: {described}"),
            rules,
        );
        true
    }

    fn sample_event(&mut self, n: u8, event: u16) {
        let v_b = self.cycle.record.values.v_b[usize::from(n)];
        let input = self.cycle.input;
        let sampled = self.cycle.record.sampling.sampled;
        let (what, rules): (_, &[&str]) = match event {
            0x4000 => (
                format!("{} operations while profiling is enabled", input.operations),
                &["SPE-45", "DUT-51"],
            ),
            0x4001 => (
                format!(
                    "{} operations are selected, {} of them collide",
                    sampled.selected(),
                    sampled.collided
                ),
                &["SPE-45", "DUT-51"],
            ),
            0x4002 => (
                format!(
                    "of {} samples that complete, {} are filtered out; {} were in flight",
                    input.complete, input.filtered_out, self.cycle.record.sampling.in_flight
                ),
                &["DUT-63", "DUT-51"],
            ),
            _ => (
                format!("{} selected operations collide", sampled.collided),
                &["SPE-42", "DUT-51"],
            ),
        };
        self.step(
            format!("V_B[{n}] = {v_b}: {}: {what}", event_name(event)),
            rules,
        );
    }
}

/// The fields of ETY-20 and ETY-22 that decide in the state of a thread.
fn deciding_fields(effective: u64, thread: Thread) -> String {
    let fields: &[_] = match (thread.level(), thread.security()) {
        (0, 1) => &[U],
        (0, 2) => &[U, RLU],
        (0, _) => &[U, NSU],
        (1, 1) => &[P],
        (1, 2) => &[P, RLK],
        (1, _) => &[P, NSK],
        (2, 1) => &[NSH, SH],
        (2, 2) => &[NSH, RLH],
        (2, _) => &[NSH],
        _ => &[M, P],
    };
    let streaming = (VS.of(effective) != 0).then_some(VS);
    fields
        .iter()
        .copied()
        .chain(streaming)
        .map(|field| format!("{} = {:b}", field.name, field.of(effective)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The conditions of a thread that are TRUE, or what INST_RETIRED counts of it.
fn describe(number: usize, thread: &Thread, is_sum: bool) -> String {
    if is_sum {
        return format!("thread {number} counts {}", thread.count);
    }
    let conditions: Vec<_> = CONDITIONS
        .iter()
        .filter(|&&(bit, _)| thread.is(bit))
        .map(|&(_, name)| name)
        .collect();
    let conditions = if conditions.is_empty() {
        "inactive".into()
    } else {
        conditions.join(", ")
    };
    format!("thread {number}: {conditions}")
}
