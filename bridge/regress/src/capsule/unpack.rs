//! Reads capsules, which may come from anywhere.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use serde_json::Value;
use tar::{Archive, EntryType};
use zstd::Decoder;

use super::archive::copy_hashed;
use super::{Capsule, CapsuleError, Entry, FORMAT, MANIFEST, MOST, stays_inside};

/// What every file of Zstandard begins with.
const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// Bytes of a manifest, at most.
const MANIFEST_MOST: u64 = 16 << 20;
/// Files of a capsule, at most.
const FILES_MOST: usize = 100_000;
/// Bytes behind the last file, at most.
const REST: u64 = 1 << 20;

/// Whether a file can be a capsule and no recorded stimulus, by its first bytes.
pub fn is_capsule(path: &Path) -> bool {
    let mut bytes = [0; MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut bytes));
    read.is_ok() && bytes == MAGIC
}

/// The manifest of a capsule alone.
///
/// # Errors
/// It is none, or it cannot be read.
pub fn manifest(path: &Path) -> Result<Capsule, CapsuleError> {
    let mut archive = open(path)?;
    let mut entries = archive.entries().map_err(CapsuleError::read(path))?;
    first(path, &mut entries)
}

/// One file of a capsule, if it has that and it is what the manifest says.
///
/// # Errors
/// It is no capsule, or it cannot be read.
pub fn file(path: &Path, wanted: &str) -> Result<Option<Vec<u8>>, CapsuleError> {
    let mut archive = open(path)?;
    let mut entries = archive.entries().map_err(CapsuleError::read(path))?;
    let capsule = first(path, &mut entries)?;
    let Some(listed) = capsule.files.iter().find(|file| file.name == wanted) else {
        return Ok(None);
    };
    for entry in entries {
        let mut entry = entry.map_err(CapsuleError::read(path))?;
        if name(&entry).map_err(CapsuleError::read(path))? == wanted {
            let mut bytes = Vec::new();
            let mut from = (&mut entry).take(listed.size.saturating_add(1));
            let copied = copy_hashed(&mut from, &mut bytes).map_err(CapsuleError::read(path))?;
            let is_whole = copied == (listed.size, listed.hash.clone());
            return Ok(is_whole.then_some(bytes));
        }
    }
    Ok(None)
}

/// Unpacks a capsule into an empty folder, and checks every file.
///
/// # Errors
/// It is none, is cut or damaged, of another version, or has a file that leads out of the folder; or the folder cannot be
/// written.
pub fn unpack(path: &Path, folder: &Path) -> Result<Capsule, CapsuleError> {
    let damaged = |why: String| CapsuleError::Damaged {
        path: path.into(),
        why,
    };
    let cut = |error: io::Error| damaged(error.to_string());
    let mut archive = open(path)?;
    let mut entries = archive.entries().map_err(CapsuleError::read(path))?;
    let capsule = first(path, &mut entries)?;
    check(&capsule).map_err(damaged)?;
    let mut expected = capsule.files.iter();
    for entry in entries {
        let mut entry = entry.map_err(cut)?;
        let found = name(&entry).map_err(cut)?;
        let Some(file) = expected.next() else {
            return Err(damaged(format!(
                "it has {found:?}, which its manifest does not list"
            )));
        };
        if file.name != found || entry.header().entry_type() != EntryType::Regular {
            return Err(damaged(format!(
                "expected the file {:?}, found {found:?}",
                file.name
            )));
        }
        let place = folder.join(&file.name);
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(CapsuleError::write(parent))?;
        }
        let mut to = File::create_new(&place).map_err(CapsuleError::write(&place))?;
        // Of an entry that is larger than it should be no more than a byte.
        let mut from = (&mut entry).take(file.size + 1);
        let copied = copy_hashed(&mut from, &mut to).map_err(cut)?;
        if copied != (file.size, file.hash.clone()) {
            return Err(damaged(format!("{found:?} is not what its manifest says")));
        }
    }
    if let Some(missing) = expected.next() {
        return Err(damaged(format!("{:?} is missing", missing.name)));
    }
    // The checksum is at the end.
    let mut rest = archive.into_inner().take(REST);
    io::copy(&mut rest, &mut io::sink()).map_err(cut)?;
    match rest.limit() {
        0 => Err(damaged("there is more behind its last file".into())),
        _ => Ok(capsule),
    }
}

/// What capsules are read with.
type Opened = Decoder<'static, BufReader<File>>;

fn open(path: &Path) -> Result<Archive<Opened>, CapsuleError> {
    let failed = CapsuleError::read(path);
    let file = File::open(path).map_err(&failed)?;
    if !is_capsule(path) {
        return Err(foreign(
            path,
            "a file that is not compressed with Zstandard",
        ));
    }
    let decoder = Decoder::new(file).map_err(&failed)?;
    Ok(Archive::new(decoder.single_frame()))
}

fn foreign(path: &Path, found: &str) -> CapsuleError {
    CapsuleError::Foreign {
        path: path.into(),
        found: found.into(),
    }
}

fn name(entry: &tar::Entry<'_, Opened>) -> io::Result<String> {
    let name = entry.path_bytes().into_owned();
    String::from_utf8(name).map_err(|_| io::Error::other("a name that is no text"))
}

/// The manifest, the first of the files.
fn first(path: &Path, entries: &mut tar::Entries<'_, Opened>) -> Result<Capsule, CapsuleError> {
    let no_manifest = || foreign(path, "an archive that does not begin with capsule.json");
    let damaged = |why: String| CapsuleError::Damaged {
        path: path.into(),
        why,
    };
    let entry = match entries.next() {
        None => return Err(no_manifest()),
        Some(Err(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(damaged(error.to_string()));
        }
        Some(Err(_)) => return Err(foreign(path, "something compressed that is no archive")),
        Some(Ok(entry)) => entry,
    };
    if entry.path_bytes().as_ref() != MANIFEST.as_bytes() {
        return Err(no_manifest());
    }
    if entry.size() > MANIFEST_MOST {
        return Err(damaged(format!("its manifest has {} bytes", entry.size())));
    }
    let mut text = String::new();
    let mut entry = entry.take(MANIFEST_MOST);
    entry
        .read_to_string(&mut text)
        .map_err(|error| damaged(error.to_string()))?;
    let json: Value =
        serde_json::from_str(&text).map_err(|error| damaged(format!("{MANIFEST}: {error}")))?;
    match json["format"].as_u64() {
        Some(format) if format == u64::from(FORMAT) => {}
        Some(found) => {
            return Err(CapsuleError::Format {
                path: path.into(),
                found,
            });
        }
        None => return Err(no_manifest()),
    }
    serde_json::from_value(json).map_err(|error| damaged(format!("{MANIFEST}: {error}")))
}

/// Checks what a manifest lists before anything is written.
fn check(capsule: &Capsule) -> Result<(), String> {
    let files = &capsule.files;
    if files.len() > FILES_MOST {
        return Err(format!(
            "it lists {} files, more than {FILES_MOST}",
            files.len()
        ));
    }
    let size = files
        .iter()
        .fold(0u64, |sum, file| sum.saturating_add(file.size));
    if size > MOST {
        return Err(format!("it lists {size} bytes, more than {MOST}"));
    }
    let names: BTreeSet<_> = files.iter().map(|file| &file.name).collect();
    if names.len() < files.len() {
        return Err("it lists a file twice".into());
    }
    let leads_out = |file: &&Entry| !stays_inside(&file.name) || file.name == MANIFEST;
    match files.iter().find(leads_out) {
        Some(file) => Err(format!("{:?} is no name of a file of a capsule", file.name)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
