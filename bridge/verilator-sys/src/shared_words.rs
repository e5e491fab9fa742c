//! Memory that outlives this process: another one reads there how far a design came.

use std::fs::File;
use std::io;
use std::slice;
use std::sync::atomic::AtomicU64;

use memmap2::MmapRaw;

/// Maps all of `file`, which is open for reading and writing, as 64-bit words of the machine's byte order. What is stored
/// in them is in the file, also when the process dies at once. They stay mapped until then, and the file must not become
/// shorter meanwhile.
///
/// # Errors
/// The file cannot be mapped: it is empty, or not open for reading and writing.
pub fn shared_words(file: &File) -> io::Result<&'static [AtomicU64]> {
    // An empty mapping would be of no page.
    if file.metadata()?.len() == 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "an empty file"));
    }
    let map: &'static MmapRaw = Box::leak(Box::new(MmapRaw::map_raw(file)?));
    let words = map.len() / size_of::<AtomicU64>();
    // SAFETY: a mapping begins at a page and is `words` words long or longer; it is never unmapped. Whoever else has it
    // mapped sees, and may do, what atomics allow.
    Ok(unsafe { slice::from_raw_parts(map.as_mut_ptr().cast::<AtomicU64>(), words) })
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek};
    use std::sync::atomic::Ordering;

    use super::*;

    #[test]
    fn words_are_in_the_file() {
        let mut file = tempfile::tempfile().expect("a file");
        file.set_len(24).expect("longer");
        let words = shared_words(&file).expect("mapped");
        assert_eq!(words.len(), 3);
        words[1].store(0x1234, Ordering::Relaxed);
        let mut bytes = Vec::new();
        file.rewind().expect("rewound");
        file.read_to_end(&mut bytes).expect("read");
        assert_eq!(bytes[8..16], 0x1234_u64.to_ne_bytes());
    }

    #[test]
    fn an_empty_file_cannot_be_mapped() {
        assert!(shared_words(&tempfile::tempfile().expect("a file")).is_err());
    }
}
