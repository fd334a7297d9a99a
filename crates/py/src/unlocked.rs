//! Runs work of the core on its own thread, so that the interpreter's lock is free and Ctrl-C is handled.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anabranch_sim::Watcher;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The result of `work`, which runs without the interpreter's lock. If a signal handler raises, like that of Ctrl-C,
/// work that reads `watcher` is cancelled, and the exception is raised; work that does not end quickly ends later, on
/// its own thread.
///
/// # Errors
/// The exception of the signal handler.
pub(crate) fn unlocked<T: Send + 'static>(
    py: Python<'_>,
    watcher: Option<&Watcher>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    unlocked_with(py, watcher, |_| Ok(()), work)
}

/// Like [`unlocked`], with `on_tick`, which is called periodically with the interpreter's lock. An error of it ends the
/// work like a signal.
///
/// # Errors
/// The exception of the signal handler, or of `on_tick`.
pub(crate) fn unlocked_with<T: Send + 'static>(
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
        // A receiver may move between threads but not be shared: it is lent exclusively.
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
                        // Most work ends at once then, and finished runs are kept.
                        let _ = wait(GRACE);
                    }
                    return Err(raised);
                }
            }
        }
    }
}

/// Locks a mutex, even after a thread panicked while it held the lock.
pub(crate) fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time between checks for signals.
const TICK: Duration = Duration::from_millis(50);

/// The time that cancelled work gets to end before the exception is raised.
const GRACE: Duration = Duration::from_millis(500);
