//! Where the changes of each signal stand in a block.

use super::unpack::{number, signed};

/// What is known of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It does not change.
    None,
    /// It has the changes with this number.
    Own(u32),
    /// It has the changes of another signal.
    Of(u32),
}

/// The table of a block.
#[derive(Debug)]
pub(super) struct Places {
    signals: Vec<Place>,
    /// Where changes begin, and after the last ones their end, from the byte that says how they are packed.
    starts: Vec<u64>,
}

impl Places {
    /// Reads the table of so many signals, whose changes end at `end`. `signed_steps` is the form of newer writers.
    /// None if it is none.
    pub(super) fn new(bytes: &[u8], signed_steps: bool, signals: usize, end: u64) -> Option<Self> {
        let mut places = Self {
            signals: vec![Place::None; signals],
            starts: Vec::new(),
        };
        let (mut at, mut signal, mut before) = (0, 0_usize, 0);
        while at < bytes.len() {
            let place = if signed_steps && bytes[at] & 1 == 1 {
                match signed(bytes, &mut at)? >> 1 {
                    // The same as of the signal before that had those of another.
                    0 => Place::Of(before),
                    step @ 1.. => places.own(step as u64)?,
                    other => {
                        before = u32::try_from(-1 - other).ok()?;
                        Place::Of(before)
                    }
                }
            } else {
                match number(bytes, &mut at)? {
                    0 if !signed_steps => Place::Of(number(bytes, &mut at)?.checked_sub(1)?),
                    step if step % 2 == 1 => places.own(u64::from(step >> 1))?,
                    without => {
                        signal = signal.checked_add((without >> 1) as usize)?;
                        continue;
                    }
                }
            };
            *places.signals.get_mut(signal)? = place;
            signal += 1;
        }
        let last = places.starts.last().copied().unwrap_or(0);
        (signal <= signals && last <= end).then(|| {
            places.starts.push(end);
            places
        })
    }

    /// Changes that begin so many bytes behind those before.
    fn own(&mut self, step: u64) -> Option<Place> {
        let start = self.starts.last().copied().unwrap_or(0).checked_add(step)?;
        let number = u32::try_from(self.starts.len()).ok()?;
        self.starts.push(start);
        (step > 0).then_some(Place::Own(number))
    }

    /// The number of a signal's changes. None if it has none, an error if they are those of a signal that has none.
    pub(super) fn changes(&self, signal: usize) -> Result<Option<usize>, &'static str> {
        match self.signals.get(signal) {
            Some(Place::Own(number)) => Ok(Some(*number as usize)),
            Some(Place::Of(other)) => match self.signals.get(*other as usize) {
                Some(Place::Own(number)) => Ok(Some(*number as usize)),
                _ => Err("the changes of a signal that has none"),
            },
            _ => Ok(None),
        }
    }

    /// Where the changes of a number stand.
    pub(super) fn range(&self, changes: usize) -> std::ops::Range<u64> {
        self.starts[changes]..self.starts[changes + 1]
    }

    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.starts.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_say_the_same() {
        // At 1 and 5, two signals without changes, then those of the second one twice, then at 300.
        let old = [0x03, 0x09, 0x04, 0x00, 0x02, 0x00, 0x02, 0xcf, 0x04];
        let new = [0x03, 0x09, 0x04, 0x7d, 0x01, 0xcf, 0x04];
        for (bytes, signed_steps) in [(&old[..], false), (&new[..], true)] {
            let places = Places::new(bytes, signed_steps, 8, 310).expect("places");
            let found: Vec<_> = (0..8).map(|signal| places.changes(signal)).collect();
            let expected = [
                Some(0),
                Some(1),
                None,
                None,
                Some(1),
                Some(1),
                Some(2),
                None,
            ];
            assert_eq!(found, expected.map(Ok), "{signed_steps}");
            let ranges: Vec<_> = (0..places.len())
                .map(|number| places.range(number))
                .collect();
            assert_eq!(ranges, [1..5, 5..300, 300..310]);
        }
    }

    #[test]
    fn what_is_not_in_the_block_is_refused() {
        for (bytes, signed_steps) in [
            (&[0x03, 0x09, 0x03][..], true),
            (&[0x03, 0x08], true),
            (&[0x03, 0x81], true),
            (&[0xcf, 0x04], false),
            (&[0x01], false),
            (&[0x00, 0x00], false),
            (&[0x00], false),
        ] {
            assert!(
                Places::new(bytes, signed_steps, 2, 9).is_none(),
                "{bytes:x?}"
            );
        }
        let places = Places::new(&[0x00, 0x02, 0x03], false, 2, 9).expect("places");
        assert!(places.changes(0).is_ok());
        let places = Places::new(&[0x00, 0x03, 0x03], false, 2, 9).expect("places");
        assert!(places.changes(0).is_err());
    }
}
