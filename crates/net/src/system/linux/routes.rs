//! Queries the routes of the kernel by rtnetlink (`rtnetlink(7)`).

use std::net::IpAddr;

use rustix::io::Errno;
use rustix::net::netlink::SocketAddrNetlink;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, sendto, socket_with};

pub(super) fn leads_to(index: u32, local: IpAddr, remote: IpAddr) -> bool {
    let found = match route(index, Some(local), remote) {
        // For IPv6 the interface is only a preference if the source is given.
        Ok(Some(by)) if by != index => route(index, None, remote).map(|by| by == Some(index)),
        other => other.map(|by| by.is_some()),
    };
    found.unwrap_or(true)
}

/// The interface of the route to `remote`; `None` without a route.
fn route(index: u32, local: Option<IpAddr>, remote: IpAddr) -> Result<Option<u32>, Errno> {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
    let request = request(index, local, remote);
    sendto(&socket, &request, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    // The kernel has answered before the call returns.
    let mut answer = [0_u8; 4096];
    let (length, _) = recv(&socket, &mut answer[..], RecvFlags::DONTWAIT)?;
    Ok(read(&answer[..length.min(answer.len())], index))
}

fn request(index: u32, local: Option<IpAddr>, remote: IpAddr) -> Vec<u8> {
    let bytes = |ip: IpAddr| match ip {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let (family, flags) = match remote {
        IpAddr::V4(_) => (AddressFamily::INET, FIB_MATCH),
        IpAddr::V6(_) => (AddressFamily::INET6, 0),
    };
    let bits = if remote.is_ipv4() { 32 } else { 128 };
    let from_bits = if local.is_some() { bits } else { 0 };
    let mut message = vec![u8::try_from(family.as_raw()).unwrap_or_default(), bits, from_bits, 0, 0, 0, 0, 0];
    message.extend(u32::to_ne_bytes(flags));
    let attributes = [(DESTINATION, Some(bytes(remote))), (SOURCE, local.map(bytes))];
    let attributes = attributes.into_iter().filter_map(|(kind, value)| Some((kind, value?)));
    for (kind, value) in attributes.chain([(INTERFACE, index.to_ne_bytes().to_vec())]) {
        message.extend(u16::to_ne_bytes(u16::try_from(4 + value.len()).unwrap_or_default()));
        message.extend(u16::to_ne_bytes(kind));
        message.extend(value);
    }
    let mut request = Vec::from(u32::to_ne_bytes(u32::try_from(16 + message.len()).unwrap_or_default()));
    request.extend(GET_ROUTE.to_ne_bytes());
    request.extend(REQUEST.to_ne_bytes());
    request.extend([0; 8]);
    request.extend(message);
    request
}

/// The interface in an answer, or `wished` if the answer has none: a route with several next hops.
fn read(answer: &[u8], wished: u32) -> Option<u32> {
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    let mut rest = answer.get(16 + 12..).filter(|_| kind == NEW_ROUTE)?;
    while let Some(head) = rest.first_chunk::<4>() {
        let length = usize::from(u16::from_ne_bytes([head[0], head[1]]));
        let value = rest.get(4..length)?;
        if u16::from_ne_bytes([head[2], head[3]]) == INTERFACE {
            return Some(u32::from_ne_bytes(value.try_into().ok()?));
        }
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Some(wished)
}

/// `RTM_NEWROUTE`, `RTM_GETROUTE` and `NLM_F_REQUEST`.
const NEW_ROUTE: u16 = 24;
const GET_ROUTE: u16 = 26;
const REQUEST: u16 = 1;
/// `RTM_F_FIB_MATCH`: only a route of the tables, not the neighbour that Linux assumes without one.
const FIB_MATCH: u32 = 0x2000;
/// `RTA_DST`, `RTA_SRC` and `RTA_OIF`.
const DESTINATION: u16 = 1;
const SOURCE: u16 = 2;
const INTERFACE: u16 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_leads_to_itself_and_nowhere_else() {
        let all = crate::interfaces::interfaces().expect("a list");
        let loopback = all.iter().find(|one| one.is_loopback()).and_then(|one| one.index).expect("lo");
        let from = IpAddr::from([127, 0, 0, 1]);
        assert!(leads_to(loopback, from, IpAddr::from([127, 0, 0, 2])));
        assert!(!leads_to(loopback, from, IpAddr::from([203, 0, 113, 1])));
    }

    #[test]
    fn an_answer_that_is_cut_off_names_no_route() {
        let mut answer = request(7, None, IpAddr::from([192, 0, 2, 1]));
        answer[4..6].copy_from_slice(&NEW_ROUTE.to_ne_bytes());
        assert_eq!(read(&answer, 1), Some(7));
        (0..28).for_each(|length| assert_eq!(read(&answer[..length], 1), None));
        answer[4..6].copy_from_slice(&2_u16.to_ne_bytes());
        assert_eq!(read(&answer, 1), None, "an error");
    }
}
