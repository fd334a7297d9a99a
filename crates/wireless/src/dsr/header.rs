//! The messages of DSR, and the sizes of its headers (RFC 4728 §6).

use std::sync::Arc;

use anabranch_base::ByteCount;

/// Stations from a source to a destination, both included.
pub(crate) type Route = Arc<[u16]>;

/// A message of DSR.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Control {
    Request(Request),
    Reply(Reply),
    Error(Report),
}

/// A route request: the first station of `path` asks for `target`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) id: u16,
    pub(crate) target: u16,
    pub(crate) path: Vec<u16>,
}

/// A route reply: `route` from the station that asked to the target. The reply goes the other way, and is at place `at`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reply {
    pub(crate) route: Route,
    pub(crate) at: usize,
}

/// A route error: the way from the station that reports a broken link to the source of a packet; it is at place `at`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Report {
    pub(crate) broken: [u16; 2],
    pub(crate) route: Route,
    pub(crate) at: usize,
}

impl Control {
    /// The next hop; `None` for all neighbours.
    pub(crate) fn next(&self) -> Option<u16> {
        match self {
            Control::Request(_) => None,
            Control::Reply(reply) => reply.at.checked_sub(1).map(|next| reply.route[next]),
            Control::Error(report) => report.route.get(report.at + 1).copied(),
        }
    }

    /// The size of its IP packet.
    pub(crate) fn size(&self) -> ByteCount {
        let options = match self {
            Control::Request(request) => 8 + address_bytes(request.path.len() - 1),
            // 3 bytes before the addresses, and one of padding.
            Control::Reply(reply) => {
                4 + address_bytes(reply.route.len() - 1) + source_route(reply.route.len())
            }
            Control::Error(report) => 16 + source_route(report.route.len()),
        };
        ByteCount::new(IP + FIXED + options)
    }
}

/// Returns the size that a source route over these stations adds to a packet: the fixed header, and an option with the
/// addresses of the stations between the ends.
pub(crate) fn route_size(stations: usize) -> ByteCount {
    ByteCount::new(FIXED + source_route(stations))
}

fn source_route(stations: usize) -> u64 {
    4 + address_bytes(stations.saturating_sub(2))
}

fn address_bytes(count: usize) -> u64 {
    4 * count as u64
}

const IP: u64 = 20;
const FIXED: u64 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_the_sizes_of_rfc_4728() {
        assert_eq!([2, 3, 4].map(|stations| route_size(stations).get()), [8, 12, 16]);
        let request = Request { id: 1, target: 3, path: vec![0, 1] };
        assert_eq!(Control::Request(request).size().get(), 20 + 4 + 12);
        let route: Route = [0, 1, 2].into();
        let reply = Control::Reply(Reply { route: route.clone(), at: 2 });
        assert_eq!((reply.size().get(), reply.next()), (20 + 4 + 12 + 8, Some(1)));
        let report = Control::Error(Report { broken: [2, 3], route, at: 0 });
        assert_eq!((report.size().get(), report.next()), (20 + 4 + 16 + 8, Some(1)));
    }
}
