//! What frames carry: packets of flows on their route, and DSR's own packets, with the sizes of their headers (RFC 4728 §6).

use std::sync::Arc;

use anabranch_base::ByteCount;
use anabranch_link::fabric::Station;
use anabranch_link::{ChunkKind, Packet, Payload};

/// The stations of a route, from its source to its destination: at least two.
pub type Route = Arc<[Station]>;

/// A packet that goes from station to station.
#[derive(Clone, Debug)]
pub struct Datagram<L> {
    /// What it carries.
    pub content: Content<L>,
    /// Its route.
    pub route: Route,
    /// Where on the route it is.
    pub at: usize,
    /// Whether it carries its route in a header; with a static route it does not.
    pub has_header: bool,
}

/// The content of a packet.
#[derive(Clone, Debug)]
pub enum Content<L> {
    /// A packet of a flow.
    Flow(Packet<L>),
    /// A flow's packet that has already arrived at the next station, whose acknowledgement was lost. What is left is its
    /// size.
    Passed(ByteCount),
    /// A route that was found, for the station that looks for it.
    Reply(Route),
    /// A link that broke, from the first station to the second.
    Error(Station, Station),
}

/// A route request, which every station broadcasts once (RFC 4728 §6.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteRequest {
    /// The number that its initiator gave it.
    pub number: u32,
    /// The station to which a route is looked for.
    pub target: Station,
    /// Whether it is for the neighbours of its initiator alone.
    pub is_local: bool,
    /// The stations that it has passed, the initiator first.
    pub path: Vec<Station>,
}

impl<L> Datagram<L> {
    /// A packet at the source of its route.
    pub fn new(content: Content<L>, route: Route, has_header: bool) -> Datagram<L> {
        Datagram { content, route, at: 0, has_header }
    }

    /// The station where it began.
    pub fn source(&self) -> Station {
        self.route[0]
    }

    /// The station that it goes to; `None` at the end of the route.
    pub fn next(&self) -> Option<Station> {
        self.route.get(self.at + 1).copied()
    }

    /// Whether it belongs to a flow.
    pub fn is_of_flow(&self) -> bool {
        matches!(self.content, Content::Flow(_) | Content::Passed(_))
    }

    /// Its size with all headers from IP's on.
    pub fn size(&self) -> ByteCount {
        let between = self.route.len().saturating_sub(2) as u64;
        let source_route = OPTION + ADDRESS * between;
        match &self.content {
            Content::Flow(Packet { size, .. }) | Content::Passed(size) if self.has_header => {
                *size + FIXED + source_route
            }
            Content::Flow(Packet { size, .. }) | Content::Passed(size) => *size,
            Content::Reply(found) => IP + FIXED + source_route + OPTION + ADDRESS * found.len() as u64,
            Content::Error(..) => IP + FIXED + source_route + ERROR,
        }
    }
}

impl RouteRequest {
    /// Its size with all headers from IP's on: the option has the target's address, and those on the way.
    pub fn size(&self) -> ByteCount {
        IP + FIXED + OPTION + ADDRESS * self.path.len() as u64
    }
}

impl<L: Payload> Payload for Datagram<L> {
    fn flow(&self) -> u64 {
        match &self.content {
            Content::Flow(packet) => packet.load.flow(),
            _ => u64::MAX,
        }
    }

    fn carries_chunk(&self, kind: ChunkKind) -> bool {
        matches!(&self.content, Content::Flow(packet) if packet.load.carries_chunk(kind))
    }
}

/// The header of IPv4.
const IP: ByteCount = ByteCount::new(20);
/// The fixed part of DSR's header.
const FIXED: ByteCount = ByteCount::new(4);
/// An option without its addresses.
const OPTION: ByteCount = ByteCount::new(4);
/// The option of a route error that names a link.
const ERROR: ByteCount = ByteCount::new(16);
const ADDRESS: ByteCount = ByteCount::new(4);

#[cfg(test)]
mod tests {
    use super::*;

    fn route(hops: u16) -> Route {
        (0..=hops).map(Station::new).collect()
    }

    #[test]
    fn a_source_route_adds_eight_bytes_and_four_for_each_station_between() {
        let packet = || Content::Flow(Packet::new(ByteCount::new(544), 0_u64));
        let size = |hops, has_header| Datagram::new(packet(), route(hops), has_header).size().get();
        assert_eq!([size(1, true), size(3, true), size(3, false)], [552, 560, 544]);
    }

    #[test]
    fn routing_packets_grow_with_their_routes() {
        let of = |content: Content<u64>, hops| Datagram::new(content, route(hops), true).size().get();
        assert_eq!(of(Content::Reply(route(3)), 3), 20 + 4 + 12 + 20);
        assert_eq!(of(Content::Error(Station::new(1), Station::new(2)), 1), 20 + 4 + 4 + 16);
        let request =
            RouteRequest { number: 1, target: Station::new(3), is_local: false, path: vec![Station::new(0)] };
        assert_eq!(request.size().get(), 32);
    }
}
