//! `lockstep exhaust`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;

use super::progress::{Busy, Progress};
use super::run::RtlArgs;
use super::summary::grouped;
use super::{Failure, output, run};
use crate::dut::{BuildOptions, open};
use crate::exhaust::{self, ExhaustError, Tally};
use crate::lockstep::Verdict;

/// Arguments of `exhaust`.
#[derive(Args)]
pub struct ExhaustArgs {
    #[command(flatten)]
    rtl: RtlArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs the whole space of the datapath at 4-bit widths.
pub(super) fn exhaust(args: &ExhaustArgs) -> Result<Verdict, Failure> {
    let mut busy = None;
    let mut dut = open(
        &args.rtl.source_for(&exhaust::implementation()),
        &exhaust::implementation(),
        false,
        &BuildOptions::from_env(),
        &mut |what| busy = Some(Busy::start(what)),
    )
    .map_err(run::open_failure)?;
    drop(busy);
    let done = Arc::new(AtomicU64::new(0));
    let progress = Progress::new(exhaust::points(), "points", Arc::clone(&done));
    let result = exhaust::exhaust(dut.as_mut(), &mut |points| {
        done.store(points, Ordering::Relaxed)
    });
    drop(progress);
    let tallies = match result {
        Ok(tallies) => tallies,
        Err(ExhaustError::Stop(stop)) => {
            anstream::eprintln!("lockstep: {stop}");
            return Ok(Verdict::Stopped);
        }
        Err(error) => {
            anstream::eprintln!("lockstep: {error}");
            return Ok(Verdict::Divergence);
        }
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
