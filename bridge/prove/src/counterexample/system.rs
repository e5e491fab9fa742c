//! Stimulus of System PMUs, every register of which may hold anything before it: what takes many writes to come to is met so.

use pmu_model::{CycleInput, Number, SysReg};

use crate::contract::{Shape, bit_of};
use crate::correspondence::Correspondence;
use crate::netlist::NetlistError;
use crate::proof::{Area, Prover};
use crate::symbol::forget;
use crate::system::{self, BANK, COUNTERS, register_of};

use super::any_access;

impl Prover<'_> {
    /// Writes of all registers of System PMUs, each of which may be left out, then accesses, of which the last comes to
    /// something else than it should; then what there is to be seen of it is read.
    pub(super) fn of_filled(
        &self,
        names: &Correspondence,
        area: Area,
        claim: &str,
    ) -> Result<Option<Vec<CycleInput>>, NetlistError> {
        let filled = self.filled();
        // A reset behind them leaves what memories hold.
        for (accesses, held) in [(1, false), (2, false), (2, true)] {
            if filled.is_empty() || self.is_late() {
                break;
            }
            forget();
            let mut shapes = vec![Shape::of(&CycleInput::reset()); 2];
            if held {
                shapes.extend(filled.iter().cloned());
                shapes.push(Shape::of(&CycleInput::reset()));
            }
            shapes.extend(filled.iter().cloned());
            let select = CycleInput::write(SysReg::Spmselr, 0);
            shapes.push(Shape::of(&select).field("access_data"));
            shapes.extend(vec![
                any_access(Shape::of(&CycleInput::default()));
                accesses
            ]);
            let found = self.of_last(names, &shapes, (area, self.signals.cycle_counter), claim)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Writes of all registers of System PMUs, with any data, and without those that need not be.
    fn filled(&self) -> Vec<Shape> {
        let write = |register| {
            Shape::of(&CycleInput::write(register, 0))
                .field("access_data")
                // A write, or none.
                .free(bit_of("access_kind") + 1, 1)
        };
        let mut shapes = Vec::new();
        for (s, pmu) in self.implementation.system_pmu.iter().enumerate() {
            let implemented = pmu.implemented_counters();
            for bank in 0..COUNTERS / BANK {
                let select = (s << 4 | bank) as u64;
                shapes.push(Shape::of(&CycleInput::write(SysReg::Spmselr, select)));
                if bank == 0 {
                    shapes.extend(system::FLAGS.map(|[sets, _]| write(sets)));
                }
                let there = (0..BANK).filter(|n| implemented >> (BANK * bank + n) & 1 == 1);
                let there = there.filter_map(|n| Number::new(n as u8));
                let kinds = there.flat_map(|n| (0..system::KINDS).map(move |kind| (kind, n)));
                shapes.extend(kinds.map(|(kind, n)| write(register_of(kind, n))));
            }
        }
        shapes
    }
}
