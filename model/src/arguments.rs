//! No argument of a public function makes it panic: all of them are called with arbitrary ones.

use bytemuck::{Pod, bytes_of_mut};

use crate::contract::{
    AccessKind, AccessOutcome, CycleInput, CycleOutput, DutParameters, Thread, Unknown,
};
use crate::coverage::Coverage;
use crate::cycles::{self, CycleEvents, Event};
use crate::evtyper::EventTypeRegister;
use crate::evtyper::access::{self, Context, Direction};
use crate::evtyper::effective_mt::{MtpmuEnables, effective_mt};
use crate::evtyper::events::event_behaviour;
use crate::evtyper::filter::{ExecutionState, filtered};
use crate::pmu::count_value::CountValue;
use crate::pmu::event_type::{EventTypeDecoder, Field, cycle_filter_mask, present_mask};
use crate::pmu::thread_events::thread_event;
use crate::spe::{self, Profiler, other_event_target};
use crate::spmu::{self, SystemPmu, SystemPmus, decode, groups};
use crate::sysreg::encoding_name;
use crate::threshold_control::is_reserved;
use crate::trace::{CycleRecord, Tracer};
use crate::wrapper::{Increments, Wrapper};
use crate::{EventType, Implementation, Model, Number, Recorder, SysReg};

/// Numbers that follow from a seed, half of them small or at a bound.
struct Arbitrary(u64);

impl Arbitrary {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        match mixed >> 60 {
            0..=3 => mixed & 0x3F,
            4 => u64::MAX,
            5 => 1 << (mixed & 63),
            6 => (1 << (mixed & 63)) - 1,
            7 => mixed & 0x1F,
            _ => mixed ^ mixed >> 31,
        }
    }

    fn u8(&mut self) -> u8 {
        self.next() as u8
    }

    fn bool(&mut self) -> bool {
        self.next() >> 5 & 1 == 1
    }

    /// Any bytes.
    fn pod<T: Pod>(&mut self) -> T {
        let mut value = T::zeroed();
        for byte in bytes_of_mut(&mut value) {
            *byte = self.u8();
        }
        value
    }

    fn register(&mut self) -> SysReg {
        let all: Vec<_> = SysReg::all(&Implementation::default()).collect();
        let n = self.u8();
        let numbered = [
            SysReg::pmevcntr,
            SysReg::pmevtyper,
            SysReg::pmbsr,
            SysReg::spmcgcr,
            SysReg::spmevcntr,
            SysReg::spmevtyper,
            SysReg::spmevfiltr,
            SysReg::spmevfilt2r,
        ];
        let index = self.next() as usize;
        numbered[index % 8](n).unwrap_or(all[index % all.len()])
    }

    fn system_pmu(&mut self) -> SystemPmu {
        let groups = self.next() as usize % 20;
        SystemPmu {
            implemented: self.bool(),
            groups: (0..groups).map(|_| self.next() as u16).collect(),
            size_bits: self.u8(),
            features: self.next(),
            iidr: self.bool().then(|| self.next()),
            devarch: self.bool().then(|| self.next()),
            devaff: self.bool().then(|| self.next()),
            bit19: self.bool(),
        }
    }

    /// Possible or not.
    fn implementation(&mut self) -> Implementation {
        let mut it = Implementation::default();
        // Few of the values, so that what is possible comes as well.
        for _ in 0..self.next() % 6 {
            match self.next() % 24 {
                0 => it.pmu.counters = self.u8(),
                1 => it.pmu.counter_bits = self.u8(),
                2 => it.pmu.event_count = self.u8(),
                3 => it.pmu.event_width = self.u8(),
                4 => it.pmu.thwidth = self.u8(),
                5 => it.pmu.pmmir = self.next() as u32,
                6 => it.pmu.th = self.bool(),
                7 => it.pmu.edge = self.bool(),
                8 => it.pmu.th2 = self.bool(),
                9 => it.pe.el2 = self.bool(),
                10 => it.pe.el3 = self.bool(),
                11 => it.pe.mt = self.bool(),
                12 => it.pe.fgt = self.bool(),
                13 => it.spe.implemented = self.bool(),
                14 => it.spe.max_inflight = self.u8(),
                15 => it.spe.pmsidr = self.next() as u32,
                16 => it.threads.count = self.u8(),
                17 => it.knobs.reset_value = self.next(),
                18 => it.wrapper.access_interval = self.u8(),
                19 => it.wrapper = it.wrapper.with_parts(self.next() as u16),
                20 => drop(it.knobs.reserved_map.insert("9,9,9".into(), String::new())),
                21 => it.system_pmu = (0..self.next() % 7).map(|_| self.system_pmu()).collect(),
                22 => it.pe.sel2 = self.bool(),
                _ => it.pmu.pmuv3p1 = self.bool(),
            }
        }
        it
    }

    fn event_type(&mut self) -> EventType {
        EventType {
            event: self.next() as u16,
            tc: self.u8(),
            te: self.bool(),
            tlc: self.u8(),
            th: self.next() as u16,
            reserved: self.bool(),
            bypassed: self.bool(),
            used: (self.u8(), self.bool(), self.u8()),
        }
    }

    fn direction(&mut self) -> Direction {
        if self.bool() {
            Direction::Read
        } else {
            Direction::Write
        }
    }
}

/// Calls `property` with many seeds.
fn for_many(times: u64, mut property: impl FnMut(&mut Arbitrary)) {
    for seed in 0..times {
        property(&mut Arbitrary(seed << 32));
    }
}

#[test]
fn of_numbers_and_registers() {
    for n in 0..=u8::MAX {
        assert_eq!(SysReg::pmevcntr(n).is_some(), n < 31);
        assert_eq!(SysReg::pmevtyper(n).is_some(), n < 31);
        assert_eq!(SysReg::pmbsr(n).is_some(), (1..=3).contains(&n));
        assert_eq!(SysReg::spmcgcr(n).is_some(), n < 2);
        for of_system in [
            SysReg::spmevcntr,
            SysReg::spmevtyper,
            SysReg::spmevfiltr,
            SysReg::spmevfilt2r,
        ] {
            assert_eq!(of_system(n).is_some(), n < 16);
        }
        assert_eq!(
            SysReg::of_counters(n).count(),
            11 + 2 * usize::from(n.min(31))
        );
        assert_eq!(AccessOutcome::try_from(n).is_ok(), n < 7);
        if let Ok(outcome) = AccessOutcome::try_from(n) {
            assert_eq!(outcome as u8, n);
        }
        let _ = (
            AccessKind::from_code(n),
            AccessOutcome::name_of(n),
            Increments::from_code(n),
        );
        let _ = (ExecutionState::of_thread(n), Thread::state_of(n, n, true));
        let _ = groups::bank_and_register(n);
    }
    for address in 0..=u16::MAX {
        let _ = SysReg::from_address_32(address);
        if let Some(register) = SysReg::from_address(address) {
            assert_eq!(register.address(), address);
        }
        let _ = (
            SysReg::from_offset(address),
            encoding_name(address),
            thread_event(address),
        );
    }
    assert_eq!(Number::<1, 3>::all().count(), 3);
}

#[test]
fn of_a_model() {
    let model = Model::new(&Implementation::default()).expect("possible");
    for n in 0..=u8::MAX {
        assert_eq!(model.c_p(n.into()).is_some(), n < 31);
        assert_eq!(model.event_type(n).is_some(), n < 31);
    }
    assert_eq!(model.c_p(usize::MAX), None);
    let mut possible = 0;
    for_many(400, |any| {
        let implementation = any.implementation();
        let Ok(mut model) = Model::new(&implementation) else {
            return;
        };
        possible += 1;
        let mut recorder = Recorder::new(any.next() as usize);
        for _ in 0..50 {
            let input: CycleInput = any.pod();
            let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
            model.step(&input, any.u8(), &mut output, &mut unknown, &mut recorder);
            let register = any.register();
            model.step_simple(&CycleInput::write(register, any.next()));
            let _ = (model.register(register), model.origin(register));
            let event = any.next() as u16;
            let _ = (model.is_chain(event), model.event_value(event, &input));
        }
        let lengths: [usize; 4] = std::array::from_fn(|_| any.next() as usize % 4);
        model.run(
            &vec![any.pod(); lengths[0]],
            &vec![1; lengths[1]],
            &mut vec![CycleOutput::default(); lengths[2]],
            &mut vec![Unknown::default(); lengths[3]],
        );
        let mut coverage = Coverage::new(&implementation);
        for record in recorder.records() {
            coverage.take(record);
        }
        let _ = (coverage.uncovered(), coverage.not_possible().count());
    });
    assert!(possible > 100, "{possible}");
}

#[test]
fn of_a_recorder() {
    for depth in [0, 1, usize::MAX] {
        let mut recorder = Recorder::new(depth);
        for cycle in 0..3 {
            recorder.record(CycleRecord::reset(cycle));
        }
        assert_eq!(recorder.records().count(), depth.min(3));
    }
}

#[test]
fn of_implementations() {
    for_many(3000, |any| {
        let it = any.implementation();
        let parameters = DutParameters::of(&it);
        let _ = (
            it.validate(),
            parameters.features,
            it.features(),
            it.spmcfgr(),
        );
        let _ = (it.pmsidr(), it.reserved_map(), it.max_inflight());
        let _: DutParameters = any.pod();
        let n = any.u8();
        let _ = (present_mask(n, &it), cycle_filter_mask(&it));
        if let Ok(decoder) = EventTypeDecoder::new(&it) {
            let _ = decoder.decode(n, any.next());
        }
        let mut register = EventTypeRegister::new(n, &it);
        register.write(any.next());
        let field = Field {
            name: "any",
            high: any.u8(),
            low: any.u8(),
        };
        let _ = register.field(field);
        let input: CycleInput = any.pod();
        let context = Context::of_cycle(n, &input);
        let direction = any.direction();
        let (outcome, _) = access::access(n, direction, &context, &it);
        access::perform(outcome, direction, &mut register, &mut any.next());
        let _ = access::trap_iss_of(any.next() as u16, direction, any.u8());
        let state = ExecutionState::of_thread(any.u8());
        let _ = filtered(any.next(), state, &it);
        let enables = MtpmuEnables::default();
        let _ = effective_mt(any.next(), enables, &it);
        let _ = event_behaviour(any.next() as u16, |event| event < 8, &it);
        let mut datapath = CountValue::<u16>::new(&it);
        datapath.set_type(any.next() as usize, &any.event_type());
        let mut pmus = SystemPmus::new(&it);
        for _ in 0..4 {
            pmus.write(any.register(), any.next());
            let register = any.register();
            let _ = (pmus.read(register), pmus.place(register));
        }
        let context = spmu::access::Context::of_cycle(any.u8(), any.bool(), &input);
        let features = spmu::access::Features::of(&it);
        let clause = spmu::access::clause(direction, &context, &features);
        let _ = spmu::access::outcome(clause, &context);
        let _ = Wrapper::default().with_parts(any.next() as u16).lacks();
        let _ = is_reserved(any.u8(), any.bool(), any.u8());
        let _ = other_event_target(any.bool(), any.u8(), any.u8());
        if it.validate().is_err() {
            assert!(Model::new(&it).is_err());
        }
    });
}

#[test]
fn of_system_pmus() {
    for_many(3000, |any| {
        let pmu = any.system_pmu();
        let _ = (
            pmu.max(),
            pmu.implemented_counters(),
            pmu.total(),
            pmu.problems(),
        );
        for group in pmu.counter_groups() {
            let _ = (group.indices(), group.to_string());
        }
        let mut registers = pmu.registers();
        let _ = decode(&registers);
        registers.spmcfgr = any.next();
        registers.spmcgcr = [any.next(), any.next()];
        let decoded = decode(&registers);
        for problem in &decoded.problems {
            let _ = problem.to_string();
        }
        let _ = registers.group_count(any.next() as usize);
        let _ = spmu::discovery::discover(&registers, &[any.next()], &[0]);
    });
    assert_eq!(
        groups::counter_groups(&vec![u16::MAX; 70_000]).len(),
        70_000
    );
}

#[test]
fn of_profilers_and_threads() {
    for_many(500, |any| {
        let config = spe::Config {
            ernd: any.bool(),
            max_inflight: any.next() as u32,
            spe_exc: any.bool(),
            knobs: spe::Knobs::default(),
        };
        if let Ok(mut profiler) = Profiler::new(&config) {
            let random = vec![any.u8(); 300];
            for _ in 0..20 {
                let input = spe::Input {
                    enabled: any.bool(),
                    operations: any.u8().into(),
                    random: &random,
                    complete: any.next() as u32,
                    filtered_out: any.next() as u32,
                    discard: any.bool(),
                    pmsee: any.u8(),
                    ee: any.u8(),
                    write_pmsicr: any.bool().then(|| any.next()),
                    write_pmsirr: any.bool().then(|| any.next()),
                    write_coll: [Some(any.bool()), None, Some(any.bool())],
                };
                let _ = profiler.step(&input, |_, _| ());
            }
        }
        let events = CycleEvents::new(&cycles::Config::default());
        let thread = cycles::Thread::from(&any.pod::<Thread>());
        for event in Event::ALL {
            let own = any.next() as usize;
            let _ = events.count(
                event,
                any.bool(),
                any.bool(),
                own,
                std::slice::from_ref(&thread),
            );
        }
    });
}
