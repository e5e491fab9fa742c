//! Signals that were asked for.

use std::collections::{HashMap, HashSet};

use lockstep_vcd::{Error, Header, Probe, Variable};

use lockstep_base::glob::Glob;

/// A signal, or some bits of it, and its path.
#[derive(Clone, Debug)]
pub struct Selected {
    /// Full path, with the bits that were asked for.
    pub path: String,
    /// Where to look.
    pub probe: Probe,
    /// How many other signals have the path, the name and the bits, of which this is the first.
    pub twins: usize,
    /// How many further names of the signal fit the pattern.
    pub aliases: usize,
}

/// Why there is nothing to show.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    /// A path is not that of one signal.
    #[error(transparent)]
    Path(#[from] Error),
    /// A pattern fits nothing.
    #[error("expected signals that fit `{0}`, found none")]
    NoneFits(String),
}

/// The signals that `globs` ask for, each once, in their order. One without wildcards is a path as
/// [`Header::find`] takes it.
///
/// # Errors
/// [`SelectError`].
pub fn select(header: &Header, globs: &[Glob]) -> Result<Vec<Selected>, SelectError> {
    let mut selected = Vec::new();
    let mut seen = HashSet::new();
    for glob in globs {
        if !glob.has_wildcards() {
            let one = single(header, glob.written())?;
            if seen.insert((one.probe.signal(), one.path.clone())) {
                selected.push(one);
            }
            continue;
        }
        let before = selected.len();
        let mut fitting = false;
        // Of several names of a signal, the first is enough.
        let mut places: HashMap<_, _> = selected
            .iter()
            .enumerate()
            .map(|(place, one): (usize, &Selected)| (key(header, one.probe), place))
            .collect();
        let fit = header.variables().iter().enumerate();
        let fit: Vec<_> = fit
            .map(|(index, variable)| (index, header.path(variable)))
            .filter(|(_, path)| glob.fits(path))
            .collect();
        let mut alike = HashMap::new();
        for (index, path) in &fit {
            let variable = &header.variables()[*index];
            let first = alike.entry(path.clone()).or_insert(Alike {
                first: variable,
                ranges_differ: false,
                names_differ: false,
            });
            first.ranges_differ |= first.first.range() != variable.range();
            first.names_differ |= first.first.name() != variable.name();
        }
        for (index, mut path) in fit {
            fitting = true;
            let variable = &header.variables()[index];
            let alike = &alike[&path];
            if alike.names_differ {
                path = with_escape(path, variable);
            }
            // Pieces of a vector with gaps have one path.
            if let Some(range) = variable.range().filter(|_| alike.ranges_differ) {
                path += &range.to_string();
            }
            let Some(probe) = Probe::variable(header, index) else {
                continue;
            };
            let next = selected.len();
            let place = *places.entry(key(header, probe)).or_insert(next);
            if place < next {
                let known: &mut Selected = &mut selected[place];
                known.aliases += usize::from(known.probe != probe);
                continue;
            }
            seen.insert((probe.signal(), path.clone()));
            selected.push(Selected {
                path,
                probe,
                twins: 0,
                aliases: 0,
            });
        }
        if selected.len() == before && !fitting {
            return Err(SelectError::NoneFits(glob.text().to_owned()));
        }
    }
    Ok(selected)
}

/// Variables of one path.
struct Alike<'h> {
    first: &'h Variable,
    ranges_differ: bool,
    names_differ: bool,
}

/// The path of a variable with a backslash before its own name, if that has dots in it.
fn with_escape(mut path: String, variable: &Variable) -> String {
    if variable.name().contains('.') {
        path.insert(path.len() - variable.name().len(), '\\');
    }
    path
}

/// What names of a signal have in common. An event is none of a signal that has its code, and bits of a wider signal
/// are another one.
fn key(header: &Header, probe: Probe) -> (Probe, bool) {
    (probe.anonymous(), probe.is_event(header))
}

/// The one signal with this path or end of a path.
///
/// # Errors
/// Those of [`Header::find`].
pub fn single(header: &Header, path: &str) -> Result<Selected, Error> {
    let probe = header.find(path)?;
    let variable = &header.variables()[probe.variable_index()];
    let mut full = header.path(variable);
    if path.contains('\\') {
        full = with_escape(full, variable);
    }
    let whole = Probe::variable(header, probe.variable_index());
    if whole != Some(probe)
        && let Some(bits) = path.trim().rfind('[')
    {
        full += &path.trim()[bits..];
    }
    Ok(Selected {
        path: full,
        twins: header.twins(probe).count(),
        aliases: 0,
        probe,
    })
}

/// The scopes that all paths have in common, with the dot behind; the rest of each path is its name in them.
pub fn common_scope<'p>(paths: impl IntoIterator<Item = &'p str>) -> &'p str {
    let mut paths = paths.into_iter();
    let Some(first) = paths.next() else {
        return "";
    };
    let mut common = first.rfind('.').map_or("", |dot| &first[..=dot]);
    for path in paths {
        while !path.starts_with(common) {
            let shorter = &common[..common.len() - 1];
            common = shorter.rfind('.').map_or("", |dot| &common[..=dot]);
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use lockstep_vcd::{Slice, Source};

    use super::*;

    const DUMP: &str = "$scope module top $end $var wire 1 ! clk $end $var wire 8 a bus [7:0] $end \
        $scope module u $end $var wire 1 ! clk $end $var reg 8 b q [7:0] $end $upscope $end $upscope $end \
        $enddefinitions $end";

    fn paths(globs: &[&str]) -> Result<Vec<String>, String> {
        let dump = Slice::new(DUMP.as_bytes()).expect("a dump");
        let globs: Vec<_> = globs.iter().map(|glob| Glob::new(glob)).collect();
        let selected = select(dump.header(), &globs).map_err(|error| error.to_string())?;
        Ok(selected.into_iter().map(|one| one.path).collect())
    }

    #[test]
    fn signals_come_in_the_order_asked_for_and_once() {
        assert_eq!(
            paths(&["u.q", "*"]).unwrap(),
            ["top.u.q", "top.clk", "top.bus"]
        );
        assert_eq!(paths(&["u.*"]).unwrap(), ["top.u.clk", "top.u.q"]);
        assert_eq!(paths(&["clk", "*clk"]).unwrap(), ["top.clk"]);
    }

    #[test]
    fn bits_keep_their_range() {
        assert_eq!(
            paths(&["bus[3:0]", "bus[7]"]).unwrap(),
            ["top.bus[3:0]", "top.bus[7]"]
        );
    }

    #[test]
    fn nothing_that_fits_is_an_error() {
        assert!(paths(&["v*"]).unwrap_err().contains("`v*`"));
        assert!(
            paths(&["top.q"])
                .unwrap_err()
                .contains("there is `top.u.q`")
        );
    }

    #[test]
    fn common_scopes_end_with_a_name() {
        assert_eq!(common_scope(["a.b.c", "a.b.d"]), "a.b.");
        assert_eq!(common_scope(["a.bb.c", "a.b.d"]), "a.");
        assert_eq!(common_scope(["a.b.c"]), "a.b.");
        assert_eq!(common_scope(["a", "b.c"]), "");
        assert_eq!(common_scope([]), "");
    }
}
