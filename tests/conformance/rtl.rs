//! The same vectors on the RTL, where its default parameters do: of the bundled RTL nothing is built.

use std::fs;
use std::path::{Path, PathBuf};

use pmu_lockstep::conform::{AREAS, Designs, Failure, RtlTally, Side, Summary, run_files_on_rtl};
use pmu_lockstep::dut::{BuildEvent, BuildOptions, Pulse, RtlSource, open, wrapper_parameters};
use pmu_model::Implementation;
use serde_json::Value;
use verilator_sys::Optimization;

use crate::{add_one, file_of, spoil, vectors};

/// Runs vectors on the design with the default parameters, which `open` has.
fn run_on(
    path: PathBuf,
    open: impl Fn(&Implementation) -> (RtlSource, BuildOptions),
    building: &mut dyn FnMut(BuildEvent<'_>),
) -> Summary {
    let designs = Designs {
        builds: 0,
        open: &mut |implementation| {
            let (source, options) = open(implementation);
            self::open(&source, implementation, false, &options, building)
        },
        pulse: Pulse::default(),
    };
    run_files_on_rtl(&[path], designs).expect("vectors")
}

fn run(path: PathBuf) -> Summary {
    let bundled = |_: &Implementation| (RtlSource::Bundled, BuildOptions::from_env());
    run_on(path, bundled, &mut |event| panic!("{event:?}"))
}

fn tally(summary: &Summary) -> &RtlTally {
    summary.areas[0].rtl.as_ref().expect("run on the RTL")
}

#[test]
fn vectors_of_every_area_pass() {
    for area in AREAS {
        let summary = run(vectors(area));
        assert!(summary.failures.is_empty(), "{:#?}", summary.failures);
        let tally = tally(&summary);
        assert!(tally.passed > 0, "{area}: {tally:?}");
        assert!(tally.values > 0, "{area}: {tally:?}");
    }
}

/// A number that shows on the ports, in a line all of which can be run, is found by model and RTL alike.
#[test]
fn a_changed_number_is_found_on_both_sides() {
    for area in AREAS {
        let mut found = 0;
        let text = fs::read_to_string(vectors(area)).expect("a file");
        for (index, line) in text.lines().enumerate() {
            let (_folder, path) = file_of(line);
            let mut vector: Value = serde_json::from_str(line).expect("JSON");
            if tally(&run(path)).passed == 0 || !spoil_on_ports(area, &mut vector) {
                continue;
            }
            let (_folder, path) = file_of(&vector.to_string());
            let summary = run(path);
            // A number can be one that decides which design there must be.
            if tally(&summary).not_built > 0 {
                continue;
            }
            let sides: Vec<_> = summary
                .failures
                .iter()
                .map(|failure| failure.side)
                .collect();
            let both = [Side::Model, Side::Rtl];
            assert_eq!(sides, both, "{area} line {index}: {vector}");
            found += 1;
        }
        assert!(found > 0, "{area}");
    }
}

/// The vectors find a mistake in the RTL that they say is one, without the model.
#[test]
fn th_20_a_planted_bug_is_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("rtl");
    fs::create_dir(&copy).expect("a folder");
    for entry in fs::read_dir(root.join("rtl")).expect("the RTL") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "sv") {
            fs::copy(&path, copy.join(path.file_name().expect("a name"))).expect("copied");
        }
    }
    let patch = root.join("tests/planted/01-threshold-ge-as-gt.patch");
    let patch = fs::read_to_string(patch).expect("the patch");
    let patch = diffy::Patch::from_str(&patch).expect("a patch");
    let broken = copy.join("pmu_count_value.sv");
    let sound = fs::read_to_string(&broken).expect("the file");
    fs::write(&broken, diffy::apply(&sound, &patch).expect("applied")).expect("written");
    let options = BuildOptions {
        optimization: Optimization::Quick,
        // It is of no use in the user's cache.
        cache: folder.path().join("cache"),
        ..BuildOptions::from_env()
    };
    let broken = |implementation: &Implementation| {
        let source = RtlSource::files([copy.clone()], wrapper_parameters(implementation));
        (source, options.clone())
    };
    let summary = run_on(vectors("th"), broken, &mut |_| ());
    assert_eq!(summary.areas[0].failed, 0);
    assert!(tally(&summary).failed > 0, "{:#?}", tally(&summary));
    let found = |failure: &Failure| {
        failure.side == Side::Rtl && failure.message.ends_with("V[0]: expected 1, RTL 0")
    };
    assert!(
        summary.failures.iter().any(found),
        "{:#?}",
        summary.failures
    );
}

/// Changes the last number that the vector expects and that an output of a design shows.
fn spoil_on_ports(area: &str, vector: &mut Value) -> bool {
    let mut of = |key| vector.get_mut(key).is_some_and(add_one);
    match area {
        "th" => {
            let cycles = vector["cycles"].as_array_mut().into_iter().flatten();
            let mut rows =
                cycles.flat_map(|cycle| cycle["expect"].as_array_mut().into_iter().flatten());
            rows.any(|row| row.get_mut("V").is_some_and(add_one))
        }
        "ety" => of("read"),
        "spmu" => of("SPMCFGR"),
        _ => spoil(area, vector),
    }
}
