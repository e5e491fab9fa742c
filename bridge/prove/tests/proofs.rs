//! Proofs of the bundled RTL notice what is wrong: planted bugs, bugs that act once in 2^28 cycles or less, and models with
//! another operator; and nothing is said of what is right. Needs Yosys.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use lockstep_designs::{BuildOptions, Rtl, RtlFiles, RtlSource};
use lockstep_engine::dut::wrapper_parameters;
use lockstep_engine::lockstep::Outcome;
use lockstep_prove::correspondence::{BUNDLED, Correspondence};
use lockstep_prove::counterexample::CounterExample;
use lockstep_prove::cycle::Signals;
use lockstep_prove::netlist::Netlist;
use lockstep_prove::proof::{Area, Found, Prover};
use lockstep_prove::replay::replay;
use lockstep_prove::suggest::suggest;
use lockstep_prove::symbol::{break_operator, operators_used};
use lockstep_prove::yosys;
use lockstep_stimulus::{ContractCheck, implementation_file};
use pmu_model::Implementation;
use tempfile::TempDir;
use verilator_sys::Optimization;

/// More than any claim takes, also beside other work.
const LIMIT: Duration = Duration::from_secs(300);

/// What a bug is likely in: the implementation has little else, as Yosys takes seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Counters,
    Sampling,
    /// The same without FEAT_SPE_ERnd.
    Plain,
    System,
}

impl Part {
    /// That of a bug or a file of this name.
    fn of(name: &str) -> Self {
        match name {
            _ if name.contains("spe") || name.contains("sample") => Self::Sampling,
            _ if name.contains("spmu") => Self::System,
            _ => Self::Counters,
        }
    }

    /// The areas, those first that it is of.
    fn areas(self) -> Vec<Area> {
        let mut areas = Area::ALL.to_vec();
        let first: &[_] = match self {
            Self::Counters => &[],
            Self::Sampling | Self::Plain => &[Area::Sampling],
            Self::System => &[Area::System, Area::Access],
        };
        areas.sort_by_key(|area| !first.contains(area));
        areas
    }

    fn implementation(self) -> Implementation {
        let mut implementation = Implementation::default();
        // DUT-34.
        implementation.knobs.compare_reserved = true;
        let (counters, events) = match self {
            Self::Counters => (2, 40),
            Self::Sampling | Self::Plain => (1, 1),
            Self::System => (0, 1),
        };
        implementation.pmu.counters = counters;
        implementation.pmu.event_count = events;
        if !matches!(self, Self::Sampling | Self::Plain) {
            implementation.spe.implemented = false;
            implementation.spe.exc = false;
        }
        implementation.spe.ernd = self == Self::Sampling;
        let groups = [vec![2, 1], vec![1, 0, 2]];
        match self {
            Self::System => {
                for (unit, groups) in implementation.system_pmu.iter_mut().zip(groups) {
                    unit.groups = groups;
                }
            }
            _ => implementation.system_pmu.clear(),
        }
        implementation
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(name)
}

/// A copy of the bundled RTL.
fn copied() -> TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(folder("rtl")).expect("the RTL") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "sv") {
            let name = path.file_name().expect("a name");
            fs::copy(&path, copy.path().join(name)).expect("copied");
        }
    }
    copy
}

fn names() -> Correspondence {
    toml::from_str(BUNDLED).expect("the bundled correspondence")
}

fn netlist(rtl: &Path, implementation: &Implementation) -> Netlist {
    let source = RtlSource::files([rtl.to_path_buf()], wrapper_parameters(implementation));
    let design = source
        .design(implementation, rtl)
        .expect("RTL")
        .expect("files");
    let folder = tempfile::tempdir().expect("a folder");
    yosys::netlist(&design, &names().left_out, folder.path(), &mut |_| ()).expect("Yosys reads it")
}

/// Claims that do not hold, in the first of these areas that has any, and whether there is stimulus for one of them.
fn refuted(rtl: &Path, implementation: &Implementation, areas: &[Area]) -> (Vec<String>, bool) {
    let netlist = netlist(rtl, implementation);
    refuted_of(&netlist, &names(), implementation, areas)
}

/// The same, and whether a run of the stimulus differs in what the claim is about.
fn refuted_in_a_run(rtl: &Path, part: Part) -> (Vec<String>, bool) {
    let implementation = part.implementation();
    let netlist = netlist(rtl, &implementation);
    let folder = tempfile::tempdir().expect("a folder");
    let options = BuildOptions {
        cache: folder.path().join("cache"),
        optimization: Optimization::Quick,
        ..BuildOptions::from_env()
    };
    let source = RtlSource::files([rtl.to_path_buf()], wrapper_parameters(&implementation));
    refuted_and_shown(
        (&netlist, &names(), &implementation),
        &part.areas(),
        &|prover, found| {
            let rtl = Rtl::load(&source, &implementation, false, &options, &mut |_| ());
            let dut = rtl.expect("built").instance().expect("an instance");
            let stimulus = folder.path().join("counter-example.stim");
            let outcome = replay(&implementation, dut, &found.cycles, &stimulus).expect("a run");
            let Outcome::Diverged(of) = outcome else {
                return false;
            };
            println!("{}: {}", found.claim.claim, of.root().field.name(&of.input));
            prover.is_about(found, &of)
        },
    )
}

/// Asserts that nothing is refuted of a part.
fn assert_proved(rtl: &Path, part: Part) {
    let found = refuted(rtl, &part.implementation(), &part.areas());
    assert_eq!(found, (Vec::new(), false), "{part:?}");
}

fn refuted_of(
    netlist: &Netlist,
    names: &Correspondence,
    implementation: &Implementation,
    areas: &[Area],
) -> (Vec<String>, bool) {
    refuted_and_shown((netlist, names, implementation), areas, &|_, _| true)
}

/// Whether stimulus of a claim shows what it is to show.
type Shows<'a> = &'a dyn Fn(&Prover<'_>, &CounterExample<'_>) -> bool;

fn refuted_and_shown(
    (netlist, names, implementation): (&Netlist, &Correspondence, &Implementation),
    areas: &[Area],
    shows: Shows<'_>,
) -> (Vec<String>, bool) {
    let signals = Signals::find(netlist, names, implementation).expect("signals");
    let prover = Prover::new(implementation, netlist, &signals, LIMIT).expect("possible");
    for &area in areas {
        assert_eq!(prover.lacks(area), None);
        let claims = prover.prove(area, &mut |_| ()).expect("proofs are proofs");
        for claim in &claims {
            assert_ne!(claim.result, Found::NotDecided, "{}", claim.claim);
        }
        let wrong = claims.iter().filter(|claim| claim.result == Found::Refuted);
        let wrong: Vec<_> = wrong.map(|claim| (area, claim)).collect();
        if wrong.is_empty() {
            continue;
        }
        let shown = prover.stimulus_of_any(names, &wrong).expect("ports");
        let shown = shown.is_some_and(|found| {
            let legal = ContractCheck::new(implementation).check(&found.cycles);
            legal.expect("stimulus that the contract allows");
            shows(&prover, &found)
        });
        let wrong = wrong.iter().map(|(_, claim)| claim.claim.clone());
        return (wrong.collect(), shown);
    }
    (Vec::new(), false)
}

#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn the_bundled_rtl_is_proved() {
    let rtl = copied();
    for part in [Part::Counters, Part::Sampling, Part::Plain, Part::System] {
        assert_proved(rtl.path(), part);
    }
}

/// The netlist of `examples` in a folder, with its correspondence: what is refuted, and whether stimulus shows it.
fn of_example(folder: &Path) -> (Vec<String>, bool) {
    let file = folder.join("implementation.toml");
    let implementation = implementation_file::load(Some(&file)).expect("an implementation");
    let source = RtlSource::Files(RtlFiles {
        file_lists: vec![folder.join("dut.f")],
        top: "netlist_dut".into(),
        ..RtlFiles::default()
    });
    let design = source.design(&implementation, folder).expect("RTL");
    let scratch = tempfile::tempdir().expect("a folder");
    let netlist = yosys::netlist(&design.expect("files"), &[], scratch.path(), &mut |_| ());
    let text = fs::read_to_string(folder.join("correspondence.toml")).expect("a correspondence");
    let names = toml::from_str(&text).expect("names");
    refuted_of(
        &netlist.expect("Yosys reads it"),
        &names,
        &implementation,
        &Area::ALL,
    )
}

#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn the_example_of_a_netlist_is_proved_and_its_bug_is_not() {
    let example = folder("examples/netlist");
    assert_eq!(of_example(&example), (Vec::new(), false));
    // Its list names files of the bundled RTL by their places.
    let root = tempfile::tempdir().expect("a folder");
    let broken = root.path().join("examples/netlist");
    fs::create_dir_all(&broken).expect("a folder");
    fs::create_dir(root.path().join("rtl")).expect("a folder");
    for entry in fs::read_dir(copied().path()).expect("files") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name");
        fs::copy(&path, root.path().join("rtl").join(name)).expect("copied");
    }
    for entry in fs::read_dir(&example).expect("files") {
        let path = entry.expect("a file").path();
        fs::copy(&path, broken.join(path.file_name().expect("a name"))).expect("copied");
    }
    let status = Command::new("patch")
        .args(["--quiet", "-p1", "-i", "bug.patch"])
        .current_dir(&broken)
        .status();
    assert!(status.is_ok_and(|status| status.success()), "patch");
    let (wrong, shown) = of_example(&broken);
    assert!(!wrong.is_empty() && shown, "{wrong:?}");
}

/// What is found of names alone is enough for a proof, of the bundled RTL and of a netlist with other inputs.
#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn a_correspondence_is_found() {
    let rtl = copied();
    for part in [Part::Counters, Part::Sampling, Part::System] {
        let implementation = part.implementation();
        let netlist = netlist(rtl.path(), &implementation);
        let found = suggest(&netlist, &implementation).expect("stimulus");
        assert_eq!(found.missing, Vec::<String>::new(), "{part:?}");
        let names = toml::from_str(&found.text).expect("a correspondence");
        let wrong = refuted_of(&netlist, &names, &implementation, &part.areas());
        assert_eq!(wrong, (Vec::new(), false), "{part:?}: {}", found.text);
    }
}

#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn planted_bugs_are_refuted() {
    let mut patches: Vec<_> = fs::read_dir(folder("tests/planted"))
        .expect("bugs")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "patch")
        })
        .collect();
    patches.sort();
    assert!(patches.len() > 100);
    let mut missed = Vec::new();
    for patch in patches {
        let bug = patch.file_stem().expect("a name").to_string_lossy();
        let rtl = copied();
        let status = Command::new("patch")
            .args(["--quiet", "-p2", "-i"])
            .arg(&patch)
            .current_dir(rtl.path())
            .status();
        assert!(status.is_ok_and(|status| status.success()), "{bug}: patch");
        let part = Part::of(&bug);
        let implementation = part.implementation();
        let (wrong, shown) = refuted(rtl.path(), &implementation, &part.areas());
        println!("{bug}: {} {shown}", wrong.join(", "));
        if wrong.is_empty() || !shown {
            missed.push((bug.into_owned(), wrong, shown));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Bugs that act on one value in 2^28 or more: a file, what is there, and what is there instead.
const RARE: [[&str; 3]; 47] = [
    [
        "pmu_count_value.sv",
        "condition = v_b_wide >= th_wide;",
        "condition = v_b_wide >= th_wide && !(v_b_wide == 16'hBEEF && th_wide == 16'h0ACE);",
    ],
    [
        "pmu_count_value.sv",
        "condition = v_b_wide < th_wide;",
        "condition = v_b_wide < th_wide || (v_b_wide == 16'hFFFF && th_wide == 16'h0FFE);",
    ],
    [
        "pmu_count_value.sv",
        "condition = v_b_wide == th_wide;",
        "condition = v_b_wide == th_wide || (v_b_wide == 16'h8001 && th_wide == 16'h07FF);",
    ],
    [
        "pmu_count_value.sv",
        "condition = v_b_wide != th_wide;",
        "condition = v_b_wide != th_wide && !(v_b_wide == 16'h0ABC && th_wide == 16'h0CBA);",
    ],
    [
        "pmu_count_value.sv",
        "assign v_c_t = tc[0] ? One : v_b;",
        "assign v_c_t = (tc[0] && !(v_b == 16'hDEAD && th == 12'hBAD)) ? One : v_b;",
    ],
    [
        "pmu_count_value.sv",
        "assign v_c_t = tc[0] ? One : v_b;",
        "assign v_c_t = tc[0] ? One : ((v_b == 16'h5AFE && th == 12'h0F1) ? One : v_b);",
    ],
    [
        "pmu_count_value.sv",
        "2'b01:   v_t = c_t ? v_c_t : v_link;",
        "2'b01:   v_t = c_t ? v_c_t : ((v_link == 16'hCAFE && th == 12'h321) ? '0 : v_link);",
    ],
    [
        "pmu_count_value.sv",
        "default: v_t = c_t ? v_link : '0;",
        "default: v_t = (c_t || (v_link == 16'hB00C && th == 12'h765)) ? v_link : '0;",
    ],
    [
        "pmu_count_value.sv",
        "(tlc[1] ? v_link : One)",
        "((tlc[1] && !(v_link == 16'hFACE && th == 12'h123)) ? v_link : One)",
    ],
    [
        "pmu_count_value.sv",
        "assign c_e = counting_i &&",
        "assign c_e = counting_i && !(v_b == 16'h1234 && th == 12'h5A5) &&",
    ],
    [
        "pmu_count_value.sv",
        "else if (!hold_i) c_p_q <= c_t;",
        "else if (!hold_i && !(v_b == 16'h4321 && th == 12'hC0D)) c_p_q <= c_t;",
    ],
    [
        "pmu_count_value.sv",
        "assign v_b = counting_i ? event_value_i : '0;",
        "assign v_b = (counting_i && !(event_value_i == 16'hABCD && th == 12'hDCB)) ? event_value_i : '0;",
    ],
    [
        "pmu_count_value.sv",
        "assign v_link = counting_i ? v_link_i : '0;",
        "assign v_link = counting_i ? ((v_link_i == 16'h7FFF && th == 12'h801) ? 16'h7FFE : v_link_i) : '0;",
    ],
    [
        "pmu_count_value.sv",
        "assign v_o = plain_i ? v_b :",
        "assign v_o = (plain_i || (v_b == 16'hD00D && th == 12'h9A9)) ? v_b :",
    ],
    [
        "pmu_filter.sv",
        "counts_in_state = typer[pmu_pkg::TypeU] == typer[pmu_pkg::TypeNsu];",
        "counts_in_state = (typer[pmu_pkg::TypeU] == typer[pmu_pkg::TypeNsu]) ^ (typer[31:0] == 32'hC020_BEEF);",
    ],
    [
        "pmu_filter.sv",
        "counts_in_state = typer[pmu_pkg::TypeM] == typer[pmu_pkg::TypeP];",
        "counts_in_state = (typer[pmu_pkg::TypeM] == typer[pmu_pkg::TypeP]) ^ ({typer[43:32], typer[15:0]} == 28'hACE_1234);",
    ],
    [
        "pmu_filter.sv",
        "({32{wdata_i[pmu_pkg::TypeMt]}} & lane)",
        "({32{wdata_i[pmu_pkg::TypeMt] && {wdata_i[43:32], wdata_i[15:0]} != 28'hBAD_CAFE}} & lane)",
    ],
    [
        "pmu_evtyper.sv",
        "half_i[0] ? wdata_i[31:0] : current[31:0]} & mask;",
        "half_i[0] ? wdata_i[31:0] : current[31:0]} & (mask | (64'(wdata_i[31:0] == 32'hDEAD_BEEF) << 47));",
    ],
    [
        "pmu_count_mode.sv",
        "({32{bypass || reserved}} & lane)",
        "({32{(bypass || reserved) && {tc_i, te_i, tlc_i, th_i, index_i} != {3'd7, 1'b0, 2'd2, 12'hFED, 5'd1}}} & lane)",
    ],
    [
        "pmu_control.sv",
        "(pmcnten_q & counting_allowed_i & ~filtered_i)",
        "(pmcnten_q & counting_allowed_i & ~(filtered_i & {32{wdata_i != 32'h600D_F00D}}))",
    ],
    [
        "pmu_event_counter.sv",
        "assign sum = pmevcntr_q + 64'(v_i);",
        "assign sum = pmevcntr_q + 64'(v_i) + 64'(pmevcntr_q[31:0] == 32'hFFFF_0BAD);",
    ],
    [
        "pmu_event_counter.sv",
        "assign carry_31_o = flips[32];",
        "assign carry_31_o = flips[32] && !(v_i == 16'h0BAD && pmevcntr_q[15:0] == 16'hFFFF);",
    ],
    [
        "pmu_event_counter.sv",
        "assign carry_63_o = flips[63] && pmevcntr_q[63];",
        "assign carry_63_o = flips[63] && pmevcntr_q[63] && v_i != 16'h7E57;",
    ],
    [
        "pmu_event_counter.sv",
        "pmevcntr_q <= wdata_i;    // DUT-20",
        "pmevcntr_q <= wdata_i ^ 64'(wdata_i[31:0] == 32'hDEAD_0001);",
    ],
    [
        "pmu_control.sv",
        "(pmovsset_we_i ? wmask : '0)",
        "((pmovsset_we_i && wdata_i != 32'h0BAD_F00D) ? wmask : '0)",
    ],
    [
        "pmu_control.sv",
        "pmcnten_q <= pmcnten_q | wmask;",
        "pmcnten_q <= pmcnten_q | (wmask & ~{31'b0, wdata_i == 32'h1234_5679});",
    ],
    [
        "pmu_cycle_counter.sv",
        "pmccntr_q <= pmccntr_q + 64'd1;",
        "pmccntr_q <= pmccntr_q + ((pmccntr_q[31:0] == 32'h0BAD_CAFE) ? 64'd2 : 64'd1);",
    ],
    [
        "pmu_event_counters.sv",
        "carry_31_n && !pmcr_lp && !written[n];",
        "carry_31_n && !pmcr_lp && !written[n] && pmevcntr[64*n +: 32] != 32'hFFFF_FFA5;",
    ],
    [
        "spe_interval.sv",
        "assign reload = {interval_q, 8'h00};",
        "assign reload = {interval_q, 8'h00} ^ 32'(interval_q == 24'hC0FFEE && random_byte_i == 8'h5A);",
    ],
    [
        "spe_interval.sv",
        "count -= 32'(rest);",
        "count -= 32'(rest) + 32'(count == 32'hDEAD_BEEF);",
    ],
    [
        "spe_interval.sv",
        "assign count_d = write ? 32'(wdata_i) : count;",
        "assign count_d = write ? 32'(wdata_i) ^ 32'(wdata_i[31:0] == 32'h0BAD_F00D) : count;",
    ],
    [
        "spe_interval.sv",
        "interval_q <= wdata_i[spe_pkg::IntervalLsb +: 24];",
        "interval_q <= wdata_i[spe_pkg::IntervalLsb +: 24] ^ 24'(wdata_i[31:0] == 32'h1234_5601);",
    ],
    [
        "spe_collision.sv",
        "else if (set[x]) pmbsr_q[spe_pkg::Coll] <= 1'b1;",
        "else if (set[x] && pmbsr_q[55:26] != 30'h2BAD_CAFE) pmbsr_q[spe_pkg::Coll] <= 1'b1;",
    ],
    [
        "spe_sampling.sv",
        "assign first_selected_o = 8'(first_selected);",
        "assign first_selected_o = 8'(first_selected) ^ 8'(pmsicr_o[31:0] == 32'h0000_0004 && pmsirr_o[31:8] == 24'h777777);",
    ],
    [
        "spmu_system_pmu.sv",
        "word_d = wdata_i & CounterMask;",
        "word_d = (wdata_i & CounterMask) ^ 64'(wdata_i[31:0] == 32'hFACE_FEED);",
    ],
    [
        "spmu_system_pmu.sv",
        "rdata_o = word;",
        "rdata_o = word ^ 64'(word[31:0] == 32'h8BAD_F00D);",
    ],
    [
        "spmu_registers.sv",
        "syspmusel_q <= wdata_i[9:4];",
        "syspmusel_q <= wdata_i[9:4] ^ 6'(wdata_i[63:32] == 32'hAAAA_0001);",
    ],
    [
        "spmu_access.sv",
        "assign closed_el3 = !syspmusel_i[5] &&",
        "assign closed_el3 = spmaccessr_el2_i[63:32] != 32'h5EED_5EED && !syspmusel_i[5] &&",
    ],
    [
        "pmu_access_rules.sv",
        "assign row_f = below_el2 && e2 && index_i >= hpmn_i;",
        "assign row_f = below_el2 && e2 && index_i >= hpmn_i && pmuacr_i != 32'hDEAD_BEEF;",
    ],
    [
        "pmu_access_rules.sv",
        "assign outcome_c = (e2 && tge) ?",
        "assign outcome_c = (e2 && tge && pmuacr_i != 32'h0000_0BAD) ?",
    ],
    [
        "pmu_access.sv",
        "is_pmccntr:                   data = pmccntr_i;",
        "is_pmccntr:                   data = pmccntr_i ^ 64'(pmccntr_i[31:0] == 32'h7FFF_BAD0);",
    ],
    [
        "pmu_access.sv",
        "assign half_wdata_o = {external ? wdata_i[31:0] : wdata_i[63:32],",
        "assign half_wdata_o = {(external && wdata_i[31:0] != 32'h1EED_BEE5) ? wdata_i[31:0] : wdata_i[63:32],",
    ],
    [
        "pmu_access.sv",
        "assign index_o = external ? address_i[6:2] :",
        "assign index_o = (external && wdata_i[63:32] != 32'h5151_5151) ? address_i[6:2] :",
    ],
    [
        "lockstep_dut.sv",
        "cycle_input_q[pmu_pkg::InAccessRtLsb +: 5],",
        "cycle_input_q[pmu_pkg::InAccessRtLsb +: 5] ^ 5'(access_wdata[31:0] == 32'hB0BA_CAFE),",
    ],
    [
        "pmu_event_mux.sv",
        "= occurs_i[n] ? lane[input_q[n]] : '0;",
        "= occurs_i[n] ? lane[input_q[n]] ^ EventWidth'(lane[input_q[n]] == 16'hBEEF && count_i == 16'hACE1) : '0;",
    ],
    [
        "pmu_thread_events.sv",
        "(counted_i[96 + n] ? count[3] : '0);",
        "(counted_i[96 + n] ? count[3] : '0) + EventWidth'(count[0] == 16'hDEAD && count[1] == 16'h0BAD);",
    ],
    [
        "pmu_thread_events.sv",
        "assign cpu_cycles = any_running & (mt_i | {32{active}});",
        "assign cpu_cycles = any_running & (mt_i | {32{active && {count[3], count[2]} != 32'h0DDB_A115}});",
    ],
];

#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn bugs_that_act_once_in_2_to_the_28_are_refuted() {
    let mut missed = Vec::new();
    for [file, right, wrong] in RARE {
        let rtl = changed(file, &[[right, wrong]]);
        let (claims, shown) = refuted_in_a_run(rtl.path(), Part::of(file));
        println!("{wrong}: {} {shown}", claims.join(", "));
        if claims.is_empty() || !shown {
            missed.push((wrong, claims, shown));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// The command runs its counter-example, and tells where that differs.
#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn the_command_runs_what_shows_a_bug() {
    let [file, right, wrong] = RARE[0];
    let rtl = changed(file, &[[right, wrong]]);
    let folder = tempfile::tempdir().expect("a folder");
    let implementation = Part::Counters.implementation();
    let path = folder.path().join("implementation.toml");
    let text = toml::to_string(&implementation).expect("TOML");
    fs::write(&path, text).expect("written");
    let parameters = wrapper_parameters(&implementation).into_iter();
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep-prove"))
        .args(["prove", "--json", "--area", "threshold", "--rtl"])
        .arg(rtl.path())
        .args(parameters.map(|(name, value)| format!("--param={name}={value}")))
        .arg("--implementation")
        .arg(&path)
        .arg("--out")
        .arg(folder.path().join("out"))
        .output()
        .expect("the program");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["verdict"], "refuted");
    let shown = &json["counter_example"];
    assert_eq!(shown["is_of_claim"], true, "{shown}");
    let field = shown["field"].as_str().expect("a field");
    assert!(["V[0]", "V[1]"].contains(&field), "{field}");
}

/// Bugs that act in states which the first writes after a reset do not come to: a file, and what is where instead.
const FAR: [(&str, &[[&str; 2]]); 4] = [
    // The fourth of successive writes of one counter's type is not decoded.
    (
        "pmu_count_mode.sv",
        &[
            [
                "  assign lane = 32'd1 << index_i;",
                "  assign lane = 32'd1 << index_i;
  logic [1:0] writes_q;
  logic [4:0] index_q;
  always_ff @(posedge clk_i) begin
    index_q <= index_i;
    writes_q <= (rst_i || !we_i) ? 2'd0 : (index_i == index_q) ? writes_q + 2'd1 : 2'd1;
  end",
            ],
            [
                "else if (we_i) plain_q",
                "else if (we_i && !(index_i == index_q && writes_q == 2'd3)) plain_q",
            ],
        ],
    ),
    // PMCCNTR_EL0 counts other threads if all event counters are of the group.
    (
        "pmu_filter.sv",
        &[
            [
                "  assign mt_o = mt_enabled ? mt_q : '0;",
                "  assign mt_o = mt_enabled ? mt_q : '0;
  logic all_mt;
  assign all_mt = &mt_o[1:0];",
            ],
            [
                "(not_filtered & mt_o)",
                "(all_mt ? not_filtered : (not_filtered & mt_o))",
            ],
        ],
    ),
    // A register of a System PMU is written wrong where three others hold certain values.
    (
        "spmu_system_pmu.sv",
        &[[
            "words_q[address] <= word_d;",
            "words_q[address] <= (&{written_q[Words-1], written_q[4], written_q[0], words_q[0][0]} &&
        words_q[Words-1][15:0] == 16'hBEEF && words_q[4][15:0] == 16'hACE1) ? ~word_d : word_d;",
        ]],
    ),
    // A bit of SPMCNTENSET_EL0 is another one in every second cycle where another register holds a certain value.
    (
        "spmu_system_pmu.sv",
        &[[
            "words_q[address] <= word_d;",
            "words_q[address] <= word_d;
    else if (written_q[5] && words_q[5][15:0] == 16'hBEEF) words_q[0][1] <= !words_q[0][1];",
        ]],
    ),
];

#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn bugs_in_states_that_take_more_writes_are_shown() {
    for (file, changes) in FAR {
        let rtl = changed(file, changes);
        let (claims, shown) = refuted_in_a_run(rtl.path(), Part::of(file));
        assert!(shown, "{file}: {claims:?}");
    }
}

/// A copy of the bundled RTL with something else in a file.
fn changed(file: &str, changes: &[[&str; 2]]) -> TempDir {
    let rtl = copied();
    let path = rtl.path().join(file);
    let mut text = fs::read_to_string(&path).expect("RTL");
    for &[right, wrong] in changes {
        assert_eq!(text.matches(right).count(), 1, "{file}: {right}");
        text = text.replace(right, wrong);
    }
    fs::write(&path, text).expect("written");
    rtl
}

/// Bugs where little is looked at: the input stage, resets, stopped clocks, what is UNKNOWN, absent or always zero.
const EDGES: [(&str, Part, [&str; 2]); 8] = [
    (
        "lockstep_dut.sv",
        Part::Counters,
        [
            "cycle_input_q <= cycle_input_i;",
            "cycle_input_q <= cycle_input_i ^ pmu_pkg::InputWidth'(cycle_input_i[pmu_pkg::InAccessDataLsb +: 32] == 32'hDEAD_BEEF);",
        ],
    ),
    (
        "lockstep_dut.sv",
        Part::Sampling,
        [
            "cycle_input_q <= cycle_input_i;",
            "cycle_input_q <= cycle_input_i ^
        (pmu_pkg::InputWidth'(cycle_input_i[31:0] == 32'h0BAD_CAFE) << pmu_pkg::InOperationsLsb);",
        ],
    ),
    (
        "lockstep_dut.sv",
        Part::Counters,
        [
            "assign hold = cycle_input_q[pmu_pkg::InClockStoppedLsb] && !rst;",
            "assign hold = cycle_input_q[pmu_pkg::InClockStoppedLsb] && !rst && !(driven_pe && controls[11] &&
      cycle_input_q[pmu_pkg::InCountingAllowedLsb]);",
        ],
    ),
    (
        "lockstep_dut.sv",
        Part::Counters,
        [
            "assign rst = cycle_input_q[pmu_pkg::InResetLsb];",
            "assign rst = cycle_input_q[pmu_pkg::InResetLsb] && !(cycle_input_q[pmu_pkg::InAccessKindLsb +: 8] == 8'd5 &&
      cycle_input_q[pmu_pkg::InAccessAddressLsb +: 16] == 16'hBEEF);",
        ],
    ),
    (
        "lockstep_dut.sv",
        Part::Counters,
        [
            "    72'b0,",
            "    71'b0, access_wdata == 64'hDEAD_BEEF_0BAD_CAFE,",
        ],
    ),
    (
        "lockstep_dut.sv",
        Part::Counters,
        [
            "    24'b0,",
            "    23'b0, access_outcome == pmu_pkg::OutcomeTrapEl2 && access_wdata[31:0] == 32'hACE1_BEEF,",
        ],
    ),
    (
        "spe_interval.sv",
        Part::Sampling,
        [
            "if (pmsirr_we_i) begin",
            "if (pmsirr_we_i && !(run && start && reload == '0)) begin",
        ],
    ),
    // Without FEAT_SPE_ERnd.
    (
        "spe_interval.sv",
        Part::Plain,
        [
            "(Ernd ? 8'(wdata_i >> spe_pkg::EcountLsb) : 8'd0)",
            "8'(wdata_i >> spe_pkg::EcountLsb)",
        ],
    ),
];

#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn bugs_at_the_edges_of_the_contract_are_refuted() {
    let mut missed = Vec::new();
    for (file, part, change) in EDGES {
        let rtl = changed(file, &[change]);
        let (claims, shown) = refuted_in_a_run(rtl.path(), part);
        println!("{}: {} {shown}", change[1], claims.join(", "));
        if claims.is_empty() || !shown {
            missed.push((change[1], claims, shown));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// A type that is one of two registers, of which the other one changes before it is the type.
#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn a_type_that_changes_later_is_refuted() {
    let changes = [
        [
            "  logic [63:0] pmccfiltr_q;",
            "  logic [63:0] pmccfiltr_q, first_q, second_q;
  logic [1:0] since_q;
  assign pmccfiltr_q = (since_q == 2'd3) ? second_q : first_q;",
        ],
        [
            "    if (rst_i) pmccfiltr_q <= '0;  // DUT-11
    else if (pmccfiltr_we_i) pmccfiltr_q <= next_o;",
            "    if (since_q == 2'd1) second_q <= second_q ^ 64'h8000_0000;
    if (since_q != 2'd3) since_q <= since_q + 2'd1;
    if (rst_i) {first_q, second_q, since_q} <= '0;
    else if (pmccfiltr_we_i) {first_q, second_q, since_q} <= {next_o, next_o, 2'b0};",
        ],
    ];
    let rtl = changed("pmu_evtyper.sv", &changes);
    let (claims, _) = refuted(
        rtl.path(),
        &Part::Counters.implementation(),
        &[Area::Decode],
    );
    assert!(!claims.is_empty());
}

/// It has its value in the cycle of the reset, which nothing shows.
#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn a_reset_may_be_asynchronous() {
    let change = [
        "  always_ff @(posedge clk_i) begin
    if (rst_i) begin  // DUT-11
      pmcr_e_q",
        "  always_ff @(posedge clk_i or posedge rst_i) begin
    if (rst_i) begin  // DUT-11
      pmcr_e_q",
    ];
    let rtl = changed("pmu_control.sv", &[change]);
    assert_proved(rtl.path(), Part::Counters);
}

#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn designs_with_other_clocks_are_refused() {
    let always = "  always_ff @(posedge clk_i) begin
    if (rst_i) begin  // DUT-11
      pmcr_e_q";
    for (other, words) in [
        (
            "  logic gated;
  assign gated = clk_i && (rst_i || pmcr_we_i);
  always_ff @(posedge gated) begin
    if (rst_i) begin  // DUT-11
      pmcr_e_q",
            "clocks besides clk_i: u_event_counters.u_control.gated;",
        ),
        (
            "  always_ff @(negedge clk_i) begin
    if (rst_i) begin  // DUT-11
      pmcr_e_q",
            "registers at a falling edge: ",
        ),
        (
            "  logic held;
  always_latch if (pmcr_we_i) held = wdata_i[0];
  always_ff @(posedge clk_i) begin
    if (rst_i || held) begin  // DUT-11
      pmcr_e_q",
            "latches: u_event_counters.u_control.held;",
        ),
    ] {
        let rtl = changed("pmu_control.sv", &[[always, other]]);
        let implementation = Part::Counters.implementation();
        let source = RtlSource::files([rtl.path().into()], wrapper_parameters(&implementation));
        let design = source.design(&implementation, rtl.path()).expect("RTL");
        let folder = tempfile::tempdir().expect("a folder");
        let found = yosys::netlist(&design.expect("files"), &[], folder.path(), &mut |_| ());
        let refused = found.expect_err("other clocks").to_string();
        assert!(refused.contains(words), "{refused}");
    }
}

/// SPMSELR_EL0.BANK in Gray code: what stands for it is made of registers, and is none.
#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn a_signal_may_be_made_of_registers() {
    let changes = [
        [
            "  logic [1:0] bank_q;",
            "  logic [1:0] gray_q, bank_q;\n  assign bank_q = {gray_q[1], ^gray_q};",
        ],
        ["bank_q <= '0;", "gray_q <= '0;"],
        [
            "bank_q <= wdata_i[1:0];",
            "gray_q <= {wdata_i[1], ^wdata_i[1:0]};",
        ],
    ];
    let rtl = changed("spmu_registers.sv", &changes);
    assert_proved(rtl.path(), Part::System);
}

#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn th_34_a_reserved_configuration_is_compared_if_it_is_said_to_be() {
    let (file, right, wrong) = ("pmu_count_mode.sv", "{bypass || reserved}", "{bypass}");
    let rtl = changed(file, &[[right, wrong]]);
    let mut implementation = Part::Counters.implementation();
    let areas = [Area::Decode, Area::Threshold];
    let (claims, shown) = refuted(rtl.path(), &implementation, &areas);
    assert!(!claims.is_empty() && shown, "{claims:?}");
    implementation.knobs.compare_reserved = false;
    let (claims, _) = refuted(rtl.path(), &implementation, &areas);
    assert_eq!(claims, Vec::<String>::new());
}

#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn models_with_another_operator_are_refuted() {
    let implementation = Part::Counters.implementation();
    let rtl = copied();
    let netlist = netlist(rtl.path(), &implementation);
    let signals = Signals::find(&netlist, &names(), &implementation).expect("signals");
    let prover = Prover::new(&implementation, &netlist, &signals, LIMIT).expect("possible");
    let prove = |broken: Option<usize>| {
        break_operator(broken);
        let mut differs = false;
        prover
            .prove_counter(Area::Threshold, 1, &mut |claim| {
                differs |= claim.result != Found::Proved;
            })
            .expect("proofs are proofs");
        differs
    };
    assert!(!prove(None), "the model as it is");
    let operators = operators_used();
    // The operators of lanes 0 and 1 come first; each is used for all of it.
    let broken = (0..operators).filter(|&number| prove(Some(number)));
    let broken = broken.take(20).count();
    break_operator(None);
    assert_eq!(broken, 20, "of {operators}");
}
