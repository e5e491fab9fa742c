//! The declarations of an FST file, as a VCD has them.
//!
//! Writers put the same names, ranges and kinds into both, so both are read by the same rules.

use fst_reader::{FstHeader, FstHierarchyEntry, FstScopeType, FstVarType};
use lockstep_vcd::{Error, Slice, Source};

use super::error::FstError;
use super::events::Signals;

/// A scope that is open.
enum Open {
    /// It stands in the text.
    Written,
    /// Of an array, with its name or index, which its elements bear: none in a VCD of the same run.
    Array(String),
}

/// The text of the declarations so far.
#[derive(Default)]
pub(super) struct Declarations {
    text: String,
    /// Open scopes.
    open: Vec<Open>,
    /// By signal of the file, its number among those that have a name.
    numbers: Vec<Option<u32>>,
    /// By such a number, whether it is an event.
    events: Vec<bool>,
    /// By such a number, whether its values are text.
    strings: Vec<bool>,
}

impl Declarations {
    /// Declares what the header of the file says.
    pub(super) fn start(&mut self, header: &FstHeader) {
        self.section("date", &header.date);
        self.section("version", &header.version);
        // A VCD knows 1, 10 and 100 of a unit.
        let exponent = i32::from(header.timescale_exponent);
        let number = 10_u32.pow(exponent.rem_euclid(3) as u32);
        let unit = match exponent.div_euclid(3) {
            0 => "s",
            -1 => "ms",
            -2 => "us",
            -3 => "ns",
            -4 => "ps",
            -5 => "fs",
            -6 => "as",
            -7 => "zs",
            _ => return,
        };
        self.section("timescale", &format!("{number} {unit}"));
    }

    /// Declares an entry of the hierarchy, of a file with so many signals.
    pub(super) fn add(&mut self, entry: &FstHierarchyEntry, signals: u64) -> Result<(), FstError> {
        match entry {
            FstHierarchyEntry::Scope {
                tpe: FstScopeType::SvArray,
                name,
                ..
            } => self.open.push(Open::Array(name.clone())),
            FstHierarchyEntry::Scope { tpe, name, .. } => {
                let name = self.of_array(name);
                self.open.push(Open::Written);
                self.section("scope", &format!("{} {name}", scope(*tpe)));
            }
            FstHierarchyEntry::UpScope => {
                if let Some(Open::Written) = self.open.pop() {
                    self.section("upscope", "");
                }
            }
            FstHierarchyEntry::Var {
                tpe,
                name,
                length,
                handle,
                ..
            } => {
                if handle.get_index() as u64 >= signals {
                    return Err(FstError::Hierarchy {
                        expected: format!("a signal below {signals}"),
                        found: handle.get_index().to_string(),
                    });
                }
                // A real has its bytes for a length.
                let length = if tpe.is_real() { &64 } else { length };
                let number = self.number(handle.get_index(), *tpe, *length);
                let (kind, code, name) = (variable(*tpe), code(number), self.of_array(name));
                self.section("var", &format!("{kind} {length} {code} {name}"));
            }
            FstHierarchyEntry::Comment { string } => self.section("comment", string),
            // Attributes say nothing about values.
            _ => {}
        }
        Ok(())
    }

    /// The name of what stands in an array as a VCD has it, with the array's name. Where it is no element, the array
    /// becomes a scope.
    fn of_array(&mut self, name: &str) -> String {
        let arrays = self.open.iter().rev();
        let arrays = arrays.take_while(|open| matches!(open, Open::Array(_)));
        let first = self.open.len() - arrays.count();
        let mut array = String::new();
        for open in &self.open[first..] {
            if let Open::Array(part) = open {
                array.push_str(part);
            }
        }
        if name.starts_with('[') {
            return array + name;
        }
        let outermost = match self.open.get(first) {
            Some(Open::Array(outermost)) => outermost,
            _ => return name.to_owned(),
        };
        let index = name.strip_prefix(outermost.as_str());
        if !index.is_some_and(|index| index.starts_with('[')) {
            for place in first..self.open.len() {
                if let Open::Array(part) = std::mem::replace(&mut self.open[place], Open::Written) {
                    let kind = scope(FstScopeType::SvArray);
                    self.section("scope", &format!("{kind} {part}"));
                }
            }
        }
        name.to_owned()
    }

    fn section(&mut self, keyword: &str, text: &str) {
        let ends = text.split_whitespace().any(|word| word == "$end");
        let text = match ends {
            true => text.replace("$end", "_end"),
            false => text.to_owned(),
        };
        self.text += &format!("${keyword} {text} $end\n");
    }

    /// The number of a signal, by the order of names.
    fn number(&mut self, handle: usize, kind: FstVarType, length: u32) -> u32 {
        if self.numbers.len() <= handle {
            self.numbers.resize(handle + 1, None);
        }
        if let Some(number) = self.numbers[handle] {
            return number;
        }
        let number = self.events.len() as u32;
        let event = kind == FstVarType::Event;
        self.events.push(event);
        let sized = length > 0 || event || kind.is_real();
        self.strings
            .push(kind == FstVarType::GenericString || !sized);
        self.numbers[handle] = Some(number);
        number
    }

    /// The signals, and the header that describes them.
    pub(super) fn finish(mut self) -> Result<Signals, FstError> {
        self.text.push_str("$enddefinitions $end\n");
        let header = match Slice::new(self.text.as_bytes()) {
            Ok(dump) => dump.header().clone(),
            Err(Error::Syntax {
                expected, found, ..
            }) => return Err(FstError::Hierarchy { expected, found }),
            Err(other) => {
                return Err(FstError::Hierarchy {
                    expected: "declarations".to_owned(),
                    found: other.to_string(),
                });
            }
        };
        Ok(Signals {
            header,
            numbers: self.numbers,
            events: self.events,
            strings: self.strings,
        })
    }
}

/// The identifier code of a signal: its number in printable characters.
pub(crate) fn code(mut number: u32) -> String {
    let mut code = String::new();
    loop {
        code.push(char::from(b'!' + (number % 94) as u8));
        number /= 94;
        if number == 0 {
            return code;
        }
        number -= 1;
    }
}

/// A kind of scope as `$scope` has it.
const fn scope(kind: FstScopeType) -> &'static str {
    match kind {
        FstScopeType::Task => "task",
        FstScopeType::Function => "function",
        FstScopeType::Begin => "begin",
        FstScopeType::Fork => "fork",
        FstScopeType::Generate => "generate",
        FstScopeType::Struct => "struct",
        FstScopeType::Union => "union",
        FstScopeType::Class => "class",
        FstScopeType::Interface => "interface",
        FstScopeType::Package => "package",
        FstScopeType::Program => "program",
        FstScopeType::VhdlArchitecture => "vhdl_architecture",
        FstScopeType::VhdlProcedure => "vhdl_procedure",
        FstScopeType::VhdlFunction => "vhdl_function",
        FstScopeType::VhdlRecord => "vhdl_record",
        FstScopeType::VhdlProcess => "vhdl_process",
        FstScopeType::VhdlBlock => "vhdl_block",
        FstScopeType::VhdlForGenerate => "vhdl_for_generate",
        FstScopeType::VhdlIfGenerate => "vhdl_if_generate",
        FstScopeType::VhdlGenerate => "vhdl_generate",
        FstScopeType::VhdlPackage => "vhdl_package",
        FstScopeType::SvArray => "sv_array",
        _ => "module",
    }
}

/// A kind of variable as `$var` has it.
const fn variable(kind: FstVarType) -> &'static str {
    match kind {
        FstVarType::Event => "event",
        FstVarType::Integer => "integer",
        FstVarType::Parameter => "parameter",
        FstVarType::Real => "real",
        FstVarType::RealParameter => "real_parameter",
        FstVarType::Reg => "reg",
        FstVarType::Supply0 => "supply0",
        FstVarType::Supply1 => "supply1",
        FstVarType::Time => "time",
        FstVarType::Tri => "tri",
        FstVarType::TriAnd => "triand",
        FstVarType::TriOr => "trior",
        FstVarType::TriReg => "trireg",
        FstVarType::Tri0 => "tri0",
        FstVarType::Tri1 => "tri1",
        FstVarType::Wand => "wand",
        FstVarType::Wire => "wire",
        FstVarType::Wor => "wor",
        FstVarType::Port => "port",
        FstVarType::SparseArray => "sparray",
        FstVarType::RealTime => "realtime",
        FstVarType::GenericString => "string",
        FstVarType::Bit => "bit",
        FstVarType::Logic => "logic",
        FstVarType::Int => "int",
        FstVarType::ShortInt => "shortint",
        FstVarType::LongInt => "longint",
        FstVarType::Byte => "byte",
        FstVarType::Enum => "enum",
        FstVarType::ShortReal => "shortreal",
    }
}
