//! Results that nothing ran.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use lockstep_base::verdict::Verdict;
use lockstep_regress::record::{
    Compared, FORMAT, Failure, Further, Header, Part, Program, Record, Time, Waiver,
};
use lockstep_regress::shard::Shard;
use lockstep_regress::signature::Signature;
use lockstep_regress::taken::Taken;
use pmu_model::Implementation;
use pmu_model::coverage::Coverage;

/// The header of a shard of a suite of `runs` runs.
pub fn header(shard: Shard, runs: usize) -> Header {
    Header {
        format: FORMAT,
        program: Program {
            version: "0.1.0".into(),
            build: "0".repeat(32),
        },
        suite: "nightly".into(),
        suite_hash: "1".repeat(32),
        plan_hash: "2".repeat(32),
        plan_runs: runs,
        designs: BTreeMap::from([("mine".into(), "3".repeat(32))]),
        demand_fields: false,
        demand_rules: false,
        shards: shard.of,
        parts: vec![Part {
            shard: shard.index,
            runs: shard.size(runs),
            damage: Vec::new(),
        }],
    }
}

/// Run `number` of the suite; every fifth fails, in two ways.
pub fn record(number: usize) -> Record {
    let seed = number as u64 + 1;
    let fails = number.is_multiple_of(5);
    let what = if number.is_multiple_of(10) {
        "V[n]"
    } else {
        "PMOVSSET_EL0 <&>"
    };
    let id = format!("default/mine/mixed/1000/{seed}");
    Record {
        command: format!("lockstep run --seed {seed} --cycles 1000 --dut mine"),
        failure: fails.then(|| Failure {
            signature: Signature {
                design: "mine".into(),
                verdict: Verdict::Divergence,
                what: what.into(),
                class: Some("PMEVTYPERn_EL0".into()),
            },
            cycle: Some(seed * 3),
            field: Some("V[3]".into()),
            expected: Some("1".into()),
            rtl: Some("0".into()),
            causes: Vec::new(),
            derivation: Vec::new(),
            replay: format!(
                "lockstep run --seed {seed} --cycles {} --dut mine",
                seed * 3 + 1
            ),
            folder: None,
            further: further(seed),
            initial: None,
        }),
        verdict: if fails {
            Verdict::Divergence
        } else {
            Verdict::Agree
        },
        exit_code: fails.into(),
        compared: Some(Compared {
            cycles: if fails { seed * 3 + 1 } else { 1000 },
            stimulus_hash: format!("{seed:032x}"),
            compared: 40_000,
            not_compared: 10,
            changed: 900,
            never_compared: vec!["A".into(), format!("only in {seed}")],
            never_changed: vec!["B".into()],
            waivers: vec![waiver(0)],
            taken: Some(taken(number)),
            ..Compared::default()
        }),
        id,
        implementation: "default".into(),
        design: "mine".into(),
        stimulus: "mixed".into(),
        seed: Some(seed),
        cycles_wanted: Some(1000),
        limit: None,
        message: None,
        attempts: 1,
        time: Time {
            cycles: 0.5,
            process: seed as f64,
            day: None,
        },
    }
}

/// What a run of every other seed found beyond its first divergence.
fn further(seed: u64) -> Vec<Further> {
    let one = Further {
        field: "PMSICR_EL1".into(),
        cycle: seed * 7,
        expected: "0x10".into(),
        rtl: "0x11".into(),
        stretches: 3,
    };
    (seed % 2 == 1).then_some(one).into_iter().collect()
}

/// What run `number` took: rule `number` that many times and one more, and point `number` of each cross that has so many.
fn taken(number: usize) -> Taken {
    static NOTHING: LazyLock<Taken> =
        LazyLock::new(|| Taken::of(&Coverage::new(&Implementation::default())));
    let mut taken = NOTHING.clone();
    let rule = number % taken.rules.len();
    taken.rules[rule] = number as u64 + 1;
    for points in taken.crosses.values_mut() {
        if let Some(digit) = points.hit.get(number / 4..=number / 4) {
            assert_eq!(digit, "0");
            let digit = ["8", "4", "2", "1"][number % 4];
            points.hit.replace_range(number / 4..=number / 4, digit);
        }
    }
    taken
}

/// A waiver that waived so many differences.
pub fn waiver(waived: u64) -> Waiver {
    Waiver {
        field: "V[*]".into(),
        reason: "known".into(),
        owner: "the team".into(),
        expires: "2099-01-01".into(),
        file: "waivers.toml".into(),
        line: 3,
        waived,
    }
}
