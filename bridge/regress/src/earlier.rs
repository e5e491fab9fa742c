//! The summary of an earlier report.

use std::io;
use std::path::{Path, PathBuf};

use lockstep_base::plain::of_json;
use lockstep_base::text_file;

use crate::summary::{FORMAT, Summary};

/// A summary that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SummaryError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}; name the summary.json of a report, or its folder", path.display())]
    Io {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// It is none.
    #[error("{}: expected the summary.json of `lockstep merge` (format {FORMAT}): {message}", path.display())]
    Syntax {
        /// File.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

/// Reads a summary; of a folder, the one in it, or in the folder `report` of it.
///
/// # Errors
/// There is none.
pub fn read(path: &Path) -> Result<Summary, SummaryError> {
    let places = [path.join("summary.json"), path.join("report/summary.json")];
    let place = match path.is_dir() {
        true => places
            .iter()
            .find(|place| place.exists())
            .unwrap_or(&places[0]),
        false => path,
    };
    let text = text_file::read(place).map_err(|source| SummaryError::Io {
        path: place.into(),
        source,
    })?;
    let summary = serde_json::from_str(&text);
    let summary: Summary = summary.map_err(|error| SummaryError::Syntax {
        path: place.into(),
        message: of_json(&error),
    })?;
    match summary.format {
        FORMAT => Ok(summary),
        other => Err(SummaryError::Syntax {
            path: place.into(),
            message: format!("found format {other}"),
        }),
    }
}
