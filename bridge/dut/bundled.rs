//! Getting a Verilated design: the bundled RTL with its default parameters is linked in; the same with other
//! parameters, and any other RTL, is built into a shared library once and kept in a cache.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use pmu_model::{CycleInput, CycleOutput, DutParameters, Implementation};
use verilator_sys::find::{FindError, Search};
use verilator_sys::shared::{SharedDutBuild, SharedDutError};
use verilator_sys::verilate::{Design, VerilateError};
use verilator_sys::{BuildError, CreateError, DutLibrary, LoadError, Optimization, PortSizes};

use crate::lockstep::Verdict;

use super::{Dut, ParameterMismatch, VerilatedDut, check_parameters};

/// The bundled RTL: file name and text, packages first.
const BUNDLED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/bundled_rtl.rs"));

/// The wrapper module.
const TOP: &str = "lockstep_dut";

/// Which RTL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RtlSource {
    /// The bundled one, with the parameters of the implementation.
    #[default]
    Bundled,
    /// SystemVerilog files, packages first, or one folder of them, with parameters of the wrapper.
    Files {
        /// Files, or a folder.
        paths: Vec<PathBuf>,
        /// Name and value.
        parameters: Vec<(String, String)>,
    },
}

impl RtlSource {
    /// The source in a few words.
    pub fn describe(&self) -> String {
        match self {
            Self::Bundled => "bundled".into(),
            Self::Files { paths, .. } => paths
                .iter()
                .map(|path| path.display().to_string())
                .collect::<Vec<_>>()
                .join(" "),
        }
    }
}

/// How designs are built at run time.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Folder of finished libraries.
    pub cache: PathBuf,
    /// How hard the C++ compiler works.
    pub optimization: Optimization,
}

impl BuildOptions {
    /// The cache of the user: `LOCKSTEP_CACHE`, else the cache folder of the platform.
    pub fn from_env() -> Self {
        let cache = env::var_os("LOCKSTEP_CACHE").map(PathBuf::from);
        let xdg =
            || env::var_os("XDG_CACHE_HOME").map(|base| PathBuf::from(base).join("pmu-lockstep"));
        let home =
            || env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/pmu-lockstep"));
        Self {
            cache: cache
                .or_else(xdg)
                .or_else(home)
                .unwrap_or_else(|| env::temp_dir().join("pmu-lockstep")),
            optimization: Optimization::Full,
        }
    }
}

/// A design that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No Verilator.
    #[error(transparent)]
    Find(#[from] FindError),
    /// It does not build or load.
    #[error(transparent)]
    Build(#[from] SharedDutError),
    /// It cannot be instantiated.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// The bundled design in this program is not usable.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Another design than configured.
    #[error(transparent)]
    Parameters(#[from] ParameterMismatch),
    /// Its files cannot be read, or the cache cannot be written.
    #[error("{}: {source}; {advice}", path.display())]
    Io {
        /// File or folder.
        path: PathBuf,
        /// Reason.
        source: io::Error,
        /// What to do.
        advice: &'static str,
    },
}

impl OpenError {
    /// What to call it: the user's files, a design that stops at once, or the machine.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Parameters(_)
            | Self::Build(SharedDutError::Build(
                BuildError::Port(_)
                | BuildError::Verilate(
                    VerilateError::NoSource { .. } | VerilateError::Rejected { .. },
                ),
            )) => Verdict::Usage,
            Self::Io { advice, .. } if *advice == READ_ADVICE => Verdict::Usage,
            Self::Create(CreateError::Stopped(_)) => Verdict::Stopped,
            _ => Verdict::Infrastructure,
        }
    }
}

const READ_ADVICE: &str = "name SystemVerilog files, or a folder of them, with --rtl";
const CACHE_ADVICE: &str = "set LOCKSTEP_CACHE to a folder that can be written";

/// The sizes of the contract's ports.
pub const PORTS: PortSizes = PortSizes {
    input: size_of::<CycleInput>(),
    output: size_of::<CycleOutput>(),
    parameters: size_of::<DutParameters>(),
};

/// Makes an instance of `source` for `implementation`, and checks that it is one. `building` is told when a
/// build starts that may take a while.
///
/// # Errors
/// The design cannot be found, built, loaded or instantiated, or has other parameters.
pub fn open(
    source: &RtlSource,
    implementation: &Implementation,
    traced: bool,
    options: &BuildOptions,
    building: &mut dyn FnMut(&str),
) -> Result<Box<dyn Dut>, OpenError> {
    if *source == RtlSource::Bundled {
        let dut = instance(&verilator_sys::static_library!(lockstep_bundled)?, traced)?;
        if check_parameters(implementation, &dut.parameters()).is_ok() {
            return Ok(Box::new(dut));
        }
    }
    let design = design(source, implementation, &options.cache)?;
    let tools = Path::new(env!("LOCKSTEP_TOOLS_DIR"));
    let tools = if tools.is_dir() {
        tools.into()
    } else {
        options.cache.join("tools")
    };
    let verilator = Search::from_env(tools).find()?;
    let build = SharedDutBuild {
        design,
        sizes: PORTS,
        trace: traced,
        optimization: options.optimization,
        cache_dir: options.cache.clone(),
    };
    if !build.is_cached(&verilator) {
        let (rtl, name) = (source.describe(), &implementation.name);
        let variant = if traced {
            "with tracing"
        } else {
            "without tracing"
        };
        building(&format!(
            "building RTL {rtl} for implementation {name}, {variant}"
        ));
    }
    let dut = instance(&build.load(&verilator)?, traced)?;
    check_parameters(implementation, &dut.parameters())?;
    Ok(Box::new(dut))
}

fn instance(library: &DutLibrary, traced: bool) -> Result<VerilatedDut, CreateError> {
    let dut = if traced {
        library.create_traced()
    } else {
        library.create()
    };
    dut.map(VerilatedDut::new)
}

fn design(
    source: &RtlSource,
    implementation: &Implementation,
    cache: &Path,
) -> Result<Design, OpenError> {
    let (sources, parameters) = match source {
        RtlSource::Bundled => (unpack(cache)?, wrapper_parameters(implementation)),
        RtlSource::Files { paths, parameters } => (files(paths)?, parameters.clone()),
    };
    Ok(Design {
        sources,
        include_dirs: Vec::new(),
        top: TOP.into(),
        parameters,
    })
}

/// Writes the bundled RTL below the cache, once for each version of it.
fn unpack(cache: &Path) -> Result<Vec<PathBuf>, OpenError> {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    for (name, text) in BUNDLED {
        hash.update(name.as_bytes());
        hash.update(text.as_bytes());
    }
    let folder = cache.join(format!("rtl-{:032x}", hash.digest128()));
    let io = |path: &Path, source| OpenError::Io {
        path: path.into(),
        source,
        advice: CACHE_ADVICE,
    };
    if !folder.is_dir() {
        fs::create_dir_all(cache).map_err(|error| io(cache, error))?;
        let draft = tempfile::tempdir_in(cache).map_err(|error| io(cache, error))?;
        for (name, text) in BUNDLED {
            let path = draft.path().join(name);
            fs::write(&path, text).map_err(|error| io(&path, error))?;
        }
        // Another process may have been faster: its folder is as good.
        if let Err(error) = fs::rename(draft.path(), &folder)
            && !folder.is_dir()
        {
            return Err(io(&folder, error));
        }
    }
    Ok(BUNDLED.iter().map(|(name, _)| folder.join(name)).collect())
}

/// The files that `paths` name: a folder stands for its SystemVerilog files, packages first.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, OpenError> {
    let io = |path: &Path, source| OpenError::Io {
        path: path.into(),
        source,
        advice: READ_ADVICE,
    };
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut inside = Vec::new();
            for entry in fs::read_dir(path).map_err(|error| io(path, error))? {
                let file = entry.map_err(|error| io(path, error))?.path();
                if file
                    .extension()
                    .is_some_and(|extension| extension == "sv" || extension == "v")
                {
                    inside.push(file);
                }
            }
            inside.sort_by_key(|file| (!is_package(file), file.clone()));
            if inside.is_empty() {
                return Err(io(
                    path,
                    io::Error::other("no SystemVerilog file in this folder"),
                ));
            }
            found.extend(inside);
        } else {
            fs::File::open(path).map_err(|error| io(path, error))?;
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

/// The parameters of the bundled wrapper for `implementation`, by name and value.
pub fn wrapper_parameters(implementation: &Implementation) -> Vec<(String, String)> {
    let pmu = &implementation.pmu;
    let numbers = [
        ("Counters", u32::from(pmu.counters)),
        ("CounterBits", pmu.counter_bits.into()),
        ("EventCount", pmu.event_count.into()),
        ("EventWidth", pmu.event_width.into()),
        ("ThWidth", implementation.thwidth().into()),
        ("Pmmir", pmu.pmmir),
    ];
    let features = DutParameters::FEATURES
        .iter()
        .zip(implementation.features());
    numbers
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_string()))
        .chain(features.map(|(name, on)| (camel_case(name), u8::from(on).to_string())))
        .collect()
}

/// `th2` as `Th2`.
fn camel_case(name: &str) -> String {
    let mut chars = name.chars();
    chars
        .next()
        .map(|first| first.to_ascii_uppercase())
        .into_iter()
        .chain(chars)
        .collect()
}
