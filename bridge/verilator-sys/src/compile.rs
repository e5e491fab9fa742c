//! Compiling C++: finding the compiler, compiling units in parallel, keeping objects.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use lockstep_scratch::ScratchFolder;
use sha2::{Digest, Sha256};

use crate::held::hold;
use crate::launcher;

/// How hard the C++ compiler works on the code that runs in every cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Optimization {
    /// `-O3`: about twice the speed of `-O2`. For anything that runs for more than some seconds.
    #[default]
    Full,
    /// `-O1`: for a design that is built to be run once and thrown away.
    Quick,
}

impl Optimization {
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Optimization::Full => "-O3",
            Optimization::Quick => "-O1",
        }
    }
}

/// A C++ compiler that runs.
#[derive(Clone, Debug)]
pub struct Compiler {
    path: PathBuf,
    args: Vec<OsString>,
    /// Path, flags and version: whatever the compiler's output depends on.
    identity: String,
    /// Whether it is GCC, which takes headers that were compiled before with another level of optimization, and goes on
    /// without them where it cannot use them.
    pub(crate) is_gcc: bool,
    /// The first line of what it says of its version.
    #[cfg_attr(not(feature = "shared"), expect(dead_code))]
    version: String,
}

/// Why C++ could not be compiled.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// No compiler runs.
    #[error(
        "[C++] expected a C++17 compiler, found none of {tried}: install g++ or clang++, set CXX, \
         or build with --no-default-features"
    )]
    NoCompiler {
        /// The commands that were tried.
        tried: String,
    },
    /// The compiler or the linker found errors.
    #[error("[C++] expected {compiler} to make {file}, found:\n{message}")]
    Failed {
        /// The compiler.
        compiler: PathBuf,
        /// The file it should have made.
        file: PathBuf,
        /// Its first lines.
        message: String,
    },
    /// The design calls functions that nothing defines.
    #[error(
        "[C++] expected every function that the design imports (DPI-C) to be there, found:\n{message}\nA design is \
         built of SystemVerilog alone: take the imports out, for instance by a macro"
    )]
    Undefined {
        /// The linker's first lines.
        message: String,
    },
    /// A file could not be read or written.
    #[error("[C++] expected to use {path}, found: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// Flags of every unit, whatever compiles it.
const FLAGS: [&str; 15] = [
    "-std=c++17",
    "-w",
    "-pthread",
    "-fPIC",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-DVERILATOR=1",
    "-DVM_COVERAGE=0",
    "-DVM_SC=0",
    "-DVM_TIMING=0",
    "-DVM_TRACE=1",
    "-DVM_TRACE_VCD=1",
    "-DVM_TRACE_FST=0",
    "-DVM_TRACE_SAIF=0",
    "-DNDEBUG",
];

/// Flags for compilers that know them. A loop without end in a design is a hang that the user must
/// see, so the compiler may not assume it away; and inline variables of one shared library
/// must not be merged with those of another.
const OPTIONAL_FLAGS: [&str; 2] = ["-fno-finite-loops", "-fno-gnu-unique"];

/// A compiler that was found, with the environment that it was found in.
type Found = (Vec<(OsString, OsString)>, Compiler);

impl Compiler {
    /// Finds the compiler as the `cc` crate does: `CXX` and `CXXFLAGS` with their target-specific
    /// forms, else `c++`; then `g++` and `clang++`.
    ///
    /// A compiler takes a few runs to be found; one that was found is found again at once while the environment of
    /// this process is the same.
    ///
    /// # Errors
    /// [`CompileError::NoCompiler`] if none of them runs.
    pub fn find() -> Result<Compiler, CompileError> {
        static FOUND: Mutex<Option<Found>> = Mutex::new(None);
        let environment: Vec<_> = std::env::vars_os().collect();
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, compiler)) = &*found
            && *known == environment
        {
            return Ok(compiler.clone());
        }
        let compiler = Compiler::find_among(&[None, Some("g++"), Some("clang++")])?;
        *found = Some((environment, compiler.clone()));
        Ok(compiler)
    }

    /// `None` stands for what the environment asks for, or the default.
    fn find_among(names: &[Option<&str>]) -> Result<Compiler, CompileError> {
        let mut tried = Vec::new();
        // Where `cc` writes what it has the compiler look at: a process that is killed leaves it.
        let scratch = ScratchFolder::new();
        for &name in names {
            // `cc` asks a compiler more, and waits for the answers without end.
            let wanted = match name {
                None => std::env::var("CXX").ok(),
                Some(name) => Some(name.to_owned()),
            };
            let program = wanted
                .as_deref()
                .and_then(|words| words.split_whitespace().next());
            let answer = program.map(|program| {
                let answer = launcher::ask(Command::new(program).arg("--version"));
                (program, answer)
            });
            let silent = match &answer {
                Some((program, Err(error))) if error.kind() == io::ErrorKind::TimedOut => {
                    Some(format!("{program} ({error})"))
                }
                Some((program, Ok(output))) if !output.status.success() => {
                    Some((*program).to_owned())
                }
                _ => None,
            };
            if let Some(silent) = silent {
                tried.push(silent);
                match name {
                    // What CXX asks for is not replaced by something else.
                    None => break,
                    Some(_) => continue,
                }
            }
            // A build script is told the target; a program compiles for what it was compiled for.
            let variable = |name| std::env::var(name).ok();
            let target = variable("TARGET").unwrap_or(env!("VERILATOR_SYS_TARGET").to_owned());
            let host = variable("HOST").unwrap_or_else(|| target.clone());
            let mut build = cc::Build::new();
            build
                .cpp(true)
                .target(&target)
                .host(&host)
                .opt_level(3)
                .debug(false);
            build
                .warnings(false)
                .cargo_metadata(false)
                .cargo_warnings(false)
                .cargo_output(false);
            if let Some(name) = name {
                build.compiler(name);
            }
            if let Ok(scratch) = &scratch {
                build.out_dir(scratch.path());
            }
            let Ok(tool) = build.try_get_compiler() else {
                continue;
            };
            let path = tool.path().to_owned();
            tried.push(path.display().to_string());
            let output = match answer {
                Some((program, answer)) if Path::new(program) == path => answer,
                _ => launcher::ask(Command::new(&path).arg("--version")),
            };
            let Some(output) = output.ok().filter(|output| output.status.success()) else {
                // What CXX asks for is not replaced by something else.
                if name.is_none() && path != Path::new("c++") {
                    break;
                }
                continue;
            };
            let is_gcc = tool.is_like_gnu() && !tool.is_like_clang();
            let mut args = tool.args().to_vec();
            args.extend(FLAGS.map(Into::into));
            let optional = OPTIONAL_FLAGS.iter().filter(|flag| accepts(&path, flag));
            args.extend(optional.map(Into::into));
            let version = String::from_utf8_lossy(&output.stdout);
            let identity = format!("{} {args:?} {version}", path.display());
            return Ok(Compiler {
                path,
                args,
                identity,
                is_gcc,
                version: version.lines().next().unwrap_or_default().trim().to_owned(),
            });
        }
        Err(CompileError::NoCompiler {
            tried: tried.join(", "),
        })
    }

    /// Whatever the compiler's output depends on besides its input, for a cache key.
    pub(crate) fn identity(&self) -> &str {
        &self.identity
    }

    /// Name and version, in a line.
    #[cfg(feature = "shared")]
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    fn command(&self) -> Command {
        let mut command = launcher::command(&self.path);
        command.args(&self.args);
        command
    }

    /// Links objects into a shared library that exports `symbol` and nothing else.
    #[cfg(feature = "shared")]
    pub(crate) fn link_shared(
        &self,
        objects: &[PathBuf],
        symbol: &str,
        library: &Path,
    ) -> Result<(), CompileError> {
        let mut command = self.command();
        command.arg("-shared").args(objects);
        if cfg!(target_os = "linux") {
            const SCRIPT: &str = "symbols.map";
            // From where it is: the path may have a comma, which ends an argument for the linker.
            let folder = library.parent().unwrap_or(Path::new("."));
            let script = folder.join(SCRIPT);
            let text = format!("{{ global: {symbol}; local: *; }};\n");
            fs::write(&script, text).map_err(io_error(&script))?;
            command.current_dir(folder);
            command.arg(format!("-Wl,--version-script={SCRIPT}"));
            // A function that nothing defines is an error now, not when the design calls it.
            command.arg("-Wl,-z,defs");
        }
        self.make(command, library).map_err(|error| match error {
            CompileError::Failed { message, .. } if message.contains("undefined") => {
                CompileError::Undefined { message }
            }
            error => error,
        })
    }

    /// Compiles a unit into its folder, whole or not at all: other processes, and other threads of this one, may be
    /// making the same object.
    fn compile(&self, unit: &Unit) -> Result<PathBuf, CompileError> {
        let folder = &unit.object_dir;
        let draft = ScratchFolder::new_in(folder).map_err(io_error(folder))?;
        let made = draft.path().join("unit.o");
        self.compile_to(unit, &made)?;
        let name = format!("{}.{}.o", unit.key(self), object_hash(&made)?);
        let object = folder.join(name);
        fs::rename(&made, &object).map_err(io_error(&object))?;
        hold(&object);
        Ok(object)
    }

    fn compile_to(&self, unit: &Unit, object: &Path) -> Result<(), CompileError> {
        let compiled = |first: &Path| {
            let mut command = self.command();
            command.arg(unit.optimization);
            for folder in &unit.include_dirs {
                command.arg("-I").arg(folder);
            }
            command.arg("-include").arg(first);
            command.arg("-c").arg(&unit.source);
            self.make(command, object)
        };
        let hooks = Path::new(HOOKS);
        match &unit.headers {
            // Should they be what is wrong, all is well without them; should they not be, the error is the same.
            Some(headers) => compiled(headers).or_else(|_| compiled(hooks)),
            None => compiled(hooks),
        }
    }

    /// Compiles a header, to be included ahead of units.
    pub(crate) fn compile_header(
        &self,
        header: &Path,
        include_dirs: &[PathBuf],
        to: &Path,
    ) -> Result<(), CompileError> {
        let mut command = self.command();
        command.arg(Optimization::Full.flag());
        for folder in include_dirs {
            command.arg("-I").arg(folder);
        }
        command.args(["-x", "c++-header"]).arg(header);
        self.make(command, to)
    }

    /// Runs a command that makes `file`.
    fn make(&self, mut command: Command, file: &Path) -> Result<(), CompileError> {
        // What a compiler that is killed leaves goes with the folder of what it made.
        let folder = std::path::absolute(file).ok();
        if let Some(folder) = folder.as_deref().and_then(Path::parent) {
            command.env("TMPDIR", folder);
        }
        let output = command
            .arg("-o")
            .arg(file)
            .output()
            .map_err(io_error(&self.path))?;
        let message = match first_lines(&launcher::beginning(&output.stderr)) {
            message if output.status.success() && message.is_empty() => "no message".to_owned(),
            message if message.is_empty() => output.status.to_string(),
            message => message,
        };
        let message = match (output.status.success(), file.is_file()) {
            (true, true) => return Ok(()),
            (true, false) => format!("no such file, although it ended without a fault; {message}"),
            (false, _) => message,
        };
        Err(CompileError::Failed {
            compiler: self.path.clone(),
            file: file.to_owned(),
            message,
        })
    }
}

/// The header that goes ahead of every unit.
pub(crate) const HOOKS: &str = "run_time_hooks.h";

/// One file to compile.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// Start of the object's name.
    pub name: String,
    pub source: PathBuf,
    pub include_dirs: Vec<PathBuf>,
    /// Headers that are included ahead of it, in place of the hooks.
    pub headers: Option<PathBuf>,
    pub optimization: &'static str,
    /// Hash of the source and of everything it may include.
    pub content: String,
    /// Where the object goes, unless it is there already.
    pub object_dir: PathBuf,
}

impl Unit {
    /// What the name of the object begins with.
    fn key(&self, compiler: &Compiler) -> String {
        let mut hash = Hash::new();
        hash.text(compiler.identity())
            .text(self.optimization)
            .text(&self.content);
        format!("{}-{}", self.name, &hash.finish()[..32])
    }

    /// The object, if it was made before and is as it was made: its name ends with its own hash. One that is damaged is
    /// removed.
    fn object(&self, compiler: &Compiler) -> Option<PathBuf> {
        let start = self.key(compiler) + ".";
        let entries = fs::read_dir(&self.object_dir).ok()?.flatten();
        let is_it = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with(&start));
        let mut found = entries.filter(|entry| is_it(&entry.file_name()));
        found.find_map(|entry| {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let whole = hold(&path)
                && object_hash(&path).is_ok_and(|hash| name == format!("{start}{hash}.o"));
            if !whole {
                // Another build may have been faster.
                let _ = fs::remove_file(&path);
            }
            whole.then_some(path)
        })
    }
}

/// What the name of an object ends with.
pub(crate) fn object_hash(path: &Path) -> Result<String, CompileError> {
    let hash = Hash::new().file(path)?.finish();
    Ok(hash[..16].to_owned())
}

/// Compiles the units that have no object yet, on every core, and returns all objects in order.
/// The first units are begun first, so the longest should come first.
pub(crate) fn objects(compiler: &Compiler, units: &[Unit]) -> Result<Vec<PathBuf>, CompileError> {
    for unit in units {
        fs::create_dir_all(&unit.object_dir).map_err(io_error(&unit.object_dir))?;
    }
    let found = units.iter().map(|unit| Mutex::new(unit.object(compiler)));
    let objects: Vec<Mutex<Option<PathBuf>>> = found.collect();
    let object = |index: usize| {
        objects[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    };
    let missing: Vec<usize> = (0..units.len())
        .filter(|&index| object(index).is_none())
        .collect();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), CompileError> {
        while let Some(&index) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            let _core = Core::take(cores);
            // Another build may have made it meanwhile.
            let made = match units[index].object(compiler) {
                Some(made) => made,
                None => compiler.compile(&units[index])?,
            };
            *object(index) = Some(made);
        }
        Ok(())
    };
    let workers = cores.min(missing.len());
    thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        // A worker does not panic; if it did, so does this.
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("worker finished"))
    })?;
    let objects = objects.into_iter().map(Mutex::into_inner);
    let objects = objects.map(|object| object.unwrap_or_else(PoisonError::into_inner));
    // The workers have made those that were missing.
    Ok(objects.flatten().collect())
}

/// The right to keep a core busy: builds that run side by side share the cores of the machine.
struct Core;

/// Cores that are busy, and a sign when one no longer is.
static BUSY: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

impl Core {
    /// Waits until fewer than `cores` are busy.
    fn take(cores: usize) -> Core {
        let busy = BUSY.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut busy = BUSY
            .1
            .wait_while(busy, |busy| *busy >= cores)
            .unwrap_or_else(PoisonError::into_inner);
        *busy += 1;
        Core
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        *BUSY.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        BUSY.1.notify_one();
    }
}

/// A hash over parts, each with its length, so that parts do not run into each other.
pub(crate) struct Hash(Sha256);

impl Hash {
    pub(crate) fn new() -> Hash {
        Hash(Sha256::new())
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Hash {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Hash {
        self.bytes(text.as_bytes())
    }

    pub(crate) fn file(&mut self, path: &Path) -> Result<&mut Hash, CompileError> {
        let read = |hash: &mut Sha256| {
            let mut file = fs::File::open(path)?;
            hash.update(file.metadata()?.len().to_le_bytes());
            io::copy(&mut file, hash)
        };
        read(&mut self.0).map_err(io_error(path))?;
        Ok(self)
    }

    pub(crate) fn finish(&self) -> String {
        self.0
            .clone()
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

pub(crate) fn io_error(path: &Path) -> impl FnOnce(io::Error) -> CompileError + use<> {
    let path = path.to_owned();
    move |source| CompileError::Io { path, source }
}

fn accepts(compiler: &Path, flag: &str) -> bool {
    let mut asked = Command::new(compiler);
    let output =
        launcher::ask(asked.args(["-Werror", flag, "-x", "c++", "-fsyntax-only", "/dev/null"]));
    output.is_ok_and(|output| output.status.success())
}

fn first_lines(message: &str) -> String {
    const LINES: usize = 12;
    const LONGEST: usize = 500;
    let line = |line: &str| line.chars().take(LONGEST).collect::<String>();
    let lines: Vec<_> = message.lines().take(LINES).map(line).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_compiler() {
        let error =
            Compiler::find_among(&[Some("/nowhere/c++"), Some("/nowhere/g++")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "[C++] expected a C++17 compiler, found none of /nowhere/c++, /nowhere/g++: install g++ \
             or clang++, set CXX, or build with --no-default-features"
        );
    }

    #[test]
    fn parts_of_a_hash_do_not_run_into_each_other() {
        let of = |parts: &[&str]| {
            let mut hash = Hash::new();
            for part in parts {
                hash.text(part);
            }
            hash.finish()
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
    }

    #[test]
    fn an_error_shows_the_compilers_first_lines() {
        let folder = tempfile::tempdir().expect("created");
        let source = folder.path().join("wrong.cpp");
        fs::write(&source, "int f() { return x; }\n").expect("written");
        fs::write(folder.path().join(HOOKS), "").expect("written");
        let unit = Unit {
            name: "wrong".to_owned(),
            source,
            include_dirs: vec![folder.path().to_owned()],
            headers: None,
            optimization: "-O0",
            content: String::new(),
            object_dir: folder.path().join("objects"),
        };
        let error = objects(&Compiler::find().expect("a compiler"), &[unit]).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("wrong.cpp:1:"), "{text}");
        assert!(text.lines().count() <= 13, "{text}");
        let left = fs::read_dir(folder.path().join("objects"))
            .expect("read")
            .count();
        assert_eq!(left, 0, "no object and no temporary file is left");
    }
}
