//! A wrapper to start from.

use std::fmt::Write;

use pmu_model::features::FEATURES;
use pmu_model::wrapper::{Increments, PARTS};
use pmu_model::{DutParameters, Implementation};

use super::package::camel_case;

const TEMPLATE: &str = include_str!("template.sv");

/// The wrapper module `top` of a design of `implementation`, without the design, as SystemVerilog. It needs the
/// package of [`package`](super::package).
pub fn wrapper(top: &str, implementation: &Implementation) -> String {
    let stated = DutParameters::of(implementation);
    let increments = match implementation.wrapper.increments {
        Increments::Shown => "Shown",
        Increments::Hidden => "Hidden",
        Increments::Counters => "Counters",
    };
    [
        ("TOP", top.to_owned()),
        ("COUNTERS", stated.counters.to_string()),
        ("EVENT_COUNT", stated.event_count.to_string()),
        ("EVENT_WIDTH", stated.event_width.to_string()),
        ("COUNTER_BITS", stated.counter_bits.to_string()),
        ("THWIDTH", stated.thwidth.to_string()),
        ("PMMIR", format!("{:08x}", stated.pmmir)),
        ("THREADS", stated.threads.to_string()),
        ("MAX_INFLIGHT", stated.max_inflight.to_string()),
        ("SYSTEM_PMUS", stated.system_pmus.to_string()),
        ("PMSIDR", format!("{:08x}", stated.pmsidr)),
        ("SPMCFGR", spmcfgr(&stated)),
        ("FEATURES", features(&stated)),
        (
            "ACCESS_INTERVAL",
            implementation.wrapper.access_interval.to_string(),
        ),
        ("INCREMENTS", increments.to_owned()),
        ("LACKS", lacks(&stated)),
    ]
    .into_iter()
    .fold(TEMPLATE.to_owned(), |text, (name, value)| {
        text.replace(&format!("@{name}@"), &value)
    })
}

fn spmcfgr(stated: &DutParameters) -> String {
    let mut lines = String::new();
    for (s, value) in stated
        .spmcfgr
        .iter()
        .enumerate()
        .filter(|(_, value)| **value != 0)
    {
        // Writing to a string does not fail.
        let _ = writeln!(
            lines,
            "    parameters.spmcfgr[{s}] = 32'h{value:08x};  // SPMCFGR_EL1"
        );
    }
    lines
}

fn features(stated: &DutParameters) -> String {
    let mut lines = String::new();
    for (bit, feature) in FEATURES.iter().enumerate() {
        let on = stated.features >> bit & 1;
        let name = camel_case(feature.name());
        let _ = writeln!(
            lines,
            "    parameters.features[lockstep_pkg::Feature{name}] = 1'b{on};"
        );
    }
    lines
}

fn lacks(stated: &DutParameters) -> String {
    let mut lines = String::new();
    for (bit, (name, _)) in PARTS.iter().enumerate() {
        let lacks = stated.lacks >> bit & 1;
        let name = camel_case(name);
        let _ = writeln!(
            lines,
            "    parameters.lacks[lockstep_pkg::Lacks{name}] = 1'b{lacks};"
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_to_fill_in() {
        let text = wrapper("mine", &Implementation::default());
        let is_left = |part: &str| part.starts_with(|letter: char| letter.is_ascii_uppercase());
        assert!(!text.split('@').skip(1).any(is_left), "{text}");
        assert!(text.contains("module mine ("));
        assert!(text.contains("parameters.features[lockstep_pkg::FeatureTh2] = 1'b1;"));
    }
}
