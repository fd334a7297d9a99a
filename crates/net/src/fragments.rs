//! IP fragmentation for a packet with a chunk made for a larger MTU that must be retransmitted (RFC 8899 §6.2).

use std::io;
use std::net::SocketAddr;

use tokio::net::UdpSocket;

/// Calls `send` with the DF bit clear: routers may fragment the packet, and this machine does so if its interface's
/// MTU is smaller. With IPv6 only this machine fragments, and only to the MTU of its interface or of an ICMP message.
#[cfg(target_os = "linux")]
pub(crate) fn allowed(
    io: &UdpSocket,
    local: SocketAddr,
    send: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    set(io, local, Fragmentation::Allowed)?;
    let result = send();
    set(io, local, Fragmentation::Forbidden)?;
    result
}

/// Sets whether packets may be fragmented.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy)]
enum Fragmentation {
    Allowed,
    Forbidden,
}

#[cfg(target_os = "linux")]
fn set(io: &UdpSocket, local: SocketAddr, fragments: Fragmentation) -> io::Result<()> {
    use rustix::net::sockopt::{Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery};
    use rustix::net::sockopt::{set_ip_mtu_discover, set_ipv6_mtu_discover};
    match (local, fragments) {
        (SocketAddr::V4(_), Fragmentation::Allowed) => set_ip_mtu_discover(io, Ipv4PathMtuDiscovery::DONT)?,
        (SocketAddr::V4(_), Fragmentation::Forbidden) => {
            set_ip_mtu_discover(io, Ipv4PathMtuDiscovery::PROBE)?;
        }
        (SocketAddr::V6(_), Fragmentation::Allowed) => set_ipv6_mtu_discover(io, Ipv6PathMtuDiscovery::DONT)?,
        (SocketAddr::V6(_), Fragmentation::Forbidden) => {
            set_ipv6_mtu_discover(io, Ipv6PathMtuDiscovery::PROBE)?;
        }
    }
    Ok(())
}

/// On other systems the packet is sent like all others, and is lost if it is too large.
#[cfg(not(target_os = "linux"))]
pub fn allowed(_io: &UdpSocket, _local: SocketAddr, send: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    send()
}
