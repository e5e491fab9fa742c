//! Registers in words.

use pmu_model::pmu::event_type::{Condition, FIELDS};
use pmu_model::pmu::provenance::Origin;
use pmu_model::pmu::registers::{PMCR_C, PMCR_E, PMCR_LC, PMCR_LP, PMCR_N_SHIFT, PMCR_P};
use pmu_model::{EventType, Model, SysReg};

/// What counter `n` counts with `event_type`, in one sentence without a full stop.
pub fn counts(n: u8, event_type: &EventType) -> String {
    let &EventType { th, te, tlc, .. } = event_type;
    if event_type.reserved {
        let (tc, te) = (event_type.tc, u8::from(te));
        return format!("reserved {{TC, TE, TLC}} = {{{tc:03b}, {te}, {tlc:02b}}}");
    }
    if event_type.bypassed {
        return "counts V_B (threshold, edge and link are off)".into();
    }
    let relation = relation(event_type.condition());
    let condition = match (te, event_type.tc & 1) {
        (false, _) => format!("V_B {relation} {th}"),
        (true, 0) => format!("V_B {relation} {th} changes either way"),
        (true, _) => format!("V_B {relation} {th} becomes TRUE"),
    };
    let below = n.saturating_sub(1);
    let counted = match event_type.table_row() {
        Some('A' | 'C') => "V_B".into(),
        Some('E' | 'G') => format!("V[{below}]"),
        _ => "1".to_owned(),
    };
    let otherwise = match event_type.table_row() {
        Some('C' | 'D') => format!("V[{below}]"),
        _ => "0".into(),
    };
    let row = event_type
        .table_row()
        .map(|row| format!(" (row {row})"))
        .unwrap_or_default();
    format!("counts {counted} if {condition}, else {otherwise}{row}")
}

/// The sign of a threshold condition.
pub fn relation(condition: Condition) -> &'static str {
    match condition {
        Condition::NotEqual => "!=",
        Condition::Equal => "==",
        Condition::GreaterOrEqual => ">=",
        Condition::Less => "<",
    }
}

/// A field of a register: name, highest and lowest bit.
type FieldBits = (String, u32, u32);

/// The fields of `register`, from the highest bit down.
fn fields(register: SysReg) -> Vec<FieldBits> {
    let bit = |name: &str, mask: u64| {
        let bit = mask.trailing_zeros();
        (name.to_owned(), bit, bit)
    };
    match register {
        SysReg::Pmcr => vec![
            ("N".into(), PMCR_N_SHIFT + 4, PMCR_N_SHIFT),
            bit("LP", PMCR_LP),
            bit("LC", PMCR_LC),
            bit("C", PMCR_C),
            bit("P", PMCR_P),
            bit("E", PMCR_E),
        ],
        SysReg::Pmcntenset | SysReg::Pmcntenclr | SysReg::Pmovsset | SysReg::Pmovsclr => {
            [("C".into(), 31, 31)]
                .into_iter()
                .chain((0..31).rev().map(|n| (format!("P{n}"), n, n)))
                .collect()
        }
        SysReg::Pmselr => vec![("SEL".into(), 4, 0)],
        SysReg::Pmmir => vec![
            ("EDGE".into(), 27, 24),
            ("THWIDTH".into(), 23, 20),
            ("BUS_WIDTH".into(), 19, 16),
            ("BUS_SLOTS".into(), 15, 8),
            ("SLOTS".into(), 7, 0),
        ],
        SysReg::Pmevtyper(_) | SysReg::Pmccfiltr | SysReg::Pmxevtyper => FIELDS
            .iter()
            .map(|field| {
                let name = if field.name == "EVTCOUNT" {
                    "evtCount"
                } else {
                    field.name
                };
                (name.to_owned(), field.high.into(), field.low.into())
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The fields in which two values of a register differ, each with both values; bits that belong to no field
/// are RES0.
pub fn differing_fields(register: SysReg, expected: u64, rtl: u64) -> Vec<(String, u64, u64)> {
    let fields = fields(register);
    if fields.is_empty() {
        return Vec::new();
    }
    let mut rest = expected ^ rtl;
    let mut differing = Vec::new();
    for (name, high, low) in fields {
        let mask = (u64::MAX >> (63 - (high - low))) << low;
        if rest & mask != 0 {
            differing.push((name, (expected & mask) >> low, (rtl & mask) >> low));
            rest &= !mask;
        }
    }
    for bit in (0..64).filter(|bit| rest >> bit & 1 == 1) {
        differing.push((format!("RES0[{bit}]"), expected >> bit & 1, rtl >> bit & 1));
    }
    differing
}

/// What last set `register`, seen from `now`.
pub fn origin(model: &Model, register: SysReg, now: u64) -> String {
    match model.origin(register) {
        Origin::PowerUp => "not written since the start".into(),
        Origin::Reset { cycle } => {
            format!("by the reset in cycle {cycle} ({} before)", now - cycle)
        }
        Origin::Write {
            cycle,
            register: written,
            data,
        } => {
            let alias = if written == register {
                String::new()
            } else {
                format!(" through {written}")
            };
            format!(
                "written{alias} with {data:#x} in cycle {cycle} ({} before)",
                now - cycle
            )
        }
    }
}
