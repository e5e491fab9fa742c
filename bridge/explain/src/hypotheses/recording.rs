//! The cycles that hypotheses are tested on.

use std::time::{Duration, Instant};

use pmu_model::{CycleInput, CycleOutput};

use lockstep_engine::dut::{BATCH, Stop};
use lockstep_engine::lockstep::delay::Latency;
use lockstep_stimulus::Generator;

/// Most cycles of a recording up to the divergence.
pub const MOST: usize = 32_768;
/// Cycles after the divergence that every hypothesis is tested on, where the stimulus goes on.
pub const NEAR: usize = 1024;
/// Cycles after those, for hypotheses that cannot be told apart before.
pub const FAR: usize = 15 * 1024;
/// Cycles of stimulus after a divergence that give those, whatever the latencies of the design, which are bytes: one delays
/// the divergence, and one the last outputs.
pub const BEYOND: usize = NEAR + FAR + 2 * (u8::MAX as usize + 1);
/// Most cycles from a reset to the divergence: 78 MB.
const LONGEST: usize = 8 * MOST;
/// Cycles from a reset to the divergence with which hypotheses are tested first: those of a window.
const ROOM: usize = 50;

/// Cycles of other stimulus that what explains those of the divergence is tried on, too: a mistake that others look like acts
/// otherwise than these once in ten thousand cycles.
const CYCLES_ELSEWHERE: usize = 262_144;
/// How long a design may take for them.
const PATIENCE: Duration = Duration::from_secs(3);

/// What the design did on other stimulus, from its first cycle on.
#[derive(Clone, Debug, Default)]
pub struct Elsewhere {
    /// The seed of the stimulus, which is mixed as that of the divergence.
    pub seed: u64,
    /// The cycles; none of them is known to be a divergent one.
    pub recording: Recording,
}

impl Elsewhere {
    /// Has a design of `latency` run other stimulus, whose first cycle is one of reset, with `run`. One that stops there has
    /// recorded enough, and one that is slow runs less of it.
    pub fn run(
        mut other: Generator,
        latency: Latency,
        mut run: impl FnMut(&[CycleInput], &mut [CycleOutput]) -> Result<(), Stop>,
    ) -> Self {
        let start = Instant::now();
        let mut recording = Recording::default();
        while recording.inputs.len() < CYCLES_ELSEWHERE && start.elapsed() < PATIENCE {
            let mut inputs = [CycleInput::default(); BATCH];
            let mut rtl = [CycleOutput::default(); BATCH];
            other.fill(&mut inputs);
            let ran = run(&inputs, &mut rtl);
            let completed = ran.as_ref().map_or_else(|stop| stop.completed, |()| BATCH);
            recording.extend(&inputs[..completed], &rtl[..completed]);
            if ran.is_err() {
                break;
            }
        }
        recording.align(latency);
        Self {
            seed: other.seed(),
            recording,
        }
    }
}

/// What went into the design and what it did, from a reset to beyond the divergence.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Number of the first cycle, which is one of reset.
    pub first: u64,
    /// The inputs.
    pub inputs: Vec<CycleInput>,
    /// The inputs of the last cycles, whose outputs are not all there.
    pub unanswered: Vec<CycleInput>,
    /// The design's outputs.
    pub rtl: Vec<CycleOutput>,
    /// Index of the divergent cycle.
    pub divergent: usize,
    /// The latencies by which the outputs were put beside their inputs.
    pub stated: Latency,
    /// A map states them, and not the design.
    pub from_map: bool,
    /// What the design did on other stimulus, if it could be asked.
    pub elsewhere: Option<Box<Elsewhere>>,
}

impl Recording {
    /// Appends cycles before the divergence, from a reset on. When they are twice 32,768, the newest 32,768 are kept, from the
    /// first reset among them on; without a reset among them all from the last one, and none if they are more than 262,144.
    pub fn append(&mut self, inputs: &[CycleInput], rtl: &[CycleOutput]) {
        let mut from = 0;
        if self.inputs.is_empty() {
            let reset = inputs.iter().position(CycleInput::is_reset);
            from = reset.unwrap_or(inputs.len());
            self.first += from as u64;
        }
        let before = self.inputs.len();
        self.extend(&inputs[from..], &rtl[from..]);
        let cycles = self.inputs.len();
        if cycles < 2 * MOST || before / MOST == cycles / MOST {
            return;
        }
        let newest = cycles - MOST;
        let (older, newer) = self.inputs.split_at(newest);
        let reset = newer.iter().position(CycleInput::is_reset);
        let reset = reset
            .map(|reset| newest + reset)
            .or_else(|| older.iter().rposition(CycleInput::is_reset));
        self.forget(reset.unwrap_or(0));
        if self.inputs.len() > LONGEST {
            self.forget(self.inputs.len());
        }
    }

    /// Appends cycles, and forgets none.
    pub fn extend(&mut self, inputs: &[CycleInput], rtl: &[CycleOutput]) {
        self.inputs.extend_from_slice(inputs);
        self.rtl.extend_from_slice(rtl);
    }

    /// Puts the outputs of every cycle beside its inputs, for a design that shows them later by `latency`. The last cycles,
    /// of which not all is shown, go.
    pub fn align(&mut self, latency: Latency) {
        self.stated = latency;
        let Latency {
            increment,
            access,
            spe,
        } = latency;
        let cycles = self.rtl.len();
        let aligned = cycles.saturating_sub(increment.max(access).max(spe));
        for k in 0..aligned {
            self.rtl[k] = self.rtl[k + spe]
                .with(&CycleOutput::INCREMENTS, &self.rtl[k + increment])
                .with(&CycleOutput::ACCESS, &self.rtl[k + access]);
        }
        self.rtl.truncate(aligned);
        self.unanswered = self.inputs.split_off(aligned);
    }

    /// Forgets the first `cycles` cycles.
    pub fn forget(&mut self, cycles: usize) {
        self.inputs.drain(..cycles);
        self.rtl.drain(..cycles);
        self.first += cycles as u64;
    }

    /// Index of the last reset that leaves room for a window before the divergent cycle, else 0.
    pub fn late_start(&self) -> usize {
        let most = self.divergent.saturating_sub(ROOM);
        let before = self.inputs.get(..=most).unwrap_or_default();
        before.iter().rposition(CycleInput::is_reset).unwrap_or(0)
    }

    /// Everything that was driven.
    pub fn driven(&self) -> impl Iterator<Item = &[CycleInput]> {
        [&*self.inputs, &*self.unanswered].into_iter()
    }

    /// The cycles from index `start` on, which is not after the divergent one, to [`NEAR`] and [`FAR`] after that.
    pub(super) fn stretch(&self, start: usize) -> Stretch<'_> {
        // A live run, one of its recording and a shrunk one know more or less of what follows.
        let end = self.divergent.saturating_add(1 + NEAR + FAR);
        self.between(start, end.min(self.inputs.len()))
    }

    /// So many cycles, if there are as many, none of which is known to be a divergent one.
    pub(super) fn first_cycles(&self, most: usize) -> Stretch<'_> {
        let end = most.min(self.inputs.len());
        Stretch {
            // One that every hypothesis can be tested in.
            divergent: end / 2,
            ..self.between(0, end)
        }
    }

    fn between(&self, start: usize, end: usize) -> Stretch<'_> {
        Stretch {
            first: self.first + start as u64,
            inputs: &self.inputs[start..end],
            rtl: &self.rtl[start..end],
            before: &self.inputs[..start],
            rtl_before: &self.rtl[..start],
            divergent: self.divergent.saturating_sub(start),
            stated: self.stated,
            from_map: self.from_map,
        }
    }
}

/// A part of a recording.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<'a> {
    /// Number of the first cycle.
    pub first: u64,
    /// The inputs.
    pub inputs: &'a [CycleInput],
    /// The design's outputs.
    pub rtl: &'a [CycleOutput],
    /// The inputs of the cycles before, of which the last ones may come late.
    pub before: &'a [CycleInput],
    /// The design's outputs of the cycles before.
    pub rtl_before: &'a [CycleOutput],
    /// Index of the divergent cycle.
    pub divergent: usize,
    /// The latencies by which the outputs were put beside their inputs.
    pub stated: Latency,
    /// A map states them, and not the design.
    pub from_map: bool,
}

impl Stretch<'_> {
    /// The cycles up to [`NEAR`] after the divergence.
    pub fn near(&self) -> Self {
        let end = self
            .divergent
            .saturating_add(1 + NEAR)
            .min(self.inputs.len());
        Self {
            inputs: &self.inputs[..end],
            rtl: &self.rtl[..end],
            ..*self
        }
    }

    /// The bytes that the design drew (DUT-61); `None` if there are no cycles, or the first is not one of reset.
    pub fn random(&self) -> Option<Vec<u8>> {
        self.inputs.first().filter(|input| input.is_reset())?;
        Some(self.rtl.iter().map(|output| output.random_byte).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Appends `batches` of 256 cycles, with a reset in the first cycle of those that `is_reset` says.
    fn recorded(batches: usize, is_reset: impl Fn(usize) -> bool) -> Recording {
        let mut recording = Recording::default();
        for batch in 0..batches {
            let mut inputs = vec![CycleInput::write(pmu_model::SysReg::Pmcr, 0); 256];
            if is_reset(batch) {
                inputs[0] = CycleInput::reset();
            }
            recording.append(&inputs, &vec![CycleOutput::default(); 256]);
            assert!(recording.inputs.len() <= LONGEST + MOST);
            assert_eq!(recording.inputs.len(), recording.rtl.len());
        }
        recording
    }

    #[test]
    fn what_is_old_is_forgotten_up_to_a_reset() {
        // A reset in every seventh batch: at least the newest cycles stay, less the way to a reset.
        let recording = recorded(1001, |batch| batch % 7 == 0);
        let cycles = recording.inputs.len();
        assert!(recording.inputs[0].is_reset());
        assert!((MOST - 7 * 256..=2 * MOST).contains(&cycles), "{cycles}");
        assert_eq!(recording.first + cycles as u64, 1001 * 256);
        // With one reset alone, all of it stays while it is not too long.
        let recording = recorded(900, |batch| batch == 0);
        assert_eq!((recording.first, recording.inputs.len()), (0, 900 * 256));
        let recording = recorded(1300, |batch| batch == 0);
        assert_eq!((recording.first, recording.inputs.len()), (1300 * 256, 0));
        // And it begins again with the next one.
        let recording = recorded(1300, |batch| batch == 0 || batch == 1200);
        assert_eq!(
            (recording.first, recording.inputs.len()),
            (1200 * 256, 100 * 256)
        );
    }

    #[test]
    fn dut_02_outputs_stand_beside_their_inputs() {
        // Cycle k has increment k and data 100 + k; they are shown two cycles and one cycle later.
        let output = |k: u16| CycleOutput {
            increment: [k.saturating_sub(2); 32],
            access_data: u64::from(100 + k.saturating_sub(1)),
            selected: k as u8,
            ..CycleOutput::default()
        };
        let mut recording = Recording {
            inputs: vec![CycleInput::default(); 10],
            rtl: (0..10).map(output).collect(),
            ..Recording::default()
        };
        recording.align(Latency {
            increment: 2,
            access: 1,
            spe: 0,
        });
        assert_eq!((recording.inputs.len(), recording.rtl.len()), (8, 8));
        for (k, output) in recording.rtl.iter().enumerate() {
            let found = (output.increment[5], output.access_data, output.selected);
            assert_eq!(found, (k as u16, 100 + k as u64, k as u8));
        }
    }
}
