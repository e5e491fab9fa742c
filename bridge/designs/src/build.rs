//! Building designs into shared libraries, which a cache keeps.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use pmu_model::{CycleInput, CycleOutput, DutParameters};
use verilator_sys::PortSizes;
use verilator_sys::cache::Damage;
use verilator_sys::find::{FindError, Search, Verilator};
use verilator_sys::shared::{SharedDut, SharedDutBuild, Told};
use verilator_sys::verilate::Design;

use super::Warnings;
use super::build_options::BuildOptions;
use super::library::Library;
use super::named::named_stop;
use super::open_error::OpenError;
use lockstep_engine::dut::Stated;

/// Bytes that the cache may have after a build.
pub const CACHE_LIMIT: u64 = 10 << 30;

/// What is told while a design is built.
#[derive(Clone, Copy, Debug)]
pub enum BuildEvent<'a> {
    /// A build starts, which may take a while: what, in words.
    Starts(&'a str),
    /// Another command builds the same, and is waited for: what, in words.
    Waits(&'a str),
    /// Verilator has warnings about the files that were named. Told once a build, and not of a library from the cache.
    Warnings(&'a Warnings),
    /// The cache had a library that is damaged. It is removed, and built again.
    Damage(&'a Damage),
}

/// The sizes of the contract's ports.
pub const PORTS: PortSizes = PortSizes {
    input: size_of::<CycleInput>(),
    output: size_of::<CycleOutput>(),
    parameters: size_of::<DutParameters>(),
};

/// The two libraries of a design.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Without tracing, for speed.
    pub untraced: SharedDut,
    /// With tracing.
    pub traced: SharedDut,
    /// Version of the Verilator that made them.
    pub verilator: String,
    /// Whether the one without tracing counts coverage.
    pub rtl_coverage: bool,
}

impl Pair {
    /// What Verilator warned of when they were built; both are made of the same sources, so that it is the same.
    pub fn warnings(&self) -> Warnings {
        Warnings::of(&self.untraced)
    }

    /// Whether neither was built anew.
    pub fn is_cached(&self) -> bool {
        self.untraced.cached && self.traced.cached
    }
}

/// What a built design states of itself.
///
/// # Errors
/// It cannot be loaded or instantiated, or is of another contract.
pub fn stated(pair: &Pair, options: &BuildOptions) -> Result<Stated, OpenError> {
    let loops = pair.warnings().loops();
    let library = Library::load(&pair.untraced.path, options)?;
    let dut = library.instance(false, None, options.patience, &loops);
    let mut dut = dut.map_err(|error| named_stop(error, &pair.untraced.names))?;
    let stated = Stated::of(&dut.parameters())?;
    dut.finish().map_err(OpenError::Late)?;
    Ok(stated)
}

/// Version of the Verilator that designs are built with.
///
/// # Errors
/// There is none.
pub fn verilator_version(options: &BuildOptions) -> Result<String, OpenError> {
    Ok(verilator(options)?.version.to_string())
}

/// The folder of what is fetched.
pub fn tools_folder(options: &BuildOptions) -> PathBuf {
    // The project's own, where the program is run beside it.
    let own = Path::new(env!("LOCKSTEP_TOOLS_DIR"));
    match own.is_dir() {
        true => own.into(),
        false => options.cache.join("tools"),
    }
}

/// Finds Verilator, or fetches it. The one that was found is found again at once: a divergence should not wait for it.
pub(super) fn verilator(options: &BuildOptions) -> Result<Verilator, FindError> {
    let tools = tools_folder(options);
    static FOUND: Mutex<Option<(Search, Verilator)>> = Mutex::new(None);
    let search = Search::from_env(tools);
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, verilator)) = &*found
        && *known == search
    {
        return Ok(verilator.clone());
    }
    let verilator = search.find()?;
    *found = Some((search, verilator.clone()));
    Ok(verilator)
}

fn shared_build(mut design: Design, trace: bool, options: &BuildOptions) -> SharedDutBuild {
    // What is traced is run again; the run itself is what counts.
    design.coverage = options.rtl_coverage && !trace;
    design.random_start = options.start.is_some();
    SharedDutBuild {
        design,
        sizes: PORTS,
        trace,
        optimization: options.optimization,
        cache_dir: options.cache.clone(),
        cache_limit: CACHE_LIMIT,
    }
}

/// What a user is told when the build of `what` starts.
fn telling(what: &str, traced: bool, options: &BuildOptions) -> String {
    let variant = if traced { "with" } else { "without" };
    let start = match options.start {
        Some(_) => ", with random initial states",
        None => "",
    };
    let coverage = match options.rtl_coverage && !traced {
        true => ", with coverage",
        false => "",
    };
    format!("building RTL {what}, {variant} tracing{coverage}{start}")
}

fn tell(
    told: Told,
    what: &str,
    traced: bool,
    options: &BuildOptions,
    building: &mut dyn FnMut(BuildEvent<'_>),
) {
    match told {
        Told::Building => building(BuildEvent::Starts(&telling(what, traced, options))),
        Told::Waiting => building(BuildEvent::Waits(what)),
        Told::Damage(damage) => building(BuildEvent::Damage(&damage)),
    }
}

fn tell_warnings(library: &SharedDut, building: &mut dyn FnMut(BuildEvent<'_>)) {
    let warnings = Warnings::of(library);
    if !warnings.is_empty() {
        building(BuildEvent::Warnings(&warnings));
    }
}

/// The same as [`one`] for files of the user, of which Verilator's warnings are told. The traced library is made of
/// sources that were told of before.
///
/// # Errors
/// The design cannot be built.
pub(super) fn one_of_files(
    design: Design,
    traced: bool,
    options: &BuildOptions,
    what: &str,
    building: &mut dyn FnMut(BuildEvent<'_>),
) -> Result<SharedDut, OpenError> {
    let library = one(design, traced, options, what, building)?;
    if !library.cached && !traced && options.start.is_none() {
        tell_warnings(&library, building);
    }
    Ok(library)
}

/// Builds one library of a design, unless the cache has it. `building` is told when that starts.
///
/// # Errors
/// The design cannot be built.
pub(super) fn one(
    design: Design,
    traced: bool,
    options: &BuildOptions,
    what: &str,
    building: &mut dyn FnMut(BuildEvent<'_>),
) -> Result<SharedDut, OpenError> {
    options.make_cache()?;
    let verilator = verilator(options)?;
    let build = shared_build(design, traced, options);
    Ok(build.build_telling(&verilator, &mut |told| {
        tell(told, what, traced, options, building);
    })?)
}

/// Builds both libraries of a design side by side, as far as the cache does not have them. `building` is told when
/// that starts.
///
/// # Errors
/// The design cannot be built.
pub fn pair(
    design: &Design,
    options: &BuildOptions,
    what: &str,
    building: &mut dyn FnMut(BuildEvent<'_>),
) -> Result<Pair, OpenError> {
    options.make_cache()?;
    let verilator = verilator(options)?;
    let (starts, started) = mpsc::channel();
    let one = |traced: bool, starts: mpsc::Sender<(Told, bool)>| {
        shared_build(design.clone(), traced, options).build_telling(&verilator, &mut |told| {
            // Nobody listens only if this process is about to end.
            let _ = starts.send((told, traced));
        })
    };
    let (untraced, traced) = thread::scope(|scope| {
        let other = starts.clone();
        let untraced = scope.spawn(|| one(false, starts));
        let traced = scope.spawn(|| one(true, other));
        for (told, traced) in started {
            tell(told, what, traced, options, building);
        }
        // A build does not panic; if it did, so does this.
        (
            untraced.join().expect("build finished"),
            traced.join().expect("build finished"),
        )
    });
    let pair = Pair {
        untraced: untraced?,
        traced: traced?,
        verilator: verilator.version.to_string(),
        rtl_coverage: options.rtl_coverage,
    };
    if !pair.is_cached() {
        tell_warnings(&pair.untraced, building);
    }
    Ok(pair)
}
