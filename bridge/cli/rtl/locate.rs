//! The places of the RTL that a divergence may come from, for its report.

use std::path::Path;

use pmu_model::Implementation;

use super::progress::Busy;
use crate::dut::{BuildOptions, Dut, OpenError, RtlSource, described};
use crate::hypotheses::Recording;
use crate::location::{Netlist, Trial, locate};
use crate::report::Location;
use crate::scratch::ScratchFolder;

/// Places that a report has.
const MOST: usize = 10;

/// Where a divergence comes from.
pub struct Scene<'a> {
    pub rtl: &'a RtlSource,
    pub implementation: &'a Implementation,
    pub options: &'a BuildOptions,
    /// Its cycles from a reset on.
    pub recording: &'a Recording,
    /// What changes that make these cycles right are tried on.
    pub trial: Trial,
}

impl Scene<'_> {
    /// Looks for places, the most suspicious first; `open` makes a design that can write dumps into a folder.
    ///
    /// # Errors
    /// Why there are none, in words.
    pub fn locations(
        &self,
        open: impl FnOnce(&Path) -> Result<Box<dyn Dut>, OpenError>,
    ) -> Result<Vec<Location>, String> {
        if self.recording.inputs.is_empty() {
            return Err("the cycles from a reset to this divergence are not recorded".to_owned());
        }
        let _busy = Busy::start("looking for the place in the RTL");
        let folder = ScratchFolder::new().map_err(|error| error.to_string())?;
        let tree = folder.path().join("tree");
        let described = described(self.rtl, self.implementation, self.options, &tree);
        let described = described.map_err(|error| error.to_string())?;
        let (tree, meta) = (&described.description.tree, &described.description.meta);
        let design =
            Netlist::read(tree, meta, &described.top).map_err(|error| error.to_string())?;
        let mut dut = open(folder.path()).map_err(|error| error.to_string())?;
        let suspects = locate(
            self.recording,
            self.implementation,
            &mut *dut,
            &design,
            self.trial,
            folder.path(),
        );
        let suspects = suspects.map_err(|error| error.to_string())?;
        let locations = suspects.into_iter().map(|suspect| {
            let location = Location::from(suspect);
            Location {
                file: self.shown(&location.file),
                ..location
            }
        });
        Ok(locations.take(MOST).collect())
    }

    /// A file by the name that the user knows: the bundled ones are unpacked somewhere.
    fn shown(&self, file: &str) -> String {
        let name = Path::new(file).file_name();
        match (self.rtl, name) {
            (RtlSource::Bundled, Some(name)) => format!("rtl/{}", name.display()),
            _ => file.to_owned(),
        }
    }
}
