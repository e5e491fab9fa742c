//! Stimulus files, as they are and with lengths and checksums that fit, so that what is behind those is read too. What
//! is accepted is written as it was read, and the model takes it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pmu_lockstep::stimulus::{CHUNK_CYCLES, Layout, MAGIC, Reader, Writer};
use pmu_lockstep_fuzz::file;
use pmu_model::{CycleInput, Model};
use twox_hash::{XxHash3_64, XxHash3_128};

/// Bytes of the header before its texts.
const FIXED: usize = 72;

/// The same file with magic, lengths, hash and checksums that fit the rest.
fn repaired(bytes: &[u8]) -> Vec<u8> {
    let mut file = bytes.to_vec();
    file.resize(bytes.len().max(FIXED), 0);
    let number = |file: &[u8], at: usize| {
        u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes")) as usize
    };
    let layout = if file[10] == 1 {
        Layout::One
    } else {
        Layout::Present
    };
    file[..8].copy_from_slice(MAGIC);
    file[8..10].copy_from_slice(&1_u16.to_le_bytes());
    for at in [10, 12] {
        file[at..at + 2].copy_from_slice(&layout.version().to_le_bytes());
    }
    file[48..52].copy_from_slice(&(CHUNK_CYCLES as u32).to_le_bytes());
    let rest = file.len() - FIXED;
    let implementation = number(&file, 52).min(rest);
    let profile = number(&file, 56).min(rest - implementation);
    for (at, length) in [(52, implementation), (56, profile)] {
        file[at..at + 4].copy_from_slice(&(length as u32).to_le_bytes());
    }
    let texts = FIXED + implementation + profile;
    let body = texts.next_multiple_of(16);
    file.resize(file.len().max(body), 0);
    let possible = (file.len() - body) / layout.cycle_bytes();
    let cycles = possible.min(number(&file, 24));
    file.truncate(body + cycles * layout.cycle_bytes());
    let hash = XxHash3_128::oneshot(&file[body..]);
    let chunks = file[body..].chunks(CHUNK_CYCLES * layout.cycle_bytes());
    let checksums: Vec<u8> = chunks
        .flat_map(|chunk| XxHash3_64::oneshot(chunk).to_le_bytes())
        .collect();
    file[24..32].copy_from_slice(&(cycles as u64).to_le_bytes());
    file[32..48].copy_from_slice(&hash.to_be_bytes());
    let checksum = XxHash3_64::oneshot(&[&file[..64], &file[FIXED..texts]].concat());
    file[64..72].copy_from_slice(&checksum.to_le_bytes());
    file.extend(checksums);
    file
}

fn read(bytes: &[u8]) {
    let path = file("fuzzed.stim", bytes);
    let Ok(mut reader) = Reader::open(&path) else {
        return;
    };
    let cycles = reader.header().cycles;
    assert_eq!(reader.path(), path);
    assert!(reader.seek(cycles + 1).is_err());
    let verified = reader.verify();
    let mut all = vec![CycleInput::default(); cycles as usize];
    // In steps that are not those of chunks.
    let mut done = 0;
    while done < all.len() {
        let end = all.len().min(done + 1000);
        match reader.fill(&mut all[done..end]) {
            Ok(filled) => done += filled,
            Err(_) => {
                assert!(verified.is_err());
                return;
            }
        }
    }
    assert_eq!(reader.cycle(), cycles);
    let header = reader.header();
    if let Ok(mut model) = Model::new(&header.implementation) {
        for cycle in &all {
            model.step_simple(cycle);
        }
    }
    let copy = file("copy.stim", b"");
    let mut writer =
        Writer::create(&copy, &header.implementation, header.origin.clone()).expect("a folder");
    writer.append(&all).expect("cycles that were read");
    writer.finish().expect("a folder");
    let mut again = Reader::open(&copy).expect("what was written");
    let mut found = vec![CycleInput::default(); all.len()];
    again.fill(&mut found).expect("what was written");
    assert!(found == all);
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    read(&repaired(bytes));
});
