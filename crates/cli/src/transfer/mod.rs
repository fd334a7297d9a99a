//! What the program makes of a transfer's events and errors: a progress that can be shown while the transfer goes on and
//! told of afterwards, and words.

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
