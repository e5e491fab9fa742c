//! The designs that mutants run in.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use pmu_model::Implementation;
use verilator_sys::Optimization;

use crate::Error;
use crate::build::Design;
use crate::hunt::hunt;
use crate::instrument;
use crate::mutant::Mutant;
use crate::record::Outcome;
use crate::source::Unit;

/// One build of most mutants, and a folder for builds of the others.
pub struct Bench<'a> {
    seed: u64,
    units: &'a [Unit],
    folder: PathBuf,
    implementation: Implementation,
    together: Design,
    places_alone: bool,
}

impl<'a> Bench<'a> {
    /// Builds the design with all mutants of `numbered` that can be in one build.
    ///
    /// # Errors
    /// It cannot be built, or does not agree with the model where none of them is chosen.
    pub fn new(
        seed: u64,
        units: &'a [Unit],
        numbered: &[(usize, &Mutant)],
        folder: &Path,
        places_alone: bool,
    ) -> Result<Self, Error> {
        let implementation = Implementation::default();
        let together: Vec<_> = numbered
            .iter()
            .filter(|(_, mutant)| !mutant.is_alone())
            .copied()
            .collect();
        instrument::write(units, &together, &folder.join("rtl"))?;
        let together = Design::build(folder, &implementation, Optimization::Full)?;
        let source = || Err("there is no mutant".into());
        match hunt(&together, &implementation, seed, 0, false, &source)? {
            Outcome::Alive => {}
            other => {
                return Err(format!("without a mutant, expected to agree, found {other:?}").into());
            }
        }
        Ok(Self {
            seed,
            units,
            folder: folder.into(),
            implementation,
            together,
            places_alone,
        })
    }

    /// What becomes of a mutant.
    pub fn hunt(&self, number: usize, mutant: &Mutant) -> Outcome {
        let design = match mutant.is_alone() {
            false => self.together.mutant(number),
            true => match self.alone(number, mutant) {
                Ok(Ok(design)) => Ok(design),
                Ok(Err(why)) => return Outcome::Refused { why },
                Err(error) => Err(error),
            },
        };
        // A panic is a bug of what explains; the other mutants run all the same.
        let source = || self.source(number, mutant);
        let hunted = catch_unwind(AssertUnwindSafe(|| {
            let places_alone = self.places_alone;
            hunt(
                &design?,
                &self.implementation,
                self.seed,
                number,
                places_alone,
                &source,
            )
        }));
        let outcome = hunted.unwrap_or_else(|_| Err("a panic, told above".into()));
        outcome.unwrap_or_else(|error| Outcome::Failed {
            why: error.to_string(),
        })
    }

    /// Writes the source into `folder/rtl`, with `text` in the place of the mutant's file.
    fn write(&self, mutant: &Mutant, text: String, folder: &Path) -> Result<(), Error> {
        let texts = self.units.iter().map(|unit| unit.text.clone());
        let names = self.units.iter().map(|unit| unit.name.as_str());
        let mut texts: Vec<_> = names.zip(texts).collect();
        texts[mutant.unit].1 = text;
        instrument::write_texts(&texts, &folder.join("rtl"))
    }

    /// A folder with the source of a mutant as its author would have it: without the others, and without what chooses one.
    fn source(&self, number: usize, mutant: &Mutant) -> Result<PathBuf, Error> {
        let folder = self.folder.join(format!("source-{number}"));
        self.write(mutant, mutant.text_by_line(self.units), &folder)?;
        Ok(folder)
    }

    /// The design with a mutant alone, or why there is none: nobody would take such a design for one of the contract.
    fn alone(&self, number: usize, mutant: &Mutant) -> Result<Result<Design, String>, Error> {
        let folder = self.folder.join(number.to_string());
        self.write(mutant, mutant.text(self.units), &folder)?;
        let design = Design::build(&folder, &self.implementation, Optimization::Quick);
        let design = design.and_then(|design| {
            design.instance()?;
            Ok(design)
        });
        // What is loaded stays loaded.
        fs::remove_dir_all(&folder)?;
        Ok(design.map_err(|error| error.to_string()))
    }
}
