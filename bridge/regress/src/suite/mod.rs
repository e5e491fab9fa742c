//! A suite: implementations x designs x stimulus x seeds x cycles, in groups. TOML or JSON.

mod file;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize, de};

use crate::seeds::Seeds;

pub use file::SuiteError;

/// The design that needs no entry.
pub const BUNDLED: &str = "bundled";
/// The implementation that needs no entry.
pub const DEFAULT: &str = "default";
/// How the option for a further argument of Verilator begins.
pub const VERILATOR_ARG: &str = "--verilator-arg=";
/// Cycles of a run with generated stimulus, unless others are asked for.
pub const CYCLES: u64 = 1_000_000;

/// A suite, as its file has it. Paths are relative to the folder of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Its name, for people.
    pub name: String,
    /// What no run may exceed.
    #[serde(default)]
    pub limits: Limits,
    /// What the merge fails for.
    #[serde(default)]
    pub demand: Demand,
    /// Implementation files by name.
    #[serde(default)]
    pub implementations: BTreeMap<String, PathBuf>,
    /// Designs by name.
    #[serde(default)]
    pub designs: BTreeMap<String, Design>,
    /// What is run.
    pub group: Vec<Group>,
}

/// What no run may exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Seconds that a run may take.
    pub wall_seconds: Option<u64>,
    /// MiB that the processes of a run may have in memory.
    pub memory_mib: Option<u64>,
    /// Seconds without a completed cycle after which a design hangs.
    pub hang_after: Option<u64>,
}

/// What is a failure of the suite, beside those of its runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// A field that no run compared, or compared with more than one value.
    #[serde(default)]
    pub fields: bool,
    /// A rule that a cycle could take and no run took.
    #[serde(default)]
    pub rules: bool,
}

/// Where a design comes from: a folder of `lockstep build`, or RTL that is built before the runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// A folder of `lockstep build`.
    pub dut: Option<PathBuf>,
    /// Folders or files, as for `--rtl`.
    #[serde(default)]
    pub rtl: Vec<PathBuf>,
    /// File lists, as for `--filelist`.
    #[serde(default)]
    pub filelist: Vec<PathBuf>,
    /// The wrapper module.
    pub top: Option<String>,
    /// Its parameters: `NAME=VALUE`.
    #[serde(default)]
    pub param: Vec<String>,
    /// Macros: `NAME` or `NAME=VALUE`.
    #[serde(default)]
    pub define: Vec<String>,
    /// Further arguments of Verilator.
    #[serde(default)]
    pub verilator_arg: Vec<String>,
}

impl Design {
    /// Options of a command that takes it from where it comes from; paths as `place` has them.
    pub fn options(&self, place: impl Fn(&PathBuf) -> PathBuf) -> Vec<String> {
        let path = |path: &PathBuf| place(path).display().to_string();
        let words: [(&str, Vec<String>); 6] = [
            ("--dut", self.dut.iter().map(path).collect()),
            ("--rtl", self.rtl.iter().map(path).collect()),
            ("--filelist", self.filelist.iter().map(path).collect()),
            ("--top", self.top.iter().cloned().collect()),
            ("--param", self.param.clone()),
            ("--define", self.define.clone()),
        ];
        let pairs = words
            .into_iter()
            .flat_map(|(option, values)| values.into_iter().map(move |value| (option, value)));
        let mut options: Vec<_> = pairs
            .flat_map(|(option, value)| [option.to_owned(), value])
            .collect();
        let arguments = self.verilator_arg.iter();
        options.extend(arguments.map(|argument| format!("{VERILATOR_ARG}{argument}")));
        options
    }

    /// Whether it must be built.
    pub fn is_built_here(&self) -> bool {
        self.dut.is_none()
    }
}

/// Runs: every implementation with every design, with every stimulus, for every number of cycles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Names of implementations; all that are listed, or the default, if there are none.
    pub implementations: Option<Vec<String>>,
    /// Names of designs; all that are listed, or the bundled one, if there are none.
    pub designs: Option<Vec<String>>,
    /// Profiles of generated stimulus: names, or TOML files. The usual mix, if nothing is recorded either.
    pub profiles: Option<Vec<String>>,
    /// Recorded stimulus, played to its end.
    #[serde(default, deserialize_with = "some")]
    pub recorded: Vec<PathBuf>,
    /// Seeds of generated stimulus.
    #[serde(default)]
    pub seeds: Seeds,
    /// Cycles of generated stimulus.
    #[serde(default)]
    pub cycles: Cycles,
    /// A file of waivers.
    pub waivers: Option<PathBuf>,
    /// Whether rules and crosses are counted; slower.
    #[serde(default)]
    pub coverage: bool,
    /// Whether coverage of the RTL is counted; another build, and slower.
    #[serde(default, skip_serializing_if = "is_false")]
    pub rtl_coverage: bool,
    /// Whether runs go on after a divergence.
    #[serde(default, skip_serializing_if = "is_false")]
    pub keep_going: bool,
    /// Initial states of the design, beside zeros, from which each run is run as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub init: Option<u32>,
}

/// Files of a list that has some.
fn some<'de, D: de::Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
    let files = Vec::<PathBuf>::deserialize(from)?;
    match files.is_empty() {
        true => Err(de::Error::custom(
            "expected files in the list of recorded stimulus, found none: leave the key out to generate stimulus",
        )),
        false => Ok(files),
    }
}

/// The most initial states of a run.
pub const MOST_STATES: u32 = 1000;

/// Whether a key is not there: a suite without it has the hash that it had before there was one.
fn is_false(key: &bool) -> bool {
    !key
}

/// Numbers of cycles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cycles(pub Vec<u64>);

impl Default for Cycles {
    fn default() -> Self {
        Self(vec![CYCLES])
    }
}

impl<'de> Deserialize<'de> for Cycles {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        use serde::de::{SeqAccess, Visitor};
        struct Of;
        impl<'de> Visitor<'de> for Of {
            type Value = Cycles;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("cycles, 1 or more, or a list of such numbers")
            }
            fn visit_u64<E: de::Error>(self, cycles: u64) -> Result<Cycles, E> {
                match cycles {
                    0 => Err(E::custom("expected cycles, 1 or more, found 0")),
                    _ => Ok(Cycles(vec![cycles])),
                }
            }
            fn visit_i64<E: de::Error>(self, cycles: i64) -> Result<Cycles, E> {
                self.visit_u64(cycles.try_into().unwrap_or(0))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Cycles, A::Error> {
                let mut all = Vec::new();
                while let Some(Cycles(cycles)) = parts.next_element()? {
                    all.extend(cycles);
                }
                match all.is_empty() {
                    true => Err(de::Error::custom(
                        "expected cycles at least once, found none",
                    )),
                    false => Ok(Cycles(all)),
                }
            }
        }
        from.deserialize_any(Of)
    }
}
