//! The black box: what every design is doing and how far it is, in memory that outlives the process.
//!
//! It is an array of 64-bit words, [`SLOTS`] slots of [`WORDS`]: whether the slot is in use, the [`Activity`], the cycles
//! completed, the bytes printed that nobody has taken yet, and a ring of [`TAIL`] bytes with the end of these.

use std::fs::File;
use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Designs that can be watched at a time; `run` has one, `run --against` two.
pub const SLOTS: usize = 16;
/// Bytes of a slot for text.
pub const TAIL: usize = 64 * 1024;
/// Words of a slot.
pub const WORDS: usize = RING + TAIL / size_of::<u64>();
/// Size of the file in bytes.
pub const BYTES: usize = SLOTS * WORDS * size_of::<u64>();

const USED: usize = 0;
const ACTIVITY: usize = 1;
const CYCLES: usize = 2;
const PRINTED: usize = 3;
const RING: usize = 4;

/// The box of this process, if it is watched.
static BOX: OnceLock<&'static [AtomicU64]> = OnceLock::new();

/// What a design is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Nothing: the process is elsewhere.
    Idle,
    /// It is made: its initial blocks run.
    Create,
    /// It runs cycles.
    Run,
    /// It is taken down: its final blocks run.
    Finish,
}

impl Activity {
    fn of(word: u64) -> Self {
        match word {
            1 => Self::Create,
            2 => Self::Run,
            3 => Self::Finish,
            _ => Self::Idle,
        }
    }

    fn word(self) -> u64 {
        match self {
            Self::Idle => 0,
            Self::Create => 1,
            Self::Run => 2,
            Self::Finish => 3,
        }
    }
}

/// Uses `file`, of [`BYTES`], as the box of this process.
///
/// # Errors
/// It cannot be mapped.
pub(super) fn open(file: &File) -> io::Result<()> {
    let words = verilator_sys::shared_words(file)?;
    if words.len() < SLOTS * WORDS {
        let found = words.len();
        let wanted = SLOTS * WORDS;
        return Err(io::Error::other(format!(
            "expected {wanted} words, found {found}"
        )));
    }
    // The first one stays: a process is watched once.
    let _ = BOX.set(words);
    Ok(())
}

/// The place of a design in the box.
#[derive(Debug)]
pub struct Slot(&'static [AtomicU64]);

impl Slot {
    /// A free place; none if this process is not watched, or all are in use.
    pub fn claim() -> Option<Self> {
        let slots = BOX.get()?.chunks_exact(WORDS);
        let mut free = slots.filter(|slot| slot[USED].swap(1, Ordering::AcqRel) == 0);
        let slot = free.next().map(Self)?;
        slot.0[CYCLES].store(0, Ordering::Relaxed);
        slot.0[PRINTED].store(0, Ordering::Relaxed);
        slot.now(Activity::Idle);
        Some(slot)
    }

    /// Notes what the design does from here on.
    pub fn now(&self, activity: Activity) {
        self.0[ACTIVITY].store(activity.word(), Ordering::Release);
    }

    /// The counter of completed cycles.
    pub fn cycles(&self) -> &'static AtomicU64 {
        &self.0[CYCLES]
    }

    /// The ring for text, and the counter of its bytes.
    pub fn tail(&self) -> (&'static [AtomicU64], &'static AtomicU64) {
        (&self.0[RING..], &self.0[PRINTED])
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.now(Activity::Idle);
        self.0[USED].store(0, Ordering::Release);
    }
}

/// What a design was doing when its process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The number of its slot.
    pub slot: usize,
    /// What it did.
    pub activity: Activity,
    /// Cycles that it had completed.
    pub cycles: u64,
    /// The end of what it printed, as far as nobody had taken it.
    pub printed: Vec<u8>,
}

/// The design that was doing something: they take turns.
pub fn at_work(designs: &[Seen]) -> Option<&Seen> {
    let is_active = |design: &&Seen| design.activity != Activity::Idle;
    designs.iter().find(is_active)
}

/// What the designs of a process were doing when it died, of those that did something or printed. `bytes` is the content
/// of its box.
pub fn read(bytes: &[u8]) -> Vec<Seen> {
    let (words, _) = bytes.as_chunks::<8>();
    let words: Vec<_> = words.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    let slots = words.chunks_exact(WORDS).enumerate();
    slots.filter_map(|(k, slot)| seen(k, slot)).collect()
}

/// The same of this process, while its designs are at work.
pub fn look() -> Vec<Seen> {
    let words = BOX.get().copied().unwrap_or_default();
    let load = |word: &AtomicU64| word.load(Ordering::Acquire);
    let slots = words.chunks_exact(WORDS).enumerate();
    slots
        .filter_map(|(k, slot)| seen(k, &slot.iter().map(load).collect::<Vec<_>>()))
        .collect()
}

fn seen(number: usize, slot: &[u64]) -> Option<Seen> {
    let activity = Activity::of(slot[ACTIVITY]);
    let used = slot[USED] != 0 && (activity != Activity::Idle || slot[PRINTED] != 0);
    used.then(|| Seen {
        slot: number,
        activity,
        cycles: slot[CYCLES],
        printed: end(&slot[RING..], slot[PRINTED]),
    })
}

/// The newest text of a ring into which `printed` bytes were written.
fn end(ring: &[u64], printed: u64) -> Vec<u8> {
    let mut bytes: Vec<_> = ring.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let size = bytes.len() as u64;
    if printed <= size {
        bytes.truncate(usize::try_from(printed).unwrap_or(bytes.len()));
    } else {
        let oldest = usize::try_from(printed % size).unwrap_or_default();
        bytes.rotate_left(oldest);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_tells_what_was_being_done() {
        let mut words = vec![0_u64; SLOTS * WORDS];
        words[..3].copy_from_slice(&[1, Activity::Idle.word(), 7]);
        words[WORDS..WORDS + 4].copy_from_slice(&[1, Activity::Run.word(), 2500, 3]);
        words[WORDS + RING] = u64::from_ne_bytes(*b"ab\nxxxxx");
        words[2 * WORDS..2 * WORDS + 3].copy_from_slice(&[0, Activity::Run.word(), 9]);
        let bytes: Vec<_> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let seen = Seen {
            slot: 1,
            activity: Activity::Run,
            cycles: 2500,
            printed: b"ab\n".to_vec(),
        };
        assert_eq!(read(&bytes), [seen]);
        assert_eq!(read(&bytes[..WORDS * 8]), []);
    }

    #[test]
    fn a_ring_has_the_newest_text() {
        let ring = [*b"89234567", *b"89ABCDEF"].map(u64::from_ne_bytes);
        assert_eq!(end(&ring, 0), b"");
        assert_eq!(end(&ring, 9), b"892345678");
        assert_eq!(end(&ring, 16), b"8923456789ABCDEF");
        assert_eq!(end(&ring, 18), b"23456789ABCDEF89");
    }

    #[test]
    fn activities_are_words_and_back() {
        for activity in [
            Activity::Idle,
            Activity::Create,
            Activity::Run,
            Activity::Finish,
        ] {
            assert_eq!(Activity::of(activity.word()), activity);
        }
    }
}
