//! Where a library reads a dump: in a thread of its own, some batches ahead, so that a panic in it is an error.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::panic;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Once};
use std::thread::{Builder, JoinHandle, current};

use lockstep_vcd::{Header, SignalId};

use crate::batch::Batch;

/// The name of the threads.
const NAME: &str = "dump-reader";

/// Batches that are read ahead.
const AHEAD: usize = 16;

/// Bytes from which on a batch is full.
pub(crate) const FULL: usize = 1 << 18;

/// Starts `run` in a thread whose panics are told by who joins it, and by nobody else.
pub(crate) fn spawn<T: Send + 'static>(
    run: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if current().name() != Some(NAME) {
                others(info);
            }
        }));
    });
    Builder::new().name(NAME.to_owned()).spawn(run)
}

/// A file that is read from a place of its own, and counted.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    file: Arc<File>,
    read: Arc<AtomicU64>,
}

impl Input {
    /// Reads `file`; `read` counts its bytes.
    pub fn new(file: File, read: Arc<AtomicU64>) -> Self {
        let file = Arc::new(file);
        Self { file, read }
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = (&*self.file).read(buffer)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

impl Seek for Input {
    fn seek(&mut self, place: io::SeekFrom) -> io::Result<u64> {
        (&*self.file).seek(place)
    }
}

/// The signals of the file that `signals` are made of, by their numbers in its declarations, in order.
pub(crate) fn parts(header: &Header, signals: impl IntoIterator<Item = SignalId>) -> Vec<usize> {
    let signals = signals.into_iter();
    let parts = signals.flat_map(|signal| header.file_signals(signal));
    let mut parts: Vec<_> = parts.map(SignalId::index).collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

/// Takes the batches that are read, and gives their memory back: to ask the system for all of it takes as long as to
/// read it.
pub(crate) struct Outlet {
    full: SyncSender<Batch>,
    shown: Receiver<Batch>,
}

impl Outlet {
    /// Sends a batch, which is empty then; whether somebody takes it.
    pub fn send(&self, batch: &mut Batch) -> bool {
        let next = self.shown.try_recv();
        let next = next.unwrap_or_else(|_| Batch::with_room(FULL + FULL / 8));
        self.full.send(std::mem::replace(batch, next)).is_ok()
    }
}

/// The thread of the library.
#[derive(Debug)]
struct Reading<E> {
    batches: Receiver<Batch>,
    shown: Sender<Batch>,
    thread: JoinHandle<Result<(), E>>,
}

/// The batches that a thread reads, and the one that is shown.
#[derive(Debug)]
pub(crate) struct Ahead<E> {
    reading: Option<Reading<E>>,
    /// The batch that is shown.
    pub batch: Batch,
    /// How far it has been shown.
    pub place: usize,
    /// Nothing comes any more.
    pub ended: bool,
}

impl<E> Default for Ahead<E> {
    fn default() -> Self {
        Self {
            reading: None,
            batch: Batch::default(),
            place: 0,
            ended: false,
        }
    }
}

impl<E> Ahead<E> {
    /// Forgets what was read. The thread ends: it shares the place in the file with the next one.
    pub fn stop(&mut self) {
        if let Some(Reading {
            batches, thread, ..
        }) = self.reading.take()
        {
            drop(batches);
            let _result = thread.join();
        }
        (self.batch, self.place, self.ended) = (Batch::default(), 0, false);
    }
}

impl<E: From<io::Error> + Send + 'static> Ahead<E> {
    /// Takes the next batch; false at the end. `read` sends all batches, until nobody takes them; it is started when the
    /// first one is wanted. `panicked` is why it ended, if by a panic.
    ///
    /// # Errors
    /// That of `read`, when all that it sent before has been taken.
    pub fn next<R>(
        &mut self,
        read: impl FnOnce() -> R,
        panicked: impl FnOnce() -> E,
    ) -> Result<bool, E>
    where
        R: FnOnce(Outlet) -> Result<(), E> + Send + 'static,
    {
        let reading = match self.reading.take() {
            Some(reading) => reading,
            None => {
                let (full, batches) = sync_channel(AHEAD);
                let (shown, given_back) = channel();
                let outlet = Outlet {
                    full,
                    shown: given_back,
                };
                let read = read();
                Reading {
                    batches,
                    shown,
                    thread: spawn(move || read(outlet))?,
                }
            }
        };
        self.place = 0;
        if let Ok(batch) = reading.batches.recv() {
            let mut shown = std::mem::replace(&mut self.batch, batch);
            shown.clear();
            // The last batches are not wanted any more, and a large one would stay large.
            let _ = shown.room() > 2 * FULL || reading.shown.send(shown).is_err();
            self.reading = Some(reading);
            return Ok(true);
        }
        self.batch = Batch::default();
        self.ended = true;
        let ended = reading.thread.join();
        ended.unwrap_or_else(|_| Err(panicked())).map(|()| false)
    }
}

impl<E> Drop for Ahead<E> {
    fn drop(&mut self) {
        self.stop();
    }
}
