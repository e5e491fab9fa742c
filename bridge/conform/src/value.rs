//! Values of conformance vectors: numbers are JSON numbers, or strings with `0x`; flags are booleans, or 0 and 1; what
//! is `null` is not there.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// An unsigned number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number(pub u64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a number, 0 or more")]
        enum Form {
            Number(u64),
            Flag(bool),
            Text(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Number(number) => Ok(Self(number)),
            Form::Flag(flag) => Ok(Self(flag.into())),
            Form::Text(text) => hexadecimal(&text)
                .or_else(|| text.parse().ok())
                .map(Self)
                .ok_or_else(|| D::Error::custom(format!("expected a number, found {text:?}"))),
        }
    }
}

/// A flag.
pub fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match Number::deserialize(deserializer)?.0 {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(D::Error::custom(format!(
            "expected true, false, 0 or 1, found {other}"
        ))),
    }
}

/// A flag that is there.
pub fn some_flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    flag(deserializer).map(Some)
}

/// The elements of a list that are not `null`.
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let elements = Vec::<Option<T>>::deserialize(deserializer)?;
    Ok(elements.into_iter().flatten().collect())
}

fn hexadecimal(text: &str) -> Option<u64> {
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))?;
    u64::from_str_radix(digits, 16).ok()
}

/// A line with every number as a number, and without members that are `null`, so that all of its values can be read
/// alike. Elements of lists stay, `null` or not: their places count.
pub fn plain(value: Value) -> Value {
    match value {
        Value::String(text) => match hexadecimal(&text) {
            Some(number) => number.into(),
            None => Value::String(text),
        },
        Value::Array(elements) => elements.into_iter().map(plain).collect(),
        Value::Object(members) => members
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, plain(value)))
            .collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_have_three_forms() {
        for (form, number) in [
            (json!(12), 12),
            (json!("0x1F"), 31),
            (json!("12"), 12),
            (json!(true), 1),
        ] {
            let read: Number = serde_json::from_value(form).expect("a number");
            assert_eq!(read, Number(number));
        }
        assert!(serde_json::from_value::<Number>(json!("0xG")).is_err());
        assert!(serde_json::from_value::<Number>(json!(-1)).is_err());
    }

    #[test]
    fn flags_are_booleans_or_bits() {
        assert_eq!(flag(json!(1)).ok(), Some(true));
        assert_eq!(flag(json!(false)).ok(), Some(false));
        assert!(flag(json!(2)).is_err());
    }

    #[test]
    fn what_is_null_is_not_there_but_in_lists() {
        let line = json!({"a": null, "b": ["0x10", null, {"c": null}], "d": "0b1"});
        assert_eq!(plain(line), json!({"b": [16, null, {}], "d": "0b1"}));
    }
}
