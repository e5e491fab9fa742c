//! Identifier codes: from the characters in the dump to the signal, in a few instructions.

use std::collections::HashMap;

use crate::digits;
use crate::error::{Expected, Parsed, fail, incomplete};
use crate::header::SignalId;

/// What a code stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// The code, first character lowest, if it has at most four.
    key: u32,
    pub(crate) signal: SignalId,
    pub(crate) width: u32,
}

/// Never the key of a code: its characters are below 0x7f.
const NO_KEY: u32 = !0;
const NONE: Entry = Entry {
    key: NO_KEY,
    signal: SignalId(0),
    width: 0,
};

/// Codes above this number are looked up by hash, unless the dump declares very many.
pub(crate) const DIRECT: usize = if cfg!(fuzzing) { 1 << 8 } else { 1 << 20 };

/// All identifier codes of a dump.
///
/// Tools count codes up in bijective base 94, first character lowest. Read as such a number, a
/// code is its own index into a table; the few that would make the table large are hashed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Codes {
    direct: Vec<Entry>,
    hashed: HashMap<Box<[u8]>, Entry>,
}

/// The number of a code, and the code in one word. None if it has more than four characters.
#[inline(always)]
pub(crate) fn number(code: u32) -> usize {
    let mask = match code {
        0..=0xff => 0xff,
        0x100..=0xffff => 0xffff,
        0x1_0000..=0xff_ffff => 0xff_ffff,
        _ => !0,
    };
    masked_number(code, mask)
}

#[inline(always)]
pub(crate) fn masked_number(code: u32, mask: u32) -> usize {
    let d = code.wrapping_sub(0x2020_2020 & mask);
    let digit = |i: u32| (d >> (8 * i) & 0xff) as usize;
    digit(0) + 94 * (digit(1) + 94 * (digit(2) + 94 * digit(3)))
}

fn short(code: &[u8]) -> Option<u32> {
    (code.len() <= 4).then(|| code.iter().rev().fold(0, |key, &c| key << 8 | u32::from(c)))
}

impl Codes {
    /// The table of all codes; `codes` yields each one once, with its signal and width.
    pub(crate) fn new(codes: HashMap<Box<[u8]>, (SignalId, u32)>) -> Self {
        let direct_limit = DIRECT.max(16 * codes.len());
        let mut table = Self::default();
        for (code, (signal, width)) in codes {
            let key = short(&code);
            let entry = Entry {
                key: key.unwrap_or(NO_KEY),
                signal,
                width,
            };
            match key.map(number) {
                Some(number) if number < direct_limit => {
                    if table.direct.len() <= number {
                        table.direct.resize(number + 1, NONE);
                    }
                    table.direct[number] = entry;
                }
                _ => drop(table.hashed.insert(code, entry)),
            }
        }
        table
    }

    pub(crate) fn get(&self, code: &[u8]) -> Option<&Entry> {
        let direct = short(code).and_then(|key| {
            self.direct
                .get(number(key))
                .filter(|entry| entry.key == key)
        });
        direct.or_else(|| self.hashed.get(code))
    }

    /// Whether a code begins like this one and goes on, so that this one may be cut.
    #[cold]
    fn has_longer(&self, code: &[u8]) -> bool {
        let direct = self.direct.iter().filter(|entry| entry.key != NO_KEY);
        let longer = |other: &[u8]| other.len() > code.len() && other.starts_with(code);
        let mut direct = direct.map(|entry| entry.key.to_le_bytes());
        direct.any(|key| {
            let length = key.iter().take_while(|&&byte| byte != 0).count();
            longer(&key[..length])
        }) || self.hashed.keys().any(|other| longer(other))
    }

    /// Looks a code of one to four characters up that stands in the lowest bytes of `word` and is
    /// followed by a white space; with its length. None does not mean that there is no such code.
    #[inline(always)]
    pub(crate) fn short(&self, word: u64) -> Option<(usize, &Entry)> {
        let length = digits::until_blank(word) as usize;
        let entry = self.of_length(word, length)?;
        is_blank((word >> (8 * length)) as u8).then_some((length, entry))
    }

    /// The same for a code of `length` characters, whatever follows it.
    #[inline(always)]
    pub(crate) fn of_length(&self, word: u64, length: usize) -> Option<&Entry> {
        if length > 4 {
            return None;
        }
        let mask = ((1_u64 << (8 * length)) - 1) as u32;
        let key = word as u32 & mask;
        // An equal key was checked when it was declared, so these characters are right.
        let entry = self.direct.get(masked_number(key, mask));
        entry.filter(|entry| entry.key == key)
    }

    /// Parses a code that was declared, and the one white space after it.
    ///
    /// With `LAST`, the end of the input ends the code as well.
    #[inline(always)]
    pub(crate) fn parse<'a, const LAST: bool>(&self, input: &'a [u8]) -> Parsed<'a, Entry> {
        if let Some((length, entry)) = digits::eight(input).and_then(|word| self.short(word)) {
            return Ok((&input[length + 1..], *entry));
        }
        self.parse_any::<LAST>(input)
    }

    #[inline(never)]
    fn parse_any<'a, const LAST: bool>(&self, input: &'a [u8]) -> Parsed<'a, Entry> {
        let length = input
            .iter()
            .take_while(|byte| byte.is_ascii_graphic())
            .count();
        let (code, rest) = input.split_at(length);
        match rest.split_first() {
            None if !LAST => incomplete(),
            _ if code.is_empty() => fail(input, Expected::Code),
            Some((&byte, _)) if !is_blank(byte) => fail(rest, Expected::Separator),
            after => match self.get(code) {
                Some(_) if after.is_none() && self.has_longer(code) => {
                    fail(input, Expected::WholeToken)
                }
                Some(entry) => Ok((after.map_or(rest, |(_, rest)| rest), *entry)),
                None => fail(input, Expected::KnownCode),
            },
        }
    }
}

/// White space between the tokens of a dump: space, tab, line feed, carriage return, and the
/// vertical tab and form feed that C's `isspace` also takes.
#[inline(always)]
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\n' | b' ' | b'\r' | b'\t' | 0x0b | 0x0c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(codes: &[&str]) -> Codes {
        let numbered = codes.iter().zip(0..);
        Codes::new(
            numbered
                .map(|(c, i)| (c.as_bytes().into(), (SignalId(i), 1)))
                .collect(),
        )
    }

    fn signal(codes: &Codes, input: &str) -> Option<u32> {
        let parsed = codes.parse::<true>(input.as_bytes());
        parsed.ok().map(|(_, entry)| entry.signal.0)
    }

    #[test]
    fn codes_of_every_length_are_found_in_every_place() {
        let codes = [
            "!",
            "~",
            "!!",
            "~~",
            "a!b",
            "~~~",
            "!!!!",
            "~~~~",
            "n1234",
            "a_long_code",
        ];
        let table = table(&codes);
        for (code, i) in codes.iter().zip(0..) {
            for tail in ["\n", " ", "\n1!\n1!\n1!\n", "\r\n#123456\n"] {
                assert_eq!(
                    signal(&table, &format!("{code}{tail}")),
                    Some(i),
                    "{code:?}{tail:?}"
                );
            }
        }
    }

    #[test]
    fn a_code_at_the_end_that_others_begin_with_may_be_cut() {
        let table = table(&["!", "!!", "abcd", "abcde", "~"]);
        for (code, found) in [
            ("!", None),
            ("!!", Some(1)),
            ("abcd", None),
            ("abcde", Some(3)),
            ("~", Some(4)),
        ] {
            assert_eq!(signal(&table, code), found, "{code}");
        }
    }

    #[test]
    fn other_words_are_refused() {
        let table = table(&["!", "!!", "abc"]);
        for word in [
            "",
            " ",
            "\"",
            "ab",
            "abcd",
            "!!!!!",
            "!\x7f",
            "!\u{e9}",
            "!\x01 !!!!!!!!",
            "\x00",
        ] {
            assert_eq!(
                signal(&table, &format!("{word}\n1234567")),
                None,
                "{word:?}"
            );
            assert_eq!(signal(&table, word), None, "{word:?}");
        }
    }

    #[test]
    fn a_code_at_the_end_of_a_window_is_incomplete() {
        let table = table(&["ab"]);
        assert!(
            table
                .parse::<false>(b"ab")
                .is_err_and(|e| e.is_incomplete())
        );
        assert!(table.parse::<false>(b"").is_err_and(|e| e.is_incomplete()));
        assert!(table.parse::<false>(b"ab\n").is_ok());
    }

    #[test]
    fn one_far_code_does_not_make_a_large_table() {
        assert_eq!(table(&["~~~~"]).direct.len(), 0);
    }
}
