//! What a design is given in a cycle, in words: the recipe of a reduced divergence is some such lines.

use serde_json::Value;

/// A cycle of `shrunk.json` in a line.
pub fn words(cycle: &Value) -> String {
    let mut words = Vec::new();
    for (name, value) in cycle.as_object().into_iter().flatten() {
        let part = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        match (name.as_str(), value) {
            ("reset", _) => words.push("reset".into()),
            ("access", _) => {
                let (kind, register) = (part("kind"), part("register"));
                let is_write = matches!(kind.as_str(), "MSR" | "MCR" | "external write");
                let data = if is_write {
                    format!(" = {}", part("data"))
                } else {
                    String::new()
                };
                words.push(format!("{kind} {register}{data}"));
            }
            ("event", Value::Object(lanes)) => {
                words.extend(
                    lanes
                        .iter()
                        .map(|(lane, value)| format!("event {lane} = {value}")),
                );
            }
            ("controls", Value::Array(names)) => {
                words.extend(names.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            ("threads", Value::Object(threads)) => {
                for (t, thread) in threads {
                    let state = thread["state"].as_str().unwrap_or_default();
                    let conditions = thread["conditions"].as_str().unwrap_or_default();
                    let count = &thread["count"];
                    words.push(format!(
                        "thread {t}: state {state}, conditions {conditions}, count {count}"
                    ));
                }
            }
            (name, Value::String(text)) => words.push(format!("{name} {text}")),
            (name, value) => words.push(format!("{name} {value}")),
        }
    }
    match words.is_empty() {
        true => "nothing".into(),
        false => words.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cycle_is_a_line() {
        for (cycle, line) in [
            (json!({ "reset": 1 }), "reset"),
            (json!({}), "nothing"),
            (
                json!({
                    "access": { "kind": "MSR", "register": "PMCR_EL0", "data": "0x1", "address": "0xdce0", "rt": 0 },
                    "event": { "0": 3 },
                }),
                "MSR PMCR_EL0 = 0x1, event 0 = 3",
            ),
            (
                json!({ "access": { "kind": "MRS", "register": "PMMIR_EL1", "data": "0x0" } }),
                "MRS PMMIR_EL1",
            ),
        ] {
            assert_eq!(words(&cycle), line);
        }
    }
}
