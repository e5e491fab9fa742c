//! What a divergence means.
//!
//! [`registers`] has words for values, [`hypotheses`] the mistakes that would explain a design, [`diagnosis`] makes a
//! derivation and an explanation of a divergence, and [`shrink`] reduces a stimulus to what it needs.

mod cores;
pub mod diagnosis;
pub mod hypotheses;
pub mod location;
pub mod registers;
pub mod shrink;
