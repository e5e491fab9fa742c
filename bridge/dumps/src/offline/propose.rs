//! A map proposed from the names and widths in a dump.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use lockstep_vcd::{Bits, Header, Probe, ScopeId, Source, Ticks, Value, Variable};
use pmu_model::contract::{CONTRACT_VERSION, CYCLE_COUNTER, Group};
use pmu_model::{DutParameters, Implementation};

use super::fields::{Place, Side};
use super::map::InputTime;
use crate::waves::clock;

/// Edges that are looked at to learn when inputs change.
const EDGES: usize = 256;

/// What was found.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The file.
    pub text: String,
    /// What is in it, in one line.
    pub summary: String,
    /// Whether `check` takes it as it is.
    pub complete: bool,
}

/// The wrapper of the contract in a dump.
#[derive(Clone, Debug)]
struct Wrapper {
    input: usize,
    output: usize,
    parameters: Option<usize>,
    /// The register behind the input, by its name.
    register: Option<usize>,
    clock: Option<usize>,
}

/// Proposes a map of a dump that was just opened, of which the beginning is read.
pub fn propose(source: &mut impl Source, name: &str, implementation: &Implementation) -> Proposal {
    let header = source.header().clone();
    let mut text = format!(
        "# Proposed by `lockstep vcd map` from the names in {name}.\n\
         # docs/dut-contract.md has the fields. Look at what it says before you rely on it.\n\
         contract = {CONTRACT_VERSION}\n"
    );
    match wrapper(&header) {
        Some(wrapper) => {
            let timing = timing(source, &header, &wrapper);
            packed(text, &header, &wrapper, timing)
        }
        None => {
            let clock = clock::find(&header, None).ok();
            let clock = clock.map(|probe| header.path(&header.variables()[probe.variable_index()]));
            put_clock(&mut text, clock.as_deref());
            single(text, &header, implementation, clock.is_some())
        }
    }
}

fn put_clock(text: &mut String, clock: Option<&str>) {
    match clock {
        Some(path) => put(text, &format!("clock = {}", quoted(path))),
        None => put(text, "clock = \"\"  # not found: the path of the clock"),
    }
    put(text, "edge = \"rising\"");
}

fn put(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A name without what tells direction or kind of signal.
fn plain(name: &str) -> String {
    let mut name = name.to_lowercase();
    for end in ["_i", "_o", "_in", "_out", "_q", "_r", "_reg", "_w", "_s"] {
        if let Some(short) = name.strip_suffix(end) {
            name = short.to_owned();
            break;
        }
    }
    name
}

/// The shallowest scope that has both packed ports; without such names, the only vectors of their widths.
fn wrapper(header: &Header) -> Option<Wrapper> {
    let all = || header.variables().iter().enumerate();
    let is = |variable: &Variable, side: Side| variable.width() == 8 * side.bytes() as u32;
    let named = |side: Side| {
        all()
            .filter(|(_, variable)| is(variable, side))
            .filter(|(_, variable)| {
                let name = variable.name().to_lowercase();
                plain(&name) == side.packed() && !name.ends_with("_q")
            })
            .map(|(index, variable)| (index, variable.scope()))
            .collect::<Vec<_>>()
    };
    let outputs = named(Side::Output);
    let depth = |scope: Option<ScopeId>| {
        scope.map_or(0, |scope| header.scope_path(scope).matches('.').count() + 1)
    };
    let mut pairs: Vec<_> = named(Side::Input)
        .into_iter()
        .filter_map(|(input, scope)| {
            let (output, _) = outputs.iter().find(|(_, other)| *other == scope)?;
            Some((input, *output))
        })
        .collect();
    pairs.sort_by_key(|(input, _)| depth(header.variables()[*input].scope()));
    let (input, output) = pairs.first().copied().or_else(|| {
        let only = |side| {
            let mut fitting = all().filter(|(_, variable)| is(variable, side));
            let (index, first) = fitting.next()?;
            let alone = fitting.all(|(_, other)| other.signal() == first.signal());
            alone.then_some(index)
        };
        Some((only(Side::Input)?, only(Side::Output)?))
    })?;
    let scope = header.variables()[input].scope();
    let beside = |fits: &dyn Fn(&Variable) -> bool| {
        let here = all().find(|(_, variable)| variable.scope() == scope && fits(variable));
        here.map(|(index, _)| index)
    };
    let wanted = 8 * size_of::<DutParameters>() as u32;
    Some(Wrapper {
        input,
        output,
        parameters: beside(&|variable| {
            plain(variable.name()) == "parameters" && variable.width() == wanted
        }),
        register: all()
            .find(|(_, variable)| {
                is(variable, Side::Input) && variable.name().eq_ignore_ascii_case("cycle_input_q")
            })
            .map(|(index, _)| index),
        clock: beside(&|variable| {
            variable.width() == 1 && ["clk", "clock", "clk_i"].contains(&variable.name())
        }),
    })
}

/// When the inputs are those that the design's register took in, and whether the clock's first level is an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Timing {
    inputs: Option<InputTime>,
    first_edge: bool,
    /// It is a window of `lockstep` itself.
    window: bool,
}

/// Whether the dump is the window of a divergence that `lockstep` wrote, with the model's signals.
fn is_window(header: &Header) -> bool {
    let mut variables = header.variables().iter();
    variables.any(|variable| {
        let scope = variable.scope().map(|scope| header.scope_path(scope));
        variable.name() == "divergence" && scope.as_deref() == Some("golden")
    })
}

/// Compares the input port with the register behind it, which DUT-01 asks for.
fn timing(source: &mut impl Source, header: &Header, wrapper: &Wrapper) -> Timing {
    let mut timing = Timing {
        inputs: None,
        first_edge: false,
        window: false,
    };
    if is_window(header) {
        // Whatever registers the design has: `lockstep` changes the inputs with the clock, and the design takes them in.
        timing.inputs = Some(InputTime::After);
        timing.window = true;
        return timing;
    }
    let clock = match wrapper.clock {
        Some(index) => Probe::variable(header, index),
        None => clock::find(header, None).ok(),
    };
    let (Some(clock), Some(register)) = (clock, wrapper.register) else {
        return timing;
    };
    let Some(probes) = [wrapper.input, register]
        .map(|index| Probe::variable(header, index))
        .into_iter()
        .collect::<Option<Vec<_>>>()
    else {
        return timing;
    };
    let known = |value: &Option<Value>| match value {
        Some(Value::Bits(bits)) if bits.is_known() => Some(bits.clone()),
        _ => None,
    };
    // Rows just before an edge: the port as it was then, and the register as it was left by the edge before.
    let mut before: Vec<[Option<Bits>; 2]> = Vec::new();
    let mut after = Vec::new();
    let mut first = None;
    let mut ticks = Ticks::new(header, &[probes[0], probes[1], clock]);
    let mut now: [Option<Value>; 3] = Default::default();
    while before.len() < EDGES {
        // Of a fault, whoever checks the dump is told.
        let Ok(Some(_)) = ticks.next(source) else {
            break;
        };
        let last = now.clone();
        for (place, value) in ticks.drain() {
            now[place] = Some(value);
        }
        let level = |values: &[Option<Value>; 3]| values[2].as_ref().and_then(Value::to_u64);
        if first.is_none() {
            first = Some((level(&now), [known(&now[0]), known(&now[1])]));
        }
        if level(&now) == Some(1) && last[2].is_some() && level(&last) != Some(1) {
            before.push([known(&last[0]), known(&now[1])]);
            after.push([known(&now[0]), known(&now[1])]);
        }
    }
    let fit = |rows: &[[Option<Bits>; 2]]| {
        let mut rows = rows.iter().filter(|row| row[1].is_some());
        rows.all(|[port, register]| port == register)
    };
    let seen = before.iter().any(|row| row[1].is_some());
    timing.inputs = match (seen, fit(&before), fit(&after)) {
        (true, true, _) => Some(InputTime::Before),
        (true, false, true) => Some(InputTime::After),
        _ => None,
    };
    if let Some((Some(1), [Some(port), Some(register)])) = first {
        timing.first_edge = port == register && timing.inputs == Some(InputTime::After);
    }
    timing
}

fn packed(mut text: String, header: &Header, wrapper: &Wrapper, timing: Timing) -> Proposal {
    let path = |index: usize| header.path(&header.variables()[index]);
    let clock = wrapper.clock.map(path).or_else(|| {
        let probe = clock::find(header, None).ok()?;
        Some(header.path(&header.variables()[probe.variable_index()]))
    });
    put_clock(&mut text, clock.as_deref());
    if let Some(parameters) = wrapper.parameters {
        // It states the latencies too.
        let _ = writeln!(text, "parameters = {}", quoted(&path(parameters)));
    }
    let (inputs, why) = match timing.inputs {
        Some(InputTime::Before) => ("before", "as cycle_input_q takes them in"),
        Some(InputTime::After) if timing.window => {
            ("after", "a window of lockstep: they change with the clock")
        }
        Some(InputTime::After) => (
            "after",
            "as cycle_input_q takes them in: they change with the clock",
        ),
        None => (
            "before",
            "the edge; \"after\" if they change with it and are taken in at once",
        ),
    };
    let _ = write!(
        text,
        "\n[sample]\ninputs = \"{inputs}\"  # {why}\noutputs = \"opposite\"  # when the clock has fallen (DUT-02); or \
         \"before\", \"after\" the edge, before the \"next\"\n"
    );
    if timing.first_edge {
        put(
            &mut text,
            "first_edge = true  # the dump begins with an edge",
        );
    }
    let _ = write!(
        text,
        "\n[input]\ncycle_input = {}\n\n[output]\ncycle_output = {}\n",
        quoted(&path(wrapper.input)),
        quoted(&path(wrapper.output))
    );
    Proposal {
        text,
        summary: "found the wrapper's ports".to_owned(),
        complete: clock.is_some(),
    }
}

/// What a field is in a map.
struct Found {
    value: String,
    /// Scope of the signal, or of the signals.
    scope: String,
}

/// A signal or the elements of one, by its name without index.
struct Candidate {
    /// Path, with `{}` for the index of an array.
    path: String,
    name: String,
    scope: String,
    output: bool,
    input: bool,
    /// Indices of an array, with their widths.
    elements: BTreeMap<u32, u32>,
    /// Width of what is no array.
    width: Option<u32>,
}

fn single(
    mut text: String,
    header: &Header,
    implementation: &Implementation,
    clock: bool,
) -> Proposal {
    let candidates = candidates(header);
    let mut score: BTreeMap<&str, usize> = BTreeMap::new();
    for side in [Side::Input, Side::Output] {
        for field in side.fields() {
            let scopes: BTreeSet<_> = fitting(&candidates, side, field, implementation)
                .map(|candidate| candidate.scope.as_str())
                .collect();
            for scope in scopes {
                *score.entry(scope).or_default() += 1;
            }
        }
    }
    put(
        &mut text,
        "\n[sample]\ninputs = \"before\"  # just before the edge that ends the cycle\n\
         outputs = \"before\"  # with the inputs; or \"after\" the edge, at the \"opposite\" one, before the \"next\"\n\
         \n[latency]\nincrement = 0  # cycles by which outputs come after the inputs that they belong to\naccess = 0\nspe = 0",
    );
    let mut missing = false;
    let (mut found_fields, mut all_fields) = (0, 0);
    for side in [Side::Input, Side::Output] {
        let _ = writeln!(text, "\n[{}]", side.table());
        for field in side.fields() {
            let wanted = wanted(side, field, implementation);
            if field.name == "threads" || !wanted {
                continue;
            }
            all_fields += 1;
            let mut fits: Vec<_> = fitting(&candidates, side, field, implementation)
                .map(|candidate| found(candidate, field))
                .collect();
            fits.sort_by_key(|found| {
                let scope = found.scope.as_str();
                (
                    std::cmp::Reverse(score.get(scope).copied().unwrap_or(0)),
                    scope.len(),
                )
            });
            match fits.first() {
                Some(found) => {
                    found_fields += 1;
                    let _ = writeln!(text, "{} = {}", field.name, found.value);
                }
                None => {
                    missing |= side == Side::Input;
                    let _ = writeln!(text, "{}", comment(field, implementation));
                }
            }
            // The cycle counter's increment is an element of its own.
            if field.name == "increment" {
                let value = cycle_increment(&candidates);
                let line = match value {
                    Some(path) => format!("\"increment[{CYCLE_COUNTER}]\" = {}", quoted(&path)),
                    None => format!(
                        "# \"increment[{CYCLE_COUNTER}]\" = \"\"  # not found: 1 to 16 bits, increment of PMCCNTR_EL0"
                    ),
                };
                put(&mut text, &line);
            }
        }
    }
    Proposal {
        text,
        summary: format!(
            "found {found_fields} of {all_fields} fields by name, and no packed ports"
        ),
        complete: clock && !missing && found_fields > 0,
    }
}

/// Whether a design of the implementation has the field.
fn wanted(side: Side, field: &Place, implementation: &Implementation) -> bool {
    match field.name.as_str() {
        _ if field.group == Group::Sampling => implementation.spe.implemented,
        "spmaccessr_el2" | "spmaccessr_el3" => !implementation.system_pmu.is_empty(),
        _ => side == Side::Input || !field.compared(implementation).is_empty(),
    }
}

fn comment(field: &Place, implementation: &Implementation) -> String {
    let widths = field.widths(0, implementation);
    let width = match (widths.start(), widths.end()) {
        (1, 1) => "1 bit".to_owned(),
        (least, most) if least == most => format!("{most} bits"),
        (least, most) => format!("{least} to {most} bits"),
    };
    let bits = match field.elements(implementation) {
        1 => width,
        elements => format!("{elements} elements of {width}"),
    };
    let value = match field.name.as_str() {
        // What a design without these says.
        "driven" | "clock_stopped" => "0",
        _ => "\"\"",
    };
    format!(
        "# {} = {value}  # not found: {bits}, {}",
        field.name, field.about
    )
}

/// All signals, elements of arrays together.
fn candidates(header: &Header) -> Vec<Candidate> {
    let mut arrays: BTreeMap<String, Candidate> = BTreeMap::new();
    let mut all = Vec::new();
    for variable in header.variables() {
        let path = header.path(variable);
        let (scope, last) = path.rsplit_once('.').unwrap_or(("", &path));
        let lower = last.to_lowercase();
        let of = |path: String, name: &str, scope: &str| Candidate {
            path,
            name: plain(name),
            scope: scope.to_owned(),
            output: lower.ends_with("_o") || lower.ends_with("_out"),
            input: lower.ends_with("_i") || lower.ends_with("_in"),
            elements: BTreeMap::new(),
            width: None,
        };
        for (pattern, number) in patterns(&path) {
            let (scope, last) = pattern.rsplit_once('.').unwrap_or(("", &pattern));
            let name = last.replace("[{}]", "").replace("{}", "");
            let name = name.trim_end_matches('_');
            let scope = scope.split("[{}]").next().unwrap_or(scope);
            let array = arrays
                .entry(pattern.clone())
                .or_insert_with(|| of(pattern.clone(), name, scope));
            array.elements.insert(number, variable.width());
        }
        all.push(Candidate {
            width: Some(variable.width()),
            ..of(path.clone(), last, scope)
        });
    }
    all.extend(arrays.into_values());
    all
}

/// The path with one of its numbers left open: an index, or the end of its name.
fn patterns(path: &str) -> Vec<(String, u32)> {
    let mut patterns = Vec::new();
    for (open, _) in path.match_indices('[') {
        let Some(close) = path[open..].find(']').map(|close| open + close) else {
            continue;
        };
        if let Ok(number) = path[open + 1..close].parse() {
            patterns.push((
                format!("{}[{{}}]{}", &path[..open], &path[close + 1..]),
                number,
            ));
        }
    }
    let digits = path.bytes().rev().take_while(u8::is_ascii_digit).count();
    if let (1..=2, Ok(number)) = (digits, path[path.len() - digits..].parse()) {
        patterns.push((format!("{}{{}}", &path[..path.len() - digits]), number));
    }
    patterns
}

fn fitting<'c>(
    candidates: &'c [Candidate],
    side: Side,
    field: &'c Place,
    implementation: &'c Implementation,
) -> impl Iterator<Item = &'c Candidate> {
    let right = move |candidate: &&Candidate| {
        let against = match side {
            Side::Input => candidate.output,
            Side::Output => candidate.input,
        };
        let last = field.name.rsplit('.').next().unwrap_or(&field.name);
        let name = candidate.name.as_str();
        // State and count are too common as names to be taken for those of a thread.
        let named = name == field.name
            || field.also.contains(&name)
            || (last == field.name && name == last)
            || (field.name == "reset" && active_low(name));
        named && !against
    };
    let fits = move |candidate: &&Candidate| match candidate.width {
        Some(width) => field.fits(width, implementation),
        None => {
            let widths = field.widths(0, implementation);
            let count = field.elements(implementation);
            field.is_array()
                && count > 0
                && (0..count).all(|n| {
                    candidate
                        .elements
                        .get(&n)
                        .is_some_and(|width| widths.contains(width))
                })
        }
    };
    candidates.iter().filter(right).filter(fits)
}

fn active_low(name: &str) -> bool {
    let low = [
        "rst_n", "rst_ni", "reset_n", "reset_ni", "resetn", "rstn", "nreset", "nrst", "arst_n",
        "aresetn",
    ];
    low.contains(&name)
}

fn found(candidate: &Candidate, field: &Place) -> Found {
    let path = quoted(&candidate.path);
    let value = match field.name == "reset" && active_low(&candidate.name) {
        true => format!("{{ signal = {path}, active = \"low\" }}"),
        false => path,
    };
    Found {
        value,
        scope: candidate.scope.clone(),
    }
}

fn cycle_increment(candidates: &[Candidate]) -> Option<String> {
    let names = ["cycle_increment", "pmccntr_increment", "cycle_inc"];
    let mut found: Vec<_> = candidates
        .iter()
        .filter(|candidate| names.contains(&candidate.name.as_str()))
        .filter(|candidate| candidate.width.is_some_and(|width| width <= 16))
        .map(|candidate| candidate.path.clone())
        .collect();
    found.sort_by_key(String::len);
    found.into_iter().next()
}

#[cfg(test)]
mod tests {
    use lockstep_vcd::Slice;

    use super::*;
    use crate::offline::{Map, Wiring};

    fn proposed(text: &str, implementation: &Implementation) -> Proposal {
        let mut dump = Slice::new(text.as_bytes()).expect("a dump");
        propose(&mut dump, "x.vcd", implementation)
    }

    /// A wrapper that is driven with the clock, or before it.
    fn wrapper(with_the_clock: bool) -> String {
        let mut text = String::from(
            "$scope module tb $end $scope module dut $end $var wire 1 c clk_i $end \
             $var wire 1536 i cycle_input_i $end $var reg 1536 q cycle_input_q $end \
             $var wire 832 o cycle_output_o $end $upscope $end $upscope $end $enddefinitions $end\n#0\n0c\nbx q\n",
        );
        for cycle in 1_u64..6 {
            let time = 10 * cycle;
            match with_the_clock {
                true => text += &format!("#{time}\n1c\nb{cycle:b} i\nb{cycle:b} q\n"),
                false => {
                    text += &format!("#{}\nb{cycle:b} i\n#{time}\n1c\nb{cycle:b} q\n", time - 2)
                }
            }
            text += &format!("#{}\n0c\n", time + 5);
        }
        text
    }

    #[test]
    fn the_time_of_inputs_is_learnt_from_the_register_behind_them() {
        for (with_the_clock, expected) in [(true, InputTime::After), (false, InputTime::Before)] {
            let proposal = proposed(&wrapper(with_the_clock), &Implementation::default());
            assert!(proposal.complete);
            let map = Map::parse(&proposal.text).expect("a map");
            assert_eq!(map.sample.inputs, expected);
            assert_eq!(map.clock, "tb.dut.clk_i");
            assert!(!map.sample.first_edge);
        }
    }

    /// In a window of `lockstep` the inputs change with the clock, whatever the design calls its registers, if it has them.
    #[test]
    fn inputs_of_a_window_are_those_after_the_edge() {
        let register = "$var reg 1536 q cycle_input_q $end ";
        let unnamed = wrapper(true).replace(register, "$var reg 1536 q held $end ");
        let golden = "$scope module golden $end $var wire 1 d divergence $end $upscope $end ";
        let window = unnamed.replace("$enddefinitions", &format!("{golden}$enddefinitions"));
        for (text, expected) in [(unnamed, InputTime::Before), (window, InputTime::After)] {
            let proposal = proposed(&text, &Implementation::default());
            let map = Map::parse(&proposal.text).expect("a map");
            assert_eq!(map.sample.inputs, expected);
            assert_eq!(
                proposal.text.contains("a window of lockstep"),
                expected == InputTime::After
            );
        }
    }

    #[test]
    fn fields_are_found_by_name_and_index() {
        let mut implementation = Implementation::default();
        implementation.pmu.counters = 2;
        implementation.pmu.event_count = 3;
        implementation.spe.implemented = false;
        implementation.spe.ernd = false;
        implementation.spe.exc = false;
        implementation.system_pmu.clear();
        let mut text =
            String::from("$scope module tb $end $var wire 1 c clk $end $scope module dut $end ");
        let signals = [
            ("rst_ni", 1),
            ("events_i", 48),
            ("access_wdata_i", 64),
            ("access_data_o", 64),
            ("counting_allowed", 32),
            ("access_address_q", 16),
            ("access_kind", 3),
            ("access_outcome_o", 3),
        ];
        for (index, (name, width)) in signals.into_iter().enumerate() {
            text += &format!("$var wire {width} s{index} {name} $end ");
        }
        for n in 0..2 {
            text += &format!("$scope module cnt[{n}] $end $var wire 16 v{n} v $end $upscope $end ");
        }
        text += "$upscope $end $upscope $end $enddefinitions $end\n";
        let proposal = proposed(&text, &implementation);
        let map = Map::parse(&proposal.text).expect("a map");
        assert_eq!(map.clock, "tb.clk");
        for line in [
            "event = \"tb.dut.events_i\"",
            "access_data = \"tb.dut.access_wdata_i\"",
            "access_data = \"tb.dut.access_data_o\"",
            "reset = { signal = \"tb.dut.rst_ni\", active = \"low\" }",
        ] {
            assert!(proposal.text.contains(line), "{line} in {}", proposal.text);
        }
        let dump = Slice::new(text.as_bytes()).expect("a dump");
        let wiring = Wiring::new(&map, dump.header(), &implementation, true).expect("it fits");
        assert_eq!(
            wiring.path_of(Side::Output, 16, 16).as_deref(),
            Some("tb.dut.cnt[1].v")
        );
        assert_eq!(
            wiring.path_of(Side::Input, 16, 16).as_deref(),
            Some("tb.dut.events_i[31:16]")
        );
    }
}
