//! Geometry of the waveform: where lines, boxes and texts of each signal are. The template makes SVG of it.

use crate::window::{Form, Side, Signal, Waves};

/// Cycles drawn after the divergent one. The page opens at the right end of the drawing, and a phone shows three
/// cycles or four.
const AFTER: u64 = 1;
/// Height of the row of cycle numbers.
const HEAD: u32 = 24;
/// Height of a row, and of one with three lines of text.
const ROW: u32 = 28;
const TALL_ROW: u32 = 44;
/// Space before a group.
const GAP: u32 = 8;
/// Space in a row above and below its shape.
const MARGIN: u32 = 5;
/// Slant of a box's ends.
const SLANT: u32 = 4;
/// Widths of a cycle, and of ten characters in it: two cycles of 64-bit values fit beside the labels on a phone.
const CELL: std::ops::RangeInclusive<usize> = 88..=126;
const TEN_CHARACTERS: usize = 64;
/// Cycles after which the value in a long box is written again.
const REPEAT: usize = 4;

/// The drawing.
#[derive(Debug, Default)]
pub struct Drawing {
    /// Width of what is beside the labels.
    pub width: u32,
    /// Height.
    pub height: u32,
    /// Numbers of the cycles, at the middle of each.
    pub heads: Vec<Head>,
    /// Left edge and width of the divergent cycle, if it is in the window.
    pub band: Option<(u32, u32)>,
    /// The same of the cycle whose outputs differ, if the design shows them in a later one.
    pub about: Option<(u32, u32)>,
    /// Rows, from the top.
    pub rows: Vec<Row>,
}

/// The number of a cycle.
#[derive(Debug)]
pub struct Head {
    /// Middle.
    pub x: u32,
    /// Number.
    pub cycle: u64,
    /// The divergent one.
    pub divergent: bool,
    /// The one whose outputs differ in it.
    pub about: bool,
}

/// A signal.
#[derive(Debug, Default)]
pub struct Row {
    /// Its name.
    pub label: String,
    /// `expected` or `RTL`, if it is one.
    pub side: &'static str,
    /// Top of the row.
    pub top: u32,
    /// Where the label stands, and the side below it.
    pub label_y: u32,
    /// Below the label.
    pub side_y: u32,
    /// The first of a group, which a line sets apart.
    pub begins_group: bool,
    /// Line of a signal of one bit, as an SVG path.
    pub line: String,
    /// Values.
    pub boxes: Vec<Shape>,
    /// Cells whose value is not the expected one: left edges, widths.
    pub marks: Vec<(u32, u32)>,
    /// Height.
    pub height: u32,
}

/// A value over one or more cycles.
#[derive(Debug)]
pub struct Shape {
    /// Outline, as an SVG path.
    pub outline: String,
    /// It is not the expected one.
    pub differs: bool,
    /// Not compared.
    pub unknown: bool,
    /// The whole value.
    pub text: String,
    /// Pieces of text: middle, base line, characters.
    pub pieces: Vec<(u32, u32, String)>,
}

/// Draws the groups of `waves`.
pub fn draw(waves: &Waves) -> Drawing {
    let length = waves.len();
    let at = usize::try_from(waves.divergent.saturating_sub(waves.first)).unwrap_or(usize::MAX);
    let about = usize::try_from(waves.about.saturating_sub(waves.first)).unwrap_or(usize::MAX);
    let shown = length.min(at.saturating_add(1 + AFTER as usize));
    let cell = cell(waves, shown);
    let mut drawing = Drawing {
        width: shown as u32 * cell,
        height: HEAD,
        band: (at < shown).then_some((at as u32 * cell, cell)),
        about: (about < at && at < shown).then_some((about as u32 * cell, cell)),
        heads: (waves.first..)
            .zip(0..shown as u32)
            .map(|(cycle, index)| Head {
                x: index * cell + cell / 2,
                cycle,
                divergent: cycle == waves.divergent,
                about: cycle == waves.about,
            })
            .collect(),
        rows: Vec::new(),
    };
    if shown == 0 {
        return drawing;
    }
    let pen = Pen {
        waves,
        cell,
        shown,
        at,
    };
    drawing.push(
        Row {
            label: "clock".into(),
            ..Row::default()
        },
        |row| row.line = pen.clock(row.top),
    );
    for group in &waves.groups {
        for (index, signal) in waves.of(group).enumerate() {
            if index == 0 {
                drawing.height += GAP;
            }
            let height = match (signal.form, signal.side) {
                (Form::Words, Side::Common) => TALL_ROW,
                _ => ROW,
            };
            let row = Row {
                label: short(&signal.label, 17),
                side: match signal.side {
                    Side::Common => "",
                    Side::Expected => "expected",
                    Side::Rtl => "RTL",
                },
                begins_group: index == 0,
                height,
                ..Row::default()
            };
            drawing.push(row, |row| match signal.form {
                Form::Bit => pen.bit(signal, row),
                _ => pen.values(signal, row),
            });
        }
    }
    drawing.height += GAP;
    drawing
}

impl Drawing {
    fn push(&mut self, mut row: Row, draw: impl FnOnce(&mut Row)) {
        row.height = row.height.max(ROW);
        row.top = self.height;
        let middle = row.top + row.height / 2;
        row.label_y = if row.side.is_empty() {
            middle + 4
        } else {
            middle
        };
        row.side_y = middle + 11;
        draw(&mut row);
        self.height += row.height;
        self.rows.push(row);
    }
}

struct Pen<'a> {
    waves: &'a Waves,
    cell: u32,
    shown: usize,
    /// Index of the divergent cycle.
    at: usize,
}

impl Pen<'_> {
    fn clock(&self, top: u32) -> String {
        let (high, low) = (top + MARGIN, top + ROW - MARGIN);
        let half = self.cell / 2;
        let mut path = format!("M0 {low}");
        for index in 0..self.shown as u32 {
            let x = index * self.cell;
            let (fall, end) = (x + half, x + self.cell);
            path.push_str(&format!("V{high}H{fall}V{low}H{end}"));
        }
        path
    }

    fn bit(&self, signal: &Signal, row: &mut Row) {
        let (high, low) = (row.top + MARGIN, row.top + row.height - MARGIN);
        let mut pen_down = false;
        for (index, value) in signal.values.iter().take(self.shown).enumerate() {
            let x = index as u32 * self.cell;
            let Some(value) = value else {
                pen_down = false;
                continue;
            };
            let y = if value.bits & 1 == 1 { high } else { low };
            let draw = if pen_down {
                format!("V{y}")
            } else {
                format!("M{x} {y}")
            };
            row.line.push_str(&format!("{draw}H{}", x + self.cell));
            pen_down = true;
            if self.waves.differs(signal, index) {
                row.marks.push((x, self.cell));
            }
        }
    }

    fn values(&self, signal: &Signal, row: &mut Row) {
        let values = &signal.values[..self.shown.min(signal.values.len())];
        let mut begin = 0;
        while begin < values.len() {
            let differs = self.waves.differs(signal, begin);
            let same = (begin..values.len()).take_while(|&index| {
                values[index] == values[begin] && self.waves.differs(signal, index) == differs
            });
            // Two accesses are two, also if they are alike.
            let end = match signal.side {
                Side::Common => begin + 1,
                _ => begin + same.count(),
            };
            if let Some(value) = &values[begin]
                && !value.text.is_empty()
            {
                let lines: Vec<&str> = match signal.side {
                    Side::Common => value.text.split(' ').collect(),
                    _ => vec![&value.text],
                };
                row.boxes.push(Shape {
                    outline: self.outline(begin, end, row),
                    differs,
                    unknown: value.unknown != 0,
                    text: value.text.clone(),
                    pieces: self
                        .middles(begin, end)
                        .into_iter()
                        .flat_map(|x| self.pieces(&lines, x, differs, row))
                        .collect(),
                });
            }
            begin = end;
        }
    }

    fn outline(&self, begin: usize, end: usize, row: &Row) -> String {
        let (left, right) = (begin as u32 * self.cell, end as u32 * self.cell);
        let (top, bottom) = (row.top + MARGIN - 2, row.top + row.height - MARGIN + 2);
        let middle = row.top + row.height / 2;
        let (from, to) = (left + SLANT, right - SLANT);
        format!("M{left} {middle}L{from} {top}H{to}L{right} {middle}L{to} {bottom}H{from}Z")
    }

    /// Where the value of a box is written: in the divergent cycle by itself, else once in a few cycles.
    fn middles(&self, begin: usize, end: usize) -> Vec<u32> {
        let mut middles = Vec::new();
        let mut from = begin;
        while from < end {
            let mut to = (from + REPEAT).min(end);
            if from == self.at {
                to = from + 1;
            } else if (from..to).contains(&self.at) {
                to = self.at;
            }
            middles.push((from + to) as u32 * self.cell / 2);
            from = to;
        }
        middles
    }

    fn pieces(&self, lines: &[&str], x: u32, differs: bool, row: &Row) -> Vec<(u32, u32, String)> {
        let room = 10 * (self.cell - 2 * SLANT) as usize / TEN_CHARACTERS;
        let middle = row.top + row.height / 2 + 4;
        let first = middle - 6 * (lines.len() as u32).saturating_sub(1);
        let base_lines = (0..).map(|line| first + 12 * line);
        // Where there is no room for the sign, outline and colour must do.
        let fits = |line: &str| line.chars().count() + 2 <= room;
        let mark = |line: &str| if differs && fits(line) { "≠ " } else { "" };
        base_lines
            .zip(lines)
            .map(|(y, line)| {
                let line = line.trim_end_matches("_EL0").trim_end_matches("_EL1");
                (x, y, format!("{}{}", mark(line), short(line, room)))
            })
            .collect()
    }
}

/// Width of a cycle: values are written whole if they can be.
fn cell(waves: &Waves, shown: usize) -> u32 {
    let signals = waves.groups.iter().flat_map(|group| waves.of(group));
    let texts = signals
        .filter(|signal| signal.side != Side::Common)
        .flat_map(|signal| signal.values.iter().take(shown).flatten());
    let longest = texts.map(|value| value.text.chars().count()).max();
    let width = longest.unwrap_or(0) * TEN_CHARACTERS / 10 + 2 * SLANT as usize + 2;
    width.clamp(*CELL.start(), *CELL.end()) as u32
}

/// A text that is too long without its middle.
fn short(text: &str, room: usize) -> String {
    let length = text.chars().count();
    if length <= room {
        return text.into();
    }
    let tail = room.saturating_sub(1) / 2;
    let head = room.saturating_sub(1) - tail;
    let front: String = text.chars().take(head).collect();
    let back: String = text.chars().skip(length - tail).collect();
    format!("{front}…{back}")
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(short("0xd5000004e2600038", 9), "0xd5…0038");
        assert_eq!(short("short", 9), "short");
        assert_eq!(short("any", 1), "…");
    }
}
