//! Signals inside the design, read from the window's waveform. A design whose signals are named like the model's
//! values, with one lane a counter, shows where the two part.

use std::collections::BTreeMap;
use std::path::Path;

use lockstep_vcd::{Header, Probe, Sampler, Source, Stream};
use pmu_model::Implementation;

/// Names of the per-counter values of D13.8, as signals and as they are written.
pub const VALUES: [(&str, &str); 4] = [
    ("v_b", "V_B"),
    ("c_t", "C_T"),
    ("c_p", "C_P"),
    ("c_e", "C_E"),
];

/// Values inside the design, of one counter.
#[derive(Clone, Debug, Default)]
pub struct Internals {
    /// By cycle, in the order of [`VALUES`]; `None` for a signal that the design does not have, or that is not
    /// 0 or 1 in every bit.
    rows: BTreeMap<u64, [Option<u64>; 4]>,
}

impl Internals {
    /// Reads the values of counter `n` from `vcd`.
    ///
    /// # Errors
    /// The file is not what the traced design should have written.
    pub fn read(
        vcd: &Path,
        implementation: &Implementation,
        n: u8,
    ) -> Result<Self, lockstep_vcd::Error> {
        let mut dump = Stream::open(vcd)?;
        let header = dump.header().clone();
        let found = VALUES.map(|(signal, _)| lane(&header, signal, implementation, n));
        let probes: Vec<Probe> = found.iter().flatten().cloned().collect();
        // DUT-02: what belongs to a cycle is stable when the clock has fallen.
        let clock = header
            .find("lockstep_dut.clk_i")
            .or_else(|_| header.find("clk_i"))?;
        let samples = Sampler::falling(clock).run(&mut dump, &probes)?;
        let mut rows = BTreeMap::new();
        for (row, &time) in samples.times().iter().enumerate() {
            let mut column = 0;
            let values = std::array::from_fn(|value| {
                found[value].as_ref()?;
                column += 1;
                samples.u64(row, column - 1)
            });
            rows.insert(time / 10, values);
        }
        Ok(Self { rows })
    }

    /// Reads the values of counter `n` from a dump in which cycle *k* begins at `times[k - first]`; the last time ends
    /// the last cycle.
    ///
    /// # Errors
    /// The file is no dump.
    pub fn read_at(
        vcd: &Path,
        implementation: &Implementation,
        n: u8,
        (first, times): (u64, &[u64]),
    ) -> Result<Self, lockstep_vcd::Error> {
        let mut dump = Stream::open(vcd)?;
        let header = dump.header().clone();
        let found = VALUES.map(|(signal, _)| lane(&header, signal, implementation, n));
        let probes: Vec<Probe> = found.iter().flatten().cloned().collect();
        let traces = lockstep_vcd::window(&mut dump, &probes, 0..=u64::MAX)?;
        let rows = (first..).zip(times.iter().skip(1)).map(|(cycle, next)| {
            let mut column = 0;
            let values = std::array::from_fn(|value| {
                found[value].as_ref()?;
                column += 1;
                traces[column - 1].at(next.saturating_sub(1))?.to_u64()
            });
            (cycle, values)
        });
        Ok(Self {
            rows: rows.collect(),
        })
    }

    /// The values in `cycle`.
    pub fn at(&self, cycle: u64) -> [Option<u64>; 4] {
        self.rows.get(&cycle).copied().unwrap_or_default()
    }

    /// Whether the design has any of the signals.
    pub fn is_empty(&self) -> bool {
        self.rows.values().flatten().all(Option::is_none)
    }
}

/// Lane `n` of a signal that has one lane a counter, of one bit or of `event_width`.
fn lane(header: &Header, signal: &str, implementation: &Implementation, n: u8) -> Option<Probe> {
    let counters = u32::from(implementation.pmu.counters);
    let event_width = u32::from(implementation.pmu.event_width);
    let widths = [counters, counters * event_width];
    let variable = header
        .variables()
        .iter()
        .find(|variable| variable.name() == signal && widths.contains(&variable.width()))?;
    let lane_width = variable.width() / counters;
    let low = u32::from(n) * lane_width;
    let path = header.path(variable);
    let path = path.split('[').next().unwrap_or(&path);
    header
        .find(&format!("{path}[{}:{low}]", low + lane_width - 1))
        .ok()
}
