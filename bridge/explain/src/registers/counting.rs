//! What a counter counts, in words.

use pmu_model::EventType;
use pmu_model::pmu::event_type::Condition;

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
