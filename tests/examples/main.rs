//! Designs of other people's making, in `examples`: each agrees with the model, and its bug is found.
//!
//! Each test builds the design of a folder as it is, and with the folder's `bug.patch`.

#[path = "../support/command.rs"]
mod command;
#[path = "../support/scratch.rs"]
mod scratch;

use std::fs;
use std::path::{Path, PathBuf};

use pmu_model::Implementation;
use serde_json::Value;

/// Cycles of a run that must agree.
const CYCLES: u64 = 200_000;

/// A design in a folder of `examples`.
struct Example {
    folder: PathBuf,
    top: &'static str,
    scratch: PathBuf,
}

impl Example {
    /// The design of folder `name`, for a test that may write to a folder of its own.
    fn new(test: &str, name: &str, top: &'static str) -> Self {
        Self {
            folder: Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("examples")
                .join(name),
            top,
            scratch: scratch::scratch(&format!("examples/{test}_{name}")),
        }
    }

    /// A file list of the design with `planted` in place of the file of that name.
    fn list_with(&self, planted: &Path) -> PathBuf {
        let list = fs::read_to_string(self.folder.join("dut.f")).expect("a file list");
        let files: Vec<_> = list
            .lines()
            .map(|line| match planted.ends_with(line) {
                true => planted.to_owned(),
                false => self.folder.join(line),
            })
            .collect();
        assert!(files.iter().any(|file| file == planted), "{list}");
        let text: String = files
            .iter()
            .map(|file| format!("\"{}\"\n", file.display()))
            .collect();
        let path = self.scratch.join("dut.f");
        fs::write(&path, text).expect("written");
        path
    }

    /// The file that the patch is for, with the bug in it.
    fn plant(&self) -> PathBuf {
        let text = fs::read_to_string(self.folder.join("bug.patch")).expect("a patch");
        let patch = diffy::Patch::from_str(&text).expect("a patch");
        let name = patch
            .modified()
            .and_then(|name| name.strip_prefix("b/"))
            .expect("a name");
        let before = fs::read_to_string(self.folder.join(name)).expect("a file of the design");
        let planted = self.scratch.join(name);
        let after = diffy::apply(&before, &patch).expect("a patch that fits");
        fs::write(&planted, after).expect("written");
        planted
    }

    /// Runs the design of a file list; the exit code, and what was printed.
    fn run(&self, list: &Path, cycles: u64) -> (i32, Value) {
        let mut command = command::lockstep(&self.scratch);
        command.args(["run", "--json", "--out", "out", "--top", self.top]);
        command.args(["--cycles", &cycles.to_string()]);
        command.arg("--filelist").arg(list);
        command
            .arg("--implementation")
            .arg(self.folder.join("implementation.toml"));
        let ran = command::run(&mut command);
        let json = serde_json::from_str(&ran.stdout);
        (ran.code, json.unwrap_or_else(|_| panic!("{}", ran.stderr)))
    }

    /// Runs a command on the design of a file list.
    fn run_with(&self, list: &Path, arguments: &[&str]) -> command::Ran {
        let mut command = command::lockstep(&self.scratch);
        command.args(arguments).args(["--top", self.top]);
        command::run(command.arg("--filelist").arg(list))
    }

    /// The design agrees; every one of `fields` was compared, and had different values.
    fn agrees<S: AsRef<str>>(&self, fields: impl IntoIterator<Item = S>) {
        let (code, json) = self.run(&self.folder.join("dut.f"), CYCLES);
        assert_eq!((code, &json["verdict"]), (0, &"agree".into()), "{json:#}");
        assert_eq!(json["cycles"], CYCLES);
        let ledger = json["ledger"]["fields"].as_array().expect("a ledger");
        for field in fields {
            let field = field.as_ref();
            let entry = ledger.iter().find(|entry| entry["field"] == field);
            let changed = entry.and_then(|entry| entry["changed"].as_u64());
            assert!(changed.is_some_and(|changed| changed >= 20), "{field}");
        }
    }

    /// With the bug, a field whose name begins with `field` is the first that differs.
    fn diverges(&self, field: &str) {
        let (code, json) = self.run(&self.list_with(&self.plant()), 10 * CYCLES);
        assert_eq!(code, 1, "{json:#}");
        let report = fs::read_to_string(self.scratch.join("out/report.json")).expect("a report");
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let found = report["headline"]["field"].as_str().expect("a field");
        assert!(found.starts_with(field), "{report:#}");
        // The traced re-run diverged as well, and left its files.
        assert!(self.scratch.join("out/window.vcd").is_file());
    }
}

/// The contract as a package, which examples share, is that of `lockstep new-wrapper`.
#[test]
fn the_package_is_that_of_the_command() {
    let scratch = scratch::scratch("examples/package");
    let ran = command::run(command::lockstep(&scratch).args(["new-wrapper", "made"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let made = fs::read_to_string(scratch.join("made/lockstep_pkg.sv")).expect("a package");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/lockstep_pkg.sv");
    let here = fs::read_to_string(&path).expect("a package");
    assert!(
        here == made,
        "{}: make it again with lockstep new-wrapper",
        path.display()
    );
    // What to do next can be pasted into a shell, whatever the folder is called.
    let ran = command::run(command::lockstep(&scratch).args(["new-wrapper", "made by it"]));
    let next = "\n  lockstep run --filelist 'made by it/dut.f' --top lockstep_dut --implementation 'made by it/implementation.toml'\n";
    assert!(ran.stdout.ends_with(next), "{}", ran.stdout);
}

/// Increments and accesses come two cycles late.
#[test]
fn dut_02_pipeline_of_three_stages() {
    let example = Example::new("example", "pipelined", "lockstep_dut");
    let increments = (0..8).map(|n| format!("V[{n}]"));
    let counters = (0..8).map(|n| format!("PMEVCNTR{n}_EL0"));
    let others = ["PMCCNTR_EL0", "PMOVSSET_EL0", "PMEVTYPER7_EL0", "PMCR_EL0"].map(String::from);
    example.agrees(increments.chain(counters).chain(others));
    example.diverges("V[");
}

/// Accesses keep an interval, and increments are not shown.
#[test]
fn dut_70_dut_71_registers_behind_apb() {
    let example = Example::new("example", "apb", "lockstep_dut");
    let counters = (0..6).map(|n| format!("PMEVCNTR{n}_EL0"));
    let others = ["PMCCNTR_EL0", "PMOVSSET_EL0", "PMEVTYPER5_EL0", "PMCR_EL0"].map(String::from);
    example.agrees(counters.chain(others));
    example.diverges("PMCCNTR_EL0");
}

/// The gates of the datapath in the bundled RTL.
#[test]
fn th_20_to_28_netlist() {
    let example = Example::new("example", "netlist", "netlist_dut");
    let increments = (0..4).map(|n| format!("V[{n}]"));
    let counters = (0..4).map(|n| format!("PMEVCNTR{n}_EL0"));
    example.agrees(increments.chain(counters));
    example.diverges("V[");
}

/// The implementation file of a design is found in what it states and in its registers.
#[test]
fn a_design_tells_its_implementation() {
    for name in ["apb", "pipelined"] {
        let example = Example::new("implementation", name, "lockstep_dut");
        let ran = example.run_with(
            &example.folder.join("dut.f"),
            &["implementation", "--name", name],
        );
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let mut found: Implementation = toml::from_str(&ran.stdout).expect("an implementation");
        let own = fs::read_to_string(example.folder.join("implementation.toml")).expect("a file");
        let own: Implementation = toml::from_str(&own).expect("an implementation");
        // Nothing of a design tells these.
        found.pe.pmuv3p8 = own.pe.pmuv3p8;
        found.pe.aa32el1 = own.pe.aa32el1;
        // These have no effect without what they belong to.
        (found.pmu.thwidth, found.spe.max_inflight) = (own.pmu.thwidth, own.spe.max_inflight);
        found.spe.pmsidr = own.spe.pmsidr;
        assert_eq!(found, own, "{}", ran.stdout);
    }
}

/// What `new-wrapper` writes is a design that runs, and has nothing in it.
#[test]
fn dut_32_a_new_wrapper_is_one_to_start_from() {
    let scratch = scratch::scratch("examples/new_wrapper");
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/apb/implementation.toml");
    let run = |arguments: &[&str]| {
        let mut command = command::lockstep(&scratch);
        command::run(command.args(arguments))
    };
    let list = list.to_str().expect("a path");
    let made = run(&[
        "new-wrapper",
        "mine",
        "--top",
        "my_wrapper",
        "--implementation",
        list,
    ]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    let again = run(&["new-wrapper", "mine"]);
    assert_eq!(again.code, 2, "{}", again.stderr);
    assert!(
        again.stderr.contains("mine/wrapper.sv: is there already"),
        "{}",
        again.stderr
    );
    let ran = run(&[
        "run",
        "--json",
        "--filelist",
        "mine/dut.f",
        "--top",
        "my_wrapper",
        "--implementation",
        "mine/implementation.toml",
        "--out",
        "out",
    ]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let headline = &json["divergence"]["headline"];
    assert_eq!(headline["field"], "access outcome", "{json:#}");
    assert_eq!(
        (&headline["expected"], &headline["rtl"]),
        (&"OK".into(), &"UNDEFINED".into())
    );
}

/// A known difference is waived; one that has expired, or is not there, is a failure.
#[test]
fn waivers_accept_a_bug_for_some_time() {
    let example = Example::new("waivers", "pipelined", "lockstep_dut");
    let planted = example.list_with(&example.plant());
    let implementation = example.folder.join("implementation.toml");
    let implementation = implementation.to_str().expect("a path");
    let run = |list: &Path, waivers: &str| {
        fs::write(example.scratch.join("waivers.toml"), waivers).expect("written");
        let arguments = [
            "run",
            "--cycles",
            "2000",
            "--implementation",
            implementation,
            "--waivers",
            "waivers.toml",
            "--out",
            "out",
        ];
        example.run_with(list, &arguments)
    };
    let waiver = |expires: &str| {
        format!(
            "[[waiver]]\nfield = \"V[*]\"\ncondition = \"always\"\nreason = \"known bug\"\n\
             owner = \"counters\"\nexpires = {expires}\n\n\
             [[waiver]]\nfield = \"PM*\"\ncondition = {{ access = \"MRS\" }}\nreason = \"known bug\"\n\
             owner = \"counters\"\nexpires = {expires}\n"
        )
    };
    let waived = run(&planted, &waiver("2999-12-31"));
    assert_eq!(waived.code, 0, "{}{}", waived.stdout, waived.stderr);
    assert!(
        waived
            .stdout
            .contains("of V[*]: known bug (counters, until 2999-12-31)"),
        "{}",
        waived.stdout
    );
    let unused = run(&example.folder.join("dut.f"), &waiver("2999-12-31"));
    assert_eq!(unused.code, 8, "{}{}", unused.stdout, unused.stderr);
    assert!(
        unused.stdout.contains("waiver of line 1 was not needed"),
        "{}",
        unused.stdout
    );
    let expired = run(&planted, &waiver("2020-01-31"));
    assert_eq!(expired.code, 2, "{}{}", expired.stdout, expired.stderr);
    assert!(
        expired
            .stderr
            .contains("waivers.toml:1: the waiver of V[*] expired on 2020-01-31"),
        "{}",
        expired.stderr
    );
}

/// The netlist against the RTL that it was made from, without the model.
#[test]
fn two_designs_are_compared_without_the_model() {
    let example = Example::new("against", "netlist", "netlist_dut");
    let implementation = example.folder.join("implementation.toml");
    let implementation = implementation.to_str().expect("a path");
    let run = |list: &Path| {
        let arguments = [
            "run",
            "--cycles",
            "20000",
            "--implementation",
            implementation,
            "--against",
            "bundled",
            "--out",
            "out",
        ];
        example.run_with(list, &arguments)
    };
    let same = run(&example.folder.join("dut.f"));
    assert_eq!(same.code, 0, "{}{}", same.stdout, same.stderr);
    assert!(same.stdout.contains("without the model"), "{}", same.stdout);
    let planted = run(&example.list_with(&example.plant()));
    assert_eq!(planted.code, 1, "{}{}", planted.stdout, planted.stderr);
    assert!(
        planted.stdout.starts_with("DIVERGENCE  V["),
        "{}",
        planted.stdout
    );
    // The clock has a period of 10 ns.
    let places = planted.stdout.lines().filter(|line| {
        let place = line
            .strip_prefix("cycle ")
            .and_then(|line| line.split_once(", at "));
        place.is_some_and(|(cycle, time)| time == format!("{cycle}0 ns"))
    });
    assert_eq!(places.count(), 1, "{}", planted.stdout);
    assert!(!planted.stdout.contains("note:"), "{}", planted.stdout);
    for name in ["a.vcd", "b.vcd", "against.json"] {
        assert!(example.scratch.join("out").join(name).is_file(), "{name}");
    }
}

/// DUT-02: a report says which latencies the outputs fit, where the design states others.
#[test]
fn dut_02_a_latency_that_is_stated_wrong_is_told() {
    let example = Example::new("latency", "pipelined", "lockstep_dut");
    let wrapper = fs::read_to_string(example.folder.join("wrapper.sv")).expect("a wrapper");
    let planted = example.scratch.join("wrapper.sv");
    let explained = |increment: &str, access: &str| {
        let text = wrapper
            .replace(
                "latency_increment = 8'd2",
                &format!("latency_increment = {increment}"),
            )
            .replace(
                "latency_access = 8'd2",
                &format!("latency_access = {access}"),
            );
        assert_ne!(text, wrapper);
        fs::write(&planted, text).expect("written");
        let (code, json) = example.run(&example.list_with(&planted), CYCLES);
        assert_eq!(code, 1, "{json:#}");
        let explaining = json["divergence"]["hypotheses"]["explaining"].as_array();
        let explaining = explaining.expect("hypotheses").iter();
        let texts = explaining.map(|found| found["text"].as_str().expect("a text").to_owned());
        texts.collect::<Vec<_>>()
    };
    assert_eq!(
        explained("8'd1", "8'd2"),
        [
            "increments come 1 cycle late: they fit a latency of 2, the design states 1 (latency_increment of parameters_o)"
        ]
    );
    assert_eq!(
        explained("8'd2", "8'd4"),
        [
            "data and outcome of accesses come 2 cycles early: they fit a latency of 2, the design states 4 \
          (latency_access of parameters_o)"
        ]
    );
    assert_eq!(
        explained("8'd0", "8'd0"),
        [
            "increments come 2 cycles late: they fit a latency of 2, the design states 0 (latency_increment of \
          parameters_o); data and outcome of accesses come 2 cycles late: they fit a latency of 2, the design states 0 \
          (latency_access of parameters_o)"
        ]
    );
}

/// The pipelined design against itself: what is compared comes two cycles after what it is about, on both sides, in the
/// run and in the re-run that is traced.
#[test]
fn dut_02_two_late_designs_are_compared_without_the_model() {
    let example = Example::new("against", "pipelined", "lockstep_dut");
    let own = example.folder.join("dut.f");
    let planted = example.list_with(&example.plant());
    let implementation = example.folder.join("implementation.toml");
    let run = |against: &Path| {
        let mut command = command::lockstep(&example.scratch);
        command.args([
            "run",
            "--cycles",
            "20000",
            "--out",
            "out",
            "--top",
            example.top,
        ]);
        command.arg("--filelist").arg(&own);
        command.arg("--implementation").arg(&implementation);
        command::run(command.arg("--against").arg(against))
    };
    let same = run(&own);
    assert_eq!(same.code, 0, "{}{}", same.stdout, same.stderr);
    assert!(same.stdout.contains("without the model"), "{}", same.stdout);
    // A run that ends before anything is shown says nothing, with the model and without it.
    for against in [None, Some(&own)] {
        let mut command = command::lockstep(&example.scratch);
        command.args(["run", "--cycles", "1", "--out", "out", "--top", example.top]);
        command.arg("--filelist").arg(&own);
        command.arg("--implementation").arg(&implementation);
        if let Some(against) = against {
            command.arg("--against").arg(against);
        }
        let short = command::run(&mut command);
        assert_eq!(
            (short.code, short.stdout.as_str()),
            (2, ""),
            "{}",
            short.stderr
        );
        let why = "nothing was compared in 1 cycle: the design shows what becomes of a cycle up to 2 cycles later; ";
        assert!(short.stderr.contains(why), "{}", short.stderr);
    }
    let ran = run(&planted);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let headline = "DIVERGENCE  V[1]: A 256, B 0";
    assert!(ran.stdout.starts_with(headline), "{}", ran.stdout);
    // Two cycles after the one that it is about.
    let cycle =
        "\ncycle 117, at 1170 ns, where it shows what cycle 115 was given, 2 cycles later\n";
    assert!(ran.stdout.contains(cycle), "{}", ran.stdout);
    // Both waveforms show it: the re-run has reached the same cycle.
    assert!(!ran.stdout.contains("note:"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("NOT reach"), "{}", ran.stdout);
    for name in ["a.vcd", "b.vcd", "against.json"] {
        assert!(example.scratch.join("out").join(name).is_file(), "{name}");
    }
}
