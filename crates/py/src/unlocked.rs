//! Work of the core on a thread of its own: the interpreter's lock is free meanwhile, and Ctrl-C is answered.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anabranch_sim::Watcher;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The result of `work`, which runs without the interpreter's lock. Where a signal handler raises, as that of Ctrl-C
/// does, work that reads `watcher` is called off, and the exception is raised; work that does not end within a moment
/// ends later, on its own thread.
///
/// # Errors
/// What the signal handler raised.
pub fn unlocked<T: Send + 'static>(
    py: Python<'_>,
    watcher: Option<&Watcher>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    unlocked_with(py, watcher, |_| Ok(()), work)
}

/// The same with `on_tick`, which is called every moment with the interpreter's lock. An error of it ends the work as
/// a signal does.
///
/// # Errors
/// What the signal handler raised, or `on_tick`.
pub fn unlocked_with<T: Send + 'static>(
    py: Python<'_>,
    watcher: Option<&Watcher>,
    mut on_tick: impl FnMut(Python<'_>) -> PyResult<()>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::sync_channel(1);
    thread::Builder::new().name("anabranch".to_owned()).spawn(move || {
        // After an exception the result has no reader.
        let _ = sender.send(work());
    })?;
    let mut wait = |at_most: Duration| {
        // A receiver may move between threads and not be shared: it is lent as a whole.
        let receiver = &mut receiver;
        py.detach(move || receiver.recv_timeout(at_most))
    };
    loop {
        match wait(TICK) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the core panicked: this is an error of anabranch"));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(raised) = py.check_signals().and_then(|()| on_tick(py)) {
                    if let Some(watcher) = watcher {
                        watcher.call_off();
                        // Most work ends at once then, and what it finished is kept.
                        let _ = wait(GRACE);
                    }
                    return Err(raised);
                }
            }
        }
    }
}

/// What a mutex holds, also after a thread panicked that had it.
pub fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time a signal may wait.
const TICK: Duration = Duration::from_millis(50);

/// The time work that was called off may take to end before the exception is raised.
const GRACE: Duration = Duration::from_millis(500);
