//! Offline lockstep: a dump of any simulator against the model.
//!
//! A [`map::Map`] says which signals are which fields of the contract; [`wiring::Wiring`] finds them in a dump;
//! [`sampler::Sampler`] makes rows of inputs and outputs at the edges of the clock; [`check::check`] runs the model on
//! the inputs and compares. [`propose`] makes a map of the names in a dump, [`excerpt`] cuts a window out of one, or
//! out of what a [`ring::Ring`] has kept of one that is read once.

pub mod check;
pub mod excerpt;
pub mod fields;
pub mod map;
pub mod propose;
pub mod ring;
pub mod sampler;
pub mod wiring;

pub use check::{Checked, Options, check};
pub use map::Map;
pub use wiring::Wiring;
