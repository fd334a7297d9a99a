//! The IP options of Linux's sockets (`ip(7)`, `ipv6(7)`), for Linux and Android.

use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::AsRawFd;

use nix::libc::{sock_extended_err, sockaddr_in6};
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, setsockopt, sockopt as options,
};
use rustix::net::sockopt::{
    Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery, set_ip_mtu_discover, set_ipv6_mtu_discover,
};
use tokio::net::UdpSocket;

/// `EMSGSIZE`, `ENOBUFS` and `EAFNOSUPPORT`.
pub(super) const NUMBERS: [i32; 3] = [90, 105, 97];

/// `quinn-udp` requests the time of each arrival, which is not used here, and has room for 96 bytes of control
/// messages per batch: with the time among them the last one, the ECN codepoint, is truncated.
pub(super) fn leave_out_times(socket: &UdpSocket) {
    if let Err(error) = setsockopt(socket, options::ReceiveTimestampns, &false) {
        crate::log::warn!(%error, "cannot turn arrival times off: batches arrive without their ECN codepoint");
    }
}

/// With the DF bit clear, routers may fragment a packet, and this machine does so if its interface's MTU is smaller. With
/// IPv6 only this machine fragments, and only to the MTU of its interface or of an ICMP message.
pub(super) fn set_fragmentation(socket: &UdpSocket, local: SocketAddr, is_allowed: bool) -> io::Result<()> {
    match (local, is_allowed) {
        (SocketAddr::V4(_), true) => set_ip_mtu_discover(socket, Ipv4PathMtuDiscovery::DONT)?,
        (SocketAddr::V4(_), false) => set_ip_mtu_discover(socket, Ipv4PathMtuDiscovery::PROBE)?,
        (SocketAddr::V6(_), true) => set_ipv6_mtu_discover(socket, Ipv6PathMtuDiscovery::DONT)?,
        (SocketAddr::V6(_), false) => set_ipv6_mtu_discover(socket, Ipv6PathMtuDiscovery::PROBE)?,
    }
    Ok(())
}

/// Turns the socket's error queue (`IP_RECVERR`) on or off.
pub(super) fn report_errors(socket: &UdpSocket, is_ipv4: bool, is_wanted: bool) {
    let set = if is_ipv4 {
        setsockopt(socket, options::Ipv4RecvErr, &is_wanted)
    } else {
        setsockopt(socket, options::Ipv6RecvErr, &is_wanted)
    };
    if let Err(error) = set {
        crate::log::debug!(%error, "cannot ask for the network's errors");
    }
}

/// Takes the next error of the queue, with the destination of the packet that met it.
pub(super) fn next_error(socket: &UdpSocket) -> Option<(SocketAddr, io::Error)> {
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
