//! `lockstep new-wrapper`.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use super::Failure;
use super::output::{self, write_whole};
use super::quoted::quoted;
use crate::dut::is_identifier;
use crate::implementation_file;
use crate::kit;
use crate::lockstep::Verdict;
use crate::scratch::is_no_place;

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
    #[arg(long, value_name = "MODULE", default_value = "lockstep_dut", value_parser = identifier)]
    top: String,
    /// Overwrite files that are there, but for lockstep_pkg.sv, which is always made again
    #[arg(long)]
    force: bool,
}

/// A plain identifier of SystemVerilog.
fn identifier(text: &str) -> Result<String, String> {
    match is_identifier(text) {
        true => Ok(text.to_owned()),
        false => {
            Err("expected the name of a module: letters, digits, _ and $, no digit first".into())
        }
    }
}

/// Writes what a wrapper needs, and one to start from.
pub(super) fn new_wrapper(args: &NewWrapperArgs) -> Result<Verdict, Failure> {
    let implementation =
        implementation_file::load(args.implementation.as_deref()).map_err(Failure::usage)?;
    fs::create_dir_all(&args.folder).map_err(|error| {
        let text = format!(
            "{}: cannot be created: {error}; name a folder that can be written",
            args.folder.display()
        );
        match is_no_place(&error) {
            true => Failure::usage(text),
            false => Failure::infrastructure(text),
        }
    })?;
    let top = &args.top;
    let list = "// Files in order of compilation, packages first; your design's go before the wrapper.\n\
                lockstep_pkg.sv\nwrapper.sv\n";
    let own = [
        ("wrapper.sv", kit::wrapper(top, &implementation)),
        ("dut.f", list.to_owned()),
        ("implementation.toml", kit::annotated(&implementation)),
    ];
    if !args.force
        && let Some((name, _)) = own.iter().find(|(name, _)| args.folder.join(name).exists())
    {
        return Err(Failure::usage(format!(
            "{}: is there already, and may have your changes; name another folder, or overwrite with --force",
            args.folder.join(name).display()
        )));
    }
    let package = ("lockstep_pkg.sv", kit::package());
    let mut lines = String::new();
    for (name, text) in [package].into_iter().chain(own) {
        let path = args.folder.join(name);
        write_whole(&path, |out| out.write_all(text.as_bytes()))?;
        lines.push_str(&format!("{}\n", path.display()));
    }
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
