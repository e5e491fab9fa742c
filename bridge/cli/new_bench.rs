//! `lockstep new-bench`.

use std::path::{Path, PathBuf, absolute};

use clap::Args;

use super::Failure;
use super::identifiers::{module, parameter};
use super::new_files;
use super::output;
use super::quoted::quoted;
use crate::implementation_file;
use crate::kit;
use crate::lockstep::Verdict;

/// Arguments of `new-bench`.
#[derive(Args)]
pub struct NewBenchArgs {
    /// Folder for bench.sv, map.toml and Makefile
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The design and its wrapper, as simulators take it with -f; paths in it start from its folder [default: dut.f in
    /// DIR, as `new-wrapper` writes it]
    #[arg(long, value_name = "FILE")]
    filelist: Option<PathBuf>,
    /// Name of the wrapper module
    #[arg(long, value_name = "MODULE", default_value = "lockstep_dut", value_parser = module)]
    top: String,
    /// A parameter of the wrapper
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    param: Vec<(String, String)>,
    /// Features, sizes and knobs of the design (TOML) [default: implementation.toml in DIR, if it is there; else
    /// everything, 31 counters]
    #[arg(long, value_name = "FILE.toml")]
    implementation: Option<PathBuf>,
    /// Overwrite files that are there
    #[arg(long)]
    force: bool,
}

/// Writes a test bench that plays stimulus in any simulator, and checks the dump.
pub(super) fn new_bench(args: &NewBenchArgs) -> Result<Verdict, Failure> {
    const IMPLEMENTATION: &str = "implementation.toml";
    let beside = args.folder.join(IMPLEMENTATION);
    let beside = beside.is_file().then(|| PathBuf::from(IMPLEMENTATION));
    let named = args.implementation.as_deref();
    implementation_file::load(named).map_err(Failure::input)?;
    if let Some(path) = args.filelist.as_deref().filter(|path| !path.is_file()) {
        return Err(Failure::usage(format!(
            "{}: expected a file list, found none; `lockstep new-wrapper` writes one to start from",
            path.display()
        )));
    }
    from_everywhere(Some(&args.folder))?;
    let filelist = from_everywhere(args.filelist.as_deref())?;
    let implementation = from_everywhere(named)?.or(beside);
    let filelist = filelist.unwrap_or_else(|| PathBuf::from("dut.f"));
    let is_missing = !args.folder.join(&filelist).exists();
    let files = kit::bench(&args.top, &args.param, &filelist, implementation.as_deref());
    let mut lines = new_files::write(&args.folder, &[], &files, args.force)?;
    let folder = quoted(&args.folder.display().to_string());
    let next = match is_missing {
        true => format!(
            "lockstep new-wrapper {folder}, which writes the dut.f that is missing there; then "
        ),
        false => String::new(),
    };
    lines.push_str(&format!(
        "next: {next}make -C {folder} icarus, or verilator, or live\n"
    ));
    output::print(&lines)?;
    Ok(Verdict::Agree)
}

/// The path as the bench can use it, which has another folder.
fn from_everywhere(path: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    let Some(path) = path else {
        return Ok(None);
    };
    let whole = absolute(path).map_err(Failure::infrastructure)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%".contains(c);
    match whole.to_string_lossy().chars().all(plain) {
        true => Ok(Some(whole)),
        false => Err(Failure::usage(format!(
            "{}: expected a path of letters, digits and / . _ - + @ %, as make takes one, found another: name another place",
            whole.display()
        ))),
    }
}
