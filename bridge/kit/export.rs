//! Stimulus in forms that other simulators and programs read.

use std::io::{self, Write};

use bytemuck::bytes_of;
use pmu_model::CycleInput;
use pmu_model::contract::{Field, Thread};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A line of 384 hexadecimal digits a cycle, cycle_input_i as $readmemh and $fscanf read it
    Hex,
    /// SystemVerilog tasks that change what changes, and call a task of yours every cycle
    Sv,
    /// A JSON object a line, a cycle each, with the fields by name
    Jsonl,
    /// A line a cycle, a column for each field or element
    Csv,
}

/// Cycles of a task: simulators compile short ones faster.
const CYCLES_OF_A_TASK: u64 = 1000;

/// Writes cycles.
pub struct Exporter<W> {
    out: W,
    format: Format,
    /// Of `Sv` and `Csv`.
    values: Vec<Place>,
    /// Number of the next cycle.
    cycle: u64,
    last: CycleInput,
}

/// A value of a cycle: a field, or an element of one.
struct Place {
    name: String,
    byte: usize,
    bytes: usize,
}

impl Place {
    fn of(&self, input: &CycleInput) -> u64 {
        let mut bytes = [0; 8];
        let from = &bytes_of(input)[self.byte..self.byte + self.bytes];
        bytes[..self.bytes].copy_from_slice(from);
        u64::from_le_bytes(bytes)
    }
}

/// All values of a cycle, in the order of the table of fields.
fn places() -> Vec<Place> {
    let mut places = Vec::new();
    for field in CycleInput::FIELDS {
        for element in 0..field.count {
            let name = match field.count {
                1 => field.name.to_owned(),
                _ => format!("{}[{element}]", field.name),
            };
            let byte = field.byte + element * field.element_bytes;
            if !is_of_threads(field) {
                let bytes = field.element_bytes;
                places.push(Place { name, byte, bytes });
                continue;
            }
            places.extend(Thread::FIELDS.iter().map(|part| Place {
                name: format!("{name}.{}", part.name),
                byte: byte + part.byte,
                bytes: part.element_bytes,
            }));
        }
    }
    places
}

fn is_of_threads(field: &Field) -> bool {
    field.element_bytes == size_of::<Thread>() && field.name == "threads"
}

impl<W: Write> Exporter<W> {
    /// Begins a file of cycles that are `about` something, such as `seed 1`.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(mut out: W, format: Format, about: &str) -> io::Result<Self> {
        let values = places();
        match format {
            Format::Hex | Format::Jsonl => {}
            Format::Csv => {
                let names: Vec<_> = values.iter().map(|place| place.name.as_str()).collect();
                writeln!(out, "cycle,{}", names.join(","))?;
            }
            Format::Sv => {
                let bits = 8 * size_of::<CycleInput>();
                writeln!(
                    out,
                    "// Stimulus, {}, made by `lockstep stimulus export`.\n\
                     //\n\
                     // To be included in a module that has\n\
                     //   task lockstep_cycle(input logic [{top}:0] cycle_input);\n\
                     // which drives cycle_input_i for one cycle; lockstep_stimulus plays all of it.\n\
                     logic [{top}:0] lockstep_input = '0;",
                    about.replace(char::is_control, " "),
                    top = bits - 1
                )?;
            }
        }
        Ok(Self {
            out,
            format,
            values,
            cycle: 0,
            last: CycleInput::default(),
        })
    }

    /// Writes cycles.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn append(&mut self, cycles: &[CycleInput]) -> io::Result<()> {
        for input in cycles {
            match self.format {
                Format::Hex => {
                    // The first digit is the highest.
                    for byte in bytes_of(input).iter().rev() {
                        write!(self.out, "{byte:02x}")?;
                    }
                    writeln!(self.out)?;
                }
                Format::Jsonl => {
                    let cycle = self.cycle;
                    serde_json::to_writer(&mut self.out, &Cycle { cycle, input })?;
                    writeln!(self.out)?;
                }
                Format::Csv => {
                    write!(self.out, "{}", self.cycle)?;
                    for place in &self.values {
                        write!(self.out, ",{}", place.of(input))?;
                    }
                    writeln!(self.out)?;
                }
                Format::Sv => self.call(input)?,
            }
            self.cycle += 1;
            self.last = *input;
        }
        Ok(())
    }

    /// Writes what changes in a cycle, and the call.
    fn call(&mut self, input: &CycleInput) -> io::Result<()> {
        if self.cycle.is_multiple_of(CYCLES_OF_A_TASK) {
            if self.cycle > 0 {
                writeln!(self.out, "  end\nendtask")?;
            }
            let number = self.cycle / CYCLES_OF_A_TASK;
            writeln!(self.out, "\ntask lockstep_stimulus_{number};\n  begin")?;
        }
        for place in &self.values {
            let value = place.of(input);
            if value != place.of(&self.last) {
                let (bit, bits) = (8 * place.byte, 8 * place.bytes);
                writeln!(
                    self.out,
                    "    lockstep_input[{bit} +: {bits}] = {bits}'h{value:x};  // {}",
                    place.name
                )?;
            }
        }
        writeln!(
            self.out,
            "    lockstep_cycle(lockstep_input);  // cycle {}",
            self.cycle
        )
    }

    /// Ends the file.
    ///
    /// # Returns
    /// How many cycles it has.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> io::Result<u64> {
        if self.format == Format::Sv {
            if self.cycle > 0 {
                writeln!(self.out, "  end\nendtask")?;
            }
            writeln!(self.out, "\ntask lockstep_stimulus;\n  begin")?;
            for number in 0..self.cycle.div_ceil(CYCLES_OF_A_TASK) {
                writeln!(self.out, "    lockstep_stimulus_{number};")?;
            }
            writeln!(self.out, "  end\nendtask")?;
        }
        self.out.flush()?;
        Ok(self.cycle)
    }
}

/// A cycle with its fields by name.
struct Cycle<'a> {
    cycle: u64,
    input: &'a CycleInput,
}

impl Serialize for Cycle<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = bytes_of(self.input);
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("cycle", &self.cycle)?;
        for field in CycleInput::FIELDS {
            if is_of_threads(field) {
                let threads = self.input.threads.each_ref();
                map.serialize_entry(field.name, &threads.map(OfThread))?;
            } else if field.count == 1 {
                map.serialize_entry(field.name, &field.value(bytes, 0))?;
            } else {
                let values = (0..field.count).map(|element| field.value(bytes, element));
                map.serialize_entry(field.name, &values.collect::<Vec<_>>())?;
            }
        }
        map.end()
    }
}

struct OfThread<'a>(&'a Thread);

impl Serialize for OfThread<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = Thread::FIELDS.iter();
        serializer.collect_map(values.map(|field| (field.name, field.value(bytes_of(self.0), 0))))
    }
}

#[cfg(test)]
mod tests {
    use pmu_model::SysReg;
    use serde_json::Value;

    use super::*;

    fn exported(format: Format) -> String {
        let mut write = CycleInput::write(SysReg::Pmcr, 0x8000_0000_0000_0001);
        write.event[3] = 0xABCD;
        write.threads[2].count = 7;
        let cycles = [CycleInput::reset(), write, write];
        let mut out = Vec::new();
        let mut exporter = Exporter::new(&mut out, format, "a test").expect("begun");
        exporter.append(&cycles).expect("written");
        assert_eq!(exporter.finish().expect("ended"), 3);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn hexadecimal_lines_are_the_port() {
        let text = exported(Format::Hex);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!((lines.len(), lines[1].len()), (3, 384));
        // event[3] is in bits 63 to 48, of which the last 48 follow.
        assert_eq!(&lines[1][384 - 16..384 - 12], "abcd");
        // access_data is in bits 1087 to 1024.
        assert_eq!(&lines[1][384 - 272..384 - 256], "8000000000000001");
    }

    #[test]
    fn json_and_csv_have_every_field() {
        let text = exported(Format::Jsonl);
        let json: Value = serde_json::from_str(text.lines().nth(1).expect("a line")).expect("JSON");
        assert_eq!(
            (&json["cycle"], &json["event"][3]),
            (&1.into(), &0xABCD.into())
        );
        assert_eq!(json["access_data"].as_u64(), Some(0x8000_0000_0000_0001));
        assert_eq!(json["threads"][2]["count"], 7);

        let text = exported(Format::Csv);
        let rows: Vec<Vec<_>> = text.lines().map(|line| line.split(',').collect()).collect();
        let at = |name: &str| rows[0].iter().position(|column| *column == name);
        assert_eq!(rows[2][at("event[3]").expect("a column")], "43981");
        assert_eq!(rows[2][at("threads[2].count").expect("a column")], "7");
        assert_eq!(rows[1][at("reset").expect("a column")], "1");
        assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    }

    #[test]
    fn tasks_change_what_changes() {
        let text = exported(Format::Sv);
        assert!(text.contains("    lockstep_input[48 +: 16] = 16'habcd;  // event[3]\n"));
        assert!(text.ends_with(
            "    lockstep_cycle(lockstep_input);  // cycle 1\n    lockstep_cycle(lockstep_input);  // cycle 2\n  end\n\
             endtask\n\ntask lockstep_stimulus;\n  begin\n    lockstep_stimulus_0;\n  end\nendtask\n"
        ));
    }
}
