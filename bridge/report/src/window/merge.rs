//! A dump with the model's signals beside the design's: everything that was in it stays, time by time and value by
//! value, and the scopes `golden` and `rtl` are new.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use vcd::{
    Command, Header, IdCode, Parser, ReferenceIndex, Scope, ScopeItem, ScopeType, Var, VarType,
    Writer,
};

use super::{Form, Signal, Value, Waves};

/// Copies `dump` to `out` with the signals of `waves` added.
///
/// # Errors
/// `dump` is no value change dump, or one of the files cannot be read or written.
pub fn merge(dump: impl BufRead, waves: &Waves, out: impl Write) -> io::Result<()> {
    let mut parser = Parser::new(dump);
    let header = parser.parse_header()?;
    let mut writer = Writer::new(out);
    let codes = declare(&mut writer, header, waves)?;
    let mut changes = Changes::new(waves, codes);
    let mut now = None;
    for command in parser {
        let command = command?;
        if let Command::Timestamp(time) = command {
            while let Some(earlier) = changes.time().filter(|&earlier| earlier < time) {
                if now != Some(earlier) {
                    writer.timestamp(earlier)?;
                }
                changes.write(&mut writer)?;
            }
            now = Some(time);
        }
        writer.command(&command)?;
        if now.is_some() && now == changes.time() && matches!(command, Command::Timestamp(_)) {
            changes.write(&mut writer)?;
        }
    }
    while let Some(time) = changes.time() {
        if now != Some(time) {
            writer.timestamp(time)?;
        }
        changes.write(&mut writer)?;
    }
    writer.flush()
}

/// Writes the header, and gives each signal a code that the dump does not use.
fn declare(
    writer: &mut Writer<impl Write>,
    mut header: Header,
    waves: &Waves,
) -> io::Result<Vec<IdCode>> {
    let mut next = IdCode::FIRST;
    highest(&header.items, &mut next);
    let mut codes = Vec::new();
    for signal in &waves.signals {
        let code = next;
        next = next.next();
        codes.push(code);
        let (kind, width, index) = match signal.form {
            Form::Words => (VarType::String, 1, None),
            Form::Bit => (VarType::Wire, 1, None),
            Form::Decimal(width) | Form::Hexadecimal(width) => {
                let high = i32::try_from(width).unwrap_or(i32::MAX) - 1;
                (VarType::Wire, width, Some(ReferenceIndex::Range(high, 0)))
            }
        };
        let variable = Var::new(kind, width, code, signal.name.clone(), index);
        insert(&mut header.items, &signal.scope, variable);
    }
    writer.header(&header)?;
    Ok(codes)
}

/// The code after all that are in use.
fn highest(items: &[ScopeItem], next: &mut IdCode) {
    for item in items {
        match item {
            ScopeItem::Scope(scope) => highest(&scope.items, next),
            ScopeItem::Var(variable) if variable.code >= *next => *next = variable.code.next(),
            _ => {}
        }
    }
}

/// Puts a variable into a scope, which is made if it is not there.
fn insert(items: &mut Vec<ScopeItem>, path: &[String], variable: Var) {
    let Some((name, rest)) = path.split_first() else {
        items.push(ScopeItem::Var(variable));
        return;
    };
    for item in items.iter_mut() {
        if let ScopeItem::Scope(scope) = item
            && scope.identifier == *name
        {
            insert(&mut scope.items, rest, variable);
            return;
        }
    }
    let mut scope = Scope::new(ScopeType::Module, name.clone());
    insert(&mut scope.items, rest, variable);
    items.push(ScopeItem::Scope(scope));
}

/// A change of an added signal; without a value it has none from then on.
struct Change<'a> {
    code: IdCode,
    signal: &'a Signal,
    value: Option<&'a Value>,
}

/// Changes of the added signals, in order of time.
struct Changes<'a> {
    at: BTreeMap<u64, Vec<Change<'a>>>,
}

impl<'a> Changes<'a> {
    fn new(waves: &'a Waves, codes: Vec<IdCode>) -> Self {
        let mut at: BTreeMap<u64, Vec<_>> = BTreeMap::new();
        for (signal, code) in waves.signals.iter().zip(codes) {
            let mut last = None;
            for (cycle, value) in (waves.first..).zip(&signal.values) {
                if last != Some(value) {
                    let changes = at.entry(waves.time(cycle)).or_default();
                    changes.push(Change {
                        code,
                        signal,
                        value: value.as_ref(),
                    });
                }
                last = Some(value);
            }
        }
        Self { at }
    }

    /// When the next change is.
    fn time(&self) -> Option<u64> {
        self.at.keys().next().copied()
    }

    /// Writes the changes of that time.
    fn write(&mut self, writer: &mut Writer<impl Write>) -> io::Result<()> {
        let Some((_, changes)) = self.at.pop_first() else {
            return Ok(());
        };
        for Change {
            code,
            signal,
            value,
        } in changes
        {
            match (signal.form.width(), value) {
                (None, value) => writer.change_string(code, &word(value))?,
                (Some(1), value) => writer.change_scalar(code, bit(value, 0))?,
                (Some(width), value) => {
                    writer.change_vector(code, (0..width).rev().map(|index| bit(value, index)))?;
                }
            }
        }
        Ok(())
    }
}

fn bit(value: Option<&Value>, index: u32) -> vcd::Value {
    match value {
        Some(value) if value.unknown >> index & 1 == 0 => (value.bits >> index & 1 == 1).into(),
        _ => vcd::Value::X,
    }
}

/// A text as one word, which is all that a dump has room for.
pub(super) fn word(value: Option<&Value>) -> String {
    match value.map(|value| value.text.replace(' ', "_")) {
        Some(text) if !text.is_empty() => text,
        _ => "-".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::Side;

    const DUMP: &str = "$timescale 1ns $end
$scope module TOP $end
$var wire 1 ! clk_i $end
$var wire 4 # v [3:0] $end
$var real 64 $ r $end
$upscope $end
$enddefinitions $end
#5
0!
b01xz #
r0.1 $
#10
1!
#15
0!
#20
1!
";

    fn signal(name: &str, form: Form, values: Vec<Option<Value>>) -> Signal {
        Signal {
            scope: vec!["golden".into(), "expected".into()],
            name: name.into(),
            label: name.into(),
            side: Side::Expected,
            form,
            values,
            expected: None,
        }
    }

    fn value(bits: u64, unknown: u64, text: &str) -> Option<Value> {
        Some(Value {
            bits,
            unknown,
            text: text.into(),
        })
    }

    fn waves() -> Waves {
        let number = vec![
            value(5, 0, "5"),
            value(5, 0, "5"),
            value(6, 0b11, "6"),
            None,
        ];
        let words = vec![value(0, 0, "no access"), value(1, 0, ""), None, None];
        Waves {
            first: 1,
            divergent: 2,
            signals: vec![
                signal("n", Form::Decimal(4), number),
                signal("w", Form::Words, words),
            ],
            ..Waves::default()
        }
    }

    fn merged(dump: &str) -> String {
        let mut out = Vec::new();
        merge(dump.as_bytes(), &waves(), &mut out).expect("a dump");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn new_signals_change_at_the_rising_edge_of_their_cycle() {
        let text = merged(DUMP);
        let (header, body) = text.split_once("$enddefinitions $end\n").expect("a header");
        assert!(
            header.ends_with(
                "$scope module golden $end\n$scope module expected $end\n\
                 $var wire 4 % n [3:0] $end\n$var string 1 & w $end\n$upscope $end\n$upscope $end\n"
            ),
            "{header}"
        );
        let body: Vec<_> = body.lines().collect();
        let expected = "#5|0!|b01xz #|r0.1 $|#10|b0101 %|sno_access &|1!|#15|0!|#20|s- &|1!|#30|b01xx %|s- &|#40|bxxxx %";
        assert_eq!(body.join("|"), expected);
    }

    /// Without the new signals, and the times that have nothing else, the dump is what it was.
    #[test]
    fn dump_of_verilator_keeps_every_value_and_time() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/vcd/verilator-5.048/hierarchy.vcd"
        );
        let before = std::fs::read_to_string(path).expect("a dump");
        let after = merged(&before);
        let commands = |text: &str| -> Vec<Command> {
            Parser::new(text.as_bytes())
                .map(|command| command.expect("a dump"))
                .collect()
        };
        let before = commands(&before);
        let mut codes = Vec::new();
        let mut kept = Vec::new();
        let mut inside = 0;
        for command in commands(&after) {
            match &command {
                Command::ScopeDef(_, name) if name == "golden" || inside > 0 => {
                    inside += 1;
                    continue;
                }
                Command::Upscope if inside > 0 => {
                    inside -= 1;
                    continue;
                }
                Command::VarDef(_, _, code, ..) if inside > 0 => {
                    codes.push(*code);
                    continue;
                }
                Command::ChangeVector(code, _) | Command::ChangeString(code, _)
                    if codes.contains(code) =>
                {
                    continue;
                }
                _ => kept.push(command),
            }
        }
        assert_eq!(codes.len(), 2);
        let known: std::collections::BTreeSet<_> = before.iter().filter_map(time).collect();
        kept.retain(|command| time(command).is_none_or(|time| known.contains(&time)));
        assert_eq!(kept, before);
    }

    fn time(command: &Command) -> Option<u64> {
        match command {
            Command::Timestamp(time) => Some(*time),
            _ => None,
        }
    }

    #[test]
    fn what_is_no_dump_is_an_error() {
        assert!(merge(&b"$scope nothing"[..], &waves(), Vec::new()).is_err());
    }
}
