//! `lockstep vcd` as users and scripts meet it, on the dumps of `tests/vcd`: what it prints, its exit codes.
//!
//! Needs no RTL. Golden files hold everything that a person reads: `snapshots/`.

mod completion;
mod corpus;
mod cut;
mod cutting;
mod diff;
mod events;
mod find;
mod fst;
mod ghw;
mod golden;
mod info;
mod namesakes;
mod others;
mod programs;
mod rewritten;
mod show;
mod split;
mod stats;

#[path = "../support/command.rs"]
mod command;
#[path = "../support/rewrite.rs"]
mod rewrite;
#[path = "../support/scratch.rs"]
mod scratch;
