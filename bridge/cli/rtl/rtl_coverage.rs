//! `--rtl-coverage` of a run.

use std::path::PathBuf;

use serde::Serialize;

use crate::cli::output_folder::OutputFolder;
use crate::cli::{Failure, output, report_files};
use crate::dut::{FileNames, Written};
use crate::regress::rtl_coverage::{Tally, read};
use crate::report::grouped;

/// What a run has covered of the RTL, in short; the file has all of it.
#[derive(Debug, Serialize)]
pub struct RtlCoverageSummary {
    /// The file.
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    pub file: PathBuf,
    /// Shares of what can be covered.
    #[serde(flatten)]
    pub tally: Tally,
}

/// What a design counts while it runs.
pub(super) struct Counting {
    /// The file that it writes when it is taken down.
    pub draft: PathBuf,
    /// What became of that.
    pub written: Written,
    /// What the files are called that it names.
    pub names: FileNames,
}

impl Counting {
    /// Keeps what was counted in the folder, with files named as the user does.
    ///
    /// # Errors
    /// The design could not write it, or it cannot be read or written here.
    pub(super) fn keep(&self, out: &OutputFolder) -> Result<RtlCoverageSummary, Failure> {
        match self.written.get() {
            Some(Ok(())) => {}
            Some(Err(error)) => return Err(Failure::infrastructure(error)),
            None => {
                let message = "no coverage of the RTL: the design was not taken down";
                return Err(Failure::infrastructure(message));
            }
        }
        let counted = read(&self.draft).map_err(Failure::infrastructure)?;
        let counted = counted.renamed(|inside| self.names.of(inside));
        let file = out.file(report_files::RTL_COVERAGE);
        output::write_whole(&file, |to| counted.write(to))?;
        Ok(RtlCoverageSummary {
            file,
            tally: counted.tally(),
        })
    }
}

impl RtlCoverageSummary {
    /// A line of the summary of a run.
    pub fn line(&self) -> String {
        let share = |(name, share): (&str, crate::regress::share::Share)| {
            let [hit, of] = [share.hit, share.of].map(|count| grouped(count as u64));
            format!("{hit} of {of} {name}")
        };
        let shares: Vec<_> = self.tally.named().map(share).collect();
        format!(
            "RTL coverage {}: {}",
            self.file.display(),
            shares.join(", ")
        )
    }
}
