//! What runs of a suite take, over shards.

use std::fs;

use super::{json, records, regress, suite};
use crate::scratch::scratch;

#[test]
fn what_runs_took_is_one_file_over_shards() {
    let folder = scratch("regress/coverage");
    suite(
        &folder,
        "name = 'n'\n[[group]]\nprofiles = ['mixed', 'spe']\nseeds = '1-2'\ncycles = 3000\ncoverage = true\n",
    );
    let words = ["regress", "suite.toml"];
    let ran = regress(&folder, &[&words[..], &["--out", "one"]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    for shard in ["1/2", "2/2"] {
        let ran = regress(
            &folder,
            &[&words[..], &["--out", "two", "--shard", shard]].concat(),
        );
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    }
    let ran = regress(&folder, &["merge", "two", "-o", "two/report"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    // A report is merged again into its own folder.
    let ran = regress(&folder, &["merge", "two", "-o", "two/report"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
    for name in ["coverage.json", "coverage.html"] {
        assert_eq!(
            read(&format!("one/report/{name}")),
            read(&format!("two/report/{name}"))
        );
    }
    assert!(read("one/report/index.html").contains("href=\"coverage.html\""));
    // The sum of what each run wrote for itself.
    let of_runs = records(&folder.join("one/shard-1-of-1.jsonl"));
    let all = json(&folder.join("one/report/coverage.json"));
    let merged = all["merged"].as_array().expect("a list");
    assert_eq!((of_runs.len(), merged.len()), (4, 1));
    let runs = of_runs.iter().map(|run| {
        let name = run["id"].as_str().unwrap_or_default().replace('/', "+");
        json(&folder.join(format!("one/runs/{name}/coverage.json")))
    });
    let runs: Vec<_> = runs.collect();
    let (mut rules, mut points) = (0, 0);
    let coverage = &merged[0]["coverage"];
    for (rule, count) in coverage["rules"].as_object().expect("rules") {
        let sum: u64 = runs
            .iter()
            .filter_map(|run| run["rules"][rule].as_u64())
            .sum();
        assert_eq!(count.as_u64(), Some(sum), "{rule}");
        rules += sum;
    }
    for (cross, counts) in coverage["crosses"].as_object().expect("crosses") {
        for (point, count) in counts.as_object().expect("points") {
            let hit = |run: &&serde_json::Value| run["crosses"][cross][point] != 0;
            let sum = runs.iter().filter(hit).count();
            assert_eq!(count.as_u64(), Some(sum as u64), "{cross} {point}");
            points += sum;
        }
    }
    assert!(rules > 1000 && points > 1000, "{rules} {points}");
    // The verification plan reads it as it reads that of a run.
    let ran = regress(&folder, &["plan", "one/report/coverage.json", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let plan: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let rows = plan["rows"].as_array().expect("rows");
    let row = rows
        .iter()
        .find(|row| row["id"] == "TH-20")
        .expect("a rule");
    assert_eq!(row["covered"], coverage["rules"]["TH-20"]);
}
