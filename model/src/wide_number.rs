//! Numbers of 64 bits in files of TOML, whose own numbers have a sign: the large ones are texts, such as
//! `"0x8000000000000000"`.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserializer, Serializer};

pub fn serialize<S: Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
    match i64::try_from(*number) {
        Ok(number) => to.serialize_i64(number),
        Err(_) => to.collect_str(&format_args!("{number:#x}")),
    }
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    from.deserialize_any(Wide)
}

struct Wide;

impl Visitor<'_> for Wide {
    type Value = u64;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(
            "a whole number of 64 bits, from 2^63 on as a text such as \"0x8000000000000000\"",
        )
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
        Ok(number)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<u64, E> {
        u64::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u128<E: Error>(self, number: u128) -> Result<u64, E> {
        u64::try_from(number)
            .map_err(|_| E::invalid_value(Unexpected::Other("a larger one"), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
        let plain = text.replace('_', "");
        let read = match plain.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16),
            None => plain.parse(),
        };
        read.map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
    }
}
