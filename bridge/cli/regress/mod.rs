//! `lockstep regress`, which runs suites, and `lockstep merge`, which makes one report of their shards.

#[cfg(feature = "rtl")]
mod child;
#[cfg(feature = "rtl")]
mod designs;
#[cfg(feature = "rtl")]
mod farm;
mod github;
mod merge;
#[cfg(feature = "rtl")]
mod order;
#[cfg(feature = "rtl")]
mod progress;
#[cfg(feature = "rtl")]
mod suite;

pub use merge::MergeArgs;
pub(super) use merge::merge;
#[cfg(feature = "rtl")]
pub use order::RegressArgs;
#[cfg(feature = "rtl")]
pub(super) use suite::regress;
