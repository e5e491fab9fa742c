//! The profiles that are part of the program, and the one that a user names.

use std::path::Path;

use super::Profile;
use crate::StimulusError;

/// The built-in profile that has every key.
pub(super) const MIXED: &str = include_str!("builtin/mixed.toml");

/// The built-in profiles. `mixed` is the default; each of the others dwells on an area.
const BUILT_IN: [(&str, &str); 6] = [
    ("threshold", include_str!("builtin/threshold.toml")),
    ("spe", include_str!("builtin/spe.toml")),
    ("access", include_str!("builtin/access.toml")),
    ("cycles", include_str!("builtin/cycles.toml")),
    ("spmu", include_str!("builtin/spmu.toml")),
    ("mixed", MIXED),
];

impl Profile {
    /// Names of the built-in profiles.
    pub fn names() -> [&'static str; 6] {
        BUILT_IN.map(|(name, _)| name)
    }

    /// The built-in profile of that name.
    pub fn named(name: &str) -> Option<Self> {
        let (_, text) = BUILT_IN.iter().find(|(found, _)| *found == name)?;
        Some(Self::from_toml(text).expect("a test reads all of them"))
    }

    /// The profile that a user names: a built-in one, or that of a file.
    ///
    /// # Errors
    /// A word that is neither, and those of [`Profile::from_toml`].
    pub fn load(word: &str) -> Result<Self, StimulusError> {
        if let Some(profile) = Self::named(word) {
            return Ok(profile);
        }
        let text = lockstep_base::text_file::read(Path::new(word)).map_err(|error| {
            StimulusError::Profile(format!(
                "{word}: expected one of {} or a TOML file, found neither: {error}",
                Self::names().join(", ")
            ))
        })?;
        Self::from_toml(&text).map_err(|error| match error {
            StimulusError::Profile(message) => StimulusError::Profile(format!("{word}: {message}")),
            other => other,
        })
    }
}
