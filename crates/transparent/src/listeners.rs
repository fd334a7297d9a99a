//! The sockets where captured flows arrive: transparent ones on loopback, which no other host reaches, with ports that
//! the kernel chooses.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use nix::ifaddrs::getifaddrs;
use nix::libc;
use nix::net::if_::InterfaceFlags;
use nix::sys::socket::{setsockopt, sockopt};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

use crate::datagrams::{Datagram, receive};
use crate::error::CaptureError;
use crate::marks::OWN_MARK;
use crate::rules::{Pair, Ports};

/// Sockets of TCP and UDP of both families.
#[derive(Debug)]
pub(crate) struct Listeners {
    ipv4: Listener,
    /// `None` where IPv6 is switched off.
    ipv6: Option<Listener>,
}

#[derive(Debug)]
struct Listener {
    tcp: TcpListener,
    udp: UdpSocket,
    addresses: Pair,
}

impl Listeners {
    /// Opens the sockets.
    pub(crate) fn open() -> Result<Listeners, CaptureError> {
        let listener = |ip: IpAddr| Listener::open(ip).map_err(|error| refused(ip, error));
        if !is_loopback_up()? {
            return Err(CaptureError::LoopbackDown);
        }
        let ipv6 = has_ipv6().then(|| listener(Ipv6Addr::LOCALHOST.into())).transpose()?;
        Ok(Listeners { ipv4: listener(Ipv4Addr::LOCALHOST.into())?, ipv6 })
    }

    /// The addresses of the sockets.
    pub(crate) fn ports(&self) -> Ports {
        Ports { ipv4: self.ipv4.addresses, ipv6: self.ipv6.as_ref().map(|listener| listener.addresses) }
    }

    /// Returns true if the address is that of one of the sockets themselves.
    pub(crate) fn has(&self, address: SocketAddr) -> bool {
        self.ports().each().any(|(_, own)| own == address)
    }

    /// Waits for the next connection.
    pub(crate) async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let Some(ipv6) = &self.ipv6 else { return self.ipv4.tcp.accept().await };
        tokio::select! {
            accepted = self.ipv4.tcp.accept() => accepted,
            accepted = ipv6.tcp.accept() => accepted,
        }
    }

    /// Waits for the next datagram.
    pub(crate) async fn receive(&self) -> io::Result<Datagram> {
        loop {
            let socket = self.readable().await?;
            match receive(socket) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                other => return other,
            }
        }
    }

    async fn readable(&self) -> io::Result<&UdpSocket> {
        let ipv4 = &self.ipv4.udp;
        let Some(Listener { udp: ipv6, .. }) = &self.ipv6 else {
            return ipv4.readable().await.map(|()| ipv4);
        };
        tokio::select! {
            ready = ipv4.readable() => ready.map(|()| ipv4),
            ready = ipv6.readable() => ready.map(|()| ipv6),
        }
    }

    /// Sends a datagram from the socket of the family of `to`.
    pub(crate) async fn send(&self, data: &[u8], to: SocketAddr) -> io::Result<()> {
        let listener = if to.is_ipv4() { Some(&self.ipv4) } else { self.ipv6.as_ref() };
        let listener = listener.ok_or(io::ErrorKind::AddrNotAvailable)?;
        listener.udp.send_to(data, to).await.map(drop)
    }
}

impl Listener {
    fn open(ip: IpAddr) -> io::Result<Listener> {
        let tcp = transparent(ip, Type::STREAM)?;
        // Accepted connections have the ports of far servers, which a server here may want for itself.
        tcp.set_reuse_address(true)?;
        tcp.bind(&SocketAddr::new(ip, 0).into())?;
        tcp.listen(BACKLOG)?;
        let udp = transparent(ip, Type::DGRAM)?;
        match ip {
            IpAddr::V4(_) => setsockopt(&udp, sockopt::Ipv4OrigDstAddr, &true)?,
            IpAddr::V6(_) => setsockopt(&udp, sockopt::Ipv6OrigDstAddr, &true)?,
        }
        // The kernel may allow less.
        let _ = udp.set_recv_buffer_size(BUFFER);
        udp.bind(&SocketAddr::new(ip, 0).into())?;
        let (tcp, udp) = (TcpListener::from_std(tcp.into())?, UdpSocket::from_std(udp.into())?);
        let addresses = Pair { tcp: tcp.local_addr()?, udp: udp.local_addr()? };
        Ok(Listener { tcp, udp, addresses })
    }
}

/// A socket that may have addresses of other hosts, and whose packets are not captured.
pub(crate) fn transparent(ip: IpAddr, kind: Type) -> io::Result<Socket> {
    let socket = marked(ip, kind)?;
    match ip {
        IpAddr::V4(_) => socket.set_ip_transparent_v4(true)?,
        IpAddr::V6(_) => {
            socket.set_only_v6(true)?;
            socket.set_ip_transparent_v6(true)?;
        }
    }
    Ok(socket)
}

/// A socket whose packets are not captured.
pub(crate) fn marked(ip: IpAddr, kind: Type) -> io::Result<Socket> {
    let protocol = if kind == Type::STREAM { Protocol::TCP } else { Protocol::UDP };
    let domain = if ip.is_ipv4() { Domain::IPV4 } else { Domain::IPV6 };
    let socket = Socket::new(domain, kind, Some(protocol))?;
    socket.set_nonblocking(true)?;
    socket.set_mark(OWN_MARK)?;
    Ok(socket)
}

fn refused(ip: IpAddr, error: io::Error) -> CaptureError {
    match error.kind() {
        io::ErrorKind::PermissionDenied => CaptureError::NotPermitted(error),
        _ => CaptureError::Socket { ip, error },
    }
}

fn is_loopback_up() -> io::Result<bool> {
    let needed = InterfaceFlags::IFF_LOOPBACK | InterfaceFlags::IFF_UP;
    Ok(getifaddrs()?.any(|interface| interface.flags.contains(needed)))
}

/// Returns false where IPv6 is not built in, or is switched off: `::1` is missing. A transparent socket would have it all
/// the same.
fn has_ipv6() -> bool {
    let ip = IpAddr::from(Ipv6Addr::LOCALHOST);
    let bound = marked(ip, Type::DGRAM).and_then(|socket| socket.bind(&SocketAddr::new(ip, 0).into()));
    !matches!(bound, Err(error) if matches!(error.raw_os_error(), Some(libc::EADDRNOTAVAIL | libc::EAFNOSUPPORT)))
}

/// The number of connections that wait to be accepted.
const BACKLOG: i32 = 1_024;
/// The size of the buffer for datagrams that wait.
const BUFFER: usize = 2 << 20;
