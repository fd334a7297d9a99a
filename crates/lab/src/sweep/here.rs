//! Runs a sweep on the threads of this process.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use anabranch_sim::Watcher;

use super::{Batch, BatchError, Progress, Rows, Sweep, SweepError};

/// A batch that came back: its rows, why there are none, or what a thread panicked with.
type Back = (Batch, thread::Result<Result<Rows, BatchError>>);

/// Runs what is missing on `threads` threads, until every point has enough runs or `watcher` is cancelled; what was
/// finished is kept either way. `on_progress` hears of it each time that rows are kept.
///
/// # Errors
/// A run or its row fails; the rows before are kept.
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
        for _ in 0..threads.get() {
            let back = back.clone();
            scope.spawn({
                let queue = &queue;
                move || work(queue, &back, watcher)
            });
        }
        let done = drive(sweep, threads.get(), watcher, &to_do, &came_back, on_progress);
        if done.is_err() {
            watcher.call_off();
        }
        // Without a sender the threads end.
        drop(to_do);
        done
    })
}

/// Keeps one batch more at hand than there are threads for each two of them, so that none waits for the disk.
fn drive(
    sweep: &mut Sweep,
    threads: usize,
    watcher: &Watcher,
    to_do: &Sender<Batch>,
    came_back: &Receiver<Back>,
    mut on_progress: impl FnMut(Progress),
) -> Result<(), SweepError> {
    let most = threads + threads.div_ceil(2);
    let mut out = 0;
    loop {
        while out < most && !watcher.is_called_off() {
            let Some(batch) = sweep.take() else { break };
            if to_do.send(batch).is_err() {
                break;
            }
            out += 1;
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

fn work(queue: &Mutex<Receiver<Batch>>, back: &Sender<Back>, watcher: &Watcher) {
    loop {
        // A thread that panicked while it held the queue had taken a batch or not.
        let next = queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).recv();
        let Ok(batch) = next else { return };
        let ended = catch_unwind(AssertUnwindSafe(|| batch.run(watcher)));
        if back.send((batch, ended)).is_err() {
            return;
        }
    }
}
