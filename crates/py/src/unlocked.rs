//! Work of the core on a thread of its own: the interpreter's lock is free meanwhile, and Ctrl-C is answered.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The result of `work`, which runs without the interpreter's lock. Where a signal handler raises, as that of Ctrl-C
/// does, the exception is raised at once; `call_off` asks the work to end, which it does on its own thread.
///
/// # Errors
/// What the signal handler raised.
pub fn unlocked<T: Send + 'static>(
    py: Python<'_>,
    call_off: impl FnOnce(),
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = mpsc::sync_channel(1);
    thread::Builder::new().name("anabranch".to_owned()).spawn(move || {
        // Nobody waits for the result any more after an exception.
        let _ = sender.send(work());
    })?;
    loop {
        // A receiver may move between threads and not be shared: it is lent as a whole.
        let waiting = &mut receiver;
        match py.detach(move || waiting.recv_timeout(BETWEEN_SIGNALS)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the core panicked: this is a bug of anabranch"));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(raised) = py.check_signals() {
                    call_off();
                    return Err(raised);
                }
            }
        }
    }
}

/// How long a signal may wait.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);
