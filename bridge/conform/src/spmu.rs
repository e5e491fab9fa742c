//! Area `spmu`: System PMU configuration.

pub(super) mod rtl;

use std::collections::BTreeSet;
use std::fmt::Debug;

use pmu_model::Implementation;
use pmu_model::spmu::discovery::{Source, discover};
use pmu_model::spmu::{Decoded, Problem, Registers, SystemPmu, decode};
use serde::Deserialize;

use super::Mismatch;
use super::value::Number;

/// A line.
#[derive(Deserialize)]
pub struct Vector {
    /// What `cfg` says.
    #[serde(skip)]
    pub(super) implementation: Implementation,
    #[serde(rename = "SPMCFGR")]
    spmcfgr: Option<Number>,
    #[serde(rename = "SPMCGCR0")]
    spmcgcr0: Option<Number>,
    #[serde(rename = "SPMCGCR1")]
    spmcgcr1: Option<Number>,
    #[serde(rename = "SPMIIDR")]
    spmiidr: Option<Number>,
    #[serde(rename = "SPMDEVARCH")]
    spmdevarch: Option<Number>,
    #[serde(rename = "SPMDEVAFF")]
    spmdevaff: Option<Number>,
    max: Option<Number>,
    first: Option<Vec<Option<Number>>>,
    implemented: Option<Number>,
    #[serde(default)]
    known_iidr: Vec<Number>,
    #[serde(default)]
    known_devarch: Vec<Number>,
    discover: Option<String>,
    decode: Option<Conclusions>,
    corrupted: Option<Corrupted>,
}

/// What software concludes from registers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Conclusions {
    groups: Option<Number>,
    max: Option<Number>,
    sizes: Option<Vec<Option<Number>>>,
    first: Option<Vec<Option<Number>>>,
    total: Option<Number>,
    problems: Option<Vec<String>>,
}

#[derive(Deserialize)]
pub(super) struct Corrupted {
    cfgr: Number,
    cgcr0: Number,
    cgcr1: Number,
    expect: Option<Conclusions>,
}

impl Vector {
    fn system_pmu(&self) -> &SystemPmu {
        &self.implementation.system_pmu[0]
    }
}

/// Runs a line on the model.
///
/// # Returns
/// The first value that differs, if any.
pub(super) fn run(vector: &Vector) -> Option<Mismatch> {
    let pmu = vector.system_pmu();
    let registers = pmu.registers();
    check_registers(vector, &registers)
        .or_else(|| check_groups(vector, pmu))
        .or_else(|| check_discovery(vector, &registers))
        .or_else(|| check_decode("decode", vector.decode.as_ref(), &registers))
        .or_else(|| {
            let corrupted = vector.corrupted.as_ref()?;
            let registers = Registers {
                spmcfgr: corrupted.cfgr.0,
                spmcgcr: [corrupted.cgcr0.0, corrupted.cgcr1.0],
                ..registers
            };
            check_decode("corrupted", corrupted.expect.as_ref(), &registers)
        })
}

/// The mismatch of a value that is expected (`None`: not defined, not compared).
fn differs(at: &str, expected: Option<Number>, model: impl Into<u64>) -> Option<Mismatch> {
    let model = model.into();
    let expected = expected.filter(|expected| expected.0 != model)?;
    Some(Mismatch {
        at: at.into(),
        expected: format!("{:#x}", expected.0),
        found: format!("{model:#x}"),
    })
}

/// The same for a list, of which single elements may be undefined.
fn list_differs(
    at: &str,
    expected: Option<&[Option<Number>]>,
    model: impl Iterator<Item = u16>,
) -> Option<Mismatch> {
    let (expected, model) = (expected?, model.collect::<Vec<_>>());
    let agrees = expected.len() == model.len()
        && expected
            .iter()
            .zip(&model)
            .all(|(expected, &model)| expected.is_none_or(|number| number.0 == u64::from(model)));
    let undefined = "null".to_string();
    let expected: Vec<_> = expected
        .iter()
        .map(|number| number.map_or(undefined.clone(), |number| number.0.to_string()))
        .collect();
    mismatch_unless(agrees, at, format_args!("[{}]", expected.join(", ")), model)
}

fn mismatch_unless(
    agrees: bool,
    at: &str,
    expected: impl Debug,
    model: impl Debug,
) -> Option<Mismatch> {
    (!agrees).then(|| Mismatch {
        at: at.into(),
        expected: format!("{expected:?}"),
        found: format!("{model:?}"),
    })
}

fn check_registers(vector: &Vector, registers: &Registers) -> Option<Mismatch> {
    differs("SPMCFGR_EL1", vector.spmcfgr, registers.spmcfgr)
        .or_else(|| differs("SPMCGCR0_EL1", vector.spmcgcr0, registers.spmcgcr[0]))
        .or_else(|| differs("SPMCGCR1_EL1", vector.spmcgcr1, registers.spmcgcr[1]))
        .or_else(|| differs("SPMIIDR_EL1", vector.spmiidr, registers.spmiidr))
        .or_else(|| differs("SPMDEVARCH_EL1", vector.spmdevarch, registers.spmdevarch))
        .or_else(|| differs("SPMDEVAFF_EL1", vector.spmdevaff, registers.spmdevaff))
}

fn check_groups(vector: &Vector, pmu: &SystemPmu) -> Option<Mismatch> {
    let groups = pmu.counter_groups();
    let firsts = groups.iter().map(|group| group.first);
    differs("max", vector.max, pmu.max())
        .or_else(|| list_differs("first", vector.first.as_deref(), firsts))
        .or_else(|| {
            let model = pmu.implemented_counters();
            differs("implemented", vector.implemented, model)
        })
}

fn check_discovery(vector: &Vector, registers: &Registers) -> Option<Mismatch> {
    let expected = vector.discover.as_deref()?;
    let known =
        |numbers: &[Number]| -> Vec<u64> { numbers.iter().map(|number| number.0).collect() };
    let (iidr, devarch) = (known(&vector.known_iidr), known(&vector.known_devarch));
    let model = match discover(registers, &iidr, &devarch) {
        Source::Spmiidr => "SPMIIDR",
        Source::Spmdevarch => "SPMDEVARCH",
        Source::Spmcfgr => "SPMCFGR",
    };
    mismatch_unless(expected == model, "discover", expected, model)
}

fn check_decode(
    at: &str,
    expected: Option<&Conclusions>,
    registers: &Registers,
) -> Option<Mismatch> {
    let expected = expected?;
    let decoded = decode(registers);
    let within = |part: &str| format!("{at}, {part}");
    let sizes = decoded.groups.iter().map(|group| group.counters);
    let firsts = decoded.groups.iter().map(|group| group.first);
    differs(
        &within("groups"),
        expected.groups,
        decoded.groups.len() as u64,
    )
    .or_else(|| differs(&within("max"), expected.max, decoded.max))
    .or_else(|| list_differs(&within("sizes"), expected.sizes.as_deref(), sizes))
    .or_else(|| list_differs(&within("first"), expected.first.as_deref(), firsts))
    .or_else(|| differs(&within("total"), expected.total, decoded.total))
    .or_else(|| check_problems(&within("problems"), expected.problems.as_deref(), &decoded))
}

/// The vectors' word for a problem. Other problems are beyond their vocabulary.
fn word(problem: &Problem) -> Option<&'static str> {
    match problem {
        Problem::SumDiffers { .. } => Some(SUM),
        Problem::GroupTooLarge { .. } => Some(TOO_LARGE),
        _ => None,
    }
}

const SUM: &str = "sum of groups differs from N+1";
const TOO_LARGE: &str = "group larger than max";

/// Problems that the vectors have words for must be the same. Where they name any other, the model must report
/// some other as well, and all that they name; what it reports beyond that is not compared.
fn check_problems(at: &str, expected: Option<&[String]>, decoded: &Decoded) -> Option<Mismatch> {
    let expected: BTreeSet<_> = expected?.iter().map(String::as_str).collect();
    let (known, other): (BTreeSet<_>, BTreeSet<_>) = expected
        .iter()
        .partition(|word| [SUM, TOO_LARGE].contains(*word));
    let model: BTreeSet<_> = decoded.problems.iter().filter_map(word).collect();
    let has_other = decoded
        .problems
        .iter()
        .any(|problem| word(problem).is_none());
    // Who names another problem may stop there.
    let agrees = match other.is_empty() {
        true => known == model,
        false => has_other && known.is_subset(&model),
    };
    let texts: Vec<_> = decoded.problems.iter().map(ToString::to_string).collect();
    mismatch_unless(agrees, at, expected, texts)
}
