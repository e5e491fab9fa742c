//! A design on which vectors are run, cycle by cycle.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::atomic::Ordering;

use pmu_model::contract::AccessOutcome;
use pmu_model::sysreg::SysReg;
use pmu_model::{CycleInput, CycleOutput, Implementation};

use super::Mismatch;
use lockstep_engine::dut::{Dut, Pulse, Stop};
use lockstep_stimulus::{ContractCheck, Violation};

/// Why a vector does not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum Interruption {
    /// A value differs.
    #[error("{}: expected {}, found {}", .0.at, .0.expected, .0.found)]
    Differs(Mismatch),
    /// What the vector asks for cannot be had of this design.
    #[error("{0}")]
    NotExpressible(&'static str),
    /// The contract never drives it on a design like this.
    #[error("a cycle that the contract excludes ({}, {})", .0.field, .0.rule)]
    Excluded(Violation),
    /// The design stopped.
    #[error(transparent)]
    Stopped(Stop),
}

/// A design, and what has been done with it.
pub struct Bench {
    dut: Box<dyn Dut>,
    pulse: Pulse,
    /// What may be driven.
    contract: ContractCheck,
    /// What the design is.
    pub implementation: Implementation,
    /// Values compared.
    pub compared: usize,
    /// Why values were not compared.
    pub left_out: BTreeSet<&'static str>,
}

impl Bench {
    pub fn new(dut: Box<dyn Dut>, implementation: &Implementation, pulse: &Pulse) -> Self {
        let mut contract = ContractCheck::new(implementation);
        // What ran before is another vector's matter.
        contract.go_to(1);
        Self {
            dut,
            pulse: pulse.clone(),
            contract,
            implementation: implementation.clone(),
            compared: 0,
            left_out: BTreeSet::new(),
        }
    }

    /// Runs a cycle. What a state of the PE decides, and no vector says, is as the state has it.
    pub fn cycle(&mut self, input: &CycleInput) -> Result<CycleOutput, Interruption> {
        let mut input = *input;
        self.contract.settle(&mut input);
        let checked = self.contract.check(&[input]);
        checked.map_err(Interruption::Excluded)?;
        let mut outputs = [CycleOutput::default()];
        self.pulse.running.store(true, Ordering::Relaxed);
        let ran = self.dut.run(&[input], &mut outputs);
        self.pulse.running.store(false, Ordering::Relaxed);
        ran.map_err(Interruption::Stopped)?;
        self.pulse.cycles.add(1);
        Ok(outputs[0])
    }

    pub fn reset(&mut self) -> Result<(), Interruption> {
        self.cycle(&CycleInput::reset()).map(|_| ())
    }

    /// Writes a register with full privilege, in a cycle in which nothing counts.
    pub fn write(&mut self, register: SysReg, data: u64) -> Result<(), Interruption> {
        let output = self.cycle(&CycleInput {
            counting_allowed: 0,
            ..CycleInput::write(register, data)
        })?;
        self.outcome(register, &output)
    }

    /// Reads a register in the same manner.
    pub fn read(&mut self, register: SysReg) -> Result<u64, Interruption> {
        let output = self.cycle(&CycleInput {
            counting_allowed: 0,
            ..CycleInput::read(register)
        })?;
        self.outcome(register, &output)?;
        Ok(output.access_data)
    }

    /// Lets the event counters in `enabled` count from the next cycle, and the cycle counter with bit 31.
    pub fn enable(&mut self, enabled: u32) -> Result<(), Interruption> {
        const E: u64 = 1;
        self.write(SysReg::Pmcntenset, enabled.into())?;
        self.write(SysReg::Pmcr, E)
    }

    fn outcome(&self, register: SysReg, output: &CycleOutput) -> Result<(), Interruption> {
        if output.access_outcome == AccessOutcome::Ok as u8 {
            return Ok(());
        }
        let found = AccessOutcome::name_of(output.access_outcome);
        Err(differs(
            format_args!("access to {register} with full privilege"),
            "OK",
            found,
        ))
    }

    /// Compares a value; one that the vector does not define is not compared.
    pub fn expect(
        &mut self,
        at: impl Display,
        expected: Option<u64>,
        found: u64,
    ) -> Result<(), Interruption> {
        self.compare(at, expected, found, |value| value.to_string())
    }

    /// The same for a value of a register.
    pub fn expect_bits(
        &mut self,
        at: impl Display,
        expected: Option<u64>,
        found: u64,
    ) -> Result<(), Interruption> {
        self.compare(at, expected, found, |value| format!("{value:#x}"))
    }

    /// The same for anything else that can be shown.
    pub fn compare<T: PartialEq>(
        &mut self,
        at: impl Display,
        expected: Option<T>,
        found: T,
        show: impl Fn(&T) -> String,
    ) -> Result<(), Interruption> {
        let Some(expected) = expected else {
            return Ok(());
        };
        self.compared += 1;
        if expected == found {
            return Ok(());
        }
        Err(differs(at, show(&expected), show(&found)))
    }
}

/// A value that differs.
pub fn differs(at: impl Display, expected: impl Display, found: impl Display) -> Interruption {
    Interruption::Differs(Mismatch {
        at: at.to_string(),
        expected: expected.to_string(),
        found: found.to_string(),
    })
}
