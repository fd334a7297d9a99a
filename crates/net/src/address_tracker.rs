//! Keeps the sockets of an endpoint in line with the addresses of its machine: collects changes and opens missing
//! sockets. The driver applies the changes.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use anabranch_base::ByteCount;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::address_tracking::{AddressTracking, InterfaceAddress, SocketChange, TrackedAddresses};
use crate::interface::Interface;
use crate::interface_monitor::InterfaceMonitor;
use crate::routes::leads_to;
use crate::shared::Shared;
use crate::socket::{Socket, Ties};
use crate::system::SystemRef;

/// Tracks the addresses of the machine for one endpoint.
#[derive(Debug)]
pub(crate) struct AddressTracker {
    tracked: TrackedAddresses,
    latest: watch::Receiver<Vec<Interface>>,
    /// The task that waits for changes while the driver does other work.
    watcher: JoinHandle<()>,
    port: u16,
    settings: SocketSettings,
    /// If not empty, an interface is used only with a route to one of these peers.
    toward: Vec<SocketAddr>,
}

/// The settings that all sockets of an endpoint share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SocketSettings {
    /// The operating system.
    pub system: SystemRef,
    /// True if each socket is bound to the interface of its address.
    pub by_device: bool,
    /// The mark of the packets of each socket.
    pub mark: Option<u32>,
    /// The largest packets sent before a path is known to carry larger ones.
    pub needed: ByteCount,
}

impl AddressTracker {
    /// Starts tracking; `None` if tracking is off. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The operating system cannot list its interfaces.
    pub(crate) fn begin(
        tracking: AddressTracking,
        toward: Vec<SocketAddr>,
        sockets: &[Socket],
        settings: SocketSettings,
        shared: &Arc<Shared>,
    ) -> io::Result<Option<AddressTracker>> {
        if tracking == AddressTracking::Off {
            return Ok(None);
        }
        let monitor = InterfaceMonitor::begin_on(settings.system)?;
        let given: Vec<SocketAddr> = sockets.iter().map(Socket::address).collect();
        let port = given.first().map_or(0, SocketAddr::port);
        let tracked = TrackedAddresses::new(tracking, given, settings.needed, monitor.known());
        let (sender, mut latest) = watch::channel(monitor.known().to_vec());
        // Reports addresses that appeared since the endpoint got its own.
        latest.mark_changed();
        let watcher = tokio::spawn(forward(monitor, sender, shared.clone()));
        Ok(Some(AddressTracker { tracked, latest, watcher, port, settings, toward }))
    }

    /// The changes since the last call.
    pub(crate) fn changes(&mut self) -> Vec<SocketChange> {
        // The watcher lives as long as the tracker.
        if !self.latest.has_changed().unwrap_or(false) {
            return Vec::new();
        }
        self.tracked.changes(&self.latest.borrow_and_update())
    }

    /// Opens a socket at `address`, on the port of the other sockets if it is free. `None` if it cannot be opened;
    /// the next change tries again.
    pub(crate) fn open(&mut self, address: InterfaceAddress) -> Option<Socket> {
        let has_route =
            |peer: &SocketAddr| leads_to(self.settings.system, address.index, address.ip, peer.ip());
        if !self.toward.is_empty() && !self.toward.iter().any(has_route) {
            return None;
        }
        let device = (address.interface.as_str(), address.index);
        let SocketSettings { system, by_device, mark, .. } = self.settings;
        let ties = Ties { system, device: by_device.then_some(device), mark };
        let bind = |port: u16| Socket::bind(SocketAddr::new(address.ip, port), ties);
        match bind(self.port).or_else(|_| bind(0)) {
            Ok(socket) => {
                self.tracked.on_opened(address, socket.address());
                Some(socket)
            }
            Err(error) => {
                crate::log::warn!(address = %address.ip, interface = address.interface, %error, "cannot open a socket");
                None
            }
        }
    }
}

impl Drop for AddressTracker {
    fn drop(&mut self) {
        self.watcher.abort();
    }
}

/// Sends every change, including changes of routes, to the tracker and wakes the driver.
async fn forward(mut monitor: InterfaceMonitor, sender: watch::Sender<Vec<Interface>>, shared: Arc<Shared>) {
    loop {
        let changed = monitor.stirred().await.to_vec();
        if sender.send(changed).is_err() {
            return;
        }
        shared.wake.notify_one();
    }
}
