//! What a run does not change: what the implementation fixes, and how event types are mixed.

use pmu_model::Implementation;
use pmu_model::implementation::ThreadForm;
use pmu_model::pmu::event_type::{CHAIN, EVTCOUNT, MT, NSH, SYNC, TC, TE, TH, TLC, present_mask};
use pmu_model::threshold_control::is_reserved;

use super::profile::{Profile, Types};
use super::registers;

/// Events of the threads (DUT-51).
pub(super) const CYCLE_EVENTS: [u16; 9] = [
    0x0008, 0x0011, 0x0023, 0x0024, 0x003C, 0x8159, 0x8165, 0x00C0, 0x00C1,
];
/// SAMPLE_POP, the first of the four events of Statistical Profiling.
pub(super) const SAMPLE_POP: u16 = 0x4000;

/// What a run does not change.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// N.
    pub(super) counters: u32,
    pub(super) event_count: u32,
    pub(super) has_chain: bool,
    /// 0x001E is written as CHAIN: it is, or is no lane and counts nothing (ETY-30). A design may have CHAIN all the same.
    pub(super) writes_chain: bool,
    pub(super) has_long: bool,
    /// All registers of the event counters, and those of all areas.
    pub(super) readable: Vec<u16>,
    pub(super) everything: Vec<u16>,
    /// Allocated {TC, TE, TLC} of even and odd counters, in place.
    pub(super) allocated: [Vec<u64>; 2],
    /// Reserved ones.
    pub(super) reserved: [Vec<u64>; 2],
    /// Fields of a type that are drawn at random.
    pub(super) filters: u64,
    /// Of these, the ones that filter nothing whatever they are, and what else filters nothing at any level.
    pub(super) harmless: u64,
    pub(super) open: u64,
    /// RES0 bits of types of even and odd counters.
    pub(super) res0: [u64; 2],
    pub(super) th_mask: u16,
    pub(super) event_mask: u16,
    /// Bits of a base value, and THWIDTH.
    pub(super) event_width: u32,
    pub(super) thwidth: u32,
    /// Events of areas that are driven have small values.
    pub(super) samples: bool,
    pub(super) cycles: bool,
    pub(super) ernd: bool,
    pub(super) max_inflight: u32,
    pub(super) threads: usize,
    pub(super) form: ThreadForm,
    /// The counters of each System PMU.
    pub(super) system_pmus: Vec<Vec<u8>>,
    /// Shares of event numbers.
    pub(super) types: Types,
}

impl Facts {
    pub(super) fn of(implementation: &Implementation, profile: &Profile) -> Self {
        let pmu = &implementation.pmu;
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
        let readable: Vec<_> = registers::event_counters(pmu.counters).collect();
        let everything = readable
            .iter()
            .copied()
            .chain(registers::SAMPLING)
            .chain(registers::system_pmu())
            .collect();
        let counters_of = |counters: u64| (0..64).filter(move |i| counters >> i & 1 == 1).collect();
        Self {
            counters: u32::from(pmu.counters),
            event_count: u32::from(pmu.event_count),
            has_chain: pmu.chain,
            writes_chain: pmu.chain || u16::from(pmu.event_count) <= CHAIN,
            has_long: pmu.counter_bits == 64,
            readable,
            everything,
            allocated: of_kind(false),
            reserved: of_kind(true),
            filters: present[0] & !used,
            harmless: present[0] & (MT.mask() | SYNC.mask()),
            open: present[0] & NSH.mask(),
            res0: present.map(|present| !present),
            th_mask: ((1u32 << implementation.thwidth()) - 1) as u16,
            event_mask: if pmu.pmuv3p1 { 0xFFFF } else { 0x03FF },
            event_width: u32::from(pmu.event_width),
            thwidth: u32::from(implementation.thwidth()),
            samples: profile.areas.spe > 0,
            cycles: profile.areas.cycles > 0,
            ernd: implementation.spe.ernd,
            max_inflight: u32::from(implementation.max_inflight()),
            threads: usize::from(implementation.threads.count),
            form: implementation.threads.form,
            system_pmus: implementation
                .system_pmu
                .iter()
                .map(|pmu| counters_of(pmu.implemented_counters()))
                .collect(),
            types: profile.types.clone(),
        }
    }

    /// Whether `event` counts few things in a cycle, whatever the base values are.
    pub(super) fn is_small(&self, event: u16) -> bool {
        (self.samples && event & !3 == SAMPLE_POP) || (self.cycles && CYCLE_EVENTS.contains(&event))
    }
}
