//! Where modules are declared, for messages: a look at the text, not a parser.

use std::fs;
use std::path::PathBuf;

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub name: String,
    pub path: PathBuf,
    /// Line of the name, from 1.
    pub line: usize,
}

/// The modules that `files` declare, in order. Macros are not expanded, and files that cannot be read
/// declare none.
pub(crate) fn declared<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> Vec<Declaration> {
    let mut found = Vec::new();
    for path in files {
        let bytes = fs::read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let in_file = names(&text).into_iter();
        found.extend(in_file.map(|(name, line)| Declaration {
            name: name.to_owned(),
            path: path.clone(),
            line,
        }));
    }
    found
}

/// Names and lines of the modules in a text.
fn names(text: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let mut after_keyword = false;
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            string_length(rest)
        } else if is_word(first) || first == '\\' || first == '`' {
            let tail = &rest[first.len_utf8()..];
            let end = if first == '\\' {
                tail.find(char::is_whitespace)
            } else {
                tail.find(|c| !is_word(c))
            };
            let length = first.len_utf8() + end.unwrap_or(tail.len());
            match &rest[..length] {
                "module" | "macromodule" => after_keyword = true,
                "automatic" | "static" if after_keyword => {}
                name if after_keyword => {
                    found.push((name, line));
                    after_keyword = false;
                }
                _ => {}
            }
            length
        } else {
            first.len_utf8()
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Bytes of the string literal that `text` starts with.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' | '\n' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_declare_nothing() {
        let text = "// module a\n/* module b\n */ module c #(parameter string S = \"module \\\" d\")\n\
                    endmodule\nmodule automatic e; endmodule : e\nmodule\n  f;\n/* module g";
        assert_eq!(names(text), [("c", 3), ("e", 5), ("f", 7)]);
    }
}
