//! The HTML report of a small divergence: a design made of the model, with a fault.

use std::path::Path;

use pmu_lockstep::diagnosis::replay;
use pmu_lockstep::dut::{Dut, ModelledDut};
use pmu_lockstep::lockstep::engine::Control;
use pmu_lockstep::lockstep::{Lockstep, Outcome};
use pmu_lockstep::report::{File, Report, RunFacts, html, report};
use pmu_lockstep::stimulus::{Reader, StimulusError, Writer};
use pmu_model::{CycleInput, Implementation, Number, SysReg};

use crate::scratch::scratch;

/// The cycle of the fault.
const FAULT: u64 = 7;

/// What a hostile name of a folder would put into the page.
const HOSTILE: &str = "<script>alert('x')</script>\"&";

fn implementation() -> Implementation {
    let mut implementation = Implementation {
        name: "two counters".into(),
        ..Implementation::default()
    };
    implementation.pmu.counters = 2;
    implementation
}

/// Counter 0 counts rising edges of event 3 being 4 or more, counter 1 counts V[0] then.
fn stimulus(name: &str) -> Reader {
    let event_type = |tlc: u64| 0b101 << 61 | 1 << 60 | tlc << 54 | 4 << 32 | 3;
    let mut inputs = vec![
        CycleInput::reset(),
        CycleInput::write(SysReg::Pmevtyper(Number::at::<0>()), event_type(0)),
        CycleInput::write(SysReg::Pmevtyper(Number::at::<1>()), event_type(0b10)),
        CycleInput::write(SysReg::Pmcntenset, 3),
        CycleInput::write(SysReg::Pmcr, 1),
    ];
    for value in [3, 3, 4, 5] {
        let mut input = CycleInput::read(SysReg::Pmccntr);
        input.event[3] = value;
        inputs.push(input);
    }
    let path = scratch(&format!("report/{name}")).join("small.stim");
    let mut writer = Writer::create(&path, &implementation(), None).expect("a file");
    writer.append(&inputs).expect("written");
    writer.finish().expect("written");
    Reader::open(&path).expect("a stimulus")
}

/// The report of a design that shows V[0] one too low in the cycle of the fault, and V[1] with it.
pub fn small_report(name: &str) -> Report {
    let implementation = implementation();
    let design = || {
        let fault = |cycle, _: &_, output: &mut pmu_model::CycleOutput| {
            if cycle == FAULT {
                output.increment[0] -= 1;
                output.increment[1] -= 1;
            }
            Ok(())
        };
        let dut = ModelledDut::with_fault(&implementation, Box::new(fault)).expect("a design");
        Box::new(dut) as Box<dyn Dut>
    };
    let stimulus = stimulus(name);
    let mut run = Lockstep::new(&implementation, design(), stimulus.into(), 1).expect("a run");
    let outcome = run.run(
        u64::MAX,
        &Control::default(),
        |_| Ok::<_, StimulusError>(()),
    );
    let Ok(Outcome::Diverged(divergence)) = outcome else {
        panic!("{outcome:?}")
    };
    let window = replay(
        &run,
        &divergence,
        &mut || Ok(design()),
        Path::new("none.vcd"),
    );
    let facts = RunFacts {
        seed: None,
        stimulus: "small.stim".into(),
        implementation: implementation.name.clone(),
        rtl: HOSTILE.into(),
        replay: format!("lockstep replay small.stim --rtl {HOSTILE}"),
    };
    let files = vec![File {
        what: "report".into(),
        path: "out/report.json".into(),
    }];
    let replay = window.expect("a re-run");
    report(
        &divergence,
        &replay,
        &implementation,
        run.ledger(),
        facts,
        files,
    )
}

#[test]
fn page_of_a_small_divergence() {
    let mut report = small_report("page");
    // Registers come and go.
    report.coverage.never_read.truncate(2);
    report.coverage.never_changed.truncate(2);
    let page = html::page(&report).expect("a page");
    let (head, rest) = page.split_once("<style>").expect("a style");
    let (_, body) = rest.split_once("</style>").expect("a style");
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
        .bind(|| insta::assert_snapshot!("page_of_a_small_divergence", format!("{head}{body}")));
}

#[test]
fn page_needs_nothing_else_and_escapes_everything() {
    let page = html::page(&small_report("page_escaped")).expect("a page");
    for foreign in [
        "<script", "src=", "url(", "@import", "http:", "https:", HOSTILE,
    ] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(page.contains("alert("), "the name is there, escaped");
}

/// Reports leave it to people who is right.
#[test]
fn page_takes_no_side() {
    let page = html::page(&small_report("page_words")).expect("a page");
    let (_, body) = page.split_once("</style>").expect("a style");
    for word in ["right", "wrong", "correct"] {
        let mut words = body.split(|c: char| !c.is_ascii_alphabetic());
        assert!(!words.any(|found| found == word), "{word}");
    }
}
