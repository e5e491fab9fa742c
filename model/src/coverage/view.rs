//! What the predicates of coverage look at: a record, and masks of counters made of it once.

use crate::contract::{AccessKind, COUNTER_LANES, CYCLE_COUNTER, Thread};
use crate::cycles::Event;
use crate::evtyper::filter::ExceptionLevel;
use crate::implementation::Implementation;
use crate::pmu::access::{Access, Decision, Write};
use crate::pmu::event_type::{CHAIN, EventType, MT, VS};
use crate::pmu::lane::Lanes;
use crate::pmu::sample_events::SAMPLE_EVENTS;
use crate::pmu::thread_events::thread_event;
use crate::sysreg::SysReg;
use crate::threshold_control::is_reserved;
use crate::trace::CycleRecord;

/// Bits of the event counters in masks.
const EVENT_COUNTERS: u32 = !(1 << CYCLE_COUNTER);
/// Counters with odd numbers.
const ODD: u32 = 0xAAAA_AAAA & EVENT_COUNTERS;

/// Masks of counters by their types: they change only when a type is written.
#[derive(Clone, Debug)]
pub(super) struct Types {
    of: [EventType; COUNTER_LANES],
    effective: [u64; COUNTER_LANES],
    /// TC != 000 or TH != 0.
    pub threshold: u32,
    /// TE, unless reserved.
    pub edge: u32,
    /// TLC != 00, unless reserved.
    pub linked: u32,
    /// TLC = 10, unless reserved.
    pub linked_if_true: u32,
    /// V = V_B, whatever the condition.
    pub bypassed: u32,
    /// TC = 000 and TH = 0.
    pub threshold_off: u32,
    /// TH-30, TH-31, TH-32, TH-33.
    pub reserved: [u32; 4],
    /// Examples: TH-40, TH-41, TH-42, TH-43, TH-44.
    pub examples: [u32; 5],
    /// MT, the field.
    pub mt: u32,
    /// VS other than 00.
    pub streaming: u32,
    /// Events of the threads, in the order of [`Event::ALL`].
    pub thread_events: [u32; Event::ALL.len()],
    /// Events that the PE does not have.
    pub unsupported: u32,
}

impl Types {
    pub fn new(implementation: &Implementation) -> Self {
        let mut types = Self {
            of: [EventType::ZERO; COUNTER_LANES],
            effective: [0; COUNTER_LANES],
            threshold: 0,
            edge: 0,
            linked: 0,
            linked_if_true: 0,
            bypassed: 0,
            threshold_off: 0,
            reserved: [0; 4],
            examples: [0; 5],
            mt: 0,
            streaming: 0,
            thread_events: [0; Event::ALL.len()],
            unsupported: 0,
        };
        types.decode(implementation);
        types
    }

    /// Takes the types of a record. Returns whether they differ from those before.
    pub fn take(&mut self, record: &CycleRecord, implementation: &Implementation) -> bool {
        let changed = self.effective != record.effective_types || self.of != record.types;
        if changed {
            self.of = record.types;
            self.effective = record.effective_types;
            self.decode(implementation);
        }
        changed
    }

    fn decode(&mut self, implementation: &Implementation) {
        let pmu = &implementation.pmu;
        let of = self.of;
        let mask = |is: &dyn Fn(usize, &EventType) -> bool| {
            (0..CYCLE_COUNTER).fold(0, |mask, n| mask | u32::from(is(n, &of[n])) << n)
        };
        let legal = |t: &EventType| !t.reserved;
        self.threshold = mask(&|_, t| t.tc != 0 || t.th != 0);
        self.edge = mask(&|_, t| legal(t) && t.te);
        self.linked = mask(&|_, t| legal(t) && t.tlc != 0);
        self.linked_if_true = mask(&|_, t| legal(t) && t.tlc == 0b10);
        self.bypassed = mask(&|_, t| t.bypassed);
        self.threshold_off = mask(&|_, t| t.tc == 0 && t.th == 0);
        self.reserved = [
            mask(&|_, t| t.tlc == 0b11),
            mask(&|_, t| t.tc & 1 == 1 && !t.te && t.tlc == 0b10),
            mask(&|_, t| t.te && t.tlc == 0b01),
            mask(&|_, t| t.tc & 0b11 == 0 && t.te),
        ];
        let is = |t: &EventType, tc, te, tlc| (t.tc, t.te, t.tlc) == (tc, te, tlc);
        let plain = |n: usize| n > 0 && of[n - 1].bypassed;
        let functions = [(0, 2), (2, 1), (1, 1), (0, 1), (2, 2), (3, 1)];
        self.examples = [
            mask(&|_, t| is(t, 0b010, false, 0) && t.th == 4),
            mask(&|_, t| is(t, 0b101, false, 0) && t.th == 2),
            mask(&|_, t| t.te && t.tlc == 0 && t.th == 0 && (1..=3).contains(&t.tc)),
            mask(&|n, t| t.th == 0 && !t.te && plain(n) && functions.contains(&(t.tc, t.tlc))),
            mask(&|_, t| is(t, 0b100, false, 0b10)),
        ];
        let field = |of: &dyn Fn(u64) -> u64| {
            let values = self.effective.iter().enumerate();
            values.fold(0, |mask, (n, &value)| mask | u32::from(of(value) != 0) << n)
        };
        let (mt, streaming) = (field(&|value| MT.of(value)), field(&|value| VS.of(value)));
        (self.mt, self.streaming) = (mt, streaming);
        for (counters, event) in self.thread_events.iter_mut().zip(Event::ALL) {
            *counters = mask(&|_, t| thread_event(t.event) == Some(event));
        }
        self.unsupported = mask(&|_, t| {
            let of_sampling = implementation.spe.implemented && SAMPLE_EVENTS.contains(&t.event);
            let chain = pmu.chain && t.event == CHAIN;
            let lane = t.event < u16::from(pmu.event_count);
            !lane && !chain && !of_sampling && thread_event(t.event).is_none()
        });
    }

    /// Counters that count `event`.
    pub fn counting_event(&self, event: Event) -> u32 {
        Event::ALL
            .iter()
            .zip(self.thread_events)
            .fold(0, |any, (&of, counters)| {
                any | if of == event { counters } else { 0 }
            })
    }
}

/// A cycle, as the predicates see it.
pub(super) struct View<'a> {
    pub record: &'a CycleRecord,
    pub implementation: &'a Implementation,
    pub types: &'a Types,
    pub memory: &'a Memory,
    /// Event counters that count.
    pub counting: u32,
    /// The event counters that are implemented.
    pub counters: u32,
    /// Counters with nonzero V_B, C_T, C_E, V.
    pub v_b: u32,
    pub c_t: u32,
    pub c_p: u32,
    pub c_e: u32,
    pub v: u32,
    /// Event counters whose threshold, edge or link decide about V in this cycle.
    pub decided: u32,
    /// Counters that count V\[n-1\] in this cycle.
    pub linking: u32,
    /// The register that the access names.
    pub named: Option<SysReg>,
    pub kind: AccessKind,
}

/// What is remembered of earlier cycles.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// Counters that counted in the cycle before.
    pub counting: u32,
    /// The cycle before was a reset, and there has been no access since.
    pub untouched: bool,
    /// Types written since the last reset.
    pub types_written: u32,
    /// Operations have been selected since the last reset, or profiling became enabled.
    pub selected: bool,
    pub loaded_at_enable: bool,
}

/// Counters whose lane is not zero.
fn nonzero(lanes: &Lanes<u16>) -> u32 {
    lanes
        .iter()
        .enumerate()
        .fold(0, |mask, (n, &lane)| mask | u32::from(lane != 0) << n)
}

impl<'a> View<'a> {
    pub fn new(
        record: &'a CycleRecord,
        implementation: &'a Implementation,
        types: &'a Types,
        memory: &'a Memory,
    ) -> Self {
        let counters = (1u32 << implementation.pmu.counters) - 1;
        let values = &record.values;
        let counting = record.counting & counters;
        let decided = counting & !types.bypassed;
        let (c_t, c_e) = (nonzero(&values.c_t), nonzero(&values.c_e));
        let condition = (c_e & types.edge) | (c_t & !types.edge);
        let if_true = types.linked_if_true & condition;
        let if_false = types.linked & !types.linked_if_true & !condition;
        let kind = AccessKind::from_code(record.input.access_kind);
        let address = record.input.access_address;
        let named = match kind {
            AccessKind::Read | AccessKind::Write => SysReg::from_address(address),
            AccessKind::Read32 | AccessKind::Write32 => SysReg::from_address_32(address),
            _ => None,
        };
        Self {
            counting,
            counters,
            v_b: nonzero(&values.v_b) & counters,
            c_t,
            c_p: nonzero(&values.c_p),
            c_e,
            v: nonzero(&values.v) & counters,
            decided,
            linking: decided & (if_true | if_false),
            named,
            kind,
            record,
            implementation,
            types,
            memory,
        }
    }

    /// V\[n-1\] of a counter that links differs from V_B\[n-1\].
    pub fn links_changed_value(&self) -> bool {
        let values = &self.record.values;
        self.any_counter(self.linking, |n| {
            n > 0 && values.v[n - 1] != values.v_b[n - 1]
        })
    }

    /// Whether `is` holds of one of `counters`.
    pub fn any_counter(&self, counters: u32, is: impl Fn(usize) -> bool) -> bool {
        (0..CYCLE_COUNTER).any(|n| counters >> n & 1 == 1 && is(n))
    }

    /// Event counters with odd numbers.
    pub fn odd(&self) -> u32 {
        ODD & self.counters
    }

    /// The PE is driven.
    pub fn pe(&self) -> bool {
        self.record.input.driven & 1 != 0
    }

    /// The threads are driven.
    pub fn threads(&self) -> bool {
        self.record.input.driven & 2 != 0
    }

    /// Event counters that count an event of the threads, with an Effective MT of 0 and of 1.
    pub fn of_threads(&self) -> [u32; 2] {
        let counting = self.counting & self.record.thread_events;
        let mt = self.record.group.mt;
        [counting & !mt, counting & mt]
    }

    /// Conditions of thread 0.
    pub fn own(&self, condition: u8) -> bool {
        self.record.input.threads[0].is(condition)
    }

    /// Whether every thread of the group of counter `n` has, or has not, `condition`.
    pub fn all_of_group(&self, n: usize, condition: u8, has: bool) -> bool {
        self.group_of(n).all(|thread| thread.is(condition) == has)
    }

    /// The threads that counter `n`, with an Effective MT of 1, counts.
    pub fn group_of(&self, n: usize) -> impl Iterator<Item = &Thread> {
        let record = self.record;
        let unfiltered = record.group.unfiltered.iter();
        record
            .input
            .threads
            .iter()
            .zip(unfiltered)
            .filter(move |&(_, counters)| counters >> n & 1 == 1)
            .map(|(thread, _)| thread)
    }

    /// The register that is read, if one is.
    pub fn read(&self) -> Option<SysReg> {
        match self.record.access {
            Access::Read(register) | Access::ReadHalf(register, _) => Some(register),
            _ => None,
        }
    }

    /// The register that is written, if one is.
    pub fn written(&self) -> Option<SysReg> {
        match self.record.access {
            Access::Write(register, _) => Some(register),
            _ => None,
        }
    }

    /// The counter whose type is written, and the data.
    pub fn type_written(&self) -> Option<(usize, u64)> {
        match self.record.access {
            Access::Write(_, Write::Type(n, data)) if n != CYCLE_COUNTER => Some((n, data)),
            _ => None,
        }
    }

    /// The register that an access is permitted to, read or written.
    pub fn touched(&self) -> Option<SysReg> {
        self.read().or(self.written())
    }

    /// A type is written whose {TC, TE, TLC} are reserved as they stand, but not by their Effective values (TH-36).
    pub fn writes_reserved_without_effect(&self) -> bool {
        let Some((n, data)) = self.type_written() else {
            return false;
        };
        let pmu = &self.implementation.pmu;
        let (tc, te, tlc) = (
            (data >> 61) as u8,
            data >> 60 & 1 == 1,
            (data >> 54) as u8 & 3,
        );
        let effective = (
            if pmu.th { tc } else { 0 },
            te && pmu.edge,
            if pmu.th2 && n % 2 == 1 { tlc } else { 0 },
        );
        is_reserved(tc, te, tlc) && !is_reserved(effective.0, effective.1, effective.2)
    }

    /// The access is refused: UNDEFINED or trapped.
    pub fn refused(&self) -> bool {
        matches!(self.record.access, Access::Undefined | Access::Trap(_))
    }

    /// Exception level of an access.
    pub fn level(&self) -> ExceptionLevel {
        ExceptionLevel::from_code(self.record.input.threads[0].state)
    }

    /// A bit of the controls.
    pub fn control(&self, bit: u32) -> bool {
        self.record.input.controls & bit != 0
    }

    /// Whether the access is of the System PMU that is selected and reaches one of its counters, and which.
    pub fn system_counter(&self) -> Option<(usize, u16)> {
        let (SysReg::Spmevcntr(n)
        | SysReg::Spmevtyper(n)
        | SysReg::Spmevfiltr(n)
        | SysReg::Spmevfilt2r(n)) = self.touched()?
        else {
            return None;
        };
        let select = self.record.spmselr;
        let bank = (select & 3) as u16;
        Some(((select >> 4) as usize, 16 * bank + u16::from(n)))
    }

    /// A row of ETY-40 decided with the PE driven.
    pub fn row(&self) -> Option<crate::evtyper::access::Row> {
        match self.record.decision {
            Decision::Row(row, _) if self.pe() => Some(row),
            _ => None,
        }
    }

    /// Profiling is enabled in this cycle.
    pub fn profiling(&self) -> bool {
        self.implementation.spe.implemented && self.record.input.profiling & 1 == 1
    }
}
