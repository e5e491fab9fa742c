//! What the wrapper of a design takes and shows, where that is less than the whole contract (DUT-70 to DUT-72).

use serde::{Deserialize, Serialize};

/// What the wrapper of a design takes and shows. The default is all of it, in every cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wrapper {
    /// Cycles from one register access to the next, at least: 1 to 255 (DUT-70).
    pub access_interval: u8,
    /// What `increment` shows (DUT-71).
    pub increments: Increments,
    /// Exception levels, Security states and controls: filtering and the rules of accesses (DUT-72).
    pub pe_state: bool,
    /// Conditions and counts of threads: the events of cycles (DUT-72).
    pub thread_conditions: bool,
    /// MRC and MCR (DUT-72).
    pub aarch32: bool,
    /// External reads and writes (DUT-72).
    pub external: bool,
    /// PMSELR_EL0, PMXEVTYPER_EL0, PMXEVCNTR_EL0 (DUT-72).
    pub indirect: bool,
    /// Cycles in which the clock is stopped (DUT-72).
    pub clock_stopped: bool,
}

impl Default for Wrapper {
    fn default() -> Self {
        Self {
            access_interval: 1,
            increments: Increments::default(),
            pe_state: true,
            thread_conditions: true,
            aarch32: true,
            external: true,
            indirect: true,
            clock_stopped: true,
        }
    }
}

/// What `increment` shows (DUT-71).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Increments {
    /// V\[n\].
    #[default]
    Shown,
    /// Nothing: counters are compared when they are read.
    Hidden,
    /// Bits \[15:0\] of the counters after the cycle.
    Counters,
}

impl Increments {
    /// The code in the design's parameters.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The form of a code in the design's parameters.
    pub fn from_code(code: u8) -> Option<Self> {
        [Self::Shown, Self::Hidden, Self::Counters]
            .into_iter()
            .find(|form| form.code() == code)
    }

    /// The word of the implementation file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Shown => "SHOWN",
            Self::Hidden => "HIDDEN",
            Self::Counters => "COUNTERS",
        }
    }
}

/// A part of the contract that a design may lack: its key in the implementation file, and what is not compared
/// without it. Bit *i* of `lacks` in the design's parameters is number *i*.
pub const PARTS: [(&str, &str); 6] = [
    ("pe_state", "access rules and filtering"),
    ("thread_conditions", "events of threads"),
    ("aarch32", "AArch32 accesses"),
    ("external", "external accesses"),
    ("indirect", "PMSELR_EL0, PMXEVTYPER_EL0 and PMXEVCNTR_EL0"),
    ("clock_stopped", "stopped clocks"),
];

impl Wrapper {
    /// Whether each of [`PARTS`] is there.
    pub fn parts(&self) -> [bool; PARTS.len()] {
        [
            self.pe_state,
            self.thread_conditions,
            self.aarch32,
            self.external,
            self.indirect,
            self.clock_stopped,
        ]
    }

    /// The wrapper with the parts that the bits of `lacks` leave.
    #[must_use]
    pub fn with_parts(self, lacks: u16) -> Self {
        let has = |part: usize| lacks >> part & 1 == 0;
        Self {
            pe_state: has(0),
            thread_conditions: has(1),
            aarch32: has(2),
            external: has(3),
            indirect: has(4),
            clock_stopped: has(5),
            ..self
        }
    }

    /// `lacks` of the design's parameters: bit *i* says that number *i* of [`PARTS`] is not there.
    pub fn lacks(&self) -> u16 {
        self.parts()
            .into_iter()
            .enumerate()
            .fold(0, |bits, (part, has)| bits | u16::from(!has) << part)
    }

    /// Whether it takes and shows all that the contract has.
    pub fn is_whole(&self) -> bool {
        *self == Self::default()
    }

    /// What is not compared, in words.
    pub fn not_compared(&self) -> Vec<&'static str> {
        let lacking = PARTS.iter().zip(self.parts()).filter(|(_, has)| !has);
        let mut words: Vec<_> = lacking.map(|((_, what), _)| *what).collect();
        if self.increments == Increments::Hidden {
            words.push("increments");
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dut_72_bits_are_the_parts_in_order() {
        assert_eq!(Wrapper::default().lacks(), 0);
        for (part, (key, what)) in PARTS.into_iter().enumerate() {
            let wrapper = Wrapper::default().with_parts(1 << part);
            assert_eq!(wrapper.lacks(), 1 << part);
            assert_eq!(wrapper.not_compared(), [what]);
            // The key is the one that the file has.
            let text = format!("{} = false", key);
            assert_eq!(toml::from_str::<Wrapper>(&text).unwrap(), wrapper);
        }
    }

    #[test]
    fn dut_71_forms_have_codes() {
        for (code, word) in ["SHOWN", "HIDDEN", "COUNTERS"].into_iter().enumerate() {
            let form = Increments::from_code(code as u8).unwrap();
            assert_eq!((form.code(), form.word()), (code as u8, word));
            let text = format!("increments = \"{word}\"");
            assert_eq!(toml::from_str::<Wrapper>(&text).unwrap().increments, form);
        }
        assert_eq!(Increments::from_code(3), None);
    }
}
