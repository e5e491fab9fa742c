//! Where designs come from: linked in, or loaded from a shared library.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::PortSizes;
use crate::dut::Dut;
use crate::ffi::bridge;
use crate::stop::DutStop;

/// Version of `cpp/dut.h` that this crate was compiled with; equal to `kDutAbi` there. A library with another
/// one is not loaded.
pub const INTERFACE_VERSION: u32 = 3;
/// The same of a library whose instances can begin with random values; equal to `kDutAbiOfStarts` there.
const VERSION_OF_STARTS: u32 = 4;
/// That of one that counts coverage; equal to `kDutAbiOfCoverage` there.
const VERSION_OF_COVERAGE: u32 = 5;

/// Name of the function that a shared library exports.
pub(crate) const SHARED_SYMBOL: &str = "verilator_sys_dut_library";

/// What a C function that gives access to a design returns a pointer to. Opaque; see
/// `DutLibrary` in `cpp/dut.h`.
#[repr(C)]
#[derive(Debug)]
pub struct RawLibrary {
    _opaque: [u8; 0],
}

/// A design of which instances can be made. Cheap to clone.
#[derive(Clone, Debug)]
pub struct DutLibrary {
    raw: *const bridge::DutLibrary,
    sizes: PortSizes,
    top: Arc<str>,
    verilator_version: Arc<str>,
    // Keeps the code loaded; None if it is part of the program.
    loaded: Option<Arc<Library>>,
}

// SAFETY: `raw` points to a constant that is never written.
unsafe impl Send for DutLibrary {}
// SAFETY: as above.
unsafe impl Sync for DutLibrary {}

/// Why a design cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The system's loader refused the file.
    #[error("[DUT library] expected a loadable shared library at {path}, found: {message}")]
    Loader {
        /// The file.
        path: PathBuf,
        /// The loader's reason.
        message: String,
    },
    /// The library was made by another version of this crate.
    #[error(
        "[DUT library] expected interface version {INTERFACE_VERSION} in {place}, found {found}: build the design again"
    )]
    Abi {
        /// The file, or `this program`.
        place: String,
        /// The version that the library states; 0 if it states none.
        found: u32,
    },
}

/// Memory that has everything that a design prints, at once and from its initial blocks on, as in words of
/// [`SharedMemory`](crate::SharedMemory): what a design that crashed printed last.
#[derive(Clone, Copy, Debug)]
pub struct Tail {
    /// Byte *k* since the last [`take_log`](Dut::take_log) is byte *k* modulo the size of this.
    pub ring: &'static [AtomicU64],
    /// The number of these bytes.
    pub printed: &'static AtomicU64,
}

/// Why an instance of a design could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// The design stopped in an initial block, such as a check of its parameters.
    #[error("{stop}")]
    Stopped {
        /// Why, and where.
        stop: Box<DutStop>,
        /// What it printed before.
        printed: String,
    },
    /// The library lacks this variant.
    #[error(
        "[DUT library] expected design `{top}` to be built {variant}, found the other variant only"
    )]
    NoVariant {
        /// Name of the top module.
        top: String,
        /// `with tracing`, `without tracing` or `with random initial states`.
        variant: &'static str,
    },
    /// There is not enough memory, or the design's constructor failed.
    #[error("[DUT library] expected to create an instance of `{top}`, found no memory for it")]
    Memory {
        /// Name of the top module.
        top: String,
    },
}

impl DutLibrary {
    /// The design behind a function that is linked into this program. [`static_library!`] calls
    /// this.
    ///
    /// # Errors
    /// [`LoadError::Abi`] if it was built by another version of this crate.
    ///
    /// # Safety
    /// `function` is one that [`StaticDutBuild`](crate::static_dut::StaticDutBuild) made.
    ///
    /// [`static_library!`]: crate::static_library
    pub unsafe fn from_static(
        function: unsafe extern "C" fn() -> *const RawLibrary,
    ) -> Result<DutLibrary, LoadError> {
        // SAFETY: the function takes nothing and returns the address of a constant.
        let raw = unsafe { function() };
        // SAFETY: `raw` points to a constant of this program.
        unsafe { DutLibrary::new(raw, None, "this program") }
    }

    /// Loads a shared library that `shared::SharedDutBuild` made.
    ///
    /// # Errors
    /// [`LoadError`] if the file cannot be loaded or is not such a library.
    ///
    /// # Safety
    /// Loading runs code of the file, which must be what it says to be.
    pub unsafe fn load(path: &Path) -> Result<DutLibrary, LoadError> {
        // Bound at once: a function that is missing is an error here, where bound later it would
        // end the process.
        // SAFETY: the caller vouches for the file's initializers.
        let library =
            unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| {
                LoadError::Loader {
                    path: path.to_owned(),
                    message: error.to_string(),
                }
            })?;
        let place = path.display().to_string();
        type Function = unsafe extern "C" fn() -> *const RawLibrary;
        // SAFETY: the symbol has this type in every library that exports it.
        let function =
            unsafe { library.get::<Function>(SHARED_SYMBOL.as_bytes()) }.map_err(|_| {
                LoadError::Abi {
                    place: place.clone(),
                    found: 0,
                }
            })?;
        // SAFETY: the function takes nothing and returns the address of a constant.
        let raw = unsafe { function() };
        // SAFETY: `raw` points to a constant of the library, which is kept loaded.
        unsafe { DutLibrary::new(raw, Some(Arc::new(library)), &place) }
    }

    /// # Safety
    /// `raw` points to a constant `DutLibrary` that lives as long as `loaded`, or for ever.
    unsafe fn new(
        raw: *const RawLibrary,
        loaded: Option<Arc<Library>>,
        place: &str,
    ) -> Result<DutLibrary, LoadError> {
        let raw = raw.cast::<bridge::DutLibrary>();
        // SAFETY: the caller's promise.
        let facts = unsafe { bridge::library_facts(raw) };
        let known = [INTERFACE_VERSION, VERSION_OF_STARTS, VERSION_OF_COVERAGE];
        if !known.contains(&facts.abi) {
            return Err(LoadError::Abi {
                place: place.to_owned(),
                found: facts.abi,
            });
        }
        let sizes = PortSizes {
            input: facts.input_bytes as usize,
            output: facts.output_bytes as usize,
            parameters: facts.parameter_bytes as usize,
        };
        let (top, verilator_version) = (facts.top.into(), facts.verilator_version.into());
        Ok(DutLibrary {
            raw,
            sizes,
            top,
            verilator_version,
            loaded,
        })
    }

    /// Sizes of the design's ports.
    pub fn sizes(&self) -> PortSizes {
        self.sizes
    }

    /// Name of the top module.
    pub fn top(&self) -> &str {
        &self.top
    }

    /// Version of the Verilator that made the design, such as `5.006`.
    pub fn verilator_version(&self) -> &str {
        &self.verilator_version
    }

    /// Makes an instance, the fastest that there is, and runs its initial blocks.
    ///
    /// # Errors
    /// [`CreateError::Stopped`] if the design stopped in an initial block.
    pub fn create(&self) -> Result<Dut, CreateError> {
        self.instance(false, None, None)
    }

    /// Makes an instance that can write traces, and runs its initial blocks.
    ///
    /// # Errors
    /// As [`create`](DutLibrary::create), and [`CreateError::NoVariant`] if the design was built
    /// without tracing.
    pub fn create_traced(&self) -> Result<Dut, CreateError> {
        self.instance(true, None, None)
    }

    /// Makes an instance, `traced` or not, whose text is written to `tail` as well.
    ///
    /// # Errors
    /// As [`create`](DutLibrary::create) and [`create_traced`](DutLibrary::create_traced).
    ///
    /// # Panics
    /// If the ring is empty.
    pub fn create_with_tail(&self, traced: bool, tail: Tail) -> Result<Dut, CreateError> {
        self.create_from(None, traced, Some(tail))
    }

    /// The same, whose registers before their reset, and whatever else the design leaves without a value, begin with random
    /// values that follow from `start`; with zeros without one. What `$random` returns follows from it too.
    ///
    /// # Errors
    /// As [`create`](DutLibrary::create), and [`CreateError::NoVariant`] if the design was built without
    /// [`random_start`](crate::verilate::Design::random_start).
    ///
    /// # Panics
    /// If the ring is empty.
    pub fn create_from(
        &self,
        start: Option<NonZeroU32>,
        traced: bool,
        tail: Option<Tail>,
    ) -> Result<Dut, CreateError> {
        let has_room = tail.is_none_or(|tail| !tail.ring.is_empty());
        assert!(has_room, "a ring of at least a word");
        self.instance(traced, start, tail)
    }

    fn instance(
        &self,
        traced: bool,
        start: Option<NonZeroU32>,
        tail: Option<Tail>,
    ) -> Result<Dut, CreateError> {
        // SAFETY: `raw` is valid as long as `loaded`, of which the instance holds a clone.
        let facts = unsafe { bridge::library_facts(self.raw) };
        let missing = match (traced, start) {
            (true, _) if !facts.traced => Some("with tracing"),
            (false, _) if !facts.untraced => Some("without tracing"),
            (_, Some(_)) if !facts.starts => Some("with random initial states"),
            _ => None,
        };
        if let Some(variant) = missing {
            return Err(CreateError::NoVariant {
                top: self.top.to_string(),
                variant,
            });
        }
        let (ring, size, printed) = match tail {
            Some(Tail { ring, printed }) => (
                ring.as_ptr().cast_mut().cast::<u8>(),
                size_of_val(ring),
                printed.as_ptr(),
            ),
            None => (null_mut(), 0, null_mut()),
        };
        // SAFETY: as above; static memory outlives the instance, atomics may be written through a shared reference, and
        // only this instance writes there.
        let dut = unsafe {
            bridge::create(
                self.raw,
                traced,
                start.map_or(0, NonZeroU32::get),
                ring,
                size,
                printed,
            )
        };
        if dut.is_null() {
            return Err(CreateError::Memory {
                top: self.top.to_string(),
            });
        }
        let covers = facts.covers.then_some(self.raw);
        let mut dut = Dut::new(dut, self.sizes, covers, self.loaded.clone());
        match dut.stop() {
            Some(stop) => Err(CreateError::Stopped {
                stop: Box::new(stop),
                printed: dut.take_log(),
            }),
            None => Ok(dut),
        }
    }
}

/// Gives access to a design that the build script linked in: `static_library!(bundled_dut)` is a
/// `Result<DutLibrary, LoadError>`. The argument is the `symbol` of the
/// `verilator_sys::static_dut::StaticDutBuild`; without such a symbol the program does not link.
#[macro_export]
macro_rules! static_library {
    ($symbol:ident) => {{
        unsafe extern "C" {
            fn $symbol() -> *const $crate::RawLibrary;
        }
        // SAFETY: the build script made the function under this name.
        unsafe { $crate::DutLibrary::from_static($symbol) }
    }};
}
