//! Proofs of the bundled RTL notice what is wrong: planted bugs, bugs that act once in 2^28 cycles or less, and models with
//! another operator; and nothing is said of what is right. Needs Yosys.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use lockstep_designs::RtlSource;
use lockstep_engine::dut::wrapper_parameters;
use lockstep_prove::correspondence::{BUNDLED, Correspondence};
use lockstep_prove::cycle::Signals;
use lockstep_prove::netlist::Netlist;
use lockstep_prove::proof::{Area, Found, Prover};
use lockstep_prove::symbol::{break_operator, operators_used};
use lockstep_prove::yosys;
use lockstep_stimulus::ContractCheck;
use pmu_model::Implementation;
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_secs(60);

/// Two counters, and what is of no matter here as small as can be: Yosys takes seconds.
fn implementation() -> Implementation {
    let mut implementation = Implementation::default();
    implementation.pmu.counters = 2;
    implementation.pmu.event_count = 2;
    implementation.spe.implemented = false;
    implementation.spe.ernd = false;
    implementation.spe.exc = false;
    implementation.system_pmu.clear();
    implementation
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

fn netlist(rtl: &Path) -> Netlist {
    let implementation = implementation();
    let source = RtlSource::files([rtl.to_path_buf()], wrapper_parameters(&implementation));
    let design = source
        .design(&implementation, rtl)
        .expect("RTL")
        .expect("files");
    yosys::netlist(&design, &names().left_out).expect("Yosys reads it")
}

/// Claims that do not hold, and whether stimulus shows one of them.
fn refuted(netlist: &Netlist) -> (Vec<String>, bool) {
    let implementation = implementation();
    let signals = Signals::find(netlist, &names(), &implementation).expect("signals");
    let prover = Prover::new(&implementation, netlist, &signals, LIMIT).expect("possible");
    let mut wrong = Vec::new();
    let mut first = None;
    for area in Area::ALL {
        let claims = prover.prove(area, &mut |_| ()).expect("proofs are proofs");
        for claim in claims {
            assert_ne!(claim.result, Found::NotDecided, "{}", claim.claim);
            if claim.result == Found::Refuted {
                first.get_or_insert((area, claim.place));
                wrong.push(claim.claim);
            }
        }
    }
    let shown =
        first.and_then(|(area, place)| prover.stimulus(&names(), area, place).expect("ports"));
    if let Some(cycles) = &shown {
        let legal = ContractCheck::new(&implementation).check(cycles);
        legal.expect("stimulus that the contract allows");
    }
    (wrong, shown.is_some())
}

#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn the_bundled_rtl_is_proved() {
    let rtl = copied();
    assert_eq!(refuted(&netlist(rtl.path())), (Vec::new(), false));
}

/// Bugs of `tests/planted` that are in the areas.
const PLANTED: [&str; 33] = [
    "01-threshold-ge-as-gt",
    "02-threshold-lt-as-le",
    "03-threshold-signed",
    "04-threshold-11-bits",
    "06-threshold-off-when-tc-zero",
    "07-tlc-ignored-when-tc-th-zero",
    "08-previous-held-when-not-counting",
    "09-previous-held-when-edge-off",
    "10-edge-falling",
    "11-both-edges-as-rising",
    "12-linked-edge-counts-one",
    "13-link-to-base-value",
    "15-link-from-stopped-counter",
    "22-chain-with-long-overflow",
    "24-counts-in-reset-cycle",
    "25-write-lost-to-increment",
    "26-increment-on-top-of-write",
    "27-overflow-of-lost-increment",
    "29-carry-lost-with-short-overflow",
    "31-long-overflow-ignored",
    "32-overflow-lost-to-clear",
    "33-cycle-overflow-out-of-bit-31",
    "35-flags-not-reset",
    "37-pmcr-p-misses-last-counter",
    "38-pmcr-c-clears-event-counters",
    "40-cntenclr-misses-cycle-counter",
    "104-event-counter-sets-no-bit-63",
    "43-res0-stored",
    "64-filter-el3-by-m-alone",
    "65-filter-nsh-inverted",
    "66-filter-sh-ignored",
    "69-filter-vs-swapped",
    "91-mtpme-of-el2",
];

#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn planted_bugs_are_refuted() {
    let mut missed = Vec::new();
    for bug in PLANTED {
        let rtl = copied();
        let patch = folder("tests/planted").join(bug).with_extension("patch");
        let status = Command::new("patch")
            .args(["--quiet", "-p2", "-i"])
            .arg(&patch)
            .current_dir(rtl.path())
            .status();
        assert!(status.is_ok_and(|status| status.success()), "{bug}: patch");
        let (wrong, shown) = refuted(&netlist(rtl.path()));
        if wrong.is_empty() || !shown {
            missed.push((bug, wrong, shown));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Bugs that act on one value in 2^28 or more: a file, what is there, and what is there instead.
const RARE: [[&str; 3]; 28] = [
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
];

#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn bugs_that_act_once_in_2_to_the_28_are_refuted() {
    let mut missed = Vec::new();
    for [file, right, wrong] in RARE {
        let rtl = copied();
        let path = rtl.path().join(file);
        let text = fs::read_to_string(&path).expect("RTL");
        assert_eq!(text.matches(right).count(), 1, "{file}: {right}");
        fs::write(&path, text.replace(right, wrong)).expect("written");
        let (claims, shown) = refuted(&netlist(rtl.path()));
        if claims.is_empty() || !shown {
            missed.push((wrong, claims, shown));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
#[ignore = "needs Yosys; make prove runs it"]
fn models_with_another_operator_are_refuted() {
    let implementation = implementation();
    let rtl = copied();
    let netlist = netlist(rtl.path());
    let signals = Signals::find(&netlist, &names(), &implementation).expect("signals");
    let prover = Prover::new(&implementation, &netlist, &signals, LIMIT).expect("possible");
    let prove = |broken: Option<usize>| {
        break_operator(broken);
        let claims = prover
            .prove_counter(Area::Threshold, 1)
            .expect("proofs are proofs");
        claims.iter().any(|claim| claim.result != Found::Proved)
    };
    assert!(!prove(None), "the model as it is");
    let operators = operators_used();
    // The operators of lanes 0 and 1 come first; each is used for all of it.
    let broken = (0..operators).filter(|&number| prove(Some(number))).count();
    break_operator(None);
    assert!(broken >= 20, "{broken} of {operators}");
}
