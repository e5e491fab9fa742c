//! The registers of a design's System PMUs, as they are read and written (SPMU-01..06, SPMU-15..18). What a System
//! PMU counts is IMPLEMENTATION DEFINED: nothing here changes but by a write.

use crate::implementation::Implementation;
use crate::sysreg::SysReg;

use super::registers::{Registers, SIZE};

/// SPMSELR_EL0.{SYSPMUSEL, BANK}.
const SELECT_BITS: u64 = 0x3F3;
/// Counters of a bank.
const BANK: usize = 16;
/// Counters that can be reached.
const COUNTERS: usize = 64;
/// Places in [`SystemPmus::place`] of the registers of one System PMU.
const PLACES: usize = 4 * COUNTERS + 3;

/// The System PMUs of a design, and SPMSELR_EL0.
#[derive(Clone, Debug)]
pub struct SystemPmus {
    /// SPMSELR_EL0.
    select: u64,
    units: Vec<Unit>,
}

/// The registers of one System PMU.
#[derive(Clone, Debug)]
struct Unit {
    /// Those that describe it.
    registers: Registers,
    /// SPMU-15: the counters that are implemented.
    implemented: u64,
    /// Bits of SPMEVCNTR: SPMCFGR_EL1.SIZE.
    counter_mask: u64,
    /// SPMCNTENSET_EL0, SPMOVSSET_EL0, SPMINTENSET_EL1.
    flags: [u64; 3],
    /// SPMEVCNTR, SPMEVTYPER, SPMEVFILTR, SPMEVFILT2R of each counter.
    counters: [[u64; COUNTERS]; 4],
}

/// A register of a System PMU that a write can change.
enum Slot {
    /// SPMSELR_EL0.
    Select,
    /// A register of flags: its number, and whether ones are cleared.
    Flags(usize, bool),
    /// A register of a counter: its number, and n.
    Counter(usize, u8),
}

/// The slot of `register`; `None` for the registers that describe a System PMU (SPMU-06), and for others.
fn slot(register: SysReg) -> Option<Slot> {
    Some(match register {
        SysReg::Spmselr => Slot::Select,
        SysReg::Spmcntenset => Slot::Flags(0, false),
        SysReg::Spmcntenclr => Slot::Flags(0, true),
        SysReg::Spmovsset => Slot::Flags(1, false),
        SysReg::Spmovsclr => Slot::Flags(1, true),
        SysReg::Spmintenset => Slot::Flags(2, false),
        SysReg::Spmintenclr => Slot::Flags(2, true),
        SysReg::Spmevcntr(n) => Slot::Counter(0, n.get()),
        SysReg::Spmevtyper(n) => Slot::Counter(1, n.get()),
        SysReg::Spmevfiltr(n) => Slot::Counter(2, n.get()),
        SysReg::Spmevfilt2r(n) => Slot::Counter(3, n.get()),
        _ => return None,
    })
}

impl SystemPmus {
    /// The System PMUs of `implementation`, out of reset.
    pub fn new(implementation: &Implementation) -> Self {
        let units = implementation.system_pmu.iter().map(|pmu| {
            let registers = pmu.registers();
            Unit {
                registers,
                implemented: pmu.implemented_counters(),
                counter_mask: u64::MAX >> (63 - SIZE.of(registers.spmcfgr)),
                flags: [0; 3],
                counters: [[0; COUNTERS]; 4],
            }
        });
        Self {
            select: 0,
            units: units.collect(),
        }
    }

    /// DUT-11.
    pub fn reset(&mut self) {
        self.select = 0;
        for unit in &mut self.units {
            unit.flags = [0; 3];
            unit.counters = [[0; COUNTERS]; 4];
        }
    }

    /// Whether there is any (DUT-30).
    pub fn any(&self) -> bool {
        !self.units.is_empty()
    }

    /// SPMSELR_EL0.SYSPMUSEL.
    pub fn selected(&self) -> u8 {
        (self.select >> 4) as u8
    }

    /// SPMSELR_EL0.BANK.
    pub fn bank(&self) -> u8 {
        self.select as u8 & 3
    }

    /// SPMU-16: the counter that register `n` of the bank selected is of.
    fn counter(&self, n: u8) -> usize {
        usize::from(self.bank()) * BANK + usize::from(n)
    }

    /// SPMU-18: the System PMU that is selected, if it is implemented.
    fn unit(&self) -> Option<&Unit> {
        self.units.get(usize::from(self.selected()))
    }

    /// Whether a write of `register` is possible: SPMU-06.
    pub fn is_writable(register: SysReg) -> bool {
        slot(register).is_some()
    }

    /// The contents of `register`, of the System PMU that is selected (DUT-33).
    pub fn read(&self, register: SysReg) -> u64 {
        if register == SysReg::Spmselr {
            return self.select;
        }
        // SPMU-18: RAZ.
        let Some(unit) = self.unit() else { return 0 };
        match (register, slot(register)) {
            (SysReg::Spmiidr, _) => unit.registers.spmiidr,
            (SysReg::Spmdevarch, _) => unit.registers.spmdevarch,
            (SysReg::Spmdevaff, _) => unit.registers.spmdevaff,
            (SysReg::Spmcfgr, _) => unit.registers.spmcfgr,
            (SysReg::Spmcgcr(n), _) => unit.registers.spmcgcr[usize::from(n)],
            (_, Some(Slot::Flags(flags, _))) => unit.flags[flags],
            // SPMU-15: a counter that is not implemented has never been written.
            (_, Some(Slot::Counter(kind, n))) => unit.counters[kind][self.counter(n)],
            _ => 0,
        }
    }

    /// The effect of a write.
    pub fn write(&mut self, register: SysReg, data: u64) {
        let selected = usize::from(self.selected());
        match slot(register) {
            Some(Slot::Select) => self.select = data & SELECT_BITS,
            Some(Slot::Flags(flags, clear)) => {
                if let Some(unit) = self.units.get_mut(selected) {
                    // SPMU-15.
                    let bits = data & unit.implemented;
                    let flags = &mut unit.flags[flags];
                    *flags = if clear { *flags & !bits } else { *flags | bits };
                }
            }
            Some(Slot::Counter(kind, n)) => {
                let index = self.counter(n);
                if let Some(unit) = self.units.get_mut(selected)
                    && unit.implemented >> index & 1 == 1
                {
                    // SPMU-04: the width of a counter.
                    let bits = if kind == 0 {
                        unit.counter_mask
                    } else {
                        u64::MAX
                    };
                    unit.counters[kind][index] = data & bits;
                }
            }
            None => {}
        }
    }

    /// A number for what a write of `register` would change now, in 0 to [`SystemPmus::places`]; `None` if nothing.
    pub fn place(&self, register: SysReg) -> Option<usize> {
        let in_unit = match slot(register)? {
            Slot::Select => return Some(0),
            Slot::Flags(flags, _) => flags,
            Slot::Counter(kind, n) => 3 + kind * COUNTERS + self.counter(n),
        };
        self.unit()
            .map(|_| 1 + usize::from(self.selected()) * PLACES + in_unit)
    }

    /// How many places there are.
    pub fn places(&self) -> usize {
        1 + self.units.len() * PLACES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Number;

    fn selected(pmu: u64, bank: u64) -> SystemPmus {
        let mut pmus = SystemPmus::new(&Implementation::default());
        pmus.write(SysReg::Spmselr, pmu << 4 | bank | 0xFFFF_FC0C);
        pmus
    }

    #[test]
    fn spmu_16_bank_and_number_reach_a_counter() {
        let mut pmus = selected(0, 2);
        pmus.write(SysReg::Spmevtyper(Number::at::<5>()), 7);
        assert_eq!(pmus.read(SysReg::Spmevtyper(Number::at::<5>())), 7);
        pmus.write(SysReg::Spmselr, 0);
        assert_eq!(
            pmus.read(SysReg::Spmevtyper(Number::at::<5>())),
            0,
            "bank 0"
        );
    }

    #[test]
    fn spmu_15_registers_and_flags_of_counters_that_are_not_implemented_are_raz_wi() {
        let mut pmus = selected(0, 2);
        pmus.write(SysReg::Spmevcntr(Number::at::<6>()), u64::MAX);
        assert_eq!(pmus.read(SysReg::Spmevcntr(Number::at::<6>())), 0);
        pmus.write(SysReg::Spmintenset, u64::MAX);
        assert_eq!(pmus.read(SysReg::Spmintenclr), 0x3F_0000_000F);
        pmus.write(SysReg::Spmintenclr, 1);
        assert_eq!(pmus.read(SysReg::Spmintenset), 0x3F_0000_000E);
        assert_eq!(pmus.read(SysReg::Spmcntenset), 0);
    }

    #[test]
    fn spmu_04_only_counters_have_the_width_of_size() {
        let mut pmus = selected(1, 0);
        pmus.write(SysReg::Spmevcntr(Number::at::<0>()), u64::MAX);
        pmus.write(SysReg::Spmevfilt2r(Number::at::<0>()), u64::MAX);
        assert_eq!(pmus.read(SysReg::Spmevcntr(Number::at::<0>())), 0xFFFF_FFFF);
        assert_eq!(pmus.read(SysReg::Spmevfilt2r(Number::at::<0>())), u64::MAX);
    }

    #[test]
    fn spmu_18_a_system_pmu_that_is_not_implemented_is_raz_wi() {
        for pmu in [2, 31, 32, 63] {
            let mut pmus = selected(pmu, 0);
            assert_eq!(pmus.read(SysReg::Spmselr), pmu << 4);
            pmus.write(SysReg::Spmcntenset, u64::MAX);
            pmus.write(SysReg::Spmevcntr(Number::at::<0>()), u64::MAX);
            for register in SysReg::all(&Implementation::default()) {
                if register.address() >> 14 == 2 && register != SysReg::Spmselr {
                    assert_eq!(pmus.read(register), 0, "{register}");
                }
            }
        }
    }
}
