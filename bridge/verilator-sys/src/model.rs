//! From a design to objects that can be archived or linked: the steps that a static and a shared
//! build have in common.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::PortSizes;
use crate::compile::{self, CompileError, Compiler, Hash, Optimization, Unit, io_error};
use crate::evaluation::evaluation;
use crate::find::{FindError, Verilator};
use crate::headers;
use crate::port::{self, PortError};
use crate::verilate::{Design, VerilateError, VerilateRequest, Verilated};

/// Why a design could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// There is no Verilator.
    #[error(transparent)]
    Find(#[from] FindError),
    /// Verilator did not accept the design.
    #[error(transparent)]
    Verilate(#[from] VerilateError),
    /// The design's ports are not those of the contract.
    #[error(transparent)]
    Port(#[from] PortError),
    /// The C++ did not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The folder of finished libraries cannot be written.
    #[error(
        "[cache] expected a folder that can be written, found at {path}: {source}: name another folder"
    )]
    Cache {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// This crate's C++, carried along so that designs can be built where its sources are not.
const CPP: [(&str, &str); 7] = [
    ("coverage.h", include_str!("../cpp/coverage.h")),
    ("dut.h", include_str!("../cpp/dut.h")),
    (compile::HOOKS, include_str!("../cpp/run_time_hooks.h")),
    ("stop_recorder.h", include_str!("../cpp/stop_recorder.h")),
    (
        "stop_recorder.cpp",
        include_str!("../cpp/stop_recorder.cpp"),
    ),
    ("vcd_trace.h", include_str!("../cpp/vcd_trace.h")),
    ("verilated_dut.h", include_str!("../cpp/verilated_dut.h")),
];

/// Above this many bytes of generated C++ the files are compiled one by one, to use every core;
/// below, as one unit, which spares reading the same headers again and lets the compiler inline
/// the design into the loop that clocks it.
const ONE_UNIT_BYTES: u64 = 2 << 20;

/// Up to this many bytes of generated C++, reading Verilator's headers takes longer than optimizing a little.
const FEW_BYTES: u64 = 400 << 10;

/// One design to be built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Model<'a> {
    pub design: &'a Design,
    pub sizes: PortSizes,
    pub variants: &'a [Variant],
    pub optimization: Optimization,
    /// Whether Verilator's headers are compiled ahead of all else: for a cache that other designs are built with.
    pub precompile: bool,
    /// Name of the function that returns the `DutLibrary`.
    pub symbol: &'a str,
}

/// A design is Verilated once without tracing, for speed, and once with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    Plain,
    Traced,
}

impl Variant {
    fn prefix(self) -> &'static str {
        match self {
            Variant::Plain => "VDut",
            Variant::Traced => "VTracedDut",
        }
    }
}

/// Objects and what they were made from.
#[derive(Debug)]
pub(crate) struct Objects {
    pub objects: Vec<PathBuf>,
    pub dependencies: Vec<PathBuf>,
    pub warnings: String,
    /// With the names that what is generated has.
    #[cfg_attr(not(feature = "shared"), expect(dead_code))]
    pub warnings_inside: String,
}

impl Model<'_> {
    /// Verilates and compiles. Generated files and the model's objects go to `out`, the objects
    /// of Verilator's run time to `run_time_cache`, which other models may share.
    pub(crate) fn objects(
        &self,
        verilator: &Verilator,
        compiler: &Compiler,
        out: &Path,
        run_time_cache: &Path,
    ) -> Result<Objects, BuildError> {
        let cpp = out.join("cpp");
        write_all(&cpp, &CPP)?;
        let include = verilator.include();
        let mut common = Common {
            run_time_hash: run_time_hash(&include)?,
            include_dirs: vec![cpp.clone(), include.clone(), include.join("vltstd")],
            headers: None,
            object_dir: out.join("objects"),
        };
        if self.precompile {
            let Common {
                run_time_hash,
                include_dirs,
                ..
            } = &common;
            common.headers =
                headers::precompiled(compiler, include_dirs, run_time_hash, run_time_cache);
        }
        let mut units = Vec::new();
        let mut run_time = vec![cpp.join("stop_recorder.cpp")];
        let mut dependencies: Vec<PathBuf> = Vec::new();
        let (mut warnings, mut warnings_inside) = (String::new(), String::new());
        for &variant in self.variants {
            let verilated = VerilateRequest {
                design: self.design,
                trace: variant == Variant::Traced,
                out_dir: &out.join(variant.prefix()),
                prefix: variant.prefix(),
            }
            .run(verilator)?;
            let header =
                fs::read_to_string(&verilated.header).map_err(io_error(&verilated.header))?;
            port::check(&header, &self.design.top, self.sizes)?;
            units.extend(self.units(variant, &verilated, &common)?);
            run_time.extend(verilated.run_time);
            dependencies.extend(verilated.dependencies);
            // Both variants are made from the same sources, so their warnings are the same.
            (warnings, warnings_inside) = (verilated.warnings, verilated.warnings_inside);
        }
        for list in [&mut run_time, &mut dependencies] {
            list.sort();
            list.dedup();
        }
        units.extend(run_time.iter().map(|source| {
            Unit {
                name: source
                    .file_stem()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned(),
                source: source.clone(),
                include_dirs: common.include_dirs.clone(),
                headers: None,
                optimization: "-O2",
                content: common.run_time_hash.clone(),
                object_dir: run_time_cache.to_owned(),
            }
        }));
        units.push(self.library_unit(verilator, out, &common)?);
        let objects = compile::objects(compiler, &units)?;
        Ok(Objects {
            objects,
            dependencies,
            warnings,
            warnings_inside,
        })
    }

    /// The units of one variant: its generated files, and the factory of the class.
    fn units(
        &self,
        variant: Variant,
        verilated: &Verilated,
        common: &Common,
    ) -> Result<Vec<Unit>, CompileError> {
        let prefix = variant.prefix();
        let class = verilated.out_dir.join(format!("{prefix}.cpp"));
        let class = fs::read_to_string(&class).map_err(io_error(&class))?;
        let factory = self.factory(variant, &class);
        let mut hash = Hash::new();
        hash.text(&common.run_time_hash).text(&factory);
        for path in cpp_files(&verilated.out_dir)? {
            hash.text(&path.to_string_lossy()).file(&path)?;
        }
        let content = hash.finish();
        let mut include_dirs = common.include_dirs.clone();
        include_dirs.push(verilated.out_dir.clone());
        let units_dir = verilated.out_dir.join("units");
        let unit = |name: String, text: &str, optimization| -> Result<Unit, CompileError> {
            let file = format!("{name}.cpp");
            write_all(&units_dir, &[(&file, text)])?;
            Ok(Unit {
                source: units_dir.join(&file),
                include_dirs: include_dirs.clone(),
                headers: common.headers.clone(),
                optimization,
                content: format!("{content} {text}"),
                object_dir: common.object_dir.clone(),
                name,
            })
        };

        // GCC takes headers that it compiled while optimizing for that alone.
        let slow = match common.headers.is_some() && total_bytes(&verilated.slow)? <= FEW_BYTES {
            true => "-O1",
            false => "-O0",
        };
        let mut units = Vec::new();
        for (kind, files, optimization) in [
            ("fast", &verilated.fast, self.optimization.flag()),
            // Traces are windows, and what is slow runs once: compile time counts for more.
            ("trace", &verilated.trace, "-O1"),
            ("slow", &verilated.slow, slow),
        ] {
            let one_unit = total_bytes(files)? <= ONE_UNIT_BYTES;
            let groups = files.chunks(if one_unit { files.len().max(1) } else { 1 });
            for (index, group) in groups.enumerate() {
                let mut text: String = group.iter().map(|path| include_line(path)).collect();
                if kind == "fast" && index == 0 {
                    text += &factory;
                }
                units.push(unit(
                    format!("{prefix}_{kind}_{index}"),
                    &text,
                    optimization,
                )?);
            }
        }
        Ok(units)
    }

    /// The C++ function that makes an instance of a variant; `class` is the source of the generated class.
    fn factory(&self, variant: Variant, class: &str) -> String {
        let prefix = variant.prefix();
        let (include, tracer) = match variant {
            Variant::Plain => ("", "NoTrace"),
            Variant::Traced => ("#include \"vcd_trace.h\"\n", "VcdTrace"),
        };
        let PortSizes {
            input,
            output,
            parameters,
        } = self.sizes;
        let (core, evaluation) = evaluation(prefix, class);
        let from = match self.design.random_start {
            true => format!(
                "Dut* create_{prefix}_from(Tail tail, std::uint32_t start) noexcept \
                 {{ return create<{prefix}, {tracer}, {evaluation}>(tail, start); }}\n"
            ),
            false => String::new(),
        };
        let (coverage, write) = match self.design.coverage {
            true => (
                "#include \"coverage.h\"\n",
                format!(
                    "int write_coverage_{prefix}(Dut& dut, const char* path) noexcept \
                     {{ return static_cast<{prefix}Dut&>(dut).write_coverage<Coverage>(path); }}\n"
                ),
            ),
            false => ("", String::new()),
        };
        format!(
            "#include \"{prefix}.h\"\n\
             {include}{coverage}\
             #include \"verilated_dut.h\"\n\
             {core}\
             namespace verilator_sys {{\n\
             using {prefix}Dut = VerilatedDut<{prefix}, {tracer}, {evaluation}>;\n\
             static_assert({prefix}Dut::kInputBytes == {input}, \"size of cycle_input_i\");\n\
             static_assert({prefix}Dut::kOutputBytes == {output}, \"size of cycle_output_o\");\n\
             static_assert({prefix}Dut::kParameterBytes == {parameters}, \"size of parameters_o\");\n\
             Dut* create_{prefix}(Tail tail) noexcept {{ return create<{prefix}, {tracer}, {evaluation}>(tail); }}\n\
             {from}{write}\
             }}  // namespace verilator_sys\n"
        )
    }

    /// The unit with the one symbol that the outside sees.
    fn library_unit(
        &self,
        verilator: &Verilator,
        out: &Path,
        common: &Common,
    ) -> Result<Unit, CompileError> {
        let declare: String = self
            .variants
            .iter()
            .map(|variant| format!("Dut* create_{}(Tail tail) noexcept;\n", variant.prefix()))
            .collect();
        let create = |variant: Variant| {
            let known = self.variants.contains(&variant);
            if known {
                format!("create_{}", variant.prefix())
            } else {
                "nullptr".to_owned()
            }
        };
        // One variant: that is what a library with random values or with coverage is built as.
        let (mut more, mut abi, mut from, mut write) = (
            String::new(),
            "kDutAbi",
            "nullptr".to_owned(),
            String::new(),
        );
        if let [variant] = self.variants {
            let prefix = variant.prefix();
            if self.design.random_start {
                from = format!("create_{prefix}_from");
                more += &format!("Dut* {from}(Tail tail, std::uint32_t start) noexcept;\n");
                abi = "kDutAbiOfStarts";
            }
            if self.design.coverage {
                let name = format!("write_coverage_{prefix}");
                more += &format!("int {name}(Dut& dut, const char* path) noexcept;\n");
                write = format!(", {name}");
                abi = "kDutAbiOfCoverage";
            }
        }
        let text = format!(
            "#include \"dut.h\"\n\
             namespace verilator_sys {{\n\
             {declare}{more}\
             }}  // namespace verilator_sys\n\
             extern \"C\" __attribute__((visibility(\"default\")))\n\
             const verilator_sys::DutLibrary* {symbol}() noexcept {{\n\
             using namespace verilator_sys;\n\
             static constexpr DutLibrary library = {{{abi}, {input}, {output}, {parameters}, \
             \"{top}\", \"{version}\", {plain}, {traced}, {from}{write}}};\n\
             return &library;\n\
             }}\n",
            symbol = self.symbol,
            input = self.sizes.input,
            output = self.sizes.output,
            parameters = self.sizes.parameters,
            top = self.design.top.escape_default(),
            version = verilator.version,
            plain = create(Variant::Plain),
            traced = create(Variant::Traced),
        );
        write_all(out, &[("library.cpp", &text)])?;
        Ok(Unit {
            name: "library".to_owned(),
            source: out.join("library.cpp"),
            include_dirs: common.include_dirs.clone(),
            headers: None,
            optimization: "-O0",
            content: format!("{} {text}", common.run_time_hash),
            object_dir: common.object_dir.clone(),
        })
    }
}

/// What all units of a model have in common.
struct Common {
    run_time_hash: String,
    include_dirs: Vec<PathBuf>,
    headers: Option<PathBuf>,
    object_dir: PathBuf,
}

/// Hash of this crate's C++ and of the run time's sources, which every unit may include. A process reads them once.
pub(crate) fn run_time_hash(include: &Path) -> Result<String, CompileError> {
    static KNOWN: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(hash) = known.get(include) {
        return Ok(hash.clone());
    }
    let hash = hash_run_time(include)?;
    known.insert(include.to_owned(), hash.clone());
    Ok(hash)
}

fn hash_run_time(include: &Path) -> Result<String, CompileError> {
    let mut hash = Hash::new();
    for (name, text) in CPP {
        hash.text(name).text(text);
    }
    for folder in [include.to_owned(), include.join("vltstd")] {
        for file in cpp_files(&folder)? {
            hash.file(&file)?;
        }
    }
    Ok(hash.finish())
}

/// The C++ files of a folder, sorted.
fn cpp_files(folder: &Path) -> Result<Vec<PathBuf>, CompileError> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| {
            entries
                .map(|entry| entry.map(|entry| entry.path()))
                .collect()
        })
        .map_err(io_error(folder))?;
    files.retain(|path| {
        path.extension()
            .is_some_and(|kind| kind == "h" || kind == "cpp")
    });
    files.sort();
    Ok(files)
}

fn include_line(path: &Path) -> String {
    format!(
        "#include \"{}\"\n",
        path.file_name().unwrap_or_default().to_string_lossy()
    )
}

fn total_bytes(files: &[PathBuf]) -> Result<u64, CompileError> {
    files
        .iter()
        .map(|file| Ok(fs::metadata(file).map_err(io_error(file))?.len()))
        .sum()
}

fn write_all(folder: &Path, files: &[(&str, &str)]) -> Result<(), CompileError> {
    fs::create_dir_all(folder).map_err(io_error(folder))?;
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).map_err(io_error(&path))?;
    }
    Ok(())
}
