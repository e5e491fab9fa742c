//! The words of a file list.

use super::ListProblem;

/// A word, with its quotes and escapes taken away and its variables filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub text: String,
    /// Line of its start, from 1.
    pub line: usize,
}

/// Splits a list into words. Comments may hold any bytes, words are UTF-8.
///
/// # Errors
/// A line and what is wrong there.
pub(super) fn words(
    text: &[u8],
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Word>, (usize, ListProblem)> {
    let mut scanner = Scanner {
        rest: text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text),
        line: 1,
    };
    let mut words = Vec::new();
    let mut line_start = true;
    while let Some(&first) = scanner.rest.first() {
        if first.is_ascii_whitespace() {
            line_start |= first == b'\n';
            scanner.skip(1);
        } else if scanner.rest.starts_with(b"//") || (line_start && first == b'#') {
            let end = scanner.rest.iter().position(|&byte| byte == b'\n');
            scanner.skip(end.unwrap_or(scanner.rest.len()));
        } else if scanner.rest.starts_with(b"/*") {
            let line = scanner.line;
            let end = scanner.rest.windows(2).skip(2).position(|two| two == b"*/");
            scanner.skip(4 + end.ok_or((line, ListProblem::OpenComment))?);
        } else if scanner.continues() {
            scanner.skip(2);
        } else {
            line_start = false;
            let line = scanner.line;
            let bytes = scanner.word(variable).map_err(|problem| (line, problem))?;
            let text = String::from_utf8(bytes).map_err(|error| {
                let found = String::from_utf8_lossy(error.as_bytes()).into_owned();
                (line, ListProblem::NotUtf8 { found })
            })?;
            words.push(Word { text, line });
        }
    }
    Ok(words)
}

struct Scanner<'a> {
    rest: &'a [u8],
    line: usize,
}

impl Scanner<'_> {
    fn skip(&mut self, bytes: usize) {
        let (skipped, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.line += skipped.iter().filter(|&&byte| byte == b'\n').count();
        self.rest = rest;
    }

    /// Whether the line goes on in the next one.
    fn continues(&self) -> bool {
        self.rest.starts_with(b"\\\n") || self.rest.starts_with(b"\\\r\n")
    }

    /// A word, which may be empty if it is quoted.
    fn word(&mut self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Vec<u8>, ListProblem> {
        let mut word = Vec::new();
        let mut quoted = false;
        while let Some(&byte) = self.rest.first() {
            if self.continues() || (byte.is_ascii_whitespace() && !quoted) {
                break;
            }
            match (byte, self.rest.get(1)) {
                (b'\\', Some(&next)) => {
                    word.push(next);
                    self.skip(2);
                }
                (b'"', _) => {
                    quoted = !quoted;
                    self.skip(1);
                }
                (b'$', _) => self.variable(variable, &mut word)?,
                (byte, _) => {
                    word.push(byte);
                    self.skip(1);
                }
            }
        }
        if quoted {
            return Err(ListProblem::OpenQuote);
        }
        Ok(word)
    }

    /// `$NAME`, `${NAME}` or `$(NAME)`; a dollar sign before anything else is itself.
    fn variable(
        &mut self,
        variable: &dyn Fn(&str) -> Option<String>,
        word: &mut Vec<u8>,
    ) -> Result<(), ListProblem> {
        let after = &self.rest[1..];
        let close = match after.first() {
            Some(b'{') => Some(b'}'),
            Some(b'(') => Some(b')'),
            _ => None,
        };
        let start = usize::from(close.is_some());
        let length = match close {
            Some(close) => after[1..]
                .iter()
                .take_while(|&&byte| byte != b'\n')
                .position(|&byte| byte == close)
                .ok_or(ListProblem::OpenVariable {
                    close: close.into(),
                })?,
            None => after
                .iter()
                .take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'_')
                .count(),
        };
        if length == 0 && close.is_none() {
            word.push(b'$');
            self.skip(1);
            return Ok(());
        }
        let name = String::from_utf8_lossy(&after[start..start + length]).into_owned();
        // What no variable can be called is not asked for.
        let asked = !name.is_empty() && !name.contains(['=', '\0']);
        let value = asked.then(|| variable(&name)).flatten();
        let value = value.ok_or(ListProblem::Variable { name })?;
        word.extend(value.as_bytes());
        self.skip(1 + length + 2 * start);
        Ok(())
    }
}
