//! Tables of values, by row or, where that is too wide, by signal.

use anstyle::{AnsiColor, Style};

/// A value in a table.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// The value.
    pub text: String,
    /// Stands behind a value that deserves a look.
    pub mark: Option<char>,
    /// Whether a bit is x or z.
    pub unknown: bool,
}

/// The values of a signal.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub label: String,
    /// A value a row.
    pub cells: Vec<Cell>,
}

/// Values of signals in rows.
#[derive(Clone, Debug)]
pub struct Table {
    /// What tells the rows apart: a label, and a text a row.
    pub heads: Vec<(String, Vec<String>)>,
    /// The signals.
    pub columns: Vec<Column>,
    /// The row to point at.
    pub target: Option<usize>,
}

/// A text of a table, not yet padded.
struct Piece<'t> {
    text: &'t str,
    mark: Option<char>,
    style: Style,
}

impl<'t> Piece<'t> {
    fn plain(text: &'t str) -> Self {
        Self {
            text,
            mark: None,
            style: Style::new(),
        }
    }

    fn of(cell: &'t Cell) -> Self {
        let style = match (cell.unknown, cell.mark) {
            (true, _) => AnsiColor::Red.on_default(),
            (false, Some(_)) => Style::new().bold(),
            (false, None) => Style::new(),
        };
        Self {
            text: &cell.text,
            mark: cell.mark,
            style,
        }
    }

    /// The text at the right of `width` characters, and the mark.
    fn right(&self, width: usize) -> String {
        let pad = " ".repeat(width.saturating_sub(length(self.text)));
        let Self { text, mark, style } = self;
        match mark {
            Some(mark) => format!("{pad}{style}{text}{mark}{style:#}"),
            // A blank outside of the style can be cut off at the end of a line.
            None => format!("{pad}{style}{text}{style:#} "),
        }
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// A text at the left of `width` characters, which may be more than a format takes.
pub fn left(text: &str, width: usize) -> String {
    text.to_owned() + &" ".repeat(width.saturating_sub(length(text)))
}

fn longest<'t>(texts: impl IntoIterator<Item = &'t str>) -> usize {
    texts.into_iter().map(length).max().unwrap_or(0)
}

impl Table {
    /// The table as lines of at most `width` characters, if that can be: signals side by side if they fit,
    /// else rows side by side, in several tables if need be.
    pub fn written(&self, width: usize) -> String {
        let widths: Vec<_> = self.columns.iter().map(Column::width).collect();
        let heads: usize = self.heads.iter().map(|head| head_width(head) + 2).sum();
        let whole = 2 + heads + widths.iter().map(|width| width + 2).sum::<usize>();
        match whole <= width {
            true => self.by_row(&widths),
            false => self.by_signal(width),
        }
    }

    fn rows(&self) -> usize {
        self.heads.first().map_or(0, |(_, texts)| texts.len())
    }

    fn by_row(&self, widths: &[usize]) -> String {
        let mut text = String::new();
        let mut line = String::from("  ");
        let heads: Vec<_> = self.heads.iter().map(head_width).collect();
        for (head, width) in self.heads.iter().zip(&heads) {
            line += &(Piece::plain(&head.0).right(*width) + " ");
        }
        for (column, width) in self.columns.iter().zip(widths) {
            line += &(Piece::plain(&column.label).right(*width) + " ");
        }
        end(&mut text, &line);
        for row in 0..self.rows() {
            let pointed = self.target == Some(row);
            let mut line = String::from(if pointed { "> " } else { "  " });
            for (head, width) in self.heads.iter().zip(&heads) {
                line += &(Piece::plain(&head.1[row]).right(*width) + " ");
            }
            for (column, width) in self.columns.iter().zip(widths) {
                line += &(Piece::of(&column.cells[row]).right(*width) + " ");
            }
            end(&mut text, &line);
        }
        text
    }

    fn by_signal(&self, width: usize) -> String {
        let labels = self.columns.iter().map(|column| column.label.as_str());
        let label_width = longest(labels.chain(self.heads.iter().map(|(label, _)| label.as_str())));
        let widths: Vec<_> = (0..self.rows()).map(|row| self.row_width(row)).collect();
        let mut text = String::new();
        let mut start = 0;
        while start < widths.len() {
            let mut end_row = start + 1;
            let mut used = label_width + 2 + widths[start] + 2;
            while end_row < widths.len() && used + widths[end_row] + 2 <= width {
                used += widths[end_row] + 2;
                end_row += 1;
            }
            if start > 0 {
                text.push('\n');
            }
            self.block(start..end_row, label_width, &widths, &mut text);
            start = end_row;
        }
        text
    }

    fn block(
        &self,
        rows: std::ops::Range<usize>,
        label_width: usize,
        widths: &[usize],
        text: &mut String,
    ) {
        for (place, (label, texts)) in self.heads.iter().enumerate() {
            let mut line = left(label, label_width) + "  ";
            for row in rows.clone() {
                let pointed = place == 0 && self.target == Some(row);
                let shown = match pointed {
                    true => format!("> {}", texts[row]),
                    false => texts[row].clone(),
                };
                line += &(Piece::plain(&shown).right(widths[row]) + " ");
            }
            end(text, &line);
        }
        for column in &self.columns {
            let mut line = left(&column.label, label_width) + "  ";
            for row in rows.clone() {
                line += &(Piece::of(&column.cells[row]).right(widths[row]) + " ");
            }
            end(text, &line);
        }
    }

    fn row_width(&self, row: usize) -> usize {
        let heads = self.heads.iter().map(|(_, texts)| length(&texts[row]));
        let pointer = if self.target == Some(row) { 2 } else { 0 };
        let cells = self
            .columns
            .iter()
            .map(|column| length(&column.cells[row].text));
        (heads.max().unwrap_or(0) + pointer).max(cells.max().unwrap_or(0))
    }
}

impl Column {
    fn width(&self) -> usize {
        length(&self.label).max(longest(self.cells.iter().map(|cell| cell.text.as_str())))
    }
}

fn head_width((label, texts): &(String, Vec<String>)) -> usize {
    length(label).max(longest(texts.iter().map(String::as_str)))
}

/// Ends a line without blanks at its end.
fn end(text: &mut String, line: &str) {
    *text += line.trim_end();
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let cell = |text: &str, mark| Cell {
            text: text.into(),
            mark,
            unknown: false,
        };
        Table {
            heads: vec![("time".into(), vec!["5".into(), "15".into()])],
            columns: vec![
                Column {
                    label: "valid".into(),
                    cells: vec![cell("0", None), cell("1", Some('*'))],
                },
                Column {
                    label: "data".into(),
                    cells: vec![cell("0000ffff", None), cell("0000ffff", None)],
                },
                Column {
                    label: "state".into(),
                    cells: vec![cell("2", None), cell("2", None)],
                },
            ],
            target: Some(1),
        }
    }

    fn written(width: usize) -> String {
        anstream::adapter::strip_str(&table().written(width)).to_string()
    }

    #[test]
    fn signals_stand_side_by_side_if_they_fit() {
        let expected = "  time  valid      data  state\n     5      0  0000ffff      2\n>   15      1* 0000ffff      2\n";
        assert_eq!(written(80), expected);
    }

    #[test]
    fn rows_stand_side_by_side_if_signals_do_not_fit() {
        let expected = "time          5      > 15\nvalid         0         1*\ndata   0000ffff  0000ffff\n\
                        state         2         2\n";
        assert_eq!(written(30), expected);
    }

    #[test]
    fn a_narrow_terminal_gets_several_tables() {
        let expected = "time          5\nvalid         0\ndata   0000ffff\nstate         2\n\n\
                        time       > 15\nvalid         1*\ndata   0000ffff\nstate         2\n";
        assert_eq!(written(20), expected);
    }
}
