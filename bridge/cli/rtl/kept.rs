//! Where a command keeps what designs print.

use crate::cli::output_folder::OutputFolder;
use crate::cli::{output, report_files};
use crate::dut::printed::{self, Printed};

/// Keeps what designs print (DUT-44): in the folder of the command, or for the time of the command.
pub(super) fn keep_printed(out: Option<&OutputFolder>) {
    match out {
        Some(out) => printed::keep(&out.file(report_files::PRINTED.1)),
        None => printed::keep_for_now(),
    }
}

/// Ends the file of what the design printed; what prevents that is told.
pub(super) fn printed_by_design() -> Option<Printed> {
    printed::finish().unwrap_or_else(|error| {
        output::note(&format!("what the design printed cannot be kept: {error}"));
        None
    })
}
