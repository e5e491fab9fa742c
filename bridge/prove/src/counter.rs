//! What a cycle makes of counters, overflow flags and their control registers (DUT-11, DUT-12, DUT-17, DUT-20 to DUT-23,
//! DUT-52), as circuits: the slow contract of them, which a test compares with the model.

use pmu_model::Implementation;
use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::pmu::registers::{PMCR_C, PMCR_E, PMCR_LP, PMCR_P};

use crate::accesses::{Effect, Reached};
use crate::circuit::{Circuit, Lit};

/// Bit of a field of PMCR_EL0.
const fn place(mask: u64) -> usize {
    mask.trailing_zeros() as usize
}

/// The registers besides the counters.
#[derive(Clone, Debug)]
pub struct Control {
    /// PMCR_EL0.E.
    pub enable: Lit,
    /// PMCR_EL0.LP; 0 for counters of 32 bits.
    pub long: Lit,
    /// PMCNTENSET_EL0.
    pub enabled: Vec<Lit>,
    /// PMSELR_EL0.SEL.
    pub select: Vec<Lit>,
}

/// A cycle: what there is of it besides counters.
pub struct Facts<'a> {
    /// What the design is to be.
    pub implementation: &'a Implementation,
    /// The access.
    pub reached: &'a Reached<'a>,
    /// Reset.
    pub reset: Lit,
    /// DUT-52: no Processor cycle.
    pub held: Lit,
    /// The registers at the start of the cycle.
    pub control: &'a Control,
}

/// A counter and its flag.
#[derive(Clone, Debug)]
pub struct Counter {
    /// Its value: 64 bits.
    pub value: Vec<Lit>,
    /// Its bit of PMOVSSET_EL0.
    pub flag: Lit,
}

/// What becomes of a counter.
#[derive(Clone, Debug)]
pub struct Counted {
    /// After the cycle.
    pub after: Counter,
    /// DUT-17: what CHAIN of the counter above counts.
    pub chained: Lit,
}

impl Facts<'_> {
    /// What is written by the effect: whether anything is, and each bit that is written as 1.
    fn written(&self, circuit: &mut Circuit, effect: Effect) -> (Lit, Vec<Lit>) {
        let written = self.reached.written(circuit, effect);
        (written.any, written.data)
    }

    /// What becomes of counter `n`, 31 the cycle counter, that V is added to.
    pub fn count(&self, circuit: &mut Circuit, n: usize, before: &Counter, v: &[Lit]) -> Counted {
        let is_cycles = n == CYCLE_COUNTER;
        let bits = match is_cycles {
            true => 64,
            false => self.implementation.pmu.counter_bits.into(),
        };
        // TH-50, DUT-22.
        let (mut sum, mut carry, mut carry_31) = (Vec::new(), Lit::FALSE, Lit::FALSE);
        for bit in 0..bits {
            let (a, b) = (before.value[bit], v.get(bit).copied().unwrap_or(Lit::FALSE));
            let half = circuit.xor(a, b);
            sum.push(circuit.xor(half, carry));
            let both = circuit.and(a, b);
            let on = circuit.and(half, carry);
            carry = circuit.or(both, on);
            if bit == 31 {
                carry_31 = carry;
            }
        }
        let long = self.control.long;
        let overflow = match is_cycles {
            true => carry,
            false => circuit.choose(long, carry, carry_31),
        };
        // DUT-20, DUT-21: a write wins.
        let (set, data) = self.written(circuit, Effect::Counter(n));
        let (_, control) = self.written(circuit, Effect::Control);
        let zeroed = control[place(if is_cycles { PMCR_C } else { PMCR_P })];
        let wins = circuit.or(set, zeroed);
        let overflow = circuit.and(overflow, !wins);
        let chained = match is_cycles {
            true => Lit::FALSE,
            false => circuit.and(overflow, !long),
        };
        let value = (0..64).map(|bit| {
            let Some(&sum) = sum.get(bit) else {
                return Lit::FALSE;
            };
            // What is not written is zero: so is what is zeroed.
            let written = circuit.choose(zeroed, Lit::FALSE, data[bit]);
            let after = circuit.choose(wins, written, sum);
            self.after(circuit, before.value[bit], after)
        });
        let value = value.collect();
        // DUT-23.
        let (_, cleared) = self.written(circuit, Effect::ClearFlags);
        let (_, set) = self.written(circuit, Effect::SetFlags);
        let kept = circuit.and(before.flag, !cleared[n]);
        let flag = circuit.any([kept, set[n], overflow]);
        let flag = self.after(circuit, before.flag, flag);
        Counted {
            after: Counter { value, flag },
            chained,
        }
    }

    /// What becomes of the registers besides the counters.
    pub fn control(&self, circuit: &mut Circuit) -> Control {
        let before = self.control;
        let (set, data) = self.written(circuit, Effect::Control);
        let enable = circuit.choose(set, data[place(PMCR_E)], before.enable);
        let is_wide = self.implementation.pmu.counter_bits == 64;
        let long = circuit.and(data[place(PMCR_LP)], Lit::known(is_wide));
        let long = circuit.choose(set, long, before.long);
        let (_, on) = self.written(circuit, Effect::Enable);
        let (_, off) = self.written(circuit, Effect::Disable);
        let enabled = before.enabled.iter().enumerate().map(|(n, &enabled)| {
            let kept = circuit.and(enabled, !off[n]);
            let enabled_after = circuit.or(kept, on[n]);
            self.after(circuit, enabled, enabled_after)
        });
        let enabled = enabled.collect();
        let (set, data) = self.written(circuit, Effect::Select);
        let select = before.select.iter().enumerate().map(|(bit, &old)| {
            let new = circuit.choose(set, data[bit], old);
            self.after(circuit, old, new)
        });
        let select = select.collect();
        Control {
            enable: self.after(circuit, before.enable, enable),
            long: self.after(circuit, before.long, long),
            enabled,
            select,
        }
    }

    /// DUT-11, DUT-52: nothing after a reset, and as before without a cycle.
    fn after(&self, circuit: &mut Circuit, before: Lit, after: Lit) -> Lit {
        let kept = circuit.choose(self.held, before, after);
        circuit.and(kept, !self.reset)
    }
}
