//! The sample interval counters: from operations of the sample population to selections (D17.3.3, D17.3.4).

use super::config::{Config, InitLoad, Select, ZeroInterval};
use super::random::{MissingRandom, RandomBytes};
use super::registers::{Pmsicr, Pmsirr};

/// The sample interval counters and what they are reloaded with.
#[derive(Clone, Debug)]
pub(super) struct IntervalCounters {
    ernd: bool,
    select: Select,
    init_load: InitLoad,
    zero_interval: ZeroInterval,
    /// PMSICR_EL1.
    pub pmsicr: Pmsicr,
    /// PMSIRR_EL1.
    pub pmsirr: Pmsirr,
    /// The first operation loads the counter before it is counted: AT_ZERO with FIRST_OP.
    load_at_first_op: bool,
    /// COUNT was loaded from an INTERVAL of zero (SPE-29).
    pub interval_unknown: bool,
}

impl IntervalCounters {
    pub fn new(config: &Config) -> Self {
        Self {
            ernd: config.ernd,
            select: config.knobs.select,
            init_load: config.knobs.init_load(),
            zero_interval: config.knobs.zero_interval,
            pmsicr: Pmsicr::default(),
            pmsirr: Pmsirr::default(),
            load_at_first_op: false,
            interval_unknown: false,
        }
    }

    /// A direct write of PMSICR_EL1 (A-SPE-6): no load follows.
    pub fn write_pmsicr(&mut self, value: u64) {
        self.pmsicr = Pmsicr::written(value, self.ernd);
        self.load_at_first_op = false;
        self.interval_unknown = false;
    }

    /// A direct write of PMSIRR_EL1: in force from the next load.
    pub fn write_pmsirr(&mut self, value: u64) {
        self.pmsirr = Pmsirr::written(value);
    }

    /// SPE-10: profiling becomes enabled.
    pub fn enable(&mut self, random: &mut RandomBytes<'_>) -> Result<(), MissingRandom> {
        if !self.pmsicr.is_zero() {
            return Ok(());
        }
        match (self.init_load, self.select) {
            (InitLoad::AtEnable, _) => self.load_primary(random),
            (InitLoad::FirstOp, Select::AtZero) => {
                self.load_at_first_op = true;
                Ok(())
            }
            // The first operation finds COUNT zero, and reloads.
            (InitLoad::FirstOp, Select::ToZero) => Ok(()),
        }
    }

    /// SPE-12: loads the primary counter. It draws a byte iff RND == 1 without FEAT_SPE_ERnd (SPE-30).
    fn load_primary(&mut self, random: &mut RandomBytes<'_>) -> Result<(), MissingRandom> {
        let low = if self.pmsirr.rnd && !self.ernd {
            random.draw()?
        } else {
            0x00
        };
        self.pmsicr.count = self.interval_to_load() << 8 | u32::from(low);
        self.interval_unknown = self.pmsirr.interval == 0;
        Ok(())
    }

    /// SPE-29: INTERVAL, by A-SPE-5.
    fn interval_to_load(&self) -> u32 {
        match self.zero_interval {
            ZeroInterval::Literal => self.pmsirr.interval,
            ZeroInterval::Min256 => self.pmsirr.interval.max(1),
        }
    }

    /// RND == 1 and FEAT_SPE_ERnd: the secondary counter is in use (D17.3.4.3).
    fn uses_secondary(&self) -> bool {
        self.pmsirr.rnd && self.ernd
    }

    /// SPE-20 to SPE-23: one member of the sample population. Returns whether it is selected.
    pub fn count_operation(&mut self, random: &mut RandomBytes<'_>) -> Result<bool, MissingRandom> {
        if std::mem::take(&mut self.load_at_first_op) {
            self.load_primary(random)?;
        }
        match self.select {
            Select::AtZero => self.count_at_zero(random),
            Select::ToZero => self.count_to_zero(random),
        }
    }

    /// A-SPE-1 AT_ZERO.
    fn count_at_zero(&mut self, random: &mut RandomBytes<'_>) -> Result<bool, MissingRandom> {
        if self.pmsicr.count != 0 {
            self.pmsicr.count -= 1;
            return Ok(self.count_secondary());
        }
        self.load_primary(random)?;
        self.expire_primary(random)
    }

    /// A-SPE-1 TO_ZERO: pseudocode SPEToCollectSample.
    fn count_to_zero(&mut self, random: &mut RandomBytes<'_>) -> Result<bool, MissingRandom> {
        if self.pmsicr.count == 0 {
            self.load_primary(random)?;
        } else {
            self.pmsicr.count -= 1;
            if self.pmsicr.count == 0 {
                return self.expire_primary(random);
            }
        }
        Ok(self.count_secondary())
    }

    /// The primary counter has reached zero. SPE-21: the operation is selected. SPE-22, with the secondary
    /// counter: it is selected iff the byte drawn for ECOUNT is zero; a running ECOUNT is overwritten (A-SPE-4).
    fn expire_primary(&mut self, random: &mut RandomBytes<'_>) -> Result<bool, MissingRandom> {
        if !self.uses_secondary() {
            return Ok(true);
        }
        self.pmsicr.ecount = random.draw()?;
        Ok(self.pmsicr.ecount == 0)
    }

    /// SPE-23: the operation that makes ECOUNT zero is selected. With RND cleared ECOUNT stands still
    /// (A-SPE-10).
    fn count_secondary(&mut self) -> bool {
        if !self.uses_secondary() || self.pmsicr.ecount == 0 {
            return false;
        }
        self.pmsicr.ecount -= 1;
        self.pmsicr.ecount == 0
    }
}
