//! What the command line asks for.

use std::time::SystemTime;

use clap::Parser;

/// Makes bugs of the RTL's source that nobody has seen, hunts each of them, and checks what is said of it.
#[derive(Parser)]
#[command(name = "mutants")]
pub struct Options {
    /// Which mutants are made, and the stimulus of each; else one of the time, which is printed
    #[arg(long)]
    seed: Option<u64>,
    /// How many are made
    #[arg(long, default_value_t = 200)]
    pub mutants: usize,
    /// Runs these alone
    #[arg(long, value_delimiter = ',')]
    pub only: Vec<usize>,
    /// Lists the mutants, and runs none
    #[arg(long)]
    pub list: bool,
    /// Prints a mutant as a patch of rtl/, and runs none
    #[arg(long, value_name = "NUMBER")]
    pub patch: Option<usize>,
    /// Looks for the places alone, and for no hypotheses
    #[arg(long)]
    pub places: bool,
    /// Fails if a cause is named that is not true
    #[arg(long)]
    pub strict: bool,
}

impl Options {
    /// The seed that was asked for, or one of the time.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(|| {
            let since = SystemTime::UNIX_EPOCH.elapsed();
            since.map_or(1, |since| since.as_secs())
        })
    }

    /// Whether a mutant is to be run.
    pub fn is_wanted(&self, number: usize) -> bool {
        self.only.is_empty() || self.only.contains(&number)
    }
}
