//! Registers in words.

use pmu_model::contract::{SECURITY_STATES, Thread};
use pmu_model::pmu::event_type::{cycle_filter_mask, present_mask};
use pmu_model::pmu::provenance::Origin;
use pmu_model::{Implementation, Model, SysReg};

/// A field of a register with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldValue {
    /// Name.
    pub name: String,
    /// Highest bit.
    pub high: u32,
    /// Lowest bit.
    pub low: u32,
    /// Value.
    pub value: u64,
}

impl FieldValue {
    /// The bits that it has in the register.
    pub fn bits(&self) -> String {
        if self.high == self.low {
            format!("[{}]", self.low)
        } else {
            format!("[{}:{}]", self.high, self.low)
        }
    }

    /// The value: binary if it is short.
    pub fn text(&self) -> String {
        match self.high - self.low + 1 {
            1 => self.value.to_string(),
            width if width <= 4 => format!("{:0width$b}", self.value, width = width as usize),
            _ => format!("{:#x}", self.value),
        }
    }

    /// Whether every bit is zero.
    pub fn is_zero(&self) -> bool {
        self.value == 0
    }
}

/// The fields of `register` that `implementation` has, with their values in `value`: no bits of counters that are not
/// implemented, and a field that has fewer bits with those.
pub fn decoded_of(
    register: SysReg,
    value: u64,
    implementation: &Implementation,
) -> Vec<FieldValue> {
    use SysReg::*;
    let counters = implementation.pmu.counters;
    let present = match register {
        Pmcntenset | Pmcntenclr | Pmovsset | Pmovsclr => 1 << 31 | ((1u64 << counters) - 1),
        Pmevtyper(n) => present_mask(n.get(), implementation),
        Pmccfiltr => cycle_filter_mask(implementation),
        _ => u64::MAX,
    };
    let field = |field: FieldValue| {
        let mask = u64::MAX >> (63 - (field.high - field.low)) << field.low;
        let there = mask & present;
        // What is read there all the same is worth a look.
        let shown = if value & mask & !present != 0 {
            mask
        } else {
            there
        };
        (shown != 0).then(|| FieldValue {
            high: 63 - shown.leading_zeros(),
            ..field
        })
    };
    decoded(register, value)
        .into_iter()
        .filter_map(field)
        .collect()
}

/// A register field by field, from the highest bit down; nothing for a register without fields.
pub fn decoded(register: SysReg, value: u64) -> Vec<FieldValue> {
    register
        .fields()
        .into_iter()
        .map(|(name, high, low)| FieldValue {
            value: value >> low & (u64::MAX >> (63 - (high - low))),
            name,
            high,
            low,
        })
        .collect()
}

/// A state of a thread: Exception level and Security state, and Streaming mode.
pub fn state(thread: Thread) -> String {
    let streaming = if thread.state & Thread::STREAMING != 0 {
        ", Streaming"
    } else {
        ""
    };
    let security = SECURITY_STATES[usize::from(thread.security())];
    format!("EL{} {security}{streaming}", thread.level())
}

/// The fields in which two values of a register differ, each with both values; bits that belong to no field
/// are RES0.
pub fn differing_fields(register: SysReg, expected: u64, rtl: u64) -> Vec<(String, u64, u64)> {
    let fields = register.fields();
    if fields.is_empty() {
        return Vec::new();
    }
    let mut rest = expected ^ rtl;
    let mut differing = Vec::new();
    for (name, high, low) in fields {
        let mask = (u64::MAX >> (63 - (high - low))) << low;
        if rest & mask != 0 {
            differing.push((name, (expected & mask) >> low, (rtl & mask) >> low));
            rest &= !mask;
        }
    }
    for bit in (0..64).filter(|bit| rest >> bit & 1 == 1) {
        differing.push((format!("RES0[{bit}]"), expected >> bit & 1, rtl >> bit & 1));
    }
    differing
}

/// What last set `register`, seen from `now`.
pub fn origin(model: &Model, register: SysReg, now: u64) -> String {
    use SysReg::*;
    if let Pmmir | Pmsidr | Spmiidr | Spmdevarch | Spmdevaff | Spmcfgr | Spmcgcr(_) = register {
        return "read-only".into();
    }
    let overflows = match register {
        Pmovsset | Pmovsclr => ", but for overflows since",
        _ => "",
    };
    match model.origin(register) {
        Origin::PowerUp => "not written since the start".into(),
        Origin::Reset { cycle } => {
            format!(
                "by the reset in cycle {cycle} ({} before){overflows}",
                now - cycle
            )
        }
        Origin::Write {
            cycle,
            register: written,
            data,
        } => {
            let alias = if written == register {
                String::new()
            } else {
                format!(" through {written}")
            };
            format!(
                "written{alias} with {data:#x} in cycle {cycle} ({} before){overflows}",
                now - cycle
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use pmu_model::Number;

    use super::*;

    #[test]
    fn fields_are_those_of_the_implementation() {
        let mut implementation = Implementation::default();
        implementation.pmu.counters = 6;
        implementation.pmu.pmuv3p1 = false;
        let of = |register, value| decoded_of(register, value, &implementation);
        let names: Vec<_> = of(SysReg::Pmcntenset, 1 << 31)
            .into_iter()
            .map(|field| field.name)
            .collect();
        assert_eq!(names, ["C", "P5", "P4", "P3", "P2", "P1", "P0"]);
        let event = |value| {
            let fields = of(SysReg::Pmevtyper(Number::at::<0>()), value);
            fields.into_iter().find(|field| field.name == "evtCount")
        };
        assert_eq!(
            event(0x11).map(|field| field.bits()).as_deref(),
            Some("[9:0]")
        );
        // A bit that the implementation does not have, and that is read.
        assert_eq!(
            event(0x8011).map(|field| field.bits()).as_deref(),
            Some("[15:0]")
        );
    }

    #[test]
    fn fields_go_down_and_do_not_overlap() {
        for register in SysReg::all(&Implementation::default()) {
            let fields = register.fields();
            for pair in fields.windows(2) {
                assert!(pair[0].2 > pair[1].1, "{register}: {pair:?}");
            }
            assert!(fields.iter().all(|(_, high, low)| high >= low));
        }
    }

    #[test]
    fn differing_fields_have_names() {
        let differing = differing_fields(SysReg::Pmsicr, 5 << 56 | 0x101, 4 << 56 | 0x101);
        assert_eq!(differing, [("ECOUNT".to_owned(), 5, 4)]);
        let differing = differing_fields(SysReg::Pmbsr(Number::at::<2>()), 1 << 16 | 1 << 20, 0);
        let names: Vec<_> = differing.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(names, ["COLL", "RES0[20]"]);
        let differing = differing_fields(SysReg::Spmcgcr(Number::at::<1>()), 0x0604, 0x0704);
        assert_eq!(differing, [("N1 (group 9)".to_owned(), 6, 7)]);
    }

    #[test]
    fn state_in_words() {
        let thread = |level, security, streaming| Thread {
            state: Thread::state_of(level, security, streaming),
            ..Thread::default()
        };
        assert_eq!(state(thread(1, 0, false)), "EL1 Non-secure");
        assert_eq!(state(thread(0, 2, true)), "EL0 Realm, Streaming");
    }
}
