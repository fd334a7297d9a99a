//! Linux: rtnetlink for routes and changes, `/proc` and `/sys` for what it tells of addresses, MTUs and drops.

mod drops;
mod ipv6;
mod notices;
mod routes;

use std::io;
use std::net::{IpAddr, SocketAddr};

use anabranch_base::ByteCount;
use tokio::net::UdpSocket;

use super::{Cause, Device, Notices, System, ip};
use crate::interface::{Interface, listed};
use crate::ipv6::Standing;

pub(super) use notices::Subscription;

/// Linux.
#[derive(Debug)]
pub(crate) struct Linux;

impl System for Linux {
    fn interfaces(&self) -> io::Result<Vec<Interface>> {
        let standings = ipv6::standings();
        let standing = |name: &str, ip| standings.get(&(name.to_owned(), ip)).copied();
        listed(mtu_of, |name, ip| standing(name, ip).unwrap_or(Standing::Preferred))
    }

    /// Without a route a socket that is bound to an interface takes any address for a neighbour on its link, and nothing
    /// answers. Routes that depend on the source address are included; true if the kernel does not answer.
    fn leads_to(&self, index: u32, local: IpAddr, remote: IpAddr) -> bool {
        routes::leads_to(index, local, remote)
    }

    fn notices(&self) -> Notices {
        match Subscription::open() {
            Ok(subscription) => Notices::Kernel(subscription),
            Err(error) => {
                crate::log::debug!(%error, "the kernel does not report changes of addresses");
                Notices::Clock
            }
        }
    }

    /// Old kernels permit it only to privileged users.
    fn bind_to_interface(&self, socket: &socket2::Socket, device: Device<'_>) -> io::Result<()> {
        socket.bind_device(Some(device.name.as_bytes()))
    }

    fn set_mark(&self, socket: &socket2::Socket, mark: u32) -> io::Result<()> {
        socket.set_mark(mark)
    }

    fn prepare(&self, socket: &UdpSocket) {
        ip::leave_out_times(socket);
    }

    fn set_fragmentation(&self, socket: &UdpSocket, local: SocketAddr, is_allowed: bool) -> io::Result<()> {
        ip::set_fragmentation(socket, local, is_allowed)
    }

    fn report_errors(&self, socket: &UdpSocket, is_ipv4: bool, is_wanted: bool) {
        ip::report_errors(socket, is_ipv4, is_wanted);
    }

    fn next_error(&self, socket: &UdpSocket) -> Option<(SocketAddr, io::Error)> {
        ip::next_error(socket)
    }

    fn kernel_drops(&self, addresses: &[SocketAddr]) -> Vec<Option<u64>> {
        drops::kernel_drops(addresses)
    }

    fn cause(&self, error: &io::Error) -> Option<Cause> {
        Cause::among(ip::NUMBERS, error)
    }
}

fn mtu_of(name: &str) -> Option<ByteCount> {
    let text = std::fs::read_to_string(format!("/sys/class/net/{name}/mtu")).ok()?;
    text.trim().parse().ok().map(ByteCount::new)
}
