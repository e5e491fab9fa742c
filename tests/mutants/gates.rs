//! Mutants of the netlist: what Yosys changes at a port of a cell, all of them in one build and chosen as the design runs.
//! Those that no run kills are proved equal to the design for all inputs, or killed by stimulus that a solver finds.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lockstep_prove::correspondence::{BUNDLED, Correspondence};
use lockstep_prove::cycle::Signals;
use lockstep_prove::judge::{Judge, Judged};
use lockstep_prove::netlist::Netlist;
use lockstep_prove::proof::Prover;
use lockstep_prove::yosys::TO_AIGER;
use pmu_lockstep::dut::Rtl;
use pmu_lockstep::lockstep::engine::Control;
use pmu_lockstep::lockstep::{Lockstep, Outcome};
use pmu_lockstep::stimulus::{Generator, Profile, Reader, StimulusError, Writer};
use pmu_model::{CycleInput, Implementation};
use serde::Serialize;
use verilator_sys::Optimization;

use crate::Error;
use crate::build::load;
use crate::draw::stimulus_seed;
use crate::hunt::CYCLES;
use crate::instrument::{MOST, NUMBER, WITHOUT};
use crate::tagged::Tagged;
use crate::{jobs, source};

/// The top module, with a netlist below it that has a port for the number of the mutant that is meant.
fn top() -> String {
    format!(
        "module lockstep_dut (
  input  logic clk_i,
  input  logic [pmu_pkg::InputWidth-1:0] cycle_input_i,
  output logic [pmu_pkg::OutputWidth-1:0] cycle_output_o,
  output logic [pmu_pkg::ParametersWidth-1:0] parameters_o
);
  logic [13:0] chosen_q;
  logic [pmu_pkg::InputWidth-1:0] without;

  assign without = {WITHOUT};

  always_ff @(posedge clk_i) chosen_q <= {NUMBER};

  netlist u_netlist (.clk_i, .cycle_input_i(without), .cycle_output_o, .parameters_o, .chosen(chosen_q));
endmodule
"
    )
}

/// A mutant, and what became of it.
#[derive(Serialize)]
struct Gate {
    number: usize,
    /// What Yosys does: `inv`, `const0`, `const1`, `cnot0` or `cnot1`.
    mode: String,
    cell: String,
    port: String,
    /// Where it comes from in the RTL.
    place: String,
    /// The cycle in which it was found; none if it agrees with the model.
    cycle: Option<u64>,
    /// The field that differs first.
    field: Option<String>,
    /// What a solver says of one that no run killed.
    judged: Option<String>,
}

/// Seconds for a claim about a mutant.
const LIMIT: Duration = Duration::from_secs(60);
/// The port that has the number of the mutant that is meant.
const PORT: &str = "chosen";

/// The file of a seed.
#[derive(Serialize)]
struct Results<'a> {
    seed: u64,
    cycles: u64,
    mutants: &'a [Gate],
}

/// Makes `count` mutants of the netlist, and runs each against the model.
///
/// # Errors
/// There is no Yosys; the netlist cannot be built, or does not agree with the model where no mutant is meant.
pub fn run(root: &Path, seed: u64, count: usize) -> Result<(), Error> {
    if !(1..=MOST).contains(&count) {
        return Err(format!("expected 1 to {MOST} mutants, found {count}").into());
    }
    println!("seed {seed}, {count} mutants of the netlist");
    let start = Instant::now();
    let results = root.join("target/mutants");
    let folder = results.join(format!("gates-{seed}"));
    let mut gates = write(root, seed, count, &folder)?;
    let implementation = Implementation::default();
    let rtl = load(&folder, &implementation, false, Optimization::Full)?;
    if let (Some(cycle), field) = hunt(&rtl, &implementation, seed, 0)? {
        let field = field.unwrap_or_default();
        return Err(
            format!("the netlist without a mutant differs in cycle {cycle}: {field}").into(),
        );
    }
    println!("built in {:.0} s", start.elapsed().as_secs_f64());
    let numbers: Vec<usize> = (1..=gates.len()).collect();
    let failed = jobs::run(
        &numbers,
        |&number| hunt(&rtl, &implementation, seed, number),
        |&number, hunted| {
            let gate = &mut gates[number - 1];
            match hunted {
                Ok((cycle, field)) => (gate.cycle, gate.field) = (cycle, field),
                Err(error) => {
                    println!("{number:>4}  FAILED: {error}");
                    return false;
                }
            }
            println!("{}", line(gate));
            true
        },
    );
    println!(
        "\nafter {:.0} s: those that are alive",
        start.elapsed().as_secs_f64()
    );
    let undecided = judge(&folder, &implementation, &rtl, &mut gates)?;
    print(&gates);
    let seconds = start.elapsed().as_secs_f64();
    println!("\nseed {seed}: {} mutants in {seconds:.0} s", gates.len());
    let path = results.join(format!("gates-{seed}.json"));
    let all = Results {
        seed,
        cycles: CYCLES,
        mutants: &gates,
    };
    fs::write(&path, serde_json::to_vec_pretty(&all)?)?;
    println!("{}", path.display());
    match failed + undecided {
        0 => Ok(()),
        _ => Err(format!("{failed} of {count} could not be run, or not be judged").into()),
    }
}

/// Has a solver look at the mutants that no run killed. Gives how many could not be looked at.
fn judge(
    folder: &Path,
    implementation: &Implementation,
    rtl: &Rtl,
    gates: &mut [Gate],
) -> Result<usize, Error> {
    let names: Correspondence = toml::from_str(BUNDLED)?;
    let aiger = fs::read(folder.join("design.aig"))?;
    let netlist = Netlist::read(&aiger, &fs::read_to_string(folder.join("design.map"))?)?;
    let signals = Signals::find(&netlist, &names, implementation)?;
    let prover = Prover::new(implementation, &netlist, &signals, LIMIT)?;
    let judge = Judge::new(&prover, &names, PORT)?;
    let alive: Vec<usize> = gates
        .iter()
        .filter(|gate| gate.cycle.is_none())
        .map(|gate| gate.number)
        .collect();
    // Number 0 is the design without a mutant, of which all has to hold.
    let numbers: Vec<usize> = [0].into_iter().chain(alive).collect();
    let failed = jobs::run(
        &numbers,
        |&number| match number {
            0 => {
                let wrong = judge.wrong_without()?;
                Ok::<_, Error>((wrong.join(", "), None))
            }
            _ => Ok(match judge.judge(number as u64)? {
                Judged::Same => (
                    "equivalent: no register or output differs, in any state".into(),
                    None,
                ),
                Judged::Equivalent(claims) => (format!("equivalent: {claims} claims proved"), None),
                Judged::NotDecided(claim) => (format!("not decided: {claim}"), None),
                Judged::Killed(claim, cycles) => {
                    let found = replay(
                        &folder.join(format!("{number}.stim")),
                        rtl,
                        implementation,
                        number,
                        &cycles,
                    )?;
                    (format!("killed by a solver: {claim}"), found)
                }
            }),
        },
        |&number, judged| {
            let (words, found) = match judged {
                Ok(judged) => judged,
                Err(error) => {
                    println!("{number:>4}  FAILED: {error}");
                    return false;
                }
            };
            if number == 0 {
                println!(
                    "   0  without a mutant: {}",
                    if words.is_empty() {
                        "all is proved"
                    } else {
                        &words
                    }
                );
                return words.is_empty();
            }
            let gate = &mut gates[number - 1];
            // What a solver kills has to differ from the model as it runs.
            let is_shown = found.is_some() || !words.starts_with("killed");
            (gate.cycle, gate.field) =
                found.map_or((None, None), |(cycle, field)| (Some(cycle), Some(field)));
            println!("{}  {words}", line(gate));
            gate.judged = Some(words);
            if !is_shown {
                println!("{number:>4}  FAILED: its stimulus shows no divergence");
            }
            is_shown
        },
    );
    Ok(failed)
}

/// The first difference of a mutant from the model in these cycles, which are kept in a file.
fn replay(
    path: &Path,
    rtl: &Rtl,
    implementation: &Implementation,
    number: usize,
    cycles: &[CycleInput],
) -> Result<Option<(u64, String)>, Error> {
    let mut writer = Writer::create(path, implementation, None)?;
    writer.append(cycles)?;
    writer.finish()?;
    let dut = Tagged::new(rtl.instance()?, u16::try_from(number)?);
    let recorded = Reader::open(path)?;
    let mut run = Lockstep::new(implementation, Box::new(dut), recorded.into(), 1)?;
    let length = cycles.len() as u64;
    let ended = run.run(length, &Control::default(), |_| Ok::<_, StimulusError>(()))?;
    Ok(match ended {
        Outcome::Diverged(divergence) => {
            let field = divergence.root().field.name(&divergence.input);
            Some((divergence.cycle, field))
        }
        _ => None,
    })
}

/// The first difference from the model, if there is one: its cycle and its field.
fn hunt(
    rtl: &Rtl,
    implementation: &Implementation,
    seed: u64,
    number: usize,
) -> Result<(Option<u64>, Option<String>), Error> {
    let stimulus = stimulus_seed(seed, number, 0);
    let generator = Generator::new(stimulus, implementation, &Profile::default())?;
    let dut = Tagged::new(rtl.instance()?, u16::try_from(number)?);
    let run = Lockstep::new(implementation, Box::new(dut), generator.into(), 1);
    let mut run = match run {
        Ok(run) => run,
        // What states to be another design is told from it at once.
        Err(error) if number > 0 => return Ok((Some(0), Some(error.to_string()))),
        Err(error) => return Err(error.into()),
    };
    let ended = run.run(CYCLES, &Control::default(), |_| Ok::<_, StimulusError>(()))?;
    Ok(match ended {
        Outcome::Agree => (None, None),
        Outcome::Diverged(divergence) => {
            let field = divergence.root().field.name(&divergence.input);
            (Some(divergence.cycle), Some(field))
        }
        Outcome::Stopped { cycle, stop } => (Some(cycle), Some(stop.to_string())),
        Outcome::Interrupted => return Err("interrupted".into()),
    })
}

/// Writes the netlist with all mutants, and the top module, to `folder/rtl`.
fn write(root: &Path, seed: u64, count: usize, folder: &Path) -> Result<Vec<Gate>, Error> {
    let rtl = folder.join("rtl");
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(&rtl)?;
    let units = source::read(&root.join("rtl"))?;
    let (packages, modules): (Vec<_>, Vec<_>) = units
        .iter()
        .partition(|unit| unit.name.ends_with("_pkg.sv"));
    let mut script = String::new();
    for unit in packages.into_iter().chain(modules) {
        let path = root.join("rtl").join(&unit.name);
        script += &format!("read_verilog -sv -defer {}\n", path.display());
        if unit.name == "pmu_pkg.sv" {
            fs::copy(&path, rtl.join(&unit.name))?;
        }
    }
    // Registers stay what they are, also those that are always the same.
    script += "hierarchy -top lockstep_dut\nproc\nflatten\nopt_expr\nopt_clean\nmemory -nordff\n";
    script += "opt_expr\nopt_merge\nopt_muxtree\nopt_reduce -full\nopt_expr\nopt_clean\n";
    script += &format!("write_ilang flat.il\nmutate -list {count} -seed {seed} -o drawn.txt\n");
    yosys(&script, folder)?;
    let drawn = fs::read_to_string(folder.join("drawn.txt"))?;
    let mut script = "read_ilang flat.il\n".to_owned();
    let mut gates = Vec::new();
    for (number, words) in (1..).zip(drawn.lines()) {
        let mut words: Vec<&str> = words.split(' ').collect();
        let after = |key: &str| {
            let at = words.iter().position(|word| *word == key);
            at.and_then(|at| words.get(at + 1))
                .copied()
                .unwrap_or_default()
                .to_owned()
        };
        let sources = words.windows(2).filter(|pair| pair[0] == "-src");
        let mut sources: Vec<&str> = sources
            .filter_map(|pair| pair[1].rsplit('/').next())
            .collect();
        // The instances around it are named as well: what is within is told better by the other files.
        sources.sort_by_key(|source| source.starts_with("lockstep_dut.sv"));
        let place = sources.first().copied().unwrap_or_default().to_owned();
        gates.push(Gate {
            number,
            mode: after("-mode"),
            cell: after("-cell"),
            port: format!("{}[{}]", after("-port"), after("-portbit")),
            place,
            cycle: None,
            field: None,
            judged: None,
        });
        let end = words.iter().position(|word| *word == "-src");
        words.truncate(end.unwrap_or(words.len()));
        let own = words[1..].join(" ");
        script += &format!("mutate -ctrl {PORT} 14 {number} {own}\n");
    }
    script += "write_ilang mutants.il\n";
    // Names of a flattened design are longer than Verilator can take.
    script += "rename lockstep_dut netlist\nopt_clean\nrename -hide\nrename -enumerate\n";
    script += "write_verilog -noattr rtl/netlist.v\n";
    yosys(&script, folder)?;
    yosys(&format!("read_ilang mutants.il\n{TO_AIGER}"), folder)?;
    fs::write(rtl.join("lockstep_dut.sv"), top())?;
    Ok(gates)
}

/// Runs Yosys in `folder`.
fn yosys(script: &str, folder: &Path) -> Result<(), Error> {
    fs::write(folder.join("script.ys"), script)?;
    let program = env::var_os("YOSYS").unwrap_or_else(|| "yosys".into());
    let ran = Command::new(&program)
        .args(["-q", "-s", "script.ys"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output();
    let ran = match ran {
        Err(error) => {
            let name = program.to_string_lossy();
            let what = "install it (Debian: yosys), or name it in YOSYS";
            return Err(format!("{name}: {error}; {what}").into());
        }
        Ok(ran) => ran,
    };
    match ran.status.success() {
        true => Ok(()),
        false => Err(format!("yosys: {}", String::from_utf8_lossy(&ran.stderr).trim()).into()),
    }
}

/// A mutant in a line.
fn line(gate: &Gate) -> String {
    let cycle = gate.cycle.map_or("-".to_owned(), |cycle| cycle.to_string());
    let field = gate.field.as_deref().unwrap_or("alive");
    format!(
        "{:>4}  {:<6}  {:<44}  {:<9}  {cycle:>7}  {field}",
        gate.number, gate.mode, gate.place, gate.port
    )
}

/// The table by mode, and those that are alive.
fn print(gates: &[Gate]) {
    println!(
        "\n{:<6}  {:>5} {:>6} {:>9} {:>10} {:>11}",
        "mode", "made", "killed", "by solver", "equivalent", "not decided"
    );
    let row = |name: &str, own: &[&Gate]| {
        let by_run = |gate: &&&Gate| gate.cycle.is_some() && gate.judged.is_none();
        let of = |start: &'static str| {
            let is = move |gate: &&&Gate| {
                let judged = gate.judged.as_ref();
                judged.is_some_and(|judged| judged.starts_with(start))
            };
            own.iter().filter(is).count()
        };
        let killed = own.iter().filter(by_run).count();
        println!(
            "{name:<6}  {:>5} {killed:>6} {:>9} {:>10} {:>11}",
            own.len(),
            of("killed"),
            of("equivalent"),
            of("not decided")
        );
    };
    for mode in ["inv", "const0", "const1", "cnot0", "cnot1"] {
        let own: Vec<_> = gates.iter().filter(|gate| gate.mode == mode).collect();
        row(mode, &own);
    }
    row("all", &gates.iter().collect::<Vec<_>>());
    println!("\nalive after {CYCLES} cycles");
    for gate in gates {
        if let Some(judged) = &gate.judged {
            println!("{}  of {}: {judged}", line(gate), gate.cell);
        }
    }
}
