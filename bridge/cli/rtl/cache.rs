//! `lockstep cache`: what is kept of designs that were built, and how much of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::{ArgGroup, Args, Subcommand};
use serde::Serialize;
use verilator_sys::cache::{Cache, Item, Kind, Limits};

use crate::cli::{Failure, output};
use crate::counted::plural;
use crate::dut::{BuildOptions, CACHE_LIMIT};
use crate::lockstep::Verdict;

/// Arguments of `cache`.
#[derive(Args)]
pub struct CacheArgs {
    #[command(subcommand)]
    command: Option<CacheCommand>,
    /// Print the result as JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Subcommand)]
enum CacheCommand {
    /// Remove what is not wanted any more; never what a command is using, nor Verilator
    Prune(PruneArgs),
}

#[derive(Args)]
#[command(group = ArgGroup::new("what").args(["older_than", "max_size", "all"]).multiple(true).required(true))]
struct PruneArgs {
    /// What was not used for so long: 90s, 45m, 12h, 30d
    #[arg(long, value_name = "TIME", value_parser = time)]
    older_than: Option<Duration>,
    /// What was not used for the longest time, until all is at most so large: 500M, 2G
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_size: Option<u64>,
    /// Everything
    #[arg(long, conflicts_with_all = ["older_than", "max_size"])]
    all: bool,
}

/// A number and one of `units`, each with what it stands for.
fn quantity(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    units.iter().find_map(|(unit, of)| {
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(*of)
    })
}

fn time(text: &str) -> Result<Duration, String> {
    let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 24 * 3600)];
    let seconds = quantity(text, &units).ok_or("expected a number and its unit: s, m, h or d")?;
    Ok(Duration::from_secs(seconds))
}

fn size(text: &str) -> Result<u64, String> {
    let units = [
        ("K", 1 << 10),
        ("M", 1 << 20),
        ("G", 1 << 30),
        ("T", 1 << 40),
    ];
    quantity(text, &units).ok_or("expected a number and its unit: K, M, G or T".into())
}

/// What is kept, for programs.
#[derive(Serialize)]
struct Listing<'a> {
    verdict: Verdict,
    exit_code: u8,
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    folder: &'a Path,
    /// Bytes of all but Verilator, to which the limit applies.
    bytes: u64,
    limit: u64,
    entries: Vec<Entry>,
}

/// What was pruned, for programs.
#[derive(Serialize)]
struct Removal<'a> {
    verdict: Verdict,
    exit_code: u8,
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    folder: &'a Path,
    /// Bytes that are free now.
    freed: u64,
    removed: Vec<Entry>,
    /// What should be gone, but is in use, or cannot be removed.
    kept: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    kind: &'static str,
    what: String,
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    path: PathBuf,
    bytes: u64,
    /// Seconds since 1970.
    last_used: u64,
}

impl From<&Item> for Entry {
    fn from(item: &Item) -> Self {
        let since = item.used.duration_since(SystemTime::UNIX_EPOCH);
        Self {
            kind: kind(item.kind),
            what: item.what.clone(),
            path: item.path.clone(),
            bytes: item.bytes,
            last_used: since.unwrap_or_default().as_secs(),
        }
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Design => "design",
        Kind::Object => "object",
        Kind::Rtl => "rtl",
        Kind::Old => "old",
        Kind::Verilator => "verilator",
    }
}

/// Lists the cache, or prunes it.
pub(super) fn cache(args: &CacheArgs) -> Result<Verdict, Failure> {
    let folder = BuildOptions::from_env().cache;
    if folder.exists() && !folder.is_dir() {
        return Err(Failure::usage(format!(
            "{}: expected the folder of the cache, found a file; set LOCKSTEP_CACHE to another path",
            folder.display()
        )));
    }
    let cache = Cache::new(&folder);
    match &args.command {
        None => list(&cache, args.json),
        Some(CacheCommand::Prune(prune)) => remove(&cache, prune, args.json),
    }
}

fn total<'a>(items: impl IntoIterator<Item = &'a Item>) -> u64 {
    items.into_iter().map(|item| item.bytes).sum()
}

fn list(cache: &Cache, json: bool) -> Result<Verdict, Failure> {
    let items = cache.items();
    let bytes = total(items.iter().filter(|item| item.kind != Kind::Verilator));
    if json {
        output::print_json(&Listing {
            verdict: Verdict::Agree,
            exit_code: Verdict::Agree.exit_code(),
            folder: cache.folder(),
            bytes,
            limit: CACHE_LIMIT,
            entries: items.iter().map(Entry::from).collect(),
        })?;
    } else {
        let limit = human(CACHE_LIMIT);
        let folder = cache.folder().display();
        let text = format!("{folder}: {} of at most {limit}\n", human(bytes));
        output::print(&(text + &lines(&items, SystemTime::now())))?;
    }
    Ok(Verdict::Agree)
}

fn remove(cache: &Cache, args: &PruneArgs, json: bool) -> Result<Verdict, Failure> {
    let pruned = cache.prune(&Limits {
        older_than: args.all.then_some(Duration::ZERO).or(args.older_than),
        bytes: args.max_size,
    });
    let freed = total(&pruned.removed);
    if json {
        output::print_json(&Removal {
            verdict: Verdict::Agree,
            exit_code: Verdict::Agree.exit_code(),
            folder: cache.folder(),
            freed,
            removed: pruned.removed.iter().map(Entry::from).collect(),
            kept: pruned.kept.iter().map(Entry::from).collect(),
        })?;
    } else {
        let folder = cache.folder().display();
        let mut text = format!("{folder}: {} removed\n", human(freed));
        text += &lines(&pruned.removed, SystemTime::now());
        if !pruned.kept.is_empty() {
            text += &format!(
                "{} in use, or not to be removed by this user:\n",
                human(total(&pruned.kept))
            );
            text += &lines(&pruned.kept, SystemTime::now());
        }
        output::print(&text)?;
    }
    Ok(Verdict::Agree)
}

/// A line for each design, and one for all of each other kind.
fn lines(items: &[Item], now: SystemTime) -> String {
    let line = |bytes: u64, used: SystemTime, what: &str| {
        let age = now.duration_since(used).unwrap_or_default();
        format!("  {:>9}  {:>14}  {what}\n", human(bytes), ago(age))
    };
    let designs = items.iter().filter(|item| item.kind == Kind::Design);
    let mut text: String = designs
        .map(|item| line(item.bytes, item.used, &item.what))
        .collect();
    let mut others: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for item in items.iter().filter(|item| item.kind != Kind::Design) {
        others.entry(&item.what).or_default().push(item);
    }
    for (what, items) in others {
        let used = items.iter().map(|item| item.used).max().unwrap_or(now);
        let bytes = total(items.iter().copied());
        text += &match items.len() {
            1 => line(bytes, used, what),
            count => line(bytes, used, &format!("{count} times {what}")),
        };
    }
    text
}

/// So many bytes.
fn human(bytes: u64) -> String {
    let units = [("GB", 30), ("MB", 20), ("KB", 10)];
    let unit = units.iter().find(|(_, bits)| bytes >> bits > 0);
    unit.map_or(format!("{bytes} B"), |(unit, bits)| {
        format!("{:.1} {unit}", bytes as f64 / (1_u64 << bits) as f64)
    })
}

/// So long ago.
fn ago(age: Duration) -> String {
    let seconds = age.as_secs();
    let units = [("day", 24 * 3600), ("hour", 3600), ("minute", 60)];
    let unit = units.iter().find(|(_, of)| seconds >= *of);
    unit.map_or("just now".into(), |(unit, of)| {
        format!("{} ago", plural(seconds / of, unit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_need_a_unit() {
        assert_eq!(size("2G"), Ok(2 << 30));
        assert_eq!(size("0K"), Ok(0));
        assert_eq!(time("30d"), Ok(Duration::from_secs(30 * 86400)));
        for text in ["", "5", "G", "-1G", "1.5G", "99999999999999T", "2g"] {
            size(text).expect_err(text);
        }
        for text in ["30", "d", "1w", "18446744073709551615d"] {
            time(text).expect_err(text);
        }
    }

    #[test]
    fn a_line_for_each_design_and_one_for_each_other_kind() {
        let now = SystemTime::now();
        let item = |kind, what: &str, bytes, age| Item {
            kind,
            what: what.into(),
            path: PathBuf::new(),
            bytes,
            used: now - Duration::from_secs(age),
        };
        let items = [
            item(Kind::Design, "module a", 3 << 19, 59),
            item(Kind::Object, "object of the run time", 600, 7300),
            item(Kind::Object, "object of the run time", 600, 90000),
            item(Kind::Design, "module b", 10, 172800),
        ];
        let expected =
            "     1.5 MB        just now  module a\n       10 B      2 days ago  module b\n"
                .to_owned()
                + "     1.2 KB     2 hours ago  2 times object of the run time\n";
        assert_eq!(lines(&items, now), expected);
    }
}
