//! Waveforms of other formats, and what converts them.

use std::path::Path;

/// Bytes at the start of a file that tell its format.
pub const MAGIC: u64 = 16;

/// Whether a file that starts with these bytes is FST: a block of type 0 and 329 bytes.
pub fn is_fst(start: &[u8]) -> bool {
    start.starts_with(&[0, 0, 0, 0, 0, 0, 0, 1, 73])
}

/// Whether a file that starts with these bytes is FST, compressed as a whole: a block of type 254.
pub fn is_packed_fst(start: &[u8]) -> bool {
    start.starts_with(&[254, 0, 0, 0])
}

/// Whether a file that starts with these bytes is GHW.
pub fn is_ghw(start: &[u8]) -> bool {
    start.starts_with(b"GHDLwave")
}

/// The format of a file that starts with these bytes, if it is none that is read here.
///
/// Formats without a published signature are told by the end of the name, where the contents are no text.
pub fn foreign(start: &[u8], path: &Path) -> Option<&'static str> {
    const FSDB: &str = "an FSDB file; convert it with fsdb2vcd";
    if start.get(8..12) == Some(&[4, 3, 2, 1]) {
        return Some(FSDB);
    }
    if start.starts_with(&[0x13, 0x80, 0, 1]) {
        return Some("an LXT2 file; convert it with lxt2vcd");
    }
    if start.starts_with(&[0x01, 0x38, 0]) {
        return Some("an LXT file; open it in GTKWave, which writes it as a VCD file");
    }
    if start.starts_with(b"VZ\0\x01") {
        return Some("a VZT file; convert it with vzt2vcd");
    }
    let is_text =
        |byte: &u8| matches!(byte, b'\t' | b'\n' | 0x0b | 0x0c | b'\r' | b' '..=b'~' | 0x80..);
    let compressed =
        start.starts_with(&[0x1f, 0x8b]) || start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    if start.iter().all(is_text) || compressed {
        return None;
    }
    let end = path.extension()?.to_str()?.to_ascii_lowercase();
    Some(match end.as_str() {
        "fsdb" => FSDB,
        "wlf" => "a WLF file; convert it with wlf2vcd",
        "vpd" => "a VPD file; convert it with vpd2vcd",
        "shm" | "trn" | "dsn" => "an SHM database; convert it with simvisdbutil -vcd",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_their_contents_and_else_by_their_names() {
        for (start, path, word) in [
            (&b"\0\0\0\0\0\0\x01\x49\0\0"[..], "a.vcd", None),
            (b"\0\0\0\0\0\0\0\x01\x49\0\0", "a.vcd", None),
            (b"\xfe\0\0\0\0\0\0\x01\x49\0\0", "a.vcd", None),
            (b"GHDLwave\n\x10\0\0\x01", "-", None),
            (b"abcdefgh\x04\x03\x02\x01", "a", Some("FSDB")),
            (b"\x13\x80\0\x01\0", "a", Some("LXT2")),
            (b"\x01\x38\0\x04\0", "a", Some("LXT ")),
            (b"VZ\0\x01\0", "a", Some("VZT")),
            (b"\x01\x02", "a.wlf", Some("WLF")),
            (b"\x01\x02", "a.VPD", Some("VPD")),
            (b"\x01\x02", "waves.shm", Some("SHM")),
            (b"\x01\x02", "a.vcd", None),
            // Whatever it is called, a text is read.
            (b"$date now $end\n", "a.fst", None),
            (b"\xef\xbb\xbf$date", "a.wlf", None),
            (b"\x1f\x8b\x08\0", "a.shm", None),
            (b"", "a.wlf", None),
        ] {
            let found = foreign(start, path.as_ref());
            match word {
                Some(word) => assert!(
                    found.is_some_and(|text| text.contains(word)),
                    "{path}: {found:?}"
                ),
                None => assert_eq!(found, None, "{path}"),
            }
        }
    }
}
