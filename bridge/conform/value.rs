//! Numbers of conformance vectors: JSON numbers, or strings with `0x`.

use serde::{Deserialize, Deserializer, de::Error};

/// An unsigned number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number(pub u64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(u64),
            Flag(bool),
            Text(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Number(number) => Ok(Self(number)),
            Form::Flag(flag) => Ok(Self(flag.into())),
            Form::Text(text) => text
                .strip_prefix("0x")
                .and_then(|digits| u64::from_str_radix(digits, 16).ok())
                .or_else(|| text.parse().ok())
                .map(Self)
                .ok_or_else(|| D::Error::custom(format!("expected a number, found {text:?}"))),
        }
    }
}
