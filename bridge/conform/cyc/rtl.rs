//! Area `cyc` on the RTL: a counter for each kind of event and each value of MT.
//!
//! The design counts for thread 0, so the cycles are run once with each thread of the vector in its place.
//! Threads that the design has beyond the vector's are idle in a way that decides nothing: in WFI state, stalled,
//! without other conditions or counts (CYC-09 to CYC-14).

use std::rc::Rc;

use pmu_model::CycleInput;
use pmu_model::contract::{self, CYCLE_COUNTER, THREADS};
use pmu_model::cycles::{self, Event, IdleThreadAny, IdleThreadStall};
use pmu_model::pmu::event_type::MT;
use pmu_model::sysreg::SysReg;

use super::{Counts, Cycle, Thread, Vector};
use crate::conform::rtl::{Bench, Expression, Feature, Interruption, Requirements, Values};
use crate::conform::value::Number;

/// The event number of each kind (DUT-51).
fn number(event: Event) -> u64 {
    match event {
        Event::CpuCycles => 0x0011,
        Event::Stall => 0x003C,
        Event::StallFrontend => 0x0023,
        Event::StallBackend => 0x0024,
        Event::StallFrontend2nd => 0x8159,
        Event::StallBackend2nd => 0x8165,
        Event::Stall2nd => 0x00C0,
        Event::Cond => 0x00C1,
        Event::Sum => 0x0008,
    }
}

/// The counter of a kind of event with MT 0; that with MT 1 is the next.
fn counter(event: Event) -> usize {
    let index = Event::ALL.iter().position(|&found| found == event);
    2 * index.unwrap_or(0)
}

/// A vector in terms of the ports.
pub fn express(vector: Vector) -> Expression {
    if usize::from(vector.implementation.threads.count) > THREADS {
        return Expression::none("more threads than a design can have");
    }
    let counts = |cycle: &Cycle| {
        cycle
            .threads
            .iter()
            .map(|thread| thread.count.0)
            .sum::<u64>()
    };
    if vector
        .cycles
        .iter()
        .any(|cycle| counts(cycle) > u16::MAX.into())
    {
        return Expression::none("an event of more than 16 bits");
    }
    let mut requirements = Requirements {
        counters: Values::from(2 * Event::ALL.len()),
        threads: Values::from(usize::from(vector.implementation.threads.count)),
        ..Requirements::default()
    };
    requirements.fix(Feature::Pmuv3p1, true);
    requirements.fix(Feature::Mt, true);
    let mut expression = Expression::default();
    let vector = Rc::new(vector);
    expression.add(requirements, move |bench| {
        (0..usize::from(vector.implementation.threads.count))
            .try_for_each(|own| run(&vector, own, bench))
    });
    expression
}

/// Runs the vector with thread `own` as the one that the counters are of.
fn run(vector: &Vector, own: usize, bench: &mut Bench) -> Result<(), Interruption> {
    let knobs = vector.implementation.knobs.cycles.clone();
    bench.reset()?;
    let mut enabled = 1 << CYCLE_COUNTER;
    for event in Event::ALL {
        for (n, mt) in [(counter(event), 0), (counter(event) + 1, MT.mask())] {
            bench.write(
                SysReg::pmevtyper(n as u8).expect("two counters an event"),
                number(event) | mt,
            )?;
            enabled |= 1 << n;
        }
    }
    bench.enable(enabled)?;
    let mut pmccntr_known = true;
    for (index, cycle) in vector.cycles.iter().enumerate() {
        let output = bench.cycle(&input(cycle, own, &knobs))?;
        let thread = &cycle.threads[own];
        if let Some(Some(expected)) = cycle.expect.mt0.get(own) {
            let at = format!("cycle {index}, mt0[{own}]");
            for (&event, &expected) in expected {
                let unlike = own_unlike_rtl(event, thread, &knobs);
                if let Some(reason) = unlike.filter(|_| cycle.clock.0 != 0) {
                    bench.left_out.insert(reason);
                    continue;
                }
                let rtl = output.increment[counter(event)];
                count(bench, &at, event, expected, rtl)?;
            }
        }
        group(bench, index, cycle, &knobs, &output.increment)?;
        let Some(&expected) = cycle.expect.pmccntr.get(own) else {
            continue;
        };
        if !knobs.pmccntr_in_wfx && cycle.clock.0 != 0 && thread.wfx.0 != 0 {
            bench
                .left_out
                .insert("the RTL has no knob cycles.pmccntr_in_wfx = false");
            pmccntr_known = false;
            continue;
        }
        let rtl = output.increment[CYCLE_COUNTER].into();
        let at = format!("cycle {index}, PMCCNTR[{own}]");
        bench.expect(at, expected.map(|number| number.0), rtl)?;
    }
    let last = vector.pmccntr_final.get(own).copied().flatten();
    if pmccntr_known && last.is_some() {
        let value = bench.read(SysReg::Pmccntr)?;
        let at = format!("pmccntr_final[{own}]");
        bench.expect(at, last.map(|number| number.0), value)?;
    }
    Ok(())
}

fn count(
    bench: &mut Bench,
    at: &str,
    event: Event,
    expected: Option<Number>,
    rtl: u16,
) -> Result<(), Interruption> {
    let name = serde_json::to_string(&event).unwrap_or_default();
    let at = format!("{at}.{}", name.trim_matches('"'));
    bench.expect(at, expected.map(|number| number.0), rtl.into())
}

/// What the group counts, whichever thread is its own.
fn group(
    bench: &mut Bench,
    index: usize,
    cycle: &Cycle,
    knobs: &cycles::Config,
    increments: &[u16],
) -> Result<(), Interruption> {
    let none = Counts::new();
    let expected = cycle.expect.mt1.as_ref().unwrap_or(&none);
    let asleep = cycle.threads.iter().all(|thread| thread.wfx.0 != 0);
    for (&event, &expected) in expected {
        if knobs.cpu_cycles_mt1_all_wfx && asleep && cycle.clock.0 != 0 && event == Event::CpuCycles
        {
            bench
                .left_out
                .insert("the RTL has no knob cycles.cpu_cycles_mt1_all_wfx = true");
            continue;
        }
        let rtl = increments[counter(event) + 1];
        count(bench, &format!("cycle {index}, mt1"), event, expected, rtl)?;
    }
    Ok(())
}

/// The knob of which the RTL has only the other choice, if what a thread counts for itself hangs on it.
fn own_unlike_rtl(event: Event, thread: &Thread, knobs: &cycles::Config) -> Option<&'static str> {
    let in_wfx = thread.wfx.0 != 0 && is_active(thread, knobs);
    match event {
        Event::Sum => None,
        Event::Cond if !knobs.cond_gated => Some("the RTL has no knob cycles.cond_gated = false"),
        _ if knobs.cpu_cycles_in_wfx && in_wfx => {
            Some("the RTL has no knob cycles.cpu_cycles_in_wfx = true")
        }
        _ => None,
    }
}

/// A-CYC-1.
fn is_active(thread: &Thread, knobs: &cycles::Config) -> bool {
    thread.active.0 != 0 && (thread.wfx.0 == 0 || knobs.active_in_wfx)
}

fn input(cycle: &Cycle, own: usize, knobs: &cycles::Config) -> CycleInput {
    let mut threads = [contract::Thread {
        conditions: contract::Thread::WFX
            | contract::Thread::STALL
            | contract::Thread::STALL_FRONTEND
            | contract::Thread::STALL_BACKEND,
        ..contract::Thread::default()
    }; THREADS];
    let count = cycle.threads.len();
    for (place, thread) in threads.iter_mut().zip(0..count) {
        *place = driven(&cycle.threads[(own + thread) % count], knobs);
    }
    CycleInput {
        counting_allowed: u32::MAX,
        driven: CycleInput::DRIVEN_THREADS,
        clock_stopped: u8::from(cycle.clock.0 == 0),
        threads,
        ..CycleInput::default()
    }
}

/// A thread as the design gets it. Whether one in WFI or WFE state is active, and which conditions an idle one
/// has, are inputs, so that these choices (A-CYC-1, A-CYC-5, A-CYC-6) can be driven.
fn driven(thread: &Thread, knobs: &cycles::Config) -> contract::Thread {
    let is = |number: Number| number.0 != 0;
    let idle = !is(thread.active) || is(thread.wfx);
    let stalls = idle && knobs.idle_thread_stall == IdleThreadStall::True;
    let silent = idle && knobs.idle_thread_any == IdleThreadAny::False;
    let conditions = [
        (is_active(thread, knobs), contract::Thread::ACTIVE),
        (is(thread.wfx), contract::Thread::WFX),
        (is(thread.stall) || stalls, contract::Thread::STALL),
        (
            is(thread.stall_fe) || stalls,
            contract::Thread::STALL_FRONTEND,
        ),
        (
            is(thread.stall_be) || stalls,
            contract::Thread::STALL_BACKEND,
        ),
        (is(thread.second) && !silent, contract::Thread::SECOND),
        (is(thread.cond) && !silent, contract::Thread::CONDITION),
    ];
    contract::Thread {
        conditions: conditions
            .iter()
            .filter(|(holds, _)| *holds)
            .fold(0, |bits, (_, bit)| bits | bit),
        count: thread.count.0 as u16,
        ..contract::Thread::default()
    }
}
