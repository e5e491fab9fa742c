//! `lockstep completions` and `lockstep man`: what a shell and a manual know of the command line.

use std::fs;
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use super::{Cli, Failure, output};
use crate::lockstep::Verdict;

/// Arguments of `completions`.
#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Args)]
pub struct ManArgs {
    /// Write a page of each command into this folder, instead of printing that of `lockstep`
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints the completions of a shell.
pub(super) fn completions(args: &CompletionsArgs) -> Result<Verdict, Failure> {
    let mut text = Vec::new();
    generate(args.shell, &mut Cli::command(), "lockstep", &mut text);
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Verdict::Agree)
}

/// Prints or writes pages of the manual.
pub(super) fn man(args: &ManArgs) -> Result<Verdict, Failure> {
    let Some(folder) = &args.out else {
        let mut text = Vec::new();
        let page = clap_mangen::Man::new(Cli::command());
        page.render(&mut text).map_err(Failure::infrastructure)?;
        output::print(&String::from_utf8_lossy(&text))?;
        return Ok(Verdict::Agree);
    };
    if folder.exists() && !folder.is_dir() {
        return Err(Failure::usage(format!(
            "{}: expected a folder, found a file; name another with -o",
            folder.display()
        )));
    }
    let failed = |error| output::failed(folder, &error);
    fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Cli::command(), folder).map_err(failed)?;
    Ok(Verdict::Agree)
}
