//! Requirements that no truth table shows: what a feature adds or takes away, and what stays outside of a counter.

use pmu_model::contract::{CYCLE_COUNTER, Thread, control};
use pmu_model::spmu::{SystemPmu, decode, max_counters};
use pmu_model::{
    CycleInput, CycleOutput, Implementation, Model, NoTracer, Number, SysReg, Unknown,
};

/// P, and the states that it filters: Secure EL1, and others.
const P: u64 = 1 << 31;
const MT: u64 = 1 << 25;
const INST_RETIRED: u64 = 0x0008;

fn event_type(tc: u64, te: u64, tlc: u64, th: u64) -> u64 {
    tc << 61 | te << 60 | tlc << 54 | th << 32 | 1
}

/// A model with counters 0 to 3 of these types, counting.
fn model(implementation: &Implementation, types: &[u64]) -> Model {
    let mut model = Model::new(implementation).expect("a legal implementation");
    for (n, &event_type) in (0..).zip(types) {
        model.step_simple(&CycleInput::write(
            SysReg::pmevtyper(n).expect("a counter"),
            event_type,
        ));
    }
    model.step_simple(&CycleInput::write(SysReg::Pmcntenset, u64::MAX));
    model.step_simple(&CycleInput::write(SysReg::Pmcr, 1));
    model
}

/// A cycle in which event 1 has this value.
fn cycle(value: u16) -> CycleInput {
    let mut input = CycleInput {
        counting_allowed: u32::MAX,
        ..CycleInput::default()
    };
    input.event[1] = value;
    input
}

fn v(model: &mut Model, n: usize, values: &[u16]) -> Vec<u16> {
    let step = |&value| model.step_simple(&cycle(value)).0.increment[n];
    values.iter().map(step).collect()
}

#[test]
fn th_03_te_counts_edges() {
    let mut model = model(&Implementation::default(), &[event_type(0b101, 1, 0, 4)]);
    assert_eq!(v(&mut model, 0, &[0, 4, 5, 3, 9]), [0, 1, 0, 0, 1]);
}

#[test]
fn th_04_without_edge_te_is_0() {
    let mut implementation = Implementation::default();
    (implementation.pmu.edge, implementation.pmu.th2) = (false, false);
    let mut model = model(&implementation, &[event_type(0b101, 1, 0, 4)]);
    assert_eq!(v(&mut model, 0, &[0, 4, 5, 3, 9]), [0, 1, 1, 0, 1]);
    assert_eq!(
        model.register(SysReg::Pmevtyper(Number::at::<0>())) >> 60 & 1,
        0
    );
}

#[test]
fn th_51_the_last_even_counter_has_no_partner() {
    let mut implementation = Implementation::default();
    implementation.pmu.counters = 3;
    // TLC = 01 on counter 2 would count V[1] where the condition is FALSE.
    let types = [1, 1, event_type(0b101, 0, 0b01, 4)];
    let mut model = model(&implementation, &types);
    assert_eq!(v(&mut model, 2, &[3, 4]), [0, 1]);
}

#[test]
fn ety_10_tc_and_th_of_0_count_every_value() {
    let mut model = model(&Implementation::default(), &[event_type(0, 0, 0, 0)]);
    assert_eq!(v(&mut model, 0, &[0, 1, 7, u16::MAX]), [0, 1, 7, u16::MAX]);
}

/// A cycle of thread 0 at Secure EL1, and thread 1 at Secure EL0.
fn at_el1_and_el0(value: u16, counts: [u16; 2]) -> CycleInput {
    let mut input = cycle(value);
    input.driven = CycleInput::DRIVEN_PE | CycleInput::DRIVEN_THREADS;
    input.controls = control::MDCR_EL3_MTPME;
    let thread = |level, count| Thread {
        state: Thread::state_of(level, 1, false),
        conditions: Thread::ACTIVE,
        count,
    };
    input.threads[0] = thread(1, counts[0]);
    input.threads[1] = thread(0, counts[1]);
    input
}

#[test]
fn ety_23_a_filtered_counter_counts_nothing_and_links_nothing() {
    // Counter 1 counts 1 if V_B is 4 or more, else V[0].
    let types = [P | 1, event_type(0b101, 0, 0b01, 4)];
    let mut model = model(&Implementation::default(), &types);
    let (output, _) = model.step_simple(&at_el1_and_el0(3, [0; 2]));
    assert_eq!(output.increment[..2], [0, 0]);
    assert_eq!(v(&mut model, 1, &[3]), [3], "where the state is not driven");
}

#[test]
fn ety_24_with_mt_events_are_those_of_threads_that_are_not_filtered() {
    let types = [
        INST_RETIRED,
        MT | INST_RETIRED,
        MT | P | INST_RETIRED,
        P | INST_RETIRED,
    ];
    let mut implementation = Implementation::default();
    implementation.threads.count = 2;
    let mut model = model(&implementation, &types);
    let (output, _) = model.step_simple(&at_el1_and_el0(0, [5, 3]));
    assert_eq!(output.increment[..4], [5, 8, 3, 0]);
}

#[test]
fn cyc_20_cycles_of_other_threads_count_with_effective_mt_alone() {
    const CPU_CYCLES: u64 = 0x0011;
    let mut implementation = Implementation::default();
    implementation.threads.count = 2;
    let mut model = model(&implementation, &[CPU_CYCLES, MT | CPU_CYCLES]);
    let mut input = at_el1_and_el0(0, [0; 2]);
    input.threads[0].conditions = 0;
    let mut increments = |controls| {
        let mut cycle = input;
        cycle.controls = controls;
        let (output, _) = model.step_simple(&cycle);
        [output.increment[0], output.increment[1]]
    };
    assert_eq!(increments(control::MDCR_EL3_MTPME), [0, 1]);
    assert_eq!(increments(0), [0, 0], "MDCR_EL3.MTPME is 0");
}

#[test]
fn cyc_16_the_group_is_the_threads_of_the_processor() {
    for count in 1..=4 {
        let mut implementation = Implementation::default();
        implementation.threads.count = count;
        let mut model = model(&implementation, &[MT | INST_RETIRED]);
        let mut input = CycleInput {
            driven: CycleInput::DRIVEN_THREADS,
            ..cycle(0)
        };
        for thread in &mut input.threads {
            thread.count = 1;
        }
        assert_eq!(model.step_simple(&input).0.increment[0], u16::from(count));
    }
}

#[test]
fn cyc_02_cyc_17_cyc_18_pmccntr_counts_whatever_a_thread_does() {
    for in_wfx in [true, false] {
        let mut implementation = Implementation::default();
        implementation.knobs.cycles.pmccntr_in_wfx = in_wfx;
        let mut model = model(&implementation, &[]);
        let mut counts = |conditions| {
            let mut input = CycleInput {
                driven: CycleInput::DRIVEN_THREADS,
                ..cycle(0)
            };
            input.threads[0].conditions = conditions;
            model.step_simple(&input).0.increment[CYCLE_COUNTER] == 1
        };
        assert!(counts(0) && counts(Thread::ACTIVE));
        assert_eq!(counts(Thread::ACTIVE | Thread::WFX), in_wfx);
        assert_eq!(counts(Thread::WFX), in_wfx);
        model.step_simple(&CycleInput::write(SysReg::Pmcntenclr, 1 << CYCLE_COUNTER));
        assert_eq!(v(&mut model, CYCLE_COUNTER, &[0]), [0], "it is not enabled");
    }
}

#[test]
fn spe_04_fields_of_pmbsr() {
    let mut model = Model::new(&Implementation::default()).expect("a legal implementation");
    for level in Number::all() {
        model.step_simple(&CycleInput::write(SysReg::Pmbsr(level), u64::MAX));
        let fields = 0xFF_FFFF << 32 | 0x3F << 26 | 0xF << 16 | 0xFFFF;
        assert_eq!(model.register(SysReg::Pmbsr(level)), fields);
    }
}

/// A cycle of sampling with this many operations; random bytes are 0x5A.
fn sampled(model: &mut Model, operations: u8) -> CycleOutput {
    let input = CycleInput {
        operations,
        profiling: CycleInput::PROFILING_ENABLED,
        ..cycle(0)
    };
    let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
    model.step(&input, 0x5A, &mut output, &mut unknown, &mut NoTracer);
    output
}

fn sampling(ernd: bool, pmsirr: u64, pmsicr: u64) -> Model {
    let mut implementation = Implementation::default();
    implementation.spe.ernd = ernd;
    let mut model = Model::new(&implementation).expect("a legal implementation");
    model.step_simple(&CycleInput::write(SysReg::Pmsirr, pmsirr));
    model.step_simple(&CycleInput::write(SysReg::Pmsicr, pmsicr));
    model
}

#[test]
fn spe_20_spe_21_count_decrements_and_the_operation_that_finds_zero_is_selected() {
    let mut model = sampling(false, 0x200, 3);
    let seen: Vec<_> = (0..5)
        .map(|_| sampled(&mut model, 1))
        .map(|output| (output.pmsicr, output.selected))
        .collect();
    assert_eq!(seen, [(2, 0), (1, 0), (0, 0), (0x200, 1), (0x1FF, 0)]);
}

#[test]
fn spe_32_the_place_of_the_selected_operation_is_told() {
    let mut model = sampling(false, 0x200, 3);
    let output = sampled(&mut model, 9);
    assert_eq!((output.selected, output.first_selected), (1, 3));
}

#[test]
fn spe_31_the_random_byte_comes_with_the_load_or_after_the_interval() {
    let expired = |ernd| {
        let mut model = sampling(ernd, 0x201, 1);
        sampled(&mut model, 1);
        let output = sampled(&mut model, 1);
        (output.random_drawn, output.pmsicr, output.selected)
    };
    assert_eq!(expired(false), (1, 0x25A, 1), "in COUNT[7:0]");
    assert_eq!(expired(true), (1, 0x5A00_0000_0000_0200, 0), "in ECOUNT");
}

#[test]
fn spmu_11_a_group_has_0_to_max_counters() {
    for groups in 2..=15 {
        let max = max_counters(groups);
        for size in 0..=max {
            let mut sizes = vec![0; groups];
            (sizes[0], sizes[groups - 1]) = (1, size);
            let pmu = SystemPmu {
                groups: sizes,
                ..SystemPmu::default()
            };
            assert_eq!(pmu.problems(), [], "{groups} groups");
            assert_eq!(decode(&pmu.registers()).groups[groups - 1].counters, size);
        }
    }
}
