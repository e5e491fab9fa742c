#![doc = include_str!("../README.md")]
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
