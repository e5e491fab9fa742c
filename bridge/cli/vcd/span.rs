//! Times between which a command looks.

use std::ops::RangeInclusive;
use std::path::Path;

use clap::Args;
use lockstep_vcd::Header;

use super::{Failure, in_file};
use crate::waves::time::{Time, written};

/// A part of a dump in time.
#[derive(Args)]
pub struct Span {
    /// Begin at this time: `12345` ticks, or `1.2us` [default: the start]
    #[arg(long, value_name = "TIME")]
    pub from: Option<Time>,
    /// End with this time [default: the end]
    #[arg(long, value_name = "TIME")]
    pub to: Option<Time>,
}

impl Span {
    /// In ticks of a dump.
    pub fn ticks(&self, path: &Path, header: &Header) -> Result<RangeInclusive<u64>, Failure> {
        let ticks = |time: &Option<Time>, otherwise: u64| match time {
            Some(time) => time
                .ticks(header.timescale())
                .map_err(|message| in_file(path, message)),
            None => Ok(otherwise),
        };
        let (from, to) = (ticks(&self.from, 0)?, ticks(&self.to, u64::MAX)?);
        match (&self.from, &self.to) {
            (Some(start), Some(end)) if from > to => Err(Failure::usage(format!(
                "expected --from at or before --to, found {} and {}",
                start.text(),
                end.text()
            ))),
            _ => Ok(from..=to),
        }
    }

    /// Refuses a beginning after the end of the dump, which is known once it is read.
    pub fn check(&self, path: &Path, header: &Header, last: u64) -> Result<(), Failure> {
        let Some(from) = &self.from else {
            return Ok(());
        };
        if *self.ticks(path, header)?.start() <= last {
            return Ok(());
        }
        let end = written(header.timescale(), last);
        let asked = from.text();
        let message = format!("expected --from up to the end of the dump at {end}, found {asked}");
        Err(in_file(path, message))
    }
}
