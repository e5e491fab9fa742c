//! The stretch of a recorded stimulus that is shrunk: from a reset to the first divergence.

use std::sync::atomic::Ordering;

use pmu_model::{CycleInput, Implementation};

use crate::hypotheses::{self, BEYOND, Findings, MOST, Recording};
use lockstep_engine::lockstep::batch::BATCH;
use lockstep_stimulus::Reader;

use super::bench::{Bench, Failing};
use super::{ShrinkError, Watch};

/// A stretch that fails.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// How the whole stimulus fails.
    pub failing: Failing,
    /// Cycle of the stimulus that the stretch starts with, a reset.
    pub start: u64,
    /// The earliest reset from which hypotheses are tested: the start, or one before it that is not too far away.
    earliest: u64,
    /// The cycles, to the divergent one.
    pub cycles: Vec<CycleInput>,
}

/// Runs a recorded stimulus to its first divergence, and finds a late reset from which it diverges in the same field.
///
/// # Errors
/// The stimulus does not fail or cannot be read, the design stops or cannot be had.
pub fn failing_stretch(
    bench: &mut Bench<'_>,
    reader: &Reader,
    watch: &Watch,
) -> Result<Stretch, ShrinkError> {
    bench.end_with(&watch.interrupted);
    let mut resets = Vec::new();
    let mut source = reader.clone();
    source.seek(0)?;
    let ran = bench.run_batches(&mut |batch| {
        if watch.interrupted.load(Ordering::Relaxed) {
            return Err(ShrinkError::Interrupted);
        }
        let first = source.cycle();
        batch.resize(BATCH, CycleInput::default());
        let filled = source.fill(batch)?;
        batch.truncate(filled);
        let at = |(k, _)| first + k as u64;
        resets.extend(
            batch
                .iter()
                .enumerate()
                .filter(|(_, input)| input.is_reset())
                .map(at),
        );
        Ok(())
    })?;
    let cycles = reader.header().cycles;
    let failing = ran?.ok_or(ShrinkError::Agrees { cycles })?;
    let end = failing.cycle as u64 + 1;
    resets.retain(|&reset| reset < end);
    for start in starts(&resets) {
        let cycles = stretch(reader, start, end)?;
        let ran = bench.fresh(&cycles)?;
        if ran.is_ok_and(|again| again.is_some_and(|again| again.field == failing.field)) {
            let near = |reset: &&u64| **reset <= start && end - **reset <= MOST as u64;
            return Ok(Stretch {
                failing,
                start,
                earliest: resets.iter().find(near).map_or(start, |&reset| reset),
                cycles,
            });
        }
    }
    Err(ShrinkError::NotReproduced {
        field: failing.field,
        cycle: failing.cycle as u64,
    })
}

/// What would explain the design in the whole run: the hypotheses of a report, tested from a reset to well after the
/// divergence. A shrunk stimulus is short, and many explain it.
///
/// # Errors
/// The stimulus cannot be read, the design cannot be had.
pub fn explaining(
    bench: &mut Bench<'_>,
    implementation: &Implementation,
    reader: &Reader,
    stretch: &Stretch,
) -> Result<Findings, ShrinkError> {
    let mut source = reader.clone();
    source.seek(stretch.earliest)?;
    let about = stretch.failing.cycle - stretch.failing.late;
    let divergent = about.saturating_sub(stretch.earliest as usize);
    let mut left = divergent + stretch.failing.late + 1 + BEYOND;
    let mut recording = Recording {
        first: stretch.earliest,
        divergent,
        ..Recording::default()
    };
    let latency = bench.observe(
        &mut |batch| {
            batch.resize(BATCH.min(left), CycleInput::default());
            let filled = source.fill(batch)?;
            batch.truncate(filled);
            left -= filled;
            Ok(())
        },
        &mut |inputs, rtl| {
            recording.inputs.extend_from_slice(inputs);
            recording.rtl.extend_from_slice(rtl);
        },
    )?;
    recording.align(latency);
    let origin = reader.header().origin.as_ref();
    let origin = origin.filter(|_| bench.waives_nothing());
    let other = origin.and_then(|origin| origin.other(implementation));
    if let Some(other) = other {
        recording.elsewhere = Some(Box::new(bench.elsewhere(other)?));
    }
    Ok(hypotheses::test(&recording, implementation))
}

/// Where a failing stretch may start: the resets, the last first, each time going back twice as far, and the first
/// cycle in the end. State that a reset should have cleared can be older than the last one.
fn starts(resets: &[u64]) -> Vec<u64> {
    let mut starts = Vec::new();
    let mut back = 1;
    while back < resets.len() {
        starts.push(resets[resets.len() - back]);
        back *= 2;
    }
    starts.push(0);
    starts
}

/// The cycles from `start` to before `end`.
fn stretch(reader: &Reader, start: u64, end: u64) -> Result<Vec<CycleInput>, ShrinkError> {
    let mut reader = reader.clone();
    reader.seek(start)?;
    let mut cycles = vec![CycleInput::default(); (end - start) as usize];
    let filled = reader.fill(&mut cycles)?;
    cycles.truncate(filled);
    Ok(cycles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_go_back_from_the_last_reset_to_the_first_cycle() {
        assert_eq!(starts(&[0]), [0]);
        assert_eq!(starts(&[0, 5]), [5, 0]);
        assert_eq!(starts(&[0, 2, 4, 6, 8]), [8, 6, 2, 0]);
    }
}
