//! The sections of a GHW file with values: the library passes over what is earlier than what it read before, so that is
//! looked for first.

use std::io::{Read, Seek, SeekFrom};

use super::error::GhwError;

/// Bytes of the end of a file, which tells where the directory is.
const TAIL: i64 = 12;
/// Bytes of an entry of the directory: a name and a place.
const ENTRY: usize = 8;

/// Looks at the times at which the sections of a file begin, in their order.
///
/// # Errors
/// [`GhwError::Damaged`] if one is negative or earlier than the one before. What cannot be found of the directory is left to
/// the library.
pub(super) fn follow(file: &mut (impl Read + Seek)) -> Result<(), GhwError> {
    let mut last = 0;
    for time in times(file).unwrap_or_default() {
        if time < last {
            return Err(GhwError::Damaged {
                expected: "times that go on",
                found: format!("{time} fs after {last} fs"),
            });
        }
        last = time;
    }
    Ok(())
}

/// Where each section with values begins in time.
fn times(file: &mut (impl Read + Seek)) -> std::io::Result<Vec<i64>> {
    let mut header = [0; 16];
    file.rewind()?;
    file.read_exact(&mut header)?;
    let is_big = header[12] == 2;
    let word = |bytes: &[u8]| {
        let bytes = bytes.try_into().unwrap_or_default();
        match is_big {
            true => u32::from_be_bytes(bytes),
            false => u32::from_le_bytes(bytes),
        }
    };
    let mut tail = [0; TAIL as usize];
    let length = file.seek(SeekFrom::End(-TAIL))?;
    file.read_exact(&mut tail)?;
    let directory = word(&tail[8..]).into();
    if !tail.starts_with(b"TAI\0") || directory >= length {
        return Ok(Vec::new());
    }
    file.seek(SeekFrom::Start(directory))?;
    let mut entries = Vec::new();
    file.by_ref()
        .take(length - directory)
        .read_to_end(&mut entries)?;
    // Behind the word `DIR`, four bytes, and how many there are.
    let entries = entries.get(12..).unwrap_or_default();
    let mut times = Vec::new();
    for entry in entries.chunks_exact(ENTRY) {
        let skipped = match &entry[..4] {
            // Four bytes stand before the time.
            b"SNP\0" => 8,
            b"CYC\0" => 4,
            _ => continue,
        };
        let mut time = [0; 8];
        file.seek(SeekFrom::Start(u64::from(word(&entry[4..])) + skipped))?;
        file.read_exact(&mut time)?;
        times.push(match is_big {
            true => i64::from_be_bytes(time),
            false => i64::from_le_bytes(time),
        });
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    const KINDS: &[u8] = include_bytes!("../../../../tests/vcd/ghdl-2.0/kinds.ghw");

    #[test]
    fn times_of_sections_go_on() {
        assert_eq!(times(&mut Cursor::new(KINDS)).unwrap(), [0, 0]);
        assert!(follow(&mut Cursor::new(KINDS)).is_ok());
    }

    #[test]
    fn a_section_that_is_earlier_than_the_one_before_is_told() {
        let mut file = KINDS.to_vec();
        let snapshot = file.windows(4).position(|word| word == b"SNP\0").unwrap();
        file[snapshot + 10] = 0x20;
        let error = follow(&mut Cursor::new(&file)).unwrap_err();
        assert!(
            error.to_string().contains("0 fs after 2097152 fs"),
            "{error}"
        );
    }

    #[test]
    fn a_file_without_a_directory_is_left_to_the_library() {
        let cut = &KINDS[..KINDS.len() - 1];
        assert!(follow(&mut Cursor::new(cut)).is_ok());
        assert!(follow(&mut Cursor::new(&b""[..])).is_ok());
    }
}
