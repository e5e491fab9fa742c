//! What can be wrong with a file list, and where.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A file list that cannot be used.
#[derive(Debug)]
pub struct FileListError {
    /// The list.
    pub list: PathBuf,
    /// Line in it, from 1; 0 for the list as a whole.
    pub line: usize,
    /// What is wrong there.
    pub problem: ListProblem,
}

impl FileListError {
    pub(super) fn of(list: &Path, line: usize, problem: ListProblem) -> Self {
        Self {
            list: list.to_owned(),
            line,
            problem,
        }
    }

    /// The error, at the line that names the list if it is one of the list as a whole.
    pub(super) fn or_line(self, list: &Path, line: usize) -> Self {
        match self.line {
            0 => Self::of(list, line, self.problem),
            _ => self,
        }
    }
}

impl fmt::Display for FileListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.list.display())?;
        if self.line > 0 {
            write!(f, "{}:", self.line)?;
        }
        write!(f, " {}", self.problem)
    }
}

impl std::error::Error for FileListError {}

/// What is wrong in a line, or with a whole list.
#[derive(Debug, thiserror::Error)]
pub enum ListProblem {
    /// The list cannot be read.
    #[error("expected a file list, found: {source}")]
    Io {
        /// The system's reason.
        source: io::Error,
    },
    /// Too many bytes.
    #[error("expected a file list of at most {most} bytes, found more")]
    TooLarge {
        /// The limit.
        most: u64,
    },
    /// Too many words, maybe by lists that name each other's lists again and again.
    #[error("expected at most {most} words in the list and those that it names, found more")]
    TooManyWords {
        /// The limit.
        most: usize,
    },
    /// A list that names itself, directly or through others.
    #[error(
        "expected a list that is not being read already, found one that names itself: take the line out"
    )]
    Itself,
    /// No source at all.
    #[error("expected at least one source, found none")]
    NoSource,
    /// A path that leads nowhere.
    #[error(
        "expected {what} at {}, found none: paths are relative to the folder of the list{}", path.display(),
        if *here { "; there is one relative to the working directory" } else { "" }
    )]
    Missing {
        /// File, folder or list.
        what: &'static str,
        /// The path.
        path: PathBuf,
        /// It would be found from the working directory.
        here: bool,
    },
    /// An option that is not known.
    #[error(
        "expected a file or one of -f, -F, -y, -v, -I, -D, -G, +incdir+, +libext+, +define+, found {found}: give \
         options of Verilator on the command line, with --verilator-arg"
    )]
    Option {
        /// The word.
        found: String,
    },
    /// An option without its value.
    #[error("expected a value of {option}, found none")]
    NoValue {
        /// The option.
        option: &'static str,
    },
    /// A parameter without a value.
    #[error("expected -GNAME=VALUE, found -G{found}")]
    Parameter {
        /// What follows `-G`.
        found: String,
    },
    /// A macro that has no name.
    #[error(
        "expected the name of a macro, found {found:?}: letters, digits, _ and $, no digit first"
    )]
    Define {
        /// What is in the place of the name.
        found: String,
    },
    /// Something that Verilator cannot compile, or that would have to be linked in.
    #[error(
        "expected a SystemVerilog file, found {found}: C, C++ and VHDL are not built, and lists are named with -f"
    )]
    Foreign {
        /// The word.
        found: String,
    },
    /// A variable that is not set.
    #[error("expected the environment variable {name} to be set, found none")]
    Variable {
        /// Its name.
        name: String,
    },
    /// `${` without its end.
    #[error("expected {close} after the name of an environment variable, found none")]
    OpenVariable {
        /// The bracket that is missing.
        close: char,
    },
    /// A quote without its end.
    #[error("expected a second double quote, found the end of the list")]
    OpenQuote,
    /// A comment without its end.
    #[error("expected */, found the end of the list")]
    OpenComment,
    /// A word that is not text.
    #[error("expected UTF-8, found {found}")]
    NotUtf8 {
        /// The word, as far as it is text.
        found: String,
    },
}
