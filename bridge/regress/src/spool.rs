//! Texts that are many: the first are in memory, and where they become too many, all go to a file that has no name.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

/// Bytes that are kept in memory.
const MOST: usize = 64 << 20;

/// Some texts, one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Spool {
    /// The beginning, if it does not fit into memory.
    file: Option<File>,
    /// Bytes in the file.
    written: u64,
    /// What is behind it.
    memory: Vec<u8>,
}

/// Where a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    at: u64,
    length: u32,
}

impl Spool {
    /// Adds a text.
    ///
    /// # Errors
    /// There is no room for it.
    pub(crate) fn add(&mut self, text: &[u8]) -> io::Result<Place> {
        if self.memory.len() + text.len() > MOST {
            self.write_out()?;
        }
        let place = Place {
            at: self.written + self.memory.len() as u64,
            length: u32::try_from(text.len()).map_err(io::Error::other)?,
        };
        self.memory.extend(text);
        Ok(place)
    }

    fn write_out(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        file.write_all(&self.memory)?;
        self.written += self.memory.len() as u64;
        self.memory.clear();
        Ok(())
    }

    /// The text at a place, which `into` is for.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn get(&self, place: Place, into: &mut Vec<u8>) -> io::Result<()> {
        let length = place.length as usize;
        into.clear();
        match (&self.file, place.at.checked_sub(self.written)) {
            (_, Some(at)) => {
                let at = at as usize;
                into.extend(&self.memory[at..at + length]);
                Ok(())
            }
            (Some(file), None) => {
                into.resize(length, 0);
                file.read_exact_at(into, place.at)
            }
            (None, None) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_in_memory_and_in_the_file() {
        let mut spool = Spool::default();
        let text = |number: usize| vec![number as u8; MOST / 8 + number];
        let places: Vec<_> = (0..20)
            .map(|number| spool.add(&text(number)).expect("room"))
            .collect();
        assert!(spool.written > MOST as u64 && !spool.memory.is_empty());
        let mut found = Vec::new();
        for (number, place) in places.iter().enumerate() {
            spool.get(*place, &mut found).expect("read");
            assert!(found == text(number), "{number}");
        }
    }
}
