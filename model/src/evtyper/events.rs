//! Events that the PE does not support (ETY-30..32).

use super::configuration::UnsupportedOther;
use crate::implementation::Implementation;

/// What a counter counts for a value of evtCount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// The event.
    Event,
    /// Nothing.
    Nothing,
    /// UNPREDICTABLE, but nothing that exposes privileged information.
    Unpredictable,
}

/// What a value of evtCount amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventBehaviour {
    /// What is counted.
    pub counts: Counts,
    /// A read of evtCount returns the value written; otherwise it is UNKNOWN.
    pub reads_as_written: bool,
}

impl EventBehaviour {
    const COUNTED: Self = Self {
        counts: Counts::Event,
        reads_as_written: true,
    };
    const NOTHING: Self = Self {
        counts: Counts::Nothing,
        reads_as_written: true,
    };
    const UNPREDICTABLE: Self = Self {
        counts: Counts::Unpredictable,
        reads_as_written: false,
    };
}

/// ETY-30, ETY-31: what `event`, the value of the field, amounts to; `supported` tells the events of the PE.
pub fn event_behaviour(
    event: u16,
    supported: impl Fn(u16) -> bool,
    configuration: &Implementation,
) -> EventBehaviour {
    let unpredictable = !configuration.pe.pmuv3p8
        && !is_defined_range(event, configuration)
        && configuration.knobs.unsupported_other == UnsupportedOther::Unpredictable;
    if supported(event) {
        EventBehaviour::COUNTED
    } else if unpredictable {
        EventBehaviour::UNPREDICTABLE
    } else {
        EventBehaviour::NOTHING
    }
}

/// ETY-31: the events for which counting nothing is not only recommended.
fn is_defined_range(event: u16, implementation: &Implementation) -> bool {
    event <= 0x003F || (implementation.pmu.pmuv3p1 && (0x4000..=0x403F).contains(&event))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behaviours(configuration: &Implementation, events: &[u16]) -> Vec<Counts> {
        let supported = |event| event == 0x11 || event == 0x80C1;
        events
            .iter()
            .map(|&event| event_behaviour(event, supported, configuration).counts)
            .collect()
    }

    const EVENTS: [u16; 8] = [0x11, 0x80C1, 0x003F, 0x0040, 0x3FFF, 0x4000, 0x403F, 0x4040];

    #[test]
    fn ety_30_with_pmuv3p8_no_unsupported_event_counts() {
        use Counts::*;
        let mut configuration = Implementation::default();
        configuration.knobs.unsupported_other = UnsupportedOther::Unpredictable;
        let mut expected = [Nothing; 8];
        expected[..2].fill(Event);
        assert_eq!(behaviours(&configuration, &EVENTS), expected);
    }

    #[test]
    fn ety_31_only_two_ranges_are_defined_without_pmuv3p8() {
        use Counts::*;
        let mut configuration = Implementation::default();
        configuration.pe.pmuv3p8 = false;
        configuration.knobs.unsupported_other = UnsupportedOther::Unpredictable;
        let (n, u) = (Nothing, Unpredictable);
        assert_eq!(
            behaviours(&configuration, &EVENTS),
            [Event, Event, n, u, u, n, n, u]
        );
        configuration.pmu.pmuv3p1 = false;
        assert_eq!(
            behaviours(&configuration, &EVENTS),
            [Event, Event, n, u, u, u, u, u]
        );
    }

    #[test]
    fn a_ety_8_by_default_no_unsupported_event_counts_and_all_read_as_written() {
        let mut configuration = Implementation::default();
        configuration.pe.pmuv3p8 = false;
        let behaviour = event_behaviour(0x4040, |_| false, &configuration);
        assert_eq!(behaviour, EventBehaviour::NOTHING);
        configuration.knobs.unsupported_other = UnsupportedOther::Unpredictable;
        let behaviour = event_behaviour(0x4040, |_| false, &configuration);
        assert!(!behaviour.reads_as_written);
    }
}
