//! The command line.

#[cfg(feature = "rtl")]
mod against;
#[cfg(feature = "rtl")]
mod build;
#[cfg(feature = "rtl")]
mod cache;
mod conform;
#[cfg(feature = "rtl")]
mod coverage;
#[cfg(feature = "rtl")]
mod end;
#[cfg(feature = "rtl")]
mod exhaust;
mod explain;
#[cfg(feature = "rtl")]
mod from_dut;
#[cfg(feature = "rtl")]
mod kept;
mod ledger_summary;
mod model;
mod model_trace;
mod new_wrapper;
mod output;
mod output_folder;
mod places;
mod plan;
#[cfg(feature = "rtl")]
mod progress;
mod quoted;
#[cfg(feature = "rtl")]
mod recorded;
mod report_files;
#[cfg(feature = "rtl")]
mod rtl_args;
#[cfg(feature = "rtl")]
mod run;
#[cfg(feature = "rtl")]
mod running;
#[cfg(feature = "rtl")]
mod shrink;
mod spmu;
mod stimulus;
#[cfg(feature = "rtl")]
mod summary;
mod vcd;
mod width;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;
#[cfg(feature = "rtl")]
use std::sync::Arc;

use clap::{Parser, Subcommand};

#[cfg(feature = "rtl")]
use crate::isolation;
use crate::lockstep::Verdict;
use crate::scratch;

/// Cycles of a generated stimulus, unless others are asked for.
const DEFAULT_CYCLES: u64 = 1_000_000;
/// Reads a whole number of an option.
fn number<T: TryFrom<u64>>(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |word| {
        let number = word.parse().ok();
        let number = number.filter(|number| (least..=most).contains(number));
        number
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| match most {
                u64::MAX => format!("expected a whole number, {least} to 2^64 - 1"),
                _ => format!("expected a whole number, {least} to {most}"),
            })
    }
}

/// Where reports go, if no folder is named.
const DEFAULT_OUT: &str = "lockstep-out";

/// Lockstep verification of Arm-style PMUs: a golden model against RTL, cycle by cycle.
#[derive(Parser)]
#[command(name = "lockstep", version, about, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 agree, 1 divergence, 2 usage or configuration, 3 hang, \
    4 the design stopped, 5 infrastructure, 6 the design crashed, 7 the design does not settle, \
    8 a waiver was not needed, 130 interrupted.";

#[derive(Subcommand)]
enum Command {
    /// Build a design once, to be run with --dut wherever its folder is
    #[cfg(feature = "rtl")]
    Build(build::BuildArgs),
    /// Run RTL and model side by side, and explain the first divergence
    #[cfg(feature = "rtl")]
    Run(run::RunArgs),
    /// Run a recorded stimulus again
    #[cfg(feature = "rtl")]
    Replay(run::ReplayArgs),
    /// Reduce a recorded stimulus that fails to what its divergence needs
    #[cfg(feature = "rtl")]
    Shrink(shrink::ShrinkArgs),
    /// Run the model alone on the same stimulus
    Model(model::ModelArgs),
    /// Run conformance vectors on the model
    Conform(conform::ConformArgs),
    /// Run every threshold, edge and link configuration at 4-bit widths through RTL and model
    #[cfg(feature = "rtl")]
    Exhaust(exhaust::ExhaustArgs),
    /// Look into waveform dumps: contents, values by clock cycle, first difference of two
    Vcd(vcd::VcdArgs),
    /// Tell what a value of a register means, field by field
    Explain(explain::ExplainArgs),
    /// Tell what the registers of a System PMU say
    Spmu(spmu::SpmuArgs),
    /// Look at stimulus, without a design
    Stimulus(stimulus::StimulusArgs),
    /// Write a wrapper to start from, for a design of your own, with the contract as a SystemVerilog package
    NewWrapper(new_wrapper::NewWrapperArgs),
    /// Write the implementation file of a design (--dut, --rtl, --filelist), or the default, with every key explained
    #[cfg(feature = "rtl")]
    Implementation(from_dut::ImplementationArgs),
    /// Print the verification plan: code, tests and coverage of every rule
    Plan(plan::PlanArgs),
    /// List what is kept of designs that were built, or prune it
    #[cfg(feature = "rtl")]
    Cache(cache::CacheArgs),
}

/// An end of the command before its result.
#[derive(Debug)]
pub struct Failure {
    verdict: Verdict,
    message: String,
    /// More of it, if it is the design that ended the command.
    #[cfg(feature = "rtl")]
    end: Option<Box<end::End>>,
}

impl Failure {
    fn new(verdict: Verdict, message: impl ToString) -> Self {
        Self {
            verdict,
            message: message.to_string(),
            #[cfg(feature = "rtl")]
            end: None,
        }
    }

    /// Says which of two designs ended the command, 0 or 1, if one of them did.
    #[cfg(feature = "rtl")]
    fn of_side(self, side: usize) -> Self {
        match self.end {
            Some(end) => end.of_side(side).into(),
            None => self,
        }
    }

    /// The command line, a file or the configuration is wrong.
    fn usage(message: impl ToString) -> Self {
        Self::new(Verdict::Usage, message)
    }

    /// This program is at fault.
    #[cfg(feature = "rtl")]
    fn defect(message: &str) -> Self {
        Self::infrastructure(format!(
            "a defect of lockstep itself: {message}; please report it with the command line"
        ))
    }

    /// The machine is at fault.
    fn infrastructure(message: impl ToString) -> Self {
        Self::new(Verdict::Infrastructure, message)
    }

    /// Tells it, to programs as JSON.
    ///
    /// # Returns
    /// The exit code.
    fn tell(self, json: bool) -> u8 {
        #[cfg(feature = "rtl")]
        if let Some(end) = self.end {
            return match end.tell_here(json) {
                Ok(verdict) => verdict.exit_code(),
                Err(failure) => failure.tell(false),
            };
        }
        let Self {
            verdict, message, ..
        } = self;
        anstream::eprintln!("lockstep: {message}");
        let exit_code = verdict.exit_code();
        if json {
            // Standard output may be what failed.
            let _ = output::print_json(&FailureJson {
                verdict,
                exit_code,
                message: &message,
            });
        }
        exit_code
    }
}

/// What a program that asked for JSON gets of a failure.
#[derive(serde::Serialize)]
struct FailureJson<'a> {
    verdict: Verdict,
    exit_code: u8,
    message: &'a str,
}

impl Command {
    fn wants_json(&self) -> bool {
        match self {
            #[cfg(feature = "rtl")]
            Self::Build(args) => args.json,
            #[cfg(feature = "rtl")]
            Self::Run(args) => args.json(),
            #[cfg(feature = "rtl")]
            Self::Replay(args) => args.json(),
            #[cfg(feature = "rtl")]
            Self::Shrink(args) => args.json,
            Self::Model(args) => args.json,
            Self::Conform(args) => args.json,
            #[cfg(feature = "rtl")]
            Self::Exhaust(args) => args.json,
            Self::Vcd(args) => args.json(),
            Self::Explain(args) => args.json,
            Self::Spmu(args) => args.json(),
            Self::Stimulus(args) => args.json(),
            Self::Plan(args) => args.json,
            #[cfg(feature = "rtl")]
            Self::Cache(args) => args.json,
            Self::NewWrapper(_) => false,
            #[cfg(feature = "rtl")]
            Self::Implementation(_) => false,
        }
    }

    fn run(&self) -> Result<Verdict, Failure> {
        match self {
            #[cfg(feature = "rtl")]
            Self::Build(args) => build::build(args),
            #[cfg(feature = "rtl")]
            Self::Run(args) => run::run(args),
            #[cfg(feature = "rtl")]
            Self::Replay(args) => run::replay(args),
            #[cfg(feature = "rtl")]
            Self::Shrink(args) => shrink::shrink(args),
            Self::Model(args) => model::model(args),
            Self::Conform(args) => conform::conform(args),
            #[cfg(feature = "rtl")]
            Self::Exhaust(args) => exhaust::exhaust(args),
            Self::Vcd(args) => vcd::vcd(args),
            Self::Explain(args) => explain::explain(args),
            Self::Spmu(args) => spmu::spmu(args),
            Self::Stimulus(args) => stimulus::stimulus(args),
            Self::Plan(args) => plan::plan(args),
            #[cfg(feature = "rtl")]
            Self::Cache(args) => cache::cache(args),
            Self::NewWrapper(args) => new_wrapper::new_wrapper(args),
            #[cfg(feature = "rtl")]
            Self::Implementation(args) => from_dut::write(args),
        }
    }
}

/// Tells what is wrong with a command line, or what was asked for about the command itself.
///
/// # Returns
/// The exit code.
fn tell_usage(told: &clap::Error) -> u8 {
    if told.use_stderr() {
        // Nobody else could be told that it cannot be.
        let _ = told.print();
        return Verdict::Usage.exit_code();
    }
    match output::printed(told.print().and_then(|()| io::stdout().flush())) {
        Ok(()) => Verdict::Agree.exit_code(),
        Err(failure) => failure.tell(false),
    }
}

/// Runs the command of this process, or what else this process was started for.
pub fn main() -> ExitCode {
    #[cfg(feature = "rtl")]
    if let Some(code) = isolation::role() {
        return code;
    }
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(told) => return ExitCode::from(tell_usage(&told)),
    };
    // Most commands make nothing there; what a dead one left goes all the same.
    scratch::sweep(&env::temp_dir());
    // The handler does nothing: the write that is beyond a limit of file sizes fails, and is told.
    #[cfg(feature = "rtl")]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    let json = command.wants_json();
    let ended = command.start().and_then(|()| command.run());
    #[cfg(feature = "rtl")]
    isolation::interrupt::give_way();
    let code = match ended {
        Ok(verdict) => command.end(verdict),
        Err(failure) => failure.tell(json),
    };
    #[cfg(feature = "rtl")]
    isolation::end_all();
    ExitCode::from(code)
}

#[cfg(not(feature = "rtl"))]
impl Command {
    fn start(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn end(&self, verdict: Verdict) -> u8 {
        verdict.exit_code()
    }
}

#[cfg(feature = "rtl")]
impl Command {
    /// Has designs run in processes of their own, and listens to signals.
    fn start(&self) -> Result<(), Failure> {
        isolation::enable();
        let json = self.wants_json();
        let end = move |signal: &str| {
            let code = Failure::from(end::End::interrupted(signal)).tell(json);
            isolation::end_all();
            std::process::exit(i32::from(code));
        };
        isolation::interrupt::listen(end).map_err(Failure::infrastructure)
    }

    /// The exit code of a command that came to `verdict`, unless a design had the last word.
    fn end(&self, verdict: Verdict) -> u8 {
        let late = match verdict {
            Verdict::Agree => isolation::settled(),
            _ => None,
        };
        late.map_or(verdict.exit_code(), |death| {
            Failure::from(end::End::late(&death)).tell(self.wants_json())
        })
    }
}
