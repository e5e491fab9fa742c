//! `lockstep explain`.

use std::path::PathBuf;

use clap::Args;

use super::{Failure, output, width};
use crate::implementation_file;
use crate::lockstep::Verdict;
use crate::registers;

/// Arguments of `explain`.
#[derive(Args)]
pub struct ExplainArgs {
    /// Name, with or without _ELx (PMEVTYPER3, pmmir_el1), or encoding (S3_3_C14_C12_3)
    register: String,
    /// Its value: 0x hexadecimal, 0b binary or decimal; underscores between digits
    value: String,
    /// Features, sizes and knobs (TOML)
    #[arg(long, value_name = "FILE.toml")]
    implementation: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Explains a value of a register.
pub(super) fn explain(args: &ExplainArgs) -> Result<Verdict, Failure> {
    let register = registers::named(&args.register).map_err(Failure::input)?;
    let value = number("VALUE", &args.value)?;
    let implementation =
        implementation_file::load(args.implementation.as_deref()).map_err(Failure::input)?;
    let explanation =
        registers::explain(register, value, &implementation).map_err(Failure::input)?;
    if args.json {
        output::print_json(&explanation)?;
    } else {
        output::print(&registers::text(&explanation, width::width()))?;
    }
    Ok(Verdict::Agree)
}

/// A number of the command line.
pub(super) fn number(name: &str, text: &str) -> Result<u64, Failure> {
    registers::parse(text).map_err(|expected| Failure::usage(format!("{name} {text}: {expected}")))
}
