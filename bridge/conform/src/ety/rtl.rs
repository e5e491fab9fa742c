//! Area `ety` on the RTL, in parts that depend on different features: what the register stores, what it filters,
//! the Effective MT, accesses, and whether an event counts.

use std::rc::Rc;

use pmu_model::contract::{AccessOutcome, EVENT_LANES, Thread, control};
use pmu_model::evtyper::configuration::BadHpmn;
use pmu_model::features::Feature;
use pmu_model::implementation::{Knobs, Layout};
use pmu_model::pmu::event_type::{
    CHAIN, EVTCOUNT, FIELDS, Field, M, MT, NSH, NSK, NSU, P, RLH, RLK, RLU, SH, SYNC, T, TC, TE,
    TH, TLC, U, VS,
};
use pmu_model::sysreg::SysReg;
use pmu_model::{CycleInput, CycleOutput, Implementation};

use super::{AccessContext, AccessRow, Event, Vector};
use crate::bench::{Bench, Interruption, differs};
use crate::rtl::{Expression, Requirements, Values, knob_without_rtl};
use crate::value::Number;

/// Fields that every implementation has, set: P, U and 10 bits of evtCount (ETY-02).
const ALWAYS_PRESENT: u64 = 0xC000_03FF;
/// Another value of them.
const WRITTEN: u64 = 0x4000_0155;
/// Fields that decide about filtering and threads.
const FILTERS: [Field; 13] = [P, U, NSK, NSU, NSH, M, MT, SH, T, RLK, RLU, RLH, VS];
/// INST_RETIRED, which sums over threads.
const INST_RETIRED: u64 = 0x0008;
const MOST_COUNTERS: u8 = 31;

/// A vector in terms of the ports.
pub fn express(vector: Vector) -> Expression {
    let mut expression = Expression::default();
    if vector.n >= MOST_COUNTERS {
        return Expression::none("a counter that no design has");
    }
    let vector = Rc::new(vector);
    let defaults = |knobs: fn(&Vector, &mut Knobs)| {
        let mut implementation = Implementation::default();
        knobs(&vector, &mut implementation.knobs);
        let knob = knob_without_rtl(&implementation)?;
        Some(format!("the RTL has no knob {knob}"))
    };
    type Express = fn(&Rc<Vector>, &mut Expression);
    type Part = (fn(&Vector, &mut Knobs), Express);
    let parts: [Part; 5] = [
        (
            |vector, knobs| knobs.res0 = vector.implementation.knobs.res0,
            storage,
        ),
        (
            |vector, knobs| {
                if VS.of(vector.write.0) == 0b11 {
                    knobs.vs11 = vector.implementation.knobs.vs11;
                }
            },
            filters,
        ),
        (|_, _| (), threads),
        (|_, _| (), accesses),
        (
            |vector, knobs| knobs.unsupported_other = vector.implementation.knobs.unsupported_other,
            event,
        ),
    ];
    for (knobs, express) in parts {
        match defaults(knobs) {
            Some(reason) => expression.leave_out(reason),
            None => express(&vector, &mut expression),
        }
    }
    expression
}

/// A design with counter n and the levels and layout of the vector.
fn with_levels(vector: &Vector) -> Requirements {
    let mut requirements = Requirements {
        counters: Values::from(usize::from(vector.n) + 1),
        ..Requirements::default()
    };
    requirements.alike(true, Feature::El2, &vector.implementation);
    requirements.alike(true, Feature::El3, &vector.implementation);
    requirements
}

/// ETY-02, ETY-03: features of fields that have a bit set in `value`.
fn fix_fields(requirements: &mut Requirements, vector: &Vector, value: u64) {
    let wanted = &vector.implementation;
    let any = |fields: &[Field]| fields.iter().any(|field| field.of(value) != 0);
    // The layout of 2021 lacks T as well (A-ETY-10).
    let fields_of_one_layout = [TE, SYNC, VS, TLC, T, RLK, RLU, RLH];
    let layout = wanted.knobs.layout == Layout::Year2021;
    requirements.alike(any(&fields_of_one_layout), Feature::Layout2021, wanted);
    requirements.alike(any(&[TC, TH]), Feature::Th, wanted);
    requirements.alike(any(&[SYNC]) && !layout, Feature::Sebep, wanted);
    requirements.alike(any(&[VS]) && !layout, Feature::Sme, wanted);
    requirements.alike(any(&[TE]) && !layout, Feature::Edge, wanted);
    let linked = any(&[TLC]) && vector.n % 2 == 1;
    requirements.alike(linked && !layout, Feature::Th2, wanted);
    requirements.alike(any(&[MT]), Feature::Mt, wanted);
    requirements.alike(any(&[SH]) && wanted.pe.el3, Feature::Sel2, wanted);
    requirements.alike(any(&[T]) && !layout, Feature::Tme, wanted);
    requirements.alike(any(&[RLK, RLU, RLH]) && !layout, Feature::Rme, wanted);
    let upper = value & EVTCOUNT.mask() & !0x3FF != 0;
    requirements.alike(upper, Feature::Pmuv3p1, wanted);
    if wanted.pmu.th {
        let low = |width: usize| TH.of(value) & ((1 << width) - 1);
        let th = low(wanted.pmu.thwidth.into());
        requirements.thwidth =
            Values::such_that(|width| (1..=12).contains(&width) && low(width) == th);
    }
}

fn register(vector: &Vector) -> SysReg {
    SysReg::pmevtyper(vector.n).unwrap_or(SysReg::Pmccfiltr)
}

/// `write`, `read` and `fields`.
fn storage(vector: &Rc<Vector>, expression: &mut Expression) {
    let mut requirements = with_levels(vector);
    fix_fields(&mut requirements, vector, vector.write.0);
    let vector = Rc::clone(vector);
    expression.add(requirements, move |bench| {
        bench.reset()?;
        bench.write(register(&vector), vector.write.0)?;
        let read = bench.read(register(&vector))?;
        bench.expect_bits("read", vector.read.map(|number| number.0), read)?;
        for (name, expected) in &vector.fields {
            let mut fields = FIELDS.iter();
            let Some(field) = fields.find(|field| field.name.eq_ignore_ascii_case(name)) else {
                continue;
            };
            let expected = expected.map(|number| number.0);
            bench.expect_bits(format_args!("field {name}"), expected, field.of(read))?;
        }
        Ok(())
    });
}

/// The input of a cycle in which the PE is in a state.
fn in_state(level: u64, security: u8, streaming: bool) -> CycleInput {
    let mut input = CycleInput {
        counting_allowed: u32::MAX,
        driven: CycleInput::DRIVEN_PE,
        ..CycleInput::default()
    };
    for thread in &mut input.threads {
        thread.state = Thread::state_of(level as u8, security, streaming);
    }
    input
}

const NON_SECURE: u8 = 0;
const SECURE: u8 = 1;
const REALM: u8 = 2;
const ROOT: u8 = 3;

/// The code of the Security state of a row. EL3 is Root only with FEAT_RME; no rule of EL3 tells the difference.
fn security_code(state: &str, rme: bool) -> u8 {
    match state {
        "S" => SECURE,
        "RL" => REALM,
        "RT" if rme => ROOT,
        "RT" => SECURE,
        _ => NON_SECURE,
    }
}

/// `filtered`: the counter counts the lane of event 0 unless it is filtered.
fn filters(vector: &Rc<Vector>, expression: &mut Expression) {
    if vector.filtered.is_empty() {
        return;
    }
    let bits = FILTERS.iter().fold(0, |bits, field| bits | field.mask());
    let write = vector.write.0 & bits;
    let mut requirements = with_levels(vector);
    fix_fields(&mut requirements, vector, write & !MT.mask());
    let mut rows = vector.filtered.iter();
    let secure_el2 = rows.any(|(el, state, _, _)| el.0 == 2 && state == "S");
    requirements.fix_if(secure_el2, Feature::Sel2, true);
    let mut rows = vector.filtered.iter();
    let realm = rows.any(|(_, state, _, _)| state == "RL");
    requirements.fix_if(realm, Feature::Rme, true);
    let vector = Rc::clone(vector);
    expression.add(requirements, move |bench| {
        bench.reset()?;
        bench.write(register(&vector), write)?;
        bench.enable(1 << vector.n)?;
        for (el, state, streaming, expected) in &vector.filtered {
            let rme = bench.implementation.pe.rme;
            let mut input = in_state(el.0, security_code(state, rme), streaming.0 != 0);
            input.event[0] = 1;
            let increment = bench.cycle(&input)?.increment[usize::from(vector.n)];
            let at = format!(
                "filtered in EL{} {state}, Streaming = {}",
                el.0, streaming.0
            );
            let rtl = u64::from(increment == 0);
            bench.expect(at, expected.map(|number| number.0), rtl)?;
        }
        Ok(())
    });
}

/// `mt_eff`: with an Effective MT of 1 the counter counts what another thread does, too.
fn threads(vector: &Rc<Vector>, expression: &mut Expression) {
    if vector.mt_eff.is_empty() {
        return;
    }
    const OWN: u16 = 1;
    const OTHER: u16 = 2;
    let mut requirements = with_levels(vector);
    requirements.threads = Values::from(2);
    let mt = MT.of(vector.write.0) == 1;
    requirements.alike(mt, Feature::Mt, &vector.implementation);
    // ETY-21: without the field MT there is nothing to be disabled.
    let field = vector.implementation.pe.mt;
    requirements.alike(mt && field, Feature::Mtpmu, &vector.implementation);
    let vector = Rc::clone(vector);
    expression.add(requirements, move |bench| {
        bench.reset()?;
        bench.write(register(&vector), vector.write.0 & MT.mask() | INST_RETIRED)?;
        bench.enable(1 << vector.n)?;
        for (el3, el2, expected) in &vector.mt_eff {
            let mut input = in_state(1, NON_SECURE, false);
            input.driven |= CycleInput::DRIVEN_THREADS;
            set(&mut input, control::MDCR_EL3_MTPME, *el3);
            set(&mut input, control::MDCR_EL2_MTPME, *el2);
            input.threads[0].count = OWN;
            input.threads[1].count = OTHER;
            let increment = bench.cycle(&input)?.increment[usize::from(vector.n)];
            let at = format!(
                "Effective MT with MDCR_EL3.MTPME = {}, MDCR_EL2.MTPME = {}",
                el3.0, el2.0
            );
            let rtl = match increment {
                OWN => 0,
                both if both == OWN + OTHER => 1,
                other => {
                    let expected = format!("{OWN}, or {} of both threads", OWN + OTHER);
                    return Err(differs(format_args!("{at}, increment"), expected, other));
                }
            };
            bench.expect(at, expected.map(|number| number.0), rtl)?;
        }
        Ok(())
    });
}

fn set(input: &mut CycleInput, bit: u32, value: Number) {
    if is(value) {
        input.controls |= bit;
    }
}

fn is(number: Number) -> bool {
    number.0 != 0
}

/// `access`: MRS and MSR with the controls of each row.
fn accesses(vector: &Rc<Vector>, expression: &mut Expression) {
    let wanted = &vector.implementation;
    let rows: Vec<usize> = (0..vector.access.len())
        .filter(|&index| vector.access[index].expect.is_some())
        .filter(|&index| match unlike_rtl(vector, &vector.access[index]) {
            Some(reason) => {
                expression.leave_out(reason);
                false
            }
            None => true,
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    let mut requirements = with_levels(vector);
    if vector.n >= wanted.pmu.counters {
        requirements.counters = Values::to(vector.n.into());
    }
    requirements.alike(true, Feature::Access2021, wanted);
    let any = |matters: fn(&AccessContext) -> bool| {
        rows.iter().any(|&index| matters(&vector.access[index].ctx))
    };
    // ETY-40, rows a, d and f.
    let fgt = any(|ctx| is(ctx.fgt_r) || is(ctx.fgt_w));
    requirements.alike(fgt, Feature::Fgt, wanted);
    requirements.alike(any(|ctx| is(ctx.e2h)), Feature::Vhe, wanted);
    requirements.alike(any(|ctx| is(ctx.uen)), Feature::Pmuv3p9, wanted);
    let vector = Rc::clone(vector);
    expression.add(requirements, move |bench| {
        bench.reset()?;
        let reachable = vector.n < bench.implementation.pmu.counters;
        for &index in &rows {
            access(bench, &vector, index, reachable)?;
        }
        Ok(())
    });
}

/// The reason that a row cannot be run: a knob that the RTL has not decides about it.
fn unlike_rtl(vector: &Vector, row: &AccessRow) -> Option<&'static str> {
    let ctx = &row.ctx;
    let Implementation { pmu, pe, knobs, .. } = &vector.implementation;
    let default = Knobs::default();
    // ETY-40, row b.
    let debug = pe.el3 && is(ctx.tpm3) && is(ctx.halted) && is(ctx.sdd) && ctx.el.0 < 3;
    if knobs.el3_trap_priority_sdd && debug {
        return Some("the RTL has no knob el3_trap_priority_sdd = true");
    }
    // ETY-42.
    let unimplemented = vector.n >= pmu.counters;
    let other = knobs.oor_unimplemented != default.oor_unimplemented;
    if unimplemented && !pe.fgt && other {
        return Some("the RTL has no other knob oor_unimplemented");
    }
    let other = knobs.oor_reserved != default.oor_reserved;
    if !pe.fgt && other && ctx.el.0 < 2 {
        return Some("the RTL has no other knob oor_reserved");
    }
    // ETY-43.
    let bad = ctx.hpmn > pmu.counters || (ctx.hpmn == 0 && !pe.hpmn0);
    if bad && knobs.bad_hpmn != BadHpmn::Cap {
        return Some("the RTL has no knob bad_hpmn = ALL");
    }
    (ctx.hpmn > 31).then_some("MDCR_EL2.HPMN of more than 5 bits")
}

fn access(
    bench: &mut Bench,
    vector: &Vector,
    index: usize,
    reachable: bool,
) -> Result<(), Interruption> {
    let row = &vector.access[index];
    let register = register(vector);
    if reachable {
        bench.write(register, ALWAYS_PRESENT)?;
    }
    let access = match row.write.0 {
        0 => CycleInput::read(register),
        _ => CycleInput::write(register, WRITTEN),
    };
    let input = CycleInput {
        access_address: access.access_address,
        access_kind: access.access_kind,
        access_data: access.access_data,
        ..in_context(vector, &row.ctx, bench.implementation.pe.rme)
    };
    let output = bench.cycle(&input)?;
    let held = if reachable { bench.read(register)? } else { 0 };
    let mnemonic = if row.write.0 == 0 { "MRS" } else { "MSR" };
    let at = format!("access {index} ({mnemonic} from EL{})", row.ctx.el.0);
    let found = word(row.write.0 != 0, &output, held);
    let expected = row.expect.as_deref().unwrap_or_default();
    bench.compared += 1;
    if super::spelled(expected, found) {
        return Ok(());
    }
    Err(differs(at, expected, found))
}

/// The vectors' word for what the design did; `held` is what the register holds after it.
fn word(write: bool, output: &CycleOutput, held: u64) -> &'static str {
    const OK: u8 = AccessOutcome::Ok as u8;
    const UNDEFINED: u8 = AccessOutcome::Undefined as u8;
    const EL1: u8 = AccessOutcome::TrapEl1 as u8;
    const EL2: u8 = AccessOutcome::TrapEl2 as u8;
    const EL3: u8 = AccessOutcome::TrapEl3 as u8;
    const NOP: u8 = AccessOutcome::Nop as u8;
    let untouched = matches!(held, 0 | ALWAYS_PRESENT);
    match (output.access_outcome, write) {
        (OK, true) if held == WRITTEN => "OK",
        (OK, true) if untouched => "WI",
        (OK, false) if output.access_data == ALWAYS_PRESENT => "OK",
        (OK, false) if output.access_data == 0 => "RAZ",
        (OK, _) => "an access with other data than were written",
        // ETY-44.
        _ if !untouched => "a write in spite of the outcome",
        (UNDEFINED, _) => "UNDEF",
        (EL1, _) => "TRAP_EL1",
        (EL2, _) => "TRAP_EL2",
        (EL3, _) => "TRAP_EL3",
        (NOP, _) => "NOP",
        _ => "an outcome that is none",
    }
}

/// The state of the PE and the controls of a row.
fn in_context(vector: &Vector, ctx: &AccessContext, rme: bool) -> CycleInput {
    let pe = &vector.implementation.pe;
    let security = match ctx.el.0 {
        3 => security_code("RT", rme),
        // EL2 is not enabled in Secure state.
        0 | 1 if pe.el2 && pe.el3 && ctx.el2_enabled.0 == 0 => SECURE,
        _ => NON_SECURE,
    };
    let mut input = in_state(ctx.el.0, security, false);
    for (bit, value) in [
        (control::EL2_ENABLED, ctx.el2_enabled),
        (control::E2H, ctx.e2h),
        (control::TGE, ctx.tge),
        (control::USERENR_EN, ctx.userenr_en),
        (control::USERENR_UEN, ctx.uen),
        (control::USERENR_ER, ctx.er),
        (control::FGTEN, ctx.fgten),
        (control::HDFGRTR, ctx.fgt_r),
        (control::HDFGWTR, ctx.fgt_w),
        (control::MDCR_EL2_TPM, ctx.tpm2),
        (control::MDCR_EL3_TPM, ctx.tpm3),
        (control::HALTED, ctx.halted),
        (control::EDSCR_SDD, ctx.sdd),
    ] {
        set(&mut input, bit, value);
    }
    input.hpmn = ctx.hpmn;
    input.pmuacr = u32::from(ctx.uacr.0 != 0) << vector.n;
    input
}

/// `event`: an event that is supported counts its lane, one that is not counts nothing.
fn event(vector: &Rc<Vector>, expression: &mut Expression) {
    let Some(event) = &vector.event else {
        return;
    };
    let wanted = &vector.implementation;
    let written = EVTCOUNT.of(event.write.0);
    let bits = if wanted.pmu.pmuv3p1 {
        EVTCOUNT.mask()
    } else {
        0x3FF
    };
    let number = written & bits;
    let mut requirements = Requirements {
        counters: Values::from(usize::from(vector.n) + 1),
        ..Requirements::default()
    };
    requirements.alike(written & !0x3FF != 0, Feature::Pmuv3p1, wanted);
    let counts = counts(event, number, &mut requirements, expression);
    let vector = Rc::clone(vector);
    expression.add(requirements, move |bench| {
        let Some(event) = &vector.event else {
            return Ok(());
        };
        bench.reset()?;
        bench.write(register(&vector), written)?;
        let read = bench.read(register(&vector))?;
        let as_written = event
            .expect
            .as_ref()
            .and_then(|(_, as_written)| *as_written);
        if as_written.is_some_and(|as_written| as_written) {
            // Bits of evtCount that are RES0 may hold what was written in the vector's design (A-ETY-1).
            let expected = event.read.map(|number| number.0 & bits);
            bench.expect_bits("event, evtCount read", expected, read)?;
        }
        let Some(expected) = counts else {
            return Ok(());
        };
        bench.enable(1 << vector.n)?;
        let input = CycleInput {
            event: [1; EVENT_LANES],
            counting_allowed: u32::MAX,
            ..CycleInput::default()
        };
        let increment = bench.cycle(&input)?.increment[usize::from(vector.n)];
        bench.expect("event, counts", Some(expected), increment.into())
    });
}

/// What the counter counts of an event whose lane has the value 1, and what of the design decides it.
fn counts(
    event: &Event,
    number: u64,
    requirements: &mut Requirements,
    expression: &mut Expression,
) -> Option<u64> {
    const SAMPLE_EVENTS: std::ops::RangeInclusive<u64> = 0x4000..=0x4003;
    const THREAD_EVENTS: [u64; 4] = [0x8159, 0x8165, 0x00C0, 0x00C1];
    let lane = number < EVENT_LANES as u64 && number != u64::from(CHAIN);
    match event.expect.as_ref()?.0.as_deref()? {
        "COUNT" if lane => {
            requirements.event_count = Values::from(number as usize + 1);
            Some(1)
        }
        "COUNT" => {
            expression.leave_out("an event that counts and has no lane in the design");
            None
        }
        "NONE" if number == 0 || number == u64::from(CHAIN) || THREAD_EVENTS.contains(&number) => {
            expression.leave_out("an event that is not supported, and that every design has");
            None
        }
        "NONE" => {
            if lane {
                requirements.event_count =
                    Values::such_that(|count| (1..=number as usize).contains(&count));
            }
            requirements.fix_if(SAMPLE_EVENTS.contains(&number), Feature::Spe, false);
            Some(0)
        }
        _ => None,
    }
}
