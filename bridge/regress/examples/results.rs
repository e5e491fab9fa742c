//! Writes results that nothing ran, for measurements of `lockstep merge`: FOLDER RUNS SHARDS [--coverage].
//!
//! Every 50th run fails, in two ways.

use std::error::Error;
use std::fs;
use std::path::Path;

use lockstep_regress::results::{Writer, name};
use lockstep_regress::shard::Shard;

#[path = "../tests/merge/made.rs"]
mod made;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let [folder, runs, shards, rest @ ..] = words.as_slice() else {
        return Err("expected FOLDER RUNS SHARDS [--coverage]".into());
    };
    let (runs, of): (usize, u32) = (runs.parse()?, shards.parse()?);
    let coverage = rest == ["--coverage"];
    fs::create_dir_all(folder)?;
    for index in 1..=of {
        let shard = Shard { index, of };
        let path = Path::new(folder).join(name(shard));
        let mut writer = Writer::create(&path, &made::header(shard, runs), &[])?;
        for number in (index as usize - 1..runs).step_by(of as usize) {
            let mut record = made::record(number);
            if number % 50 != 0 {
                record.failure = None;
                record.verdict = lockstep_base::verdict::Verdict::Agree;
                record.exit_code = 0;
            }
            if let Some(compared) = &mut record.compared {
                compared.waivers = vec![made::waiver(1)];
                compared.cycles = record.cycles_wanted.unwrap_or_default();
                compared.taken = compared.taken.take().filter(|_| coverage);
            }
            writer.add(&record)?;
        }
        writer.finish(vec![index], Vec::new())?;
    }
    Ok(())
}
