//! Reports of undelivered packets: ICMP messages, passed on by the operating system, and the operating system's own
//! errors.
//!
//! They are shown to a user who waits for a connection. ICMP is not authenticated, so that they never change the
//! behaviour of the protocol (RFC 9260 §10).

use std::io;
use std::net::SocketAddr;

use tokio::net::UdpSocket;

use crate::system::SystemRef;

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

/// Takes the queued reports of the socket at `local`.
pub(crate) fn take_errors(system: SystemRef, socket: &UdpSocket, local: SocketAddr) -> Vec<Undelivered> {
    let queued = std::iter::from_fn(|| system.next_error(socket)).take(MOST);
    queued.map(|(remote, error)| Undelivered::new(local, remote, &error)).collect()
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
