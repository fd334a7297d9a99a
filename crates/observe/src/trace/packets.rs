//! Rows of packets: the transport of each flow, and the chunks of each packet.

use anabranch_base::Time;
use anabranch_scenario::Scenario;
use anabranch_scenario::model::Protocol;
use anabranch_sim::observe::PacketSeen;

use super::columns::PacketRow;
use crate::contents::Contents;

/// The transport of each flow, unless it is SCTP.
pub(super) struct Carriers(Vec<Option<&'static str>>);

impl Carriers {
    /// The transports of a scenario's flows.
    pub(super) fn of(scenario: &Scenario) -> Carriers {
        Carriers(scenario.flows.iter().map(|flow| other_transport(&flow.protocol)).collect())
    }

    /// A packet with its content.
    pub(super) fn row(&self, at: Time, seen: PacketSeen) -> PacketRow {
        let other = self.0.get(seen.flow).copied().unwrap_or(Some(""));
        let contents = other.map_or_else(|| Ok(Contents::of(&seen.bytes)), Err);
        PacketRow { at, seen, contents }
    }
}

/// The name of a transport without chunks.
fn other_transport(protocol: &Protocol) -> Option<&'static str> {
    match protocol {
        Protocol::Sctp(_) => None,
        Protocol::Udp => Some("UDP"),
        Protocol::Tcp(_) => Some("TCP"),
    }
}
