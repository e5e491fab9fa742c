//! Which source files name which rules, as of the build.
//!
//! A build script of its own, so that a change of a test does not run that of the RTL.

// The scanner belongs to the build script; here are its types and tests.
#[allow(dead_code, reason = "used by the build script")]
mod scan;

pub use scan::Place;

/// A file that names a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    /// Id of the rule, such as `TH-20`.
    pub id: &'static str,
    /// What the place in the file belongs to.
    pub place: Place,
    /// The id itself is there; otherwise it is inside of a range, such as `TH-30..33`.
    pub explicit: bool,
    /// Path from the root of the workspace.
    pub file: &'static str,
}

/// Every rule that a file names, by file.
pub const INDEX: &[Named] = include!(concat!(env!("OUT_DIR"), "/index.rs"));
