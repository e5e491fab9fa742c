//! TH-09 and TH-20 to TH-36 by the tables of the text, over every {TC, TE, TLC}. V and C_P are proved to be these tables
//! for all values, of the default implementation, with the other proofs.

use pmu_model::Implementation;
use pmu_model::pmu::count_value::CountValue;
use pmu_model::pmu::event_type::EventTypeDecoder;

use crate::tables::Counted::{self, Below, Nothing, One, Own};
use crate::tables::{CONDITIONS, EDGES, ROWS, event_type, reserved};

/// Values of TH.
const TH: [u16; 5] = [0, 1, 2, 3, 0xFFF];
/// Values of V_B, some wider than TH, and one wider than any event lane.
const V_B: [u64; 9] = [0, 1, 2, 3, 4, 0xFFF, 0x1000, 0x1001, 0x1_0000_0000];
/// Values of V\[n-1\].
const BELOW: [u64; 3] = [0, 1, 0x10005];

/// A point of the space: counter n with its configuration and inputs.
#[derive(Clone, Copy, Debug)]
struct Point {
    n: usize,
    tc: u8,
    te: u8,
    tlc: u8,
    th: u16,
    v_b: u64,
    below: u64,
    c_p: u8,
    counting: bool,
}

/// Every point on counters 2 and 3; TLC has no effect on the even one.
fn points() -> impl Iterator<Item = Point> {
    let shapes = (0..256).map(|bits: usize| (2 + bits / 128, (bits / 64 % 2) as u8, bits % 64));
    shapes.flat_map(|(n, c_p, bits)| {
        let (tc, te, tlc) = ((bits / 8) as u8, (bits / 4 % 2) as u8, (bits % 4) as u8);
        let inputs = TH
            .iter()
            .flat_map(|&th| V_B.iter().map(move |&v_b| (th, v_b)));
        let inputs = inputs.flat_map(|(th, v_b)| BELOW.iter().map(move |&below| (th, v_b, below)));
        inputs.flat_map(move |(th, v_b, below)| {
            [false, true].map(|counting| Point {
                n,
                tc,
                te,
                tlc,
                th,
                v_b,
                below,
                c_p,
                counting,
            })
        })
    })
}

/// What the model makes of a point.
#[derive(Debug)]
struct Made {
    c_t: bool,
    c_e: bool,
    v_b: u64,
    v_t: u64,
    v_e: u64,
    v: u64,
    /// C_P after the cycle.
    next: bool,
}

struct Datapath {
    decoder: EventTypeDecoder,
    fresh: CountValue<u64>,
}

impl Datapath {
    fn new() -> Self {
        let implementation = Implementation::default();
        Self {
            decoder: EventTypeDecoder::new(&implementation).expect("a legal implementation"),
            fresh: CountValue::new(&implementation),
        }
    }

    fn make(&self, point: &Point) -> Made {
        let Point {
            n,
            tc,
            te,
            tlc,
            th,
            v_b,
            below,
            c_p,
            counting,
        } = *point;
        let mut datapath = self.fresh.clone();
        let set = |datapath: &mut CountValue<u64>, value| {
            datapath.set_type(n, &self.decoder.decode(n as u8, value));
        };
        // A cycle with V_B >= 0 leaves C_P TRUE, one with V_B < 0 FALSE (TH-28).
        let always = event_type(if c_p == 1 { 0b101 } else { 0b111 }, 0, 0, 0);
        set(&mut datapath, always);
        let values = datapath.evaluate(&[0; 32], 1 << n);
        datapath.commit(&values);
        assert_eq!(datapath.c_p()[n] != 0, c_p == 1);

        set(&mut datapath, event_type(tc, te, tlc, th));
        let mut base = [0; 32];
        base[n] = v_b;
        base[n - 1] = below;
        let mask = u32::from(counting) << n | 1 << (n - 1);
        let values = datapath.evaluate(&base, mask);
        let inner = datapath.intermediates(&values);
        datapath.commit(&values);
        Made {
            c_t: values.c_t[n] != 0,
            c_e: values.c_e[n] != 0,
            v_b: values.v_b[n],
            v_t: inner.v_t[n],
            v_e: inner.v_e[n],
            v: values.v[n],
            next: datapath.c_p()[n] != 0,
        }
    }
}

impl Point {
    /// Effective TLC (TH-06).
    fn tlc(&self) -> u8 {
        if self.n % 2 == 1 { self.tlc } else { 0 }
    }

    fn is_reserved(&self) -> bool {
        reserved(self.tc, self.te, self.tlc())
    }

    fn c_t(&self) -> bool {
        let (_, condition) = CONDITIONS[usize::from(self.tc >> 1)];
        self.counting && condition(self.v_b.cmp(&self.th.into()))
    }

    fn c_e(&self) -> bool {
        self.counting && EDGES.contains(&(self.tc, self.c_p, u8::from(self.c_t())))
    }

    fn row(&self) -> (Counted, Counted) {
        let row = ROWS.iter().find(|&&(te, tlc, tc0, ..)| {
            (te, tlc) == (self.te, self.tlc()) && (tc0 == 2 || tc0 == self.tc & 1)
        });
        let &(_, _, _, if_true, if_false, _) = row.expect("not reserved");
        (if_true, if_false)
    }

    /// The result of the row for a condition.
    fn by_row(&self, condition: bool) -> u64 {
        let (if_true, if_false) = self.row();
        match if condition { if_true } else { if_false } {
            _ if !self.counting => 0,
            Nothing => 0,
            One => 1,
            Own => self.v_b,
            Below => self.below,
        }
    }
}

/// Compares one value of all points for which `expected` has one.
fn compare<T: PartialEq + std::fmt::Debug>(
    expected: impl Fn(&Point) -> Option<T>,
    made: impl Fn(&Made) -> T,
) {
    let datapath = Datapath::new();
    let mut compared = 0;
    for point in points() {
        let Some(expected) = expected(&point) else {
            continue;
        };
        let values = datapath.make(&point);
        assert_eq!(made(&values), expected, "{point:?}: {values:?}");
        compared += 1;
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn th_09_a_counter_that_is_not_counting_has_zeros() {
    let zeros = |made: &Made| (made.v_b, made.c_t, made.c_e, made.v_t, made.v_e, made.v);
    compare(
        |point| (!point.counting).then_some((0, false, false, 0, 0, 0)),
        zeros,
    );
}

#[test]
fn th_20_c_t() {
    compare(|point| Some(point.c_t()), |made| made.c_t);
}

#[test]
fn th_22_c_e() {
    // With TE = 0 and a TC that is reserved with TE = 1, C_E has no meaning.
    let reachable = |point: &&Point| point.tc & 0b11 != 0;
    compare(
        |point| Some(point).filter(reachable).map(Point::c_e),
        |made| made.c_e,
    );
}

#[test]
fn th_23_and_th_24_v_t() {
    let by_row = |point: &Point| point.by_row(point.c_t());
    let legal = |point: &&Point| point.te == 0 && !point.is_reserved();
    compare(
        |point| Some(point).filter(legal).map(by_row),
        |made| made.v_t,
    );
}

#[test]
fn rows_have_the_names_of_the_tables() {
    let decoder = EventTypeDecoder::new(&Implementation::default()).expect("legal");
    for (te, tlc, tc0, .., name) in ROWS {
        // TC = 010 or 011, which is legal with TE.
        let decoded = decoder.decode(3, event_type(0b010 | tc0 & 1, te, tlc, 0));
        assert_eq!(decoded.table_row(), Some(name));
    }
}

#[test]
fn th_25_and_th_26_v_e() {
    let by_row = |point: &Point| point.by_row(point.c_e());
    let legal = |point: &&Point| point.te == 1 && !point.is_reserved();
    compare(
        |point| Some(point).filter(legal).map(by_row),
        |made| made.v_e,
    );
}

#[test]
fn th_27_v() {
    let v = |point: &Point| match (point.te, point.tc, point.th, point.tlc()) {
        _ if point.is_reserved() => None,
        (1, ..) => Some(point.by_row(point.c_e())),
        // Threshold, edge and link are all off.
        (0, 0, 0, 0) => Some(if point.counting { point.v_b } else { 0 }),
        _ => Some(point.by_row(point.c_t())),
    };
    compare(v, |made| made.v);
}

#[test]
fn th_28_c_p_takes_c_t() {
    compare(|point| Some(point.c_t()), |made| made.next);
}

#[test]
fn th_35_by_default_a_reserved_type_counts_v_b() {
    let v_b = |point: &Point| if point.counting { point.v_b } else { 0 };
    compare(
        |point| Some(point).filter(|point| point.is_reserved()).map(v_b),
        |made| made.v,
    );
}

#[test]
fn th_30_to_th_33_reserved_types() {
    let decoder = EventTypeDecoder::new(&Implementation::default()).expect("legal");
    let mut counts = [0; 2];
    for bits in 0..64 {
        let (tc, te, tlc) = (bits / 8, bits / 4 % 2, bits % 4);
        let of = |n| decoder.decode(n, event_type(tc, te, tlc, 1)).reserved;
        assert_eq!(of(3), reserved(tc, te, tlc), "{tc:03b} {te} {tlc:02b}");
        // TH-36: TLC is 00 for an even counter, whatever is written.
        assert_eq!(of(2), reserved(tc, te, 0), "{tc:03b} {te} {tlc:02b}");
        counts[0] += u32::from(of(2));
        counts[1] += u32::from(of(3));
    }
    // 2 of 16 for each of the four values of TLC; 32 of 64.
    assert_eq!(counts, [8, 32]);
}

#[test]
fn th_36_a_type_is_reserved_by_features_that_are_there() {
    let mut implementation = Implementation::default();
    implementation.pmu.th2 = false;
    let decoder = EventTypeDecoder::new(&implementation).expect("legal");
    assert!(!decoder.decode(3, event_type(0b001, 0, 0b11, 0)).reserved);
    assert!(decoder.decode(3, event_type(0b000, 1, 0b11, 0)).reserved);
    implementation.pmu.edge = false;
    let decoder = EventTypeDecoder::new(&implementation).expect("legal");
    assert!(!decoder.decode(3, event_type(0b000, 1, 0b11, 0)).reserved);
}

#[test]
fn th_02_without_th_v_is_v_b() {
    let mut implementation = Implementation::default();
    implementation.pmu.th = false;
    implementation.pmu.edge = false;
    implementation.pmu.th2 = false;
    let decoder = EventTypeDecoder::new(&implementation).expect("legal");
    let mut datapath = CountValue::<u64>::new(&implementation);
    datapath.set_type(3, &decoder.decode(3, u64::MAX));
    let mut base = [0; 32];
    base[3] = 0x1234;
    assert_eq!(datapath.evaluate(&base, 1 << 3).v[3], 0x1234);
}

#[test]
fn th_08_th_beyond_thwidth_does_not_count() {
    let mut implementation = Implementation::default();
    implementation.pmu.thwidth = 4;
    let decoder = EventTypeDecoder::new(&implementation).expect("legal");
    // TH = 0x13 is 3: V_B >= 3.
    let decoded = decoder.decode(0, event_type(0b100, 0, 0, 0x13));
    assert_eq!(decoded.th, 3);
    let mut datapath = CountValue::<u64>::new(&implementation);
    datapath.set_type(0, &decoded);
    let v = |v_b| {
        let mut base = [0; 32];
        base[0] = v_b;
        datapath.evaluate(&base, 1).v[0]
    };
    assert_eq!([v(2), v(3), v(16), v(19)], [0, 3, 16, 19]);
}

#[test]
fn th_10_links_are_of_the_same_cycle_and_reach_one_counter_up() {
    // Counter 1 links to 0, 3 to 2: 2 does not see 1.
    let implementation = Implementation::default();
    let decoder = EventTypeDecoder::new(&implementation).expect("legal");
    let mut datapath = CountValue::<u64>::new(&implementation);
    for n in 0..4 {
        let value = event_type(0b000, 0, 0b01, 0);
        datapath.set_type(n, &decoder.decode(n as u8, value));
    }
    let mut base = [0; 32];
    base[0] = 5;
    assert_eq!(datapath.evaluate(&base, 0xF).v[..4], [5, 5, 0, 0]);
    base[0] = 0;
    base[2] = 7;
    assert_eq!(datapath.evaluate(&base, 0xF).v[..4], [0, 0, 7, 7]);
}
