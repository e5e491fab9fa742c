//! Designs from RTL: built once, checked, loaded, and run in processes of their own ([`isolation`]).
//!
//! What a design is to everything else is [`lockstep_engine::dut`].

mod build;
mod build_options;
mod covered;
mod described;
mod file_names;
mod folder;
mod folder_error;
pub mod isolation;
mod library;
mod manifest;
mod named;
mod open;
mod open_error;
pub mod printed;
mod source;
mod stops;
mod unpack;
mod verilated;
mod warnings;
mod without_trace;

pub use build::{
    BuildEvent, CACHE_LIMIT, PORTS, Pair, pair, stated, tools_folder, verilator_version,
};
pub use build_options::BuildOptions;
pub use covered::{Covered, Written};
pub use described::{DescribeError, Described, described};
pub use file_names::FileNames;
pub use folder::DutFolder;
pub use folder_error::FolderError;
pub use manifest::Manifest;
pub use open::{Rtl, open};
pub use open_error::OpenError;
pub use source::{RtlFiles, RtlSource, TOP};
pub use verilated::VerilatedDut;
pub use warnings::Warnings;
pub use without_trace::WithoutTrace;
