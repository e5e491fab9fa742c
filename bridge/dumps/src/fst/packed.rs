//! FST files that are compressed as a whole, as GHDL writes them: one block around all others.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use flate2::bufread::MultiGzDecoder;

use super::error::FstError;

/// Bytes before the compressed ones: the block's type, its length, the length of what is in it.
const HEADER: usize = 17;

/// Unpacks `file` into a file without a name in the folder for such files (`TMPDIR`), which is gone with it.
///
/// # Errors
/// [`FstError::Block`] if it is cut or damaged, [`FstError::Unpack`] if there is no room, [`FstError::Read`].
pub fn unpacked(file: File) -> Result<File, FstError> {
    let size = file.metadata()?.len();
    let damaged = |expected, found: String, offset| FstError::Block {
        expected,
        found,
        offset,
    };
    let mut input = BufReader::new(file);
    let mut header = [0; HEADER];
    if input.read_exact(&mut header).is_err() {
        let found = format!("{size} bytes");
        return Err(damaged("the lengths of a compressed file", found, 1));
    }
    let number = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0_u64, |all, &byte| all << 8 | u64::from(byte))
    };
    let (block, length) = (number(&header[1..9]), number(&header[9..]));
    if block != size - 1 {
        let found = format!("{block} in a file of {size}");
        return Err(damaged("the bytes of a compressed file", found, 1));
    }
    let failed = |source| FstError::Unpack { length, source };
    let mut output = BufWriter::new(tempfile::tempfile().map_err(failed)?);
    let mut packed = MultiGzDecoder::new(input).take(length.saturating_add(1));
    let mut piece = vec![0; 1 << 16];
    let mut written = 0;
    loop {
        let read = match packed.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(damaged("gzip", error.to_string(), HEADER as u64));
            }
        };
        output.write_all(&piece[..read]).map_err(failed)?;
        written += read as u64;
    }
    if written != length {
        let found = match written > length {
            true => format!("more than {length}"),
            false => format!("{written} of {length}"),
        };
        return Err(damaged("the bytes of an FST file", found, HEADER as u64));
    }
    let mut file = output.into_inner().map_err(|error| failed(error.into()))?;
    file.rewind()?;
    Ok(file)
}
