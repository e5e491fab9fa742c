//! The end of a command that finds no memory, or no thread: with a message and the code of the machine's faults, where Rust
//! aborts or panics, and may wait for a lock of its own if a backtrace is wanted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;
use std::{panic, process, thread};

use crate::verdict::Verdict;

/// The system's memory.
pub struct Memory;

/// This process is that of a command. One of a design aborts: that is a crash of the design, whose memory it is.
static IS_A_COMMAND: AtomicBool = AtomicBool::new(false);
/// The thread that ends the process, 0 if none does.
static ENDING: AtomicI32 = AtomicI32::new(0);

const NO_MEMORY: &str = "lockstep: expected memory, found none: make room, or raise the limits of the shell (ulimit -a)\n";
const NO_THREAD: &str =
    "lockstep: expected another thread, found none: raise the limits of the shell (ulimit -a)\n";
/// Begins what the standard library says of a thread that it cannot start.
const NOT_SPAWNED: &str = "failed to spawn thread";
/// The same of one that has started, and finds no memory for its signals.
const NO_STACK: &str = "failed to allocate an alternative stack";

/// Has this process end with a message where it finds no memory, or no thread.
pub fn is_a_command() {
    IS_A_COMMAND.store(true, Ordering::Relaxed);
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let message = info.payload().downcast_ref::<String>();
        match message.map(String::as_str).unwrap_or_default() {
            message if message.starts_with(NOT_SPAWNED) => end(NO_THREAD),
            message if message.starts_with(NO_STACK) => end(NO_MEMORY),
            _ => before(info),
        }
    }));
}

fn end(message: &str) -> ! {
    let own = rustix::thread::gettid().as_raw_nonzero().get();
    let ending = ENDING.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed);
    // What runs at the end of a process may want more, too.
    if !IS_A_COMMAND.load(Ordering::Relaxed) || ending == Err(own) {
        process::abort();
    }
    // Threads that find none at the same time leave it to the first.
    while ending.is_err() {
        thread::sleep(Duration::from_secs(1));
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
