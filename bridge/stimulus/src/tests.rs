//! Tests of generator, files and the two behind one type.

use std::fs;
use std::path::Path;

use bytemuck::Zeroable;
use pmu_model::{CycleInput, Implementation, SysReg};
use tempfile::TempDir;

use super::*;

fn implementation(change: impl FnOnce(&mut Implementation)) -> Implementation {
    let mut implementation = Implementation::default();
    change(&mut implementation);
    implementation.validate().unwrap();
    implementation
}

fn small() -> Implementation {
    implementation(|i| {
        i.pmu.counters = 6;
        i.pmu.event_count = 16;
        i.pmu.event_width = 8;
        i.pmu.thwidth = 5;
        i.pmu.counter_bits = 32;
        i.pmu.pmuv3p1 = false;
    })
}

fn bare() -> Implementation {
    implementation(|i| {
        i.pmu.counters = 1;
        i.pmu.event_count = 1;
        i.pmu.event_width = 1;
        (i.pmu.th, i.pmu.edge, i.pmu.th2, i.pmu.chain) = (false, false, false, false);
    })
}

fn no_counters() -> Implementation {
    implementation(|i| i.pmu.counters = 0)
}

fn generator(seed: u64, implementation: &Implementation) -> Generator {
    Generator::new(seed, implementation, &Profile::default()).unwrap()
}

fn cycles(seed: u64, implementation: &Implementation, count: usize) -> Vec<CycleInput> {
    let mut cycles = vec![CycleInput::zeroed(); count];
    generator(seed, implementation).fill(&mut cycles);
    cycles
}

fn hash(cycles: &[CycleInput]) -> StimulusHash {
    let mut hasher = StimulusHasher::default();
    hasher.update(cycles);
    hasher.hash()
}

/// Generator version 4 makes these bytes for ever. If this test fails, either undo the change, or raise
/// GENERATOR_VERSION and say in docs/stimulus.md what is different.
#[test]
fn the_bytes_of_generator_version_4() {
    let default = Implementation::default();
    let other = implementation(|i| {
        (i.pe.el3, i.pe.sel2, i.pe.rme, i.pe.sme) = (false, false, false, false);
        (i.threads.count, i.threads.form) = (3, pmu_model::implementation::ThreadForm::SoEmt);
        i.spe.ernd = false;
        i.system_pmu.truncate(1);
    });
    let golden = [
        (0, "mixed", &default, "dcf5e2629feda9c92012ec31cc1f716e"),
        (1, "mixed", &default, "ba8f3cd2e5d7fde84e117faaba3c0b1a"),
        (
            u64::MAX,
            "mixed",
            &default,
            "c6eefd9f818afcdc0addccc6a18a2e06",
        ),
        (1, "mixed", &small(), "dde222db48093827b6f5cc46685719ad"),
        (1, "mixed", &bare(), "af69799aaec2319719605e64cb3fc134"),
        (
            1,
            "mixed",
            &no_counters(),
            "c4687a891979bbce999bd5502f7f8249",
        ),
        (1, "mixed", &other, "5dfe40522884f6a520146ffe2be9430c"),
        (1, "threshold", &default, "ad67c85e21a9402856ac7205e867362e"),
        (1, "spe", &default, "b8ceb37d27993f079a54eaa252769593"),
        (1, "access", &default, "ce1e507b280728121aaef0eb2e1d0903"),
        (1, "cycles", &default, "6b0feb58fb474705b444945bf1c3cc9b"),
        (1, "spmu", &default, "3a239130d35482cc517b02785bdd3574"),
    ];
    let found = golden.map(|(seed, profile, implementation, _)| {
        let profile = Profile::named(profile).unwrap();
        let mut generator = Generator::new(seed, implementation, &profile).unwrap();
        let mut cycles = vec![CycleInput::zeroed(); 50_000];
        generator.fill(&mut cycles);
        hash(&cycles).to_string()
    });
    assert_eq!(
        found.each_ref().map(String::as_str),
        golden.map(|(_, _, _, hash)| hash)
    );
    assert_eq!(GENERATOR_VERSION, 4);
}

#[test]
fn batches_do_not_change_the_bytes() {
    let whole = cycles(7, &Implementation::default(), 20_000);
    let mut generator = generator(7, &Implementation::default());
    let mut pieces = vec![CycleInput::zeroed(); whole.len()];
    let mut from = 0;
    for length in (0..).map(|i: usize| i * i % 97) {
        let to = (from + length).min(pieces.len());
        generator.fill(&mut pieces[from..to]);
        from = to;
        if from == pieces.len() {
            break;
        }
    }
    assert_eq!(generator.cycle(), 20_000);
    assert!(pieces == whole);
}

#[test]
fn every_cycle_is_one_that_the_contract_allows() {
    for counters in [0, 1, 2, 6, 8, 31] {
        for (width, count, threshold) in [(1, 1, 1), (8, 31, 12), (16, 64, 4)] {
            let implementation = implementation(|i| {
                i.pmu.counters = counters;
                i.pmu.event_width = width;
                i.pmu.event_count = count;
                i.pmu.thwidth = threshold;
            });
            let cycles = cycles(3, &implementation, 20_000);
            ContractCheck::new(&implementation).check(&cycles).unwrap();
            let registers = SysReg::of_counters(counters).filter(|register| {
                let read =
                    |c: &CycleInput| c.access_kind == 1 && c.access_address == register.address();
                cycles.iter().any(read)
            });
            assert_eq!(registers.count(), SysReg::of_counters(counters).count());
        }
    }
}

#[test]
fn another_implementation_of_threshold_gets_its_own_reserved_encodings() {
    for change in [
        |i: &mut Implementation| i.pmu.th2 = false,
        |i: &mut Implementation| (i.pmu.th2, i.pmu.edge) = (false, false),
        |i: &mut Implementation| i.knobs.layout = pmu_model::implementation::Layout::Year2021,
    ] {
        let implementation = implementation(change);
        let mut model = pmu_model::Model::new(&implementation).unwrap();
        let cycles = cycles(5, &implementation, 100_000);
        let unknown: u32 = cycles
            .iter()
            .map(|input| model.step_simple(input).1.increments.count_ones())
            .sum();
        assert!(unknown < 10_000, "{unknown} increments UNKNOWN");
    }
}

#[test]
fn a_checkpoint_brings_the_same_cycles_again() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.stim");
    record(&path, 3_000);
    let recorded = Stimulus::from(Reader::open(&path).unwrap());
    for mut stimulus in [generator(1, &small()).into(), recorded] {
        let mut skipped = vec![CycleInput::zeroed(); 1_500];
        stimulus.fill(&mut skipped).unwrap();
        let checkpoint = stimulus.checkpoint();
        assert_eq!(checkpoint.cycle(), 1_500);
        let mut first = vec![CycleInput::zeroed(); 1_000];
        stimulus.fill(&mut first).unwrap();
        stimulus.restore(&checkpoint).unwrap();
        assert_eq!(stimulus.cycle(), 1_500);
        let mut second = vec![CycleInput::zeroed(); 1_000];
        stimulus.fill(&mut second).unwrap();
        assert!(first == second);
        assert_eq!(stimulus.seed(), Some(1));
    }
}

#[test]
fn a_checkpoint_is_of_its_cycle_wherever_the_generator_was_saved() {
    let mut whole = vec![CycleInput::zeroed(); 12_000];
    generator(1, &small()).fill(&mut whole);
    let mut stimulus = Stimulus::from(generator(1, &small()));
    let mut piece = vec![CycleInput::zeroed(); 300];
    let checkpoints: Vec<_> = (0..30)
        .map(|_| {
            let checkpoint = stimulus.checkpoint();
            stimulus.fill(&mut piece).unwrap();
            checkpoint
        })
        .collect();
    for (index, checkpoint) in checkpoints.iter().enumerate().rev() {
        let start = 300 * index;
        assert_eq!(checkpoint.cycle(), start as u64);
        stimulus.restore(checkpoint).unwrap();
        assert_eq!(stimulus.cycle(), start as u64);
        // One that is taken after that, as well.
        let again = stimulus.checkpoint();
        for checkpoint in [checkpoint, &again] {
            stimulus.restore(checkpoint).unwrap();
            stimulus.fill(&mut piece).unwrap();
            assert!(piece == whole[start..][..300], "from cycle {start}");
        }
    }
}

#[test]
fn a_checkpoint_of_another_kind_is_refused() {
    let mut stimulus = Stimulus::from(generator(1, &small()));
    let error = stimulus
        .restore(&Checkpoint::Recorded(0))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("seed 1, generator version 4: expected a checkpoint of this"),
        "{error}"
    );
}

fn record(path: &Path, count: usize) -> Header {
    let generator = generator(1, &small());
    let mut writer = Writer::create(path, &small(), Some(Origin::of(&generator))).unwrap();
    for piece in cycles(1, &small(), count).chunks(700) {
        writer.append(piece).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn a_file_comes_back_as_it_was_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.stim");
    for count in [0, 1, 1_023, 1_024, 1_025, 5_000] {
        let written = record(&path, count);
        let mut reader = Reader::open(&path).unwrap();
        assert_eq!(*reader.header(), written);
        assert_eq!(reader.header().implementation, small());
        let expected = cycles(1, &small(), count);
        assert_eq!(reader.header().hash, hash(&expected));
        reader.verify().unwrap();
        let mut found = vec![CycleInput::zeroed(); count + 1];
        assert_eq!(reader.fill(&mut found).unwrap(), count);
        assert!(found[..count] == expected);
        assert_eq!(reader.fill(&mut found).unwrap(), 0);
        // A clone goes its own way.
        let mut clone = reader.clone();
        clone.seek(count as u64 / 2).unwrap();
        assert_eq!(clone.fill(&mut found).unwrap(), count - count / 2);
        assert!(found[..count - count / 2] == expected[count / 2..]);
        assert_eq!(reader.cycle(), count as u64);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_offsets_of_the_documentation() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.stim");
    let header = record(&path, 1_500);
    let bytes = fs::read(&path).unwrap();
    let number = |at: usize, length: usize| {
        bytes[at..at + length]
            .iter()
            .rev()
            .fold(0u64, |n, &byte| n << 8 | u64::from(byte))
    };
    assert_eq!(&bytes[..8], b"PMUSTIM\n");
    assert_eq!([8, 10, 12, 14].map(|at| number(at, 2)), [1, 2, 2, 4]);
    assert_eq!((number(16, 8), number(24, 8)), (1, 1_500));
    let hex: String = bytes[32..48]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(hex, header.hash.to_string());
    assert_eq!((number(48, 4), number(60, 4)), (1024, 0));
    let (implementation, profile) = (number(52, 4) as usize, number(56, 4) as usize);
    assert!(bytes[72..72 + implementation].starts_with(b"name = \"default\""));
    let body = (72 + implementation + profile).next_multiple_of(16);
    assert_eq!(bytes.len(), body + 1_500 * 192 + 2 * 8);
    assert_eq!(bytes[body + 143], 1);
    let second = xxhash_rust::xxh3::xxh3_64(&bytes[body + 1024 * 192..body + 1500 * 192]);
    assert_eq!(number(bytes.len() - 8, 8), second);
}

#[test]
fn a_file_of_an_older_generator_is_read() {
    let mut bytes = good();
    // Its profile had no area audit.
    let texts = String::from_utf8_lossy(&bytes[72..]).into_owned();
    assert!(texts.contains("audit = 20"), "{texts:.2000}");
    bytes = forged(bytes, 14, 3);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.stim");
    fs::write(&path, &bytes).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    let origin = reader.header().origin.clone().unwrap();
    assert_eq!(
        (origin.generator_version, origin.profile.areas.audit),
        (3, 0)
    );
    reader.verify().unwrap();
    let mut found = vec![CycleInput::zeroed(); 2_000];
    assert_eq!(reader.fill(&mut found).unwrap(), 2_000);
    assert!(found == cycles(1, &small(), 2_000));
}

/// The message of opening, and if that succeeds of reading, a file of these bytes.
fn message(bytes: &[u8]) -> String {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("bad.stim");
    fs::write(&path, bytes).unwrap();
    let error = match Reader::open(&path) {
        Err(error) => error,
        Ok(reader) => reader.verify().unwrap_err(),
    };
    error
        .to_string()
        .replace(&*path.to_string_lossy(), "bad.stim")
}

fn good() -> Vec<u8> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.stim");
    record(&path, 2_000);
    fs::read(path).unwrap()
}

fn body(bytes: &[u8]) -> usize {
    bytes.len() - 2_000 * 192 - 2 * 8
}

/// The bytes with one changed, and the checksum of what it is in made to fit.
fn forged(mut bytes: Vec<u8>, at: usize, value: u8) -> Vec<u8> {
    bytes[at] = value;
    let body = body(&bytes);
    if at < body {
        let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let end = 72 + u32_at(52) + u32_at(56);
        let checksum = xxhash_rust::xxh3::xxh3_64(&[&bytes[..64], &bytes[72..end]].concat());
        bytes[64..72].copy_from_slice(&checksum.to_le_bytes());
    } else {
        let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[body..body + 1024 * 192]);
        let at = bytes.len() - 16;
        bytes[at..at + 8].copy_from_slice(&checksum.to_le_bytes());
    }
    bytes
}

#[test]
fn foreign_files() {
    assert_eq!(
        message(b"$timescale 1ns $end\n"),
        "[stimulus] bad.stim: expected a stimulus file, which begins with \"PMUSTIM\\n\", found \"$timesca\"; \
         name a file made by `lockstep`, or give a seed instead"
    );
    assert!(message(b"").contains("found an empty file"));
    assert!(message(b"\x7fELF\x02\x01\x01\x00").contains("found \"\\x7fELF\\x02\\x01\\x01\\x00\""));
}

#[test]
fn other_versions() {
    assert_eq!(
        message(&forged(good(), 8, 2)),
        "[stimulus] bad.stim: expected file format version 1, found 2; read it with the version of lockstep that made it"
    );
    assert!(
        message(&forged(good(), 10, 9))
            .contains("expected layout version 2, found 9; make it again")
    );
    assert!(message(&forged(good(), 12, 9)).contains("expected contract version 2, found 9"));
}

#[test]
fn truncated_files() {
    let bytes = good();
    let body = body(&bytes);
    let length = bytes.len();
    assert_eq!(
        message(&bytes[..body + 192 * 700 + 20]),
        format!(
            "[stimulus] bad.stim: expected 2000 cycles in {length} bytes, found 700 complete cycles in {} bytes; \
             the file is truncated, make or copy it again",
            body + 192 * 700 + 20
        )
    );
    assert!(message(&bytes[..length - 1]).contains("found 2000 complete cycles"));
    assert!(message(&bytes[..40]).contains("expected at least 72 bytes, found 40 bytes"));
    assert!(message(&bytes[..100]).contains("found 28 of"));
    let longer = [&bytes[..], b"more"].concat();
    assert!(message(&longer).contains("the file is too long"));
}

#[test]
fn damaged_files() {
    let change = |at: usize| {
        let mut bytes = good();
        bytes[at] ^= 1;
        bytes
    };
    assert!(message(&change(16)).contains("header: expected a checksum that fits, found "));
    assert!(message(&change(80)).contains("header: expected a checksum that fits, found "));
    let at = body(&good());
    assert!(message(&change(at + 192 * 5)).contains("cycles 0 to 1023: expected checksum "));
    assert!(message(&change(at + 192 * 1500)).contains("cycles 1024 to 1999: expected checksum "));
    assert!(message(&forged(good(), at, !good()[at])).contains("expected content hash "));
    assert!(
        message(&forged(good(), 49, 9))
            .contains("expected chunks of 1024 cycles, found chunks of ")
    );
    assert!(
        message(&forged(good(), 74, b'z'))
            .contains("header: expected an implementation that this version knows")
    );
}

#[test]
fn cycles_that_the_contract_forbids() {
    let at = body(&good());
    assert_eq!(
        message(&forged(good(), at + 192 * 7 + 142, 7)),
        "[stimulus] bad.stim: cycle 7: access_kind: expected 0 to 6, found 7 (DUT-80, dut-contract 2); the contract never \
         drives it, so that a difference after it says nothing about the design: correct the program that made it, \
         `lockstep stimulus check` lists all of it"
    );
    for (cycle, offset, value, expected) in [
        (0, 143, 0, "cycle 0: reset: expected 1 in the first cycle"),
        (9, 143, 2, "cycle 9: reset: expected 0 to 1, found 2"),
        (5, 149, 0x40, "profiling: expected no bit outside of 0x3f"),
        (5, 154, 0x10, "controls: expected no bit outside of 0xfffff"),
        (5, 180, 0x20, "threads[1].state: expected no bit outside"),
        (5, 185, 0x80, "threads[2].conditions: expected no bit"),
    ] {
        let found = message(&forged(good(), at + 192 * cycle + offset, value));
        assert!(found.contains(expected), "{offset}: {found}");
    }
}

/// A cycle at EL2 in Root state, which no PE can be in.
fn with_root_at_el2(path: &Path) {
    record(path, 2_000);
    let mut bytes = fs::read(path).unwrap();
    let cycle = body(&bytes) + 192 * 700;
    for (offset, value) in [(142, 0), (143, 0), (144, 1), (145, 0), (152, 1), (153, 0)] {
        bytes[cycle + offset] = value;
    }
    fs::write(path, forged(bytes, cycle + 176, 0xE)).unwrap();
}

#[test]
fn dut_81_a_state_that_the_implementation_cannot_be_in() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.stim");
    with_root_at_el2(&path);
    let reader = Reader::open(&path).unwrap();
    let mut cycles = vec![CycleInput::zeroed(); 2_000];
    let error = reader.clone().fill(&mut cycles).unwrap_err().to_string();
    assert!(error.contains("cycle 700: threads[0].state: expected"));
    assert!(error.contains("found EL2 in Root state (0xe) (DUT-81, dut-contract 2)"));
    // A reader that comes to it from elsewhere, and one that is asked to look away.
    let mut behind = reader.clone();
    behind.seek(100).unwrap();
    assert!(behind.fill(&mut cycles[..10]).is_err());
    behind.seek(1_024).unwrap();
    assert_eq!(behind.fill(&mut cycles).unwrap(), 976);
    let mut unchecked = reader.unchecked();
    assert_eq!(unchecked.fill(&mut cycles).unwrap(), 2_000);
    assert_eq!(cycles[700].threads[0].state, 0xE);
}

#[test]
fn dut_72_a_file_for_a_design_that_lacks_something() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.stim");
    record(&path, 2_000);
    let mut other = small();
    other.wrapper.pe_state = false;
    let reader = Reader::open(&path).unwrap();
    reader.clone().verify().unwrap();
    let error = reader.for_design(&other).verify().unwrap_err().to_string();
    assert!(error.contains("DUT-72"), "{error}");
}

/// A file of layout 1, made by a version of this program that knew no other.
const LAYOUT_1: &[u8] = include_bytes!("../../../tests/stimulus/layout_1.stim");

#[test]
fn a_file_of_layout_1_is_read_and_widened_with_zeros() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.stim");
    fs::write(&path, LAYOUT_1).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    let header = reader.header();
    assert_eq!((header.layout, header.cycles), (Layout::One, 64));
    assert_eq!(header.hash.to_string(), "c84663a7042dee99e08296b59a074d64");
    assert_eq!(header.implementation.pmu.counters, 6);
    let origin = header.origin.as_ref().unwrap();
    assert_eq!((origin.generator_version, origin.seed), (1, 1));
    reader.verify().unwrap();
    let mut cycles = vec![CycleInput::zeroed(); 65];
    assert_eq!(reader.fill(&mut cycles).unwrap(), 64);
    let body = LAYOUT_1.len() - 64 * 144 - 8;
    for (cycle, narrow) in cycles.iter().zip(LAYOUT_1[body..].chunks_exact(144)) {
        let bytes = bytemuck::bytes_of(cycle);
        assert_eq!(bytes[..144], *narrow);
        assert_eq!(bytes[144..], [0; 48]);
    }
    // It is written again in the present layout, with what it was made from.
    let header = reader.header().clone();
    let again = folder.path().join("b.stim");
    let mut writer = Writer::create(&again, &header.implementation, header.origin.clone()).unwrap();
    writer.append(&cycles[..64]).unwrap();
    let written = writer.finish().unwrap();
    assert_eq!(
        (written.layout, written.origin),
        (Layout::Present, header.origin)
    );
    assert_eq!(written.hash, hash(&cycles[..64]));
}

/// The good file with its cycles cut to layout 1.
fn narrowed() -> Vec<u8> {
    let good = good();
    let body = body(&good);
    let narrow: Vec<u8> = good[body..body + 2_000 * 192]
        .chunks_exact(192)
        .flat_map(|cycle| cycle[..144].to_vec())
        .collect();
    let mut bytes = good[..body].to_vec();
    (bytes[10], bytes[12]) = (1, 1);
    bytes[32..48].copy_from_slice(&xxhash_rust::xxh3::xxh3_128(&narrow).to_be_bytes());
    let u32_at = |at: usize| u32::from_le_bytes(good[at..at + 4].try_into().unwrap()) as usize;
    let end = 72 + u32_at(52) + u32_at(56);
    let checksum = xxhash_rust::xxh3::xxh3_64(&[&bytes[..64], &bytes[72..end]].concat());
    bytes[64..72].copy_from_slice(&checksum.to_le_bytes());
    bytes.extend(&narrow);
    for chunk in narrow.chunks(1024 * 144) {
        bytes.extend(xxhash_rust::xxh3::xxh3_64(chunk).to_le_bytes());
    }
    bytes
}

#[test]
fn chunks_of_layout_1() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.stim");
    let bytes = narrowed();
    fs::write(&path, &bytes).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    reader.verify().unwrap();
    reader.seek(1_500).unwrap();
    let mut found = [CycleInput::zeroed(); 3];
    assert_eq!(reader.fill(&mut found).unwrap(), 3);
    let expected = cycles(1, &small(), 1_503);
    assert_eq!(found[2].event, expected[1_502].event);
    assert_eq!(found[2].controls, 0);
    assert!(message(&bytes[..bytes.len() - 2]).contains("found 2000 complete cycles"));
    let mut mixed_up = bytes;
    mixed_up[12] = 2;
    assert!(message(&mixed_up).contains("expected contract version 1, found 2"));
}

#[test]
fn a_missing_file_and_a_cycle_beyond_the_end() {
    let error = Reader::open(Path::new("missing.stim"))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("[stimulus] missing.stim: cannot be read: "),
        "{error}"
    );
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.stim");
    record(&path, 10);
    let error = Reader::open(&path)
        .unwrap()
        .seek(11)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("expected a cycle up to 10, found 11"),
        "{error}"
    );
}

#[test]
fn nothing_half_written_is_left() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.stim");
    let mut writer = Writer::create(&path, &small(), None).unwrap();
    writer.append(&cycles(1, &small(), 10)).unwrap();
    assert!(!path.exists());
    drop(writer);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    // A file that is there already stays as it is until the new one is complete.
    fs::write(&path, "old").unwrap();
    let mut writer = Writer::create(&path, &small(), None).unwrap();
    let error = writer
        .append(&[CycleInput::zeroed()])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("cycle 0: reset: expected 1 in the first cycle"),
        "{error}"
    );
    drop(writer);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
}

#[test]
fn folders_that_cannot_be_written_to() {
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("none").join("a.stim");
    let error = Writer::create(&missing, &small(), None)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("cannot be written") && error.contains("make the folder first"),
        "{error}"
    );
    let error = Writer::create(folder.path(), &small(), None)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("cannot be written: is a directory"),
        "{error}"
    );
}

#[test]
fn a_full_disk_is_told_as_such() {
    let error = StimulusError::Write {
        path: "a.stim".into(),
        source: std::io::ErrorKind::StorageFull.into(),
    };
    assert_eq!(
        error.to_string(),
        "[stimulus] a.stim: cannot be written: no storage space; free space there, or choose another folder; \
         no file was left there"
    );
}

#[test]
fn a_run_from_a_seed_has_the_hash_of_its_file() {
    let folder = TempDir::new().unwrap();
    let header = record(&folder.path().join("a.stim"), 4_000);
    let mut stimulus = Stimulus::from(generator(1, &small()));
    let mut hasher = StimulusHasher::default();
    let mut batch = vec![CycleInput::zeroed(); 800];
    for _ in 0..5 {
        stimulus.fill(&mut batch).unwrap();
        hasher.update(&batch);
    }
    assert_eq!(hasher.hash(), header.hash);
}

/// ETY-30: a design that has CHAIN, and states that it has none, is found out.
#[test]
fn ety_30_chain_is_written_where_it_is_not_implemented() {
    let without = implementation(|i| {
        i.pmu.event_count = 16;
        i.pmu.chain = false;
    });
    let mut with = without.clone();
    with.pmu.chain = true;
    let inputs = cycles(1, &without, 200_000);
    let outputs = [&without, &with].map(|implementation| {
        let mut model = pmu_model::Model::new(implementation).unwrap();
        let outputs = inputs
            .iter()
            .map(|input| model.step_simple(input).0.increment);
        outputs.collect::<Vec<_>>()
    });
    let differing = outputs[0].iter().zip(&outputs[1]).position(|(a, b)| a != b);
    assert!(
        differing.is_some_and(|cycle| cycle < 100_000),
        "{differing:?}"
    );
    // Where 0x001E is a lane, it is one among others.
    let lanes = implementation(|i| i.pmu.chain = false);
    let is_chain = |input: &&CycleInput| {
        let register = SysReg::from_address(input.access_address);
        let write = pmu_model::AccessKind::Write as u8;
        let is_type = matches!(register, Some(SysReg::Pmevtyper(_)));
        input.access_kind == write && is_type && input.access_data & 0xFFFF == 0x1E
    };
    let of = |implementation| {
        let all = cycles(1, implementation, 100_000);
        all.iter().filter(is_chain).count()
    };
    assert!(of(&without) > of(&lanes), "{} {}", of(&without), of(&lanes));
}
