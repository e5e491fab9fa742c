//! Section 5: sampling, and section 6: its registers.

use pmu_model::{
    CycleInput, CycleOutput, Implementation, Model, NoTracer, Number, SysReg, Unknown,
};

use crate::statement;
use crate::subject::*;

/// Sets INTERVAL, without RND.
fn interval(it: &mut Subject, interval: u64) {
    it.write(PMSIRR, interval << 8);
}

/// An operation is selected: the second one of a cycle, with `more` for this cycle.
fn select(it: &mut Subject, more: impl Fn(Input) -> Input) -> Output {
    it.write(PMSICR, 1);
    let output = it.cycle(more(Input::idle().sample(2)));
    assert_eq!(output.selected(), (1, 1));
    output
}

statement!(dut_60_enabling_loads_count, |it| {
    interval(it, 1);
    let enabled = it.cycle(Input::idle().sample(0));
    assert_eq!((enabled.pmsicr(), enabled.selected()), ((256, 0), (0, 0)));
    // 255 operations, and 3 more.
    for _ in 0..17 {
        assert_eq!(it.cycle(Input::idle().sample(15)).selected(), (0, 0));
    }
    let output = it.cycle(Input::idle().sample(3));
    assert_eq!((output.selected(), output.pmsicr()), ((1, 1), (255, 0)));
    assert_eq!((output.in_flight(), output.collided()), (1, 0));
});

statement!(dut_60_enabling_and_counting_are_in_one_cycle, |it| {
    interval(it, 1);
    assert_eq!(it.cycle(Input::idle().sample(5)).pmsicr(), (251, 0));
});

statement!(dut_60_a_count_that_is_not_zero_is_not_loaded, |it| {
    interval(it, 2);
    it.write(PMSICR, 5);
    let output = it.cycle(Input::idle().sample(8));
    assert_eq!((output.selected(), output.pmsicr()), ((1, 5), (510, 0)));
});

statement!(dut_60_disabled_the_counters_hold, |it| {
    interval(it, 1);
    it.write(PMSICR, 9);
    let disabled = |it: &mut Subject| it.cycle(Input::idle()).pmsicr();
    it.cycle(Input::idle().sample(3));
    assert_eq!([disabled(it), disabled(it)], [(6, 0), (6, 0)]);
    assert_eq!(it.cycle(Input::idle().sample(1)).pmsicr(), (5, 0));
});

statement!(dut_60_a_write_comes_after_the_operations, |it| {
    interval(it, 1);
    it.write(PMSICR, 1);
    let output = it.cycle(Input::idle().sample(4).write(PMSICR, 77));
    assert_eq!((output.selected(), output.pmsicr()), ((1, 1), (77, 0)));
    // PMSIRR_EL1 is in force from the next load.
    it.write(PMSICR, 0);
    let output = it.cycle(Input::idle().sample(1).write(PMSIRR, 3 << 8));
    assert_eq!(output.pmsicr(), (256 - 1, 0));
});

statement!(dut_60_the_third_sample_collides, |it| {
    interval(it, 1);
    assert_eq!(select(it, |i| i).in_flight(), 1);
    assert_eq!(select(it, |i| i).in_flight(), 2);
    let output = select(it, |i| i);
    assert_eq!(
        (output.in_flight(), output.collided(), output.coll()),
        (2, 1, 0b001)
    );
    // SPE-44: COUNT is loaded all the same.
    assert_eq!(output.pmsicr(), (256, 0));
    assert_eq!(it.read(PMBSR_EL1), 1 << 16);
});

statement!(dut_60_samples_complete_before_the_operations, |it| {
    interval(it, 1);
    select(it, |i| i);
    select(it, |i| i);
    let output = select(it, |i| i.complete(1, 0));
    assert_eq!((output.in_flight(), output.collided()), (2, 0));
    assert_eq!(it.cycle(Input::idle().complete(15, 0)).in_flight(), 0);
});

statement!(dut_60_discarding_comes_first, |it| {
    interval(it, 1);
    select(it, |i| i);
    select(it, |i| i);
    let output = select(it, Input::discard);
    assert_eq!((output.in_flight(), output.collided()), (1, 0));
    assert_eq!(it.cycle(Input::idle().discard()).in_flight(), 0);
});

/// Collides, with Effective PMSEE and EE, and returns COLL.
fn collide(it: &mut Subject, pmsee: u8, ee: u8) -> u8 {
    it.cycle(Input::idle().reset());
    interval(it, 1);
    select(it, |i| i);
    select(it, |i| i);
    select(it, |i| i.buffer_owner(pmsee, ee)).coll()
}

statement!(spe_42_coll_is_of_one_exception_level, |it| {
    for pmsee in 0..4 {
        for ee in 0..4 {
            let expected = match (pmsee, ee) {
                (0, _) => 0b001,
                (3, _) => 0b100,
                (_, 3) => 0b010,
                _ => 0b001,
            };
            assert_eq!(collide(it, pmsee, ee), expected, "{pmsee} {ee}");
        }
    }
});

statement!(spe_42_without_spe_exc_it_is_el1, "six_counters", |it| {
    assert_eq!(collide(it, 3, 3), 0b001);
});

statement!(dut_60_a_write_of_pmbsr_wins, |it| {
    interval(it, 1);
    select(it, |i| i);
    select(it, |i| i);
    let output = select(it, |i| i.write(PMBSR_EL1, 0x1234));
    assert_eq!((output.collided(), output.coll()), (1, 0));
    assert_eq!(it.read(PMBSR_EL1), 0x1234);
    // SPE-43: only a write clears it.
    select(it, |i| i);
    assert_eq!(it.read(PMBSR_EL1), 0x1_1234);
    it.write(PMBSR_EL1, 0);
    assert_eq!(it.cycle(Input::idle()).coll(), 0);
});

/// COUNT expires for the only operation of the cycle, and a byte is drawn.
fn expire(it: &mut Subject) -> Output {
    it.write(PMSIRR, 1 << 8 | 1);
    // COUNT is zero, the register is not.
    it.write(PMSICR, 1 << 56);
    it.cycle(Input::idle().sample(1))
}

statement!(dut_61_with_ernd_a_byte_is_drawn_when_count_expires, |it| {
    for _ in 0..8 {
        let output = expire(it);
        let (drawn, byte) = output.drawn();
        assert_eq!((drawn, output.pmsicr()), (1, (256, u64::from(byte))));
        assert_eq!(output.selected().0, u8::from(byte == 0));
        // The operation that makes ECOUNT zero is selected.
        for left in (0..byte).rev() {
            let output = it.cycle(Input::idle().sample(1));
            assert_eq!(output.drawn(), (0, 0));
            assert_eq!(output.selected().0, u8::from(left == 0), "{left} of {byte}");
        }
    }
});

statement!(
    dut_61_without_ernd_a_byte_is_drawn_for_a_load,
    "six_counters",
    |it| {
        it.write(PMSIRR, 1 << 8 | 1);
        let loaded = it.cycle(Input::idle().sample(0));
        let (drawn, byte) = loaded.drawn();
        assert_eq!((drawn, loaded.pmsicr()), (1, (256 + u64::from(byte), 0)));
        assert_eq!(it.cycle(Input::idle().sample(1)).drawn(), (0, 0));
        // PMSICR_EL1 has no ECOUNT.
        it.write(PMSICR, 0xFF << 56 | 1);
        let loaded = it.cycle(Input::idle().sample(2));
        let (drawn, byte) = loaded.drawn();
        assert_eq!((drawn, loaded.selected()), (1, (1, 1)));
        assert_eq!(loaded.pmsicr(), (256 + u64::from(byte), 0));
    }
);

statement!(dut_61_without_rnd_nothing_is_drawn, |it| {
    interval(it, 1);
    assert_eq!(it.cycle(Input::idle().sample(0)).drawn(), (0, 0));
    assert_eq!(select(it, |i| i).drawn(), (0, 0));
});

statement!(dut_11_the_generator_is_usable_out_of_reset, |it| {
    let bytes: Vec<_> = (0..16).map(|_| expire(it).drawn().1).collect();
    assert!(bytes.iter().any(|&byte| byte != bytes[0]), "{bytes:?}");
});

/// What is not compared is the model's business.
#[test]
fn dut_62_the_interval_is_unknown_until_a_reset() {
    let mut model = Model::new(&Implementation::default()).expect("a legal implementation");
    let mut unknown = |input: CycleInput| {
        let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
        model.step(&input, 0, &mut output, &mut unknown, &mut NoTracer);
        unknown
    };
    let enabled = CycleInput {
        profiling: 1,
        ..CycleInput::default()
    };
    unknown(CycleInput::reset());
    assert!(!unknown(CycleInput::default()).spe);
    assert!(unknown(enabled).spe);
    unknown(CycleInput::write(SysReg::Pmsirr, 1 << 8));
    assert!(unknown(CycleInput::write(SysReg::Pmsicr, 5)).spe);
    let read = unknown(CycleInput::read(SysReg::Pmsicr));
    assert_eq!(read.access_data, 0xFF00_0000_FFFF_FFFF);
    let read = unknown(CycleInput::read(SysReg::Pmbsr(Number::at::<2>())));
    assert_eq!(read.access_data, 1 << 16);
    unknown(CycleInput::reset());
    unknown(CycleInput::write(SysReg::Pmsirr, 1 << 8));
    assert!(!unknown(enabled).spe);
}

statement!(dut_63_sample_filtrate, |it| {
    interval(it, 1);
    it.count(0, 0x4002);
    let filtrate =
        |it: &mut Subject, complete, out| it.cycle(Input::idle().complete(complete, out)).v(0);
    select(it, |i| i);
    select(it, |i| i);
    // Two are in flight.
    assert_eq!(filtrate(it, 15, 1), 1);
    assert_eq!(filtrate(it, 1, 0), 0);
    select(it, |i| i);
    assert_eq!(filtrate(it, 1, 15), 0);
    // While profiling is enabled as well.
    select(it, |i| i);
    assert_eq!(it.cycle(Input::idle().sample(0).complete(1, 0)).v(0), 1);
});

statement!(spe_45_events_of_sampling, |it| {
    interval(it, 1);
    for (n, event) in [(0, 0x4000), (1, 0x4001), (2, 0x4003)] {
        it.count(n, event);
    }
    let v = |output: Output| [output.v(0), output.v(1), output.v(2)];
    assert_eq!(v(it.cycle(Input::idle().sample(9))), [9, 0, 0]);
    assert_eq!(v(select(it, |i| i)), [2, 1, 0]);
    assert_eq!(v(select(it, |i| i)), [2, 1, 0]);
    assert_eq!(v(select(it, |i| i)), [2, 0, 1]);
    assert_eq!(v(it.cycle(Input::idle())), [0, 0, 0]);
});

statement!(section_6_bits_of_sampling, |it| {
    for (register, bits) in [
        (PMSICR, 0xFF00_0000_FFFF_FFFF),
        (PMSIRR, 0xFFFF_FF01),
        (PMBSR_EL1, 0x00FF_FFFF_FC0F_FFFF),
        (PMBSR_EL2, 0x00FF_FFFF_FC0F_FFFF),
        (PMBSR_EL3, 0x00FF_FFFF_FC0F_FFFF),
    ] {
        it.write(register, u64::MAX);
        assert_eq!(it.read(register), bits, "{register:?}");
        it.write(register, 0);
        assert_eq!(it.read(register), 0, "{register:?}");
    }
    assert_eq!(it.read(PMSIDR), 0x0002_6227);
    let write = it.cycle(Input::idle().write(PMSIDR, 0));
    assert_eq!(write.outcome(), UNDEFINED);
});

statement!(
    section_6_bits_of_sampling_without_ernd,
    "six_counters",
    |it| {
        it.write(PMSICR, u64::MAX);
        assert_eq!(
            (it.read(PMSICR), it.read(PMSIDR)),
            (0xFFFF_FFFF, 0x0002_6207)
        );
        for register in [PMBSR_EL2, PMBSR_EL3] {
            assert_eq!(it.cycle(Input::idle().read(register)).outcome(), UNDEFINED);
            assert_eq!(
                it.cycle(Input::idle().write(register, 0)).outcome(),
                UNDEFINED
            );
        }
    }
);

statement!(
    dut_30_without_spe_there_are_no_registers_and_outputs,
    "no_threshold",
    |it| {
        for register in [PMSICR, PMSIRR, PMSIDR, PMBSR_EL1] {
            assert_eq!(it.cycle(Input::idle().read(register)).outcome(), UNDEFINED);
        }
        let output = it.cycle(Input::idle().sample(9).complete(1, 0));
        assert_eq!(output.0[80..], [0; 24]);
    }
);
