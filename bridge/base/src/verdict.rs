//! Verdicts and their exit codes.

use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// RTL and model agree on everything that was compared.
    Agree,
    /// They differ.
    Divergence,
    /// RTL and model agree, and the design's random number generator is not the one that the implementation file demands.
    NotRandom,
    /// The command line, a file or the configuration is wrong.
    Usage,
    /// The design did not come back (DUT-41).
    Hang,
    /// The design stopped (DUT-40).
    Stopped,
    /// The design crashed: a signal ended its process (DUT-42).
    Crash,
    /// The design's logic does not settle (DUT-43).
    Unsettled,
    /// The machine: a tool, a disk, a compiler.
    Infrastructure,
    /// RTL and model agree, and a waiver was not needed.
    UnusedWaiver,
    /// What was looked for in a dump is nowhere in it.
    NotFound,
    /// Whether a design has a bug cannot be told: it does not build, or fails in another way.
    Untold,
    /// Interrupted by the user.
    Interrupted,
}

impl Verdict {
    /// The exit code of the command.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Agree => 0,
            Self::Divergence | Self::NotRandom => 1,
            Self::Usage => 2,
            Self::Hang => 3,
            Self::Stopped => 4,
            Self::Infrastructure => 5,
            Self::Crash => 6,
            Self::Unsettled => 7,
            Self::UnusedWaiver => 8,
            Self::NotFound => 9,
            // What `git bisect run` skips.
            Self::Untold => 125,
            Self::Interrupted => 130,
        }
    }

    /// Whether it is about the design, and stands whatever the machine does after it.
    pub fn is_finding(self) -> bool {
        use Verdict::{Crash, Divergence, Hang, NotRandom, Stopped, Unsettled};
        matches!(
            self,
            Divergence | NotRandom | Hang | Stopped | Crash | Unsettled
        )
    }

    /// The word that a summary starts with.
    pub fn word(self) -> &'static str {
        match self {
            Self::Agree => "PASS",
            Self::Divergence => "DIVERGENCE",
            Self::NotRandom => "NOT RANDOM",
            Self::Usage => "USAGE",
            Self::Hang => "HANG",
            Self::Stopped => "STOPPED",
            Self::Infrastructure => "FAILED",
            Self::Crash => "CRASHED",
            Self::Unsettled => "DOES NOT SETTLE",
            Self::UnusedWaiver => "UNUSED WAIVER",
            Self::NotFound => "NOT FOUND",
            Self::Untold => "CANNOT BE TOLD",
            Self::Interrupted => "INTERRUPTED",
        }
    }
}
