//! Results of many runs: what is told of them stays short.

use std::fs;

use lockstep_regress::junit::junit;
use lockstep_regress::page::page;
use lockstep_regress::results::{Writer, name};
use lockstep_regress::shard::Shard;
use lockstep_regress::summary::Summary;

use super::made::{header, record};
use super::{merged, text};

const RUNS: usize = 24_000;
const SHARDS: u32 = 240;

#[test]
fn pages_are_short_and_numbers_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = (1..=SHARDS).map(|index| {
        let shard = Shard { index, of: SHARDS };
        let path = folder.path().join(name(shard));
        let mut writer = Writer::create(&path, &header(shard, RUNS), &[]).expect("written");
        for number in (0..RUNS).filter(|&number| shard.has(number)) {
            let mut record = record(number);
            if let Some(compared) = &mut record.compared {
                compared.taken = None;
            }
            // Kinds of failures are many, too.
            if let Some(failure) = &mut record.failure {
                failure.signature.what += &format!(" {}", number % 500);
            }
            record.attempts = 2;
            writer.add(&record).expect("written");
        }
        writer.finish(vec![index], Vec::new()).expect("written")
    });
    let files: Vec<_> = files.collect();
    let merged = merged(&files);
    let summary = Summary::of(&merged).expect("read");
    let (runs, failed) = (&summary.runs, RUNS / 5);
    assert_eq!((runs.ended, runs.failed), (RUNS, failed));
    assert_eq!((summary.groups.len(), summary.retried.len()), (100, RUNS));
    let page = page(&summary, None).expect("a page");
    assert!(page.len() < 500_000, "{}", page.len());
    assert!(page.contains(" and 23,900 more.</p>"));
    // Of passing runs there is one case in each suite.
    let xml = junit(&merged, &summary).expect("XML");
    assert_eq!(xml.matches("<testcase").count(), failed + 2);
    assert!(xml.contains("19,200 runs that agree"));
    // What is merged is there in one file, and comes to the same.
    let place = folder.path().join("all.jsonl");
    fs::write(&place, text(&merged)).expect("written");
    let again = super::merged(&[place]);
    assert!(Summary::of(&again).expect("read") == summary);
}
