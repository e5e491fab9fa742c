//! `lockstep spmu`.

use anstyle::{AnsiColor, Style};
use clap::{Args, Subcommand};
use pmu_model::spmu::discovery::discover;
use pmu_model::spmu::groups::bank_and_register;
use pmu_model::spmu::{CounterGroup, Decoded, Problem, Registers};
use serde::Serialize;

use super::explain::number;
use super::{Failure, output, width};
use crate::lines::wrapped;
use crate::lockstep::Verdict;
use crate::registers::{Remark, affinity, columns, ranges, remarks};

const TITLE: Style = Style::new().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Arguments of `spmu`.
#[derive(Args)]
pub struct SpmuArgs {
    #[command(subcommand)]
    command: SpmuCommand,
}

#[derive(Subcommand)]
enum SpmuCommand {
    /// Tell what software concludes from the registers that describe a System PMU
    #[command(after_help = "Exit codes: 0 no problems, 1 values that break a rule, 2 usage.")]
    Decode(DecodeArgs),
}

/// Arguments of `spmu decode`.
#[derive(Args)]
struct DecodeArgs {
    /// SPMCFGR_EL1: 0x hexadecimal, 0b binary or decimal; underscores between digits
    cfgr: String,
    /// SPMCGCR0_EL1
    cgcr0: String,
    /// SPMCGCR1_EL1
    cgcr1: String,
    /// SPMIIDR_EL1; left out, it reads as zero
    #[arg(long, value_name = "VALUE")]
    iidr: Option<String>,
    /// SPMDEVARCH_EL1; left out, it reads as zero
    #[arg(long, value_name = "VALUE")]
    devarch: Option<String>,
    /// SPMDEVAFF_EL1; left out, it reads as zero
    #[arg(long, value_name = "VALUE")]
    devaff: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl SpmuArgs {
    pub(super) fn json(&self) -> bool {
        match &self.command {
            SpmuCommand::Decode(args) => args.json,
        }
    }
}

/// Runs a command about System PMUs.
pub(super) fn spmu(args: &SpmuArgs) -> Result<Verdict, Failure> {
    match &args.command {
        SpmuCommand::Decode(args) => decode(args),
    }
}

/// What the registers say, for programs.
#[derive(Serialize)]
struct Conclusions {
    implemented: bool,
    /// Counters in all, by SPMCFGR_EL1.N.
    counters: u16,
    /// Counters that a group can have.
    max: u16,
    /// Width of the largest counter in bits.
    size_bits: u8,
    groups: Vec<Group>,
    /// Indices of the counters that are implemented.
    indices: Vec<u8>,
    features: Vec<&'static str>,
    /// The register that software takes the configuration from, if it recognises what there is.
    configuration_from: String,
    discovery: Vec<Remark>,
    affinity: Remark,
    problems: Vec<ProblemText>,
}

#[derive(Serialize)]
struct Group {
    #[serde(flatten)]
    group: CounterGroup,
    /// Where software reaches the counters (SPMU-16).
    reached: Vec<Reached>,
}

/// `SPMEVCNTR<first>_EL0` to `SPMEVCNTR<last>_EL0` of a bank.
#[derive(Serialize)]
struct Reached {
    bank: u8,
    first: u8,
    last: u8,
}

#[derive(Serialize)]
struct ProblemText {
    rule: &'static str,
    text: String,
}

fn decode(args: &DecodeArgs) -> Result<Verdict, Failure> {
    let optional = |name, text: &Option<String>| match text {
        Some(text) => number(name, text),
        None => Ok(0),
    };
    let registers = Registers {
        spmcfgr: number("CFGR", &args.cfgr)?,
        spmcgcr: [number("CGCR0", &args.cgcr0)?, number("CGCR1", &args.cgcr1)?],
        spmiidr: optional("--iidr", &args.iidr)?,
        spmdevarch: optional("--devarch", &args.devarch)?,
        spmdevaff: optional("--devaff", &args.devaff)?,
    };
    let conclusions = conclusions(&registers);
    if args.json {
        output::print_json(&conclusions)?;
    } else {
        output::print(&text(&conclusions, width::width()))?;
    }
    Ok(if conclusions.problems.is_empty() {
        Verdict::Agree
    } else {
        Verdict::Divergence
    })
}

fn conclusions(registers: &Registers) -> Conclusions {
    let decoded = pmu_model::spmu::decode(registers);
    let affinity = affinity(registers.spmdevaff);
    let problem = |problem: &Problem| ProblemText {
        rule: problem.rule(),
        text: problem.to_string(),
    };
    let warning = |warning: &Remark| ProblemText {
        rule: "SPMU-03",
        text: format!("SPMU-03: {}.", warning.text),
    };
    let problems = decoded.problems.iter().map(problem);
    let source = discover(registers, &[registers.spmiidr], &[registers.spmdevarch]);
    Conclusions {
        implemented: decoded.implemented,
        counters: decoded.total,
        max: decoded.max,
        size_bits: decoded.size_bits,
        groups: decoded
            .groups
            .iter()
            .map(|&group| Group {
                group,
                reached: reached(group),
            })
            .collect(),
        indices: (0..64)
            .filter(|index| decoded.implemented_counters >> index & 1 == 1)
            .collect(),
        configuration_from: source.to_string(),
        discovery: discovery(registers, &decoded),
        affinity: affinity.meaning,
        problems: problems
            .chain(affinity.warnings.iter().map(warning))
            .collect(),
        features: decoded.features,
    }
}

/// SPMU-16: the registers of a group's counters, bank by bank.
fn reached(group: CounterGroup) -> Vec<Reached> {
    let mut reached: Vec<Reached> = Vec::new();
    // A group that is too large has indices beyond those of the banks.
    for index in group.indices().filter(|&index| index < 64) {
        let (bank, n) = bank_and_register(index as u8);
        match reached.last_mut() {
            Some(last) if last.bank == bank => last.last = n,
            _ => reached.push(Reached {
                bank,
                first: n,
                last: n,
            }),
        }
    }
    reached
}

/// SPMU-20: what software looks at, in order.
fn discovery(registers: &Registers, decoded: &Decoded) -> Vec<Remark> {
    if !decoded.implemented {
        return Vec::new();
    }
    let step = |name: &str, value: u64, uses: &str| match value {
        0 => Remark::new(
            format!("{name} is zero, which is never recognised"),
            &["SPMU-20"],
        ),
        _ => Remark::new(
            format!("{name} = {value:#x}: software that recognises it uses {uses}"),
            &["SPMU-20"],
        ),
    };
    vec![
        step(
            "SPMIIDR_EL1",
            registers.spmiidr,
            "the configuration of that component",
        ),
        step(
            "SPMDEVARCH_EL1",
            registers.spmdevarch,
            "the generic configuration of that architecture",
        ),
        Remark::new(
            format!(
                "SPMCFGR_EL1 = {:#x}: other software uses the capabilities that it describes",
                registers.spmcfgr
            ),
            &["SPMU-20"],
        ),
    ]
}

fn text(conclusions: &Conclusions, width: usize) -> String {
    let mut out = headline(conclusions);
    if conclusions.implemented {
        let heading = ["group", "counters", "indices", "BANK: SPMEVCNTR<n>_EL0"];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        rows.extend(conclusions.groups.iter().map(row));
        out += &format!(
            "\n{TITLE}Counter Groups{TITLE:#}\n{}",
            columns(&rows, width)
        );
        let features = match conclusions.features.is_empty() {
            true => "none".to_owned(),
            false => {
                let words = conclusions.features.iter();
                let words =
                    words.map(|name| format!("{name} ({})", crate::registers::feature(name)));
                words.collect::<Vec<_>>().join(", ")
            }
        };
        let rows = [
            [
                "implemented".to_owned(),
                format!(
                    "counters {}",
                    ranges(conclusions.indices.iter().map(|&i| i.into()))
                ),
            ],
            ["features".to_owned(), features],
        ]
        .map(|row| row.to_vec());
        out += &format!("\n{}", columns(&rows, width));
    }
    if conclusions.implemented {
        let from = &conclusions.configuration_from;
        let steps = remarks(&conclusions.discovery, width);
        out += &format!("\n{TITLE}configuration{TITLE:#}  from {from}\n{steps}");
    }
    out += &format!(
        "\n{TITLE}affinity{TITLE:#}\n{}",
        remarks(std::slice::from_ref(&conclusions.affinity), width)
    );
    if !conclusions.problems.is_empty() {
        out += &format!("\n{BAD}problems{BAD:#}  while there are any, do not rely on the rest\n");
        for problem in &conclusions.problems {
            let lines = wrapped(&problem.text, width.saturating_sub(4));
            out += &format!("  - {}\n", lines.join("\n    "));
        }
    }
    out
}

fn headline(conclusions: &Conclusions) -> String {
    if !conclusions.implemented {
        return format!("{TITLE}System PMU: not implemented{TITLE:#}\n");
    }
    let plural = |count: usize, noun: &str| crate::counted::plural(count as u64, noun);
    format!(
        "{TITLE}System PMU: {} in {}, the largest of {} bits{TITLE:#}\n",
        plural(conclusions.counters.into(), "counter"),
        plural(conclusions.groups.len(), "Counter Group"),
        conclusions.size_bits
    )
}

fn row(group: &Group) -> Vec<String> {
    let indices = match group.group.counters {
        0 => "none".into(),
        _ => ranges(group.group.indices().map(u64::from)),
    };
    let reached: Vec<_> = group
        .reached
        .iter()
        .map(|&Reached { bank, first, last }| match last - first {
            0 => format!("{bank}: {first}"),
            _ => format!("{bank}: {first} to {last}"),
        })
        .collect();
    vec![
        group.group.group.to_string(),
        group.group.counters.to_string(),
        indices,
        reached.join(", "),
    ]
}
