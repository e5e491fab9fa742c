//! When each rule is taken: a predicate on a cycle, and which implementations can take it.

use crate::contract::{AccessKind, CYCLE_COUNTER, Thread, control};
use crate::cycles::Event;
use crate::evtyper::access::Row;
use crate::evtyper::filter::ExceptionLevel;
use crate::implementation::{Implementation, Layout, ReservedPolicy};
use crate::pmu::access::{Access, Decision, Write};
use crate::pmu::event_type::{TH, present_mask};
use crate::spmu::access::Clause;
use crate::spmu::{SystemPmu, max_counters};
use crate::sysreg::SysReg;

use super::view::View;

/// When a rule is taken.
pub(super) struct Predicate {
    pub id: &'static str,
    /// Whether a cycle can take it, in an implementation.
    pub reachable: fn(&Implementation) -> bool,
    /// Whether a cycle takes it.
    pub taken: fn(&View<'_>) -> bool,
}

macro_rules! predicates {
    ($($id:literal $(if $reachable:expr)?, $taken:expr;)+) => {
        &[$(Predicate {
            id: $id,
            reachable: predicates!(@reachable $($reachable)?),
            taken: $taken,
        }),+]
    };
    (@reachable) => { always };
    (@reachable $reachable:expr) => { $reachable };
}

fn always(_: &Implementation) -> bool {
    true
}

fn counts(i: &Implementation) -> bool {
    i.pmu.counters > 0
}

fn th(i: &Implementation) -> bool {
    counts(i) && i.pmu.th
}

fn edge(i: &Implementation) -> bool {
    counts(i) && i.pmu.edge && i.knobs.layout == Layout::Current
}

fn th2(i: &Implementation) -> bool {
    i.pmu.counters > 1 && i.pmu.th2 && i.knobs.layout == Layout::Current
}

fn narrow_th(i: &Implementation) -> bool {
    th(i) && i.thwidth() < 12
}

fn spe(i: &Implementation) -> bool {
    i.spe.implemented
}

fn ernd(i: &Implementation) -> bool {
    i.spe.ernd
}

fn at_enable(i: &Implementation) -> bool {
    spe(i) && i.knobs.spe.init_load() == crate::spe::InitLoad::AtEnable
}

fn mt(i: &Implementation) -> bool {
    counts(i) && i.pe.mt
}

fn group(i: &Implementation) -> bool {
    mt(i) && i.threads.count > 1
}

fn wide_events(i: &Implementation) -> bool {
    counts(i) && i.pmu.pmuv3p1
}

fn system(i: &Implementation) -> bool {
    !i.system_pmu.is_empty()
}

fn any_system(i: &Implementation, is: fn(&SystemPmu) -> bool) -> bool {
    i.system_pmu.iter().any(is)
}

/// DUT-72: the states and controls of the PE are driven.
fn pe(i: &Implementation) -> bool {
    i.wrapper.pe_state
}

/// DUT-72: the conditions of threads are driven.
fn threads(i: &Implementation) -> bool {
    i.wrapper.thread_conditions
}

fn counts_threads(i: &Implementation) -> bool {
    counts(i) && threads(i)
}

fn mt_threads(i: &Implementation) -> bool {
    mt(i) && threads(i)
}

fn group_threads(i: &Implementation) -> bool {
    group(i) && threads(i)
}

/// A counter with an Effective MT of 1 counts `event`, and `is` holds of it.
fn grouped(v: &View<'_>, event: Event, is: impl Fn(usize) -> bool) -> bool {
    let [_, grouped] = v.of_threads();
    v.any_counter(grouped & v.types.counting_event(event), is)
}

/// A counter with an Effective MT of 0 counts `event`.
fn alone(v: &View<'_>, event: Event) -> bool {
    let [alone, _] = v.of_threads();
    alone & v.types.counting_event(event) != 0
}

const PLAIN_STALLS: [(Event, u8); 3] = [
    (Event::Stall, Thread::STALL),
    (Event::StallFrontend, Thread::STALL_FRONTEND),
    (Event::StallBackend, Thread::STALL_BACKEND),
];
const SECOND_STALLS: [(Event, u8); 3] = [
    (Event::Stall2nd, Thread::STALL),
    (Event::StallFrontend2nd, Thread::STALL_FRONTEND),
    (Event::StallBackend2nd, Thread::STALL_BACKEND),
];

fn cycle_counter_counts(v: &View<'_>) -> bool {
    v.record.counting >> CYCLE_COUNTER & 1 == 1
}

/// A System PMU is selected that is implemented, and `register` is read.
fn describes(v: &View<'_>, is: fn(SysReg) -> bool) -> bool {
    let selected = (v.record.spmselr >> 4) as usize;
    selected < v.implementation.system_pmu.len() && v.read().is_some_and(is)
}

/// The counter of a System PMU that is touched is implemented.
fn system_counter(v: &View<'_>, is: impl Fn(&SystemPmu, u16, bool) -> bool) -> bool {
    v.system_counter().is_some_and(|(pmu, index)| {
        v.implementation.system_pmu.get(pmu).is_some_and(|pmu| {
            let implemented = pmu.implemented_counters() >> index & 1 == 1;
            is(pmu, index, implemented)
        })
    })
}

/// The rules of cycles in which the clock runs.
pub(super) const PREDICATES: &[Predicate] = predicates! {
    "TH-01" if th, |v| v.counting & v.types.threshold != 0;
    "TH-02" if |i| counts(i) && !i.pmu.th, |v| v.counting != 0;
    "TH-03" if edge, |v| v.counting & v.types.edge != 0;
    "TH-04" if |i| counts(i) && !edge(i), |v| v.counting != 0;
    "TH-05" if th2, |v| v.decided & v.types.linked != 0;
    "TH-06" if counts, |v| v.counting & !(if th2(v.implementation) { v.odd() } else { 0 }) != 0;
    "TH-07", |v| v.read() == Some(SysReg::Pmmir);
    "TH-08" if narrow_th, |v| writes_wide_threshold(v);
    "TH-09" if counts, |v| v.counters & !v.counting != 0 && v.record.counting != 0;
    "TH-10" if th2, |v| v.linking & v.v << 1 != 0;
    "TH-11" if th2, |v| v.links_changed_value();
    "TH-20" if th, |v| v.decided != 0;
    "TH-21" if |i| th(i) && u32::from(i.pmu.event_width) > u32::from(i.thwidth()),
        |v| v.any_counter(v.decided, |n| v.record.values.v_b[n] >> v.implementation.thwidth() != 0);
    "TH-22" if edge, |v| v.decided & v.types.edge != 0;
    "TH-23" if th, |v| v.decided & !v.types.edge & !v.types.linked != 0;
    "TH-24" if th2, |v| v.decided & !v.types.edge & v.types.linked != 0;
    "TH-25" if edge, |v| v.decided & v.types.edge & !v.types.linked != 0;
    "TH-26" if th2, |v| v.decided & v.types.edge & v.types.linked != 0;
    "TH-27" if counts, |v| v.counting != 0;
    "TH-28" if counts, |v| v.counting & (v.c_t ^ v.c_p) != 0;
    "TH-29" if edge, |v| v.decided & v.types.edge & v.c_e & !v.memory.counting != 0;
    "TH-30" if th2, |v| v.counting & v.types.reserved[0] != 0;
    "TH-31" if th2, |v| v.counting & v.types.reserved[1] != 0;
    "TH-32" if th2, |v| v.counting & v.types.reserved[2] != 0;
    "TH-33" if edge, |v| v.counting & v.types.reserved[3] != 0;
    "TH-34" if edge, |v| v.counting & reserved(v) & v.v != 0;
    "TH-35" if |i| edge(i) && !i.knobs.compare_reserved,
        |v| v.record.unknown.increments & reserved(v) != 0;
    "TH-36" if th, |v| v.writes_reserved_without_effect();
    "TH-40" if |i| th(i) && i.pmu.event_width > 2,
        |v| v.any_counter(v.counting & v.types.examples[0], |n| v.record.values.v_b[n] == 4);
    "TH-41" if |i| th(i) && i.pmu.event_width > 1,
        |v| v.counting & v.types.examples[1] & v.v != 0;
    "TH-42" if edge, |v| v.counting & v.types.examples[2] & v.v != 0;
    "TH-43" if th2, |v| v.counting & v.types.examples[3] & v.linking != 0;
    "TH-44" if th2, |v| v.counting & v.types.examples[4] & v.linking != 0;
    "TH-50" if counts, |v| v.record.overflow & v.counters != 0;
    "TH-51" if |i| i.pmu.counters % 2 == 1,
        |v| v.counting >> (v.implementation.pmu.counters - 1) != 0;

    "ETY-01" if counts, |v| matches!(v.touched(), Some(SysReg::Pmevtyper(_)));
    "ETY-02" if counts,
        |v| matches!(v.read(), Some(SysReg::Pmevtyper(n)) if v.record.effective_types[usize::from(n)] != 0);
    "ETY-03" if narrow_th, |v| writes_wide_threshold(v);
    "ETY-04" if counts,
        |v| matches!(v.read(), Some(SysReg::Pmevtyper(n)) if v.memory.types_written >> n.get() & 1 == 0);
    "ETY-05" if counts,
        |v| v.type_written().is_some_and(|(n, data)| data & !present_mask(n as u8, v.implementation) != 0);
    "ETY-10" if th, |v| v.counting & v.types.threshold_off != 0;
    "ETY-20" if |i| counts(i) && pe(i), |v| v.record.enabled & v.record.group.filtered & v.counters & !v.types.streaming != 0;
    "ETY-21" if |i| mt(i) && pe(i) && i.pe.mtpmu && (i.pe.el3 || i.pe.el2),
        |v| v.counting & v.types.mt & !v.record.group.mt != 0;
    "ETY-22" if |i| counts(i) && pe(i) && i.pe.sme && i.knobs.layout == Layout::Current,
        |v| v.pe() && v.record.enabled & v.types.streaming & v.counters != 0;
    "ETY-23" if |i| counts(i) && pe(i), |v| v.record.enabled & v.record.group.filtered & v.counters != 0;
    "ETY-24" if |i| group_threads(i) && pe(i), |v| {
        let unfiltered = v.record.group.unfiltered;
        let counting = v.counting & v.record.group.mt;
        let threads = usize::from(v.implementation.threads.count);
        v.threads() && unfiltered[..threads].iter().any(|counters| counting & !counters != 0)
    };
    "ETY-30" if |i| counts(i) && i.pe.pmuv3p8, |v| v.counting & v.types.unsupported != 0;
    "ETY-31" if |i| counts(i) && !i.pe.pmuv3p8, |v| v.counting & v.types.unsupported != 0;
    "ETY-32" if |i| counts(i) && !i.pmu.pmuv3p1,
        |v| v.type_written().is_some_and(|(_, data)| data & 0xFC00 != 0);
    "ETY-40" if pe, |v| v.row().is_some();
    "ETY-41" if |i| pe(i) && i.pe.el2 && counts(i),
        |v| v.row() == Some(Row::E)
            && v.level() == ExceptionLevel::El0
            && v.control(control::E2H) && v.control(control::TGE);
    "ETY-42" if |i| !i.pe.fgt && (pe(i) && i.pe.el2 || i.pmu.counters < 31),
        |v| matches!(v.record.decision, Decision::Row(Row::A | Row::F | Row::H, _));
    "ETY-43" if |i| pe(i) && i.pe.el2 && counts(i),
        |v| matches!(v.row(), Some(Row::F | Row::H));
    "ETY-44" if pe, |v| v.kind.is_write() && v.refused() && v.row().is_some();
    "ETY-45" if pe, |v| matches!(v.record.access, Access::Trap(_))
        && matches!(v.kind, AccessKind::Read | AccessKind::Write);

    "SPE-01" if spe, |v| v.touched() == Some(SysReg::Pmsicr);
    "SPE-02" if spe, |v| v.touched() == Some(SysReg::Pmsirr);
    "SPE-03" if spe, |v| v.read() == Some(SysReg::Pmsidr);
    "SPE-04" if spe, |v| matches!(v.touched(), Some(SysReg::Pmbsr(_)));
    "SPE-05" if |i| spe(i) && wide_events(i), |v| v.counting & v.record.sample_events & v.v_b != 0;
    "SPE-10" if spe, |v| v.profiling() && !v.record.sampling.was_enabled;
    "SPE-11" if spe, |v| !v.profiling() && v.record.input.operations != 0;
    "SPE-12" if spe, |v| v.record.sampling.happened.loads != 0;
    "SPE-20" if spe, |v| v.record.sampling.happened.counted != 0;
    "SPE-21" if spe, |v| v.record.sampling.happened.expired != 0;
    "SPE-22" if ernd, |v| {
        let happened = v.record.sampling.happened;
        happened.drew_zero + happened.drew_nonzero != 0
    };
    "SPE-23" if ernd, |v| {
        let sampling = &v.record.sampling;
        sampling.pmsirr.rnd && sampling.pmsicr.ecount != 0 && sampling.happened.counted != 0
    };
    "SPE-24" if spe, |v| v.record.sampling.sampled.selected() != 0 && v.memory.selected;
    "SPE-25" if at_enable, |v| v.record.sampling.sampled.selected() != 0
        && v.memory.loaded_at_enable && !v.memory.selected;
    "SPE-26" if spe, |v| v.record.sampling.happened.restarted;
    "SPE-27" if spe, |v| v.record.sampling.happened.reached_zero != 0;
    "SPE-28" if spe, |v| v.profiling() && v.record.input.operations > 1;
    "SPE-29" if spe, |v| v.record.sampling.unknown;
    "SPE-30" if spe, |v| v.record.sampling.sampled.drawn != 0;
    "SPE-31" if spe, |v| v.record.sampling.pmsirr.rnd && v.record.sampling.happened.loads != 0;
    "SPE-32" if spe, |v| v.record.sampling.sampled.selected() != 0;
    "SPE-40" if spe, |v| v.record.sampling.in_flight >= u32::from(v.implementation.spe.max_inflight);
    "SPE-41" if spe, |v| v.record.sampling.sampled.collided != 0;
    "SPE-42" if spe, |v| v.record.sampling.sampled.collided != 0
        && v.record.sampling.coll != v.record.sampling.coll_after;
    "SPE-43" if spe, |v| {
        let sampling = &v.record.sampling;
        let clears = |x: u8, data: u64| sampling.coll >> (x - 1) & 1 == 1 && data >> 16 & 1 == 0;
        matches!(v.record.access, Access::Write(_, Write::Pmbsr(x, data)) if clears(x, data))
    };
    "SPE-44" if spe, |v| v.record.sampling.sampled.collided != 0 && v.record.sampling.happened.loads != 0;
    "SPE-45" if spe, |v| v.record.sampling.sampled.population != 0;
    "SPE-46" if spe, |v|
        matches!(v.read(), Some(SysReg::Pmbsr(x)) if v.record.sampling.coll >> (x.get() - 1) & 1 == 1);
    "SPE-47" if spe, |v| v.record.input.complete != 0 && v.record.sampling.in_flight != 0;

    "CYC-01", |v| cycle_counter_counts(v)
        || v.counting & v.record.thread_events & v.types.counting_event(Event::CpuCycles) != 0;
    "CYC-02" if threads, |v| v.threads() && v.own(Thread::WFX)
        && (v.record.enabled >> CYCLE_COUNTER & 1 == 1 || alone(v, Event::CpuCycles));
    "CYC-03" if counts_threads, |v| {
        let no_cycle = !v.own(Thread::ACTIVE) || v.own(Thread::WFX);
        no_cycle && PLAIN_STALLS.iter().any(|&(event, stall)| alone(v, event) && v.own(stall))
    };
    "CYC-04" if counts_threads, |v| alone(v, Event::CpuCycles)
        && v.own(Thread::ACTIVE) && v.own(Thread::STALL) && !v.own(Thread::WFX);
    "CYC-06" if counts_threads, |v| alone(v, Event::CpuCycles) && v.own(Thread::WFX) && v.own(Thread::ACTIVE);
    "CYC-07" if counts_threads, |v| alone(v, Event::CpuCycles) && !v.own(Thread::WFX);
    "CYC-08" if counts_threads, |v| alone(v, Event::CpuCycles) && v.own(Thread::WFX) && v.own(Thread::ACTIVE);
    "CYC-09" if mt_threads, |v| grouped(v, Event::CpuCycles, |n| !v.all_of_group(n, Thread::WFX, true));
    "CYC-10" if mt_threads, |v| {
        let asleep = |n| v.all_of_group(n, Thread::WFX, true);
        grouped(v, Event::Cond, asleep)
            || PLAIN_STALLS.iter().any(|&(event, _)| grouped(v, event, asleep))
    };
    "CYC-11" if mt_threads, |v| SECOND_STALLS.iter().any(|&(event, stall)| {
        // The first condition holds for all; the second one decides.
        grouped(v, event, |n| {
            v.all_of_group(n, stall, true) && !v.all_of_group(n, Thread::WFX, true)
        })
    });
    "CYC-12" if mt_threads, |v| PLAIN_STALLS.iter().any(|&(event, stall)| {
        grouped(v, event, |n| v.all_of_group(n, stall, true))
    });
    "CYC-13" if mt_threads, |v| grouped(v, Event::Cond, |n| !v.all_of_group(n, Thread::CONDITION, false));
    "CYC-14" if mt_threads, |v| grouped(v, Event::Sum, |n| v.record.values.v_b[n] != 0);
    "CYC-15" if counts_threads, |v| v.of_threads()[0] != 0;
    "CYC-16" if group_threads, |v| {
        let [_, grouped] = v.of_threads();
        v.any_counter(grouped, |n| v.group_of(n).count() > 1)
    };
    "CYC-17" if threads, |v| v.threads() && cycle_counter_counts(v) && !v.own(Thread::ACTIVE);
    "CYC-18", |v| !cycle_counter_counts(v) && (v.record.counting != 0 || !counts(v.implementation));
    "CYC-20" if mt_threads, |v| v.threads() && v.counting & v.types.mt != 0;
    "CYC-21" if group_threads, |v| {
        let [_, grouped] = v.of_threads();
        let sum = v.types.counting_event(Event::Sum);
        v.any_counter(grouped & !sum & v.v_b, |n| v.group_of(n).count() > 1)
    };

    "SPMU-01" if system, |v| describes(v, |register| register == SysReg::Spmiidr);
    "SPMU-02" if system, |v| describes(v, |register| register == SysReg::Spmdevarch);
    "SPMU-03" if system, |v| describes(v, |register| register == SysReg::Spmdevaff);
    "SPMU-04" if system, |v| describes(v, |register| register == SysReg::Spmcfgr);
    "SPMU-05" if system, |v| describes(v, |register| matches!(register, SysReg::Spmcgcr(_)));
    "SPMU-06" if system, |v| matches!(v.record.decision, Decision::System(Clause::ReadOnly, _));
    "SPMU-10" if system, |v| describes(v, |register| register == SysReg::Spmcfgr);
    "SPMU-11" if |i| any_system(i, |pmu| pmu.groups.len() > 1),
        |v| describes(v, |register| matches!(register, SysReg::Spmcgcr(_)));
    "SPMU-12" if |i| any_system(i, |pmu| pmu.groups.iter().skip(1).any(|&counters| counters > 0)),
        |v| system_counter(v, |pmu, index, implemented| {
            implemented && index >= max_counters(pmu.groups.len())
        });
    "SPMU-13" if |i| any_system(i, |pmu| pmu.groups.iter().skip(1).any(|&counters| counters > 0)),
        |v| system_counter(v, |pmu, index, implemented| {
            implemented && index > 0 && index % max_counters(pmu.groups.len()) == 0
        });
    "SPMU-15" if |i| any_system(i, |pmu| pmu.implemented_counters() != u64::MAX),
        |v| system_counter(v, |_, _, implemented| !implemented);
    "SPMU-16" if |i| any_system(i, |pmu| pmu.implemented_counters() >> 16 != 0),
        |v| system_counter(v, |_, index, implemented| implemented && index >= 16);
    "SPMU-17" if |i| any_system(i, |pmu| pmu.groups.len() > 1),
        |v| describes(v, |register| matches!(register, SysReg::Spmcgcr(_)));
    "SPMU-18" if system, |v| {
        let selected = (v.record.spmselr >> 4) as usize;
        let system = |register: SysReg| register.is_of_system_pmus() && register != SysReg::Spmselr;
        selected >= v.implementation.system_pmu.len() && v.touched().is_some_and(system)
    };
    "SPMU-30" if |i| system(i) && pe(i), |v| v.pe() && matches!(v.record.decision, Decision::System(..));

    "DUT-11", |v| v.memory.untouched && v.read().is_some();
    "DUT-12", |v| v.written().is_some();
    "DUT-13" if counts, |v| matches!(v.read(), Some(SysReg::Pmevcntr(n)) if v.v >> n.get() & 1 == 1);
    "DUT-14" if counts, |v| v.counting != 0;
    "DUT-15" if counts, |v| v.record.written & v.v != 0;
    "DUT-16" if counts, |v| v.counting & v.v_b & !v.record.thread_events & !v.record.sample_events != 0;
    "DUT-17" if |i| i.pmu.chain && i.pmu.counters > 1, |v| v.record.chained != 0;
    "DUT-20" if counts,
        |v| matches!(v.record.access, Access::Write(_, Write::Counter(n, _)) if v.v >> n & 1 == 1);
    "DUT-21" if counts,
        |v| matches!(v.record.access, Access::Write(_, Write::Control(_))) && v.record.written & v.counters != 0;
    "DUT-22" if counts, |v| v.record.overflow & v.counters != 0;
    "DUT-23",
        |v| matches!(v.record.access, Access::Write(_, Write::ClearFlags(flags)) if flags & v.record.overflow != 0);
    "DUT-24" if edge, |v| v.type_written().is_some_and(|(n, _)| (v.counting & v.c_t) >> n & 1 == 1);
    "DUT-30", |v| v.record.access == Access::Undefined && v.record.decision == Decision::Unrestricted;
    "DUT-31" if |i| i.pmu.counters < 31,
        |v| v.record.access == Access::Undefined
            && matches!(v.named, Some(SysReg::Pmevcntr(_) | SysReg::Pmxevcntr));
    "DUT-32", |v| v.kind.is_write() && v.refused();
    "DUT-33" if |i| system(i) || i.wrapper.indirect, |v| v.touched().is_some_and(|register| {
        register.is_of_system_pmus() || matches!(v.named, Some(SysReg::Pmxevtyper | SysReg::Pmxevcntr))
    });
    "DUT-34" if |i| edge(i) && i.knobs.reserved_policy == ReservedPolicy::Disabled,
        |v| v.counting & reserved(v) & v.v != 0;
    "DUT-35", |v| matches!(v.record.decision, Decision::Row(..));
    "DUT-36" if |i| i.wrapper.aarch32, |v| matches!(v.kind, AccessKind::Read32 | AccessKind::Write32) && v.touched().is_some();
    "DUT-37" if |i| i.wrapper.external, |v| matches!(v.kind, AccessKind::ExternalRead | AccessKind::ExternalWrite)
        && v.touched().is_some();
    "DUT-38" if system, |v| matches!(v.record.decision, Decision::System(..));
    "DUT-50" if pe, |v| v.record.enabled & v.record.group.filtered != 0;
    "DUT-51" if |i| counts_threads(i) || spe(i) && wide_events(i), |v| v.counting & (v.record.thread_events | v.record.sample_events) != 0;
    "DUT-60" if spe, |v| v.profiling()
        && v.record.input.operations != 0
        && matches!(v.written(), Some(SysReg::Pmsicr | SysReg::Pmsirr | SysReg::Pmbsr(_)));
    "DUT-61" if spe, |v| v.record.sampling.sampled.drawn != 0;
    "DUT-62" if spe, |v| v.record.unknown.spe;
    "DUT-63" if spe, |v| v.record.input.filtered_out != 0
        && v.record.input.complete != 0
        && v.record.sampling.in_flight != 0;
};

/// The rules of reset, and of cycles without a clock.
pub(super) const OTHERS: &[Predicate] = &[
    Predicate {
        id: "DUT-10",
        reachable: always,
        taken: |v| v.record.reset,
    },
    Predicate {
        id: "DUT-52",
        reachable: |i| i.wrapper.clock_stopped,
        taken: |v| v.record.clock_stopped,
    },
];

/// Counters in a reserved configuration.
fn reserved(v: &View<'_>) -> u32 {
    v.types
        .reserved
        .iter()
        .fold(0, |any, counters| any | counters)
}

/// TH-08: a type is written with bits of TH beyond THWIDTH.
fn writes_wide_threshold(v: &View<'_>) -> bool {
    v.type_written()
        .is_some_and(|(_, data)| TH.of(data) >> v.implementation.thwidth() != 0)
}
