//! TH-09, TH-20 to TH-28 and TH-40 to TH-44 for all values: the model's datapath of the default implementation, run on
//! symbols, is the tables and the examples of the text.

use std::cmp::Ordering;
use std::ops::Range;
use std::time::Duration;

use lockstep_prove::circuit::{Circuit, Lit};
use lockstep_prove::solver::{Answer, Likely, solve};
use lockstep_prove::symbol::{Symbol, WIDTH, break_operator, circuit, forget, operators_used};
use lockstep_prove::tables::{Tables, symbols};
use pmu_model::Implementation;
use pmu_model::contract::COUNTER_LANES;
use pmu_model::pmu::count_value::{CountValue, link};
use pmu_model::pmu::lane::Lane;

#[path = "../../../tests/support/truth_tables.rs"]
mod text;

use text::{CONDITIONS, Counted, EDGES, ROWS, event_type, reserved};

const LIMIT: Duration = Duration::from_secs(60);
/// An even counter, and the odd one that links to it.
const PAIR: [usize; 2] = [0, 1];

const TH: Range<usize> = 32..44;
const TLC: Range<usize> = 54..56;
const TE: Range<usize> = 60..61;
const TC: Range<usize> = 61..64;

/// A counter in a cycle.
struct Counter {
    /// `PMEVTYPER<n>_EL0`.
    register: Vec<Lit>,
    /// Effective TLC (TH-06).
    tlc: Vec<Lit>,
    counting: Lit,
    base: Vec<Lit>,
    c_p: Lit,
    /// What the model makes of it.
    v_b: Vec<Lit>,
    c_t: Lit,
    c_e: Lit,
    v: Vec<Lit>,
    /// C_P after the cycle.
    next: Lit,
}

/// The pair in one cycle after another, in a circuit of its own: types and C_P at the start are free, as are V_B, and which
/// of both is counting, of each cycle.
fn cycles<const N: usize>(tables: &Tables) -> [[Counter; 2]; N] {
    forget();
    let mut datapath = CountValue::<Symbol>::new(&Implementation::default());
    let mut c_p = [Symbol::ZERO; COUNTER_LANES];
    let registers = PAIR.map(|n| {
        c_p[n] = Symbol::mask_of(circuit(Circuit::free));
        let register = circuit(|circuit| circuit.free_word(64));
        let controls = circuit(|circuit| tables.controls(circuit, n, &register));
        datapath.set_controls(n, symbols(controls));
        register
    });
    datapath.set_c_p(c_p);
    std::array::from_fn(|_| {
        let mut counting = [Symbol::ZERO; COUNTER_LANES];
        let mut base = [Symbol::ZERO; COUNTER_LANES];
        for n in PAIR {
            counting[n] = Symbol::mask_of(circuit(Circuit::free));
            base[n] = Symbol::of(&circuit(|circuit| circuit.free_word(WIDTH)));
        }
        let before = *datapath.c_p();
        let values = datapath.evaluate_with(&base, counting, link);
        datapath.commit(&values);
        let bit = |mask: Symbol| mask.bits()[0];
        [0, 1].map(|odd| {
            let n = PAIR[odd];
            let register = registers[odd].clone();
            let tlc = match odd {
                0 => vec![Lit::FALSE; TLC.len()],
                _ => register[TLC].to_vec(),
            };
            Counter {
                register,
                tlc,
                counting: bit(counting[n]),
                base: base[n].bits().to_vec(),
                c_p: bit(before[n]),
                v_b: values.v_b[n].bits().to_vec(),
                c_t: bit(values.c_t[n]),
                c_e: bit(values.c_e[n]),
                v: values.v[n].bits().to_vec(),
                next: bit(datapath.c_p()[n]),
            }
        })
    })
}

impl Counter {
    /// TH-20 and TH-21, from the table.
    fn text_c_t(&self, circuit: &mut Circuit) -> Lit {
        let th = [&self.register[TH], &[Lit::FALSE; WIDTH - 12]].concat();
        let less = circuit.less(&self.base, &th);
        let greater = circuit.less(&th, &self.base);
        let orderings = [
            (Ordering::Less, less),
            (Ordering::Greater, greater),
            (Ordering::Equal, circuit.and(!less, !greater)),
        ];
        let mut c_t = Lit::FALSE;
        for (tc, condition) in CONDITIONS {
            let chosen = circuit.is(&self.register[TC][1..], tc.into());
            let holding = orderings.iter().filter(|&&(order, _)| condition(order));
            let holds = circuit.any(holding.map(|&(_, is_so)| is_so));
            let both = circuit.and(chosen, holds);
            c_t = circuit.or(c_t, both);
        }
        circuit.and(self.counting, c_t)
    }

    /// TH-22, from the table.
    fn text_c_e(&self, circuit: &mut Circuit) -> Lit {
        let c_t = self.text_c_t(circuit);
        let edges = EDGES.map(|(tc, from, to)| {
            let chosen = circuit.is(&self.register[TC], tc.into());
            let from = circuit.is(&[self.c_p], from.into());
            let to = circuit.is(&[c_t], to.into());
            circuit.all([chosen, from, to])
        });
        let edge = circuit.any(edges);
        circuit.and(self.counting, edge)
    }

    /// TH-30 to TH-33.
    fn is_reserved(&self, circuit: &mut Circuit) -> Lit {
        let mut found = Lit::FALSE;
        for bits in 0..64u8 {
            let (tc, te, tlc) = (bits / 8, bits / 4 % 2, bits % 4);
            if reserved(tc, te, tlc) {
                let shape = self.has(circuit, (tc, 7), te, tlc);
                found = circuit.or(found, shape);
            }
        }
        found
    }

    /// The bits of TC in a mask, TE and Effective TLC are these.
    fn has(&self, circuit: &mut Circuit, (tc, mask): (u8, u8), te: u8, tlc: u8) -> Lit {
        let bits = self.register[TC].iter().enumerate();
        let bits = bits.filter(|&(bit, _)| mask >> bit & 1 == 1);
        let of_tc = circuit.all(bits.map(|(bit, &lit)| lit.inverted_if(tc >> bit & 1 == 0)));
        let of_te = circuit.is(&self.register[TE], te.into());
        let of_tlc = circuit.is(&self.tlc, tlc.into());
        circuit.all([of_tc, of_te, of_tlc])
    }

    /// The type is one of this row of the table.
    fn is_of_row(&self, circuit: &mut Circuit, te: u8, tlc: u8, tc0: u8) -> Lit {
        let mask = if tc0 == 2 { 0 } else { 1 };
        self.has(circuit, (tc0, mask), te, tlc)
    }

    /// TH-23 to TH-27, from the rows. Where threshold, edge and link are all off, row (A) is V_B.
    fn text_v(&self, circuit: &mut Circuit, below: &[Lit]) -> Vec<Lit> {
        let (c_t, c_e) = (self.text_c_t(circuit), self.text_c_e(circuit));
        let mut v = vec![Lit::FALSE; WIDTH];
        for (te, tlc, tc0, if_true, if_false, _) in ROWS {
            let of_row = self.is_of_row(circuit, te, tlc, tc0);
            let condition = if te == 1 { c_e } else { c_t };
            let [yes, no] = [if_true, if_false].map(|counted| match counted {
                Counted::Nothing => vec![Lit::FALSE; WIDTH],
                Counted::One => one(Lit::TRUE),
                Counted::Own => self.base.clone(),
                Counted::Below => below.to_vec(),
            });
            let counted = circuit.choose_word(condition, &yes, &no);
            v = circuit.choose_word(of_row, &counted, &v);
        }
        masked(circuit, self.counting, &v)
    }
}

/// Of both counters in a cycle, whether something is not as the text has it.
type Differs = fn(&mut Circuit, &Counter, &[Lit]) -> Lit;

/// V_B is that of the event while it is counting, and all is 0 while it is not.
fn base_or_zeros_differ(circuit: &mut Circuit, counter: &Counter, _: &[Lit]) -> Lit {
    let v_b = masked(circuit, counter.counting, &counter.base);
    let differs = circuit.differ(&v_b, &counter.v_b);
    let conditions = [counter.c_t, counter.c_e];
    let found = circuit.any(counter.v.iter().copied().chain(conditions));
    let found = circuit.and(!counter.counting, found);
    circuit.or(differs, found)
}

fn c_t_differs(circuit: &mut Circuit, counter: &Counter, _: &[Lit]) -> Lit {
    let c_t = counter.text_c_t(circuit);
    circuit.xor(c_t, counter.c_t)
}

/// With TE = 0 and a TC that is reserved with TE = 1, C_E has no meaning.
fn c_e_differs(circuit: &mut Circuit, counter: &Counter, _: &[Lit]) -> Lit {
    let c_e = counter.text_c_e(circuit);
    let differs = circuit.xor(c_e, counter.c_e);
    let meant = circuit.any(counter.register[TC][..2].iter().copied());
    circuit.and(differs, meant)
}

fn v_differs(circuit: &mut Circuit, counter: &Counter, below: &[Lit]) -> Lit {
    let v = counter.text_v(circuit, below);
    let differs = circuit.differ(&v, &counter.v);
    let is_reserved = counter.is_reserved(circuit);
    circuit.and(differs, !is_reserved)
}

fn c_p_differs(circuit: &mut Circuit, counter: &Counter, _: &[Lit]) -> Lit {
    let c_t = counter.text_c_t(circuit);
    circuit.xor(c_t, counter.next)
}

fn reserved_differs(circuit: &mut Circuit, counter: &Counter, _: &[Lit]) -> Lit {
    let v_b = masked(circuit, counter.counting, &counter.base);
    let differs = circuit.differ(&v_b, &counter.v);
    let is_reserved = counter.is_reserved(circuit);
    circuit.and(differs, is_reserved)
}

fn of_default() -> Tables {
    Tables::of(&Implementation::default()).expect("possible")
}

/// Whether the bits cannot all be 1.
fn never(bits: &[Lit]) -> bool {
    match circuit(|circuit| solve(circuit, bits, LIMIT, Likely::Never)) {
        Ok(Answer::Never(_)) => true,
        Ok(Answer::Values(_)) => false,
        other => panic!("not decided: {other:?}"),
    }
}

/// Whether none of it ever differs, of either counter. V\[n-1\] is what the model makes of the counter below (TH-10,
/// TH-11).
fn agrees(tables: &Tables, all: &[Differs]) -> bool {
    let [[even, odd]] = cycles::<1>(tables);
    let none = [Lit::FALSE; WIDTH];
    let found = circuit(|circuit| {
        let of_both = all.iter().flat_map(|differs| {
            let of_even = differs(circuit, &even, &none);
            [of_even, differs(circuit, &odd, &even.v)]
        });
        let found: Vec<_> = of_both.collect();
        circuit.any(found)
    });
    never(&[found])
}

#[test]
fn th_09_a_counter_that_is_not_counting_has_zeros() {
    assert!(agrees(&of_default(), &[base_or_zeros_differ]));
}

#[test]
fn th_20_and_th_21_c_t() {
    assert!(agrees(&of_default(), &[c_t_differs]));
}

#[test]
fn th_22_c_e() {
    assert!(agrees(&of_default(), &[c_e_differs]));
}

#[test]
fn th_23_to_th_27_v() {
    assert!(agrees(&of_default(), &[v_differs]));
}

#[test]
fn th_28_c_p_takes_c_t() {
    assert!(agrees(&of_default(), &[c_p_differs]));
}

#[test]
fn th_35_by_default_a_reserved_type_counts_v_b() {
    assert!(agrees(&of_default(), &[reserved_differs]));
}

/// What is proved above is not proved of nothing: each row counts each of what it can count.
#[test]
fn every_row_is_taken() {
    let [[even, odd]] = cycles::<1>(&of_default());
    for (te, tlc, tc0, if_true, if_false, name) in ROWS {
        for (condition, counted) in [(true, if_true), (false, if_false)] {
            let taken = circuit(|circuit| {
                let of_row = odd.is_of_row(circuit, te, tlc, tc0);
                let is_reserved = odd.is_reserved(circuit);
                let decides = if te == 1 { odd.c_e } else { odd.c_t };
                let value = match counted {
                    Counted::Nothing => circuit.is(&odd.v, 0),
                    Counted::One => circuit.is(&odd.v, 1),
                    Counted::Own => odd.v[WIDTH - 1],
                    Counted::Below => circuit.and(odd.v[WIDTH - 1], even.v[WIDTH - 1]),
                };
                let decided = decides.inverted_if(!condition);
                circuit.all([of_row, !is_reserved, decided, value, odd.counting])
            });
            assert!(!never(&[taken]), "row {name}, {condition}");
        }
    }
}

/// Types, as the examples have them.
fn is_type(circuit: &mut Circuit, counter: &Counter, (tc, te, tlc): (u8, u8, u8), th: u16) -> Lit {
    let register = event_type(tc, te, tlc, th);
    let bits = TH.chain(TLC).chain(TE).chain(TC);
    circuit.all(bits.map(|bit| counter.register[bit].inverted_if(register >> bit & 1 == 0)))
}

/// Whether V of a counter that is counting is `expected` in the second of two cycles, where the type is this one.
fn is_example(
    of: usize,
    shape: (u8, u8, u8),
    th: Option<u16>,
    expected: impl FnOnce(&mut Circuit, &[[Counter; 2]; 2]) -> Vec<Lit>,
) -> bool {
    let pair = cycles::<2>(&of_default());
    let (premises, differs) = circuit(|circuit| {
        let [before, now] = [&pair[0][of], &pair[1][of]];
        let typed = match th {
            Some(th) => is_type(circuit, now, shape, th),
            None => now.has(circuit, (shape.0, 7), shape.1, shape.2),
        };
        // The counter below is counting, and not thresholded.
        let below = is_type(circuit, &pair[1][0], (0, 0, 0), 0);
        let below = circuit.or(below, Lit::known(of == 0));
        let counting = [before.counting, now.counting, pair[1][0].counting];
        let premises = circuit.all([typed, below].into_iter().chain(counting));
        let expected = expected(circuit, &pair);
        let differs = circuit.differ(&expected, &now.v);
        (premises, differs)
    });
    assert!(!never(&[premises]), "it is an example of nothing");
    never(&[premises, differs])
}

/// `word` where it is so, else 0.
fn masked(circuit: &mut Circuit, condition: Lit, word: &[Lit]) -> Vec<Lit> {
    circuit.choose_word(condition, word, &[Lit::FALSE; WIDTH])
}

/// 1 where it is so, else 0.
fn one(condition: Lit) -> Vec<Lit> {
    let mut word = vec![Lit::FALSE; WIDTH];
    word[0] = condition;
    word
}

#[test]
fn th_40_example_d13_4() {
    assert!(is_example(
        0,
        (0b010, 0, 0),
        Some(4),
        |circuit, [_, now]| {
            let four = circuit.is(&now[0].base, 4);
            masked(circuit, four, &now[0].base)
        }
    ));
}

#[test]
fn th_41_example_d13_5() {
    assert!(is_example(
        0,
        (0b101, 0, 0),
        Some(2),
        |circuit, [_, now]| { one(circuit.any(now[0].base[1..].iter().copied())) }
    ));
}

#[test]
fn th_42_example_d13_6() {
    type Edge = fn(&mut Circuit, Lit, Lit) -> Lit;
    let edges: [(u8, Edge); 3] = [
        (0b001, |circuit, before, now| circuit.and(!before, now)),
        (0b011, |circuit, before, now| circuit.and(before, !now)),
        (0b010, |circuit, before, now| circuit.xor(before, now)),
    ];
    for (tc, edge) in edges {
        let holds = is_example(0, (tc, 1, 0), Some(0), |circuit, pair| {
            let [before, now] =
                [&pair[0][0].base, &pair[1][0].base].map(|base| circuit.any(base.iter().copied()));
            one(edge(circuit, before, now))
        });
        assert!(holds, "TC = {tc:03b}");
    }
}

#[test]
fn th_43_example_d13_7() {
    /// V\[n\] if V_B\[n\] is not 0, and if it is.
    type Function = (u8, u8, Counted, Counted);
    use Counted::{Below, Nothing, One, Own};
    let functions: [(&str, Function); 6] = [
        ("1a", (0b000, 0b10, Below, Nothing)),
        ("1b", (0b010, 0b01, Below, Nothing)),
        ("2", (0b001, 0b01, One, Below)),
        ("3", (0b000, 0b01, Own, Below)),
        ("4", (0b010, 0b10, Nothing, Below)),
        ("5", (0b011, 0b01, Below, One)),
    ];
    for (name, (tc, tlc, if_some, if_none)) in functions {
        let holds = is_example(1, (tc, 0, tlc), Some(0), |circuit, [_, now]| {
            let some = circuit.any(now[1].base.iter().copied());
            let [yes, no] = [if_some, if_none].map(|counted| match counted {
                Nothing => one(Lit::FALSE),
                One => one(Lit::TRUE),
                Own => now[1].base.clone(),
                Below => now[0].base.clone(),
            });
            circuit.choose_word(some, &yes, &no)
        });
        assert!(holds, "function {name}");
    }
}

/// TH-44: for every X.
#[test]
fn th_44_counts_the_counter_below_while_the_own_event_reaches_a_threshold() {
    assert!(is_example(
        1,
        (0b100, 0, 0b10),
        None,
        |circuit, [_, now]| {
            let th = [&now[1].register[TH], &[Lit::FALSE; WIDTH - 12]].concat();
            let less = circuit.less(&now[1].base, &th);
            masked(circuit, !less, &now[0].base)
        }
    ));
}

/// Operators that the datapath uses for a lane: in a loop over them that comes to V but for links, and in those that link
/// and that keep C_P.
const OPERATORS: [usize; 3] = [31, 2, 9];

#[test]
fn a_datapath_with_another_operator_is_not_the_tables() {
    let tables = of_default();
    let all: [Differs; 6] = [
        base_or_zeros_differ,
        c_t_differs,
        c_e_differs,
        v_differs,
        c_p_differs,
        reserved_differs,
    ];
    let agrees_if = |broken, differs: &[Differs]| {
        break_operator(broken);
        let agrees = agrees(&tables, differs);
        break_operator(None);
        agrees
    };
    assert!(agrees_if(None, &all));
    assert_eq!(
        operators_used(),
        COUNTER_LANES * OPERATORS.iter().sum::<usize>()
    );
    let of_lane = |n: usize| {
        let mut first = 0;
        let loops = OPERATORS.map(|operators| {
            let own = first + n * operators;
            first += COUNTER_LANES * operators;
            own..own + operators
        });
        loops.into_iter().flatten().collect::<Vec<_>>()
    };
    let unnoticed = PAIR.map(|n| {
        let operators = of_lane(n).into_iter();
        let unnoticed = operators.filter(|&number| agrees_if(Some(number), &all));
        unnoticed.count()
    });
    // Whether C_P is kept while it is not counting, which it never is by default; and of the even counter what makes a link,
    // as there is nothing below it.
    assert_eq!(unnoticed, [1 + 7, 1]);
    for differs in all {
        let mut operators = PAIR.into_iter().flat_map(of_lane);
        let is_noticed = operators.any(|number| !agrees_if(Some(number), &[differs]));
        assert!(is_noticed, "each of them can fail");
    }
}
