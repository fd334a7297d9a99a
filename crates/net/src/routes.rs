//! Queries the operating system's routes to an address through an interface.

use std::net::{IpAddr, SocketAddr};

use crate::interface::Interface;
use crate::system::{SystemRef, host};

/// Returns true if packets from `local`, an address of the interface `index`, have a route to `remote` through that
/// interface, including routes that depend on the source address. True if the system does not report it.
pub(crate) fn leads_to(system: SystemRef, index: Option<u32>, local: IpAddr, remote: IpAddr) -> bool {
    match index {
        Some(index) if local.is_ipv4() == remote.is_ipv4() => system.leads_to(index, local, remote),
        _ => true,
    }
}

/// Returns true if an interface has a route to one of these addresses.
pub fn reaches(interface: &Interface, remote: &[SocketAddr]) -> bool {
    let mut alike = remote.iter().filter_map(|to| Some((interface.usable(to.is_ipv4())?, to.ip())));
    alike.any(|(local, remote)| leads_to(host(), interface.index, local, remote))
}
