//! Certificates: a solver's derivation of the empty clause, as LRAT, and a checker that shares nothing with the solver.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use thiserror::Error;

/// A step of a derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A clause of the formula, under a number.
    Given(i64, Vec<i32>),
    /// A clause that follows, and the numbers of those that it follows from, in the order in which they become unit.
    Derived(i64, Vec<i32>, Vec<i64>),
    /// A clause that is not needed any more.
    Deleted(i64),
}

/// A derivation is none.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LratError {
    /// A clause that is said to be given is not.
    #[error("clause {0} is not of the formula")]
    NotGiven(i64),
    /// A number is higher than so many clauses need.
    #[error("clause {0} has a number that is too high")]
    TooHigh(i64),
    /// A number is used twice.
    #[error("clause {0} is there twice")]
    Twice(i64),
    /// A clause that is not there.
    #[error("clause {0} follows from clause {1}, which is not there")]
    NotThere(i64, i64),
    /// A hint says nothing new.
    #[error("clause {0} does not follow: clause {1} is not unit there")]
    NotUnit(i64, i64),
    /// The hints end without a conflict.
    #[error("clause {0} does not follow from what it names")]
    NoConflict(i64),
    /// The end is missing.
    #[error("the empty clause is not derived")]
    NotRefuted,
}

/// Checks that `steps` derive the empty clause from `formula`: each clause must follow from those that it names by unit
/// propagation alone, in their order.
///
/// # Errors
/// The first step that does not hold.
pub fn check(formula: &[impl AsRef<[i32]>], steps: &[Step]) -> Result<(), LratError> {
    let sorted = |clause: &[i32]| {
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        clause
    };
    let given = LazyCell::new(|| -> HashSet<_> {
        let clauses = formula.iter();
        clauses.map(|clause| sorted(clause.as_ref())).collect()
    });
    // A solver gives most of them as they are, and in their order.
    let is_in_order = |id: i64, clause: &[i32]| {
        let number = usize::try_from(id).ok();
        let place = number.and_then(|number| number.checked_sub(1));
        let own = place.and_then(|place| formula.get(place));
        own.is_some_and(|own| own.as_ref() == clause)
    };
    let mut checker = Checker::new(formula.len() + steps.len());
    for step in steps {
        match step {
            Step::Given(id, clause) => {
                if !is_in_order(*id, clause) && !given.contains(&sorted(clause)) {
                    return Err(LratError::NotGiven(*id));
                }
                checker.add(*id, clause)?;
            }
            Step::Derived(id, clause, hints) => {
                checker.follows(*id, clause, hints)?;
                if clause.is_empty() {
                    return Ok(());
                }
                checker.add(*id, clause)?;
            }
            Step::Deleted(id) => checker.delete(*id),
        }
    }
    Err(LratError::NotRefuted)
}

/// The clauses that are there, and literals that hold.
struct Checker<'s> {
    /// By number.
    clauses: Vec<Option<&'s [i32]>>,
    /// By literal, the last clause of which it was found to hold if that is false.
    holds: Vec<u64>,
    /// Counts these clauses.
    looked_at: u64,
}

impl<'s> Checker<'s> {
    /// For so many clauses.
    fn new(clauses: usize) -> Self {
        Self {
            // A solver may leave out some numbers.
            clauses: vec![None; SPARSE * clauses],
            holds: Vec::new(),
            looked_at: 0,
        }
    }

    fn place(&self, id: i64) -> Option<usize> {
        let place = usize::try_from(id).ok();
        place.filter(|&place| place < self.clauses.len())
    }

    fn add(&mut self, id: i64, clause: &'s [i32]) -> Result<(), LratError> {
        let place = self.place(id).ok_or(LratError::TooHigh(id))?;
        match self.clauses[place].replace(clause) {
            None => Ok(()),
            Some(_) => Err(LratError::Twice(id)),
        }
    }

    fn delete(&mut self, id: i64) {
        if let Some(place) = self.place(id) {
            self.clauses[place] = None;
        }
    }

    fn holds(&self, literal: i32) -> bool {
        let last = self.holds.get(code(literal));
        last == Some(&self.looked_at)
    }

    fn set(&mut self, literal: i32) {
        let code = code(literal);
        if code >= self.holds.len() {
            self.holds.resize(code + 1, 0);
        }
        self.holds[code] = self.looked_at;
    }

    /// Whether a clause follows from those that it names.
    fn follows(&mut self, id: i64, clause: &[i32], hints: &[i64]) -> Result<(), LratError> {
        self.looked_at += 1;
        for &literal in clause {
            self.set(-literal);
        }
        if clause.iter().any(|&literal| self.holds(literal)) {
            return Ok(());
        }
        for &hint in hints {
            let from = self.place(hint).and_then(|place| self.clauses[place]);
            let from = from.ok_or(LratError::NotThere(id, hint))?;
            let mut left = from.iter().filter(|&&literal| !self.holds(-literal));
            let Some(&unit) = left.next() else {
                return Ok(());
            };
            if left.any(|&literal| literal != unit) {
                return Err(LratError::NotUnit(id, hint));
            }
            self.set(unit);
        }
        Err(LratError::NoConflict(id))
    }
}

/// Numbers of clauses are at most so many times as high as there are clauses.
const SPARSE: usize = 2;

/// The place of a literal.
fn code(literal: i32) -> usize {
    2 * literal.unsigned_abs() as usize + usize::from(literal < 0)
}

/// The formula as DIMACS, which solvers read.
pub fn dimacs(formula: &[impl AsRef<[i32]>]) -> String {
    let literals = formula.iter().flat_map(AsRef::as_ref);
    let variables = literals.map(|literal| literal.abs()).max();
    let mut text = format!("p cnf {} {}\n", variables.unwrap_or(0), formula.len());
    for clause in formula {
        write_clause(&mut text, clause.as_ref());
    }
    text
}

/// The derivation in the text form of LRAT, which other checkers read: clauses of the formula have the numbers of
/// [`dimacs`].
pub fn lrat(formula: &[impl AsRef<[i32]>], steps: &[Step]) -> String {
    let mut places: HashMap<Vec<i32>, i64> = HashMap::new();
    for (place, clause) in formula.iter().enumerate() {
        let mut clause = clause.as_ref().to_vec();
        clause.sort_unstable();
        places.entry(clause).or_insert(place as i64 + 1);
    }
    let mut numbers: HashMap<i64, i64> = HashMap::new();
    let mut next = formula.len() as i64 + 1;
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Given(id, clause) => {
                let mut clause = clause.clone();
                clause.sort_unstable();
                numbers.insert(*id, places.get(&clause).copied().unwrap_or(0));
            }
            Step::Derived(id, clause, hints) => {
                let _ = write!(text, "{next} ");
                clause.iter().for_each(|literal| {
                    let _ = write!(text, "{literal} ");
                });
                text.push_str("0 ");
                for hint in hints {
                    let _ = write!(text, "{} ", numbers.get(hint).copied().unwrap_or(0));
                }
                text.push_str("0\n");
                numbers.insert(*id, next);
                next += 1;
            }
            // A clause may be given twice under one number there: those stay.
            Step::Deleted(id) => {
                let number = numbers.get(id).copied().unwrap_or(0);
                if number > formula.len() as i64 {
                    let _ = writeln!(text, "{next} d {number} 0");
                }
            }
        }
    }
    text
}

fn write_clause(text: &mut String, clause: &[i32]) {
    for literal in clause {
        let _ = write!(text, "{literal} ");
    }
    text.push_str("0\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both of two bits are 1 or 0 in all four ways: impossible.
    fn formula() -> Vec<Vec<i32>> {
        vec![vec![1, 2], vec![1, -2], vec![-1, 2], vec![-1, -2]]
    }

    fn steps() -> Vec<Step> {
        let given = formula().into_iter().zip(1..);
        let mut steps: Vec<_> = given.map(|(clause, id)| Step::Given(id, clause)).collect();
        steps.push(Step::Derived(5, vec![1], vec![1, 2]));
        steps.push(Step::Deleted(1));
        steps.push(Step::Derived(6, vec![], vec![5, 3, 4]));
        steps
    }

    #[test]
    fn a_derivation_is_checked_step_by_step() {
        assert_eq!(check(&formula(), &steps()), Ok(()));
        let with = |place: usize, step: Step| {
            let mut steps = steps();
            steps[place] = step;
            check(&formula(), &steps)
        };
        let derived =
            |id, clause: &[i32], hints: &[i64]| Step::Derived(id, clause.to_vec(), hints.to_vec());
        assert_eq!(
            with(0, Step::Given(1, vec![1])),
            Err(LratError::NotGiven(1))
        );
        assert_eq!(
            with(4, derived(5, &[1], &[1])),
            Err(LratError::NoConflict(5))
        );
        assert_eq!(
            with(4, derived(5, &[1], &[3, 4])),
            Err(LratError::NotUnit(5, 3))
        );
        assert_eq!(
            with(6, derived(6, &[], &[1])),
            Err(LratError::NotThere(6, 1))
        );
        assert_eq!(
            with(6, Step::Deleted(2)),
            Err(LratError::NotRefuted),
            "nothing is derived"
        );
    }

    #[test]
    fn it_is_written_as_others_read_it() {
        assert_eq!(dimacs(&formula()).lines().next(), Some("p cnf 2 4"));
        assert_eq!(lrat(&formula(), &steps()), "5 1 0 1 2 0\n6 0 5 3 4 0\n");
    }
}
