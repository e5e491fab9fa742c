//! `lockstep new-wrapper`.

use std::path::PathBuf;

use clap::Args;

use super::Failure;
use super::identifiers::module;
use super::new_files;
use super::output;
use super::quoted::quoted;
use crate::implementation_file;
use crate::kit;
use crate::lockstep::Verdict;

/// Arguments of `new-wrapper`.
#[derive(Args)]
pub struct NewWrapperArgs {
    /// Folder for lockstep_pkg.sv, wrapper.sv, dut.f and implementation.toml
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Features and sizes of the design (TOML) [default: everything, 31 counters]
    #[arg(long, value_name = "FILE.toml")]
    implementation: Option<PathBuf>,
    /// Name of the wrapper module
    #[arg(long, value_name = "MODULE", default_value = "lockstep_dut", value_parser = module)]
    top: String,
    /// Overwrite files that are there, but for lockstep_pkg.sv, which is always made again
    #[arg(long)]
    force: bool,
}

/// Writes what a wrapper needs, and one to start from.
pub(super) fn new_wrapper(args: &NewWrapperArgs) -> Result<Verdict, Failure> {
    let implementation =
        implementation_file::load(args.implementation.as_deref()).map_err(Failure::input)?;
    let top = &args.top;
    let list = "// Files in order of compilation, packages first; your design's go before the wrapper.\n\
                lockstep_pkg.sv\nwrapper.sv\n";
    let own = [
        ("wrapper.sv", kit::wrapper(top, &implementation)),
        ("dut.f", list.to_owned()),
        ("implementation.toml", kit::annotated(&implementation)),
    ];
    let package = ("lockstep_pkg.sv", kit::package());
    let mut lines = new_files::write(&args.folder, &[package], &own, args.force)?;
    let path = |name: &str| quoted(&args.folder.join(name).display().to_string());
    lines.push_str(&format!(
        "next: instantiate the design in wrapper.sv, add its files to dut.f, then\n  lockstep run --filelist {} --top {top} \
         --implementation {}\n",
        path("dut.f"),
        path("implementation.toml")
    ));
    output::print(&lines)?;
    Ok(Verdict::Agree)
}
