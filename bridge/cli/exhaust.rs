//! `lockstep exhaust`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::Args;
use pmu_model::DutParameters;

use super::end::End;
use super::kept::keep_printed;
use super::progress::{Building, Progress};
use super::rtl_args::{RtlArgs, with_parameters};
use super::running::{HangArgs, open_failure};
use super::{Failure, output};
use crate::dut::{BuildEvent, BuildOptions, Dut, OpenError, ParameterMismatch, RtlSource, open};
use crate::exhaust::{self, ExhaustError, Tally};
use crate::lockstep::Verdict;
use crate::lockstep::supervise::{Supervised, supervise};
use crate::report::grouped;

/// Arguments of `exhaust`.
#[derive(Args)]
pub struct ExhaustArgs {
    #[command(flatten)]
    rtl: RtlArgs,
    #[command(flatten)]
    hang: HangArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs the whole space of the datapath at 4-bit widths.
pub(super) fn exhaust(args: &ExhaustArgs) -> Result<Verdict, Failure> {
    keep_printed(None);
    let mut dut = open_for_exhaust(args)?;
    let DutParameters {
        latency_increment,
        latency_access,
        ..
    } = dut.parameters();
    if latency_increment != 0 || latency_access != 0 {
        return Err(Failure::usage(format!(
            "the design states latencies of {latency_increment} and {latency_access} cycles: expected 0, since \
             every point is measured in one cycle; use `lockstep run` for this design"
        )));
    }
    let done = Arc::new(AtomicU64::new(0));
    let progress = Progress::new(exhaust::points(), "points", Arc::clone(&done));
    let (pulse, limit) = (dut.pulse(), args.hang.limit());
    let ended = supervise(&pulse, limit, &AtomicBool::new(false), move || {
        exhaust::exhaust(dut.as_mut(), &mut |points| {
            done.store(points, Ordering::Relaxed)
        })
    });
    drop(progress);
    let tallies = match ended {
        Supervised::Done(Ok(tallies)) => tallies,
        Supervised::Done(Err(ExhaustError::Stop(stop))) => {
            return Err(End::stop(&stop, pulse.cycles.load(Ordering::Relaxed)).into());
        }
        Supervised::Done(Err(error)) => return Err(Failure::new(Verdict::Divergence, error)),
        Supervised::Hang { cycles } | Supervised::Interrupted { cycles } => {
            return Err(End::hang(cycles, limit).into());
        }
        Supervised::Panicked(message) => return Err(Failure::defect(&message)),
    };
    let agree = tallies.iter().all(|tally| tally.differ == 0);
    if args.json {
        output::print_json(&tallies)?;
    } else {
        output::print(&tallies.iter().map(text).collect::<String>())?;
    }
    Ok(if agree {
        Verdict::Agree
    } else {
        Verdict::Divergence
    })
}

/// Opens the design: as it is if it has the parameters that are run, else with those of the bundled wrapper.
fn open_for_exhaust(args: &ExhaustArgs) -> Result<Box<dyn Dut>, Failure> {
    let implementation = exhaust::implementation();
    let mut building = Building::default();
    let mut open = |source: &RtlSource| {
        let options = BuildOptions::from_env().waiting(args.hang.limit());
        let mut tell = |event: BuildEvent<'_>| building.tell(event);
        open(source, &implementation, false, &options, &mut tell)
    };
    let source = args.rtl.source()?;
    let mismatch = match open(&source) {
        Err(OpenError::Parameters(mismatch)) => mismatch,
        opened => return opened.map_err(open_failure),
    };
    let small = with_parameters(source.clone(), &implementation);
    let foreign = match (&source, &small) {
        // A folder is as it was built, and parameters that are given are kept.
        _ if small == source => None,
        (RtlSource::Files(files), RtlSource::Files(_)) => Some(&files.top),
        _ => None,
    };
    let Some(top) = foreign else {
        return Err(not_small(&mismatch, ""));
    };
    match open(&small) {
        Err(OpenError::Parameters(mismatch)) => Err(not_small(&mismatch, "")),
        Err(OpenError::Build(error)) if error.is_about_parameters() => {
            let hint =
                format!("module `{top}` does not have the parameters of the bundled wrapper; ");
            Err(not_small(&mismatch, &hint))
        }
        opened => opened.map_err(open_failure),
    }
}

/// The design is not as small as the space that is run; `hint` is why it was not built so.
fn not_small(mismatch: &ParameterMismatch, hint: &str) -> Failure {
    let pmu = exhaust::implementation().pmu;
    let ParameterMismatch {
        name,
        expected,
        found,
        ..
    } = mismatch;
    Failure::usage(format!(
        "{name}: exhaust expects {expected}, the design states {found}: it runs the whole space of {} event counters, {} \
         events of {} bits and THWIDTH {}, without CHAIN, SPE and System PMUs; {hint}build the design so, with --param \
         NAME=VALUE for the parameters of its wrapper, or check it as it is with `lockstep run`",
        pmu.counters, pmu.event_count, pmu.event_width, pmu.thwidth
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
            "  first: V[{}] expected {}, RTL {} at {:?}\n",
            tally.counter, first.expected, first.rtl, first.point
        );
    }
    text
}
