//! One UDP socket: a call receives many datagrams, each with its ECN codepoint and the kernel's arrival time.

use std::io::{self, IoSliceMut};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

use anabranch_base::{Ecn, Time};
use quinn_udp::{BATCH_SIZE, EcnCodepoint, RecvMeta, Transmit, UdpSocketState};
use socket2::{Domain, Protocol, Type};

use crate::clock::Clock;

/// A UDP socket at one local address.
#[derive(Debug)]
pub(crate) struct Socket {
    io: UdpSocket,
    state: UdpSocketState,
    address: SocketAddr,
}

/// A received datagram.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// The arrival time.
    pub at: Time,
    /// The source address.
    pub from: SocketAddr,
    /// The local destination address, if the system reports it.
    pub to: Option<IpAddr>,
    /// The ECN codepoint.
    pub ecn: Ecn,
    /// The payload.
    pub bytes: Vec<u8>,
}

/// The state of the socket after a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// The batch was not full: no further datagram waits.
    None,
    /// The batch was full: further datagrams may wait.
    Perhaps,
}

/// A datagram to send.
#[derive(Debug)]
pub(crate) struct OutgoingDatagram<'a> {
    /// The destination address.
    pub to: SocketAddr,
    /// The source address, if the socket has several.
    pub source: Option<IpAddr>,
    /// The ECN codepoint.
    pub ecn: Ecn,
    /// The payload.
    pub bytes: &'a [u8],
}

/// The memory into which datagrams are received.
#[derive(Debug)]
pub(crate) struct ReceiveBuffers {
    memory: Vec<u8>,
    meta: [RecvMeta; BATCH_SIZE],
}

impl Socket {
    /// Opens a socket at `address`; with port 0 the system chooses one. An IPv6 socket does not accept IPv4.
    ///
    /// # Errors
    /// The error of the operating system.
    pub(crate) fn bind(address: SocketAddr) -> io::Result<Socket> {
        let socket = socket2::Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
        if address.is_ipv6() {
            socket.set_only_v6(true)?;
        }
        // The system may grant less than requested; the drops that follow are reported.
        let _ = socket.set_recv_buffer_size(WANTED_BUFFER);
        let _ = socket.set_send_buffer_size(WANTED_BUFFER);
        socket.set_nonblocking(true)?;
        socket.bind(&address.into())?;
        let io = UdpSocket::from(socket);
        let state = UdpSocketState::new((&io).into())?;
        make_room_for_codepoints(&io, address);
        allow_fragments(&io);
        let address = io.local_addr()?;
        Ok(Socket { io, state, address })
    }

    /// The address to which it is bound, with its port.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Appends one batch of datagrams, if any, to `arrivals`, and returns true if more may wait. Datagrams that the
    /// system coalesced count one by one, with the same arrival time.
    ///
    /// # Errors
    /// `WouldBlock` if nothing waits. Other errors need not recur at the next call.
    pub(crate) fn receive(
        &self,
        clock: &Clock,
        buffers: &mut ReceiveBuffers,
        arrivals: &mut Vec<Arrival>,
    ) -> io::Result<Rest> {
        let mut memory = buffers.memory.chunks_exact_mut(LARGEST_RECEIVED);
        let mut slices: [IoSliceMut<'_>; BATCH_SIZE] =
            std::array::from_fn(|_| IoSliceMut::new(memory.next().unwrap_or_default()));
        let count = self.state.recv((&self.io).into(), &mut slices, &mut buffers.meta)?;
        let moment = clock.moment();
        for (meta, bytes) in buffers.meta.iter().zip(&slices).take(count) {
            let (at, to) = (moment.arrival(meta.timestamp), meta.dst_ip);
            let datagrams = split(&bytes[..meta.len.min(bytes.len())], meta.stride);
            arrivals.extend(datagrams.map(|bytes| Arrival {
                at,
                from: meta.addr,
                to,
                ecn: Ecn::from_bits(meta.ecn.map_or(0, |codepoint| codepoint as u8)),
                bytes: bytes.to_vec(),
            }));
        }
        Ok(if count == BATCH_SIZE { Rest::Perhaps } else { Rest::None })
    }

    /// Sends a datagram.
    ///
    /// # Errors
    /// The error of the operating system; the socket can still be used.
    pub(crate) fn send(&self, message: &OutgoingDatagram<'_>) -> io::Result<()> {
        let transmit = Transmit {
            destination: message.to,
            ecn: EcnCodepoint::from_bits(message.ecn.bits()),
            contents: message.bytes,
            segment_size: None,
            // A bound socket has one source.
            src_ip: message.source.filter(|_| self.address.ip().is_unspecified()),
        };
        self.state.try_send((&self.io).into(), &transmit)
    }
}

#[cfg(test)]
impl Socket {
    /// Sends the message as contiguous datagrams of `size` bytes in one call.
    pub(crate) fn send_batch(&self, message: &OutgoingDatagram<'_>, size: usize) -> io::Result<()> {
        let transmit = Transmit {
            destination: message.to,
            ecn: EcnCodepoint::from_bits(message.ecn.bits()),
            contents: message.bytes,
            segment_size: Some(size),
            src_ip: None,
        };
        self.state.try_send((&self.io).into(), &transmit)
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.io.as_fd()
    }
}

impl ReceiveBuffers {
    /// Buffers for one batch.
    pub(crate) fn new() -> ReceiveBuffers {
        ReceiveBuffers {
            memory: vec![0; BATCH_SIZE * LARGEST_RECEIVED],
            meta: [RecvMeta::default(); BATCH_SIZE],
        }
    }
}

/// `quinn-udp` has room for 96 bytes of control messages per batch, and requests more: of a batch's length, its time,
/// its destination address and its ECN codepoint the last is truncated. A socket at one address does not need the
/// destination address; at other sockets each datagram is received alone.
#[cfg(target_os = "linux")]
fn make_room_for_codepoints(io: &UdpSocket, address: SocketAddr) {
    use nix::sys::socket::{setsockopt, sockopt};
    let _ = match address.ip() {
        ip if ip.is_unspecified() => setsockopt(io, sockopt::UdpGroSegment, &false),
        IpAddr::V4(_) => setsockopt(io, sockopt::Ipv4PacketInfo, &false),
        IpAddr::V6(_) => setsockopt(io, sockopt::Ipv6RecvPacketInfo, &false),
    };
}

/// Other systems do not coalesce datagrams.
#[cfg(not(target_os = "linux"))]
fn make_room_for_codepoints(_: &UdpSocket, _: SocketAddr) {}

/// Splits coalesced datagrams, all of `stride` bytes except a shorter last one. Returns an empty datagram, too.
fn split(received: &[u8], stride: usize) -> impl Iterator<Item = &[u8]> {
    let empty = received.is_empty().then_some(received);
    empty.into_iter().chain(received.chunks(stride.max(1)))
}

/// Permits fragmentation, because a link accepts datagrams of any size, also those that the real network must
/// fragment. `quinn-udp` forbids it, as QUIC requires.
#[cfg(target_os = "linux")]
fn allow_fragments(io: &UdpSocket) {
    use rustix::net::sockopt::{Ipv4PathMtuDiscovery, set_ip_mtu_discover};
    let _ = set_ip_mtu_discover(io, Ipv4PathMtuDiscovery::DONT);
}

/// On other systems a datagram too large for the path to the target is not sent, and is counted.
#[cfg(not(target_os = "linux"))]
fn allow_fragments(_: &UdpSocket) {}

/// The largest receive: a whole datagram, or as many as the system coalesces.
const LARGEST_RECEIVED: usize = 65_536;
/// The requested buffer: 0.3 s at 100 Mbit/s.
const WANTED_BUFFER: usize = 4 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn received_batches_are_split_at_the_stride() {
        assert_eq!(split(b"aaabbbc", 3).collect::<Vec<_>>(), [&b"aaa"[..], b"bbb", b"c"]);
        assert_eq!(split(b"abc", 1500).count(), 1);
        assert_eq!(split(b"abc", 0).count(), 3);
    }

    #[test]
    fn an_empty_datagram_is_a_datagram() {
        assert_eq!(split(b"", 0).collect::<Vec<_>>(), [&b""[..]]);
    }
}
