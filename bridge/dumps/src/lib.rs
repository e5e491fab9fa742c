//! Waveform dumps: [`waves`] looks into them, [`offline`] compares them with the golden model.

pub mod offline;
pub mod waves;
