//! Names of SystemVerilog in arguments.

use crate::dut::is_identifier;

/// What a name is.
pub const NAMES: &str = "letters, digits, _ and $, no digit first";

/// The name of a module.
pub fn module(text: &str) -> Result<String, String> {
    match is_identifier(text) {
        true => Ok(text.to_owned()),
        false => Err(format!("expected the name of a module: {NAMES}")),
    }
}

/// A parameter and its value.
pub fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    if !is_identifier(name) {
        return Err(format!(
            "expected the name of a parameter before =, found {name:?}: {NAMES}"
        ));
    }
    Ok((name.to_owned(), value.to_owned()))
}
