//! The sample interval counters: from operations of the sample population to selections (D17.3.3, D17.3.4).

use super::config::{Config, InitLoad, Select, ZeroInterval};
use super::random::Random;
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
    /// What happened to the counters in this cycle.
    pub happened: Happened,
}

/// What happened to the sample interval counters in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Happened {
    /// Profiling became enabled with PMSICR_EL1 zero, and COUNT was loaded (SPE-10).
    pub loaded_at_enable: bool,
    /// Profiling became enabled with PMSICR_EL1 nonzero: nothing was loaded (SPE-26).
    pub restarted: bool,
    /// Loads of COUNT, that at the transition included (SPE-12).
    pub loads: u8,
    /// Operations that decremented COUNT (SPE-20).
    pub counted: u8,
    /// COUNT expired without the secondary counter (SPE-21).
    pub expired: u8,
    /// COUNT expired with RND and ERnd, and the byte drawn was zero (SPE-22).
    pub drew_zero: u8,
    /// COUNT expired with RND and ERnd, and the byte drawn was nonzero (SPE-22).
    pub drew_nonzero: u8,
    /// ECOUNT was overwritten while it was nonzero (A-SPE-4).
    pub overwrote_ecount: u8,
    /// ECOUNT became zero by a decrement (SPE-23).
    pub secondary_expired: u8,
    /// The operation that decremented COUNT from 1 to 0.
    pub reached_zero: u8,
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
            happened: Happened::default(),
        }
    }

    /// Out of reset: PMSICR_EL1 and PMSIRR_EL1 are zero.
    pub fn reset(&mut self) {
        self.pmsicr = Pmsicr::default();
        self.pmsirr = Pmsirr::default();
        self.load_at_first_op = false;
        self.interval_unknown = false;
        self.happened = Happened::default();
    }

    /// SPE-28: that many members of the sample population, if neither counter reaches zero. Returns whether they
    /// have been counted.
    #[inline(always)]
    pub fn count_operations(&mut self, operations: u32) -> bool {
        let Pmsicr { count, ecount } = self.pmsicr;
        let secondary = self.uses_secondary() && ecount != 0;
        let short = operations >= count || (secondary && operations >= u32::from(ecount));
        if short || self.load_at_first_op {
            return false;
        }
        self.pmsicr.count = count - operations;
        if secondary {
            self.pmsicr.ecount = ecount - operations as u8;
        }
        self.happened.counted = operations.min(255) as u8;
        true
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
    pub fn enable<R: Random>(&mut self, random: &mut R) -> Result<(), R::Missing> {
        if !self.pmsicr.is_zero() {
            // SPE-26: sampling restarts from the current values.
            self.happened.restarted = true;
            return Ok(());
        }
        self.happened.loaded_at_enable = self.init_load == InitLoad::AtEnable;
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

    /// SPE-12: loads the primary counter. It draws a byte iff RND == 1 without FEAT_SPE_ERnd (SPE-30): the random
    /// number comes at the start of the interval (SPE-31).
    fn load_primary<R: Random>(&mut self, random: &mut R) -> Result<(), R::Missing> {
        let low = if self.pmsirr.rnd && !self.ernd {
            random.draw()?
        } else {
            0x00
        };
        self.pmsicr.count = self.interval_to_load() << 8 | u32::from(low);
        self.happened.loads = self.happened.loads.saturating_add(1);
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
    pub fn count_operation<R: Random>(&mut self, random: &mut R) -> Result<bool, R::Missing> {
        if std::mem::take(&mut self.load_at_first_op) {
            self.load_primary(random)?;
        }
        match self.select {
            Select::AtZero => self.count_at_zero(random),
            Select::ToZero => self.count_to_zero(random),
        }
    }

    /// SPE-20.
    fn decrement(&mut self) {
        self.pmsicr.count -= 1;
        self.happened.counted = self.happened.counted.saturating_add(1);
        self.happened.reached_zero = self
            .happened
            .reached_zero
            .saturating_add(u8::from(self.pmsicr.count == 0));
    }

    /// A-SPE-1 AT_ZERO: COUNT is seen to reach zero (SPE-27), and an interval is INTERVAL * 256 + 1 (SPE-24).
    fn count_at_zero<R: Random>(&mut self, random: &mut R) -> Result<bool, R::Missing> {
        if self.pmsicr.count != 0 {
            self.decrement();
            return Ok(self.count_secondary());
        }
        self.load_primary(random)?;
        self.expire_primary(random)
    }

    /// A-SPE-1 TO_ZERO: pseudocode SPEToCollectSample.
    fn count_to_zero<R: Random>(&mut self, random: &mut R) -> Result<bool, R::Missing> {
        if self.pmsicr.count == 0 {
            self.load_primary(random)?;
        } else {
            self.decrement();
            if self.pmsicr.count == 0 {
                return self.expire_primary(random);
            }
        }
        Ok(self.count_secondary())
    }

    /// The primary counter has reached zero. SPE-21: the operation is selected. SPE-22, with the secondary
    /// counter: it is selected iff the byte drawn for ECOUNT is zero; a running ECOUNT is overwritten (A-SPE-4). The
    /// random number comes after the interval here (SPE-31).
    fn expire_primary<R: Random>(&mut self, random: &mut R) -> Result<bool, R::Missing> {
        if !self.uses_secondary() {
            self.happened.expired = self.happened.expired.saturating_add(1);
            return Ok(true);
        }
        self.happened.overwrote_ecount = self
            .happened
            .overwrote_ecount
            .saturating_add(u8::from(self.pmsicr.ecount != 0));
        self.pmsicr.ecount = random.draw()?;
        let selected = self.pmsicr.ecount == 0;
        self.happened.drew_zero = self.happened.drew_zero.saturating_add(u8::from(selected));
        self.happened.drew_nonzero = self
            .happened
            .drew_nonzero
            .saturating_add(u8::from(!selected));
        Ok(selected)
    }

    /// SPE-23: the operation that makes ECOUNT zero is selected. With RND cleared ECOUNT stands still
    /// (A-SPE-10).
    fn count_secondary(&mut self) -> bool {
        if !self.uses_secondary() || self.pmsicr.ecount == 0 {
            return false;
        }
        self.pmsicr.ecount -= 1;
        let expired = self.pmsicr.ecount == 0;
        self.happened.secondary_expired = self
            .happened
            .secondary_expired
            .saturating_add(u8::from(expired));
        expired
    }
}
