//! What Verilator is told about a design.

use std::ffi::OsString;
#[cfg(feature = "shared")]
use std::fs;
use std::path::{Path, PathBuf};

use crate::verilate_error::VerilateError;

/// A design: what Verilator is told about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Design {
    /// SystemVerilog files; packages before the modules that use them. Messages of a build name the
    /// files as they are written here; stops name them from the folder on that all files of the design are in.
    pub sources: Vec<PathBuf>,
    /// Folders for `` `include ``. Verilator looks for modules there too.
    pub include_dirs: Vec<PathBuf>,
    /// Folders of modules that no source declares (`-y`). Verilator looks for included files there
    /// too.
    pub library_dirs: Vec<PathBuf>,
    /// Files of modules that are taken only if something uses them (`-v`).
    pub library_files: Vec<PathBuf>,
    /// Endings of files in `library_dirs`, with the point: `.v`. Empty: `.v` and `.sv`.
    pub library_extensions: Vec<String>,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Name of the top module.
    pub top: String,
    /// Parameters of the top module: name and value, the value as in SystemVerilog.
    pub parameters: Vec<(String, String)>,
    /// Further arguments of Verilator, after all others; relative paths in them start from the working directory. Those
    /// that would change what it writes are refused.
    pub arguments: Vec<String>,
    /// Whether instances can begin with random values: those of registers before their reset, and of whatever else the design
    /// leaves without one. They are slower then; without it such values are zero, at no cost.
    pub random_start: bool,
    /// Whether instances count how often each line runs, each bit of a signal changes, and each `cover` holds. They are
    /// slower then.
    pub coverage: bool,
}

/// Arguments that the build itself decides about; a final `*` stands for any ending.
const RESERVED: [(&str, &str); 27] = [
    ("Mdir", PLACE),
    ("prefix", PLACE),
    ("mod-prefix", PLACE),
    ("top", "name the top module apart"),
    ("top-module", "name the top module apart"),
    ("cc", OUTPUT),
    ("sc", OUTPUT),
    ("exe", OUTPUT),
    ("main*", OUTPUT),
    ("build*", OUTPUT),
    ("binary", OUTPUT),
    ("lib-create", OUTPUT),
    ("protect-lib", OUTPUT),
    ("hierarchical*", OUTPUT),
    ("lint-only", OUTPUT),
    ("xml-only", OUTPUT),
    ("json-only", OUTPUT),
    ("E", OUTPUT),
    ("timing", "the clock is the only source of events"),
    ("threads*", "a design runs on one thread"),
    (
        "trace*",
        "the build decides which of its libraries can trace",
    ),
    ("coverage*", "--rtl-coverage builds a design with coverage"),
    ("savable", OUTPUT),
    ("pins*", "the ports have the types of the DUT contract"),
    ("CFLAGS", COMPILER),
    ("LDFLAGS", COMPILER),
    ("timescale-override", "times are in nanoseconds"),
];
const PLACE: &str = "the build decides where files go";
const COMPILER: &str = "the build decides how C++ is compiled";
const OUTPUT: &str = "the build decides what Verilator writes";

/// Why an argument cannot be passed on, if so.
fn reserved(argument: &str) -> Option<&'static str> {
    let name = argument.strip_prefix('-')?;
    let name = name.strip_prefix('-').unwrap_or(name);
    let matches = |pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    RESERVED
        .iter()
        .find(|(pattern, _)| matches(pattern))
        .map(|(_, reason)| *reason)
}

impl Design {
    /// Checks what can be checked without Verilator.
    ///
    /// # Errors
    /// A file that is not there, or an argument that the build decides about.
    pub(crate) fn check(&self) -> Result<(), VerilateError> {
        let mut files = self.sources.iter().chain(&self.library_files);
        if let Some(path) = files.find(|path| !path.is_file()) {
            return Err(VerilateError::NoSource { path: path.clone() });
        }
        for argument in &self.arguments {
            if let Some(reason) = reserved(argument) {
                return Err(VerilateError::Argument {
                    argument: argument.clone(),
                    reason,
                });
            }
        }
        Ok(())
    }

    /// The arguments with absolute paths where they name files and folders that are there, from `base`.
    pub fn absolute_arguments(&self, base: &Path) -> Vec<String> {
        self.arguments_at(base, &|path| at(base, path))
    }

    /// The arguments with what `at` makes of the paths of files and folders that are there, from `base`.
    pub(crate) fn arguments_at(&self, base: &Path, at: &dyn Fn(&str) -> String) -> Vec<String> {
        let mut before = "";
        let mut absolute = Vec::new();
        for argument in &self.arguments {
            absolute.push(argument_at(before, argument, base).map_or(
                argument.clone(),
                |(start, paths)| {
                    let paths = paths.iter().map(|path| at(path));
                    start.to_owned() + &paths.collect::<Vec<_>>().join("+")
                },
            ));
            before = argument;
        }
        absolute
    }

    /// The files and folders that the arguments name.
    pub(crate) fn path_arguments(&self, base: &Path) -> Vec<PathBuf> {
        let before = [""]
            .into_iter()
            .chain(self.arguments.iter().map(String::as_str));
        let found = before
            .zip(&self.arguments)
            .filter_map(|(before, argument)| argument_at(before, argument, base));
        found
            .flat_map(|(_, paths)| paths.into_iter().map(PathBuf::from))
            .collect()
    }

    /// The design as arguments of Verilator.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let joined = |option: &str, value: &Path| {
            let mut argument = OsString::from(option);
            argument.push(value);
            argument
        };
        let mut arguments = vec!["--top-module".into(), OsString::from(&self.top)];
        let parameters = self.parameters.iter();
        arguments.extend(parameters.map(|(name, value)| format!("-G{name}={value}").into()));
        // Unlike `+define+` and `+incdir+` these take a value with a plus sign.
        let defines = self.defines.iter();
        arguments.extend(defines.map(|define| format!("-D{define}").into()));
        arguments.extend(self.include_dirs.iter().map(|folder| joined("-I", folder)));
        for (option, paths) in [("-y", &self.library_dirs), ("-v", &self.library_files)] {
            for path in paths {
                arguments.extend([option.into(), path.into()]);
            }
        }
        if !self.library_extensions.is_empty() {
            let extensions = self.library_extensions.join("+");
            arguments.push(format!("+libext+{extensions}").into());
        }
        arguments.extend(self.arguments.iter().map(OsString::from));
        if self.random_start {
            arguments.extend(RANDOM_START.map(OsString::from));
        }
        if self.coverage {
            arguments.extend(COVERAGE.map(OsString::from));
        }
        arguments.extend(self.sources.iter().map(OsString::from));
        arguments
    }
}

/// What is counted. Not `--coverage`, which in later versions counts terms of expressions too, and fails on some.
const COVERAGE: [&str; 3] = ["--coverage-line", "--coverage-toggle", "--coverage-user"];

/// Values that the run time is asked for. Of several such options the last one holds.
const RANDOM_START: [&str; 4] = ["--x-assign", "unique", "--x-initial", "unique"];

/// Options that a path follows, which need not be there yet.
const BEFORE_A_PATH: [&str; 6] = ["-y", "-v", "-f", "-F", "--waiver-output", "-waiver-output"];

/// What an argument begins with and the paths that follow, if it names any that are there; `before` is the argument
/// before it.
fn argument_at<'a>(
    before: &str,
    argument: &'a str,
    base: &Path,
) -> Option<(&'a str, Vec<&'a str>)> {
    let is_there = |path: &str| !path.is_empty() && base.join(path).exists();
    for start in ["+incdir+", "-I"] {
        if let Some(paths) = argument.strip_prefix(start) {
            let paths: Vec<_> = paths.split('+').filter(|path| !path.is_empty()).collect();
            return paths
                .iter()
                .any(|path| is_there(path))
                .then_some((start, paths));
        }
    }
    let is_value = before.starts_with('-') && !argument.contains(['.', '/']);
    let is_path = match argument.starts_with(['-', '+']) {
        true => false,
        false if BEFORE_A_PATH.contains(&before) => !argument.is_empty(),
        // The value of an option may be the name of a file by chance.
        false => !is_value && is_there(argument),
    };
    is_path.then(|| ("", vec![argument]))
}

/// `path`, which starts from `base` if it is relative, without `.` parts.
pub(crate) fn absolute(base: &Path, path: &Path) -> PathBuf {
    let joined = base.join(path);
    // The empty path is the only one that cannot be, and it is joined to `base`.
    std::path::absolute(&joined).unwrap_or(joined)
}

/// `path` from `base`.
fn at(base: &Path, path: &str) -> String {
    let path = absolute(base, Path::new(path));
    // It was made of text; only a working directory that is none changes it.
    path.to_string_lossy().into_owned()
}

/// The names of the files of a folder, sorted, without hidden ones. A folder that cannot be read has none.
#[cfg(feature = "shared")]
pub(crate) fn file_names(folder: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<OsString> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()))
        .map(|entry| entry.file_name())
        .filter(|name| !name.as_encoded_bytes().starts_with(b"."))
        .collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_becomes_an_argument() {
        let design = Design {
            sources: vec!["a.sv".into()],
            include_dirs: vec!["in".into()],
            library_dirs: vec!["lib".into()],
            library_files: vec!["cells.v".into()],
            library_extensions: vec![".v".into(), ".vg".into()],
            defines: vec!["FAST".into(), "SUM=1+1".into()],
            top: "wrapper".into(),
            parameters: vec![("Width".into(), "8'h10".into())],
            arguments: vec!["-Wno-WIDTH".into()],
            ..Design::default()
        };
        let expected = "--top-module wrapper -GWidth=8'h10 -DFAST -DSUM=1+1 -Iin -y lib -v cells.v \
                        +libext+.v+.vg -Wno-WIDTH a.sv";
        assert_eq!(
            design.arguments(),
            expected.split(' ').map(OsString::from).collect::<Vec<_>>()
        );
    }

    #[test]
    fn arguments_that_name_files_become_absolute() {
        let folder = tempfile::tempdir().expect("created");
        let base = folder.path();
        for name in ["waive.vlt", "unique"] {
            fs::write(base.join(name), "").expect("written");
        }
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let design = Design {
            arguments: words(
                "-Wno-WIDTH waive.vlt --x-assign unique -I. -I/in +incdir+.+none -y cells nothing.vlt",
            ),
            ..Design::default()
        };
        let base = base.to_str().expect("UTF-8");
        let expected = format!(
            "-Wno-WIDTH {base}/waive.vlt --x-assign unique -I{base} -I/in +incdir+{base}+{base}/none -y {base}/cells \
             nothing.vlt"
        );
        assert_eq!(design.absolute_arguments(Path::new(base)), words(&expected));
    }

    #[test]
    fn arguments_that_change_the_output_are_refused() {
        for argument in [
            "--Mdir",
            "-Mdir",
            "--trace-fst",
            "--threads",
            "--timing",
            "--cc",
            "-CFLAGS",
        ] {
            assert!(reserved(argument).is_some(), "{argument}");
        }
        for argument in [
            "-Wno-WIDTH",
            "--bbox-unsup",
            "--x-assign",
            "unique",
            "--ccx",
        ] {
            assert_eq!(reserved(argument), None, "{argument}");
        }
    }
}
