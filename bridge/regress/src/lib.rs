//! Suites of lockstep runs: what is to be run ([`suite`], [`plan`], [`shard`]), what came of it, run by run ([`record`],
//! [`results`]), and all of it at once ([`merge`], [`summary`], [`junit`], [`page`]), with
//! all that shows a failure again ([`capsule`]).
//!
//! Nothing here runs a design: [`steering`], which moves runs to what was not taken, asks the model alone.

pub mod capsule;
pub mod check;
pub mod course;
pub mod coverage;
pub mod earlier;
pub mod history;
pub mod junit;
pub mod merge;
pub mod outcome;
pub mod page;
pub mod plan;
pub mod record;
pub mod results;
pub mod rounds;
pub mod rtl_coverage;
pub mod seeds;
pub mod shard;
pub mod share;
pub mod shrunk;
pub mod signature;
pub mod since;
mod spool;
pub mod steering;
mod stimulus;
pub mod suite;
pub mod summary;
pub mod taken;
pub mod totals;

/// The JSON Schema of a line of a file of results.
pub const SCHEMA: &str = include_str!("results.schema.json");
