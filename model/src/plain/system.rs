//! Registers of System PMUs (SPMU-01 to SPMU-16).

use crate::number::Number;
use crate::sysreg::SysReg;

use super::Plain;
use super::kinds::kind;
use super::operators::Operators;
use super::registers::{CLEARS, set_or_clear, way_of};
use super::site::Site;
use super::state::{OF_SYSTEM_PMU, SYSTEM, SYSTEM_SELECT};

impl Plain {
    /// The System PMU that is selected.
    fn unit<O: Operators>(&mut self, operators: &mut O, at: usize) -> usize {
        let unit = self.state.get(SYSTEM_SELECT) >> 4;
        operators.word(Site::SystemUnit, at, unit) as usize
    }

    /// Where a register of a System PMU is kept, the System PMU, and the counter if it is of one.
    fn place<O: Operators>(
        &mut self,
        operators: &mut O,
        register: SysReg,
    ) -> Option<(usize, usize, Option<usize>)> {
        use SysReg::*;
        let at = kind(register);
        let unit = self.unit(operators, at);
        self.fixed.implementation.system_pmu.get(unit)?;
        let bank = self.state.get(SYSTEM_SELECT) & 3;
        let bank = operators.word(Site::Bank, at, bank) as usize;
        let of_counter = |n: Number<0, 15>| bank * 16 + usize::from(n);
        let first = SYSTEM + unit * OF_SYSTEM_PMU;
        let (place, counter) = match register {
            Spmevcntr(n) => (first, Some(of_counter(n))),
            Spmevtyper(n) => (first + 64, Some(of_counter(n))),
            Spmevfiltr(n) => (first + 128, Some(of_counter(n))),
            Spmevfilt2r(n) => (first + 192, Some(of_counter(n))),
            Spmcntenset | Spmcntenclr => (first + 256, None),
            Spmovsset | Spmovsclr => (first + 257, None),
            Spmintenset | Spmintenclr => (first + 258, None),
            _ => return None,
        };
        Some((place + counter.unwrap_or(0), unit, counter))
    }

    /// What a read returns.
    pub(super) fn read_system<O: Operators>(&mut self, operators: &mut O, register: SysReg) -> u64 {
        use SysReg::*;
        let describes = matches!(
            register,
            Spmiidr | Spmdevarch | Spmdevaff | Spmcfgr | Spmcgcr(_)
        );
        if describes {
            let unit = self.unit(operators, kind(register));
            let Some(registers) = self.fixed.system.get(unit) else {
                return 0;
            };
            return match register {
                Spmiidr => registers.spmiidr,
                Spmdevarch => registers.spmdevarch,
                Spmdevaff => registers.spmdevaff,
                Spmcfgr => registers.spmcfgr,
                Spmcgcr(n) => registers.spmcgcr[usize::from(n.get() != 0)],
                _ => 0,
            };
        }
        match self.place(operators, register) {
            Some((place, ..)) => self.state.get(place),
            None => 0,
        }
    }

    /// What a write does.
    pub(super) fn write_system<O: Operators>(
        &mut self,
        operators: &mut O,
        register: SysReg,
        data: u64,
    ) {
        let Some((place, unit, counter)) = self.place(operators, register) else {
            return;
        };
        let pmu = &self.fixed.implementation.system_pmu[unit];
        let implemented = pmu.implemented_counters();
        let bits = match register {
            SysReg::Spmevcntr(_) => pmu.size_bits,
            _ => 64,
        };
        let at = kind(register);
        let implemented = operators.word(Site::Implemented, at, implemented);
        match counter {
            Some(n) if implemented >> n & 1 == 1 => {
                let bits = operators
                    .word(Site::SystemBits, at, bits.into())
                    .clamp(1, 64);
                self.state.set(place, data & u64::MAX >> (64 - bits));
            }
            Some(_) => {}
            None => {
                let way = way_of(operators, register);
                let value = self.state.get(place);
                let bits = match way {
                    CLEARS => data,
                    _ => data & implemented,
                };
                self.state.set(place, set_or_clear(way, value, bits));
            }
        }
    }
}
