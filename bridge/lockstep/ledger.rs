//! The ledger: per field, how often it was compared, not compared, and compared with a value that had changed.
//! A field that never changes shows nothing, however often it agrees.

use pmu_model::contract::{COUNTER_LANES, CYCLE_COUNTER};
use pmu_model::{AccessKind, AccessOutcome, CycleInput, CycleOutput, SysReg, Unknown};
use serde::Serialize;

use super::compare::{Compared, register_name};

/// One field of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldTally {
    /// Name, as in reports.
    pub field: String,
    /// Compared.
    pub compared: u64,
    /// Not compared, because the architecture leaves the value UNKNOWN. For a register some of its bits.
    pub not_compared: u64,
    /// Compared with a value other than the one before.
    pub changed: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reads {
    compared: u64,
    unknown: u64,
    changed: u64,
    last: u64,
}

/// What a run has compared.
#[derive(Clone, Debug)]
pub struct Ledger {
    counters: usize,
    cycles: u64,
    unknown: [u64; COUNTER_LANES],
    changed: [u64; COUNTER_LANES],
    outcome_changed: u64,
    last: CycleOutput,
    /// By encoding.
    reads: Vec<Reads>,
}

impl Ledger {
    /// An empty ledger of a design with `counters` event counters.
    pub fn new(counters: u8) -> Self {
        Self {
            counters: counters.into(),
            cycles: 0,
            unknown: [0; COUNTER_LANES],
            changed: [0; COUNTER_LANES],
            outcome_changed: 0,
            last: CycleOutput::default(),
            reads: vec![Reads::default(); 1 << 16],
        }
    }

    /// Enters a batch that was compared.
    pub fn enter(&mut self, inputs: &[CycleInput], expected: &[CycleOutput], unknowns: &[Unknown]) {
        let ledger = &mut *self;
        pulp::Arch::new().dispatch(
            #[inline(always)]
            move || {
                // Moved, not borrowed: only then is the closure compiled for the machine.
                let ledger = ledger;
                ledger.enter_changes(expected);
            },
        );
        for ((input, output), unknown) in inputs.iter().zip(expected).zip(unknowns) {
            if unknown.increments != 0 {
                self.enter_unknown(unknown.increments);
            }
            if input.access_kind == AccessKind::Read as u8
                && output.access_outcome == AccessOutcome::Ok as u8
            {
                let reads = &mut self.reads[usize::from(input.access_address)];
                reads.compared += 1;
                reads.unknown += u64::from(unknown.access_data != 0);
                reads.changed += u64::from(reads.last != output.access_data);
                reads.last = output.access_data;
            }
        }
        self.cycles += expected.len() as u64;
    }

    #[inline(always)]
    fn enter_changes(&mut self, expected: &[CycleOutput]) {
        // Counts of 16 bits vectorize best, and hold a chunk of this length.
        for chunk in expected.chunks(1 << 15) {
            let mut changed = [0u16; COUNTER_LANES];
            let mut last = self.last.increment;
            for output in chunk {
                for n in 0..COUNTER_LANES {
                    changed[n] += u16::from(output.increment[n] != last[n]);
                }
                last = output.increment;
                self.outcome_changed +=
                    u64::from(output.access_outcome != self.last.access_outcome);
                self.last.access_outcome = output.access_outcome;
            }
            self.last.increment = last;
            for (total, changed) in self.changed.iter_mut().zip(changed) {
                *total += u64::from(changed);
            }
        }
    }

    #[cold]
    fn enter_unknown(&mut self, increments: u32) {
        for (n, count) in self.unknown.iter_mut().enumerate() {
            *count += u64::from(increments >> n & 1);
        }
    }

    /// The tallies, in the order of the contract; registers that were never read are left out.
    pub fn fields(&self) -> Vec<FieldTally> {
        let lane = |n: usize, field: String| FieldTally {
            field,
            compared: self.cycles - self.unknown[n],
            not_compared: self.unknown[n],
            changed: self.changed[n],
        };
        let mut fields: Vec<_> = (0..self.counters)
            .map(|n| lane(n, format!("V[{n}]")))
            .collect();
        fields.push(lane(CYCLE_COUNTER, "PMCCNTR increment".into()));
        fields.push(FieldTally {
            field: "access outcome".into(),
            compared: self.cycles,
            not_compared: 0,
            changed: self.outcome_changed,
        });
        fields.extend(
            SysReg::of_counters(self.counters as u8).filter_map(|register| {
                let reads = self.reads[usize::from(register.address())];
                (reads.compared > 0).then(|| FieldTally {
                    field: register_name(register.address()),
                    compared: reads.compared - reads.unknown,
                    not_compared: reads.unknown,
                    changed: reads.changed,
                })
            }),
        );
        fields
    }

    /// Registers of the design that were never read.
    pub fn never_read(&self) -> Vec<String> {
        SysReg::of_counters(self.counters as u8)
            // Without event counters it is UNDEFINED whatever PMSELR_EL0 says.
            .filter(|&register| self.counters > 0 || register != SysReg::Pmxevcntr)
            .filter(|register| self.reads[usize::from(register.address())].compared == 0)
            .map(|register| register.to_string())
            .collect()
    }

    /// The sum over all fields.
    pub fn total(&self) -> Compared {
        self.fields()
            .iter()
            .fold(Compared::default(), |sum, field| Compared {
                compared: sum.compared + field.compared,
                not_compared: sum.not_compared + field.not_compared,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_compared_unknown_and_changed_apart() {
        let mut ledger = Ledger::new(2);
        let inputs = [CycleInput::read(SysReg::Pmselr), CycleInput::default()];
        let mut expected = [CycleOutput::default(); 2];
        expected[0].access_outcome = AccessOutcome::Ok as u8;
        expected[0].access_data = 7;
        expected[1].increment[1] = 3;
        let unknowns = [
            Unknown::default(),
            Unknown {
                access_data: 0,
                increments: 1,
                spe: false,
            },
        ];
        ledger.enter(&inputs, &expected, &unknowns);
        let fields = ledger.fields();
        let find = |name: &str| fields.iter().find(|field| field.field == name).unwrap();
        assert_eq!((find("V[0]").compared, find("V[0]").not_compared), (1, 1));
        assert_eq!((find("V[1]").compared, find("V[1]").changed), (2, 1));
        assert_eq!(find("access outcome").changed, 2);
        assert_eq!(
            (find("PMSELR_EL0").compared, find("PMSELR_EL0").changed),
            (1, 1)
        );
        assert!(ledger.never_read().contains(&"PMCR_EL0".to_owned()));
        assert_eq!(
            ledger.total(),
            Compared {
                compared: 2 + 1 + 2 + 2 + 1,
                not_compared: 1
            }
        );
    }
}
