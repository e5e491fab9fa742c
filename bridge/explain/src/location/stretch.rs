//! The cycles that are looked at: stretches of stimulus, each from a reset on, and the last ones before the divergence.

use std::fs;
use std::path::{Path, PathBuf};

use pmu_model::{CycleInput, CycleOutput, Implementation, Model, Unknown};

use lockstep_engine::dut::Dut;
use lockstep_engine::lockstep::compare::first_difference;
use lockstep_stimulus::{Generator, Profile};

use super::LocationError;
use crate::hypotheses::Recording;

/// Stretches of stimulus by which the design is learnt.
const STRETCHES: u64 = 20;
/// Cycles of each.
const CYCLES: usize = 192;
/// Most cycles of the one with the divergence.
const LAST: usize = 512;
/// Runs of other stimulus in which divergences are looked for, the cycles of each, how many divergences are enough, and how
/// many of these are taken, the earliest.
const OTHERS: u64 = 160;
const CYCLES_OF_OTHERS: usize = 2048;
const ENOUGH: usize = 24;
const TAKEN: usize = 8;
/// Most cycles of a stretch that ends with one of these.
const OTHER: usize = 256;
/// Cycles behind the divergent one.
const BEYOND: usize = 8;

/// Out of reset, what was before is still to be seen.
pub const SETTLED: usize = 2;

/// A dump, which is removed when it is not needed any more.
pub struct Dump(pub PathBuf);

impl Drop for Dump {
    fn drop(&mut self) {
        // What cannot be removed stays in a folder that is for the time being.
        let _ = fs::remove_file(&self.0);
    }
}

/// Some cycles.
#[derive(Clone, Debug)]
pub struct Stretch {
    /// The place of the first one among all that are looked at; a multiple of 64.
    pub first: usize,
    /// How many; a multiple of 64.
    pub cycles: usize,
    /// The first in which the design and the model differ.
    pub divergent: Option<usize>,
    /// Whether it is that of the divergence which is asked for.
    pub is_last: bool,
}

/// How many cycles stretches have, one behind the other.
pub fn cycles(stretches: &[Stretch]) -> usize {
    stretches.last().map_or(0, |last| last.first + last.cycles)
}

/// What goes into the contract and comes of the design.
pub struct Run {
    /// Inputs from a reset on, and the design's random bytes.
    pub inputs: Vec<CycleInput>,
    pub random: Vec<u8>,
    /// What the outputs may be, whatever they are.
    pub unknown: Vec<Unknown>,
    /// The first that is looked at.
    pub from: usize,
    pub stretch: Stretch,
}

/// Runs the design, with dumps of what is looked at, which are removed with what is returned: cycle *k* of all that begins at
/// tick 10 *k*.
///
/// # Errors
/// The design stops, or cannot be traced.
pub fn run(
    recording: &Recording,
    implementation: &Implementation,
    dut: &mut dyn Dut,
    folder: &Path,
) -> Result<(Vec<Run>, Vec<Dump>), LocationError> {
    let mut runs = Vec::new();
    let mut dumps = vec![Dump(folder.join("learnt.vcd"))];
    dut.trace_to(&dumps[0].0, 0)?;
    for seed in 0..STRETCHES {
        let mut inputs = vec![CycleInput::default(); CYCLES];
        Generator::new(seed, implementation, &Profile::default())?.fill(&mut inputs);
        inputs[0] = CycleInput::reset();
        let stretch = Stretch {
            first: seed as usize * CYCLES,
            cycles: CYCLES,
            divergent: None,
            is_last: false,
        };
        runs.push(Run::new(dut, implementation, inputs, 0, stretch)?);
    }
    dut.end_trace()?;
    // More divergences say more of what they have in common.
    let mut first = STRETCHES as usize * CYCLES;
    for (inputs, divergent) in others(implementation, dut)? {
        let dump = Dump(folder.join(format!("other-{}.vcd", runs.len())));
        let window = (first, OTHER, false);
        if let Some(run) = before(dut, implementation, &inputs, divergent, window, &dump.0)? {
            first += run.stretch.cycles;
            runs.push(run);
            dumps.push(dump);
        }
    }
    // The divergence itself.
    let dump = Dump(folder.join("last.vcd"));
    let (inputs, window) = (&recording.inputs, (first, LAST, true));
    if let Some(run) = before(
        dut,
        implementation,
        inputs,
        recording.divergent,
        window,
        &dump.0,
    )? {
        runs.push(run);
        dumps.push(dump);
    }
    Ok((runs, dumps))
}

/// Stimulus on which the design differs from the model, from a reset on, each with the cycle in which it does.
fn others(
    implementation: &Implementation,
    dut: &mut dyn Dut,
) -> Result<Vec<(Vec<CycleInput>, usize)>, LocationError> {
    let mut found = Vec::new();
    for seed in STRETCHES..STRETCHES + OTHERS {
        if found.len() >= ENOUGH {
            break;
        }
        let mut inputs = vec![CycleInput::default(); CYCLES_OF_OTHERS];
        Generator::new(seed, implementation, &Profile::default())?.fill(&mut inputs);
        inputs[0] = CycleInput::reset();
        let mut rtl = vec![CycleOutput::default(); inputs.len()];
        dut.run(&inputs, &mut rtl)?;
        if let Some(divergent) = judged(implementation, &inputs, &rtl)?.found {
            found.push((inputs, divergent));
        }
    }
    // What is soon wrong is looked at from the reset on.
    found.sort_by_key(|(_, divergent)| *divergent);
    found.truncate(TAKEN);
    Ok(found)
}

/// Runs the design to a little behind a divergence, with a dump of the last cycles; `None` if there are too few.
///
/// `window` is the place of the first of them, how many there are at most, and whether it is the divergence that is asked
/// for.
fn before(
    dut: &mut dyn Dut,
    implementation: &Implementation,
    inputs: &[CycleInput],
    divergent: usize,
    window: (usize, usize, bool),
    dump: &Path,
) -> Result<Option<Run>, LocationError> {
    let (first, most, is_last) = window;
    let wanted = divergent.saturating_add(BEYOND);
    let whole = wanted.next_multiple_of(64);
    // From the reset on, if that is near: what it leaves wrong, no change behind it mends.
    let end = match whole <= most.min(inputs.len()) {
        true => whole,
        false => wanted.min(inputs.len()),
    };
    let cycles = end.min(most) / 64 * 64;
    if cycles == 0 {
        return Ok(None);
    }
    let from = end - cycles;
    let mut inputs = inputs[..end].to_vec();
    inputs[0] = CycleInput::reset();
    let stretch = Stretch {
        first,
        cycles,
        divergent: None,
        is_last,
    };
    let mut silent = vec![CycleOutput::default(); from];
    dut.run(&inputs[..from], &mut silent)?;
    // Where a reset leaves something as it was, it may differ sooner than it did.
    if let Some(sooner) = judged(implementation, &inputs[..from], &silent)?.found {
        return before(dut, implementation, &inputs, sooner, window, dump);
    }
    dut.trace_to(dump, first as u64)?;
    let mut rtl = vec![CycleOutput::default(); cycles];
    dut.run(&inputs[from..], &mut rtl)?;
    dut.end_trace()?;
    let rtl = [silent, rtl].concat();
    Ok(Some(Run::of(implementation, inputs, &rtl, from, stretch)?))
}

/// What the model says of cycles.
pub struct Judged {
    /// The design's random bytes.
    pub random: Vec<u8>,
    /// The outputs.
    pub expected: Vec<CycleOutput>,
    /// What of them may be anything.
    pub unknown: Vec<Unknown>,
    /// The first cycle in which the design differs, out of reset.
    pub found: Option<usize>,
}

/// Runs the model from a reset on beside what the design did.
///
/// # Errors
/// There is no model of such an implementation.
pub fn judged(
    implementation: &Implementation,
    inputs: &[CycleInput],
    rtl: &[CycleOutput],
) -> Result<Judged, LocationError> {
    let random: Vec<u8> = rtl.iter().map(|output| output.random_byte).collect();
    let mut model = Model::new(implementation)?;
    let mut expected = vec![CycleOutput::default(); rtl.len()];
    let mut unknown = vec![Unknown::default(); rtl.len()];
    model.run(inputs, &random, &mut expected, &mut unknown);
    // Sooner than that, it differs by what was before the reset.
    let settled = SETTLED.min(rtl.len());
    let found = first_difference(&expected[settled..], &unknown[settled..], &rtl[settled..]);
    let found = found.map(|found| found + settled);
    Ok(Judged {
        random,
        expected,
        unknown,
        found,
    })
}

impl Run {
    fn new(
        dut: &mut dyn Dut,
        implementation: &Implementation,
        inputs: Vec<CycleInput>,
        from: usize,
        stretch: Stretch,
    ) -> Result<Self, LocationError> {
        let mut rtl = vec![CycleOutput::default(); inputs.len()];
        dut.run(&inputs, &mut rtl)?;
        Self::of(implementation, inputs, &rtl, from, stretch)
    }

    /// Finds the first cycle in which the design differs.
    fn of(
        implementation: &Implementation,
        inputs: Vec<CycleInput>,
        rtl: &[CycleOutput],
        from: usize,
        mut stretch: Stretch,
    ) -> Result<Self, LocationError> {
        let judged = judged(implementation, &inputs, rtl)?;
        stretch.divergent = judged.found.and_then(|at| at.checked_sub(from));
        Ok(Self {
            inputs,
            random: judged.random,
            unknown: judged.unknown,
            from,
            stretch,
        })
    }
}

#[cfg(test)]
mod tests {
    use lockstep_engine::dut::{ModelledDut, Pulse, Stop, TraceUnavailable};
    use pmu_model::DutParameters;

    use super::*;

    /// A design that is wrong in some cycles of all that it ever ran, and has nothing in its dumps.
    struct Wrong(ModelledDut);

    impl Wrong {
        fn new(implementation: &Implementation, wrong: &'static [u64]) -> Self {
            let fault = move |cycle: u64, _: &CycleInput, output: &mut CycleOutput| {
                output.access_outcome ^= u8::from(wrong.contains(&cycle));
                Ok(())
            };
            let dut = ModelledDut::with_fault(implementation, Box::new(fault));
            Self(dut.expect("consistent"))
        }
    }

    impl Dut for Wrong {
        fn parameters(&self) -> DutParameters {
            self.0.parameters()
        }

        fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
            self.0.run(inputs, outputs)
        }

        fn trace_to(&mut self, _: &Path, _: u64) -> Result<(), TraceUnavailable> {
            Ok(())
        }

        fn end_trace(&mut self) -> Result<(), TraceUnavailable> {
            Ok(())
        }

        fn pulse(&self) -> Pulse {
            self.0.pulse()
        }
    }

    /// The cycles that are looked at before a divergence in cycle 600, and the one that differs.
    fn looked_at(wrong: &'static [u64]) -> (usize, Option<usize>) {
        let implementation = Implementation::default();
        let mut dut = Wrong::new(&implementation, wrong);
        let inputs = vec![CycleInput::default(); 700];
        let window = (0, 256, true);
        let run = before(
            &mut dut,
            &implementation,
            &inputs,
            600,
            window,
            Path::new(""),
        );
        let stretch = run.expect("it runs").expect("enough cycles").stretch;
        (stretch.cycles, stretch.divergent)
    }

    #[test]
    fn the_last_cycles_before_a_divergence_are_looked_at() {
        assert_eq!(looked_at(&[600]), (256, Some(600 - 352)));
    }

    /// As where a reset leaves what was before: it is looked at again, from the reset on, and then it is wrong sooner still.
    #[test]
    fn what_differs_sooner_than_it_did_is_looked_at_there() {
        assert_eq!(looked_at(&[50, 352 + 20]), (64, Some(20)));
    }
}
