//! The HTML page of a run that did not diverge.

use pmu_lockstep::dut::ModelledDut;
use pmu_lockstep::lockstep::engine::Control;
use pmu_lockstep::lockstep::{Lockstep, Outcome, Verdict};
use pmu_lockstep::report::html::{RunPage, SamplingLines, StopLine, run_page};
use pmu_lockstep::report::{Coverage, WaiverTally};
use pmu_lockstep::stimulus::{Generator, Profile, StimulusError};
use pmu_model::Implementation;

/// What a hostile name of a folder would put into the page.
const HOSTILE: &str = "<script>alert('x')</script>\"&";

/// The page of a run of the model against itself.
pub fn small_run() -> RunPage {
    let mut implementation = Implementation::default();
    implementation.pmu.counters = 2;
    let generator = Generator::new(1, &implementation, &Profile::default()).expect("stimulus");
    let dut = Box::new(ModelledDut::new(&implementation).expect("a design"));
    let mut run = Lockstep::new(&implementation, dut, generator.into(), 1).expect("a run");
    let outcome = run.run(2000, &Control::default(), |_| Ok::<_, StimulusError>(()));
    assert!(matches!(outcome, Ok(Outcome::Agree)), "{outcome:?}");
    let sampling = run.ledger().sampling().expect("the design samples");
    RunPage {
        verdict: Verdict::Agree,
        seed: Some(1),
        stimulus: "seed 1".into(),
        stimulus_hash: "0123456789abcdef0123456789abcdef".into(),
        implementation: "two counters".into(),
        counters: 2,
        rtl: HOSTILE.into(),
        command: format!("lockstep run --seed 1 --rtl {HOSTILE}"),
        seconds: 0.5,
        stop: None,
        coverage: Coverage::of(run.ledger(), run.cycles()),
        initial_states: None,
        random_generator: None,
        sampling: Some(SamplingLines {
            selections: sampling.selections,
            collisions: sampling.collisions,
            lines: sampling.tests(),
        }),
        counted: vec!["coverage cov.json: 3 of 4 rules".into()],
    }
}

fn waiver(waived: u64) -> WaiverTally {
    WaiverTally {
        field: "V[3]".into(),
        reason: "a mistake that is known".into(),
        owner: "N. N.".into(),
        expires: "2027-01-31".into(),
        line: 4,
        waived,
    }
}

#[test]
fn page_of_a_small_run() {
    let mut run = small_run();
    // Registers come and go.
    run.coverage.never_read.truncate(2);
    run.coverage.never_changed.truncate(2);
    run.coverage.fields.truncate(3);
    run.coverage.waivers = vec![waiver(0), waiver(1234)];
    let page = run_page(&run).expect("a page");
    let (head, rest) = page.split_once("<style>").expect("a style");
    let (_, body) = rest.split_once("</style>").expect("a style");
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("page_of_a_small_run", format!("{head}{body}")));
}

#[test]
fn page_of_a_run_needs_nothing_else_and_escapes_everything() {
    let page = run_page(&small_run()).expect("a page");
    for foreign in [
        "<script", "src=", "url(", "@import", "http:", "https:", HOSTILE,
    ] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(page.contains("alert("), "the name is there, escaped");
}

#[test]
fn page_tells_how_the_run_ended() {
    let ended = |verdict: Verdict, stop: Option<StopLine>| {
        let run = RunPage {
            verdict,
            stop,
            ..small_run()
        };
        run_page(&run).expect("a page")
    };
    let page = ended(Verdict::Agree, None);
    assert!(page.contains("<h1>RTL and model agree in 2,000 cycles</h1>"));
    let page = ended(Verdict::UnusedWaiver, None);
    assert!(page.contains("and a waiver was not needed</h1>"));
    let page = ended(Verdict::Interrupted, None);
    assert!(
        page.contains("<h1>Interrupted; RTL and model agree in the 2,000 cycles until then</h1>")
    );
    let stop = StopLine {
        cycle: 1999,
        time_ns: 19_990,
        text: "the design stopped: $fatal".into(),
    };
    let page = ended(Verdict::Stopped, Some(stop));
    assert!(page.contains("<h1>The design stopped in cycle 1,999</h1>"));
    assert!(page.contains("In cycle 1999, at 19990 ns, the design stopped: $fatal"));
}
