//! The evidence that a judge may use. Each program fills in what it has seen; a rule uses only what is there.

use serde::Serialize;

use crate::link_estimate::{DirectionEstimate, LinkEstimate};
use crate::transfer::{Control, Transfer};

/// The evidence of a program: the links as they were measured, transfers as they went, and the limits of the ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Evidence {
    /// The links, if they were measured.
    pub links: Vec<LinkEstimate>,
    /// Further facts of the links, found by their names.
    pub lanes: Vec<LaneSeen>,
    /// A transfer over all paths from this end to the other, with paths named as the links are.
    pub forward: Option<Transfer>,
    /// A transfer from the other end to this one.
    pub reverse: Option<Transfer>,
    /// The limits of this end.
    pub here: Limits,
    /// The limits of the other end, as far as it told.
    pub there: Limits,
}

/// A direction between the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From this end to the other.
    Forward,
    /// From the other end to this one.
    Reverse,
}

/// One of the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// This end, which judges.
    Here,
    /// The other end.
    There,
}

/// Facts of a link that test packets do not show.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LaneSeen {
    /// The name of the link.
    pub name: String,
    /// The local address.
    pub local: String,
    /// The local interface that has the address.
    pub interface: Option<String>,
    /// The interface by which its packets really left.
    pub carried_by: Option<String>,
    /// The rate that other programs moved over that interface meanwhile, both ways together.
    pub others_bps: Option<f64>,
    /// The interface of the other end by which it is reached there.
    pub interface_there: Option<String>,
    /// The rate that others moved over that interface meanwhile.
    pub others_there_bps: Option<f64>,
    /// The seconds of silence after which the other end no longer reached this one there; `None` if it did, or if that was
    /// not measured.
    pub forgot_within_s: Option<f64>,
}

/// The limits and settings of one end.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Limits {
    /// The limit of its receive buffer, in bytes.
    pub receive_buffer_bytes: Option<u64>,
    /// The send buffer, in bytes.
    pub send_buffer_bytes: Option<u64>,
    /// The congestion control.
    pub control: Option<Control>,
    /// The packets after which it sends a SACK.
    pub sack_every: Option<u32>,
    /// The cores that it used.
    pub processor_share: Option<f64>,
    /// The lateness that 99 of 100 of its pauses did not exceed, in seconds.
    pub lateness_s: Option<f64>,
    /// The share of due test packets that it sent in time.
    pub least_sent_share: Option<f64>,
    /// The datagrams that its system dropped because a socket's buffer was full.
    pub socket_drops: Option<u64>,
    /// The datagrams that arrived at its sockets meanwhile.
    pub arrived_datagrams: Option<u64>,
    /// The rate at which it writes files, in bits a second.
    pub disk_write_bps: Option<f64>,
    /// The period of its HEARTBEATs on an idle path, in seconds.
    pub heartbeat_s: Option<f64>,
}

impl Evidence {
    /// The transfer in `direction`.
    pub fn transfer(&self, direction: Direction) -> Option<&Transfer> {
        match direction {
            Direction::Forward => self.forward.as_ref(),
            Direction::Reverse => self.reverse.as_ref(),
        }
    }

    /// The limits of an end.
    pub fn limits(&self, place: Place) -> &Limits {
        match place {
            Place::Here => &self.here,
            Place::There => &self.there,
        }
    }

    /// The further facts of a link.
    pub(crate) fn lane(&self, name: &str) -> Option<&LaneSeen> {
        self.lanes.iter().find(|lane| lane.name == name)
    }
}

impl Direction {
    /// Both directions.
    pub const BOTH: [Direction; 2] = [Direction::Forward, Direction::Reverse];

    /// The other direction.
    #[must_use]
    pub(crate) fn opposite(self) -> Direction {
        match self {
            Direction::Forward => Direction::Reverse,
            Direction::Reverse => Direction::Forward,
        }
    }

    /// The end that sends.
    pub fn sender(self) -> Place {
        match self {
            Direction::Forward => Place::Here,
            Direction::Reverse => Place::There,
        }
    }

    /// The end that receives.
    pub fn receiver(self) -> Place {
        self.opposite().sender()
    }

    /// The estimate of `link` in this direction.
    pub fn of(self, link: &LinkEstimate) -> &DirectionEstimate {
        match self {
            Direction::Forward => &link.forward,
            Direction::Reverse => &link.reverse,
        }
    }

    /// The names of the links with which `link` shares a bottleneck in this direction.
    pub fn shares(self, link: &LinkEstimate) -> &[String] {
        match self {
            Direction::Forward => &link.shares_forward,
            Direction::Reverse => &link.shares_reverse,
        }
    }
}
