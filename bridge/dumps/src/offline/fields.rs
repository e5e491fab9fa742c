//! The fields of the contract's structs as places of bits, by the names that a map uses.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use pmu_model::contract::{CYCLE_COUNTER, Field, Group, Thread, control};
use pmu_model::{AccessKind, CycleInput, CycleOutput, Implementation};

/// Bytes of both structs.
pub const INPUT_BYTES: usize = size_of::<CycleInput>();
/// See [`INPUT_BYTES`].
pub const OUTPUT_BYTES: usize = size_of::<CycleOutput>();

/// One of the two structs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// [`CycleInput`].
    Input,
    /// [`CycleOutput`].
    Output,
}

impl Side {
    /// Bytes of the struct.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Input => INPUT_BYTES,
            Self::Output => OUTPUT_BYTES,
        }
    }

    /// The name of the whole struct in a map, and of its port without the suffix.
    pub const fn packed(self) -> &'static str {
        match self {
            Self::Input => "cycle_input",
            Self::Output => "cycle_output",
        }
    }

    /// The table of a map.
    pub const fn table(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }

    /// Its fields, in the order of the contract; those of a thread after all of it.
    pub fn fields(self) -> &'static [Place] {
        static INPUTS: LazyLock<Vec<Place>> = LazyLock::new(|| {
            let threads = Thread::FIELDS.iter().map(Place::of_threads);
            places(CycleInput::FIELDS).chain(threads).collect()
        });
        static OUTPUTS: LazyLock<Vec<Place>> =
            LazyLock::new(|| places(CycleOutput::FIELDS).collect());
        match self {
            Self::Input => &INPUTS,
            Self::Output => &OUTPUTS,
        }
    }

    /// The field of this name.
    pub fn field(self, name: &str) -> Option<&'static Place> {
        let name = match (self, name) {
            (Self::Output, "V") => "increment",
            (_, name) => name,
        };
        self.fields().iter().find(|field| field.name == name)
    }
}

/// The fields of a struct of which there can be signals.
fn places(fields: &'static [Field]) -> impl Iterator<Item = Place> {
    fields
        .iter()
        .filter(|field| field.group != Group::Zero)
        .map(|field| Place::of(field, field.name.to_owned()))
}

/// A field: one value, or an array of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name, as in `docs/dut-contract.md`; a field of a thread has `threads.` before it.
    pub name: String,
    /// What it belongs to.
    pub group: Group,
    /// Other names by which designs call it.
    pub also: &'static [&'static str],
    /// What it is, in a few words.
    pub about: &'static str,
    /// Its lowest bit.
    offset: u32,
    /// Bits from one element to the next.
    stride: u32,
    /// Elements; 1 for a field that is no array.
    pub count: u32,
    /// Bits of an element.
    pub width: u32,
    /// Least bits of a signal that can be all of an element.
    least: u32,
}

impl Place {
    fn of(field: &'static Field, name: String) -> Self {
        let (stride, count) = match field.bits {
            Some(bits) => (1, bits),
            None => (8 * field.element_bytes as u32, field.count as u32),
        };
        Self {
            name,
            group: field.group,
            also: field.also,
            about: field.about,
            offset: 8 * field.byte as u32,
            stride,
            count,
            width: field.width,
            least: field.least_width,
        }
    }

    /// A field of [`Thread`] in `threads`.
    fn of_threads(field: &'static Field) -> Self {
        let threads = Field::named(CycleInput::FIELDS, "threads");
        let place = Self::of(field, format!("threads.{}", field.name));
        Self {
            offset: place.offset + 8 * threads.byte as u32,
            stride: 8 * threads.element_bytes as u32,
            count: threads.count as u32,
            ..place
        }
    }

    /// Whether it has elements.
    pub const fn is_array(&self) -> bool {
        self.count > 1
    }

    /// Lowest bit of an element in the struct.
    pub const fn bit(&self, element: u32) -> u32 {
        self.offset + element * self.stride
    }

    /// The name of an element.
    pub fn element(&self, element: u32) -> String {
        match self.is_array() {
            true => format!("{}[{element}]", self.name),
            false => self.name.clone(),
        }
    }

    /// How wide a signal may be that is all of an element.
    pub fn widths(&self, element: u32, implementation: &Implementation) -> RangeInclusive<u32> {
        let least = match self.name.as_str() {
            "event" => implementation.pmu.event_width.into(),
            "increment" if element != CYCLE_COUNTER as u32 => implementation.pmu.event_width.into(),
            _ => self.least,
        };
        least..=self.width
    }

    /// How many elements, from 0, the implementation has: what a pattern or one vector stands for.
    pub fn elements(&self, implementation: &Implementation) -> u32 {
        match self.name.as_str() {
            "event" => implementation.pmu.event_count.into(),
            "increment" => implementation.pmu.counters.into(),
            _ if self.name.starts_with("threads") => implementation.threads.count.into(),
            _ => self.count,
        }
    }

    /// How many bits one vector needs that has an element a bit.
    pub fn least_bits(&self, implementation: &Implementation) -> u32 {
        match self.name.as_str() {
            "counting_allowed" | "pmuacr" => implementation.pmu.counters.into(),
            "controls" => control::NAMES.len() as u32,
            "coll" => 1,
            _ => self.count,
        }
    }

    /// The elements without which there is no output of this implementation to compare with.
    pub fn compared(&self, implementation: &Implementation) -> Vec<u32> {
        match self.group {
            Group::Increment => (0..self.elements(implementation))
                .chain([CYCLE_COUNTER as u32])
                .collect(),
            Group::Sampling if !implementation.spe.implemented => Vec::new(),
            _ => (0..self.count).collect(),
        }
    }
}

/// The bits of `input` that decide about outputs; the others may be anything. Where `known` lacks a bit, what it would
/// decide is not known, so that all it could make matter does.
pub fn relevant(
    input: &CycleInput,
    known: impl Fn(&str) -> bool,
    implementation: &Implementation,
) -> [u8; INPUT_BYTES] {
    let mut mask = Mask::default();
    mask.field("reset");
    // DUT-10, DUT-52
    if known("reset") && input.is_reset() {
        return mask.0;
    }
    mask.field("clock_stopped");
    if known("clock_stopped") && input.clock_stopped & 1 == 1 {
        return mask.0;
    }
    let pmu = &implementation.pmu;
    for event in 0..u32::from(pmu.event_count) {
        mask.bits(16 * event, pmu.event_width.into());
    }
    mask.first("counting_allowed", pmu.counters.into());
    if let Some(allowed) = Side::Input.field("counting_allowed") {
        mask.bits(allowed.bit(CYCLE_COUNTER as u32), 1);
    }
    mask.field("driven");
    let pe = !known("driven") || input.driven & CycleInput::DRIVEN_PE != 0;
    let threads = !known("driven") || input.driven & CycleInput::DRIVEN_THREADS != 0;
    mask.field("access_kind");
    let kind = AccessKind::from_code(input.access_kind);
    let any = !known("access_kind");
    if any || kind != AccessKind::None {
        mask.field("access_address");
    }
    if any || kind.is_write() {
        mask.field("access_data");
    }
    if pe && (any || matches!(kind, AccessKind::Read | AccessKind::Write)) {
        mask.field("access_rt");
    }
    if pe {
        mask.first("controls", control::NAMES.len() as u32);
        mask.field("hpmn");
        mask.first("pmuacr", pmu.counters.into());
        if !implementation.system_pmu.is_empty() {
            mask.field("spmaccessr_el2");
            mask.field("spmaccessr_el3");
        }
    }
    let group = match threads {
        true => implementation.threads.count,
        false => 1,
    };
    for thread in 0..u32::from(group) {
        let mut element = |name, wanted| {
            if let (Some(field), true) = (Side::Input.field(name), wanted) {
                mask.bits(field.bit(thread), field.width);
            }
        };
        element("threads.state", pe);
        element("threads.conditions", threads);
        element("threads.count", threads);
    }
    if implementation.spe.implemented {
        for field in Side::Input.fields() {
            if field.group == Group::Sampling {
                mask.field(&field.name);
            }
        }
    }
    mask.0
}

/// Bits of a [`CycleInput`].
struct Mask([u8; INPUT_BYTES]);

impl Default for Mask {
    fn default() -> Self {
        Self([0; INPUT_BYTES])
    }
}

impl Mask {
    fn bits(&mut self, from: u32, width: u32) {
        for bit in from..from + width {
            self.0[bit as usize / 8] |= 1 << (bit % 8);
        }
    }

    fn field(&mut self, name: &str) {
        self.first(name, u32::MAX);
    }

    /// The first elements of an array.
    fn first(&mut self, name: &str, elements: u32) {
        if let Some(field) = Side::Input.field(name) {
            for element in 0..field.count.min(elements) {
                self.bits(field.bit(element), field.width);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use pmu_model::SysReg;

    use super::*;

    #[test]
    fn what_a_cycle_does_not_look_at_does_not_matter() {
        let implementation = Implementation::default();
        let all = |_: &str| true;
        let matters =
            |input: &CycleInput, byte: usize| relevant(input, all, &implementation)[byte] != 0;
        let data = offset_of!(CycleInput, access_data);
        let address = offset_of!(CycleInput, access_address);
        assert!(!matters(&CycleInput::reset(), 0));
        assert!(matters(&CycleInput::default(), 0));
        assert!(!matters(&CycleInput::default(), address));
        assert!(!matters(&CycleInput::read(SysReg::Pmcr), data));
        assert!(matters(&CycleInput::read(SysReg::Pmcr), address));
        assert!(matters(&CycleInput::write(SysReg::Pmcr, 1), data));
        let hpmn = offset_of!(CycleInput, hpmn);
        assert!(!matters(&CycleInput::default(), hpmn));
        let unknown = relevant(&CycleInput::default(), |_| false, &implementation);
        assert!(unknown[hpmn] != 0 && unknown[data] != 0);
    }
}
