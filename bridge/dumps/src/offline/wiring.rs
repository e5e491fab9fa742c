//! A map applied to a dump: which bits of which signals go where.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::{Range, RangeInclusive};

use lockstep_vcd::{Error, Header, Probe, SignalId};
use pmu_model::{CycleInput, DutParameters, Implementation};

use super::fields::{INPUT_BYTES, Place, Side, relevant};
use super::map::{Entry, Fields, Map, Origin};

/// How many names a message lists.
const LISTED: usize = 8;

/// Bits of a signal that are bits of a struct.
#[derive(Clone, Debug)]
pub struct Wire {
    /// The signal, see [`lockstep_vcd::SignalId::index`].
    pub signal: usize,
    /// Lowest bit of it, from the right.
    pub low: u32,
    /// Bits.
    pub width: u32,
    /// The struct.
    pub side: Side,
    /// Lowest bit there.
    pub to: u32,
    /// 0 stands for 1.
    pub inverted: bool,
    /// Path of the signal, with the bits that the map chose.
    pub path: String,
    /// The bit of that path's value that is the lowest of this wire.
    pub within: u32,
    /// Whether the path has more bits than these.
    pub part: bool,
}

impl Wire {
    fn bits(&self) -> RangeInclusive<u32> {
        self.to..=self.to + self.width - 1
    }

    /// The path of bit `from` of the struct, with `width` bits.
    fn path_of(&self, from: u32, width: u32) -> String {
        let low = self.within + from - self.to;
        let width = width.min(self.to + self.width - from);
        match self.part || width < self.width {
            false => self.path.clone(),
            true if width == 1 => format!("{}[{low}]", self.path),
            true => format!("{}[{}:{low}]", self.path, low + width - 1),
        }
    }
}

/// A map applied to a dump.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// Signal and bit of the clock.
    pub clock: (usize, u32),
    /// Its path.
    pub clock_path: String,
    /// The signal of `parameters_o`.
    pub parameters: Option<Probe>,
    /// Everything that is looked at.
    pub wires: Vec<Wire>,
    /// What the map says once and for all.
    pub constants: [Vec<u8>; 2],
    /// Bits that are something.
    pub mapped: [Vec<u8>; 2],
    /// Inputs that matter and have no signal.
    pub unmapped_inputs: Vec<String>,
    /// Outputs that could be compared and have no signal.
    pub unmapped_outputs: Vec<String>,
    /// Paths that several signals have, of which the first is looked at.
    pub repeated: Vec<String>,
}

impl Wiring {
    /// Every signal that is looked at.
    pub fn signals(&self, header: &Header) -> Vec<SignalId> {
        let wires = self.wires.iter().map(|wire| wire.signal);
        let parameters = self.parameters.map(|probe| probe.signal().index());
        let all = wires.chain([self.clock.0]).chain(parameters);
        all.filter_map(|signal| header.signal(signal)).collect()
    }
}

/// Why a map does not fit a dump.
#[derive(Debug, thiserror::Error)]
pub enum WiringError {
    /// There is no such signal.
    #[error("`{key}`: {error}{}", alternatives(.near))]
    Signal {
        /// Key of the map.
        key: String,
        /// What the dump says.
        error: Error,
        /// Paths that are similar.
        near: Vec<String>,
    },
    /// The signal has another width.
    #[error("expected {expected} for `{key}`, found `{path}` with {}", bits(*.found))]
    Width {
        /// Key of the map.
        key: String,
        /// Path of the signal.
        path: String,
        /// Widths that fit.
        expected: String,
        /// Its width.
        found: u32,
    },
    /// Two keys are the same bits.
    #[error("expected one origin of {field}, found `{first}` and `{second}`")]
    Twice {
        /// What both are.
        field: String,
        /// A key.
        first: String,
        /// The other.
        second: String,
    },
    /// A list has too few or too many paths.
    #[error("expected {expected} paths for `{key}`, found {found}")]
    Length {
        /// Key of the map.
        key: String,
        /// Elements.
        expected: u32,
        /// Paths.
        found: usize,
    },
    /// Inputs are missing.
    #[error(
        "expected signals for {}, found none in the map; {}, or take them as zero with --unmapped zero",
        listed(.0),
        where_to_add(.0)
    )]
    Unmapped(Vec<String>),
    /// There is nothing to compare.
    #[error("expected a signal for an output, found none in the map; add one to [output]")]
    NoOutput,
}

/// The byte that a design draws is an output, and what the model goes on with.
fn where_to_add(missing: &[String]) -> &'static str {
    let is_drawn = |name: &String| name == "random_byte";
    match (missing.iter().any(is_drawn), missing.iter().all(is_drawn)) {
        (_, true) => "add it to [output]",
        (true, _) => {
            "add random_byte to [output] and the others to [input], write a number for what never changes"
        }
        _ => "add them to [input], write a number for what never changes",
    }
}

fn alternatives(paths: &[String]) -> String {
    match paths {
        [] => String::new(),
        _ => {
            let quoted: Vec<_> = paths.iter().map(|path| format!("`{path}`")).collect();
            format!("; there is {}", quoted.join(", "))
        }
    }
}

fn bits(width: u32) -> String {
    match width {
        1 => "1 bit".to_owned(),
        width => format!("{width} bits"),
    }
}

/// Names in a message.
pub fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(LISTED);
    let shown = names[..names.len() - more].join(", ");
    match more {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

impl Wiring {
    /// Finds the signals of `map`. With `allow_unmapped`, inputs may be missing.
    ///
    /// # Errors
    /// [`WiringError`].
    pub fn new(
        map: &Map,
        header: &Header,
        implementation: &Implementation,
        allow_unmapped: bool,
    ) -> Result<Self, WiringError> {
        let clock = found(header, "clock", &map.clock)?;
        if clock.width(header) != 1 {
            return Err(width_error("clock", &map.clock, 1..=1, clock.width(header)));
        }
        let parameters = match &map.parameters {
            Some(path) => Some(found(header, "parameters", path)?),
            None => None,
        };
        if let (Some(path), Some(probe)) = (&map.parameters, &parameters) {
            let wanted = 8 * size_of::<DutParameters>() as u32;
            if probe.width(header) != wanted {
                let found = probe.width(header);
                return Err(width_error("parameters", path, wanted..=wanted, found));
            }
        }
        let mut builder = Builder {
            header,
            implementation,
            wires: Vec::new(),
            variables: BTreeSet::from([clock.variable_index()]),
            sides: [Half::new(Side::Input), Half::new(Side::Output)],
        };
        builder.add(Side::Input, &map.input)?;
        builder.add(Side::Output, &map.output)?;
        let Builder {
            wires,
            variables,
            sides,
            ..
        } = builder;
        let probes = variables
            .into_iter()
            .filter_map(|index| Probe::variable(header, index))
            .filter(|probe| header.twins(*probe).next().is_some());
        let repeated = probes.map(|probe| header.path(&header.variables()[probe.variable_index()]));
        let [input, output] = sides;
        let unmapped_inputs = unmapped_inputs(&input, &output, implementation);
        if !unmapped_inputs.is_empty() && !allow_unmapped {
            return Err(WiringError::Unmapped(unmapped_inputs));
        }
        if wires.iter().all(|wire| wire.side == Side::Input) {
            return Err(WiringError::NoOutput);
        }
        Ok(Self {
            clock: (
                clock.signal().index(),
                clock.bits().map_or(0, |(_, low)| low),
            ),
            clock_path: path_of(header, &clock, &map.clock),
            parameters,
            wires,
            unmapped_outputs: unmapped_outputs(&output, implementation),
            unmapped_inputs,
            repeated: repeated.collect(),
            constants: [input.constants, output.constants],
            mapped: [input.mapped, output.mapped],
        })
    }

    /// The path of the signal that bits of a struct come from.
    pub fn path_of(&self, side: Side, from: u32, width: u32) -> Option<String> {
        let wire = self
            .wires
            .iter()
            .find(|wire| wire.side == side && wire.bits().contains(&from));
        wire.map(|wire| wire.path_of(from, width))
    }

    /// The path of the first signal that has one of the bits of `mask`.
    pub fn first_of(&self, side: Side, mask: &[u8]) -> Option<String> {
        let set = |bit: u32| mask[bit as usize / 8] >> (bit % 8) & 1 == 1;
        let from = (0..8 * mask.len() as u32).find(|&bit| set(bit))?;
        let place = side.fields().iter().find_map(|place| {
            (0..place.count)
                .map(|element| (place.bit(element), place.width))
                .find(|(low, width)| (*low..low + width).contains(&from))
        });
        let (low, width) = place.unwrap_or((from, 1));
        self.path_of(side, low, width)
            .or_else(|| self.path_of(side, from, 1))
    }

    /// What bits of an input come from: a signal, or a number in the map; `None` if nothing drives any of them.
    pub fn driver_of(&self, bits: &Range<u32>) -> Option<String> {
        let mut driven = bits.clone();
        let signal = driven.find_map(|bit| self.path_of(Side::Input, bit, bits.end - bit));
        let mapped = &self.mapped[0];
        let is_mapped = |bit: u32| mapped[bit as usize / 8] >> (bit % 8) & 1 == 1;
        match signal {
            Some(path) => Some(format!("`{path}`")),
            None => bits
                .clone()
                .any(is_mapped)
                .then(|| "what the map says".into()),
        }
    }

    /// Whether all of some bits of the outputs are looked at.
    pub fn compares(&self, from: u32, width: u32) -> bool {
        let mask = &self.mapped[1];
        (from..from + width).all(|bit| mask[bit as usize / 8] >> (bit % 8) & 1 == 1)
    }
}

/// What the implementation needs and has neither signal nor number.
fn unmapped_inputs(input: &Half, output: &Half, implementation: &Implementation) -> Vec<String> {
    let constants: CycleInput = bytemuck::pod_read_unaligned(&input.constants);
    let known = |name: &str| {
        let field = Side::Input.field(name);
        field.is_some_and(|field| input.fixed.contains(&field.name.as_str()))
    };
    let needed = relevant(&constants, known, implementation);
    let missing: Vec<_> = (0..INPUT_BYTES)
        .map(|byte| needed[byte] & !input.mapped[byte])
        .collect();
    let mut names = names(Side::Input, |bit| {
        missing[bit as usize / 8] >> (bit % 8) & 1 == 1
    });
    // DUT-61: the model takes it from the design.
    let random = Side::Output
        .field("random_byte")
        .map_or(0, |field| field.bit(0));
    if implementation.spe.implemented && output.mapped[random as usize / 8] == 0 {
        names.push("random_byte".to_owned());
    }
    names
}

fn unmapped_outputs(output: &Half, implementation: &Implementation) -> Vec<String> {
    let mut wanted = vec![false; 8 * Side::Output.bytes()];
    for field in Side::Output.fields() {
        for element in field.compared(implementation) {
            wanted[field.bit(element) as usize] = true;
        }
    }
    names(Side::Output, |bit| wanted[bit as usize] && !output.has(bit))
}

/// The fields of which a bit fits, arrays by ranges of their elements.
fn names(side: Side, fits: impl Fn(u32) -> bool) -> Vec<String> {
    let mut names = Vec::new();
    for field in side.fields() {
        if field.name == "threads" {
            // Its parts are fields too.
            continue;
        }
        let fitting: Vec<u32> = (0..field.count)
            .filter(|&element| {
                let low = field.bit(element);
                (low..low + field.width).any(&fits)
            })
            .collect();
        if !field.is_array() {
            names.extend((!fitting.is_empty()).then(|| field.name.to_owned()));
            continue;
        }
        for run in fitting.chunk_by(|one, other| one + 1 == *other) {
            names.push(match run {
                [one] => format!("{}[{one}]", field.name),
                _ => format!("{}[{}:{}]", field.name, run[run.len() - 1], run[0]),
            });
        }
    }
    names
}

/// What is known of a struct.
struct Half {
    constants: Vec<u8>,
    mapped: Vec<u8>,
    /// The key that each bit is from.
    keys: Vec<Option<String>>,
    /// Fields that are constant.
    fixed: Vec<&'static str>,
}

impl Half {
    fn new(side: Side) -> Self {
        Self {
            constants: vec![0; side.bytes()],
            mapped: vec![0; side.bytes()],
            keys: vec![None; 8 * side.bytes()],
            fixed: Vec::new(),
        }
    }

    fn has(&self, bit: u32) -> bool {
        self.mapped[bit as usize / 8] >> (bit % 8) & 1 == 1
    }

    fn take(&mut self, key: &str, name: &str, low: u32, width: u32) -> Result<(), WiringError> {
        for bit in low..low + width {
            let owner = &mut self.keys[bit as usize];
            if let Some(first) = owner.replace(key.to_owned()) {
                return Err(WiringError::Twice {
                    field: name.to_owned(),
                    first,
                    second: key.to_owned(),
                });
            }
            self.mapped[bit as usize / 8] |= 1 << (bit % 8);
        }
        Ok(())
    }
}

struct Builder<'b> {
    header: &'b Header,
    implementation: &'b Implementation,
    wires: Vec<Wire>,
    /// The variables that are looked at.
    variables: BTreeSet<usize>,
    sides: [Half; 2],
}

impl Builder<'_> {
    fn add(&mut self, side: Side, fields: &Fields) -> Result<(), WiringError> {
        match fields {
            Fields::Packed(path) => {
                let key = side.packed();
                let probe = found(self.header, key, path)?;
                let wanted = 8 * side.bytes() as u32;
                if probe.width(self.header) != wanted {
                    let found = probe.width(self.header);
                    return Err(width_error(key, path, wanted..=wanted, found));
                }
                self.wire(side, key, (path, &probe), false, (0, wanted, 0))?;
                self.half(side).take(key, key, 0, wanted)
            }
            Fields::Single(entries) => entries.iter().try_for_each(|entry| self.entry(side, entry)),
        }
    }

    fn half(&mut self, side: Side) -> &mut Half {
        &mut self.sides[side as usize]
    }

    /// Adds bits of a signal: from, width, to.
    fn wire(
        &mut self,
        side: Side,
        key: &str,
        (path, probe): (&str, &Probe),
        inverted: bool,
        (from, width, to): (u32, u32, u32),
    ) -> Result<(), WiringError> {
        let low = probe.bits().map_or(0, |(_, low)| low);
        let all = probe.width(self.header);
        if from + width > all {
            return Err(width_error(key, path, from + width..=from + width, all));
        }
        self.variables.insert(probe.variable_index());
        self.wires.push(Wire {
            signal: probe.signal().index(),
            low: low + from,
            width,
            side,
            to,
            inverted,
            path: path_of(self.header, probe, path),
            within: from,
            part: all > width,
        });
        Ok(())
    }

    fn entry(&mut self, side: Side, entry: &Entry) -> Result<(), WiringError> {
        let place = entry.place;
        let elements = match &entry.elements {
            Some(range) => range.clone().collect::<Vec<_>>(),
            None => (0..place.elements(self.implementation)).collect(),
        };
        let elements = match &entry.origin {
            Origin::Constant(number) => {
                let elements = match &entry.elements {
                    Some(_) => elements,
                    None => (0..place.count).collect(),
                };
                for (index, &element) in elements.iter().enumerate() {
                    // Of an array of bits the number is all of it.
                    let value = match place.width {
                        1 => number >> index & 1,
                        _ => *number,
                    };
                    write(
                        &mut self.half(side).constants,
                        place.bit(element),
                        place.width,
                        value,
                    );
                }
                self.half(side).fixed.push(&place.name);
                elements
            }
            Origin::Signal { path, active_low } => {
                self.vector(side, entry, path, *active_low, &elements)?
            }
            Origin::Pattern(pattern) => {
                for &element in &elements {
                    let path = pattern.replace("{}", &element.to_string());
                    self.element(side, entry, &path, element)?;
                }
                elements
            }
            Origin::List(paths) => {
                if paths.len() != elements.len() {
                    return Err(WiringError::Length {
                        key: entry.key.clone(),
                        expected: elements.len() as u32,
                        found: paths.len(),
                    });
                }
                for (path, &element) in paths.iter().zip(&elements) {
                    self.element(side, entry, path, element)?;
                }
                elements
            }
        };
        for element in elements {
            let name = place.element(element);
            let half = self.half(side);
            half.take(&entry.key, &name, place.bit(element), place.width)?;
        }
        Ok(())
    }

    /// One signal for one element.
    fn element(
        &mut self,
        side: Side,
        entry: &Entry,
        path: &str,
        element: u32,
    ) -> Result<(), WiringError> {
        let place = entry.place;
        let probe = found(self.header, &entry.key, path)?;
        let width = probe.width(self.header);
        let widths = place.widths(element, self.implementation);
        if !widths.contains(&width) {
            return Err(width_error(&entry.key, path, widths, width));
        }
        let bits = (0, width, place.bit(element));
        self.wire(side, &entry.key, (path, &probe), false, bits)
    }

    /// One signal for several elements, or for a field that has none; returns the elements that it has.
    fn vector(
        &mut self,
        side: Side,
        entry: &Entry,
        path: &str,
        inverted: bool,
        elements: &[u32],
    ) -> Result<Vec<u32>, WiringError> {
        let (place, key) = (entry.place, &entry.key);
        let probe = found(self.header, key, path)?;
        let width = probe.width(self.header);
        if inverted && width != 1 {
            return Err(width_error(key, path, 1..=1, width));
        }
        let first = elements.first().copied().unwrap_or(0);
        // A vector of bits, of which the last ones may be left out.
        if place.width == 1 && place.is_array() && entry.elements.is_none() {
            let least = place.least_bits(self.implementation);
            if !(least..=place.count).contains(&width) {
                return Err(width_error(key, path, least..=place.count, width));
            }
            self.wire(
                side,
                key,
                (path, &probe),
                inverted,
                (0, width, place.bit(0)),
            )?;
            return Ok((0..width).collect());
        }
        let mut counts = vec![elements.len() as u32];
        if entry.elements.is_none() {
            counts.push(place.count);
        }
        let widths = place.widths(first, self.implementation);
        let fitting = counts
            .iter()
            .copied()
            .find(|&count| count > 0 && width % count == 0 && widths.contains(&(width / count)));
        let Some(count) = fitting else {
            let count = counts[0];
            return Err(WiringError::Width {
                key: key.clone(),
                path: path.to_owned(),
                expected: match count {
                    0 | 1 => range_of_bits(widths),
                    _ => format!(
                        "{} for each of {count} elements, {} in all",
                        range_of_bits(widths.clone()),
                        range_of_bits(count * widths.start()..=count * widths.end())
                    ),
                },
                found: width,
            });
        };
        let lane = width / count;
        let stride = place.bit(1) - place.bit(0);
        if lane == stride || count == 1 {
            // They lie in the struct as they do in the signal.
            self.wire(
                side,
                key,
                (path, &probe),
                inverted,
                (0, width, place.bit(first)),
            )?;
        } else {
            for index in 0..count {
                let bits = (index * lane, lane, place.bit(first + index));
                self.wire(side, key, (path, &probe), inverted, bits)?;
            }
        }
        Ok((first..first + count).collect())
    }
}

fn write(image: &mut [u8], low: u32, width: u32, value: u64) {
    for bit in 0..width.min(64) {
        let to = low + bit;
        image[to as usize / 8] |= ((value >> bit & 1) as u8) << (to % 8);
    }
}

fn range_of_bits(widths: RangeInclusive<u32>) -> String {
    match widths.start() == widths.end() {
        true => bits(*widths.start()),
        false => format!("{} to {}", widths.start(), bits(*widths.end())),
    }
}

fn width_error(key: &str, path: &str, widths: RangeInclusive<u32>, found: u32) -> WiringError {
    WiringError::Width {
        key: key.to_owned(),
        path: path.to_owned(),
        expected: range_of_bits(widths),
        found,
    }
}

/// The signal at a path.
fn found(header: &Header, key: &str, path: &str) -> Result<Probe, WiringError> {
    header.find(path).map_err(|error| {
        let near = match &error {
            Error::NotFound { candidates, .. } if candidates.is_empty() => similar(header, path),
            _ => Vec::new(),
        };
        WiringError::Signal {
            key: key.to_owned(),
            error,
            near,
        }
    })
}

/// Paths like one that is not there.
fn similar(header: &Header, path: &str) -> Vec<String> {
    let plain = path.split('[').next().unwrap_or(path).to_lowercase();
    let name = plain.rsplit('.').next().unwrap_or(&plain).to_owned();
    let mut near: Vec<_> = header
        .variables()
        .iter()
        .map(|variable| {
            (
                strsim::jaro_winkler(&variable.name().to_lowercase(), &name),
                variable,
            )
        })
        .filter(|(like, _)| *like > 0.8)
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut paths: Vec<String> = Vec::new();
    for (_, variable) in near {
        let path = header.path(variable);
        if !paths.contains(&path) && paths.len() < 3 {
            paths.push(path);
        }
    }
    paths
}

/// The full path of what was found, with the bits asked for.
fn path_of(header: &Header, probe: &Probe, asked: &str) -> String {
    let variable = &header.variables()[probe.variable_index()];
    let mut path = header.path(variable);
    let whole = Probe::variable(header, probe.variable_index());
    if whole != Some(*probe)
        && let Some(at) = asked.trim().rfind('[')
    {
        path += &asked.trim()[at..];
    }
    path
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)
    }
}

impl Place {
    /// Whether a signal of `width` bits can be one element, or all elements of an implementation.
    pub fn fits(&self, width: u32, implementation: &Implementation) -> bool {
        let all = self.elements(implementation);
        let widths = self.widths(0, implementation);
        match (self.is_array(), self.width) {
            (false, _) => widths.contains(&width),
            (true, 1) => (self.least_bits(implementation)..=self.count).contains(&width),
            (true, _) => [all, self.count]
                .iter()
                .any(|&n| n > 0 && width.is_multiple_of(n) && widths.contains(&(width / n))),
        }
    }
}
