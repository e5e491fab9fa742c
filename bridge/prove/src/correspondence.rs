//! Which signals of a design stand for what of the contract: a TOML file, one for the bundled RTL, others by those who
//! know their design.

use serde::Deserialize;

/// Names of signals. `{n}` is the number of a counter, and so is `{4n+1}` where it is reckoned with; `{0..3}` stands for one
/// signal after the other.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correspondence {
    /// Modules whose instances no area looks at: what they drive is free.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// The port of CycleInput.
    pub input_port: String,
    /// CycleInput of the cycle.
    pub input: String,
    /// CycleOutput of the cycle.
    pub output: String,
    /// Of event counters.
    pub counter: Counter,
    /// Of all counters.
    pub common: Common,
    /// Of Statistical Profiling; without it that is not proved.
    pub sampling: Option<Sampling>,
    /// Of System PMUs; without it they are not proved.
    pub system: Option<System>,
}

/// Signals of event counter `{n}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counter {
    /// Whether it is counting.
    pub counting: String,
    /// The base value of its event, before TH-09.
    pub base: String,
    /// `PMEVTYPER<n>_EL0`.
    pub r#type: String,
    /// C_P; not looked for in a design without edges, which has none.
    pub c_p: String,
    /// `PMEVCNTR<n>_EL0`.
    pub value: String,
    /// Registers that are written together with the type alone: what a design has decoded of it.
    #[serde(default)]
    pub follow: Vec<String>,
}

/// Signals of all counters.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Common {
    /// PMCR_EL0.E.
    pub enable: String,
    /// PMCNTENSET_EL0.
    pub enabled: String,
    /// PMCCFILTR_EL0.
    pub cycle_filter: String,
    /// Registers that are written together with PMCCFILTR_EL0 alone.
    #[serde(default)]
    pub cycle_filter_follow: Vec<String>,
    /// Whether the cycle counter is counting.
    pub cycle_counting: String,
    /// PMCCNTR_EL0.
    pub cycles: String,
    /// PMCR_EL0.LP; a design with counters of 32 bits need not have it.
    pub long: String,
    /// PMOVSSET_EL0.
    pub flags: String,
    /// PMSELR_EL0.SEL.
    pub select: String,
}

/// Signals of Statistical Profiling.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// PMSICR_EL1.COUNT.
    pub count: String,
    /// PMSICR_EL1.ECOUNT.
    pub ecount: String,
    /// PMSIRR_EL1.INTERVAL.
    pub interval: String,
    /// PMSIRR_EL1.RND.
    pub random: String,
    /// Whether profiling was enabled in the cycle before.
    pub enabled: String,
    /// How many samples are in flight.
    pub in_flight: String,
    /// `PMBSR_EL<x>`.
    pub buffer: String,
    /// What SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE and SAMPLE_COLLISION count, of 8 bits each or less.
    pub events: [String; 4],
}

/// Signals of System PMU `{s}` and of its counter `{n}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// SPMSELR_EL0.SYSPMUSEL.
    pub select: String,
    /// SPMSELR_EL0.BANK.
    pub bank: String,
    /// `SPMEVCNTR<n>_EL0`.
    pub counter: Word,
    /// `SPMEVTYPER<n>_EL0`.
    pub r#type: Word,
    /// `SPMEVFILTR<n>_EL0`.
    pub filter: Word,
    /// `SPMEVFILT2R<n>_EL0`.
    pub filter_2: Word,
    /// SPMCNTENSET_EL0.
    pub enabled: Word,
    /// SPMOVSSET_EL0.
    pub flags: Word,
    /// SPMINTENSET_EL1.
    pub interrupts: Word,
}

/// A register of a System PMU.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Word {
    /// Its value.
    pub value: String,
    /// Where this is 0, its value is zero whatever it holds.
    pub valid: Option<String>,
}

/// A name in which `{n}`, `{4n+1}` and the like, of these variables, are numbers. What is no such thing stays.
pub fn named(name: &str, variables: &[(char, usize)]) -> String {
    let mut all = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('{') {
        all += before;
        let (inside, after) = after.split_once('}').unwrap_or((after, ""));
        match number(inside, variables) {
            Some(number) => all += &number.to_string(),
            None => all += &format!("{{{inside}}}"),
        }
        rest = after;
    }
    all + rest
}

/// The value of `n`, `4n`, `n+1`, `4n+1`, `n-1` and the like.
fn number(text: &str, variables: &[(char, usize)]) -> Option<usize> {
    let text = text.replace(' ', "");
    let place = text.find(|letter: char| letter.is_ascii_alphabetic())?;
    let (factor, rest) = text.split_at(place);
    let (letter, constant) = rest.split_at(1);
    let (_, value) = variables
        .iter()
        .find(|(name, _)| letter.starts_with(*name))?;
    let factor: usize = if factor.is_empty() {
        1
    } else {
        factor.parse().ok()?
    };
    let constant: isize = if constant.is_empty() {
        0
    } else {
        constant.parse().ok()?
    };
    (factor * value).checked_add_signed(constant)
}

/// The names that one with `{0..3}` stands for.
pub fn each(name: &str) -> Vec<String> {
    let range = name.split_once('{').and_then(|(before, rest)| {
        let (inside, after) = rest.split_once('}')?;
        let (first, last) = inside.split_once("..")?;
        let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        Some((before, first..=last, after))
    });
    match range {
        None => vec![name.into()],
        Some((before, numbers, after)) => numbers
            .flat_map(|number| each(&format!("{before}{number}{after}")))
            .collect(),
    }
}

/// That of the bundled RTL.
pub const BUNDLED: &str = include_str!("../../../rtl/correspondence.toml");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_are_reckoned() {
        let of = |name| named(name, &[('n', 3), ('s', 1)]);
        assert_eq!(of("a[{n}].b{s}"), "a[3].b1");
        assert_eq!(of("words_q[{4n+5}]"), "words_q[17]");
        assert_eq!(of("gen[{n-1}]"), "gen[2]");
        assert_eq!(of("{x}"), "{x}");
    }

    #[test]
    fn a_range_is_one_name_after_the_other() {
        assert_eq!(each("a{0..1}[{n}]"), ["a0[{n}]", "a1[{n}]"]);
        assert_eq!(each("{0..1}{8..8}"), ["08", "18"]);
        assert_eq!(each("plain"), ["plain"]);
    }
}
