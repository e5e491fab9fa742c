//! Files of proofs: which rules are proved.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use lockstep_base::plain::of_json;
use lockstep_base::text_file;
use serde::{Deserialize, Serialize};

/// What came of the claims that name a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// All of them hold, whatever the state and the inputs.
    Proved,
    /// One was not decided in its time.
    NotDecided,
    /// One does not hold.
    Refuted,
}

impl Proof {
    /// In a table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::NotDecided => "open",
            Self::Refuted => "refuted",
        }
    }
}

/// The rules that claims of one or several implementations name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proofs {
    /// By id, the worst that came of any.
    pub rules: BTreeMap<String, Proof>,
}

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProofsError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}; name a file that `lockstep prove --json` printed", path.display())]
    Io {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// It holds something else.
    #[error("{}: not proofs as `lockstep prove --json` prints them: {}", path.display(), of_json(source))]
    Syntax {
        /// File.
        path: PathBuf,
        /// Reason.
        source: serde_json::Error,
    },
}

#[derive(Deserialize)]
struct File {
    areas: Vec<Area>,
}

#[derive(Deserialize)]
struct Area {
    claims: Vec<Claim>,
}

#[derive(Deserialize)]
struct Claim {
    rules: Vec<String>,
    result: Proof,
}

impl Proofs {
    /// Reads what was printed of several implementations.
    ///
    /// # Errors
    /// The first file that cannot be used.
    pub fn read(paths: &[PathBuf]) -> Result<Self, ProofsError> {
        let mut proofs = Self::default();
        for path in paths {
            proofs.add(path)?;
        }
        Ok(proofs)
    }

    fn add(&mut self, path: &Path) -> Result<(), ProofsError> {
        let text = text_file::read(path).map_err(|source| ProofsError::Io {
            path: path.into(),
            source,
        })?;
        let file: File = serde_json::from_str(&text).map_err(|source| ProofsError::Syntax {
            path: path.into(),
            source,
        })?;
        let claims = file.areas.into_iter().flat_map(|area| area.claims);
        for Claim { rules, result } in claims {
            for id in rules {
                let worst = self.rules.entry(id).or_insert(result);
                *worst = result.max(*worst);
            }
        }
        Ok(())
    }
}
