//! The ledger of a run or of a dump, for its summary.

use serde::Serialize;

use crate::lockstep::compare::Compared;
use crate::lockstep::waivers::WaiverTally;
use crate::lockstep::{FieldTally, Ledger};
use crate::report::grouped;

/// The ledger, for programs.
#[derive(Debug, Serialize)]
pub struct LedgerSummary {
    /// Sum over all fields.
    #[serde(flatten)]
    pub total: Compared,
    /// Comparisons with a value other than the one before.
    pub changed: u64,
    /// Fields that never changed.
    pub never_changed: Vec<String>,
    /// Registers never read.
    pub never_read: Vec<String>,
    /// What could have happened and never did, in words.
    pub never_seen: Vec<&'static str>,
    /// What the design does not have, in words: nothing of it was compared.
    pub absent: Vec<&'static str>,
    /// Differences waived.
    pub waived: u64,
    /// Waivers, and how often each was needed.
    pub waivers: Vec<WaiverTally>,
    /// By field.
    pub fields: Vec<FieldTally>,
}

impl LedgerSummary {
    /// The summary of `ledger`.
    pub fn of(ledger: &Ledger) -> Self {
        let fields = ledger.fields();
        Self {
            total: ledger.total(),
            changed: fields.iter().map(|field| field.changed).sum(),
            never_changed: ledger.never_changed(&fields),
            never_read: ledger.never_read(),
            never_seen: ledger.never_seen(),
            absent: ledger.absent().to_vec(),
            waived: ledger.waivers().total(),
            waivers: ledger.waivers().tallies(),
            fields,
        }
    }

    /// Whether some waiver waived nothing.
    pub fn has_unused_waivers(&self) -> bool {
        self.waivers.iter().any(|waiver| waiver.waived == 0)
    }
}

/// What waivers waived, a line each; those that were not needed first.
pub fn waiver_lines(waivers: &[WaiverTally]) -> Vec<String> {
    let mut waivers: Vec<_> = waivers.iter().collect();
    waivers.sort_by_key(|waiver| (waiver.waived != 0, waiver.line));
    let line = |waiver: &&WaiverTally| match waiver.waived {
        0 => format!(
            "waiver of line {} was not needed: remove it, or run what needs it: {}",
            waiver.line,
            waiver.text()
        ),
        waived => format!("waived {} of {}", grouped(waived), waiver.text()),
    };
    waivers.iter().map(line).collect()
}
