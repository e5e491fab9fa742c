//! The contract, one counter and one rule after another, from the models of the areas.

use std::collections::BTreeMap;

use pmu_model::contract::control;
use pmu_model::contract::{CYCLE_COUNTER, Thread};
use pmu_model::cycles::{self, CycleEvents};
use pmu_model::evtyper::EventTypeRegister;
use pmu_model::evtyper::access::{Context, Direction, Outcome, access, trap_iss_of};
use pmu_model::evtyper::effective_mt::{MtpmuEnables, effective_mt};
use pmu_model::evtyper::filter::{ExceptionLevel, ExecutionState, filtered};
use pmu_model::pmu::event_type::{
    CHAIN, Condition, EventType, EventTypeDecoder, MT, cycle_filter_mask,
};
use pmu_model::pmu::thread_events::thread_event;
use pmu_model::spe::{self, Profiler};
use pmu_model::spmu::access as spmu_access;
use pmu_model::{AccessKind, CycleInput, CycleOutput, Implementation, SysReg};

pub struct Plain {
    implementation: Implementation,
    decoder: EventTypeDecoder,
    cycles: CycleEvents,
    enable: bool,
    long: bool,
    enabled: u32,
    flags: u32,
    select: u8,
    types: Vec<EventTypeRegister>,
    cycle_filter: u64,
    counters: [u64; 32],
    c_p: [bool; 31],
    profiler: Profiler,
    pmsirr: u64,
    pmbsr: [u64; 3],
    coll: [bool; 3],
    in_flight: u32,
    spmselr: u64,
    /// By System PMU, kind and number.
    system: BTreeMap<(usize, u8, u8), u64>,
}

/// What an access does at the end of the cycle.
enum Effect {
    Nothing,
    Write(SysReg, u64),
}

impl Plain {
    pub fn new(implementation: &Implementation) -> Self {
        Self {
            decoder: EventTypeDecoder::new(implementation).expect("legal"),
            cycles: CycleEvents::new(&implementation.knobs.cycles),
            enable: false,
            long: false,
            enabled: 0,
            flags: 0,
            select: 0,
            types: (0..31)
                .map(|n| EventTypeRegister::new(n, implementation))
                .collect(),
            cycle_filter: 0,
            counters: [0; 32],
            c_p: [false; 31],
            profiler: Profiler::new(&implementation.spe_config()).expect("legal"),
            pmsirr: 0,
            pmbsr: [0; 3],
            coll: [false; 3],
            in_flight: 0,
            spmselr: 0,
            system: BTreeMap::new(),
            implementation: implementation.clone(),
        }
    }

    fn counters_mask(&self) -> u32 {
        (1 << 31) | ((1u32 << self.implementation.pmu.counters) - 1)
    }

    pub fn step(&mut self, input: &CycleInput, random: u8) -> CycleOutput {
        let mut output = CycleOutput::default();
        if input.is_reset() {
            *self = Self::new(&self.implementation.clone());
            return output;
        }
        if input.clock_stopped & 1 == 1 {
            self.show(&mut output);
            return output;
        }
        let effect = self.access(input, &mut output);
        let sampled = self.sample(input, random, &effect, &mut output);
        self.count(input, sampled, &effect, &mut output);
        self.write(&effect);
        output
    }

    // Statistical Profiling.

    fn show(&self, output: &mut CycleOutput) {
        let coll = self.coll.map(u8::from);
        output.pmsicr = self.profiler.pmsicr().value();
        output.in_flight = self.in_flight as u8;
        output.coll = coll[0] | coll[1] << 1 | coll[2] << 2;
    }

    fn sample(
        &mut self,
        input: &CycleInput,
        random: u8,
        effect: &Effect,
        output: &mut CycleOutput,
    ) -> [u16; 4] {
        if !self.implementation.spe.implemented {
            return [0; 4];
        }
        let mut write = spe::Input::default();
        match *effect {
            Effect::Write(SysReg::Pmsicr, data) => write.write_pmsicr = Some(data),
            Effect::Write(SysReg::Pmsirr, data) => write.write_pmsirr = Some(data),
            Effect::Write(SysReg::Pmbsr(x), data) => {
                write.write_coll[usize::from(x) - 1] = Some(data >> 16 & 1 == 1);
            }
            _ => {}
        }
        let complete = u32::from(input.complete);
        let discard = input.profiling & 2 != 0;
        let bytes = [random; 32];
        let step = spe::Input {
            enabled: input.profiling & 1 == 1,
            operations: input.operations.into(),
            random: &bytes,
            complete,
            filtered_out: input.filtered_out.into(),
            discard,
            pmsee: input.profiling >> 2 & 3,
            ee: input.profiling >> 4 & 3,
            ..write
        };
        let mut first = None;
        let result = self.profiler.step(&step, |place, _| {
            first.get_or_insert(place);
        });
        let result = result.expect("bytes enough");
        let before = if discard { 0 } else { self.in_flight };
        let after = self.implementation.knobs.spe.complete_order == spe::CompleteOrder::After;
        let completing = complete.min(before + if after { result.sample_feed } else { 0 });
        let filtrate = completing - u32::from(input.filtered_out).min(completing);
        (self.coll, self.in_flight) = (result.coll, result.in_flight);
        output.selected = (result.sample_feed + result.sample_collision) as u8;
        output.first_selected = first.unwrap_or(0) as u8;
        output.collided = result.sample_collision as u8;
        output.random_drawn = result.random_drawn as u8;
        output.random_byte = if result.random_drawn > 0 { random } else { 0 };
        self.show(output);
        [
            result.sample_pop as u16,
            result.sample_feed as u16,
            filtrate as u16,
            result.sample_collision as u16,
        ]
    }

    // Counting.

    fn mt(&self, n: usize, input: &CycleInput) -> bool {
        let effective = self.types[n].effective();
        if input.driven & 1 == 0 {
            return MT.of(effective) == 1;
        }
        let enables = MtpmuEnables {
            mdcr_el3_mtpme: input.controls & control::MDCR_EL3_MTPME != 0,
            mdcr_el2_mtpme: input.controls & control::MDCR_EL2_MTPME != 0,
        };
        effective_mt(effective, enables, &self.implementation)
    }

    /// Whether thread `t` is filtered for a counter with this type.
    fn is_filtered(&self, effective: u64, t: usize, input: &CycleInput) -> bool {
        let state = ExecutionState::of_thread(input.threads[t].state);
        input.driven & 1 == 1 && filtered(effective, state, &self.implementation)
    }

    fn group(&self, input: &CycleInput) -> usize {
        if input.driven & 2 != 0 {
            self.implementation.threads.count.into()
        } else {
            1
        }
    }

    /// The value of the event of counter `n`, CHAIN left out.
    fn value(&self, n: usize, event: u16, sampled: [u16; 4], input: &CycleInput) -> u16 {
        let pmu = &self.implementation.pmu;
        let effective = self.types[n].effective();
        let mt = self.mt(n, input);
        let of_thread = thread_event(event);
        let value = match of_thread {
            Some(kind) if input.driven & 2 != 0 => {
                let members: Vec<_> = (0..self.group(input))
                    .filter(|&t| !mt || !self.is_filtered(effective, t, input))
                    .map(|t| cycles::Thread::from(&input.threads[t]))
                    .collect();
                self.cycles.count(kind, mt, true, 0, &members) as u16
            }
            _ if mt && self.is_filtered(effective, 0, input) => 0,
            _ if pmu.chain && event == CHAIN => 0,
            _ if event < pmu.event_count.into() => input.event[usize::from(event)],
            _ => match event {
                0x4000..=0x4003 => sampled[usize::from(event - 0x4000)],
                _ => 0,
            },
        };
        value & u16::MAX >> (16 - pmu.event_width)
    }

    fn count(
        &mut self,
        input: &CycleInput,
        sampled: [u16; 4],
        effect: &Effect,
        output: &mut CycleOutput,
    ) {
        let pmu = self.implementation.pmu.clone();
        let written = match *effect {
            Effect::Write(SysReg::Pmevcntr(n), _) => 1 << n.get(),
            Effect::Write(SysReg::Pmccntr, _) => 1 << 31,
            Effect::Write(SysReg::Pmcr, data) => {
                let p = if data & 2 != 0 {
                    self.counters_mask() & !(1 << 31)
                } else {
                    0
                };
                p | if data & 4 != 0 { 1 << 31 } else { 0 }
            }
            _ => 0u32,
        };
        let may_count = if self.enable {
            self.enabled & input.counting_allowed
        } else {
            0
        };
        let mut overflowed = 0u32;
        for n in 0..31 {
            let effective = self.types[n].effective();
            let decoded = self.decoder.decode(n as u8, effective);
            let group = if self.mt(n, input) {
                self.group(input)
            } else {
                1
            };
            let all_filtered = (0..group).all(|t| self.is_filtered(effective, t, input));
            let counting = may_count >> n & 1 == 1 && !all_filtered;
            let below = if n % 2 == 1 {
                output.increment[n - 1]
            } else {
                0
            };
            let mut v_b = self.value(n, decoded.event, sampled, input);
            if pmu.chain && decoded.event == CHAIN && n % 2 == 1 && !self.long {
                v_b = (overflowed >> (n - 1)) as u16 & 1;
            }
            let v = if counting {
                self.threshold(n, &decoded, v_b, below)
            } else {
                self.c_p[n] = false;
                0
            };
            output.increment[n] = v;
            let bits = if self.long { 64 } else { 32 };
            let old = u128::from(self.counters[n]);
            let low = old & ((1 << bits) - 1);
            let carries = (low + u128::from(v)) >> bits != 0;
            if written >> n & 1 == 0 {
                overflowed |= u32::from(carries) << n;
                let mask = (1u128 << pmu.counter_bits) - 1;
                self.counters[n] = ((old + u128::from(v)) & mask) as u64;
            }
        }
        let in_wfx = input.driven & 2 != 0 && input.threads[0].is(Thread::WFX);
        let stopped = in_wfx && !self.implementation.knobs.cycles.pmccntr_in_wfx;
        let filter = self.cycle_filter & cycle_filter_mask(&self.implementation);
        let cycles = may_count >> 31 == 1 && !self.is_filtered(filter, 0, input);
        if cycles && !stopped {
            output.increment[CYCLE_COUNTER] = 1;
            if written >> 31 == 0 {
                let (sum, carry) = self.counters[31].overflowing_add(1);
                self.counters[31] = sum;
                overflowed |= u32::from(carry) << 31;
            }
        }
        if let Effect::Write(SysReg::Pmovsclr, data) = *effect {
            self.flags &= !(data as u32);
        }
        self.flags |= overflowed;
    }

    /// TH-20 to TH-28 for counter `n`, which is counting.
    fn threshold(&mut self, n: usize, decoded: &EventType, v_b: u16, below: u16) -> u16 {
        let c_t = match decoded.condition() {
            Condition::NotEqual => v_b != decoded.th,
            Condition::Equal => v_b == decoded.th,
            Condition::GreaterOrEqual => v_b >= decoded.th,
            Condition::Less => v_b < decoded.th,
        };
        let c_p = std::mem::replace(&mut self.c_p[n], c_t);
        let (tc, te, tlc) = decoded.used;
        let counts_one = tc & 1 == 1;
        let c_e = if counts_one { !c_p && c_t } else { c_p != c_t };
        if decoded.bypassed {
            return v_b;
        }
        let v_t = match (tlc, c_t) {
            (0b00 | 0b01, true) => {
                if counts_one {
                    1
                } else {
                    v_b
                }
            }
            (0b10, true) | (0b01, false) => below,
            _ => 0,
        };
        match (te, tlc, c_e) {
            (false, ..) => v_t,
            (true, 0b10, true) => below,
            (true, _, c_e) => c_e.into(),
        }
    }

    // Registers.

    fn access(&mut self, input: &CycleInput, output: &mut CycleOutput) -> Effect {
        let kind = AccessKind::from_code(input.access_kind);
        if kind == AccessKind::None {
            return Effect::Nothing;
        }
        let direction = if kind.is_write() {
            Direction::Write
        } else {
            Direction::Read
        };
        let (outcome, target, low, high) = match kind {
            AccessKind::ExternalRead | AccessKind::ExternalWrite => self.external(input, direction),
            AccessKind::Read32 | AccessKind::Write32 => {
                let register = SysReg::from_address_32(input.access_address);
                let (outcome, target) = self.outcome(register, direction, input);
                (outcome, target, true, false)
            }
            _ => {
                let register = SysReg::from_address(input.access_address);
                let (outcome, target) = self.outcome(register, direction, input);
                (outcome, target, false, false)
            }
        };
        let iss = match kind {
            AccessKind::Read | AccessKind::Write => {
                trap_iss_of(input.access_address, direction, input.access_rt)
            }
            _ => 0,
        };
        output.access_outcome = match outcome {
            Outcome::Access | Outcome::ReadsZero | Outcome::WriteIgnored => 1,
            Outcome::Undefined => 2,
            Outcome::NoOperation | Outcome::Alias => 6,
            Outcome::Trap(ExceptionLevel::El1 | ExceptionLevel::El0) => 3,
            Outcome::Trap(ExceptionLevel::El2) => 4,
            Outcome::Trap(ExceptionLevel::El3) => 5,
        };
        if let Outcome::Trap(_) = outcome {
            output.trap_iss = iss;
        }
        let (Outcome::Access, Some(target)) = (outcome, target) else {
            return Effect::Nothing;
        };
        let old = self.read(target);
        if direction == Direction::Read {
            output.access_data = match (low, high) {
                (true, _) => old & 0xFFFF_FFFF,
                (_, true) => old >> 32,
                _ => old,
            };
            return Effect::Nothing;
        }
        let data = input.access_data;
        Effect::Write(
            target,
            match (low, high) {
                (true, _) => old >> 32 << 32 | data & 0xFFFF_FFFF,
                (_, true) => old & 0xFFFF_FFFF | data << 32,
                _ => data,
            },
        )
    }

    fn external(
        &self,
        input: &CycleInput,
        direction: Direction,
    ) -> (Outcome, Option<SysReg>, bool, bool) {
        let offset = input.access_address;
        for n in 0..32u8 {
            let implemented = n < self.implementation.pmu.counters;
            let register = match n {
                31 => SysReg::Pmccfiltr,
                n if implemented => SysReg::pmevtyper(n).expect("a counter"),
                _ => continue,
            };
            if offset == 0x400 + 4 * u16::from(n) {
                return (Outcome::Access, Some(register), true, false);
            }
            if offset == 0xA00 + 4 * u16::from(n) {
                return (Outcome::Access, Some(register), false, true);
            }
        }
        match direction {
            Direction::Read => (Outcome::ReadsZero, None, false, false),
            Direction::Write => (Outcome::WriteIgnored, None, false, false),
        }
    }

    /// What comes of an access, and the register that it reaches.
    fn outcome(
        &self,
        register: Option<SysReg>,
        direction: Direction,
        input: &CycleInput,
    ) -> (Outcome, Option<SysReg>) {
        use SysReg::*;
        let undefined = (Outcome::Undefined, None);
        let Some(register) = register else {
            return undefined;
        };
        let register = match register {
            Pmxevtyper => SysReg::pmevtyper(self.select).unwrap_or(Pmccfiltr),
            Pmxevcntr if self.select == 31 => return undefined,
            Pmxevcntr => SysReg::pmevcntr(self.select).expect("not 31"),
            register => register,
        };
        let read_only = matches!(
            register,
            Pmmir | Pmsidr | Spmiidr | Spmdevarch | Spmdevaff | Spmcfgr | Spmcgcr(_)
        );
        let spe = &self.implementation.spe;
        let exists = match register {
            Pmevcntr(n) => n < self.implementation.pmu.counters,
            Pmsicr | Pmsirr | Pmsidr => spe.implemented,
            Pmbsr(x) if x == 1 => spe.implemented,
            Pmbsr(_) => spe.exc,
            register => !register.is_of_system_pmus() || !self.implementation.system_pmu.is_empty(),
        };
        if !exists || (read_only && direction == Direction::Write) {
            return undefined;
        }
        let driven = input.driven & 1 == 1;
        let outcome = match register {
            Pmevtyper(n) => {
                let context = if driven {
                    Context::of_cycle(n.get(), input)
                } else {
                    Context::permissive(ExceptionLevel::El3)
                };
                access(n.get(), direction, &context, &self.implementation).0
            }
            Spmiidr | Spmdevarch | Spmdevaff | Spmcfgr | Spmcgcr(_) if driven => {
                let pmu = (self.spmselr >> 4) as u8;
                let context = spmu_access::Context::of_cycle(pmu, register == Spmdevaff, input);
                let features = spmu_access::Features::of(&self.implementation);
                spmu_access::access(direction, &context, &features)
            }
            _ => Outcome::Access,
        };
        (outcome, Some(register))
    }

    /// Where a register of a System PMU is kept: System PMU, kind, number.
    fn place(&self, register: SysReg) -> Option<(usize, u8, u8)> {
        use SysReg::*;
        let unit = (self.spmselr >> 4) as usize;
        let counter = |n: u8| (self.spmselr as u8 & 3) * 16 + n;
        self.implementation.system_pmu.get(unit)?;
        Some(match register {
            Spmcntenset | Spmcntenclr => (unit, 4, 0),
            Spmovsset | Spmovsclr => (unit, 5, 0),
            Spmintenset | Spmintenclr => (unit, 6, 0),
            Spmevcntr(n) => (unit, 0, counter(n.get())),
            Spmevtyper(n) => (unit, 1, counter(n.get())),
            Spmevfiltr(n) => (unit, 2, counter(n.get())),
            Spmevfilt2r(n) => (unit, 3, counter(n.get())),
            _ => return None,
        })
    }

    fn read(&self, register: SysReg) -> u64 {
        use SysReg::*;
        let implementation = &self.implementation;
        let unit = implementation.system_pmu.get((self.spmselr >> 4) as usize);
        let describes = |of: fn(&pmu_model::spmu::Registers) -> u64| {
            unit.map_or(0, |unit| of(&unit.registers()))
        };
        match register {
            Pmcr => {
                let n = u64::from(implementation.pmu.counters) << 11;
                n | u64::from(self.long) << 7 | 1 << 6 | u64::from(self.enable)
            }
            Pmcntenset | Pmcntenclr => self.enabled.into(),
            Pmovsset | Pmovsclr => self.flags.into(),
            Pmselr => self.select.into(),
            Pmccntr => self.counters[31],
            Pmevcntr(n) => self.counters[usize::from(n)],
            Pmevtyper(n) => self.types[usize::from(n)].read(),
            Pmccfiltr => self.cycle_filter,
            Pmmir => {
                let pmu = &implementation.pmu;
                let edge = u64::from(pmu.edge) + u64::from(pmu.th2);
                edge << 24 | u64::from(implementation.thwidth()) << 20 | u64::from(pmu.pmmir)
            }
            Pmsicr => self.profiler.pmsicr().value(),
            Pmsirr => self.pmsirr,
            Pmsidr => implementation.pmsidr().into(),
            Pmbsr(x) => {
                let index = usize::from(x) - 1;
                self.pmbsr[index] | u64::from(self.coll[index]) << 16
            }
            Spmselr => self.spmselr,
            Spmiidr => describes(|registers| registers.spmiidr),
            Spmdevarch => describes(|registers| registers.spmdevarch),
            Spmdevaff => describes(|registers| registers.spmdevaff),
            Spmcfgr => describes(|registers| registers.spmcfgr),
            Spmcgcr(n) if n == 0 => describes(|registers| registers.spmcgcr[0]),
            Spmcgcr(_) => describes(|registers| registers.spmcgcr[1]),
            Pmxevtyper | Pmxevcntr => unreachable!("replaced"),
            _ => {
                let place = self.place(register);
                place
                    .and_then(|place| self.system.get(&place))
                    .copied()
                    .unwrap_or(0)
            }
        }
    }

    fn write(&mut self, effect: &Effect) {
        use SysReg::*;
        let Effect::Write(register, data) = *effect else {
            return;
        };
        let mask = self.counters_mask();
        let bits = data as u32 & mask;
        let counter_mask = u64::MAX >> (64 - self.implementation.pmu.counter_bits);
        match register {
            Pmcr => {
                if data & 2 != 0 {
                    self.counters[..31].fill(0);
                }
                if data & 4 != 0 {
                    self.counters[31] = 0;
                }
                self.enable = data & 1 == 1;
                self.long = data >> 7 & 1 == 1 && self.implementation.pmu.counter_bits == 64;
            }
            Pmcntenset => self.enabled |= bits,
            Pmcntenclr => self.enabled &= !bits,
            Pmovsset => self.flags |= bits,
            Pmovsclr | Pmsicr => {}
            Pmselr => self.select = data as u8 & 31,
            Pmccntr => self.counters[31] = data,
            Pmevcntr(n) => self.counters[usize::from(n)] = data & counter_mask,
            Pmevtyper(n) => self.types[usize::from(n)].write(data),
            Pmccfiltr => {
                let raz = self.implementation.knobs.res0 == Default::default();
                let present = cycle_filter_mask(&self.implementation);
                self.cycle_filter = if raz { data & present } else { data };
            }
            Pmsirr => self.pmsirr = data & 0xFFFF_FF01,
            Pmbsr(x) => self.pmbsr[usize::from(x) - 1] = data & 0x00FF_FFFF_FC0E_FFFF,
            Spmselr => self.spmselr = data & 0x3F3,
            _ => self.write_system(register, data),
        }
    }

    fn write_system(&mut self, register: SysReg, data: u64) {
        use SysReg::*;
        let Some(place) = self.place(register) else {
            return;
        };
        let (unit, kind, n) = place;
        let pmu = &self.implementation.system_pmu[unit];
        let implemented = pmu.implemented_counters();
        let width = if kind == 0 { pmu.size_bits } else { 64 };
        let value = self.system.entry(place).or_default();
        match register {
            Spmcntenset | Spmovsset | Spmintenset => *value |= data & implemented,
            Spmcntenclr | Spmovsclr | Spmintenclr => *value &= !data,
            _ if implemented >> n & 1 == 1 => *value = data & u64::MAX >> (64 - width),
            _ => {}
        }
    }
}
