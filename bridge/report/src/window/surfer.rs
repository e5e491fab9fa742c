//! A command file of Surfer: the signals of the groups, the cursor on the divergent cycle.

use std::fmt::Write;

use super::{Form, Format, Waves};

/// The commands. `clock` is the path of the design's clock.
pub fn command_file(waves: &Waves, dump: Format, clock: Option<&str>) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut out, waves, dump, clock);
    out
}

fn write(out: &mut String, waves: &Waves, dump: Format, clock: Option<&str>) -> std::fmt::Result {
    let name = match dump {
        Format::Vcd => "the dump",
        Format::Fst => dump.name(),
    };
    writeln!(out, "# pmu-lockstep: surfer -c this file, then {name}")?;
    // Items are numbered from the top; a format is that of the item in focus, and what is added goes below it.
    let mut formats = Vec::new();
    let mut item = 0;
    if let Some(clock) = clock {
        writeln!(out, "variable_add {clock}")?;
        item += 1;
    }
    for group in &waves.groups {
        writeln!(out, "divider_add {}", word(&group.title))?;
        item += 1;
        for signal in waves.of(group) {
            let path = signal.path();
            writeln!(out, "variable_add {path}")?;
            let format = match signal.form {
                Form::Decimal(_) => Some("Unsigned"),
                Form::Hexadecimal(_) => Some("Hexadecimal"),
                Form::Words if dump == Format::Fst => Some("ASCII"),
                Form::Bit | Form::Words => None,
            };
            formats.extend(format.map(|format| (item, path, format)));
            item += 1;
        }
    }
    for (item, path, format) in formats {
        let letters = letters(item);
        writeln!(out, "item_focus {letters}_{path}\nitem_set_format {format}")?;
    }
    writeln!(out, "item_unfocus\nzoom_fit")?;
    let middle = waves.time(waves.divergent) + waves.cycle_ticks() / 2;
    writeln!(out, "cursor_set {middle}\nzoom_in\nzoom_in\ngoto_cursor")
}

/// A title as one word: Surfer refuses a divider of several, and the items below it would have other numbers.
fn word(title: &str) -> String {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join("_")
}

/// The name that Surfer gives to an item: its number with the hexadecimal digits `a` to `p`.
fn letters(item: usize) -> String {
    format!("{item:x}")
        .chars()
        .filter_map(|digit| digit.to_digit(16))
        .map(|digit| char::from(b'a' + digit as u8))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{letters, word};

    #[test]
    fn titles_are_one_word() {
        assert_eq!(word("counter 16"), "counter_16");
        assert_eq!(
            word("V[8], which counter 9 can link to"),
            "V_8_which_counter_9_can_link_to"
        );
    }

    #[test]
    fn items_are_named_by_hexadecimal_digits() {
        assert_eq!(
            [0, 9, 15, 16, 0x2A].map(letters),
            ["a", "j", "p", "ba", "ck"]
        );
    }
}
