//! Names of SystemVerilog.

/// Whether a text is a plain identifier: letters, digits, `_` and `$`, with a letter or `_` first.
pub fn is_identifier(text: &str) -> bool {
    let starts = text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    let goes_on = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
    starts && text.chars().all(goes_on)
}
