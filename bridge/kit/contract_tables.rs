//! The tables of `docs/dut-contract.md` are those of the structs: `make tables` writes them anew.

use std::path::Path;

use pmu_model::contract::{CycleInput, CycleOutput, DutParameters, Field, Group, Thread};
use pmu_model::features::FEATURES;

const PATH: &str = "docs/dut-contract.md";

/// The structs whose fields have a table, which begins with this.
const TABLES: [(&str, &[Field]); 4] = [
    ("<!-- fields of CycleInput -->\n", CycleInput::FIELDS),
    ("<!-- fields of Thread -->\n", Thread::FIELDS),
    ("<!-- fields of CycleOutput -->\n", CycleOutput::FIELDS),
    ("<!-- fields of DutParameters -->\n", DutParameters::FIELDS),
];

const END: &str = "<!-- end -->";

/// A row a field.
fn table(fields: &[Field]) -> String {
    let mut text = String::from("| offset | type | name | meaning |\n|---|---|---|---|\n");
    for field in fields {
        let kind = match field.count {
            1 => field.element.to_owned(),
            count => format!("{}[{count}]", field.element),
        };
        let (name, meaning) = match field.group {
            Group::Zero => ("zero".into(), String::new()),
            _ => (format!("`{}`", field.name), meaning(field)),
        };
        let row = format!("| {} | {kind} | {name} | {meaning} |", field.byte);
        text += &row.replace("  ", " ");
        text.push('\n');
    }
    text
}

/// The comment of the field in one line; brackets are escaped in comments, which could be links.
fn meaning(field: &Field) -> String {
    if field.name == "features" {
        let bits = FEATURES.iter().enumerate();
        let words: Vec<_> = bits
            .map(|(bit, feature)| format!("{bit} {}", feature.about()))
            .collect();
        return format!("bit {}", words.join(", "));
    }
    let words: Vec<_> = field.meaning.split_whitespace().collect();
    words.join(" ").replace("\\[", "[").replace("\\]", "]")
}

/// The document with its tables as they should be.
fn filled(text: &str) -> String {
    TABLES
        .iter()
        .fold(text.to_owned(), |text, (start, fields)| {
            let from = text.find(start).expect("the start of each table") + start.len();
            let to = from + text[from..].find(END).expect("the end of each table");
            format!("{}{}{}", &text[..from], table(fields), &text[to..])
        })
}

#[test]
fn tables_of_the_contract_are_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PATH);
    let text = std::fs::read_to_string(&path).expect("the contract");
    let filled = filled(&text);
    if std::env::var_os("UPDATE_TABLES").is_some() {
        std::fs::write(&path, &filled).expect("the contract can be written");
    } else {
        assert!(text == filled, "{PATH}: run `make tables`");
    }
}
