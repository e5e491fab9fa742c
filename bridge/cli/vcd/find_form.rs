//! What `lockstep vcd find` prints, as rows are found.

use std::cell::RefCell;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use lockstep_vcd::{Header, Value};
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::Failure;
use super::form::{self, Csv, Signal, exact};
use super::show::cell;
use crate::cli::output;
use crate::printable::printable;
use crate::waves::find::{Found, Hit};
use crate::waves::rows::Sample;
use crate::waves::select::{Selected, common_scope};
use crate::waves::table::{Column, Table};
use crate::waves::time::Scale;
use crate::waves::values::Radix;

/// Rows of a table on a page; a search with more prints several.
const PAGE: usize = 1000;

/// What all forms tell of a search.
pub struct About<'a> {
    /// The dump.
    pub file: &'a Path,
    /// What must hold.
    pub expression: &'a str,
    /// Its declarations.
    pub header: &'a Header,
    /// Path of the clock, if rows are its edges.
    pub clock: Option<&'a str>,
    /// Which values belong to an edge.
    pub sample: Sample,
    /// The signals of the expression, then others.
    pub columns: &'a [Selected],
    /// How vectors are written.
    pub radix: Radix,
    /// Long values are not shortened.
    pub full: bool,
    /// Only the number of hits is wanted.
    pub count_only: bool,
    /// Why rows are none that were asked for.
    pub refused: &'a dyn Fn(&Found) -> Option<Failure>,
}

/// Takes hits as they are found.
pub trait Hits {
    /// Takes one; whether more are wanted.
    fn show(&mut self, hit: Hit<'_>) -> ControlFlow<()>;
}

/// Prints tables.
pub struct TableHits<'a> {
    about: &'a About<'a>,
    times: Vec<u64>,
    cycles: Vec<Option<u64>>,
    values: Vec<Vec<Option<Value>>>,
    pages: usize,
    printed: Result<(), Failure>,
}

impl<'a> TableHits<'a> {
    /// Before the first hit.
    pub const fn new(about: &'a About<'a>) -> Self {
        Self {
            about,
            times: Vec::new(),
            cycles: Vec::new(),
            values: Vec::new(),
            pages: 0,
            printed: Ok(()),
        }
    }

    /// After the last hit.
    pub fn end(mut self) -> Result<(), Failure> {
        if self.printed.is_ok() && !self.times.is_empty() {
            self.print();
        }
        self.printed
    }

    fn print(&mut self) {
        let mut text = match self.pages {
            0 => self.title(),
            _ => "\n".to_owned(),
        };
        text += &self.table().written(super::width());
        self.pages += 1;
        self.times.clear();
        self.cycles.clear();
        self.values.clear();
        self.printed = output::print(&text);
    }

    fn scope(&self) -> &'a str {
        common_scope(self.about.columns.iter().map(|one| one.path.as_str()))
    }

    fn title(&self) -> String {
        let rows = match self.about.clock {
            Some(clock) => {
                let when = self.about.sample.word();
                format!("values {when} rising edges of {}", printable(clock))
            }
            None => "values when a signal of the expression changes".to_owned(),
        };
        let place = match self.scope().strip_suffix('.') {
            Some(scope) => format!("in {}: ", printable(scope)),
            None => String::new(),
        };
        format!("{place}{rows}; {}\n\n", self.about.radix.word())
    }

    fn table(&self) -> Table {
        let mut heads = Vec::new();
        if self.about.clock.is_some() {
            let cycles = self.cycles.iter().map(|cycle| form::cell(*cycle));
            heads.push(("cycle".to_owned(), cycles.collect()));
        }
        let scale = Scale::of(self.about.header.timescale(), self.times.iter().copied());
        let times = self.times.iter().map(|time| scale.number(*time)).collect();
        heads.push((scale.unit().to_owned(), times));
        let scope = self.scope().len();
        let columns = self.about.columns.iter().enumerate();
        let columns = columns.map(|(place, one)| Column {
            label: printable(&one.path[scope..]),
            cells: self
                .values
                .iter()
                .map(|row| cell(row[place].as_ref(), self.about.radix, self.about.full))
                .collect(),
        });
        Table {
            heads,
            columns: columns.collect(),
            target: None,
        }
    }
}

impl Hits for TableHits<'_> {
    fn show(&mut self, hit: Hit<'_>) -> ControlFlow<()> {
        if self.about.count_only {
            return ControlFlow::Continue(());
        }
        self.times.push(hit.time);
        self.cycles.push(hit.cycle);
        self.values.push(hit.values.to_vec());
        if self.times.len() == PAGE {
            self.print();
        }
        form::going_on(&self.printed)
    }
}

/// Writes lines of CSV.
struct CsvHits<'a> {
    about: &'a About<'a>,
    out: &'a mut Csv,
    written: io::Result<()>,
}

/// Prints what `run` finds as CSV; of a mere count, that alone.
pub fn print_csv(
    about: &About<'_>,
    run: impl FnOnce(&mut dyn Hits) -> Found,
) -> Result<Found, Failure> {
    let mut found = Found::default();
    form::print_csv(|out| {
        if !about.count_only {
            let paths = about.columns.iter().map(|one| printable(&one.path));
            let head = ["time", "timescale", "cycle"].map(str::to_owned);
            out.end(head.into_iter().chain(paths))?;
        }
        let mut hits = CsvHits {
            about,
            out,
            written: Ok(()),
        };
        found = run(&mut hits);
        hits.written?;
        if about.count_only {
            out.end(["count"])?;
            out.end([found.hits.to_string()])?;
        }
        Ok(())
    })?;
    Ok(found)
}

impl Hits for CsvHits<'_> {
    fn show(&mut self, hit: Hit<'_>) -> ControlFlow<()> {
        if self.about.count_only {
            return ControlFlow::Continue(());
        }
        self.out.number(hit.time);
        self.out.cell(form::tick(self.about.header.timescale()));
        self.out.number(hit.cycle);
        for value in hit.values {
            self.out.cell(exact(value.as_ref(), self.about.radix));
        }
        self.written = self.out.end([""; 0]);
        form::going_on(&self.written)
    }
}

/// A hit in JSON.
#[derive(Serialize)]
struct HitRecord {
    /// Tick.
    time: u64,
    /// Number of the rising edge, from 0.
    cycle: Option<u64>,
    /// A value a signal.
    values: Vec<Option<String>>,
}

/// Writes a JSON document, whose list of hits grows as they are found.
struct JsonHits<'a, S: SerializeSeq> {
    about: &'a About<'a>,
    list: Option<&'a mut S>,
    written: Result<(), S::Error>,
}

impl<S: SerializeSeq> Hits for JsonHits<'_, S> {
    fn show(&mut self, hit: Hit<'_>) -> ControlFlow<()> {
        let Some(list) = &mut self.list else {
            return ControlFlow::Continue(());
        };
        let values = hit.values.iter();
        let record = HitRecord {
            time: hit.time,
            cycle: hit.cycle,
            values: values
                .map(|value| exact(value.as_ref(), self.about.radix))
                .collect(),
        };
        self.written = list.serialize_element(&record);
        form::going_on(&self.written)
    }
}

/// The list of hits, which is made while it is written.
struct List<'a, F> {
    about: &'a About<'a>,
    run: RefCell<Option<F>>,
    found: RefCell<Found>,
}

impl<F: FnOnce(&mut dyn Hits) -> Found> Serialize for List<'_, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let run = self
            .run
            .take()
            .ok_or_else(|| S::Error::custom("written once"))?;
        let mut list = serializer.serialize_seq(None)?;
        let mut hits = JsonHits {
            about: self.about,
            list: (!self.about.count_only).then_some(&mut list),
            written: Ok(()),
        };
        self.found.replace(run(&mut hits));
        hits.written?;
        list.end()
    }
}

/// Prints what `run` finds as one JSON document.
pub fn print_json(
    about: &About<'_>,
    run: impl FnOnce(&mut dyn Hits) -> Found,
) -> Result<Found, Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let list = List {
        about,
        run: RefCell::new(Some(run)),
        found: RefCell::default(),
    };
    let written = document(about, &list, &mut out).map_err(io::Error::from);
    output::printed(
        written
            .and_then(|()| writeln!(out))
            .and_then(|()| out.flush()),
    )?;
    Ok(list.found.into_inner())
}

fn document<F: FnOnce(&mut dyn Hits) -> Found>(
    about: &About<'_>,
    list: &List<'_, F>,
    out: &mut impl Write,
) -> Result<(), serde_json::Error> {
    let mut serializer = serde_json::Serializer::pretty(out);
    let mut map = serializer.serialize_map(None)?;
    let signals = about
        .columns
        .iter()
        .map(|one| Signal::of(one, about.header));
    map.serialize_entry("file", &about.file.display().to_string())?;
    map.serialize_entry("expression", about.expression)?;
    map.serialize_entry("timescale", &form::tick(about.header.timescale()))?;
    map.serialize_entry("clock", &about.clock.map(printable))?;
    map.serialize_entry("sample", &about.clock.map(|_| about.sample.word()))?;
    map.serialize_entry("signals", &signals.collect::<Vec<_>>())?;
    map.serialize_entry("hits", list)?;
    let found = list.found.borrow();
    map.serialize_entry("count", &found.hits)?;
    map.serialize_entry("rows", &found.rows)?;
    map.serialize_entry("limited", &found.is_limited)?;
    let fault = found.fault.as_ref().map(ToString::to_string);
    if let Some(fault) = fault.or_else(|| Some((about.refused)(&found)?.message)) {
        map.serialize_entry("fault", &fault)?;
    }
    SerializeMap::end(map)
}
