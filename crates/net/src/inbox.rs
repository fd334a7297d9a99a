//! Received datagrams between the sockets and the core: split into packets and, if the endpoint is sealed, opened.

use std::net::SocketAddr;
use std::ops::Range;

use anabranch_base::ByteCount;
use anabranch_sctp::association::{Ecn, PathAddresses};
use anabranch_sctp::endpoint::{Channel, Train};
use bytes::Bytes;

use crate::buffer_pool::BufferPool;
use crate::receive_buffer::{HandedOver, ReceiveBuffer};
use crate::seal::{Datagram, Opened, Sealing};
use crate::unreadable_peers::UnreadablePeers;

/// Datagrams of one sender that the operating system coalesced (GRO): all of `stride` bytes, except a shorter last
/// one.
#[derive(Debug)]
pub(crate) struct ReceivedBatch<'a> {
    /// The destination address, with the socket's port.
    pub local: SocketAddr,
    /// The source address.
    pub remote: SocketAddr,
    /// Their ECN bits.
    pub ecn: Ecn,
    /// The length of each datagram but the last.
    pub stride: usize,
    /// The memory with the datagrams, contiguous from its beginning.
    pub buffer: &'a mut ReceiveBuffer,
    /// Their total length.
    pub len: usize,
}

/// Packets for the core that arrived together.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedTrain {
    addresses: PathAddresses,
    channel: Channel,
    ecn: Ecn,
    bytes: Bytes,
    memory: ByteCount,
    /// Their range in the inbox's `places`.
    places: Range<usize>,
    /// The previous source address of the peer's path, if it moved.
    pub(crate) moved_from: Option<SocketAddr>,
}

/// Packets queued for the core.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    /// The trains in the order of arrival.
    trains: Vec<ReceivedTrain>,
    /// The range of each packet in the memory of its train.
    places: Vec<Range<usize>>,
    /// The memory of small trains.
    pool: BufferPool,
    /// The memory of large trains.
    handed_over: HandedOver,
    /// The datagram to send back.
    reply: Vec<u8>,
    /// The channels whose peer has lost the session.
    pub forgotten: Vec<Channel>,
    /// The peers whose packets cannot be read.
    pub unreadable_peers: UnreadablePeers,
}

/// The origin of opened packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Origin {
    channel: Channel,
    remote: SocketAddr,
    moved_from: Option<SocketAddr>,
}

impl Inbox {
    /// Adds plain SCTP packets.
    pub(crate) fn take_plain(&mut self, received: ReceivedBatch<'_>) {
        let ReceivedBatch { local, remote, ecn, .. } = received;
        let first = self.places.len();
        for place in received.places() {
            self.unreadable_peers.on_plain(remote, &received.buffer.bytes()[place.clone()]);
            self.places.push(place);
        }
        let origin = Origin { channel: Channel::PLAIN, remote, moved_from: None };
        let (bytes, memory) = self.keep(received);
        self.push(local, ecn, &bytes, memory, origin, first..self.places.len());
    }

    /// Opens the datagrams and adds their packets. A datagram to send back on the same addresses is passed to
    /// `reply`.
    pub(crate) fn take_sealed(
        &mut self,
        received: ReceivedBatch<'_>,
        sealing: &mut Sealing,
        mut reply: impl FnMut(&[u8]),
    ) {
        let ReceivedBatch { local, remote, ecn, .. } = received;
        let addresses = PathAddresses { local, remote };
        let first_train = self.trains.len();
        let mut open: Option<(Origin, usize)> = None;
        for place in received.places() {
            let datagram = &mut received.buffer.memory()[place.clone()];
            self.reply.clear();
            match sealing.handle(addresses, datagram, &mut self.reply) {
                Opened::Packet { channel, len, remote, moved_from } => {
                    let origin = Origin { channel, remote, moved_from };
                    let follows = open.is_some_and(|(last, _)| last == origin && moved_from.is_none());
                    if !follows {
                        self.close(local, ecn, open.replace((origin, self.places.len())));
                    }
                    let start = place.start + Datagram::PACKET_AT;
                    self.places.push(start..start + len);
                }
                Opened::Reply => reply(&self.reply),
                Opened::Forgotten(channel) => self.forgotten.push(channel),
                Opened::Nothing => self.unreadable_peers.on_not_opened(remote, datagram),
            }
        }
        self.close(local, ecn, open);
        if self.trains.len() > first_train {
            let (bytes, memory) = self.keep(received);
            for train in &mut self.trains[first_train..] {
                train.bytes.clone_from(&bytes);
                train.memory = memory;
            }
        }
    }

    /// Passes all packets to `handle` in the order of arrival.
    pub(crate) fn drain(&mut self, mut handle: impl FnMut(&ReceivedTrain, &Train<'_>)) {
        for train in self.trains.drain(..) {
            handle(&train, &train.packets(&self.places));
        }
        self.places.clear();
    }

    /// The number of queued packets.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Ends a run of opened packets of one origin and adds its train; its memory is set later.
    fn close(&mut self, local: SocketAddr, ecn: Ecn, open: Option<(Origin, usize)>) {
        if let Some((origin, first)) = open {
            self.push(local, ecn, &Bytes::new(), ByteCount::ZERO, origin, first..self.places.len());
        }
    }

    fn push(
        &mut self,
        local: SocketAddr,
        ecn: Ecn,
        bytes: &Bytes,
        memory: ByteCount,
        origin: Origin,
        places: Range<usize>,
    ) {
        let Origin { channel, remote, moved_from } = origin;
        let (addresses, bytes) = (PathAddresses { local, remote }, bytes.clone());
        self.trains.push(ReceivedTrain { addresses, channel, ecn, bytes, memory, places, moved_from });
    }

    /// Keeps the memory of a batch, and returns it with its size: a batch that fills half a buffer or more keeps the
    /// buffer, a smaller one is copied.
    fn keep(&mut self, received: ReceivedBatch<'_>) -> (Bytes, ByteCount) {
        let ReceivedBatch { buffer, len, .. } = received;
        if len < ReceiveBuffer::LEN / 2 {
            return self.pool.copy(&buffer.bytes()[..len]);
        }
        (buffer.hand_over(len, &mut self.handed_over), ByteCount::of_len(ReceiveBuffer::LEN))
    }
}

impl ReceivedTrain {
    /// The packets in the form of the core. `places` are the inbox's.
    fn packets<'a>(&'a self, places: &'a [Range<usize>]) -> Train<'a> {
        let PathAddresses { local, remote } = self.addresses;
        let ReceivedTrain { channel, ecn, ref bytes, memory, places: ref own, .. } = *self;
        Train { local, remote, channel, ecn, bytes, memory, packets: &places[own.clone()] }
    }
}

impl ReceivedBatch<'_> {
    /// The number of datagrams.
    pub(crate) fn count(&self) -> u64 {
        self.len.div_ceil(self.stride.max(1)) as u64
    }

    /// The range of each datagram.
    fn places(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (len, stride) = (self.len.min(ReceiveBuffer::LEN), self.stride.max(1));
        (0..len).step_by(stride).map(move |start| start..len.min(start + stride))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::{Ciphers, Key, Limits, Route, Sealed, initiated};
    use anabranch_sctp::endpoint::ChannelUse;
    use anabranch_sctp::policy::PathId;

    /// Passes datagrams of `stride` bytes to `take`.
    fn receive(bytes: &[u8], stride: usize, take: impl FnOnce(ReceivedBatch<'_>)) {
        let (local, remote) = (([10, 0, 0, 2], 9899).into(), ([10, 0, 0, 1], 5000).into());
        let mut buffer = ReceiveBuffer::new();
        buffer.memory()[..bytes.len()].copy_from_slice(bytes);
        let (buffer, len) = (&mut buffer, bytes.len());
        take(ReceivedBatch { local, remote, ecn: Ecn::NotEct, stride, buffer, len });
    }

    fn contents(inbox: &mut Inbox) -> Vec<Vec<u8>> {
        let mut contents = Vec::new();
        inbox.drain(|_, train| {
            contents.extend(train.packets.iter().map(|place| train.bytes[place.clone()].to_vec()));
        });
        assert_eq!(inbox.len(), 0);
        contents
    }

    #[test]
    fn received_batches_are_split_at_the_stride() {
        let mut inbox = Inbox::default();
        receive(b"aaabbbc", 3, |received| inbox.take_plain(received));
        receive(b"", 0, |received| inbox.take_plain(received));
        receive(b"abc", 1500, |received| inbox.take_plain(received));
        assert_eq!(contents(&mut inbox), [&b"aaa"[..], b"bbb", b"c", b"abc"]);
    }

    #[test]
    fn a_batch_that_fills_half_a_buffer_stays_where_it_is_and_a_smaller_one_is_copied() {
        for (len, memory) in [(32_767, 32_768), (32_768, 65_536), (65_536, 65_536)] {
            let mut inbox = Inbox::default();
            let mut place = std::ptr::null();
            receive(&vec![7; len], 1_000, |received| {
                place = received.buffer.bytes().as_ptr();
                inbox.take_plain(received);
            });
            inbox.drain(|_, train| {
                assert_eq!((train.bytes.len(), train.memory), (len, ByteCount::new(memory)));
                assert_eq!(train.bytes.as_ptr() == place, len >= 32_768);
                assert_eq!(train.packets.len(), len.div_ceil(1_000));
            });
        }
    }

    #[test]
    fn of_a_batch_what_opens_is_taken_and_what_has_to_go_back_is_given_back() {
        let key = Key::from_bytes([1; Key::LEN]);
        let layer = || Sealing::new(&key, Ciphers::ALL, Limits::default());
        let (mut near, mut far) = (layer(), layer());
        near.on_use(ChannelUse::Taken(initiated(1)));
        let route = Route::of(PathId::FIRST).expect("the first");
        let mut initiation = Vec::new();
        let first = near.seal(initiated(1), route, [&b"INIT"[..]].into_iter(), &mut initiation);
        assert_eq!(first, Sealed::Initiation);
        let mut inbox = Inbox::default();
        let mut responses = Vec::new();
        // The initiation twice, with garbage between.
        let batch = [&initiation[..], &[7; Datagram::HANDSHAKE_LEN], &initiation[..]].concat();
        receive(&batch, Datagram::HANDSHAKE_LEN, |received| {
            inbox.take_sealed(received, &mut far, |response| responses.push(response.to_vec()));
        });
        assert_eq!((responses.len(), inbox.len()), (2, 0));
        let mut held = Vec::new();
        let mut back = Inbox::default();
        receive(&responses[0], 1500, |received| {
            back.take_sealed(received, &mut near, |packet| held.extend_from_slice(packet));
        });
        assert_eq!(back.len(), 0);
        let payloads = [&b"DATA"[..], b"SACK", b"MORE"];
        assert_eq!(near.seal(initiated(1), route, payloads.into_iter(), &mut held), Sealed::Packets);
        held[40] ^= 1;
        receive(&held, Datagram::OVERHEAD + 4, |received| {
            inbox.take_sealed(received, &mut far, |_| panic!("nothing goes back"));
        });
        assert_eq!(inbox.trains.len(), 1, "they have one origin");
        assert_eq!(contents(&mut inbox), [b"INIT", b"SACK", b"MORE"], "the second was damaged");
    }
}
