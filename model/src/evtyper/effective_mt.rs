//! The Effective value of `PMEVTYPER<n>_EL0.MT` (ETY-21).

use crate::pmu::event_type::MT;

use crate::implementation::Implementation;

/// The bits that disable FEAT_MTPMU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MtpmuEnables {
    /// MDCR_EL3.MTPME, or SDCR.MTPME.
    pub mdcr_el3_mtpme: bool,
    /// MDCR_EL2.MTPME, or HDCR.MTPME.
    pub mdcr_el2_mtpme: bool,
}

/// ETY-21, CYC-20: Effective MT, where `effective` is [`super::EventTypeRegister::effective`].
pub fn effective_mt(effective: u64, enables: MtpmuEnables, configuration: &Implementation) -> bool {
    MT.of(effective) == 1 && !mtpmu_disabled(enables, configuration)
}

/// FEAT_MTPMU is implemented and Disabled, by the highest Exception level that is implemented.
fn mtpmu_disabled(enables: MtpmuEnables, configuration: &Implementation) -> bool {
    let pe = &configuration.pe;
    configuration.pe.mtpmu
        && if pe.el3 {
            !enables.mdcr_el3_mtpme
        } else {
            pe.el2 && !enables.mdcr_el2_mtpme
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evtyper::EventTypeRegister;

    /// Effective MT for {MDCR_EL3.MTPME, MDCR_EL2.MTPME} = 00, 01, 10, 11.
    fn rows(configuration: &Implementation, data: u64) -> [bool; 4] {
        let mut register = EventTypeRegister::new(0, configuration);
        register.write(data);
        std::array::from_fn(|i| {
            let enables = MtpmuEnables {
                mdcr_el3_mtpme: i & 2 != 0,
                mdcr_el2_mtpme: i & 1 != 0,
            };
            effective_mt(register.effective(), enables, configuration)
        })
    }

    #[test]
    fn ety_21_the_highest_level_implemented_disables_mtpmu() {
        let mut configuration = Implementation::default();
        assert_eq!(
            rows(&configuration, MT.mask()),
            [false, false, true, true],
            "EL3"
        );
        let pe = &mut configuration.pe;
        (pe.el3, pe.sel2, pe.rme) = (false, false, false);
        assert_eq!(
            rows(&configuration, MT.mask()),
            [false, true, false, true],
            "EL2"
        );
        configuration.pe.el2 = false;
        assert_eq!(rows(&configuration, MT.mask()), [true; 4], "neither");
    }

    #[test]
    fn ety_21_the_implementation_defined_extension_cannot_be_disabled() {
        let mut configuration = Implementation::default();
        configuration.pe.mtpmu = false;
        assert_eq!(rows(&configuration, MT.mask()), [true; 4]);
        assert_eq!(rows(&configuration, 0), [false; 4]);
    }

    #[test]
    fn ety_21_without_the_field_mt_is_0() {
        let mut configuration = Implementation::default();
        configuration.pe.mt = false;
        assert_eq!(rows(&configuration, u64::MAX), [false; 4]);
    }
}
