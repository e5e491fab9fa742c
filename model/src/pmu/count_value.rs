//! Threshold, edge and link: from V_B to V of all event counters in one Processor cycle
//! (DDI0487 D13.8, requirements TH-09 to TH-29).
//!
//! Each rule is one function of a counter, without branches, so that the loop over all counters becomes vector
//! instructions. A condition is a mask: all ones for TRUE.

use crate::contract::COUNTER_LANES;
use crate::implementation::{CpWhenNotCounting, CtWhenBypassed, Implementation, LinkFromIdle};

use super::event_type::{Condition, EventType};
use super::lane::{Lane, Lanes, lanes};

/// The threshold, edge and link controls of all counters, decoded into masks when they are written.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
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

/// How many controls a counter has.
pub const CONTROLS: usize = 11;

macro_rules! controls {
    ($($name:ident)+) => {
        impl<L> Controls<L> {
            fn all(&self) -> [&Lanes<L>; CONTROLS] {
                [$(&self.$name),+]
            }

            fn all_mut(&mut self) -> [&mut Lanes<L>; CONTROLS] {
                [$(&mut self.$name),+]
            }
        }
    };
}

controls!(th on_equal on_less inverted te both_edges true_base true_one true_link false_link bypassed);

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
#[repr(C, align(64))]
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

    /// Takes a new `PMEVTYPER<n>_EL0`, if there can be a counter `n`. C_P is not touched (DUT-24, A-TH-12).
    pub fn set_type(&mut self, n: usize, event_type: &EventType) {
        if n >= COUNTER_LANES {
            return;
        }
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
        self.evaluate_with(base, L::expand(counting), link)
    }

    /// The same, with a mask a lane, and another way to do what [`link`] does.
    #[inline(always)]
    pub fn evaluate_with(
        &self,
        base: &Lanes<L>,
        counting: Lanes<L>,
        link: impl Fn(&Lanes<L>, &Lanes<L>) -> Lanes<L>,
    ) -> Values<L> {
        let zero = [L::ZERO; COUNTER_LANES];
        let (mut v_b, mut c_t, mut c_e) = (zero, zero, zero);
        let (mut own, mut linking) = (zero, zero);
        // One loop over all rules, so that what is between them stays in registers.
        for n in 0..COUNTER_LANES {
            // TH-09: V_B is zero where not counting.
            v_b[n] = base[n] & counting[n];
            c_t[n] = self.threshold_condition(n, v_b[n], counting[n]);
            c_e[n] = self.edge_condition(n, c_t[n], counting[n]);
            let condition = self.condition(n, c_t[n], c_e[n]);
            own[n] = self.own_value(n, v_b[n], condition);
            linking[n] = self.linking(n, condition, counting[n]);
        }
        let mut v = link(&own, &linking);
        if self.stale_link {
            let linked = stale_linked(own, linking, counting);
            v = lanes(
                #[inline(always)]
                |n| own[n] | linked[n],
            );
        }
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

    /// The datapath in another state: C_P of all counters, as masks.
    pub fn set_c_p(&mut self, c_p: Lanes<L>) {
        self.c_p = c_p;
    }

    /// The controls of counter `n`: TH, and what else [`set_type`](Self::set_type) makes of a type.
    pub fn controls(&self, n: usize) -> [L; CONTROLS] {
        self.controls.all().map(|control| control[n])
    }

    /// Takes controls of counter `n`, which a table of [`controls`](Self::controls) may have them from.
    pub fn set_controls(&mut self, n: usize, values: [L; CONTROLS]) {
        for (control, value) in self.controls.all_mut().into_iter().zip(values) {
            control[n] = value;
        }
    }

    /// TH-20, TH-21, TH-09: C_T.
    #[inline(always)]
    fn threshold_condition(&self, n: usize, v_b: L, counting: L) -> L {
        let controls = &self.controls;
        let equal = v_b.equal(controls.th[n]);
        let less = v_b.less(controls.th[n]);
        let looked_at = (equal & controls.on_equal[n]) | (less & controls.on_less[n]);
        (looked_at ^ controls.inverted[n]) & counting
    }

    /// TH-22, TH-09: C_E.
    #[inline(always)]
    fn edge_condition(&self, n: usize, c_t: L, counting: L) -> L {
        let either = self.c_p[n] ^ c_t;
        let rises = either & c_t;
        (rises | (either & self.controls.both_edges[n])) & counting
    }

    /// The condition that decides what is counted: C_E with TE, else C_T (TH-27).
    #[inline(always)]
    fn condition(&self, n: usize, c_t: L, c_e: L) -> L {
        let te = self.controls.te[n];
        (c_e & te) | (c_t & !te)
    }

    /// TH-23, TH-25, TH-27: V but for what is linked from n-1. It is V of every even counter.
    #[inline(always)]
    fn own_value(&self, n: usize, v_b: L, condition: L) -> L {
        let controls = &self.controls;
        let counted = condition & ((v_b & controls.true_base[n]) | controls.true_one[n]);
        let bypassed = controls.bypassed[n];
        (v_b & bypassed) | (counted & !bypassed)
    }

    /// Whether counter `n` counts V\[n-1\] in this cycle, as a mask: rows (C), (D), (E), (G).
    #[inline(always)]
    fn linking(&self, n: usize, condition: L, counting: L) -> L {
        let controls = &self.controls;
        let linking = (condition & controls.true_link[n]) | (!condition & controls.false_link[n]);
        linking & counting & !controls.bypassed[n]
    }

    /// V_T and V_E of a cycle, for explanations.
    pub fn intermediates(&self, values: &Values<L>) -> Intermediates<L> {
        let controls = &self.controls;
        let offered = match self.stale_link {
            true => last_counting(&values.v, &values.counting),
            false => L::below(&values.v),
        };
        let pick = |n: usize, condition: L, counted: L| {
            let linked =
                (condition & controls.true_link[n]) | (!condition & controls.false_link[n]);
            ((condition & counted) | (offered[n] & linked)) & values.counting[n]
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

/// TH-24, TH-26 with TH-10, TH-11: V of all counters, of which those in `linking` count V\[n-1\]. V\[n-1\] of an odd
/// n is final before it is linked.
#[inline(always)]
pub fn link<L: Lane>(own: &Lanes<L>, linking: &Lanes<L>) -> Lanes<L> {
    let below = L::below(own);
    lanes(
        #[inline(always)]
        |n| own[n] | (below[n] & linking[n]),
    )
}

/// A-TH-5 STALE: what is linked, to be put together with what each counter counts of its own. The pseudocode's variable
/// holds V of the last counter that was counting, which an even counter that is not counting does not clear.
#[cold]
fn stale_linked<L: Lane>(own: Lanes<L>, linking: Lanes<L>, counting: Lanes<L>) -> Lanes<L> {
    let mut linked = [L::ZERO; COUNTER_LANES];
    let mut last = L::ZERO;
    for n in 0..COUNTER_LANES {
        if n % 2 == 1 {
            linked[n] = last & linking[n];
        }
        last = ((own[n] | linked[n]) & counting[n]) | (last & !counting[n]);
    }
    linked
}

/// A-TH-5 STALE: the V that each counter finds in the pseudocode's variable.
fn last_counting<L: Lane>(v: &Lanes<L>, counting: &Lanes<L>) -> Lanes<L> {
    let mut last = L::ZERO;
    let mut found = [L::ZERO; COUNTER_LANES];
    for n in 0..COUNTER_LANES {
        found[n] = last;
        last = (v[n] & counting[n]) | (last & !counting[n]);
    }
    found
}
