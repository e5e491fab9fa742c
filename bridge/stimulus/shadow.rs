//! What the generator remembers of its own writes. It never sees the design's outputs.

use pmu_model::contract::{COUNTER_LANES, CYCLE_COUNTER};
use pmu_model::implementation::Layout;
use pmu_model::pmu::event_type::{CHAIN, EVTCOUNT, TC, TE, TH, TLC, present_mask};
use pmu_model::threshold_control::is_reserved;
use pmu_model::{Implementation, SysReg};

/// No counter.
pub(super) const NOBODY: u8 = 0xFF;

/// What the implementation fixes of register contents.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// N.
    pub(super) counters: u32,
    pub(super) event_count: u32,
    pub(super) has_chain: bool,
    pub(super) has_long: bool,
    /// All registers of the implementation.
    pub(super) readable: Vec<u16>,
    /// Allocated {TC, TE, TLC} of even and odd counters, in place.
    pub(super) allocated: [Vec<u64>; 2],
    /// Reserved ones.
    pub(super) reserved: [Vec<u64>; 2],
    /// Fields of a type that are drawn at random.
    pub(super) filters: u64,
    /// RES0 bits of types of even and odd counters.
    pub(super) res0: [u64; 2],
    pub(super) th_mask: u16,
    pub(super) event_mask: u16,
}

impl Facts {
    pub(super) fn of(implementation: &Implementation) -> Self {
        let pmu = &implementation.pmu;
        let current = implementation.knobs.layout == Layout::Current;
        let present = [
            present_mask(0, implementation),
            present_mask(1, implementation),
        ];
        let used = TC.mask() | TE.mask() | TLC.mask() | TH.mask() | EVTCOUNT.mask();
        let of_kind = |reserved: bool| {
            present.map(|present| {
                let in_place = |tc: u64, te: u64, tlc: u64| {
                    let bits = tc << TC.low | te << TE.low | tlc << TLC.low;
                    let is = is_reserved(tc as u8, te == 1, tlc as u8);
                    (bits & !present == 0 && is == reserved).then_some(bits)
                };
                (0..64)
                    .filter_map(|i| in_place(i >> 3, i >> 2 & 1, i & 3))
                    .collect()
            })
        };
        debug_assert!(current || present[1] & (TE.mask() | TLC.mask()) == 0);
        Self {
            counters: u32::from(pmu.counters),
            event_count: u32::from(pmu.event_count),
            has_chain: pmu.chain,
            has_long: pmu.counter_bits == 64,
            readable: SysReg::of_counters(pmu.counters)
                .map(SysReg::address)
                .collect(),
            allocated: of_kind(false),
            reserved: of_kind(true),
            filters: present[0] & !used,
            res0: present.map(|present| !present),
            th_mask: ((1u32 << implementation.thwidth()) - 1) as u16,
            event_mask: if pmu.pmuv3p1 { 0xFFFF } else { 0x03FF },
        }
    }
}

/// Register contents that the generator wrote.
#[derive(Clone, Debug)]
pub(super) struct Shadow {
    /// PMCR_EL0.E.
    pub(super) enable: bool,
    /// PMCR_EL0.LP.
    pub(super) long: bool,
    /// PMCNTENSET_EL0.
    pub(super) enabled: u32,
    /// PMSELR_EL0.SEL.
    pub(super) select: u8,
    /// evtCount and TH of each counter.
    pub(super) event: [u16; COUNTER_LANES],
    pub(super) threshold: [u16; COUNTER_LANES],
    /// The registers written last.
    pub(super) recent: [u16; 8],
    recent_at: u8,
}

impl Shadow {
    /// After a reset (DUT-11).
    pub(super) fn new() -> Self {
        Self {
            enable: false,
            long: false,
            enabled: 0,
            select: 0,
            event: [0; COUNTER_LANES],
            threshold: [0; COUNTER_LANES],
            recent: [SysReg::Pmcr.address(); 8],
            recent_at: 0,
        }
    }

    /// The event lane that counter `n` counts.
    pub(super) fn lane(&self, n: usize, facts: &Facts) -> Option<usize> {
        let event = self.event[n];
        let is_chain = facts.has_chain && event == CHAIN;
        (u32::from(event) < facts.event_count && !is_chain).then_some(usize::from(event))
    }

    /// Takes a register write.
    ///
    /// # Returns
    /// The counter whose type it sets.
    pub(super) fn write(&mut self, address: u16, data: u64, facts: &Facts) -> Option<usize> {
        let register = SysReg::from_address(address)?;
        let target = match register {
            SysReg::Pmxevtyper => SysReg::Pmevtyper(self.select),
            other => other,
        };
        let mut typed = None;
        match target {
            SysReg::Pmcr => {
                self.enable = data & 1 == 1;
                self.long = facts.has_long && data >> 7 & 1 == 1;
            }
            SysReg::Pmcntenset => self.enabled |= data as u32,
            SysReg::Pmcntenclr => self.enabled &= !(data as u32),
            SysReg::Pmselr => self.select = data as u8 & 31,
            SysReg::Pmevtyper(n) if u32::from(n) < facts.counters => {
                let n = usize::from(n);
                self.event[n] = EVTCOUNT.of(data) as u16 & facts.event_mask;
                self.threshold[n] = TH.of(data) as u16 & facts.th_mask;
                typed = Some(n);
            }
            _ => {}
        }
        self.recent[usize::from(self.recent_at)] = address;
        self.recent_at = (self.recent_at + 1) % 8;
        typed
    }

    /// Whether fewer than half of the counters are enabled.
    pub(super) fn is_mostly_off(&self, facts: &Facts) -> bool {
        let events = self.enabled & ((1 << facts.counters) - 1);
        !self.enable
            || 2 * events.count_ones() < facts.counters
            || self.enabled >> CYCLE_COUNTER == 0
    }
}
