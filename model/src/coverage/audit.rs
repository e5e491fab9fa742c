//! The crosses of the audit: which constants, and which values around them, a run has driven ([`crate::audit`]).

use std::collections::BTreeSet;

use crate::audit::{self, BOUNDARIES, EventNumber, KINDS};
use crate::contract::{AccessKind, CYCLE_COUNTER, MAX_OPERATIONS, SECURITY_STATES, Thread};
use crate::cycles::Event;
use crate::evtyper::filter::ExceptionLevel;
use crate::implementation::Implementation;
use crate::pmu::access::{Access, Decision, Write};
use crate::pmu::event_type::{CHAIN, Condition, EventType, Field, TC, TE, TLC};
use crate::pmu::group::Group;
use crate::pmu::registers::{PMCR_C, PMCR_E, PMCR_LP, PMCR_P};
use crate::pmu::sample_events::SAMPLE_EVENTS;
use crate::pmu::select::OneByOne;
use crate::pmu::thread_events::{ThreadEvents, thread_event};
use crate::sysreg::{SysReg, encoding_name};

use super::crosses::Cross;
use super::points::{Counting, Happening, Overflow, Point, Relation, Sampled};
use super::view::View;

/// The crosses of the audit, and what their points are found with.
#[derive(Clone, Debug)]
pub(super) struct Audit {
    pub crosses: Vec<Cross>,
    events: Events,
    /// Values of event counters, and of the cycle counter.
    values: [Vec<u64>; 2],
    event_bits: u32,
    thresholds: Vec<u64>,
    thwidth: u8,
    event_width: u32,
    intervals: Vec<u64>,
    counts: Vec<u64>,
    secondary: Vec<u64>,
    in_flight: Vec<u64>,
    system_pmus: usize,
    /// Values of the fields that filter, and the counters that have each.
    filters: Vec<(Field, u64)>,
    filtering: Vec<u32>,
}

/// Positions in [`Audit::crosses`].
const EVENTS: usize = 0;
const ADDRESSES: usize = 1;
const COUNTERS: usize = 2;
const OVERFLOWS: usize = 3;
const THRESHOLDS: usize = 4;
const BASE_VALUES: usize = 5;
const SAMPLING: usize = 6;
const STATES: usize = 7;
const SELECTIONS: usize = 8;
const LIMITS: usize = 9;
const CONTROLS: usize = 10;
const FILTERS: usize = 11;

impl Audit {
    pub fn new(implementation: &Implementation) -> Self {
        let values = [0, CYCLE_COUNTER].map(|n| match (n, implementation.pmu.counters) {
            (0, 0) => Vec::new(),
            _ => audit::counter_values(n, implementation),
        });
        let sampling = |values: Vec<u64>| match implementation.spe.implemented {
            true => values,
            false => Vec::new(),
        };
        let fields = audit::filters(implementation).into_iter();
        let values_of = |field: Field| 0..2 << (field.high - field.low);
        let filters: Vec<_> = fields
            .flat_map(|field| values_of(field).map(move |value| (field, value)))
            .collect();
        let mut this = Self {
            crosses: Vec::new(),
            events: Events::new(implementation),
            values,
            event_bits: audit::counter_bits(0, implementation),
            thresholds: match implementation.pmu.counters {
                0 => Vec::new(),
                _ => audit::thresholds(implementation),
            },
            thwidth: implementation.thwidth(),
            event_width: implementation.pmu.event_width.into(),
            intervals: sampling(audit::intervals()),
            counts: sampling(audit::counts()),
            secondary: sampling(audit::secondary_counts(implementation)),
            in_flight: sampling(audit::in_flight(implementation)),
            system_pmus: implementation.system_pmu.len(),
            filtering: filters
                .iter()
                .map(|(_, value)| if *value == 0 { u32::MAX } else { 0 })
                .collect(),
            filters,
        };
        this.crosses = vec![
            this.event_numbers(),
            addresses(implementation),
            this.counters(),
            this.overflows(implementation),
            this.thresholds(),
            this.base_values(),
            this.sampling(implementation),
            states(implementation),
            this.selections(implementation),
            limits(implementation),
            controls(implementation),
            this.filters(implementation),
        ];
        this
    }

    /// Takes a cycle that is neither a reset nor without a clock. `changed`: the types are not those of the cycle before.
    pub fn take(&mut self, view: &View<'_>, changed: bool) {
        if changed {
            let types = &view.record.effective_types[..CYCLE_COUNTER];
            for (counters, (field, value)) in self.filtering.iter_mut().zip(&self.filters) {
                let have = types.iter().map(|&of| field.of(of) == *value);
                *counters = have.rev().fold(0, |all, has| all << 1 | u32::from(has));
            }
        }
        self.take_counting(view);
        self.take_access(view);
        if view.implementation.spe.implemented {
            self.take_sampling(view);
        }
        if view.pe() {
            let threads = &view.record.input.threads;
            let count = usize::from(view.implementation.threads.count);
            for (t, thread) in threads[..count].iter().enumerate() {
                let state = usize::from(thread.state & 31);
                self.crosses[STATES].count(t << 5 | state);
            }
            let enabled = view.record.enabled & view.counters;
            let state = usize::from(threads[0].state & 31);
            for (place, counters) in self.filtering.iter().enumerate() {
                if counters & enabled != 0 {
                    self.crosses[FILTERS].count(place << 5 | state);
                }
            }
        }
    }

    fn take_counting(&mut self, view: &View<'_>) {
        let record = view.record;
        let happening = self.events.happening(view);
        let mut counting = record.counting;
        while counting != 0 {
            let n = counting.trailing_zeros() as usize;
            counting &= counting - 1;
            let v = record.values.v[n];
            if v != 0 && record.written >> n & 1 == 0 {
                self.take_counter(n, record.counters[n], v.into(), record.long);
            }
            if n == CYCLE_COUNTER {
                continue;
            }
            let chained = n % 2 == 1 && !record.long && record.overflow >> (n - 1) & 1 == 1;
            let own = record.group.mt >> n & 1 == 0;
            let event_type = &record.types[n];
            self.crosses[CONTROLS].count(control_of(event_type) << 1 | n & 1);
            for &(pair, constant) in self.events.of(event_type.event) {
                let happens = match self.events.constants[constant] {
                    Happening::Chain => chained,
                    Happening::Lane(lane) => record.input.event[usize::from(lane)] != 0,
                    Happening::Thread(_) => own && happening >> constant & 1 == 1,
                    Happening::Sample(_) => happening >> constant & 1 == 1,
                };
                if happens {
                    self.crosses[EVENTS].count(pair);
                }
            }
            if !event_type.bypassed && !event_type.reserved && self.thwidth > 0 {
                let th = event_type.th;
                if let Ok(place) = self.thresholds.binary_search(&th.into()) {
                    self.crosses[THRESHOLDS].count(place);
                }
                if let Some(relation) = Relation::of(record.values.v_b[n], th) {
                    let condition = event_type.condition() as usize;
                    self.crosses[BASE_VALUES]
                        .count(condition * Relation::COUNT + relation.number());
                }
            }
        }
    }

    /// Counter `n` stands at `value`, and `v` is added.
    #[inline]
    fn take_counter(&mut self, n: usize, value: u64, v: u64, long: bool) {
        // All but a few bits of the values looked for are the same.
        let low = value as u16;
        if low > 1 && low < 0xFFFE && (!low).count_ones() > 1 && low.count_ones() > 1 {
            let sum = value.wrapping_add(v);
            if sum as u16 > 1 && sum as u16 != 0xFFFF {
                return;
            }
        }
        let cycle = usize::from(n == CYCLE_COUNTER);
        if let Ok(place) = self.values[cycle].binary_search(&value) {
            self.crosses[COUNTERS].count(cycle * self.values[0].len() + place);
        }
        let bits = if cycle == 1 { 64 } else { self.event_bits };
        for (place, &boundary) in BOUNDARIES.iter().enumerate() {
            if boundary > bits {
                continue;
            }
            let mask = u64::MAX >> (64 - boundary);
            let (old, sum) = (value & mask, u128::from(value & mask) + u128::from(v));
            let relation = match sum.wrapping_sub(u128::from(mask)) {
                0 if old != mask => 0,
                1 => 1,
                2 => 2,
                _ => continue,
            };
            let combination = ((cycle * BOUNDARIES.len() + place) * 2 + usize::from(long)) * 3;
            self.crosses[OVERFLOWS].count(combination + relation);
        }
    }

    fn take_access(&mut self, view: &View<'_>) {
        let Some(kind) = KINDS.iter().position(|&kind| kind == view.kind) else {
            return;
        };
        let input = &view.record.input;
        self.crosses[ADDRESSES].count(kind << 16 | usize::from(input.access_address));
        let write = usize::from(view.kind.is_write());
        let aarch32 = usize::from(matches!(
            view.kind,
            AccessKind::Read32 | AccessKind::Write32
        ));
        match view.named {
            Some(SysReg::Pmxevtyper) => {
                let select = usize::from(view.record.select & 31);
                self.crosses[SELECTIONS].count(((aarch32 << 1 | write) << 6) | select);
            }
            Some(SysReg::Pmxevcntr) => {
                let select = usize::from(view.record.select & 31);
                self.crosses[SELECTIONS].count((write << 6) | 32 | select);
            }
            _ => {}
        }
        if let Some(register) = view.touched()
            && register.is_of_system_pmus()
            && register != SysReg::Spmselr
        {
            let select = (view.record.spmselr >> 4 & 63) as usize;
            self.crosses[SELECTIONS].count(SYSTEM_PMU + select);
            if let Some((pmu, index)) = view.system_counter()
                && pmu < self.system_pmus
            {
                let of = (pmu * 64 + usize::from(index & 63)) * 2 + write;
                self.crosses[SELECTIONS].count(SYSTEM_COUNTER + of);
            }
        }
        if let Access::Write(_, Write::Control(data)) = view.record.access {
            let bits = CONTROL_BITS.iter().rev();
            let value = bits.fold(0, |all, (bit, _)| all << 1 | usize::from(data & bit != 0));
            self.crosses[CONTROLS].count(CONTROL_REGISTER + value);
        }
        self.take_limits(view);
    }

    fn take_limits(&mut self, view: &View<'_>) {
        use crate::contract::control;
        if !view.pe() {
            return;
        }
        let input = &view.record.input;
        let below_el2 = matches!(view.level(), ExceptionLevel::El0 | ExceptionLevel::El1);
        match view.record.decision {
            Decision::Row(_, n) => {
                let (n, hpmn) = (usize::from(n), usize::from(input.hpmn & 31));
                let relation = (n + 1).wrapping_sub(hpmn);
                if below_el2 && view.control(control::EL2_ENABLED) && relation < 3 {
                    self.crosses[LIMITS].count(hpmn * 3 + relation);
                }
                let user = view.level() == ExceptionLevel::El0;
                if user && view.control(control::USERENR_UEN) {
                    let p = (input.pmuacr >> n & 1) as usize;
                    self.crosses[LIMITS].count(PERMISSION + 2 * n + p);
                }
            }
            Decision::System(_, pmu) if pmu < 32 => {
                let p = |register: u64| (register >> (2 * pmu) & 3) as usize;
                let own = usize::from(pmu) * 8;
                let level = view.level() as usize;
                if level == 1 && view.control(control::EL2_ENABLED) {
                    self.crosses[LIMITS].count(SYSTEM_ACCESS + own + p(input.spmaccessr_el2));
                }
                if level == 1 || level == 2 {
                    self.crosses[LIMITS].count(SYSTEM_ACCESS + own + 4 + p(input.spmaccessr_el3));
                }
            }
            _ => {}
        }
    }

    fn take_sampling(&mut self, view: &View<'_>) {
        let sampling = &view.record.sampling;
        let input = &view.record.input;
        let mut bases = self.sampling_bases().into_iter();
        let mut count = |place: Option<usize>, crosses: &mut Vec<Cross>| {
            let base = bases.next().unwrap_or(0);
            if let Some(place) = place {
                crosses[SAMPLING].count(base + place);
            }
        };
        let crosses = &mut self.crosses;
        let find = |values: &[u64], value: u64, is: bool| {
            is.then(|| values.binary_search(&value).ok()).flatten()
        };
        let known = !sampling.unknown;
        let counts = known && view.profiling() && input.operations != 0;
        let (pmsirr, pmsicr) = (&sampling.pmsirr, &sampling.pmsicr);
        let loads = known && sampling.happened.loads != 0;
        let selected = known && sampling.sampled.selected() != 0;
        let interval = find(&self.intervals, pmsirr.interval.into(), loads);
        count(interval, crosses);
        count(find(&self.counts, pmsicr.count.into(), counts), crosses);
        count(find(&self.secondary, pmsicr.ecount.into(), counts), crosses);
        for value in [input.operations, input.complete, input.filtered_out] {
            count(Some(usize::from(value & MAX_OPERATIONS)), crosses);
        }
        let in_flight = find(&self.in_flight, sampling.in_flight.into(), selected);
        count(in_flight, crosses);
        let relation = u32::from(input.complete) + 1;
        let relation = relation.wrapping_sub(sampling.in_flight) as usize;
        count((known && relation < 3).then_some(relation), crosses);
        let routing = usize::from(input.pmsee() << 2 | input.ee());
        let collides = known && sampling.sampled.collided != 0;
        count(collides.then_some(routing), crosses);
    }

    /// Numbers of points of the parts of the cross of sampling, in the order of [`Audit::sampling`].
    fn sampling_sizes(&self) -> [usize; 9] {
        let operations = usize::from(MAX_OPERATIONS) + 1;
        [
            self.intervals.len(),
            self.counts.len(),
            self.secondary.len(),
            operations,
            operations,
            operations,
            self.in_flight.len(),
            3,
            16,
        ]
    }

    fn sampling_bases(&self) -> [usize; 9] {
        let mut base = 0;
        self.sampling_sizes().map(|size| {
            base += size;
            base - size
        })
    }

    fn event_numbers(&self) -> Cross {
        let pairs = &self.events.pairs;
        Cross::of_points("audit: event numbers", pairs.len(), |pair| {
            let (constant, number) = pairs[pair];
            Some(Point::EventNumber(number, self.events.constants[constant]))
        })
    }

    fn counters(&self) -> Cross {
        let [event, cycle] = &self.values;
        Cross::of_points("audit: counters", event.len() + cycle.len(), |place| {
            Some(match place.checked_sub(event.len()) {
                None => Point::Value(Counting::Event, event[place]),
                Some(place) => Point::Value(Counting::Cycles, cycle[place]),
            })
        })
    }

    fn overflows(&self, implementation: &Implementation) -> Cross {
        let counters = implementation.pmu.counters > 0;
        let has_long = implementation.pmu.counter_bits == 64;
        let combinations = 2 * BOUNDARIES.len() * 6;
        Cross::of_points("audit: overflows", combinations, |combination| {
            let (beyond, rest) = (combination % 3, combination / 3);
            let (long, rest) = (rest % 2 == 1, rest / 2);
            let point = Overflow {
                of: Counting::ALL[rest / BOUNDARIES.len()],
                boundary: BOUNDARIES[rest % BOUNDARIES.len()],
                beyond: beyond as u8,
                long,
            };
            let (exists, by_one) = match point.of {
                Counting::Event => {
                    let exists = counters && point.boundary <= self.event_bits;
                    (exists, self.event_width == 1)
                }
                Counting::Cycles => (true, true),
            };
            (exists && (beyond < 2 || !by_one) && (!long || has_long))
                .then_some(Point::Overflow(point))
        })
    }

    fn thresholds(&self) -> Cross {
        Cross::of_points("audit: TH", self.thresholds.len(), |place| {
            Some(Point::Th(self.thresholds[place] as u16))
        })
    }

    fn base_values(&self) -> Cross {
        const CONDITIONS: [Condition; 4] = [
            Condition::NotEqual,
            Condition::Equal,
            Condition::GreaterOrEqual,
            Condition::Less,
        ];
        let size = match self.thresholds.is_empty() {
            true => 0,
            false => CONDITIONS.len() * Relation::COUNT,
        };
        Cross::of_points("audit: V_B and TH", size, |combination| {
            let relation = Relation::numbered(combination % Relation::COUNT);
            let exists = match relation {
                Relation::Bit(bit) => bit < self.event_width,
                _ => true,
            };
            let condition = CONDITIONS[combination / Relation::COUNT];
            exists.then_some(Point::BaseValue(condition, relation))
        })
    }

    fn sampling(&self, implementation: &Implementation) -> Cross {
        let sizes = self.sampling_sizes();
        let size = match implementation.spe.implemented {
            true => sizes.iter().sum(),
            false => 0,
        };
        Cross::of_points("audit: sampling", size, |mut place| {
            let mut part = 0;
            while place >= sizes[part] {
                place -= sizes[part];
                part += 1;
            }
            let small = place as u8;
            Some(Point::Sampling(match part {
                0 => Sampled::Interval(self.intervals[place]),
                1 => Sampled::Count(self.counts[place]),
                2 => Sampled::Secondary(self.secondary[place]),
                3 => Sampled::Operations(small),
                4 => Sampled::Complete(small),
                5 => Sampled::FilteredOut(small),
                6 => Sampled::InFlight(self.in_flight[place]),
                7 => Sampled::CompleteOf(small),
                _ => Sampled::Collision(small >> 2, small & 3),
            }))
        })
    }

    fn filters(&self, implementation: &Implementation) -> Cross {
        let states = audit::states(implementation);
        let size = match implementation.wrapper.pe_state {
            true => self.filters.len() << 5,
            false => 0,
        };
        Cross::new("audit: filters", size, |combination| {
            let (field, value) = self.filters[combination >> 5];
            let state = combination as u8 & 31;
            states.contains(&state).then(|| {
                let state = state_name(state);
                format!("{} = {value}, in {state}", field.name)
            })
        })
    }

    fn selections(&self, implementation: &Implementation) -> Cross {
        let wrapper = &implementation.wrapper;
        let size = SYSTEM_COUNTER + self.system_pmus * 128;
        Cross::new("audit: selections", size, |place| {
            if let Some(place) = place.checked_sub(SYSTEM_COUNTER) {
                let (pmu, index, word) =
                    (place / 128, place / 2 % 64, ["read", "written"][place % 2]);
                return Some(format!("counter {index} of System PMU {pmu} {word}"));
            }
            if let Some(select) = place.checked_sub(SYSTEM_PMU) {
                return (self.system_pmus > 0).then(|| format!("SYSPMUSEL = {select}"));
            }
            let (select, counter) = (place % 32, place >> 5 & 1 == 1);
            let (kind, aarch32) = (place >> 6 & 1, place >> 7 == 1);
            let kind = [["MRS", "MSR"], ["MRC", "MCR"]][usize::from(aarch32)][kind];
            let register = if counter { "PMXEVCNTR" } else { "PMXEVTYPER" };
            let exists = wrapper.indirect && (!aarch32 || (wrapper.aarch32 && !counter));
            exists.then(|| format!("{kind} of {register} with SEL = {select}"))
        })
    }
}

/// Where the System PMUs begin in the cross of selections, and their counters.
const SYSTEM_PMU: usize = 4 << 6;
const SYSTEM_COUNTER: usize = SYSTEM_PMU + 64;
/// Where PMUACR_EL1 begins in the cross of limits, and SPMACCESSR_ELx.
const PERMISSION: usize = 32 * 3;
const SYSTEM_ACCESS: usize = PERMISSION + 2 * 31;

/// Event numbers, and the events that they may be taken for.
#[derive(Clone, Debug)]
struct Events {
    constants: Vec<Happening>,
    /// The constant, and the number.
    pairs: Vec<(usize, u16)>,
    /// Of each number, where its pairs begin in `by_number`, and how many they are.
    first: Vec<(u16, u16)>,
    /// Pairs and their constants.
    by_number: Vec<(usize, usize)>,
    /// A counter for each constant of the threads.
    threads: ThreadEvents,
    retired: u32,
}

impl Events {
    fn new(implementation: &Implementation) -> Self {
        let mut constants: Vec<Happening> = Vec::new();
        let pairs = audit::event_numbers(implementation)
            .into_iter()
            .map(|pair| {
                let EventNumber { constant, number } = pair;
                let sample = SAMPLE_EVENTS.iter().position(|&event| event == constant);
                let of = match sample {
                    Some(sample) => Happening::Sample(sample),
                    None if constant == CHAIN && implementation.pmu.chain => Happening::Chain,
                    None if implementation.wrapper.thread_conditions
                        && thread_event(constant).is_some() =>
                    {
                        Happening::Thread(constant)
                    }
                    None => Happening::Lane(constant),
                };
                let known = constants.iter().position(|&constant| constant == of);
                let place = known.unwrap_or_else(|| {
                    constants.push(of);
                    constants.len() - 1
                });
                (place, number)
            });
        // A lane may have the number of an event, and their aliases are the same then.
        let mut known = BTreeSet::new();
        let pairs: Vec<_> = pairs.filter(|pair| known.insert(*pair)).collect();
        let mut first = vec![(0, 0); 1 << 16];
        let mut order: Vec<_> = (0..pairs.len()).collect();
        order.sort_by_key(|&pair| pairs[pair].1);
        let by_number: Vec<_> = order.iter().map(|&pair| (pair, pairs[pair].0)).collect();
        for (place, &pair) in order.iter().enumerate().rev() {
            let of = &mut first[usize::from(pairs[pair].1)];
            *of = (place as u16, of.1 + 1);
        }
        let mut threads = ThreadEvents::new(implementation);
        let mut retired = 0;
        for (place, &constant) in constants.iter().enumerate().take(32) {
            if let Happening::Thread(event) = constant {
                threads.set_event(place, event);
                retired |= u32::from(thread_event(event) == Some(Event::Sum)) << place;
            }
        }
        Self {
            constants,
            pairs,
            first,
            by_number,
            threads,
            retired,
        }
    }

    /// The pairs of a number, each with its constant.
    #[inline]
    fn of(&self, number: u16) -> &[(usize, usize)] {
        let (first, count) = self.first[usize::from(number)];
        &self.by_number[usize::from(first)..][..usize::from(count)]
    }

    /// Bit *k*: constant *k* happens, to a counter with an Effective MT of 0. Not of CHAIN and the lanes.
    fn happening(&self, view: &View<'_>) -> u32 {
        let input = &view.record.input;
        let mut happening = 0;
        if view.threads() {
            happening |= self
                .threads
                .cycle_events(&input.threads, &Group::default(), OneByOne);
            if input.threads[0].count != 0 {
                happening |= self.retired;
            }
        }
        let sampled = view.record.sampling.sampled.events();
        for (place, constant) in self.constants.iter().enumerate().take(32) {
            if let Happening::Sample(of) = constant {
                happening |= u32::from(sampled[*of] != 0) << place;
            }
        }
        happening
    }
}

/// Kind of access x address.
fn addresses(implementation: &Implementation) -> Cross {
    const WORDS: [&str; 6] = [
        "MRS",
        "MSR",
        "MRC",
        "MCR",
        "external read",
        "external write",
    ];
    let wanted = KINDS.map(|kind| audit::addresses(kind, implementation));
    Cross::new("audit: addresses", KINDS.len() << 16, |combination| {
        let (kind, address) = (combination >> 16, combination as u16);
        wanted[kind].binary_search(&address).ok()?;
        let external = matches!(
            KINDS[kind],
            AccessKind::ExternalRead | AccessKind::ExternalWrite
        );
        Some(match external {
            true => format!("{} {address:#05x}", WORDS[kind]),
            false => format!("{} {}", WORDS[kind], encoding_name(address)),
        })
    })
}

/// Thread x state.
fn states(implementation: &Implementation) -> Cross {
    let states = audit::states(implementation);
    let wrapper = &implementation.wrapper;
    let threads = match wrapper.pe_state {
        true => usize::from(implementation.threads.count),
        false => 0,
    };
    Cross::new("audit: states", threads << 5, |combination| {
        let (thread, state) = (combination >> 5, combination as u8 & 31);
        let is_one = states.contains(&state);
        is_one.then(|| format!("thread {thread} in {}", state_name(state)))
    })
}

fn state_name(state: u8) -> String {
    let thread = Thread {
        state,
        ..Thread::default()
    };
    let security = SECURITY_STATES[usize::from(thread.security())];
    let streaming = match state & Thread::STREAMING {
        0 => "",
        _ => ", Streaming mode",
    };
    format!("EL{} {security}{streaming}", thread.level())
}

/// Where writes of PMCR_EL0 begin in the cross of controls: 64 combinations of {TC, TE, TLC} on even and odd counters come
/// before.
const CONTROL_REGISTER: usize = 64 << 1;
/// Bits of PMCR_EL0 that are written.
const CONTROL_BITS: [(u64, &str); 4] =
    [(PMCR_E, "E"), (PMCR_P, "P"), (PMCR_C, "C"), (PMCR_LP, "LP")];

/// {TC, TE, TLC} as a number.
fn control_of(event_type: &EventType) -> usize {
    let EventType { tc, te, tlc, .. } = *event_type;
    usize::from(tc) << 3 | usize::from(te) << 2 | usize::from(tlc)
}

/// {TC, TE, TLC} x parity; PMCR_EL0.
fn controls(implementation: &Implementation) -> Cross {
    let types = audit::controls(implementation);
    let size = CONTROL_REGISTER + (1 << CONTROL_BITS.len());
    Cross::new("audit: controls", size, |place| {
        if let Some(value) = place.checked_sub(CONTROL_REGISTER) {
            let has_long = implementation.pmu.counter_bits == 64;
            let fields = CONTROL_BITS.iter().enumerate();
            let fields = fields.map(|(bit, (_, name))| format!("{name} = {}", value >> bit & 1));
            let fields = fields.collect::<Vec<_>>().join(", ");
            return (has_long || value >> 3 == 0).then(|| format!("PMCR_EL0 written: {fields}"));
        }
        let (control, parity) = ((place >> 1) as u64, place & 1);
        let (tc, te, tlc) = (control >> 3, control >> 2 & 1, control & 3);
        let value = tc << TC.low | te << TE.low | tlc << TLC.low;
        let parity_name = ["even", "odd"][parity];
        types[parity]
            .contains(&value)
            .then(|| format!("TC={tc:03b} TE={te} TLC={tlc:02b} {parity_name}"))
    })
}

/// HPMN x how far a counter is from it; the bits of PMUACR_EL1; the fields of SPMACCESSR_ELx.
fn limits(implementation: &Implementation) -> Cross {
    let (pe, wrapper) = (&implementation.pe, &implementation.wrapper);
    let size = SYSTEM_ACCESS + implementation.system_pmu.len() * 8;
    Cross::new("audit: limits", size, |place| {
        if !wrapper.pe_state {
            return None;
        }
        if let Some(place) = place.checked_sub(SYSTEM_ACCESS) {
            let (pmu, el3, p) = (place / 8, place / 4 % 2, place % 4);
            let exists = if el3 == 1 { pe.el3 } else { pe.el2 };
            return exists.then(|| format!("SPMACCESSR_EL{}.P{pmu} = {p:02b}", 2 + el3));
        }
        if let Some(place) = place.checked_sub(PERMISSION) {
            return pe
                .pmuv3p9
                .then(|| format!("PMUACR_EL1.P{} = {}, at EL0 with UEN", place / 2, place % 2));
        }
        let (hpmn, n) = (place / 3, (place / 3 + place % 3).checked_sub(1)?);
        (pe.el2 && n < 31).then(|| format!("HPMN = {hpmn}, counter {n}"))
    })
}
