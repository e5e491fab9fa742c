//! The command `lockstep`.

use std::process::ExitCode;

use pmu_lockstep::limits::Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

fn main() -> ExitCode {
    pmu_lockstep::cli::main()
}
