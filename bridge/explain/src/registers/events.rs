//! Events, as far as the contract knows them (DUT-17, DUT-51).

use pmu_model::Implementation;
use pmu_model::evtyper::events::{Counts, event_behaviour};
use pmu_model::pmu::event_type::CHAIN;

/// Events that have a name: number, name, and what they count.
const NAMED: &[(u16, &str, &str)] = &[
    (
        0x0008,
        "INST_RETIRED",
        "the sum over the threads that count",
    ),
    (0x0011, "CPU_CYCLES", "Processor cycles"),
    (
        0x0023,
        "STALL_FRONTEND",
        "cycles in which the frontend stalls",
    ),
    (
        0x0024,
        "STALL_BACKEND",
        "cycles in which the backend stalls",
    ),
    (
        0x003C,
        "STALL",
        "cycles in which no operation is sent for execution",
    ),
    (
        0x00C0,
        "IMPLEMENTATION DEFINED",
        "cycles of STALL with a second condition",
    ),
    (
        0x00C1,
        "IMPLEMENTATION DEFINED",
        "cycles with another condition",
    ),
    (0x4000, "SAMPLE_POP", "members of the sample population"),
    (0x4001, "SAMPLE_FEED", "samples taken"),
    (0x4002, "SAMPLE_FILTRATE", "samples that pass the filters"),
    (0x4003, "SAMPLE_COLLISION", "selections that collide"),
    (
        0x8159,
        "STALL_FRONTEND_L1I",
        "cycles of STALL_FRONTEND with a miss of L1 instructions",
    ),
    (
        0x8165,
        "STALL_BACKEND_L1D",
        "cycles of STALL_BACKEND with a miss of L1 data",
    ),
];

/// What an event is in one implementation.
pub struct Event {
    /// Name, if it has one.
    pub name: Option<&'static str>,
    /// What it is, or why it counts nothing.
    pub meaning: String,
    /// It counts something.
    pub counts: bool,
    /// Rules behind it.
    pub rules: &'static [&'static str],
}

/// The event that counter `n` counts with evtCount = `number`.
pub fn event(number: u16, n: u8, implementation: &Implementation) -> Event {
    let pmu = &implementation.pmu;
    if number == CHAIN && pmu.chain {
        return chain(n);
    }
    let named = NAMED.iter().find(|&&(known, ..)| known == number);
    let name = named.map(|&(_, name, _)| name);
    let is_spe = (0x4000..=0x4003).contains(&number);
    let is_lane = number < pmu.event_count.into();
    if let Some(&(_, _, what)) = named.filter(|_| !is_spe || implementation.spe.implemented) {
        return Event {
            name,
            meaning: what.into(),
            counts: true,
            rules: if is_spe { &["SPE-05"] } else { &[] },
        };
    }
    if is_lane {
        return Event {
            name,
            meaning: format!("lane {number} of the contract's events"),
            counts: true,
            rules: &["DUT-16"],
        };
    }
    let (meaning, rules): (_, &[&str]) =
        match event_behaviour(number, |_| false, implementation).counts {
            Counts::Unpredictable => (
                "not supported: what it counts is UNPREDICTABLE, and evtCount may read as UNKNOWN",
                &["ETY-31"],
            ),
            _ if implementation.pe.pmuv3p8 => ("not supported: counts nothing", &["ETY-30"]),
            _ => ("not supported: counts nothing", &["ETY-31"]),
        };
    Event {
        name,
        meaning: meaning.into(),
        counts: false,
        rules,
    }
}

/// DUT-17.
fn chain(n: u8) -> Event {
    let odd = n % 2 == 1;
    Event {
        name: Some("CHAIN"),
        meaning: match n.checked_sub(1).filter(|_| odd) {
            Some(below) => format!("overflows of counter {below} out of bit 31"),
            None => "counts nothing on an even counter".into(),
        },
        counts: odd,
        rules: &["DUT-17"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dut_51_events_by_number() {
        let all = Implementation::default();
        let name = |number| event(number, 0, &all).name;
        assert_eq!(name(0x11), Some("CPU_CYCLES"));
        assert_eq!(name(0x8165), Some("STALL_BACKEND_L1D"));
        assert_eq!(name(3), None);
        assert!(event(3, 0, &all).counts);
        assert!(!event(0x77, 0, &all).counts);
    }

    #[test]
    fn dut_17_chain_is_of_odd_counters() {
        let all = Implementation::default();
        assert!(event(CHAIN, 5, &all).meaning.contains("counter 4"));
        assert!(!event(CHAIN, 4, &all).counts);
        let mut without = all;
        without.pmu.chain = false;
        assert_eq!(event(CHAIN, 5, &without).name, None, "a lane");
    }

    #[test]
    fn ety_31_unsupported_events() {
        let mut old = Implementation::default();
        assert_eq!(event(0x1234, 0, &old).rules, ["ETY-30"]);
        old.pe.pmuv3p8 = false;
        assert_eq!(event(0x1234, 0, &old).rules, ["ETY-31"]);
        old.spe.implemented = false;
        assert!(!event(0x4000, 0, &old).counts, "without FEAT_SPE");
    }
}
