//! A run that the design, or a signal, ended before there was anything to sum up, as one HTML file.

use askama::Template;

use crate::{RunFacts, grouped};
use lockstep_engine::lockstep::Verdict;

/// What the page of such a run shows.
#[derive(Clone, Debug)]
pub struct EndPage {
    /// How it ended.
    pub verdict: Verdict,
    /// The end in words.
    pub message: String,
    /// The cycle that was not completed, and the time of its rising edge in nanoseconds, if cycles were run.
    pub at: Option<(u64, u64)>,
    /// The run.
    pub run: RunFacts,
    /// What the design printed last, by lines.
    pub last_lines: Vec<String>,
    /// What its process wrote by other means.
    pub stderr: Option<String>,
    /// What its process may do, and tried, by lines.
    pub sandbox: Vec<String>,
}

/// The page of a run that ended like that.
///
/// # Errors
/// None that is known, as for [`super::page`].
pub fn end_page(end: &EndPage) -> Result<String, askama::Error> {
    Page {
        end,
        style: super::STYLE,
    }
    .render()
}

#[derive(Template)]
#[template(path = "end.html", config = "src/html/askama.toml")]
struct Page<'a> {
    end: &'a EndPage,
    style: &'static str,
}

impl Page<'_> {
    /// The verdict in a sentence.
    const fn sentence(&self) -> &'static str {
        match self.end.verdict {
            Verdict::Interrupted => "Interrupted before there was a result",
            Verdict::Infrastructure => "Ended from outside, before there was a result",
            _ => "The design ended the run before there was a result",
        }
    }

    /// The cycle in which it ended.
    fn at(&self) -> Option<String> {
        let (cycle, time) = self.end.at?;
        Some(format!(
            "In cycle {}, at {} ns",
            grouped(cycle),
            grouped(time)
        ))
    }

    /// The colour of the verdict, by its class.
    const fn class(&self) -> &'static str {
        match self.end.verdict {
            Verdict::Interrupted => "warn",
            _ => "",
        }
    }
}
