//! The implementation that a design states to be, and that its registers say.

use pmu_model::features::FEATURES;
use pmu_model::spmu::registers::{FEATURE_BITS, RAO};
use pmu_model::spmu::{Registers, SystemPmu, decode};
use pmu_model::wrapper::{Increments, PARTS, Wrapper};
use pmu_model::{
    AccessOutcome, CycleInput, CycleOutput, DutParameters, Implementation, ImplementationError,
    Model, Number, SysReg,
};

use crate::dut::{ContractMismatch, Dut, Stop, check_contract};

/// A design of which no implementation can be made.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Another contract than that of this program.
    #[error(transparent)]
    Contract(#[from] ContractMismatch),
    /// What it states is not of this contract.
    #[error(
        "the design states {name} = {found}: expected {expected}; drive parameters_o as docs/dut-contract.md, section 4, says"
    )]
    Stated {
        /// Parameter.
        name: &'static str,
        /// What is allowed.
        expected: String,
        /// What it states.
        found: String,
    },
    /// What it states is impossible.
    #[error("the design states something impossible: {0}; correct what parameters_o drives")]
    Impossible(#[from] ImplementationError),
    /// What it states is not what its registers say.
    #[error(
        "the design contradicts itself: {register}: by what parameters_o states expected {stated}, read {read}; correct one of them"
    )]
    Contradiction {
        /// Register.
        register: String,
        /// By its parameters.
        stated: String,
        /// What a read returned.
        read: String,
    },
    /// The registers of a System PMU describe none.
    #[error("System PMU {number}: its registers do not describe one: {problem}")]
    SystemPmu {
        /// SYSPMUSEL.
        number: usize,
        /// The first rule that they break.
        problem: String,
    },
    /// It stopped while it was read.
    #[error("the design stopped while its registers were read: {0}")]
    Stopped(#[from] Stop),
}

/// The implementation that a design with `parameters` states to be. Its System PMUs are known by their number and
/// SPMCFGR_EL1 alone, until [`read_back`] asks them.
///
/// # Errors
/// The parameters are not of this contract, or impossible.
pub fn stated(name: &str, parameters: &DutParameters) -> Result<Implementation, StateError> {
    check_contract(parameters)?;
    let number = |name, expected: u32, found: u32| match expected == found {
        true => Ok(()),
        false => Err(StateError::Stated {
            name,
            expected: format!("{expected:#x}"),
            found: format!("{found:#x}"),
        }),
    };
    let unnamed = parameters.features >> FEATURES.len();
    number("features above the last named bit", 0, unnamed)?;
    let unnamed = parameters.lacks >> PARTS.len();
    number("lacks above the last named bit", 0, unnamed.into())?;
    let form = parameters.increment_form;
    let increments = Increments::from_code(form).ok_or_else(|| StateError::Stated {
        name: "increment_form",
        expected: "0, 1 or 2 (DUT-71)".into(),
        found: form.to_string(),
    })?;

    let mut implementation = Implementation {
        name: name.to_owned(),
        wrapper: Wrapper {
            access_interval: parameters.access_interval.max(1),
            increments,
            ..Wrapper::default().with_parts(parameters.lacks)
        },
        ..Implementation::default()
    };
    let pmu = &mut implementation.pmu;
    pmu.counters = parameters.counters;
    pmu.counter_bits = parameters.counter_bits;
    pmu.event_count = parameters.event_count;
    pmu.event_width = parameters.event_width;
    pmu.thwidth = parameters.thwidth;
    pmu.pmmir = parameters.pmmir;
    implementation.threads.count = parameters.threads;
    implementation.spe.max_inflight = parameters.max_inflight;
    implementation.spe.pmsidr = parameters.pmsidr;
    for (bit, feature) in FEATURES.iter().enumerate() {
        feature.set(&mut implementation, parameters.features >> bit & 1 == 1);
    }
    let count = usize::from(parameters.system_pmus);
    implementation.system_pmu = vec![SystemPmu::default(); count];
    implementation.validate()?;
    Ok(implementation)
}

/// Asks the registers of `dut`, which states to be `implementation`: System PMUs become what they say, and constants
/// are compared with what is stated.
///
/// # Errors
/// The design contradicts itself, or stops.
pub fn read_back(dut: &mut dyn Dut, implementation: &mut Implementation) -> Result<(), StateError> {
    let stated = dut.parameters();
    let mut registers = RegisterReader::new(dut, implementation)?;
    for number in 0..implementation.system_pmu.len() {
        let found = registers.system_pmu(number as u64)?;
        let spmcfgr = u64::from(stated.spmcfgr[number]);
        if found.spmcfgr != spmcfgr {
            return Err(contradiction(
                &format!("SPMCFGR_EL1 of System PMU {number}"),
                spmcfgr,
                Some(found.spmcfgr),
            ));
        }
        implementation.system_pmu[number] = system_pmu(number, &found)?;
    }
    implementation.validate()?;
    // What the model of it reads.
    let mut model = Model::new(implementation)?;
    let constants = [SysReg::Pmcr, SysReg::Pmmir]
        .into_iter()
        .chain(implementation.spe.implemented.then_some(SysReg::Pmsidr));
    for register in constants {
        let (output, unknown) = model.step_simple(&CycleInput::read(register));
        let read = registers.read(register)?;
        let expected = output.access_data & !unknown.access_data;
        if read.map(|read| read & !unknown.access_data) != Some(expected) {
            return Err(contradiction(&register.to_string(), expected, read));
        }
    }
    Ok(())
}

fn contradiction(register: &str, stated: u64, read: Option<u64>) -> StateError {
    StateError::Contradiction {
        register: register.to_owned(),
        stated: format!("{stated:#x}"),
        read: read.map_or_else(
            || "nothing: the access was refused".into(),
            |read| format!("{read:#x}"),
        ),
    }
}

/// The System PMU that registers describe.
fn system_pmu(number: usize, registers: &Registers) -> Result<SystemPmu, StateError> {
    let decoded = decode(registers);
    if let Some(problem) = decoded.problems.first() {
        return Err(StateError::SystemPmu {
            number,
            problem: problem.to_string(),
        });
    }
    let implemented = |value: u64| Some(value).filter(|&value| value != 0);
    Ok(SystemPmu {
        implemented: decoded.implemented,
        groups: decoded.groups.iter().map(|group| group.counters).collect(),
        size_bits: decoded.size_bits,
        features: registers.spmcfgr & FEATURE_BITS,
        iidr: implemented(registers.spmiidr),
        devarch: implemented(registers.spmdevarch),
        devaff: implemented(registers.spmdevaff),
        bit19: RAO.of(registers.spmcfgr) == 1,
    })
}

/// Reads registers of a design, one after another, with full privilege.
struct RegisterReader<'a> {
    dut: &'a mut dyn Dut,
    /// Cycles after an access before its outputs show, and before the next one.
    latency: usize,
    pause: usize,
}

impl<'a> RegisterReader<'a> {
    /// Resets the design.
    fn new(dut: &'a mut dyn Dut, implementation: &Implementation) -> Result<Self, Stop> {
        let latency = usize::from(dut.parameters().latency_access);
        let mut reader = Self {
            dut,
            latency,
            pause: usize::from(implementation.wrapper.access_interval).max(latency + 1),
        };
        reader.run(CycleInput::reset())?;
        Ok(reader)
    }

    /// A cycle, and its outputs in group access.
    fn run(&mut self, input: CycleInput) -> Result<CycleOutput, Stop> {
        let mut inputs = vec![CycleInput::default(); self.pause];
        inputs[0] = input;
        let mut outputs = vec![CycleOutput::default(); self.pause];
        self.dut.run(&inputs, &mut outputs)?;
        Ok(outputs[self.latency])
    }

    /// What a read returns, if it is not refused.
    fn read(&mut self, register: SysReg) -> Result<Option<u64>, Stop> {
        let output = self.run(CycleInput::read(register))?;
        let is_ok = output.access_outcome == AccessOutcome::Ok as u8;
        Ok(is_ok.then_some(output.access_data))
    }

    /// The registers of System PMU `number`; what is refused is zero.
    fn system_pmu(&mut self, number: u64) -> Result<Registers, Stop> {
        self.run(CycleInput::write(SysReg::Spmselr, number << 4))?;
        let mut read = |register| self.read(register).map(Option::unwrap_or_default);
        Ok(Registers {
            spmiidr: read(SysReg::Spmiidr)?,
            spmdevarch: read(SysReg::Spmdevarch)?,
            spmdevaff: read(SysReg::Spmdevaff)?,
            spmcfgr: read(SysReg::Spmcfgr)?,
            spmcgcr: [
                read(SysReg::Spmcgcr(Number::at::<0>()))?,
                read(SysReg::Spmcgcr(Number::at::<1>()))?,
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dut::ModelledDut;
    use pmu_model::implementation::Layout;

    fn small() -> Implementation {
        let mut small = Implementation {
            name: "small".into(),
            ..Implementation::default()
        };
        small.pmu.counters = 6;
        small.pmu.pmmir = 0x1_2345;
        small.pe.tme = true;
        small.pe.fgt2 = false;
        small.knobs.layout = Layout::Year2021;
        small.wrapper.access_interval = 3;
        small.wrapper.external = false;
        small
    }

    /// What can be found out of `implementation` from a design of it.
    fn found(implementation: &Implementation, latency: u8) -> Result<Implementation, StateError> {
        let dut = ModelledDut::new(implementation).expect("legal");
        let mut dut = dut.with_latency(0, latency);
        let mut found = stated(&implementation.name, &dut.parameters())?;
        read_back(&mut dut, &mut found)?;
        Ok(found)
    }

    #[test]
    fn a_design_tells_what_it_is() {
        for implementation in [Implementation::default(), small()] {
            for latency in [0, 3] {
                let found = found(&implementation, latency).expect("it is consistent");
                assert_eq!(found, implementation);
            }
        }
    }

    #[test]
    fn a_design_that_contradicts_itself_is_told() {
        let mut other = small();
        other.pmu.counters = 7;
        let dut = ModelledDut::new(&other).expect("legal");
        let mut dut = dut.with_latency(0, 0);
        let mut found = stated("small", &DutParameters::of(&small())).expect("legal");
        let error = read_back(&mut dut, &mut found).unwrap_err().to_string();
        assert!(
            error.contains("PMCR_EL0") && error.contains("0x3040"),
            "{error}"
        );
    }

    #[test]
    fn parameters_outside_the_contract_are_told() {
        let right = DutParameters::of(&Implementation::default());
        let error = |change: fn(&mut DutParameters)| {
            let mut parameters = right;
            change(&mut parameters);
            stated("x", &parameters).unwrap_err().to_string()
        };
        assert!(error(|p| p.magic = 0).contains("magic number"));
        assert!(error(|p| p.contract_version = 9).contains("contract version"));
        assert!(error(|p| p.features |= 1 << 31).contains("features above"));
        assert!(error(|p| p.lacks = 0x40).contains("lacks above"));
        assert!(error(|p| p.increment_form = 3).contains("increment_form = 3"));
        assert!(error(|p| p.counters = 40).contains("pmu.counters = 40"));
    }
}
