//! The width that text is wrapped at.

/// Columns where there is no terminal.
const NO_TERMINAL: usize = 100;
/// Longer lines are hard to read.
const WIDEST: usize = 120;
/// Tables need as much.
const NARROWEST: usize = 60;

/// `COLUMNS` if it is set, else the width of the terminal.
pub(super) fn width() -> usize {
    let columns = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok());
    let terminal = || {
        let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
        Some(width.0.into())
    };
    let width = columns.or_else(terminal).unwrap_or(NO_TERMINAL);
    width.clamp(NARROWEST, WIDEST)
}
