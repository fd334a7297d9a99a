//! The addresses of both ends, and hosts that lose and gain them.

use std::net::{Ipv6Addr, SocketAddr};

use anabranch_base::Time;
use anabranch_sctp::config::IpVersion;
use anabranch_sctp::endpoint::Endpoint;
use anabranch_sctp::policy::PathId;

use super::{End, PORT, Pair};

impl Pair {
    /// An end's host gains its address on a pipe.
    pub(crate) fn add_local(&mut self, end: End, pipe: usize) {
        self.gain(end, pipe, Endpoint::add_local);
    }

    /// The host has the address again, at a socket with all its addresses.
    pub(crate) fn return_local(&mut self, end: End, pipe: usize) {
        self.gain(end, pipe, Endpoint::return_local);
    }

    /// The host has its address on pipe `by` in place of that on pipe `lost`, at a socket with all its addresses.
    pub(crate) fn replace_local(&mut self, end: End, lost: usize, by: usize) {
        let lost = self.address(end, lost);
        self.gain(end, by, |endpoint, now, by| endpoint.replace_local(now, lost, by));
    }

    fn gain(&mut self, end: End, pipe: usize, tell: impl FnOnce(&mut Endpoint, Time, SocketAddr)) {
        let address = self.address(end, pipe);
        self.within(end, |side, now| {
            side.missing.retain(|missing| *missing != address);
            tell(&mut side.endpoint, now, address);
        });
        self.settle(end);
    }

    /// The host loses the address.
    pub(crate) fn remove_local(&mut self, end: End, pipe: usize) {
        let address = self.address(end, pipe);
        self.within(end, |side, now| {
            side.missing.push(address);
            side.endpoint.remove_local(now, address);
        });
        self.settle(end);
    }

    /// Both ends have no addresses but those on the first pipes, until [`add_local`](Pair::add_local) gives them.
    pub(crate) fn keep_locals(&mut self, pipes: usize) {
        for end in [End::A, End::Z] {
            (pipes..self.pipes.len()).for_each(|pipe| self.remove_local(end, pipe));
        }
    }

    /// The address of an end on a pipe.
    pub(crate) fn address(&self, end: End, pipe: usize) -> SocketAddr {
        address_of(end, pipe, self.pipes[pipe].version)
    }

    /// The address that an end's packets on a pipe come from, as the other end sees it.
    pub(crate) fn seen(&self, end: End, pipe: usize) -> SocketAddr {
        let mut address = self.address(end, pipe);
        if let (End::A, Some(port)) = (end, self.pipes[pipe].translated) {
            address.set_port(port);
        }
        address
    }
}

/// The IPv4 address of an end on a pipe.
pub(crate) fn address(end: End, pipe: usize) -> SocketAddr {
    address_of(end, pipe, IpVersion::V4)
}

pub(super) fn address_of(end: End, pipe: usize, version: IpVersion) -> SocketAddr {
    let host = match end {
        End::A => 1,
        End::Z => 2,
    };
    match version {
        IpVersion::V4 => SocketAddr::from(([10, 0, pipe as u8, host], PORT)),
        IpVersion::V6 => {
            let ip = Ipv6Addr::new(0x2001, 0xdb8, 0, pipe as u16, 0, 0, 0, u16::from(host));
            SocketAddr::from((ip, PORT))
        }
    }
}

/// The paths in order.
pub(crate) fn path(index: usize) -> PathId {
    PathId::from_index(index)
}

pub(super) fn pipe_of(local: SocketAddr) -> usize {
    match local {
        SocketAddr::V4(local) => usize::from(local.ip().octets()[2]),
        SocketAddr::V6(local) => usize::from(local.ip().segments()[3]),
    }
}
