//! A machine of a test: interfaces that appear and vanish, routes that are missing, reports of undelivered packets. The
//! addresses are loopback addresses of the real machine, where the sockets are opened.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::net::UdpSocket;
use tokio::sync::watch;

use super::{Device, Notices, Prefix, System};
use crate::interface::Interface;

/// A fake machine, without interfaces at first.
#[derive(Debug)]
pub(crate) struct Fake {
    state: Mutex<State>,
    changes: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct State {
    interfaces: Vec<Interface>,
    cannot_list: bool,
    refuses_binding: bool,
    missing_routes: Vec<(u32, IpAddr)>,
    errors: Vec<(SocketAddr, i32)>,
    bound: Vec<String>,
}

impl Fake {
    /// Makes one, which lives as long as the test.
    pub(crate) fn machine() -> &'static Fake {
        Box::leak(Box::new(Fake { state: Mutex::default(), changes: watch::channel(()).0 }))
    }

    /// Adds an interface with one address.
    pub(crate) fn plug(&self, name: &str, index: u32, ip: &str) {
        let addresses = vec![ip.parse().expect("an address")];
        let interface = Interface { name: name.to_owned(), index: Some(index), addresses, mtu: None };
        self.state().interfaces.push(interface);
        self.changes.send_replace(());
    }

    /// Removes an interface.
    pub(crate) fn unplug(&self, name: &str) {
        self.state().interfaces.retain(|one| one.name != name);
        self.changes.send_replace(());
    }

    /// Removes the route to `remote` through an interface, or adds it again.
    pub(crate) fn set_route(&self, index: u32, remote: IpAddr, is_there: bool) {
        let missing = &mut self.state().missing_routes;
        missing.retain(|one| *one != (index, remote));
        missing.extend((!is_there).then_some((index, remote)));
        self.changes.send_replace(());
    }

    /// Queues a report that packets to `remote` met the error with this number.
    pub(crate) fn report(&self, remote: SocketAddr, number: i32) {
        self.state().errors.push((remote, number));
    }

    /// Fails to list the interfaces.
    pub(crate) fn fail_to_list(&self) {
        self.state().cannot_list = true;
    }

    /// Refuses to bind sockets to interfaces.
    pub(crate) fn refuse_binding(&self) {
        self.state().refuses_binding = true;
    }

    /// The interfaces to which sockets were bound, in order.
    pub(crate) fn bound(&self) -> Vec<String> {
        self.state().bound.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl System for Fake {
    fn interfaces(&self) -> io::Result<Vec<Interface>> {
        let state = self.state();
        if state.cannot_list { Err(io::ErrorKind::OutOfMemory.into()) } else { Ok(state.interfaces.clone()) }
    }

    fn prefixes(&self) -> Vec<Prefix> {
        let state = self.state();
        let of = |one: &Interface| {
            let interface = one.index;
            one.addresses.clone().into_iter().map(move |ip| Prefix { ip, length: 32, interface })
        };
        state.interfaces.iter().flat_map(of).collect()
    }

    fn preferred_source(&self, _: SocketAddr) -> Option<IpAddr> {
        None
    }

    fn leads_to(&self, index: u32, _: IpAddr, remote: IpAddr) -> bool {
        !self.state().missing_routes.contains(&(index, remote))
    }

    fn notices(&self) -> Notices {
        Notices::Fake(self.changes.subscribe())
    }

    fn bind_to_interface(&self, _: &socket2::Socket, device: Device<'_>) -> io::Result<()> {
        let mut state = self.state();
        if state.refuses_binding {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        state.bound.push(device.name.to_owned());
        Ok(())
    }

    fn next_error(&self, _: &UdpSocket) -> Option<(SocketAddr, io::Error)> {
        let (remote, number) = self.state().errors.pop()?;
        Some((remote, io::Error::from_raw_os_error(number)))
    }
}
