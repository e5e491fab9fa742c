//! What Verilator warns of when a design is built.

use std::path::{Path, PathBuf};

use verilator_sys::shared::SharedDut;

use lockstep_base::counted::plural;

/// Verilator's warnings about a design.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    /// One each, without those that are said twice.
    all: Vec<Warning>,
    /// The file that keeps them in full, if there are any.
    file: Option<PathBuf>,
}

/// A warning: its first line, without what Verilator explains below it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Warning {
    /// Its name, such as `WIDTHTRUNC`; empty if it has none.
    name: String,
    /// File, line and column, where it has them, and what Verilator says.
    text: String,
}

/// Warnings that are printed; the others are counted.
const SHOWN: usize = 12;

impl Warnings {
    /// Those of a library's build.
    pub(super) fn of(library: &SharedDut) -> Self {
        Self::read(&library.warnings, library.warnings_file.clone())
    }

    fn read(messages: &str, file: Option<PathBuf>) -> Self {
        let mut all = Vec::new();
        for line in messages.lines() {
            let Some((head, text)) = line
                .strip_prefix("%Warning")
                .and_then(|rest| rest.split_once(": "))
            else {
                continue;
            };
            let warning = Warning {
                name: head.trim_start_matches('-').into(),
                text: text.into(),
            };
            if !all.contains(&warning) {
                all.push(warning);
            }
        }
        Self { all, file }
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The warnings of combinational logic that feeds itself: place and signal.
    pub fn loops(&self) -> Vec<String> {
        let loops = self
            .all
            .iter()
            .filter(|warning| warning.name == "UNOPTFLAT");
        loops.map(|warning| warning.text.clone()).collect()
    }

    /// The file that has them in full.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// A line with their number and names, then the first ones with their places, at most a screenful, then where the
    /// others are.
    pub fn text(&self) -> String {
        let mut text = format!(
            "Verilator has {}: {}\n",
            plural(self.count() as u64, "warning"),
            self.names()
        );
        for Warning { name, text: line } in self.all.iter().take(SHOWN) {
            let name = match name.is_empty() {
                true => String::new(),
                false => format!(" [{name}]"),
            };
            text += &format!("  {line}{name}\n");
        }
        let place = self
            .file
            .as_ref()
            .map_or(String::new(), |file| format!("in {}", file.display()));
        text += &match self.count().saturating_sub(SHOWN) {
            0 => format!("  in full {place}\n"),
            more => format!("  {more} more, {place}\n"),
        };
        text
    }

    /// How many of each name, the most frequent first.
    fn names(&self) -> String {
        let mut names: Vec<(usize, &str)> = Vec::new();
        for Warning { name, .. } in &self.all {
            match names.iter_mut().find(|(_, found)| found == name) {
                Some((count, _)) => *count += 1,
                None => names.push((1, name)),
            }
        }
        names.sort_by_key(|&(count, name)| (usize::MAX - count, name));
        let words = names.iter().map(|(count, name)| match name.is_empty() {
            true => format!("{count} without a name"),
            false => format!("{count} {name}"),
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGES: &str = "\
%Warning-WIDTHTRUNC: w.sv:3:46: Operator ASSIGNDLY expects 4 bits on the Assign RHS
                              : ... note: In instance 'w'
    3 |  logic [3:0] q;
      |              ^~
                     ... For warning description see https://verilator.org/warn/WIDTHTRUNC
%Warning-LATCH: w.sv:4:16: Latch inferred for signal 'w.unused'
%Warning-WIDTHTRUNC: w.sv:9:1: Operator ASSIGN expects 4 bits on the Assign RHS
%Warning-WIDTHTRUNC: w.sv:9:1: Operator ASSIGN expects 4 bits on the Assign RHS
%Warning: an option that is old
- Verilator: Built from 0.031 MB sources";

    #[test]
    fn places_come_first_and_explanations_are_left_out() {
        let warnings = Warnings::read(MESSAGES, Some("c/x.warnings".into()));
        assert_eq!(
            warnings.text(),
            "Verilator has 4 warnings: 2 WIDTHTRUNC, 1 without a name, 1 LATCH\n  \
             w.sv:3:46: Operator ASSIGNDLY expects 4 bits on the Assign RHS [WIDTHTRUNC]\n  \
             w.sv:4:16: Latch inferred for signal 'w.unused' [LATCH]\n  \
             w.sv:9:1: Operator ASSIGN expects 4 bits on the Assign RHS [WIDTHTRUNC]\n  \
             an option that is old\n  \
             in full in c/x.warnings\n"
        );
        assert!(Warnings::read("- Verilator: Built", None).is_empty());
        assert!(warnings.loops().is_empty());
        let circular = "a.v:99:8: Signal unoptimizable: Circular combinational logic: 'w.a.x'";
        let warnings = Warnings::read(
            &format!("{MESSAGES}\n%Warning-UNOPTFLAT: {circular}\n"),
            None,
        );
        assert_eq!(warnings.loops(), [circular]);
    }

    #[test]
    fn a_screenful_is_enough() {
        let line = |n: usize| format!("%Warning-UNUSED: w.sv:{n}:1: not used\n");
        let many = (1..=50).map(line).collect::<String>();
        let text = Warnings::read(&many, Some("c/x.warnings".into())).text();
        assert_eq!(text.lines().count(), SHOWN + 2);
        assert!(
            text.starts_with(
                "Verilator has 50 warnings: 50 UNUSED\n  w.sv:1:1: not used [UNUSED]\n"
            )
        );
        assert!(text.ends_with("\n  38 more, in c/x.warnings\n"), "{text}");
    }
}
