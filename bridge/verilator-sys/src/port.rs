//! Reading the ports of a design from the header that Verilator generated.

use crate::PortSizes;

/// A port of the design that is not as it must be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// The top module has no such port.
    #[error(
        "[verilator] expected {direction} port `{port}` of module `{top}`, found none: wrap the design in a module with the ports of the DUT contract"
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
        "[verilator] expected {expected} bits of port `{port}` of module `{top}`, found {found}: the design implements another layout of the DUT contract"
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
}

/// Checks the four ports. `header` is the text of the generated class's header.
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
    Ok(())
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
    fn names_a_missing_port() {
        let header = HEADER.replace("parameters_o", "parameters_out");
        let error = check(&header, "lockstep_dut", SIZES).unwrap_err();
        assert_eq!(
            error.to_string(),
            "[verilator] expected output port `parameters_o` of module `lockstep_dut`, found none: \
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
            "[verilator] expected 640 bits of port `cycle_output_o` of module `lockstep_dut`, \
             found 64: the design implements another layout of the DUT contract"
        );
    }
}
