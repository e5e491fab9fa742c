//! The trace of `lockstep model`: every cycle of the model, as JSON Lines or as VCD.

use std::io::{self, Write};
use std::path::Path;

use pmu_model::contract::{CYCLE_COUNTER, SECURITY_STATES};
use pmu_model::{
    AccessKind, AccessOutcome, CycleInput, CycleOutput, CycleRecord, Implementation, Model,
    Recorder, SysReg, Unknown,
};
use serde::Serialize;
use vcd::{IdCode, SimulationCommand, TimescaleUnit, Value, VarType};

use crate::dut::CYCLE_NS;
use crate::lockstep::compare::register_name;

/// A trace that is being written.
pub enum Trace<'a> {
    /// One JSON object a cycle.
    Json(Parts, &'a mut dyn Write),
    /// Value changes.
    Vcd(Box<VcdTrace<'a>>),
}

/// What is implemented, and so is shown.
pub struct Parts {
    counters: u8,
    sampling: bool,
}

#[derive(Serialize)]
struct Cycle<'a> {
    cycle: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    reset: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    clock_stopped: bool,
    /// State of thread 0, if it is driven.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    sampling: Option<Sampling>,
    #[serde(skip_serializing_if = "is_zero")]
    unknown: u32,
}

/// Statistical Profiling after the cycle.
#[derive(Serialize)]
struct Sampling {
    pmsicr: String,
    in_flight: u8,
    coll: u8,
    #[serde(skip_serializing_if = "is_none")]
    selected: u8,
    #[serde(skip_serializing_if = "is_none")]
    first_selected: u8,
    #[serde(skip_serializing_if = "is_none")]
    collided: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    random_byte: Option<u8>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unknown: bool,
}

#[derive(Serialize)]
struct Access {
    register: String,
    /// Where it comes from, if not from AArch64.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    write: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<String>,
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    trap_iss: Option<String>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_none(value: &u8) -> bool {
    *value == 0
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
            return Ok(Self::Vcd(Box::new(VcdTrace::new(implementation, out)?)));
        }
        let sampling = implementation.spe.implemented;
        Ok(Self::Json(Parts { counters, sampling }, out))
    }

    /// One cycle of the model, written. `random` is the byte that it draws, if it draws one.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn step(
        &mut self,
        model: &mut Model,
        input: &CycleInput,
        random: u8,
        output: &mut CycleOutput,
        unknown: &mut Unknown,
    ) -> io::Result<()> {
        let mut recorder = Recorder::new(1);
        model.step(input, random, output, unknown, &mut recorder);
        let record = recorder.records().next().expect("one cycle was made");
        match self {
            Self::Json(parts, out) => json(parts, *out, input, output, record),
            Self::Vcd(trace) => trace.cycle(model, output, record),
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
    parts: &Parts,
    out: &mut dyn Write,
    input: &CycleInput,
    output: &CycleOutput,
    record: &CycleRecord,
) -> io::Result<()> {
    let lanes = usize::from(parts.counters);
    let values = &record.values;
    let bits = |masks: &[u16]| masks[..lanes].iter().map(|mask| (mask & 1) as u8).collect();
    let is_driven = !record.reset && input.driven & CycleInput::DRIVEN_PE != 0;
    let cycle = Cycle {
        cycle: record.cycle,
        reset: record.reset,
        clock_stopped: record.clock_stopped,
        state: is_driven.then(|| {
            let thread = input.threads[0];
            let security = SECURITY_STATES[usize::from(thread.security())];
            format!("EL{} {security}", thread.level())
        }),
        access: access(input, output),
        counting: record.counting,
        v_b: &values.v_b[..lanes],
        c_t: bits(&values.c_t),
        c_p: bits(&values.c_p),
        c_e: bits(&values.c_e),
        v: &values.v[..lanes],
        cycle_increment: values.v[CYCLE_COUNTER],
        overflow: record.overflow,
        sampling: (parts.sampling && !record.reset).then(|| Sampling {
            pmsicr: format!("{:#x}", output.pmsicr),
            in_flight: output.in_flight,
            coll: output.coll,
            selected: output.selected,
            first_selected: output.first_selected,
            collided: output.collided,
            random_byte: (output.random_drawn > 0).then_some(output.random_byte),
            unknown: record.unknown.spe,
        }),
        unknown: record.unknown.increments,
    };
    serde_json::to_writer(&mut *out, &cycle)?;
    out.write_all(b"\n")
}

/// The register access of a cycle, if there is one: none in a cycle of reset or without a clock.
fn access(input: &CycleInput, output: &CycleOutput) -> Option<Access> {
    if output.access_outcome == AccessOutcome::None as u8 {
        return None;
    }
    let kind = AccessKind::from_code(input.access_kind);
    let is_write = kind.is_write();
    let (register, from) = match kind {
        AccessKind::Read32 | AccessKind::Write32 => (
            SysReg::from_address_32(input.access_address).map_or_else(
                || format!("{:#06x}", input.access_address),
                |r| r.to_string(),
            ),
            Some("AArch32"),
        ),
        AccessKind::ExternalRead | AccessKind::ExternalWrite => (
            format!("offset {:#05x}", input.access_address),
            Some("outside"),
        ),
        _ => (register_name(input.access_address), None),
    };
    Some(Access {
        register,
        from,
        write: is_write.then(|| format!("{:#x}", input.access_data)),
        read: (!is_write).then(|| format!("{:#x}", output.access_data)),
        outcome: AccessOutcome::name_of(output.access_outcome),
        trap_iss: (output.trap_iss != 0).then(|| format!("{:#x}", output.trap_iss)),
    })
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

/// Variables of Statistical Profiling, with their widths.
type SamplingVariables = [(IdCode, u32); 6];

/// A trace as VCD, 10 ns a cycle.
pub struct VcdTrace<'a> {
    writer: FlushedWriter<'a>,
    clock: IdCode,
    stopped: IdCode,
    sampling: Option<SamplingVariables>,
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
    fn new(implementation: &Implementation, out: &'a mut dyn Write) -> io::Result<Self> {
        let mut writer = vcd::Writer::new(Box::new(out) as Box<dyn Write + 'a>);
        writer.version("lockstep model")?;
        writer.timescale(1, TimescaleUnit::NS)?;
        writer.add_module("golden")?;
        let clock = writer.add_var(VarType::Wire, 1, "clk", None)?;
        let stopped = writer.add_var(VarType::Wire, 1, "clock_stopped", None)?;
        let cycles = writer.add_var(VarType::Wire, 64, "pmccntr", None)?;
        let sampling = if implementation.spe.implemented {
            writer.add_module("sampling")?;
            let mut var = |width, name: &str| {
                let id = writer.add_var(VarType::Wire, width, name, None)?;
                Ok::<_, io::Error>((id, width))
            };
            let variables = [
                var(64, "pmsicr")?,
                var(8, "in_flight")?,
                var(8, "selected")?,
                var(8, "collided")?,
                var(3, "coll")?,
                var(8, "random_byte")?,
            ];
            writer.upscope()?;
            Some(variables)
        } else {
            None
        };
        let mut variables = Vec::new();
        for n in 0..implementation.pmu.counters {
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
            stopped,
            sampling,
            counters: variables,
            cycles,
            last: Vec::new(),
        })
    }

    fn cycle(
        &mut self,
        model: &Model,
        output: &CycleOutput,
        record: &CycleRecord,
    ) -> io::Result<()> {
        let time = CYCLE_NS * record.cycle;
        let writer = &mut self.writer.0;
        writer.timestamp(time)?;
        writer.change_scalar(self.clock, Value::V1)?;
        let values = &record.values;
        // The counters show what they hold after the cycle.
        let mut now = vec![
            (self.stopped, 1, u64::from(record.clock_stopped)),
            (self.cycles, 64, model.register(SysReg::Pmccntr)),
        ];
        let sampled = [
            output.pmsicr,
            output.in_flight.into(),
            output.selected.into(),
            output.collided.into(),
            output.coll.into(),
            output.random_byte.into(),
        ];
        for (&(id, width), value) in self.sampling.iter().flatten().zip(sampled) {
            now.push((id, width, value));
        }
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
                    SysReg::pmevcntr(n as u8).map_or(0, |register| model.register(register)),
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
