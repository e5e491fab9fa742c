//! Statistical Profiling as the design has it: the profiler and its registers, and what one cycle of the
//! contract does to them (DUT-60 to DUT-63).

use crate::contract::CycleInput;
use crate::implementation::Implementation;
use crate::pmu::access::{Access, Write};
use crate::sysreg::SysReg;

use super::{Input, Profiler, Selected};

/// SPE-04: the bits of PMBSR_ELx: MSS2\[55:32\], EC\[31:26\], DL\[19\], EA\[18\], S\[17\], COLL\[16\], MSS\[15:0\].
const PMBSR_BITS: u64 = 0x00FF_FFFF_FC0F_FFFF;
/// PMBSR_ELx.COLL.
const COLL: u64 = 1 << 16;
/// PMSICR_EL1.COUNT, and ECOUNT.
const COUNT: u64 = 0xFFFF_FFFF;
const ECOUNT: u64 = 0xFF << 56;

/// Statistical Profiling of a design.
#[derive(Clone, Debug)]
pub struct SamplingUnit {
    implemented: bool,
    ernd: bool,
    /// `PMBSR_EL<x>` that exist.
    buffers: u8,
    pmsidr: u64,
    profiler: Profiler,
    /// PMBSR_ELx but for COLL.
    pmbsr: [u64; 3],
    /// SPE-29, DUT-62: the interval is UNKNOWN.
    unknown: bool,
}

/// What a cycle did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampled {
    /// SAMPLE_POP: operations counted.
    pub population: u8,
    /// SAMPLE_FEED: operations selected that did not collide.
    pub fed: u8,
    /// SAMPLE_FILTRATE: samples that completed and that filtering did not remove.
    pub filtrate: u8,
    /// SAMPLE_COLLISION: operations selected that collided.
    pub collided: u8,
    /// Place of the first operation selected, 0 if there is none.
    pub first_selected: u8,
    /// Random bytes drawn.
    pub drawn: u8,
}

impl Sampled {
    /// Operations selected.
    #[inline(always)]
    pub fn selected(&self) -> u8 {
        self.fed + self.collided
    }

    /// SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_COLLISION, in the order of their numbers (SPE-05).
    pub fn events(&self) -> [u16; 4] {
        [self.population, self.fed, self.filtrate, self.collided].map(u16::from)
    }
}

impl SamplingUnit {
    /// Statistical Profiling of `implementation`, out of reset.
    ///
    /// # Errors
    /// An impossible implementation.
    pub fn new(implementation: &Implementation) -> Result<Self, crate::ImplementationError> {
        let spe = &implementation.spe;
        Ok(Self {
            implemented: spe.implemented,
            ernd: spe.ernd,
            buffers: match (spe.implemented, spe.exc) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => 3,
            },
            pmsidr: implementation.pmsidr().into(),
            profiler: Profiler::new(&implementation.spe_config())?,
            pmbsr: [0; 3],
            unknown: false,
        })
    }

    /// DUT-11.
    pub fn reset(&mut self) {
        self.profiler.reset();
        self.pmbsr = [0; 3];
        self.unknown = false;
    }

    /// FEAT_SPE.
    pub fn is_implemented(&self) -> bool {
        self.implemented
    }

    /// DUT-30: whether `register`, one of Statistical Profiling, exists.
    pub fn has(&self, register: SysReg) -> bool {
        match register {
            SysReg::Pmbsr(x) => x <= self.buffers,
            _ => self.implemented,
        }
    }

    /// SPE-29, DUT-62: whether the interval is UNKNOWN.
    pub fn is_unknown(&self) -> bool {
        self.unknown
    }

    /// The profiler.
    pub fn profiler(&self) -> &Profiler {
        &self.profiler
    }

    /// PMBSR_EL1.COLL, PMBSR_EL2.COLL, PMBSR_EL3.COLL, from bit 0.
    #[inline(always)]
    pub fn coll(&self) -> u8 {
        let [el1, el2, el3] = self.profiler.coll();
        u8::from(el1) | u8::from(el2) << 1 | u8::from(el3) << 2
    }

    /// One Processor cycle; `random` is the byte that the generator returns if one is drawn (DUT-61).
    #[inline(always)]
    pub fn step(&mut self, input: &CycleInput, random: u8, access: &Access) -> Sampled {
        if !self.implemented {
            return Sampled::default();
        }
        let write = match access {
            Access::Write(SysReg::Pmsicr | SysReg::Pmsirr | SysReg::Pmbsr(_), write) => Some(write),
            _ => None,
        };
        let discard = input.profiling & CycleInput::DISCARD != 0;
        if write.is_none() && !discard {
            let enabled = input.profiling & CycleInput::PROFILING_ENABLED != 0;
            if self.profiler.count_only(enabled, input.operations) {
                return Sampled {
                    // SPE-45, SPE-11.
                    population: if enabled { input.operations } else { 0 },
                    // None is selected, so that the order of completions and operations is of no importance.
                    filtrate: self.profiler.complete(input.complete, input.filtered_out),
                    ..Sampled::default()
                };
            }
        }
        self.cycle(input, random, write)
    }

    #[inline(never)]
    fn cycle(&mut self, input: &CycleInput, random: u8, write: Option<&Write>) -> Sampled {
        let mut writes = Input::default();
        match write {
            Some(&Write::Pmsicr(data)) => writes.write_pmsicr = Some(data),
            Some(&Write::Pmsirr(data)) => writes.write_pmsirr = Some(data),
            Some(&Write::Pmbsr(x, data)) => {
                let index = usize::from(x) - 1;
                writes.write_coll[index] = Some(data & COLL != 0);
                // SPE-43: a direct write is all that changes the other fields here.
                self.pmbsr[index] = data & PMBSR_BITS & !COLL;
            }
            _ => {}
        }
        let input = Input {
            enabled: input.profiling & CycleInput::PROFILING_ENABLED != 0,
            operations: input.operations.into(),
            complete: input.complete.into(),
            filtered_out: input.filtered_out.into(),
            discard: input.profiling & CycleInput::DISCARD != 0,
            pmsee: input.pmsee(),
            ee: input.ee(),
            ..writes
        };
        let mut first_selected = None;
        let output = self
            .profiler
            .step_with(&input, random, |index, _: Selected| {
                first_selected.get_or_insert(index as u8);
            });
        self.unknown |= output.not_architected.interval_zero;
        Sampled {
            population: output.sample_pop as u8,
            fed: output.sample_feed as u8,
            filtrate: output.sample_filtrate as u8,
            collided: output.sample_collision as u8,
            first_selected: first_selected.unwrap_or(0),
            drawn: output.random_drawn as u8,
        }
    }

    /// SPE-01 to SPE-04: the contents of a register.
    pub fn read(&self, register: SysReg) -> u64 {
        match register {
            _ if !self.has(register) => 0,
            SysReg::Pmsicr => self.profiler.pmsicr().value(),
            SysReg::Pmsirr => self.profiler.pmsirr().value(),
            SysReg::Pmsidr => self.pmsidr,
            SysReg::Pmbsr(x) => {
                let index = usize::from(x) - 1;
                self.pmbsr[index] | if self.profiler.coll()[index] { COLL } else { 0 }
            }
            _ => 0,
        }
    }

    /// DUT-62: bits of a read of `register` that are UNKNOWN.
    pub fn unknown_bits(&self, register: SysReg) -> u64 {
        match register {
            _ if !self.unknown => 0,
            SysReg::Pmsicr if self.ernd => ECOUNT | COUNT,
            SysReg::Pmsicr => COUNT,
            SysReg::Pmbsr(_) => COLL,
            _ => 0,
        }
    }
}
