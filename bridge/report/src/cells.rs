//! The last cycles before a divergence as a table: the columns depend on the field that differs.

use pmu_model::contract::{CYCLE_COUNTER, Group, Output};
use pmu_model::pmu::registers::Access;
use pmu_model::wrapper::{Increments, Wrapper};
use pmu_model::{AccessKind, AccessOutcome, CycleInput, CycleOutput, SysReg};
use serde::Serialize;

use lockstep_engine::lockstep::compare::{Divergence, Field, access_text};
use lockstep_engine::lockstep::delay::Latency;
use lockstep_explain::diagnosis::internals::{Internals, VALUES};
use lockstep_explain::diagnosis::replay::{Window, WindowCycle};
use lockstep_explain::diagnosis::words;

/// Cycles in the table before the one whose outputs differ; fewer by those from there to the one that shows them, down
/// to the least.
const ROWS_BEFORE: usize = 9;
const LEAST_BEFORE: usize = 4;
/// Cycles in the table after the one that shows them.
const ROWS_AFTER: usize = 1;

/// A table.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Cells {
    /// Headings.
    pub columns: Vec<String>,
    /// Rows, oldest first.
    pub rows: Vec<Row>,
}

/// One cycle.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Number of the cycle.
    pub cycle: u64,
    /// One text a column.
    pub cells: Vec<String>,
    /// The cycle whose outputs differ.
    pub divergent: bool,
    /// The cycle in which the design shows them.
    pub shows: bool,
}

/// The counter that a difference is about, if it is about one.
pub fn counter_of(field: Field, cycle: Option<&WindowCycle>) -> Option<u8> {
    match (field, cycle.map(|cycle| cycle.record.access)) {
        (Field::Increment(n), _) => Some(n),
        (Field::Whole(Output::AccessData), Some(Access::Read(SysReg::Pmevcntr(n)))) => {
            Some(n.get())
        }
        _ => None,
    }
}

/// The table of the cycles around `divergence`.
pub fn cells(
    field: Field,
    window: &Window,
    divergence: &Divergence,
    internals: &Internals,
) -> Cells {
    let counter = counter_of(field, window.at(divergence.about));
    let is_increment = matches!(field, Field::Increment(_) | Field::CycleIncrement);
    let counted = match field {
        Field::CycleIncrement => Some(CYCLE_COUNTER),
        _ => counter.map(usize::from),
    };
    let event_type = counter.and_then(|n| window.model.event_type(n));
    let linked = is_increment && event_type.is_some_and(|event_type| event_type.tlc != 0);
    // Rows are cycles with what became of them, however late the design shows that.
    let at = usize::try_from(divergence.about.saturating_sub(window.first)).unwrap_or(0);
    let late = usize::try_from(divergence.cycle - divergence.about).unwrap_or(0);
    let before = ROWS_BEFORE.saturating_sub(late).max(LEAST_BEFORE);
    let first = at.saturating_sub(before);
    let rows = || {
        let all = window.cycles.iter().enumerate();
        all.skip(first).take(at - first + late + 1 + ROWS_AFTER)
    };
    let shown = Shown {
        field,
        counter,
        counted,
        is_increment,
        linked,
        state: rows().any(|(_, cycle)| cycle.input.driven & CycleInput::DRIVEN_PE != 0),
        internals,
        window,
        wrapper: &window.model.implementation().wrapper,
        has_threshold: window.model.implementation().pmu.th,
    };
    Cells {
        columns: shown.columns(),
        rows: rows()
            .map(|(index, cycle)| Row {
                cycle: window.first + index as u64,
                cells: shown.row(index, cycle),
                divergent: index == at,
                shows: index == at + late,
            })
            .collect(),
    }
}

struct Shown<'a> {
    field: Field,
    /// The event counter whose V_B, C_T, C_P, C_E are shown.
    counter: Option<u8>,
    /// The lane whose increment is shown.
    counted: Option<usize>,
    is_increment: bool,
    /// The counter links to the one below it, whose V is shown.
    linked: bool,
    /// The state of the PE holds in some cycle of the table.
    state: bool,
    internals: &'a Internals,
    window: &'a Window,
    wrapper: &'a Wrapper,
    has_threshold: bool,
}

impl Shown<'_> {
    /// The columns of a counter: V_B, and with FEAT_PMUv3_TH what comes of it.
    fn values(&self) -> usize {
        if self.has_threshold { VALUES.len() } else { 1 }
    }

    /// Whether signals inside the design are shown. They are in the cycle that they belong to if all that the design shows
    /// is; how late they are else is not known.
    fn has_internals(&self) -> bool {
        !self.internals.is_empty() && self.window.latency == Latency::default()
    }

    /// What a design shows of the cycle `late` cycles before row `index`, if the window has it.
    fn outputs(&self, index: usize, late: usize) -> Option<&WindowCycle> {
        self.window.cycles.get(index + late)
    }

    fn columns(&self) -> Vec<String> {
        let mut columns = vec!["access".to_owned()];
        if self.state {
            columns.push("thread 0".into());
        }
        if self.field.group() == Group::Sampling {
            columns.extend(SAMPLING_COLUMNS.map(Into::into));
            columns.extend(["expected".into(), "RTL".into()]);
            return columns;
        }
        if let Some(n) = self.counted {
            columns.push("counting".into());
            if self.counter.is_some() {
                columns.extend(
                    VALUES[..self.values()]
                        .iter()
                        .map(|(_, name)| (*name).into()),
                );
            }
            if self.linked {
                columns.push(format!("V[{}]", n - 1));
            }
            let name = Field::Increment(n as u8).name(&CycleInput::default());
            let name = if n == CYCLE_COUNTER {
                "increment".into()
            } else {
                name
            };
            columns.push(format!("{name} expected"));
            if self.wrapper.increments != Increments::Hidden {
                columns.push(format!("{name} RTL"));
            }
        }
        if !self.is_increment {
            let what = match self.field {
                Field::Whole(Output::AccessOutcome) => "outcome",
                Field::Whole(Output::TrapIss) => "ISS",
                _ => "read",
            };
            columns.extend([format!("{what} expected"), format!("{what} RTL")]);
        }
        if self.has_internals() {
            columns.extend(VALUES.map(|(signal, _)| format!("rtl.{signal}")));
        }
        columns
    }

    fn row(&self, index: usize, cycle: &WindowCycle) -> Vec<String> {
        let latency = &self.window.latency;
        let record = &cycle.record;
        let mut cells = vec![access_text(&cycle.input)];
        if self.state {
            cells.push(state(&cycle.input));
        }
        if self.field.group() == Group::Sampling {
            let shown = self.outputs(index, latency.spe);
            cells.extend(sampling(cycle, shown));
            let text = |output: &CycleOutput| self.field.text(self.field.of(output));
            cells.push(
                shown.map_or_else(String::new, |shown| match shown.unknown.spe {
                    true => "UNKNOWN".into(),
                    false => text(&shown.expected),
                }),
            );
            cells.push(shown.map_or_else(String::new, |shown| text(&shown.rtl)));
            return cells;
        }
        if let Some(n) = self.counted {
            cells.push((record.counting >> n & 1).to_string());
            if self.counter.is_some() {
                let values = &record.values;
                let flags = [values.c_t[n], values.c_p[n], values.c_e[n]];
                let flags = flags.map(|mask| (mask & 1).to_string());
                let all = [values.v_b[n].to_string()].into_iter().chain(flags);
                cells.extend(all.take(self.values()));
            }
            if self.linked {
                cells.push(record.values.v[n - 1].to_string());
            }
            let shown = self.outputs(index, latency.increment);
            let expected = shown.map(|cycle| match cycle.unknown.increments >> n & 1 {
                1 => "UNKNOWN".into(),
                _ => cycle.expected.increment[n].to_string(),
            });
            cells.push(expected.unwrap_or_default());
            if self.wrapper.increments != Increments::Hidden {
                let rtl = shown.map(|cycle| cycle.rtl.increment[n].to_string());
                cells.push(rtl.unwrap_or_default());
            }
        }
        if !self.is_increment {
            let accessed = self.outputs(index, latency.access);
            let outcome = self.field == Field::Whole(Output::AccessOutcome);
            let reads = matches!(
                AccessKind::from_code(cycle.input.access_kind),
                AccessKind::Read | AccessKind::Read32 | AccessKind::ExternalRead
            );
            let shown = |output: &CycleOutput| {
                if self.field == Field::Whole(Output::TrapIss) {
                    format!("{:#x}", output.trap_iss)
                } else if outcome || output.access_outcome > AccessOutcome::Ok as u8 {
                    AccessOutcome::name_of(output.access_outcome)
                } else if reads {
                    format!("{:#x}", output.access_data)
                } else {
                    String::new()
                }
            };
            cells.push(accessed.map_or_else(String::new, |cycle| shown(&cycle.expected)));
            cells.push(accessed.map_or_else(String::new, |cycle| shown(&cycle.rtl)));
        }
        if self.has_internals() {
            let text = |value: Option<u64>| value.map_or("-".into(), |value| value.to_string());
            cells.extend(self.internals.at(record.cycle).map(text));
        }
        cells
    }
}

/// The state of thread 0, if it holds.
fn state(input: &CycleInput) -> String {
    if input.driven & CycleInput::DRIVEN_PE == 0 {
        String::new()
    } else {
        words::state(input.threads[0])
    }
}

/// Headings of [`sampling`].
const SAMPLING_COLUMNS: [&str; 7] = [
    "enabled",
    "operations",
    "COUNT",
    "ECOUNT",
    "in flight",
    "drawn",
    "byte",
];

/// Sampling at the start of a cycle, what is asked of it, and the bytes that `shown` says were drawn: the
/// [`SAMPLING_COLUMNS`].
fn sampling(cycle: &WindowCycle, shown: Option<&WindowCycle>) -> [String; 7] {
    let (input, record) = (&cycle.input, &cycle.record.sampling);
    if cycle.record.reset || cycle.record.clock_stopped {
        return Default::default();
    }
    let rtl = shown.map(|shown| shown.rtl);
    let drawn = rtl.map_or(0, |rtl| rtl.random_drawn);
    let byte = rtl.map_or(0, |rtl| rtl.random_byte);
    [
        (input.profiling & CycleInput::PROFILING_ENABLED).to_string(),
        input.operations.to_string(),
        record.pmsicr.count.to_string(),
        record.pmsicr.ecount.to_string(),
        record.in_flight.to_string(),
        drawn.to_string(),
        if drawn > 0 {
            format!("{byte:#04x}")
        } else {
            String::new()
        },
    ]
}
