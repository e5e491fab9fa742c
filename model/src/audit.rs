//! What an audit of stimulus asks for: the constants that rules, tables and designs compare with, and the values around
//! each of them that tell it from another one: both neighbours, and all that differ in one bit.
//!
//! Nothing here names a register or an event: the constants are those of the tables of this crate, so that a new one is
//! audited by itself. What the contract never drives is left out by its rules ([`is_driven`]), and what an
//! implementation does not have is left out because its tables do not have it.
//!
//! [`crate::coverage`] counts what of it a run has driven, in crosses whose names begin with [`CROSSES`].

use crate::contract::{AccessKind, CYCLE_COUNTER};
use crate::implementation::Implementation;
use crate::pmu::access::is_writable;
use crate::pmu::event_type::{CHAIN, EVTCOUNT, FIELDS, Field, TC, TE, TH, TLC, present_mask};
use crate::pmu::sample_events::SAMPLE_EVENTS;
use crate::pmu::thread_events::thread_event;
use crate::sysreg::SysReg;

/// What the names of the crosses of the audit begin with.
pub const CROSSES: &str = "audit: ";

/// Bits of an external offset that select something (DUT-37): the Performance Monitors frame has 4 KiB.
const FRAME: u16 = 0x0FFF;
/// op0 of every access from AArch32, in place (`docs/dut-contract.md`, section 2).
const OP0: u16 = 0b11 << 14;

/// `constant`, both neighbours of it and all values that differ from it in one bit, in ascending order, in `bits` bits.
pub fn around(constant: u64, bits: u32) -> Vec<u64> {
    let all = u64::MAX >> (64 - bits);
    let neighbours = [constant, constant.wrapping_sub(1), constant.wrapping_add(1)];
    let flipped = (0..bits).map(|bit| constant ^ 1 << bit);
    let mut values: Vec<_> = neighbours
        .into_iter()
        .chain(flipped)
        .map(|value| value & all)
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// [`around`] each of `constants`.
pub fn around_all(constants: impl IntoIterator<Item = u64>, bits: u32) -> Vec<u64> {
    let mut values: Vec<_> = constants
        .into_iter()
        .flat_map(|constant| around(constant, bits))
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// An event number that is taken for another one if a bit is not looked at, or the comparison is one off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventNumber {
    /// The event that it may be taken for. Of the lanes, which are told from other numbers by their upper bits, one
    /// stands for all.
    pub constant: u16,
    /// The number.
    pub number: u16,
}

/// Bits of evtCount.
fn event_bits(implementation: &Implementation) -> u32 {
    if implementation.pmu.pmuv3p1 { 16 } else { 10 }
}

/// Whether `event` is one that the rules name (DUT-51): no lane, or not always.
fn is_named(event: u16, implementation: &Implementation) -> bool {
    (implementation.pmu.chain && event == CHAIN)
        || (implementation.spe.implemented && SAMPLE_EVENTS.contains(&event))
        || (implementation.wrapper.thread_conditions && thread_event(event).is_some())
}

/// The event numbers around each that the rules name, and around the number of lanes.
pub fn event_numbers(implementation: &Implementation) -> Vec<EventNumber> {
    if implementation.pmu.counters == 0 {
        return Vec::new();
    }
    let bits = event_bits(implementation);
    let lanes = u16::from(implementation.pmu.event_count);
    let largest = u16::MAX >> (16 - bits);
    let of = |constant: u16, numbers: Vec<u64>| {
        numbers.into_iter().map(move |number| EventNumber {
            constant,
            number: number as u16,
        })
    };
    let named = (0..=largest)
        .filter(|&event| is_named(event, implementation))
        .filter(|&event| event != CHAIN || implementation.pmu.counters > 1)
        .flat_map(|event| of(event, around(event.into(), bits)));
    // A lane for each bit that no lane has.
    let beyond = (0..bits)
        .map(|bit| 1 << bit)
        .filter(|bit| *bit >= lanes.next_power_of_two());
    let aliases = beyond
        .zip((0..lanes).cycle().skip(1))
        .map(|(bit, lane)| EventNumber {
            constant: lane,
            number: lane | bit,
        });
    named
        .chain(aliases)
        .chain(last_lanes(implementation))
        .collect()
}

/// The numbers around that of the lanes.
fn last_lanes(implementation: &Implementation) -> impl Iterator<Item = EventNumber> {
    let lanes = u16::from(implementation.pmu.event_count);
    let numbers = [lanes - 1, lanes, lanes + 1];
    numbers.into_iter().map(move |number| EventNumber {
        constant: lanes - 1,
        number,
    })
}

/// Whether the contract drives accesses of `kind` at `address` in designs of `implementation`: section 2 of
/// `docs/dut-contract.md`, DUT-37, DUT-72.
pub fn is_driven(kind: AccessKind, address: u16, implementation: &Implementation) -> bool {
    let wrapper = &implementation.wrapper;
    let indirect = |register: Option<SysReg>| register.is_some_and(SysReg::is_indirect);
    match kind {
        AccessKind::None => false,
        AccessKind::Read | AccessKind::Write => {
            wrapper.indirect || !indirect(SysReg::from_address(address))
        }
        AccessKind::Read32 | AccessKind::Write32 => {
            wrapper.aarch32
                && address & OP0 == OP0
                && (wrapper.indirect || !indirect(SysReg::from_address_32(address)))
        }
        AccessKind::ExternalRead | AccessKind::ExternalWrite => {
            wrapper.external && address <= FRAME
        }
    }
}

/// The kinds of accesses that reach something.
pub const KINDS: [AccessKind; 6] = [
    AccessKind::Read,
    AccessKind::Write,
    AccessKind::Read32,
    AccessKind::Write32,
    AccessKind::ExternalRead,
    AccessKind::ExternalWrite,
];

/// The register that an access of `kind` at `address` names.
pub fn named(kind: AccessKind, address: u16) -> Option<SysReg> {
    match kind {
        AccessKind::None => None,
        AccessKind::Read | AccessKind::Write => SysReg::from_address(address),
        AccessKind::Read32 | AccessKind::Write32 => SysReg::from_address_32(address),
        AccessKind::ExternalRead | AccessKind::ExternalWrite => {
            SysReg::from_offset(address).map(|(register, _)| register)
        }
    }
}

/// Whether designs of `implementation` compare with the encodings of `register`. Of the event counters, all: which of
/// them are implemented is told by their number.
fn is_compared(register: SysReg, implementation: &Implementation) -> bool {
    let spe = &implementation.spe;
    let of_sampling = SysReg::of_sampling(true, true).any(|of| of == register);
    let has = SysReg::of_sampling(spe.implemented, spe.exc).any(|of| of == register);
    (!of_sampling || has)
        && (!register.is_of_system_pmus() || !implementation.system_pmu.is_empty())
}

/// The encodings, or offsets, of accesses of `kind` around those of all registers.
pub fn addresses(kind: AccessKind, implementation: &Implementation) -> Vec<u16> {
    let bits = 16;
    let constants = (0..=u16::MAX)
        .filter(|&address| {
            named(kind, address).is_some_and(|register| is_compared(register, implementation))
        })
        .map(u64::from);
    around_all(constants, bits)
        .into_iter()
        .map(|address| address as u16)
        .filter(|&address| is_driven(kind, address, implementation))
        .collect()
}

/// Whether an access of `kind` at `address` may do more than to be refused or ignored.
pub fn reaches(kind: AccessKind, address: u16, implementation: &Implementation) -> bool {
    let counters = implementation.pmu.counters;
    named(kind, address).is_some_and(|register| {
        let exists = match register {
            SysReg::Pmevcntr(n) | SysReg::Pmevtyper(n) => n < counters,
            _ => is_compared(register, implementation),
        };
        exists && (!kind.is_write() || is_writable(register))
    })
}

/// The widths at which counters carry something: sums that are signed, and overflows (DUT-22), of 32 and 64 bits.
pub const BOUNDARIES: [u32; 4] = [31, 32, 63, 64];

/// Values that counter `n` is to be counted up from: around those of which all bits below a boundary are one.
pub fn counter_values(n: usize, implementation: &Implementation) -> Vec<u64> {
    let bits = counter_bits(n, implementation);
    let constants = BOUNDARIES.iter().filter(|&&boundary| boundary <= bits);
    around_all(constants.map(|boundary| u64::MAX >> (64 - boundary)), bits)
}

/// Bits of counter `n`, 31 for PMCCNTR_EL0.
pub fn counter_bits(n: usize, implementation: &Implementation) -> u32 {
    if n == CYCLE_COUNTER {
        64
    } else {
        implementation.pmu.counter_bits.into()
    }
}

/// Values of TH around its extremes.
pub fn thresholds(implementation: &Implementation) -> Vec<u64> {
    extremes(implementation.thwidth().into())
}

/// Values around zero and all ones, in `bits` bits.
fn extremes(bits: u32) -> Vec<u64> {
    match bits {
        0 => Vec::new(),
        _ => around_all([0, u64::MAX], bits),
    }
}

/// Values of PMSIRR_EL1.INTERVAL around its extremes; not 0, after which what follows is UNKNOWN (SPE-29).
pub fn intervals() -> Vec<u64> {
    let mut values = extremes(24);
    values.retain(|&value| value != 0);
    values
}

/// Values of PMSICR_EL1.COUNT around its extremes.
pub fn counts() -> Vec<u64> {
    extremes(32)
}

/// Values of PMSICR_EL1.ECOUNT around its extremes; none without FEAT_SPE_ERnd.
pub fn secondary_counts(implementation: &Implementation) -> Vec<u64> {
    extremes(if implementation.spe.ernd { 8 } else { 0 })
}

/// Samples in flight around none and the most that there can be.
pub fn in_flight(implementation: &Implementation) -> Vec<u64> {
    let most = u64::from(implementation.max_inflight());
    let mut values = around_all([0, most], 8);
    values.retain(|&value| value <= most);
    values
}

/// The fields of `PMEVTYPER<n>_EL0` that say where an event is counted: all but those that say which, and how.
pub fn filters(implementation: &Implementation) -> Vec<Field> {
    let present = match implementation.pmu.counters {
        0 => 0,
        _ => present_mask(0, implementation),
    };
    let others = [TC, TE, TLC, TH, EVTCOUNT].map(Field::mask);
    let filters = present & !others.iter().fold(0, |all, mask| all | mask);
    let is_filter = |field: &&Field| filters & field.mask() != 0;
    FIELDS.iter().filter(is_filter).copied().collect()
}

/// {TC, TE, TLC} in place, all values that counters with even and with odd numbers have.
pub fn controls(implementation: &Implementation) -> [Vec<u64>; 2] {
    [0, 1].map(|n| {
        let has = n < implementation.pmu.counters;
        let present = present_mask(n, implementation);
        let values = (0..64).map(|value: u64| {
            let (tc, te, tlc) = (value >> 3, value >> 2 & 1, value & 3);
            tc << TC.low | te << TE.low | tlc << TLC.low
        });
        values
            .filter(|value| has && value & !present == 0)
            .collect()
    })
}

/// The states that a thread can be in, coded as in [`crate::contract::Thread::state`].
pub fn states(implementation: &Implementation) -> Vec<u8> {
    let pe = &implementation.pe;
    let exists = |state: u8| {
        let (level, security) = (state & 3, state >> 2 & 3);
        match (level, security) {
            _ if state >> 4 == 1 && !pe.sme => false,
            // Section 2: Root at EL3 alone, and EL3 there alone where there is Root.
            (3, 3) => pe.rme && pe.el3,
            (3, 1) => pe.el3 && !pe.rme,
            (3, _) | (_, 3) => false,
            (level, 1) => pe.el3 && (level < 2 || pe.sel2),
            (level, 2) => pe.rme && (level < 2 || pe.el2),
            (level, _) => level < 2 || pe.el2,
        }
    };
    (0..32).filter(|&state| exists(state)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn around_a_constant_are_its_neighbours_and_all_of_one_bit() {
        assert_eq!(around(5, 4), [1, 4, 5, 6, 7, 13]);
        assert_eq!(around(0, 3), [0, 1, 2, 4, 7]);
        assert_eq!(around(u64::MAX, 64).len(), 66);
        assert_eq!(around_all([0, 7], 3), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn events_that_rules_name_are_told_from_all_around_them() {
        let numbers = event_numbers(&Implementation::default());
        let of = |constant: u16| -> Vec<_> {
            let of = numbers.iter().filter(|pair| pair.constant == constant);
            of.map(|pair| pair.number).collect()
        };
        let chain = of(CHAIN);
        for number in [0x001D, 0x001F, 0x801E, 0x003E] {
            assert!(chain.contains(&number), "{number:#x}");
        }
        for event in [0x0008, 0x0011, 0x00C1, 0x4000, 0x4003, 0x8165] {
            assert!(of(event).len() >= 17, "{event:#x}");
        }
        // Lanes, of which there are 64: a number for each upper bit.
        let is_beyond = |bit: u32| {
            let alias = |pair: &&EventNumber| pair.number == pair.constant | 1 << bit;
            numbers
                .iter()
                .any(|pair| alias(&pair) && pair.constant < 64)
        };
        assert!((6..16).all(is_beyond));
        assert_eq!(of(63), [63, 64, 65]);
    }

    #[test]
    fn what_an_implementation_does_not_have_is_not_asked_for() {
        let mut small = Implementation::default();
        small.spe.implemented = false;
        small.pmu.chain = false;
        small.pmu.pmuv3p1 = false;
        small.system_pmu.clear();
        small.wrapper.thread_conditions = false;
        small.wrapper.aarch32 = false;
        small.wrapper.external = false;
        let numbers = event_numbers(&small);
        assert!(numbers.iter().all(|pair| pair.constant < 64));
        assert!(numbers.iter().all(|pair| pair.number < 0x400));
        assert!(addresses(AccessKind::Read32, &small).is_empty());
        assert!(addresses(AccessKind::ExternalWrite, &small).is_empty());
        let reads = addresses(AccessKind::Read, &small);
        assert!(!reads.contains(&(SysReg::Spmcfgr.address() ^ 1 << 9)));
        assert!(reads.contains(&(SysReg::Pmmir.address() ^ 1 << 9)));
    }

    #[test]
    fn what_the_contract_never_drives_is_left_out() {
        let implementation = Implementation::default();
        for kind in KINDS {
            let addresses = addresses(kind, &implementation);
            assert!(!addresses.is_empty());
            for address in addresses {
                match kind {
                    AccessKind::Read32 | AccessKind::Write32 => assert_eq!(address >> 14, 3),
                    AccessKind::ExternalRead | AccessKind::ExternalWrite => {
                        assert!(address <= 0xFFF);
                    }
                    _ => {}
                }
            }
        }
        assert_eq!(
            states(&implementation)
                .iter()
                .filter(|&&state| state < 16)
                .count(),
            10
        );
        assert!(!intervals().contains(&0) && intervals().contains(&1));
    }

    #[test]
    fn counters_are_counted_up_over_every_boundary() {
        let mut implementation = Implementation::default();
        let values = counter_values(CYCLE_COUNTER, &implementation);
        for value in [
            0x7FFF_FFFF,
            0xFFFF_FFFF,
            0x7FFF_FFFF_FFFF_FFFF,
            u64::MAX,
            u64::MAX - 1,
            0x7FFF_FFFE_FFFF_FFFF,
        ] {
            assert!(values.contains(&value), "{value:#x}");
        }
        implementation.pmu.counter_bits = 32;
        assert_eq!(counter_values(CYCLE_COUNTER, &implementation), values);
        let narrow = counter_values(0, &implementation);
        assert!(narrow.iter().all(|&value| value <= 0xFFFF_FFFF));
    }
}
