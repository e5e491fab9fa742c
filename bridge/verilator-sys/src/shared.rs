//! A design that is compiled into a shared library at run time, and kept in a cache.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::PortSizes;
use crate::cache::{Cache, Damage, Entry, Facts, LIBRARY, Limits, WARNINGS};
use crate::compile::{CompileError, Compiler, Hash, Optimization, io_error};
use crate::find::Verilator;
use crate::library::{DutLibrary, LoadError, SHARED_SYMBOL};
use crate::model::{self, BuildError, Model, Variant};
pub use crate::places::Names;
use crate::places::Places;
pub use crate::source_file::{SourceFile, content_hash};
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
    /// Bytes that the folder may have after a build; beyond that, what was not used for the longest time is removed.
    pub cache_limit: u64,
}

/// What is told while a library is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// The cache has no such library, so that it will take a while.
    Building,
    /// Another process builds it just now, and is waited for.
    Waiting,
    /// The cache has one that is damaged. It is removed.
    Damage(Damage),
}

/// A shared library that was built, or found in the cache.
#[derive(Clone, Debug)]
pub struct SharedDut {
    /// The library's file.
    pub path: PathBuf,
    /// [`content_hash`] of it, as it was built and as it was found just now.
    pub hash: String,
    /// Whether it was in the cache already.
    pub cached: bool,
    /// Verilator's warnings about the design when the library was built; empty if there were none.
    pub warnings: String,
    /// The file that keeps them, if there were any. It names files from the folder on that all files of the design are
    /// in.
    pub warnings_file: Option<PathBuf>,
    /// The design's files that Verilator read: sources, included files, modules out of folders.
    pub sources: Vec<SourceFile>,
    /// What they are called: stops name them from the folder on that all of them are in.
    pub names: Names,
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
    check_file(path, hash)?;
    // SAFETY: the file is what `build` made, as its hash says.
    Ok(unsafe { DutLibrary::load(path) }?)
}

/// Checks that `path` has the [`content_hash`] `hash`, that of a library when it was built.
///
/// # Errors
/// [`LoadFileError`], but for those of loading.
pub fn check_file(path: &Path, hash: &str) -> Result<(), LoadFileError> {
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
    Ok(())
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
    /// options by the same tools. Where the sources lie, and how their paths are written, does not matter.
    ///
    /// Two processes that build the same design at once build it once.
    ///
    /// # Errors
    /// [`BuildError`]; nothing is left in the cache then.
    pub fn build(&self, verilator: &Verilator) -> Result<SharedDut, BuildError> {
        self.build_telling(verilator, &mut |_| ())
    }

    /// The same; `tell` is told when it will take a while, and of a damaged entry of the cache.
    ///
    /// # Errors
    /// Those of [`build`](SharedDutBuild::build).
    pub fn build_telling(
        &self,
        verilator: &Verilator,
        tell: &mut dyn FnMut(Told),
    ) -> Result<SharedDut, BuildError> {
        let compiler = Compiler::find()?;
        let here = Path::new(".");
        let places = Places::of(&self.design).map_err(io_error(here))?;
        let key = self.key(verilator, &compiler, &places)?;
        let cache = Cache::new(&self.cache_dir);
        cache.sweep();
        if let Ok(Some(entry)) = cache.find(&key, &places) {
            return Ok(shared(entry, &places, true));
        }
        let failed = |source| BuildError::Cache {
            path: self.cache_dir.clone(),
            source,
        };
        let _lock = cache.lock(&key, || tell(Told::Waiting)).map_err(failed)?;
        loop {
            match cache.find(&key, &places) {
                Ok(Some(entry)) => return Ok(shared(entry, &places, true)),
                Ok(None) => break,
                Err(damage) => {
                    cache.remove(&damage.path).map_err(failed)?;
                    tell(Told::Damage(damage));
                }
            }
        }
        tell(Told::Building);

        let draft = cache.draft().map_err(failed)?;
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
            precompile: true,
            symbol: SHARED_SYMBOL,
        };
        let built = model.objects(verilator, &compiler, draft.path(), &cache.run_time())?;
        let library = draft.path().join("linked.so");
        compiler.link_shared(&built.objects, SHARED_SYMBOL, &library)?;
        let facts = Facts {
            what: self.what(verilator, &places),
            compiler: compiler.version().to_owned(),
            sources: self.sources(&built.dependencies, verilator, &places)?,
            ..Facts::default()
        };
        let warnings = &built.warnings_inside;
        let entry = cache.put(&key, &draft, &library, warnings, facts);
        let made = shared(entry.map_err(failed)?, &places, false);
        cache.prune(&Limits {
            bytes: Some(self.cache_limit),
            ..Limits::default()
        });
        Ok(made)
    }

    /// Builds the library as [`build`](SharedDutBuild::build) does, and loads it.
    ///
    /// # Errors
    /// [`SharedDutError`].
    pub fn load(&self, verilator: &Verilator) -> Result<DutLibrary, SharedDutError> {
        Ok(self.build(verilator)?.load()?)
    }

    /// A hash of everything that is known before Verilator runs.
    fn key(
        &self,
        verilator: &Verilator,
        compiler: &Compiler,
        places: &Places,
    ) -> Result<String, CompileError> {
        let PortSizes {
            input,
            output,
            parameters: parameter_bytes,
        } = self.sizes;
        let mut hash = Hash::new();
        hash.text(env!("CARGO_PKG_VERSION")).text(KEY_FORMAT);
        hash.text(&format!("{input} {output} {parameter_bytes}"));
        hash.text(&format!("{} {:?}", self.trace, self.optimization));
        hash.text(compiler.identity());
        hash.text(&verilator.version.to_string());
        // A Verilator of one's own has the version of that which it was made from.
        let bytes = fs::metadata(&verilator.bin).map_or(0, |found| found.len());
        hash.text(&bytes.to_string());
        hash.text(&model::run_time_hash(&verilator.include())?);
        self.design.hash(places, &mut hash)?;
        Ok(hash.finish()[..32].to_owned())
    }

    /// The library in words, for people.
    fn what(&self, verilator: &Verilator, places: &Places) -> String {
        const SHOWN: usize = 4;
        let design = &self.design;
        let parameters = design.parameters.iter().take(SHOWN);
        let parameters = parameters.map(|(name, value)| format!(" {name}={value}"));
        let more = match design.parameters.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more parameters"),
        };
        let trace = if self.trace { "with" } else { "without" };
        let coverage = if design.coverage {
            ", with coverage"
        } else {
            ""
        };
        format!(
            "module {}{}{more}, {trace} tracing{coverage}, Verilator {}, first built from {}",
            design.top,
            parameters.collect::<String>(),
            verilator.version,
            places.outside(Path::new("")).display()
        )
    }

    /// The design's own files among those that Verilator read. The key knows its other files.
    fn sources(
        &self,
        files: &[PathBuf],
        verilator: &Verilator,
        places: &Places,
    ) -> Result<Vec<(String, String)>, CompileError> {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.into());
        let [bin, root] = [&verilator.bin, &verilator.root].map(|path| absolute(path));
        let own = files.iter().filter(|path| {
            let path = absolute(path);
            path != bin && !path.starts_with(&root)
        });
        own.map(|path| {
            let hash = content_hash(path).map_err(io_error(path))?;
            Ok((hash, places.inside(path).to_string_lossy().into_owned()))
        })
        .collect()
    }
}

/// A library of the cache, for the design of `places`.
fn shared(entry: Entry, places: &Places, cached: bool) -> SharedDut {
    let Entry { path, facts } = entry;
    let sources = facts.sources.iter().map(|(hash, name)| SourceFile {
        path: places.outside(Path::new(name)),
        hash: hash.clone(),
    });
    let sources: Vec<_> = sources.collect();
    let names = places.names(&sources);
    let warnings_file = facts.warnings.is_some().then(|| path.join(WARNINGS));
    let warnings = warnings_file
        .as_ref()
        .and_then(|path| fs::read_to_string(path).ok());
    SharedDut {
        path: path.join(LIBRARY),
        hash: facts.library,
        cached,
        warnings: names.in_text(warnings.unwrap_or_default().trim_end()),
        warnings_file,
        sources,
        names,
        compiler: facts.compiler,
    }
}

/// Version of what the key is made of, and of what is made under it.
const KEY_FORMAT: &str = "4";
