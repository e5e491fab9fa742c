//! Reading the ports of a design from the header that Verilator generated.

use crate::PortSizes;

/// A port of the design that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// The top module has no such port.
    #[error(
        "expected {direction} port `{port}` of module `{top}`, found none: wrap the design in a module with the ports of the DUT contract"
    )]
    Missing {
        /// Name of the top module.
        top: String,
        /// Name of the port.
        port: &'static str,
        /// `input` or `output`.
        direction: &'static str,
    },
    /// The port has another width.
    #[error(
        "expected {expected} bits of port `{port}` of module `{top}`, found {found}: the design implements another layout of the DUT contract"
    )]
    Width {
        /// Name of the top module.
        top: String,
        /// Name of the port.
        port: &'static str,
        /// The width it must have.
        expected: usize,
        /// The width it has.
        found: usize,
    },
    /// Inputs beyond those of the contract.
    #[error(
        "expected no input of module `{top}` but `clk_i` and `cycle_input_i`, found {}: nothing drives more; give it \
         its value inside of the wrapper, a constant or bits of `cycle_input_i`",
        named(ports)
    )]
    NotDriven {
        /// Name of the top module.
        top: String,
        /// Direction and name of each.
        ports: Vec<(&'static str, String)>,
    },
    /// A port that is neither a bit nor a packed vector.
    #[error(
        "expected packed ports of module `{top}`, found `{port}`, which is an array or a real: lockstep neither drives \
         nor reads it; leave it out of the wrapper"
    )]
    NotPacked {
        /// Name of the top module.
        top: String,
        /// Name of the port.
        port: String,
    },
}

/// The inputs of the contract.
const INPUTS: [&str; 2] = ["clk_i", "cycle_input_i"];

/// Ports in a sentence.
fn named(ports: &[(&'static str, String)]) -> String {
    let words = ports
        .iter()
        .map(|(direction, name)| format!("{direction} port `{name}`"));
    words.collect::<Vec<_>>().join(", ")
}

/// Checks the ports: that the four of the contract are there, and that there is nothing else to drive. Further outputs
/// are left alone. `header` is the text of the generated class's header.
pub(crate) fn check(header: &str, top: &str, sizes: PortSizes) -> Result<(), PortError> {
    for (port, direction, expected) in [
        ("clk_i", "input", 1),
        ("cycle_input_i", "input", 8 * sizes.input),
        ("cycle_output_o", "output", 8 * sizes.output),
        ("parameters_o", "output", 8 * sizes.parameters),
    ] {
        match width(header, port, direction) {
            None => {
                return Err(PortError::Missing {
                    top: top.to_owned(),
                    port,
                    direction,
                });
            }
            Some(found) if found != expected => {
                return Err(PortError::Width {
                    top: top.to_owned(),
                    port,
                    expected,
                    found,
                });
            }
            Some(_) => {}
        }
    }
    if let Some(port) = other_types(header).next() {
        return Err(PortError::NotPacked {
            top: top.to_owned(),
            port: source_name(port),
        });
    }
    let ports: Vec<_> = not_driven(header)
        .map(|(direction, name)| (direction, source_name(name)))
        .collect();
    match ports.is_empty() {
        true => Ok(()),
        false => Err(PortError::NotDriven {
            top: top.to_owned(),
            ports,
        }),
    }
}

/// The inputs that the contract does not have, by direction and name, from lines such as `VL_IN8(&scan_en_i,0,0);`.
fn not_driven(header: &str) -> impl Iterator<Item = (&'static str, &str)> {
    header.lines().map(str::trim).filter_map(|line| {
        let direction = match line {
            _ if line.starts_with("VL_INOUT") => "inout",
            _ if line.starts_with("VL_IN") => "input",
            _ => return None,
        };
        let (_, arguments) = line.split_once("(&")?;
        let (name, _) = arguments.split_once(',')?;
        (!INPUTS.contains(&name)).then_some((direction, name))
    })
}

/// The ports of other types than packed ones, which Verilator declares without a direction: `double &gain;`.
fn other_types(header: &str) -> impl Iterator<Item = &str> {
    let ports = header
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != "// PORTS")
        .take_while(|line| *line != "// CELLS");
    ports.filter_map(|line| {
        let (_, name) = line.strip_suffix(';')?.rsplit_once(" &")?;
        Some(name)
    })
}

/// A name as in the source: Verilator writes what C++ does not take as `__0` and the character's code in hexadecimal.
fn source_name(name: &str) -> String {
    let mut parts = name.split("__0");
    let mut found = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..2).map(|code| u8::from_str_radix(code, 16));
        match code {
            Some(Ok(code)) => {
                found.push(code.into());
                found += &part[2..];
            }
            _ => {
                found += "__0";
                found += part;
            }
        }
    }
    found
}

/// Width in bits from a line such as `VL_INW(&cycle_input_i,1151,0,36);`.
fn width(header: &str, port: &str, direction: &str) -> Option<usize> {
    let prefix = if direction == "input" {
        "VL_IN"
    } else {
        "VL_OUT"
    };
    let arguments = header
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with(prefix))
        .find_map(|line| {
            let (_, arguments) = line.split_once("(&")?;
            arguments.strip_prefix(port)?.strip_prefix(',')
        })?;
    let mut bounds = arguments
        .split([',', ')'])
        .map(str::trim)
        .map(str::parse::<usize>);
    let (most, least) = (bounds.next()?.ok()?, bounds.next()?.ok()?);
    Some(most - least + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "
    VL_IN8(&clk_i,0,0);
    VL_INW(&cycle_input_i,1151,0,36);
    VL_OUT64(&cycle_output_o,63,0);
    VL_OUT(&parameters_o,31,0);
    ";
    const SIZES: PortSizes = PortSizes {
        input: 144,
        output: 8,
        parameters: 4,
    };

    #[test]
    fn accepts_the_ports_of_the_contract() {
        assert_eq!(check(HEADER, "lockstep_dut", SIZES), Ok(()));
    }

    #[test]
    fn names_what_nothing_would_drive() {
        let header = format!(
            "{HEADER}    VL_IN8(&scan_en_i,0,0);\n    VL_INOUT8(&pad__02eio,3,0);\n    VL_OUTW(&debug_o,99,0,4);\n"
        );
        let error = check(&header, "lockstep_dut", SIZES).unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected no input of module `lockstep_dut` but `clk_i` and `cycle_input_i`, found input port \
             `scan_en_i`, inout port `pad.io`: nothing drives more; give it its value inside of the wrapper, a \
             constant or bits of `cycle_input_i`"
        );
        let outputs = header.replace("VL_INOUT8", "VL_OUT8");
        let outputs = outputs.replace("VL_IN8(&scan_en_i", "VL_OUT8(&scan_en_o");
        assert_eq!(check(&outputs, "lockstep_dut", SIZES), Ok(()));
    }

    #[test]
    fn names_a_port_whose_direction_is_not_known() {
        let header = format!(
            "// PORTS\n{HEADER}    VlUnpacked<CData/*2:0*/, 4> &modes;\n    // CELLS\n    Other &ignored;\n"
        );
        let error = check(&header, "lockstep_dut", SIZES).unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected packed ports of module `lockstep_dut`, found `modes`, which is an array or a real: lockstep \
             neither drives nor reads it; leave it out of the wrapper"
        );
    }

    #[test]
    fn names_are_those_of_the_source() {
        for (name, source) in [
            ("en_i", "en_i"),
            ("odd__02ename", "odd.name"),
            ("___05Fx", "__x"),
            ("a__0zz", "a__0zz"),
            ("a__0", "a__0"),
        ] {
            assert_eq!(source_name(name), source);
        }
    }

    #[test]
    fn names_a_missing_port() {
        let header = HEADER.replace("parameters_o", "parameters_out");
        let error = check(&header, "lockstep_dut", SIZES).unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected output port `parameters_o` of module `lockstep_dut`, found none: \
             wrap the design in a module with the ports of the DUT contract"
        );
    }

    #[test]
    fn tells_both_widths() {
        let error = check(
            HEADER,
            "lockstep_dut",
            PortSizes {
                output: 80,
                ..SIZES
            },
        )
        .unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected 640 bits of port `cycle_output_o` of module `lockstep_dut`, \
             found 64: the design implements another layout of the DUT contract"
        );
    }
}
