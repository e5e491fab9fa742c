//! Running the design: on the thread of the comparison, or on one of its own, where it runs a batch while the one
//! before is given to the model and compared, and the next one is made.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::batch::Batch;
use crate::dut::{Dut, Stop};

/// Batches that may be on their way to and from the design's thread. Two are enough on a machine with nothing else to
/// do; the others last for some milliseconds while another process has the processor of one of the threads, so that the
/// other thread need not wait for it.
const AHEAD: usize = 16;

/// How long the comparison sleeps when no batch is ready: a few batches, and much less than those on their way. A sleeper
/// that looks again by itself costs the design's thread nothing; to wake one costs it microseconds in every batch.
const NAP: Duration = Duration::from_micros(100);

/// Takes batches and gives them back in order, with what the design made of them.
pub enum Runner {
    /// On the caller's thread.
    Inline {
        /// The design.
        dut: Box<dyn Dut>,
        /// The batch that was run.
        ready: Option<Box<Batch>>,
    },
    /// On a thread of its own.
    Threaded(Pipeline),
    /// Where it runs anyway, in a process of its own.
    Elsewhere {
        /// The design.
        dut: Box<dyn Dut>,
        /// The batches on their way.
        posted: VecDeque<Batch>,
        /// How many there may be.
        depth: usize,
    },
}

/// Batches on their way to a process, where the command is to use one processor: so many that the two take turns rarely,
/// and so few that they stay in the caches.
const FEW: usize = 4;

impl Runner {
    /// Runs `dut` here, or with `threads` of 2 or more on a thread of its own. One that runs elsewhere does so.
    pub fn new(dut: Box<dyn Dut>, threads: usize) -> Self {
        let ahead = dut.ahead();
        if ahead > 0 {
            let depth = if threads < 2 { FEW } else { AHEAD };
            Self::Elsewhere {
                dut,
                posted: VecDeque::new(),
                depth: depth.min(ahead),
            }
        } else if threads < 2 {
            Self::Inline { dut, ready: None }
        } else {
            Self::Threaded(Pipeline::new(dut))
        }
    }

    /// How many batches may be on their way.
    pub fn depth(&self) -> usize {
        match self {
            Self::Inline { .. } => 1,
            Self::Threaded(_) => AHEAD,
            Self::Elsewhere { depth, .. } => *depth,
        }
    }

    /// Sends a batch off; no more than [`Runner::depth`] at a time.
    ///
    /// # Panics
    /// If the design's thread has panicked.
    pub fn send(&mut self, mut batch: Batch) {
        match self {
            Self::Inline { dut, ready } => {
                batch.drive(dut.as_mut());
                *ready = Some(Box::new(batch));
            }
            Self::Threaded(pipeline) => pipeline.send(batch),
            Self::Elsewhere { dut, posted, .. } => {
                batch.post(dut.as_mut());
                posted.push_back(batch);
            }
        }
    }

    /// The batch that was sent first.
    ///
    /// # Panics
    /// If none was sent, or the design's thread has panicked.
    pub fn receive(&mut self) -> Batch {
        match self {
            Self::Inline { ready, .. } => *ready.take().expect("a batch was sent"),
            Self::Threaded(pipeline) => pipeline.receive(),
            Self::Elsewhere { dut, posted, .. } => {
                let mut batch = posted.pop_front().expect("a batch was sent");
                batch.take(dut.as_mut());
                batch
            }
        }
    }

    /// Takes the design down, when nothing is on its way.
    ///
    /// # Errors
    /// That ended its process.
    pub fn finish(&mut self) -> Result<(), Stop> {
        match self {
            Self::Inline { dut, .. } | Self::Elsewhere { dut, .. } => dut.finish(),
            Self::Threaded(pipeline) => pipeline.finish(),
        }
    }
}

/// A design that is run by another thread.
pub struct Pipeline {
    to: Option<Sender<Batch>>,
    from: Receiver<Batch>,
    worker: Option<JoinHandle<Result<(), Stop>>>,
}

impl Pipeline {
    fn new(mut dut: Box<dyn Dut>) -> Self {
        let (to, batches) = channel::<Batch>();
        let (done, from) = channel();
        let worker = thread::spawn(move || {
            for mut batch in batches {
                batch.drive(dut.as_mut());
                if done.send(batch).is_err() {
                    break;
                }
            }
            dut.finish()
        });
        Self {
            to: Some(to),
            from,
            worker: Some(worker),
        }
    }

    fn send(&self, batch: Batch) {
        let to = self.to.as_ref().expect("open until dropped");
        to.send(batch)
            .expect("the design's thread lives as long as the pipeline");
    }

    fn receive(&self) -> Batch {
        loop {
            match self.from.try_recv() {
                Ok(batch) => return batch,
                Err(TryRecvError::Empty) => thread::sleep(NAP),
                Err(TryRecvError::Disconnected) => {
                    panic!("the design's thread lives as long as the pipeline")
                }
            }
        }
    }
}

impl Pipeline {
    fn finish(&mut self) -> Result<(), Stop> {
        self.to = None;
        match self.worker.take().map(JoinHandle::join) {
            Some(Ok(finished)) => finished,
            // A design that panicked has been noticed by whoever waited for it.
            Some(Err(_)) | None => Ok(()),
        }
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let _ = self.finish();
    }
}
