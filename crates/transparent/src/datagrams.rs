//! Datagrams of captured flows, with their original destinations.

use std::cell::RefCell;
use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::AsRawFd as _;

use nix::libc;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg};
use tokio::io::Interest;
use tokio::net::UdpSocket;

/// A datagram of a captured flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The payload.
    pub data: Vec<u8>,
    /// The address of the program that sent it.
    pub program: SocketAddr,
    /// The address to which the program sent it.
    pub destination: SocketAddr,
}

/// Takes the next datagram of a socket that reports original destinations; `WouldBlock` if none waits.
pub(crate) fn receive(socket: &UdpSocket) -> io::Result<Datagram> {
    thread_local! {
        static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    BUFFER.with_borrow_mut(|buffer| {
        buffer.resize(LARGEST, 0);
        socket.try_io(Interest::READABLE, || receive_into(socket, buffer))
    })
}

fn receive_into(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Datagram> {
    let mut control = nix::cmsg_space!(libc::sockaddr_in6);
    let mut slices = [IoSliceMut::new(buffer)];
    let received =
        recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut slices, Some(&mut control), MsgFlags::empty())?;
    let program =
        received.address.and_then(|address| address_of(&address)).ok_or(io::ErrorKind::InvalidData)?;
    let destination = received.cmsgs()?.find_map(|message| match message {
        ControlMessageOwned::Ipv4OrigDstAddr(address) => Some(ipv4(address)),
        ControlMessageOwned::Ipv6OrigDstAddr(address) => Some(ipv6(address)),
        _ => None,
    });
    let destination = destination.ok_or(io::ErrorKind::InvalidData)?;
    let length = received.bytes;
    Ok(Datagram { data: buffer.get(..length).unwrap_or_default().to_vec(), program, destination })
}

fn address_of(address: &SockaddrStorage) -> Option<SocketAddr> {
    let ipv4 = address.as_sockaddr_in().map(|address| SocketAddr::V4((*address).into()));
    ipv4.or_else(|| address.as_sockaddr_in6().map(|address| SocketAddr::V6((*address).into())))
}

fn ipv4(address: libc::sockaddr_in) -> SocketAddr {
    let ip = Ipv4Addr::from_bits(u32::from_be(address.sin_addr.s_addr));
    SocketAddrV4::new(ip, u16::from_be(address.sin_port)).into()
}

fn ipv6(address: libc::sockaddr_in6) -> SocketAddr {
    let ip = Ipv6Addr::from(address.sin6_addr.s6_addr);
    SocketAddrV6::new(ip, u16::from_be(address.sin6_port), 0, 0).into()
}

/// The largest datagram.
const LARGEST: usize = 65_535;
