//! Golden files of what the command prints.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::command::{Ran, lockstep, run};

/// Runs the command with `arguments`, separated by blanks, in `folder`, and compares what it prints, and its exit
/// code, with the golden file `name`.
pub fn golden(name: &str, folder: &Path, arguments: &str) -> Ran {
    golden_of(name, lockstep(folder).args(arguments.split_whitespace()))
}

/// The same for a command with other preparations.
pub fn golden_of(name: &str, command: &mut Command) -> Ran {
    let arguments: Vec<_> = command
        .get_args()
        .map(|text| text.to_string_lossy())
        .collect();
    let line = arguments.join(" ");
    let ran = run(command);
    let text = format!(
        "$ lockstep {line}\n{}{}[exit code {}]",
        timeless(&ran.stdout),
        ran.stderr,
        ran.code
    );
    assert_golden(name, &text);
    ran
}

/// Compares `text` with the golden file `name`.
pub fn assert_golden(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// The text without what depends on the speed of the machine.
fn timeless(text: &str) -> String {
    let lines = text
        .split_inclusive('\n')
        .map(|line| match line.contains("cycles/s") {
            true => "  [speed]\n",
            false => line,
        });
    lines.collect()
}

/// The paths of all keys of a JSON document, the first element of a list standing for all.
pub fn keys(json: &str) -> String {
    let value: Value = serde_json::from_str(json).expect("JSON");
    let mut paths = Vec::new();
    collect("", &value, &mut paths);
    paths.join("\n")
}

fn collect(path: &str, value: &Value, paths: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            // Of the thousands of points of an audit, the first stands for all.
            let is_audit = path.starts_with(".crosses.audit: ");
            let shown = if is_audit { 1 } else { fields.len() };
            for (key, value) in fields.iter().take(shown) {
                let path = format!("{path}.{key}");
                paths.push(path.clone());
                collect(&path, value, paths);
            }
        }
        Value::Array(elements) => {
            if let Some(first) = elements.first() {
                collect(&format!("{path}[]"), first, paths);
            }
        }
        _ => {}
    }
}
