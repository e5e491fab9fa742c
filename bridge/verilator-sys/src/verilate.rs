//! Running Verilator on a design.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use crate::design::Design;
use crate::find::Verilator;
use crate::launcher;
use crate::places::Places;
use crate::rejection::{rejected, tidy};
pub use crate::verilate_error::VerilateError;

/// One run of Verilator.
#[derive(Clone, Debug)]
pub struct VerilateRequest<'a> {
    /// What to Verilate.
    pub design: &'a Design,
    /// Whether the model can write value change dumps, which costs some speed also when it does not.
    pub trace: bool,
    /// Where the C++ goes. Created on demand; files of an earlier run with the same prefix are
    /// removed. Verilator runs in this folder, and looks for modules and included files there: it should hold none.
    pub out_dir: &'a Path,
    /// Name of the generated class, and start of the name of every generated file and symbol.
    pub prefix: &'a str,
}

/// What Verilator made.
#[derive(Clone, Debug)]
pub struct Verilated {
    /// Name of the generated class.
    pub prefix: String,
    /// The folder of the generated files.
    pub out_dir: PathBuf,
    /// The header of the generated class.
    pub header: PathBuf,
    /// C++ files that run in every cycle.
    pub fast: Vec<PathBuf>,
    /// C++ files that run in every cycle that is traced.
    pub trace: Vec<PathBuf>,
    /// C++ files that run once or seldom.
    pub slow: Vec<PathBuf>,
    /// Files of Verilator's run time that the model needs.
    pub run_time: Vec<PathBuf>,
    /// Every file that Verilator read: sources, included files, its own binary. For
    /// `rerun-if-changed`.
    pub dependencies: Vec<PathBuf>,
    /// Verilator's warnings; empty if there are none.
    pub warnings: String,
    /// The same, with names of files from the folder on that all files of the design are in.
    pub warnings_inside: String,
}

impl VerilateRequest<'_> {
    /// Runs Verilator. Warnings do not fail; they are returned.
    ///
    /// # Errors
    /// [`VerilateError`]; a rejected design comes with Verilator's own message.
    pub fn run(&self, verilator: &Verilator) -> Result<Verilated, VerilateError> {
        self.design.check()?;
        self.clear().map_err(io_error(self.out_dir))?;
        let here = Path::new(".");
        let places = Places::of(self.design).map_err(io_error(here))?;
        let out_dir = places.absolute(self.out_dir);
        let mut command = verilator.command();
        // Modules and included files that lie where this command runs are none of the design's.
        command.current_dir(&out_dir);
        places.link_root(&out_dir).map_err(io_error(&out_dir))?;
        command.args(FLAGS);
        command.arg("--prefix").arg(self.prefix);
        // Its own path may have characters that Verilator cannot take.
        command.args(["--Mdir", "."]);
        if self.trace {
            command.args(TRACE_FLAGS);
        }
        let design = places.apply(self.design);
        design.check_paths(&places)?;
        command.args(design.arguments());
        let output = command.output().map_err(io_error(&verilator.bin))?;
        let messages = match output.status.success() {
            true => launcher::text(&output.stderr),
            false => launcher::beginning(&output.stderr),
        };
        let told = tidy(messages.trim_end(), &out_dir);
        let messages = places.named(&told);
        if !output.status.success() {
            if let Some(number) = launcher::signal(output.status) {
                // No design is to blame for that.
                let told = match messages.is_empty() {
                    true => "it said nothing".to_owned(),
                    false => format!("it said:\n{messages}"),
                };
                let ended = io::Error::other(format!("signal {number} ended it, and {told}"));
                return Err(io_error(&verilator.bin)(ended));
            }
            let message = if messages.is_empty() {
                output.status.to_string()
            } else {
                messages
            };
            return Err(rejected(self.design, verilator.version, message));
        }
        let verilated = self.read_lists(verilator, &places)?;
        Ok(Verilated {
            warnings: messages,
            warnings_inside: places.named_inside(&told),
            ..verilated
        })
    }

    fn clear(&self) -> io::Result<()> {
        fs::create_dir_all(self.out_dir)?;
        for entry in fs::read_dir(self.out_dir)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(self.prefix) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    fn read_lists(
        &self,
        verilator: &Verilator,
        places: &Places,
    ) -> Result<Verilated, VerilateError> {
        let file = |suffix: &str| self.out_dir.join(format!("{}{suffix}", self.prefix));
        let read = |path: &Path| fs::read_to_string(path).map_err(io_error(path));

        let classes_path = file("_classes.mk");
        let classes = read(&classes_path)?;
        let list = |variables: &[&str], folder: &Path| -> Vec<PathBuf> {
            let names = variables
                .iter()
                .flat_map(|variable| make_list(&classes, variable));
            names
                .map(|name| folder.join(format!("{name}.cpp")))
                .collect()
        };
        let include = verilator.include();
        let fast = list(&["VM_CLASSES_FAST"], self.out_dir);
        let trace = list(&["VM_SUPPORT_FAST"], self.out_dir);
        let slow = list(&["VM_CLASSES_SLOW", "VM_SUPPORT_SLOW"], self.out_dir);
        let run_time = list(&["VM_GLOBAL_FAST", "VM_GLOBAL_SLOW"], &include);
        if fast.is_empty() || run_time.is_empty() {
            return Err(VerilateError::Listing {
                path: classes_path,
                expected: "C++ files",
            });
        }

        let files_path = file("__verFiles.dat");
        let read_by_it = source_list(&read(&files_path)?);
        let dependencies: Vec<_> = read_by_it
            .iter()
            .map(|path| PathBuf::from(places.named(&path.to_string_lossy())))
            .collect();
        if dependencies.is_empty() {
            return Err(VerilateError::Listing {
                path: files_path,
                expected: "source files",
            });
        }
        let sources: Vec<_> = dependencies
            .iter()
            .map(|path| (path.clone(), places.inside(path)))
            .collect();
        for path in fast.iter().chain(&trace).chain(&slow) {
            finish(path, places, &sources).map_err(io_error(path))?;
        }
        let mut data = Vec::new();
        for path in &dependencies {
            // Verilator itself is among them, and no text.
            let text = fs::read_to_string(path).unwrap_or_default();
            data.extend(data_files(&text).map(PathBuf::from));
        }
        data.retain(|path| path.is_file());
        data.sort();
        data.dedup();
        let dependencies = dependencies.into_iter().chain(data).collect();
        Ok(Verilated {
            prefix: self.prefix.to_owned(),
            out_dir: self.out_dir.to_owned(),
            header: file(".h"),
            fast,
            trace,
            slow,
            run_time,
            dependencies,
            warnings: String::new(),
            warnings_inside: String::new(),
        })
    }
}

/// Names of the files that a source has memories read from, where they are written out: what they have in them is the
/// design's too.
fn data_files(text: &str) -> impl Iterator<Item = &str> {
    let calls = text.split("$readmem").skip(1);
    calls.filter_map(|call| {
        let (_, inside) = call.split_once('(')?;
        let (name, _) = inside.trim_start().strip_prefix('"')?.split_once('"')?;
        Some(name)
    })
}

/// The same for every design and version that is traced.
const TRACE_FLAGS: [&str; 5] = [
    "--trace",
    // The counters of a System PMU are one memory of some hundred words, more than is traced by default.
    "--trace-max-array",
    "512",
    "--trace-max-width",
    "32768",
];

/// The same for every design and version.
const FLAGS: [&str; 18] = [
    "--cc",
    // A file may include those beside it.
    "--relative-includes",
    "-O3",
    // What is uninitialized is zero, at no cost; the DUT contract starts every run with a reset.
    "--x-assign",
    "fast",
    "--x-initial",
    "fast",
    "--assert",
    // The clock is the only source of events. Delays in a design are ignored.
    "--no-timing",
    // The time stamps of traces and stops are in nanoseconds whatever the sources say.
    "--timescale-override",
    "1ns/1ns",
    // Reset loops over more than the default of 64 elements, for versions that do not unroll them.
    "--unroll-count",
    "512",
    // The default was 100 and is now 10000.
    "--converge-limit",
    "1000",
    // Warnings are for the designer's lint, not for the one who runs the design.
    "-Wno-fatal",
    "--error-limit",
    "20",
];

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> VerilateError + use<> {
    let path = path.to_owned();
    move |source| VerilateError::Io { path, source }
}

/// The words of `VARIABLE += \` and its continuation lines.
fn make_list<'a>(makefile: &'a str, variable: &str) -> Vec<&'a str> {
    let mut lines = makefile.lines();
    let start = format!("{variable} +=");
    if lines.find(|line| line.starts_with(&start)).is_none() {
        return Vec::new();
    }
    lines
        .map(|line| line.trim().trim_end_matches('\\').trim_end())
        .take_while(|name| !name.is_empty())
        .collect()
}

/// The quoted paths at the end of the lines that start with `S`, for source.
///
/// This is the list by which Verilator itself sees whether its output is up to date. Unlike the
/// dependency file for make it survives blanks in paths.
fn source_list(files: &str) -> Vec<PathBuf> {
    files
        .lines()
        .filter(|line| line.starts_with("S "))
        .filter_map(|line| line.trim_end().trim_end_matches('"').rsplit_once('"'))
        .map(|(_, path)| PathBuf::from(path))
        .collect()
}

/// A file that Verilator read, and its name in what is generated.
type Source = (PathBuf, PathBuf);

/// Makes a generated file tell of stops what this crate tells: by names of files that are the same wherever the design
/// lies, and `$fatal` apart.
fn finish(cpp: &Path, places: &Places, sources: &[Source]) -> io::Result<()> {
    let text = fs::read_to_string(cpp)?;
    let finished = mark_fatal(places.named_inside(&text), sources);
    if finished != text {
        fs::write(cpp, finished)?;
    }
    Ok(())
}

/// Tells `$fatal` from `$error` where Verilator does not.
///
/// Later versions pass `false` as a last argument when a stop comes from `$fatal`, and print
/// `%Fatal:`; early ones compile both alike. For those, the argument is added to the stops of every
/// line with a `$fatal`, so that the run time sees the same on every version.
fn mark_fatal(text: String, sources: &[Source]) -> String {
    if !text.contains("VL_STOP_MT(") || text.contains("%%Fatal:") {
        return text;
    }
    let mut marked = text;
    for (path, name) in sources {
        // Verilator's own binary is among them.
        let Ok(source) = fs::read_to_string(path) else {
            continue;
        };
        for (index, line) in source.lines().enumerate() {
            if line
                .split("//")
                .next()
                .is_some_and(|code| code.contains("$fatal"))
            {
                let stop = format!("VL_STOP_MT(\"{}\", {}, \"\"", name.display(), index + 1);
                marked = marked.replace(&format!("{stop});"), &format!("{stop}, false);"));
            }
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_memories_are_found() {
        let text = "initial $readmemh(\"a.hex\", rom);\ninitial $readmemb ( \"b/c.bin\" , m, 0);\n\
                    initial $readmemh(NAME, other);\n// $readmem\n";
        assert_eq!(data_files(text).collect::<Vec<_>>(), ["a.hex", "b/c.bin"]);
    }

    #[test]
    fn reads_a_list_of_a_makefile() {
        let makefile =
            "# comment\nVM_A += \\\n\tVx \\\n\tVx__0 \\\n\n# next\nVM_B += \\\n\nVM_C = 1\n";
        assert_eq!(make_list(makefile, "VM_A"), ["Vx", "Vx__0"]);
        assert_eq!(make_list(makefile, "VM_B"), [""; 0]);
        assert_eq!(make_list(makefile, "VM_D"), [""; 0]);
    }

    #[test]
    fn reads_sources_with_blanks_in_both_formats() {
        let files = "C \"--cc\"\nS  1 2 3 0 \"/a/toy x.sv\"\nT 1 2 \"o/Vx.h\"\n\
                     S  1 2 3 0 \"unhashed\" \"b.sv\"\n";
        assert_eq!(
            source_list(files),
            [PathBuf::from("/a/toy x.sv"), PathBuf::from("b.sv")]
        );
    }
}
