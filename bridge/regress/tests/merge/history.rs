//! Summaries one after another: what each takes over from the one before.

use std::fs;

use lockstep_base::day::Day;
use lockstep_base::verdict::Verdict;
use lockstep_regress::earlier;
use lockstep_regress::history::MOST;
use lockstep_regress::page::page;
use lockstep_regress::record::{FromInitialState, Record, Rules, Time};
use lockstep_regress::shard::Shard;
use lockstep_regress::share::Share;
use lockstep_regress::signature::Signature;
use lockstep_regress::summary::Summary;

use super::{RUNS, compared, merged, shard, shards, summary, text};

fn day(text: &str) -> Day {
    text.parse().expect("a day")
}

/// The summary of a night, with its runs changed by `change`.
fn night(text: &str, change: impl Fn(&mut Record)) -> Summary {
    let folder = tempfile::tempdir().expect("a folder");
    let path = shard(folder.path(), Shard::WHOLE, |record| {
        record.time.day = Some(day(text));
        change(record);
    });
    summary(&[path])
}

fn after(mut summary: Summary, last: &Summary) -> Summary {
    summary.follow(last);
    summary
}

/// Failures of one kind are mended.
fn mended(record: &mut Record) {
    let what = record.failure.as_ref().map(|one| &*one.signature.what);
    if what == Some("V[n]") {
        record.failure = None;
        record.verdict = Verdict::Agree;
    }
}

#[test]
fn a_summary_has_those_before_it() {
    let first = night("2026-11-20", |record| {
        compared(record).rules = Some(Rules {
            possible: 10,
            never_taken: vec!["one of them".into()],
        });
    });
    let second = after(night("2026-11-21", mended), &first);
    let third = after(night("2026-11-23", |_| ()), &second);
    let numbers = |summary: &Summary| {
        let history = summary.history.iter();
        history
            .map(|entry| (entry.day, entry.failed, entry.kinds))
            .collect::<Vec<_>>()
    };
    let expected = [
        (Some(day("2026-11-20")), 6, 2),
        (Some(day("2026-11-21")), 3, 1),
        (Some(day("2026-11-23")), 6, 2),
    ];
    assert_eq!(numbers(&third), expected);
    assert_eq!(third.history[0].runs, RUNS);
    assert_eq!(third.history[0].cycles, first.runs.cycles);
    let rules: Vec<_> = third.history.iter().map(|entry| entry.rules).collect();
    assert_eq!(rules, [Some(Share { hit: 9, of: 10 }), None, None]);
    // Since when a kind is there: one of them was mended for a night.
    let since = |summary: &Summary, what: &str| {
        let mut groups = summary.groups.iter();
        let group = groups.find(|group| group.signature.what == what);
        group.and_then(|group| group.since).expect(what)
    };
    let (mended, other) = (since(&third, "V[n]"), since(&third, "PMOVSSET_EL0 <&>"));
    assert_eq!(
        (mended.day, mended.words()),
        (Some(day("2026-11-23")), None)
    );
    assert_eq!(other.words().expect("words"), "since 2026-11-20, 3 nights");
}

#[test]
fn what_did_not_run_is_not_gone() {
    let first = night("2026-11-20", |_| ());
    // In which the design does not build.
    let second = after(
        night("2026-11-21", |record| {
            record.compared = None;
            record.verdict = Verdict::Usage;
            record.failure = super::made::record(0).failure;
            if let Some(failure) = &mut record.failure {
                failure.signature = Signature::of_end("mine", Verdict::Usage, "it does not build");
            }
        }),
        &first,
    );
    let since = second.since.as_ref().expect("a comparison");
    assert_eq!(
        since.words(),
        "1 new, 0 gone, 0 still failing, 2 in what was not run"
    );
    assert!(
        page(&second, None)
            .expect("a page")
            .contains("not run: mine: V[n] (PMEVTYPERn_EL0)")
    );
    let third = after(night("2026-11-22", mended), &second);
    let since = third.since.as_ref().expect("a comparison");
    assert_eq!(since.words(), "0 new, 2 gone, 1 still failing");
    let words = third.groups[0].since.and_then(|since| since.words());
    assert_eq!(words.as_deref(), Some("since 2026-11-20, 2 nights"));
}

#[test]
fn a_summary_that_is_made_again_takes_its_own_place() {
    let first = night("2026-11-20", |_| ());
    let second = after(night("2026-11-21", |_| ()), &first);
    let again = after(night("2026-11-21", |_| ()), &second);
    assert_eq!(again.history, second.history);
    let since = |summary: &Summary| {
        summary
            .groups
            .iter()
            .map(|group| group.since)
            .collect::<Vec<_>>()
    };
    assert_eq!(since(&again), since(&second));
}

#[test]
fn the_last_entries_are_kept() {
    let mut last = night("2026-01-01", |_| ());
    for number in 2..=MOST + 3 {
        let text = format!("2026-{:02}-{:02}", 1 + number / 28, 1 + number % 28);
        last = after(night(&text, |_| ()), &last);
    }
    assert_eq!(last.history.len(), MOST);
    // How long a kind has been there is no less for that.
    let since = last.groups[0].since.expect("since");
    assert_eq!(
        (since.day, since.summaries),
        (Some(day("2026-01-01")), MOST as u32 + 3)
    );
}

#[test]
fn a_summary_of_an_earlier_version_begins_the_history() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut old = serde_json::to_value(night("2026-11-20", |_| ())).expect("JSON");
    let keys = old.as_object_mut().expect("an object");
    keys.remove("history");
    keys["times"].as_object_mut().expect("times").remove("day");
    for group in keys["groups"].as_array_mut().expect("groups") {
        group.as_object_mut().expect("a group").remove("since");
    }
    let path = folder.path().join("summary.json");
    fs::write(&path, old.to_string()).expect("written");
    let old = earlier::read(folder.path()).expect("a summary");
    let next = after(night("2026-11-21", |_| ()), &old);
    let days: Vec<_> = next.history.iter().map(|entry| entry.day).collect();
    assert_eq!(days, [None, Some(day("2026-11-21"))]);
    let words = next.groups[0].since.and_then(|since| since.words());
    assert_eq!(words.expect("words"), "for 2 nights");
}

#[test]
fn the_day_is_a_time_and_makes_no_end_another_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("other");
    fs::create_dir(&other).expect("made");
    let on = |place, text: &str| {
        shard(place, Shard::WHOLE, |record| {
            record.time = Time {
                day: Some(day(text)),
                ..record.time
            }
        })
    };
    let files = [on(folder.path(), "2026-11-21"), on(&other, "2026-11-20")];
    let back = [files[1].clone(), files[0].clone()];
    let both = merged(&files);
    assert_eq!(text(&both), text(&merged(&back)));
    let unsettled: Vec<_> = both.unsettled().collect();
    assert!(unsettled.is_empty(), "{unsettled:?}");
    // A night that goes on after midnight is that of its first run.
    let long = night("2026-11-20", |record| {
        if record.seed == Some(3) {
            record.time.day = Some(day("2026-11-21"));
        }
    });
    assert_eq!(long.times.day, Some(day("2026-11-20")));
}

#[test]
fn the_page_draws_a_history_and_says_since_when() {
    let first = night("2026-11-20", |_| ());
    let none = page(&first, None).expect("a page");
    assert!(!none.contains("<svg") && !none.contains("class=\"since\""));
    let second = after(night("2026-11-21", |_| ()), &first);
    let drawn = page(&second, None).expect("a page");
    for expected in [
        "<span class=\"since\">since 2026-11-20, 2 nights</span>",
        "<title>2026-11-20: 6 of 30 runs, in 2 ways</title>",
        "2026-11-20 to 2026-11-21, 0 to 6",
    ] {
        assert!(drawn.contains(expected), "{expected}");
    }
    assert_eq!(drawn.matches("<svg").count(), 2);
    assert!(!drawn.contains("<script"));
}

#[test]
fn shards_and_one_process_have_one_history() {
    let last = night("2026-11-20", |_| ());
    let of = |of: u32| {
        let folder = tempfile::tempdir().expect("a folder");
        let summary = after(summary(&shards(folder.path(), of)), &last);
        (summary.history, summary.groups)
    };
    assert_eq!(of(1), of(5));
}

/// Runs of another profile say nothing of what those of the first showed.
#[test]
fn a_part_that_was_left_out_is_not_gone() {
    let first = night("2026-11-20", |_| ());
    let left_out = |record: &mut Record| {
        record.failure = None;
        record.verdict = Verdict::Agree;
        record.exit_code = 0;
        record.id = record.id.replace("mixed", "access");
    };
    let second = after(night("2026-11-21", left_out), &first);
    let third = after(night("2026-11-22", left_out), &second);
    for summary in [&second, &third] {
        let since = summary.since.as_ref().expect("a comparison");
        assert_eq!(
            since.words(),
            "0 new, 0 gone, 0 still failing, 2 in what was not run"
        );
    }
    let fourth = after(night("2026-11-23", mended), &third);
    let since = fourth.since.as_ref().expect("a comparison");
    assert_eq!(since.words(), "0 new, 1 gone, 1 still failing");
}

/// What a run shows from another initial state is not hidden by what it shows from zeros.
#[test]
fn what_another_initial_state_shows_is_a_kind_of_its_own() {
    let depends = "V[n] depends on the initial state";
    let failing = |record: &mut Record| {
        if let Some(failure) = &mut record.failure {
            failure.initial = Some(FromInitialState {
                signature: Signature::of_end("mine", Verdict::Divergence, depends),
                cycle: Some(1),
            });
        }
    };
    let first = night("2026-11-20", failing);
    let of_kind = |summary: &Summary| {
        let mut groups = summary.groups.iter();
        let found = groups.find(|group| group.signature.what == depends);
        found.expect("a kind").clone()
    };
    let kind = of_kind(&first);
    assert_eq!(first.groups.len(), 3);
    assert_eq!((kind.count, kind.first.cycle), (6, Some(1)));
    assert!(kind.first.is_second && kind.first.field.is_none());
    assert_eq!(first.runs.failed, 6);
    // The next night it is all that is wrong: since the first.
    let alone = |record: &mut Record| {
        if let Some(failure) = &mut record.failure {
            failure.signature = Signature::of_end("mine", Verdict::Divergence, depends);
        }
    };
    let second = after(night("2026-11-21", alone), &first);
    let kind = of_kind(&second);
    assert!(!kind.first.is_second);
    let words = kind.since.and_then(|since| since.words());
    assert_eq!(words.as_deref(), Some("since 2026-11-20, 2 nights"));
}
