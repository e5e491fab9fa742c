//! The trace of `lockstep model`: every cycle of the model, as JSON Lines or as VCD.

use std::io::{self, Write};
use std::path::Path;

use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::{
    CycleInput, CycleOutput, CycleRecord, Implementation, Model, Recorder, SysReg, Unknown,
};
use serde::Serialize;
use vcd::{IdCode, SimulationCommand, TimescaleUnit, Value, VarType};

use crate::lockstep::compare::register_name;

/// A trace that is being written.
pub enum Trace<'a> {
    /// One JSON object a cycle.
    Json(Counters, &'a mut dyn Write),
    /// Value changes.
    Vcd(Box<VcdTrace<'a>>),
}

/// Event counters that are implemented.
pub struct Counters(u8);

#[derive(Serialize)]
struct Cycle<'a> {
    cycle: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    reset: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<Access>,
    counting: u32,
    v_b: &'a [u16],
    c_t: Vec<u8>,
    c_p: Vec<u8>,
    c_e: Vec<u8>,
    v: &'a [u16],
    cycle_increment: u16,
    overflow: u32,
    #[serde(skip_serializing_if = "is_zero")]
    unknown: u32,
}

#[derive(Serialize)]
struct Access {
    register: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    write: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<String>,
    outcome: String,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

impl<'a> Trace<'a> {
    /// Starts the trace that the file name asks for.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(
        path: &Path,
        implementation: &Implementation,
        out: &'a mut dyn Write,
    ) -> io::Result<Self> {
        let counters = implementation.pmu.counters;
        if path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("vcd"))
        {
            return Ok(Self::Vcd(Box::new(VcdTrace::new(counters, out)?)));
        }
        Ok(Self::Json(Counters(counters), out))
    }

    /// One cycle of the model, written.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn step(
        &mut self,
        model: &mut Model,
        input: &CycleInput,
        output: &mut CycleOutput,
        unknown: &mut Unknown,
    ) -> io::Result<()> {
        let mut recorder = Recorder::new(1);
        model.step(input, 0, output, unknown, &mut recorder);
        let record = recorder.records().next().expect("one cycle was made");
        match self {
            Self::Json(counters, out) => json(counters, *out, input, output, record),
            Self::Vcd(trace) => trace.cycle(model, record),
        }
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Json(_, out) => out.flush(),
            Self::Vcd(trace) => trace.writer.into_inner_flushed(),
        }
    }
}

fn json(
    counters: &Counters,
    out: &mut dyn Write,
    input: &CycleInput,
    output: &CycleOutput,
    record: &CycleRecord,
) -> io::Result<()> {
    let lanes = usize::from(counters.0);
    let values = &record.values;
    let bits = |masks: &[u16]| masks[..lanes].iter().map(|mask| (mask & 1) as u8).collect();
    let access = (input.access_kind != 0 && !record.reset).then(|| {
        let is_write = input.access_kind == 2;
        Access {
            register: register_name(input.access_address),
            write: is_write.then(|| format!("{:#x}", input.access_data)),
            read: (!is_write).then(|| format!("{:#x}", output.access_data)),
            outcome: pmu_model::AccessOutcome::name_of(output.access_outcome),
        }
    });
    let cycle = Cycle {
        cycle: record.cycle,
        reset: record.reset,
        access,
        counting: record.counting,
        v_b: &values.v_b[..lanes],
        c_t: bits(&values.c_t),
        c_p: bits(&values.c_p),
        c_e: bits(&values.c_e),
        v: &values.v[..lanes],
        cycle_increment: values.v[CYCLE_COUNTER],
        overflow: record.overflow,
        unknown: record.unknown.increments,
    };
    serde_json::to_writer(&mut *out, &cycle)?;
    out.write_all(b"\n")
}

/// Variables of one counter.
struct CounterVariables {
    counting: IdCode,
    v_b: IdCode,
    c_t: IdCode,
    c_p: IdCode,
    c_e: IdCode,
    v: IdCode,
    count: IdCode,
}

/// A trace as VCD, 10 ns a cycle.
pub struct VcdTrace<'a> {
    writer: FlushedWriter<'a>,
    clock: IdCode,
    counters: Vec<CounterVariables>,
    cycles: IdCode,
    last: Vec<(IdCode, u64)>,
}

/// The VCD writer with its output at hand, to flush it.
struct FlushedWriter<'a>(vcd::Writer<Box<dyn Write + 'a>>);

impl FlushedWriter<'_> {
    fn into_inner_flushed(mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<'a> VcdTrace<'a> {
    fn new(counters: u8, out: &'a mut dyn Write) -> io::Result<Self> {
        let mut writer = vcd::Writer::new(Box::new(out) as Box<dyn Write + 'a>);
        writer.version("lockstep model")?;
        writer.timescale(1, TimescaleUnit::NS)?;
        writer.add_module("golden")?;
        let clock = writer.add_var(VarType::Wire, 1, "clk", None)?;
        let cycles = writer.add_var(VarType::Wire, 64, "pmccntr", None)?;
        let mut variables = Vec::new();
        for n in 0..counters {
            writer.add_module(&format!("counter{n}"))?;
            let mut var = |width, name: &str| writer.add_var(VarType::Wire, width, name, None);
            variables.push(CounterVariables {
                counting: var(1, "counting")?,
                v_b: var(16, "v_b")?,
                c_t: var(1, "c_t")?,
                c_p: var(1, "c_p")?,
                c_e: var(1, "c_e")?,
                v: var(16, "v")?,
                count: var(64, "pmevcntr")?,
            });
            writer.upscope()?;
        }
        writer.upscope()?;
        writer.enddefinitions()?;
        writer.begin(SimulationCommand::Dumpvars)?;
        writer.end()?;
        let writer = FlushedWriter(writer);
        Ok(Self {
            writer,
            clock,
            counters: variables,
            cycles,
            last: Vec::new(),
        })
    }

    fn cycle(&mut self, model: &Model, record: &CycleRecord) -> io::Result<()> {
        let time = 10 * record.cycle;
        let writer = &mut self.writer.0;
        writer.timestamp(time)?;
        writer.change_scalar(self.clock, Value::V1)?;
        let values = &record.values;
        // The counters show what they hold after the cycle.
        let mut now = vec![(self.cycles, 64, model.register(SysReg::Pmccntr))];
        for (n, variables) in self.counters.iter().enumerate() {
            let bit = |mask: u16| u64::from(mask & 1);
            now.extend([
                (variables.counting, 1, u64::from(record.counting >> n & 1)),
                (variables.v_b, 16, values.v_b[n].into()),
                (variables.c_t, 1, bit(values.c_t[n])),
                (variables.c_p, 1, bit(values.c_p[n])),
                (variables.c_e, 1, bit(values.c_e[n])),
                (variables.v, 16, values.v[n].into()),
                (
                    variables.count,
                    64,
                    model.register(SysReg::Pmevcntr(n as u8)),
                ),
            ]);
        }
        for (index, &(id, width, value)) in now.iter().enumerate() {
            if self.last.get(index) == Some(&(id, value)) {
                continue;
            }
            if width == 1 {
                writer.change_scalar(id, value == 1)?;
            } else {
                writer.change_vector(
                    id,
                    (0..width)
                        .rev()
                        .map(|bit| Value::from(value >> bit & 1 == 1)),
                )?;
            }
        }
        self.last = now.into_iter().map(|(id, _, value)| (id, value)).collect();
        writer.timestamp(time + 5)?;
        writer.change_scalar(self.clock, Value::V0)
    }
}
