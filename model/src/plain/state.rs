//! The state of the contract: words, whose reads and writes in a cycle are known.

use crate::implementation::Implementation;

/// PMCR_EL0.E.
pub const ENABLE: usize = 0;
/// PMCR_EL0.LP.
pub const LONG: usize = 1;
/// PMCNTENSET_EL0.
pub const ENABLED: usize = 2;
/// PMOVSSET_EL0.
pub const FLAGS: usize = 3;
/// PMSELR_EL0.
pub const SELECT: usize = 4;
/// PMCCFILTR_EL0.
pub const CYCLE_FILTER: usize = 5;
/// C_P of all counters.
pub const PREVIOUS: usize = 6;
/// Profiling was enabled in the last cycle.
pub const PROFILED: usize = 7;
/// COUNT.
pub const COUNT: usize = 8;
/// ECOUNT.
pub const ECOUNT: usize = 9;
/// PMSIRR_EL1.
pub const INTERVAL: usize = 10;
/// Samples in flight.
pub const IN_FLIGHT: usize = 11;
/// PMBSR_ELx.COLL, one bit each.
pub const COLL: usize = 12;
/// PMBSR_ELx without COLL, three of them.
pub const BUFFER: usize = 13;
/// SPMSELR_EL0.
pub const SYSTEM_SELECT: usize = 16;
/// `PMEVTYPER<n>_EL0`, 31 of them.
pub const TYPES: usize = 17;
/// The counters, 32 of them.
pub const COUNTERS: usize = TYPES + 31;
/// Copies of the types, which the filter, the event selection and the datapath have: 31 of each.
pub const COPIES: usize = COUNTERS + 32;
/// The copy of PMCCFILTR_EL0 that the filter has.
pub const CYCLE_COPY: usize = COPIES + 3 * 31;
/// Registers of System PMUs.
pub const SYSTEM: usize = CYCLE_COPY + 1;
/// Words of a System PMU: four of each of 64 counters, and three of all.
pub const OF_SYSTEM_PMU: usize = 4 * 64 + 3;

/// The copies of a type: the numbers of the instances of [`Site::CopyData`](super::Site::CopyData).
pub const OF_FILTER: usize = 0;
/// The event selection has it.
pub const OF_EVENT: usize = 1;
/// Threshold, edge and link have it.
pub const OF_DATAPATH: usize = 2;

/// What a reset puts back: a part of the state, its name, its first word and how many words it has.
pub const PARTS: [(&str, usize, usize); 17] = [
    ("PMCR_EL0.E", ENABLE, 1),
    ("PMCR_EL0.LP", LONG, 1),
    ("PMCNTENSET_EL0", ENABLED, 1),
    ("PMOVSSET_EL0", FLAGS, 1),
    ("PMSELR_EL0", SELECT, 1),
    ("PMCCFILTR_EL0", CYCLE_FILTER, 1),
    ("C_P", PREVIOUS, 1),
    ("PMSICR_EL1.COUNT", COUNT, 1),
    ("PMSICR_EL1.ECOUNT", ECOUNT, 1),
    ("PMSIRR_EL1", INTERVAL, 1),
    ("the number of samples in flight", IN_FLIGHT, 1),
    ("PMBSR_ELx.COLL", COLL, 1),
    ("PMBSR_ELx but for COLL", BUFFER, 3),
    ("SPMSELR_EL0", SYSTEM_SELECT, 1),
    ("PMEVTYPER<n>_EL0", TYPES, 31),
    ("PMEVCNTR<n>_EL0", COUNTERS, 31),
    ("PMCCNTR_EL0", COUNTERS + 31, 1),
];

/// Parts that are of one register, or alike.
pub const TOGETHER: [[usize; 2]; 4] = [[0, 1], [7, 8], [11, 12], [15, 16]];

/// Words, with what was read and written since [`begin`](State::begin).
#[derive(Clone, Debug)]
pub struct State {
    words: Vec<u64>,
    /// The cycle in which a word was read last.
    read: Vec<u32>,
    now: u32,
    /// Words that were written, with what they were before.
    written: Vec<(u16, u64)>,
}

impl State {
    /// That of a reset.
    pub(super) fn new(implementation: &Implementation) -> Self {
        let words = SYSTEM + implementation.system_pmu.len() * OF_SYSTEM_PMU;
        Self {
            words: vec![0; words],
            read: vec![0; words],
            now: 1,
            written: Vec::new(),
        }
    }

    #[inline(always)]
    pub(super) fn get(&mut self, word: usize) -> u64 {
        self.read[word] = self.now;
        self.words[word]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, word: usize, value: u64) {
        self.written.push((word as u16, self.words[word]));
        self.words[word] = value;
    }

    /// How many words there are.
    pub fn count(&self) -> usize {
        self.words.len()
    }

    /// Forgets what was read and written.
    pub fn begin(&mut self) {
        self.now += 1;
        self.written.clear();
    }

    /// Takes back what was written.
    pub fn undo(&mut self) {
        while let Some((word, before)) = self.written.pop() {
            self.words[usize::from(word)] = before;
        }
    }

    /// The words that were written, with what they are now; one that was written twice comes twice.
    pub fn written(&self) -> impl Iterator<Item = (u16, u64)> + '_ {
        let words = self.written.iter().map(|&(word, _)| word);
        words.map(|word| (word, self.words[usize::from(word)]))
    }

    /// Whether a word was read.
    #[inline]
    pub fn was_read(&self, word: u16) -> bool {
        self.read[usize::from(word)] == self.now
    }

    /// A word.
    #[inline]
    pub fn word(&self, word: u16) -> u64 {
        self.words[usize::from(word)]
    }

    /// Whether the words are those of another state.
    pub fn is_that_of(&self, other: &Self) -> bool {
        self.words == other.words
    }

    /// Sets a word. It does not count as written.
    #[inline]
    pub fn put(&mut self, word: u16, value: u64) {
        self.words[usize::from(word)] = value;
    }
}
