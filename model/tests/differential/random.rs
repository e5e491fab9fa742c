//! Pseudo-random inputs and implementations.

use pmu_model::contract::{EVENT_LANES, control};
use pmu_model::evtyper::configuration::{AccessModel, BadHpmn, OutOfRange, Vs11};
use pmu_model::implementation::{Layout, Res0};
use pmu_model::spe::{CompleteOrder, InitLoad, Select, WriteOrder};
use pmu_model::spmu::SystemPmu;
use pmu_model::{AccessKind, CycleInput, Implementation, Number, SysReg};

/// Events that are drawn often.
const EVENTS: [u64; 16] = [
    0x1E, 0x08, 0x11, 0x23, 0x24, 0x3C, 0x8159, 0x8165, 0xC0, 0xC1, 0x4000, 0x4001, 0x4002, 0x4003,
    0x77, 0x1E,
];

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    fn bool(&mut self) -> bool {
        self.one_in(2)
    }

    pub fn implementation(&mut self) -> Implementation {
        let mut all = Implementation::default();
        let pmu = &mut all.pmu;
        pmu.counters = self.below(32) as u8;
        pmu.counter_bits = self.pick(&[32, 64]);
        pmu.event_count = self.below(64) as u8 + 1;
        pmu.event_width = self.below(16) as u8 + 1;
        pmu.th = !self.one_in(4);
        pmu.edge = pmu.th && !self.one_in(4);
        pmu.th2 = pmu.edge && !self.one_in(4);
        pmu.thwidth = self.below(12) as u8 + 1;
        pmu.chain = self.bool();
        pmu.pmuv3p1 = !self.one_in(4);
        let pe = &mut all.pe;
        pe.el2 = !self.one_in(4);
        pe.el3 = !self.one_in(4);
        pe.sel2 = pe.el2 && pe.el3 && self.bool();
        pe.rme = pe.el3 && self.bool();
        pe.sme = self.bool();
        pe.mt = !self.one_in(4);
        pe.mtpmu = pe.mt && self.bool();
        (pe.fgt, pe.fgt2) = (self.bool(), self.bool());
        (pe.pmuv3p9, pe.hpmn0, pe.vhe) = (self.bool(), self.bool(), self.bool());
        all.spe.implemented = !self.one_in(4);
        all.spe.ernd = all.spe.implemented && self.bool();
        all.spe.exc = all.spe.implemented && self.bool();
        all.spe.max_inflight = self.below(3) as u8 + 1;
        all.threads.count = self.below(4) as u8 + 1;
        all.system_pmu.truncate(self.below(3) as usize);
        if self.one_in(4) {
            all.system_pmu.push(SystemPmu {
                groups: vec![self.below(64) as u16 + 1],
                size_bits: self.pick(&[8, 20, 64]),
                ..SystemPmu::default()
            });
        }
        let knobs = &mut all.knobs;
        knobs.compare_reserved = true;
        knobs.res0 = self.pick(&[Res0::RazWi, Res0::RwNoEffect]);
        knobs.layout = self.pick(&[Layout::Current, Layout::Current, Layout::Year2021]);
        knobs.access_model = self.pick(&[AccessModel::Current, AccessModel::Year2021]);
        let of_range = [
            OutOfRange::Undef,
            OutOfRange::RazWi,
            OutOfRange::Nop,
            OutOfRange::TrapEl2,
        ];
        knobs.oor_unimplemented = self.pick(&of_range);
        knobs.oor_reserved = self.pick(&of_range);
        knobs.bad_hpmn = self.pick(&[BadHpmn::Cap, BadHpmn::All]);
        knobs.vs11 = self.pick(&[Vs11::NoFilter, Vs11::Filter]);
        knobs.el3_trap_priority_sdd = self.bool();
        knobs.reset_value = if self.bool() { self.next() } else { 0 };
        let spe = &mut knobs.spe;
        spe.select = self.pick(&[Select::AtZero, Select::AtZero, Select::ToZero]);
        spe.init_load = self.pick(&[None, Some(InitLoad::FirstOp), Some(InitLoad::AtEnable)]);
        spe.write_order = self.pick(&[WriteOrder::End, WriteOrder::Start]);
        spe.complete_order = self.pick(&[CompleteOrder::Before, CompleteOrder::After]);
        let cycles = &mut knobs.cycles;
        cycles.active_in_wfx = self.bool();
        cycles.cpu_cycles_in_wfx = self.bool();
        cycles.pmccntr_in_wfx = self.bool();
        cycles.cpu_cycles_mt1_all_wfx = self.bool();
        cycles.cond_gated = self.bool();
        all
    }

    /// The input of a cycle, so many cycles after a reset.
    pub fn input(&mut self, implementation: &Implementation, since_reset: u64) -> CycleInput {
        match since_reset {
            1 => return CycleInput::write(SysReg::Pmcntenset, u64::MAX),
            2 => return CycleInput::write(SysReg::Pmcr, 0x81),
            3 => return CycleInput::write(SysReg::Pmsirr, 0x100 | self.below(2)),
            _ => {}
        }
        let mut input = CycleInput {
            counting_allowed: !(1 << self.below(64).min(31)),
            clock_stopped: u8::from(self.one_in(40)),
            ..CycleInput::default()
        };
        for lane in 0..EVENT_LANES {
            input.event[lane] = (self.next() >> self.below(17)) as u16 * u16::from(self.bool());
        }
        self.access(&mut input, implementation);
        input.driven = self.pick(&[0, 1, 2, 3, 3, 3, 3]);
        self.pe(&mut input);
        for thread in &mut input.threads {
            thread.state = self.next() as u8 & 31;
            thread.conditions = self.next() as u8 & 127 | self.pick(&[0, 4, 24, 28]);
            thread.count = self.next() as u16 >> self.below(17).min(15);
        }
        input.operations = self.below(16) as u8;
        input.complete = if self.one_in(8) {
            self.below(16) as u8
        } else {
            0
        };
        input.filtered_out = self.below(3) as u8;
        let disabled = since_reset % 400 < 8;
        input.profiling =
            (u8::from(!disabled)) | u8::from(self.one_in(200)) << 1 | (self.next() as u8 & 0x3C);
        input
    }

    fn pe(&mut self, input: &mut CycleInput) {
        let usual = control::EL2_ENABLED
            | control::USERENR_EN
            | control::FGTEN
            | control::FGTEN2
            | control::NOT_TRAPPED_SPMID
            | control::NOT_TRAPPED_SPMDEVAFF
            | control::MDCR_EL2_ENSPM
            | control::MDCR_EL3_ENPM2
            | control::MDCR_EL3_MTPME
            | control::MDCR_EL2_MTPME;
        let flips = (self.next() & self.next() & self.next()) as u32 & 0xF_FFFF;
        input.controls = usual ^ flips;
        input.hpmn = if self.bool() {
            31
        } else {
            self.below(32) as u8
        };
        input.pmuacr = self.next() as u32;
        input.spmaccessr_el2 = self.next() | self.next();
        input.spmaccessr_el3 = self.next() | self.next();
        input.access_rt = self.below(32) as u8;
    }

    fn access(&mut self, input: &mut CycleInput, implementation: &Implementation) {
        if self.one_in(2) {
            return;
        }
        let all: Vec<_> = SysReg::all(implementation).collect();
        let register = match self.below(7) {
            0 => SysReg::pmevtyper(self.below(31) as u8).expect("a counter"),
            1 => self.pick(&[SysReg::Pmselr, SysReg::Pmxevtyper, SysReg::Pmxevcntr]),
            2 => self.pick(&[SysReg::Spmselr, SysReg::Spmcfgr, SysReg::Spmdevaff]),
            3 => self.pick(&[
                SysReg::Pmsicr,
                SysReg::Pmbsr(Number::at::<1>()),
                SysReg::Pmbsr(Number::at::<3>()),
            ]),
            4 => {
                let n = self.below(31) as u8;
                self.pick(&[SysReg::pmevcntr(n).expect("a counter"), SysReg::Pmovsclr])
            }
            _ => self.pick(&all),
        };
        let kind = self.pick(&[1, 1, 1, 2, 2, 2, 3, 4, 5, 6]);
        input.access_kind = kind;
        input.access_address = match kind {
            5 | 6 => {
                self.pick(&[0x400u16, 0xA00, 0x3F8, 0x47C])
                    + self.below(34) as u16 * 4
                    + u16::from(self.one_in(20))
            }
            3 | 4 if !self.one_in(8) => register.address() & !(7 << 11),
            _ if self.one_in(50) => self.next() as u16,
            _ => register.address(),
        };
        let is_write = AccessKind::from_code(kind).is_write();
        input.access_data = match register {
            // Counting and profiling go on most of the time.
            SysReg::Pmcr => self.next() & 0xFE | u64::from(!self.one_in(20)),
            SysReg::Pmcntenclr if is_write => 1 << self.below(32),
            SysReg::Pmsirr => ((self.below(3) + 1) << 8) | self.below(2),
            SysReg::Pmsicr => self.pick(&[0, 5, 40, 3 << 56 | 20, 200 << 56 | 3]),
            SysReg::Spmselr => self.below(5) << 4 | self.below(4),
            SysReg::Pmselr => self.below(32),
            SysReg::Pmevcntr(_) if self.bool() => u64::MAX << self.pick(&[1, 4, 33]),
            _ => self.next() >> self.pick(&[0, 0, 32, 40]),
        };
        let types = matches!(register, SysReg::Pmevtyper(_) | SysReg::Pmxevtyper);
        if types && kind < 5 {
            let event = if self.bool() {
                self.pick(&EVENTS)
            } else {
                self.below(66)
            };
            // Few of the filters, so that counters count.
            let filters = self.next() & self.next() & 0xFDF0_0000 | self.below(2) << 25;
            // Small thresholds, that values meet; and threshold, edge and link more often than not.
            let th = if self.bool() {
                self.below(6)
            } else {
                self.next() & 0xFFF
            };
            let control = self.next() & 0xF0C0_0000_0000_0000;
            let other = self.next() & self.next() & 0x0F3F_F000_0000_0000;
            input.access_data = control | other | th << 32 | filters | event;
        }
    }
}
