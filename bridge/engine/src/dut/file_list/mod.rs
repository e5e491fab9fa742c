//! File lists: the files and options of a design as simulators take them with `-f`.
//!
//! | word | meaning |
//! |---|---|
//! | `FILE` | a source, in order of compilation |
//! | `-f LIST` | the words of another list; its paths are relative to the folder that paths of this one are relative to |
//! | `-F LIST` | the words of another list, whose paths are relative to its own folder |
//! | `+incdir+DIR+DIR`, `-IDIR` | folders of included files |
//! | `-y DIR`, `-v FILE`, `+libext+.v+.sv` | where modules are looked for that no source declares |
//! | `+define+A=1+B`, `-DA=1` | macros |
//! | `-GNAME=VALUE` | a parameter of the top module |
//!
//! Relative paths start from the folder of the list, wherever the command runs. `$NAME`, `${NAME}` and `$(NAME)` are
//! variables of the environment; double quotes hold blanks; a backslash makes the next character plain. Comments are
//! `//` and `/* */` between words, and lines that begin with `#`.

mod error;
mod words;

use std::env;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::is_identifier;
pub use error::{FileListError, ListProblem};
use words::{Word, words};

/// Largest list in bytes.
const MAX_BYTES: u64 = 16 << 20;
/// Most words of a list and of all that it names.
const MAX_WORDS: usize = 1 << 20;

/// What a list says, with paths that are relative to the working directory or absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileList {
    /// Sources in order.
    pub sources: Vec<PathBuf>,
    /// Folders of included files.
    pub include_dirs: Vec<PathBuf>,
    /// `-y`.
    pub library_dirs: Vec<PathBuf>,
    /// `-v`.
    pub library_files: Vec<PathBuf>,
    /// `+libext+`, with the point.
    pub library_extensions: Vec<String>,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Parameters of the top module.
    pub parameters: Vec<(String, String)>,
}

impl FileList {
    /// Reads a list and all that it names, with the variables of the environment.
    ///
    /// # Errors
    /// [`FileListError`]: the list, the line and what is wrong there.
    pub fn read(path: &Path) -> Result<Self, FileListError> {
        Self::read_with(path, &|name| env::var(name).ok())
    }

    /// The same with the variables that `variable` knows.
    fn read_with(
        path: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, FileListError> {
        let mut reading = Reading {
            variable,
            list: Self::default(),
            words: 0,
            open: Vec::new(),
        };
        let base = path.parent().unwrap_or(Path::new(""));
        match text(path) {
            Ok(text) => reading.list(path, base, &text)?,
            Err(problem) => return Err(FileListError::of(path, 0, problem)),
        }
        if reading.list.sources.is_empty() {
            return Err(FileListError::of(path, 0, ListProblem::NoSource));
        }
        Ok(reading.list)
    }
}

/// A list that is being read.
struct Reading<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    list: FileList,
    /// Words so far.
    words: usize,
    /// The lists that name the present one, as canonical paths.
    open: Vec<PathBuf>,
}

/// What an option takes.
#[derive(Clone, Copy)]
enum Takes {
    List { own_folder: bool },
    IncludeDirs,
    IncludeDir,
    LibraryDir,
    LibraryFile,
    Extensions,
    Defines,
    Define,
    Parameter,
}

/// Options whose value is the next word.
const APART: [(&str, Takes); 4] = [
    ("-f", Takes::List { own_folder: false }),
    ("-F", Takes::List { own_folder: true }),
    ("-y", Takes::LibraryDir),
    ("-v", Takes::LibraryFile),
];

/// Options whose value follows at once.
const JOINED: [(&str, Takes); 6] = [
    ("+incdir+", Takes::IncludeDirs),
    ("+libext+", Takes::Extensions),
    ("+define+", Takes::Defines),
    ("-I", Takes::IncludeDir),
    ("-D", Takes::Define),
    ("-G", Takes::Parameter),
];

/// Endings of what is not SystemVerilog.
const FOREIGN: [&str; 12] = [
    "a", "c", "cc", "cpp", "cxx", "h", "hpp", "o", "so", "vhd", "vhdl", "f",
];

impl Reading<'_> {
    /// Takes the words of `text`, the contents of the list at `path`, whose paths start from `base`.
    fn list(&mut self, path: &Path, base: &Path, text: &[u8]) -> Result<(), FileListError> {
        let canonical = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if self.open.contains(&canonical) {
            return Err(FileListError::of(path, 0, ListProblem::Itself));
        }
        self.open.push(canonical);
        let words = words(text, self.variable)
            .map_err(|(line, problem)| FileListError::of(path, line, problem))?;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let at = |problem| FileListError::of(path, word.line, problem);
            self.words += 1;
            if self.words > MAX_WORDS {
                return Err(at(ListProblem::TooManyWords { most: MAX_WORDS }));
            }
            let text = word.text.as_str();
            let apart = APART.iter().find(|(name, _)| *name == text);
            let joined = JOINED
                .iter()
                .find_map(|(name, takes)| Some((*takes, *name, text.strip_prefix(name)?)));
            if let Some((name, takes)) = apart {
                let Some(Word { text, .. }) = words.next() else {
                    return Err(at(ListProblem::NoValue { option: name }));
                };
                self.take(*takes, name, text, base)
                    .map_err(|p| p.at(path, word.line))?;
            } else if let Some((takes, name, value)) = joined {
                self.take(takes, name, value, base)
                    .map_err(|p| p.at(path, word.line))?;
            } else if text.starts_with(['-', '+']) {
                return Err(at(ListProblem::Option { found: text.into() }));
            } else {
                self.source(text, base).map_err(at)?;
            }
        }
        self.open.pop();
        Ok(())
    }

    fn take(
        &mut self,
        takes: Takes,
        option: &'static str,
        value: &str,
        base: &Path,
    ) -> Result<(), Problem> {
        if value.is_empty() {
            return Err(ListProblem::NoValue { option }.into());
        }
        let parts = || value.split('+').filter(|part| !part.is_empty());
        match takes {
            Takes::List { own_folder } => {
                let path = existing(base, value, Path::is_file, "a list")?;
                let text = text(&path)?;
                let folder = path.parent().unwrap_or(Path::new(""));
                self.list(&path, if own_folder { folder } else { base }, &text)?;
            }
            Takes::IncludeDirs => {
                for part in parts() {
                    let folder = existing(base, part, Path::is_dir, "a folder")?;
                    self.list.include_dirs.push(folder);
                }
            }
            Takes::IncludeDir => {
                let folder = existing(base, value, Path::is_dir, "a folder")?;
                self.list.include_dirs.push(folder);
            }
            Takes::LibraryDir => {
                let folder = existing(base, value, Path::is_dir, "a folder")?;
                self.list.library_dirs.push(folder);
            }
            Takes::LibraryFile => {
                let file = existing(base, value, Path::is_file, "a file")?;
                self.list.library_files.push(file);
            }
            Takes::Extensions => self
                .list
                .library_extensions
                .extend(parts().map(str::to_owned)),
            Takes::Defines => {
                for part in parts() {
                    self.define(part)?;
                }
            }
            Takes::Define => self.define(value)?,
            Takes::Parameter => {
                let (name, value) =
                    value
                        .split_once('=')
                        .ok_or_else(|| ListProblem::Parameter {
                            found: value.to_owned(),
                        })?;
                self.list
                    .parameters
                    .push((name.to_owned(), value.to_owned()));
            }
        }
        Ok(())
    }

    fn define(&mut self, text: &str) -> Result<(), ListProblem> {
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        if !is_identifier(name) {
            return Err(ListProblem::Define { found: name.into() });
        }
        self.list.defines.push(text.to_owned());
        Ok(())
    }

    fn source(&mut self, word: &str, base: &Path) -> Result<(), ListProblem> {
        let ending = Path::new(word).extension().unwrap_or_default();
        if FOREIGN.iter().any(|foreign| ending == *foreign) {
            return Err(ListProblem::Foreign { found: word.into() });
        }
        let path = existing(base, word, Path::is_file, "a file")?;
        self.list.sources.push(path);
        Ok(())
    }
}

/// What is wrong in this list, or in one that it names.
enum Problem {
    Here(ListProblem),
    Inside(FileListError),
}

impl Problem {
    fn at(self, path: &Path, line: usize) -> FileListError {
        match self {
            Self::Here(problem) => FileListError::of(path, line, problem),
            // A list that cannot be read as a whole is named by the line that names it.
            Self::Inside(inside) => inside.or_line(path, line),
        }
    }
}

impl From<ListProblem> for Problem {
    fn from(problem: ListProblem) -> Self {
        Self::Here(problem)
    }
}

impl From<FileListError> for Problem {
    fn from(error: FileListError) -> Self {
        Self::Inside(error)
    }
}

/// The path that `word` names from `base`, which must be there.
fn existing(
    base: &Path,
    word: &str,
    is: fn(&Path) -> bool,
    what: &'static str,
) -> Result<PathBuf, ListProblem> {
    let path = base.join(word);
    if is(&path) {
        return Ok(path);
    }
    // Other tools start from the working directory.
    let elsewhere = Path::new(word);
    Err(ListProblem::Missing {
        what,
        here: elsewhere.is_relative() && elsewhere != path && is(elsewhere),
        path,
    })
}

/// The bytes of a list.
fn text(path: &Path) -> Result<Vec<u8>, ListProblem> {
    let mut text = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut text))
        .map_err(|source| ListProblem::Io { source })?;
    if text.len() as u64 > MAX_BYTES {
        return Err(ListProblem::TooLarge { most: MAX_BYTES });
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
