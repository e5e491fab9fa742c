//! Files that are read whole, up to a length that none of them has: a device without an end is an error.

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;

/// Bytes that a file, or a line of one, can have.
const MOST: u64 = 64 << 20;

fn too_long(what: &str) -> io::Error {
    let message = format!("{what} of at most {} MiB was expected", MOST >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// What is no file, such as a pipe, which may have no end, or nobody who writes to it.
pub fn no_file() -> io::Error {
    let message = "a regular file was expected";
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// The text of the file at `path`.
///
/// # Errors
/// It cannot be read, is longer than 64 MiB, or is not UTF-8.
pub fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = File::open(path)?.take(MOST + 1).read_to_string(&mut text)?;
    match read as u64 > MOST {
        true => Err(too_long("a file")),
        false => Ok(text),
    }
}

/// The lines of `from`, without their ends.
///
/// # Errors
/// Of a line: it cannot be read, is longer than 64 MiB, or is not UTF-8.
pub fn lines(mut from: impl BufRead) -> impl Iterator<Item = io::Result<String>> {
    std::iter::from_fn(move || {
        let mut text = String::new();
        match (&mut from).take(MOST + 1).read_line(&mut text) {
            Ok(0) => None,
            Ok(read) if read as u64 > MOST => Some(Err(too_long("a line"))),
            Ok(_) => {
                let end = text.trim_end_matches(['\n', '\r']).len();
                text.truncate(end);
                Some(Ok(text))
            }
            Err(error) => Some(Err(error)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_device_without_an_end_is_an_error() {
        let error = read(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge, "{error}");
        let zeros = io::BufReader::new(File::open("/dev/zero").expect("a device"));
        let first = lines(zeros).next().expect("a line");
        assert_eq!(first.unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn lines_have_no_ends() {
        let all: Vec<_> = lines(&b"a\r\n\nb"[..])
            .map(|line| line.expect("a line"))
            .collect();
        assert_eq!(all, ["a", "", "b"]);
    }
}
