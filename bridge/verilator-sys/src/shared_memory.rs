//! Memory of two processes: inputs and outputs of a design go from one to the other without a copy on the design's side.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::ptr::copy_nonoverlapping;
use std::slice;
use std::sync::atomic::{AtomicU32, AtomicU64};

use memmap2::MmapRaw;

/// A file that is mapped, which another process may have mapped as well.
///
/// Nothing that is read here can be relied on if the other process is not: numbers must be checked, and bytes copied out
/// before they are looked at.
#[derive(Debug)]
pub struct SharedMemory {
    map: MmapRaw,
    is_writable: bool,
}

impl SharedMemory {
    /// Maps all of `file`, which is open for reading and writing, and must not become shorter meanwhile.
    ///
    /// # Errors
    /// It cannot be mapped, or is empty.
    pub fn writable(file: &File) -> io::Result<Self> {
        Self::of(file, MmapRaw::map_raw(file), true)
    }

    /// The same for a file that is open for reading: only the other process writes.
    ///
    /// # Errors
    /// It cannot be mapped, or is empty.
    pub fn readable(file: &File) -> io::Result<Self> {
        let map = memmap2::MmapOptions::new().map_raw_read_only(file);
        Self::of(file, map, false)
    }

    fn of(file: &File, map: io::Result<MmapRaw>, is_writable: bool) -> io::Result<Self> {
        // An empty mapping would be of no page.
        if file.metadata()?.len() == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "an empty file"));
        }
        Ok(Self {
            map: map?,
            is_writable,
        })
    }

    /// Bytes of it.
    pub fn size(&self) -> usize {
        self.map.len()
    }

    /// The word at byte `at`. In memory that is only readable it must not be stored to.
    ///
    /// # Panics
    /// It is not all there, or `at` is no multiple of its size.
    pub fn word(&self, at: usize) -> &AtomicU64 {
        let place = self.place(at..at + size_of::<AtomicU64>());
        assert!(
            at.is_multiple_of(align_of::<AtomicU64>()),
            "an aligned word"
        );
        // SAFETY: it is inside of the mapping, which begins at a page and lives as long as `self`, and is aligned.
        unsafe { AtomicU64::from_ptr(place.cast()) }
    }

    /// `count` words from byte `at` on.
    ///
    /// # Panics
    /// As [`word`](Self::word).
    pub fn words(&self, at: usize, count: usize) -> &[AtomicU64] {
        let place = self.place(at..at + count * size_of::<AtomicU64>());
        assert!(at.is_multiple_of(align_of::<AtomicU64>()), "aligned words");
        // SAFETY: as above; atomics may be stored to by others.
        unsafe { slice::from_raw_parts(place.cast(), count) }
    }

    /// The same as [`word`](Self::word) with 32 bits, which a thread can wait for.
    ///
    /// # Panics
    /// As [`word`](Self::word).
    pub fn half_word(&self, at: usize) -> &AtomicU32 {
        let place = self.place(at..at + size_of::<AtomicU32>());
        assert!(
            at.is_multiple_of(align_of::<AtomicU32>()),
            "an aligned word"
        );
        // SAFETY: as above.
        unsafe { AtomicU32::from_ptr(place.cast()) }
    }

    /// Copies `bytes` to `at`.
    ///
    /// # Panics
    /// There is no room, or the memory is only readable.
    pub fn write(&self, at: usize, bytes: &[u8]) {
        assert!(self.is_writable, "memory that is writable");
        let to = self.place(at..at + bytes.len());
        // SAFETY: the place is inside of a writable mapping, and `bytes` is not in it: no reference to it is given out to
        // a process that calls this.
        unsafe { copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) }
    }

    /// Copies what is at `at` into `bytes`. What another process writes there at the same time may be half in it.
    ///
    /// # Panics
    /// There is not so much.
    pub fn read(&self, at: usize, bytes: &mut [u8]) {
        let from = self.place(at..at + bytes.len());
        // SAFETY: the place is inside of the mapping, and `bytes` is not.
        unsafe { copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len()) }
    }

    /// What is there.
    ///
    /// # Panics
    /// It is not all there.
    ///
    /// # Safety
    /// No process writes there while the slice is used.
    pub unsafe fn bytes(&self, range: Range<usize>) -> &[u8] {
        let size = range.len();
        // SAFETY: inside of the mapping; the caller's promise.
        unsafe { slice::from_raw_parts(self.place(range), size) }
    }

    /// The same to be written.
    ///
    /// # Panics
    /// It is not all there, or the memory is only readable.
    ///
    /// # Safety
    /// Nobody else reads or writes there while the slice is used, in this process or in another one.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn bytes_mut(&self, range: Range<usize>) -> &mut [u8] {
        assert!(self.is_writable, "memory that is writable");
        let size = range.len();
        // SAFETY: inside of a writable mapping; the caller's promise.
        unsafe { slice::from_raw_parts_mut(self.place(range), size) }
    }

    fn place(&self, range: Range<usize>) -> *mut u8 {
        let is_inside = range.start <= range.end && range.end <= self.map.len();
        assert!(is_inside, "{range:?} of {} bytes", self.map.len());
        self.map.as_mut_ptr().wrapping_add(range.start)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn what_one_writes_the_other_reads() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        file.as_file().set_len(64).expect("longer");
        let writer = SharedMemory::writable(file.as_file()).expect("mapped");
        let read_only = OpenOptions::new().read(true).open(file.path());
        let reader = SharedMemory::readable(&read_only.expect("open")).expect("mapped");
        assert_eq!((writer.size(), reader.size()), (64, 64));
        writer.word(8).store(0x1234, Ordering::Relaxed);
        writer.write(16, b"text");
        let mut text = [0; 4];
        reader.read(16, &mut text);
        assert_eq!(
            (reader.word(8).load(Ordering::Relaxed), &text),
            (0x1234, b"text")
        );
        assert_eq!(reader.half_word(8).load(Ordering::Relaxed), 0x1234);
        // SAFETY: nobody writes meanwhile.
        assert_eq!(unsafe { reader.bytes(16..20) }, b"text");
    }

    #[test]
    fn what_is_not_there_is_refused() {
        assert!(SharedMemory::writable(&tempfile::tempfile().expect("a file")).is_err());
        let file = tempfile::tempfile().expect("a file");
        file.set_len(16).expect("longer");
        let memory = SharedMemory::writable(&file).expect("mapped");
        let beyond = || memory.read(12, &mut [0; 8]);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(beyond)).is_err());
        assert!(
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| memory
                .word(4)
                .load(Ordering::Relaxed)))
            .is_err()
        );
    }
}
