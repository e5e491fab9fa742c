#![doc = include_str!("../README.md")]
//!
//! ## Where to begin
//!
//! | for | there is |
//! | --- | --- |
//! | a dump in memory, a file, a pipe | [`Slice::new`], [`Stream::open`], [`Stream::from_reader`] |
//! | scopes, variables, the time scale | [`Source::header`], [`Header`] |
//! | a signal by its name | [`Header::find`], which makes a [`Probe`] |
//! | every change, in order | [`Source::for_each`], [`Source::try_for_each`], [`Event`] |
//! | changes that live as long as the text | [`Slice::events`] |
//! | some signals between two times | [`window()`], [`Stream::window`], [`Trace`] |
//! | some signals at the edges of a clock | [`Sampler`], [`Samples`] |
//! | some signals, tick by tick | [`Ticks`], from the middle with [`Stream::seek`] |
//! | clock cycles by their number | [`Stream::rises`] |
//! | the first and the last time | [`Stream::times`] |
//! | a value as a number, as text, some bits of it | [`Bits`], [`BitsRef`], [`Value`], [`ValueRef`] |
//! | another format, read like a dump | an implementation of [`Source`], and [`Joining`] |
//!
//! Times are ticks of the dump; [`Header::timescale`] tells what one is. Bits are counted from the
//! right, 0 first, but for [`Header::find`], which takes the indices of the declaration.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod block;
mod changes;
mod codes;
mod declarations;
mod digits;
mod error;
mod find;
mod header;
mod join;
mod joined;
mod joining;
mod parts;
mod reading;
mod sample;
mod seek;
mod skim;
mod source;
mod stream;
mod ticks;
mod value;
mod window;

pub use changes::{Event, Section};
pub use error::Error;
pub use find::Probe;
pub use header::{
    BitRange, Header, Scope, ScopeId, ScopeKind, SignalId, Timescale, VarKind, Variable,
};
pub use joining::Joining;
pub use sample::{Sampler, Samples};
pub use seek::Rises;
pub use source::{Events, Slice, Source};
pub use stream::{Input, Stream};
pub use ticks::Ticks;
pub use value::{Bits, BitsRef, State, Value, ValueRef};
pub use window::{Trace, window};
