//! RTL or model, cycle by cycle, in bytes.

use bytemuck::{bytes_of, pod_read_unaligned};
use pmu_lockstep::dut::{Dut, RtlSource};
use pmu_model::{CycleInput, CycleOutput, DutParameters, Implementation, Model};

use crate::implementations::{implementation, rtl};

/// Op0, op1, CRn, CRm, op2 of a register.
pub type Register = (u16, u16, u16, u16, u16);

pub const PMCR: Register = (3, 3, 9, 12, 0);
pub const PMCNTENSET: Register = (3, 3, 9, 12, 1);
pub const PMCNTENCLR: Register = (3, 3, 9, 12, 2);
pub const PMOVSCLR: Register = (3, 3, 9, 12, 3);
pub const PMOVSSET: Register = (3, 3, 9, 14, 3);
pub const PMSELR: Register = (3, 3, 9, 12, 5);
pub const PMCCNTR: Register = (3, 3, 9, 13, 0);
pub const PMXEVTYPER: Register = (3, 3, 9, 13, 1);
pub const PMXEVCNTR: Register = (3, 3, 9, 13, 2);
pub const PMMIR: Register = (3, 0, 9, 14, 6);
pub const PMCCFILTR: Register = (3, 3, 14, 15, 7);

pub fn pmevcntr(n: u16) -> Register {
    (3, 3, 14, 8 + n / 8, n % 8)
}

pub fn pmevtyper(n: u16) -> Register {
    (3, 3, 14, 12 + n / 8, n % 8)
}

/// PMCR_EL0.E, P, C, LC, LP.
pub const E: u64 = 1;
pub const P: u64 = 1 << 1;
pub const C: u64 = 1 << 2;
pub const LC: u64 = 1 << 6;
pub const LP: u64 = 1 << 7;

/// Bit of the cycle counter in masks.
pub const CYCLES: u64 = 1 << 31;

/// Outcomes of an access.
pub const NO_ACCESS: u8 = 0;
pub const OK: u8 = 1;
pub const UNDEFINED: u8 = 2;

/// PMEVTYPER<n>_EL0: TC in binary, as the tables print it.
pub fn event_type(event: u64, tc: u64, te: u64, tlc: u64, th: u64) -> u64 {
    tc << 61 | te << 60 | tlc << 54 | th << 32 | event
}

/// CycleInput.
#[derive(Clone, Copy)]
pub struct Input([u8; 144]);

impl Input {
    /// Nothing happens, and counting is allowed.
    pub fn idle() -> Self {
        Self([0; 144]).allowed(u32::MAX)
    }

    pub fn event(mut self, number: usize, value: u16) -> Self {
        self.0[2 * number..2 * number + 2].copy_from_slice(&value.to_le_bytes());
        self
    }

    pub fn allowed(mut self, counters: u32) -> Self {
        self.0[136..140].copy_from_slice(&counters.to_le_bytes());
        self
    }

    pub fn reset(mut self) -> Self {
        self.0[143] = 1;
        self
    }

    pub fn read(self, register: Register) -> Self {
        self.access(register, 1)
    }

    pub fn write(mut self, register: Register, data: u64) -> Self {
        self.0[128..136].copy_from_slice(&data.to_le_bytes());
        self.access(register, 2)
    }

    fn access(mut self, (op0, op1, crn, crm, op2): Register, kind: u8) -> Self {
        let encoding = op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2;
        self.0[140..142].copy_from_slice(&encoding.to_le_bytes());
        self.0[142] = kind;
        self
    }
}

/// CycleOutput.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output(pub [u8; 80]);

impl Output {
    /// V\[n\].
    pub fn v(&self, n: usize) -> u16 {
        u16::from_le_bytes([self.0[2 * n], self.0[2 * n + 1]])
    }

    /// Increment of PMCCNTR_EL0.
    pub fn cycles(&self) -> u16 {
        self.v(31)
    }

    pub fn data(&self) -> u64 {
        u64::from_le_bytes(self.0[64..72].try_into().expect("8 bytes"))
    }

    pub fn outcome(&self) -> u8 {
        self.0[72]
    }
}

/// What is tested.
pub enum Subject {
    Rtl(Box<dyn Dut>),
    Model(Box<Model>, DutParameters),
}

fn of(name: &str) -> Implementation {
    match name {
        "" => Implementation::default(),
        name => implementation(name),
    }
}

impl Subject {
    pub fn rtl(name: &str) -> Self {
        let mut rtl = Self::Rtl(rtl(&RtlSource::Bundled, &of(name)));
        rtl.cycle(Input::idle().reset());
        rtl
    }

    pub fn model(name: &str) -> Self {
        let model = Model::new(&of(name)).expect("a legal implementation");
        let mut model = Self::Model(Box::new(model), DutParameters::of(&of(name)));
        model.cycle(Input::idle().reset());
        model
    }

    /// Runs cycles in one batch.
    pub fn run(&mut self, inputs: &[Input]) -> Vec<Output> {
        let inputs: Vec<CycleInput> = inputs
            .iter()
            .map(|input| pod_read_unaligned(&input.0))
            .collect();
        let mut outputs = vec![CycleOutput::default(); inputs.len()];
        match self {
            Self::Rtl(dut) => dut.run(&inputs, &mut outputs).expect("it does not stop"),
            Self::Model(model, _) => {
                for (input, output) in inputs.iter().zip(&mut outputs) {
                    *output = model.step_simple(input).0;
                }
            }
        }
        let bytes = |output: &CycleOutput| Output(bytes_of(output).try_into().expect("80 bytes"));
        outputs.iter().map(bytes).collect()
    }

    pub fn cycle(&mut self, input: Input) -> Output {
        self.run(&[input])[0]
    }

    /// DutParameters.
    pub fn parameters(&self) -> [u8; 32] {
        let parameters = match self {
            Self::Rtl(dut) => dut.parameters(),
            Self::Model(_, parameters) => *parameters,
        };
        bytes_of(&parameters).try_into().expect("32 bytes")
    }

    /// A cycle with a write and no events.
    pub fn write(&mut self, register: Register, data: u64) {
        let output = self.cycle(Input::idle().write(register, data));
        assert_eq!(output.outcome(), OK, "write of {register:?}");
    }

    /// A cycle with a read, no events, and no counter counting.
    pub fn read(&mut self, register: Register) -> u64 {
        let output = self.cycle(Input::idle().allowed(0).read(register));
        assert_eq!(output.outcome(), OK, "read of {register:?}");
        output.data()
    }

    /// Makes counter `n` count with this type; the others stay as they are.
    pub fn count(&mut self, n: u16, event_type: u64) {
        self.write(pmevtyper(n), event_type);
        self.write(PMCNTENSET, 1 << n);
        self.write(PMCR, E);
    }

    /// V\[n\] in a cycle in which event 1 has the value `v_b`.
    pub fn v_of(&mut self, n: usize, v_b: u16) -> u16 {
        self.cycle(Input::idle().event(1, v_b)).v(n)
    }

    /// V\[0\] and V\[1\] in a cycle in which event 1 has the value `v_b`.
    pub fn v_of_both(&mut self, v_b: u16) -> (u16, u16) {
        let output = self.cycle(Input::idle().event(1, v_b));
        (output.v(0), output.v(1))
    }
}
