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
        let timescale = header.timescale();
        let from = self.from.as_ref().map(|time| time.ticks_from(timescale));
        let to = self.to.as_ref().map(|time| time.ticks(timescale));
        let ticks = |ticks: Option<Result<u64, String>>, otherwise| {
            let ticks = ticks.unwrap_or(Ok(otherwise));
            ticks.map_err(|message| in_file(path, message))
        };
        let (from, to) = (ticks(from, 0)?, ticks(to, u64::MAX)?);
        match (&self.from, &self.to) {
            (Some(start), Some(end)) if from > to => Err(Failure::usage(format!(
                "expected --from at or before --to with a tick between them, found {} and {}",
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
        let end = end(from, header, last);
        let asked = from.text();
        let message = format!("expected --from up to the end of the dump at {end}, found {asked}");
        Err(in_file(path, message))
    }
}

/// The end of a dump, in the unit of the time that was asked for.
pub fn end(asked: &Time, header: &Header, last: u64) -> String {
    written(header.timescale().filter(|_| !asked.is_ticks()), last)
}
