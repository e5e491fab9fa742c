//! What the hypotheses came to, in words and for programs.

use std::fmt;

use serde::Serialize;

use super::Candidate;

/// A hypothesis that explains the RTL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hypothesis {
    /// What the RTL does, in words.
    pub text: String,
    /// The same without the event that has to occur in the cycle, if the text has one: another run may come to it by another
    /// event, and it is one mistake.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of_any_event: Option<String>,
    /// The knob and its value, if the hypothesis is one: `cp_when_not_counting=HOLD`.
    pub knob: Option<String>,
    /// Cycles in which its outputs are those of the RTL.
    pub explained: usize,
    /// Cycles compared.
    pub compared: usize,
    /// Cycles in which the model differs from the RTL: they tell the hypothesis from the model.
    pub differing: usize,
    /// The first cycle of the run in which the mistake changes an output, or what the registers are after it; for a mistake
    /// of which that can be told.
    pub first: Option<u64>,
    /// What it was made of, to test it on other cycles.
    #[serde(skip)]
    pub(super) origin: Origin,
}

/// The candidate of a hypothesis. Hypotheses that say the same are the same.
#[derive(Clone)]
pub(super) struct Origin(pub(super) Candidate);

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Origin").field(&self.0.text()).finish()
    }
}

impl PartialEq for Origin {
    fn eq(&self, other: &Self) -> bool {
        self.0.text() == other.0.text()
    }
}

impl Eq for Origin {}

/// A hypothesis that does not explain the RTL, and comes nearest to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Nearest {
    /// What the RTL would do, in words.
    pub text: String,
    /// Cycles in which its outputs are those of the RTL.
    pub explained: usize,
    /// Cycles compared.
    pub compared: usize,
    /// Cycles in which the model differs from the RTL, or from the hypothesis.
    pub telling: usize,
    /// Those of them in which its outputs are those of the RTL.
    pub told: usize,
    /// The first cycle of the run in which they are not.
    pub miss: u64,
}

impl Nearest {
    /// It in a line.
    fn line(&self) -> String {
        let Self {
            text,
            explained,
            compared,
            telling,
            told,
            miss,
        } = self;
        format!(
            "the nearest does not explain it: {text}: {explained} of {compared}, {told} of the {telling} that tell it \
             from the model, first miss in cycle {miss}"
        )
    }
}

/// A hypothesis that explains every cycle of the divergence, and not what the design does on other stimulus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refuted {
    /// What the RTL would do, in words.
    pub text: String,
    /// The seed of the other stimulus, which is mixed as that of the divergence.
    pub seed: u64,
    /// Its first cycle that the hypothesis does not explain.
    pub cycle: u64,
}

impl Refuted {
    /// It in a line.
    fn line(&self) -> String {
        let Self { text, seed, cycle } = self;
        format!(
            "one explains them, but not cycle {cycle} of seed {seed}: {text}: part of the mistake, or something like it"
        )
    }
}

/// What the hypotheses came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// Hypotheses tested.
    pub tested: usize,
    /// First cycle of the run that was compared.
    pub first: u64,
    /// Cycles compared.
    pub compared: usize,
    /// Those that explain every cycle; a latency, every cycle whose outputs are all there.
    pub explaining: Vec<Hypothesis>,
    /// If none does: one that comes near.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Nearest>,
    /// If none does on other stimulus, too: one that explains every cycle of the divergence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refuted: Option<Refuted>,
    /// Cycles of other stimulus that those explain, too, which explain every cycle; 0 if there was none.
    pub elsewhere: usize,
    /// Why none was tested, if so.
    pub untested: Option<String>,
}

impl Findings {
    /// Nothing was tested.
    pub fn untested(why: impl Into<String>) -> Self {
        Self {
            untested: Some(why.into()),
            ..Self::default()
        }
    }

    /// The findings in a few words.
    pub fn brief(&self) -> String {
        match (&self.untested, &self.explaining[..]) {
            (Some(why), _) => format!("no hypothesis was tested: {why}"),
            (None, []) => format!("none of {} hypotheses", self.tested),
            (None, [one]) => one.text.clone(),
            (None, [first, ..]) => format!(
                "one of {} that these cycles do not tell apart, such as: {}",
                self.explaining.len(),
                first.text
            ),
        }
    }

    /// The findings in a line: the hypothesis that explains every cycle, those among which it is if these cycles do not tell
    /// them apart, or that there is none.
    pub fn lines(&self) -> Vec<String> {
        if let Some(why) = &self.untested {
            return vec![format!("no hypothesis was tested: {why}")];
        }
        let (tested, compared) = (self.tested, self.compared);
        if self.explaining.is_empty() {
            let too = match &self.refuted {
                Some(_) => ", and other stimulus, too",
                None => "",
            };
            let none = format!(
                "none of {tested} hypotheses explains all {compared} cycles from cycle {} on{too}",
                self.first
            );
            let refuted = self.refuted.iter().map(Refuted::line);
            let nearest = self.nearest.iter().map(Nearest::line);
            return [none].into_iter().chain(refuted).chain(nearest).collect();
        }
        let of_all = |of: fn(&Hypothesis) -> usize| self.explaining.iter().map(of).min();
        let explained = of_all(|found| found.explained).unwrap_or(0);
        let differing = of_all(|found| found.differing).unwrap_or(0);
        let tell = if differing == 1 { "tells" } else { "tell" };
        let text = |found: &Hypothesis| match found.first {
            Some(first) => format!("{}, first in cycle {first}", found.text),
            None => found.text.clone(),
        };
        let texts: Vec<_> = self.explaining.iter().map(text).collect();
        let too = match self.elsewhere {
            0 => String::new(),
            cycles => format!(", and all {cycles} of other stimulus"),
        };
        let line = match &texts[..] {
            [text] => format!(
                "{text}: explains {explained} of {compared}, {differing} of which {tell} it from the model{too}"
            ),
            // None of them is said to be the one.
            _ => format!(
                "one of these {}, which do the same in all of these cycles: {}: explains {explained} of {compared}, \
                 {differing} of which {tell} them from the model{too}",
                texts.len(),
                some(&texts)
            ),
        };
        vec![line]
    }
}

/// Hypotheses in a line, where more explain the same cycles: as many as can be read.
const LISTED: usize = 8;

/// The first of `texts`, and how many more there are.
fn some(texts: &[String]) -> String {
    let listed = texts[..texts.len().min(LISTED)].join("; or ");
    match texts.len().saturating_sub(LISTED) {
        0 => listed,
        more => format!("{listed}; or {more} more"),
    }
}
