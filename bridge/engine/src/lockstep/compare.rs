//! Comparison of a batch: whole outputs as bytes first, field by field only at a mismatch.

use std::ops::Range;

use bytemuck::{bytes_of, bytes_of_mut, cast_slice};
use pmu_model::contract::{self, COUNTER_LANES, CYCLE_COUNTER, Group, Output};
use pmu_model::{AccessKind, CycleInput, CycleOutput, SysReg, Unknown, sysreg};
use serde::Serialize;

/// A field of [`CycleOutput`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// V\[n\].
    Increment(u8),
    /// Increment of PMCCNTR_EL0.
    CycleIncrement,
    /// A field that is compared as a whole.
    Whole(Output),
    /// A byte that the contract says is zero, by its offset.
    Reserved(u8),
}

impl Field {
    /// The name in reports. A register read is named after the register.
    pub fn name(self, input: &CycleInput) -> String {
        match self {
            Self::Increment(n) => format!("V[{n}]"),
            Self::CycleIncrement => "PMCCNTR increment".into(),
            Self::Whole(Output::AccessData) => access_name(input),
            Self::Whole(output) => output.name().into(),
            Self::Reserved(byte) => format!("reserved byte {byte} of cycle_output_o"),
        }
    }

    /// The signal of the wrapper that carries it, with its bits.
    pub fn signal(self) -> String {
        let bits = self.bits();
        format!("cycle_output_o[{}:{}]", bits.end - 1, bits.start)
    }

    /// Its bits in [`CycleOutput`].
    pub fn bits(self) -> Range<u32> {
        let (offset, bytes) = self.place();
        8 * offset as u32..8 * (offset + bytes) as u32
    }

    /// Offset in [`CycleOutput`], and bytes.
    fn place(self) -> (usize, usize) {
        const LANES: &contract::Field = contract::Field::named(CycleOutput::FIELDS, "increment");
        let lane = |n: usize| (LANES.byte + n * LANES.element_bytes, LANES.element_bytes);
        match self {
            Self::Increment(n) => lane(n.into()),
            Self::CycleIncrement => lane(CYCLE_COUNTER),
            Self::Whole(output) => (output.field().byte, output.field().bytes()),
            Self::Reserved(byte) => (byte.into(), 1),
        }
    }

    /// The value in `output`.
    pub fn of(self, output: &CycleOutput) -> u64 {
        match self {
            Self::Increment(n) => output.increment[usize::from(n)].into(),
            Self::CycleIncrement => output.increment[CYCLE_COUNTER].into(),
            Self::Whole(field) => field.of(output),
            Self::Reserved(byte) => bytes_of(output)[usize::from(byte)].into(),
        }
    }

    /// The group of the contract that it is in: they have one latency.
    pub fn group(self) -> Group {
        match self {
            Self::Increment(_) | Self::CycleIncrement => Group::Increment,
            Self::Whole(output) => output.field().group,
            Self::Reserved(_) => Group::Zero,
        }
    }

    /// Copies it.
    pub fn copy(self, from: &CycleOutput, to: &mut CycleOutput) {
        let (offset, bytes) = self.place();
        let range = offset..offset + bytes;
        bytes_of_mut(to)[range.clone()].copy_from_slice(&bytes_of(from)[range]);
    }

    /// Sets it to the low bits of a value.
    pub fn put(self, value: u64, to: &mut CycleOutput) {
        let (offset, bytes) = self.place();
        bytes_of_mut(to)[offset..offset + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }

    /// The value as reports print it.
    pub fn text(self, value: u64) -> String {
        match self {
            Self::Whole(output) => output.field().text(value),
            Self::Reserved(_) => format!("{value:#x}"),
            Self::Increment(_) | Self::CycleIncrement => value.to_string(),
        }
    }

    /// The fields that decide about it, in the order in which they are looked at.
    pub fn causes(self) -> impl Iterator<Item = Self> {
        use Output::*;
        let causes: &[Output] = match self {
            // Without outcome OK the data are zero, and without a trap the syndrome.
            Self::Whole(AccessData | TrapIss) => &[AccessOutcome],
            Self::Whole(RandomByte) => &[RandomDrawn],
            Self::Whole(Selected) => &[RandomDrawn],
            Self::Whole(FirstSelected) => &[RandomDrawn, Selected],
            Self::Whole(Collided | InFlight) => &[RandomDrawn, Selected],
            Self::Whole(Pmsicr) => &[RandomDrawn, Selected, FirstSelected],
            Self::Whole(Coll) => &[RandomDrawn, Selected, Collided],
            Self::Whole(AccessOutcome | RandomDrawn) => &[],
            Self::Increment(_) | Self::CycleIncrement | Self::Reserved(_) => &[],
        };
        causes.iter().copied().map(Self::Whole)
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..CYCLE_COUNTER as u8)
            .map(Self::Increment)
            .chain([Self::CycleIncrement])
            .chain(Output::ALL.iter().copied().map(Self::Whole))
            .chain(reserved().map(Self::Reserved))
    }
}

/// Offsets of the bytes that are zero.
fn reserved() -> impl Iterator<Item = u8> {
    let zero = CycleOutput::FIELDS
        .iter()
        .filter(|field| field.group == Group::Zero);
    zero.flat_map(|field| field.byte as u8..(field.byte + field.bytes()) as u8)
}

/// The register at an encoding, or the encoding where there is none.
pub fn register_name(address: u16) -> String {
    SysReg::from_address(address).map_or_else(
        || sysreg::encoding_name(address),
        |register| register.to_string(),
    )
}

/// What the access of `input` names: a register, its AArch32 view, or part of it from outside the PE.
pub fn access_name(input: &CycleInput) -> String {
    let address = input.access_address;
    match AccessKind::from_code(input.access_kind) {
        AccessKind::Read32 | AccessKind::Write32 => {
            format!("{} (AArch32)", aarch32_name(address))
        }
        AccessKind::ExternalRead | AccessKind::ExternalWrite => {
            format!("{} (external)", external_name(address))
        }
        AccessKind::None | AccessKind::Read | AccessKind::Write => register_name(address),
    }
}

/// Names of fields and registers in reports, but those of registers without a name and of other views of them.
pub fn usual_names() -> impl Iterator<Item = String> {
    let fields = Field::all().filter(|field| *field != Field::Whole(Output::AccessData));
    let none = CycleInput::default();
    fields
        .map(move |field| field.name(&none))
        .chain(registers())
}

/// Names of the registers.
pub fn registers() -> impl Iterator<Item = String> {
    let known = (0..=u16::MAX).filter_map(SysReg::from_address);
    known.map(|register| register.to_string())
}

/// Names of what an access can be to: registers, encodings without one, their AArch32 views, offsets from outside.
pub fn access_names() -> impl Iterator<Item = String> {
    let kinds = [
        AccessKind::Read,
        AccessKind::Read32,
        AccessKind::ExternalRead,
    ];
    let of = |kind: AccessKind| {
        (0..=u16::MAX).map(move |access_address| {
            let mut input = CycleInput::default();
            (input.access_kind, input.access_address) = (kind as u8, access_address);
            access_name(&input)
        })
    };
    kinds.into_iter().flat_map(of)
}

/// The register access of a cycle in a few characters.
pub fn access_text(input: &CycleInput) -> String {
    if input.is_reset() {
        return "reset".into();
    }
    if input.clock_stopped & 1 == 1 {
        return "clock stopped".into();
    }
    let name = access_name(input);
    match AccessKind::from_code(input.access_kind) {
        AccessKind::None => String::new(),
        kind if kind.is_write() => format!("{name} := {:#x}", input.access_data),
        _ => format!("read {name}"),
    }
}

/// The register that an MRC or MCR of an encoding reaches (DUT-36), in the names of AArch32.
fn aarch32_name(address: u16) -> String {
    SysReg::from_address_32(address).map_or_else(
        || sysreg::encoding_name(address),
        |register| register.to_string().replace("_EL0", ""),
    )
}

/// The half of a register that an external access reaches (DUT-37).
fn external_name(offset: u16) -> String {
    match SysReg::from_offset(offset) {
        Some((register, true)) => format!("{register}[63:32]"),
        Some((register, false)) => format!("{register}[31:0]"),
        None => format!("offset {offset:#x}"),
    }
}

/// One field that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Field.
    pub field: Field,
    /// The model's value.
    pub expected: u64,
    /// The design's value.
    pub rtl: u64,
    /// Bits that count: UNKNOWN ones do not.
    pub compared: u64,
}

/// The first cycle in which RTL and model differ.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// Number of the cycle in which the difference shows.
    pub cycle: u64,
    /// Number of the cycle whose outputs differ: earlier by the latency of the first group that does.
    pub about: u64,
    /// Input of the cycle whose outputs differ, latency taken into account.
    pub input: CycleInput,
    /// The model's output.
    pub expected: CycleOutput,
    /// The design's output.
    pub rtl: CycleOutput,
    /// What was not compared.
    pub unknown: Unknown,
    /// Every field that differs.
    pub differences: Vec<Difference>,
}

impl Divergence {
    /// The difference that others of the cycle may follow from, as far as fields alone tell: counters count what sampling
    /// does, and the outputs of sampling and of accesses follow from each other.
    ///
    /// # Panics
    /// If nothing differs.
    pub fn root(&self) -> &Difference {
        let all = &self.differences;
        let differs = |field| all.iter().any(|difference| difference.field == field);
        let is_root = |difference: &&Difference| !difference.field.causes().any(differs);
        let is_sampling = |difference: &&&Difference| difference.field.group() == Group::Sampling;
        let roots: Vec<_> = all.iter().filter(is_root).collect();
        let sampling = roots.iter().find(is_sampling);
        sampling.or(roots.first()).copied().unwrap_or(&all[0])
    }
}

/// Counts of a comparison that go into JSON reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// Field comparisons made.
    pub compared: u64,
    /// Field comparisons left out, because the architecture leaves the value UNKNOWN, or because a waiver accepts whatever the
    /// RTL shows.
    pub not_compared: u64,
}

/// The index of the first cycle of a batch that differs.
///
/// # Panics
/// If the slices differ in length.
pub fn first_difference(
    expected: &[CycleOutput],
    unknown: &[Unknown],
    rtl: &[CycleOutput],
) -> Option<usize> {
    assert!(expected.len() == rtl.len() && expected.len() == unknown.len());
    if cast_slice::<_, u8>(expected) == cast_slice::<_, u8>(rtl) {
        return None;
    }
    (0..expected.len()).find(|&k| {
        expected[k] != rtl[k]
            && (unknown[k].is_none() || known(&expected[k], &unknown[k], &rtl[k]) != expected[k])
    })
}

/// The same of the cycles from index `early` on.
///
/// # Panics
/// If the slices differ in length, or are shorter than `early`.
pub fn first_difference_from(
    early: usize,
    expected: &[CycleOutput],
    unknown: &[Unknown],
    rtl: &[CycleOutput],
) -> Option<usize> {
    first_difference(&expected[early..], &unknown[early..], &rtl[early..]).map(|k| k + early)
}

/// What the design shows, with the model's values in place of those that are UNKNOWN.
fn known(expected: &CycleOutput, unknown: &Unknown, rtl: &CycleOutput) -> CycleOutput {
    rtl.with(&unknown.mask(), expected)
}

/// Every field of a cycle that differs.
pub fn differences(
    expected: &CycleOutput,
    unknown: &Unknown,
    rtl: &CycleOutput,
) -> Vec<Difference> {
    Field::all()
        .filter_map(|field| {
            let compared = match field {
                Field::Increment(n) if unknown.increments >> n & 1 == 1 => 0,
                Field::Whole(Output::AccessData) => !unknown.access_data,
                _ if unknown.spe && field.group() == Group::Sampling => 0,
                _ => u64::MAX,
            };
            let (expected, rtl) = (field.of(expected), field.of(rtl));
            ((expected ^ rtl) & compared != 0).then_some(Difference {
                field,
                expected,
                rtl,
                compared,
            })
        })
        .collect()
}

const _: () = assert!(COUNTER_LANES == 32);

#[cfg(test)]
mod tests {
    use pmu_model::Number;

    use super::*;

    #[test]
    fn only_known_bits_count() {
        let expected = [CycleOutput::default(); 3];
        let mut rtl = expected;
        let mut unknown = [Unknown::default(); 3];
        assert_eq!(first_difference(&expected, &unknown, &rtl), None);
        rtl[1].increment[4] = 1;
        assert_eq!(first_difference(&expected, &unknown, &rtl), Some(1));
        unknown[1].increments = 1 << 4;
        assert_eq!(first_difference(&expected, &unknown, &rtl), None);
        rtl[2].access_data = 0x30;
        unknown[2].access_data = 0x10;
        assert_eq!(first_difference(&expected, &unknown, &rtl), Some(2));
        unknown[2].access_data = 0x30;
        assert_eq!(first_difference(&expected, &unknown, &rtl), None);
        rtl[2].pmsicr = 1;
        rtl[2].coll = 4;
        assert_eq!(first_difference(&expected, &unknown, &rtl), Some(2));
        unknown[2].spe = true;
        assert_eq!(first_difference(&expected, &unknown, &rtl), None);
        rtl[2].zeros[6] = 1;
        assert_eq!(first_difference(&expected, &unknown, &rtl), Some(2));
    }

    #[test]
    fn both_comparisons_leave_the_same_out() {
        for byte in 0..size_of::<CycleOutput>() {
            for unknown in [
                Unknown::default(),
                Unknown {
                    increments: 0x55AA_0FF1,
                    ..Unknown::default()
                },
                Unknown {
                    access_data: 0xFF00_FF00,
                    ..Unknown::default()
                },
                Unknown {
                    spe: true,
                    ..Unknown::default()
                },
            ] {
                let (expected, mut rtl) = (CycleOutput::default(), CycleOutput::default());
                bytemuck::bytes_of_mut(&mut rtl)[byte] = 1;
                assert_eq!(
                    known(&expected, &unknown, &rtl) == expected,
                    differences(&expected, &unknown, &rtl).is_empty(),
                    "byte {byte}, {unknown:?}"
                );
            }
        }
    }

    #[test]
    fn signals_are_those_of_the_contract() {
        assert_eq!(Field::Increment(1).signal(), "cycle_output_o[31:16]");
        assert_eq!(
            Field::Whole(Output::AccessOutcome).signal(),
            "cycle_output_o[583:576]"
        );
        assert_eq!(
            Field::Whole(Output::TrapIss).signal(),
            "cycle_output_o[639:608]"
        );
        let pmsicr = Field::Whole(Output::Pmsicr);
        assert_eq!(pmsicr.signal(), "cycle_output_o[703:640]");
        assert_eq!(Field::Reserved(103).signal(), "cycle_output_o[831:824]");
    }

    #[test]
    fn views_of_a_register_have_names() {
        let input = |kind: AccessKind, address| CycleInput {
            access_kind: kind as u8,
            access_address: address,
            ..CycleInput::default()
        };
        let name = |kind, address| access_name(&input(kind, address));
        let register = SysReg::Pmevtyper(Number::at::<7>()).address();
        assert_eq!(name(AccessKind::Read, register), "PMEVTYPER7_EL0");
        let aarch32 = register & !(7 << 11);
        assert_eq!(name(AccessKind::Read32, aarch32), "PMEVTYPER7 (AArch32)");
        assert_eq!(
            name(AccessKind::ExternalRead, 0xA1C),
            "PMEVTYPER7_EL0[63:32] (external)"
        );
        assert_eq!(
            name(AccessKind::ExternalWrite, 0x47C),
            "PMCCFILTR_EL0[31:0] (external)"
        );
        assert_eq!(
            name(AccessKind::ExternalRead, 0x480),
            "offset 0x480 (external)"
        );
    }

    #[test]
    fn every_byte_of_the_output_belongs_to_a_field() {
        for byte in 0..std::mem::size_of::<CycleOutput>() {
            let mut rtl = CycleOutput::default();
            bytemuck::bytes_of_mut(&mut rtl)[byte] = 1;
            let found = differences(&CycleOutput::default(), &Unknown::default(), &rtl);
            assert_eq!(found.len(), 1, "byte {byte}");
        }
    }
}
