//! What a design states of itself, by name.

use pmu_model::DutParameters;
use pmu_model::contract::{CONTRACT_VERSION, LAYOUT_VERSION};
use pmu_model::features::FEATURES;
use pmu_model::wrapper::{Increments, PARTS};
use serde::{Deserialize, Serialize};

/// A design of another contract than this program's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", contract_words(name, expected, found))]
pub struct ContractMismatch {
    /// What differs.
    pub name: &'static str,
    /// What this program knows.
    pub expected: String,
    /// What the design states.
    pub found: String,
}

/// What parameters_o starts with.
const MAGIC: &str = "the magic number that parameters_o starts with";

const VERSION: &str = "contract version";
const LAYOUT: &str = "layout version";

/// What is told of a design that states another contract; `name` is what differs.
pub(super) fn contract_words(name: &str, expected: &str, found: &str) -> String {
    let section = "docs/dut-contract.md, section 4";
    if name != MAGIC {
        return format!(
            "the design states another DUT contract: {name}: expected {expected}, found {found}; see {section}, for what \
             parameters_o holds"
        );
    }
    let problem = match u32::from_str_radix(found.trim_start_matches("0x"), 16) {
        Ok(0) => "the wrapper does not drive parameters_o",
        _ => "the wrapper does not state a DUT contract",
    };
    format!(
        "{problem}: expected the magic number {expected} in its bits [31:0], found {found}; drive it with what the design is, as {section}, \
         says"
    )
}

/// Whether a parameter of this name says what the others mean.
pub(super) fn is_of_contract(name: &str) -> bool {
    [MAGIC, VERSION, LAYOUT].contains(&name)
}

/// `DutParameters` in words: numbers as they are, registers in hexadecimal, features by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated {
    /// Version of the contract.
    pub contract_version: u16,
    /// Version of the layout of inputs and outputs.
    pub layout_version: u16,
    /// Event counters.
    pub counters: u8,
    /// Bits of an event counter.
    pub counter_bits: u8,
    /// Event lanes.
    pub event_count: u8,
    /// Bits of an event lane.
    pub event_width: u8,
    /// PMMIR_EL1.THWIDTH.
    pub thwidth: u8,
    /// PMMIR_EL1 bits \[19:0\].
    pub pmmir: String,
    /// Cycles by which the increments are late.
    pub latency_increment: u8,
    /// Cycles by which the results of accesses are late.
    pub latency_access: u8,
    /// Cycles by which the outputs of sampling are late.
    pub latency_spe: u8,
    /// Threads of the processor.
    pub threads: u8,
    /// Samples that can be in flight.
    pub max_inflight: u8,
    /// PMSIDR_EL1.
    pub pmsidr: String,
    /// SPMCFGR_EL1 of each System PMU that is implemented.
    pub spmcfgr: Vec<String>,
    /// Features, as in the implementation file.
    pub features: Vec<String>,
    /// Cycles from one register access to the next, at least (DUT-70).
    #[serde(default)]
    pub access_interval: u8,
    /// What `increment` shows (DUT-71).
    #[serde(default)]
    pub increments: String,
    /// What the design does not have (DUT-72), as in the implementation file.
    #[serde(default)]
    pub lacks: Vec<String>,
}

impl Stated {
    /// The first key whose value differs from that in `other`, and both values. What a manifest of an earlier version
    /// leaves out does not differ.
    pub fn differs(&self, other: &Self) -> Option<[String; 3]> {
        let table = |stated: &Self| toml::Table::try_from(stated).unwrap_or_default();
        let later: &[&str] = match (self.access_interval, self.increments.as_str()) {
            (0, "") => &["access_interval", "increments", "lacks"],
            _ => &[],
        };
        let (own, other) = (table(self), table(other));
        own.iter()
            .filter(|(key, value)| !later.contains(&key.as_str()) && other.get(*key) != Some(value))
            .map(|(key, value)| {
                let other = other
                    .get(key)
                    .map_or("nothing".into(), toml::Value::to_string);
                [key.clone(), value.to_string(), other]
            })
            .next()
    }

    /// Reads what a design states.
    ///
    /// # Errors
    /// It is of another contract, so that the rest means something else.
    pub fn of(parameters: &DutParameters) -> Result<Self, ContractMismatch> {
        check_contract(parameters)?;
        let word = |value: u32| format!("{value:#010x}");
        let features = FEATURES.iter().enumerate();
        let features = features.filter(|(bit, _)| parameters.features >> bit & 1 == 1);
        let system_pmus = usize::from(parameters.system_pmus);
        Ok(Self {
            contract_version: parameters.contract_version,
            layout_version: parameters.layout_version,
            counters: parameters.counters,
            counter_bits: parameters.counter_bits,
            event_count: parameters.event_count,
            event_width: parameters.event_width,
            thwidth: parameters.thwidth,
            pmmir: word(parameters.pmmir),
            latency_increment: parameters.latency_increment,
            latency_access: parameters.latency_access,
            latency_spe: parameters.latency_spe,
            threads: parameters.threads,
            max_inflight: parameters.max_inflight,
            pmsidr: word(parameters.pmsidr),
            spmcfgr: parameters
                .spmcfgr
                .iter()
                .take(system_pmus)
                .map(|&value| word(value))
                .collect(),
            features: features
                .map(|(_, feature)| feature.name().to_owned())
                .collect(),
            access_interval: parameters.access_interval.max(1),
            increments: Increments::from_code(parameters.increment_form).map_or_else(
                || parameters.increment_form.to_string(),
                |form| form.word().into(),
            ),
            lacks: PARTS
                .iter()
                .enumerate()
                .filter(|(bit, _)| parameters.lacks >> bit & 1 == 1)
                .map(|(_, (name, _))| (*name).to_owned())
                .collect(),
        })
    }
}

/// Checks magic number and versions, which say what the rest means.
///
/// # Errors
/// The first that differs.
pub fn check_contract(parameters: &DutParameters) -> Result<(), ContractMismatch> {
    let mismatch = |name, expected, found| {
        Err(ContractMismatch {
            name,
            expected,
            found,
        })
    };
    if parameters.magic != DutParameters::MAGIC {
        let word = |magic: u32| format!("{magic:#010x}");
        return mismatch(MAGIC, word(DutParameters::MAGIC), word(parameters.magic));
    }
    let versions = [
        (VERSION, CONTRACT_VERSION, parameters.contract_version),
        (LAYOUT, LAYOUT_VERSION, parameters.layout_version),
    ];
    for (name, expected, found) in versions {
        if expected != found {
            return mismatch(name, expected.to_string(), found.to_string());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pmu_model::Implementation;

    use super::*;

    #[test]
    fn features_and_registers_are_words() {
        let mut parameters = DutParameters::of(&Implementation::default());
        parameters.features = 1 << 2 | 1 << 23 | 1 << 30;
        let stated = Stated::of(&parameters).expect("this contract");
        assert_eq!(stated.features, ["th2", "spe_exc"]);
        assert_eq!(
            (stated.counters, stated.pmsidr.as_str()),
            (31, "0x00026227")
        );
        assert_eq!(stated.spmcfgr.len(), 2);
    }

    #[test]
    fn a_manifest_that_differs() {
        let stated =
            Stated::of(&DutParameters::of(&Implementation::default())).expect("this contract");
        assert_eq!(stated.differs(&stated), None);
        let edited = Stated {
            counters: 7,
            ..stated.clone()
        };
        let words = ["counters", "7", "31"].map(str::to_owned);
        assert_eq!(edited.differs(&stated), Some(words));
        let words = ["lacks", "[\"aarch32\"]", "[]"].map(str::to_owned);
        let mut lacking = stated.clone();
        lacking.lacks.push("aarch32".into());
        assert_eq!(lacking.differs(&stated), Some(words));
        let earlier = Stated {
            access_interval: 0,
            increments: String::new(),
            ..stated.clone()
        };
        assert_eq!(earlier.differs(&lacking), None);
    }

    #[test]
    fn another_contract_is_told() {
        let parameters = DutParameters::of(&Implementation::default());
        let refused = |change: fn(&mut DutParameters)| {
            let mut parameters = parameters;
            change(&mut parameters);
            Stated::of(&parameters).unwrap_err()
        };
        let error = refused(|p| p.magic = 7);
        assert_eq!(
            (&*error.expected, &*error.found),
            ("0x554d504c", "0x00000007")
        );
        assert_eq!(
            error.to_string(),
            "the wrapper does not state a DUT contract: expected the magic number 0x554d504c in its bits [31:0], found 0x00000007; drive \
             it with what the design is, as docs/dut-contract.md, section 4, says"
        );
        let error = refused(|p| p.magic = 0).to_string();
        assert!(
            error.starts_with(
                "the wrapper does not drive parameters_o: expected the magic number 0x554d504c"
            ),
            "{error}"
        );
        let error = refused(|p| p.contract_version += 1);
        assert_eq!(error.name, "contract version");
        let error = refused(|p| p.layout_version = 0);
        assert_eq!((error.name, &*error.found), ("layout version", "0"));
    }
}
