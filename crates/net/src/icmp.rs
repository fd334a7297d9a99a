//! Reports of undelivered packets: ICMP messages, passed on by the operating system, and the operating system's own
//! errors.
//!
//! They are shown to a user who waits for a connection. ICMP is not authenticated, so that they never change the
//! behaviour of the protocol (RFC 9260 §10).

use std::io;
use std::net::SocketAddr;

use tokio::net::UdpSocket;

/// A pair of addresses between which packets were not delivered, with the operating system's error text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undelivered {
    /// The address of the sending socket.
    pub local: SocketAddr,
    /// The destination.
    pub remote: SocketAddr,
    /// The error, for instance "Connection refused".
    pub error: String,
    /// True if a host answered that the port is closed.
    pub is_port_closed: bool,
}

/// The latest report on each pair of addresses.
#[derive(Clone, Debug, Default)]
pub(crate) struct UndeliveredList {
    latest: Vec<Undelivered>,
}

impl Undelivered {
    /// The report of packets from `local` to `remote` that met `error`.
    pub(crate) fn new(local: SocketAddr, remote: SocketAddr, error: &io::Error) -> Undelivered {
        let text = error.to_string();
        // Rust adds the number: "Connection refused (os error 111)".
        let words = text.split(" (os error").next().unwrap_or(&text).to_owned();
        let is_port_closed = error.kind() == io::ErrorKind::ConnectionRefused;
        Undelivered { local, remote, error: words, is_port_closed }
    }
}

impl UndeliveredList {
    /// Adds a report, in place of an earlier one on the same pair.
    pub(crate) fn add(&mut self, news: Undelivered) {
        let same = |known: &Undelivered| known.local == news.local && known.remote == news.remote;
        self.latest.retain(|known| !same(known));
        if self.latest.len() == MOST {
            self.latest.remove(0);
        }
        self.latest.push(news);
    }

    /// The latest reports, in the order of arrival.
    pub(crate) fn all(&self) -> &[Undelivered] {
        &self.latest
    }
}

/// Turns the operating system's reports of undelivered packets of a socket on or off.
#[cfg(target_os = "linux")]
pub(crate) fn report_errors(socket: &UdpSocket, is_ipv4: bool, on: bool) {
    use nix::sys::socket::{setsockopt, sockopt};
    let set = if is_ipv4 {
        setsockopt(socket, sockopt::Ipv4RecvErr, &on)
    } else {
        setsockopt(socket, sockopt::Ipv6RecvErr, &on)
    };
    if let Err(error) = set {
        crate::log::debug!(%error, "cannot ask for the network's errors");
    }
}

/// Takes the queued reports of the socket at `local`.
#[cfg(target_os = "linux")]
pub(crate) fn take_errors(socket: &UdpSocket, local: SocketAddr) -> Vec<Undelivered> {
    let mut all = Vec::new();
    while all.len() < MOST {
        match linux::next(socket) {
            Some((remote, error)) => all.push(Undelivered::new(local, remote, &error)),
            None => break,
        }
    }
    all
}

/// Other systems report errors only for connected sockets.
#[cfg(not(target_os = "linux"))]
pub(crate) fn report_errors(_socket: &UdpSocket, _is_ipv4: bool, _on: bool) {}

/// Other systems queue no reports.
#[cfg(not(target_os = "linux"))]
pub(crate) fn take_errors(_socket: &UdpSocket, _local: SocketAddr) -> Vec<Undelivered> {
    Vec::new()
}

/// The error queue of a socket (`ip(7)`, `IP_RECVERR`).
#[cfg(target_os = "linux")]
mod linux {
    use std::io::{self, IoSliceMut};
    use std::net::{SocketAddr, SocketAddrV4, SocketAddrV6};
    use std::os::fd::AsRawFd;

    use nix::libc::{sock_extended_err, sockaddr_in6};
    use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg};
    use tokio::net::UdpSocket;

    /// Takes the next error, with the destination of the packet that met it.
    pub(super) fn next(socket: &UdpSocket) -> Option<(SocketAddr, io::Error)> {
        let mut packet = [0; 64];
        let mut slices = [IoSliceMut::new(&mut packet)];
        let mut notes = nix::cmsg_space!(sock_extended_err, sockaddr_in6, [u8; 128]);
        let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
        let message =
            recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut slices, Some(&mut notes), flags).ok()?;
        let remote = message.address.as_ref().and_then(address)?;
        let mut errors = message.cmsgs().ok()?.filter_map(|note| match note {
            ControlMessageOwned::Ipv4RecvErr(error, _) | ControlMessageOwned::Ipv6RecvErr(error, _) => {
                Some(error.ee_errno)
            }
            _ => None,
        });
        let number = errors.next()?;
        Some((remote, io::Error::from_raw_os_error(i32::try_from(number).ok()?)))
    }

    fn address(storage: &SockaddrStorage) -> Option<SocketAddr> {
        if let Some(v4) = storage.as_sockaddr_in() {
            return Some(SocketAddrV4::from(*v4).into());
        }
        storage.as_sockaddr_in6().map(|v6| SocketAddrV6::from(*v6).into())
    }
}

/// The most pairs kept.
const MOST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn word(port: u16, code: i32) -> Undelivered {
        let error = io::Error::from_raw_os_error(code);
        Undelivered::new(([127, 0, 0, 1], 1).into(), ([127, 0, 0, 1], port).into(), &error)
    }

    #[test]
    fn the_last_word_on_a_pair_counts_and_the_list_is_bounded() {
        let mut list = UndeliveredList::default();
        for port in 0..1_000 {
            list.add(word(port, 113));
        }
        list.add(word(999, 111));
        assert_eq!(list.all().len(), MOST);
        assert_eq!(list.all().last(), Some(&word(999, 111)));
        assert_eq!(list.all().iter().filter(|known| known.remote.port() == 999).count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_systems_words_have_no_number() {
        let refused = word(5, 111);
        assert_eq!((refused.error.as_str(), refused.is_port_closed), ("Connection refused", true));
        let unreachable = word(5, 113);
        assert_eq!((unreachable.error.as_str(), unreachable.is_port_closed), ("No route to host", false));
    }
}
