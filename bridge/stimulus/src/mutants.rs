//! How soon the default profile finds mistakes: a small counter unit, written for this test alone, with one mistake at
//! a time, beside the golden model. Reported is the cycle at which the outputs differ first.

use std::fmt::Write as _;

use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::pmu::event_type::{EventType, EventTypeDecoder, cycle_filter_mask, present_mask};
use pmu_model::{CycleInput, CycleOutput, Implementation, Model, SysReg, Unknown};

use super::{Generator, Profile};

macro_rules! mistakes {
    ($($name:ident),+ $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Mistake { None, $($name),+ }
        const MISTAKES: &[Mistake] = &[$(Mistake::$name),+];
    };
}

mistakes! {
    // Threshold.
    GreaterForGreaterOrEqual, LessOrEqualForLess, EqualForNotEqual, EqualOnLow11Bits, EqualIgnoresBit0,
    EqualIgnoresBit7, EqualIgnoresBit15, BaseTruncatedTo12, BaseTruncatedTo8, ComparedSigned, ThIsOneMore,
    Th11Bits, ThZeroNeverEqual, AllOnesIsZero, TcZeroThNonzeroBypassed, CountsBaseForOne, CountsOneForBase,
    // Edge.
    BothEdgesRiseOnly, RiseIsBothEdges, FallInsteadOfRise, CpHeldWhileIdle, CpNotTakenWithoutTe,
    CpClearedByTypeWrite, CpClearedByZeroing, CpNotUpdatedDuringRead, CpOfZeroBase, EdgeCountsBase,
    CpSetWhileIdle, CpStaleAfterOneIdleCycle, CpHeldWhileGloballyOff, CpHeldWhileDisabled,
    // Link.
    LinksBase, LinksPreviousCycle, LinksBelowOfIdle, LinkOnTrueOnly, Link01As00, Link10As00, LinkEdgeAsOne,
    LinkLiteral, LinkTruncatedTo8, LinkOfFirstPairForAll, LinkedEdgeWithoutCe, LinkIgnoresOwnCounting,
    // Counting.
    IgnoresAllowed, IgnoresAllowedOfCounter30, IgnoresAllowedOfCycleCounter, IgnoresGlobalEnable,
    CycleCounterIgnoresGlobalEnable, EnableAtOnce, EnableReplaces, DisableClearsAll,
    // Counters.
    OverflowIgnoresLp, NoCarryIntoHighHalf, OverflowOnlyToZero, OverflowOnlyOfOnes, AddsOnly12Bits,
    IncrementAddedToWrite, ReportsZeroWhenWritten, ReportsZeroWhenZeroed, ZeroingMissesCounter30,
    ZeroingClearsFlags, CZeroesAll, PZeroesCycleCounter, CycleCounterOverflowsAt32, HighHalfLostOnRead,
    ReadSeesIncrement, CycleCounterReadSeesIncrement, LongIgnoredOnEven,
    // Flags.
    ClearWinsOverOverflow, WrittenCounterStillOverflows, ZeroedCounterStillOverflows, SetActsAsClear,
    FlagOfCounterAbove, TwoOverflowsAtOnceLoseOne, FlagLostDuringTypeWrite, ClearClearsAll,
    // CHAIN.
    ChainWithLong, ChainOnEven, ChainOfWrittenCounter, ChainWithoutThreshold, ChainIgnoresBelow,
    ChainIsOrdinaryEvent, ChainCountsWidth,
    // Registers.
    SelectHas4Bits, SelectIgnoredByCounter, TypeHas10BitEvents, EventsModulo64, MtMissing,
    TypeResetsToOne, ResetKeepsFlags, ResetKeepsSelect, ResetKeepsLong, ResetKeepsType17, ResetKeepsEnables,
    ResetKeepsCounter5, ResetKeepsCycleCounter, ResetKeepsCycleFilter, ResetTakesWrite, TypeOfNeighbour,
    ControlReadsP, PmmirLosesBit, ControlLpAlwaysSet, IdleAccessWrites, PmmirWritable,
    SelectedCycleCounterWritable, CycleFilterNotSelected, UndefinedReadsOk, UndefinedReturnsData,
    WrongEncodingAccepted,
    // Coincidences.
    EqualWhileBelowIsOnes, OverflowDuringWriteOfNeighbour, StopTogetherWithRead, SevenLinksAtOnce,
    CpWrongAfterControlWriteAtEdge, FlagLostWhenSetTogether,
}
use Mistake as M;

/// A counter unit of the default implementation, with a mistake.
struct Unit {
    mistake: Mistake,
    decoder: EventTypeDecoder,
    present: [u64; 32],
    types: [u64; 32],
    decoded: [EventType; 32],
    count: [u64; 32],
    c_p: [bool; 32],
    last_v: [u16; 32],
    enabled: u32,
    flags: u32,
    select: u8,
    enable: bool,
    long: bool,
    idle_for: [u32; 32],
    pmmir: u64,
}

impl Unit {
    fn new(mistake: Mistake) -> Self {
        let implementation = Implementation::default();
        let decoder = EventTypeDecoder::new(&implementation).unwrap();
        let mut present = std::array::from_fn(|n| present_mask(n as u8, &implementation));
        present[CYCLE_COUNTER] = cycle_filter_mask(&implementation);
        if mistake == M::MtMissing {
            present
                .iter_mut()
                .for_each(|present| *present &= !(1 << 25));
        }
        if mistake == M::Th11Bits {
            present
                .iter_mut()
                .for_each(|present| *present &= !(1 << 43));
        }
        Self {
            mistake,
            decoded: std::array::from_fn(|n| decoder.decode(n as u8, 0)),
            decoder,
            present,
            types: [0; 32],
            count: [0; 32],
            c_p: [false; 32],
            last_v: [0; 32],
            enabled: 0,
            flags: 0,
            select: 0,
            enable: false,
            long: false,
            idle_for: [0; 32],
            pmmir: 2 << 24 | 12 << 20,
        }
    }

    fn is(&self, mistake: Mistake) -> bool {
        self.mistake == mistake
    }

    fn set_type(&mut self, n: usize, data: u64) {
        self.types[n] = data & self.present[n];
        let mut data = self.types[n];
        if self.is(M::TypeHas10BitEvents) {
            data &= !0xFC00;
        }
        self.decoded[n] = self.decoder.decode(n as u8, data);
        if self.is(M::TypeOfNeighbour) && n == 22 {
            self.decoded[n].th = self.decoded[23].th;
        }
    }

    fn step(&mut self, input: &CycleInput) -> CycleOutput {
        let mut out = CycleOutput::default();
        if input.reset == 1 {
            self.reset(input);
            return out;
        }
        let register = SysReg::from_address(input.access_address);
        let register = match register {
            None if self.is(M::WrongEncodingAccepted) => {
                SysReg::from_address(input.access_address ^ 0x2000)
            }
            register => register,
        };
        let writes =
            input.access_kind == 2 || (input.access_kind == 0 && self.is(M::IdleAccessWrites));
        let select = self.select;
        let (enable, enabled) = (self.enable, self.enabled);
        let te: [bool; 32] = std::array::from_fn(|n| self.decoded[n].te);
        let mut counting = self.enabled & input.counting_allowed;
        if self.is(M::EnableAtOnce) && writes && register == Some(SysReg::Pmcntenset) {
            counting |= input.access_data as u32 & input.counting_allowed;
        }
        match self.mistake {
            M::IgnoresAllowed => counting = self.enabled,
            M::IgnoresAllowedOfCounter30 => counting |= self.enabled & 1 << 30,
            M::IgnoresAllowedOfCycleCounter => counting |= self.enabled & 1 << 31,
            _ => {}
        }
        if !self.enable && !self.is(M::IgnoresGlobalEnable) {
            counting &= if self.is(M::CycleCounterIgnoresGlobalEnable) {
                1 << 31
            } else {
                0
            };
        }
        // What is written to the counters.
        let mut written = 0u32;
        if writes {
            match register {
                Some(SysReg::Pmevcntr(n)) => written = 1 << n.get(),
                Some(SysReg::Pmxevcntr) if select < 31 => written = 1 << select,
                Some(SysReg::Pmccntr) => written = 1 << 31,
                Some(SysReg::Pmcr) => {
                    let (p, c) = (
                        input.access_data >> 1 & 1 == 1,
                        input.access_data >> 2 & 1 == 1,
                    );
                    let p = p || (c && self.is(M::CZeroesAll));
                    let c = c || (p && self.is(M::PZeroesCycleCounter));
                    written = if p { 0x7FFF_FFFF } else { 0 } | if c { 1 << 31 } else { 0 };
                }
                _ => {}
            }
        }
        let mut v = [0u16; 32];
        let mut overflow = 0u32;
        let mut sums = self.count;
        let mut c_t = [false; 32];
        let mut linking = 0;
        for n in 0..31 {
            let counts = counting >> n & 1 == 1;
            let (value, condition, links) = self.value(
                n,
                input,
                counting,
                &v,
                overflow & !self.chain_blocked(written),
            );
            linking += u32::from(links);
            v[n] = if links && linking > 6 && self.is(M::SevenLinksAtOnce) {
                0
            } else {
                value
            };
            c_t[n] = condition && counts;
            let (sum, carries) = self.add(n, v[n]);
            sums[n] = sum;
            overflow |= u32::from(carries) << n;
        }
        v[31] = (counting >> 31) as u16;
        let (sum, carries) = self.count[31].overflowing_add(u64::from(v[31]));
        let carries = match self.mistake {
            M::CycleCounterOverflowsAt32 => (sum ^ self.count[31]) >> 32 != 0,
            _ => carries,
        };
        sums[31] = sum;
        overflow |= u32::from(carries) << 31;
        out.increment = v;
        if self.is(M::ReportsZeroWhenWritten) && !writes_control(register) {
            zero_where(&mut out.increment, written);
        }
        if self.is(M::ReportsZeroWhenZeroed) && writes_control(register) {
            zero_where(&mut out.increment, written);
        }
        let keep_written = match self.mistake {
            M::WrittenCounterStillOverflows => !writes_control(register),
            M::ZeroedCounterStillOverflows => writes_control(register),
            _ => false,
        };
        if !keep_written {
            overflow &= !written;
        }
        // The access.
        let reads = input.access_kind == 1;
        if input.access_kind != 0 || writes {
            let result = self.access(register, select, writes, input, &v, &sums);
            if input.access_kind != 0 {
                (out.access_outcome, out.access_data) = result.map_or((2, 0), |data| (1, data));
                if result.is_none() && self.is(M::UndefinedReadsOk) && reads {
                    out.access_outcome = 1;
                }
                if result.is_none() && self.is(M::UndefinedReturnsData) {
                    out.access_data = self.flags.into();
                }
            }
        }
        // The end of the cycle.
        for n in 0..32 {
            let by_one = self.is(M::IncrementAddedToWrite) && written >> n & 1 == 1;
            if written >> n & 1 == 0 {
                self.count[n] = sums[n];
            } else if by_one && !writes_control(register) {
                self.count[n] = self.count[n].wrapping_add(u64::from(v[n]));
            }
            let counts = counting >> n & 1 == 1;
            let held = match self.mistake {
                M::CpHeldWhileIdle => !counts,
                M::CpHeldWhileGloballyOff => !enable,
                M::CpHeldWhileDisabled => enabled >> n & 1 == 0,
                M::CpNotTakenWithoutTe => counts && !te[n],
                M::CpNotUpdatedDuringRead => reads && register == SysReg::pmevcntr(n as u8),
                M::CpStaleAfterOneIdleCycle => !counts && self.idle_for[n] == 0,
                M::StopTogetherWithRead => !counts && reads && n == 7,
                M::CpWrongAfterControlWriteAtEdge => {
                    writes && register == Some(SysReg::Pmcr) && self.c_p[n] != c_t[n]
                }
                _ => false,
            };
            if !held {
                self.c_p[n] = c_t[n] || (!counts && self.is(M::CpSetWhileIdle));
            }
            self.idle_for[n] = if counts { 0 } else { self.idle_for[n] + 1 };
        }
        if writes {
            match (self.mistake, register) {
                (M::CpClearedByTypeWrite, Some(SysReg::Pmevtyper(n))) => {
                    self.c_p[usize::from(n)] = false;
                }
                (M::CpClearedByZeroing, Some(SysReg::Pmcr)) if written & 1 == 1 => {
                    self.c_p = [false; 32];
                }
                _ => {}
            }
        }
        self.end_flags(input, register, writes, overflow);
        self.last_v = v;
        out
    }

    fn chain_blocked(&self, written: u32) -> u32 {
        if self.is(M::ChainOfWrittenCounter) {
            0
        } else {
            written
        }
    }

    /// V, C_T and whether V is V\[n-1\].
    fn value(
        &self,
        n: usize,
        input: &CycleInput,
        counting: u32,
        v: &[u16; 32],
        overflow: u32,
    ) -> (u16, bool, bool) {
        let EventType {
            tc,
            te,
            tlc,
            mut th,
            event,
            reserved,
            ..
        } = self.decoded[n];
        let idle = counting >> n & 1 == 0;
        if idle && !(self.is(M::LinkIgnoresOwnCounting) && tlc == 1) {
            return (0, false, false);
        }
        let below = if n > 0 { n - 1 } else { 0 };
        let is_chain = event == 0x1E && !self.is(M::ChainIsOrdinaryEvent);
        let base = if is_chain {
            let odd = n % 2 == 1 || (self.is(M::ChainOnEven) && n > 0);
            let on = odd && (!self.long || self.is(M::ChainWithLong)) && overflow >> below & 1 == 1;
            match self.mistake {
                M::ChainWithoutThreshold if on => return (1, true, false),
                M::ChainIgnoresBelow => 0,
                M::ChainCountsWidth if on => v[below],
                _ => u16::from(on),
            }
        } else if event < 64 || self.is(M::EventsModulo64) {
            input.event[usize::from(event % 64)]
        } else {
            0
        };
        let base = if self.is(M::AllOnesIsZero) && base == 0xFFFF {
            0
        } else {
            base
        };
        if self.is(M::ThIsOneMore) && th == 0x801 {
            th += 1;
        }
        let b = match self.mistake {
            M::BaseTruncatedTo12 => base & 0xFFF,
            M::BaseTruncatedTo8 => base & 0xFF,
            _ => base,
        };
        let less = match self.mistake {
            M::LessOrEqualForLess if tc >> 1 == 3 => b <= th,
            M::GreaterForGreaterOrEqual if tc >> 1 == 2 => b <= th,
            M::ComparedSigned => (b as i16) < th as i16,
            _ => b < th,
        };
        let equal = match self.mistake {
            M::EqualOnLow11Bits => (b ^ th) & 0x7FF == 0,
            M::EqualIgnoresBit0 => (b ^ th) & !1 == 0,
            M::EqualIgnoresBit7 => (b ^ th) & !0x80 == 0,
            M::EqualIgnoresBit15 => (b ^ th) & !0x8000 == 0,
            M::ThZeroNeverEqual => b == th && (th != 0 || tc >> 1 == 0),
            M::EqualForNotEqual => (b == th) ^ (tc == 3),
            M::EqualWhileBelowIsOnes => b == th && !(n == 13 && v[12] == 0xFFFF),
            _ => b == th,
        };
        let c_t = match tc >> 1 {
            0 => !equal,
            1 => equal,
            2 => !less,
            _ => less,
        };
        let c_p = match self.mistake {
            M::CpOfZeroBase => self.c_p[n] && base != 0,
            _ => self.c_p[n],
        };
        let rises = c_t && !c_p;
        let c_e = match (self.mistake, tc & 1) {
            (M::BothEdgesRiseOnly, 0) | (M::FallInsteadOfRise, 0) => {
                rises || (c_p && !c_t && self.is(M::FallInsteadOfRise))
            }
            (M::RiseIsBothEdges, _) | (_, 0) => c_t != c_p,
            (M::FallInsteadOfRise, _) => c_p && !c_t,
            _ => rises,
        };
        let literal = self.is(M::LinkLiteral);
        let th_zero = th == 0 || self.is(M::TcZeroThNonzeroBypassed);
        let bypass = tc == 0 && th_zero && !te && (tlc == 0 || literal);
        if bypass || reserved {
            return (base, c_t, false);
        }
        let linked = match self.mistake {
            M::LinksBase => {
                let event = self.decoded[below].event;
                if counting >> below & 1 == 1 && event < 64 && event != 0x1E {
                    input.event[usize::from(event)]
                } else {
                    v[below]
                }
            }
            M::LinksPreviousCycle => self.last_v[below],
            M::LinksBelowOfIdle if counting >> below & 1 == 0 => self.last_v[below],
            M::LinkTruncatedTo8 => v[below] & 0xFF,
            M::LinkOfFirstPairForAll => v[0],
            _ => v[below],
        };
        let one = if tc & 1 == 1 { 1 } else { base };
        let one = match self.mistake {
            M::CountsBaseForOne => base,
            M::CountsOneForBase => 1,
            _ => one,
        };
        let tlc = match (self.mistake, tlc) {
            (M::Link01As00, 1) | (M::Link10As00, 2) => 0,
            (M::LinkEdgeAsOne, 2) if te => 0,
            (_, tlc) => tlc,
        };
        let condition = if te && !(self.is(M::LinkedEdgeWithoutCe) && tlc == 2) {
            c_e
        } else {
            c_t
        };
        let (value, links) = match (te, tlc, condition) {
            (true, 0, true) => (if self.is(M::EdgeCountsBase) { base } else { 1 }, false),
            (true, 2, true) | (false, 2, true) => (linked, true),
            (false, _, true) => (one, false),
            (false, 1, false) if self.is(M::LinkOnTrueOnly) => (0, false),
            (false, 1, false) => (linked, true),
            _ => (0, false),
        };
        (value, c_t, links && value != 0)
    }

    fn add(&self, n: usize, v: u16) -> (u64, bool) {
        let before = self.count[n];
        let v = u64::from(if self.is(M::AddsOnly12Bits) {
            v & 0xFFF
        } else {
            v
        });
        let mut sum = before.wrapping_add(v);
        let long = (self.long && !self.is(M::OverflowIgnoresLp))
            && !(self.is(M::LongIgnoredOnEven) && n.is_multiple_of(2));
        if !long && self.is(M::NoCarryIntoHighHalf) {
            sum = before >> 32 << 32 | sum & 0xFFFF_FFFF;
        }
        let carries = if long {
            sum < before
        } else {
            (sum as u32) < before as u32
        };
        let carries = match self.mistake {
            M::OverflowOnlyToZero => carries && sum as u32 == 0,
            M::OverflowOnlyOfOnes => carries && before as u32 == u32::MAX,
            _ => carries,
        };
        (sum, carries)
    }

    fn access(
        &mut self,
        register: Option<SysReg>,
        select: u8,
        writes: bool,
        input: &CycleInput,
        v: &[u16; 32],
        sums: &[u64; 32],
    ) -> Option<u64> {
        let data = input.access_data;
        let register = match register? {
            SysReg::Pmxevtyper if select == 31 && !self.is(M::CycleFilterNotSelected) => {
                SysReg::Pmccfiltr
            }
            SysReg::Pmxevtyper if select < 31 => SysReg::pmevtyper(select)?,
            SysReg::Pmxevcntr if select < 31 => {
                let ignored = self.is(M::SelectIgnoredByCounter);
                SysReg::pmevcntr(if ignored { 0 } else { select })?
            }
            SysReg::Pmxevcntr if self.is(M::SelectedCycleCounterWritable) => SysReg::Pmccntr,
            SysReg::Pmxevtyper | SysReg::Pmxevcntr => return None,
            register => register,
        };
        if !writes {
            return Some(match register {
                SysReg::Pmcr => {
                    let p = u64::from(self.is(M::ControlReadsP)) << 1;
                    let lp = u64::from(self.long || self.is(M::ControlLpAlwaysSet)) << 7;
                    31 << 11 | 1 << 6 | lp | p | u64::from(self.enable)
                }
                SysReg::Pmcntenset | SysReg::Pmcntenclr => self.enabled.into(),
                SysReg::Pmovsset | SysReg::Pmovsclr => self.flags.into(),
                SysReg::Pmselr => self.select.into(),
                SysReg::Pmmir => self.pmmir,
                SysReg::Pmccfiltr => self.types[31],
                SysReg::Pmevtyper(n) => self.types[usize::from(n)],
                SysReg::Pmevcntr(n) if self.is(M::ReadSeesIncrement) => {
                    self.count[usize::from(n)].wrapping_add(v[usize::from(n)].into())
                }
                SysReg::Pmevcntr(n) if self.is(M::HighHalfLostOnRead) => {
                    self.count[usize::from(n)] & 0xFFFF_FFFF
                }
                SysReg::Pmevcntr(n) => self.count[usize::from(n)],
                SysReg::Pmccntr if self.is(M::CycleCounterReadSeesIncrement) => sums[31],
                SysReg::Pmccntr => self.count[31],
                _ => return None,
            });
        }
        match register {
            SysReg::Pmcr => {
                self.enable = data & 1 == 1;
                self.long = data >> 7 & 1 == 1;
                let p = data >> 1 & 1 == 1 || (data >> 2 & 1 == 1 && self.is(M::CZeroesAll));
                let c = data >> 2 & 1 == 1 || (p && self.is(M::PZeroesCycleCounter));
                if p {
                    let kept = self.count[30];
                    self.count[..31].fill(0);
                    if self.is(M::ZeroingMissesCounter30) {
                        self.count[30] = kept;
                    }
                    if self.is(M::ZeroingClearsFlags) {
                        self.flags = 0;
                    }
                }
                if c {
                    self.count[31] = 0;
                }
            }
            SysReg::Pmcntenset if self.is(M::EnableReplaces) => self.enabled = data as u32,
            SysReg::Pmcntenset => self.enabled |= data as u32,
            SysReg::Pmcntenclr if self.is(M::DisableClearsAll) => self.enabled = 0,
            SysReg::Pmcntenclr => self.enabled &= !(data as u32),
            SysReg::Pmselr if self.is(M::SelectHas4Bits) => self.select = data as u8 & 15,
            SysReg::Pmselr => self.select = data as u8 & 31,
            SysReg::Pmccfiltr => self.types[31] = data & self.present[31],
            SysReg::Pmevtyper(n) => self.set_type(usize::from(n), data),
            SysReg::Pmevcntr(n) => self.count[usize::from(n)] = data,
            SysReg::Pmccntr => self.count[31] = data,
            SysReg::Pmmir if self.is(M::PmmirWritable) => self.pmmir = data,
            SysReg::Pmmir => return None,
            _ => {}
        }
        Some(0)
    }

    fn end_flags(
        &mut self,
        input: &CycleInput,
        register: Option<SysReg>,
        writes: bool,
        mut overflow: u32,
    ) {
        match self.mistake {
            M::FlagOfCounterAbove => overflow <<= 1,
            M::TwoOverflowsAtOnceLoseOne if overflow.count_ones() > 1 => overflow &= overflow - 1,
            M::FlagLostDuringTypeWrite
                if writes && matches!(register, Some(SysReg::Pmevtyper(_))) =>
            {
                overflow = 0;
            }
            M::OverflowDuringWriteOfNeighbour => {
                if let (true, Some(SysReg::Pmevcntr(n))) = (writes, register) {
                    overflow &= !(1 << (n.get() ^ 1));
                }
            }
            _ => {}
        }
        let data = input.access_data as u32;
        let flags = self.flags;
        match register.filter(|_| writes) {
            Some(SysReg::Pmovsclr) => {
                self.flags &= !data;
                if self.is(M::ClearClearsAll) {
                    self.flags = 0;
                }
            }
            Some(SysReg::Pmovsset) if self.is(M::SetActsAsClear) => self.flags &= !data,
            Some(SysReg::Pmovsset) => self.flags |= data,
            _ => {}
        }
        self.flags |= overflow;
        if self.is(M::ClearWinsOverOverflow) && writes && register == Some(SysReg::Pmovsclr) {
            self.flags = (flags | overflow) & !data;
        }
        if self.is(M::FlagLostWhenSetTogether) && writes && register == Some(SysReg::Pmovsset) {
            self.flags &= !(overflow & data);
        }
    }

    fn reset(&mut self, input: &CycleInput) {
        let old = std::mem::replace(self, Self::new(self.mistake));
        match self.mistake {
            M::ResetKeepsFlags => self.flags = old.flags,
            M::ResetKeepsSelect => self.select = old.select,
            M::ResetKeepsLong => self.long = old.long,
            M::ResetKeepsEnables => self.enabled = old.enabled,
            M::ResetKeepsCounter5 => self.count[5] = old.count[5],
            M::ResetKeepsCycleCounter => self.count[31] = old.count[31],
            M::ResetKeepsCycleFilter => self.types[31] = old.types[31],
            M::ResetKeepsType17 => self.set_type(17, old.types[17]),
            M::TypeResetsToOne => self.set_type(9, 1),
            M::PmmirLosesBit => self.pmmir &= !(1 << 22),
            M::ResetTakesWrite if input.access_kind == 2 => {
                let register = SysReg::from_address(input.access_address);
                self.access(register, 0, true, input, &[0; 32], &[0; 32]);
            }
            _ => {}
        }
    }
}

fn writes_control(register: Option<SysReg>) -> bool {
    register == Some(SysReg::Pmcr)
}

fn zero_where(increments: &mut [u16; 32], mask: u32) {
    for (n, increment) in increments.iter_mut().enumerate() {
        if mask >> n & 1 == 1 {
            *increment = 0;
        }
    }
}

/// The first cycle in which the unit with each mistake differs from the model.
fn first_differences(seed: u64, mistakes: &[Mistake], limit: u64) -> Vec<Option<u64>> {
    let implementation = Implementation::default();
    let mut generator =
        Generator::new(seed, &implementation, &Profile::named("threshold").unwrap()).unwrap();
    let mut model = Model::new(&implementation).unwrap();
    let mut units: Vec<_> = mistakes
        .iter()
        .map(|&mistake| (Unit::new(mistake), None))
        .collect();
    let mut input = [CycleInput::default()];
    for cycle in 0..limit {
        generator.fill(&mut input);
        let (expected, unknown) = model.step_simple(&input[0]);
        for (unit, found) in units.iter_mut().filter(|(_, found)| found.is_none()) {
            if differs(&unit.step(&input[0]), &expected, &unknown) {
                *found = Some(cycle);
            }
        }
        if units.iter().all(|(_, found)| found.is_some()) {
            break;
        }
    }
    units.into_iter().map(|(_, found)| found).collect()
}

fn differs(found: &CycleOutput, expected: &CycleOutput, unknown: &Unknown) -> bool {
    let increments = found.increment.iter().zip(&expected.increment).enumerate();
    found.access_outcome != expected.access_outcome
        || (found.access_data ^ expected.access_data) & !unknown.access_data != 0
        || increments
            .into_iter()
            .any(|(n, (a, b))| a != b && unknown.increments >> n & 1 == 0)
}

#[test]
fn without_a_mistake_the_unit_agrees_with_the_model() {
    assert_eq!(first_differences(1, &[M::None], 200_000), [None]);
}

#[test]
fn every_mistake_is_found() {
    const SEEDS: u64 = 4;
    let by_seed: Vec<_> = (0..SEEDS)
        .map(|seed| first_differences(seed, MISTAKES, 1_000_000))
        .collect();
    let mut table = String::new();
    let mut late = 0;
    for (i, mistake) in MISTAKES.iter().enumerate() {
        let found: Vec<_> = by_seed.iter().map(|found| found[i]).collect();
        writeln!(table, "{:<36}{found:?}", format!("{mistake:?}")).unwrap();
        late += found
            .iter()
            .filter(|found| found.is_none_or(|cycle| cycle > 10_000))
            .count();
    }
    println!(
        "{table}later than 10000 cycles: {late} of {}",
        MISTAKES.len() * SEEDS as usize
    );
    for found in &by_seed {
        assert!(found.iter().all(Option::is_some), "not found:\n{table}");
    }
    assert!(
        late * 12 <= MISTAKES.len() * SEEDS as usize,
        "found late:\n{table}"
    );
}
