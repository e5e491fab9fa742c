//! Getting a Verilated design: the bundled RTL with its default parameters is linked in; the same with other
//! parameters, and any other RTL, is built into a shared library once and kept in a cache.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use pmu_model::contract::SYSTEM_PMUS;
use pmu_model::implementation::Knobs;
use pmu_model::spmu::SystemPmu;
use pmu_model::wrapper::Increments;
use pmu_model::{CycleInput, CycleOutput, DutParameters, Implementation, ImplementationError};
use serde_json::Value;
use verilator_sys::find::{FindError, Search};
use verilator_sys::shared::{SharedDutBuild, SharedDutError};
use verilator_sys::verilate::{Design, VerilateError};
use verilator_sys::{BuildError, CreateError, DutLibrary, LoadError, Optimization, PortSizes};

use crate::lockstep::Verdict;

use super::{Dut, ParameterMismatch, Translated, VerilatedDut, check_parameters};

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
    /// A configuration that no design can have.
    #[error(transparent)]
    Implementation(#[from] ImplementationError),
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
            | Self::Implementation(_)
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
    Rtl::load(source, implementation, traced, options, building)?.instance()
}

/// RTL that is built and loaded, of which any number of instances can be made.
#[derive(Clone, Debug)]
pub struct Rtl {
    library: DutLibrary,
    implementation: Implementation,
    traced: bool,
}

impl Rtl {
    /// Builds `source` for `implementation`, unless that is done, and loads it. `building` is told when a build starts
    /// that may take a while.
    ///
    /// # Errors
    /// The design cannot be found, built or loaded.
    pub fn load(
        source: &RtlSource,
        implementation: &Implementation,
        traced: bool,
        options: &BuildOptions,
        building: &mut dyn FnMut(&str),
    ) -> Result<Self, OpenError> {
        let loaded = |library| Self {
            library,
            implementation: implementation.clone(),
            traced,
        };
        let default = || wrapper_parameters(&Implementation::default());
        if *source == RtlSource::Bundled && wrapper_parameters(implementation) == default() {
            return Ok(loaded(verilator_sys::static_library!(lockstep_bundled)?));
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
        Ok(loaded(build.load(&verilator)?))
    }

    /// Makes an instance, whatever it states to be.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn unchecked(&self) -> Result<VerilatedDut, OpenError> {
        Ok(instance(&self.library, self.traced)?)
    }

    /// Makes an instance, and checks that it is one for the implementation.
    ///
    /// # Errors
    /// It cannot be made, or has other parameters.
    pub fn instance(&self) -> Result<Box<dyn Dut>, OpenError> {
        let dut = self.unchecked()?;
        check_parameters(&self.implementation, &dut.parameters())?;
        if self.implementation.wrapper.increments == Increments::Shown {
            return Ok(Box::new(dut));
        }
        let dut = Translated::new(Box::new(dut), &self.implementation)?;
        Ok(Box::new(dut))
    }
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
    let mut hash = twox_hash::XxHash3_128::new();
    for (name, text) in BUNDLED {
        hash.write(name.as_bytes());
        hash.write(text.as_bytes());
    }
    let folder = cache.join(format!("rtl-{:032x}", hash.finish_128()));
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
        ("Threads", implementation.threads.count.into()),
        ("MaxInflight", implementation.max_inflight().into()),
        ("SystemPmus", implementation.system_pmu.len() as u32),
    ];
    let features = DutParameters::FEATURES
        .iter()
        .zip(implementation.features());
    numbers
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_string()))
        .chain(features.map(|(name, on)| (camel_case(name), u8::from(on).to_string())))
        .chain([
            (
                "Pmsidr".into(),
                format!("32'h{:08x}", implementation.pmsidr()),
            ),
            (
                "SystemPmuConfig".into(),
                system_pmu_config(&implementation.system_pmu),
            ),
        ])
        .collect()
}

/// A knob that the bundled RTL does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "implementation {implementation}: knobs.{knob} = {found}: expected the default, which is all that the bundled \
     RTL implements; name other RTL with --rtl, or run the model alone with `lockstep model`"
)]
pub struct KnobMismatch {
    /// Name of the implementation.
    pub implementation: String,
    /// Knob.
    pub knob: String,
    /// Its value.
    pub found: String,
}

/// Checks that the knobs are those of the bundled RTL: with others it would be blamed for what it cannot do.
///
/// # Errors
/// The first knob that is not at its default, unless it is a parameter of the RTL or decides nothing that is
/// compared.
pub fn check_knobs(implementation: &Implementation) -> Result<(), KnobMismatch> {
    let mut knobs = implementation.knobs.clone();
    let default = Knobs::default();
    // Parameters.
    knobs.layout = default.layout;
    knobs.access_model = default.access_model;
    if knobs.spe.init_load() == default.spe.init_load() {
        knobs.spe.init_load = None;
    }
    // TH-35: what reserved combinations do shows only where they are compared.
    if !knobs.compare_reserved || knobs.reserved_policy == default.reserved_policy {
        knobs.reserved_policy = default.reserved_policy;
        knobs.compare_reserved = default.compare_reserved;
    }
    let value = |knobs: &Knobs| serde_json::to_value(knobs).expect("knobs are plain values");
    let mut differing = differing_values("", &value(&knobs), &value(&default));
    differing.retain(|(name, _)| name != "compare_reserved" && !name.starts_with("reserved_map"));
    match differing.into_iter().next() {
        None => Ok(()),
        Some((knob, found)) => Err(KnobMismatch {
            implementation: implementation.name.clone(),
            knob,
            found,
        }),
    }
}

/// Names and values of the leaves that differ from `default`, tables within tables joined by points.
fn differing_values(name: &str, value: &Value, default: &Value) -> Vec<(String, String)> {
    match value {
        Value::Object(table) => table
            .iter()
            .flat_map(|(key, value)| {
                let name = if name.is_empty() {
                    key.clone()
                } else {
                    format!("{name}.{key}")
                };
                differing_values(&name, value, default.get(key).unwrap_or(&Value::Null))
            })
            .collect(),
        value if value == default => Vec::new(),
        Value::String(word) => vec![(name.to_owned(), word.clone())],
        other => vec![(name.to_owned(), other.to_string())],
    }
}

/// `spe_exc` as `SpeExc`.
fn camel_case(name: &str) -> String {
    let words = name.split('_').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}

/// The bytes of a System PMU in `SystemPmuConfig`.
const SYSTEM_PMU_BYTES: usize = 40;

/// `SystemPmuConfig` of the wrapper: a sized literal with 320 bits for each System PMU, the first in the low ones.
fn system_pmu_config(system_pmus: &[SystemPmu]) -> String {
    let mut bytes = [0; SYSTEM_PMU_BYTES * SYSTEM_PMUS];
    for (pmu, to) in system_pmus
        .iter()
        .zip(bytes.chunks_exact_mut(SYSTEM_PMU_BYTES))
    {
        for (&counters, to) in pmu.groups.iter().zip(&mut to[..15]) {
            *to = counters as u8;
        }
        to[15] = pmu.groups.len() as u8;
        to[16] = pmu.size_bits;
        to[17] = pmu.bit19.into();
        let registers = pmu.registers();
        let words = [pmu.features, registers.spmiidr, registers.spmdevarch];
        for (word, to) in words.into_iter().zip(to[18..30].chunks_exact_mut(4)) {
            to.copy_from_slice(&(word as u32).to_le_bytes());
        }
        to[30..38].copy_from_slice(&registers.spmdevaff.to_le_bytes());
    }
    let digits: String = bytes
        .iter()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{}'h{digits}", 8 * bytes.len())
}

#[cfg(test)]
mod tests {
    use pmu_model::evtyper::configuration::AccessModel;
    use pmu_model::implementation::{Layout, ReservedPolicy, Rhbwbb};
    use pmu_model::spe::Select;

    use super::*;

    #[test]
    fn parameters_have_the_names_of_the_wrapper() {
        let parameters = wrapper_parameters(&Implementation::default());
        let value = |name: &str| {
            let found = parameters.iter().find(|(found, _)| found == name);
            found.expect(name).1.as_str()
        };
        assert_eq!((value("Counters"), value("Threads")), ("31", "4"));
        assert_eq!(
            (value("Th2"), value("Tme"), value("SpeExc")),
            ("1", "0", "1")
        );
        assert_eq!((value("Layout2021"), value("Access2021")), ("0", "0"));
        assert_eq!(value("Pmsidr"), "32'h00050220");
        let config = value("SystemPmuConfig");
        let digits = config.strip_prefix("1280'h").expect("a sized literal");
        assert_eq!(digits.len(), 320);
        // The low 320 bits: Example D15-1.
        let first = &digits[240..];
        assert_eq!(&first[48..], format!("02{:030x}", 0x0604));
        assert_eq!(&first[46..48], "40");
    }

    #[test]
    fn knobs_that_the_rtl_does_not_have_are_told_by_name() {
        let refused = |change: fn(&mut Knobs)| {
            let mut implementation = Implementation::default();
            change(&mut implementation.knobs);
            let found = check_knobs(&implementation).err();
            found.map(|error| format!("{} = {}", error.knob, error.found))
        };
        let name = |text: &str| Some(text.to_owned());
        assert_eq!(refused(|_| ()), None);
        assert_eq!(refused(|knobs| knobs.layout = Layout::Year2021), None);
        assert_eq!(
            refused(|knobs| knobs.access_model = AccessModel::Year2021),
            None
        );
        assert_eq!(refused(|knobs| knobs.compare_reserved = true), None);
        let policy = |knobs: &mut Knobs| knobs.reserved_policy = ReservedPolicy::DropField;
        assert_eq!(refused(policy), None);
        assert_eq!(
            refused(|knobs| {
                knobs.reserved_policy = ReservedPolicy::DropField;
                knobs.compare_reserved = true;
            }),
            name("reserved_policy = DROP_FIELD")
        );
        assert_eq!(
            refused(|knobs| knobs.rhbwbb = Rhbwbb::Literal),
            name("rhbwbb = LITERAL")
        );
        assert_eq!(
            refused(|knobs| knobs.reset_value = 5),
            name("reset_value = 5")
        );
        assert_eq!(
            refused(|knobs| knobs.spe.select = Select::ToZero),
            name("spe.select = TO_ZERO")
        );
        assert_eq!(
            refused(|knobs| knobs.cycles.cpu_cycles_in_wfx = true),
            name("cycles.cpu_cycles_in_wfx = true")
        );
    }
}
