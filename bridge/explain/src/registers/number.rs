//! Numbers as people write them.

/// A number of 64 bits: `0x` hexadecimal, `0b` binary, else decimal; `_` anywhere after the first digit.
///
/// # Errors
/// Anything else; the text says what was expected.
pub fn parse(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
        (Some(digits), _) => (digits, 16),
        (_, Some(digits)) => (digits, 2),
        _ => (lower.as_str(), 10),
    };
    let expected =
        "expected a number: 0x hexadecimal, 0b binary or decimal, such as 0xb580_0559_8610_000d";
    // The library's parser takes a sign.
    let starts_well = digits.starts_with(|first: char| first.is_digit(radix));
    let digits = digits.replace('_', "");
    if !starts_well || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return Err(expected.into());
    }
    u64::from_str_radix(&digits, radix).map_err(|_| "expected a number of at most 64 bits".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_three_bases() {
        for (text, value) in [
            ("0", 0),
            ("0x0604", 0x604),
            ("0XFF", 255),
            ("0b10_1", 5),
            ("1_000_000", 1_000_000),
            ("0xffff_ffff_ffff_ffff", u64::MAX),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "_",
            "0x",
            "0x_1",
            "0b2",
            "12a",
            "-1",
            "+1",
            "1 ",
            "0x1_0000_0000_0000_0000",
            "٣",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
