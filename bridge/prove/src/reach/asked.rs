//! Points of crosses as formulas over a cycle of the contract.

use pmu_model::contract::{CYCLE_COUNTER, MAX_OPERATIONS, THREADS};
use pmu_model::coverage::points::{
    Boundary, Class, Counting, Happening, Overflow, Point, Relation, Sampled, Threshold,
};
use pmu_model::pmu::event_type::{Condition, EVTCOUNT, EventTypeDecoder};
use pmu_model::{Implementation, ImplementationError};

use crate::circuit::{Circuit, Lit};
use crate::contract::field;
use crate::events;
use crate::symbol::WIDTH;
use crate::table::Table;
use crate::tables::{Situation, THRESHOLD, bits, register, width};

use super::machine::Seen;

/// What types are decoded to, by whether the counter is odd.
pub struct Types([OfParity; 2]);

struct OfParity {
    /// Effective TC, TE and TLC, and whether TH decides: neither is the configuration reserved, nor is V_B counted.
    control: Table,
    /// Effective TH, bits 7:0 and bits 11:8, and the condition above them.
    threshold: [Table; 2],
}

/// A type, decoded.
struct Decoded {
    tc: Vec<Lit>,
    te: Lit,
    tlc: Vec<Lit>,
    decides: Lit,
    th: Vec<Lit>,
    condition: Vec<Lit>,
}

impl Types {
    /// Those of `implementation`.
    ///
    /// # Errors
    /// It is impossible.
    pub fn of(implementation: &Implementation) -> Result<Self, ImplementationError> {
        let decoder = EventTypeDecoder::new(implementation)?;
        let count = width(&THRESHOLD);
        Ok(Self([0, 1].map(|n| {
            let decoded = |value| decoder.decode(n, register(&THRESHOLD, value));
            OfParity {
                control: Table::of_words(count, |value| {
                    let of = decoded(value);
                    let decides = !of.bypassed && !of.reserved;
                    of.tc | u8::from(of.te) << 3 | of.tlc << 4 | u8::from(decides) << 6
                }),
                threshold: [
                    Table::of_words(count, |value| decoded(value).th as u8),
                    Table::of_words(count, |value| {
                        let of = decoded(value);
                        (of.th >> 8) as u8 | (of.condition() as u8) << 4
                    }),
                ],
            }
        })))
    }

    fn decoded(&self, circuit: &mut Circuit, is_odd: bool, register: &[Lit]) -> Decoded {
        let tables = &self.0[usize::from(is_odd)];
        let bits = bits(&THRESHOLD, register);
        let control: [Lit; 7] = tables.control.words_on(circuit, &bits);
        let low: [Lit; 8] = tables.threshold[0].words_on(circuit, &bits);
        let high: [Lit; 6] = tables.threshold[1].words_on(circuit, &bits);
        let mut th = [&low[..], &high[..4]].concat();
        th.resize(WIDTH, Lit::FALSE);
        Decoded {
            tc: control[..3].to_vec(),
            te: control[3],
            tlc: control[4..6].to_vec(),
            decides: control[6],
            th,
            condition: high[4..].to_vec(),
        }
    }
}

/// The values of a counter that the cross `threshold` is about.
pub struct OfThreshold<'a> {
    pub register: &'a [Lit],
    pub v_b: &'a [Lit],
    pub c_t: Lit,
    pub c_p: Lit,
}

/// What makes a formula of a point.
pub struct Asked<'a> {
    pub implementation: &'a Implementation,
    pub types: &'a Types,
}

impl Asked<'_> {
    /// A cycle takes a point; `None` if it has no formula.
    pub fn takes(&self, circuit: &mut Circuit, seen: &Seen, point: Point) -> Option<Lit> {
        Some(match point {
            Point::Threshold(of) => {
                let values = OfThreshold {
                    register: &seen.register,
                    v_b: &seen.v_b,
                    c_t: seen.c_t,
                    c_p: seen.c_p,
                };
                let has = self.has(circuit, &values, &of);
                circuit.and(has, seen.counting)
            }
            Point::EventNumber(number, happening) => {
                let first = usize::from(EVTCOUNT.low);
                let own = circuit.is(&seen.register[first..first + WIDTH], number.into());
                let happens = match happening {
                    Happening::Lane(lane) => {
                        let lanes = field(&seen.input, "event", WIDTH * (usize::from(lane) + 1));
                        circuit.any(lanes[WIDTH * usize::from(lane)..].iter().copied())
                    }
                    Happening::Sample(of) => {
                        let (_, _, taken) = seen.sampling.as_ref()?;
                        circuit.any(taken.events[of].iter().copied())
                    }
                    Happening::Thread(event) => self.happens_in_thread(circuit, seen, event),
                    Happening::Chain => return None,
                };
                circuit.all([seen.counting, own, happens])
            }
            Point::Value(_, value) => {
                let there = circuit.is(&seen.value, value);
                let counts = self.counts(circuit, seen);
                circuit.and(there, counts)
            }
            Point::Overflow(of) => self.overflows(circuit, seen, of),
            Point::Th(th) => {
                let decoded = self.types.decoded(circuit, false, &seen.register);
                let own = circuit.is(&decoded.th, th.into());
                circuit.all([own, decoded.decides, seen.counting])
            }
            Point::BaseValue(condition, relation) => {
                self.relates(circuit, seen, (condition, relation))
            }
            Point::Sampling(of) => self.samples(circuit, seen, of)?,
            Point::Boundary(mode, boundary) => {
                let (before, _, _) = seen.sampling.as_ref()?;
                let random = before.random.inverted_if(!mode.random);
                let happens = self.happens(circuit, seen, boundary)?;
                circuit.and(random, happens)
            }
            Point::Other => return None,
        })
    }

    /// CYC-03 to CYC-08, CYC-14: an event of thread 0 happens.
    fn happens_in_thread(&self, circuit: &mut Circuit, seen: &Seen, event: u16) -> Lit {
        let mut register = vec![Lit::FALSE; seen.register.len()];
        for bit in 0..WIDTH {
            register[usize::from(EVTCOUNT.low) + bit] = Lit::known(event >> bit & 1 == 1);
        }
        let facts = events::Facts {
            implementation: self.implementation,
            input: &seen.input,
            register: &register,
            mt: Lit::FALSE,
            counted: [Lit::FALSE; THREADS],
            samples: &std::array::from_fn(|_| vec![Lit::FALSE; 8]),
        };
        let (base, _) = facts.base(circuit);
        let any = circuit.any(base);
        circuit.and(any, Situation::of(&seen.input).by_threads())
    }

    /// The counter goes up.
    fn counts(&self, circuit: &mut Circuit, seen: &Seen) -> Lit {
        let any = circuit.any(seen.v.iter().copied());
        circuit.all([seen.counting, any, !seen.is_written])
    }

    /// TH-20 to TH-26: a counter has the configuration and the values.
    pub fn has(&self, circuit: &mut Circuit, values: &OfThreshold<'_>, point: &Threshold) -> Lit {
        let decoded = self.types.decoded(circuit, point.odd, values.register);
        let classes = self.classes(circuit, &decoded.th, values.v_b);
        let all = [
            circuit.is(&decoded.tc, point.tc.into()),
            circuit.is(&decoded.tlc, point.tlc.into()),
            decoded.te.inverted_if(!point.te),
            values.c_t.inverted_if(!point.c_t),
            values.c_p.inverted_if(!point.c_p),
            classes[point.v_b as usize],
        ];
        circuit.all(all)
    }

    /// Which class V_B is of, by number.
    fn classes(&self, circuit: &mut Circuit, th: &[Lit], v_b: &[Lit]) -> [Lit; Class::ALL.len()] {
        let thwidth = usize::from(self.implementation.thwidth());
        let zero = circuit.is(v_b, 0);
        let beyond = match thwidth {
            0 => Lit::FALSE,
            _ => circuit.any(v_b[thwidth..].iter().copied()),
        };
        let below = circuit.less(v_b, th);
        let equal = !circuit.differ(v_b, th);
        let mut left = Lit::TRUE;
        let mut of = |circuit: &mut Circuit, is: Lit| {
            let own = circuit.and(is, left);
            left = circuit.and(left, !is);
            own
        };
        // The first of them that holds.
        let zero = of(circuit, zero);
        let beyond = of(circuit, beyond);
        let below = of(circuit, below);
        let equal = of(circuit, equal);
        [zero, below, equal, left, beyond]
    }

    fn relates(
        &self,
        circuit: &mut Circuit,
        seen: &Seen,
        (condition, relation): (Condition, Relation),
    ) -> Lit {
        let decoded = self.types.decoded(circuit, false, &seen.register);
        let (th, v_b) = (&decoded.th, &seen.v_b);
        let holds = match relation {
            Relation::Equal => !circuit.differ(v_b, th),
            Relation::More => {
                let more = circuit.plus(th, Lit::TRUE);
                !circuit.differ(v_b, &more)
            }
            Relation::Less => {
                let more = circuit.plus(v_b, Lit::TRUE);
                !circuit.differ(&more, th)
            }
            Relation::Bit(bit) => {
                let mut other = th.clone();
                other[bit as usize] = !other[bit as usize];
                !circuit.differ(v_b, &other)
            }
        };
        let own = circuit.is(&decoded.condition, condition as u64);
        circuit.all([holds, own, decoded.decides, seen.counting])
    }

    /// DUT-22: the counter comes so far.
    fn overflows(&self, circuit: &mut Circuit, seen: &Seen, of: Overflow) -> Lit {
        let w = of.boundary as usize;
        let mut old = seen.value[..w].to_vec();
        // V is of 16 bits.
        old.resize(w + WIDTH, Lit::FALSE);
        let mut v = seen.v.clone();
        v.resize(w + WIDTH, Lit::FALSE);
        let sum = circuit.sum(&old, &v, Lit::FALSE);
        let reached: Vec<_> = (0..w + WIDTH)
            .map(|bit| match of.beyond {
                0 => Lit::known(bit < w),
                1 => Lit::known(bit == w),
                _ => Lit::known(bit == w || bit == 0),
            })
            .collect();
        let there = !circuit.differ(&sum[..w + WIDTH], &reached);
        let long = seen.long.inverted_if(!of.long);
        let counts = self.counts(circuit, seen);
        circuit.all([there, long, counts])
    }

    /// SPE-12, SPE-20 to SPE-23, SPE-40 to SPE-42.
    fn samples(&self, circuit: &mut Circuit, seen: &Seen, of: Sampled) -> Option<Lit> {
        let (before, counted, taken) = seen.sampling.as_ref()?;
        let of_input = |name| field(&seen.input, name, 4);
        let profiling = field(&seen.input, "profiling", 6);
        let operations = circuit.any(of_input("operations").iter().copied());
        let counts = circuit.and(operations, profiling[0]);
        let selected = circuit.any(counted.selected.iter().copied());
        let word = |circuit: &mut Circuit, word: &[Lit], value: u64, when: Lit| {
            let is = circuit.is(word, value);
            circuit.and(is, when)
        };
        Some(match of {
            Sampled::Interval(interval) => {
                // COUNT goes from zero to INTERVAL, which a selection at its end tells.
                word(circuit, &before.interval, interval, selected)
            }
            Sampled::Count(count) => word(circuit, &before.count, count, counts),
            Sampled::Secondary(count) => word(circuit, &before.ecount, count, counts),
            Sampled::Operations(count) => circuit.is(of_input("operations"), count.into()),
            Sampled::Complete(count) => circuit.is(of_input("complete"), count.into()),
            Sampled::FilteredOut(count) => circuit.is(of_input("filtered_out"), count.into()),
            Sampled::InFlight(count) => word(circuit, &before.in_flight, count, selected),
            Sampled::CompleteOf(relation) => {
                // complete + 1 = in flight + relation.
                let mut all = Vec::new();
                for complete in 0..=u64::from(MAX_OPERATIONS) {
                    let Some(in_flight) = (complete + 1).checked_sub(relation.into()) else {
                        continue;
                    };
                    let there = circuit.is(&before.in_flight, in_flight);
                    all.push(word(circuit, of_input("complete"), complete, there));
                }
                circuit.any(all)
            }
            Sampled::Collision(pmsee, ee) => {
                let collides = circuit.any(taken.collided.iter().copied());
                let pmsee = circuit.is(&profiling[2..4], pmsee.into());
                let ee = circuit.is(&profiling[4..6], ee.into());
                circuit.all([collides, pmsee, ee])
            }
        })
    }
}

impl Asked<'_> {
    /// SPE-10, SPE-11, SPE-26, SPE-41: what happens to the sample interval counters. What hangs on a byte has no formula,
    /// as that is the design's to draw.
    fn happens(&self, circuit: &mut Circuit, seen: &Seen, boundary: Boundary) -> Option<Lit> {
        let (before, counted, taken) = seen.sampling.as_ref()?;
        let enabled = field(&seen.input, "profiling", 8)[0];
        let zero = circuit.is(&[&before.count[..], &before.ecount].concat(), 0);
        let begins = circuit.and(enabled, !before.enabled);
        Some(match boundary {
            Boundary::LoadAtEnable => circuit.and(begins, zero),
            Boundary::Restart => circuit.and(begins, !zero),
            Boundary::Collision => circuit.any(taken.collided.iter().copied()),
            Boundary::Reload => {
                let selected = circuit.any(counted.selected.iter().copied());
                circuit.and(selected, !before.random)
            }
            Boundary::Hold => {
                let operations = field(&seen.input, "operations", 4);
                let operations = circuit.any(operations.iter().copied());
                let counts = circuit.any(before.count.iter().copied());
                circuit.all([!enabled, operations, counts])
            }
            Boundary::CountToZero
            | Boundary::DrawZero
            | Boundary::DrawNonzero
            | Boundary::SecondaryToZero
            | Boundary::Several => return None,
        })
    }
}

/// The counter that a point is asked of.
pub fn counter_of(point: Point) -> usize {
    match point {
        Point::Threshold(of) => usize::from(of.odd),
        Point::Value(Counting::Cycles, _)
        | Point::Overflow(Overflow {
            of: Counting::Cycles,
            ..
        }) => CYCLE_COUNTER,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use pmu_model::pmu::event_type::present_mask;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;

    fn number(value: u64, bits: usize) -> Vec<Lit> {
        let bits = (0..bits).map(|bit| Lit::known(value >> bit & 1 == 1));
        bits.collect()
    }

    #[test]
    fn a_counter_has_one_combination_which_is_that_of_its_values() {
        let implementation = Implementation::default();
        let types = Types::of(&implementation).expect("possible");
        let decoder = EventTypeDecoder::new(&implementation).expect("possible");
        let asked = Asked {
            implementation: &implementation,
            types: &types,
        };
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let circuit = &mut Circuit::default();
        for _ in 0..2_000 {
            let n = random.next_u32() as u8 & 1;
            let register = random.next_u64() & present_mask(n, &implementation);
            let of = decoder.decode(n, register);
            let v_b = match random.next_u32() % 4 {
                0 => 0,
                1 => of.th,
                2 => of.th.wrapping_add(1),
                _ => random.next_u32() as u16,
            };
            let [c_t, c_p] = [random.next_u32(), random.next_u32()].map(|word| word & 1 == 1);
            let point = Threshold {
                tc: of.tc,
                te: of.te,
                tlc: of.tlc,
                odd: n == 1,
                c_t,
                c_p,
                v_b: Class::of(v_b, of.th, implementation.thwidth()),
            };
            let values = OfThreshold {
                register: &number(register, 64),
                v_b: &number(v_b.into(), WIDTH),
                c_t: Lit::known(c_t),
                c_p: Lit::known(c_p),
            };
            let at = format!("{point}, V_B = {v_b:#x}, TH = {:#x}", of.th);
            assert_eq!(asked.has(circuit, &values, &point), Lit::TRUE, "{at}");
            let others = Class::ALL.map(|v_b| Threshold { v_b, ..point });
            let others = others.into_iter().chain([
                Threshold {
                    tc: point.tc ^ 1,
                    ..point
                },
                Threshold {
                    te: !point.te,
                    ..point
                },
                Threshold {
                    tlc: point.tlc ^ 2,
                    ..point
                },
                Threshold { c_t: !c_t, ..point },
                Threshold { c_p: !c_p, ..point },
            ]);
            for other in others.filter(|other| *other != point) {
                let has = asked.has(circuit, &values, &other);
                assert_eq!(has, Lit::FALSE, "{other}, where it is {at}");
            }
        }
    }
}
