//! How dumps are opened, and what there is to tell about reading them.

use std::path::Path;

use clap::Args;

use super::{Failure, in_file};
use crate::cli::output;
use crate::printable::printable;
use crate::waves::dump::{self, Dump, Opened};

/// Bytes of a GHW file that needs much memory.
const LARGE: u64 = 256 << 20;

/// Bytes of the last line that are shown.
const LAST: usize = 40;

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
            output::note(&format!(
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

    /// Tells what was met in reading that may make the result another than is expected.
    pub fn note(&self, path: &Path, dump: &Dump) {
        let note = |text: &str| output::note(&format!("{}: {text}", path.display()));
        if dump.has_rounded() {
            note("times with a fraction of a tick were rounded to the nearest one");
        }
        if dump.has_hit_limit() {
            note(
                "the simulator has stopped dumping at its limit ($dumplimit); what came later is not there",
            );
        }
        if let Some(last) = dump.unended() {
            let short = &last[last.len().saturating_sub(LAST)..];
            let dots = if short.len() < last.len() { ".." } else { "" };
            let shown = printable(&String::from_utf8_lossy(short));
            note(&format!(
                "no line feed after the last line, `{dots}{shown}`; the dump may be cut off there"
            ));
        }
    }
}
