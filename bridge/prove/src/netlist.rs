//! A design as a netlist: the AIGER file that Yosys writes, and the map of its names.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use pmu_model::{CycleOutput, DutParameters};
use thiserror::Error;

use crate::circuit::{Circuit, Lit};

/// A netlist: variables from 1, of which inputs come first, then registers, then gates.
#[derive(Debug)]
pub struct Netlist {
    inputs: usize,
    /// What each register takes at the clock, as two times a variable, plus one for its opposite.
    next: Vec<u32>,
    /// Whether each is one in the first cycle; what has no first value is zero.
    begins: Vec<bool>,
    gates: Vec<[u32; 2]>,
    /// The bits of output ports.
    shown: Vec<u32>,
    names: BTreeMap<String, Vec<Option<u32>>>,
    /// Which inputs are ports.
    ports: HashMap<String, Vec<Option<usize>>>,
    /// The names of output ports; what follows the last bit of one may be of the next, if that is constant.
    outputs: BTreeSet<String>,
}

/// What Yosys wrote is not what was asked for.
#[derive(Debug, Error)]
pub enum NetlistError {
    /// It is malformed.
    #[error("a netlist of Yosys: expected {expected}, found {found:?}")]
    Malformed {
        /// What should be there.
        expected: &'static str,
        /// What is.
        found: String,
    },
    /// A name of the correspondence is not in the design.
    #[error(
        "the design has no signal {name:?}{}; name it in the correspondence (--correspondence)",
        similar.as_ref().map_or_else(String::new, |name| format!(" (but one {name:?})"))
    )]
    NoSignal {
        /// The name.
        name: String,
        /// The most similar one that is there.
        similar: Option<String>,
    },
    /// What should be an output port is none.
    #[error("expected {name:?} to be an output port of the design, found a signal within it")]
    NoOutput {
        /// The name.
        name: String,
    },
    /// It has another width.
    #[error("{name}: expected {expected} bits, found {found}")]
    Width {
        /// The name.
        name: String,
        /// The width that what it stands for has.
        expected: usize,
        /// Its width.
        found: usize,
    },
}

fn malformed(expected: &'static str, found: &str) -> NetlistError {
    let found = found.chars().take(60).collect();
    NetlistError::Malformed { expected, found }
}

impl Netlist {
    /// Reads the binary AIGER file and the map of names that `write_aiger -vmap` writes beside it.
    ///
    /// # Errors
    /// They are malformed.
    pub fn read(aiger: &[u8], map: &str) -> Result<Self, NetlistError> {
        let mut rest = aiger;
        let mut line = || {
            let end = rest.iter().position(|&byte| byte == b'\n')?;
            let (line, after) = rest.split_at(end);
            rest = &after[1..];
            std::str::from_utf8(line).ok()
        };
        let header = line().unwrap_or_default();
        let words: Vec<_> = header.split(' ').collect();
        let ["aig", all, inputs, registers, outputs, gates] = words[..] else {
            return Err(malformed("aig M I L O A", header));
        };
        let number = |word: &str| word.parse::<u32>().map_err(|_| malformed("a number", word));
        let (inputs, registers) = (number(inputs)?, number(registers)?);
        let (all, outputs, gates) = (number(all)?, number(outputs)?, number(gates)?);
        let mut lines = |count: u32, expected| {
            let lines = (0..count).map(|_| {
                let line = line().unwrap_or_default();
                // A register may be followed by its first value.
                let mut words = line.split(' ');
                let value = number(words.next().unwrap_or_default())?;
                match value >> 1 <= all {
                    true => Ok((value, words.next() == Some("1"))),
                    false => Err(malformed(expected, line)),
                }
            });
            lines.collect::<Result<(Vec<_>, Vec<_>), _>>()
        };
        let (next, begins) = lines(registers, "what a register takes")?;
        let (shown, _) = lines(outputs, "an output")?;
        let first = 1 + inputs + registers;
        if all + 1 != first + gates {
            return Err(malformed("M = I + L + A", header));
        }
        let mut delta = || {
            let (mut value, mut shift) = (0u32, 0);
            loop {
                let (&byte, after) = rest.split_first()?;
                rest = after;
                value |= u32::from(byte & 0x7F).checked_shl(shift)?;
                if byte & 0x80 == 0 {
                    return Some(value);
                }
                shift += 7;
            }
        };
        let gates = (0..gates).map(|gate| {
            let own = 2 * (first + gate);
            let one = own.checked_sub(delta()?).filter(|&one| one < own)?;
            let other = one.checked_sub(delta()?)?;
            Some([one, other])
        });
        let gates = gates
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| malformed("two numbers of each gate", "the end of the file"))?;
        let mut netlist = Self {
            inputs: inputs as usize,
            next,
            begins,
            gates,
            shown: Vec::new(),
            names: BTreeMap::new(),
            ports: HashMap::new(),
            outputs: BTreeSet::new(),
        };
        netlist.read_names(map, &shown)?;
        netlist.shown = shown;
        Ok(netlist)
    }

    fn read_names(&mut self, map: &str, shown: &[u32]) -> Result<(), NetlistError> {
        // The first bit of each output port: bits that are constant have no name.
        let mut outputs: HashMap<String, usize> = HashMap::new();
        for line in map.lines() {
            let words: Vec<_> = line.split(' ').collect();
            let &[kind, which, bit, name] = &words[..] else {
                // The first value of registers of a kind that is not made here.
                continue;
            };
            let (Ok(which), Ok(bit)) = (which.parse::<usize>(), bit.parse::<usize>()) else {
                return Err(malformed("kind, number, bit, name", line));
            };
            if name.contains('$') {
                continue;
            }
            let variable = match kind {
                "input" => 2 * (1 + which as u32),
                "latch" | "invlatch" => {
                    2 * (1 + self.inputs as u32 + which as u32) + u32::from(kind == "invlatch")
                }
                "output" => *shown
                    .get(which)
                    .ok_or_else(|| malformed("the number of an output", line))?,
                // Of wires it is the literal of the file, opposites included.
                "wire" => which as u32,
                _ => continue,
            };
            let bits = self.names.entry(name.to_owned()).or_default();
            if bits.len() <= bit {
                bits.resize(bit + 1, None);
            }
            bits[bit] = Some(variable);
            if kind == "output" {
                outputs.insert(name.to_owned(), which - bit.min(which));
            }
            if kind == "input" {
                let bits = self.ports.entry(name.to_owned()).or_default();
                if bits.len() <= bit {
                    bits.resize(bit + 1, None);
                }
                bits[bit] = Some(which);
            }
        }
        let mut firsts: Vec<_> = outputs.values().copied().chain([shown.len()]).collect();
        firsts.sort_unstable();
        for (name, first) in outputs {
            let end = firsts[firsts.partition_point(|&other| other <= first)];
            let bits = shown[first..end].iter().map(|&bit| Some(bit));
            self.names.insert(name.clone(), bits.collect());
            self.outputs.insert(name);
        }
        Ok(())
    }

    /// A signal by its name, `name[i]` for a bit of it, with the bits of it that something reads.
    ///
    /// # Errors
    /// There is none.
    pub fn any_signal(&self, name: &str) -> Result<Signal, NetlistError> {
        let whole = self.names.get(name).cloned();
        let bits = whole.or_else(|| {
            let (word, bit) = name.strip_suffix(']')?.rsplit_once('[')?;
            let bit = self.names.get(word)?.get(bit.parse::<usize>().ok()?)?;
            Some(vec![*bit])
        });
        let bits = bits.ok_or_else(|| NetlistError::NoSignal {
            name: name.into(),
            similar: self.similar(name),
        })?;
        Ok(Signal {
            name: name.into(),
            bits,
        })
    }

    /// The same with so many bits.
    ///
    /// # Errors
    /// There is none, or it has another width.
    pub fn signal(&self, name: &str, width: usize) -> Result<Signal, NetlistError> {
        let Signal { name, mut bits } = self.any_signal(name)?;
        if self.outputs.contains(&name) {
            bits.truncate(width);
        }
        // Yosys leaves out upper bits that nothing reads.
        if bits.len() < width && !self.names.contains_key(&name) || bits.len() > width {
            return Err(NetlistError::Width {
                name,
                expected: width,
                found: bits.len(),
            });
        }
        bits.resize(width, None);
        Ok(Signal { name, bits })
    }

    /// An output port with so many bits.
    ///
    /// # Errors
    /// There is none, or it has another width.
    pub fn output(&self, name: &str, width: usize) -> Result<Signal, NetlistError> {
        let signal = self.signal(name, width)?;
        match self.outputs.contains(name) {
            true => Ok(signal),
            false => Err(NetlistError::NoOutput { name: name.into() }),
        }
    }

    fn similar(&self, name: &str) -> Option<String> {
        let likeness = |found: &&String| (1e6 * strsim::jaro_winkler(name, found)) as u64;
        let found = self.names.keys().max_by_key(likeness)?;
        (strsim::jaro_winkler(name, found) > 0.85).then(|| found.clone())
    }

    /// What of the named signals is no more than a register or a known bit where a port has a fixed value.
    ///
    /// # Errors
    /// There is no such port.
    pub fn folded(&self, port: &str, number: u64) -> Result<Folded, NetlistError> {
        let mut circuit = Circuit::default();
        let mut frame = Frame::any(self, &mut circuit);
        frame.fix(port, number)?;
        let first = 1 + self.inputs;
        let registers = (first..first + self.next.len()).map(|variable| {
            let lit = frame.bits[variable].unwrap_or(Lit::FALSE);
            (lit.node(), 2 * variable as u32)
        });
        // The known bit is variable 0.
        let known: HashMap<usize, u32> = registers.chain([(0, 0)]).collect();
        let gates = (first + self.next.len()) as u32;
        let named = self.names.values().flatten().flatten();
        let mut folded = Folded::new();
        for variable in named.map(|literal| literal >> 1) {
            if variable >= gates && !folded.contains_key(&variable) {
                let lit = frame.lit(&mut circuit, 2 * variable);
                if let Some(literal) = known.get(&lit.node()) {
                    folded.insert(variable, literal ^ u32::from(lit.is_inverted()));
                }
            }
        }
        Ok(folded)
    }

    /// What the design states to be, if that follows `output`, the port of CycleOutput, or has the name of its port.
    pub fn stated(&self, output: &str) -> Option<DutParameters> {
        let bits = match self.names.get("parameters_o") {
            Some(bits) => bits.iter().copied().collect::<Option<Vec<_>>>()?,
            // Bits that are constant have no name, which all of these are.
            None => {
                let whole = self.names.get(output)?;
                let rest = whole.get(8 * size_of::<CycleOutput>()..)?;
                rest.iter().copied().collect::<Option<Vec<_>>>()?
            }
        };
        let bytes = bits.chunks_exact(8).map(|bits| {
            let bits = bits.iter().enumerate();
            let known =
                bits.map(|(bit, &literal)| (literal <= 1).then_some((literal as u8) << bit));
            known.sum::<Option<u8>>()
        });
        let bytes = bytes.collect::<Option<Vec<_>>>()?;
        let stated = bytes.get(..size_of::<DutParameters>())?;
        Some(bytemuck::pod_read_unaligned(stated))
    }

    /// The literals of outputs that are not among these.
    pub fn outputs_besides(&self, others: &HashSet<u32>) -> Vec<u32> {
        let shown = self.shown.iter().copied();
        shown.filter(|literal| !others.contains(literal)).collect()
    }

    /// All names, with the literals of their bits; bits that nothing reads have none.
    pub fn all_names(&self) -> impl Iterator<Item = (&str, &[Option<u32>])> {
        let names = self.names.iter();
        names.map(|(name, bits)| (name.as_str(), bits.as_slice()))
    }

    /// The inputs that are bits of a port.
    ///
    /// # Errors
    /// There is no such port.
    pub fn port(&self, name: &str) -> Result<&[Option<usize>], NetlistError> {
        let found = self.ports.get(name).map(Vec::as_slice);
        found.ok_or_else(|| NetlistError::NoSignal {
            name: name.into(),
            similar: None,
        })
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// What each register takes at the clock, as a literal.
    pub fn taken(&self) -> &[u32] {
        &self.next
    }

    /// What each gate is made of, as literals.
    pub fn made_of(&self) -> &[[u32; 2]] {
        &self.gates
    }

    /// What each register begins with, by variable.
    pub fn begins(&self) -> impl Iterator<Item = (usize, bool)> {
        (1 + self.inputs..).zip(self.begins.iter().copied())
    }

    /// How many registers there are.
    pub fn registers(&self) -> usize {
        self.next.len()
    }

    /// How many gates there are.
    pub fn gates(&self) -> usize {
        self.gates.len()
    }
}

/// A signal of a netlist.
#[derive(Clone, Debug)]
pub struct Signal {
    name: String,
    bits: Vec<Option<u32>>,
}

impl Signal {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One that is always zero, and that no netlist has.
    pub fn zero(name: &str, width: usize) -> Self {
        Self {
            name: name.into(),
            bits: vec![Some(0); width],
        }
    }

    /// How many bits it has.
    pub fn width(&self) -> usize {
        self.bits.len()
    }

    /// The literal of a bit of it that something reads.
    pub fn bit(&self, bit: usize) -> Option<u32> {
        self.bits.get(bit).copied().flatten()
    }
}

/// A cycle of a netlist in a circuit.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    netlist: &'a Netlist,
    /// The bit of each variable, as far as it was asked for.
    bits: Vec<Option<Lit>>,
    /// The literals of signals that were asked for.
    asked: Vec<u32>,
    /// Gates that are no more than a register, or known.
    folded: Option<Arc<Folded>>,
    /// Inputs that are the same in every cycle.
    fixed: HashSet<usize>,
    /// The bit of each variable in the cycle after, as far as it was asked for.
    later: HashMap<usize, Lit>,
    /// Gates that are the same as in another cycle, and that cycle.
    merged: Option<(Box<Self>, Arc<HashSet<u32>>)>,
}

/// Gates that are no more than a register or a known bit where a port has a fixed value: by variable, the literal.
pub type Folded = HashMap<u32, u32>;

/// Registers that are the same in every cycle: by variable, what they are.
pub type Constants = Vec<(usize, bool)>;

impl<'a> Frame<'a> {
    /// A cycle in any state, with any inputs.
    pub fn any(netlist: &'a Netlist, circuit: &mut Circuit) -> Self {
        let mut bits = vec![None; 1 + netlist.inputs + netlist.next.len() + netlist.gates.len()];
        bits[0] = Some(Lit::FALSE);
        for bit in &mut bits[1..=netlist.inputs + netlist.next.len()] {
            *bit = Some(circuit.free());
        }
        Self {
            netlist,
            bits,
            asked: Vec::new(),
            folded: None,
            fixed: HashSet::new(),
            later: HashMap::new(),
            merged: None,
        }
    }

    /// It is the first cycle of a run: each register has what it is initialized with, else zero, as Verilator has it.
    pub fn begin(&mut self) {
        let registers = &mut self.bits[1 + self.netlist.inputs..];
        for (bit, &begins) in registers.iter_mut().zip(&self.netlist.begins) {
            *bit = Some(Lit::known(begins));
        }
    }

    /// The cycle after this one, with any inputs.
    pub fn following(&mut self, circuit: &mut Circuit) -> Self {
        let mut next = Self::any(self.netlist, circuit);
        let first = 1 + self.netlist.inputs;
        for (register, &takes) in self.netlist.next.iter().enumerate() {
            next.bits[first + register] = Some(self.lit(circuit, takes));
        }
        next
    }

    /// The same cycle in a circuit of its own: of its inputs and registers, what is not known is free.
    pub fn anew(&self, circuit: &mut Circuit) -> Self {
        let mut anew = Self::any(self.netlist, circuit);
        let first = 1 + self.netlist.inputs + self.netlist.next.len();
        for (own, &bit) in anew.bits[..first].iter_mut().zip(&self.bits) {
            let known = bit.filter(|bit| bit.node() == Lit::FALSE.node());
            *own = known.or(*own);
        }
        anew
    }

    /// An input port has a fixed value, in this cycle and in the one after.
    ///
    /// # Errors
    /// There is no such port.
    pub fn fix(&mut self, port: &str, number: u64) -> Result<(), NetlistError> {
        let inputs = self.netlist.port(port)?.iter().flatten();
        self.fixed.extend(inputs.copied());
        let bits: Vec<_> = (0..u64::BITS)
            .map(|bit| Lit::known(number >> bit & 1 == 1))
            .collect();
        self.drive(port, &bits)
    }

    /// Gates of this netlist that are no more than a register, or known.
    pub fn fold(&mut self, folded: Arc<Folded>) {
        self.folded = Some(folded);
    }

    /// The literal, or that of what it folds to.
    fn root(&self, literal: u32) -> u32 {
        let folded = self.folded.as_ref();
        let root = folded.and_then(|folded| folded.get(&(literal >> 1)));
        root.map_or(literal, |root| root ^ (literal & 1))
    }

    /// The literals of the signals that were asked for, and of what they become.
    pub fn asked(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.asked)
    }

    /// Whether any of some literals is another one than in another cycle of the same netlist.
    pub fn differs<'b>(
        &mut self,
        circuit: &mut Circuit,
        other: &mut Self,
        literals: impl IntoIterator<Item = &'b u32>,
    ) -> bool {
        literals
            .into_iter()
            .any(|&literal| self.lit(circuit, literal) != other.lit(circuit, literal))
    }

    /// Whether a signal, or what its registers take, is another one than in another cycle of the same netlist.
    pub fn signal_differs(
        &mut self,
        circuit: &mut Circuit,
        other: &mut Self,
        signal: &Signal,
    ) -> bool {
        let first = 1 + self.netlist.inputs;
        let next = signal.bits.iter().flatten().filter_map(|&literal| {
            let register = ((self.root(literal) >> 1) as usize).checked_sub(first)?;
            self.netlist.next.get(register)
        });
        let literals: Vec<_> = signal.bits.iter().flatten().chain(next).copied().collect();
        self.differs(circuit, other, &literals)
    }

    /// Whether what any register takes, or any output shows, is another one than in another cycle of the same netlist.
    pub fn any_differs(&mut self, circuit: &mut Circuit, other: &mut Self) -> bool {
        let netlist = self.netlist;
        self.differs(circuit, other, netlist.next.iter().chain(&netlist.shown))
    }

    /// Goes through all gates, from inputs and registers on. One of `other`, a cycle of the same netlist, that is another one
    /// than here becomes the same where `is_same` says so of both, by the number of the gate; their variables are given.
    pub fn sweep(
        &mut self,
        circuit: &mut Circuit,
        other: &mut Self,
        mut is_same: impl FnMut(&mut Circuit, usize, (Lit, Lit)) -> bool,
    ) -> HashSet<u32> {
        let mut same = HashSet::new();
        let first = 1 + self.netlist.inputs + self.netlist.next.len();
        for gate in 0..self.netlist.gates.len() {
            let variable = (first + gate) as u32;
            let own = self.lit(circuit, 2 * variable);
            let of = other.lit(circuit, 2 * variable);
            if own != of && is_same(circuit, gate, (own, of)) {
                other.bits[variable as usize] = Some(own);
                same.insert(variable);
            }
        }
        same
    }

    /// The bits of inputs and registers, by variable.
    pub fn sources(&self) -> Vec<(usize, Lit)> {
        let last = self.netlist.inputs + self.netlist.next.len();
        let variables = 1..=last;
        variables
            .filter_map(|variable| Some((variable, self.bits[variable]?)))
            .collect()
    }

    /// What `merged` says is the same is that of `plain`, a cycle of the same netlist that drives another number.
    pub fn merge(&mut self, plain: Self, merged: Arc<HashSet<u32>>) {
        self.merged = Some((Box::new(plain), merged));
    }

    /// Drives an input port.
    ///
    /// # Errors
    /// There is no such port.
    pub fn drive(&mut self, port: &str, bits: &[Lit]) -> Result<(), NetlistError> {
        let found = self.netlist.port(port)?;
        for (&input, &lit) in found.iter().zip(bits) {
            if let Some(input) = input {
                self.bits[1 + input] = Some(lit);
            }
        }
        match &mut self.merged {
            Some((plain, _)) => plain.drive(port, bits),
            None => Ok(()),
        }
    }

    /// The registers of a signal are this at the start of the cycle; before anything is looked at.
    pub fn put(&mut self, signal: &Signal, bits: &[Lit]) {
        let first = 1 + self.netlist.inputs;
        let registers = first..first + self.netlist.next.len();
        for (literal, &lit) in signal.bits.iter().zip(bits) {
            let literal = literal.map_or(0, |literal| self.root(literal));
            let variable = (literal >> 1) as usize;
            if registers.contains(&variable) {
                self.bits[variable] = Some(lit.inverted_if(literal & 1 == 1));
            }
        }
        if let Some((plain, _)) = &mut self.merged {
            plain.put(signal, bits);
        }
    }

    /// The bits of a signal in the cycle; those that nothing reads are free.
    pub fn value(&mut self, circuit: &mut Circuit, signal: &Signal) -> Vec<Lit> {
        let bits = signal.bits.iter().map(|bit| match *bit {
            Some(literal) => {
                self.asked.push(literal);
                self.lit(circuit, literal)
            }
            None => circuit.free(),
        });
        bits.collect()
    }

    /// The bits of a signal in the cycle after; those that nothing reads are free.
    ///
    /// One that is made of registers alone is known at the end of the cycle; one of inputs as well, for any of these.
    pub fn next(&mut self, circuit: &mut Circuit, signal: &Signal) -> Vec<Lit> {
        let bits = signal.bits.iter().map(|bit| match *bit {
            Some(literal) => {
                let literal = self.root(literal);
                self.later(circuit, literal)
            }
            None => circuit.free(),
        });
        bits.collect()
    }

    /// The registers that a signal is made of are at the start of the cycle what `before`, the cycle before, leaves; before
    /// anything is looked at.
    pub fn follow(&mut self, circuit: &mut Circuit, before: &mut Self, signal: &Signal) {
        for variable in self.made_of(signal) {
            let after = before.later(circuit, 2 * variable as u32);
            self.bits[variable] = Some(after);
            if let Some((plain, _)) = &mut self.merged {
                plain.bits[variable] = Some(after);
            }
        }
    }

    /// Whether any of the registers that a signal is made of takes another value at the end of the cycle, but for those of
    /// `others`.
    pub fn moves(&mut self, circuit: &mut Circuit, signal: &Signal, others: &Signal) -> Lit {
        let others: HashSet<_> = self.made_of(others).into_iter().collect();
        let registers = self.made_of(signal).into_iter();
        let registers = registers.filter(|variable| !others.contains(variable));
        let moved = registers.map(|variable| {
            let literal = 2 * variable as u32;
            self.asked.push(literal);
            let (own, after) = (self.lit(circuit, literal), self.later(circuit, literal));
            circuit.xor(own, after)
        });
        let moved: Vec<_> = moved.collect();
        circuit.any(moved)
    }

    /// Some registers are what they are in every cycle, by variable; before anything is looked at.
    pub fn hold(&mut self, constants: &[(usize, bool)]) {
        for &(variable, value) in constants {
            self.bits[variable] = Some(Lit::known(value));
        }
    }

    /// What a register takes, by its variable.
    pub fn taken(&mut self, circuit: &mut Circuit, variable: usize) -> Lit {
        let register = variable - 1 - self.netlist.inputs;
        self.lit(circuit, self.netlist.next[register])
    }

    /// The variables of the registers that a signal is made of.
    pub fn made_of(&self, signal: &Signal) -> Vec<usize> {
        let first = 1 + self.netlist.inputs;
        let gates = first + self.netlist.next.len();
        let mut left: Vec<_> = signal.bits.iter().flatten().copied().collect();
        let (mut seen, mut registers) = (HashSet::new(), Vec::new());
        while let Some(literal) = left.pop() {
            let variable = (self.root(literal) >> 1) as usize;
            if !seen.insert(variable) {
                continue;
            }
            if let Some(gate) = variable.checked_sub(gates) {
                left.extend(self.netlist.gates[gate]);
            } else if variable >= first {
                registers.push(variable);
            }
        }
        registers
    }

    /// What an input port has in the cycle; bits that nothing reads are free.
    ///
    /// # Errors
    /// There is no such port.
    pub fn driven(&mut self, circuit: &mut Circuit, port: &str) -> Result<Vec<Lit>, NetlistError> {
        let inputs = self.netlist.port(port)?.iter();
        let bits = inputs.map(|&input| match input {
            Some(input) => {
                let literal = 2 * (1 + input) as u32;
                self.asked.push(literal);
                self.lit(circuit, literal)
            }
            None => circuit.free(),
        });
        Ok(bits.collect())
    }

    /// A literal in the cycle after, with any inputs but those that are fixed.
    fn later(&mut self, circuit: &mut Circuit, literal: u32) -> Lit {
        let first = 1 + self.netlist.inputs;
        let gates = first + self.netlist.next.len();
        let mut left = vec![(literal >> 1) as usize];
        while let Some(&variable) = left.last() {
            if self.later.contains_key(&variable) {
                left.pop();
                continue;
            }
            let bit = if let Some(gate) = variable.checked_sub(gates) {
                let of = self.netlist.gates[gate];
                let missing = of.map(|of| (of >> 1) as usize).into_iter();
                let missing = missing.filter(|of| !self.later.contains_key(of));
                let before = left.len();
                left.extend(missing);
                if left.len() > before {
                    continue;
                }
                self.asked.push(2 * variable as u32);
                let [a, b] =
                    of.map(|of| self.later[&((of >> 1) as usize)].inverted_if(of & 1 == 1));
                circuit.and(a, b)
            } else if let Some(register) = variable.checked_sub(first) {
                let takes = self.netlist.next[register];
                self.asked.push(takes);
                self.lit(circuit, takes)
            } else {
                match variable.checked_sub(1) {
                    None => Lit::FALSE,
                    Some(input) if self.fixed.contains(&input) => {
                        self.bits[variable].unwrap_or(Lit::FALSE)
                    }
                    Some(_) => circuit.free(),
                }
            };
            self.later.insert(variable, bit);
        }
        self.later[&((literal >> 1) as usize)].inverted_if(literal & 1 == 1)
    }

    fn lit(&mut self, circuit: &mut Circuit, literal: u32) -> Lit {
        let first = 1 + self.netlist.inputs + self.netlist.next.len();
        let mut left = vec![(literal >> 1) as usize];
        while let Some(&variable) = left.last() {
            if self.bits[variable].is_some() {
                left.pop();
                continue;
            }
            if let Some((plain, merged)) = &mut self.merged
                && merged.contains(&(variable as u32))
            {
                self.bits[variable] = Some(plain.lit(circuit, 2 * variable as u32));
                continue;
            }
            let [a, b] = self.netlist.gates[variable - first];
            let found = |literal: u32| {
                let bit = self.bits[(literal >> 1) as usize];
                bit.map(|bit| bit.inverted_if(literal & 1 == 1))
            };
            match (found(a), found(b)) {
                (Some(a), Some(b)) => {
                    self.bits[variable] = Some(circuit.and(a, b));
                    left.pop();
                }
                (a_found, b_found) => {
                    left.extend(a_found.is_none().then_some((a >> 1) as usize));
                    left.extend(b_found.is_none().then_some((b >> 1) as usize));
                }
            }
        }
        let bit = self.bits[(literal >> 1) as usize].unwrap_or(Lit::FALSE);
        bit.inverted_if(literal & 1 == 1)
    }
}
