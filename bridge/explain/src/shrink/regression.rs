//! A shrunk stimulus as a test of this repository: a file for `tests/regressions/`.

use std::fmt::Write;

use bytemuck::bytes_of;
use pmu_model::{AccessKind, CycleInput, Implementation, SysReg};

use lockstep_engine::lockstep::compare::access_name;

use super::Reduced;

/// The text of a test that runs the cycles on the bundled RTL, and demands that it agrees with the model.
pub fn regression_test(reduced: &Reduced, implementation: &Implementation) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut out, reduced, implementation);
    out
}

/// The name of the test: the field as an identifier.
pub fn test_name(field: &str) -> String {
    let mut name = String::new();
    for c in field.chars() {
        match c {
            c if c.is_ascii_alphanumeric() => name.push(c.to_ascii_lowercase()),
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    format!("{}_agrees", name.trim_matches('_'))
}

fn write(out: &mut String, reduced: &Reduced, implementation: &Implementation) -> std::fmt::Result {
    let failing = &reduced.failing;
    writeln!(
        out,
        "//! {} in cycle {}: expected {}, RTL {}.",
        failing.field, failing.cycle, failing.expected, failing.rtl
    )?;
    writeln!(out, "//!")?;
    writeln!(
        out,
        "//! Made by `lockstep shrink`. It passes when the design does what the model expects."
    )?;
    writeln!(out)?;
    let of_register = |input: &CycleInput| register(input).is_some();
    let imports = match reduced.cycles.iter().any(of_register) {
        true => "{CycleInput, Implementation, SysReg}",
        false => "{CycleInput, Implementation}",
    };
    writeln!(out, "use pmu_model::{imports};")?;
    let helpers = helpers(reduced);
    writeln!(out, "\nuse crate::{helpers};")?;
    let is_default = *implementation == Implementation::default();
    if !is_default {
        let text = toml::to_string(implementation).expect("an implementation has a TOML form");
        writeln!(out, "\nconst IMPLEMENTATION: &str = r#\"\n{text}\"#;")?;
    }
    writeln!(out, "\n#[test]\nfn {}() {{", test_name(&failing.field))?;
    writeln!(out, "    let cycles = [")?;
    for (k, input) in reduced.cycles.iter().enumerate() {
        cycle(out, k, input)?;
    }
    writeln!(out, "    ];")?;
    if is_default {
        writeln!(out, "    agrees(&Implementation::default(), &cycles);\n}}")
    } else {
        writeln!(
            out,
            "    let implementation: Implementation = toml::from_str(IMPLEMENTATION).expect(\"legal\");"
        )?;
        writeln!(out, "    agrees(&implementation, &cycles);\n}}")
    }
}

/// The functions of `tests/regressions/main.rs` that the cycles need.
fn helpers(reduced: &Reduced) -> String {
    let mut names = vec!["agrees"];
    let any = |of: fn(&CycleInput) -> bool| reduced.cycles.iter().any(of);
    if any(|input| input.event.iter().any(|&value| value != 0)) {
        names.push("lanes");
    }
    if any(|input| {
        input
            .threads
            .iter()
            .any(|thread| *thread != Default::default())
    }) {
        names.push("threads");
    }
    match names[..] {
        [name] => name.into(),
        _ => format!("{{{}}}", names.join(", ")),
    }
}

/// The register of an access by MRS or MSR.
fn register(input: &CycleInput) -> Option<SysReg> {
    match AccessKind::from_code(input.access_kind) {
        AccessKind::Read | AccessKind::Write => SysReg::from_address(input.access_address),
        _ => None,
    }
}

/// A cycle as an element of the array: the simplest constructor that comes near, and what differs from it.
fn cycle(out: &mut String, k: usize, input: &CycleInput) -> std::fmt::Result {
    let base = match (register(input), AccessKind::from_code(input.access_kind)) {
        _ if input.is_reset() => CycleInput::reset(),
        (Some(register), AccessKind::Write) => CycleInput::write(register, input.access_data),
        (Some(register), AccessKind::Read) => CycleInput::read(register),
        _ => CycleInput::default(),
    };
    let constructor = match (register(input), AccessKind::from_code(input.access_kind)) {
        _ if input.is_reset() => "CycleInput::reset()".into(),
        (Some(register), AccessKind::Write) => {
            let data = hexadecimal(input.access_data);
            format!("CycleInput::write(SysReg::{register:?}, {data})")
        }
        (Some(register), AccessKind::Read) => format!("CycleInput::read(SysReg::{register:?})"),
        _ => "CycleInput::default()".into(),
    };
    let fields = fields(input, &base);
    let named = if input.access_kind != 0 && register(input).is_none() {
        format!(": {}", access_name(input))
    } else {
        String::new()
    };
    writeln!(out, "        // {k}{named}")?;
    if fields.is_empty() {
        return writeln!(out, "        {constructor},");
    }
    writeln!(out, "        CycleInput {{")?;
    for field in fields {
        writeln!(out, "            {field},")?;
    }
    writeln!(out, "            ..{constructor}")?;
    writeln!(out, "        }},")
}

/// The fields of `input` that differ from those of `base`, as Rust writes them.
fn fields(input: &CycleInput, base: &CycleInput) -> Vec<String> {
    let mut fields = Vec::new();
    for field in CycleInput::FIELDS.iter().filter(|field| field.count == 1) {
        let [value, rest] = [input, base].map(|input| field.value(bytes_of(input), 0));
        let all = field.name == "counting_allowed" && value == u64::from(u32::MAX);
        if value != rest {
            let value = if all {
                "u32::MAX".into()
            } else {
                hexadecimal(value)
            };
            fields.push(format!("{}: {value}", field.name));
        }
    }
    let lanes = input.event.iter().enumerate();
    let lanes: Vec<_> = lanes
        .filter(|&(_, &value)| value != 0)
        .map(|(lane, value)| format!("({lane}, {value})"))
        .collect();
    if !lanes.is_empty() {
        fields.push(format!("event: lanes(&[{}])", lanes.join(", ")));
    }
    let threads = input.threads.iter().enumerate();
    let threads: Vec<_> = threads
        .filter(|(_, thread)| **thread != Default::default())
        .map(|(t, thread)| {
            let (state, conditions) = (thread.state, thread.conditions);
            format!("({t}, {state:#x}, {conditions:#x}, {})", thread.count)
        })
        .collect();
    if !threads.is_empty() {
        fields.push(format!("threads: threads(&[{}])", threads.join(", ")));
    }
    fields
}

/// A number, in groups of four digits if it is long.
fn hexadecimal(value: u64) -> String {
    if value < 10 {
        return value.to_string();
    }
    let digits = format!("{value:x}");
    let mut text = String::from("0x");
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k) % 4 == 0 {
            text.push('_');
        }
        text.push(digit);
    }
    text
}
