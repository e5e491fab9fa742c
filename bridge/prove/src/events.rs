//! The base value of an event counter's event (DUT-16, DUT-17, DUT-50, DUT-51, CYC-03 to CYC-21), as circuits: the slow
//! contract of it, which a test compares with the model.

use std::sync::LazyLock;

use pmu_model::contract::{THREADS, Thread};
use pmu_model::cycles::{Event, IdleThreadAny, IdleThreadStall};
use pmu_model::pmu::event_type::{CHAIN, EVTCOUNT};
use pmu_model::pmu::sample_events::SAMPLE_EVENTS;
use pmu_model::pmu::thread_events::thread_event;
use pmu_model::{CycleInput, Implementation};

use crate::circuit::{Circuit, Lit};
use crate::contract::{bit_of, condition_of, count_of};
use crate::symbol::WIDTH;

/// Bits of evtCount.
const EVENT: usize = 16;

/// The events that the rules name.
static NAMED: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let is_named = |event: &u16| thread_event(*event).is_some() || SAMPLE_EVENTS.contains(event);
    (0..=u16::MAX).filter(is_named).collect()
});

/// What the base value of a counter is found from.
pub struct Facts<'a> {
    /// What the design is to be.
    pub implementation: &'a Implementation,
    /// CycleInput.
    pub input: &'a [Lit],
    /// The counter's type.
    pub register: &'a [Lit],
    /// Its Effective MT.
    pub mt: Lit,
    /// The threads that it counts (DUT-50).
    pub counted: [Lit; THREADS],
    /// SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_COLLISION: 8 bits each.
    pub samples: &'a [Vec<Lit>; 4],
}

/// What an event of cycles counts.
struct Counts {
    /// The condition of a stall.
    stall: Option<u8>,
    /// With the second condition.
    second: bool,
    /// With another condition.
    other: bool,
}

impl Counts {
    /// `None` for what a thread counts by itself.
    fn of(event: Event) -> Option<Self> {
        let stall = |stall, second| Self {
            stall,
            second,
            other: false,
        };
        Some(match event {
            Event::Sum => return None,
            Event::CpuCycles => stall(None, false),
            Event::Stall => stall(Some(Thread::STALL), false),
            Event::StallFrontend => stall(Some(Thread::STALL_FRONTEND), false),
            Event::StallBackend => stall(Some(Thread::STALL_BACKEND), false),
            Event::Stall2nd => stall(Some(Thread::STALL), true),
            Event::StallFrontend2nd => stall(Some(Thread::STALL_FRONTEND), true),
            Event::StallBackend2nd => stall(Some(Thread::STALL_BACKEND), true),
            Event::Cond => Self {
                stall: None,
                second: false,
                other: true,
            },
        })
    }
}

impl Facts<'_> {
    /// A condition of thread `t`.
    fn is(&self, t: usize, condition: u8) -> Lit {
        self.input[condition_of(t, condition)]
    }

    /// What thread `t` has retired.
    fn count(&self, t: usize) -> &[Lit] {
        &self.input[count_of(t)..count_of(t) + WIDTH]
    }

    /// The lower bits, as many as an event has.
    fn cut(&self, word: &[Lit]) -> Vec<Lit> {
        let width = usize::from(self.implementation.pmu.event_width);
        let bits = (0..WIDTH).map(|bit| match word.get(bit) {
            Some(&lit) if bit < width => lit,
            _ => Lit::FALSE,
        });
        bits.collect()
    }

    /// The base value, of an event that is not CHAIN; and whether it is CHAIN, on any counter.
    pub fn base(&self, circuit: &mut Circuit) -> (Vec<Lit>, Lit) {
        let pmu = &self.implementation.pmu;
        let first = usize::from(EVTCOUNT.low);
        let number = &self.register[first..first + EVENT];
        let is_chain = match pmu.chain {
            true => circuit.is(number, CHAIN.into()),
            false => Lit::FALSE,
        };
        let driven = bit_of("driven");
        let driven_of = |mask: u8| self.input[driven + mask.trailing_zeros() as usize];
        let by_pe = driven_of(CycleInput::DRIVEN_PE);
        let by_threads = driven_of(CycleInput::DRIVEN_THREADS);
        // DUT-51: an event of thread 0, where the counter counts other threads alone.
        let elsewhere = circuit.all([by_pe, by_threads, self.mt, !self.counted[0]]);
        let mut value = vec![Lit::FALSE; WIDTH];
        let mut add = |circuit: &mut Circuit, when: Lit, word: &[Lit]| {
            for (bit, &lit) in word.iter().enumerate() {
                let one = circuit.and(when, lit);
                value[bit] = circuit.or(value[bit], one);
            }
        };
        let lanes = u16::from(pmu.event_count);
        let others = NAMED.iter().copied().filter(|&event| event >= lanes);
        for event in (0..lanes).chain(others) {
            let of_threads = thread_event(event);
            let sample = SAMPLE_EVENTS.iter().position(|&of| of == event);
            let is_lane = event < lanes && !(pmu.chain && event == CHAIN);
            let is = circuit.is(number, event.into());
            if is_lane {
                let first = bit_of("event") + WIDTH * usize::from(event);
                let lane = self.cut(&self.input[first..first + WIDTH]);
                let taken = match of_threads {
                    Some(_) => circuit.and(is, !by_threads),
                    None => circuit.and(is, !elsewhere),
                };
                add(circuit, taken, &lane);
            }
            if let Some(place) = sample {
                let taken = circuit.and(is, !elsewhere);
                let word = self.cut(&self.samples[place]);
                add(circuit, taken, &word);
            }
            if let Some(of) = of_threads {
                let taken = circuit.and(is, by_threads);
                let word = match Counts::of(of) {
                    None => self.retired(circuit),
                    Some(counts) => vec![self.happens(circuit, &counts)],
                };
                add(circuit, taken, &word);
            }
        }
        (value, is_chain)
    }

    /// CYC-14, CYC-15.
    fn retired(&self, circuit: &mut Circuit) -> Vec<Lit> {
        let mut sum = vec![Lit::FALSE; WIDTH];
        for (t, &counted) in self.counted.iter().enumerate() {
            let own = self.count(t).iter();
            let own: Vec<_> = own.map(|&bit| circuit.and(bit, counted)).collect();
            sum = circuit.sum(&sum, &own, Lit::FALSE);
        }
        let word = circuit.choose_word(self.mt, &sum, self.count(0));
        self.cut(&word)
    }

    /// CYC-03, CYC-07 to CYC-13, CYC-21: an event of cycles.
    fn happens(&self, circuit: &mut Circuit, counts: &Counts) -> Lit {
        let own = self.happens_on_own(circuit, counts);
        let together = self.happens_together(circuit, counts);
        circuit.choose(self.mt, together, own)
    }

    fn happens_on_own(&self, circuit: &mut Circuit, counts: &Counts) -> Lit {
        let knobs = &self.implementation.knobs.cycles;
        let awake = !self.is(0, Thread::WFX);
        // CYC-06, CYC-08.
        let active_awake = circuit.or(awake, Lit::known(knobs.active_in_wfx));
        let counted_awake = circuit.or(awake, Lit::known(knobs.cpu_cycles_in_wfx));
        let cycle = circuit.all([self.is(0, Thread::ACTIVE), active_awake, counted_awake]);
        if counts.other {
            let other = self.is(0, Thread::CONDITION);
            let looked_at = circuit.or(cycle, Lit::known(!knobs.cond_gated));
            return circuit.and(other, looked_at);
        }
        let mut all = vec![cycle];
        all.extend(counts.stall.map(|stall| self.is(0, stall)));
        all.extend(counts.second.then(|| self.is(0, Thread::SECOND)));
        circuit.all(all)
    }

    fn happens_together(&self, circuit: &mut Circuit, counts: &Counts) -> Lit {
        let knobs = &self.implementation.knobs.cycles;
        let (mut any, mut awake, mut all_stall) = (Lit::FALSE, Lit::FALSE, Lit::TRUE);
        let (mut any_second, mut any_other) = (Lit::FALSE, Lit::FALSE);
        for (t, &counted) in self.counted.iter().enumerate() {
            let waits = self.is(t, Thread::WFX);
            let idle = circuit.or(waits, !self.is(t, Thread::ACTIVE));
            any = circuit.or(any, counted);
            let own = circuit.and(counted, !waits);
            awake = circuit.or(awake, own);
            if let Some(stall) = counts.stall {
                // A-CYC-5.
                let idle_stalls = knobs.idle_thread_stall == IdleThreadStall::True;
                let idle_stalls = circuit.and(idle, Lit::known(idle_stalls));
                let own = circuit.any([!counted, self.is(t, stall), idle_stalls]);
                all_stall = circuit.and(all_stall, own);
            }
            // A-CYC-6.
            let raw = knobs.idle_thread_any != IdleThreadAny::False;
            let looked_at = circuit.or(!idle, Lit::known(raw));
            let looked_at = circuit.and(looked_at, counted);
            let own = circuit.and(looked_at, self.is(t, Thread::SECOND));
            any_second = circuit.or(any_second, own);
            let own = circuit.and(looked_at, self.is(t, Thread::CONDITION));
            any_other = circuit.or(any_other, own);
        }
        if counts.other {
            return circuit.and(awake, any_other);
        }
        if counts.stall.is_none() {
            // CYC-09, A-CYC-4.
            let in_wfx = circuit.and(any, Lit::known(knobs.cpu_cycles_mt1_all_wfx));
            return circuit.or(awake, in_wfx);
        }
        let second = circuit.or(any_second, Lit::known(!counts.second));
        circuit.all([awake, all_stall, second])
    }
}
