//! The report as one HTML file: no script, nothing from a network, for screens of any width and for paper.

mod drawing;

use std::collections::BTreeMap;

use askama::Template;
use pmu_model::rules::Rule;

use super::{File, Report};
use drawing::Drawing;

/// The page.
///
/// # Errors
/// None that is known: the template is part of the program, and strings take what is written to them.
pub fn page(report: &Report) -> Result<String, askama::Error> {
    let mut rules = BTreeMap::new();
    for step in &report.explanation.derivation {
        rules.extend(step.rules.iter().map(|rule| (rule.id, rule)));
    }
    Page {
        report,
        drawing: drawing::draw(&report.waves),
        rules: rules.into_values().collect(),
        style: include_str!("style.css"),
    }
    .render()
}

#[derive(Template)]
#[template(path = "page.html", config = "bridge/report/html/askama.toml")]
struct Page<'a> {
    report: &'a Report,
    drawing: Drawing,
    /// Rules of the derivation, each once.
    rules: Vec<&'a Rule>,
    style: &'static str,
}

impl Page<'_> {
    /// Address of a file that lies beside the page.
    fn address(&self, file: &File) -> String {
        let name = file.path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Whether the page is about another cycle than the one in which the difference shows.
    fn is_late(&self) -> bool {
        self.report.about != self.report.cycle
    }
}
