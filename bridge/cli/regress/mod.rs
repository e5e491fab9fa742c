//! `lockstep regress`, which runs suites, `lockstep merge`, which makes one report of their shards, and `lockstep init-ci`,
//! which writes a first suite.

mod capsules;
#[cfg(feature = "rtl")]
mod child;
#[cfg(feature = "rtl")]
mod designs;
#[cfg(feature = "rtl")]
mod farm;
mod github;
mod init_ci;
#[cfg(feature = "rtl")]
mod leave;
mod merge;
#[cfg(feature = "rtl")]
mod order;
#[cfg(feature = "rtl")]
mod progress;
#[cfg(feature = "rtl")]
mod rounds;
mod rtl_coverage;
#[cfg(feature = "rtl")]
mod steer;
#[cfg(feature = "rtl")]
mod suite;

pub use init_ci::InitCiArgs;
pub(super) use init_ci::init_ci;
pub use merge::MergeArgs;
pub(super) use merge::merge;
#[cfg(feature = "rtl")]
pub use order::RegressArgs;
#[cfg(feature = "rtl")]
pub(super) use suite::regress;
