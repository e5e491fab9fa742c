//! Every point that has a formula is taken by the stimulus that is found for it, and what is no point is out of reach: for
//! implementations of the tests.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use lockstep_prove::reach::{Found, Reach, full_name};
use lockstep_stimulus::{Generator, Profile, alone, implementation_file};
use pmu_model::Implementation;
use pmu_model::coverage::Coverage;
use pmu_model::coverage::points::{Boundary, Class, Happening, Point, Threshold};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(60);

fn implementation(name: &str) -> Implementation {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/implementations");
    let file = folder.join(name).with_extension("toml");
    implementation_file::load(Some(&file)).expect("an implementation")
}

/// Whether nothing is known of a point, as it has no formula.
fn has_no_formula(point: Point) -> bool {
    matches!(
        point,
        Point::EventNumber(_, Happening::Chain)
            | Point::Boundary(
                _,
                Boundary::CountToZero
                    | Boundary::DrawZero
                    | Boundary::DrawNonzero
                    | Boundary::SecondaryToZero
                    | Boundary::Several
            )
    ) || matches!(point, Point::Boundary(mode, Boundary::Reload) if mode.random)
}

/// Looks for each of `every` points, and counts those that were taken, by cross.
fn take(name: &str, every: usize) -> BTreeMap<&'static str, usize> {
    let implementation = implementation(name);
    let reach = Reach::new(&implementation, LIMIT, true).expect("possible");
    let nothing = Coverage::new(&implementation);
    let mut taken: BTreeMap<_, usize> = BTreeMap::new();
    let points = nothing
        .missing()
        .filter(|(.., point)| *point != Point::Other);
    for (cross, point_name, point) in points.step_by(every) {
        let full = full_name(cross, point_name);
        match reach.find(&full, point).expect("no defect") {
            Found::Taken(_) => *taken.entry(cross).or_default() += 1,
            Found::NotDecided(_) if has_no_formula(point) => {}
            other => panic!("{name}, {full}: {other:?}"),
        }
    }
    taken
}

#[test]
fn points_are_taken_by_what_is_found_for_them() {
    for name in ["turns", "year_2021"] {
        let taken = take(name, 23);
        let crosses: Vec<_> = taken.keys().copied().collect();
        let all = [
            "audit: TH",
            "audit: V_B and TH",
            "audit: counters",
            "audit: event numbers",
            "audit: overflows",
            "audit: sampling",
            "threshold",
        ];
        assert!(
            all.iter().all(|of| crosses.contains(of)),
            "{name}: {crosses:?}"
        );
    }
}

#[test]
#[ignore = "minutes: every point, of the others every seventh"]
fn every_point_is_taken_by_what_is_found_for_it() {
    for (name, every) in [("everything", 1), ("turns", 7), ("six_counters", 7)] {
        let taken = take(name, every);
        assert!(taken.values().sum::<usize>() > 100, "{name}: {taken:?}");
    }
}

#[test]
fn combinations_that_are_no_points_are_out_of_reach() {
    for name in [
        "everything",
        "year_2021",
        "threshold_only",
        "no_event_counters",
    ] {
        let implementation = implementation(name);
        let reach = Reach::new(&implementation, LIMIT, true).expect("possible");
        let coverage = Coverage::new(&implementation);
        let left_out: Vec<_> = coverage.left_out().collect();
        assert!(!left_out.is_empty(), "{name}");
        let never = reach.never("left out", &left_out).expect("no defect");
        assert!(never.is_some(), "{name}");
        // Together with a point it is not.
        let mut points = coverage.missing().map(|(.., point)| point);
        let point = points.find_map(|point| match point {
            Point::Threshold(point) => Some(point),
            _ => None,
        });
        if let Some(point) = point {
            let with_a_point: Vec<_> = left_out.into_iter().chain([point]).collect();
            let never = reach.never("a point", &with_a_point).expect("no defect");
            assert!(never.is_none(), "{name}");
        }
    }
}

#[test]
fn a_combination_that_cannot_be_is_never() {
    let implementation = implementation("everything");
    let reach = Reach::new(&implementation, LIMIT, true).expect("possible");
    // TC = 0b000 is V_B != TH, and V_B is TH.
    let point = Threshold {
        tc: 0,
        te: false,
        tlc: 0,
        odd: false,
        c_t: true,
        c_p: false,
        v_b: Class::Equal,
    };
    let found = reach.find("impossible", Point::Threshold(point));
    assert!(matches!(found, Ok(Found::Never(_))), "{found:?}");
}

/// Runs `lockstep reach`: the exit code, and what it prints to both streams.
fn reach(args: &[&str]) -> (Option<i32>, String, String) {
    let program = env!("CARGO_BIN_EXE_lockstep-prove");
    let output = Command::new(program).arg("reach").args(args).output();
    let output = output.expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let (out, error) = (text(output.stdout), text(output.stderr));
    (output.status.code(), out, error)
}

/// What random stimulus takes of an implementation.
fn taken(name: &str, cycles: u64) -> Coverage {
    let implementation = implementation(name);
    let generator = Generator::new(1, &implementation, &Profile::default()).expect("legal");
    alone::take(generator, &implementation, cycles).expect("possible")
}

#[test]
fn coverage_of_several_implementations_has_a_table_and_stimulus_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |name, cycles| json!({ "implementation": name, "design": "rtl", "runs": 1, "coverage": taken(name, cycles) });
    // Of the second one too little was run, of the third one the rest of it.
    let merged = json!({ "suite": "two", "merged": [
        of("no_event_counters", 1_000_000), of("no_threshold", 40_000), of("no_threshold", 1_000_000),
    ] });
    let file = folder.path().join("coverage.json");
    fs::write(&file, merged.to_string()).expect("a file");
    let out = folder.path().join("out");
    let args = |json| {
        let paths = [
            "--coverage",
            file.to_str().expect("UTF-8"),
            "--out",
            out.to_str().expect("UTF-8"),
        ];
        paths.into_iter().chain(json).collect::<Vec<_>>()
    };
    let (code, text, error) = reach(&args(None));
    assert!(matches!(code, Some(0 | 9)), "{error}");
    let tables = text.matches("CROSS ").count();
    assert_eq!(tables, 2, "{text}");
    assert!(text.contains("1040000 cycles"), "{text}");
    let (_, text, _) = reach(&args(Some("--json")));
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["implementations"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_is_no_coverage_is_refused() {
    let (code, _, error) = reach(&["--coverage", "nowhere.json"]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("nowhere.json: cannot be read"), "{error}");
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let (code, _, error) = reach(&["--coverage", manifest]);
    assert_eq!(code, Some(2), "{error}");
    assert!(error.contains("not coverage"), "{error}");
}
