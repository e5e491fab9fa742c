//! Waivers that expire soon, as the day of the runs has it.

use lockstep_base::verdict::Verdict;
use lockstep_regress::page::page;
use lockstep_regress::shard::Shard;
use lockstep_regress::summary::Summary;

use super::{compared, shard, summary};

/// The summary of runs on `day`, whose waiver is needed and lasts to 2099-01-01.
fn on(day: &str) -> Summary {
    let folder = tempfile::tempdir().expect("a folder");
    let path = shard(folder.path(), Shard::WHOLE, |record| {
        record.time.day = Some(day.parse().expect("a day"));
        compared(record).waivers[0].waived = 1;
    });
    summary(&[path])
}

#[test]
fn a_waiver_of_two_weeks_is_told_and_fails_nothing() {
    for (day, words) in [
        ("2098-12-17", None),
        ("2098-12-18", Some("expires in 14 days, on 2099-01-01")),
        ("2098-12-31", Some("expires in 1 day, on 2099-01-01")),
        ("2099-01-01", Some("expires with this day, on 2099-01-01")),
        // A run on this day would not have begun.
        ("2099-01-02", None),
    ] {
        let summary = on(day);
        let texts: Vec<_> = summary.expiring().map(|one| one.text.as_str()).collect();
        let found = texts.first().map(|text| {
            assert!(
                text.starts_with("the waiver of line 3 ") && text.ends_with("known (the team)")
            );
            *text
        });
        match words {
            Some(words) => assert!(found.is_some_and(|text| text.contains(words)), "{found:?}"),
            None => assert_eq!(found, None, "{day}"),
        }
        assert!(summary.faults().next().is_none());
        assert!(summary.expiring().all(|one| one.verdict == Verdict::Agree));
        let page = page(&summary, None).expect("a page");
        assert_eq!(page.contains("<h2>What expires</h2>"), words.is_some());
        assert_eq!(
            page.contains("2099-01-01 <span class=\"alert\">"),
            words.is_some()
        );
    }
}

#[test]
fn without_a_day_nothing_expires() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = shard(folder.path(), Shard::WHOLE, |_| ());
    assert_eq!(summary(&[path]).expiring().count(), 0);
}
