//! Crosses: points that are combinations of what a cycle had.

use crate::contract::{SYSTEM_PMUS, Thread};
use crate::cycles::Event;
use crate::evtyper::access::{Context, Direction, Row, access};
use crate::evtyper::filter::ExceptionLevel;
use crate::implementation::{Implementation, ThreadForm};
use crate::pmu::event_type::{Condition, EventTypeDecoder, TC, TE, TH, TLC, present_mask};
use crate::spe::InitLoad;

use super::points::{Boundary, Class, Mode, Point, Threshold};
use super::view::View;

/// A cross: the points that can be reached in an implementation, and how often each was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cross {
    pub name: &'static str,
    /// Names of the points, and how often each was reached.
    pub points: Vec<(String, u64)>,
    /// What each of them means.
    pub meanings: Vec<Point>,
    /// The point of each combination; [`NOWHERE`] if it cannot be reached.
    index: Vec<u16>,
}

/// No point.
const NOWHERE: u16 = u16::MAX;

impl Cross {
    /// The cross of `combinations`, which `name_of` names if they can be reached.
    pub fn new(
        name: &'static str,
        combinations: usize,
        name_of: impl Fn(usize) -> Option<String>,
    ) -> Self {
        Self::of(name, combinations, |combination| {
            name_of(combination).map(|name| (name, Point::Other))
        })
    }

    /// The cross of `combinations`, which `point_of` tells if they can be reached.
    pub fn of_points(
        name: &'static str,
        combinations: usize,
        point_of: impl Fn(usize) -> Option<Point>,
    ) -> Self {
        Self::of(name, combinations, |combination| {
            point_of(combination).map(|point| (point.to_string(), point))
        })
    }

    fn of(
        name: &'static str,
        combinations: usize,
        of: impl Fn(usize) -> Option<(String, Point)>,
    ) -> Self {
        let (mut points, mut meanings) = (Vec::new(), Vec::new());
        let index = (0..combinations).map(|combination| match of(combination) {
            Some((name, point)) => {
                points.push((name, 0));
                meanings.push(point);
                points.len() as u16 - 1
            }
            None => NOWHERE,
        });
        let index = index.collect();
        Self {
            name,
            points,
            meanings,
            index,
        }
    }

    /// A cycle had `combination`.
    #[inline]
    pub fn count(&mut self, combination: usize) {
        let place = self.index.get(combination).copied().unwrap_or(NOWHERE);
        if let Some((_, count)) = self.points.get_mut(usize::from(place)) {
            *count += 1;
        }
    }
}

/// All crosses of an implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Crosses {
    thwidth: u8,
    threads: usize,
    /// System PMUs: the Counter Group of each counter.
    groups: Vec<[u8; 64]>,
    pub all: [Cross; 6],
}

/// Positions in [`Crosses::all`].
const THRESHOLD: usize = 0;
const SAMPLING: usize = 1;
const ACCESS: usize = 2;
const THREAD_EVENTS: usize = 3;
const ACTIVITY: usize = 4;
const COUNTER_GROUPS: usize = 5;

impl Crosses {
    pub fn new(implementation: &Implementation) -> Self {
        let groups = implementation.system_pmu.iter().map(|pmu| {
            let mut of = [u8::MAX; 64];
            for group in pmu.counter_groups() {
                for index in group.indices() {
                    of[usize::from(index)] = group.group;
                }
            }
            of
        });
        Self {
            thwidth: implementation.thwidth(),
            threads: implementation.threads.count.into(),
            groups: groups.collect(),
            all: [
                threshold(implementation),
                sampling(implementation),
                accesses(implementation),
                thread_events(implementation),
                activity(implementation),
                counter_groups(implementation),
            ],
        }
    }

    /// The combinations of the cross `threshold` that it has no point for.
    pub fn left_out_of_threshold(&self) -> impl Iterator<Item = usize> {
        let index = self.all[THRESHOLD].index.iter().enumerate();
        let nowhere = index.filter(|&(_, &place)| place == NOWHERE);
        nowhere.map(|(combination, _)| combination)
    }

    pub fn take(&mut self, view: &View<'_>) {
        self.take_threshold(view);
        if view.implementation.spe.implemented {
            self.take_sampling(view);
        }
        self.take_access(view);
        if view.threads() && view.counting & view.record.thread_events != 0 {
            self.take_threads(view);
        }
    }

    fn take_threshold(&mut self, view: &View<'_>) {
        let values = &view.record.values;
        let mut counting = view.counting;
        while counting != 0 {
            let n = counting.trailing_zeros() as usize;
            counting &= counting - 1;
            let event_type = &view.record.types[n];
            let bit = |mask: u32| mask >> n & 1 == 1;
            let point = Threshold {
                tc: event_type.tc,
                te: event_type.te,
                tlc: event_type.tlc,
                odd: n % 2 == 1,
                c_t: bit(view.c_t),
                c_p: bit(view.c_p),
                v_b: Class::of(values.v_b[n], event_type.th, self.thwidth),
            };
            self.all[THRESHOLD].count(point.number());
        }
    }

    fn take_sampling(&mut self, view: &View<'_>) {
        let sampling = &view.record.sampling;
        let happened = &sampling.happened;
        let (input, sampled) = (&view.record.input, &sampling.sampled);
        let at_enable = u8::from(happened.loaded_at_enable);
        let reloads = happened.loads.saturating_sub(at_enable);
        let drew = sampled.drawn != 0;
        let crosses = reloads != 0 || happened.secondary_expired != 0;
        let boundaries = [
            happened.loaded_at_enable,
            happened.restarted,
            happened.reached_zero != 0,
            reloads != 0,
            drew && sampling.random == 0,
            drew && sampling.random != 0,
            happened.secondary_expired != 0,
            sampled.collided != 0,
            !view.profiling() && sampling.pmsicr.count != 0 && input.operations != 0,
            crosses && input.operations > 1,
        ];
        let mode = usize::from(sampling.pmsirr.rnd);
        for (boundary, _) in boundaries.iter().enumerate().filter(|&(_, &is)| is) {
            self.all[SAMPLING].count(mode * Boundary::ALL.len() + boundary);
        }
    }

    fn take_access(&mut self, view: &View<'_>) {
        if let Some(row) = view.row() {
            let write = usize::from(view.kind.is_write());
            let row = row as usize;
            self.all[ACCESS].count((row * 4 + view.level() as usize) * 2 + write);
        }
        let read = view.read().is_some();
        if let Some((pmu, index)) = view.system_counter()
            && read
            && let Some(groups) = self.groups.get(pmu)
            && groups[usize::from(index)] != u8::MAX
        {
            let group = usize::from(groups[usize::from(index)]);
            self.all[COUNTER_GROUPS].count(pmu * GROUPS + group);
        }
    }

    fn take_threads(&mut self, view: &View<'_>) {
        let threads = &view.record.input.threads[..self.threads];
        let active = threads.iter().filter(|thread| thread.is(Thread::ACTIVE));
        let activity = match (active.count(), self.threads) {
            (0, _) => 0,
            (active, all) if active == all => 3,
            (1, _) => 1,
            _ => 2,
        };
        for (event, counters) in view.types.thread_events.iter().enumerate() {
            let mut counting = counters & view.counting & view.record.thread_events;
            while counting != 0 {
                let n = counting.trailing_zeros() as usize;
                counting &= counting - 1;
                let mt = usize::from(view.record.group.mt >> n & 1 == 1);
                let class = if mt == 0 {
                    2 * usize::from(view.own(Thread::WFX))
                } else if view.all_of_group(n, Thread::WFX, true) {
                    2
                } else {
                    usize::from(!view.all_of_group(n, Thread::WFX, false))
                };
                self.all[THREAD_EVENTS].count((event * 2 + mt) * 3 + class);
                self.all[ACTIVITY].count((activity * 2 + mt) * 3 + class);
            }
        }
    }
}

/// {TC, TE, TLC} x parity x C_T x C_P x class of V_B.
fn threshold(implementation: &Implementation) -> Cross {
    let reachable = reachable_thresholds(implementation);
    Cross::of_points("threshold", Threshold::COMBINATIONS, |combination| {
        reachable[combination].then(|| Point::Threshold(Threshold::of(combination)))
    })
}

/// The combinations that some value of TH and V_B leads to. Any may find C_P at 0 or 1: the type can be written
/// while the counter counts.
fn reachable_thresholds(implementation: &Implementation) -> Vec<bool> {
    let mut reachable = vec![false; Threshold::COMBINATIONS];
    let Ok(decoder) = EventTypeDecoder::new(implementation) else {
        return reachable;
    };
    let thwidth = implementation.thwidth();
    let widest = (1u32 << thwidth) - 1;
    let largest = u32::from(u16::MAX >> (16 - implementation.pmu.event_width));
    for n in 0..implementation.pmu.counters.min(2) {
        let present = present_mask(n, implementation);
        for control in 0..64u64 {
            let (tc, te, tlc) = (control >> 3, control >> 2 & 1, control & 3);
            for th in [0, 1, 2, widest / 2, widest] {
                let value = tc << TC.low | te << TE.low | tlc << TLC.low | u64::from(th) << TH.low;
                let event_type = decoder.decode(n, value & present);
                let th = u32::from(event_type.th);
                for v_b in [0, 1, th.wrapping_sub(1), th, th + 1, widest + 1, largest] {
                    if v_b > largest {
                        continue;
                    }
                    let c_t = match event_type.condition() {
                        Condition::NotEqual => v_b != th,
                        Condition::Equal => v_b == th,
                        Condition::GreaterOrEqual => v_b >= th,
                        Condition::Less => v_b < th,
                    };
                    for c_p in [false, true] {
                        let point = Threshold {
                            tc: event_type.tc,
                            te: event_type.te,
                            tlc: event_type.tlc,
                            odd: n == 1,
                            c_t,
                            c_p,
                            v_b: Class::of(v_b as u16, th as u16, thwidth),
                        };
                        reachable[point.number()] = true;
                    }
                }
            }
        }
    }
    reachable
}

/// Mode x boundary.
fn sampling(implementation: &Implementation) -> Cross {
    let spe = &implementation.spe;
    let at_enable = implementation.knobs.spe.init_load() == InitLoad::AtEnable;
    Cross::of_points("sampling", 2 * Boundary::ALL.len(), |combination| {
        let mode = Mode {
            random: combination / Boundary::ALL.len() == 1,
            ernd: spe.ernd,
        };
        let boundary = Boundary::ALL[combination % Boundary::ALL.len()];
        let reachable = spe.implemented
            && match boundary {
                Boundary::LoadAtEnable => at_enable,
                Boundary::DrawZero | Boundary::DrawNonzero => mode.random,
                Boundary::SecondaryToZero => mode.random && mode.ernd,
                _ => true,
            };
        reachable.then_some(Point::Boundary(mode, boundary))
    })
}

/// Rows of ETY-40, in the order of [`Row`].
const ROWS: &[u8; 10] = b"abcdefghij";

/// Row of ETY-40 x Exception level x read or write.
fn accesses(implementation: &Implementation) -> Cross {
    let mut reachable = [false; ROWS.len() * 8];
    // DUT-72: without the state of the PE no row decides.
    let driven = implementation.wrapper.pe_state;
    let counters = implementation.pmu.counters;
    for bits in 0..1u32 << 9 {
        let is = |bit: u32| bits >> bit & 1 == 1;
        for (level, direction) in (0..8).map(|i| (i / 2, i % 2)) {
            let exists = match level {
                2 => implementation.pe.el2,
                3 => implementation.pe.el3,
                _ => true,
            };
            let context = Context {
                userenr_en: is(0),
                userenr_uen: is(1),
                pmuacr_p: is(2),
                hdfgrtr: is(3),
                hdfgwtr: is(3),
                mdcr_el2_tpm: is(4),
                mdcr_el3_tpm: is(5),
                halted: is(6),
                edscr_sdd: is(6),
                hpmn: if is(7) { 31 } else { 0 },
                ..Context::permissive(ExceptionLevel::from_code(level as u8))
            };
            let n = if is(8) { counters.min(30) } else { 0 };
            let towards = [Direction::Read, Direction::Write][direction];
            let (_, row): (_, Row) = access(n, towards, &context, implementation);
            reachable[(row as usize * 4 + level) * 2 + direction] |= exists && driven;
        }
    }
    Cross::new("access", reachable.len(), |combination| {
        let (direction, rest) = (combination % 2, combination / 2);
        let (level, row) = (rest % 4, char::from(ROWS[rest / 4]));
        let direction = ["read", "write"][direction];
        reachable[combination].then(|| format!("row ({row}) EL{level} {direction}"))
    })
}

/// How many of the threads are in WFI or WFE state.
const WFX: [&str; 3] = ["none in WFx", "some in WFx", "all in WFx"];

/// Whether an Effective MT, and a class of WFx with it, can be.
fn group_is_reachable(implementation: &Implementation, mt: usize, class: usize) -> bool {
    let several = mt == 1 && implementation.threads.count > 1;
    // DUT-72: without the conditions of threads there are none of their events.
    implementation.wrapper.thread_conditions
        && implementation.pmu.counters > 0
        && (mt == 0 || implementation.pe.mt)
        && (class != 1 || several)
}

/// Event of the threads x Effective MT x class of WFx.
fn thread_events(implementation: &Implementation) -> Cross {
    Cross::new("thread events", Event::ALL.len() * 6, |combination| {
        let (class, mt) = (combination % 3, combination / 3 % 2);
        let event = Event::ALL[combination / 6];
        let second = matches!(event, Event::StallFrontend2nd | Event::StallBackend2nd);
        let has_event = !second || implementation.pmu.pmuv3p1;
        (has_event && group_is_reachable(implementation, mt, class))
            .then(|| format!("{event:?} MT={mt} {}", WFX[class]))
    })
}

/// Activity x Effective MT x class of WFx.
fn activity(implementation: &Implementation) -> Cross {
    const NAMES: [&str; 4] = [
        "no thread active",
        "one active",
        "several active",
        "all active",
    ];
    let one = implementation.threads.count == 1;
    Cross::new("activity", NAMES.len() * 6, |combination| {
        let (class, mt) = (combination % 3, combination / 3 % 2);
        let activity = combination / 6;
        // CYC-05: what a form has.
        let of_form = match (implementation.threads.form, activity) {
            (ThreadForm::Smt, 3) | (ThreadForm::SoEmt, 0) => true,
            (ThreadForm::Fgmt | ThreadForm::SoEmt, 1) => !one,
            (ThreadForm::Fgmt | ThreadForm::SoEmt, 3) => one,
            _ => false,
        };
        (of_form && group_is_reachable(implementation, mt, class))
            .then(|| format!("{} MT={mt} {}", NAMES[activity], WFX[class]))
    })
}

/// Counter Groups that a System PMU can have.
const GROUPS: usize = 15;

/// System PMU x Counter Group, by a read of a register of one of its counters.
fn counter_groups(implementation: &Implementation) -> Cross {
    Cross::new("counter groups", SYSTEM_PMUS * GROUPS, |combination| {
        let (pmu, group) = (combination / GROUPS, combination % GROUPS);
        let counters = implementation.system_pmu.get(pmu)?.groups.get(group)?;
        (*counters > 0).then(|| format!("System PMU {pmu}, Counter Group {group}"))
    })
}
