//! Features, sizes and open choices of the sample interval counters, under the names of the ambiguity list.

use serde::{Deserialize, Serialize};

use crate::impossible::{ImplementationError, Impossible};

/// An implementation of operation sampling. The default has one sample in flight and the architecture's
/// own reading of every open choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// FEAT_SPE_ERnd: the random number is counted after the interval, in PMSICR_EL1.ECOUNT.
    pub ernd: bool,
    /// Samples that can be in flight at once, at least 1 (SPE-40).
    pub max_inflight: u32,
    /// FEAT_SPE_EXC: PMBSR_EL2 and PMBSR_EL3 exist.
    pub spe_exc: bool,
    /// Open choices.
    pub knobs: Knobs,
}

/// The choices of the ambiguity list, under its names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Knobs {
    /// A-SPE-1.
    pub select: Select,
    /// A-SPE-2. Absent, it is what goes with `select`: see [`Knobs::init_load`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init_load: Option<InitLoad>,
    /// A-SPE-5.
    pub zero_interval: ZeroInterval,
    /// A-SPE-6.
    pub write_order: WriteOrder,
    /// A-SPE-8.
    pub complete_order: CompleteOrder,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            ernd: false,
            max_inflight: 1,
            spe_exc: false,
            knobs: Knobs::default(),
        }
    }
}

impl Knobs {
    /// A-SPE-2: when a zero PMSICR_EL1 is loaded. AT_ENABLE goes with AT_ZERO, FIRST_OP with TO_ZERO.
    pub fn init_load(&self) -> InitLoad {
        self.init_load.unwrap_or(match self.select {
            Select::AtZero => InitLoad::AtEnable,
            Select::ToZero => InitLoad::FirstOp,
        })
    }
}

impl Config {
    /// Checks that the configuration is one that the architecture allows.
    ///
    /// # Errors
    /// The key whose value is impossible.
    pub fn validate(&self) -> Result<(), ImplementationError> {
        let problem = (self.max_inflight == 0).then(no_sample_in_flight);
        ImplementationError::of(problem.into_iter().collect())
    }
}

/// SPE-40: a limit that lets no operation be sampled.
pub(crate) fn no_sample_in_flight() -> Impossible {
    Impossible::new(
        "spe.max_inflight",
        0,
        "1 or more simultaneous samples (SPE-40)",
    )
}

macro_rules! knob {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name { $($(#[$vdoc])* #[serde(rename = $word)] $variant),+ }
    };
}

knob! {
    /// Which operation is selected when the counter reaches zero (A-SPE-1).
    Select {
        /// The operation that finds COUNT zero; it reloads the counter.
        #[default]
        AtZero = "AT_ZERO",
        /// The operation whose decrement makes COUNT zero; the next one reloads the counter, and does no
        /// more to COUNT, as the pseudocode does.
        ToZero = "TO_ZERO",
    }
}
knob! {
    /// When a PMSICR_EL1 of zero is loaded (A-SPE-2).
    InitLoad {
        /// At the transition from disabled to enabled, as D17.3.3 says.
        #[default]
        AtEnable = "AT_ENABLE",
        /// At the first operation after it, as the pseudocode does.
        FirstOp = "FIRST_OP",
    }
}
knob! {
    /// PMSIRR_EL1.INTERVAL of zero (A-SPE-5).
    ZeroInterval {
        /// An interval of zero.
        #[default]
        Literal = "LITERAL",
        /// As if INTERVAL were 1: 256 operations.
        Min256 = "MIN256",
    }
}
knob! {
    /// Whether a register write comes before or after the operations of its cycle (A-SPE-6).
    WriteOrder {
        /// After them, so that the value written is that at the end of the cycle.
        #[default]
        End = "END",
        /// Before them.
        Start = "START",
    }
}
knob! {
    /// Whether samples complete before or after the operations of the same cycle (A-SPE-8).
    CompleteOrder {
        /// Before: an operation of the same cycle can take the place.
        #[default]
        Before = "BEFORE",
        /// After.
        After = "AFTER",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spe_2_the_initial_load_goes_with_the_selection() {
        let mut knobs = Knobs::default();
        assert_eq!(knobs.init_load(), InitLoad::AtEnable);
        knobs.select = Select::ToZero;
        assert_eq!(knobs.init_load(), InitLoad::FirstOp);
        knobs.init_load = Some(InitLoad::AtEnable);
        assert_eq!(knobs.init_load(), InitLoad::AtEnable);
    }

    #[test]
    fn knobs_have_the_words_of_the_ambiguity_list() {
        let text = r#"{"ernd": true, "max_inflight": 4, "spe_exc": true, "knobs": {"select": "TO_ZERO", "init_load": "FIRST_OP",
            "write_order": "START", "complete_order": "AFTER", "zero_interval": "MIN256"}}"#;
        let config: Config = serde_json::from_str(text).expect("all keys are known");
        let expected = Config {
            ernd: true,
            max_inflight: 4,
            spe_exc: true,
            knobs: Knobs {
                select: Select::ToZero,
                init_load: Some(InitLoad::FirstOp),
                zero_interval: ZeroInterval::Min256,
                write_order: WriteOrder::Start,
                complete_order: CompleteOrder::After,
            },
        };
        assert_eq!(config, expected);
        let text = toml::to_string(&expected).expect("a table of plain values");
        assert_eq!(toml::from_str::<Config>(&text), Ok(expected));
        let default = toml::to_string(&Config::default()).expect("a table of plain values");
        assert_eq!(toml::from_str::<Config>(&default), Ok(Config::default()));
        assert!(serde_json::from_str::<Config>(r#"{"knobs": {"selects": "TO_ZERO"}}"#).is_err());
    }

    #[test]
    fn spe_40_at_least_one_sample_can_be_in_flight() {
        let config = Config {
            max_inflight: 0,
            ..Config::default()
        };
        assert_eq!(
            config.validate().map_err(|error| error.to_string()),
            Err(
                "spe.max_inflight = 0: expected 1 or more simultaneous samples (SPE-40)"
                    .to_string()
            )
        );
        assert_eq!(Config::default().validate(), Ok(()));
    }
}
