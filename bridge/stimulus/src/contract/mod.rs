//! Whether a cycle is one that `docs/dut-contract.md` allows, for a design of some implementation. What it never drives no
//! design need get right: a difference after it says nothing about the design.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use bytemuck::bytes_of;
use pmu_model::contract::{
    AccessKind, CYCLE_COUNTER, EVENT_LANES, Field, Limit, SECURITY_STATES, THREADS, Thread, control,
};
use pmu_model::rules::rule;
use pmu_model::wrapper::Wrapper;
use pmu_model::{CycleInput, Implementation, SysReg};
use serde::Serialize;

const NON_SECURE: u8 = 0;
const SECURE: u8 = 1;
const REALM: u8 = 2;
const ROOT: u8 = 3;

/// The last kind of access (DUT-80).
const LAST_KIND: u8 = AccessKind::ExternalWrite as u8;
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
            teller.tell(
                "DUT-70",
                const { place("access_kind") },
                expected,
                kind_words(input),
            );
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
            zero("pe_state", const { place("driven") }, driven.into());
            zero(
                "pe_state",
                const { place("controls") },
                input.controls.into(),
            );
            zero("pe_state", const { place("hpmn") }, input.hpmn.into());
            zero("pe_state", const { place("pmuacr") }, input.pmuacr.into());
            zero(
                "pe_state",
                const { place("spmaccessr_el2") },
                input.spmaccessr_el2,
            );
            zero(
                "pe_state",
                const { place("spmaccessr_el3") },
                input.spmaccessr_el3,
            );
            for (t, thread) in input.threads.iter().enumerate() {
                zero("pe_state", named_of_thread(t, "state"), thread.state.into());
            }
        }
        if !wrapper.thread_conditions {
            let driven = input.driven & CycleInput::DRIVEN_THREADS;
            zero(
                "thread_conditions",
                const { place("driven") },
                driven.into(),
            );
            for (t, thread) in input.threads.iter().enumerate() {
                let (conditions, count) = (thread.conditions.into(), thread.count.into());
                zero(
                    "thread_conditions",
                    named_of_thread(t, "conditions"),
                    conditions,
                );
                zero("thread_conditions", named_of_thread(t, "count"), count);
            }
        }
        if !wrapper.clock_stopped {
            zero(
                "clock_stopped",
                const { place("clock_stopped") },
                input.clock_stopped.into(),
            );
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
        teller.tell(
            "DUT-72",
            const { place("access_kind") },
            expected,
            kind_words(input),
        );
    }

    /// DUT-81 to DUT-83: states of the threads, and what goes with them.
    fn pe(&self, input: &CycleInput, teller: &mut Teller<'_>) {
        for (t, thread) in input.threads[..self.group(input)].iter().enumerate() {
            if !self.has(thread.state) {
                let found = format!("{} ({:#x})", state_words(thread.state), thread.state);
                teller.tell(
                    "DUT-81",
                    named_of_thread(t, "state"),
                    self.state_list(),
                    found,
                );
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
                    const { place("counting_allowed") },
                    expected,
                    format!("{:#x}", input.counting_allowed),
                );
            } else {
                let expected =
                    "bit 0 zero in Debug state (`controls`, Halted), in which nothing is profiled";
                let found = format!("{:#x}", input.profiling);
                teller.tell("DUT-83", const { place("profiling") }, expected, found);
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

/// DUT-80: bits that are zero, as words. What is left is whether numbers are too large that have those bits.
const ZERO_BITS: [u64; size_of::<CycleInput>() / 8] = {
    let mut words = [0; size_of::<CycleInput>() / 8];
    let mut n = 0;
    while n < CycleInput::FIELDS.len() {
        let field = &CycleInput::FIELDS[n];
        forbid(&mut words, field, field.byte);
        n += 1;
    }
    let threads = Field::named(CycleInput::FIELDS, "threads");
    let mut n = 0;
    while n < Thread::FIELDS.len() * THREADS {
        let field = &Thread::FIELDS[n / THREADS];
        let thread = threads.byte + n % THREADS * size_of::<Thread>();
        forbid(&mut words, field, thread + field.byte);
        n += 1;
    }
    words
};

/// Enters the bits of a field at `byte` that are zero.
const fn forbid(words: &mut [u64], field: &Field, byte: usize) {
    let allowed = match field.limit {
        Limit::None => return,
        Limit::Most(most) => (most as u64 + 1).next_power_of_two() - 1,
        Limit::Bits(bits) => bits as u64,
    };
    let all = u64::MAX >> (64 - 8 * field.bytes());
    words[byte / 8] |= (all & !allowed) << (8 * (byte % 8));
}

/// DUT-80, in a few instructions.
#[inline]
fn has_values(input: &CycleInput) -> bool {
    let words: &[u64; ZERO_BITS.len()] = bytemuck::cast_ref(input);
    let words = words.iter().zip(ZERO_BITS).filter(|(_, zero)| *zero != 0);
    let found = words.fold(0, |found, (word, zero)| found | u64::from_le(*word) & zero);
    // Of all limits that one alone is no power of two.
    (found == 0) & (input.access_kind <= LAST_KIND)
}

/// The limits that are not of whole bits.
const _: () = {
    let mut n = 0;
    while n < CycleInput::FIELDS.len() {
        let field = &CycleInput::FIELDS[n];
        if let Limit::Most(most) = field.limit
            && !(most as u64 + 1).is_power_of_two()
        {
            assert!(
                most == LAST_KIND && field.byte == std::mem::offset_of!(CycleInput, access_kind)
            );
        }
        n += 1;
    }
};

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

/// A field, or some bits of it: its name, its first bit, and its bits.
type Place = (Cow<'static, str>, u32, u32);

/// The field of this name, an error of compilation if there is none.
const fn place(name: &'static str) -> Place {
    let field = Field::named(CycleInput::FIELDS, name);
    (
        Cow::Borrowed(name),
        8 * field.byte as u32,
        8 * field.bytes() as u32,
    )
}

/// A field of thread `t`.
fn place_of_thread(t: usize, field: &Field) -> Place {
    let (_, threads, _) = place("threads");
    let from = 8 * (t * size_of::<Thread>() + field.byte) as u32;
    (
        format!("threads[{t}].{}", field.name).into(),
        threads + from,
        8 * field.bytes() as u32,
    )
}

/// See [`place_of_thread`].
fn named_of_thread(t: usize, name: &'static str) -> Place {
    place_of_thread(t, Field::named(Thread::FIELDS, name))
}

const EL2_ENABLED: Place = (
    Cow::Borrowed("controls bit 0 (EL2 enabled)"),
    8 * std::mem::offset_of!(CycleInput, controls) as u32,
    1,
);

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
            self.tell(
                "DUT-03",
                const { place("reset") },
                expected,
                input.reset.to_string(),
            );
        }
    }

    /// DUT-80: values that a field does not have, and bits that the contract does not name.
    fn values(&mut self, input: &CycleInput) {
        if has_values(input) {
            return;
        }
        for field in CycleInput::FIELDS.iter().filter(|field| field.count == 1) {
            self.value(field, bytes_of(input), place(field.name));
        }
        for (t, thread) in input.threads.iter().enumerate() {
            for field in Thread::FIELDS {
                self.value(field, bytes_of(thread), place_of_thread(t, field));
            }
        }
    }

    /// DUT-80, of a field of a struct.
    fn value(&mut self, field: &Field, of: &[u8], place: Place) {
        let found = field.value(of, 0);
        match field.limit {
            Limit::Most(most) if found > most.into() => {
                self.tell("DUT-80", place, format!("0 to {most}"), found.to_string());
            }
            Limit::Bits(bits) if found & !u64::from(bits) != 0 => {
                let expected = format!("no bit outside of {bits:#x}");
                self.tell("DUT-80", place, expected, format!("{found:#x}"));
            }
            _ => {}
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
                self.tell("DUT-37", const { place("access_address") }, expected, found);
            }
            _ => {
                let expected = "op0 = 3 in bits [15:14] of an MRC or MCR";
                self.tell("DUT-36", const { place("access_address") }, expected, found);
            }
        }
    }
}

#[cfg(test)]
mod tests;
