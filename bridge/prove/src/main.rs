//! The commands `lockstep prove`, `lockstep score` and `lockstep reach`.

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::main()
}
