//! Reading into a window of text, which whoever reads moves on over what is passed.

use std::io::{self, Read};

use crate::header::MAX_WIDTH;

/// Bytes that are read at once. They stay in a second-level cache; more is not faster.
pub(crate) const WINDOW: usize = if cfg!(fuzzing) { 1 << 8 } else { 1 << 18 };

/// Longest command: the widest vector, and room for what stands around it.
pub(crate) const MAX_COMMAND: usize = MAX_WIDTH as usize + WINDOW;

/// Makes room for more text behind the first `end` of `bytes`.
pub(crate) fn make_room(bytes: &mut Vec<u8>, end: usize) {
    if end + WINDOW / 2 > bytes.len() {
        // Doubling, so that a long command is not read again for every window of it.
        bytes.resize((2 * bytes.len()).max(WINDOW), 0);
    }
}

/// Reads some bytes, and again if a signal came between.
pub(crate) fn read(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
