//! What can be observed of a mesh, and what its stations count.

use anabranch_base::{Duration, Time};
use anabranch_link::fabric::Station;

use crate::frame::{Frame, FrameKind};

/// An event of a mesh. Events are in order of their time.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshEvent<L> {
    /// A frame has left the air.
    Frame(FrameSeen<L>),
    /// A station has given a frame up, and takes the link for broken.
    LinkFailure {
        /// When.
        at: Time,
        /// The station.
        station: Station,
        /// The station that did not answer.
        next: Station,
    },
    /// A station begins to look for a route, or asks again.
    Discovery {
        /// When.
        at: Time,
        /// The station.
        station: Station,
        /// The destination.
        target: Station,
    },
    /// A route reply has arrived at the station that looked for the route.
    ReplyArrived {
        /// When.
        at: Time,
        /// The station.
        station: Station,
        /// The destination.
        target: Station,
    },
    /// A route error has arrived at the source of the packet that could not be passed on.
    ErrorArrived {
        /// When.
        at: Time,
        /// The station.
        station: Station,
        /// The link that broke: from, to.
        link: (Station, Station),
    },
}

/// A frame that was on air.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameSeen<L> {
    /// Its header.
    pub frame: Frame,
    /// When it began.
    pub start: Time,
    /// When it ended.
    pub end: Time,
    /// The stations that received it, whether or not it was for them.
    pub received: Vec<Station>,
    /// The stations in range at which another frame destroyed it, or which sent themselves.
    pub destroyed: Vec<Station>,
    /// The flow's packet that it carries, and the stations of its source route; empty without a header.
    pub packet: Option<(L, Vec<Station>)>,
}

impl<L> MeshEvent<L> {
    /// The same event with another description of the packet in its frame.
    pub fn map<M>(self, packet: impl Fn(L) -> M) -> MeshEvent<M> {
        match self {
            MeshEvent::Frame(seen) => {
                let FrameSeen { frame, start, end, received, destroyed, packet: carried } = seen;
                let packet = carried.map(|(load, route)| (packet(load), route));
                MeshEvent::Frame(FrameSeen { frame, start, end, received, destroyed, packet })
            }
            MeshEvent::LinkFailure { at, station, next } => MeshEvent::LinkFailure { at, station, next },
            MeshEvent::Discovery { at, station, target } => MeshEvent::Discovery { at, station, target },
            MeshEvent::ReplyArrived { at, station, target } => {
                MeshEvent::ReplyArrived { at, station, target }
            }
            MeshEvent::ErrorArrived { at, station, link } => MeshEvent::ErrorArrived { at, station, link },
        }
    }

    /// When it happened; for a frame, its end.
    pub fn at(&self) -> Time {
        match self {
            MeshEvent::Frame(seen) => seen.end,
            MeshEvent::LinkFailure { at, .. }
            | MeshEvent::Discovery { at, .. }
            | MeshEvent::ReplyArrived { at, .. }
            | MeshEvent::ErrorArrived { at, .. } => *at,
        }
    }
}

/// What a station has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StationCounters {
    /// RTS frames that it sent.
    pub rts_sent: u64,
    /// CTS frames.
    pub cts_sent: u64,
    /// ACK frames.
    pub acks_sent: u64,
    /// Frames with packets of flows, each attempt counted.
    pub data_sent: u64,
    /// Frames with packets of DSR.
    pub routing_sent: u64,
    /// RTS frames without a CTS.
    pub rts_failed: u64,
    /// Frames without an ACK.
    pub data_failed: u64,
    /// Frames that it gave up.
    pub retry_drops: u64,
    /// Packets that its queue refused.
    pub queue_drops: u64,
    /// Packets that its queue marked.
    pub marked: u64,
    /// Frames in range that it could not receive, because they overlapped others or its own.
    pub collisions: u64,
    /// For how long it sent.
    pub airtime: Duration,
    /// Route discoveries that it began.
    pub discoveries: u64,
    /// Route replies that arrived for it.
    pub replies_received: u64,
    /// Route errors that arrived for it.
    pub errors_received: u64,
}

impl StationCounters {
    /// A frame of this kind begins, and takes this time.
    pub(crate) fn on_sent(&mut self, kind: FrameKind, span: Duration) {
        self.airtime += span;
        let count = match kind {
            FrameKind::Rts => &mut self.rts_sent,
            FrameKind::Cts => &mut self.cts_sent,
            FrameKind::Ack => &mut self.acks_sent,
            FrameKind::Data => &mut self.data_sent,
            FrameKind::Routing => &mut self.routing_sent,
        };
        *count += 1;
    }
}
