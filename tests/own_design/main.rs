//! A design of the user's own: built from a file list, kept in a folder, run from there; and what is said when that
//! cannot be.

mod cache;
mod errors;
mod folder;
mod libraries;
mod project;
mod rtl_coverage;

#[path = "../support/command.rs"]
mod command;
#[path = "../support/scratch.rs"]
mod scratch;
