//! Notifications of the kernel that tables, ip rules or addresses changed.

use std::io;
use std::os::fd::AsRawFd as _;

use nix::libc;
use nix::sys::socket::{NetlinkAddr, bind};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::UdpSocket;

use crate::netlink::{NETFILTER, ROUTE};

/// The sockets where notifications of tables and ip rules arrive.
#[derive(Debug)]
pub(crate) struct Notifications {
    tables: UdpSocket,
    rules: UdpSocket,
}

impl Notifications {
    /// Begins to listen.
    pub(crate) fn open() -> io::Result<Notifications> {
        Ok(Notifications {
            tables: listen(NETFILTER, &[libc::NFNLGRP_NFTABLES as u32])?,
            rules: listen(ROUTE, &[libc::RTNLGRP_IPV4_RULE, libc::RTNLGRP_IPV6_RULE])?,
        })
    }

    /// Waits until a table or an ip rule of any program changed, and takes all notifications that wait.
    pub(crate) async fn changed(&self) {
        tokio::select! {
            () = take(&self.tables) => {}
            () = take(&self.rules) => {}
        }
    }
}

/// The socket where notifications of addresses arrive.
#[derive(Debug)]
pub(crate) struct AddressNotifications(UdpSocket);

impl AddressNotifications {
    /// Begins to listen.
    pub(crate) fn open() -> io::Result<AddressNotifications> {
        let groups = [libc::RTNLGRP_IPV4_IFADDR, libc::RTNLGRP_IPV6_IFADDR];
        listen(ROUTE, &groups).map(AddressNotifications)
    }

    /// Waits until this host gets or loses an address, and takes all notifications that wait.
    pub(crate) async fn changed(&self) {
        take(&self.0).await;
    }
}

fn listen(family: i32, groups: &[u32]) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::from(libc::AF_NETLINK), Type::RAW, Some(Protocol::from(family)))?;
    socket.set_nonblocking(true)?;
    let mask = groups.iter().fold(0, |mask, group| mask | 1 << (group - 1));
    bind(socket.as_raw_fd(), &NetlinkAddr::new(0, mask))?;
    // To tokio a socket for datagrams is one like another.
    UdpSocket::from_std(socket.into())
}

/// Waits for a notification, and reads all. Lost ones (`ENOBUFS`) are notifications too.
async fn take(socket: &UdpSocket) {
    let mut buffer = [0; 8_192];
    if socket.readable().await.is_err() {
        return std::future::pending().await;
    }
    for _ in 0..MOST {
        match socket.try_recv(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            _ => {}
        }
    }
}

/// The number of notifications that are read at once.
const MOST: usize = 1_024;
