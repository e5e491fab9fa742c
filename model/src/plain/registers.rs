//! What reads return and writes do (section 6 of the contract).

use crate::contract::{AccessKind, CYCLE_COUNTER, CycleInput, CycleOutput};
use crate::pmu::event_type::{EVTCOUNT, TC, TE, TH, TLC};
use crate::sysreg::SysReg;

use super::kinds::{KINDS, kind};
use super::mutant::Mutation;
use super::operators::Operators;
use super::site::Site;
use super::state::{self, BUFFER, COPIES, COUNTERS, CYCLE_COPY, TYPES};
use super::view::View;
use super::when::Before;
use super::{Effect, Plain};

/// The bits that the copies of a type have.
const OF_COPIES: [u64; 3] = {
    let (event, datapath) = (
        EVTCOUNT.mask(),
        TC.mask() | TE.mask() | TLC.mask() | TH.mask(),
    );
    [!(event | datapath), event, datapath]
};

/// How a write of a register of bits that are set or cleared goes: the numbers of [`Site::SetOrClear`].
const SETS: usize = 0;
pub(super) const CLEARS: usize = 1;
/// How many ways there are: the third one takes the data as they are, the fourth one toggles.
const WAYS: usize = 4;
/// When a write may take effect: the numbers of [`Site::WriteLate`].
pub(super) const LATE: usize = 3;

/// How a register of bits is written.
pub(super) fn way_of<O: Operators>(operators: &mut O, register: SysReg) -> usize {
    use SysReg::*;
    let way = match register {
        Pmcntenclr | Spmcntenclr | Spmovsclr | Spmintenclr => CLEARS,
        _ => SETS,
    };
    operators.index(Site::SetOrClear, kind(register), way, WAYS)
}

/// What comes of a word with bits that are written in one of these ways.
pub(super) fn set_or_clear(way: usize, word: u64, bits: u64) -> u64 {
    match way {
        SETS => word | bits,
        CLEARS => word & !bits,
        2 => bits,
        _ => word ^ bits,
    }
}

/// A register, or what a mutant takes for it, of the same number.
pub(super) fn as_other<O: Operators>(operators: &mut O, site: Site, register: SysReg) -> SysReg {
    let at = kind(register);
    let other = operators.index(site, at, at, KINDS.len());
    match other == at {
        true => register,
        false => with_number(KINDS[other.min(KINDS.len() - 1)].1, register.address()),
    }
}

/// A register of a kind, with the number that an address has.
fn with_number(register: SysReg, address: u16) -> SysReg {
    let n = (address & 31) as u8;
    let found = match register {
        SysReg::Pmevcntr(_) => SysReg::pmevcntr(n),
        SysReg::Pmevtyper(_) => SysReg::pmevtyper(n),
        SysReg::Spmevcntr(_) => SysReg::spmevcntr(n & 15),
        SysReg::Spmevtyper(_) => SysReg::spmevtyper(n & 15),
        SysReg::Spmevfiltr(_) => SysReg::spmevfiltr(n & 15),
        SysReg::Spmevfilt2r(_) => SysReg::spmevfilt2r(n & 15),
        other => Some(other),
    };
    found.unwrap_or(register)
}

/// The bits of a field, or those that a mutant takes for it, in their place.
pub(super) fn placed<O: Operators>(
    operators: &mut O,
    (site, at): (Site, usize),
    value: u64,
    mask: u64,
) -> u64 {
    operators.see(site, at, value & mask, &|mutation| match mutation {
        Mutation::Other(1) => value >> 1 & mask,
        Mutation::Other(2) => value << 1 & mask,
        _ => value & mask,
    })
}

/// What a copy takes of a write: a mutant takes the data of an external write as they are.
fn as_halves<O: Operators>(
    operators: &mut O,
    (site, at): (Site, usize),
    data: u64,
    input: &CycleInput,
) -> u64 {
    let external = input.access_kind == AccessKind::ExternalWrite as u8;
    match external && operators.bit(site, at, false) {
        true => data & 0xFFFF_FFFF_0000_0000 | input.access_data & 0xFFFF_FFFF,
        false => data,
    }
}

impl Plain {
    fn counters_mask(&self) -> u64 {
        1 << 31 | ((1 << self.fixed.implementation.pmu.counters) - 1)
    }

    /// DUT-13: what a read of `register` returns.
    pub(super) fn read<O: Operators>(&mut self, operators: &mut O, register: SysReg) -> u64 {
        let at = kind(register);
        let register = as_other(operators, Site::ReadAs, register);
        let value = self.stored(operators, register);
        operators.word(Site::ReadValue, at, value)
    }

    /// What `register` is.
    pub(super) fn stored<O: Operators>(&mut self, operators: &mut O, register: SysReg) -> u64 {
        use SysReg::*;
        let at = kind(register);
        let implementation = &self.fixed.implementation;
        match register {
            Pmcr => {
                let n = u64::from(implementation.pmu.counters);
                let long = self.state.get(state::LONG);
                n << 11 | long << 7 | 1 << 6 | self.state.get(state::ENABLE)
            }
            Pmcntenset | Pmcntenclr => self.state.get(state::ENABLED),
            Pmovsset | Pmovsclr => self.state.get(state::FLAGS),
            Pmselr => self.state.get(state::SELECT),
            Pmccntr => self.state.get(COUNTERS + CYCLE_COUNTER),
            Pmevcntr(n) => {
                let n = operators.index(Site::ReadNumber, at, n.into(), 31).min(30);
                self.state.get(COUNTERS + n)
            }
            Pmevtyper(n) => {
                let n = operators.index(Site::ReadNumber, at, n.into(), 31).min(30);
                self.state.get(TYPES + n)
            }
            Pmccfiltr => self.state.get(state::CYCLE_FILTER),
            Pmmir => {
                let pmu = &implementation.pmu;
                let edge = u64::from(pmu.edge) + u64::from(pmu.th2);
                edge << 24 | u64::from(implementation.thwidth()) << 20 | u64::from(pmu.pmmir)
            }
            Pmsicr => {
                let ecount = self.state.get(state::ECOUNT);
                ecount << 56 | self.state.get(state::COUNT)
            }
            Pmsirr => self.state.get(state::INTERVAL),
            Pmsidr => implementation.pmsidr().into(),
            Pmbsr(x) => {
                let index = usize::from(x) - 1;
                let index = operators.index(Site::ReadNumber, at, index, 3) % 3;
                let coll = self.state.get(state::COLL) >> index & 1;
                self.state.get(BUFFER + index) | coll << 16
            }
            Spmselr => self.state.get(state::SYSTEM_SELECT),
            // They stand for another register, which has been put in their place.
            Pmxevtyper | Pmxevcntr => 0,
            _ => self.read_system(operators, register),
        }
    }

    /// A mutant may read what is after the cycle.
    pub(super) fn read_again<O: Operators>(&mut self, operators: &mut O, output: &mut CycleOutput) {
        let Some((register, view)) = self.last_read else {
            return;
        };
        if operators.bit(Site::ReadsAfter, kind(register), false) {
            output.access_data = view.of(self.read(operators, register));
        }
    }

    /// DUT-12: a write takes effect.
    pub(super) fn write<O: Operators>(
        &mut self,
        operators: &mut O,
        register: SysReg,
        data: u64,
        input: &CycleInput,
    ) {
        use SysReg::*;
        let at = kind(register);
        if !operators.bit(Site::WriteTaken, at, true) {
            return;
        }
        let register = as_other(operators, Site::WrittenAs, register);
        let data = operators.word(Site::WrittenValue, at, data);
        let pmu = &self.fixed.implementation.pmu;
        let long = pmu.counter_bits == 64;
        let counter_mask = u64::MAX >> (64 - pmu.counter_bits);
        match register {
            Pmcr => {
                let zeroed = self.zeroed(operators, data);
                self.zero(zeroed);
                let enable = placed(operators, (Site::WrittenPlace, 0), data, 1);
                let lp = placed(operators, (Site::WrittenPlace, 1), data, 1 << 7) >> 7;
                self.state.set(state::ENABLE, enable);
                self.state.set(state::LONG, lp & u64::from(long));
            }
            Pmcntenset | Pmcntenclr => self.set_or_clear(operators, register, state::ENABLED, data),
            Pmovsset => self.set_or_clear(operators, register, state::FLAGS, data),
            // DUT-23: with the overflows of the cycle.
            Pmovsclr => {}
            Pmselr => {
                let select = placed(operators, (Site::WrittenPlace, 2), data, 31);
                self.state.set(state::SELECT, select);
            }
            Pmccntr => {
                let v = self.last[CYCLE_COUNTER];
                self.write_counter(operators, CYCLE_COUNTER, data, (v, u64::MAX));
            }
            Pmevcntr(n) => {
                let n = usize::from(n);
                let place = operators.index(Site::WriteNumber, at, n, 31).min(30);
                for n in self.reached(operators, 0, place) {
                    let v = self.last[n];
                    self.write_counter(operators, n, data, (v, counter_mask));
                }
            }
            Pmevtyper(n) => {
                let n = operators.index(Site::WriteNumber, at, n.into(), 31).min(30);
                for n in self.reached(operators, 1, n) {
                    self.write_type(operators, n, data, input);
                }
            }
            Pmccfiltr => {
                let stored = operators.word(Site::Stored, 2, self.fixed.cycle_filter_stored);
                self.state.set(state::CYCLE_FILTER, data & stored);
                if operators.bit(Site::CycleCopyTaken, 0, true) {
                    let data = as_halves(operators, (Site::CycleCopyWhole, 0), data, input);
                    self.state.set(CYCLE_COPY, data & stored);
                }
            }
            Pmsirr => {
                let rnd = placed(operators, (Site::WrittenPlace, 3), data, 1);
                let interval = placed(operators, (Site::WrittenPlace, 4), data, 0xFFFF_FF00);
                self.state.set(state::INTERVAL, interval | rnd);
            }
            Pmsicr => {
                let count = placed(operators, (Site::WrittenPlace, 5), data, 0xFFFF_FFFF);
                self.state.set(state::COUNT, count);
                let ecount = match self.fixed.implementation.spe.ernd {
                    true => placed(operators, (Site::WrittenPlace, 6), data, 0xFF << 56) >> 56,
                    false => 0,
                };
                self.state.set(state::ECOUNT, ecount);
            }
            Pmbsr(x) => {
                let index = usize::from(x) - 1;
                let index = operators.index(Site::WriteNumber, at, index, 3) % 3;
                if operators.bit(Site::BufferTaken, index, true) {
                    self.state.set(BUFFER + index, data & 0x00FF_FFFF_FC0E_FFFF);
                }
                let coll = self.state.get(state::COLL) & !(1 << index);
                let set = operators.pick(Site::CollWritten, index, data, 16);
                let hit = self.hit >> index & 1 == 1;
                let set = set || hit && operators.bit(Site::CollisionWins, 0, false);
                self.state.set(state::COLL, coll | u64::from(set) << index);
            }
            Spmselr => {
                let bank = placed(operators, (Site::WrittenPlace, 7), data, 3);
                let unit = placed(operators, (Site::WrittenPlace, 8), data, 0x3F0);
                self.state.set(state::SYSTEM_SELECT, unit | bank);
            }
            _ => self.write_system(operators, register, data),
        }
    }

    /// Zeroes counters.
    fn zero(&mut self, mut counters: u32) {
        while counters != 0 {
            let n = counters.trailing_zeros() as usize;
            counters &= counters - 1;
            self.state.set(COUNTERS + n, 0);
        }
    }

    /// The counters whose register a write of that of counter `n` reaches: a mutant reaches all.
    fn reached<O: Operators>(
        &self,
        operators: &mut O,
        at: usize,
        n: usize,
    ) -> std::ops::Range<usize> {
        match operators.bit(Site::AllWritten, at, false) {
            true => 0..self.fixed.implementation.pmu.counters.into(),
            false => n..n + 1,
        }
    }

    /// Writes the type of counter `n`, and what is decoded of it.
    fn write_type<O: Operators>(
        &mut self,
        operators: &mut O,
        n: usize,
        data: u64,
        input: &CycleInput,
    ) {
        let stored = operators.word(Site::Stored, n % 2, self.fixed.stored[n]);
        self.state.set(TYPES + n, data & stored);
        for (copy, bits) in OF_COPIES.into_iter().enumerate() {
            if operators.bit(Site::CopyTaken, copy, true)
                && !operators.bit(Site::CopyLate, copy, false)
            {
                let data = as_halves(operators, (Site::CopyWhole, copy), data, input);
                let data = operators.word(Site::CopyData, copy, data & stored) & bits;
                self.state.set(COPIES + 31 * copy + n, data);
            }
        }
        if operators.bit(Site::TypeClearsPrevious, 0, false) {
            let previous = self.state.get(state::PREVIOUS) & !(1 << n);
            self.state.set(state::PREVIOUS, previous);
        }
    }

    /// The write of the cycle before, and the register that it reached, or the part of one.
    fn before(&mut self) -> Option<(Before, SysReg, View)> {
        let before = self.around.before?;
        let (target, view) = self.target(before.kind, before.address);
        let mut select = || self.state.get(state::SELECT) as u8;
        let register = match target? {
            SysReg::Pmxevtyper => SysReg::pmevtyper(select()).unwrap_or(SysReg::Pmccfiltr),
            SysReg::Pmxevcntr => SysReg::pmevcntr(select())?,
            register => register,
        };
        Some((before, register, view))
    }

    /// Copies of the type that was written in the cycle before, which mutants change at the end of this one.
    pub(super) fn late_copies<O: Operators>(&mut self, operators: &mut O) {
        let Some((_, SysReg::Pmevtyper(n), _)) = self.before() else {
            return;
        };
        let n = usize::from(n);
        for (copy, bits) in OF_COPIES.into_iter().enumerate() {
            if operators.bit(Site::CopyLate, copy, false) {
                let value = self.state.get(TYPES + n) & bits;
                self.state.set(COPIES + 31 * copy + n, value);
            }
        }
    }

    /// The write of the cycle before, if a mutant makes it the effect of this one.
    pub(super) fn late<O: Operators>(&mut self, operators: &mut O, input: &CycleInput) -> Effect {
        let (before, register, view) = self.before()?;
        let data = match operators.index(Site::WriteLate, kind(register), 0, LATE) {
            0 => return None,
            1 => before.data,
            _ => input.access_data,
        };
        let old = self.stored(operators, register);
        Some((register, view.with(old, data)))
    }

    /// The counters that mutants zero in a cycle that does not.
    pub(super) fn zeroed_anyway<O: Operators>(
        &mut self,
        operators: &mut O,
        input: &CycleInput,
    ) -> u32 {
        let data = input.access_data;
        let by = |operators: &mut O, bit: u64, part: usize| {
            data >> bit & 1 == 1 && operators.bit(Site::ControlEnabled, part, false)
        };
        let events = match by(operators, 1, 2) {
            true => self.counters_mask() as u32 & !(1 << 31),
            false => 0,
        };
        events | u32::from(by(operators, 2, 3)) << 31
    }

    /// What mutants write in a cycle that does not.
    pub(super) fn write_anyway<O: Operators>(
        &mut self,
        operators: &mut O,
        input: &CycleInput,
        written: Option<usize>,
    ) {
        self.control_anyway(operators, input);
        for (at, &(_, register)) in KINDS.iter().enumerate() {
            let is_read_only = matches!(at, 7 | 13 | 18..=23);
            if !is_read_only
                && (operators.bit(Site::WriteEnabled, at, false)
                    || Some(at) != written && operators.bit(Site::EnableInverted, at, false))
            {
                let register = with_number(register, input.access_address);
                self.write(operators, register, input.access_data, input);
            }
        }
        let is_write = AccessKind::from_code(input.access_kind).is_write();
        for (copy, bits) in OF_COPIES.into_iter().enumerate() {
            if operators.bit(Site::CopyEnabled, copy, false)
                || is_write && operators.bit(Site::CopyEnabledInWrites, copy, false)
            {
                let n = usize::from(input.access_address & 31).min(30);
                let data = input.access_data & self.fixed.present[n] & bits;
                self.state.set(COPIES + 31 * copy + n, data);
            }
        }
    }

    /// What mutants write of all counters, before anything else is written: PMCR_EL0.P goes before it.
    pub(super) fn write_all_anyway<O: Operators>(&mut self, operators: &mut O, input: &CycleInput) {
        let data = input.access_data;
        let counters = self.fixed.implementation.pmu.counters;
        let all = |of: fn(u8) -> Option<SysReg>| (0..counters).filter_map(of);
        if operators.bit(Site::AllEnabled, 0, false) {
            all(SysReg::pmevcntr).for_each(|each| self.write(operators, each, data, input));
        }
        if operators.bit(Site::AllEnabled, 1, false) {
            all(SysReg::pmevtyper).for_each(|each| self.write(operators, each, data, input));
        }
    }

    /// The same of the parts of PMCR_EL0.
    fn control_anyway<O: Operators>(&mut self, operators: &mut O, input: &CycleInput) {
        let data = input.access_data;
        self.zero(self.zeroed);
        if operators.bit(Site::ControlEnabled, 0, false) {
            self.state.set(state::ENABLE, data & 1);
        }
        if operators.bit(Site::ControlEnabled, 1, false) {
            let long = self.fixed.implementation.pmu.counter_bits == 64;
            self.state.set(state::LONG, data >> 7 & u64::from(long));
        }
    }

    /// DUT-21: the counters that a write of PMCR_EL0 zeroes.
    pub(super) fn zeroed<O: Operators>(&mut self, operators: &mut O, data: u64) -> u32 {
        let events = self.counters_mask() & !(1 << 31);
        let p = operators.pick(Site::ResetByP, 0, data, 1);
        let c = operators.pick(Site::ResetByC, 0, data, 2);
        let zeroed = operators.word(Site::ZeroedByP, 0, if p { events } else { 0 }) as u32;
        zeroed | u32::from(c) << 31
    }

    fn set_or_clear<O: Operators>(
        &mut self,
        operators: &mut O,
        register: SysReg,
        word: usize,
        data: u64,
    ) {
        let at = kind(register);
        let implemented = operators.word(Site::Implemented, at, self.counters_mask());
        let way = way_of(operators, register);
        let spared = match operators.bit(Site::SparesCounting, at, false) {
            true => u64::from(operators.moment().counted),
            false => 0,
        };
        let value = self.state.get(word);
        let bits = data & implemented & !spared;
        self.state.set(word, set_or_clear(way, value, bits));
    }

    /// DUT-20.
    fn write_counter<O: Operators>(
        &mut self,
        operators: &mut O,
        n: usize,
        data: u64,
        (counted, mask): (u64, u64),
    ) {
        let kept = counted != 0 && !operators.bit(Site::WriteWins, n, true);
        if kept {
            return;
        }
        let on_top = match operators.bit(Site::AddsToWrite, n, false) {
            true => counted,
            false => 0,
        };
        self.state
            .set(COUNTERS + n, data.wrapping_add(on_top) & mask);
    }
}
