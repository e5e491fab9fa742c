//! Patterns for paths of signals, and for names of fields.

/// A pattern for paths: `*` stands for any characters within a name, `**` for any at all, `?` for one within a name;
/// everything else for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    written: String,
    text: String,
}

impl Glob {
    /// The pattern `text`.
    pub fn new(text: &str) -> Self {
        let written = text.trim();
        Self {
            written: written.to_owned(),
            text: unescaped(written),
        }
    }

    /// The pattern, as it was given.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// The pattern without the backslashes of escaped names.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it has any wildcard.
    pub fn has_wildcards(&self) -> bool {
        self.text.contains(['*', '?'])
    }

    /// Whether it fits the whole path, or the end of it from the start of a name.
    pub fn fits(&self, path: &str) -> bool {
        // Most paths can be told by their end.
        let end = self.text.rsplit(['*', '?']).next().unwrap_or_default();
        if !path.ends_with(end) {
            return false;
        }
        self.captures(path).is_some()
            || path
                .match_indices('.')
                .any(|(dot, _)| self.captures(&path[dot + 1..]).is_some())
    }

    /// What the wildcards stand for if it fits the whole path, in their order.
    pub fn captures<'p>(&self, path: &'p str) -> Option<Vec<&'p str>> {
        let pieces = pieces(&self.text);
        // By the number of pieces left, the places of the path from which they were tried in vain.
        let mut failed = vec![vec![false; path.len() + 1]; pieces.len() + 1];
        let mut captured = Vec::new();
        matched(&pieces, path, 0, &mut failed, &mut captured).then_some(captured)
    }
}

/// A path without the backslashes with which escaped names begin; one within a name is of the name.
pub fn unescaped(path: &str) -> String {
    let path = path.strip_prefix('\\').unwrap_or(path);
    path.replace(".\\", ".")
}

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'g> {
    /// Stands for itself.
    Literal(&'g str),
    /// `?`
    One,
    /// `*`
    Name,
    /// `**`
    Any,
}

/// The parts of a pattern.
pub fn pieces(mut glob: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    while !glob.is_empty() {
        let (piece, length) = if glob.starts_with("**") {
            // More stars say nothing more.
            (Piece::Any, glob.len() - glob.trim_start_matches('*').len())
        } else if glob.starts_with('*') {
            (Piece::Name, 1)
        } else if glob.starts_with('?') {
            (Piece::One, 1)
        } else {
            let length = glob.find(['*', '?']).unwrap_or(glob.len());
            (Piece::Literal(&glob[..length]), length)
        };
        pieces.push(piece);
        glob = &glob[length..];
    }
    pieces
}

/// Whether `pieces` fit all of `path` from byte `at` on.
fn matched<'p>(
    pieces: &[Piece<'_>],
    path: &'p str,
    at: usize,
    failed: &mut [Vec<bool>],
    captured: &mut Vec<&'p str>,
) -> bool {
    let rest = &path[at..];
    let Some((piece, after)) = pieces.split_first() else {
        return rest.is_empty();
    };
    if failed[pieces.len()][at] {
        return false;
    }
    let found = match piece {
        Piece::Literal(text) => {
            rest.starts_with(text) && matched(after, path, at + text.len(), failed, captured)
        }
        wildcard => {
            let longest = match wildcard {
                Piece::Any => rest.len(),
                _ => rest.find('.').unwrap_or(rest.len()),
            };
            let lengths = rest[..longest]
                .char_indices()
                .map(|(length, _)| length)
                .chain([longest]);
            let (skip, take) = match wildcard {
                Piece::One => (1, 1),
                _ => (0, usize::MAX),
            };
            lengths.skip(skip).take(take).any(|length| {
                captured.push(&rest[..length]);
                let found = matched(after, path, at + length, failed, captured);
                if !found {
                    captured.pop();
                }
                found
            })
        }
    };
    failed[pieces.len()][at] = !found;
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(glob: &str, path: &str) -> bool {
        Glob::new(glob).fits(path)
    }

    #[test]
    fn one_star_stays_within_a_name() {
        assert!(fits("TOP.dut.*", "TOP.dut.count"));
        assert!(!fits("TOP.*", "TOP.dut.count"));
        assert!(fits("TOP.**", "TOP.dut.count"));
        assert!(fits("TOP.*.count", "TOP.dut.count"));
        assert!(fits("c*t", "TOP.dut.count"));
    }

    #[test]
    fn patterns_may_begin_at_any_name() {
        assert!(fits("dut.count", "TOP.dut.count"));
        assert!(fits("count", "TOP.dut.count"));
        assert!(!fits("ount", "TOP.dut.count"));
        assert!(!fits("TOP.dut", "TOP.dut.count"));
        assert!(fits("*", "TOP.dut.count"));
    }

    #[test]
    fn brackets_are_themselves() {
        assert!(fits("bank[0]", "TOP.bank[0]"));
        assert!(fits("bank[?]", "TOP.bank[3]"));
        assert!(!fits("bank[?]", "TOP.bank[31]"));
        assert!(fits("lane[*].q", "TOP.lane[31].q"));
    }

    #[test]
    fn wildcards_say_what_they_stand_for() {
        let captures = |glob: &str, path| Glob::new(glob).captures(path);
        assert_eq!(captures("a.*.c?", "a.bb.cd"), Some(vec!["bb", "d"]));
        assert_eq!(captures("**.q", "a.b.q"), Some(vec!["a.b"]));
        assert_eq!(captures("*x*", "ab"), None);
        assert_eq!(captures("a*", "a"), Some(vec![""]));
    }

    #[test]
    fn many_wildcards_take_no_exponential_time() {
        assert!(!fits(
            &"**a".repeat(30),
            &"a".repeat(2000).replace("aa", "ab")[..40]
        ));
        assert!(!fits(&("**a".repeat(30) + "b"), &"a".repeat(1000)));
    }
}
