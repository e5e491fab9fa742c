//! How a counter-example shows what is wrong: the registers that are read behind it, and the fields in which a run of it
//! differs.

use lockstep_engine::lockstep::compare::{Divergence, Field};
use pmu_model::contract::{CYCLE_COUNTER, Group};
use pmu_model::{CycleInput, SysReg};

use crate::accesses::{Effect, Target};
use crate::proof::{Area, INPUT, Prover, SAMPLES};
use crate::registers::{type_of, value_of};

use super::CounterExample;

impl Prover<'_> {
    /// Whether a run of a counter-example differs in what its claim is about.
    pub fn is_about(&self, found: &CounterExample<'_>, divergence: &Divergence) -> bool {
        let &CounterExample { area, claim, .. } = found;
        let mut fields = divergence.differences.iter().map(|of| of.field);
        fields.any(|field| match field {
            _ if claim.claim == INPUT => true,
            Field::Increment(_) if area == Area::Sampling => SAMPLES.contains(&&*claim.claim),
            // A claim is looked for in both counters of a pair.
            Field::Increment(lane) => {
                let n = self.signals.counters[claim.place].n;
                area.is_by_counter() && n < CYCLE_COUNTER && usize::from(lane) / 2 == n / 2
            }
            Field::CycleIncrement => {
                area.is_by_counter() && claim.place == self.signals.cycle_counter
            }
            Field::Whole(_) if field.group() == Group::Access => {
                area == Area::Access || self.is_access_of(area, claim.place, &divergence.input)
            }
            Field::Whole(_) => area == Area::Sampling && field.group() == Group::Sampling,
            Field::Reserved(_) => area == Area::Port,
        })
    }

    /// Whether an access reads or writes what an area is about: a write that is taken where it should not be has another
    /// outcome first.
    fn is_access_of(&self, area: Area, place: usize, input: &CycleInput) -> bool {
        let n = self.signals.counters[place].n;
        let shown = self.shown_by(area, place);
        let mut targets = self.contract.accesses.targets(input);
        targets.any(|target| match target {
            Target::Read(register) => shown.contains(&register),
            Target::Write(effect) => match effect {
                Effect::Type(of) => area == Area::Decode && of == n,
                Effect::Counter(of) => area == Area::Counter && of == n,
                Effect::Control
                | Effect::Enable
                | Effect::Disable
                | Effect::SetFlags
                | Effect::ClearFlags
                | Effect::Select => area == Area::Counter,
                Effect::Count | Effect::Interval | Effect::Buffer(_) => area == Area::Sampling,
                Effect::System(_) => area == Area::System,
            },
        })
    }

    /// The registers that show what an area is about.
    fn shown_by(&self, area: Area, place: usize) -> Vec<SysReg> {
        let n = self.signals.counters[place].n;
        let all = SysReg::all(self.implementation);
        match area {
            Area::Decode => vec![type_of(n)],
            Area::Counter => vec![
                value_of(n),
                SysReg::Pmovsset,
                SysReg::Pmcr,
                SysReg::Pmcntenset,
                SysReg::Pmselr,
            ],
            Area::System => all
                .filter(|register| register.is_of_system_pmus())
                .collect(),
            Area::Sampling => all
                .filter(|register| {
                    matches!(register, SysReg::Pmsicr | SysReg::Pmsirr | SysReg::Pmbsr(_))
                })
                .collect(),
            Area::Port | Area::Filter | Area::Event | Area::Threshold | Area::Access => Vec::new(),
        }
    }

    /// Reads of what an area is about, each once after an even number of cycles and once after an odd one: some mistakes
    /// undo themselves in every other cycle.
    pub(super) fn reads(&self, area: Area, place: usize) -> Vec<CycleInput> {
        let reads = self.reads_once(area, place);
        // So many that the others are an odd number of cycles behind.
        let idle = vec![CycleInput::default(); 1 - reads.len() % 2];
        [reads.clone(), idle, reads].concat()
    }

    fn reads_once(&self, area: Area, place: usize) -> Vec<CycleInput> {
        let registers = self.shown_by(area, place).into_iter();
        let reads: Vec<_> = registers.map(CycleInput::read).collect();
        if area != Area::System {
            return reads;
        }
        let units = 0..self.implementation.system_pmu.len() as u64;
        let selects = units.flat_map(|s| (0..4).map(move |bank| s << 4 | bank));
        let rest = selects.flat_map(|select| {
            let select = CycleInput::write(SysReg::Spmselr, select);
            [vec![select], reads.clone()].concat()
        });
        // Of the bank that is selected first.
        reads.iter().copied().chain(rest).collect()
    }
}
