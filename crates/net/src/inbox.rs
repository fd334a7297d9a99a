//! Received datagrams on their way from the sockets to the core: separated and, where the endpoint is sealed, opened.

use std::net::SocketAddr;

use anabranch_sctp::association::{Ecn, PathAddresses};
use anabranch_sctp::endpoint::{Arrival, Channel};

use crate::buffer_pool::BufferPool;
use crate::seal::{Opened, Sealing};
use crate::strangers::Strangers;

/// Datagrams of one sender that the operating system put together: all of `stride` bytes but the last.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedBatch<'a> {
    /// The address they were sent to, with the socket's port.
    pub local: SocketAddr,
    /// Where they came from.
    pub remote: SocketAddr,
    /// Their ECN bits.
    pub ecn: Ecn,
    /// The length of each but the last.
    pub stride: usize,
    /// One behind the other.
    pub bytes: &'a [u8],
}

/// A packet for the core.
#[derive(Debug)]
pub struct ReceivedPacket {
    /// The packet.
    pub arrival: Arrival,
    /// Where the packets of the peer's path came from until now, if they moved.
    pub moved_from: Option<SocketAddr>,
}

/// Packets that wait for the core.
#[derive(Debug, Default)]
pub struct Inbox {
    /// In the order in which they came.
    pub packets: Vec<ReceivedPacket>,
    /// Where they lie.
    pool: BufferPool,
    /// What one of them is opened into.
    plain: Vec<u8>,
    /// Peers that have forgotten their session.
    pub forgotten: Vec<Channel>,
    /// Peers whose packets cannot be read.
    pub strangers: Strangers,
}

impl Inbox {
    /// Takes SCTP packets as they are.
    pub fn take_plain(&mut self, received: ReceivedBatch<'_>) {
        let ReceivedBatch { local, remote, ecn, .. } = received;
        for datagram in received.datagrams() {
            self.strangers.on_plain(remote, datagram);
            let (bytes, memory) = self.pool.copy(datagram);
            let arrival = Arrival { local, remote, channel: Channel::PLAIN, ecn, bytes, memory };
            self.packets.push(ReceivedPacket { arrival, moved_from: None });
        }
    }

    /// Takes those of the datagrams that can be opened. What has to go back the way they came is given to `reply`.
    pub fn take_sealed(
        &mut self,
        received: ReceivedBatch<'_>,
        sealing: &mut Sealing,
        mut reply: impl FnMut(&[u8]),
    ) {
        let ReceivedBatch { local, remote, ecn, .. } = received;
        let way = PathAddresses { local, remote };
        for datagram in received.datagrams() {
            self.plain.clear();
            match sealing.handle(way, datagram, &mut self.plain) {
                Opened::Packet { channel, remote, moved_from } => {
                    let (bytes, memory) = self.pool.copy(&self.plain);
                    let arrival = Arrival { local, remote, channel, ecn, bytes, memory };
                    self.packets.push(ReceivedPacket { arrival, moved_from });
                }
                Opened::Reply => reply(&self.plain),
                Opened::Forgotten(channel) => self.forgotten.push(channel),
                Opened::Nothing => self.strangers.on_not_opened(remote, datagram),
            }
        }
    }
}

impl ReceivedBatch<'_> {
    /// How many.
    pub fn count(&self) -> u64 {
        self.bytes.len().div_ceil(self.stride.max(1)) as u64
    }

    /// One after the other.
    fn datagrams(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks(self.stride.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::{Ciphers, Datagram, Key, Limits, Route, Sealed, initiated};
    use anabranch_sctp::endpoint::ChannelUse;
    use anabranch_sctp::policy::PathId;

    fn received(bytes: &[u8], stride: usize) -> ReceivedBatch<'_> {
        let (local, remote) = (([10, 0, 0, 2], 9899).into(), ([10, 0, 0, 1], 5000).into());
        ReceivedBatch { local, remote, ecn: Ecn::NotEct, stride, bytes }
    }

    fn contents(inbox: &Inbox) -> Vec<&[u8]> {
        inbox.packets.iter().map(|incoming| &incoming.arrival.bytes[..]).collect()
    }

    #[test]
    fn received_batches_are_split_at_the_stride() {
        let mut inbox = Inbox::default();
        inbox.take_plain(received(b"aaabbbc", 3));
        inbox.take_plain(received(b"", 0));
        inbox.take_plain(received(b"abc", 1500));
        assert_eq!(contents(&inbox), [&b"aaa"[..], b"bbb", b"c", b"abc"]);
    }

    #[test]
    fn of_a_batch_what_opens_is_taken_and_what_has_to_go_back_is_given_back() {
        let key = Key::from_bytes([1; Key::LEN]);
        let layer = || Sealing::new(&key, Ciphers::ALL, Limits::default());
        let (mut near, mut far) = (layer(), layer());
        near.on_use(ChannelUse::Taken(initiated(1)));
        let route = Route::of(PathId::FIRST).expect("the first");
        let mut initiation = Vec::new();
        assert_eq!(near.seal(initiated(1), route, b"INIT", &mut initiation), Sealed::Initiation);
        let mut inbox = Inbox::default();
        let mut responses = Vec::new();
        // The initiation twice, with rubbish between.
        let batch = [&initiation[..], &[7; Datagram::HANDSHAKE_LEN], &initiation[..]].concat();
        inbox.take_sealed(received(&batch, Datagram::HANDSHAKE_LEN), &mut far, |response| {
            responses.push(response.to_vec());
        });
        assert_eq!((responses.len(), inbox.packets.len()), (2, 0));
        let mut held = Vec::new();
        let mut back = Inbox::default();
        back.take_sealed(received(&responses[0], 1500), &mut near, |packet| held.extend_from_slice(packet));
        assert!(back.packets.is_empty());
        for payload in [b"DATA", b"SACK"] {
            assert_eq!(near.seal(initiated(1), route, payload, &mut held), Sealed::Packet);
        }
        held[40] ^= 1;
        inbox.take_sealed(received(&held, Datagram::OVERHEAD + 4), &mut far, |_| panic!("nothing goes back"));
        assert_eq!(contents(&inbox), [&b"INIT"[..], b"SACK"], "the second was damaged");
    }
}
