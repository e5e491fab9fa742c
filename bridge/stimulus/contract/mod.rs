//! Whether a cycle is one that `docs/dut-contract.md` allows, for a design of some implementation. What it never drives no
//! design need get right: a difference after it says nothing about the design.

use std::fmt;
use std::ops::Range;

use bytemuck::cast;
use pmu_model::contract::{
    AccessKind, CYCLE_COUNTER, EVENT_LANES, MAX_OPERATIONS, SECURITY_STATES, THREADS, Thread,
    control,
};
use pmu_model::rules::rule;
use pmu_model::wrapper::Wrapper;
use pmu_model::{CycleInput, Implementation, SysReg};
use serde::Serialize;

const NON_SECURE: u8 = 0;
const SECURE: u8 = 1;
const REALM: u8 = 2;
const ROOT: u8 = 3;

/// Bits that an access kind, and the others, have at most (DUT-80).
const LAST_KIND: u8 = AccessKind::ExternalWrite as u8;
const PROFILING: u8 = 0x3F;
const FIVE_BITS: u8 = 0x1F;
const CONTROLS: u32 = (1 << control::NAMES.len()) - 1;
const STATE: u8 = 0x1F;
const CONDITIONS: u8 = 0x7F;
/// DUT-37: bytes of the Performance Monitors frame.
const FRAME: u16 = 0x1000;
/// DUT-36: op0 of MRC and MCR.
const OP0_OF_AARCH32: u16 = 0b11 << 14;

/// Something of a cycle that the contract never drives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The cycle.
    pub cycle: u64,
    /// The rule of the contract.
    pub rule: &'static str,
    /// The field of `CycleInput`.
    pub field: String,
    /// What the contract allows.
    pub expected: String,
    /// What the cycle has.
    pub found: String,
    /// Where it is in `CycleInput`.
    #[serde(skip)]
    pub bits: Range<u32>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            cycle,
            rule: id,
            field,
            expected,
            found,
            ..
        } = self;
        let clause = rule(id).map_or("", |rule| rule.clause);
        write!(
            f,
            "cycle {cycle}: {field}: expected {expected}, found {found} ({id}, {clause})"
        )
    }
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// All of a cycle: stimulus is made by a program.
    All,
    /// What the design looks at: a test bench leaves the rest as it comes.
    Used,
}

/// Looks at cycles one after another.
#[derive(Clone, Debug)]
pub struct ContractCheck {
    wrapper: Wrapper,
    scope: Scope,
    /// DUT-81: the states that there are, by the four bits without Streaming mode.
    states: u16,
    /// DUT-82: by state, what "EL2 is enabled" can be: bit 0 for 0, bit 1 for 1.
    el2_enabled: [u8; 16],
    /// Bits of `counting_allowed` that a counter has.
    counters: u32,
    threads: usize,
    sampling: bool,
    /// DUT-03: nothing has been looked at yet, and the first cycle must be a reset.
    first: bool,
    /// Number of the next cycle.
    cycle: u64,
    /// DUT-70: the cycle of the last access.
    last: Option<u64>,
}

impl ContractCheck {
    /// A check of stimulus for designs of `implementation`, from its first cycle on.
    pub fn new(implementation: &Implementation) -> Self {
        let pe = &implementation.pe;
        let states = (0..16u8).filter(|&state| has_state(implementation, state & 3, state >> 2));
        let el2_enabled = std::array::from_fn(|state| match (state & 3, state as u8 >> 2) {
            _ if !pe.el2 => 0b11,
            (2, _) => 0b10,
            (3, _) => 0b11,
            // A PE without EL3 may be Secure always: its state has the code of Non-secure (A-ETY-11).
            _ if !pe.el3 => 0b11,
            (_, SECURE) if pe.sel2 => 0b11,
            (_, SECURE) => 0b01,
            _ => 0b10,
        });
        let event_counters = (1u32 << implementation.pmu.counters) - 1;
        Self {
            wrapper: implementation.wrapper.clone(),
            scope: Scope::All,
            states: states.fold(0, |states, state| states | 1 << state),
            el2_enabled,
            counters: event_counters | 1 << CYCLE_COUNTER,
            threads: implementation.threads.count.into(),
            sampling: implementation.spe.implemented,
            first: true,
            cycle: 0,
            last: None,
        }
    }

    /// A check of what a test bench drove, from a reset on: of what the design looks at alone.
    pub fn of_test_bench(implementation: &Implementation) -> Self {
        Self {
            scope: Scope::Used,
            first: false,
            ..Self::new(implementation)
        }
    }

    /// Number of the next cycle.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Goes to `cycle`. The accesses before it are not known then.
    pub fn go_to(&mut self, cycle: u64) {
        self.first = cycle == 0 && self.scope == Scope::All;
        (self.cycle, self.last) = (cycle, None);
    }

    /// Looks at the next cycles.
    ///
    /// # Errors
    /// The first violation; what comes after it has not been looked at.
    pub fn check(&mut self, inputs: &[CycleInput]) -> Result<(), Violation> {
        for input in inputs {
            let mut first = None;
            self.enter(input, &mut |violation| {
                first.get_or_insert(violation);
            });
            if let Some(violation) = first {
                return Err(violation);
            }
        }
        Ok(())
    }

    /// Looks at the next cycle, and tells all of its violations.
    #[inline]
    pub fn enter(&mut self, input: &CycleInput, tell: &mut dyn FnMut(Violation)) {
        let cycle = self.cycle;
        self.cycle += 1;
        match self.scope {
            Scope::All => {
                let late = self.keeps_interval(input, cycle);
                if late.is_some() || self.first || !self.allows(input) {
                    self.tell_all(input, cycle, late, tell);
                }
                self.first = false;
            }
            Scope::Used => {
                let Some(used) = self.used(input) else {
                    return;
                };
                let late = self.keeps_interval(&used, cycle);
                self.tell_all(&used, cycle, late, tell);
            }
        }
    }

    /// DUT-70: the access before, if there is one in the cycle and it comes too soon.
    #[inline]
    fn keeps_interval(&mut self, input: &CycleInput, cycle: u64) -> Option<u64> {
        if input.access_kind == AccessKind::None as u8 {
            return None;
        }
        let before = self.last.replace(cycle)?;
        (cycle - before < u64::from(self.wrapper.access_interval)).then_some(before)
    }

    /// Whether [`Self::tell_all`] has nothing to tell, but for DUT-03 and DUT-70: the same in a few instructions.
    #[inline]
    fn allows(&self, input: &CycleInput) -> bool {
        let values = has_values(input);
        if !values || !self.wrapper_takes_all() {
            return values && self.tells_nothing(input);
        }
        if input.reset | input.clock_stopped != 0 {
            return true;
        }
        if input.access_kind > AccessKind::Write as u8 && !is_address_allowed(input) {
            return false;
        }
        if input.driven & CycleInput::DRIVEN_PE == 0 {
            return true;
        }
        let group = &input.threads[..self.group(input)];
        let states = group.iter().all(|thread| self.has(thread.state));
        let enabled = self.el2_enabled[usize::from(input.threads[0].state & 15)]
            >> (input.controls & control::EL2_ENABLED)
            & 1;
        let halted = input.controls & control::HALTED != 0;
        states & (enabled == 1) & !(halted && self.goes_on(input))
    }

    /// Whether the wrapper takes all that stimulus can have, but for the interval.
    #[inline]
    fn wrapper_takes_all(&self) -> bool {
        let wrapper = &self.wrapper;
        wrapper.pe_state
            & wrapper.thread_conditions
            & wrapper.aarch32
            & wrapper.external
            & wrapper.indirect
            & wrapper.clock_stopped
    }

    fn tells_nothing(&self, input: &CycleInput) -> bool {
        let mut nothing = true;
        self.tell_all(input, 1, None, &mut |_| nothing = false);
        nothing
    }

    #[inline]
    fn has(&self, state: u8) -> bool {
        self.states >> (state & 15) & 1 == 1
    }

    /// DUT-50: threads that the design looks at.
    #[inline]
    fn group(&self, input: &CycleInput) -> usize {
        match input.driven & CycleInput::DRIVEN_THREADS {
            0 => 1,
            _ => self.threads,
        }
    }

    /// DUT-83: whether something counts or samples.
    #[inline]
    fn goes_on(&self, input: &CycleInput) -> bool {
        let profiles = self.sampling && input.profiling & CycleInput::PROFILING_ENABLED != 0;
        input.counting_allowed & self.counters != 0 || profiles
    }

    /// Tells what the contract excludes of a cycle. `before` is the access that this one comes too soon after.
    #[cold]
    fn tell_all(
        &self,
        input: &CycleInput,
        cycle: u64,
        before: Option<u64>,
        tell: &mut dyn FnMut(Violation),
    ) {
        let mut teller = Teller { cycle, tell };
        if self.first {
            teller.first(input);
        }
        teller.values(input);
        if let Some(before) = before {
            let interval = self.wrapper.access_interval;
            let expected = format!(
                "no access for {interval} cycles from that of cycle {before} on, which is the access_interval of the design"
            );
            teller.tell("DUT-70", ACCESS_KIND, expected, kind_words(input));
        }
        self.parts(input, &mut teller);
        if input.reset | input.clock_stopped == 0 {
            teller.address(input);
            if input.driven & CycleInput::DRIVEN_PE != 0 {
                self.pe(input, &mut teller);
            }
        }
    }

    /// DUT-72: what the design lacks.
    fn parts(&self, input: &CycleInput, teller: &mut Teller<'_>) {
        let wrapper = &self.wrapper;
        let mut zero = |part: &str, place: Place, value: u64| {
            if value != 0 {
                let expected = format!("0, because the design has no {part}");
                teller.tell("DUT-72", place, expected, format!("{value:#x}"));
            }
        };
        if !wrapper.pe_state {
            let driven = input.driven & CycleInput::DRIVEN_PE;
            zero("pe_state", DRIVEN, driven.into());
            zero("pe_state", CONTROLS_FIELD, input.controls.into());
            zero("pe_state", HPMN, input.hpmn.into());
            zero("pe_state", PMUACR, input.pmuacr.into());
            zero("pe_state", SPMACCESSR_EL2, input.spmaccessr_el2);
            zero("pe_state", SPMACCESSR_EL3, input.spmaccessr_el3);
            for (t, thread) in input.threads.iter().enumerate() {
                zero("pe_state", state_of(t), thread.state.into());
            }
        }
        if !wrapper.thread_conditions {
            let driven = input.driven & CycleInput::DRIVEN_THREADS;
            zero("thread_conditions", DRIVEN, driven.into());
            for (t, thread) in input.threads.iter().enumerate() {
                let (conditions, count) = (thread.conditions.into(), thread.count.into());
                zero("thread_conditions", conditions_of(t), conditions);
                zero("thread_conditions", count_of(t), count);
            }
        }
        if !wrapper.clock_stopped {
            zero("clock_stopped", CLOCK_STOPPED, input.clock_stopped.into());
        }
        let (part, what) = match AccessKind::from_code(input.access_kind) {
            AccessKind::Read32 | AccessKind::Write32 if !wrapper.aarch32 => {
                ("aarch32", "no MRC or MCR")
            }
            AccessKind::ExternalRead | AccessKind::ExternalWrite if !wrapper.external => {
                ("external", "no external access")
            }
            _ if !wrapper.indirect && is_indirect(input) => (
                "indirect",
                "no access to PMSELR_EL0, PMXEVTYPER_EL0 or PMXEVCNTR_EL0",
            ),
            _ => return,
        };
        let expected = format!("{what}, because the design has no {part}");
        teller.tell("DUT-72", ACCESS_KIND, expected, kind_words(input));
    }

    /// DUT-81 to DUT-83: states of the threads, and what goes with them.
    fn pe(&self, input: &CycleInput, teller: &mut Teller<'_>) {
        for (t, thread) in input.threads[..self.group(input)].iter().enumerate() {
            if !self.has(thread.state) {
                let found = format!("{} ({:#x})", state_words(thread.state), thread.state);
                teller.tell("DUT-81", state_of(t), self.state_list(), found);
            }
        }
        let state = input.threads[0].state;
        let enabled = input.controls & control::EL2_ENABLED;
        if self.has(state) && self.el2_enabled[usize::from(state & 15)] >> enabled & 1 == 0 {
            let (expected, found) = (1 - enabled, enabled.to_string());
            let expected = format!("{expected} at {}", state_words(state));
            teller.tell("DUT-82", EL2_ENABLED, expected, found);
        }
        if input.controls & control::HALTED != 0 && self.goes_on(input) {
            let allowed = input.counting_allowed & self.counters;
            if allowed != 0 {
                let expected = "0 in Debug state (`controls`, Halted), in which nothing counts";
                teller.tell(
                    "DUT-83",
                    COUNTING_ALLOWED,
                    expected,
                    format!("{:#x}", input.counting_allowed),
                );
            } else {
                let expected =
                    "bit 0 zero in Debug state (`controls`, Halted), in which nothing is profiled";
                let found = format!("{:#x}", input.profiling);
                teller.tell("DUT-83", PROFILING_FIELD, expected, found);
            }
        }
    }

    /// The states that there are, in words.
    fn state_list(&self) -> String {
        let of = |(security, name): (usize, &&str)| {
            let levels = (0..4).filter(|level| self.has(level | (security as u8) << 2));
            let levels: Vec<_> = levels.map(|level| format!("EL{level}")).collect();
            (!levels.is_empty()).then(|| format!("{name} {}", levels.join(" ")))
        };
        let states = SECURITY_STATES.iter().enumerate().filter_map(of);
        format!(
            "a state that the implementation can be in ({})",
            states.collect::<Vec<_>>().join(", ")
        )
    }

    /// What a design looks at of a cycle, with zero elsewhere; nothing of a cycle that it ignores.
    fn used(&self, input: &CycleInput) -> Option<CycleInput> {
        if input.is_reset() {
            return None;
        }
        if input.clock_stopped & 1 == 1 {
            return (!self.wrapper.clock_stopped).then(|| CycleInput {
                clock_stopped: 1,
                ..CycleInput::default()
            });
        }
        let mut used = CycleInput {
            event: [0; EVENT_LANES],
            reset: 0,
            ..*input
        };
        if used.driven & CycleInput::DRIVEN_PE == 0 {
            (used.controls, used.hpmn, used.pmuacr) = (0, 0, 0);
            (used.spmaccessr_el2, used.spmaccessr_el3) = (0, 0);
        }
        let is_instruction = matches!(
            AccessKind::from_code(used.access_kind),
            AccessKind::Read | AccessKind::Write
        );
        if used.driven & CycleInput::DRIVEN_PE == 0 || !is_instruction {
            used.access_rt = 0;
        }
        let group = self.group(input);
        for (t, thread) in used.threads.iter_mut().enumerate() {
            if used.driven & CycleInput::DRIVEN_PE == 0 || t >= group {
                thread.state = 0;
            }
            if used.driven & CycleInput::DRIVEN_THREADS == 0 || t >= group {
                (thread.conditions, thread.count) = (0, 0);
            }
        }
        if !self.sampling {
            (used.operations, used.complete) = (0, 0);
            (used.filtered_out, used.profiling) = (0, 0);
        }
        Some(used)
    }

    /// Puts in order what follows from the states and controls of a cycle (DUT-82, DUT-83).
    pub fn settle(&self, input: &mut CycleInput) {
        if input.driven & CycleInput::DRIVEN_PE == 0 || input.reset | input.clock_stopped != 0 {
            return;
        }
        match self.el2_enabled[usize::from(input.threads[0].state & 15)] {
            0b01 => input.controls &= !control::EL2_ENABLED,
            0b10 => input.controls |= control::EL2_ENABLED,
            _ => {}
        }
        if input.controls & control::HALTED != 0 {
            input.counting_allowed = 0;
            input.profiling &= !CycleInput::PROFILING_ENABLED;
        }
    }
}

/// DUT-03 and DUT-80 alone: what any stimulus file keeps to, whatever the design. `first` is the number of the first cycle of
/// `cycles`.
///
/// # Errors
/// The first violation.
pub(super) fn check_values(first: u64, cycles: &[CycleInput]) -> Result<(), Violation> {
    for (cycle, input) in (first..).zip(cycles) {
        if cycle == 0 || !has_values(input) {
            let mut found = None;
            let mut teller = Teller {
                cycle,
                tell: &mut |violation| {
                    found.get_or_insert(violation);
                },
            };
            if cycle == 0 {
                teller.first(input);
            }
            teller.values(input);
            if let Some(violation) = found {
                return Err(violation);
            }
        }
    }
    Ok(())
}

/// DUT-80, in a few instructions.
#[inline]
fn has_values(input: &CycleInput) -> bool {
    /// Bits of the threads that are zero.
    const ZERO: u128 =
        (!STATE as u128 | (!CONDITIONS as u128) << 8) * 0x0000_0001_0000_0001_0000_0001_0000_0001;
    let threads = u128::from_le(cast(input.threads));
    (input.access_kind <= LAST_KIND)
        & (input.reset <= 1)
        & (input.driven <= 3)
        & (input.clock_stopped <= 1)
        & (input.operations <= MAX_OPERATIONS)
        & (input.complete <= MAX_OPERATIONS)
        & (input.filtered_out <= MAX_OPERATIONS)
        & (input.profiling & !PROFILING == 0)
        & ((input.hpmn | input.access_rt) & !FIVE_BITS == 0)
        & (input.controls & !CONTROLS == 0)
        & (threads & ZERO == 0)
}

/// DUT-81: whether a PE of `implementation` can be at Exception level `level` in Security state `security`.
pub fn has_state(implementation: &Implementation, level: u8, security: u8) -> bool {
    let pe = &implementation.pe;
    match (level, security) {
        (0 | 1, NON_SECURE) => true,
        (0 | 1, SECURE) => pe.el3,
        (0 | 1, REALM) => pe.rme,
        (2, NON_SECURE) => pe.el2,
        (2, SECURE) => pe.sel2,
        (2, REALM) => pe.el2 && pe.rme,
        (3, SECURE) => pe.el3 && !pe.rme,
        (3, ROOT) => pe.rme,
        _ => false,
    }
}

fn state_words(state: u8) -> String {
    let security = SECURITY_STATES[usize::from(state >> 2 & 3)];
    format!("EL{} in {security} state", state & 3)
}

fn kind_words(input: &CycleInput) -> String {
    let words = [
        "none",
        "MRS",
        "MSR",
        "MRC",
        "MCR",
        "external read",
        "external write",
    ];
    let kind = input.access_kind;
    let word = words.get(usize::from(kind)).copied().unwrap_or("no kind");
    format!("{kind} ({word}), address {:#x}", input.access_address)
}

/// DUT-36, DUT-37: whether an MRC, MCR or external access is of an address that there is.
fn is_address_allowed(input: &CycleInput) -> bool {
    let address = input.access_address;
    match AccessKind::from_code(input.access_kind) {
        AccessKind::Read32 | AccessKind::Write32 => address & OP0_OF_AARCH32 == OP0_OF_AARCH32,
        AccessKind::ExternalRead | AccessKind::ExternalWrite => address < FRAME,
        AccessKind::None | AccessKind::Read | AccessKind::Write => true,
    }
}

fn is_indirect(input: &CycleInput) -> bool {
    let register = match AccessKind::from_code(input.access_kind) {
        AccessKind::Read | AccessKind::Write => SysReg::from_address(input.access_address),
        AccessKind::Read32 | AccessKind::Write32 => SysReg::from_address_32(input.access_address),
        AccessKind::None | AccessKind::ExternalRead | AccessKind::ExternalWrite => None,
    };
    register.is_some_and(SysReg::is_indirect)
}

/// A field: its name, its first byte, and its bits.
type Place = (&'static str, u32, u32);

macro_rules! places {
    ($($name:ident = $word:literal, $field:ident, $bits:literal;)+) => {
        $(const $name: Place =
            ($word, 8 * std::mem::offset_of!(CycleInput, $field) as u32, $bits);)+
    };
}

places! {
    COUNTING_ALLOWED = "counting_allowed", counting_allowed, 32;
    ACCESS_ADDRESS = "access_address", access_address, 16;
    ACCESS_KIND = "access_kind", access_kind, 8;
    RESET = "reset", reset, 8;
    DRIVEN = "driven", driven, 8;
    CLOCK_STOPPED = "clock_stopped", clock_stopped, 8;
    OPERATIONS = "operations", operations, 8;
    COMPLETE = "complete", complete, 8;
    FILTERED_OUT = "filtered_out", filtered_out, 8;
    PROFILING_FIELD = "profiling", profiling, 8;
    HPMN = "hpmn", hpmn, 8;
    ACCESS_RT = "access_rt", access_rt, 8;
    CONTROLS_FIELD = "controls", controls, 32;
    EL2_ENABLED = "controls bit 0 (EL2 enabled)", controls, 1;
    PMUACR = "pmuacr", pmuacr, 32;
    SPMACCESSR_EL2 = "spmaccessr_el2", spmaccessr_el2, 64;
    SPMACCESSR_EL3 = "spmaccessr_el3", spmaccessr_el3, 64;
}

const STATES: [&str; THREADS] = [
    "threads[0].state",
    "threads[1].state",
    "threads[2].state",
    "threads[3].state",
];
const CONDITIONS_OF: [&str; THREADS] = [
    "threads[0].conditions",
    "threads[1].conditions",
    "threads[2].conditions",
    "threads[3].conditions",
];
const COUNTS: [&str; THREADS] = [
    "threads[0].count",
    "threads[1].count",
    "threads[2].count",
    "threads[3].count",
];

/// The first bit of thread `t`.
fn thread_at(t: usize) -> u32 {
    8 * (std::mem::offset_of!(CycleInput, threads) + t * size_of::<Thread>()) as u32
}

fn state_of(t: usize) -> Place {
    (STATES[t], thread_at(t), 8)
}

fn conditions_of(t: usize) -> Place {
    (CONDITIONS_OF[t], thread_at(t) + 8, 8)
}

fn count_of(t: usize) -> Place {
    (COUNTS[t], thread_at(t) + 16, 16)
}

/// Tells violations of a cycle.
struct Teller<'t> {
    cycle: u64,
    tell: &'t mut dyn FnMut(Violation),
}

impl Teller<'_> {
    fn tell(
        &mut self,
        rule: &'static str,
        (field, from, width): Place,
        expected: impl Into<String>,
        found: String,
    ) {
        (self.tell)(Violation {
            cycle: self.cycle,
            rule,
            field: field.into(),
            expected: expected.into(),
            found,
            bits: from..from + width,
        });
    }

    /// DUT-03.
    fn first(&mut self, input: &CycleInput) {
        if input.reset != 1 {
            let expected = "1 in the first cycle: every run starts with a reset";
            self.tell("DUT-03", RESET, expected, input.reset.to_string());
        }
    }

    /// DUT-80: values that a field does not have, and bits that the contract does not name.
    fn values(&mut self, input: &CycleInput) {
        let mut at_most = |place: Place, most: u8, found: u8| {
            if found > most {
                self.tell("DUT-80", place, format!("0 to {most}"), found.to_string());
            }
        };
        at_most(ACCESS_KIND, LAST_KIND, input.access_kind);
        at_most(RESET, 1, input.reset);
        at_most(DRIVEN, 3, input.driven);
        at_most(CLOCK_STOPPED, 1, input.clock_stopped);
        at_most(OPERATIONS, MAX_OPERATIONS, input.operations);
        at_most(COMPLETE, MAX_OPERATIONS, input.complete);
        at_most(FILTERED_OUT, MAX_OPERATIONS, input.filtered_out);
        at_most(HPMN, FIVE_BITS, input.hpmn);
        at_most(ACCESS_RT, FIVE_BITS, input.access_rt);
        let mut named = |place: Place, mask: u32, found: u32| {
            if found & !mask != 0 {
                let expected = format!("no bit outside of {mask:#x}");
                self.tell("DUT-80", place, expected, format!("{found:#x}"));
            }
        };
        named(PROFILING_FIELD, PROFILING.into(), input.profiling.into());
        named(CONTROLS_FIELD, CONTROLS, input.controls);
        for (t, thread) in input.threads.iter().enumerate() {
            named(state_of(t), STATE.into(), thread.state.into());
            let conditions = thread.conditions.into();
            named(conditions_of(t), CONDITIONS.into(), conditions);
        }
    }

    /// DUT-36, DUT-37: where AArch32 and external accesses go.
    fn address(&mut self, input: &CycleInput) {
        if is_address_allowed(input) {
            return;
        }
        let found = format!("{:#x}", input.access_address);
        match AccessKind::from_code(input.access_kind) {
            AccessKind::ExternalRead | AccessKind::ExternalWrite => {
                let expected = "0 to 0xfff, an offset in the Performance Monitors frame";
                self.tell("DUT-37", ACCESS_ADDRESS, expected, found);
            }
            _ => {
                let expected = "op0 = 3 in bits [15:14] of an MRC or MCR";
                self.tell("DUT-36", ACCESS_ADDRESS, expected, found);
            }
        }
    }
}

#[cfg(test)]
mod tests;
