//! Where the state comes from: the last write of each register, for explanations.

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

const SLOTS: usize = 68;

/// The origin of every register's contents.
#[derive(Clone, Debug)]
pub struct Provenance {
    origins: [Origin; SLOTS],
}

impl Default for Provenance {
    fn default() -> Self {
        Self {
            origins: [Origin::PowerUp; SLOTS],
        }
    }
}

impl Provenance {
    /// Notes a reset.
    pub fn reset(&mut self, cycle: u64) {
        self.origins = [Origin::Reset { cycle }; SLOTS];
    }

    /// Notes that a write of `written` with `data` set `target`.
    pub fn write(&mut self, target: SysReg, cycle: u64, written: SysReg, data: u64) {
        if let Some(slot) = slot(target) {
            self.origins[slot] = Origin::Write {
                cycle,
                register: written,
                data,
            };
        }
    }

    /// What last set `register`. Registers that share their contents share their origin; increments and
    /// overflows are not looked at.
    pub fn of(&self, register: SysReg) -> Origin {
        slot(register).map_or(Origin::PowerUp, |slot| self.origins[slot])
    }
}

/// The slot of a register's contents; none for aliases and constants.
fn slot(register: SysReg) -> Option<usize> {
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
        Pmxevtyper | Pmxevcntr | Pmmir => return None,
    })
}
