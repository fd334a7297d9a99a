//! Peers whose packets this end cannot read, kept to inform a waiting user.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use crate::seal::Datagram;

/// A peer that requested a connection with unreadable packets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnreadablePeer {
    /// The source address of its packets.
    pub remote: IpAddr,
    /// The reason.
    pub reason: Unreadable,
    /// The number of such packets.
    pub packets: u64,
}

/// The reason for which a connection request cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unreadable {
    /// It is sealed with another key.
    OtherKey,
    /// It is plain SCTP, and this end expects sealed packets.
    NotSealed,
    /// It is sealed, and this end expects plain SCTP.
    Sealed,
}

/// The latest unreadable peers.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnreadablePeers {
    latest: Vec<UnreadablePeer>,
}

impl UnreadablePeers {
    /// Records a datagram that a sealed endpoint could not open.
    pub(crate) fn on_not_opened(&mut self, remote: SocketAddr, datagram: &[u8]) {
        match Datagram::parse(datagram) {
            Some(Datagram::Initiation(_)) => self.add(remote.ip(), Unreadable::OtherKey),
            None if is_plain_init(datagram) => self.add(remote.ip(), Unreadable::NotSealed),
            _ => {}
        }
    }

    /// Records a datagram that arrived at an endpoint without sealing.
    pub(crate) fn on_plain(&mut self, remote: SocketAddr, datagram: &[u8]) {
        let has_length = matches!(datagram.len(), Datagram::HANDSHAKE_LEN | Datagram::CLIENT_HANDSHAKE_LEN);
        if has_length && matches!(Datagram::parse(datagram), Some(Datagram::Initiation(_))) {
            self.add(remote.ip(), Unreadable::Sealed);
        }
    }

    /// The latest peers, in the order of their first packet.
    pub(crate) fn all(&self) -> &[UnreadablePeer] {
        &self.latest
    }

    fn add(&mut self, remote: IpAddr, reason: Unreadable) {
        let same = |known: &&mut UnreadablePeer| known.remote == remote && known.reason == reason;
        if let Some(known) = self.latest.iter_mut().find(same) {
            known.packets += 1;
            return;
        }
        if self.latest.len() == MOST {
            self.latest.remove(0);
        }
        self.latest.push(UnreadablePeer { remote, reason, packets: 1 });
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unreadable::OtherKey => "its packets are sealed with another key",
            Unreadable::NotSealed => "its packets are not sealed, and this end expects a key",
            Unreadable::Sealed => "its packets are sealed, and this end runs without a key",
        })
    }
}

/// Returns true if it is an SCTP packet with an INIT chunk and verification tag zero (RFC 9260 §8.5.1).
fn is_plain_init(datagram: &[u8]) -> bool {
    const INIT: u8 = 1;
    datagram.get(4..8) == Some(&[0; 4]) && datagram.get(12) == Some(&INIT)
}

/// The most peers kept.
const MOST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn from(last: u8) -> SocketAddr {
        ([192, 0, 2, last], 9899).into()
    }

    fn init() -> Vec<u8> {
        let mut packet = vec![0x26, 0xab, 0x26, 0xab, 0, 0, 0, 0, 9, 9, 9, 9, 1, 0, 0, 20];
        packet.extend([7; 16]);
        packet
    }

    #[test]
    fn a_plain_request_at_a_sealed_end_is_remembered_once_with_its_count() {
        let mut peers = UnreadablePeers::default();
        peers.on_not_opened(from(1), &init());
        peers.on_not_opened(from(1), &init());
        peers.on_not_opened(from(2), b"noise of the internet");
        let expected = UnreadablePeer { remote: from(1).ip(), reason: Unreadable::NotSealed, packets: 2 };
        assert_eq!(peers.all(), [expected]);
    }

    #[test]
    fn a_crowd_of_strangers_is_remembered_within_bounds() {
        let mut peers = UnreadablePeers::default();
        for last in 0..=255 {
            peers.on_not_opened(from(last), &init());
        }
        assert_eq!(peers.all().len(), MOST);
        assert_eq!(peers.all().last().map(|known| known.remote), Some(from(255).ip()));
    }

    #[test]
    fn requests_cut_anywhere_are_harmless() {
        let mut peers = UnreadablePeers::default();
        for len in 0..12 {
            peers.on_not_opened(from(1), &init()[..len]);
            peers.on_plain(from(1), &init()[..len]);
        }
        assert!(peers.all().is_empty());
    }
}
