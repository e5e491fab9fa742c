//! The folder of finished libraries, and what else is kept there to build faster.
//!
//! | there | what |
//! |---|---|
//! | `designs/<key>-<sum>/` | a library, Verilator's warnings, and a manifest that has the hashes of both and of all sources |
//! | `run_time/` | objects of Verilator's run time |
//! | `locks/` | a lock for each key, held by whoever builds it |
//! | `rtl-<hash>/`, `tools/` | what others keep there: RTL that is unpacked, and Verilator |
//!
//! An entry appears under its name when it is whole. It is checked by its hashes each time that it is asked for; one that
//! is damaged is removed and built again. Hashes tell accidents, not attacks: who can write here can run code as whoever
//! uses it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use lockstep_scratch::{ScratchFolder, is_scratch, sweep};

use crate::compile::Hash;
use crate::held::{hold, seize};
use crate::places::Places;
use crate::source_file::{content_hash, open};

/// Name of the library in an entry.
pub(crate) const LIBRARY: &str = "dut.so";
/// Name of the file with the warnings of its build; it is not there if there were none.
pub(crate) const WARNINGS: &str = "warnings";
const MANIFEST: &str = "manifest";
const FORMAT: &str = "lockstep cache entry 1";
const DESIGNS: &str = "designs";
const RUN_TIME: &str = "run_time";
const LOCKS: &str = "locks";
const TOOLS: &str = "tools";
const RTL: &str = "rtl-";

/// The folder of finished libraries. It need not be there yet.
#[derive(Clone, Debug)]
pub struct Cache(PathBuf);

/// What an entry's manifest says, in lines of a word and a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The design in words, for people.
    pub what: String,
    pub compiler: String,
    /// Hash of the library.
    pub library: String,
    /// Hash of the warnings, if there were any.
    pub warnings: Option<String>,
    /// Hash of each file of the design, and what it is called inside.
    pub sources: Vec<(String, String)>,
}

impl Facts {
    fn to_text(&self) -> String {
        let mut text = format!("{FORMAT}\n");
        let mut line = |word: &str, value: &str| {
            text += &format!("{word} {}\n", value.replace(char::is_control, " "));
        };
        line("what", &self.what);
        line("compiler", &self.compiler);
        line("library", &self.library);
        if let Some(hash) = &self.warnings {
            line("warnings", hash);
        }
        for (hash, name) in &self.sources {
            line("source", &format!("{hash} {name}"));
        }
        let sum = Hash::new().text(&text).finish();
        text + &format!("sum {sum}\n")
    }

    /// The name of the folder of an entry with these facts.
    fn entry_name(&self, key: &str) -> String {
        let sum = Hash::new().text(&self.to_text()).finish();
        format!("{key}-{}", &sum[..16])
    }

    /// # Errors
    /// What is wrong with the file, in words.
    fn read(path: &Path) -> Result<Self, String> {
        let mut text = Vec::new();
        open(path)
            .and_then(|mut file| file.read_to_end(&mut text))
            .map_err(|error| format!("manifest cannot be read ({error})"))?;
        let text = String::from_utf8_lossy(&text);
        let whole = text
            .rsplit_once("sum ")
            .filter(|(body, sum)| Hash::new().text(body).finish() == sum.trim_end());
        let mut facts = Self::default();
        let Some((body, _)) = whole else {
            return Err("manifest was changed".into());
        };
        for line in body.lines() {
            let (word, value) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "what" => facts.what = value.into(),
                "compiler" => facts.compiler = value.into(),
                "library" => facts.library = value.into(),
                "warnings" => facts.warnings = Some(value.into()),
                "source" => {
                    let (hash, name) = value.split_once(' ').unwrap_or((value, ""));
                    facts.sources.push((hash.into(), name.into()));
                }
                _ => {}
            }
        }
        Ok(facts)
    }

    /// Checks the files that the manifest names.
    fn check(&self, folder: &Path) -> Result<(), String> {
        let library = Some((LIBRARY, &self.library));
        let warnings = self.warnings.as_ref().map(|hash| (WARNINGS, hash));
        for (name, hash) in library.into_iter().chain(warnings) {
            match content_hash(&folder.join(name)) {
                Ok(found) if found == *hash => {}
                Ok(_) => return Err(format!("{name} was changed")),
                Err(error) => return Err(format!("{name} cannot be read ({error})")),
            }
        }
        Ok(())
    }

    /// Whether the design's files are what they were.
    fn is_of(&self, places: &Places) -> bool {
        self.sources.iter().all(|(hash, name)| {
            content_hash(&places.outside(Path::new(name))).is_ok_and(|found| found == *hash)
        })
    }
}

/// An entry that is whole.
#[derive(Debug)]
pub(crate) struct Entry {
    pub path: PathBuf,
    pub facts: Facts,
}

/// An entry that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: expected a built design as it was written, found that {found}: it is removed and built again", path.display())]
pub struct Damage {
    /// Its folder.
    pub path: PathBuf,
    /// What is wrong.
    pub found: String,
}

/// Something that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What kind of thing.
    pub kind: Kind,
    /// What it is, in words.
    pub what: String,
    /// Where it is.
    pub path: PathBuf,
    /// How large it is.
    pub bytes: u64,
    /// When it was last used.
    pub used: SystemTime,
}

/// A kind of things that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A library of a design.
    Design,
    /// An object of Verilator's run time.
    Object,
    /// RTL that was unpacked.
    Rtl,
    /// What an earlier version of this program left.
    Old,
    /// Verilator. It is never pruned: the network may be gone.
    Verilator,
}

/// What may stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// What was not used for longer goes.
    pub older_than: Option<Duration>,
    /// If all is more, what was not used for the longest time goes.
    pub bytes: Option<u64>,
}

/// What was pruned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// What is gone.
    pub removed: Vec<Item>,
    /// What should be gone, but is in use, or cannot be removed.
    pub kept: Vec<Item>,
}

impl Cache {
    /// The cache in this folder.
    pub fn new(folder: &Path) -> Self {
        // Compilers and Verilator run elsewhere. Only the empty path has no absolute one.
        Self(std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()))
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Where objects of Verilator's run time are.
    pub(crate) fn run_time(&self) -> PathBuf {
        self.0.join(RUN_TIME)
    }

    /// Removes what dead processes left.
    pub(crate) fn sweep(&self) {
        sweep(&self.0);
        sweep(&self.run_time());
    }

    /// A folder to build in.
    pub(crate) fn draft(&self) -> io::Result<ScratchFolder> {
        ScratchFolder::new_in(&self.0)
    }

    /// Waits until nobody else builds this key; if somebody does, `waits` is called.
    pub(crate) fn lock(&self, key: &str, waits: impl FnOnce()) -> io::Result<File> {
        let locks = self.0.join(LOCKS);
        fs::create_dir_all(&locks)?;
        // Not to be read: a pipe that somebody has put there would be waited for otherwise.
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let lock = options.open(locks.join(key))?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            waits();
        }
        lock.lock()?;
        Ok(lock)
    }

    /// The entry of a key whose sources are those of now, held until this process ends.
    ///
    /// # Errors
    /// There is one that is damaged.
    pub(crate) fn find(&self, key: &str, places: &Places) -> Result<Option<Entry>, Damage> {
        for path in children(&self.0.join(DESIGNS)) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if !name.starts_with(key) {
                continue;
            }
            let damage = |found: String| Damage {
                path: path.clone(),
                found,
            };
            let facts = match Facts::read(&path.join(MANIFEST)) {
                Ok(facts) => facts,
                // Another process has removed it just now.
                Err(_) if fs::symlink_metadata(&path).is_err() => continue,
                Err(found) => return Err(damage(found)),
            };
            if *name != facts.entry_name(key) {
                return Err(damage("its manifest is one of another".into()));
            }
            if facts.is_of(places) && hold(&path) {
                facts.check(&path).map_err(damage)?;
                return Ok(Some(Entry { path, facts }));
            }
        }
        Ok(None)
    }

    /// Puts a library that was made in `draft` into the cache.
    pub(crate) fn put(
        &self,
        key: &str,
        draft: &ScratchFolder,
        library: &Path,
        warnings: &str,
        facts: Facts,
    ) -> io::Result<Entry> {
        let folder = draft.path().join("entry");
        fs::create_dir(&folder)?;
        let mut facts = facts;
        fs::rename(library, folder.join(LIBRARY))?;
        facts.library = content_hash(&folder.join(LIBRARY))?;
        if !warnings.is_empty() {
            let path = folder.join(WARNINGS);
            fs::write(&path, format!("{warnings}\n"))?;
            facts.warnings = Some(content_hash(&path)?);
        }
        let text = facts.to_text();
        fs::write(folder.join(MANIFEST), &text)?;
        let path = self.0.join(DESIGNS).join(facts.entry_name(key));
        fs::create_dir_all(self.0.join(DESIGNS))?;
        if let Err(error) = fs::rename(&folder, &path)
            && !path.is_dir()
        {
            return Err(error);
        }
        hold(&path);
        Ok(Entry { path, facts })
    }

    /// Removes something in one step, whoever uses it: what is loaded stays loaded.
    ///
    /// # Errors
    /// It cannot be removed.
    pub(crate) fn remove(&self, path: &Path) -> io::Result<()> {
        let grave = self.draft()?;
        match fs::rename(path, grave.path().join("removed")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            moved => moved,
        }
    }

    /// All that is kept, what was used last first.
    pub fn items(&self) -> Vec<Item> {
        let designs = children(&self.0.join(DESIGNS)).into_iter().map(|path| {
            let facts = Facts::read(&path.join(MANIFEST));
            let what = facts.map_or_else(|found| format!("damaged: {found}"), |facts| facts.what);
            item(Kind::Design, what, path)
        });
        let objects = children(&self.run_time()).into_iter();
        let objects = objects.map(|path| item(Kind::Object, "object of the run time".into(), path));
        let others = children(&self.0).into_iter().filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            let is_key =
                |word: &str| word.len() == 32 && word.bytes().all(|b| b.is_ascii_hexdigit());
            let old = name.split_once('.').is_some_and(|(key, _)| is_key(key));
            Some(match &*name {
                TOOLS => item(Kind::Verilator, "Verilator".into(), path),
                _ if name.starts_with(RTL) => item(Kind::Rtl, "the bundled RTL".into(), path),
                _ if old || name.starts_with(".building-") => {
                    item(Kind::Old, "of an earlier version of lockstep".into(), path)
                }
                _ => return None,
            })
        });
        let mut items: Vec<_> = designs.chain(objects).chain(others).collect();
        items.sort_by(|a, b| b.used.cmp(&a.used).then(a.path.cmp(&b.path)));
        items
    }

    /// Removes what is beyond the limits, what was not used for the longest time first. Nothing that a process uses goes.
    pub fn prune(&self, limits: &Limits) -> Pruned {
        self.sweep();
        let now = SystemTime::now();
        let mut items = self.items();
        items.retain(|item| item.kind != Kind::Verilator);
        let mut total: u64 = items.iter().map(|item| item.bytes).sum();
        let mut pruned = Pruned::default();
        while let Some(item) = items.pop() {
            let age = now.duration_since(item.used).unwrap_or_default();
            let old = limits.older_than.is_some_and(|limit| age >= limit);
            let much = limits.bytes.is_some_and(|limit| total > limit);
            if !old && !much {
                continue;
            }
            // Who asks for it from now on builds it again.
            let seized = seize(&item.path);
            if seized.is_some() && self.remove(&item.path).is_ok() {
                total -= item.bytes;
                pruned.removed.push(item);
            } else {
                pruned.kept.push(item);
            }
        }
        // Who waits for one of these may build what another builds: both are right.
        for lock in children(&self.0.join(LOCKS)) {
            if seize(&lock).is_some() {
                let _ = fs::remove_file(lock);
            }
        }
        pruned
    }
}

/// What is in a folder, but for what is being made; nothing, if it is not there.
fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let entries = entries.filter(|entry| !is_scratch(&entry.file_name()));
    entries.map(|entry| entry.path()).collect()
}

fn item(kind: Kind, what: String, path: PathBuf) -> Item {
    let found = fs::symlink_metadata(&path).ok();
    let used = found.and_then(|found| found.modified().ok());
    Item {
        kind,
        what,
        bytes: size(&path),
        used: used.unwrap_or(SystemTime::UNIX_EPOCH),
        path,
    }
}

/// Bytes of a file, or of all files in a folder. Links are not followed.
fn size(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            entries.map(|entry| size(&entry.path())).sum()
        }
        Ok(found) => found.len(),
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::design::Design;

    /// A cache with an entry of each key, used so many hours ago, of 1000 bytes and its manifest.
    fn cache(folder: &Path, entries: &[(&str, u64)]) -> Cache {
        let cache = Cache::new(folder);
        for (key, hours) in entries {
            let draft = cache.draft().expect("a folder");
            let library = draft.path().join("library");
            fs::write(&library, [0; 1000]).expect("written");
            let facts = Facts {
                what: format!("design {key}"),
                ..Facts::default()
            };
            let entry = cache.put(key, &draft, &library, "", facts).expect("put");
            let used = SystemTime::now() - Duration::from_secs(hours * 3600);
            let held = File::open(&entry.path).expect("there");
            held.set_modified(used).expect("its owner may");
        }
        crate::held::let_go(folder);
        cache
    }

    fn whats(items: &[Item]) -> Vec<&str> {
        items.iter().map(|item| item.what.as_str()).collect()
    }

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let facts = Facts {
            what: "module w".into(),
            compiler: "g++ 13".into(),
            library: "ab".into(),
            warnings: Some("cd".into()),
            sources: vec![("01".into(), "a b/sum x.sv".into())],
        };
        let folder = tempfile::tempdir().expect("created");
        let path = folder.path().join("manifest");
        let text = facts.to_text();
        fs::write(&path, &text).expect("written");
        assert_eq!(Facts::read(&path), Ok(facts));
        for damaged in [
            "",
            "text",
            &text[..text.len() / 2],
            &text.replace("ab", "ac"),
        ] {
            fs::write(&path, damaged).expect("written");
            Facts::read(&path).expect_err(damaged);
        }
    }

    #[test]
    fn every_damage_is_found() {
        let folder = tempfile::tempdir().expect("created");
        let cache = Cache::new(folder.path());
        let design = Design {
            sources: vec!["Cargo.toml".into()],
            ..Design::default()
        };
        let places = Places::of(&design).expect("a working directory");
        type Damaging = fn(&Path) -> io::Result<()>;
        let damages: [(&str, &str, Damaging); 10] = [
            (LIBRARY, "dut.so was changed", |path| {
                fs::write(path, &fs::read(path)?[..500])
            }),
            (LIBRARY, "dut.so was changed", |path| {
                let mut bytes = fs::read(path)?;
                bytes[700] ^= 0x10;
                fs::write(path, bytes)
            }),
            (LIBRARY, "dut.so was changed", |path| fs::write(path, "")),
            (LIBRARY, "dut.so was changed", |path| {
                fs::write(path, "text")
            }),
            (LIBRARY, "dut.so cannot be read (No such", |path| {
                fs::remove_file(path)
            }),
            (WARNINGS, "warnings was changed", |path| {
                fs::write(path, "none")
            }),
            (MANIFEST, "manifest was changed", |path| fs::write(path, "")),
            (MANIFEST, "manifest cannot be read (a regular", |path| {
                fs::remove_file(path)?;
                let made = Command::new("mkfifo").arg(path).status()?;
                made.success()
                    .then_some(())
                    .ok_or(io::ErrorKind::Other.into())
            }),
            (MANIFEST, "its manifest is one of another", |path| {
                let facts = Facts::read(path).map_err(io::Error::other)?;
                let what = "another variant".into();
                fs::write(path, Facts { what, ..facts }.to_text())
            }),
            (MANIFEST, "manifest cannot be read (No such", |path| {
                fs::remove_file(path)
            }),
        ];
        for (name, expected, damage) in damages {
            let draft = cache.draft().expect("a folder");
            let library = draft.path().join("library");
            fs::write(&library, [0; 1000]).expect("written");
            let facts = Facts {
                sources: vec![(
                    content_hash(Path::new("Cargo.toml")).expect("read"),
                    "Cargo.toml".into(),
                )],
                ..Facts::default()
            };
            let put = cache.put("key", &draft, &library, "warned", facts);
            let path = put.expect("put").path;
            let found = cache.find("key", &places).expect("whole");
            assert_eq!(found.expect("an entry").path, path);
            damage(&path.join(name)).expect("damaged");
            let found = cache.find("key", &places).expect_err("damaged");
            assert!(found.found.starts_with(expected), "{found}");
            cache.remove(&found.path).expect("removed");
            assert!(cache.find("key", &places).expect("none").is_none());
        }
    }

    #[test]
    fn what_was_not_used_for_the_longest_time_goes_first() {
        let folder = tempfile::tempdir().expect("created");
        let cache = cache(folder.path(), &[("a", 30), ("b", 10), ("c", 20)]);
        assert_eq!(whats(&cache.items()), ["design b", "design c", "design a"]);
        let day = Duration::from_secs(24 * 3600);
        let limits = |older_than, bytes| Limits { older_than, bytes };
        let total = |cache: &Cache| cache.items().iter().map(|item| item.bytes).sum::<u64>();
        assert_eq!(
            whats(&cache.prune(&limits(None, Some(total(&cache)))).removed),
            [""; 0]
        );
        // A process that another test starts has the locks of this one until it runs its program.
        let pruned = |limits: &Limits| {
            for _ in 0..200 {
                let removed = cache.prune(limits).removed;
                if !removed.is_empty() {
                    return whats(&removed).join(", ");
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            String::new()
        };
        assert_eq!(pruned(&limits(Some(day), None)), "design a");
        let limit = limits(None, Some(total(&cache) - 1));
        assert_eq!(pruned(&limit), "design c");
        assert_eq!(whats(&cache.items()), ["design b"]);
    }

    #[test]
    fn what_is_in_use_stays() {
        let folder = tempfile::tempdir().expect("created");
        let cache = cache(folder.path(), &[("a", 30), ("b", 10)]);
        let used = cache.items().pop().expect("an entry").path;
        assert!(hold(&used));
        let pruned = cache.prune(&Limits {
            older_than: Some(Duration::ZERO),
            bytes: None,
        });
        assert_eq!(
            (whats(&pruned.removed), whats(&pruned.kept)),
            (vec!["design b"], vec!["design a"])
        );
        assert!(used.is_dir());
    }
}
