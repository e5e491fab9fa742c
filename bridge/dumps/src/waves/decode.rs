//! Values of signals as registers: their fields in words.

use std::str::FromStr;

use lockstep_vcd::Bits;
use pmu_model::pmu::event_type::EventTypeDecoder;
use pmu_model::{Implementation, Number, SysReg};

use super::values::written;
use lockstep_explain::registers;

/// A signal to be read as a register: `SIGNAL=REGISTER`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decode {
    /// Path of the signal.
    pub signal: String,
    /// The register.
    pub register: Register,
}

impl FromStr for Decode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (signal, register) = text
            .rsplit_once('=')
            .ok_or("expected SIGNAL=REGISTER, found no `=`")?;
        Ok(Self {
            signal: signal.trim().to_owned(),
            register: register.parse()?,
        })
    }
}

/// A register, of which the number may be open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    register: SysReg,
    numbered: bool,
}

impl FromStr for Register {
    type Err = String;

    /// `PMEVTYPER3_EL0`, `pmevtyper3`, or `PMEVTYPER` for one whose number is not known.
    fn from_str(name: &str) -> Result<Self, String> {
        let upper = name.trim().to_uppercase();
        let plain = short(&upper);
        if let Some(register) =
            SysReg::all(&Implementation::default()).find(|one| short(&one.to_string()) == plain)
        {
            return Ok(Self {
                register,
                numbered: true,
            });
        }
        // An odd counter has all the fields.
        let register = match plain {
            "PMEVTYPER" => SysReg::Pmevtyper(Number::at::<1>()),
            "PMEVCNTR" => SysReg::Pmevcntr(Number::at::<1>()),
            _ => {
                return Err(format!(
                    "expected a register of the Performance Monitors, as in PMEVTYPER3_EL0, PMEVTYPER or PMCR, found `{name}`"
                ));
            }
        };
        Ok(Self {
            register,
            numbered: false,
        })
    }
}

/// A name without the suffix of the Exception level.
fn short(name: &str) -> &str {
    name.rsplit_once("_EL").map_or(name, |(name, _)| name)
}

impl Register {
    /// The name.
    pub fn name(&self) -> String {
        let name = self.register.to_string();
        match self.numbered {
            true => name,
            false => name.replacen('1', "<n>", 1),
        }
    }

    /// The fields that are not zero, and for an event type what the counter counts.
    pub fn words(&self, bits: &Bits) -> String {
        let fields: Vec<_> = self
            .register
            .fields()
            .into_iter()
            .filter_map(|(name, high, low)| {
                let part = bits.slice(high.min(bits.width().checked_sub(1)?), low)?;
                match part.to_u64() {
                    Some(0) => None,
                    Some(value) => Some(format!("{name}={}", number(value))),
                    None => Some(format!(
                        "{name}={}",
                        written(&lockstep_vcd::Value::Bits(part), super::values::Radix::Bin)
                    )),
                }
            })
            .collect();
        let mut text = match (fields.is_empty(), bits.to_u64()) {
            (true, Some(0)) => "0".to_owned(),
            (true, Some(value)) => number(value),
            (true, None) => "unknown".to_owned(),
            (false, _) => fields.join(" "),
        };
        if let Some(sentence) = bits.to_u64().and_then(|value| self.sentence(value)) {
            text = format!("{text}; {sentence}");
        }
        text
    }

    fn sentence(&self, value: u64) -> Option<String> {
        let SysReg::Pmevtyper(n) = self.register else {
            return None;
        };
        let decoder = EventTypeDecoder::new(&Implementation::default()).ok()?;
        let sentence = registers::counts(n.get(), &decoder.decode(n.get(), value));
        Some(match self.numbered {
            true => sentence,
            false => sentence.replace("V[0]", "V[n-1]"),
        })
    }
}

/// Small numbers as they are, others in hexadecimal.
fn number(value: u64) -> String {
    match value {
        0..10 => value.to_string(),
        _ => format!("{value:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use lockstep_vcd::BitsRef;

    use super::*;

    fn words(register: &str, value: u64) -> String {
        let register: Register = register.parse().unwrap();
        register.words(&Bits::from_u64(value, 64))
    }

    #[test]
    fn event_types_say_what_they_count() {
        assert_eq!(
            words("PMEVTYPER3_EL0", 0xb580_0559_8610_000d),
            "TC=5 TE=1 SYNC=1 VS=1 TLC=2 TH=0x559 P=1 M=1 MT=1 RLH=1 evtCount=0xd; \
             counts V[2] if V_B >= 1369 becomes TRUE, else 0 (row G)"
        );
        assert!(words("PMEVTYPER", 0xb580_0559_8610_000d).contains("counts V[n-1] if"));
        assert_eq!(
            words("pmevtyper0", 0),
            "0; counts V_B (threshold, edge and link are off)"
        );
    }

    #[test]
    fn other_registers_show_their_fields() {
        assert_eq!(words("PMCR", 0xf841), "N=0x1f LC=1 E=1");
        assert_eq!(words("PMCNTENSET_EL0", 0x8000_0001), "C=1 P0=1");
        assert_eq!(words("PMEVCNTR5", 0x100), "0x100");
    }

    #[test]
    fn unknown_bits_stay_unknown() {
        let register: Register = "PMCR".parse().unwrap();
        let bits = BitsRef::new(b"x1", 64).unwrap().to_bits();
        assert!(
            register.words(&bits).ends_with("LC=x C=x P=x E=1"),
            "{}",
            register.words(&bits)
        );
    }

    #[test]
    fn names_have_a_number_or_leave_it_open() {
        let name = |text: &str| text.parse::<Register>().map(|register| register.name());
        assert_eq!(name("pmevtyper12").unwrap(), "PMEVTYPER12_EL0");
        assert_eq!(name("PMEVTYPER").unwrap(), "PMEVTYPER<n>_EL0");
        assert_eq!(name("PMMIR_EL1").unwrap(), "PMMIR_EL1");
        assert!(name("SCTLR").unwrap_err().contains("`SCTLR`"));
        assert_eq!("a=b=PMCR".parse::<Decode>().unwrap().signal, "a=b");
    }
}
