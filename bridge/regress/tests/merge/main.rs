//! What merging must be, on results that nothing ran: any order, any grouping, twice; and what it must find.

mod history;
mod made;
mod many;
mod morning;
mod waivers;

use std::fs;
use std::path::{Path, PathBuf};

use lockstep_base::verdict::Verdict;
use lockstep_regress::SCHEMA;
use lockstep_regress::check::Kind;
use lockstep_regress::coverage::File;
use lockstep_regress::junit::junit;
use lockstep_regress::merge::{Merged, merge};
use lockstep_regress::page::page;
use lockstep_regress::record::{Compared, Failure, Header, Record};
use lockstep_regress::results::{Results, Writer, find, name};
use lockstep_regress::rounds::{OfPart, Rounds, Why};
use lockstep_regress::shard::Shard;
use lockstep_regress::signature::Signature;
use lockstep_regress::summary::Summary;
use made::{header, record};
use pmu_model::coverage::Coverage;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::Value;

const RUNS: usize = 30;

/// Writes a shard, with its runs changed by `change`.
fn shard(folder: &Path, shard: Shard, change: impl Fn(&mut Record)) -> PathBuf {
    let mut writer =
        Writer::create(&folder.join(name(shard)), &header(shard, RUNS), &[]).expect("written");
    for number in (0..RUNS).filter(|&number| shard.has(number)) {
        let mut record = record(number);
        change(&mut record);
        record.exit_code = record.verdict.exit_code();
        if record.failure.is_none() && record.has_failed() {
            record.failure = made::record(0).failure.map(|failure| Failure {
                signature: Signature::of_end("mine", record.verdict, "it ended so"),
                ..failure
            });
        }
        writer.add(&record).expect("written");
    }
    writer
        .finish(vec![shard.index], Vec::new())
        .expect("written")
}

fn shards(folder: &Path, of: u32) -> Vec<PathBuf> {
    let all = (1..=of).map(|index| shard(folder, Shard { index, of }, |_| ()));
    all.collect()
}

/// Merged results as text, which is all that can be seen of them.
fn text(merged: &Merged) -> String {
    let mut text = Vec::new();
    merged.write(&mut text).expect("written");
    String::from_utf8(text).expect("JSON")
}

fn merged(paths: &[PathBuf]) -> Merged {
    merge(paths).expect("of one suite").expect("some")
}

fn summary(paths: &[PathBuf]) -> Summary {
    Summary::of(&merged(paths)).expect("read")
}

/// The summary without its times.
fn timeless(summary: &Summary) -> Value {
    let mut value = serde_json::to_value(summary).expect("JSON");
    value.as_object_mut().expect("an object").remove("times");
    value
}

#[test]
fn merging_is_associative_commutative_and_idempotent() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = shards(folder.path(), 5);
    // One shard has another file, of a start that was killed, and one is not whole at all.
    let cut = fs::read_to_string(&files[4]).expect("a file");
    fs::write(&files[4], &cut[..cut.len() * 2 / 3]).expect("cut");
    let other = folder.path().join("again");
    fs::create_dir(&other).expect("made");
    files.push(shard(&other, Shard { index: 2, of: 5 }, |record| {
        record.time.process += 7.0
    }));
    files.push(shard(&other, Shard { index: 1, of: 5 }, |record| {
        if record.seed == Some(6) {
            record.verdict = Verdict::Infrastructure;
        }
    }));
    let expected = text(&merged(&files));
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for round in 0..50 {
        for place in (1..files.len()).rev() {
            files.swap(place, random.next_u32() as usize % (place + 1));
        }
        let cut = 1 + random.next_u32() as usize % (files.len() - 1);
        let (left, right) = files.split_at(cut);
        // Some are merged to a file first, which is merged again, and some are merged twice.
        let place = folder.path().join(format!("merged-{round}.jsonl"));
        fs::write(&place, text(&merged(left))).expect("written");
        let mut all: Vec<_> = right.to_vec();
        all.push(place.clone());
        all.push(files[random.next_u32() as usize % files.len()].clone());
        assert_eq!(text(&merged(&all)), expected, "round {round}");
        fs::remove_file(place).expect("removed");
    }
}

#[test]
fn shards_and_one_process_have_one_summary() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = summary(&shards(folder.path(), 1));
    for of in [2, 4, 7] {
        let folder = tempfile::tempdir().expect("a folder");
        let summary = summary(&shards(folder.path(), of));
        assert_eq!(timeless(&summary), timeless(&whole));
    }
    assert_eq!((whole.runs.passed, whole.runs.failed), (24, 6));
    let groups: Vec<_> = whole
        .groups
        .iter()
        .map(|group| (group.count, group.first.seed))
        .collect();
    assert_eq!(groups, [(3, Some(6)), (3, Some(1))]);
    assert_eq!(whole.exit_code, 1);
}

#[test]
fn a_shard_that_is_missing_or_cut_fails_with_its_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = shards(folder.path(), 4);
    fs::remove_file(&files[2]).expect("removed");
    let cut = fs::read_to_string(&files[1]).expect("a file");
    let lines: Vec<_> = cut.lines().collect();
    for (left, damage) in [
        (
            lines[..lines.len() - 1].join("\n") + "\n",
            "it has no last line",
        ),
        (cut[..cut.len() - 9].to_owned(), "is cut or damaged"),
        (cut.replacen(lines[2], "", 1), "is cut or damaged"),
        (
            [&lines[..2], &lines[3..]].concat().join("\n"),
            "expected 8 runs, found 7",
        ),
        (format!("{cut}{}\n", lines[1]), "text after the last line"),
        (
            cut.replacen(
                "\"verdict\":\"agree\",\"exit_code\":0",
                "\"verdict\":\"agree\",\"exit_code\":1",
                1,
            ),
            "expected exit code 0 of verdict PASS, found 1",
        ),
    ] {
        fs::write(&files[1], left).expect("written");
        let found = find(&[folder.path().into()]).expect("files");
        let summary = summary(&found);
        let texts: Vec<_> = summary
            .faults()
            .map(|finding| finding.text.as_str())
            .collect();
        assert!(
            texts[0].starts_with("shard 2 of 4 is not whole: ") && texts[0].contains(damage),
            "{texts:?}"
        );
        assert!(texts[1].starts_with("shard 3 of 4 is missing"), "{texts:?}");
        assert!(texts[2].ends_with("of 30 runs have no result"), "{texts:?}");
    }
}

#[test]
fn other_results_are_refused_by_name() {
    type Change = fn(&mut Header);
    let changes: [(Change, &str); 5] = [
        (
            |header| header.program.build = "9".repeat(32),
            "one program",
        ),
        (|header| header.suite_hash = "9".repeat(32), "one suite"),
        (|header| header.plan_runs = 7, "one choice of runs"),
        (|header| header.shards = 9, "one number of shards"),
        (
            |header| drop(header.designs.insert("mine".into(), "9".repeat(32))),
            "one design `mine`",
        ),
    ];
    for (change, message) in changes {
        let folder = tempfile::tempdir().expect("a folder");
        let mut files = shards(folder.path(), 2);
        let mut other = header(Shard { index: 2, of: 2 }, RUNS);
        change(&mut other);
        let writer = Writer::create(&files[1], &other, &[]).expect("written");
        files[1] = writer.finish(vec![2], Vec::new()).expect("written");
        let error = merge(&files).expect_err(message).to_string();
        assert!(
            error.contains(message) && error.contains("shard-2-of-2.jsonl"),
            "{error}"
        );
    }
}

fn kinds(change: impl Fn(&mut Record)) -> Vec<Kind> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = shard(folder.path(), Shard::WHOLE, change);
    let summary = summary(&[file]);
    summary.faults().map(|finding| finding.kind).collect()
}

#[test]
fn a_generator_that_ignores_its_seed_is_found() {
    let used = |record: &mut Record| compared(record).waivers[0].waived = 1;
    assert_eq!(kinds(used), []);
    let ignored = |record: &mut Record| {
        used(record);
        compared(record).stimulus_hash = "f".repeat(32);
    };
    assert_eq!(kinds(ignored), [Kind::SeedIgnored]);
    // The same inputs on another design.
    let differs = |record: &mut Record| {
        used(record);
        record.seed = Some(1);
    };
    assert_eq!(kinds(differs), [Kind::StimulusDiffers]);
    let nothing = |record: &mut Record| {
        used(record);
        if record.seed == Some(3) {
            compared(record).compared = 0;
        }
        if record.seed == Some(4) {
            compared(record).cycles = 999;
        }
    };
    assert_eq!(kinds(nothing), [Kind::NotCompared; 2]);
    assert_eq!(kinds(|_| ()), [Kind::Waiver]);
}

#[test]
fn a_waiver_is_that_of_its_file() {
    let of_two_files = |record: &mut Record| {
        let of_first = record.seed == Some(1);
        let waiver = &mut compared(record).waivers[0];
        waiver.waived = u64::from(of_first);
        if !of_first {
            waiver.file = "others.toml".into();
        }
    };
    assert_eq!(kinds(of_two_files), [Kind::Waiver]);
}

#[test]
fn a_field_that_is_unknown_or_not_compared_in_all_runs_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = shard(folder.path(), Shard::WHOLE, |record| {
        let is_first = record.seed == Some(1);
        let compared = compared(record);
        let list = match is_first {
            true => &mut compared.never_compared,
            false => &mut compared.mostly_unknown,
        };
        list.push("PMCCNTR_EL0".into());
    });
    let coverage = summary(&[file]).coverage;
    assert!(coverage[0].mostly_unknown.contains("PMCCNTR_EL0"));
    assert!(!coverage[0].never_compared.contains("PMCCNTR_EL0"));
}

#[test]
fn more_runs_than_were_to_run_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name(Shard::WHOLE));
    let few = header(Shard::WHOLE, RUNS - 1);
    let mut writer = Writer::create(&path, &few, &[]).expect("written");
    for number in 0..RUNS {
        writer.add(&record(number)).expect("written");
    }
    let path = writer.finish(vec![1], Vec::new()).expect("written");
    let faults: Vec<_> = summary(&[path])
        .faults()
        .map(|fault| fault.text.clone())
        .collect();
    let text = format!("{RUNS} runs have results, and {} were to run", RUNS - 1);
    assert!(faults.contains(&text), "{faults:?}");
}

fn compared(record: &mut Record) -> &mut Compared {
    record.compared.as_mut().expect("it compared")
}

#[test]
fn what_no_run_compared_is_told_and_fails_where_it_is_demanded() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = |demand: bool| {
        let demanding = Header {
            demand_fields: demand,
            ..header(Shard::WHOLE, RUNS)
        };
        let path = folder.path().join(name(Shard::WHOLE));
        let mut writer = Writer::create(&path, &demanding, &[]).expect("written");
        for number in 0..RUNS {
            writer.add(&record(number)).expect("written");
        }
        let path = writer.finish(vec![1], Vec::new()).expect("written");
        summary(&[path])
    };
    let fields = |summary: &Summary| {
        let of_fields = summary
            .findings
            .iter()
            .filter(|finding| finding.kind == Kind::Field);
        of_fields
            .map(|finding| (finding.verdict, finding.text.clone()))
            .collect::<Vec<_>>()
    };
    let told = fields(&results(false));
    assert_eq!(
        told,
        [
            (Verdict::Agree, "default/mine: never compared: A".into()),
            (
                Verdict::Agree,
                "default/mine: compared with one value alone: B".into()
            ),
        ]
    );
    assert!(
        fields(&results(true))
            .iter()
            .all(|(verdict, _)| *verdict == Verdict::Divergence)
    );
}

/// Records that contradict themselves are none.
#[test]
fn a_verdict_without_its_failure_is_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = shard(folder.path(), Shard::WHOLE, |_| ());
    let text = fs::read_to_string(&path).expect("read");
    let agrees = |line: &str| {
        let agrees = line.replace(
            "\"verdict\":\"divergence\",\"exit_code\":1",
            "\"verdict\":\"agree\",\"exit_code\":0",
        );
        agrees + "\n"
    };
    fs::write(&path, text.lines().map(agrees).collect::<String>()).expect("written");
    let summary = summary(&[path]);
    let texts: Vec<_> = summary.faults().map(|finding| &*finding.text).collect();
    assert!(
        texts
            .iter()
            .any(|text| text.contains("line 2: verdict PASS, and one of what failed")),
        "{texts:?}"
    );
    assert_ne!(summary.exit_code, 0);
}

#[test]
fn a_run_with_two_ends_does_not_reproduce() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("other");
    fs::create_dir(&other).expect("made");
    let files = [
        shard(folder.path(), Shard::WHOLE, |_| ()),
        shard(&other, Shard::WHOLE, |record| {
            if record.seed == Some(2) {
                record.verdict = Verdict::Crash;
            }
            if record.seed == Some(3) {
                record.verdict = Verdict::Infrastructure;
            }
        }),
    ];
    let summary = summary(&files);
    let texts: Vec<_> = summary
        .faults()
        .filter(|finding| finding.kind == Kind::NotReproduced)
        .map(|finding| finding.text.as_str())
        .collect();
    assert_eq!(texts.len(), 1);
    assert!(
        texts[0].starts_with("default/mine/mixed/1000/2 "),
        "{texts:?}"
    );
}

#[test]
fn what_runs_took_is_one_file_and_one_page_whatever_the_shards() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = |of: u32| {
        let merged = merged(&shards(folder.path(), of));
        let (summary, totals) = Summary::and_totals(&merged).expect("read");
        let file = File::of("nightly", &totals).expect("of this version");
        let file = file.expect("it was counted");
        let json = serde_json::to_value(&file).expect("JSON");
        (json, file.page().expect("a page"), summary)
    };
    let (json, page, summary) = files(1);
    for of in [2, 5] {
        let (other, other_page, _) = files(of);
        assert_eq!((&other, &other_page), (&json, &page));
    }
    let part = &json["merged"][0];
    // Every fifth run diverges: what follows is not compared, and nothing of it counts.
    assert_eq!(
        (&part["runs"], &part["coverage"]["cycles"]),
        (&24.into(), &24_000.into())
    );
    let rules = part["coverage"]["rules"].as_object().expect("rules");
    let counts: Vec<_> = rules
        .values()
        .take(12)
        .map(|count| count.as_u64())
        .collect();
    let expected = [0, 2, 3, 4, 5, 0, 7, 8, 9, 10, 0, 12].map(Some);
    assert_eq!(counts, expected);
    let points = part["coverage"]["crosses"]["access"]
        .as_object()
        .expect("points");
    let hit = |points: &serde_json::Map<String, Value>| {
        points.values().filter(|count| **count == 1).count()
    };
    assert_eq!((points.len(), hit(points)), (30, 24));
    let (of, never) = (summary.coverage[0].points, summary.coverage[0].never_hit);
    let crosses = part["coverage"]["crosses"].as_object().expect("crosses");
    let all: Vec<_> = crosses.values().filter_map(Value::as_object).collect();
    assert_eq!(of, Some(all.iter().map(|points| points.len()).sum()));
    assert_eq!(
        of.map(|of| of - never),
        Some(all.iter().map(|points| hit(points)).sum())
    );
    // Holes come first.
    let hole = points.keys().next().expect("a point");
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    assert!(place("Rules never taken") < place("<h3>Crosses"));
    assert!(place(&format!("<li>{hole}</li>")) < place("<h3>Crosses"));
    assert!(!page.contains("<script"));
    let again: Coverage = serde_json::from_value(part["coverage"].clone()).expect("coverage");
    assert_eq!(again.cycles(), 24_000);
}

#[test]
fn results_without_what_was_taken_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = shard(folder.path(), Shard::WHOLE, |record| {
        compared(record).taken = None
    });
    let text = fs::read_to_string(&path).expect("a file");
    assert!(!text.contains("taken\":{"), "{text}");
    let merged = merged(&[path]);
    assert_eq!(merged.len(), RUNS);
    let (summary, totals) = Summary::and_totals(&merged).expect("read");
    assert!(File::of("nightly", &totals).expect("nothing").is_none());
    assert_eq!(summary.coverage[0].points, None);
}

#[test]
fn every_line_fits_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let folder = tempfile::tempdir().expect("a folder");
    let text = text(&merged(&shards(folder.path(), 3)));
    assert_eq!(text.lines().count(), RUNS + 2);
    let part = OfPart {
        implementation: "default".into(),
        design: "bundled".into(),
        taken: 1,
        of: 2,
        missing: vec!["threshold: a point".into()],
    };
    let rounds = Rounds {
        rounds: 3,
        percent: 100,
        nothing_new: 1,
        why: Why::NothingNew,
        parts: vec![part],
    };
    for line in text.lines() {
        let mut value: Value = serde_json::from_str(line).expect("JSON");
        if value["line"] == "trailer" {
            value["rounds"] = serde_json::to_value(&rounds).expect("JSON");
        }
        let errors: Vec<_> = schema
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{line}: {errors:?}");
        value["surplus"] = 1.into();
        assert!(!schema.is_valid(&value), "{value}");
    }
}

#[test]
fn another_reader_finds_the_same_in_junit() {
    let folder = tempfile::tempdir().expect("a folder");
    let merged = merged(&shards(folder.path(), 2));
    let summary = Summary::of(&merged).expect("read");
    let xml = junit(&merged, &summary).expect("XML");
    let document = roxmltree::Document::parse(&xml).expect("XML");
    let root = document.root_element();
    let number = |name: &str| {
        root.attribute(name)
            .and_then(|text| text.parse::<usize>().ok())
    };
    let count = |name: &str| {
        document
            .descendants()
            .filter(|node| node.has_tag_name(name))
            .count()
    };
    // One case is that of the waiver.
    assert_eq!(
        (number("tests"), number("failures"), number("errors")),
        (Some(RUNS + 1), Some(7), Some(0))
    );
    assert_eq!(
        (count("testcase"), count("failure"), count("testsuite")),
        (RUNS + 1, 7, 2)
    );
    let failure = document.descendants().find(|node| {
        node.parent().and_then(|case| case.attribute("name")) == Some("default/mine/mixed/1000/6")
    });
    let failure = failure
        .and_then(|node| node.parent())
        .and_then(|case| case.children().find(|node| node.has_tag_name("failure")));
    let failure = failure.expect("a failure");
    assert_eq!(
        failure.attribute("message"),
        Some("mine: PMOVSSET_EL0 <&> (PMEVTYPERn_EL0)")
    );
    assert!(
        failure
            .text()
            .unwrap_or_default()
            .contains("lockstep run --seed 6 --cycles 19")
    );
}

/// What the schema of Jenkins (junit-10.xsd of its xUnit plugin) knows of each element: parents and attributes.
#[test]
fn junit_has_what_the_schema_of_jenkins_knows_alone() {
    let known: [(&str, &[&str], &[&str]); 4] = [
        (
            "testsuites",
            &[],
            &["name", "time", "tests", "failures", "errors"],
        ),
        (
            "testsuite",
            &["testsuites", "testsuite"],
            &[
                "name",
                "tests",
                "failures",
                "errors",
                "time",
                "skipped",
                "timestamp",
                "hostname",
                "id",
                "package",
            ],
        ),
        (
            "testcase",
            &["testsuite"],
            &["name", "time", "classname", "group"],
        ),
        ("failure", &["testcase"], &["type", "message"]),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let merged = merged(&shards(folder.path(), 2));
    let xml = junit(&merged, &Summary::of(&merged).expect("read")).expect("XML");
    let document = roxmltree::Document::parse(&xml).expect("XML");
    for node in document.descendants().filter(|node| node.is_element()) {
        let name = node.tag_name().name();
        // Errors and skipped cases are like failures.
        let name = match name {
            "error" | "skipped" => "failure",
            name => name,
        };
        let (_, parents, attributes) = known.iter().find(|(known, ..)| *known == name).expect(name);
        let parent = node.parent_element().map(|parent| parent.tag_name().name());
        assert!(
            parent.is_none_or(|parent| parents.contains(&parent)),
            "{name}"
        );
        for attribute in node.attributes() {
            assert!(attributes.contains(&attribute.name()), "{attribute:?}");
        }
        if name == "testsuite" {
            assert_eq!(node.attribute("skipped"), Some("0"));
        }
    }
}

#[test]
fn what_is_new_gone_and_still_failing() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("other");
    fs::create_dir(&other).expect("made");
    let last = summary(&shards(folder.path(), 1));
    let changed = shard(&other, Shard::WHOLE, |record| {
        if let Some(failure) = &mut record.failure
            && failure.signature.what == "V[n]"
        {
            failure.signature.what = "INTID".into();
        }
    });
    let mut now = summary(&[changed]);
    now.follow(&last);
    let since = now.since.as_ref().expect("a comparison");
    let words = |all: &[Signature]| all.iter().map(|one| one.what.clone()).collect::<Vec<_>>();
    assert_eq!(words(&since.new), ["INTID"]);
    assert_eq!(words(&since.gone), ["V[n]"]);
    assert_eq!(words(&since.still), ["PMOVSSET_EL0 <&>"]);
    let page = page(&now, None).expect("a page");
    for expected in [
        "1 new, 1 gone, 1 still failing",
        "gone: mine: V[n] (PMEVTYPERn_EL0)",
        "PMOVSSET_EL0 &#60;&#38;&#62;",
    ] {
        assert!(page.contains(expected), "{expected}");
    }
    // Self-contained.
    for none in ["<script", "http://", "https://", "src="] {
        assert!(!page.contains(none), "{none}");
    }
}

#[test]
fn a_file_is_not_under_its_name_until_it_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name(Shard::WHOLE));
    let mut writer = Writer::create(&path, &header(Shard::WHOLE, RUNS), &[]).expect("written");
    writer.add(&record(1)).expect("written");
    assert!(!path.exists());
    let found = find(&[folder.path().into()]).expect("files");
    let partial = Results::read(&found[0]).expect("results");
    assert_eq!((partial.records.len(), partial.trailer), (1, None));
    writer.finish(vec![1], Vec::new()).expect("written");
    assert_eq!(find(&[folder.path().into()]).expect("files"), [path]);
}
