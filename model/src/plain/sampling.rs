//! Statistical Profiling (SPE-01 to SPE-47, DUT-60 to DUT-63), with the default knobs.

use crate::contract::CycleInput;
use crate::spe::other_event_target;

use super::mutant::{Mutation, Relation};
use super::operators::Operators;
use super::site::Site;
use super::{Plain, state};

/// What a cycle did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sampled {
    /// Operations selected.
    pub(super) selected: u8,
    /// Place of the first.
    pub(super) first: u8,
    /// How many collided.
    pub(super) collided: u8,
    /// Bytes drawn.
    pub(super) drawn: u8,
    /// Values of SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_COLLISION.
    pub(super) events: [u64; 4],
}

/// What goes on from operation to operation.
struct Unit {
    count: u64,
    ecount: u64,
    interval: u64,
    rnd: bool,
    ernd: bool,
    in_flight: u64,
    coll: u64,
}

impl Unit {
    /// SPE-12.
    fn load<O: Operators>(&mut self, operators: &mut O, byte: u8, done: &mut Sampled) {
        let mut low = 0;
        if self.rnd && !self.ernd {
            done.drawn += 1;
            low = operators.word(Site::LoadedByte, 0, byte.into());
        }
        let interval = operators.word(Site::LoadedInterval, 0, self.interval);
        self.count = operators.word(Site::Loaded, 0, interval << 8 | low);
    }

    /// SPE-20 to SPE-23: whether an operation is selected.
    fn operation<O: Operators>(&mut self, operators: &mut O, byte: u8, done: &mut Sampled) -> bool {
        let secondary = operators.bit(Site::Secondary, 0, self.rnd && self.ernd);
        let reached = operators.compare(Site::CountReached, 0, Relation::Eq, (self.count, 0));
        if !reached {
            let running = secondary && operators.bit(Site::EcountRuns, 0, self.ecount != 0);
            let by = operators.word(Site::CountedDown, running.into(), 1);
            self.count = self.count.wrapping_sub(by) & 0xFFFF_FFFF;
            if running {
                self.ecount = self
                    .ecount
                    .wrapping_sub(operators.word(Site::EcountedDown, 0, 1))
                    & 0xFF;
                return operators.compare(Site::EcountReached, 0, Relation::Eq, (self.ecount, 0));
            }
            return false;
        }
        self.load(operators, byte, done);
        if !secondary {
            return true;
        }
        done.drawn += 1;
        self.ecount = operators.word(Site::LoadedEcount, 0, byte.into());
        operators.bit(Site::ZeroSelects, 0, self.ecount == 0)
    }
}

/// The numbers of what stands for a sum or a difference.
const SUM: usize = 0;
const DIFFERENCE: usize = 1;

/// The sum or the difference of two numbers, or what a mutant takes for it.
fn combined<O: Operators>(
    operators: &mut O,
    site: Site,
    right: usize,
    (first, second): (u64, u64),
) -> u64 {
    let by = |way: usize| match way {
        SUM => first.wrapping_add(second),
        DIFFERENCE => first.wrapping_sub(second),
        2 => first | second,
        3 => first ^ second,
        4 => first,
        _ => second,
    };
    operators.see(site, 0, by(right), &|mutation| match mutation {
        Mutation::Other(way) => by(way.into()),
        _ => by(right),
    })
}

impl Plain {
    /// DUT-60: one cycle, with the byte that the design drew in it.
    pub(super) fn sample<O: Operators>(
        &mut self,
        operators: &mut O,
        input: &CycleInput,
        byte: u8,
    ) -> Sampled {
        let mut done = Sampled::default();
        let enabled = input.profiling & CycleInput::PROFILING_ENABLED != 0;
        let enabled = operators.bit(Site::Profiling, 0, enabled);
        let profiled = self.state.get(state::PROFILED) == 1;
        self.state.set(state::PROFILED, enabled.into());
        let spe = &self.fixed.implementation.spe;
        let (ernd, exc, max) = (spe.ernd, spe.exc, u64::from(spe.max_inflight));
        let operations = operators.word(Site::Operations, 0, input.operations.into());
        let starts = operators.bit(Site::Starts, 0, enabled && !profiled);
        let runs = operators.bit(Site::CountsDisabled, 0, enabled);
        let active = starts || (runs && operations > 0);
        // What is at rest is not looked at, so that it does not count as read.
        let interval = if active {
            self.state.get(state::INTERVAL)
        } else {
            0
        };
        let word = |plain: &mut Self, word: usize| match active {
            true => plain.state.get(word),
            false => plain.state.word(word as u16),
        };
        let rnd = operators.bit(Site::Rnd, 0, interval & 1 == 1);
        let ernd = operators.bit(Site::Ernd, 0, ernd);
        let mut unit = Unit {
            count: word(self, state::COUNT),
            ecount: word(self, state::ECOUNT),
            interval: interval >> 8,
            rnd,
            ernd,
            in_flight: self.state.word(state::IN_FLIGHT as u16),
            coll: self.state.word(state::COLL as u16),
        };
        if starts {
            let zero = operators.bit(Site::StartsFromZero, 0, unit.count == 0)
                && operators.bit(Site::StartsFromZero, 1, unit.ecount == 0);
            if operators.bit(Site::StartLoads, 0, zero) {
                unit.load(operators, byte, &mut done);
            }
        }
        let discard = operators.bit(Site::Discard, 0, input.profiling & CycleInput::DISCARD != 0);
        if discard || input.complete > 0 || active {
            self.state.get(state::IN_FLIGHT);
        }
        if discard {
            unit.in_flight = 0;
        }
        let complete = operators.word(Site::Complete, 0, input.complete.into());
        let completed = complete.min(unit.in_flight);
        let taken = operators.word(Site::Completed, 0, completed);
        let left = combined(operators, Site::Left, DIFFERENCE, (unit.in_flight, taken)) & 0xFF;
        unit.in_flight = left;
        let late = match operators.bit(Site::FreesLate, 0, false) {
            true => completed,
            false => 0,
        };
        if runs {
            let counted = operators.word(Site::CountedOperations, 0, operations);
            for place in 0..counted.min(32) {
                let by_count = unit.count == 0;
                let selected = unit.operation(operators, byte, &mut done);
                let is_last = place + 1 == counted;
                let selected = selected
                    && (!is_last || operators.bit(Site::LastPlace, usize::from(!by_count), true));
                if !selected {
                    continue;
                }
                if done.selected == 0 {
                    done.first = operators.word(Site::First, 0, place) as u8;
                }
                done.selected += 1;
                let busy = (unit.in_flight + late, max);
                if operators.compare(Site::Room, 0, Relation::Lt, busy) {
                    unit.in_flight += 1;
                    if operators.bit(Site::CollCleared, 0, false) {
                        unit.coll = 0;
                    }
                    continue;
                }
                done.collided += 1;
                let pmsee = operators.word(Site::Pmsee, 0, input.pmsee().into()) as u8;
                let ee = operators.word(Site::Ee, 0, input.ee().into()) as u8;
                let target = other_event_target(exc, pmsee, ee).index();
                let row = usize::from(pmsee << 2 | ee);
                let target = operators.index(Site::CollTarget, row, target, 3) % 3;
                self.state.get(state::COLL);
                if operators.bit(Site::CollSet, target, true) {
                    unit.coll |= 1 << target;
                    self.hit |= 1 << target;
                }
            }
        }
        let fed = u64::from(done.selected - done.collided);
        if fed > 0 {
            unit.in_flight = combined(operators, Site::Fed, SUM, (left, fed)) & 0xFF;
        }
        for x in 0..3 {
            if operators.bit(Site::CollWithout, x, false) {
                unit.coll |= 1 << x;
            }
        }
        let removed = match completed {
            0 => 0,
            _ => operators.word(Site::FilteredOut, 0, input.filtered_out.into()),
        };
        let removed = removed.min(completed);
        let population = operators.bit(Site::PopulationEnabled, 0, enabled);
        done.events = [
            if population { operations } else { 0 },
            u64::from(done.selected - done.collided),
            combined(operators, Site::Filtrate, DIFFERENCE, (completed, removed)) & 0xFF,
            done.collided.into(),
        ];
        if done.collided > 0 && !operators.bit(Site::CollisionReloads, 0, true) {
            unit.count = 0;
        }
        let collided = done.collided > 0;
        done.selected = operators.word(Site::Selected, 0, done.selected.into()) as u8;
        done.collided = operators.word(Site::Collided, 0, done.collided.into()) as u8;
        if active {
            self.state.set(state::COUNT, unit.count);
            self.state.set(state::ECOUNT, unit.ecount);
        }
        if discard || input.complete > 0 || active {
            self.state.set(state::IN_FLIGHT, unit.in_flight);
        }
        if collided || unit.coll != self.state.word(state::COLL as u16) {
            self.state.set(state::COLL, unit.coll);
        }
        done
    }
}
