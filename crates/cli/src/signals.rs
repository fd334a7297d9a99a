//! The first signal that asked this program to end, which decides its exit status.

use std::sync::atomic::{AtomicU8, Ordering};

/// Notes that the signal with this number arrived. The first one counts.
pub(crate) fn record(number: u8) {
    let _ = FIRST.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed);
}

/// True if a signal has arrived.
pub(crate) fn has_arrived() -> bool {
    FIRST.load(Ordering::Relaxed) != 0
}

/// The exit status after a signal, as shells report it: 130 after Ctrl-C.
pub(crate) fn status() -> u8 {
    match FIRST.load(Ordering::Relaxed) {
        0 => 128 + INTERRUPT,
        number => 128 + number,
    }
}

/// The number of the signal that Ctrl-C sends.
pub(crate) const INTERRUPT: u8 = 2;
/// The number of the signal of a terminal that is closed.
pub(crate) const HANGUP: u8 = 1;
static FIRST: AtomicU8 = AtomicU8::new(0);
