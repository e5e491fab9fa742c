//! How dumps are opened, and what there is to tell about reading them.

use std::path::Path;

use clap::Args;

use super::{Failure, in_file};
use crate::cli::output;
use crate::waves::dump::{self, Dump, Opened};

/// Bytes of a GHW file that needs much memory.
const LARGE: u64 = 256 << 20;

/// What every command takes that reads dumps.
#[derive(Args)]
pub struct Reading {
    /// Round times with a fraction of a tick (`#12.5`), which are an error else
    #[arg(long)]
    lenient: bool,
}

impl Reading {
    /// Opens a dump.
    pub fn open(&self, path: &Path) -> Result<Opened, Failure> {
        let mut opened = dump::open(path).map_err(|error| in_file(path, error))?;
        if let (Dump::Ghw(_), Some(size @ LARGE..)) = (&opened.dump, opened.size) {
            crate::cli::output::note(&format!(
                "{}: GHW is read whole: this needs more than twice the memory of the file, which has {} MiB; a VCD or an FST file \
                 needs little",
                path.display(),
                size >> 20
            ));
        }
        if self.lenient {
            opened.dump = opened.dump.lenient();
        }
        Ok(opened)
    }

    /// Tells that times were rounded, if they were.
    pub fn note(&self, path: &Path, dump: &Dump) {
        if dump.has_rounded() {
            output::note(&format!(
                "{}: times with a fraction of a tick were rounded to the nearest one",
                path.display()
            ));
        }
    }
}
