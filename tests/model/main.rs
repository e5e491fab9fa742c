//! The model against the requirements' own words: whole truth tables, and one test for each choice that the text
//! leaves open. Nothing here needs RTL.

mod documents;
mod knobs;
mod plain_contract;
mod requirements;
#[path = "../support/truth_tables.rs"]
mod tables;
mod truth_tables;
