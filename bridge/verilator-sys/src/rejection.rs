//! What Verilator's messages mean, with a place on top and what to do.

use std::fs;
use std::path::{Path, PathBuf};

use crate::design::Design;
use crate::modules::{self, Declaration, Parameters};
use crate::places::LINK;
use crate::verilate_error::VerilateError;
use crate::version::Version;

/// How Verilator's message of a parameter that the top module does not have begins.
const NO_PARAMETER: &str = "Parameters from the command line";

/// What a message says of a module that no file declares.
const NO_MODULE: [&str; 3] = [
    "Cannot find file containing module",
    "Cannot find file containing interface",
    "Dotted reference to instance that refers to missing module",
];

/// What a message says of an included file that is in no folder.
const NO_INCLUDE: [&str; 1] = ["Cannot find include file"];

/// Why Verilator does not accept `design`; `message` is what it says.
pub(crate) fn rejected(design: &Design, version: Version, message: String) -> VerilateError {
    let modules = modules::declared(design.sources.iter().chain(&design.library_files));
    let declaration = modules.iter().find(|module| module.name == design.top);
    let first = first_error(&message);
    if declaration.is_none() && first.contains("--top-module") {
        let mut names: Vec<_> = modules.into_iter().map(|module| module.name).collect();
        names.sort();
        names.dedup();
        return VerilateError::NoTop {
            top: design.top.clone(),
            found: some_of(&names, "no module in the sources"),
        };
    }
    if first.starts_with(NO_PARAMETER) {
        return no_parameter(design, declaration, version, message);
    }
    if let Some((place, names)) = missing(&message, &NO_INCLUDE) {
        let names: Vec<_> = names.into_iter().map(str::to_owned).collect();
        return VerilateError::Missing {
            place: place.to_owned(),
            what: format!("no folder of the design has {}", some_of(&names, "")),
            advice: "name its folder with +incdir+ in a file list".into(),
            version,
            message,
        };
    }
    if let Some((place, names)) = missing(&message, &NO_MODULE) {
        let names: Vec<_> = names.into_iter().map(str::to_owned).collect();
        let module = if names.len() == 1 {
            "module"
        } else {
            "modules"
        };
        let likely = beside(design, &names).map_or(String::new(), |path| {
            format!("; {} may be it", path.display())
        });
        return VerilateError::Missing {
            place: place.to_owned(),
            what: format!("no file of the design has {module} {}", some_of(&names, "")),
            advice: format!("name its file, or its folder with -y in a file list{likely}"),
            version,
            message,
        };
    }
    VerilateError::Rejected {
        first: first.to_owned(),
        version,
        message,
    }
}

/// The parameters that were given do not all exist.
fn no_parameter(
    design: &Design,
    declaration: Option<&Declaration>,
    version: Version,
    message: String,
) -> VerilateError {
    let given = first_error(&message)
        .rsplit_once(": ")
        .map_or("", |(_, names)| names);
    let given: Vec<_> = given
        .split(',')
        .map(|name| name.trim().trim_matches('\'').to_owned())
        .collect();
    let Parameters { open, local } = declaration.map_or(Parameters::default(), |module| {
        let text = fs::read(&module.path).unwrap_or_default();
        modules::parameters(&String::from_utf8_lossy(&text), &module.name)
    });
    let fixed: Vec<_> = local
        .into_iter()
        .filter(|name| given.contains(name))
        .collect();
    let fixed = match &fixed[..] {
        [] => String::new(),
        names => format!(
            "; {} cannot be set from outside (localparam)",
            some_of(names, "")
        ),
    };
    let place = declaration.map_or(String::new(), |module| {
        format!("{}:{}: ", module.path.display(), module.line)
    });
    VerilateError::NoParameter {
        problem: format!(
            "{place}module `{}` has no parameter {}: it has {}{fixed}",
            design.top,
            some_of(&given, "of this name"),
            some_of(&open, "none that can be set")
        ),
        version,
        message,
    }
}

/// Place of the first error that begins with one of `patterns`, and the names in quotes in all of these.
fn missing<'a>(messages: &'a str, patterns: &[&str]) -> Option<(&'a str, Vec<&'a str>)> {
    let (mut first, mut names) = (None, Vec::new());
    for line in messages.lines().filter(|line| line.starts_with("%Error")) {
        let Some((_, error)) = line.split_once(": ") else {
            continue;
        };
        let Some(at) = patterns.iter().find_map(|pattern| error.find(pattern)) else {
            continue;
        };
        let Some(name) = error[at..].split('\'').nth_back(1) else {
            continue;
        };
        first = first.or(Some(error[..at].trim_end_matches([':', ' '])));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    first.map(|place| (place, names))
}

/// A file that has the name of one of the modules, where this command runs or beside the files of the design.
fn beside(design: &Design, names: &[String]) -> Option<PathBuf> {
    let files = design.sources.iter().chain(&design.library_files);
    let folders = files.filter_map(|path| path.parent());
    let folders: Vec<_> = [Path::new("")].into_iter().chain(folders).collect();
    let mut likely = names.iter().flat_map(|name| {
        ["sv", "v"].map(|ending| {
            let file = format!("{name}.{ending}");
            folders
                .iter()
                .map(|folder| folder.join(&file))
                .find(|path| path.is_file())
        })
    });
    likely.find_map(|path| path)
}

/// Verilator's messages without the places in `out_dir`, where it runs: nothing of the user's is there.
pub(crate) fn tidy(messages: &str, out_dir: &Path) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut heading = None;
    let mut among_places = false;
    for line in messages.lines() {
        let text = line.trim_start();
        if text == "... Looked in:" {
            (heading, among_places) = (Some(line), true);
        } else if among_places && line.starts_with("             ") && !text.starts_with("...") {
            let place = Path::new(text);
            if place.starts_with(LINK) || place.is_absolute() && !place.starts_with(out_dir) {
                kept.extend(heading.take());
                kept.push(line);
            }
        } else {
            among_places = false;
            if !text.starts_with("... With current working directory") {
                kept.push(line);
            }
        }
    }
    kept.join("\n")
}

/// The first error in Verilator's messages: file, line and column, where it has them, and its text.
fn first_error(messages: &str) -> &str {
    messages
        .lines()
        .find(|line| line.starts_with("%Error"))
        .and_then(|line| Some(line.split_once(": ")?.1))
        .unwrap_or_else(|| messages.lines().next().unwrap_or_default())
}

/// Names in a sentence, not all of them if there are many; `none` if there are none.
fn some_of(names: &[String], none: &str) -> String {
    const SHOWN: usize = 12;
    let quoted: Vec<_> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{name}`"))
        .collect();
    match (names.len(), names.len().saturating_sub(SHOWN)) {
        (0, _) => none.into(),
        (_, 0) => quoted.join(", "),
        (_, more) => format!("{} and {more} more", quoted.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_found_behind_warnings() {
        let of = |text| first_error(text).to_owned();
        assert_eq!(
            of(
                "%Warning-WIDTH: a.sv:1:2: narrow\n%Error-PINMISSING: b.sv:3:4: pin\n%Error: c.sv:5: end"
            ),
            "b.sv:3:4: pin"
        );
        assert_eq!(of("%Error: Invalid option: --x"), "Invalid option: --x");
        assert_eq!(of("signal: 9"), "signal: 9");
        assert_eq!(of(""), "");
    }

    #[test]
    fn many_modules_are_not_all_named() {
        let names: Vec<_> = (0..14).map(|n| format!("m{n}")).collect();
        assert_eq!(some_of(&names[..2], ""), "`m0`, `m1`");
        assert!(some_of(&names, "").ends_with("`m11` and 2 more"));
        assert_eq!(some_of(&[], "none"), "none");
    }

    #[test]
    fn what_is_missing_is_named_with_the_first_place() {
        let text = "%Warning-X: a.sv:1:1: 'no'\n%Error: a.sv:4:12: Dotted reference to instance that refers to missing \
                    module/interface: 'apb'\n%Error-MODMISSING: a.sv:5:3: Cannot find file containing module: 'cell'\n\
                    %Error: a.sv:6:1: Cannot find file containing module: 'apb'";
        assert_eq!(
            missing(text, &NO_MODULE),
            Some(("a.sv:4:12", vec!["apb", "cell"]))
        );
        assert_eq!(missing(text, &NO_INCLUDE), None);
    }

    #[test]
    fn the_folder_of_the_build_is_not_told() {
        let looked = "\
%Error: w.sv:2:10: Cannot find include file: 'x.svh'
    2 | `include \"x.svh\"
        ... Looked in:
             /in/x.svh
             x.svh
             /out/x.svh.v
        ... With current working directory '/out'
%Error: Exiting due to 1 error(s)";
        let told = "\
%Error: w.sv:2:10: Cannot find include file: 'x.svh'
    2 | `include \"x.svh\"
        ... Looked in:
             /in/x.svh
%Error: Exiting due to 1 error(s)";
        assert_eq!(tidy(looked, Path::new("/out")), told);
        let nowhere = looked.replace("             /in/x.svh\n", "");
        let none = told.replace("        ... Looked in:\n             /in/x.svh\n", "");
        assert_eq!(tidy(&nowhere, Path::new("/out")), none);
    }
}
