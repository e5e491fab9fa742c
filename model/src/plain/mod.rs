//! The contract once more, slowly and plainly, in the order of the documents: every comparison, condition, field, index and
//! write is a [`Site`] at which a [`Mutant`] can do otherwise.
//!
//! Without a mutant it is the [`Model`](crate::Model). It is what hypotheses about a design are made of: which one mistake,
//! made where, does what the design did.
//!
//! ```
//! use pmu_model::plain::{Plain, Right};
//! use pmu_model::{CycleInput, Implementation, SysReg};
//!
//! let mut plain = Plain::new(&Implementation::default())?;
//! let mut right = Right::default();
//! plain.step(&mut right, &CycleInput::reset(), 0);
//! plain.step(&mut right, &CycleInput::write(SysReg::Pmselr, 5), 0);
//! let output = plain.step(&mut right, &CycleInput::read(SysReg::Pmselr), 0);
//! assert_eq!(output.access_data, 5);
//! # Ok::<(), pmu_model::ImplementationError>(())
//! ```

mod access;
mod counting;
mod datapath;
mod filter;
mod filter_rows;
mod instances;
mod kinds;
mod mutant;
mod operators;
mod registers;
mod rules;
mod sampling;
mod sentence;
mod site;
pub mod state;
mod system;
mod threads;
mod view;
mod when;

pub use filter_rows::{FILTER_ROWS, FilterRow};
pub use instances::{At, Instances, Names};
pub use mutant::{Mutant, Mutation, Relation};
pub use operators::{Broken, Operators, Right};
pub use site::{Kind, Site};
pub use state::State;
pub use when::{Around, Before, Moment, Unit, When};

use crate::contract::{AccessKind, CycleInput, CycleOutput};
use crate::implementation::{Implementation, ImplementationError, Knobs, Res0};
use crate::pmu::event_type::{EventType, EventTypeDecoder, cycle_filter_mask, present_mask};
use crate::spmu;
use crate::sysreg::SysReg;

use counting::Counted;
use kinds::kind;
use registers::LATE;
use sampling::Sampled;
use state::{PARTS, SYSTEM, TOGETHER};
use view::View;

/// What never changes in a run.
struct Fixed {
    implementation: Implementation,
    decoder: EventTypeDecoder,
    /// Bits of each type that are present.
    present: [u64; 31],
    /// Bits of each type that are stored.
    stored: [u64; 31],
    cycle_filter: u64,
    cycle_filter_stored: u64,
    system: Vec<spmu::Registers>,
}

/// The contract.
pub struct Plain {
    fixed: Fixed,
    state: State,
    /// Types that were decoded last.
    decoded: [(u64, EventType); 31],
    /// Increments of the last cycle.
    last: [u64; 32],
    /// What was read in the last cycle.
    last_read: Option<(SysReg, View)>,
    /// The PMBSR_ELx whose COLL a collision of the last cycle set.
    hit: u64,
    around: Around,
    /// Counters that a mutant zeroes in the cycle.
    zeroed: u32,
    /// What came of the counters in the last step that was whole.
    counted: Counted,
    /// The counters of a step that is not.
    within: Option<u32>,
}

/// What an access does at the end of the cycle.
type Effect = Option<(SysReg, u64)>;

impl Plain {
    /// Whether this is the contract of an implementation: some knobs have their defaults here.
    pub fn stands_for(implementation: &Implementation) -> bool {
        let (knobs, default) = (&implementation.knobs, Knobs::default());
        knobs.cp_when_not_counting == default.cp_when_not_counting
            && knobs.ct_when_bypassed == default.ct_when_bypassed
            && knobs.link_from_idle == default.link_from_idle
            && knobs.access_model == default.access_model
            && knobs.reset_value == default.reset_value
            && knobs.spe == default.spe
            && knobs.cycles == default.cycles
    }

    /// Out of reset.
    ///
    /// # Errors
    /// The implementation is impossible.
    pub fn new(implementation: &Implementation) -> Result<Self, ImplementationError> {
        let hold = implementation.knobs.res0 == Res0::RwNoEffect;
        let present = std::array::from_fn(|n| present_mask(n as u8, implementation));
        let cycle_filter = cycle_filter_mask(implementation);
        let fixed = Fixed {
            decoder: EventTypeDecoder::new(implementation)?,
            present,
            stored: if hold { [u64::MAX; 31] } else { present },
            cycle_filter,
            cycle_filter_stored: if hold { u64::MAX } else { cycle_filter },
            system: implementation
                .system_pmu
                .iter()
                .map(spmu::SystemPmu::registers)
                .collect(),
            implementation: implementation.clone(),
        };
        let decoded = std::array::from_fn(|n| (0, fixed.decoder.decode(n as u8, 0)));
        Ok(Self {
            state: State::new(implementation),
            fixed,
            decoded,
            last: [0; 32],
            last_read: None,
            hit: 0,
            around: Around::default(),
            zeroed: 0,
            counted: Counted::default(),
            within: None,
        })
    }

    /// What is around the next step, for mutants that look at it; nothing is, where nobody says so.
    pub fn meet(&mut self, around: Around) {
        self.around = around;
    }

    /// The state.
    pub fn state(&mut self) -> &mut State {
        &mut self.state
    }

    /// What the events of Statistical Profiling counted in the last step, in the order of their numbers.
    pub fn samples(&self) -> [u64; 4] {
        self.counted.samples()
    }

    /// One cycle, with the byte that the design drew in it. What the state was before can be had back by
    /// [`State::undo`].
    pub fn step<O: Operators>(
        &mut self,
        operators: &mut O,
        input: &CycleInput,
        byte: u8,
    ) -> CycleOutput {
        let mut output = CycleOutput::default();
        self.state.begin();
        self.last = [0; 32];
        self.last_read = None;
        self.hit = 0;
        self.zeroed = 0;
        if self.within.is_none() {
            self.counted.is_there = false;
        }
        *operators.moment() = Moment {
            around: self.around,
            ..moment(input)
        };
        if input.is_reset() {
            self.reset(operators);
            return output;
        }
        // DUT-52.
        let stopped = input.clock_stopped & 1 == 1;
        let accessed = !operators.bit(Site::ClockStopsAccesses, 0, stopped);
        let effect = match accessed {
            true => self.access(operators, input, &mut output),
            false => None,
        };
        let written = effect.map(|(register, _)| kind(register));
        let mut late = self.late(operators, input);
        let own = effect.filter(|&(register, _)| {
            let at = kind(register);
            operators.index(Site::WriteLate, at, 0, LATE) == 0
                && !operators.bit(Site::EnableInverted, at, false)
        });
        let effect = own.or_else(|| late.take());
        self.zeroed = self.zeroed_anyway(operators, input);
        let sampled = match self.fixed.implementation.spe.implemented
            && !operators.bit(Site::ClockStopsSampling, 0, stopped)
        {
            true => self.sample(operators, input, byte),
            false => Sampled::default(),
        };
        output.random_byte = if sampled.drawn > 0 { byte } else { 0 };
        output.random_drawn = sampled.drawn;
        output.selected = sampled.selected;
        output.first_selected = sampled.first;
        output.collided = sampled.collided;
        operators.moment().collided = sampled.collided > 0;
        if !operators.bit(Site::ClockStopsCounting, 0, stopped) {
            self.count(operators, input, &sampled, effect, &mut output);
        } else if stopped {
            self.without_clock(operators, input);
        }
        self.late_copies(operators);
        self.write_all_anyway(operators, input);
        for (register, data) in [late, effect].into_iter().flatten() {
            self.write(operators, register, data, input);
        }
        self.write_anyway(operators, input, written);
        self.read_again(operators, &mut output);
        self.show(&mut output);
        output
    }

    /// The cycle of the last [`step`](Self::step) once more, from the state before it or another one: bit *n* of `counters`
    /// says that counter *n* may come to something else, by its words of the state or by what operators do to it. What
    /// operators do to all counters, and what comes of that, is found.
    pub fn step_within<O: Operators>(
        &mut self,
        operators: &mut O,
        input: &CycleInput,
        byte: u8,
        counters: u32,
    ) -> CycleOutput {
        self.within = Some(counters);
        let output = self.step(operators, input, byte);
        self.within = None;
        output
    }

    /// The counters that may come to something else where a word of the state differs in these bits.
    pub fn counters_of(word: u16, differs: u64) -> u32 {
        let word = usize::from(word);
        match word {
            state::LONG => u32::MAX,
            state::PREVIOUS => differs as u32,
            _ if (state::COUNTERS..state::CYCLE_COPY).contains(&word) => {
                let n = match word < state::COPIES {
                    true => word - state::COUNTERS,
                    false => (word - state::COPIES) % 31,
                };
                1 << n
            }
            _ => 0,
        }
    }

    /// DUT-11.
    fn reset<O: Operators>(&mut self, operators: &mut O) {
        for (part, &(_, first, count)) in PARTS.iter().enumerate() {
            let together = TOGETHER.iter().position(|parts| parts.contains(&part));
            let is_kept = together
                .is_some_and(|together| !operators.bit(Site::ResetTogether, together, true));
            if !is_kept && operators.bit(Site::Reset, part, true) {
                let value = operators.word(Site::ResetValue, part, 0);
                (first..first + count).for_each(|word| self.state.set(word, value));
            }
        }
        self.state.set(state::PROFILED, 0);
        for copy in 0..3 {
            if operators.bit(Site::CopyReset, copy, true) {
                let first = state::COPIES + 31 * copy;
                (first..first + 31).for_each(|word| self.state.set(word, 0));
            }
        }
        if operators.bit(Site::CycleCopyReset, 0, true) {
            self.state.set(state::CYCLE_COPY, 0);
        }
        if operators.bit(Site::ResetOfSystem, 0, true) {
            (SYSTEM..self.state.count()).for_each(|word| self.state.set(word, 0));
        }
    }

    /// What is shown of sampling after the cycle.
    fn show(&mut self, output: &mut CycleOutput) {
        if self.fixed.implementation.spe.implemented {
            // What is shown is not what the contract goes on with: it does not count as read.
            let word = |word: usize| self.state.word(word as u16);
            output.pmsicr = word(state::ECOUNT) << 56 | word(state::COUNT);
            output.in_flight = word(state::IN_FLIGHT) as u8;
            output.coll = word(state::COLL) as u8;
        }
    }

    /// What is shown of the state, which a mutant may have changed without that the cycle read it.
    pub fn shows(word: u16) -> bool {
        let shown = [state::COUNT, state::ECOUNT, state::IN_FLIGHT, state::COLL];
        shown.contains(&usize::from(word))
    }
}

/// What is known of a cycle before it is looked at.
fn moment(input: &CycleInput) -> Moment {
    let driven = input.driven & CycleInput::DRIVEN_PE != 0;
    let kind = AccessKind::from_code(input.access_kind);
    Moment {
        kind: (kind != AccessKind::None).then_some(kind),
        register: None,
        level: driven.then(|| input.threads[0].level()),
        security: driven.then(|| input.threads[0].security()),
        counter: 0,
        event: None,
        around: Around::default(),
        counted: 0,
        profiling: input.profiling & CycleInput::PROFILING_ENABLED != 0,
        collided: false,
        stopped: input.clock_stopped & 1 == 1,
    }
}
