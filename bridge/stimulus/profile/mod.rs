//! The mix of random stimulus: what happens how often, as integers. `docs/stimulus.md` lists the keys.

mod weights;

mod areas;
mod builtin;

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::StimulusError;
use crate::plain::{Mistake, of_toml};
pub use areas::{
    AccessAccesses, AccessArea, AccessKinds, Areas, AuditAccesses, AuditArea, Completions,
    CyclesAccesses, CyclesArea, CyclesKinds, Rates, SpeAccesses, SpeArea, SpmuAccesses, SpmuArea,
};
pub(super) use areas::{
    AccessMode, Area, AuditScript, CompletionKind, CyclesMode, CyclesScript, RateKind, SpeScript,
    SpmuScript, TypeScript,
};
use weights::weights;

/// The weights and probabilities of a [`super::Generator`]. A profile file gives only the keys that differ from
/// the default.
///
/// ```toml
/// [reset]
/// longest = 2000
///
/// [phases.quiet]
/// weight = 0
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "toml::Table")]
pub struct Profile {
    /// Shares of the areas.
    pub areas: Areas,
    /// Resets in mid-run.
    pub reset: Resets,
    /// Contents of PMEVTYPER\<n\>_EL0.
    pub types: Types,
    /// The phases of area `threshold`.
    pub phases: Phases,
    /// Area `spe`.
    pub spe: SpeArea,
    /// Area `access`.
    pub access: AccessArea,
    /// Area `cycles`.
    pub cycles: CyclesArea,
    /// Area `spmu`.
    pub spmu: SpmuArea,
    /// Area `audit`.
    pub audit: AuditArea,
}

/// Distances between resets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resets {
    /// Shortest distance between resets, in cycles, 1 to 1 000 000.
    pub shortest: u32,
    /// Longest distance, in cycles, `shortest` to 1 000 000.
    pub longest: u32,
    /// Out of 65536 resets, how many are followed by another one within 8 cycles.
    pub again: u16,
}

/// How event types are made. Each value is a number out of 65536 types written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Types {
    /// CHAIN on an odd counter, where it is implemented; a quarter of that where it is not and 0x001E is no lane.
    pub chain: u16,
    /// Event 0x001E on an even counter, where CHAIN is implemented or 0x001E is no lane.
    pub chain_even: u16,
    /// An event number that differs from a supported one in one bit of 5 to 15.
    pub alias: u16,
    /// A random event number of 16 bits.
    pub unsupported: u16,
    /// The event of the other counter of the pair.
    pub shared: u16,
    /// Ones in RES0 bits.
    pub res0: u16,
    /// An event of Statistical Profiling, 0x4000 to 0x4003.
    pub samples: u16,
    /// An event of the threads: cycles, stalls, INST_RETIRED.
    pub cycles: u16,
    /// Random filters; the others filter nothing.
    pub filtered: u16,
}

/// The phases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// Register traffic of all kinds.
    pub busy: Phase,
    /// Counting, with reads only.
    pub quiet: Phase,
    /// Base values that step around the thresholds.
    pub edge: Phase,
    /// Base values that are zero and nonzero in both counters of a pair.
    pub link: Phase,
    /// Counters that overflow, with writes at that moment.
    pub overflow: Phase,
    /// Counting that is stopped and resumed.
    pub toggle: Phase,
}

/// The mix of one kind of phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Share of phases of this kind.
    pub weight: u16,
    /// Shortest length in cycles, at least 1.
    pub shortest: u16,
    /// Longest length in cycles, at least `shortest`.
    pub longest: u16,
    /// Out of 65536 cycles without anything else to do, how many begin a register access.
    pub access: u16,
    /// Out of 65536 cycles, how many change `counting_allowed`.
    pub gate: u16,
    /// Out of 65536 phases, how many begin with a random `counting_allowed` instead of all ones.
    pub sparse: u16,
    /// Shares of base values.
    pub values: Values,
    /// Shares of register accesses.
    pub accesses: Accesses,
}

weights! {
    /// Weights of the kinds of base values. TH is that of a counter that counts the event.
    Values, ValueKind {
        /// What the event had in the cycle before.
        hold Hold,
        /// That, plus or minus 1.
        step Step,
        /// TH.
        threshold Threshold,
        /// TH - 1.
        below Below,
        /// TH + 1.
        above Above,
        /// TH plus or minus a power of two.
        bit Bit,
        /// TH plus a multiple of 2^THWIDTH, 2^11 or 2^12.
        alias Alias,
        /// 0.
        zero Zero,
        /// 1.
        one One,
        /// All bits of the event one.
        ones Ones,
        /// 0 to 15.
        small Small,
        /// A power of two.
        power Power,
        /// Random, the bits of one event independent of another's.
        random Random,
    }
}

weights! {
    /// Weights of the kinds of register accesses. Most kinds are a short sequence of accesses.
    Accesses, AccessScript {
        /// A read of any register.
        read_any ReadAny,
        /// A read of a register that was written lately.
        read_recent ReadRecent,
        /// A read of an event counter.
        read_counter ReadCounter,
        /// A read of the overflow flags.
        read_flags ReadFlags,
        /// A new type for one counter.
        write_type WriteType,
        /// New types for both counters of a pair.
        write_pair WritePair,
        /// A new value for one counter.
        write_counter WriteCounter,
        /// A counter that is about to overflow, and accesses that collide with it.
        near_overflow NearOverflow,
        /// PMCNTENSET_EL0 and PMCNTENCLR_EL0.
        enable Enable,
        /// PMCR_EL0.
        control Control,
        /// PMSELR_EL0, then PMXEVTYPER_EL0 or PMXEVCNTR_EL0.
        select Select,
        /// PMOVSCLR_EL0 and PMOVSSET_EL0.
        flags Flags,
        /// PMCCNTR_EL0 and PMCCFILTR_EL0.
        cycle_counter CycleCounter,
        /// An access that is UNDEFINED.
        undefined Undefined,
        /// A reserved {TC, TE, TLC} for a few cycles.
        reserved Reserved,
    }
}

impl Phases {
    /// The phases in the order in which the generator numbers them, with their names.
    pub(super) fn all(&self) -> [(&'static str, &Phase); 6] {
        [
            ("busy", &self.busy),
            ("quiet", &self.quiet),
            ("edge", &self.edge),
            ("link", &self.link),
            ("overflow", &self.overflow),
            ("toggle", &self.toggle),
        ]
    }
}

impl Default for Resets {
    fn default() -> Self {
        Self {
            shortest: 256,
            longest: 12288,
            again: 8192,
        }
    }
}

impl Default for Types {
    fn default() -> Self {
        Self {
            chain: 8192,
            chain_even: 512,
            alias: 1024,
            unsupported: 256,
            shared: 2048,
            res0: 8192,
            samples: 4096,
            cycles: 8192,
            filtered: 16384,
        }
    }
}

impl Default for Phases {
    fn default() -> Self {
        let reads = Accesses {
            read_any: 136,
            read_recent: 24,
            read_counter: 72,
            read_flags: 24,
            write_type: 0,
            write_pair: 0,
            write_counter: 0,
            near_overflow: 0,
            enable: 0,
            control: 0,
            select: 0,
            flags: 0,
            cycle_counter: 0,
            undefined: 0,
            reserved: 0,
        };
        let mixed = Accesses {
            read_any: 64,
            read_recent: 36,
            read_counter: 24,
            read_flags: 12,
            write_type: 20,
            write_pair: 20,
            write_counter: 16,
            near_overflow: 20,
            enable: 10,
            control: 7,
            select: 14,
            flags: 8,
            cycle_counter: 5,
            undefined: 5,
            reserved: 2,
        };
        let around = Values {
            hold: 36,
            step: 10,
            threshold: 40,
            below: 32,
            above: 24,
            bit: 22,
            alias: 12,
            zero: 26,
            one: 12,
            ones: 10,
            small: 16,
            power: 6,
            random: 10,
        };
        Self {
            busy: Phase {
                weight: 64,
                shortest: 32,
                longest: 256,
                access: 49152,
                gate: 1024,
                sparse: 4096,
                values: around.clone(),
                accesses: mixed.clone(),
            },
            quiet: Phase {
                weight: 40,
                shortest: 64,
                longest: 384,
                access: 20000,
                gate: 128,
                sparse: 4096,
                values: Values {
                    hold: 128,
                    ..around.clone()
                },
                accesses: reads.clone(),
            },
            edge: Phase {
                weight: 44,
                shortest: 32,
                longest: 256,
                access: 20000,
                gate: 2048,
                sparse: 4096,
                values: Values {
                    hold: 64,
                    threshold: 64,
                    below: 56,
                    ..around.clone()
                },
                accesses: Accesses {
                    write_type: 40,
                    write_pair: 12,
                    ..mixed.clone()
                },
            },
            link: Phase {
                weight: 40,
                shortest: 32,
                longest: 256,
                access: 24000,
                gate: 1024,
                sparse: 4096,
                values: Values {
                    zero: 72,
                    threshold: 64,
                    one: 24,
                    ..around.clone()
                },
                accesses: Accesses {
                    write_pair: 64,
                    enable: 16,
                    ..mixed.clone()
                },
            },
            overflow: Phase {
                weight: 36,
                shortest: 32,
                longest: 192,
                access: 40000,
                gate: 512,
                sparse: 1024,
                values: Values {
                    ones: 32,
                    power: 24,
                    random: 40,
                    ..around.clone()
                },
                accesses: Accesses {
                    near_overflow: 110,
                    read_flags: 24,
                    ..mixed.clone()
                },
            },
            toggle: Phase {
                weight: 32,
                shortest: 32,
                longest: 192,
                access: 28000,
                gate: 10000,
                sparse: 8192,
                values: Values {
                    hold: 72,
                    threshold: 56,
                    below: 40,
                    ..around
                },
                accesses: Accesses {
                    enable: 56,
                    control: 32,
                    ..mixed
                },
            },
        }
    }
}

/// All keys of a profile: what [`Profile`] is read through, so that a file need not give all of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, remote = "Profile")]
struct Complete {
    areas: Areas,
    reset: Resets,
    types: Types,
    phases: Phases,
    spe: SpeArea,
    access: AccessArea,
    cycles: CyclesArea,
    spmu: SpmuArea,
    audit: AuditArea,
}

impl TryFrom<toml::Table> for Profile {
    type Error = toml::de::Error;

    fn try_from(given: toml::Table) -> Result<Self, Self::Error> {
        let mut table =
            toml::Table::try_from(Self::default()).expect("the default has a TOML form");
        overlay(&mut table, given);
        Complete::deserialize(table)
    }
}

/// Replaces in `base` what `given` has; tables are gone into.
fn overlay(base: &mut toml::Table, given: toml::Table) {
    for (key, value) in given {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(base)), toml::Value::Table(given)) => overlay(base, given),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

impl Profile {
    /// Reads a profile from TOML text; keys that it does not give keep their defaults.
    ///
    /// # Errors
    /// Text that is not TOML, a key that does not exist, or an impossible value.
    pub fn from_toml(text: &str) -> Result<Self, StimulusError> {
        let profile: Self = toml::from_str(text).map_err(|error| {
            let Mistake { line, message, .. } = of_toml(text, &error);
            StimulusError::Profile(format!("line {line}: {message}"))
        })?;
        profile.validate()?;
        Ok(profile)
    }

    /// The profile that a user names: a built-in one, or that of a file.
    ///
    /// # Errors
    /// A word that is neither, and those of [`Profile::from_toml`].
    pub fn load(word: &str) -> Result<Self, StimulusError> {
        if let Some(profile) = Self::named(word) {
            return Ok(profile);
        }
        let text = crate::text_file::read(Path::new(word)).map_err(|error| {
            StimulusError::Profile(format!(
                "{word}: expected one of {} or a TOML file, found neither: {error}",
                Self::NAMES.join(", ")
            ))
        })?;
        Self::from_toml(&text).map_err(|error| match error {
            StimulusError::Profile(message) => StimulusError::Profile(format!("{word}: {message}")),
            other => other,
        })
    }

    /// The profile as TOML text with every key.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a profile has a TOML form")
    }

    /// Checks that the weights can be drawn from and the ranges are not empty.
    ///
    /// # Errors
    /// The first key that is impossible.
    pub fn validate(&self) -> Result<(), StimulusError> {
        let error = |text: String| Err(StimulusError::Profile(text));
        let Resets {
            shortest, longest, ..
        } = self.reset;
        if !(1..=1_000_000).contains(&shortest) || !(shortest..=1_000_000).contains(&longest) {
            return error(format!(
                "reset.shortest = {shortest}, reset.longest = {longest}: expected 1 <= shortest <= longest <= 1000000"
            ));
        }
        let phases = self.phases.all();
        if phases.iter().all(|(_, phase)| phase.weight == 0) {
            return error("phases: every weight is 0, expected one that is not".into());
        }
        for (name, phase) in phases {
            let Phase {
                shortest, longest, ..
            } = *phase;
            if shortest == 0 || longest < shortest {
                return error(format!(
                    "phases.{name}.shortest = {shortest}, longest = {longest}: expected 1 <= shortest <= longest"
                ));
            }
            for (key, weights) in [
                ("values", phase.values.weights()),
                ("accesses", phase.accesses.weights()),
            ] {
                if weights.iter().all(|&weight| weight == 0) {
                    return error(format!(
                        "phases.{name}.{key}: every weight is 0, expected one that is not"
                    ));
                }
            }
        }
        self.validate_areas()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_valid_and_round_trips() {
        let default = Profile::default();
        default.validate().unwrap();
        assert_eq!(Profile::from_toml(&default.to_toml()).unwrap(), default);
        assert_eq!(Profile::from_toml("").unwrap(), default);
    }

    #[test]
    fn one_key_changes_one_key() {
        let profile = Profile::from_toml("[phases.quiet.values]\nhold = 7\n").unwrap();
        let mut expected = Profile::default();
        expected.phases.quiet.values.hold = 7;
        assert_eq!(profile, expected);
    }

    #[test]
    fn names_and_files() {
        assert_eq!(Profile::load("mixed").unwrap(), Profile::default());
        for name in Profile::NAMES {
            let profile = Profile::load(name).unwrap();
            profile.validate().unwrap();
            assert_eq!(Profile::from_toml(&profile.to_toml()).unwrap(), profile);
        }
        assert_eq!(
            Profile::load("speed").unwrap_err().to_string(),
            "[stimulus] profile: speed: expected one of threshold, spe, access, cycles, spmu, mixed or a TOML file, \
             found neither: No such file or directory (os error 2)"
        );
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("a.toml");
        std::fs::write(&path, "[areas]\nspe = 0\n").unwrap();
        assert_eq!(Profile::load(path.to_str().unwrap()).unwrap().areas.spe, 0);
        std::fs::write(&path, "[areas]\nsep = 0\n").unwrap();
        let message = Profile::load(path.to_str().unwrap())
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("a.toml: line 1: unknown key `sep`"),
            "{message}"
        );
    }

    #[test]
    fn errors_name_the_key() {
        let message = |text: &str| Profile::from_toml(text).unwrap_err().to_string();
        assert!(message("[phases.loud]\nweight = 1\n").contains("unknown key `loud`"));
        assert!(message("[reset]\nshortest = 9\nlongest = 8\n").contains("reset.longest = 8"));
        assert!(message("[phases.busy]\nshortest = 0\n").contains("phases.busy.shortest = 0"));
        let zero = Profile::default()
            .phases
            .all()
            .map(|(name, _)| format!("[phases.{name}]\nweight = 0\n"))
            .concat();
        assert!(message(&zero).contains("every weight is 0"));
    }
}
