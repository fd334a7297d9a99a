//! How long work takes on this machine. It is the only clock of the studies, for what the papers say of their own.

use std::hint::black_box;
use std::time::Instant;

/// Milliseconds of the fastest of three tries.
///
/// # Errors
/// Those of the work.
#[allow(clippy::disallowed_methods, reason = "what a paper says of solve time is about a machine's time")]
pub fn milliseconds<E>(work: impl Fn() -> Result<f64, E>) -> Result<f64, E> {
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        let started = Instant::now();
        black_box(work()?);
        least = least.min(started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(least)
}
