//! IP's own fragments, for the rare packet that carries a chunk which was cut for a larger MTU and was sent before
//! (RFC 8899 §6.2). It knows no packet.

use std::io;
use std::net::SocketAddr;

use tokio::net::UdpSocket;

/// Does what `send` does, with the DF bit clear: routers may cut the packet, and this machine does where its interface
/// carries less. By IPv6 only this machine cuts, and only to what its interface or an ICMP message says.
#[cfg(target_os = "linux")]
pub fn allowed(io: &UdpSocket, local: SocketAddr, send: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    set(io, local, Fragments::Allowed)?;
    let result = send();
    set(io, local, Fragments::Forbidden)?;
    result
}

/// Whether packets may be cut.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy)]
enum Fragments {
    Allowed,
    Forbidden,
}

#[cfg(target_os = "linux")]
fn set(io: &UdpSocket, local: SocketAddr, fragments: Fragments) -> io::Result<()> {
    use rustix::net::sockopt::{Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery};
    use rustix::net::sockopt::{set_ip_mtu_discover, set_ipv6_mtu_discover};
    match (local, fragments) {
        (SocketAddr::V4(_), Fragments::Allowed) => set_ip_mtu_discover(io, Ipv4PathMtuDiscovery::DONT)?,
        (SocketAddr::V4(_), Fragments::Forbidden) => set_ip_mtu_discover(io, Ipv4PathMtuDiscovery::PROBE)?,
        (SocketAddr::V6(_), Fragments::Allowed) => set_ipv6_mtu_discover(io, Ipv6PathMtuDiscovery::DONT)?,
        (SocketAddr::V6(_), Fragments::Forbidden) => set_ipv6_mtu_discover(io, Ipv6PathMtuDiscovery::PROBE)?,
    }
    Ok(())
}

/// On other systems it goes as all others do, and is lost where it is too large.
#[cfg(not(target_os = "linux"))]
pub fn allowed(_io: &UdpSocket, _local: SocketAddr, send: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    send()
}
