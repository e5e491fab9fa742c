//! Circuits: and-inverter graphs in which equal gates are one gate.

use std::collections::HashMap;
use std::ops::Not;

/// A bit of a circuit, or its opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lit(u32);

impl Lit {
    /// 0.
    pub const FALSE: Self = Self(0);
    /// 1.
    pub const TRUE: Self = Self(1);

    /// A known bit.
    pub fn known(value: bool) -> Self {
        Self(value.into())
    }

    /// The gate or input.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether it is the opposite of the node.
    pub fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// The opposite, if `inverts`.
    #[must_use]
    pub fn inverted_if(self, inverts: bool) -> Self {
        Self(self.0 ^ u32::from(inverts))
    }
}

impl Not for Lit {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// A bit that is free, or the known bit, which is node 0.
    Free,
    /// Both of them.
    And(Lit, Lit),
}

/// A circuit.
#[derive(Debug)]
pub struct Circuit {
    nodes: Vec<Node>,
    gates: HashMap<(Lit, Lit), u32>,
    /// The free bits in their order, and how many of them have been asked for.
    frees: Vec<Lit>,
    asked: usize,
}

impl Default for Circuit {
    fn default() -> Self {
        Self {
            nodes: vec![Node::Free],
            gates: HashMap::new(),
            frees: Vec::new(),
            asked: 0,
        }
    }
}

impl Circuit {
    /// A free bit.
    pub fn free(&mut self) -> Lit {
        if self.asked == self.frees.len() {
            self.nodes.push(Node::Free);
            self.frees.push(Lit(2 * (self.nodes.len() as u32 - 1)));
        }
        self.asked += 1;
        self.frees[self.asked - 1]
    }

    /// From now on the same bits are free once more, in the same order: what is made of them in the same way is the same.
    pub fn again(&mut self) {
        self.asked = 0;
    }

    /// As many free bits.
    pub fn free_word(&mut self, bits: usize) -> Vec<Lit> {
        (0..bits).map(|_| self.free()).collect()
    }

    /// What the node is.
    pub fn node(&self, node: usize) -> Node {
        self.nodes[node]
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing but the known bit.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// Both.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        let nodes = &mut self.nodes;
        let node = *self.gates.entry((a, b)).or_insert_with(|| {
            nodes.push(Node::And(a, b));
            nodes.len() as u32 - 1
        });
        Lit(2 * node)
    }

    /// Any of two.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// One of two.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (neither, both) = (self.and(!a, !b), self.and(a, b));
        self.and(!neither, !both)
    }

    /// `yes` where `condition` is 1, else `no`.
    pub fn choose(&mut self, condition: Lit, yes: Lit, no: Lit) -> Lit {
        if yes == no {
            return yes;
        }
        let (yes, no) = (self.and(condition, yes), self.and(!condition, no));
        self.or(yes, no)
    }

    /// All of them.
    pub fn all(&mut self, bits: impl IntoIterator<Item = Lit>) -> Lit {
        bits.into_iter()
            .fold(Lit::TRUE, |all, bit| self.and(all, bit))
    }

    /// Any of them.
    pub fn any(&mut self, bits: impl IntoIterator<Item = Lit>) -> Lit {
        bits.into_iter()
            .fold(Lit::FALSE, |any, bit| self.or(any, bit))
    }

    /// Whether a word is this number.
    pub fn is(&mut self, word: &[Lit], value: u64) -> Lit {
        let word = word.iter().enumerate();
        self.all(word.map(|(bit, lit)| lit.inverted_if(value >> bit & 1 == 0)))
    }

    /// The one of as many as there are values of `number`.
    pub fn select(&mut self, mut of: Vec<Lit>, number: &[Lit]) -> Lit {
        assert_eq!(of.len(), 1 << number.len());
        for &bit in number {
            let pairs = of.chunks_exact(2);
            of = pairs
                .map(|pair| self.choose(bit, pair[1], pair[0]))
                .collect();
        }
        of[0]
    }

    /// `yes` where `condition` is 1, else `no`: words of the same width.
    pub fn choose_word(&mut self, condition: Lit, yes: &[Lit], no: &[Lit]) -> Vec<Lit> {
        assert_eq!(yes.len(), no.len());
        let bits = yes.iter().zip(no);
        bits.map(|(&yes, &no)| self.choose(condition, yes, no))
            .collect()
    }

    /// The sum of two words of the same width, and `carry`, modulo that width.
    pub fn sum(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Vec<Lit> {
        assert_eq!(a.len(), b.len());
        let bits = a.iter().zip(b).map(|(&a, &b)| {
            let half = self.xor(a, b);
            let sum = self.xor(half, carry);
            carry = self.choose(half, carry, a);
            sum
        });
        bits.collect()
    }

    /// A word, one more where the bit is 1, modulo its width.
    pub fn plus(&mut self, word: &[Lit], one: Lit) -> Vec<Lit> {
        self.sum(word, &vec![Lit::FALSE; word.len()], one)
    }

    /// A word less another one of the same width, modulo that width.
    pub fn minus(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let b: Vec<_> = b.iter().map(|&bit| !bit).collect();
        self.sum(a, &b, Lit::TRUE)
    }

    /// Whether two words of the same width differ.
    pub fn differ(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        assert_eq!(a.len(), b.len());
        let bits: Vec<_> = a.iter().zip(b).map(|(&a, &b)| self.xor(a, b)).collect();
        self.any(bits)
    }

    /// Whether `a` is less than `b`, both unsigned, bit 0 first.
    pub fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).fold(Lit::FALSE, |less, (&a, &b)| {
            let differs = self.xor(a, b);
            self.choose(differs, b, less)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a bit, where bit *i* of `free` is that of the *i*-th free one.
    fn value(circuit: &Circuit, lit: Lit, free: u64) -> bool {
        let node = match (lit.node(), circuit.node(lit.node())) {
            (0, _) => false,
            (node, Node::Free) => free >> (node - 1) & 1 == 1,
            (_, Node::And(a, b)) => value(circuit, a, free) && value(circuit, b, free),
        };
        node != lit.is_inverted()
    }

    #[test]
    fn words_of_three_bits_compare_as_numbers() {
        let mut circuit = Circuit::default();
        let (a, b) = (circuit.free_word(3), circuit.free_word(3));
        let (differ, less) = (circuit.differ(&a, &b), circuit.less(&a, &b));
        for free in 0..64 {
            let (a, b) = (free & 7, free >> 3);
            assert_eq!(value(&circuit, differ, free), a != b);
            assert_eq!(value(&circuit, less, free), a < b);
        }
    }

    #[test]
    fn what_is_made_again_is_the_same() {
        let mut circuit = Circuit::default();
        let both = |circuit: &mut Circuit| {
            let (a, b) = (circuit.free(), circuit.free());
            circuit.and(a, !b)
        };
        let first = both(&mut circuit);
        let other = both(&mut circuit);
        circuit.again();
        assert_ne!(first, other);
        assert_eq!(both(&mut circuit), first);
        assert_eq!(both(&mut circuit), other);
    }

    #[test]
    fn what_is_known_makes_no_gates() {
        let mut circuit = Circuit::default();
        let a = circuit.free();
        assert_eq!(circuit.xor(a, Lit::TRUE), !a);
        assert_eq!(circuit.and(a, !a), Lit::FALSE);
        assert_eq!(circuit.choose(Lit::TRUE, a, Lit::FALSE), a);
        assert_eq!(circuit.len(), 2);
    }
}
