//! Waveform dumps: [`waves`] looks into them, [`offline`] compares them with the golden model; [`fst`] and
//! [`ghw`] read dumps that are none of text.

mod batch;
pub mod fst;
pub mod ghw;
mod library;
pub mod offline;
pub mod waves;
mod written;
