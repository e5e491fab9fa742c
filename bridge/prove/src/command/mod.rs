//! The commands of this program.

mod design;
mod prove;
mod proved;
mod reach;
mod reached;
mod score;
mod scored;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use lockstep_base::verdict::Verdict;
use lockstep_scratch::ScratchFolder;
use serde_json::json;

/// Proofs, and how much a regression notices
#[derive(Parser)]
#[command(
    name = "lockstep",
    bin_name = "lockstep",
    version,
    max_term_width = 100
)]
enum Command {
    /// Prove that RTL and model are equal, for all states and inputs
    Prove(Box<prove::Args>),
    /// Tell how good a regression is: how many mutants of the RTL it notices
    Score(Box<score::Args>),
    /// Find stimulus for points of coverage that random stimulus does not take, or prove that there is none
    Reach(reach::Args),
}

/// An end before the result.
struct Failure(Verdict, String);

impl Failure {
    fn usage(error: impl ToString) -> Self {
        Self(Verdict::Usage, error.to_string())
    }

    fn infrastructure(error: impl ToString) -> Self {
        Self(Verdict::Infrastructure, error.to_string())
    }

    fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::infrastructure(format!("{path}: {error}"))
    }
}

/// A folder for what a command needs while it runs.
fn scratch() -> Result<ScratchFolder, Failure> {
    ScratchFolder::new().map_err(Failure::infrastructure)
}

/// Does what the command line asks for.
pub fn main() -> ExitCode {
    let (ended, is_json) = match Command::parse() {
        Command::Prove(args) => (prove::run(&args), args.json),
        Command::Score(args) => (score::run(&args), args.json),
        Command::Reach(args) => (reach::run(&args), args.json),
    };
    let verdict = ended.unwrap_or_else(|Failure(verdict, message)| {
        eprintln!("lockstep: {message}");
        if is_json {
            let exit_code = verdict.exit_code();
            let value = json!({ "verdict": verdict, "exit_code": exit_code, "message": message });
            println!("{value:#}");
        }
        verdict
    });
    verdict.exit_code().into()
}
