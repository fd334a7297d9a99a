//! Notices of changes by rtnetlink (`rtnetlink(7)`). Their content is not used: if many arrive at once some are lost, so
//! that only a fresh list of the interfaces is reliable.

use std::io;

use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with};
use tokio::net::UdpSocket;

/// A socket to which the kernel sends notices.
#[derive(Debug)]
pub(crate) struct Subscription {
    /// Not a UDP socket: tokio's type works for every socket that receives datagrams.
    socket: UdpSocket,
}

impl Subscription {
    /// Opens the socket.
    pub(crate) fn open() -> io::Result<Subscription> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
        bind(&socket, &SocketAddrNetlink::new(0, LINKS | ADDRESSES | ROUTES))?;
        Ok(Subscription { socket: UdpSocket::from_std(socket.into())? })
    }

    /// Waits for a notice and takes all queued ones.
    pub(crate) async fn next(&mut self) -> io::Result<()> {
        while self.take_all()? == 0 {
            self.socket.readable().await?;
        }
        Ok(())
    }

    /// Takes all notices, and returns their number.
    fn take_all(&mut self) -> io::Result<usize> {
        let mut beginning = [0_u8; 16];
        let mut count = 0;
        while count < MOST_AT_ONCE {
            match self.socket.try_recv(&mut beginning) {
                Ok(_) => count += 1,
                // The kernel dropped some, which is a notice as well.
                Err(error) if error.raw_os_error() == Some(Errno::NOBUFS.raw_os_error()) => count += 1,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    }
}

/// `RTMGRP_LINK`, `RTMGRP_IPV4_IFADDR` and `RTMGRP_IPV6_IFADDR`, `RTMGRP_IPV4_ROUTE` and `RTMGRP_IPV6_ROUTE` of
/// `linux/rtnetlink.h`.
const LINKS: u32 = 0x1;
const ADDRESSES: u32 = 0x10 | 0x100;
const ROUTES: u32 = 0x40 | 0x400;
/// The most notices taken at once, so that continuous changes do not keep the task here.
const MOST_AT_ONCE: usize = 256;
