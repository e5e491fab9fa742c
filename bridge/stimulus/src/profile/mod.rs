//! The mix of random stimulus: what happens how often, as integers. `builtin/mixed.toml` tells what each key does.

#![expect(missing_docs, reason = "a key is documented in builtin/mixed.toml")]

mod weights;

mod areas;
mod builtin;
mod raised;

use serde::{Deserialize, Serialize};

use super::StimulusError;
pub use areas::{
    AccessAccesses, AccessArea, AccessKinds, Areas, AuditAccesses, AuditArea, Completions,
    CyclesAccesses, CyclesArea, CyclesKinds, Rates, SpeAccesses, SpeArea, SpmuAccesses, SpmuArea,
};
pub(super) use areas::{
    AccessMode, Area, AuditScript, CompletionKind, CyclesMode, CyclesScript, RateKind, SpeScript,
    SpmuScript, TypeScript,
};
use lockstep_base::plain::{Mistake, of_toml};
pub use raised::Named;
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    pub shortest: u32,
    pub longest: u32,
    pub again: u16,
}

/// How event types are made. Each value is a number out of 65536 types written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Types {
    pub chain: u16,
    pub chain_even: u16,
    pub alias: u16,
    pub unsupported: u16,
    pub shared: u16,
    pub res0: u16,
    pub samples: u16,
    pub cycles: u16,
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
    pub weight: u16,
    pub shortest: u16,
    pub longest: u16,
    pub access: u16,
    pub gate: u16,
    pub sparse: u16,
    /// Shares of base values.
    pub values: Values,
    /// Shares of register accesses.
    pub accesses: Accesses,
}

weights! {
    /// Weights of the kinds of base values. TH is that of a counter that counts the event.
    Values, ValueKind {
        hold Hold,
        step Step,
        threshold Threshold,
        below Below,
        above Above,
        bit Bit,
        alias Alias,
        zero Zero,
        one One,
        ones Ones,
        small Small,
        power Power,
        random Random,
    }
}

weights! {
    /// Weights of the kinds of register accesses. Most kinds are a short sequence of accesses.
    Accesses, AccessScript {
        read_any ReadAny,
        read_recent ReadRecent,
        read_counter ReadCounter,
        read_flags ReadFlags,
        write_type WriteType,
        write_pair WritePair,
        write_counter WriteCounter,
        near_overflow NearOverflow,
        enable Enable,
        control Control,
        select Select,
        flags Flags,
        cycle_counter CycleCounter,
        undefined Undefined,
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

impl Default for Profile {
    fn default() -> Self {
        Self::try_from(toml::Table::new()).expect("a test reads it")
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
        let mut table = builtin::MIXED.parse()?;
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
    fn a_wrong_type_has_its_line() {
        let text = "[reset]\nshortest = 1\n\n[phases.toggle]\nshortest = 3\nweight = true\n";
        let error = Profile::from_toml(text).unwrap_err().to_string();
        assert!(error.contains("line 6: expected a number"), "{error}");
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
        for name in Profile::names() {
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
