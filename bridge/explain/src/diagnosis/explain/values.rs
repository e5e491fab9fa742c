//! The value of a counter, and its overflow flag: where they come from, however far before the window.

use pmu_model::SysReg;
use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::wrapper::Increments;

use super::super::history::{Carry, History, INCREMENTS, Known, histories};
use super::Explainer;

/// Overflow flags that are explained, where more differ.
const FLAGS: usize = 3;

/// By what a counter of `bits` bits is too high, or too low: whichever is nearer, since it wraps.
fn off_by(rtl: u64, expected: u64, bits: u32) -> String {
    let above = 64 - bits;
    let difference = ((rtl.wrapping_sub(expected) << above) as i64) >> above;
    let wraps = (rtl > expected) != (difference > 0);
    let modulus = if wraps {
        format!(" modulo 2^{bits}")
    } else {
        String::new()
    };
    format!("{difference:+}{modulus}")
}

impl Explainer<'_> {
    /// The value of a counter: where it started, and what was added since.
    pub(super) fn counter(&mut self, register: SysReg, n: usize) {
        let value = self.model.register(register);
        let histories = histories(self.replay, self.about, &[n]);
        let Some(history) = histories.first() else {
            return;
        };
        let History {
            cycle: first,
            added,
            value: from,
            incremented,
            ..
        } = *history;
        let read = match history.known {
            Known::Read => ", where it was read and the RTL agreed",
            Known::Set | Known::Start => "",
        };
        let count = self.about.saturating_sub(first);
        let off = off_by(self.rtl_data(), value, self.width_of(n));
        self.step(
            format!(
                "{from:#x} at the start of cycle {first}{read}, plus {added} in the {count} cycles since, \
                 is {value:#x}; RTL is off by {off}"
            ),
            &["TH-50"],
        );
        // DUT-71: the increments were not compared, and one of these is wrong.
        let hidden = self.model.implementation().wrapper.increments == Increments::Hidden;
        if hidden && incremented > 0 {
            let shown: Vec<_> = history
                .increments
                .iter()
                .map(|(cycle, v)| format!("{v} in cycle {cycle}"))
                .collect();
            let last = match incremented > INCREMENTS as u64 {
                true => "the last ones ",
                false => "",
            };
            self.step(
                format!(
                    "V[{n}] was not 0 in {incremented} of them: {last}{}",
                    shown.join(", ")
                ),
                &["TH-50", "DUT-71"],
            );
        }
    }

    /// Bits of counter `n`, number 31 the cycle counter.
    fn width_of(&self, n: usize) -> u32 {
        match n {
            CYCLE_COUNTER => 64,
            _ => self.model.implementation().pmu.counter_bits.into(),
        }
    }

    /// Overflow flags: what last set those that differ, or would have but for a write.
    pub(super) fn flags(&mut self) {
        let expected = self.model.register(SysReg::Pmovsset);
        let differing = (expected ^ self.rtl_data()) as u32;
        let differing = (0..32).filter(|n| differing >> n & 1 == 1);
        let differing: Vec<usize> = differing.take(FLAGS).collect();
        let histories = histories(self.replay, self.about, &differing);
        for (n, history) in differing.into_iter().zip(histories) {
            self.flag(n, &history);
        }
    }

    fn flag(&mut self, n: usize, history: &History) {
        let name = if n == CYCLE_COUNTER {
            "PMCCNTR_EL0".into()
        } else {
            format!("counter {n}")
        };
        self.overflow(&name, history);
        let overflowed = history.carry.filter(|carry| !carry.lost);
        let (last, decides) = match history.flag_write {
            // DUT-23: the overflow of the same cycle wins.
            Some((cycle, sets)) if overflowed.is_none_or(|carry| carry.cycle < cycle) => {
                let does = if sets { "sets" } else { "clears" };
                self.step(
                    format!("a write in cycle {cycle} {does} the flag of {name}"),
                    &["DUT-12"],
                );
                (cycle, true)
            }
            _ => (
                history.carry.map_or(history.from, |carry| carry.cycle),
                history.carry.is_some(),
            ),
        };
        match history.flag_read {
            Some(read) if read > last || !decides => self.step(
                format!(
                    "the flag of {name} was read in cycle {read} and the RTL agreed: it became wrong after that"
                ),
                &["DUT-13"],
            ),
            _ if last >= self.window.first || !decides => {}
            Some(read) => self.step(
                format!(
                    "the flag of {name} was not read since then; in cycle {read} it was read and the RTL agreed"
                ),
                &["DUT-13"],
            ),
            None => self.step(
                format!("the flag of {name} was never read since cycle {}", history.from),
                &["DUT-13"],
            ),
        }
    }

    /// The last overflow of counter `name`, or that it had none.
    fn overflow(&mut self, name: &str, history: &History) {
        let Some(carry) = history.carry else {
            let from = history.from;
            if history.from_reset {
                self.step(
                    format!("{name} did not overflow since the reset in cycle {from}, which clears its flag"),
                    &["DUT-11", "DUT-22"],
                );
            } else {
                self.step(
                    format!(
                        "{name} did not overflow from cycle {from} on, and what was before is not recorded"
                    ),
                    &["DUT-22"],
                );
            }
            return;
        };
        let Carry {
            cycle,
            value,
            v,
            bit,
            ..
        } = carry;
        let sum = format!("{value:#x} + {v} carries out of bit {bit}");
        if carry.lost {
            self.step(
                format!(
                    "{name} did not overflow in cycle {cycle}, its increment is lost to a write: {sum}"
                ),
                &["DUT-20", "DUT-21"],
            );
        } else {
            let write = match carry.flag_written {
                true => ", the cycle of a write of the flag",
                false => "",
            };
            self.step(
                format!("{name} overflowed in cycle {cycle}{write}: {sum}"),
                &["DUT-22", "DUT-23"],
            );
        }
    }
}
