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
    for (word, line) in tokens(text) {
        match word {
            "module" | "macromodule" => after_keyword = true,
            "automatic" | "static" if after_keyword => {}
            name if after_keyword && name.starts_with(|c| is_word(c) || c == '\\' || c == '`') => {
                found.push((name, line));
                after_keyword = false;
            }
            _ => {}
        }
    }
    found
}

/// The parameters of a module, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parameters {
    /// Those that can be set.
    pub open: Vec<String>,
    /// Those that cannot: `localparam`, and those of the body beside a list in the header.
    pub local: Vec<String>,
}

/// The parameters of module `name` in a text.
pub(crate) fn parameters(text: &str, name: &str) -> Parameters {
    let words: Vec<&str> = tokens(text).map(|(word, _)| word).collect();
    let mut found = Parameters::default();
    let mut take = |declared: Vec<(&str, bool)>, listed: bool| {
        for (name, local) in declared {
            let list = match local || listed {
                true => &mut found.local,
                false => &mut found.open,
            };
            list.push(name.to_owned());
        }
    };
    let is_keyword = |word: &&str| ["module", "macromodule", "automatic", "static"].contains(word);
    let declares = |pair: &[&str]| is_keyword(&pair[0]) && pair[1] == name;
    let Some(at) = words.windows(2).position(declares) else {
        return found;
    };
    let mut rest = &words[at + 2..];
    while rest.first() == Some(&"import") {
        let end = rest.iter().position(|word| *word == ";");
        rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
    }
    let listed = rest.starts_with(&["#", "("]);
    if listed {
        let (declared, after) = declarations(&rest[2..], ")");
        take(declared, false);
        rest = after;
    }
    while let Some((word, after)) = rest.split_first() {
        rest = after;
        match *word {
            "endmodule" => break,
            "parameter" | "localparam" => {
                let (declared, after) = declarations(after, ";");
                let all = declared
                    .into_iter()
                    .map(|(name, _)| (name, *word == "localparam"));
                take(all.collect(), listed);
                rest = after;
            }
            _ => {}
        }
    }
    found
}

/// The names that are declared up to `end`, whether each is a `localparam`, and the words after that.
fn declarations<'a, 'b>(words: &'b [&'a str], end: &str) -> (Vec<(&'a str, bool)>, &'b [&'a str]) {
    let mut found = Vec::new();
    let (mut local, mut in_value, mut depth) = (false, false, 0_usize);
    let mut name = None;
    for (k, &word) in words.iter().enumerate() {
        match word {
            _ if depth == 0 && word == end => {
                found.extend(name.map(|name| (name, local)));
                return (found, &words[k + 1..]);
            }
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            "," => {
                found.extend(name.take().map(|name| (name, local)));
                in_value = false;
            }
            "=" => in_value = true,
            "parameter" => local = false,
            "localparam" => local = true,
            // The last word before the value; what comes before is the type.
            _ if !in_value && word.starts_with(is_word) => name = Some(word),
            _ => {}
        }
    }
    (found, &[])
}

/// Words, and single characters of what is none, with their lines; without comments and strings.
fn tokens(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let (mut line, mut rest) = (1, text);
    std::iter::from_fn(move || {
        loop {
            let first = rest.chars().next()?;
            let (length, is_token) = if rest.starts_with("//") {
                (rest.find('\n').unwrap_or(rest.len()), false)
            } else if rest.starts_with("/*") {
                (rest.find("*/").map_or(rest.len(), |end| end + 2), false)
            } else if first == '"' {
                (string_length(rest), false)
            } else if is_word(first) || first == '\\' || first == '`' {
                let tail = &rest[first.len_utf8()..];
                let end = if first == '\\' {
                    tail.find(char::is_whitespace)
                } else {
                    tail.find(|c| !is_word(c))
                };
                (first.len_utf8() + end.unwrap_or(tail.len()), true)
            } else {
                (first.len_utf8(), !first.is_whitespace())
            };
            let (token, after) = rest.split_at(length);
            let at = line;
            line += token.matches('\n').count();
            rest = after;
            if is_token {
                return Some((token, at));
            }
        }
    })
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
    fn parameters_are_those_that_can_be_set() {
        let of = |text| {
            let Parameters { open, local } = parameters(text, "w");
            (open.join(" "), local.join(" "))
        };
        let words = |open: &str, local: &str| (open.to_owned(), local.to_owned());
        let text = "module v #(parameter X = 1) (); endmodule\n\
                    module automatic w import p::*; #(\n\
                    parameter int unsigned A = f(1, 2), B [2] = '{3, 4}, // C = 5\n\
                    localparam logic [3:0] D = A, parameter type T = int)\n\
                    (input clk_i);\n  parameter E = 1;\n  localparam F = 2, G = 3;\nendmodule\n\
                    module u; parameter Y = 1; endmodule";
        assert_eq!(of(text), words("A B T", "D E F G"));
        assert_eq!(
            of("module w (input a); parameter [7:0] A = 1, B = 2; localparam C = 3; endmodule"),
            words("A B", "C")
        );
        assert_eq!(
            of("module x #(parameter A = 1) (); endmodule"),
            words("", "")
        );
        assert_eq!(of("module w #(parameter A"), words("", ""));
    }

    #[test]
    fn comments_and_strings_declare_nothing() {
        let text = "// module a\n/* module b\n */ module c #(parameter string S = \"module \\\" d\")\n\
                    endmodule\nmodule automatic e; endmodule : e\nmodule\n  f;\n/* module g";
        assert_eq!(names(text), [("c", 3), ("e", 5), ("f", 7)]);
    }
}
