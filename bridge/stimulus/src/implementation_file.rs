//! Implementation files.

use std::io;
use std::path::{Path, PathBuf};

use pmu_model::{Implementation, Impossible};

use lockstep_base::plain::{of_toml, place_of_key, quoted_line};
use lockstep_base::text_file;

/// An implementation file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}; name an implementation file (TOML) with --implementation", path.display())]
    Io {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// It is not what an implementation file should be.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Syntax {
        /// File.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong, with the key.
        message: String,
    },
    /// It describes something impossible: with each value the line of its key, from 1, which is the last line if the
    /// value is a default.
    #[error("{}", impossible(path, problems))]
    Impossible {
        /// File.
        path: PathBuf,
        /// Lines, and what is impossible there.
        problems: Vec<(usize, Impossible)>,
    },
}

fn impossible(path: &Path, problems: &[(usize, Impossible)]) -> String {
    let lines = problems
        .iter()
        .map(|(line, problem)| format!("{}:{line}: {problem}", path.display()));
    lines.collect::<Vec<_>>().join("\n")
}

/// Reads and checks an implementation file; none gives the default.
///
/// # Errors
/// The file cannot be read, is malformed, or describes something impossible.
pub fn load(path: Option<&Path>) -> Result<Implementation, FileError> {
    let Some(path) = path else {
        return Ok(Implementation::default());
    };
    let text = text_file::read(path).map_err(|source| FileError::Io {
        path: path.into(),
        source,
    })?;
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<Implementation, FileError> {
    let implementation: Implementation = toml::from_str(text).map_err(|error| {
        let mistake = of_toml(text, &error);
        let source = text.lines().nth(mistake.line - 1).unwrap_or_default();
        FileError::Syntax {
            path: path.into(),
            line: mistake.line,
            column: mistake.column,
            // A key that is misspelt is named in the message.
            message: match mistake.message.ends_with('?') {
                true => mistake.message,
                false => format!("{} at `{}`", mistake.message, quoted_line(source)),
            },
        }
    })?;
    implementation.validate().map_err(|error| {
        let with_line = |problem: Impossible| (line_of(text, &problem), problem);
        FileError::Impossible {
            path: path.into(),
            problems: error.problems.into_iter().map(with_line).collect(),
        }
    })?;
    Ok(implementation)
}

/// The line of the key of a problem, the last one if the file does not have it.
fn line_of(text: &str, problem: &Impossible) -> usize {
    let before = match place_of_key(text, problem.key, problem.table) {
        Some(at) => &text[..at],
        None => text.trim_end(),
    };
    before.matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(Path::new("x.toml"), text).unwrap_err().to_string()
    }

    #[test]
    fn of_several_tables_the_right_one_is_named() {
        let text = "[[system_pmu]]\n\n[[system_pmu]]\nimplemented = false\n";
        let error = error(text);
        assert!(
            error.starts_with("x.toml:3: system_pmu = number 1 with implemented"),
            "{error}"
        );
    }

    #[test]
    fn numbers_of_64_bits_are_texts_too() {
        for number in ["18446744073709551615", "'0xFFFF_FFFF_FFFF_FFFF'"] {
            let text = format!("[knobs]\nreset_value = {number}");
            let read = parse(Path::new("x.toml"), &text).expect(number);
            assert_eq!(read.knobs.reset_value, u64::MAX);
        }
        let wrong = error("[knobs]\nreset_value = -1");
        assert!(
            wrong.starts_with("x.toml:2:15: expected a whole number of 64 bits"),
            "{wrong}"
        );
    }

    #[test]
    fn errors_name_line_and_key() {
        assert_eq!(
            error("name = 'x'\n[pmu]\ncounters = 32\n"),
            "x.toml:3: pmu.counters = 32: expected 0 to 31 event counters (PMCR_EL0.N)"
        );
        assert!(
            error("[pmu]\nthwidth = 13")
                .starts_with("x.toml:2: pmu.thwidth = 13: expected 1 to 12")
        );
        assert!(
            error("[pmu]\nedge = false")
                .contains("pmu.th2 = true: expected false without pmu.edge")
        );
        assert!(
            error("[pmu]\ncuonters = 3")
                .starts_with("x.toml:2:1: unknown key `cuonters`: did you mean `counters`?")
        );
        assert!(
            error("[pmu]\ncounters = -3")
                .starts_with("x.toml:2:12: expected a number from 0 to 255, found the number -3")
        );
        assert!(error("[pmu\n").starts_with("x.toml:1:"));
        assert_eq!(
            error("[pmu]\ncounters = 32\n[spe]\npmsidr = 0x50220\n"),
            "x.toml:2: pmu.counters = 32: expected 0 to 31 event counters (PMCR_EL0.N)\n\
             x.toml:4: spe.pmsidr = 0x50220: expected 4 (records of 16 bytes) to 11 (of 2 KiB) in MaxSize, bits [15:12] \
             (SPE-03)\n\
             x.toml:4: spe.pmsidr = 0x50220: expected 2 (counters of 12 bits) or 3 (of 16) in CountSize, bits [19:16] \
             (SPE-03)"
        );
        assert!(
            error("[knobs]\nrhbwbb = 'MAYBE'")
                .contains("expected `LINK_AWARE` or `LITERAL`, found `MAYBE`")
        );
    }

    #[test]
    fn a_default_needs_no_file() {
        assert_eq!(load(None).unwrap(), Implementation::default());
        assert_eq!(
            parse(Path::new("x"), "").unwrap(),
            Implementation::default()
        );
    }
}
