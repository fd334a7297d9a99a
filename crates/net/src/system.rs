//! The operating system under an endpoint: interfaces, routes, sockets bound to an interface, fragmentation, reports of
//! undelivered packets (ICMP). One file a system has what differs there; a fake machine takes its place in tests.

#[cfg(target_os = "android")]
mod android;
#[cfg(target_vendor = "apple")]
mod apple;
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple", windows)))]
mod elsewhere;
#[cfg(test)]
mod fake;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod ip;
#[cfg(target_os = "linux")]
mod linux;
mod notices;
#[cfg(test)]
mod tests;
#[cfg(windows)]
mod windows;

use std::fmt::Debug;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::net::UdpSocket;

use crate::interface::{Interface, listed};
use crate::ipv6::Standing;

#[cfg(target_os = "android")]
use android::Android as Host;
#[cfg(target_vendor = "apple")]
use apple::Apple as Host;
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple", windows)))]
use elsewhere::Elsewhere as Host;
#[cfg(target_os = "linux")]
use linux::Linux as Host;
#[cfg(windows)]
use windows::Windows as Host;

pub(crate) use notices::Notices;

/// The system of this machine, or the fake one of a test.
pub(crate) type SystemRef = &'static dyn System;

/// Returns the system of this machine.
pub(crate) fn host() -> SystemRef {
    &Host
}

/// An operating system. The default of each method is the behaviour of a system that offers plain UDP sockets and a list
/// of its interfaces.
pub(crate) trait System: Debug + Send + Sync {
    /// The interfaces that are up, by name, loopback included.
    ///
    /// # Errors
    /// The system cannot list them.
    fn interfaces(&self) -> io::Result<Vec<Interface>> {
        listed(|_| None, |_, _| Standing::Preferred)
    }

    /// The prefixes of this machine's addresses; none if the system cannot list them.
    fn prefixes(&self) -> Vec<Prefix> {
        let found = if_addrs::get_if_addrs().unwrap_or_default();
        let prefix = |one: if_addrs::Interface| match one.addr {
            if_addrs::IfAddr::V4(v4) => {
                Prefix { ip: v4.ip.into(), length: v4.prefixlen, interface: one.index }
            }
            if_addrs::IfAddr::V6(v6) => {
                Prefix { ip: v6.ip.into(), length: v6.prefixlen, interface: one.index }
            }
        };
        found.into_iter().map(prefix).collect()
    }

    /// The source address that the system would choose for packets to `remote`. Connecting a UDP socket looks up the
    /// route without sending a packet.
    fn preferred_source(&self, remote: SocketAddr) -> Option<IpAddr> {
        let any: IpAddr =
            if remote.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let socket = std::net::UdpSocket::bind(SocketAddr::new(any, 0)).ok()?;
        socket.connect(remote).ok()?;
        Some(socket.local_addr().ok()?.ip())
    }

    /// Returns true if packets from `local`, an address of the interface `index`, have a route to `remote` through that
    /// interface. By default the destination alone chooses the interface.
    fn leads_to(&self, _index: u32, _local: IpAddr, _remote: IpAddr) -> bool {
        true
    }

    /// Subscribes to changes of interfaces, addresses and routes. Must be called within a tokio runtime.
    fn notices(&self) -> Notices {
        Notices::Clock
    }

    /// Binds a socket to an interface, so that it sends and receives there alone. By default the source address chooses
    /// the interface.
    ///
    /// # Errors
    /// The system refuses.
    fn bind_to_interface(&self, _socket: &socket2::Socket, _device: Device<'_>) -> io::Result<()> {
        Ok(())
    }

    /// Marks the packets of a socket.
    ///
    /// # Errors
    /// The system has no marks, or refuses: only privileged users may.
    fn set_mark(&self, _socket: &socket2::Socket, _mark: u32) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Sets what a socket needs after [`quinn_udp`] has set its own options.
    fn prepare(&self, _socket: &UdpSocket) {}

    /// Allows IP fragmentation of the packets of the socket at `local`, or forbids it as for all sockets at first. By
    /// default a packet that is too large is lost.
    ///
    /// # Errors
    /// The system refuses.
    fn set_fragmentation(
        &self,
        _socket: &UdpSocket,
        _local: SocketAddr,
        _is_allowed: bool,
    ) -> io::Result<()> {
        Ok(())
    }

    /// Turns reports of undelivered packets of a socket on or off. By default there are none: most systems report only
    /// to connected sockets.
    fn report_errors(&self, _socket: &UdpSocket, _is_ipv4: bool, _is_wanted: bool) {}

    /// Takes the next queued report: the destination of a packet that was not delivered, and the error that it met.
    fn next_error(&self, _socket: &UdpSocket) -> Option<(SocketAddr, io::Error)> {
        None
    }

    /// The datagrams dropped at the sockets with these addresses, because their receive buffers were full; `None` for a
    /// socket whose count is unknown.
    fn kernel_drops(&self, addresses: &[SocketAddr]) -> Vec<Option<u64>> {
        vec![None; addresses.len()]
    }

    /// The cause of an error for which the standard library has no kind.
    fn cause(&self, _error: &io::Error) -> Option<Cause> {
        None
    }
}

/// An address of this machine, with the length of its prefix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefix {
    /// The address.
    pub ip: IpAddr,
    /// The bits of the prefix.
    pub length: u8,
    /// The index of the interface.
    pub interface: Option<u32>,
}

/// The interface to which a socket is bound.
#[derive(Clone, Copy, Debug)]
// Each system uses one of them.
#[allow(dead_code)]
pub(crate) struct Device<'a> {
    /// The name.
    pub name: &'a str,
    /// The index, if it is known.
    pub index: Option<u32>,
    /// True for a socket of IPv4.
    pub is_ipv4: bool,
}

/// The cause of a socket's error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The packet exceeds the MTU of its interface (`EMSGSIZE`).
    TooLarge,
    /// There is no memory for another socket (`ENOBUFS`).
    NoBuffer,
    /// The machine does not support the IP version (`EAFNOSUPPORT`).
    NoSuchFamily,
}

impl Cause {
    /// The cause of `error`, by the numbers of a system for the three causes in their order.
    fn among(numbers: [i32; 3], error: &io::Error) -> Option<Cause> {
        let causes = [Cause::TooLarge, Cause::NoBuffer, Cause::NoSuchFamily];
        let number = error.raw_os_error()?;
        numbers.iter().zip(causes).find(|(known, _)| **known == number).map(|(_, cause)| cause)
    }
}
