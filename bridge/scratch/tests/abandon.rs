//! A process that ends without dropping what it has. In a process of its own: what it abandons is all there is.

use std::fs;

use lockstep_scratch::{ScratchFile, ScratchFolder, abandon};

#[test]
fn what_has_no_name_yet_goes_and_what_has_one_stays() {
    let parent = tempfile::tempdir().expect("a folder");
    let folder = ScratchFolder::new_in(parent.path()).expect("made");
    fs::write(folder.path().join("half"), "").expect("written");
    let file = ScratchFile::new_in(parent.path()).expect("made");
    let dropped = ScratchFile::new_in(parent.path()).expect("made");
    drop(dropped);
    let kept = ScratchFile::new_in(parent.path()).expect("made");
    kept.keep(&parent.path().join("whole")).expect("renamed");
    drop(abandon());
    let names = fs::read_dir(parent.path()).expect("read");
    let names: Vec<_> = names
        .map(|entry| entry.expect("read").file_name())
        .collect();
    assert_eq!(names, ["whole"]);
    file.keep(&parent.path().join("late"))
        .expect_err("it is gone");
}
