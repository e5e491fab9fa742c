//! A design that is compiled into a shared library at run time, and kept in a cache.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

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
    /// Verilator's warnings about the design; empty for one from the cache.
    pub warnings: String,
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

impl SharedDutBuild {
    /// Builds the library, unless the cache has one made from the same sources, parameters and
    /// options by the same tools.
    ///
    /// Two processes that build the same design at once build it once.
    ///
    /// # Errors
    /// [`BuildError`]; nothing is left in the cache then.
    pub fn build(&self, verilator: &Verilator) -> Result<SharedDut, BuildError> {
        let compiler = Compiler::find()?;
        let entry = self.entry(verilator, &compiler)?;
        fs::create_dir_all(&self.cache_dir).map_err(io_error(&self.cache_dir))?;
        let lock_path = entry.file("lock");
        let lock = File::create(&lock_path).map_err(io_error(&lock_path))?;
        lock.lock().map_err(io_error(&lock_path))?;
        if let Some(path) = entry.library() {
            return Ok(SharedDut {
                path,
                cached: true,
                warnings: String::new(),
            });
        }

        let folder = tempfile::Builder::new()
            .prefix(".building-")
            .tempdir_in(&self.cache_dir)
            .map_err(io_error(&self.cache_dir))?;
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
        let path = entry.library_of(&list);
        fs::rename(&library, &path).map_err(io_error(&path))?;
        entry.write_list(&list, folder.path())?;
        Ok(SharedDut {
            path,
            cached: false,
            warnings: built.warnings,
        })
    }

    /// Whether [`build`](SharedDutBuild::build) would find the library in the cache, and take no time.
    pub fn is_cached(&self, verilator: &Verilator) -> bool {
        Compiler::find()
            .and_then(|compiler| self.entry(verilator, &compiler))
            .is_ok_and(|entry| entry.library().is_some())
    }

    /// Builds the library as [`build`](SharedDutBuild::build) does, and loads it.
    ///
    /// # Errors
    /// [`SharedDutError`].
    pub fn load(&self, verilator: &Verilator) -> Result<DutLibrary, SharedDutError> {
        let built = self.build(verilator)?;
        // SAFETY: the file was made by `build`.
        Ok(unsafe { DutLibrary::load(&built.path) }?)
    }

    /// The cache entry for everything that is known before Verilator runs.
    fn entry(&self, verilator: &Verilator, compiler: &Compiler) -> Result<Entry, CompileError> {
        let Design {
            sources,
            include_dirs,
            top,
            parameters,
        } = &self.design;
        let PortSizes {
            input,
            output,
            parameters: parameter_bytes,
        } = self.sizes;
        let mut hash = Hash::new();
        hash.text(env!("CARGO_PKG_VERSION"));
        hash.text(&format!("{input} {output} {parameter_bytes}"));
        hash.text(&format!("{} {:?}", self.trace, self.optimization));
        hash.text(compiler.identity());
        hash.text(&verilator.version.to_string());
        hash.text(&model::run_time_hash(&verilator.include())?);
        hash.text(top);
        for (name, value) in parameters {
            hash.text(name).text(value);
        }
        for folder in include_dirs {
            hash.text(&folder.to_string_lossy());
        }
        // A stop names the file as it is written here, so the name belongs to the key.
        for path in sources {
            hash.text(&path.to_string_lossy());
            if path.is_file() {
                hash.file(path)?;
            }
        }
        Ok(Entry {
            stem: self.cache_dir.join(&hash.finish()[..32]),
        })
    }
}

/// What the cache has for one key.
///
/// The key does not know the files that the sources include. So `<key>.files` lists what Verilator
/// read, with hashes, and the library's name holds a hash of that list: the loader takes two files
/// of one name for one library, even if the file was replaced since.
struct Entry {
    stem: PathBuf,
}

impl Entry {
    fn file(&self, extension: &str) -> PathBuf {
        self.stem.with_extension(extension)
    }

    fn library_of(&self, list: &str) -> PathBuf {
        let hash = Hash::new().text(list).finish();
        self.file(&format!("{}.so", &hash[..16]))
    }

    /// The library, if there is one and what it was made from is unchanged.
    fn library(&self) -> Option<PathBuf> {
        let list = fs::read_to_string(self.file("files")).ok()?;
        let unchanged = list.lines().all(|line| {
            line.split_once(' ').is_some_and(|(hash, path)| {
                file_hash(Path::new(path)).is_ok_and(|found| found == hash)
            })
        });
        let path = self.library_of(&list);
        (unchanged && path.is_file()).then_some(path)
    }

    fn write_list(&self, list: &str, folder: &Path) -> Result<(), CompileError> {
        let temporary = folder.join("files");
        fs::write(&temporary, list).map_err(io_error(&temporary))?;
        let path = self.file("files");
        fs::rename(&temporary, &path).map_err(io_error(&path))
    }
}

/// Hash and absolute path of each file, a line each.
fn file_list(files: &[PathBuf]) -> Result<String, CompileError> {
    let mut list = String::new();
    for path in files {
        let path = std::path::absolute(path).map_err(io_error(path))?;
        list += &format!("{} {}\n", file_hash(&path)?, path.display());
    }
    Ok(list)
}

fn file_hash(path: &Path) -> Result<String, CompileError> {
    Ok(Hash::new().file(path)?.finish())
}
