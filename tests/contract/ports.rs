//! Sections 1 to 4: when, and in which bytes.

use crate::statement;
use crate::subject::*;

statement!(dut_01_inputs_of_a_cycle_are_those_of_that_cycle, |it| {
    it.count(0, event_type(1, 0, 0, 0, 0));
    assert_eq!(it.v_of(0, 0), 0);
    assert_eq!(it.v_of(0, 7), 7);
    assert_eq!(it.v_of(0, 0), 0);
});

statement!(
    dut_02_outputs_of_a_cycle_do_not_depend_on_later_inputs,
    |it| {
        it.count(0, event_type(1, 0, 0, 0, 0));
        let cycles = [1, 9, 0, 5].map(|value| Input::idle().event(1, value));
        let v = |outputs: Vec<Output>| outputs.iter().map(|output| output.v(0)).collect::<Vec<_>>();
        assert_eq!(v(it.run(&cycles)), [1, 9, 0, 5]);
        assert_eq!(v(it.run(&cycles[..2])), [1, 9]);
        assert_eq!(v(it.run(&cycles[..1])), [1]);
    }
);

statement!(dut_02_bundled_latency_is_zero, |it| {
    assert_eq!(it.parameters()[13..16], [0, 0, 0]);
});

statement!(dut_03_a_reset_leaves_nothing_of_before, |it| {
    for n in 0..31 {
        it.count(n, u64::MAX);
        it.write(pmevcntr(n), u64::MAX);
    }
    it.write(PMOVSSET, u64::MAX);
    it.cycle(Input::idle().reset());
    assert_eq!(it.read(PMOVSSET), 0);
    for n in 0..31 {
        assert_eq!(
            (it.read(pmevtyper(n)), it.read(pmevcntr(n))),
            (0, 0),
            "counter {n}"
        );
    }
});

statement!(section_2_every_event_has_its_lane, |it| {
    it.count(0, 0);
    for event in 0..64 {
        // Lane 30 is hidden by CHAIN.
        let expected = if event == 0x1E { 0 } else { 0x8001 };
        it.write(pmevtyper(0), event);
        let output = it.cycle(Input::idle().event(event as usize, 0x8001));
        assert_eq!(output.v(0), expected, "event {event}");
    }
});

statement!(section_3_every_counter_has_its_lane, |it| {
    it.write(PMCNTENSET, 0xFFFF_FFFF);
    for n in 0..31 {
        it.write(pmevtyper(n), u64::from(n));
    }
    // Even counters do not count CHAIN.
    it.write(pmevtyper(30), 63);
    it.write(PMCR, E);
    let input = (0..64).fold(Input::idle(), |input, e| input.event(e, 100 + e as u16));
    let output = it.cycle(input);
    for n in 0..30 {
        assert_eq!(output.v(n), 100 + n as u16);
    }
    assert_eq!((output.v(30), output.cycles()), (163, 1));
    assert_eq!(output.0[64..], [0; 40]);
});

statement!(section_3_outcome_and_data_of_an_access, |it| {
    it.write(PMCCNTR, 0x0123_4567_89AB_CDEF);
    let output = it.cycle(Input::idle().read(PMCCNTR));
    assert_eq!(
        output.0[64..72],
        [0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01]
    );
    assert_eq!(output.0[72], OK);
    assert_eq!(output.0[73..], [0; 31]);
    assert_eq!(it.cycle(Input::idle()).outcome(), NO_ACCESS);
});

statement!(
    section_3_unimplemented_counters_are_zero,
    "no_threshold",
    |it| {
        it.write(PMCNTENSET, 0xFFFF_FFFF);
        it.write(PMCR, E);
        let output = it.cycle((0..64).fold(Input::idle(), |input, e| input.event(e, 5)));
        assert_eq!(
            (0..31).filter(|&n| output.v(n) == 5).collect::<Vec<_>>(),
            [0, 1, 2, 3, 4, 5, 6, 7]
        );
        assert_eq!((8..31).map(|n| output.v(n)).sum::<u16>(), 0);
    }
);

statement!(section_4_parameters_of_everything, |it| {
    let mut expected = [0; 64];
    expected[..4].copy_from_slice(b"LPMU");
    expected[4..16].copy_from_slice(&[2, 0, 2, 0, 31, 64, 64, 16, 12, 0, 0, 0]);
    // All features but TME, bit 12, and the layout and the access model of 2021, bits 19 and 20.
    expected[16..19].copy_from_slice(&[0xFF, 0xEF, 0xE7]);
    // Threads, samples in flight, System PMUs.
    expected[24..27].copy_from_slice(&[4, 2, 2]);
    expected[28..32].copy_from_slice(&0x0002_6227u32.to_le_bytes());
    // NCG, feature bits, bit 19, SIZE and N: of 2 groups with 10 counters of 64 bits, and of 15 with 34 of 32.
    expected[32..36].copy_from_slice(&0x1128_3F09u32.to_le_bytes());
    expected[36..40].copy_from_slice(&0xE008_1F21u32.to_le_bytes());
    assert_eq!(it.parameters(), expected);
});

statement!(
    section_4_parameters_without_threshold,
    "no_threshold",
    |it| {
        let mut expected = [0; 64];
        expected[..4].copy_from_slice(b"LPMU");
        // THWIDTH is 0 without FEAT_PMUv3_TH.
        expected[4..16].copy_from_slice(&[2, 0, 2, 0, 8, 32, 48, 3, 0, 0, 0, 0]);
        // CHAIN, bit 3, FGT, FGT2, PMUv3p9, HPMN0 and VHE, bits 14 to 18.
        expected[16..19].copy_from_slice(&[0x08, 0xC0, 0x07]);
        expected[24] = 1;
        assert_eq!(it.parameters(), expected);
    }
);

statement!(section_4_parameters_of_sampling, "six_counters", |it| {
    // Neither ERnd, bit 22, nor SPE_EXC, bit 23.
    assert_eq!(it.parameters()[18] & 0xE0, 0x20);
    assert_eq!(it.parameters()[24..27], [2, 1, 2]);
    // PMSIDR_EL1.ERnd is bit 5.
    assert_eq!(it.parameters()[28..32], 0x0002_6207u32.to_le_bytes());
});
