//! Writes capsules: the same bytes for the same files.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tar::{EntryType, Header};
use twox_hash::XxHash3_128;
use zstd::Encoder;

use super::{Capsule, CapsuleError, Entry, MANIFEST};

/// Bytes of all files of a capsule, at most.
pub const MOST: u64 = 4 << 30;

/// How much is read at a time.
const PIECE: usize = 1 << 16;

/// Files of a capsule that is to be written.
#[derive(Debug, Default)]
pub struct Packer {
    files: Vec<(Entry, PathBuf)>,
}

impl Packer {
    /// Adds a file. One that is not there, or with which the capsule would be too large, is none.
    ///
    /// # Returns
    /// Whether it is there.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn add(&mut self, name: &str, path: &Path) -> Result<bool, CapsuleError> {
        let Ok(found) = std::fs::metadata(path) else {
            return Ok(false);
        };
        let all: u64 = self.files.iter().map(|(entry, _)| entry.size).sum();
        if !found.is_file() || all + found.len() > MOST {
            return Ok(false);
        }
        let (size, hash) = File::open(path)
            .and_then(|mut file| copy_hashed(&mut file, &mut io::sink()))
            .map_err(CapsuleError::read(path))?;
        let name = name.to_owned();
        self.files.push((Entry { name, size, hash }, path.into()));
        Ok(true)
    }

    /// Writes the capsule.
    ///
    /// # Errors
    /// A file has changed since it was added, or those of `to`.
    pub fn write(mut self, capsule: Capsule, to: &mut dyn Write) -> io::Result<()> {
        self.files
            .sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
        let capsule = Capsule {
            files: self.files.iter().map(|(entry, _)| entry.clone()).collect(),
            ..capsule
        };
        let mut manifest = serde_json::to_string_pretty(&capsule)?;
        manifest.push('\n');
        let mut encoder = Encoder::new(to, zstd::DEFAULT_COMPRESSION_LEVEL)?;
        encoder.include_checksum(true)?;
        let mut tar = tar::Builder::new(encoder);
        let mut add = |name: &str, size: u64, from: &mut dyn Read| {
            let mut header = Header::new_gnu();
            header.set_entry_type(EntryType::Regular);
            header.set_size(size);
            header.set_mode(0o644);
            header.set_mtime(0);
            header.set_uid(0);
            header.set_gid(0);
            tar.append_data(&mut header, name, from)
        };
        add(MANIFEST, manifest.len() as u64, &mut manifest.as_bytes())?;
        for (entry, path) in &self.files {
            // What was hashed is what is written, or the capsule is damaged, which it says when it is read.
            let mut from = File::open(path)?.take(entry.size);
            if from.get_ref().metadata()?.len() != entry.size {
                let changed = format!("{} changes while it is read", path.display());
                return Err(io::Error::other(changed));
            }
            add(&entry.name, entry.size, &mut from)?;
        }
        tar.into_inner()?.finish().map(|_| ())
    }
}

/// Copies all of `from`.
///
/// # Returns
/// How many bytes, and their hash.
///
/// # Errors
/// Those of both.
pub(super) fn copy_hashed(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<(u64, String)> {
    let mut hasher = XxHash3_128::new();
    let mut piece = vec![0; PIECE];
    let mut size = 0;
    loop {
        let read = match from.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.write(&piece[..read]);
        to.write_all(&piece[..read])?;
        size += read as u64;
    }
    Ok((size, format!("{:032x}", hasher.finish_128())))
}
