//! What `lockstep shrink` left of the stimulus of a failure: its recipe.

use lockstep_report::recipe;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The file of it, beside the report of the failure and in its capsule.
pub const FILE: &str = "shrunk.json";

/// Cycles that are kept in words; the file has all.
const MOST: usize = 40;

/// A reduced stimulus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shrunk {
    /// Cycles of it.
    pub cycles: usize,
    /// The first of them in words, a line each.
    pub recipe: Vec<String>,
}

impl Shrunk {
    /// That of a file; none if it is of another version.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let file: Value = serde_json::from_slice(bytes).ok()?;
        let cycles = file["cycles"].as_array().filter(|_| file["format"] == 1)?;
        Some(Self {
            cycles: cycles.len(),
            recipe: cycles.iter().take(MOST).map(recipe::words).collect(),
        })
    }

    /// How many cycles are left out of the words.
    pub fn more(&self) -> usize {
        self.cycles - self.recipe.len()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_one_is_cut() {
        let cycles: Vec<_> = (0..MOST + 2).map(|_| json!({ "reset": 1 })).collect();
        let file = json!({ "format": 1, "cycles": cycles });
        let shrunk = Shrunk::read(file.to_string().as_bytes()).expect("one");
        assert_eq!((shrunk.recipe.len(), shrunk.more()), (MOST, 2));
        assert_eq!(shrunk.recipe[0], "reset");
    }

    #[test]
    fn what_is_none_is_left_out() {
        for text in ["", "{}", r#"{"format": 2, "cycles": []}"#] {
            assert_eq!(Shrunk::read(text.as_bytes()), None, "{text}");
        }
    }
}
