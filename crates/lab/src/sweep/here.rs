//! Runs a sweep on the threads of this process.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use anabranch_sim::{MOST_THREADS, Watcher};

use super::{Batch, BatchError, Progress, Rows, Sweep, SweepError};

/// A finished batch: its rows, the reason why there are none, or the payload of a panic.
type Back = (Batch, thread::Result<Result<Rows, BatchError>>);

/// Runs the missing runs on `threads` threads, or as many as the system allows, until every point has enough runs or
/// `watcher` is cancelled; finished runs are kept either way. Calls `on_progress` whenever rows are kept.
///
/// # Errors
/// A run or its row fails; earlier rows are kept.
pub fn run_here(
    sweep: &mut Sweep,
    threads: NonZeroUsize,
    watcher: &Watcher,
    on_progress: impl FnMut(Progress),
) -> Result<(), SweepError> {
    let (to_do, queue) = channel::<Batch>();
    let (back, came_back) = channel::<Back>();
    let queue = Mutex::new(queue);
    thread::scope(|scope| {
        let start = || {
            let (queue, back) = (&queue, back.clone());
            let work = move || while work_once(queue, &back, watcher) {};
            thread::Builder::new().name("runs".to_owned()).spawn_scoped(scope, work).is_ok()
        };
        let mut workers = WorkerThreads { most: threads.get().min(MOST_THREADS), started: 0, start };
        let work_here = || work_once(&queue, &back, watcher);
        let done = drive(sweep, &mut workers, watcher, &to_do, (&came_back, &work_here), on_progress);
        if done.is_err() {
            watcher.call_off();
        }
        // The threads end when the sender is dropped.
        drop(to_do);
        done
    })
}

/// The worker threads, started as there is work for them.
struct WorkerThreads<F> {
    /// The most threads: as requested, or as many as the system gave.
    most: usize,
    started: usize,
    start: F,
}

impl<F: FnMut() -> bool> WorkerThreads<F> {
    /// Starts another thread for `batches` at a time, if requested and possible.
    fn grow(&mut self, batches: usize) {
        if self.started < self.most.min(batches) {
            if (self.start)() {
                self.started += 1;
            } else {
                self.most = self.started;
            }
        }
    }
}

/// WorkerThreads out one batch more than there are threads for each two of them, so that none waits for the disk.
fn drive(
    sweep: &mut Sweep,
    workers: &mut WorkerThreads<impl FnMut() -> bool>,
    watcher: &Watcher,
    to_do: &Sender<Batch>,
    (came_back, work_here): (&Receiver<Back>, &dyn Fn() -> bool),
    mut on_progress: impl FnMut(Progress),
) -> Result<(), SweepError> {
    let mut out = 0;
    loop {
        while out < (workers.most + workers.most.div_ceil(2)).max(1) && !watcher.is_called_off() {
            let Some(batch) = sweep.take() else { break };
            if to_do.send(batch).is_err() {
                break;
            }
            out += 1;
            workers.grow(out);
        }
        if out > 0 && workers.started == 0 {
            work_here();
        }
        let Some(first) = (out > 0).then(|| came_back.recv().ok()).flatten() else { return Ok(()) };
        let mut all = Vec::new();
        for (batch, ended) in std::iter::once(first).chain(came_back.try_iter()) {
            out -= 1;
            match ended.unwrap_or_else(|panicked| resume_unwind(panicked)) {
                Ok(rows) => all.push(rows),
                Err(error) => {
                    sweep.on_failed(&batch);
                    return Err(error.into());
                }
            }
        }
        sweep.accept(&all)?;
        on_progress(sweep.progress());
    }
}

/// Runs the next batch; returns true if there may be another.
fn work_once(queue: &Mutex<Receiver<Batch>>, back: &Sender<Back>, watcher: &Watcher) -> bool {
    // A thread that panicked with the queue locked had taken a batch or not: both are consistent.
    let next = queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).recv();
    let Ok(batch) = next else { return false };
    let ended = catch_unwind(AssertUnwindSafe(|| batch.run(watcher)));
    back.send((batch, ended)).is_ok()
}
