//! What a million cycles of profile `threshold` bring about, measured with the golden model. The generator is
//! deterministic, so the lower bounds cannot be missed by chance; they are here so that a change of the mix that loses
//! something is seen.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pmu_model::contract::{COUNTER_LANES, CYCLE_COUNTER};
use pmu_model::pmu::event_type::EventType;
use pmu_model::pmu::registers::{Access, Write};
use pmu_model::threshold_control::is_reserved;
use pmu_model::{
    CycleInput, CycleOutput, CycleRecord, Implementation, Model, SysReg, Tracer, Unknown,
};

use super::{Generator, Profile};

/// {TC, TE, TLC}, odd counter, C_T, C_P.
type Situation = (u8, bool, u8, bool, bool, bool);

#[derive(Default)]
struct Statistics {
    cycles: u64,
    resets: u64,
    types: Vec<EventType>,
    situations: BTreeMap<Situation, u64>,
    /// V_B below, at, above TH, by counter, where it is compared.
    against_threshold: [[u64; 3]; COUNTER_LANES],
    reads: BTreeMap<SysReg, u64>,
    writes: BTreeMap<SysReg, u64>,
    undefined: u64,
    overflows: u64,
    overflow_with_clear: u64,
    overflow_with_write: u64,
    chained: u64,
    written_while_counting: u64,
    stopped_for_one_cycle: u64,
    link_from_idle: u64,
    linked: u64,
    counting: u64,
    increments: u64,
    unknown_increments: u64,
    unknown_reads: u64,
    last: Option<(u32, [u16; COUNTER_LANES], u32)>,
    overflowed_at: [u64; COUNTER_LANES],
}

impl Tracer for Statistics {
    const ACTIVE: bool = true;

    fn record(&mut self, record: CycleRecord) {
        self.cycles += 1;
        if record.reset {
            self.resets += 1;
            self.last = None;
            return;
        }
        let counters = self.types.len();
        let values = &record.values;
        for n in 0..counters {
            let counts = record.counting >> n & 1 == 1;
            self.increments += 1;
            self.counting += u64::from(counts);
            let EventType {
                tc,
                te,
                tlc,
                th,
                reserved,
                bypassed,
                ..
            } = self.types[n];
            if !counts || reserved {
                continue;
            }
            let (c_t, c_p) = (values.c_t[n] != 0, values.c_p[n] != 0);
            *self
                .situations
                .entry((tc, te, tlc, n % 2 == 1, c_t, c_p))
                .or_default() += 1;
            if !bypassed {
                self.against_threshold[n][(values.v_b[n].cmp(&th) as i8 + 1) as usize] += 1;
            }
            if n % 2 == 1 && tlc != 0 {
                let below_counts = record.counting >> (n - 1) & 1 == 1;
                self.linked += u64::from(below_counts && values.v[n - 1] != 0);
                self.link_from_idle += u64::from(!below_counts);
            }
        }
        if let Some((before, c_t_before, counting_before)) = self.last {
            // Counting in the cycle before last, stopped in the last, counting now.
            let one = before & !counting_before & record.counting;
            self.stopped_for_one_cycle += (0..counters)
                .filter(|&n| one >> n & 1 == 1 && self.types[n].te && c_t_before[n] != 0)
                .count() as u64;
        }
        let before = self.last.map_or(0, |(_, _, counting)| counting);
        // C_T of the last cycle in which a counter was counting.
        let mut c_t = values.c_t;
        if let Some((_, last, _)) = self.last {
            for n in 0..counters {
                if record.counting >> n & 1 == 0 {
                    c_t[n] = last[n];
                }
            }
        }
        self.last = Some((before, c_t, record.counting));
        let sums = record.overflow;
        self.overflows += u64::from(sums.count_ones());
        self.chained += u64::from(record.chained.count_ones());
        self.unknown_increments += u64::from(record.unknown.increments.count_ones());
        self.unknown_reads += u64::from(record.unknown.access_data != 0);
        let would_count = (0..counters).filter(|&n| values.v[n] != 0);
        let counted = would_count.fold(0, |mask, n| mask | 1 << n);
        self.written_while_counting += u64::from((record.written & counted).count_ones());
        match record.access {
            Access::None => {}
            Access::Undefined => self.undefined += 1,
            Access::Trap(_)
            | Access::Nop
            | Access::ReadsZero
            | Access::WriteIgnored
            | Access::ReadHalf(..) => {}
            Access::Read(register) => *self.reads.entry(register).or_default() += 1,
            Access::Write(register, write) => {
                *self.writes.entry(register).or_default() += 1;
                if let Write::ClearFlags(flags) = write {
                    self.overflow_with_clear += u64::from((flags & sums).count_ones());
                }
                if let Write::Counter(n, _) = write
                    && n != CYCLE_COUNTER
                    && self.overflowed_at[n] == record.cycle
                {
                    self.overflow_with_write += 1;
                }
            }
        }
    }
}

fn measure(profile: &str, seed: u64, implementation: &Implementation, cycles: usize) -> Statistics {
    let mut generator =
        Generator::new(seed, implementation, &Profile::named(profile).unwrap()).unwrap();
    let mut model = Model::new(implementation).unwrap();
    let counters = implementation.pmu.counters;
    let mut statistics = Statistics {
        types: (0..counters).filter_map(|n| model.event_type(n)).collect(),
        ..Statistics::default()
    };
    let mut batch = vec![CycleInput::default(); 1000];
    let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
    let mask = if implementation.pmu.counter_bits == 64 {
        u64::MAX
    } else {
        0xFFFF_FFFF
    };
    for _ in 0..cycles / batch.len() {
        generator.fill(&mut batch);
        for input in &batch {
            // Overflows that a write of the counter would discard in this cycle.
            if let (2, Some(SysReg::Pmevcntr(n))) = (
                input.access_kind,
                SysReg::from_address(input.access_address),
            ) && n < counters
            {
                let before = model.register(SysReg::Pmevcntr(n));
                let mut unwritten = model.clone();
                let quiet = CycleInput {
                    access_kind: 0,
                    ..*input
                };
                unwritten.step_simple(&quiet);
                let after = unwritten.register(SysReg::Pmevcntr(n));
                if (after ^ before) >> 32 != 0 || (after & mask) < before {
                    statistics.overflowed_at[usize::from(n)] = model.cycle();
                }
            }
            model.step(input, 0, &mut output, &mut unknown, &mut statistics);
            if input.access_kind != 0 || input.reset == 1 {
                for n in 0..counters {
                    statistics.types[usize::from(n)] = model.event_type(n).unwrap();
                }
            }
        }
    }
    statistics
}

impl Statistics {
    fn table(&self) -> String {
        let mut out = String::new();
        let mut line = |name: &str, value: String| writeln!(out, "{name:<62}{value:>12}").unwrap();
        let per_mille =
            |part: u64, whole: u64| format!("{:.2} %", 100.0 * part as f64 / whole as f64);
        line("cycles", self.cycles.to_string());
        line("resets", self.resets.to_string());
        line(
            "event counters counting",
            per_mille(self.counting, self.increments),
        );
        line(
            "V not compared, being UNKNOWN",
            per_mille(self.unknown_increments, self.increments),
        );
        line("reads with UNKNOWN bits", self.unknown_reads.to_string());
        let least = self.situations.iter().min_by_key(|(_, count)| **count);
        line(
            "{TC,TE,TLC} x parity x C_T x C_P, situations met",
            self.situations.len().to_string(),
        );
        if let Some((situation, count)) = least {
            line(&format!("  least often: {situation:?}"), count.to_string());
        }
        for (i, name) in ["V_B < TH", "V_B = TH", "V_B > TH"].into_iter().enumerate() {
            let by_counter = self.against_threshold[..self.types.len()]
                .iter()
                .map(|c| c[i]);
            line(
                &format!("{name}, counter with fewest"),
                by_counter.min().unwrap_or(0).to_string(),
            );
        }
        for (name, map) in [("read", &self.reads), ("written", &self.writes)] {
            line(&format!("registers {name}"), map.len().to_string());
            line(
                &format!("accesses: {name}"),
                map.values().sum::<u64>().to_string(),
            );
            if let Some((register, count)) = map.iter().min_by_key(|(_, count)| **count) {
                line(
                    &format!("  least often {name}: {register}"),
                    count.to_string(),
                );
            }
        }
        line("UNDEFINED accesses", self.undefined.to_string());
        line("overflows", self.overflows.to_string());
        line(
            "overflow with PMOVSCLR_EL0 of that flag in the cycle",
            self.overflow_with_clear.to_string(),
        );
        line(
            "overflow discarded by a write of the counter in the cycle",
            self.overflow_with_write.to_string(),
        );
        line("overflows chained", self.chained.to_string());
        line(
            "counter written in a cycle with V != 0",
            self.written_while_counting.to_string(),
        );
        line(
            "TE = 1, C_T was 1, counting stopped for exactly one cycle",
            self.stopped_for_one_cycle.to_string(),
        );
        line("linked to V[n-1] != 0", self.linked.to_string());
        line(
            "linked to a counter that is not counting",
            self.link_from_idle.to_string(),
        );
        out
    }
}

/// The allocated situations of an implementation with all features.
fn all_situations() -> usize {
    let all = (0..64u8).map(|i| (i >> 3, i >> 2 & 1 == 1, i & 3));
    let allocated = all.filter(|&(tc, te, tlc)| !is_reserved(tc, te, tlc));
    allocated
        .map(|(_, _, tlc)| if tlc == 0 { 8 } else { 4 })
        .sum()
}

#[test]
fn a_million_cycles_reach_every_situation() {
    let statistics = measure("threshold", 1, &Implementation::default(), 1_000_000);
    println!("{}", statistics.table());
    // C_T and C_P are free of each other for every allocated configuration.
    assert_eq!(statistics.situations.len(), all_situations());
    let least = |map: &BTreeMap<SysReg, u64>| map.values().copied().min().unwrap();
    for (what, found, bound) in [
        (
            "least situation",
            *statistics.situations.values().min().unwrap(),
            5_000,
        ),
        ("least read", least(&statistics.reads), 1_000),
        ("least written", least(&statistics.writes), 800),
        ("registers read", statistics.reads.len() as u64, 71),
        ("UNDEFINED accesses", statistics.undefined, 500),
        ("resets", statistics.resets, 200),
        ("overflows", statistics.overflows, 10_000),
        ("overflow with clear", statistics.overflow_with_clear, 1_000),
        ("overflow with write", statistics.overflow_with_write, 200),
        ("chained", statistics.chained, 200),
        (
            "written while counting",
            statistics.written_while_counting,
            5_000,
        ),
        (
            "stopped for one cycle",
            statistics.stopped_for_one_cycle,
            5_000,
        ),
        ("linked", statistics.linked, 100_000),
        ("link from idle", statistics.link_from_idle, 10_000),
        (
            "counting",
            statistics.counting * 100 / statistics.increments,
            75,
        ),
    ] {
        assert!(found >= bound, "{what}: {found}, expected at least {bound}");
    }
    for (n, found) in statistics.against_threshold[..31].iter().enumerate() {
        assert!(
            found.iter().all(|&count| count >= 20_000),
            "counter {n}: {found:?}"
        );
    }
    assert!(statistics.unknown_increments * 100 < statistics.increments);
}

/// The other areas take cycles, filter counters and refuse types; the situations of this area are met all the same.
#[test]
fn a_million_mixed_cycles_reach_every_situation_of_threshold() {
    let statistics = measure("mixed", 1, &Implementation::default(), 1_000_000);
    println!("{}", statistics.table());
    assert_eq!(statistics.situations.len(), all_situations());
    for (what, found, bound) in [
        (
            "least situation",
            *statistics.situations.values().min().unwrap(),
            2_000,
        ),
        ("overflows", statistics.overflows, 3_000),
        ("overflow with clear", statistics.overflow_with_clear, 200),
        ("overflow with write", statistics.overflow_with_write, 50),
        ("chained", statistics.chained, 100),
        ("linked", statistics.linked, 100_000),
        ("link from idle", statistics.link_from_idle, 10_000),
        (
            "counting",
            statistics.counting * 100 / statistics.increments,
            50,
        ),
    ] {
        assert!(found >= bound, "{what}: {found}, expected at least {bound}");
    }
    assert!(statistics.unknown_increments * 100 < statistics.increments);
}
