//! What a run that failed leaves for its capsule, in its folder: the manifest, and what the suite gave it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::designs::Designs;
use super::order::Order;
use crate::cli::report_files;
use crate::dut::{DutFolder, Manifest, RtlFiles};
use crate::lockstep::waivers::Day;
use crate::regress::capsule::{
    Capsule, Design, End, FORMAT, IMPLEMENTATION, MANIFEST, Origin, PROFILE, RECORDED, Source,
    WAIVERS,
};
use crate::regress::plan::Stimulus;
use crate::regress::record::{Header, Record};
use crate::regress::suite::BUNDLED;
use crate::stimulus::{GENERATOR_VERSION, Profile};

/// Leaves it in `out`. `day` is that of the run.
///
/// # Errors
/// A file cannot be copied or written.
pub(super) fn leave(
    order: &Order<'_>,
    header: &Header,
    designs: &Designs,
    number: usize,
    record: &Record,
    out: &Path,
    day: Day,
) -> io::Result<()> {
    let Some(failure) = &record.failure else {
        return Ok(());
    };
    let run = &order.plan.runs[number];
    fs::create_dir_all(out)?;
    let given = |path: Option<&Path>, name: &str| -> io::Result<()> {
        let place = out.join(name);
        // An earlier run of this name may have left another one.
        match fs::remove_file(&place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        match path {
            Some(path) => fs::copy(order.folder.join(path), &place).map(|_| ()),
            None => Ok(()),
        }
    };
    let (profile, recorded) = match &run.stimulus {
        Stimulus::Generated { profile, .. } => (Some(profile), None),
        Stimulus::Recorded(path) => (None, Some(path.as_path())),
    };
    let own = profile.filter(|word| Profile::named(word).is_none());
    given(own.map(Path::new), PROFILE)?;
    given(recorded, RECORDED)?;
    given(run.file.as_deref(), IMPLEMENTATION)?;
    given(run.waivers.as_deref(), WAIVERS)?;
    let report: Value = fs::read(out.join(report_files::REPORT.1))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let first = match out.join(report_files::STIMULUS.1).exists() {
        true => report["shrink"]["first"].as_u64().unwrap_or_default(),
        false => 0,
    };
    let capsule = Capsule {
        format: FORMAT,
        program: header.program.clone(),
        suite: header.suite.clone(),
        suite_hash: header.suite_hash.clone(),
        run: run.id.clone(),
        command: record.command.clone(),
        day: day.to_string(),
        signature: failure.signature.clone(),
        end: End {
            verdict: record.verdict,
            cycle: failure.cycle,
            field: report["headline"]["field"].as_str().map(str::to_owned),
            expected: failure.expected.clone(),
            rtl: failure.rtl.clone(),
        },
        stimulus: Origin {
            first,
            seed: run.stimulus.seed(),
            cycles: run.stimulus.cycles(),
            profile: profile.cloned(),
            generator: GENERATOR_VERSION,
        },
        hang_after: order.suite.limits.hang_after,
        init: run.init,
        design: design(order, designs, header, &run.design),
        lacks: Vec::new(),
        files: Vec::new(),
    };
    let json = serde_json::to_string_pretty(&capsule)?;
    fs::write(out.join(MANIFEST), json + "\n")
}

/// What is known of a design.
fn design(order: &Order<'_>, designs: &Designs, header: &Header, name: &str) -> Design {
    let suite = order.suite.design(name);
    let folder = designs.get(name).ok().flatten();
    let folder = folder.and_then(|path| DutFolder::open(&path).ok());
    let manifest = folder.as_ref().map(DutFolder::manifest);
    let list = |of: fn(&Manifest) -> &Vec<String>| manifest.map(of).cloned().unwrap_or_default();
    let sources = manifest.iter().flat_map(|manifest| &manifest.source);
    let mut sources: Vec<_> = sources
        .map(|source| Source {
            path: source.path.display().to_string(),
            sha256: source.sha256.clone(),
        })
        .collect();
    sources.sort();
    Design {
        name: name.into(),
        bundled: suite.is_none() && name == BUNDLED,
        options: suite.map_or_else(Vec::new, |design| design.options(PathBuf::clone)),
        folder: suite.map(|_| order.folder.display().to_string()),
        hash: header.designs.get(name).cloned(),
        verilator: manifest.map(|manifest| manifest.verilator.clone()),
        top: manifest.map(|manifest| manifest.top.clone()),
        parameters: list(|manifest| &manifest.parameters),
        defines: list(|manifest| &manifest.defines),
        verilator_args: list(|manifest| &manifest.verilator_args),
        sources,
        copy: suite.map_or_else(Vec::new, |design| in_order(order, design)),
    }
}

/// The files of a design that is built from RTL, packages first.
fn in_order(order: &Order<'_>, design: &crate::regress::suite::Design) -> Vec<String> {
    let places = |paths: &[PathBuf]| paths.iter().map(|path| order.folder.join(path)).collect();
    let files = RtlFiles {
        paths: places(&design.rtl),
        file_lists: places(&design.filelist),
        ..RtlFiles::default()
    };
    // It was built, so that they can be read.
    let found = files.design().map(|design| design.sources);
    let found = found.unwrap_or_default();
    found
        .iter()
        .map(|path| path.display().to_string())
        .collect()
}
