//! Which RTL: the bundled one, files to be built, or a folder of a finished build.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use pmu_model::Implementation;
use verilator_sys::verilate::Design;

use super::folder::DutFolder;
use super::open_error::OpenError;
use super::unpack::unpack;
use lockstep_engine::dut::{FileList, wrapper_parameters};

/// The wrapper module of the bundled RTL, and of other RTL if no other name is given.
pub const TOP: &str = "lockstep_dut";

/// So many files beside the first are not named where a few words are wanted.
const MANY: usize = 4;

/// Which RTL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RtlSource {
    /// The bundled one, with the parameters of the implementation.
    #[default]
    Bundled,
    /// Files that are built.
    Files(RtlFiles),
    /// What `lockstep build` made.
    Built(Box<DutFolder>),
}

/// RTL as files, and how to build it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RtlFiles {
    /// SystemVerilog files, packages first, and folders of them.
    pub paths: Vec<PathBuf>,
    /// File lists, whose sources come before `paths`.
    pub file_lists: Vec<PathBuf>,
    /// The wrapper module.
    pub top: String,
    /// Parameters of the wrapper by name and value. One that a file list gives as well has the value of here.
    pub parameters: Vec<(String, String)>,
    /// Macros: `NAME` or `NAME=VALUE`, after those of the file lists.
    pub defines: Vec<String>,
    /// Further arguments of Verilator.
    pub verilator_args: Vec<String>,
}

impl Default for RtlFiles {
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            file_lists: Vec::new(),
            top: TOP.into(),
            parameters: Vec::new(),
            defines: Vec::new(),
            verilator_args: Vec::new(),
        }
    }
}

impl RtlSource {
    /// Files or folders with a wrapper of the usual name.
    pub fn files(
        paths: impl IntoIterator<Item = PathBuf>,
        parameters: Vec<(String, String)>,
    ) -> Self {
        Self::Files(RtlFiles {
            paths: paths.into_iter().collect(),
            parameters,
            ..RtlFiles::default()
        })
    }

    /// What tools that read RTL are told, the bundled RTL unpacked below `cache`; `None` of a finished build.
    ///
    /// # Errors
    /// A file or a list that cannot be read, or the cache that cannot be written.
    pub fn design(
        &self,
        implementation: &Implementation,
        cache: &Path,
    ) -> Result<Option<Design>, OpenError> {
        match self {
            Self::Bundled => bundled(implementation, cache).map(Some),
            Self::Files(files) => files.design().map(Some),
            Self::Built(_) => Ok(None),
        }
    }

    /// The source in a few words: of many files the first.
    pub fn describe(&self) -> String {
        let joined = |paths: &mut dyn Iterator<Item = &PathBuf>| {
            let words: Vec<_> = paths.map(|path| path.display().to_string()).collect();
            match &words[..] {
                [first, rest @ ..] if rest.len() >= MANY => {
                    format!("{first} and {} other files", rest.len())
                }
                few => few.join(" "),
            }
        };
        match self {
            Self::Bundled => "bundled".into(),
            Self::Files(files) => joined(&mut files.file_lists.iter().chain(&files.paths)),
            Self::Built(folder) => folder.path().display().to_string(),
        }
    }
}

impl RtlFiles {
    /// What Verilator is told.
    ///
    /// # Errors
    /// A file or a list that cannot be read.
    pub fn design(&self) -> Result<Design, OpenError> {
        let mut design = Design {
            top: self.top.clone(),
            ..Design::default()
        };
        for path in &self.file_lists {
            let list = FileList::read(path)?;
            design.sources.extend(list.sources);
            design.include_dirs.extend(list.include_dirs);
            design.library_dirs.extend(list.library_dirs);
            design.library_files.extend(list.library_files);
            design.library_extensions.extend(list.library_extensions);
            design.defines.extend(list.defines);
            set_parameters(&mut design.parameters, list.parameters);
        }
        design.sources.extend(sources(&self.paths)?);
        // What a folder's files include lies beside them.
        let folders = self.paths.iter().filter(|path| path.is_dir());
        design.include_dirs.extend(folders.cloned());
        design.defines.extend(self.defines.iter().cloned());
        set_parameters(&mut design.parameters, self.parameters.iter().cloned());
        design.arguments.clone_from(&self.verilator_args);
        Ok(design)
    }
}

/// Sets parameters; a name that is there gets the new value.
fn set_parameters(
    parameters: &mut Vec<(String, String)>,
    new: impl IntoIterator<Item = (String, String)>,
) {
    for (name, value) in new {
        match parameters.iter_mut().find(|(found, _)| *found == name) {
            Some((_, found)) => *found = value,
            None => parameters.push((name, value)),
        }
    }
}

/// The bundled RTL with the parameters of `implementation`, unpacked below `cache`.
///
/// # Errors
/// The cache cannot be written.
pub(super) fn bundled(implementation: &Implementation, cache: &Path) -> Result<Design, OpenError> {
    Ok(Design {
        sources: unpack(cache)?,
        top: TOP.into(),
        parameters: wrapper_parameters(implementation),
        ..Design::default()
    })
}

/// The files that `paths` name: a folder stands for its SystemVerilog files, packages first.
fn sources(paths: &[PathBuf]) -> Result<Vec<PathBuf>, OpenError> {
    let read = |path: &Path, source| OpenError::Read {
        path: path.into(),
        source,
    };
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut inside = Vec::new();
            for entry in fs::read_dir(path).map_err(|error| read(path, error))? {
                let file = entry.map_err(|error| read(path, error))?.path();
                if file
                    .extension()
                    .is_some_and(|extension| extension == "sv" || extension == "v")
                {
                    inside.push(file);
                }
            }
            inside.sort_by_key(|file| (!is_package(file), file.clone()));
            if inside.is_empty() {
                let none = io::Error::other("no SystemVerilog file in this folder");
                return Err(read(path, none));
            }
            found.extend(inside);
        } else {
            File::open(path).map_err(|error| read(path, error))?;
            found.push(path.clone());
        }
    }
    Ok(found)
}

/// Whether a file holds a package, which goes before the modules that use it.
fn is_package(file: &Path) -> bool {
    file.file_stem()
        .is_some_and(|stem| stem.to_string_lossy().ends_with("_pkg"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_are_told_in_a_few_words() {
        let told = |count: usize| {
            let paths = (0..count).map(|n| PathBuf::from(format!("{n}.sv")));
            RtlSource::files(paths, Vec::new()).describe()
        };
        assert_eq!(told(4), "0.sv 1.sv 2.sv 3.sv");
        assert_eq!(told(24), "0.sv and 23 other files");
    }

    #[test]
    fn the_command_line_goes_after_the_lists() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("written");
            path
        };
        let (package, module) = (file("z_pkg.sv", ""), file("a.sv", ""));
        let list = file("dut.f", "-GCounters=4 -GThreads=2 +define+A a.sv");
        let files = RtlFiles {
            paths: vec![folder.path().into()],
            file_lists: vec![list],
            parameters: vec![("Counters".into(), "6".into())],
            defines: vec!["B=1".into()],
            ..RtlFiles::default()
        };
        let design = files.design().expect("a design");
        assert_eq!(design.sources, [module.clone(), package, module]);
        assert_eq!(design.include_dirs, [folder.path()]);
        assert_eq!(design.defines, ["A", "B=1"]);
        let value = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            design.parameters,
            [value("Counters", "6"), value("Threads", "2")]
        );
    }
}
