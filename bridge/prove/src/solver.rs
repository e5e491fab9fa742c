//! Whether bits of a circuit can all be 1: CaDiCaL, with a certificate where they cannot.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use cadical_sys::{CaDiCal, ProofTracer, Status, Terminator};

use crate::circuit::{Circuit, Lit, Node};
use crate::lrat::{LratError, Step, check};

/// What a solver found.
#[derive(Debug)]
pub enum Answer {
    /// They cannot: the derivation has been checked.
    Never(Certificate),
    /// They can.
    Values(Values),
    /// It did not end in its time, or its derivation was too long.
    NotDecided,
}

/// A clause of a circuit: of at most three literals.
#[derive(Clone, Copy, Debug)]
pub struct Clause {
    literals: [i32; 3],
    length: u8,
}

impl<const N: usize> From<[i32; N]> for Clause {
    fn from(of: [i32; N]) -> Self {
        let mut literals = [0; 3];
        literals[..N].copy_from_slice(&of);
        Self {
            literals,
            length: N as u8,
        }
    }
}

impl AsRef<[i32]> for Clause {
    fn as_ref(&self) -> &[i32] {
        &self.literals[..self.length.into()]
    }
}

/// That bits cannot all be 1.
#[derive(Debug, Default)]
pub struct Certificate {
    /// The formula, clause by clause.
    pub formula: Vec<Clause>,
    /// The derivation of the empty clause.
    pub steps: Vec<Step>,
}

impl Certificate {
    /// Whether the circuit folded to it without a solver.
    pub fn is_by_structure(&self) -> bool {
        self.formula.is_empty()
    }
}

/// A value of every bit that matters; the others are 0.
#[derive(Debug, Default)]
pub struct Values(HashMap<usize, bool>);

impl Values {
    /// The values of bits.
    pub fn of(&self, circuit: &Circuit, bits: &[Lit]) -> Vec<bool> {
        let mut known = self.0.clone();
        let bits = bits.iter();
        bits.map(|&bit| value(circuit, &mut known, bit)).collect()
    }
}

/// The value of a bit, from those of the free ones, which are 0 where they are not known.
fn value(circuit: &Circuit, known: &mut HashMap<usize, bool>, lit: Lit) -> bool {
    let mut left = vec![lit.node()];
    while let Some(&node) = left.last() {
        if known.contains_key(&node) {
            left.pop();
            continue;
        }
        match circuit.node(node) {
            Node::Free => {
                known.insert(node, false);
            }
            Node::And(a, b) => {
                let of = |lit: Lit| known.get(&lit.node()).map(|&bit| bit != lit.is_inverted());
                match (of(a), of(b)) {
                    (Some(a), Some(b)) => {
                        known.insert(node, a && b);
                    }
                    (found, _) => left.push(if found.is_none() { a.node() } else { b.node() }),
                }
            }
        }
    }
    known[&lit.node()] != lit.is_inverted()
}

/// The circuit below `bits`, each of which is 1, as clauses, and the variable of each node, from 1.
fn clauses(circuit: &Circuit, bits: &[Lit]) -> (Vec<Clause>, Vec<(usize, i32)>) {
    // By node; 0 where it is not below.
    let mut variable_of = vec![0; circuit.len()];
    let mut variables = Vec::new();
    let mut left: Vec<_> = bits.iter().map(|bit| bit.node()).collect();
    let mut gates = Vec::new();
    while let Some(node) = left.pop() {
        if variable_of[node] != 0 {
            continue;
        }
        let next = variables.len() as i32 + 1;
        variable_of[node] = next;
        variables.push((node, next));
        if let Node::And(a, b) = circuit.node(node) {
            gates.push((next, a, b));
            left.extend([a.node(), b.node()]);
        }
    }
    let literal = |lit: Lit| match lit.is_inverted() {
        true => -variable_of[lit.node()],
        false => variable_of[lit.node()],
    };
    let mut formula: Vec<Clause> = Vec::with_capacity(3 * gates.len() + bits.len() + 1);
    // The known bit, if it is there at all.
    if variable_of[0] != 0 {
        formula.push([-variable_of[0]].into());
    }
    for (own, a, b) in gates {
        let (a, b) = (literal(a), literal(b));
        formula.push([-own, a].into());
        formula.push([-own, b].into());
        formula.push([own, -a, -b].into());
    }
    formula.extend(bits.iter().map(|&bit| Clause::from([literal(bit)])));
    (formula, variables)
}

/// What an answer is likely to be: it takes less time then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likely {
    /// That they cannot.
    Never,
    /// Nothing is known.
    Either,
}

/// Whether all `bits` can be 1, found within `limit`.
///
/// # Errors
/// The solver's derivation is none.
pub fn solve(
    circuit: &Circuit,
    bits: &[Lit],
    limit: Duration,
    likely: Likely,
) -> Result<Answer, LratError> {
    if bits.contains(&Lit::FALSE) {
        return Ok(Answer::Never(Certificate::default()));
    }
    let (formula, variables) = clauses(circuit, bits);
    let words = Rc::new(Cell::new(0));
    let steps = Rc::new(RefCell::new(Recorder {
        steps: Vec::new(),
        words: Rc::clone(&words),
    }));
    let mut solver = CaDiCal::new();
    // Its derivations are to be unit propagation alone, without new variables.
    solver.set("factor", 0);
    // Phases of it that look for values alone.
    if likely == Likely::Never {
        solver.set("stabilize", 0);
    }
    solver.connect_proof_tracer1(Rc::clone(&steps), true, false);
    solver.connect_terminator(Until {
        end: Instant::now() + limit,
        words,
    });
    for clause in &formula {
        let literals = clause.as_ref().iter();
        literals.for_each(|&literal| solver.add(literal));
        solver.add(0);
    }
    Ok(match solver.solve() {
        Status::SATISFIABLE => {
            let values = variables
                .iter()
                .filter(|&&(node, _)| circuit.node(node) == Node::Free && node != 0)
                .map(|&(node, variable)| (node, solver.val(variable) > 0));
            Answer::Values(Values(values.chain([(0, false)]).collect()))
        }
        Status::UNSATISFIABLE => {
            drop(solver);
            let steps = std::mem::take(&mut steps.borrow_mut().steps);
            check(&formula, &steps)?;
            Answer::Never(Certificate { formula, steps })
        }
        Status::UNKNOWN => Answer::NotDecided,
    })
}

/// Literals and antecedents of a derivation that are kept: 1 GiB of them.
const MOST_WORDS: usize = 1 << 27;

/// Ends a solver when its time is over, or its derivation too long to be kept.
struct Until {
    end: Instant,
    words: Rc<Cell<usize>>,
}

impl Terminator for Until {
    fn terminated(&mut self) -> bool {
        self.words.get() > MOST_WORDS || Instant::now() >= self.end
    }
}

/// Keeps the steps of a derivation.
struct Recorder {
    steps: Vec<Step>,
    /// How long they are.
    words: Rc<Cell<usize>>,
}

impl Recorder {
    fn keep(&mut self, step: Step, words: usize) {
        self.words.set(self.words.get() + words);
        self.steps.push(step);
    }
}

impl ProofTracer for Recorder {
    fn add_original_clause(&mut self, id: i64, _: bool, clause: &[i32], restored: bool) {
        if !restored {
            self.keep(Step::Given(id, clause.to_vec()), clause.len());
        }
    }

    fn add_derived_clause(
        &mut self,
        id: i64,
        _: bool,
        _: i32,
        clause: &[i32],
        antecedents: &[i64],
    ) {
        let words = clause.len() + antecedents.len();
        let (clause, antecedents) = (clause.to_vec(), antecedents.to_vec());
        self.keep(Step::Derived(id, clause, antecedents), words);
    }

    fn delete_clause(&mut self, id: i64, _: bool, _: &[i32]) {
        self.keep(Step::Deleted(id), 1);
    }

    fn weaken_minus(&mut self, _: i64, _: &[i32]) {}

    fn strengthen(&mut self, _: i64) {}

    fn finalize_clause(&mut self, _: i64, _: &[i32]) {}

    fn add_assumption(&mut self, _: i32) {}

    fn add_constraint(&mut self, _: &[i32]) {}

    fn reset_assumptions(&mut self) {}

    fn add_assumption_clause(&mut self, _: i64, _: &[i32], _: &[i64]) {}

    fn conclude_sat(&mut self, _: i32, _: &[i32]) {}

    fn conclude_unsat(&mut self, _: i32, _: &[i64]) {}

    fn conclude_unknown(&mut self, _: &[i32]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn an_adder_is_its_other_form() {
        let mut circuit = Circuit::default();
        let [a, b, c] = [(); 3].map(|()| circuit.free());
        let ab = circuit.xor(a, b);
        let sum = circuit.xor(ab, c);
        let bc = circuit.xor(b, c);
        let other = circuit.xor(a, bc);
        let differs = circuit.xor(sum, other);
        assert_ne!(differs, Lit::FALSE, "not by structure");
        let Ok(Answer::Never(certificate)) = solve(&circuit, &[differs], LONG, Likely::Never)
        else {
            panic!("not proved");
        };
        assert!(!certificate.is_by_structure());
    }

    #[test]
    fn values_make_all_bits_one() {
        let mut circuit = Circuit::default();
        let word = circuit.free_word(8);
        let ten = |bit: usize| Lit::known(10 >> bit & 1 == 1);
        let limit: Vec<_> = (0..8).map(ten).collect();
        let less = circuit.less(&word, &limit);
        let odd = word[0];
        let Ok(Answer::Values(values)) =
            solve(&circuit, &[less, odd, word[3]], LONG, Likely::Either)
        else {
            panic!("nothing found");
        };
        let word = values.of(&circuit, &word).into_iter().enumerate();
        assert_eq!(
            word.fold(0, |word, (place, bit)| word | u8::from(bit) << place),
            9
        );
        assert_eq!(values.of(&circuit, &[less]), [true]);
    }
}
