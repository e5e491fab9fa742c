//! Registers that describe a System PMU, and SPMSELR_EL0.

use pmu_model::pmu::event_type::Field;
use pmu_model::spmu::max_counters;
use pmu_model::spmu::registers::{
    COUNTER_WIDTHS, EX, F0V, FZO, HDBG, MSI, N, NA, NCG, PRESENT, RAO, SIZE, SPMCFGR_BITS, SS, TRO,
};
use pmu_model::sysreg::fields::{SPMDEVAFF, SPMDEVARCH, SPMIIDR, SPMSELR, named};

use super::{Words, affinity, bits, field_of};
use lockstep_base::counted::plural;

/// What a feature of SPMCFGR_EL1 is, by its name.
pub fn feature(name: &str) -> &'static str {
    match name {
        "HDBG" => "halt on debug",
        "TRO" => "trace on overflow",
        "SS" => "snapshot",
        "FZO" => "freeze on overflow",
        "MSI" => "message-signalled interrupts",
        "NA" => "no write access while running",
        _ => "event export",
    }
}

/// SPMCFGR_EL1.
pub(super) fn spmcfgr(words: &mut Words) {
    if words.value == 0 {
        words.say("zero: the System PMU is not implemented", &["SPMU-18"]);
    } else {
        let (groups, counters, bits) = (words.of(NCG) + 1, words.of(N) + 1, words.of(SIZE) + 1);
        let counters = plural(counters, "counter");
        words.say(
            match groups {
                1 => format!("{counters} in one Counter Group, the largest of {bits} bits"),
                _ => format!("{counters} in {groups} Counter Groups, the largest of {bits} bits"),
            },
            &["SPMU-04", "SPMU-10", "SPMU-14"],
        );
        if groups > 1 {
            let max = max_counters(groups as usize);
            words.say(
                format!(
                    "a group has at most {max} counters; the first of group g is number {max} * g"
                ),
                &["SPMU-12", "SPMU-13"],
            );
        }
    }
    let groups = words.of(NCG) + 1;
    words.field(NCG, plural(groups, "Counter Group"));
    for field in [HDBG, TRO, SS, FZO, MSI] {
        feature_field(words, field);
    }
    words.field(RAO, "reserved, reads as one");
    for field in [NA, EX] {
        feature_field(words, field);
    }
    let bits_of_largest = words.of(SIZE) + 1;
    words.field(
        SIZE,
        format!("the largest counter has {bits_of_largest} bits"),
    );
    let counters = words.of(N) + 1;
    words.field(N, plural(counters, "counter"));
    if words.value == 0 {
        return;
    }
    if groups > 15 {
        words.warn(
            "NCG = 1111: there can be at most 15 Counter Groups",
            &["SPMU-10"],
        );
    }
    if counters > 64 {
        words.warn(
            format!("N tells {counters} counters: there can be at most 64"),
            &["SPMU-14"],
        );
    }
    if !COUNTER_WIDTHS
        .iter()
        .any(|&width| u64::from(width) == bits_of_largest)
    {
        words.warn(
            format!("SIZE tells {bits_of_largest} bits, which is none of the widths allowed"),
            &["SPMU-04"],
        );
    }
    if words.of(RAO) == 0 {
        words.warn("bit 19 reads as 0, where it is reserved, RAO", &["SPMU-04"]);
    }
    let others = words.value & !SPMCFGR_BITS;
    if others != 0 {
        words.warn(
            format!("{} set, where RES0 or RAZ", bits(others)),
            &["SPMU-04"],
        );
    }
}

fn feature_field(words: &mut Words, field: Field) {
    let what = feature(field.name);
    let meaning = match words.of(field) {
        0 => format!("no {}", what.trim_start_matches("no ")),
        _ => what.to_owned(),
    };
    // "no write access while running" is the feature, not its absence.
    let meaning = match (field.name, words.of(field)) {
        ("NA", 0) => "write access while running".to_owned(),
        _ => meaning,
    };
    words.field(field, meaning);
}

/// `SPMCGCR<n>_EL1`.
pub(super) fn spmcgcr(words: &mut Words, n: u8) {
    let counts = words.value.to_le_bytes();
    let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let groups = counts.iter().filter(|&&count| count != 0).count();
    if total == 0 {
        words.say(
            "zero: read as zero where SPMCFGR_EL1.NCG is 0, or no counters in these groups",
            &["SPMU-05", "SPMU-17"],
        );
    } else {
        words.say(
            format!(
                "{} in {}",
                plural(total, "counter"),
                plural(groups as u64, "Counter Group")
            ),
            &["SPMU-05"],
        );
        words.say(
            "where a group's counters begin depends on SPMCFGR_EL1.NCG: lockstep spmu decode",
            &["SPMU-13"],
        );
    }
    for m in (0..8u8).rev() {
        let count = counts[usize::from(m)];
        let field = field_of(
            ["N0", "N1", "N2", "N3", "N4", "N5", "N6", "N7"][usize::from(m)],
            8 * m + 7,
            8 * m,
        );
        words.field(
            field,
            format!(
                "{} in Counter Group {}",
                plural(count.into(), "counter"),
                8 * n + m
            ),
        );
        if count > 32 {
            words.warn(
                format!("Counter Group {} has {count} counters, where a group of several has at most 32", 8 * n + m),
                &["SPMU-12"],
            );
        }
    }
    if n == 1 && counts[7] != 0 {
        words.warn(
            "N7 tells of Counter Group 15, which cannot be implemented",
            &["SPMU-10", "SPMU-17"],
        );
    }
}

/// SPMIIDR_EL1.
pub(super) fn spmiidr(words: &mut Words) {
    let fields @ [product, variant, revision, implementer] = [
        named(SPMIIDR, "ProductID"),
        named(SPMIIDR, "Variant"),
        named(SPMIIDR, "Revision"),
        named(SPMIIDR, "Implementer"),
    ];
    let id = words.of(implementer);
    if words.value == 0 {
        words.say(
            "zero: not implemented; software goes on with SPMDEVARCH_EL1",
            &["SPMU-01", "SPMU-20"],
        );
    } else {
        let [product, variant, revision] =
            [product, variant, revision].map(|field| words.of(field));
        words.say(
            format!(
                "product {product:#x}, r{variant}p{revision}, of {}",
                implementer_name(id)
            ),
            &["SPMU-01"],
        );
    }
    for field in fields {
        let value = words.of(field);
        let meaning = match field.name {
            "Implementer" => implementer_name(value),
            "ProductID" => "the implementer's number".into(),
            name => format!("{} {value}", name.to_lowercase()),
        };
        words.field(field, meaning);
    }
    if id >> 7 & 1 == 1 {
        words.warn("bit 7, of Implementer, set, where RES0", &["SPMU-01"]);
    }
    words.warn_of_res0(&["SPMU-01"]);
}

/// A JEP106 code: \[11:8\] continuation, \[6:0\] identity.
fn implementer_name(id: u64) -> String {
    match id {
        0x43B => "Arm".into(),
        _ => format!(
            "JEP106 identity {:#04x}, continuation {}",
            id & 0x7F,
            id >> 8
        ),
    }
}

/// SPMDEVARCH_EL1.
pub(super) fn spmdevarch(words: &mut Words) {
    let architect = named(SPMDEVARCH, "ARCHITECT");
    let present = words.of(PRESENT) == 1;
    let (revision, version, part) = (
        named(SPMDEVARCH, "REVISION"),
        named(SPMDEVARCH, "ARCHVER"),
        named(SPMDEVARCH, "ARCHPART"),
    );
    let by = match words.of(architect) {
        0x23B => "Arm".to_owned(),
        other => format!(
            "JEP106 identity {:#04x}, continuation {}",
            other & 0x7F,
            other >> 7
        ),
    };
    if present {
        words.say(
            format!(
                "architecture {:#x} version {} revision {}, of {by}",
                words.of(part),
                words.of(version),
                words.of(revision)
            ),
            &["SPMU-02"],
        );
    } else {
        words.say(
            "not implemented; software goes on with SPMCFGR_EL1",
            &["SPMU-02", "SPMU-20"],
        );
    }
    words.field(architect, by);
    words.field(
        PRESENT,
        if present {
            "the register is implemented"
        } else {
            "not implemented"
        },
    );
    words.field(revision, "revision of the architecture");
    words.field(version, "version of the architecture");
    words.field(part, "the architecture");
    if words.value != 0 && !present {
        words.warn("PRESENT = 0 in a value that is not zero", &["SPMU-02"]);
    }
    words.warn_of_res0(&["SPMU-02"]);
}

/// SPMDEVAFF_EL1.
pub(super) fn spmdevaff(words: &mut Words) {
    let affinity = affinity(words.value);
    words.explanation.summary = vec![affinity.meaning];
    let valid = words.of(F0V) == 1;
    let aff3 = named(SPMDEVAFF, "Aff3");
    words.field(aff3, "affinity level 3");
    words.field(
        F0V,
        if valid {
            "Aff0 is valid: one PE"
        } else {
            "Aff0 is not valid: a group of PEs, or none"
        },
    );
    for (name, bit, zero, one) in [
        ("U", 30, "part of a multiprocessor system", "a uniprocessor"),
        (
            "MT",
            24,
            "Aff0 numbers independent PEs",
            "Aff0 numbers threads",
        ),
    ] {
        let field = field_of(name, bit, bit);
        let meaning = match (valid, words.of(field)) {
            (false, _) => "of no meaning without F0V",
            (true, 0) => zero,
            (true, _) => one,
        };
        words.field(field, meaning);
    }
    for (name, level) in [("Aff2", 2), ("Aff1", 1), ("Aff0", 0)] {
        let field = field_of(name, 8 * level + 7, 8 * level);
        let role = if valid {
            ""
        } else {
            affinity::role(words.value, level)
        };
        words.field(field, format!("affinity level {level}{role}"));
    }
    words.explanation.warnings.extend(affinity.warnings);
    words.warn_of_res0(&["SPMU-03"]);
}

/// SPMSELR_EL0.
pub(super) fn spmselr(words: &mut Words) {
    let (select, bank) = (named(SPMSELR, "SYSPMUSEL"), named(SPMSELR, "BANK"));
    let (s, b) = (words.of(select), words.of(bank));
    let implemented = words.implementation.system_pmu.len() as u64;
    words.say(
        format!(
            "System PMU {s}, counters {} to {}: SPMEVCNTR<m>_EL0 is counter {} + m",
            16 * b,
            16 * b + 15,
            16 * b
        ),
        &["SPMU-16"],
    );
    words.field(select, format!("System PMU {s}"));
    words.field(bank, format!("counters {} to {}", 16 * b, 16 * b + 15));
    if s > 31 {
        words.warn(format!("SYSPMUSEL = {s} is reserved"), &["SPMU-18"]);
    } else if s >= implemented {
        words.warn(
            format!("System PMU {s} is not implemented, there are {implemented}: its registers are RAZ/WI"),
            &["SPMU-18"],
        );
    }
    words.warn_of_res0(&[]);
}

#[cfg(test)]
mod tests {
    use super::super::{Explanation, explain};
    use pmu_model::Implementation;
    use pmu_model::{Number, SysReg};

    fn explained(register: SysReg, value: u64) -> Explanation {
        explain(register, value, &Implementation::default()).expect("consistent")
    }

    #[test]
    fn spmu_19_example_d15_1() {
        let explanation = explained(SysReg::Spmcfgr, 0x1008_1F09);
        assert_eq!(
            explanation.summary[0].text,
            "10 counters in 2 Counter Groups, the largest of 32 bits"
        );
        assert!(explanation.warnings.is_empty());
        let explanation = explained(SysReg::Spmcgcr(Number::at::<0>()), 0x0604);
        assert_eq!(
            explanation.summary[0].text,
            "10 counters in 2 Counter Groups"
        );
    }

    #[test]
    fn the_system_pmus_of_the_default_have_no_warnings() {
        for pmu in &Implementation::default().system_pmu {
            let registers = pmu.registers();
            for (register, value) in [
                (SysReg::Spmcfgr, registers.spmcfgr),
                (SysReg::Spmcgcr(Number::at::<0>()), registers.spmcgcr[0]),
                (SysReg::Spmcgcr(Number::at::<1>()), registers.spmcgcr[1]),
                (SysReg::Spmiidr, registers.spmiidr),
                (SysReg::Spmdevarch, registers.spmdevarch),
                (SysReg::Spmdevaff, registers.spmdevaff),
            ] {
                let warnings = explained(register, value).warnings;
                assert!(warnings.is_empty(), "{register}: {warnings:?}");
            }
        }
    }

    #[test]
    fn spmu_04_illegal_values_are_told() {
        let rules: Vec<_> = explained(SysReg::Spmcfgr, 0xF200_0845)
            .warnings
            .into_iter()
            .flat_map(|warning| warning.rules)
            .collect();
        assert_eq!(
            rules,
            ["SPMU-10", "SPMU-14", "SPMU-04", "SPMU-04", "SPMU-04"]
        );
    }
}
