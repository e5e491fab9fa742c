//! `lockstep replay` of a capsule: the run as it was, and whether it ends as it did.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use super::run::{Again, CommonArgs, Found, again};
use super::running::open_failure;
use crate::cli::{Failure, output};
use crate::dut::{BuildOptions, RtlFiles, RtlSource, verilator_version};
use crate::lockstep::Verdict;
use crate::regress::capsule::{self, Capsule, IMPLEMENTATION, STIMULUS, WAIVERS};
use crate::regress::plan::hash;
use crate::scratch::ScratchFolder;

/// Runs the capsule at `path`, and tells whether its failure is seen again.
///
/// # Returns
/// The verdict of the run.
///
/// # Errors
/// It is no capsule, its design is not there, or the run ended before its result.
pub(super) fn shown_again(path: &Path, common: &CommonArgs) -> Result<Verdict, Failure> {
    for (option, given) in [
        ("--implementation", common.implementation.is_some()),
        ("--waivers", common.waivers.is_some()),
        ("--against", common.against.is_some()),
    ] {
        if given {
            return Err(Failure::usage(format!(
                "{option} and {}: expected one of them; a capsule has its own implementation and waivers, and one design",
                path.display()
            )));
        }
    }
    let scratch = ScratchFolder::new().map_err(Failure::infrastructure)?;
    let folder = scratch.path().join("capsule");
    let capsule = capsule::unpack(path, &folder).map_err(Failure::input)?;
    if !capsule.has(STIMULUS) {
        return Err(Failure::usage(format!(
            "{}: {}; in the folder of the suite: {}",
            path.display(),
            capsule.lacks.join("; "),
            capsule.command
        )));
    }
    let mut common = common.clone();
    let file = |name: &str| capsule.has(name).then(|| folder.join(name));
    common.implementation = file(IMPLEMENTATION);
    common.waivers = file(WAIVERS);
    common.hang.set_limit(capsule.hang_after);
    let copy = capsule.design.copy.iter();
    let copy: Vec<PathBuf> = copy.map(|name| folder.join(name)).collect();
    let copied = common.rtl.is_bundled() && !copy.is_empty();
    if common.rtl.is_bundled() && !capsule.design.bundled && copy.is_empty() {
        let design = &capsule.design;
        common.rtl = common.rtl.where_it_was(design).ok_or_else(|| {
            let folder = design.folder.as_ref();
            Failure::usage(format!(
                "{}: expected the design `{}`, of which the capsule has no copy, and which is not where it was: name it with \
                 --dut, --rtl or --filelist; the suite{} had {}",
                path.display(),
                design.name,
                folder.map_or_else(String::new, |folder| format!(", in {folder},")),
                design.options.join(" ")
            ))
        })?;
        output::note(&format!(
            "design `{}` is that of {}",
            design.name,
            design.folder.as_deref().unwrap_or_default()
        ));
    }
    if !capsule.design.bundled {
        common.rtl = common.rtl.for_design(&capsule.design, &copy);
    }
    if common.init.is_none() {
        common.init = capsule.init.and_then(NonZeroU32::new);
    }
    if common.init.is_some() && common.rtl.is_built() {
        return Err(Failure::usage(format!(
            "{}: expected RTL as files, with --filelist or --rtl, found a design that was built: the run began from other \
             initial states too, and these are another build",
            path.display()
        )));
    }
    let day = capsule.day.parse().map_err(|message| {
        Failure::usage(format!("{}: day of the run: {message}", path.display()))
    })?;
    let told = Again {
        path: path.into(),
        day,
        first: capsule.stimulus.first,
        copied,
        found: RefCell::default(),
    };
    let ended = again(&folder.join(STIMULUS), &common, &told);
    // A design may have the last word.
    let ended = ended.and_then(super::end);
    let mut found = told.found.take();
    let verdict = match &ended {
        Ok(verdict) => *verdict,
        Err(failure) => {
            found.cycle = failure.end.as_ref().and_then(|end| end.cycle());
            failure.verdict
        }
    };
    if verdict == Verdict::Interrupted || verdict == Verdict::Usage {
        return ended;
    }
    output::tell(&format!(
        "lockstep: {}",
        compared(&capsule, verdict, &found)
    ));
    if !is_same(&capsule, verdict, &found) {
        for difference in differences(&capsule, &common) {
            output::tell(&format!("  {difference}\n"));
        }
    }
    ended
}

fn is_same(capsule: &Capsule, verdict: Verdict, found: &Found) -> bool {
    let end = &capsule.end;
    let field = found.field.as_ref().map(|[field, ..]| field);
    (verdict, found.cycle, field) == (end.verdict, expected_cycle(capsule), end.field.as_ref())
}

/// The cycle in which the stimulus shows the failure; that of a run to the end is none.
fn expected_cycle(capsule: &Capsule) -> Option<u64> {
    capsule.cycle()
}

/// Whether the failure was seen again, in a line.
fn compared(capsule: &Capsule, verdict: Verdict, found: &Found) -> String {
    let end = &capsule.end;
    let values = match (&end.field, &end.expected, &end.rtl) {
        (Some(field), Some(expected), Some(rtl)) => Some([field, expected, rtl].map(String::clone)),
        _ => None,
    };
    let expected = words(end.verdict, expected_cycle(capsule), values.as_ref());
    let of_run = match (end.cycle, capsule.stimulus.first) {
        (Some(cycle), 1..) => format!(" (cycle {cycle} of the run)"),
        _ => String::new(),
    };
    if is_same(capsule, verdict, found) {
        return format!("it ends as in {}: {expected}{of_run}\n", capsule.run);
    }
    format!(
        "it does NOT end as in {}: expected {expected}{of_run}, found {}\n",
        capsule.run,
        words(verdict, found.cycle, found.field.as_ref())
    )
}

fn words(verdict: Verdict, cycle: Option<u64>, field: Option<&[String; 3]>) -> String {
    let mut words = verdict.word().to_owned();
    if let Some([field, expected, rtl]) = field {
        words += &format!(" {field}: expected {expected}, RTL {rtl},");
    }
    if let Some(cycle) = cycle {
        words += &format!(" in cycle {cycle}");
    }
    words
}

/// What is not as it was in the run, in words.
fn differences(capsule: &Capsule, common: &CommonArgs) -> Vec<String> {
    let mut all = Vec::new();
    let mut differ = |what: &str, then: &str, now: &str| {
        if then != now {
            all.push(format!("{what}: {then} in the run, {now} here"));
        }
    };
    let program = &capsule.program;
    differ("lockstep", &program.version, env!("CARGO_PKG_VERSION"));
    let build = env::current_exe().and_then(fs::read);
    let build = build.map_or_else(|error| error.to_string(), |bytes| hash(&bytes));
    differ("build of lockstep", &program.build, &build);
    let design = &capsule.design;
    let name = |bundled: bool| match bundled {
        true => "the bundled one",
        false => design.name.as_str(),
    };
    let source = common.rtl.source();
    let is_bundled = matches!(source, Ok(RtlSource::Bundled));
    differ(
        "design",
        name(design.bundled),
        match is_bundled {
            true => name(true),
            false if design.bundled => "another one",
            false => name(false),
        },
    );
    let unknown = || "unknown".to_owned();
    let verilator = |found: Option<String>| found.unwrap_or_else(unknown);
    match source {
        Ok(RtlSource::Built(folder)) => {
            let manifest = folder.manifest();
            let then = verilator(design.verilator.clone());
            differ("Verilator", &then, &manifest.verilator);
            let hashes = manifest.source.iter().map(|source| source.sha256.as_str());
            let then = design.content().unwrap_or_else(unknown);
            differ(
                "hash of the design's sources",
                &then,
                &capsule::content(hashes).unwrap_or_else(unknown),
            );
        }
        Ok(RtlSource::Files(files)) => {
            let now = verilator_version(&BuildOptions::from_env()).map_err(open_failure);
            let then = verilator(design.verilator.clone());
            differ("Verilator", &then, &verilator(now.ok()));
            all.extend(others(capsule, &files));
        }
        _ => {}
    }
    if all.is_empty() {
        all.push(
            "program, design and Verilator are those of the run: the design depends on something else than its inputs"
                .into(),
        );
    }
    all
}

/// Files of a design that the run's was not made of.
fn others(capsule: &Capsule, files: &RtlFiles) -> Option<String> {
    let sources = files.design().ok()?.sources;
    let known: BTreeSet<_> = capsule
        .design
        .sources
        .iter()
        .map(|source| &source.sha256)
        .collect();
    let is_other = |path: &&PathBuf| {
        let hash = verilator_sys::shared::content_hash(path);
        hash.is_ok_and(|hash| !known.contains(&hash))
    };
    let others: Vec<_> = sources.iter().filter(is_other).collect();
    let first = others.first()?;
    let more = match others.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!(
        "files that the run's design was not made of: {}{more}",
        first.display()
    ))
}
