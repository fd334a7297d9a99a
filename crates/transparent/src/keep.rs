//! Restores what other programs remove: systemd-networkd removes ip rules that it does not know, and
//! `nft flush ruleset` removes tables without an owner.

use std::convert::Infallible;
use std::time::Duration;

use tokio::time::sleep;

use crate::capture::Capture;
use crate::notifications::Notifications;
use crate::restored::Restored;

impl Capture {
    /// Looks each second, and when tables or ip rules change, whether those of the capture and its routes are there,
    /// restores them, and reports each restoration. An error that stays is reported once. Never returns.
    pub async fn keep(&self, mut on_restored: impl FnMut(Restored)) -> Infallible {
        let notifications = Notifications::open().ok();
        let mut failed = None;
        loop {
            changed(notifications.as_ref()).await;
            let failure = match self.restore() {
                Ok(restored) => {
                    restored.into_iter().for_each(&mut on_restored);
                    None
                }
                Err(error) => Some(Restored::Failed(error.to_string())),
            };
            if let Some(failure) = failure.clone().filter(|failure| failed.as_ref() != Some(failure)) {
                on_restored(failure);
            }
            failed = failure;
            sleep(PAUSE).await;
        }
    }
}

/// Waits for a change, but not long: there is no notification of a removed route.
async fn changed(notifications: Option<&Notifications>) {
    let Some(notifications) = notifications else { return sleep(INTERVAL).await };
    tokio::select! {
        () = sleep(INTERVAL) => {}
        () = notifications.changed() => {}
    }
}

/// The longest time between two looks.
const INTERVAL: Duration = Duration::from_secs(1);
/// The shortest time, where other programs change their tables often.
const PAUSE: Duration = Duration::from_millis(50);
