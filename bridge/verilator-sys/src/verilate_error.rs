//! Why a design could not be Verilated.

use std::io;
use std::path::PathBuf;

use crate::version::Version;

/// Why a design could not be Verilated.
#[derive(Debug, thiserror::Error)]
pub enum VerilateError {
    /// A source is missing.
    #[error(
        "[verilator] expected a SystemVerilog file at {path}, found none: correct the list of sources"
    )]
    NoSource {
        /// The path as given.
        path: PathBuf,
    },
    /// A path has characters that Verilator cannot take.
    #[error(
        "[verilator] expected a path that Verilator can take, without $, \" and control characters, found {path:?}: rename the \
         file or folder"
    )]
    Path {
        /// The path as given.
        path: PathBuf,
    },
    /// An argument is not one to pass on.
    #[error(
        "[verilator] expected an argument that can be passed on to Verilator, found {argument}: {reason}"
    )]
    Argument {
        /// The argument as given.
        argument: String,
        /// Why not.
        reason: &'static str,
    },
    /// No source declares the top module.
    #[error(
        "[verilator] expected a module `{top}`, found {found}: name the wrapper of the design with --top"
    )]
    NoTop {
        /// Name of the top module.
        top: String,
        /// The modules that there are.
        found: String,
    },
    /// The design uses modules or included files that it does not have.
    #[error(
        "{place}: {what}: {advice}\n[verilator] expected Verilator {version} to accept the design, found:\n{message}"
    )]
    Missing {
        /// File, line and column of the first use.
        place: String,
        /// What it does not have.
        what: String,
        /// What to do.
        advice: String,
        /// Version of the Verilator that was used.
        version: Version,
        /// Its own message.
        message: String,
    },
    /// The top module does not have a parameter that was given.
    #[error(
        "{problem}\n[verilator] expected Verilator {version} to accept the design, found:\n{message}"
    )]
    NoParameter {
        /// The module, where it is, the names that were given, and the parameters that there are.
        problem: String,
        /// Version of the Verilator that was used.
        version: Version,
        /// Its own message.
        message: String,
    },
    /// Verilator found errors in the design.
    #[error(
        "{first}\n[verilator] expected Verilator {version} to accept the design, found:\n{message}"
    )]
    Rejected {
        /// The first error: file, line, column and what is wrong.
        first: String,
        /// Version of the Verilator that was used.
        version: Version,
        /// Its own message.
        message: String,
    },
    /// Verilator did not run, or a file could not be read or written.
    #[error("[verilator] expected to use {path}, found: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Verilator's list of files is not as expected.
    #[error(
        "[verilator] expected {path} to list {expected}, found none: there is no room left, or this Verilator is not supported"
    )]
    Listing {
        /// The file that Verilator wrote.
        path: PathBuf,
        /// What it lacks.
        expected: &'static str,
    },
}

impl VerilateError {
    /// Whether the top module lacks a parameter that was given.
    pub fn is_about_parameters(&self) -> bool {
        matches!(self, Self::NoParameter { .. })
    }
}
