//! The command as users and scripts meet it: what it prints, its exit codes, the files that it leaves.
//!
//! Golden files hold everything that a person reads: `snapshots/`.

mod conform;
mod explain;
mod golden;
mod plan;
mod spmu;

#[cfg(feature = "rtl")]
mod coverage;
#[cfg(feature = "rtl")]
mod divergence;
#[cfg(feature = "rtl")]
mod help;
#[cfg(feature = "rtl")]
mod html;
#[cfg(feature = "rtl")]
mod implementation;
#[cfg(feature = "rtl")]
mod interrupt;
#[cfg(feature = "rtl")]
mod leftovers;
#[cfg(feature = "rtl")]
mod output;
#[cfg(feature = "rtl")]
mod record;
#[cfg(feature = "rtl")]
mod shrink;
#[cfg(feature = "rtl")]
mod stimulus;
#[cfg(feature = "rtl")]
mod usage;

#[path = "../support/command.rs"]
mod command;
#[cfg(feature = "rtl")]
#[path = "../support/listening.rs"]
mod listening;
#[path = "../support/scratch.rs"]
mod scratch;
