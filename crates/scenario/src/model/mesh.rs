//! A mesh of radio stations: its channels, its stations, and the paths of flows across it.

use anabranch_base::Time;
use anabranch_wireless::config::{RadioConfig, Routing, StationConfig};

/// The radios of one channel; every node has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Radio {
    /// The name.
    pub name: String,
    /// The settings.
    pub config: RadioConfig,
}

/// A station.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The name.
    pub name: String,
    /// The node's position and movement.
    pub config: StationConfig,
}

/// A change of a node's presence, on all its radios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeEvent {
    /// The time of the event.
    pub at: Time,
    /// Index into [`Scenario::nodes`](super::Scenario::nodes).
    pub node: usize,
    /// True if the node is present from then on.
    pub is_present: bool,
}

/// A path across a mesh, which is routed hop by hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Air {
    /// Index into [`Scenario::radios`](super::Scenario::radios).
    pub radio: usize,
    /// The first host: an index into [`Scenario::nodes`](super::Scenario::nodes).
    pub from: usize,
    /// The second host, likewise.
    pub to: usize,
    /// The routing of packets.
    pub routing: Routing,
}
