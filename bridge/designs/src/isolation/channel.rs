//! The memory of a command and a host.
//!
//! *To* is written by the command and only read by the host: a counter of requests, and for each of the last [`SLOTS`] its
//! kind, its words, and the inputs of a batch. *From* is written by the host, and so by the design: nothing in it is
//! believed. It has a counter of replies, what the design is doing and how far it is, the end of what it printed, and for
//! each request the reply, what was printed meanwhile, and the outputs.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use pmu_model::{CycleInput, CycleOutput};
use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::futex;
use verilator_sys::SharedMemory;

/// Requests that may be on their way.
pub const SLOTS: usize = 16;
/// Cycles of a request.
pub const CYCLES: usize = lockstep_engine::dut::BATCH;
/// Bytes of the words of a request, such as a path.
const WORDS: usize = 8 << 10;
/// Bytes of the words of a reply.
const REPLY: usize = 64 << 10;
/// Bytes of text that a reply has.
const TEXT: usize = 3 << 20;
/// Bytes of the end of what a design printed since its last reply.
pub const TAIL: usize = 64 << 10;

/// Where slots begin.
const TO_SLOTS: usize = 4096;
const TO_SLOT: usize = HEADER + WORDS + CYCLES * size_of::<CycleInput>();
const FROM_TAIL: usize = 4096;
const FROM_SLOTS: usize = FROM_TAIL + TAIL;
const FROM_SLOT: usize = HEADER + REPLY + TEXT + CYCLES * size_of::<CycleOutput>();
/// Numbers before the bytes of a slot.
const HEADER: usize = 64;

/// Counters at the start of either memory.
const COUNT: usize = 0;
/// Whether who waits for the other side sleeps.
const SLEEPS: usize = 64;
const COMPLETED: usize = 128;
const ACTIVITY: usize = 192;
const PRINTED: usize = 256;

/// What a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Cycles to be run.
    Run,
    /// Something rare, in words.
    Words,
}

/// What a design is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Nothing.
    Idle,
    /// It is loaded: what the library does at its start.
    Load,
    /// It is made: its initial blocks run.
    Create,
    /// It runs cycles.
    Run,
    /// It is taken down: its final blocks run.
    Finish,
}

impl Activity {
    const ALL: [Self; 5] = [
        Self::Idle,
        Self::Load,
        Self::Create,
        Self::Run,
        Self::Finish,
    ];

    fn of(word: u64) -> Self {
        let index = usize::try_from(word).unwrap_or_default();
        Self::ALL.get(index).copied().unwrap_or(Self::Idle)
    }
}

/// Memory that a process makes and another one maps.
pub struct Made {
    /// As it is mapped here, for writing.
    pub memory: SharedMemory,
    /// For the other process.
    pub other: OwnedFd,
}

/// Gives memory its size. A limit of file sizes is meant for disks: it holds here only if it cannot be raised.
fn grow(file: &OwnedFd, size: u64) -> io::Result<()> {
    let limit = getrlimit(Resource::Fsize);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    let _ = setrlimit(Resource::Fsize, raised);
    let grown = ftruncate(file, size);
    let _ = setrlimit(Resource::Fsize, limit);
    Ok(grown?)
}

/// Memory of `size` bytes; the other process may write it too, or only read it.
fn make(name: &str, size: usize, is_writable: bool) -> io::Result<Made> {
    let file = memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    grow(&file, size as u64)?;
    let file = File::from(file);
    let memory = SharedMemory::writable(&file)?;
    let mut seals = SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL;
    if !is_writable {
        // What is mapped stays so; nobody else can write, however the file is opened.
        seals |= SealFlags::FUTURE_WRITE;
    }
    fcntl_add_seals(&file, seals)?;
    let other = match is_writable {
        true => file.into(),
        false => {
            use std::os::fd::AsRawFd;
            // Opened anew, for a descriptor keeps what it was opened for.
            let path = format!("/proc/self/fd/{}", file.as_raw_fd());
            rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?
        }
    };
    Ok(Made { memory, other })
}

/// The memory of requests.
///
/// # Errors
/// There is none.
pub fn make_to() -> io::Result<Made> {
    make("lockstep-to-design", TO_SLOTS + SLOTS * TO_SLOT, false)
}

/// The memory of replies.
///
/// # Errors
/// There is none.
pub fn make_from() -> io::Result<Made> {
    make("lockstep-from-design", FROM_SLOTS + SLOTS * FROM_SLOT, true)
}

/// Whether memory that another process sent has the sizes of this program.
pub fn fits(to: &SharedMemory, from: &SharedMemory) -> bool {
    to.size() >= TO_SLOTS + SLOTS * TO_SLOT && from.size() >= FROM_SLOTS + SLOTS * FROM_SLOT
}

/// Both memories.
#[derive(Debug)]
pub struct Channel {
    /// Requests.
    pub to: SharedMemory,
    /// Replies.
    pub from: SharedMemory,
}

/// Where the bytes of slot `number` begin.
fn to_slot(number: u32) -> usize {
    TO_SLOTS + number as usize % SLOTS * TO_SLOT
}

fn from_slot(number: u32) -> usize {
    FROM_SLOTS + number as usize % SLOTS * FROM_SLOT
}

/// In the word that tells whether a side sleeps: it does, until the count in the lower half.
const SLEEPING: u64 = 1 << 32;

/// Waits until `count` has come from `seen` to `wanted`, or for some nanoseconds, or less: who waits looks again. `sleeps` tells the other side when it has
/// to wake who waits: it looks at it after it has counted.
fn sleep(count: &AtomicU32, sleeps: &AtomicU64, seen: u32, wanted: u32, nanoseconds: i64) {
    sleeps.store(SLEEPING | u64::from(wanted), Ordering::SeqCst);
    if count.load(Ordering::SeqCst) == seen {
        let limit = futex::Timespec {
            tv_sec: nanoseconds / 1_000_000_000,
            tv_nsec: nanoseconds % 1_000_000_000,
        };
        // Whatever ends it, the caller looks again.
        let _ = futex::wait(count, futex::Flags::empty(), seen, Some(&limit));
    }
    sleeps.store(0, Ordering::SeqCst);
}

/// Whether a side sleeps, by its word, and what it waits for is there. Counts begin again after the last number.
fn is_due(sleeps: u64, count: u32) -> bool {
    let missing = (sleeps as u32).wrapping_sub(count);
    sleeps & SLEEPING != 0 && (missing == 0 || missing > u32::MAX / 2)
}

/// Whether both sides share one processor. What keeps two of them busy then only makes them change places: looking before
/// sleeping, and waking the other side for every batch. Each side then does all it can before the other one's turn. Should the
/// two sides find different answers, they are slower, and no less right.
pub fn is_alone() -> bool {
    static IS_ALONE: LazyLock<bool> =
        LazyLock::new(|| std::thread::available_parallelism().is_ok_and(|cores| cores.get() == 1));
    *IS_ALONE
}

/// How often who waits looks before it sleeps.
pub fn looks(most: u32) -> u32 {
    if is_alone() { 0 } else { most }
}

fn count_one(count: &AtomicU32, sleeps: &AtomicU64) {
    count.fetch_add(1, Ordering::SeqCst);
    wake(count, sleeps);
}

/// Wakes the other side if it sleeps and has what it waits for.
fn wake(count: &AtomicU32, sleeps: &AtomicU64) {
    let sleeps = sleeps.load(Ordering::SeqCst);
    if is_due(sleeps, count.load(Ordering::SeqCst)) {
        let _ = futex::wake(count, futex::Flags::empty(), 1);
    }
}

/// A reply, as far as the design can be believed.
pub struct Reply {
    /// Cycles that were completed.
    pub completed: usize,
    /// Words, if it has some.
    pub words: Vec<u8>,
    /// What the design printed.
    pub text: Vec<u8>,
}

/// The command's side.
impl Channel {
    /// Puts request `number` into its slot. There must be no more than [`SLOTS`] that are not replied to.
    ///
    /// # Panics
    /// It is longer than a slot.
    pub fn request(&self, number: u32, kind: Kind, words: &[u8], inputs: &[CycleInput]) {
        assert!(
            words.len() <= WORDS && inputs.len() <= CYCLES,
            "a request that fits"
        );
        let slot = to_slot(number);
        let code = match kind {
            Kind::Run => 1,
            Kind::Words => 2,
        };
        for (at, value) in [code, inputs.len(), words.len()].into_iter().enumerate() {
            let word = self.to.word(slot + 8 * at);
            word.store(value as u64, Ordering::Relaxed);
        }
        self.to.write(slot + HEADER, words);
        let inputs = bytemuck::cast_slice(inputs);
        self.to.write(slot + HEADER + WORDS, inputs);
        let (count, sleeps) = (self.to.half_word(COUNT), self.from.word(SLEEPS));
        match is_alone() && kind == Kind::Run {
            // It is woken when somebody waits for it.
            true => _ = count.fetch_add(1, Ordering::SeqCst),
            false => count_one(count, sleeps),
        }
    }

    /// Whether words are short enough to be sent.
    pub fn has_room(words: &[u8]) -> bool {
        words.len() <= WORDS
    }

    /// How many requests have been replied to.
    pub fn replied(&self) -> u32 {
        self.from.half_word(COUNT).load(Ordering::Acquire)
    }

    /// Waits for `wanted` replies where there are `seen`, for at most so many nanoseconds.
    pub fn wait_for_reply(&self, seen: u32, wanted: u32, nanoseconds: i64) {
        if is_alone() {
            wake(self.to.half_word(COUNT), self.from.word(SLEEPS));
        }
        let (count, sleeps) = (self.from.half_word(COUNT), self.to.word(SLEEPS));
        sleep(count, sleeps, seen, wanted, nanoseconds);
    }

    /// Reply `number` and its outputs, of which there are at most as many as `outputs` has room for.
    pub fn reply(&self, number: u32, outputs: &mut [CycleOutput]) -> Reply {
        let slot = from_slot(number);
        let number = |at: usize, most: usize| {
            let found = self.from.word(slot + 8 * at).load(Ordering::Relaxed);
            usize::try_from(found).unwrap_or(most).min(most)
        };
        let completed = number(0, outputs.len().min(CYCLES));
        let bytes = |at: usize, size: usize| {
            let mut bytes = vec![0; size];
            self.from.read(slot + at, &mut bytes);
            bytes
        };
        let words = bytes(HEADER, number(1, REPLY));
        let text = bytes(HEADER + REPLY, number(2, TEXT));
        self.outputs_of(slot, &mut outputs[..completed]);
        Reply {
            completed,
            words,
            text,
        }
    }

    /// The first outputs of a request that was not replied to.
    pub fn outputs(&self, number: u32, outputs: &mut [CycleOutput]) {
        self.outputs_of(from_slot(number), outputs);
    }

    fn outputs_of(&self, slot: usize, outputs: &mut [CycleOutput]) {
        let outputs = bytemuck::cast_slice_mut(outputs);
        self.from.read(slot + HEADER + REPLY + TEXT, outputs);
    }

    /// What the design is doing.
    pub fn activity(&self) -> Activity {
        Activity::of(self.from.word(ACTIVITY).load(Ordering::Acquire))
    }

    /// Cycles that the design completed.
    pub fn completed(&self) -> &AtomicU64 {
        self.from.word(COMPLETED)
    }

    /// The end of what the design printed since its last reply.
    pub fn tail(&self) -> Vec<u8> {
        let printed = self.from.word(PRINTED).load(Ordering::Acquire);
        let mut ring = vec![0; TAIL];
        self.from.read(FROM_TAIL, &mut ring);
        end_of_ring(ring, printed)
    }
}

/// The newest text of a ring into which `printed` bytes were written.
fn end_of_ring(mut ring: Vec<u8>, printed: u64) -> Vec<u8> {
    let size = ring.len() as u64;
    if printed <= size {
        ring.truncate(usize::try_from(printed).unwrap_or(ring.len()));
    } else {
        let oldest = usize::try_from(printed % size).unwrap_or_default();
        ring.rotate_left(oldest);
    }
    ring
}

/// A request, as the host finds it.
pub struct Request<'a> {
    /// What it is.
    pub kind: Kind,
    /// Words, if it has some.
    pub words: &'a [u8],
    /// Inputs of cycles, as bytes.
    pub inputs: &'a [u8],
    /// Room for their outputs.
    pub outputs: &'a mut [u8],
}

/// The host's side.
impl Channel {
    /// Waits for request `number`.
    pub fn next(&self, number: u32) {
        let count = self.to.half_word(COUNT);
        // A command with many requests on their way makes the next one at about the time that this one took.
        for _ in 0..looks(2000) {
            if count.load(Ordering::Acquire) != number {
                return;
            }
            std::hint::spin_loop();
        }
        while count.load(Ordering::Acquire) == number {
            let wanted = number.wrapping_add(1);
            sleep(count, self.from.word(SLEEPS), number, wanted, i64::MAX / 2);
        }
    }

    /// Request `number`, which there is.
    ///
    /// # Safety
    /// One request at a time is looked at, and not after it was replied to.
    pub unsafe fn take(&self, number: u32) -> Request<'_> {
        let slot = to_slot(number);
        let number_at = |at: usize, most: usize| {
            let found = self.to.word(slot + 8 * at).load(Ordering::Relaxed);
            usize::try_from(found).unwrap_or(most).min(most)
        };
        let (cycles, words) = (number_at(1, CYCLES), number_at(2, WORDS));
        let kind = match number_at(0, 2) {
            1 => Kind::Run,
            _ => Kind::Words,
        };
        let inputs = slot + HEADER + WORDS;
        let outputs = from_slot(number) + HEADER + REPLY + TEXT;
        // SAFETY: the command does not write to a slot that was not replied to, and does not read outputs before.
        unsafe {
            Request {
                kind,
                words: self.to.bytes(slot + HEADER..slot + HEADER + words),
                inputs: self
                    .to
                    .bytes(inputs..inputs + cycles * size_of::<CycleInput>()),
                outputs: self
                    .from
                    .bytes_mut(outputs..outputs + cycles * size_of::<CycleOutput>()),
            }
        }
    }

    /// Replies to request `number`. Of longer text the end is sent.
    pub fn answer(&self, number: u32, completed: usize, words: &[u8], text: &[u8]) {
        let slot = from_slot(number);
        let words = &words[..words.len().min(REPLY)];
        let text = &text[text.len().saturating_sub(TEXT)..];
        for (at, value) in [completed, words.len(), text.len()].into_iter().enumerate() {
            let word = self.from.word(slot + 8 * at);
            word.store(value as u64, Ordering::Relaxed);
        }
        self.from.write(slot + HEADER, words);
        self.from.write(slot + HEADER + REPLY, text);
        count_one(self.from.half_word(COUNT), self.to.word(SLEEPS));
    }

    /// Notes what the design does from here on.
    pub fn now(&self, activity: Activity) {
        let index = Activity::ALL.iter().position(|other| *other == activity);
        let index = index.unwrap_or_default() as u64;
        self.from.word(ACTIVITY).store(index, Ordering::Release);
    }

    /// The ring for text, and the counter of its bytes.
    pub fn ring(&self) -> (&[AtomicU64], &AtomicU64) {
        let ring = self.from.words(FROM_TAIL, TAIL / size_of::<AtomicU64>());
        (ring, self.from.word(PRINTED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_has_the_newest_text() {
        let ring = b"89234567".to_vec();
        assert_eq!(end_of_ring(ring.clone(), 0), b"");
        assert_eq!(end_of_ring(ring.clone(), 3), b"892");
        assert_eq!(end_of_ring(ring.clone(), 8), b"89234567");
        assert_eq!(end_of_ring(ring, 10), b"23456789");
    }

    #[test]
    fn who_sleeps_is_woken_when_all_is_there() {
        assert!(!is_due(0, 0));
        assert!(is_due(SLEEPING, 0));
        for wanted in [16, 3, u32::MAX] {
            let sleeps = SLEEPING | u64::from(wanted);
            assert!(!is_due(sleeps, wanted.wrapping_sub(1)));
            assert!(!is_due(sleeps, wanted.wrapping_sub(16)));
            assert!(is_due(sleeps, wanted));
            assert!(is_due(sleeps, wanted.wrapping_add(5)));
        }
    }

    #[test]
    fn activities_are_words_and_back() {
        for (index, activity) in Activity::ALL.into_iter().enumerate() {
            assert_eq!(Activity::of(index as u64), activity);
        }
        assert_eq!(Activity::of(u64::MAX), Activity::Idle);
    }

    /// Both sides in one process: what the host sees, and what it can make the command believe.
    #[test]
    fn requests_and_replies_go_through_their_slots() {
        let (to, from) = (make_to().expect("memory"), make_from().expect("memory"));
        let read_only = File::from(to.other);
        let command = Channel {
            to: to.memory,
            from: from.memory,
        };
        let host = Channel {
            to: SharedMemory::readable(&read_only).expect("mapped"),
            from: SharedMemory::writable(&File::from(from.other)).expect("mapped"),
        };
        assert!(SharedMemory::writable(&read_only).is_err());
        assert!(fits(&host.to, &host.from));
        let inputs = [CycleInput::reset(), CycleInput::default()];
        for number in 0..2 * SLOTS as u32 {
            command.request(number, Kind::Run, b"", &inputs);
            host.next(number);
            // SAFETY: one request at a time.
            let request = unsafe { host.take(number) };
            assert_eq!(request.kind, Kind::Run);
            assert_eq!(request.inputs, bytemuck::cast_slice::<_, u8>(&inputs));
            request.outputs.fill(number as u8);
            host.answer(number, usize::MAX, b"words", b"text\n");
            assert_eq!(command.replied(), number + 1);
            let mut outputs = [CycleOutput::default(); 2];
            let reply = command.reply(number, &mut outputs);
            assert_eq!(reply.completed, 2);
            assert_eq!(
                (&reply.words[..], &reply.text[..]),
                (&b"words"[..], &b"text\n"[..])
            );
            assert_eq!(outputs[1].random_byte, number as u8);
        }
    }
}
