//! Bugs that nobody has seen: mutants of the RTL's source, hundreds of them in one build. Each runs against the model on the
//! default stimulus; what is said of its divergence is checked on stimulus of another seed. A cause is true only if the
//! mistake that is named and the mutant do the same there.
//!
//! `make mutants` makes new ones every time; a seed, which is printed, makes the same ones again.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

mod bench;
mod build;
mod draw;
mod hunt;
mod instrument;
#[path = "../support/jobs.rs"]
#[allow(dead_code, reason = "the command line is another one here")]
mod jobs;
mod made;
mod mutant;
mod names;
mod operators;
mod options;
mod record;
mod source;
mod table;
mod truth;

use bench::Bench;
use options::Options;
use record::{Outcome, Record, Results};

type Error = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("mutants: {error}");
            ExitCode::from(5)
        }
    }
}

/// The folder of the project.
fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own)
}

fn run(options: &Options) -> Result<ExitCode, Error> {
    let root = root();
    let seed = options.seed();
    let units = source::read(&root.join("rtl"))?;
    let folder = &root.join("target/mutants").join(seed.to_string());
    let units = &units;
    let mutants = made::made(units, seed, options.mutants, folder)?;
    let numbered: Vec<_> = (1..).zip(&mutants).collect();
    if let Some(number) = options.patch {
        let found = numbered.iter().find(|(found, _)| *found == number);
        let (_, mutant) = found.ok_or_else(|| format!("there is no mutant {number}"))?;
        print!("{}", mutant.patch(units)?);
        return Ok(ExitCode::SUCCESS);
    }
    let missing = |number: &&usize| !(1..=mutants.len()).contains(*number);
    if let Some(number) = options.only.iter().find(missing) {
        return Err(format!("there is no mutant {number}: they go to {}", mutants.len()).into());
    }
    println!("seed {seed}, {} mutants", mutants.len());
    let record = |number, mutant, outcome| {
        let stimulus = draw::stimulus_seed(seed, number, 0);
        Record::new(number, mutant, units, stimulus, outcome)
    };
    if options.list {
        for (number, mutant) in numbered {
            println!("{}", table::site(&record(number, mutant, Outcome::Alive)));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let start = Instant::now();
    let bench = Bench::new(seed, units, &numbered, folder, options.places)?;
    println!("built in {:.0} s", start.elapsed().as_secs_f64());
    let wanted: Vec<_> = numbered
        .into_iter()
        .filter(|(number, _)| options.is_wanted(*number))
        .collect();
    let mut records = Vec::new();
    let failed = jobs::run(
        &wanted,
        |(number, mutant)| bench.hunt(*number, mutant),
        |(number, mutant), outcome| {
            let record = record(*number, mutant, outcome);
            println!("{}", table::line(&record));
            let passed = !matches!(record.outcome, Outcome::Failed { .. });
            records.push(record);
            passed
        },
    );
    records.sort_by_key(|record| record.number);
    table::print(&records);
    let seconds = start.elapsed().as_secs_f64();
    println!("\nseed {seed}: {} mutants in {seconds:.0} s", records.len());
    let results = root.join("target/mutants");
    fs::create_dir_all(&results)?;
    let part = if options.only.is_empty() { "" } else { "-part" };
    let path = results.join(format!("{seed}{part}.json"));
    let result = Results {
        seed,
        mutants: &records,
    };
    fs::write(&path, serde_json::to_vec_pretty(&result)?)?;
    println!("{}", path.display());
    let misled = options.strict && records.iter().any(Record::is_misled);
    Ok(ExitCode::from(u8::from(failed > 0 || misled)))
}
