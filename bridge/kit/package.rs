//! The contract as a SystemVerilog package: positions, types and codes, made from the structs themselves.

use std::fmt::Write;

use pmu_model::contract::{CONTRACT_VERSION, Field, LAYOUT_VERSION, Thread, control};
use pmu_model::features::FEATURES;
use pmu_model::wrapper::{Increments, PARTS};
use pmu_model::{AccessOutcome, CycleInput, CycleOutput, DutParameters, Number, SysReg};

/// One of the contract's structs.
struct Struct {
    /// Name of the type, and of the prefix of the positions of its fields.
    name: &'static str,
    prefix: &'static str,
    about: &'static str,
    fields: &'static [Field],
}

impl Struct {
    fn bytes(&self) -> usize {
        self.fields.iter().map(Field::bytes).sum()
    }
}

const STRUCTS: [Struct; 4] = [
    Struct {
        name: "thread_t",
        prefix: "Thread",
        about: "An element of `threads`",
        fields: Thread::FIELDS,
    },
    Struct {
        name: "cycle_input_t",
        prefix: "In",
        about: "cycle_input_i (section 2)",
        fields: CycleInput::FIELDS,
    },
    Struct {
        name: "cycle_output_t",
        prefix: "Out",
        about: "cycle_output_o (section 3)",
        fields: CycleOutput::FIELDS,
    },
    Struct {
        name: "parameters_t",
        prefix: "Par",
        about: "parameters_o (section 4)",
        fields: DutParameters::FIELDS,
    },
];

/// The package `lockstep_pkg`, as SystemVerilog.
pub fn package() -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_package(&mut text);
    text
}

fn write_package(out: &mut String) -> std::fmt::Result {
    writeln!(
        out,
        "// The DUT contract, version {CONTRACT_VERSION}, as types and numbers. Made by `lockstep new-wrapper`: do not \
         edit it, make it again.\n\npackage lockstep_pkg;\n"
    )?;
    writeln!(out, "  // What parameters_o begins with")?;
    writeln!(
        out,
        "  localparam logic [31:0] Magic = 32'h{:08x};",
        DutParameters::MAGIC
    )?;
    writeln!(
        out,
        "  localparam logic [15:0] ContractVersion = 16'd{CONTRACT_VERSION};"
    )?;
    writeln!(
        out,
        "  localparam logic [15:0] LayoutVersion = 16'd{LAYOUT_VERSION};\n"
    )?;
    writeln!(out, "  // Widths of the ports")?;
    for (structure, name) in STRUCTS[1..].iter().zip(["Input", "Output", "Parameters"]) {
        let width = 8 * structure.bytes();
        writeln!(out, "  localparam int {name}Width = {width};")?;
    }
    for structure in &STRUCTS {
        write_struct(out, structure)?;
    }
    write_codes(out)?;
    writeln!(out, "\nendpackage")
}

/// The type, and the lowest bit of each field.
fn write_struct(out: &mut String, structure: &Struct) -> std::fmt::Result {
    writeln!(out, "\n  // {}", structure.about)?;
    writeln!(out, "  typedef struct packed {{")?;
    // A packed struct begins with its highest bits.
    for field in structure.fields.iter().rev() {
        let dimension = |count: usize| match count {
            1 => String::new(),
            count => format!("[{}:0]", count - 1),
        };
        let dimensions = dimension(field.count);
        let element = match field.element {
            "Thread" => format!("thread_t {dimensions}"),
            _ => format!("logic {dimensions}[{}:0]", 8 * field.element_bytes - 1),
        };
        writeln!(out, "    {} {};", element.trim_end(), member(field.name))?;
    }
    writeln!(out, "  }} {};\n", structure.name)?;
    for field in structure.fields {
        let name = camel_case(field.name);
        writeln!(
            out,
            "  localparam int {}{name}Lsb = {};",
            structure.prefix,
            8 * field.byte
        )?;
    }
    Ok(())
}

/// `event` and `reg` are words of the language.
fn member(name: &str) -> &str {
    match name {
        "event" => "events",
        name => name,
    }
}

fn write_codes(out: &mut String) -> std::fmt::Result {
    writeln!(
        out,
        "\n  // Bits of `driven`, `profiling`, of a thread's `state` and `conditions`"
    )?;
    let bits = [
        ("DrivenPe", CycleInput::DRIVEN_PE),
        ("DrivenThreads", CycleInput::DRIVEN_THREADS),
        ("ProfilingEnabled", CycleInput::PROFILING_ENABLED),
        ("ProfilingDiscard", CycleInput::DISCARD),
        ("StateStreaming", Thread::STREAMING),
        ("ConditionActive", Thread::ACTIVE),
        ("ConditionWfx", Thread::WFX),
        ("ConditionStall", Thread::STALL),
        ("ConditionStallFrontend", Thread::STALL_FRONTEND),
        ("ConditionStallBackend", Thread::STALL_BACKEND),
        ("ConditionSecond", Thread::SECOND),
        ("ConditionOther", Thread::CONDITION),
    ];
    for (name, mask) in bits {
        writeln!(out, "  localparam int {name} = {};", mask.trailing_zeros())?;
    }
    writeln!(out, "\n  // Bits of `controls`")?;
    for (bit, name) in control::NAMES.iter().enumerate() {
        writeln!(
            out,
            "  localparam int {} = {bit};  // {name}",
            control_name(name)
        )?;
    }
    writeln!(
        out,
        "\n  // The cycle counter in `counting_allowed`, `increment` and the registers of flags"
    )?;
    writeln!(out, "  localparam int CycleCounter = 31;")?;
    writeln!(out, "\n  // access_kind")?;
    for (code, name) in KINDS.iter().enumerate() {
        writeln!(out, "  localparam logic [7:0] Kind{name} = 8'd{code};")?;
    }
    writeln!(out, "\n  // access_outcome")?;
    for (code, name) in OUTCOMES {
        writeln!(
            out,
            "  localparam logic [7:0] Outcome{name} = 8'd{};",
            code as u8
        )?;
    }
    writeln!(out, "\n  // Bits of `features`")?;
    for (bit, feature) in FEATURES.iter().enumerate() {
        let name = camel_case(feature.name());
        writeln!(out, "  localparam int Feature{name} = {bit};")?;
    }
    writeln!(
        out,
        "\n  // increment_form, and bits of `lacks` (section 8)"
    )?;
    for form in [Increments::Shown, Increments::Hidden, Increments::Counters] {
        let name = camel_case(&form.word().to_lowercase());
        writeln!(
            out,
            "  localparam logic [7:0] Increments{name} = 8'd{};",
            form.code()
        )?;
    }
    for (bit, (name, _)) in PARTS.iter().enumerate() {
        writeln!(out, "  localparam int Lacks{} = {bit};", camel_case(name))?;
    }
    writeln!(
        out,
        "\n  // System register encodings {{op0, op1, CRn, CRm, op2}} (section 6)"
    )?;
    for register in registers() {
        let name = register.to_string();
        let name = match register {
            // One for each Exception level.
            SysReg::Pmbsr(_) => &name,
            _ => name.split('_').next().unwrap_or(&name),
        };
        let name = camel_case(name);
        writeln!(
            out,
            "  localparam logic [15:0] Addr{name} = 16'h{:04x};",
            register.address()
        )?;
    }
    writeln!(
        out,
        "  // PMEVCNTR<n> and PMEVTYPER<n>: bits [15:5]; n is in bits [4:0], 31 of the latter is PMCCFILTR."
    )?;
    for (name, register) in [
        ("Pmevcntr", SysReg::Pmevcntr(Number::at::<0>())),
        ("Pmevtyper", SysReg::Pmevtyper(Number::at::<0>())),
    ] {
        writeln!(
            out,
            "  localparam logic [10:0] Base{name} = 11'h{:03x};",
            register.address() >> 5
        )?;
    }
    Ok(())
}

const KINDS: [&str; 7] = [
    "None",
    "Mrs",
    "Msr",
    "Mrc",
    "Mcr",
    "ExternalRead",
    "ExternalWrite",
];

const OUTCOMES: [(AccessOutcome, &str); 7] = [
    (AccessOutcome::None, "None"),
    (AccessOutcome::Ok, "Ok"),
    (AccessOutcome::Undefined, "Undefined"),
    (AccessOutcome::TrapEl1, "TrapEl1"),
    (AccessOutcome::TrapEl2, "TrapEl2"),
    (AccessOutcome::TrapEl3, "TrapEl3"),
    (AccessOutcome::Nop, "Nop"),
];

/// The registers that are no arrays.
fn registers() -> impl Iterator<Item = SysReg> {
    use SysReg::{Pmevcntr, Pmevtyper, Spmevcntr, Spmevfilt2r, Spmevfiltr, Spmevtyper};
    SysReg::ALL.iter().copied().filter(|register| {
        !matches!(
            register,
            Pmevcntr(_)
                | Pmevtyper(_)
                | Spmevcntr(_)
                | Spmevtyper(_)
                | Spmevfiltr(_)
                | Spmevfilt2r(_)
        )
    })
}

/// `access_data` as `AccessData`.
pub(super) fn camel_case(name: &str) -> String {
    name.split('_').map(capitalized).collect()
}

/// `PMCR` as `Pmcr`.
fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase())
        .into_iter()
        .chain(letters.map(|letter| letter.to_ascii_lowercase()))
        .collect()
}

/// `MDCR_EL2.TPM` as `ControlMdcrEl2Tpm`.
fn control_name(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.fold("Control".to_owned(), |all, word| all + &capitalized(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and values of the `localparam`s of a package.
    fn numbers(text: &str) -> Vec<(String, String)> {
        text.lines()
            .filter_map(|line| line.trim().strip_prefix("localparam "))
            .filter_map(|line| line.split(';').next()?.split_once(" = "))
            .map(|(left, right)| {
                let name = left.rsplit(' ').next().unwrap_or(left);
                (name.to_owned(), right.to_owned())
            })
            .collect()
    }

    #[test]
    fn it_agrees_with_the_package_of_the_bundled_rtl() {
        let own = numbers(&package());
        let rtl = include_str!("../../rtl/pmu_pkg.sv");
        let mut compared = 0;
        for (name, value) in numbers(rtl) {
            let Some((_, own)) = own.iter().find(|(own, _)| *own == name) else {
                continue;
            };
            let plain = |value: &str| value.to_lowercase().replace('_', "");
            if !value.starts_with('{') {
                assert_eq!(plain(own), plain(&value), "{name}");
                compared += 1;
            }
        }
        assert!(compared > 40, "{compared}");
    }

    #[test]
    fn names_are_there_once() {
        let mut names: Vec<_> = numbers(&package())
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        names.sort();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
        for name in [
            "InAccessKindLsb",
            "OutTrapIssLsb",
            "AddrPmcr",
            "FeatureSpeExc",
            "LacksIndirect",
            "AddrPmbsrEl1",
        ] {
            assert!(names.iter().any(|found| found == name), "{name}");
        }
    }
}
