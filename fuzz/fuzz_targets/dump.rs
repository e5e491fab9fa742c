//! Dumps with maps, as `lockstep vcd check` reads them. The input is a map, an implementation and a dump, separated by
//! lines of `%%`; comments of the map are the options.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use lockstep_vcd::{Slice, Source, Stream};
use pmu_lockstep::lockstep::waivers::Waivers;
use pmu_lockstep::offline::check::{Checked, check};
use pmu_lockstep::offline::propose::propose;
use pmu_lockstep::offline::ring::Ring;
use pmu_lockstep::offline::{Map, Options, Wiring};
use pmu_lockstep_fuzz::{mutate, toml};
use pmu_model::Implementation;

const BETWEEN: &str = "\n%%\n";

fn digest(checked: Checked) -> (u64, u64, u64, u64, Option<u64>, Option<String>) {
    (
        checked.cycles,
        checked.skipped,
        checked.vague_inputs,
        checked.vague_outputs,
        checked.found.map(|found| found.time),
        checked.fault.map(|fault| fault.to_string()),
    )
}

fuzz_target!(|text: &str| {
    let Some((map_text, rest)) = text.split_once(BETWEEN) else {
        return;
    };
    let Some((implementation, dump)) = rest.split_once(BETWEEN) else {
        return;
    };
    let (Ok(map), Ok(implementation)) = (
        Map::parse(map_text),
        ::toml::from_str::<Implementation>(implementation),
    ) else {
        return;
    };
    let Ok(mut slice) = Slice::new(dump.as_bytes()) else {
        return;
    };
    if implementation.validate().is_err() {
        return;
    }
    let header = slice.header().clone();
    let unmapped = map_text.contains("#unmapped");
    let Ok(wiring) = Wiring::new(&map, &header, &implementation, unmapped) else {
        return;
    };
    let options = Options {
        skip_vague: map_text.contains("#x"),
        assume_reset: map_text.contains("#reset"),
        stop: false,
    };
    let checked = check(
        &mut slice,
        &map,
        &wiring,
        &implementation,
        options,
        Waivers::default(),
        None,
    );
    let mut stream = Stream::new(dump.as_bytes()).expect("as the slice");
    let mut ring = Ring::new(&header);
    let again = check(
        &mut stream,
        &map,
        &wiring,
        &implementation,
        options,
        Waivers::default(),
        Some(&mut ring),
    );
    // One dump, however it is read.
    match (checked, again) {
        (Ok(one), Ok(other)) => assert_eq!(digest(one), digest(other)),
        (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
        _ => panic!("a slice and a stream differ"),
    }
    if map_text.contains("#propose") {
        slice.rewind();
        let _ = propose(&mut slice, "dump.vcd", &implementation);
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed, |text, seed| {
        let (map, rest) = text.split_once(BETWEEN)?;
        // Comments do not survive a change; options are comments.
        let comments: String = map
            .lines()
            .filter(|line| line.starts_with('#'))
            .map(|line| format!("{line}\n"))
            .collect();
        let (implementation, dump) = rest.split_once(BETWEEN)?;
        let (map, implementation) = match seed % 3 {
            0 => (map.to_owned(), toml(implementation, seed)?),
            _ => (comments + &toml(map, seed)?, implementation.to_owned()),
        };
        Some([map, implementation, dump.to_owned()].join(BETWEEN))
    })
});
