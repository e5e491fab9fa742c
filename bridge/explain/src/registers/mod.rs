//! A value of a register in words: fields, Effective values, what they amount to, and what is wrong with them.

mod affinity;
mod counting;
mod event_type;
mod events;
mod name;
mod number;
mod pmu;
mod spe;
mod system_pmu;
mod text;

use pmu_model::pmu::event_type::Field;
use pmu_model::{Implementation, SysReg};
use serde::{Serialize, Serializer};

pub use affinity::affinity;
pub use counting::{counts, relation};
pub use name::{NameError, explained, named};
pub use number::parse;
pub use system_pmu::feature;
pub use text::{columns, remarks, text};

/// A value of a register, explained for one implementation.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// Name of the register.
    pub register: String,
    /// Its encoding, such as `S3_3_C14_C12_0`.
    pub encoding: String,
    /// The value.
    #[serde(serialize_with = "hexadecimal")]
    pub value: u64,
    /// Name of the implementation.
    pub implementation: String,
    /// What the value amounts to.
    pub summary: Vec<Remark>,
    /// The fields, from the highest bit down.
    pub fields: Vec<FieldWords>,
    /// The states that a filter counts in; empty for a register that filters nothing.
    pub filtering: Vec<FilteredState>,
    /// What is reserved, without effect, or otherwise not what it seems.
    pub warnings: Vec<Remark>,
}

/// A sentence without a full stop, and the rules behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// The sentence.
    pub text: String,
    /// Ids of rules, such as `TH-20`.
    pub rules: Vec<&'static str>,
}

impl Remark {
    /// A remark.
    pub fn new(text: impl Into<String>, rules: &[&'static str]) -> Self {
        Self {
            text: text.into(),
            rules: rules.to_vec(),
        }
    }
}

/// A field of a register.
#[derive(Clone, Debug, Serialize)]
pub struct FieldWords {
    /// Name.
    pub name: String,
    /// Highest bit.
    pub high: u8,
    /// Lowest bit.
    pub low: u8,
    /// What the register holds.
    pub value: u64,
    /// What has an effect: less than `value` where the implementation does not have all of the field.
    pub effective: u64,
    /// What it says.
    pub meaning: String,
}

/// A state of the PE, and whether the counter counts in it.
#[derive(Clone, Debug, Serialize)]
pub struct FilteredState {
    /// Exception level, such as `EL0`.
    pub level: &'static str,
    /// Security state; `any` where EL3 is not implemented.
    pub security: &'static str,
    /// The counter counts.
    pub counted: bool,
    /// The fields that decide, such as `U != NSU`.
    pub because: String,
}

fn hexadecimal<S: Serializer>(value: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{value:#x}"))
}

/// Explains `value` of `register`.
///
/// # Errors
/// A malformed `reserved_map` of the implementation, which `Implementation::validate` tells as well.
pub fn explain(
    register: SysReg,
    value: u64,
    implementation: &Implementation,
) -> Result<Explanation, pmu_model::ImplementationError> {
    let mut words = Words {
        value,
        implementation,
        explanation: Explanation {
            register: register.to_string(),
            encoding: pmu_model::sysreg::encoding_name(register.address()),
            value,
            implementation: implementation.name.clone(),
            summary: Vec::new(),
            fields: Vec::new(),
            filtering: Vec::new(),
            warnings: Vec::new(),
        },
    };
    match register {
        SysReg::Pmevtyper(n) => event_type::pmevtyper(&mut words, n.get())?,
        SysReg::Pmccfiltr => event_type::pmccfiltr(&mut words),
        SysReg::Pmcr => pmu::pmcr(&mut words),
        SysReg::Pmcntenset => pmu::counters(&mut words, "enables", "is enabled", "are enabled"),
        SysReg::Pmcntenclr => pmu::counters(&mut words, "disables", "is enabled", "are enabled"),
        SysReg::Pmovsset => pmu::flags(&mut words, "sets"),
        SysReg::Pmovsclr => pmu::flags(&mut words, "clears"),
        SysReg::Pmselr => pmu::pmselr(&mut words),
        SysReg::Pmmir => pmu::pmmir(&mut words),
        SysReg::Pmsicr => spe::pmsicr(&mut words),
        SysReg::Pmsirr => spe::pmsirr(&mut words),
        SysReg::Pmsidr => spe::pmsidr(&mut words),
        SysReg::Pmbsr(level) => spe::pmbsr(&mut words, level.get()),
        SysReg::Spmcfgr => system_pmu::spmcfgr(&mut words),
        SysReg::Spmcgcr(n) => system_pmu::spmcgcr(&mut words, n.get()),
        SysReg::Spmiidr => system_pmu::spmiidr(&mut words),
        SysReg::Spmdevarch => system_pmu::spmdevarch(&mut words),
        SysReg::Spmdevaff => system_pmu::spmdevaff(&mut words),
        SysReg::Spmselr => system_pmu::spmselr(&mut words),
        _ => words.say("no register that is explained", &[]),
    }
    Ok(words.explanation)
}

/// An explanation as it grows.
struct Words<'a> {
    value: u64,
    implementation: &'a Implementation,
    explanation: Explanation,
}

impl Words<'_> {
    /// Says what the value amounts to.
    fn say(&mut self, text: impl Into<String>, rules: &[&'static str]) {
        self.explanation.summary.push(Remark::new(text, rules));
    }

    fn warn(&mut self, text: impl Into<String>, rules: &[&'static str]) {
        self.explanation.warnings.push(Remark::new(text, rules));
    }

    /// The value of `field`.
    fn of(&self, field: Field) -> u64 {
        field.of(self.value)
    }

    /// Adds a field that has its full effect.
    fn field(&mut self, field: Field, meaning: impl Into<String>) {
        self.field_with(field, field.of(self.value), meaning);
    }

    /// Adds a field whose Effective value is `effective`.
    fn field_with(&mut self, field: Field, effective: u64, meaning: impl Into<String>) {
        self.explanation.fields.push(FieldWords {
            name: field.name.into(),
            high: field.high,
            low: field.low,
            value: field.of(self.value),
            effective,
            meaning: meaning.into(),
        });
    }

    /// Warns of bits that are set outside of the fields that were added.
    fn warn_of_res0(&mut self, rules: &[&'static str]) {
        let known = self.explanation.fields.iter().fold(0, |mask, field| {
            let Field { high, low, .. } = field_of("", field.high, field.low);
            mask | field_of("", high, low).mask()
        });
        let rest = self.value & !known;
        if rest != 0 {
            let register = self.explanation.register.clone();
            let text = format!(
                "{} of {register} set, where RES0: without effect, and read as zero",
                bits(rest)
            );
            self.warn(text, rules);
        }
    }
}

const fn field_of(name: &'static str, high: u8, low: u8) -> Field {
    Field { name, high, low }
}

/// The bits of a mask in words: `bits 59 and 53:44`.
fn bits(mask: u64) -> String {
    let mut ranges = Vec::new();
    let mut rest = mask;
    while rest != 0 {
        let high = 63 - rest.leading_zeros();
        let run = (!(rest << (63 - high))).leading_zeros();
        let low = high + 1 - run;
        ranges.push(if low == high {
            high.to_string()
        } else {
            format!("{high}:{low}")
        });
        rest &= (1 << low) - 1;
    }
    let one = mask.count_ones() == 1;
    format!("{} {}", if one { "bit" } else { "bits" }, and(&ranges))
}

/// `a`, `a and b`, `a, b and c`.
fn and(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Numbers as ranges: `0 to 3, 32 to 37 and 40`.
pub fn ranges(numbers: impl IntoIterator<Item = u64>) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let texts: Vec<_> = ranges
        .iter()
        .map(|&(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first} to {last}"),
        })
        .collect();
    and(&texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_ranges_in_words() {
        assert_eq!(bits(1), "bit 0");
        assert_eq!(bits(0x0830_0000_0000_0001), "bits 59, 53:52 and 0");
        assert_eq!(bits(u64::MAX), "bits 63:0");
        assert_eq!(ranges([0, 1, 2, 3, 32, 33, 40]), "0 to 3, 32, 33 and 40");
        assert_eq!(ranges([]), "");
    }

    #[test]
    fn every_register_is_explained_for_every_bit() {
        let implementation = Implementation::default();
        for register in explained() {
            for value in (0..64).map(|bit| 1 << bit).chain([0, u64::MAX]) {
                let explanation = explain(register, value, &implementation).expect("consistent");
                assert!(!explanation.fields.is_empty(), "{register}");
                assert!(!explanation.summary.is_empty(), "{register} {value:#x}");
                for field in &explanation.fields {
                    assert!(!field.meaning.is_empty(), "{register} {}", field.name);
                    assert!(!field.meaning.ends_with('.'), "{}", field.meaning);
                }
                let rules = explanation
                    .summary
                    .iter()
                    .chain(&explanation.warnings)
                    .flat_map(|remark| &remark.rules);
                for id in rules {
                    let known = pmu_model::rules::RULES.iter().any(|rule| rule.id == *id);
                    assert!(known, "{register}: {id}");
                }
            }
        }
    }

    #[test]
    fn fields_do_not_overlap() {
        let implementation = Implementation::default();
        for register in explained() {
            let explanation = explain(register, 0, &implementation).expect("consistent");
            let mut lowest = 64;
            for field in explanation.fields {
                assert!(field.high < lowest, "{register} {}", field.name);
                lowest = field.low;
            }
        }
    }
}
