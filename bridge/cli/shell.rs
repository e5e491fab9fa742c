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
    output::print(&with_names(args.shell, &String::from_utf8_lossy(&text)))?;
    Ok(Verdict::Agree)
}

/// A script that also completes signals and scopes, which `lockstep vcd names` reads from the dump on the command line.
fn with_names(shell: Shell, script: &str) -> String {
    match shell {
        Shell::Bash => format!("{script}{}", include_str!("completions/names.bash")),
        Shell::Zsh => {
            let functions = include_str!("completions/names.zsh");
            let lines = script.lines().map(|line| match line {
                "#compdef lockstep" => format!("{line}\n\n{functions}"),
                _ => zsh_line(line) + "\n",
            });
            lines.collect()
        }
        Shell::Fish => {
            let lines = script.lines().map(|line| fish_line(line) + "\n");
            format!(
                "{}{}",
                lines.collect::<String>(),
                include_str!("completions/names.fish")
            )
        }
        _ => script.to_owned(),
    }
}

/// An option of zsh whose values are names of a dump.
fn zsh_line(line: &str) -> String {
    let option = line.trim_start().trim_start_matches(['\'', '*']);
    let function = match option {
        _ if option.starts_with("--signals=") || option.starts_with("--clock=") => {
            "_lockstep_names"
        }
        _ if option.starts_with("--scope=") => "_lockstep_scopes",
        _ => return line.to_owned(),
    };
    line.replace(":_default'", &format!(":{function}'"))
}

/// An option of fish whose values are names of a dump.
fn fish_line(line: &str) -> String {
    let names = |scopes: &str| format!("{line} -f -a '(__fish_lockstep_names{scopes})'");
    match line {
        _ if !line.contains("subcommand vcd") => line.to_owned(),
        _ if line.contains(" -l signals ") || line.contains(" -l clock ") => names(""),
        _ if line.contains(" -l scope ") => names(" --scopes"),
        _ => line.to_owned(),
    }
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
