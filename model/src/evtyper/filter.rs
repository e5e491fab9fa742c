//! Which states `PMEVTYPER<n>_EL0` does not count in (ETY-20, ETY-22).

use crate::pmu::event_type::{Field, M, NSH, NSK, NSU, P, RLH, RLK, RLU, SH, U, VS};

use super::configuration::Vs11;
use crate::implementation::Implementation;

/// Exception level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExceptionLevel {
    /// EL0.
    El0,
    /// EL1.
    El1,
    /// EL2.
    El2,
    /// EL3.
    El3,
}

impl ExceptionLevel {
    /// EL0 to EL3, from the low two bits of `code`.
    pub const fn from_code(code: u8) -> Self {
        match code & 3 {
            0 => Self::El0,
            1 => Self::El1,
            2 => Self::El2,
            _ => Self::El3,
        }
    }
}

/// Security state. Without EL3 it makes no difference: NSK, NSU, SH and RLx are not present then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecurityState {
    /// Non-secure.
    NonSecure,
    /// Secure.
    Secure,
    /// Realm.
    Realm,
    /// Root, the state of EL3.
    Root,
}

/// State of the thread that an event is attributed to. With Effective MT = 1 that is not always the thread
/// of the counter (ETY-24).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutionState {
    /// Exception level.
    pub level: ExceptionLevel,
    /// Security state.
    pub security: SecurityState,
    /// In Streaming mode.
    pub streaming: bool,
}

impl SecurityState {
    /// The state of a code of the contract, in the low two bits of `code`.
    pub const fn from_code(code: u8) -> Self {
        match code & 3 {
            0 => Self::NonSecure,
            1 => Self::Secure,
            2 => Self::Realm,
            _ => Self::Root,
        }
    }
}

impl ExecutionState {
    /// The state of a thread of the contract: `Thread::state`.
    pub const fn of_thread(state: u8) -> Self {
        Self {
            level: ExceptionLevel::from_code(state),
            security: SecurityState::from_code(state >> 2),
            streaming: state >> 4 & 1 == 1,
        }
    }

    /// `level` in `security`, not in Streaming mode.
    pub fn new(level: ExceptionLevel, security: SecurityState) -> Self {
        Self {
            level,
            security,
            streaming: false,
        }
    }
}

/// The counter does not count in `state` because of `PMEVTYPER<n>_EL0`, whose value with effect is `effective`
/// ([`super::EventTypeRegister::effective`]). A filtered counter is not counting: its V is 0 (ETY-23).
pub fn filtered(effective: u64, state: ExecutionState, configuration: &Implementation) -> bool {
    filtered_by_level(effective, state.level, state.security)
        || filtered_by_streaming(effective, state.streaming, configuration.knobs.vs11)
}

/// ETY-20.
fn filtered_by_level(effective: u64, level: ExceptionLevel, security: SecurityState) -> bool {
    use ExceptionLevel::*;
    use SecurityState::*;
    let bit = |field: Field| field.of(effective);
    match (level, security) {
        (El0, NonSecure | Root) => bit(U) != bit(NSU),
        (El0, Secure) => bit(U) == 1,
        (El0, Realm) => bit(U) != bit(RLU),
        (El1, NonSecure | Root) => bit(P) != bit(NSK),
        (El1, Secure) => bit(P) == 1,
        (El1, Realm) => bit(P) != bit(RLK),
        (El2, NonSecure | Root) => bit(NSH) == 0,
        (El2, Secure) => bit(NSH) == bit(SH),
        (El2, Realm) => bit(NSH) == bit(RLH),
        (El3, _) => bit(M) != bit(P),
    }
}

/// ETY-22, A-ETY-7.
fn filtered_by_streaming(effective: u64, streaming: bool, vs11: Vs11) -> bool {
    match VS.of(effective) {
        0b00 => false,
        0b01 => streaming,
        0b10 => !streaming,
        _ => vs11 == Vs11::Filter,
    }
}

#[cfg(test)]
mod tests {
    use super::ExceptionLevel::*;
    use super::SecurityState::*;
    use super::*;
    use crate::evtyper::EventTypeRegister;

    /// The states, in columns, that a value is filtered in, in rows.
    const STATES: [(ExceptionLevel, SecurityState); 10] = [
        (El0, NonSecure),
        (El0, Secure),
        (El0, Realm),
        (El1, NonSecure),
        (El1, Secure),
        (El1, Realm),
        (El2, NonSecure),
        (El2, Secure),
        (El2, Realm),
        (El3, Root),
    ];

    fn filtered_in(configuration: &Implementation, fields: &[Field]) -> String {
        let mut register = EventTypeRegister::new(0, configuration);
        register.write(fields.iter().fold(0, |value, field| value | field.mask()));
        let mark = |&(level, security): &(ExceptionLevel, SecurityState)| {
            let state = ExecutionState::new(level, security);
            if filtered(register.effective(), state, configuration) {
                'x'
            } else {
                '.'
            }
        };
        STATES.iter().map(mark).collect()
    }

    #[test]
    fn ety_20_each_field_alone() {
        let all = Implementation::default();
        //                EL0|EL1|EL2|EL3, each Non-secure, Secure, Realm
        for (fields, expected) in [
            (&[][..], "......xxx."),
            (&[U], "xxx...xxx."),
            (&[NSU], "x.....xxx."),
            (&[RLU], "..x...xxx."),
            (&[P], "...xxxxxxx"),
            (&[NSK], "...x..xxx."),
            (&[RLK], ".....xxxx."),
            (&[NSH], ".........."),
            (&[SH], "......x.x."),
            (&[RLH], "......xx.."),
            (&[M], "......xxxx"),
        ] {
            assert_eq!(filtered_in(&all, fields), expected, "{fields:?}");
        }
    }

    #[test]
    fn ety_20_pairs_cancel() {
        let all = Implementation::default();
        for (fields, expected) in [
            (&[U, NSU][..], ".xx...xxx."),
            (&[U, RLU], "xx....xxx."),
            (&[P, NSK], "....xxxxxx"),
            (&[P, RLK], "...xx.xxxx"),
            (&[P, M], "...xxxxxx."),
            (&[NSH, SH], ".......x.."),
            (&[NSH, RLH], "........x."),
        ] {
            assert_eq!(filtered_in(&all, fields), expected, "{fields:?}");
        }
    }

    #[test]
    fn ety_20_without_el3_u_and_p_alone_decide() {
        let mut configuration = Implementation::default();
        let pe = &mut configuration.pe;
        (pe.el3, pe.sel2, pe.rme) = (false, false, false);
        assert_eq!(
            &filtered_in(&configuration, &[U, NSU, P, NSK, NSH])[..8],
            "xxxxxx.."
        );
        assert_eq!(
            &filtered_in(&configuration, &[NSU, NSK, NSH])[..8],
            "........"
        );
    }

    #[test]
    fn ety_22_vs_is_ored_with_the_level() {
        let mut configuration = Implementation::default();
        let state = |streaming| ExecutionState {
            streaming,
            ..ExecutionState::new(El0, Secure)
        };
        let both = |configuration: &Implementation, value| {
            [false, true].map(|streaming| filtered(value, state(streaming), configuration))
        };
        assert_eq!(both(&configuration, 0), [false, false]);
        assert_eq!(both(&configuration, 0b01 << VS.low), [false, true]);
        assert_eq!(both(&configuration, 0b10 << VS.low), [true, false]);
        assert_eq!(both(&configuration, 0b11 << VS.low), [false, false]);
        configuration.knobs.vs11 = Vs11::Filter;
        assert_eq!(both(&configuration, 0b11 << VS.low), [true, true]);
        assert_eq!(
            both(&configuration, 0b01 << VS.low | U.mask()),
            [true, true]
        );
    }
}
