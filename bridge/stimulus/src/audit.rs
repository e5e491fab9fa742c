//! Area audit: scripts that walk through the constants that rules compare with and the values around them, as
//! [`pmu_model::audit`] lists them. What is drawn at random comes to each of thousands of values seldom, and to some of
//! them never; a walk comes to all of them in turns.

use pmu_model::Implementation;
use pmu_model::audit::{self, EventNumber, KINDS};
use pmu_model::contract::{AccessKind, CYCLE_COUNTER};
use pmu_model::pmu::event_type::CHAIN;
use pmu_model::pmu::registers::{PMCR_C, PMCR_E, PMCR_LP, PMCR_P};
use pmu_model::pmu::sample_events::SAMPLE_EVENTS;

use super::context::{Context, pause};
use super::profile::{AuditArea, AuditScript};
use super::queue::Op;
use super::random::{Bits, Menu};
use super::registers::{
    PMCCNTR, PMCNTENSET, PMCR, PMSELR, PMSICR, PMSIRR, PMXEVCNTR, PMXEVTYPER, SPM_COUNTERS,
    SPM_IDENTITY, SPMSELR, event_counter, event_type, from_aarch32,
};

/// Accesses of a script that goes through addresses.
const ADDRESSES: usize = 4;
/// Counters that get an event number that may be taken for an event of sampling.
const SAMPLE_COUNTERS: u32 = 4;
/// Values of SYSPMUSEL.
const SYSTEM_PMUS: usize = 64;
/// Reads and writes of the counters of a System PMU.
const SYSTEM_ACCESSES: usize = 2 * 64;
/// Ways to reach what PMSELR_EL0 selects: MRS and MSR of PMXEVTYPER_EL0 and of PMXEVCNTR_EL0, MRC and MCR of PMXEVTYPER.
const WAYS: usize = 6;

/// The profile's part, and the lists that are walked through.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) scripts: Menu,
    events: Vec<EventNumber>,
    /// Addresses of accesses that are refused or ignored.
    addresses: Vec<(AccessKind, u16)>,
    /// Values of event counters, and of the cycle counter.
    values: [Vec<u64>; 2],
    intervals: Vec<u64>,
    /// PMSICR_EL1: COUNT, then ECOUNT.
    counts: Vec<u64>,
}

impl Tables {
    pub(super) fn new(area: &AuditArea, implementation: &Implementation) -> Self {
        let addresses = KINDS.into_iter().flat_map(|kind| {
            let addresses = audit::addresses(kind, implementation).into_iter();
            addresses
                .filter(move |&address| !audit::reaches(kind, address, implementation))
                .map(move |address| (kind, address))
        });
        let counts = audit::counts().into_iter();
        let secondary = audit::secondary_counts(implementation).into_iter();
        Self {
            scripts: Menu::new(&area.accesses.weights()),
            events: audit::event_numbers(implementation),
            addresses: addresses.collect(),
            values: [0, CYCLE_COUNTER].map(|n| audit::counter_values(n, implementation)),
            intervals: audit::intervals(),
            counts: counts.chain(secondary.map(|count| count << 56)).collect(),
        }
    }
}

/// How far each walk has come.
#[derive(Clone, Debug, Default)]
pub(super) struct Walks {
    event: Walk,
    address: Walk,
    value: [Walk; 2],
    select: Walk,
    system: Walk,
    control: Walk,
    /// Of even and of odd counters.
    reserved: [Walk; 2],
    interval: Walk,
    count: Walk,
}

/// A walk through a list, around and around.
#[derive(Clone, Debug, Default)]
struct Walk {
    /// The next place; none before the first step.
    at: Option<usize>,
}

impl Walk {
    /// The next place in a list of `length`. The first one is drawn.
    fn next(&mut self, length: usize, bits: &mut Bits) -> usize {
        let at = match self.at {
            Some(at) => at,
            None => bits.below(length as u32) as usize,
        };
        self.at = Some((at + 1) % length);
        at
    }
}

/// Begins an access, or a sequence of them.
///
/// # Returns
/// The access, if it does not wait in the queue.
#[inline(never)]
pub(super) fn begin(
    script: AuditScript,
    tables: &Tables,
    walks: &mut Walks,
    context: &mut Context,
) -> Option<Op> {
    let mut bits = context.words.bits();
    match script {
        AuditScript::Event => event(tables, walks, bits, context),
        AuditScript::Address => {
            for _ in 0..ADDRESSES {
                let (kind, address) =
                    tables.addresses[walks.address.next(tables.addresses.len(), &mut bits)];
                let data = context.words.next();
                context.queue.push(Op::new(kind, address, data));
            }
        }
        AuditScript::Value => value(tables, walks, bits, context),
        AuditScript::Select => select(walks, bits, context),
        AuditScript::System => system(walks, bits, context),
        AuditScript::Limit => limit(bits, context),
        AuditScript::Control => control(walks, bits, context),
        AuditScript::Reserved => reserved(walks, bits, context),
        AuditScript::Interval => interval(tables, walks, bits, context),
        AuditScript::Count => {
            let data = tables.counts[walks.count.next(tables.counts.len(), &mut bits)];
            context.queue.push(Op::write_at(PMSICR, data));
            // Soon it counts on as ever.
            let soon = u64::from(1 + bits.below(20));
            context
                .queue
                .push(Op::write_at(PMSICR, soon).after(1 + bits.take(2)));
        }
    }
    None
}

/// The next event number in a counter, which is not filtered and counts V_B. Where it may be taken for CHAIN, the counter
/// below is about to overflow.
fn event(tables: &Tables, walks: &mut Walks, mut bits: Bits, context: &mut Context) {
    let Some(mut n) = context.some_counter(&mut bits) else {
        return;
    };
    let EventNumber { constant, number } =
        tables.events[walks.event.next(tables.events.len(), &mut bits)];
    let is_chain = constant == CHAIN && context.facts.has_chain;
    if is_chain {
        // An odd one, of which there is one at least.
        n = if n | 1 < context.facts.counters {
            n | 1
        } else {
            n - 1
        };
    }
    let data = context.plain_type(number);
    context.queue.push(Op::write_at(event_type(n), data));
    if !is_chain {
        let mut enabled = 1 << n;
        if SAMPLE_EVENTS.contains(&constant) {
            // It happens seldom: others wait for it, too, until they are to count something else.
            let others = (1..SAMPLE_COUNTERS).map(|k| (n + k) % context.facts.counters);
            for other in others.filter(|&other| other != n) {
                enabled |= 1 << other;
                context.queue.push(Op::write_at(event_type(other), data));
            }
        }
        context.queue.push(Op::write_at(PMCNTENSET, enabled));
        let read = Op::read_at(event_counter(n));
        return context.queue.push(read.after(bits.take(4)));
    }
    let below = n - 1;
    let lane = bits.below(context.facts.event_count) as u16;
    let data = context.plain_type(if lane == CHAIN { 0 } else { lane });
    context.queue.push(Op::write_at(event_type(below), data));
    let long = context.shadow.long;
    if long {
        context.queue.push(Op::write_at(PMCR, PMCR_E));
    }
    context.queue.push(Op::write_at(PMCNTENSET, 0b11 << below));
    let value = 0xFFFF_FFFF - u64::from(bits.take(2));
    context
        .queue
        .push(Op::write_at(event_counter(below), value));
    let read = Op::read_at(event_counter(n));
    context.queue.push(read.after(4 + bits.take(3)));
    if long {
        context.queue.push(Op::write_at(PMCR, PMCR_E | PMCR_LP));
    }
}

/// The next value in two event counters, or in the cycle counter.
fn value(tables: &Tables, walks: &mut Walks, mut bits: Bits, context: &mut Context) {
    let counters = context.facts.counters;
    let cycle = counters == 0 || bits.take(1) == 0;
    let values = &tables.values[usize::from(cycle)];
    let value = values[walks.value[usize::from(cycle)].next(values.len(), &mut bits)];
    if cycle {
        let enable = Op::write_at(PMCNTENSET, 1 << CYCLE_COUNTER);
        context.queue.push(enable);
        context.queue.push(Op::write_at(PMCCNTR, value));
        let read = Op::read_at(PMCCNTR);
        return context.queue.push(read.after(1 + bits.take(2)));
    }
    let first = bits.below(counters);
    let second = (first + 1 + bits.take(3)) % counters;
    context
        .queue
        .push(Op::write_at(PMCNTENSET, 1 << first | 1 << second));
    for n in [first, second] {
        context.queue.push(Op::write_at(event_counter(n), value));
    }
    for n in [first, second] {
        let read = Op::read_at(event_counter(n));
        context.queue.push(read.after(bits.take(2)));
    }
}

/// The next SEL, and the next way to what it selects.
fn select(walks: &mut Walks, mut bits: Bits, context: &mut Context) {
    let place = walks.select.next(32 * WAYS, &mut bits);
    let (select, way) = ((place / WAYS) as u32, place % WAYS);
    context.queue.push(Op::write_at(PMSELR, u64::from(select)));
    let data = match way {
        1 | 5 if select < CYCLE_COUNTER as u32 => context.allocated_type(select),
        _ => context.words.next(),
    };
    let (kind, address) = match way {
        0 => (AccessKind::Read, PMXEVTYPER),
        1 => (AccessKind::Write, PMXEVTYPER),
        2 => (AccessKind::Read, PMXEVCNTR),
        3 => (AccessKind::Write, PMXEVCNTR),
        4 => (AccessKind::Read32, from_aarch32(PMXEVTYPER)),
        _ => (AccessKind::Write32, from_aarch32(PMXEVTYPER)),
    };
    context.queue.push(Op::new(kind, address, data));
    context.queue.push(Op::read_at(match way {
        2 | 3 => event_counter(select),
        _ => event_type(select),
    }));
}

/// The next SYSPMUSEL, and an access to what it selects; or the next access to a counter of a System PMU.
fn system(walks: &mut Walks, mut bits: Bits, context: &mut Context) {
    let system_pmus = context.facts.system_pmus.len();
    let place = walks
        .system
        .next(SYSTEM_PMUS + system_pmus * SYSTEM_ACCESSES, &mut bits);
    let Some(place) = place.checked_sub(SYSTEM_PMUS) else {
        let bank = u64::from(bits.take(2));
        let select = (place as u64) << 4 | bank;
        context.queue.push(Op::write_at(SPMSELR, select));
        let register = SPM_IDENTITY[bits.below(SPM_IDENTITY.len() as u32) as usize];
        return context.queue.push(Op::read_at(register));
    };
    let (number, access) = (place / SYSTEM_ACCESSES, place % SYSTEM_ACCESSES);
    let (n, write) = (access / 2, access % 2 == 1);
    let select = (number << 4 | n >> 4) as u64;
    context.queue.push(Op::write_at(SPMSELR, select));
    let address = SPM_COUNTERS[bits.take(2) as usize] + (n & 15) as u16;
    if write {
        let data = context.words.next();
        context.queue.push(Op::write_at(address, data));
    }
    context.queue.push(Op::read_at(address));
}

/// The types of the counters around HPMN.
fn limit(mut bits: Bits, context: &mut Context) {
    let hpmn = u32::from(context.hpmn);
    let written = bits.take(2);
    for (place, n) in (hpmn.saturating_sub(1)..=hpmn + 1).enumerate() {
        if n >= CYCLE_COUNTER as u32 {
            continue;
        }
        let op = match place as u32 == written {
            true => Op::write_at(event_type(n), context.allocated_type(n)),
            false => Op::read_at(event_type(n)),
        };
        context.queue.push(op);
    }
}

/// The next combination of PMCR_EL0.{E, P, C, LP}; then counting goes on.
fn control(walks: &mut Walks, mut bits: Bits, context: &mut Context) {
    let long = if context.shadow.long { PMCR_LP } else { 0 };
    let next = walks.control.next(16, &mut bits) as u64;
    let fields = [PMCR_E, PMCR_P, PMCR_C, PMCR_LP].into_iter().enumerate();
    let data = fields.fold(0, |data, (bit, field)| data | (field * (next >> bit & 1)));
    context.queue.push(Op::write_at(PMCR, data));
    let pause = pause(&mut bits);
    let go_on = Op::write_at(PMCR, PMCR_E | long);
    context.queue.push(go_on.after(pause));
}

/// The next reserved {TC, TE, TLC}, for a few cycles.
fn reserved(walks: &mut Walks, mut bits: Bits, context: &mut Context) {
    let Some(n) = context.some_counter(&mut bits) else {
        return;
    };
    let parity = n as usize % 2;
    let length = context.facts.reserved[parity].len();
    // Where the types that follow may be refused, what becomes UNKNOWN would stay so.
    if length == 0 || !context.is_open {
        return context.queue.push(Op::read_at(event_counter(n)));
    }
    let place = walks.reserved[parity].next(length, &mut bits);
    let data = context.type_with(n, context.facts.reserved[parity][place]);
    context.queue.push(Op::write_at(PMCNTENSET, 1 << n));
    context.reserve(n, data, bits);
}

/// The next INTERVAL is loaded soon; then intervals are as short as ever.
fn interval(tables: &Tables, walks: &mut Walks, mut bits: Bits, context: &mut Context) {
    let next = tables.intervals[walks.interval.next(tables.intervals.len(), &mut bits)];
    let rnd = u64::from(bits.take(1));
    context.queue.push(Op::write_at(PMSIRR, next << 8 | rnd));
    let soon = u64::from(1 + bits.take(2));
    context.queue.push(Op::write_at(PMSICR, soon));
    let wait = 8 + bits.take(3);
    let mut bits = context.words.bits();
    let data = context.interval(&mut bits);
    context.queue.push(Op::write_at(PMSIRR, data).after(wait));
    let soon = u64::from(1 + bits.below(20));
    context.queue.push(Op::write_at(PMSICR, soon));
}

impl Context {
    /// A type that filters nothing and counts V_B of `event`.
    fn plain_type(&mut self, event: u16) -> u64 {
        let word = self.words.next();
        u64::from(event) | word & self.facts.harmless | self.facts.open
    }
}
