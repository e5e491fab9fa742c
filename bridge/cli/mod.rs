//! The command line.

mod conform;
mod explain;
mod identifiers;
mod ledger_summary;
mod model;
mod model_trace;
mod new_bench;
mod new_files;
mod new_wrapper;
mod output;
mod output_folder;
mod places;
mod plan;
mod quoted;
mod regress;
mod report_files;
#[cfg_attr(not(feature = "rtl"), path = "without_rtl.rs")]
mod rtl;
mod shell;
mod solver;
mod spmu;
mod stimulus;
mod vcd;
mod width;

use std::env;
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread;

use clap::{Parser, Subcommand};

use crate::limits;
use crate::lockstep::Verdict;
use crate::{interrupt, scratch};

/// Bytes of stack of a command.
const STACK: usize = 8 << 20;

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
    8 a waiver was not needed, 9 nothing was found or decided, 125 bisect cannot tell, 130 interrupted.";

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Rtl(Box<rtl::Command>),
    /// Run the model alone on the same stimulus
    Model(model::ModelArgs),
    /// Run conformance vectors on the model
    Conform(conform::ConformArgs),
    /// Look into waveform dumps: contents, values by clock cycle, first difference of two
    Vcd(vcd::VcdArgs),
    /// Tell what a value of a register means, field by field
    Explain(explain::ExplainArgs),
    /// Tell what the registers of a System PMU say
    Spmu(spmu::SpmuArgs),
    /// Look at stimulus, or write it for other simulators
    Stimulus(stimulus::StimulusArgs),
    /// Write a wrapper to start from, for a design of your own, with the contract as a SystemVerilog package
    NewWrapper(new_wrapper::NewWrapperArgs),
    /// Write a test bench that plays stimulus into a wrapper in any simulator, and checks its dump
    NewBench(new_bench::NewBenchArgs),
    /// Prove that RTL and model are equal for all states and inputs: `make prove` builds what it needs
    #[command(display_order = 9)]
    Prove(solver::SolverArgs),
    /// Tell how good a regression is: how many mutants of the RTL's netlist it notices (as `prove`, needs Yosys)
    #[command(display_order = 9)]
    Score(solver::SolverArgs),
    /// Find stimulus for points of coverage that random stimulus does not take, or prove that there is none (as `prove`)
    #[command(display_order = 9)]
    Reach(solver::SolverArgs),
    /// Print the verification plan: code, tests and coverage of every rule
    Plan(plan::PlanArgs),
    /// Print completions of the command line for a shell
    #[command(display_order = 17)]
    Completions(shell::CompletionsArgs),
    /// Print the manual page, or write those of all commands
    #[command(display_order = 17)]
    Man(shell::ManArgs),
    /// Run a suite: implementations x designs x stimulus x seeds, on all cores, and report what came of it
    #[cfg(feature = "rtl")]
    #[command(display_order = 4)]
    Regress(Box<regress::RegressArgs>),
    /// Merge the results of the shards of a suite into one report: JSON, JUnit, and a page
    #[command(display_order = 5)]
    Merge(regress::MergeArgs),
    /// Write a first suite, and what systems take that run its parts side by side
    #[command(display_order = 5)]
    InitCi(regress::InitCiArgs),
}

/// An end of the command before its result.
#[derive(Debug)]
pub struct Failure {
    verdict: Verdict,
    message: String,
    /// More of it, if it is the design that ended the command.
    end: Option<Box<rtl::End>>,
}

impl Failure {
    fn new(verdict: Verdict, message: impl ToString) -> Self {
        Self {
            verdict,
            message: message.to_string(),
            end: None,
        }
    }

    /// The command line, a file or the configuration is wrong.
    fn usage(message: impl ToString) -> Self {
        Self::new(Verdict::Usage, message)
    }

    /// What was to be read is wrong, or the machine cannot read it.
    fn input(error: impl std::error::Error + 'static) -> Self {
        match output::is_limit(&error) {
            true => Self::infrastructure(error),
            false => Self::usage(error),
        }
    }

    /// This program is at fault.
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
        if let Some(end) = self.end {
            return match end.tell_here(json) {
                Ok(verdict) => verdict.exit_code(),
                Err(failure) => failure.tell(false),
            };
        }
        let Self {
            verdict, message, ..
        } = self;
        output::tell(&format!("lockstep: {message}\n"));
        let exit_code = verdict.exit_code();
        if json {
            tell_programs(verdict, &message);
        }
        exit_code
    }
}

/// Prints a failure as JSON.
fn tell_programs(verdict: Verdict, message: &str) {
    // Standard output may be what failed.
    let _ = output::print_json(&FailureJson {
        verdict,
        exit_code: verdict.exit_code(),
        message,
    });
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
            Self::Rtl(command) => command.wants_json(),
            Self::Model(args) => args.json,
            Self::Conform(args) => args.json,
            Self::Vcd(args) => args.json(),
            Self::Explain(args) => args.json,
            Self::Spmu(args) => args.json(),
            Self::Stimulus(args) => args.json(),
            Self::Plan(args) => args.json,
            #[cfg(feature = "rtl")]
            Self::Regress(args) => args.json,
            Self::Merge(args) => args.json,
            // That of its own says so itself.
            Self::Prove(_)
            | Self::Score(_)
            | Self::Reach(_)
            | Self::NewWrapper(_)
            | Self::NewBench(_)
            | Self::InitCi(_)
            | Self::Completions(_)
            | Self::Man(_) => false,
        }
    }

    fn run(&self) -> Result<Verdict, Failure> {
        match self {
            Self::Rtl(command) => command.run(),
            Self::Model(args) => model::model(args),
            Self::Conform(args) => conform::conform(args),
            Self::Vcd(args) => vcd::vcd(args),
            Self::Explain(args) => explain::explain(args),
            Self::Spmu(args) => spmu::spmu(args),
            Self::Stimulus(args) => stimulus::stimulus(args),
            Self::Plan(args) => plan::plan(args),
            Self::Prove(args) => solver::by_solver("prove", args),
            Self::Score(args) => solver::by_solver("score", args),
            Self::Reach(args) => solver::by_solver("reach", args),
            #[cfg(feature = "rtl")]
            Self::Regress(args) => regress::regress(args),
            Self::Merge(args) => regress::merge(args),
            Self::InitCi(args) => regress::init_ci(args),
            Self::Completions(args) => shell::completions(args),
            Self::Man(args) => shell::man(args),
            Self::NewWrapper(args) => new_wrapper::new_wrapper(args),
            Self::NewBench(args) => new_bench::new_bench(args),
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
        let verdict = Verdict::Usage;
        let mut words = env::args_os().skip(1).take_while(|word| word != "--");
        if words.any(|word| word == "--json") {
            tell_programs(verdict, told.render().to_string().trim_end());
        }
        return verdict.exit_code();
    }
    match output::printed(told.print().and_then(|()| io::stdout().flush())) {
        Ok(()) => Verdict::Agree.exit_code(),
        Err(failure) => failure.tell(false),
    }
}

/// Runs the command of this process, or what else this process was started for.
pub fn main() -> ExitCode {
    if let Some(code) = rtl::role() {
        return code;
    }
    // The first thread's stack is as small as whoever started the program has limited it.
    let thread = thread::Builder::new().name("command".into());
    match thread.stack_size(STACK).spawn(command) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
        Err(_) => command(),
    }
}

/// Runs the command of this process.
fn command() -> ExitCode {
    limits::is_a_command();
    let command = match Cli::try_parse() {
        Ok(cli) => cli.command,
        Err(told) => return ExitCode::from(tell_usage(&told)),
    };
    // Most commands make nothing there; what a dead one left goes all the same.
    scratch::sweep(&env::temp_dir());
    let json = command.wants_json();
    let ended = rtl::start(json).and_then(|()| command.run());
    interrupt::give_way();
    let code = match ended.and_then(rtl::end) {
        Ok(verdict) => verdict.exit_code(),
        Err(failure) => failure.tell(json),
    };
    rtl::end_all();
    ExitCode::from(code)
}
