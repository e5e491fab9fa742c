//! What a team needs to put its own design behind the contract: a SystemVerilog package, a wrapper to start from, and the
//! implementation file of a design.

mod annotated;
#[cfg(test)]
mod contract_tables;
mod package;
mod stated;
mod wrapper;

pub use annotated::annotated;
pub use package::package;
pub use stated::{StateError, read_back, stated};
pub use wrapper::wrapper;
