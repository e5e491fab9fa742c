//! Which signal of a dump is compared with which one of another.

use std::collections::{HashMap, HashSet, VecDeque};

use lockstep_vcd::{Header, Probe, VarKind, Variable};

use super::rename::{Rename, renamed};
use lockstep_base::glob::Glob;

/// A signal of the first dump and the one of the second that it is compared with.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Path in the first dump, with the range where several variables have the path.
    pub path: String,
    /// Where to look.
    pub probes: [Probe; 2],
    /// The dump whose bits are to be read from the other end: it has them one by one, and so does not tell
    /// that the vector counts upwards.
    pub reversed: Option<usize>,
    /// An event: the triggers are counted, since their values are all the same.
    pub event: bool,
}

/// Which signals are compared.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// Those in both dumps.
    pub pairs: Vec<Pair>,
    /// Paths in the first dump alone.
    pub only_first: Vec<String>,
    /// Paths in the second dump alone.
    pub only_second: Vec<String>,
    /// Paths of signals with different widths, and these. They are not compared.
    pub widths: Vec<(String, [u32; 2])>,
    /// Paths of events of one dump that are none in the other. They are not compared.
    pub kinds: Vec<String>,
    /// Paths of signals that are declared with other bits: what there is in one dump there is not in the other, or its
    /// leftmost bit is the rightmost one there. They are not compared.
    pub ranges: Vec<String>,
    /// Paths of signals of which each dump has bits that the other has in other pieces. They are not compared.
    pub pieces: Vec<String>,
    /// Paths that a dump declares more than once for different signals, which are paired in their order.
    pub repeated: Vec<String>,
    /// Paths left out on request.
    pub ignored: usize,
}

/// The variables of a dump by path, in the order of declaration.
struct Paths<'h> {
    header: &'h Header,
    paths: Vec<(String, Vec<usize>)>,
    places: HashMap<String, usize>,
    ignored: usize,
}

impl<'h> Paths<'h> {
    fn new(header: &'h Header, ignored: impl Fn(&str) -> bool) -> Self {
        let mut all = Self {
            header,
            paths: Vec::new(),
            places: HashMap::new(),
            ignored: 0,
        };
        for (index, variable) in header.variables().iter().enumerate() {
            let path = header.path(variable);
            if ignored(&path) {
                all.ignored += 1;
                continue;
            }
            match all.places.get(&path) {
                Some(&place) => all.paths[place].1.push(index),
                None => {
                    all.places.insert(path.clone(), all.paths.len());
                    all.paths.push((path, vec![index]));
                }
            }
        }
        all
    }

    fn variable(&self, index: usize) -> &Variable {
        &self.header.variables()[index]
    }

    /// The path of one of its variables, with the range if others of the path have another one.
    fn label(&self, path: &str, index: usize, ranges_differ: bool) -> String {
        match self.variable(index).range() {
            Some(range) if ranges_differ => format!("{path}{range}"),
            _ => path.to_owned(),
        }
    }

    fn ranges_differ(&self, indices: &[usize]) -> bool {
        let mut ranges = indices.iter().map(|&index| self.variable(index).range());
        let first = ranges.next();
        ranges.any(|range| Some(range) != first)
    }

    /// Whether different signals have the path, the same bits, and names that do not tell them apart.
    fn is_repeated(&self, indices: &[usize]) -> bool {
        let mut signals = HashMap::new();
        indices.iter().any(|&index| {
            let signal = self.variable(index).signal();
            *signals.entry(self.key(index)).or_insert(signal) != signal
        })
    }

    /// What variables of one path are paired by: their bits, and the dots in their own names. `\a.b` has the path of a `b`
    /// in a scope `a`.
    fn key(&self, index: usize) -> ((i64, i64), usize) {
        let variable = self.variable(index);
        (variable.indices(), variable.name().matches('.').count())
    }
}

impl Mapping {
    /// Whether both dumps declare something that cannot be compared.
    pub fn has_mismatches(&self) -> bool {
        let lists = [&self.kinds, &self.ranges, &self.pieces];
        !self.widths.is_empty() || lists.iter().any(|list| !list.is_empty())
    }

    /// Maps by path: `rules` make paths of the second dump of those of the first, and what fits `ignore` in
    /// either is left out. Of several variables of a path, those with the same bits are paired, the first with
    /// the first and so on.
    pub fn new(headers: [&Header; 2], rules: &[Rename], ignore: &[Glob]) -> Self {
        let ignored = |path: &str| ignore.iter().any(|glob| glob.fits(path));
        let [first, second] = headers.map(|header| Paths::new(header, ignored));
        let mut mapping = Self {
            ignored: first.ignored + second.ignored,
            ..Self::default()
        };
        let mut found = HashSet::new();
        let mut compared = HashSet::new();
        for (path, ones) in &first.paths {
            let new = renamed(rules, path);
            let differ = first.ranges_differ(ones);
            let Some(&place) = second.places.get(&new) else {
                if !ignored(&new) {
                    let labels = ones.iter().map(|&one| first.label(path, one, differ));
                    mapping.only_first.extend(labels);
                }
                continue;
            };
            let twos = &second.paths[place].1;
            if first.is_repeated(ones) || second.is_repeated(twos) {
                mapping.repeated.push(path.clone());
            }
            let pairs = pair_up([&first, &second], ones, twos);
            let paired = pairs.iter().filter(|(_, two)| two.is_some()).count();
            if paired < ones.len() && paired < twos.len() {
                mapping.pieces.push(path.clone());
            }
            for (one, two) in pairs {
                let label = first.label(path, one, differ);
                let Some(two) = two else {
                    mapping.only_first.push(label);
                    continue;
                };
                found.insert(two);
                mapping.enter(headers, label, [one, two], &mut compared);
            }
        }
        for (path, twos) in &second.paths {
            let alone = twos.iter().filter(|two| !found.contains(two));
            let differ = second.ranges_differ(twos);
            let labels = alone.map(|&two| second.label(path, two, differ));
            mapping.only_second.extend(labels);
        }
        mapping
    }

    fn enter(
        &mut self,
        headers: [&Header; 2],
        path: String,
        indices: [usize; 2],
        compared: &mut HashSet<([Probe; 2], bool)>,
    ) {
        let [Some(one), Some(two)] =
            [0, 1].map(|side| Probe::variable(headers[side], indices[side]))
        else {
            return;
        };
        let event = one.is_event(headers[0]);
        if event != two.is_event(headers[1]) {
            self.kinds.push(path);
            return;
        }
        let widths = [one.width(headers[0]), two.width(headers[1])];
        let sized = |side: usize| is_of_bits(headers[side].variables()[indices[side]].kind());
        if widths[0] != widths[1] && (sized(0) || sized(1)) {
            self.widths.push((path, widths));
            return;
        }
        let variables = [0, 1].map(|side| &headers[side].variables()[indices[side]]);
        if are_apart(variables) {
            self.ranges.push(path);
            return;
        }
        // A trigger of an event is no value of a signal that has its code.
        let key = ([one.anonymous(), two.anonymous()], event);
        if compared.insert(key) {
            self.pairs.push(Pair {
                path,
                probes: [one, two],
                reversed: reversed(variables),
                event,
            });
        }
    }
}

/// Whether a width means anything: tools write any for a real or a string.
const fn is_of_bits(kind: VarKind) -> bool {
    use VarKind::{Real, RealParameter, Realtime, ShortReal, String};
    !matches!(kind, Real | RealParameter | Realtime | ShortReal | String)
}

/// For each variable of the first dump the one of the second, if there is one with its bits.
fn pair_up(dumps: [&Paths<'_>; 2], ones: &[usize], twos: &[usize]) -> Vec<(usize, Option<usize>)> {
    if let ([one], [two]) = (ones, twos) {
        // Also where they differ, so that the difference is told.
        return vec![(*one, Some(*two))];
    }
    let mut others: HashMap<_, VecDeque<usize>> = HashMap::new();
    for &two in twos {
        let key = dumps[1].key(two);
        others.entry(key).or_default().push_back(two);
    }
    ones.iter()
        .map(|&one| {
            let key = dumps[0].key(one);
            let two = others.get_mut(&key).and_then(VecDeque::pop_front);
            (one, two)
        })
        .collect()
}

/// Whether both tell their bits, and these are others, or stand the other way round.
fn are_apart(variables: [&Variable; 2]) -> bool {
    let [Some(one), Some(two)] = variables.map(Variable::range) else {
        return false;
    };
    // Bits one by one do not tell which end is the left one.
    let tell = variables.iter().all(|variable| !variable.is_of_bits());
    one.ends() != two.ends() || (tell && one != two)
}

/// The side that has the bits one by one, where the other one tells that they count upwards.
fn reversed(variables: [&Variable; 2]) -> Option<usize> {
    let upwards = |variable: &Variable| {
        let range = variable.range();
        range.is_some_and(|range| range.msb < range.lsb)
    };
    (0..2).find(|&side| variables[side].is_of_bits() && upwards(variables[1 - side]))
}
