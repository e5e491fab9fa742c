//! Area spmu: accesses to the registers of System PMUs.

use super::context::Context;
use super::profile::SpmuScript;
use super::queue::Op;
use super::random::{Bits, Menu};
use super::registers::{SPM_COUNTERS, SPM_IDENTITY, SPM_MASKS, SPMSELR};

/// The profile's part, as tables.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) scripts: Menu,
}

impl Tables {
    pub(super) fn new(area: &super::profile::SpmuArea) -> Self {
        Self {
            scripts: Menu::new(&area.accesses.weights()),
        }
    }
}

/// Begins an access, or a sequence of them.
///
/// # Returns
/// The access, if it does not wait in the queue.
#[inline(never)]
pub(super) fn begin(script: SpmuScript, context: &mut Context) -> Option<Op> {
    let mut bits = context.words.bits();
    match script {
        SpmuScript::Select => {
            let data = context.selection(&mut bits);
            context.queue.push(Op::write_at(SPMSELR, data));
            let read = match bits.take(2) {
                0 => Op::read_at(SPMSELR),
                1 => identity(&mut bits),
                _ => return None,
            };
            context.queue.push(read);
            None
        }
        SpmuScript::Identity => Some(identity(&mut bits)),
        SpmuScript::WriteIdentity => {
            let address = identity(&mut bits).address();
            let data = context.words.next();
            context.queue.push(Op::write_at(address, data));
            context.queue.push(Op::read_at(address));
            None
        }
        SpmuScript::Counter => {
            context.counter(bits);
            None
        }
        SpmuScript::Masks => {
            let address = SPM_MASKS[bits.below(SPM_MASKS.len() as u32) as usize];
            let random = context.words.next();
            let mask = match bits.take(2) {
                0 => 1 << bits.take(6),
                1 => random & random >> 32,
                2 => random,
                _ => u64::MAX,
            };
            context.queue.push(Op::write_at(address, mask));
            let read = SPM_MASKS[bits.below(SPM_MASKS.len() as u32) as usize];
            context.queue.push(Op::read_at(read).after(bits.take(1)));
            None
        }
        SpmuScript::Read => {
            let all = &context.facts.everything;
            let system_pmus = 1 + SPM_IDENTITY.len() + SPM_MASKS.len() + 16 * SPM_COUNTERS.len();
            let at = all.len() - 1 - bits.below(system_pmus as u32) as usize;
            Some(Op::read_at(all[at]))
        }
    }
}

fn identity(bits: &mut Bits) -> Op {
    Op::read_at(SPM_IDENTITY[bits.below(SPM_IDENTITY.len() as u32) as usize])
}

impl Context {
    /// SPMSELR_EL0: mostly a System PMU that is implemented, seldom one whose number is reserved.
    fn selection(&mut self, bits: &mut Bits) -> u64 {
        let implemented = self.facts.system_pmus.len() as u32;
        let number = match bits.take(4) {
            0 => 32 | bits.take(5),
            1 => bits.take(5),
            2 => implemented,
            _ => bits.below(implemented.max(1)),
        };
        let ignored = if bits.take(2) == 0 {
            self.words.next() & !0x3F3
        } else {
            0
        };
        u64::from(number) << 4 | u64::from(bits.take(2)) | ignored
    }

    /// A register of a counter of the selected System PMU, written and read, or only read. In half of the cases the bank
    /// of a counter that is implemented is selected first.
    fn counter(&mut self, mut bits: Bits) {
        let selected = usize::from(self.shadow.system_pmu);
        let implemented = self.facts.system_pmus.get(selected);
        let number = match implemented {
            Some(list) if !list.is_empty() && bits.take(2) > 0 => {
                u32::from(list[bits.below(list.len() as u32) as usize])
            }
            _ => bits.take(6),
        };
        let bank = (number >> 4) as u8;
        if bank != self.shadow.bank && bits.take(1) == 0 {
            let selection = u64::from(self.shadow.system_pmu) << 4 | u64::from(bank);
            self.queue.push(Op::write_at(SPMSELR, selection));
        }
        let address = SPM_COUNTERS[bits.take(2) as usize] + (number & 15) as u16;
        if bits.take(2) > 0 {
            let data = match bits.take(2) {
                0 => u64::MAX,
                _ => self.words.next(),
            };
            self.queue.push(Op::write_at(address, data));
        }
        let other = SPM_COUNTERS[bits.take(2) as usize] + (number & 15) as u16;
        let read = if bits.take(2) == 0 { other } else { address };
        self.queue.push(Op::read_at(read).after(bits.take(1)));
    }
}
