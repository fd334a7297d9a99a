//! Keeps the sockets of an endpoint at its machine's addresses: receives changes, and opens what is missing. The driver
//! carries out what it says.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use anabranch_base::ByteCount;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::follow::{Follow, Place, Places, Step};
use crate::interfaces::Interface;
use crate::shared::Shared;
use crate::socket::Socket;
use crate::watch::InterfaceWatch;

/// Follows the addresses of the machine for one endpoint.
#[derive(Debug)]
pub struct Follower {
    places: Places,
    latest: watch::Receiver<Vec<Interface>>,
    /// Hears of changes while the driver has other things to do.
    watcher: JoinHandle<()>,
    port: u16,
    by_device: bool,
}

/// The settings that all sockets of an endpoint share.
#[derive(Clone, Copy, Debug)]
pub struct Alike {
    /// Each is tied to the interface of its address.
    pub by_device: bool,
    /// The largest packets that leave by them before a path is known to carry larger ones.
    pub needed: ByteCount,
}

impl Follower {
    /// Begins to follow; `None` if nothing is to be followed. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The operating system does not list its interfaces.
    pub fn begin(
        follow: Follow,
        sockets: &[Socket],
        alike: Alike,
        shared: &Arc<Shared>,
    ) -> io::Result<Option<Follower>> {
        if follow == Follow::Nothing {
            return Ok(None);
        }
        let watch = InterfaceWatch::begin()?;
        let given: Vec<SocketAddr> = sockets.iter().map(Socket::address).collect();
        let port = given.first().map_or(0, SocketAddr::port);
        let places = Places::new(follow, given, alike.needed, watch.known());
        let (news, mut latest) = watch::channel(watch.known().to_vec());
        // What appeared since the endpoint was given its addresses.
        latest.mark_changed();
        let watcher = tokio::spawn(tell(watch, news, shared.clone()));
        Ok(Some(Follower { places, latest, watcher, port, by_device: alike.by_device }))
    }

    /// The steps since the last call.
    pub fn steps(&mut self) -> Vec<Step> {
        // The watcher lives as long as this does.
        if !self.latest.has_changed().unwrap_or(false) {
            return Vec::new();
        }
        self.places.steps(&self.latest.borrow_and_update())
    }

    /// Opens a socket at a place, at the port of the others if it is free. `None` if it cannot be opened: it is tried
    /// again at the next change.
    pub fn open(&mut self, place: Place) -> Option<Socket> {
        let device = self.by_device.then_some(place.interface.as_str());
        let bind = |port: u16| Socket::bind(SocketAddr::new(place.ip, port), device);
        match bind(self.port).or_else(|_| bind(0)) {
            Ok(socket) => {
                self.places.on_opened(place, socket.address());
                Some(socket)
            }
            Err(error) => {
                tracing::warn!(address = %place.ip, interface = place.interface, %error, "cannot open a socket");
                None
            }
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.watcher.abort();
    }
}

/// Passes every change on and wakes the driver.
async fn tell(mut watch: InterfaceWatch, news: watch::Sender<Vec<Interface>>, shared: Arc<Shared>) {
    loop {
        let changed = watch.changed().await.to_vec();
        if news.send(changed).is_err() {
            return;
        }
        shared.wake.notify_one();
    }
}
