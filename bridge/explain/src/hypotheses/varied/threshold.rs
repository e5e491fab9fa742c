//! The threshold, edge and link datapath.

use pmu_model::pmu::event_type::EventType;

use crate::hypotheses::Mistake;
use crate::hypotheses::datapath::{Datapath, relation_of};

use super::Varied;

impl Varied {
    /// TH-20 to TH-28 for counter `n`, which is counting.
    pub(super) fn threshold(&mut self, n: usize, decoded: &EventType, v_b: u16, below: u16) -> u16 {
        let mistake = match self.fixed.mistake {
            Mistake::Datapath(mistake) => Some(mistake),
            _ => None,
        };
        let is = |other: Datapath| mistake == Some(other);
        let low = |value: u16, bits: u8| value & (u16::MAX >> (16 - bits));
        let mut predicate = relation_of(decoded.condition());
        let (mut left, mut right) = (i32::from(v_b), i32::from(decoded.th));
        match mistake {
            Some(Datapath::Condition(from, to)) if from == decoded.condition() => predicate = to,
            Some(Datapath::ThBits(bits)) => right = low(decoded.th, bits).into(),
            Some(Datapath::BaseBits(bits)) => left = low(v_b, bits).into(),
            Some(Datapath::BaseBitsOf(of, bits)) if of == decoded.condition() => {
                left = low(v_b, bits).into();
            }
            Some(Datapath::Signed) => left = (v_b as i16).into(),
            _ => {}
        }
        let c_t = predicate.holds(left, right);
        let c_p = self.state.c_p[n];
        let (tc, te, tlc) = decoded.used;
        if !is(Datapath::HeldWhenEdgeOff) || te {
            self.state.c_p[n] = c_t;
        }
        let counts_one = tc & 1 == 1;
        let (rising, falling) = (!c_p && c_t, c_p && !c_t);
        let c_e = match mistake {
            Some(Datapath::Level) => c_t,
            Some(Datapath::Falling) if counts_one => falling,
            Some(Datapath::RisingAsBoth) if counts_one => c_p != c_t,
            Some(Datapath::BothAsRising) if !counts_one => rising,
            Some(Datapath::BothAsFalling) if !counts_one => falling,
            _ if counts_one => rising,
            _ => c_p != c_t,
        };
        let off = (is(Datapath::OffWhenTcZero) && decoded.tc == 0)
            || (is(Datapath::ThIgnoredWhenTcZero) && decoded.used == (0, false, 0));
        if decoded.bypassed || off {
            return v_b;
        }
        let tlc = match (mistake, tlc) {
            (Some(Datapath::NoLink), _) => 0,
            (Some(Datapath::LinksSwapped), 1) => 2,
            (Some(Datapath::LinksSwapped), 2) => 1,
            (_, tlc) => tlc,
        };
        if is(Datapath::NoLink) && decoded.th == 0 && tc == 0 && !te {
            return v_b;
        }
        let v_t = match (tlc, c_t) {
            (0b00 | 0b01, true) => {
                if counts_one {
                    1
                } else {
                    v_b
                }
            }
            (0b10, true) | (0b01, false) => below,
            _ => 0,
        };
        let v = match (te, tlc, c_e) {
            (false, ..) => v_t,
            (true, 0b10, true) if is(Datapath::LinkedEdgeCountsOne) => 1,
            (true, 0b10, true) => below,
            (true, _, c_e) => c_e.into(),
        };
        match mistake {
            Some(Datapath::ResultBits(bits)) => low(v, bits),
            Some(Datapath::Saturates(bits)) => v.min(u16::MAX >> (16 - bits)),
            _ => v,
        }
    }

    pub(super) fn hold_or_clear(&mut self, n: usize) {
        let held = self.is(Datapath::HeldWhenEdgeOff) && !self.state.decoded[n].used.1;
        self.state.c_p[n] &= held;
    }
}
