//! Values of the library on their way into batches.

use std::sync::Arc;

use fst_reader::FstSignalValue;
use lockstep_vcd::{Header, State};

use crate::batch::{Batch, LONGEST, escaped};
use crate::written::real;

/// The signals of a file.
#[derive(Debug)]
pub(super) struct Signals {
    pub(super) header: Arc<Header>,
    /// By signal of the file, its number in the header. None without a name.
    pub(super) numbers: Vec<Option<u32>>,
    /// By number, whether it is an event.
    pub(super) events: Vec<bool>,
    /// By number, whether its values are text.
    pub(super) strings: Vec<bool>,
}

/// Enters a value of a signal of the file. An error tells a value that cannot be one.
pub(super) fn enter(
    batch: &mut Batch,
    signals: &Signals,
    handle: usize,
    value: &FstSignalValue<'_>,
) -> Result<(), String> {
    let Some(Some(number)) = signals.numbers.get(handle) else {
        return Ok(());
    };
    let (number, place) = (*number, *number as usize);
    match value {
        FstSignalValue::Real(value) => batch.real(number, real(*value)),
        FstSignalValue::String(bytes) if bytes.len() > LONGEST => {
            return Err(format!("a value of {} bytes", bytes.len()));
        }
        FstSignalValue::String(bytes) if signals.strings[place] => {
            batch.text(number, &escaped(bytes));
        }
        FstSignalValue::String(digits) => {
            let mut digits = *digits;
            if signals.events[place] {
                // Some writers give an event a width.
                digits = &digits[digits.len().saturating_sub(1)..];
            }
            let width = signals.header.signal(place);
            let width = width.map_or(0, |signal| signals.header.signal_width(signal));
            if digits.len() > width as usize {
                return Err(format!("{} digits for {width} bits", digits.len()));
            }
            let entered = batch.bits(number, digits);
            // Nearly all are 0 and 1, and are seen to be without a look at each.
            if entered.iter().fold(0, |odd, digit| odd | (digit ^ b'0')) <= 1 {
                return Ok(());
            }
            for digit in entered {
                // Don't care, of VHDL, has a second form here.
                if *digit == b'?' {
                    *digit = b'-';
                }
                if State::from_byte(*digit).is_none() {
                    return Err(format!("a digit `{}`", digit.escape_ascii()));
                }
            }
        }
    }
    Ok(())
}
