//! Builds: one of many mutants, and those of mutants that need one of their own.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use pmu_lockstep::dut::chosen::Chosen;
use pmu_lockstep::dut::{BuildOptions, Dut, OpenError, Rtl, RtlFiles, RtlSource};
use pmu_lockstep::location::Netlist;
use pmu_model::Implementation;
use verilator_sys::Optimization;
use verilator_sys::describe;
use verilator_sys::find::{Search, Verilator};
use verilator_sys::verilate::{VerilateError, VerilateRequest};

use crate::Error;
use crate::instrument;
use crate::mutant::Mutant;
use crate::source::{Unit, all, child};

/// A build of the RTL, and which of its mutants is meant.
#[derive(Clone)]
pub struct Design {
    rtl: Arc<Rtl>,
    /// The same with tracing.
    traced: Arc<Rtl>,
    number: u16,
}

impl Design {
    /// Builds `folder/rtl`. None of its mutants is meant.
    ///
    /// # Errors
    /// It cannot be built.
    pub fn build(
        folder: &Path,
        implementation: &Implementation,
        optimization: Optimization,
    ) -> Result<Self, Error> {
        let rtl = load(folder, implementation, false, optimization)?;
        let traced = load(folder, implementation, true, Optimization::Quick)?;
        Ok(Self {
            rtl: Arc::new(rtl),
            traced: Arc::new(traced),
            number: 0,
        })
    }

    /// The same build, and another of its mutants.
    pub fn mutant(&self, number: usize) -> Result<Self, Error> {
        Ok(Self {
            number: u16::try_from(number)?,
            ..self.clone()
        })
    }

    /// An instance.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn instance(&self) -> Result<Box<dyn Dut>, OpenError> {
        Ok(self.tagged(self.rtl.instance()?))
    }

    /// An instance that can be traced.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn traced(&self) -> Result<Box<dyn Dut>, OpenError> {
        Ok(self.tagged(self.traced.instance()?))
    }

    fn tagged(&self, dut: Box<dyn Dut>) -> Box<dyn Dut> {
        match self.number {
            0 => dut,
            number => Box::new(Chosen::new(dut, number)),
        }
    }
}

/// Builds `folder/rtl`, with tracing or without.
///
/// # Errors
/// It cannot be built.
pub fn load(
    folder: &Path,
    implementation: &Implementation,
    trace: bool,
    optimization: Optimization,
) -> Result<Rtl, Error> {
    let source = RtlSource::files([folder.join("rtl")], Vec::new());
    let options = BuildOptions {
        cache: folder.join("cache"),
        optimization,
        ..BuildOptions::from_env()
    };
    let rtl = Rtl::load(&source, implementation, trace, &options, &mut |_| ())?;
    Ok(rtl)
}

/// What drives what in the design of `folder/rtl`, by its own source; none of a Verilator that does not describe designs.
pub fn netlist(folder: &Path) -> Result<Option<Netlist>, Error> {
    let files = RtlFiles {
        paths: vec![folder.join("rtl")],
        ..RtlFiles::default()
    };
    let design = files.design()?;
    let verilator = Search::from_env(crate::root().join(".tools")).find()?;
    if verilator.version < describe::SINCE {
        return Ok(None);
    }
    let described = describe::describe(&design, &verilator, &folder.join("described"))?;
    let netlist = Netlist::read(&described.tree, &described.meta, &design.top)?;
    Ok(Some(netlist))
}

/// Finds which mutants cannot be built together with the others.
pub struct Checker<'a> {
    pub units: &'a [Unit],
    pub folder: &'a Path,
    verilator: Verilator,
}

impl<'a> Checker<'a> {
    /// # Errors
    /// There is no Verilator.
    pub fn new(units: &'a [Unit], folder: &'a Path) -> Result<Self, Error> {
        let tools = crate::root().join(".tools");
        Ok(Self {
            units,
            folder,
            verilator: Search::from_env(tools).find()?,
        })
    }

    /// Instruments the design with `mutants`.
    ///
    /// # Returns
    /// Those that Verilator refuses, or that close a loop of logic, by their places in `mutants`.
    ///
    /// # Errors
    /// Verilator does not run, or refuses something else.
    pub fn refused(&self, mutants: &[(usize, &Mutant)]) -> Result<BTreeSet<usize>, Error> {
        instrument::write(self.units, mutants, &self.folder.join("rtl"))?;
        let (messages, what) = match self.verilate()? {
            Ok(messages) => (messages, "%Warning-UNOPTFLAT"),
            Err(messages) => (messages, "%Error"),
        };
        let lines = lines(&messages, what);
        if lines.is_empty() && what == "%Error" {
            return Err(messages.into());
        }
        let mut refused = BTreeSet::new();
        for (file, line) in lines {
            let unit = self.units.iter().position(|unit| unit.name == file);
            let touches = |mutant: &Mutant| {
                let unit = &self.units[mutant.unit];
                mutant.replaced().any(|edit| {
                    let (first, last) = (unit.line(edit.range.start), unit.line(edit.range.end));
                    (first..=last).contains(&line)
                })
            };
            let places = mutants.iter().enumerate();
            let found =
                places.filter(|(_, (_, mutant))| Some(mutant.unit) == unit && touches(mutant));
            refused.extend(found.map(|(place, _)| place));
        }
        if refused.is_empty() && what == "%Error" {
            return Err(messages.into());
        }
        Ok(refused)
    }

    /// The generate blocks that are no part of the design as it is built: file, and from which byte to which.
    ///
    /// # Errors
    /// Verilator does not run, or refuses the design.
    pub fn left_out(&self) -> Result<Vec<(usize, Range<usize>)>, Error> {
        let mut blocks = Vec::new();
        let mut texts = Vec::new();
        for (index, unit) in self.units.iter().enumerate() {
            // Each says that it is there.
            let mut heads: Vec<_> = all(unit.root(), "generate_block")
                .into_iter()
                .filter_map(|block| {
                    let kinds = ["simple_identifier", "begin"];
                    let head = kinds.iter().find_map(|kind| child(block, kind))?;
                    Some((head.end_byte(), block.byte_range()))
                })
                .collect();
            heads.sort_by_key(|(head, _)| std::cmp::Reverse(*head));
            let mut text = unit.text.clone();
            for (head, range) in heads {
                text.insert_str(head, " $warning(\"\");");
                blocks.push((index, unit.line(head), range));
            }
            texts.push((unit.name.as_str(), text));
        }
        instrument::write_texts(&texts, &self.folder.join("rtl"))?;
        let messages = self.verilate()??;
        let there = lines(&messages, "%Warning-USERWARN");
        blocks.retain(|(index, line, _)| {
            let name = self.units[*index].name.clone();
            !there.contains(&(name, *line))
        });
        Ok(blocks
            .into_iter()
            .map(|(index, _, range)| (index, range))
            .collect())
    }

    /// Runs Verilator on `folder/rtl`.
    ///
    /// # Returns
    /// Its warnings, or why it refuses the design.
    fn verilate(&self) -> Result<Result<String, String>, Error> {
        let files = RtlFiles {
            paths: vec![self.folder.join("rtl")],
            ..RtlFiles::default()
        };
        let request = VerilateRequest {
            design: &files.design()?,
            trace: false,
            out_dir: &self.folder.join("checked"),
            prefix: "Vchecked",
        };
        match request.run(&self.verilator) {
            Ok(verilated) => Ok(Ok(verilated.warnings)),
            Err(VerilateError::Rejected { message, .. }) => Ok(Err(message)),
            Err(other) => Err(other.into()),
        }
    }
}

/// Files and lines in messages that begin with `what`, and in what is said below them.
fn lines(messages: &str, what: &str) -> BTreeSet<(String, usize)> {
    let mut found = BTreeSet::new();
    let mut is_it = false;
    for line in messages.lines() {
        if line.starts_with('%') {
            is_it = line.starts_with(what);
        }
        if !is_it {
            continue;
        }
        for word in line.split_whitespace() {
            let mut parts = word.split(':');
            let file = parts.next().unwrap_or("");
            let number = parts.next().and_then(|number| number.parse().ok());
            if let (Some(number), true) = (number, file.ends_with(".sv")) {
                let name = file.rsplit('/').next().unwrap_or(file);
                found.insert((name.to_owned(), number));
            }
        }
    }
    found
}
