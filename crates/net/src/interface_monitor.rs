//! Reports changes of this machine's interfaces: a sequence of lists, each different from the one before.

use std::io;

use tokio::time::sleep;

use crate::interfaces::{Interface, interfaces};
use crate::notices::Notices;

/// Reports when an address of this machine appears or vanishes, when an interface comes up or goes down, and when a
/// cable is plugged in or pulled: interfaces that are down or have no carrier are not listed.
///
/// On Linux the kernel reports changes; on other systems the interfaces are listed once a second.
///
/// # Examples
///
/// ```no_run
/// # async fn print_changes() -> std::io::Result<()> {
/// let mut monitor = anabranch_net::InterfaceMonitor::begin()?;
/// loop {
///     for interface in monitor.changed().await {
///         println!("{} has {:?}", interface.name, interface.addresses);
///     }
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct InterfaceMonitor {
    notices: Notices,
    known: Vec<Interface>,
    /// True if the kernel has reported a change since the last list.
    is_stale: bool,
}

impl InterfaceMonitor {
    /// Starts with the present interfaces. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The operating system does not list the interfaces.
    pub fn begin() -> io::Result<InterfaceMonitor> {
        // The notices begin before the list is made, so that no change in between is missed.
        let notices = Notices::subscribe();
        Ok(InterfaceMonitor { notices, known: interfaces()?, is_stale: false })
    }

    /// The interfaces as last reported.
    pub fn known(&self) -> &[Interface] {
        &self.known
    }

    /// Waits until the interfaces differ from [`known`](InterfaceMonitor::known), and returns them.
    ///
    /// A change is reported 50 ms after it began, so that related changes are seen together: a DHCP client gives an
    /// interface its address and then the route; and some remove an address and add it again when they renew it, which
    /// is not a change.
    ///
    /// Cancellation-safe: if the future is dropped, no change is lost.
    pub async fn changed(&mut self) -> &[Interface] {
        while !self.look_again().await {}
        &self.known
    }

    /// Waits until interfaces, addresses or routes have changed, and returns the interfaces, which may be the same.
    pub(crate) async fn stirred(&mut self) -> &[Interface] {
        self.look_again().await;
        &self.known
    }

    /// Lists the interfaces after the next report of the kernel. Returns whether they differ.
    async fn look_again(&mut self) -> bool {
        if !self.is_stale {
            self.notices.next().await;
            self.is_stale = true;
        }
        sleep(SETTLING).await;
        match interfaces() {
            Ok(found) => {
                self.is_stale = false;
                let differs = found != self.known;
                self.known = found;
                differs
            }
            Err(error) => {
                tracing::debug!(%error, "cannot list the network interfaces");
                false
            }
        }
    }
}

/// The time related changes may take.
const SETTLING: std::time::Duration = std::time::Duration::from_millis(50);
