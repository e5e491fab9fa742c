//! Comparisons in which a waiver accepts whatever the RTL shows: they say nothing, and so are none.

use std::collections::HashMap;

use pmu_model::contract::{COUNTER_LANES, CYCLE_COUNTER, Output};
use pmu_model::{AccessKind, CycleInput, CycleOutput, Unknown};

use super::{Waiver, Waivers};
use crate::lockstep::compare::{Field, access_name};
use crate::lockstep::ledger::{in_rest, is_compared_read, is_of_sampling};

/// Bits of an increment.
const LANE: u64 = 0xFFFF;

/// A waiver that holds whatever the RTL shows, and the fields that it is about.
#[derive(Clone, Debug)]
struct Blind {
    waiver: Waiver,
    /// The bits of them.
    bits: u64,
    /// Increments, a bit each.
    lanes: u32,
    /// By [`Output`], a bit each, without what a read returns.
    outputs: u32,
}

impl Blind {
    /// It, if `waiver` is one.
    fn of(waiver: &Waiver) -> Option<Self> {
        let none = CycleInput::default();
        let fits = |field: Field| waiver.field.fits(&field.name(&none));
        let lanes = (0..COUNTER_LANES).filter(|&n| {
            fits(match n {
                CYCLE_COUNTER => Field::CycleIncrement,
                _ => Field::Increment(n as u8),
            })
        });
        let outputs = in_rest().filter(|&&output| {
            let is_word = 8 * output.field().bytes() <= 64;
            is_word && fits(Field::Whole(output))
        });
        waiver.condition.rtl.is_none().then(|| Self {
            bits: waiver.condition.bits.unwrap_or(u64::MAX),
            lanes: bits_of(lanes),
            outputs: bits_of(outputs.map(|&output| output as usize)),
            waiver: waiver.clone(),
        })
    }

    /// The increments and outputs whose expected values are those of the condition.
    fn expecting(&self, output: &CycleOutput) -> (u32, u32) {
        let Some(value) = self.waiver.condition.expected else {
            return (self.lanes, self.outputs);
        };
        let lanes = (0..COUNTER_LANES).filter(|&n| u64::from(output.increment[n]) == value);
        let outputs = in_rest().filter(|field| field.of(output) == value);
        (
            self.lanes & bits_of(lanes),
            self.outputs & bits_of(outputs.map(|&output| output as usize)),
        )
    }
}

/// The bits of each field that are accepted in a cycle, by waivers of some bits.
struct Parts {
    lanes: [u64; COUNTER_LANES],
    outputs: [u64; Output::ALL.len()],
    read: u64,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            lanes: [0; COUNTER_LANES],
            outputs: [0; Output::ALL.len()],
            read: 0,
        }
    }
}

impl Parts {
    fn enter(&mut self, bits: u64, (lanes, outputs): (u32, u32)) {
        let entered =
            |of: u32| move |(n, part): (usize, &mut u64)| *part |= bits * u64::from(of >> n & 1);
        self.lanes.iter_mut().enumerate().for_each(entered(lanes));
        self.outputs
            .iter_mut()
            .enumerate()
            .for_each(entered(outputs));
    }

    /// Increments and outputs all of whose bits are.
    fn whole(&self) -> (u32, u32) {
        let lanes = (0..COUNTER_LANES).filter(|&n| self.lanes[n] & LANE == LANE);
        let outputs = in_rest().filter(|&&output| {
            let width = 8 * output.field().bytes();
            let all = u64::MAX >> (64 - width.min(64));
            self.outputs[output as usize] & all == all
        });
        (
            bits_of(lanes),
            bits_of(outputs.map(|&output| output as usize)),
        )
    }
}

/// How often each field was accepted whatever it was, where it would have been compared.
#[derive(Clone, Debug, Default)]
pub(in crate::lockstep) struct Accepted {
    blind: Vec<Blind>,
    /// The outputs of group SPE, a bit each.
    sampling: u32,
    lanes: [u64; COUNTER_LANES],
    outputs: [u64; Output::ALL.len()],
    /// By kind and address of the access.
    reads: HashMap<(u8, u16), u64>,
    /// Increments and outputs of the last cycle, and for how many cycles they are the same: mostly they are.
    last: (u32, u32),
    run: u64,
    /// By kind and address of an access: which of the waivers are about the register as a field, and as one that is accessed.
    names: HashMap<(u8, u16), Vec<(bool, bool)>>,
}

impl Accepted {
    pub fn new(waivers: &Waivers) -> Self {
        Self {
            blind: waivers.waivers.iter().filter_map(Blind::of).collect(),
            sampling: bits_of(
                in_rest()
                    .filter(|output| is_of_sampling(output))
                    .map(|&output| output as usize),
            ),
            ..Self::default()
        }
    }

    /// Enters cycles that were compared, from number `start` on.
    pub fn enter(
        &mut self,
        start: u64,
        inputs: &[CycleInput],
        expected: &[CycleOutput],
        unknowns: &[Unknown],
    ) {
        if self.blind.is_empty() {
            return;
        }
        let cycles = inputs.iter().zip(expected).zip(unknowns);
        for (cycle, ((input, output), unknown)) in (start..).zip(cycles) {
            self.enter_cycle(cycle, input, output, unknown);
        }
    }

    fn enter_cycle(
        &mut self,
        cycle: u64,
        input: &CycleInput,
        output: &CycleOutput,
        unknown: &Unknown,
    ) {
        let access = (input.access_kind, input.access_address);
        let is_access = input.access_kind != AccessKind::None as u8;
        let names = self.names.entry(access).or_insert_with(|| {
            let name = match is_access {
                true => access_name(input),
                false => String::new(),
            };
            let blind = self.blind.iter();
            let of = |blind: &Blind| {
                let register = blind.waiver.condition.register.as_ref();
                let is_it = register.is_none_or(|glob| is_access && glob.fits(&name));
                (is_access && blind.waiver.field.fits(&name), is_it)
            };
            blind.map(of).collect()
        });
        let (mut lanes, mut outputs, mut is_read) = (0, 0, false);
        let mut parts: Option<Parts> = None;
        for (blind, &(field, register)) in self.blind.iter().zip(&*names) {
            let condition = &blind.waiver.condition;
            if !register || !condition.holds_in(cycle, input) {
                continue;
            }
            let (more_lanes, more_outputs) = blind.expecting(output);
            let value = condition.expected.unwrap_or(output.access_data);
            let reads = field && value == output.access_data;
            if blind.bits == u64::MAX {
                lanes |= more_lanes;
                outputs |= more_outputs;
                is_read |= reads;
                continue;
            }
            let parts = parts.get_or_insert_default();
            parts.enter(blind.bits, (more_lanes, more_outputs));
            parts.read |= if reads { blind.bits } else { 0 };
        }
        if let Some(parts) = parts {
            let (more_lanes, more_outputs) = parts.whole();
            lanes |= more_lanes;
            outputs |= more_outputs;
            is_read |= parts.read == u64::MAX;
        }
        lanes &= !unknown.increments;
        if unknown.spe {
            outputs &= !self.sampling;
        }
        if self.last != (lanes, outputs) {
            self.flush();
            self.last = (lanes, outputs);
        }
        self.run += 1;
        if is_read && is_compared_read(input, output) && unknown.access_data == 0 {
            *self.reads.entry(access).or_default() += 1;
        }
    }

    /// Adds the cycles that are the same.
    fn flush(&mut self) {
        let (lanes, outputs) = self.last;
        for (n, count) in self.lanes.iter_mut().enumerate() {
            *count += self.run * u64::from(lanes >> n & 1);
        }
        for (n, count) in self.outputs.iter_mut().enumerate() {
            *count += self.run * u64::from(outputs >> n & 1);
        }
        self.run = 0;
    }

    /// How often an increment was.
    pub fn of_lane(&self, n: usize) -> u64 {
        self.lanes[n] + self.run * u64::from(self.last.0 >> n & 1)
    }

    /// How often an output was that is not what a read returns.
    pub fn of_output(&self, output: Output) -> u64 {
        let n = output as usize;
        self.outputs[n] + self.run * u64::from(self.last.1 >> n & 1)
    }

    /// How often what a read returned was.
    pub fn of_read(&self, kind: AccessKind, address: u16) -> u64 {
        self.reads.get(&(kind as u8, address)).copied().unwrap_or(0)
    }
}

/// A word with the bits of `numbers` set.
fn bits_of(numbers: impl Iterator<Item = usize>) -> u32 {
    numbers.fold(0, |bits, n| bits | 1 << n)
}

#[cfg(test)]
mod tests {
    use pmu_model::contract::Thread;
    use pmu_model::{AccessOutcome, SysReg};

    use super::*;

    /// Of 100 cycles at EL1 that read PMMIR_EL1: how often V[5], the outcome of the access, and the register were accepted.
    fn accepted(entries: &[&str]) -> [u64; 3] {
        let text: String = entries
            .iter()
            .map(|entry| {
                let (field, condition) = entry.split_once(' ').expect("two words");
                format!(
                    "[[waiver]]\nfield = '{field}'\ncondition = {condition}\nreason = 'r'\nowner = 'o'\nexpires = 2999-12-31\n"
                )
            })
            .collect();
        let waivers = Waivers::parse("w.toml".as_ref(), &text).expect("waivers");
        let mut accepted = Accepted::new(&waivers);
        let mut input = CycleInput::read(SysReg::Pmmir);
        input.threads[0].state = Thread::state_of(1, 0, false);
        let output = CycleOutput {
            access_outcome: AccessOutcome::Ok as u8,
            access_data: 7,
            ..CycleOutput::default()
        };
        for cycle in 0..100 {
            accepted.enter(cycle, &[input], &[output], &[Unknown::default()]);
        }
        [
            accepted.of_lane(5),
            accepted.of_output(Output::AccessOutcome),
            accepted.of_read(AccessKind::Read, input.access_address),
        ]
    }

    #[test]
    fn what_is_accepted_whatever_it_is_is_counted() {
        for (entries, counts) in [
            (&["* 'always'"][..], [100; 3]),
            (&["V[*] 'always'"], [100, 0, 0]),
            (&["* { first_cycle = 0, last_cycle = 9999 }"], [100; 3]),
            (&["* { first_cycle = 90 }"], [10; 3]),
            (
                &["* { first_cycle = 50 }", "* { last_cycle = 59 }"],
                [100; 3],
            ),
            (&["* { access = 'MRS' }"], [100; 3]),
            (&["* { access = 'MRC' }"], [0; 3]),
            (&["* { register = 'PM*' }"], [100; 3]),
            (&["* { register = 'SPM*' }"], [0; 3]),
            (&["PMMIR_EL1 { access = 'MRS' }"], [0, 0, 100]),
            (&["* { bits = 0xFF }"], [0, 100, 0]),
            (&["* { bits = 0xFFFF }"], [100, 100, 0]),
            (
                &["* { bits = 0x0FF0 }", "* { bits = 0xF00F }"],
                [100, 100, 0],
            ),
            (
                &["* { bits = 0x0FF0 }", "V[*] { bits = 0xF00F }"],
                [100, 0, 0],
            ),
            (
                &[
                    "* { bits = 0x7FFF }",
                    "* { bits = '0xFFFFFFFFFFFF8000', last_cycle = 59 }",
                ],
                [60, 100, 60],
            ),
            (&["* { expected = 0 }"], [100, 0, 0]),
            (&["* { expected = 7 }"], [0, 0, 100]),
            (&["* { rtl = 4 }"], [0; 3]),
            (&["* { exception_level = 2 }"], [0; 3]),
            (
                &["* { exception_level = 1 }", "* { exception_level = 2 }"],
                [100; 3],
            ),
        ] {
            assert_eq!(accepted(entries), counts, "{entries:?}");
        }
    }
}
