//! What drives what in a design, by Verilator's own description of it.

use std::path::Path;

use pmu_model::Implementation;
use verilator_sys::describe::{Description, SINCE, describe};

use super::build::verilator;
use super::build_options::BuildOptions;
use super::open_error::OpenError;
use super::source::{RtlSource, bundled};

/// Why a design is not described.
#[derive(Debug, thiserror::Error)]
pub enum DescribeError {
    /// It is known by its libraries only.
    #[error(
        "a design of `lockstep build` is known by its libraries; name its files, with --filelist or --rtl"
    )]
    Built,
    /// Verilator is too old.
    #[error("Verilator {found} does not describe designs as JSON; version {SINCE} and later do")]
    Version {
        /// What there is.
        found: String,
    },
    /// Its files cannot be read.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Verilator does not describe it.
    #[error(transparent)]
    Verilate(#[from] verilator_sys::verilate::VerilateError),
}

/// A design as Verilator describes it, and its top module.
#[derive(Clone, Debug)]
pub struct Described {
    /// The description.
    pub description: Description,
    /// The wrapper module.
    pub top: String,
}

/// Has Verilator describe `source` for `implementation`, in `folder`.
///
/// # Errors
/// [`DescribeError`].
pub fn described(
    source: &RtlSource,
    implementation: &Implementation,
    options: &BuildOptions,
    folder: &Path,
) -> Result<Described, DescribeError> {
    let design = match source {
        RtlSource::Built(_) => return Err(DescribeError::Built),
        RtlSource::Files(files) => files.design()?,
        RtlSource::Bundled => {
            options.make_cache()?;
            bundled(implementation, &options.cache)?
        }
    };
    let verilator = verilator(options).map_err(OpenError::from)?;
    if verilator.version < SINCE {
        let found = verilator.version.to_string();
        return Err(DescribeError::Version { found });
    }
    Ok(Described {
        description: describe(&design, &verilator, folder)?,
        top: design.top,
    })
}
