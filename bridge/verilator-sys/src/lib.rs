//! Finds Verilator, Verilates designs, and drives them in batches of bytes.
//!
//! A design is a SystemVerilog module with the ports `clk_i`, `cycle_input_i`, `cycle_output_o` and
//! `parameters_o`. This crate knows their sizes and nothing of their meaning.
//!
//! | feature | gives | needs a C++ compiler |
//! |---|---|---|
//! | `build` | [`find`], [`verilate`], [`static_dut`]: what a build script uses | to compile a design |
//! | `runtime` | [`Dut`], [`DutLibrary`]: driving a design | to build this crate |
//! | `shared` (default) | [`shared`]: designs compiled and loaded at run time | both |

#[cfg(feature = "shared")]
pub mod cache;
#[cfg(feature = "build")]
mod compile;
#[cfg(feature = "build")]
pub mod describe;
#[cfg(feature = "build")]
mod design;
#[cfg(feature = "build")]
pub mod evaluation;
#[cfg(feature = "build")]
pub mod find;
#[cfg(feature = "build")]
mod headers;
#[cfg(feature = "build")]
pub mod held;
#[cfg(feature = "build")]
mod launcher;
#[cfg(feature = "build")]
mod model;
#[cfg(feature = "build")]
mod modules;
#[cfg(feature = "build")]
mod places;
#[cfg(feature = "build")]
mod port;
#[cfg(feature = "build")]
mod rejection;
#[cfg(feature = "shared")]
mod source_file;
#[cfg(feature = "build")]
pub mod static_dut;
#[cfg(feature = "build")]
pub mod verilate;
#[cfg(feature = "build")]
mod verilate_error;
#[cfg(feature = "build")]
mod version;
#[cfg(feature = "build")]
pub mod wheel;

#[cfg(feature = "runtime")]
mod dut;
#[cfg(feature = "runtime")]
mod ffi;
#[cfg(feature = "runtime")]
mod library;
#[cfg(feature = "runtime")]
mod shared_memory;
#[cfg(feature = "runtime")]
mod stop;

#[cfg(feature = "shared")]
pub mod shared;

#[cfg(feature = "build")]
pub use compile::{CompileError, Compiler, Optimization};
#[cfg(feature = "build")]
pub use launcher::launch_by;
#[cfg(feature = "build")]
pub use model::BuildError;
#[cfg(feature = "build")]
pub use port::PortError;
#[cfg(feature = "build")]
pub use version::Version;
#[cfg(feature = "build")]
pub use wheel::WheelError;

#[cfg(feature = "runtime")]
pub use dut::{CoverageError, Dut, TraceError};
#[cfg(feature = "runtime")]
pub use library::{CreateError, DutLibrary, INTERFACE_VERSION, LoadError, RawLibrary, Tail};
#[cfg(feature = "runtime")]
pub use shared_memory::SharedMemory;
#[cfg(feature = "runtime")]
pub use stop::{DutStop, StopKind};

/// Sizes in bytes of the three data ports of a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PortSizes {
    /// `cycle_input_i`.
    pub input: usize,
    /// `cycle_output_o`.
    pub output: usize,
    /// `parameters_o`.
    pub parameters: usize,
}
