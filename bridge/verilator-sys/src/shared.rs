//! A design that is compiled into a shared library at run time, and kept in a cache.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use lockstep_scratch::ScratchFolder;

use crate::PortSizes;
use crate::compile::{CompileError, Compiler, Hash, Optimization, io_error};
use crate::find::Verilator;
use crate::library::{DutLibrary, LoadError, SHARED_SYMBOL};
use crate::model::{self, BuildError, Model, Variant};
use crate::verilate::Design;

/// A design to be built into a shared library.
///
/// The library holds its own copy of Verilator's run time and shows one symbol, so that any number
/// of designs, built by any version, live in one process.
#[derive(Clone, Debug)]
pub struct SharedDutBuild {
    /// What to build.
    pub design: Design,
    /// The sizes its ports must have.
    pub sizes: PortSizes,
    /// With tracing: instances can then write traces, and are slower also when they do not. Build
    /// the same design without it for the fast run.
    pub trace: bool,
    /// How hard the C++ compiler works.
    pub optimization: Optimization,
    /// The folder of finished libraries. Created on demand; several processes may share it.
    pub cache_dir: PathBuf,
}

/// A shared library that was built, or found in the cache.
#[derive(Clone, Debug)]
pub struct SharedDut {
    /// The library's file.
    pub path: PathBuf,
    /// Whether it was in the cache already.
    pub cached: bool,
    /// Verilator's warnings about the design when the library was built; empty if there were none.
    pub warnings: String,
    /// The file that keeps them, if there were any.
    pub warnings_file: Option<PathBuf>,
    /// The design's files that Verilator read: sources, included files, modules out of folders.
    pub sources: Vec<SourceFile>,
    /// The C++ compiler, in a line.
    pub compiler: String,
}

impl SharedDut {
    /// Loads the library.
    ///
    /// # Errors
    /// [`LoadError`].
    pub fn load(&self) -> Result<DutLibrary, LoadError> {
        // SAFETY: the file was made by `SharedDutBuild::build`.
        unsafe { DutLibrary::load(&self.path) }
    }
}

/// A file as it was when a library was made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Absolute path.
    pub path: PathBuf,
    /// [`content_hash`] of it.
    pub hash: String,
}

/// A library that was put somewhere, and cannot be loaded from there.
#[derive(Debug, thiserror::Error)]
pub enum LoadFileError {
    /// It cannot be read.
    #[error("[DUT library] expected a library at {path}, found: {source}: build the design again")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It is not the file that was built.
    #[error(
        "[DUT library] expected {path} as it was built, SHA-256 {expected}, found {found}: build the design again"
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// [`content_hash`] of the library that was built.
        expected: String,
        /// That of the file.
        found: String,
    },
    /// The system's loader refused it, or it has another interface.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Loads a library that [`SharedDutBuild::build`] made and that was copied to `path` since. Only a file whose
/// [`content_hash`] is `hash`, that of the library when it was built, is loaded: loading runs code of the file.
///
/// # Errors
/// [`LoadFileError`].
pub fn load_file(path: &Path, hash: &str) -> Result<DutLibrary, LoadFileError> {
    let found = content_hash(path).map_err(|source| LoadFileError::Io {
        path: path.to_owned(),
        source,
    })?;
    if found != hash {
        return Err(LoadFileError::Changed {
            path: path.to_owned(),
            expected: hash.to_owned(),
            found,
        });
    }
    // SAFETY: the file is what `build` made, as its hash says.
    Ok(unsafe { DutLibrary::load(path) }?)
}

/// SHA-256 of a file's bytes in hexadecimal.
///
/// # Errors
/// It cannot be read.
pub fn content_hash(path: &Path) -> io::Result<String> {
    use sha2::{Digest, Sha256};
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    io::copy(&mut file, &mut hash)?;
    let bytes = hash.finalize();
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Why a design could not be built and loaded.
#[derive(Debug, thiserror::Error)]
pub enum SharedDutError {
    /// It could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// It could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
}

impl SharedDutError {
    /// Whether the top module lacks a parameter that was given.
    pub fn is_about_parameters(&self) -> bool {
        matches!(self, Self::Build(BuildError::Verilate(error)) if error.is_about_parameters())
    }
}

impl SharedDutBuild {
    /// Builds the library, unless the cache has one made from the same sources, parameters and
    /// options by the same tools.
    ///
    /// Two processes that build the same design at once build it once.
    ///
    /// # Errors
    /// [`BuildError`]; nothing is left in the cache then.
    pub fn build(&self, verilator: &Verilator) -> Result<SharedDut, BuildError> {
        self.build_telling(verilator, &mut || ())
    }

    /// The same; `building` is told when the cache has no such library, so that it will take a while.
    ///
    /// # Errors
    /// Those of [`build`](SharedDutBuild::build).
    pub fn build_telling(
        &self,
        verilator: &Verilator,
        building: &mut dyn FnMut(),
    ) -> Result<SharedDut, BuildError> {
        let compiler = Compiler::find()?;
        let entry = self.entry(verilator, &compiler)?;
        let cache = |path: &Path| {
            let path = path.to_owned();
            move |source| BuildError::Cache { path, source }
        };
        fs::create_dir_all(&self.cache_dir).map_err(cache(&self.cache_dir))?;
        let lock_path = entry.file("lock");
        let lock = File::create(&lock_path).map_err(cache(&lock_path))?;
        lock.lock().map_err(cache(&lock_path))?;
        let done = |path, list: &str, cached| SharedDut {
            path,
            cached,
            warnings: fs::read_to_string(entry.file_of(list, WARNINGS))
                .map_or(String::new(), |text| text.trim_end().to_owned()),
            warnings_file: Some(entry.file_of(list, WARNINGS)).filter(|path| path.is_file()),
            sources: sources(list, verilator),
            compiler: compiler.version().to_owned(),
        };
        if let Some((path, list)) = entry.library() {
            return Ok(done(path, &list, true));
        }
        building();

        let folder = ScratchFolder::new_in(&self.cache_dir).map_err(cache(&self.cache_dir))?;
        let variant = if self.trace {
            Variant::Traced
        } else {
            Variant::Plain
        };
        let model = Model {
            design: &self.design,
            sizes: self.sizes,
            variants: &[variant],
            optimization: self.optimization,
            symbol: SHARED_SYMBOL,
        };
        let run_time = self.cache_dir.join("run_time");
        let built = model.objects(verilator, &compiler, folder.path(), &run_time)?;
        let library = folder.path().join("dut.so");
        compiler.link_shared(&built.objects, SHARED_SYMBOL, &library)?;
        // The list last: without it the library is not found.
        let list = file_list(&built.dependencies)?;
        let path = entry.file_of(&list, "so");
        fs::rename(&library, &path).map_err(io_error(&path))?;
        if !built.warnings.is_empty() {
            let path = entry.file_of(&list, WARNINGS);
            fs::write(&path, built.warnings + "\n").map_err(io_error(&path))?;
        }
        entry.write_list(&list, folder.path())?;
        Ok(done(path, &list, false))
    }

    /// Builds the library as [`build`](SharedDutBuild::build) does, and loads it.
    ///
    /// # Errors
    /// [`SharedDutError`].
    pub fn load(&self, verilator: &Verilator) -> Result<DutLibrary, SharedDutError> {
        Ok(self.build(verilator)?.load()?)
    }

    /// The cache entry for everything that is known before Verilator runs.
    fn entry(&self, verilator: &Verilator, compiler: &Compiler) -> Result<Entry, CompileError> {
        let PortSizes {
            input,
            output,
            parameters: parameter_bytes,
        } = self.sizes;
        let mut hash = Hash::new();
        hash.text(env!("CARGO_PKG_VERSION")).text(LIST_FORMAT);
        hash.text(&format!("{input} {output} {parameter_bytes}"));
        hash.text(&format!("{} {:?}", self.trace, self.optimization));
        hash.text(compiler.identity());
        hash.text(&verilator.version.to_string());
        hash.text(&model::run_time_hash(&verilator.include())?);
        self.design.hash(&mut hash)?;
        Ok(Entry {
            stem: self.cache_dir.join(&hash.finish()[..32]),
        })
    }
}

/// What the cache has for one key.
///
/// The key does not know the files that the sources include. So `<key>.<list>.files` lists what Verilator
/// read, with hashes. Its name and the library's hold a hash of that list: sources of one text may
/// include other files in other folders, and the loader takes two files of one name for one
/// library, even if the file was replaced since.
struct Entry {
    stem: PathBuf,
}

impl Entry {
    fn file(&self, extension: &str) -> PathBuf {
        self.stem.with_extension(extension)
    }

    /// A file of the library that was made of what `list` says.
    fn file_of(&self, list: &str, extension: &str) -> PathBuf {
        let hash = Hash::new().text(list).finish();
        self.file(&format!("{}.{extension}", &hash[..16]))
    }

    /// The library and its list, if there is one and what it was made from is unchanged.
    fn library(&self) -> Option<(PathBuf, String)> {
        let key = self.stem.file_name()?.to_str()?;
        let is_list = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(key) && name.ends_with(".files"))
        };
        let entries = fs::read_dir(self.stem.parent()?).ok()?.flatten();
        let mut lists = entries.map(|entry| entry.path()).filter(is_list);
        lists.find_map(|path| self.unchanged(&path))
    }

    /// The library of a list, if all files are as it says.
    fn unchanged(&self, list: &Path) -> Option<(PathBuf, String)> {
        let list = fs::read_to_string(list).ok()?;
        let unchanged = list.lines().all(|line| {
            line.split_once(' ').is_some_and(|(hash, path)| {
                content_hash(Path::new(path)).is_ok_and(|found| found == hash)
            })
        });
        let path = self.file_of(&list, "so");
        (unchanged && path.is_file()).then_some((path, list))
    }

    fn write_list(&self, list: &str, folder: &Path) -> Result<(), CompileError> {
        let temporary = folder.join("files");
        fs::write(&temporary, list).map_err(io_error(&temporary))?;
        let path = self.file_of(list, "files");
        fs::rename(&temporary, &path).map_err(io_error(&path))
    }
}

/// Ending of the file with the warnings of a build.
const WARNINGS: &str = "warnings";

/// Version of what `<key>.<list>.files` holds.
const LIST_FORMAT: &str = "3";

/// Hash and path of each file, a line each. What was relative to the working directory stays so: the key has no other
/// name of the files either, and in another folder they are others.
fn file_list(files: &[PathBuf]) -> Result<String, CompileError> {
    let mut list = String::new();
    for path in files {
        let hash = content_hash(path).map_err(io_error(path))?;
        list += &format!("{hash} {}\n", path.display());
    }
    Ok(list)
}

/// The design's own files in such a list.
fn sources(list: &str, verilator: &Verilator) -> Vec<SourceFile> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
    let [bin, root] = [&verilator.bin, &verilator.root].map(|path| absolute(path));
    let files = list.lines().filter_map(|line| line.split_once(' '));
    files
        .map(|(hash, path)| SourceFile {
            path: absolute(Path::new(path)),
            hash: hash.to_owned(),
        })
        .filter(|file| file.path != bin && !file.path.starts_with(&root))
        .collect()
}
