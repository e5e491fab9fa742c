//! `lockstep prove`.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use lockstep_base::verdict::Verdict;
use lockstep_designs::{BuildOptions, Rtl, RtlSource};
use lockstep_engine::dut::{check_contract, check_parameters};
use lockstep_engine::lockstep::Outcome;
use lockstep_prove::correspondence::Correspondence;
use lockstep_prove::counterexample::CounterExample;
use lockstep_prove::cycle::Signals;
use lockstep_prove::lrat::{dimacs, lrat};
use lockstep_prove::netlist::Netlist;
use lockstep_prove::proof::{Area, Claim, Found, Prover};
use lockstep_prove::replay::replay;
use lockstep_prove::suggest::suggest;
use lockstep_prove::yosys;
use pmu_model::Implementation;
use pmu_model::implementation::ReservedPolicy;
use pmu_model::wrapper::Increments;

use super::design::{DesignArgs, refused};
use super::proved::{self, OfArea, Shown, Told};
use super::{Failure, scratch};

/// Arguments of `prove`.
#[derive(clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Args {
    /// What to prove [default: everything]
    #[arg(long, value_name = "AREA")]
    area: Vec<Area>,
    #[command(flatten)]
    design: DesignArgs,
    /// Print a correspondence: signals that are what the contract has, in random stimulus
    #[arg(long, conflicts_with_all = ["area", "correspondence", "certificates", "second_solver", "json"])]
    suggest: bool,
    /// Seconds for each claim; one that takes longer is not decided
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86400))]
    limit: u64,
    /// Folder for the counter-example and its report
    #[arg(long, value_name = "DIR", default_value = "lockstep-out")]
    out: PathBuf,
    /// Write formula and derivation of each proof as DIMACS and LRAT, for other checkers
    #[arg(long, value_name = "DIR")]
    certificates: Option<PathBuf>,
    /// Ask another solver as well: a command that takes a DIMACS file and says UNSAT, or ends with 20
    #[arg(long, value_name = "COMMAND")]
    second_solver: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

const EXIT_CODES: &str = "Exit codes: 0 everything is proved, 1 something does not hold and a counter-example shows it, \
    2 usage or configuration, 5 infrastructure, 9 something is not decided, or not looked at, without --area.";

/// Proves what is asked for.
pub fn run(args: &Args) -> Result<Verdict, Failure> {
    let mut implementation = args.design.implementation()?;
    // DUT-34: what the bundled RTL does in a reserved configuration is no matter of choice.
    implementation.knobs.compare_reserved |= args.design.is_bundled()
        && implementation.knobs.reserved_policy == ReservedPolicy::Disabled;
    if args.suggest {
        return suggested(args, &implementation);
    }
    let names = args.design.correspondence()?;
    let work = scratch()?;
    let source = args.design.source();
    let design = source.design(&implementation, work.path());
    let design = design.map_err(Failure::usage)?;
    let design = design.ok_or_else(|| Failure::usage("a finished build has no RTL to prove"))?;
    let mut told = Told::new(args.json);
    let mut version = String::new();
    let netlist = yosys::netlist(&design, &names.left_out, work.path(), &mut |yosys| {
        told.begin(&format!("{yosys} reads {}", source.describe()));
        yosys.clone_into(&mut version);
    });
    let netlist = netlist.map_err(refused)?;
    told.read(&version, netlist.registers(), netlist.gates());
    let mut notes = Vec::new();
    if !check_stated(&netlist, &names, &implementation)? {
        notes.push(
            "what parameters_o states is right: it was not found in the netlist, and is not looked at".into(),
        );
    }
    let signals = Signals::find(&netlist, &names, &implementation).map_err(Failure::usage)?;
    notes.extend(names.left_out.iter().map(|module| {
        format!("instances of {module} are left out: what they drive is anything in every cycle")
    }));
    if let (Some(of), Some(names)) = (&signals.sampling, &names.sampling)
        && of.enabled.is_none()
    {
        let name = &names.enabled;
        notes.push(format!(
            "the design has no signal {name:?}, or nothing reads it: it is anything in every cycle"
        ));
    }
    notes.extend(signals.missing.iter().map(|name| {
        format!("the design has no signal {name:?}, as of other counters: that register is zero")
    }));
    let limit = Duration::from_secs(args.limit);
    let prover = Prover::new(&implementation, &netlist, &signals, limit).map_err(Failure::usage)?;
    let mut results = Vec::new();
    let mut left_out = Vec::new();
    for area in Area::ALL {
        if !args.area.is_empty() && !args.area.contains(&area) {
            continue;
        }
        if let Some(why) = prover.lacks(area) {
            if args.area.contains(&area) {
                let words = area.words();
                return Err(Failure::usage(format!("{words} cannot be proved: {why}")));
            }
            left_out.push((area, why));
            continue;
        }
        told.begin(area.words());
        let (mut certified, mut number) = (Ok(()), 0);
        let claims = prover
            .prove(area, &mut |claim| {
                told.claim();
                if certified.is_ok() && claim.result == Found::Proved && claim.steps > 0 {
                    certified = certify(args, &format!("{}-{number}", proved::key(area)), claim);
                    number += 1;
                }
            })
            .map_err(|error| {
                Failure::infrastructure(format!("a defect of lockstep itself: {error}"))
            })?;
        certified?;
        results.push(OfArea { area, claims });
    }
    let refuted = results.iter().flat_map(|OfArea { area, claims }| {
        let refuted = claims.iter().filter(|claim| claim.result == Found::Refuted);
        refuted.map(|claim| (*area, claim))
    });
    let refuted: Vec<_> = refuted.collect();
    let mut told_of = refuted.first().map(|&(_, claim)| claim);
    let undecided = results
        .iter()
        .flat_map(|result| &result.claims)
        .any(|claim| claim.result == Found::NotDecided);
    let mut shown = None;
    let verdict = match refuted.is_empty() {
        true if undecided || !left_out.is_empty() => Verdict::NotFound,
        true => Verdict::Agree,
        false => {
            told.begin("a counter-example");
            let found = prover.stimulus_of_any(&names, &refuted);
            match found.map_err(Failure::usage)? {
                None => Verdict::NotFound,
                Some(found) => {
                    told.begin("a run of the counter-example");
                    told_of = Some(found.claim);
                    let job = Replay {
                        args,
                        source: &source,
                        prover: &prover,
                    };
                    shown = Some(job.shown(&found)?);
                    Verdict::Divergence
                }
            }
        }
    };
    told.end();
    let text = match args.json {
        true => proved::json(
            &version,
            &implementation,
            (&results, &left_out, &notes),
            verdict,
            shown.as_ref(),
        ),
        false => proved::text(
            &version,
            (&results, &left_out, &notes),
            verdict,
            told_of,
            shown.as_ref(),
        ),
    };
    io::stdout()
        .write_all(text.as_bytes())
        .map_err(Failure::infrastructure)?;
    Ok(verdict)
}

/// Prints a correspondence that is found.
fn suggested(args: &Args, implementation: &Implementation) -> Result<Verdict, Failure> {
    let work = scratch()?;
    let source = args.design.source();
    let design = source.design(implementation, work.path());
    let design = design.map_err(Failure::usage)?;
    let design =
        design.ok_or_else(|| Failure::usage("a finished build has no RTL to look into"))?;
    let mut told = Told::new(false);
    let netlist = yosys::netlist(&design, &[], work.path(), &mut |yosys| {
        let words = format!("{yosys} reads {}", source.describe());
        told.begin(&words);
    });
    let netlist = netlist.map_err(refused)?;
    told.begin("looking for signals that are what the contract has");
    let found = suggest(&netlist, implementation);
    told.end();
    let found = found.map_err(Failure::usage)?;
    let written = io::stdout().write_all(found.text.as_bytes());
    written.map_err(Failure::infrastructure)?;
    if found.missing.is_empty() {
        return Ok(Verdict::Agree);
    }
    eprintln!(
        "lockstep: no signal is always what these are, at least not as one word: {}; name what the design has for them in \
         the place of \"?\"",
        found.missing.join(", ")
    );
    Ok(Verdict::NotFound)
}

/// The design states to be for the implementation, and shows outputs in the cycle that they are about: whether what it
/// states is in the netlist.
fn check_stated(
    netlist: &Netlist,
    names: &Correspondence,
    implementation: &Implementation,
) -> Result<bool, Failure> {
    if matches!(
        implementation.wrapper.increments,
        Increments::Hidden | Increments::Counters
    ) {
        return Err(Failure::usage(
            "the design does not show V (DUT-71): expected increments that are shown, as proofs are about them",
        ));
    }
    let Some(stated) = netlist.stated(&names.output) else {
        return Ok(false);
    };
    check_contract(&stated).map_err(Failure::usage)?;
    check_parameters(implementation, &stated).map_err(Failure::usage)?;
    let latencies = [
        stated.latency_increment,
        stated.latency_access,
        stated.latency_spe,
    ];
    let latency = latencies.into_iter().max().unwrap_or(0);
    if latency > 0 {
        return Err(Failure::usage(format!(
            "the design states a latency of {latency} cycles: expected none, as a proof is of outputs in the cycle that they are about"
        )));
    }
    Ok(true)
}

/// Writes the certificate of a claim, and asks the second solver.
fn certify(args: &Args, name: &str, claim: &Claim) -> Result<(), Failure> {
    let own;
    let folder = match (&args.certificates, &args.second_solver) {
        (None, None) => return Ok(()),
        (Some(folder), _) => {
            fs::create_dir_all(folder).map_err(Failure::at(folder))?;
            folder.as_path()
        }
        (None, Some(_)) => {
            own = scratch()?;
            own.path()
        }
    };
    let formula = folder.join(name).with_extension("cnf");
    let certificate = &claim.certificate;
    fs::write(&formula, dimacs(&certificate.formula)).map_err(Failure::at(&formula))?;
    if args.certificates.is_some() {
        let derivation = folder.join(name).with_extension("lrat");
        let text = lrat(&certificate.formula, &certificate.steps);
        fs::write(&derivation, text).map_err(Failure::at(&derivation))?;
    }
    let Some(command) = &args.second_solver else {
        return Ok(());
    };
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or_default();
    let output = Command::new(program).args(words).arg(&formula).output();
    let output = output.map_err(Failure::at(Path::new(program)))?;
    let text = String::from_utf8_lossy(&output.stdout).to_ascii_lowercase();
    if output.status.code() != Some(20) && !text.contains("unsat") {
        return Err(Failure::infrastructure(format!(
            "{command} does not agree that {:?} is proved: it ended with {}",
            claim.claim, output.status
        )));
    }
    Ok(())
}

/// A counter-example that is run.
struct Replay<'a> {
    args: &'a Args,
    source: &'a RtlSource,
    prover: &'a Prover<'a>,
}

impl Replay<'_> {
    /// Writes the counter-example, runs it, and has a report made.
    fn shown(&self, found: &CounterExample<'_>) -> Result<Shown, Failure> {
        let implementation = self.prover.implementation;
        let out = &self.args.out;
        fs::create_dir_all(out).map_err(Failure::at(out))?;
        let stimulus = out.join("counter-example.stim");
        let options = BuildOptions::from_env();
        let rtl = Rtl::load(self.source, implementation, false, &options, &mut |_| ());
        let dut = rtl.and_then(|rtl| rtl.instance());
        let dut = dut.map_err(Failure::infrastructure)?;
        let outcome = replay(implementation, dut, &found.cycles, &stimulus);
        let came_to = match outcome.map_err(Failure::infrastructure)? {
            Outcome::Diverged(divergence) => {
                return Ok(Shown {
                    report: self.report(&stimulus)?,
                    cycle: divergence.cycle,
                    field: divergence.root().field.name(&divergence.input),
                    is_about: self.prover.is_about(found, &divergence),
                    stimulus,
                });
            }
            Outcome::Stopped { cycle, stop } => format!("stops in cycle {cycle}: {stop}"),
            Outcome::Agree | Outcome::Interrupted => "shows no divergence".into(),
        };
        Err(Failure::infrastructure(format!(
            "a defect of lockstep itself: {:?} does not hold, but {} {came_to}",
            found.claim.claim,
            stimulus.display(),
        )))
    }

    /// The report that a run of it makes.
    fn report(&self, stimulus: &Path) -> Result<String, Failure> {
        let program = env::current_exe().map_err(Failure::infrastructure)?;
        let program = program.with_file_name("lockstep");
        let mut command = Command::new(&program);
        command.arg("run").arg("--stimulus").arg(stimulus);
        command.arg("--out").arg(self.args.out.join("report"));
        if let RtlSource::Files(files) = self.source {
            let parameters = files.parameters.iter();
            let parameters = parameters.map(|(name, value)| format!("--param={name}={value}"));
            command.args(
                files
                    .paths
                    .iter()
                    .flat_map(|path| [Path::new("--rtl"), path]),
            );
            command.args(
                files
                    .file_lists
                    .iter()
                    .flat_map(|path| [Path::new("--filelist"), path]),
            );
            command.args(["--top", &files.top]).args(parameters);
            command.args(files.defines.iter().flat_map(|define| ["--define", define]));
        }
        let output = command.output().map_err(|error| {
            let program = program.display();
            Failure::infrastructure(format!(
                "{program}: {error}; build it beside this program (make prove)"
            ))
        })?;
        match output.status.code() {
            Some(1) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            _ => Err(Failure::infrastructure(format!(
                "{command:?} ended with {}: expected the report of a divergence: {}",
                output.status,
                String::from_utf8_lossy(&output.stderr).trim()
            ))),
        }
    }
}
