//! Notices of possible changes of this machine's interfaces, addresses or routes.

use tokio::time::sleep;

#[cfg(target_os = "linux")]
use super::linux::Subscription;

/// A source of notices.
#[derive(Debug)]
pub(crate) enum Notices {
    /// Notices of the kernel.
    #[cfg(target_os = "linux")]
    Kernel(Subscription),
    /// A notice for each change of a fake machine.
    #[cfg(test)]
    Fake(tokio::sync::watch::Receiver<()>),
    /// A notice each second.
    Clock,
}

impl Notices {
    /// Waits for at least one notice, and takes all queued ones.
    ///
    /// Cancellation-safe: if the future is dropped, no notice is lost.
    pub(crate) async fn next(&mut self) {
        match self {
            #[cfg(target_os = "linux")]
            Notices::Kernel(subscription) => {
                if let Err(error) = subscription.next().await {
                    crate::log::debug!(%error, "the kernel no longer reports changes of addresses");
                    *self = Notices::Clock;
                }
            }
            #[cfg(test)]
            Notices::Fake(changes) => {
                if changes.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
            Notices::Clock => sleep(POLLING).await,
        }
    }
}

/// The interval at which the interfaces are listed without the system's notices.
const POLLING: std::time::Duration = std::time::Duration::from_secs(1);
