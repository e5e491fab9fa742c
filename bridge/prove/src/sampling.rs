//! What a cycle makes of Statistical Profiling (SPE-01 to SPE-47, DUT-60 to DUT-63), as circuits: the slow contract of it,
//! operation by operation, which a test compares with the model.

use pmu_model::contract::MAX_OPERATIONS;
use pmu_model::spe::other_event_target;
use pmu_model::{CycleInput, Implementation};

use crate::accesses::{Effect, Reached};
use crate::circuit::{Circuit, Lit};
use crate::contract::field;
use crate::table::Table;

/// Bits of a number of operations.
const OPERATIONS: usize = 4;
/// PMBSR_ELx.COLL.
pub const COLL: usize = 16;
/// SPE-04: the bits of PMBSR_ELx that there are.
const BUFFER_BITS: u64 = 0x00FF_FFFF_FC0F_FFFF;

/// The state of Statistical Profiling.
#[derive(Clone, Debug)]
pub struct Sampling {
    /// PMSICR_EL1.COUNT: 32 bits.
    pub count: Vec<Lit>,
    /// PMSICR_EL1.ECOUNT: 8 bits, zero without FEAT_SPE_ERnd.
    pub ecount: Vec<Lit>,
    /// PMSIRR_EL1.INTERVAL: 24 bits.
    pub interval: Vec<Lit>,
    /// PMSIRR_EL1.RND.
    pub random: Lit,
    /// Profiling was enabled in the cycle before.
    pub enabled: Lit,
    /// Samples in flight: 8 bits.
    pub in_flight: Vec<Lit>,
    /// The PMBSR_ELx that there are, that of EL1 first.
    pub buffers: Vec<Vec<Lit>>,
}

/// What the operations of a cycle come to.
#[derive(Clone, Debug)]
pub struct Counted {
    /// COUNT at their end.
    pub count: Vec<Lit>,
    /// ECOUNT at their end.
    pub ecount: Vec<Lit>,
    /// How many are selected: 8 bits.
    pub selected: Vec<Lit>,
    /// The place of the first of them: 8 bits.
    pub first: Vec<Lit>,
    /// Bytes drawn: 8 bits.
    pub drawn: Vec<Lit>,
    /// SPE-29: INTERVAL is loaded while it is 0.
    pub loads_zero: Lit,
}

/// What becomes of the operations that are selected.
#[derive(Clone, Debug)]
pub struct Taken {
    /// How many of them collide: 8 bits.
    pub collided: Vec<Lit>,
    /// Samples in flight at the end of the cycle.
    pub in_flight: Vec<Lit>,
    /// PMBSR_ELx.COLL that a collision sets.
    pub hits: Vec<Lit>,
    /// SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_COLLISION: 8 bits each.
    pub events: [Vec<Lit>; 4],
}

/// A cycle of Statistical Profiling.
pub struct Facts<'a> {
    /// What the design is to be.
    pub implementation: &'a Implementation,
    /// CycleInput.
    pub input: &'a [Lit],
    /// Reset.
    pub reset: Lit,
    /// DUT-52: no Processor cycle.
    pub held: Lit,
    /// The state at the start of the cycle.
    pub before: &'a Sampling,
}

impl Facts<'_> {
    /// There is a Processor cycle.
    fn runs(&self, circuit: &mut Circuit) -> Lit {
        let none = circuit.or(self.reset, self.held);
        !none
    }

    /// A field of so many bits, the others of which are 0.
    fn word(&self, name: &str, bits: usize) -> Vec<Lit> {
        let mut word = field(self.input, name, bits).to_vec();
        word.resize(8, Lit::FALSE);
        word
    }

    fn profiling(&self, mask: u8) -> Lit {
        field(self.input, "profiling", 8)[mask.trailing_zeros() as usize]
    }

    /// SPE-10 to SPE-23, DUT-61: the operations of the cycle, one by one, with the byte that is drawn.
    pub fn operations(&self, circuit: &mut Circuit, byte: &[Lit]) -> Counted {
        let before = self.before;
        let runs = self.runs(circuit);
        let enabled = circuit.and(runs, self.profiling(CycleInput::PROFILING_ENABLED));
        let ernd = Lit::known(self.implementation.spe.ernd);
        let in_count = circuit.and(before.random, !ernd);
        let secondary = circuit.and(before.random, ernd);
        let no_interval = circuit.is(&before.interval, 0);
        // SPE-12.
        let low: Vec<_> = byte.iter().map(|&bit| circuit.and(bit, in_count)).collect();
        let reload = [&low[..], &before.interval].concat();
        // SPE-10.
        let zero = circuit.is(&[&before.count[..], &before.ecount].concat(), 0);
        let starts = circuit.all([enabled, !before.enabled, zero]);
        let mut count = circuit.choose_word(starts, &reload, &before.count);
        let mut ecount = before.ecount.clone();
        let mut loads_zero = circuit.and(starts, no_interval);
        let one = circuit.and(starts, in_count);
        let mut drawn = circuit.plus(&[Lit::FALSE; 8], one);
        let mut selected = vec![Lit::FALSE; 8];
        let mut first = vec![Lit::FALSE; 8];
        let operations = field(self.input, "operations", OPERATIONS);
        for place in 0..MAX_OPERATIONS {
            let limit: Vec<_> = (0..OPERATIONS)
                .map(|bit| Lit::known(place >> bit & 1 == 1))
                .collect();
            let there = circuit.less(&limit, operations);
            let there = circuit.and(there, enabled);
            let zero = circuit.is(&count, 0);
            // SPE-20: COUNT goes down, and with it ECOUNT, unless it is 0.
            let counts = circuit.and(there, !zero);
            let less = circuit.minus(&count, &one_of(32));
            let ecount_zero = circuit.is(&ecount, 0);
            let runs = circuit.all([counts, secondary, !ecount_zero]);
            let one_left = circuit.is(&ecount, 1);
            let by_ecount = circuit.and(runs, one_left);
            let ecount_less = circuit.minus(&ecount, &one_of(8));
            // SPE-21, SPE-22: it expires, and begins anew.
            let expires = circuit.and(there, zero);
            count = circuit.choose_word(counts, &less, &count);
            count = circuit.choose_word(expires, &reload, &count);
            ecount = circuit.choose_word(runs, &ecount_less, &ecount);
            let draws = circuit.and(expires, secondary);
            ecount = circuit.choose_word(draws, byte, &ecount);
            let drew_zero = circuit.is(byte, 0);
            let at_once = circuit.or(!secondary, drew_zero);
            let by_count = circuit.and(expires, at_once);
            let is = circuit.or(by_count, by_ecount);
            let one = circuit.and(expires, before.random);
            drawn = circuit.plus(&drawn, one);
            let own_zero = circuit.and(expires, no_interval);
            loads_zero = circuit.or(loads_zero, own_zero);
            let none_yet = circuit.is(&selected, 0);
            let is_first = circuit.and(is, none_yet);
            let number: Vec<_> = (0..8)
                .map(|bit| Lit::known(place >> bit & 1 == 1))
                .collect();
            first = circuit.choose_word(is_first, &number, &first);
            selected = circuit.plus(&selected, is);
        }
        Counted {
            count,
            ecount,
            selected,
            first,
            drawn,
            loads_zero,
        }
    }

    /// SPE-40 to SPE-45, DUT-63: what completes, and what becomes of so many operations that are selected.
    pub fn samples(&self, circuit: &mut Circuit, selected: &[Lit]) -> Taken {
        let spe = &self.implementation.spe;
        let runs = self.runs(circuit);
        let enabled = circuit.and(runs, self.profiling(CycleInput::PROFILING_ENABLED));
        let discards = circuit.and(runs, self.profiling(CycleInput::DISCARD));
        let before = &self.before.in_flight;
        let mut in_flight = circuit.choose_word(discards, &[Lit::FALSE; 8], before);
        let complete = self.word("complete", OPERATIONS);
        let fewer = circuit.less(&in_flight, &complete);
        let completed = circuit.choose_word(fewer, &in_flight, &complete);
        let completed: Vec<_> = completed
            .iter()
            .map(|&bit| circuit.and(bit, runs))
            .collect();
        in_flight = circuit.minus(&in_flight, &completed);
        let removed = self.word("filtered_out", OPERATIONS);
        let all_removed = circuit.less(&completed, &removed);
        let left = circuit.minus(&completed, &removed);
        let filtrate = circuit.choose_word(all_removed, &[Lit::FALSE; 8], &left);
        let most: Vec<_> = (0..8)
            .map(|bit| Lit::known(spe.max_inflight >> bit & 1 == 1))
            .collect();
        let (mut fed, mut collided) = (vec![Lit::FALSE; 8], vec![Lit::FALSE; 8]);
        for place in 0..MAX_OPERATIONS {
            let number: Vec<_> = (0..8)
                .map(|bit| Lit::known(place >> bit & 1 == 1))
                .collect();
            let is = circuit.less(&number, selected);
            let room = circuit.less(&in_flight, &most);
            let (taken, lost) = (circuit.and(is, room), circuit.and(is, !room));
            in_flight = circuit.plus(&in_flight, taken);
            fed = circuit.plus(&fed, taken);
            collided = circuit.plus(&collided, lost);
        }
        // SPE-42.
        let none = circuit.is(&collided, 0);
        let levels = &field(self.input, "profiling", 8)[2..6];
        let hits = (0..self.before.buffers.len()).map(|of| {
            let target = Table::of(4, |levels| {
                let (pmsee, ee) = (levels as u8 & 3, levels as u8 >> 2);
                other_event_target(spe.exc, pmsee, ee).index() == of
            });
            let own = target.on(circuit, levels);
            circuit.and(own, !none)
        });
        let hits = hits.collect();
        let operations = self.word("operations", OPERATIONS);
        let population = operations.iter().map(|&bit| circuit.and(bit, enabled));
        let population = population.collect();
        Taken {
            in_flight,
            hits,
            events: [population, fed, filtrate, collided.clone()],
            collided,
        }
    }

    /// DUT-60: the state at the end of the cycle, in which a write wins.
    pub fn after(
        &self,
        circuit: &mut Circuit,
        reached: &Reached<'_>,
        counted: &Counted,
        taken: &Taken,
    ) -> Sampling {
        let before = self.before;
        let own_enabled = self.profiling(CycleInput::PROFILING_ENABLED);
        let count = reached.written(circuit, Effect::Count);
        let interval = reached.written(circuit, Effect::Interval);
        let ernd = Lit::known(self.implementation.spe.ernd);
        let written_ecount: Vec<_> = count.data[56..64]
            .iter()
            .map(|&bit| circuit.and(bit, ernd))
            .collect();
        // DUT-11, DUT-52.
        let ends = |circuit: &mut Circuit, old: &[Lit], new: &[Lit]| {
            let kept = circuit.choose_word(self.held, old, new);
            let bits = kept.into_iter();
            bits.map(|bit| circuit.and(bit, !self.reset))
                .collect::<Vec<_>>()
        };
        let new = circuit.choose_word(count.any, &count.data[..32], &counted.count);
        let new_count = ends(circuit, &before.count, &new);
        let new = circuit.choose_word(count.any, &written_ecount, &counted.ecount);
        let new_ecount = ends(circuit, &before.ecount, &new);
        let new = circuit.choose_word(interval.any, &interval.data[8..32], &before.interval);
        let new_interval = ends(circuit, &before.interval, &new);
        let new = circuit.choose(interval.any, interval.data[0], before.random);
        let random = ends(circuit, &[before.random], &[new])[0];
        let enabled = ends(circuit, &[before.enabled], &[own_enabled])[0];
        let in_flight = ends(circuit, &before.in_flight, &taken.in_flight);
        let buffers = before.buffers.iter().enumerate().map(|(of, buffer)| {
            let written = reached.written(circuit, Effect::Buffer(of as u8 + 1));
            let mut new = buffer.clone();
            new[COLL] = circuit.or(new[COLL], taken.hits[of]);
            let data = written.data.iter().enumerate();
            let data = data.map(|(bit, &lit)| match BUFFER_BITS >> bit & 1 {
                1 => lit,
                _ => Lit::FALSE,
            });
            let data: Vec<_> = data.collect();
            let new = circuit.choose_word(written.any, &data, &new);
            ends(circuit, buffer, &new)
        });
        let buffers = buffers.collect();
        Sampling {
            count: new_count,
            ecount: new_ecount,
            interval: new_interval,
            random,
            enabled,
            in_flight,
            buffers,
        }
    }
}

impl Sampling {
    /// DUT-11: as a reset leaves it.
    pub fn out_of_reset(implementation: &Implementation) -> Self {
        let zero = |bits| vec![Lit::FALSE; bits];
        Self {
            count: zero(32),
            ecount: zero(8),
            interval: zero(24),
            random: Lit::FALSE,
            enabled: Lit::FALSE,
            in_flight: zero(8),
            buffers: vec![zero(64); if implementation.spe.exc { 3 } else { 1 }],
        }
    }

    /// PMSICR_EL1.
    pub fn pmsicr(&self) -> Vec<Lit> {
        [&self.count[..], &[Lit::FALSE; 24], &self.ecount].concat()
    }

    /// PMSIRR_EL1.
    pub fn pmsirr(&self) -> Vec<Lit> {
        let low = [&[self.random][..], &[Lit::FALSE; 7]].concat();
        [&low[..], &self.interval, &[Lit::FALSE; 32]].concat()
    }

    /// COLL of the PMBSR_ELx.
    pub fn coll(&self) -> Vec<Lit> {
        let mut coll: Vec<_> = self.buffers.iter().map(|buffer| buffer[COLL]).collect();
        coll.resize(8, Lit::FALSE);
        coll
    }
}

/// 1.
fn one_of(bits: usize) -> Vec<Lit> {
    let mut one = vec![Lit::FALSE; bits];
    one[0] = Lit::TRUE;
    one
}
