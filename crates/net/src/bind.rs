//! Opens the sockets of an endpoint; its errors advise what to do.

use std::io;
use std::net::{IpAddr, SocketAddr};

use anabranch_sctp::endpoint::EndpointError;

use crate::interface::Interface;
use crate::socket::{Socket, Ties};
use crate::system::{Cause, SystemRef};

/// The error of an endpoint that cannot be opened. Each message advises what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// The address belongs to another machine, or its interface is down.
    #[error("{address} is not an address of this machine; it has {}", listed(known))]
    NotHere {
        /// The requested address.
        address: IpAddr,
        /// The addresses of this machine.
        known: Vec<IpAddr>,
    },
    /// Another socket uses the port.
    #[error("UDP port {} of {} is in use; end the program that uses it or choose another port", address.port(), address.ip())]
    InUse {
        /// The requested address.
        address: SocketAddr,
    },
    /// The user may not use the port.
    #[error("no permission to use UDP port {} of {}; ports below 1024 are for privileged users", address.port(), address.ip())]
    NotPermitted {
        /// The requested address.
        address: SocketAddr,
    },
    /// The machine does not support this IP version.
    #[error("this machine has no IPv{} for {address}", if address.is_ipv4() { 4 } else { 6 })]
    NoSuchIp {
        /// The requested address.
        address: SocketAddr,
    },
    /// The operating system has no memory for another socket.
    #[error("no buffer space for a socket at {address}; close other sockets or try later")]
    NoBuffer {
        /// The requested address.
        address: SocketAddr,
    },
    /// Any other error of the operating system.
    #[error("cannot open a UDP socket at {address}: {error}")]
    Other {
        /// The requested address.
        address: SocketAddr,
        /// The error.
        error: io::Error,
    },
    /// A setting is invalid, or no address was given.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The operating system provides no random numbers.
    #[error("cannot get random numbers from the operating system: {0}")]
    NoRandomness(String),
    /// The operating system cannot list its interfaces, which were to be tracked.
    #[error("cannot list the network interfaces: {0}")]
    NoInterfaces(io::Error),
    /// The call was not made within a tokio runtime.
    #[error("an endpoint can only be opened within a tokio runtime")]
    NoRuntime,
}

/// Opens one socket for each address. If the port is 0, the operating system chooses it for the first socket, and the
/// others get the same if it is free: then one address shows a peer the port of all. A socket at an address of one of
/// `tied_to` is bound to that interface. The packets of each have the `mark`.
pub(crate) fn bind_all(
    addresses: &[SocketAddr],
    tied_to: &[Interface],
    mark: Option<u32>,
    system: SystemRef,
) -> Result<Vec<Socket>, BindError> {
    let mut sockets: Vec<Socket> = Vec::with_capacity(addresses.len());
    let mut shared_port = None;
    for &address in addresses {
        let interface = tied_to.iter().find(|interface| interface.addresses.contains(&address.ip()));
        let device = interface.map(|interface| (interface.name.as_str(), interface.index));
        let ties = Ties { system, device, mark };
        let at_port = |port: u16| {
            let mut address = address;
            address.set_port(port);
            Socket::bind(address, ties).ok()
        };
        let at_preferred = shared_port.filter(|_| address.port() == 0).and_then(at_port);
        let socket = match at_preferred {
            Some(socket) => socket,
            None => Socket::bind(address, ties).map_err(|error| explain(system, address, error))?,
        };
        shared_port.get_or_insert(socket.address().port());
        sockets.push(socket);
    }
    Ok(sockets)
}

fn explain(system: SystemRef, address: SocketAddr, error: io::Error) -> BindError {
    match error.kind() {
        io::ErrorKind::AddrNotAvailable => BindError::NotHere { address: address.ip(), known: known(system) },
        io::ErrorKind::AddrInUse => BindError::InUse { address },
        io::ErrorKind::PermissionDenied => BindError::NotPermitted { address },
        io::ErrorKind::OutOfMemory => BindError::NoBuffer { address },
        _ => match system.cause(&error) {
            Some(Cause::NoBuffer) => BindError::NoBuffer { address },
            Some(Cause::NoSuchFamily) => BindError::NoSuchIp { address },
            _ => BindError::Other { address, error },
        },
    }
}

fn known(system: SystemRef) -> Vec<IpAddr> {
    let all = system.interfaces().unwrap_or_default();
    all.into_iter().flat_map(|interface| interface.addresses).collect()
}

fn listed(addresses: &[IpAddr]) -> String {
    match addresses {
        [] => "none that could be listed".to_owned(),
        some => some.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::host;

    fn addresses(list: &[&str]) -> Vec<SocketAddr> {
        list.iter().map(|text| text.parse().expect("an address")).collect()
    }

    #[tokio::test]
    async fn the_sockets_of_a_client_share_a_port_where_they_can() {
        let sockets = bind_all(&addresses(&["127.0.0.1:0", "127.0.0.2:0", "[::1]:0"]), &[], None, host())
            .expect("sockets");
        let ports: Vec<u16> = sockets.iter().map(|socket| socket.address().port()).collect();
        assert_eq!(ports, [ports[0]; 3]);
        // The same address twice cannot have the same port twice.
        let sockets =
            bind_all(&addresses(&["127.0.0.1:0", "127.0.0.1:0"]), &[], None, host()).expect("sockets");
        assert_ne!(sockets[0].address(), sockets[1].address());
    }

    #[tokio::test]
    async fn an_address_of_another_machine_is_named_beside_those_there_are() {
        let error =
            bind_all(&addresses(&["198.51.100.77:0"]), &[], None, host()).expect_err("not here").to_string();
        assert!(error.starts_with("198.51.100.77 is not an address of this machine; it has "), "{error}");
        assert!(error.contains("127.0.0.1"), "{error}");
    }

    #[tokio::test]
    async fn a_port_in_use_is_named() {
        let taken = bind_all(&addresses(&["127.0.0.1:0"]), &[], None, host()).expect("a socket");
        let error = bind_all(&[taken[0].address()], &[], None, host()).expect_err("in use").to_string();
        let expected = format!(
            "UDP port {} of 127.0.0.1 is in use; end the program that uses it or choose another port",
            taken[0].address().port()
        );
        assert_eq!(error, expected);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_the_system_says_becomes_what_to_do() {
        let [address] = addresses(&["[::1]:80"])[..] else { unreachable!("one address") };
        let said = |code| explain(host(), address, io::Error::from_raw_os_error(code)).to_string();
        assert_eq!(
            said(13),
            "no permission to use UDP port 80 of ::1; ports below 1024 are for privileged users"
        );
        assert_eq!(said(105), "no buffer space for a socket at [::1]:80; close other sockets or try later");
        assert_eq!(said(97), "this machine has no IPv6 for [::1]:80");
        assert!(said(5).starts_with("cannot open a UDP socket at [::1]:80: "));
    }
}
