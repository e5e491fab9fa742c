//! What a team needs to put its own design behind the contract: a SystemVerilog package, a wrapper to start from, and the
//! implementation file of a design; stimulus and a test bench for other simulators.

mod annotated;
mod bench;
#[cfg(test)]
mod contract_tables;
mod export;
mod package;
mod stated;
mod wrapper;

pub use annotated::annotated;
pub use bench::bench;
pub use export::{Exporter, Format};
pub use package::package;
pub use stated::{StateError, read_back, stated};
pub use wrapper::wrapper;
