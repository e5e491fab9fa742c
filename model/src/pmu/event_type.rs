//! `PMEVTYPER<n>_EL0`: fields by feature (ETY-02), Effective values (TH-01..08) and reserved combinations
//! (TH-30..36).

use std::collections::BTreeMap;

use crate::implementation::{Implementation, ImplementationError, Layout, ReservedPolicy, Rhbwbb};
use crate::sysreg::fields::named;
pub use crate::sysreg::fields::{Field, PMEVTYPER as FIELDS};
use crate::threshold_control::{ThresholdControl, is_reserved};

/// Event number of CHAIN.
pub const CHAIN: u16 = 0x001E;

macro_rules! fields {
    ($($name:ident)+) => {
        $(
            #[doc = concat!("`PMEVTYPER<n>_EL0.", stringify!($name), "`.")]
            pub const $name: Field = named(FIELDS, stringify!($name));
        )+
    };
}

fields!(TC TE SYNC VS TLC TH P U NSK NSU NSH M MT SH T RLK RLU RLH EVTCOUNT);

/// ETY-02, ETY-03, ETY-32: the bits of `PMEVTYPER<n>_EL0` that are present.
pub fn present_mask(n: u8, implementation: &Implementation) -> u64 {
    let (pmu, pe) = (&implementation.pmu, &implementation.pe);
    let current = implementation.knobs.layout == Layout::Current;
    let th = Field {
        high: TH.low + implementation.thwidth().max(1) - 1,
        ..TH
    };
    let evtcount = Field {
        high: if pmu.pmuv3p1 { 15 } else { 9 },
        ..EVTCOUNT
    };
    [
        (TC, pmu.th),
        (TE, pmu.edge && current),
        (SYNC, pe.sebep && current),
        (VS, pe.sme && current),
        (TLC, pmu.th2 && n % 2 == 1 && current),
        (th, pmu.th),
        (P, true),
        (U, true),
        (NSK, pe.el3),
        (NSU, pe.el3),
        (NSH, pe.el2),
        (M, pe.el3),
        (MT, pe.mt),
        (SH, pe.el3 && pe.sel2),
        (T, pe.tme && current),
        (RLK, pe.rme && current),
        (RLU, pe.rme && current),
        (RLH, pe.rme && current),
        (evtcount, true),
    ]
    .into_iter()
    .filter(|&(_, present)| present)
    .fold(0, |mask, (field, _)| mask | field.mask())
}

/// ETY-02: the bits of PMCCFILTR_EL0 that are present: the filter fields of `PMEVTYPER<n>_EL0`, without MT.
pub fn cycle_filter_mask(implementation: &Implementation) -> u64 {
    let filters = [VS, P, U, NSK, NSU, NSH, M, SH, T, RLK, RLU, RLH];
    present_mask(0, implementation) & filters.iter().fold(0, |mask, field| mask | field.mask())
}

/// Threshold condition, TC\[2:1\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// 00.
    NotEqual,
    /// 01.
    Equal,
    /// 10.
    GreaterOrEqual,
    /// 11.
    Less,
}

/// `PMEVTYPER<n>_EL0` decoded: Effective values of the threshold fields, and what they amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventType {
    /// evtCount.
    pub event: u16,
    /// Effective TC.
    pub tc: u8,
    /// Effective TE.
    pub te: bool,
    /// Effective TLC.
    pub tlc: u8,
    /// Effective TH.
    pub th: u16,
    /// The Effective {TC, TE, TLC} are reserved (TH-30..33).
    pub reserved: bool,
    /// Counting is of V_B: the values that follow have no effect on V (TH-27).
    pub bypassed: bool,
    /// {TC, TE, TLC} that the datapath uses: the Effective values, but for a reserved combination.
    pub used: ThresholdControl,
}

impl EventType {
    /// That of a register that is zero.
    pub const ZERO: Self = Self {
        event: 0,
        tc: 0,
        te: false,
        tlc: 0,
        th: 0,
        reserved: false,
        bypassed: true,
        used: (0, false, 0),
    };

    /// TH-20: the condition that the datapath evaluates.
    pub fn condition(&self) -> Condition {
        match self.used.0 >> 1 {
            0b00 => Condition::NotEqual,
            0b01 => Condition::Equal,
            0b10 => Condition::GreaterOrEqual,
            _ => Condition::Less,
        }
    }

    /// The row of Tables D13-5 to D13-8 that the configuration selects; `None` if it counts V_B or is reserved.
    pub fn table_row(&self) -> Option<char> {
        if self.reserved || self.bypassed {
            return None;
        }
        Some(match (self.te, self.tlc, self.tc & 1) {
            (false, 0, 0) => 'A',
            (false, 0, _) => 'B',
            (false, 1, 0) => 'C',
            (false, 1, _) => 'D',
            (false, _, _) => 'E',
            (true, 0, _) => 'F',
            (true, _, _) => 'G',
        })
    }
}

/// Decodes `PMEVTYPER<n>_EL0` for one implementation.
#[derive(Clone, Debug)]
pub struct EventTypeDecoder {
    th: bool,
    edge: bool,
    th2: bool,
    th_mask: u16,
    event_mask: u16,
    rhbwbb: Rhbwbb,
    reserved_policy: ReservedPolicy,
    reserved_map: BTreeMap<ThresholdControl, ThresholdControl>,
}

impl EventTypeDecoder {
    /// The decoder of `implementation`.
    ///
    /// # Errors
    /// A malformed `reserved_map`.
    pub fn new(implementation: &Implementation) -> Result<Self, ImplementationError> {
        let pmu = &implementation.pmu;
        let current = implementation.knobs.layout == Layout::Current;
        Ok(Self {
            th: pmu.th,
            edge: pmu.edge && current,
            th2: pmu.th2 && current,
            th_mask: ((1u32 << implementation.thwidth()) - 1) as u16,
            event_mask: if pmu.pmuv3p1 { 0xFFFF } else { 0x03FF },
            rhbwbb: implementation.knobs.rhbwbb,
            reserved_policy: implementation.knobs.reserved_policy,
            reserved_map: implementation.reserved_map()?,
        })
    }

    /// Decodes `value` of `PMEVTYPER<n>_EL0`.
    pub fn decode(&self, n: u8, value: u64) -> EventType {
        let (tc, th) = self.effective_threshold(value);
        let te = self.effective_te(value);
        let tlc = self.effective_tlc(n, value);
        let reserved = is_reserved(tc, te, tlc);
        let used = if reserved {
            self.reserved_as(n, tc, te, tlc)
        } else {
            Some((tc, te, tlc))
        };
        let bypassed = match used {
            None => true,
            Some((tc, te, tlc)) => self.counts_base_value(tc, th, te, tlc),
        };
        EventType {
            event: value as u16 & self.event_mask,
            tc,
            te,
            tlc,
            th,
            reserved,
            bypassed,
            used: used.unwrap_or((tc, te, tlc)),
        }
    }

    /// TH-02, TH-08: Effective {TC, TH}.
    fn effective_threshold(&self, value: u64) -> (u8, u16) {
        if self.th {
            (TC.of(value) as u8, TH.of(value) as u16 & self.th_mask)
        } else {
            (0, 0)
        }
    }

    /// TH-03, TH-04: Effective TE.
    fn effective_te(&self, value: u64) -> bool {
        self.edge && TE.of(value) == 1
    }

    /// TH-05, TH-06: Effective TLC.
    fn effective_tlc(&self, n: u8, value: u64) -> u8 {
        if self.th2 && n % 2 == 1 {
            TLC.of(value) as u8
        } else {
            0
        }
    }

    /// TH-27: V = V_B. With `rhbwbb` LITERAL, TLC is not looked at (A-TH-1).
    fn counts_base_value(&self, tc: u8, th: u16, te: bool, tlc: u8) -> bool {
        let linked = tlc != 0 && self.rhbwbb == Rhbwbb::LinkAware;
        tc == 0 && th == 0 && !te && !linked
    }

    /// A-TH-6: the allocated {TC, TE, TLC} that a reserved combination behaves as; `None`: V = V_B.
    fn reserved_as(&self, n: u8, tc: u8, te: bool, tlc: u8) -> Option<ThresholdControl> {
        match self.reserved_policy {
            // DUT-34.
            ReservedPolicy::Disabled => None,
            ReservedPolicy::DropField if is_reserved(tc, te, 0) => Some((tc, false, 0)),
            ReservedPolicy::DropField => Some((tc, te, 0)),
            ReservedPolicy::Map => {
                let (tc, te, tlc) = self.reserved_map.get(&(tc, te, tlc)).copied()?;
                // TH-06: TLC has no effect where it is not present.
                Some((tc, te, if self.th2 && n % 2 == 1 { tlc } else { 0 }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_of_ety_02() {
        let all = Implementation::default();
        assert_eq!(present_mask(1, &all), 0xF7C0_0FFF_FF70_FFFF);
        assert_eq!(present_mask(0, &all), 0xF700_0FFF_FF70_FFFF);
        let mut minimum = Implementation::default();
        minimum.pe = crate::implementation::Pe {
            el2: false,
            el3: false,
            sel2: false,
            rme: false,
            sebep: false,
            sme: false,
            mt: false,
            tme: false,
            ..crate::implementation::Pe::default()
        };
        minimum.pmu = crate::implementation::Pmu {
            th: false,
            edge: false,
            th2: false,
            pmuv3p1: false,
            ..minimum.pmu
        };
        assert_eq!(present_mask(1, &minimum), 0x0000_0000_C000_03FF);
        let mut y2021 = Implementation::default();
        y2021.knobs.layout = Layout::Year2021;
        assert_eq!(present_mask(1, &y2021), 0xE000_0FFF_FF00_FFFF);
    }

    #[test]
    fn th_mask_follows_thwidth() {
        let mut narrow = Implementation::default();
        narrow.pmu.thwidth = 4;
        assert_eq!(TH.of(present_mask(0, &narrow)), 0xF);
    }
}
