//! DUT-41: a supervisor on another thread sees whether the design is alive.
#![cfg(feature = "shared")]

mod common;

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use common::{HANG, SIZES, counter, inputs};

#[test]
fn progress_counts_completed_cycles() {
    let mut dut = counter().create_traced().expect("created");
    let progress = dut.progress();
    let mut outputs = vec![0; 5 * SIZES.output];
    dut.run(&inputs(&[1; 5]), &mut outputs).expect("goes on");
    assert_eq!(progress.load(Ordering::Relaxed), 5);
    drop(dut);
    assert_eq!(progress.load(Ordering::Relaxed), 5);
}

#[test]
fn progress_stands_still_at_the_cycle_that_hangs() {
    let mut dut = counter().create_traced().expect("created");
    let progress = dut.progress();
    // This thread never ends; the process does not wait for it.
    thread::spawn(move || {
        let mut outputs = vec![0; 4 * SIZES.output];
        dut.run(&inputs(&[1, 1, 1, HANG]), &mut outputs)
    });
    while progress.load(Ordering::Relaxed) < 3 {
        thread::yield_now();
    }
    thread::sleep(Duration::from_millis(200));
    assert_eq!(progress.load(Ordering::Relaxed), 3);
}
