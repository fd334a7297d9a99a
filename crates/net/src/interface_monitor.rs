//! Reports changes of this machine's interfaces, as a sequence of lists, each different from the previous one.

use std::io;

use tokio::time::sleep;

use crate::interface::Interface;
use crate::system::{Notices, SystemRef, host};

/// Reports appearing and vanishing addresses, interfaces that come up or go down, and carrier changes: interfaces
/// that are down or have no carrier are not listed.
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
    system: SystemRef,
    notices: Notices,
    known: Vec<Interface>,
    /// True if the kernel has reported a change since the last list.
    is_stale: bool,
}

impl InterfaceMonitor {
    /// Starts with the current interfaces. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The operating system cannot list the interfaces.
    pub fn begin() -> io::Result<InterfaceMonitor> {
        InterfaceMonitor::begin_on(host())
    }

    pub(crate) fn begin_on(system: SystemRef) -> io::Result<InterfaceMonitor> {
        // The subscription begins before the list is made, so that no change in between is missed.
        let notices = system.notices();
        Ok(InterfaceMonitor { system, notices, known: system.interfaces()?, is_stale: false })
    }

    /// The interfaces as last reported.
    pub fn known(&self) -> &[Interface] {
        &self.known
    }

    /// Waits until the interfaces differ from [`known`](InterfaceMonitor::known), and returns them.
    ///
    /// A change is reported after 50 ms, together with related changes: a DHCP client first assigns the address and
    /// then the route, and some clients remove an address and add it again on renewal, which is not a change.
    ///
    /// Cancellation-safe: if the future is dropped, no change is lost.
    pub async fn changed(&mut self) -> &[Interface] {
        while !self.look_again().await {}
        &self.known
    }

    /// Waits until interfaces, addresses or routes may have changed, and returns the interfaces, which may be the
    /// same.
    pub(crate) async fn stirred(&mut self) -> &[Interface] {
        self.look_again().await;
        &self.known
    }

    /// Lists the interfaces after the next notice. Returns true if they differ.
    async fn look_again(&mut self) -> bool {
        if !self.is_stale {
            self.notices.next().await;
            self.is_stale = true;
        }
        sleep(SETTLING).await;
        match self.system.interfaces() {
            Ok(found) => {
                self.is_stale = false;
                let differs = found != self.known;
                self.known = found;
                differs
            }
            Err(error) => {
                crate::log::debug!(%error, "cannot list the network interfaces");
                false
            }
        }
    }
}

/// The time in which related changes are collected.
const SETTLING: std::time::Duration = std::time::Duration::from_millis(50);
