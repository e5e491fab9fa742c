//! Names and texts from files, made fit for a terminal.

/// `text` on one line, without characters that a terminal would act on.
pub fn printable(text: &str) -> String {
    let mut shown = String::new();
    for word in text.split_whitespace() {
        if !shown.is_empty() {
            shown.push(' ');
        }
        shown.push_str(&escaped(word));
    }
    shown
}

/// `text` with its control characters escaped.
pub fn escaped(text: &str) -> String {
    let mut shown = String::new();
    for character in text.chars() {
        match character.is_control() {
            true => shown.extend(character.escape_default()),
            false => shown.push(character),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("a\u{1b}[31m\n  b"), "a\\u{1b}[31m b");
    }
}
