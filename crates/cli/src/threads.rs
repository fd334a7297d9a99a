//! Threads, of which a host may allow few: as few as there are must do, and where there is none the error says so.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

/// Why work on another thread gave no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ThreadError {
    /// This host allows no further thread.
    #[error(
        "cannot start a thread: {0} (a limit of this host: see ulimit -u, or pids.max of its control group)"
    )]
    NotStarted(io::Error),
    /// The work panicked, and standard error has the message of the panic.
    #[error("a part of the program failed")]
    Panicked,
}

/// Work on a thread of its own.
#[derive(Debug)]
pub(crate) struct Work<T>(oneshot::Receiver<thread::Result<T>>);

/// Begins `work` on a thread of its own, which does not keep the program from ending.
///
/// # Errors
/// The host allows no more threads.
pub(crate) fn spawn<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Work<T>, ThreadError> {
    let (tell, told) = oneshot::channel();
    // A thread that is not started does not give back what it was to do.
    let work = Arc::new(Mutex::new(Some(move || drop(tell.send(catch_unwind(AssertUnwindSafe(work)))))));
    for pause in PAUSES {
        let work = work.clone();
        let begin = move || {
            let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
            work.into_iter().for_each(|work| work());
        };
        match thread::Builder::new().name("work".to_owned()).spawn(begin) {
            Ok(_) => return Ok(Work(told)),
            // The kernel may still count a thread that has just ended.
            Err(_) if !pause.is_zero() => thread::sleep(pause),
            Err(error) => return Err(ThreadError::NotStarted(error)),
        }
    }
    Err(ThreadError::NotStarted(io::ErrorKind::WouldBlock.into()))
}

impl<T> Work<T> {
    /// Waits for its end, and returns what it gave.
    ///
    /// # Errors
    /// It panicked, which standard error has told.
    pub(crate) async fn ended(self) -> Result<T, ThreadError> {
        match self.0.await {
            Ok(Ok(done)) => Ok(done),
            _ => Err(ThreadError::Panicked),
        }
    }
}

/// Makes the runtime of the commands: on all processors, or on this thread alone where the host allows few others. There
/// must be no other thread yet.
///
/// # Errors
/// The system gives no descriptors.
pub(crate) fn runtime() -> io::Result<Runtime> {
    let workers = workers();
    // Tokio panics or waits for ever where it cannot start its threads, so these are tried first.
    let mut builder = if spare(workers + SPARE) == workers + SPARE {
        Builder::new_multi_thread()
    } else {
        Builder::new_current_thread()
    };
    builder.worker_threads(workers).enable_all().build()
}

/// The number of `wanted` threads the host allows now beside this one.
fn spare(wanted: usize) -> usize {
    let before = thread_count();
    let gate = Mutex::new(());
    let closed = gate.lock().unwrap_or_else(PoisonError::into_inner);
    let started = thread::scope(|scope| {
        let start = |_: usize| thread::Builder::new().spawn_scoped(scope, || drop(gate.lock())).ok();
        let started = (0..wanted).map_while(start).count();
        drop(closed);
        started
    });
    // The kernel counts them until they are gone.
    let is_back = |_: &u32| {
        thread::sleep(Duration::from_micros(100));
        thread_count() <= before
    };
    let _ = (0..10_000).find(is_back);
    started
}

/// As many threads as processors, or as the variable that all programs with tokio know says; two at least, so that one may
/// wait for a reader while the other hears Ctrl-C.
fn workers() -> usize {
    let wanted = std::env::var("TOKIO_WORKER_THREADS").ok().and_then(|text| text.parse().ok());
    let wanted = wanted.filter(|count| (1..=MOST_WORKERS).contains(count));
    wanted.unwrap_or_else(|| {
        thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get).clamp(2, MOST_WORKERS)
    })
}

/// The threads of this process, where the system tells.
fn thread_count() -> Option<usize> {
    std::fs::read_dir("/proc/self/task").ok().map(Iterator::count)
}

/// More take turns for sockets.
const MOST_WORKERS: usize = 64;
/// Threads beside the workers: for the work of commands, and for the files of a transfer.
const SPARE: usize = 2;
/// After each attempt to start a thread; the last is followed by none.
const PAUSES: [Duration; 4] =
    [Duration::from_millis(1), Duration::from_millis(10), Duration::from_millis(50), Duration::ZERO];

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_gives_its_result_and_a_panic_is_a_failure() {
        assert_eq!(spawn(|| 7).expect("a thread").ended().await.expect("it ended"), 7);
        let panicked = spawn(|| std::panic::resume_unwind(Box::new(()))).expect("a thread");
        assert!(matches!(panicked.ended().await, Err::<(), _>(ThreadError::Panicked)));
    }

    #[test]
    fn as_many_threads_as_a_host_allows_are_spare() {
        assert_eq!(spare(3), 3);
    }
}
