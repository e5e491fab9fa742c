//! The ledger: per field, how often it was compared, not compared, and compared with a value that had changed.
//! A field that never changes shows nothing, however often it agrees.

use std::collections::HashSet;
use std::ops::Range;

use bytemuck::allocation::zeroed_vec;
use bytemuck::{Pod, Zeroable};
use pmu_model::contract::{COUNTER_LANES, CYCLE_COUNTER, Field, Group, Output};
use pmu_model::pmu::event_type::present_mask;
use pmu_model::spmu::groups::bank_and_register;
use pmu_model::wrapper::{Increments, PARTS};
use pmu_model::{
    AccessKind, AccessOutcome, CycleInput, CycleOutput, Implementation, Number, SysReg, Unknown,
};
use serde::Serialize;

use super::compare::{Compared, access_name};
use super::sampling::{SamplingSummary, SamplingTally};
use crate::lockstep::waivers::{Accepted, Waivers};

/// One field of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldTally {
    /// Name, as in reports.
    pub field: String,
    /// Compared.
    pub compared: u64,
    /// Not compared, because the architecture leaves the value UNKNOWN, for a register some of its bits; or because a waiver
    /// accepts whatever the RTL shows.
    pub not_compared: u64,
    /// Compared with a value other than the one before.
    pub changed: u64,
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Reads {
    compared: u64,
    unknown: u64,
    changed: u64,
    last: u64,
}

/// The ways to read: MRS, MRC, from outside the PE. Each has addresses of its own.
const VIEWS: [AccessKind; 3] = [
    AccessKind::Read,
    AccessKind::Read32,
    AccessKind::ExternalRead,
];

const _: () = {
    let mut view = 0;
    while view < VIEWS.len() {
        assert!(VIEWS[view] as usize == 2 * view + 1);
        view += 1;
    }
};

/// Cycles that are entered together: a count of 8 bits holds them, and 26 KiB the structs that are looked at.
const CHUNK: usize = 64;

/// The field of all offsets that no register is at: RAZ/WI (DUT-37).
const OTHER_OFFSETS: &str = "other offsets (external)";

/// What is not compared of a design without states of the PE (DUT-72), in words.
const ACCESS_RULES: &str = PARTS[0].1;

/// Addresses of a view.
const ADDRESSES: usize = 1 << 16;

/// The words of an output after the increments and `access_data`: what is compared as a whole and has no register's name.
const REST: Range<usize> = {
    let data = Output::AccessData.field();
    let from = (data.byte + data.bytes()) / 8;
    let (mut to, mut n) = (from, 0);
    while n < Output::ALL.len() {
        let field = Output::ALL[n].field();
        let end = (field.byte + field.bytes()).div_ceil(8);
        assert!(field.byte / 8 >= from || field.byte == data.byte);
        to = if end > to { end } else { to };
        n += 1;
    }
    from..to
};
/// How many they are.
const REST_WORDS: usize = REST.end - REST.start;

/// The bits of the fields of [`REST`] that are wider than a byte.
const WIDE: [u64; REST_WORDS] = {
    let (mut wide, mut n) = ([0; REST_WORDS], 0);
    while n < Output::ALL.len() {
        let field = Output::ALL[n].field();
        if field.byte / 8 >= REST.start && field.element_bytes > 1 {
            let bits = u64::MAX >> (64 - 8 * field.element_bytes);
            let word = &mut wide[field.byte / 8 - REST.start];
            assert!(*word == 0, "one wide field a word");
            *word = bits << (8 * (field.byte % 8));
        }
        n += 1;
    }
    wide
};

/// The words [`REST`] of an output.
#[derive(Clone, Copy)]
struct Rest([u64; REST_WORDS]);

impl Rest {
    #[inline(always)]
    fn of(output: &CycleOutput) -> Self {
        let words: &[u64; size_of::<CycleOutput>() / 8] = bytemuck::cast_ref(output);
        Self(std::array::from_fn(|word| {
            u64::from_le(words[REST.start + word])
        }))
    }
}

/// How often each field changes in a chunk: those of a byte in the bytes of words, and the wide one of each word.
#[derive(Default)]
struct RestChanges {
    bytes: [u64; REST_WORDS],
    wide: [u64; REST_WORDS],
}

impl RestChanges {
    #[inline(always)]
    fn enter(&mut self, last: Rest, now: Rest) {
        for (word, wide) in WIDE.into_iter().enumerate() {
            let changed = last.0[word] ^ now.0[word];
            if wide != 0 {
                self.wide[word] += u64::from(changed & wide != 0);
            }
            if wide != u64::MAX {
                self.bytes[word] += nonzero_bytes(changed);
            }
        }
    }

    /// How often a field did.
    fn of(&self, field: &Field) -> u64 {
        let word = field.byte / 8 - REST.start;
        match field.element_bytes {
            1 => self.bytes[word] >> (8 * (field.byte % 8)) & 0xFF,
            _ => self.wide[word],
        }
    }
}

/// 1 in each byte that is not zero.
#[inline(always)]
fn nonzero_bytes(bytes: u64) -> u64 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    (((bytes & LOW) + LOW) | bytes) >> 7 & 0x0101_0101_0101_0101
}

/// What a run has compared.
#[derive(Clone, Debug)]
pub struct Ledger {
    counters: u8,
    /// Of the design.
    registers: Vec<SysReg>,
    has_spe: bool,
    /// V is compared (DUT-71).
    has_increments: bool,
    /// Differences that are accepted.
    waivers: Waivers,
    /// Comparisons that say nothing because of them.
    accepted: Accepted,
    /// What the design does not have, in words.
    absent: Vec<&'static str>,
    /// There are AArch64 accesses to PMSELR_EL0 and what it selects (DUT-72).
    has_indirect: bool,
    /// Fields of the design that are always zero: registers that are RAZ/WI whatever is selected.
    raz: Vec<String>,
    cycles: u64,
    unknown: [u64; COUNTER_LANES],
    unknown_spe: u64,
    /// Of the increments.
    changed: [u64; COUNTER_LANES],
    /// By [`Output`].
    changed_whole: [u64; Output::ALL.len()],
    last: CycleOutput,
    /// By view and address.
    reads: Vec<Reads>,
    sampling: SamplingTally,
}

impl Ledger {
    /// An empty ledger of a design of `implementation`.
    pub fn new(implementation: &Implementation) -> Self {
        Self {
            counters: implementation.pmu.counters,
            registers: SysReg::all(implementation).collect(),
            has_spe: implementation.spe.implemented,
            has_increments: implementation.wrapper.increments != Increments::Hidden,
            waivers: Waivers::default(),
            accepted: Accepted::default(),
            absent: implementation.not_compared(),
            has_indirect: implementation.wrapper.indirect,
            raz: read_as_zero(implementation),
            cycles: 0,
            unknown: [0; COUNTER_LANES],
            unknown_spe: 0,
            changed: [0; COUNTER_LANES],
            changed_whole: [0; Output::ALL.len()],
            last: CycleOutput::default(),
            // Of which few pages are ever touched.
            reads: zeroed_vec(VIEWS.len() * ADDRESSES),
            sampling: SamplingTally::new(implementation.spe.ernd),
        }
    }

    /// Enters a batch that was compared, from cycle `start` on: the inputs that the access group belongs to, and those that
    /// group SPE does.
    pub fn enter(
        &mut self,
        start: u64,
        inputs: &[CycleInput],
        sampled: &[CycleInput],
        expected: &[CycleOutput],
        unknowns: &[Unknown],
        rtl: &[CycleOutput],
    ) {
        self.accepted.enter(start, inputs, expected, unknowns);
        // A chunk is in the first cache for all of this; a batch would have to come from the second one each time.
        let outputs = expected.chunks(CHUNK).zip(unknowns.chunks(CHUNK));
        let cycles = inputs.chunks(CHUNK).zip(sampled.chunks(CHUNK)).zip(outputs);
        for (((inputs, sampled), (expected, unknowns)), rtl) in cycles.zip(rtl.chunks(CHUNK)) {
            let before = self.last;
            pulp::Arch::new().dispatch(EnterChanges {
                ledger: self,
                expected,
            });
            self.enter_reads(inputs, expected, unknowns);
            self.enter_unknowns(unknowns, expected, before);
            let cycles = sampled.iter().zip(expected).zip(unknowns).zip(rtl);
            for (((input, output), unknown), rtl) in cycles {
                self.sampling.enter(input, output, unknown.spe, rtl);
            }
        }
        self.cycles += expected.len() as u64;
    }

    /// Enters the reads of a chunk. They come at random: first they are found without a branch, and then entered.
    fn enter_reads(
        &mut self,
        inputs: &[CycleInput],
        expected: &[CycleOutput],
        unknowns: &[Unknown],
    ) {
        let mut reads = [0; CHUNK];
        let mut count = 0;
        for (k, (input, output)) in inputs.iter().zip(expected).enumerate() {
            reads[count % CHUNK] = k as u8;
            count += usize::from(is_compared_read(input, output));
        }
        for &k in &reads[..count] {
            let k = usize::from(k);
            self.enter_read(&inputs[k], &expected[k], &unknowns[k]);
        }
    }

    /// Enters what is UNKNOWN in a chunk, mostly nothing, whose outputs come after `before`: what is not compared in a cycle
    /// does not count as changed in it.
    fn enter_unknowns(
        &mut self,
        unknowns: &[Unknown],
        expected: &[CycleOutput],
        mut before: CycleOutput,
    ) {
        let is_unknown = |unknown: &Unknown| unknown.increments != 0 || unknown.spe;
        if !unknowns.iter().any(is_unknown) {
            return;
        }
        for (unknown, output) in unknowns.iter().zip(expected) {
            self.enter_unknown(unknown.increments, &before, output);
            if unknown.spe {
                self.unknown_spe += 1;
                let mut changes = RestChanges::default();
                changes.enter(Rest::of(&before), Rest::of(output));
                for &output in in_rest().filter(|output| is_of_sampling(output)) {
                    self.changed_whole[output as usize] -= changes.of(output.field());
                }
            }
            before = *output;
        }
    }

    fn enter_read(&mut self, input: &CycleInput, output: &CycleOutput, unknown: &Unknown) {
        let view = usize::from(input.access_kind >> 1) % VIEWS.len();
        let reads = &mut self.reads[view * ADDRESSES + usize::from(input.access_address)];
        reads.compared += 1;
        reads.unknown += u64::from(unknown.access_data != 0);
        reads.changed += u64::from(unknown.access_data == 0 && reads.last != output.access_data);
        reads.last = output.access_data;
    }

    fn enter_unknown(&mut self, mut increments: u32, before: &CycleOutput, output: &CycleOutput) {
        while increments != 0 {
            let n = increments.trailing_zeros() as usize;
            self.unknown[n] += 1;
            self.changed[n] -= u64::from(before.increment[n] != output.increment[n]);
            increments &= increments - 1;
        }
    }

    /// The tallies, in the order of the contract; registers that were never read are left out.
    pub fn fields(&self) -> Vec<FieldTally> {
        let lane = |n: usize, field: String| {
            let counts = [self.cycles, self.unknown[n], self.accepted.of_lane(n)];
            tally(field, counts, self.changed[n])
        };
        let mut fields = Vec::new();
        if self.has_increments {
            let counters = 0..usize::from(self.counters);
            fields.extend(counters.map(|n| lane(n, format!("V[{n}]"))));
            fields.push(lane(CYCLE_COUNTER, "PMCCNTR increment".into()));
        }
        let mut whole: Vec<_> = in_rest()
            .filter(|output| self.has_spe || !is_of_sampling(output))
            .collect();
        whole.sort_by_key(|output| output.field().byte);
        fields.extend(whole.into_iter().map(|output| {
            let not_compared = match is_of_sampling(output) {
                true => self.unknown_spe,
                false => 0,
            };
            let counts = [self.cycles, not_compared, self.accepted.of_output(*output)];
            let changed = self.changed_whole[*output as usize];
            tally(output.name().into(), counts, changed)
        }));
        let addresses = self.registers.iter().map(|register| register.address());
        fields.extend(self.read_in(AccessKind::Read, addresses));
        fields.extend(self.read_in(AccessKind::Read32, 0..=u16::MAX));
        let (named, others): (Vec<_>, Vec<_>) = self
            .read_in(AccessKind::ExternalRead, 0..=u16::MAX)
            .partition(|tally| !tally.field.starts_with("offset"));
        fields.extend(named);
        // RAZ/WI (DUT-37).
        fields.extend(others.into_iter().reduce(|sum, other| FieldTally {
            field: OTHER_OFFSETS.into(),
            compared: sum.compared + other.compared,
            not_compared: sum.not_compared + other.not_compared,
            changed: sum.changed + other.changed,
        }));
        fields
    }

    /// What was read by `kind` at some of `addresses`.
    fn read_in(
        &self,
        kind: AccessKind,
        addresses: impl Iterator<Item = u16>,
    ) -> impl Iterator<Item = FieldTally> {
        let view = VIEWS.iter().position(|&view| view == kind).unwrap_or(0);
        let reads = &self.reads[view * ADDRESSES..][..ADDRESSES];
        addresses
            .map(move |address| (address, reads[usize::from(address)]))
            .filter(|(_, reads)| reads.compared > 0)
            .map(move |(address, reads)| {
                let field = access_name(&CycleInput {
                    access_kind: kind as u8,
                    access_address: address,
                    ..CycleInput::default()
                });
                let accepted = self.accepted.of_read(kind, address);
                let counts = [reads.compared, reads.unknown, accepted];
                tally(field, counts, reads.changed)
            })
    }

    /// Names of those of its `fields` that were compared and never changed, but for registers that read as zero always.
    pub fn never_changed(&self, fields: &[FieldTally]) -> Vec<String> {
        let raz: HashSet<&String> = self.raz.iter().collect();
        fields
            .iter()
            .filter(|tally| tally.compared > 0 && tally.changed == 0)
            .map(|tally| &tally.field)
            .filter(|&name| name != OTHER_OFFSETS && !raz.contains(name))
            .cloned()
            .collect()
    }

    /// Registers of the design that were never read.
    pub fn never_read(&self) -> Vec<String> {
        self.registers
            .iter()
            // Without event counters it is UNDEFINED whatever PMSELR_EL0 says.
            .filter(|&&register| self.counters > 0 || register != SysReg::Pmxevcntr)
            .filter(|&&register| self.has_indirect || !register.is_indirect())
            .filter(|register| self.reads[usize::from(register.address())].compared == 0)
            .map(|register| register.to_string())
            .collect()
    }

    /// What a design of this kind could have shown and never did, in words, as far as the outputs tell: a run that
    /// agrees says nothing of it.
    pub fn never_seen(&self) -> Vec<&'static str> {
        let changed_reads = |registers: &[SysReg]| {
            let is_one = |address: &u16| {
                SysReg::from_address(*address).is_some_and(|found| registers.contains(&found))
            };
            let addresses = (0..=u16::MAX).filter(is_one);
            self.read_in(AccessKind::Read, addresses)
                .any(|tally| tally.changed > 0)
        };
        let event_counters = usize::from(self.counters);
        let counters: Vec<_> = (0..self.counters).filter_map(SysReg::pmevcntr).collect();
        let flags = [SysReg::Pmovsclr, SysReg::Pmovsset];
        let system = self.registers.contains(&SysReg::Spmovsset);
        let system_flags = [SysReg::Spmovsclr, SysReg::Spmovsset];
        let sampling = self.sampling.summary();
        let counts = self.changed[..event_counters]
            .iter()
            .any(|&changed| changed > 0);
        let could = |is: bool, seen: bool, words: &'static str| (is && !seen).then_some(words);
        [
            could(
                self.has_increments && event_counters > 0,
                counts,
                "an increment of an event counter",
            ),
            could(
                event_counters > 0,
                changed_reads(&counters),
                "an event counter that is read and not zero",
            ),
            could(
                true,
                changed_reads(&flags),
                "an overflow flag that is read and set",
            ),
            could(
                !self.absent.contains(&ACCESS_RULES),
                self.changed_whole[Output::TrapIss as usize] > 0,
                "a trapped access",
            ),
            could(self.has_spe, sampling.selections > 0, "a sampled operation"),
            could(self.has_spe, sampling.collisions > 0, "a sample collision"),
            could(
                system,
                changed_reads(&system_flags),
                "an overflow flag of a System PMU that is read and set",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Accepts the differences of `waivers` from here on.
    pub fn accept(&mut self, waivers: Waivers) {
        self.accepted = Accepted::new(&waivers);
        self.waivers = waivers;
    }

    /// Adds how often the waivers were needed in another run, of the same design from another initial state: they are not
    /// needless then.
    pub(super) fn credit(&mut self, other: &Self) {
        self.waivers.credit(&other.waivers);
    }

    /// The differences that are accepted, and how often they were.
    pub fn waivers(&self) -> &Waivers {
        &self.waivers
    }

    /// See [`Ledger::waivers`].
    pub fn waivers_mut(&mut self) -> &mut Waivers {
        &mut self.waivers
    }

    /// What the design does not have, and so nothing was compared of, in words.
    pub fn absent(&self) -> &[&'static str] {
        &self.absent
    }

    /// Statistics of sampling, if the design samples.
    pub fn sampling(&self) -> Option<SamplingSummary> {
        self.has_spe.then(|| self.sampling.summary())
    }

    /// The sum over all fields.
    pub fn total(&self) -> Compared {
        self.fields()
            .iter()
            .fold(Compared::default(), |sum, field| Compared {
                compared: sum.compared + field.compared,
                not_compared: sum.not_compared + field.not_compared,
            })
    }
}

/// The tally of a field that was there so often, was UNKNOWN so often, and was accepted whatever it was by waivers.
fn tally(field: String, [all, unknown, accepted]: [u64; 3], changed: u64) -> FieldTally {
    let compared = all - unknown - accepted;
    FieldTally {
        field,
        compared,
        not_compared: unknown + accepted,
        changed: changed.min(compared),
    }
}

/// Outputs whose changes are to be entered.
struct EnterChanges<'a> {
    ledger: &'a mut Ledger,
    expected: &'a [CycleOutput],
}

impl pulp::WithSimd for EnterChanges<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) {
        let ledger = self.ledger;
        for chunk in self.expected.chunks(CHUNK) {
            let mut counts = [0u16; COUNTER_LANES];
            let mut rest = RestChanges::default();
            for part in 0..COUNTER_LANES / S::U16_LANES {
                let of = |output: &CycleOutput| S::as_simd_u16s(&output.increment).0[part];
                let mut last = of(&ledger.last);
                let mut last_rest = Rest::of(&ledger.last);
                let mut count = simd.splat_u16s(0);
                for output in chunk {
                    let now = of(output);
                    let changed = simd.min_u16s(simd.xor_u16s(last, now), simd.splat_u16s(1));
                    count = simd.add_u16s(count, changed);
                    last = now;
                    // In the same loop: one of its own is made of vectors that are gathered word by word.
                    if part == 0 {
                        let now = Rest::of(output);
                        rest.enter(last_rest, now);
                        last_rest = now;
                    }
                }
                S::as_mut_simd_u16s(&mut counts).0[part] = count;
            }
            for (total, count) in ledger.changed.iter_mut().zip(counts) {
                *total += u64::from(count);
            }
            for &output in in_rest() {
                ledger.changed_whole[output as usize] += rest.of(output.field());
            }
            ledger.last = *chunk.last().unwrap_or(&ledger.last);
        }
    }
}

/// The outputs in [`REST`]: what a read returned is entered with its register.
pub(super) fn in_rest() -> impl Iterator<Item = &'static Output> {
    Output::ALL
        .iter()
        .filter(|&&output| output != Output::AccessData)
}

pub(super) fn is_of_sampling(output: &Output) -> bool {
    output.field().group == Group::Sampling
}

/// Whether what the access returns is compared: the codes of reads are odd. There is no branch in it.
pub(super) fn is_compared_read(input: &CycleInput, output: &CycleOutput) -> bool {
    input.access_kind & u8::from(output.access_outcome == AccessOutcome::Ok as u8) & 1 == 1
}

/// Names of the fields that are zero whatever is selected and written.
fn read_as_zero(implementation: &Implementation) -> Vec<String> {
    let mut names = without_counters(implementation);
    names.extend(halves_without_counters(implementation));
    let pmu = &implementation.pmu;
    if pmu.pmmir == 0 && !pmu.edge && implementation.thwidth() == 0 {
        names.push(SysReg::Pmmir.to_string());
    }
    if !implementation.wrapper.pe_state {
        // Nothing is trapped.
        names.push(Output::TrapIss.name().into());
    }
    names
}

/// DUT-37: the halves of types, from outside the PE, of counters that are not implemented, and those of others in which
/// nothing is.
fn halves_without_counters(implementation: &Implementation) -> impl Iterator<Item = String> {
    let present = [0, 1].map(|n| present_mask(n, implementation));
    let counters = implementation.pmu.counters;
    (0..31u16).flat_map(move |n| {
        let present = match n < u16::from(counters) {
            true => present[usize::from(n % 2)],
            false => 0,
        };
        let halves = [
            (0x400 + 4 * n, present as u32),
            (0xA00 + 4 * n, (present >> 32) as u32),
        ];
        halves
            .into_iter()
            .filter(|(_, present)| *present == 0)
            .map(|(access_address, _)| {
                access_name(&CycleInput {
                    access_kind: AccessKind::ExternalRead as u8,
                    access_address,
                    ..CycleInput::default()
                })
            })
    })
}

/// SPMU-16: registers through which no bank of any System PMU has a counter.
fn without_counters(implementation: &Implementation) -> Vec<String> {
    let counters = implementation
        .system_pmu
        .iter()
        .fold(0, |mask, pmu| mask | pmu.implemented_counters());
    let reached = |n: Number<0, 15>| {
        (0..64).any(|index| counters >> index & 1 == 1 && n == bank_and_register(index).1)
    };
    Number::all()
        .filter(|&n| !reached(n))
        .flat_map(|n| {
            [
                SysReg::Spmevcntr(n),
                SysReg::Spmevtyper(n),
                SysReg::Spmevfiltr(n),
                SysReg::Spmevfilt2r(n),
            ]
        })
        .map(|register| register.to_string())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spmu_16_registers_without_counters_cannot_change() {
        let registers = without_counters(&Implementation::default());
        let first = ["SPMEVCNTR14_EL0", "SPMEVTYPER14_EL0", "SPMEVFILTR14_EL0"];
        assert_eq!(registers[..3], first);
        assert_eq!(registers.len(), 8);
    }

    #[test]
    fn dut_37_halves_of_types_without_a_counter_read_as_zero() {
        let mut implementation = Implementation::default();
        assert_eq!(halves_without_counters(&implementation).next(), None);
        implementation.pmu.counters = 5;
        let names: Vec<_> = halves_without_counters(&implementation).collect();
        assert_eq!(names.len(), 2 * 26);
        assert_eq!(names[0], "PMEVTYPER5_EL0[31:0] (external)");
        assert_eq!(names[51], "PMEVTYPER30_EL0[63:32] (external)");
        // They are not told as fields that never changed, and others are.
        let mut ledger = Ledger::new(&implementation);
        for offset in [0x400 + 4 * 5, 0x400 + 4 * 4] {
            let input = CycleInput {
                access_kind: AccessKind::ExternalRead as u8,
                access_address: offset,
                ..CycleInput::default()
            };
            let output = CycleOutput {
                access_outcome: AccessOutcome::Ok as u8,
                ..CycleOutput::default()
            };
            let unknown = [Unknown::default()];
            ledger.enter(0, &[input], &[input], &[output], &unknown, &[output]);
        }
        let never = ledger.never_changed(&ledger.fields());
        let external: Vec<_> = never
            .iter()
            .filter(|name| name.ends_with("(external)"))
            .collect();
        assert_eq!(external, ["PMEVTYPER4_EL0[31:0] (external)"]);
    }

    #[test]
    fn dut_72_what_is_always_zero_cannot_change() {
        let mut implementation = Implementation::default();
        let always = |implementation: &Implementation| {
            let names = read_as_zero(implementation);
            [Output::TrapIss.name(), "PMMIR_EL1"]
                .map(|name| names.iter().any(|other| other == name))
        };
        assert_eq!(always(&implementation), [false, false]);
        implementation.wrapper.pe_state = false;
        (
            implementation.pmu.th,
            implementation.pmu.edge,
            implementation.pmu.th2,
        ) = (false, false, false);
        implementation.pmu.pmmir = 0;
        assert_eq!(always(&implementation), [true, true]);
    }

    /// What is UNKNOWN in a cycle is neither compared nor changed in it, whatever the model has there.
    #[test]
    fn what_is_not_compared_has_not_changed() {
        let mut ledger = Ledger::new(&Implementation::default());
        let cycles = 3 * CHUNK + 7;
        let mut expected = vec![CycleOutput::default(); cycles];
        let mut unknowns = vec![Unknown::default(); cycles];
        for (cycle, output) in expected.iter_mut().enumerate() {
            output.increment[5] = cycle as u16;
            output.pmsicr = cycle as u64;
            output.in_flight = cycle as u8;
        }
        for cycle in [0, 1, CHUNK - 1, CHUNK, 2 * CHUNK + 3] {
            unknowns[cycle].spe = true;
            unknowns[cycle].increments = 1 << 5;
        }
        let inputs = vec![CycleInput::default(); cycles];
        ledger.enter(0, &inputs, &inputs, &expected, &unknowns, &expected);
        let fields = ledger.fields();
        let of = |name: &str| {
            let tally = fields.iter().find(|tally| tally.field == name);
            tally.map(|tally| (tally.compared, tally.not_compared, tally.changed))
        };
        // The first cycle has what was before.
        let counts = Some((cycles as u64 - 5, 5, cycles as u64 - 5));
        assert_eq!(of("V[5]"), counts);
        assert_eq!(of("PMSICR_EL1 after the cycle"), counts);
        assert_eq!(of("samples in flight"), counts);
        assert_eq!(of("V[6]"), Some((cycles as u64, 0, 0)));
    }

    #[test]
    fn bytes_that_are_not_zero() {
        assert_eq!(nonzero_bytes(0), 0);
        assert_eq!(
            nonzero_bytes(0x80_01_00_7F_FF_00_00_40),
            0x01_01_00_01_01_00_00_01
        );
        assert_eq!(nonzero_bytes(u64::MAX), 0x0101_0101_0101_0101);
    }

    #[test]
    fn changes_of_group_spe_are_counted_by_field() {
        let mut ledger = Ledger::new(&Implementation::default());
        let mut expected = vec![CycleOutput::default(); 1000];
        for (cycle, output) in expected.iter_mut().enumerate() {
            output.pmsicr = cycle as u64 / 2;
            output.in_flight = cycle as u8;
            output.random_byte = u8::from(cycle >= 700);
        }
        let inputs = vec![CycleInput::default(); 1000];
        let unknowns = vec![Unknown::default(); 1000];
        ledger.enter(0, &inputs, &inputs, &expected, &unknowns, &expected);
        let fields = ledger.fields();
        let changed = |name: &str| fields.iter().find(|f| f.field == name).map(|f| f.changed);
        assert_eq!(changed("PMSICR_EL1 after the cycle"), Some(499));
        assert_eq!(changed("samples in flight"), Some(999));
        assert_eq!(changed("random byte"), Some(1));
        assert_eq!(changed("collisions"), Some(0));
    }

    #[test]
    fn what_never_was_is_told() {
        let mut implementation = Implementation::default();
        let mut ledger = Ledger::new(&implementation);
        let all = [
            "an increment of an event counter",
            "an event counter that is read and not zero",
            "an overflow flag that is read and set",
            "a trapped access",
            "a sampled operation",
            "a sample collision",
            "an overflow flag of a System PMU that is read and set",
        ];
        assert_eq!(ledger.never_seen(), all);
        let mut enter = |input: CycleInput, data: u64, change: fn(&mut CycleOutput)| {
            let mut output = CycleOutput {
                access_outcome: AccessOutcome::Ok as u8,
                access_data: data,
                ..CycleOutput::default()
            };
            change(&mut output);
            ledger.enter(
                0,
                &[input],
                &[input],
                &[output],
                &[Unknown::default()],
                &[output],
            );
            ledger.never_seen()
        };
        // Flags that are clear show nothing.
        assert_eq!(enter(CycleInput::read(SysReg::Pmovsset), 0, |_| ()), all);
        assert_eq!(
            enter(CycleInput::default(), 0, |output| output.increment[3] = 1),
            all[1..]
        );
        assert_eq!(
            enter(
                CycleInput::read(SysReg::Pmevcntr(Number::at::<7>())),
                5,
                |_| ()
            ),
            all[2..]
        );
        assert_eq!(
            enter(CycleInput::read(SysReg::Pmovsclr), 4, |_| ()),
            all[3..]
        );
        assert_eq!(
            enter(CycleInput::default(), 0, |output| output.trap_iss = 9),
            all[4..]
        );
        assert_eq!(
            enter(CycleInput::default(), 0, |output| output.selected = 2),
            all[5..]
        );
        let collided = |output: &mut CycleOutput| (output.selected, output.collided) = (1, 1);
        assert_eq!(enter(CycleInput::default(), 0, collided), all[6..]);
        assert_eq!(
            enter(CycleInput::read(SysReg::Spmovsset), 1, |_| ()),
            [""; 0]
        );
        // What a design does not have, it cannot show.
        implementation.pmu.counters = 0;
        implementation.spe.implemented = false;
        implementation.system_pmu.clear();
        implementation.wrapper.pe_state = false;
        let ledger = Ledger::new(&implementation);
        assert_eq!(
            ledger.never_seen(),
            ["an overflow flag that is read and set"]
        );
    }

    #[test]
    fn tells_compared_unknown_and_changed_apart() {
        let mut implementation = Implementation::default();
        implementation.pmu.counters = 2;
        let mut ledger = Ledger::new(&implementation);
        let inputs = [CycleInput::read(SysReg::Pmselr), CycleInput::default()];
        let mut expected = [CycleOutput::default(); 2];
        expected[0].access_outcome = AccessOutcome::Ok as u8;
        expected[0].access_data = 7;
        expected[1].increment[1] = 3;
        let unknowns = [
            Unknown::default(),
            Unknown {
                access_data: 0,
                increments: 1,
                spe: true,
            },
        ];
        ledger.enter(0, &inputs, &inputs, &expected, &unknowns, &expected);
        let fields = ledger.fields();
        let find = |name: &str| fields.iter().find(|field| field.field == name).unwrap();
        assert_eq!((find("V[0]").compared, find("V[0]").not_compared), (1, 1));
        assert_eq!((find("V[1]").compared, find("V[1]").changed), (2, 1));
        assert_eq!(find("access outcome").changed, 2);
        assert_eq!(
            (find("PMSELR_EL0").compared, find("PMSELR_EL0").changed),
            (1, 1)
        );
        let spe = find("operations selected");
        assert_eq!((spe.compared, spe.not_compared), (1, 1));
        assert!(ledger.never_read().contains(&"PMCR_EL0".to_owned()));
        assert_eq!(
            ledger.total(),
            Compared {
                compared: 2 + 1 + 2 + 2 + 2 + 1 + 8,
                not_compared: 1 + 8
            }
        );
    }
}
