//! Whether recorded stimulus keeps the interval of accesses that a design states (DUT-70).

use pmu_model::contract::AccessKind;
use pmu_model::{CycleInput, Implementation};

use super::StimulusError;

/// Looks for accesses that come too soon.
#[derive(Clone, Debug)]
pub struct IntervalCheck {
    interval: u64,
    cycle: u64,
    /// The cycle of the last access.
    last: Option<u64>,
}

impl IntervalCheck {
    /// A check for designs of `implementation`.
    pub fn new(implementation: &Implementation) -> Self {
        Self::every(implementation.wrapper.access_interval)
    }

    /// A check for designs with at least `interval` cycles from one access to the next.
    pub fn every(interval: u8) -> Self {
        Self {
            interval: interval.into(),
            cycle: 0,
            last: None,
        }
    }

    /// Looks at the next cycles.
    ///
    /// # Errors
    /// An access that comes too soon after the one before: what follows says nothing about the design.
    pub fn check(&mut self, inputs: &[CycleInput]) -> Result<(), StimulusError> {
        if self.interval > 1 {
            for input in inputs {
                self.enter(input)?;
                self.cycle += 1;
            }
        }
        Ok(())
    }

    fn enter(&mut self, input: &CycleInput) -> Result<(), StimulusError> {
        if input.access_kind == AccessKind::None as u8 {
            return Ok(());
        }
        let (cycle, interval) = (self.cycle, self.interval);
        match self.last.replace(cycle) {
            Some(before) if cycle - before < interval => Err(StimulusError::TooSoon {
                cycle,
                before,
                interval,
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pmu_model::SysReg;

    #[test]
    fn dut_70_an_access_that_comes_too_soon_is_told() {
        let mut implementation = Implementation::default();
        let (read, idle) = (CycleInput::read(SysReg::Pmcr), CycleInput::default());
        let cycles = [read, idle, read, idle, idle, read, read];
        let mut any = IntervalCheck::new(&implementation);
        assert!(any.check(&cycles).is_ok());
        implementation.wrapper.access_interval = 2;
        let mut two = IntervalCheck::new(&implementation);
        // In pieces.
        assert!(two.check(&cycles[..3]).is_ok());
        let error = two.check(&cycles[3..]).unwrap_err().to_string();
        assert!(
            error.contains("cycle 6") && error.contains("cycle 5"),
            "{error}"
        );
    }
}
