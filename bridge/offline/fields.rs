//! The fields of the contract's structs as places of bits, by the names that a map uses.

use std::ops::RangeInclusive;

use pmu_model::contract::{CYCLE_COUNTER, THREADS, control};
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

    /// Its fields, in the order of the contract.
    pub const fn fields(self) -> &'static [Place] {
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

/// A field: one value, or an array of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name, as in `docs/dut-contract.md`.
    pub name: &'static str,
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

const fn one(name: &'static str, byte: u32, width: u32, least: u32, about: &'static str) -> Place {
    Place {
        name,
        also: &[],
        about,
        offset: 8 * byte,
        stride: width,
        count: 1,
        width,
        least,
    }
}

impl Place {
    const fn array(mut self, stride: u32, count: u32) -> Self {
        self.stride = stride;
        self.count = count;
        self
    }

    const fn also(mut self, names: &'static [&'static str]) -> Self {
        self.also = names;
        self
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
            false => self.name.to_owned(),
        }
    }

    /// How wide a signal may be that is all of an element.
    pub fn widths(&self, element: u32, implementation: &Implementation) -> RangeInclusive<u32> {
        let least = match self.name {
            "event" => implementation.pmu.event_width.into(),
            "increment" if element != CYCLE_COUNTER as u32 => implementation.pmu.event_width.into(),
            _ => self.least,
        };
        least..=self.width
    }

    /// How many elements, from 0, the implementation has: what a pattern or one vector stands for.
    pub fn elements(&self, implementation: &Implementation) -> u32 {
        match self.name {
            "event" => implementation.pmu.event_count.into(),
            "increment" => implementation.pmu.counters.into(),
            _ if self.name.starts_with("threads") => implementation.threads.count.into(),
            _ => self.count,
        }
    }

    /// How many bits one vector needs that has an element a bit.
    pub fn least_bits(&self, implementation: &Implementation) -> u32 {
        match self.name {
            "counting_allowed" | "pmuacr" => implementation.pmu.counters.into(),
            "controls" => control::NAMES.len() as u32,
            "coll" => 1,
            _ => self.count,
        }
    }

    /// The elements without which there is no output of this implementation to compare with.
    pub fn compared(&self, implementation: &Implementation) -> Vec<u32> {
        let spe = implementation.spe.implemented;
        match self.name {
            "increment" => (0..self.elements(implementation))
                .chain([CYCLE_COUNTER as u32])
                .collect(),
            "access_data" | "access_outcome" | "trap_iss" => vec![0],
            _ if spe => (0..self.count).collect(),
            _ => Vec::new(),
        }
    }
}

const INPUTS: [Place; 22] = [
    one("event", 0, 16, 1, "base values of the events")
        .array(16, 64)
        .also(&["events", "ev", "event_base"]),
    one("access_data", 128, 64, 32, "data of a register write").also(&["access_wdata", "wdata"]),
    one(
        "counting_allowed",
        136,
        1,
        1,
        "by counter; bit 31: the cycle counter",
    )
    .array(1, 32),
    one("access_address", 140, 16, 16, "op0 op1 CRn CRm op2").also(&["access_addr"]),
    one(
        "access_kind",
        142,
        8,
        3,
        "0 none, 1 MRS, 2 MSR, 3 MRC, 4 MCR, 5, 6 external",
    ),
    one("reset", 143, 1, 1, "reset in this cycle").also(&["rst", "arst"]),
    one("driven", 144, 1, 1, "bit 0 (PE), bit 1 (threads)").array(1, 2),
    one("clock_stopped", 145, 1, 1, "there is no Processor cycle").also(&["hold"]),
    one("operations", 146, 8, 4, "members of the sample population"),
    one("complete", 147, 8, 4, "samples that complete"),
    one(
        "filtered_out",
        148,
        8,
        4,
        "of those, how many filtering removes",
    ),
    one("profiling", 149, 8, 6, "enabled, discard, PMSEE, EE"),
    one("hpmn", 150, 8, 5, "MDCR_EL2.HPMN"),
    one("access_rt", 151, 8, 5, "register of the access"),
    one("controls", 152, 1, 1, "controls of accesses and filters").array(1, 32),
    one("pmuacr", 156, 1, 1, "PMUACR_EL1").array(1, 32),
    one("spmaccessr_el2", 160, 64, 64, "SPMACCESSR_EL2"),
    one("spmaccessr_el3", 168, 64, 64, "SPMACCESSR_EL3"),
    one("threads", 176, 32, 32, "all of a thread").array(32, THREADS as u32),
    one(
        "threads.state",
        176,
        8,
        5,
        "Exception level, Security state, Streaming mode",
    )
    .array(32, THREADS as u32)
    .also(&["thread_state"]),
    one("threads.conditions", 177, 8, 7, "active, WFx, stalls")
        .array(32, THREADS as u32)
        .also(&["thread_conditions"]),
    one("threads.count", 178, 16, 1, "instructions retired")
        .array(32, THREADS as u32)
        .also(&["thread_count"]),
];

const OUTPUTS: [Place; 12] = [
    one(
        "increment",
        0,
        16,
        1,
        "V by counter; [31]: the increment of PMCCNTR_EL0",
    )
    .array(16, 32)
    .also(&["increments", "v", "inc"]),
    one("access_data", 64, 64, 32, "data of a register read").also(&["access_rdata", "rdata"]),
    one(
        "access_outcome",
        72,
        8,
        3,
        "0 none, 1 OK, 2 UNDEFINED, 3, 4, 5 trap, 6 NOP",
    ),
    one("trap_iss", 76, 32, 25, "ISS of the trap"),
    one("pmsicr", 80, 64, 32, "PMSICR_EL1 after the cycle"),
    one("in_flight", 88, 8, 1, "samples in flight after the cycle"),
    one("selected", 89, 8, 1, "operations selected"),
    one("first_selected", 90, 8, 1, "place of the first of them"),
    one("collided", 91, 8, 1, "how many of them collided"),
    one(
        "coll",
        92,
        1,
        1,
        "COLL of PMBSR_EL1, EL2, EL3 after the cycle",
    )
    .array(1, 3),
    one("random_drawn", 93, 8, 1, "random bytes drawn"),
    one("random_byte", 94, 8, 8, "the first of them"),
];

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
        for name in ["operations", "complete", "filtered_out", "profiling"] {
            mask.field(name);
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
    fn fields_lie_where_the_structs_have_them() {
        let byte = |side: Side, name| side.field(name).expect("a field").bit(0) as usize / 8;
        let input = |name| byte(Side::Input, name);
        assert_eq!(input("access_data"), offset_of!(CycleInput, access_data));
        assert_eq!(
            input("counting_allowed"),
            offset_of!(CycleInput, counting_allowed)
        );
        assert_eq!(
            input("access_address"),
            offset_of!(CycleInput, access_address)
        );
        assert_eq!(input("access_kind"), offset_of!(CycleInput, access_kind));
        assert_eq!(input("reset"), offset_of!(CycleInput, reset));
        assert_eq!(input("driven"), offset_of!(CycleInput, driven));
        assert_eq!(
            input("clock_stopped"),
            offset_of!(CycleInput, clock_stopped)
        );
        assert_eq!(input("operations"), offset_of!(CycleInput, operations));
        assert_eq!(input("complete"), offset_of!(CycleInput, complete));
        assert_eq!(input("filtered_out"), offset_of!(CycleInput, filtered_out));
        assert_eq!(input("profiling"), offset_of!(CycleInput, profiling));
        assert_eq!(input("hpmn"), offset_of!(CycleInput, hpmn));
        assert_eq!(input("access_rt"), offset_of!(CycleInput, access_rt));
        assert_eq!(input("controls"), offset_of!(CycleInput, controls));
        assert_eq!(input("pmuacr"), offset_of!(CycleInput, pmuacr));
        assert_eq!(
            input("spmaccessr_el2"),
            offset_of!(CycleInput, spmaccessr_el2)
        );
        assert_eq!(
            input("spmaccessr_el3"),
            offset_of!(CycleInput, spmaccessr_el3)
        );
        assert_eq!(input("threads"), offset_of!(CycleInput, threads));
        let output = |name| byte(Side::Output, name);
        assert_eq!(output("access_data"), offset_of!(CycleOutput, access_data));
        assert_eq!(
            output("access_outcome"),
            offset_of!(CycleOutput, access_outcome)
        );
        assert_eq!(output("trap_iss"), offset_of!(CycleOutput, trap_iss));
        assert_eq!(output("pmsicr"), offset_of!(CycleOutput, pmsicr));
        assert_eq!(output("in_flight"), offset_of!(CycleOutput, in_flight));
        assert_eq!(output("selected"), offset_of!(CycleOutput, selected));
        assert_eq!(
            output("first_selected"),
            offset_of!(CycleOutput, first_selected)
        );
        assert_eq!(output("collided"), offset_of!(CycleOutput, collided));
        assert_eq!(output("coll"), offset_of!(CycleOutput, coll));
        assert_eq!(
            output("random_drawn"),
            offset_of!(CycleOutput, random_drawn)
        );
        assert_eq!(output("random_byte"), offset_of!(CycleOutput, random_byte));
    }

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
