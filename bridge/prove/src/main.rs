//! The commands `lockstep prove` and `lockstep score`.

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::main()
}
