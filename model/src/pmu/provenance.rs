//! Where the state comes from: the last write of each register, for explanations.

use crate::contract::{AccessKind, CycleInput};
use crate::spmu::SystemPmus;
use crate::sysreg::SysReg;

/// What last set a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Never set: the state before the first reset.
    #[default]
    PowerUp,
    /// A reset.
    Reset {
        /// Its cycle.
        cycle: u64,
    },
    /// A register write.
    Write {
        /// Its cycle.
        cycle: u64,
        /// The register that was written, which may be an alias of the one asked for.
        register: SysReg,
        /// The data written, before fields that are not present are taken out.
        data: u64,
    },
}

/// Slots of the registers of the PE; those of System PMUs follow.
const SLOTS: usize = 73;

/// The last write of a register, as it was driven: few are ever asked for.
#[derive(Clone, Copy, Debug)]
struct Written {
    cycle: u64,
    target: SysReg,
    access_kind: u8,
    access_address: u16,
    data: u64,
}

impl Written {
    fn origin(&self) -> Origin {
        let register = match AccessKind::from_code(self.access_kind) {
            AccessKind::Write => SysReg::from_address(self.access_address),
            AccessKind::Write32 => SysReg::from_address_32(self.access_address),
            _ => None,
        };
        Origin::Write {
            cycle: self.cycle,
            register: register.unwrap_or(self.target),
            data: self.data,
        }
    }
}

/// The origin of every register's contents.
#[derive(Clone, Debug)]
pub struct Provenance {
    writes: Vec<Option<Written>>,
    reset: Option<u64>,
}

impl Provenance {
    /// No register of a design with these System PMUs has been set.
    pub fn new(system_pmus: &SystemPmus) -> Self {
        Self {
            writes: vec![None; SLOTS + system_pmus.places()],
            reset: None,
        }
    }

    /// Notes a reset.
    pub fn reset(&mut self, cycle: u64) {
        self.reset = Some(cycle);
    }

    /// Notes that the write of `input` set `target`; `system_pmus` is the state before the write.
    #[inline]
    pub fn write(
        &mut self,
        target: SysReg,
        cycle: u64,
        input: &CycleInput,
        system_pmus: &SystemPmus,
    ) {
        if let Some(slot) = slot(target, system_pmus) {
            self.writes[slot] = Some(Written {
                cycle,
                target,
                access_kind: input.access_kind,
                access_address: input.access_address,
                data: input.access_data,
            });
        }
    }

    /// What last set `register`. Registers that share their contents share their origin; increments and
    /// overflows are not looked at.
    pub fn of(&self, register: SysReg, system_pmus: &SystemPmus) -> Origin {
        let Some(slot) = slot(register, system_pmus) else {
            return Origin::PowerUp;
        };
        match (self.writes[slot], self.reset) {
            (Some(written), reset) if reset.is_none_or(|reset| reset < written.cycle) => {
                written.origin()
            }
            (_, Some(cycle)) => Origin::Reset { cycle },
            _ => Origin::PowerUp,
        }
    }
}

/// The slot of a register's contents; none for aliases and constants.
fn slot(register: SysReg, system_pmus: &SystemPmus) -> Option<usize> {
    use SysReg::*;
    Some(match register {
        Pmevtyper(n) => usize::from(n),
        Pmccfiltr => 31,
        Pmevcntr(n) => 32 + usize::from(n),
        Pmccntr => 63,
        Pmcr => 64,
        Pmcntenset | Pmcntenclr => 65,
        Pmovsset | Pmovsclr => 66,
        Pmselr => 67,
        Pmsicr => 68,
        Pmsirr => 69,
        Pmbsr(x) => 69 + usize::from(x),
        Pmxevtyper | Pmxevcntr | Pmmir | Pmsidr => return None,
        _ => SLOTS + system_pmus.place(register)?,
    })
}
