//! What `dut.toml` says of a built design.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use verilator_sys::shared::SourceFile;

use lockstep_engine::dut::Stated;

/// Its name.
pub const MANIFEST: &str = "dut.toml";
/// Version of the manifest.
pub const FORMAT: u32 = 1;

/// A built design: what it was made of, by what, and what it states of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the manifest: 1.
    pub format: u32,
    /// Version of the command that wrote it.
    pub lockstep: String,
    /// Version of Verilator.
    pub verilator: String,
    /// The C++ compiler.
    pub compiler: String,
    /// The wrapper module.
    pub top: String,
    /// Parameters of the wrapper: `NAME=VALUE`.
    pub parameters: Vec<String>,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Further arguments of Verilator.
    pub verilator_args: Vec<String>,
    /// Whether `dut.so` counts coverage of the RTL.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rtl_coverage: bool,
    /// The command that built it; empty in a folder of an earlier version.
    #[serde(default)]
    pub command: String,
    /// The folder where that ran.
    #[serde(default)]
    pub ran_in: PathBuf,
    /// Places of combinational loops that Verilator warned of.
    #[serde(default)]
    pub loops: Vec<String>,
    /// The libraries.
    pub libraries: Libraries,
    /// What the design states.
    pub stated: Stated,
    /// Every file of the design that was read.
    pub source: Vec<Source>,
}

impl Manifest {
    /// How to build the design again, if that is known.
    pub(super) fn again(&self) -> Option<String> {
        let (command, folder) = (&self.command, self.ran_in.display());
        (!command.is_empty()).then(|| format!("{command}    (in {folder})"))
    }
}

/// SHA-256 of the libraries, in hexadecimal, by their names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Libraries {
    /// The one without tracing.
    #[serde(rename = "dut.so")]
    pub untraced: String,
    /// The one with tracing.
    #[serde(rename = "dut-traced.so")]
    pub traced: String,
}

/// A file of the design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Absolute path.
    pub path: PathBuf,
    /// SHA-256 of its contents, in hexadecimal.
    pub sha256: String,
}

impl From<&SourceFile> for Source {
    fn from(file: &SourceFile) -> Self {
        Self {
            path: file.path.clone(),
            sha256: file.hash.clone(),
        }
    }
}
