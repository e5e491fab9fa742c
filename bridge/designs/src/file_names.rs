//! What files are called that have other names inside of a library.

use std::path::Path;

use verilator_sys::shared::Names;

use super::DutFolder;

/// The names of the files of a design.
#[derive(Clone, Debug, Default)]
pub struct FileNames {
    pub(super) names: Names,
    /// Where it was built, if it was not built here: its manifest names its files.
    pub(super) folder: Option<Box<DutFolder>>,
}

impl FileNames {
    /// What the file is called that the library, and with it the coverage of an instance, names `inside`.
    pub fn of(&self, inside: &str) -> String {
        let named = self.names.of(inside);
        let folder = self.folder.as_ref().filter(|_| named == inside);
        let found = folder.and_then(|folder| folder.source(Path::new(inside)));
        found.map_or_else(|| named.to_owned(), |path| path.display().to_string())
    }
}
