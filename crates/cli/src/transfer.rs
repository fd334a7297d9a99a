//! Turns a transfer's events and errors into output: progress that can be shown during the transfer and
//! reported afterwards, and messages.

mod progress;
mod words;

use anabranch_transfer::Transfer;

pub use progress::{FileCounts, Progress};
pub use words::{not_received, not_sent};

/// Runs `transfer` to its end and counts its events in `progress`.
///
/// # Errors
/// The transfer's own.
pub async fn follow<E>(mut transfer: Transfer<'_, E>, progress: &Progress) -> Result<(), E> {
    while let Some(event) = transfer.next().await? {
        progress.on_event(event);
    }
    Ok(())
}
