//! A folder that `lockstep build` made: a design as two libraries, and a manifest.

mod write;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pmu_model::DutParameters;
use verilator_sys::shared::{LoadFileError, check_file, content_hash};
use verilator_sys::verilate::Design;

use super::folder_error::FolderError;
use super::library::Library;
use super::manifest::{FORMAT, MANIFEST, Manifest};
use super::{BuildOptions, OpenError, PORTS, Pair, RtlFiles};
use crate::isolation::LoadFailure;
use lockstep_base::plain::{Mistake, of_toml};
use lockstep_base::text_file;
use lockstep_engine::dut::Stated;
use write::io_error;

/// Names of the files.
const UNTRACED: &str = "dut.so";
const TRACED: &str = "dut-traced.so";
/// Largest manifest in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// A built design: where it is, and its manifest as it was when the folder was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DutFolder {
    path: PathBuf,
    manifest: Manifest,
}

impl DutFolder {
    /// How it was built: top module, parameters, macros and arguments, without files.
    pub fn options(&self) -> RtlFiles {
        let manifest = &self.manifest;
        let pair = |text: &String| {
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            (name.to_owned(), value.to_owned())
        };
        RtlFiles {
            top: manifest.top.clone(),
            parameters: manifest.parameters.iter().map(pair).collect(),
            defines: manifest.defines.clone(),
            verilator_args: manifest.verilator_args.clone(),
            ..RtlFiles::default()
        }
    }

    /// Whether `path` is a folder with a manifest.
    pub fn is_one(path: &Path) -> bool {
        path.join(MANIFEST).is_file()
    }

    /// Reads the manifest of a folder.
    ///
    /// # Errors
    /// There is none, or it is not one of this program.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let file = path.join(MANIFEST);
        let size = match fs::metadata(&file) {
            Ok(found) if !found.is_file() => {
                return Err(io_error(&file)(text_file::no_file()));
            }
            Ok(found) => found.len(),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(FolderError::NotOne { path: path.into() });
            }
            Err(error) => return Err(io_error(&file)(error)),
        };
        let wrong = |message: String| FolderError::Manifest {
            path: file.clone(),
            message,
        };
        if size > MAX_BYTES {
            return Err(wrong(format!("more than {MAX_BYTES} bytes")));
        }
        let text = fs::read(&file).map_err(io_error(&file))?;
        let text = String::from_utf8(text).map_err(|_| wrong("bytes that are not UTF-8".into()))?;
        // The format first: another one may have other keys.
        let mistake = |error: toml::de::Error| {
            let Mistake { line, message, .. } = of_toml(&text, &error);
            wrong(format!("line {line}: {message}"))
        };
        let table: toml::Table = toml::from_str(&text).map_err(mistake)?;
        match table.get("format").and_then(toml::Value::as_integer) {
            Some(found) if found == i64::from(FORMAT) => {}
            Some(found) => return Err(FolderError::Format { path: file, found }),
            None => return Err(wrong("no `format`".into())),
        }
        let manifest = toml::from_str(&text).map_err(mistake)?;
        Ok(Self {
            path: path.into(),
            manifest,
        })
    }

    /// Checks that a folder can be written to `path`: nothing is there, or an empty folder, or one of a build before.
    ///
    /// # Errors
    /// Something else is there.
    pub fn check_target(path: &Path) -> Result<(), FolderError> {
        write::check(path)
    }

    /// Writes what was built to `path`, whole or not at all. A folder that says the same is left as it is. `command` is
    /// the command line that builds it again, for messages.
    ///
    /// # Errors
    /// It cannot be written; what was there is still there then.
    pub fn write(
        path: &Path,
        design: &Design,
        pair: &Pair,
        stated: Stated,
        command: &str,
    ) -> Result<Self, FolderError> {
        write::write(path, design, pair, stated, command)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the folder says of the design.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The library with tracing, if it is not there: only a divergence needs it.
    pub fn missing_traced(&self) -> Option<PathBuf> {
        let path = self.path.join(TRACED);
        (!path.is_file()).then_some(path)
    }

    /// Loads a library, which must be the one that the manifest names.
    ///
    /// # Errors
    /// It is missing, changed, cannot be loaded, or has other ports than those of this program's contract.
    pub fn library(&self, traced: bool, options: &BuildOptions) -> Result<Library, OpenError> {
        let libraries = &self.manifest.libraries;
        let (name, hash) = match traced {
            true => (TRACED, &libraries.traced),
            false => (UNTRACED, &libraries.untraced),
        };
        let path = self.path.join(name);
        // As the loader is given it.
        let place = std::path::absolute(&path).unwrap_or(path.clone());
        check_file(&place, hash).map_err(|source| FolderError::Library {
            again: self.manifest.again(),
            source,
        })?;
        let library = Library::load(&path, options).map_err(|failure| match failure {
            LoadFailure::Load(error) => FolderError::Library {
                again: None,
                source: LoadFileError::Load(error),
            }
            .into(),
            failure => OpenError::from(failure),
        })?;
        let sizes = library.sizes();
        let ports = [
            ("cycle_input_i", PORTS.input, sizes.input),
            ("cycle_output_o", PORTS.output, sizes.output),
            ("parameters_o", PORTS.parameters, sizes.parameters),
        ];
        for (port, expected, found) in ports {
            if expected != found {
                Err(FolderError::Ports {
                    path: path.clone(),
                    port,
                    expected,
                    found,
                })?;
            }
        }
        let stated = [
            ("top", &self.manifest.top, library.top()),
            (
                "verilator",
                &self.manifest.verilator,
                library.verilator_version(),
            ),
        ];
        for (key, found, stated) in stated {
            if found != stated {
                Err(self.contradicted(key, found, stated))?;
            }
        }
        Ok(library)
    }

    /// Checks that the library without tracing counts coverage.
    ///
    /// # Errors
    /// It was built without.
    pub fn check_coverage(&self) -> Result<(), FolderError> {
        match self.manifest.rtl_coverage {
            true => Ok(()),
            false => Err(FolderError::NoCoverage {
                path: self.path.clone(),
                again: self.manifest.command.clone(),
                ran_in: self.manifest.ran_in.clone(),
            }),
        }
    }

    /// The source that its libraries name `inside`, from the folder on that all sources are in.
    pub(super) fn source(&self, inside: &Path) -> Option<&Path> {
        let sources = self.manifest.source.iter();
        let sources = sources.map(|source| source.path.as_path());
        // Another one may end with the same, deeper inside.
        sources
            .filter(|path| path.ends_with(inside))
            .min_by_key(|path| path.as_os_str().len())
    }

    /// Checks that the manifest says of the design what its library states, `parameters`. A library of another
    /// contract is none of this check's.
    ///
    /// # Errors
    /// The first key of `[stated]` that differs.
    pub fn check_stated(&self, parameters: &DutParameters) -> Result<(), FolderError> {
        let Ok(stated) = Stated::of(parameters) else {
            return Ok(());
        };
        match self.manifest.stated.differs(&stated) {
            None => Ok(()),
            Some([key, found, stated]) => Err(self.contradicted(&key, &found, &stated)),
        }
    }

    /// The manifest says `found` where the library states something else.
    fn contradicted(&self, key: &str, found: &str, stated: &str) -> FolderError {
        FolderError::Stated {
            path: self.path.join(MANIFEST),
            found: format!("{key} = {found}, where {UNTRACED} states {stated}"),
            again: self.manifest.again(),
        }
    }

    /// The sources that are no longer what the libraries were made of. One that is not there says nothing: the folder
    /// may be on another machine.
    pub fn changed_sources(&self) -> Vec<&Path> {
        let sources = self.manifest.source.iter();
        sources
            .filter(|source| content_hash(&source.path).is_ok_and(|found| found != source.sha256))
            .map(|source| source.path.as_path())
            .collect()
    }
}
