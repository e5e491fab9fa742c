//! Text in lines that fit.

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// Lines of at most `width` columns, broken at blanks alone; escape sequences of colours take none.
fn options(width: usize) -> Options<'static> {
    Options::new(width)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
}

/// `text` in lines of at most `width` columns; at least one line. A word that is longer has one of its own.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let lines = textwrap::wrap(text, options(width));
    lines.into_iter().map(String::from).collect()
}

/// The same as one text that ends with a newline: the first line begins with `first`, the others with as many blanks.
pub fn hanging(first: &str, text: &str, width: usize) -> String {
    let blanks = " ".repeat(textwrap::core::display_width(first));
    let options = options(width)
        .initial_indent(first)
        .subsequent_indent(&blanks);
    textwrap::fill(text, options) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_blanks() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(
            wrapped("incomprehensible text-to-read", 5),
            ["incomprehensible", "text-to-read"]
        );
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn colours_take_no_room() {
        assert_eq!(wrapped("\u{1b}[2mone\u{1b}[0m two", 7).len(), 1);
    }

    #[test]
    fn lines_hang_below_the_first() {
        assert_eq!(hanging("  - ", "one two", 8), "  - one\n    two\n");
        assert_eq!(hanging("  - ", "one two", usize::MAX), "  - one two\n");
    }
}
