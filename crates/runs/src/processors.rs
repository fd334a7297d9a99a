//! Work on as many threads as there are processors, or on as few as the system allows.

use rayon::{ThreadPoolBuildError, ThreadPoolBuilder};

/// Runs `work`, whose parallel iterators use all processors. Nested calls share the threads.
///
/// # Errors
/// Even this thread alone cannot run it.
pub fn on_all<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, ThreadPoolBuildError> {
    if rayon::current_thread_index().is_some() {
        return Ok(work());
    }
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    // 0 stands for the environment's number, or one thread for each processor.
    let fewer =
        std::iter::successors(Some(processors / 2), |count| Some(count / 2)).take_while(|count| *count > 0);
    let mut counts = std::iter::once(0).chain(fewer);
    let pool = match counts.find_map(|count| ThreadPoolBuilder::new().num_threads(count).build().ok()) {
        Some(pool) => pool,
        None => ThreadPoolBuilder::new().num_threads(1).use_current_thread().build()?,
    };
    Ok(pool.install(work))
}
