//! What a design of an implementation has: its registers, and the parameters that it states.

use bytemuck::Zeroable;

use crate::contract::{CONTRACT_VERSION, DutParameters, LAYOUT_VERSION};
use crate::implementation::Implementation;
use crate::sysreg::SysReg;

impl SysReg {
    /// Every register of a design for `implementation`.
    pub fn all(implementation: &Implementation) -> impl Iterator<Item = Self> {
        let spe = &implementation.spe;
        Self::of_counters(implementation.pmu.counters)
            .chain(Self::of_sampling(spe.implemented, spe.exc))
            .chain(Self::of_system_pmus(!implementation.system_pmu.is_empty()))
    }
}

impl DutParameters {
    /// The parameters that a design for `implementation` states, with latency 0.
    pub fn of(implementation: &Implementation) -> Self {
        let pmu = &implementation.pmu;
        Self {
            magic: Self::MAGIC,
            contract_version: CONTRACT_VERSION,
            layout_version: LAYOUT_VERSION,
            counters: pmu.counters,
            counter_bits: pmu.counter_bits,
            event_count: pmu.event_count,
            event_width: pmu.event_width,
            thwidth: implementation.thwidth(),
            features: implementation.features(),
            pmmir: pmu.pmmir,
            threads: implementation.threads.count,
            max_inflight: implementation.max_inflight(),
            system_pmus: implementation.system_pmu.len() as u8,
            pmsidr: implementation.pmsidr(),
            spmcfgr: implementation.spmcfgr(),
            // DUT-70: 0 is 1.
            access_interval: match implementation.wrapper.access_interval {
                1 => 0,
                interval => interval,
            },
            increment_form: implementation.wrapper.increments.code(),
            lacks: implementation.wrapper.lacks(),
            ..Self::zeroed()
        }
    }
}

impl Implementation {
    /// What a design of it does not have, of all that can be compared, in words.
    pub fn not_compared(&self) -> Vec<&'static str> {
        let areas = [
            (self.pmu.th, "threshold, edge and link"),
            (self.spe.implemented, "Statistical Profiling"),
            (!self.system_pmu.is_empty(), "System PMUs"),
        ];
        let absent = areas.into_iter().filter(|(has, _)| !has);
        absent
            .map(|(_, area)| area)
            .chain(self.wrapper.not_compared())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wrapper::Increments;

    #[test]
    fn dut_30_a_design_has_the_registers_of_what_it_implements() {
        let mut implementation = Implementation::default();
        implementation.pmu.counters = 2;
        implementation.spe.exc = false;
        let count = |implementation: &Implementation| SysReg::all(implementation).count();
        assert_eq!(count(&implementation), 11 + 4 + 4 + 77);
        implementation.spe.implemented = false;
        implementation.system_pmu.clear();
        assert_eq!(count(&implementation), 11 + 4);
    }

    #[test]
    fn dut_72_what_is_not_there_is_told() {
        let mut implementation = Implementation::default();
        assert_eq!(implementation.not_compared(), [""; 0]);
        implementation.spe.implemented = false;
        implementation.system_pmu.clear();
        implementation.wrapper.aarch32 = false;
        implementation.wrapper.increments = Increments::Hidden;
        assert_eq!(
            implementation.not_compared(),
            [
                "Statistical Profiling",
                "System PMUs",
                "AArch32 accesses",
                "increments"
            ]
        );
    }
}
