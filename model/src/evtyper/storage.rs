//! Storage of `PMEVTYPER<n>_EL0` (ETY-02..05).

use crate::implementation::Res0;
use crate::pmu::event_type::{Field, TC, TE, TH, present_mask};

use crate::implementation::Implementation;

/// `PMEVTYPER<n>_EL0` of one counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTypeRegister {
    value: u64,
    reset_value: u64,
    present: u64,
    res0: Res0,
}

impl EventTypeRegister {
    /// `PMEVTYPER<n>_EL0` of `configuration`, out of reset.
    pub fn new(n: u8, configuration: &Implementation) -> Self {
        let present = present_mask(n, configuration);
        let mut register = Self {
            value: 0,
            reset_value: reset_value(configuration) & present,
            present,
            res0: configuration.knobs.res0,
        };
        register.reset();
        register
    }

    /// ETY-04: resets the register.
    pub fn reset(&mut self) {
        self.value = self.reset_value;
    }

    /// ETY-05: RES0 bits ignore writes, or hold them without effect (A-ETY-1).
    pub fn write(&mut self, data: u64) {
        self.value = match self.res0 {
            Res0::RazWi => data & self.present,
            Res0::RwNoEffect => data,
        };
    }

    /// ETY-05: what a direct read returns.
    pub fn read(&self) -> u64 {
        self.value
    }

    /// The value with effect: fields that are not present are 0.
    pub fn effective(&self) -> u64 {
        self.value & self.present
    }

    /// The field's value with effect: 0 if it is not present.
    pub fn field(&self, field: Field) -> u64 {
        field.of(self.effective())
    }
}

/// ETY-04: `reset_value` stands for what is UNKNOWN; TC, TE and TH are 0 with FEAT_AA32EL1.
pub(crate) fn reset_value(configuration: &Implementation) -> u64 {
    let value = configuration.knobs.reset_value;
    if configuration.pe.aa32el1 {
        value & !(TC.mask() | TE.mask() | TH.mask())
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementation::Layout;
    use crate::pmu::event_type::{EVTCOUNT, P, TLC};

    fn written(configuration: &Implementation, n: u8, data: u64) -> EventTypeRegister {
        let mut register = EventTypeRegister::new(n, configuration);
        register.write(data);
        register
    }

    #[test]
    fn ety_05_present_fields_read_as_written_and_res0_bits_as_zero() {
        let configuration = Implementation::default();
        assert_eq!(
            written(&configuration, 1, u64::MAX).read(),
            0xF7C0_0FFF_FF70_FFFF
        );
        assert_eq!(
            written(&configuration, 0, u64::MAX).read(),
            0xF700_0FFF_FF70_FFFF
        );
        assert_eq!(
            written(&configuration, 1, 0x8000_0000_0000_0011).read(),
            0x8000_0000_0000_0011
        );
    }

    #[test]
    fn ety_02_the_layout_of_2021_lacks_later_fields() {
        let mut configuration = Implementation::default();
        configuration.knobs.layout = Layout::Year2021;
        configuration.pe.tme = true;
        assert_eq!(
            written(&configuration, 1, u64::MAX).read(),
            0xE000_0FFF_FF00_FFFF
        );
    }

    #[test]
    fn a_ety_1_res0_bits_may_hold_what_is_written_without_effect() {
        let mut configuration = Implementation::default();
        configuration.knobs.res0 = Res0::RwNoEffect;
        let register = written(&configuration, 0, u64::MAX);
        assert_eq!(register.read(), u64::MAX);
        assert_eq!(register.effective(), 0xF700_0FFF_FF70_FFFF);
        assert_eq!(register.field(TLC), 0);
        assert_eq!(register.field(P), 1);
    }

    #[test]
    fn ety_03_th_is_as_wide_as_thwidth() {
        let mut configuration = Implementation::default();
        configuration.pmu.thwidth = 3;
        assert_eq!(written(&configuration, 0, u64::MAX).field(TH), 7);
    }

    #[test]
    fn ety_32_evtcount_has_10_bits_without_pmuv3p1() {
        let mut configuration = Implementation::default();
        configuration.pmu.pmuv3p1 = false;
        assert_eq!(written(&configuration, 0, 0xFC11).field(EVTCOUNT), 0x11);
    }

    #[test]
    fn ety_04_reset_is_the_configured_value_but_for_what_aarch32_needs() {
        let mut configuration = Implementation::default();
        assert_eq!(EventTypeRegister::new(1, &configuration).read(), 0);
        configuration.knobs.reset_value = u64::MAX;
        configuration.pe.aa32el1 = false;
        let mut register = written(&configuration, 1, 0);
        register.reset();
        assert_eq!(register.read(), 0xF7C0_0FFF_FF70_FFFF);
        configuration.pe.aa32el1 = true;
        assert_eq!(
            EventTypeRegister::new(1, &configuration).read(),
            0x07C0_0000_FF70_FFFF
        );
    }
}
