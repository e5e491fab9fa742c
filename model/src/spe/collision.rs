//! Samples in flight, collisions, and PMBSR_ELx.COLL (D17.3.7).

use super::config::Config;

/// An ELx that has a PMBSR_ELx.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferStatus {
    /// PMBSR_EL1.
    El1,
    /// PMBSR_EL2.
    El2,
    /// PMBSR_EL3.
    El3,
}

impl BufferStatus {
    /// Position of PMBSR_ELx in arrays of three: 0 for EL1.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// SPE-42: the "Other event" column of Table D17-7, from the Effective values of MDCR_EL3.PMSEE and
/// PMSCR_EL2.EE, two bits each. Without FEAT_SPE_EXC it is EL1 (A-SPE-17).
pub fn other_event_target(spe_exc: bool, pmsee: u8, ee: u8) -> BufferStatus {
    match pmsee & 0b11 {
        _ if !spe_exc => BufferStatus::El1,
        0b00 => BufferStatus::El1,
        0b11 => BufferStatus::El3,
        _ if ee & 0b11 == 0b11 => BufferStatus::El2,
        _ => BufferStatus::El1,
    }
}

/// What became of a selected operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selected {
    /// It is sampled.
    Sampled,
    /// As many samples as can be were in flight: it is not sampled (SPE-41).
    Collided,
}

/// The samples in flight, and PMBSR_ELx.COLL.
#[derive(Clone, Debug)]
pub(super) struct SamplesInFlight {
    max: u32,
    spe_exc: bool,
    /// Samples that have not completed.
    pub count: u32,
    /// PMBSR_ELx.COLL, by [`BufferStatus::index`].
    pub coll: [bool; 3],
}

impl SamplesInFlight {
    pub fn new(config: &Config) -> Self {
        Self {
            max: config.max_inflight,
            spe_exc: config.spe_exc,
            count: 0,
            coll: [false; 3],
        }
    }

    /// SPE-40, SPE-41: an operation has been selected.
    pub fn start_sample(&mut self, pmsee: u8, ee: u8) -> Selected {
        if self.count < self.max {
            self.count += 1;
            return Selected::Sampled;
        }
        self.set_coll(pmsee, ee);
        Selected::Collided
    }

    /// SPE-42: COLL of one PMBSR_ELx is set; the others are unchanged.
    fn set_coll(&mut self, pmsee: u8, ee: u8) {
        self.coll[other_event_target(self.spe_exc, pmsee, ee).index()] = true;
    }

    /// Out of reset: no sample is in flight, and COLL is zero.
    pub fn reset(&mut self) {
        self.count = 0;
        self.coll = [false; 3];
    }

    /// SPE-47: `samples` of those in flight complete. Returns how many there were.
    #[inline(always)]
    pub fn complete(&mut self, samples: u32) -> u32 {
        let completed = samples.min(self.count);
        self.count -= completed;
        completed
    }

    /// SPE-11, A-SPE-14: what has been collected is discarded.
    pub fn discard(&mut self) {
        self.count = 0;
    }

    /// SPE-43: a direct write is all that clears COLL. `None` is a register that is not written.
    pub fn write_coll(&mut self, values: &[Option<bool>; 3]) {
        for (coll, value) in self.coll.iter_mut().zip(values) {
            *coll = value.unwrap_or(*coll);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spe_42_target_of_coll() {
        for pmsee in 0..4 {
            for ee in 0..4 {
                let expected = match (pmsee, ee) {
                    (0b00, _) => BufferStatus::El1,
                    (0b01 | 0b10, 0b11) => BufferStatus::El2,
                    (0b01 | 0b10, _) => BufferStatus::El1,
                    _ => BufferStatus::El3,
                };
                assert_eq!(
                    other_event_target(true, pmsee, ee),
                    expected,
                    "{pmsee} {ee}"
                );
                assert_eq!(other_event_target(false, pmsee, ee), BufferStatus::El1);
            }
        }
    }
}
