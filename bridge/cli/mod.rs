//! The command line.

#[cfg(feature = "rtl")]
mod against;
#[cfg(feature = "rtl")]
mod build;
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
mod implementation;
#[cfg(feature = "rtl")]
mod isolated;
#[cfg(feature = "rtl")]
mod kept;
mod model;
mod model_trace;
mod new_wrapper;
mod output;
mod output_folder;
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
mod summary;
mod vcd;
mod width;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::lockstep::Verdict;

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
            Self::NewWrapper(_) => false,
            #[cfg(feature = "rtl")]
            Self::Implementation(_) => false,
        }
    }

    /// Whether it runs a design that is not linked in, and may crash.
    #[cfg(feature = "rtl")]
    fn runs_other_rtl(&self) -> bool {
        match self {
            Self::Build(_) | Self::Replay(_) | Self::Shrink(_) | Self::Exhaust(_) => true,
            Self::Run(args) => args.runs_other_rtl(),
            Self::Conform(args) => args.runs_other_rtl(),
            Self::Implementation(args) => args.runs_other_rtl(),
            Self::Model(_)
            | Self::Vcd(_)
            | Self::Explain(_)
            | Self::Spmu(_)
            | Self::Stimulus(_)
            | Self::Plan(_)
            | Self::NewWrapper(_) => false,
        }
    }

    /// Runs the command, here or in a process of its own.
    ///
    /// # Returns
    /// Its exit code.
    fn execute(&self) -> Result<u8, Failure> {
        #[cfg(feature = "rtl")]
        if let isolated::Place::Elsewhere(code) = isolated::place(self)? {
            return Ok(code);
        }
        self.run().map(Verdict::exit_code)
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
            Self::NewWrapper(args) => new_wrapper::new_wrapper(args),
            #[cfg(feature = "rtl")]
            Self::Implementation(args) => from_dut::write(args),
        }
    }
}

/// Runs the command of this process.
pub fn main() -> ExitCode {
    let command = Cli::parse().command;
    let ended = command.execute();
    let code = ended.unwrap_or_else(|failure| failure.tell(command.wants_json()));
    ExitCode::from(code)
}
