//! Runs a sweep on the threads of this process.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use anabranch_sim::{MOST_THREADS, Watcher};

use super::{Batch, BatchError, Progress, Rows, Sweep, SweepError};

/// A batch that came back: its rows, why there are none, or what a thread panicked with.
type Back = (Batch, thread::Result<Result<Rows, BatchError>>);

/// Runs what is missing on `threads` threads, or as many as the system allows, until every point has enough runs or
/// `watcher` is cancelled; what was finished is kept either way. `on_progress` hears of it each time that rows are kept.
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
        let start = || {
            let (queue, back) = (&queue, back.clone());
            let work = move || while work_once(queue, &back, watcher) {};
            thread::Builder::new().name("runs".to_owned()).spawn_scoped(scope, work).is_ok()
        };
        let mut hands = Hands { most: threads.get().min(MOST_THREADS), started: 0, start };
        let work_here = || work_once(&queue, &back, watcher);
        let done = drive(sweep, &mut hands, watcher, &to_do, (&came_back, &work_here), on_progress);
        if done.is_err() {
            watcher.call_off();
        }
        // Without a sender the threads end.
        drop(to_do);
        done
    })
}

/// The threads that work, started as there is work for them.
struct Hands<F> {
    /// No more are started: so many are wanted, or the system gave no other.
    most: usize,
    started: usize,
    start: F,
}

impl<F: FnMut() -> bool> Hands<F> {
    /// Starts another thread for `batches` at a time, if that is wanted and possible.
    fn grow(&mut self, batches: usize) {
        if self.started < self.most.min(batches) {
            if (self.start)() { self.started += 1 } else { self.most = self.started }
        }
    }
}

/// Keeps one batch more at hand than there are threads for each two of them, so that none waits for the disk.
fn drive(
    sweep: &mut Sweep,
    hands: &mut Hands<impl FnMut() -> bool>,
    watcher: &Watcher,
    to_do: &Sender<Batch>,
    (came_back, work_here): (&Receiver<Back>, &dyn Fn() -> bool),
    mut on_progress: impl FnMut(Progress),
) -> Result<(), SweepError> {
    let mut out = 0;
    loop {
        while out < (hands.most + hands.most.div_ceil(2)).max(1) && !watcher.is_called_off() {
            let Some(batch) = sweep.take() else { break };
            if to_do.send(batch).is_err() {
                break;
            }
            out += 1;
            hands.grow(out);
        }
        if out > 0 && hands.started == 0 {
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

/// Runs the next batch. Whether there may be another.
fn work_once(queue: &Mutex<Receiver<Batch>>, back: &Sender<Back>, watcher: &Watcher) -> bool {
    // A thread that panicked while it held the queue had taken a batch or not.
    let next = queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner).recv();
    let Ok(batch) = next else { return false };
    let ended = catch_unwind(AssertUnwindSafe(|| batch.run(watcher)));
    back.send((batch, ended)).is_ok()
}
