//! From the paths of one dump to those of another.

use std::str::FromStr;

use lockstep_base::glob::{Glob, Piece, pieces, unescaped};

/// A rule `FROM=TO`. Without a wildcard, FROM is a path or the beginning of one, up to the end of a name; an empty FROM
/// is the beginning of every path. With wildcards it is a whole path, and the first `*` of TO stands for what the first
/// `*` of FROM stood for, and so on; the same for `**` and for `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    from: Glob,
    to: String,
}

impl FromStr for Rename {
    type Err = String;

    fn from_str(rule: &str) -> Result<Self, String> {
        let (from, to) = rule
            .split_once('=')
            .ok_or("expected FROM=TO, found no `=`")?;
        let (from, to) = (Glob::new(from), unescaped(to.trim()));
        for (kind, sign) in KINDS {
            let [given, asked] = [from.text(), &to].map(|text| count(text, kind));
            if asked > given {
                return Err(format!(
                    "expected at most as many `{sign}` after `=` as before it ({given}), found {asked}"
                ));
            }
        }
        Ok(Self { from, to })
    }
}

impl Rename {
    /// The new path, if the rule is for this one.
    pub fn apply(&self, path: &str) -> Option<String> {
        if self.from.has_wildcards() {
            return Some(self.substituted(&self.from.captures(path)?));
        }
        let from = self.from.text();
        if path == from {
            return Some(self.to.clone());
        }
        let rest = match from {
            "" => path,
            _ => path.strip_prefix(from)?.strip_prefix('.')?,
        };
        Some(match self.to.as_str() {
            "" => rest.to_owned(),
            to => format!("{to}.{rest}"),
        })
    }

    fn substituted(&self, captures: &[&str]) -> String {
        let from = pieces(self.from.text()).into_iter().filter(is_wildcard);
        let mut captures: Vec<_> = from.zip(captures).collect();
        let mut path = String::new();
        for piece in pieces(&self.to) {
            if let Piece::Literal(text) = piece {
                path += text;
            } else if let Some(place) = captures.iter().position(|(kind, _)| *kind == piece) {
                path += captures.remove(place).1;
            }
        }
        path
    }
}

const KINDS: [(Piece<'_>, &str); 3] = [(Piece::One, "?"), (Piece::Name, "*"), (Piece::Any, "**")];

fn count(text: &str, kind: Piece<'_>) -> usize {
    pieces(text)
        .into_iter()
        .filter(|piece| *piece == kind)
        .count()
}

const fn is_wildcard(piece: &Piece<'_>) -> bool {
    !matches!(piece, Piece::Literal(_))
}

/// The path after the first of `rules` that is for it.
pub fn renamed(rules: &[Rename], path: &str) -> String {
    rules
        .iter()
        .find_map(|rule| rule.apply(path))
        .unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rename(rule: &str, path: &str) -> String {
        renamed(&[rule.parse().unwrap()], path)
    }

    #[test]
    fn a_prefix_ends_with_a_name() {
        assert_eq!(rename("TOP.dut=tb.u", "TOP.dut.a.b"), "tb.u.a.b");
        assert_eq!(rename("TOP.dut=tb.u", "TOP.dut2.a"), "TOP.dut2.a");
        assert_eq!(rename("TOP.clk=tb.clk_i", "TOP.clk"), "tb.clk_i");
        assert_eq!(rename("TOP=", "TOP.a"), "a");
        assert_eq!(rename("=TOP", "a.b"), "TOP.a.b");
    }

    #[test]
    fn wildcards_carry_over() {
        assert_eq!(
            rename("**.bank[*]=**.mem_*", "TOP.u.bank[3]"),
            "TOP.u.mem_3"
        );
        assert_eq!(rename("**_q=**", "TOP.a_q"), "TOP.a");
        assert_eq!(rename("**.bank[*]=tb.mem_*", "TOP.u.bank[3]"), "tb.mem_3");
        assert_eq!(rename("*.x=y", "TOP.x"), "y");
        assert_eq!(rename("*.x=y", "TOP.u.x"), "TOP.u.x");
    }

    #[test]
    fn the_first_rule_counts() {
        let rules = ["a.b=c", "a=d"].map(|rule| rule.parse().unwrap());
        assert_eq!(renamed(&rules, "a.b.x"), "c.x");
        assert_eq!(renamed(&rules, "a.x"), "d.x");
    }

    #[test]
    fn rules_that_are_none() {
        assert!("ab".parse::<Rename>().unwrap_err().contains("no `=`"));
        let error = "a*=*.*".parse::<Rename>().unwrap_err();
        assert_eq!(
            error,
            "expected at most as many `*` after `=` as before it (1), found 2"
        );
    }
}
