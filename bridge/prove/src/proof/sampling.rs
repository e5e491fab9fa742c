//! Statistical Profiling.

use crate::circuit::{Circuit, Lit};
use crate::cycle::{At, Cycle};
use crate::sampling::{COLL, Facts};
use crate::symbol::circuit;

use super::{Difference, Prover};

/// What the events of Statistical Profiling are called, in the order of their numbers.
pub const SAMPLES: [&str; 4] = [
    "SAMPLE_POP",
    "SAMPLE_FEED",
    "SAMPLE_FILTRATE",
    "SAMPLE_COLLISION",
];

impl Prover<'_> {
    /// What the design shows, counts and holds of Statistical Profiling.
    pub(super) fn of_sampling(&self, cycle: &mut Cycle) -> Vec<Difference> {
        let shown = [
            "pmsicr",
            "in_flight",
            "selected",
            "first_selected",
            "collided",
            "coll",
            "random_drawn",
            "random_byte",
        ];
        let [
            pmsicr,
            in_flight,
            selected,
            first,
            collided,
            coll,
            drawn,
            byte,
        ] = shown.map(|field| cycle.shown(field));
        let Some(signals) = &self.signals.sampling else {
            // DUT-51: there is nothing of it.
            let all = [
                pmsicr, in_flight, selected, first, collided, coll, drawn, byte,
            ];
            let differs = circuit(|circuit| circuit.any(all.concat()));
            let words = "what there is without Statistical Profiling";
            return vec![Difference::of_all(words, &["DUT-51"], differs)];
        };
        let before = cycle.sampling(signals, At::Start);
        let found = cycle.sampling(signals, At::End);
        let events = cycle.samples();
        let reached = cycle.reached(&self.contract.accesses);
        let (reset, held) = (cycle.reset(), circuit(|circuit| cycle.held(circuit)));
        let facts = Facts {
            implementation: self.implementation,
            input: &cycle.input,
            reset,
            held,
            before: &before,
        };
        circuit(|circuit| {
            let counted = facts.operations(circuit, &byte);
            let taken = facts.samples(circuit, &selected);
            let after = facts.after(circuit, &reached, &counted, &taken);
            // DUT-62: what the interval decides is not known where a load was of zero.
            let known = !counted.loads_zero;
            let mut all = Vec::new();
            let mut of = |circuit: &mut Circuit,
                          where_: Lit,
                          words: &str,
                          rules: &'static [&'static str],
                          expected: &[Lit],
                          found: &[Lit]| {
                let differs = circuit.differ(expected, found);
                let any = circuit.any(expected.iter().copied());
                let found = Difference::of_all(words, rules, differs);
                all.push(found.looked_at([where_]).may_be([any]));
            };
            let load: &[_] = &["SPE-10", "SPE-12", "SPE-20", "SPE-21", "SPE-26", "DUT-60"];
            of(circuit, known, "COUNT", load, &after.count, &found.count);
            if self.implementation.spe.ernd {
                let rules = &["SPE-01", "SPE-22", "SPE-23", "DUT-60"];
                of(
                    circuit,
                    known,
                    "ECOUNT",
                    rules,
                    &after.ecount,
                    &found.ecount,
                );
            }
            let rules = &["SPE-21", "SPE-22", "SPE-23", "SPE-28", "SPE-32"];
            of(
                circuit,
                known,
                "operations selected",
                rules,
                &counted.selected,
                &selected,
            );
            of(
                circuit,
                known,
                "the first operation selected",
                rules,
                &counted.first,
                &first,
            );
            let rules = &["SPE-12", "SPE-22", "SPE-30", "SPE-31", "DUT-61"];
            of(circuit, known, "bytes drawn", rules, &counted.drawn, &drawn);
            let rules = &["SPE-40", "SPE-41", "SPE-44", "SPE-47", "DUT-60", "DUT-63"];
            of(
                circuit,
                known,
                "samples in flight",
                rules,
                &after.in_flight,
                &found.in_flight,
            );
            of(
                circuit,
                known,
                "collisions",
                rules,
                &taken.collided,
                &collided,
            );
            // Nothing reads more of them than a counter takes, and Yosys removes it.
            let width = usize::from(self.implementation.pmu.event_width).min(8);
            let events: Vec<_> = events.iter().flatten().collect();
            let events: Vec<_> = SAMPLES.iter().zip(&taken.events).zip(events).collect();
            let of_event: &[_] = &["SPE-05", "SPE-45", "DUT-63"];
            // Not SAMPLE_POP, which no interval decides.
            for ((name, expected), found) in events.iter().skip(1) {
                of(
                    circuit,
                    known,
                    name,
                    of_event,
                    &expected[..width],
                    &found[..width],
                );
            }
            // What is shown is what the registers become, which is claimed above.
            let rules = &["DUT-10", "DUT-52", "DUT-61"];
            let shown = "PMSICR_EL1 that is shown";
            of(circuit, known, shown, rules, &found.pmsicr(), &pmsicr);
            let shown = "samples in flight that are shown";
            of(circuit, known, shown, rules, &found.in_flight, &in_flight);
            of(
                circuit,
                known,
                "COLL that is shown",
                &["SPE-46", "DUT-61"],
                &found.coll(),
                &coll,
            );
            if let Some(((name, expected), found)) = events.first() {
                of(
                    circuit,
                    Lit::TRUE,
                    name,
                    of_event,
                    &expected[..width],
                    &found[..width],
                );
            }
            let rules = &["SPE-02", "DUT-11", "DUT-60"];
            of(
                circuit,
                Lit::TRUE,
                "INTERVAL",
                rules,
                &after.interval,
                &found.interval,
            );
            of(
                circuit,
                Lit::TRUE,
                "RND",
                rules,
                &[after.random],
                &[found.random],
            );
            if signals.enabled.is_some() {
                let words = "whether profiling was enabled";
                let (expected, found) = ([after.enabled], [found.enabled]);
                of(
                    circuit,
                    Lit::TRUE,
                    words,
                    &["SPE-10", "SPE-11"],
                    &expected,
                    &found,
                );
            }
            for (x, (expected, found)) in after.buffers.iter().zip(&found.buffers).enumerate() {
                let words = format!("PMBSR_EL{}", x + 1);
                let rules = &["SPE-04", "SPE-42", "SPE-43", "DUT-60"];
                let mut found = found.clone();
                found[COLL] = circuit.choose(known, found[COLL], expected[COLL]);
                of(circuit, Lit::TRUE, &words, rules, expected, &found);
            }
            let none = circuit.is(&drawn, 0);
            let any = circuit.any(byte.iter().copied());
            let differs = circuit.and(none, any);
            let words = "the random byte that is shown without a draw";
            all.push(Difference::of_all(words, &["DUT-61"], differs).looked_at([known]));
            // What is assumed of the state stays so.
            let bounds = self.bounds(circuit, &found.in_flight, &found.ecount);
            let words = "the bounds of ECOUNT and of samples in flight";
            let stay = Difference::of_all(words, &["SPE-01", "SPE-40"], !bounds);
            all.push(stay);
            all
        })
    }

    /// No more samples are in flight than there can be; ECOUNT is zero without FEAT_SPE_ERnd.
    fn bounds(&self, circuit: &mut Circuit, in_flight: &[Lit], ecount: &[Lit]) -> Lit {
        let spe = &self.implementation.spe;
        let most = (0..8).map(|bit| Lit::known(spe.max_inflight >> bit & 1 == 1));
        let more = circuit.less(&most.collect::<Vec<_>>(), in_flight);
        let zero = circuit.is(ecount, 0);
        let zero = circuit.or(zero, Lit::known(spe.ernd));
        circuit.and(!more, zero)
    }

    /// The same of the state at the start of a cycle; a reset needs none of it.
    pub(super) fn bounds_of_sampling(&self, cycle: &mut Cycle) -> Option<Lit> {
        let signals = self.signals.sampling.as_ref()?;
        let before = cycle.sampling(signals, At::Start);
        let reset = cycle.reset();
        Some(circuit(|circuit| {
            let bounds = self.bounds(circuit, &before.in_flight, &before.ecount);
            circuit.or(bounds, reset)
        }))
    }
}
