//! The clock of a dump.

use lockstep_vcd::{Bits, Error, Header, Probe, State, Value, Variable};

/// Names of clocks, without case.
const NAMES: [&str; 12] = [
    "clk_i", "clk", "clock", "clock_i", "i_clk", "clki", "clk_in", "aclk", "hclk", "pclk", "ck",
    "sysclk",
];

/// How many candidates a message names.
const CANDIDATES: usize = 6;

/// Why no clock was found.
#[derive(Debug, thiserror::Error)]
pub enum ClockError {
    /// The path given is not that of one signal.
    #[error(transparent)]
    Path(#[from] Error),
    /// The path given is that of a real number or a string.
    #[error("expected a clock of bits, found `{0}`, which is none; name another with --clock PATH")]
    NotBits(String),
    /// The path given is that of a vector.
    #[error(
        "expected a clock of one bit, found `{0}`, which has {1}; name a bit of it, as in --clock 'PATH[0]'"
    )]
    Vector(String, u32),
    /// No signal has the name of a clock.
    #[error("expected a signal with the name of a clock ({}), found none{}; name it with --clock PATH", NAMES[..3].join(", "), like(.0))]
    None(Vec<String>),
    /// Several signals have.
    #[error("expected one clock, found {}; name it with --clock PATH", .0.join(", "))]
    Several(Vec<String>),
}

fn like(paths: &[String]) -> String {
    match paths {
        [] => String::new(),
        _ => format!("; there is {}", paths.join(", ")),
    }
}

/// The clock at `path`, or if none is given, the signal of one bit with the name of a clock that is nearest to the
/// top of the hierarchy.
///
/// # Errors
/// [`ClockError`].
pub fn find(header: &Header, path: Option<&str>) -> Result<Probe, ClockError> {
    if let Some(path) = path {
        let probe = header.find(path)?;
        return match probe.width(header) {
            width @ 2.. => Err(ClockError::Vector(path.to_owned(), width)),
            _ => Ok(probe),
        };
    }
    let depth = |path: &str| path.matches('.').count();
    let mut named = candidates(header, |name| NAMES.contains(&name));
    let Some(top) = named.iter().map(|(path, _)| depth(path)).min() else {
        let mut others = candidates(header, |name| {
            name.contains("clk") || name.contains("clock")
        });
        others.truncate(CANDIDATES);
        return Err(ClockError::None(
            others.into_iter().map(|(path, _)| path).collect(),
        ));
    };
    named.retain(|(path, _)| depth(path) == top);
    match &named[..] {
        [(_, only)] => Ok(*only),
        _ => {
            named.truncate(CANDIDATES);
            Err(ClockError::Several(
                named.into_iter().map(|(path, _)| path).collect(),
            ))
        }
    }
}

/// Signals of one bit whose name is right, each once.
fn candidates(header: &Header, right: impl Fn(&str) -> bool) -> Vec<(String, Probe)> {
    let mut found: Vec<(String, Probe)> = Vec::new();
    let variables = header.variables().iter().enumerate();
    for (index, variable) in variables.filter(|(_, variable)| is_bit(variable)) {
        if !right(&variable.name().to_lowercase()) {
            continue;
        }
        if let Some(probe) = Probe::variable(header, index)
            && found
                .iter()
                .all(|(_, other)| other.signal() != probe.signal())
        {
            found.push((header.path(variable), probe));
        }
    }
    found
}

fn is_bit(variable: &Variable) -> bool {
    use lockstep_vcd::VarKind::{Event, Parameter, Real, Realtime, String};
    variable.width() == 1
        && !matches!(
            variable.kind(),
            Event | Parameter | Real | Realtime | String
        )
}

/// Sees the rising edges of a clock, as [`Sampler`](lockstep_vcd::Sampler) does. An edge needs a value before it: a
/// clock whose first value is 1 has not risen. A value without bits is none of 0, 1, x and z.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    last: Option<Option<State>>,
    next: Option<Option<State>>,
}

impl Edges {
    /// The clock takes a value.
    pub fn change(&mut self, value: &Value) {
        self.next = Some(value.bits().and_then(|bits: &Bits| bits.bit(0)));
    }

    /// Ends a tick; whether the clock has risen in it.
    pub fn tick(&mut self) -> bool {
        let Some(next) = self.next.take() else {
            return false;
        };
        let last = self.last.replace(next);
        next == Some(State::One) && last.is_some_and(|last| last != Some(State::One))
    }
}

#[cfg(test)]
mod tests {
    use lockstep_vcd::{Slice, Source};

    use super::*;

    fn clock(variables: &[(&str, u32, &str)]) -> Result<String, String> {
        let mut text = String::new();
        for (path, width, code) in variables {
            let names: Vec<_> = path.split('.').collect();
            let scopes = &names[..names.len() - 1];
            for scope in scopes {
                text += &format!("$scope module {scope} $end ");
            }
            text += &format!("$var wire {width} {code} {} $end ", names[scopes.len()]);
            text += &"$upscope $end ".repeat(scopes.len());
        }
        text += "$enddefinitions $end";
        let dump = Slice::new(text.as_bytes()).map_err(|error| error.to_string())?;
        let header = dump.header();
        let probe = find(header, None).map_err(|error| error.to_string())?;
        Ok(header.path(&header.variables()[probe.variable_index()]))
    }

    #[test]
    fn the_clock_nearest_to_the_top_is_taken() {
        let found = clock(&[
            ("a.b.clk", 1, "!"),
            ("a.clk_i", 1, "x"),
            ("a.clk_en", 1, "y"),
        ]);
        assert_eq!(found.as_deref(), Ok("a.clk_i"));
    }

    #[test]
    fn names_of_one_signal_are_one_clock() {
        assert_eq!(
            clock(&[("a.clk", 1, "!"), ("b.clk", 1, "!")]).as_deref(),
            Ok("a.clk")
        );
    }

    #[test]
    fn two_clocks_are_a_question() {
        let error = clock(&[("a.clk", 1, "!"), ("a.clock", 1, "x")]).unwrap_err();
        assert_eq!(
            error,
            "expected one clock, found a.clk, a.clock; name it with --clock PATH"
        );
    }

    #[test]
    fn likely_names_are_proposed() {
        let error = clock(&[("a.core_clk", 1, "!"), ("a.clk", 8, "x")]).unwrap_err();
        assert_eq!(
            error,
            "expected a signal with the name of a clock (clk_i, clk, clock), found none; there is a.core_clk; \
             name it with --clock PATH"
        );
    }

    #[test]
    fn an_edge_needs_a_value_before() {
        let mut edges = Edges::default();
        let mut rises = |value| {
            edges.change(&Value::Bits(Bits::from_u64(value, 1)));
            edges.tick()
        };
        assert_eq!([1, 1, 0, 1].map(&mut rises), [false, false, false, true]);
        assert!(!edges.tick());
    }
}
