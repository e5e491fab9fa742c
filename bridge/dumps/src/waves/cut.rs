//! Some signals of a dump in some part of its time, as a dump of its own. In constant memory.
//!
//! What becomes of them is a [`Target`]'s business; [`super::cut_vcd`] writes a VCD.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::{ControlFlow, RangeInclusive};

use lockstep_vcd::{
    BitRange, BitsRef, Error, Event, Header, Probe, Source, Value, ValueRef, VarKind,
};

use lockstep_base::glob::Glob;

use super::dump::Dump;
use super::outline;
use super::select::{SelectError, single};

/// A variable that is kept.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// Place of it in [`Header::variables`].
    pub variable: usize,
    /// Place of its signal in [`Cut::signals`]; names of one signal have the same.
    pub signal: usize,
    /// Width in bits.
    pub width: u32,
    /// The bits as declared, or those that were asked for.
    pub range: Option<BitRange>,
}

/// What is cut out of a dump.
#[derive(Debug)]
pub struct Cut {
    /// In the order of declaration.
    pub variables: Vec<Kept>,
    /// What they look at, each once.
    pub signals: Vec<Probe>,
    /// For each signal, whether it is an event.
    events: Vec<bool>,
    /// Signals, and names of them, as they were chosen: bits of a vector that stay bits are one.
    pub chosen: [usize; 2],
    /// Paths that were asked for and that several signals have, of which the first is kept.
    pub repeated: Vec<String>,
}

/// Takes what is cut out: [`declare`](Self::declare), then [`start`](Self::start), then times and what changes at them.
pub trait Target {
    /// Takes the declarations.
    fn declare(&mut self, header: &Header, cut: &Cut) -> io::Result<()>;

    /// Takes the first tick; the values that signals have at its end follow as changes, up to
    /// [`started`](Self::started).
    fn start(&mut self, time: u64) -> io::Result<()>;

    /// All values of the first tick were told; triggers of events in it follow.
    fn started(&mut self) -> io::Result<()>;

    /// Takes a tick after the one before.
    fn time(&mut self, time: u64) -> io::Result<()>;

    /// Takes a value of a signal, as the dump has it.
    fn change(&mut self, signal: usize, value: ValueRef<'_>) -> io::Result<()>;

    /// Takes a value of a signal that is not as the dump has it: that of some bits.
    fn change_part(&mut self, signal: usize, value: &Value) -> io::Result<()>;
}

/// What came of it.
#[derive(Debug)]
pub struct Copied {
    /// First and last tick. None if the dump has none in the part that was asked for.
    pub times: Option<(u64, u64)>,
    /// The last tick that was read.
    pub last: u64,
    /// Why the dump ends early.
    pub fault: Option<Error>,
}

/// Why nothing can be cut out.
#[derive(Debug, thiserror::Error)]
pub enum CutError {
    /// A signal is not there.
    #[error(transparent)]
    Signals(#[from] SelectError),
    /// A scope is not there.
    #[error("expected scopes that fit `{0}`, found none")]
    NoScope(String),
    /// No signal is in the scopes.
    #[error("expected signals in the scopes, found none")]
    Nothing,
}

impl Cut {
    /// Signals that fit one of `globs`, with all their names that do, in and below scopes that fit one of `scopes`; all
    /// scopes if none are given.
    ///
    /// # Errors
    /// [`CutError`].
    pub fn new(header: &Header, globs: &[Glob], scopes: &[Glob]) -> Result<Self, CutError> {
        let inside = inside(header, scopes)?;
        let mut chosen = Vec::new();
        let mut repeated = Vec::new();
        for glob in globs {
            chosen.extend(fitting(header, glob, &mut repeated)?);
        }
        chosen.sort_by_key(|(probe, _)| probe.variable_index());
        chosen.dedup();
        chosen.retain(|(probe, _)| {
            let scope = header.variables()[probe.variable_index()].scope();
            scopes.is_empty() || scope.is_some_and(|scope| inside[scope.index()])
        });
        if chosen.is_empty() {
            return Err(CutError::Nothing);
        }
        let mut cut = Self {
            variables: Vec::new(),
            signals: Vec::new(),
            events: Vec::new(),
            chosen: [distinct(&chosen), chosen.len()],
            repeated,
        };
        let mut places = HashMap::new();
        for (probe, bits) in chosen.into_iter().flat_map(|one| apart(header, one)) {
            let key = (probe.signal(), probe.bits(), probe.is_event(header));
            let place = *places.entry(key).or_insert_with(|| {
                cut.signals.push(probe);
                cut.events.push(probe.is_event(header));
                cut.signals.len() - 1
            });
            let variable = &header.variables()[probe.variable_index()];
            cut.variables.push(Kept {
                variable: probe.variable_index(),
                signal: place,
                width: match bits {
                    Some(_) => probe.width(header),
                    None => variable.width(),
                },
                range: bits.or(variable.range()),
            });
        }
        Ok(cut)
    }

    /// The first name of a string, if one is kept.
    #[must_use]
    pub fn string(&self, header: &Header) -> Option<String> {
        let mut variables = self
            .variables
            .iter()
            .map(|kept| &header.variables()[kept.variable]);
        let string = variables.find(|variable| variable.kind() == VarKind::String)?;
        Some(header.path(string))
    }

    /// Hands what is cut out of a dump that was just opened to `target`.
    ///
    /// # Errors
    /// Those of `target`.
    pub fn copy(
        &self,
        dump: &mut Dump,
        between: &RangeInclusive<u64>,
        target: &mut impl Target,
    ) -> io::Result<Copied> {
        let header = dump.header();
        target.declare(&header, self)?;
        let mut copy = Copy {
            cut: self,
            places: self.places(&header),
            between,
            target,
            now: 0,
            first: None,
            values: vec![None; self.signals.len()],
            triggers: Vec::new(),
            written: None,
        };
        let watched = dump.watch(self.signals.iter().map(Probe::signal));
        let visited = watched.and_then(|()| dump.try_for_each(|event| copy.event(event)));
        let fault = match visited {
            Ok(ControlFlow::Break(Some(error))) => return Err(error),
            Ok(_) => None,
            Err(error) => Some(error),
        };
        copy.finish(fault)
    }

    /// By signal of the dump, the places that look at it.
    fn places(&self, header: &Header) -> Vec<Vec<usize>> {
        let mut places = vec![Vec::new(); header.signal_count()];
        for (place, probe) in self.signals.iter().enumerate() {
            places[probe.signal().index()].push(place);
        }
        places
    }
}

/// How many signals, or parts of signals, are looked at.
fn distinct(chosen: &[Chosen]) -> usize {
    let probes = chosen.iter().map(|(probe, _)| probe.anonymous());
    probes.collect::<HashSet<_>>().len()
}

/// By scope, whether it is below one that fits.
fn inside(header: &Header, scopes: &[Glob]) -> Result<Vec<bool>, CutError> {
    let mut inside = vec![false; header.scopes().len()];
    let all = outline::scopes(header);
    for glob in scopes {
        let mut any = false;
        for (place, scope) in all.iter().enumerate() {
            let fits = glob.fits(&scope.path);
            any |= fits;
            inside[place] |= fits;
        }
        if !any {
            return Err(CutError::NoScope(glob.text().to_owned()));
        }
    }
    // Children stand behind their parents.
    for place in 0..inside.len() {
        let parent = header.scopes()[place].parent();
        inside[place] |= parent.is_some_and(|parent| inside[parent.index()]);
    }
    Ok(inside)
}

type Chosen = (Probe, Option<BitRange>);

/// A vector whose bits alone are in the dump as these bits: which end of it is the left one is not known.
fn apart(header: &Header, (probe, bits): Chosen) -> Vec<Chosen> {
    let variable = &header.variables()[probe.variable_index()];
    let range = variable
        .range()
        .filter(|_| bits.is_none() && variable.is_of_bits());
    let Some(range) = range else {
        return vec![(probe, bits)];
    };
    let parts = probe.parts(header).into_iter().zip(0..);
    parts
        .map(|(part, place)| {
            let index = range.msb - place;
            let bit = BitRange {
                msb: index,
                lsb: index,
            };
            (part, Some(bit))
        })
        .collect()
}

/// The variables that fit a pattern, or the one of a path, with the bits that were asked for.
fn fitting(
    header: &Header,
    glob: &Glob,
    repeated: &mut Vec<String>,
) -> Result<Vec<Chosen>, SelectError> {
    if !glob.has_wildcards() {
        let one = single(header, glob.written())?;
        if one.twins > 0 {
            repeated.push(one.path.clone());
        }
        let whole = Probe::variable(header, one.probe.variable_index());
        let bits = match whole == Some(one.probe) {
            true => None,
            false => bits_of(&one.path),
        };
        return Ok(vec![(one.probe, bits)]);
    }
    let fit = header.variables().iter().enumerate();
    let fit = fit.filter(|(_, variable)| glob.fits(&header.path(variable)));
    let fit: Vec<_> = fit
        .filter_map(|(index, _)| Some((Probe::variable(header, index)?, None)))
        .collect();
    match fit.is_empty() {
        true => Err(SelectError::NoneFits(glob.text().to_owned())),
        false => Ok(fit),
    }
}

/// `[7:4]` at the end of a path.
fn bits_of(path: &str) -> Option<BitRange> {
    let (_, bits) = path.trim_end().strip_suffix(']')?.rsplit_once('[')?;
    let (msb, lsb) = bits.split_once(':').unwrap_or((bits, bits));
    Some(BitRange {
        msb: msb.trim().parse().ok()?,
        lsb: lsb.trim().parse().ok()?,
    })
}

/// A value until the start is told, as the dump has it.
#[derive(Clone)]
enum Held {
    /// Digits, and the width of the signal.
    Digits(Vec<u8>, u32),
    Text(Vec<u8>),
    Real(f64),
    /// Some bits of a signal.
    Part(Value),
}

impl Held {
    /// Keeps a value in the place of another.
    fn keep(slot: &mut Option<Self>, probe: Probe, value: ValueRef<'_>) {
        let held = match (value, &mut *slot) {
            (_, _) if probe.bits().is_some() => Self::Part(probe.value(value)),
            (ValueRef::Bits(bits), Some(Self::Digits(digits, width))) => {
                digits.clear();
                digits.extend_from_slice(bits.digits());
                *width = bits.width();
                return;
            }
            (ValueRef::Bits(bits), _) => Self::Digits(bits.digits().to_vec(), bits.width()),
            (ValueRef::Text(text), _) => Self::Text(text.to_vec()),
            (ValueRef::Real(real), _) => Self::Real(real),
        };
        *slot = Some(held);
    }

    fn hand(&self, place: usize, target: &mut impl Target) -> io::Result<()> {
        match self {
            Self::Part(value) => target.change_part(place, value),
            Self::Text(text) => target.change(place, ValueRef::Text(text)),
            Self::Real(real) => target.change(place, ValueRef::Real(*real)),
            Self::Digits(digits, width) => match BitsRef::new(digits, *width) {
                Some(bits) => target.change(place, ValueRef::Bits(bits)),
                None => Ok(()),
            },
        }
    }
}

struct Copy<'c, T> {
    cut: &'c Cut,
    places: Vec<Vec<usize>>,
    between: &'c RangeInclusive<u64>,
    target: &'c mut T,
    now: u64,
    /// The first tick of the dump.
    first: Option<u64>,
    /// Values up to the end of the first tick.
    values: Vec<Option<Held>>,
    /// Events that were triggered in the first tick.
    triggers: Vec<(usize, Held)>,
    /// The last tick that the target has; None before its start.
    written: Option<u64>,
}

impl<T: Target> Copy<'_, T> {
    fn event(&mut self, event: Event<'_>) -> ControlFlow<Option<io::Error>> {
        let done = match event {
            Event::Time(time) if time > *self.between.end() => {
                self.now = time;
                return ControlFlow::Break(None);
            }
            Event::Time(time) => self.advance(time),
            Event::Change(signal, value) => self.change(signal.index(), value),
            _ => Ok(()),
        };
        match done {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(Some(error)),
        }
    }

    /// A new time; once it is behind the start, the values there are known.
    fn advance(&mut self, time: u64) -> io::Result<()> {
        self.first.get_or_insert(time);
        if self.written.is_none() && self.start().is_some_and(|start| time > start) {
            self.begin()?;
        }
        self.now = time;
        Ok(())
    }

    /// The first tick of the part.
    fn start(&self) -> Option<u64> {
        self.first.map(|first| first.max(*self.between.start()))
    }

    /// Hands over the values at the start.
    fn begin(&mut self) -> io::Result<()> {
        let start = self.start().unwrap_or(*self.between.start());
        self.target.start(start)?;
        self.written = Some(start);
        for (place, value) in self.values.iter().enumerate() {
            if let Some(value) = value {
                value.hand(place, self.target)?;
            }
        }
        self.target.started()?;
        for (place, value) in self.triggers.drain(..) {
            value.hand(place, self.target)?;
        }
        Ok(())
    }

    fn change(&mut self, signal: usize, value: ValueRef<'_>) -> io::Result<()> {
        // What comes before the first time happens at 0.
        self.first.get_or_insert(self.now);
        for place in &self.places[signal] {
            let place = *place;
            let probe = self.cut.signals[place];
            if self.written.is_none() {
                if !self.cut.events[place] {
                    Held::keep(&mut self.values[place], probe, value);
                } else if self.now >= *self.between.start() {
                    let mut held = None;
                    Held::keep(&mut held, probe, value);
                    self.triggers.extend(held.map(|held| (place, held)));
                }
                continue;
            }
            if self.written != Some(self.now) {
                self.target.time(self.now)?;
                self.written = Some(self.now);
            }
            match probe.bits() {
                None => self.target.change(place, value)?,
                Some(_) => self.target.change_part(place, &probe.value(value))?,
            }
        }
        Ok(())
    }

    fn finish(mut self, fault: Option<Error>) -> io::Result<Copied> {
        let end = self.now.min(*self.between.end());
        let start = self.start().filter(|start| *start <= end);
        if start.is_some() && self.written.is_none() {
            self.begin()?;
        }
        if start.is_some() && self.written != Some(end) {
            self.target.time(end)?;
        }
        Ok(Copied {
            times: start.map(|start| (start, end)),
            last: self.now,
            fault,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use lockstep_vcd::{Slice, Stream};

    use super::super::cut_vcd::VcdTarget;
    use super::*;

    const HEADER: &str = "$timescale 10 ns $end $scope module top $end $var wire 1 ! clk $end \
        $var reg 8 a \\q+[1] [7:0] $end $scope fork u $end $var event 1 e e $end $var wire 8 a alias [7:0] $end \
        $upscope $end $var real 64 r r $end $scope module v $end $var logic 1 ! clk $end $upscope $end $upscope $end \
        $enddefinitions $end\n";

    const BODY: &str = "#5\n$dumpvars 0! b1 a r0.5 r $end\n#10\n1!\n1e\n#15\n0!\n0e\n0e\nbx1 a\n#20\n1!\nr1e300 r\n\
        #30\nb1010 a\n#40\n";

    fn cut(
        globs: &[&str],
        scopes: &[&str],
        between: RangeInclusive<u64>,
    ) -> Result<String, String> {
        let globs: Vec<_> = globs.iter().map(|glob| Glob::new(glob)).collect();
        let scopes: Vec<_> = scopes.iter().map(|glob| Glob::new(glob)).collect();
        let text = format!("{HEADER}{BODY}");
        let mut dump = Dump::Pipe(Stream::from_reader(Cursor::new(text)).expect("a dump"));
        let cut = Cut::new(&dump.header(), &globs, &scopes).map_err(|error| error.to_string())?;
        let mut out = Vec::new();
        let mut target = VcdTarget::new(&mut out, "a cut");
        let copied = cut.copy(&mut dump, &between, &mut target).expect("written");
        assert!(copied.fault.is_none());
        let text = String::from_utf8(out).expect("text");
        let read = Slice::new(text.as_bytes()).and_then(|mut dump| dump.for_each(|_| {}));
        assert!(read.is_ok(), "{read:?} {text}");
        let (_, body) = text.split_once("a cut $end\n").expect("a comment");
        Ok(body.to_owned())
    }

    #[test]
    fn declarations_and_values_are_kept() {
        assert_eq!(
            cut(&["**"], &[], 0..=u64::MAX).unwrap(),
            "$timescale 10 ns $end\n$scope module top $end\n$var wire 1 ! clk $end\n\
             $var reg 8 \" \\q+[1] [7:0] $end\n$scope fork u $end\n$var event 1 # e $end\n\
             $var wire 8 \" alias [7:0] $end\n$upscope $end\n$var real 64 $ r $end\n$scope module v $end\n\
             $var logic 1 ! clk $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n\
             #5\n$dumpvars\n0!\nb1 \"\nr0.5 $\n$end\n#10\n1!\n1#\n#15\n0!\n0#\n0#\nbx1 \"\n\
             #20\n1!\nr1e300 $\n#30\nb1010 \"\n#40\n"
        );
    }

    #[test]
    fn a_part_begins_with_the_values_that_are_there() {
        let body = |globs: &[&str], between| {
            let text = cut(globs, &[], between).unwrap();
            text.split_once("$enddefinitions $end\n")
                .unwrap()
                .1
                .to_owned()
        };
        assert_eq!(
            body(&["**"], 15..=25),
            "#15\n$dumpvars\n0!\nbx1 \"\nr0.5 $\n$end\n0#\n0#\n#20\n1!\nr1e300 $\n#25\n"
        );
        assert_eq!(body(&["clk"], 17..=17), "#17\n$dumpvars\n0!\n$end\n");
        assert_eq!(body(&["top.clk"], 3..=9), "#5\n$dumpvars\n0!\n$end\n#9\n");
        assert_eq!(body(&["e"], 6..=12), "#6\n$dumpvars\n$end\n#10\n1!\n#12\n");
    }

    #[test]
    fn bits_and_scopes_are_chosen() {
        let text = cut(&["alias[3:0]", "alias[7]"], &[], 0..=20).unwrap();
        assert!(text.contains("$var wire 4 ! alias [3:0] $end\n"), "{text}");
        assert!(text.contains("$var wire 1 \" alias [7] $end\n"), "{text}");
        assert!(text.contains("#15\nbxxx1 !\nx\"\n"), "{text}");
        let text = cut(&["**"], &["u", "v"], 0..=20).unwrap();
        assert_eq!(text.matches("$var").count(), 3, "{text}");
        assert_eq!(
            cut(&["**"], &["w"], 0..=9).unwrap_err(),
            "expected scopes that fit `w`, found none"
        );
        assert_eq!(
            cut(&["r"], &["u"], 0..=9).unwrap_err(),
            "expected signals in the scopes, found none"
        );
        assert!(cut(&["w*"], &[], 0..=9).unwrap_err().contains("`w*`"));
    }
}
