//! A thread that makes what is temporary while its process ends. In a process of its own: what it abandons is all there is.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use lockstep_scratch::{ScratchFile, abandon};

/// A thread that makes one after another while its process ends leaves none, whenever that is.
#[test]
fn what_is_made_while_a_process_ends_does_not_stay() {
    for round in 0..200 {
        let parent = tempfile::tempdir().expect("a folder");
        let place = parent.path().to_owned();
        let ends = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&ends);
        let maker = thread::spawn(move || {
            let mut made = Vec::new();
            while !ended.load(Ordering::SeqCst) {
                made.push(ScratchFile::new_in(&place));
            }
        });
        thread::sleep(Duration::from_micros(round % 20 * 10));
        let abandoned = abandon();
        let left = fs::read_dir(parent.path()).expect("read").count();
        ends.store(true, Ordering::SeqCst);
        drop(abandoned);
        maker.join().expect("made");
        assert_eq!(left, 0, "in round {round}");
    }
}
