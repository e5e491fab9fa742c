//! How a path that is not written to its end may go on.

use std::collections::BTreeSet;

use lockstep_base::glob::unescaped;
use lockstep_vcd::Header;

/// Paths of signals, or of scopes, that begin with `start`, each up to the end of a name and, where more follows, its
/// dot. As a path may be given from any of its names on, so may `start`, unless it is empty.
///
/// Names with control characters are left out: they cannot be typed.
pub fn completions(header: &Header, start: &str, scopes: bool) -> BTreeSet<String> {
    // A shell may have put backslashes before what it reads otherwise.
    let mut starts = vec![unescaped(start), start.replace('\\', "")];
    starts.dedup();
    let paths: Box<dyn Iterator<Item = String>> = match scopes {
        false => Box::new(
            header
                .variables()
                .iter()
                .map(|variable| header.path(variable)),
        ),
        true => Box::new(
            super::outline::scopes(header)
                .into_iter()
                .map(|scope| scope.path),
        ),
    };
    let mut ways = BTreeSet::new();
    for path in paths.filter(|path| !path.contains(char::is_control)) {
        let later = path.match_indices('.').map(|(dot, _)| dot + 1);
        let later: Vec<_> = later.filter(|_| !start.is_empty()).collect();
        for start in &starts {
            for begin in std::iter::once(0).chain(later.iter().copied()) {
                let Some(rest) = path[begin..].strip_prefix(start) else {
                    continue;
                };
                let end = rest.find('.').map_or(rest.len(), |dot| dot + 1);
                let way = &path[begin..begin + start.len() + end];
                if !ways.contains(way) {
                    ways.insert(way.to_owned());
                }
            }
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use lockstep_vcd::{Slice, Source};

    use super::*;

    const DUMP: &str = "$scope module top $end $var wire 1 ! clk $end $var wire 8 a count [7:0] $end \
        $scope module u_sub $end $var wire 1 ! clk $end $var reg 8 b state $end $scope begin g[0] $end \
        $var reg 1 c \\odd+count $end $upscope $end $upscope $end $upscope $end $enddefinitions $end";

    #[test]
    fn paths_go_on_name_by_name() {
        let dump = Slice::new(DUMP.as_bytes()).expect("a dump");
        let ways = |start: &str, scopes| {
            let ways = completions(dump.header(), start, scopes);
            ways.into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ways("", false), "top.");
        assert_eq!(ways("top.", false), "top.clk top.count top.u_sub.");
        assert_eq!(ways("c", false), "clk count");
        assert_eq!(ways("u_sub.", false), "u_sub.clk u_sub.g[0]. u_sub.state");
        assert_eq!(ways("g\\[", false), "g[0].");
        assert_eq!(ways("od", false), "odd+count");
        assert_eq!(ways("\\od", false), "odd+count");
        assert_eq!(ways("x", false), "");
        assert_eq!(ways("top.", true), "top.u_sub top.u_sub.");
        assert_eq!(ways("u", true), "u_sub u_sub.");
    }
}
