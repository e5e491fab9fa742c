//! Coverage of RTL as Verilator counts it: lines, branches, changes of bits, `cover`. Its data files are read, put
//! together, and told: as LCOV, and as a page with what is missing first.

mod file;
mod lcov;
mod page;
mod tally;

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

pub use file::{DataError, read};
pub use page::{Part, page};
pub use tally::Tally;

/// What the points of a design have counted. Files are named from the folder on that all of them are in, so that what was
/// counted on two machines is of the same points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RtlCoverage {
    folder: PathBuf,
    points: BTreeMap<Point, u64>,
}

/// A point: something in a file that can happen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Point {
    /// The file, from the folder on.
    file: Box<str>,
    line: u32,
    /// All that Verilator says of it, without the name of the file.
    text: Box<str>,
}

/// Keys of what Verilator says of a point.
mod key {
    pub const FILE: &str = "f";
    pub const LINE: &str = "l";
    pub const LINES: &str = "S";
    pub const KIND: &str = "t";
    pub const PAGE: &str = "page";
    pub const COMMENT: &str = "o";
}

impl Point {
    /// A value; nothing if there is none.
    fn value(&self, key: &str) -> &str {
        file::value(&self.text, key).map_or("", |(value, _)| value)
    }

    /// The kind. Early versions of Verilator have it in the name of a page alone: `v_line/MODULE`.
    fn kind(&self) -> &str {
        let page = self.value(key::PAGE);
        match self.value(key::KIND) {
            "" => page.split_once('/').map_or(page, |(kind, _)| {
                kind.split_once('_').map_or(kind, |(_, kind)| kind)
            }),
            kind => kind,
        }
    }

    /// The lines that have run when the point has.
    fn lines(&self) -> Vec<u32> {
        let number = |text: &str| text.parse::<u32>().ok();
        let ranges = self.value(key::LINES).split(',');
        let ranges = ranges.filter_map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            Some(number(first)?..=number(last)?)
        });
        let mut lines: Vec<_> = ranges.flatten().collect();
        lines.push(self.line);
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}

impl RtlCoverage {
    /// Coverage of points with the names of their files.
    fn of(points: impl Iterator<Item = (Point, u64)>) -> Self {
        let points: Vec<_> = points.collect();
        let folders = points.iter().map(|(point, _)| folder_of(&point.file));
        let folder = folders
            .reduce(|a, b| {
                let same = a.components().zip(b.components());
                let same = same.take_while(|(a, b)| a == b);
                same.map(|(part, _)| part).collect()
            })
            .unwrap_or_default();
        let inside = |mut point: Point| {
            if let Ok(inside) = Path::new(&*point.file).strip_prefix(&folder) {
                point.file = inside.to_string_lossy().into();
            }
            point
        };
        let mut all = Self::default();
        for (point, count) in points {
            all.add(inside(point), count);
        }
        all.folder = folder;
        all
    }

    fn add(&mut self, point: Point, count: u64) {
        let held = self.points.entry(point).or_default();
        *held = (*held).max(count);
    }

    /// The same with other names of files.
    #[must_use]
    pub fn renamed(self, name: impl Fn(&str) -> String) -> Self {
        let mut names: BTreeMap<&str, Box<str>> = BTreeMap::new();
        let points = self.points.iter().map(|(point, &count)| {
            let path = || self.path(&point.file).to_string_lossy().into_owned();
            let file = names.entry(&point.file);
            let file = file.or_insert_with(|| name(&path()).into()).clone();
            let text = point.text.clone();
            (
                Point {
                    file,
                    text,
                    ..*point
                },
                count,
            )
        });
        Self::of(points)
    }

    /// Adds what another run has counted: of each point the run counts that hit it most often. In whichever order, and however
    /// often, the same is added, the same comes of it.
    pub fn join(&mut self, other: Self) {
        if self.points.is_empty() || (!other.points.is_empty() && other.folder < self.folder) {
            self.folder = other.folder;
        }
        for (point, count) in other.points {
            self.add(point, count);
        }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// A file of a point.
    fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }
}

/// The folder of a file, without `.` parts.
fn folder_of(file: &str) -> PathBuf {
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    folder
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coverage of points: file, line, what happens, count.
    pub fn coverage(points: &[(&str, u32, &str, u64)]) -> RtlCoverage {
        let point = |&(file, line, text, count): &(&str, u32, &str, u64)| {
            let text = format!("\u{1}f\u{2}\u{1}l\u{2}{line}{text}");
            let point = Point {
                file: file.into(),
                line,
                text: text.into(),
            };
            (point, count)
        };
        RtlCoverage::of(points.iter().map(point))
    }

    const BLOCK: &str = "\u{1}t\u{2}line\u{1}o\u{2}block\u{1}S\u{2}3-4,7";

    #[test]
    fn joining_is_associative_commutative_and_idempotent() {
        let a = coverage(&[
            ("/x/rtl/a.sv", 3, BLOCK, 5),
            ("/x/rtl/in/b.sv", 1, BLOCK, 0),
        ]);
        // The same design in another place.
        let b = coverage(&[("/w/a.sv", 3, BLOCK, 2), ("/w/in/b.sv", 1, BLOCK, 9)]);
        let c = coverage(&[("/y/a.sv", 3, BLOCK, 0), ("/y/in/b.sv", 1, BLOCK, 1)]);
        let join = |parts: &[&RtlCoverage]| {
            let mut all = RtlCoverage::default();
            for part in parts {
                all.join((*part).clone());
            }
            all
        };
        let all = join(&[&a, &b, &c]);
        assert_eq!((all.len(), &*all.folder), (2, Path::new("/w")));
        assert_eq!(all.points.values().copied().collect::<Vec<_>>(), [5, 9]);
        assert_eq!(join(&[&c, &b, &a]), all);
        assert_eq!(join(&[&join(&[&a, &b]), &c]), all);
        assert_eq!(join(&[&a, &join(&[&b, &c])]), all);
        assert_eq!(join(&[&all, &all, &b]), all);
        assert_eq!(join(&[&all, &RtlCoverage::default()]), all);
    }

    #[test]
    fn a_point_says_which_lines_have_run() {
        let all = coverage(&[("a.sv", 2, BLOCK, 5)]);
        let (point, _) = all.points.first_key_value().expect("a point");
        assert_eq!(point.lines(), [2, 3, 4, 7]);
        assert_eq!(point.value(key::COMMENT), "block");
        assert_eq!((point.value("x"), point.kind()), ("", "line"));
        let early = coverage(&[("a.sv", 2, "\u{1}page\u{2}v_toggle/a", 5)]);
        let (point, _) = early.points.first_key_value().expect("a point");
        assert_eq!(point.kind(), "toggle");
    }

    #[test]
    fn files_get_other_names() {
        let all = coverage(&[("rtl/a.sv", 3, BLOCK, 5), ("rtl/b.sv", 1, BLOCK, 0)]);
        let named = all.renamed(|name| format!("/there/{name}"));
        assert_eq!(named.folder, Path::new("/there/rtl"));
        assert_eq!(named.path("a.sv"), Path::new("/there/rtl/a.sv"));
    }
}
