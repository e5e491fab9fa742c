//! The report as one HTML file: no script, nothing from a network, for screens of any width and for paper.

mod drawing;
mod end;
mod run;

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use askama::Template;
use pmu_model::rules::Rule;

use super::{File, Report};
use drawing::Drawing;

pub use end::{EndPage, end_page};
pub use run::{RunPage, SamplingLines, StopLine, run_page};

/// The style of all pages.
pub const STYLE: &str = include_str!("style.css");

/// The page, for the folder of the report's files.
///
/// # Errors
/// None that is known: the template is part of the program, and strings take what is written to them.
pub fn page(report: &Report) -> Result<String, askama::Error> {
    page_in(report, None)
}

/// The page, for any folder: with `folder`, its links lead from there to the report's files.
///
/// # Errors
/// As for [`page`].
pub fn page_in(report: &Report, folder: Option<&Path>) -> Result<String, askama::Error> {
    let mut rules = BTreeMap::new();
    for step in &report.explanation.derivation {
        rules.extend(step.rules.iter().map(|rule| (rule.id, rule)));
    }
    Page {
        report,
        drawing: drawing::draw(&report.waves),
        rules: rules.into_values().collect(),
        style: STYLE,
        folder,
    }
    .render()
}

#[derive(Template)]
#[template(path = "page.html", config = "src/html/askama.toml")]
struct Page<'a> {
    report: &'a Report,
    drawing: Drawing,
    /// Rules of the derivation, each once.
    rules: Vec<&'a Rule>,
    style: &'static str,
    /// Where the page is, if not beside the files.
    folder: Option<&'a Path>,
}

impl Page<'_> {
    /// Name of a file.
    fn name(&self, file: &File) -> String {
        let name = file.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Address of a file from the page.
    fn address(&self, file: &File) -> String {
        match self.folder {
            Some(folder) => relative(folder, &file.path).to_string_lossy().into_owned(),
            None => self.name(file),
        }
    }

    /// Whether the page is about another cycle than the one in which the difference shows.
    fn is_late(&self) -> bool {
        self.report.about != self.report.cycle
    }
}

/// The way from `folder` to `file`; `file` itself where one of them cannot be found.
fn relative(folder: &Path, file: &Path) -> PathBuf {
    let (Ok(from), Ok(to)) = (folder.canonicalize(), file.canonicalize()) else {
        return file.into();
    };
    let same = from
        .components()
        .zip(to.components())
        .take_while(|(one, other)| one == other)
        .count();
    let up = from.components().skip(same).map(|_| Component::ParentDir);
    up.chain(to.components().skip(same)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_from_one_folder_to_another() {
        let base = tempfile::tempdir().expect("a folder");
        let make = |name: &str| {
            let folder = base.path().join(name);
            std::fs::create_dir_all(&folder).expect("made");
            std::fs::write(folder.join("a.vcd"), "").expect("written");
            folder
        };
        let (one, other) = (make("one"), make("one/two/three"));
        assert_eq!(relative(&one, &one.join("a.vcd")), Path::new("a.vcd"));
        assert_eq!(
            relative(&one, &other.join("a.vcd")),
            Path::new("two/three/a.vcd")
        );
        assert_eq!(
            relative(&other, &one.join("a.vcd")),
            Path::new("../../a.vcd")
        );
    }
}
