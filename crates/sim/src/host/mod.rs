//! The two ends of a flow: what hosts run. An end takes packets and gives packets; the network between is none of its
//! business.

mod address;
mod hints;
mod sctp;
mod udp;

pub use hints::hints;
pub use sctp::{FlowSettings, SctpEnd};
pub use udp::UdpEnd;

use anabranch_base::{ByteCount, Machine, Time};
use anabranch_link::Round;
use bytes::Bytes;

use crate::observe::Watch;

/// One end of a flow.
#[derive(Debug)]
pub enum End {
    /// Of an SCTP association.
    Sctp(Box<SctpEnd>),
    /// Of a stream of datagrams.
    Udp(Box<UdpEnd>),
}

/// A packet that leaves an end.
#[derive(Clone, Debug)]
pub struct Outbound {
    /// Which of the flow's paths it takes.
    pub path: usize,
    /// Its size with the headers of IP and UDP.
    pub size: ByteCount,
    /// The round of the path's window, by its number, where it carries data.
    pub round: Option<u64>,
    /// Whether links may cut it in pieces.
    pub may_fragment: bool,
    /// Whether it carries something that was sent before.
    pub retransmission: bool,
    /// What follows the headers of IP and UDP.
    pub bytes: Bytes,
}

/// A packet that reached an end.
#[derive(Clone, Debug)]
pub struct Inbound {
    /// By which of the flow's paths.
    pub path: usize,
    /// When it left the other end.
    pub sent: Time,
    /// What follows the headers of IP and UDP.
    pub bytes: Bytes,
    /// Whether a bit was turned over on the way.
    pub is_damaged: bool,
    /// Whether it is a second copy.
    pub is_duplicate: bool,
}

/// What an application received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// How much.
    pub bytes: ByteCount,
    /// So long after it was sent.
    pub delay: anabranch_base::Duration,
}

impl End {
    /// From now on changes of paths are kept until they are taken, if those are watched.
    pub fn watch(&mut self, watch: Watch) {
        match self {
            End::Sctp(end) if watch.paths => end.watch_paths(),
            End::Sctp(_) | End::Udp(_) => {}
        }
    }

    /// From now on it sends nothing and hears nothing: its flow is complete without it.
    pub fn fall_silent(&mut self) {
        if let End::Sctp(end) = self {
            end.fall_silent();
        }
    }

    /// What has arrived and cannot be delivered.
    pub fn held(&self) -> ByteCount {
        match self {
            End::Sctp(end) => end.held(),
            End::Udp(_) => ByteCount::ZERO,
        }
    }

    /// What was delivered to the application at this end and nobody took yet.
    pub fn deliveries(&mut self) -> &mut Vec<Delivered> {
        match self {
            End::Sctp(end) => end.deliveries(),
            End::Udp(end) => end.deliveries(),
        }
    }

    /// Why its transport gave up, if it did.
    pub fn failure(&self) -> Option<&str> {
        match self {
            End::Sctp(end) => end.failure(),
            End::Udp(_) => None,
        }
    }

    /// Whether it sends datagrams, and has sent all it had: what did not arrive never will.
    pub fn is_spent(&self) -> bool {
        matches!(self, End::Udp(end) if end.is_spent())
    }

    /// Whether nothing more will come of this end.
    pub fn has_failed(&self) -> bool {
        self.failure().is_some()
    }
}

impl Machine for End {
    type Input = Inbound;
    type Output = Outbound;

    fn handle(&mut self, now: Time, packet: Inbound) {
        match self {
            End::Sctp(end) => end.handle(now, packet),
            End::Udp(end) => end.handle(now, packet),
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        match self {
            End::Sctp(end) => end.handle_timeout(now),
            End::Udp(end) => end.handle_timeout(now),
        }
    }

    fn poll(&mut self, now: Time) -> Option<Outbound> {
        match self {
            End::Sctp(end) => end.poll(now),
            End::Udp(end) => end.poll(now),
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        match self {
            End::Sctp(end) => end.poll_timeout(),
            End::Udp(end) => end.poll_timeout(),
        }
    }
}

/// The round of an outbound packet as links tell rounds apart: windows are numbered through the network.
pub fn round_of(end: usize, outbound: &Outbound) -> Option<Round> {
    let window = (end as u64) << 16 | outbound.path as u64;
    outbound.round.map(|number| Round { window, number })
}
