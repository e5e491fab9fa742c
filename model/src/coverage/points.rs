//! Points of crosses whose meaning is a number or a relation: what a cycle must have to take one, and its name.

use std::fmt;

use crate::pmu::event_type::Condition;
use crate::pmu::sample_events::SAMPLE_EVENTS;

/// What a cycle has that takes a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// A counter counts with this configuration, and these values.
    Threshold(Threshold),
    /// A counter with this number counts while an event happens.
    EventNumber(u16, Happening),
    /// A counter goes up from a value.
    Value(Counting, u64),
    /// A counter goes up to a boundary.
    Overflow(Overflow),
    /// A counter counts with this TH.
    Th(u16),
    /// A counter counts with this relation of V_B and TH.
    BaseValue(Condition, Relation),
    /// What Statistical Profiling has.
    Sampling(Sampled),
    /// What happens to the sample interval counters.
    Boundary(Mode, Boundary),
    /// Another: its name says what.
    Other,
}

/// A combination of the cross `threshold`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    /// Effective TC.
    pub tc: u8,
    /// Effective TE.
    pub te: bool,
    /// Effective TLC.
    pub tlc: u8,
    /// The counter has an odd number.
    pub odd: bool,
    /// C_T.
    pub c_t: bool,
    /// C_P.
    pub c_p: bool,
    /// V_B.
    pub v_b: Class,
}

/// The class of a V_B.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It is 0.
    Zero,
    /// It is below TH.
    Below,
    /// It is TH.
    Equal,
    /// It is above TH.
    Above,
    /// It is beyond what TH can be.
    Beyond,
}

impl Class {
    /// All of them, by number.
    pub const ALL: [Self; 5] = [
        Self::Zero,
        Self::Below,
        Self::Equal,
        Self::Above,
        Self::Beyond,
    ];

    /// That of `v_b`.
    #[inline]
    pub fn of(v_b: u16, th: u16, thwidth: u8) -> Self {
        match v_b {
            0 => Self::Zero,
            _ if v_b >> thwidth != 0 && thwidth > 0 => Self::Beyond,
            _ if v_b < th => Self::Below,
            _ if v_b == th => Self::Equal,
            _ => Self::Above,
        }
    }
}

impl Threshold {
    /// How many combinations there are.
    pub const COMBINATIONS: usize = 128 * 4 * Class::ALL.len();

    /// The combination with this number.
    pub fn of(number: usize) -> Self {
        let (class, rest) = (number % Class::ALL.len(), number / Class::ALL.len());
        let bit = |bit: usize| rest >> bit & 1 == 1;
        Self {
            v_b: Class::ALL[class],
            c_p: bit(0),
            c_t: bit(1),
            odd: bit(2),
            tlc: (rest >> 3 & 3) as u8,
            te: bit(5),
            tc: (rest >> 6 & 7) as u8,
        }
    }

    /// Its number.
    #[inline]
    pub fn number(&self) -> usize {
        let config = (usize::from(self.tc) << 1 | usize::from(self.te)) << 2;
        let config = (config | usize::from(self.tlc)) << 1 | usize::from(self.odd);
        let values = (config << 1 | usize::from(self.c_t)) << 1 | usize::from(self.c_p);
        values * Class::ALL.len() + self.v_b as usize
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 5] = ["V_B=0", "V_B<TH", "V_B=TH", "V_B>TH", "V_B>=2^THWIDTH"];
        let parity = ["even", "odd"][usize::from(self.odd)];
        let [te, c_t, c_p] = [self.te, self.c_t, self.c_p].map(u8::from);
        let (tc, tlc, class) = (self.tc, self.tlc, NAMES[self.v_b as usize]);
        write!(
            f,
            "TC={tc:03b} TE={te} TLC={tlc:02b} {parity} C_T={c_t} C_P={c_p} {class}"
        )
    }
}

/// What makes an event happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// An overflow of the counter below that CHAIN counts.
    Chain,
    /// The event of Statistical Profiling at this place of [`SAMPLE_EVENTS`].
    Sample(usize),
    /// An event of the threads, with an Effective MT of 0.
    Thread(u16),
    /// A lane that is not zero.
    Lane(u16),
}

/// What counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// An event counter.
    Event,
    /// PMCCNTR_EL0.
    Cycles,
}

impl Counting {
    /// By number.
    pub const ALL: [Self; 2] = [Self::Event, Self::Cycles];
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Event => "an event counter",
            Self::Cycles => "PMCCNTR_EL0",
        })
    }
}

/// A counter that comes near 2^W.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow {
    /// What counts.
    pub of: Counting,
    /// W.
    pub boundary: u32,
    /// How far beyond 2^W - 1 it comes: 0 to 2.
    pub beyond: u8,
    /// PMCR_EL0.LP.
    pub long: bool,
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (of, w, long) = (self.of, self.boundary, u8::from(self.long));
        let relation = [" - 1", "", " + 1"][usize::from(self.beyond)];
        write!(f, "{of} to 2^{w}{relation}, LP = {long}")
    }
}

/// How V_B differs from TH, if little.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Not at all.
    Equal,
    /// It is one more.
    More,
    /// It is one less.
    Less,
    /// In one bit, which is not bit 0: that tells neighbours.
    Bit(u32),
}

impl Relation {
    /// How many there are.
    pub const COUNT: usize = 3 + 15;

    /// That of two values.
    #[inline]
    pub fn of(v_b: u16, th: u16) -> Option<Self> {
        let differ = v_b ^ th;
        if differ.is_power_of_two() && differ > 1 {
            return Some(Self::Bit(differ.trailing_zeros()));
        }
        match v_b.wrapping_sub(th) {
            0 => Some(Self::Equal),
            1 => Some(Self::More),
            u16::MAX => Some(Self::Less),
            _ => None,
        }
    }

    /// By number.
    pub fn numbered(number: usize) -> Self {
        match number {
            0 => Self::Equal,
            1 => Self::More,
            2 => Self::Less,
            bit => Self::Bit(bit as u32 - 2),
        }
    }

    /// Its number.
    #[inline]
    pub fn number(self) -> usize {
        match self {
            Self::Equal => 0,
            Self::More => 1,
            Self::Less => 2,
            Self::Bit(bit) => 2 + bit as usize,
        }
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equal => f.write_str("equal"),
            Self::More => f.write_str("V_B = TH + 1"),
            Self::Less => f.write_str("V_B = TH - 1"),
            Self::Bit(bit) => write!(f, "differing in bit {bit}"),
        }
    }
}

/// What Statistical Profiling has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampled {
    /// This INTERVAL is loaded.
    Interval(u64),
    /// An operation at this COUNT.
    Count(u64),
    /// An operation at this ECOUNT.
    Secondary(u64),
    /// So many operations.
    Operations(u8),
    /// So many samples complete.
    Complete(u8),
    /// So many of them are filtered out.
    FilteredOut(u8),
    /// An operation is selected with so many samples in flight.
    InFlight(u64),
    /// One fewer than in flight complete, as many, or one more.
    CompleteOf(u8),
    /// A collision with these PMSEE and EE.
    Collision(u8, u8),
}

impl fmt::Display for Sampled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Interval(interval) => write!(f, "INTERVAL = {interval:#08x} loaded"),
            Self::Count(count) => write!(f, "an operation at COUNT = {count:#010x}"),
            Self::Secondary(count) => write!(f, "an operation at ECOUNT = {count:#04x}"),
            Self::Operations(count) => write!(f, "{count} operations"),
            Self::Complete(count) => write!(f, "{count} samples complete"),
            Self::FilteredOut(count) => write!(f, "{count} of them filtered out"),
            Self::InFlight(count) => write!(f, "a selection with {count} samples in flight"),
            Self::CompleteOf(relation) => {
                let words = ["one fewer than", "as many as", "one more than"];
                write!(f, "{} in flight complete", words[usize::from(relation)])
            }
            Self::Collision(pmsee, ee) => {
                write!(f, "a collision with PMSEE = {pmsee:02b}, EE = {ee:02b}")
            }
        }
    }
}

/// How intervals are made random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// PMSIRR_EL1.RND.
    pub random: bool,
    /// FEAT_SPE_ERnd is implemented.
    pub ernd: bool,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match (self.random, self.ernd) {
            (false, _) => "RND=0",
            (true, false) => "RND, no ERnd",
            (true, true) => "RND, ERnd",
        })
    }
}

/// What can happen to the sample interval counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// COUNT is loaded as profiling becomes enabled.
    LoadAtEnable,
    /// Profiling becomes enabled while COUNT or ECOUNT is not zero.
    Restart,
    /// COUNT comes to zero.
    CountToZero,
    /// COUNT is loaded anew.
    Reload,
    /// The byte that is drawn is zero.
    DrawZero,
    /// It is not.
    DrawNonzero,
    /// ECOUNT comes to zero.
    SecondaryToZero,
    /// A collision.
    Collision,
    /// There are operations while profiling is disabled.
    Hold,
    /// Of several operations one is a boundary.
    Several,
}

impl Boundary {
    /// By number.
    pub const ALL: [Self; 10] = [
        Self::LoadAtEnable,
        Self::Restart,
        Self::CountToZero,
        Self::Reload,
        Self::DrawZero,
        Self::DrawNonzero,
        Self::SecondaryToZero,
        Self::Collision,
        Self::Hold,
        Self::Several,
    ];
}

impl fmt::Display for Boundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LoadAtEnable => "load at enable",
            Self::Restart => "restart from nonzero",
            Self::CountToZero => "COUNT 1->0",
            Self::Reload => "reload",
            Self::DrawZero => "draw zero",
            Self::DrawNonzero => "draw nonzero",
            Self::SecondaryToZero => "ECOUNT 1->0",
            Self::Collision => "collision",
            Self::Hold => "hold while disabled",
            Self::Several => "several operations over a boundary",
        })
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Threshold(point) => point.fmt(f),
            Self::EventNumber(number, of) => match of {
                Happening::Lane(lane) => write!(f, "{number:#06x}, with lane {lane:#06x} not 0"),
                Happening::Chain => write!(f, "{number:#06x}, with an overflow that is CHAIN's"),
                Happening::Sample(of) => {
                    let event = SAMPLE_EVENTS[*of];
                    write!(f, "{number:#06x}, where {event:#06x} happens")
                }
                Happening::Thread(event) => {
                    write!(f, "{number:#06x}, where {event:#06x} happens")
                }
            },
            Self::Value(of, value) => write!(f, "{of}, up from {value:#018x}"),
            Self::Overflow(point) => point.fmt(f),
            Self::Th(th) => write!(f, "TH = {th:#05x}"),
            Self::BaseValue(condition, relation) => {
                let condition = match condition {
                    Condition::NotEqual => "V_B != TH",
                    Condition::Equal => "V_B == TH",
                    Condition::GreaterOrEqual => "V_B >= TH",
                    Condition::Less => "V_B < TH",
                };
                write!(f, "{condition}, {relation}")
            }
            Self::Sampling(point) => point.fmt(f),
            Self::Boundary(mode, boundary) => write!(f, "{mode}: {boundary}"),
            Self::Other => Ok(()),
        }
    }
}
