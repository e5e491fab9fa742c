//! Where in the RTL a divergence comes from.

use std::fs;
use std::path::Path;

use pmu_lockstep::diagnosis::replay;
use pmu_lockstep::dut::{
    BuildOptions, Dut, Pulse, RtlFiles, RtlSource, Stop, TraceUnavailable, open,
};
use pmu_lockstep::location::{Netlist, Suspect, Trial, locate};
use pmu_lockstep::lockstep::Outcome;
use pmu_model::{CycleInput, CycleOutput, DutParameters, Implementation, SysReg};
use tempfile::tempdir;
use verilator_sys::describe::{SINCE, describe};
use verilator_sys::find::Search;
use verilator_sys::verilate::VerilateError;

use crate::run;

/// The bundled design, which has bit 0 of what is written to PMSELR_EL0 wrong.
struct Wrong {
    dut: Box<dyn Dut>,
    inputs: Vec<CycleInput>,
}

impl Wrong {
    fn instance() -> Box<dyn Dut> {
        let implementation = Implementation::default();
        let options = BuildOptions::from_env();
        let source = RtlSource::Bundled;
        let dut = open(&source, &implementation, true, &options, &mut |_| ());
        Box::new(Self {
            dut: dut.expect("it is built in"),
            inputs: Vec::new(),
        })
    }
}

impl Dut for Wrong {
    fn parameters(&self) -> DutParameters {
        self.dut.parameters()
    }

    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        let wrong = CycleInput::write(SysReg::Pmselr, 1);
        self.inputs.clear();
        self.inputs.extend_from_slice(inputs);
        for input in &mut self.inputs {
            let is_it = input.access_kind == wrong.access_kind
                && input.access_address == wrong.access_address;
            if is_it {
                input.access_data ^= 1;
            }
        }
        self.dut.run(&self.inputs, outputs)
    }

    fn trace_to(&mut self, path: &Path, cycle: u64) -> Result<(), TraceUnavailable> {
        self.dut.trace_to(path, cycle)
    }

    fn end_trace(&mut self) -> Result<(), TraceUnavailable> {
        self.dut.end_trace()
    }

    fn pulse(&self) -> Pulse {
        self.dut.pulse()
    }
}

/// What drives what in the bundled design; none of a Verilator that does not describe it.
fn bundled() -> Option<Netlist> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = RtlFiles {
        paths: vec![root.join("rtl")],
        ..RtlFiles::default()
    };
    let design = files.design().expect("a design");
    let verilator = Search::from_env(root.join(".tools")).find();
    let verilator = verilator.expect("a Verilator");
    let folder = tempdir().expect("a folder");
    let described = describe(&design, &verilator, folder.path());
    if verilator.version < SINCE {
        assert!(matches!(described, Err(VerilateError::Rejected { .. })));
        return None;
    }
    let described = described.expect("a description");
    let netlist = Netlist::read(&described.tree, &described.meta, &design.top);
    Some(netlist.expect("a netlist"))
}

#[test]
fn the_design_tells_where_signals_are_set() {
    let Some(design) = bundled() else {
        return;
    };
    let of = |signal: &str| -> Vec<String> {
        let places = design
            .places_of(&format!("lockstep_dut.{signal}"))
            .into_iter();
        let mut places: Vec<_> = places
            .map(|place| place.file.rsplit('/').next().unwrap_or_default().to_owned())
            .collect();
        places.dedup();
        places
    };
    // A register, an element of an array, what an instance puts out, and a port that it gets.
    let counters = "u_event_counters";
    let control = format!("{counters}.u_control");
    assert_eq!(of(&format!("{control}.pmselr_q")), ["pmu_control.sv"]);
    let element = format!("{counters}.u_evtyper.pmevtyper_q[3]");
    assert_eq!(of(&element), ["pmu_evtyper.sv"]);
    assert_eq!(of(&format!("{counters}.pmselr")), ["pmu_event_counters.sv"]);
    let lane = format!("{counters}.gen_counter[3].u_count_value.th_i");
    assert_eq!(of(&lane), ["pmu_event_counters.sv"]);
    assert_eq!(of("cycle_input_i"), [""; 0]);
    // Reset and write are two assignments.
    let places = design.places_of(&format!("lockstep_dut.{control}.pmselr_q"));
    assert_eq!(places.len(), 2, "{places:?}");
}

/// Constants that Verilator folds are places, too: a comparison that always holds is in the source.
#[test]
fn what_is_always_met_is_described() {
    let folder = tempdir().expect("a folder");
    let source = "module narrow (input logic clk, input logic [1:0] a, output logic q);
  always_ff @(posedge clk) if (a >= 2'd0) q <= a[0];
endmodule
";
    let path = folder.path().join("narrow.sv");
    fs::write(&path, source).expect("a file");
    let files = RtlFiles {
        paths: vec![path],
        top: "narrow".into(),
        ..RtlFiles::default()
    };
    let design = files.design().expect("a design");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let verilator = Search::from_env(root.join(".tools")).find();
    let verilator = verilator.expect("a Verilator");
    if verilator.version < SINCE {
        return;
    }
    let described = describe(&design, &verilator, &folder.path().join("described"));
    let tree = String::from_utf8(described.expect("a description").tree).expect("JSON");
    assert!(tree.contains("\"GTE\""), "{tree}");
}

#[test]
fn a_wrong_register_is_followed_to_its_writes() {
    let Some(design) = bundled() else {
        return;
    };
    let implementation = Implementation::default();
    let (run, outcome) = run(Wrong::instance(), &implementation, 1, 100_000);
    let Outcome::Diverged(divergence) = outcome else {
        panic!("{outcome:?}")
    };
    let mut again = || Ok(Wrong::instance());
    let folder = tempdir().expect("a folder");
    let window = folder.path().join("window.vcd");
    let replay = replay(&run, &divergence, &mut again, &window);
    let recording = replay.expect("a re-run").recording;
    let mut dut = Wrong::instance();
    let suspects = locate(
        &recording,
        &implementation,
        &mut *dut,
        &design,
        Trial::of_report(false),
        folder.path(),
    );
    let suspects = suspects.expect("places");
    let first = &suspects[..3.min(suspects.len())];
    let is_it = |suspect: &Suspect| suspect.signal.contains("pmselr");
    assert!(first.iter().any(is_it), "{first:?}");
    // Nothing is left of its own dumps.
    let left = folder.path().read_dir().expect("a folder");
    assert_eq!(left.count(), 1);
}
