//! The end of a command that finds no memory, or no thread: with a message and the code of the machine's faults, where Rust
//! aborts or panics, and may wait for a lock of its own if a backtrace is wanted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{panic, process};

use crate::verdict::Verdict;

/// The system's memory.
pub struct Memory;

/// This process is that of a command. One of a design aborts: that is a crash of the design, whose memory it is.
static IS_A_COMMAND: AtomicBool = AtomicBool::new(false);
static IS_ENDING: AtomicBool = AtomicBool::new(false);

const NO_MEMORY: &str = "lockstep: expected memory, found none: make room, or raise the limits of the shell (ulimit -a)\n";
const NO_THREAD: &str =
    "lockstep: expected another thread, found none: raise the limits of the shell (ulimit -a)\n";
/// Begins what the standard library says of a thread that it cannot start.
const NOT_SPAWNED: &str = "failed to spawn thread";

/// Has this process end with a message where it finds no memory, or no thread.
pub fn is_a_command() {
    IS_A_COMMAND.store(true, Ordering::Relaxed);
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let message = info.payload().downcast_ref::<String>();
        match message.is_some_and(|message| message.starts_with(NOT_SPAWNED)) {
            true => end(NO_THREAD),
            false => before(info),
        }
    }));
}

fn end(message: &str) -> ! {
    // What runs at the end of a process may want more, too.
    if !IS_A_COMMAND.load(Ordering::Relaxed) || IS_ENDING.swap(true, Ordering::Relaxed) {
        process::abort();
    }
    let _ = rustix::io::write(rustix::stdio::stderr(), message.as_bytes());
    process::exit(Verdict::Infrastructure.exit_code().into())
}

/// Ends the process, unless there is memory.
fn there(memory: *mut u8) -> *mut u8 {
    match memory.is_null() {
        true => end(NO_MEMORY),
        false => memory,
    }
}

// SAFETY: the system's allocator, which keeps its contract; what it does not give is not returned.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: that of the caller.
        there(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: that of the caller.
        there(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: that of the caller.
        there(unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: that of the caller.
        unsafe { System.dealloc(memory, layout) };
    }
}
