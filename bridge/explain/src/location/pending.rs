//! Which assignments are to be made again.

/// Numbers, of which the lowest is taken first.
pub struct Pending {
    words: Vec<u64>,
    /// No word before it has a number.
    first: usize,
}

impl Pending {
    /// None, of `count`.
    pub fn new(count: usize) -> Self {
        let words = vec![0; count.div_ceil(64)];
        let first = words.len();
        Self { words, first }
    }

    pub fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        self.words[word] |= 1 << (number % 64);
        self.first = self.first.min(word);
    }

    pub fn clear(&mut self) {
        self.words[self.first..].fill(0);
        self.first = self.words.len();
    }

    /// The lowest one, which is none of them any more.
    pub fn take(&mut self) -> Option<u32> {
        while let Some(word) = self.words.get_mut(self.first) {
            if *word != 0 {
                let bit = word.trailing_zeros();
                *word &= *word - 1;
                return Some(64 * self.first as u32 + bit);
            }
            self.first += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_is_taken_first() {
        let mut pending = Pending::new(200);
        assert_eq!(pending.take(), None);
        for number in [130, 5, 199, 5, 64] {
            pending.insert(number);
        }
        assert_eq!(pending.take(), Some(5));
        // What comes of one that is made may be before it.
        pending.insert(2);
        assert_eq!([pending.take(), pending.take()], [Some(2), Some(64)]);
        pending.clear();
        assert_eq!(pending.take(), None);
        pending.insert(199);
        assert_eq!([pending.take(), pending.take()], [Some(199), None]);
    }
}
