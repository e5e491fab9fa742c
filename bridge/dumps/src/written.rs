//! Numbers and names, as dumps of all formats write them.

use lockstep_vcd::Variable;

/// A real with the 16 digits that the standard has a VCD write (IEEE 1364, `%.16g`), so that all formats show the same
/// number. GHDL writes more, where they are needed.
pub(crate) fn real(value: f64) -> f64 {
    format!("{value:.15e}").parse().unwrap_or(value)
}

/// Whether the name of a variable is that of a bit (`flags[0]`), which is an element of an array. It needs a backslash,
/// or it is joined with others to a vector.
pub(crate) fn is_element(variable: &Variable) -> bool {
    variable.range().is_none() && variable.name().ends_with(']') && variable.width() == 1
}
