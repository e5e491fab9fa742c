//! Filtering by Exception level, Security state and Streaming mode (ETY-20, ETY-22).

use crate::contract::CycleInput;
use crate::evtyper::configuration::Vs11;
use crate::pmu::event_type::{Field, M, MT, NSH, NSK, NSU, P, RLH, RLK, RLU, SH, U, VS};

use super::Plain;
use super::filter_rows::{FILTER_ROWS, FILTERING};
use super::mutant::Mutation;
use super::operators::Operators;
use super::site::Site;

/// Fields of the filter, which can be taken for each other.
const FIELDS: [Field; 11] = [P, U, NSK, NSU, NSH, M, SH, RLK, RLU, RLH, MT];

/// The place of a field among them, by its lowest bit.
const PLACES: [usize; 64] = {
    let mut places = [0; 64];
    let mut place = 0;
    while place < FIELDS.len() {
        places[FIELDS[place].low as usize] = place;
        place += 1;
    }
    places
};

impl Plain {
    /// Whether thread `t` is filtered by the fields of `effective`, for counter `n`.
    pub(super) fn is_filtered<O: Operators>(
        &mut self,
        operators: &mut O,
        n: usize,
        (effective, t): (u64, usize),
        input: &CycleInput,
    ) -> bool {
        if input.driven & CycleInput::DRIVEN_PE == 0 {
            return false;
        }
        let t = operators.index(Site::FilteredThread, t, t, 4) & 3;
        let thread = input.threads[t];
        let level = operators.word(Site::FilteredLevel, 0, thread.level().into()) as usize;
        let security = operators.word(Site::FilteredSecurity, 0, thread.security().into());
        let number = match (level, security) {
            (3, _) => 9,
            (level, 1) => 3 * level + 1,
            (level, 2) => 3 * level + 2,
            (level, _) => 3 * level,
        };
        let number = operators.index(Site::FilterRow, number, number, 10);
        let row = &FILTER_ROWS[number];
        let bit = |operators: &mut O, site: Site, field: Field| {
            let value = field.of(effective);
            let value = operators.see(site, number, value, &|mutation| match mutation {
                Mutation::Other(other) => FIELDS[usize::from(other)].of(effective),
                other => other.of_bit(value == 1).into(),
            });
            operators.bit(Site::FilterBit, PLACES[field.low as usize], value == 1)
        };
        let one = bit(operators, Site::FilterField, row.one);
        let other = match row.other {
            Some(field) => bit(operators, Site::FilterOther, field),
            None => false,
        };
        let function = operators.index(
            Site::FilterFunction,
            number,
            row.equal.into(),
            FILTERING.len(),
        );
        let by_level = FILTERING[function].table >> (u8::from(one) << 1 | u8::from(other)) & 1 == 1;
        let by_level = operators.bit(Site::FilteredByRow, number, by_level);
        let by_mode = self.filtered_by_mode(operators, effective, thread.state >> 4 & 1 == 1);
        operators.bit(Site::Filtered, n, by_level || by_mode)
    }

    /// ETY-22.
    fn filtered_by_mode<O: Operators>(
        &mut self,
        operators: &mut O,
        effective: u64,
        streaming: bool,
    ) -> bool {
        let vs = VS.of(effective) as usize;
        let filtered = match vs {
            0 => false,
            1 => streaming,
            2 => !streaming,
            _ => self.fixed.implementation.knobs.vs11 == Vs11::Filter,
        };
        operators.bit(Site::FilteredByMode, vs, filtered)
    }
}
