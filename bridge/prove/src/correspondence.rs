//! Which signals of a design stand for what of the contract: a TOML file, one for the bundled RTL, others by those who
//! know their design.

use serde::Deserialize;

/// Names of signals. `{n}` is the number of a counter, `{s}` that of a state.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correspondence {
    /// Modules whose instances no area looks at: what they drive is free.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// The port of CycleInput.
    pub input_port: String,
    /// CycleInput of the cycle.
    pub input: String,
    /// CycleOutput of the cycle.
    pub output: String,
    /// Of event counters.
    pub counter: Counter,
    /// Of all counters.
    pub common: Common,
    /// Registers that hold once more what others hold.
    #[serde(default)]
    pub copies: Copies,
}

/// Signals of event counter `{n}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counter {
    /// Whether it is counting.
    pub counting: String,
    /// The base value of its event, before TH-09.
    pub base: String,
    /// `PMEVTYPER<n>_EL0`.
    pub r#type: String,
    /// C_P; not looked for in a design without edges, which has none.
    pub c_p: String,
    /// `PMEVCNTR<n>_EL0`.
    pub value: String,
}

/// Signals of all counters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Common {
    /// PMCR_EL0.E.
    pub enable: String,
    /// PMCNTENSET_EL0.
    pub enabled: String,
    /// PMCCFILTR_EL0.
    pub cycle_filter: String,
    /// Whether the cycle counter is counting.
    pub cycle_counting: String,
    /// PMCCNTR_EL0.
    pub cycles: String,
    /// PMCR_EL0.LP; a design with counters of 32 bits need not have it.
    pub long: String,
    /// PMOVSSET_EL0.
    pub flags: String,
    /// PMSELR_EL0.SEL.
    pub select: String,
}

/// Registers that hold once more what others hold; those that a design does not have are left away.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// V of counter `{n}` is V_B (TH-27, TH-35).
    pub bypassed: Option<String>,
    /// Counter `{n}`, 31 the cycle counter, counts in state `{s}`: 0 to 15, without Streaming mode (ETY-20).
    pub in_state: Option<String>,
    /// The same of Streaming mode: 0 outside of it, 1 in it (ETY-22).
    pub in_mode: Option<String>,
    /// MT of counter `{n}`.
    pub mt: Option<String>,
}

/// The name for a counter.
pub fn of_counter(name: &str, n: usize) -> String {
    name.replace("{n}", &n.to_string())
}

/// The name for a counter and a state.
pub fn of_state(name: &str, n: usize, s: usize) -> String {
    of_counter(name, n).replace("{s}", &s.to_string())
}

/// That of the bundled RTL.
pub const BUNDLED: &str = include_str!("../../../rtl/correspondence.toml");
