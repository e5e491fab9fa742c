//! V[22] in cycle 4: expected 2, RTL 0.
//!
//! Made by `lockstep shrink`. It passes when the design does what the model expects.

use pmu_model::{CycleInput, Implementation, Number, SysReg};

use crate::{agrees, lanes};

#[test]
fn v_22_agrees() {
    let cycles = [
        // 0
        CycleInput::reset(),
        // 1
        CycleInput::write(SysReg::Pmcntenset, 0x40_0000),
        // 2
        CycleInput::write(SysReg::Pmcr, 1),
        // 3
        CycleInput::write(SysReg::Pmevtyper(Number::at::<22>()), 0x8000_0002_0000_0028),
        // 4
        CycleInput {
            counting_allowed: u32::MAX,
            event: lanes(&[(40, 2)]),
            ..CycleInput::default()
        },
    ];
    agrees(&Implementation::default(), &cycles);
}
