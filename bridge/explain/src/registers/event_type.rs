//! `PMEVTYPER<n>_EL0` and PMCCFILTR_EL0.

use pmu_model::evtyper::configuration::Vs11;
use pmu_model::evtyper::filter::ExceptionLevel::{self, El0, El1, El2, El3};
use pmu_model::evtyper::filter::SecurityState::{self, NonSecure, Realm, Root, Secure};
use pmu_model::evtyper::filter::{ExecutionState, filtered};
use pmu_model::implementation::{Layout, ReservedPolicy, Rhbwbb};
use pmu_model::pmu::event_type::{
    EVTCOUNT, EventTypeDecoder, FIELDS, Field, M, MT, NSH, NSK, NSU, P, RLH, RLK, RLU, SH, SYNC, T,
    TC, TE, TH, TLC, U, VS, cycle_filter_mask, present_mask,
};
use pmu_model::rules::rule;
use pmu_model::{EventType, Implementation, ImplementationError};

use super::events::event;
use super::{FilteredState, Words};
use super::{counts, relation};

/// `PMEVTYPER<n>_EL0`.
pub(super) fn pmevtyper(words: &mut Words, n: u8) -> Result<(), ImplementationError> {
    let implementation = words.implementation;
    let event_type = EventTypeDecoder::new(implementation)?.decode(n, words.value);
    let present = present_mask(n, implementation);
    let effective = words.value & present;
    let event = event(event_type.event, n, implementation);
    let name = event.name.map_or(String::new(), |name| format!(" {name}"));

    words.say(counts(n, &event_type), rules_of(&event_type, n));
    words.say(
        format!("event {:#06x}{name}: {}", event_type.event, event.meaning),
        event.rules,
    );
    if !event.counts {
        words.warn(
            format!("event {:#06x}{name} {}", event_type.event, event.meaning),
            event.rules,
        );
    }
    say_more(words, n, &event_type);

    for &field in FIELDS {
        let value = field.of(effective);
        let meaning = if present & field.mask() == 0 {
            format!("RES0: {}", absent(field, n, implementation))
        } else {
            match field {
                TC => threshold_control(&event_type),
                TE if value == 1 => "edge: counts when the condition changes".into(),
                TE => "no edge".into(),
                TLC => link(n, &event_type),
                TH => format!("TH = {value}"),
                MT => multithreaded(value),
                EVTCOUNT => format!(
                    "{}{}",
                    event.name.map_or(String::new(), |name| format!("{name}: ")),
                    event.meaning
                ),
                _ => filter_field(field, effective, implementation),
            }
        };
        let mut shown = field;
        if field == EVTCOUNT {
            shown.name = "evtCount";
        }
        words.field_with(shown, value, meaning);
    }
    say_streaming(words, effective);
    filtering(words, effective);
    warn_of_reserved(words, &event_type);
    warn_of_vs(words, effective);
    warn_of_absent_bits(words, present, n);
    if n >= implementation.pmu.counters {
        let counters = implementation.pmu.counters;
        let text =
            format!("counter {n} is not implemented, there are {counters}: an access is UNDEFINED");
        words.warn(text, &["DUT-31"]);
    }
    Ok(())
}

/// PMCCFILTR_EL0.
pub(super) fn pmccfiltr(words: &mut Words) {
    let implementation = words.implementation;
    let present = cycle_filter_mask(implementation);
    let effective = words.value & present;
    words.say("filters PMCCNTR_EL0 by the state of the PE", &["ETY-20"]);
    for field in [VS, P, U, NSK, NSU, NSH, M, SH, T, RLK, RLU, RLH] {
        let meaning = if present & field.mask() == 0 {
            format!("RES0: {}", absent(field, 31, implementation))
        } else {
            filter_field(field, effective, implementation)
        };
        words.field_with(field, field.of(effective), meaning);
    }
    say_streaming(words, effective);
    filtering(words, effective);
    warn_of_vs(words, effective);
    warn_of_absent_bits(words, present, 31);
}

/// The rules that make V what it is.
fn rules_of(event_type: &EventType, n: u8) -> &'static [&'static str] {
    match event_type.table_row() {
        None if event_type.reserved => &["TH-34"],
        None => &["TH-27"],
        Some('F') if n.is_multiple_of(2) => &["TH-20", "TH-22", "TH-25"],
        Some('F' | 'G') => &["TH-20", "TH-22", "TH-26"],
        Some(_) if n.is_multiple_of(2) => &["TH-20", "TH-23"],
        Some(_) => &["TH-20", "TH-24"],
    }
}

/// What the sentence about V leaves out.
fn say_more(words: &mut Words, n: u8, event_type: &EventType) {
    if event_type.reserved {
        return;
    }
    if event_type.te {
        words.say(
            "in the first cycle that counts, C_P is 0: a condition that is TRUE already counts as a change",
            &["TH-29"],
        );
    }
    if event_type.tlc != 0 && !event_type.bypassed {
        let below = n.saturating_sub(1);
        words.say(
            format!("V[{below}] is that of the same cycle, after threshold and edge of counter {below}; 0 while it does not count"),
            &["TH-10", "TH-11", "TH-09"],
        );
    }
    if event_type.tlc != 0
        && words.implementation.knobs.rhbwbb == Rhbwbb::Literal
        && event_type.bypassed
    {
        words.say(
            "TLC has no effect here: knob rhbwbb is LITERAL (A-TH-1)",
            &["TH-27"],
        );
    }
}

/// TC with the Effective values: the condition, and what is counted.
fn threshold_control(event_type: &EventType) -> String {
    let &EventType {
        tc, te, th, tlc, ..
    } = event_type;
    if tc == 0 && th == 0 && !te && tlc == 0 {
        return "threshold off, since TH is 0 as well".into();
    }
    // The condition of the field, whatever a reserved combination is taken for.
    let condition = relation(
        EventType {
            used: (tc, te, tlc),
            ..*event_type
        }
        .condition(),
    );
    let opposite = match condition {
        "!=" => "==",
        "==" => "!=",
        ">=" => "<",
        _ => ">=",
    };
    match (te, tc & 1) {
        (false, 0) => format!("V_B {condition} TH counts V_B"),
        (false, _) => format!("V_B {condition} TH counts 1"),
        (true, 0) => format!("V_B changes between {opposite} TH and {condition} TH, either way"),
        (true, _) => format!("V_B changes from {opposite} TH to {condition} TH"),
    }
}

fn link(n: u8, event_type: &EventType) -> String {
    let below = n.saturating_sub(1);
    match (event_type.tlc, event_type.te) {
        (0b00, _) => "not linked".into(),
        (0b01, false) => format!("linked: V[{below}] while the condition is FALSE"),
        (0b10, false) => format!("linked: V[{below}] while the condition is TRUE"),
        (0b10, true) => format!("linked: V[{below}] when the condition changes"),
        _ => "reserved".into(),
    }
}

fn multithreaded(value: u64) -> String {
    match value {
        0 => "events of this thread",
        _ => "events of all threads of the group, unless MDCR_EL3.MTPME or MDCR_EL2.MTPME is 0",
    }
    .into()
}

/// ETY-02: why a field is not there.
fn absent(field: Field, n: u8, implementation: &Implementation) -> String {
    let feature = |name: &str| format!("{name} is not implemented");
    let (pmu, pe) = (&implementation.pmu, &implementation.pe);
    let old = implementation.knobs.layout == Layout::Year2021;
    let knob = || "knob layout is 2021".to_owned();
    match field {
        TC | TH => feature("FEAT_PMUv3_TH"),
        TE if old && pmu.edge => knob(),
        TE => feature("FEAT_PMUv3_EDGE"),
        SYNC if old && pe.sebep => knob(),
        SYNC => feature("FEAT_SEBEP"),
        VS if old && pe.sme => knob(),
        VS => feature("FEAT_PMUv3_SME"),
        TLC if old && pmu.th2 => knob(),
        TLC if pmu.th2 => format!("counter {n} is even"),
        TLC => feature("FEAT_PMUv3_TH2"),
        NSH => feature("EL2"),
        SH if pe.el3 => feature("FEAT_SEL2"),
        NSK | NSU | M | SH => feature("EL3"),
        MT => feature("FEAT_MTPMU"),
        T => feature("FEAT_TME"),
        RLK | RLU | RLH if old && pe.rme => knob(),
        _ => feature("FEAT_RME"),
    }
}

/// A field of the filter: the state that it is about, and whether that state is counted in.
fn filter_field(field: Field, effective: u64, implementation: &Implementation) -> String {
    let el3 = implementation.pe.el3;
    let value = field.of(effective);
    let (level, security) = match field {
        P => (El1, Secure),
        U => (El0, Secure),
        NSK => (El1, NonSecure),
        NSU => (El0, NonSecure),
        NSH => (El2, NonSecure),
        M => (El3, Root),
        SH => (El2, Secure),
        RLK => (El1, Realm),
        RLU => (El0, Realm),
        RLH => (El2, Realm),
        VS => {
            return match value {
                0b00 => "counts in and out of Streaming mode",
                0b01 => "does not count in Streaming mode",
                0b10 => "counts in Streaming mode only",
                _ => "reserved",
            }
            .into();
        }
        SYNC => {
            return match value {
                0 => "no synchronous mode",
                _ => "synchronous mode, for events that support it",
            }
            .into();
        }
        _ => {
            return match value {
                0 => "no filtering of transactions",
                _ => "filters transactions (A-ETY-10)",
            }
            .into();
        }
    };
    let state = ExecutionState::new(level, security);
    // Streaming mode is another field's matter.
    let filtered = filtered(effective & !VS.mask(), state, implementation);
    let name = match (level, security) {
        (El3, _) => name_of_level(El3).into(),
        _ if !el3 => name_of_level(level).to_owned(),
        _ => format!("{} {}", name_of_security(security), name_of_level(level)),
    };
    let because = because(level, security, effective, implementation);
    let not = if filtered { "not " } else { "" };
    format!("{name} is {not}counted: {because}")
}

fn name_of_level(level: ExceptionLevel) -> &'static str {
    match level {
        El0 => "EL0",
        El1 => "EL1",
        El2 => "EL2",
        El3 => "EL3",
    }
}

fn name_of_security(security: SecurityState) -> &'static str {
    match security {
        NonSecure => "Non-secure",
        Secure => "Secure",
        Realm => "Realm",
        Root => "Root",
    }
}

/// ETY-20: the fields that decide about a state, with the relation that they are in.
fn because(
    level: ExceptionLevel,
    security: SecurityState,
    effective: u64,
    implementation: &Implementation,
) -> String {
    let pe = &implementation.pe;
    let is = |field: Field| format!("{} is {}", field.name, field.of(effective));
    let two = |a: Field, b: Field| {
        let relation = if a.of(effective) == b.of(effective) {
            "=="
        } else {
            "!="
        };
        format!("{} {relation} {}", a.name, b.name)
    };
    match (level, security) {
        (El0, Realm) => two(U, RLU),
        (El0, NonSecure) if pe.el3 => two(U, NSU),
        (El0, _) => is(U),
        (El1, Realm) => two(P, RLK),
        (El1, NonSecure) if pe.el3 => two(P, NSK),
        (El1, _) => is(P),
        (El2, Secure) if pe.el3 => two(NSH, SH),
        (El2, Realm) => two(NSH, RLH),
        (El2, _) => is(NSH),
        (El3, _) => two(M, P),
    }
}

/// ETY-20: the states of the implementation, and whether the counter counts in them.
fn filtering(words: &mut Words, effective: u64) {
    let implementation = words.implementation;
    let pe = &implementation.pe;
    let mut states = Vec::new();
    for level in [El0, El1, El2, El3] {
        let securities: &[_] = match level {
            El2 if !pe.el2 => &[],
            El3 if !pe.el3 => &[],
            // EL3 is in Root state with FEAT_RME, else in Secure state.
            El3 if pe.rme => &[Root],
            El3 => &[Secure],
            _ if !pe.el3 => &[NonSecure],
            El2 if !pe.sel2 && pe.rme => &[NonSecure, Realm],
            El2 if !pe.sel2 => &[NonSecure],
            _ if pe.rme => &[NonSecure, Secure, Realm],
            _ => &[NonSecure, Secure],
        };
        states.extend(securities.iter().map(|&security| (level, security)));
    }
    let state = |(level, security)| FilteredState {
        level: name_of_level(level),
        security: if pe.el3 {
            name_of_security(security)
        } else {
            "any"
        },
        counted: !filtered(
            effective & !VS.mask(),
            ExecutionState::new(level, security),
            implementation,
        ),
        because: because(level, security, effective, implementation),
    };
    words.explanation.filtering = states.into_iter().map(state).collect();
}

/// ETY-22: the table of states is for any Streaming mode.
fn say_streaming(words: &mut Words, effective: u64) {
    let mode = match VS.of(effective) {
        0b01 => "in Streaming mode",
        0b10 => "out of Streaming mode",
        _ => return,
    };
    words.say(
        format!("{mode} nothing is counted, in any state"),
        &["ETY-22"],
    );
}

/// TH-30 to TH-36.
fn warn_of_reserved(words: &mut Words, event_type: &EventType) {
    if !event_type.reserved {
        return;
    }
    let &EventType { tc, te, tlc, .. } = event_type;
    for (id, applies) in [
        ("TH-30", tlc == 0b11),
        ("TH-31", tc & 1 == 1 && !te && tlc == 0b10),
        ("TH-32", te && tlc == 0b01),
        ("TH-33", tc & 0b11 == 0 && te),
    ] {
        if applies {
            words.warn(
                rule(id).map_or(id, |rule| rule.statement),
                match id {
                    "TH-30" => &["TH-30"],
                    "TH-31" => &["TH-31"],
                    "TH-32" => &["TH-32"],
                    _ => &["TH-33"],
                },
            );
        }
    }
    let knobs = &words.implementation.knobs;
    let taken = match knobs.reserved_policy {
        ReservedPolicy::Disabled => {
            "the model counts V_B (knob reserved_policy is DISABLED)".into()
        }
        policy => {
            let (tc, te, tlc) = event_type.used;
            format!(
                "the model takes {{TC, TE, TLC}} for {{{tc:03b}, {}, {tlc:02b}}} (knob reserved_policy is {})",
                u8::from(te),
                policy.word()
            )
        }
    };
    let compared = if knobs.compare_reserved {
        "V is compared all the same"
    } else {
        "V is not compared"
    };
    words.warn(
        format!("CONSTRAINED UNPREDICTABLE: {taken}; {compared}"),
        &["TH-34", "TH-35"],
    );
}

/// A-ETY-7.
fn warn_of_vs(words: &mut Words, effective: u64) {
    if VS.of(effective) == 0b11 {
        let taken = match words.implementation.knobs.vs11 {
            Vs11::NoFilter => "filters nothing (knob vs11 is NO_FILTER)",
            Vs11::Filter => "filters in and out of Streaming mode (knob vs11 is FILTER)",
        };
        words.warn(
            format!("VS = 11 is reserved: the model {taken}"),
            &["ETY-22"],
        );
    }
}

/// ETY-02, ETY-03, ETY-05: bits that are set where the register has none.
fn warn_of_absent_bits(words: &mut Words, present: u64, n: u8) {
    let (value, implementation) = (words.value, words.implementation);
    for index in 0..words.explanation.fields.len() {
        let field = words.explanation.fields[index].clone();
        let mask = super::field_of("", field.high, field.low).mask();
        if field.value == field.effective {
            continue;
        }
        let name = &field.name;
        let (text, rules): (_, &[_]) = match name.as_str() {
            "TH" if present & mask != 0 => (
                format!(
                    "TH = {} has bits beyond THWIDTH = {}, which are RES0: compared is TH = {}",
                    field.value,
                    implementation.thwidth(),
                    field.effective
                ),
                &["TH-08", "ETY-03"],
            ),
            "evtCount" => (
                format!(
                    "evtCount = {:#06x} is out of range: it has 10 bits without FEAT_PMUv3p1, and is taken for {:#06x}",
                    field.value, field.effective
                ),
                &["ETY-32"],
            ),
            "TLC" => (
                format!("TLC is set where it is {}", field.meaning),
                &["TH-06", "TH-36"],
            ),
            "TE" => (
                format!("TE is set where it is {}", field.meaning),
                &["TH-04", "TH-36"],
            ),
            "TC" | "TH" => (
                format!("{name} is set where it is {}", field.meaning),
                &["TH-02"],
            ),
            _ => (
                format!("{name} is set where it is {}", field.meaning),
                &["ETY-02"],
            ),
        };
        words.warn(text, rules);
    }
    let known = FIELDS.iter().fold(0, |mask, field| mask | field.mask());
    let shown = words.explanation.fields.iter().fold(0, |mask, field| {
        mask | super::field_of("", field.high, field.low).mask()
    });
    let rest = value & !shown;
    if rest != 0 {
        let register = words.explanation.register.clone();
        let of_other = if n == 31 && rest & known != 0 {
            " (fields of PMEVTYPER<n>_EL0 among them)"
        } else {
            ""
        };
        let text = format!(
            "{} of {register} set, where RES0{of_other}: without effect, and read as zero",
            super::bits(rest)
        );
        words.warn(text, &["ETY-05"]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Explanation, explain};
    use super::*;
    use pmu_model::SysReg;

    fn explained(n: u8, value: u64, implementation: &Implementation) -> Explanation {
        explain(
            SysReg::pmevtyper(n).expect("a counter"),
            value,
            implementation,
        )
        .expect("consistent")
    }

    fn value(tc: u64, te: u64, tlc: u64, th: u64) -> u64 {
        tc << 61 | te << 60 | tlc << 54 | th << 32 | NSH.mask()
    }

    fn meaning(explanation: &Explanation, name: &str) -> String {
        let field = explanation.fields.iter().find(|field| field.name == name);
        field.expect("a field").meaning.clone()
    }

    fn warned(explanation: &Explanation) -> Vec<&'static str> {
        let warnings = explanation.warnings.iter();
        warnings.flat_map(|warning| warning.rules.clone()).collect()
    }

    #[test]
    fn th_24_and_th_26_rows_by_parity() {
        let all = Implementation::default();
        for (n, tc, te, tlc, sentence) in [
            (1, 0b100, 0, 0b00, "counts V_B if V_B >= 4, else 0 (row A)"),
            (1, 0b101, 0, 0b00, "counts 1 if V_B >= 4, else 0 (row B)"),
            (
                1,
                0b100,
                0,
                0b01,
                "counts V_B if V_B >= 4, else V[0] (row C)",
            ),
            (1, 0b101, 0, 0b01, "counts 1 if V_B >= 4, else V[0] (row D)"),
            (1, 0b100, 0, 0b10, "counts V[0] if V_B >= 4, else 0 (row E)"),
            (
                1,
                0b101,
                1,
                0b00,
                "counts 1 if V_B >= 4 becomes TRUE, else 0 (row F)",
            ),
            (
                1,
                0b110,
                1,
                0b10,
                "counts V[0] if V_B < 4 changes either way, else 0 (row G)",
            ),
            (2, 0b100, 0, 0b01, "counts V_B if V_B >= 4, else 0 (row A)"),
        ] {
            let explanation = explained(n, value(tc, te, tlc, 4), &all);
            assert_eq!(explanation.summary[0].text, sentence);
        }
    }

    #[test]
    fn th_22_edges_in_words() {
        let all = Implementation::default();
        for (tc, words) in [
            (0b001, "V_B changes from == TH to != TH"),
            (0b010, "V_B changes between != TH and == TH, either way"),
            (0b011, "V_B changes from != TH to == TH"),
            (0b101, "V_B changes from < TH to >= TH"),
            (0b110, "V_B changes between >= TH and < TH, either way"),
            (0b111, "V_B changes from >= TH to < TH"),
        ] {
            assert_eq!(
                meaning(&explained(0, value(tc, 1, 0, 4), &all), "TC"),
                words
            );
        }
    }

    #[test]
    fn th_30_to_33_name_their_rule() {
        let all = Implementation::default();
        for (n, tc, te, tlc, rule) in [
            (1, 0b010, 0, 0b11, "TH-30"),
            (1, 0b101, 0, 0b10, "TH-31"),
            (1, 0b101, 1, 0b01, "TH-32"),
            (0, 0b100, 1, 0b00, "TH-33"),
        ] {
            let explanation = explained(n, value(tc, te, tlc, 4), &all);
            assert_eq!(warned(&explanation), [rule, "TH-34", "TH-35"]);
        }
    }

    #[test]
    fn th_36_a_field_that_is_not_there_is_not_reserved() {
        let all = Implementation::default();
        assert_eq!(
            warned(&explained(2, value(0b010, 0, 0b11, 4), &all)),
            ["TH-06", "TH-36"]
        );
    }

    #[test]
    fn th_08_a_threshold_beyond_thwidth_is_cut() {
        let mut narrow = Implementation::default();
        narrow.pmu.thwidth = 4;
        let explanation = explained(0, value(0b100, 0, 0, 0x25), &narrow);
        assert_eq!(warned(&explanation), ["TH-08", "ETY-03"]);
        assert_eq!(
            explanation.summary[0].text,
            "counts V_B if V_B >= 5, else 0 (row A)"
        );
    }

    #[test]
    fn ety_02_bits_without_their_feature_are_told() {
        let mut small = Implementation::default();
        small.pmu.pmuv3p1 = false;
        (small.pe.sme, small.pe.rme) = (false, false);
        let set = VS.mask() | RLU.mask() | 0x8011 | 1 << 59 | 0xF << 16;
        let explanation = explained(0, set | NSH.mask(), &small);
        assert_eq!(
            warned(&explanation),
            ["ETY-02", "ETY-02", "ETY-32", "ETY-05"]
        );
        assert!(meaning(&explanation, "evtCount").starts_with("CPU_CYCLES"));
        assert!(
            explanation.warnings[3]
                .text
                .starts_with("bits 59 and 19:16")
        );
    }

    #[test]
    fn ety_22_vs_11_is_reserved() {
        let explanation = explained(0, VS.mask(), &Implementation::default());
        assert_eq!(warned(&explanation), ["ETY-22"]);
    }

    #[test]
    fn ety_20_states_of_the_implementation() {
        let states = |implementation: &Implementation| {
            let explanation = explained(0, U.mask() | NSH.mask(), implementation);
            let shown = explanation.filtering.iter();
            shown
                .map(|state| format!("{} {} {}", state.level, state.security, state.counted))
                .collect::<Vec<_>>()
        };
        let mut implementation = Implementation::default();
        assert_eq!(states(&implementation).len(), 10);
        assert_eq!(states(&implementation)[9], "EL3 Root true");
        implementation.pe.rme = false;
        assert_eq!(states(&implementation)[6], "EL3 Secure true");
        implementation.pe.sel2 = false;
        assert_eq!(states(&implementation).len(), 6);
        (implementation.pe.el3, implementation.pe.el2) = (false, false);
        assert_eq!(states(&implementation), ["EL0 any false", "EL1 any true"]);
    }

    #[test]
    fn dut_31_a_counter_that_is_not_there() {
        let mut six = Implementation::default();
        six.pmu.counters = 6;
        assert_eq!(warned(&explained(6, NSH.mask(), &six)), ["DUT-31"]);
        assert_eq!(warned(&explained(5, NSH.mask(), &six)), [""; 0]);
    }
}
