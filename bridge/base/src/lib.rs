//! Words and files that everything else uses.

pub mod counted;
pub mod day;
pub mod glob;
pub mod lines;
pub mod plain;
pub mod printable;
pub mod shown_path;
pub mod text_file;
pub mod unnumbered;
pub mod verdict;
