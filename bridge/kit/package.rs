//! The contract as a SystemVerilog package: positions, types and codes, made from the structs themselves.

use std::fmt::Write;
use std::mem::offset_of;

use pmu_model::contract::{CONTRACT_VERSION, LAYOUT_VERSION, Thread, control};
use pmu_model::wrapper::{Increments, PARTS};
use pmu_model::{
    AccessOutcome, CycleInput, CycleOutput, DutParameters, Implementation, Number, SysReg,
};

/// A field of one of the contract's structs.
struct Field {
    /// Its name in Rust.
    name: &'static str,
    byte: usize,
    /// Bytes of an element.
    size: usize,
    /// Elements, 1 if it is no array.
    count: usize,
    /// The type of its elements, if that is a struct.
    of: Option<&'static str>,
}

macro_rules! fields {
    ($struct:ty { $($name:ident : $element:ty $([$count:expr])? $(as $type:literal)?),+ $(,)? }) => {
        vec![$(Field {
            name: stringify!($name),
            byte: offset_of!($struct, $name),
            size: size_of::<$element>(),
            count: fields!(@count $($count)?),
            of: fields!(@type $($type)?),
        }),+]
    };
    (@count $count:expr) => { $count };
    (@count) => { 1 };
    (@type $type:literal) => { Some($type) };
    (@type) => { None };
}

/// One of the contract's structs.
struct Struct {
    /// Name of the type, and of the prefix of the positions of its fields.
    name: &'static str,
    prefix: &'static str,
    about: &'static str,
    bytes: usize,
    /// In the order of their bytes, without a gap.
    fields: Vec<Field>,
}

fn structs() -> [Struct; 4] {
    [
        Struct {
            name: "thread_t",
            prefix: "Thread",
            about: "An element of `threads`",
            bytes: size_of::<Thread>(),
            fields: fields!(Thread {
                state: u8,
                conditions: u8,
                count: u16
            }),
        },
        Struct {
            name: "cycle_input_t",
            prefix: "In",
            about: "cycle_input_i (section 2)",
            bytes: size_of::<CycleInput>(),
            fields: fields!(CycleInput {
                event: u16[64], access_data: u64, counting_allowed: u32, access_address: u16,
                access_kind: u8, reset: u8, driven: u8, clock_stopped: u8, operations: u8,
                complete: u8, filtered_out: u8, profiling: u8, hpmn: u8, access_rt: u8,
                controls: u32, pmuacr: u32, spmaccessr_el2: u64, spmaccessr_el3: u64,
                threads: Thread[4] as "thread_t",
            }),
        },
        Struct {
            name: "cycle_output_t",
            prefix: "Out",
            about: "cycle_output_o (section 3)",
            bytes: size_of::<CycleOutput>(),
            fields: fields!(CycleOutput {
                increment: u16[32],
                access_data: u64,
                access_outcome: u8,
                reserved: u8[3],
                trap_iss: u32,
                pmsicr: u64,
                in_flight: u8,
                selected: u8,
                first_selected: u8,
                collided: u8,
                coll: u8,
                random_drawn: u8,
                random_byte: u8,
                zeros: u8[9],
            }),
        },
        Struct {
            name: "parameters_t",
            prefix: "Par",
            about: "parameters_o (section 4)",
            bytes: size_of::<DutParameters>(),
            fields: fields!(DutParameters {
                magic: u32,
                contract_version: u16,
                layout_version: u16,
                counters: u8,
                counter_bits: u8,
                event_count: u8,
                event_width: u8,
                thwidth: u8,
                latency_increment: u8,
                latency_access: u8,
                latency_spe: u8,
                features: u32,
                pmmir: u32,
                threads: u8,
                max_inflight: u8,
                system_pmus: u8,
                zero: u8,
                pmsidr: u32,
                spmcfgr: u32[4],
                access_interval: u8,
                increment_form: u8,
                lacks: u16,
                zeros: u8[12],
            }),
        },
    ]
}

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
    let structs = structs();
    for (structure, name) in structs[1..].iter().zip(["Input", "Output", "Parameters"]) {
        writeln!(
            out,
            "  localparam int {name}Width = {};",
            8 * structure.bytes
        )?;
    }
    for structure in &structs {
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
        let element = match field.of {
            Some(name) => format!("{name} {}", dimension(field.count)),
            None => format!("logic {}[{}:0]", dimension(field.count), 8 * field.size - 1),
        };
        writeln!(out, "    {} {};", element.trim_end(), member(field.name))?;
    }
    writeln!(out, "  }} {};\n", structure.name)?;
    for field in &structure.fields {
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
    for (bit, name) in DutParameters::FEATURES.iter().enumerate() {
        writeln!(out, "  localparam int Feature{} = {bit};", camel_case(name))?;
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
    use SysReg::{Spmevcntr, Spmevfilt2r, Spmevfiltr, Spmevtyper};
    let mut implementation = Implementation::default();
    implementation.pmu.counters = 0;
    let all: Vec<_> = SysReg::all(&implementation).collect();
    let is_of_array = |register: &SysReg| {
        matches!(
            register,
            Spmevcntr(_) | Spmevtyper(_) | Spmevfiltr(_) | Spmevfilt2r(_)
        )
    };
    all.into_iter()
        .filter(move |register| !is_of_array(register))
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

    #[test]
    fn fields_fill_the_structs_without_a_gap() {
        for structure in structs() {
            let mut next = 0;
            for field in &structure.fields {
                assert_eq!(field.byte, next, "{}.{}", structure.name, field.name);
                next += field.size * field.count;
            }
            assert_eq!(next, structure.bytes, "{}", structure.name);
        }
    }

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
