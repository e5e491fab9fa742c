//! Statements of `docs/dut-contract.md` that concern several areas at once, one by one, on the whole model.

use pmu_model::contract::{CYCLE_COUNTER, Thread, control};
use pmu_model::evtyper::configuration::OutOfRange;
use pmu_model::pmu::event_type::MT;
use pmu_model::pmu::provenance::Origin;
use pmu_model::{
    AccessKind, CycleInput, CycleOutput, Implementation, Model, NoTracer, Number, SysReg, Unknown,
};

const OK: u8 = 1;
const UNDEFINED: u8 = 2;
const TRAP_EL2: u8 = 4;
const U: u64 = 1 << 30;

/// A model with all counters enabled.
struct Subject(Model);

impl Subject {
    fn new(implementation: &Implementation) -> Self {
        let mut subject = Self(Model::new(implementation).expect("a legal implementation"));
        subject.write(SysReg::Pmcntenset, u64::MAX);
        subject.write(SysReg::Pmcr, 1);
        subject
    }

    fn standard() -> Self {
        Self::new(&Implementation::default())
    }

    fn step(&mut self, input: &CycleInput, random: u8) -> (CycleOutput, Unknown) {
        let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
        self.0
            .step(input, random, &mut output, &mut unknown, &mut NoTracer);
        (output, unknown)
    }

    fn write(&mut self, register: SysReg, data: u64) -> CycleOutput {
        self.0.step_simple(&CycleInput::write(register, data)).0
    }

    fn read(&mut self, register: SysReg) -> CycleOutput {
        self.0.step_simple(&CycleInput::read(register)).0
    }

    fn access(&mut self, kind: AccessKind, address: u16, data: u64) -> CycleOutput {
        let input = CycleInput {
            access_kind: kind as u8,
            access_address: address,
            access_data: data,
            ..CycleInput::default()
        };
        self.0.step_simple(&input).0
    }

    fn profile(&mut self, operations: u8) -> (CycleOutput, Unknown) {
        self.step(&profiling(operations), 0)
    }
}

/// A cycle in which everything counts and nothing happens.
fn quiet() -> CycleInput {
    CycleInput {
        counting_allowed: u32::MAX,
        ..CycleInput::default()
    }
}

fn profiling(operations: u8) -> CycleInput {
    CycleInput {
        profiling: CycleInput::PROFILING_ENABLED,
        operations,
        ..quiet()
    }
}

/// A cycle with four threads at EL1 and one at EL0, Secure, all active.
fn threads_with_el0(el0: usize) -> CycleInput {
    let mut input = CycleInput {
        driven: CycleInput::DRIVEN_PE | CycleInput::DRIVEN_THREADS,
        controls: control::MDCR_EL3_MTPME | control::USERENR_EN,
        ..quiet()
    };
    for (t, thread) in input.threads.iter_mut().enumerate() {
        thread.state = Thread::state_of(u8::from(t != el0), 1, false);
        thread.conditions = Thread::ACTIVE;
        thread.count = 10 + t as u16;
    }
    input
}

#[test]
fn dut_30_registers_of_parts_that_are_not_implemented_are_undefined() {
    let mut without = Implementation::default();
    without.spe.exc = false;
    let outcome = |implementation: &Implementation, register| {
        Subject::new(implementation).read(register).access_outcome
    };
    assert_eq!(outcome(&without, SysReg::Pmbsr(Number::at::<1>())), OK);
    assert_eq!(
        outcome(&without, SysReg::Pmbsr(Number::at::<2>())),
        UNDEFINED
    );
    (without.spe.ernd, without.spe.implemented) = (false, false);
    without.system_pmu.clear();
    for register in [
        SysReg::Pmsicr,
        SysReg::Pmsirr,
        SysReg::Pmsidr,
        SysReg::Spmselr,
        SysReg::Spmcfgr,
        SysReg::Spmevcntr(Number::at::<0>()),
    ] {
        assert_eq!(outcome(&Implementation::default(), register), OK);
        assert_eq!(outcome(&without, register), UNDEFINED, "{register}");
    }
    for register in [
        SysReg::Pmsidr,
        SysReg::Spmcfgr,
        SysReg::Spmcgcr(Number::at::<1>()),
    ] {
        let written = Subject::standard().write(register, 0).access_outcome;
        assert_eq!(written, UNDEFINED, "{register} is read-only");
    }
}

#[test]
fn dut_35_an_access_with_the_pe_driven_follows_ety_40() {
    let mut subject = Subject::standard();
    let mut input = CycleInput::write(SysReg::Pmevtyper(Number::at::<3>()), 0x22);
    input.controls = control::EL2_ENABLED | control::MDCR_EL2_TPM;
    input.threads[0].state = 1;
    input.hpmn = 31;
    input.access_rt = 7;
    input.driven = CycleInput::DRIVEN_PE;
    let (output, _) = subject.step(&input, 0);
    assert_eq!(output.access_outcome, TRAP_EL2);
    // ETY-45: op0 3, op2 3, op1 3, CRn 14, Rt 7, CRm 12, a write.
    assert_eq!(
        output.trap_iss,
        3 << 20 | 3 << 17 | 3 << 14 | 14 << 10 | 7 << 5 | 12 << 1
    );
    assert_eq!(
        subject.0.register(SysReg::Pmevtyper(Number::at::<3>())),
        0,
        "ETY-44"
    );
    input.driven = 0;
    let (output, _) = subject.step(&input, 0);
    assert_eq!((output.access_outcome, output.trap_iss), (OK, 0));
    assert_eq!(
        subject.0.register(SysReg::Pmevtyper(Number::at::<3>())),
        0x22
    );
}

#[test]
fn dut_35_the_iss_is_that_of_the_register_that_is_named() {
    let mut subject = Subject::standard();
    subject.write(SysReg::Pmselr, 3);
    let mut input = CycleInput::read(SysReg::Pmxevtyper);
    input.controls = control::EL2_ENABLED | control::MDCR_EL2_TPM;
    input.threads[0].state = 1;
    input.driven = CycleInput::DRIVEN_PE;
    input.hpmn = 31;
    let (output, _) = subject.step(&input, 0);
    // PMXEVTYPER_EL0: CRn 9, CRm 13, op2 1; a read.
    assert_eq!(
        output.trap_iss,
        3 << 20 | 1 << 17 | 3 << 14 | 9 << 10 | 13 << 1 | 1
    );
}

#[test]
fn dut_35_out_of_range_without_fgt_is_a_knob() {
    let mut implementation = Implementation::default();
    implementation.pmu.counters = 4;
    implementation.pe.fgt = false;
    for (knob, read, write) in [
        (OutOfRange::Undef, 2, 2),
        (OutOfRange::RazWi, 1, 1),
        (OutOfRange::Nop, 6, 6),
        (OutOfRange::TrapEl2, 2, 2),
    ] {
        implementation.knobs.oor_unimplemented = knob;
        let mut subject = Subject::new(&implementation);
        assert_eq!(
            subject
                .read(SysReg::Pmevtyper(Number::at::<4>()))
                .access_outcome,
            read
        );
        assert_eq!(
            subject
                .write(SysReg::Pmevtyper(Number::at::<4>()), 5)
                .access_outcome,
            write
        );
    }
    implementation.knobs.oor_reserved = OutOfRange::Alias;
    let refused = Model::new(&implementation).map(|_| ()).unwrap_err();
    assert!(
        refused
            .to_string()
            .starts_with("knobs.oor_reserved = ALIAS: expected UNDEF")
    );
}

#[test]
fn dut_36_aarch32_reaches_the_low_half() {
    let mut subject = Subject::standard();
    subject.write(SysReg::Pmevtyper(Number::at::<5>()), 0xE000_0FFF_0000_0011);
    let address = SysReg::Pmevtyper(Number::at::<5>()).address() & !(7 << 11);
    let output = subject.access(AccessKind::Write32, address, 0x1234_5678_8000_0022);
    assert_eq!(output.access_outcome, OK);
    let value = subject.0.register(SysReg::Pmevtyper(Number::at::<5>()));
    assert_eq!(value, 0xE000_0FFF_8000_0022, "ETY-01");
    let output = subject.access(AccessKind::Read32, address, 0);
    assert_eq!(output.access_data, 0x8000_0022);
    assert_eq!(
        subject.0.origin(SysReg::Pmevtyper(Number::at::<5>())),
        Origin::Write {
            cycle: 3,
            register: SysReg::Pmevtyper(Number::at::<5>()),
            data: 0x1234_5678_8000_0022
        }
    );
    let pmcr = SysReg::Pmcr.address() & !(7 << 11);
    let output = subject.access(AccessKind::Read32, pmcr, 0);
    assert_eq!(output.access_outcome, UNDEFINED);
    let output = subject.access(
        AccessKind::Read32,
        SysReg::Pmevtyper(Number::at::<5>()).address(),
        0,
    );
    assert_eq!(output.access_outcome, UNDEFINED, "op1 is 0 in AArch32");
}

#[test]
fn dut_36_a_trap_from_aarch32_has_no_iss() {
    let mut subject = Subject::standard();
    let input = CycleInput {
        access_kind: AccessKind::Read32 as u8,
        access_address: SysReg::Pmevtyper(Number::at::<5>()).address() & !(7 << 11),
        driven: CycleInput::DRIVEN_PE,
        access_rt: 3,
        ..quiet()
    };
    let (output, _) = subject.step(&input, 0);
    assert_eq!((output.access_outcome, output.trap_iss), (3, 0), "row (c)");
}

#[test]
fn dut_37_external_accesses_reach_halves_and_know_no_trap() {
    let mut implementation = Implementation::default();
    implementation.pmu.counters = 4;
    let mut subject = Subject::new(&implementation);
    subject.access(AccessKind::ExternalWrite, 0x404, 0x8000_0011);
    subject.access(AccessKind::ExternalWrite, 0xA04, 0x2000_0003);
    let value = subject.0.register(SysReg::Pmevtyper(Number::at::<1>()));
    assert_eq!(value, 0x2000_0003_8000_0011);
    let read = |subject: &mut Subject, offset| {
        let output = subject.access(AccessKind::ExternalRead, offset, 0);
        (output.access_outcome, output.access_data)
    };
    assert_eq!(read(&mut subject, 0xA04), (OK, 0x2000_0003));
    assert_eq!(read(&mut subject, 0x404), (OK, 0x8000_0011));
    for offset in [0x405, 0x410, 0x480, 0xA80, 0, 0xFFFF] {
        subject.access(AccessKind::ExternalWrite, offset, u64::MAX);
        assert_eq!(read(&mut subject, offset), (OK, 0), "{offset:#x}");
    }
    subject.access(AccessKind::ExternalWrite, 0x47C, U);
    assert_eq!(subject.0.register(SysReg::Pmccfiltr), U);
}

#[test]
fn dut_38_spmaccessr_of_a_reserved_syspmusel_is_taken_as_11() {
    let mut input = CycleInput::read(SysReg::Spmcfgr);
    input.driven = CycleInput::DRIVEN_PE;
    input.threads[0].state = 1;
    input.controls = control::EL2_ENABLED
        | control::MDCR_EL2_ENSPM
        | control::MDCR_EL3_ENPM2
        | control::FGTEN2
        | control::NOT_TRAPPED_SPMID;
    input.access_rt = 1;
    let mut subject = Subject::standard();
    let (output, _) = subject.step(&input, 0);
    assert_eq!(output.access_outcome, TRAP_EL2, "SPMU-30 (5)");
    // op0 2, op2 7, op1 0, CRn 9, Rt 1, CRm 13, a read.
    assert_eq!(
        output.trap_iss,
        2 << 20 | 7 << 17 | 9 << 10 | 1 << 5 | 13 << 1 | 1
    );
    subject.write(SysReg::Spmselr, 32 << 4);
    let (output, _) = subject.step(&input, 0);
    assert_eq!(
        (output.access_outcome, output.access_data),
        (OK, 0),
        "SPMU-18"
    );
}

#[test]
fn dut_50_filtering_follows_the_state_of_the_thread() {
    let mut subject = Subject::standard();
    subject.write(SysReg::Pmevtyper(Number::at::<0>()), U | 0x05);
    subject.write(SysReg::Pmccfiltr, U);
    let mut input = threads_with_el0(0);
    input.event[5] = 9;
    let (output, _) = subject.step(&input, 0);
    assert_eq!(
        (output.increment[0], output.increment[CYCLE_COUNTER]),
        (0, 0)
    );
    input.threads[0].state = Thread::state_of(1, 1, false);
    let (output, _) = subject.step(&input, 0);
    assert_eq!(
        (output.increment[0], output.increment[CYCLE_COUNTER]),
        (9, 1)
    );
    input.threads[0].state = 0;
    input.driven = 0;
    assert_eq!(subject.step(&input, 0).0.increment[0], 9, "not driven");
}

#[test]
fn dut_51_an_event_of_no_thread_is_attributed_to_thread_0() {
    let mut subject = Subject::standard();
    // Counter 0: a lane; 1: the sum over threads; 2: SAMPLE_POP; 4 and 5: CHAIN.
    for (n, event) in [(0, 5), (1, 8), (2, 0x4000), (4, 5), (5, 0x1E)] {
        subject.write(
            SysReg::pmevtyper(n).expect("a counter"),
            U | MT.mask() | event,
        );
    }
    subject.write(SysReg::Pmevcntr(Number::at::<4>()), 0xFFFF_FFFF);
    let mut input = threads_with_el0(0);
    input.event[5] = 9;
    input.profiling = CycleInput::PROFILING_ENABLED;
    input.operations = 3;
    let (output, _) = subject.step(&input, 0);
    assert_eq!(output.increment[..6], [0, 11 + 12 + 13, 0, 0, 0, 0]);
    let mut input = threads_with_el0(1);
    input.event[5] = 9;
    input.profiling = CycleInput::PROFILING_ENABLED;
    input.operations = 3;
    let (output, _) = subject.step(&input, 0);
    assert_eq!(output.increment[..6], [9, 10 + 12 + 13, 3, 0, 9, 1]);
}

#[test]
fn dut_51_events_of_threads_are_lanes_where_threads_are_not_driven() {
    let mut subject = Subject::standard();
    for (n, event) in [(0, 0x11), (1, 0x08), (2, 0x8159), (3, 0xC1)] {
        subject.write(SysReg::pmevtyper(n).expect("a counter"), event);
    }
    let mut input = threads_with_el0(1);
    (input.event[0x11], input.event[0x08]) = (77, 66);
    input.threads[0].conditions |= Thread::CONDITION | Thread::STALL_FRONTEND | Thread::SECOND;
    let (output, _) = subject.step(&input, 0);
    assert_eq!(output.increment[..4], [1, 10, 1, 1]);
    input.driven = CycleInput::DRIVEN_PE;
    let (output, _) = subject.step(&input, 0);
    assert_eq!(output.increment[..4], [77, 66, 0, 0]);
}

#[test]
fn dut_52_nothing_happens_without_a_clock() {
    let mut subject = Subject::standard();
    subject.write(SysReg::Pmsirr, 0x100);
    subject.write(
        SysReg::Pmevtyper(Number::at::<0>()),
        5 | 0b001 << 61 | 1 << 60,
    );
    let mut busy = profiling(3);
    busy.event[5] = 1;
    assert_eq!(subject.step(&busy, 0).0.increment[0], 1, "C_T rises");
    let stopped = CycleInput {
        clock_stopped: 1,
        access_kind: AccessKind::Write as u8,
        access_address: SysReg::Pmcr.address(),
        ..busy
    };
    let (output, _) = subject.step(&stopped, 0);
    let expected = CycleOutput {
        pmsicr: 0x100 - 3,
        ..CycleOutput::default()
    };
    assert_eq!(output, expected);
    assert_eq!(subject.0.register(SysReg::Pmcr) & 1, 1, "no access");
    assert_eq!(subject.step(&busy, 0).0.increment[0], 0, "C_P stays");
}

#[test]
fn dut_60_a_write_of_pmbsr_wins_over_a_collision() {
    let mut subject = Subject::standard();
    subject.write(SysReg::Pmsirr, 0x100);
    subject.write(SysReg::Pmsicr, 1);
    for _ in 0..2 {
        subject.profile(2);
        subject.write(SysReg::Pmsicr, 1);
    }
    let mut collides = profiling(2);
    let (output, _) = subject.step(&collides, 0);
    assert_eq!((output.selected, output.collided, output.coll), (1, 1, 1));
    assert_eq!(output.first_selected, 1);
    subject.write(SysReg::Pmsicr, 1);
    collides.access_kind = AccessKind::Write as u8;
    collides.access_address = SysReg::Pmbsr(Number::at::<1>()).address();
    collides.access_data = 0x00FF_FFFF_FC0E_FFFF;
    let (output, _) = subject.step(&collides, 0);
    assert_eq!((output.collided, output.coll), (1, 0));
    let read = subject.read(SysReg::Pmbsr(Number::at::<1>())).access_data;
    assert_eq!(read, 0x00FF_FFFF_FC0E_FFFF, "SPE-04");
}

#[test]
fn dut_61_a_byte_is_taken_when_it_is_due() {
    let mut subject = Subject::standard();
    subject.write(SysReg::Pmsirr, 0x101);
    subject.write(SysReg::Pmsicr, 2);
    let (output, _) = subject.step(&profiling(2), 99);
    assert_eq!((output.random_drawn, output.random_byte), (0, 0));
    let (output, _) = subject.step(&profiling(1), 3);
    assert_eq!((output.random_drawn, output.random_byte), (1, 3));
    assert_eq!(output.pmsicr, 3 << 56 | 0x100, "SPE-22");
    let (output, _) = subject.step(&profiling(3), 0);
    assert_eq!((output.selected, output.first_selected), (1, 2), "SPE-23");
}

#[test]
fn dut_62_interval_zero_makes_everything_unknown_that_depends_on_it() {
    let mut subject = Subject::standard();
    for (n, event) in [(0, 0x4001), (1, 0x4000), (2, 1), (3, 0x1E)] {
        subject.write(SysReg::pmevtyper(n).expect("a counter"), event);
    }
    let (_, unknown) = subject.profile(0);
    assert_eq!((unknown.spe, unknown.increments), (true, 1), "the load");
    let (_, unknown) = subject.profile(1);
    assert_eq!(unknown.increments, 1, "SAMPLE_FEED alone");
    subject.write(SysReg::Pmsirr, 0x100);
    subject.write(SysReg::Pmsicr, 1);
    let (_, unknown) = subject.step(&CycleInput::read(SysReg::Pmsicr), 0);
    assert_eq!(unknown.access_data, 0xFF00_0000_FFFF_FFFF);
    assert!(unknown.spe, "until the next reset");
    let (_, unknown) = subject.step(&CycleInput::read(SysReg::Pmbsr(Number::at::<2>())), 0);
    assert_eq!(unknown.access_data, 1 << 16);
    let (_, unknown) = subject.step(&CycleInput::read(SysReg::Pmevcntr(Number::at::<0>())), 0);
    assert_eq!(
        unknown.access_data,
        u64::MAX,
        "the value, like a reserved one's"
    );
    subject.step(&CycleInput::reset(), 0);
    let (_, unknown) = subject.step(&CycleInput::read(SysReg::Pmsicr), 0);
    assert!(unknown.is_none());
}

#[test]
fn dut_63_filtrate_is_what_completes_and_passes_the_filters() {
    let mut subject = Subject::standard();
    subject.write(SysReg::Pmevtyper(Number::at::<0>()), 0x4002);
    subject.write(SysReg::Pmsirr, 0x100);
    for _ in 0..2 {
        subject.write(SysReg::Pmsicr, 1);
        subject.profile(2);
    }
    let mut completes = quiet();
    (completes.complete, completes.filtered_out) = (15, 1);
    let (output, _) = subject.step(&completes, 0);
    assert_eq!((output.increment[0], output.in_flight), (1, 0));
    assert_eq!(
        subject.step(&completes, 0).0.increment[0],
        0,
        "none in flight"
    );
}

#[test]
fn ety_31_an_unpredictable_event_is_not_compared() {
    let mut implementation = Implementation::default();
    implementation.pe.pmuv3p8 = false;
    implementation.knobs.unsupported_other =
        pmu_model::evtyper::configuration::UnsupportedOther::Unpredictable;
    let mut subject = Subject::new(&implementation);
    subject.write(SysReg::Pmevtyper(Number::at::<0>()), 0x77);
    subject.write(SysReg::Pmevtyper(Number::at::<1>()), 0x4010);
    let (_, unknown) = subject.step(&CycleInput::read(SysReg::Pmevtyper(Number::at::<0>())), 0);
    assert_eq!((unknown.access_data, unknown.increments), (0xFFFF, 1));
}

#[test]
fn a_cyc_3_pmccntr_may_stop_in_wfx() {
    let mut implementation = Implementation::default();
    let counted = |implementation: &Implementation| {
        let mut input = threads_with_el0(1);
        input.threads[0].conditions = Thread::WFX;
        let mut subject = Subject::new(implementation);
        subject.step(&input, 0).0.increment[CYCLE_COUNTER]
    };
    assert_eq!(counted(&implementation), 1);
    implementation.knobs.cycles.pmccntr_in_wfx = false;
    assert_eq!(counted(&implementation), 0);
}

#[test]
fn ety_04_the_reset_value_is_a_knob() {
    let mut implementation = Implementation::default();
    implementation.knobs.reset_value = 0x0000_0000_8000_0022;
    let mut model = Model::new(&implementation).expect("legal");
    assert_eq!(
        model.register(SysReg::Pmevtyper(Number::at::<4>())),
        0x8000_0022
    );
    model.step_simple(&CycleInput::write(SysReg::Pmevtyper(Number::at::<4>()), 3));
    model.step_simple(&CycleInput::reset());
    assert_eq!(model.event_type(4).expect("a counter").event, 0x22);
    assert_eq!(
        model.origin(SysReg::Pmevtyper(Number::at::<4>())),
        Origin::Reset { cycle: 1 }
    );
}
