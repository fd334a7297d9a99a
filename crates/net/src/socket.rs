//! One UDP socket: a call sends or receives many packets if the operating system supports it (GSO, GRO), with their
//! ECN bits and destination addresses.

use std::io::{self, IoSliceMut};
use std::net::{IpAddr, SocketAddr};
use std::task::{Context, Poll, ready};

use anabranch_base::ByteCount;
use anabranch_sctp::association::Ecn;
use quinn_udp::{EcnCodepoint, RecvMeta, Transmit, UdpSocketState};
use socket2::{Domain, Protocol, Type};
use tokio::io::Interest;
use tokio::net::UdpSocket;

use crate::icmp::{self, Undelivered};
use crate::inbox::ReceivedBatch;
use crate::outbox::Packets;
use crate::receive_buffer::ReceiveBuffer;
use crate::system::{Device, SystemRef, host};

/// A UDP socket at one local address.
#[derive(Debug)]
pub(crate) struct Socket {
    io: UdpSocket,
    state: UdpSocketState,
    address: SocketAddr,
    system: SystemRef,
}

/// The memory into which a batch of datagrams is received.
#[derive(Debug)]
pub(crate) struct ReceiveBuffers {
    buffers: [ReceiveBuffer; BATCH],
    meta: [RecvMeta; BATCH],
}

/// The bounds of a socket's packets beyond its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ties<'a> {
    /// The operating system that sends and receives them.
    pub system: SystemRef,
    /// The interface by which alone they are sent and received, if the system supports it: its name and index.
    pub device: Option<(&'a str, Option<u32>)>,
    /// Their mark.
    pub mark: Option<u32>,
}

impl Default for Ties<'_> {
    fn default() -> Self {
        Ties { system: host(), device: None, mark: None }
    }
}

impl Socket {
    /// Opens a socket at `address`; with port 0 the operating system chooses one. An IPv6 socket does not accept IPv4. Must
    /// be called within a tokio runtime.
    ///
    /// # Errors
    /// The error of the operating system.
    pub(crate) fn bind(address: SocketAddr, ties: Ties<'_>) -> io::Result<Socket> {
        let socket = socket2::Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
        if address.is_ipv6() {
            socket.set_only_v6(true)?;
        }
        // The system may grant less than requested, down to nothing; see `buffer_sizes`.
        let _ = socket.set_recv_buffer_size(WANTED_BUFFER);
        let _ = socket.set_send_buffer_size(WANTED_BUFFER);
        let system = ties.system;
        if let Some((name, index)) = ties.device {
            let device = Device { name, index, is_ipv4: address.is_ipv4() };
            if let Err(error) = system.bind_to_interface(&socket, device) {
                crate::log::warn!(device = name, %error, "cannot bind a socket to its interface; routes select the interface");
            }
        }
        if let Some(mark) = ties.mark {
            system.set_mark(&socket, mark)?;
        }
        socket.set_nonblocking(true)?;
        socket.bind(&address.into())?;
        let io = UdpSocket::from_std(socket.into())?;
        let state = UdpSocketState::new((&io).into())?;
        system.prepare(&io);
        let address = io.local_addr()?;
        let socket = Socket { io, state, address, system };
        let (receive, send) = socket.buffer_sizes();
        if receive.min(send) < TINY_BUFFER {
            crate::log::warn!(%address, %receive, %send, "very small socket buffers will lose packets; raise net.core.rmem_max and net.core.wmem_max");
        }
        Ok(socket)
    }

    /// The address to which it is bound, with its port.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The operating system that it belongs to.
    pub(crate) fn system(&self) -> SystemRef {
        self.system
    }

    /// The receive and the send buffer granted by the operating system, in the system's own accounting.
    pub(crate) fn buffer_sizes(&self) -> (ByteCount, ByteCount) {
        let receive = self.state.recv_buffer_size((&self.io).into()).unwrap_or(0);
        let send = self.state.send_buffer_size((&self.io).into()).unwrap_or(0);
        (ByteCount::of_len(receive), ByteCount::of_len(send))
    }

    /// The most packets one call may send.
    pub(crate) fn max_segments(&self) -> usize {
        self.state.max_gso_segments().max(1)
    }

    /// Waits until the socket may be readable.
    pub(crate) fn poll_readable(&self, context: &mut Context<'_>) -> Poll<()> {
        // An error here means that the runtime is shutting down; the next receive call reports it.
        let _ = ready!(self.io.poll_recv_ready(context));
        Poll::Ready(())
    }

    /// Waits until the socket is writable.
    pub(crate) fn poll_writable(&self, context: &mut Context<'_>) -> Poll<()> {
        let _ = ready!(self.io.poll_send_ready(context));
        Poll::Ready(())
    }

    /// Receives one batch of datagrams, if any, and passes each to `take`. Returns true if the batch was full, so
    /// that more may wait.
    ///
    /// # Errors
    /// `WouldBlock` if nothing has arrived: [`poll_readable`](Socket::poll_readable) waits for it. Other errors need
    /// not recur at the next call.
    pub(crate) fn receive(
        &self,
        buffers: &mut ReceiveBuffers,
        mut take: impl FnMut(ReceivedBatch<'_>),
    ) -> io::Result<bool> {
        let mut slices = buffers.buffers.each_mut().map(|buffer| IoSliceMut::new(buffer.memory()));
        let mut count = 0;
        let received = self.io.try_io(Interest::READABLE, || {
            count = self.state.recv((&self.io).into(), &mut slices, &mut buffers.meta)?;
            // A call that does not fill the batch has emptied the socket: this informs tokio without another call.
            if count < BATCH { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
        });
        match received {
            Err(error) if count == 0 => return Err(error),
            _ => {}
        }
        for (meta, buffer) in buffers.meta.iter().zip(&mut buffers.buffers).take(count) {
            let (local, remote, ecn) = (self.destination(meta), meta.addr, ecn_of(meta.ecn));
            let len = meta.len.min(ReceiveBuffer::LEN);
            take(ReceivedBatch { local, remote, ecn, stride: meta.stride, buffer, len });
        }
        Ok(count == BATCH)
    }

    /// Sends packets in one call.
    ///
    /// # Errors
    /// `WouldBlock` if the socket's buffer is full: [`poll_writable`](Socket::poll_writable) waits for room. After
    /// any other error the packets cannot be sent in this form; if the system refuses segmentation,
    /// [`max_segments`](Socket::max_segments) is 1 from then on.
    pub(crate) fn send(&self, packets: &Packets<'_>) -> io::Result<()> {
        let transmit = Transmit {
            destination: packets.envelope.remote,
            ecn: EcnCodepoint::from_bits(packets.envelope.ecn.bits()),
            contents: packets.bytes,
            segment_size: Some(packets.segment_size),
            src_ip: packets.envelope.source,
        };
        let send = || self.state.try_send((&self.io).into(), &transmit);
        self.io.try_io(Interest::WRITABLE, || {
            if !packets.envelope.may_fragment {
                return send();
            }
            // A chunk that was made for a larger MTU must be retransmitted (RFC 8899 §6.2).
            self.system.set_fragmentation(&self.io, self.address, true)?;
            let result = send();
            self.system.set_fragmentation(&self.io, self.address, false)?;
            result
        })
    }

    /// Turns reports of undelivered packets on or off. While they are on, a call may fail with the error of an
    /// earlier packet.
    pub(crate) fn report_errors(&self, is_wanted: bool) {
        self.system.report_errors(&self.io, self.address.is_ipv4(), is_wanted);
    }

    /// Takes the queued reports.
    pub(crate) fn take_errors(&self) -> Vec<Undelivered> {
        icmp::take_errors(self.system, &self.io, self.address)
    }

    /// Returns true if packets from `local` are sent by this socket.
    pub(crate) fn is_for(&self, local: SocketAddr) -> bool {
        let is_wildcard = self.address.ip().is_unspecified();
        self.address == local
            || (is_wildcard
                && self.address.port() == local.port()
                && self.address.is_ipv4() == local.is_ipv4())
    }

    /// The source address to set for packets from `local`, if the socket has several.
    pub(crate) fn source(&self, local: SocketAddr) -> Option<IpAddr> {
        let is_wildcard = self.address.ip().is_unspecified();
        (is_wildcard && !local.ip().is_unspecified()).then(|| local.ip())
    }

    /// The destination address of a datagram, with the socket's port.
    fn destination(&self, meta: &RecvMeta) -> SocketAddr {
        if !self.address.ip().is_unspecified() {
            return self.address;
        }
        let mut local = self.address;
        if let Some(ip) = meta.dst_ip {
            local.set_ip(ip);
        }
        if let (SocketAddr::V6(local), Some(interface)) = (&mut local, meta.interface_index)
            && local.ip().is_unicast_link_local()
        {
            local.set_scope_id(interface);
        }
        local
    }
}

impl ReceiveBuffers {
    /// Buffers for one batch.
    pub(crate) fn new() -> ReceiveBuffers {
        let buffers = std::array::from_fn(|_| ReceiveBuffer::new());
        ReceiveBuffers { buffers, meta: [RecvMeta::default(); BATCH] }
    }
}

fn ecn_of(codepoint: Option<EcnCodepoint>) -> Ecn {
    Ecn::from_bits(codepoint.map_or(0, |codepoint| codepoint as u8))
}

/// The most coalesced batches received in one call.
const BATCH: usize = 16;
/// The requested buffer: a window on a fast, long path.
const WANTED_BUFFER: usize = 4 << 20;
/// A smaller buffer loses packets in every burst.
const TINY_BUFFER: ByteCount = ByteCount::from_kib(128);

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    use anabranch_sctp::endpoint::Train;
    use bytes::Bytes;

    use crate::inbox::Inbox;
    use crate::outbox::PacketHeader;

    fn pair() -> (Socket, Socket) {
        let loopback = "127.0.0.1:0".parse().expect("an address");
        let bound = || Socket::bind(loopback, Ties::default()).expect("a socket");
        (bound(), bound())
    }

    /// Receives up to `count` datagrams.
    async fn receive(socket: &Socket, count: usize) -> Vec<Arrived> {
        let (mut buffers, mut inbox) = (ReceiveBuffers::new(), Inbox::default());
        while inbox.len() < count {
            std::future::poll_fn(|context| socket.poll_readable(context)).await;
            match socket.receive(&mut buffers, |received| inbox.take_plain(received)) {
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => panic!("{error}"),
                _ => {}
            }
        }
        let mut arrived = Vec::new();
        inbox.drain(|_, train| {
            let Train { local, remote, ecn, bytes, packets, .. } = *train;
            let one =
                |place: &Range<usize>| Arrived { local, remote, ecn, bytes: bytes.slice(place.clone()) };
            arrived.extend(packets.iter().map(one));
        });
        arrived
    }

    /// A datagram with its metadata.
    struct Arrived {
        local: SocketAddr,
        remote: SocketAddr,
        ecn: Ecn,
        bytes: Bytes,
    }

    async fn send(from: &Socket, to: SocketAddr, ecn: Ecn, segment_size: usize, bytes: &[u8]) {
        let envelope = PacketHeader { remote: to, source: None, ecn, may_fragment: false };
        std::future::poll_fn(|context| from.poll_writable(context)).await;
        from.send(&Packets { envelope, segment_size, bytes }).expect("sent");
    }

    #[tokio::test]
    async fn many_packets_leave_in_one_call_and_arrive_as_they_were() {
        let (sender, receiver) = pair();
        let count = sender.max_segments().min(20);
        let mut bytes: Vec<u8> = (0..count).flat_map(|number| vec![number as u8; 1200]).collect();
        bytes.truncate(bytes.len() - 500.min(1200 * (count - 1)));
        send(&sender, receiver.address(), Ecn::NotEct, 1200, &bytes).await;
        let arrivals = receive(&receiver, count).await;
        let arrived: Vec<&[u8]> = arrivals.iter().map(|arrival| &arrival.bytes[..]).collect();
        assert_eq!(arrived, bytes.chunks(1200).collect::<Vec<_>>());
        assert!(arrivals.iter().all(|arrival| arrival.remote == sender.address()));
    }

    /// Batches that the system segments (GSO) and coalesces (GRO), each with another codepoint.
    #[tokio::test]
    async fn each_packet_of_a_batch_has_the_codepoint_of_its_batch() {
        let all = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce];
        for loopback in ["127.0.0.1:0", "[::1]:0"] {
            let bound = || Socket::bind(loopback.parse().expect("an address"), Ties::default());
            let (Ok(sender), Ok(receiver)) = (bound(), bound()) else {
                println!("skipped: {loopback} is not an address of this machine");
                continue;
            };
            let count = sender.max_segments().min(20);
            for ecn in all {
                send(&sender, receiver.address(), ecn, 1200, &vec![ecn.bits(); 1200 * count]).await;
            }
            let arrivals = receive(&receiver, all.len() * count).await;
            let arrived: Vec<(u8, Ecn)> =
                arrivals.iter().map(|arrival| (arrival.bytes[0], arrival.ecn)).collect();
            let expected = all.iter().flat_map(|ecn| vec![(ecn.bits(), *ecn); count]);
            assert_eq!(arrived, expected.collect::<Vec<_>>());
        }
    }

    #[tokio::test]
    async fn a_wildcard_socket_knows_where_a_datagram_was_sent_to_and_answers_from_there() {
        let any = "0.0.0.0:0".parse().expect("an address");
        let wildcard = Socket::bind(any, Ties::default()).expect("a socket");
        let (asker, _) = pair();
        let asked: SocketAddr = ([127, 0, 0, 3], wildcard.address().port()).into();
        send(&asker, asked, Ecn::NotEct, 4, b"ping").await;
        let arrival = receive(&wildcard, 1).await.remove(0);
        assert_eq!(arrival.local, asked);
        assert!(wildcard.is_for(arrival.local));
        let source = wildcard.source(arrival.local);
        let (remote, ecn) = (arrival.remote, Ecn::NotEct);
        let envelope = PacketHeader { remote, source, ecn, may_fragment: false };
        std::future::poll_fn(|context| wildcard.poll_writable(context)).await;
        wildcard.send(&Packets { envelope, segment_size: 4, bytes: b"pong" }).expect("sent");
        assert_eq!(receive(&asker, 1).await[0].remote, asked);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_socket_that_is_tied_to_its_interface_sends_and_receives_there() {
        let loopback = "127.0.0.1:0".parse().expect("an address");
        let ties = Ties { device: Some(("lo", None)), ..Ties::default() };
        let tied = Socket::bind(loopback, ties).expect("a socket");
        let (other, _) = pair();
        send(&tied, other.address(), Ecn::NotEct, 4, b"ping").await;
        assert_eq!(receive(&other, 1).await[0].remote, tied.address());
        send(&other, tied.address(), Ecn::NotEct, 4, b"pong").await;
        assert_eq!(receive(&tied, 1).await[0].remote, other.address());
    }

    #[tokio::test]
    async fn a_socket_is_asked_for_its_own_addresses_only() {
        let (one, _) = pair();
        let (local, other): (SocketAddr, SocketAddr) =
            (one.address(), ([127, 0, 0, 2], one.address().port()).into());
        assert!(one.is_for(local) && !one.is_for(other));
        assert_eq!(one.source(local), None, "a bound socket has one source");
    }
}
