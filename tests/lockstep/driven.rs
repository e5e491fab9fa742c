//! Stimulus that drives everything that the contract has, without regard to what makes sense: RTL and model agree,
//! and the bytes that the design draws go to the model (DUT-61).

use pmu_lockstep::dut::{Dut, ModelledDut, RtlSource};
use pmu_lockstep::lockstep::engine::Control;
use pmu_lockstep::lockstep::{Lockstep, Outcome};
use pmu_lockstep::stimulus::{Reader, StimulusError, Writer};
use pmu_model::contract::{AccessKind, EVENT_LANES};
use pmu_model::{CycleInput, CycleOutput, Implementation, Number, SysReg};

use crate::implementations::rtl;
use crate::scratch::scratch;

const CYCLES: usize = 60_000;

/// xorshift64*.
struct Random(u64);

impl Random {
    fn bits(&mut self, bits: u32) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> (64 - bits)
    }

    fn one_in(&mut self, bits: u32) -> bool {
        self.bits(bits) == 0
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.bits(16) as usize % all.len()]
    }
}

/// What changes seldom: the states of the threads, the controls, and whether profiling is enabled.
struct Slow {
    states: [u8; 4],
    controls: u32,
    profiling: u8,
    driven: u8,
}

/// Cycles in which everything is driven. All random numbers are drawn in every cycle, so that these are the same
/// for every implementation.
pub fn cycles(implementation: &Implementation) -> Vec<CycleInput> {
    let mut random = Random(7);
    let registers: Vec<_> = SysReg::all(implementation).collect();
    let mut slow = Slow {
        states: [0; 4],
        controls: 0,
        profiling: 0,
        driven: 0,
    };
    let mut after_reset = false;
    (0..CYCLES)
        .map(|cycle| {
            if cycle % 64 == 0 {
                slow = Slow {
                    // Levels of Secure state, which every implementation with EL3 and Secure EL2 has.
                    states: [0; 4].map(|_| random.of(&STATES)),
                    controls: (random.bits(20) | random.bits(20)) as u32,
                    profiling: u8::from(!random.one_in(2)) | (random.bits(4) as u8) << 2,
                    driven: random.bits(2) as u8,
                };
            }
            let mut input = CycleInput {
                reset: u8::from(cycle == 0 || random.one_in(11)),
                driven: slow.driven,
                clock_stopped: u8::from(random.one_in(5)),
                counting_allowed: (random.bits(32) | random.bits(32) | random.bits(32)) as u32,
                operations: random.bits(4) as u8,
                complete: u8::from(random.one_in(7)),
                filtered_out: random.bits(1) as u8,
                profiling: slow.profiling | u8::from(random.one_in(10)) << 1,
                hpmn: random.bits(5) as u8,
                access_rt: random.bits(5) as u8,
                controls: slow.controls,
                pmuacr: random.bits(32) as u32,
                spmaccessr_el2: random.bits(64) | random.bits(64),
                spmaccessr_el3: random.bits(64) | random.bits(64),
                ..CycleInput::default()
            };
            for lane in 0..EVENT_LANES {
                input.event[lane] = random.bits(2) as u16;
            }
            for (thread, state) in input.threads.iter_mut().zip(slow.states) {
                thread.state = state;
                thread.conditions = (random.bits(7) | random.bits(7)) as u8;
                thread.count = random.bits(3) as u16;
            }
            access(&mut random, &registers, &mut input);
            keep_to_contract(&mut input, cycle / 64 % 4 == 0);
            if after_reset {
                // PMSIRR_EL1 before profiling is enabled: with INTERVAL = 0 little is compared until the next
                // reset (DUT-62).
                slow.profiling = 0;
                input = CycleInput::write(SysReg::Pmsirr, 0x101);
            }
            after_reset = input.is_reset();
            input
        })
        .collect()
}

/// What DUT-82 and DUT-83 ask for: EL2 is enabled where the state says so, and in Debug state, into which the PE goes where it
/// `may_halt`, nothing counts and nothing is profiled.
fn keep_to_contract(input: &mut CycleInput, may_halt: bool) {
    const EL2_ENABLED: u32 = 1;
    const HALTED: u32 = 1 << 11;
    const SECURE: u8 = 1;
    let (level, security) = (input.threads[0].state & 3, input.threads[0].state >> 2 & 3);
    if level == 2 || level < 2 && security != SECURE {
        input.controls |= EL2_ENABLED;
    }
    if !may_halt {
        input.controls &= !HALTED;
    }
    if input.controls & HALTED != 0 && input.driven & 1 != 0 {
        (input.counting_allowed, input.profiling) = (0, input.profiling & !1);
    }
}

/// EL0 to EL3 in Non-secure, Secure, and Realm state, as far as there are such; EL3 is in Root state. Some in
/// Streaming mode.
const STATES: [u8; 12] = [
    0x00, 0x01, 0x02, 0x04, 0x05, 0x06, 0x08, 0x09, 0x0A, 0x0F, 0x10, 0x15,
];

const EVENTS: [u64; 16] = [
    1, 2, 3, 0x08, 0x11, 0x1E, 0x23, 0x24, 0x3C, 0x8159, 0x8165, 0xC0, 0xC1, 0x4000, 0x4001, 0x4003,
];

fn access(random: &mut Random, registers: &[SysReg], input: &mut CycleInput) {
    let kind = random.of(&[
        AccessKind::None,
        AccessKind::Read,
        AccessKind::Read,
        AccessKind::Write,
        AccessKind::Write,
        AccessKind::Read32,
        AccessKind::Write32,
        AccessKind::ExternalRead,
        AccessKind::ExternalWrite,
    ]);
    let register = random.of(registers);
    let data = [random.bits(64), random.bits(64) & random.bits(64)];
    let type_of_event = random.of(&EVENTS) | data[0] & 0xFFF0_0000;
    let n = random.bits(5) as u16;
    input.access_kind = kind as u8;
    input.access_data = random.of(&data);
    input.access_address = match kind {
        AccessKind::Read32 | AccessKind::Write32 => {
            (SysReg::Pmevtyper(Number::at::<0>()).address() + n) & !(7 << 11)
        }
        AccessKind::ExternalRead | AccessKind::ExternalWrite => {
            4 * n + random.of(&[0x400, 0xA00, 0x400, 0x800])
        }
        _ => register.address(),
    };
    if kind != AccessKind::Write {
        return;
    }
    input.access_data = match register {
        // Short intervals, and never INTERVAL = 0, after which little is compared.
        SysReg::Pmsirr => (data[0] & 0x300 | 0x100) | data[0] >> 63,
        SysReg::Pmsicr => (data[0] & 0x1FF | 1) | (data[0] & 0x7 << 56),
        SysReg::Pmcr => data[0] & 0xF9 | 1,
        SysReg::Pmevtyper(_) | SysReg::Pmxevtyper => type_of_event,
        SysReg::Pmcntenclr => data[1] & data[0] >> 7,
        SysReg::Spmselr => data[0] & 0x73,
        _ => input.access_data,
    };
}

/// Runs the cycles.
fn run(
    implementation: &Implementation,
    dut: Box<dyn Dut>,
    threads: usize,
    name: &str,
) -> (Lockstep, Outcome) {
    run_over(implementation, dut, threads, name, &cycles(implementation))
}

/// Runs `inputs`.
pub fn run_over(
    implementation: &Implementation,
    dut: Box<dyn Dut>,
    threads: usize,
    name: &str,
    inputs: &[CycleInput],
) -> (Lockstep, Outcome) {
    let folder = scratch(&format!("lockstep/driven-{name}-{threads}"));
    let path = folder.join("driven.stim");
    let mut writer = Writer::create(&path, implementation, None).expect("written");
    writer
        .append(inputs)
        .expect("cycles that the contract allows");
    writer.finish().expect("written");
    let reader = Reader::open(&path).expect("stimulus");
    let mut run = Lockstep::new(implementation, dut, reader.into(), threads).expect("a run");
    let outcome = run.run(
        u64::MAX,
        &Control::default(),
        |_| Ok::<_, StimulusError>(()),
    );
    (run, outcome.expect("stimulus"))
}

fn agrees(implementation: &Implementation, dut: Box<dyn Dut>, threads: usize, name: &str) {
    let (run, outcome) = run(implementation, dut, threads, name);
    if let Outcome::Diverged(divergence) = &outcome {
        panic!("cycle {}: {divergence:#x?}", divergence.cycle);
    }
    assert!(matches!(outcome, Outcome::Agree), "{outcome:?}");
    assert_eq!(run.cycles(), CYCLES as u64);
    let fields = run.ledger().fields();
    let selected = fields
        .iter()
        .find(|field| field.field == "operations selected");
    assert!(
        selected.is_some_and(|field| field.not_compared == 0 && field.changed > 500),
        "{selected:?}"
    );
    let sampling = run.ledger().sampling().expect("sampling");
    assert!(sampling.selections > 500, "{sampling:?}");
    assert!(sampling.collisions > 100, "{sampling:?}");
    assert!(sampling.random.draws > 100, "{sampling:?}");
}

#[test]
fn model_as_a_design() {
    for threads in [1, 2] {
        let implementation = Implementation::default();
        let dut = ModelledDut::new(&implementation).expect("a design");
        agrees(&implementation, Box::new(dut), threads, "model");
    }
}

#[test]
fn bundled_rtl() {
    for threads in [1, 2] {
        let implementation = Implementation::default();
        let dut = rtl(&RtlSource::Bundled, &implementation);
        agrees(&implementation, dut, threads, "rtl");
    }
}

/// A design that says that it drew another byte than it used: the model takes the one that is told.
#[test]
fn another_byte_than_the_one_told_is_found() {
    let implementation = Implementation::default();
    let fault = |_, _: &CycleInput, output: &mut CycleOutput| {
        output.random_byte ^= output.random_drawn;
        Ok(())
    };
    let dut = ModelledDut::with_fault(&implementation, Box::new(fault)).expect("a design");
    let (_, outcome) = run(&implementation, Box::new(dut), 1, "byte");
    let Outcome::Diverged(divergence) = outcome else {
        panic!("{outcome:?}")
    };
    assert_ne!(divergence.expected.pmsicr, divergence.rtl.pmsicr);
    assert_eq!(divergence.expected.random_byte, divergence.rtl.random_byte);
}

/// A design that draws when nothing is due, and one that does not draw when it is.
#[test]
fn a_draw_too_many_and_one_too_few_are_found() {
    let implementation = Implementation::default();
    for due in [false, true] {
        let fault = move |cycle: u64, _: &CycleInput, output: &mut CycleOutput| {
            if cycle > 20_000 && (output.random_drawn == 1) == due {
                output.random_drawn ^= 1;
            }
            Ok(())
        };
        let dut = ModelledDut::with_fault(&implementation, Box::new(fault)).expect("a design");
        let (_, outcome) = run(&implementation, Box::new(dut), 1, "draws");
        let Outcome::Diverged(divergence) = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!(divergence.expected.random_drawn, u8::from(due));
        assert_eq!(divergence.rtl.random_drawn, u8::from(!due));
    }
}
