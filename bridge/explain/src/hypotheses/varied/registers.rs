//! What reads return and writes do.

use std::sync::Arc;

use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::implementation::Res0;
use pmu_model::{AccessKind, CycleInput, Number, SysReg};

use crate::hypotheses::Mistake;
use crate::hypotheses::access::Access;
use crate::hypotheses::counters::Counters;
use crate::hypotheses::datapath::Datapath;
use crate::hypotheses::indices::Indices;
use crate::hypotheses::system::System;

use super::{Effect, Varied};

impl Varied {
    /// Where a register of a System PMU is kept: System PMU, kind, number.
    fn place(&self, register: SysReg) -> Option<(usize, u8, u8)> {
        use SysReg::*;
        let unit = self.unit();
        let bank = match self.is(System::BankIgnored) {
            true => 0,
            false => self.state.spmselr as u8 & 3,
        };
        let counter = |n: Number<0, 15>| bank * 16 + n.get();
        self.fixed.implementation.system_pmu.get(unit)?;
        Some(match register {
            Spmcntenset | Spmcntenclr => (unit, 4, 0),
            Spmovsset | Spmovsclr => (unit, 5, 0),
            Spmintenset | Spmintenclr => (unit, 6, 0),
            Spmevcntr(n) => (unit, 0, counter(n)),
            Spmevtyper(n) => (unit, 1, counter(n)),
            Spmevfiltr(n) => (unit, 2, counter(n)),
            Spmevfilt2r(n) => (unit, 3, counter(n)),
            _ => return None,
        })
    }

    /// The System PMU that is selected.
    fn unit(&self) -> usize {
        match self.is(System::SelectIgnored) {
            true => 0,
            false => (self.state.spmselr >> 4) as usize,
        }
    }

    pub(super) fn read(&self, register: SysReg) -> u64 {
        use SysReg::*;
        let (implementation, state) = (&self.fixed.implementation, &self.state);
        let number = match (self.fixed.mistake, register) {
            (Mistake::System(System::IidrOfFirst), Spmiidr) => 0,
            (Mistake::System(System::DevarchOfFirst), Spmdevarch) => 0,
            _ => self.unit(),
        };
        let unit = implementation.system_pmu.get(number);
        let describes = |of: fn(&pmu_model::spmu::Registers) -> u64| {
            unit.map_or(0, |unit| of(&unit.registers()))
        };
        let reversed = |value: u64| match self.is(System::SizesReversed) {
            true => value.swap_bytes(),
            false => value,
        };
        match register {
            Pmcr => {
                let mut n = i64::from(implementation.pmu.counters);
                if let Mistake::Counters(Counters::NumberOff(by)) = self.fixed.mistake {
                    n += i64::from(by);
                }
                let n = (n & 31) as u64;
                n << 11 | u64::from(state.long) << 7 | 1 << 6 | u64::from(state.enable)
            }
            Pmcntenset | Pmcntenclr => state.enabled.into(),
            Pmovsset | Pmovsclr => state.flags.into(),
            Pmselr => state.select.into(),
            Pmccntr => state.counters[CYCLE_COUNTER],
            Pmevcntr(n) => state.counters[usize::from(n)],
            Pmevtyper(n) => state.types[usize::from(n)],
            Pmccfiltr => state.cycle_filter,
            Pmmir => {
                let pmu = &implementation.pmu;
                let mut edge = u64::from(pmu.edge) + u64::from(pmu.th2);
                if let Mistake::Indices(Indices::MmirEdge(value)) = self.fixed.mistake {
                    edge = value.into();
                }
                edge << 24 | u64::from(implementation.thwidth()) << 20 | u64::from(pmu.pmmir)
            }
            Pmsicr => state.unit.pmsicr(),
            Pmsirr => state.pmsirr,
            Pmsidr => implementation.pmsidr().into(),
            Pmbsr(x) => {
                let index = usize::from(x) - 1;
                state.pmbsr[index] | u64::from(state.unit.coll[index]) << 16
            }
            Spmselr => state.spmselr,
            Spmiidr => describes(|registers| registers.spmiidr),
            Spmdevarch => describes(|registers| registers.spmdevarch),
            Spmdevaff => describes(|registers| registers.spmdevaff),
            Spmcfgr => {
                let value = describes(|registers| registers.spmcfgr);
                match self.fixed.mistake {
                    Mistake::System(System::NumberOff(by)) if unit.is_some() => {
                        value.wrapping_add_signed(by.into())
                    }
                    _ => value,
                }
            }
            Spmcgcr(n) if n == 0 => reversed(describes(|registers| registers.spmcgcr[0])),
            Spmcgcr(_) => reversed(describes(|registers| registers.spmcgcr[1])),
            // They stand for another register, which `outcome` has put in their place.
            Pmxevtyper | Pmxevcntr => 0,
            _ => {
                let place = self.place(register);
                place
                    .and_then(|place| state.system.get(&place))
                    .copied()
                    .unwrap_or(0)
            }
        }
    }

    pub(super) fn write(&mut self, effect: Effect, input: &CycleInput) {
        use SysReg::*;
        let Effect::Write(register, data) = effect else {
            return;
        };
        let bits = data as u32 & self.counters_mask();
        let pmu = &self.fixed.implementation.pmu;
        let counter_mask = u64::MAX >> (64 - pmu.counter_bits);
        let has_long = pmu.counter_bits == 64;
        let written = self.written(effect);
        match register {
            Pmcr => {
                for n in (0..32).filter(|n| written >> n & 1 == 1) {
                    self.state.counters[n] = 0;
                }
                self.state.enable = data & 1 == 1;
                self.state.long = data >> 7 & 1 == 1 && has_long;
            }
            Pmcntenset | Pmcntenclr => {
                let missed = match (self.fixed.mistake, register) {
                    (Mistake::Counters(Counters::ClearMisses(n)), Pmcntenclr) => 1 << n,
                    (Mistake::Counters(Counters::SetMisses(n)), Pmcntenset) => 1 << n,
                    _ => 0u32,
                };
                match register {
                    Pmcntenset => self.state.enabled |= bits & !missed,
                    _ => self.state.enabled &= !(bits & !missed),
                }
            }
            Pmovsset if self.is(Counters::FlagSetClears) => self.state.flags &= !bits,
            Pmovsset => self.state.flags |= bits,
            Pmovsclr if self.is(Counters::FlagClearSets) => self.state.flags |= bits,
            Pmovsclr | Pmsicr => {}
            Pmselr => {
                self.state.select_before = self.state.select;
                self.state.select = data as u8 & 31;
            }
            Pmccntr if self.is(Counters::CycleWriteLost) && self.counted(31) => {}
            Pmccntr => {
                let on_top = self.is(Counters::CycleIncrementOnWrite) && self.counted(31);
                self.state.counters[CYCLE_COUNTER] = data.wrapping_add(on_top.into());
            }
            Pmevcntr(n) => self.write_counter(n.get(), data, counter_mask),
            Pmevtyper(n) => self.write_type(usize::from(n), data, input),
            Pmccfiltr => {
                let raz = self.fixed.implementation.knobs.res0 == Res0::RazWi;
                let present = self.fixed.cycle_filter;
                self.state.cycle_filter = if raz { data & present } else { data };
                self.state.cycle_filter_of_filter = self.as_filter_sees(data, input);
            }
            Pmsirr => self.state.pmsirr = data & 0xFFFF_FF01,
            Pmbsr(x) => {
                self.state.pmbsr[usize::from(x) - 1] = data & 0x00FF_FFFF_FC0E_FFFF;
            }
            Spmselr => self.state.spmselr = data & 0x3F3,
            _ => self.write_system(register, data),
        }
    }

    /// The last increment of a counter, as the cycle left it.
    fn counted(&self, n: usize) -> bool {
        self.state.last[n] != 0
    }

    fn write_counter(&mut self, n: u8, data: u64, mask: u64) {
        let n = usize::from(n);
        let v = self.state.last[n];
        if self.is(Counters::WriteLost) && v != 0 {
            return;
        }
        let on_top = if self.is(Counters::IncrementOnWrite) {
            v
        } else {
            0
        };
        self.state.counters[n] = data.wrapping_add(on_top.into()) & mask;
    }

    fn write_type(&mut self, n: usize, data: u64, input: &CycleInput) {
        let data = match self.is(Indices::TypeUpperLost) {
            true => self.state.types[n] >> 32 << 32 | data & 0xFFFF_FFFF,
            false => data,
        };
        self.state.types[n] = data & self.fixed.stored[n];
        self.state.filters[n] = self.as_filter_sees(data, input);
        self.state.decode(n, &self.fixed);
        if self.is(Datapath::ClearedByType) {
            self.state.c_p[n] = false;
        }
    }

    /// The type that the filter takes of a write.
    fn as_filter_sees(&self, data: u64, input: &CycleInput) -> u64 {
        let external = input.access_kind == AccessKind::ExternalWrite as u8;
        if external && self.is(Access::FilterTakesData) {
            return data & 0xFFFF_FFFF_0000_0000 | input.access_data & 0xFFFF_FFFF;
        }
        data
    }

    fn write_system(&mut self, register: SysReg, data: u64) {
        use SysReg::*;
        let Some(place) = self.place(register) else {
            return;
        };
        let (unit, kind, n) = place;
        let pmu = &self.fixed.implementation.system_pmu[unit];
        let mut implemented = pmu.implemented_counters();
        if let Mistake::System(mistake) = self.fixed.mistake {
            implemented = mistake.implemented(&pmu.groups, implemented);
            implemented &= !mistake.missing(kind < 4);
        }
        let width = if kind == 0 { pmu.size_bits } else { 64 };
        let absent = self.is(System::AbsentStored);
        let (clears, sets) = match register {
            Spmovsclr => (!self.is(System::OverflowClearSets), true),
            Spmcntenclr => (!self.is(System::EnableClearSets), true),
            Spmintenclr => (!self.is(System::InterruptClearSets), true),
            Spmovsset => (self.is(System::OverflowSetClears), true),
            Spmcntenset | Spmintenset => (false, true),
            _ => (false, false),
        };
        let value = Arc::make_mut(&mut self.state.system)
            .entry(place)
            .or_default();
        match (clears, sets) {
            (true, _) => *value &= !data,
            (_, true) => *value |= if absent { data } else { data & implemented },
            _ if implemented >> n & 1 == 1 => *value = data & u64::MAX >> (64 - width),
            _ => {}
        }
    }
}
