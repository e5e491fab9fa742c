//! Lockstep: one stimulus into the design and the model, and every output of every cycle compared.

pub mod batch;
pub mod compare;
pub mod delay;
pub mod engine;
pub mod further;
pub mod ledger;
pub mod pipeline;
pub mod sampling;
pub mod step;
pub mod supervise;
pub mod waivers;

pub use compare::Divergence;
pub use engine::{Checkpoint, Lockstep, Outcome};
pub use further::{Further, FurtherDivergence};
pub use ledger::{FieldTally, Ledger};
pub use lockstep_base::verdict::Verdict;
