//! Sockets of other programs of this host, which the kernel closes on request (sock_diag(7)).

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use netlink_bindings::inet_diag::{Msg, ReqV2, Sockid, TcpState};
use nix::libc;

use crate::netlink::{Message, Netlink, SOCK_DIAG};

/// A socket to the kernel's list of sockets.
#[derive(Debug)]
pub(crate) struct Sockets(Netlink);

impl Sockets {
    /// Opens it.
    pub(crate) fn open() -> io::Result<Sockets> {
        Netlink::open(SOCK_DIAG).map(Sockets)
    }

    /// Aborts the connection of a program from `local` to `remote`, whose calls fail with `ECONNABORTED` from now on.
    /// Returns false if there is no such connection.
    ///
    /// # Errors
    /// `EOPNOTSUPP` by a kernel without CONFIG_INET_DIAG_DESTROY.
    pub(crate) fn abort(&mut self, local: SocketAddr, remote: SocketAddr) -> io::Result<bool> {
        let mut sockid = sockid(local, remote);
        let found = match self.0.request(&message(SOCK_DIAG_BY_FAMILY, local, &sockid)) {
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => return Ok(false),
            found => found?,
        };
        let Some(cookie) = found.iter().find_map(|body| cookie(body, local, remote)) else {
            return Ok(false);
        };
        // Names the socket that was found, and no later one.
        sockid.cookie = cookie;
        match self.0.request(&message(SOCK_DESTROY, local, &sockid)) {
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ESTALE)) => Ok(false),
            other => other.map(|_| true),
        }
    }
}

fn message(kind: u16, local: SocketAddr, sockid: &Sockid) -> Message {
    let family = if local.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
    let request = ReqV2 {
        family: family as u8,
        protocol: libc::IPPROTO_TCP as u8,
        states: u32::MAX,
        sockid: sockid.clone(),
        ..ReqV2::new()
    };
    Message { kind, flags: 0, body: request.as_slice().to_vec(), what: "a socket of a program".into() }
}

/// The identity of any socket with these addresses.
fn sockid(local: SocketAddr, remote: SocketAddr) -> Sockid {
    let mut sockid = Sockid { src: padded(local.ip()), dst: padded(remote.ip()), ..Sockid::new() };
    sockid.set_sport(local.port());
    sockid.set_dport(remote.port());
    sockid.cookie = ANY_COOKIE;
    sockid
}

/// The cookie of the socket that the kernel found, if it is that connection: where there is none, the kernel finds a
/// socket that listens on the port of `local`. One in TIME-WAIT has no program.
fn cookie(body: &[u8], local: SocketAddr, remote: SocketAddr) -> Option<[u8; 8]> {
    let found = body.get(..Msg::len()).and_then(Msg::new_from_slice)?;
    let is_ipv6 = i32::from(found.family) == libc::AF_INET6;
    let addresses = [
        SocketAddr::new(ip(found.sockid.src, is_ipv6), found.sockid.sport()),
        SocketAddr::new(ip(found.sockid.dst, is_ipv6), found.sockid.dport()),
    ];
    let plain = [local, remote].map(|address| SocketAddr::new(address.ip(), address.port()));
    let is_other = [TcpState::Listen, TcpState::TimeWait].map(|state| state as u8).contains(&found.state);
    (addresses == plain && !is_other).then_some(found.sockid.cookie)
}

fn padded(ip: IpAddr) -> [u8; 16] {
    match ip {
        IpAddr::V4(ip) => {
            let [a, b, c, d] = ip.octets();
            [a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        }
        IpAddr::V6(ip) => ip.octets(),
    }
}

/// The address of a socket. One of IPv6 may have a connection of IPv4.
fn ip([a, b, c, d, rest @ ..]: [u8; 16], is_ipv6: bool) -> IpAddr {
    if !is_ipv6 {
        return Ipv4Addr::new(a, b, c, d).into();
    }
    let [e, f, g, h, i, j, k, l, m, n, o, p] = rest;
    IpAddr::from(Ipv6Addr::from([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])).to_canonical()
}

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const SOCK_DESTROY: u16 = 21;
/// `INET_DIAG_NOCOOKIE`.
const ANY_COOKIE: [u8; 8] = [0xff; 8];

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read as _};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    fn found(local: &str, remote: &str, state: TcpState) -> Vec<u8> {
        let [local, remote] = [local, remote].map(|text| text.parse::<SocketAddr>().expect(text));
        let family = if local.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
        let sockid = Sockid { cookie: [7; 8], ..sockid(local, remote) };
        Msg { family: family as u8, state: state as u8, sockid, ..Msg::new() }.as_slice().to_vec()
    }

    #[test]
    fn only_the_connection_itself_has_a_cookie() {
        let [local, remote] =
            ["192.0.2.1:5000", "198.51.100.9:80"].map(|text| text.parse().expect("an address"));
        let cookie = |body: &[u8]| cookie(body, local, remote);
        let connection = found("192.0.2.1:5000", "198.51.100.9:80", TcpState::Established);
        assert_eq!(cookie(&connection), Some([7; 8]));
        let of_ipv6 = found("[::ffff:192.0.2.1]:5000", "[::ffff:198.51.100.9]:80", TcpState::CloseWait);
        assert_eq!(cookie(&of_ipv6), Some([7; 8]));
        assert_eq!(cookie(&found("0.0.0.0:5000", "0.0.0.0:0", TcpState::Listen)), None);
        assert_eq!(cookie(&found("192.0.2.1:5000", "198.51.100.9:81", TcpState::Established)), None);
        for length in 0..Msg::len() {
            assert_eq!(cookie(&connection[..length]), None);
        }
    }

    #[test]
    fn a_listener_on_the_port_of_a_connection_that_ended_stays() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let local = listener.local_addr().expect("bound");
        let mut sockets = Sockets::open().expect("a socket");
        let remote = "127.0.0.1:1".parse().expect("an address");
        assert!(!sockets.abort(local, remote).expect("an answer"));
        let mut program = TcpStream::connect(local).expect("it listens");
        let aborted = sockets.abort(program.local_addr().expect("connected"), local);
        match aborted {
            Ok(is_found) => {
                assert!(is_found);
                let error = program.read(&mut [0]).expect_err("aborted");
                assert_eq!(error.kind(), ErrorKind::ConnectionAborted);
            }
            // Without the permission, or by a kernel without the means.
            Err(error) => {
                assert!(matches!(error.raw_os_error(), Some(libc::EPERM | libc::EOPNOTSUPP)), "{error}");
            }
        }
    }
}
