//! The records of an observer of the mesh: every frame on air, and the events of routes.

use anabranch_base::{ByteCount, Duration, Time};
use anabranch_link::Packet;
use anabranch_link::fabric::Station;

use crate::frame::FrameKind;

/// A frame that was on air.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameSeen {
    /// The station that sent it.
    pub from: Station,
    /// The station that was to receive it; `None` for all.
    pub to: Option<Station>,
    /// The kind.
    pub kind: FrameKind,
    /// When its preamble began.
    pub start: Time,
    /// When its last bit ended.
    pub end: Time,
    /// The duration field: how long after its end the medium stays reserved.
    pub duration: Duration,
    /// True if it is a data frame that was sent before.
    pub is_retry: bool,
    /// The sequence number of a data frame.
    pub sequence: u16,
    /// The size, FCS included.
    pub size: ByteCount,
    /// The stations that received it without error, whether it was for them or not.
    pub received: Vec<Station>,
    /// The stations in range that did not, because other transmissions overlapped it or they sent themselves.
    pub collided: Vec<Station>,
    /// The options of DSR.
    pub routing: Option<RoutingHeader>,
}

/// The options of DSR in a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoutingHeader {
    /// A source route: all stations from the source to the destination, and how many of them the packet has left.
    SourceRoute {
        /// The route, both ends included.
        route: Vec<Station>,
        /// Hops that the packet had passed before this one.
        passed: usize,
    },
    /// A route request.
    Request {
        /// The number at the station that asks.
        id: u16,
        /// The station that is looked for.
        target: Station,
        /// The stations that it passed, from the one that asks to the one that sends this frame.
        path: Vec<Station>,
    },
    /// A route reply.
    Reply {
        /// The route found, from the station that asked to its target.
        route: Vec<Station>,
        /// Hops that the reply had passed before this one.
        passed: usize,
    },
    /// A route error.
    Error {
        /// The ends of the broken link; the first reports it.
        broken: [Station; 2],
        /// The way of the report, from the station that reports to the source of the packet.
        route: Vec<Station>,
        /// Hops that the report had passed before this one.
        passed: usize,
    },
}

/// An event of the routes of a station.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoutingEvent {
    /// The station gave up a frame to its next hop.
    LinkFailure {
        /// When.
        at: Time,
        /// The station.
        station: Station,
        /// The next hop.
        next: Station,
    },
    /// The station began to look for a route.
    DiscoveryStarted {
        /// When.
        at: Time,
        /// The station.
        station: Station,
        /// The target of the search.
        target: Station,
    },
    /// The station has a route for which it had looked.
    RouteFound {
        /// When.
        at: Time,
        /// The station.
        station: Station,
        /// The route, both ends included.
        route: Vec<Station>,
    },
    /// The station, as the source of a packet, learned that a link of its route is broken.
    RouteError {
        /// When.
        at: Time,
        /// The station.
        station: Station,
        /// The ends of the link; the first has reported it.
        broken: [Station; 2],
    },
}

impl RoutingEvent {
    /// When it happened.
    pub fn at(&self) -> Time {
        match self {
            RoutingEvent::LinkFailure { at, .. }
            | RoutingEvent::DiscoveryStarted { at, .. }
            | RoutingEvent::RouteFound { at, .. }
            | RoutingEvent::RouteError { at, .. } => *at,
        }
    }
}

/// The records since the last call.
#[derive(Debug)]
pub(crate) struct Log<L> {
    pub(crate) frames: Vec<(FrameSeen, Option<Packet<L>>)>,
    pub(crate) routing: Vec<RoutingEvent>,
}

impl<L> Default for Log<L> {
    fn default() -> Log<L> {
        Log { frames: Vec::new(), routing: Vec::new() }
    }
}
