//! Mistakes of Statistical Profiling, and the unit that makes them: A-SPE at the defaults, one operation after another.

use std::fmt;

use pmu_model::spe::other_event_target;
use pmu_model::{CycleInput, Implementation, SysReg};

use super::added;

/// A mistake of sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// COUNT is loaded with INTERVAL * 256 and so many.
    LoadOff(i8),
    /// COUNT waits for ECOUNT.
    CountWaits,
    /// COUNT stands still from its last load in a cycle on, if ECOUNT runs then.
    CountWaitsForCycle,
    /// A drawn zero selects nothing.
    ZeroLost,
    /// A cycle with a collision leaves COUNT at 0.
    NoReloadOnCollision,
    /// A sample that does not collide clears COLL.
    CollCleared,
    /// Enabling loads whatever COUNT is.
    AlwaysLoads,
    /// Enabling does not load.
    NeverLoads,
    /// COUNT goes on while profiling is disabled.
    CountsDisabled,
    /// COUNT goes on while profiling is disabled, but not to 0.
    CountsDisabledToOne,
    /// RND is taken as that value.
    Random(bool),
    /// ERnd is the other value.
    ErndInverted,
    /// So many samples more can be in flight.
    InFlight(i8),
    /// Completion makes room from the next cycle on.
    FreesLate,
    /// Discarding has no effect.
    KeepsDiscarded,
    /// Which PMBSR_ELx has COLL: PMSEE 10 and EE 11 is EL1.
    CollOfEl1,
    /// A write of PMBSR_ELx is lost to a collision.
    WriteLoses,
    /// Operations of a cycle are one.
    OneOperation,
    /// SAMPLE_FEED counts collisions.
    FeedCountsCollisions,
    /// SAMPLE_POP counts while profiling is disabled.
    PopulationDisabled,
    /// SAMPLE_FILTRATE counts what is removed.
    FiltrateRemoved,
    /// ECOUNT goes one lower or higher than the byte.
    EcountOff(i8),
}

impl Sampling {
    /// All of them.
    pub const ALL: [Self; 26] = [
        Self::LoadOff(-1),
        Self::LoadOff(1),
        Self::CountWaits,
        Self::CountWaitsForCycle,
        Self::ZeroLost,
        Self::NoReloadOnCollision,
        Self::CollCleared,
        Self::AlwaysLoads,
        Self::NeverLoads,
        Self::CountsDisabled,
        Self::CountsDisabledToOne,
        Self::Random(true),
        Self::Random(false),
        Self::ErndInverted,
        Self::InFlight(1),
        Self::InFlight(-1),
        Self::FreesLate,
        Self::KeepsDiscarded,
        Self::CollOfEl1,
        Self::WriteLoses,
        Self::OneOperation,
        Self::FeedCountsCollisions,
        Self::PopulationDisabled,
        Self::FiltrateRemoved,
        Self::EcountOff(1),
        Self::EcountOff(-1),
    ];
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LoadOff(by) => {
                return write!(f, "COUNT is loaded with INTERVAL * 256 {}", added(*by));
            }
            Self::InFlight(by) => {
                return write!(
                    f,
                    "the number of samples that can be in flight is off by {by:+}"
                );
            }
            Self::Random(value) => {
                return write!(f, "PMSIRR_EL1.RND is taken as {}", u8::from(*value));
            }
            Self::EcountOff(by) => return write!(f, "ECOUNT is the random number {}", added(*by)),
            Self::CountWaits => "COUNT stands still while ECOUNT runs",
            Self::CountWaitsForCycle => {
                "COUNT stands still for the rest of a cycle if ECOUNT runs after its last load"
            }
            Self::ZeroLost => "with a random number of zero no operation is selected",
            Self::NoReloadOnCollision => "an operation that collides does not reload COUNT",
            Self::CollCleared => "a sample that does not collide clears COLL",
            Self::AlwaysLoads => "enabling profiling loads COUNT whatever PMSICR_EL1 is",
            Self::NeverLoads => "enabling profiling does not load COUNT",
            Self::CountsDisabled => "COUNT goes on while profiling is disabled",
            Self::CountsDisabledToOne => {
                "COUNT goes on while profiling is disabled, and stops before it reaches 0"
            }
            Self::ErndInverted => "the random number is used as if PMSIDR_EL1.ERnd were inverted",
            Self::FreesLate => "samples that complete make room from the next cycle on",
            Self::KeepsDiscarded => "discarding leaves the samples in flight",
            Self::CollOfEl1 => "Effective PMSEE 10 with EE 11 sets COLL of PMBSR_EL1",
            Self::WriteLoses => "a write of PMBSR_ELx is lost in the cycle of a collision",
            Self::OneOperation => "operations of one cycle are counted as one",
            Self::FeedCountsCollisions => "SAMPLE_FEED counts operations that collide as well",
            Self::PopulationDisabled => "SAMPLE_POP counts while profiling is disabled as well",
            Self::FiltrateRemoved => "SAMPLE_FILTRATE counts the samples that filtering removes",
        })
    }
}

/// What a cycle did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampled {
    /// Operations selected.
    pub selected: u8,
    /// Place of the first.
    pub first: u8,
    /// How many collided.
    pub collided: u8,
    /// Bytes drawn.
    pub drawn: u8,
    /// Values of SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_COLLISION.
    pub events: [u16; 4],
}

/// What never changes in a sampling unit.
#[derive(Clone, Copy, Debug)]
struct Made {
    mistake: Option<Sampling>,
    ernd: bool,
    exc: bool,
    max: u32,
}

/// Two units are equal when they are in one state, whatever they were made for.
impl PartialEq for Made {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The sampling unit with a mistake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    made: Made,
    enabled: bool,
    count: u32,
    ecount: u8,
    interval: u32,
    rnd: bool,
    /// Samples in flight.
    pub in_flight: u32,
    /// PMBSR_ELx.COLL.
    pub coll: [bool; 3],
}

impl Unit {
    /// Out of reset.
    pub fn new(implementation: &Implementation, mistake: Option<Sampling>) -> Self {
        let max = i16::from(implementation.spe.max_inflight);
        let max = match mistake {
            Some(Sampling::InFlight(by)) => max + i16::from(by),
            _ => max,
        };
        let inverted = mistake == Some(Sampling::ErndInverted);
        Self {
            made: Made {
                mistake,
                ernd: implementation.spe.ernd != inverted,
                exc: implementation.spe.exc,
                max: max.max(0) as u32,
            },
            enabled: false,
            count: 0,
            ecount: 0,
            interval: 0,
            rnd: false,
            in_flight: 0,
            coll: [false; 3],
        }
    }

    /// This unit in the state of another one.
    #[must_use]
    pub fn resumed(&self, other: &Self) -> Self {
        Self {
            made: self.made,
            ..*other
        }
    }

    /// PMSICR_EL1 (SPE-01).
    pub fn pmsicr(&self) -> u64 {
        u64::from(self.ecount) << 56 | u64::from(self.count)
    }

    fn is(&self, mistake: Sampling) -> bool {
        self.made.mistake == Some(mistake)
    }

    fn rnd(&self) -> bool {
        match self.made.mistake {
            Some(Sampling::Random(value)) => value,
            _ => self.rnd,
        }
    }

    /// SPE-12.
    fn load(&mut self, byte: u8, done: &mut Sampled) {
        let mut low = 0;
        if self.rnd() && !self.made.ernd {
            done.drawn += 1;
            low = byte;
        }
        self.count = self.interval << 8 | u32::from(low);
        if let Some(Sampling::LoadOff(by)) = self.made.mistake {
            self.count = self.count.wrapping_add_signed(by.into());
        }
    }

    /// SPE-20 to SPE-23: whether an operation is selected.
    fn operation(&mut self, byte: u8, done: &mut Sampled) -> bool {
        let secondary = self.rnd() && self.made.ernd;
        if self.count != 0 {
            let running = secondary && self.ecount != 0;
            if !(running && self.is(Sampling::CountWaits)) {
                self.count -= 1;
            }
            if running {
                self.ecount -= 1;
                return self.ecount == 0;
            }
            return false;
        }
        self.load(byte, done);
        if !secondary {
            return true;
        }
        done.drawn += 1;
        self.ecount = byte;
        if let Some(Sampling::EcountOff(by)) = self.made.mistake {
            self.ecount = byte.wrapping_add_signed(by);
        }
        self.ecount == 0 && !self.is(Sampling::ZeroLost)
    }

    /// DUT-60: one cycle, with the byte that the design drew and the write that takes effect at its end.
    pub fn step(&mut self, input: &CycleInput, byte: u8, write: Option<(SysReg, u64)>) -> Sampled {
        let mut done = Sampled::default();
        let enabled = input.profiling & CycleInput::PROFILING_ENABLED != 0;
        let zero = self.count == 0 && self.ecount == 0;
        let loads = zero || self.is(Sampling::AlwaysLoads);
        if enabled && !self.enabled && loads && !self.is(Sampling::NeverLoads) {
            self.load(byte, &mut done);
        }
        self.enabled = enabled;
        let discard = input.profiling & CycleInput::DISCARD != 0;
        if discard && !self.is(Sampling::KeepsDiscarded) {
            self.in_flight = 0;
        }
        let completed = u32::from(input.complete).min(self.in_flight);
        self.in_flight -= completed;
        let late = if self.is(Sampling::FreesLate) {
            completed
        } else {
            0
        };
        let mut operations = input.operations;
        if self.is(Sampling::OneOperation) {
            operations = operations.min(1);
        }
        let mut hit = [false; 3];
        if !enabled && self.is(Sampling::CountsDisabled) {
            self.count = self.count.saturating_sub(operations.into());
        }
        if !enabled && self.is(Sampling::CountsDisabledToOne) && u32::from(operations) < self.count
        {
            self.count -= u32::from(operations);
        }
        // ECOUNT at the last load of COUNT, and the operations since.
        let (mut loaded, mut since) = (self.ecount, 0u32);
        if enabled {
            for place in 0..operations {
                let loads = self.count == 0;
                let selects = self.operation(byte, &mut done);
                (loaded, since) = match loads {
                    true => (self.ecount, 0),
                    false => (loaded, since + 1),
                };
                if !selects {
                    continue;
                }
                if done.selected == 0 {
                    done.first = place;
                }
                done.selected += 1;
                if self.in_flight + late < self.made.max {
                    self.in_flight += 1;
                    if self.is(Sampling::CollCleared) {
                        self.coll = [false; 3];
                    }
                } else {
                    done.collided += 1;
                    let (pmsee, ee) = (input.pmsee(), input.ee());
                    let el1 = self.is(Sampling::CollOfEl1) && pmsee == 2 && ee == 3;
                    let target = match el1 {
                        true => 0,
                        false => other_event_target(self.made.exc, pmsee, ee).index(),
                    };
                    self.coll[target] = true;
                    hit[target] = true;
                }
            }
        }
        if self.is(Sampling::CountWaitsForCycle) && self.rnd() && self.made.ernd && loaded != 0 {
            self.count = self.count.wrapping_add(since);
        }
        if self.is(Sampling::NoReloadOnCollision) && done.collided > 0 {
            self.count = 0;
        }
        let population = enabled || self.is(Sampling::PopulationDisabled);
        let removed = u32::from(input.filtered_out).min(completed);
        let kept = completed - removed;
        done.events = [
            if population { operations.into() } else { 0 },
            u16::from(done.selected - done.collided),
            if self.is(Sampling::FiltrateRemoved) {
                removed
            } else {
                kept
            } as u16,
            done.collided.into(),
        ];
        if self.is(Sampling::FeedCountsCollisions) {
            done.events[1] = done.selected.into();
        }
        match write {
            Some((SysReg::Pmsicr, data)) => {
                self.count = data as u32;
                let has_ecount = self.made.ernd != self.is(Sampling::ErndInverted);
                self.ecount = if has_ecount { (data >> 56) as u8 } else { 0 };
            }
            Some((SysReg::Pmsirr, data)) => {
                self.interval = (data >> 8) as u32 & 0xFF_FFFF;
                self.rnd = data & 1 == 1;
            }
            Some((SysReg::Pmbsr(x), data)) => {
                let x = usize::from(x) - 1;
                if !(self.is(Sampling::WriteLoses) && hit[x]) {
                    self.coll[x] = data >> 16 & 1 == 1;
                }
            }
            _ => {}
        }
        done
    }
}
