//! The command `lockstep`.

use std::process::ExitCode;

fn main() -> ExitCode {
    pmu_lockstep::cli::main()
}
