//! Values of a file on their way into batches.

use std::sync::Arc;

use lockstep_vcd::{Header, State};

use crate::batch::{Batch, LONGEST, escaped, spread};
use crate::written::real;

use super::frame::Stored;

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

impl Signals {
    /// Whether a signal of the file is an event.
    pub(super) fn is_event(&self, signal: usize) -> bool {
        let number = self.numbers.get(signal).copied().flatten();
        number.is_some_and(|number| self.events[number as usize])
    }
}

/// Enters a value of a signal of the file. An error tells a value that cannot be one.
pub(super) fn enter(
    batch: &mut Batch,
    signals: &Signals,
    handle: usize,
    value: Stored<'_>,
) -> Result<(), String> {
    let Some(Some(number)) = signals.numbers.get(handle) else {
        return Ok(());
    };
    let (number, place) = (*number, *number as usize);
    match value {
        Stored::Real(value) => batch.real(number, real(value)),
        Stored::Bytes(_) | Stored::Bits(..) if value.len() > LONGEST => {
            return Err(format!("a value of {} bytes", value.len()));
        }
        Stored::Bytes(bytes) if signals.strings[place] => {
            batch.text(number, &escaped(bytes));
        }
        Stored::Bits(bits, count) if signals.strings[place] || signals.events[place] => {
            let digits: Vec<u8> = bits.iter().flat_map(|&bits| spread(bits)).collect();
            return enter(batch, signals, handle, Stored::Bytes(&digits[..count]));
        }
        Stored::Bits(bits, count) => {
            fits(signals, place, count)?;
            batch.packed(number, bits, count);
        }
        Stored::Bytes(mut digits) => {
            if signals.events[place] {
                // Some writers give an event a width.
                digits = &digits[digits.len().saturating_sub(1)..];
            }
            fits(signals, place, digits.len())?;
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

/// Checks that so many digits are not more than a signal has bits.
fn fits(signals: &Signals, number: usize, digits: usize) -> Result<(), String> {
    let signal = signals.header.signal(number);
    let width = signal.map_or(0, |signal| signals.header.signal_width(signal));
    match digits <= width as usize {
        true => Ok(()),
        false => Err(format!("{digits} digits for {width} bits")),
    }
}
