//! The choices of section 1 of the ambiguity list: each has a configuration in which it decides, and its other values
//! give another count there.

use pmu_model::implementation::{
    CpWhenNotCounting, CtWhenBypassed, Knobs, LinkFromIdle, ReservedPolicy, Rhbwbb,
};
use pmu_model::{CycleInput, Implementation, Model, Number, SysReg, Unknown};

/// Event 1, and what is done with it.
fn event_type(tc: u64, te: u64, tlc: u64, th: u64) -> u64 {
    tc << 61 | te << 60 | tlc << 54 | th << 32 | 1
}

/// A model with these knobs, all counters counting.
struct Subject(Model);

impl Subject {
    fn new(knobs: Knobs) -> Self {
        let implementation = Implementation {
            knobs,
            ..Implementation::default()
        };
        let mut subject = Self(Model::new(&implementation).expect("legal knobs"));
        subject.write(SysReg::Pmcntenset, u64::MAX);
        subject.write(SysReg::Pmcr, 1);
        subject
    }

    fn write(&mut self, register: SysReg, data: u64) {
        self.0.step_simple(&CycleInput::write(register, data));
    }

    fn set(&mut self, n: u8, event_type: u64) {
        self.write(SysReg::pmevtyper(n).expect("a counter"), event_type);
    }

    /// V of all counters, and what is UNKNOWN, in a cycle with these values of events 1 and 2.
    fn cycle(&mut self, events: [u16; 2], counting_allowed: u32) -> ([u16; 4], Unknown) {
        let mut input = CycleInput {
            counting_allowed,
            ..CycleInput::default()
        };
        input.event[1..3].copy_from_slice(&events);
        let (output, unknown) = self.0.step_simple(&input);
        (std::array::from_fn(|n| output.increment[n]), unknown)
    }

    /// V\[n\] in a cycle with this value of event 1.
    fn v(&mut self, n: usize, value: u16) -> u16 {
        self.cycle([value, 0], u32::MAX).0[n]
    }
}

/// A-TH-1: TLC alone, with TC, TH and TE all zero.
#[test]
fn rhbwbb() {
    let counted = |rhbwbb| {
        let mut subject = Subject::new(Knobs {
            rhbwbb,
            ..Knobs::default()
        });
        subject.set(0, 2);
        // Row (E): V[0] if V_B[1] is not 0.
        subject.set(1, event_type(0, 0, 0b10, 0));
        subject.cycle([3, 8], u32::MAX).0[1]
    };
    assert_eq!(
        (counted(Rhbwbb::LinkAware), counted(Rhbwbb::Literal)),
        (8, 3)
    );
}

/// A-TH-3: C_P after a cycle in which counting was not allowed.
#[test]
fn cp_when_not_counting() {
    let counted = |cp_when_not_counting| {
        let mut subject = Subject::new(Knobs {
            cp_when_not_counting,
            ..Knobs::default()
        });
        subject.set(0, event_type(0b001, 1, 0, 0));
        assert_eq!(subject.v(0, 5), 1);
        subject.cycle([5, 0], 0);
        subject.v(0, 5)
    };
    assert_eq!(
        (
            counted(CpWhenNotCounting::Zero),
            counted(CpWhenNotCounting::Hold)
        ),
        (1, 0)
    );
}

/// A-TH-4: whether C_T is recorded while threshold, edge and link are off.
#[test]
fn ct_when_bypassed() {
    let counted = |ct_when_bypassed| {
        let mut subject = Subject::new(Knobs {
            ct_when_bypassed,
            ..Knobs::default()
        });
        subject.set(0, event_type(0, 0, 0, 0));
        // C_T is TRUE in the cycle in which TE is written.
        let mut write = CycleInput::write(
            SysReg::Pmevtyper(Number::at::<0>()),
            event_type(0b001, 1, 0, 0),
        );
        write.event[1] = 5;
        subject.0.step_simple(&write);
        subject.v(0, 5)
    };
    assert_eq!(
        (
            counted(CtWhenBypassed::Update),
            counted(CtWhenBypassed::Hold)
        ),
        (0, 1)
    );
}

/// A-TH-5: V\[n-1\] of a counter that is not counting.
#[test]
fn link_from_idle() {
    let counted = |link_from_idle| {
        let mut subject = Subject::new(Knobs {
            link_from_idle,
            ..Knobs::default()
        });
        for n in 0..3 {
            subject.set(n, 2);
        }
        subject.set(3, event_type(0, 0, 0b10, 0));
        // Counter 2 is not counting; counter 1 counts 8.
        subject.cycle([3, 8], !(1 << 2)).0[3]
    };
    assert_eq!(
        (counted(LinkFromIdle::Zero), counted(LinkFromIdle::Stale)),
        (0, 8)
    );
}

/// A-TH-5 STALE with TH-35: what is linked past a counter that is not counting is UNKNOWN if its source is.
#[test]
fn link_of_an_unknown_value_from_idle() {
    let unknown = |link_from_idle| {
        let mut subject = Subject::new(Knobs {
            link_from_idle,
            ..Knobs::default()
        });
        // TH-30: reserved.
        subject.set(1, event_type(0b100, 0, 0b11, 0));
        for n in [3, 5] {
            subject.set(n, event_type(0, 0, 0b10, 0));
        }
        // Counters 2 and 4 are not counting.
        subject.cycle([3, 8], !(1 << 2 | 1 << 4)).1.increments & 0b11_1111
    };
    assert_eq!(
        (unknown(LinkFromIdle::Zero), unknown(LinkFromIdle::Stale)),
        (0b10, 0b10_1010)
    );
}

/// V\[1\] with {TC, TE, TLC} = {001, 1, 01}, reserved by TH-32, TH = 4, V_B\[1\] = 3 in both of two cycles, and V\[0\] = 8.
fn reserved(reserved_policy: ReservedPolicy, map: &[(&str, &str)]) -> [u16; 2] {
    let text = |&(from, to): &(&str, &str)| (from.to_owned(), to.to_owned());
    let mut subject = Subject::new(Knobs {
        reserved_policy,
        reserved_map: map.iter().map(text).collect(),
        compare_reserved: true,
        ..Knobs::default()
    });
    subject.set(0, 2);
    subject.set(1, event_type(0b001, 1, 0b01, 4));
    // Leaves C_P FALSE.
    subject.v(1, 4);
    [(); 2].map(|()| subject.cycle([3, 8], u32::MAX).0[1])
}

/// A-TH-6: V = V_B.
#[test]
fn reserved_policy_disabled() {
    assert_eq!(reserved(ReservedPolicy::Disabled, &[]), [3, 3]);
}

/// A-TH-6: as if TLC were 00: V_B becoming other than 4 counts 1, once.
#[test]
fn reserved_policy_drop_field() {
    assert_eq!(reserved(ReservedPolicy::DropField, &[]), [1, 0]);
}

/// A-TH-6: TE is dropped as well if the rest is still reserved (TH-33): {100, 1, 11} is {100, 0, 00}.
#[test]
fn reserved_policy_drop_field_drops_te_last() {
    let mut subject = Subject::new(Knobs {
        reserved_policy: ReservedPolicy::DropField,
        ..Knobs::default()
    });
    subject.set(1, event_type(0b100, 1, 0b11, 4));
    assert_eq!(
        [subject.v(1, 3), subject.v(1, 4), subject.v(1, 9)],
        [0, 4, 9]
    );
}

/// A-TH-6: an allocated value from the table, here row (D): 1 if V_B is not 4, else V\[0\]; then row (E).
#[test]
fn reserved_policy_map() {
    assert_eq!(
        reserved(ReservedPolicy::Map, &[("001,1,01", "001,0,01")]),
        [1, 1]
    );
    assert_eq!(reserved(ReservedPolicy::Map, &[("1,1,1", "0,0,2")]), [8, 8]);
}

/// A-TH-6: what the table leaves out counts V_B.
#[test]
fn reserved_policy_map_without_an_entry() {
    let elsewhere = [("000,1,00", "001,1,00")];
    assert_eq!(reserved(ReservedPolicy::Map, &elsewhere), [3, 3]);
}

/// A-TH-6: what the table leads to is allocated.
#[test]
fn reserved_policy_map_to_a_reserved_value() {
    let mut implementation = Implementation::default();
    let entry = ("001,1,01".to_owned(), "000,1,00".to_owned());
    implementation.knobs.reserved_map = [entry].into();
    let error = Model::new(&implementation).expect_err("not legal");
    assert_eq!(error.problems[0].key, "knobs.reserved_map");
}

/// TH-35: a counter in a reserved configuration, and one that is linked to it, are not compared unless asked for.
#[test]
fn compare_reserved() {
    let unknown = |compare_reserved| {
        let mut subject = Subject::new(Knobs {
            compare_reserved,
            ..Knobs::default()
        });
        subject.set(2, event_type(0, 1, 0, 0));
        subject.set(3, event_type(0, 0, 0b10, 0));
        subject.cycle([1, 1], u32::MAX).1.increments
    };
    assert_eq!((unknown(false), unknown(true)), (0b1100, 0));
}
