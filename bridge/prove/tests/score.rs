//! Mutants of a small design: what a run notices is never said to be the design, what is said to be the design no run notices,
//! and stimulus of a solver shows the others. Needs Yosys and Verilator.

use std::time::Duration;

use lockstep_designs::{BuildOptions, Rtl, RtlSource};
use lockstep_prove::correspondence::{BUNDLED, Correspondence};
use lockstep_prove::cycle::Signals;
use lockstep_prove::judge::Judge;
use lockstep_prove::proof::Prover;
use lockstep_prove::score::mutants::{self, PORT};
use lockstep_prove::score::{Bench, Counts, Fate, Regression, on_all_cores};
use lockstep_stimulus::Profile;
use pmu_model::Implementation;
use verilator_sys::Optimization;

/// More than any claim takes, also beside other work.
const LIMIT: Duration = Duration::from_secs(300);
const MUTANTS: usize = 40;
const SEED: u64 = 5;

/// The least that has counters, events and accesses.
fn implementation() -> Implementation {
    let mut implementation = Implementation::default();
    implementation.pmu.counters = 2;
    implementation.pmu.event_count = 8;
    implementation.threads.count = 1;
    implementation.spe.implemented = false;
    implementation.spe.ernd = false;
    implementation.spe.exc = false;
    implementation.system_pmu.clear();
    implementation
}

fn random(seed: u64, cycles: u64) -> Regression {
    Regression {
        recorded: Vec::new(),
        profile: Profile::default(),
        seed,
        cycles,
    }
}

#[test]
#[ignore = "a minute, and needs Yosys: make prove"]
fn mutants_are_noticed_equal_or_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let implementation = implementation();
    let design = RtlSource::Bundled
        .design(&implementation, folder.path())
        .expect("the RTL")
        .expect("files");
    let made = mutants::make(&design, MUTANTS, SEED, folder.path(), &mut |_| ()).expect("mutants");
    let mutants = &made.mutants;
    assert_eq!(mutants.len(), MUTANTS);
    let placed = mutants
        .iter()
        .filter(|mutant| mutant.place.contains(".sv:"));
    assert!(placed.count() > MUTANTS / 2);
    let options = BuildOptions {
        cache: folder.path().join("cache"),
        optimization: Optimization::Quick,
        ..BuildOptions::from_env()
    };
    let files = RtlSource::files([folder.path().join("rtl")], Vec::new());
    let rtl = Rtl::load(&files, &implementation, false, &options, &mut |_| ()).expect("built");
    let bench = Bench {
        rtl: &rtl,
        implementation: &implementation,
    };
    let (weak, strong) = (random(1, 2_000), random(2, 200_000));
    assert_eq!(
        bench.hunt(&strong, 0).expect("runs"),
        None,
        "without a mutant"
    );

    let names: Correspondence = toml::from_str(BUNDLED).expect("the bundled correspondence");
    let netlist = made.netlist(folder.path()).expect("a netlist");
    let signals = Signals::find(&netlist, &names, &implementation).expect("signals");
    let prover = Prover::new(&implementation, &netlist, &signals, LIMIT).expect("possible");
    let judge = Judge::new(&prover, &names, PORT, LIMIT).expect("a port");
    on_all_cores(
        &judge.parts(),
        |&part| judge.open_without(part).expect("proofs"),
        |_, open| if open.is_empty() { Ok(()) } else { Err(open) },
    )
    .expect("the design is proved");

    let numbers: Vec<_> = (1..=MUTANTS).collect();
    let mut fates = Vec::new();
    on_all_cores(
        &numbers,
        |&number| {
            let noticed = bench.hunt(&weak, number).expect("runs");
            let also = bench.hunt(&strong, number).expect("runs");
            let judged = bench.judge(&judge, number, folder.path());
            (noticed, also, judged.expect("judged"))
        },
        |&number, (noticed, also, judged)| {
            let mutant = &mutants[number - 1];
            if let Fate::Equivalent { .. } = judged {
                assert_eq!((&noticed, &also), (&None, &None), "{mutant:?} is no bug");
            }
            fates.push(noticed.map_or(judged, Fate::Killed));
            Ok::<_, ()>(())
        },
    )
    .expect("no error");
    let counts = Counts::of(&fates);
    println!("{counts:?}");
    assert_eq!(counts.not_decided, 0);
    assert!(
        counts.killed > MUTANTS / 4,
        "a weak regression notices some"
    );
    assert!(counts.left > 0, "and leaves some, which are shown");
    assert!(counts.equivalent > 0, "others are no bugs");
    assert!(counts.score().is_some_and(|score| score < 100.0));
}
