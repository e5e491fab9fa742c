//! What follows at once from a bit: its gates' bits from its value, and the bits of gates from those of what they are made of,
//! until nothing more does. It takes no decision as a solver does, and so costs no more than to look at its cone a few times.

use crate::circuit::{Circuit, Lit, Node};

/// Finds bits that are never 1, with memory that is used again.
#[derive(Default)]
pub struct Propagation {
    /// By node, its place in the cone, if it is in this one.
    places: Vec<u32>,
    cone: Vec<u32>,
    /// By place, what the node is made of, as two times a place, plus one for its opposite.
    gates: Vec<Option<[u32; 2]>>,
    values: Vec<Option<bool>>,
}

/// A node that is not in the cone.
const NOWHERE: u32 = u32::MAX;

/// Two bits that cannot both be.
struct Contradiction;

impl Propagation {
    /// Whether it follows at once that a bit is never 1; what does not follow may be true all the same.
    pub fn is_never(&mut self, circuit: &Circuit, lit: Lit) -> bool {
        if lit.node() == 0 {
            return lit == Lit::FALSE;
        }
        self.collect(circuit, lit.node());
        self.values.clear();
        self.values.resize(self.cone.len(), None);
        self.values[self.places[lit.node()] as usize] = Some(!lit.is_inverted());
        let known = self.places[0];
        if known != NOWHERE {
            self.values[known as usize] = Some(false);
        }
        let result = self.propagate();
        for &node in &self.cone {
            self.places[node as usize] = NOWHERE;
        }
        result.is_err()
    }

    /// The nodes that one is made of, and itself, each after those that it is made of.
    fn collect(&mut self, circuit: &Circuit, node: usize) {
        self.places.resize(circuit.len(), NOWHERE);
        self.cone.clear();
        let mut left = vec![node];
        while let Some(node) = left.pop() {
            if self.places[node] != NOWHERE {
                continue;
            }
            self.places[node] = 0;
            self.cone.push(node as u32);
            if let Node::And(a, b) = circuit.node(node) {
                left.extend([a.node(), b.node()]);
            }
        }
        self.cone.sort_unstable();
        for (place, &node) in self.cone.iter().enumerate() {
            self.places[node as usize] = place as u32;
        }
        let place = |lit: Lit| 2 * self.places[lit.node()] + u32::from(lit.is_inverted());
        let gates = self
            .cone
            .iter()
            .map(|&node| match circuit.node(node as usize) {
                Node::Free => None,
                Node::And(a, b) => Some([place(a), place(b)]),
            });
        self.gates = gates.collect();
    }

    /// Up and down through the cone until nothing more follows.
    fn propagate(&mut self) -> Result<(), Contradiction> {
        let mut moves = true;
        while moves {
            moves = false;
            for place in 0..self.gates.len() {
                moves |= self.up(place)?;
            }
            for place in (0..self.gates.len()).rev() {
                moves |= self.down(place)?;
            }
        }
        Ok(())
    }

    /// The value of a gate from those of what it is made of.
    fn up(&mut self, place: usize) -> Result<bool, Contradiction> {
        let Some([a, b]) = self.gates[place] else {
            return Ok(false);
        };
        match (self.value(a), self.value(b)) {
            (Some(false), _) | (_, Some(false)) => self.set(2 * place as u32, false),
            (Some(true), Some(true)) => self.set(2 * place as u32, true),
            _ => Ok(false),
        }
    }

    /// The values of what a gate is made of from its own.
    fn down(&mut self, place: usize) -> Result<bool, Contradiction> {
        let Some([a, b]) = self.gates[place] else {
            return Ok(false);
        };
        match self.values[place] {
            Some(true) => Ok(self.set(a, true)? | self.set(b, true)?),
            Some(false) if self.value(a) == Some(true) => self.set(b, false),
            Some(false) if self.value(b) == Some(true) => self.set(a, false),
            _ => Ok(false),
        }
    }

    fn value(&self, bit: u32) -> Option<bool> {
        let value = self.values[(bit >> 1) as usize];
        value.map(|value| value != (bit & 1 == 1))
    }

    /// Whether that is new.
    fn set(&mut self, bit: u32, value: bool) -> Result<bool, Contradiction> {
        match self.value(bit) {
            None => {
                self.values[(bit >> 1) as usize] = Some(value != (bit & 1 == 1));
                Ok(true)
            }
            Some(same) if same == value => Ok(false),
            Some(_) => Err(Contradiction),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Data that a row of a memory takes: the address is that of the row, and the data of another row may be 1 alone.
    #[test]
    fn what_another_address_writes_is_never_written() {
        let mut circuit = Circuit::default();
        let (address, data) = (circuit.free_word(3), circuit.free());
        let rows: Vec<_> = (0..8).map(|row| circuit.is(&address, row)).collect();
        let written = circuit.and(rows[5], data);
        let mut propagation = Propagation::default();
        for (row, &chosen) in rows.iter().enumerate() {
            let taken = circuit.and(chosen, written);
            assert_eq!(propagation.is_never(&circuit, taken), row != 5);
        }
    }

    #[test]
    fn what_takes_a_decision_does_not_follow() {
        let mut circuit = Circuit::default();
        let (a, b) = (circuit.free(), circuit.free());
        let (same, other) = (circuit.xor(a, b), circuit.xor(a, !b));
        let both = circuit.and(same, other);
        let mut propagation = Propagation::default();
        assert!(!propagation.is_never(&circuit, a));
        assert!(!propagation.is_never(&circuit, both));
        assert!(!propagation.is_never(&circuit, Lit::TRUE));
        assert!(propagation.is_never(&circuit, Lit::FALSE));
    }
}
