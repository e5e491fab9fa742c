//! Runs of design and model side by side, and every way in which they end.

mod agreement;
mod driven;
mod endings;
mod explained;
mod initial_states;
mod keep_going;
mod latency;
mod location;
mod reproduction;
mod sampling;

#[path = "../support/command.rs"]
mod command;
#[path = "../support/implementations.rs"]
mod implementations;
#[path = "../support/listening.rs"]
mod listening;
#[path = "../support/scratch.rs"]
mod scratch;

use pmu_lockstep::dut::Dut;
use pmu_lockstep::lockstep::engine::Control;
use pmu_lockstep::lockstep::{Lockstep, Outcome};
use pmu_lockstep::stimulus::{Generator, Profile, StimulusError};
use pmu_model::Implementation;

/// A run of `cycles` of the default stimulus.
fn run(
    dut: Box<dyn Dut>,
    implementation: &Implementation,
    threads: usize,
    cycles: u64,
) -> (Lockstep, Outcome) {
    let generator = Generator::new(1, implementation, &Profile::default()).expect("stimulus");
    let mut run = Lockstep::new(implementation, dut, generator.into(), threads).expect("a run");
    let outcome = run.run(cycles, &Control::default(), |_| Ok::<_, StimulusError>(()));
    (run, outcome.expect("stimulus"))
}
