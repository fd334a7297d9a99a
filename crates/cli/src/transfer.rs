//! Turns a transfer's events and errors into output: progress that can be shown during the transfer and
//! reported afterwards, and messages.

mod document;
mod messages;
mod progress;
mod slower;
mod table;
mod view;
mod watched;

use anabranch_transfer::Transfer;

pub(crate) use document::TransferDocument;
pub(crate) use messages::{not_received, not_sent};
pub(crate) use progress::{FileCounts, Progress};
pub(crate) use slower::{Observed, why_slower};
pub(crate) use table::{table, there_already};
pub(crate) use view::ProgressView;
pub(crate) use watched::watched;

/// Runs `transfer` to its end and counts its events in `progress`.
///
/// # Errors
/// The transfer's own.
pub(crate) async fn follow<E>(mut transfer: Transfer<'_, E>, progress: &Progress) -> Result<(), E> {
    while let Some(event) = transfer.next().await? {
        progress.on_event(event);
    }
    Ok(())
}
