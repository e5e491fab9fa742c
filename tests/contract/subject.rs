//! RTL or model, cycle by cycle, in bytes.

use bytemuck::{bytes_of, pod_read_unaligned};
use pmu_lockstep::dut::{Dut, RtlSource};
use pmu_model::{CycleInput, CycleOutput, DutParameters, Implementation, Model, NoTracer, Unknown};

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
pub const PMSICR: Register = (3, 0, 9, 9, 2);
pub const PMSIRR: Register = (3, 0, 9, 9, 3);
pub const PMSIDR: Register = (3, 0, 9, 9, 7);
pub const PMBSR_EL1: Register = (3, 0, 9, 10, 3);
pub const PMBSR_EL2: Register = (3, 4, 9, 10, 3);
pub const PMBSR_EL3: Register = (3, 6, 9, 10, 3);
pub const SPMSELR: Register = (2, 3, 9, 12, 5);
pub const SPMCGCR0: Register = (2, 0, 9, 13, 0);
pub const SPMCGCR1: Register = (2, 0, 9, 13, 1);
pub const SPMIIDR: Register = (2, 0, 9, 13, 4);
pub const SPMDEVARCH: Register = (2, 0, 9, 13, 5);
pub const SPMDEVAFF: Register = (2, 0, 9, 13, 6);
pub const SPMCFGR: Register = (2, 0, 9, 13, 7);
pub const SPMCNTENSET: Register = (2, 3, 9, 12, 1);
pub const SPMCNTENCLR: Register = (2, 3, 9, 12, 2);
pub const SPMOVSCLR: Register = (2, 3, 9, 12, 3);
pub const SPMOVSSET: Register = (2, 3, 9, 14, 3);
pub const SPMINTENSET: Register = (2, 0, 9, 14, 1);
pub const SPMINTENCLR: Register = (2, 0, 9, 14, 2);

pub fn pmevcntr(n: u16) -> Register {
    (3, 3, 14, 8 + n / 8, n % 8)
}

pub fn pmevtyper(n: u16) -> Register {
    (3, 3, 14, 12 + n / 8, n % 8)
}

/// SPMEVCNTR<n>_EL0, SPMEVTYPER<n>_EL0, SPMEVFILTR<n>_EL0, SPMEVFILT2R<n>_EL0.
pub fn spmev(kind: u16, n: u16) -> Register {
    (2, 3, 14, 2 * kind + n / 8, n % 8)
}

/// The AArch32 view of a register: op1 is 0.
pub fn aarch32((op0, _, crn, crm, op2): Register) -> Register {
    (op0, 0, crn, crm, op2)
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
pub const TRAP_EL1: u8 = 3;
pub const TRAP_EL2: u8 = 4;
pub const TRAP_EL3: u8 = 5;

/// Bits of `controls`.
pub const EL2_ENABLED: u32 = 1 << 0;
pub const E2H: u32 = 1 << 1;
pub const TGE: u32 = 1 << 2;
pub const USER_EN: u32 = 1 << 3;
pub const USER_UEN: u32 = 1 << 4;
pub const USER_ER: u32 = 1 << 5;
pub const FGTEN: u32 = 1 << 6;
pub const HDFGRTR: u32 = 1 << 7;
pub const HDFGWTR: u32 = 1 << 8;
pub const MDCR_EL2_TPM: u32 = 1 << 9;
pub const MDCR_EL3_TPM: u32 = 1 << 10;
pub const HALTED: u32 = 1 << 11;
pub const SDD: u32 = 1 << 12;
pub const MTPME_EL3: u32 = 1 << 13;
pub const FGTEN2: u32 = 1 << 15;
pub const NSPMID: u32 = 1 << 16;
pub const NSPMDEVAFF: u32 = 1 << 17;
pub const ENSPM: u32 = 1 << 18;
pub const ENPM2: u32 = 1 << 19;

/// Bits of `conditions` of a thread.
pub const ACTIVE: u8 = 1 << 0;
pub const WFX: u8 = 1 << 1;
pub const STALL: u8 = 1 << 2;
pub const STALL_FRONTEND: u8 = 1 << 3;
pub const STALL_BACKEND: u8 = 1 << 4;
pub const SECOND: u8 = 1 << 5;
pub const CONDITION: u8 = 1 << 6;

/// Codes of Security states.
pub const NON_SECURE: u8 = 0;
pub const SECURE: u8 = 1;
pub const REALM: u8 = 2;
pub const ROOT: u8 = 3;

/// PMEVTYPER<n>_EL0: TC in binary, as the tables print it.
pub fn event_type(event: u64, tc: u64, te: u64, tlc: u64, th: u64) -> u64 {
    tc << 61 | te << 60 | tlc << 54 | th << 32 | event
}

/// CycleInput.
#[derive(Clone, Copy)]
pub struct Input([u8; 192]);

impl Input {
    /// Nothing happens, and counting is allowed.
    pub fn idle() -> Self {
        Self([0; 192]).allowed(u32::MAX)
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

    /// There is no Processor cycle.
    pub fn stopped(mut self) -> Self {
        self.0[145] = 1;
        self
    }

    /// PE state and controls hold; thread 0 is at this level.
    pub fn at(self, level: u8, security: u8) -> Self {
        self.driving(1).thread_at(0, level, security)
    }

    /// Sets bits of `driven`.
    pub fn driving(mut self, groups: u8) -> Self {
        self.0[144] |= groups;
        self
    }

    pub fn thread_at(mut self, thread: usize, level: u8, security: u8) -> Self {
        self.0[176 + 4 * thread] = security << 2 | level;
        self
    }

    /// A thread in Streaming mode.
    pub fn streaming(mut self, thread: usize) -> Self {
        self.0[176 + 4 * thread] |= 1 << 4;
        self
    }

    /// Conditions of the threads, from thread 0 on; the others have none.
    pub fn conditions(mut self, conditions: &[u8]) -> Self {
        for (thread, &conditions) in conditions.iter().enumerate() {
            self.0[177 + 4 * thread] = conditions;
        }
        self.driving(2)
    }

    /// What INST_RETIRED counts, from thread 0 on.
    pub fn counts(mut self, counts: &[u16]) -> Self {
        for (thread, count) in counts.iter().enumerate() {
            self.0[178 + 4 * thread..180 + 4 * thread].copy_from_slice(&count.to_le_bytes());
        }
        self.driving(2)
    }

    pub fn controls(mut self, controls: u32) -> Self {
        self.0[152..156].copy_from_slice(&controls.to_le_bytes());
        self
    }

    pub fn hpmn(mut self, hpmn: u8) -> Self {
        self.0[150] = hpmn;
        self
    }

    /// The general-purpose register of the access.
    pub fn rt(mut self, rt: u8) -> Self {
        self.0[151] = rt;
        self
    }

    pub fn pmuacr(mut self, pmuacr: u32) -> Self {
        self.0[156..160].copy_from_slice(&pmuacr.to_le_bytes());
        self
    }

    /// SPMACCESSR_EL2 and SPMACCESSR_EL3.
    pub fn spmaccessr(mut self, el2: u64, el3: u64) -> Self {
        self.0[160..168].copy_from_slice(&el2.to_le_bytes());
        self.0[168..176].copy_from_slice(&el3.to_le_bytes());
        self
    }

    /// Profiling is enabled, with so many operations.
    pub fn sample(mut self, operations: u8) -> Self {
        self.0[146] = operations;
        self.0[149] |= 1;
        self
    }

    /// Samples complete; of these some are filtered out.
    pub fn complete(mut self, samples: u8, filtered_out: u8) -> Self {
        self.0[147] = samples;
        self.0[148] = filtered_out;
        self
    }

    /// The samples in flight are discarded.
    pub fn discard(mut self) -> Self {
        self.0[149] |= 2;
        self
    }

    /// Effective MDCR_EL3.PMSEE and PMSCR_EL2.EE.
    pub fn buffer_owner(mut self, pmsee: u8, ee: u8) -> Self {
        self.0[149] |= pmsee << 2 | ee << 4;
        self
    }

    pub fn read(self, register: Register) -> Self {
        self.access(register, 1)
    }

    /// MRC of the AArch32 view of a register.
    pub fn read32(self, register: Register) -> Self {
        self.access(aarch32(register), 3)
    }

    /// MCR of the AArch32 view of a register.
    pub fn write32(mut self, register: Register, data: u64) -> Self {
        self.0[128..136].copy_from_slice(&data.to_le_bytes());
        self.access(aarch32(register), 4)
    }

    pub fn external_read(self, offset: u16) -> Self {
        self.at_address(offset, 5)
    }

    pub fn external_write(mut self, offset: u16, data: u64) -> Self {
        self.0[128..136].copy_from_slice(&data.to_le_bytes());
        self.at_address(offset, 6)
    }

    pub fn write(mut self, register: Register, data: u64) -> Self {
        self.0[128..136].copy_from_slice(&data.to_le_bytes());
        self.access(register, 2)
    }

    pub fn access(self, (op0, op1, crn, crm, op2): Register, kind: u8) -> Self {
        self.at_address(op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2, kind)
    }

    fn at_address(mut self, address: u16, kind: u8) -> Self {
        self.0[140..142].copy_from_slice(&address.to_le_bytes());
        self.0[142] = kind;
        self
    }
}

/// CycleOutput.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output(pub [u8; 104]);

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

    pub fn iss(&self) -> u32 {
        u32::from_le_bytes(self.0[76..80].try_into().expect("4 bytes"))
    }

    /// COUNT and ECOUNT after the cycle.
    pub fn pmsicr(&self) -> (u64, u64) {
        let value = u64::from_le_bytes(self.0[80..88].try_into().expect("8 bytes"));
        (value & 0xFFFF_FFFF, value >> 56)
    }

    pub fn in_flight(&self) -> u8 {
        self.0[88]
    }

    /// How many were selected, and the place of the first.
    pub fn selected(&self) -> (u8, u8) {
        (self.0[89], self.0[90])
    }

    pub fn collided(&self) -> u8 {
        self.0[91]
    }

    pub fn coll(&self) -> u8 {
        self.0[92]
    }

    /// How many random bytes were drawn, and the first.
    pub fn drawn(&self) -> (u8, u8) {
        (self.0[93], self.0[94])
    }
}

/// What is tested.
pub enum Subject {
    Rtl(Box<dyn Dut>),
    Model(Box<Model>, DutParameters, u8),
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
        let mut model = Self::Model(Box::new(model), DutParameters::of(&of(name)), 0);
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
            Self::Model(model, _, random) => {
                for (input, output) in inputs.iter().zip(&mut outputs) {
                    // A generator that returns every value in turn, in odd steps.
                    *random = random.wrapping_add(37);
                    let mut unknown = Unknown::default();
                    model.step(input, *random, output, &mut unknown, &mut NoTracer);
                }
            }
        }
        let bytes = |output: &CycleOutput| Output(bytes_of(output).try_into().expect("104 bytes"));
        outputs.iter().map(bytes).collect()
    }

    pub fn cycle(&mut self, input: Input) -> Output {
        self.run(&[input])[0]
    }

    /// DutParameters.
    pub fn parameters(&self) -> [u8; 64] {
        let parameters = match self {
            Self::Rtl(dut) => dut.parameters(),
            Self::Model(_, parameters, _) => *parameters,
        };
        bytes_of(&parameters).try_into().expect("64 bytes")
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
