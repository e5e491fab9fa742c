//! The command as users and scripts meet it: what it prints, its exit codes, the files that it leaves.
//!
//! Golden files hold everything that a person reads: `snapshots/`.

mod conform;
mod divergence;
mod golden;
mod help;
mod implementation;
mod interrupt;
mod output;
mod record;
mod stimulus;
mod usage;

#[path = "../support/command.rs"]
mod command;
#[path = "../support/scratch.rs"]
mod scratch;
