//! Mutants of a netlist: what Yosys changes at a port of a cell, all of them in one build and chosen as the design runs.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use lockstep_engine::dut::chosen::{NUMBER_BITS, number_in, without_number};
use pmu_model::{CycleInput, CycleOutput, DutParameters};
use serde::Serialize;
use verilator_sys::verilate::Design;

use crate::netlist::Netlist;
use crate::yosys::{TO_AIGER, Yosys, YosysError, io_at, read, written};

/// The port that has the number of the mutant that is meant.
pub const PORT: &str = "chosen";

/// A mutant of a netlist.
#[derive(Clone, Debug, Serialize)]
pub struct Mutant {
    /// Its number, from 1.
    pub number: usize,
    /// What Yosys does: `inv`, `const0`, `const1`, `cnot0` or `cnot1`.
    pub mode: String,
    /// The cell.
    pub cell: String,
    /// Its port, and which bit of it.
    pub port: String,
    /// Where it comes from in the source: file and line; of a memory, its name.
    pub place: String,
}

/// Mutants of a design that were made in a folder.
#[derive(Debug)]
pub struct Made {
    /// They.
    pub mutants: Vec<Mutant>,
    /// What made them.
    yosys: Yosys,
}

impl Made {
    /// The Yosys that made them.
    pub fn version(&self) -> &str {
        &self.yosys.version
    }

    /// The netlist of all of them, with the port [`PORT`], in the folder in which they were made.
    ///
    /// # Errors
    /// Yosys refuses it.
    pub fn netlist(&self, folder: &Path) -> Result<Netlist, YosysError> {
        let script = format!("read_rtlil mutants.il\n{TO_AIGER}");
        self.yosys.run(&script, folder)?;
        written(folder)
    }
}

/// Makes `count` mutants of a design, as the files `rtl/*` of one that is told which of them it is; `told` hears which Yosys
/// makes them.
///
/// # Errors
/// There is no Yosys, or it refuses the design.
pub fn make(
    design: &Design,
    count: usize,
    seed: u64,
    folder: &Path,
    told: &mut dyn FnMut(&str),
) -> Result<Made, YosysError> {
    let rtl = folder.join("rtl");
    fs::create_dir_all(&rtl).map_err(io_at(&rtl))?;
    let mut script = "opt_merge\nopt_muxtree\nopt_reduce -full\nopt_expr\nopt_clean\n".to_owned();
    // One that knows what comes first, where a design lets it open.
    script += "pmuxtree\nopt_clean\nwrite_rtlil flat.il\n";
    script += &format!("mutate -list {count} -seed {seed} -o drawn.txt\n");
    let yosys = read(design, &[], &script, folder, told)?;
    let drawn = folder.join("drawn.txt");
    let drawn = fs::read_to_string(&drawn).map_err(io_at(&drawn))?;
    let lines: Vec<Vec<&str>> = drawn
        .lines()
        .map(|line| line.split(' ').collect())
        .collect();
    let mut script = "read_rtlil flat.il\n".to_owned();
    for (number, words) in (1..).zip(&lines) {
        let end = words.iter().position(|word| *word == "-src");
        let own = words[1..end.unwrap_or(words.len())].join(" ");
        script += &format!("mutate -ctrl {PORT} {NUMBER_BITS} {number} {own}\n");
    }
    // What is run and what a solver looks at are to have the same value where the design has none.
    script += "setundef -undriven -zero\nsetundef -zero\nwrite_rtlil mutants.il\n";
    // Names of a flattened design are longer than Verilator can take.
    let top = &design.top;
    script += &format!("rename {top} netlist\nopt_clean\nrename -hide\nrename -enumerate\n");
    script += "write_verilog -noattr rtl/netlist.v\n";
    yosys.run(&script, folder)?;
    let path = rtl.join("lockstep_dut.sv");
    fs::write(&path, wrapper()).map_err(io_at(&path))?;
    Ok(Made {
        mutants: mutants(&lines),
        yosys,
    })
}

/// The top module of mutants, with the netlist below it.
fn wrapper() -> String {
    let [input, output, parameters] = [
        size_of::<CycleInput>(),
        size_of::<CycleOutput>(),
        size_of::<DutParameters>(),
    ]
    .map(|bytes| 8 * bytes - 1);
    let number = NUMBER_BITS - 1;
    let chosen = number_in("cycle_input_i");
    let without = without_number("cycle_input_i");
    format!(
        "module lockstep_dut (
  input  logic clk_i,
  input  logic [{input}:0] cycle_input_i,
  output logic [{output}:0] cycle_output_o,
  output logic [{parameters}:0] parameters_o
);
  logic [{number}:0] chosen_q;

  always_ff @(posedge clk_i) chosen_q <= {chosen};

  netlist u_netlist (
    .clk_i, .cycle_input_i({without}), .cycle_output_o, .parameters_o, .{PORT}(chosen_q)
  );
endmodule
"
    )
}

/// The mutants of the lines that Yosys lists.
fn mutants(lines: &[Vec<&str>]) -> Vec<Mutant> {
    let sources = |words: &[&str]| -> Vec<String> {
        let pairs = words.windows(2).filter(|pair| pair[0] == "-src");
        // Before the colon; what follows a point is the column.
        let file = pairs.filter_map(|pair| pair[1].rsplit('/').next());
        file.map(|place| place.split('.').take(2).collect::<Vec<_>>().join("."))
            .collect()
    };
    let file = |place: &str| place.split(':').next().unwrap_or_default().to_owned();
    // The instances around a cell are named as well: what is within is of a file that fewer cells name.
    let mut named: HashMap<String, usize> = HashMap::new();
    for words in lines {
        let files: BTreeSet<_> = sources(words).iter().map(|place| file(place)).collect();
        for file in files {
            *named.entry(file).or_default() += 1;
        }
    }
    let mutant = |(number, words): (usize, &Vec<&str>)| {
        let after = |key: &str| {
            let at = words.iter().position(|word| *word == key);
            let word = at.and_then(|at| words.get(at + 1));
            word.copied().unwrap_or_default().to_owned()
        };
        // A folder in it is that of this run.
        let cell = after("-cell");
        let cell = match (cell.find('/'), cell.rfind('/')) {
            (Some(first), Some(last)) => format!("{}{}", &cell[..first], &cell[last + 1..]),
            _ => cell,
        };
        // What Yosys makes of a memory has no source, but its name.
        let memory = || cell.rsplit('\\').next()?.split('$').next();
        let sources = sources(words).into_iter();
        let place = sources.min_by_key(|place| named[&file(place)]);
        Mutant {
            number,
            mode: after("-mode"),
            port: format!("{}[{}]", after("-port"), after("-portbit")),
            place: place.unwrap_or_else(|| memory().unwrap_or_default().to_owned()),
            cell,
        }
    };
    (1..).zip(lines).map(mutant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_is_at_what_is_within() {
        let lines = [
            "mutate -mode inv -module top -cell a -port \\A -portbit 2 -ctrlbit 0 -src /x/top.sv:3.1-3.9 -src /x/unit.sv:12.3-12.8",
            "mutate -mode const0 -module top -cell b -port \\Y -portbit 0 -src /x/top.sv:4.1-4.9",
        ];
        let lines: Vec<Vec<&str>> = lines.iter().map(|line| line.split(' ').collect()).collect();
        let found = mutants(&lines);
        let places: Vec<_> = found.iter().map(|mutant| &mutant.place[..]).collect();
        assert_eq!(places, ["unit.sv:12", "top.sv:4"]);
        assert_eq!((&found[0].mode[..], &found[0].port[..]), ("inv", "\\A[2]"));
    }
}
