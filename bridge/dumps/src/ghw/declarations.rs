//! The declarations of a GHW file, as GHDL's VCD of the same run has them.

use std::collections::HashMap;
use std::sync::Arc;

use lockstep_vcd::{Error, Header, Slice, Source};
use wellen::{Hierarchy, ItemRef, ScopeType, SignalEncoding, SignalRef, Var};

use super::error::GhwError;
use crate::fst::declarations::code;

/// The signals of a file.
#[derive(Debug)]
pub(super) struct Signals {
    pub(super) header: Arc<Header>,
    /// By number in the header.
    pub(super) all: Vec<Signal>,
}

/// A signal of the file.
#[derive(Debug)]
pub(super) struct Signal {
    pub(super) id: SignalRef,
    /// Names of the values of an enumeration, by their digits. None for what has bits or a number.
    pub(super) names: Option<HashMap<String, String>>,
}

/// The text of the declarations so far.
struct Declarations<'h> {
    hierarchy: &'h Hierarchy,
    text: String,
    numbers: HashMap<(SignalRef, bool), usize>,
    all: Vec<Signal>,
}

/// The signals of `hierarchy`, and the header that describes them.
pub(super) fn declare(hierarchy: &Hierarchy) -> Result<Signals, GhwError> {
    let mut declarations = Declarations {
        hierarchy,
        // GHDL counts in femtoseconds.
        text: "$version GHDL (GHW) $end\n$timescale 1 fs $end\n".to_owned(),
        numbers: HashMap::new(),
        all: Vec::new(),
    };
    for item in hierarchy.items() {
        declarations.item(item, "");
    }
    let Declarations { mut text, all, .. } = declarations;
    text.push_str("$enddefinitions $end\n");
    match Slice::new(text.as_bytes()) {
        Ok(dump) => Ok(Signals {
            header: dump.header().clone(),
            all,
        }),
        Err(Error::Syntax {
            expected, found, ..
        }) => Err(GhwError::Hierarchy { expected, found }),
        Err(other) => Err(GhwError::Hierarchy {
            expected: "declarations".to_owned(),
            found: other.to_string(),
        }),
    }
}

impl Declarations<'_> {
    /// Declares a scope or a variable, whose name follows `array`, the name of the array that it is an element of.
    fn item(&mut self, item: ItemRef, array: &str) {
        match item {
            ItemRef::Scope(scope) => {
                let scope = &self.hierarchy[scope];
                let name = format!("{array}{}", scope.name(self.hierarchy));
                let kind = match scope.scope_type() {
                    ScopeType::VhdlArray => {
                        for item in scope.items(self.hierarchy) {
                            self.item(item, &name);
                        }
                        return;
                    }
                    ScopeType::VhdlRecord => "vhdl_record",
                    ScopeType::VhdlPackage => "vhdl_package",
                    ScopeType::VhdlBlock => "vhdl_block",
                    ScopeType::VhdlProcess => "vhdl_process",
                    ScopeType::VhdlIfGenerate => "vhdl_if_generate",
                    ScopeType::VhdlForGenerate => "vhdl_for_generate",
                    // As GHDL's VCD has it.
                    _ => "module",
                };
                self.section("scope", &format!("{kind} {}", one_word(&name)));
                for item in scope.items(self.hierarchy) {
                    self.item(item, "");
                }
                self.section("upscope", "");
            }
            ItemRef::Var(var) => {
                let var = &self.hierarchy[var];
                let name = format!("{array}{}", var.name(self.hierarchy));
                self.variable(var, &one_word(&name));
            }
        }
    }

    fn variable(&mut self, var: &Var, name: &str) {
        let names = names(var, self.hierarchy);
        let range = match var.index() {
            Some(range) => format!(" [{}:{}]", range.msb(), range.lsb()),
            None => String::new(),
        };
        let (kind, width) = match var.signal_encoding(self.hierarchy) {
            _ if names.is_some() => ("string", 1),
            SignalEncoding::String => ("string", 1),
            SignalEncoding::Real => ("real", 64),
            SignalEncoding::BitVector(0) => ("event", 1),
            SignalEncoding::BitVector(width) if var.var_type() == wellen::VarType::Integer => {
                ("integer", width)
            }
            SignalEncoding::BitVector(width) => ("reg", width),
        };
        let key = (var.signal_ref(), names.is_some());
        let number = *self.numbers.entry(key).or_insert_with(|| {
            self.all.push(Signal { id: key.0, names });
            self.all.len() - 1
        });
        let code = code(number as u32);
        self.section("var", &format!("{kind} {width} {code} {name}{range}"));
    }

    fn section(&mut self, keyword: &str, text: &str) {
        self.text += &format!("${keyword} {text} $end\n");
    }
}

/// A name as GHDL's VCD has it: without the marks of an extended one.
fn one_word(name: &str) -> String {
    let extended = name
        .strip_prefix('\\')
        .and_then(|name| name.strip_suffix('\\'));
    let name = extended.unwrap_or(name).replace("$end", "_end");
    match name.is_empty() {
        true => "_".to_owned(),
        false => name,
    }
}

/// The names of the values of an enumeration; but for those of `boolean`, which is a bit in a VCD.
fn names(var: &Var, hierarchy: &Hierarchy) -> Option<HashMap<String, String>> {
    let (name, values) = var.enum_type(hierarchy)?;
    let names = values.into_iter().map(|(digits, name)| {
        // The library knows UTF-8 alone. The place of a value of type `character` is its code in ISO 8859-1.
        let code = u8::from_str_radix(digits, 2).unwrap_or_default();
        let known = name.replace(char::REPLACEMENT_CHARACTER, &char::from(code).to_string());
        (digits.to_owned(), known)
    });
    (!name.eq_ignore_ascii_case("boolean")).then(|| names.collect())
}
