//! `lockstep stimulus check`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use clap::Args;
use pmu_model::CycleInput;
use serde::Serialize;

use crate::cli::{Failure, output};
use crate::implementation_file;
use crate::lockstep::Verdict;
use crate::report::{counted, grouped};
use crate::stimulus::{CHUNK_CYCLES, ContractCheck, Reader, Violation};

/// Under the help.
pub(super) const EXIT_CODES: &str =
    "Exit codes: 0 the contract allows every cycle, 2 it does not, or the file cannot be read.";

/// Violations told one by one.
const SHOWN: usize = 20;

/// Arguments of `stimulus check`.
#[derive(Args)]
pub struct CheckArgs {
    /// A recorded stimulus
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Features, sizes and knobs (TOML) of the design that it is for [default: those of the recorded stimulus]
    #[arg(long, value_name = "FILE.toml")]
    implementation: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// What a file has that the contract excludes, for programs.
#[derive(Debug, Serialize)]
struct Checked {
    verdict: Verdict,
    exit_code: u8,
    file: String,
    implementation: String,
    cycles: u64,
    /// Cycles with something excluded.
    excluded_cycles: u64,
    /// All that is excluded, in any cycle.
    violations: u64,
    /// The same by rule.
    by_rule: BTreeMap<&'static str, u64>,
    /// The first of it.
    first: Vec<Violation>,
}

/// Looks whether the contract allows a recorded stimulus.
pub(super) fn check(args: &CheckArgs) -> Result<Verdict, Failure> {
    let reader = Reader::open(&args.file).map_err(Failure::input)?;
    let implementation = match args.implementation.as_deref() {
        Some(file) => implementation_file::load(Some(file)).map_err(Failure::input)?,
        None => reader.header().implementation.clone(),
    };
    let mut reader = reader.unchecked();
    reader.verify().map_err(Failure::input)?;
    let mut checked = Checked {
        verdict: Verdict::Agree,
        exit_code: 0,
        file: args.file.display().to_string(),
        implementation: implementation.name.clone(),
        cycles: reader.header().cycles,
        excluded_cycles: 0,
        violations: 0,
        by_rule: BTreeMap::new(),
        first: Vec::new(),
    };
    let mut contract = ContractCheck::new(&implementation);
    let mut chunk = vec![CycleInput::default(); CHUNK_CYCLES];
    loop {
        let filled = reader.fill(&mut chunk).map_err(Failure::input)?;
        if filled == 0 {
            break;
        }
        for input in &chunk[..filled] {
            let before = checked.violations;
            contract.enter(input, &mut |violation| {
                checked.violations += 1;
                *checked.by_rule.entry(violation.rule).or_default() += 1;
                if checked.first.len() < SHOWN {
                    checked.first.push(violation);
                }
            });
            checked.excluded_cycles += u64::from(checked.violations > before);
        }
    }
    if checked.violations > 0 {
        checked.verdict = Verdict::Usage;
        checked.exit_code = checked.verdict.exit_code();
    }
    if args.json {
        output::print_json(&checked)?;
    } else {
        output::print(&checked.text())?;
    }
    Ok(checked.verdict)
}

impl Checked {
    fn text(&self) -> String {
        const ALLOWED: Style = AnsiColor::Green.on_default().bold();
        const EXCLUDED: Style = AnsiColor::Red.on_default().bold();
        let of_what = format!("{}, implementation {}", self.file, self.implementation);
        let cycles = counted(self.cycles, "cycle");
        if self.violations == 0 {
            return format!(
                "{ALLOWED}ALLOWED{ALLOWED:#}  {cycles} of {of_what}: the contract allows them all\n"
            );
        }
        let mut text = format!(
            "{EXCLUDED}EXCLUDED{EXCLUDED:#}  {} of {cycles} of {of_what}: no design need get them right\n",
            grouped(self.excluded_cycles)
        );
        // Writing to a string does not fail.
        for violation in &self.first {
            let _ = writeln!(text, "  {violation}");
        }
        let more = self.violations - self.first.len() as u64;
        if more > 0 {
            let _ = writeln!(text, "  and {} more", grouped(more));
        }
        let rules = self.by_rule.iter();
        let rules: Vec<_> = rules
            .map(|(rule, count)| format!("{rule} {}", grouped(*count)))
            .collect();
        let _ = writeln!(text, "  in all, by rule: {}", rules.join(", "));
        text
    }
}
