//! Registers of the PE's counters, but for `PMEVTYPER<n>_EL0`.

use pmu_model::implementation::Layout;
use pmu_model::pmu::event_type::Field;
use pmu_model::sysreg::fields::{PMCR, PMMIR, PMSELR, named};

use super::{Words, field_of, ranges};

const N: Field = named(PMCR, "N");
const LP: Field = named(PMCR, "LP");
const LC: Field = named(PMCR, "LC");
const C: Field = named(PMCR, "C");
const P: Field = named(PMCR, "P");
const E: Field = named(PMCR, "E");

/// Fields of PMCR_EL0 that the contract has RES0.
const NOT_IN_CONTRACT: &[Field] = &[
    field_of("FZS", 32, 32),
    field_of("IMP", 31, 24),
    field_of("IDCODE", 23, 16),
    field_of("FZO", 9, 9),
    field_of("DP", 5, 5),
    field_of("X", 4, 4),
    field_of("D", 3, 3),
];

/// PMCR_EL0.
pub(super) fn pmcr(words: &mut Words) {
    let pmu = &words.implementation.pmu;
    let enabled = words.of(E) == 1;
    words.say(
        if enabled {
            "the counters that PMCNTENSET_EL0 enables count"
        } else {
            "no counter counts"
        },
        &["DUT-14"],
    );
    let zeroed: Vec<_> = [(P, "all event counters"), (C, "PMCCNTR_EL0")]
        .into_iter()
        .filter(|&(field, _)| words.of(field) == 1)
        .map(|(_, what)| what.to_owned())
        .collect();
    if !zeroed.is_empty() {
        words.say(
            format!(
                "a write of it zeroes {}, not their overflow flags",
                super::and(&zeroed)
            ),
            &["DUT-21"],
        );
    }
    let (n, counters) = (words.of(N), pmu.counters);
    let long = pmu.counter_bits == 64;
    for &field in NOT_IN_CONTRACT {
        if words.of(field) != 0 {
            words.field_with(field, 0, "not part of the contract, where it is RES0");
        }
    }
    words.field(N, format!("{n} event counters; read-only"));
    words.field_with(
        LP,
        if long { words.of(LP) } else { 0 },
        match (long, words.of(LP)) {
            (false, _) => "RES0: counters of 32 bits",
            (true, 0) => "event counters overflow out of bit 31",
            (true, _) => "event counters overflow out of bit 63",
        },
    );
    words.field_with(LC, 1, "RES1: PMCCNTR_EL0 overflows out of bit 63");
    words.field(C, written(words.of(C), "PMCCNTR_EL0"));
    words.field(P, written(words.of(P), "all event counters"));
    words.field(
        E,
        if enabled {
            "counting is on"
        } else {
            "counting is off"
        },
    );
    // The order of bits, whichever of the others are set.
    words
        .explanation
        .fields
        .sort_by_key(|field| std::cmp::Reverse(field.high));
    if n != u64::from(counters) {
        words.warn(
            format!("N = {n}, but the implementation has {counters} event counters"),
            &["DUT-11"],
        );
    }
    if words.of(LP) == 1 && !long {
        words.warn(
            "LP is set where it is RES0: counters of 32 bits",
            &["DUT-22"],
        );
    }
    let outside: Vec<_> = NOT_IN_CONTRACT
        .iter()
        .filter(|field| words.of(**field) != 0)
        .map(|field| field.name.to_owned())
        .collect();
    if !outside.is_empty() {
        words.warn(
            format!(
                "the contract has {} as RES0: no effect in lockstep",
                super::and(&outside)
            ),
            &[],
        );
    }
    words.warn_of_res0(&[]);
}

fn written(value: u64, what: &str) -> String {
    match value {
        0 => format!("does not zero {what}; write-only"),
        _ => format!("zeroes {what}; write-only"),
    }
}

/// PMCNTENSET_EL0, PMCNTENCLR_EL0.
pub(super) fn counters(words: &mut Words, does: &str, one: &str, many: &str) {
    a_bit_a_counter(words, does, one, many, &["DUT-14"]);
}

/// PMOVSSET_EL0, PMOVSCLR_EL0.
pub(super) fn flags(words: &mut Words, does: &str) {
    let does = format!("{does} the overflow flag of");
    a_bit_a_counter(
        words,
        &does,
        "has overflowed",
        "have overflowed",
        &["DUT-22", "DUT-23"],
    );
}

fn a_bit_a_counter(words: &mut Words, does: &str, one: &str, many: &str, rules: &[&'static str]) {
    let implemented = words.implementation.pmu.counters;
    let events: Vec<u64> = (0..31).filter(|n| words.value >> n & 1 == 1).collect();
    let known: Vec<_> = events
        .iter()
        .copied()
        .filter(|&n| n < implemented.into())
        .collect();
    let cycle = words.value >> 31 & 1 == 1;
    let mut which = Vec::new();
    if !known.is_empty() {
        let noun = if known.len() == 1 {
            "event counter"
        } else {
            "event counters"
        };
        which.push(format!("{noun} {}", ranges(known.iter().copied())));
    }
    if cycle {
        which.push("PMCCNTR_EL0".into());
    }
    if which.is_empty() {
        words.say("a write has no effect", rules);
        words.say(format!("read: no counter {one}"), rules);
    } else {
        let which = which.join(" and ");
        let have = if known.len() + usize::from(cycle) == 1 {
            one
        } else {
            many
        };
        words.say(format!("a write {does} {which}"), rules);
        words.say(format!("read: {which} {have}"), rules);
    }
    words.field(
        field_of("C", 31, 31),
        if cycle {
            "PMCCNTR_EL0"
        } else {
            "not PMCCNTR_EL0"
        },
    );
    let meaning = match known.len() {
        0 => "no event counter".into(),
        _ => format!("event counters {}", ranges(known.iter().copied())),
    };
    let effective = words.value & ((1 << implemented) - 1);
    words.field_with(field_of("P<n>", 30, 0), effective, meaning);
    let others: Vec<_> = events
        .into_iter()
        .filter(|&n| n >= implemented.into())
        .collect();
    if !others.is_empty() {
        let mask = others.iter().fold(0, |mask, n| mask | 1 << n);
        let text = format!(
            "{} set, where RES0: there are {implemented} event counters",
            super::bits(mask)
        );
        words.warn(text, &["DUT-31"]);
    }
    words.warn_of_res0(&[]);
}

/// PMSELR_EL0.
pub(super) fn pmselr(words: &mut Words) {
    let implemented = words.implementation.pmu.counters;
    let sel = named(PMSELR, "SEL");
    let n = words.of(sel);
    if n == 31 {
        words.say("PMXEVTYPER_EL0 is PMCCFILTR_EL0", &["DUT-33"]);
        words.say("PMXEVCNTR_EL0 is UNDEFINED", &["DUT-31"]);
        words.field(sel, "the cycle counter");
    } else {
        words.say(
            format!("PMXEVTYPER_EL0 is PMEVTYPER{n}_EL0, PMXEVCNTR_EL0 is PMEVCNTR{n}_EL0"),
            &["DUT-33"],
        );
        words.field(sel, format!("event counter {n}"));
        if n >= implemented.into() {
            words.warn(
                format!("counter {n} is not implemented, there are {implemented}: an access through SEL is UNDEFINED"),
                &["DUT-31"],
            );
        }
    }
    words.warn_of_res0(&[]);
}

/// PMMIR_EL1.
pub(super) fn pmmir(words: &mut Words) {
    let implementation = words.implementation;
    let (edge, thwidth) = (named(PMMIR, "EDGE"), named(PMMIR, "THWIDTH"));
    let (features, width) = (words.of(edge), words.of(thwidth));
    let mut names = Vec::new();
    if (1..=12).contains(&width) {
        names.push(format!("FEAT_PMUv3_TH with thresholds of {width} bits"));
    }
    if matches!(features, 1 | 2) {
        names.push("FEAT_PMUv3_EDGE".into());
    }
    if features == 2 {
        names.push("FEAT_PMUv3_TH2".into());
    }
    words.say(
        if names.is_empty() {
            "no thresholds, edges or links".into()
        } else {
            super::and(&names)
        },
        &["TH-07"],
    );
    words.field(
        edge,
        match features {
            0 => "neither edges nor links",
            1 => "edges (FEAT_PMUv3_EDGE)",
            2 => "edges and links (FEAT_PMUv3_EDGE, FEAT_PMUv3_TH2)",
            _ => "reserved",
        },
    );
    words.field(
        thwidth,
        match width {
            0 => "FEAT_PMUv3_TH is not implemented".into(),
            13.. => "reserved".into(),
            _ => format!(
                "TH has {width} bits: thresholds 0 to {}",
                (1u32 << width) - 1
            ),
        },
    );
    for (name, high, low) in [("BUS_WIDTH", 19, 16), ("BUS_SLOTS", 15, 8), ("SLOTS", 7, 0)] {
        let field = field_of(name, high, low);
        let value = words.of(field);
        words.field(field, format!("{value}, IMPLEMENTATION DEFINED"));
    }
    if features > 2 {
        words.warn(format!("EDGE = {features:04b} is reserved"), &["TH-07"]);
    }
    if width > 12 {
        words.warn(format!("THWIDTH = {width:04b} is reserved"), &["TH-07"]);
    }
    if features != 0 && width == 0 {
        words.warn(
            "EDGE without THWIDTH: FEAT_PMUv3_EDGE requires FEAT_PMUv3_TH",
            &["TH-07"],
        );
    }
    let pmu = &implementation.pmu;
    let levels = match implementation.knobs.layout {
        Layout::Current => u64::from(pmu.edge) + u64::from(pmu.th2),
        Layout::Year2021 => 0,
    };
    let expected = levels << 24 | u64::from(implementation.thwidth()) << 20 | u64::from(pmu.pmmir);
    if words.value & 0x0FFF_FFFF != expected {
        words.warn(
            format!("the implementation has PMMIR_EL1 = {expected:#x}"),
            &["TH-07"],
        );
    }
    words.warn_of_res0(&["TH-07"]);
}

#[cfg(test)]
mod tests {
    use super::super::{Explanation, explain};
    use pmu_model::{Implementation, Model, SysReg};

    fn explained(register: SysReg, value: u64) -> Explanation {
        explain(register, value, &Implementation::default()).expect("consistent")
    }

    fn first(register: SysReg, value: u64) -> String {
        explained(register, value).summary[0].text.clone()
    }

    #[test]
    fn registers_out_of_reset_have_no_warnings() {
        let model = Model::new(&Implementation::default()).expect("consistent");
        for register in [SysReg::Pmcr, SysReg::Pmmir, SysReg::Pmselr] {
            let explanation = explained(register, model.register(register));
            assert!(
                explanation.warnings.is_empty(),
                "{:?}",
                explanation.warnings
            );
        }
    }

    #[test]
    fn counters_are_listed_as_ranges() {
        let text = first(SysReg::Pmcntenset, 0x8000_010F);
        assert_eq!(
            text,
            "a write enables event counters 0 to 3 and 8 and PMCCNTR_EL0"
        );
        assert_eq!(
            first(SysReg::Pmovsclr, 1 << 4),
            "a write clears the overflow flag of event counter 4"
        );
        assert_eq!(first(SysReg::Pmcntenclr, 0), "a write has no effect");
    }

    #[test]
    fn counters_that_are_not_there_are_told() {
        let mut six = Implementation::default();
        six.pmu.counters = 6;
        let explanation = explain(SysReg::Pmcntenset, 0xFF, &six).expect("consistent");
        assert_eq!(
            explanation.warnings[0].text,
            "bits 7:6 set, where RES0: there are 6 event counters"
        );
    }

    #[test]
    fn dut_21_zeroing() {
        let explanation = explained(SysReg::Pmcr, 0xF847);
        assert_eq!(
            explanation.summary[1].text,
            "a write of it zeroes all event counters and PMCCNTR_EL0, not their overflow flags"
        );
    }

    #[test]
    fn th_07_reserved_values_of_pmmir() {
        let explanation = explained(SysReg::Pmmir, 0x03D0_0000);
        assert!(
            explanation.warnings[0]
                .text
                .contains("EDGE = 0011 is reserved")
        );
        assert!(
            explanation.warnings[1]
                .text
                .contains("THWIDTH = 1101 is reserved")
        );
    }
}
