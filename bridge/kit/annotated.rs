//! An implementation as TOML, every key with a line of explanation.

use pmu_model::Implementation;
use pmu_model::spmu::SystemPmu;
use serde::Serialize;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, Value, value};

/// Every key, with its default and what it means.
const KEYS: &str = include_str!("../../docs/implementation.toml");

/// The implementation as TOML: every key of it, in order, with a line of explanation.
///
/// ```
/// use pmu_lockstep::kit::annotated;
/// use pmu_model::Implementation;
///
/// let text = annotated(&Implementation { name: "mine".into(), ..Implementation::default() });
/// assert!(text.contains("name = \"mine\""));
/// assert_eq!(toml::from_str::<Implementation>(&text)?.name, "mine");
/// # Ok::<(), toml::de::Error>(())
/// ```
pub fn annotated(implementation: &Implementation) -> String {
    let mut keys: DocumentMut = KEYS.parse().expect("the text of this program is TOML");
    let values = document(implementation);
    take(keys.as_table_mut(), values.as_table());
    // A wrapper that is whole is left out of the values.
    take_system_pmus(&mut keys, &implementation.system_pmu);
    keys.to_string()
        .replacen("# Every key of an implementation file with its default. A file names only what differs.\n", "", 1)
        .trim_start()
        .to_owned()
}

/// A value as TOML, its tables as tables.
fn document(value: &impl Serialize) -> DocumentMut {
    let text = toml::to_string(value).expect("it has a TOML form");
    text.parse().expect("what was written is TOML")
}

/// Puts `values` in place of the defaults, and keeps the explanations.
fn take(keys: &mut Table, values: &Table) {
    for (key, found) in values {
        match (keys.get_mut(key), found) {
            (Some(Item::Table(inner)), Item::Table(found)) => take(inner, found),
            (Some(Item::Value(old)), Item::Value(new)) => {
                if !same(old, new) {
                    *old = in_place(old, new.clone());
                }
            }
            (Some(Item::ArrayOfTables(_)), _) => {}
            (_, found) => {
                keys.insert(key, found.clone());
            }
        }
    }
}

/// `new` with the comment of `old`, in the same column if it fits.
fn in_place(old: &Value, mut new: Value) -> Value {
    let text = |value: &Value| {
        let mut value = value.clone();
        value.decor_mut().clear();
        value.to_string().chars().count()
    };
    let suffix = old.decor().suffix().and_then(toml_edit::RawString::as_str);
    let comment = suffix.unwrap_or_default().trim_start();
    let blanks = suffix.unwrap_or_default().len() - comment.len();
    let column = text(old) + blanks;
    let blanks = match comment {
        "" => 0,
        _ => column.saturating_sub(text(&new)).max(1),
    };
    new.decor_mut().set_prefix(" ");
    new.decor_mut()
        .set_suffix(format!("{:blanks$}{comment}", ""));
    new
}

/// Whether two values are the same, in whatever form they are written.
fn same(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Integer(old), Value::Integer(new)) => old.value() == new.value(),
        (Value::String(old), Value::String(new)) => old.value() == new.value(),
        (Value::Boolean(old), Value::Boolean(new)) => old.value() == new.value(),
        (Value::InlineTable(old), Value::InlineTable(new)) => old.is_empty() && new.is_empty(),
        _ => false,
    }
}

/// A table for each System PMU; the explanations are those of the first.
fn take_system_pmus(keys: &mut DocumentMut, pmus: &[SystemPmu]) {
    let Some(Item::ArrayOfTables(tables)) = keys.get("system_pmu") else {
        return;
    };
    let explained = tables.get(0).cloned().unwrap_or_default();
    if pmus.is_empty() {
        keys.remove("system_pmu");
        // A key of the top table goes before every other table.
        let none = value(Array::new());
        let root = keys.as_table_mut();
        root.insert("system_pmu", none);
        return;
    }
    let mut tables = ArrayOfTables::new();
    for (number, pmu) in pmus.iter().enumerate() {
        let values = document(pmu);
        let mut table = explained.clone();
        let absent: Vec<_> = table
            .iter()
            .filter(|(key, _)| !values.contains_key(key))
            .map(|(key, _)| key.to_owned())
            .collect();
        for key in absent {
            table.remove(&key);
        }
        take(&mut table, values.as_table());
        if number > 0 {
            table.decor_mut().set_prefix("\n");
            for (_, item) in table.iter_mut() {
                if let Item::Value(value) = item {
                    value.decor_mut().set_suffix("");
                }
            }
        }
        for key in ["features", "iidr", "devarch", "devaff"] {
            hexadecimal(&mut table, key);
        }
        tables.push(table);
    }
    keys.insert("system_pmu", Item::ArrayOfTables(tables));
}

/// Registers are written in hexadecimal.
fn hexadecimal(table: &mut Table, key: &str) {
    let Some(Item::Value(old)) = table.get_mut(key) else {
        return;
    };
    if let Some(number) = old.as_integer()
        && let Ok(new) = format!("{number:#x}").parse::<Value>()
    {
        *old = in_place(old, new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pmu_model::implementation::Res0;

    fn keys_of(prefix: &str, table: &Table, to: &mut Vec<String>) {
        for (key, item) in table {
            let name = format!("{prefix}{key}");
            match item {
                Item::Table(inner) => keys_of(&format!("{name}."), inner, to),
                _ => to.push(name),
            }
        }
    }

    #[test]
    fn every_key_is_explained_and_has_its_default() {
        let read: Implementation = toml::from_str(KEYS).expect("an implementation");
        assert_eq!(read, Implementation::default());
        let keys: DocumentMut = KEYS.parse().expect("TOML");
        let mut explained = Vec::new();
        keys_of("", keys.as_table(), &mut explained);
        // All keys: the wrapper is left out where it is whole.
        let mut all = Implementation::default();
        all.wrapper.access_interval = 2;
        let document = document(&all);
        let mut needed = Vec::new();
        keys_of("", document.as_table(), &mut needed);
        for key in needed {
            assert!(
                explained.contains(&key) || key.starts_with("knobs.reserved_map"),
                "{key}"
            );
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut small = Implementation {
            name: "small \"one\"".into(),
            ..Implementation::default()
        };
        small.pmu.counters = 6;
        small.knobs.reset_value = u64::MAX;
        small.spe.pmsidr = 0x3_B800;
        small.knobs.res0 = Res0::RwNoEffect;
        small.wrapper.aarch32 = false;
        small
            .knobs
            .reserved_map
            .insert("000,1,00".into(), "001,1,00".into());
        small.system_pmu.truncate(1);
        small.system_pmu[0].iidr = None;
        let mut none = small.clone();
        none.system_pmu.clear();
        let mut three = Implementation::default();
        three.system_pmu.push(SystemPmu::default());
        for implementation in [Implementation::default(), small, none, three] {
            let text = annotated(&implementation);
            let read = toml::from_str::<Implementation>(&text);
            assert_eq!(read.as_ref(), Ok(&implementation), "{text}");
        }
    }

    #[test]
    fn explanations_stay() {
        let mut small = Implementation::default();
        small.pmu.counters = 6;
        let text = annotated(&small);
        let line = text.lines().find(|line| line.starts_with("counters"));
        let line = line.expect("the key");
        let default = KEYS.lines().find(|line| line.starts_with("counters"));
        assert_eq!(
            line.find('#'),
            default.expect("the key").find('#'),
            "the same column"
        );
        assert!(
            line.contains("= 6") && line.contains("# event counters"),
            "{line}"
        );
    }
}
