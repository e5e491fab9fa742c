//! Area `spmu` on the RTL: what the registers of a System PMU read, and which counters keep what is written.
//!
//! What software concludes from registers (`discover`, `decode`, `corrupted`), `max` and `first` do not show on
//! the ports, other than in the counters that are implemented.

use pmu_model::contract::SYSTEM_PMUS;
use pmu_model::{Number, SysReg};

use super::Vector;
use crate::bench::{Bench, Interruption};
use crate::rtl::{Expression, Requirements};

/// A vector in terms of the ports.
pub fn express(vector: Vector) -> Expression {
    let pmu = vector.system_pmu().clone();
    if !pmu.problems().is_empty() {
        return Expression::none("an illegal System PMU (A-SPMU-5)");
    }
    let requirements = Requirements {
        absent_system_pmu: !pmu.implemented,
        system_pmus: Vec::from_iter(pmu.implemented.then_some(pmu.clone())),
        ..Requirements::default()
    };
    let mut expression = Expression::default();
    expression.add(requirements, move |bench| {
        let pmus = &bench.implementation.system_pmu;
        // SPMU-18: the last number that a design can have is that of none.
        let number = match pmu.implemented {
            true => pmus.iter().position(|found| *found == pmu),
            false => None,
        };
        run(&vector, number.unwrap_or(SYSTEM_PMUS - 1) as u64, bench)
    });
    expression
}

fn run(vector: &Vector, number: u64, bench: &mut Bench) -> Result<(), Interruption> {
    const SYSPMUSEL: u32 = 4;
    let select = |bank| number << SYSPMUSEL | bank;
    bench.reset()?;
    bench.write(SysReg::Spmselr, select(0))?;
    for (register, expected) in [
        (SysReg::Spmcfgr, vector.spmcfgr),
        (SysReg::Spmcgcr(Number::at::<0>()), vector.spmcgcr0),
        (SysReg::Spmcgcr(Number::at::<1>()), vector.spmcgcr1),
        (SysReg::Spmiidr, vector.spmiidr),
        (SysReg::Spmdevarch, vector.spmdevarch),
        (SysReg::Spmdevaff, vector.spmdevaff),
    ] {
        let value = bench.read(register)?;
        bench.expect_bits(register, expected.map(|number| number.0), value)?;
    }
    let Some(expected) = vector.implemented else {
        return Ok(());
    };
    // SPMU-15, SPMU-16: a counter that is not implemented is RAZ/WI.
    let mut implemented = 0;
    for counter in 0..64 {
        let register = SysReg::spmevcntr(counter % 16).expect("16 in a bank");
        bench.write(SysReg::Spmselr, select(u64::from(counter / 16)))?;
        bench.write(register, 1)?;
        implemented |= bench.read(register)? << counter;
    }
    bench.expect_bits("implemented", Some(expected.0), implemented)
}
