//! `lockstep exhaust`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::Args;
use pmu_model::Implementation;

use super::args::{RtlArgs, with_parameters};
use super::end::End;
use super::kept::keep_printed;
use super::progress::{Building, Progress};
use super::running::{DesignArgs, note_refused, open_failure};
use crate::cli::{Failure, output};
use crate::dut::{BuildEvent, Dut, OpenError, Rtl, RtlSource};
use crate::exhaust::{self, ExhaustError, Need, Tally};
use crate::kit::stated;
use crate::lockstep::Verdict;
use crate::lockstep::delay::Latency;
use crate::lockstep::supervise::{Supervised, supervise};
use crate::report::grouped;

/// Arguments of `exhaust`.
#[derive(Args)]
pub struct ExhaustArgs {
    #[command(flatten)]
    rtl: RtlArgs,
    #[command(flatten)]
    hang: DesignArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs the whole space of the datapath at 4-bit widths.
pub(super) fn exhaust(args: &ExhaustArgs) -> Result<Verdict, Failure> {
    keep_printed(None);
    let Opened {
        mut dut,
        implementation,
        ..
    } = open_for_exhaust(args)?;
    let done = Arc::new(AtomicU64::new(0));
    let progress = Progress::new(exhaust::points(), "points", Arc::clone(&done));
    let (pulse, limit) = (dut.pulse(), args.hang.limit());
    let ended = supervise(&pulse, limit, &AtomicBool::new(false), move || {
        exhaust::exhaust(dut.as_mut(), &implementation, &mut |points| {
            done.store(points, Ordering::Relaxed)
        })
    });
    drop(progress);
    note_refused();
    let tallies = match ended {
        Supervised::Done(Ok(tallies)) => tallies,
        Supervised::Done(Err(ExhaustError::Stop(stop))) => {
            return Err(End::stop(&stop, pulse.cycles.load()).into());
        }
        Supervised::Done(Err(error)) => return Err(Failure::new(Verdict::Divergence, error)),
        Supervised::Hang { cycles, .. } | Supervised::Interrupted { cycles } => {
            return Err(End::hang(cycles, limit).into());
        }
        Supervised::Panicked(message) => return Err(Failure::defect(&message)),
    };
    // A design that ends badly has no result.
    super::end(Verdict::Agree)?;
    let verdict = match tallies.iter().all(|tally| tally.differ == 0) {
        true => Verdict::Agree,
        false => Verdict::Divergence,
    };
    let printed = match args.json {
        true => output::print_json(&tallies),
        false => output::print(&tallies.iter().map(text).collect::<String>()),
    };
    output::beside(verdict, printed)?;
    Ok(verdict)
}

/// A design, and what it states to be.
struct Opened {
    dut: Box<dyn Dut>,
    implementation: Implementation,
    /// What it lacks for the space.
    needs: Vec<Need>,
}

/// Opens the design: as it is if it has what the space needs, else with the parameters of the bundled wrapper.
fn open_for_exhaust(args: &ExhaustArgs) -> Result<Opened, Failure> {
    let implementation = exhaust::implementation();
    let mut building = Building::default();
    let options = args.hang.options(None)?;
    let mut load = |source: &RtlSource| {
        let mut tell = |event: BuildEvent<'_>| building.tell(event);
        Rtl::load(source, &implementation, false, &options, &mut tell)
    };
    let source = args.rtl.source()?;
    let first = stating(&load(&source).map_err(open_failure)?)?;
    if first.needs.is_empty() {
        return Ok(first);
    }
    let small = with_parameters(source.clone(), &implementation);
    let foreign = match (&source, &small) {
        // A folder is as it was built, and parameters that are given are kept.
        _ if small == source => None,
        (RtlSource::Files(files), RtlSource::Files(_)) => Some(&files.top),
        _ => None,
    };
    let Some(top) = foreign else {
        return Err(not_small(&first.needs, ""));
    };
    match load(&small) {
        Err(OpenError::Build(error)) if error.is_about_parameters() => {
            let hint =
                format!("module `{top}` does not have the parameters of the bundled wrapper; ");
            Err(not_small(&first.needs, &hint))
        }
        Err(error) => Err(open_failure(error)),
        Ok(rtl) => {
            let second = stating(&rtl)?;
            match second.needs.is_empty() {
                true => Ok(second),
                false => Err(not_small(&second.needs, "")),
            }
        }
    }
}

/// An instance of a design, with what it states.
fn stating(rtl: &Rtl) -> Result<Opened, Failure> {
    let dut = rtl.unchecked().map_err(open_failure)?;
    let parameters = dut.parameters();
    let implementation = stated("dut", &parameters).map_err(Failure::input)?;
    let needs = exhaust::needs(&implementation, Latency::of(&parameters));
    Ok(Opened {
        dut,
        implementation,
        needs,
    })
}

/// The design is not one for the space that is run; `hint` is why it was not built so.
fn not_small(needs: &[Need], hint: &str) -> Failure {
    let needs: Vec<_> = needs.iter().map(Need::to_string).collect();
    Failure::usage(format!(
        "exhaust runs every threshold, edge and link at 4-bit widths and needs {}; {hint}build the design so, with --param \
         NAME=VALUE for the parameters of its wrapper, or check it as it is with `lockstep run`",
        needs.join(", ")
    ))
}

fn text(tally: &Tally) -> String {
    let parity = if tally.counter % 2 == 1 {
        "odd"
    } else {
        "even"
    };
    let mut text = format!(
        "{parity} counter {}: {} points of {{TC, TE, TLC}} x TH x V_B[n] x V_B[n-1] x C_P in {} cycles\n  \
         {:>9} agree\n  \
         {:>9} differ\n  \
         {:>9} reserved: V is not defined (TH-30..33)\n  \
         {:>9} not reachable: no cycle of the same configuration leaves that C_P; with C_P left by another \
         one, {} of them agree\n",
        tally.counter,
        grouped(tally.points),
        grouped(tally.cycles),
        grouped(tally.agreed),
        grouped(tally.differ),
        grouped(tally.reserved),
        grouped(tally.unreachable),
        grouped(tally.unreachable_agreed)
    );
    if let Some(first) = tally.first {
        text += &format!(
            "  first: V[{}] expected {}, RTL {} at {}\n",
            tally.counter, first.expected, first.rtl, first.point
        );
    }
    text
}
