//! What a cycle makes of the registers of System PMUs (SPMU-01 to SPMU-18), as circuits: the slow contract of them, which a
//! test compares with the model.

use pmu_model::spmu::{Registers, SystemPmu};
use pmu_model::{Number, SysReg};

use crate::accesses::{Effect, Reached};
use crate::circuit::{Circuit, Lit};

/// Counters that can be reached.
pub const COUNTERS: usize = 64;
/// Counters of a bank.
pub const BANK: usize = 16;

/// The registers of flags: those that set and those that clear.
pub const FLAGS: [[SysReg; 2]; 3] = [
    [SysReg::Spmcntenset, SysReg::Spmcntenclr],
    [SysReg::Spmovsset, SysReg::Spmovsclr],
    [SysReg::Spmintenset, SysReg::Spmintenclr],
];

/// Registers of each counter.
pub const KINDS: usize = 4;

/// The register of a kind with number `n` of its bank.
pub fn register_of(kind: usize, n: Number<0, 15>) -> SysReg {
    [
        SysReg::Spmevcntr,
        SysReg::Spmevtyper,
        SysReg::Spmevfiltr,
        SysReg::Spmevfilt2r,
    ][kind](n)
}

/// The names of the kinds.
pub const NAMES: [&str; KINDS + FLAGS.len()] = [
    "SPMEVCNTR<n>_EL0",
    "SPMEVTYPER<n>_EL0",
    "SPMEVFILTR<n>_EL0",
    "SPMEVFILT2R<n>_EL0",
    "SPMCNTENSET_EL0",
    "SPMOVSSET_EL0",
    "SPMINTENSET_EL1",
];

/// The state of all System PMUs.
#[derive(Clone, Debug)]
pub struct System {
    /// SPMSELR_EL0.SYSPMUSEL: 6 bits.
    pub select: Vec<Lit>,
    /// SPMSELR_EL0.BANK: 2 bits.
    pub bank: Vec<Lit>,
    /// Each of them.
    pub units: Vec<Unit>,
}

/// The state of a System PMU.
#[derive(Clone, Debug)]
pub struct Unit {
    /// By kind, the registers of each counter; `None` where it is not implemented (SPMU-15).
    pub counters: [Vec<Option<Vec<Lit>>>; KINDS],
    /// SPMCNTENSET_EL0, SPMOVSSET_EL0, SPMINTENSET_EL1.
    pub flags: [Vec<Lit>; FLAGS.len()],
}

impl System {
    /// SPMSELR_EL0.
    pub fn spmselr(&self) -> Vec<Lit> {
        let mut register = self.bank.clone();
        register.extend([Lit::FALSE; 2]);
        register.extend(&self.select);
        register.resize(64, Lit::FALSE);
        register
    }

    /// What `register` holds, of the System PMU that is selected; `describes` are those that describe each.
    pub fn read(
        &self,
        circuit: &mut Circuit,
        describes: &[Registers],
        register: SysReg,
    ) -> Vec<Lit> {
        if register == SysReg::Spmselr {
            return self.spmselr();
        }
        let mut value = vec![Lit::FALSE; 64];
        for (s, (unit, describes)) in self.units.iter().zip(describes).enumerate() {
            // SPMU-18.
            let selected = circuit.is(&self.select, s as u64);
            for (from, when) in unit.places(circuit, &self.bank, describes, register) {
                let when = circuit.and(when, selected);
                for (bit, &from) in from.iter().enumerate() {
                    let one = circuit.and(from, when);
                    value[bit] = circuit.or(value[bit], one);
                }
            }
        }
        value
    }

    /// SPMU-15: a flag of a counter that is not implemented is set.
    pub fn absent(&self, circuit: &mut Circuit, units: &[SystemPmu]) -> Lit {
        let all = self.units.iter().zip(units).flat_map(|(unit, pmu)| {
            let implemented = pmu.implemented_counters();
            let absent = (0..COUNTERS).filter(move |n| implemented >> n & 1 == 0);
            let flags = unit.flags.iter();
            flags.flat_map(move |flags| absent.clone().map(|n| flags[n]))
        });
        circuit.any(all.collect::<Vec<_>>())
    }

    /// The state at the end of the cycle; nothing is written without a Processor cycle.
    pub fn after(
        &self,
        circuit: &mut Circuit,
        units: &[SystemPmu],
        reached: &Reached<'_>,
        reset: Lit,
    ) -> Self {
        let written = reached.written(circuit, Effect::System(SysReg::Spmselr));
        let ends = |circuit: &mut Circuit, written: Lit, new: &[Lit], old: &[Lit]| {
            let after = circuit.choose_word(written, new, old).into_iter();
            after
                .map(|bit| circuit.and(bit, !reset))
                .collect::<Vec<_>>()
        };
        let select = ends(circuit, written.any, &written.data[4..10], &self.select);
        let bank = ends(circuit, written.any, &written.data[..2], &self.bank);
        let all = self.units.iter().zip(units).enumerate();
        let all = all.map(|(s, (unit, pmu))| {
            let selected = circuit.is(&self.select, s as u64);
            let implemented = pmu.implemented_counters();
            let flags = std::array::from_fn(|of| {
                let [set, clear] =
                    FLAGS[of].map(|register| reached.written(circuit, Effect::System(register)));
                let bits = unit.flags[of].iter().enumerate().map(|(n, &old)| {
                    let there = match implemented >> n & 1 {
                        1 => selected,
                        _ => Lit::FALSE,
                    };
                    let (on, off) = (circuit.and(set.data[n], there), clear.data[n]);
                    let off = circuit.and(off, there);
                    let kept = circuit.and(old, !off);
                    let after = circuit.or(kept, on);
                    circuit.and(after, !reset)
                });
                bits.collect()
            });
            let counters = std::array::from_fn(|kind| {
                let of_kind = unit.counters[kind].iter().enumerate();
                let of_kind = of_kind.map(|(index, old)| {
                    let old = old.as_ref()?;
                    let n = Number::new((index % BANK) as u8)?;
                    let register = register_of(kind, n);
                    let written = reached.written(circuit, Effect::System(register));
                    let bank = circuit.is(&self.bank, (index / BANK) as u64);
                    let here = circuit.all([written.any, bank, selected]);
                    // SPMU-04.
                    let bits = match kind {
                        0 => usize::from(pmu.size_bits),
                        _ => 64,
                    };
                    let mut data = written.data[..bits].to_vec();
                    data.resize(64, Lit::FALSE);
                    Some(ends(circuit, here, &data, old))
                });
                of_kind.collect()
            });
            Unit { counters, flags }
        });
        let units = all.collect();
        Self {
            select,
            bank,
            units,
        }
    }
}

impl Unit {
    /// What `register` may be, and where it is that.
    fn places(
        &self,
        circuit: &mut Circuit,
        bank: &[Lit],
        describes: &Registers,
        register: SysReg,
    ) -> Vec<(Vec<Lit>, Lit)> {
        let known = |value: u64| {
            let bits = (0..64).map(|bit| Lit::known(value >> bit & 1 == 1));
            vec![(bits.collect(), Lit::TRUE)]
        };
        match register {
            SysReg::Spmiidr => return known(describes.spmiidr),
            SysReg::Spmdevarch => return known(describes.spmdevarch),
            SysReg::Spmdevaff => return known(describes.spmdevaff),
            SysReg::Spmcfgr => return known(describes.spmcfgr),
            SysReg::Spmcgcr(n) => return known(describes.spmcgcr[usize::from(n)]),
            _ => {}
        }
        if let Some(of) = FLAGS.iter().position(|both| both.contains(&register)) {
            return vec![(self.flags[of].clone(), Lit::TRUE)];
        }
        let mut places = Vec::new();
        for (kind, of_kind) in self.counters.iter().enumerate() {
            for (index, value) in of_kind.iter().enumerate() {
                let n = Number::new((index % BANK) as u8);
                let (Some(value), Some(n)) = (value, n) else {
                    continue;
                };
                if register_of(kind, n) == register {
                    let when = circuit.is(bank, (index / BANK) as u64);
                    places.push((value.clone(), when));
                }
            }
        }
        places
    }
}
