//! Threshold, edge and link: from V_B to V of all event counters in one Processor cycle
//! (DDI0487 D13.8, requirements TH-09 to TH-29).
//!
//! Each rule is one function over all counters at once. A condition is a mask: all ones for TRUE.

use crate::contract::COUNTER_LANES;
use crate::implementation::{CpWhenNotCounting, CtWhenBypassed, Implementation, LinkFromIdle};

use super::event_type::{Condition, EventType};
use super::lane::{Lane, Lanes, lanes};

/// The threshold, edge and link controls of all counters, decoded into masks when they are written.
#[derive(Clone, Debug)]
struct Controls<L> {
    /// TH.
    th: Lanes<L>,
    /// The condition looks at V_B == TH.
    on_equal: Lanes<L>,
    /// The condition looks at V_B < TH.
    on_less: Lanes<L>,
    /// The condition is the opposite of what it looks at.
    inverted: Lanes<L>,
    /// TE.
    te: Lanes<L>,
    /// Both edges count: TC\[0\] == 0.
    both_edges: Lanes<L>,
    /// If the condition is TRUE, count V_B.
    true_base: Lanes<L>,
    /// If the condition is TRUE, count 1: the value 1, or 0.
    true_one: Lanes<L>,
    /// If the condition is TRUE, count V\[n-1\].
    true_link: Lanes<L>,
    /// If the condition is FALSE, count V\[n-1\].
    false_link: Lanes<L>,
    /// Count V_B, whatever the condition.
    bypassed: Lanes<L>,
}

/// The values of D13.8 for all counters in one cycle. Conditions are masks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values<L> {
    /// Counting is enabled and allowed.
    pub counting: Lanes<L>,
    /// V_B.
    pub v_b: Lanes<L>,
    /// C_T.
    pub c_t: Lanes<L>,
    /// C_P.
    pub c_p: Lanes<L>,
    /// C_E.
    pub c_e: Lanes<L>,
    /// V.
    pub v: Lanes<L>,
}

/// V_T and V_E, which V is chosen from (TH-27). Only explanations need them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intermediates<L> {
    /// V_T.
    pub v_t: Lanes<L>,
    /// V_E.
    pub v_e: Lanes<L>,
}

/// The threshold, edge and link datapath of all event counters.
#[derive(Clone, Debug)]
pub struct CountValue<L> {
    controls: Controls<L>,
    /// C_P as a mask: the only state (TH-28).
    c_p: Lanes<L>,
    /// C_P keeps its value in a cycle without counting (A-TH-3 HOLD).
    hold_idle: L,
    /// C_P keeps its value in a counting cycle that bypasses the datapath (A-TH-4 HOLD).
    hold_bypassed: L,
    /// A-TH-5 STALE.
    stale_link: bool,
}

impl<L: Lane> CountValue<L> {
    /// The datapath of `implementation` out of reset: all controls zero, C_P = 0 (A-TH-11).
    pub fn new(implementation: &Implementation) -> Self {
        let knobs = &implementation.knobs;
        let zero = [L::ZERO; COUNTER_LANES];
        Self {
            controls: Controls {
                th: zero,
                on_equal: zero,
                on_less: zero,
                inverted: zero,
                te: zero,
                both_edges: zero,
                true_base: zero,
                true_one: zero,
                true_link: zero,
                false_link: zero,
                bypassed: [L::TRUE; COUNTER_LANES],
            },
            c_p: zero,
            hold_idle: L::mask(knobs.cp_when_not_counting == CpWhenNotCounting::Hold),
            hold_bypassed: L::mask(knobs.ct_when_bypassed == CtWhenBypassed::Hold),
            stale_link: knobs.link_from_idle == LinkFromIdle::Stale,
        }
    }

    /// Takes a new `PMEVTYPER<n>_EL0`. C_P is not touched (DUT-24, A-TH-12).
    pub fn set_type(&mut self, n: usize, event_type: &EventType) {
        let (tc, te, tlc) = event_type.used;
        let condition = event_type.condition();
        let counts_one = tc & 1 == 1;
        let controls = &mut self.controls;
        controls.th[n] = L::from_th(event_type.th);
        // TH-20: NE and GE are the opposites of EQ and LT.
        controls.on_equal[n] = L::mask(matches!(condition, Condition::NotEqual | Condition::Equal));
        controls.on_less[n] = L::mask(matches!(
            condition,
            Condition::GreaterOrEqual | Condition::Less
        ));
        controls.inverted[n] = L::mask(matches!(
            condition,
            Condition::NotEqual | Condition::GreaterOrEqual
        ));
        controls.te[n] = L::mask(te);
        controls.both_edges[n] = L::mask(!counts_one);
        // Rows of Tables D13-5 to D13-8: (A), (C) count V_B; (B), (D), (F) count 1; (E), (G) count V[n-1].
        let links_if_true = tlc == 0b10;
        controls.true_link[n] = L::mask(links_if_true);
        controls.true_one[n] = if !links_if_true && (te || counts_one) {
            L::ONE
        } else {
            L::ZERO
        };
        controls.true_base[n] = L::mask(!links_if_true && !te && !counts_one);
        // (C), (D): V[n-1] if FALSE.
        controls.false_link[n] = L::mask(tlc == 0b01);
        controls.bypassed[n] = L::mask(event_type.bypassed);
    }

    /// The values of a cycle, from the base values before TH-09 and the mask of counting counters.
    #[inline(always)]
    pub fn evaluate(&self, base: &Lanes<L>, counting: u32) -> Values<L> {
        self.evaluate_in(base, L::expand(counting))
    }

    /// The same, with a mask a lane.
    #[inline(always)]
    pub fn evaluate_in(&self, base: &Lanes<L>, counting: Lanes<L>) -> Values<L> {
        let v_b = gate(base, &counting);
        let c_t = self.threshold_condition(&v_b, &counting);
        let c_e = self.edge_condition(&c_t, &counting);
        let condition = self.condition(&c_t, &c_e);
        let own = self.own_value(&v_b, &condition);
        let v = if self.stale_link {
            self.link_stale(&own, &condition, &counting)
        } else {
            self.link(&own, &condition, &counting)
        };
        Values {
            counting,
            v_b,
            c_t,
            c_p: self.c_p,
            c_e,
            v,
        }
    }

    /// Ends the cycle that had `values`: C_P takes C_T.
    #[inline(always)]
    pub fn commit(&mut self, values: &Values<L>) {
        // TH-28: C_P' = counting ? C_T : 0; TH-09 has made C_T zero where not counting.
        self.c_p = lanes(
            #[inline(always)]
            |n| {
                let counting = values.counting[n];
                let keep = (counting & self.hold_bypassed & self.controls.bypassed[n])
                    | (!counting & self.hold_idle);
                (values.c_t[n] & !keep) | (self.c_p[n] & keep)
            },
        );
    }

    /// A-TH-11: C_P is 0 out of reset.
    pub fn reset(&mut self) {
        self.c_p = [L::ZERO; COUNTER_LANES];
    }

    /// C_P of all counters, as masks.
    pub fn c_p(&self) -> &Lanes<L> {
        &self.c_p
    }

    /// TH-20, TH-21, TH-09: C_T.
    #[inline(always)]
    fn threshold_condition(&self, v_b: &Lanes<L>, counting: &Lanes<L>) -> Lanes<L> {
        let controls = &self.controls;
        lanes(
            #[inline(always)]
            |n| {
                let equal = L::mask(v_b[n] == controls.th[n]);
                let less = L::mask(v_b[n] < controls.th[n]);
                let looked_at = (equal & controls.on_equal[n]) | (less & controls.on_less[n]);
                (looked_at ^ controls.inverted[n]) & counting[n]
            },
        )
    }

    /// TH-22, TH-09: C_E.
    #[inline(always)]
    fn edge_condition(&self, c_t: &Lanes<L>, counting: &Lanes<L>) -> Lanes<L> {
        lanes(
            #[inline(always)]
            |n| {
                let either = self.c_p[n] ^ c_t[n];
                let rises = either & c_t[n];
                (rises | (either & self.controls.both_edges[n])) & counting[n]
            },
        )
    }

    /// The condition that decides what is counted: C_E with TE, else C_T (TH-27).
    #[inline(always)]
    fn condition(&self, c_t: &Lanes<L>, c_e: &Lanes<L>) -> Lanes<L> {
        let te = &self.controls.te;
        lanes(
            #[inline(always)]
            |n| (c_e[n] & te[n]) | (c_t[n] & !te[n]),
        )
    }

    /// TH-23, TH-25, TH-27: V but for what is linked from n-1. It is V of every even counter.
    #[inline(always)]
    fn own_value(&self, v_b: &Lanes<L>, condition: &Lanes<L>) -> Lanes<L> {
        let controls = &self.controls;
        lanes(
            #[inline(always)]
            |n| {
                let counted =
                    condition[n] & ((v_b[n] & controls.true_base[n]) | controls.true_one[n]);
                let bypassed = controls.bypassed[n];
                (v_b[n] & bypassed) | (counted & !bypassed)
            },
        )
    }

    /// The mask of counters that count V\[n-1\] in this cycle: rows (C), (D), (E), (G).
    #[inline(always)]
    fn linking(&self, n: usize, condition: &Lanes<L>, counting: &Lanes<L>) -> L {
        let controls = &self.controls;
        let linking =
            (condition[n] & controls.true_link[n]) | (!condition[n] & controls.false_link[n]);
        linking & counting[n] & !controls.bypassed[n]
    }

    /// TH-24, TH-26 with TH-10, TH-11: V of all counters. V\[n-1\] of an odd n is final before it is linked.
    #[inline(always)]
    fn link(&self, own: &Lanes<L>, condition: &Lanes<L>, counting: &Lanes<L>) -> Lanes<L> {
        let below = L::below(own);
        lanes(
            #[inline(always)]
            |n| own[n] | (below[n] & self.linking(n, condition, counting)),
        )
    }

    /// A-TH-5 STALE: the pseudocode's variable holds V of the last counter that was counting, which an even
    /// counter that is not counting does not clear.
    fn link_stale(&self, own: &Lanes<L>, condition: &Lanes<L>, counting: &Lanes<L>) -> Lanes<L> {
        let mut v = *own;
        let mut last = L::ZERO;
        for n in 0..COUNTER_LANES {
            if counting[n] == L::ZERO {
                continue;
            }
            if n % 2 == 1 {
                v[n] = own[n] | (last & self.linking(n, condition, counting));
            }
            last = v[n];
        }
        v
    }

    /// V_T and V_E of a cycle, for explanations.
    pub fn intermediates(&self, values: &Values<L>) -> Intermediates<L> {
        let controls = &self.controls;
        let below = |n: usize| if n == 0 { L::ZERO } else { values.v[n - 1] };
        let pick = |n: usize, condition: L, counted: L| {
            let linked =
                (condition & controls.true_link[n]) | (!condition & controls.false_link[n]);
            ((condition & counted) | (below(n) & linked)) & values.counting[n]
        };
        Intermediates {
            // TH-23, TH-24: as if TE were 0.
            v_t: lanes(
                #[inline(always)]
                |n| {
                    let base = controls.both_edges[n] & !controls.true_link[n];
                    let one = !controls.both_edges[n] & !controls.true_link[n] & L::ONE;
                    pick(n, values.c_t[n], (values.v_b[n] & base) | one)
                },
            ),
            // TH-25, TH-26: as if TE were 1.
            v_e: lanes(
                #[inline(always)]
                |n| pick(n, values.c_e[n], !controls.true_link[n] & L::ONE),
            ),
        }
    }
}

/// TH-09: V_B is zero where not counting.
#[inline(always)]
fn gate<L: Lane>(base: &Lanes<L>, counting: &Lanes<L>) -> Lanes<L> {
    lanes(
        #[inline(always)]
        |n| base[n] & counting[n],
    )
}
