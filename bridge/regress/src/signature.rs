//! What failures of one kind share, so that fifty of one bug are one group.

use lockstep_base::unnumbered::unnumbered;
use lockstep_base::verdict::Verdict;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What failures of one kind share: the design, the verdict, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Signature {
    /// Name of the design.
    pub design: String,
    /// The verdict.
    pub verdict: Verdict,
    /// What is wrong: the mistake that explains every cycle, where exactly one does; else the root field, or how the
    /// design ended, with `n` for the numbers of counters.
    pub what: String,
    /// Class of the configuration of the field, where no mistake explains it.
    pub class: Option<String>,
}

impl Signature {
    /// Of a run that diverged, as its summary in JSON has it.
    pub fn of_run(design: &str, told: &Value) -> Self {
        match Self::of_initial_state(design, told) {
            // From zeros it agrees.
            Some(signature) if told["initial_states"]["zeros"]["cycle"].is_null() => signature,
            _ => Self::of_divergence(design, &told["divergence"]),
        }
    }

    /// Of outputs that depend on the initial state of the design, if the summary of a run in JSON has that.
    pub fn of_initial_state(design: &str, told: &Value) -> Option<Self> {
        let differs = told["initial_states"]["differ"].as_array()?.first()?;
        let field = differs["field"].as_str();
        let field = field.map_or_else(
            || "its end".to_owned(),
            |field| unnumbered(&of_whole(field)),
        );
        Some(Self::of_end(
            design,
            Verdict::Divergence,
            &format!("{field} depends on the initial state"),
        ))
    }

    /// Of a divergence, as its report in JSON has it. One that its re-run did not come to is of a kind of its own.
    pub fn of_divergence(design: &str, report: &Value) -> Self {
        let field = report["headline"]["field"].as_str().unwrap_or("?");
        let field = unnumbered(&of_whole(field));
        if report["reproduced"] == false {
            // Another one of the same inputs: neither cause nor configuration say what is wrong.
            return Self::of_end(
                design,
                Verdict::Divergence,
                &format!("{field}, and not in a re-run"),
            );
        }
        let cause = cause(report);
        Self {
            design: design.into(),
            verdict: Verdict::Divergence,
            class: cause.is_none().then(|| class(report)).flatten(),
            what: cause.map_or(field, str::to_owned),
        }
    }

    /// Of any other end: `what` may have numbers.
    pub fn of_end(design: &str, verdict: Verdict, what: &str) -> Self {
        Self {
            design: design.into(),
            verdict,
            what: what.into(),
            class: None,
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        let class = self.class.as_ref();
        let class = class.map_or(String::new(), |class| format!(" ({class})"));
        format!("{}: {}{class}", self.design, self.what)
    }
}

/// The mistake that explains every cycle, if it is the only one.
fn cause(report: &Value) -> Option<&str> {
    match report["hypotheses"]["explaining"].as_array()?.as_slice() {
        [one] => one["of_any_event"].as_str().or(one["text"].as_str()),
        _ => None,
    }
}

/// The name of a field, where it is a half of a register that of the register.
fn of_whole(field: &str) -> String {
    field.replace("[31:0]", "").replace("[63:32]", "")
}

/// The registers that configure the field. What they are set to is left out, the row of the table of counting conditions
/// too: a bug that is in no row shows in whichever comes first.
fn class(report: &Value) -> Option<String> {
    let registers = report["explanation"]["configuration"].as_array()?;
    let names = registers
        .iter()
        .filter_map(|register| register["register"].as_str());
    let mut names: Vec<_> = names.map(unnumbered).collect();
    names.sort();
    names.dedup();
    (!names.is_empty()).then(|| names.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cause_is_worth_more_than_a_field() {
        let mut report = json!({
            "headline": { "field": "V[2]" },
            "explanation": { "configuration": [
                { "register": "PMEVTYPER2_EL0", "meaning": "counts 1 if V_B >= 0, else 0 (row B)" },
            ] },
            "hypotheses": { "explaining": [{ "text": "V_B >= TH is V_B > TH" }] },
        });
        let signature = Signature::of_divergence("mine", &report);
        assert_eq!(signature.words(), "mine: V_B >= TH is V_B > TH");
        report["hypotheses"]["explaining"] = json!([{ "text": "a" }, { "text": "b" }]);
        let signature = Signature::of_divergence("mine", &report);
        assert_eq!(signature.words(), "mine: V[n] (PMEVTYPERn_EL0)");
        report["explanation"]["configuration"][0]["meaning"] = json!("counts V_B (row A)");
        assert_eq!(Signature::of_divergence("mine", &report), signature);
        report["hypotheses"]["explaining"] =
            json!([{ "text": "a is b while event 0x0009 occurs", "of_any_event": "a is b" }]);
        let signature = Signature::of_divergence("mine", &report);
        assert_eq!(signature.words(), "mine: a is b");
        report["hypotheses"]["explaining"] = json!([]);
        report["headline"]["field"] = json!("PMEVTYPER3_EL0[63:32] (external)");
        let signature = Signature::of_divergence("mine", &report);
        assert_eq!(
            signature.words(),
            "mine: PMEVTYPERn_EL0 (external) (PMEVTYPERn_EL0)"
        );
        report["headline"]["field"] = json!("V[2]");
        let signature = Signature::of_divergence("mine", &report);
        report["reproduced"] = json!(true);
        assert_eq!(Signature::of_divergence("mine", &report), signature);
        report["reproduced"] = json!(false);
        let signature = Signature::of_divergence("mine", &report);
        assert_eq!(signature.words(), "mine: V[n], and not in a re-run");
    }

    #[test]
    fn what_depends_on_the_initial_state_is_said_so() {
        let told = |zeros: Value| {
            json!({
                "divergence": { "headline": { "field": "V[2]" } },
                "initial_states": {
                    "zeros": { "cycle": zeros },
                    "differ": [{ "field": "PMCCNTR increment" }],
                },
            })
        };
        let depends = "mine: PMCCNTR increment depends on the initial state";
        let alone = told(Value::Null);
        assert_eq!(Signature::of_run("mine", &alone).words(), depends);
        let beside = told(7.into());
        assert_eq!(Signature::of_run("mine", &beside).words(), "mine: V[n]");
        let second = Signature::of_initial_state("mine", &beside).expect("one");
        assert_eq!(second.words(), depends);
        let mut same = told(7.into());
        same["initial_states"]["differ"] = json!([]);
        assert_eq!(Signature::of_initial_state("mine", &same), None);
    }
}
