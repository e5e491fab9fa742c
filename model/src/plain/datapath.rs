//! Threshold, edge and link (TH-20 to TH-28).

use crate::implementation::Rhbwbb;
use crate::pmu::event_type::{EventType, TC, TE, TH, TLC};

use super::mutant::Relation;
use super::operators::Operators;
use super::registers::placed;
use super::site::Site;
use super::{Plain, state};

/// What V and V_T can be: the numbers of [`Site::Result`].
const ZERO: usize = 0;
const ONE: usize = 1;
const BASE: usize = 2;
const BELOW: usize = 3;
const TWO: usize = 5;
/// How many of them there are; number 4 is the V_B of the counter below.
const RESULTS: usize = 6;

/// What an edge is: the numbers of [`Site::Edge`].
const RISING: usize = 0;
const BOTH: usize = 2;
/// How many of them there are.
const EDGES: usize = 6;

/// V and V_B of counter n - 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Below {
    pub(super) v: u64,
    pub(super) v_b: u64,
    /// The counter is not counting.
    pub(super) stopped: bool,
}

impl Plain {
    /// The type of counter `n`, decoded.
    pub(super) fn decode<O: Operators>(&mut self, operators: &mut O, n: usize) -> EventType {
        let copy = state::COPIES + 31 * state::OF_DATAPATH + n;
        let mut value = self.state.get(copy) & self.fixed.present[n];
        for (at, field) in [TC, TE, TLC, TH].into_iter().enumerate() {
            let taken = placed(operators, (Site::FieldPlace, at), value, field.mask());
            value = value & !field.mask() | taken;
        }
        if self.decoded[n].0 != value {
            self.decoded[n] = (value, self.fixed.decoder.decode(n as u8, value));
        }
        self.decoded[n].1
    }

    /// V of counter `n`, which is counting, and its C_T.
    pub(super) fn threshold<O: Operators>(
        &mut self,
        operators: &mut O,
        n: usize,
        (decoded, v_b, below): (&EventType, u64, Below),
    ) -> (u64, bool) {
        let (tc, te, tlc) = decoded.used;
        let tc = operators.word(Site::Tc, n, tc.into());
        let te = operators.bit(Site::Te, n, te);
        let tlc = operators.word(Site::Tlc, n, tlc.into());
        let th = operators.word(Site::Th, n, decoded.th.into());
        let condition = (tc >> 1) as usize;
        let relation = [Relation::Ne, Relation::Eq, Relation::Ge, Relation::Lt][condition];
        let c_t = operators.compare(Site::Condition, condition, relation, (v_b, th));
        let c_t = operators.see(Site::ComparedBase, condition, c_t.into(), &|mutation| {
            relation.holds(mutation.of_word(v_b, 16), th).into()
        });
        let c_t = operators.see(Site::ComparedTh, condition, c_t, &|mutation| {
            relation.holds(v_b, mutation.of_word(th, 12)).into()
        }) == 1;
        let one = operators.bit(Site::CountsOne, n, tc & 1 == 1);
        let of_result = |operators: &mut O, result: usize| match result {
            ZERO => 0,
            ONE => operators.word(Site::OneOfThreshold, 0, 1),
            BASE => v_b,
            TWO => 2,
            BELOW => match below.stopped && operators.bit(Site::LinkedFromStopped, n, false) {
                true => below.v_b,
                false => operators.word(Site::Linked, n, below.v),
            },
            _ => below.v_b,
        };
        if self.is_bypassed(operators, n, decoded) {
            let result = operators.index(Site::Result, 14, BASE, RESULTS);
            let v = of_result(operators, result);
            return (operators.word(Site::V, n, v), c_t);
        }
        // The row of the table, and what counts in it with C_T or C_E, and without.
        let (row, with, without) = match (te, tlc, one) {
            (false, 0, false) => (0, BASE, ZERO),
            (false, 0, true) => (1, ONE, ZERO),
            (false, 1, false) => (2, BASE, BELOW),
            (false, 1, true) => (3, ONE, BELOW),
            (false, ..) => (4, BELOW, ZERO),
            (true, 0 | 1, _) => (5, ONE, ZERO),
            (true, ..) => (6, BELOW, ZERO),
        };
        let counts = match te {
            false => c_t,
            true => self.edge(operators, n, (one, c_t)),
        };
        let result = match counts {
            true => operators.index(Site::Result, 2 * row, with, RESULTS),
            false => operators.index(Site::Result, 2 * row + 1, without, RESULTS),
        };
        let v = of_result(operators, result);
        (operators.word(Site::V, n, v), c_t)
    }

    /// C_E (TH-23, TH-24).
    fn edge<O: Operators>(
        &mut self,
        operators: &mut O,
        n: usize,
        (one, c_t): (bool, bool),
    ) -> bool {
        let c_p = self.state.get(state::PREVIOUS) >> n & 1 == 1;
        let c_p = operators.bit(Site::Previous, n, c_p);
        let edge = if one { RISING } else { BOTH };
        match operators.index(Site::Edge, usize::from(!one), edge, EDGES) {
            RISING => !c_p && c_t,
            1 => c_p && !c_t,
            BOTH => c_p != c_t,
            3 => c_t,
            4 => !c_t,
            _ => c_p,
        }
    }

    /// TH-27, TH-30 to TH-36: whether V is V_B.
    fn is_bypassed<O: Operators>(
        &mut self,
        operators: &mut O,
        n: usize,
        decoded: &EventType,
    ) -> bool {
        if operators.bit(Site::Reserved, n, decoded.reserved) {
            return decoded.bypassed || !decoded.reserved;
        }
        // A-TH-1.
        let linked = self.fixed.implementation.knobs.rhbwbb == Rhbwbb::LinkAware;
        let terms = [
            decoded.tc == 0,
            decoded.th == 0,
            !decoded.te,
            decoded.tlc == 0 || !linked,
        ];
        let all = terms.into_iter().all(|term| term);
        let sites = [
            Site::BypassTc,
            Site::BypassTh,
            Site::BypassTe,
            Site::BypassTlc,
        ];
        let mut bypassed = all;
        for (dropped, site) in sites.into_iter().enumerate() {
            bypassed = operators.see(site, n, bypassed.into(), &|mutation| {
                let with = |(k, term): (usize, bool)| match k == dropped {
                    true => mutation.of_bit(term),
                    false => term,
                };
                terms.into_iter().enumerate().all(with).into()
            }) == 1;
        }
        operators.bit(Site::Bypassed, n, bypassed)
    }
}
