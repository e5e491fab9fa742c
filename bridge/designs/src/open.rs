//! Getting a Verilated design: the bundled RTL with its default parameters is linked in; the same with other
//! parameters, and any other RTL, is built into a shared library once and kept in a cache; what `lockstep build` made
//! is loaded as it is.

use std::num::NonZeroU32;
use std::time::Duration;

use pmu_model::Implementation;
use pmu_model::wrapper::Increments;
use verilator_sys::shared::Names;

use super::build::{self, BuildEvent};
use super::build_options::BuildOptions;
use super::library::Library;
use super::named::{Named, named_stop};
use super::open_error::OpenError;
use super::source::{self, RtlSource};
use super::{DutFolder, FileNames, Warnings};
use lockstep_engine::dut::{Dut, Translated, check_contract, check_parameters, wrapper_parameters};

/// Makes an instance of `source` for `implementation`, and checks that it is one. `building` is told when a
/// build starts that may take a while, and what Verilator warns of.
///
/// # Errors
/// The design cannot be found, built, loaded or instantiated, or has other parameters.
pub fn open(
    source: &RtlSource,
    implementation: &Implementation,
    traced: bool,
    options: &BuildOptions,
    building: &mut dyn FnMut(BuildEvent<'_>),
) -> Result<Box<dyn Dut>, OpenError> {
    Rtl::load(source, implementation, traced, options, building)?.instance()
}

/// RTL that is built and loaded, of which any number of instances can be made.
#[derive(Clone, Debug)]
pub struct Rtl {
    library: Library,
    /// Where it was built, if it was not built here.
    folder: Option<Box<DutFolder>>,
    /// Places of combinational loops that Verilator warned of.
    loops: Vec<String>,
    /// What its files are called.
    names: Names,
    implementation: Implementation,
    traced: bool,
    start: Option<NonZeroU32>,
    patience: Duration,
}

impl Rtl {
    /// Builds `source` for `implementation`, unless that is done, and loads it. `building` is told when a build starts
    /// that may take a while, and what Verilator warns of.
    ///
    /// # Errors
    /// The design cannot be found, built or loaded.
    pub fn load(
        source: &RtlSource,
        implementation: &Implementation,
        traced: bool,
        options: &BuildOptions,
        building: &mut dyn FnMut(BuildEvent<'_>),
    ) -> Result<Self, OpenError> {
        let is_another = options.start.is_some() || options.rtl_coverage;
        let (mut loops, mut built_in) = (Vec::new(), None);
        let mut names = Names::default();
        let library = match source {
            RtlSource::Bundled => {
                let parameters = wrapper_parameters(implementation);
                if parameters == wrapper_parameters(&Implementation::default()) && !is_another {
                    Library::Here(verilator_sys::static_library!(lockstep_bundled)?)
                } else {
                    options.make_cache()?;
                    let design = source::bundled(implementation, &options.cache)?;
                    let what = format!("bundled for implementation {}", implementation.name);
                    let built = build::one(design, traced, options, &what, building)?;
                    if options.rtl_coverage {
                        names = built.names.clone();
                    }
                    Library::load(&built.path, options)?
                }
            }
            RtlSource::Files(files) => {
                let (design, what) = (files.design()?, source.describe());
                let built = build::one_of_files(design, traced, options, &what, building)?;
                loops = Warnings::of(&built).loops();
                names = built.names.clone();
                Library::load(&built.path, options)?
            }
            RtlSource::Built(folder) => {
                if options.rtl_coverage {
                    folder.check_coverage()?;
                }
                loops.clone_from(&folder.manifest().loops);
                built_in = Some(folder.clone());
                folder.library(traced, options)?
            }
        };
        Ok(Self {
            library,
            folder: built_in,
            loops,
            names,
            implementation: implementation.clone(),
            traced,
            start: options.start,
            patience: options.patience,
        })
    }

    /// What its files are called.
    pub fn file_names(&self) -> FileNames {
        FileNames {
            names: self.names.clone(),
            folder: self.folder.clone(),
        }
    }

    /// Makes an instance, whatever it states to be.
    ///
    /// # Errors
    /// It cannot be made, or states something else than the folder that it is from.
    pub fn unchecked(&self) -> Result<Box<dyn Dut>, OpenError> {
        let dut = self
            .library
            .instance(self.traced, self.start, self.patience, &self.loops);
        let dut = dut.map_err(|error| named_stop(error, &self.names))?;
        if let Some(folder) = &self.folder {
            folder.check_stated(&dut.parameters())?;
        }
        Ok(dut)
    }

    /// Makes an instance, and checks that it is one for the implementation. It shows V (DUT-71), whatever the design
    /// does.
    ///
    /// # Errors
    /// It cannot be made, or has other parameters.
    pub fn instance(&self) -> Result<Box<dyn Dut>, OpenError> {
        let dut = self.unchecked()?;
        check_contract(&dut.parameters())?;
        check_parameters(&self.implementation, &dut.parameters())?;
        let dut = Box::new(Named::new(dut, self.names.clone()));
        if self.implementation.wrapper.increments == Increments::Shown {
            return Ok(dut);
        }
        let dut = Translated::new(dut, &self.implementation)?;
        Ok(Box::new(dut))
    }
}
