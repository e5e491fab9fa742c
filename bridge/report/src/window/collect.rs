//! Signals from what the re-run recorded. Outputs are taken field by field as the comparison knows them, so that a
//! new field of the contract is a signal without a line here.

use std::collections::BTreeMap;

use bytemuck::{bytes_of, pod_read_unaligned};
use pmu_model::contract::Output;
use pmu_model::pmu::registers::Access;
use pmu_model::{AccessKind, CycleInput, CycleOutput, CycleRecord, SysReg, Unknown};

use super::{Form, Group, Side, Signal, Value, Waves};
use lockstep_base::counted::plural;
use lockstep_engine::lockstep::compare::{Divergence, Field, differences, register_name};
use lockstep_engine::lockstep::delay::Latency;
use lockstep_explain::diagnosis::causes::Caused;
use lockstep_explain::diagnosis::internals::{Internals, VALUES};
use lockstep_explain::diagnosis::replay::{Window, WindowCycle};

/// Fields that differ that are shown first; all are in the dump.
const FIELDS: usize = 6;

/// The signals of `window`. `counter` is the event counter that the divergence is about, if it is about one, and
/// `internals` what the design has of its values inside.
pub fn collect(
    window: &Window,
    divergence: &Divergence,
    caused: &[Caused],
    counter: Option<u8>,
    counters: u8,
    internals: &Internals,
) -> Waves {
    let mut collector = Collector {
        window,
        waves: Waves {
            first: window.first,
            divergent: divergence.cycle,
            about: divergence.about,
            delays: delays(&window.latency),
            ..Waves::default()
        },
    };
    let divergent = collector.mark(divergence.cycle);
    let access = collector.access();
    collector.group("cycle", &[divergent, access]);
    let outputs = collector.outputs(counters);
    let lanes: Vec<_> = (0..counters).map(|n| collector.counter(n)).collect();
    let flags = collector.flags();

    let roots = caused.iter().filter(|caused| caused.cause.is_none());
    let consequences = caused.iter().filter(|caused| caused.cause.is_some());
    let mut shown = Vec::new();
    for caused in roots.chain(consequences).take(FIELDS) {
        let field = caused.difference.field;
        if let Some(pair) = outputs.get(&field) {
            collector.group(&field.name(&divergence.input), pair);
            shown.push(field);
        }
    }
    if let Some(Access::Read(SysReg::Pmovsset | SysReg::Pmovsclr)) =
        window.at(divergence.about).map(|cycle| cycle.record.access)
    {
        collector.group("overflow", &flags);
    }
    let Some(n) = counter else {
        return collector.waves;
    };
    let mut lane = collector.inside(n, internals, lanes.get(usize::from(n)));
    if !shown.contains(&Field::Increment(n)) {
        lane.extend(outputs.get(&Field::Increment(n)).into_iter().flatten());
    }
    collector.group(&format!("counter {n}"), &lane);
    // What an odd counter can link to.
    if n % 2 == 1
        && !shown.contains(&Field::Increment(n - 1))
        && let Some(pair) = outputs.get(&Field::Increment(n - 1))
    {
        collector.group(
            &format!("V[{}], which counter {n} can link to", n - 1),
            pair,
        );
    }
    collector.waves
}

/// Signals of one counter of the model, in the order of [`VALUES`] after `counting`.
struct Lane {
    counting: usize,
    values: [usize; 4],
    results: [usize; 2],
}

struct Collector<'a> {
    window: &'a Window,
    waves: Waves,
}

impl Collector<'_> {
    fn group(&mut self, title: &str, signals: &[usize]) {
        self.waves.groups.push(Group {
            title: title.into(),
            signals: signals.to_vec(),
        });
    }

    /// Adds a signal; `value` is asked for each cycle.
    fn add(
        &mut self,
        (scope, name, label): (&[&str], &str, String),
        side: Side,
        form: Form,
        mut value: impl FnMut(&WindowCycle) -> Option<Value>,
    ) -> usize {
        self.waves.signals.push(Signal {
            scope: scope.iter().map(|&scope| scope.to_owned()).collect(),
            name: name.into(),
            label,
            side,
            form,
            values: self.window.cycles.iter().map(&mut value).collect(),
            expected: None,
        });
        self.waves.signals.len() - 1
    }

    /// The bit that is 1 in the divergent cycle.
    fn mark(&mut self, divergent: u64) -> usize {
        let mut cycle = self.window.first;
        self.add(
            (&["golden"], "divergence", "divergence".into()),
            Side::Common,
            Form::Bit,
            |_| {
                cycle += 1;
                Some(number(u64::from(cycle - 1 == divergent), Form::Bit))
            },
        )
    }

    fn access(&mut self) -> usize {
        self.add(
            (&["golden"], "access", "register access".into()),
            Side::Common,
            Form::Words,
            |cycle| Some(words(access(&cycle.input))),
        )
    }

    /// Every output, the model's and the design's; V of counters beyond `counters` only if the design shows it.
    fn outputs(&mut self, counters: u8) -> BTreeMap<Field, [usize; 2]> {
        let cycles = &self.window.cycles;
        let is_there = |field: &Field| match *field {
            Field::Increment(n) if n >= counters => cycles
                .iter()
                .any(|cycle| cycle.rtl.increment[usize::from(n)] != 0),
            _ => true,
        };
        let fields: Vec<_> = fields().into_iter().filter(is_there).collect();
        fields
            .into_iter()
            .map(|field| {
                let name = identifier(field);
                let label = match field {
                    Field::Whole(Output::AccessData) => "access data".into(),
                    _ => field.name(&CycleInput::default()),
                };
                let form = form(field);
                let expected = self.add(
                    (&["golden", "expected"], &name, label.clone()),
                    Side::Expected,
                    form,
                    |cycle| {
                        let unknown = !compared(field, &cycle.expected, &cycle.unknown);
                        Some(output(field, field.of(&cycle.expected), unknown, form))
                    },
                );
                let rtl = self.add((&["rtl"], &name, label), Side::Rtl, form, |cycle| {
                    Some(output(field, field.of(&cycle.rtl), 0, form))
                });
                self.waves.signals[rtl].expected = Some(expected);
                (field, [expected, rtl])
            })
            .collect()
    }

    /// How V of counter `n` comes about.
    fn counter(&mut self, n: u8) -> Lane {
        let lane = usize::from(n);
        let scope = format!("counter{n}");
        let mut add = |name: &str, symbol: String, form, value: fn(&CycleRecord, usize) -> u64| {
            self.add(
                (&["golden", &scope], name, symbol),
                Side::Expected,
                form,
                |cycle| Some(number(value(&cycle.record, lane), form)),
            )
        };
        let (bit, word) = (Form::Bit, Form::Decimal(16));
        let symbol = |name: &str| format!("{name}[{n}]");
        let lane = Lane {
            counting: add("counting", symbol("counting"), bit, |record, n| {
                u64::from(record.counting >> n & 1)
            }),
            values: [
                add("v_b", symbol("V_B"), word, |record, n| {
                    record.values.v_b[n].into()
                }),
                add("c_t", symbol("C_T"), bit, |record, n| {
                    u64::from(record.values.c_t[n] & 1)
                }),
                add("c_p", symbol("C_P"), bit, |record, n| {
                    u64::from(record.values.c_p[n] & 1)
                }),
                add("c_e", symbol("C_E"), bit, |record, n| {
                    u64::from(record.values.c_e[n] & 1)
                }),
            ],
            results: [
                add("v_t", symbol("V_T"), word, |record, n| {
                    record.intermediates.v_t[n].into()
                }),
                add("v_e", symbol("V_E"), word, |record, n| {
                    record.intermediates.v_e[n].into()
                }),
            ],
        };
        add("v", symbol("V"), word, |record, n| {
            record.values.v[n].into()
        });
        lane
    }

    /// What happens to the counters, one bit a counter.
    fn flags(&mut self) -> [usize; 2] {
        let mut add = |name: &str, label: &str, value: fn(&CycleRecord) -> u32| {
            let form = Form::Hexadecimal(32);
            self.add(
                (&["golden"], name, label.into()),
                Side::Expected,
                form,
                |cycle| Some(number(value(&cycle.record).into(), form)),
            )
        };
        [
            add("overflow", "overflow", |record| record.overflow),
            add("written", "written", |record| record.written),
        ]
    }

    /// The model's values of counter `n`, each with the design's where it has them.
    fn inside(&mut self, n: u8, internals: &Internals, lane: Option<&Lane>) -> Vec<usize> {
        let Some(lane) = lane else {
            return Vec::new();
        };
        let mut group = vec![lane.counting];
        let first = self.window.first;
        for (index, (signal, symbol)) in VALUES.into_iter().enumerate() {
            group.push(lane.values[index]);
            if internals.is_empty() {
                continue;
            }
            let form = self.waves.signals[lane.values[index]].form;
            let mut cycle = first;
            let rtl = self.add(
                (
                    &["rtl", &format!("counter{n}")],
                    signal,
                    format!("{symbol}[{n}]"),
                ),
                Side::Rtl,
                form,
                |_| {
                    cycle += 1;
                    internals.at(cycle - 1)[index].map(|value| number(value, form))
                },
            );
            // How late they are is known of outputs alone.
            if self.window.latency == Latency::default() {
                self.waves.signals[rtl].expected = Some(lane.values[index]);
            }
            group.push(rtl);
        }
        group.extend(lane.results);
        group
    }
}

/// How much later each group of outputs is than its cycle; empty if none is.
fn delays(latency: &Latency) -> String {
    let groups = [
        ("increments", latency.increment),
        ("data and outcome of accesses", latency.access),
        ("those of sampling", latency.spe),
    ];
    let late = groups.into_iter().filter(|&(_, cycles)| cycles > 0);
    let late =
        late.map(|(what, cycles)| format!("{what} {} later", plural(cycles as u64, "cycle")));
    late.collect::<Vec<_>>().join(", ")
}

/// Every field of an output. An output without a bit in common with another differs from it in all of them.
fn fields() -> Vec<Field> {
    let zero = CycleOutput::default();
    differences(&zero, &Unknown::default(), &complement(&zero))
        .into_iter()
        .map(|difference| difference.field)
        .collect()
}

/// The bits of `field` that are compared.
fn compared(field: Field, expected: &CycleOutput, unknown: &Unknown) -> u64 {
    differences(expected, unknown, &complement(expected))
        .into_iter()
        .find(|difference| difference.field == field)
        .map_or(0, |difference| difference.compared)
}

/// The output with every bit inverted.
fn complement(output: &CycleOutput) -> CycleOutput {
    let bytes: Vec<u8> = bytes_of(output).iter().map(|byte| !byte).collect();
    pod_read_unaligned(&bytes)
}

/// The name of a field in a dump.
fn identifier(field: Field) -> String {
    if field == Field::Whole(Output::AccessData) {
        // Elsewhere it has the name of the register that is read.
        return "access_data".into();
    }
    let name = field.name(&CycleInput::default()).to_lowercase();
    let words: Vec<_> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.join("_")
}

/// How a field is written, told by how reports write it.
fn form(field: Field) -> Form {
    let text = field.text(1);
    let width = field.bits().len() as u32;
    match text.as_str() {
        "1" if width == 1 => Form::Bit,
        "1" => Form::Decimal(width),
        _ if text.starts_with("0x") => Form::Hexadecimal(width),
        _ => Form::Words,
    }
}

fn ones(form: Form) -> u64 {
    form.width()
        .map_or(u64::MAX, |width| u64::MAX >> (64 - width.clamp(1, 64)))
}

fn number(bits: u64, form: Form) -> Value {
    let text = match form {
        Form::Hexadecimal(_) => format!("{bits:#x}"),
        _ => bits.to_string(),
    };
    Value {
        bits,
        unknown: 0,
        text,
    }
}

fn output(field: Field, bits: u64, unknown: u64, form: Form) -> Value {
    let unknown = unknown & ones(form);
    let text = if unknown == ones(form) {
        "UNKNOWN".into()
    } else if unknown != 0 {
        format!("{}, but for {unknown:#x}", field.text(bits))
    } else {
        field.text(bits)
    };
    Value {
        bits,
        unknown,
        text,
    }
}

fn words(text: String) -> Value {
    Value {
        text,
        ..Value::default()
    }
}

/// The register access of a cycle, one word for what happens, one for the register, one for data.
fn access(input: &CycleInput) -> String {
    if input.is_reset() {
        return "reset".into();
    }
    let register = register_name(input.access_address);
    match AccessKind::from_code(input.access_kind) {
        AccessKind::None => String::new(),
        AccessKind::Read => format!("read {register}"),
        AccessKind::Write => format!("write {register} {:#x}", input.access_data),
        AccessKind::Read32 => format!("AArch32_read {register}"),
        AccessKind::Write32 => format!("AArch32_write {register} {:#x}", input.access_data),
        AccessKind::ExternalRead => format!("external_read {:#x}", input.access_address),
        AccessKind::ExternalWrite => format!(
            "external_write {:#x} {:#x}",
            input.access_address, input.access_data
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> = fields().into_iter().map(identifier).collect();
        assert_eq!(names.len(), fields().len());
        assert!(
            names.contains("v_6") && names.contains("access_data"),
            "{names:?}"
        );
        assert_eq!(form(Field::Increment(30)), Form::Decimal(16));
        assert_eq!(
            form(Field::Whole(Output::AccessData)),
            Form::Hexadecimal(64)
        );
        assert_eq!(form(Field::Whole(Output::AccessOutcome)), Form::Words);
    }

    #[test]
    fn unknown_bits_are_those_that_are_not_compared() {
        let expected = CycleOutput::default();
        let unknown = Unknown {
            access_data: 0xF0,
            increments: 1 << 3,
            ..Unknown::default()
        };
        assert_eq!(compared(Field::Increment(3), &expected, &unknown), 0);
        assert_eq!(
            compared(Field::Whole(Output::AccessData), &expected, &unknown),
            !0xF0
        );
        let value = output(Field::Increment(3), 7, u64::MAX, Form::Decimal(16));
        assert_eq!(value.text, "UNKNOWN");
    }
}
