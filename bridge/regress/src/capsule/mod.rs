//! Capsules: all that shows a failure again, in one file. The manifest is [`Capsule`], the file is made by [`Packer`] and
//! read by [`unpack`].

mod archive;
mod error;
mod unpack;

use std::path::{Component, Path};

use lockstep_base::verdict::Verdict;
use serde::{Deserialize, Serialize};

use crate::plan::hash;
use crate::record::Program;
use crate::signature::Signature;

pub use archive::{MOST, Packer};
pub use error::CapsuleError;
pub use unpack::{file, is_capsule, manifest, unpack};

/// Version of capsules.
pub const FORMAT: u32 = 1;
/// The end of the names of their files.
pub const END: &str = ".tar.zst";

/// The manifest, the first file of a capsule. A run that failed leaves it in its folder, without files.
pub const MANIFEST: &str = "capsule.json";
/// What happens to the design.
pub const STIMULUS: &str = "stimulus.stim";
/// The implementation, as the suite has it.
pub const IMPLEMENTATION: &str = "implementation.toml";
/// The waivers, if there are some.
pub const WAIVERS: &str = "waivers.toml";
/// The profile of generated stimulus, if it is a file.
pub const PROFILE: &str = "profile.toml";
/// The recorded stimulus of the suite, in the folder of a run.
pub const RECORDED: &str = "recorded.stim";
/// The folder of the design's sources.
pub const SOURCES: &str = "sources";

/// A failure, and what it needs to be seen again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capsule {
    /// [`FORMAT`].
    pub format: u32,
    /// The program of the run.
    pub program: Program,
    /// Name of the suite.
    pub suite: String,
    /// Hash of it.
    pub suite_hash: String,
    /// Name of the run.
    pub run: String,
    /// The command of the run, in the folder of the suite.
    pub command: String,
    /// Day of the run, `2027-03-31`: waivers are judged on it.
    pub day: String,
    /// What it shares with others of its kind.
    pub signature: Signature,
    /// What is to be seen again.
    pub end: End,
    /// Where the stimulus comes from.
    pub stimulus: Origin,
    /// Seconds without a completed cycle after which the design hangs, if the suite says so.
    pub hang_after: Option<u64>,
    /// Other initial states of the design that the run began from as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<u32>,
    /// The design.
    pub design: Design,
    /// What the capsule should have and does not, with the reason.
    #[serde(default)]
    pub lacks: Vec<String>,
    /// All other files, in the order of their names.
    #[serde(default)]
    pub files: Vec<Entry>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Its verdict.
    pub verdict: Verdict,
    /// The cycle of the run.
    pub cycle: Option<u64>,
    /// The root field of a divergence.
    pub field: Option<String>,
    /// The model's value of it.
    pub expected: Option<String>,
    /// The design's.
    pub rtl: Option<String>,
}

/// Where the stimulus of a run comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The cycle of the run that is cycle 0 of the capsule's stimulus.
    pub first: u64,
    /// Seed, if it was generated.
    pub seed: Option<u64>,
    /// Cycles that were asked for, if it was.
    pub cycles: Option<u64>,
    /// Profile, if it was: a name, or a file that is [`PROFILE`].
    pub profile: Option<String>,
    /// Version of the generator.
    pub generator: u16,
}

/// The design of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Design {
    /// Its name in the suite.
    pub name: String,
    /// Whether it is the one that the program has in it.
    pub bundled: bool,
    /// Options of `lockstep build` as the suite has them, or where the built design was.
    pub options: Vec<String>,
    /// The folder of the suite, where paths of the options start.
    #[serde(default)]
    pub folder: Option<String>,
    /// Hash of sources, options and Verilator, as in the results.
    pub hash: Option<String>,
    /// Version of Verilator.
    pub verilator: Option<String>,
    /// The wrapper module.
    pub top: Option<String>,
    /// Its parameters: `NAME=VALUE`.
    pub parameters: Vec<String>,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Further arguments of Verilator.
    pub verilator_args: Vec<String>,
    /// The files that it was made of.
    pub sources: Vec<Source>,
    /// RTL of the copy below [`SOURCES`], packages first, if there is one.
    #[serde(default)]
    pub copy: Vec<String>,
}

/// A file that a design was made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Source {
    /// Where it was.
    pub path: String,
    /// SHA-256 of its contents, in hexadecimal.
    pub sha256: String,
}

/// A file of a capsule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name, with `/` between folders.
    pub name: String,
    /// Bytes of it.
    pub size: u64,
    /// XXH3-128 of them, in hexadecimal.
    pub hash: String,
}

impl Design {
    /// Hash of the contents of its sources, wherever they are; none of the bundled one.
    pub fn content(&self) -> Option<String> {
        content(self.sources.iter().map(|source| source.sha256.as_str()))
    }
}

/// Hash of the hashes of some files.
pub fn content<'a>(hashes: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut all: Vec<_> = hashes.collect();
    all.sort_unstable();
    (!all.is_empty()).then(|| hash(all.join("\n").as_bytes()))
}

impl Capsule {
    /// Whether it has a file of that name.
    pub fn has(&self, name: &str) -> bool {
        self.files.iter().any(|file| file.name == name)
    }

    /// The cycle in which its stimulus shows the failure.
    pub fn cycle(&self) -> Option<u64> {
        let cycle = self.end.cycle?;
        Some(cycle.saturating_sub(self.stimulus.first))
    }
}

/// The name of the file of the capsule of a kind of failures, the same in every report.
pub fn name(signature: &Signature) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let words: String = signature.words().chars().map(plain).take(60).collect();
    let mut parts: Vec<_> = words.split('-').filter(|part| !part.is_empty()).collect();
    let text = serde_json::to_string(signature).unwrap_or_default();
    let hash = hash(text.as_bytes());
    parts.push(&hash[..8]);
    parts.join("-") + END
}

/// Whether a name leads nowhere but into the folder that it is unpacked to.
fn stays_inside(name: &str) -> bool {
    let is_plain = |part| matches!(part, Component::Normal(_));
    !name.is_empty()
        && name.len() <= 1024
        && !name.ends_with('/')
        && !name.chars().any(|c| c.is_control() || c == '\\')
        && Path::new(name).components().all(is_plain)
        && !name.contains("//")
        && !name.split('/').any(|part| part == ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_stay_inside() {
        for name in ["a", "sources/rtl/a.sv", "a b", "..a"] {
            assert!(stays_inside(name), "{name}");
        }
        for name in [
            "", "/a", "../a", "a/../b", "a//b", "a/", "./a", "a/./b", "a\n", "a\\b",
        ] {
            assert!(!stays_inside(name), "{name}");
        }
    }

    #[test]
    fn kinds_have_names_that_are_files() {
        let one = Signature::of_end("my.design", Verdict::Crash, "crashed: /x/../y: 5");
        let name = super::name(&one);
        assert!(name.starts_with("my-design-crashed-x-y-5-"), "{name}");
        assert!(!name.contains('/') && name.ends_with(END), "{name}");
        let other = Signature {
            verdict: Verdict::Hang,
            ..one
        };
        assert_ne!(super::name(&other), name);
    }
}
