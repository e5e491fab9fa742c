//! Open choices of cycle event counting, under the names of the ambiguity list.

use serde::{Deserialize, Serialize};

/// An implementation of cycle event counting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// A thread in WFI or WFE state can be active (A-CYC-1).
    pub active_in_wfx: bool,
    /// With an Effective MT of 0, CPU_CYCLES counts while the thread is active and in WFI or WFE state
    /// (A-CYC-2).
    pub cpu_cycles_in_wfx: bool,
    /// PMCCNTR counts while the PE is in WFI or WFE state (A-CYC-3).
    pub pmccntr_in_wfx: bool,
    /// With an Effective MT of 1, CPU_CYCLES counts while all threads are in WFI or WFE state (A-CYC-4).
    pub cpu_cycles_mt1_all_wfx: bool,
    /// A-CYC-5.
    pub idle_thread_stall: IdleThreadStall,
    /// A-CYC-6.
    pub idle_thread_any: IdleThreadAny,
    /// With an Effective MT of 0, events that count cycles under another condition than a stall count only
    /// cycles that CPU_CYCLES counts (A-CYC-7).
    pub cond_gated: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            active_in_wfx: true,
            cpu_cycles_in_wfx: false,
            pmccntr_in_wfx: true,
            cpu_cycles_mt1_all_wfx: false,
            idle_thread_stall: IdleThreadStall::default(),
            idle_thread_any: IdleThreadAny::default(),
            cond_gated: true,
        }
    }
}

/// The stall condition of a thread that is not active, or in WFI or WFE state, in "true for all of these PEs"
/// (A-CYC-5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum IdleThreadStall {
    /// The condition as the design gives it.
    #[default]
    #[serde(rename = "RAW")]
    Raw,
    /// TRUE: the thread does not keep the others from counting.
    #[serde(rename = "TRUE")]
    True,
}

/// Any other condition of a thread that is not active, or in WFI or WFE state, in "true for any of these PEs"
/// (A-CYC-6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum IdleThreadAny {
    /// The condition as the design gives it.
    #[default]
    #[serde(rename = "RAW")]
    Raw,
    /// FALSE: the thread does not contribute.
    #[serde(rename = "FALSE")]
    False,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knobs_have_the_words_of_the_ambiguity_list() {
        let text = r#"{"active_in_wfx": false, "cpu_cycles_in_wfx": true, "pmccntr_in_wfx": false,
            "cpu_cycles_mt1_all_wfx": true, "idle_thread_stall": "TRUE", "idle_thread_any": "FALSE",
            "cond_gated": false}"#;
        let config: Config = serde_json::from_str(text).expect("all keys are known");
        let expected = Config {
            active_in_wfx: false,
            cpu_cycles_in_wfx: true,
            pmccntr_in_wfx: false,
            cpu_cycles_mt1_all_wfx: true,
            idle_thread_stall: IdleThreadStall::True,
            idle_thread_any: IdleThreadAny::False,
            cond_gated: false,
        };
        assert_eq!(config, expected);
        let text = toml::to_string(&expected).expect("a table of plain values");
        assert_eq!(toml::from_str::<Config>(&text), Ok(expected));
        assert_eq!(
            serde_json::from_str::<Config>("{}").ok(),
            Some(Config::default())
        );
        assert!(serde_json::from_str::<Config>(r#"{"active": true}"#).is_err());
    }
}
