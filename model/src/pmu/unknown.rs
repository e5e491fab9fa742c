//! What the architecture leaves UNKNOWN after a counter was in a reserved configuration (TH-34, TH-35): its
//! increments, hence its value and its overflow flag, hence what is linked or chained to it.

use crate::implementation::LinkFromIdle;

/// Counters with UNKNOWN state, as masks.
#[derive(Clone, Debug)]
pub struct UnknownState {
    /// A-TH-5 STALE.
    stale_link: bool,
    /// Counter values.
    count: u32,
    /// Overflow flags.
    overflow: u32,
    /// C_P.
    c_p: u32,
}

/// What a cycle does, as masks of counters.
#[derive(Clone, Copy, Debug)]
pub struct CycleMasks {
    /// Counting.
    pub counting: u32,
    /// In a reserved configuration.
    pub reserved: u32,
    /// With an Effective TE of 1.
    pub edge: u32,
    /// With an Effective TLC other than 00.
    pub linked: u32,
    /// Counting CHAIN.
    pub chain: u32,
    /// Whose value is written in this cycle.
    pub written: u32,
    /// That overflow in this cycle, as far as is known.
    pub overflows: u32,
    /// Whose C_P keeps its value in this cycle (A-TH-3, A-TH-4).
    pub c_p_holds: u32,
    /// Overflow flags that are set.
    pub flags: u32,
}

impl UnknownState {
    /// Nothing is UNKNOWN.
    pub fn new(link_from_idle: LinkFromIdle) -> Self {
        Self {
            stale_link: link_from_idle == LinkFromIdle::Stale,
            count: 0,
            overflow: 0,
            c_p: 0,
        }
    }

    /// Whether a cycle with counters in `reserved` leaves everything known.
    #[inline(always)]
    pub fn is_clear(&self, reserved: u32) -> bool {
        (self.count | self.overflow | self.c_p | reserved) == 0
    }

    /// Ends a cycle.
    ///
    /// # Returns
    /// The counters whose increment is UNKNOWN in it.
    pub fn step(&mut self, cycle: CycleMasks) -> u32 {
        let CycleMasks {
            counting,
            reserved,
            edge,
            linked,
            chain,
            ..
        } = cycle;
        // An overflow of n-1 is UNKNOWN if its value or its increment is; then V_B of CHAIN is, and C_T.
        let own = counting & (reserved | (self.c_p & edge));
        let overflow_below = (self.count | own) & counting & !cycle.written;
        let base = counting & chain & (overflow_below << 1);
        let increments = match self.stale_link {
            true => stale_linked(own | base, linked, counting),
            false => own | base | (counting & linked & ((own | base) << 1)),
        };
        // The flag stays UNKNOWN until it is written; one that is set anyway is known to be set.
        let set_already = cycle.flags & !self.overflow;
        let may_overflow = (increments | (self.count & counting)) & !cycle.written & !set_already;
        self.overflow =
            (self.overflow | may_overflow) & !cycle.overflows | (may_overflow & cycle.overflows);
        self.count = (self.count | increments) & !cycle.written;
        let held = self.c_p & cycle.c_p_holds;
        self.c_p = (counting & (reserved | base) & !cycle.c_p_holds) | held;
        increments
    }

    /// Overflow flags that a register write makes known.
    pub fn flags_written(&mut self, flags: u32) {
        self.overflow &= !flags;
    }

    /// Everything is known.
    pub fn reset(&mut self) {
        (self.count, self.overflow, self.c_p) = (0, 0, 0);
    }

    /// Counters with UNKNOWN values.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// UNKNOWN overflow flags.
    pub fn overflow(&self) -> u32 {
        self.overflow
    }
}

/// A-TH-5 STALE: counters that are UNKNOWN by themselves, in `own`, and those that link the V of one, which is that of
/// the last counter before them that is counting.
#[cold]
fn stale_linked(own: u32, linked: u32, counting: u32) -> u32 {
    let (mut all, mut last) = (own, 0);
    for n in 0..u32::BITS {
        let of = |mask: u32| mask >> n & 1;
        if of(counting) == 1 {
            all |= (last & of(linked) & (n % 2)) << n;
            last = all >> n & 1;
        }
    }
    all
}
