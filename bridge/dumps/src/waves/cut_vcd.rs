//! Writes what is cut out of a dump as a VCD.
//!
//! By hand, as the values of a dump are copied as they stand there, and kinds of variables and scopes may be those of
//! any tool.

use std::io::{self, Write};

use lockstep_vcd::{Header, Scope, ScopeId, ScopeKind, Value, ValueRef, Variable};

use super::cut::{Cut, Target};
use crate::written::is_element;

/// Writes a VCD.
pub struct VcdTarget<'c, W> {
    out: W,
    /// What the dump says of its origin.
    comment: &'c str,
    /// For each signal, its identifier code.
    codes: Vec<String>,
}

impl<'c, W: Write> VcdTarget<'c, W> {
    /// Writes to `out`; `comment` must not hold `$end`.
    pub const fn new(out: W, comment: &'c str) -> Self {
        Self {
            out,
            comment,
            codes: Vec::new(),
        }
    }

    fn section(&mut self, keyword: &str, text: &str) -> io::Result<()> {
        writeln!(self.out, "${keyword} {text} $end")
    }

    /// Leaves scopes and enters others, so that those of `scope` are open.
    fn enter(
        &mut self,
        header: &Header,
        open: &mut Vec<ScopeId>,
        scope: Option<ScopeId>,
    ) -> io::Result<()> {
        let parent = |id: &ScopeId| header.scopes()[id.index()].parent();
        let mut around: Vec<_> = std::iter::successors(scope, parent).collect();
        around.reverse();
        let common = open.iter().zip(&around).take_while(|(one, two)| one == two);
        let common = common.count();
        for _ in common..open.len() {
            writeln!(self.out, "$upscope $end")?;
        }
        open.truncate(common);
        for id in &around[common..] {
            let scope = &header.scopes()[id.index()];
            self.section(
                "scope",
                &format!("{} {}", kind(scope.kind()), scope_name(scope)),
            )?;
            open.push(*id);
        }
        Ok(())
    }

    fn bits(&mut self, signal: usize, digits: &[u8], width: u32) -> io::Result<()> {
        let code = self.codes[signal].as_bytes();
        let out = &mut self.out;
        match (width, digits) {
            (..=1, [digit]) => out.write_all(&[*digit])?,
            _ => {
                out.write_all(b"b")?;
                out.write_all(match (width, digits) {
                    // Nothing but zeros fits into no bits.
                    (0, _) => b"0",
                    (_, []) => b"x",
                    _ => digits,
                })?;
                out.write_all(b" ")?;
            }
        }
        out.write_all(code)?;
        out.write_all(b"\n")
    }

    fn real(&mut self, signal: usize, real: f64) -> io::Result<()> {
        writeln!(self.out, "r{real:?} {}", self.codes[signal])
    }

    /// Text as in a dump, in which nothing ends it.
    fn text(&mut self, signal: usize, text: &[u8]) -> io::Result<()> {
        self.out.write_all(b"s")?;
        for byte in text {
            match byte {
                0..=b' ' | 0x7f => write!(self.out, "\\x{byte:02x}")?,
                _ => self.out.write_all(&[*byte])?,
            }
        }
        writeln!(self.out, " {}", self.codes[signal])
    }
}

impl<W: Write> Target for VcdTarget<'_, W> {
    fn declare(&mut self, header: &Header, cut: &Cut) -> io::Result<()> {
        for (keyword, text) in [("date", header.date()), ("version", header.version())] {
            if let Some(text) = text {
                self.section(keyword, text)?;
            }
        }
        for comment in header.comments() {
            self.section("comment", comment)?;
        }
        self.section("comment", self.comment)?;
        if let Some(timescale) = header.timescale() {
            self.section("timescale", &timescale.to_string())?;
        }
        self.codes = (0..cut.signals.len()).map(code).collect();
        let mut open = Vec::new();
        for kept in &cut.variables {
            let variable = &header.variables()[kept.variable];
            self.enter(header, &mut open, variable.scope())?;
            let range = kept.range.map(|range| format!(" {range}"));
            let (kind, code) = (variable.kind().word(), &self.codes[kept.signal]);
            let (name, range) = (name(variable), range.unwrap_or_default());
            let text = format!("{kind} {} {code} {name}{range}", kept.width);
            self.section("var", &text)?;
        }
        self.enter(header, &mut open, None)?;
        writeln!(self.out, "$enddefinitions $end")
    }

    fn start(&mut self, time: u64) -> io::Result<()> {
        self.time(time)?;
        writeln!(self.out, "$dumpvars")
    }

    fn started(&mut self) -> io::Result<()> {
        writeln!(self.out, "$end")
    }

    fn time(&mut self, time: u64) -> io::Result<()> {
        writeln!(self.out, "#{time}")
    }

    fn change(&mut self, signal: usize, value: ValueRef<'_>) -> io::Result<()> {
        match value {
            ValueRef::Bits(bits) => self.bits(signal, bits.digits(), bits.width()),
            ValueRef::Real(real) => self.real(signal, real),
            ValueRef::Text(text) => self.text(signal, text),
        }
    }

    fn change_part(&mut self, signal: usize, value: &Value) -> io::Result<()> {
        match value {
            Value::Bits(bits) => self.bits(signal, format!("{bits:b}").as_bytes(), bits.width()),
            Value::Real(real) => self.real(signal, *real),
            // What a backslash stands for was read.
            Value::Text(text) => self.text(signal, text.replace('\\', r"\\").as_bytes()),
        }
    }
}

/// The identifier code of a number, of printable characters.
fn code(mut number: usize) -> String {
    const FIRST: u8 = b'!';
    const CODES: usize = 94;
    let mut code = String::new();
    loop {
        code.push(char::from(FIRST + (number % CODES) as u8));
        number /= CODES;
        if number == 0 {
            return code;
        }
        number -= 1;
    }
}

/// A name as it stands in a dump. A bit that is no bit of a vector stays none.
fn name(variable: &Variable) -> String {
    let name = variable.name();
    match variable.is_escaped() || is_element(variable) {
        true => format!("\\{name}"),
        false => name.to_owned(),
    }
}

fn scope_name(scope: &Scope) -> String {
    match scope.is_escaped() {
        true => format!("\\{}", scope.name()),
        false => scope.name().to_owned(),
    }
}

fn kind(kind: &ScopeKind) -> String {
    match kind {
        ScopeKind::Other(word) => word.to_string(),
        known => format!("{known:?}").to_lowercase(),
    }
}
