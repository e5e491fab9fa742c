//! `lockstep implementation`: the implementation file of a design.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use clap::Args;
use pmu_model::Implementation;

use super::args::RtlArgs;
use super::end::End;
use super::kept::keep_printed;
use super::progress::Building;
use super::running::{DesignArgs, note_refused, open_failure};
use crate::cli::Failure;
use crate::cli::output::{self, write_whole};
use crate::cli::places::Places;
use crate::dut::{Rtl, RtlSource};
use crate::implementation_file;
use crate::isolation::tell;
use crate::kit::{StateError, annotated, read_back, stated};
use crate::lockstep::Verdict;
use crate::lockstep::supervise::{Supervised, supervise};

/// Arguments of `implementation`.
#[derive(Args)]
pub struct ImplementationArgs {
    #[command(flatten)]
    rtl: RtlArgs,
    /// Without RTL: print this implementation (TOML), with every key
    #[arg(long, value_name = "FILE.toml")]
    implementation: Option<PathBuf>,
    /// Its name in reports [default: "dut", or that of the file]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Write to this file, instead of printing
    #[arg(short, long, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    #[command(flatten)]
    hang: DesignArgs,
}

/// Writes an implementation with every key explained: that of a design, or the one given, or the default.
pub(super) fn write(args: &ImplementationArgs) -> Result<Verdict, Failure> {
    let places = Places::default()
        .writes("--out", args.out.as_deref())
        .reads("--implementation", args.implementation.as_deref());
    args.rtl.reads(places).check()?;
    let given =
        implementation_file::load(args.implementation.as_deref()).map_err(Failure::input)?;
    let mut found = match args.rtl.source()? {
        RtlSource::Bundled => given,
        source => of_design(&source, args)?,
    };
    if let Some(name) = &args.name {
        found.name.clone_from(name);
    }
    let text = annotated(&found);
    match &args.out {
        Some(path) => write_whole(path, |out| out.write_all(text.as_bytes()))?,
        None => output::print(&text)?,
    }
    Ok(Verdict::Agree)
}

fn of_design(source: &RtlSource, args: &ImplementationArgs) -> Result<Implementation, Failure> {
    keep_printed(None);
    let mut building = Building::default();
    let rtl = Rtl::load(
        source,
        &Implementation::default(),
        false,
        &args.hang.options(None)?,
        &mut |event| building.tell(event),
    )
    .map_err(open_failure)?;
    drop(building);
    let mut dut = rtl.unchecked().map_err(open_failure)?;
    let mut found = stated("dut", &dut.parameters()).map_err(Failure::input)?;
    tell(|facts| facts.during = Some("the reading of its registers".into()));
    let (pulse, limit) = (dut.pulse(), args.hang.limit());
    let ended = supervise(&pulse, limit, &AtomicBool::new(false), move || {
        read_back(dut.as_mut(), &mut found).map(|()| found)
    });
    match ended {
        Supervised::Done(Ok(found)) => {
            note_refused();
            Ok(found)
        }
        Supervised::Done(Err(StateError::Stopped(stop))) => {
            Err(End::stop(&stop, pulse.cycles.load()).into())
        }
        Supervised::Done(Err(error)) => Err(Failure::usage(error)),
        Supervised::Panicked(message) => Err(Failure::defect(&message)),
        Supervised::Hang { cycles, .. } | Supervised::Interrupted { cycles } => {
            Err(End::hang(cycles, limit).into())
        }
    }
}
