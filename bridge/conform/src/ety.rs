//! Area `ety`: `PMEVTYPER<n>_EL0`.

pub(super) mod rtl;

use std::collections::BTreeMap;
use std::fmt::Display;

use pmu_model::evtyper::EventTypeRegister;
use pmu_model::evtyper::access::{Context, Direction, Outcome, access};
use pmu_model::evtyper::effective_mt::{MtpmuEnables, effective_mt};
use pmu_model::evtyper::events::{Counts, event_behaviour};
use pmu_model::evtyper::filter::{ExceptionLevel, ExecutionState, SecurityState, filtered};
use pmu_model::implementation::Res0;
use pmu_model::pmu::event_type::{EVTCOUNT, FIELDS, present_mask};
use pmu_model::{Implementation, ImplementationError};
use serde::Deserialize;

use super::Mismatch;
use super::value::Number;
use lockstep_stimulus::has_state;

/// A line.
#[derive(Deserialize)]
pub struct Vector {
    /// What `cfg` says.
    #[serde(skip)]
    pub(super) implementation: Implementation,
    n: u8,
    write: Number,
    read: Option<Number>,
    #[serde(default)]
    fields: BTreeMap<String, Option<Number>>,
    /// MDCR_EL3.MTPME, MDCR_EL2.MTPME, Effective MT.
    #[serde(default)]
    mt_eff: Vec<(Number, Number, Option<Number>)>,
    /// Exception level, Security state, Streaming, 1 if not counted.
    #[serde(default)]
    filtered: Vec<(Number, String, Number, Option<Number>)>,
    #[serde(default)]
    access: Vec<AccessRow>,
    event: Option<Event>,
}

#[derive(Deserialize)]
pub(super) struct AccessRow {
    ctx: AccessContext,
    write: Number,
    expect: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AccessContext {
    el: Number,
    el2_enabled: Number,
    e2h: Number,
    tge: Number,
    userenr_en: Number,
    uen: Number,
    er: Number,
    uacr: Number,
    fgten: Number,
    fgt_r: Number,
    fgt_w: Number,
    tpm2: Number,
    tpm3: Number,
    hpmn: u8,
    halted: Number,
    sdd: Number,
}

#[derive(Deserialize)]
pub(super) struct Event {
    supported: Vec<Number>,
    write: Number,
    read: Option<Number>,
    /// What is counted, and whether evtCount reads as written.
    expect: Option<(Option<String>, Option<bool>)>,
}

/// Whether a PE can be so. One that is always Secure may have FEAT_SEL2 without EL3 (A-ETY-11), and vectors state
/// FEAT_MTPMU without the field MT, so these are not looked at.
fn check(implementation: &Implementation) -> Result<(), ImplementationError> {
    let mut checked = implementation.clone();
    let pe = &mut checked.pe;
    (pe.sel2, pe.rme, pe.mtpmu) = (false, false, false);
    checked.validate()
}

impl AccessContext {
    fn context(&self) -> Result<Context, String> {
        let bit = |number: Number| number.0 != 0;
        Ok(Context {
            level: level(self.el)?,
            el2_enabled: bit(self.el2_enabled),
            e2h: bit(self.e2h),
            tge: bit(self.tge),
            userenr_en: bit(self.userenr_en),
            userenr_uen: bit(self.uen),
            userenr_er: bit(self.er),
            pmuacr_p: bit(self.uacr),
            fgten: bit(self.fgten),
            hdfgrtr: bit(self.fgt_r),
            hdfgwtr: bit(self.fgt_w),
            mdcr_el2_tpm: bit(self.tpm2),
            mdcr_el3_tpm: bit(self.tpm3),
            hpmn: self.hpmn,
            halted: bit(self.halted),
            edscr_sdd: bit(self.sdd),
        })
    }
}

fn level(number: Number) -> Result<ExceptionLevel, String> {
    match number.0 {
        0 => Ok(ExceptionLevel::El0),
        1 => Ok(ExceptionLevel::El1),
        2 => Ok(ExceptionLevel::El2),
        3 => Ok(ExceptionLevel::El3),
        other => Err(format!("expected Exception level 0 to 3, found {other}")),
    }
}

fn security(word: &str) -> Result<SecurityState, String> {
    match word {
        "NS" => Ok(SecurityState::NonSecure),
        "S" => Ok(SecurityState::Secure),
        "RL" => Ok(SecurityState::Realm),
        "RT" => Ok(SecurityState::Root),
        other => Err(format!(
            "expected Security state NS, S, RL or RT, found {other:?}"
        )),
    }
}

/// What the vector asks for that the contract excludes: states that no PE of its configuration can be in. The words end
/// within a bracket.
pub(super) fn excluded(vector: &Vector) -> Option<String> {
    let implementation = &vector.implementation;
    check(implementation).ok()?;
    let pe = &implementation.pe;
    // EL3 is "RT" with or without FEAT_RME. A PE without EL3 may be always Secure (A-ETY-11).
    let exists = |level: u8, word: &str| match (level, word) {
        (3, "RT") => pe.el3,
        (0 | 1, "S") if !pe.el3 => true,
        (2, "S") if !pe.el3 => pe.el2 && pe.sel2,
        (_, "NS") => has_state(implementation, level, 0),
        (_, "S") => has_state(implementation, level, 1),
        (_, "RL") => has_state(implementation, level, 2),
        (_, "RT") => false,
        // No state at all, which is told elsewhere.
        _ => true,
    };
    for (row, (level, word, _, _)) in vector.filtered.iter().enumerate() {
        if level.0 <= 3 && !exists(level.0 as u8, word) {
            return Some(format!(
                "filtered[{row}]: expected a state that a PE of \"cfg\" can be in, found EL{} {word} (DUT-81",
                level.0
            ));
        }
    }
    for (row, AccessRow { ctx, .. }) in vector.access.iter().enumerate() {
        let (level, enabled) = (ctx.el.0, ctx.el2_enabled.0 != 0);
        if (level == 2 && !pe.el2) || (level == 3 && !pe.el3) {
            return Some(format!(
                "access[{row}]: expected an Exception level that a PE of \"cfg\" has, found EL{level} (DUT-81"
            ));
        }
        if level == 2 && !enabled {
            return Some(format!(
                "access[{row}]: expected el2_enabled 1 at EL2, found 0 (DUT-82"
            ));
        }
    }
    None
}

/// Runs a line on the model.
///
/// # Returns
/// The first value that differs, if any.
///
/// # Errors
/// The line contradicts itself: an impossible configuration, or a state or field that does not exist.
pub(super) fn run(vector: &Vector) -> Result<Option<Mismatch>, Box<dyn std::error::Error>> {
    let configuration = &vector.implementation;
    check(configuration)?;
    if vector.n > 30 {
        return Err(format!("expected n from 0 to 30, found {}", vector.n).into());
    }
    let mut register = EventTypeRegister::new(vector.n, configuration);
    register.write(vector.write.0);
    let checks: [&dyn Fn() -> Result<Option<Mismatch>, String>; 5] = [
        &|| check_storage(vector, &register),
        &|| check_effective_mt(vector, register.effective(), configuration),
        &|| check_filter(vector, register.effective(), configuration),
        &|| check_accesses(vector, configuration),
        &|| Ok(check_event(vector, configuration)),
    ];
    for check in checks {
        if let Some(mismatch) = check()? {
            return Ok(Some(mismatch));
        }
    }
    Ok(None)
}

/// The mismatch of a value that is expected (`None`: not defined, not compared).
fn differs<T: PartialEq>(
    at: impl Display,
    expected: Option<T>,
    model: T,
    show: impl Fn(&T) -> String,
) -> Option<Mismatch> {
    let expected = expected.filter(|expected| *expected != model)?;
    Some(Mismatch {
        at: at.to_string(),
        expected: show(&expected),
        found: show(&model),
    })
}

fn hex(value: &u64) -> String {
    format!("{value:#x}")
}

fn check_storage(
    vector: &Vector,
    register: &EventTypeRegister,
) -> Result<Option<Mismatch>, String> {
    let read = vector.read.map(|number| number.0);
    if let Some(mismatch) = differs("read", read, register.read(), hex) {
        return Ok(Some(mismatch));
    }
    for (name, expected) in &vector.fields {
        let field = FIELDS
            .iter()
            .find(|field| field.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| format!("expected a field of PMEVTYPER<n>_EL0, found {name:?}"))?;
        let expected = expected.map(|number| number.0);
        let mismatch = differs(
            format_args!("field {name}"),
            expected,
            register.field(*field),
            hex,
        );
        if mismatch.is_some() {
            return Ok(mismatch);
        }
    }
    Ok(None)
}

fn check_effective_mt(
    vector: &Vector,
    effective: u64,
    configuration: &Implementation,
) -> Result<Option<Mismatch>, String> {
    let mut rows = vector.mt_eff.iter();
    Ok(rows.find_map(|&(el3, el2, expected)| {
        let enables = MtpmuEnables {
            mdcr_el3_mtpme: el3.0 != 0,
            mdcr_el2_mtpme: el2.0 != 0,
        };
        let at = format!(
            "Effective MT with MDCR_EL3.MTPME = {}, MDCR_EL2.MTPME = {}",
            el3.0, el2.0
        );
        let model = effective_mt(effective, enables, configuration);
        differs(at, expected.map(|number| number.0), model.into(), hex)
    }))
}

fn check_filter(
    vector: &Vector,
    effective: u64,
    configuration: &Implementation,
) -> Result<Option<Mismatch>, String> {
    for (el, state, streaming, expected) in &vector.filtered {
        let execution = ExecutionState {
            level: level(*el)?,
            security: security(state)?,
            streaming: streaming.0 != 0,
        };
        let at = format!(
            "filtered in EL{} {state}, Streaming = {}",
            el.0, streaming.0
        );
        let model = filtered(effective, execution, configuration);
        let mismatch = differs(at, expected.map(|number| number.0), model.into(), hex);
        if mismatch.is_some() {
            return Ok(mismatch);
        }
    }
    Ok(None)
}

fn check_accesses(
    vector: &Vector,
    configuration: &Implementation,
) -> Result<Option<Mismatch>, String> {
    for (index, row) in vector.access.iter().enumerate() {
        let Some(expected) = &row.expect else {
            continue;
        };
        let (direction, instruction) = match row.write.0 {
            0 => (Direction::Read, "MRS"),
            _ => (Direction::Write, "MSR"),
        };
        let context = row.ctx.context()?;
        let (outcome, decisive) = access(vector.n, direction, &context, configuration);
        if !spelled(expected, word(outcome)) {
            return Ok(Some(Mismatch {
                at: format!("access {index} ({instruction} from EL{})", row.ctx.el.0),
                expected: expected.clone(),
                found: format!("{} (row {decisive:?} of ETY-40)", word(outcome)),
            }));
        }
    }
    Ok(None)
}

/// The vectors' word for an outcome.
fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Access => "OK",
        Outcome::Undefined => "UNDEF",
        Outcome::Trap(ExceptionLevel::El1) => "TRAP_EL1",
        Outcome::Trap(ExceptionLevel::El2) => "TRAP_EL2",
        Outcome::Trap(_) => "TRAP_EL3",
        Outcome::ReadsZero => "RAZ",
        Outcome::WriteIgnored => "WI",
        Outcome::NoOperation => "NOP",
        Outcome::Alias => "ALIAS",
    }
}

/// The vectors also write a trap as the level alone, and RAZ/WI for either direction as one word.
fn spelled(expected: &str, word: &str) -> bool {
    expected == word
        || word.strip_prefix("TRAP_") == Some(expected)
        || (matches!(expected, "RAZ_WI" | "RAZ/WI") && matches!(word, "RAZ" | "WI"))
}

fn check_event(vector: &Vector, configuration: &Implementation) -> Option<Mismatch> {
    let event = vector.event.as_ref()?;
    let mut register = EventTypeRegister::new(vector.n, configuration);
    register.write(EVTCOUNT.mask() & event.write.0);
    let number = register.field(EVTCOUNT) as u16;
    let supported = |event_number: u16| event.supported.contains(&Number(event_number.into()));
    let behaviour = event_behaviour(number, supported, configuration);
    let expect = event.expect.as_ref();
    let counts = match behaviour.counts {
        Counts::Event => "COUNT",
        Counts::Nothing => "NONE",
        Counts::Unpredictable => "UNPREDICTABLE",
    };
    let expected = expect.and_then(|(counts, _)| counts.clone());
    differs("event, counts", expected, counts.into(), String::clone)
        .or_else(|| {
            let expected = expect.and_then(|&(_, readable)| readable);
            let model = behaviour.reads_as_written;
            differs("event, reads as written", expected, model, bool::to_string)
        })
        .or_else(|| {
            // RES0 bits that hold what was written (A-ETY-1) are not evtCount's.
            let held = configuration.knobs.res0 == Res0::RwNoEffect;
            let evtcount = present_mask(vector.n, configuration) & EVTCOUNT.mask();
            let compared = if held { evtcount } else { EVTCOUNT.mask() };
            let expected = event.read.map(|number| number.0 & compared);
            differs(
                "event, evtCount read",
                expected.filter(|_| behaviour.reads_as_written),
                number.into(),
                hex,
            )
        })
}
