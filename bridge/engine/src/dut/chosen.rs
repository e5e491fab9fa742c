//! Many mutants in one design, of which each instance is one: its number comes in bits of the inputs that the contract leaves
//! zero. Number 0 is none of them.

use std::mem::offset_of;
use std::path::Path;

use pmu_model::{CycleInput, CycleOutput, DutParameters};

use super::{Dut, Pulse, Stop, TraceUnavailable};

/// Bits of a number in each of the two bytes that have room for them, above the bit that they are for.
const BITS: u32 = 7;
/// The bits of a number.
pub const NUMBER_BITS: u32 = 2 * BITS;
/// The highest number of a mutant.
pub const MOST: usize = (1 << NUMBER_BITS) - 1;

/// Puts a mutant's number into the inputs of a cycle.
fn mark(input: &mut CycleInput, number: u16) {
    input.reset |= (number as u8 & 0x7F) << 1;
    input.clock_stopped |= ((number >> BITS) as u8) << 1;
}

/// SystemVerilog: the number in `input`, which is a CycleInput.
pub fn number_in(input: &str) -> String {
    let [low, high] = places();
    format!("{{{input}[{high} +: {BITS}], {input}[{low} +: {BITS}]}}")
}

/// SystemVerilog: `input`, a CycleInput, without the number.
pub fn without_number(input: &str) -> String {
    let [low, high] = places();
    let bits = 8 * size_of::<CycleInput>();
    let mask = format!("{BITS}'h{:X}", (1 << BITS) - 1);
    format!("{input} & ~(({bits}'({mask}) << {low}) | ({bits}'({mask}) << {high}))")
}

/// The first bit of the lower half of the number, and that of the upper one.
fn places() -> [usize; 2] {
    let bytes = [
        offset_of!(CycleInput, reset),
        offset_of!(CycleInput, clock_stopped),
    ];
    bytes.map(|byte| 8 * byte + 1)
}

/// A design that is one of the mutants of its build.
pub struct Chosen {
    dut: Box<dyn Dut>,
    number: u16,
    inputs: Vec<CycleInput>,
}

impl Chosen {
    /// The mutant `number` of `dut`.
    pub fn new(dut: Box<dyn Dut>, number: u16) -> Self {
        Self {
            dut,
            number,
            inputs: Vec::new(),
        }
    }

    fn mark(&mut self, inputs: &[CycleInput]) {
        self.inputs.clear();
        self.inputs.extend_from_slice(inputs);
        for input in &mut self.inputs {
            mark(input, self.number);
        }
    }
}

impl Dut for Chosen {
    fn parameters(&self) -> DutParameters {
        self.dut.parameters()
    }

    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        self.mark(inputs);
        self.dut.run(&self.inputs, outputs)
    }

    fn trace_to(&mut self, path: &Path, cycle: u64) -> Result<(), TraceUnavailable> {
        self.dut.trace_to(path, cycle)
    }

    fn end_trace(&mut self) -> Result<(), TraceUnavailable> {
        self.dut.end_trace()
    }

    fn pulse(&self) -> Pulse {
        self.dut.pulse()
    }

    fn ahead(&self) -> usize {
        self.dut.ahead()
    }

    fn post(&mut self, inputs: &[CycleInput]) {
        self.mark(inputs);
        self.dut.post(&self.inputs);
    }

    fn take(&mut self, outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        self.dut.take(outputs)
    }

    fn finish(&mut self) -> Result<(), Stop> {
        self.dut.finish()
    }
}
