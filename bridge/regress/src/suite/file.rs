//! The file of a suite: reading it, and what is wrong with it.

use std::io;
use std::path::{Path, PathBuf};

use lockstep_base::plain::{did_you_mean, near, of_json, of_toml};
use lockstep_base::text_file;
use lockstep_stimulus::Profile;

use super::{BUNDLED, DEFAULT, Design, Group, MOST_STATES, Suite};

/// A suite that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}; name a suite (TOML or JSON)", path.display())]
    Io {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// It is not what a suite should be.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Syntax {
        /// File.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What was expected and what was found.
        message: String,
    },
}

/// What is wrong, and the word of the file that shows where.
struct Wrong {
    word: String,
    message: String,
}

impl Suite {
    /// Reads and checks a file, whose format its name tells: JSON ends with `.json`.
    ///
    /// # Errors
    /// It cannot be read, is malformed, or names what it does not have.
    pub fn load(path: &Path) -> Result<Self, SuiteError> {
        let text = text_file::read(path).map_err(|source| SuiteError::Io {
            path: path.into(),
            source,
        })?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, SuiteError> {
        let syntax = |line, column, message| SuiteError::Syntax {
            path: path.into(),
            line,
            column,
            message,
        };
        let is_json = path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("json"));
        let suite: Self = match is_json {
            true => serde_json::from_str(text).map_err(|error| {
                let message = of_json(&error);
                // The place is told before the message.
                let bare = message
                    .rsplit_once(", at ")
                    .map_or(&*message, |(bare, _)| bare);
                syntax(error.line(), error.column(), bare.to_owned())
            })?,
            false => toml::from_str(text).map_err(|error| {
                let mistake = of_toml(text, &error);
                syntax(mistake.line, mistake.column, mistake.message)
            })?,
        };
        suite.check().map_err(|Wrong { word, message }| {
            let (line, column) = place(text, &word);
            syntax(line, column, message)
        })?;
        Ok(suite)
    }

    fn check(&self) -> Result<(), Wrong> {
        let wrong = |word: &str, message: String| {
            Err(Wrong {
                word: word.into(),
                message,
            })
        };
        let limits = [
            ("wall_seconds", self.limits.wall_seconds),
            ("memory_mib", self.limits.memory_mib),
            ("hang_after", self.limits.hang_after),
        ];
        for (key, limit) in limits {
            if let Some(found) = limit.filter(|it| !(1..=u64::from(u32::MAX)).contains(it)) {
                let most = u32::MAX;
                return wrong(
                    key,
                    format!("expected {key} from 1 to {most}, found {found}"),
                );
            }
        }
        if self.group.is_empty() {
            return wrong("group", "expected a [[group]] of runs, found none".into());
        }
        for (name, what) in [(BUNDLED, "design"), (DEFAULT, "implementation")] {
            let taken = match what {
                "design" => self.designs.contains_key(name),
                _ => self.implementations.contains_key(name),
            };
            if taken {
                return wrong(
                    name,
                    format!(
                        "expected another name than `{name}`, which is that of the {what} that needs no entry"
                    ),
                );
            }
        }
        let names = self.implementations.keys().chain(self.designs.keys());
        for name in names {
            if !is_name(name) {
                return wrong(
                    name,
                    format!(
                        "expected a name of letters, digits, `_`, `-` and `.`, no `.` first, found {name:?}"
                    ),
                );
            }
        }
        for (name, design) in &self.designs {
            design.check(name)?;
        }
        self.group
            .iter()
            .try_for_each(|group| self.check_group(group))
    }

    fn check_group(&self, group: &Group) -> Result<(), Wrong> {
        let known = |names: &Option<Vec<String>>, all: Vec<&str>, what: &str| {
            let unknown = names
                .iter()
                .flatten()
                .find(|name| !all.contains(&name.as_str()));
            let Some(unknown) = unknown else {
                return Ok(());
            };
            let listed = || format!("expected one of {}", all.join(", "));
            let hint = did_you_mean(&near(unknown, &all)).unwrap_or_else(listed);
            Err(Wrong {
                word: unknown.clone(),
                message: format!("unknown {what} `{unknown}`: {hint}"),
            })
        };
        let implementations = self.implementations.keys().map(String::as_str);
        let implementations = [DEFAULT].into_iter().chain(implementations).collect();
        known(&group.implementations, implementations, "implementation")?;
        let designs = self.designs.keys().map(String::as_str);
        let designs = [BUNDLED].into_iter().chain(designs).collect();
        known(&group.designs, designs, "design")?;
        // Files, which `hash` knows by their endings, are read when they are needed.
        let is_name = |name: &&String| !name.ends_with(".toml");
        let profiles = group.profiles.as_ref();
        let profiles = profiles.map(|names| names.iter().filter(is_name).cloned().collect());
        known(&profiles, Profile::names().to_vec(), "profile")?;
        if let Some(found) = group.init.filter(|it| !(1..=MOST_STATES).contains(it)) {
            return Err(Wrong {
                word: "init".into(),
                message: format!("expected init from 1 to {MOST_STATES}, found {found}"),
            });
        }
        let named: Vec<_> = match &group.designs {
            Some(names) => names.iter().collect(),
            None => self.designs.keys().collect(),
        };
        let is_folder = |name: &&String| {
            let design = self.designs.get(*name);
            design.is_some_and(|design| design.dut.is_some())
        };
        let carried = named.into_iter().find(is_folder);
        if let (Some(_), Some(name)) = (group.init, carried) {
            return Err(Wrong {
                word: "init".into(),
                message: format!(
                    "init: expected designs that are RTL or bundled, found `{name}`, a folder of `lockstep build`: other initial \
                     states are another build, which it does not have"
                ),
            });
        }
        let lists = [&group.implementations, &group.designs, &group.profiles];
        if lists.into_iter().flatten().any(Vec::is_empty) {
            return Err(Wrong {
                word: "[]".into(),
                message:
                    "expected names in the list, found none: leave the key out for all of them"
                        .into(),
            });
        }
        Ok(())
    }
}

impl Design {
    fn check(&self, name: &str) -> Result<(), Wrong> {
        let wrong = |message: String| {
            Err(Wrong {
                word: name.into(),
                message,
            })
        };
        let is_built = !self.rtl.is_empty() || !self.filelist.is_empty();
        if self.dut.is_some() == is_built {
            let found = if is_built { "both" } else { "neither" };
            return wrong(format!(
                "design `{name}`: expected `dut`, or RTL as `rtl` or `filelist`, found {found}"
            ));
        }
        let options = self.top.is_some()
            || [&self.param, &self.define, &self.verilator_arg]
                .into_iter()
                .any(|list| !list.is_empty());
        match self.dut.is_some() && options {
            true => wrong(format!(
                "design `{name}`: expected no top, param, define or verilator_arg beside `dut`, whose folder has them"
            )),
            false => Ok(()),
        }
    }
}

/// Whether a name can be a part of that of a run, and of a folder.
fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    !name.is_empty() && !name.starts_with('.') && name.chars().all(plain)
}

/// Line and column of a word: in quotes, or where it stands alone.
fn place(text: &str, word: &str) -> (usize, usize) {
    let quoted = [format!("\"{word}\""), format!("'{word}'"), word.to_owned()];
    let found = quoted.iter().find_map(|word| text.find(word));
    let before = &text[..found.unwrap_or(0)];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(name: &str, text: &str) -> String {
        let parsed = Suite::parse(Path::new(name), text);
        parsed.expect_err(text).to_string()
    }

    #[test]
    fn the_two_formats_are_one() {
        let toml = "name = 'n'\n[implementations]\nsmall = 's.toml'\n[[group]]\nseeds = '1-3'\ncycles = [10, 20]\n";
        let json = r#"{"name": "n", "implementations": {"small": "s.toml"},
            "group": [{"seeds": "1-3", "cycles": [10, 20]}]}"#;
        let toml = Suite::parse(Path::new("a.toml"), toml).expect("a suite");
        assert_eq!(
            toml,
            Suite::parse(Path::new("a.json"), json).expect("a suite")
        );
    }

    #[test]
    fn mistakes_have_a_place() {
        for (name, text, message) in [
            (
                "a.toml",
                "name = 'n'\n[[group]]\nseed = 1\n",
                "a.toml:3:1: unknown key `seed`: did you mean `seeds`?",
            ),
            (
                "a.json",
                "{\"name\": \"n\",\n \"group\": [{\"seed\": 1}]}",
                "a.json:2:18: unknown key `seed`: did you mean `seeds`?",
            ),
            (
                "a.toml",
                "name = 'n'\n[[group]]\nseeds = '9-1'\n",
                "a.toml:3:9: expected seeds such as \"1-500\" or \"7\", first not above last, and at most 16777216, found \"9-1\"",
            ),
            (
                "a.toml",
                "name = 'n'\n[[group]]\ncycles = 0\n",
                "a.toml:3:10: expected cycles, 1 or more, found 0",
            ),
            (
                "a.toml",
                "name = 'n'\n[designs.mine]\nrtl = ['x']\n[[group]]\ndesigns = ['mien']\n",
                "a.toml:5:12: unknown design `mien`: did you mean `mine`?",
            ),
            (
                "a.json",
                "{\"name\": \"n\",\n\"group\": [{\"implementations\": [\"other\"]}]}",
                "a.json:2:32: unknown implementation `other`: expected one of default",
            ),
            (
                "a.toml",
                "name = 'n'\n[[group]]\nprofiles = ['own.toml', 'treshold']\n",
                "a.toml:3:25: unknown profile `treshold`: did you mean `threshold`?",
            ),
            (
                "a.toml",
                "name = 'n'\n[designs.mine]\n[[group]]\n",
                "a.toml:2:10: design `mine`: expected `dut`, or RTL as `rtl` or `filelist`, found neither",
            ),
            (
                "a.toml",
                "name = 'n'\n[designs.mine]\ndut = 'built'\n[[group]]\ninit = 4\n",
                "a.toml:5:1: init: expected designs that are RTL or bundled, found `mine`, a folder of `lockstep build`: other \
                 initial states are another build, which it does not have",
            ),
            (
                "a.toml",
                "name = 'n'\n[[group]]\ninit = 0\n",
                "a.toml:3:1: expected init from 1 to 1000, found 0",
            ),
            (
                "a.toml",
                "name = 'n'\ngroup = []\n",
                "a.toml:2:1: expected a [[group]] of runs, found none",
            ),
        ] {
            assert_eq!(error(name, text), message);
        }
    }
}
