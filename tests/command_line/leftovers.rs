//! What a process that was killed left is removed by the next one, and what one that lives has stays.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use pmu_lockstep::scratch::{ScratchFile, ScratchFolder, is_scratch};

use crate::command::{lockstep, run};
use crate::scratch::scratch;

/// The temporary names in a folder.
fn temporary(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let entries = entries.map(|entry| entry.expect("readable"));
    let entries = entries.filter(|entry| is_scratch(&entry.file_name()));
    entries.map(|entry| entry.path()).collect()
}

#[test]
fn the_next_command_removes_what_a_dead_one_left() {
    let folder = scratch("command_line/leftovers");
    let places = ["tmp", "out", "records", "pages"].map(|name| folder.join(name));
    // One folder and one file of somebody who lives, and of somebody who does not.
    let live: Vec<_> = places
        .iter()
        .map(|place| {
            fs::create_dir(place).expect("made");
            let folder = ScratchFolder::new_in(place).expect("made");
            let file = ScratchFile::new_in(place).expect("made");
            for (dead, name) in [(true, "000000000000"), (false, "111111111111")] {
                let path = place.join(format!(".lockstep-scratch-{name}"));
                match dead {
                    true => {
                        fs::create_dir(path.join("")).and_then(|()| fs::write(path.join("a"), "a"))
                    }
                    false => fs::write(path, "half"),
                }
                .expect("made");
            }
            (folder, file)
        })
        .collect();
    let words =
        "run --cycles 100 --threads 1 --out out --record records/a.stim --html pages/a.html";
    let mut command = lockstep(&folder);
    let ran = run(command
        .args(words.split(' '))
        .env("TMPDIR", folder.join("tmp")));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for (place, (folder, file)) in places.iter().zip(&live) {
        let mut expected = [folder.path(), file.path()];
        let mut left = temporary(place);
        expected.sort();
        left.sort();
        assert_eq!(left, expected);
    }
}

/// A command that does not know of interrupts leaves nothing half written.
#[test]
fn an_interrupted_export_leaves_nothing() {
    let folder = scratch("command_line/interrupted_export");
    let mut command = lockstep(&folder);
    command.args([
        "stimulus",
        "export",
        "--cycles",
        "1000000000",
        "-o",
        "a.hex",
    ]);
    let mut child = command.stderr(Stdio::null()).spawn().expect("started");
    let limit = Instant::now() + Duration::from_secs(60);
    while temporary(&folder).is_empty() && Instant::now() < limit {
        sleep(Duration::from_millis(5));
    }
    assert_eq!(temporary(&folder).len(), 1);
    let mut kill = Command::new("kill");
    let sent = kill.args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    assert_eq!(child.wait().expect("ended").code(), Some(130));
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
}
