//! What is known of a run before it ends, in the words of a report.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A command that runs the first cycles of a run again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Its words before `--cycles N`.
    pub before: String,
    /// Whether it takes `--cycles N`.
    pub takes_cycles: bool,
    /// Its words after that.
    pub after: String,
}

impl Replay {
    /// The command that runs `cycles` cycles.
    pub fn command(&self, cycles: u64) -> String {
        let Self { before, after, .. } = self;
        match self.takes_cycles {
            true => format!("{before} --cycles {cycles}{after}"),
            false => format!("{before}{after}"),
        }
    }
}

/// What a run is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// What is being done besides the run itself, such as `the traced re-run of a divergence in cycle 7`.
    pub during: Option<String>,
    /// Whether two designs run, made in turns.
    pub is_pair: bool,
    /// Seed of the stimulus, if it was generated.
    pub seed: Option<u64>,
    /// What the stimulus is.
    pub stimulus: String,
    /// Name of the implementation.
    pub implementation: String,
    /// What the RTL is.
    pub rtl: String,
    /// The command that does the same again, if cycles have a number there.
    pub replay: Option<Replay>,
    /// The folder of the report.
    pub out: Option<PathBuf>,
    /// The file of the page that was asked for.
    pub page: Option<PathBuf>,
    /// The cycle of the divergence that was found, while it is looked at.
    pub divergence: Option<u64>,
}

impl Facts {
    /// What a cycle is one of, such as ` of the trials of the reduction`; nothing, if it is one of the run itself.
    pub fn during(&self) -> String {
        let during = self.during.as_ref();
        during.map_or(String::new(), |during| format!(" of {during}"))
    }

    /// Which of two designs one is, 0 or 1, if two run. They are made in turns, for a re-run as well.
    pub fn side(&self, number: usize) -> Option<usize> {
        self.is_pair.then_some(number % 2)
    }
}

static KNOWN: Mutex<Option<Facts>> = Mutex::new(None);

/// What is known of the run of this process.
pub fn facts() -> Facts {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.clone().unwrap_or_default()
}

/// Changes what is known.
pub fn tell(change: impl FnOnce(&mut Facts)) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    change(known.get_or_insert_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_go_between_the_words_of_a_command() {
        let mut replay = Replay {
            before: "lockstep run --seed 7".into(),
            takes_cycles: true,
            after: " --rtl a.sv".into(),
        };
        assert_eq!(
            replay.command(12),
            "lockstep run --seed 7 --cycles 12 --rtl a.sv"
        );
        replay.takes_cycles = false;
        assert_eq!(replay.command(12), "lockstep run --seed 7 --rtl a.sv");
    }
}
